"""The two ways in which each program runs: op by op, and traced into graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapeviz as tf

WAYS: dict[str, Callable[..., Any]] = {"eager": lambda function: function, "graph": tf.function}

both_ways = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def in_both_ways(program: Callable[..., Any], *arguments: Any) -> list[Any]:
    """What a program gives each way; it is called with the way as its first argument."""
    return [program(way, *arguments) for way in WAYS.values()]
