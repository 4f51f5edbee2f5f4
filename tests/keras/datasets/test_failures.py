"""Data sets that are not there, damaged, or downloaded: what is said, and what is kept."""

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.keras.datasets import download
from tests.keras.datasets.files import (
    as_idx,
    as_npz,
    as_remote,
    cifar_archive,
    examples,
    idx_files,
    npz_bytes,
    split_of,
)

datasets = tf.keras.datasets

# What is not there, or damaged.


@pytest.mark.parametrize("name", ["california_housing", "cifar10", "digits", "fashion_mnist", "mnist"])
def test_a_path_that_is_not_there_is_named(name, own_cache):
    with pytest.raises(FileNotFoundError, match=r"path='/nowhere/mine\.npz'.*nor is it in"):
        getattr(datasets, name).load_data(path="/nowhere/mine.npz")
    assert not own_cache.exists()


@pytest.mark.parametrize("name", ["california_housing", "cifar10", "fashion_mnist", "mnist"])
def test_without_a_network_the_error_names_the_path_and_the_digits(name, own_cache, capsys):
    with pytest.raises(ConnectionError, match=name) as caught:
        getattr(datasets, name).load_data()
    for part in ("path=", "digits", str(own_cache), "URL fetch failure"):
        assert part in str(caught.value)
    assert f"Downloading {name} from https://" in capsys.readouterr().err
    assert [path for path in own_cache.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("name", ["cifar10", "mnist", "california_housing"])
def test_damaged_files_are_named(name, tmp_path):
    module = getattr(datasets, name)
    whole = npz_bytes(**split_of(*examples()), x=np.zeros([4, 8]), y=np.zeros(4))
    for data in (whole[:-40], whole[: len(whole) // 2], b"PK\x03\x04", b"", b"nothing of the kind"):
        path = tmp_path / "cut.npz"
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"cut\.npz"):
            module.load_data(path=path)


def test_a_flipped_bit_in_npz_is_seen(tmp_path):
    data = bytearray(npz_bytes(**split_of(*examples())))
    data[400] ^= 8
    path = tmp_path / "flipped.npz"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"flipped\.npz"):
        datasets.mnist.load_data(path=path)


def test_arrays_that_lack_are_named(tmp_path):
    path = as_npz(tmp_path / "part.npz", x_train=np.zeros(3))
    with pytest.raises(ValueError, match=r"lacks \['y_train', 'x_test', 'y_test'\]"):
        datasets.mnist.load_data(path=path)


def test_objects_in_npz_are_refused(tmp_path):
    path = tmp_path / "pickled.npz"
    np.savez(path, **split_of(np.array([{}, {}], object), np.arange(2)))
    with pytest.raises(ValueError, match="allow_pickle"):
        datasets.mnist.load_data(path=path)


def test_damaged_idx_files_are_named(tmp_path):
    images, labels = examples()
    folder = idx_files(tmp_path / "idx", images, labels, compressed=False)
    for name, data, why in (
        ("train-labels-idx1-ubyte", as_idx(labels)[:-1], "13 bytes, not 14"),
        ("train-labels-idx1-ubyte", as_idx(labels[:3]), "6 train images and 3 train labels"),
        ("train-images-idx3-ubyte", b"\x1f\x8b" + b"\0" * 20, "damaged"),
        ("train-images-idx3-ubyte", b"MNIST", "not an IDX file: it begins with 4d 4e 49 53"),
    ):
        (folder / name).write_bytes(data)
        with pytest.raises(ValueError, match=why):
            datasets.mnist.load_data(path=folder)
        (folder / "train-labels-idx1-ubyte").write_bytes(as_idx(labels))
    (folder / "t10k-labels-idx1-ubyte").unlink()
    (folder / "train-images-idx3-ubyte").write_bytes(as_idx(images))
    with pytest.raises(FileNotFoundError, match="t10k-labels-idx1-ubyte"):
        datasets.mnist.load_data(path=folder)


def test_pickles_of_cifar_are_refused(tmp_path):
    cifar_archive(tmp_path / "python.tar.gz", inner="data_batch_{}")
    with pytest.raises(ValueError, match=r"pickles.*binary version"):
        datasets.cifar10.load_data(path=tmp_path / "python.tar.gz")
    cifar_archive(tmp_path / "short.tar.gz")
    whole = (tmp_path / "short.tar.gz").read_bytes()
    (tmp_path / "short.tar.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"short\.tar\.gz is damaged"):
        datasets.cifar10.load_data(path=tmp_path / "short.tar.gz")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match=r"data_batch_1\.bin"):
        datasets.cifar10.load_data(path=tmp_path / "empty")


# From a network.


def test_a_download_is_announced_checked_and_kept(served, monkeypatch, tmp_path, capsys):
    files, asked, address = served
    monkeypatch.setenv("TAPEVIZ_HOME", str(tmp_path / "home"))
    images, labels = examples()
    module = datasets.mnist
    as_remote(monkeypatch, module, files, address, npz_bytes(**split_of(images, labels)))
    (x_train, _), _ = module.load_data()
    assert np.array_equal(x_train, images)
    told = capsys.readouterr().err
    assert f"Downloading mnist from {address}/mnist.npz to" in told
    assert "100%" in told
    (x_train, _), _ = module.load_data(path="mnist.npz")
    assert np.array_equal(x_train, images)
    assert asked == ["/mnist.npz"]
    assert [path.name for path in (tmp_path / "home/datasets").iterdir()] == ["mnist.npz"]
    assert capsys.readouterr().err == ""


def test_a_wrong_download_is_not_kept(served, monkeypatch, tmp_path):
    files, _, address = served
    monkeypatch.setenv("TAPEVIZ_HOME", str(tmp_path / "home"))
    as_remote(monkeypatch, datasets.mnist, files, address, b"something else", digest="0" * 64)
    with pytest.raises(ValueError, match=r"Incomplete or corrupted file detected.*Nothing was kept.*path"):
        datasets.mnist.load_data()
    assert list((tmp_path / "home/datasets").iterdir()) == []


def test_a_damaged_file_in_the_cache_is_downloaded_anew(served, monkeypatch, tmp_path, capsys):
    files, asked, address = served
    monkeypatch.setenv("TAPEVIZ_HOME", str(tmp_path / "home"))
    images, labels = examples()
    as_remote(monkeypatch, datasets.mnist, files, address, npz_bytes(**split_of(images, labels)))
    (tmp_path / "home/datasets").mkdir(parents=True)
    (tmp_path / "home/datasets/mnist.npz").write_bytes(b"cut")
    (x_train, _), _ = datasets.mnist.load_data()
    assert np.array_equal(x_train, images)
    assert "is damaged" in capsys.readouterr().err
    assert len(asked) == 1


def test_a_server_without_the_file_is_an_error(served, monkeypatch, tmp_path):
    files, _, address = served
    monkeypatch.setenv("TAPEVIZ_HOME", str(tmp_path / "home"))
    as_remote(monkeypatch, datasets.mnist, files, address, b"")
    files.clear()
    with pytest.raises(ConnectionError, match=r"URL fetch failure.*Not Found"):
        datasets.mnist.load_data()


def test_files_in_the_cache_can_be_named(own_cache):
    own_cache.mkdir(parents=True)
    images, labels = examples()
    as_npz(own_cache / "mine.npz", **split_of(images, labels))
    assert np.array_equal(datasets.mnist.load_data(path="mine.npz")[0][0], images)


def test_the_cache_is_in_the_home_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("TAPEVIZ_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert download.cache_folder() == tmp_path / ".tapeviz" / "datasets"


def test_only_addresses_of_the_web_are_opened(monkeypatch):
    monkeypatch.undo()
    with pytest.raises(ValueError, match="not a web address"):
        download.opened("file:///etc/passwd")
