"""Savers of eager programs, under the names that they had first. They read and write the files of all others."""

from __future__ import annotations

import os
from typing import Any

from tapeviz.compat.v1.graph.default_graph import at_once
from tapeviz.compat.v1.train.checkpoint import Checkpoint
from tapeviz.compat.v1.train.saver import Saver as NamedSaver
from tapeviz.train.trackable import children, is_trackable

__all__ = ["CheckpointableSaver", "Saver"]


class Saver:
    """Saves eager variables by their names, and gives them back what was saved, also from a graph's session.

    Args:
        var_list: the variables, or variables by the names under which to save them.

    Raises:
        ValueError: there are no variables, or two of one name.
        TypeError: something is no variable.

    >>> import tapeviz as tf, tapeviz.contrib.eager as tfe, tempfile
    >>> w = tf.Variable([1.0, 2.0], name="w")
    >>> saver = tfe.Saver([w])
    >>> path = saver.save(tempfile.mkdtemp() + "/model", global_step=3)
    >>> path[-8:], w.assign([0.0, 0.0]) is not None
    ('/model-3', True)
    >>> saver.restore(path)
    >>> w.numpy()
    array([1., 2.], dtype=float32)
    """

    def __init__(self, var_list: Any) -> None:
        with at_once():
            self._saver = NamedSaver(var_list)

    def save(self, file_prefix: Any, global_step: Any = None) -> str:
        """Write the variables under a prefix.

        Args:
            file_prefix: the prefix.
            global_step: a number or variable to add to it.

        Returns:
            The prefix, with the number.

        Raises:
            ValueError: the folder is not there.
            PermissionDeniedError, FailedPreconditionError, ResourceExhaustedError: the files cannot be written.
        """
        with at_once():
            return self._saver.save(None, file_prefix, global_step=global_step)

    def restore(self, file_prefix: Any) -> None:
        """Give the variables what was saved under a prefix.

        Raises:
            ValueError: there is no checkpoint under it.
            NotFoundError: it has no value for a variable.
            InvalidArgumentError: a value has another shape or dtype than its variable.
            DataLossError: a file is damaged or cut.
        """
        with at_once():
            self._saver.restore(None, file_prefix)


class CheckpointableSaver:
    """Saves what an object is made of, by the names of attributes: the first form of ``tf.train.Checkpoint``.

    Args:
        root_checkpointable: the object.

    Raises:
        ValueError: it is no object with variables.

    >>> import tapeviz as tf, tapeviz.contrib.eager as tfe, tempfile
    >>> model = tf.Module()
    >>> model.w = tf.Variable([1.0, 2.0])
    >>> path = tfe.CheckpointableSaver(model).save(tempfile.mkdtemp() + "/model", checkpoint_number=1)
    >>> again = tf.Module()
    >>> status = tfe.CheckpointableSaver(again).restore(path)
    >>> again.w = tf.Variable([0.0, 0.0])
    >>> again.w.numpy()
    array([1., 2.], dtype=float32)
    """

    def __init__(self, root_checkpointable: Any) -> None:
        if not is_trackable(root_checkpointable):
            raise ValueError(
                f"CheckpointableSaver was expecting an object with variables as its attributes, got "
                f"{root_checkpointable!r}"
            )
        self._root = _Rooted(root_checkpointable)

    def save(self, file_prefix: Any, checkpoint_number: Any = None, session: Any = None) -> str:
        """Write what the object is made of.

        Args:
            file_prefix: where.
            checkpoint_number: a number or variable to add to the prefix.
            session: has the values of variables of a graph; the default session unless said.

        Returns:
            The prefix, with the number.
        """
        prefix: str = os.fspath(file_prefix)
        if checkpoint_number is not None:
            prefix = f"{prefix}-{int(checkpoint_number)}"
        return self._root.write(prefix, session)

    def restore(self, save_path: Any) -> Any:
        """Give the object's variables what was saved, those that are made later as they are made.

        Returns:
            A status: see :meth:`tapeviz.train.Checkpoint.restore`.
        """
        return self._root.restore(save_path)


class _Rooted(Checkpoint):
    """A checkpoint whose names are those of one object."""

    def __init__(self, root: Any) -> None:
        super().__init__()
        self._checkpoint_root = root

    def _checkpoint_children(self) -> list[tuple[str, Any]]:
        return children(self._checkpoint_root)
