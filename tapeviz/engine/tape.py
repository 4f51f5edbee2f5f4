"""GradientTape: a list of what was computed from what it watches, and the way back."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias, TypeVar, overload

from tapeviz.engine import jacobians, nest
from tapeviz.engine.backward import Request, run_backward
from tapeviz.engine.operators import public
from tapeviz.engine.state import active, local, next_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tapeviz.engine.indexed_slices import IndexedSlices
    from tapeviz.engine.tensor import Tensor
    from tapeviz.engine.variable import Variable

__all__ = ["Gradient", "GradientTape", "UnconnectedGradients"]

Gradient: TypeAlias = "Tensor | IndexedSlices | None"
"""What a tape gives for one source: None where the target does not depend on it."""

_Key = TypeVar("_Key")
_Source = TypeVar("_Source", bound="Tensor | Variable")


class UnconnectedGradients:
    """What :meth:`GradientTape.gradient` gives for a source that the target does not depend on."""

    NONE: Final = "none"
    ZERO: Final = "zero"


class GradientTape:
    """Records ops so that gradients can be taken.

    Trainable variables that are read inside the block are watched by themselves, tensors with :meth:`watch`. A tape
    answers one question and is then used up, unless it is persistent.

    Args:
        persistent: answer any number of questions.
        watch_accessed_variables: watch trainable variables by themselves.

    >>> import tapeviz as tf
    >>> w = tf.Variable([[1.0]])
    >>> with tf.GradientTape() as tape:
    ...     loss = w * w
    >>> print(tape.gradient(loss, w))
    tf.Tensor([[2.]], shape=(1, 1), dtype=float32)
    """

    __slots__ = (
        "_accessed",
        "_append",
        "_entries",
        "_followed",
        "_number",
        "_persistent",
        "_recording",
        "_tracked",
        "_used",
    )

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._accessed: int = watch_accessed_variables
        self._recording = False
        self._used = False
        self._number = next_id()
        self._clear()

    def _clear(self) -> None:
        self._entries: list[Any] = []
        self._append = self._entries.append
        self._tracked: set[int] = set()
        # For each variable read: the numbers of the values that it had, whose gradients add up to its own.
        self._followed: dict[int, tuple[Any, list[int]]] = {}

    def __enter__(self) -> Self:
        if self._recording:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        self._start("enter")
        return self

    def __exit__(self, *_details: object) -> None:
        if self._recording:
            self._stop("exit")

    def _start(self, change: str) -> None:
        state = local.state
        state.tapes = (*state.tapes, self)
        active.append(self)
        self._recording = True
        self._report(change)

    def _stop(self, change: str) -> None:
        state = local.state
        state.tapes = tuple(tape for tape in state.tapes if tape is not self)
        active.remove(self)
        self._recording = False
        self._report(change)

    def watch(self, tensor: Any) -> None:
        """Follow what is computed from ``tensor``: a tensor, a variable, or a structure of them.

        Raises:
            ValueError: something in it is neither.
        """
        for item in nest.flatten(tensor):
            if hasattr(item, "_read"):
                self._follow(item, automatic=False)
                continue
            if not hasattr(item, "_id"):
                raise ValueError(
                    f"Passed in object {item!r} of type {type(item).__name__!r}, not tf.Tensor or tf.Variable"
                )
            if item.dtype.is_differentiable:
                self._tracked.add(item._id)
            if (observer := local.state.observer) is not None:
                observer.on_watch(self._number, item, None, False)

    def _follow(self, variable: Variable, *, automatic: bool, value: Any = None) -> None:
        """Watch a value of the variable, that of now unless one is given.

        ``automatic`` says that it was read rather than named by the user.
        """
        if value is None:
            value = variable._now()
        number = value._id
        if number in self._tracked or not variable.dtype.is_differentiable:
            return
        known = self._followed.get(variable._number)
        if known is None and automatic and not (self._accessed and variable.trainable):
            return
        if known is None:
            self._followed[variable._number] = known = (variable._ref_weakly(), [])
        known[1].append(number)
        self._tracked.add(number)
        if (observer := local.state.observer) is not None:
            observer.on_watch(self._number, value, variable, automatic)

    def watched_variables(self) -> tuple[Variable, ...]:
        """The variables followed so far, the oldest first."""
        read = (self._followed[number][0]() for number in sorted(self._followed))
        return tuple(variable for variable in read if variable is not None)

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Leave out what happens inside the block.

        Raises:
            RuntimeError: the tape is not recording.
        """
        if not self._recording:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        self._stop("stop")
        try:
            yield
        finally:
            self._start("resume")

    def reset(self) -> None:
        """Forget everything recorded and watched, as if the block began here."""
        self._clear()
        self._report("reset")

    @overload
    def gradient(
        self,
        target: Any,
        sources: Tensor | Variable,
        output_gradients: Any = None,
        unconnected_gradients: str = ...,
    ) -> Gradient: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: dict[_Key, _Source],
        output_gradients: Any = None,
        unconnected_gradients: str = ...,
    ) -> dict[_Key, Gradient]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: tuple[Tensor | Variable, ...],
        output_gradients: Any = None,
        unconnected_gradients: str = ...,
    ) -> tuple[Gradient, ...]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: Sequence[Tensor | Variable],
        output_gradients: Any = None,
        unconnected_gradients: str = ...,
    ) -> list[Gradient]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: str = ...,
    ) -> Any: ...
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: str = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of ``target`` with respect to each of ``sources``, in the structure of ``sources``.

        Args:
            target: a tensor, or a structure of tensors whose gradients add up.
            sources: watched tensors or variables, or a structure of them.
            output_gradients: what to multiply with at each target, ones by default; same structure as ``target``.
            unconnected_gradients: ``"none"`` or ``"zero"``: what to give where there is no path.

        Returns:
            For each source a tensor of its shape and dtype, or None where the target does not depend on it.

        Raises:
            RuntimeError: a tape that is not persistent was asked before.
            TypeError: a source or a target is not a tensor or variable.
            ValueError: ``unconnected_gradients`` is neither word.
        """
        self._check_unused()
        check_word(unconnected_gradients)
        self._end()
        targets, flat = nest.flatten(target), _sources(sources)
        seeds = None if output_gradients is None else nest.flatten(output_gradients)
        try:
            found = self._backward(targets, flat, seeds, unconnected_gradients)
        finally:
            self._spend()
        if unconnected_gradients == UnconnectedGradients.ZERO:
            found = [public["zeros_like"](s) if g is None else g for g, s in zip(found, flat, strict=True)]
        return nest.pack(sources, found)

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,  # noqa: ARG002 - TensorFlow's signature
        experimental_use_pfor: bool = True,  # noqa: ARG002
    ) -> Any:
        """The gradient of each element of ``target`` with respect to each of ``sources``.

        Args:
            target: a tensor.
            sources: watched tensors or variables, or a structure of them.
            unconnected_gradients: ``"none"`` or ``"zero"``: what to give where there is no path.
            parallel_iterations: accepted as TensorFlow does.
            experimental_use_pfor: accepted as TensorFlow does.

        Returns:
            For each source a tensor of the target's shape and then the source's, or None.

        Raises:
            RuntimeError: a tape that is not persistent was asked before.

        >>> import tapeviz as tf
        >>> x = tf.constant([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> print(tape.jacobian(y, x).numpy())
        [[2. 0.]
         [0. 4.]]
        """
        value, flat = _value_of(target), _sources(sources)
        rows = self._rows(target, flat, jacobians.directions(value), unconnected_gradients)
        found = [jacobians.stacked([row[at] for row in rows], value, source) for at, source in enumerate(flat)]
        return nest.pack(sources, found)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,  # noqa: ARG002 - TensorFlow's signature
        experimental_use_pfor: bool = True,  # noqa: ARG002
    ) -> Any:
        """The Jacobian of each example, where no example of ``target`` depends on another one of ``source``.

        Args:
            target: a tensor whose first axis counts examples.
            source: a watched tensor or variable with as many examples.
            unconnected_gradients: ``"none"`` or ``"zero"``: what to give where there is no path.
            parallel_iterations: accepted as TensorFlow does.
            experimental_use_pfor: accepted as TensorFlow does.

        Returns:
            A tensor of shape ``[examples, *target.shape[1:], *source.shape[1:]]``, or None.

        Raises:
            RuntimeError: a tape that is not persistent was asked before.
            ValueError: the first axes differ, or one has no second axis.

        >>> import tapeviz as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.batch_jacobian(y, x).shape
        TensorShape([2, 2, 2])
        """
        value = _value_of(target)
        for tensor in (value, source):
            if len(tensor.shape) < 2:  # noqa: PLR2004 - examples, and elements of an example
                raise ValueError(f"Shape {tensor.shape} must have rank at least 2")
        if value.shape[0] != source.shape[0]:
            raise ValueError(
                f"Need first dimension of target shape ({value.shape}) and source shape ({source.shape}) to match."
            )
        rows = self._rows(target, [source], jacobians.batch_directions(value), unconnected_gradients)
        return jacobians.batch_stacked([row[0] for row in rows], value, source)

    def _rows(self, target: Any, sources: list[Any], upstreams: list[Any], unconnected: str) -> list[list[Any]]:
        """For each upstream gradient the gradients by each source."""
        self._check_unused()
        check_word(unconnected)
        self._end()
        try:
            rows = [self._backward([target], sources, [upstream], unconnected) for upstream in upstreams]
        finally:
            self._spend()
        if unconnected == UnconnectedGradients.ZERO:
            rows = [
                [public["zeros_like"](s) if g is None else g for g, s in zip(row, sources, strict=True)] for row in rows
            ]
        return rows

    def _backward(
        self, targets: list[Any], sources: list[Any], seeds: list[Any] | None, unconnected: str = "none"
    ) -> list[Any]:
        values = [_value_of(target) for target in targets]
        numbers = [self._numbers(source, targets) for source in sources]
        fills_zeros = unconnected == UnconnectedGradients.ZERO
        request = Request(self._number, values, sources, numbers, seeds, fills_zeros)
        state = local.state
        if (graph := state.graph) is None:
            return run_backward(self._entries, request)
        # What a trace computes for gradients stands together, under TensorFlow's name for it, by the scopes of the ops
        # that it goes back through.
        before, state.scope = state.scope, f"gradient_tape/{state.scope}"
        request.scope_of = lambda number: f"gradient_tape/{graph.scope_of(number)}"
        try:
            return run_backward(self._entries, request)
        finally:
            state.scope = before

    def _check_unused(self) -> None:
        if self._used:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
                + self._where_used()
            )

    def _end(self) -> None:
        """Record no more, unless this tape goes on."""
        if self._recording and not self._persistent:
            self._stop("exit")

    def _spend(self) -> None:
        """Use this tape up, unless it is persistent."""
        if self._persistent:
            return
        followed = self._followed
        self._clear()
        self._followed = followed  # weakly: whom it watched can be asked afterwards
        self._used = True
        self._report("used")

    def _report(self, change: str) -> None:
        if (observer := local.state.observer) is not None:
            observer.on_tape(self._number, change, self._persistent, self._accessed)

    def why(self, target: Any = None, source: Any = None) -> Any:
        """Why the gradient of ``target`` by ``source`` is None, from what is being recorded.

        Args:
            target: what was differentiated; by default that of the latest call of :meth:`gradient`.
            source: what by; by default each source of that call that got None.

        Returns:
            An answer (or one for each such source) that prints as a sentence with the line and what to do.

        Raises:
            RuntimeError: nothing is being recorded, so that nothing is known.
            LookupError: the recording has no such tensor.

        >>> import tapeviz as tf
        >>> x = tf.constant(3.0)
        >>> with tf.record():
        ...     with tf.GradientTape() as tape:
        ...         y = x * x
        ...     dx = tape.gradient(y, x)
        ...     tape.why(y, x).reason
        'not_watched'
        """
        observer = local.state.observer
        if observer is None:
            raise RuntimeError(
                "nothing is recorded here, so nothing is known: put the code under %%tape, or in a block "
                "`with tapeviz.record() as run:`, and ask there, or afterwards run.why(target, source)"
            )
        return observer.explain("why", self, target, source)

    def _where_used(self) -> str:
        observer = local.state.observer
        place = None if observer is None else observer.explain("used", self)
        return f"\nIt was used {place}: ask once for all sources, or make it persistent=True." if place else ""

    def _numbers(self, source: Any, targets: list[Any]) -> list[int]:
        """The numbers whose gradients add up to that of ``source``; none when this tape does not follow it."""
        if hasattr(source, "_read"):
            known = self._followed.get(source._number)
            numbers = known[1] if known else []
            # A variable depends on itself, whether or not the tape has seen it.
            itself = {source._now()._id} if any(target is source for target in targets) else set()
            return [*numbers, *itself.difference(numbers)]
        return [source._id] if source._id in self._tracked else []


def check_word(unconnected_gradients: str) -> None:
    if unconnected_gradients not in (UnconnectedGradients.NONE, UnconnectedGradients.ZERO):
        raise ValueError(f"Unknown value for unconnected_gradients: {unconnected_gradients!r}")


def _sources(sources: Any) -> list[Any]:
    """The tensors and variables among the sources, one after the other."""
    flat = nest.flatten(sources)
    for source in flat:
        if not hasattr(source, "_read") and not hasattr(source, "_id"):
            raise TypeError(
                f"Source must be a tf.Tensor or tf.Variable, got {source!r} of type {type(source).__name__}"
            )
    return flat


def _value_of(item: Any) -> Any:
    """The tensor to differentiate.

    Raises:
        TypeError: it is none; None where a gradient was taken of what is not connected, say.
    """
    value = item._now() if hasattr(item, "_read") else item
    if not hasattr(value, "_id"):
        raise TypeError(
            "Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors to be "
            f"differentiated, but received {item!r}."
        )
    return value
