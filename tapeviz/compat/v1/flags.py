"""``tf.flags``: arguments of a program, by name, over Python's argparse."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

__all__ = [
    "FLAGS",
    "DEFINE_bool",
    "DEFINE_boolean",
    "DEFINE_enum",
    "DEFINE_float",
    "DEFINE_integer",
    "DEFINE_list",
    "DEFINE_string",
    "Flags",
]  # fmt: skip


class Flags:
    """The flags that a program has defined; they are read from its arguments when the first one is asked for.

    >>> import tapeviz.compat.v1 as tf
    >>> tf.flags.DEFINE_integer("depth", 3, "How deep.")
    >>> tf.flags.FLAGS(["program", "--depth=5", "file"]), tf.flags.FLAGS.depth
    (['program', 'file'], 5)
    """

    _parser: argparse.ArgumentParser
    _values: dict[str, Any]

    def __init__(self) -> None:
        self.__dict__.update(_parser=argparse.ArgumentParser(allow_abbrev=False), _values={}, _is_read=False)

    def define(self, name: str, default: Any, help: str | None, **options: Any) -> None:
        """Add a flag, or define it anew."""
        if name not in self._values:
            self._parser.add_argument(f"--{name}", dest=name, default=argparse.SUPPRESS, help=help, **options)
        self._values[name] = default

    def __call__(self, argv: Sequence[str], known_only: bool = True) -> list[str]:
        """Read arguments; those that are no flags are given back, after the program's name."""
        given, rest = self._parser.parse_known_args(list(argv[1:]))
        self._values.update(vars(given))
        self.__dict__["_is_read"] = True
        return [argv[0], *rest]

    def flag_values_dict(self) -> dict[str, Any]:
        """All flags by name."""
        return dict(self._values)

    def __getattr__(self, name: str) -> Any:
        if name == "__flags":  # by which older programs print them all
            return self.flag_values_dict()
        if name.startswith("__") or name not in self._values:
            raise AttributeError(f"There is no flag {name!r}: define it by tf.flags.DEFINE_string and its kin")
        if not self._is_read:
            self(sys.argv)
        return self._values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self._values[name] = value

    def __iter__(self) -> Any:
        return iter(self._values)


FLAGS: Final = Flags()


def _as_bool(text: str) -> bool:
    if text.lower() in ("true", "t", "1", "yes"):
        return True
    if text.lower() in ("false", "f", "0", "no"):
        return False
    raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")


def _defining(kind: Callable[[str], Any], **options: Any) -> Callable[..., None]:
    def define(name: str, default: Any, help: str | None = None, **_accepted: Any) -> None:
        FLAGS.define(name, default, help, type=kind, **options)

    define.__doc__ = "Define a flag by its name, its default and what it means."
    return define


DEFINE_string: Callable[..., None] = _defining(str)
DEFINE_integer: Callable[..., None] = _defining(int)
DEFINE_float: Callable[..., None] = _defining(float)
DEFINE_list: Callable[..., None] = _defining(lambda text: text.split(","))
DEFINE_bool: Callable[..., None] = _defining(_as_bool, nargs="?", const=True)
DEFINE_boolean = DEFINE_bool


def DEFINE_enum(name: str, default: Any, enum_values: Sequence[str], help: str | None = None) -> None:
    """Define a flag that is one of several words."""
    FLAGS.define(name, default, help, choices=enum_values)
