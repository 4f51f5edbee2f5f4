"""``tf.Session``: runs parts of a graph, and keeps the values of its variables."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final, Self

import numpy as np

from tapeviz.backends import NUMPY, Backend
from tapeviz.compat.v1.graph.default_graph import get_default_graph, pop, push
from tapeviz.compat.v1.graph.graph import Graph
from tapeviz.compat.v1.graph.variable_store import Store, using
from tapeviz.compat.v1.session.config import ConfigProto
from tapeviz.compat.v1.session.feeds import Fetches, fed
from tapeviz.compat.v1.session.fetch_subgraph import check_fed, chosen
from tapeviz.compat.v1.session.placement import backend_for, log_placement
from tapeviz.engine.devices import devices
from tapeviz.engine.operators import public
from tapeviz.engine.scopes import call_as_one
from tapeviz.engine.state import ThreadState, local
from tapeviz.engine.tensor import wrap
from tapeviz.graphs.ir.graph import Node
from tapeviz.graphs.run.executable import Executable
from tapeviz.graphs.run.observation import observed

__all__ = ["InteractiveSession", "Session", "get_default_session"]

_KEPT: Final = 64
_ALONE: Final = ("", "local")
_CLUSTERS: Final = "tapeviz.compat.v1.cluster.client"  # imported by sessions that have a cluster alone


class _Defaults(threading.local):
    """The sessions whose blocks this thread is in."""

    def __init__(self) -> None:
        self.sessions: list[BaseSession] = []


_defaults = _Defaults()


def get_default_session() -> Any:
    """The session of the innermost block; None outside of every block.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     tf.get_default_session() is session
    True
    """
    return _defaults.sessions[-1] if _defaults.sessions else None


class DeviceAttributes:
    """A device of a session.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     [(device.name, device.device_type) for device in session.list_devices()][:1]
    [('/job:localhost/replica:0/task:0/device:CPU:0', 'CPU')]
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    @property
    def name(self) -> str:
        """The name, such as ``/job:localhost/replica:0/task:0/device:CPU:0``."""
        return self._backend.device

    @property
    def device_type(self) -> str:
        """``CPU`` or ``GPU``."""
        return self._backend.kind

    @property
    def memory_limit_bytes(self) -> int:
        """How much memory the machine has for a CPU; 0 where that is not known."""
        return _host_memory() if self._backend is NUMPY else 0

    @property
    def incarnation(self) -> int:
        """A number that this process has for the device."""
        return id(self._backend)

    def __repr__(self) -> str:
        facts = f"{self.name}, {self.device_type}, {self.memory_limit_bytes}, {self.incarnation}"
        return f"_DeviceAttributes({facts})"


def _host_memory() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not on every system
        return 0


class BaseSession:
    """What sessions of either sort have."""

    def __init__(self, target: Any = "", graph: Graph | None = None, config: ConfigProto | None = None) -> None:
        if not isinstance(target, (str, bytes, type(None))):
            raise TypeError(f'Argument `target` must be a string, but got "{type(target).__name__}"')
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f'Argument `graph` must be a tf.Graph, but got "{type(graph).__name__}"')
        if config is not None and not isinstance(config, ConfigProto):
            raise TypeError(f'Argument `config` must be a tf.ConfigProto, but got "{type(config).__name__}"')
        self._target = target.decode() if isinstance(target, bytes) else target or ""
        self._config = config or ConfigProto()
        self._graph = get_default_graph() if graph is None else graph
        self._cluster = _cluster(self._target, self._config)
        self._store = Store() if self._cluster is None else self._cluster.store
        self._programs: OrderedDict[Any, tuple[int, Any]] = OrderedDict()
        self._lock = threading.RLock()
        self._closed = False

    @property
    def graph(self) -> Graph:
        """The graph that it runs."""
        return self._graph

    @property
    def sess_str(self) -> str:
        """The target, as TensorFlow's execution engine was told."""
        return self._target

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Run what is needed for ``fetches``, and give their values.

        Args:
            fetches: a tensor, variable, operation or name, or a structure (list, tuple, dict) of such.
            feed_dict: values for tensors, by tensor: for placeholders, or in the place of what would be computed.
            options: accepted as TensorFlow does, like ``run_metadata``.
            run_metadata: accepted.

        Returns:
            Arrays in the structure of ``fetches``; None for operations.

        Raises:
            RuntimeError: the session is closed, or its graph is empty.
            TypeError: something fetched or fed is no tensor.
            ValueError: something fetched is of another graph, or a value does not have the shape of what it is fed to.
            InvalidArgumentError: a placeholder that is needed was not fed.
            FailedPreconditionError: a variable that is needed is not initialized.
        """
        __tracebackhide__ = True
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if not self._graph.nodes:
            raise RuntimeError("The Session graph is empty. Add operations to the graph before calling run().")
        wanted = Fetches(self._graph, fetches)
        found = self._run(fed(self._graph, feed_dict), wanted.tensors, wanted.operations)
        return wanted.packed([_given(array) for array in found])

    def _run(
        self, feeds: Mapping[Any, np.ndarray], tensors: Sequence[Any], operations: Sequence[Node]
    ) -> Sequence[Any]:
        """The arrays of the tensors: every run of every session comes through here, and is told to who records."""
        __tracebackhide__ = True
        before = local.state
        local.state = state = ThreadState()  # a run is no part of what is built around it
        state.observer = _observer(before)
        state.backend, state.placed = before.backend, before.placed
        try:
            program = self._program(list(feeds), tensors, operations)
            takes, here = program.backend.takes, program.backend
            arrays = [here.from_host(a) if here is not NUMPY and takes(a.dtype) else a for a in feeds.values()]
            if state.observer is None:
                with using(self._store, program.backend):
                    return program(arrays)  # type: ignore[no-any-return]
            columns = {"fed": _names(list(feeds), ()), "fetched": _names(tensors, operations)}
            found = call_as_one(self._run_observed, program, [wrap(array) for array in arrays], columns)
            for tensor in found:
                state.observer.on_host_out(tensor, "numpy", tensor._a)
            return [tensor._a for tensor in found]
        finally:
            local.state = before

    def _run_observed(self, program: Any, tensors: Sequence[Any], columns: Mapping[str, Any]) -> Sequence[Any]:
        """The same where somebody records. What other tasks run is not recorded here."""
        __tracebackhide__ = True
        observer: Any = local.state.observer

        def run_here(part: Executable, arrays: Sequence[Any]) -> list[Any]:
            found = observed(part, self._graph, [wrap(array) for array in arrays], observer, **columns)
            return [tensor._a for tensor in found]

        with using(self._store, program.backend):
            if not isinstance(program, Executable):
                return [wrap(array) for array in program.run([tensor._a for tensor in tensors], run_here)]
            return observed(program, self._graph, tensors, observer, **columns)

    @property
    def variable_values(self) -> dict[Any, Any]:
        """The values of the variables of this process, by their numbers; by their names where it is a server's."""
        return dict(self._store.values)

    @variable_values.setter
    def variable_values(self, values: Mapping[Any, Any]) -> None:
        self._store.values = dict(values)

    def _program(self, feeds: Sequence[Any], tensors: Sequence[Any], operations: Sequence[Node]) -> Any:
        """What computes these tensors, kept for the next time as long as the graph is the same."""
        graph = self._graph
        key = (tuple(map(id, tensors)), tuple(node.number for node in operations), tuple(map(id, feeds)))
        with self._lock:
            known = self._programs.get(key)
            if known is not None and known[0] == len(graph.nodes):
                self._programs.move_to_end(key)
                return known[1]
            nodes = chosen(tensors, operations, feeds)
            check_fed(nodes, tensors, feeds)
            program = self._made_program(feeds, tensors, nodes)
            self._programs[key] = (len(graph.nodes), program)
            while len(self._programs) > _KEPT:
                self._programs.popitem(last=False)
        return program

    def _made_program(self, feeds: Sequence[Any], tensors: Sequence[Any], nodes: Sequence[Node]) -> Any:
        if self._cluster is not None:
            of_tasks = self._cluster.program(self._graph, tensors, feeds, nodes, self._backend_for)
            if of_tasks is not None:
                return of_tasks
        return Executable(self._graph, tensors, inputs=feeds, nodes=nodes, backend=self._backend_for(nodes))

    def _backend_for(self, nodes: Sequence[Node]) -> Backend:
        """The device of nodes that run in this process."""
        home = None if self._cluster is None else self._cluster.home
        backend = backend_for(nodes, self._config, home)
        if self._config.log_device_placement:
            log_placement(nodes, backend, sys.stderr, home)
        return backend

    def _restored(self, values: Mapping[Any, np.ndarray]) -> None:
        """Give variables values, without an operation: what a saver does.

        Raises:
            RuntimeError: the session is closed.
        """
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        here = values if self._cluster is None else self._cluster.assign(values)
        with using(self._store):
            for variable, array in here.items():
                variable._bind(wrap(array), "assigned")

    def make_callable(self, fetches: Any, feed_list: Sequence[Any] | None = None,
                      accept_options: bool = False) -> Callable[..., Any]:  # fmt: skip
        """A function that runs ``fetches``, its arguments the values of the tensors in ``feed_list``."""
        keys = list(feed_list or ())

        def called(*values: Any, **_options: Any) -> Any:
            if len(values) != len(keys):
                raise TypeError(f"the callable takes {len(keys)} values to feed and was given {len(values)}")
            return self.run(fetches, dict(zip(keys, values, strict=True)))

        return called

    def list_devices(self) -> list[DeviceAttributes]:
        """The devices that operations can run on."""
        return [DeviceAttributes(backend) for backend in devices.visible]

    def as_default(self) -> Any:
        """A block in which ``Tensor.eval`` and ``Operation.run`` use this session; leaving it does not close it."""
        return _Default(self)

    def close(self) -> None:
        """Give up the variables' values. The session cannot run any more."""
        self._closed = True
        self._programs.clear()
        if self._cluster is not None:
            self._cluster.close()


class _Default:
    """The block of ``as_default``."""

    def __init__(self, session: BaseSession) -> None:
        self._session = session

    def __enter__(self) -> BaseSession:
        _defaults.sessions.append(self._session)
        return self._session

    def __exit__(self, *_details: object) -> None:
        _remove(self._session)


def _remove(session: BaseSession) -> None:
    for place in reversed(range(len(_defaults.sessions))):
        if _defaults.sessions[place] is session:
            del _defaults.sessions[place]
            return


class Session(BaseSession):
    """Runs a graph. As a block it is the default session, its graph the default graph, and it closes at the end.

    Args:
        target: where to run: "" or "local" for here, or the target of a :class:`train.Server`, of this process or
            another one on this machine. Operations run on the task that :func:`device` asks for, else on that server.
        graph: the graph; the default graph unless given.
        config: how to run: see :class:`ConfigProto`.

    Raises:
        TypeError: an argument is none of these.
        NotFoundError: the target is none.
        DeadlineExceededError: there is no server at the target.

    >>> import tapeviz.compat.v1 as tf
    >>> graph = tf.Graph()
    >>> with graph.as_default():
    ...     x = tf.placeholder(tf.float32, [2, 2])
    ...     y = tf.matmul(x, x)
    >>> with tf.Session(graph=graph) as session:
    ...     print(session.run(y, feed_dict={x: [[1, 1], [0, 1]]}))
    [[1. 2.]
     [0. 1.]]
    """

    def __enter__(self) -> Self:
        push(self._graph)
        _defaults.sessions.append(self)
        return self

    def __exit__(self, *_details: object) -> None:
        _remove(self)
        pop(self._graph)
        self.close()

    @staticmethod
    def reset(target: str, containers: Any = None, config: Any = None) -> None:
        """Forget the variables that sessions with this target have in common."""
        if target not in _ALONE:
            import_module(_CLUSTERS).reset(target)


class InteractiveSession(BaseSession):
    """A session that is the default one from its making until it is closed, for use without a block.

    >>> import tapeviz.compat.v1 as tf
    >>> session = tf.InteractiveSession(graph=tf.Graph())
    >>> (tf.constant(2.0) * 3.0).eval()
    np.float32(6.0)
    >>> session.close()
    """

    def __init__(self, target: Any = "", graph: Graph | None = None, config: ConfigProto | None = None) -> None:
        super().__init__(target, graph, config)
        self._pushed = graph
        if graph is not None:
            push(graph)
        _defaults.sessions.append(self)

    def close(self) -> None:
        """Give up the variables' values, and be the default session no more."""
        super().close()
        _remove(self)
        if self._pushed is not None:
            pop(self._pushed)
            self._pushed = None


def _cluster(target: str, config: ConfigProto) -> Any:
    """The tasks that a session can run on; None where there is this process alone."""
    if target in _ALONE and config.cluster_def is None:
        return None
    timeout = config.operation_timeout_in_ms / 1000
    return import_module(_CLUSTERS).SessionCluster(target, config.cluster_def, timeout)


def _given(array: Any) -> Any:
    """An array of the caller's own; a NumPy scalar for rank 0."""
    host = wrap(array)._host()
    return host[()] if host.ndim == 0 else host.copy()


def _observer(state: ThreadState | None) -> Any:
    """Who observes, around whatever is being built: the graphs have observers of their own."""
    while state is not None:
        if state.observer is not None and state.observer is not getattr(state.graph, "backward_trace", None):
            return state.observer
        state = state.outer
    return None


def _names(tensors: Sequence[Any], operations: Sequence[Node]) -> str:
    return json.dumps([tensor.name for tensor in tensors] + [node.name for node in operations])


def _evaluated(tensor: Any, feed_dict: Any, session: Any) -> Any:
    """The value of a tensor in a session."""
    found = session or get_default_session()
    if found is None:
        raise ValueError(
            "Cannot evaluate tensor using `eval()`: No default session is registered. Use `with sess.as_default()` or "
            "pass an explicit session to `eval(session=sess)`"
        )
    _check_graph(found, tensor.graph, "tensor")
    return found.run(tensor, feed_dict)


def _operation_run(node: Node, feed_dict: Any, session: Any) -> None:
    """Run an operation in a session."""
    found = session or get_default_session()
    if found is None:
        raise ValueError(
            "Cannot execute operation using `run()`: No default session is registered. Use `with sess.as_default():` "
            "or pass an explicit session to `run(session=sess)`"
        )
    _check_graph(found, node.graph, "operation")
    found.run(node, feed_dict)


def _check_graph(session: BaseSession, graph: Any, sort: str) -> None:
    if session.graph is not graph:
        raise ValueError(
            f"Cannot use the default session to run or evaluate {sort}: the {sort}'s graph is different from the "
            f"session's graph. Pass an explicit session of that graph: tf.Session(graph={sort}.graph)."
        )


public["evaluate"] = _evaluated
public["run_operation"] = _operation_run
