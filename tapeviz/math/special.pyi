# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor

__all__ = [
    "bessel_i0",
    "bessel_i0e",
    "bessel_i1",
    "bessel_i1e",
    "bessel_j0",
    "bessel_j1",
    "bessel_k0",
    "bessel_k0e",
    "bessel_k1",
    "bessel_k1e",
    "bessel_y0",
    "bessel_y1",
    "dawsn",
    "expint",
    "fresnel_cos",
    "fresnel_sin",
    "spence",
]

def bessel_i0(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The modified Bessel function of the first kind, order 0, element by element."""

def bessel_i0e(x: _TensorLike, name: str | None = None) -> _Tensor:
    """bessel_i0 times exp(-|x|), which stays small, element by element."""

def bessel_i1(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The modified Bessel function of the first kind, order 1, element by element."""

def bessel_i1e(x: _TensorLike, name: str | None = None) -> _Tensor:
    """bessel_i1 times exp(-|x|), which stays small, element by element."""

def bessel_j0(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The Bessel function of the first kind, order 0, element by element."""

def bessel_j1(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The Bessel function of the first kind, order 1, element by element."""

def bessel_k0(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The modified Bessel function of the second kind, order 0, element by element: inf at 0 and below."""

def bessel_k0e(x: _TensorLike, name: str | None = None) -> _Tensor:
    """bessel_k0 times exp(x), which stays large enough, element by element."""

def bessel_k1(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The modified Bessel function of the second kind, order 1, element by element: inf at 0 and below."""

def bessel_k1e(x: _TensorLike, name: str | None = None) -> _Tensor:
    """bessel_k1 times exp(x), which stays large enough, element by element."""

def bessel_y0(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The Bessel function of the second kind, order 0, element by element: -inf at 0 and below."""

def bessel_y1(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The Bessel function of the second kind, order 1, element by element: -inf at 0 and below."""

def dawsn(x: _TensorLike, name: str | None = None) -> _Tensor:
    """Dawson's integral, element by element."""

def expint(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The exponential integral Ei, element by element: -inf at 0."""

def fresnel_cos(x: _TensorLike, name: str | None = None) -> _Tensor:
    """Fresnel's cosine integral, element by element."""

def fresnel_sin(x: _TensorLike, name: str | None = None) -> _Tensor:
    """Fresnel's sine integral, element by element."""

def spence(x: _TensorLike, name: str | None = None) -> _Tensor:
    """Spence's function, the dilogarithm of 1 - x, element by element: nan below 0."""
