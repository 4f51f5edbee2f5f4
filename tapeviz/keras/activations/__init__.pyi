# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from typing import Any as _Any

from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor

__all__ = [
    "celu",
    "deserialize",
    "elu",
    "exponential",
    "gelu",
    "get",
    "glu",
    "hard_shrink",
    "hard_sigmoid",
    "hard_silu",
    "hard_swish",
    "hard_tanh",
    "leaky_relu",
    "linear",
    "log_sigmoid",
    "log_softmax",
    "mish",
    "relu",
    "relu6",
    "selu",
    "serialize",
    "sigmoid",
    "silu",
    "soft_shrink",
    "softmax",
    "softplus",
    "softsign",
    "squareplus",
    "swish",
    "tanh",
    "tanh_shrink",
    "threshold",
]

def celu(x: _TensorLike, alpha: float = 1.0) -> _Tensor:
    """The input where it is positive, else ``alpha * (exp(x / alpha) - 1)``."""

def deserialize(config: _Any, custom_objects: dict[str, _Any] | None = None) -> _Any:
    """The activation of a config."""

def elu(x: _TensorLike, alpha: float = 1.0) -> _Tensor:
    """The input where it is positive, else ``alpha * (exp(x) - 1)``."""

def exponential(x: _TensorLike) -> _Tensor:
    """E to the power of x."""

def gelu(x: _TensorLike, approximate: bool = False) -> _Tensor:
    """The input times the probability that a standard normal number is below it."""

def get(identifier: _Any) -> _Any:
    """The function that a name, a config or a function stands for; ``linear`` for None."""

def glu(x: _TensorLike, axis: int = -1) -> _Tensor:
    """The first half along an axis times the sigmoid of the second."""

def hard_shrink(x: _TensorLike, threshold: float = 0.5) -> _Tensor:
    """The input where it is farther from 0 than ``threshold``, else 0."""

def hard_sigmoid(x: _TensorLike) -> _Tensor:
    """``x / 6 + 0.5``, no smaller than 0 and no larger than 1."""

def hard_silu(x: _TensorLike) -> _Tensor:
    """The input times its ``hard_sigmoid``; also called hard swish."""

def hard_swish(x: _TensorLike) -> _Tensor:
    """The input times its ``hard_sigmoid``; also called hard swish."""

def hard_tanh(x: _TensorLike) -> _Tensor:
    """The input, no smaller than -1 and no larger than 1."""

def leaky_relu(x: _TensorLike, negative_slope: float = 0.2) -> _Tensor:
    """The input where it is positive, else ``negative_slope * x``."""

def linear(x: _TensorLike) -> _Tensor:
    """The input as it is."""

def log_sigmoid(x: _TensorLike) -> _Tensor:
    """The logarithm of the sigmoid."""

def log_softmax(x: _TensorLike, axis: int = -1) -> _Tensor:
    """The logarithms of the shares along an axis."""

def mish(x: _TensorLike) -> _Tensor:
    """The input times the hyperbolic tangent of its softplus."""

def relu(
    x: _TensorLike, negative_slope: float = 0.0, max_value: float | None = None, threshold: float = 0.0
) -> _Tensor:
    """The input above ``threshold``, no larger than ``max_value``; below it ``negative_slope * (x - threshold)``."""

def relu6(x: _TensorLike) -> _Tensor:
    """The input, no smaller than 0 and no larger than 6."""

def selu(x: _TensorLike) -> _Tensor:
    """``elu`` scaled so that mean 0 and variance 1 are kept through layers."""

def serialize(activation: _Any) -> _Any:
    """An activation as a config: the name of one of these, or what says where another is found."""

def sigmoid(x: _TensorLike) -> _Tensor:
    """1 / (1 + exp(-x))."""

def silu(x: _TensorLike) -> _Tensor:
    """The input times its sigmoid; also called swish."""

def soft_shrink(x: _TensorLike, threshold: float = 0.5) -> _Tensor:
    """The input moved towards 0 by ``threshold``, but not past it."""

def softmax(x: _TensorLike, axis: int = -1) -> _Tensor:
    """Shares along an axis: positive numbers of sum 1, as the exponentials are to one another."""

def softplus(x: _TensorLike) -> _Tensor:
    """log(exp(x) + 1)."""

def softsign(x: _TensorLike) -> _Tensor:
    """The input divided by one more than its absolute value."""

def squareplus(x: _TensorLike, b: float = 4) -> _Tensor:
    """Half of x plus the root of its square plus ``b``: a smooth ReLU."""

def swish(x: _TensorLike) -> _Tensor:
    """The input times its sigmoid; also called swish."""

def tanh(x: _TensorLike) -> _Tensor:
    """The hyperbolic tangent."""

def tanh_shrink(x: _TensorLike) -> _Tensor:
    """The input minus its hyperbolic tangent."""

def threshold(x: _TensorLike, threshold: float, default_value: float) -> _Tensor:
    """The input above ``threshold``, else ``default_value``."""
