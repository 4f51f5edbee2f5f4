"""The file ``checkpoint`` in a folder: which checkpoints there are, and which is the latest."""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tapeviz.engine.errors import DataLossError
from tapeviz.engine.os_errors import translate_os_errors
from tapeviz.files import write_atomic
from tapeviz.train.files import checkpoint_exists

__all__ = ["CheckpointState", "get_checkpoint_state", "latest_checkpoint", "update_checkpoint_state"]

_NAME: Final = "checkpoint"
_LINE: Final = re.compile(r"(\w+): (\".*\"|[\d.e+-]+)")
_CHECK: Final = "# crc32: "


class CheckpointState:
    """What the file says."""

    def __init__(
        self, latest: str, prefixes: Sequence[str], timestamps: Sequence[float] = (), preserved: float | None = None
    ) -> None:
        self.model_checkpoint_path = latest
        self.all_model_checkpoint_paths: list[str] = list(prefixes)
        self.all_model_checkpoint_timestamps: list[float] = list(timestamps)
        self.last_preserved_timestamp = preserved

    def __repr__(self) -> str:
        return "".join(f"{line}\n" for line in _lines(self))


def _lines(state: CheckpointState) -> list[str]:
    lines = [f"model_checkpoint_path: {json.dumps(state.model_checkpoint_path)}"]
    lines += [f"all_model_checkpoint_paths: {json.dumps(path)}" for path in state.all_model_checkpoint_paths]
    lines += [f"all_model_checkpoint_timestamps: {time!r}" for time in state.all_model_checkpoint_timestamps]
    if state.last_preserved_timestamp is not None:
        lines.append(f"last_preserved_timestamp: {state.last_preserved_timestamp!r}")
    return lines


def update_checkpoint_state(folder: Path, state: CheckpointState, latest_filename: str | None = None) -> None:
    """Write the file. Prefixes inside the folder are written without it, so that the folder can be moved."""
    said = CheckpointState(
        _relative(state.model_checkpoint_path, folder),
        [_relative(path, folder) for path in state.all_model_checkpoint_paths],
        state.all_model_checkpoint_timestamps,
        state.last_preserved_timestamp,
    )
    text = repr(said)
    with translate_os_errors(f"Cannot write which checkpoint in {folder} is the latest"):
        checked = f"{text}{_CHECK}{zlib.crc32(text.encode()):08x}\n"
        write_atomic(folder / (latest_filename or _NAME), [checked.encode()])


def _relative(prefix: str, folder: Path) -> str:
    path = Path(prefix)
    return path.name if path.parent == folder else str(path.absolute())


def get_checkpoint_state(checkpoint_dir: Any, latest_filename: str | None = None) -> CheckpointState | None:
    """What the file ``checkpoint`` in a folder says; None where there is none.

    Args:
        checkpoint_dir: the folder.
        latest_filename: the name of the file, where it is another.

    Raises:
        DataLossError: the file is damaged.
    """
    folder = Path(os.fspath(checkpoint_dir))
    path = folder / (latest_filename or _NAME)
    if not path.is_file():
        return None
    said: dict[str, list[Any]] = {}
    for key, value in _said(path):
        # Joined as TensorFlow does: "./ckpt/" and "-1" are "./ckpt/-1".
        whole = os.path.join(os.fspath(checkpoint_dir), value) if isinstance(value, str) else value  # noqa: PTH118
        said.setdefault(key, []).append(whole)
    latest = said.get("model_checkpoint_path")
    if not latest:
        raise DataLossError(f"Damaged checkpoint: {path} does not say which is the latest")
    return CheckpointState(
        latest[0],
        said.get("all_model_checkpoint_paths", []),
        said.get("all_model_checkpoint_timestamps", []),
        next(iter(said.get("last_preserved_timestamp", [])), None),
    )


def _said(path: Path) -> list[tuple[str, Any]]:
    """Keys and values of the file. Every byte counts: one that has changed is found."""
    with translate_os_errors("Cannot read which checkpoint is the latest"):
        content = path.read_bytes()
    text, found, checksum = content.decode("utf-8", "replace").rpartition(_CHECK)
    matched = [_LINE.fullmatch(line) for line in text.split("\n")[:-1]]
    if not found or checksum != f"{zlib.crc32(text.encode()):08x}\n" or not all(matched) or not text.endswith("\n"):
        raise DataLossError(f"Damaged checkpoint: {path} is not as it was written")
    return [(match[1], json.loads(match[2])) for match in matched if match]


def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """The prefix of the latest checkpoint in a folder; None where there is none.

    Args:
        checkpoint_dir: the folder.
        latest_filename: the name of the file that says it, where it is not ``checkpoint``.

    Raises:
        DataLossError: that file is damaged.

    >>> import tapeviz as tf
    >>> tf.train.latest_checkpoint("no_such_folder") is None
    True
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not checkpoint_exists(state.model_checkpoint_path):
        return None
    return state.model_checkpoint_path
