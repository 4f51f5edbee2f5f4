"""Which file calls which in four programs: run as a module it prints them as JSON, in the order of their first calls.

Each program has run once before it is followed, so that what is generated or imported on first use is there already.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import tapeviz as tf

PACKAGE = Path(tf.__file__).parent
CELL = """%%tape
weight = tf.Variable(3.0)
with tf.GradientTape() as tape:
    loss = tf.exp(weight) * weight
gradient = tape.gradient(loss, weight)
"""
Calls = list[tuple[str, str]]


def file_of(frame: FrameType | None) -> str:
    """Return the file of a frame in the package; "" for code that is none of it."""
    name = "" if frame is None else frame.f_code.co_filename
    if name.startswith("<tapeviz op"):  # written by that module
        return "engine/codegen.py"
    return Path(name).relative_to(PACKAGE).as_posix() if name.startswith(f"{PACKAGE}/") else ""


def calls_of(program: Callable[[], object]) -> Calls:
    """Return which file called which, through whatever lies between; "" for the user's program."""
    found: dict[tuple[str, str], None] = {}

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and (called := file_of(frame)):
            caller = frame.f_back
            while caller is not None and not file_of(caller):
                caller = caller.f_back
            if file_of(caller) != called:
                found.setdefault((file_of(caller), called))

    gc.collect()
    gc.disable()  # the recorder has a callback that the collector calls anywhere
    sys.setprofile(note)
    try:
        program()
    finally:
        sys.setprofile(None)
        gc.enable()
    return list(found)


def add() -> Calls:
    """Follow ``tf.add`` of a list and a tensor."""
    x = tf.constant([1.0, 2.0])
    tf.add([1.0, 2.0], x)
    return calls_of(lambda: tf.add([1.0, 2.0], x))


def traced_call() -> Calls:
    """Follow the first two calls of a ``tf.function``: it is traced and run once, then planned and run."""
    x = tf.constant([1.0, 2.0])
    tf.function(lambda value: tf.reduce_sum(value * value))(x)

    @tf.function
    def norm(value: Any) -> Any:
        return tf.reduce_sum(value * value)

    return calls_of(lambda: (norm(x), norm(x)))


def fit_step() -> Calls:
    """Follow an epoch of one step of a model that has been trained before."""
    model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    inputs, targets = np.ones((8, 3), np.float32), np.ones((8, 1), np.float32)
    for _ in range(2):
        model.fit(inputs, targets, verbose=0)
    return calls_of(lambda: model.fit(inputs, targets, verbose=0))


def tape_cell() -> Calls:
    """Follow a ``%%tape`` cell, and the views that a notebook asks its tape for."""
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    shell.run_line_magic("load_ext", "tapeviz")
    shell.user_ns["tf"] = tf

    def run() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            assert shell.run_cell(CELL).success
        shell.user_ns["_tape"].view._repr_mimebundle_()

    run()
    return calls_of(run)


if __name__ == "__main__":
    walks = {"add": add, "traced call": traced_call, "fit step": fit_step, "tape cell": tape_cell}
    print(json.dumps({name: follow() for name, follow in walks.items()}))
