"""What checkpoints hold, by key: for looking into files without the objects that were saved."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tapeviz.engine.errors import NotFoundError
from tapeviz.train.files import CheckpointReader
from tapeviz.train.states import latest_checkpoint

__all__ = ["list_variables", "load_checkpoint", "load_variable"]


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """A reader of a checkpoint.

    Args:
        ckpt_dir_or_file: a prefix, or a folder, whose latest checkpoint is meant.

    Raises:
        NotFoundError: there is none.
        DataLossError: a file is damaged or cut.

    >>> import tapeviz as tf, tempfile
    >>> path = tf.train.Checkpoint(x=tf.Variable([1.0, 2.0])).write(tempfile.mkdtemp() + "/values")
    >>> tf.train.load_checkpoint(path).get_tensor("x/.ATTRIBUTES/VARIABLE_VALUE")
    array([1., 2.], dtype=float32)
    """
    path = os.fspath(ckpt_dir_or_file)
    prefix = latest_checkpoint(path) if Path(path).is_dir() else path
    if prefix is None:
        raise NotFoundError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}")
    return CheckpointReader(prefix)


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Keys and shapes of what a checkpoint holds. Arguments and errors as for :func:`load_checkpoint`."""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """One value of a checkpoint, as an array.

    Args:
        ckpt_dir_or_file: as for :func:`load_checkpoint`.
        name: its key, as :func:`list_variables` tells it.

    Raises:
        NotFoundError: there is none of that key, or no checkpoint.
        DataLossError: a file is damaged or cut.
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name)
