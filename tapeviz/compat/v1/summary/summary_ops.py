"""Ops that give summaries: texts for ``FileWriter.add_summary``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from tensorboardX.proto.summary_pb2 import Summary

from tapeviz.compat.v1.graph.default_graph import executing_eagerly, get_default_graph
from tapeviz.compat.v1.graph.graph_functions import in_graph
from tapeviz.compat.v1.graph.graph_keys import GraphKeys
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.engine.tensor import wrap
from tapeviz.summary.messages import histogram_message, metadata_for, pictures, value_message

__all__ = [
    "distribution_message", "histogram", "image", "image_message", "merge", "merge_all", "scalar", "scalar_message",
    "text",
]  # fmt: skip

_FORBIDDEN: Final = re.compile(r"[^-/\w.]")


def scalar(name: str, tensor: Any, collections: Any = None, family: str | None = None) -> Any:
    """The summary of a number.

    Args:
        name: its name, under which TensorBoard shows it.
        tensor: the number.
        collections: the collections to put it into; those of :func:`merge_all` unless given.
        family: what names of one group begin with.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     summary = session.run(tf.summary.scalar("loss", tf.constant(0.5)))
    >>> tf.summary.Summary.FromString(summary).value[0].simple_value
    0.5
    """
    return _made(name, tensor, scalar_message, collections, family)


def histogram(name: str, values: Any, collections: Any = None, family: str | None = None) -> Any:
    """The summary of how values are spread. Arguments as for :func:`scalar`.

    Raises:
        ValueError: when run: a value is not finite.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     summary = session.run(tf.summary.histogram("weights", tf.constant([1.0, 2.0, 2.0])))
    >>> tf.summary.Summary.FromString(summary).value[0].histo.num
    3.0
    """
    return _made(name, values, distribution_message, collections, family)


def image(name: str, tensor: Any, max_outputs: int = 3, collections: Any = None, family: str | None = None) -> Any:
    """The summary of pictures: the first ones of a batch. Arguments as for :func:`scalar`.

    Raises:
        ValueError: when run: there are not four axes: batch, rows, columns and 1, 3 or 4 channels.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     summary = session.run(tf.summary.image("digits", tf.zeros([5, 8, 8, 1]), max_outputs=2))
    >>> [value.tag for value in tf.summary.Summary.FromString(summary).value]
    ['digits/image/0', 'digits/image/1']
    """
    return _made(name, tensor, lambda tag, value: image_message(tag, value, max_outputs), collections, family)


def text(name: str, tensor: Any, collections: Any = None) -> Any:
    """The summary of text. Arguments as for :func:`scalar`.

    Raises:
        ValueError: ``tensor`` is no text.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.summary.text("note", tf.constant("it begins")).dtype
    tf.string
    """
    if convert_to_tensor(tensor).dtype.name != "string":
        raise ValueError(f"Expected tensor {name} to have dtype string, got {convert_to_tensor(tensor).dtype.name}")
    return _made(name, tensor, lambda tag, value: value_message(tag, value, metadata_for("text")), collections, None)


def merge(inputs: Sequence[Any], collections: Any = None, name: str | None = None) -> Any:
    """Several summaries as one.

    Args:
        inputs: summaries.
        collections: the collections to put it into; none unless given.
        name: its name.

    Raises:
        RuntimeError: eager execution is on.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     parts = [tf.summary.scalar(name, tf.constant(1.0)) for name in ("loss", "error")]
    ...     merged = session.run(tf.summary.merge(parts))
    >>> [value.tag for value in tf.summary.Summary.FromString(merged).value]
    ['loss', 'error']
    """
    _refuse_eager()
    merged = _merged(*inputs, name=name or "Merge")
    _collect(merged, collections or ())
    return merged


def merge_all(key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None) -> Any:
    """All summaries of the default graph as one; None where there are none.

    Args:
        key: the collection that they are in.
        scope: what their names match; all by default.
        name: its name.

    Raises:
        RuntimeError: eager execution is on.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.summary.merge_all() is None
    True
    """
    _refuse_eager()
    found = get_default_graph().get_collection(key, scope)
    return merge(found, name=name) if found else None


def _refuse_eager() -> None:
    if executing_eagerly():
        raise RuntimeError(
            "Merging tf.summary.* ops is not compatible with eager execution. Use tf.contrib.summary instead."
        )


def _made(
    name: str, tensor: Any, encode: Callable[[str, np.ndarray], Any], collections: Any, family: str | None
) -> Any:
    label = f"{family}/{name}" if family else name
    found = _summary(tensor, encode, label, name=_FORBIDDEN.sub("_", label).lstrip("/-"))
    _collect(found, [GraphKeys.SUMMARIES] if collections is None else collections)
    return found


@in_graph
def _summary(tensor: Any, encode: Callable[[str, np.ndarray], Any], label: str, name: str | None = None) -> Any:
    tag = f"{local.state.scope}{label}"
    return _text_of(lambda value: encode(tag, value._host()).SerializeToString(), [tensor], name)


@in_graph
def _merged(*inputs: Any, name: str | None = None) -> Any:
    # Messages one after the other are the message of all their values.
    return _text_of(lambda *texts: b"".join(bytes(text._host()[()]) for text in texts), inputs, name)


def _text_of(run: Callable[..., bytes], tensors: Sequence[Any], name: str | None) -> Any:
    """What a function of tensors gives, as a text: now, or at each run of the graph."""

    def held(*given: Any) -> Any:
        array = np.empty((), object)
        array[()] = run(*given)
        return wrap(array)

    own = [convert_to_tensor(tensor) for tensor in tensors]
    graph: Any = local.state.graph
    return held(*own) if graph is None else graph.python(held, own, [((), np.dtype(object))], name=name)[0]


def _collect(summary: Any, collections: Any) -> None:
    if isinstance(summary, SymbolicTensor):
        for key in collections:
            summary.graph.add_to_collection(key, summary)


def scalar_message(tag: str, value: np.ndarray) -> Any:
    """A number as a ``Summary`` message.

    Raises:
        ValueError: it is not one number.
    """
    if value.size != 1:
        raise ValueError(f"tags and values are not the same shape: [] != {list(value.shape)} (tag '{tag}')")
    return Summary(value=[Summary.Value(tag=tag, simple_value=float(value.reshape(())))])


def distribution_message(tag: str, value: np.ndarray) -> Any:
    """How values are spread, as a ``Summary`` message."""
    return Summary(value=[Summary.Value(tag=tag, histo=histogram_message(value))])


def image_message(tag: str, value: np.ndarray, most: int) -> Any:
    """The first pictures of a batch, ``most`` at most, as a ``Summary`` message."""
    _, _, *files = pictures(_stretched(value), most)
    rows, columns, channels = value.shape[1:]
    shown = [
        Summary.Image(height=rows, width=columns, colorspace=channels, encoded_image_string=file) for file in files
    ]
    names = [f"{tag}/image"] if most == 1 else [f"{tag}/image/{place}" for place in range(len(shown))]
    return Summary(value=[Summary.Value(tag=one, image=image) for one, image in zip(names, shown, strict=True)])


def _stretched(value: np.ndarray) -> np.ndarray:
    """Fractions as whole numbers: TensorFlow 1 stretches what it shows to the brightest."""
    if value.dtype.kind != "f" or value.ndim != 4:  # noqa: PLR2004 - a batch, rows, columns, channels
        return value
    finite = np.where(np.isfinite(value), value, 0.0).astype(np.float64)
    low, high = (limit((1, 2, 3), keepdims=True) for limit in (finite.min, finite.max))
    biggest = np.maximum(np.abs(low), np.abs(high))
    scale = np.where(biggest > 0, np.where(low < 0, 127.0, 255.0) / np.where(biggest > 0, biggest, 1.0), 0.0)
    return np.clip(finite * scale + np.where(low < 0, 128.0, 0.0), 0, 255).astype(np.uint8)
