"""Weights of models in checkpoint files."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any, Final

from tapeviz.engine.deferred_restoration import Awaited
from tapeviz.engine.os_errors import translate_os_errors
from tapeviz.engine.variable import Variable
from tapeviz.keras.weights import shapes_table
from tapeviz.train.files import CheckpointReader, MissingFileError, checkpoint_exists
from tapeviz.train.object_files import full_name, write_objects
from tapeviz.train.restoration import Restoration, give, has_value, matching
from tapeviz.train.states import CheckpointState, update_checkpoint_state
from tapeviz.train.statuses import CheckpointLoadStatus, NameBasedLoadStatus
from tapeviz.train.trackable import Node, children, reachable

__all__ = ["ModelWeights", "read_weights", "write_weights"]

logger: Final = logging.getLogger("tapeviz")
# Under such a name Keras writes one file of its own, and no `checkpoint` beside it that says which is the latest.
_WHOLE_FILES: Final = (".h5", ".hdf5", ".keras")
# What a model has from `compile`.
_NOT_WEIGHTS: Final = frozenset(
    {"optimizer", "_optimizer", "loss", "_compile_loss", "_compile_metrics", "_loss_tracker"}
)


class ModelWeights(Awaited):
    """A model as a checkpoint of its weights has it: without its optimizer."""

    def __init__(self, model: Any) -> None:
        self._checkpoint_root = model

    def _checkpoint_children(self) -> list[tuple[str, Any]]:
        return [(name, part) for name, part in children(self._checkpoint_root) if name not in _NOT_WEIGHTS]


def write_weights(model: Any, filepath: Any, overwrite: bool = True) -> str:
    """Write a model's weights under a prefix.

    Raises:
        ValueError: the model has not been built.
        FileExistsError: there are weights under the prefix, and they are not to be overwritten.
    """
    prefix: str = os.fspath(filepath)
    if not getattr(model, "built", True) and not model.weights:
        raise ValueError(
            "You are saving a model that has not yet been built. Try building the model first by calling it on some "
            "data or by using `build()`."
        )
    if not overwrite and checkpoint_exists(prefix):
        raise FileExistsError(f"There are weights under {prefix}, and overwrite=False")
    with translate_os_errors(f"Cannot write weights under {prefix}"):
        Path(prefix).parent.mkdir(parents=True, exist_ok=True)
    write_objects(prefix, ModelWeights(model))
    if not prefix.endswith(_WHOLE_FILES):
        update_checkpoint_state(Path(prefix).parent, CheckpointState(prefix, [prefix]))
    return prefix


def read_weights(model: Any, filepath: Any, *, skip_mismatch: bool = False, by_name: bool = False) -> Any:
    """Give a model the weights under a prefix: those that it has now, and those that its layers will make.

    Returns:
        A status, as of :meth:`tapeviz.train.Checkpoint.restore`.

    Raises:
        NotFoundError: there are none; it is a FileNotFoundError, too.
        ValueError: the model has other weights than those saved; a table says which. Nothing was changed.
        DataLossError: a file is damaged. Nothing was changed.
    """
    prefix: str = os.fspath(filepath)
    if not checkpoint_exists(prefix):
        other = (
            "; the file of this name is not a weights file, and HDF5 is not supported" if Path(prefix).is_file() else ""
        )
        raise MissingFileError(f"Failed to find any matching files for {prefix}: there are no weights under it{other}")
    reader = CheckpointReader(prefix)
    reader.check()
    weights = ModelWeights(model)
    by_name = by_name or reader.objects is None
    held = reachable(weights)
    pairs = _by_name(held, reader) if by_name else _by_path(held, reader)
    rows = _rows(pairs, reader, also_missing=not by_name and _is_whole(model))
    differing = [row for row in rows if row[1] != row[2]]
    if differing and not (skip_mismatch or (by_name and all(row[2] == "-" for row in differing))):
        title = (
            f"A total of {len(differing)} weights could not be loaded from {prefix}: model '{model.name}' has others "
            "than those that were saved."
        )
        raise ValueError(shapes_table(title, rows))
    if not (skip_mismatch or by_name):
        return CheckpointLoadStatus(Restoration(reader, weights), weights)
    return _given(pairs, reader, differing)


Pairs = list[tuple[Variable, str | None]]


def _by_path(held: list[Node], reader: CheckpointReader) -> Pairs:
    """The variables of a model, with the keys of those that stood where they stand."""
    nodes = reader.objects
    found = {id(part): nodes[at]["key"] for at, part in matching(nodes, 0, held[0].owner) if has_value(nodes[at], part)}
    return [(node.owner, found.get(id(node.owner))) for node in held if isinstance(node.owner, Variable)]


def _by_name(held: list[Node], reader: CheckpointReader) -> Pairs:
    """The variables of a model, with the keys of those saved under the same name."""
    keys = {node["name"]: node["key"] for node in reader.objects or () if "name" in node}
    keys = keys or {key: key for key in reader.get_variable_to_shape_map()}
    variables = [node.owner for node in held if isinstance(node.owner, Variable)]
    return [(variable, keys.get(full_name(variable))) for variable in variables]


def _is_whole(model: Any) -> bool:
    """Whether all layers have made their weights."""
    return all(getattr(layer, "built", True) for layer in model._flatten_layers())


def _rows(pairs: Pairs, reader: CheckpointReader, *, also_missing: bool) -> list[tuple[str, str, str]]:
    """Names, shapes wanted and shapes found."""
    shapes = {key: str(tuple(shape)) for key, shape in reader.get_variable_to_shape_map().items()}
    rows = [(v.name, str(tuple(v.shape.dims or ())), shapes.get(key or "", "-")) for v, key in pairs]
    if also_missing:
        used = {key for _, key in pairs}
        names = {node["key"]: f"{node['name']}:0" for node in reader.objects or () if "key" in node}
        rows += [(names[key], "-", shape) for key, shape in shapes.items() if key not in used]
    return rows


def _given(pairs: Pairs, reader: CheckpointReader, differing: list[tuple[str, str, str]]) -> NameBasedLoadStatus:
    """Give values to the variables that they fit."""
    skipped = {name for name, _, _ in differing}
    fitting = [(variable, key) for variable, key in pairs if key is not None and variable.name not in skipped]
    for variable, value in [(variable, reader.get_tensor(key)) for variable, key in fitting]:
        give(variable, value)
    if differing:
        logger.warning("%s", shapes_table(f"{len(differing)} weights were not loaded from {reader.prefix}:", differing))
    used = {key for _, key in fitting}
    given = {id(variable) for variable, _ in fitting}
    return NameBasedLoadStatus(
        [key for key in reader.get_variable_to_shape_map() if key not in used],
        [variable for variable, _ in pairs if id(variable) not in given],
    )
