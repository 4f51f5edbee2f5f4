"""The source distribution has all that a wheel is made from, and that wheel runs: after a build of the front end."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

from tests.structure.sources import ROOT, files, relative

MADE = ("bundle.js", "loader.js", "standalone.js", "strip.js")
RUNS = """
import sys, tapeviz as tf
with tf.record() as tape:
    tf.exp(tf.ones([3]))
tape.save(sys.argv[1])
print(tf.__file__)
"""


def hatchling(kind, source, folder):
    """Build a distribution, with what this environment has."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = folder.glob("*.tar.gz" if kind == "sdist" else "*.whl")
    return found


def _link(source, target):
    """Make a file appear at a second place: copied only where the two are on different disks."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The source distribution unpacked, and the wheel that is made from it."""
    folder = tmp_path_factory.mktemp("distribution")
    assert (ROOT / "labextension/node_modules/.package-lock.json").exists(), "the front end has not been built"
    with tarfile.open(hatchling("sdist", ROOT, folder)) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.2 has none
        archive.extractall(folder)
    (source,) = (path for path in folder.iterdir() if path.is_dir())
    # What `npm ci` would put there; its links to packages/ are relative, so they lead into the unpacked folder.
    modules = source / "labextension/node_modules"
    shutil.copytree(ROOT / "labextension/node_modules", modules, symlinks=True, copy_function=_link)
    return source, hatchling("wheel", source, folder)


@pytest.mark.slow
def test_the_source_distribution_has_each_source(built):
    source, _ = built
    wanted = {relative(path) for path in files() if relative(path).startswith(("tapeviz/", "labextension/"))}
    found = {path.relative_to(source).as_posix() for path in source.rglob("*") if "node_modules" not in path.parts}
    assert wanted - found == set()


@pytest.mark.slow
def test_the_wheel_made_from_it_has_the_front_end(built):
    with zipfile.ZipFile(built[1]) as wheel:
        names = wheel.namelist()
        sizes = {name: wheel.getinfo(f"tapeviz/widgets/static/{name}").file_size for name in MADE}
    assert min(sizes.values()) > 500, sizes
    assert any(name.endswith("share/jupyter/labextensions/tapeviz/package.json") for name in names)
    assert [name for name in names if "node_modules" in name or name.startswith("tests/")] == []


@pytest.mark.slow
def test_the_wheel_runs(built, tmp_path):
    with zipfile.ZipFile(built[1]) as wheel:
        wheel.extractall(tmp_path / "installed")
    page = tmp_path / "tape.html"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}
    command = [sys.executable, "-c", RUNS, str(page)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert str(tmp_path / "installed") in done.stdout
    assert page.stat().st_size > (tmp_path / "installed/tapeviz/widgets/static/standalone.js").stat().st_size
