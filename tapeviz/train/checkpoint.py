"""``tf.train.Checkpoint``: what objects are made of, in files and back."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tapeviz.engine.deferred_restoration import Awaited
from tapeviz.engine.errors import NotFoundError
from tapeviz.engine.operators import public
from tapeviz.engine.os_errors import translate_os_errors
from tapeviz.engine.state import local
from tapeviz.engine.variable import Variable
from tapeviz.graphs.ir.tracing import init_scope
from tapeviz.train.files import CheckpointReader
from tapeviz.train.object_files import full_name, held_values, write_objects
from tapeviz.train.restoration import Restoration, give
from tapeviz.train.states import CheckpointState, update_checkpoint_state
from tapeviz.train.statuses import CheckpointLoadStatus, InitializationOnlyStatus, NameBasedLoadStatus
from tapeviz.train.trackable import children, is_trackable, reachable

__all__ = ["Checkpoint", "CheckpointOptions"]

_COUNTER = "save_counter"


class CheckpointOptions:
    """Options of writing. All are accepted and change nothing.

    Files are written by this machine, before ``save`` returns.

    >>> import tapeviz as tf
    >>> tf.train.CheckpointOptions(enable_async=True).enable_async
    True
    """

    def __init__(
        self, experimental_io_device: str | None = None, experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Any = None, enable_async: bool = False,
        experimental_skip_slot_variables: bool = False, experimental_sharding_callback: Any = None,
    ) -> None:  # fmt: skip
        self.experimental_io_device = experimental_io_device
        self.enable_async: bool
        self.experimental_enable_async_checkpoint: bool
        self.enable_async = self.experimental_enable_async_checkpoint = (
            enable_async or experimental_enable_async_checkpoint
        )
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback


class Checkpoint(Awaited):
    """Saves the variables that objects are made of, by the names of attributes, and gives them back.

    Values go to the variables that stand where the saved ones stood: attribute by attribute from the root. Variables
    that do not exist yet (those of a layer that has not been called, an optimizer's slots) get their values as they are
    made.

    Args:
        root: an object whose parts are saved under their own names.
        **kwargs: objects by the names under which to save them: modules, layers, models, optimizers, variables,
            iterators, and lists and dicts of these.

    Raises:
        ValueError: an object is not of these sorts, or a name is one that ``root`` has.

    >>> import tapeviz as tf, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> x = tf.Variable(10.0)
    >>> checkpoint = tf.train.Checkpoint(x=x)
    >>> path = checkpoint.save(folder + "/ckpt")
    >>> x.assign(11.0)
    <tf.Variable 'UnreadVariable' shape=() dtype=float32, numpy=11.0>
    >>> checkpoint.restore(tf.train.latest_checkpoint(folder)).assert_consumed() is not None, x.numpy()
    (True, np.float32(10.0))
    """

    def __new__(cls, *_args: Any, **_kwargs: Any) -> Any:
        """In a block of a graph of sessions, one whose values are those in a session."""
        of_sessions = cls is Checkpoint and hasattr(local.state.graph, "made_variable")
        made: Any = public["checkpoint_of_graph"] if of_sessions else cls
        return object.__new__(made)

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        for name, part in {"root": root, **kwargs}.items():
            if not _known(part) and not (name == "root" and part is None):
                raise ValueError(
                    f"`Checkpoint` was expecting {name} to be a trackable object (a variable, a module, a layer, an "
                    f"optimizer, or a list or dict of these), got {part!r}."
                )
        taken = {name for name, _ in children(root)} & kwargs.keys() if root is not None else set()
        if taken:
            raise ValueError(f"Cannot create a Checkpoint with keyword argument {min(taken)}: root has it, too")
        self._checkpoint_root = root
        self._counter: Any = None
        for name, part in kwargs.items():
            setattr(self, name, part)

    def _checkpoint_children(self) -> list[tuple[str, Any]]:
        own = [(name, part) for name, part in vars(self).items() if not name.startswith("_") and is_trackable(part)]
        counter = [] if self._counter is None else [(_COUNTER, self._counter)]
        return [*(children(self._checkpoint_root) if self._checkpoint_root is not None else []), *own, *counter]

    # What checkpoints of sessions have otherwise.

    def _values(self, variables: Sequence[Variable]) -> Sequence[Any]:
        """What variables have now."""
        return held_values(variables)

    def _held(self, variable: Variable, value: np.ndarray) -> bool:
        """Take a variable whose value is a session's, and the value. False: it is none."""
        return False

    def _is_traced(self) -> bool:
        """Whether a function is being traced."""
        return local.state.graph is not None

    def _count(self) -> int:
        """One more, as a number."""
        with init_scope():
            self.save_counter.assign_add(1)
            return int(self.save_counter)

    def _uncount(self) -> None:
        with init_scope():
            self.save_counter.assign_sub(1)

    @property
    def save_counter(self) -> Any:
        """How often :meth:`save` has written: a variable, saved and restored like the others."""
        if self._counter is None:
            with init_scope():
                self._counter = Variable(0, trainable=False, name=_COUNTER, dtype="int64")
        return self._counter

    # Writing.

    def write(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Write a checkpoint under a prefix as it is: no number, and no word of it in the file ``checkpoint``.

        Raises:
            PermissionDeniedError, NotFoundError, FailedPreconditionError, ResourceExhaustedError: the files cannot be
                written. A checkpoint that was under the prefix before is there as it was.
        """
        prefix: str = os.fspath(file_prefix)
        with translate_os_errors(f"Cannot write a checkpoint under {prefix}"):
            Path(prefix).parent.mkdir(parents=True, exist_ok=True)
        write_objects(prefix, self, self._values)
        return prefix

    def save(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Write the next checkpoint: a number is added to the prefix, and :func:`latest_checkpoint` finds it.

        Args:
            file_prefix: where: ``"./folder/ckpt"`` gives ``"./folder/ckpt-1"``, and ``"./folder/"`` ``"./folder/-1"``.
            options: accepted.

        Returns:
            The prefix, with the number.

        Raises:
            NotImplementedError: called while a function is traced.
            PermissionDeniedError, NotFoundError, FailedPreconditionError, ResourceExhaustedError: the files cannot be
                written. Those written before are there as they were.
        """
        if self._is_traced():
            raise NotImplementedError(
                "Calling tf.train.Checkpoint.save() from a function is not supported, as save() modifies saving "
                "metadata in ways not supported by TensorFlow Operations. Consider using tf.train.Checkpoint.write()"
            )
        number = self._count()
        try:
            prefix = self.write(f"{os.fspath(file_prefix)}-{number}", options)
        except BaseException:
            self._uncount()
            raise
        update_checkpoint_state(Path(prefix).parent, CheckpointState(prefix, [prefix]))
        return prefix

    # Reading.

    def read(self, save_path: Any, options: CheckpointOptions | None = None) -> Any:
        """Give the objects the values that :meth:`write` has written.

        Args:
            save_path: the prefix.
            options: accepted.

        Returns:
            A status with ``assert_consumed``, ``assert_existing_objects_matched`` and ``expect_partial``.

        Raises:
            NotFoundError: there is no checkpoint under the prefix.
            DataLossError: a file is damaged or cut: which, and which tensor. Nothing was restored.
            ValueError: a value has another shape than its variable. Nothing was restored.
            InvalidArgumentError: a value has another dtype than its variable. Nothing was restored.
        """
        reader = CheckpointReader(os.fspath(save_path))
        if reader.objects is None:
            return self._read_by_names(reader)
        return CheckpointLoadStatus(Restoration(reader, self, self._held), self)

    def _read_by_names(self, reader: CheckpointReader) -> NameBasedLoadStatus:
        """From a file that knows variables' names alone."""
        reader.check()
        variables = [node.owner for node in reachable(self) if isinstance(node.owner, Variable)]
        variables = [variable for variable in variables if variable is not self._counter]
        found = [variable for variable in variables if reader.has_tensor(full_name(variable))]
        for variable, value in [(variable, reader.get_tensor(full_name(variable))) for variable in found]:
            if not self._held(variable, value):
                give(variable, value)
        used = {full_name(variable) for variable in found}
        unused = [name for name in reader.get_variable_to_shape_map() if name not in used]
        return NameBasedLoadStatus(unused, [variable for variable in variables if full_name(variable) not in used])

    def restore(self, save_path: Any, options: CheckpointOptions | None = None) -> Any:
        """Give the objects the values that :meth:`save` has written. Arguments, result and errors as for :meth:`read`.

        Args:
            save_path: the prefix, with the number; None restores nothing.
            options: accepted.
        """
        if save_path is None:
            return InitializationOnlyStatus()
        self.save_counter  # noqa: B018 - made, so that it is restored
        try:
            return self.read(save_path, options)
        except NotFoundError as error:
            raise NotFoundError(
                f"Error when restoring from checkpoint or SavedModel at {os.fspath(save_path)}: {error.message}\n"
                "Please double-check that the path is correct. You may be missing the checkpoint suffix (e.g. the '-1' "
                "in 'path/to/ckpt-1')."
            ) from None

    def sync(self) -> None:
        """Everything is written when :meth:`save` returns."""


def _known(part: Any) -> bool:
    return is_trackable(part) or isinstance(part, (list, tuple, dict))
