"""The convolutions over one, two and three axes, each with the two that its gradients are."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapeviz.engine.declaration import Op, Spec
from tapeviz.engine.define import op
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.rules import shape_text
from tapeviz.engine.samples import cases
from tapeviz.engine.types import FLOATS
from tapeviz.ops import static_shape_rules
from tapeviz.ops.nn.convolution_kernels import convolve, convolve_back_to_filters, convolve_back_to_input
from tapeviz.ops.nn.windows import Padding, geometry, refuse

__all__ = ["BACK_TO_INPUT", "CONVOLUTIONS"]

_TYPES: Final = FLOATS | {np.dtype(np.int32)}


def _rule(input: Spec, filters: Spec, *, strides: Any, padding: Padding, dilations: Any) -> Spec:
    count = len(strides)
    refuse(input.shape, count, "convolution input")
    refuse(filters.shape, count, "filter")
    if 0 in filters.shape:
        raise InvalidArgumentError("filter must not have zero elements (i.e. all dimensions must be non-zero)")
    channels, (inputs, outputs) = input.shape[-1], filters.shape[-2:]
    if channels % inputs:
        raise InvalidArgumentError(f"input depth must be evenly divisible by filter depth: {channels} vs {inputs}")
    if outputs % max(1, channels // inputs):
        raise InvalidArgumentError(
            f"output depth must be evenly divisible by number of groups: {outputs} vs {channels // inputs}"
        )
    windows, _ = geometry(input.shape[1:-1], filters.shape[:count], strides, padding, dilations)
    return Spec((input.shape[0], *windows, outputs), input.dtype)


def _input_rule(filters: Spec, upstream: Spec, *, input_sizes: Any, **window: Any) -> Spec:
    refuse(tuple(input_sizes), len(window["strides"]), "input_sizes")
    expected = _rule(Spec(tuple(input_sizes), filters.dtype), filters, **window)
    if upstream.shape != expected.shape:
        raise InvalidArgumentError(
            f"the input of a transposed convolution (the gradient of a convolution) with shape "
            f"{shape_text(upstream.shape)} does not fit: a convolution of {shape_text(tuple(input_sizes))} with the "
            f"filter {shape_text(filters.shape)} gives {shape_text(expected.shape)}"
        )
    return Spec(tuple(input_sizes), filters.dtype)


def _filters_rule(input: Spec, upstream: Spec, *, filter_sizes: Any, **window: Any) -> Spec:
    expected = _rule(input, Spec(tuple(filter_sizes), input.dtype), **window)
    if upstream.shape != expected.shape:
        raise InvalidArgumentError(
            f"the gradient of a convolution has shape {shape_text(upstream.shape)}, expected "
            f"{shape_text(expected.shape)}"
        )
    return Spec(tuple(filter_sizes), input.dtype)


def _window(count: int, stride: int = 1, padding: Padding = "VALID", dilation: int = 1) -> dict[str, Any]:
    return {"strides": (stride,) * count, "padding": padding, "dilations": (dilation,) * count}


# Shapes of input, filters and output, and how the window moves.
_SAMPLES: Final[dict[int, list[tuple[Any, Any, Any, dict[str, Any]]]]] = {
    1: [
        ((2, 5, 3), (3, 3, 2), (2, 3, 2), _window(1)),
        ((1, 6, 2), (2, 2, 3), (1, 3, 3), _window(1, 2, "SAME")),
    ],
    2: [
        ((2, 4, 5, 2), (3, 2, 2, 3), (2, 2, 4, 3), _window(2)),
        ((1, 5, 4, 2), (3, 3, 2, 2), (1, 3, 2, 2), _window(2, 2, "SAME")),
        ((1, 5, 5, 1), (2, 2, 1, 2), (1, 5, 5, 2), _window(2, 1, "SAME", 2)),
        ((1, 3, 3, 4), (2, 2, 2, 2), (1, 3, 4, 2), _window(2, 1, ((1, 0), (1, 1)))),
        ((0, 3, 3, 1), (2, 2, 1, 2), (0, 2, 2, 2), _window(2)),
    ],
    3: [
        ((1, 3, 3, 3, 2), (2, 2, 2, 2, 2), (1, 2, 2, 2, 2), _window(3)),
        ((1, 3, 2, 3, 1), (2, 2, 2, 1, 2), (1, 2, 1, 2, 2), _window(3, 2, "SAME")),
    ],
}


def _declare(count: int, tf_name: str, version: str = "") -> tuple[Op, Op]:
    """The three ops for ``count`` axes. Each is linear in both its inputs, and its gradients are the other two."""
    name = f"conv{count}d"
    to_input, to_filters = f"{name}_backprop_input", f"{name}_backprop_filter"
    convolved = op(
        name,
        doc=f"Weighted sums over the windows of a filter that slides over {count} of the axes.",
        family="linalg",
        tf_name=tf_name,
        forward=convolve,
        infer=_rule,
        static=static_shape_rules.convolution,
        types=_TYPES,
        vjp={
            "input": lambda F, g, filters, input_spec, strides, padding, dilations: getattr(F, to_input)(
                filters, g, input_sizes=input_spec.shape, strides=strides, padding=padding, dilations=dilations
            ),
            "filters": lambda F, g, input, filters_spec, strides, padding, dilations: getattr(F, to_filters)(  # noqa: A006
                input, g, filter_sizes=filters_spec.shape, strides=strides, padding=padding, dilations=dilations
            ),
        },
        formula=r"y_{po} = \sum_{k,c} x_{sp + dk,\,c}\, w_{kco}",
        vjp_formula=(
            r"\bar x_{qc} = \sum_{p,k,o:\, sp + dk = q} \bar y_{po}\, w_{kco}",
            r"\bar w_{kco} = \sum_p x_{sp + dk,\,c}\, \bar y_{po}",
        ),
        samples=cases(*(([x, w], window) for x, w, _, window in _SAMPLES[count])),
        traits="product",
    )
    back = _declare_back_to_input(count, f"{tf_name}BackpropInput{version}")
    _declare_back_to_filters(count, f"{tf_name}BackpropFilter{version}")
    return convolved, back


def _declare_back_to_input(count: int, tf_name: str) -> Op:
    name = f"conv{count}d"
    return op(
        f"{name}_backprop_input",
        doc=f"The gradient of {name} by its input, which is also the transposed convolution.",
        family="linalg",
        tf_name=tf_name,
        forward=convolve_back_to_input,
        infer=_input_rule,
        static=static_shape_rules.transposed_convolution,
        types=_TYPES,
        vjp={
            "filters": lambda F, g, upstream, filters_spec, strides, padding, dilations: getattr(
                F, f"{name}_backprop_filter"
            )(g, upstream, filter_sizes=filters_spec.shape, strides=strides, padding=padding, dilations=dilations),
            "upstream": lambda F, g, filters, strides, padding, dilations: getattr(F, name)(
                g, filters, strides=strides, padding=padding, dilations=dilations
            ),
        },
        formula=r"y_{qc} = \sum_{p,k,o:\, sp + dk = q} x_{po}\, w_{kco}",
        vjp_formula=(
            r"\bar w_{kco} = \sum_p \bar y_{sp + dk,\,c}\, x_{po}",
            r"\bar x_{po} = \sum_{k,c} \bar y_{sp + dk,\,c}\, w_{kco}",
        ),
        samples=cases(*(([w, y], {"input_sizes": x, **window}) for x, w, y, window in _SAMPLES[count])),
        traits="product",
    )


def _declare_back_to_filters(count: int, tf_name: str) -> None:
    name = f"conv{count}d"
    op(
        f"{name}_backprop_filter",
        doc=f"The gradient of {name} by its filters.",
        family="linalg",
        tf_name=tf_name,
        forward=convolve_back_to_filters,
        infer=_filters_rule,
        types=_TYPES,
        vjp={
            "input": lambda F, g, upstream, input_spec, strides, padding, dilations: getattr(
                F, f"{name}_backprop_input"
            )(g, upstream, input_sizes=input_spec.shape, strides=strides, padding=padding, dilations=dilations),
            "upstream": lambda F, g, input, strides, padding, dilations: getattr(F, name)(  # noqa: A006
                input, g, strides=strides, padding=padding, dilations=dilations
            ),
        },
        formula=r"y_{kco} = \sum_p x_{sp + dk,\,c}\, g_{po}",
        vjp_formula=(
            r"\bar x_{qc} = \sum_{p,k,o:\, sp + dk = q} g_{po}\, \bar y_{kco}",
            r"\bar g_{po} = \sum_{k,c} x_{sp + dk,\,c}\, \bar y_{kco}",
        ),
        samples=cases(*(([x, y], {"filter_sizes": w, **window}) for x, w, y, window in _SAMPLES[count])),
        traits="product",
    )


_MADE: Final = {1: _declare(1, "Conv2D"), 2: _declare(2, "Conv2D"), 3: _declare(3, "Conv3D", "V2")}
CONVOLUTIONS: Final = {count: made[0] for count, made in _MADE.items()}
"""The convolution over so many axes."""
BACK_TO_INPUT: Final = {count: made[1] for count, made in _MADE.items()}
"""Its gradient by the input."""
