"""The devices there are, which of them new tensors are made on, and ``with tf.device``."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from typing import Any, Final

from tapeviz.backends import NUMPY, Backend, backend_of, register
from tapeviz.backends.cupy_backend import CupyBackend
from tapeviz.backends.detection import missing
from tapeviz.engine.device_names import DeviceName, parsed
from tapeviz.engine.dispatch import transfer
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.operators import public
from tapeviz.engine.scopes import span
from tapeviz.engine.state import active, default, local
from tapeviz.engine.tensor import EagerTensor, wrap
from tapeviz.engine.types import with_own_dtype

__all__ = ["Devices", "device", "devices"]

_CHOICE: Final = "TAPEVIZ_DEVICE"


class Devices:
    """The devices of this process. The GPU is looked for once, when the engine is first used."""

    def __init__(self) -> None:
        self.known: list[Backend] = [NUMPY]
        self.visible: list[Backend] = [NUMPY]
        self.soft = True
        self._obstacle = ""

    def find(self) -> None:
        """Look for a GPU. Where one can be used it is where tensors are made, unless ``TAPEVIZ_DEVICE`` is cpu."""
        if lacking := missing():
            self._obstacle = f"no usable GPU here: missing {lacking}"
            return
        try:
            gpu = CupyBackend()
        except Exception as error:  # noqa: BLE001 - CuPy, the driver and CUDA's libraries each raise their own
            self._obstacle = f"no usable GPU here: CuPy cannot use it: {error}"
            return
        self.add(gpu)
        if os.environ.get(_CHOICE, "").lower() != "cpu":
            self.choose("auto")

    def add(self, backend: Backend) -> None:
        """Make a device known."""
        register(backend)
        self.known.append(backend)
        self.visible.append(backend)

    def named(self, name: str) -> Backend:
        """The device of that short name, such as ``GPU:0``. LookupError: there is none."""
        found = [backend for backend in self.known if backend.name == name]
        if not found:
            raise LookupError(f"no device is called {name}")
        return found[0]

    @property
    def gpu(self) -> Backend | None:
        """The GPU, if there is one to use."""
        return next((backend for backend in self.visible if backend.kind == "GPU"), None)

    @property
    def obstacle(self) -> str:
        """Why no GPU can be used; empty when one can."""
        if self.gpu is not None:
            return ""
        if any(backend.kind == "GPU" for backend in self.known):
            return "no usable GPU here: tf.config.set_visible_devices hides it"
        return self._obstacle

    def choose(self, word: str) -> Backend:
        """Make new tensors on ``cpu``, ``gpu`` or, with ``auto``, on the GPU where there is one.

        Raises:
            RuntimeError: there is no GPU; the message says what is missing.
        """
        backend = NUMPY if word == "cpu" else self.gpu
        if backend is None and word == "gpu":
            raise RuntimeError(f"GPU:0 unknown device: {self.obstacle}")
        default[0] = backend or NUMPY
        if not local.state.placed:
            local.state.backend = default[0]
        return default[0]

    def wanted(self, name: DeviceName) -> Backend:
        """The device of that name; where there is none and placement is soft, the one that stands in for it.

        Raises:
            InvalidArgumentError: it is not of this process, or is not there and placement is not soft.
        """
        if not name.is_local:
            raise InvalidArgumentError(f"{name} unknown device.")
        alike = [backend for backend in self.visible if backend.kind == name.kind]
        exact = [backend for backend in alike if name.index in (None, backend.index)]
        if exact:
            return exact[0]
        if not self.soft:
            kinds = ", ".join(dict.fromkeys(backend.kind for backend in self.visible))
            raise InvalidArgumentError(
                f"Could not satisfy device specification '{name}'. enable_soft_placement=0. Supported device types "
                f"[{kinds}]. All available devices [{', '.join(b.device for b in self.visible)}]."
                + (f" {self.obstacle}" if name.kind == "GPU" and not alike else "")
            )
        return alike[0] if alike else NUMPY


devices: Final = Devices()
devices.find()


class device:  # noqa: N801 - TensorFlow's name
    """Make tensors and run ops on this device inside the block; inputs from elsewhere are copied there.

    Where the device is not there, as ``/gpu:0`` on a machine without a GPU, ops run on the CPU, as TensorFlow's do, and
    a recording says so.

    Args:
        device_name: such as ``/gpu:0``, ``CPU:0`` or ``/job:localhost/replica:0/task:0/device:CPU:0``; None for the
            device outside every block.

    Raises:
        ValueError: it is no device name.
        InvalidArgumentError: it is a device of another process; or it is not there, and
            ``tf.config.set_soft_device_placement(False)`` forbids another in its place.

    >>> import tapeviz as tf
    >>> with tf.device("/cpu:0"):
    ...     x = tf.constant(1.0)
    >>> x.device
    '/job:localhost/replica:0/task:0/device:CPU:0'
    """

    def __init__(self, device_name: Any) -> None:
        if callable(device_name):
            raise RuntimeError("tf.device does not support functions.")  # noqa: TRY004 - TensorFlow's
        self._name = None if device_name is None else parsed(device_name)
        self._asked, self._text = device_name, str(device_name)
        self._undo: list[tuple[Any, ...]] = []
        self._of_graph: list[Any] = []

    def __enter__(self) -> None:
        state = local.state
        block = getattr(state.graph, "device", None)  # a graph of sessions notes what its operations ask for
        self._of_graph.append(None if block is None else block(self._asked))
        if block is not None:
            self._of_graph[-1].__enter__()
            return
        before = state.backend, state.placed, state.away
        backend, placed = self._target()
        inside: AbstractContextManager[None] | None = None
        if placed and state.observer is not None:
            facts = {}
            if (backend.kind, backend.index) != (self._kind, self._index(backend)):
                facts["placed"] = backend.name
                if self._kind == "GPU" and devices.obstacle:
                    facts["lacking"] = devices.obstacle
            inside = span("device", self._text, **facts)
            inside.__enter__()
        away = placed and backend is not NUMPY
        state.backend, state.placed, state.away = backend, placed, away or state.graph is not None
        if away:
            active.append(self)
        self._undo.append((*before, inside, away))

    def _target(self) -> tuple[Backend, bool]:
        """The device inside the block, and whether it was asked for."""
        if self._name is None:
            return default[0], False
        if self._name.kind is None and self._name.is_local:
            return local.state.backend, local.state.placed
        return devices.wanted(self._name), True

    @property
    def _kind(self) -> str | None:
        return None if self._name is None else self._name.kind

    def _index(self, backend: Backend) -> int:
        """The index asked for; that of ``backend`` where it was left open."""
        asked = None if self._name is None else self._name.index
        return backend.index if asked is None else asked

    def __exit__(self, *details: object) -> None:
        if (block := self._of_graph.pop()) is not None:
            block.__exit__(*details)
            return
        state = local.state
        state.backend, state.placed, state.away, inside, appended = self._undo.pop()
        if appended:
            active.remove(self)
        if inside is not None:
            inside.__exit__(*details)


def _on_gpu(tensor: EagerTensor) -> EagerTensor:
    if devices.gpu is None:
        raise RuntimeError(f"GPU:0 unknown device: {devices.obstacle}")
    return transfer(tensor, devices.gpu)


def _on_cpu(tensor: EagerTensor) -> EagerTensor:
    return transfer(tensor, NUMPY)


def _from_device(value: Any, dtype: Any = None) -> EagerTensor:
    """Another library's array on a device, or one of ours, as a tensor there: a copy."""
    backend = backend_of(value) if backend_of(value) is not NUMPY else devices.gpu
    if backend is None:
        raise TypeError(f"Cannot convert an array in CUDA's memory to a tensor: {devices.obstacle}")
    array = backend.adopt(value)
    made = wrap(with_own_dtype(array if dtype is None or array.dtype == dtype else array.astype(dtype)))
    if active and (observer := local.state.observer) is not None:
        observer.on_host_in(made, value)
    return made


public["from_device"] = _from_device
public["on_gpu"] = _on_gpu
public["on_cpu"] = _on_cpu
