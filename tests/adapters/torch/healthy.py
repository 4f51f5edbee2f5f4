"""Programs in which nothing is wrong: of each the verdicts have to be silent."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from tests.adapters.torch.catalogue import sound


def data(rows=16, features=4):
    torch.manual_seed(0)
    return torch.randn(rows, features), torch.randn(rows, 1)


def trained(model, x, y, loss_of=F.mse_loss, steps=4, optimizer=None):
    optimizer = optimizer or torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of(model(x), y)
        loss.backward()
        optimizer.step()
    return model


@sound
def linear_regression():
    x, y = data()
    trained(nn.Linear(4, 1), x, y)


@sound
def two_layers_with_adam():
    x, y = data()
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    trained(model, x, y, optimizer=torch.optim.Adam(model.parameters()))


@sound
def classifier():
    x, _ = data()
    trained(nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3)), x, torch.randint(0, 3, (16,)), F.cross_entropy)


@sound
def binary_classifier():
    x, y = data()
    trained(nn.Linear(4, 1), x, (y > 0).float(), F.binary_cross_entropy_with_logits)


@sound
def hand_written_descent():
    x, y = data()
    w = torch.randn(4, 1, requires_grad=True)
    for _ in range(4):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.05 * w.grad
            w.grad.zero_()


@sound
def hand_written_descent_by_grad():
    x, y = data()
    w = torch.randn(4, 1, requires_grad=True)
    for _ in range(4):
        loss = ((x @ w - y) ** 2).mean()
        (g,) = torch.autograd.grad(loss, [w])
        w.data.sub_(0.05 * g)


@sound
def gradients_summed_over_batches():
    x, y = data()
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(3):
        optimizer.zero_grad()
        for part, target in zip(x.split(8), y.split(8), strict=True):
            (F.mse_loss(model(part), target) / 2).backward()
        optimizer.step()


@sound
def convolutions():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 2))
    trained(model, torch.randn(8, 1, 8, 8), torch.randint(0, 2, (8,)), F.cross_entropy)


@sound
def batch_norm_and_dropout():
    x, y = data()
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 1))
    trained(model, x, y)
    model.eval()
    with torch.no_grad():
        model(x)


@sound
def frozen_encoder():
    x, y = data()
    encoder, head = nn.Linear(4, 8), nn.Linear(8, 1)
    encoder.requires_grad_(False)
    model = nn.Sequential(encoder, nn.ReLU(), head)
    trained(model, x, y, optimizer=torch.optim.SGD(head.parameters(), lr=0.05))


@sound
def recurrent():
    torch.manual_seed(0)
    rnn, head = nn.GRU(3, 6, batch_first=True), nn.Linear(6, 1)
    optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()])
    for _ in range(3):
        out, _ = rnn(torch.randn(4, 5, 3))
        loss = head(out[:, -1]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@sound
def truncated_backpropagation():
    torch.manual_seed(0)
    cell, state = nn.RNNCell(3, 5), torch.zeros(2, 5)
    optimizer = torch.optim.SGD(cell.parameters(), lr=0.05)
    for _ in range(3):
        state = cell(torch.randn(2, 3), state.detach())
        loss = state.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@sound
def adversarial():
    torch.manual_seed(0)
    g, d = nn.Linear(2, 3), nn.Linear(3, 1)
    of_g, of_d = torch.optim.Adam(g.parameters()), torch.optim.Adam(d.parameters())
    for _ in range(3):
        fake = g(torch.randn(8, 2))
        loss_d = F.softplus(-d(torch.randn(8, 3))).mean() + F.softplus(d(fake.detach())).mean()
        of_d.zero_grad()
        loss_d.backward()
        of_d.step()
        loss_g = F.softplus(-d(fake)).mean()
        of_g.zero_grad()
        loss_g.backward()
        of_g.step()


@sound
def gradient_penalty():
    torch.manual_seed(0)
    critic = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(critic.parameters())
    for _ in range(3):
        x = torch.randn(8, 3, requires_grad=True)
        score = critic(x)
        (slope,) = torch.autograd.grad(score.sum(), x, create_graph=True)
        loss = score.mean() + (slope.norm(dim=1) - 1).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@sound
def policy_gradient():
    torch.manual_seed(0)
    policy = nn.Linear(4, 2)
    optimizer = torch.optim.Adam(policy.parameters())
    for _ in range(3):
        logits = policy(torch.randn(10, 4))
        actions = torch.multinomial(logits.detach().softmax(1), 1)
        chosen = logits.log_softmax(1).gather(1, actions)[:, 0]
        loss = -(chosen * torch.randn(10)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@sound
def target_network():
    torch.manual_seed(0)
    q, target = nn.Linear(3, 2), nn.Linear(3, 2)
    target.load_state_dict(q.state_dict())
    optimizer = torch.optim.Adam(q.parameters())
    for _ in range(3):
        s, s2, r = torch.randn(6, 3), torch.randn(6, 3), torch.randn(6)
        with torch.no_grad():
            goal = r + 0.9 * target(s2).max(1).values
        loss = F.smooth_l1_loss(q(s)[:, 0], goal)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@sound
def autoencoder():
    torch.manual_seed(0)
    x = torch.rand(8, 6)
    trained(nn.Sequential(nn.Linear(6, 3), nn.ReLU(), nn.Linear(3, 6)), x, x)


@sound
def attention():
    torch.manual_seed(0)
    q, k, v = (nn.Linear(4, 4) for _ in range(3))
    optimizer = torch.optim.Adam([p for m in (q, k, v) for p in m.parameters()])
    for _ in range(3):
        x = torch.randn(2, 5, 4)
        weights = (q(x) @ k(x).transpose(1, 2) / 2.0).softmax(-1)
        loss = (weights @ v(x)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@sound
def transformer_layer():
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    trained(layer, torch.randn(2, 5, 8), torch.randn(2, 5, 8), steps=2)


@sound
def embedding_average():
    torch.manual_seed(0)
    table, head = nn.Embedding(20, 6), nn.Linear(6, 2)
    optimizer = torch.optim.Adam([*table.parameters(), *head.parameters()])
    for _ in range(3):
        loss = F.cross_entropy(head(table(torch.randint(0, 20, (8, 5))).mean(1)), torch.randint(0, 2, (8,)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@sound
def lbfgs_with_closure():
    x, y = data()
    model = nn.Linear(4, 1)
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        return loss

    optimizer.step(closure)


@sound
def clipped_gradients():
    x, y = data()
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(3):
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


@sound
def scheduled_rate():
    x, y = data()
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.9)
    for _ in range(3):
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
        schedule.step()


@sound
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

    x = torch.randn(3, requires_grad=True)
    Cube.apply(x).sum().backward()
    print(x.grad)


@sound
def straight_through():
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(3):
        soft = model(torch.randn(8, 4)).sigmoid()
        hard = soft + (soft.round() - soft).detach()
        loss = (hard - 1).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@sound
def checkpointed():
    from torch.utils.checkpoint import checkpoint

    x, y = data()
    first, last = nn.Sequential(nn.Linear(4, 8), nn.Tanh()), nn.Linear(8, 1)
    optimizer = torch.optim.SGD([*first.parameters(), *last.parameters()], lr=0.05)
    for _ in range(2):
        loss = F.mse_loss(last(checkpoint(first, x, use_reentrant=False)), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@sound
def autocast():
    x, y = data()
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(2):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = model(x)
        loss = F.mse_loss(out.float(), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@sound
def masked_by_where():
    x = torch.tensor([-1.0, 4.0], requires_grad=True)
    safe = torch.where(x > 0, x, torch.ones_like(x))
    torch.where(x > 0, torch.sqrt(safe), x).sum().backward()


@sound
def in_place_on_fresh_memory():
    w = torch.randn(3, requires_grad=True)
    out = torch.zeros(2, 3)
    out[0] = w * 2
    out[1] = w * 3
    out.sum().backward()


@sound
def in_place_relu():
    x, y = data()
    trained(nn.Sequential(nn.Linear(4, 8), nn.ReLU(inplace=True), nn.Linear(8, 1)), x, y)


@sound
def retained_gradient():
    x = torch.ones(3, requires_grad=True)
    h = x * 3
    h.retain_grad()
    h.pow(2).sum().backward()
    print(h.grad)


@sound
def two_losses_of_one_graph():
    x = torch.ones(3, requires_grad=True)
    h = x.exp()
    h.sum().backward(retain_graph=True)
    h.pow(2).sum().backward()


@sound
def hooks():
    x = torch.ones(3, requires_grad=True)
    h = x * 2
    h.register_hook(lambda g: g * 0.5)
    h.pow(2).sum().backward()


@sound
def jacobian_row_by_row():
    x = torch.randn(3, requires_grad=True)
    y = torch.tanh(x * 2)
    for at in range(3):
        torch.autograd.grad(y[at], x, retain_graph=True)


@sound
def functional_gradient():
    def f(x):
        return (x**2).sum()

    torch.func.grad(f)(torch.ones(3))
    torch.func.vmap(f)(torch.ones(2, 3))


@sound
def inference_only():
    x, _ = data()
    with torch.inference_mode():
        nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))(x)


@sound
def evaluation_after_training():
    x, y = data()
    model = trained(nn.Linear(4, 1), x, y)
    with torch.no_grad():
        error = (model(x) - y).abs().mean().item()
    print(round(error, 3))


@sound
def input_optimized():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)).requires_grad_(False)
    x = torch.randn(1, 4, requires_grad=True)
    optimizer = torch.optim.Adam([x], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (model(x) - 1).pow(2).mean().backward()
        optimizer.step()


@sound
def weight_decay_by_hand():
    x, y = data()
    model = nn.Linear(4, 1)
    trained(
        model, x, y, lambda out, goal: F.mse_loss(out, goal) + 0.01 * sum(p.pow(2).sum() for p in model.parameters())
    )


@sound
def average_of_weights():
    x, y = data()
    model, average = nn.Linear(4, 1), nn.Linear(4, 1).requires_grad_(False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(3):
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
        with torch.no_grad():
            for mean, p in zip(average.parameters(), model.parameters(), strict=True):
                mean.mul_(0.9).add_(p, alpha=0.1)


def normalized(norm, act=nn.SiLU):
    """Convolutions whose bias does not count: what it adds is subtracted with the mean."""
    torch.manual_seed(0)
    layers = [nn.Conv2d(3, 8, 3, padding=1), norm(), act(), nn.Conv2d(8, 8, 3, padding=1), norm(), act()]
    model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3))
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    trained(model, torch.randn(4, 3, 24, 24), torch.randint(0, 3, (4,)), F.cross_entropy, 3, optimizer)


@sound
def bias_before_a_group_norm_of_single_channels():
    normalized(lambda: nn.GroupNorm(8, 8))


@sound
def bias_before_instance_norm():
    normalized(lambda: nn.InstanceNorm2d(8), nn.ReLU)


@sound
def bias_before_batch_norm():
    normalized(lambda: nn.BatchNorm2d(8), nn.Tanh)


@sound
def shift_before_layer_norm():
    torch.manual_seed(0)
    first, norm, head = nn.Linear(4, 8), nn.LayerNorm(8), nn.Linear(8, 2)
    shift = nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([shift, *first.parameters(), *norm.parameters(), *head.parameters()], lr=0.05)
    x, y = torch.randn(8, 4), torch.randint(0, 2, (8,))
    for _ in range(3):
        loss = F.cross_entropy(head(torch.relu(norm(first(x) + shift))), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
