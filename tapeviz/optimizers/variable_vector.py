"""Variables as one vector, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.kernels import recorded_ops as ops

__all__ = ["VariableVector"]


class VariableVector:
    """Variables laid end to end.

    Args:
        variables: of one dtype.

    Raises:
        ValueError: there are none, or they are of several dtypes.
    """

    def __init__(self, variables: Sequence[Any]) -> None:
        self.variables: list[Any] = list(variables)
        kinds = {variable.dtype for variable in self.variables}
        if len(kinds) != 1:
            found = ", ".join(f"{variable.name} is {variable.dtype.name}" for variable in self.variables)
            raise ValueError(f"The variables must be of one dtype: {found or 'there are none'}.")
        self._shapes = [[int(size) for size in variable.shape] for variable in self.variables]
        self._sizes = [int(variable.shape.num_elements()) for variable in self.variables]

    def joined(self, parts: Sequence[Any]) -> Any:
        """A vector of what belongs to the variables, such as their gradients; None counts as zeros."""
        rows = []
        for part, variable in zip(parts, self.variables, strict=True):
            value = ops.zeros_like(convert_to_tensor(variable)) if part is None else convert_to_tensor(part)
            rows.append(ops.reshape(value, shape=(-1,)))
        return rows[0] if len(rows) == 1 else ops.concat(*rows, axis=0)

    def now(self) -> Any:
        """The variables' values as a vector."""
        return self.joined(self.variables)

    def assign(self, vector: Any) -> None:
        """Give the variables the values of a vector."""
        place = 0
        for variable, size, shape in zip(self.variables, self._sizes, self._shapes, strict=True):
            part = vector if size == vector.shape[0] else vector[place : place + size]
            variable.assign(ops.reshape(part, shape=tuple(shape)), read_value=False)
            place += size
