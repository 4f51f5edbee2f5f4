"""Schedules to configurations and back."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.keras.optimizers.schedules import cosine, decaying

__all__ = ["deserialize", "serialize"]

_CLASSES: Final = {
    name: getattr(module, name) for module in (cosine, decaying) for name in module.__all__
}  # fmt: skip


def serialize(learning_rate_schedule: Any) -> dict[str, Any]:
    """A schedule as a dict of its class and its configuration."""
    return {
        "module": "keras.optimizers.schedules",
        "class_name": type(learning_rate_schedule).__name__,
        "config": learning_rate_schedule.get_config(),
        "registered_name": None,
    }


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The schedule of such a dict.

    Args:
        config: what :func:`serialize` gives.
        custom_objects: classes of your own by name.

    Raises:
        ValueError: there is no such class.
    """
    name = config.get("class_name")
    found = (custom_objects or {}).get(name) or _CLASSES.get(name)
    if found is None:
        known = ", ".join(sorted(_CLASSES))
        raise ValueError(f"Unknown learning rate schedule: {name!r}. There are {known}, and those in `custom_objects`.")
    return found.from_config(config.get("config", {}))
