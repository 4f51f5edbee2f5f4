# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.engine.annotations import DTypeLike as _DTypeLike
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor
from tapeviz.io import gfile
from tapeviz.io.examples import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    VarLenFeature,
    parse_example,
    parse_single_example,
    parse_single_sequence_example,
)
from tapeviz.io.record_files import TFRecordOptions, TFRecordWriter
from tapeviz.io.tensor_protos import parse_tensor, serialize_tensor

__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "TFRecordOptions",
    "TFRecordWriter",
    "VarLenFeature",
    "decode_and_crop_jpeg",
    "decode_base64",
    "decode_bmp",
    "decode_csv",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_png",
    "decode_raw",
    "encode_base64",
    "encode_jpeg",
    "encode_png",
    "gfile",
    "is_jpeg",
    "matching_files",
    "parse_example",
    "parse_single_example",
    "parse_single_sequence_example",
    "parse_tensor",
    "read_file",
    "serialize_tensor",
    "write_file",
]

def decode_and_crop_jpeg(
    contents: _TensorLike, crop_window: _TensorLike, channels: int = 0, name: str | None = None, **_options: _TensorLike
) -> _Tensor:
    """A part of the picture of a JPEG file: ``crop_window`` is its top, left, height and width."""

def decode_base64(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The bytes that such letters stand for."""

def decode_bmp(contents: _TensorLike, channels: int = 0, name: str | None = None) -> _Tensor:
    """The picture of a BMP file: :func:`tapeviz.io.decode_png`."""

def decode_csv(
    records: _TensorLike,
    record_defaults: _TensorLike,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: _TensorLike | None = None,
    name: str | None = None,
) -> _Tensor:
    """Rows of text as columns of numbers and strings."""

def decode_gif(contents: _TensorLike, name: str | None = None) -> _Tensor:
    """The pictures of a GIF file: ``(pictures, height, width, 3)``."""

def decode_image(
    contents: _TensorLike,
    channels: int = 0,
    dtype: _DTypeLike = "uint8",
    name: str | None = None,
    expand_animations: bool = True,
) -> _Tensor:
    """The picture of a file of any of these kinds, of a GIF all: see :func:`tapeviz.io.decode_png`."""

def decode_jpeg(
    contents: _TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> _Tensor:
    """The picture of a JPEG file: :func:`tapeviz.io.decode_png`. ``ratio`` makes it that many times smaller."""

def decode_png(
    contents: _TensorLike, channels: int = 0, dtype: _DTypeLike = "uint8", name: str | None = None
) -> _Tensor:
    """The picture that bytes of a PNG, JPEG, BMP or GIF file stand for."""

def decode_raw(
    input_bytes: _TensorLike,
    out_type: _DTypeLike,
    little_endian: bool = True,
    fixed_length: _TensorLike | None = None,
    name: str | None = None,
) -> _Tensor:
    """The bytes of strings as numbers."""

def encode_base64(input: _TensorLike, pad: bool = False, name: str | None = None) -> _Tensor:
    """The bytes of strings in the letters that are safe in addresses."""

def encode_jpeg(
    image: _TensorLike, format: str = "", quality: int = 95, name: str | None = None, **_options: _TensorLike
) -> _Tensor:
    """A picture as the bytes of a JPEG file."""

def encode_png(image: _TensorLike, compression: int = -1, name: str | None = None) -> _Tensor:
    """A picture as the bytes of a PNG file."""

def is_jpeg(contents: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether bytes are those of a JPEG file."""

def matching_files(pattern: _TensorLike, name: str | None = None) -> _Tensor:
    """The names of the files that fit a pattern, in order."""

def read_file(filename: _TensorLike, name: str | None = None) -> _Tensor:
    """The bytes of a file."""

def write_file(filename: _TensorLike, contents: _TensorLike, name: str | None = None) -> None:
    """Write a file whose bytes a string has; folders are made where there are none."""
