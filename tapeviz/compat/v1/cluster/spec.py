"""``train.ClusterSpec``: the jobs and tasks of a cluster, and where each of them is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

__all__ = ["ClusterDef", "ClusterSpec", "JobDef", "Task"]


class Task(NamedTuple):
    """A process of a cluster: its job, and its number in the job."""

    job: str
    number: int

    def __str__(self) -> str:
        return f"/job:{self.job}/task:{self.number}"


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

    @property
    def addresses(self) -> dict[Task, str]:
        """The address of each task."""
        return {Task(job, number): address for job, tasks in self._jobs.items() for number, address in tasks.items()}

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
