"""What a competent user does with each tool, as a script: edits and runs are done, clicks are counted.

An *action* is one of: a line put in or changed, a run of the program, a command at the shell, a page or view opened, a
click or a choice in it. Reading costs none, nor does the first run that showed the symptom. A tool *hits* when its own
output has the line with the fault in sight; *elsewhere* means that it named other lines alone; *miss*, none.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.diagnosis.cases import Case, Insert, Sight
from benchmarks.diagnosis.worker import MARK

__all__ = ["TOOLS", "Outcome", "diagnose"]

ROOT: Final = Path(__file__).parents[2]
BUGS: Final = ROOT / "tests" / "verdicts" / "bugs"
PYTORCH: Final = Path(__file__).parent / "pytorch"
PATIENCE: Final = 50
"""Ops that a user clicks through, one by one, before giving up."""
_SECONDS: Final = 300

_DUMP: Final = (
    'tf.debugging.experimental.enable_dump_debug_info(__import__("os").environ["DUMP"], "FULL_HEALTH", '
    "circular_buffer_size=-1)"
)
_TRACE: Final = (
    "import torchlens as tl",
    "log = tl.trace(model, inputs, capture=tl.options.CaptureOptions(save_grads='all', backward_ready=True))",
)
_BACKWARD: Final = (
    "log.log_backward(log[log.output_layers[0]].out.sum())",
    "birth = tl.debug.bisect_nan_backward(log)",
    "print(birth)",
)
_AUDIT: Final = ("audit = tl.debug.audit_trace(log)", "print(log, audit)")


@dataclass(frozen=True)
class Outcome:
    """What a tool did for a bug: hit, elsewhere, miss or missing; actions; seconds of run time; a word about it."""

    outcome: str
    actions: int = 0
    seconds: float = 0.0
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return asdict(self)


class ToolMissingError(RuntimeError):
    """The interpreter of the peers has no such tool."""


def diagnose(tool: str, case: Case, peers: str) -> Outcome:
    """Follow the protocol of a tool for a bug."""
    try:
        return TOOLS[tool](case, sys.executable if tool == "tapeviz" else peers)
    except ToolMissingError as error:
        return Outcome("missing", note=str(error))


def _run(worker: str, name: str, text: str, python: str) -> dict[str, Any]:
    """Run an edited program under a tool, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.py"
        file.write_text(text, encoding="utf-8")
        command = [python, "-m", "benchmarks.diagnosis.worker", worker, str(file)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=_SECONDS, check=False)
    marked = [line for line in done.stdout.splitlines() if line.startswith(MARK)]
    if not marked:
        raise RuntimeError(f"{worker} on {name}: {done.stderr[-2000:]}")
    outcome: dict[str, Any] = json.loads(marked[-1].removeprefix(MARK))
    if "missing" in outcome:
        raise ToolMissingError(outcome["missing"])
    # What TensorFlow's own code prints goes past Python's streams.
    outcome["terminal"] = done.stdout + done.stderr
    return outcome


def _tensorflow(case: Case) -> str:
    """Return the program for TensorFlow: the same, with another import."""
    text = (BUGS / f"{case.name}.py").read_text(encoding="utf-8")
    return text.replace("import tapeviz as tf", "import tensorflow as tf").replace("from tapeviz.", "from tensorflow.")


def _pytorch(case: Case) -> str:
    return (PYTORCH / f"{case.name}.py").read_text(encoding="utf-8")


def _edited(text: str, insert: Insert) -> str:
    """Return the program with lines put in, or with a part of a line changed (``=old``, ``=new``)."""
    lines = text.splitlines()
    at = next(number for number, line in enumerate(lines) if insert.at in line)
    if insert.lines[0].startswith("="):
        old, new = (part.removeprefix("=") for part in insert.lines)
        lines[at] = lines[at].replace(old, new)
    else:
        indent = re.match(r"\s*", lines[at])
        put = [(indent.group() if indent else "") + line for line in insert.lines]
        lines[at + (not insert.before) : at + (not insert.before)] = put
    return "\n".join(lines) + "\n"


def _edits(insert: Insert) -> int:
    return 1 if insert.lines[0].startswith("=") else len(insert.lines)


def _verdict(named: Sequence[int], faults: Sequence[int]) -> str:
    return "hit" if set(named) & set(faults) else "elsewhere" if named else "miss"


def _by_print(case: Case, python: str) -> Outcome:
    actions, seconds = 0, 0.0
    for inserts in case.rounds:
        text = _tensorflow(case)
        for insert in inserts:
            text = _edited(text, insert)
        actions += sum(_edits(insert) for insert in inserts) + 1
        ran = _run("print", case.name, text, python)
        seconds += ran["seconds"]
        seen = [line for line in (ran["output"] + ran["terminal"]).splitlines() if line.startswith("@")]
        if not seen:
            raise RuntimeError(f"{case.name} printed nothing: {ran['output'][-2000:]}")
        if inserts == case.rounds[-1] and case.tell(seen):
            return Outcome("hit", actions, seconds, case.shows)
    return Outcome("miss", actions, seconds, case.shows)


def _by_check_numerics(case: Case, python: str) -> Outcome:
    switch = Insert("import tensorflow as tf", ("tf.debugging.enable_check_numerics()",))
    ran = _run("check_numerics", case.name, _edited(_tensorflow(case), switch), python)
    return Outcome(_verdict(ran["named"], ran["faults"]), 2, ran["seconds"], _lines_note(ran["named"]))


def _lines_note(named: Sequence[int]) -> str:
    return "" if not named else f"names line{'s' * (len(named) > 1)} {', '.join(map(str, named))}"


def _by_debugger(case: Case, python: str) -> Outcome:
    """Debugger V2: dump, start TensorBoard, open its page; the first alert by a click, or the ops one by one."""
    ran = _run(
        "debugger_v2", case.name, _edited(_tensorflow(case), Insert("import tensorflow as tf", (_DUMP,))), python
    )
    actions = 4  # the line, the run, TensorBoard started, its page opened
    if ran["alerts"]:
        note = f"{ran['alerts']} alerts; the first {_lines_note(ran['named'])}"
        return Outcome(_verdict(ran["named"], ran["faults"]), actions + 1, ran["seconds"], note)
    seen = _clicks(ran["listed"], ran["faults"], case)
    if seen is not None:
        return Outcome("hit", actions + seen, ran["seconds"], f"no alert; op {seen} of the timeline shows it")
    return Outcome("miss", actions, ran["seconds"], "no alert")


def _clicks(listed: Sequence[dict[str, Any]], faults: Sequence[int], case: Case) -> int | None:
    """Return how many ops are looked at until one on the line with the fault gives it away; None: none does in time."""
    earlier: set[str] = set()
    for clicks, op in enumerate(listed[:PATIENCE], 1):
        if not set(op["lines"]) & set(faults):
            continue
        if case.sight is not None and _shows(op, case.sight):
            return clicks
        if case.kind == "retrace" and re.search(r"_\d+$", op["op"]):
            # A function whose name has another number at each call was traced again.
            earlier.add(op["op"])
            if len(earlier) > 1:
                return clicks
    return None


def _shows(op: dict[str, Any], sight: Sight) -> bool:
    return sight.size in op["sizes"] if sight.size else sight.dtype in op["dtypes"]


def _by_torch(case: Case, python: str) -> Outcome:
    """PyTorch: detect_anomaly first; where it says nothing of the line, TorchLens' audits and its list of ops."""
    text = _pytorch(case)
    switched = _edited(text, Insert("import torch", ("torch.autograd.set_detect_anomaly(True)",)))
    ran = _run("anomaly", case.name, switched, python)
    actions, seconds = 2, ran["seconds"]
    if _verdict(ran["named"], ran["faults"]) == "hit":
        return Outcome("hit", actions, seconds, f"detect_anomaly, or PyTorch itself, {_lines_note(ran['named'])}")
    if "model" not in text:
        return Outcome(_verdict(ran["named"], ran["faults"]), actions, seconds, "no module that TorchLens could trace")
    put = (*_TRACE, *(_BACKWARD if ".backward()" in text else ()), *_AUDIT)
    traced = _run("torchlens", case.name, text + "\n".join(put) + "\n", python)
    actions, seconds = actions + len(put) + 1, seconds + traced["seconds"]
    faults, named = traced["faults"], traced["named"]
    if _verdict(named, faults) == "hit":
        return Outcome("hit", actions, seconds, f"TorchLens {_lines_note(named)}")
    sight = case.sight
    if sight is not None and any(_shows(op, sight) and set(op["lines"]) & set(faults) for op in traced["listed"]):
        # One more line and run: the ops with their shapes, dtypes and lines.
        return Outcome("hit", actions + 2, seconds, "TorchLens: no finding; its list of ops shows it")
    outcome = _verdict([*ran["named"], *named], ())
    return Outcome(outcome, actions, seconds, " ".join([_lines_note(named), *traced["error"]]))


def _by_tapeviz(case: Case, python: str) -> Outcome:
    """Tapeviz: `%%tape` on the cell, which is run; the findings stand below it, or one `tape.verdicts()` away."""
    text = (BUGS / f"{case.name}.py").read_text(encoding="utf-8")
    ran = _run("tapeviz", case.name, text, python)
    outcome = "hit" if ran["hit"] else "elsewhere" if ran["named"] else "miss"
    others = [line for line in ran["named"] if line not in ran["faults"]]
    note = f"also {_lines_note(others)}" if others and ran["hit"] else _lines_note(others)
    return Outcome(outcome, 2 + (ran["hit"] and not ran["in_footer"]), ran["seconds"], note)


TOOLS: Final[dict[str, Callable[[Case, str], Outcome]]] = {
    "print": _by_print,
    "check_numerics": _by_check_numerics,
    "Debugger V2": _by_debugger,
    "detect_anomaly, TorchLens": _by_torch,
    "tapeviz": _by_tapeviz,
}
