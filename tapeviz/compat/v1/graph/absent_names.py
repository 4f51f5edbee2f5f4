"""What TensorFlow 1 has and this namespace has not."""

from __future__ import annotations

from typing import Final

__all__ = ["absent"]

_LATER: Final = {
    **dict.fromkeys(
        (
            "average_precision_at_k",
            "precision_at_k",
            "precision_at_top_k",
            "recall_at_k",
            "recall_at_top_k",
            "sparse_average_precision_at_k",
            "sparse_precision_at_k",
        ),
        "tf.nn.in_top_k and tf.metrics.mean give the share of targets that are among the k best predictions",
    ),
    "estimator": "estimators are not supported: TensorFlow itself has removed them",
    "distribute": "several devices at once are not supported yet",
    "gfile": "Python's pathlib reads and writes files",
    "logging": "Python's logging writes messages",
    "app": "Python's argparse and a main function are what tf.app is for",
    "flags": "Python's argparse is what tf.flags is for",
}
_OPTIMIZERS: Final = "Optimizer"


def absent(module: str, name: str) -> AttributeError:
    """The error to raise for a name that is not there."""
    why = _LATER.get(name, "")
    if not why and name.endswith(_OPTIMIZERS):
        why = "of the optimizers those of tf.keras.optimizers are there, and what tf.train lists"
    return AttributeError(f"module {module!r} has no attribute {name!r}" + (f": {why}" if why else ""))
