"""One small op, no tape: what a library spends around the arithmetic."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import tapeviz as tf
from benchmarks.harness import Goal, Race, Row, Sample, statement
from benchmarks.peers import load

__all__ = ["races", "run"]

SUBJECT: Final = "dispatch"
ADD_GOAL: Final = Goal(at_most=0.7, against="torch")

_ALIKE: Final = ("tapeviz", "torch", "tensorflow", "numpy")  # libraries whose tensors have operators
_SMALL: Final = (4, 4)


def _code(alike: str, autograd_: str | None = None) -> dict[str, str]:
    """Return the statement by library; autograd wraps NumPy's functions, not its operators."""
    return dict.fromkeys(_ALIKE, alike) | ({} if autograd_ is None else {"autograd": autograd_})


_OPS: Final[list[tuple[str, tuple[int, ...], dict[str, str]]]] = [
    ("add 4x4", _SMALL, _code("x + y", "add(x, y)")),
    ("multiply 4x4 by 2.0", _SMALL, _code("x * 2.0", "multiply(x, 2.0)")),
    ("exp 4x4", _SMALL, _code("exp(x)", "exp(x)")),
    ("matmul 4x4", _SMALL, _code("x @ y", "matmul(x, y)")),
    ("matmul 64x64", (64, 64), _code("x @ y", "matmul(x, y)")),
    ("reduce_sum 4x4", _SMALL, _code("total(x)", "total(x)")),
    ("slice [1:3] of 4x4", _SMALL, _code("x[1:3]")),
]


def _functions() -> dict[str, dict[str, Any]]:
    """Return what the statements call, by library."""
    scopes: dict[str, dict[str, Any]] = {
        "tapeviz": {"exp": tf.exp, "total": tf.reduce_sum, "make": tf.constant},
        "numpy": {"exp": np.exp, "total": np.sum, "make": np.array},
    }
    if (torch := load("torch")) is not None:
        scopes["torch"] = {"exp": torch.exp, "total": torch.sum, "make": torch.tensor}
    if (tensorflow := load("tensorflow")) is not None:
        scopes["tensorflow"] = {
            "exp": tensorflow.exp, "total": tensorflow.reduce_sum, "make": tensorflow.constant
        }  # fmt: skip
    if (anp := load("autograd.numpy")) is not None:
        scopes["autograd"] = {
            "exp": anp.exp, "total": anp.sum, "make": np.array, "add": anp.add, "multiply": anp.multiply,
            "matmul": anp.matmul,
        }  # fmt: skip
    return scopes


def races() -> list[Race]:
    """Return a race for each op."""
    rng = np.random.default_rng(0)
    functions = _functions()
    made = []
    for title, shape, codes in _OPS:
        x, y = (rng.normal(size=shape).astype("f4") for _ in range(2))
        samples: dict[str, Sample] = {}
        for library, scope in functions.items():
            if library in codes:
                values = {"x": scope["make"](x), "y": scope["make"](y)}
                samples[library] = statement(codes[library], scope | values)
        ours = {title: samples.pop("tapeviz")}
        goals = {title: ADD_GOAL} if title.startswith("add") and "torch" in samples else {}
        made.append(Race(SUBJECT, ours, samples, goals))
    return made


def run() -> list[Row]:
    """Run all races."""
    return [row for race in races() for row in race.run()]
