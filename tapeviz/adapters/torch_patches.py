"""What of PyTorch no mode sees: calls of modules, steps of optimizers, functions of the user's, arrays that come in.

Each is a function of PyTorch's that is another one while something is recorded, and itself again afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from time import perf_counter
from typing import Any
from weakref import WeakKeyDictionary

import torch

from tapeviz.adapters.replacement import replaced
from tapeviz.adapters.torch_collectives import seeing_collectives
from tapeviz.adapters.torch_nodes import sequence_number
from tapeviz.adapters.torch_ops import op_of, update_of
from tapeviz.adapters.torch_tensors import tensors_in, version_of

__all__ = ["patched"]


@contextmanager
def patched(recorder: Any) -> Iterator[None]:
    """Let a recorder see these as long as the block runs."""
    with ExitStack() as exits:
        for owner, name, made in (
            (torch.nn.Module, "__call__", _module_call),
            (torch.autograd.Function, "apply", _apply),
            (torch, "from_numpy", _from_array),
            (torch, "as_tensor", _from_array),
            (torch.optim.Optimizer, "zero_grad", _zero_grad),
        ):
            exits.enter_context(replaced(owner, name, made(recorder, owner.__dict__[name])))
        for kind in _optimizers():
            exits.enter_context(replaced(kind, "step", _step(recorder, kind.__dict__["step"])))
        exits.enter_context(seeing_collectives(recorder))
        stance = getattr(torch.compiler, "set_stance", None)
        if stance is not None and "torch._dynamo" in __import__("sys").modules:
            exits.enter_context(stance("force_eager"))
        yield


def _optimizers() -> list[Any]:
    """The classes of optimizers that have a step of their own."""
    found, waiting = [], [torch.optim.Optimizer]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if "step" in kind.__dict__ and kind is not torch.optim.Optimizer:
            found.append(kind)
    return list(dict.fromkeys(found))


def _module_call(recorder: Any, call: Callable[..., Any]) -> Callable[..., Any]:
    """A module's call is a span, by the name that it has in the module around it."""
    around: list[Any] = []
    paths: WeakKeyDictionary[Any, dict[int, str]] = WeakKeyDictionary()

    def path(module: Any, name: str) -> str:
        """Its name where a list or a dictionary of modules, which is not called, stands between."""
        known = paths.get(around[-1])
        if known is None or id(module) not in known:
            known = paths[around[-1]] = {id(part): key for key, part in around[-1].named_modules()}
        return known.get(id(module), name)

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807 - it takes the place of that method
        if recorder.quiet:
            return call(self, *args, **kwargs)
        name = type(self).__name__
        if around:
            name = next((key for key, part in around[-1]._modules.items() if part is self), None) or path(self, name)
        else:
            recorder.module_called(self)
        facts = {"class": type(self).__name__, "training": self.training}
        token, raised = recorder.on_span_begin("layer", name, facts), None
        around.append(self)
        try:
            return call(self, *args, **kwargs)
        except BaseException as error:
            raised = error
            raise
        finally:
            around.pop()
            recorder.on_span_end(token, raised)
            if not around:
                recorder.names.settle()

    return __call__


def _step(recorder: Any, step: Callable[..., Any]) -> Callable[..., Any]:
    """An optimizer's step is an op for each parameter that it changes, from the value before and the gradient."""

    def stepped(self: Any, *args: Any, **kwargs: Any) -> Any:
        if recorder.quiet:
            return step(self, *args, **kwargs)
        tensors, site = recorder.tensors, recorder.site_above()
        token = recorder.on_span_begin("step", type(self).__name__, {})
        began: list[float] = []
        args, kwargs = _heard(recorder, args, kwargs, began)
        recorder.quiet += 1
        parameters = [p for group in self.param_groups for p in group["params"] if isinstance(p, torch.Tensor)]
        recorder.passes.stepped(parameters)
        recorder.names.settle()
        read = [
            (p, [tensors.number(p), *([] if p.grad is None else [tensors.number(p.grad)])], version_of(p))
            for p in parameters
        ]
        began.append(perf_counter())
        raised = None
        try:
            result = step(self, *args, **kwargs)
        except BaseException as error:
            raised = error
            raise
        finally:
            if raised is None:
                _note_updates(recorder, type(self).__name__, read, began[-1], site)
            recorder.quiet -= 1
            recorder.on_span_end(token, raised)
        return result

    # What PyTorch asks of a step that it wraps itself, such as its hooks.
    stepped.__dict__.update(getattr(step, "__dict__", {}))
    return stepped


def _note_updates(recorder: Any, name: str, read: list[Any], t0: float, site: Any) -> None:
    """An op for each parameter that changed. The step's time is theirs in equal parts: it is not known apart."""
    changed = [(parameter, numbers) for parameter, numbers, version in read if version_of(parameter) != version]
    op, part = update_of(name), (perf_counter() - t0) / max(1, len(changed))
    for place, (parameter, numbers) in enumerate(changed):
        recorder.note(op, numbers, parameter, t0 + place * part, t0 + (place + 1) * part, site=site)


def _heard(recorder: Any, args: Any, kwargs: Any, ended: list[float]) -> tuple[Any, Any]:
    """Arguments whose closure, which computes the loss, is recorded, with when its calls ended: updates come after."""

    def heard(closure: Any) -> Any:
        def closed(*inner: Any) -> Any:
            before, recorder.quiet = recorder.quiet, 0
            try:
                return closure(*inner)
            finally:
                recorder.quiet = before
                ended.append(perf_counter())

        return closed if callable(closure) else closure

    if args:
        return (heard(args[0]), *args[1:]), kwargs
    return args, {key: heard(value) if key == "closure" else value for key, value in kwargs.items()}


def _zero_grad(recorder: Any, zero: Callable[..., Any]) -> Callable[..., Any]:
    """Gradients that begin anew: of those kept as zeros the recording has a new value when they are read next."""

    def zero_grad(self: Any, *args: Any, **kwargs: Any) -> Any:
        recorder.quiet += 1
        try:
            return zero(self, *args, **kwargs)
        finally:
            recorder.quiet -= 1

    return zero_grad


def _apply(recorder: Any, apply: Any) -> Any:
    """A function with a gradient of the user's own is one op."""
    inner = apply.__func__

    def applied(cls: Any, *args: Any, **kwargs: Any) -> Any:
        if recorder.quiet:
            return inner(cls, *args, **kwargs)
        recorder.quiet += 1
        ids = [recorder.tensors.number(tensor) for tensor in tensors_in((args, kwargs))]
        first, t0 = sequence_number(), perf_counter()
        try:
            result = inner(cls, *args, **kwargs)
        finally:
            recorder.quiet -= 1
        t1, outputs = perf_counter(), tensors_in((result,))
        name = getattr(cls, "__name__", "apply")
        numbers = []
        for output in outputs:
            differentiable = output.requires_grad or not any(t.requires_grad for t in tensors_in((args,)))
            op = op_of(name, differentiable=differentiable)
            numbers.append(recorder.note(op, ids, output, t0, t1))
        if (after := sequence_number()) > first and numbers:
            recorder.nodes.add(first, after, tuple(numbers), ids)
        return result

    return classmethod(applied)


def _from_array(recorder: Any, make: Callable[..., Any]) -> Callable[..., Any]:
    """A tensor that shares an array's memory."""

    def made(data: Any, *args: Any, **kwargs: Any) -> Any:
        tensor = make(data, *args, **kwargs)
        if not recorder.quiet and hasattr(data, "__array_interface__") and not isinstance(data, torch.Tensor):
            recorder.on_host_in(tensor, data)
        return tensor

    return made
