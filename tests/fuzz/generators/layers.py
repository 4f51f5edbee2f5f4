"""Layers of Keras as the tests of layers call them, in training and not, one after another."""

from __future__ import annotations

import re
from functools import cache

from tests.fuzz.generators.builder import Builder
from tests.keras.layers.cases import NAMES, Case, cases

_LAYER = re.compile(r"(?<![\w.])([A-Z]\w+)\(")
_RANDOM = ("Dropout", "Noise", "Random")


@cache
def _cases() -> list[Case]:
    return [case for case in cases() if not any(word in case.layer for word in _RANDOM)]


@cache
def layer_words() -> frozenset[str]:
    """Return the names of all layers in the table."""
    return frozenset(name for case in _cases() for name in _LAYER.findall(case.layer))


def _spelled(text: str) -> str:
    return _LAYER.sub(lambda found: f"tf.keras.layers.{found[1]}(", text)


def call_layer(build: Builder) -> None:
    """Add a layer and a call of it."""
    case = build.rng.choice(_cases())
    names = [_given(build, spec) for spec in case.inputs]
    words = dict(zip(NAMES, names, strict=False))
    call = re.sub(r"\b[xyz]\b", lambda found: words[found[0]], case.call)
    wanted = {name: build.values[name] for name in names}
    forms = {name: f"tensor(0, {[int(n) for n in v.shape]}, {v.dtype.name!r}, 'index')" for name, v in wanted.items()}
    shown = re.sub(r"\by?[xys]\d+\b", lambda found: forms.get(found[0], found[0]), call)
    name = build.made(
        "layer", f"built({_spelled(case.layer)}, lambda layer: {shown}, {build.rng.randrange(1000)})", thing=True
    )
    if name is not None:
        build.let(re.sub(r"\blayer\b", name, call))


def _given(build: Builder, spec: str) -> str:
    sort, _, shape = spec.rpartition(":")
    sizes = list(map(int, shape.split()))
    if sort == "mask":
        return build.input(sizes, "bool")
    if sort:
        return build.input(sizes, "int32", "index")
    return build.tensor_of(sizes, "float32", "usual")
