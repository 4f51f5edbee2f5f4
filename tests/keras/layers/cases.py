"""The table of layers that are compared with Keras: one line of ``cases/<family>.txt`` each.

A line is ``layer | shapes of the inputs | call``. Inputs are called x, y, z; ``5: 2 3`` means integers below 5,
``mask: 2 3`` truth values of which the first of each row is true. Without a call it is ``layer(x)``.
"""

from __future__ import annotations

import math
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).parent
NAMES = "xyz"


class Case(NamedTuple):
    """A layer, the shapes of what it gets, and how it is called."""

    family: str
    layer: str
    inputs: tuple[str, ...]
    call: str

    def __str__(self) -> str:
        return f"{self.layer} | {', '.join(self.inputs)} | {self.call}"

    @property
    def kind(self) -> str:
        """The name of the layer's class."""
        return self.layer.partition("(")[0]

    def numbers(self) -> np.random.RandomState:
        """Random numbers that are this case's own and never change."""
        return np.random.RandomState(zlib.crc32(str(self).encode()))

    def drawn(self) -> list[np.ndarray]:
        """The inputs."""
        random = self.numbers()
        return [_input(random, *spec.rpartition(":")[::2]) for spec in self.inputs]


def _input(random: np.random.RandomState, sort: str, shape: str) -> np.ndarray:
    sizes = tuple(map(int, shape.split()))
    if sort == "mask":
        mask = random.standard_normal(sizes) > 0
        mask[..., 0] = True
        return mask
    return random.randint(0, int(sort), sizes).astype(np.int32) if sort else random.standard_normal(sizes)


def weights(case: Case, named: list[tuple[str, tuple[int, ...]]]) -> list[np.ndarray]:
    """Values for the weights of these names and shapes; variances are positive."""
    random = case.numbers()
    random.standard_normal(100)
    values = [random.standard_normal(shape) / 2 for _, shape in named]
    return [
        np.abs(value) + 0.5 if "variance" in name else value for (name, _), value in zip(named, values, strict=True)
    ]


def upstream(shape: tuple[int, ...]) -> np.ndarray:
    """What the elements of an output are multiplied with before they are added up."""
    return np.cos(np.arange(1, math.prod(shape) + 1) * 0.7).reshape(shape)


def cases() -> list[Case]:
    """All lines of all families."""
    found = []
    for file in sorted((HERE / "cases").glob("*.txt")):
        for line in file.read_text().splitlines():
            if line and not line.startswith("#"):
                layer, shapes, *call = (part.strip() for part in line.split(" | "))
                inputs = tuple(part.strip() for part in shapes.split(","))
                found.append(Case(file.stem, layer, inputs, call[0] if call else "layer(x)"))
    return found


def words(layers: Any, dtype: str) -> dict[str, Any]:
    """What the expressions may say: every layer class, made with this dtype."""

    def made(cls: Any) -> Any:
        return lambda *args, **kwargs: cls(*args, **{"dtype": dtype, **kwargs})

    return {name: made(getattr(layers, name)) for name in dir(layers) if name[0].isupper()}
