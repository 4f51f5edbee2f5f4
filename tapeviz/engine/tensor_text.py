"""How tensors and variables print: exactly as TensorFlow's do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from tapeviz.engine.dtypes import DType

__all__ = ["tensor_html", "tensor_repr", "tensor_str", "variable_repr"]

_STRIP_CELLS = 48  # elements drawn in the notebook's summary strip
# What `html.escape` replaces in text; importing it would cost more than all of this file.
_ENTITIES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def _text(array: np.ndarray, *, as_repr: bool) -> str:
    if array.ndim == 0:
        # As TensorFlow: repr shows the Python number, which has more digits than the float32 has.
        return repr(array.item()) if as_repr or array.dtype == object else str(array[()])
    return repr(array) if as_repr else str(array)


def _indented(text: str) -> str:
    return f"\n{text}" if "\n" in text else text


def tensor_str(array: np.ndarray, shape: Any, dtype: DType) -> str:
    """``tf.Tensor([1. 2.], shape=(2,), dtype=float32)``."""
    return f"tf.Tensor({_indented(_text(array, as_repr=False))}, shape={shape}, dtype={dtype.name})"


def tensor_repr(array: np.ndarray, shape: Any, dtype: DType) -> str:
    """``<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>``."""
    return f"<tf.Tensor: shape={shape}, dtype={dtype.name}, numpy={_indented(_text(array, as_repr=True))}>"


def variable_repr(array: np.ndarray, name: str, shape: Any, dtype: DType) -> str:
    """``<tf.Variable 'w:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>``."""
    value = _indented(_text(array, as_repr=True))
    return f"<tf.Variable '{name}' shape={shape} dtype={dtype.name}, numpy={value}>"


def tensor_html(array: np.ndarray, title: str, text: str) -> str:
    """A summary for notebooks: shape and dtype, range, mean and spread, flags for NaN and Inf, a strip, the values."""
    figures = _figures(array)
    strip = _strip(array)
    return (
        '<div style="font-family:var(--jp-code-font-family,monospace);font-size:13px;line-height:1.5">'
        f"<div><b>{title.translate(_ENTITIES)}</b> {figures}</div>{strip}"
        f'<pre style="margin:4px 0 0;max-height:16em;overflow:auto">{text.translate(_ENTITIES)}</pre></div>'
    )


def _figures(array: np.ndarray) -> str:
    if array.dtype.kind not in "fiu" or array.size < 2:  # noqa: PLR2004 - one number is its own summary
        return ""
    finite = array[np.isfinite(array)].astype(np.float64) if array.dtype.kind == "f" else array.astype(np.float64)
    parts = []
    if finite.size:
        parts.append(f"{finite.min():.4g} … {finite.max():.4g}, mean {finite.mean():.4g}, std {finite.std():.4g}")
    if finite.size < array.size:
        nan = int(np.isnan(array).sum())
        parts.append(f"<b>▲ {nan} NaN, {array.size - finite.size - nan} Inf</b>")
    return " · ".join(parts)


def _strip(array: np.ndarray) -> str:
    """The first elements as a row of bars up and down from 0, so that scale and sign show at a glance."""
    if array.dtype.kind not in "fiu" or array.size < 2:  # noqa: PLR2004
        return ""
    values = array.ravel()[:_STRIP_CELLS].astype(np.float64)
    size = np.max(np.abs(values), where=np.isfinite(values), initial=0.0) or 1.0
    bars = []
    for position, value in enumerate(values):
        if not np.isfinite(value):
            bars.append(f'<text x="{position * 5 + 2}" y="15" font-size="9" text-anchor="middle">✕</text>')
            continue
        height = abs(value) / size * 11
        top = 12 - height if value >= 0 else 12
        fill = "#E66100" if value >= 0 else "#5D3A9B"
        bars.append(f'<rect x="{position * 5}" y="{top:.1f}" width="4" height="{max(height, 0.5):.1f}" fill="{fill}"/>')
    width = values.size * 5
    return (
        f'<svg width="{width}" height="24" viewBox="0 0 {width} 24" role="img" '
        f'aria-label="first {values.size} elements">{"".join(bars)}</svg>'
    )
