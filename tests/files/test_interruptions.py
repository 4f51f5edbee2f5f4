"""A process that is killed, or a disk that gets full, while each kind of file is written.

Of a whole file there is the old content or the new one; of a stream there is everything up to its last whole frame.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.files.kinds import STREAMS, WHOLE

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a writer is killed in a process forked for it")
ROOT = Path(__file__).parents[2]
KINDS = [*WHOLE, *STREAMS]


def run(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", "tests.files.interruptions", *map(str, arguments)],
        cwd=ROOT, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {name: int(count) for name, count in map(str.split, done.stdout.splitlines())}


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path):
    assert list(run("kill", tmp_path / "files", 5, 1)) == KINDS


@pytest.mark.slow
def test_a_disk_that_gets_full(tmp_path):
    assert list(run("fill", tmp_path / "files", 6)) == KINDS


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
def test_killed_at_200_random_moments(kind, tmp_path):
    assert run("kill", tmp_path / "files", 200, 2, kind)[kind] > 0


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
def test_a_disk_that_gets_full_at_each_of_100_places(kind, tmp_path):
    assert run("fill", tmp_path / "files", 100, kind)[kind] > 90
