"""A graph as a Python function on arrays, written from its nodes.

No tensors are made on the way and nobody is asked what is on: that, and the freedom to leave nodes out, to run several
as one and to use memory again, is what a graph saves.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

from tapeviz.backends import NUMPY, Backend
from tapeviz.backends.silence import is_taken, run_in_silence, run_silently, run_with_errstate
from tapeviz.graphs.ir.liveness import needed, runs_python, variables_read
from tapeviz.graphs.memory.buffers import Memory
from tapeviz.graphs.memory.flat_packs import opened
from tapeviz.graphs.native.compile_policy import compiles_beside, runs_before
from tapeviz.graphs.passes.pipeline import PASSES, planned
from tapeviz.graphs.passes.plan import Plan, shape_of
from tapeviz.graphs.passes.runtime_sizes import Sizes
from tapeviz.graphs.run.codegen import Codegen, UnfitError
from tapeviz.graphs.run.failures import explained
from tapeviz.graphs.run.fallbacks import fall_back
from tapeviz.graphs.run.interpreter import run_once
from tapeviz.graphs.run.list_values import Items
from tapeviz.graphs.run.specializations import NodeVersion, Version
from tapeviz.native.machine import is_available
from tapeviz.process.background import Job, in_background
from tapeviz.process.garbage_collector import paused

if TYPE_CHECKING:
    from tapeviz.engine.symbolic import SymbolicTensor
    from tapeviz.graphs.ir.graph import Graph, Node

__all__ = ["Executable"]

_HOST: Final = frozenset(("fold", "lower"))  # passes for the host alone
_UNPLANNED = 1  # runs before a plan is made
_MOST_VERSIONS: Final = 8
_MOST_COUNTED: Final = 64
_WORTH: Final = 3  # runs with the same shapes after which a version for them is written


class Executable:
    """A graph made ready to run on one device: ``program(arrays)`` gives the outputs' arrays.

    Args:
        graph: what to run.
        outputs: its tensors to give back; None stands for None.
        inputs: the tensors whose arrays are given, in order; the graph's inputs unless said otherwise.
        nodes: the nodes to run; those that the outputs need, and those with effects, unless said otherwise.
        backend: the device.
        passes: the names of the passes to make, in order.

    The first call runs the nodes one by one; a plan is made, and a function written from it, when there is a second;
    after some more, what can be is compiled to machine code, beside the runs unless the function asks for code at once.
    Where all shapes are known, arrays inside are buffers that are used again in the next run. Where they are not, there
    is a version of the function without buffers, and one with buffers for each of the shapes that come often.

    What fails in making or running such a function is no failure of the program: it goes on in a plainer way, at last
    node by node, and the failure is counted (:mod:`fallbacks`).
    """

    def __init__(
        self,
        graph: Graph,
        outputs: Sequence[SymbolicTensor | None],
        inputs: Sequence[SymbolicTensor] | None = None,
        nodes: Sequence[Node] | None = None,
        backend: Backend = NUMPY,
        passes: Sequence[str] = tuple(PASSES),
    ) -> None:
        self.graph = graph
        self.backend = backend
        self.outputs: list[SymbolicTensor | None] = list(outputs)
        self.inputs: list[SymbolicTensor] = list(graph.inputs if inputs is None else inputs)
        given = {id(tensor) for tensor in self.inputs}
        chosen = needed(graph, outputs, effects=True) if nodes is None else nodes
        self.nodes: list[Node] = [node for node in chosen if not any(id(tensor) in given for tensor in node.outputs)]
        self._passes = passes if backend is NUMPY else [name for name in passes if name not in _HOST]
        self._closed = backend is NUMPY and all(shape_of(tensor) is not None for tensor in self.inputs)
        self._has_lists = any(tensor._a.dtype.names is not None for tensor in self.inputs)
        self._unplanned = _UNPLANNED if backend is NUMPY else 0
        self._uncompiled = runs_before(graph) if backend is NUMPY else 0
        # Python functions have to find the user's own context variables, by which a notebook knows whose output it is.
        self._runs_python = runs_python(self.nodes)
        self.silently = run_with_errstate if self._runs_python else run_silently
        self._native = False
        self._beside = False
        self._jobs: dict[Any, Job] = {}  # versions that are being compiled, by the shapes that they are for
        self._given_up: set[str] = set()
        self._versions: OrderedDict[Any, Version | NodeVersion | int] = OrderedDict()
        self._note_early()

    @cached_property
    def plan(self) -> Plan:
        """What is run instead of the nodes, after the passes."""
        with paused():
            try:
                return planned(self.graph, self.outputs, self.inputs, self.nodes, self._passes)
            except Exception as error:  # noqa: BLE001 - a fault of ours, whatever it is
                fall_back("plan", self.graph, error)
                return planned(self.graph, self.outputs, self.inputs, self.nodes, ())

    @cached_property
    def variables_read(self) -> list[Any]:
        """The variables that its nodes read, or graphs inside them."""
        return variables_read(self.nodes)

    @property
    def is_planned(self) -> bool:
        """Whether the plan is there already."""
        return "plan" in self.__dict__

    @cached_property
    def _version(self) -> Version | NodeVersion:
        with paused():
            return self._fitted(None) if self._closed else self._plain

    @property
    def file(self) -> str:
        """The made-up file name of the written function."""
        return f"<tapeviz graph {self.graph.number}>"

    @property
    def source(self) -> str:
        """The written function."""
        return self._version.source

    def inside(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """Run it as a part of another program's run, which has turned warnings off already.

        Raises:
            OpError: a node failed; the message names the user's line.
        """
        __tracebackhide__ = True
        if self._uncompiled:
            self._count_down()
        if self._jobs:
            self._swap_in()
        version = self._version if self._closed else self._chosen(arrays)
        try:
            return version.run(arrays)
        except UnfitError:
            version = self._plain
        except Exception as error:  # noqa: BLE001 - whatever a kernel raises is explained
            return self._settled(error, version, arrays)
        try:
            return version.run(arrays)
        except Exception as error:  # noqa: BLE001
            return self._settled(error, version, arrays)

    def _settled(self, error: Exception, version: Version | NodeVersion, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """What a run that failed gives after all: the nodes are run one by one, where nothing has been changed yet.

        Raises:
            OpError: they fail too, so it is the program's own error.
        """
        __tracebackhide__ = True
        if not version.can_run_again(error):
            raise explained(error, self.file, version.lines) from None
        found = run_once(self, arrays)
        self._give_up(version.stage, error)
        return found

    def _give_up(self, stage: str, error: Exception) -> None:
        """Make no more versions in the way that has failed."""
        self._failed(stage, error)
        self.__dict__.pop("_version", None)
        self.__dict__.pop("_plain", None)
        self._renew()

    @contextmanager
    def repeated(self) -> Iterator[Callable[[Sequence[Any]], tuple[Any, ...]]]:
        """What runs it as :meth:`inside` does, many times in a row: with less around each run."""
        if self._uncompiled or self._jobs:
            yield self.inside
            return
        held: list[tuple[Version | NodeVersion, Callable[..., tuple[Any, ...]]]] = []

        def run(arrays: Sequence[Any]) -> tuple[Any, ...]:
            __tracebackhide__ = True
            if not held:
                version = self._version if self._closed else self._versions.get(self._forms(arrays), 0)
                if isinstance(version, int):  # these shapes have no version of their own yet
                    return self.inside(arrays)
                held.append((version, version.taken()))
            version, function = held[0]
            if version.stage in self._given_up:
                return self.inside(arrays)
            try:
                return function(*arrays)
            except UnfitError:
                return self.inside(arrays)
            except Exception as error:  # noqa: BLE001 - whatever a kernel raises is explained
                return self._settled(error, version, arrays)

        try:
            yield run
        finally:
            for version, function in held:
                version.put_back(function)

    def __call__(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """Run it.

        Raises:
            OpError: a node failed; the message names the user's line.
        """
        __tracebackhide__ = True
        if self._early:
            return self._run_early(arrays)
        version = self._version
        if not self._closed or not version.idle:
            return run_silently(self.inside, arrays)  # type: ignore[no-any-return]
        try:  # the same as below, without the calls in between
            function = version.idle.pop()
        except IndexError:
            function = version.made()
        try:
            found = run_in_silence(function, *arrays)
        except Exception as error:  # noqa: BLE001 - whatever a kernel raises is explained
            version.idle.append(function)
            if isinstance(error, UnfitError) or (isinstance(error, RuntimeError) and is_taken(error)):
                return run_silently(self.inside, arrays)  # type: ignore[no-any-return]
            return run_silently(self._settled, error, version, arrays)  # type: ignore[no-any-return]
        if len(version.idle) < version.most:
            version.idle.append(function)
        return found  # type: ignore[no-any-return]

    def _run_early(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """One of the first runs, or any of a program that calls Python functions."""
        __tracebackhide__ = True
        if self._unplanned:
            self._unplanned -= 1
            self._note_early()
            return self.silently(run_once, self, arrays)  # type: ignore[no-any-return]
        return self.silently(self.inside, arrays)  # type: ignore[no-any-return]

    def _note_early(self) -> None:
        self._early = self._unplanned + self._uncompiled + self._runs_python + len(self._jobs)

    def _count_down(self) -> None:
        """Compile when there were as many runs as are awaited: beside the runs that follow, or before the next one."""
        self._uncompiled = max(0, self._uncompiled - 1)
        if not self._uncompiled:
            if compiles_beside(self.graph):
                self._beside = "compile" not in self._given_up
                for key in [None] if self._closed else list(self._versions):
                    self._compile_beside(key)
            elif is_available():
                self._native = "compile" not in self._given_up
                self._renew()
                if self._closed:
                    self.__dict__["_version"] = self._fitted(None)
        self._note_early()

    def _compile_beside(self, shapes: Sequence[tuple[int, ...]] | None) -> None:
        """Have a version be compiled while the program goes on with the one that it has."""
        if self._beside and (shapes is None or isinstance(self._versions.get(shapes), Version)):
            self._jobs[shapes] = in_background(partial(self._compiled, shapes))

    def _compiled(self, shapes: Sequence[tuple[int, ...]] | None) -> Version | None:
        """What is done in the background, where nothing of the program itself changes; None where there is no need."""
        needed = self._beside and (shapes is None or shapes in self._versions)
        return self._with_buffers("compile", shapes) if needed and is_available() else None

    def _swap_in(self) -> None:
        """Use the versions that have been compiled."""
        for shapes, job in list(self._jobs.items()):
            if not job.is_done() or self._jobs.pop(shapes, None) is None:
                continue
            if job.error is not None:
                self._failed("compile", job.error)
            elif job.result is not None and self._beside:
                self._native = True
                if shapes is None:
                    self.__dict__["_version"] = job.result
                elif shapes in self._versions:
                    self._versions[shapes] = job.result
        self._note_early()

    def _renew(self) -> None:
        """Have the versions for certain shapes be made anew when they are needed next."""
        for key, version in list(self._versions.items()):
            if version.__class__ is not int:
                self._versions[key] = _WORTH

    # Versions.

    @cached_property
    def _plain(self) -> Version | NodeVersion:
        """The version for any shapes."""
        if "plan" not in self._given_up:
            try:
                steps = [single for step in self.plan.steps for single in step.single()]
                return Version(self.file, "plan", Codegen(self.plan, steps, self.backend, Sizes(self.plan), None), 0)
            except Exception as error:  # noqa: BLE001 - a fault of ours, whatever it is
                self._given_up.add("plan")
                fall_back("write", self.graph, error)
        return NodeVersion(self)

    def _fitted(self, shapes: Sequence[tuple[int, ...]] | None) -> Version | NodeVersion:
        """A version with buffers, for these shapes of the inputs."""
        for stage in ("compile", "buffers"):
            if stage in self._given_up or (stage == "compile" and (self._beside or not self._native)):
                continue
            try:
                return self._with_buffers(stage, shapes)
            except Exception as error:  # noqa: BLE001 - a fault of ours, whatever it is
                self._failed(stage, error)
        return self._plain

    def _failed(self, stage: str, error: BaseException) -> None:
        """Make no more versions in a way in which none could be made."""
        self._given_up.add(stage)
        if stage == "compile":
            self._native = self._beside = False
        fall_back(stage, self.graph, error)

    def _with_buffers(self, stage: str, shapes: Sequence[tuple[int, ...]] | None) -> Version:
        native, sizes = stage == "compile", Sizes(self.plan, shapes)
        units = opened(self.plan, sizes, in_pieces=not native)
        memory = Memory(units, self.plan.outputs, sizes)
        text = Codegen(self.plan, units, self.backend, sizes, memory, native=native)
        return Version(self.file, stage, text, memory.nbytes)

    def _chosen(self, arrays: Sequence[Any]) -> Version | NodeVersion:
        """The version for arrays of these shapes: one of their own when they have come several times."""
        if self.backend is not NUMPY:
            return self._version
        key = self._forms(arrays)
        known = self._versions.get(key, 0)
        if not isinstance(known, int):
            return known
        self._versions[key] = self._fitted(key) if known >= _WORTH else known + 1
        self._versions.move_to_end(key)
        self._compile_beside(key)
        self._forget()
        return self._version

    def _forms(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """The shapes of arrays, and of a list's elements."""
        if not self._has_lists:
            return tuple([array.shape for array in arrays])
        return tuple([array.element_shape if array.__class__ is Items else array.shape for array in arrays])

    def _forget(self) -> None:
        """Keep the latest shapes, and of the versions the latest few."""
        versions = [key for key, found in list(self._versions.items()) if found.__class__ is not int]
        for key in versions[:-_MOST_VERSIONS]:
            self._versions.pop(key, None)
        while len(self._versions) > _MOST_COUNTED:
            self._versions.popitem(last=False)
