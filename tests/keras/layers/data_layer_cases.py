"""Calls of layers that prepare data, which are compared with Keras: each gives an array.

``adapted(layer, data)`` is the layer after its ``adapt``. Random layers have a range of one number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

IMAGES = np.random.RandomState(0).rand(2, 5, 6, 2).astype(np.float32)
NUMBERS = np.random.RandomState(1).randn(2345)
WORDS = [["a", "c", "d", "d"], ["d", "z", "b", "z"]]
TEXTS = ["Hello, World! hello", "the world isn't flat-ish"]

_ENCODED = [
    f"L.CategoryEncoding(3, output_mode={mode!r})(tf.constant({x}))"
    for mode in ("one_hot", "multi_hot", "count")
    for x in (2, [0, 2], [[0], [2]], [[0, 2], [1, 1]])
]
_BINS = [
    f"adapted(L.Discretization(num_bins={bins}, epsilon={epsilon}), NUMBERS[:{count}]).bin_boundaries"
    for bins in (2, 3, 7)
    for epsilon in (0.01, 0.1)
    for count in (5, 37, 2345)
]
_LOOKUPS = [
    f"L.StringLookup(vocabulary=['a', 'b'], output_mode={mode!r})(tf.constant({x}))"
    for mode in ("int", "one_hot", "multi_hot", "count")
    for x in ([["a", "x"], ["b", "b"]], ["a", "x"], [["a"], ["x"]])
]
_MOVED = [
    f"L.{layer}(IMAGES, training=True)"
    for fill in ("reflect", "nearest", "wrap", "constant")
    for layer in (
        f"RandomRotation((0.1, 0.1), {fill!r}, fill_value=0.5)",
        f"RandomRotation((-0.3, -0.3), {fill!r})",
        f"RandomZoom((0.3, 0.3), None, {fill!r})",
        f"RandomZoom((0.3, 0.3), (-0.2, -0.2), {fill!r})",
        f"RandomTranslation((0.13, 0.13), (-0.7, -0.7), {fill!r})",
        f"RandomTranslation((-0.21, -0.21), (0.37, 0.37), {fill!r}, 'nearest')",
    )
]

CASES = [
    *_ENCODED,
    ("L.CategoryEncoding(3, output_mode='count')(tf.constant([[0, 1], [1, 1]]), "
    "count_weights=tf.constant([[0.5, 0.25], [0.125, 0.125]]))"),
    *_BINS,
    "adapted(L.Discretization(num_bins=4), NUMBERS)(tf.constant([[-9.0, 0.0, 9.0]]))",
    "L.Discretization([0.0, 1.0], output_mode='one_hot')(tf.constant([0.0, 0.5, 1.0]))",
    *_LOOKUPS,
    "adapted(L.StringLookup(), WORDS)(tf.constant([['a', 'x'], ['d', '']]))",
    "adapted(L.StringLookup(max_tokens=3), WORDS)(tf.constant([['a', 'x'], ['d', 'z']]))",
    "adapted(L.StringLookup(output_mode='tf_idf'), WORDS)(tf.constant([['a', 'x'], ['d', 'd']]))",
    "L.StringLookup(vocabulary=['a', 'b'], mask_token='')(tf.constant([['a', 'x'], ['b', '']]))",
    "L.StringLookup(vocabulary=['a', 'b'], mask_token='', output_mode='count')(tf.constant([['a', 'x'], ['b', '']]))",
    "L.StringLookup(vocabulary=['a', 'b'], invert=True)(tf.constant([0, 1, 2]))",
    "L.StringLookup(vocabulary=['a', 'b'], num_oov_indices=0)(tf.constant(['b', 'a']))",
    "adapted(L.IntegerLookup(max_tokens=4), [[12, 1138, 42], [42, 1000, 36]])(tf.constant([[12, 42], [7, 1138]]))",
    "L.IntegerLookup(vocabulary=[5, 6], invert=True)(tf.constant([0, 2]))",
    "adapted(L.TextVectorization(), TEXTS)(tf.constant(['hello you world', 'flatish']))",
    "adapted(L.TextVectorization(), TEXTS)(tf.constant([['hello you world']]))",
    "adapted(L.TextVectorization(), TEXTS)('hello flat')",
    "adapted(L.TextVectorization(output_sequence_length=2), TEXTS)(tf.constant(['hello you world', 'a']))",
    ("adapted(L.TextVectorization(ngrams=2, output_mode='multi_hot', max_tokens=8), ['a b a b', 'c a b'])"
    "(tf.constant(['a b', 'q']))"),
    "adapted(L.TextVectorization(ngrams=(2,), output_mode='count'), ['a b a b', 'c a b'])(tf.constant(['a b', 'q']))",
    "adapted(L.TextVectorization(output_mode='tf_idf'), ['a b a b', 'c a b', 'q'])(tf.constant(['a b a', 'z']))",
    "adapted(L.TextVectorization(split='character', standardize=None), ['abca'])(tf.constant(['abcd', 'a']))",
    ("L.TextVectorization(standardize=lambda s: tf.strings.lower(s), split=lambda s: tf.strings.split(s, '-'), "
    "output_mode='count', vocabulary=['x', 'y'], max_tokens=6, pad_to_max_tokens=True)(tf.constant(['X-y-x', 'a']))"),
    *_MOVED,
    "L.RandomBrightness((0.2, 0.2), (0, 1))(IMAGES, training=True)",
    "L.RandomContrast((0.0, 0.0), (0, 1))(IMAGES, training=True)",
    "L.RandomCrop(5, 6)(IMAGES, training=True)",
    *[f"L.{layer}(IMAGES)" for height, width in ((3, 4), (7, 9), (10, 4)) for layer in (
        f"CenterCrop({height}, {width})", f"Resizing({height}, {width})",
        f"Resizing({height}, {width}, crop_to_aspect_ratio=True)", f"Resizing({height}, {width}, 'nearest')",
    )],
]  # fmt: skip


def adapted(layer: Any, data: Any) -> Any:
    """The layer, which has learnt from data."""
    layer.adapt(np.array(data))
    return layer


def value(expression: str, tf: Any) -> Any:
    """What a case gives, as plain data."""
    words = {"L": tf.keras.layers, "tf": tf, "adapted": adapted, "IMAGES": IMAGES, "NUMBERS": NUMBERS, "WORDS": WORDS,
             "TEXTS": TEXTS}  # fmt: skip
    found = np.asarray(eval(expression, words))
    if found.dtype.kind in "OSU":
        return [item.decode() if isinstance(item, bytes) else item for item in found.ravel().tolist()]
    return found.astype(np.float64).round(6).tolist()
