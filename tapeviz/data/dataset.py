"""``tf.data.Dataset``: a pipeline of elements, to be gone through as often as one likes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Self, TypeVar, overload

import numpy as np

from tapeviz.autograph.conversion import convert
from tapeviz.data.batch import BatchNode, PaddedBatchNode, UnbatchNode, WindowNode
from tapeviz.data.cache import CacheNode
from tapeviz.data.directed_interleave import DirectedInterleaveNode, weighted_choice
from tapeviz.data.generators import GeneratorNode, signature
from tapeviz.data.graph_iteration import GraphIterator, opened
from tapeviz.data.group_by import BucketNode, GroupNode
from tapeviz.data.handles import handle_of
from tapeviz.data.iterators import Iterator, NumpyIterator
from tapeviz.data.map import InterleaveNode, MapNode, ScanNode, reduced
from tapeviz.data.nodes import INFINITE, UNKNOWN, Node, Run, static_int, to_int
from tapeviz.data.options import AUTOTUNE, Options, threads
from tapeviz.data.prefetch import PrefetchNode
from tapeviz.data.selection import (
    ConcatenateNode,
    EnumerateNode,
    FilterNode,
    RepeatNode,
    ShardNode,
    SkipNode,
    TakeNode,
    TakeWhileNode,
    UniqueNode,
    ZipNode,
)
from tapeviz.data.shuffle import Order, ShuffleNode
from tapeviz.data.sources import Bound, CounterNode, Given, RandomNode, RangeNode, SliceNode, TensorNode
from tapeviz.data.structures import normalized, packer
from tapeviz.data.text_lines import files_matching
from tapeviz.data.workers import aside
from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.state import local
from tapeviz.engine.tensor import Tensor, wrap
from tapeviz.engine.userline import call_site
from tapeviz.graphs.control.control_flow import while_loop

__all__ = ["Dataset"]

_OtherDataset = TypeVar("_OtherDataset")
_LIMITS = 3
_FOREVER = -1


class Dataset:
    """A pipeline: where elements come from, and what is done with them, one step after the other.

    Elements are tensors, or tuples and dicts of tensors. Each method gives a new dataset and runs nothing; going
    through it does. In a traced function a ``for`` over a dataset becomes a loop of the graph.

    >>> import numpy as np, tapeviz as tf
    >>> images, digits = np.zeros([5, 8, 8], np.float32), np.arange(5)
    >>> dataset = tf.data.Dataset.from_tensor_slices((images, digits)).shuffle(5).batch(2)
    >>> for x, y in dataset:
    ...     print(x.shape, y.shape)
    (2, 8, 8) (2,)
    (2, 8, 8) (2,)
    (1, 8, 8) (1,)
    """

    _step: Node
    _options: Options | None = None

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        raise TypeError(
            f"Can't instantiate abstract class {type(self).__name__}: make datasets with "
            "tf.data.Dataset.from_tensor_slices, from_generator, range and the like"
        )

    @property
    def element_spec(self) -> Any:
        """What is known of the elements: their structure, with a TensorSpec in each tensor's place.

        >>> import tapeviz as tf
        >>> tf.data.Dataset.range(3).batch(2).element_spec
        TensorSpec(shape=(None,), dtype=tf.int64, name=None)
        """
        return self._step.spec

    def cardinality(self, name: str | None = None) -> Tensor:
        """How many elements there are: INFINITE_CARDINALITY, or UNKNOWN_CARDINALITY where only a pass would tell.

        Args:
            name: accepted as TensorFlow does.

        >>> import tapeviz as tf
        >>> tf.data.Dataset.range(5).batch(2).cardinality().numpy()
        np.int64(3)
        """
        return convert_to_tensor(np.int64(self._step.cardinality()))

    def __len__(self) -> int:
        size = self._step.cardinality()
        if size == INFINITE:
            raise TypeError("The dataset is infinite.")
        if size == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return size

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator | GraphIterator:
        return Iterator(self) if local.state.graph is None else self._graph_steps()

    def as_numpy_iterator(self) -> NumpyIterator:
        """The elements as arrays, which cannot be written to, and NumPy scalars.

        Raises:
            RuntimeError: while a function is traced.

        >>> import tapeviz as tf
        >>> list(tf.data.Dataset.from_tensor_slices({"a": [1, 2]}).as_numpy_iterator())
        [{'a': np.int32(1)}, {'a': np.int32(2)}]
        """
        if local.state.graph is not None:
            raise RuntimeError("as_numpy_iterator() is not supported while tracing functions")
        return NumpyIterator(self)

    def get_single_element(self, name: str | None = None) -> Any:
        """The element of a dataset that has one.

        Args:
            name: accepted as TensorFlow does.

        Raises:
            InvalidArgumentError: it has none, or several.

        >>> import tapeviz as tf
        >>> tf.data.Dataset.from_tensors(3).get_single_element().numpy()
        np.int32(3)
        """
        found = list(self.take(2))
        if len(found) != 1:
            raise InvalidArgumentError(
                "Dataset was empty." if not found else "Dataset had more than one element.", "DatasetToSingleElement"
            )
        return found[0]

    def options(self) -> Options:
        """The options that it was given.

        >>> import tapeviz as tf
        >>> tf.data.Dataset.range(1).options().deterministic
        """
        return self._options or Options()

    def with_options(self, options: Options, name: str | None = None) -> Self:
        """The same dataset with options.

        Args:
            options: them.
            name: accepted as TensorFlow does.

        >>> import tapeviz as tf
        >>> len(tf.data.Dataset.range(3).with_options(tf.data.Options()))
        3
        """
        made = self._of(self._step)
        made._options = options
        return made

    def __repr__(self) -> str:
        return f"<_{self._step.name}Dataset element_spec={self.element_spec}>"

    # What makes datasets.

    @classmethod
    def _of(cls, node: Node) -> Self:
        """The dataset whose last step this is."""
        made = object.__new__(cls)
        made._step = node
        if node.made_at is None:
            node.made_at = call_site()
        return made

    @classmethod
    def from_tensors(cls, tensors: Any, name: str | None = None) -> Self:
        """One element.

        Args:
            tensors: it: a structure of tensors; a list is a tensor.
            name: accepted as TensorFlow does.

        Raises:
            ValueError: something in it cannot be a tensor.

        >>> import tapeviz as tf
        >>> list(tf.data.Dataset.from_tensors([1, 2]).as_numpy_iterator())
        [array([1, 2], dtype=int32)]
        """
        return cls._of(TensorNode(normalized(tensors)))

    @classmethod
    def from_tensor_slices(cls, tensors: Any, name: str | None = None) -> Self:
        """The slices of tensors along their first axis.

        Args:
            tensors: a structure of tensors whose first axes have one length. Arrays are copied once.
            name: accepted as TensorFlow does.

        Raises:
            ValueError: there is none, one has no axis, or lengths differ.

        >>> import tapeviz as tf
        >>> for x, y in tf.data.Dataset.from_tensor_slices(([[1, 2], [3, 4]], [0, 1])):
        ...     print(x.numpy(), y.numpy())
        [1 2] 0
        [3 4] 1
        """
        return cls._of(SliceNode(normalized(tensors)))

    @classmethod
    def from_generator(
        cls, generator: Callable[..., Any], output_types: Any = None, output_shapes: Any = None, args: Any = None,
        output_signature: Any = None, name: str | None = None,
    ) -> Self:  # fmt: skip
        """What a Python generator gives. It is called for each pass anew.

        What does not fit the promise is an error that names element and component, and what the generator raises is an
        error of the pipeline. Whole numbers must stay what they are; smaller floats round.

        Args:
            generator: a function that gives something to iterate over.
            output_types: the dtypes, where there is no ``output_signature``.
            output_shapes: the shapes, beside ``output_types``.
            args: tensors to call it with, as arrays.
            output_signature: a structure of TensorSpecs.
            name: accepted as TensorFlow does.

        Raises:
            TypeError: it cannot be called, or nothing is said of what it gives.
            InvalidArgumentError: in a pass: an element is not as promised; it raised a ValueError or TypeError.
            UnknownError: in a pass: it raised something else.

        >>> import tapeviz as tf
        >>> def squares(count):
        ...     yield from (k * k for k in range(count))
        >>> made = tf.data.Dataset.from_generator(squares, args=(3,), output_signature=tf.TensorSpec([], tf.int32))
        >>> list(made.as_numpy_iterator())
        [np.int32(0), np.int32(1), np.int32(4)]
        """
        spec = signature(output_types, output_shapes, output_signature)
        return cls._of(GeneratorNode(generator, spec, () if args is None else args))

    @classmethod
    def range(cls, *args: Any, **kwargs: Any) -> Self:
        """Numbers: of ``stop``, of ``start, stop``, or of ``start, stop, step``.

        Args:
            *args: the limits.
            **kwargs: ``output_type``, int64 by default; ``name`` is accepted.

        Raises:
            ValueError: there are none, or more than three limits.
            InvalidArgumentError: the step is 0.

        >>> import tapeviz as tf
        >>> list(tf.data.Dataset.range(5, 1, -2).as_numpy_iterator())
        [np.int64(5), np.int64(3)]
        """
        if not 1 <= len(args) <= _LIMITS:
            raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
        limits = [to_int(limit, "a limit of range") for limit in args]
        start, stop, step = (0, limits[0], 1) if len(limits) == 1 else (*limits, 1)[:_LIMITS]
        return cls._of(RangeNode(start, stop, step, as_dtype(kwargs.get("output_type", "int64"))))

    @classmethod
    def counter(cls, start: int = 0, step: int = 1, dtype: Any = "int64", name: str | None = None) -> Self:
        """Numbers from ``start`` by ``step``, without end.

        Args:
            start: the first.
            step: from one to the next.
            dtype: their dtype.
            name: accepted as TensorFlow does.

        >>> import tapeviz as tf
        >>> list(tf.data.Dataset.counter(5, 2).take(2).as_numpy_iterator())
        [np.int64(5), np.int64(7)]
        """
        return cls._of(CounterNode(static_int(start, "start"), static_int(step, "step"), as_dtype(dtype)))

    @classmethod
    def random(cls, seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None) -> Self:
        """Random whole numbers from 0 to 2**32 - 1, without end.

        Args:
            seed: with a seed the numbers are the same each time.
            rerandomize_each_iteration: whether each pass has other ones.
            name: accepted as TensorFlow does.

        >>> import tapeviz as tf
        >>> first, second = (list(tf.data.Dataset.random(4).take(3).as_numpy_iterator()) for _ in (1, 2))
        >>> first == second
        True
        """
        return cls._of(RandomNode(Order(seed, again=bool(rerandomize_each_iteration))))

    @classmethod
    def zip(cls, *args: Any, datasets: Any = None, name: str | None = None) -> Self:
        """Elements of several datasets side by side, until one of them ends.

        Args:
            *args: datasets, or one structure of them.
            datasets: the old way to give the structure.
            name: accepted as TensorFlow does.

        Raises:
            TypeError: something is not a dataset, or there is none.

        >>> import tapeviz as tf
        >>> numbers = tf.data.Dataset.range(3)
        >>> list(tf.data.Dataset.zip(numbers, numbers.skip(1)).as_numpy_iterator())
        [(np.int64(0), np.int64(1)), (np.int64(1), np.int64(2))]
        """
        if (not args) == (datasets is None):
            raise TypeError("Must pass either `*args` or `datasets`, and not both.")
        structure = datasets if datasets is not None else args[0] if len(args) == 1 else args
        for leaf in [structure] if isinstance(structure, list) else nest.flatten(structure):
            if not hasattr(leaf, "_step"):
                instead = " Python `list` is not supported and you should use `tuple` instead."
                raise TypeError(
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` "
                    f"objects.{instead if isinstance(leaf, list) else f' Encountered object of type {type(leaf)}.'}"
                )
        return cls._of(ZipNode(nest.map_structure(lambda dataset: dataset._step, structure)))

    @classmethod
    def list_files(
        cls, file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: str | None = None
    ) -> Self:
        """The names of the files that fit a pattern, in a random order unless ``shuffle`` is False.

        Args:
            file_pattern: such as ``"data/*.csv"``, or a list of patterns.
            shuffle: whether the order is random.
            seed: of the order.
            name: accepted as TensorFlow does.

        Raises:
            InvalidArgumentError: there are none.

        >>> import tapeviz as tf
        >>> tf.data.Dataset.list_files("/no/such/folder/*")
        Traceback (most recent call last):
        tapeviz.engine.errors.InvalidArgumentError: No files matched pattern: /no/such/folder/*
        """
        names = files_matching(file_pattern)
        dataset = cls.from_tensor_slices(names)
        return dataset if shuffle is False else dataset.shuffle(len(names), seed=seed)

    @classmethod
    def sample_from_datasets(
        cls, datasets: Sequence[Any], weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Self:  # fmt: skip
        """Elements of several datasets, each from one that is drawn.

        Args:
            datasets: of elements of one structure.
            weights: the probability of each; all alike unless given.
            seed: of the draws.
            stop_on_empty_dataset: whether it ends when one of them does; else it goes on with the others.
            rerandomize_each_iteration: whether each pass draws anew; True unless there is a seed.

        Raises:
            ValueError: there is none, or another number of weights.
            TypeError: their elements differ.

        >>> import tapeviz as tf
        >>> ones, twos = (tf.data.Dataset.from_tensors(k).repeat() for k in (1, 2))
        >>> mixed = tf.data.Dataset.sample_from_datasets([ones, twos], weights=[0.0, 1.0])
        >>> list(mixed.take(2).as_numpy_iterator())
        [np.int32(2), np.int32(2)]
        """
        again = seed is None if rerandomize_each_iteration is None else rerandomize_each_iteration
        choose = weighted_choice(len(datasets), weights, Order(seed, again=again))
        return cls._of(
            DirectedInterleaveNode([one._step for one in datasets], None, choose, stop=stop_on_empty_dataset)
        )

    @classmethod
    def choose_from_datasets(
        cls, datasets: Sequence[Any], choice_dataset: Any, stop_on_empty_dataset: bool = True
    ) -> Self:
        """Elements of several datasets, each from the one whose number another dataset gives.

        Args:
            datasets: of elements of one structure.
            choice_dataset: of int64 numbers.
            stop_on_empty_dataset: whether it ends when a chosen one has ended; else that choice is passed over.

        Raises:
            ValueError: there is none.
            TypeError: elements differ, or the choices are not whole numbers.

        >>> import tapeviz as tf
        >>> letters = [tf.data.Dataset.from_tensors(letter).repeat() for letter in "ab"]
        >>> chosen = tf.data.Dataset.choose_from_datasets(letters, tf.data.Dataset.range(2))
        >>> list(chosen.as_numpy_iterator())
        [b'a', b'b']
        """
        return cls._of(
            DirectedInterleaveNode(
                [one._step for one in datasets], choice_dataset._step, None, stop=stop_on_empty_dataset
            )
        )

    # Steps that call functions. A function is traced once, when the method is called, into a graph that runs for each
    # element: its Python does not run again. What cannot be traced raises there; tf.py_function and tf.numpy_function
    # call Python for each element. A tuple gives a function several arguments, anything else one.

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
        return self._of(MapNode(self._step, map_func, parallel, self._of))

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
        return self._of(FilterNode(self._step, predicate, self._of))

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
        return self._of(TakeWhileNode(self._step, predicate, self._of))

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
        return self._of(InterleaveNode(self._step, map_func, 1, 1, 0, self._of, "flat_map"))

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
        cycle = cores if cycle_length in (None, AUTOTUNE) else static_int(cycle_length, "cycle_length")
        block = 1 if block_length is None else static_int(block_length, "block_length")
        return self._of(InterleaveNode(self._step, map_func, cycle, block, parallel, self._of, "interleave"))

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
        return self._of(ScanNode(self._step, initial_state, scan_func, self._of))

    @overload
    def reduce(
        self, initial_state: Tensor | np.generic | complex, reduce_func: Callable[..., Any], name: str | None = None
    ) -> Tensor: ...
    @overload
    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None) -> Any: ...
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
        size = None if window_size is None else static_int(window_size, "window_size")
        return self._of(GroupNode(self._step, key_func, reduce_func, size, window_size_func, self._of))

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
        return self._of(
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
        return self._of(EnumerateNode(self._step, to_int(start, "start")))

    def apply(self, transformation_func: Callable[[Self], _OtherDataset]) -> _OtherDataset:
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

    # Steps that take elements as they are: groups of them, another order, fewer or more.

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
        size = static_int(batch_size, "batch_size")
        return self._of(BatchNode(self._step, size, drop=bool(drop_remainder)))

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
        size = static_int(batch_size, "batch_size")
        return self._of(PaddedBatchNode(self._step, size, padded_shapes, padding_values, drop=bool(drop_remainder)))

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
        return self._of(UnbatchNode(self._step))

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
        count = static_int(size, "size")
        step = count if shift is None else static_int(shift, "shift")
        return self._of(
            WindowNode(self._step, count, step, static_int(stride, "stride"), self._of, drop=bool(drop_remainder))
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
        order = Order(None if seed is None else static_int(seed, "seed"), again=again)
        return self._of(ShuffleNode(self._step, static_int(buffer_size, "buffer_size"), order))

    def repeat(self, count: Any = None, name: str | None = None) -> Self:
        """The elements so many times.

        Args:
            count: how often; None or -1 for without end.
            name: accepted as TensorFlow does.

        Raises:
            TypeError: the count is not a whole number.

        >>> import tapeviz as tf
        >>> list(tf.data.Dataset.range(2).repeat(2).as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(0), np.int64(1)]
        """
        times = _FOREVER if count is None else to_int(count, "count")
        return self._of(RepeatNode(self._step, times))

    def take(self, count: Any, name: str | None = None) -> Self:
        """The first so many elements.

        Args:
            count: how many; -1 for all.
            name: accepted as TensorFlow does.

        Raises:
            TypeError: the count is not a whole number.

        >>> import tapeviz as tf
        >>> list(tf.data.Dataset.range(5).take(2).as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        return self._of(TakeNode(self._step, to_int(count, "count")))

    def skip(self, count: Any, name: str | None = None) -> Self:
        """All but the first so many elements.

        Args:
            count: how many; -1 leaves none.
            name: accepted as TensorFlow does.

        Raises:
            TypeError: the count is not a whole number.

        >>> import tapeviz as tf
        >>> list(tf.data.Dataset.range(5).skip(3).as_numpy_iterator())
        [np.int64(3), np.int64(4)]
        """
        return self._of(SkipNode(self._step, to_int(count, "count")))

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
        count = static_int(num_shards, "num_shards")
        return self._of(ShardNode(self._step, count, static_int(index, "index")))

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Self:
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
        return self._of(ConcatenateNode(self._step, dataset._step))

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
        return self._of(UniqueNode(self._step))

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
        return self._of(CacheNode(self._step, text))

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
        return self._of(PrefetchNode(self._step, static_int(buffer_size, "buffer_size")))

    # In graphs.

    def _begun(self, run: Any) -> Iterator:
        return Iterator(self, run)

    def _graph_steps(self) -> GraphIterator:
        """A pass at each run of the graph that is being built, from here on."""
        return GraphIterator(opened(self._step, self._begun, handle_of), self.element_spec)

    def _graph_enumerate(self, start: Any) -> Dataset:
        return self.enumerate(start)

    @classmethod
    def _graph_zip(cls, datasets: tuple[Any, ...]) -> Dataset:
        return cls.zip(*datasets) if len(datasets) > 1 else cls.zip(datasets)

    # As an argument of a traced function, whose graph is for all datasets of such elements.

    def _traced_as(self) -> Any:
        return ("dataset", repr(self.element_spec)), f"dataset of {self.element_spec}"

    def _argument(self) -> Any:
        node = self._step
        if isinstance(node, Given):
            return node.symbol
        if local.state.graph is not None:  # made while tracing: at each run it is a dataset of its own
            return opened(node, partial(_bound, node), handle_of)
        return wrap(handle_of(node))

    def _inside(self, symbol: Any) -> Dataset:
        return self._of(Given(symbol, self._step.spec))


def _parallel(calls: Any) -> int | None:
    if calls is None:
        return None
    count = static_int(calls, "num_parallel_calls")
    if count < 1 and count != AUTOTUNE:
        raise ValueError(f"num_parallel_calls must be positive or AUTOTUNE, got {count}")
    return count


def _bound(node: Node, run: Run) -> Node:
    """The dataset with the values that are known at a run."""
    return Bound(node, run.given)
