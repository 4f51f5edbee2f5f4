"""What ``tf.config`` says of devices, and what can be chosen there."""

from __future__ import annotations

from typing import Any, NamedTuple

from tapeviz.backends import NUMPY, Backend
from tapeviz.engine.device_names import parsed
from tapeviz.engine.devices import devices
from tapeviz.engine.dispatch import policy
from tapeviz.engine.errors import InvalidArgumentError

__all__ = [
    "LogicalDevice", "PhysicalDevice", "free_unused_memory", "get_device_details", "get_device_policy",
    "get_memory_growth", "get_memory_info", "get_soft_device_placement", "get_visible_devices", "gpu_device_name",
    "is_built_with_cuda", "is_built_with_gpu_support", "is_gpu_available", "list_logical_devices",
    "list_physical_devices", "set_device_policy", "set_memory_growth", "set_soft_device_placement",
    "set_visible_devices",
]  # fmt: skip


class PhysicalDevice(NamedTuple):
    """A device of this machine that tapeviz can use."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device as ``tf.device`` names it."""

    name: str
    device_type: str


def _physical(backend: Backend) -> PhysicalDevice:
    return PhysicalDevice(f"/physical_device:{backend.name}", backend.kind)


def _of_kind(found: list[Backend], device_type: str | None) -> list[Backend]:
    return [backend for backend in found if device_type in (None, backend.kind)]


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices there are: the CPU, and the GPU where CuPy can use one.

    Args:
        device_type: ``"CPU"`` or ``"GPU"``, for those of one kind.

    >>> import tapeviz as tf
    >>> tf.config.list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return [_physical(backend) for backend in _of_kind(devices.known, device_type)]


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices that may be used.

    Args:
        device_type: ``"CPU"`` or ``"GPU"``, for those of one kind.

    >>> import tapeviz as tf
    >>> tf.config.get_visible_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return [_physical(backend) for backend in _of_kind(devices.visible, device_type)]


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that may be used, by the names that ``tf.device`` takes.

    Args:
        device_type: ``"CPU"`` or ``"GPU"``, for those of one kind.

    >>> import tapeviz as tf
    >>> tf.config.list_logical_devices("CPU")
    [LogicalDevice(name='/device:CPU:0', device_type='CPU')]
    """
    found = _of_kind(devices.visible, device_type)
    return [LogicalDevice(f"/device:{backend.name}", backend.kind) for backend in found]


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Say which devices may be used; at any time, where TensorFlow wants to be told before its first op.

    Args:
        devices: physical devices; an empty list for none.
        device_type: ``"GPU"`` to say it of GPUs alone.

    Raises:
        ValueError: one of them is not there, or is of another type.
        RuntimeError: no CPU would be left.

    >>> import tapeviz as tf
    >>> tf.config.set_visible_devices([], "GPU")
    """
    _show(devices if isinstance(devices, (list, set)) else [devices], device_type)


def _show(wanted: Any, device_type: str | None) -> None:
    by_device = {_physical(backend): backend for backend in devices.known}
    for item in wanted:
        if item not in by_device:
            raise ValueError(f"Unrecognized device: {item!r}")
        if device_type not in (None, item.device_type):
            raise ValueError(f"Unrecognized device: {item!r} is not of type {device_type}")
    chosen = {by_device[item] for item in wanted}
    others = {backend for backend in devices.visible if device_type not in (None, backend.kind)}
    if NUMPY not in chosen | others:
        raise RuntimeError("Visible devices cannot be modified: the CPU is always needed")
    devices.visible = [backend for backend in devices.known if backend in chosen | others]
    devices.choose("auto")


def get_soft_device_placement() -> bool:
    """Whether ops run elsewhere when the device asked for is not there.

    >>> import tapeviz as tf
    >>> tf.config.get_soft_device_placement()
    True
    """
    return devices.soft


def set_soft_device_placement(enabled: bool) -> None:
    """Say whether ops may run elsewhere when the device asked for is not there.

    Args:
        enabled: False to have ``tf.device`` raise instead.

    >>> import tapeviz as tf
    >>> tf.config.set_soft_device_placement(True)
    """
    devices.soft = bool(enabled)


def get_device_policy() -> str:
    """What is done with an op's inputs on several devices: ``silent`` or ``explicit``.

    >>> import tapeviz as tf
    >>> tf.config.experimental.get_device_policy()
    'silent'
    """
    return policy[0]


def set_device_policy(device_policy: str | None) -> None:
    """Say what to do with an op's inputs on several devices.

    Args:
        device_policy: ``"silent"`` (or None) to copy them to one, ``"explicit"`` to refuse.

    Raises:
        ValueError: it is none of them.

    >>> import tapeviz as tf
    >>> tf.config.experimental.set_device_policy("silent")
    """
    if device_policy not in (None, "silent", "explicit"):
        raise ValueError(f"{device_policy!r} is not a valid device policy here; choose 'silent' or 'explicit'")
    policy[0] = device_policy or "silent"


def get_device_details(device: PhysicalDevice) -> dict[str, Any]:
    """What a device says of itself: for a GPU ``device_name`` and ``compute_capability``.

    Raises:
        ValueError: there is no such device.

    >>> import tapeviz as tf
    >>> tf.config.experimental.get_device_details(tf.config.list_physical_devices("CPU")[0])
    {}
    """
    return _known(device).details()


def _known(device: Any) -> Backend:
    found = [backend for backend in devices.known if _physical(backend) == device]
    if not found:
        raise ValueError(f"Unrecognized device: {device!r}")
    return found[0]


def get_memory_info(device: str) -> dict[str, int]:
    """The bytes that tensors use on a device now (``current``) and the bytes held for them (``peak``).

    Args:
        device: its name, such as ``"GPU:0"``.

    Raises:
        ValueError: there is no such device.

    >>> import tapeviz as tf
    >>> tf.config.experimental.get_memory_info("CPU:0")
    {'current': 0, 'peak': 0}
    """
    name = parsed(device)
    for backend in devices.visible:
        if (backend.kind, backend.index) == (name.kind, name.index or 0):
            return backend.memory()
    raise ValueError(f"No matching devices found for '{device}'")


def free_unused_memory() -> None:
    """Give back what devices keep for the next tensors: free memory of the host's, and the GPU's pool.

    Tensors keep theirs. What is given back has to be taken again by those that come next, which is slow, so this is for
    the end of something large, not for every step. TensorFlow has no such function.

    >>> import tapeviz as tf
    >>> x = tf.random.normal([1000, 1000])
    >>> del x
    >>> tf.config.experimental.free_unused_memory()
    """
    for backend in devices.known:
        backend.give_back()


def get_memory_growth(device: PhysicalDevice) -> bool:
    """Whether memory is taken from a GPU as it is needed: always here.

    Raises:
        ValueError: it is no GPU.

    >>> import tapeviz as tf
    >>> [tf.config.experimental.get_memory_growth(gpu) for gpu in tf.config.list_physical_devices("GPU")]
    []
    """
    if _known(device).kind != "GPU":
        raise ValueError("Cannot get memory growth on non-GPU devices")
    return True


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Accepted for a GPU where it asks for what is always so: memory taken as it is needed.

    Raises:
        ValueError: it is no GPU.
        InvalidArgumentError: memory would have to be taken all at once.

    >>> import tapeviz as tf
    >>> for gpu in tf.config.list_physical_devices("GPU"):
    ...     tf.config.experimental.set_memory_growth(gpu, True)
    """
    if _known(device).kind != "GPU":
        raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")
    if not enable:
        raise InvalidArgumentError("memory is always taken from the GPU as it is needed")


def gpu_device_name() -> str:
    """The name of the GPU, or an empty string.

    >>> import tapeviz as tf
    >>> tf.test.gpu_device_name() in ("", "/device:GPU:0")
    True
    """
    return "" if devices.gpu is None else f"/device:{devices.gpu.name}"


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None) -> bool:  # noqa: ARG001 - all are CUDA's
    """Whether there is a GPU that ops can run on.

    Args:
        cuda_only: accepted as TensorFlow does.
        min_cuda_compute_capability: the least compute capability, such as ``(7, 0)``.

    >>> import tapeviz as tf
    >>> tf.test.is_gpu_available() in (True, False)
    True
    """
    if devices.gpu is None:
        return False
    return tuple(devices.gpu.details().get("compute_capability", (0, 0))) >= (min_cuda_compute_capability or (0, 0))


def is_built_with_cuda() -> bool:
    """Whether CUDA can be used: with CuPy, a driver and a device, as far as this process sees them.

    >>> import tapeviz as tf
    >>> tf.test.is_built_with_cuda() in (True, False)
    True
    """
    return any(backend.kind == "GPU" for backend in devices.known)


is_built_with_gpu_support = is_built_with_cuda
