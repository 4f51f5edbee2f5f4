"""``tf.train.Example``: records of named values, and how they become tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.shapes import TensorShape
from tapeviz.ops.array.creation import range as count
from tapeviz.ops.array.creation import shape
from tapeviz.ops.array.reshape import expand_dims
from tapeviz.ops.runtime_calls import by_values
from tapeviz.ops.sparse.sparse_tensor import SparseTensor

__all__ = [
    "BytesList", "Example", "Feature", "FeatureList", "FeatureLists", "Features", "FixedLenFeature",
    "FixedLenSequenceFeature", "FloatList", "Int64List", "SequenceExample", "VarLenFeature", "parse_example",
    "parse_single_example", "parse_single_sequence_example",
]  # fmt: skip

_Field: Final = descriptor_pb2.FieldDescriptorProto
_KINDS: Final = {"bytes": _Field.TYPE_BYTES, "float": _Field.TYPE_FLOAT, "int64": _Field.TYPE_INT64}
# Each message: its fields by name, each with its number and type; a map's values have the type after "map".
_MESSAGES: Final = {
    "BytesList": {"value": (1, "*bytes")},
    "FloatList": {"value": (1, "*float")},
    "Int64List": {"value": (1, "*int64")},
    "Feature": {"bytes_list": (1, "BytesList"), "float_list": (2, "FloatList"), "int64_list": (3, "Int64List")},
    "Features": {"feature": (1, "map Feature")},
    "FeatureList": {"feature": (1, "*Feature")},
    "FeatureLists": {"feature_list": (1, "map FeatureList")},
    "Example": {"features": (1, "Features")},
    "SequenceExample": {"context": (1, "Features"), "feature_lists": (2, "FeatureLists")},
}
_PACKAGE: Final = "tapeviz.io"


def _declared() -> dict[str, Any]:
    """The classes of the messages."""
    file = descriptor_pb2.FileDescriptorProto(name="tapeviz/io/example.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        if name == "Feature":
            message.oneof_decl.add(name="kind")
        for field, (number, kind) in fields.items():
            plain = kind.removeprefix("*").removeprefix("map ")
            made = message.field.add(name=field, number=number, label=_Field.LABEL_OPTIONAL)
            if kind != plain:
                made.label = _Field.LABEL_REPEATED
            if kind.startswith("map "):
                entry = message.nested_type.add(name=f"{field.title().replace('_', '')}Entry")
                entry.options.map_entry = True
                entry.field.add(name="key", number=1, label=_Field.LABEL_OPTIONAL, type=_Field.TYPE_STRING)
                entry.field.add(name="value", number=2, label=_Field.LABEL_OPTIONAL, type=_Field.TYPE_MESSAGE,
                                type_name=f".{_PACKAGE}.{plain}")  # fmt: skip
                plain = f"{name}.{entry.name}"
            made.type = _KINDS.get(plain, _Field.TYPE_MESSAGE)
            if plain not in _KINDS:
                made.type_name = f".{_PACKAGE}.{plain}"
            if name == "Feature":
                made.oneof_index = 0
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found = {}
    for name in _MESSAGES:
        found[name] = message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))
        found[name].__module__ = __name__
    return found


_classes: Final = _declared()
BytesList: Any = _classes["BytesList"]
FloatList: Any = _classes["FloatList"]
Int64List: Any = _classes["Int64List"]
Feature: Any = _classes["Feature"]
Features: Any = _classes["Features"]
FeatureList: Any = _classes["FeatureList"]
FeatureLists: Any = _classes["FeatureLists"]
Example: Any = _classes["Example"]
SequenceExample: Any = _classes["SequenceExample"]


class FixedLenFeature(NamedTuple):
    """A feature of one shape, which every record has unless there is a default.

    >>> import tapeviz as tf
    >>> tf.io.FixedLenFeature([], tf.int64).shape
    []
    """

    shape: Any
    dtype: Any
    default_value: Any = None


class FixedLenSequenceFeature(NamedTuple):
    """A feature that is any number of values of one shape."""

    shape: Any
    dtype: Any
    allow_missing: bool = True
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """A feature of any number of values, which becomes a sparse tensor."""

    dtype: Any


def _values(features: Any, name: str, dtype: Any) -> Any:
    """The values of a feature; None where a record has none."""
    if name not in features:
        return None
    feature = features[name]
    kind = feature.WhichOneof("kind")
    if kind is None:
        return None
    expected = {"string": "bytes_list", "int64": "int64_list", "float32": "float_list"}.get(as_dtype(dtype).name)
    if kind != expected:
        raise InvalidArgumentError(
            f"Key: {name}.  Data types don't match. Expected type: {as_dtype(dtype).name}, but the record has a {kind}",
            "ParseExample",
        )
    return list(getattr(feature, kind).value)


def _array(values: Any, dtype: Any, shape: Any) -> Any:
    made = np.empty(len(values), as_dtype(dtype).numpy)
    made[:] = values
    return made.reshape(shape)


def _fixed(features: Any, name: str, spec: Any) -> np.ndarray:
    found = _values(features, name, spec.dtype)
    sizes = [-1, *spec.shape] if isinstance(spec, FixedLenSequenceFeature) else list(spec.shape)
    if found is None and isinstance(spec, FixedLenSequenceFeature):
        found = []
    if found is None:
        if spec.default_value is None:
            raise InvalidArgumentError(f"Feature: {name} is required but could not be found.", "ParseExample")
        return np.broadcast_to(np.asarray(spec.default_value, as_dtype(spec.dtype).numpy), sizes)
    if isinstance(spec, FixedLenFeature) and len(found) != TensorShape(spec.shape).num_elements():
        raise InvalidArgumentError(f"Key: {name}.  Number of values != expected.  Values size: {len(found)} but output "
                                   f"shape: {spec.shape}", "ParseExample")  # fmt: skip
    return np.asarray(_array(found, spec.dtype, sizes))


def _form(_serialized: Any, names: Any, specs: Any, *_args: Any) -> Any:
    return [
        ((None,) if isinstance(spec, VarLenFeature) else
         tuple([None, *spec.shape] if isinstance(spec, FixedLenSequenceFeature) else spec.shape), spec.dtype)
        for _, spec in zip(names, specs, strict=True)
    ]  # fmt: skip


@by_values(form=_form)
def _parsed(serialized: Any, names: Any, specs: Any) -> Any:
    features = Example.FromString(convert_to_tensor(serialized).numpy()).features.feature
    return [
        convert_to_tensor(
            _array(_values(features, name, spec.dtype) or [], spec.dtype, [-1])
            if isinstance(spec, VarLenFeature) else _fixed(features, name, spec),
            dtype=spec.dtype,
        )
        for name, spec in zip(names, specs, strict=True)
    ]  # fmt: skip


def parse_single_example(serialized: Any, features: Any, example_names: Any = None, name: str | None = None) -> Any:
    """A record as tensors by name. What is of any length becomes a sparse tensor.

    Args:
        serialized: the bytes of an ``Example``.
        features: for each name what to find: ``FixedLenFeature``, ``FixedLenSequenceFeature`` or ``VarLenFeature``.
        example_names: accepted as TensorFlow does.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a record lacks a feature, or has one of another type or size.

    >>> import tapeviz as tf
    >>> number = tf.train.Feature(int64_list=tf.train.Int64List(value=[3]))
    >>> record = tf.train.Example(features=tf.train.Features(feature={"a": number})).SerializeToString()
    >>> tf.io.parse_single_example(record, {"a": tf.io.FixedLenFeature([], tf.int64)})["a"].numpy()
    np.int64(3)
    """
    found = _parsed(serialized, list(features), list(features.values()))
    return {
        name: _sparse(value) if isinstance(spec, VarLenFeature) else value
        for (name, spec), value in zip(features.items(), found, strict=True)
    }


@by_values(form=lambda _serialized, _names, specs: [((None, *spec.shape), spec.dtype) for spec in specs])
def _parsed_steps(serialized: Any, names: Any, specs: Any) -> Any:
    lists = SequenceExample.FromString(convert_to_tensor(serialized).numpy()).feature_lists.feature_list
    made = []
    for name, spec in zip(names, specs, strict=True):
        if name not in lists and not spec.allow_missing:
            raise InvalidArgumentError(
                f"Name: {name}, feature list is required but could not be found.", "ParseExample"
            )
        step = FixedLenFeature(spec.shape, spec.dtype)
        rows = [_fixed({name: found}, name, step) for found in lists[name].feature] if name in lists else []
        values = _array([value for row in rows for value in row.ravel()], spec.dtype, [-1, *spec.shape])
        made.append(convert_to_tensor(values, dtype=spec.dtype))
    return made


def _sparse_steps(serialized: Any, name: str, dtype: Any) -> SparseTensor:
    lists = SequenceExample.FromString(convert_to_tensor(serialized).numpy()).feature_lists.feature_list
    steps = lists[name].feature if name in lists else []
    return _sparse_rows([_values({name: step}, name, dtype) or [] for step in steps], dtype)


def parse_single_sequence_example(
    serialized: Any, context_features: Any = None, sequence_features: Any = None, example_name: Any = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """A record of a sequence as two dicts of tensors: of its context, and of its steps.

    Args:
        serialized: the bytes of a ``SequenceExample``.
        context_features: for each name what to find, as for :func:`parse_single_example`.
        sequence_features: for each name a ``FixedLenSequenceFeature``, the shape of a step, or a ``VarLenFeature`` (not
            while a graph is traced).
        example_name: accepted as TensorFlow does.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a record lacks a feature, or has one of another type or size.

    >>> import tapeviz as tf
    >>> steps = [tf.train.Feature(int64_list=tf.train.Int64List(value=[step])) for step in (3, 4)]
    >>> lists = tf.train.FeatureLists(feature_list={"a": tf.train.FeatureList(feature=steps)})
    >>> record = tf.train.SequenceExample(feature_lists=lists).SerializeToString()
    >>> wanted = {"a": tf.io.FixedLenSequenceFeature([], tf.int64)}
    >>> tf.io.parse_single_sequence_example(record, sequence_features=wanted)[1]["a"].numpy()
    array([3, 4])
    """
    steps = sequence_features or {}
    fixed = {key: spec for key, spec in steps.items() if not isinstance(spec, VarLenFeature)}
    found = dict(zip(fixed, _parsed_steps(serialized, list(fixed), list(fixed.values())), strict=True)) if fixed else {}
    # The context has the same place in both messages, and what is beside it is passed over.
    context = parse_single_example(serialized, context_features) if context_features else {}
    return context, {
        key: found[key] if key in found else _sparse_steps(serialized, key, spec.dtype) for key, spec in steps.items()
    }


def _sparse(values: Any) -> SparseTensor:
    """A vector as the sparse tensor of all its elements."""
    sizes = shape(values, "int64")
    return SparseTensor(expand_dims(count(sizes[0]), -1), values, sizes)


def _sparse_rows(rows: Sequence[Sequence[Any]], dtype: Any) -> SparseTensor:
    """Rows of any length as a sparse tensor."""
    values = _array([value for row in rows for value in row], dtype, [-1])
    places = [(row, place) for row, found in enumerate(rows) for place in range(len(found))]
    sizes = [len(rows), max(map(len, rows), default=0)]
    return SparseTensor(np.array(places, np.int64).reshape(-1, 2), values, sizes)


def parse_example(serialized: Any, features: Any, example_names: Any = None, name: str | None = None) -> Any:
    """Records as tensors by name, stacked: see :func:`parse_single_example`."""
    records = [Example.FromString(item).features.feature for item in convert_to_tensor(serialized).numpy().ravel()]
    made: dict[str, Any] = {}
    for key, spec in features.items():
        if isinstance(spec, VarLenFeature):
            made[key] = _sparse_rows([_values(record, key, spec.dtype) or [] for record in records], spec.dtype)
        else:
            made[key] = convert_to_tensor(np.stack([_fixed(record, key, spec) for record in records]))
    return made
