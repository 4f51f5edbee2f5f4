"""``train.Saver``: values of variables in files, and back. The files hold plain arrays: reading one runs nothing."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from tapeviz.compat.v1.default_graphs import current_graph, get_default_graph
from tapeviz.compat.v1.graph_keys import GraphKeys
from tapeviz.compat.v1.graph_variables import GraphVariable
from tapeviz.compat.v1.sessions import BaseSession
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import InvalidArgumentError, NotFoundError
from tapeviz.engine.tensor import wrap
from tapeviz.engine.variable import Variable

__all__ = ["CheckpointState", "Saver", "checkpoint_exists", "get_checkpoint_state", "latest_checkpoint",
           "list_variables", "load_variable"]  # fmt: skip

_SUFFIX: Final = ".npz"
_KINDS: Final = "__dtypes__"
_STATE: Final = "checkpoint"


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
        if not self._variables and not allow_empty:
            raise ValueError("No variables to save")
        self._most = max_to_keep or 0
        self._written: list[str] = []

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
            ValueError: the folder is not there.
            TypeError: ``sess`` is no session.
        """
        prefix: str = os.fspath(save_path)
        if global_step is not None:
            prefix = f"{prefix}-{_step(sess, global_step)}"
        folder = Path(prefix).parent
        if not folder.is_dir():
            raise ValueError(f"Parent directory of {prefix} doesn't exist, can't save.")
        write(prefix, dict(zip(self._variables, self._values(sess), strict=True)))
        self._written = [*(path for path in self._written if path != prefix), prefix]
        while self._most and len(self._written) > self._most:
            Path(f"{self._written.pop(0)}{_SUFFIX}").unlink(missing_ok=True)
        if write_state:
            _write_state(folder / (latest_filename or _STATE), self._written)
        return prefix

    def _values(self, sess: Any) -> list[Any]:
        """What the variables hold: those of graphs in the session, eager ones by themselves."""
        variables = list(self._variables.values())
        if not any(isinstance(variable, GraphVariable) for variable in variables):
            return [variable._host() for variable in variables]
        if not isinstance(sess, BaseSession):
            raise TypeError(f"'sess' must be a Session; {sess}")
        return [np.asarray(value) for value in sess.run(variables)]

    def restore(self, sess: Any, save_path: Any) -> None:
        """Give the variables the values that were saved under a prefix. They need not be initialized before.

        Raises:
            ValueError: there is no such file.
            NotFoundError: it has no value for a variable.
            InvalidArgumentError: a value has another shape or dtype than its variable.
        """
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        prefix = os.fspath(save_path)
        if not checkpoint_exists(prefix):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {prefix}")
        found = read(prefix)
        restored: dict[Any, np.ndarray] = {}
        for name, variable in self._variables.items():
            value = _fitting(name, variable, found)
            if isinstance(variable, GraphVariable):
                restored[variable] = value
            else:
                variable.assign(wrap(value))
        if not restored:
            return
        if not isinstance(sess, BaseSession):
            raise TypeError(f"'sess' must be a Session; {sess}")
        sess._restored(restored)


def _by_name(given: Any) -> dict[str, Any]:
    named = given if isinstance(given, Mapping) else {_own_name(variable): variable for variable in given}
    if not isinstance(given, Mapping) and len(named) != len(list(given)):
        raise ValueError("At least two variables have the same name: give a dict from names to variables")
    for name, variable in named.items():
        if not isinstance(variable, Variable):
            raise TypeError(
                f"names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a variable: "
                f"{variable!r} (under {name!r})"
            )
    return dict(named)


def _own_name(variable: Any) -> str:
    if not isinstance(variable, Variable):
        raise TypeError(f"names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a variable: "
                        f"{variable!r}")  # fmt: skip
    return variable.name.partition(":")[0]


def _step(sess: Any, given: Any) -> int:
    if isinstance(given, GraphVariable) or hasattr(given, "_node"):
        return int(sess.run(given))
    return int(given)


def _fitting(name: str, variable: Any, found: Mapping[str, np.ndarray]) -> np.ndarray:
    trouble = "Restoring from checkpoint failed. This is most likely due to"
    if name not in found:
        raise NotFoundError(
            f"{trouble} a Variable name or other graph key that is missing from the checkpoint. Key {name} not found "
            f"in checkpoint. It has: {', '.join(sorted(found))}"
        )
    value = found[name]
    if value.dtype != variable.dtype.numpy or not variable.shape.is_compatible_with(value.shape):
        raise InvalidArgumentError(
            f"{trouble} a mismatch between the current graph and the graph from the checkpoint. {name} is "
            f"{as_dtype(value.dtype).name} of shape {value.shape} in the checkpoint, and {variable.dtype.name} of "
            f"shape {variable.shape} here."
        )
    return value


# Files: zip archives of arrays, as NumPy writes them. What NumPy would pickle is kept as bytes, with its dtype's name.


def write(prefix: str, values: Mapping[str, Any]) -> None:
    """Write arrays under a prefix. The file is there whole or not at all."""
    kinds = {name: as_dtype(np.asarray(value).dtype).name for name, value in values.items()}
    arrays = {f"v/{name}": _plain(np.asarray(value), kinds[name]) for name, value in values.items()}
    shapes = {name: list(np.shape(value)) for name, value in values.items()}
    told = np.frombuffer(json.dumps({"kinds": kinds, "shapes": shapes}).encode(), np.uint8)
    partial = Path(f"{prefix}.partial{_SUFFIX}")
    np.savez(partial, allow_pickle=False, **{_KINDS: told, **arrays})
    partial.replace(f"{prefix}{_SUFFIX}")


def _plain(array: np.ndarray, kind: str) -> np.ndarray:
    if kind == "bfloat16":
        return array.view(np.uint16)
    if kind == "string":
        return np.frombuffer(json.dumps([text.hex() for text in array.ravel()]).encode(), np.uint8)
    return array


def read(prefix: str) -> dict[str, np.ndarray]:
    """The arrays under a prefix, by name."""
    with np.load(f"{prefix}{_SUFFIX}", allow_pickle=False) as file:
        told = json.loads(bytes(file[_KINDS]))
        return {name: _restored(file[f"v/{name}"], kind, told["shapes"][name]) for name, kind in told["kinds"].items()}


def _restored(array: np.ndarray, kind: str, shape: list[int]) -> np.ndarray:
    if kind == "bfloat16":
        return array.view(as_dtype(kind).numpy)
    if kind == "string":
        texts = np.empty(int(np.prod(shape)), object)
        texts[:] = [bytes.fromhex(text) for text in json.loads(bytes(array))]
        return texts.reshape(shape)
    return array


def _write_state(path: Path, prefixes: Sequence[str]) -> None:
    latest = json.dumps(prefixes[-1])
    lines = [f"model_checkpoint_path: {latest}", *(f"all_model_checkpoint_paths: {json.dumps(p)}" for p in prefixes)]
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text("\n".join(lines) + "\n", encoding="utf-8")
    partial.replace(path)


class CheckpointState:
    """What the file beside the checkpoints says: which is the latest, and which there are."""

    def __init__(self, latest: str, prefixes: Sequence[str]) -> None:
        self.model_checkpoint_path = latest
        self.all_model_checkpoint_paths = list(prefixes)


def get_checkpoint_state(checkpoint_dir: Any, latest_filename: str | None = None) -> CheckpointState | None:
    """What the file beside the checkpoints in a folder says; None where there is none."""
    folder = Path(os.fspath(checkpoint_dir))
    path = folder / (latest_filename or _STATE)
    if not path.is_file():
        return None
    said = re.findall(r'^(\w+): (".*")$', path.read_text(encoding="utf-8"), re.MULTILINE)
    paths = [(key, str(folder / json.loads(text))) for key, text in said]
    latest = [text for key, text in paths if key == "model_checkpoint_path"]
    return (
        CheckpointState(latest[0], [text for key, text in paths if key != "model_checkpoint_path"]) if latest else None
    )


def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """The prefix of the latest checkpoint in a folder; None where there is none."""
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not checkpoint_exists(state.model_checkpoint_path):
        return None
    return state.model_checkpoint_path


def checkpoint_exists(checkpoint_prefix: Any) -> bool:
    """Whether there is a checkpoint under a prefix."""
    return Path(f"{os.fspath(checkpoint_prefix)}{_SUFFIX}").is_file()


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Names and shapes of what a checkpoint holds."""
    return [(name, list(value.shape)) for name, value in sorted(read(_prefix(ckpt_dir_or_file)).items())]


def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """One value of a checkpoint, as an array. Raises NotFoundError: there is none of that name."""
    found = read(_prefix(ckpt_dir_or_file))
    if name not in found:
        raise NotFoundError(f"Key {name} not found in checkpoint")
    return found[name]


def _prefix(given: Any) -> str:
    path = os.fspath(given)
    prefix = latest_checkpoint(path) if Path(path).is_dir() else path
    if prefix is None or not checkpoint_exists(prefix):
        raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}")
    return prefix
