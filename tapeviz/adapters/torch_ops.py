"""What a recording says of PyTorch's functions: the declarations of ours that mean the same, where there are any."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from tapeviz.adapters.foreign_op import ForeignOp, declared

__all__ = ["TorchOp", "is_short", "named_attributes", "op_of", "update_of"]


@dataclass(frozen=True, slots=True, eq=False)
class TorchOp(ForeignOp):
    """What the packer asks of a declaration, for a function of PyTorch's.

    Attributes:
        in_place: whether it changes its first input.
        overwrites: whether nothing of its first input's old value goes into the new one.
        empty: whether what it gives is memory as it was found.
        attributes: what it is given beside tensors, by position.
        swapped: whether its first two inputs are kept the other way round, as our declaration has them.
    """

    in_place: bool = False
    overwrites: bool = False
    empty: bool = False
    swapped: bool = False
    attributes: tuple[str, ...] = ()

    def shared_input(self, count: int) -> int:
        """The position of the input whose memory the outputs use, of so many inputs; -1 for none."""
        return 0 if count and (self.view or self.in_place) else -1


# By PyTorch's name, without the underscore of what works in place.
_OURS: Final = {
    "mul": "multiply", "multiply": "multiply", "add": "add", "sub": "subtract", "subtract": "subtract",
    "rsub": "subtract", "div": "divide", "divide": "divide", "true_divide": "divide", "floor_divide": "floordiv",
    "remainder": "floormod", "pow": "pow", "matmul": "matmul", "mm": "matmul", "bmm": "matmul", "exp": "exp",
    "expm1": "expm1", "log": "log", "log1p": "log1p", "sqrt": "sqrt", "rsqrt": "rsqrt", "square": "square",
    "abs": "abs", "absolute": "abs", "neg": "negative", "negative": "negative", "reciprocal": "reciprocal",
    "sign": "sign", "sin": "sin", "cos": "cos", "tan": "tan", "tanh": "tanh", "sinh": "sinh", "cosh": "cosh",
    "asin": "asin", "acos": "acos", "atan": "atan", "atan2": "atan2", "sigmoid": "sigmoid",
    "logsigmoid": "log_sigmoid", "relu": "relu", "relu6": "relu6", "leaky_relu": "leaky_relu", "elu": "elu",
    "selu": "selu", "silu": "silu", "gelu": "gelu", "softplus": "softplus", "softsign": "softsign",
    "softmax": "softmax", "log_softmax": "log_softmax", "logsumexp": "reduce_logsumexp", "sum": "reduce_sum",
    "mean": "reduce_mean", "prod": "reduce_prod", "var": "reduce_variance", "std": "reduce_std",
    "amax": "reduce_max", "amin": "reduce_min", "all": "reduce_all", "any": "reduce_any", "norm": "norm",
    "vector_norm": "norm", "maximum": "maximum", "minimum": "minimum", "clamp": "clip_by_value",
    "clip": "clip_by_value", "where": "where", "floor": "floor", "ceil": "ceil", "round": "round", "erf": "erf",
    "erfc": "erfc", "lgamma": "lgamma", "digamma": "digamma", "argmax": "argmax", "argmin": "argmin",
    "argsort": "argsort", "sort": "sort", "topk": "top_k", "cumsum": "cumsum", "cumprod": "cumprod", "eq": "equal",
    "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
    "isnan": "is_nan", "isinf": "is_inf", "isfinite": "is_finite", "logical_and": "logical_and",
    "logical_or": "logical_or", "logical_not": "logical_not", "cat": "concat", "concat": "concat",
    "concatenate": "concat", "stack": "stack", "split": "split", "chunk": "split", "unbind": "unstack",
    "reshape": "reshape", "view": "reshape", "flatten": "reshape", "unflatten": "reshape", "permute": "transpose",
    "transpose": "transpose", "t": "transpose", "T": "transpose", "mT": "transpose", "swapaxes": "transpose",
    "squeeze": "squeeze", "unsqueeze": "expand_dims", "expand": "broadcast_to", "expand_as": "broadcast_to",
    "broadcast_to": "broadcast_to", "repeat": "tile", "tile": "tile", "pad": "pad", "flip": "reverse",
    "roll": "roll", "gather": "gather", "index_select": "gather", "embedding": "gather", "one_hot": "one_hot",
    "zeros": "zeros", "ones": "ones", "zeros_like": "zeros_like", "ones_like": "ones_like", "full": "fill",
    "arange": "range", "eye": "eye", "randn": "random_normal", "rand": "random_uniform",
    "detach": "stop_gradient", "data": "stop_gradient", "cross_entropy": "sparse_softmax_cross_entropy_with_logits",
    "binary_cross_entropy_with_logits": "sigmoid_cross_entropy_with_logits", "conv1d": "conv1d",
    "conv2d": "conv2d", "conv3d": "conv3d", "max_pool2d": "max_pool", "avg_pool2d": "avg_pool",
    "einsum": "einsum", "outer": "einsum", "inverse": "inv", "inv": "inv", "det": "det", "cholesky": "cholesky",
    "qr": "qr", "svd": "svd", "eigh": "eigh", "logdet": "slogdet", "slogdet": "slogdet", "dot": "einsum",
    "float": "cast", "double": "cast", "half": "cast", "bfloat16": "cast", "int": "cast", "long": "cast",
    "bool": "cast", "type": "cast", "to": "cast", "clone": "identity", "contiguous": "identity",
    "__getitem__": "strided_slice", "select": "strided_slice", "narrow": "strided_slice",
}  # fmt: skip
_ATTRIBUTES: Final = {
    "softmax": ("axis",), "log_softmax": ("axis",), "sum": ("axis", "keepdims"), "mean": ("axis", "keepdims"),
    "prod": ("axis", "keepdims"), "amax": ("axis", "keepdims"), "amin": ("axis", "keepdims"), "max": ("axis",),
    "min": ("axis",), "var": ("axis",), "std": ("axis",), "logsumexp": ("axis",), "argmax": ("axis",),
    "argmin": ("axis",), "cumsum": ("axis",), "cat": ("axis",), "concat": ("axis",), "stack": ("axis",),
    "unsqueeze": ("axis",), "squeeze": ("axis",), "pow": ("exponent",), "gather": ("axis",),
    "index_select": ("axis",), "norm": ("p", "axis"), "dropout": ("p", "training"), "one_hot": ("depth",),
}  # fmt: skip
_RENAMED: Final = {"dim": "axis", "keepdim": "keepdims", "num_classes": "depth"}
_VIEWS: Final = frozenset({
    "reshape", "view", "flatten", "unflatten", "permute", "transpose", "t", "T", "mT", "H", "mH", "swapaxes",
    "squeeze", "unsqueeze", "expand", "expand_as", "broadcast_to", "__getitem__", "select", "narrow", "split", "chunk",
    "unbind", "detach", "data", "to", "contiguous", "diagonal", "view_as", "unfold", "movedim", "real", "imag",
    "float", "double", "cpu", "type", "type_as", "ravel", "reshape_as",
})  # fmt: skip
_LONGEST: Final = 8  # items of an attribute
_EMPTY: Final = frozenset({"empty", "empty_like", "new_empty", "empty_strided", "empty_permuted"})
_OVERWRITING: Final = frozenset({
    "uniform", "normal", "zero", "fill", "copy", "ones", "zeros", "constant", "random", "bernoulli", "exponential",
    "kaiming_uniform", "kaiming_normal", "xavier_uniform", "xavier_normal", "trunc_normal", "orthogonal", "eye",
    "log_normal", "cauchy", "geometric", "sparse", "dirac",
})  # fmt: skip
_STOPS: Final = frozenset({"detach", "data"})
_SWAPPED: Final = frozenset({"cross_entropy", "binary_cross_entropy_with_logits", "embedding", "nll_loss"})
_OWN: Final[dict[str, dict[str, Any]]] = {
    "linear": {"family": "linalg", "traits": frozenset({"product", "sum"}), "formula": r"y = x W^\top + b"},
    "nll_loss": {"family": "reduction", "traits": frozenset({"indexes"}), "formula": r"y = -\frac1n \sum_i x_{i,t_i}"},
    "mse_loss": {
        "family": "reduction", "traits": frozenset({"squares", "mean"}), "formula": r"y = \frac1n \sum_i (x_i - t_i)^2",
    },
    "binary_cross_entropy": {"family": "reduction", "traits": frozenset({"logarithm"}), "domain": ""},
    "addcmul": {"traits": frozenset({"product"})},
    "addmm": {"family": "linalg", "traits": frozenset({"product", "sum"})},
}  # fmt: skip


@cache
def update_of(optimizer: str) -> TorchOp:
    """The declaration of an optimizer's update of one parameter."""
    return TorchOp(optimizer, differentiable="", effects="write", in_place=True)


@cache
def op_of(torch_name: str, *, differentiable: bool = True) -> TorchOp:
    """The declaration of a function of PyTorch's, by its name; ``differentiable``: whether a gradient went through."""
    name = torch_name.strip("_") if torch_name.startswith("__") and torch_name != "__getitem__" else torch_name
    in_place = (name.endswith("_") and not name.startswith("__")) or torch_name in ("__setitem__", "copy_")
    plain = name.removesuffix("_") if in_place else name
    plain = plain[1:] if plain[:1] in ("r", "i") and torch_name.startswith("__") and plain[1:] in _OURS else plain
    facts: dict[str, Any] = _OWN.get(plain, {}) | declared(_OURS.get(plain, ""))
    if facts and plain.startswith("conv"):  # which adds a bias here
        facts["traits"] |= {"sum"}
    if in_place:
        facts["effects"] = "write"
    through = differentiable and plain not in _STOPS
    return TorchOp(
        name, differentiable="*" if through else "", view=plain in _VIEWS and not in_place, in_place=in_place,
        swapped=plain in _SWAPPED, overwrites=in_place and plain in _OVERWRITING,
        empty=plain in _EMPTY, attributes=_ATTRIBUTES.get(plain, ()), **facts,
    )  # fmt: skip


def named_attributes(op: TorchOp, given: list[Any], keywords: dict[str, Any] | None) -> dict[str, Any] | None:
    """What a call was given beside tensors, by the names that our declarations have for it."""
    names = op.attributes
    if names or keywords:
        found = {(names[at] if at < len(names) else f"arg{at}"): value for at, value in enumerate(given)}
        found |= {_RENAMED.get(k, k): v for k, v in (keywords or {}).items() if v is not None and is_short(v)}
        return found or None
    return {f"arg{at}": value for at, value in enumerate(given)}


def is_short(value: Any) -> bool:
    """Whether a value is an attribute, and no data."""
    if isinstance(value, (list, tuple)):
        return len(value) <= _LONGEST and all(map(is_short, value))
    return (
        value is None
        or isinstance(value, (bool, int, float, str, slice))
        or value is Ellipsis
        or "torch." in str(value)
    )
