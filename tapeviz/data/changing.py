"""What datasets do to elements, by users' functions."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Self

from tapeviz.autograph.conversion import convert
from tapeviz.data.graph_iteration import GraphIterator
from tapeviz.data.grouping import BucketNode, GroupNode
from tapeviz.data.mapping import InterleaveNode, MapNode, ScanNode, reduced
from tapeviz.data.nodes import Node, Run, at_once, whole
from tapeviz.data.options import AUTOTUNE, threads
from tapeviz.data.selecting import EnumerateNode, FilterNode, TakeWhileNode
from tapeviz.data.structures import packer
from tapeviz.data.workers import aside
from tapeviz.engine.state import local
from tapeviz.engine.tensor import wrap
from tapeviz.graphs.control.control_flow import while_loop

__all__ = ["Changing"]


class Changing:
    """The methods of :class:`~tapeviz.data.Dataset` that take functions.

    A function is traced once, when the method is called, into a graph that runs for each element: its Python does not
    run again. What cannot be traced raises there; ``tf.py_function`` and ``tf.numpy_function`` call Python for each
    element. A tuple gives a function several arguments, anything else one.
    """

    _step: Node
    _of: Callable[[Node], Any]
    _graph_steps: Callable[[], GraphIterator]

    def map(
        self, map_func: Callable[..., Any], num_parallel_calls: int | None = None, deterministic: bool | None = None,
        synchronous: bool | None = None, use_unbounded_threadpool: bool = False, name: str | None = None,
    ) -> Self:  # fmt: skip
        """What a function gives for each element.

        Args:
            map_func: takes an element, gives a structure of tensors; a list is a tuple.
            num_parallel_calls: by how many threads, AUTOTUNE for one for each core. The order stays the same.
            deterministic: accepted as TensorFlow does, like the next three.
            synchronous: accepted.
            use_unbounded_threadpool: accepted.
            name: accepted.

        Raises:
            ValueError: the function cannot be called, or makes variables.
            TypeError: it gives something that is no tensor.

        >>> import tapeviz as tf
        >>> list(tf.data.Dataset.range(3).map(lambda x: x * x).as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(4)]
        """
        __tracebackhide__ = True
        parallel = threads(_parallel(num_parallel_calls), os.cpu_count() or 1)
        return self._of(MapNode(self._step, map_func, parallel, self._of))  # type: ignore[no-any-return]

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """The elements for which a function gives True.

        Args:
            predicate: takes an element, gives one truth value.
            name: accepted as TensorFlow does.

        Raises:
            ValueError: it gives something else.

        >>> import tapeviz as tf
        >>> list(tf.data.Dataset.range(5).filter(lambda x: x % 2 == 1).as_numpy_iterator())
        [np.int64(1), np.int64(3)]
        """
        __tracebackhide__ = True
        return self._of(FilterNode(self._step, predicate, self._of))  # type: ignore[no-any-return]

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """The elements before the first for which a function gives False.

        Args:
            predicate: takes an element, gives one truth value.
            name: accepted as TensorFlow does.

        Raises:
            ValueError: it gives something else.

        >>> import tapeviz as tf
        >>> list(tf.data.Dataset.range(5).take_while(lambda x: x < 2).as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        __tracebackhide__ = True
        return self._of(TakeWhileNode(self._step, predicate, self._of))  # type: ignore[no-any-return]

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Self:
        """The elements of the datasets that a function gives, one dataset after the other.

        Args:
            map_func: takes an element, gives a dataset.
            name: accepted as TensorFlow does.

        Raises:
            TypeError: it gives something else.

        >>> import tapeviz as tf
        >>> windows = tf.data.Dataset.range(4).window(2)
        >>> [batch.tolist() for batch in windows.flat_map(lambda window: window.batch(2)).as_numpy_iterator()]
        [[0, 1], [2, 3]]
        """
        __tracebackhide__ = True
        return self._of(  # type: ignore[no-any-return]
            InterleaveNode(self._step, map_func, 1, 1, 0, self._of, "flat_map")
        )

    def interleave(
        self, map_func: Callable[..., Any], cycle_length: int | None = None, block_length: int | None = None,
        num_parallel_calls: int | None = None, deterministic: bool | None = None, name: str | None = None,
    ) -> Self:  # fmt: skip
        """The elements of the datasets that a function gives, some at a time, some elements of each in turn.

        Args:
            map_func: takes an element, gives a dataset.
            cycle_length: how many datasets at a time; as many as there are cores unless given.
            block_length: how many elements of each in turn; 1 unless given.
            num_parallel_calls: how many threads make elements ready. The order stays the same.
            deterministic: accepted as TensorFlow does.
            name: accepted.

        Raises:
            TypeError: the function gives no dataset.
            InvalidArgumentError: a length is not positive.

        >>> import tapeviz as tf
        >>> mixed = tf.data.Dataset.range(2).interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(2), 2)
        >>> list(mixed.as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(0), np.int64(1)]
        """
        __tracebackhide__ = True
        cores = os.cpu_count() or 1
        parallel = threads(_parallel(num_parallel_calls), cores)
        cycle = cores if cycle_length in (None, AUTOTUNE) else at_once(cycle_length, "cycle_length")
        block = 1 if block_length is None else at_once(block_length, "block_length")
        return self._of(  # type: ignore[no-any-return]
            InterleaveNode(self._step, map_func, cycle, block, parallel, self._of, "interleave")
        )

    def scan(self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None) -> Self:
        """What a function gives for a state and each element, beside the next state.

        Args:
            initial_state: the first state, a structure of tensors.
            scan_func: takes a state and an element, gives the next state and what comes out.
            name: accepted as TensorFlow does.

        Raises:
            TypeError: it gives no pair, or a state of another structure or dtype.

        >>> import tapeviz as tf
        >>> sums = tf.data.Dataset.range(4).scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x))
        >>> list(sums.as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(3), np.int64(6)]
        """
        __tracebackhide__ = True
        return self._of(ScanNode(self._step, initial_state, scan_func, self._of))  # type: ignore[no-any-return]

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None) -> Any:
        """The last state: a function gives the next one for a state and each element.

        In a traced function this is a loop of the graph.

        Args:
            initial_state: the first state, a structure of tensors.
            reduce_func: takes a state and an element, gives the next state.
            name: accepted as TensorFlow does.

        Raises:
            InvalidArgumentError: the dataset has no end, or the states have other structures.
            TypeError: their dtypes differ.

        >>> import tapeviz as tf
        >>> tf.data.Dataset.range(5).reduce(tf.constant(0, tf.int64), lambda total, x: total + x).numpy()
        np.int64(10)
        """
        __tracebackhide__ = True
        if local.state.graph is not None:
            return self._reduced_in_graph(initial_state, reduce_func)
        before = local.state
        local.state = aside()
        try:
            spec, state = reduced(self._step, initial_state, reduce_func, self._of, Run())
        finally:
            local.state = before
        return packer(spec)(tuple([wrap(part) for part in state]))

    def _reduced_in_graph(self, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
        __tracebackhide__ = True
        steps = self._graph_steps()
        converted, _ = convert(reduce_func)

        def body(_going: Any, state: Any) -> Any:
            after = converted(state, steps.item())
            return steps.advance(), after

        return while_loop(lambda going, _state: going, body, [steps.advance(), initial_state])[1]

    def group_by_window(
        self, key_func: Callable[..., Any], reduce_func: Callable[..., Any], window_size: int | None = None,
        window_size_func: Callable[..., Any] | None = None, name: str | None = None,
    ) -> Self:  # fmt: skip
        """The elements of the datasets that a function makes of so many elements with one key.

        Args:
            key_func: takes an element, gives its key, an int64 number.
            reduce_func: takes a key and a dataset of elements, gives a dataset.
            window_size: how many elements of one key at a time; fewer at the end.
            window_size_func: takes a key, gives that number.
            name: accepted as TensorFlow does.

        Raises:
            ValueError: a function gives several numbers, or there are two sizes or none.
            TypeError: it gives no whole number, or ``reduce_func`` gives no dataset.

        >>> import tapeviz as tf
        >>> by_parity = tf.data.Dataset.range(5).group_by_window(lambda x: x % 2, lambda key, d: d.batch(2), 2)
        >>> [batch.tolist() for batch in by_parity.as_numpy_iterator()]
        [[0, 2], [1, 3], [4]]
        """
        __tracebackhide__ = True
        size = None if window_size is None else at_once(window_size, "window_size")
        return self._of(  # type: ignore[no-any-return]
            GroupNode(self._step, key_func, reduce_func, size, window_size_func, self._of)
        )

    def bucket_by_sequence_length(
        self, element_length_func: Callable[..., Any], bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int], padded_shapes: Any = None, padding_values: Any = None,
        pad_to_bucket_boundary: bool = False, no_padding: bool = False, drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:  # fmt: skip
        """Batches of sequences of about one length, so that little is filled in.

        Args:
            element_length_func: takes an element, gives its length.
            bucket_boundaries: the lengths at which another bucket begins.
            bucket_batch_sizes: how many elements a batch of each bucket has: one number more than boundaries.
            padded_shapes: as for ``padded_batch``.
            padding_values: likewise.
            pad_to_bucket_boundary: whether open axes become as long as the bucket allows, not as the longest element.
            no_padding: whether elements of one batch have one length anyway.
            drop_remainder: whether smaller batches are left out.
            name: accepted as TensorFlow does.

        Raises:
            ValueError: there is another number of sizes.
            InvalidArgumentError: in a pass: an element is longer than the last boundary, and cannot be filled up to it.

        >>> import tapeviz as tf
        >>> rows = tf.data.Dataset.from_tensor_slices([1, 4, 2, 5]).map(lambda n: tf.fill([n], n))
        >>> batches = rows.bucket_by_sequence_length(lambda row: tf.shape(row)[0], [3], [2, 2])
        >>> [batch.tolist() for batch in batches.as_numpy_iterator()]
        [[[1, 0], [2, 2]], [[4, 4, 4, 4, 0], [5, 5, 5, 5, 5]]]
        """
        __tracebackhide__ = True
        batch = {
            "shapes": padded_shapes, "values": padding_values, "to_boundary": pad_to_bucket_boundary,
            "no_padding": no_padding, "drop": drop_remainder,
        }  # fmt: skip
        return self._of(  # type: ignore[no-any-return]
            BucketNode(self._step, element_length_func, bucket_boundaries, bucket_batch_sizes, batch, self._of)
        )

    def enumerate(self, start: Any = 0, name: str | None = None) -> Self:
        """Elements with their numbers before them, as int64.

        Args:
            start: the first number.
            name: accepted as TensorFlow does.

        >>> import tapeviz as tf
        >>> list(tf.data.Dataset.from_tensor_slices(["a", "b"]).enumerate(5).as_numpy_iterator())
        [(np.int64(5), b'a'), (np.int64(6), b'b')]
        """
        return self._of(EnumerateNode(self._step, whole(start, "start")))  # type: ignore[no-any-return]

    def apply(self, transformation_func: Callable[[Any], Any]) -> Any:
        """What a function of the dataset gives: a dataset.

        Args:
            transformation_func: takes this dataset.

        Raises:
            TypeError: it gives something else.

        >>> import tapeviz as tf
        >>> list(tf.data.Dataset.range(3).apply(lambda dataset: dataset.skip(1)).as_numpy_iterator())
        [np.int64(1), np.int64(2)]
        """
        found = transformation_func(self)
        if not hasattr(found, "_step"):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(found)}.")
        return found


def _parallel(calls: Any) -> int | None:
    if calls is None:
        return None
    count = at_once(calls, "num_parallel_calls")
    if count < 1 and count != AUTOTUNE:
        raise ValueError(f"num_parallel_calls must be positive or AUTOTUNE, got {count}")
    return count
