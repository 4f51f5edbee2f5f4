"""``tf.contrib.summary``: summaries of eager programs under their first names, with the global step for a step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from tapeviz import summary
from tapeviz.compat.v1.graph.default_graph import current_graph
from tapeviz.compat.v1.graph.graph import entered
from tapeviz.compat.v1.train.optimizer import get_or_create_global_step
from tapeviz.contrib import summary_test_util
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.tensor import EagerTensor
from tapeviz.engine.variable import Variable
from tapeviz.ops.math.comparison import equal

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


def _written(write: Callable[..., Any], name: str, data: Any, family: str | None, step: Any, **more: Any) -> Any:
    """A summary of the global step: written now, or, in a graph, by an operation among all that write."""
    tag, graph = f"{family}/{name}" if family else name, _graph_for(data, step)
    at = get_or_create_global_step() if step is None else step
    if graph is None:
        return write(tag, data, step=at, **more)
    with entered(graph):
        write(tag, convert_to_tensor(data), step=convert_to_tensor(at), **more)
    made = graph.nodes[-1]
    graph.add_to_collection(_KEY, made)
    return made


def _graph_for(*values: Any) -> Any:
    """The graph that a summary of these values is for; None where one of them is there already."""
    return (
        None if any(isinstance(value, EagerTensor) or type(value) is Variable for value in values) else current_graph()
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
    return _written(summary.scalar, name, tensor, family, step)


def histogram(name: str, tensor: Any, family: str | None = None, step: Any = None) -> Any:
    """The summary of how values are spread. Arguments as for :func:`scalar`."""
    return _written(summary.histogram, name, tensor, family, step)


def image(name: str, tensor: Any, bad_color: Any = None, max_images: int = 3, family: str | None = None,
          step: Any = None) -> Any:  # fmt: skip
    """The summary of pictures: the first ones of a batch. Arguments as for :func:`scalar`."""
    return _written(summary.image, name, tensor, family, step, max_outputs=max_images)


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
