"""What datasets do with elements as they are: groups of them, another order, fewer or more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from tapeviz.data.batching import BatchNode, PaddedBatchNode, UnbatchNode, WindowNode
from tapeviz.data.caching import CacheNode
from tapeviz.data.nodes import Node, at_once, whole
from tapeviz.data.prefetching import PrefetchNode
from tapeviz.data.selecting import ConcatenateNode, RepeatNode, ShardNode, SkipNode, TakeNode, UniqueNode
from tapeviz.data.shuffling import Order, ShuffleNode

__all__ = ["Arranging"]

_FOREVER = -1


class Arranging:
    """The methods of :class:`~tapeviz.data.Dataset` that change no element."""

    _step: Node
    _of: Callable[[Node], Any]

    def batch(
        self, batch_size: int, drop_remainder: bool = False, num_parallel_calls: int | None = None,
        deterministic: bool | None = None, name: str | None = None,
    ) -> Self:  # fmt: skip
        """So many elements at a time, stacked along a new first axis. Slices of arrays are gathered at once.

        Args:
            batch_size: how many.
            drop_remainder: whether a last batch that is smaller is left out; then the size is part of the spec.
            num_parallel_calls: accepted as TensorFlow does, like the next two.
            deterministic: accepted.
            name: accepted.

        Raises:
            InvalidArgumentError: the size is not positive; in a pass: elements have other shapes.

        >>> import tapeviz as tf
        >>> [batch.tolist() for batch in tf.data.Dataset.range(5).batch(2).as_numpy_iterator()]
        [[0, 1], [2, 3], [4]]
        """
        size = at_once(batch_size, "batch_size")
        return self._of(BatchNode(self._step, size, drop=bool(drop_remainder)))  # type: ignore[no-any-return]

    def padded_batch(
        self, batch_size: int, padded_shapes: Any = None, padding_values: Any = None, drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:  # fmt: skip
        """So many elements at a time, the shorter ones made as long as the longest.

        Args:
            batch_size: how many.
            padded_shapes: the shape to give each component, in the structure of the elements; None or -1 in it for the
                longest of the batch, which is so for all open axes unless given.
            padding_values: what to fill with; zeros and empty strings unless given.
            drop_remainder: whether a last batch that is smaller is left out.
            name: accepted as TensorFlow does.

        Raises:
            InvalidArgumentError: the size is not positive.
            ValueError: shapes or values do not fit the elements.
            DataLossError: in a pass: an element is longer than it should become.

        >>> import tapeviz as tf
        >>> rows = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
        >>> [batch.tolist() for batch in rows.padded_batch(2).as_numpy_iterator()]
        [[[1, 0], [2, 2]]]
        """
        size = at_once(batch_size, "batch_size")
        return self._of(  # type: ignore[no-any-return]
            PaddedBatchNode(self._step, size, padded_shapes, padding_values, drop=bool(drop_remainder))
        )

    def unbatch(self, name: str | None = None) -> Self:
        """The slices of each element along the first axis.

        Args:
            name: accepted as TensorFlow does.

        Raises:
            ValueError: a component has no axis.

        >>> import tapeviz as tf
        >>> list(tf.data.Dataset.range(3).batch(2).unbatch().as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(2)]
        """
        return self._of(UnbatchNode(self._step))  # type: ignore[no-any-return]

    def window(
        self, size: int, shift: int | None = None, stride: int = 1, drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:  # fmt: skip
        """Datasets of so many elements each.

        Args:
            size: how many elements a window has.
            shift: from the beginning of one window to that of the next; ``size`` unless given.
            stride: from one element of a window to the next.
            drop_remainder: whether windows with fewer elements are left out.
            name: accepted as TensorFlow does.

        Raises:
            InvalidArgumentError: a number is not positive.

        >>> import tapeviz as tf
        >>> for window in tf.data.Dataset.range(4).window(3, shift=1, drop_remainder=True):
        ...     print([x.numpy().item() for x in window])
        [0, 1, 2]
        [1, 2, 3]
        """
        count = at_once(size, "size")
        step = count if shift is None else at_once(shift, "shift")
        return self._of(  # type: ignore[no-any-return]
            WindowNode(self._step, count, step, at_once(stride, "stride"), self._of, drop=bool(drop_remainder))
        )

    def shuffle(
        self, buffer_size: int, seed: Any = None, reshuffle_each_iteration: bool | None = None, name: str | None = None
    ) -> Self:
        """The elements in a random order: each time one of a buffer of so many, which is filled up again.

        Args:
            buffer_size: how many elements the buffer holds; with all of them in it every order is as likely.
            seed: with a seed the orders are the same each time the program runs; not TensorFlow's.
            reshuffle_each_iteration: whether each pass has another order; True unless given.
            name: accepted as TensorFlow does.

        Raises:
            InvalidArgumentError: the size is not positive.

        >>> import tapeviz as tf
        >>> shuffled = tf.data.Dataset.range(5).shuffle(5, seed=1)
        >>> sorted(int(x) for x in shuffled.as_numpy_iterator())
        [0, 1, 2, 3, 4]
        """
        again = reshuffle_each_iteration is None or bool(reshuffle_each_iteration)
        order = Order(None if seed is None else at_once(seed, "seed"), again=again)
        return self._of(  # type: ignore[no-any-return]
            ShuffleNode(self._step, at_once(buffer_size, "buffer_size"), order)
        )

    def repeat(self, count: Any = None, name: str | None = None) -> Self:
        """The elements so many times.

        Args:
            count: how often; None or -1 for without end.
            name: accepted as TensorFlow does.

        Raises:
            TypeError: the count is no whole number.

        >>> import tapeviz as tf
        >>> list(tf.data.Dataset.range(2).repeat(2).as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(0), np.int64(1)]
        """
        times = _FOREVER if count is None else whole(count, "count")
        return self._of(RepeatNode(self._step, times))  # type: ignore[no-any-return]

    def take(self, count: Any, name: str | None = None) -> Self:
        """The first so many elements.

        Args:
            count: how many; -1 for all.
            name: accepted as TensorFlow does.

        Raises:
            TypeError: the count is no whole number.

        >>> import tapeviz as tf
        >>> list(tf.data.Dataset.range(5).take(2).as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        return self._of(TakeNode(self._step, whole(count, "count")))  # type: ignore[no-any-return]

    def skip(self, count: Any, name: str | None = None) -> Self:
        """All but the first so many elements.

        Args:
            count: how many; -1 leaves none.
            name: accepted as TensorFlow does.

        Raises:
            TypeError: the count is no whole number.

        >>> import tapeviz as tf
        >>> list(tf.data.Dataset.range(5).skip(3).as_numpy_iterator())
        [np.int64(3), np.int64(4)]
        """
        return self._of(SkipNode(self._step, whole(count, "count")))  # type: ignore[no-any-return]

    def shard(self, num_shards: int, index: int, name: str | None = None) -> Self:
        """Each ``num_shards``-th element, from the one at ``index`` on.

        Args:
            num_shards: how many parts there are.
            index: which part this is.
            name: accepted as TensorFlow does.

        Raises:
            InvalidArgumentError: there is no such part.

        >>> import tapeviz as tf
        >>> list(tf.data.Dataset.range(5).shard(2, 1).as_numpy_iterator())
        [np.int64(1), np.int64(3)]
        """
        count = at_once(num_shards, "num_shards")
        return self._of(ShardNode(self._step, count, at_once(index, "index")))  # type: ignore[no-any-return]

    def concatenate(self, dataset: Any, name: str | None = None) -> Self:
        """These elements, then those of another dataset.

        Args:
            dataset: the other one.
            name: accepted as TensorFlow does.

        Raises:
            TypeError: their elements have other structures or dtypes.

        >>> import tapeviz as tf
        >>> list(tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(5, 6)).as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(5)]
        """
        if not hasattr(dataset, "_step"):
            raise TypeError(f"concatenate takes a dataset, got {type(dataset)}")
        return self._of(ConcatenateNode(self._step, dataset._step))  # type: ignore[no-any-return]

    def unique(self, name: str | None = None) -> Self:
        """Each element once, where it comes first.

        Args:
            name: accepted as TensorFlow does.

        Raises:
            TypeError: elements have several components.

        >>> import tapeviz as tf
        >>> list(tf.data.Dataset.from_tensor_slices([1, 2, 1]).unique().as_numpy_iterator())
        [np.int32(1), np.int32(2)]
        """
        return self._of(UniqueNode(self._step))  # type: ignore[no-any-return]

    def cache(self, filename: Any = "", name: str | None = None) -> Self:
        """The elements of the first pass that goes to the end, in all passes after it.

        Args:
            filename: the beginning of the name of a file to keep them in; without one they are kept in memory. The file
                gets its name when it is whole, and other programs can use it.
            name: accepted as TensorFlow does.

        Raises:
            DataLossError: in a pass: the file is damaged.
            InvalidArgumentError: in a pass: it is that of other elements.
            PermissionDeniedError: in a pass: it cannot be written.

        >>> import tapeviz as tf
        >>> kept = tf.data.Dataset.random(rerandomize_each_iteration=True).take(2).cache()
        >>> list(kept.as_numpy_iterator()) == list(kept.as_numpy_iterator())
        True
        """
        text = filename.decode() if isinstance(filename, bytes) else str(filename)
        return self._of(CacheNode(self._step, text))  # type: ignore[no-any-return]

    def prefetch(self, buffer_size: int, name: str | None = None) -> Self:
        """The elements, made ready by another thread while the ones before are used.

        The thread ends when it has nothing to do, and with the iterator. What goes wrong in it is raised where the
        element would have come. Small batches of slices of arrays are made without a thread, which would take longer.

        Args:
            buffer_size: how many are ready; AUTOTUNE for a few.
            name: accepted as TensorFlow does.

        Raises:
            InvalidArgumentError: the number is negative.

        >>> import tapeviz as tf
        >>> list(tf.data.Dataset.range(2).prefetch(tf.data.AUTOTUNE).as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        return self._of(PrefetchNode(self._step, at_once(buffer_size, "buffer_size")))  # type: ignore[no-any-return]
