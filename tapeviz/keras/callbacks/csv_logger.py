"""The results of each epoch as a table in a file."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from tapeviz.files import AppendFile
from tapeviz.keras.callbacks.callback import Callback

__all__ = ["CSVLogger"]


class CSVLogger(Callback):
    """Write the results of each epoch as a row of a CSV file.

    Args:
        filename: the file.
        separator: what stands between two fields.
        append: whether to go on with a file that is there, and not to begin it anew.

    Raises:
        OSError: while training: the file cannot be written.

    >>> import pathlib, tempfile, tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="zeros")])
    >>> model.compile("sgd", "mse")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "log.csv")
    ...     _ = model.fit([[0.0]], [[0.0]], epochs=2, verbose=0, callbacks=[tf.keras.callbacks.CSVLogger(file)])
    ...     print(file.read_text(encoding="utf-8"))
    epoch,loss
    0,0.0
    1,0.0
    <BLANKLINE>
    """

    def __init__(self, filename: Any, separator: str = ",", append: bool = False) -> None:
        super().__init__()
        self.filename: Path
        self.sep: str
        self.append: bool
        self.filename, self.sep, self.append = Path(filename), separator, append
        self._file: AppendFile | None = None
        self._writer: Any = None
        self._keys: list[str] | None = None

    def on_train_begin(self, logs: Any = None) -> None:
        """Open the file."""
        goes_on = self.append and self.filename.exists() and self.filename.stat().st_size > 0
        self._keys, self._writer, self._has_head = None, None, goes_on
        self._file = AppendFile(self.filename, "a" if self.append else "w")
        if goes_on and not self.filename.read_bytes().endswith(b"\n"):  # whoever wrote it was killed
            self._file.append(b"\n")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Write a row. A result that an epoch does not have, such as one of validation, is ``NA``."""
        found = logs or {}
        if self._file is None:
            return
        if self._keys is None:
            self._keys = sorted(found)
        if self._writer is None:
            self._rows = StringIO()
            self._writer = csv.DictWriter(
                self._rows, ["epoch", *self._keys], delimiter=self.sep, extrasaction="ignore", lineterminator="\n"
            )
            if not self._has_head:
                self._writer.writeheader()
        self._writer.writerow({"epoch": epoch, **{key: _text(found.get(key, "NA")) for key in self._keys}})
        self._file.append(self._rows.getvalue().encode())
        self._rows.seek(0)
        self._rows.truncate()

    def close(self, error: BaseException | None) -> None:
        """Close the file, however training ends."""
        if self._file is not None:
            self._file.close()
        self._file = self._writer = None


def _text(value: Any) -> Any:
    if isinstance(value, str) or not isinstance(value, Iterable) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return value
    return f'"[{", ".join(map(str, value))}]"'
