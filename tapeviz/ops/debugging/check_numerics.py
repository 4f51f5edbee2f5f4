"""Values that are not numbers, found where they arise."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tapeviz.backends import backend_of
from tapeviz.engine import rules
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import floats
from tapeviz.engine.state import active, local
from tapeviz.engine.tensor import wrap
from tapeviz.engine.types import FLOATS

__all__ = ["assert_all_finite", "check_numerics", "disable_check_numerics", "enable_check_numerics"]


def _checked(xp: Any, x: Any, *, message: str) -> Any:
    if not xp.isfinite(x).all():
        found = [word for word, is_found in (("Inf", xp.isinf(x).any()), ("NaN", xp.isnan(x).any())) if is_found]
        raise InvalidArgumentError(f"{message} : Tensor had {' and '.join(found)} values")
    return x


_check_numerics = op(
    "check_numerics",
    doc="The values as they are, if all are finite numbers; an error otherwise.",
    family="control",
    forward=_checked,
    infer=rules.elementwise,
    types=FLOATS,
    vjp={"x": lambda F, g: F.check_numerics(g, message="Not a number (NaN) or infinity (Inf) values in gradient.")},
    formula=r"y_i = x_i,\; |x_i| < \infty",
    vjp_formula=(r"\bar x_i = \bar y_i",),
    samples=floats(message="here"),
    aliases="x",
    traits="moves",
)


def check_numerics(tensor: Any, message: str, name: str | None = None) -> Any:
    """``tensor``, if all its elements are finite numbers. Its gradient is checked likewise.

    Args:
        tensor: floating-point numbers.
        message: what to say first when not.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: an element is nan or infinite.

    >>> import tapeviz as tf
    >>> tf.debugging.check_numerics([1.0, 2.0], "a loss").numpy()
    array([1., 2.], dtype=float32)
    """
    return _check_numerics.run(convert_to_tensor(tensor), str(message))


def assert_all_finite(x: Any, message: str, name: str | None = None) -> Any:
    """``x``, if all its elements are finite numbers: :func:`check_numerics`.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_all_finite([1.0, 2.0], "a loss").numpy()
    array([1., 2.], dtype=float32)
    """
    return check_numerics(x, message)


_PASSING: Final = frozenset({"shape", "indexing", "variable", "control", "random"})
"""Families of ops that give what they got: what is wrong in it was found before, or was there from the start."""


class _Guard:
    """An observer that looks at results, and calls the observer that was there before, if any."""

    runs_nodes = True

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.thread = threading.get_ident()

    def __getattr__(self, name: str) -> Any:
        return _ignore if self.inner is None else getattr(self.inner, name)

    def on_op(self, op: Any, inputs: Sequence[Any], output: Any, *rest: Any) -> None:
        """An op ran, or a node of a graph."""
        if self.inner is not None:
            self.inner.on_op(op, inputs, output, *rest)
        _look(op, inputs, output)

    def on_unary_op(self, op: Any, x: Any, i: int, number: int, array: Any, output: Any, *rest: Any) -> None:
        """An op of one input ran."""
        if self.inner is not None:
            self.inner.on_unary_op(op, x, i, number, array, output, *rest)
        _look(op, (x,), output)

    def on_binary_op(  # the observer's interface
        self, op: Any, x: Any, y: Any, i: int, j: int, number: int, array: Any, output: Any, *rest: Any
    ) -> None:
        """An op of two inputs ran."""
        if self.inner is not None:
            self.inner.on_binary_op(op, x, y, i, j, number, array, output, *rest)
        _look(op, (x, y), output)

    def on_addend(self, contribution: tuple[Any, Any]) -> None:
        """A backward step made a contribution to a gradient."""
        if self.inner is not None and self.inner.on_addend is not None:
            self.inner.on_addend(contribution)
        addend = wrap(contribution[0])
        if (counts := _counts(addend)) is not None:
            raise InvalidArgumentError(_report("a gradient", 1, 0, addend, counts, ()))


def _ignore(*_args: Any, **_kwargs: Any) -> None:
    """What nobody wants to know."""


def _look(op: Any, inputs: Sequence[Any], output: Any) -> None:
    if op.family in _PASSING and op.name != "cast":
        return
    outputs = output if output.__class__ is tuple else (output,)
    for position, tensor in enumerate(outputs):
        if (counts := _counts(tensor)) is not None:
            what = f'eagerly-executing op "{op.tf_name}"'
            raise InvalidArgumentError(_report(what, len(outputs), position, tensor, counts, inputs), op.name)


def _counts(tensor: Any) -> tuple[int, int, int] | None:
    """How many elements are -Inf, +Inf and NaN; None when there are none."""
    if not tensor.dtype.is_differentiable:
        return None
    xp = backend_of(tensor._a).xp
    if xp.isfinite(tensor._a).all():
        return None
    host = tensor._host()
    real = np.concatenate([host.real.ravel(), host.imag.ravel()]) if tensor.dtype.is_complex else host
    infinite = np.isinf(real)
    below, above = int((infinite & (real < 0)).sum()), int((infinite & (real > 0)).sum())
    return below, above, int(np.isnan(real).sum())


def _report(
    what: str, many: int, position: int, tensor: Any, counts: tuple[int, int, int], inputs: Sequence[Any]
) -> str:
    found = [(word, count) for word, count in zip(("-Inf", "+Inf", "NaN"), counts, strict=True) if count]
    lines = [
        f"\n\n!!! Detected Infinity or NaN in output {position} of {what} (# of outputs: {many}) !!!",
        f"  dtype: {tensor.dtype}",
        f"  shape: {tensor.shape}",
        *(f"  # of {'+NaN' if word == 'NaN' else word} elements: {count}" for word, count in found),
        "",
    ]
    if len(inputs) == 1:
        lines += [f"  Input tensor: {inputs[0]!s}", ""]
    elif inputs:
        lines += [f"  Input tensors ({len(inputs)}):"]
        lines += [f"         {number}: {one!s}" for number, one in enumerate(inputs)] + [""]
    return "\n".join([*lines, f" : Tensor had {_listed([word for word, _ in found])} values"])


def _listed(words: list[str]) -> str:
    if len(words) < 3:  # noqa: PLR2004 - the comma before "and" is for three
        return " and ".join(words)
    return f"{', '.join(words[:-1])}, and {words[-1]}"


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """From here on raise at the first op of this thread whose result is not finite, with its inputs.

    Gradients are looked at, too. Inside a recording nothing is raised: it finds such values itself.

    Args:
        stack_height_limit: accepted as TensorFlow does.
        path_length_limit: accepted as TensorFlow does.

    >>> import tapeviz as tf
    >>> tf.debugging.enable_check_numerics()
    >>> try:
    ...     tf.math.log([0.0, 1.0])
    ... except tf.errors.InvalidArgumentError as error:
    ...     print(error.message.splitlines()[-1])
    ... finally:
    ...     tf.debugging.disable_check_numerics()
     : Tensor had -Inf values
    """
    state: Any = local.state
    if not isinstance(state.observer, _Guard):
        state.observer = _Guard(state.observer)
        active.append(state.observer)


def disable_check_numerics() -> None:
    """Raise no longer at results that are not finite.

    >>> import tapeviz as tf
    >>> tf.debugging.disable_check_numerics()
    """
    state: Any = local.state
    if isinstance(state.observer, _Guard):
        state.observer = state.observer.inner
    # One that was put before a recording's observer has gone with the recording, but still counts as on.
    mine = threading.get_ident()
    active[:] = [one for one in active if not (isinstance(one, _Guard) and one.thread == mine)]
