"""``Model.save``, ``save_weights`` and ``load_weights``."""

from __future__ import annotations

__all__ = ["Saved"]


class Saved:
    """What a model does with files. A part of :class:`~tapeviz.keras.models.model.Model`."""
