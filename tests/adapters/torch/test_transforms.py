"""Programs inside the transforms of ``torch.func``: ops, elements, gradients and names, and what is said of them."""

from __future__ import annotations

import json

import pytest
import torch
from torch.func import (
    functional_call,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    stack_module_state,
    vjp,
    vmap,
)

import tapeviz

X = torch.randn(4, 3, generator=torch.Generator().manual_seed(1))
W = torch.randn(3, generator=torch.Generator().manual_seed(2))


def loss(w, x):
    h = torch.tanh(w * x)
    return h.sum()


def net():
    torch.manual_seed(3)
    return torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Tanh(), torch.nn.Linear(5, 1))


def mean_square(model, parameters, x):
    return functional_call(model, parameters, (x,)).pow(2).mean()


def adapted(model, parameters, x):
    """One step of gradient descent, then the loss: its gradient is what learning to learn takes."""
    gradients = grad(lambda those: mean_square(model, those, x))(parameters)
    return mean_square(model, {name: value - 0.1 * gradients[name] for name, value in parameters.items()}, x)


def learning_to_learn():
    model = net()
    parameters = {name: value.detach() for name, value in model.named_parameters()}
    for _ in range(2):
        gradients, _value = grad_and_value(
            lambda those: vmap(lambda x: adapted(model, those, x))(X.reshape(2, 2, 3)).mean()
        )(parameters)
        parameters = {name: value - 0.1 * gradients[name] for name, value in parameters.items()}
    return parameters


def ensemble():
    models = [torch.nn.Linear(3, 2) for _ in range(3)]
    parameters, buffers = stack_module_state(models)
    base = models[0]
    out = vmap(lambda p, b: functional_call(base, (p, b), (X,)))(parameters, buffers)
    out.sum().backward()
    return [parameters["weight"].grad]


def descent():
    w = W
    for _ in range(3):
        w = w - 0.1 * grad(loss)(w, X[0])
    return w


TRANSFORMED = {
    "grad": lambda: grad(loss)(W, X[0]),
    "per_sample": lambda: vmap(grad(loss), (None, 0))(W, X),
    "of_module": lambda: grad(mean_square, 1)(net(), dict(net().named_parameters()), X),
    "twice": lambda: grad(lambda w: grad(loss)(w, X[0]).pow(2).sum())(W),
    "in_a_loop": descent,
    "through_a_loop": lambda: grad(lambda w: loss(w - grad(loss)(w, X[0]), X[1]))(W),
    "jacrev": lambda: jacrev(lambda w: torch.tanh(w * X[0]))(W),
    "jacfwd": lambda: jacfwd(lambda w: torch.tanh(w * X[0]))(W),
    "hessian": lambda: hessian(lambda w: loss(w, X[0]))(W),
    "jvp": lambda: jvp(lambda w: loss(w, X[0]), (W,), (W,)),
    "vjp": lambda: vjp(lambda w: w.exp(), W)[1](W),
    "along_other_dimensions": lambda: vmap(vmap(torch.mul, (0, 1)), (2, 1), 1)(
        torch.ones(3, 2, 4), torch.ones(2, 4, 3) * 2
    ),
    "in_place": lambda: vmap(lambda x: x.clone().mul_(2).add_(x))(X),
    "several_outputs": lambda: vmap(lambda x: x.sort().values)(X),
    "learning_to_learn": learning_to_learn,
    "ensemble": ensemble,
}


def plain(result):
    """The tensors of a result."""
    if isinstance(result, torch.Tensor):
        return [result]
    return [tensor for each in (result.values() if isinstance(result, dict) else result) for tensor in plain(each)]


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")  # PyTorch's own, from forward derivatives
@pytest.mark.parametrize("name", TRANSFORMED)
@pytest.mark.parametrize("values", ["none", "all"])
def test_results_are_the_same_and_every_tensor_is_whole(name, values):
    torch.manual_seed(0)
    wanted = plain(TRANSFORMED[name]())
    torch.manual_seed(0)
    with tapeviz.record(framework="torch", values=values) as tape:
        got = plain(TRANSFORMED[name]())
    assert all(torch.equal(a, b) for a, b in zip(wanted, got, strict=True))
    assert tape.recording.problem is None
    assert len(tape.events) > 0
    assert not tape.verdicts()
    empty = {event.id for event in tape.events if event.op >= 0 and tape.ops[event.op].name == "empty"}
    for row in tape.tensors if values == "all" else ():
        if row.producer not in empty:
            assert list(tape.elements(row.id).shape) == json.loads(tape.recording.strings.text[row.shape])


def recorded(program):
    with tapeviz.record(framework="torch", values="all") as tape:
        program()
    return tape


def elements_of(tape, op, phase=0):
    """The elements of what the first op of a name gave, forward or (1) backward."""
    event = next(e for e in tape.events if e.op >= 0 and tape.ops[e.op].name == op and e.phase == phase)
    return [tape.elements(t.id) for t in tape.tensors if t.producer == event.id]


def test_elements_are_those_of_all_examples():
    tape = recorded(lambda: vmap(grad(loss), (None, 0))(W, X))
    (h,) = elements_of(tape, "tanh")
    assert h.tolist() == torch.tanh(W * X).tolist()
    assert any(torch.allclose(torch.tensor(g), (1 - torch.tanh(W * X) ** 2) * X) for g in elements_of(tape, "mul", 1))


def test_what_a_transform_is_given_is_what_the_user_has():
    def program():
        x = X * 2
        return vmap(lambda row: row.exp())(x)

    tape = recorded(program)
    made = {tape.ops[e.op].name: e.id for e in tape.events if e.op >= 0}
    of_exp = [edge.tensor for edge in tape.edges if edge.event == made["exp"] and edge.role == 0]
    assert [t.producer for t in tape.tensors if t.id in of_exp] == [made["mul"]]


def test_gradient_of_a_transform_goes_on():
    def program():
        g = grad(loss)(W, X[0])
        return g * 2

    tape = recorded(program)
    last = tape.events[-1]
    read = [edge.tensor for edge in tape.edges if edge.event == last.id and edge.role == 0]
    (row,) = [t for t in tape.tensors if t.id in read]
    assert tape.events.phase[list(tape.events.id).index(row.producer)] == 1


def test_parameters_are_called_by_their_keys():
    def program():
        parameters = {"slope": W, "shift": torch.ones(3)}
        return grad(lambda p: loss(p["slope"], X[0] + p["shift"]))(parameters)

    assert set(recorded(program).variables.name) == {"slope", "shift"}


def test_parameters_of_a_module_keep_their_names():
    model = net()
    tape = recorded(lambda: grad(lambda p: mean_square(model, p, X))(dict(model.named_parameters())))
    assert {name.removeprefix("model.") for name in tape.variables.name} == {n for n, _ in model.named_parameters()}


@pytest.mark.parametrize("transform", [grad, lambda f: vmap(grad(f))], ids=["grad", "per sample"])
def test_first_nan_is_found_inside(transform):
    def bad(x):
        y = x - 100
        return torch.log(y).sum()

    tape = recorded(lambda: transform(bad)(X))
    (verdict,) = tape.verdicts()
    assert "log made NaN" in verdict.text


def test_an_error_inside_leaves_nothing_behind():
    def wrong(x):
        return torch.matmul(x, torch.ones(7)).sum()

    with pytest.raises(RuntimeError, match=r"size|shape"), tapeviz.record(framework="torch"):
        vmap(grad(wrong))(X)
    assert not torch._C._are_functorch_transforms_active()
    assert grad(loss)(W, X[0]).shape == W.shape
