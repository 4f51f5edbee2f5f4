"""Time to diagnosis: twenty bugs by five tools. Writes results.json and README.md beside this file."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from benchmarks.diagnosis.cases import CASES
from benchmarks.diagnosis.protocols import TOOLS, diagnose
from benchmarks.diagnosis.report import page

HERE: Final = Path(__file__).parent
RESULTS: Final = HERE / "results.json"
_PACKAGES: Final = {
    "print": ("tensorflow",),
    "check_numerics": ("tensorflow",),
    "Debugger V2": ("tensorflow", "tensorboard"),
    "detect_anomaly, TorchLens": ("torch", "torchlens"),
    "tapeviz": ("tapeviz",),
}
_VERSIONS: Final = """
import importlib.metadata, json, sys
found = {}
for name in sys.argv[1:]:
    try:
        found[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        pass
print(json.dumps(found))
"""


def main() -> None:
    """Measure what is asked for, and write the page; columns not measured stay as they were."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.diagnosis", description=__doc__)
    parser.add_argument("--peers", default=sys.executable, help="Python with TensorFlow, PyTorch and their tools")
    parser.add_argument("--only", action="append", choices=list(TOOLS), help="measure these tools alone")
    parser.add_argument("--bug", action="append", help="measure these bugs alone, and print instead of writing")
    given = parser.parse_args()
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {"versions": {}, "bugs": {}}
    results |= {"machine": _machine(), "tools": list(TOOLS)}
    tools = given.only or list(TOOLS)
    for case in CASES:
        if given.bug and case.name not in given.bug:
            continue
        for tool in tools:
            outcome = diagnose(tool, case, given.peers)
            print(f"{case.name:<36}{tool:<27}{outcome.outcome:<10}{outcome.actions:>3}  {outcome.note}", flush=True)
            results["bugs"].setdefault(case.name, {})[tool] = outcome.as_dict()
        if not given.bug:
            RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    if given.bug:
        return
    results["versions"] |= {tool: _versions(tool, given.peers) for tool in tools}
    results["bugs"] = {case.name: results["bugs"][case.name] for case in CASES}
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    readme = HERE / "README.md"
    readme.write_text(page(readme.read_text(encoding="utf-8"), results), encoding="utf-8")


def _versions(tool: str, peers: str) -> str:
    python = sys.executable if tool == "tapeviz" else peers
    command = [python, "-c", _VERSIONS, *_PACKAGES[tool]]
    found: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return ", ".join(f"{name} {version}" for name, version in found.items())


def _machine() -> str:
    today = dt.datetime.now(dt.UTC).date().isoformat()
    return (
        f"{today}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    )


if __name__ == "__main__":
    main()
