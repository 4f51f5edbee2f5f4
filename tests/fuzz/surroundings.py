"""Programs inside of something else: a session, a saved model, a data pipeline, several devices, a saved recording."""

from __future__ import annotations

import contextlib
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import tapeviz as tf
from tests.fuzz.comparison import Outcome, arrays, error_of, outcome_of
from tests.fuzz.programs import Program, Statement

__all__ = ["in_pipeline", "in_session", "recording_differs", "restored", "saved", "spread"]

v1 = tf.compat.v1


# Sessions.


def in_session(load: Callable[[Program], Any], program: Program, calls: int, *, every_size: bool) -> list[Outcome]:
    """What a session gives for the program as a graph with placeholders.

    What a tape is around, and changes nothing, is without it for every second ten of seeds: then the gradients are
    those of ``tf.gradients``.

    Args:
        load: gives a program's names, made where it is called.
        program: the program.
        calls: how often to run it.
        every_size: whether all sizes of the placeholders are open; else the first of each is.
    """
    without = program.around == "tape" and not program.objects and program.seed // 10 % 2 == 0
    built = program._replace(around="") if without else program
    fed = load(program)  # eagerly: the numbers to feed
    given = [arrays(fed.arguments(call)) for call in range(calls)]
    specs = [tf.TensorSpec.from_tensor(x) for x in fed.arguments(0)]
    begin = arrays(fed.state())
    graph = tf.Graph()
    session = v1.Session(graph=graph, config=v1.ConfigProto(allow_soft_placement=True))
    with graph.as_default(), session.as_default():
        try:
            loaded = load(built)
            inputs = [v1.placeholder(spec.dtype, _opened(spec.shape, every_size)) for spec in specs]
            results = _built(loaded, built, inputs)
            if without:
                results = (*results, _gradients(program, results, inputs))
            found = [leaf for leaf in tf.nest.flatten(results) if leaf is not None]
            found = [tf.convert_to_tensor(leaf) for leaf in found]
            state = loaded.state()
            session.run(v1.global_variables_initializer())
            for variable, value in zip(loaded.variables(), begin, strict=True):
                variable.load(value, session)
        except Exception as error:  # noqa: BLE001 - an error is an answer
            return [error_of(error)] * calls
    return [
        outcome_of(
            lambda: session.run(found, dict(zip(inputs, row, strict=True))),  # noqa: B023 - called at once
            lambda: session.run(state),
        )
        for row in given
    ]


def _opened(shape: Any, every_size: bool) -> list[int | None]:
    return [None if place == 0 or every_size else size for place, size in enumerate(shape)]


def _built(loaded: Any, program: Program, inputs: list[Any]) -> Any:
    """The results as tensors of the graph: by the function itself where nothing has to be run for its effect."""
    blocks = any(statement.body for statement in program.statements)
    # In a graph of a session == asks whether two tensors are the same one; in functions it compares.
    equal = any(sign in line for statement in program.statements for line in statement.lines() for sign in ("==", "!="))
    if program.objects or not program.statements or equal:
        return tf.function(loaded.program)(*inputs)
    return tf.autograph.to_graph(loaded.program)(*inputs) if blocks or program.around else loaded.program(*inputs)


def _gradients(program: Program, results: Any, inputs: list[Any]) -> Any:
    named = {item.name: tensor for item, tensor in zip(program.inputs, inputs, strict=True)}
    aims = [result for result in results if result.dtype.is_floating or result.dtype.is_complex]
    sources = [named[name] for name in program.sources]
    if not aims:
        return [tf.zeros_like(source) for source in sources]
    return tf.gradients(aims, sources, unconnected_gradients="zero")


# Saved models and checkpoints.


def saved(load: Callable[[], Any], calls: int) -> list[Outcome]:
    """What a function gives that is saved after its first call with its variables, and loaded for those after it."""
    loaded = load()
    module = tf.Module()
    module.run, module.kept = tf.function(loaded.program), loaded.variables()
    first = loaded.calls(module.run, 1)
    if first[0].error:
        return first * calls
    with tempfile.TemporaryDirectory() as folder:
        try:
            for call in range(1, calls):  # sizes may differ; what fails, fails when it is called, too
                with contextlib.suppress(Exception):
                    module.run.get_concrete_function(*loaded.arguments(call))
            tf.saved_model.save(module, folder)
            module = tf.saved_model.load(folder)
        except Exception as error:  # noqa: BLE001 - an error is an answer
            return [*first, *[error_of(error)] * (calls - 1)]
        rest = [
            outcome_of(
                lambda: module.run(*loaded.arguments(call)),  # noqa: B023 - called at once
                lambda: [variable.read_value() for variable in module.kept],
            )
            for call in range(1, calls)
        ]
    return first + rest


def restored(load: Callable[[], Any], calls: int) -> list[Outcome]:
    """What a function gives after a checkpoint of the program's objects was read into new ones."""
    loaded = load()
    first = loaded.calls(tf.function(loaded.program), 1)
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(all=loaded.kept()).write(f"{folder}/one")
        loaded = load()
        for variable in loaded.variables():
            variable.assign(tf.zeros_like(variable))
        tf.train.Checkpoint(all=loaded.kept()).read(path).assert_consumed()
    return first + loaded.calls(tf.function(loaded.program), calls, first=1)


# Data.


def in_pipeline(load: Callable[[], Any], calls: int, rng: random.Random, *, graph: bool) -> list[Outcome]:
    """What a dataset gives whose elements are the arguments of the calls, mapped by the program.

    Args:
        load: gives the program's names.
        calls: how many elements.
        rng: decides which steps the dataset has besides.
        graph: whether a function iterates over it.
    """
    loaded = load()

    def flat(*given: Any) -> Any:
        return tuple(leaf for leaf in tf.nest.flatten(loaded.program(*given)) if leaf is not None)

    try:
        dataset = _steps(_rows(loaded, calls, rng), flat, rng)
    except Exception as error:  # noqa: BLE001 - an error is an answer
        return [error_of(error)] * calls
    rows = tf.function(lambda: _taken(dataset, calls)) if graph else None
    if rows is not None:
        whole = outcome_of(rows, list)
        return [whole] * calls if whole.error else _cut(whole, calls)
    iterator = iter(dataset)
    found = []
    for _ in range(calls):
        found.append(outcome_of(lambda: next(iterator), loaded.state))
        if found[-1].error:
            return found + found[-1:] * (calls - len(found))
    return found


def _rows(loaded: Any, calls: int, rng: random.Random) -> Any:
    """The arguments of the calls as a dataset: a slice of an array each, or a dataset of one element each."""
    given = [tuple(loaded.arguments(call)) for call in range(calls)]
    if not given[0]:
        return tf.data.Dataset.range(calls)
    if rng.random() < 0.5:
        return tf.data.Dataset.from_tensor_slices(tuple(tf.stack(column) for column in zip(*given, strict=True)))
    dataset = tf.data.Dataset.from_tensors(given[0])
    for row in given[1:]:
        dataset = dataset.concatenate(tf.data.Dataset.from_tensors(row))
    return dataset


def _steps(dataset: Any, function: Callable[..., Any], rng: random.Random) -> Any:
    parallel = rng.choice([None, None, 2, tf.data.AUTOTUNE])
    empty = dataset.element_spec == tf.TensorSpec([], tf.int64)
    dataset = dataset.map((lambda _: function()) if empty else function, num_parallel_calls=parallel)
    shapes = [spec.shape for spec in tf.nest.flatten(dataset.element_spec)]
    if rng.random() < 0.4 and shapes and all(shape.is_fully_defined() for shape in shapes):
        dataset = dataset.batch(rng.choice([2, 3])).unbatch()
    if rng.random() < 0.3:
        dataset = dataset.cache()
    return dataset.prefetch(rng.choice([1, tf.data.AUTOTUNE])) if rng.random() < 0.4 else dataset


def _taken(dataset: Any, calls: int) -> list[Any]:
    iterator = iter(dataset)
    return [next(iterator) for _ in range(calls)]


def _cut(whole: Outcome, calls: int) -> list[Outcome]:
    size = len(whole.values) // calls
    return [Outcome(whole.values[size * call : size * (call + 1)]) for call in range(calls)]


# Devices.


def spread(program: Program) -> str:
    """Return the program's text with its objects, arguments and statements on the host or on the GPU, by chance."""
    if not program.statements:  # from a file, which says itself what is where
        return program.source()
    rng = random.Random(program.seed)

    def chosen(text: str) -> str:
        return f"on({rng.choice(['CPU:0', 'GPU:0'])!r}, lambda: {text})"

    placed = program._replace(
        objects=tuple(item if item.name == "_" else item._replace(code=chosen(item.code)) for item in program.objects),
        inputs=tuple(item._replace(code=chosen(item.code)) for item in program.inputs),
        statements=tuple(_placed(program.statements, rng)),
    )
    return placed.source().replace("import built, sample, tensor", "import built, on, sample, tensor")


def _placed(statements: tuple[Statement, ...], rng: random.Random) -> Iterator[Statement]:
    """Yield the statements, some in blocks of a device; one with others inside as it is, or those as well."""
    for statement in statements:
        inner = statement
        if statement.body and rng.random() < 0.5 and statement.text.startswith("if"):
            inner = statement._replace(body=tuple(_placed(statement.body, rng)))
        draw = rng.random()
        if draw < 0.7 and inner.text != "break":
            inner = Statement(f"with tf.device({'CPU:0' if draw < 0.35 else 'GPU:0'!r}):", (inner,))
        yield inner


# Recordings.


def recording_differs(tape: Any) -> str:
    """Return how a recording that was saved and opened again differs from what it was, or ""."""
    with tempfile.TemporaryDirectory() as folder:
        opened = tf.load(tape.save(Path(folder) / "one.tape"))
    kept = tape._judged
    for table in kept.tables:
        one, other = kept.table(table), opened.recording.table(table)
        for column in one.columns:
            told = _cells_differ(getattr(one, column), getattr(other, column))
            if told:
                return f"{table}.{column}: {told}"
    if str(tape.verdicts()) != str(opened.verdicts()):
        return f"verdicts: {opened.verdicts()} instead of {tape.verdicts()}"
    return "" if str(tape) == str(opened) else "the summary in words"


def _cells_differ(one: Any, other: Any) -> str:
    if len(one) != len(other):
        return f"{len(other)} rows instead of {len(one)}"
    if isinstance(one, np.ndarray):
        same = one.dtype == other.dtype and one.tobytes() == other.tobytes()
    else:
        same = list(one) == list(other)
    return "" if same else f"{list(other)[:5]} instead of {list(one)[:5]}"
