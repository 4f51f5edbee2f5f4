"""Findings about several processes together, in recordings made by hand."""

import json

import pytest

from tapeviz.analysis.collectives import meetings_of, wait_rows
from tapeviz.analysis.verdicts import verdicts
from tapeviz.recording import Builder
from tapeviz.recording.merge import merge_recordings
from tapeviz.recording.schema import KINDS

MS = 1e6


class Rank:
    """Writes the recording of a process that works and meets others; its clock moves on by itself."""

    def __init__(self, began=0.0):
        self.builder, self.t = Builder(), began * MS
        self.builder.append("devices", name="CPU:0")
        self.builder.append("threads", name="MainThread")
        self.ops = {}
        self.count = 0

    def op(self, name, ms, line, family="linalg", **params):
        row = self.ops.get(name)
        if row is None:
            row = self.ops[name] = self.builder.append("ops", name=name, family=family)
        site = self.builder.append("sites", file="train.py", line=line, text=f"line {line}", cell=-1)
        self.builder.append(
            "events", id=self.count, kind=KINDS.index("op"), op=row, t0=self.t, dur=ms * MS, site=site,
            params=self.builder.intern(json.dumps(params)),
        )  # fmt: skip
        self.count += 1
        self.t += ms * MS

    def meet(self, name, ms, sequence, line=9, **params):
        params = {"group": ["world"], "sequence": sequence, "async": False} | params
        self.op(name, ms, line, "collective", **params)


def merged(*ranks, ahead=None):
    return merge_recordings([rank.builder.recording() for rank in ranks], list(range(len(ranks))), ahead)


def work(times, *, meeting=1.0, line=4):
    """Ranks that work so long in each step, and then wait for the one that takes longest."""
    ranks = [Rank() for _ in times[0]]
    for step, each in enumerate(times):
        for rank, ms in zip(ranks, each, strict=True):
            rank.op("matmul", ms, line)
            rank.op("relu", 1.0, line + 1)
            rank.meet("all_reduce", max(each) - ms + meeting, step)
    return ranks


def found(recording, kind):
    return [one for one in verdicts(recording) if one.kind == kind]


def test_a_rank_that_takes_longer_is_named_with_its_line():
    (slow,) = found(merged(*work([[10.0, 30.0, 11.0]] * 8)), "slow_rank")
    assert slow.evidence["rank"] == 1
    assert slow.site.line == 4
    assert slow.evidence["waited_ns"] == pytest.approx(7 * 20 * MS)
    assert slow.evidence["longer_ns"] == pytest.approx(8 * 19 * MS)


@pytest.mark.parametrize(
    "times",
    [
        [[10.0, 10.5]] * 8,
        [[10.0, 30.0], [30.0, 10.0]] * 4,
        [[10.0, 500.0], *[[10.0, 10.2]] * 8],
        [[10.0, 30.0]] * 3,
    ],
    ids=["alike", "in turn", "a late start", "too few to tell"],
)
def test_ranks_that_share_the_work_are_silent(times):
    assert not found(merged(*work(times)), "slow_rank")


def test_the_share_can_be_set():
    recording = merged(*work([[10.0, 11.5]] * 8))
    assert not found(recording, "slow_rank")
    row = {"key": "thresholds", "value": json.dumps({"slow_rank_share": 0.05})}
    assert found(recording.with_rows("meta", [row]), "slow_rank")


def test_offsets_of_clocks_do_not_change_who_is_slow():
    for ahead in ([0.0, 5e9], [5e9, 0.0]):
        (slow,) = found(merged(*work([[10.0, 30.0]] * 8), ahead=ahead), "slow_rank")
        assert slow.evidence["rank"] == 1


def test_who_waits_for_whom_is_written():
    recording = merged(*work([[10.0, 30.0]] * 2))
    events = recording.events
    waiting = [e.id for e in events if recording.ops.name[e.op] == "all_reduce" and e.thread == 0]
    assert wait_rows(recording) == [{"event": event, "dur": 20 * MS, "rank": 1} for event in waiting]


def test_a_wait_that_came_later_belongs_to_its_call():
    one, other = Rank(), Rank()
    for rank, ms in ((one, 1.0), (other, 30.0)):
        rank.op("matmul", ms, 4)
        rank.meet("all_reduce", 0.5, 0, **{"async": True})
        rank.op("matmul", 5.0, 5)
        rank.meet("wait", 26.0 if rank is one else 1.0, 0, line=10, of="all_reduce")
    (meeting,) = meetings_of(merged(one, other))
    assert [len(meeting.calls[rank].rows) for rank in (0, 1)] == [2, 2]
    assert meeting.waits == {0: pytest.approx(25 * MS), 1: 0.0}


def test_meetings_are_whole_or_not_told():
    one, other = Rank(), Rank()
    one.meet("all_reduce", 1.0, 0)
    one.meet("barrier", 1.0, 0, **{"async": True})
    other.meet("barrier", 1.0, 0)
    one.meet("all_reduce", 1.0, 0, group=[0, 1, 2])
    other.meet("all_reduce", 1.0, 0, group=[0, 1, 2])
    assert not meetings_of(merged(one, other))


def test_a_message_received_before_it_is_sent_shows_the_clocks():
    sender, receiver = Rank(began=500.0), Rank()
    message = {"from": 0, "to": 1}
    sender.meet("send", 1.0, 0, **message)
    receiver.meet("recv", 2.0, 0, **message)
    recording = merged(sender, receiver)
    (apart,) = found(recording, "clocks_apart")
    assert apart.evidence == {"ns": 498 * MS, "ranks": [0, 1]}
    assert "rank 1 receives before rank 0 sends" in apart.text
    assert apart.severity == 1
    sender, receiver = Rank(), Rank(began=500.0)
    sender.meet("send", 1.0, 0, **message)
    receiver.meet("recv", 2.0, 0, **message)
    assert not found(merged(sender, receiver), "clocks_apart")


def test_a_barrier_left_before_the_other_comes_shows_the_clocks():
    one, other = Rank(), Rank(began=100.0)
    for rank in (one, other):
        rank.meet("barrier", 2.0, 0)
    (apart,) = found(merged(one, other), "clocks_apart")
    assert "rank 0 leaves barrier before rank 1 comes" in apart.text
    with_root, other = Rank(), Rank(began=100.0)
    for rank in (with_root, other):
        rank.meet("broadcast", 2.0, 0, peer=0)
    assert not found(merged(with_root, other), "clocks_apart")


def test_one_process_is_looked_at_for_none_of_it():
    recording = work([[10.0, 30.0]] * 8)[1].builder.recording()
    assert not {"slow_rank", "clocks_apart", "ranks_differ"} & set(verdicts(recording).looked_for)
