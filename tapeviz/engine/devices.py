"""The devices there are, and which of them new tensors are made on."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from tapeviz.backends import NUMPY, Backend, backend_of, register
from tapeviz.backends.cupy_backend import CupyBackend
from tapeviz.backends.detection import missing, usable
from tapeviz.engine.dispatch import transfer
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.operators import public
from tapeviz.engine.state import active, default, local
from tapeviz.engine.tensor import EagerTensor, wrap
from tapeviz.engine.types import with_own_dtype

if TYPE_CHECKING:
    from tapeviz.engine.device_names import DeviceName

__all__ = ["Devices", "devices"]

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
        if not usable():
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
        return self._obstacle or f"no usable GPU here: missing {missing()}"

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
