"""Recordings for tests: a small one with a bit of everything, and a long chain like real use in its proportions."""

import numpy as np

from tapeviz.recording import Builder
from tapeviz.recording.schema import SCHEMA, SOURCES, Column
from tests.recording.op_facts import declared

VARIABLES = 100


def small(frames: int = 3) -> Builder:
    """Return a builder with a few rows in many tables, in several frames."""
    builder = Builder()
    builder.append("devices", name="CPU:0")
    builder.append("variables", id=0, name="w:0", trainable=1, site=0)
    builder.append("ops", name="matmul", family="linalg", formula="$AB$", differentiable="*", **declared("matmul"))
    for frame in range(frames):
        events = np.arange(4) + 4 * frame
        builder.extend("events", {"id": events, "t0": 1e9 * events + 7, "dur": events + 0.0, "kind": [0, 1, 0, 0]})
        builder.extend("edges", {"event": events, "tensor": events[::-1], "role": 1})
        builder.extend("names", {"tensor": events, "name": ["w", "Größe", "", "a\0b"], "t": 5})
        stats = {"tensor": frame, "min": 0.1, "max": np.nan, "mean": -0.0, "norm": np.inf, "histogram": b"\0" * 128}
        builder.append("stats", **stats)
        builder.append("values", tensor=frame, length=3, data=b"\xff\xfe\0")
        builder.append("sites", file="cell", line=frame + 1, text="y = w @ x  # 🌊")
        builder.meta("frame", frame)
        builder.flush()
    return builder


def cells(column: Column, rows: int, rng: np.random.Generator) -> object:
    """Return random cells of a column's type, over its whole range."""
    if column.type == "text":
        return [chr(rng.integers(32, 0x2FF)) * int(rng.integers(0, 5)) for _ in range(rows)]
    if column.type == "bytes":
        return [rng.bytes(int(rng.integers(0, 9))) for _ in range(rows)]
    if column.type == "f8":
        return rng.choice([rng.integers(-(2**53), 2**53, rows).astype(float), rng.normal(size=rows)])
    limits = {"u1": (0, 2**8), "u2": (0, 2**16), "i4": (-(2**31), 2**31)}[column.type]
    return rng.integers(*limits, rows)


def everything(seed: int = 0, frames: int = 2) -> Builder:
    """Return a builder with random rows in each column of each table."""
    rng = np.random.default_rng(seed)
    builder = Builder()
    for _ in range(frames):
        for table in SCHEMA.values():
            rows = int(rng.integers(1, 40))
            builder.extend(table.name, {column.name: cells(column, rows, rng) for column in table.columns})
        builder.flush()
    return builder


def chain(ops: int = 50_000) -> dict[str, dict[str, np.ndarray]]:
    """Return the tables of a chain of binary ops on variables, sums and products in turn, and its backward pass."""
    rng = np.random.default_rng(0)
    order = np.arange(ops)
    multiplies = order % 2 == 1
    variable = rng.integers(0, VARIABLES, ops)
    output = VARIABLES + order
    before = np.concatenate([[VARIABLES - 1], output[:-1]])
    # Backward in the opposite order: a product's step makes two tensors, a sum's step passes its gradient on.
    made = np.where(multiplies[::-1], 2, 0)
    seed = VARIABLES + ops
    left = seed + np.concatenate([[0], np.cumsum(made)])[1:] - np.where(made, 1, 0)
    incoming = np.concatenate([[seed], left[:-1]])
    right = np.where(made, left + 1, left)
    tensors = seed + 2 + int(made.sum())
    forward, backward = _events(ops, rng)
    producer = np.full(tensors, -1)
    producer[output] = order
    producer[left[made > 0]] = producer[right[made > 0]] = ops + order[made > 0]
    return {
        "events": {name: np.concatenate([forward[name], backward[name]]) for name in forward},
        "edges": {
            "event": np.repeat(np.arange(2 * ops), 3),
            "tensor": np.concatenate([_rows(before, variable, output), _rows(incoming, left, right)]),
            "role": np.concatenate([np.tile([0, 0, 1], ops), np.tile([0, 1, 1], ops)]),
            "slot": np.concatenate([np.tile([0, 1, 0], ops), np.tile([0, 0, 1], ops)]),
        },
        "tensors": _tensors(tensors, producer, seed),
        "gradients": {
            "backward": np.repeat(ops + order, 2),
            "tensor": _rows(before[::-1], variable[::-1]),
            "gradient": _rows(left, right),
            "addend": _rows(left, right),
        },
        "releases": {
            "tensor": np.arange(VARIABLES, tensors)[::-1],
            "t": backward["t0"][0] + np.cumsum(np.round(rng.lognormal(7, 0.5, tensors - VARIABLES))),
        },
    }


def _rows(*columns: np.ndarray) -> np.ndarray:
    return np.stack(columns, axis=1).ravel()


def _events(ops: int, rng: np.random.Generator) -> list[dict[str, np.ndarray]]:
    order = np.arange(ops)
    durations = np.round(rng.lognormal(6.5, 0.5, 2 * ops))
    starts = np.cumsum(durations + np.round(rng.lognormal(7.5, 0.5, 2 * ops)))
    return [
        {
            "id": ops * phase + order,
            "parent": np.full(ops, 2 * ops if phase else -1),
            "kind": np.zeros(ops, np.uint8),
            "op": (order + phase) % 2,
            "phase": np.full(ops, phase),
            "origin": order[::-1] if phase else np.full(ops, -1),
            "device": np.zeros(ops, np.uint8),
            "thread": np.zeros(ops, np.uint8),
            "t0": starts[ops * phase : ops * (phase + 1)],
            "dur": durations[ops * phase : ops * (phase + 1)],
            "status": np.zeros(ops, np.uint8),
            "site": (order[::-1] if phase else order) % 10,
            "params": np.full(ops, -1),
            "step": np.full(ops, -1),
        }
        for phase in (0, 1)
    ]


def _tensors(count: int, producer: np.ndarray, seed: int) -> dict[str, np.ndarray]:
    number = np.arange(count)
    source = np.zeros(count, np.uint8)
    source[:VARIABLES] = SOURCES.index("variable")
    source[seed:] = SOURCES.index("gradient")
    return {
        "id": number,
        "shape": np.zeros(count),
        "dtype": np.full(count, 2),
        "device": np.zeros(count),
        "nbytes": np.full(count, 8192.0),
        "storage": number,
        "producer": producer,
        "variable": np.where(number < VARIABLES, number, -1),
        "source": source,
    }
