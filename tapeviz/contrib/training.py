"""``tf.contrib.training``: :class:`HParams`."""

from __future__ import annotations

import ast
import json
from typing import Any

__all__ = ["HParams"]


class HParams:
    """Hyperparameters by name, each of the type of its first value.

    Args:
        hparam_def: accepted as TensorFlow does.
        model_structure: accepted as TensorFlow does.
        **kwargs: the names and values.

    >>> import tapeviz as tf
    >>> config = tf.contrib.training.HParams(learning_rate=0.1, layers=[10])
    >>> config.parse("learning_rate=0.5,layers=[2,3]").values()
    {'learning_rate': 0.5, 'layers': [2, 3]}
    """

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        self._values: dict[str, Any]
        object.__setattr__(self, "_values", {})
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Add one.

        Raises:
            ValueError: the name is taken.
        """
        if name in self._values or hasattr(type(self), name):
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        self._values[name] = value

    def set_hparam(self, name: str, value: Any) -> None:
        """Change one, to a value of its type.

        Raises:
            KeyError: there is none of that name.
            ValueError: the value does not fit.
        """
        self._values[name] = _fitting(name, value, self._values[name])

    def del_hparam(self, name: str) -> None:
        """Take one away."""
        self._values.pop(name, None)

    def get(self, key: str, default: Any = None) -> Any:
        """The value, or another where there is none."""
        return self._values.get(key, default)

    def values(self) -> dict[str, Any]:
        """All of them by name."""
        return dict(self._values)

    def override_from_dict(self, values_dict: dict[str, Any]) -> HParams:
        """Change those named."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def parse(self, values: str) -> HParams:
        """Change those that a text names, as in ``"rate=0.1,layers=[2,3]"``.

        Raises:
            ValueError: the text says no values, or one of a name that there is not.
        """
        try:
            call = ast.parse(f"f({values})", mode="eval").body
            given = {word.arg: _plain(word.value) for word in getattr(call, "keywords", ())}
        except SyntaxError:
            raise ValueError(f"Malformed hyperparameter value: {values}") from None
        unknown = [name for name in given if name not in self._values]
        if unknown:
            raise ValueError(f"Unknown hyperparameter: {', '.join(map(str, unknown))}")
        return self.override_from_dict({str(name): value for name, value in given.items()})

    def to_json(self, indent: Any = None, separators: Any = None, sort_keys: bool = False) -> str:
        """All of them as JSON."""
        return json.dumps(self._values, indent=indent, separators=separators, sort_keys=sort_keys)

    def parse_json(self, values_json: str) -> HParams:
        """Change those that JSON names."""
        return self.override_from_dict(json.loads(values_json))

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(f"There is no hyperparameter {name!r}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._values:
            self.set_hparam(name, value)
        else:
            object.__setattr__(self, name, value)

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def __repr__(self) -> str:
        return f"HParams({', '.join(f'{name}={value!r}' for name, value in self._values.items())})"


def _plain(node: ast.expr) -> Any:
    """A value as it is written; a word without quotes is a string."""
    return node.id if isinstance(node, ast.Name) else ast.literal_eval(node)


def _fitting(name: str, value: Any, before: Any) -> Any:
    if before is None or value is None or isinstance(value, type(before)):
        return value
    if isinstance(before, float) and isinstance(value, int):
        return float(value)
    if isinstance(before, bool) and str(value).lower() in ("true", "false", "0", "1"):
        return str(value).lower() in ("true", "1")
    if isinstance(before, int | str) and not isinstance(value, bool | float):
        return type(before)(value)
    raise ValueError(f"Could not cast hyperparameter '{name}' of type '{type(before).__name__}' from value {value!r}")
