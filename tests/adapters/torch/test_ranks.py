"""Two processes that train together over gloo, as one timeline."""

import subprocess
import sys

import numpy as np
import pytest
import torch

import tapeviz as tf
from tapeviz.analysis.collectives import meetings_of
from tapeviz.analysis.graph import graph_of
from tapeviz.analysis.verdicts import verdicts
from tapeviz.exports.memory import memory_of
from tapeviz.recording.ranks import parts_of, rank_of_events

PROGRAM = """
import sys, time
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
import tapeviz as tf

rank, folder = int(sys.argv[1]), sys.argv[2]
torch.set_num_threads(1)
dist.init_process_group("gloo", init_method=f"file://{folder}/rendezvous", rank=rank, world_size=2)
before = dist.all_reduce, dist.isend, dist.Work.__dict__["wait"], DistributedDataParallel.__dict__["forward"]


def train(case):
    torch.manual_seed(rank if case == "seeds" else 0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(6):
        torch.manual_seed(100 * step + rank)
        x, t = torch.randn(4, 8), torch.randn(4, 1)
        if case == "slow" and rank == 1:
            time.sleep(0.1)
        loss = torch.nn.functional.mse_loss(model(x), t)
        optimizer.zero_grad()
        loss.backward()
        for p in model.parameters():
            dist.all_reduce(p.grad)
            if case != "undivided" or rank == 0:
                p.grad /= 2
        optimizer.step()
    return [p.detach().clone() for p in model.parameters()]


def train_wrapped(hurried):
    torch.manual_seed(rank)  # the wrapper begins with rank 0's numbers
    layers = torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1)
    model = DistributedDataParallel(torch.nn.Sequential(*layers))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    gradients = []
    for step in range(6):
        torch.manual_seed(100 * step + rank)
        x, t = torch.randn(4, 8), torch.randn(4, 1)
        if rank == 1 and not hurried:
            time.sleep(0.1)
        if step == 2:
            with model.no_sync():
                torch.nn.functional.mse_loss(model(x), t).backward()
            continue
        loss = torch.nn.functional.mse_loss(model(x), t)
        loss.backward()
        gradients += [p.grad.clone() for p in model.parameters()]
        optimizer.step()
        optimizer.zero_grad()
    return gradients


def talk():
    work = dist.all_reduce(torch.full((3,), rank + 1.0), async_op=True)
    work.wait()
    dist.barrier()
    if rank == 0:
        time.sleep(0.1)
        dist.send(torch.arange(4.0), 1)
        dist.batch_isend_irecv([dist.P2POp(dist.isend, torch.ones(2), 1)])[0].wait()
    else:
        got = torch.zeros(4)
        assert dist.recv(got) == 0
        assert got.tolist() == [0.0, 1.0, 2.0, 3.0]
        more = torch.zeros(2)
        dist.batch_isend_irecv([dist.P2POp(dist.irecv, more, 0)])[0].wait()
        assert more.tolist() == [1.0, 1.0]
    parts = [torch.zeros(2) for _ in range(2)]
    dist.all_gather(parts, torch.full((2,), float(rank)))
    scattered = torch.zeros(2)
    dist.scatter(scattered, [torch.ones(2), torch.zeros(2)] if rank == 0 else None, src=0)
    whole = torch.zeros(4)
    dist.all_gather_into_tensor(whole, scattered)
    objects = [None, None]
    dist.all_gather_object(objects, {"rank": rank})
    return whole


plain = train("healthy")
for case in ("healthy", "slow", "seeds", "undivided"):
    with tf.record(framework="torch", save=f"{folder}/{case}{rank}.tape", name=case):
        found = train(case)
    if case == "healthy":
        assert all(map(torch.equal, found, plain))
plain = train_wrapped(True)
with tf.record(framework="torch", values="all", save=f"{folder}/wrapped{rank}.tape"):
    found = train_wrapped(False)
assert all(map(torch.equal, found, plain))
torch.save(found, f"{folder}/gradients{rank}")
with tf.record(framework="torch", values="all", save=f"{folder}/talk{rank}.tape"):
    assert talk().tolist() == [1.0, 1.0, 0.0, 0.0]
with tf.record(framework="torch", save=f"{folder}/failing{rank}.tape"):
    try:
        dist.all_reduce("no tensor")
    except Exception:
        pass
after = dist.all_reduce, dist.isend, dist.Work.__dict__["wait"], DistributedDataParallel.__dict__["forward"]
assert all(one is other for one, other in zip(before, after))
dist.destroy_process_group()
print("done")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("ranks")
    program = path / "train.py"
    program.write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, str(program)]
    runs = [
        subprocess.Popen([*command, str(rank), str(path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for rank in (0, 1)
    ]
    said = [run.communicate(timeout=300)[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], "\n".join(said)
    return path


def merged(folder, case, **options):
    return tf.merge([folder / f"{case}1.tape", folder / f"{case}0.tape"], **options)


def kinds(tape):
    return {one.kind for one in tape.verdicts()}


def test_ranks_say_which_they_are(folder):
    tape = merged(folder, "healthy")
    assert tape.ranks.number.tolist() == [0, 1]
    assert [part.meta_dict()["title"] for part in parts_of(tape.recording)] == ["healthy", "healthy"]


def test_a_slow_rank_is_named_with_its_line(folder):
    found = next(one for one in merged(folder, "slow").verdicts() if one.kind == "slow_rank")
    assert "the other ranks wait for rank 1" in found.text
    assert found.evidence["rank"] == 1
    assert found.evidence["waited_ns"] > 3 * 0.1e9
    assert found.site.text.startswith("loss = ")


def averages(part):
    """Of each call within a backward pass the elements of what it gave."""
    calls = [e for e in part.events if e.op >= 0 and part.ops.name[e.op] == "all_reduce"]
    return [part.tensors.id[part.tensors.producer == call.id].tolist() for call in calls]


def test_what_a_wrapped_module_averages_is_seen_within_the_pass(folder):
    tape = merged(folder, "wrapped")
    (name,) = {meeting.name for meeting in meetings_of(tape.recording)}
    assert (name, len(meetings_of(tape.recording))) == ("all_reduce", 5)  # not for the pass that does not exchange
    for part, rank in zip(parts_of(tape.recording), (0, 1), strict=True):
        wanted = torch.load(folder / f"gradients{rank}")
        alone = tf.load(folder / f"wrapped{rank}.tape")
        got = [alone.value(number) for numbers in averages(alone.recording) for number in numbers]
        assert len(averages(part)) == 5
        assert sorted(map(str, got)) == sorted(str(gradient.numpy()) for gradient in wanted)


def test_a_slow_rank_of_a_wrapped_module_is_named(folder):
    tape = merged(folder, "wrapped")
    (found,) = tape.verdicts()
    assert (found.kind, found.evidence["rank"]) == ("slow_rank", 1)
    assert found.evidence["waited_ns"] > 2 * 0.1e9  # of five waits the longest is not counted, which may be a start


def test_ranks_that_stay_alike_have_no_finding_about_it(folder):
    for case in ("healthy", "slow"):
        assert not kinds(merged(folder, case)) & {"ranks_differ", "clocks_apart"}


def test_parameters_that_begin_different_are_found(folder):
    found = next(one for one in merged(folder, "seeds").verdicts() if one.kind == "ranks_differ")
    assert "begin different" in found.text
    assert "broadcast" in found.fix
    assert found.evidence["update"] == 0


def test_gradients_that_one_rank_divides_are_found(folder):
    found = next(one for one in merged(folder, "undivided").verdicts() if one.kind == "ranks_differ")
    assert "whose gradients differ after they were exchanged" in found.text
    assert found.evidence["update"] == 1
    assert found.site.text == "optimizer.step()"


def test_offsets_that_contradict_messages_are_found(folder):
    assert "clocks_apart" not in kinds(merged(folder, "talk"))
    found = next(one for one in merged(folder, "talk", offsets=[5.0, 0.0]).verdicts() if one.kind == "clocks_apart")
    assert "rank 1" in found.text
    assert found.evidence["ns"] > 4e9
    assert found.severity == 1


def test_calls_say_with_whom_they_were(folder):
    recording = merged(folder, "talk").recording
    names = [meeting.name for meeting in meetings_of(recording)]
    assert names == [
        "all_reduce", "barrier", "message", "message", "all_gather", "scatter", "all_gather_into_tensor",
        "all_gather_object",
    ]  # fmt: skip
    assert [meeting.message for meeting in meetings_of(recording)][2:4] == [(0, 1), (0, 1)]


def test_who_waits_stands_in_the_recording(folder):
    recording = merged(folder, "talk").recording
    ops = [recording.ops.name[op] for op in recording.events.op]
    row = next(row for row, op in enumerate(ops) if op == "recv")
    waits = recording.waits
    found = np.flatnonzero(waits.event == recording.events.id[row])
    assert waits.dur[found[0]] > 0.08e9
    assert waits.rank[found[0]] == 0
    assert rank_of_events(recording)[row] == 1


def test_what_was_sent_is_kept_when_it_is_there(folder):
    tape = merged(folder, "talk")
    part = parts_of(tape.recording)[0]
    wait = next(e for e in part.events if e.op >= 0 and part.ops.name[e.op] == "wait")
    made = part.tensors.id[part.tensors.producer == wait.id]
    assert tape.value(int(made[0])).tolist() == [3.0, 3.0, 3.0]


def test_a_call_that_fails_is_a_failure(folder):
    recording = tf.load(folder / "failing0.tape").recording
    row = next(e for e in recording.events if e.op >= 0 and recording.ops.name[e.op] == "all_reduce")
    assert recording.messages.event.tolist() == [row.id]


def test_what_one_process_says_alone_has_no_ranks(folder):
    recording = tf.load(folder / "slow1.tape").recording
    assert not len(recording.ranks)
    assert not meetings_of(recording)
    assert "slow_rank" not in verdicts(recording).looked_for


def test_nothing_dies_before_it_is_made(folder):
    for rank in (0, 1):
        _, alive = memory_of(graph_of(tf.load(folder / f"talk{rank}.tape").recording))
        assert alive.min() >= 0
