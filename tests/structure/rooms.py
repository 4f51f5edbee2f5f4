"""The map of the package: each room, the rooms in it, and what each may import, types included.

A room is a folder of ``tapeviz``, or a module of TensorFlow's names there. In a room stand folders and modules: where
their order says something, each folder is a line of :data:`INNER`, ``*`` stands for all modules without a line of their
own, and ``__init__`` for the room's door. What a line does not name it may not import.

``docs/architecture.md`` describes the rooms in an order that agrees with this: what a room imports stands below it.
"""

from __future__ import annotations

NAMESPACES = frozenset((
    "autodiff", "bitwise", "config", "debugging", "dtypes", "errors", "experimental", "image", "initializers", "linalg",
    "losses", "math", "metrics", "nest", "nn", "ragged", "random", "sets", "signal", "sparse", "strings", "test",
    "version",
))  # fmt: skip
"""TensorFlow's packages and modules that hold names alone."""

ROOMS: dict[str, str] = {
    "process": "",
    "files": "",
    "namespaces": "",
    **dict.fromkeys(NAMESPACES, "namespaces"),
    "native": "files process",
    "backends": "native",
    "engine": "backends",
    "ops": "backends engine files native",
    "graphs": "backends engine native ops process",
    "autograph": "engine graphs namespaces ops",
    "functions": "autograph engine graphs",
    "recording": "files process",
    "analysis": "recording",
    "exports": "analysis files namespaces recording",
    "widgets": "exports recording",
    "recorder": "backends engine functions native ops process recording",
    "tape": "analysis backends engine exports namespaces ops recorder recording widgets",
    "adapters": "engine ops recorder recording tape",
    "io": "engine files namespaces ops",
    "lookup": "namespaces",
    "train": "engine files graphs namespaces ops",
    "summary": "engine files functions graphs io namespaces",
    "data": "autograph backends engine files functions graphs io namespaces ops",
    "saved_model": "engine functions graphs namespaces train",
    "onnx": "engine files functions graphs namespaces ops",
    "keras": (
        "analysis autograph data engine exports files functions graphs math namespaces nn onnx ops saved_model "
        "summary tape train"
    ),
    "optimizers": "engine functions graphs keras namespaces ops",
    "distribute": "data engine files keras namespaces ops recording tape",
    "compat": "backends data engine files graphs keras namespaces ops saved_model summary train",
    "contrib": "compat data engine functions keras namespaces ops summary train",
    "lab": "",
    "magics": "autograph engine exports functions lab ops recording tape",
}
"""Each room, and the other rooms that it may import."""

FRONT = {"compat", "magics", "tape"}
"""Rooms that may import ``tapeviz`` itself: its version, and what it finds on first use."""

INNER: dict[str, dict[str, str]] = {
    "ops": {
        "*": "",
        "array": "*",
        "math": "* array",
        "random": "*",
        "debugging": "*",
        "control": "debugging",
        "nn": "* array collective math random",
        "linalg": "* array math",
        "signal": "* array math",
        "image": "* array math nn random",
        "sparse": "array math",
        "state": "array math",
        "strings": "* array control",
        "files": "* image",
        "collective": "",
    },
    "graphs": {
        "ir": "",
        "passes": "ir",
        "native": "",
        "lowering": "ir native passes",
        "memory": "ir lowering passes",
        "run": "ir lowering memory native passes",
        "control": "ir passes run",
    },
    "autograph": {
        "*": "",
        "converters": "*",
        "conversion": "* converters",
        "operators": "* conversion",
        "api": "conversion",
        "__init__": "",
    },
    "recording": {"*": "", "rows": "*"},
    "analysis": {
        "*": "",
        "differences": "*",
        "query": "*",
        "why": "*",
        "health": "*",
        "coverage": "* health",
        "nonfinite": "* coverage health",
        "verdicts": "* coverage health nonfinite why",
    },
    "exports": {
        "*": "",
        "figures": "*",
        "summary_html": "* figures",
        "html": "* summary_html",
        "diff_page": "* html",
    },
    "keras": {
        "*": "",
        "backend": "",
        "preprocessing": "layers training",
        "datasets": "",
        "activations": "*",
        "constraints": "*",
        "regularizers": "*",
        "initializers": "*",
        "losses": "*",
        "metrics": "* losses",
        "optimizers": "* initializers",
        "layers": "* activations constraints initializers metrics regularizers",
        "callbacks": "",
        "training": "* callbacks losses metrics optimizers",
        "saving": "*",
        "models": "* layers saving training",
    },
    "keras/optimizers": {"*": "schedules", "schedules": ""},
    "compat": {"v1": "", "*": "", "tensorflow_alias": "v1", "test_case": "v1"},
    "compat/v1": {
        "graph": "",
        "*": "graph",
        "__init__": "*",
        "session": "graph",
        "variables": "graph",
        "cluster": "graph variables",
        "data": "graph",
        "losses": "graph",
        "metrics": "graph losses variables",
        "layers": "* graph variables",
        "summary": "graph",
        "train": "graph session variables",
    },
    "contrib": {"*": "", "summary": "*", "eager": "summary"},
}
"""Rooms in which several stand, and of those in them the others that each may import."""


def below(room: str) -> set[str]:
    """Return the rooms that one imports, and those that these import."""
    others = set(ROOMS[room].split())
    return others.union(*map(below, others))
