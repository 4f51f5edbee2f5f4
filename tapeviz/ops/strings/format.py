"""``tf.strings.format``: values within a text."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.ops.control.print_op import tensor_text
from tapeviz.ops.runtime_calls import by_values

__all__ = ["format"]


@by_values(form=lambda *_args, **_options: ((), "string"))
def format(
    template: str, inputs: Any = (), placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Any:
    """A text with values in the places of its placeholders.

    Args:
        template: the text.
        inputs: a tensor, or a list of them: one for each placeholder.
        placeholder: what stands for a value.
        summarize: how many elements to show at either end of each axis; all when -1.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: there are more or fewer values than placeholders.

    >>> import tapeviz as tf
    >>> tf.strings.format("x = {}", tf.constant([1, 2])).numpy()
    b'x = [1 2]'
    """
    values = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    pieces = template.split(placeholder)
    if len(pieces) != len(values) + 1:
        raise ValueError(f"{len(values)} tensors are given for {len(pieces) - 1} placeholders in {template!r}")
    texts = [tensor_text(value, summarize) for value in values]
    text = pieces[0] + "".join(value + piece for value, piece in zip(texts, pieces[1:], strict=True))
    return convert_to_tensor(text)
