"""Reading and assigning variables, as ops."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import rules
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import public
from tapeviz.engine.samples import floats

__all__ = ["assign"]

assign = op(
    "assign",
    doc="The value that a variable has from now on.",
    family="variable",
    tf_name="AssignVariableOp",
    # No copy is needed: nobody writes to an array that a tensor holds.
    forward=lambda _xp, value: value,
    infer=rules.elementwise,
    formula=r"w \leftarrow x",
    samples=floats(),
    silent=True,
    aliases="value",
    traits="identity moves writes_variable",
)

_read = op(
    "read_variable",
    doc="The value that a variable has now, as a tensor of its own.",
    family="variable",
    tf_name="ReadVariableOp",
    forward=lambda _xp, value: value,
    infer=rules.elementwise,
    vjp={"value": lambda F, g: g},
    formula=r"y = w",
    vjp_formula=(r"\bar w = \bar y",),
    samples=floats(),
    silent=True,
    aliases="value",
    traits="identity moves reads_variable",
)


def read_variable(variable: Any) -> Any:
    """The value of a variable; gradients flow back to it."""
    return _read.run(variable._read())


public["read_variable"] = read_variable
