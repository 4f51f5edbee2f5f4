"""A flipped bit or a cut in any file of a checkpoint is found, and its place is said."""

import hashlib
import json
import random
import shutil
import zipfile

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.errors import DataLossError, NotFoundError


def variables(chance):
    return {
        "weights": tf.Variable(chance.normal(size=(int(chance.integers(1, 9)), 3))),
        "words": tf.Variable(tf.constant(["a", "bc", ""])),
        "half": tf.Variable(tf.cast(chance.normal(size=[5]), tf.bfloat16)),
        "empty": tf.Variable(tf.zeros([0, 4])),
        "step": tf.Variable(int(chance.integers(100))),
    }


def damage(path, chance):
    content = bytearray(path.read_bytes())
    if chance.random() < 0.5:
        place = chance.randrange(8 * len(content))
        content[place // 8] ^= 1 << place % 8
    else:
        del content[chance.randrange(len(content)) :]
    path.write_bytes(content)


def tried(folder, count, seed):
    """Write checkpoints, damage one of the files of each, and restore it. What was found, by the file."""
    chance, found = random.Random(seed), {}
    for number in range(count):
        where = folder / str(number)
        held = variables(np.random.default_rng(number))
        tf.train.Checkpoint(**held).save(where / "ckpt")
        path = chance.choice(sorted(where.iterdir()))
        damage(path, chance)
        blank = {name: tf.Variable(tf.zeros_like(value) if name != "words" else value) for name, value in held.items()}
        with pytest.raises(DataLossError, match="Damaged checkpoint") as caught:
            tf.train.Checkpoint(**blank).restore(tf.train.latest_checkpoint(where))
        assert path.name in str(caught.value)
        assert not np.any(blank["weights"].numpy())  # nothing was restored
        found[path.suffix] = found.get(path.suffix, 0) + 1
        shutil.rmtree(where)
    return found


def test_none_of_60_loads_silently_wrong(tmp_path):
    assert set(tried(tmp_path, 60, 1)) == {"", ".index", ".safetensors"}


@pytest.mark.nightly
def test_none_of_1000_loads_silently_wrong(tmp_path):
    assert min(tried(tmp_path, 1000, 2).values()) > 200


def test_every_byte_counts(tmp_path):
    checkpoint = tf.train.Checkpoint(w=tf.Variable([1.0, 2.0]), s=tf.Variable(tf.constant(["x"])))
    prefix = checkpoint.save(tmp_path / "m")
    for path in tmp_path.iterdir():
        whole = path.read_bytes()
        for place in range(len(whole)):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
            with pytest.raises(DataLossError):
                checkpoint.restore(tf.train.latest_checkpoint(tmp_path))
        path.write_bytes(whole + b"\0")
        with pytest.raises(DataLossError):
            checkpoint.restore(tf.train.latest_checkpoint(tmp_path))
        path.write_bytes(whole)
    checkpoint.restore(prefix).assert_consumed()


def test_the_tensor_is_named(tmp_path):
    checkpoint = tf.train.Checkpoint(first=tf.Variable([1.0] * 100), second=tf.Variable([2.0] * 100))
    prefix = checkpoint.write(tmp_path / "m")
    (path,) = tmp_path.glob("*.safetensors")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(DataLossError, match=r"tensor second/.ATTRIBUTES/VARIABLE_VALUE in .*m\.\w+\.safetensors"):
        checkpoint.read(prefix)
    assert tf.train.load_variable(prefix, "first/.ATTRIBUTES/VARIABLE_VALUE").tolist() == [1.0] * 100
    path.unlink()
    with pytest.raises(DataLossError, match=r"its data file .*safetensors is gone"):
        checkpoint.read(prefix)
    (tmp_path / "m.index").unlink()
    with pytest.raises(NotFoundError, match="Failed to find any matching files"):
        checkpoint.read(prefix)


# Indices that somebody has made, with checksums that are right.


def forge(path, change):
    """Change what an index says, and its checksum with it."""
    head, _, rest = path.read_bytes().partition(b"\n")
    index = json.loads(rest.removesuffix(b"\n}\n"))
    change(index)
    text = json.dumps(index, indent=1).encode()
    path.write_bytes(b'{"sha256": "%s", "index":\n' % hashlib.sha256(text).hexdigest().encode() + text + b"\n}\n")
    assert head.startswith(b'{"sha256"')


def in_index(*keys_and_value):
    *keys, last, value = keys_and_value

    def change(index):
        for key in keys:
            index = index[key]
        index[last] = value

    return change


OUTSIDE = ["../secret.safetensors", "/secret.safetensors", "..\\secret.safetensors", ".."]


@pytest.mark.parametrize("name", [*OUTSIDE, "", 3, None])
def test_a_forged_index_cannot_leave_its_folder(name, tmp_path):
    (tmp_path / "folder").mkdir()
    prefix = tf.train.Checkpoint(v=tf.Variable([1.0])).write(tmp_path / "folder" / "m")
    (data,) = (tmp_path / "folder").glob("*.safetensors")
    data.rename(tmp_path / "secret.safetensors")
    forge(tmp_path / "folder" / "m.index", in_index("data", name))
    with pytest.raises(DataLossError, match="not in its folder"):
        tf.train.load_checkpoint(prefix)


@pytest.mark.parametrize(
    "change",
    [
        in_index("bytes", -1), in_index("bytes", "9"), in_index("header", [1]), in_index("tensors", []),
        in_index("tensors", "step", 3), in_index("tensors", "step", "shape", [2**61, 8]),
        in_index("tensors", "step", "shape", [-1]), in_index("tensors", "step", "dtype", "float1"),
        in_index("tensors", "step", "at", [0, 2**40]), in_index("tensors", "step", "at", [9, 3]),
        in_index("tensors", "words", "shape", [2**40]),
    ],
)  # fmt: skip
def test_a_forged_index_is_refused_before_it_takes_memory(change, tmp_path):
    held = {"step": tf.Variable(3), "words": tf.Variable(tf.constant(["a"]))}
    prefix = tf.train.Checkpoint(**held).write(tmp_path / "m")

    def renamed(index):
        index["tensors"] = {key.partition("/")[0]: told for key, told in index["tensors"].items()}
        change(index)

    forge(tmp_path / "m.index", renamed)
    with pytest.raises(DataLossError, match="Damaged checkpoint"):
        tf.train.load_checkpoint(prefix).get_tensor("words")


def test_a_model_file_takes_no_more_than_it_has(tmp_path):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model(tf.zeros([1, 1]))
    model.save(tmp_path / "m.keras")
    for name, content in (("../outside", b""), ("..", b""), ("model.index/x", b""), ("config.json", b" " * 10**7)):
        path = tmp_path / "forged.keras"
        with zipfile.ZipFile(tmp_path / "m.keras") as whole, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as forged:
            for kept in whole.namelist():
                if kept != name:
                    forged.writestr(kept, whole.read(kept))
            forged.writestr(name, content)
        with pytest.raises(DataLossError, match="Damaged model file"):
            tf.keras.models.load_model(path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["forged.keras", "m.keras"]
