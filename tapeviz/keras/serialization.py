"""Objects as plain dicts of class and config, and back; objects by whatever names them."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from tapeviz.engine.dtypes import DType
from tapeviz.engine.shapes import TensorShape

__all__ = [
    "custom_object_scope",
    "deserialize_keras_object",
    "get_custom_objects",
    "get_object",
    "get_registered_name",
    "get_registered_object",
    "interpret",
    "register_keras_serializable",
    "serialize_keras_object",
]

_custom: Final[dict[str, Any]] = {}
_names: Final[dict[Any, str]] = {}


def register_keras_serializable(package: str = "Custom", name: str | None = None) -> Callable[[Any], Any]:
    """Decorate a class or function so that a saved model that uses it can be loaded again.

    Args:
        package: with the name, what the object is saved as: ``package>name``.
        name: the class's or function's own by default.

    Raises:
        ValueError: a class has no ``get_config``.

    >>> import tapeviz as tf
    >>> @tf.keras.utils.register_keras_serializable(package="mine")
    ... class Twice(tf.keras.layers.Layer):
    ...     def call(self, x):
    ...         return 2 * x
    >>> tf.keras.utils.get_registered_name(Twice)
    'mine>Twice'
    """

    def decorate(target: Any) -> Any:
        if inspect.isclass(target) and not hasattr(target, "get_config"):
            raise ValueError("Cannot register a class that does not have a get_config() method.")
        registered = f"{package}>{name or target.__name__}"
        _custom[registered] = target
        _names[target] = registered
        return target

    return decorate


def get_registered_name(obj: Any) -> str:
    """What a class or function is saved as: the name it was registered under, else its own.

    >>> import tapeviz as tf
    >>> tf.keras.utils.get_registered_name(tf.keras.layers.Dense)
    'Dense'
    """
    try:
        return _names.get(obj) or str(obj.__name__)
    except TypeError:  # not hashable
        return str(obj.__name__)


def get_registered_object(name: str, custom_objects: dict[str, Any] | None = None) -> Any:
    """The class or function of that registered name; None where there is none.

    >>> import tapeviz as tf
    >>> tf.keras.utils.get_registered_object("mine>Nothing") is None
    True
    """
    return (custom_objects or {}).get(name, _custom.get(name))


def get_custom_objects() -> dict[str, Any]:
    """The dict of all registered classes and functions; what is added to it is found.

    >>> import tapeviz as tf
    >>> isinstance(tf.keras.utils.get_custom_objects(), dict)
    True
    """
    return _custom


@contextmanager
def custom_object_scope(objects: dict[str, Any]) -> Iterator[None]:
    """A block in which classes and functions are found under these names when objects are made from configs.

    >>> import tapeviz as tf
    >>> with tf.keras.utils.custom_object_scope({"Mine": tf.keras.layers.Dense}):
    ...     tf.keras.utils.get_registered_object("Mine").__name__
    'Dense'
    """
    before = dict(_custom)
    _custom.update(objects)
    try:
        yield
    finally:
        _custom.clear()
        _custom.update(before)


def serialize_keras_object(obj: Any) -> Any:  # noqa: PLR0911 - a line a sort
    """An object as plain data: numbers, text, lists and dicts.

    >>> import tapeviz as tf
    >>> tf.keras.utils.serialize_keras_object(tf.keras.initializers.Zeros())["class_name"]
    'Zeros'
    """
    if obj is None or isinstance(obj, (bool, int, float, str)):
        return obj
    if isinstance(obj, DType):
        return obj.name
    if isinstance(obj, TensorShape):
        return list(obj.dims) if obj.dims is not None else None
    if isinstance(obj, (list, tuple)):
        return [serialize_keras_object(item) for item in obj]
    if isinstance(obj, dict):
        return {key: serialize_keras_object(item) for key, item in obj.items()}
    if hasattr(obj, "get_config"):
        return _described(type(obj), obj.get_config())
    if inspect.isfunction(obj) or inspect.isbuiltin(obj) or callable(obj):
        return _of_function(obj)
    if hasattr(obj, "tolist"):
        return obj.tolist()
    raise TypeError(f"{obj!r} cannot be written as a config: its class {type(obj).__name__} has no get_config()")


def _of_function(function: Any) -> dict[str, Any]:
    name = getattr(function, "__name__", "")
    if not name or name == "<lambda>":
        raise ValueError(
            f"{function!r} cannot be looked up by its name; use a function of a module, registered with "
            "register_keras_serializable"
        )
    return {"module": _module_of(function), "class_name": "function", "config": name,
            "registered_name": get_registered_name(function)}  # fmt: skip


def _described(cls: type, config: dict[str, Any]) -> dict[str, Any]:
    ours = cls.__module__.startswith("tapeviz.")
    registered = _names.get(cls)
    return {
        "module": _module_of(cls),
        "class_name": cls.__name__,
        "config": {key: serialize_keras_object(value) for key, value in config.items()},
        "registered_name": registered if registered or ours else cls.__name__,
    }


def _module_of(thing: Any) -> str:
    """The public namespace that a class or function of ours is found in, ``keras.layers``; else its module."""
    parts = str(getattr(thing, "__module__", None) or "").split(".")
    return ".".join(parts[1:3]) if parts[0] == "tapeviz" else ".".join(parts)


def deserialize_keras_object(
    config: Any, custom_objects: dict[str, Any] | None = None, module_objects: Any = None
) -> Any:
    """The object that a config describes.

    Args:
        config: what :func:`serialize_keras_object` gave, or a name.
        custom_objects: classes and functions by name, looked up first.
        module_objects: a namespace to look names up in, besides.

    Raises:
        ValueError: the class or function is not known, or is not a class.

    >>> import tapeviz as tf
    >>> config = {"module": "keras.layers", "class_name": "Dense", "config": {"units": 3}}
    >>> tf.keras.utils.deserialize_keras_object(config).units
    3
    """
    if isinstance(config, (list, tuple)):
        return [deserialize_keras_object(item, custom_objects, module_objects) for item in config]
    if not isinstance(config, dict):
        return config
    if "class_name" not in config:
        return {key: deserialize_keras_object(item, custom_objects, module_objects) for key, item in config.items()}
    target: Any = _class_of(config, custom_objects, module_objects)
    inner = config.get("config")
    if config["class_name"] == "function":
        return target
    if not isinstance(target, type):
        raise ValueError(  # noqa: TRY004 - as for a class that is not known
            f"{config['class_name']!r} is not a class, so no object can be made from it."
        )
    if not hasattr(target, "from_config"):
        return target(**(inner or {}))
    if custom_objects:
        with custom_object_scope(custom_objects):
            made = target.from_config(inner or {})
    else:
        made = target.from_config(inner or {})
    if config.get("build_config") and not getattr(made, "built", True):
        made.build_from_config(config["build_config"])
    return made


def _class_of(config: dict[str, Any], custom_objects: dict[str, Any] | None, module_objects: Any) -> Any:
    name = config["config"] if config["class_name"] == "function" else config["class_name"]
    for candidate in (config.get("registered_name"), name):
        target = get_registered_object(candidate, custom_objects) if candidate else None
        if target is not None:
            return target
    module = str(config.get("module") or "")
    if module_objects is not None and (target := _looked_up(module_objects, name)) is not None:
        return target
    place = _namespace(module)
    if place is not None and (target := _looked_up(place, name)) is not None:
        return target
    raise ValueError(
        f"Unknown object: {name!r}{f' of {module!r}' if module else ''}. Register it with "
        "`register_keras_serializable`, or name it in `custom_objects`."
    )


def _looked_up(place: Any, name: str) -> Any:
    return place.get(name) if isinstance(place, dict) else getattr(place, name, None)


def _namespace(module: str) -> Any:
    """A namespace of ours, by the name that configs have for it. No other module is looked into for a config's sake."""
    top, _, rest = module.partition(".")
    keras = sys.modules["tapeviz.keras"]
    return None if top != "keras" else getattr(keras, rest.partition(".")[0], None) if rest else keras


def get_object(identifier: Any, family: str, objects: Mapping[str, Any]) -> Any:
    """The object that an identifier stands for; None for None.

    Args:
        identifier: None, a name, a config dict, a class, or an object that can be called.
        family: what it should be, for the message.
        objects: classes and functions by name.

    Raises:
        ValueError: it stands for nothing.
    """

    def read(said: Any) -> Any:
        if isinstance(said, dict):
            return deserialize_keras_object(said, module_objects=dict(objects))
        return get_registered_object(said) or objects.get(said)

    return interpret(identifier, family, read)


def interpret(identifier: Any, family: str, read: Callable[[Any], Any]) -> Any:
    """The same where ``read`` gives what a name or a config stands for, and None where that is nothing.

    Raises:
        ValueError: it stands for nothing.
    """
    if identifier is None:
        return None
    made = read(identifier) if isinstance(identifier, (dict, str)) else identifier
    if inspect.isclass(made):
        made = made()
    if callable(made):
        return made
    raise ValueError(f"Could not interpret {family} identifier: {identifier!r}")
