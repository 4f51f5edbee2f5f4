"""What the file system refuses, as TensorFlow's errors."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from typing import Final

from tapeviz.engine.errors import (
    FailedPreconditionError,
    NotFoundError,
    OpError,
    PermissionDeniedError,
    ResourceExhaustedError,
    UnknownError,
)

__all__ = ["translate_os_errors"]

_CLASSES: Final[dict[int, type[OpError]]] = {
    errno.EACCES: PermissionDeniedError, errno.EPERM: PermissionDeniedError, errno.EROFS: PermissionDeniedError,
    errno.ENOENT: NotFoundError, errno.ENOTDIR: FailedPreconditionError, errno.EISDIR: FailedPreconditionError,
    errno.EEXIST: FailedPreconditionError, errno.ENOSPC: ResourceExhaustedError, errno.EDQUOT: ResourceExhaustedError,
    errno.EFBIG: ResourceExhaustedError,
}  # fmt: skip


@contextlib.contextmanager
def translate_os_errors(doing: str) -> Iterator[None]:
    """Raise what the file system refuses as TensorFlow's errors.

    Args:
        doing: what could not be done.

    Raises:
        PermissionDeniedError, NotFoundError, FailedPreconditionError, ResourceExhaustedError, UnknownError: an OSError.
    """
    try:
        yield
    except OSError as error:
        kind = _CLASSES.get(error.errno or 0, UnknownError)
        where = f"{error.filename}; " if error.filename and not doing.endswith(str(error.filename)) else ""
        raise kind(f"{doing}: {where}{error.strerror or error}") from error
