"""A room imports only what the map puts below it, nothing imports in a circle, and no import hides in a function."""

from graphlib import CycleError, TopologicalSorter

import pytest

from tests.structure.rooms import FRONT, INNER, ROOMS
from tests.structure.sources import imports, lazy_packages, modules, outside, own

# Parts that import from outside only these, besides the standard library, and what a function may ask for when called.
LEAN: dict[str, set[str]] = {
    "files": set(),
    "recording": {"numpy"},
    "backends": {"numpy"},
    "engine": {"ml_dtypes", "numpy"},
    "ops": {"numpy"},
    "analysis": {"numpy"},
}
OPTIONAL = {"PIL", "cupy", "cupyx", "pandas", "scipy"}


def part(module: str) -> str:
    """Return the room that a module belongs to; "" for the package's own ``__init__``."""
    return [*module.split("."), ""][1]


def inner(room: str, module: str) -> str:
    """Return the line of the map, among those of a room, that a module in it belongs to."""
    name = [*module.split(".")[room.count("/") + 2 :], "__init__"][0]
    return name if name in INNER[room] else "*"


def within(room: str, module: str) -> bool:
    """Tell whether a module stands in a room."""
    return f"{module}.".startswith(f"tapeviz.{room.replace('/', '.')}.")


def test_each_room_is_on_the_map():
    assert {part(name) for name in modules()} - {""} == ROOMS.keys()
    folders = [name.split(".")[1:] for name, path in modules().items() if path.name == "__init__.py"]
    nested = {("/".join(folder[:-1]), folder[-1]) for folder in folders if len(folder) > 1}
    assert nested <= {(room, name) for room, names in INNER.items() for name in names}


def test_a_room_imports_only_what_is_below_it():
    """Imports for types alone included."""
    above = [
        str(found)
        for found in imports()
        if own(found.imported) and (room := part(found.importer))
        if (other := part(found.imported)) not in {*ROOMS[room].split(), room} and not (other == "" and room in FRONT)
    ]
    assert above == []


@pytest.mark.parametrize("room", INNER)
def test_in_a_room_too(room):
    used = {
        (inner(room, found.importer), inner(room, found.imported)): str(found)
        for found in imports()
        if within(room, found.importer) and within(room, found.imported)
    }
    allowed = {(name, other) for name, others in INNER[room].items() for other in [name, *others.split()]}
    assert [found for pair, found in used.items() if pair not in allowed] == []


def test_the_map_allows_nothing_that_nobody_needs():
    pairs = {(part(found.importer), part(found.imported)) for found in imports() if own(found.imported)}
    allowed = {(room, other) for room, others in ROOMS.items() for other in others.split() if room not in FRONT}
    assert allowed - pairs == set()
    for room, lines in INNER.items():
        inside = [f for f in imports() if within(room, f.importer) and within(room, f.imported)]
        pairs = {(inner(room, found.importer), inner(room, found.imported)) for found in inside}
        assert {(name, other) for name, others in lines.items() for other in others.split()} - pairs == set()


def test_no_circle_is_on_the_map():
    for rooms in (ROOMS, *INNER.values()):
        TopologicalSorter({room: others.split() for room, others in rooms.items()}).prepare()


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
    """Imports for types alone included."""
    graph: dict[str, set[str]] = {name: set() for name in modules()}
    for found in imports():
        if own(found.imported) and found.function is None and found.imported != found.importer:
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
