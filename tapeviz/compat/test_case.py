"""``tf.test.TestCase``: comparisons of tensors for tests of programs."""

from __future__ import annotations

import atexit
import functools
import random
import unittest
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapeviz.compat.v1.graph.default_graph import executing_eagerly, get_default_graph, reset_default_graph
from tapeviz.compat.v1.session.session import Session, get_default_session
from tapeviz.engine import nest
from tapeviz.engine.errors import OpError
from tapeviz.engine.indexed_slices import IndexedSlices
from tapeviz.files import scratch_folder
from tapeviz.ops.random.seeds import seeds

__all__ = ["Benchmark", "TestCase", "get_temp_dir", "main"]

_SEED = 87654321


class TestCase(unittest.TestCase):
    """A test that compares tensors, in a graph or at once.

    >>> import tapeviz as tf
    >>> class Squares(tf.test.TestCase):
    ...     def test_square(self):
    ...         self.assertAllEqual([1.0, 4.0], tf.square([1.0, 2.0]))
    >>> Squares("test_square").run().wasSuccessful()
    True
    """

    def setUp(self) -> None:
        """Begin each test with the same random numbers, and with no operation in the default graph."""
        random.seed(_SEED)
        np.random.seed(_SEED)  # noqa: NPY002 - the generator that programs share
        reset_default_graph()
        seeds.set(_SEED)

    def get_temp_dir(self) -> str:
        """A folder of this test's own."""
        if not hasattr(self, "_folder"):
            self._folder = self.enterContext(scratch_folder())
        return str(self._folder)

    @contextmanager
    def session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False
    ) -> Iterator[Any]:
        """A block with a session of the graph; with eager execution one without."""
        if graph is None and executing_eagerly():
            yield None
            return
        chosen = get_default_graph() if graph is None else graph
        with chosen.as_default(), Session(graph=chosen, config=config) as session:
            yield session

    cached_session = session

    def test_session(self, *args: Any, **kwargs: Any) -> Any:
        """The first name of :meth:`session`, which looks like that of a test."""
        if self.id().endswith(".test_session"):
            self.skipTest("Not a test.")
        return self.session(*args, **kwargs)

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors, as arrays; of a function, those of what it gives."""
        session = get_default_session()
        if session is not None and not executing_eagerly():
            return session.run(tensors)
        return nest.map_structure(lambda leaf: _array(leaf() if callable(leaf) else leaf), tensors)

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Both have the same shape and elements."""
        np.testing.assert_array_equal(self._value(a), self._value(b), err_msg=msg or "")

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:
        """Both have the same structure and shapes, and elements that are close."""
        if isinstance(a, Mapping):
            self.assertEqual(sorted(a), sorted(b), msg)
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, msg)
        elif isinstance(a, Sequence) and isinstance(b, Sequence) and any(hasattr(item, "shape") for item in (*a, *b)):
            self.assertEqual(len(a), len(b), msg)
            for first, second in zip(a, b, strict=True):
                self.assertAllClose(first, second, rtol, atol, msg)
        else:
            first, second = self._value(a), self._value(b)
            self.assertEqual(np.shape(first), np.shape(second), msg)
            np.testing.assert_allclose(first, second, rtol, atol, err_msg=msg or "")

    def assertNotAllClose(self, a: Any, b: Any, **tolerances: Any) -> None:
        """They are not close."""
        with self.assertRaises(AssertionError, msg="The two values are close at all elements."):
            self.assertAllClose(a, b, **tolerances)

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """They are not equal."""
        with self.assertRaises(AssertionError, msg=msg or "The two values are equal at all elements."):
            self.assertAllEqual(a, b)

    def assertAllCloseAccordingToType(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, half_rtol: float = 1e-3, half_atol: float = 1e-3,
        **_others: Any,
    ) -> None:  # fmt: skip
        """They are as close as their dtype lets them be."""
        half = any(np.asarray(self._value(item)).dtype.itemsize <= np.dtype(np.float16).itemsize for item in (a, b))
        self.assertAllClose(a, b, *((half_rtol, half_atol) if half else (rtol, atol)))

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:
        """Two numbers differ by ``err`` at most."""
        self.assertLessEqual(abs(float(f1) - float(f2)), err, msg)

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: str | None = None) -> None:
        """The elements differ by ``err`` at most."""
        self.assertAllClose(farray1, farray2, rtol=0.0, atol=err, msg=msg)

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """All elements are greater."""
        self.assertTrue(np.all(self._value(a) > comparison_target))

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """All elements are less."""
        self.assertTrue(np.all(self._value(a) < comparison_target))

    def assertAllInRange(self, target: Any, lower_bound: Any, upper_bound: Any, **_open: Any) -> None:
        """All elements are within the bounds."""
        found = self._value(target)
        self.assertTrue(np.all((found >= lower_bound) & (found <= upper_bound)))

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        """Both have the same shape."""
        self.assertEqual(tuple(input_a.shape), tuple(input_b.shape), msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """It has that dtype."""
        self.assertEqual(np.asarray(self._value(target)).dtype, np.dtype(expected_dtype))

    def assertStartsWith(self, actual: Any, expected_start: Any, msg: Any = None) -> None:
        """A text begins with another."""
        self.assertTrue(actual.startswith(expected_start), msg)

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """A block that raises an :class:`tapeviz.errors.OpError` whose message fits."""
        return self.assertRaisesRegex(OpError, expected_err_re_or_predicate)

    def assertRaisesRegexp(self, *args: Any, **kwargs: Any) -> Any:
        """Python 2's name of ``assertRaisesRegex``."""
        return self.assertRaisesRegex(*args, **kwargs)

    def assertItemsEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        """Python 2's name of ``assertCountEqual``."""
        self.assertCountEqual(first, second, msg)

    def _value(self, given: Any) -> Any:
        return _array(self.evaluate(given) if hasattr(given, "graph") or hasattr(given, "numpy") else given)


def _array(value: Any) -> Any:
    if isinstance(value, IndexedSlices):
        return value.values.numpy()
    return value.numpy() if hasattr(value, "numpy") else value if value is None else np.asarray(value)


class Benchmark:
    """A program that measures itself. Its results are given to :meth:`report_benchmark`."""

    def report_benchmark(
        self, iters: Any = None, cpu_time: Any = None, wall_time: Any = None, throughput: Any = None,
        extras: Any = None, name: str | None = None, metrics: Any = None,
    ) -> None:  # fmt: skip
        """Print what was measured."""
        given = {"iters": iters, "cpu_time": cpu_time, "wall_time": wall_time, "throughput": throughput}
        shown = {key: value for key, value in given.items() if value is not None} | (extras or {})
        print(name or type(self).__name__, *(f"{key}: {value}" for key, value in shown.items()), sep="  ")  # noqa: T201


def get_temp_dir() -> str:
    """A folder for the tests of this process, which is gone when it ends."""
    return _folder()


@functools.cache
def _folder() -> str:
    folder = scratch_folder()
    atexit.register(folder.__exit__, None, None, None)
    return str(folder.__enter__())


def main(argv: Any = None) -> None:
    """Run all tests of the program, and end it.

    >>> import tapeviz as tf
    >>> tf.test.main(["prog", "--help"])  # doctest: +SKIP
    """
    unittest.main(argv=argv)
