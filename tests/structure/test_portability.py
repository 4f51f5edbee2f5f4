"""Nothing in the repository knows the machine it was written on, or where packages are downloaded from."""

import ast
import json
import re

from tests.structure.sources import ROOT, files, relative

# Written so that this file does not match itself.
MACHINE_PATH = re.compile(r"(?<![\w.~-])/(?:wor[k]|roo[t]|tm[p]|hom[e])/\w")
REGISTRY = re.compile(r"regis[t]ry\.npmjs|npm[j]s\.(?:org|com)|py[p]i\.org|python[h]osted\.org|deb[.]debian\.org")


def test_no_machine_path_and_no_registry_is_named():
    named = []
    for path in files():
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if MACHINE_PATH.search(line) or REGISTRY.search(line):
                named.append(f"{relative(path)}:{number}: {line.strip()[:100]}")
    assert named == []


def test_the_lock_file_works_with_any_registry():
    packages = json.loads((ROOT / "labextension/package-lock.json").read_text())["packages"]
    fixed = [name for name, package in packages.items() if ":" in package.get("resolved", "")]
    assert fixed == []


def test_tests_close_with_their_own_line():
    """CI reads pytest's closing line, so pytest with most of the tests is the last that the test command runs."""
    recipe = re.search(r"^test:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert recipe is not None
    assert recipe[1].splitlines()[-1].strip() == "$(PYTEST) -m 'not browser'"


def test_files_of_text_are_opened_with_an_encoding():
    """The locale's encoding is another on each machine. Tests may rely on it: their files are their own."""
    unsaid = [
        f"{relative(path)}:{call.lineno}"
        for path in files(".py")
        if path.parts[len(ROOT.parts)] != "tests"
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and _opens_text(call) and "encoding" not in {word.arg for word in call.keywords}
    ]
    assert unsaid == []


def _opens_text(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Attribute) and call.func.attr in {"read_text", "write_text"}:
        return True
    if not (isinstance(call.func, ast.Name) and call.func.id == "open"):
        return False
    mode = [*call.args[1:2], *(word.value for word in call.keywords if word.arg == "mode")]
    return not (mode and isinstance(mode[0], ast.Constant) and "b" in mode[0].value)
