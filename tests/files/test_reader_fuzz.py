"""Files with random damage, and files that somebody has made: each reader says one clear error in little memory."""

import random
import tracemalloc

import pytest

import tapeviz as tf
from tapeviz.recording import RecordingError
from tests.files.kinds import VARIABLE, find_records, save_module, tape
from tests.recording.test_damage import MANY, frame

MOST = 2**27
ERRORS = (tf.errors.OpError, RecordingError, ValueError)


def damaged(content, chance):
    """The bytes with some of them flipped, cut, doubled or put in."""
    made = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(made) + 1)
        match chance.randrange(4):
            case 0 if at < len(made):
                made[at] ^= 1 << chance.randrange(8)
            case 1:
                del made[at : at + chance.randrange(64)]
            case 2:
                made[at:at] = made[at : at + chance.randrange(64)]
            case _:
                made[at:at] = chance.choice([b"\xff" * 8, b"\0" * 8, b"9" * 12, chance.randbytes(16)])
    return bytes(made)


def cached(path):
    words = tf.data.Dataset.from_tensor_slices([f"word {number}" for number in range(200)])
    return tf.data.Dataset.zip((tf.data.Dataset.range(200), words)).cache(str(path))


def _words(path):
    with tf.io.TFRecordWriter(str(path)) as writer:
        for number in range(50):
            writer.write(b"%d " % number * 5)


READERS = {
    "run.tape": (lambda path: tape(1).save(path), lambda path: str(tf.load(path))),
    "kept.cache": (
        lambda path: list(cached(path.with_name("kept"))),
        lambda path: list(cached(path.with_name("kept"))),
    ),
    "m.index": (
        lambda path: tf.train.Checkpoint(v=VARIABLE).write(path.with_name("m")),
        lambda path: tf.train.load_checkpoint(path.with_name("m")).check(),
    ),
    "saved_model.index": (
        lambda path: save_module(path.parent, 1),
        lambda path: tf.saved_model.load(path.parent),
    ),
    "words": (_words, find_records),
}


def tried(name, folder, count, seed):
    """Read damaged files; how many were refused."""
    write, read = READERS[name]
    path, chance, refused = folder / name, random.Random(seed), 0
    write(path)
    whole = path.read_bytes()
    read(path)
    for _ in range(count):
        path.write_bytes(damaged(whole, chance))
        tracemalloc.start()
        try:
            read(path)
        except ERRORS as error:
            refused += 1
            text = str(error)
        else:
            text = ""
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < MOST, (name, text)
        assert len(text) < 2000
    return refused


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_random_damage_is_one_clear_error(name, tmp_path):
    refused = tried(name, tmp_path, 40, 1)
    assert refused > 10 or name == "run.tape"  # a tape opens up to the damage


@pytest.mark.nightly
@pytest.mark.parametrize("name", READERS)
def test_much_random_damage_is_one_clear_error(name, tmp_path):
    assert tried(name, tmp_path, 2000, 2) > 200 or name == "run.tape"


def test_a_cache_that_has_changed_is_never_read(tmp_path):
    path = tmp_path / "kept.cache"
    wanted = [int(x) for x, _ in cached(tmp_path / "kept")]
    whole = path.read_bytes()
    for at in range(0, len(whole), 37):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        if at < len(b"tapeviz cache 2\n"):
            continue
        found = []
        with pytest.raises((tf.errors.DataLossError, tf.errors.InvalidArgumentError)):  # noqa: PT012 - up to the damage
            for x, _ in cached(tmp_path / "kept"):
                found.append(int(x))
        assert found == wanted[: len(found)]


def test_a_cache_of_the_first_version_is_made_anew(tmp_path):
    (tmp_path / "kept.cache").write_bytes(b"tapeviz cache 1\nELEM")
    assert len(list(cached(tmp_path / "kept"))) == 200
    assert (tmp_path / "kept.cache").read_bytes().startswith(b"tapeviz cache 2\n")


def test_a_bomb_of_a_tape_opens_without_its_bomb(tmp_path):
    header = {"tables": [{"name": "events", "rows": MANY, "columns": []}]}
    (tmp_path / "run.tape").write_bytes(b"\x93TAPE1\r\n" + frame(header))
    assert "which no recording of its size does" in str(tf.load(tmp_path / "run.tape"))
