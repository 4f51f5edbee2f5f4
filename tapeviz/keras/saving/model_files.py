"""Whole models in one file: what they are made of, how they are trained, and all values; read without their code.

A ``.keras`` file is an archive of ``config.json``, ``metadata.json`` and a checkpoint. None of it is run: classes of
one's own are looked up among those that the program names.
"""

from __future__ import annotations

import json
import os
import re
import warnings
import zipfile
import zlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from tapeviz.engine.deferred_restoration import Awaited
from tapeviz.engine.errors import DataLossError
from tapeviz.engine.os_errors import translate_os_errors
from tapeviz.files import atomic_writer, scratch_folder, write_atomic
from tapeviz.keras.saving.weight_files import ModelWeights
from tapeviz.keras.serialization import custom_object_scope, deserialize_keras_object, serialize_keras_object
from tapeviz.train.files import CheckpointReader
from tapeviz.train.object_files import write_objects
from tapeviz.train.restoration import Restoration

__all__ = ["load_model", "save_model"]

_SUFFIX: Final = ".keras"
# Names under which older programs expect HDF5, or a folder.
_OLDER: Final = ("", ".h5", ".hdf5", ".tf")
_CONFIG: Final = "config.json"
_METADATA: Final = "metadata.json"
_WEIGHTS: Final = "model"
_FORMAT: Final = 1
_OURS: Final = re.compile(rf"{_WEIGHTS}\.(index|[0-9a-f]{{8}}\.safetensors)")
_DAMAGE: Final = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, NotImplementedError, RuntimeError, ValueError,
                  OverflowError, OSError)  # fmt: skip


class _Whole(Awaited):
    """A model and its optimizer, for a checkpoint."""

    def __init__(self, model: Any, optimizer: Any) -> None:
        self.model = ModelWeights(model)
        if optimizer is not None:
            self.optimizer = optimizer

    def _checkpoint_children(self) -> list[tuple[str, Any]]:
        return list(vars(self).items())


def save_model(model: Any, filepath: Any, overwrite: bool = True, zipped: Any = None, **kwargs: Any) -> None:
    """Write a model to one file: its config, how it was compiled, its weights, and its optimizer's state.

    Args:
        model: the model.
        filepath: the file; its name ends in ``.keras``. Under ``.h5``, or without an ending, the same is written,
            with a warning: older programs find there what they saved.
        overwrite: whether a file of this name is replaced.
        zipped: accepted as Keras does.
        **kwargs: ``include_optimizer=False`` leaves out the optimizer's state.

    Raises:
        ValueError: the name has another ending.
        FileExistsError: the file is there and must not be replaced.
        NotImplementedError: a class of one's own does not say its config.
        PermissionDeniedError, NotFoundError, FailedPreconditionError, ResourceExhaustedError: the file cannot be
            written. One of this name that was there before is there as it was.
    """
    path = Path(os.fspath(filepath))
    if path.suffix in _OLDER:
        warnings.warn(
            f"'{path.name}' is written as what its name would be with {_SUFFIX}: one file that tapeviz reads, and "
            "neither HDF5 nor a folder. Use `tapeviz.saved_model.save` for a folder of traced functions.",
            stacklevel=3,
        )
        path.parent.mkdir(parents=True, exist_ok=True)
    elif path.suffix != _SUFFIX:
        raise ValueError(
            "Invalid filepath extension for saving. Please add a `.keras` extension. Use `tapeviz.saved_model.save` "
            f"for a folder of traced functions, `save_weights` for weights alone. Received: filepath={filepath}."
        )
    if not overwrite and path.exists():
        raise FileExistsError(f"There is a file {path}, and overwrite=False")
    with_optimizer = kwargs.pop("include_optimizer", True)
    if kwargs:
        raise ValueError(f"The following argument(s) are not supported: {list(kwargs)}")
    optimizer = getattr(model, "optimizer", None) if with_optimizer else None
    config = json.dumps(_config_of(model))
    said = json.dumps({"tapeviz_format": _FORMAT, "date_saved": datetime.now(UTC).strftime("%Y-%m-%d@%H:%M:%S")})
    with translate_os_errors(f"Cannot write a model to {path}"), scratch_folder() as folder:
        write_objects(str(folder / _WEIGHTS), _Whole(model, optimizer))
        _pack(path, {_METADATA: said, _CONFIG: config}, sorted(folder.iterdir()))


def _config_of(model: Any) -> dict[str, Any]:
    described: dict[str, Any] = serialize_keras_object(model)
    build = model.get_build_config()
    if build is not None:
        described["build_config"] = serialize_keras_object(build)
    if getattr(model, "compiled", False):
        compiled = dict(model.get_compile_config(), optimizer=model.optimizer)
        described["compile_config"] = serialize_keras_object(compiled)
    return described


def _pack(path: Path, texts: dict[str, str], files: list[Path]) -> None:
    """One file of all, in one step of the file system."""
    with atomic_writer(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, text in texts.items():
            archive.writestr(name, text)
        for found in files:
            archive.write(found, found.name)


def load_model(
    filepath: Any, custom_objects: dict[str, Any] | None = None, compile: bool = True, safe_mode: bool = True
) -> Any:
    """Read a model that :func:`save_model` has written: the model as it was, ready to go on training.

    Args:
        filepath: the file.
        custom_objects: classes and functions of one's own that the model uses, by name.
        compile: whether to compile it as it was.
        safe_mode: accepted; a file never holds code.

    Raises:
        ValueError: there is no such file, or it uses a class that is not known.
        DataLossError: the file is damaged or cut.

    >>> import tapeviz as tf, tempfile
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
    >>> x = tf.ones([1, 3])
    >>> before = model(x).numpy()
    >>> path = tempfile.mkdtemp() + "/model.keras"
    >>> model.save(path)
    >>> (tf.keras.models.load_model(path)(x).numpy() == before).all()
    np.True_
    """
    path = Path(os.fspath(filepath))
    if not path.is_file():
        raise ValueError(
            f"File not found: filepath={filepath}. Please ensure the file is an accessible `.keras` zip file."
        )
    with scratch_folder() as folder:
        config = _unpacked(path, folder)
        reader = CheckpointReader(str(folder / _WEIGHTS))
        reader.check()
        with custom_object_scope(custom_objects or {}):
            model = deserialize_keras_object(config, custom_objects)
            optimizer = _compiled(model, config) if compile else None
        restoration = Restoration(reader, _Whole(model, optimizer))
        restoration.partial = optimizer is None
    return model


def _unpacked(path: Path, folder: Path) -> dict[str, Any]:
    """The config in a file; the checkpoint lies in the folder then."""
    try:
        with zipfile.ZipFile(path) as archive:
            announced = sum(info.file_size for info in archive.infolist())
            if announced > path.stat().st_size:  # what is written is not compressed
                raise zipfile.BadZipFile(f"{announced:,} bytes are announced in {path.stat().st_size:,}")
            if archive.testzip() is not None:
                raise zipfile.BadZipFile(f"{archive.testzip()} has changed since it was written")
            for name in archive.namelist():
                if name not in {_CONFIG, _METADATA} and not _OURS.fullmatch(name):
                    raise zipfile.BadZipFile(f"it contains the file {name!r}, which is not part of a model")
                write_atomic(folder / name, [archive.read(name)])
            config: dict[str, Any] = json.loads(archive.read(_CONFIG))
    except _DAMAGE as error:
        raise DataLossError(f"Damaged model file {path}: {error}") from error
    return config


def _compiled(model: Any, config: dict[str, Any]) -> Any:
    """Compile the model as the file says; its optimizer."""
    said = config.get("compile_config")
    if not said:
        return None
    model.compile(**{name: deserialize_keras_object(value) for name, value in said.items()})
    if model.optimizer is not None and model.trainable_variables:
        model.optimizer.build(model.trainable_variables)
    return model.optimizer
