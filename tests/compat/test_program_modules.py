"""Modules of programs of TensorFlow 1: flags, messages, files, MNIST in batches, tests."""

from __future__ import annotations

import logging
import sys

import numpy as np
import pytest

import tapeviz as tf
import tapeviz.compat.v1 as tf1
from tapeviz.compat.v1 import flags as flag_module
from tapeviz.compat.v1.data import mnist_input


@pytest.fixture
def flags(monkeypatch):
    fresh = flag_module.Flags()
    monkeypatch.setattr(flag_module, "FLAGS", fresh)
    return fresh


def test_flags_are_read_when_one_is_asked_for(flags, monkeypatch):
    tf1.flags.DEFINE_string("name", "a", "A name.")
    tf1.flags.DEFINE_integer("size", 1, "A size.")
    tf1.flags.DEFINE_float("rate", 0.5, "A rate.")
    tf1.flags.DEFINE_boolean("deep", False, "Whether.")
    tf1.flags.DEFINE_list("parts", ["x"], "Parts.")
    tf1.flags.DEFINE_enum("mode", "train", ["train", "test"], "A mode.")
    monkeypatch.setattr(
        sys, "argv", ["program", "--size=3", "--deep", "--parts=a,b", "--rate", "1", "--mode=test", "file"]
    )
    assert flags.size == 3
    assert flags.flag_values_dict() == {
        "name": "a", "size": 3, "rate": 1.0, "deep": True, "parts": ["a", "b"], "mode": "test",
    }  # fmt: skip
    assert getattr(flags, "__flags")["size"] == 3
    flags.size = 4
    assert flags.size == 4
    assert min(flags) == "deep"
    with pytest.raises(AttributeError, match="There is no flag 'nothing'"):
        _ = flags.nothing


def test_a_program_gets_what_is_no_flag(flags):
    tf1.flags.DEFINE_bool("deep", True, "Whether.")
    with pytest.raises(SystemExit) as end:
        tf1.app.run(lambda rest: (flags.deep, rest), ["program", "--deep=false", "file"])
    assert end.value.code == (False, ["program", "file"])


def test_messages_go_to_pythons_logging(caplog):
    tf1.logging.set_verbosity(tf1.logging.WARN)
    tf1.logging.info("hidden")
    tf1.logging.warning("seen %d", 1)
    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [(logging.WARNING, "seen 1")]
    assert tf1.logging.get_verbosity() == logging.WARNING


def test_files_and_folders(tmp_path):
    gfile, old = tf.io.gfile, tf1.gfile
    folder, file = str(tmp_path / "a" / "b"), str(tmp_path / "a" / "b" / "c.txt")
    old.MakeDirs(folder)
    with gfile.GFile(file, "w") as stream:
        stream.write("é\n")
    assert (gfile.exists(file), old.Exists(file + "x"), gfile.isdir(folder)) == (True, False, True)
    assert gfile.stat(file).length == 3
    gfile.copy(file, gfile.join(folder, "d.txt"))
    with pytest.raises(FileExistsError, match="already exists"):
        gfile.copy(file, gfile.join(folder, "d.txt"))
    gfile.rename(file, gfile.join(folder, "e.txt"))
    with pytest.raises(FileExistsError, match="already exists"):
        gfile.rename(gfile.join(folder, "d.txt"), gfile.join(folder, "e.txt"))
    assert sorted(gfile.listdir(folder)) == ["d.txt", "e.txt"]
    assert gfile.glob([folder + "/d*", folder + "/e*"]) == [f"{folder}/d.txt", f"{folder}/e.txt"]
    with old.FastGFile(f"{folder}/e.txt", "rb") as stream:
        assert stream.read() == "é\n".encode()
    gfile.remove(f"{folder}/d.txt")
    gfile.mkdir(f"{folder}/f")
    assert [names for _, _, names in gfile.walk(folder)] == [["e.txt"], []]
    old.DeleteRecursively(folder)
    assert not gfile.exists(folder)


@pytest.fixture
def digits(monkeypatch):
    images, labels = np.arange(20 * 784).reshape(20, 28, 28).astype("uint8"), np.arange(20, dtype="uint8") % 10
    monkeypatch.setattr(mnist_input.mnist, "load_data", lambda *_path: ((images, labels), (images[:3], labels[:3])))
    return images


def test_batches_go_around(digits):
    sets = mnist_input.read_data_sets("", one_hot=True, validation_size=4, seed=0)
    assert [part.num_examples for part in sets] == [16, 4, 3]
    assert sets.train.images.shape == (16, 784)
    assert sets.train.images.max() <= 1
    first, labels = sets.train.next_batch(10)
    second, _ = sets.train.next_batch(10)
    assert labels.shape == (10, 10)
    assert sets.train.epochs_completed == 1
    seen = {row.tobytes() for row in [*first, *second[:6]]}
    assert len(seen) == 16
    raw = mnist_input.read_data_sets("", dtype=tf.uint8, reshape=False)
    assert (raw.test.images.shape, raw.test.images.dtype) == ((3, 28, 28, 1), np.uint8)
    np.testing.assert_array_equal(raw.test.images[..., 0], digits[:3])


def comparisons():
    """A program's test: run below, whole and by one wrong comparison at a time. No test of this module's own."""

    class Comparisons(tf.test.TestCase):
        """What a program's test does: run below, whole and by one wrong comparison at a time."""

        def runTest(self):
            x = tf.constant([1.0, 2.0])
            self.assertAllEqual(x, [1, 2])
            self.assertAllClose({"a": [x, x]}, {"a": [[1.0, 2.0 + 1e-7], x]})
            self.assertNotAllClose(x, [1.0, 2.1])
            self.assertNotAllEqual(x, [1, 3])
            self.assertAllCloseAccordingToType(tf.cast(x, tf.float16), [1.0005, 2.0])
            self.assertShapeEqual(np.ones(2), x)
            self.assertAllInRange(x, 1, 2)
            self.assertAllGreater(x, 0)
            self.assertAllLess(x, 3)
            self.assertNear(1.0, 1.1, 0.2)
            self.assertArrayNear([1.0], [1.1], 0.2)
            self.assertDTypeEqual(x, np.float32)
            self.assertStartsWith("abc", "ab")
            self.assertItemsEqual([1, 2], [2, 1])
            with self.assertRaisesOpError("Incompatible shapes"):
                x + tf.ones(3)
            with self.assertRaisesRegexp(ValueError, "no"):  # noqa: PT027, UP005 - what is tested
                raise ValueError("no")
            with self.cached_session() as session:
                assert session is None or session.graph is not None
            assert tf.io.gfile.isdir(self.get_temp_dir())

    return Comparisons()


def test_a_programs_test_runs():
    result = comparisons().run()
    assert result.wasSuccessful(), result.errors + result.failures


@pytest.mark.parametrize(
    "check",
    [
        lambda case: case.assertAllEqual([1], [2]), lambda case: case.assertAllEqual([1, 2], [[1, 2]]),
        lambda case: case.assertAllClose([1.0], [1.1]), lambda case: case.assertAllClose({"a": 1.0}, {"b": 1.0}),
        lambda case: case.assertNotAllClose([1.0], [1.0]), lambda case: case.assertNear(1.0, 2.0, 0.5),
        lambda case: case.assertAllGreater([1, 2], 1), lambda case: case.assertAllInRange([1, 5], 0, 2),
        lambda case: case.assertDTypeEqual(np.float32([1]), np.float64), lambda case: case.assertStartsWith("b", "a"),
        lambda case: case.assertShapeEqual(np.ones(2), np.ones(3)), lambda case: case.assertAllLess([3], 2),
    ],
)  # fmt: skip
def test_a_wrong_comparison_fails(check):
    with pytest.raises(AssertionError):
        check(comparisons())


def test_a_benchmark_prints_what_was_measured(capsys):
    class Speed(tf.test.Benchmark):
        pass

    Speed().report_benchmark(iters=3, extras={"rate": 2.0}, name="adding")
    assert capsys.readouterr().out == "adding  iters: 3  rate: 2.0\n"
