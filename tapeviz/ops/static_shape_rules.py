"""The rules of single ops for static shapes: see :mod:`tapeviz.engine.static_shapes`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.static_shapes import (
    StaticShape,
    at_least,
    axis_in,
    broadcast,
    merged,
    merged_sizes,
    of_rank,
    prefixed,
    same_shapes,
    shape_text,
    square,
)  # fmt: skip

__all__ = [
    "banded", "batch_to_space", "bias_add", "bincount", "broadcast_to", "categorical", "changed", "clip_by_value",
    "concat", "convolution", "cross", "cross_entropy", "depthwise", "det", "diagonal_set", "dilation", "drawn", "eig",
    "eigvals", "einsum", "ensure_shape", "fill", "found_positions", "fourier", "gather", "gather_nd", "histogram",
    "images", "in_top_k", "lu", "matrix_solve", "pad", "partition", "reverse_sequence", "scatter", "segments",
    "slogdet", "space_to_batch", "sparse_cross_entropy", "split", "squeeze", "stack", "tile", "transpose",
    "transposed_convolution", "tridiagonal", "unsorted_segments", "windows",
]  # fmt: skip

_MATRIX: Final = 2
_VECTOR: Final = 3  # of space
_Pairs = Sequence[Sequence[int | None]]


# Matrices.


def _stack_of(shape: StaticShape) -> StaticShape:
    return None if shape is None else shape[:-2]


def det(x: StaticShape) -> StaticShape:
    """A number a square matrix."""
    return _stack_of(square(x))


def slogdet(x: StaticShape) -> tuple[StaticShape, StaticShape]:
    """A sign and a logarithm a square matrix."""
    return det(x), det(x)


def eigvals(x: StaticShape) -> StaticShape:
    """As many numbers as a square matrix has rows."""
    x = square(x)
    return None if x is None else x[:-1]


def eig(x: StaticShape) -> tuple[StaticShape, StaticShape]:
    """Eigenvalues and eigenvectors of a square matrix."""
    return eigvals(x), square(x)


def lu(x: StaticShape, **_attrs: Any) -> tuple[StaticShape, StaticShape]:
    """Both triangles of a square matrix and the order of its rows."""
    return square(x), eigvals(x)


def matrix_solve(matrix: StaticShape, rhs: StaticShape, *, stretched: bool = False, **_attrs: Any) -> StaticShape:
    """A solution for each column of the right-hand sides; ``stretched`` where stacks broadcast."""
    matrix, rhs = square(matrix), at_least(rhs, _MATRIX, "Right-hand sides")
    rows, (size, columns) = None if matrix is None else matrix[-1], (None, None) if rhs is None else rhs[-2:]
    rows = merged_sizes(
        rows, size, f"Input matrix {shape_text(matrix)} and rhs {shape_text(rhs)} are incompatible: sizes must be equal"
    )
    stacks = _stack_of(matrix), _stack_of(rhs)
    what = "All input tensors must have the same outer dimensions"
    stack = broadcast(*stacks) if stretched else merged(*stacks, what)
    return None if stack is None else (*stack, rows, columns)


def banded(matrix: StaticShape, rhs: StaticShape, **attrs: Any) -> StaticShape:
    """The same for stacks that broadcast."""
    return matrix_solve(matrix, rhs, stretched=True, **attrs)


def tridiagonal(diagonals: StaticShape, rhs: StaticShape, **_attrs: Any) -> StaticShape:
    """The same with the matrix as three rows."""
    diagonals, rhs = at_least(diagonals, _MATRIX, "Diagonals"), at_least(rhs, _MATRIX, "Right-hand sides")
    if diagonals is None:
        return rhs
    merged_sizes(diagonals[-2], 3, f"Expected 3 diagonals, got {shape_text(diagonals)}")
    wanted = None if rhs is None else rhs[:-1]
    known = merged((*diagonals[:-2], diagonals[-1]), wanted, "The shapes of diagonals and right-hand sides do not fit")
    return None if known is None else (*known, None if rhs is None else rhs[-1])


def cross(a: StaticShape, b: StaticShape) -> StaticShape:
    """Vectors of three numbers."""
    shape = at_least(same_shapes(a, b), 1, "Input")
    if shape is None:
        return None
    return (*shape[:-1], merged_sizes(shape[-1], _VECTOR, "Cross-products are only defined for 3-element vectors"))


def diagonal_set(x: StaticShape, diagonal: StaticShape, *, k: Sequence[int | None], **_attrs: Any) -> StaticShape:
    """A matrix, and its diagonals as rows."""
    x, diagonal = at_least(x, _MATRIX, "Input"), at_least(diagonal, 1, "Diagonal")
    if None in k:
        return x
    several = k[0] != k[1]
    if diagonal is None:
        return x
    rank = len(diagonal) - several + 1
    if x is None:
        return (*diagonal[: rank - 2], None, None)
    if len(x) != rank:
        raise InvalidArgumentError(
            f"Shapes must be of fitting ranks: input {shape_text(x)}, diagonal {shape_text(diagonal)} for k={tuple(k)}"
        )
    stack = merged(x[:-2], diagonal[: rank - 2], "First dimensions of diagonal must be those of input")
    return (*(stack or ()), *x[-2:])


def einsum(*operands: StaticShape, equation: str) -> StaticShape:
    """One size a label; axes under an ellipsis broadcast."""
    terms, _, output = equation.replace(" ", "").partition("->")
    sizes: dict[str, int | None] = {}
    under: list[StaticShape] = []
    for term, shape in zip(terms.split(","), operands, strict=True):
        before, dots, after = term.partition("...")
        if shape is None:
            under.append(None if dots else ())
            continue
        named = shape
        if dots:
            at_least(shape, len(before) + len(after), f"Input for {term!r}")
            under.append(shape[len(before) : len(shape) - len(after)])
            named = (*shape[: len(before)], *shape[len(shape) - len(after) :])
        for label, size in zip(before + after, of_rank(named, len(before + after), f"Input for {term!r}"), strict=True):
            what = f"Dimensions must be equal for label {label!r} of {equation!r}"
            sizes[label] = merged_sizes(sizes.get(label), size, what)
    before, dots, after = output.partition("...")
    middle = broadcast(*under) if dots else ()
    if "..." in terms and not dots:
        broadcast(*under)
    if middle is None:
        return None
    return (*(sizes.get(label) for label in before), *middle, *(sizes.get(label) for label in after))


def fourier(x: StaticShape, *, rank: int | None) -> StaticShape:
    """As many axes as are transformed, or more."""
    return x if rank is None else at_least(x, rank, "Input")


# Losses and layers.


def bias_add(value: StaticShape, bias: StaticShape, *, data_format: str) -> StaticShape:
    """A number a channel."""
    value, (size,) = at_least(value, _MATRIX, "Input"), of_rank(bias, 1, "Biases")
    if value is None:
        return None
    channel = 1 if data_format.upper().startswith("NC") else len(value) - 1
    what = f"Must provide as many biases as there are channels: {shape_text(bias)} vs. {shape_text(value)}"
    return (*value[:channel], merged_sizes(value[channel], size, what), *value[channel + 1 :])


def cross_entropy(labels: StaticShape, logits: StaticShape, *, axis: int | None) -> StaticShape:
    """Classes along one axis, which goes."""
    shape = broadcast(labels, logits)
    position = None if shape is None else axis_in(axis, len(shape))
    return None if shape is None or position is None else shape[:position] + shape[position + 1 :]


def sparse_cross_entropy(labels: StaticShape, logits: StaticShape) -> StaticShape:
    """A number of a class for each row of logits."""
    logits = at_least(logits, 1, "Logits")
    rows = None if logits is None else logits[:-1]
    return merged(labels, rows, "Logits and labels must have the same first dimensions")


def in_top_k(targets: StaticShape, predictions: StaticShape, **_attrs: Any) -> StaticShape:
    """A number of a class for each row of predictions."""
    rows, _ = of_rank(predictions, 2, "Predictions")
    (count,) = of_rank(targets, 1, "Targets")
    return (merged_sizes(rows, count, "First dimension of predictions must match length of targets"),)


def images(x: StaticShape, **_attrs: Any) -> StaticShape:
    """Stacks of images with channels, whose shape stays."""
    return of_rank(x, 4, "Input")


def windows(features: StaticShape, *, ksize: Sequence[int], strides: Sequence[Any], padding: Any) -> StaticShape:
    """Windows over all axes but the first and the last."""
    features = of_rank(features, len(strides) + 2, "Input")
    holes = (1,) * len(strides)
    return _slid(features, tuple(ksize), features[-1], strides=strides, padding=padding, dilations=holes)


def convolution(input: StaticShape, filters: StaticShape, *, strides: Sequence[Any], **attrs: Any) -> StaticShape:
    """Windows with filters, which take all channels or those of a group."""
    channels = of_rank(input, len(strides) + 2, "Input")[-1]
    *_, depth, outputs = of_rank(filters, len(strides) + 2, "Filter")
    if channels is not None and depth and channels % depth:
        raise InvalidArgumentError(
            f"Depth of input ({channels}) is not a multiple of input depth of filter ({depth}): {shape_text(input)} "
            f"and {shape_text(filters)}"
        )
    return _slid(input, filters, outputs, strides=strides, **attrs)


def _slid(
    input: StaticShape, filters: StaticShape, outputs: int | None, *, strides: Sequence[Any], padding: Any,
    dilations: Sequence[Any], **_attrs: Any,
) -> StaticShape:  # fmt: skip
    """How many windows there are along each axis, as far as its size and the filter's are known."""
    sizes, kernel = of_rank(input, len(strides) + 2), filters or (None,) * len(strides)
    found: list[int | None] = []
    for axis, stride in enumerate(strides):
        size, width, holes = sizes[axis + 1], kernel[axis], dilations[axis]
        pads = (0, 0) if isinstance(padding, str) else padding[axis]
        if size is None or not stride:
            found.append(None)
        elif padding == "SAME":
            found.append(-(-size // stride))
        elif None in (width, holes, *pads):
            found.append(None)
        else:
            size, reach = size + sum(pads), ((width or 1) - 1) * holes + 1
            if size < reach:
                raise InvalidArgumentError(
                    f"Negative dimension size: windows of {shape_text(filters)} do not fit into {shape_text(input)}"
                )
            found.append((size - reach) // stride + 1)
    return (sizes[0], *found, outputs)


def depthwise(features: StaticShape, filters: StaticShape, *, strides: Sequence[Any], **attrs: Any) -> StaticShape:
    """Windows with filters for each channel."""
    channels = of_rank(features, len(strides) + 2, "Input")[-1]
    *_, depth, times = of_rank(filters, len(strides) + 2, "Filter")
    what = f"Depths of input {shape_text(features)} and filter {shape_text(filters)} must be equal"
    depth = merged_sizes(channels, depth, what)
    outputs = None if depth is None or times is None else depth * times
    return _slid(features, filters, outputs, strides=strides, **attrs)


def dilation(input: StaticShape, filters: StaticShape, *, strides: Sequence[Any], **attrs: Any) -> StaticShape:
    """Windows with one filter for each channel."""
    channels, depth = of_rank(input, len(strides) + 2, "Input")[-1], of_rank(filters, len(strides) + 1, "Filter")[-1]
    what = f"Depths of input {shape_text(input)} and filter {shape_text(filters)} must be equal"
    return _slid(input, filters, merged_sizes(channels, depth, what), strides=strides, **attrs)


def transposed_convolution(
    filters: StaticShape, upstream: StaticShape, *, input_sizes: Sequence[int | None], strides: Sequence[Any],
    **_attrs: Any,
) -> StaticShape:  # fmt: skip
    """The input of which windows with filters give these sums."""
    rank = len(strides) + 2
    depth, channels = of_rank(filters, rank, "Filter")[-1], of_rank(upstream, rank, "Input")[-1]
    merged_sizes(channels, depth, f"Channels of input {shape_text(upstream)} and filter {shape_text(filters)}")
    sizes = of_rank(tuple(input_sizes), rank, "Output shape")
    examples = None if upstream is None else upstream[0]
    return (merged_sizes(examples, sizes[0], "There must be as many examples as in the output shape"), *sizes[1:])


def space_to_batch(x: StaticShape, *, block_shape: Sequence[int | None], paddings: _Pairs) -> StaticShape:
    """Blocks, which must be whole ones."""
    x = at_least(x, len(block_shape) + 1, "Input")
    if x is None:
        return None
    smaller: list[int | None] = []
    for size, block, pair in zip(x[1:], block_shape, paddings, strict=False):
        whole = None if size is None or None in pair else size + sum(filter(None, pair))
        smaller.append(None if whole is None or not block else whole // block)
        if whole is not None and block and whole % block:
            raise InvalidArgumentError(
                f"Dimension size must be evenly divisible by {block} but is {whole}: {shape_text(x)}"
            )
    times = None if None in block_shape else math.prod(block for block in block_shape if block is not None)
    return (None if x[0] is None or times is None else x[0] * times, *smaller, *x[len(block_shape) + 1 :])


def batch_to_space(x: StaticShape, *, block_shape: Sequence[int | None], crops: _Pairs) -> StaticShape:
    """Blocks put together again."""
    x = at_least(x, len(block_shape) + 1, "Input")
    if x is None:
        return None
    times = None if None in block_shape else math.prod(block for block in block_shape if block is not None)
    if x[0] is not None and times and x[0] % times:
        raise InvalidArgumentError(f"Dimension size must be evenly divisible by {times} but is {x[0]}: {shape_text(x)}")
    larger = [
        None if size is None or block is None or None in pair else size * block - sum(filter(None, pair))
        for size, block, pair in zip(x[1:], block_shape, crops, strict=False)
    ]
    return (None if x[0] is None or not times else x[0] // times, *larger, *x[len(block_shape) + 1 :])


def drawn(*_parameters: StaticShape, shape: Sequence[int | None], **_attrs: Any) -> StaticShape:
    """As many numbers as are asked for."""
    return tuple(shape)


def categorical(logits: StaticShape, *, num_samples: int | None, **_attrs: Any) -> StaticShape:
    """Draws a row of logits."""
    return (of_rank(logits, 2, "Logits")[0], num_samples)


# Segments and scattered elements.


def segments(data: StaticShape, segment_ids: StaticShape) -> StaticShape:
    """Rows that belong together, in order."""
    data, (count,) = at_least(data, 1, "Input"), of_rank(segment_ids, 1, "Segment ids")
    if data is None:
        return None
    merged_sizes(data[0], count, "segment_ids should be the same size as dimension 0 of input")
    return (None, *data[1:])


def unsorted_segments(data: StaticShape, segment_ids: StaticShape, *, num_segments: int | None) -> StaticShape:
    """Elements that belong together, in any order."""
    rest = prefixed(data, segment_ids, "data.shape")
    return None if rest is None else (num_segments, *rest)


def partition(data: StaticShape, partitions: StaticShape, *, num_partitions: int | None) -> Sequence[StaticShape]:
    """Elements that belong together, each kind by itself; none where their count is unknown, which is refused."""
    rest = prefixed(data, partitions, "data.shape")
    return (None if rest is None else (None, *rest),) * (num_partitions or 0)


def gather(params: StaticShape, indices: StaticShape, *, axis: int | None, batch_dims: int | None) -> StaticShape:
    """Slices along one axis."""
    params = at_least(params, 1, "Params")
    if params is None or indices is None or axis is None or batch_dims is None:
        return None
    at_least(params, axis + 1 if axis >= 0 else -axis, "Params")
    return _gathered(params, indices, axis % len(params), batch_dims)


def _gathered(
    params: tuple[int | None, ...], indices: tuple[int | None, ...], position: int, batch_dims: int
) -> StaticShape:
    if not 0 <= batch_dims <= min(position, len(indices)):
        return None  # the op's rule says why
    stack = merged(params[:batch_dims], indices[:batch_dims], "The first axes of params and indices must be equal")
    return (*(stack or ()), *params[batch_dims:position], *indices[batch_dims:], *params[position + 1 :])


def gather_nd(params: StaticShape, indices: StaticShape) -> StaticShape:
    """Slices at whole indices."""
    params, indices = at_least(params, 1, "Params"), at_least(indices, 1, "Indices")
    if params is None or indices is None or indices[-1] is None:
        return None
    at_least(params, indices[-1], f"Indices are of length {indices[-1]}: params")
    return (*indices[:-1], *params[indices[-1] :])


def _check_scattered(output: StaticShape, indices: StaticShape, updates: StaticShape) -> None:
    indices = at_least(indices, 1, "Indices")
    if indices is None or updates is None:
        return
    outer, depth = len(indices) - 1, indices[-1]
    merged(
        at_least(updates, outer, "Updates")[:outer], indices[:-1],  # type: ignore[index]
        f"Outer dimensions of indices {shape_text(indices)} and updates {shape_text(updates)} must match",
    )  # fmt: skip
    if output is None or depth is None:
        return
    at_least(output, depth, f"Indices are of length {depth}: output")
    merged(
        updates[outer:], output[depth:],
        f"Inner dimensions of output {shape_text(output)} and updates {shape_text(updates)} must match",
    )  # fmt: skip


def changed(tensor: StaticShape, indices: StaticShape, updates: StaticShape) -> StaticShape:
    """A tensor with elements replaced."""
    tensor = at_least(tensor, 1, "Output")
    _check_scattered(tensor, indices, updates)
    return tensor


def scatter(indices: StaticShape, updates: StaticShape, *, shape: Sequence[int | None]) -> StaticShape:
    """Zeros with elements replaced."""
    _check_scattered(tuple(shape), indices, updates)
    return tuple(shape)


def bincount(arr: StaticShape, weights: StaticShape, *, size: int | None, **_attrs: Any) -> StaticShape:
    """How often each number is there, in each row."""
    if arr is not None and len(arr) > _MATRIX:
        raise InvalidArgumentError(f"Shape must be at most rank 2 but is rank {len(arr)}: {shape_text(arr)}")
    if weights is not None and weights != (0,) and None not in weights and 0 not in weights:
        arr = merged(arr, weights, "Weights must be of the shape of arr")
    return None if arr is None else (*arr[:-1], size)


def histogram(_values: StaticShape, value_range: StaticShape, *, nbins: int | None, **_attrs: Any) -> StaticShape:
    """How many elements are in each part of a range."""
    (ends,) = of_rank(value_range, 1, "value_range")
    merged_sizes(ends, 2, "value_range should be a vector of 2 elements")
    return (nbins,)


# Axes and sizes.


def ensure_shape(x: StaticShape, *, shape: StaticShape) -> StaticShape:
    """The shape asked for."""
    what = f"Shape of tensor input {shape_text(x)} is not compatible with expected shape {shape_text(shape)}"
    return merged(x, shape, what)


def broadcast_to(x: StaticShape, *, shape: Sequence[int | None]) -> StaticShape:
    """Axes of size 1 stretched, and axes added in front."""
    wanted = list(shape)
    if x is not None and len(x) > len(wanted):
        raise InvalidArgumentError(
            f"Rank of input ({len(x)}) must be no greater than rank of output shape ({len(wanted)}): "
            f"{shape_text(x)} and {shape_text(tuple(wanted))}"
        )
    for axis, size in enumerate(reversed(x or ()), start=1):
        if size not in (1, None):
            what = f"Incompatible shapes: {shape_text(x)} vs. {shape_text(tuple(wanted))}: sizes must be equal"
            wanted[-axis] = merged_sizes(size, wanted[-axis], what)
    return tuple(wanted)


def fill(value: StaticShape, *, shape: Sequence[int | None]) -> StaticShape:
    """One value everywhere."""
    of_rank(value, 0, "Value")
    return tuple(shape)


def pad(x: StaticShape, *, paddings: _Pairs, **_attrs: Any) -> StaticShape:
    """Elements added at both ends of each axis."""
    x = of_rank(x, len(paddings), f"Input for {len(paddings)} pairs of paddings")
    return tuple(
        None if size is None or None in pair else size + sum(filter(None, pair))
        for size, pair in zip(x, paddings, strict=True)
    )


def tile(x: StaticShape, *, multiples: Sequence[int | None]) -> StaticShape:
    """Each axis repeated."""
    x = of_rank(x, len(multiples), f"Input for {len(multiples)} multiples")
    return tuple(
        0 if times == 0 else None if size is None or times is None else size * times
        for size, times in zip(x, multiples, strict=True)
    )


def concat(*values: StaticShape, axis: int | None) -> StaticShape:
    """Inputs one behind another along an axis."""
    known = [at_least(value, 1, "Inputs of concat") for value in values if value is not None]
    if not known or axis is None:
        for value in known[1:]:
            of_rank(value, len(known[0] or ()))
        return None if not known else (None,) * len(known[0] or ())
    rank = len(known[0] or ())
    position = axis_in(axis, rank)
    if position is None:
        at_least(known[0], axis + 1 if axis >= 0 else -axis, "Inputs of concat")
        return None
    found: StaticShape = None
    for value in known:
        shape = of_rank(value, rank, "Ranks of all inputs must match: shape")
        found = merged(found, (*shape[:position], None, *shape[position + 1 :]), "All axes but one must be equal")
    sizes = [value[position] for value in values if value is not None]
    whole = None if None in sizes or len(sizes) < len(values) else sum(filter(None, sizes))
    return None if found is None else (*found[:position], whole, *found[position + 1 :])


def stack(*values: StaticShape, axis: int | None) -> StaticShape:
    """Inputs one behind another along a new axis."""
    shape = same_shapes(*values)
    position = None if shape is None or axis is None else axis_in(axis, len(shape) + 1)
    return None if shape is None or position is None else (*shape[:position], len(values), *shape[position:])


def split(x: StaticShape, *, sizes: Sequence[int | None], axis: int | None) -> Sequence[StaticShape]:
    """Parts along an axis."""
    at_least(x, 1, "Input")
    position = None if x is None or axis is None else axis_in(axis, len(x))
    if x is None or position is None:
        return (None,) * len(sizes)
    known = [size for size in sizes if size is not None]
    whole = x[position]
    if whole is not None and (sum(known) != whole if len(known) == len(sizes) else sum(known) > whole):
        raise InvalidArgumentError(f"The sizes {list(sizes)} do not add up to axis {position} of {shape_text(x)}")
    return [(*x[:position], size, *x[position + 1 :]) for size in sizes]


def reverse_sequence(
    x: StaticShape, seq_lengths: StaticShape, *, seq_axis: int | None, batch_axis: int | None
) -> StaticShape:
    """A length for each example."""
    (count,) = of_rank(seq_lengths, 1, "seq_lens")
    if x is None or batch_axis is None or seq_axis is None:
        return x
    if not 0 <= batch_axis < len(x) or not 0 <= seq_axis < len(x):
        return None
    size = merged_sizes(x[batch_axis], count, f"Length of seq_lens must be that of axis {batch_axis} of the input")
    return (*x[:batch_axis], size, *x[batch_axis + 1 :])


def squeeze(x: StaticShape, *, axis: Sequence[int | None] | None) -> StaticShape:
    """Axes of size 1 gone."""
    if x is None or axis is None or None in axis:
        return None
    gone = {axis_in(one, len(x)) for one in axis}
    for position in gone - {None}:
        merged_sizes(x[position], 1, f"Can not squeeze axis {position} of {shape_text(x)}")  # type: ignore[index]
    return None if None in gone else tuple(size for position, size in enumerate(x) if position not in gone)


def transpose(x: StaticShape, *, perm: Sequence[int | None] | None) -> StaticShape:
    """Axes in another order."""
    if perm is None:
        return None if x is None else x[::-1]
    x = of_rank(x, len(perm), f"Input for an order of {len(perm)} axes")
    axes = [None if axis is None else axis_in(axis, len(x)) for axis in perm]
    left = {size for axis, size in enumerate(x) if axis not in axes}
    any_of_them = left.pop() if len(left) == 1 else None
    return tuple(any_of_them if axis is None else x[axis] for axis in axes)


def found_positions(_sequence: StaticShape, values: StaticShape, **_attrs: Any) -> StaticShape:
    """A position for each value."""
    return values


def clip_by_value(x: StaticShape, low: StaticShape, high: StaticShape) -> StaticShape:
    """Limits broadcast to what they clip."""
    if x is None:
        return None
    whole = broadcast(x, low, high)
    if whole is None:
        return x
    return merged(x, whole, "Limits must broadcast to the shape of what they clip")
