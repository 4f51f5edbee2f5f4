"""The steps of a recurrent layer, one by one or as a loop of a graph; masked steps change nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tapeviz.engine import nest
from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.graphs.control import while_loop
from tapeviz.graphs.tensor_arrays import TensorArray
from tapeviz.ops.creation import zeros
from tapeviz.ops.joining import stack, unstack

__all__ = ["Steps"]

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
        truths = [None] * inputs._a.shape[1] if mask is None else unstack(mask, axis=1)
        output: Any = None
        for x, truth in zip(unstack(inputs, axis=1), truths, strict=True):
            output, states = self._step(x, states, truth, output)
            outputs.append(output)
        return (stack(outputs, axis=1) if every else None), output, states

    def _step(self, x: Any, before: list[Any], truth: Any, previous: Any) -> tuple[Any, list[Any]]:
        output, after = self._advance(x, before)
        if truth is None:
            return output, after
        where = registry["where"].run
        kept = registry["expand_dims"].run(truth, -1)
        if previous is None or self._zeros:
            previous = registry["zeros_like"].run(output)
        pairs = zip(nest.flatten(after), nest.flatten(before), strict=True)
        states = nest.pack(after, [where(kept, new, old) for new, old in pairs])
        return where(kept, output, previous), states

    def looped(self, inputs: Any, states: list[Any], mask: Any, width: int) -> tuple[Any, Any, list[Any]]:
        """The same as one loop of a graph."""
        examples, length = inputs._a.shape[:2]
        steps = _along(inputs)
        truths = None if mask is None else _along(mask)
        outputs = TensorArray(inputs.dtype, size=convert_to_tensor(length), element_shape=(None, width))
        first = zeros([examples, width], inputs.dtype)

        def body(place: Any, so_far: Any, previous: Any, *before: Any) -> tuple[Any, ...]:
            truth = None if truths is None else truths.read(place)
            output, after = self._step(steps.read(place), nest.pack(states, list(before)), truth, previous)
            return (place + 1, so_far.write(place, output), output, *nest.flatten(after))

        begin = (convert_to_tensor(0), outputs, first, *(convert_to_tensor(state) for state in nest.flatten(states)))
        _, every, last, *after = while_loop(lambda place, *_rest: place < length, body, begin)
        return registry["transpose"].run(every.stack(), (1, 0, 2)), last, nest.pack(states, list(after))


def _along(tensor: Any) -> TensorArray:
    """The steps of sequences as a list that a loop reads."""
    order = (1, 0, *range(2, tensor.ndim))
    return TensorArray(tensor.dtype, size=0, dynamic_size=True).unstack(registry["transpose"].run(tensor, order))
