"""A function fits on a screen, a file is read in one sitting, and a name says what is inside."""

import ast

from tests.structure.sources import ROOT, files, relative

FUNCTION_LINES = 40
FILE_LINES = 800  # with one subject: a class is not cut in two to meet a number

# Keras' own name for it, which programs import.
THEIRS = {"tapeviz/keras/utils.py"}
SAYS_NOTHING = {"util", "utils", "helper", "helpers", "common", "misc"}

# Files are named by nouns. These end like verbs, and are nouns of the field.
NOUNS = {
    "broadcasting", "embedding", "folding", "indexing", "inlining", "padding", "pooling", "probing",
    "recording", "resampling", "rounding", "shrinking", "timing", "tracing", "training",
    "debugging", "logging", "ragged", "threading",  # namespaces of TensorFlow's
    "housing",  # in California, a data set
    "rescaling", "stopping", "time_distributed", "upsampling",  # layers and a callback of Keras'
    "importing",  # what a benchmark measures
    "beginning", "ring",  # no forms of verbs
}  # fmt: skip


def test_functions_fit_on_a_screen():
    long = [
        f"{relative(path)}:{function.lineno} {function.name}: {lines} lines"
        for path in files(".py")
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        if (lines := _body_lines(function)) > FUNCTION_LINES
    ]
    assert long == []


def _body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return how many lines the body has, its docstring left out."""
    body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def test_files_are_read_in_one_sitting():
    counts = {relative(path): _line_count(path) for path in files(".py", ".ts", ".tsx", ".css", ".mjs")}
    assert {name: count for name, count in counts.items() if count > FILE_LINES} == {}


def _line_count(path) -> int:
    """Return how many lines a file has, the docstrings of a Python file left out."""
    lines = path.read_bytes().count(b"\n")
    if path.suffix != ".py":
        return lines
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node
        ):
            lines -= node.body[0].end_lineno - node.body[0].lineno + 1
    return lines


def test_names_say_what_is_inside():
    named = {relative(path) for path in files(".py", ".ts", ".tsx", ".css") if SAYS_NOTHING & _words(path)}
    assert named == THEIRS


def test_files_are_named_by_nouns():
    verbs = [
        relative(path)
        for path in files(".py")
        if path.stem.endswith(("ing", "ed")) and not {path.stem, path.stem.rpartition("_")[2]} & NOUNS
    ]
    assert verbs == []


def test_no_two_files_of_a_room_have_one_name():
    rooms: dict[tuple[str, str], list[str]] = {}
    for path in files(".py"):
        folders = path.relative_to(ROOT).parts[:-1]
        if folders[:1] == ("tapeviz",) and path.stem != "__init__":
            rooms.setdefault((".".join(folders[:2]), path.stem), []).append(relative(path))
    assert [names for names in rooms.values() if len(names) > 1] == []


def test_only_notebooks_and_their_data_are_kept_beside_the_notebooks():
    top = ROOT / "notebooks"
    suffixes = {
        top: ".ipynb",
        top / "programs": ".ipynb",
        top / "exercises": ".ipynb",
        top / "programs" / "data": ".json",
    }
    kept = [path for path in files() if path.is_relative_to(top)]
    assert [relative(path) for path in kept if path.suffix != suffixes.get(path.parent)] == []


def _words(path) -> set[str]:
    return {part.lower() for part in (*path.relative_to(ROOT).parent.parts, path.stem)}
