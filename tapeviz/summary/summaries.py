"""Scalars, histograms, pictures and text, eagerly and in graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from tensorboardX.proto.event_pb2 import Event

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.state import local
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.variable import Variable
from tapeviz.summary.messages import buckets, metadata_for, pictures, value_message
from tapeviz.summary.writers import default_writer, get_step, recording

__all__ = ["histogram", "image", "scalar", "text", "write", "write_message"]

_NO_STEP: Final = (
    "No step set. Please specify one either through the `step` argument or through tf.summary.experimental.set_step()"
)
_BUCKETS: Final = 30


def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Write a number.

    Args:
        name: its name; enclosing name scopes are put before it.
        data: the number.
        step: which step it is of; the one set by ``tf.summary.experimental.set_step`` where it is None.
        description: what TensorBoard says of it, in Markdown.

    Returns:
        True, or False where there is no default writer.

    Raises:
        ValueError: ``data`` is not a single number, or there is a writer and no step.

    >>> import tapeviz as tf
    >>> tf.summary.scalar("loss", 0.5, step=1)
    False
    """
    if default_writer() is None:
        return False
    tensor = convert_to_tensor(data)
    if tensor.shape.rank:
        raise ValueError(f"Expected scalar shape, saw shape: {tensor.shape}. The summary is {name!r}.")
    _check_number(tensor, name)
    return _write(name, tensor, step, metadata_for("scalars", description), _as_number)


def histogram(
    name: str, data: Any, step: Any = None, buckets: int | None = None, description: str | None = None
) -> Any:
    """Write how values are spread.

    Args:
        name: as for :func:`scalar`, like ``step`` and ``description``.
        data: numbers, of any shape.
        step: the step.
        buckets: how many buckets; 30 by default.
        description: what TensorBoard says of it.

    >>> import tapeviz as tf
    >>> tf.summary.histogram("weights", [0.1, 0.2, 0.2], step=1)
    False
    """
    if default_writer() is None:
        return False
    tensor = convert_to_tensor(data)
    _check_number(tensor, name)
    count = _BUCKETS if buckets is None else int(buckets)
    return _write(name, tensor, step, metadata_for("histograms", description), lambda values: _buckets(values, count))


def image(name: str, data: Any, step: Any = None, max_outputs: int = 3, description: str | None = None) -> Any:
    """Write pictures.

    Args:
        name: as for :func:`scalar`, like ``step`` and ``description``.
        data: a batch of pictures, with rows, columns and 1 (grey), 3 (colours) or 4 channels; fractions from 0 to 1, or
            whole numbers from 0 to 255.
        step: the step.
        max_outputs: how many of the batch.
        description: what TensorBoard says of them.

    Raises:
        ValueError: there are not four axes.

    >>> import tapeviz as tf
    >>> tf.summary.image("digits", tf.zeros([1, 8, 8, 1]), step=1)
    False
    """
    if default_writer() is None:
        return False
    tensor = convert_to_tensor(data)
    _check_number(tensor, name)
    if tensor.shape.rank not in {None, 4}:
        raise ValueError(
            f"{name!r}: Tensor must have rank 4 (batch, rows, columns and channels). Received rank "
            f"{tensor.shape.rank}, shape {tensor.shape}"
        )
    most = int(max_outputs)
    if most < 0:
        raise ValueError(f"{name!r}: max_outputs must not be negative. Received: {max_outputs}")
    return _write(name, tensor, step, metadata_for("images", description), lambda values: pictures(values, most))


def text(name: str, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Write text, which TensorBoard shows as Markdown; of an array of texts, as a table.

    Args:
        name: as for :func:`scalar`, like ``step`` and ``description``.
        data: the text, or an array of texts.
        step: the step.
        description: what TensorBoard says of it.

    Raises:
        TypeError: ``data`` is not text.

    >>> import tapeviz as tf
    >>> tf.summary.text("note", "**begins** to learn", step=1)
    False
    """
    if default_writer() is None:
        return False
    tensor = convert_to_tensor(data)
    if tensor.dtype.name != "string":
        raise TypeError(f"{name!r}: tensor must be of type string. Received: {tensor.dtype.name}")
    return _write(name, tensor, step, metadata_for("text", description), _as_it_is)


def write(tag: str, tensor: Any, step: Any = None, metadata: Any = None, name: str | None = None) -> Any:
    """Write a tensor under a name, for a plugin of one's own.

    Args:
        tag: the name, as it is: no name scopes are put before it.
        tensor: the value; or a function that gives it, called only if it is written.
        step: as for :func:`scalar`.
        metadata: a ``SummaryMetadata`` message, or the bytes of one.
        name: accepted as TensorFlow does.

    >>> import tapeviz as tf
    >>> tf.summary.write("loss", tf.constant(0.5), step=1)
    False
    """
    if default_writer() is None:
        return False
    if isinstance(metadata, bytes):
        metadata = metadata_for("").FromString(metadata)
    value = tensor() if callable(tensor) else tensor
    return _write(tag, convert_to_tensor(value), step, metadata, _as_it_is, scoped=False)


def _write(
    name: str, tensor: Any, step: Any, metadata: Any, encode: Callable[[np.ndarray], np.ndarray], *, scoped: bool = True
) -> bool:
    """Write what becomes of a tensor."""
    tag = f"{local.state.scope}{name}" if scoped else name
    step = get_step() if step is None else step
    if step is None:
        raise ValueError(_NO_STEP)
    return write_message(tensor, step, lambda value: value_message(tag, encode(value), metadata))


def write_message(tensor: Any, step: Any, message: Callable[[np.ndarray], Any]) -> bool:
    """Write the ``Summary`` message that a function makes of a tensor's values into the default writer.

    Args:
        tensor: the tensor.
        step: which step it is of: a number, tensor or variable.
        message: from the values to the message.
    """
    writer: Any = default_writer()

    def run(value: Any, at: Any, wanted: Any) -> None:
        if bool(wanted):
            writer.add(Event(step=_number(at), summary=message(value._host())))

    is_open = isinstance(step, (Tensor, Variable))
    _at_each_run(run, [tensor, step if is_open else _number(step), recording()])
    return True


def _at_each_run(run: Callable[..., None], parts: list[Any]) -> None:
    """Call a function: now, or where a graph is built, whenever it runs, with the values that tensors have then."""
    graph: Any = local.state.graph
    if graph is None:
        run(*parts)
        return
    places = [place for place, part in enumerate(parts) if isinstance(part, (Tensor, Variable))]

    def later(*given: Any) -> None:
        values = dict(zip(places, given, strict=True))
        run(*(values.get(place, part) for place, part in enumerate(parts)))

    graph.python(later, [convert_to_tensor(parts[place]) for place in places], name="write_summary")


def _number(step: Any) -> int:
    try:
        return int(step)
    except (TypeError, ValueError):
        raise TypeError(f"The step of a summary must be a whole number. Received: step={step!r}") from None


def _check_number(tensor: Any, name: str) -> None:
    if tensor.dtype.name == "string" or tensor.dtype.is_complex:
        raise TypeError(f"The summary {name!r} takes real numbers. Received: {tensor.dtype.name}")


def _as_number(value: np.ndarray) -> np.ndarray:
    if value.ndim:
        raise ValueError(f"Expected scalar shape, saw shape: {value.shape}.")
    return np.asarray(value, np.float32)


def _buckets(values: np.ndarray, count: int) -> np.ndarray:
    return buckets(values, count)


def _as_it_is(value: np.ndarray) -> np.ndarray:
    return value
