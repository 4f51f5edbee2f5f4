"""Whether a graph's programs are compiled, and when: as its function says, or else as is usual."""

from __future__ import annotations

from typing import Any

from tapeviz.native.machine import is_installed

__all__ = ["compiles_beside", "get_jit", "runs_before", "set_jit"]

_RUNS = 16  # of a program, after which it is worth the ten to hundred milliseconds that a compiler takes
_BESIDE = True  # whether the program goes on meanwhile
_usual = [True]


def set_jit(enabled: bool | str) -> None:
    """Say whether functions are compiled that do not say so themselves with ``jit_compile``.

    It counts for programs that have not run yet. Compiled or not, a function gives the same numbers.

    Args:
        enabled: True or "autoclustering": once a graph has run a few times. False or "": never.

    Raises:
        ValueError: another string.

    >>> import tapeviz as tf
    >>> tf.config.optimizer.set_jit(False)
    >>> tf.config.optimizer.get_jit()
    ''
    >>> tf.config.optimizer.set_jit(True)
    """
    if enabled not in (True, False, "autoclustering", ""):
        raise ValueError(f'set_jit takes True, False, "autoclustering" or "", not {enabled!r}')
    _usual[0] = bool(enabled)


def get_jit() -> str:
    """What :func:`set_jit` has said: "autoclustering", as it is at first, or "".

    >>> import tapeviz as tf
    >>> tf.config.optimizer.get_jit()
    'autoclustering'
    """
    return "autoclustering" if _usual[0] else ""


def runs_before(graph: Any) -> int:
    """How many planned runs a graph's program has before it is compiled; 0 where it never is."""
    wish = _wish_of(graph)
    if wish is False or (wish is None and not _usual[0]) or not is_installed():
        return 0
    return 1 if wish else _RUNS


def compiles_beside(graph: Any) -> bool:
    """Whether a graph's program goes on running as it is while it is compiled; not where the function asks for code."""
    return _BESIDE and not _wish_of(graph)


def _wish_of(graph: Any) -> bool | None:
    """What the function says whose graph this is, or is inside of."""
    while graph is not None:
        if graph.trace is not None and graph.trace.compiles is not None:
            return bool(graph.trace.compiles)
        graph = graph.outer
    return None
