"""Files of data sets, as small as they can be."""

import gzip
import hashlib
import io
import tarfile

import numpy as np

from tapeviz.keras.datasets import download


def as_remote(monkeypatch, module, files, address, data, digest=None):
    """Have the data set's file come from the server."""
    name = module._FILE.name
    files[f"/{name}"] = data
    monkeypatch.setattr(
        module, "_FILE", download.Remote(name, f"{address}/{name}", digest or hashlib.sha256(data).hexdigest())
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
