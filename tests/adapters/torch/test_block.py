"""What a recording leaves behind (nothing), what it refuses, and how a cell is recorded."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell
from torch.nn import functional as F
from torch.overrides import _get_current_function_mode_stack

import tapeviz

PATCHED = [
    (torch.nn.Module, "__call__"), (torch.autograd.Function, "apply"), (torch, "from_numpy"), (torch, "as_tensor"),
    (torch.optim.Optimizer, "zero_grad"), (torch.optim.SGD, "step"), (torch.optim.Adam, "step"),
]  # fmt: skip


def state():
    return [owner.__dict__.get(name) for owner, name in PATCHED], len(_get_current_function_mode_stack())


def test_what_recording_costs_is_measured_without_being_recorded(tmp_path, monkeypatch):
    monkeypatch.setattr("tapeviz.adapters.torch.FRAMEWORK._prices", {})
    layer = torch.nn.Linear(3, 2)
    with tapeviz.record(framework="torch", values="all", save=tmp_path / "run.tape") as tape:
        layer(torch.ones(4, 3)).sum()
    names = [tape.ops.name[op] for op in tape.events.op if op >= 0]
    assert names == ["ones", "linear", "sum"]
    saved = tapeviz.load(tmp_path / "run.tape")
    assert len(saved.events) == len(tape.events)


def test_where_a_nan_begins_is_mended_in_pytorchs_words():
    with tapeviz.record(framework="torch", values="all") as tape:
        torch.log(torch.zeros(2))
    assert "clamp(min=" in str(tape.nonfinite())
    assert "tf." not in str(tape.nonfinite())


MASKS = {
    "masked_fill": lambda scores, above: scores.masked_fill(above, float("-inf")),
    "where": lambda scores, above: torch.where(above, torch.tensor(-torch.inf), scores),
    "full": lambda scores, _: scores + torch.full(scores.shape, -torch.inf).triu(1),
    "generated": lambda scores, _: scores + torch.nn.Transformer.generate_square_subsequent_mask(len(scores)),
}


@pytest.mark.parametrize("way", MASKS)
def test_infinities_that_fill_a_mask_are_meant(way):
    w = torch.randn(3, 3, requires_grad=True)
    above = torch.ones(3, 3).triu(1) > 0
    with tapeviz.record(framework="torch", values="all") as tape:
        F.softmax(MASKS[way](w @ w, above), -1).square().sum().backward()
    assert not tape.nonfinite()
    assert not tape.verdicts()


def test_what_becomes_nan_of_a_meant_infinity_is_found():
    w = torch.randn(3, 3, requires_grad=True)
    with tapeviz.record(framework="torch", values="all") as tape:
        F.softmax(w.masked_fill(torch.ones(3, 3) > 0, float("-inf")), -1).sum().backward()
    assert [found.op for found in tape.nonfinite() if not found.harmless][:1] == ["softmax"]


class Interrupted(BaseException):
    pass


@pytest.mark.parametrize("error", [None, ValueError("x"), KeyboardInterrupt(), Interrupted()])
def test_modes_and_patches_are_gone_after_the_block(error):
    before = state()
    torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)  # which PyTorch wraps when it is made first
    before = state()
    w = torch.ones(3, requires_grad=True)
    try:
        with tapeviz.record(framework="torch"):
            loss = (w * 2).exp().sum()
            loss.backward(retain_graph=True)
            if error is not None:
                raise error
    except (ValueError, KeyboardInterrupt, Interrupted):
        pass
    assert state() == before
    with tapeviz.record(framework="torch") as tape:
        w * 3
    assert list(tape.ops.name) == ["mul"]


def test_error_in_a_backward_pass_leaves_no_hook():
    w = torch.ones(3, requires_grad=True)
    h = torch.sigmoid(w)

    def refuse(_gradient):
        raise Interrupted

    h.register_hook(refuse)
    loss = (h * 2).sum()
    with pytest.raises(Interrupted), tapeviz.record(framework="torch"):
        loss.backward(retain_graph=True)
    seen = []
    with tapeviz.record(framework="torch") as tape:
        w.grad = None
        (w * 2).sum().backward()
    seen += tape.requests.gradient.tolist()
    assert len(seen) == 1


def test_activations_die_as_they_do_without():
    import weakref

    w = torch.ones(3, requires_grad=True)
    with tapeviz.record(framework="torch", values="none"):
        h = w.exp()  # which exp keeps for its gradient
        alive = weakref.ref(h)
        out = h * 2
        del h, out
        assert alive() is None


def test_memory_stays_near_that_of_the_program():
    code = (
        "import resource, sys, torch, tapeviz\n"
        "model = torch.nn.Sequential(*[torch.nn.Linear(512, 512) for _ in range(12)])\n"
        "x = torch.randn(4096, 512)\n"
        "def program():\n"
        "    for _ in range(3):\n"
        "        model.zero_grad()\n"
        "        model(x).pow(2).mean().backward()\n"
        "if sys.argv[1] == 'with':\n"
        "    with tapeviz.record(framework='torch', values='none'):\n"
        "        program()\n"
        "else:\n"
        "    with tapeviz.record(framework='torch', values='none'):\n"
        "        pass\n"
        "    program()\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )

    def peak(way: str) -> int:
        """Large blocks go back to the system at once, so that the peak is what was in use."""
        environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
        run = [sys.executable, "-c", code, way]
        return int(subprocess.run(run, capture_output=True, check=True, env=environment).stdout)

    assert peak("with") < 1.1 * peak("without")


def test_a_block_in_a_block_is_a_part_of_it():
    with tapeviz.record(framework="torch") as outer:
        with tapeviz.record(framework="torch", name="inner") as inner:
            torch.ones(2) * 2
        assert inner is outer
    assert "mul" in outer.ops.name


@pytest.mark.parametrize("options", [{"mode": "eager"}, {"device": "cpu"}, {"live": True}, {"values": "inputs"}])
def test_what_pytorch_cannot_do_is_refused_with_the_reason(options):
    with pytest.raises(ValueError, match="does not go with framework='torch'"):
        tapeviz.record(framework="torch", **options)


@pytest.mark.parametrize("keep", ["first", "last"])
def test_what_is_beyond_the_most_ops_is_dropped_with_a_word(keep):
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with tapeviz.record(framework="torch", max_ops=1_000, keep=keep) as tape:
        for _ in range(1_500):
            optimizer.zero_grad()
            loss = model(torch.ones(3, 2)).pow(2).mean()
            loss.backward()
            optimizer.step()
        with pytest.raises(RuntimeError):
            torch.ones(2) @ torch.ones(3)
    meta = tape.recording.meta_dict()
    assert ("truncated" if keep == "first" else "dropped") in meta
    assert len(tape.events) < 8_000
    assert "shape" in "".join(tape.recording.messages.text) or "size" in "".join(tape.recording.messages.text)
    assert loss.grad_fn is not None


def test_unknown_framework_is_refused():
    with pytest.raises(ValueError, match="choose tapeviz, torch, tensorflow"):
        tapeviz.record(framework="pytorch")


def test_wrt_gives_gradients_and_leaves_dot_grad_alone():
    w, x = torch.ones(3, requires_grad=True), torch.arange(3.0)
    with tapeviz.record(framework="torch", wrt="w") as tape:
        loss = (w * x).pow(2).sum()
    assert tape.wrt["w"].tolist() == [0.0, 2.0, 8.0]
    assert w.grad is None
    assert loss.requires_grad


def test_stop_ends_the_block_at_the_op():
    block = tapeviz.record(framework="torch", stop="nan")
    with block:
        torch.log(torch.tensor([-1.0]))
        raise AssertionError("the block went on")
    assert block.stopped.moment.op == "log"


def test_why_takes_tensors_and_speaks_of_pytorch():
    w = torch.ones(3, requires_grad=True)
    with tapeviz.record(framework="torch") as tape:
        loss = (w.detach() * torch.ones(3, requires_grad=True)).sum()
        loss.backward()
    answer = tape.why(loss, w)
    assert answer.reason == "stop_gradient"
    assert "leave out .detach()" in answer.fix


def test_names_are_those_of_the_modules():
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    with tapeviz.record(framework="torch") as tape:
        out = model(torch.ones(1, 2))
        out.sum().backward()
    assert set(tape.variables.name) == {"model.0.weight", "model.0.bias"}
    assert "out" in tape.names.name


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_compiled_function_runs_as_plain_ops():
    compiled = torch.compile(lambda x: (x * 2).sin())
    with tapeviz.record(framework="torch") as tape:
        compiled(torch.ones(2))
    assert {"mul", "sin"} <= set(tape.ops.name)


@pytest.fixture
def shell():
    made = InteractiveShell()
    made.run_line_magic("load_ext", "tapeviz")
    yield made
    made.run_line_magic("unload_ext", "tapeviz")
    InteractiveShell.clear_instance()


def test_cell_is_seen_to_use_pytorch(shell):
    shell.run_cell("import torch\nw = torch.ones(3)\ndef f():\n    return torch.sin(w).sum()")
    assert shell.run_cell("%%tape -q --wrt w\nf()").success
    tape = shell.user_ns["_tape"]
    assert tape.recording.meta_dict()["framework"] == "torch"
    assert tape.wrt["w"].tolist() == torch.cos(torch.ones(3)).tolist()
    assert not shell.user_ns["w"].requires_grad


@pytest.mark.parametrize("header", ["--mode graph", "--device gpu", "--compare graph", "--live", "--values inputs"])
def test_option_that_pytorch_cannot_have_is_a_usage_error(shell, header, capsys):
    shell.run_cell("import torch")
    shell.run_cell(f"%%tape {header}\ntorch.ones(2)")
    said = capsys.readouterr()
    assert "UsageError" in said.err + said.out


@pytest.mark.parametrize("make", [torch.optim.LBFGS, torch.optim.SGD])
def test_an_update_comes_after_the_closure_that_computes_the_loss(make):
    w = torch.ones(3, requires_grad=True)
    optimizer = make([w], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = (w - 2).pow(2).sum()
        loss.backward()
        return loss

    with tapeviz.record(framework="torch") as tape:
        for _ in range(4):
            optimizer.step(closure)
    names = [tape.ops.name[op] for op, kind in zip(tape.events.op, tape.events.kind, strict=True) if kind == 0]
    assert names.count(make.__name__) == 4
    assert names[-1] == make.__name__
    assert not tape.verdicts()


def test_the_time_of_a_step_is_shared_by_the_parameters():
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with tapeviz.record(framework="torch") as tape:
        model(torch.ones(2, 3)).sum().backward()
        optimizer.step()
    rows = [e for e in tape.events if e.op >= 0 and tape.ops.name[e.op] == "SGD"]
    assert len(rows) == 4
    ends = [row.t0 + row.dur for row in rows]
    assert all(row.t0 >= end - 1 for row, end in zip(rows[1:], ends[:-1], strict=True))
    assert sum(row.dur for row in rows) <= rows[-1].t0 + rows[-1].dur - rows[0].t0 + 4


def test_a_parameter_that_is_updated_takes_no_more_memory():
    model = torch.nn.Linear(10, 10)
    optimizer = torch.optim.Adam(model.parameters())
    with tapeviz.record(framework="torch") as tape:
        for _ in range(4):
            optimizer.zero_grad()
            model(torch.ones(2, 10)).sum().backward()
            optimizer.step()
    recording = tape.recording
    adam = [e for e in recording.events if e.op >= 0 and recording.ops.name[e.op] == "Adam"]
    tensors = recording.tensors
    made = {int(producer): (number, storage) for number, producer, storage in
            zip(tensors.id, tensors.producer, tensors.storage, strict=True)}  # fmt: skip
    storages = [made[update.id][1] for update in adam]
    assert len(adam) == 8
    assert len(set(storages)) == 2
    assert all(made[update.id][0] != storage for update, storage in zip(adam, storages, strict=True))


def test_modules_in_lists_have_their_names():
    model = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)
    with tapeviz.record(framework="torch") as tape:
        model(torch.ones(1, 3, 8)).sum().backward()
    layers = [text for text in tape.recording.strings.text if '"layer"' in text]
    names = [json.loads(text)["name"] for text in layers]
    assert names[:3] == ["TransformerEncoder", "layers.0", "self_attn"]
    assert "layers.1" in names
