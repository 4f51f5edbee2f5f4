"""A layer imports only what is below it, nothing imports in a circle, and no import hides in a function."""

from graphlib import CycleError, TopologicalSorter

import pytest

from tests.structure.sources import imports, lazy_packages, modules, outside, own

PROGRAM = {"backends", "engine", "ops"}
TRAINED = PROGRAM | {"autograph", "functions", "graphs", "namespaces"}
SEEN = {"recording", "analysis", "exports"}
NAMESPACES = {
    "autodiff", "bitwise", "config", "debugging", "dtypes", "errors", "experimental", "image", "initializers", "linalg",
    "losses", "math", "metrics", "nest", "nn", "random", "signal", "test",
}  # fmt: skip

# Each part of the package, and the other parts that it may import. A new part is a new line here.
BELOW = {
    "process": set(),
    "files": set(),
    "recording": {"files", "process"},
    "backends": set(),
    "engine": {"backends"},
    "ops": {"backends", "engine", "files"},
    "namespaces": set(),
    **{name: {"namespaces"} for name in NAMESPACES},
    "data": {"files", "autograph", "backends", "engine", "functions", "graphs", "io", "namespaces", "ops"},
    "train": {"files", "backends", "engine", "functions", "graphs", "namespaces", "ops"},
    "summary": {"files", "backends", "engine", "functions", "graphs", "io", "namespaces", "ops"},
    "io": {"files", "engine", "namespaces"},
    "keras": TRAINED
    | {"data", "files", "math", "nn", "onnx", "recording", "saved_model", "summary", "tape", "train", "widgets"},
    "onnx": {"files", "engine", "functions", "graphs", "namespaces", "ops", "train"},
    "saved_model": {"backends", "engine", "functions", "graphs", "namespaces", "ops", "train"},
    "optimizers": TRAINED | {"keras"},
    "compat": PROGRAM | {"", "data", "functions", "graphs", "io", "keras", "namespaces", "summary", "train"},
    "contrib": {"backends", "compat", "data", "engine", "functions", "graphs", "keras", "namespaces", "ops", "train"},
    "graphs": {"backends", "engine", "ops", "process"},
    "autograph": {"engine", "graphs", "ops"},
    "functions": {"autograph", "backends", "engine", "graphs", "ops"},
    "analysis": {"recording"},
    "exports": {"analysis", "files", "namespaces", "recording"},
    "widgets": {"analysis", "exports", "recording"},
    "lab": set(),
    "recorder": PROGRAM | {"functions", "graphs", "process", "recording"},
    "tape": PROGRAM | SEEN | {"", "process", "recorder", "widgets"},
    "magics": PROGRAM | SEEN | {"", "autograph", "functions", "lab", "recorder", "tape", "widgets"},
}

# Each room of graphs/, and the other rooms that it may import.
GRAPHS = {
    "ir": set(),
    "passes": {"ir"},
    "native": set(),
    "lowering": {"ir", "native", "passes"},
    "memory": {"ir", "lowering", "passes"},
    "run": {"ir", "lowering", "memory", "native", "passes"},
    "control": {"ir", "run"},
}

# Parts that import from outside only these, besides the standard library, and what a function may ask for when called.
LEAN: dict[str, set[str]] = {
    "files": set(),
    "recording": {"numpy"},
    "backends": {"numpy"},
    "engine": {"ml_dtypes", "numpy"},
    "ops": {"numpy"},
    "analysis": {"numpy"},
}
OPTIONAL = {"cupy", "cupyx", "pandas", "scipy"}


def part(module: str) -> str:
    """Return the part of the package that a module belongs to; "" for the package's own ``__init__``."""
    return [*module.split("."), ""][1]


def test_each_part_has_its_place():
    assert {part(name) for name in modules()} - {""} <= BELOW.keys()


def test_a_part_imports_only_what_is_below_it():
    above = [
        str(found)
        for found in imports()
        if own(found.imported) and part(found.importer)
        if part(found.imported) not in BELOW.get(part(found.importer), set()) | {part(found.importer)}
    ]
    assert above == []


def test_a_room_of_graphs_imports_only_what_is_below_it():
    """Imports for types alone included."""
    rooms = [
        (importer[2], imported[2], str(found))
        for found in imports()
        for importer, imported in [(found.importer.split("."), found.imported.split("."))]
        if importer[1:2] == imported[1:2] == ["graphs"] and len(importer) > 2 and len(imported) > 2
    ]
    assert {room for room, _, _ in rooms} == GRAPHS.keys()
    assert [found for room, other, found in rooms if other not in GRAPHS[room] | {room}] == []


@pytest.mark.parametrize("name", LEAN)
def test_a_lean_part_needs_little(name):
    extra = [
        str(found)
        for found in imports()
        if part(found.importer) == name
        if outside(found.imported) not in {None, *LEAN[name], *(OPTIONAL if found.function else ())}
    ]
    assert extra == []


def test_no_import_goes_in_a_circle():
    graph: dict[str, set[str]] = {name: set() for name in modules()}
    for found in imports():
        counts = not found.typing_only or part(found.importer) == "graphs"
        if own(found.imported) and found.function is None and counts:
            graph[found.importer].add(found.imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(reversed(error.args[1])))


def test_no_own_import_hides_in_a_function():
    hidden = [
        str(found)
        for found in imports()
        if own(found.imported) and found.function is not None and found.importer not in lazy_packages()
    ]
    assert hidden == []
