"""Write down what TensorFlow says to the expressions in ``cases/`` and to the programs.

Run by hand, where TensorFlow is installed; by default for all subjects, else for those named::

    python tests/reference/make_reference.py
    python tests/reference/make_reference.py linalg programs
"""

import json
import os
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, str(Path(__file__).parents[2]))

import tensorflow as tf

from tests.reference.language import CASES, answers, cases, plain, words
from tests.reference.language import PROGRAMS as OF_PROGRAMS
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


def write(name: str, lines: list[str]) -> None:
    """Write the answers on a subject."""
    head = f'"version": {json.dumps(tf.__version__)}'
    answers(name).write_text("{\n" + ",\n".join([head, *lines]) + "\n}\n")
    print(f"{name}: {len(lines)} answers from TensorFlow {tf.__version__}")


if __name__ == "__main__":
    wanted = sys.argv[1:] or [*(file.stem for file in CASES), OF_PROGRAMS]
    for file in CASES:
        if file.stem in wanted:
            found = {expression: answer(expression, phrase) for expression, phrase in cases(file)}
            if wrong := {expression: said["wrong"] for expression, said in found.items() if "wrong" in said}:
                sys.exit("\n".join(f"{expression}\n    {reason}" for expression, reason in wrong.items()))
            write(file.stem, [f"{json.dumps(expression)}: {json.dumps(said)}" for expression, said in found.items()])
    if OF_PROGRAMS in wanted:
        programs = PROGRAMS.items()
        write(OF_PROGRAMS, [f"{json.dumps(name)}: {json.dumps(plain(program(tf)))}" for name, program in programs])
