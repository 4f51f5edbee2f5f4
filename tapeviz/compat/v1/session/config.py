"""How a session is to run: ``tf.ConfigProto`` and what goes with it. Objects with fields, as the messages are."""

from __future__ import annotations

from typing import Any, ClassVar, Self

__all__ = ["ConfigProto", "GPUOptions", "GraphOptions", "OptimizerOptions", "RunMetadata", "RunOptions"]


class Message:
    """An object with the fields that its class names, and nothing else."""

    FIELDS: ClassVar[dict[str, Any]] = {}

    def __init__(self, **fields: Any) -> None:
        for name, default in self.FIELDS.items():
            setattr(self, name, default() if callable(default) else default)
        for name, value in fields.items():
            if name not in self.FIELDS:
                raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
            setattr(self, name, value)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f'Protocol message {type(self).__name__} has no "{name}" field.')

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.FIELDS:
            raise AttributeError(f'Protocol message {type(self).__name__} has no "{name}" field.')
        object.__setattr__(self, name, value)

    def CopyFrom(self, other: Self) -> None:
        """Take over all fields of another one."""
        for name in self.FIELDS:
            setattr(self, name, getattr(other, name))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(self) == vars(other)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        usual = type(self)()
        told = [f"{name}={value!r}" for name, value in vars(self).items() if value != getattr(usual, name)]
        return f"{type(self).__name__}({', '.join(told)})"


class GPUOptions(Message):
    """How a GPU's memory is to be used. Accepted: CuPy's pool grows as it needs."""

    FIELDS: ClassVar[dict[str, Any]] = {
        "per_process_gpu_memory_fraction": 0.0, "allow_growth": False, "allocator_type": "", "visible_device_list": "",
        "deferred_deletion_bytes": 0, "polling_active_delay_usecs": 0, "force_gpu_compatible": False,
    }  # fmt: skip


class OptimizerOptions(Message):
    """What may be done to graphs to make them fast. Accepted: results are the same."""

    FIELDS: ClassVar[dict[str, Any]] = {
        "opt_level": 0,
        "global_jit_level": 0,
        "do_function_inlining": False,
        "do_constant_folding": False,
    }
    L0, L1, ON_1, ON_2, OFF, DEFAULT = -1, 0, 1, 2, -1, 0


class GraphOptions(Message):
    """What may be done to graphs. Accepted."""

    FIELDS: ClassVar[dict[str, Any]] = {
        "optimizer_options": OptimizerOptions,
        "infer_shapes": False,
        "build_cost_model": 0,
    }


class ConfigProto(Message):
    """How a session runs.

    ``log_device_placement`` writes to the standard error where each operation runs, when it first does.
    ``allow_soft_placement`` lets operations run on the CPU that ask for a device which is not there. ``cluster_def``
    names the tasks of a cluster, on which :func:`device` places operations; ``operation_timeout_in_ms`` says how long a
    server may take to start, and a task to answer. The other fields are accepted.

    >>> import tapeviz.compat.v1 as tf
    >>> tf.ConfigProto(allow_soft_placement=True)
    ConfigProto(allow_soft_placement=True)
    """

    FIELDS: ClassVar[dict[str, Any]] = {
        "log_device_placement": False, "allow_soft_placement": False, "gpu_options": GPUOptions, "cluster_def": None,
        "device_count": dict, "intra_op_parallelism_threads": 0, "inter_op_parallelism_threads": 0,
        "use_per_session_threads": False, "device_filters": list, "operation_timeout_in_ms": 0,
        "graph_options": GraphOptions, "isolate_session_state": False,
    }  # fmt: skip


class RunOptions(Message):
    """How one run goes. Accepted; ``timeout_in_ms`` is not kept to."""

    FIELDS: ClassVar[dict[str, Any]] = {
        "trace_level": 0,
        "timeout_in_ms": 0,
        "inter_op_thread_pool": 0,
        "output_partition_graphs": False,
    }
    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = 0, 1, 2, 3


class RunMetadata(Message):
    """What a run tells besides its results: nothing yet. Recordings tell more."""

    FIELDS: ClassVar[dict[str, Any]] = {"step_stats": None, "cost_graph": None, "partition_graphs": list}
