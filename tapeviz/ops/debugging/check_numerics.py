"""Values that are not numbers, found where they arise."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import rules
from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.define import op
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.samples import floats
from tapeviz.engine.types import FLOATS

__all__ = ["assert_all_finite", "check_numerics"]


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
    traits="identity moves",
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
