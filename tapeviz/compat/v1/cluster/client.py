"""A session's side of a cluster: which tasks there are, the connections to them, and what goes over these."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.connection import Connection
from typing import Any, Final

import numpy as np

from tapeviz.backends import Backend
from tapeviz.compat.v1.cluster.links import GONE, connected, receive, send
from tapeviz.compat.v1.cluster.runs import Part, TaskRun, task_of
from tapeviz.compat.v1.cluster.segments import keep_newest
from tapeviz.compat.v1.cluster.server import Server, servers
from tapeviz.compat.v1.cluster.spec import ClusterDef, ClusterSpec, Task
from tapeviz.compat.v1.graph.graph import Graph
from tapeviz.compat.v1.graph.variable_store import Store
from tapeviz.engine import errors
from tapeviz.engine.errors import (
    DeadlineExceededError,
    InternalError,
    InvalidArgumentError,
    NotFoundError,
    OpError,
    UnavailableError,
)
from tapeviz.graphs.ir.graph import Node
from tapeviz.graphs.run.failures import line_of

__all__ = ["SessionCluster", "reset"]

_PATIENCE: Final = 30.0
"""Seconds that a session waits for a server to start."""
_NODE: Final = re.compile(r"\{\{node (\S+)\}\}")
_SCHEME: Final = "grpc://"


class SessionCluster:
    """The tasks that a session can run on.

    Args:
        target: of a server of this process or another one; "" for a cluster of which this process may be no task.
        cluster: the tasks; what the server says where it is None.
        timeout: how many seconds a server may take to start, and an operation to run; 0 for 30, and for ever.

    Raises:
        NotFoundError: the target is none.
        InvalidArgumentError: ``cluster`` is no cluster.
        DeadlineExceededError: there is no server at the target.
    """

    def __init__(self, target: str, cluster: Any = None, timeout: float = 0.0) -> None:
        if cluster is not None and not isinstance(cluster, (ClusterSpec, ClusterDef)):
            raise InvalidArgumentError(f"ConfigProto.cluster_def must be a tf.train.ClusterSpec, got {cluster!r}")
        if target not in ("", "local") and not target.startswith(_SCHEME):
            raise NotFoundError(
                f'No session factory registered for the given session options: {{target: "{target}"}}. A target is "", '
                '"local" or that of a tf.train.Server.'
            )
        self.lock: Any = threading.RLock()
        self._timeout = timeout
        self._links: dict[Task, Connection] = {}
        self._sent: dict[Task, dict[int, None]] = {}
        self._reached: set[Task] = set()
        spec = None if cluster is None else ClusterSpec(cluster)
        server = servers.get(target) or _own(spec)
        if server is not None:
            self.addresses = {**(spec or server.server_def.cluster).addresses, server.task: target}
            self.home: Task | None = server.task
        elif target.startswith(_SCHEME):
            self.addresses, self.home = self._cluster_of(target.removeprefix(_SCHEME))
        else:
            self.addresses, self.home = ({} if spec is None else spec.addresses), None
        self._here = None if server is None else server.task
        self.store: Store = Store() if server is None else server.store

    def is_here(self, task: Task | None) -> bool:
        """Whether a task is this process."""
        return task is None or task == self._here

    def program(
        self, graph: Graph, tensors: Sequence[Any], feeds: Sequence[Any], nodes: Sequence[Node],
        backend: Callable[[Sequence[Node]], Backend],
    ) -> TaskRun | None:  # fmt: skip
        """What computes these tensors; None where all of it is this process'."""
        tasks = list(self.addresses)
        places = {node.number: task_of(node, self.home, tasks) for node in nodes}
        if all(map(self.is_here, places.values())):
            return None
        one = {number: self._here if self.is_here(task) else task for number, task in places.items()}
        return TaskRun(graph, tensors, feeds, nodes, lambda node: one[node.number], self, backend)

    # Messages.

    def ask(self, part: Part, arrays: Sequence[Any]) -> None:
        """Have another task run its part.

        Raises:
            UnavailableError: its process is gone.
            DeadlineExceededError: its server does not start.
        """
        segment, task = part.program, part.task
        assert task is not None  # noqa: S101 - what is of no task runs here
        self._link(task)
        header: dict[str, Any] = {"do": "run", "program": part.number}
        given = [*arrays, *(np.int64(draw()) for draw in segment.draws)]
        if part.number not in self._sent[task]:
            header |= {"graph": segment.plain, "constants": len(segment.arrays)}
            given = [*segment.arrays, *given]
        self._send(task, header, given)
        self._sent[task][part.number] = None
        keep_newest(self._sent[task])

    def answer(self, part: Part, graph: Graph) -> list[np.ndarray]:
        """The arrays that its part gives.

        Raises:
            UnavailableError: its process is gone.
            OpError: the part failed.
        """
        try:
            return self._receive(part.task, graph)
        except OpError:  # which may have come before the segment was ready
            self._sent[part.task].pop(part.number, None)  # type: ignore[index]
            raise

    def assign(self, values: Mapping[Any, np.ndarray]) -> dict[Any, np.ndarray]:
        """Give variables of other tasks their values; those that are left are of this process."""
        by_task: dict[Task | None, dict[Any, np.ndarray]] = {}
        tasks = list(self.addresses)
        for variable, array in values.items():
            by_task.setdefault(task_of(variable._tensor._node, self.home, tasks), {})[variable] = array
        here: dict[Any, np.ndarray] = {}
        with self.lock:
            for task, known in by_task.items():
                if self.is_here(task):
                    here |= known
                else:
                    names = [variable.op.name for variable in known]
                    self._request(task, {"do": "assign", "names": names}, list(known.values()))
        return here

    def reset(self) -> None:
        """Forget the variables of all tasks."""
        self.store.values.clear()
        with self.lock:
            for task in self.addresses:
                if not self.is_here(task):
                    self._request(task, {"do": "reset"}, [])

    def close(self) -> None:
        """End the connections. The tasks keep their variables."""
        with self.lock:
            for task in list(self._links):
                self._drop(task)

    def _request(self, task: Any, header: dict[str, Any], arrays: Sequence[Any]) -> None:
        self._link(task)
        self._send(task, header, arrays)
        self._receive(task, None)

    def _send(self, task: Any, header: dict[str, Any], arrays: Sequence[Any]) -> None:
        try:
            send(self._links[task], header, arrays)
        except GONE:
            raise self._gone(task) from None

    def _receive(self, task: Any, graph: Graph | None) -> list[np.ndarray]:
        link = self._links[task]
        try:
            if self._timeout and not link.poll(self._timeout):
                self._drop(task)
                raise DeadlineExceededError(f"task {task} has not answered within {self._timeout:g} s")
            header, arrays = receive(link)
        except GONE:
            raise self._gone(task) from None
        if "error" in header:
            raise self._failed(task, graph, *header["error"])
        return arrays

    def _gone(self, task: Task) -> UnavailableError:
        address = self.addresses[task]
        self._drop(task)
        return UnavailableError(
            f"task {task} at {address} is gone: its process has ended. The variables of the other tasks have kept "
            "their values. When it has been started again, this session finds it, and its variables must be "
            "initialized or restored."
        )

    def _failed(self, task: Task, graph: Graph | None, kind: str, message: str, op: str | None) -> OpError:
        """The error of a node at another task, with the line here that made the node."""
        found = _NODE.search(message)
        node = None if graph is None or found is None else graph.by_name(found[1])
        line = "" if node is None else line_of(node)
        where = f"\n  on task {task}" + (f"\n  at {line}" if line else "")
        made = getattr(errors, kind, InternalError)(f"{message}{where}", op)
        return made if isinstance(made, OpError) else InternalError(f"{message}{where}", op)

    # Connections.

    def _drop(self, task: Task) -> None:
        self._links.pop(task).close()

    def _link(self, task: Any) -> None:
        """Have a connection to a task."""
        if task not in self._links:
            patience = 0.0 if task in self._reached else self._timeout or _PATIENCE
            link, told = self._connected(self.addresses[task], patience, task)
            if (told["job"], told["task"]) != task:
                link.close()
                raise InvalidArgumentError(
                    f"the server at {self.addresses[task]} is /job:{told['job']}/task:{told['task']}, not {task}: the "
                    "cluster is not the same in all processes"
                )
            self._links[task], self._sent[task] = link, {}
            self._reached.add(task)

    def _cluster_of(self, address: str) -> tuple[dict[Task, str], Task]:
        """The tasks of the cluster that a server belongs to, and which it is."""
        link, told = self._connected(address, self._timeout or _PATIENCE, None)
        home = Task(told["job"], told["task"])
        self._links[home], self._sent[home] = link, {}
        addresses = {Task(job, index): place for job, tasks in told["cluster"] for index, place in tasks}
        return {**addresses, home: address}, home

    def _connected(self, address: str, patience: float, task: Task | None) -> tuple[Connection, dict[str, Any]]:
        link = connected(address, time.monotonic() + patience)
        if link is None and task in self._reached:
            raise UnavailableError(f"task {task} at {address} is gone: no server has been started there again")
        if link is None:
            which = "" if task is None else f" as task {task}: start it there with tf.train.Server(cluster, "
            which += "" if task is None else f"job_name={task.job!r}, task_index={task.number})"
            raise DeadlineExceededError(f"no server has answered at {address} within {patience:g} s{which}")
        return link, receive(link)[0]


def reset(target: str) -> None:
    """Forget the variables that sessions with this target have in common."""
    cluster = SessionCluster(target)
    cluster.reset()
    cluster.close()


def _own(cluster: ClusterSpec | None) -> Server | None:
    """The server of this process that is a task of a cluster."""
    if cluster is None:
        return None
    addresses = set(cluster.addresses.items())
    return next((s for s in servers.values() if (s.task, s.server_def.cluster.addresses[s.task]) in addresses), None)
