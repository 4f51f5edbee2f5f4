"""Each op's declaration by its name, to import: ``from tapeviz.ops.declarations import relu``.

For code above the ops that has a rule for one of them, or asks whether a step is of it. What users call is elsewhere:
some of these functions convert their arguments first.
"""

from __future__ import annotations

from tapeviz.engine.declaration import Op, registry

__all__: list[str] = []


def __getattr__(name: str) -> Op:
    try:
        return registry[name]
    except KeyError:
        raise AttributeError(f"no op {name!r} is declared") from None
