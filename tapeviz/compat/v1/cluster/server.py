"""``train.Server``: this process as a task of a cluster, which does its parts of the runs of others' sessions."""

from __future__ import annotations

import threading
from multiprocessing.connection import Connection
from typing import Any, Final

import numpy as np

from tapeviz.compat.v1.cluster.links import GONE, accepted, listening, loopback_port, receive, send
from tapeviz.compat.v1.cluster.segments import KEPT, built, keep_newest
from tapeviz.compat.v1.cluster.spec import ClusterSpec, Task
from tapeviz.compat.v1.graph.variable_store import Store, using
from tapeviz.engine.errors import OpError, UnknownError
from tapeviz.engine.tensor import wrap
from tapeviz.graphs.run.executable import Executable

__all__ = ["Server", "ServerDef", "servers"]

servers: Final[dict[str, Server]] = {}
"""The servers of this process, by their targets."""


class ServerDef:
    """Which task of which cluster a server is."""

    def __init__(self, cluster: ClusterSpec, job_name: str, task_index: int, protocol: str) -> None:
        self.cluster = cluster
        self.job_name = job_name
        self.task_index = task_index
        self.protocol = protocol


class Server:
    """A task of a cluster, in this process.

    Sessions with its target, of this process or of others, have their variables in common: they are kept by name, in
    the process of the task that :func:`tf.device` asks for, and live as long as that. Messages come on 127.0.0.1 alone,
    from processes that have the cluster's key: the environment variable ``TAPEVIZ_CLUSTER_KEY``, else the file
    ``~/.tapeviz/cluster/key``, which is made when it is needed and which only its user can read.

    Args:
        server_or_cluster_def: the cluster, or what :class:`ServerDef` says.
        job_name: the job of this task; the only one unless given.
        task_index: its number in the job; 0 unless given where there is one.
        protocol: accepted: "grpc".
        config: accepted.
        start: whether to serve at once, or with :meth:`start`.

    Raises:
        ValueError: the cluster has several jobs or tasks, and it is not said which this is.
        UnimplementedError: this task is on another machine.
        UnknownError: the port is taken.

    >>> import tapeviz.compat.v1 as tf
    >>> server = tf.train.Server.create_local_server()
    >>> with tf.Graph().as_default(), tf.Session(server.target) as session:
    ...     session.run(tf.constant(2.0) + 1.0)
    np.float32(3.0)
    """

    def __init__(
        self, server_or_cluster_def: Any, job_name: str | None = None, task_index: int | None = None,
        protocol: str | None = None, config: Any = None, start: bool = True,
    ) -> None:  # fmt: skip
        given = server_or_cluster_def
        if isinstance(given, ServerDef):
            job_name, task_index = job_name or given.job_name, given.task_index if task_index is None else task_index
            given = given.cluster
        cluster = ClusterSpec(given)
        job = job_name or _only(cluster.jobs, "job_name")
        index = _only(cluster.task_indices(job), "task_index") if task_index is None else task_index
        self.task: Task = Task(job, index)
        address = cluster.task_address(job, index)
        try:
            self._listener = listening(loopback_port(address))
        except OSError as error:
            raise UnknownError(f"Could not start a server as {self.task} at {address}: {error.strerror}") from None
        host, port = address.rpartition(":")[0], self._listener.address[1]
        cluster._jobs[job][index] = f"{host}:{port}"
        self.server_def: ServerDef = ServerDef(cluster, job, index, protocol or "grpc")
        self.store: Store = Store(by_name=True)
        self._target = f"grpc://{host}:{port}"
        self._serving = threading.Thread(target=self._serve, daemon=True)
        servers[self._target] = self
        if start:
            self.start()

    @property
    def target(self) -> str:
        """What a session's ``target`` must be to run here."""
        return self._target

    def start(self) -> None:
        """Serve; where it does already, nothing."""
        if not self._serving.is_alive():
            self._serving.start()

    def join(self) -> None:
        """Wait for ever, in a process that only serves."""
        while True:  # not one wait, so that an interrupt is heard on every system
            self._serving.join(1.0)

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """A cluster of this process alone, on a free port."""
        return Server({"localhost": ["localhost:0"]}, protocol="grpc", config=config, start=start)

    def _serve(self) -> None:
        while True:
            link: Any = self._listener.accept()
            threading.Thread(target=self._converse, args=(link,), daemon=True).start()

    def _converse(self, link: Connection) -> None:
        """Answer one session, as long as it is there."""
        with link:
            if not accepted(link):
                return
            jobs = [[job, list(self.server_def.cluster._jobs[job].items())] for job in self.server_def.cluster]
            programs: dict[int, Executable] = {}
            try:
                send(link, {"job": self.task.job, "task": self.task.number, "cluster": jobs})
                while True:
                    header, arrays = receive(link)
                    try:
                        found = getattr(self, f"_do_{header['do']}")(header, arrays, programs)
                    except Exception as error:  # noqa: BLE001 - whatever it is, the session is told
                        send(link, {"error": _described(error)})
                    else:
                        send(link, {}, found)
            except GONE:
                return

    def _do_run(
        self, header: dict[str, Any], arrays: list[np.ndarray], programs: dict[int, Executable]
    ) -> list[np.ndarray]:
        """The arrays that a segment gives; it comes with its first run."""
        number = header["program"]
        if "graph" in header:
            constants = header["constants"]
            programs.pop(number, None)
            programs[number] = built(header["graph"], arrays[:constants])
            keep_newest(programs, 2 * KEPT)
            arrays = arrays[constants:]
        program = programs[number]
        here = program.backend
        with using(self.store, here):
            return [wrap(array)._host() for array in program(arrays)]

    def _do_assign(self, header: dict[str, Any], arrays: list[np.ndarray], _programs: Any) -> list[Any]:
        with self.store.lock:
            self.store.values.update((name, wrap(array)) for name, array in zip(header["names"], arrays, strict=True))
        return []

    def _do_reset(self, *_told: Any) -> list[Any]:
        self.store.values.clear()
        return []

    def __repr__(self) -> str:
        return f"<Server {self.task.job}:{self.task.number} at {self._target}>"


def _described(error: Exception) -> list[str | None]:
    if isinstance(error, OpError):
        return [type(error).__name__, error.message, error.op]
    return ["InternalError", f"{type(error).__name__}: {error}", None]


def _only(items: list[Any], argument: str) -> Any:
    if len(items) != 1:
        raise ValueError(f"`{argument}` must be specified if the `server_def` has {len(items)} of them.")
    return items[0]
