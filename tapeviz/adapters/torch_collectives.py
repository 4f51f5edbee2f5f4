"""Calls of ``torch.distributed`` as ops: what each reads and writes, and with whom it was.

Several processes' tapes are put together by what is said here: the ranks of the group, which call of its kind it was
there, and for messages the other rank. What ``DistributedDataParallel`` sends within a backward pass is called from no
Python: one ``all_reduce`` is noted for each module and pass, from the pass' last step on, which is the time waited for.
"""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from time import perf_counter
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary, ref

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from tapeviz.adapters.foreign_recorder import fresh
from tapeviz.adapters.replacement import replaced
from tapeviz.adapters.torch_ops import TorchOp
from tapeviz.adapters.torch_tensors import dtypes, tensors_in
from tapeviz.recording.rows.tensor_rows import NewTensor

__all__ = ["seeing_collectives"]


class _Arguments(NamedTuple):
    """Which arguments of a call hold the tensors that it reads and writes, and which one says the other rank."""

    reads: str = ""
    writes: str = ""
    peer: str = ""
    is_replicated: bool = False
    """Whether what it writes is the same on each rank."""


_CALLS: Final = {
    "all_reduce": _Arguments("tensor", "tensor", is_replicated=True),
    "broadcast": _Arguments("tensor", "tensor", "src", is_replicated=True),
    "reduce": _Arguments("tensor", "tensor", "dst"),
    "all_gather": _Arguments("tensor", "tensor_list", is_replicated=True),
    "all_gather_into_tensor": _Arguments("input_tensor", "output_tensor", is_replicated=True),
    "reduce_scatter": _Arguments("input_list", "output"),
    "reduce_scatter_tensor": _Arguments("input", "output"),
    "gather": _Arguments("tensor", "gather_list", "dst"),
    "scatter": _Arguments("scatter_list", "tensor", "src"),
    "all_to_all": _Arguments("input_tensor_list", "output_tensor_list"),
    "all_to_all_single": _Arguments("input", "output"),
    "barrier": _Arguments(),
    "all_gather_object": _Arguments(),
    "broadcast_object_list": _Arguments("", "", "src"),
    "send": _Arguments("tensor", "", "dst"),
    "isend": _Arguments("tensor", "", "dst"),
    "recv": _Arguments("", "tensor", "src"),
    "irecv": _Arguments("", "tensor", "src"),
}
_MESSAGES: Final = frozenset({"send", "isend", "recv", "irecv"})


@contextmanager
def seeing_collectives(recorder: Any) -> Iterator[None]:
    """Let a recorder see these calls as long as the block runs; nothing where PyTorch is built without them."""
    if not dist.is_available():
        yield
        return
    seen = _Seen(recorder)
    recorder.passes.averages = seen.averaged
    with ExitStack() as exits:
        made: dict[str, Any] = {name: functools.partial(_Call, seen, name) for name in _CALLS}
        for owner, name, make in (
            *((dist, name, make) for name, make in made.items()),
            (dist, "batch_isend_irecv", seen.batched),
            (dist.Work, "wait", seen.waiting),
            (DistributedDataParallel, "forward", seen.forwarding),
        ):
            exits.enter_context(replaced(owner, name, make(owner.__dict__[name])))
        seen.note_rank()
        yield


class _Call:
    """A call that is noted. It is equal to the one it stands for: ``P2POp`` asks whether it is given that one."""

    def __init__(self, seen: _Seen, name: str, call: Callable[..., Any]) -> None:
        functools.update_wrapper(self, call)
        self._seen, self._name, self.call = seen, name, call
        self._signature = inspect.signature(call)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._seen.recorder.quiet:
            return self.call(*args, **kwargs)
        return self._seen.called(self._name, self.call, self._signature.bind(*args, **kwargs))

    def __eq__(self, other: object) -> bool:
        return self.call == getattr(other, "call", other)

    def __hash__(self) -> int:
        return hash(self.call)


class _Started(NamedTuple):
    """A call, as it stands before it is made: the tensors that it reads and writes, and what is said of it."""

    name: str
    ids: list[int]
    written: list[Any]
    facts: dict[str, Any]


class _Seen:
    """Notes calls with a recorder."""

    def __init__(self, recorder: Any) -> None:
        self.recorder = recorder
        self._counts: Counter[tuple[Any, ...]] = Counter()
        self._pending: dict[int, tuple[Any, list[_Started]]] = {}
        self._knows_rank = False
        self._modules: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()  # whether the next pass averages over ranks

    def note_rank(self) -> None:
        """Say once which rank this process is, as soon as it knows."""
        if not self._knows_rank and dist.is_initialized():
            self._knows_rank = True
            self.recorder.packer.builder.meta("rank", dist.get_rank())

    def called(self, name: str, call: Callable[..., Any], bound: Any) -> Any:
        """Make a call, and note it."""
        with self._quietly():
            started = self._start(name, bound.arguments)
            t0 = perf_counter()
            try:
                result = call(*bound.args, **bound.kwargs)
            except Exception as error:
                self.recorder.failed(_op(name, name), started.ids, started.facts, t0, error)
                raise
            t1 = perf_counter()
            if name == "recv" and not started.facts:
                started.facts.update(self._message(name, result, bound.arguments.get("group")))
            if isinstance(result, dist.Work):
                self._wait_for(result, [started], t0, t1)
            else:
                self._note(started._replace(facts={**started.facts, "async": False}), t0, t1)
            return result

    def batched(self, batch: Callable[..., Any]) -> Callable[..., Any]:
        """What stands for ``batch_isend_irecv``, which tells its calls apart by what they are, not what they equal."""

        def batched(p2p_op_list: Any) -> Any:
            for one in p2p_op_list:
                one.op = getattr(one.op, "call", one.op)
            if self.recorder.quiet:
                return batch(p2p_op_list)
            with self._quietly():
                started = [
                    self._start(one.op.__name__, {**vars(one), "dst": one.peer, "src": one.peer}) for one in p2p_op_list
                ]
                t0 = perf_counter()
                works = batch(p2p_op_list)
                t1 = perf_counter()
                shares = [[call] for call in started] if len(works) == len(started) else [started]
                for work, calls in zip(works, shares, strict=False):
                    self._wait_for(work, calls, t0, t1)
                    t0 = t1
                return works

        return batched

    def waiting(self, wait: Any) -> Callable[..., Any]:
        """What stands for ``Work.wait``: its time is one of waiting, and what was sent for is there afterwards."""

        def waited(work: Any, *args: Any, **kwargs: Any) -> Any:
            _, calls = self._pending.pop(id(work), (None, []))
            if not calls:
                return wait(work, *args, **kwargs)
            with self._quietly():
                t0 = perf_counter()
                result = wait(work, *args, **kwargs)
                t1 = perf_counter()
                for call in calls:
                    self._note(call._replace(name="wait", facts={"of": call.name, **call.facts}), t0, t1)
                    t0 = t1  # several calls that are waited for at once took the time once
                return result

        return waited

    def forwarding(self, forward: Callable[..., Any]) -> Callable[..., Any]:
        """What stands for ``DistributedDataParallel.forward``: the pass that follows averages, but in ``no_sync``."""

        def forwarded(module: Any, *args: Any, **kwargs: Any) -> Any:
            self._modules[module] = module.require_backward_grad_sync and torch.is_grad_enabled()
            return forward(module, *args, **kwargs)

        return forwarded

    def averaged(self, read: dict[int, tuple[Any, list[int]]], t0: float, t1: float) -> set[int]:
        """A backward pass ended: note what was averaged in it.

        Args:
            read: by variable the leaf and the numbers of the gradients that its ``.grad`` is made of.
            t0: when the pass' last step ended.
            t1: when the pass did.

        Returns:
            The variables whose gradients are the averages.
        """
        found: set[int] = set()
        for module in [module for module, averages in self._modules.items() if averages]:
            own = {id(parameter) for parameter in module.parameters()}
            of = {variable: each for variable, each in read.items() if id(each[0]) in own}
            if of:
                self._modules[module] = False
                found |= of.keys()
                ids = [number for _, numbers in of.values() for number in numbers]
                ranks = _ranks(module.process_group)
                facts = {"group": ranks, "sequence": self._count("all_reduce", *ranks), "reduce": "AVG", "async": False}
                self._note(_Started("all_reduce", ids, [leaf.grad for leaf, _ in of.values()], facts), t0, t1)
                t0 = t1
        return found

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """What PyTorch calls in the block is no call of the user's."""
        self.recorder.quiet += 1
        try:
            yield
        finally:
            self.recorder.quiet -= 1

    def _start(self, name: str, given: Mapping[str, Any]) -> _Started:
        self.note_rank()
        arguments = _CALLS[name]
        ids = [self.recorder.tensors.number(tensor) for tensor in tensors_in([given.get(arguments.reads)])]
        return _Started(name, ids, tensors_in([given.get(arguments.writes)]), self._facts(name, arguments, given))

    def _wait_for(self, work: Any, calls: list[_Started], t0: float, t1: float) -> None:
        """Note calls whose work goes on: what they write is not there yet."""
        for call in calls:
            self._note(call._replace(written=[], facts={**call.facts, "async": True}), t0, t1)
            t0 = t1
        self._pending[id(work)] = work, calls

    def _facts(self, name: str, arguments: _Arguments, given: Mapping[str, Any]) -> dict[str, Any]:
        """The group, which of its calls of this kind it is, and what else tells the partners of a call."""
        group = given.get("group")
        if not dist.is_initialized() or group is dist.GroupMember.NON_GROUP_MEMBER:
            return {}
        peer = given.get(arguments.peer)
        if peer is None and given.get(f"group_{arguments.peer}") is not None:
            peer = dist.get_global_rank(group or dist.group.WORLD, given[f"group_{arguments.peer}"])
        if name in _MESSAGES:
            return {} if peer is None else self._message(name, peer, group)
        facts = {"group": _ranks(group), "sequence": self._count(name, *_ranks(group))}
        if "op" in given:
            facts["reduce"] = str(given["op"]).rpartition(".")[2]
        return facts if peer is None else facts | {"peer": peer}

    def _message(self, name: str, peer: int, group: Any) -> dict[str, Any]:
        """Who sends to whom, and which message between them it is."""
        here = dist.get_rank()
        key = (here, peer) if name.endswith("send") else (peer, here)
        return {"from": key[0], "to": key[1], "group": _ranks(group), "sequence": self._count(*key, *_ranks(group))}

    def _count(self, *key: Any) -> int:
        """How many such calls came before."""
        self._counts[key] += 1
        return self._counts[key] - 1

    def _note(self, call: _Started, t0: float, t1: float) -> None:
        name, ids, written, facts = call
        recorder, packer = self.recorder, self.recorder.packer
        numbers = [fresh() for _ in written]
        references = [ref(tensor, packer.lifetimes.died.append) for tensor in written]
        met = [NewTensor(n, tuple(t.shape), dtypes[t.dtype]) for n, t in zip(numbers, written, strict=True)]
        site = recorder.site_above()
        op = _op(name, facts.get("of", name))
        packer.many.append((t0, t1, op, *site, ids, met, facts, references))
        for tensor, number, reference in zip(written, numbers, references, strict=True):
            recorder.tensors.made(tensor, number, reference)
            recorder._mark(tensor, number, site, t0)
            recorder.tensors.keep(number, tensor)


def _ranks(group: Any) -> list[Any]:
    """The ranks of a group; of all there are a word, since each call says it."""
    whole = group is None or group is dist.group.WORLD
    return ["world"] if whole else dist.get_process_group_ranks(group)


@cache
def _op(name: str, of: str) -> TorchOp:
    """The declaration of a call, or of waiting ``of`` one."""
    arguments = _CALLS[of]
    in_place = arguments.reads == arguments.writes != ""
    return TorchOp(
        name, "collective", differentiable="", effects="write" if in_place else "", in_place=in_place,
        traits=frozenset({"replicated"} if arguments.is_replicated else ()),
    )  # fmt: skip
