"""The functions of ``tf.layers``: a layer made and applied at once, its variables found again by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final

from tapeviz.compat.v1.layers import layer_classes as classes

__all__ = [
    "average_pooling1d", "average_pooling2d", "average_pooling3d", "batch_normalization", "conv1d", "conv2d",
    "conv2d_transpose", "conv3d", "conv3d_transpose", "dense", "dropout", "flatten", "max_pooling1d", "max_pooling2d",
    "max_pooling3d", "separable_conv1d", "separable_conv2d",
]  # fmt: skip


_DOC: Final = """A layer of the class ``{name}``, made here and applied at once.

    Args:
        inputs: what to apply it to.
        args: those of ``tf.layers.{name}``, which describes them.{training}
        name: the layer's name and its scope's; the class's by default, with a number where that is taken.
        reuse: whether its variables are found in that scope: True, ``AUTO_REUSE``, or None for as outside.

    Raises:
        ValueError: a variable is there already, or is not there, and the scope's ``reuse`` says otherwise.
    """
_TRAINING: Final = """
        training: whether to do as in training: a truth value, or a tensor that a session is fed."""


def _applied(cls: Any, label: str, *, trained: bool = False) -> Callable[..., Any]:
    """The function that makes a layer of this class and calls it. ``trained``: the call takes ``training``."""

    def apply(inputs: Any, *args: Any, name: str | None = None, reuse: Any = None, **options: Any) -> Any:
        __tracebackhide__ = True
        told = {"training": options.pop("training")} if trained and "training" in options else {}
        return cls(*args, name=name, _scope=name, _reuse=reuse, **options)(inputs, **told)

    apply.__name__ = apply.__qualname__ = label
    apply.__module__ = __name__
    apply.__signature__ = _signature(cls, trained=trained)  # type: ignore[attr-defined]
    apply.__doc__ = _DOC.format(name=cls.__name__, training=_TRAINING if trained else "")
    return apply


def _signature(cls: Any, *, trained: bool) -> inspect.Signature:
    """The parameters of the class, with what the function takes besides."""
    either = inspect.Parameter.POSITIONAL_OR_KEYWORD
    own = [
        one for name, one in inspect.signature(cls).parameters.items()
        if one.kind is either and name not in ("name", "training")
    ]  # fmt: skip
    only = inspect.Parameter.KEYWORD_ONLY
    more = [("training", False, "Any")] * trained + [("name", None, "str | None"), ("reuse", None, "Any")]
    added = [inspect.Parameter(name, only, default=value, annotation=kind) for name, value, kind in more]
    inputs = inspect.Parameter("inputs", either, annotation="TensorLike")
    return inspect.Signature([inputs, *own, *added], return_annotation="Tensor")


dense: Callable[..., Any] = _applied(classes.Dense, "dense")
conv1d: Callable[..., Any] = _applied(classes.Conv1D, "conv1d")
conv2d: Callable[..., Any] = _applied(classes.Conv2D, "conv2d")
conv3d: Callable[..., Any] = _applied(classes.Conv3D, "conv3d")
conv2d_transpose: Callable[..., Any] = _applied(classes.Conv2DTranspose, "conv2d_transpose")
conv3d_transpose: Callable[..., Any] = _applied(classes.Conv3DTranspose, "conv3d_transpose")
separable_conv1d: Callable[..., Any] = _applied(classes.SeparableConv1D, "separable_conv1d")
separable_conv2d: Callable[..., Any] = _applied(classes.SeparableConv2D, "separable_conv2d")
max_pooling1d: Callable[..., Any] = _applied(classes.MaxPooling1D, "max_pooling1d")
max_pooling2d: Callable[..., Any] = _applied(classes.MaxPooling2D, "max_pooling2d")
max_pooling3d: Callable[..., Any] = _applied(classes.MaxPooling3D, "max_pooling3d")
average_pooling1d: Callable[..., Any] = _applied(classes.AveragePooling1D, "average_pooling1d")
average_pooling2d: Callable[..., Any] = _applied(classes.AveragePooling2D, "average_pooling2d")
average_pooling3d: Callable[..., Any] = _applied(classes.AveragePooling3D, "average_pooling3d")
flatten: Callable[..., Any] = _applied(classes.Flatten, "flatten")
dropout: Callable[..., Any] = _applied(classes.Dropout, "dropout", trained=True)
batch_normalization: Callable[..., Any] = _applied(classes.BatchNormalization, "batch_normalization", trained=True)
