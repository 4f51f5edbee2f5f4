"""How datasets are made: from tensors, their slices, generators, numbers, and other datasets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

from tapeviz.data.generators import GeneratorNode, signature
from tapeviz.data.lines import files_matching
from tapeviz.data.mixing import MixedNode, drawn_by
from tapeviz.data.nodes import Node, at_once, whole
from tapeviz.data.selecting import ZipNode
from tapeviz.data.shuffling import Order
from tapeviz.data.sources import CounterNode, RandomNode, RangeNode, SliceNode, TensorNode
from tapeviz.data.structures import normalized
from tapeviz.engine import nest
from tapeviz.engine.dtypes import as_dtype

__all__ = ["Making"]

_LIMITS = 3


class Making:
    """The class methods of :class:`~tapeviz.data.Dataset` that make datasets."""

    _step: Node

    @classmethod
    def _of(cls, node: Node) -> Self:
        """The dataset whose last step this is."""
        made = object.__new__(cls)
        made._step = node
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
        limits = [whole(limit, "a limit of range") for limit in args]
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
        return cls._of(CounterNode(at_once(start, "start"), at_once(step, "step"), as_dtype(dtype)))

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
            TypeError: something is no dataset, or there is none.

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
        found: Any = cls.from_tensor_slices(files_matching(file_pattern))
        return found if shuffle is False else found.shuffle(len(found), seed=seed)  # type: ignore[no-any-return]

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
        choose = drawn_by(len(datasets), weights, Order(seed, again=again))
        return cls._of(MixedNode([one._step for one in datasets], None, choose, stop=stop_on_empty_dataset))

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
            TypeError: elements differ, or the choices are no whole numbers.

        >>> import tapeviz as tf
        >>> letters = [tf.data.Dataset.from_tensors(letter).repeat() for letter in "ab"]
        >>> chosen = tf.data.Dataset.choose_from_datasets(letters, tf.data.Dataset.range(2))
        >>> list(chosen.as_numpy_iterator())
        [b'a', b'b']
        """
        return cls._of(
            MixedNode([one._step for one in datasets], choice_dataset._step, None, stop=stop_on_empty_dataset)
        )
