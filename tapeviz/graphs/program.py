"""A graph as a Python function on arrays, written from its nodes.

No tensors are made on the way and nobody is asked what is on: that, and the freedom to leave nodes out, to run several
as one and to use memory again, is what a graph saves.
"""

from __future__ import annotations

import gc
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

from tapeviz.backends import NUMPY, Backend
from tapeviz.backends.silence import is_taken, run_in_silence, run_silently
from tapeviz.graphs.buffers import Memory
from tapeviz.graphs.failures import explained
from tapeviz.graphs.flattening import opened
from tapeviz.graphs.liveness import needed
from tapeviz.graphs.native.machine import CompilationError, is_available
from tapeviz.graphs.native.wishes import runs_before
from tapeviz.graphs.once import run_once
from tapeviz.graphs.passes.pipeline import PASSES, planned
from tapeviz.graphs.passes.plan import Plan, shape_of
from tapeviz.graphs.sizing import Sizes
from tapeviz.graphs.writing import Text, UnfitError

if TYPE_CHECKING:
    from tapeviz.engine.symbolic import SymbolicTensor
    from tapeviz.graphs.graph import Graph, Node

__all__ = ["Program"]

_HOST: Final = frozenset(("fold", "lower"))  # passes for the host alone
_UNPLANNED = 1  # runs before a plan is made
_MOST_VERSIONS: Final = 8
_MOST_COUNTED: Final = 64
_WORTH: Final = 3  # runs with the same shapes after which a version for them is written
_MOST_IDLE: Final = 4
_MOST_IDLE_BYTES: Final = 64 << 20


class Program:
    """A graph made ready to run on one device: ``program(arrays)`` gives the outputs' arrays.

    Args:
        graph: what to run.
        outputs: its tensors to give back; None stands for None.
        inputs: the tensors whose arrays are given, in order; the graph's inputs unless said otherwise.
        nodes: the nodes to run; those that the outputs need, and those with effects, unless said otherwise.
        backend: the device.
        passes: the names of the passes to make, in order.

    The first call runs the nodes one by one; a plan is made, and a function written from it, when there is a second;
    after some more, what can be is compiled to machine code.
    Where all shapes are known, arrays inside are buffers that are used again in the next run. Where they are not, there
    is a version of the function without buffers, and one with buffers for each of the shapes that come often.
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
        self.outputs = list(outputs)
        self.inputs = list(graph.inputs if inputs is None else inputs)
        given = {id(tensor) for tensor in self.inputs}
        chosen = needed(graph, outputs, effects=True) if nodes is None else nodes
        self.nodes = [node for node in chosen if not any(id(tensor) in given for tensor in node.outputs)]
        self._passes = passes if backend is NUMPY else [name for name in passes if name not in _HOST]
        self._closed = backend is NUMPY and all(shape_of(tensor) is not None for tensor in self.inputs)
        self._unplanned = _UNPLANNED if backend is NUMPY else 0
        self._uncompiled = runs_before(graph) if backend is NUMPY else 0
        self._early = self._unplanned + self._uncompiled
        self._native = False
        self._versions: OrderedDict[Any, _Version | int] = OrderedDict()

    @cached_property
    def plan(self) -> Plan:
        """What is run instead of the nodes, after the passes."""
        with _uncollected():
            return planned(self.graph, self.outputs, self.inputs, self.nodes, self._passes)

    @cached_property
    def _version(self) -> _Version:
        with _uncollected():
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
        version = self._version if self._closed else self._chosen(arrays)
        try:
            return version.run(arrays)
        except UnfitError:
            version = self._plain
        except Exception as error:  # noqa: BLE001 - whatever a kernel raises is explained
            raise explained(error, self.file, version.lines) from None
        try:
            return version.run(arrays)
        except Exception as error:  # noqa: BLE001
            raise explained(error, self.file, version.lines) from None

    @contextmanager
    def repeated(self) -> Iterator[Callable[[Sequence[Any]], tuple[Any, ...]]]:
        """What runs it as :meth:`inside` does, many times in a row: with less around each run."""
        if self._uncompiled or not self._closed:
            yield self.inside
            return
        version = self._version
        try:
            function = version.idle.pop()
        except IndexError:
            function = version.made()

        def run(arrays: Sequence[Any]) -> tuple[Any, ...]:
            __tracebackhide__ = True
            try:
                return function(*arrays)
            except UnfitError:
                return self.inside(arrays)
            except Exception as error:  # noqa: BLE001 - whatever a kernel raises is explained
                raise explained(error, self.file, version.lines) from None

        try:
            yield run
        finally:
            if len(version.idle) < version.most:
                version.idle.append(function)

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
            raise explained(error, self.file, version.lines) from None
        if len(version.idle) < version.most:
            version.idle.append(function)
        return found  # type: ignore[no-any-return]

    def _run_early(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """One of the first runs."""
        __tracebackhide__ = True
        if self._unplanned:
            self._unplanned -= 1
            self._early = self._unplanned + self._uncompiled
            return run_silently(run_once, self, arrays)  # type: ignore[no-any-return]
        return run_silently(self.inside, arrays)  # type: ignore[no-any-return]

    def _count_down(self) -> None:
        """Compile when there were as many runs as are awaited."""
        self._uncompiled = max(0, self._uncompiled - 1)
        self._early = self._unplanned + self._uncompiled
        if self._uncompiled or not is_available():
            return
        self._native = True
        for key, version in list(self._versions.items()):
            if version.__class__ is _Version:
                self._versions[key] = _WORTH  # made anew when it is needed next
        if self._closed:
            self.__dict__["_version"] = self._fitted(None)

    # Versions.

    @cached_property
    def _plain(self) -> _Version:
        """The version for any shapes."""
        steps = [single for step in self.plan.steps for single in step.single()]
        return _Version(self, Text(self.plan, steps, self.backend, Sizes(self.plan), None), 0)

    def _fitted(self, shapes: Sequence[tuple[int, ...]] | None) -> _Version:
        """A version with buffers, for these shapes of the inputs."""
        sizes = Sizes(self.plan, shapes)
        if self._native:
            try:
                return self._with_buffers(sizes, native=True)
            except CompilationError as error:
                self._native = False
                warnings.warn(f"a graph runs without being compiled: {error}", RuntimeWarning, stacklevel=2)
        return self._with_buffers(sizes, native=False)

    def _with_buffers(self, sizes: Sizes, *, native: bool) -> _Version:
        units = opened(self.plan, sizes, in_pieces=not native)
        memory = Memory(units, self.plan.outputs, sizes)
        text = Text(self.plan, units, self.backend, sizes, memory, native=native)
        return _Version(self, text, memory.nbytes)

    def _chosen(self, arrays: Sequence[Any]) -> _Version:
        """The version for arrays of these shapes: one of their own when they have come several times."""
        if self.backend is not NUMPY:
            return self._version
        key = tuple([array.shape for array in arrays])
        known = self._versions.get(key, 0)
        if isinstance(known, _Version):
            return known
        self._versions[key] = self._fitted(key) if known >= _WORTH else known + 1
        self._versions.move_to_end(key)
        self._forget()
        return self._version

    def _forget(self) -> None:
        """Keep the latest shapes, and of the versions the latest few."""
        versions = [key for key, found in list(self._versions.items()) if found.__class__ is _Version]
        for key in versions[:-_MOST_VERSIONS]:
            self._versions.pop(key, None)
        while len(self._versions) > _MOST_COUNTED:
            self._versions.popitem(last=False)


@contextmanager
def _uncollected() -> Iterator[None]:
    """A block that makes many objects, which stay: Python's collector would look through all of them several times."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


class _Version:
    """The function of a program for certain shapes, with sets of buffers: one for each run at a time."""

    def __init__(self, program: Program, text: Text, nbytes: int) -> None:
        self.source = text.source
        self.lines = text.lines
        self._text = text
        self._code: CodeType = compile(text.source, program.file, "exec")
        self.idle: list[Callable[..., tuple[Any, ...]]] = []
        self.most = _MOST_IDLE if nbytes < _MOST_IDLE_BYTES else 1

    def run(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """Run it; a run that begins while another one lasts has buffers of its own."""
        try:
            function = self.idle.pop()
        except IndexError:
            function = self.made()
        try:
            return function(*arrays)
        finally:
            if len(self.idle) < self.most:
                self.idle.append(function)

    def made(self) -> Callable[..., tuple[Any, ...]]:
        """The function with buffers of its own."""
        scope = {**self._text.scope, **self._text.arrays()}
        exec(self._code, scope)  # noqa: S102 - the text is made from our own nodes
        return scope["run"]  # type: ignore[no-any-return]
