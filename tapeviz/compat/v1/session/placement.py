"""On which device the operations of a run are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TextIO

from tapeviz.backends import NUMPY, Backend
from tapeviz.compat.v1.session.config import ConfigProto
from tapeviz.engine.device_names import parsed
from tapeviz.engine.devices import devices
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.state import local
from tapeviz.graphs.ir.graph import Node

__all__ = ["backend_for", "log_placement"]


def backend_for(nodes: Sequence[Node], config: ConfigProto, home: tuple[str, int] | None = None) -> Backend:
    """The device of a run, which is one: a GPU where an operation asks for it, else what is asked for, else the usual.

    With ``device_count={"GPU": 0}`` it is the CPU. ``home`` is the task of a cluster that this process is.

    Raises:
        InvalidArgumentError: an operation asks for a device that is not there, and placement is not soft.
    """
    if config.device_count.get("GPU") == 0:
        return NUMPY
    asked: list[Backend] = []
    for node in nodes:
        if node.device:
            found = _there(node.device, home)
            if found is None and not config.allow_soft_placement:
                available = ", ".join(backend.device for backend in devices.visible)
                raise InvalidArgumentError(
                    f"Cannot assign a device for operation {node.name}: {{{{node {node.name}}}}} was explicitly "
                    f"assigned to {node.device} but available devices are [ {available} ]. Make sure the device "
                    "specification refers to a valid device, or let it run elsewhere: "
                    f"tf.ConfigProto(allow_soft_placement=True).\n\t [[{node.name}]]",
                    node.type,
                )
            asked.append(found or NUMPY)
    return next((backend for backend in asked if backend is not NUMPY), asked[0] if asked else local.state.backend)


def _there(text: str, home: tuple[str, int] | None) -> Any:
    """The device of that name, None where it is not there."""
    name = parsed(text)
    if not name.is_local and (name.job, name.task or 0) != home:
        return None
    if name.kind is None:
        return local.state.backend
    alike = (backend for backend in devices.visible if backend.kind == name.kind)
    return next((backend for backend in alike if name.index in (None, backend.index)), None)


def log_placement(nodes: Sequence[Node], backend: Backend, stream: TextIO, home: tuple[str, int] | None = None) -> None:
    """Write where each operation runs, and what it asked for where that is elsewhere."""
    for node in nodes:
        other = node.device and _there(node.device, home) is not backend
        told = f" (asked for {node.device})" if other else ""
        stream.write(f"{node.name}: ({node.type}): {backend.device}{told}\n")
    stream.flush()
