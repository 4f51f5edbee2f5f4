"""Ragged tensors: rows of different lengths, as one tensor of their values and the places where rows begin."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.dtypes import DType
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.operators import public
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.tensor import Tensor

__all__ = ["RaggedTensor", "constant", "map_flat_values", "stack"]


class RaggedTensor:
    """Rows of different lengths.

    Args:
        values: the elements of all rows, one row after the other.
        row_splits: where each row begins in ``values``, and at last where the last one ends.

    Raises:
        ValueError: ``row_splits`` does not begin at 0, falls, or ends elsewhere than the values do.

    >>> import tapeviz as tf
    >>> rows = tf.ragged.constant([[1, 2], [], [3]])
    >>> rows.to_tensor().numpy()
    array([[1, 2],
           [0, 0],
           [3, 0]], dtype=int32)
    """

    def __init__(self, values: Any, row_splits: Any) -> None:
        self.values: Tensor = convert_to_tensor(values)
        self.row_splits: Tensor = convert_to_tensor(np.asarray(row_splits, np.int64))
        places = self.row_splits.numpy()
        if not places.size or places[0] or (np.diff(places) < 0).any() or places[-1] != self.values.shape[0]:
            raise ValueError(f"row_splits must rise from 0 to the number of values; got {places.tolist()}")

    @classmethod
    def from_row_splits(cls, values: Any, row_splits: Any) -> RaggedTensor:
        """Rows by the places where they begin, and the end."""
        return cls(values, row_splits)

    @classmethod
    def from_row_lengths(cls, values: Any, row_lengths: Any) -> RaggedTensor:
        """Rows by their lengths."""
        return cls(values, np.concatenate([[0], np.cumsum(np.asarray(row_lengths, np.int64))]))

    @classmethod
    def from_row_starts(cls, values: Any, row_starts: Any) -> RaggedTensor:
        """Rows by the places where they begin."""
        return cls(values, [*np.asarray(row_starts), len(np.asarray(values))])

    @classmethod
    def from_value_rowids(cls, values: Any, value_rowids: Any, nrows: Any = None) -> RaggedTensor:
        """Rows by the number of the row that each value is in."""
        rows = np.asarray(value_rowids, np.int64)
        count = int(nrows) if nrows is not None else int(rows.max(initial=-1)) + 1
        return cls.from_row_lengths(values, np.bincount(rows, minlength=count))

    @classmethod
    def from_tensor(cls, tensor: Any, lengths: Any = None, padding: Any = None) -> RaggedTensor:
        """The rows of a tensor: their first ``lengths`` elements, or all up to the padding at their ends."""
        rows = convert_to_tensor(tensor)
        array, width = rows.numpy(), int(rows.shape[1])
        if lengths is None:
            kept = np.ones(array.shape[:2], bool) if padding is None else array != np.asarray(padding)
            lengths = np.where(kept.any(1), width - kept[:, ::-1].argmax(1), 0)
        inside = np.arange(width) < np.asarray(lengths)[:, None]
        return cls.from_row_lengths(registry["gather_nd"].run(rows, np.argwhere(inside)), inside.sum(1))

    @classmethod
    def from_sparse(cls, st_input: Any) -> RaggedTensor:
        """The rows of a sparse tensor with two axes, whose elements stand at the beginnings of rows.

        Raises:
            ValueError: there are other axes, or gaps between elements.
        """
        places, sizes = st_input.indices.numpy(), st_input.dense_shape.numpy()
        if len(sizes) != 2:  # noqa: PLR2004
            raise ValueError(f"rank(st_input) must be 2, got {len(sizes)}")
        made = cls.from_value_rowids(st_input.values, places[:, 0], sizes[0])
        if not np.array_equal(places[:, 1], made._places()[:, 1]):
            raise ValueError("SparseTensor is not right-ragged")
        return made

    def _places(self) -> np.ndarray:
        """Row and column of each element."""
        splits = self.row_splits.numpy()
        rows = np.repeat(np.arange(len(self)), np.diff(splits))
        return np.stack([rows, np.arange(len(rows)) - splits[rows]], 1)

    def to_sparse(self, name: str | None = None) -> Any:
        """The sparse tensor of the same elements."""
        return public["sparse_tensor"](self._places(), self.values, self.bounding_shape())

    @property
    def flat_values(self) -> Tensor:
        """The elements of all rows."""
        return self.values

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self.values.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape, with None for the length of rows."""
        return TensorShape([self.row_splits.shape[0] - 1, None, *self.values.shape[1:]])

    @property
    def ragged_rank(self) -> int:
        """How many axes are ragged."""
        return 1

    def get_shape(self) -> TensorShape:
        """The same as ``shape``."""
        return self.shape

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """The number of rows."""
        return convert_to_tensor(np.int64(self.row_splits.shape[0] - 1))

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Tensor:
        """The length of each row."""
        return convert_to_tensor(np.diff(self.row_splits.numpy()))

    def row_starts(self, name: str | None = None) -> Tensor:
        """Where each row begins."""
        return self.row_splits[:-1]

    def value_rowids(self, name: str | None = None) -> Tensor:
        """The number of the row that each value is in."""
        lengths = self.row_lengths().numpy()
        return convert_to_tensor(np.repeat(np.arange(len(lengths)), lengths))

    def bounding_shape(self, axis: Any = None, name: str | None = None, out_type: Any = None) -> Tensor:
        """The shape of the smallest tensor that holds all rows."""
        lengths = self.row_lengths().numpy()
        sizes = [len(lengths), lengths.max(initial=0), *self.values.shape[1:].as_list()]
        return convert_to_tensor(np.array(sizes, np.int64))

    def with_values(self, new_values: Any) -> RaggedTensor:
        """Other elements in the same rows."""
        return RaggedTensor(new_values, self.row_splits)

    with_flat_values = with_values

    def to_tensor(self, default_value: Any = None, name: str | None = None, shape: Any = None) -> Tensor:
        """The rows as a tensor, filled up at their ends.

        Args:
            default_value: what fills up: 0, or an empty string, unless given.
            name: accepted as TensorFlow does.
            shape: the shape of the result, which may cut rows; None for what is needed.
        """
        lengths = self.row_lengths().numpy()
        wanted = [None] * 2 if shape is None else list(TensorShape(shape))
        height, width = (own if given is None else given for own, given in
                         zip((len(lengths), lengths.max(initial=0)), wanted[:2], strict=True))  # fmt: skip
        inside = np.arange(width) < np.minimum(lengths[:height], width)[:, None]
        places = np.argwhere(inside)
        picked = registry["gather"].run(self.values, self.row_splits.numpy()[places[:, 0]] + places[:, 1])
        sizes = (height, width, *self.values.shape[1:])
        fill = (b"" if self.dtype == "string" else 0) if default_value is None else default_value
        blank = registry["broadcast_to"].run(convert_to_tensor(fill, dtype=self.dtype), sizes)
        return registry["tensor_scatter_nd_update"].run(blank, places, picked)  # type: ignore[no-any-return]

    def to_list(self) -> list[Any]:
        """The rows as lists."""
        return [row.tolist() for row in self._rows()]

    def numpy(self) -> np.ndarray:
        """The rows as an array of arrays; of rows that are all of one length, as one array."""
        rows = self._rows()
        if len({len(row) for row in rows}) == 1:
            return np.stack(rows)
        made = np.empty(len(rows), dtype=object)
        made[:] = rows
        return made

    def _rows(self) -> list[np.ndarray]:
        return np.split(self.values.numpy(), self.row_splits.numpy()[1:-1])

    def __len__(self) -> int:
        return int(self.row_splits.shape[0]) - 1

    def __iter__(self) -> Iterator[Tensor]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        first, *rest = key if isinstance(key, tuple) else (key,)
        starts = self.row_splits.numpy()
        if isinstance(first, slice):
            chosen = range(len(self))[first]
            parts = [self.values[int(starts[row]) : int(starts[row + 1])][tuple(rest)] for row in chosen]
            return stack(parts) if parts else RaggedTensor(self.values[:0], [0])
        row = range(len(self))[int(first)]
        part = self.values[int(starts[row]) : int(starts[row + 1])]
        return part[tuple(rest)] if rest else part

    def _apply_op(self, op: Any, inputs: Sequence[Any], attrs: dict[str, Any]) -> RaggedTensor:
        """An op of the elements, in the same rows; another op takes no ragged tensors."""
        if op.family != "elementwise":
            raise ValueError(
                f"Attempt to convert a value ({self!r}) with an unsupported type ({type(self)}) to a Tensor: "
                f"{op.tf_name} takes dense tensors; to_tensor() gives one"
            )
        return self.with_values(op.run(*map(self._elements, inputs), **attrs))

    def _elements(self, other: Any) -> Any:
        """What goes with each element: that at its place, that of its row, or one number for all."""
        if not isinstance(other, RaggedTensor):
            dense = convert_to_tensor(other, dtype_hint=self.dtype)
            if not dense.ndim:
                return dense
            if dense.ndim == self.values.ndim + 1 and dense.shape[1] == 1 and dense.shape[0] in (1, len(self)):
                rows = self.value_rowids() if dense.shape[0] == len(self) else [0] * int(self.values.shape[0])
                return registry["gather"].run(dense[:, 0], rows)
        elif other.row_splits.numpy().tolist() == self.row_splits.numpy().tolist():
            return other.values
        raise InvalidArgumentError(
            f"Unable to broadcast: rows of lengths {np.diff(self.row_splits.numpy()).tolist()} and {other!r} do not go "
            "together"
        )

    def __repr__(self) -> str:
        return f"<tf.RaggedTensor {self.to_list()}>"


def _define_operators() -> None:
    def define(name: str, apply: Callable[..., Any]) -> None:
        def method(self: RaggedTensor, *others: Any) -> RaggedTensor:
            return self.with_values(apply(self.values, *map(self._elements, others)))

        def reflected(self: RaggedTensor, other: Any) -> RaggedTensor:
            return self.with_values(apply(self._elements(other), self.values))

        setattr(RaggedTensor, f"__{name}__", method)
        if name in _REFLECTED:
            setattr(RaggedTensor, f"__r{name}__", reflected)

    for name in (*_REFLECTED, "lt", "le", "gt", "ge", "neg", "abs", "and", "or", "invert"):
        define(name, getattr(operator, f"__{name}__"))


_REFLECTED: Final = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
_define_operators()


def constant(
    pylist: Any, dtype: Any = None, ragged_rank: Any = None, inner_shape: Any = None, name: str | None = None,
    row_splits_dtype: Any = "int64",
) -> RaggedTensor:  # fmt: skip
    """A ragged tensor of lists.

    Args:
        pylist: a list of lists.
        dtype: of the elements; what they suggest where None.
        ragged_rank: 1 or None: one axis is ragged.
        inner_shape: the shape of each element.
        name: accepted as TensorFlow does.
        row_splits_dtype: accepted as TensorFlow does.

    Raises:
        NotImplementedError: more than one axis is ragged.

    >>> import tapeviz as tf
    >>> tf.ragged.constant([[1], [2, 3]])
    <tf.RaggedTensor [[1], [2, 3]]>
    """
    flat = [item for row in pylist for item in row]
    if ragged_rank not in (None, 1) or len({np.shape(item) for item in flat if isinstance(item, list)}) > 1:
        raise NotImplementedError("Ragged tensors have one ragged axis here: pad the inner rows to one length")
    values = convert_to_tensor(flat, dtype=dtype) if flat else convert_to_tensor(np.zeros(0, np.float32), dtype=dtype)
    return RaggedTensor.from_row_lengths(values, [len(row) for row in pylist])


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> RaggedTensor:
    """A function of the elements of ragged tensors, in the rows of the first one.

    >>> import tapeviz as tf
    >>> tf.ragged.map_flat_values(tf.square, tf.ragged.constant([[1], [2, 3]]))
    <tf.RaggedTensor [[1], [4, 9]]>
    """
    first = next(item for item in args if isinstance(item, RaggedTensor))
    return first.with_values(op(*(item.values if isinstance(item, RaggedTensor) else item for item in args), **kwargs))


def stack(values: Any, axis: int = 0, name: str | None = None) -> RaggedTensor:
    """Vectors of different lengths as the rows of a ragged tensor.

    >>> import tapeviz as tf
    >>> tf.ragged.stack([[1], [2, 3]])
    <tf.RaggedTensor [[1], [2, 3]]>
    """
    rows = [convert_to_tensor(row) for row in values]
    return RaggedTensor.from_row_lengths(registry["concat"].run(*rows, axis=0), [int(row.shape[0]) for row in rows])
