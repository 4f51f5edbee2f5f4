"""What the programs reached, and the page that says it: docs/fuzzing.md.

python -m tests.fuzz.coverage                  the page from the stored numbers
python -m tests.fuzz.coverage A.json B.json    from the numbers of runs with --numbers, added up
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tapeviz.engine.declaration import registry
from tapeviz.files import write_atomic
from tapeviz.recording.schema import DTYPES
from tests.fuzz.campaign import Tally
from tests.fuzz.comparison import REASONS
from tests.fuzz.generators.layers import layer_words
from tests.fuzz.random_runs import PROMISES
from tests.fuzz.runs import WAYS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "fuzzing.md"
HERE = Path(__file__).parent
REACHED = HERE / "reached.json"
REGRESSIONS = HERE / "regressions"

_HEAD = """# Random programs, run in every way

Made by `python -m tests.fuzz.coverage`; a test says when it is out of date with what it is made from.

`tests/fuzz` writes programs over the public surface: calls of ops with inputs like those of their declarations,
operators of Python, the expressions that are compared with TensorFlow's answers, slices with tensors as bounds,
chains of views, control flow on tensors, variables, layers, optimizers; over all dtypes, with sizes about which
packing, pieces and buffers decide. A program is run eagerly as it is written, so that it is valid. Then it runs in some
of the ways below, by its seed, four calls each with other numbers, and must give the same: results and variables after
each call, to the bit (sign and payload of a nan apart, decision 19), errors of the same kind, static shapes that are
true. What may differ has a name.

A program that differs is shrunk to a few lines and printed so that it runs by itself. Each program comes from its seed
alone: `python -m tests.fuzz --print SEED` shows it, `--seed SEED` goes on from there. `make nightly` runs 20,000 in
stretches of 250, a process each, over all cores; what was run without a fault by the same version is not run again.

Programs that draw numbers are a stream of their own, `--surface random`: there must hold what is listed under Draws.
"""


_KNOWN = (
    "A function with a gradient in a loop, or of a transposition by a tensor, cannot be saved; the error says so.",
    "Machine code copies arguments that lie backwards; NumPy may round those another way: a last bit.",
)
"""What is known to be wrong and not mended yet."""


def summary(tally: Tally) -> str:
    """Return what a run came to, as a few lines."""
    reasons = ", ".join(f"{name} ({count})" for name, count in tally.reasons.most_common())
    return (
        f"{tally.programs} programs of {tally.lines / max(1, tally.programs):.1f} lines: "
        f"{_share(tally, 'traced')} trace, "
        f"{_share(tally, 'compiled')} compile, {_share(tally, 'differentiated')} are differentiated; "
        f"{len(tally.ops)} ops, {len(tally.functions)} functions, {len(tally.layers)} layers, "
        f"{len(tally.optimizers)} optimizers, {len(tally.dtypes)} dtypes.\n"
        f"Refused for a named reason: {reasons or 'none'}.\n"
        f"{len(tally.faults)} faults. Go on with --seed {tally.next_seed}."
    )


def _share(tally: Any, part: str) -> str:
    return f"{getattr(tally, part) / max(1, tally.programs):.0%}"


def store(tally: Tally, path: Path = REACHED) -> None:
    """Keep the numbers of a run."""
    _write(path, _numbers(tally))


def store_stretch(tally: Tally, path: Path, version: str) -> None:
    """Keep the numbers of a run, its faults, and the version that was run."""
    _write(path, {"version": version, "faults": [str(fault) for fault in tally.faults], **_numbers(tally)})


def _numbers(tally: Tally) -> dict[str, Any]:
    kept = {key: value for key, value in vars(tally).items() if key not in ("faults", "next_seed")}
    return {key: dict(sorted(value.items())) if isinstance(value, dict) else value for key, value in kept.items()}


def _write(path: Path, kept: dict[str, Any]) -> None:
    write_atomic(path, [(json.dumps(kept, indent=1) + "\n").encode()])


def added(paths: Sequence[str | Path]) -> Tally:
    """Return the numbers of several runs as those of one."""
    whole = Tally()
    for path in paths:
        for key, value in json.loads(Path(path).read_text()).items():
            if key in ("faults", "version"):
                continue
            if isinstance(value, dict):
                getattr(whole, key).update(value)
            else:
                setattr(whole, key, getattr(whole, key) + value)
    return whole


def page() -> str:
    """Return the page."""
    reached = json.loads(REACHED.read_text())
    count = reached["programs"]
    parts = [_HEAD, "## Ways\n", *(f"- **{name}**: {way.__doc__}" for name, way in WAYS.items())]
    parts += ["\n## Draws\n", *(f"- **{name}**: {promise.__doc__}" for name, promise in PROMISES.items())]
    parts += ["\n## What may differ\n", *(f"- **{name}**: {why}" for name, why in REASONS.items())]
    parts += ["\n## What was found, and mended\n", *_found()]
    parts += ["\n## Known, not mended yet\n", *(f"- {fault}" for fault in _KNOWN)]
    parts += [f"\n## What {count:,} programs reached\n", "| what became of it | programs | share |", "|---|---|---|"]
    parts += [f"| {name} | {reached[key]:,} | {reached[key] / count:.0%} |" for name, key in (
        ("traced", "traced"), ("with machine code", "compiled"), ("differentiated", "differentiated"),
    )]  # fmt: skip
    parts += [f"| {name} | {times:,} | {times / count:.1%} |" for name, times in reached["reasons"].items()]
    if "ways" in reached:
        parts += _table("ways", reached["ways"], sorted(WAYS))
        parts.append(f"\nCounted in {max(reached['ways'].values(), default=0):,} of the programs.")
    parts += _table("dtypes", reached["dtypes"], DTYPES)
    parts += _table("ops", reached["ops"], sorted(registry))
    parts += _table("layers", reached["layers"], sorted(layer_words()))
    parts += _table("optimizers", reached["optimizers"], sorted(reached["optimizers"]))
    parts += _table("public functions", reached["functions"], sorted(reached["functions"]))
    return "\n".join(parts) + "\n"


def _table(title: str, counts: dict[str, int], all_of_them: Any) -> list[str]:
    missing = [name for name in all_of_them if name not in counts]
    lines = [f"\n### {title.capitalize()}: {len(counts)}\n", "Each with the number of programs that reach it.\n"]
    lines.append(" · ".join(f"{name} {counts[name]}" for name in all_of_them if name in counts))
    return [*lines, f"\nNot reached: {', '.join(missing)}."] if missing else lines


def _found() -> list[str]:
    """Return a line for each fault that was found and mended, from the docstrings of its program."""
    return [
        f"- `{path.stem}`: {' '.join((ast.get_docstring(ast.parse(path.read_text())) or '').split())}"
        for path in sorted(REGRESSIONS.glob("*.py"))
    ]


if __name__ == "__main__":
    if sys.argv[1:]:
        store(added(sys.argv[1:]))
    PAGE.write_text(page())
