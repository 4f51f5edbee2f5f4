"""KFAC: natural gradients by whitening what goes into a layer, and what comes back to it.

The gradient of a layer's weights is a product of two things: what went in, and the gradient of what came out. Where the
inputs are correlated, or of different sizes, so is the gradient, and descent zigzags. The natural gradient (Amari 1998)
undoes that: it is the gradient times the inverse of the Fisher matrix, which for one layer of a thousand by a thousand
weights would have a million rows. KFAC (Martens and Grosse 2015) takes the matrix for the Kronecker product of two
small ones: the second moments ``A`` of the inputs and ``B`` of the gradients of the outputs. The inverse of a Kronecker
product is the product of the inverses, so

    natural gradient = inverse(A) @ gradient @ inverse(B)

which is the gradient of a layer whose inputs and gradients have been whitened. All that changes is how the product of
inputs and weights goes backwards, and so KFAC is a custom gradient: :func:`kfac_matmul`. Which optimizer takes the
gradients from there is another question: plain descent gives the method of the paper, momentum and Adam its variants.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.custom_gradient import custom_gradient
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.scopes import Module
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.variable import Variable
from tapeviz.graphs.control.control_flow import cond
from tapeviz.graphs.ir.tracing import init_scope
from tapeviz.keras.optimizers.optimizer import Optimizer
from tapeviz.keras.optimizers.sgd import SGD
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.creation import eye, shape, zeros
from tapeviz.ops.linalg.diagonals import trace
from tapeviz.ops.linalg.linear_systems import inv
from tapeviz.ops.linalg.matmul import matmul

__all__ = ["KFAC", "kfac_matmul"]

_AXES: Final = 2
_TINY: Final = 1e-30


def kfac_matmul(x: Any, w: Any, whiten_in: Any, whiten_out: Any) -> Any:
    """``x @ w``, whose gradient by ``w`` is multiplied with a matrix on either side on its way back.

    Args:
        x: the inputs, an example a row.
        w: the weights.
        whiten_in: a matrix for the side of the inputs, such as the inverse of their second moments.
        whiten_out: a matrix for the side of the outputs.

    >>> import tapeviz as tf
    >>> w = tf.Variable([[1.0], [1.0]])
    >>> x = tf.constant([[3.0, 0.5]])  # the first input is six times the second, and so is its gradient
    >>> with tf.GradientTape() as tape:
    ...     y = tf.optimizers.kfac_matmul(x, w, tf.linalg.diag([1 / 9.0, 4.0]), tf.eye(1))
    >>> tape.gradient(y, w).numpy().round(3)
    array([[0.333],
           [2.   ]], dtype=float32)
    """

    @custom_gradient
    def whitened(x: Any, w: Any) -> Any:
        def backward(dy: Any) -> Any:
            by_w = matmul(x, dy, transpose_a=True)
            return matmul(dy, w, transpose_b=True), whiten_in @ by_w @ whiten_out

        return matmul(x, w), backward

    return whitened(convert_to_tensor(x), convert_to_tensor(w))


class KFAC(Module):
    r"""Gives a model's layers natural gradients, and an optimizer to apply them.

    Compute layers by :meth:`dense`, the loss as the mean over examples. What :meth:`GradientTape.gradient` then gives
    for their weights has been whitened:

    .. math::
        \tilde g = (A + \pi \sqrt\lambda I)^{-1}\, x^\top \bar y\, (B + \tfrac{1}{\pi} \sqrt\lambda I)^{-1}, \qquad
        A = \mathrm E[x x^\top], \; B = \mathrm E[\bar y \bar y^\top]

    The means are over the examples of each batch, and over batches, older ones counting less. The gradients are those
    of the loss, not of labels drawn from the model (the "empirical" Fisher matrix), so one backward pass is enough.

    Args:
        optimizer: what applies the gradients: an optimizer, or the learning rate of plain descent. With
            ``SGD(momentum=0.9)`` or ``Adam()`` these are the variants with momentum and Adam.
        damping: :math:`\lambda`: how far from the gradient itself to go at most. The more, the more it is descent.
        decay: how slowly the second moments change, from 0 to 1.
        every: after how many steps the inverses are computed again.

    Raises:
        ValueError: an argument is out of its range.

    Of inputs of very different sizes the gradient says mostly which are large. The natural gradient says how far each
    weight is from where it should be, here 2 and 300:

    >>> import tapeviz as tf
    >>> x = tf.constant([[10.0, 0.1], [-10.0, 0.1], [10.0, -0.1], [-10.0, -0.1]])
    >>> y = x @ tf.constant([[2.0], [300.0]])
    >>> w = tf.Variable([[0.0], [0.0]])
    >>> kfac = tf.optimizers.KFAC(0.5, damping=1e-9)
    >>> for multiply in (tf.matmul, kfac.dense):
    ...     with tf.GradientTape() as tape:
    ...         loss = tf.reduce_mean(tf.square(multiply(x, w) - y))
    ...     g = tape.gradient(loss, w)
    ...     print((g[1] / g[0]).numpy().round(1))
    [0.]
    [150.]
    """

    def __init__(self, optimizer: Any = 0.1, damping: float = 1e-2, decay: float = 0.95, every: int = 1) -> None:
        super().__init__(name="kfac")
        if damping <= 0:
            raise ValueError(f"`damping` must be > 0. Received: damping={damping}")
        if not 0 <= decay < 1:
            raise ValueError(f"`decay` must be in the range [0, 1). Received: decay={decay}")
        if every < 1:
            raise ValueError(f"`every` must be an integer >= 1. Received: every={every}")
        self.optimizer: Optimizer = optimizer if isinstance(optimizer, Optimizer) else SGD(float(optimizer))
        self.damping: float
        self.decay: float
        self.every: int
        self.damping, self.decay, self.every = damping, decay, every
        self._factors: dict[str, _Factors] = {}

    def dense(self, x: Any, w: Variable, b: Variable | None = None) -> Any:
        """``x @ w + b``, with natural gradients for both.

        Args:
            x: the inputs, an example a row.
            w: the weights.
            b: the bias, which counts as the weight of an input that is always 1; None for none.

        Raises:
            ValueError: the inputs do not have two axes, or their sizes are not the weights'.
        """
        given = convert_to_tensor(x)
        if given.shape.rank != _AXES or w.shape.rank != _AXES or given.shape[1] not in (None, w.shape[0]):
            raise ValueError(f"KFAC.dense multiplies (examples, n) with (n, m). Found {given.shape} and {w.shape}.")
        factors = self._factors_of(w, with_bias=b is not None)

        @custom_gradient
        def layer(x: Any, w: Any, *bias: Any) -> Any:
            def backward(dy: Any) -> Any:
                whole = ops.concat(x, ops.ones_like(x[:, :1]), axis=1) if bias else x
                factors.see(whole, dy)
                by_w = factors.whiten_in @ matmul(whole, dy, transpose_a=True) @ factors.whiten_out
                by_x = matmul(dy, w, transpose_b=True)
                return (by_x, by_w[:-1], by_w[-1]) if bias else (by_x, by_w)

            y = matmul(x, w)
            return (y + bias[0] if bias else y), backward

        parts = [w] if b is None else [w, b]
        return layer(given, *map(convert_to_tensor, parts))

    def _factors_of(self, w: Variable, *, with_bias: bool) -> _Factors:
        key = f"{w._number}"
        if key not in self._factors:
            self._factors[key] = _Factors(self, w, int(w.shape[0]) + with_bias)
        return self._factors[key]

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Variable]]) -> Any:
        """Do one step of the optimizer. Arguments and errors are those of its own :meth:`apply_gradients`."""
        return self.optimizer.apply_gradients(grads_and_vars)

    def minimize(self, loss: Any, var_list: Sequence[Variable]) -> Any:
        """Do one step: take the gradients of a function without arguments, and apply them."""
        with GradientTape() as tape:
            value = loss()
        return self.apply_gradients(zip(tape.gradient(value, list(var_list)), var_list, strict=True))


class _Factors(Module):
    """The second moments of a layer, and their inverses.

    Args:
        kfac: whose damping, decay and pace count.
        w: the layer's weights.
        rows: how many inputs there are, with the one that is always 1.
    """

    def __init__(self, kfac: KFAC, w: Variable, rows: int) -> None:
        super().__init__(name="factors")
        self._rule = kfac.damping, kfac.decay, kfac.every
        name, kind = w.name.split(":")[0].replace("/", "_"), w.dtype
        with init_scope():
            self.moments_in, self.moments_out = (
                Variable(zeros([size, size], kind), trainable=False, name=f"kfac/{name}_{side}")
                for size, side in ((rows, "in"), (int(w.shape[1]), "out"))
            )
            self.whiten_in, self.whiten_out = (
                Variable(eye(int(moments.shape[0]), dtype=kind), trainable=False, name=f"{moments.name[:-2]}_inverse")
                for moments in (self.moments_in, self.moments_out)
            )
            self.seen = Variable(zeros([], "int64"), trainable=False, name=f"kfac/{name}_seen")

    def see(self, x: Any, dy: Any) -> None:
        """Bring the moments up to date with a batch, and the inverses when it is time.

        Args:
            x: the inputs.
            dy: the gradients of the outputs, of a loss that is a mean over the examples.
        """
        damping, decay, every = self._rule
        count = cast(shape(x)[0], x.dtype)
        seen: Any = self.seen
        step = cast(seen, x.dtype)
        kept = ops.minimum(step / (step + 1.0), decay)  # a mean of all, until that would count the oldest too much
        for moments, new in (
            (self.moments_in, matmul(x, x, transpose_a=True) / count),
            (self.moments_out, matmul(dy, dy, transpose_a=True) * count),
        ):
            moments.assign(kept * moments + (1.0 - kept) * new)
        due = ops.equal(ops.floormod(seen, every), 0)
        cond(due, lambda: self._invert(damping), lambda: None)
        seen.assign_add(1)

    def _invert(self, damping: float) -> None:
        """The inverses of the damped moments; the larger ones get the larger part of the damping."""
        sizes = [trace(moments) / float(moments.shape[0]) for moments in (self.moments_in, self.moments_out)]
        ratio = ops.sqrt((sizes[0] + _TINY) / (sizes[1] + _TINY))
        for moments, inverse, share in (
            (self.moments_in, self.whiten_in, ratio),
            (self.moments_out, self.whiten_out, 1.0 / ratio),
        ):
            identity = eye(int(moments.shape[0]), dtype=moments.dtype)
            inverse.assign(inv(moments + identity * (share * damping**0.5)))
