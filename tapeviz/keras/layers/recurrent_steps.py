"""The steps of a recurrent layer, one by one or as a loop of a graph; masked steps change nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.shapes import TensorShape
from tapeviz.graphs.control.control_flow import while_loop
from tapeviz.graphs.control.tensor_array import TensorArray
from tapeviz.ops.array.concat import stack, unstack
from tapeviz.ops.array.creation import zeros

__all__ = ["Steps", "size_list"]

# As many steps are traced one by one; more would make the graph large for little.
_FEW: Final = 64


class Steps:
    """Goes along sequences.

    Args:
        advance: takes an input and the states before, gives an output and the states after.
        zeros: whether masked steps give zeros, not the output before.
    """

    def __init__(self, advance: Callable[[Any, list[Any]], tuple[Any, list[Any]]], zeros: bool) -> None:
        self._advance = advance
        self._zeros = zeros

    @staticmethod
    def are_many(length: int) -> bool:
        """Whether a graph had better go along this many steps in a loop."""
        return length > _FEW

    def unrolled(self, inputs: Any, states: list[Any], mask: Any, *, every: bool) -> tuple[Any, Any, list[Any]]:
        """The outputs of all steps (None unless ``every``), the last one, and the states after it."""
        outputs: list[Any] = []
        sequences = [unstack(sequence, axis=1) for sequence in nest.flatten(inputs)]
        truths = [None] * len(sequences[0]) if mask is None else unstack(mask, axis=1)
        output: Any = None
        for truth, *parts in zip(truths, *sequences, strict=True):
            output, states = self._step(nest.pack(inputs, parts), states, truth, output)
            outputs.append(output)
        if not every:
            return None, output, states
        return nest.map_structure(lambda *parts: stack(parts, axis=1), *outputs), output, states

    def _step(self, x: Any, before: list[Any], truth: Any, previous: Any) -> tuple[Any, list[Any]]:
        output, after = self._advance(x, before)
        if truth is None:
            return output, after
        if previous is None or self._zeros:
            previous = nest.map_structure(registry["zeros_like"].run, output)
        pairs = zip(nest.flatten(after), nest.flatten(before), strict=True)
        states = nest.pack(after, [_chosen(truth, new, old) for new, old in pairs])
        return nest.map_structure(lambda new, old: _chosen(truth, new, old), output, previous), states

    def looped(self, inputs: Any, states: list[Any], mask: Any, sizes: Any) -> tuple[Any, Any, list[Any]]:
        """The same as one loop of a graph. ``sizes`` are those of an output without the examples, for each output."""
        sequences = nest.flatten(inputs)
        dtype, (examples, length) = sequences[0].dtype, sequences[0]._a.shape[:2]
        steps = [_along(sequence) for sequence in sequences]
        truths = None if mask is None else _along(mask)
        shapes = [size_list(size) for size in nest.flatten(sizes)]
        count = convert_to_tensor(length)
        outputs = [TensorArray(dtype, size=count, element_shape=(None, *shape)) for shape in shapes]
        first = [zeros([examples, *shape], dtype) for shape in shapes]

        def body(place: Any, so_far: list[Any], previous: list[Any], before: list[Any]) -> tuple[Any, ...]:
            truth = None if truths is None else truths.read(place)
            x = nest.pack(inputs, [sequence.read(place) for sequence in steps])
            output, after = self._step(x, nest.pack(states, before), truth, nest.pack(sizes, previous))
            parts = nest.flatten(output)
            written = [array.write(place, part) for array, part in zip(so_far, parts, strict=True)]
            return place + 1, written, parts, nest.flatten(after)

        begin = (convert_to_tensor(0), outputs, first, [convert_to_tensor(state) for state in nest.flatten(states)])
        _, every, last, after = while_loop(lambda place, *_rest: place < length, body, begin)
        whole = [_examples_first(array.stack(), 2 + len(shape)) for array, shape in zip(every, shapes, strict=True)]
        return nest.pack(sizes, whole), nest.pack(sizes, last), nest.pack(states, after)


def size_list(size: Any) -> list[int | None]:
    """The sizes of a state or output without the examples, which a cell gives as a number or as a shape."""
    return [size] if isinstance(size, int) else list(TensorShape(size).as_list())


def _chosen(truth: Any, new: Any, old: Any) -> Any:
    """What a step that is masked for some examples leaves."""
    kept = truth
    for _ in range(new.ndim - 1):
        kept = registry["expand_dims"].run(kept, -1)
    return registry["where"].run(kept, new, old)


def _examples_first(steps: Any, rank: int) -> Any:
    return registry["transpose"].run(steps, (1, 0, *range(2, rank)))


def _along(tensor: Any) -> TensorArray:
    """The steps of sequences as a list that a loop reads."""
    order = (1, 0, *range(2, tensor.ndim))
    return TensorArray(tensor.dtype, size=0, dynamic_size=True).unstack(registry["transpose"].run(tensor, order))
