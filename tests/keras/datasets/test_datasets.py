"""Data sets: from a path, from the cache, from a network, and never anything else."""

import subprocess
import sys
import tarfile

import numpy as np
import pytest

import tapeviz as tf
from tests.keras.datasets.files import as_idx, as_npz, cifar_archive, examples, idx_files, split_of

MODULES = [
    "boston_housing", "california_housing", "cifar10", "cifar100", "diabetes", "digits", "fashion_mnist", "imdb",
    "mnist", "reuters",
]  # fmt: skip
datasets = tf.keras.datasets


def test_every_name_is_there():
    assert datasets.__all__ == MODULES
    for name in MODULES:
        assert callable(getattr(datasets, name).load_data)
    with pytest.raises(AttributeError, match="imagenet"):
        _ = datasets.imagenet


def test_importing_asks_for_nothing_heavy():
    program = (
        "import sys, tapeviz as tf\n"
        "for name in tf.keras.datasets.__all__: getattr(tf.keras.datasets, name)\n"
        "print('sklearn' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


# Those of scikit-learn.


def test_digits_are_those_of_scikit_learn():
    from sklearn.datasets import load_digits

    (x_train, y_train), (x_test, y_test) = datasets.digits.load_data()
    x, y = load_digits(return_X_y=True)
    assert x_train.dtype == y_train.dtype == np.uint8
    both = np.concatenate([x_train, x_test]).reshape(-1, 64)
    rows = {row.tobytes() + bytes([label]) for row, label in zip(both, np.concatenate([y_train, y_test]), strict=True)}
    assert rows == {row.astype(np.uint8).tobytes() + bytes([label]) for row, label in zip(x, y, strict=True)}
    assert len(both) == len(x)
    shares = np.bincount(y_test) / np.bincount(y)
    assert np.abs(shares - 0.2).max() < 0.005


def test_a_split_is_the_same_each_time_and_another_for_another_seed():
    first, again, other = (datasets.digits.load_data(seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first[0][0], again[0][0])
    assert np.array_equal(first[1][1], again[1][1])
    assert not np.array_equal(first[0][1], other[0][1])
    everything, nothing = datasets.digits.load_data(test_split=0)
    assert len(everything[0]) == 1797
    assert len(nothing[0]) == 0
    for share in (1.0, -0.1):
        with pytest.raises(ValueError, match="Invalid `test_split` argument"):
            datasets.digits.load_data(test_split=share)


def test_diabetes_is_that_of_scikit_learn():
    from sklearn.datasets import load_diabetes

    (_, y_train), (x_test, y_test) = datasets.diabetes.load_data()
    x, y = load_diabetes(return_X_y=True)
    assert np.array_equal(np.sort(np.concatenate([y_train, y_test])), np.sort(y))
    place = {row.tobytes(): target for row, target in zip(x, y, strict=True)}
    assert all(place[row.tobytes()] == target for row, target in zip(x_test, y_test, strict=True))


@pytest.mark.parametrize("name", ["digits", "diabetes"])
def test_without_scikit_learn_the_error_says_what_to_do(name, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    module = getattr(datasets, name)
    with pytest.raises(ImportError, match=f"{name} comes with scikit-learn, which is not installed.*path"):
        module.load_data()
    x, y = np.arange(20 * 64).reshape(20, 64) % 17, np.arange(20) % 2
    (x_train, _), (x_test, _) = module.load_data(as_npz(tmp_path / "mine.npz", x=x, y=y))
    assert (len(x_train), len(x_test)) == (16, 4)


# From a path.


def test_mnist_from_npz(tmp_path):
    images, labels = examples()
    path = as_npz(tmp_path / "some.npz", **split_of(images, labels))
    (x_train, y_train), (x_test, y_test) = datasets.mnist.load_data(path=str(path))
    assert np.array_equal(x_train, images)
    assert np.array_equal(y_train, labels)
    assert x_train.dtype == np.uint8
    assert np.array_equal(x_test, images[:2])
    assert y_test.tolist() == [0, 1]


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("name", ["mnist", "fashion_mnist"])
def test_images_from_idx_files(tmp_path, name, compressed):
    images, labels = examples()
    folder = idx_files(tmp_path / "idx", images, labels, compressed=compressed)
    load = getattr(datasets, name).load_data
    for path in (folder, next(folder.iterdir())):
        (x_train, y_train), (x_test, _) = load(path=path)
        assert np.array_equal(x_train, images)
        assert np.array_equal(y_train, labels)
        assert np.array_equal(x_test, images[:2])


@pytest.mark.parametrize("dtype", ["u1", "i1", ">i2", ">i4", ">f4", ">f8"])
def test_idx_of_every_type(tmp_path, dtype):
    from tapeviz.keras.datasets.formats import idx

    array = np.arange(-3, 3).reshape(2, 3).astype(dtype)
    (tmp_path / "file").write_bytes(as_idx(array))
    found = idx(tmp_path / "file")
    assert np.array_equal(found, array)
    assert found.dtype.isnative


def test_cifar_from_archive_folder_and_npz(tmp_path):
    parts = cifar_archive(tmp_path / "cifar.tar.gz")
    with tarfile.open(tmp_path / "cifar.tar.gz") as archive:
        for member in archive:  # extractall asks for a filter in some versions of Python, and refuses one in others
            file = tmp_path / "unpacked" / member.name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(archive.extractfile(member).read())
    for path in ("cifar.tar.gz", "unpacked"):
        (x_train, y_train), (x_test, y_test) = datasets.cifar10.load_data(path=tmp_path / path)
        assert x_train.shape == (10, 32, 32, 3)
        assert y_train.shape == (10, 1)
        assert np.array_equal(x_train[2:4], parts[1][1].transpose(0, 2, 3, 1))
        assert np.array_equal(x_test[0, :, :, 1], parts[5][1][0, 1])
        assert np.array_equal(y_test, parts[5][0])
    path = as_npz(tmp_path / "c.npz", **split_of(x_train, y_train))
    assert np.array_equal(datasets.cifar10.load_data(path=path)[0][0], x_train)


def test_the_split_of_houses_is_that_of_keras(tmp_path):
    x, y = np.arange(80.0).reshape(10, 8), np.arange(10.0)
    path = as_npz(tmp_path / "houses.npz", x=x, y=y)
    (x_train, y_train), (x_test, y_test) = datasets.california_housing.load_data(path=path)
    # What keras.datasets gives for ten rows: numpy.random.RandomState(113).shuffle.
    order = np.arange(10)
    np.random.RandomState(113).shuffle(order)
    assert np.array_equal(y_train, y[order[:8]])
    assert np.array_equal(x_test, x[order[8:]])
    assert len(y_test) == 2
    many = as_npz(tmp_path / "many.npz", x=np.zeros([700, 8]), y=np.arange(700.0))
    small = datasets.california_housing.load_data(version="small", path=many)
    assert len(small[0][0]) == 480
    with pytest.raises(ValueError, match="'small', 'large'"):
        datasets.california_housing.load_data(version="tiny", path=many)
    assert len(x_train) == 8
