"""What Keras computed for the layers of the table, as it is stored: numbers of a family in one file, and facts."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

FOLDER = Path(__file__).parent / "answers"
DTYPES = ("float64", "float32")


class Answer(NamedTuple):
    """What a layer gives: its outputs, gradients, the weights that a call changes, and the sum of its losses."""

    outputs: list[np.ndarray]
    by_inputs: list[np.ndarray]
    by_weights: list[np.ndarray]
    after: list[np.ndarray]
    penalty: np.ndarray


def store(family: str, found: dict[str, dict[str, Answer]], facts: dict[str, Any], version: str) -> None:
    """Write the answers of a family: an index, and the numbers of each dtype one after the other."""
    numbers: dict[str, list[np.ndarray]] = {dtype: [] for dtype in DTYPES}
    index = {}
    for case, answers in found.items():
        index[case] = {"facts": facts[case], "answers": {}}
        for dtype, answer in answers.items():
            parts = answer._replace(penalty=[answer.penalty])
            numbers[dtype] += [np.ravel(array) for part in parts for array in part]
            index[case]["answers"][dtype] = [[[array.dtype.name, array.shape] for array in part] for part in parts]
    text = json.dumps({"keras": version, "cases": index})
    flat = {dtype: np.concatenate(arrays).astype(dtype) for dtype, arrays in numbers.items()}
    np.savez_compressed(FOLDER / f"{family}.npz", index=np.frombuffer(text.encode(), np.uint8), **flat)


@cache
def answers(family: str) -> dict[str, tuple[dict[str, Any], dict[str, Answer]]]:
    """Return the facts and the answers, by dtype, of each case of a family."""
    with np.load(FOLDER / f"{family}.npz") as stored:
        index = json.loads(stored["index"].tobytes())["cases"]
        numbers = {dtype: stored[dtype] for dtype in DTYPES}
    places = dict.fromkeys(DTYPES, 0)
    found = {}
    for case, said in index.items():
        of_dtypes = {}
        for dtype, form in said["answers"].items():
            parts = []
            for part in form:
                parts.append([])
                for name, shape in part:
                    end = places[dtype] + math.prod(shape)
                    parts[-1].append(numbers[dtype][places[dtype] : end].reshape(shape).astype(name))
                    places[dtype] = end
            of_dtypes[dtype] = Answer(*parts[:-1], parts[-1][0])
        found[case] = (said["facts"], of_dtypes)
    return found
