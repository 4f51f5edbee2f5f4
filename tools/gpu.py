"""Runs all that needs a GPU, in this environment, and writes what came of it to a file.

    make gpu                                   # here, with CuPy installed into .venv
    python -m tools.gpu gpu-results.json       # in a hosted notebook: after `pip install ".[test]" cupy-cuda12x`

The file says which machine it was, which tests passed and failed, and what ops took there and on the host.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SIZES = (64, 512, 2048)
REPEATS = 20


def main(target: Path) -> int:
    """Run the tests and the rows; 0 when all have passed."""
    machine = _machine()
    if machine["gpu"] is None:
        print(f"There is no GPU that can be used: {machine['missing']}")
        return 1
    tests = _tests()
    said = {"date": datetime.now(UTC).isoformat(timespec="seconds"), **machine, "tests": tests, "rows": _rows()}
    target.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    print(f"{tests['passed']} passed, {len(tests['failed'])} failed: {target}")
    return int(bool(tests["failed"]) or not tests["passed"])


def _machine() -> dict[str, Any]:
    import numpy as np  # noqa: PLC0415 - with --help nothing is imported

    import tapeviz as tf  # noqa: PLC0415

    found: dict[str, Any] = {"python": platform.python_version(), "numpy": np.__version__, "tapeviz": tf.__version__}
    gpus = tf.config.list_physical_devices("GPU")
    if not gpus:
        from tapeviz.backends import detection  # noqa: PLC0415

        return {**found, "gpu": None, "missing": detection.missing()}
    import cupy  # noqa: PLC0415

    details = tf.config.experimental.get_device_details(gpus[0])
    return {
        **found, "gpu": details["device_name"], "compute_capability": list(details["compute_capability"]),
        "cupy": cupy.__version__, "cuda": cupy.cuda.runtime.runtimeGetVersion(),
    }  # fmt: skip


def _tests() -> dict[str, Any]:
    """Run the tests that are marked so."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [sys.executable, "-m", "pytest", "-q", "-m", "gpu", "-p", "no:cacheprovider", f"--junitxml={report}"]
        subprocess.run(command, cwd=ROOT, check=False)
        cases = list(ET.parse(report).iter("testcase")) if report.exists() else []  # noqa: S314 - pytest has just written it
    bad = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    skipped = [case for case in cases if case.find("skipped") is not None]
    return {
        "passed": len(cases) - len(bad) - len(skipped), "skipped": len(skipped),
        "failed": [f"{case.get('classname')}::{case.get('name')}" for case in bad],
    }  # fmt: skip


def _rows() -> list[dict[str, Any]]:
    """What ops take on the GPU and on the host, in microseconds: the medians."""
    import tapeviz as tf  # noqa: PLC0415

    rows = []
    for size in SIZES:
        for name in ("add", "matmul", "tanh", "softmax", "reduce_sum"):
            took = {}
            for device in ("/cpu:0", "/gpu:0"):
                with tf.device(device):
                    x = tf.random.normal([size, size])
                    call = {"add": lambda x=x: x + x, "matmul": lambda x=x: tf.matmul(x, x),
                            "tanh": lambda x=x: tf.tanh(x), "softmax": lambda x=x: tf.nn.softmax(x),
                            "reduce_sum": lambda x=x: tf.reduce_sum(x)}[name]  # fmt: skip
                    took[device] = _median(call)
            rows.append({"op": name, "size": size, "cpu_us": took["/cpu:0"], "gpu_us": took["/gpu:0"]})
    return rows


def _median(call: Any) -> float:
    from tapeviz.math import reduce_sum  # noqa: PLC0415

    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        float(reduce_sum(call()))  # waits for the device
        times.append(time.perf_counter() - start)
    return round(sorted(times)[REPEATS // 2] * 1e6, 1)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "gpu-results.json")))
