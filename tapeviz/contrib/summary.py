"""``tf.contrib.summary``: summaries of eager programs under their first names, with the global step for a step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from tapeviz import summary
from tapeviz.compat.v1.graph.default_graph import current_graph
from tapeviz.compat.v1.graph.graph import entered
from tapeviz.compat.v1.graph.graph_functions import building
from tapeviz.compat.v1.summary.summary_ops import distribution_message, image_message, scalar_message
from tapeviz.compat.v1.train.optimizer import get_or_create_global_step
from tapeviz.contrib import summary_test_util
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.state import local
from tapeviz.engine.tensor import EagerTensor
from tapeviz.engine.variable import Variable
from tapeviz.ops.math.comparison import equal
from tapeviz.summary.summaries import write_message
from tapeviz.summary.writers import default_writer

__all__ = [
    "all_summary_ops", "always_record_summaries", "create_file_writer", "create_summary_file_writer", "flush",
    "histogram", "image", "initialize", "never_record_summaries", "record_summaries_every_n_global_steps", "scalar",
    "should_record_summaries", "summary_test_util", "summary_writer_initializer_op",
]  # fmt: skip

_KEY: Final = "_summary_ops_v2"


def create_file_writer(
    logdir: Any, max_queue: Any = None, flush_millis: Any = None, filename_suffix: Any = None, name: str | None = None
) -> Any:
    """A writer into a new file of a folder, as in :mod:`tapeviz.summary`; where there is no folder, one to nowhere."""
    if logdir is None:
        return summary.create_noop_writer()
    return summary.create_file_writer(logdir, filename_suffix=filename_suffix)


create_summary_file_writer = create_file_writer


def always_record_summaries() -> Any:
    """A block in which summaries are written."""
    return summary.record_if(True)


def never_record_summaries() -> Any:
    """A block in which none is."""
    return summary.record_if(False)


@contextmanager
def record_summaries_every_n_global_steps(n: int, global_step: Any = None) -> Iterator[None]:
    """A block in which summaries are written when the global step is a multiple of ``n``."""
    step = get_or_create_global_step() if global_step is None else global_step
    with summary.record_if(lambda: equal(step % n, 0)):
        yield


def should_record_summaries() -> Any:
    """Whether summaries are written."""
    return summary.should_record_summaries()


def _written(message: Callable[[str, Any], Any], name: str, data: Any, family: str | None, step: Any) -> Any:
    """A summary of the global step: written now, or, in a graph, by an operation among all that write."""
    if default_writer() is None:
        return False
    label, graph = f"{family}/{name}" if family else name, _graph_for(data, step)
    at = get_or_create_global_step() if step is None else step
    tag = f"{local.state.scope}{label}"
    if graph is None:
        return write_message(convert_to_tensor(data), at, lambda value: message(tag, value))
    with entered(graph):
        write_message(convert_to_tensor(data), convert_to_tensor(at), lambda value: message(tag, value))
    made = graph.nodes[-1]
    graph.add_to_collection(_KEY, made)
    return made


def _graph_for(*values: Any) -> Any:
    """The graph of sessions that a summary of these values is for; None where one of them is there already."""
    return (
        None if any(isinstance(value, EagerTensor) or type(value) is Variable for value in values) else building(values)
    )


def scalar(name: str, tensor: Any, family: str | None = None, step: Any = None) -> Any:
    """The summary of a number.

    Args:
        name: its name.
        tensor: the number.
        family: what names of one group begin with.
        step: the step; the global step where it is None.

    >>> import tempfile, tapeviz as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     writer = tf.contrib.summary.create_file_writer(folder)
    ...     with writer.as_default(), tf.contrib.summary.always_record_summaries():
    ...         tf.contrib.summary.scalar("loss", tf.constant(0.5), step=1)
    ...     writer.close()
    True
    """
    return _written(scalar_message, name, tensor, family, step)


def histogram(name: str, tensor: Any, family: str | None = None, step: Any = None) -> Any:
    """The summary of how values are spread. Arguments as for :func:`scalar`."""
    return _written(distribution_message, name, tensor, family, step)


def image(name: str, tensor: Any, bad_color: Any = None, max_images: int = 3, family: str | None = None,
          step: Any = None) -> Any:  # fmt: skip
    """The summary of pictures: the first ones of a batch. Arguments as for :func:`scalar`."""
    return _written(lambda tag, value: image_message(tag, value, max_images), name, tensor, family, step)


def all_summary_ops() -> list[Any] | None:
    """The operations of the graph that write summaries; None with eager execution."""
    graph = current_graph()
    return None if graph is None else graph.get_collection(_KEY)


def summary_writer_initializer_op() -> list[Any]:
    """What a session runs before summaries are written: nothing, since writers are there when they are made."""
    return []


def initialize(graph: Any = None, session: Any = None) -> None:
    """Nothing is left to do: writers are there when they are made."""


def flush(writer: Any = None, name: str | None = None) -> None:
    """Wait until all is on the disk: :func:`tapeviz.summary.flush`."""
    summary.flush(writer)
