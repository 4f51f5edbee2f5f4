"""Text of a recording for a terminal: control characters are shown, and never sent."""

from __future__ import annotations

import unicodedata
from typing import Final

__all__ = ["visible"]

_KEPT: Final = "\n"
_PICTURES: Final = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "␡"}
# Controls beyond ASCII, what turns the direction of writing, halves of characters, and ends of lines and paragraphs.
_HIDDEN: Final = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_JOINERS: Final = "\u200c\u200d"  # parts of emoji and of scripts


def visible(text: str) -> str:
    r"""The text with a picture in place of each character that would command a terminal; line ends stay.

    >>> visible("\x1b[2Jred\x07")
    '␛[2Jred␇'
    """
    if text.isascii() and text.replace(_KEPT, "").isprintable():
        return text
    return "".join(_shown(letter) for letter in text)


def _shown(letter: str) -> str:
    if letter == _KEPT or letter in _JOINERS or unicodedata.category(letter) not in _HIDDEN:
        return letter
    return _PICTURES.get(ord(letter), "\ufffd")
