"""What is true of an op beyond its inputs and outputs, as words: passes, compiler, recorder and views ask for these.

A rule for "ops like ``exp``" asks for a trait, never for names. A trait is said once, at the declaration.
"""

from __future__ import annotations

from typing import Final

__all__ = ["TRAITS"]

TRAITS: Final[dict[str, str]] = {
    "exact": "each element of the output is rounded as IEEE 754 says, whatever its position and its neighbours",
    "moves": "the elements of the output are elements of the inputs, none of them changed",
    "shape_only": "the output depends on shapes and dtypes of the inputs alone",
}
"""Every trait and what it means of an op that has it."""
