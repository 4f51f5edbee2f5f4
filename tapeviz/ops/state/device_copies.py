"""Copies between devices, as an op: gradients flow back the same way, and recordings show what was moved."""

from __future__ import annotations

import numpy as np

from tapeviz.backends import moved
from tapeviz.engine import rules
from tapeviz.engine.devices import devices
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases

__all__ = ["copy_to_device"]

_HERE = {"source": "CPU:0", "target": "CPU:0", "nbytes": 48}

copy_to_device = op(
    "copy_to_device",
    doc="The same values in the memory of another device.",
    family="control",
    tf_name="EagerCopy",
    effects="move",
    forward=lambda _xp, x, *, source, target, nbytes: x if source == target else moved(x, devices.named(target)),
    infer=rules.elementwise,
    vjp={
        "x": lambda F, g, source, target, nbytes: F.copy_to_device(g, source=target, target=source, nbytes=nbytes),
    },
    formula=r"y = x",
    vjp_formula=(r"\bar x = \bar y",),
    samples=cases(([(2, 3)], _HERE), ([()], _HERE | {"nbytes": np.dtype(float).itemsize})),
    silent=True,
    aliases="x",
    traits="identity moves",
)
