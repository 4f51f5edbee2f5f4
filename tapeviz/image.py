"""``tf.image``: images resized, turned, cut, coloured and compared."""

from __future__ import annotations

from typing import Any

from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.ops.image.color": "adjust_gamma convert_image_dtype grayscale_to_rgb",
        "tapeviz.ops.image.images": (
            "adjust_brightness adjust_contrast central_crop crop_to_bounding_box flip_left_right flip_up_down "
            "image_gradients pad_to_bounding_box per_image_standardization psnr resize_with_crop_or_pad "
            "rgb_to_grayscale rot90 total_variation transpose"
        ),
        "tapeviz.ops.image.random_images": (
            "random_brightness random_contrast random_flip_left_right random_flip_up_down"
        ),
        "tapeviz.ops.image.resize": "ResizeMethod resize",
        "tapeviz.ops.array.patches": "extract_patches",
    },
)
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
