"""What mypy and pyright know of a program with tapeviz: its types, and its mistakes."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.structure.sources import ROOT
from tests.structure.test_distribution import hatchling

HERE = ROOT / "tests" / "types"
COMPLETE = 0.95
# One of the front end's tools, which npm finds.
PYRIGHT = ("labextension/front_end.py", "npm", "exec", "--no", "--", "pyright")


def run(*command, path=""):
    """Run a Python program in the repository, with a folder to import from; return its status and what it prints."""
    # `--verifytypes` looks for packages with the PATH's Python, whatever `--pythonpath` says.
    search = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    environment = {**os.environ, "PATH": search, **({"PYTHONPATH": str(path)} if path else {})}
    arguments = [sys.executable, *map(str, command)]
    return subprocess.run(arguments, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_mypy_knows_types_and_mistakes():
    done = run("-m", "mypy", "--strict", HERE / "surface.py")
    assert done.returncode == 0, done.stdout + done.stderr


def test_pyright_knows_types_and_mistakes():
    done = run(*PYRIGHT, "-p", HERE / "pyrightconfig.json", "--pythonpath", sys.executable)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_types_of_the_wheel_are_complete(tmp_path):
    installed = tmp_path / "installed"
    with zipfile.ZipFile(hatchling("wheel", ROOT, tmp_path)) as wheel:
        wheel.extractall(installed)
    ways = ("--verifytypes", "tapeviz", "--ignoreexternal", "--outputjson", "--pythonpath", sys.executable)
    done = run(*PYRIGHT, *ways, path=installed)
    report = json.loads(done.stdout[done.stdout.index("{") :])["typeCompleteness"]
    assert report["packageRootDirectory"].startswith(str(installed))
    assert report["completenessScore"] >= COMPLETE
