"""Backward passes of PyTorch: hooks on the nodes that a pass goes through, placed when it starts.

Forward code pays nothing for them. A pass that starts walks from its target; the nodes of one op make one step. Where
nodes belong to no recorded op, as those of gradients that are differentiated again, the step is that of the pass which
made them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Final, Protocol
from weakref import ref

import torch

from tapeviz.adapters.foreign_recorder import fresh
from tapeviz.adapters.torch_nodes import Made, Nodes, sequence_number
from tapeviz.adapters.torch_ops import TorchOp, op_of
from tapeviz.adapters.torch_tensors import Tensors, tensors_in
from tapeviz.adapters.torch_transforms import are_active, layers, whole_shape
from tapeviz.recorder.op_hooks import UserFrames
from tapeviz.recorder.value_store import ValueStore
from tapeviz.recording.rows.backward_rows import MARK, Pass
from tapeviz.recording.rows.packer import Packer

__all__ = ["BackwardPasses"]

_NUMBERED: Final = -1
_OF_VIEWS: Final = "CopySlices"  # nodes of what changed a view in place: theirs is the gradient of all its memory
_ACCUMULATES: Final = type(torch.ones(1, requires_grad=True).expand(1).grad_fn.next_functions[0][0])  # its class


class Recording(Protocol):
    """What these ask of their recorder."""

    packer: Packer
    store: ValueStore | None
    tensors: Tensors
    nodes: Nodes
    tape_number: int
    _users: UserFrames

    @property
    def is_asked(self) -> bool:
        """Whether somebody wants to be asked after each op."""

    def ask(self, name: str, phase: str, tensors: Any, arrays: Any, seconds: float, line: int) -> None:
        """Ask whether the program is to stop here."""

    def note(
        self, op: TorchOp, ids: Sequence[int], output: Any, t0: float, t1: float, attrs: Any = None, site: Any = None
    ) -> int:
        """Note an op that the mode did not see as one."""

    def pack(self) -> None:
        """Turn what was seen into rows."""

    def pack_if_late(self) -> None:
        """Pack when somebody reads along."""


class _Walk:
    """The nodes of one pass: which op each is of, and what is still to come of that op."""

    def __init__(self, recording: Recording, begun: Pass) -> None:
        self._recording = recording
        self._begun = begun
        self.sums: dict[int, int] = {}  # forward tensor -> the number of its gradient so far
        self.leaves: dict[int, Any] = {}  # number of the variable -> leaf
        self.numbers: dict[int, int] = {}  # number of the variable -> the value that the pass differentiates by
        self._left: dict[int, int] = {}  # identity of an op's row -> how many of its nodes have not run
        self._waiting: dict[int, list[Any]] = {}
        self._began: dict[int, float] = {}
        self._handles: list[Any] = []
        self.last = 0.0
        self._made_of: dict[Any, Made | None] = {}  # while hooks are placed

    def place(self, starts: Sequence[Any]) -> None:
        """Put a hook on each node that the pass may go through."""
        of, waiting = self._recording.nodes.of, list(dict.fromkeys(starts))
        made_of, left, edges = self._made_of, self._left, []
        made_of.update(dict.fromkeys(waiting))
        for node in waiting:
            if node.__class__ is _ACCUMULATES:
                self._meet_leaf(node.variable)
                self._handles.append(node.register_prehook(self._arrived(node.variable)))
                continue
            made = made_of[node] = of(node)
            further = node.next_functions
            if made is not None:
                edges.append((node, made, further))
                if made.end - made.first > 1:
                    left[id(made)] = left.get(id(made), 0) + 1
            for other, _ in further:
                if other is not None and other not in made_of:
                    made_of[other] = None
                    waiting.append(other)
        step, keep, targets = self._steps(), self._handles.append, self._targets
        numbers_only = self._recording.store is None and not self._recording.is_asked and not are_active()
        numbered = self._numbered_steps()
        for node, made, further in edges:
            is_single, reached = left.get(id(made), 1) == 1, targets(made, further)
            is_usual = is_single and numbers_only
            keep(node.register_hook(numbered(made, reached) if is_usual else step(node, made, reached, is_single)))
        self._made_of = {}
        self.last = perf_counter()

    def _meet_leaf(self, leaf: Any) -> None:
        number = self._recording.tensors.number(leaf)
        variable = self._recording.tensors.variable_of(leaf)
        self.leaves[variable] = leaf
        self.numbers.setdefault(variable, number)

    def _arrived(self, leaf: Any) -> Callable[[Any], None]:
        """The hook before a leaf's gradient is accumulated: it is whole."""
        tensors = self._recording.tensors

        def arrived(gradients: Any) -> None:
            number = self.sums.get(self.numbers[tensors.variable_of(leaf)])
            if number is not None and gradients[0] is not None:
                tensors.keep(number, gradients[0])

        return arrived

    def _steps(self) -> Callable[..., Callable[[Any, Any], None]]:
        """What makes the hook behind a node: what it contributed to which tensors.

        A pass has very many of them, so what is the same for all is looked up once.
        """
        recording, sums, left, noted = self._recording, self.sums, self._left, self._noted
        log, asks = recording.packer.backward.log.extend, recording.is_asked
        keep = None if recording.store is None else recording.tensors.keep
        waiting, began, head = self._waiting, self._began, recording.nodes.head

        def step(node: Any, made: Made, targets: Any, is_single: bool) -> Callable[[Any, Any], None]:
            outputs = made.outputs[0] if len(made.outputs) == 1 else made.outputs
            output, key = head(node, made), id(made)
            kept = None if keep is None or node.name().endswith(_OF_VIEWS) else keep

            def stepped(contributions: Any, arrived: Any) -> None:
                t1 = perf_counter()
                # Of an op's nodes the first that runs is handed the output's gradient; the others, what is on the way.
                if kept is not None and key not in began and arrived and arrived[0] is not None and output in sums:
                    kept(sums[output], arrived[0])
                begun = self.last
                rows = [
                    (number, position, part, is_its)
                    for at, number, position, is_its in targets
                    if at < len(contributions) and (part := contributions[at]) is not None
                ]
                if not is_single:
                    waiting.setdefault(key, []).extend(rows)
                    begun = began.setdefault(key, begun)
                    left[key] -= 1
                    rows = [] if left[key] else waiting.pop(key)
                if is_single or not left[key]:
                    for number, position, part, is_its in rows:
                        log((number, position, *noted(number, part, is_its)))
                    log((outputs, _NUMBERED, begun, t1))
                    if asks:
                        parts = [part for _, _, part, _ in rows]
                        recording.ask(node.name(), "backward", parts, [None] * len(parts), t1 - begun, 0)
                self.last = perf_counter()

            return stepped

        return step

    def _numbered_steps(self) -> Callable[[Made, Any], Callable[[Any, Any], None]]:
        """What makes most hooks: of ops with one node, where no elements are kept and nobody asks to stop."""
        sums, log = self.sums, self._recording.packer.backward.log.extend

        def step(made: Made, targets: Any) -> Callable[[Any, Any], None]:
            outputs = made.outputs[0] if len(made.outputs) == 1 else made.outputs

            def stepped(contributions: Any, _: Any) -> None:
                t1 = perf_counter()
                there = len(contributions)
                for at, number, position, _is_its in targets:
                    if at < there and contributions[at] is not None:
                        part = whole = fresh()
                        if number in sums:
                            whole = fresh()
                        sums[number] = whole
                        log((number, position, part, whole))
                log((outputs, _NUMBERED, self.last, t1))
                self.last = perf_counter()

            return stepped

        return step

    def _noted(self, number: int, part: Any, is_its: bool) -> tuple[int, int]:
        """The numbers of a contribution, and of the sum with it; elements only of one that is its own."""
        made = whole = fresh()
        tensors = self._recording.tensors
        if is_its and self._recording.store is not None:
            tensors.keep(made, part)
        if number in self.sums:
            whole = fresh()
        self.sums[number] = whole
        if are_active():
            self.shape_gradients(part, made, whole)
        return made, whole

    def shape_gradients(self, gradient: Any, *numbers: int) -> None:
        """Inside transforms: say the shape of gradients, which ``vmap`` makes one for each example."""
        for number in numbers:
            self._recording.packer.shaped.append((number, whole_shape(gradient)))

    def _targets(self, made: Made, edges: Any) -> list[tuple[int, int, int, bool]]:
        """The edges of a node that lead to known tensors.

        Of each: which edge, to which tensor, which input of the op that is, and whether the gradient is this
        tensor's own: of a view that was changed in place, autograd has the gradient of all the memory.
        """
        found, made_of, inputs, head = [], self._made_of, made.inputs, self._recording.nodes.head
        for at, (further, slot) in enumerate(edges):
            number, is_its = 0, True
            if further is None:
                continue
            if further.__class__ is _ACCUMULATES:
                number = self._value_read(further.variable, made)
            elif (other := made_of.get(further)) is not None and other is not made:
                number = head(further, other, slot)
                if not number:  # a node in the middle of that op: what it is handed is of none of its outputs
                    number, is_its = other.outputs[0], False
                elif number not in inputs:
                    number = self._as_read(number, other, made)
                    is_its = number in inputs or not further.name().endswith(_OF_VIEWS)
            if number:
                found.append((at, number, inputs.index(number) if number in inputs else 0, is_its))
        return found

    def _value_read(self, leaf: Any, made: Made) -> int:
        """The value of a leaf that an op read."""
        variable = self._recording.tensors.variable_of(leaf)
        of = self._recording.tensors.of_value
        read = next((number for number in made.inputs if of.get(number) == variable), None)
        if read is not None:
            self.numbers[variable] = read
        return self.numbers.get(variable, 0)

    @staticmethod
    def _as_read(number: int, other: Made, made: Made) -> int:
        """Of an op with several outputs the one that was read, where its node does not say."""
        return next((output for output in other.outputs if output in made.inputs), number)

    def remove(self) -> None:
        """Take the hooks away."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()


class BackwardPasses:
    """Runs ``backward`` and ``grad`` for the user and notes what they do."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._sums: dict[int, int] = {}
        self._last: tuple[Pass, int] | None = None
        self._asked: dict[int, int] = {}  # by variable an optimizer has: its value, until there is a gradient

        self._had: set[int] = set()  # variables that have had a gradient
        self.averages: Callable[[dict[int, tuple[Any, list[int]]], float, float], set[int]] | None = None
        """Notes what was averaged over processes: it gets by variable the leaf and what ``.grad`` is made of."""

    def run(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Call ``Tensor.backward``, ``torch.autograd.backward`` or ``torch.autograd.grad``."""
        recording = self._recording
        targets = tensors_in(args[:1]) or tensors_in((kwargs.get("tensors", kwargs.get("outputs")),))
        wanted = kwargs.get("inputs") if func is not torch.autograd.grad else (
            args[1] if len(args) > 1 else kwargs.get("inputs")
        )  # fmt: skip
        sources = tensors_in((wanted,))
        frame = recording._users.nearest(sys._getframe(2))
        site = frame.f_code, frame.f_lasti
        numbers = [recording.tensors.number(target) for target in targets]
        before = {id(leaf): leaf.grad for leaf in recording.tensors.leaves()}
        begun = recording.packer.spans.enter(Pass(recording.tape_number, site, recording.packer.spans.innermost))
        recording.packer.backward.log.extend((begun, MARK, None, None))
        walk = _Walk(recording, begun)
        first, t0 = sequence_number(), perf_counter()
        try:
            walk.place([target.grad_fn for target in targets if target.grad_fn is not None])
            self._seed(walk, begun, targets, numbers, args, kwargs, func)
            t0 = perf_counter()
            result = func(*args, **kwargs)
        except BaseException as error:
            walk.remove()
            self._end(begun, error)
            if isinstance(error, Exception):
                name = "grad" if func is torch.autograd.grad else "backward"
                failed = (t0, perf_counter(), op_of(name), *site, numbers, None, error)
                recording.packer.failures.append(failed)
            raise
        averaged = self._averaged(walk, before) if func is not torch.autograd.grad else set()
        walk.remove()
        recording.packer.spans.end(begun, None)
        target = numbers[0] if numbers else -1
        if func is torch.autograd.grad:
            self._answer(walk, begun, target, sources, result)
        else:
            self._accumulated(walk, begun, target, before, site, averaged)
        recording.packer.backward.log.extend((begun, MARK, None, None))
        self._sums, self._last = walk.sums, (begun, target)
        self._add_nodes(first, walk, result)
        recording.pack_if_late()
        return result

    def _end(self, begun: Pass, error: BaseException | None) -> None:
        self._recording.packer.spans.end(begun, error)
        self._recording.packer.backward.log.extend((begun, MARK, None, None))

    def _seed(
        self, walk: _Walk, begun: Pass, targets: list[Any], numbers: list[int], args: Any, kwargs: Any, func: Any
    ) -> None:
        """The gradients that the pass begins with: those given, else one."""
        key = "gradient" if func is torch.Tensor.backward else "grad_tensors"
        key = "grad_outputs" if func is torch.autograd.grad else key
        at = 2 if func is torch.autograd.grad else 1
        given = tensors_in((kwargs.get(key, args[at] if len(args) > at else None),))
        for position, (target, number) in enumerate(zip(targets, numbers, strict=True)):
            made = fresh()
            seed = given[position] if position < len(given) else None
            if seed is None and target.numel() == 1:
                seed = torch.ones_like(target)
            if seed is not None:
                self._recording.tensors.keep(made, seed)
                if are_active():
                    walk.shape_gradients(seed, made)
            walk.sums[number] = begun.adjoint[number] = made
            self._recording.packer.backward.seeds.append((begun, number, made))

    def _answer(self, walk: _Walk, begun: Pass, target: int, sources: list[Any], result: Any) -> None:
        """What ``autograd.grad`` gave for each source."""
        tensors, add = self._recording.tensors, self._recording.packer.source_gradients.append
        for source, gradient in zip(sources, result, strict=False):
            variable = tensors.variable_of(source)
            number = walk.numbers.get(variable, -1) if variable >= 0 else -1
            number = number if number >= 0 else tensors.number(source)
            if gradient is None:
                add((begun, target, number, variable, -1, None, (number,)))
                continue
            add((begun, target, number, variable, self._known_as(walk, number, gradient), None, (number,)))

    def _known_as(self, walk: _Walk, number: int, gradient: Any) -> int:
        """The number of a gradient that the user holds: that of the pass, where a step made it."""
        tensors = self._recording.tensors
        made = walk.sums.get(number)
        if made is None:
            return tensors.look_up(gradient) or tensors.meet_gradient(gradient)
        *_, plain = layers(gradient)
        tensors.made_within(gradient, made)
        reference = ref(plain, self._recording.packer.lifetimes.died.append)
        tensors.made(gradient, made, reference)
        self._recording.packer.lifetimes.born((reference,), (made,))
        tensors.keep(made, gradient)
        return made

    def _averaged(self, walk: _Walk, before: dict[int, Any]) -> set[int]:
        """The variables whose gradients are averages over processes by now."""
        if self.averages is None:
            return set()
        look_up, t1 = self._recording.tensors.look_up, perf_counter()
        read = {
            variable: (leaf, [own, *([] if (old := look_up(before.get(id(leaf)))) is None else [old])])
            for variable, leaf in walk.leaves.items()
            if leaf.grad is not None and (own := walk.sums.get(walk.numbers[variable])) is not None
        }
        return self.averages(read, walk.last, t1)

    def _accumulated(
        self, walk: _Walk, begun: Pass, target: int, before: dict[int, Any], site: Any, averaged: set[int]
    ) -> None:
        """What ``backward`` added to the ``.grad`` of each leaf."""
        tensors, add = self._recording.tensors, self._recording.packer.source_gradients.append
        for variable, leaf in walk.leaves.items():
            number, gradient = walk.numbers[variable], leaf.grad
            if gradient is None or number not in walk.sums:
                continue
            self._had.add(variable)
            if variable in averaged:
                add((begun, target, number, variable, walk.sums[number], None, (number,)))
                continue
            if before.get(id(leaf)) is None:
                add((begun, target, number, variable, self._known_as(walk, number, gradient), None, (number,)))
                continue
            old, own = tensors.look_up(gradient), walk.sums[number]
            add((begun, target, number, variable, own, None, (number,)))
            now = perf_counter()
            inputs = [own] if old is None else [old, own]
            self._recording.note(op_of("accumulate_grad"), inputs, gradient, now, now, site=site)

    def _add_nodes(self, first: int, walk: _Walk, result: Any) -> None:
        """Nodes that the pass made itself, to be differentiated again, are those of what it gave."""
        after = sequence_number()
        given = tensors_in((result,)) or [leaf.grad for leaf in walk.leaves.values()]
        heads = {
            tensor.grad_fn._sequence_nr(): number
            for tensor in given
            if tensor is not None and tensor.grad_fn is not None
            and (number := self._recording.tensors.look_up(tensor)) is not None
        }  # fmt: skip
        if after > first and heads:
            self._recording.nodes.add_headed(first, after, heads, tuple(walk.sums))
            self._recording.pack()  # what a gradient is of has to be in rows before it is differentiated itself

    # Gradients that are not there.

    def was_read(self, tensor: Any, found: Any, site: Any) -> None:
        """The user read ``.grad``: None of a tensor that took part is an answer to the last pass."""
        tensors = self._recording.tensors
        number = tensors.look_up(tensor)
        if number is None or self._last is None:
            return
        if found is not None:
            known = tensors.look_up(found)
            if known is None and number in self._sums:
                tensors.made(found, self._sums[number], ref(found))
            return
        begun, target = self._last
        variable = tensors.variable_of(tensor)
        if number != target and variable not in self._had:
            self._recording.packer.exits.append((perf_counter(), number, "unwatched", *site, 0))
        self._none(begun, target, number, variable)

    def _none(self, begun: Pass, target: int, number: int, variable: int) -> None:
        rows = self._recording.packer.source_gradients
        if not any(row[0] is begun and row[2] == number for row in rows):
            rows.append((begun, target, number, variable, -1, None, (number,)))

    def stepped(self, parameters: Sequence[Any]) -> None:
        """An optimizer made a step: of the parameters without a gradient it is asked at the end, if none came."""
        tensors = self._recording.tensors
        for parameter in parameters:
            if not parameter.requires_grad or not parameter.is_leaf:
                continue
            number = tensors.number(parameter)
            if parameter.grad is None:
                self._asked.setdefault(tensors.variable_of(parameter), number)
            else:
                self._asked.pop(tensors.variable_of(parameter), None)
                self._had.add(tensors.variable_of(parameter))

    def finish(self) -> None:
        """What never had a gradient though an optimizer has it was asked for, as it were, in the last pass."""
        if self._last is None:
            return
        begun, target = self._last
        for variable, number in self._asked.items():
            if variable not in self._had:
                self._none(begun, target, number, variable)
        self._asked.clear()
