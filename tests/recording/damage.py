"""Recordings with random damage, as a fault in a writer, a disk or somebody with an editor leaves them."""

from __future__ import annotations

import math
import random
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from tapeviz.recording import MAGIC, SCHEMA, Recording
from tapeviz.recording.codec import Chunk, encode_frame

__all__ = ["damaged", "sealed"]

_HEAD: Final = struct.Struct("<4sIIII")
_WILD: Final = {
    "u1": [0, 1, 2, 17, 254, 255],
    "u2": [0, 1, 999, 65535],
    "i4": [0, 1, 5, -1, -2, 2**31 - 1, -(2**31), 10**6],
    "f8": [0.0, -1.0, 0.5, 1e300, -1e300, math.nan, math.inf, -math.inf, 2.0**53, 2.0**60, 5e-324],
}
_TEXTS: Final = [
    "", "x", "{", "[]", "{}", "null", "[1, 2]", "[1, null]", "[-1]", "[1.5]", "[9007199254740993]",
    "[" + ", ".join(["2"] * 70) + "]", "[4000000000, 4000000000]", "[0, 0]", "[[1]]", "[" * 300, "[" * 99 + "]" * 99,
    '{"span": 3, "name": ["x"]}', '{"span": "step", "name": null}', '{"axis": NaN}', '{"a": -Infinity}', '"text"', "7",
    "1" * 500, "true", "\x1b[2J\x07\0", "\u202eevil\u2066", "\ufeff{}", "a\u2028b", "\\ud800", "</script><script>",
    "é" * 60, "🌊" * 50, "x" * 5000, '[["x"], 3, null]', '[[0, 1], ["a", "b"], [1]]', '{"a": ' * 120,
    '{"event": "x", "line": []}', '{"tensors": "many"}', '{"kinds": 3, "unseen": [3, null]}', '{"event": 3}',
    '{"ops": 1e999, "failures": {"add": [1]}}', '{"ops": -3}', '{"unseen": ["a"], "text": "No finding"}',
]  # fmt: skip
_KEYS: Final = ["title", "stopped", "dropped", "looked_for", "evicted", "policy", "overhead", "cell", "seconds", "mode"]

Columns = dict[str, list[Any]]


def damaged(recording: Recording, chance: random.Random) -> bytes:
    """The bytes of a recording with damage of one to five kinds; checksums are right but for damage to the file."""
    tables = {name: _columns(recording, name) for name in SCHEMA if len(recording.table(name))}
    for _ in range(chance.randint(1, 5)):
        chance.choice(_KINDS)(tables, chance)
    frames = list(_frames(tables, chance))
    if chance.random() < 0.3:
        at = chance.randrange(len(frames))
        frames[at] = _scratched(frames[at], chance)
    whole = MAGIC + b"".join(frames)
    if chance.random() < 0.2:
        whole = _broken(whole, chance)
    return whole


def sealed(body: bytes, plain: bytes = b"") -> bytes:
    """A frame of an inflated part and a plain one, with right sizes and checksums."""
    packed = zlib.compress(body)
    head = _HEAD.pack(b"FRAM", len(packed), len(body), len(plain), zlib.crc32(packed + plain))
    return head + zlib.crc32(head).to_bytes(4, "little") + packed + plain


def _columns(recording: Recording, name: str) -> Columns:
    view = recording.table(name)
    return {column: list(np.asarray(view.cells(column)).tolist() if _is_number(name, column) else view.cells(column))
            for column in view.columns}  # fmt: skip


def _type(table: str, column: str) -> str:
    return next(spec.type for spec in SCHEMA[table].columns if spec.name == column)


def _is_number(table: str, column: str) -> bool:
    return _type(table, column) not in ("text", "bytes")


def _frames(tables: dict[str, Columns], chance: random.Random) -> Iterator[bytes]:
    """All rows in one frame, or in two parts."""
    parts = chance.choice([1, 1, 2])
    for part in range(parts):
        chunks = {}
        for name, columns in tables.items():
            rows = len(next(iter(columns.values()))) if columns else 0
            of = slice(rows * part // parts, rows * (part + 1) // parts)
            count = len(range(rows)[of])
            if count:
                types = {column: _type(name, column) for column in columns}
                chunks[name] = Chunk(count, types, {c: _cells(types[c], cells[of]) for c, cells in columns.items()})
        if chunks:
            yield encode_frame(chunks)


def _cells(type_: str, cells: list[Any]) -> Any:
    return cells if type_ in ("text", "bytes") else np.array(cells).astype(f"<{type_}")


# What is wrong with rows.


def _cell(tables: dict[str, Columns], chance: random.Random) -> None:
    """Some cells of a column are something else."""
    name = chance.choice(list(tables))
    column = chance.choice(list(tables[name]))
    cells = tables[name][column]
    for _ in range(chance.choice([1, 1, 3, len(cells)])):
        at, type_ = chance.randrange(len(cells)), _type(name, column)
        if type_ == "text":
            cells[at] = chance.choice(_TEXTS)
        elif type_ == "bytes":
            cells[at] = chance.choice([b"", b"\xff" * 7, cells[at][:-1], cells[at] * 2, b"\0" * 128, b"\xff" * 128])
        else:
            cells[at] = chance.choice(_WILD[type_])


def _text(tables: dict[str, Columns], chance: random.Random) -> None:
    """A text that others point to is something else."""
    texts = tables.get("strings", {}).get("text")
    if texts:
        for _ in range(chance.randint(1, 4)):
            texts[chance.randrange(len(texts))] = chance.choice(_TEXTS)


def _fact(tables: dict[str, Columns], chance: random.Random) -> None:
    """A fact of another kind."""
    meta = tables.setdefault("meta", {"key": [], "value": []})
    for column, cell in (("key", chance.choice(_KEYS)), ("value", chance.choice(_TEXTS))):
        meta.setdefault(column, [""] * max(map(len, meta.values()), default=0)).append(cell)


def _swap(tables: dict[str, Columns], chance: random.Random) -> None:
    """Two rows in each other's place."""
    columns = tables[chance.choice(list(tables))]
    if columns:
        rows = len(next(iter(columns.values())))
        one, other = chance.randrange(rows), chance.randrange(rows)
        for cells in columns.values():
            cells[one], cells[other] = cells[other], cells[one]


def _shuffle(tables: dict[str, Columns], chance: random.Random) -> None:
    columns = tables[chance.choice(list(tables))]
    if columns:
        order = list(range(len(next(iter(columns.values())))))
        chance.shuffle(order)
        for cells in columns.values():
            cells[:] = [cells[row] for row in order]


def _repeat(tables: dict[str, Columns], chance: random.Random) -> None:
    """Rows that are there twice, with their numbers."""
    columns = tables[chance.choice(list(tables))]
    if columns:
        row = chance.randrange(len(next(iter(columns.values()))))
        for cells in columns.values():
            cells.insert(chance.choice([row, len(cells)]), cells[row])


def _less(tables: dict[str, Columns], chance: random.Random) -> None:
    """A table that has lost its end, or a column that is not there."""
    name = chance.choice(list(tables))
    columns = tables[name]
    if chance.random() < 0.5 and len(columns) > 1:
        del columns[chance.choice(list(columns))]
    elif columns:
        left = chance.randint(1, len(next(iter(columns.values()))))
        for cells in columns.values():
            del cells[left:]


def _circle(tables: dict[str, Columns], chance: random.Random) -> None:
    """Rows that point to each other, or to themselves."""
    name, column = chance.choice([
        ("events", "parent"), ("events", "origin"), ("graphs", "parent"), ("nodes", "region"), ("tensors", "storage"),
        ("tensors", "producer"), ("edges", "tensor"), ("edges", "event"), ("gradients", "gradient"),
        ("gradients", "tensor"), ("gradients", "backward"), ("node_edges", "source"), ("node_edges", "target"),
        ("requests", "target"), ("nodes", "graph"), ("nodes", "number"), ("nodes", "into"), ("graph_runs", "graph"),
    ])  # fmt: skip
    cells = tables.get(name, {}).get(column)
    if cells:
        for _ in range(chance.randint(1, 6)):
            cells[chance.randrange(len(cells))] = chance.randint(0, len(cells))


_KINDS: Final[list[Callable[[dict[str, Columns], random.Random], None]]] = [
    _cell, _cell, _cell, _cell, _cell, _cell, _text, _text, _fact, _fact, _swap, _shuffle, _repeat, _less, _circle,
    _circle,
]  # fmt: skip


# What is wrong with bytes.


def _scratched(frame: bytes, chance: random.Random) -> bytes:
    """The frame with some bytes of what it holds changed, and right checksums again."""
    packed = _HEAD.unpack(frame[: _HEAD.size])[1]
    start = _HEAD.size + 4
    body = bytearray(zlib.decompress(frame[start : start + packed]))
    plain = bytearray(frame[start + packed :])
    for _ in range(chance.randint(1, 6)):
        part = chance.choice([body, body, plain]) if plain else body
        part[chance.randrange(4, len(part))] = chance.choice([0, 0x22, 0x31, 0x7B, 0x80, 0xC3, 0xFF])
    return sealed(bytes(body), bytes(plain))


def _broken(whole: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(MAGIC), len(whole))
    if chance.random() < 0.5:
        return whole[:at]
    return whole[:at] + bytes([whole[at] ^ 1 << chance.randrange(8)]) + whole[at + 1 :]
