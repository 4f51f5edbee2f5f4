"""What is compared with Keras, as rows of a table: each class, how often, and the largest difference found.

``tools/training_page.py`` makes docs/layers.md of it. A section is a function that gives its rows; a new one is a line
in ``SECTIONS``.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

import tapeviz as tf
from tests.keras.layers.agreement import WAYS, answer, differences
from tests.keras.layers.answers import DTYPES, Answer, answers
from tests.keras.layers.cases import Case, cases
from tests.keras.losses import test_agreement as losses
from tests.keras.losses.cases import cases as loss_cases
from tests.keras.metrics import test_agreement as metrics
from tests.keras.metrics.cases import batches, words
from tests.keras.metrics.cases import cases as metric_cases
from tests.keras.optimizers import steps
from tests.keras.optimizers.test_reference import WANTED

Differences = dict[str, float]


class Row(NamedTuple):
    """A class, what it is, what of it is compared in how many cases, and how to find the largest difference."""

    name: str
    what: str
    weights: str
    compared: str
    cases: int
    measure: Callable[[], Differences]


class Section(NamedTuple):
    """A part of the page."""

    title: str
    text: str
    rows: Callable[[], list[Row]]


def _said(module: Any, name: str) -> str:
    """The first sentence about a class."""
    return " ".join((inspect.getdoc(getattr(module, name)) or "").partition("\n\n")[0].split())


def _largest(found: Iterable[tuple[str, float]]) -> Differences:
    largest = dict.fromkeys(DTYPES, 0.0)
    for dtype, size in found:
        largest[dtype] = max(largest[dtype], size)
    return largest


def _apart(found: Any, wanted: Any) -> float:
    """The largest difference, relative to the largest number wanted (or to 0.1 where all are smaller)."""
    found, wanted = np.asarray(found, float), np.asarray(wanted, float)
    return float(np.max(np.abs(found - wanted), initial=0.0)) / max(float(np.max(np.abs(wanted), initial=0.0)), 0.1)


# Layers.

_PARTS = {"outputs": "outputs", "by_inputs": "∂ inputs", "by_weights": "∂ weights", "after": "what a call changes"}


def layer_rows() -> list[Row]:
    """Each layer of the table in ``layers/cases``."""
    by_kind: dict[str, list[Case]] = defaultdict(list)
    for case in cases():
        by_kind[case.kind].append(case)
    return [_layer_row(kind, by_kind[kind]) for kind in sorted(by_kind)]


def _layer_row(kind: str, found: list[Case]) -> Row:
    stored = [answers(case.family)[str(case)] for case in found]
    names = max((facts["weights"] for facts, _ in stored), key=len)  # the first that has all
    weights = "<br>".join(f"`{name}` {tuple(shape)}" for name, shape in names)
    whole = [of_dtypes["float64"] for _, of_dtypes in stored]
    parts = [word for part, word in _PARTS.items() if any(getattr(one, part) for one in whole)]
    parts += ["losses"] if any(one.penalty for one in whole) else []
    return Row(kind, _said(tf.keras.layers, kind), weights, " · ".join(parts), len(found),
               lambda: _largest(_layer_differences(found)))  # fmt: skip


def _layer_differences(found: list[Case]) -> Iterable[tuple[str, float]]:
    for case in found:
        for dtype, wanted in answers(case.family)[str(case)][1].items():
            for way in WAYS:
                ours: Answer = answer(case, dtype, way)
                yield dtype, max(differences(ours, wanted).values())


# Losses, metrics, optimizers.


def _by_class(module: Any, expressions: list[str]) -> dict[str, list[int]]:
    """The places of the expressions with each public class of a module."""
    named: dict[str, list[int]] = defaultdict(list)
    for place, expression in enumerate(expressions):
        name = expression.partition("(")[0]
        if inspect.isclass(getattr(module, name, None)):
            named[name].append(place)
    return dict(sorted(named.items()))


def loss_rows() -> list[Row]:
    """Each class of losses."""
    table = loss_cases()

    def measured(places: list[int]) -> Iterable[tuple[str, float]]:
        for inputs, expression in (table[place] for place in places):
            for dtype in DTYPES:
                stored = losses.ANSWERS[f"{inputs}: {expression}"][dtype]
                for way in (losses.eager, losses.graph):
                    for found, part in zip(losses.ours(inputs, expression, dtype, way), ("value", "gradient"),
                                           strict=True):  # fmt: skip
                        yield dtype, _apart(found.numpy().ravel(), stored[part][:-1])

    return [
        Row(name, _said(tf.keras.losses, name), "", "values · ∂ predictions", len(places),
            lambda places=places: _largest(measured(places)))
        for name, places in _by_class(tf.keras.losses, [expression for _, expression in table]).items()
    ]  # fmt: skip


def metric_rows() -> list[Row]:
    """Each class of metrics."""
    table = metric_cases()

    def measured(places: list[int]) -> Iterable[tuple[str, float]]:
        for inputs, expression, weighted in (table[place] for place in places):
            for dtype in DTYPES:
                metric = eval(expression, {**words(tf.keras.metrics, dtype), "huber": tf.keras.losses.huber})
                stored = metrics.ANSWERS[f"{inputs}: {expression}{' weighted' * weighted}"][dtype]
                for batch, wanted in zip(batches(inputs, dtype, weighted=weighted), stored, strict=True):
                    given = {name: tf.constant(array) for name, array in batch.items()}
                    yield dtype, _apart(metric(**given).numpy(), wanted)

    return [
        Row(name, _said(tf.keras.metrics, name), "", "after each of 3 batches", len(places),
            lambda places=places: _largest(measured(places)))
        for name, places in _by_class(tf.keras.metrics, [expression for _, expression, _ in table]).items()
    ]  # fmt: skip


def optimizer_rows() -> list[Row]:
    """Each class of optimizers."""
    named: dict[str, list[str]] = defaultdict(list)
    for title, (kind, _) in steps.CASES.items():
        named[kind].append(title)

    def measured(titles: list[str]) -> Iterable[tuple[str, float]]:
        for title in titles:
            for dtype in steps.DTYPES:
                for wrap in (lambda function: function, tf.function):
                    yield dtype, _apart(steps.run(tf, title, dtype, wrap), WANTED[f"{title}/{dtype}"])

    return [
        Row(kind, _said(tf.keras.optimizers, kind), "", f"variables over {steps.STEPS} steps", len(titles),
            lambda titles=titles: _largest(measured(titles)))
        for kind, titles in sorted(named.items())
    ]  # fmt: skip


SECTIONS = (
    Section(
        "Layers", "Each with its weights in the order of Keras (the shapes are those of one configuration), called "
        "eagerly, inside a `tf.function`, and as a functional model.", layer_rows,
    ),
    Section("Losses", "Eagerly and inside a `tf.function`.", loss_rows),
    Section("Metrics", "Eagerly; the tests do it inside a `tf.function` too.", metric_rows),
    Section("Optimizers", "Ten steps, eagerly and inside a `tf.function`.", optimizer_rows),
)  # fmt: skip
