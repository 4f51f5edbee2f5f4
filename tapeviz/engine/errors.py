"""The errors that ops raise, under TensorFlow's names (``tf.errors``)."""

from __future__ import annotations

from typing import Any, Self

from tapeviz.engine.state import local

__all__ = [
    "AbortedError",
    "AlreadyExistsError",
    "CancelledError",
    "DataLossError",
    "DeadlineExceededError",
    "FailedPreconditionError",
    "InaccessibleTensorError",
    "InternalError",
    "InvalidArgumentError",
    "NotFoundError",
    "OpError",
    "OperatorNotAllowedInGraphError",
    "OutOfRangeError",
    "PermissionDeniedError",
    "ResourceExhaustedError",
    "ShapeError",
    "UnavailableError",
    "UnimplementedError",
    "UnknownError",
]


class OpError(Exception):
    """An op could not run. ``message`` says why; ``op`` is the name of the op, where there is one."""

    code = 2

    def __init__(self, message: str, op: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.op = op


class CancelledError(OpError):
    """Somebody cancelled the operation."""

    code = 1


class UnknownError(OpError):
    """Nothing more is known about what went wrong."""

    code = 2


class InvalidArgumentError(OpError):
    """An op was given an argument that it cannot take: a shape, a type or a value.

    While a graph is built it is a :class:`ShapeError`, which is a ValueError as well: TensorFlow raises that then.
    """

    code = 3

    def __new__(cls, *_args: object) -> Self:
        """The error, of the class that is raised in a graph where one is being built."""
        chosen: Any = ShapeError if cls is InvalidArgumentError and local.state.graph is not None else cls
        return Exception.__new__(chosen)  # type: ignore[no-any-return]


class DeadlineExceededError(OpError):
    """The operation did not end in time."""

    code = 4


class NotFoundError(OpError):
    """Something asked for, such as a file, is not there."""

    code = 5


class AlreadyExistsError(OpError):
    """Something to be made is there already."""

    code = 6


class PermissionDeniedError(OpError):
    """The caller may not do this."""

    code = 7


class ResourceExhaustedError(OpError):
    """Something ran out, most often memory."""

    code = 8


class FailedPreconditionError(OpError):
    """The system is not in a state in which this can be done."""

    code = 9


class AbortedError(OpError):
    """The operation was given up, most often because another one was in the way."""

    code = 10


class OutOfRangeError(OpError):
    """The operation ran past the end, such as reading after the last element."""

    code = 11


class UnimplementedError(OpError):
    """This has not been built."""

    code = 12


class InternalError(OpError):
    """Something inside is broken."""

    code = 13


class UnavailableError(OpError):
    """Something is out of reach for now."""

    code = 14


class DataLossError(OpError):
    """Data was lost or damaged beyond repair."""

    code = 15


class OperatorNotAllowedInGraphError(TypeError):
    """A tensor of a graph was used where Python needs its value: as a condition, or to go through its elements."""


class InaccessibleTensorError(ValueError, TypeError):
    """A tensor of one graph was used in another that cannot reach it; TensorFlow raises either kind, by the place."""


class ShapeError(InvalidArgumentError, ValueError):
    """Inputs of an op do not fit, found while a graph is built: TensorFlow raises ValueError then."""
