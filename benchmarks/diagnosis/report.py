"""The tables of README.md, written from results.json."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.diagnosis.cases import CASES

__all__ = ["page"]


def page(text: str, results: Mapping[str, Any]) -> str:
    """Return the README with its two tables written anew between their marks."""
    for mark, lines in (("summary", _summary(results)), ("bugs", _table(results))):
        table = "\n".join(lines)
        text = re.sub(
            rf"(?s)(<!-- {mark} -->\n).*?(<!-- end -->)", lambda found, t=table: f"{found[1]}{t}\n{found[2]}", text
        )
    return text


def _cells(results: Mapping[str, Any], tool: str) -> list[Mapping[str, Any]]:
    return [results["bugs"][case.name][tool] for case in CASES]


def _summary(results: Mapping[str, Any]) -> Iterator[str]:
    yield "| tool | hits | elsewhere | actions of a hit, median (most) | seconds of run time, median (most) | version |"
    yield "|---|--:|--:|--:|--:|---|"
    for tool in results["tools"]:
        cells = _cells(results, tool)
        if all(cell["outcome"] == "missing" for cell in cells):
            yield f"| {tool} | missing | | | | {cells[0]['note']} |"
            continue
        hits = [cell["actions"] for cell in cells if cell["outcome"] == "hit"]
        elsewhere = sum(cell["outcome"] == "elsewhere" for cell in cells)
        actions = f"{statistics.median(hits):g} ({max(hits)})" if hits else "none"
        seconds = [cell["seconds"] for cell in cells]
        times = f"{statistics.median(seconds):.2f} ({max(seconds):.2f})"
        version = results["versions"].get(tool, "")
        yield f"| {tool} | {len(hits)} of {len(cells)} | {elsewhere} | {actions} | {times} | {version} |"
    yield ""
    yield f"Measured {results['machine']}."


def _table(results: Mapping[str, Any]) -> Iterator[str]:
    tools = list(results["tools"])
    yield f"| bug | {' | '.join(tools)} |"
    yield f"|---|{'---|' * len(tools)}"
    for case in CASES:
        cells = [_cell(results["bugs"][case.name][tool]) for tool in tools]
        yield f"| [{case.name}](../../tests/verdicts/bugs/{case.name}.py) | {' | '.join(cells)} |"


def _cell(cell: Mapping[str, Any]) -> str:
    if cell["outcome"] == "missing":
        return "missing"
    outcome = f"**{cell['outcome']}**" if cell["outcome"] == "hit" else cell["outcome"]
    return f"{outcome} · {cell['actions']} · {cell['seconds']:.2f}"
