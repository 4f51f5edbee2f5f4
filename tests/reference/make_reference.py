"""Write down what TensorFlow says to the expressions in ``cases.txt`` and to ``programs.py``.

Run by hand, where TensorFlow is installed::

    python tests/reference/make_reference.py
"""

import json
import os
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, str(Path(__file__).parents[2]))

import tensorflow as tf

from tests.reference.language import STORED, cases, plain, words
from tests.reference.subjects import PROGRAMS


def answer(expression: str, phrase: str) -> dict:
    """Return the value of the expression, or the class of its error, which must contain the phrase."""
    try:
        value = eval(expression, words(tf))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the reference
        if not phrase or phrase not in f"{error}":
            return {"wrong": f"{type(error).__name__}: {error}"}
        return {"error": type(error).__name__}
    return {"wrong": f"does not fail: {value}"} if phrase else {"value": plain(value)}


if __name__ == "__main__":
    answers = {expression: answer(expression, phrase) for expression, phrase in cases()}
    if wrong := {expression: found["wrong"] for expression, found in answers.items() if "wrong" in found}:
        sys.exit("\n".join(f"{expression}\n    {reason}" for expression, reason in wrong.items()))
    lines = [f"{json.dumps(expression)}: {json.dumps(found)}" for expression, found in answers.items()]
    for name, program in PROGRAMS.items():
        lines.append(f'"program {name}": {json.dumps(plain(program(tf)))}')
    head = f'"version": {json.dumps(tf.__version__)}'
    STORED.write_text("{\n" + ",\n".join([head, *lines]) + "\n}\n")
    print(f"{len(lines)} answers from TensorFlow {tf.__version__}")
