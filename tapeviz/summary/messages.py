"""Values as TensorBoard takes them: tensors, histograms, pictures and text as messages."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from tensorboardX.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboardX.proto.tensor_pb2 import TensorProto
from tensorboardX.proto.tensor_shape_pb2 import TensorShapeProto

from tapeviz.engine.dtypes import as_dtype

__all__ = [
    "buckets", "histogram_message", "metadata_for", "pictures", "png", "shape_message", "tensor_message",
    "value_message",
]  # fmt: skip

_STRING: Final = 7
_COLOURS: Final = {1: 0, 2: 4, 3: 2, 4: 6}
"""PNG's number for so many channels: grey, grey with opacity, colours, colours with opacity."""


def shape_message(shape: Sequence[int | None] | None) -> Any:
    """A shape; sizes that are not known are -1."""
    if shape is None:
        return TensorShapeProto(unknown_rank=True)
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=-1 if size is None else size) for size in shape])


def tensor_message(array: np.ndarray) -> Any:
    """The elements of an array, with dtype and shape."""
    shape = shape_message(array.shape)
    if array.dtype.kind in "OSU":
        texts = [text.encode() if isinstance(text, str) else bytes(text) for text in array.ravel().tolist()]
        return TensorProto(dtype=_STRING, tensor_shape=shape, string_val=texts)
    # TensorBoard reads no bfloat16; as float32 the numbers are the same.
    plain = np.ascontiguousarray(array, np.float32 if array.dtype.name == "bfloat16" else None)
    number = as_dtype(plain.dtype).as_datatype_enum
    return TensorProto(dtype=number, tensor_shape=shape, tensor_content=plain.tobytes())


def metadata_for(plugin: str, description: str | None = None, content: bytes = b"") -> Any:
    """Which part of TensorBoard shows a value, and what it says of it."""
    data = SummaryMetadata.PluginData(plugin_name=plugin, content=content)
    return SummaryMetadata(plugin_data=data, summary_description=description or "")


def value_message(tag: str, array: np.ndarray, metadata: Any) -> Any:
    """A value under its name."""
    return Summary(value=[Summary.Value(tag=tag, metadata=metadata, tensor=tensor_message(array))])


def buckets(values: np.ndarray, count: int) -> np.ndarray:
    """A histogram: left edge, right edge and number of each of so many buckets of equal width.

    Values that are not finite are left out: they have no bucket, and with them no edge would be a number.
    """
    count = max(0, count)
    flat = values.ravel().astype(np.float64)
    flat = flat[np.isfinite(flat)]
    if not flat.size or not count:
        return np.zeros((count, 3))
    low, high = flat.min(), flat.max()
    if low == high:
        numbers = np.zeros(count)
        numbers[-1] = flat.size
        return np.stack([np.full(count, high), np.full(count, high), numbers], 1)
    edges = np.linspace(low, high, count + 1)
    place = np.minimum(np.floor((flat - low) / ((high - low) / count)).astype(np.int64), count - 1)
    return np.stack([edges[:-1], edges[1:], np.bincount(place, minlength=count).astype(np.float64)], 1)


def _limits() -> np.ndarray:
    """The right edges of TensorFlow 1's histograms: each a tenth larger than the one before, to both sides of 0."""
    steps = int(np.ceil(np.log(1e32) / np.log(1.1)))
    rising = 1e-12 * 1.1 ** np.arange(steps)
    return np.concatenate(
        [-np.append(rising, np.finfo(np.float64).max)[::-1], [0.0], rising, [np.finfo(np.float64).max]]
    )


_LIMITS: Final = _limits()


def histogram_message(values: np.ndarray) -> Any:
    """A histogram as TensorFlow 1 writes it: buckets that grow with their distance from 0, the empty ones left out.

    Raises:
        ValueError: a value is not finite.
    """
    flat = values.ravel().astype(np.float64)
    if not np.isfinite(flat).all():
        raise ValueError("Nan in summary histogram: a value is not finite")
    if not flat.size:
        return HistogramProto(bucket_limit=[0.0], bucket=[0.0])
    numbers = np.bincount(np.searchsorted(_LIMITS, flat, side="right"), minlength=len(_LIMITS))
    held = np.flatnonzero(numbers)
    first = max(0, int(held[0]) - 1)  # an empty bucket before the first says where that begins
    chosen = slice(first, int(held[-1]) + 1)
    return HistogramProto(
        min=flat.min(), max=flat.max(), num=flat.size, sum=flat.sum(), sum_squares=(flat * flat).sum(),
        bucket_limit=_LIMITS[chosen].tolist(), bucket=numbers[chosen].astype(np.float64).tolist(),
    )  # fmt: skip


def pictures(values: np.ndarray, most: int) -> np.ndarray:
    """Width, height and PNG files of the first pictures of a batch: texts in a row.

    Args:
        values: a batch of pictures, with rows, columns and channels; fractions from 0 to 1, or whole numbers.
        most: how many.

    Raises:
        ValueError: there are not four axes, or not one to four channels.
    """
    if values.ndim != 4:  # noqa: PLR2004 - a batch, rows, columns, channels
        raise ValueError(
            f"Pictures need four axes: batch, rows, columns and channels. Received shape {values.shape}. "
            "For one grey picture write image[None, :, :, None]."
        )
    _, rows, columns, channels = values.shape
    if channels not in _COLOURS:
        raise ValueError(f"Pictures have 1 (grey), 2, 3 (colours) or 4 channels. Received shape {values.shape}.")
    files = [png(picture) for picture in _as_bytes(values[:most])]
    found = np.empty(2 + len(files), object)
    found[:] = [str(columns).encode(), str(rows).encode(), *files]
    return found


def _as_bytes(values: np.ndarray) -> np.ndarray:
    """Numbers from 0 to 255, as TensorFlow converts pictures."""
    if values.dtype == np.uint8:
        return values
    if values.dtype.kind in "iu":
        bits = 8 * values.dtype.itemsize - (values.dtype.kind == "i")
        scaled = values >> (bits - 8) if bits > 8 else values.astype(np.int64) << (8 - bits)  # noqa: PLR2004
        levels: np.ndarray = np.clip(scaled, 0, 255)
        return levels.astype(np.uint8)
    shares = np.clip(np.nan_to_num(values.astype(np.float64)), 0.0, 1.0)
    return np.minimum(shares * 255.5, 255.0).astype(np.uint8)


def png(picture: np.ndarray) -> bytes:
    """A picture as a PNG file.

    Args:
        picture: numbers from 0 to 255, with rows, columns and one to four channels.
    """
    rows, columns, channels = picture.shape
    lines = np.zeros((rows, 1 + columns * channels), np.uint8)  # a zero before each row: it is stored as it is
    lines[:, 1:] = picture.reshape(rows, -1)
    head = struct.pack(">IIBBBBB", columns, rows, 8, _COLOURS[channels], 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(lines.tobytes())), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
