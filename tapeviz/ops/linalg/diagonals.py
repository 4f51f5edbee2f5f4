"""Diagonals, bands and triangles of matrices: taken out, put in, and made into matrices."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.deferred_numbers import Deferred, has_deferred
from tapeviz.engine.errors import FailedPreconditionError, InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases
from tapeviz.engine.shapes import as_dimensions
from tapeviz.engine.static_shapes import of_any_rank
from tapeviz.engine.types import NUMBERS
from tapeviz.ops import static_shape_rules
from tapeviz.ops.arguments import axis_number
from tapeviz.ops.math.reductions import reduce_sum
from tapeviz.ops.runtime_calls import by_rank

__all__ = ["band_part", "cross", "diag", "diag_part", "set_diag", "tensor_diag", "tensor_diag_part", "trace"]

_ALIGNMENTS: Final = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


class _Band(NamedTuple):
    """Where the diagonals from ``low`` to ``high`` of a matrix lie, and where in the rows of a tensor of diagonals."""

    rows: int
    columns: int
    low: int
    high: int
    align: str

    def length(self, diagonal: int) -> int:
        """How many elements a diagonal has."""
        return min(self.rows + min(0, diagonal), self.columns - max(0, diagonal))

    @property
    def longest(self) -> int:
        """How many elements the longest diagonal has: the length of a row."""
        return min(self.rows + min(self.high, 0), self.columns - max(self.low, 0))

    def start(self, diagonal: int) -> int:
        """At which position of its row a diagonal begins: rows are filled up on one side."""
        above, below = self.align.split("_")
        left = (diagonal >= 0 and above == "LEFT") or (diagonal <= 0 and below == "LEFT")
        return 0 if left else self.longest - self.length(diagonal)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the diagonals of one matrix."""
        return (self.longest,) if self.low == self.high else (self.high - self.low + 1, self.longest)

    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """For each element of a diagonal: its position in the matrix, and its position among the diagonals."""
        inside, outside = [], []
        for row, diagonal in enumerate(range(self.high, self.low - 1, -1)):
            along = np.arange(self.length(diagonal))
            inside.append((along + max(-diagonal, 0)) * self.columns + along + max(diagonal, 0))
            outside.append(row * self.longest + self.start(diagonal) + along)
        return np.concatenate(inside), np.concatenate(outside)


def _band(x: Any, k: tuple[int, int], align: str) -> _Band:
    return _Band(x.shape[-2], x.shape[-1], k[0], k[1], align)


def _check(band: _Band) -> None:
    for name, diagonal in (("lower", band.low), ("upper", band.high)):
        inside = -band.rows < diagonal < band.columns
        if not (inside or diagonal == 0):
            raise InvalidArgumentError(
                f"{name}_diag_index is out of bound: {diagonal}. It must be between {-band.rows} and {band.columns}"
            )
    if band.low > band.high:
        raise InvalidArgumentError(
            f"lower_diag_index must not be larger than upper_diag_index: {band.low} > {band.high}"
        )


def _matrix(x: Spec) -> None:
    if len(x.shape) < 2:  # noqa: PLR2004 - a matrix has two axes
        raise InvalidArgumentError(f"input must be at least 2-dim, received shape: {rules.shape_text(x.shape)}")


def _moved(xp: Any, target: Any, to: np.ndarray, source: Any, here: np.ndarray) -> Any:
    """``target``, a row a matrix, with the elements ``here`` of ``source`` put in the places ``to``."""
    target[:, xp.asarray(to)] = source[:, xp.asarray(here)]
    return target


def _part(xp: Any, x: Any, *, k: tuple[int, int], padding_value: Any, align: str) -> Any:
    band = _band(x, k, align)
    _check(band)
    if k[0] == k[1]:
        return xp.array(x.diagonal(k[0], -2, -1))
    inside, outside = band.places()
    batch = x.shape[:-2]
    flat = xp.reshape(x, (math.prod(batch), band.rows * band.columns))
    rows = xp.full((math.prod(batch), math.prod(band.shape)), padding_value, x.dtype)
    return xp.reshape(_moved(xp, rows, outside, flat, inside), (*batch, *band.shape))


def _part_rule(x: Spec, *, k: tuple[int, int], padding_value: Any, align: str) -> Spec:
    _matrix(x)
    band = _band(x, k, align)
    _check(band)
    return Spec((*x.shape[:-2], *band.shape), x.dtype)


_diag_part = op(
    "diag_part",
    doc="The elements on diagonals of a matrix, or of each of a stack of them.",
    family="indexing",
    tf_name="MatrixDiagPartV3",
    forward=_part,
    infer=_part_rule,
    vjp={
        "x": lambda F, g, x_spec, k, align: F.diag(
            g, k=k, num_rows=x_spec.shape[-2], num_cols=x_spec.shape[-1], padding_value=0, align=align
        )
    },
    formula=r"y_i = X_{ii}",
    vjp_formula=(r"\bar X_{ij} = \bar y_i\,[i = j]",),
    samples=cases(
        ([(3, 3)], {"k": (0, 0), "padding_value": 0, "align": "RIGHT_LEFT"}),
        ([(2, 3, 4)], {"k": (1, 1), "padding_value": 0, "align": "RIGHT_LEFT"}),
        *(([(2, 3, 4)], {"k": (-1, 2), "padding_value": 7, "align": align}) for align in _ALIGNMENTS),
        ([(0, 0)], {"k": (0, 0), "padding_value": 0, "align": "RIGHT_LEFT"}),
    ),
    silent=True,
    hints="lies_like_input",
)


def _band_of(diagonal: Any, k: tuple[int, int], rows: int, columns: int, align: str) -> _Band:
    """The band of the matrices that diagonals of this shape make; -1 rows or columns are as few as will do."""
    single = k[0] == k[1]
    if not diagonal.shape or (not single and len(diagonal.shape) < 2):  # noqa: PLR2004 - a row a diagonal
        least = 1 if single else 2
        shape = rules.shape_text(tuple(diagonal.shape))
        raise InvalidArgumentError(f"diagonal must be at least {least}-dim, received shape: {shape}")
    if not single and diagonal.shape[-2] != k[1] - k[0] + 1:
        raise InvalidArgumentError(
            "The number of diagonals provided in the input does not match the lower_diag_index and upper_diag_index "
            "range."
        )
    longest = diagonal.shape[-1]
    fewest = longest - min(k[1], 0), longest + max(k[0], 0)
    if rows == -1 and columns == -1:
        rows = columns = max(fewest)
    elif rows == -1:
        rows = fewest[0]
    elif columns == -1:
        columns = fewest[1]
    if rows < fewest[0]:
        raise InvalidArgumentError("The number of rows is too small.")
    if columns < fewest[1]:
        raise InvalidArgumentError("The number of columns is too small.")
    if rows != fewest[0] and columns != fewest[1]:
        raise InvalidArgumentError(
            "The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal."
        )
    return _Band(rows, columns, k[0], k[1], align)


def _diag_rule(
    diagonal: Spec, *, k: tuple[int, int], num_rows: int, num_cols: int, padding_value: Any, align: str
) -> Spec:
    band = _band_of(diagonal, k, num_rows, num_cols, align)
    return Spec((*diagonal.shape[: -len(band.shape)], band.rows, band.columns), diagonal.dtype)


def _placed(
    xp: Any, diagonal: Any, *, k: tuple[int, int], num_rows: int, num_cols: int, padding_value: Any, align: str
) -> Any:
    band = _band_of(diagonal, k, num_rows, num_cols, align)
    batch = diagonal.shape[: -len(band.shape)]
    count = math.prod(batch)
    inside, outside = band.places()
    flat = xp.reshape(diagonal, (count, math.prod(band.shape)))
    made = xp.full((count, band.rows * band.columns), padding_value, diagonal.dtype)
    return xp.reshape(_moved(xp, made, inside, flat, outside), (*batch, band.rows, band.columns))


_diag = op(
    "diag",
    doc="A matrix with given diagonals, and one value elsewhere.",
    family="indexing",
    tf_name="MatrixDiagV3",
    forward=_placed,
    infer=_diag_rule,
    vjp={"diagonal": lambda F, g, k, align: F.diag_part(g, k=k, padding_value=0, align=align)},
    formula=r"Y_{ij} = x_i\,[i = j]",
    vjp_formula=(r"\bar x_i = \bar Y_{ii}",),
    samples=cases(
        *(
            (shapes, {"k": k, "num_rows": rows, "num_cols": columns, "padding_value": padding, "align": "RIGHT_LEFT"})
            for shapes, k, rows, columns, padding in (
                ([(3,)], (0, 0), -1, -1, 0),
                ([(2, 3)], (1, 1), -1, -1, 5),
                ([(2, 3)], (-1, -1), 4, 5, 0),
                ([(2, 3, 3)], (-1, 1), 3, 3, 0),
                ([(0,)], (0, 0), -1, -1, 0),
            )
        )
    ),
    silent=True,
)


def _set_rule(x: Spec, diagonal: Spec, *, k: tuple[int, int], align: str) -> Spec:
    _matrix(x)
    band = _band(x, k, align)
    _check(band)
    wanted = (*x.shape[:-2], *band.shape)
    if diagonal.shape != wanted:
        raise InvalidArgumentError(
            "Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is not equal to "
            f"the longests diagonal in range [lower_diag_index:upper_diag_index].\nInput shape: "
            f"{rules.shape_text(x.shape)}\nDiagonal shape: {rules.shape_text(diagonal.shape)}\n"
            f"Expected diagonal shape: {rules.shape_text(wanted)}"
        )
    return x


def _replaced(xp: Any, x: Any, diagonal: Any, *, k: tuple[int, int], align: str) -> Any:
    _set_rule(Spec(x.shape, x.dtype), Spec(diagonal.shape, diagonal.dtype), k=k, align=align)
    band = _band(x, k, align)
    inside, outside = band.places()
    count = math.prod(x.shape[:-2])
    made = xp.array(xp.reshape(x, (count, band.rows * band.columns)))
    flat = xp.reshape(diagonal, (count, math.prod(band.shape)))
    return xp.reshape(_moved(xp, made, inside, flat, outside), x.shape)


_set_diag = op(
    "set_diag",
    doc="A matrix with its diagonals replaced.",
    family="indexing",
    tf_name="MatrixSetDiagV3",
    forward=_replaced,
    infer=_set_rule,
    static=static_shape_rules.diagonal_set,
    vjp={
        "x": lambda F, g, k, align: F.set_diag(
            g, F.zeros_like(F.diag_part(g, k=k, padding_value=0, align=align)), k=k, align=align
        ),
        "diagonal": lambda F, g, k, align: F.diag_part(g, k=k, padding_value=0, align=align),
    },
    formula=r"Y_{ij} = [i = j]\, d_i + [i \ne j]\, X_{ij}",
    vjp_formula=(r"\bar X_{ij} = \bar Y_{ij}\,[i \ne j]", r"\bar d_i = \bar Y_{ii}"),
    samples=cases(
        ([(3, 3), (3,)], {"k": (0, 0), "align": "RIGHT_LEFT"}),
        ([(2, 3, 4), (2, 3)], {"k": (1, 1), "align": "RIGHT_LEFT"}),
        ([(2, 3, 4), (2, 2, 3)], {"k": (-1, 0), "align": "LEFT_RIGHT"}),
    ),
    silent=True,
    traits="moves",
)


def _range_of(k: Any) -> tuple[int, int]:
    """A diagonal, or the lowest and the highest of several."""
    if hasattr(k, "numpy"):
        numbers = as_dimensions(convert_to_tensor(k))
        return numbers[0], numbers[-1]
    if isinstance(k, (list, tuple)):
        low, high = axis_number(k[0]), axis_number(k[-1])
        return low, high
    return axis_number(k), axis_number(k)


def _checked_align(align: str) -> str:
    if align not in _ALIGNMENTS:
        raise InvalidArgumentError(f"Value for attr 'align' of \"{align}\" is not in the list of allowed values")
    return align


def _number(value: Any) -> Any:
    return convert_to_tensor(value)._host().item() if hasattr(value, "numpy") else value


def diag_part(
    input: Any, name: str = "diag_part", k: Any = 0, padding_value: Any = 0, align: str = "RIGHT_LEFT"
) -> Any:
    """The diagonals of a matrix, or of each of a stack of them.

    Args:
        input: of shape ``[..., n, m]``.
        name: accepted as TensorFlow does.
        k: which diagonal: 0 the main one, positive above it, negative below. Or the lowest and the highest of several,
            which come as rows, the highest first.
        padding_value: what fills up the rows of shorter diagonals.
        align: on which side the diagonals above and those below the main one lie in their rows: ``"RIGHT_LEFT"``,
            ``"LEFT_RIGHT"``, ``"LEFT_LEFT"`` or ``"RIGHT_RIGHT"``.

    Raises:
        InvalidArgumentError: ``input`` is no matrix, or there is no such diagonal.

    >>> import tapeviz as tf
    >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)
    """
    return _diag_part.run(input, _range_of(k), _number(padding_value), _checked_align(align))


def diag(
    diagonal: Any,
    name: str = "diag",
    k: Any = 0,
    num_rows: int = -1,
    num_cols: int = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Any:
    """The matrix with this diagonal, or with these diagonals, or a stack of such matrices.

    Args:
        diagonal: of shape ``[..., n]``, or, for several diagonals, ``[..., d, n]``, the highest first.
        name: accepted as TensorFlow does.
        k: which diagonal: 0 the main one, positive above it, negative below; or the lowest and the highest of several.
        num_rows: how many rows there are; -1 for as few as will do.
        num_cols: how many columns there are; -1 for as few as will do.
        padding_value: what is elsewhere.
        align: as in ``diag_part``.

    Raises:
        InvalidArgumentError: the diagonals do not fit into so many rows and columns.

    >>> import tapeviz as tf
    >>> tf.linalg.diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]], dtype=int32)
    """
    return _diag.run(
        diagonal,
        _range_of(k),
        axis_number(num_rows),
        axis_number(num_cols),
        _number(padding_value),
        _checked_align(align),
    )


def set_diag(input: Any, diagonal: Any, name: str = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT") -> Any:
    """A matrix with its diagonal replaced, or several of them, or a stack of such matrices.

    Args:
        input: of shape ``[..., n, m]``.
        diagonal: what ``diag_part`` would give for the same ``k``.
        name: accepted as TensorFlow does.
        k: which diagonal: 0 the main one, positive above it, negative below; or the lowest and the highest of several.
        align: as in ``diag_part``.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.linalg.set_diag([[1, 2], [3, 4]], [8, 9]).numpy()
    array([[8, 2],
           [3, 9]], dtype=int32)
    """
    return _set_diag.run(input, diagonal, _range_of(k), _checked_align(align))


def _band_rule(x: Spec, *, num_lower: int, num_upper: int) -> Spec:
    _matrix(x)
    for name, number, size, what in (
        ("num_lower", num_lower, x.shape[-2], "rows"), ("num_upper", num_upper, x.shape[-1], "columns"),
    ):  # fmt: skip
        if number > size:
            raise InvalidArgumentError(
                f"{name} must be negative or less or equal to number of {what} ({size}) got: {number}"
            )
    return x


def _banded(xp: Any, x: Any, *, num_lower: int, num_upper: int) -> Any:
    if num_lower > x.shape[-2] or num_upper > x.shape[-1]:
        raise ValueError("the band is wider than the matrix")
    kept = x if num_upper < 0 else xp.tril(x, num_upper)
    return xp.array(kept) if num_lower < 0 else xp.triu(kept, -num_lower)


_band_part = op(
    "band_part",
    doc="A matrix with zeros beyond a band around its diagonal.",
    family="indexing",
    tf_name="MatrixBandPart",
    forward=_banded,
    infer=_band_rule,
    static=of_any_rank(2),
    vjp={"x": lambda F, g, num_lower, num_upper: F.band_part(g, num_lower=num_lower, num_upper=num_upper)},
    formula=r"Y_{ij} = X_{ij}\,[-u \le i - j \le l]",
    vjp_formula=(r"\bar X_{ij} = \bar Y_{ij}\,[-u \le i - j \le l]",),
    samples=cases(
        ([(3, 3)], {"num_lower": 0, "num_upper": -1}),
        ([(2, 3, 4)], {"num_lower": 1, "num_upper": 1}),
        ([(4, 3)], {"num_lower": -1, "num_upper": 0}),
        ([(2, 2)], {"num_lower": -1, "num_upper": -1}),
    ),
    silent=True,
)


def band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Any:
    """A matrix, or each of a stack of them, with zeros beyond a band around the main diagonal.

    Args:
        input: of shape ``[..., n, m]``.
        num_lower: how many diagonals to keep below the main one; all if negative.
        num_upper: how many diagonals to keep above the main one; all if negative.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: ``input`` is no matrix, or the band is wider than it.

    >>> import tapeviz as tf
    >>> tf.linalg.band_part([[1, 2], [3, 4]], 0, -1).numpy()
    array([[1, 2],
           [0, 4]], dtype=int32)
    """
    return _band_part.run(input, axis_number(num_lower), axis_number(num_upper))


def trace(x: Any, name: str | None = None) -> Any:
    """The sum of the main diagonal of a matrix, or of each of a stack of them.

    Raises:
        InvalidArgumentError: ``x`` is no matrix.

    >>> import tapeviz as tf
    >>> tf.linalg.trace([[1, 2], [3, 4]]).numpy()
    np.int32(5)
    """
    return reduce_sum(diag_part(x), -1)


@by_rank()
def tensor_diag(diagonal: Any, name: str | None = None) -> Any:
    """The tensor of twice the rank with these elements where the first half of the indices is the second.

    >>> import tapeviz as tf
    >>> tf.linalg.tensor_diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]], dtype=int32)
    """
    diagonal = convert_to_tensor(diagonal)
    shape = diagonal._a.shape
    if not shape:
        raise InvalidArgumentError("Input must be at least rank 1, got 0", "Diag")
    reshape = registry["reshape"].run
    return reshape(diag(reshape(diagonal, (-1,))), (*shape, *shape))


@by_rank()
def tensor_diag_part(input: Any, name: str | None = None) -> Any:
    """The elements for which the first half of the indices is the second half.

    Raises:
        InvalidArgumentError: the first half of the shape is not the second half.

    >>> import tapeviz as tf
    >>> tf.linalg.tensor_diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)
    """
    input = convert_to_tensor(input)
    shape = input._a.shape
    rank = len(shape)
    if not rank or rank % 2:
        raise InvalidArgumentError(f"The rank of the tensor should be even and positive, got shape {list(shape)}")
    for axis in range(rank // 2):
        pair = shape[axis], shape[axis + rank // 2]
        if pair[0] != pair[1] and not has_deferred(pair):
            raise InvalidArgumentError(
                f"Invalid shape {rules.shape_text(shape)}: dimensions {axis} and {axis + rank // 2} do not match.",
                "DiagPart",
            )
    half = tuple(b if isinstance(a, Deferred) else a for a, b in zip(shape, shape[rank // 2 :], strict=False))
    reshape = registry["reshape"].run
    return reshape(diag_part(reshape(input, (math.prod(half), math.prod(half)))), half)


def _cross_rule(a: Spec, b: Spec) -> Spec:
    if a.shape != b.shape:
        raise InvalidArgumentError(
            f"Both inputs must be of same shape: {rules.shape_text(a.shape)} vs. {rules.shape_text(b.shape)}"
        )
    if not a.shape:
        raise InvalidArgumentError("Input must be at least 1D")
    if a.shape[-1] != 3:  # noqa: PLR2004 - only space has this product
        raise FailedPreconditionError("Cross-products are only defined for 3-element vectors.")
    return a


def _cross(xp: Any, a: Any, b: Any) -> Any:
    if a.shape != b.shape or a.shape[-1:] != (3,):
        raise ValueError("no vectors of three elements each")
    ahead, behind = [1, 2, 0], [2, 0, 1]
    return xp.subtract(xp.multiply(a[..., ahead], b[..., behind]), xp.multiply(a[..., behind], b[..., ahead]))


cross = op(
    "cross",
    doc="The cross product of two vectors of three elements.",
    example=">>> import tapeviz as tf\n>>> tf.linalg.cross([1, 0, 0], [0, 1, 0]).numpy()\n"
    "array([0, 0, 1], dtype=int32)",
    family="linalg",
    forward=_cross,
    infer=_cross_rule,
    static=static_shape_rules.cross,
    types=NUMBERS,
    vjp={"a": lambda F, g, b: F.cross(b, g), "b": lambda F, g, a: F.cross(g, a)},
    formula=r"c = a \times b",
    vjp_formula=(r"\bar a = b \times \bar c", r"\bar b = \bar c \times a"),
    samples=cases(([(3,), (3,)], {}), ([(2, 3), (2, 3)], {}), ([(0, 3), (0, 3)], {})),
    traits="product",
)
