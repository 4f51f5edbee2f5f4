"""``tf.autograph.experimental``."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable
from typing import Any

from tapeviz.autograph.eligibility import MARK

__all__ = ["Feature", "do_not_convert", "set_loop_options"]


class Feature(enum.Enum):
    """What conversion may do besides: accepted where TensorFlow takes it, since all of it is always done.

    >>> import tapeviz as tf
    >>> Feature = tf.autograph.experimental.Feature
    >>> Feature.LISTS in Feature.all(), Feature.LISTS in Feature.all_but(Feature.LISTS)
    (True, False)
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """Each of them."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude: Any) -> tuple[Feature, ...]:
        """Each of them but those given."""
        left_out = set(exclude) if isinstance(exclude, list | tuple | set | frozenset) else {exclude}
        return tuple(feature for feature in cls if feature not in left_out | {cls.ALL})


def do_not_convert(func: Callable[..., Any] | None = None) -> Any:
    """Have a function run as it is when a converted one calls it. A decorator.

    >>> import tapeviz as tf
    >>> @tf.autograph.experimental.do_not_convert
    ... def f(x):
    ...     return x if x > 0 else -x
    >>> tf.autograph.convert(f)[1].reason
    'it is marked do_not_convert'
    """
    if func is None:
        return do_not_convert

    @functools.wraps(func)
    def as_it_is(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return func(*args, **kwargs)

    setattr(as_it_is, MARK, True)
    return as_it_is


def set_loop_options(
    parallel_iterations: Any = None,
    swap_memory: Any = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """Say something of the loop that this stands in; outside of converted code it does nothing.

    Args:
        parallel_iterations: accepted as TensorFlow does, like the next one.
        swap_memory: accepted.
        maximum_iterations: how often the loop runs at most.
        shape_invariants: pairs of a variable of the loop and the shape that it has in every iteration, with None for
            sizes that change.

    >>> import tapeviz as tf
    >>> def doubled(x):
    ...     while tf.size(x) < 5:
    ...         tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
    ...         x = tf.concat([x, x], 0)
    ...     return x
    >>> doubled(tf.constant([1, 2])).numpy()
    array([1, 2, 1, 2, 1, 2, 1, 2], dtype=int32)
    """
    del parallel_iterations, swap_memory, maximum_iterations, shape_invariants
