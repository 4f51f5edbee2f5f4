"""``train.ClusterSpec`` and ``train.Server``: the processes of a cluster, of which this process is the only one yet."""

from __future__ import annotations

import itertools
import socket
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final, NamedTuple

from tapeviz.compat.v1.session.variable_store import Store
from tapeviz.engine.errors import InvalidArgumentError, NotFoundError, UnimplementedError

__all__ = ["ClusterDef", "ClusterSpec", "JobDef", "Server", "ServerDef", "checked_target"]

_HERE: Final = ("127.0.0.1", "localhost", "[::1]", "0.0.0.0")  # noqa: S104 - names that a cluster may give this host
_servers: Final[dict[str, Server]] = {}
_local_number: Final = itertools.count(1).__next__


class JobDef(NamedTuple):
    """A job of a cluster: its name, and the addresses of its tasks by their numbers."""

    name: str
    tasks: dict[int, str]


class ClusterDef(NamedTuple):
    """A cluster as plain data.

    >>> import tapeviz.compat.v1 as tf
    >>> cluster = tf.train.ClusterSpec({"worker": ["127.0.0.1:2222"], "ps": ["127.0.0.1:2223"]}).as_cluster_def()
    >>> [job.name for job in cluster.job], cluster.job[0].tasks[0]
    (['ps', 'worker'], '127.0.0.1:2223')
    """

    job: list[JobDef]


class ClusterSpec:
    """The jobs of a cluster, each with the addresses of its tasks.

    Args:
        cluster: addresses by job: a list, or a dict from task numbers; or another spec, or what
            :meth:`as_cluster_def` gives.

    Raises:
        TypeError: it is none of these, or an address is no text.

    >>> import tapeviz.compat.v1 as tf
    >>> cluster = tf.train.ClusterSpec({"worker": ["127.0.0.1:2222", "127.0.0.1:2223"]})
    >>> cluster.num_tasks("worker"), cluster.task_address("worker", 1)
    (2, '127.0.0.1:2223')
    """

    def __init__(self, cluster: Any) -> None:
        if isinstance(cluster, (ClusterSpec, ClusterDef)):
            self._jobs: dict[str, dict[int, str]] = {job: dict(tasks) for job, tasks in _jobs(cluster).items()}
            return
        if not isinstance(cluster, Mapping):
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, or a "
                "`ClusterDef` protocol buffer"
            )
        self._jobs = {job: _tasks(job, given) for job, given in cluster.items()}

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def as_dict(self) -> dict[str, Any]:
        """Addresses by job."""
        return {job: _plain(tasks) for job, tasks in self._jobs.items()}

    def as_cluster_def(self) -> ClusterDef:
        """The jobs as a list, by name: what ``ConfigProto.cluster_def`` takes."""
        return ClusterDef([JobDef(name, dict(sorted(self._jobs[name].items()))) for name in sorted(self._jobs)])

    def num_tasks(self, job_name: str) -> int:
        """How many tasks a job has. Raises ValueError: there is no such job."""
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The numbers of a job's tasks."""
        return sorted(self._job(job_name))

    def job_tasks(self, job_name: str) -> list[str | None]:
        """The addresses of a job's tasks; None for numbers that are left out."""
        tasks = self._job(job_name)
        return [tasks.get(index) for index in range(max(tasks, default=-1) + 1)]

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a task. Raises ValueError: there is no such job or task."""
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index} in job {job_name!r}")
        return tasks[task_index]

    def _job(self, name: str) -> dict[int, str]:
        if name not in self._jobs:
            raise ValueError(f"No such job in cluster: {name!r}")
        return self._jobs[name]

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __iter__(self) -> Iterator[str]:
        return iter(self._jobs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (ClusterSpec, ClusterDef)) and self._jobs == _jobs(other)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ClusterSpec({ {job: _plain(self._jobs[job]) for job in sorted(self._jobs)} })"


def _jobs(cluster: Any) -> dict[str, dict[int, str]]:
    """The tasks by job."""
    if isinstance(cluster, ClusterSpec):
        return cluster._jobs
    return {job.name: job.tasks for job in cluster.job}


def _tasks(job: Any, given: Any) -> dict[int, str]:
    if not isinstance(job, str):
        raise TypeError(f"The job name {job!r} must be a string")
    if not isinstance(given, (list, tuple, Mapping)):
        raise TypeError(f"The tasks for job {job!r} must be a list or a dictionary from integers to strings.")
    tasks = dict(given) if isinstance(given, Mapping) else dict(enumerate(given))
    for index, address in tasks.items():
        if not isinstance(index, int):
            raise TypeError(f"The tasks for job {job!r} must be a list or a dictionary from integers to strings.")
        if not isinstance(address, str):
            raise TypeError(f"Task address must be bytes or unicode string, got {address!r}")
    return tasks


def _plain(tasks: dict[int, str]) -> Any:
    return [tasks[index] for index in range(len(tasks))] if set(tasks) == set(range(len(tasks))) else dict(tasks)


class ServerDef:
    """Which task of which cluster a server is."""

    def __init__(self, cluster: ClusterSpec, job_name: str, task_index: int, protocol: str) -> None:
        self.cluster = cluster
        self.job_name = job_name
        self.task_index = task_index
        self.protocol = protocol


class Server:
    """A task of a cluster, in this process. Sessions with its target run here and have their variables in common.

    Nothing listens: several processes come with a later version.

    Args:
        server_or_cluster_def: the cluster, or what :class:`ServerDef` says.
        job_name: the job of this task; the only one unless given.
        task_index: its number in the job; 0 unless given.
        protocol: accepted: "grpc".
        config: accepted.
        start: accepted: there is nothing to start.

    Raises:
        ValueError: the cluster has several jobs or tasks, and it is not said which this is.
        UnimplementedError: the cluster has a task on another machine or port than this one.

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
        others = [
            (name, task) for name in cluster.jobs for task in cluster.task_indices(name) if (name, task) != (job, index)
        ]
        if others:
            raise UnimplementedError(
                f"a cluster of several processes is not supported yet: besides {job}:{index} there are "
                + ", ".join(f"{name}:{task}" for name, task in others)
            )
        host, _, port = cluster.task_address(job, index).rpartition(":")
        if host not in _HERE:
            raise UnimplementedError(f"a server on another machine is not supported yet: {host}")
        self.server_def: ServerDef = ServerDef(cluster, job, index, protocol or "grpc")
        self.store: Store = Store()
        self._target = f"grpc://{'localhost' if port in ('', '0') else host}:{_port(port)}"
        _servers[self._target] = self

    @property
    def target(self) -> str:
        """What a session's ``target`` must be to run here."""
        return self._target

    def start(self) -> None:
        """Nothing is to be started."""

    def join(self) -> None:
        """In TensorFlow this blocks for ever, for processes that only serve.

        Raises:
            UnimplementedError: nobody could reach this process.
        """
        raise UnimplementedError("Server.join: no other process can reach this one yet, so it would wait for nothing")

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """A cluster of this process alone."""
        return Server({"localhost": ["localhost:0"]}, protocol="grpc", config=config, start=start)

    def __repr__(self) -> str:
        return f"<Server {self.server_def.job_name}:{self.server_def.task_index} at {self._target}>"


def _only(items: list[Any], argument: str) -> Any:
    if len(items) != 1:
        raise ValueError(f"`{argument}` must be specified if the `server_def` has {len(items)} of them.")
    return items[0]


def _port(given: str) -> int:
    """The port; a free one where it is left open."""
    if given not in ("", "0"):
        return int(given)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def checked_target(target: str, cluster: Any) -> Store | None:
    """The values of the server behind a target; None for a session by itself.

    Raises:
        NotFoundError: the target is none, or no server of this process.
        InvalidArgumentError: ``cluster`` is no cluster.
        UnimplementedError: the cluster has several tasks.
    """
    if cluster is not None:
        if not isinstance(cluster, (ClusterSpec, ClusterDef)):
            raise InvalidArgumentError(f"ConfigProto.cluster_def must be a tf.train.ClusterSpec, got {cluster!r}")
        cluster = ClusterSpec(cluster)
        if sum(cluster.num_tasks(job) for job in cluster.jobs) > 1:
            raise UnimplementedError(f"a session of several processes is not supported yet: {cluster!r}")
    if target in ("", "local"):
        return None
    if target in _servers:
        return _servers[target].store
    if target.startswith("grpc://"):
        known = ", ".join(_servers) or "none"
        raise NotFoundError(
            f"no server of this process has the target {target}; servers of other processes cannot be reached yet. "
            f"Targets here: {known}"
        )
    raise NotFoundError(
        f'No session factory registered for the given session options: {{target: "{target}"}}. A target is "", "local" '
        "or that of a tf.train.Server of this process."
    )
