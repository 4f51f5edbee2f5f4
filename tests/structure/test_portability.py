"""Nothing in the repository knows the machine it was written on, or where packages are downloaded from."""

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
