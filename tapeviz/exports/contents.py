"""The elements of a tensor, as far as a recording kept them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.graph import Graph

__all__ = ["elements"]


def elements(graph: Graph, tensor: int) -> NDArray[Any] | None:
    """The elements of a tensor (by its row) in its own shape; None where not all were kept, or they are not numbers."""
    values = graph.recording.values
    pieces = np.flatnonzero(values.tensor == graph.recording.tensors.id[tensor])
    size, dtype = graph.size(tensor), graph.dtype(tensor)
    if not len(pieces) or dtype == "string":
        return None
    _, first = np.unique(values.offset[pieces], return_index=True)  # older recordings may hold a run twice
    pieces = pieces[first]
    data: list[bytes] = [values.data[row] for row in pieces.tolist()]
    whole = np.frombuffer(b"".join(data), "u2" if dtype == "bfloat16" else np.dtype(dtype))
    if whole.size != size or float(values.length[pieces].sum()) != size:
        return None
    if dtype == "bfloat16":  # the upper half of a float32
        whole = (whole.astype("u4") << 16).view("f4")
    return whole.reshape(graph.shape(tensor))
