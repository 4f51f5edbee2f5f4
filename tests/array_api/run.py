"""Run the data-apis consortium's array API tests against tapeviz.

    python tests/array_api/run.py                      fetches the tests (a git tag) beside the repository's own
    python tests/array_api/run.py --suite DIRECTORY    runs those of a checkout that is there already

Options after ``--`` go to pytest. What is known to fail is in skips.txt, with a reason each.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TAG = "2026.02.26"
SOURCE = "https://github.com/data-apis/array-api-tests.git"
FETCHED = ROOT / ".array-api-tests"
SKIPS = HERE / "skips.txt"
ENOUGH = 0.85


def fetch() -> Path:
    """Return a checkout of the tests at their tag, made now if there is none."""
    if not (FETCHED / "array-api" / "src").is_dir():
        options = ["--depth=1", "--branch", TAG, "--recurse-submodules", "--shallow-submodules"]
        subprocess.run(["git", "clone", "--quiet", *options, SOURCE, str(FETCHED)], check=True)
    return FETCHED


def run(suite: Path, options: list[str]) -> int:
    """Run the tests and say how many pass; 0 when that is enough and none fails that skips.txt does not know."""
    report = suite / "tapeviz-report.json"
    environment = os.environ | {
        "ARRAY_API_TESTS_MODULE": "tests.array_api.namespace",
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),
    }
    # Named, since pytest would take our own settings for those of the folder that the skips are in.
    command = [sys.executable, "-m", "pytest", "-c", "pytest.ini", "-q", "--disable-deadline"]
    command += [
        "--skips-file",
        str(SKIPS),
        "--json-report",
        f"--json-report-file={report}",
        *options,
        "array_api_tests",
    ]
    subprocess.run(command, cwd=suite, env=environment, check=False)
    counts = json.loads(report.read_text())["summary"]
    passed, failed, skipped = (counts.get(name, 0) for name in ("passed", "failed", "skipped"))
    share = passed / max(passed + failed + skipped, 1)
    print(f"{passed} passed, {failed} failed, {skipped} skipped: {share:.1%} pass (goal {ENOUGH:.0%})")
    return int(failed > 0 or share < ENOUGH or counts.get("error", 0) > 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--suite", type=Path, help="a checkout of array-api-tests, with its submodule")
    parser.add_argument("options", nargs="*", help="options for pytest")
    given = parser.parse_args()
    sys.exit(run((given.suite or fetch()).resolve(), given.options))
