"""`fit` beside Keras on TensorFlow: digits with a dense model, what it reaches, and what LiveTape costs."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import tapeviz as tf
from benchmarks.harness import Figure, Goal, Race, Row, Sample, clock
from benchmarks.peers import load

__all__ = ["accuracies", "digits", "run"]

SUBJECT: Final = "training_fit"
EPOCHS: Final = 20
SEEDS: Final = range(5)
_ROUND_EPOCHS: Final = 8
_REACHED: Final = 0.97
_LIVE: Final = "digits, an epoch of fit with LiveTape"
_PLAIN: Final = "digits, an epoch of fit"


def run() -> list[Row | Figure]:
    """Race epochs, and train five times from the beginning."""
    library = load("tensorflow")
    ours, watched = _epochs(tf), _epochs(tf, lambda: [tf.keras.callbacks.LiveTape()])
    peers = {} if library is None else {"tensorflow.keras": _epochs(library)}
    race = Race(SUBJECT, {_PLAIN: ours, _LIVE: watched}, peers, {_LIVE: Goal(at_most=1.1, against=_PLAIN)})
    rows: list[Row | Figure] = [*race.run(rounds=20, most=60)]
    return [*rows, *_reached("tapeviz", tf), *([] if library is None else _reached("tensorflow.keras", library))]


def digits() -> list[np.ndarray]:
    """Images and numbers for training, then those of a fixed stratified hold-out of a fifth: x, held x, y, held y."""
    x, y = load_digits(return_X_y=True)
    split: list[np.ndarray] = train_test_split(
        (x / 16.0).astype("float32"), y, test_size=0.2, stratify=y, random_state=0
    )
    return split


def dense(library: Any) -> Any:
    """The model, compiled."""
    layers = library.keras.layers
    model = library.keras.Sequential(
        [layers.Dense(128, activation="relu"), layers.Dense(64, activation="relu"), layers.Dense(10)]
    )
    loss = library.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    return model


def _epochs(library: Any, callbacks: Callable[[], list[Any]] = list) -> Sample:
    x, _, y, _ = digits()
    model = dense(library)

    def seconds() -> float:
        began = clock()
        model.fit(x, y, epochs=_ROUND_EPOCHS, verbose=0, callbacks=callbacks())
        return (clock() - began) / _ROUND_EPOCHS

    return seconds


def accuracies(library: Any, seeds: range = SEEDS, epochs: int = EPOCHS) -> list[float]:
    """What share of the hold-out is right after training, for each seed."""
    x, held_x, y, held_y = digits()
    found = []
    for seed in seeds:
        library.random.set_seed(seed)
        np.random.seed(seed)  # noqa: NPY002 - what Keras draws initial weights and orders from
        model = dense(library)
        model.fit(x, y, epochs=epochs, verbose=0)
        found.append(float(model.evaluate(held_x, held_y, verbose=0)[1]))
    return found


def _reached(name: str, library: Any) -> list[Figure]:
    began = clock()
    found = accuracies(library)
    seconds = (clock() - began) / len(found)
    goal = Goal(at_least=100 * _REACHED) if library is tf else None
    note = f"{EPOCHS} epochs, of {', '.join(f'{100 * one:.1f}' for one in found)}"
    return [
        Figure(
            SUBJECT,
            f"{name}: digits right on the hold-out, median of five",
            100 * statistics.median(found),
            "%",
            goal,
            note,
        ),
        Figure(SUBJECT, f"{name}: one of these fits, from the first trace on", seconds, "s"),
    ]
