"""Data that comes with scikit-learn, which is asked for only when it is needed."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tapeviz.keras.datasets.download import given_path
from tapeviz.keras.datasets.formats import npz

__all__ = ["arrays_of"]


def arrays_of(dataset: str, path: Any, **options: Any) -> tuple[np.ndarray, np.ndarray]:
    """Features and targets: of an npz file with ``x`` and ``y``, else of scikit-learn.

    Raises:
        ImportError: scikit-learn is not installed.
        FileNotFoundError: there is no such file.
        ValueError: it is damaged, or lacks an array.
    """
    named: Path | None = given_path(path, f"{dataset}.npz")
    if named is not None:
        x, y = npz(named, ("x", "y"))
        return x, y
    try:
        datasets = import_module("sklearn.datasets")
    except ImportError as error:
        raise ImportError(
            f"tf.keras.datasets.{dataset} comes with scikit-learn, which is not installed: pip install scikit-learn, "
            "or give load_data(path=...) an npz file with the arrays x and y"
        ) from error
    x, y = getattr(datasets, f"load_{dataset}")(return_X_y=True, **options)
    return np.asarray(x), np.asarray(y)
