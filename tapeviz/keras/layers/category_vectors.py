"""Categories for a model: indices as vectors of ones and zeros, numbers as bins, words as hash buckets."""

from __future__ import annotations

import hashlib
from typing import Any, Final

import numpy as np

from tapeviz.data.dataset import Dataset
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.operators import public
from tapeviz.engine.tensor import Tensor
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.parameters import config_of
from tapeviz.ops.array.reshape import expand_dims, squeeze
from tapeviz.ops.array.select import one_hot
from tapeviz.ops.math.reductions import reduce_max, reduce_sum
from tapeviz.ops.runtime_calls import by_values, open_sizes

__all__ = ["CategoryEncoding", "Discretization", "Hashing", "check_mode", "encoded", "whole_array"]

_MODES: Final = ("int", "one_hot", "multi_hot", "count")


def check_mode(layer: str, mode: str, modes: tuple[str, ...] = _MODES) -> str:
    """The output mode of a layer.

    Raises:
        ValueError: it has no such mode.
    """
    if mode not in modes:
        raise ValueError(
            f"Unknown argument for `output_mode`: {layer} has the modes {', '.join(modes)}. Received: {mode!r}"
        )
    return mode


def encoded(indices: Any, mode: str, depth: Any, weights: Any = None) -> Any:
    """Indices as a layer with an ``output_mode`` gives them: themselves, or vectors of ``depth`` numbers.

    ``weights`` are what each index counts for in the mode ``count``.
    """
    whole: Any = convert_to_tensor(indices)
    if mode == "int":
        return whole
    if whole.ndim == 0:
        whole = expand_dims(whole, 0)
    if mode == "one_hot":
        one = whole.ndim > 1 and whole.shape[-1] == 1
        return one_hot(squeeze(whole, -1) if one else whole, depth)
    bits: Any = one_hot(whole, depth)
    if mode == "multi_hot":
        return reduce_max(bits, axis=-2)
    return reduce_sum(bits if weights is None else bits * expand_dims(public["cast"](weights, "float32"), -1), axis=-2)


def whole_array(data: Any, steps: int | None = None) -> Any:
    """All that a layer adapts to, as one array: an array, a tensor, or a dataset's batches one after the other."""
    if not isinstance(data, Dataset):
        return np.asarray(convert_to_tensor(data).numpy())
    batches = data if steps is None else data.take(steps)
    return np.concatenate([np.atleast_1d(np.asarray(batch)) for batch in batches])


class CategoryEncoding(Layer):
    """Indices of categories as vectors with a number for each category.

    Args:
        num_tokens: how many categories there are.
        output_mode: ``"multi_hot"``: a one for each category in a sample; ``"one_hot"``: a vector for each index;
            ``"count"``: how often each comes.
        sparse: whether to give a sparse tensor: not supported.
        kwargs: what every layer takes.

    Raises:
        ValueError: there is no such mode, or ``num_tokens`` is missing.

    >>> import tapeviz as tf
    >>> tf.keras.layers.CategoryEncoding(4, output_mode="count")([[0, 1, 1]]).numpy()
    array([[1., 2., 0., 0.]], dtype=float32)
    """

    def __init__(
        self, num_tokens: int | None = None, output_mode: str = "multi_hot", sparse: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        if num_tokens is None:
            raise ValueError("num_tokens must be set to use this layer. To find it out, use a lookup layer's size.")
        self.num_tokens: int
        self.output_mode: str
        self.num_tokens = num_tokens
        self.output_mode = check_mode("CategoryEncoding", output_mode, _MODES[1:])
        self.sparse: bool = _refused_sparse(self, sparse)
        self.autocast = False

    def call(self, inputs: Any, count_weights: Any = None) -> Any:
        """The vectors. ``count_weights`` are what each index counts for, in the mode ``count``."""
        return encoded(public["cast"](convert_to_tensor(inputs), "int64"), self.output_mode, self.num_tokens,
                       count_weights)  # fmt: skip

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "num_tokens output_mode sparse")}


def _refused_sparse(layer: Layer, sparse: bool) -> bool:
    if sparse:
        raise ValueError(f"{type(layer).__name__} gives dense tensors: sparse=True is not supported")
    return sparse


def _bin_form(inputs: Any, _layer: Any) -> Any:
    return open_sizes(convert_to_tensor(inputs)), "int64"


def _of_equal_shares(values: Any, weights: Any, share: float) -> tuple[Any, Any]:
    """Between sorted values those that split their weight into such shares; all where there are fewer."""
    if len(values) * share < 1:
        return values, weights
    below = np.cumsum(weights)
    wanted = (np.arange(0.0, 1.0, share) + share) * below[-1]
    return np.interp(wanted, below, values), np.diff(np.interp(wanted, below, below), prepend=0)


@by_values(form=_bin_form)
def _bins(inputs: Any, layer: Any) -> Tensor:
    return convert_to_tensor(np.digitize(convert_to_tensor(inputs).numpy(), layer.bin_boundaries))


class Discretization(Layer):
    """Numbers as the index of the bin that they lie in: bin 0 is below the first boundary.

    Args:
        bin_boundaries: the boundaries between bins; a number at a boundary is in the bin above it.
        num_bins: how many bins :meth:`adapt` makes, of as many numbers each.
        epsilon: the share of the numbers by which these bins may be off.
        output_mode: ``"int"``, ``"one_hot"``, ``"multi_hot"`` or ``"count"``.
        sparse: whether to give a sparse tensor: not supported.
        kwargs: what every layer takes.

    Raises:
        ValueError: neither or both of ``bin_boundaries`` and ``num_bins`` are given; there is no such mode.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Discretization(bin_boundaries=[0.0, 1.0, 2.0])([[-1.5, 1.0, 3.4]]).numpy()
    array([[0, 2, 3]])
    """

    def __init__(
        self, bin_boundaries: Any = None, num_bins: int | None = None, epsilon: float = 0.01, output_mode: str = "int",
        sparse: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        if (bin_boundaries is None) == (num_bins is None):
            raise ValueError(
                "Discretization takes either `bin_boundaries` or `num_bins`. "
                f"Received: bin_boundaries={bin_boundaries}, num_bins={num_bins}"
            )
        self.bin_boundaries: list[float]
        self.num_bins: int | None
        self.epsilon: float
        self.bin_boundaries = [] if bin_boundaries is None else [float(one) for one in bin_boundaries]
        self.num_bins, self.epsilon = num_bins, epsilon
        self.output_mode: str = check_mode("Discretization", output_mode)
        self.sparse: bool = _refused_sparse(self, sparse)
        self.autocast = False

    def adapt(self, data: Any, steps: int | None = None) -> None:
        """Find boundaries between bins of as many numbers each.

        Args:
            data: an array, or a dataset of batches.
            steps: how many batches of a dataset to take.

        Raises:
            ValueError: the boundaries were given.
        """
        if self.num_bins is None:
            raise ValueError("A Discretization layer with `bin_boundaries` has nothing to adapt.")
        numbers = np.sort(whole_array(data, steps).ravel())
        step = max(len(numbers) * self.epsilon, 1)
        samples = numbers[int(step - 1) :: int(step)]
        found = _of_equal_shares(samples, np.full(len(samples), step), self.epsilon)
        self.bin_boundaries = _of_equal_shares(*found, 1 / self.num_bins)[0][:-1].tolist()

    def call(self, inputs: Any) -> Any:
        """The bins."""
        return encoded(_bins(inputs, self), self.output_mode, len(self.bin_boundaries) + 1)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with, and the boundaries that it found."""
        found = self.bin_boundaries or None
        config = config_of(self, "epsilon output_mode sparse")
        return {**super().get_config(), **config, "bin_boundaries": found,
                "num_bins": None if found else self.num_bins}  # fmt: skip


@by_values(form=_bin_form)
def _buckets(inputs: Any, layer: Any) -> Tensor:
    given = convert_to_tensor(inputs).numpy()
    found = np.array([layer._bucket(value) for value in np.ravel(np.asarray(given))], np.int64)
    return convert_to_tensor(found.reshape(np.shape(given)))


class Hashing(Layer):
    """Words or whole numbers as buckets that a hash of them chooses.

    The buckets are the same on every machine, and others than TensorFlow's.

    Args:
        num_bins: how many buckets there are.
        mask_value: what stands for nothing, and has bucket 0 for itself.
        salt: makes other buckets of the same values.
        output_mode: ``"int"``, ``"one_hot"``, ``"multi_hot"`` or ``"count"``.
        sparse: whether to give a sparse tensor: not supported.
        kwargs: what every layer takes.

    Raises:
        ValueError: there is no such mode, or no bucket.

    >>> import tapeviz as tf
    >>> buckets = tf.keras.layers.Hashing(num_bins=3)([["A"], ["B"], ["A"]]).numpy().ravel()
    >>> bool(buckets[0] == buckets[2]), bool((0 <= buckets).all() and (buckets < 3).all())
    (True, True)
    """

    def __init__(
        self, num_bins: int, mask_value: Any = None, salt: Any = None, output_mode: str = "int", sparse: bool = False,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        if not num_bins or num_bins <= 0:
            raise ValueError(f"The `num_bins` for `Hashing` cannot be `None` or non-positive values: {num_bins}")
        self.num_bins: int
        self.num_bins, self.mask_value, self.salt = num_bins, mask_value, salt
        self.output_mode: str = check_mode("Hashing", output_mode)
        self.sparse: bool = _refused_sparse(self, sparse)
        self.autocast = False

    def _bucket(self, value: Any) -> int:
        plain = value.decode() if isinstance(value, bytes) else value
        reserved = 0 if self.mask_value is None else 1
        if reserved and plain == self.mask_value:
            return 0
        digest = hashlib.blake2b(f"{self.salt}:{plain}".encode(), digest_size=8).digest()
        return reserved + int.from_bytes(digest) % (self.num_bins - reserved)

    def call(self, inputs: Any) -> Any:
        """The buckets."""
        return encoded(_buckets(inputs, self), self.output_mode, self.num_bins)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "num_bins mask_value salt output_mode sparse")}
