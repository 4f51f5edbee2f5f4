"""Values passed on as they are, with or without their gradient."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tapeviz.engine import rules
from tapeviz.engine.custom_gradient import custom_gradient as with_gradient
from tapeviz.engine.declaration import Spec
from tapeviz.engine.deferred_numbers import Deferred
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import public
from tapeviz.engine.samples import cases, floats
from tapeviz.engine.shapes import TensorShape
from tapeviz.ops import static_shape_rules
from tapeviz.ops.runtime_calls import waits

__all__ = [
    "ensure_shape", "get_static_value", "grad_pass_through", "identity", "identity_n", "of_rank", "stop_gradient",
]  # fmt: skip


def _same(_xp: Any, input: Any) -> Any:
    return input


identity = op(
    "identity",
    doc="The same value, as a tensor of its own.",
    example=">>> import tapeviz as tf\n>>> tf.identity(1.0).numpy()\nnp.float32(1.0)",
    family="shape",
    forward=_same,
    infer=rules.elementwise,
    vjp={"input": lambda F, g: g},
    formula=r"y = x",
    vjp_formula=(r"\bar x = \bar y",),
    samples=floats(),
    silent=True,
    aliases="input",
    traits="identity moves",
    hints="view",
)

custom_gradient = op(
    "custom_gradient",
    doc="The result of a function with a custom gradient.",
    family="control",
    forward=lambda _xp, x: x,
    infer=rules.elementwise,
    formula=r"y = f(x)",
    samples=floats(),
    silent=True,
    aliases="x",
    traits="custom_gradient moves",
)

stop_gradient = op(
    "stop_gradient",
    doc="The same value, through which no gradient flows back.",
    example=">>> import tapeviz as tf\n>>> tf.stop_gradient(1.0).numpy()\nnp.float32(1.0)",
    family="control",
    forward=_same,
    infer=rules.elementwise,
    formula=r"y = x,\; \bar x = 0",
    samples=floats(),
    silent=True,
    aliases="input",
    traits="identity moves stops_gradient",
    hints="view",
)


def identity_n(input: Any, name: str | None = None) -> list[Any]:
    """The tensors in the list ``input``, each as a tensor of its own.

    Raises:
        InvalidArgumentError: the list is empty.

    >>> import tapeviz as tf
    >>> [one.numpy() for one in tf.identity_n([1.0, 2])]
    [np.float32(1.0), np.int32(2)]
    """
    values = list(input)
    if not values:
        raise InvalidArgumentError("Length for attr 'T' of 0 must be at least minimum 1", "identity_n")
    return [identity.run(value) for value in values]


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function that computes what ``f`` does and passes gradients on as if it were the identity.

    >>> import tapeviz as tf
    >>> x = tf.constant(1.3)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.grad_pass_through(tf.round)(x) * 2.0
    >>> y.numpy(), tape.gradient(y, x).numpy()
    (np.float32(2.0), np.float32(2.0))
    """

    @with_gradient
    @functools.wraps(f)
    def passed(*args: Any, **kwargs: Any) -> Any:
        def back(*upstream: Any, variables: Any = None) -> Any:
            one = upstream[0] if len(upstream) == 1 else upstream
            return one if variables is None else (one, [None] * len(variables))

        return f(*args, **kwargs), back

    return passed


def _ensure(_xp: Any, x: Any, *, shape: tuple[int | None, ...] | None) -> Any:
    if not TensorShape(x.shape).is_compatible_with(shape):
        raise ValueError("another shape was expected")
    return x


def _ensure_rule(x: Spec, *, shape: tuple[int | None, ...] | None) -> Spec:
    open_sizes = TensorShape(tuple(None if isinstance(size, Deferred) else size for size in x.shape))
    if not open_sizes.is_compatible_with(shape):
        wanted = ",".join("?" if size is None else str(size) for size in shape or ())
        raise InvalidArgumentError(
            f"Shape of tensor input {rules.shape_text(x.shape)} is not compatible with expected shape [{wanted}]."
        )
    told = [None] * len(x.shape) if shape is None else shape
    return Spec(tuple(has if size is None else size for has, size in zip(x.shape, told, strict=True)), x.dtype)


_ensured = op(
    "ensure_shape",
    doc="The same value, which must have the shape expected.",
    family="control",
    forward=_ensure,
    infer=_ensure_rule,
    static=static_shape_rules.ensure_shape,
    vjp={"x": lambda F, g: g},
    formula=r"y = x",
    vjp_formula=(r"\bar x = \bar y",),
    samples=cases(([(2, 3)], {"shape": (2, None)}), ([()], {"shape": None})),
    silent=True,
    aliases="x",
    traits="identity moves",
)


def of_rank(tensor: Any, rank: int) -> Any:
    """A tensor, which has so many axes where their number is not known: that is looked at when the graph runs."""
    return tensor if tensor.shape.rank is not None else ensure_shape(tensor, [None] * rank)


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Any:
    """``x`` as it is, if it has the shape expected; None stands for any size, or any shape.

    Raises:
        InvalidArgumentError: it has another.

    >>> import tapeviz as tf
    >>> tf.ensure_shape([1, 2], [None]).numpy()
    array([1, 2], dtype=int32)
    """
    return _ensured.run(x, TensorShape(shape).dims)


public["ensure_shape"] = ensure_shape


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of a tensor as an array; what is no tensor as it is; None for a variable, which may change.

    >>> import tapeviz as tf
    >>> tf.get_static_value(tf.constant([1, 2]))
    array([1, 2], dtype=int32)
    """
    if hasattr(tensor, "_read"):
        return None
    if hasattr(tensor, "_numbers"):
        return None if waits(tensor) else tensor._host()
    return tensor.numpy() if hasattr(tensor, "_host") else tensor
