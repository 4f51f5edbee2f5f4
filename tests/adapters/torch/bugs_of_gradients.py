"""Gradients that are None, and passes that raise: the ways in which PyTorch loses a gradient."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from tests.adapters.torch.catalogue import bug


def data(rows=16, features=4):
    torch.manual_seed(0)
    return torch.randn(rows, features), torch.randn(rows, 1)


@bug(
    "https://github.com/foamliu/InsightFace-v2/issues/21", "element 0 of tensors does not require grad", "requires_grad"
)
def plain_tensor_as_weight():
    x, y = data()
    w = torch.randn(4, 1)
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()  # bug


@bug("https://github.com/weizheliu/People-Flows/issues/7", "element 0 of tensors does not require grad", "no_grad")
def loss_under_no_grad():
    x, y = data()
    model = nn.Linear(4, 1)
    with torch.no_grad():
        out = model(x)  # bug
    loss = F.mse_loss(out, y)
    loss.backward()


@bug("https://github.com/Lavender105/DFF/issues/13", "element 0 of tensors does not require grad", "detach")
def prediction_detached():
    x, y = data()
    model = nn.Linear(4, 1)
    out = model(x).detach()  # bug
    loss = F.mse_loss(out, y)
    loss.backward()


@bug("https://github.com/pytorch/pytorch/issues/6990", "Differences between .data and .detach", ".data")
def hidden_by_data():
    x, y = data()
    encoder, head = nn.Linear(4, 8), nn.Linear(8, 1)
    optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
    hidden = encoder(x).data  # bug
    loss = F.mse_loss(head(hidden), y)
    loss.backward()
    optimizer.step()


@bug("https://github.com/speechbrain/speechbrain/issues/735", "loss=Variable(loss, requires_grad=True)", "torch.tensor")
def loss_wrapped_anew():
    x, y = data()
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss = torch.tensor(loss.item(), requires_grad=True)  # bug
        loss.backward()
        optimizer.step()


@bug("https://github.com/lxztju/pytorch_classification/issues/32", "loss.requires_grad_(True) 不然会报错", "detach")
def loss_required_by_hand():
    x, y = data()
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    out = model(x).detach()  # bug
    loss = F.mse_loss(out, y)
    loss.requires_grad_(True)
    loss.backward()
    optimizer.step()


@bug(
    "https://github.com/ronghuaiyang/arcface-pytorch/issues/56",
    "loss.requires_grad = True and the loss does not fall",
    "argmax",
)
def classes_before_the_loss():
    x, _ = data()
    y = torch.randint(0, 3, (16,)).float()
    model = nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    classes = model(x).argmax(dim=1).float()  # bug
    loss = ((classes - y) ** 2).mean().requires_grad_()
    loss.backward()
    optimizer.step()


@bug("https://github.com/LZGMatrix/BOP19_CDPN_2019ICCV/issues/4", "My loss.backward() can't work", "argmax")
def coordinates_by_argmax():
    x, y = data()
    model = nn.Linear(4, 8)
    place = torch.argmax(model(x), dim=1)  # bug
    loss = (place.float() / 8 - y[:, 0]).abs().mean()
    loss.backward()


@bug("https://github.com/pytorch/pytorch/issues/1339", "Backprop through argmax", "max")
def token_between_two_networks():
    torch.manual_seed(0)
    first, second = nn.Linear(4, 6), nn.Linear(6, 1)
    optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
    scores = first(torch.randn(16, 4))
    tokens = torch.max(scores, 1)[1]  # bug
    loss = second(F.one_hot(tokens, 6).float()).mean()
    loss.backward()
    optimizer.step()


@bug(
    "https://github.com/Ugenteraan/Deep_Hierarchical_Classification/issues/6",
    "Gradient unable to backprop",
    "comparison",
    "sigmoid",
    "compare",
)
def threshold_in_the_loss():
    x, y = data()
    model = nn.Linear(4, 1)
    over = model(x) > 0  # bug
    loss = (over.float() - y).pow(2).mean()
    loss.backward()


@bug(
    "https://androidkt.com/fix-cant-call-numpy-on-tensor-that-requires-grad-use-tensor-detach-numpy-instead/",
    "Can't call numpy() on Tensor that requires grad",
    "torch.exp",
    "torch",
)
def numpy_in_the_middle():
    w = torch.tensor([0.5, -0.3], requires_grad=True)
    h = w * 2
    e = np.exp(h.detach().numpy())  # bug
    loss = (torch.from_numpy(e) * w.detach()).sum()
    try:
        loss.backward()
    except RuntimeError:
        print(w.grad)


@bug(
    "https://deepinout.com/pytorch/pytorch-questions/75_pytorch_runtime_error_element_0_of_tensors_does_not_require_"
    "grad_and_does_not_have_a_grad_fn.html",
    "z = y.item() before backward",
    "item",
)
def item_in_the_loss():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.sin(w).sum()
    z = torch.tensor(y.item() * 2)  # bug
    z.backward()


@bug(
    "https://github.com/pytorch/pytorch/pull/30531",
    "Add useful warnings for t.grad when it won't be populated",
    "retain_grad",
)
def grad_of_a_result():
    x = torch.ones(3, requires_grad=True)
    h = x * 3
    h.pow(2).sum().backward()
    print(h.grad)  # bug


@bug(
    "https://github.com/pytorch/pytorch/issues/3890",
    "requires_grad cannot be set to True for non-leaf nodes",
    "leaf",
    "requires_grad_()",
)
def scaled_after_creation():
    w = torch.randn(3, requires_grad=True) * 0.01  # bug
    x = torch.arange(3.0)
    loss = (w * x).sum()
    loss.backward()
    print(w.grad)


@bug("https://github.com/BaiTheBest/SparseLLM/issues/13", "How to fix this problem?", "no_grad")
def update_in_place_of_a_leaf():
    w = torch.ones(3, requires_grad=True)
    (w * 2).sum().backward()
    w -= 0.1 * w.grad  # bug


@bug("https://airoads.org/ch06-deep-learning/ch02-pytorch/02-autograd/", "Gradient is not the update", "no_grad")
def leaf_replaced_by_expression():
    w = torch.ones(3, requires_grad=True)
    for _ in range(2):
        loss = (w * 2).pow(2).sum()
        loss.backward()
        if w.grad is None:
            break
        w = w - 0.1 * w.grad  # bug


@bug("https://github.com/pytorch/examples/pull/779", "Fix grad in-place operation", "no_grad")
def parameters_added_to():
    x, y = data()
    model = nn.Linear(4, 1)
    F.mse_loss(model(x), y).backward()
    for p in model.parameters():
        p.add_(p.grad, alpha=-0.1)  # bug


@bug("https://github.com/Atcold/NYU-DLSP20/issues/765", "a view of a leaf Variable that requires grad", "no_grad")
def position_table_filled():
    table = nn.Parameter(torch.zeros(6, 4))
    table[:, 0::2] = torch.sin(torch.arange(12.0)).reshape(6, 2)  # bug


@bug(
    "https://github.com/karpathy/nn-zero-to-hero/issues/31",
    "Trying to backward through the graph a second time",
    "retain_graph",
    "again",
)
def backward_twice():
    x = torch.ones(3, requires_grad=True)
    loss = (x.exp() * 2).sum()
    loss.backward()
    loss.backward()  # bug


@bug("https://github.com/quark0/darts/issues/56", "why only loss.backward(retain_graph=True) can run", "detach")
def state_kept_between_batches():
    torch.manual_seed(0)
    cell = nn.RNNCell(3, 5)
    state = torch.zeros(2, 5)
    for _ in range(2):
        state = cell(torch.randn(2, 3), state)
        state.pow(2).sum().backward()  # bug


@bug("https://github.com/MorvanZhou/PyTorch-Tutorial/issues/57", "question about h_state = h_state.data", "detach")
def lstm_state_of_the_last_batch():
    torch.manual_seed(0)
    rnn, head = nn.GRU(3, 4, batch_first=True), nn.Linear(4, 1)
    optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()])
    state = None
    for _ in range(2):
        out, state = rnn(torch.randn(2, 5, 3), state)
        loss = head(out).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()  # bug
        optimizer.step()


@bug("https://github.com/davda54/sam/issues/45", "Trying to backward through the graph a second time", "again")
def one_output_for_two_losses():
    x, y = data()
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    out = model(x)
    F.mse_loss(out, y).backward()
    F.l1_loss(out, y).backward()  # bug


@bug(
    "https://github.com/pytorch/pytorch/issues/5687",
    "ReLU(inplace=True) seems something wrong internal",
    "+=",
    "out of place",
    "= ",
)
def residual_added_in_place():
    x = torch.randn(4, requires_grad=True)
    h = torch.sigmoid(x * 2)
    h += x  # bug
    h.sum().backward()


@bug("https://github.com/argusswift/YOLOv4-pytorch/issues/247", "out += residual", "out of place", "= ")
def output_of_exp_changed():
    w = torch.randn(4, requires_grad=True)
    e = torch.exp(w)
    scaled = e * 2
    e.mul_(0.5)  # bug
    (scaled + e).sum().backward()


@bug("https://github.com/AggMan96/RK-Net/issues/9", "att[:, :, :, 0] = 0", "clone")
def border_set_to_zero():
    w = torch.randn(3, 3, requires_grad=True)
    att = torch.sigmoid(w)
    att[:, 0] = 0  # bug
    att.sum().backward()


@bug("https://github.com/lyongo/NWPU-MOC/issues/4", "gradient computation problems", "out of place", "= ")
def pyramid_levels_added():
    torch.manual_seed(0)
    laterals = [torch.relu(torch.randn(1, 1, 2, 2, requires_grad=True)), torch.randn(1, 1, 1, 1, requires_grad=True)]
    squared = laterals[0] ** 2
    laterals[0] += F.interpolate(laterals[1], size=(2, 2))  # bug
    (squared.sum() + laterals[0].sum()).backward()


@bug(
    "https://discuss.pytorch.org/t/when-inplace-operation-are-allowed-and-when-not/169583/3",
    "When inplace operation are allowed",
    "out of place",
    "clone",
)
def step_between_two_passes():
    x, y = data()
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = F.mse_loss(model(x), y)
    loss.backward(retain_graph=True)
    optimizer.step()  # bug
    loss.backward()


@bug(
    "https://github.com/pytorch/pytorch/issues/666",
    "nn.Module not importing parameters contained in lists",
    "ModuleList",
)
def layers_in_a_list():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = [nn.Linear(4, 4), nn.Linear(4, 4)]
            self.head = nn.Linear(4, 1)

        def forward(self, x):
            for layer in self.layers:
                x = torch.relu(layer(x))  # bug
            return self.head(x)

    x, y = data()
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()


@bug("https://github.com/pytorch/pytorch/issues/1291", "list(model.parameters()) behaves differently", "__init__")
def layer_made_in_forward():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.head = nn.Linear(8, 1)

        def forward(self, x):
            h = nn.Linear(4, 8)(x)  # bug
            return self.head(torch.relu(h))

    x, y = data()
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()


@bug("https://github.com/lanlan96/ARM3D/issues/1", "torch.argmax cannot backpropogate", "round")
def rounded_counts():
    x, y = data()
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    counts = torch.round(model(x)).int()  # bug
    loss = (counts.float() - y).abs().mean().requires_grad_()
    loss.backward()
    optimizer.step()
