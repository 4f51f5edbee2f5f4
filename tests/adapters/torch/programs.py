"""Programs to be run with and without a recorder: each gives the tensors whose ``.grad`` and values have to agree."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint


def _mlp(width, depth, act):
    def program():
        torch.manual_seed(depth)
        model = nn.Sequential(*[m for _ in range(depth) for m in (nn.Linear(width, width), act())], nn.Linear(width, 1))
        return _train(model, torch.randn(8, width), torch.randn(8, 1))

    return program


def _train(model, x, y, loss_of=F.mse_loss, make=torch.optim.SGD, steps=3, **options):
    optimizer = make(model.parameters(), lr=0.01, **options)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of(model(x), y)
        loss.backward()
        optimizer.step()
    return [loss, *model.parameters()]


def _optimizer(make, **options):
    def program():
        torch.manual_seed(1)
        model = nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 1))
        return _train(model, torch.randn(8, 5), torch.randn(8, 1), make=make, **options)

    return program


def _conv(*layers, shape=(2, 3, 8, 8)):
    def program():
        torch.manual_seed(2)
        model = nn.Sequential(*[make() for make in layers], nn.Flatten(), nn.LazyLinear(2))
        model(torch.randn(shape))
        return _train(model, torch.randn(shape), torch.randint(0, 2, (shape[0],)), F.cross_entropy)

    return program


def _recurrent(kind, **options):
    def program():
        torch.manual_seed(3)
        rnn, head = kind(3, 4, batch_first=True, **options), nn.LazyLinear(1)
        out, _ = rnn(torch.randn(2, 5, 3))
        head(out)
        optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()])
        for _ in range(2):
            loss = head(rnn(torch.randn(2, 5, 3))[0]).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return [loss, *rnn.parameters(), *head.parameters()]

    return program


def _loss(loss_of, x, y):
    def program():
        torch.manual_seed(4)
        w = torch.randn(6, 3, requires_grad=True)
        loss = loss_of(x(w), y())
        loss.backward()
        return [loss, w]

    return program


def _ops(function, *, positive=False):
    def program():
        torch.manual_seed(5)
        w = torch.rand(3, 4) + 0.5 if positive else torch.randn(3, 4)
        w.requires_grad_()
        out = function(w)
        out = out if isinstance(out, torch.Tensor) else sum(part.float().sum() for part in out)
        out.float().sum().backward()
        return [out, w]

    return program


def transformer():
    torch.manual_seed(6)
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True), 2)
    return _train(model, torch.randn(2, 5, 8), torch.randn(2, 5, 8), make=torch.optim.AdamW)


def attention_by_hand():
    torch.manual_seed(6)
    w = torch.randn(3, 4, 4, requires_grad=True)
    q, k, v = (torch.randn(2, 5, 4) @ part for part in w)
    out = ((q @ k.transpose(1, 2)) / 2).softmax(-1) @ v
    out.pow(2).sum().backward()
    return [out, w]


def scaled_dot_product():
    torch.manual_seed(6)
    w = torch.randn(2, 2, 5, 4, requires_grad=True)
    out = F.scaled_dot_product_attention(w, w, w, is_causal=True)
    out.pow(2).sum().backward()
    return [out, w]


def gan():
    torch.manual_seed(7)
    g, d = nn.Linear(2, 3), nn.Linear(3, 1)
    of_g, of_d = torch.optim.Adam(g.parameters()), torch.optim.Adam(d.parameters())
    for _ in range(3):
        fake = g(torch.randn(8, 2))
        of_d.zero_grad()
        (F.softplus(-d(torch.randn(8, 3))).mean() + F.softplus(d(fake.detach())).mean()).backward()
        of_d.step()
        of_g.zero_grad()
        F.softplus(-d(fake)).mean().backward()
        of_g.step()
    return [*g.parameters(), *d.parameters()]


def gradient_penalty():
    torch.manual_seed(8)
    critic = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
    x = torch.randn(8, 3, requires_grad=True)
    (slope,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
    (slope.norm(dim=1) - 1).pow(2).mean().backward()
    return list(critic.parameters())


def third_derivative():
    x = torch.tensor(1.5, requires_grad=True)
    y = x.sin() * x**3
    for _ in range(3):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
    y.backward()
    return [y, x]


def hessian_vector():
    torch.manual_seed(9)
    w, v = torch.randn(4, requires_grad=True), torch.randn(4)
    (g,) = torch.autograd.grad((w**3).sum(), w, create_graph=True)
    (g * v).sum().backward()
    return [g, w]


def reinforce():
    torch.manual_seed(10)
    policy = nn.Linear(4, 2)
    logits = policy(torch.randn(10, 4))
    actions = torch.distributions.Categorical(logits=logits)
    picked = actions.sample()
    loss = -(actions.log_prob(picked) * torch.randn(10)).mean()
    loss.backward()
    return [loss, *policy.parameters()]


def q_learning():
    torch.manual_seed(11)
    q, target = nn.Linear(3, 2), nn.Linear(3, 2)
    with torch.no_grad():
        goal = torch.randn(6) + 0.9 * target(torch.randn(6, 3)).max(1).values
    loss = F.smooth_l1_loss(q(torch.randn(6, 3)).gather(1, torch.randint(0, 2, (6, 1)))[:, 0], goal)
    loss.backward()
    return [loss, *q.parameters()]


def mixed_precision():
    torch.manual_seed(12)
    model = nn.Linear(4, 1)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = model(torch.randn(8, 4))
    out.float().pow(2).mean().backward()
    return [out, *model.parameters()]


def _checkpointed(*, reentrant):
    def program():
        torch.manual_seed(13)
        first, last = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.3), nn.Tanh()), nn.Linear(8, 1)
        x = torch.randn(8, 4, requires_grad=True)
        loss = last(checkpoint(first, x, use_reentrant=reentrant)).pow(2).mean()
        loss.backward()
        return [loss, x, *first.parameters(), *last.parameters()]

    return program


def tensor_hooks():
    x = torch.ones(3, requires_grad=True)
    h = x * 2
    h.register_hook(lambda g: g * 0.5)
    h.retain_grad()
    h.pow(2).sum().backward()
    return [h, x]


def module_hooks():
    torch.manual_seed(14)
    model, seen = nn.Linear(3, 2), []
    model.register_forward_hook(lambda _m, _i, out: out * 2)
    model.register_full_backward_hook(lambda _m, _i, out: seen.append(out[0].clone()))
    model(torch.randn(4, 3, requires_grad=True)).sum().backward()
    return [*model.parameters(), *seen]


def in_place():
    w = torch.arange(6.0).requires_grad_()
    out = torch.zeros(2, 6)
    out[0] = w * 2
    out[1].add_(w.exp())
    out.mul_(0.5)[0].clamp_(max=3.0)
    out.sum().backward()
    return [out, w]


def views():
    w = torch.arange(12.0).requires_grad_()
    h = (w * 1.0).view(3, 4)
    h.t()[1].mul_(3)
    h.select(0, 1).add_(1)
    h.pow(2).sum().backward()
    return [h, w]


def updates_by_hand():
    w = torch.ones(3, requires_grad=True)
    for _ in range(3):
        loss = (w - 3).pow(2).sum()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            w.grad.zero_()
    w.data.mul_(0.5)
    return [loss, w]


def custom_function():
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3 * x * x * g

    x = torch.arange(4.0).requires_grad_()
    early = Cube.apply
    out = Cube.apply(x) + early(x * 2)
    out.sum().backward()
    return [out, x]


def functional_transforms():
    def f(w, x):
        return (w * x).tanh().sum()

    w, x = torch.arange(3.0), torch.ones(4, 3)
    return [torch.func.grad(f)(w, x[0]), torch.func.vmap(f, (None, 0))(w, x), torch.func.jacrev(f)(w, x[0])]


def accumulated():
    w = torch.ones(3, requires_grad=True)
    for scale in (1.0, 2.0, 3.0):
        (w * scale).exp().sum().backward()
    return [w]


def retained_graph():
    x = torch.ones(3, requires_grad=True)
    h = x.exp()
    h.sum().backward(retain_graph=True)
    h.pow(2).sum().backward(inputs=[x])
    torch.autograd.backward([x * 2, x * 3], [torch.ones(3), torch.ones(3)])
    return [x]


def lbfgs():
    torch.manual_seed(15)
    w = torch.randn(3, requires_grad=True)
    optimizer = torch.optim.LBFGS([w], max_iter=4)

    def closure():
        optimizer.zero_grad()
        loss = (w - 1).pow(4).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return [w]


def embedding_and_one_hot():
    torch.manual_seed(16)
    table = nn.Embedding(10, 4, padding_idx=0)
    out = table(torch.tensor([[0, 3], [5, 3]])).sum(1) + F.one_hot(torch.tensor([1, 2]), 4)
    out.pow(2).sum().backward()
    return [out, table.weight]


def complex_numbers():
    torch.manual_seed(17)
    w = torch.randn(8, requires_grad=True)
    out = torch.fft.rfft(w).abs()
    out.sum().backward()
    return [out, w]


def linear_algebra():
    torch.manual_seed(18)
    w = torch.randn(3, 3, requires_grad=True)
    spd = w @ w.T + torch.eye(3)
    out = torch.linalg.cholesky(spd).sum() + torch.linalg.solve(spd, torch.ones(3)).sum() + torch.logdet(spd)
    out.backward()
    return [out, w]


def inference():
    torch.manual_seed(19)
    with torch.inference_mode():
        out = nn.Linear(3, 2)(torch.ones(1, 3)).relu_()
    return [out.clone()]


def random_streams():
    torch.manual_seed(20)
    x = torch.randn(3, requires_grad=True)
    out = F.dropout(x, 0.5) + torch.rand(3) + torch.bernoulli(torch.full((3,), 0.5))
    out.sum().backward()
    return [out, x, torch.randn(3)]


PROGRAMS = {
    **{f"mlp_{act.__name__}_{d}": _mlp(4, d, act) for act in (nn.ReLU, nn.GELU, nn.Sigmoid) for d in (1, 3)},
    **{f"optimizer_{make.__name__}": _optimizer(make) for make in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW,
       torch.optim.RMSprop, torch.optim.Adagrad)},
    "optimizer_momentum": _optimizer(torch.optim.SGD, momentum=0.9, nesterov=True),
    "conv": _conv(lambda: nn.Conv2d(3, 4, 3), nn.ReLU, lambda: nn.MaxPool2d(2)),
    "conv_norm": _conv(lambda: nn.Conv2d(3, 4, 3), lambda: nn.BatchNorm2d(4), lambda: nn.ReLU(inplace=True)),
    "conv_transposed": _conv(lambda: nn.ConvTranspose2d(3, 2, 3), lambda: nn.GroupNorm(2, 2), nn.SiLU),
    "conv_dropout": _conv(lambda: nn.Conv2d(3, 4, 3, padding=1, groups=1), lambda: nn.Dropout2d(0.3)),
    "conv_1d": _conv(lambda: nn.Conv1d(3, 4, 3), nn.Tanh, shape=(2, 3, 9)),
    "rnn": _recurrent(nn.RNN), "gru": _recurrent(nn.GRU, num_layers=2), "lstm": _recurrent(nn.LSTM),
    "lstm_both_ways": _recurrent(nn.LSTM, bidirectional=True),
    "loss_nll": _loss(F.nll_loss, lambda w: w.log_softmax(1), lambda: torch.randint(0, 3, (6,))),
    "loss_bce": _loss(F.binary_cross_entropy, torch.sigmoid, lambda: torch.rand(6, 3)),
    "loss_huber": _loss(F.huber_loss, lambda w: w * 2, lambda: torch.randn(6, 3)),
    "loss_kl": _loss(F.kl_div, lambda w: w.log_softmax(1), lambda: torch.rand(6, 3).softmax(1)),
    "loss_cosine": _loss(lambda a, b: 1 - F.cosine_similarity(a, b).mean(), lambda w: w, lambda: torch.randn(6, 3)),
    "ops_sort": _ops(lambda w: w.sort(dim=1)), "ops_topk": _ops(lambda w: w.topk(2)[0]),
    "ops_split": _ops(lambda w: [p.exp() for p in w.split(2, dim=1)]), "ops_max": _ops(lambda w: w.max(dim=0)[0]),
    "ops_cumsum": _ops(lambda w: w.cumsum(0).tanh()), "ops_where": _ops(lambda w: torch.where(w > 0, w.exp(), w)),
    "ops_index": _ops(lambda w: w[[0, 2]][:, 1:] * w[w > 0].sum()),
    "ops_einsum": _ops(lambda w: torch.einsum("ij,kj->ik", w, w)),
    "ops_logs": _ops(lambda w: w.log() + w.log1p() + w.rsqrt(), positive=True),
    "ops_stack": _ops(lambda w: torch.stack([w, w * 2]).std(0)),
    "ops_double": _ops(lambda w: w.double().pow(3).to(torch.float32)), "ops_half": _ops(lambda w: w.half() * 2),
    "ops_pad": _ops(lambda w: F.pad(w, (1, 1)).roll(1).flip(0)), "ops_scatter": _ops(
        lambda w: torch.zeros(3, 4).scatter_add(1, torch.tensor([[0, 1, 1, 0]] * 3), w)),
    "checkpoint": _checkpointed(reentrant=False), "checkpoint_reentrant": _checkpointed(reentrant=True),
    **{f.__name__: f for f in (
        transformer, attention_by_hand, scaled_dot_product, gan, gradient_penalty, third_derivative, hessian_vector,
        reinforce, q_learning, mixed_precision, tensor_hooks, module_hooks, in_place, views, updates_by_hand,
        custom_function, functional_transforms, accumulated, retained_graph, lbfgs, embedding_and_one_hot,
        complex_numbers, linear_algebra, inference, random_streams,
    )},
}  # fmt: skip
