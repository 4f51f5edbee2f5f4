"""Images of another size as TensorFlow 1 makes them, written once for tapeviz and for TensorFlow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

ANSWERS = Path(__file__).with_name("old_image_answers.npz")
IMAGES = np.sin(np.arange(2 * 5 * 7, dtype=np.float32)).reshape(2, 5, 7, 1)
SIZES = ((3, 4), (8, 3), (10, 14), (5, 7), (1, 9))
FLAGS: tuple[dict[str, bool], ...] = ({}, {"align_corners": True}, {"half_pixel_centers": True})
RUNS = {
    **{
        f"resize_{way} {size} {''.join(flags)}".strip(): (f"resize_{way}", IMAGES, size, flags)
        for way in ("bilinear", "bicubic", "nearest_neighbor", "area")
        for size in SIZES
        for flags in FLAGS[: 2 if way == "area" else 3]
    },
    **{
        f"resize_images {method} {size}": (
            "resize_images",
            IMAGES[0],
            size,
            {"method": method, "align_corners": aligned},
        )
        for method in range(4)
        for size in SIZES
        for aligned in (False, True)
    },
    "resize_images proportions": ("resize_images", IMAGES, (4, 4), {"preserve_aspect_ratio": True}),
}


def answer(tf: Any, name: str) -> Any:
    """What TensorFlow 1's namespace gives for a run, in a session."""
    function, images, size, options = RUNS[name]
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(getattr(tf.image, function)(tf.constant(images), size, **options))
