"""``train.Saver``: values of variables in files by the variables' names, and back.

The files are those of :class:`tapeviz.train.Checkpoint`, which finds values in them by the names of variables, as a
saver does in those of checkpoints: what one program writes eagerly another restores in a session, and back.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tapeviz.compat.v1.graph.default_graph import current_graph, executing_eagerly, get_default_graph
from tapeviz.compat.v1.graph.graph_keys import GraphKeys
from tapeviz.compat.v1.session.session import BaseSession
from tapeviz.compat.v1.variables.graph_variables import GraphVariable
from tapeviz.engine.errors import InvalidArgumentError, NotFoundError
from tapeviz.engine.variable import Variable
from tapeviz.train.files import CheckpointReader, checkpoint_exists, remove_checkpoint, write_checkpoint
from tapeviz.train.object_files import full_name, held_values
from tapeviz.train.restoration import give
from tapeviz.train.states import CheckpointState, update_checkpoint_state

__all__ = ["Saver", "global_step", "values_in"]


class Saver:
    """Saves values of variables, and gives variables the values that were saved.

    Args:
        var_list: variables, or variables by the names under which to save them; all of the graph by default.
        reshape: accepted as TensorFlow does, like ``sharded``.
        max_to_keep: how many of the files that it wrote to keep; all when None or 0.
        name: accepted, like the arguments that are not named here.

    Raises:
        ValueError: there are no variables.
        TypeError: something in ``var_list`` is no variable.
        RuntimeError: eager execution is on, and ``var_list`` is not given.
    """

    def __init__(
        self, var_list: Any = None, reshape: bool = False, sharded: bool = False, max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0, name: str | None = None, restore_sequentially: bool = False,
        saver_def: Any = None, builder: Any = None, defer_build: bool = False, allow_empty: bool = False,
        write_version: Any = None, pad_step_number: bool = False, save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:  # fmt: skip
        if var_list is None and current_graph() is None:
            raise RuntimeError(
                "When eager execution is enabled, `var_list` must specify a list or dict of variables to save"
            )
        given = get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES) if var_list is None else var_list
        self._variables = _by_name(given)
        self._clashes = [] if isinstance(given, Mapping) else _names_of_several(given)
        if not executing_eagerly():
            self._check_names()
        if not self._variables and not allow_empty:
            raise ValueError("No variables to save")
        self._most = max_to_keep or 0
        self._written: list[str] = []

    def _check_names(self) -> None:
        if self._clashes:
            raise ValueError(
                f"At least two variables have the same name: {self._clashes[0]}. Give a dict from names to variables"
            )

    @property
    def last_checkpoints(self) -> list[str]:
        """The prefixes of the files that it wrote and kept, the latest last."""
        return list(self._written)

    def set_last_checkpoints(self, last_checkpoints: Sequence[str]) -> None:
        """Say which files an earlier one wrote."""
        self._written = list(last_checkpoints)

    def save(
        self, sess: Any, save_path: Any, global_step: Any = None, latest_filename: str | None = None,
        meta_graph_suffix: str = "meta", write_meta_graph: bool = True, write_state: bool = True,
        strip_default_attrs: bool = False, save_debug_info: bool = False,
    ) -> str:  # fmt: skip
        """Write the values that the variables have in a session; with eager execution, those that they have.

        Args:
            sess: the session; None with eager execution.
            save_path: the prefix of the file.
            global_step: a number, tensor or variable to add to the prefix.
            latest_filename: the name of the file that says which is the latest; "checkpoint" by default.
            meta_graph_suffix: accepted as TensorFlow does, like ``write_meta_graph``, ``strip_default_attrs`` and
                ``save_debug_info``.
            write_meta_graph: accepted.
            write_state: whether to write that file.
            strip_default_attrs: accepted.
            save_debug_info: accepted.

        Returns:
            The prefix, with the step.

        Raises:
            ValueError: the folder is not there; with eager execution: two variables have the same name.
            TypeError: ``sess`` is no session.
            PermissionDeniedError, NotFoundError, FailedPreconditionError, ResourceExhaustedError: the files cannot be
                written. Those written before are there as they were.
        """
        self._check_names()
        prefix: str = os.fspath(save_path)
        if global_step is not None:
            prefix = f"{prefix}-{_step(sess, global_step)}"
        folder = Path(prefix).parent
        if not folder.is_dir():
            raise ValueError(f"Parent directory of {prefix} doesn't exist, can't save.")
        write_checkpoint(prefix, dict(zip(self._variables, values_in(sess, self._variables.values()), strict=True)))
        written = [*(path for path in self._written if path != prefix), prefix]
        going = written[: -self._most] if self._most else []
        self._written = written[len(going) :]
        if write_state:
            update_checkpoint_state(folder, CheckpointState(prefix, self._written), latest_filename)
        for path in going:
            remove_checkpoint(path)
        return prefix

    def restore(self, sess: Any, save_path: Any) -> None:
        """Give the variables the values that were saved under a prefix. They need not be initialized before.

        Raises:
            ValueError: there is no such file.
            NotFoundError: it has no value for a variable.
            InvalidArgumentError: a value has another shape or dtype than its variable.
            DataLossError: a file is damaged or cut: which, and which tensor. Nothing was restored.
        """
        self._check_names()
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        prefix = os.fspath(save_path)
        if not checkpoint_exists(prefix):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {prefix}")
        restored = self._read(CheckpointReader(prefix))
        in_graph = {variable: value for variable, value in restored if isinstance(variable, GraphVariable)}
        if in_graph and not isinstance(sess, BaseSession):
            raise TypeError(f"'sess' must be a Session; {sess}")
        for variable, value in restored:
            if not isinstance(variable, GraphVariable):
                give(variable, value)
        if in_graph:
            sess._restored(in_graph)

    def _read(self, reader: CheckpointReader) -> list[tuple[Any, np.ndarray]]:
        """The variables and their values, all of them whole."""
        names = list(reader.get_variable_to_shape_map())
        keys = dict(zip(names, names, strict=True))
        for node in reader.objects or ():  # what a checkpoint of objects knows by the paths to them
            if "name" in node:
                keys.setdefault(node["name"], node["key"])
        return [(variable, _fitting(name, variable, keys, reader)) for name, variable in self._variables.items()]


def values_in(sess: Any, variables: Any) -> list[Any]:
    """What variables hold: those of graphs in the session, eager ones by themselves.

    Raises:
        TypeError: ``sess`` is no session, and one is needed.
    """
    variables = list(variables)
    in_graph = [variable for variable in variables if isinstance(variable, GraphVariable)]
    if in_graph and not isinstance(sess, BaseSession):
        raise TypeError(f"'sess' must be a Session; {sess}")
    found = {
        id(v): np.asarray(value) for v, value in zip(in_graph, sess.run(in_graph) if in_graph else [], strict=True)
    }
    return [found[id(v)] if id(v) in found else held_values([v])[0] for v in variables]


def _by_name(given: Any) -> dict[str, Any]:
    named = given if isinstance(given, Mapping) else {_own_name(variable): variable for variable in given}
    for name, variable in named.items():
        if not isinstance(variable, Variable):
            raise TypeError(
                f"names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a variable: "
                f"{variable!r} (under {name!r})"
            )
    return dict(named)


def _names_of_several(variables: Any) -> list[str]:
    """The names that more than one variable has."""
    names = [_own_name(variable) for variable in {id(variable): variable for variable in variables}.values()]
    return [name for name in dict.fromkeys(names) if names.count(name) > 1]


def _own_name(variable: Any) -> str:
    if not isinstance(variable, Variable):
        raise TypeError(f"names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a variable: "
                        f"{variable!r}")  # fmt: skip
    return full_name(variable)


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The number that a variable or tensor of training steps has in a session."""
    return _step(sess, global_step_tensor)


def _step(sess: Any, given: Any) -> int:
    if isinstance(given, GraphVariable) or hasattr(given, "_node"):
        return int(sess.run(given))
    return int(given)


def _fitting(name: str, variable: Any, keys: Mapping[str, str], reader: CheckpointReader) -> np.ndarray:
    trouble = "Restoring from checkpoint failed. This is most likely due to"
    if name not in keys:
        raise NotFoundError(
            f"{trouble} a Variable name or other graph key that is missing from the checkpoint. Key {name} not found "
            f"in checkpoint. It has: {', '.join(sorted(keys))}"
        )
    value: np.ndarray = reader.get_tensor(keys[name])
    if value.dtype != variable.dtype.numpy or not variable.shape.is_compatible_with(value.shape):
        raise InvalidArgumentError(
            f"{trouble} a mismatch between the current graph and the graph from the checkpoint. {name} is "
            f"{reader.get_variable_to_dtype_map()[keys[name]].name} of shape {value.shape} in the checkpoint, and "
            f"{variable.dtype.name} of shape {variable.shape} here."
        )
    return value
