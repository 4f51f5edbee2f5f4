"""What IMDB and Reuters are made of: lists of word numbers, the commonest first, from an npz file."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from tapeviz.keras.datasets.download import Remote, cached, given_path
from tapeviz.keras.datasets.file_cache import get_file

__all__ = ["read_lists", "word_index"]


def read_lists(path: Any, file: Remote, options: dict[str, Any]) -> tuple[Any, Any]:
    """All sequences and labels, shuffled, with the words that are wanted.

    Args:
        path: an npz file in the place of the cache's.
        file: which the cache has.
        options: ``num_words``, ``skip_top``, ``maxlen``, ``seed``, ``start_char``, ``oov_char``, ``index_from``.

    Raises:
        ConnectionError: it is not in the cache and cannot be downloaded.
        ValueError: no sequence is that short, or another file than the known one has pickles.
    """
    chosen = given_path(path, file.name)
    source = chosen or cached(file.name.partition(".")[0], [file])[0]
    # The lists of the file that is known are pickled. Another one could run any code.
    is_known = hashlib.sha256(source.read_bytes()).hexdigest() == file.sha256
    with np.load(source, allow_pickle=is_known) as arrays:
        parts = [(arrays["x_train"], arrays["y_train"]), (arrays["x_test"], arrays["y_test"])] if (
            "x_train" in arrays
        ) else [(arrays["x"], arrays["y"])]  # fmt: skip
    rng = np.random.RandomState(options["seed"])
    found = [[part[order] for part in pair] for pair in parts for order in [rng.permutation(len(pair[0]))]]
    return tuple(_wanted(x, y, **options) for x, y in found), len(parts) > 1


def _wanted(
    x: Any, y: Any, num_words: int | None, skip_top: int, maxlen: int | None, seed: int, start_char: int | None,
    oov_char: int | None, index_from: int,
) -> Any:  # fmt: skip
    start = [] if start_char is None else [start_char]
    shift = index_from if start_char is not None else index_from or 0
    rows = [[*start, *(word + shift for word in row)] for row in x]
    kept = [place for place, row in enumerate(rows) if maxlen is None or len(row) < maxlen]
    if not kept:
        raise ValueError(f"After filtering for sequences shorter than maxlen={maxlen}, no sequence was kept.")
    top = num_words or max(max(row, default=0) for row in rows) + 1
    known = [
        [word if skip_top <= word < top else oov_char for word in rows[place]
         if oov_char is not None or skip_top <= word < top]
        for place in kept
    ]  # fmt: skip
    made = np.empty(len(known), dtype=object)
    made[:] = known
    return made, np.asarray(y)[kept]


def word_index(path: Any, name: str, url: str, checksum: str) -> dict[str, int]:
    """The numbers of words."""
    chosen = given_path(path, name)
    with Path(chosen or get_file(name, url, file_hash=checksum)).open(encoding="utf-8") as file:
        found: dict[str, int] = json.load(file)
        return found
