"""Data sets: from a path, from the cache, from a network, and never anything else."""

import doctest
import gzip
import hashlib
import http.server
import io
import subprocess
import sys
import tarfile
import threading
from importlib import import_module

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.keras.datasets import fetching

MODULES = ["california_housing", "cifar10", "diabetes", "digits", "fashion_mnist", "mnist"]
datasets = tf.keras.datasets


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TAPEVIZ_HOME", str(tmp_path / "home"))

    def refused(url):
        raise ConnectionRefusedError(f"no network for {url}")

    monkeypatch.setattr(fetching, "opened", refused)
    return tmp_path / "home" / "datasets"


@pytest.fixture
def served(monkeypatch):
    """Files by address, on a server of this machine; what was asked for."""
    files, asked = {}, []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            found = files.get(self.path)
            self.send_response(200 if found is not None else 404)
            self.send_header("Content-Length", str(len(found or b"")))
            self.end_headers()
            self.wfile.write(found or b"")

        def log_message(self, *_args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.undo()
    yield files, asked, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def as_remote(monkeypatch, module, files, address, data, digest=None):
    """Have the data set's file come from the server."""
    name = module._FILE.name
    files[f"/{name}"] = data
    monkeypatch.setattr(
        module, "_FILE", fetching.Remote(name, f"{address}/{name}", digest or hashlib.sha256(data).hexdigest())
    )


def examples(count=6, side=28):
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (count, side, side), dtype=np.uint8)
    return images, np.arange(count, dtype=np.uint8)


def as_npz(path, **arrays):
    np.savez(path, **arrays)
    return path


def npz_bytes(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def split_of(images, labels, test=2):
    return {"x_train": images, "y_train": labels, "x_test": images[:test], "y_test": labels[:test]}


def as_idx(array):
    codes = {"u1": 8, "i1": 9, ">i2": 0x0B, ">i4": 0x0C, ">f4": 0x0D, ">f8": 0x0E}
    code = next(number for text, number in codes.items() if np.dtype(text) == array.dtype)
    return bytes([0, 0, code, array.ndim]) + np.array(array.shape, ">u4").tobytes() + array.tobytes()


def idx_files(folder, images, labels, *, compressed):
    folder.mkdir()
    for part, count in (("train", len(images)), ("t10k", 2)):
        for kind, array in (("images-idx3", images[:count]), ("labels-idx1", labels[:count])):
            data = as_idx(array)
            name = f"{part}-{kind}-ubyte" + (".gz" if compressed else "")
            (folder / name).write_bytes(gzip.compress(data) if compressed else data)
    return folder


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name):
    found = doctest.testmod(import_module(f"tapeviz.keras.datasets.{name}"))
    assert found.failed == 0
    assert found.attempted


def test_every_name_is_there():
    assert datasets.__all__ == MODULES
    for name in MODULES:
        assert callable(getattr(datasets, name).load_data)
    with pytest.raises(AttributeError, match="boston_housing"):
        _ = datasets.boston_housing


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


def cifar_rows(count, seed):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 10, (count, 1), dtype=np.uint8), rng.integers(0, 256, (count, 3, 32, 32), dtype=np.uint8)


def cifar_archive(path, *, inner="data_batch_{}.bin"):
    parts = [cifar_rows(2, seed) for seed in range(6)]
    names = [*(inner.format(k) for k in range(1, 6)), "test_batch.bin"]
    with tarfile.open(path, "w:gz") as archive:
        for name, (labels, images) in zip(names, parts, strict=True):
            data = np.concatenate([labels, images.reshape(2, -1)], axis=1).tobytes()
            member = tarfile.TarInfo(f"cifar-10-batches-bin/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return parts


def test_cifar_from_archive_folder_and_npz(tmp_path):
    parts = cifar_archive(tmp_path / "cifar.tar.gz")
    with tarfile.open(tmp_path / "cifar.tar.gz") as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
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
        ("train-images-idx3-ubyte", b"MNIST", "no IDX file: it begins with 4d 4e 49 53"),
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
    assert fetching.cache_folder() == tmp_path / ".tapeviz" / "datasets"


def test_only_addresses_of_the_web_are_opened(monkeypatch):
    monkeypatch.undo()
    with pytest.raises(ValueError, match="no address of the web"):
        fetching.opened("file:///etc/passwd")
