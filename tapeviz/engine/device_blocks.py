"""``with tf.device``: where the tensors of a block are made and its ops run."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from tapeviz.backends import NUMPY, Backend
from tapeviz.engine.device_names import parsed
from tapeviz.engine.devices import devices
from tapeviz.engine.scopes import span
from tapeviz.engine.state import active, default, local

__all__ = ["device"]


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
