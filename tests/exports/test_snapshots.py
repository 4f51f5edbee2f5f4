"""The exporters still make what is stored of a stored recording."""

import json

import pytest

from tapeviz.exports import chrome_trace
from tapeviz.recording import read
from tests.exports.snapshots import EXPECTED, OUTPUTS, RECORDING, traced


@pytest.mark.parametrize("name", OUTPUTS)
def test_an_export_is_as_stored(name):
    """Meant to differ? Run python -m tests.exports.snapshots, and look at the difference."""
    assert OUTPUTS[name]() == (EXPECTED / name).read_text(encoding="utf-8")


def test_a_page_and_a_trace_are_written_to_a_path_and_to_a_file(tmp_path):
    path = tmp_path / "run.json"
    chrome_trace.write(read(RECORDING), path)
    with (tmp_path / "other.json").open("wb") as file:
        chrome_trace.write(read(RECORDING), file)
    assert path.read_bytes() == (tmp_path / "other.json").read_bytes()


@pytest.fixture(scope="module")
def entries():
    return json.loads(traced())["traceEvents"]


def test_slices_nest_on_their_track(entries):
    """Perfetto drops a slice that is partly inside another."""
    open_until: dict[tuple[int, int], list[float]] = {}
    for entry in (e for e in entries if e["ph"] == "X"):
        around = open_until.setdefault((entry["pid"], entry["tid"]), [])
        while around and around[-1] <= entry["ts"] + 1e-9:
            around.pop()
        end = entry["ts"] + entry["dur"]
        assert not around or end <= around[-1] + 1e-6, entry["name"]
        around.append(end)


def test_each_arrow_leads_from_a_forward_op_to_its_backward_step(entries):
    starts = {(e["pid"], e["tid"], e["ts"]): e["name"] for e in entries if e["ph"] == "X" and e["cat"].startswith("op")}
    ends: dict[int, list[str]] = {}
    for entry in entries:
        if entry["ph"] in "sf":
            ends.setdefault(entry["id"], []).append(starts[entry["pid"], entry["tid"], entry["ts"]])
    assert len(ends) == 9
    assert all(forward == backward for forward, backward in ends.values())


def test_what_is_known_of_an_op_stands_beside_it(entries):
    relu = next(e for e in entries if e["name"] == "relu" and e["cat"] == "op,forward")
    assert relu["args"]["outputs"] == ["h (4, 5) float32"]
    assert relu["args"]["gradient norms"] == {"h": 1e-07}
    assert (relu["args"]["site"], relu["args"]["source"]) == ("cell 7, line 2", "h = relu(x @ w1 + b1)")
    (failed,) = [e for e in entries if e.get("args", {}).get("status") == "failed"]
    assert failed["args"]["error"].startswith("InvalidArgumentError: matmul: [4, 2] and [3, 5]")
    assert {e["args"]["name"] for e in entries if e["name"] == "thread_name"} == {"forward", "backward"}
    assert any(e["ph"] == "C" and e["args"]["bytes"] > 0 for e in entries)
