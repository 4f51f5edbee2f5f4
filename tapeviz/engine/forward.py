"""Forward mode: how results change along a direction of the inputs.

The gradients of an op are linear in the upstream gradient, and the transpose of a linear map is a gradient again: what
a direction ``v`` of the inputs does to a result is the gradient, with respect to ``u``, of the backward pass from
``u``, weighted by ``v``. So forward mode needs no rule beside those for going back: an op with a gradient has both.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from tapeviz.engine import nest
from tapeviz.engine.backward import walk_on_tensors
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.operators import public
from tapeviz.engine.state import active, local
from tapeviz.engine.tape import GradientTape, UnconnectedGradients

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ForwardAccumulator"]


class ForwardAccumulator:
    """Computes Jacobian-vector products of what is computed inside its block.

    Where a tape asks how one result depends on many inputs, this asks how many results depend on one direction.

    Args:
        primals: a tensor or variable, or a structure of them: where from.
        tangents: the same structure of tensors of the same shapes: the direction.

    Raises:
        ValueError: the structures or shapes differ, or a primal is given twice.

    >>> import tapeviz as tf
    >>> x = tf.constant([1.0, 2.0, 3.0])
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0, 0.0])) as accumulator:
    ...     y = x * x
    >>> print(accumulator.jvp(y))
    tf.Tensor([2. 0. 0.], shape=(3,), dtype=float32)
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        if len(nest.flatten(primals)) != len(nest.flatten(tangents)):
            raise ValueError(
                "The two structures don't have the same nested structure.\n\n"
                f"First structure: type={type(primals).__name__} str={primals}\n\n"
                f"Second structure: type={type(tangents).__name__} str={tangents}"
            )
        self._entries: list[Any] = []
        self._append = self._entries.append
        self._recording = False
        self._tangents: dict[int, Any] = {}
        for primal, tangent in zip(nest.flatten(primals), nest.flatten(tangents), strict=True):
            self._start_from(primal, tangent)
        self._tracked = set(self._tangents)

    def _start_from(self, primal: Any, tangent: Any) -> None:
        value = _value_of(primal)
        given = convert_to_tensor(tangent, dtype=value.dtype)
        if given.shape != value.shape:
            raise ValueError(f"a tangent has shape {given.shape}, but its primal has shape {value.shape}")
        if value._id in self._tangents:
            raise ValueError(
                f"Tensor {value!r} was specified as a primal multiple times. This may indicate an error. If it was "
                "intended, please sum the corresponding tangents."
            )
        if value.dtype.is_differentiable:
            self._tangents[value._id] = given

    def __enter__(self) -> Self:
        if self._recording:
            raise ValueError("Accumulator is already recording.")
        state = local.state
        state.tapes = (*state.tapes, self)
        active.append(self)
        self._recording = True
        return self

    def __exit__(self, *_details: object) -> None:
        state = local.state
        state.tapes = tuple(tape for tape in state.tapes if tape is not self)
        active.remove(self)
        self._recording = False

    def _follow(self, _variable: Any, *, automatic: bool, value: Any = None) -> None:
        """A variable was read. Only the primals' values are followed, and these are from the beginning."""

    def jvp(self, primals: Any, unconnected_gradients: str = UnconnectedGradients.NONE) -> Any:
        """The directional derivative of each of ``primals``, in their structure.

        Args:
            primals: tensors computed inside the block, or a structure of them.
            unconnected_gradients: ``"none"`` or ``"zero"``: what to give for what does not depend on the primals that
                the accumulator was made with.

        Returns:
            For each a tensor of its shape and dtype, or None.

        Raises:
            ValueError: ``unconnected_gradients`` is neither word.
        """
        if unconnected_gradients not in (UnconnectedGradients.NONE, UnconnectedGradients.ZERO):
            raise ValueError(f"Unknown value for unconnected_gradients: {unconnected_gradients!r}")
        with self._aside():
            found = [self._along(_value_of(item)) for item in nest.flatten(primals)]
        if unconnected_gradients == UnconnectedGradients.ZERO:
            pairs = zip(found, nest.flatten(primals), strict=True)
            found = [public["zeros_like"](_value_of(item)) if one is None else one for one, item in pairs]
        return nest.pack(primals, found)

    def _along(self, target: Any) -> Any:
        number = target._id
        if number in self._tangents:
            return self._tangents[number]
        if number not in self._tracked:
            return None
        upstream = public["zeros_like"](target)
        with GradientTape() as tape:
            tape.watch(upstream)
            back = walk_on_tensors(self._entries, {number: upstream}, set(self._tangents))
        reached = [number for number in self._tangents if back.get(number) is not None]
        weights = [self._tangents[number] for number in reached]
        return tape.gradient([back[number] for number in reached], upstream, output_gradients=weights)

    @contextmanager
    def _aside(self) -> Iterator[None]:
        """Only what is around this accumulator follows what it computes."""
        state = local.state
        before = state.tapes
        state.tapes = before[: before.index(self)] if self in before else before
        try:
            yield
        finally:
            state.tapes = before


def _value_of(item: Any) -> Any:
    return item._now() if hasattr(item, "_read") else convert_to_tensor(item)
