"""A process that is killed while it writes checkpoints leaves a whole one: the last that was written, or the next."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*arguments):
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.train.interruptions", *map(str, arguments)],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_killed_at_random_moments(tmp_path):
    run(tmp_path, 10, 1)


def test_ended_at_each_step_of_a_writing(tmp_path):
    assert run(tmp_path, "steps") > 8
    assert not list(tmp_path.glob("*.partial"))


@pytest.mark.nightly
def test_killed_at_200_random_moments(tmp_path):
    assert run(tmp_path, 200, 2) > 50  # most of the time was in the middle of a writing
