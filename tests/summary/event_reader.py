"""What TensorBoard's own reader finds in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util import tensor_util

ALL = {"tensors": 0, "scalars": 0, "histograms": 0, "images": 0}


def read(folder: Path | str) -> EventAccumulator:
    """Return the reader, with all events of the folder in it."""
    return EventAccumulator(str(folder), size_guidance=ALL).Reload()


def tensors(folder: Path | str, tag: str) -> list[tuple[int, np.ndarray]]:
    """Return steps and arrays of a summary."""
    found: list[Any] = read(folder).Tensors(tag)
    return [(event.step, tensor_util.make_ndarray(event.tensor_proto)) for event in found]


def plugin(folder: Path | str, tag: str) -> str:
    """Return which part of TensorBoard shows a summary."""
    return read(folder).SummaryMetadata(tag).plugin_data.plugin_name
