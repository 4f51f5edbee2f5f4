# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from typing import Any as _Any

from tapeviz.engine.annotations import DTypeLike as _DTypeLike
from tapeviz.engine.annotations import ShapeLike as _ShapeLike
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor
from tapeviz.ops.image.boxes import PaddedBoxes as _PaddedBoxes
from tapeviz.ops.image.boxes import SelectedBoxes as _SelectedBoxes
from tapeviz.ops.image.resize import ResizeMethod

__all__ = [
    "ResizeMethod",
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_saturation",
    "central_crop",
    "convert_image_dtype",
    "crop_and_resize",
    "crop_to_bounding_box",
    "decode_and_crop_jpeg",
    "decode_bmp",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_png",
    "encode_jpeg",
    "encode_png",
    "extract_patches",
    "flip_left_right",
    "flip_up_down",
    "grayscale_to_rgb",
    "hsv_to_rgb",
    "image_gradients",
    "is_jpeg",
    "non_max_suppression",
    "non_max_suppression_padded",
    "non_max_suppression_with_scores",
    "pad_to_bounding_box",
    "per_image_standardization",
    "psnr",
    "random_brightness",
    "random_contrast",
    "random_crop",
    "random_flip_left_right",
    "random_flip_up_down",
    "random_hue",
    "random_saturation",
    "resize",
    "resize_with_crop_or_pad",
    "resize_with_pad",
    "rgb_to_grayscale",
    "rgb_to_hsv",
    "rot90",
    "sobel_edges",
    "stateless_random_brightness",
    "stateless_random_contrast",
    "stateless_random_crop",
    "stateless_random_flip_left_right",
    "stateless_random_flip_up_down",
    "stateless_random_hue",
    "stateless_random_saturation",
    "total_variation",
    "transpose",
]

def adjust_brightness(image: _TensorLike, delta: float) -> _Tensor:
    """The image with ``delta`` added; where its elements are integers, ``delta`` is a part of the largest."""

def adjust_contrast(images: _TensorLike, contrast_factor: float) -> _Tensor:
    """The images with the distance of each element from its channel's mean multiplied."""

def adjust_gamma(image: _TensorLike, gamma: _TensorLike = 1, gain: _TensorLike = 1) -> _Tensor:
    """Each element of the image, as a part of the largest, to the power ``gamma``, times ``gain``."""

def adjust_hue(image: _TensorLike, delta: _TensorLike, name: str | None = None) -> _Tensor:
    """An image of other hues: ``delta`` is a part of the colour circle."""

def adjust_saturation(image: _TensorLike, saturation_factor: _TensorLike, name: str | None = None) -> _Tensor:
    """An image whose saturation is multiplied."""

def central_crop(image: _TensorLike, central_fraction: float) -> _Tensor:
    """The middle of the image: so large a part of its height and of its width."""

def convert_image_dtype(
    image: _TensorLike, dtype: _DTypeLike, saturate: bool = False, name: str | None = None
) -> _Tensor:
    """The image in another dtype, in which 1.0 and the largest integer mean the same."""

def crop_and_resize(
    image: _TensorLike,
    boxes: _TensorLike,
    box_indices: _TensorLike,
    crop_size: _TensorLike,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> _Tensor:
    """The parts of images within boxes, all resized to one size, with gradients for images and boxes."""

def crop_to_bounding_box(
    image: _TensorLike, offset_height: int, offset_width: int, target_height: int, target_width: int
) -> _Tensor:
    """The part of the image whose upper left corner is at the offsets, with the target's height and width."""

def decode_and_crop_jpeg(
    contents: _TensorLike, crop_window: _TensorLike, channels: int = 0, name: str | None = None, **_options: _TensorLike
) -> _Tensor:
    """A part of the picture of a JPEG file: ``crop_window`` is its top, left, height and width."""

def decode_bmp(contents: _TensorLike, channels: int = 0, name: str | None = None) -> _Tensor:
    """The picture of a BMP file: :func:`tapeviz.io.decode_png`."""

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

def encode_jpeg(
    image: _TensorLike, format: str = "", quality: int = 95, name: str | None = None, **_options: _TensorLike
) -> _Tensor:
    """A picture as the bytes of a JPEG file."""

def encode_png(image: _TensorLike, compression: int = -1, name: str | None = None) -> _Tensor:
    """A picture as the bytes of a PNG file."""

def extract_patches(
    images: _TensorLike,
    sizes: _TensorLike,
    strides: _TensorLike,
    rates: _TensorLike,
    padding: str,
    name: str | None = None,
) -> _Tensor:
    """Windows that slide over pictures, the elements of each in the depth of one pixel."""

def flip_left_right(image: _TensorLike) -> _Tensor:
    """The mirror image: columns in the opposite order."""

def flip_up_down(image: _TensorLike) -> _Tensor:
    """The image upside down: rows in the opposite order."""

def grayscale_to_rgb(images: _TensorLike, name: str | None = None) -> _Tensor:
    """The one channel three times, as red, green and blue."""

def hsv_to_rgb(images: _TensorLike, name: str | None = None) -> _Tensor:
    """Hue, saturation and value as red, green and blue."""

def image_gradients(image: _TensorLike) -> tuple[_Tensor, _Tensor]:
    """The differences to the next row and to the next column, 0 in the last."""

def is_jpeg(contents: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether bytes are those of a JPEG file."""

def non_max_suppression(
    boxes: _TensorLike,
    scores: _TensorLike,
    max_output_size: _TensorLike,
    iou_threshold: _TensorLike = 0.5,
    score_threshold: _TensorLike = ...,
    name: str | None = None,
) -> _Tensor:
    """Non-maximum suppression: the places of boxes by falling scores, without those that overlap a better one."""

def non_max_suppression_padded(
    boxes: _TensorLike,
    scores: _TensorLike,
    max_output_size: int,
    iou_threshold: _TensorLike = 0.5,
    score_threshold: _TensorLike = ...,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
) -> _PaddedBoxes:
    """As :func:`non_max_suppression`, with zeros up to ``max_output_size`` if asked for, and the number of boxes."""

def non_max_suppression_with_scores(
    boxes: _TensorLike,
    scores: _TensorLike,
    max_output_size: _TensorLike,
    iou_threshold: _TensorLike = 0.5,
    score_threshold: _TensorLike = ...,
    soft_nms_sigma: _TensorLike = 0.0,
    name: str | None = None,
) -> _SelectedBoxes:
    """Non-maximum suppression, which also says the scores of the boxes that it selects."""

def pad_to_bounding_box(
    image: _TensorLike, offset_height: int, offset_width: int, target_height: int, target_width: int
) -> _Tensor:
    """The image with zeros around it: its upper left corner at the offsets in one of the target's height and width."""

def per_image_standardization(image: _TensorLike) -> _Tensor:
    """The image moved and scaled to mean 0 and variance 1 (one without contrast, only so far as its size allows)."""

def psnr(a: _TensorLike, b: _TensorLike, max_val: _TensorLike, name: str | None = None) -> _Tensor:
    """The peak signal-to-noise ratio of two images in decibels: more is more alike."""

def random_brightness(image: _TensorLike, max_delta: float, seed: int | None = None) -> _Tensor:
    """``adjust_brightness`` by a number between ``-max_delta`` and ``max_delta``."""

def random_contrast(image: _TensorLike, lower: float, upper: float, seed: int | None = None) -> _Tensor:
    """``adjust_contrast`` by a number from ``lower`` up to ``upper``."""

def random_crop(value: _TensorLike, size: _ShapeLike, seed: int | None = None, name: str | None = None) -> _Tensor:
    """A part of a tensor of a given size, at a random place."""

def random_flip_left_right(image: _TensorLike, seed: int | None = None) -> _Tensor:
    """The image or its mirror image, with even chances; of several images each for itself."""

def random_flip_up_down(image: _TensorLike, seed: int | None = None) -> _Tensor:
    """The image or the same upside down, with even chances; of several images each for itself."""

def random_hue(image: _TensorLike, max_delta: float, seed: int | None = None) -> _Tensor:
    """``adjust_hue`` by a number between ``-max_delta`` and ``max_delta``."""

def random_saturation(image: _TensorLike, lower: float, upper: float, seed: int | None = None) -> _Tensor:
    """``adjust_saturation`` by a number from ``lower`` up to ``upper``."""

def resize(
    images: _TensorLike,
    size: _ShapeLike,
    method: str = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> _Tensor:
    """Images resized to another size."""

def resize_with_crop_or_pad(image: _TensorLike, target_height: int, target_width: int) -> _Tensor:
    """The middle of the image where it is too large, zeros around it where it is too small."""

def resize_with_pad(
    image: _TensorLike, target_height: int, target_width: int, method: str = "bilinear", antialias: bool = False
) -> _Tensor:
    """The image as large as its proportions allow within the target, with zeros around it."""

def rgb_to_grayscale(images: _TensorLike, name: str | None = None) -> _Tensor:
    """One channel as bright as the three of red, green and blue are to the eye."""

def rgb_to_hsv(images: _TensorLike, name: str | None = None) -> _Tensor:
    """Red, green and blue from 0 to 1 as hue, saturation and value."""

def rot90(image: _TensorLike, k: int = 1, name: str | None = None) -> _Tensor:
    """The image turned ``k`` times by a right angle, against the clock."""

def sobel_edges(image: _TensorLike) -> _Tensor:
    """How much each pixel's neighbors change downwards and to the right: the Sobel operator."""

def stateless_random_brightness(image: _TensorLike, max_delta: float, seed: _Any) -> _Tensor:
    """``random_brightness`` that is the same for the same ``seed`` of two integers."""

def stateless_random_contrast(image: _TensorLike, lower: float, upper: float, seed: _Any) -> _Tensor:
    """``random_contrast`` that is the same for the same ``seed`` of two integers."""

def stateless_random_crop(value: _TensorLike, size: _ShapeLike, seed: _Any, name: str | None = None) -> _Tensor:
    """``random_crop`` that is the same for the same ``seed`` of two integers."""

def stateless_random_flip_left_right(image: _TensorLike, seed: _Any) -> _Tensor:
    """``random_flip_left_right`` that is the same for the same ``seed`` of two integers."""

def stateless_random_flip_up_down(image: _TensorLike, seed: _Any) -> _Tensor:
    """``random_flip_up_down`` that is the same for the same ``seed`` of two integers."""

def stateless_random_hue(image: _TensorLike, max_delta: float, seed: _Any) -> _Tensor:
    """``random_hue`` that is the same for the same ``seed`` of two integers."""

def stateless_random_saturation(image: _TensorLike, lower: float, upper: float, seed: _Any = None) -> _Tensor:
    """``random_saturation`` that is the same for the same ``seed`` of two integers."""

def total_variation(images: _TensorLike, name: str | None = None) -> _Tensor:
    """The total variation: the sum of the differences between neighbouring pixels, one number an image."""

def transpose(image: _TensorLike, name: str | None = None) -> _Tensor:
    """The image with rows and columns exchanged."""
