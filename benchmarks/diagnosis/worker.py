"""One program under one tool, in a process of its own; what came of it as JSON on the last line.

Run with the interpreter of the tool, which need not have tapeviz: ``python -m benchmarks.diagnosis.worker TOOL FILE``.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import logging
import os
import re
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

__all__ = ["WORKERS", "faults_of"]

MARK: Final = "diagnosis: "


def faults_of(text: str) -> list[int]:
    """Return the numbers of the lines that end in the mark of the fault."""
    return [number for number, line in enumerate(text.splitlines(), 1) if re.search(r"#\s*fault\s*$", line)]


class _Shown(io.StringIO):
    """What a program writes to the terminal, kept."""


def _execute(file: Path) -> dict[str, Any]:
    """Run a program; the seconds it took, and what it and the tools wrote: its output, and the error it ended in."""
    code = compile(file.read_text(encoding="utf-8"), str(file), "exec")
    scope: dict[str, Any] = {"__name__": "program", "__file__": str(file)}
    output = _Shown()
    logging.basicConfig(stream=output, force=True)
    for handler in logging.getLogger("torch").handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setStream(output)
    error = ""
    warnings.simplefilter("always")
    start = time.perf_counter()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            exec(code, scope)  # noqa: S102  (that is what it is for)
        except Exception:  # noqa: BLE001  (the program ends as its tool wants it)
            error = traceback.format_exc()
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "output": output.getvalue(), "error": error, "scope": scope}


def _lines_in(text: str, file: Path) -> list[int]:
    """Return the lines of the program that a text cites, by any of the ways in which tools write them."""
    cited = re.findall(rf"{re.escape(file.name)}(?:\"?, line |:| \(L|\", lineno )(\d+)", text)
    return sorted({int(number) for number in cited})


def _ready(name: str) -> Any:
    """Return a framework after its first gradient, so that what is loaded on first use is not measured."""
    framework = importlib.import_module(name)
    if name == "torch":
        framework.ones(2, requires_grad=True).sum().backward()
        return framework
    x = framework.keras.layers.Dense(1)(framework.ones([1, 1]))
    with framework.GradientTape() as tape:
        tape.watch(x)
        y = framework.reduce_sum(x * x)
    tape.gradient(y, x)
    return framework


def _prints(file: Path) -> dict[str, Any]:
    _ready("tensorflow")
    ran = _execute(file)
    return {"seconds": ran["seconds"], "output": ran["output"] + ran["error"]}


def _check_numerics(file: Path) -> dict[str, Any]:
    _ready("tensorflow")
    ran = _execute(file)
    return {"seconds": ran["seconds"], "named": _lines_in(ran["error"], file) if "heckNumerics" in ran["error"] else []}


def _debugger(file: Path) -> dict[str, Any]:
    """Debugger V2: alerts as its page lists them, then the executions one after the other."""
    importlib.import_module("tensorboard")
    tf = _ready("tensorflow")
    reader_of = importlib.import_module("tensorflow.python.debug.lib.debug_events_reader")
    monitors = importlib.import_module("tensorflow.python.debug.lib.debug_events_monitors")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DUMP"] = folder
        ran = _execute(file)
        start = time.perf_counter()
        tf.debugging.experimental.disable_dump_debug_info()
        reader = reader_of.DebugDataReader(folder)
        monitor = monitors.InfNanMonitor(reader)
        reader.update()
        seconds = ran["seconds"] + time.perf_counter() - start
        alerts = monitor.alerts()
        named = _alert_lines(reader, alerts[0], file) if alerts else []
        return {"seconds": seconds, "alerts": len(alerts), "named": named, "listed": _executions(reader, file)}


def _alert_lines(reader: Any, alert: Any, file: Path) -> list[int]:
    """Return the program's lines in the stack trace shown with an alert."""
    if alert.graph_execution_trace_index is None:
        execution = reader.read_execution(reader.executions(digest=True)[alert.execution_index])
        frames = reader.read_execution_stack_trace(execution)[1]
    else:
        digest = reader.graph_execution_traces(digest=True)[alert.graph_execution_trace_index]
        trace = reader.read_graph_execution_trace(digest)
        creation = reader.graph_by_id(trace.graph_id).get_op_creation_digest(trace.op_name)
        frames = reader.read_graph_op_creation_stack_trace(creation)[1]
    return _frame_lines(frames, file)


def _frame_lines(frames: Iterable[Any], file: Path) -> list[int]:
    return [frame[1] for frame in frames if Path(frame[0]).name == file.name]


def _executions(reader: Any, file: Path) -> list[dict[str, Any]]:
    """Return the ops of the timeline in order, as the page shows each: type, dtype, size, stack."""
    listed = []
    dtype_of = importlib.import_module("tensorflow").dtypes.as_dtype
    for execution in reader.executions():
        # FULL_HEALTH: device, dtype, rank, size, then the counts of its health.
        values = [list(value) for value in execution.debug_tensor_values or () if value]
        listed.append(
            {
                "op": execution.op_type,
                "lines": _frame_lines(reader.read_execution_stack_trace(execution)[1], file),
                "sizes": [int(value[4]) for value in values],
                "dtypes": [dtype_of(int(value[2])).name for value in values],
            }
        )
    return listed


_WARNINGS: Final = ("TracerWarning", "recompile", "function: ")


def _anomaly(file: Path) -> dict[str, Any]:
    """Run under detect_anomaly, which the program's first lines switch on; what PyTorch itself says counts too."""
    _ready("torch")
    ran = _execute(file)
    told = ran["output"]
    if "nomaly" not in told:
        told = "\n".join(line for line in told.splitlines() if any(word in line for word in _WARNINGS))
    return {"seconds": ran["seconds"], "named": _lines_in(told + ran["error"], file)}


def _torchlens(file: Path) -> dict[str, Any]:
    """Run with the lines that trace the model and print TorchLens' audits, then the list of its ops."""
    torchlens, torch = importlib.import_module("torchlens"), _ready("torch")
    torchlens.trace(torch.nn.ReLU(), torch.ones(2))
    ran = _execute(file)
    log = ran["scope"].get("log")
    birth = ran["scope"].get("birth")
    # An audit names ops, and an op says its line when it is asked: the user looks it up in the list of ops.
    labels = {label for finding in getattr(ran["scope"].get("audit"), "findings", ()) for label in finding.ops}
    listed = [_op_of(op, file) for op in getattr(log, "ops", ())]
    named = {line for op in listed if {op["op"], op["op"] + ":1"} & labels for line in op["lines"]}
    if birth is not None and birth.found:
        named.update(_lines_in(str(birth.birth), file))
    return {
        "seconds": ran["seconds"],
        "named": sorted(named),
        "listed": listed,
        "error": ran["error"].strip().splitlines()[-1:],
    }


def _op_of(op: Any, file: Path) -> dict[str, Any]:
    lines = [place.line_number for place in op.code_context or () if Path(place.file).name == file.name]
    shape = tuple(op.shape or ())
    size = 1
    for extent in shape:
        size *= extent
    return {"op": op.layer_label, "lines": lines, "sizes": [size], "dtypes": [str(op.dtype).removeprefix("torch.")]}


def _tapeviz(file: Path) -> dict[str, Any]:
    """Run as a recorded cell; the lines named above "worth knowing" by a finding of a fitting kind, and the others."""
    programs = importlib.import_module("tests.verdicts.programs")
    program = next(each for each in programs.programs() if each.path.stem == file.stem)
    tf = importlib.import_module("tapeviz")
    with tf.record() as tape:
        _ready("tapeviz")
    _ = repr(tape.verdicts()), repr(tape)
    start = time.perf_counter()
    tape, _ = programs.run(program)
    findings = tape.verdicts()
    footer = repr(tape)
    seconds = time.perf_counter() - start
    scored = programs.score(program, findings)
    lines = [finding.site.line for finding in scored.others if finding.site is not None]
    shown = any(f"line {line}" in footer for line in program.faults)
    named = sorted({*lines, *(program.faults if scored.named else ())})
    return {"seconds": seconds, "named": named, "hit": scored.named, "in_footer": shown}


WORKERS: Final[dict[str, Callable[[Path], dict[str, Any]]]] = {
    "print": _prints,
    "check_numerics": _check_numerics,
    "debugger_v2": _debugger,
    "anomaly": _anomaly,
    "torchlens": _torchlens,
    "tapeviz": _tapeviz,
}


def main(tool: str, file: str) -> None:
    """Run the program and say what came of it; a tool that is not installed is said too."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    path = Path(file)
    try:
        outcome = WORKERS[tool](path)
    except ModuleNotFoundError as error:
        outcome = {"missing": str(error)}
    outcome["faults"] = faults_of(path.read_text(encoding="utf-8"))
    print(f"\n{MARK}{json.dumps(outcome)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
