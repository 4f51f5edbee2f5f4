"""Tapes and backward passes of TensorFlow.

TensorFlow calls one function for the gradient of each op on a tape. It gets the tuple of attributes that the op was
called with, that very object: by it the forward op is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary, ref

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import record as tape_record

from tapeviz.adapters.foreign_recorder import fresh
from tapeviz.adapters.tensorflow_ops import op_of
from tapeviz.adapters.tensorflow_tensors import Variable, dense, is_variable
from tapeviz.recording.rows.backward_rows import MARK, Pass

__all__ = ["Made", "Passes", "Tapes"]

_NUMBERED: Final = -1
_MOST: Final = 200_000


class Made(NamedTuple):
    """What an op did: the numbers of its outputs, and of its inputs by position; 0 for what has none.

    ``read`` has the inputs in the order in which the recording has them.
    """

    outputs: Sequence[int]
    inputs: Sequence[int]
    read: Sequence[int]


class Tapes:
    """The user's tapes: their numbers, which of them record, and what they watch."""

    def __init__(self, recorder: Any) -> None:
        self._recorder = recorder
        self._numbers: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
        self.active: list[Any] = []
        self._watched: WeakKeyDictionary[Any, set[int]] = WeakKeyDictionary()

    def number(self, tape: Any) -> int:
        """The number of a tape."""
        return self._numbers.get(tape) or self._numbers.setdefault(tape, fresh())

    def changed(self, tape: Any, change: str) -> None:
        """Something happened to a tape."""
        if change in ("enter", "resume"):
            self.active.append(tape)
        elif change in ("exit", "stop"):
            self.active = [one for one in self.active if one is not tape]
        facts = self._recorder.packer.facts
        of = (
            self.number(tape),
            change,
            tape._persistent,
            int(tape._watch_accessed_variables),
            self._recorder.site_above(),
        )
        facts.later(facts.tape, *of)

    def accessed(self, variable: Variable) -> None:
        """A variable was read, which the tapes that record watch from now on, if it is trainable."""
        if variable.trainable:
            for tape in self.active:
                if tape._watch_accessed_variables:
                    self.watch(tape, variable.value, automatic=True)

    def watch(self, tape: Any, number: int, *, automatic: bool) -> None:
        """A tape watches a tensor."""
        watched = self._watched.setdefault(tape, set())
        if number not in watched:
            watched.add(number)
            facts, begun = self._recorder.packer.facts, self._recorder.begun
            t = perf_counter() if begun is None else begun[0]  # an op reads its variables before it computes
            facts.kept.append((facts.watch, t, (self.number(tape), number, automatic)))


class _Run:
    """A pass that is under way."""

    def __init__(self, begun: Pass) -> None:
        self.begun = begun
        self.sums: dict[int, int] = {}  # forward tensor -> the number of its gradient so far
        self.added: set[int] = set()  # forward tensors whose gradients are sums
        self.arrays: dict[int, Any] = {}  # forward tensor -> the elements of its gradient so far, where they are kept
        self.made: list[int] | None = None  # the gradients of the step that runs


class Passes:
    """Runs ``gradient`` for the user and notes what it does."""

    def __init__(self, recorder: Any) -> None:
        self._recorder = recorder
        self._made: dict[int, tuple[Any, Made]] = {}  # by identity of the attributes, which are held
        self._runs: list[_Run] = []

    @property
    def is_open(self) -> bool:
        """Whether a pass is under way."""
        return bool(self._runs)

    def op_ran(self, attrs: Any, made: Made) -> None:
        """An op ran that a tape may follow."""
        if attrs and tape_record.could_possibly_record():
            self._made[id(attrs)] = attrs, made
            if len(self._made) > _MOST:
                for key in list(self._made)[: _MOST // 2]:
                    del self._made[key]

    def op_ran_inside(self, attrs: Any, inputs: Sequence[Any]) -> None:
        """An op ran in a backward step: where it is differentiated in turn it stands for that step."""
        made = self._runs[-1].made
        if made is not None:
            look_up = self._recorder.look_up
            read = [look_up(tensor) or 0 for tensor in inputs]
            self.op_ran(attrs, Made(made, read, read))

    def gradient_function(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """What TensorFlow calls in the place of its own function for the gradient of an op."""

        def gradient(op_name: Any, attrs: Any, count: Any, inputs: Any, outputs: Any, arrived: Any, *rest: Any) -> Any:
            kept = self._made.get(id(attrs))
            if not self._runs or not self._recorder.hears or kept is None or kept[0] is not attrs:
                return original(op_name, attrs, count, inputs, outputs, arrived, *rest)
            return self._step(
                kept[1], arrived, lambda: original(op_name, attrs, count, inputs, outputs, arrived, *rest)
            )

        return gradient

    def stepped(self, backward: Callable[..., Any], made: Made) -> Callable[..., Any]:
        """A gradient function of the user's or of a traced function, as a step."""

        def step(*arrived: Any, **keywords: Any) -> Any:
            if not self._runs or not self._recorder.hears:
                return backward(*arrived, **keywords)
            return self._step(made, arrived, lambda: backward(*arrived, **keywords))

        return step

    def _step(self, made: Made, arrived: Sequence[Any], call: Callable[[], Any]) -> Any:
        run, recorder = self._runs[-1], self._recorder
        t0 = perf_counter()
        before, run.made = run.made, []
        numbers = run.made
        try:
            contributions = call()
        finally:
            run.made = before
        t1 = perf_counter()
        log, sums, tensors = recorder.packer.backward.log.extend, run.sums, recorder.tensors
        for number, gradient in zip(made.outputs, arrived, strict=False):
            if gradient is not None and number in run.added:
                tensors.keep(sums[number], gradient)
        parts = []
        each = contributions if isinstance(contributions, (list, tuple)) else [contributions]
        for number, part in zip(made.inputs, each, strict=False):
            if number and part is not None:
                one = whole = fresh()
                if number in sums:
                    whole = fresh()
                    run.added.add(number)
                sums[number] = whole
                numbers += [one, whole]
                if recorder.store is not None:
                    self._keep(run, number, one, whole, part)
                if isinstance(part, tf.Tensor) and recorder.look_up(part) is None:
                    tensors.known[id(part)] = one, ref(part)
                log((number, made.read.index(number), one, whole))
                parts.append(part)
        outs = [number for number in made.outputs if number in sums] or list(made.outputs[:1])
        if outs and any(made.inputs):  # else a step inside of one
            log((outs[0] if len(outs) == 1 else tuple(outs), _NUMBERED, t0, t1))
        if recorder.is_asked:
            recorder.ask("gradient", "backward", parts, [dense(part) for part in parts], t1 - t0, 0)
        return contributions

    def _keep(self, run: _Run, number: int, one: int, whole: int, part: Any) -> None:
        """Keep a contribution and the sum with it, which TensorFlow computes only when all are there."""
        array, before = dense(part), run.arrays.get(number)
        if array is None:
            return
        self._recorder.store.keep(one, array)
        if whole != one and before is not None:
            with np.errstate(all="ignore"):
                array = before + array
            self._recorder.store.keep(whole, array)
        run.arrays[number] = array

    def run(
        self, tape: Any, call: Callable[[], Any], target: Any, sources: Any, given: Any, *, fills: bool, whole: bool
    ) -> Any:
        """Call ``gradient`` or one of its kind; ``whole``: what happens inside is not looked at."""
        recorder = self._recorder
        site, number = recorder.site_above(), recorder.tapes.number(tape)
        targets = [item for item in tf.nest.flatten(target) if isinstance(item, tf.Tensor) or is_variable(item)]
        numbers = [recorder.number_of(item) for item in targets]
        begun = recorder.packer.spans.enter(Pass(number, site, recorder.packer.spans.innermost))
        begun.fills_zeros = fills
        mark = recorder.packer.backward.log.extend
        mark((begun, MARK, None, None))
        run = _Run(begun)
        self._seed(run, targets, numbers, tf.nest.flatten(given) if given is not None else [])
        self._runs.append(run)
        recorder.quiet += whole
        t0, raised = perf_counter(), None
        try:
            result = call()
        except BaseException as error:
            raised = error
            raise
        finally:
            recorder.quiet -= whole
            self._runs.pop()
            recorder.on_backward_end(begun, raised)
            if isinstance(raised, Exception):
                recorder.failed(op_of("gradient"), numbers, None, t0, raised)
            elif raised is None:
                self._answer(
                    run, numbers[0] if numbers else -1, tf.nest.flatten(sources), tf.nest.flatten(result), whole
                )
            mark((begun, MARK, None, None))
        if not tape._persistent:
            recorder.tapes.changed(tape, "used")
        if recorder.tapes.active:
            recorder.pack()  # what a gradient is of has to be in rows before it is differentiated itself
        else:
            recorder.pack_if_late()
        return result

    def _seed(self, run: _Run, targets: list[Any], numbers: list[int], given: list[Any]) -> None:
        """The gradients that the pass begins with: those given, else ones."""
        for at, (target, number) in enumerate(zip(targets, numbers, strict=True)):
            made = fresh()
            seed = given[at] if at < len(given) else None
            if self._recorder.store is not None:
                array = dense(target if seed is None else seed)
                if array is not None:
                    self._recorder.store.keep(made, array if seed is not None else array * 0 + 1)
            run.sums[number] = run.begun.adjoint[number] = made
            self._recorder.packer.backward.seeds.append((run.begun, number, made))

    def _answer(self, run: _Run, target: int, sources: list[Any], results: list[Any], whole: bool) -> None:
        """What was given for each source."""
        recorder, add = self._recorder, self._recorder.packer.source_gradients.append
        tensors = recorder.tensors
        for source, gradient in zip(sources, results, strict=False):
            variable = recorder.variable_of(source)
            if variable is None:
                continue
            number = recorder.number_of(source)
            reached = [one for one in run.sums if tensors.of_value.get(one) == variable] if variable >= 0 else [number]
            reached = [one for one in reached if one in run.sums]
            is_filled = run.begun.fills_zeros and not reached
            reached = reached or [number]
            if gradient is None or is_filled:
                add((run.begun, target, reached[0], variable, -1, None, tuple(reached)))
                continue
            made = run.sums.get(reached[0]) if len(reached) == 1 and not whole else None
            if made is None:
                handed = gradient if isinstance(gradient, tf.Tensor) else gradient.values
                made = recorder.look_up(handed) or tensors.meet(handed, "gradient")
            elif isinstance(gradient, tf.Tensor):
                reference = ref(gradient, recorder.packer.lifetimes.died.append)
                tensors.known[id(gradient)] = made, reference
                recorder.packer.lifetimes.born((reference,), (made,))
            else:
                tensors.known[id(gradient.values)] = made, ref(gradient.values)
            tensors.keep(made, gradient)
            add((run.begun, target, reached[0], variable, made, None, tuple(reached)))
