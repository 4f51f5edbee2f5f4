"""Datasets for sessions: iterators whose ``get_next`` is an operation, run once for each element."""

from __future__ import annotations

import weakref
from typing import Any

from tapeviz.compat.v1.graph.default_graph import current_graph
from tapeviz.compat.v1.graph.graph import Graph, entered
from tapeviz.compat.v1.graph.variable_store import running
from tapeviz.data import dataset as datasets
from tapeviz.data.graph_iteration import bound, form_of
from tapeviz.data.iterators import Iterator as EagerIterator
from tapeviz.data.nodes import symbols_of
from tapeviz.data.record_files import RecordsNode
from tapeviz.data.structures import check_same, mapped, packer
from tapeviz.data.text_lines import LinesNode
from tapeviz.engine import nest
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import FailedPreconditionError, OutOfRangeError
from tapeviz.engine.scopes import TensorSpec
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import at_line
from tapeviz.engine.tensor import Tensor, wrap

__all__ = [
    "Dataset", "Iterator", "TFRecordDataset", "TextLineDataset", "get_output_classes", "get_output_shapes",
    "get_output_types", "make_initializable_iterator", "make_one_shot_iterator",
]  # fmt: skip


class Dataset(datasets.Dataset):
    """A dataset of :class:`tapeviz.data.Dataset` that sessions can go through too.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     element = tf.data.Dataset.range(2).make_one_shot_iterator().get_next()
    ...     print(session.run(element), session.run(element))
    0 1
    """

    def __iter__(self) -> Any:
        inside = local.state.graph
        if (inside is None or isinstance(inside, Graph)) and current_graph() is not None:
            raise RuntimeError(
                "`tf.data.Dataset` only supports Python-style iteration in eager mode or within tf.function. In a "
                "graph use tf.data.make_one_shot_iterator(dataset).get_next()."
            )
        return super().__iter__()

    def make_one_shot_iterator(self) -> Any:
        """See :func:`make_one_shot_iterator`."""
        return make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> Any:
        """See :func:`make_initializable_iterator`."""
        return make_initializable_iterator(self, shared_name)

    @property
    def output_types(self) -> Any:
        """The dtypes of the elements."""
        return get_output_types(self)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the elements."""
        return get_output_shapes(self)

    @property
    def output_classes(self) -> Any:
        """The classes of the elements."""
        return get_output_classes(self)

    map_with_legacy_function = datasets.Dataset.map
    filter_with_legacy_function = datasets.Dataset.filter


class Iterator:
    """A way through a dataset, as a part of a graph. Each session goes through it by itself.

    Args:
        spec: of the elements.
        dataset: to go through; None where an initializer says it.
        one_shot: whether it begins by itself.
    """

    def __init__(self, spec: Any, dataset: Any = None, *, one_shot: bool = False) -> None:
        self._spec = spec
        self._dataset = dataset
        self._one_shot = one_shot
        self._going: weakref.WeakKeyDictionary[Any, EagerIterator] = weakref.WeakKeyDictionary()
        self._initializer = None if dataset is None or one_shot else self.make_initializer(dataset)

    @staticmethod
    def from_structure(
        output_types: Any, output_shapes: Any = None, shared_name: str | None = None, output_classes: Any = None
    ) -> Iterator:
        """An iterator for any dataset with such elements: :meth:`make_initializer` says which.

        Args:
            output_types: dtypes, in the structure of the elements.
            output_shapes: their shapes in the same structure; open unless given.
            shared_name: accepted as TensorFlow does, like the next.
            output_classes: accepted.

        >>> import tapeviz.compat.v1 as tf
        >>> tf.data.Iterator.from_structure(tf.int64, []).output_shapes
        TensorShape([])
        """
        if output_shapes is None:
            return Iterator(mapped(output_types, lambda dtype: TensorSpec(TensorShape(None), as_dtype(dtype))))
        flat = nest.flatten(output_types)
        shapes = [output_shapes] if flat == [output_types] else _shapes(output_types, output_shapes)
        specs = [TensorSpec(TensorShape(shape), as_dtype(dtype)) for shape, dtype in zip(shapes, flat, strict=True)]
        return Iterator(nest.pack(output_types, specs))

    @property
    def initializer(self) -> Any:
        """The operation that begins a pass.

        Raises:
            ValueError: this iterator has none.
        """
        if self._initializer is None:
            raise ValueError("Iterator does not have an initializer.")
        return self._initializer

    def make_initializer(self, dataset: Any, name: str | None = None) -> Any:
        """An operation that begins a pass through a dataset. Placeholders that it is made of are fed to it.

        Args:
            dataset: of elements like this iterator's.
            name: of the operation.

        Raises:
            TypeError: its elements are others.
        """
        check_same(self._spec, dataset.element_spec, "Expected output types do not match those of the dataset")
        step = dataset._step
        symbols = symbols_of(step)

        def begin(*values: Any) -> None:
            self._going[running()] = EagerIterator(dataset, bound(step, symbols, values))

        graph = _graph("an initializer")
        with entered(graph):
            graph.python(begin, symbols, (), name or "MakeIterator")
        return graph.nodes[-1]

    def get_next(self, name: str | None = None) -> Any:
        """The next element, as tensors: each run of a session that needs them takes one.

        Args:
            name: of the operation.

        Raises:
            FailedPreconditionError: in a run: the iterator has not been initialized.
            OutOfRangeError: in a run: there is none.
        """
        graph = _graph("get_next")
        forms = [form_of(leaf) for leaf in nest.flatten(self._spec)]
        with entered(graph):
            made = graph.python(self._taken, (), forms, name or "IteratorGetNext")
        return packer(self._spec)(tuple(made))

    def _taken(self) -> list[Any]:
        iterator = self._going.get(running())
        if iterator is None and self._one_shot:
            iterator = self._going[running()] = EagerIterator(self._dataset)
        if iterator is None:
            raise FailedPreconditionError(
                "GetNext() failed because the iterator has not been initialized. Ensure that you have run the "
                "initializer operation for this iterator before getting the next element.", "IteratorGetNext",
            )  # fmt: skip
        parts = iterator.take()
        if parts is None:
            raise OutOfRangeError("End of sequence", "IteratorGetNext")
        return [wrap(part) for part in parts]

    @property
    def element_spec(self) -> Any:
        """The spec of the elements."""
        return self._spec

    @property
    def output_types(self) -> Any:
        """The dtypes of the elements."""
        return get_output_types(self)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the elements."""
        return get_output_shapes(self)

    @property
    def output_classes(self) -> Any:
        """The classes of the elements."""
        return get_output_classes(self)


def _shapes(types: Any, shapes: Any) -> list[Any]:
    """The shape in the place of each dtype."""
    if isinstance(types, dict):
        return [shape for key in sorted(types) for shape in _shapes(types[key], shapes[key])]
    if isinstance(types, tuple):
        return [shape for one, other in zip(types, shapes, strict=True) for shape in _shapes(one, other)]
    return [shapes]


def _graph(what: str) -> Any:
    graph = local.state.graph or current_graph()
    if graph is None:
        raise RuntimeError(f"{what} of a graph's iterator is not supported when eager execution is enabled{at_line()}")
    return graph


def make_one_shot_iterator(dataset: Any) -> Any:
    """An iterator that begins by itself and goes through the dataset once in each session.

    Args:
        dataset: which.

    Raises:
        ValueError: it is made of placeholders or variables, which somebody has to give.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     element = tf.data.make_one_shot_iterator(tf.data.Dataset.range(1)).get_next()
    ...     session.run(element)
    ...     try:
    ...         session.run(element)
    ...     except tf.errors.OutOfRangeError:
    ...         print("end")
    np.int64(0)
    end
    """
    if current_graph() is None:
        return iter(dataset)
    for symbol in symbols_of(dataset._step):
        raise ValueError(
            f"Cannot capture a placeholder (name:{symbol.op.name}, type:{symbol.op.type}) by value: use "
            "make_initializable_iterator"
        )
    return Iterator(dataset.element_spec, dataset, one_shot=True)


def make_initializable_iterator(dataset: Any, shared_name: str | None = None) -> Iterator:
    """An iterator that begins a pass whenever its ``initializer`` is run.

    Args:
        dataset: which; it may be made of placeholders, which are then fed to the initializer.
        shared_name: accepted as TensorFlow does.

    Raises:
        RuntimeError: eager execution is on, where one writes ``for element in dataset``.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     count = tf.placeholder(tf.int64, [])
    ...     iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(count))
    ...     element = iterator.get_next()
    ...     session.run(iterator.initializer, feed_dict={count: 2})
    ...     print(session.run(element), session.run(element))
    0 1
    """
    if current_graph() is None:
        raise RuntimeError(
            "`tf.compat.v1.data.make_initializable_iterator` is not supported when eager execution is enabled. Use "
            "`for element in dataset` instead."
        )
    return Iterator(dataset.element_spec, dataset)


def get_output_types(dataset_or_iterator: Any) -> Any:
    """The dtypes of the elements, in their structure. Args: dataset_or_iterator: whose.

    >>> import tapeviz.compat.v1 as tf
    >>> tf.data.get_output_types(tf.data.Dataset.range(1))
    tf.int64
    """
    return mapped(dataset_or_iterator.element_spec, lambda leaf: leaf.dtype)


def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """The shapes of the elements, in their structure. Args: dataset_or_iterator: whose.

    >>> import tapeviz.compat.v1 as tf
    >>> tf.data.get_output_shapes(tf.data.Dataset.range(1).batch(2))
    TensorShape([None])
    """
    return mapped(dataset_or_iterator.element_spec, lambda leaf: leaf.shape)


def get_output_classes(dataset_or_iterator: Any) -> Any:
    """The classes of the elements, in their structure. Args: dataset_or_iterator: whose.

    >>> import tapeviz.compat.v1 as tf
    >>> tf.data.get_output_classes(tf.data.Dataset.range(1)).__name__
    'Tensor'
    """
    return mapped(dataset_or_iterator.element_spec, lambda _leaf: Tensor)


def TFRecordDataset(
    filenames: Any, compression_type: str | None = None, buffer_size: int | None = None,
    num_parallel_reads: int | None = None, name: str | None = None,
) -> Dataset:  # fmt: skip
    """The records of files: see :func:`tapeviz.data.TFRecordDataset`.

    Args:
        filenames: a name, or several; or a placeholder for them.
        compression_type: "GZIP", "ZLIB", or "" for none.
        buffer_size: accepted as TensorFlow does, like the next two.
        num_parallel_reads: accepted.
        name: accepted.
    """
    return Dataset._of(RecordsNode(filenames, compression_type or ""))


def TextLineDataset(
    filenames: Any, compression_type: str | None = None, buffer_size: int | None = None,
    num_parallel_reads: int | None = None, name: str | None = None,
) -> Dataset:  # fmt: skip
    """The lines of text files: see :func:`tapeviz.data.TextLineDataset`.

    Args:
        filenames: a name, or several; or a placeholder for them.
        compression_type: "GZIP", or "" for none.
        buffer_size: accepted as TensorFlow does, like the next two.
        num_parallel_reads: accepted.
        name: accepted.
    """
    return Dataset._of(LinesNode(filenames, compression_type or ""))
