"""What the front end's tests read: recordings written here, and what they hold as JSON.

python -m tests.recording.fixtures
"""

import base64
import json
import math
import random
import zlib

import numpy as np

from tapeviz.analysis.query.query import FilterError, select
from tapeviz.exports.breaks import breaks_of, gaps_of, places_of
from tapeviz.recording import SCHEMA, Builder, Recording, read
from tapeviz.recording.row_checks import with_sound_rows
from tests.recording import lecture
from tests.recording.damage import damaged
from tests.recording.filters import BAD, GOOD, NOTHING
from tests.recording.gradient_health import judged
from tests.recording.network import training_step
from tests.recording.samples import everything, small
from tests.recording.traced_function import traced
from tests.structure.sources import ROOT

FOLDER = ROOT / "labextension/packages/recording/fixtures"


def extremes() -> Builder:
    """Return a builder with numbers, texts and bytes at the limits of their types and of each encoding."""
    builder = Builder()
    steps = np.cumsum([0.0, *(256.0**rank * 3 for rank in range(7))])
    builder.extend("ends", {"event": np.array([-(2**31), 2**31 - 1, 0, -1, 5, 5, 7, 1]), "t": steps})
    builder.extend("ends", {"event": np.arange(300) * 70_000 - 2**20, "t": 2.0**53 - np.arange(300) ** 2})
    builder.extend("edges", {"slot": np.arange(300) * 218, "role": np.arange(300) % 256, "event": 7})
    floats = [0.0, -0.0, 0.1, math.nan, math.inf, -math.inf, 5e-324, 1.7976931348623157e308, 2.0**53, 2.0**60]
    builder.extend(
        "stats", {"min": floats, "max": [0.5] * 10, "nan": np.array(floats[:1] * 10), "tensor": np.arange(10)}
    )
    texts = ["", "\ufeffBOM", "a\0b", "\1", "🌊🌊", "Größe\n", "x" * 300, '"\\']
    builder.extend("strings", {"text": texts})
    noise = np.random.default_rng(0)
    builder.extend("values", {"data": [b"", b"\0", noise.bytes(40_000), noise.bytes(100)], "length": [0, 1, 2, 3]})
    builder.flush()
    builder.extend("names", {"tensor": [1], "name": [""]})
    builder.append("events")
    return builder


def contents(recording: Recording) -> dict:
    """Return the rows of a recording as JSON can say them; long bytes as their length and checksum."""
    tables = {}
    for name in recording.tables:
        table = recording.table(name)
        tables[name] = {column: [_plain(cell) for cell in _cells(table.cells(column))] for column in table.columns}
    return tables


def _cells(cells) -> list:
    return cells.tolist() if isinstance(cells, np.ndarray) else cells


def _plain(cell):
    if isinstance(cell, bytes):
        return [len(cell), zlib.crc32(cell)]
    if isinstance(cell, float) and (not math.isfinite(cell) or (cell == 0 and math.copysign(1, cell) < 0)):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity", "-0.0": "-0"}[str(cell)]
    return cell


def filters() -> dict:
    """Return what each filter finds in the training step, and what is said about the bad ones."""
    recording = training_step().recording()
    found = {text: select(recording, text) for text in GOOD}
    good = {text: {"events": s.events.tolist(), "tensors": s.tensors.tolist()} for text, s in found.items()}
    hints = {text: select(recording, text).hint for text in NOTHING}
    return {"good": good, "bad": {text: _complaint(recording, text) for text in BAD}, "hints": hints}


def breaks() -> dict:
    """Return when ops ran, which of the gaps between them a timeline leaves out, and where some times are then."""
    chance = np.random.default_rng(0)
    found = {}
    for number in range(24):
        count = int(chance.integers(0, 30))
        lengths = chance.exponential(10.0 ** chance.uniform(3, 7, count)).round()
        gaps = chance.exponential(10.0 ** chance.uniform(2, 5 + number % 5, count)).round()
        start = np.cumsum(gaps) + np.append(0, np.cumsum(lengths))[:count] + chance.integers(0, 2) * 5e6
        domain = (0.0, float((start + lengths).max(initial=1.0) + chance.integers(0, 2) * 3e7))
        left_out = breaks_of(gaps_of(start, start + lengths, domain), domain)
        times = np.linspace(0, domain[1], 9)
        found[str(number)] = {
            "start": start.tolist(), "end": (start + lengths).tolist(), "domain": list(domain),
            "breaks": [[gap.start, gap.end, gap.at, gap.size] for gap in left_out],
            "times": times.tolist(), "places": places_of(left_out, times).tolist(),
        }  # fmt: skip
    return found


def opened(source: bytes) -> Recording:
    """Return what `tapeviz.load` makes of these bytes."""
    recording = read(source)
    sound, malformed = with_sound_rows(recording.frames)
    return Recording(sound, recording.problem or malformed)


def fingerprints(recording: Recording) -> dict:
    """Return a checksum of each column of the schema: numbers as their bytes, texts with a zero behind each."""
    return {table.name: [_fingerprint(recording.table(table.name).cells(c.name)) for c in table.columns]
            for table in SCHEMA.values() if len(recording.table(table.name))}  # fmt: skip


def _fingerprint(cells) -> int:
    if isinstance(cells, np.ndarray):
        return zlib.crc32(cells.tobytes())
    return zlib.crc32(b"".join(cell if isinstance(cell, bytes) else cell.encode() + b"\0" for cell in cells))


def damages(count: int = 60, seed: int = 5) -> dict:
    """Return damaged recordings, what is said of each, and what is left of it."""
    chance, found = random.Random(seed), {}
    sources = [builder.recording() for builder in (training_step(), traced(), judged())]
    for number in range(count):
        source = damaged(chance.choice(sources), chance)
        recording = opened(source)
        found[str(number)] = {"bytes": base64.b64encode(source).decode(), "problem": recording.problem,
                              "columns": fingerprints(recording)}  # fmt: skip
    return found


def _complaint(recording: Recording, text: str) -> str:
    try:
        select(recording, text)
    except FilterError as error:
        return str(error)
    return ""


def outputs() -> dict[str, Builder | dict]:
    """Return each fixture: a recording, or what JSON is to say."""
    recordings = {"small": small(), "everything": everything(3, 2), "extremes": extremes(), "network": training_step(),
                  "traced": traced(), "judged": judged()}  # fmt: skip
    found = {f"{name}.tape": builder for name, builder in recordings.items()}
    expected = {f"{name}.json": contents(builder.recording()) for name, builder in recordings.items()}
    return {**found, **expected, "filters.json": filters(), "breaks.json": breaks(),
            "damaged.json": damages(), "lecture.json": lecture.steps(read(lecture.FILE))}  # fmt: skip


def as_json(value: dict) -> str:
    """Return a fixture's text: a line for each entry of the outer level."""
    entries = (f"{json.dumps(key)}: {json.dumps(entry, ensure_ascii=False)}" for key, entry in value.items())
    return "{\n" + ",\n".join(entries) + "\n}\n"


def main() -> None:
    """Write the fixtures."""
    FOLDER.mkdir(exist_ok=True)
    for name, value in outputs().items():
        if isinstance(value, Builder):
            (FOLDER / name).write_bytes(value.to_bytes())
        else:
            (FOLDER / name).write_text(as_json(value), encoding="utf-8")


if __name__ == "__main__":
    main()
