"""Slices, with tensors as bounds; views and chains of reshapes; parts put together; writes into parts."""

from __future__ import annotations

from tests.fuzz.generators.builder import Builder


def _bound(build: Builder, size: int) -> str:
    """Return a bound of a slice: nothing, a number or a scalar tensor."""
    draw = build.rng.random()
    if draw < 0.3:
        return ""
    if draw < 0.6:
        return str(build.rng.randint(-size - 1, size + 1))
    scalars = build.any(lambda v: v.shape.rank == 0 and v.dtype.name in ("int32", "int64"))
    if scalars and build.chance(0.7):
        return scalars
    return build.input([], "int32", build.rng.choice(["positive", "index"]))


def _entry(build: Builder, size: int) -> str:
    draw = build.rng.random()
    if draw < 0.65:
        step = build.rng.choice(["", "", "", ":1", ":2", ":-1", ":-2", ":3"])
        return f"{_bound(build, size)}:{_bound(build, size)}{step}"
    if draw < 0.75:
        return "tf.newaxis"
    return _bound(build, size) or "-1"


def take_slice(build: Builder) -> None:
    """Add an index expression."""
    one = build.any(lambda v: v.shape.rank >= 1) or build.input([4, 3], build.dtype())
    sizes = [int(n) for n in build.values[one].shape]
    entries = [_entry(build, size) for size in sizes[: build.rng.randint(1, len(sizes))]]
    if build.chance(0.2):
        entries.insert(build.rng.randrange(len(entries) + 1), "...")
    part = build.let(f"{one}[{', '.join(entries)}]")
    if part and build.chance(0.4):
        build.let(build.rng.choice([
            f"tf.ones(tf.shape({part}))", f"tf.shape({part})", f"tf.reshape({part}, tf.shape({part}))",
            f"tf.size({part})", f"tf.zeros_like({part})", f"tf.reshape({part}, [-1])", f"{part} + {part}",
            f"tf.reduce_sum({part}, 0)", f"tf.concat([{part}, {part}], 0)",
            f"tf.broadcast_to({part}, tf.shape({part}))", f"tf.range(tf.size({part}))",
            f"tf.fill(tf.shape({part}), 2.5)",
        ]))  # fmt: skip


def chain_views(build: Builder) -> None:
    """Add a few views in a row: reshapes, transpositions, axes added and taken away."""
    one = build.any() or build.input(build.shape(), build.dtype())
    for _ in range(build.rng.randint(1, 4)):
        value = build.values[one]
        sizes = [int(n) for n in value.shape]
        axis = build.rng.randrange(len(sizes)) if sizes else 0
        backwards = list(range(len(sizes)))
        build.rng.shuffle(backwards)
        one = build.let(build.rng.choice([
            f"tf.reshape({one}, [-1])", f"tf.reshape({one}, tf.shape({one}))", f"tf.transpose({one})",
            f"tf.transpose({one}, {backwards})", f"tf.expand_dims({one}, {axis})", f"tf.squeeze({one})",
            f"tf.reverse({one}, [{axis}])", f"tf.identity({one})", f"tf.reshape({one}, {sizes[::-1]})",
            f"tf.roll({one}, 1, {axis})", f"{one}[::-1]", f"{one}[..., tf.newaxis]", f"tf.ensure_shape({one}, {sizes})",
            f"tf.broadcast_to({one}, {[2, *sizes]})",
        ])) or one  # fmt: skip


def join(build: Builder) -> None:
    """Add what makes one tensor of several, or several of one."""
    one = build.any(lambda v: v.shape.rank >= 1) or build.input([2, 3], build.dtype())
    value = build.values[one]
    sizes = [int(n) for n in value.shape]
    axis = build.rng.randrange(-len(sizes), len(sizes))
    other = build.tensor_of(sizes, value.dtype.name)
    build.let(build.rng.choice([
        f"tf.concat([{one}, {other}], {axis})", f"tf.concat([{one}, {one}, {other}], {axis})",
        f"tf.stack([{one}, {other}], {axis})", f"tf.unstack({one}, axis={axis})",
        f"tf.split({one}, {build.rng.choice([1, sizes[axis] or 1])}, {axis})", f"tf.tile({one}, {[2] * len(sizes)})",
        f"tf.repeat({one}, 2, {axis})", f"tf.pad({one}, {[[1, 1]] * len(sizes)})",
        f"tf.gather({one}, [0, {max(sizes[axis] - 1, 0)}, 0], axis={axis})", f"tf.sort({one}, {axis})",
        f"tf.argmax({one}, {axis})", f"tf.argsort({one}, {axis})", f"tf.cumsum({one}, {axis}, reverse=True)",
        f"tf.meshgrid({one}[..., 0], {one}[..., -1])", f"tf.one_hot(tf.cast({one}, tf.int32), 3)",
    ]))  # fmt: skip


def write_part(build: Builder) -> None:
    """Add an update of a part of a tensor, or a choice of elements that depends on their values."""
    one = build.any(lambda v: v.shape.rank >= 1 and v.shape[0] > 1) or build.input([3, 2], "float32")
    value = build.values[one]
    row = build.tensor_of([int(n) for n in value.shape[1:]], value.dtype.name)
    build.let(build.rng.choice([
        f"tf.tensor_scatter_nd_{build.rng.choice(['update', 'add', 'sub', 'min', 'max'])}({one}, [[1]], [{row}])",
        f"tf.boolean_mask({one}, {one} == {one})", f"tf.where({one} != {one})", f"tf.unique(tf.reshape({one}, [-1]))",
        f"tf.gather_nd({one}, [[0], [1]])", f"tf.scatter_nd([[1], [0]], [{row}, {row}], tf.shape({one}))",
        f"tf.dynamic_partition({one}, tf.range({int(value.shape[0])}) % 2, 2)",
    ]))  # fmt: skip
