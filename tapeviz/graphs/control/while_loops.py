"""Loops of a graph: what goes through one, and what has to be the same after each iteration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import SymbolicTensor, at_line
from tapeviz.graphs.control.loop_gradients import loop_outputs
from tapeviz.graphs.control.loop_nodes import Loop
from tapeviz.graphs.control.subgraphs import Region, open_spec
from tapeviz.ops.control.nest import assert_same_structure

__all__ = ["Carried", "While"]

_TRACES: Final = 3


class Carried:
    """The values that go from one iteration of a loop to the next.

    Args:
        body: takes the values, gives the next ones.
        variables: a list or tuple of values to begin with.
        shapes: what is known of their shapes in all iterations; None for what is known at the beginning.
        name: of the node.
    """

    def __init__(self, body: Callable[..., Any], variables: Any, shapes: Any, name: str) -> None:
        graph: Any = local.state.graph
        self._body = body
        self._form = variables
        self._name = name
        self._begin: list[SymbolicTensor] = [
            graph.own(convert_to_tensor(leaf)) for leaf in nest.flatten(list(variables))
        ]
        self._forms = [open_spec(tensor) for tensor in self._begin]
        self._has_invariants = shapes is not None
        if shapes is not None:
            self._forms = list(map(_invariant_spec, self._begin, _flat_shapes(variables, shapes)))

    def _settled(self, trace: Callable[[], Region]) -> Region:
        """The body, traced until what is known of the values is so after each iteration.

        Raises:
            TypeError: a dtype changes.
            ValueError: a shape becomes another.
        """
        __tracebackhide__ = True
        for left in reversed(range(_TRACES)):
            known = _element_shapes(self._form)
            body = trace()
            wider = self._after(body)
            if wider == self._forms and known == _element_shapes(self._form):
                break
            if not left:
                self._refuse(wider)
            self._forms = wider
        return body

    def _inputs(self) -> list[tuple[Any, str]]:
        names = [tensor._node.name.rpartition("/")[2] for tensor in self._begin]
        return list(zip(self._forms, names, strict=True))

    def _variables(self, tensors: Sequence[Any]) -> list[Any]:
        """The values in the structure of the variables."""
        return nest.pack(list(self._form), list(tensors))  # type: ignore[no-any-return]

    # What must stay as it is.

    def _after(self, body: Region) -> list[Any]:
        """What is known of the values before and after an iteration.

        Raises:
            TypeError: a dtype changes.
            ValueError: a shape becomes another.
        """
        wider = []
        for begin, form, leaf in zip(self._begin, self._forms, body.leaves, strict=False):
            if leaf is None:
                raise ValueError(f"body gives None for the loop variable {begin.name}{at_line()}")
            if leaf._a.dtype != form[1]:
                raise TypeError(
                    f"Loop var {begin.name} enters the loop with type {begin.dtype} but has type {leaf.dtype} after 1 "
                    f"iteration. {begin.name} type should remain constant.{at_line()}"
                )
            before, after = TensorShape(form[0]), leaf.shape
            if not before.is_compatible_with(after) or (self._has_invariants and _covered(before, after) != before):
                _refuse(begin, before, after)
            wider.append((_sizes(_covered(before, after)), form[1]))
        return wider

    def _refuse(self, wider: Sequence[Any]) -> None:
        for begin, form, after in zip(self._begin, self._forms, wider, strict=True):
            if form != after:
                _refuse(begin, TensorShape(form[0]), TensorShape(after[0]))


class While(Carried):
    """``while test(variables): variables = body(variables)``. Arguments as for :class:`Carried`."""

    def __init__(
        self, test: Callable[..., Any], body: Callable[..., Any], variables: Any, shapes: Any, name: str
    ) -> None:
        super().__init__(body, variables, shapes, name)
        self._test = test
        self._tests: list[Region] = []

    def run(self, most: Any, *, followed: bool = True) -> Any:
        """The last values, in the structure of the variables; after ``most`` iterations at the latest.

        ``followed`` says whether gradients go through the loop.
        """
        __tracebackhide__ = True
        body = self._settled(self._traced)
        limit = [] if most is None else [convert_to_tensor(most)]
        test = self._tests[-1].routine()
        loop = Loop(test, body.routine(), len(self._begin), 0, timed=bool(limit), backward=False)
        outputs = loop_outputs(loop, [*limit, *self._begin], self._forms, self._name, followed=followed)
        values = nest.pack(body.form, list(outputs[: len(self._begin)]))
        return tuple(values) if isinstance(self._form, tuple) else values

    def _traced(self) -> Region:
        __tracebackhide__ = True
        test = Region(f"{self._name}_cond", "while", self._tested, self._inputs())
        _check_test(test.leaves)
        self._tests.append(test)
        return Region(f"{self._name}_body", "while", self._iterated, self._inputs())

    def _tested(self, *tensors: Any) -> Any:
        return self._test(*self._variables(tensors))

    def _iterated(self, *tensors: Any) -> list[Any]:
        """What the body gives, as a list of the variables' next values."""
        before = self._variables(tensors)
        result = self._body(*before)
        if not isinstance(result, (list, tuple)) or (len(before) == 1 and hasattr(result, "_fields")):
            result = [result]
        assert_same_structure(list(result), before)
        return list(result)


def _element_shapes(structure: Any) -> list[TensorShape]:
    """What is known of the elements of each TensorArray."""
    if hasattr(type(structure), "__tf_unflatten__"):
        return [structure.element_shape] if hasattr(structure, "element_shape") else []
    return [shape for part in nest.parts(structure) or () for shape in _element_shapes(part)]


def _flat_shapes(variables: Any, shapes: Any) -> list[Any]:
    """The shape for each variable."""
    found: list[Any] = []
    for variable, shape in zip(list(variables), list(shapes), strict=True):
        count = len(nest.flatten(variable))
        inside = [shape] if isinstance(shape, TensorShape) or hasattr(shape, "shape") else nest.parts(shape)
        flat = inside if inside is not None and len(inside) == count else [shape]
        found += [None] * count if shape is None or len(flat) != count else flat
    return found


def _invariant_spec(tensor: Any, shape: Any) -> Any:
    """The form of a variable with the given shape invariant.

    Raises:
        ValueError: it does not begin with that shape.
    """
    dtype = tensor._a.dtype
    if shape is None or dtype.names is not None:
        return open_spec(tensor)
    wanted = TensorShape(getattr(shape, "shape", shape))
    if not wanted.is_compatible_with(tensor.shape) or _covered(wanted, tensor.shape) != wanted:
        raise ValueError(
            f"The shape invariant specified for {tensor.name} is not compatible with the initial shape of the loop "
            f"variable. It enters the loop with shape {tensor.shape}, but the specified shape invariant is "
            f"{wanted}.{at_line()}"
        )
    return _sizes(wanted), dtype


def _covered(before: TensorShape, after: TensorShape) -> TensorShape:
    """What is known of both shapes."""
    if before.dims is None or after.dims is None or len(before.dims) != len(after.dims):
        return TensorShape(None)
    return TensorShape([a if a == b else None for a, b in zip(before.dims, after.dims, strict=True)])


def _sizes(shape: TensorShape) -> Any:
    return None if shape.dims is None else tuple(shape.dims)


def _refuse(begin: Any, before: TensorShape, after: TensorShape) -> None:
    raise ValueError(
        f"Input tensor `{begin.name}` enters the loop with shape {before}, but has shape {after} after one iteration. "
        "To allow the shape to vary across iterations, use the `shape_invariants` argument of tf.while_loop to specify "
        f"a less-specific shape.{at_line()}"
    )


def _check_test(leaves: Sequence[Any]) -> None:
    if len(leaves) != 1 or leaves[0] is None:
        raise TypeError(f"cond must return a boolean scalar tensor{at_line()}")
    (test,) = leaves
    if test.dtype != "bool":
        raise InvalidArgumentError(
            f"Input 'input' passed {test.dtype.name} expected bool while building NodeDef 'while/LoopCond'{at_line()}"
        )
    if test.shape.num_elements() not in (1, None):
        raise InvalidArgumentError(f"The condition must be a scalar, but it has shape {test.shape}{at_line()}")
