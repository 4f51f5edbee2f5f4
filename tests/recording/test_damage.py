"""A recording that was cut off or damaged opens up to the damage and says so; it is never silently wrong."""

import json
import random
import resource
import struct
import tracemalloc
import zlib
from time import process_time

import matplotlib.pyplot as plt
import numpy as np
import pytest

from tapeviz import load
from tapeviz.exports import summary_html
from tapeviz.recording import MAGIC, Builder, RecordingError, read
from tapeviz.recording.limits import MemoryBudget
from tests.recording.damage import damaged
from tests.recording.equality import assert_prefix, assert_same
from tests.recording.fixtures import opened
from tests.recording.gradient_health import judged
from tests.recording.network import training_step
from tests.recording.samples import chain, everything, small
from tests.recording.traced_function import traced


@pytest.fixture(scope="module")
def whole():
    return small().to_bytes()


@pytest.mark.slow
def test_cut_at_any_byte_it_opens_up_to_the_last_whole_frame(whole):
    ends = _frame_ends(whole)
    complete = read(whole)
    for cut in range(len(whole)):
        if cut < len(MAGIC):
            with pytest.raises(RecordingError, match="empty" if cut == 0 else f"only {cut} bytes"):
                read(whole[:cut])
            continue
        part = read(whole[:cut])
        frames = sum(end <= cut for end in ends)
        assert len(part.frames) == frames
        if cut in {len(MAGIC), *ends}:
            assert part.problem is None
        else:
            assert part.problem.startswith(f"cut off after frame {frames}: only ")
            assert "\n" not in part.problem
        for name in part.tables:
            assert_prefix(part, complete, name, len(part.table(name)))


@pytest.mark.slow
def test_any_flipped_bit_is_found(whole):
    complete = read(whole)
    ends = _frame_ends(whole)
    for position in range(8 * len(whole)):
        damaged = bytearray(whole)
        damaged[position // 8] ^= 1 << position % 8
        _assert_noticed(bytes(damaged), complete, ends, position // 8)


@pytest.mark.slow
def test_random_damage_is_found():
    rng = np.random.default_rng(1)
    recording = everything(frames=4)
    whole = recording.to_bytes()
    complete, ends = read(whole), _frame_ends(whole)
    for _ in range(2000):
        damaged = bytearray(whole)
        first = int(rng.integers(len(whole)))
        noise = rng.bytes(int(rng.integers(1, 64)))
        damaged[first : first + len(noise)] = noise[: len(whole) - first]
        if damaged != whole:
            changed = next(i for i, (a, b) in enumerate(zip(damaged, whole, strict=True)) if a != b)
            _assert_noticed(bytes(damaged), complete, ends, changed)


def _assert_noticed(damaged, complete, ends, position):
    if position < len(MAGIC):
        with pytest.raises(RecordingError, match=r"^(not a recording: it begins with|made by a newer tapeviz)"):
            read(damaged)
        return
    part = read(damaged)
    frames = sum(end <= position for end in ends)
    assert len(part.frames) == frames
    assert part.problem.startswith((f"damaged after frame {frames}, at byte ", f"cut off after frame {frames}: "))
    assert "\n" not in part.problem
    for name in part.tables:
        assert len(part.table(name)) <= len(complete.table(name))


def _frame_ends(whole):
    sizes = [len(frame.data) for frame in read(whole).frames]
    return [len(MAGIC) + int(end) for end in np.cumsum(sizes)]


# Frames with right checksums and contents that no writer writes.


def frame(header, data=b"", plain=b"", size=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    body = len(text).to_bytes(4, "little") + text + data
    packed = zlib.compress(body)
    checksum = zlib.crc32(packed + plain)
    head = struct.pack("<4sIIII", b"FRAM", len(packed), len(body) if size is None else size, len(plain), checksum)
    return head + zlib.crc32(head).to_bytes(4, "little") + packed + plain


def table(name="events", rows=2, **column):
    spec = {"name": "id", "type": "i4", "code": "offset", "base": 0, "width": 0} | column
    return {"tables": [{"name": name, "rows": rows, "columns": [spec]}]}


def test_the_frames_below_are_right_but_for_what_they_are_wrong_in():
    assert read(MAGIC + frame(table(width=1), b"\1\2")).events.id.tolist() == [1, 2]
    assert read(MAGIC + frame(table(width=1, plain=True), plain=b"\1\2")).events.id.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("damaged", "message"),
    [
        (frame(b"{"), "its header is no JSON"),
        (frame(b"\xff"), "its header is no JSON"),
        (frame(b"[" * 100_000), "its header is no JSON"),
        (frame([]), "its header has no list 'tables'"),
        (frame({"tables": [3]}), "its header has no text 'name'"),
        (frame(table(rows=0)), "events: rows is 0"),
        (frame(table(rows=2**40)), "events: rows is 1099511627776"),
        (frame(table(rows=True)), "events: rows is True"),
        (frame(table(rows="2")), "events: rows is '2'"),
        (frame(table(width=8), b"\0" * 16), "events.id: width is 8"),
        (frame(table(width=-1)), "events.id: width is -1"),
        (frame(table(base=0.5)), "events.id: base is 0.5"),
        (frame(table(base=2**60)), "events.id: base is 1152921504606846976"),
        (frame(table(code="delta", width=1), b"\0"), "events.id: first is None"),
        (frame(table(code="zip")), "events.id: unknown encoding 'zip' of type 'i4'"),
        (frame(table(type="i8")), "events.id is i8, and should be i4"),
        (frame(table(type="text", code="text", separator=0, size=1), b"\0"), "events.id is text, and should be i4"),
        (frame(table(width=1), b"\0"), "events.id: its bytes are missing"),
        (frame(table(), b"\0"), "it has bytes that belong to no column"),
        (frame(table(), plain=b"\0"), "it has bytes that belong to no column"),
        (frame({"tables": table()["tables"] * 2}), "events is there twice"),
        (frame(table(), size=1), "it does not inflate to the size announced"),
        (frame(table(), size=10_000), "it does not inflate to the size announced"),
        (frame(table(), size=2**31), "it is larger than a frame may be"),
        (frame(table(name="strings", type="text", code="text", separator=-1, size=0)), "strings.id: separator is -1"),
        (frame(table(name="values", type="bytes", code="bytes", size=0)), "values.id: bytes without lengths"),
    ],
)
def test_a_frame_that_no_writer_writes_is_refused(damaged, message):
    recording = read(MAGIC + frame(table()) + damaged)
    assert recording.problem.startswith(f"damaged after frame 1, at byte {len(MAGIC) + len(frame(table()))}: {message}")
    assert recording.events.id.tolist() == [0, 0]


def test_too_many_cells_are_refused_before_they_take_memory():
    columns = [{"name": str(n), "type": "i4", "code": "offset", "base": 0, "width": 0} for n in range(17)]
    recording = read(MAGIC + frame({"tables": [{"name": "many", "rows": 2**22, "columns": columns}]}))
    assert "more than 67,108,864 cells" in recording.problem


@pytest.mark.parametrize(
    ("spec", "data", "message"),
    [
        ({"type": "text", "code": "text", "separator": 0}, b"a", "names.name: 1 texts where 2 are announced"),
        ({"type": "text", "code": "text", "separator": 0}, b"\0\xff", "names.name: text that is not UTF-8"),
    ],
)
def test_cells_that_make_no_sense_raise_when_asked_for(spec, data, message):
    recording = read(MAGIC + frame(_named("names", "name", spec, data), data))
    with pytest.raises(RecordingError, match=message):
        _ = recording.names.name


@pytest.mark.parametrize("base", [0, -1, 2**52])
def test_lengths_that_do_not_add_up_raise_when_asked_for(base):
    lengths = {"code": "offset", "base": base, "width": 0}
    spec = {"type": "bytes", "code": "bytes", "lengths": lengths}
    recording = read(MAGIC + frame(_named("values", "data", spec, b"abc"), b"abc"))
    with pytest.raises(RecordingError, match=r"values\.data: lengths that do not add up to 3 bytes"):
        _ = recording.values.data


def test_a_column_that_makes_no_sense_is_said_when_a_file_is_opened(tmp_path):
    spec = {"type": "text", "code": "text", "separator": 0}
    header = _named("names", "name", spec, b"\0\xff")
    header["tables"][0]["columns"].append({"name": "tensor", "type": "i4", "code": "offset", "base": 7, "width": 0})
    (tmp_path / "run.tape").write_bytes(MAGIC + frame(header, b"\0\xff"))
    recording = load(tmp_path / "run.tape").recording
    assert recording.problem == "malformed: names, rows 0 to 1, column name: text that is not UTF-8"
    assert recording.names.name == ["", ""]
    assert recording.names.tensor.tolist() == [7, 7]


def test_a_fact_is_of_its_kind(tmp_path):
    builder = Builder()
    builder.extend("meta", {"key": ["cell", "stopped", "title"], "value": ["[]", '{"event": "last"}', '"run"']})
    (tmp_path / "run.tape").write_bytes(builder.to_bytes())
    recording = load(tmp_path / "run.tape").recording
    assert recording.problem == "malformed: meta, row 0, column value: '[]' is not what the fact of this name is"
    assert recording.meta_dict() == {"": None, "title": "run"}


@pytest.mark.parametrize(("row", "text"), [("shape", "[2, -1]"), ("shape", "[4000000000, 4000000000]"), ("shape", "{")])
def test_a_text_that_a_row_points_to_is_checked(row, text, tmp_path):
    builder = Builder()
    builder.append("tensors", **{"id": 4, row: builder.intern(text)})
    (tmp_path / "run.tape").write_bytes(builder.to_bytes())
    recording = load(tmp_path / "run.tape").recording
    assert recording.problem == f"malformed: tensors, row 0, column {row}: '{text}' is no shape"
    assert recording.tensors.shape.tolist() == [-1]


def _named(name, column, spec, data):
    return {"tables": [{"name": name, "rows": 2, "columns": [{"name": column, "size": len(data), **spec}]}]}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a recording: it is empty"),
        (b"<!doctype html>", "not a recording: it looks like HTML or XML"),
        (b'{"a": 1}', "not a recording: it looks like JSON"),
        (b"PK\3\4", "not a recording: it looks like a zip file"),
        (b"\x1f\x8b\x08", "not a recording: it looks like a gzip file: unpack it first"),
        (b"\x93TAPE2\r\n", "made by a newer tapeviz: format '2', this one reads '1'"),
        (b"\x93TAPE1\n", "not a recording: it begins with "),
        (b"\x93TAPE1\n\n", "not a recording: it begins with "),
        (b"0123456789", "not a recording: it begins with b'01234567'"),
    ],
)
def test_something_else_is_refused_in_one_line(data, message):
    with pytest.raises(RecordingError) as error:
        read(data)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_a_long_recording_survives_a_cut():
    builder = Builder()
    for name, columns in chain(1000).items():
        builder.extend(name, columns)
        builder.flush()
    whole = builder.to_bytes()
    part = read(whole[:-1])
    assert len(part.frames) == len(builder.recording().frames) - 1
    assert_same(read(part.to_bytes()), part)


# Bombs, and rows that point nowhere.

MANY = 2**22
EMPTY = {"type": "i4", "code": "offset", "base": 0, "width": 0}


def bomb(count, table_name="events", columns=1):
    """Frames of a few bytes that announce as many rows as a frame may have."""
    names = [{"name": f"column{n}", **EMPTY} for n in range(columns - 1)]
    header = {"tables": [{"name": table_name, "rows": MANY, "columns": [{"name": "id", **EMPTY}, *names]}]}
    return MAGIC + frame(header) * count


@pytest.mark.parametrize("damaged", [bomb(1), bomb(40), bomb(40, columns=15), bomb(40, "unknown", 15)])
def test_a_bomb_takes_little_memory(damaged):
    tracemalloc.start()
    recording = read(damaged)
    for name in recording.tables:
        for column in recording.table(name).columns:
            recording.table(name).cells(column)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**28
    assert "which no recording of its size does" in recording.problem
    assert len(damaged) < 20_000


def test_frames_that_inflate_to_much_are_refused_in_all():
    text = table(name="strings", type="text", code="text", separator=0, size=2**25, rows=1)
    text["tables"][0]["rows"] = 1
    recording = read(MAGIC + frame(text, b"x" * 2**25) * 4)
    assert "more than" in recording.problem
    assert len(recording.frames) < 4


def test_a_long_header_is_refused():
    assert "header is longer than one may be" in read(MAGIC + frame(b"[" + b"{}," * 400_000 + b"{}]")).problem


def test_real_recordings_are_far_below_the_limit():
    recording = everything(frames=4)
    budget = MemoryBudget(len(recording.to_bytes()) // 8)
    for part in read(recording.to_bytes()).frames:
        for name, chunk in part.tables.items():
            budget.take_table(name, chunk.rows, chunk.types)


@pytest.mark.parametrize(
    ("name", "cells", "text"),
    [
        ("events", {"id": [0, 1, 2], "op": [-1, 0, 7]}, "events, row 2, column op: 7 is no ops row"),
        ("events", {"id": [0, 1, 2], "site": [-1, -2, -1]}, "events, row 1, column site: -2 is no sites row"),
        ("events", {"id": [0, 1, 2], "kind": [0, 1, 200]}, "events, row 2, column kind: 200 is no KINDS"),
        ("tensors", {"shape": [10**9, -1]}, "tensors, row 0, column shape: 1000000000 is no strings row"),
        ("meta", {"key": ["a", "b"], "value": ["1", "{"]}, "meta, row 1, column value: '{' is no JSON"),
        ("events", {"id": [0, 1, 1]}, "events, row 2, column id: 1 is the number of another row"),
        ("events", {"id": [0, 1], "parent": [1, 0]}, "events, row 0, column parent: 1 is no earlier event"),
        ("events", {"id": [0, 1], "t0": [0.0, np.nan]}, "events, row 1, column t0: nan is no number of ns"),
        ("tensors", {"nbytes": [1e300]}, "tensors, row 0, column nbytes: 1.000e+300 is no number of bytes"),
        ("edges", {"tensor": [-9]}, "edges, row 0, column tensor: -9 is the number of no tensor"),
        ("stats", {"histogram": [b"abc"]}, "stats, row 0, column histogram: 3 bytes are no 32 counts"),
        ("graphs", {"key": ["", "{}"]}, "graphs, row 1, column key: '{}' is no JSON list"),
        ("graphs", {"lines": ["[[1, 2]]", "[1]"]}, "graphs, row 1, column lines: '[1]' is no list of lines"),
        ("graphs", {"lines": ['[["a", 2]]']}, """graphs, row 0, column lines: '[["a", 2]]' is no list of lines"""),
        ("graphs", {"lines": ["[[1, -2]]"]}, "graphs, row 0, column lines: '[[1, -2]]' is no list of lines"),
        ("graphs", {"lines": ["[[1, NaN]]"]}, "graphs, row 0, column lines: '[[1, NaN]]' is no list of lines"),
    ],
)  # fmt: skip
def test_a_malformed_row_is_named_and_the_rest_opens(name, cells, text, tmp_path):
    builder = Builder()
    builder.append("ops", name="add")
    builder.append("names", tensor=0, name="x")
    builder.flush()
    builder.extend(name, cells)
    (tmp_path / "run.tape").write_bytes(builder.to_bytes())
    tape = load(tmp_path / "run.tape")
    recording = tape.recording
    assert recording.problem == f"malformed: {text}"
    assert recording.names.name == ["x"]
    assert len(recording.table(name)) == len(next(iter(cells.values())))
    assert recording.meta_dict().get("a", 1) == 1
    assert text in str(tape)
    again = read(recording.to_bytes())  # as a page gets it
    assert again.problem is None


LONGEST = 2.0  # seconds of the processor's for one face of a small recording
MOST = 2**28


def faces(tape, folder):
    """What a tape says and shows, each as something to call."""
    recording = tape.recording
    yield lambda: str(tape)
    yield lambda: [repr(recording.table(name)) + str(list(recording.table(name))) for name in recording.tables]
    yield lambda: str(tape.verdicts()) + str(tape.nonfinite())
    yield lambda: summary_html.summary(recording)
    yield lambda: [tape.query(text) for text in ("op:matmul", "name:w", "shape:2,3", "dtype:float32", "failed")]
    yield lambda: [tape.save(folder / f"kept{suffix}") for suffix in (".tape", ".html", ".json")]
    yield lambda: (tape.plot.timeline(), tape.plot.gradients(), plt.close("all"))
    yield lambda: [(tape.plot.tensor(number), plt.close("all")) for number in recording.tensors.id[:2].tolist()]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_whatever_is_damaged_opens_and_every_face_of_it_is_drawn(seed, tmp_path):
    chance = random.Random(seed)
    source = chance.choice([training_step, traced, judged])().recording()
    (tmp_path / "run.tape").write_bytes(damaged(source, chance))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tape = load(tmp_path / "run.tape")
    for face in faces(tape, tmp_path):
        started = process_time()
        face()
        assert process_time() - started < LONGEST
    assert 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) < MOST
    assert load(tmp_path / "kept.tape").recording.problem is None


def test_the_damage_is_most_often_of_rows():
    sources = [training_step().recording(), traced().recording()]
    said = [opened(damaged(sources[seed % 2], random.Random(seed))).problem or "" for seed in range(60)]
    assert sum(problem.startswith("malformed: ") for problem in said) > 20
