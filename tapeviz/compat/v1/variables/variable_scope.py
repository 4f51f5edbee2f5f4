"""``get_variable`` and ``variable_scope``: variables by name, made once and found again where that is asked for."""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from tapeviz.compat.v1.graph.graph_blocks import name_scope
from tapeviz.compat.v1.variables.variable_creation import VariableStore, got, graph_key, store_here
from tapeviz.compat.v1.variables.variables import building_graph
from tapeviz.engine.dtypes import as_dtype

__all__ = ["AUTO_REUSE", "VariableScope", "get_variable", "get_variable_scope", "variable_scope"]


class _ReuseMode(enum.Enum):
    """Make variables that are not there, find those that are."""

    AUTO_REUSE = 1

    def __repr__(self) -> str:
        return "_ReuseMode.AUTO_REUSE"


AUTO_REUSE: Final = _ReuseMode.AUTO_REUSE


class _Here(threading.local):
    """The scope that this thread is in, for each graph."""

    def __init__(self) -> None:
        self.scopes: dict[int, VariableScope] = {}
        self.eager = VariableStore()


_here = _Here()


def _names_here() -> VariableStore:
    """Where the names of scopes are counted: with the variables, or for this thread where nobody keeps them."""
    return store_here() or _here.eager


class VariableScope:
    """Where :func:`get_variable` makes and finds variables: a prefix for names, and whether to find them again."""

    def __init__(
        self, reuse: Any, name: str = "", initializer: Any = None, regularizer: Any = None, name_scope: str = "",
        dtype: Any = "float32", constraint: Any = None,
    ) -> None:  # fmt: skip
        self._name = name
        self._reuse = reuse
        self._initializer = initializer
        self._regularizer = regularizer
        self._constraint = constraint
        self._dtype = as_dtype(dtype)
        self._original_name_scope = name_scope

    @property
    def name(self) -> str:
        """The prefix, without the slash at its end."""
        return self._name

    @property
    def original_name_scope(self) -> str:
        """The name scope that was opened with it."""
        return self._original_name_scope

    @property
    def reuse(self) -> Any:
        """Whether variables are found again: False, True or ``AUTO_REUSE``."""
        return self._reuse

    @property
    def initializer(self) -> Any:
        """What variables begin with, unless it is said for one."""
        return self._initializer

    @property
    def regularizer(self) -> Any:
        """The penalty for variables, unless it is said for one."""
        return self._regularizer

    @property
    def constraint(self) -> Any:
        """What holds for variables after an optimizer has changed them, unless it is said for one."""
        return self._constraint

    @property
    def dtype(self) -> Any:
        """The dtype of variables, unless it is said for one."""
        return self._dtype

    def reuse_variables(self) -> None:
        """From now on, find variables again."""
        self._reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """What variables begin with from now on, unless it is said for one."""
        self._initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """The penalty for variables from now on, unless it is said for one."""
        self._regularizer = regularizer

    def set_dtype(self, dtype: Any) -> None:
        """The dtype of variables from now on, unless it is said for one."""
        self._dtype = as_dtype(dtype)

    def global_variables(self) -> list[Any]:
        """The variables of the graph whose names begin with this scope's."""
        return self.get_collection("variables")

    def trainable_variables(self) -> list[Any]:
        """The trainable ones among them."""
        return self.get_collection("trainable_variables")

    def get_collection(self, name: str) -> list[Any]:
        """What is in a collection of the graph under names that begin with this scope's."""
        graph = building_graph()
        return [] if graph is None else graph.get_collection(name, f"{self._name}/" if self._name else None)

    def get_variable(self, name: str, **options: Any) -> Any:
        """A variable of this scope: see :func:`get_variable`."""
        return got(self, name, **options)


def get_variable_scope() -> VariableScope:
    """The scope that the program is in.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.variable_scope("outer"), tf.variable_scope("inner"):
    ...     tf.get_variable_scope().name
    'outer/inner'
    """
    key = graph_key()
    if key not in _here.scopes:
        _here.scopes[key] = VariableScope(reuse=False)
    return _here.scopes[key]


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Sequence[str] | None = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Callable[..., Any] | None = None,
    constraint: Any = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Any:
    """The variable of that name in the scope: made, or found where the scope reuses variables.

    Args:
        name: its name; the scope's is put before it.
        shape: its shape.
        dtype: its dtype; the scope's by default, which is float32.
        initializer: what it begins with: a function of shape and dtype, a tensor or numbers. By default uniform random
            numbers for fractions (Glorot's), zeros for whole numbers and truth values.
        regularizer: a function of the variable, whose result is added to the collection of losses.
        trainable: whether it is trainable; True by default.
        collections: names of collections to add it to.
        caching_device: accepted as TensorFlow does.
        partitioner: accepted.
        validate_shape: whether its shape must be known.
        use_resource: accepted.
        custom_getter: a function to call instead: it gets the function that makes variables, the name and the options.
        constraint: a function of the variable that gives what is assigned after an optimizer has changed it; the
            scope's by default.
        synchronization: accepted.
        aggregation: accepted.

    Raises:
        ValueError: it is there already, or is not there, and the scope's ``reuse`` says otherwise; or shape and dtype
            are not those that it has.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     with tf.variable_scope("layer", reuse=tf.AUTO_REUSE):
    ...         first = tf.get_variable("w", [2, 3])
    ...         again = tf.get_variable("w", [2, 3])
    >>> first, again is first
    (<tf.Variable 'layer/w:0' shape=(2, 3) dtype=float32>, True)
    """
    options = {
        "shape": shape, "dtype": dtype, "initializer": initializer, "regularizer": regularizer, "trainable": trainable,
        "collections": collections, "validate_shape": validate_shape, "constraint": constraint,
    }  # fmt: skip
    scope = get_variable_scope()
    if custom_getter is not None:
        return custom_getter(lambda name, **more: got(scope, name, **{**options, **more}), name, **options)
    return got(scope, name, **options)


class variable_scope:  # noqa: N801 - TensorFlow's name
    """Put ``name/`` before the names of variables (and of operations) made inside, and say whether to find them again.

    Args:
        name_or_scope: the name; or a scope, to open it again.
        default_name: the name where ``name_or_scope`` is None; a number is added where it was there before.
        values: accepted as TensorFlow does, like ``custom_getter``, ``caching_device`` and ``partitioner``.
        initializer: what variables begin with, unless it is said for one.
        regularizer: the penalty for variables, unless it is said for one.
        reuse: True to find variables that are there, ``AUTO_REUSE`` to make those that are not; None as outside.
        dtype: the dtype of variables, unless it is said for one.
        constraint: what is applied after an optimizer has changed them, unless it is said for one.
        auxiliary_name_scope: whether operations get the name, too.

    Raises:
        TypeError: there is no name, or it is neither a string nor a scope.
    """

    def __init__(
        self, name_or_scope: Any = None, default_name: str | None = None, values: Any = None, initializer: Any = None,
        regularizer: Any = None, caching_device: Any = None, partitioner: Any = None, custom_getter: Any = None,
        reuse: Any = None, dtype: Any = None, use_resource: bool | None = None, constraint: Any = None,
        auxiliary_name_scope: bool = True,
    ) -> None:  # fmt: skip
        self._asked = name_or_scope
        self._default_name = default_name
        self._options = (initializer, regularizer, dtype, constraint)
        self._reuse = reuse
        self._named = auxiliary_name_scope
        self._inside: list[Any] = []

    def __enter__(self) -> VariableScope:
        block = self._block()
        self._inside.append(block)
        return block.__enter__()

    def __exit__(self, *details: object) -> None:
        self._inside.pop().__exit__(*details)

    @contextmanager
    def _block(self) -> Iterator[VariableScope]:
        if self._asked is None and self._default_name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if self._asked is not None and not isinstance(self._asked, (str, VariableScope)):
            raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
        key, before = graph_key(), get_variable_scope()
        counts = _names_here().counts
        name = self._name(before)
        outside = dict(counts)
        label = name.rpartition("/")[2]
        with name_scope(label) if self._named and label else _nothing() as scope:
            _here.scopes[key] = made = self._scope(before, name, scope)
            try:
                yield made
            finally:
                _here.scopes[key] = before
                self._forget_names(counts, outside, f"{name}/")

    def _forget_names(self, counts: dict[str, int], outside: dict[str, int], prefix: str) -> None:
        """Let the names inside a scope be given again when it is opened again, as reuse needs it."""
        known = outside if isinstance(self._asked, VariableScope) else {}
        for inner in [inner for inner in counts if inner.startswith(prefix)]:
            counts[inner] = known.get(inner, 0)

    def _name(self, before: VariableScope) -> str:
        if isinstance(self._asked, VariableScope):
            return self._asked.name
        asked = self._unused(before, self._asked or self._default_name or "")
        if self._asked is not None:
            asked = self._asked
        return f"{before.name}/{asked}" if before.name else asked

    def _unused(self, before: VariableScope, name: str) -> str:
        counts = _names_here().counts
        whole = f"{before.name}/{name}"
        count = counts.get(whole, 0)
        counts[whole] = count + 1
        return f"{name}_{count}" if count else name

    def _scope(self, before: VariableScope, name: str, opened: str) -> VariableScope:
        like = self._asked if isinstance(self._asked, VariableScope) else before
        initializer, regularizer, dtype, constraint = self._options
        original = like.original_name_scope if like is self._asked else opened
        reuse = self._reuse or (like.reuse if like is self._asked else before.reuse)
        return VariableScope(
            reuse, name, initializer or like.initializer, regularizer or like.regularizer, original,
            like.dtype if dtype is None else dtype, constraint or like.constraint,
        )  # fmt: skip


@contextmanager
def _nothing() -> Iterator[str]:
    yield ""
