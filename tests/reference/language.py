"""What the expressions in ``cases/`` may say, over TensorFlow or over tapeviz: the same words, two meanings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
CASES = sorted((HERE / "cases").glob("*.txt"))
ANSWERS = HERE / "answers"
PROGRAMS = "programs"
SEPARATOR = " !! "


def cases(file: Path) -> list[tuple[str, str]]:
    """Return each expression with the phrase that its error must contain ("" for one that has a value)."""
    lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
    pairs = [line.partition(SEPARATOR)[::2] for line in lines if line and not line.startswith("#")]
    return [(expression.strip(), phrase.strip()) for expression, phrase in pairs]


def answers(name: str) -> Path:
    """Return the file with TensorFlow's answers to the cases, or programs, of that name."""
    return ANSWERS / f"{name}.json"


def words(tf: Any) -> dict[str, Any]:
    """Return the names that an expression may use."""
    c = tf.constant

    def grad(function: Any, *values: Any, **options: Any) -> Any:
        """Return the gradients of ``function`` at ``values``."""
        xs = [c(value) for value in values]
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = function(*xs)
        return tape.gradient(y, xs, **options)

    def grad2(function: Any, *values: Any) -> Any:
        """Return the gradients of the sum of the gradients of ``function`` at ``values``."""
        return grad(lambda *xs: sum(tf.reduce_sum(g) for g in _inner(tf, function, xs) if g is not None), *values)

    return {
        "tf": tf, "np": np, "c": c, "v": tf.Variable, "grad": grad, "grad2": grad2, "inf": float("inf"),
        "nan": float("nan"), "x3": c([1.0, 2.0, 3.0]), "i3": c([1, 2, 3]), "b2": c([True, False]),
        "m": c([[1.0, 2.0], [3.0, 4.0]]), "t": tf.reshape(tf.range(24.0), [2, 3, 4]),
    }  # fmt: skip


def _inner(tf: Any, function: Any, xs: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = function(*xs)
    return tape.gradient(y, xs)


def plain(result: Any) -> Any:
    """Return a result as JSON can hold it: tensors as dtype, shape and elements."""
    if result is None or isinstance(result, (bool, int, float, str)):
        return result
    if isinstance(result, (list, tuple)):
        return [plain(item) for item in result]
    if hasattr(result, "dense_shape"):  # TensorFlow's sparse gradients: what they mean
        dense = np.zeros(result.dense_shape.numpy(), result.values.dtype.as_numpy_dtype)
        np.add.at(dense, result.indices.numpy(), result.values.numpy())
        return plain(dense) | {"dtype": result.values.dtype.name}
    if hasattr(result, "numpy"):
        value = np.asarray(result.numpy())
        name = result.dtype.name
    elif isinstance(result, (np.ndarray, np.generic)):
        value, name = np.asarray(result), f"numpy {result.dtype.name}"
    else:
        return str(result)
    if value.dtype.kind == "c":
        value = np.stack([value.real, value.imag], -1)
    data = [item.decode() if isinstance(item, bytes) else item for item in value.ravel().tolist()]
    return {"dtype": name, "shape": list(value.shape), "data": data}
