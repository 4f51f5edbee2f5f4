"""How short programs for TensorFlow and for tapeviz are written down: what they return must agree.

Each takes the module as ``tf``. ``fails`` gives the class of an error whose text must contain a phrase.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def program(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Say that this is a program."""
    function.is_program = True
    return function


def fails(function: Callable[[], Any], phrase: str) -> str:
    """Return the class of the error that ``function`` raises."""
    try:
        value = function()
    except Exception as error:  # its class is the answer
        if phrase not in str(error):
            raise AssertionError(f"{phrase!r} is not in {error}") from error
        return type(error).__name__
    return f"no error: {value}"
