"""Variables: handles whose value can be replaced."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapeviz.engine import tensor_text
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.dispatch import transfer
from tapeviz.engine.dtypes import DType
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.operators import public
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.state import active, local, outermost
from tapeviz.engine.tensor import EagerTensor, TensorOperators, wrap
from tapeviz.engine.variable_options import (
    VariableAggregation,
    VariableSynchronization,
    constrain,
    variable_constraint,
)  # fmt: skip

__all__ = ["Variable"]

next_number: Final = itertools.count().__next__
"""A number that no other variable has, of a graph or not; they are keys of tables and stand in recordings."""

_PLAIN_KEYS: Final = frozenset((int, slice, tuple))


class _MadeInGraph(type):
    """Has variables made by the graph that is built, where it has variables of its own."""

    if not TYPE_CHECKING:  # for annotations a class is called as any other: its own arguments, and a variable

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            graph = local.state.graph
            if graph is not None and cls is Variable and (make := getattr(graph, "made_variable", None)) is not None:
                return make(*args, **kwargs)
            return super().__call__(*args, **kwargs)

    @property
    def __signature__(cls) -> Any:
        """The arguments of the class, for ``help`` and for what a notebook shows while one types."""
        from inspect import Parameter, signature  # noqa: PLC0415 - it takes long to import

        found = signature(cls.__init__)  # type: ignore[misc]
        return found.replace(parameters=[p for p in found.parameters.values() if p.name != "self"],
                             return_annotation=Parameter.empty)  # fmt: skip


class Variable(TensorOperators, metaclass=_MadeInGraph):
    """A value that can be replaced, and that tapes watch by themselves when it is read.

    Assigning binds a new tensor: tensors read before, and what a tape has kept, stay as they were. A variable goes
    with its last reference.

    Args:
        initial_value: the first value: anything that converts to a tensor, or a function that returns such.
        trainable: whether tapes watch it by themselves; True unless said otherwise.
        validate_shape: whether values must have the shape of the first one.
        caching_device: accepted; so are ``variable_def`` and ``import_scope``, which are of graphs.
        name: its name; ``:0`` is added, and the names of enclosing name scopes are put before it.
        variable_def: accepted.
        dtype: the dtype to convert ``initial_value`` to.
        import_scope: accepted.
        constraint: what optimizers make of the value after each update; a function of the variable.
        synchronization: kept as an attribute: there is one copy in a process.
        aggregation: likewise.
        shape: the shape that values must have; that of ``initial_value`` by default. Sizes of None may change with the
            value, and are not known in traced functions.
        experimental_enable_variable_lifting: accepted.

    Raises:
        ValueError: ``initial_value`` is None or does not have ``shape``; the constraint is no function.

    >>> import tapeviz as tf
    >>> w = tf.Variable([1.0, 2.0], name="w")
    >>> w.assign_add([1.0, 1.0])
    <tf.Variable 'UnreadVariable' shape=(2,) dtype=float32, numpy=array([2., 3.], dtype=float32)>
    """

    __slots__ = (
        "__weakref__", "_declared", "_label", "_number", "_value", "aggregation", "synchronization", "trainable",
    )  # fmt: skip

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: str | None = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: VariableSynchronization | None = None,
        aggregation: VariableAggregation | None = None,
        shape: Any = None,
        experimental_enable_variable_lifting: bool | None = None,
    ) -> None:
        if initial_value is None:
            raise ValueError("The `initial_value` arg to `tf.Variable` must not be None.")
        tensor = _initial(initial_value, dtype)
        if shape is not None and validate_shape and not TensorShape(shape).is_compatible_with(tensor.shape):
            raise ValueError(
                f"In this `tf.Variable` creation, the initial value's shape ({tensor.shape}) is not "
                f"compatible with the explicitly supplied `shape` argument ({TensorShape(shape)})."
            )
        self._declared = TensorShape(shape) if shape is not None else None if validate_shape else TensorShape(None)
        self._number = next_number()
        self.trainable: bool = True if trainable is None else trainable
        self.synchronization: VariableSynchronization = synchronization or VariableSynchronization.AUTO
        self.aggregation: VariableAggregation = aggregation or VariableAggregation.NONE
        if constraint is not None:
            constrain(self, constraint)
        self._label = f"{local.state.scope}{name or 'Variable'}:0"
        if (graph := local.state.graph) is not None:
            graph.made(self)
        # A handle of its own: what the user made the variable from is another tensor, with another history.
        self._bind(_own_handle(tensor), "made")

    def _bind(self, value: EagerTensor, change: str) -> None:
        self._value = value
        if (observer := local.state.observer) is not None:
            observer.on_variable(self, change)

    def _read(self) -> EagerTensor:
        """The value, for an op of ours: the tapes that record follow it from here."""
        if active:
            state = local.state
            if state.observer is not None:
                state.observer.on_variable(self, "read")
            for tape in state.tapes:
                tape._follow(self, automatic=True)
            if state.graph is not None:
                return state.graph.read(self)  # type: ignore[no-any-return]
        return self._value

    def _now(self) -> EagerTensor:
        """The value of now, read by nobody's program: what it has, or while tracing what it will have."""
        graph = local.state.graph
        return self._value if graph is None else graph.read(self)

    def _ref_weakly(self) -> weakref.ref[Variable]:
        """A reference that keeps nothing alive."""
        return weakref.ref(self)

    @property
    def name(self) -> str:
        """The name, such as ``w:0``."""
        return self._label

    @property
    def shape(self) -> TensorShape:
        """The shape that values must have: that of the first one, unless another was given."""
        return self._value.shape if self._declared is None else self._declared

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        """What optimizers make of the value after each update; None for nothing."""
        return variable_constraint(self)

    def get_shape(self) -> TensorShape:
        """The same as ``shape``."""
        return self.shape

    @property
    def dtype(self) -> DType:
        """The dtype of the value."""
        return self._value.dtype

    @property
    def ndim(self) -> int:
        """How many axes the value has."""
        return self._value.ndim

    @property
    def device(self) -> str:
        """Where the value is."""
        return self._value.device

    def value(self) -> EagerTensor:
        """The value of now, as a tensor."""
        return public["read_variable"](self)  # type: ignore[no-any-return]

    read_value = value

    def numpy(self) -> Any:
        """The value as a NumPy array of its own.

        Raises:
            NotImplementedError: a graph is built: there is no value then.
        """
        now = self._now()
        if not isinstance(now, EagerTensor):
            raise NotImplementedError("numpy() is only available when eager execution is enabled")
        return now.numpy()

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Replace the value.

        Args:
            value: what converts to a tensor of this variable's shape and dtype.
            use_locking: accepted as TensorFlow does.
            name: accepted as TensorFlow does.
            read_value: whether to return the variable (as one that prints ``UnreadVariable``) or None.

        Raises:
            ValueError: the shape or dtype differs.
        """
        tensor = convert_to_tensor(value, dtype=self.dtype)
        if not self.shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Cannot assign value to variable ' {self.name}': Shape mismatch.The variable shape {self.shape}, and "
                f"the assigned value shape {tensor.shape} are incompatible."
            )
        return self._replace(tensor, read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Add ``delta`` to the value. Arguments as for :meth:`assign`."""
        return self._replace(registry["add"].run(self._now(), self._delta(delta)), read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtract ``delta`` from the value. Arguments as for :meth:`assign`."""
        return self._replace(registry["subtract"].run(self._now(), self._delta(delta)), read_value)

    # Parts of it.

    def __getitem__(self, key: Any) -> Any:
        """A slice of the value; with ``assign(x)``, which replaces that part, unless ``key`` is a mask.

        >>> import tapeviz as tf
        >>> v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        >>> v[0].assign([5.0, 6.0]).numpy()
        array([[5., 6.],
               [3., 4.]], dtype=float32)
        """
        part: Any = TensorOperators.__getitem__(self, key)
        if key.__class__ in _PLAIN_KEYS or getattr(key, "dtype", None) not in (bool, "bool"):
            part._part = (self, key)
        return part

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Replace the elements, or slices, that rows of ``indices`` name.

        Args:
            indices: integers; each row names an element, or a slice where it is shorter than the variable's rank.
            updates: the values, of shape ``indices.shape[:-1] + shape[indices.shape[-1]:]``. Of several for one element
                the last is kept.
            name: accepted as TensorFlow does.

        Raises:
            InvalidArgumentError: an index is outside, or the shapes do not fit.

        >>> import tapeviz as tf
        >>> tf.Variable([1, 2, 3]).scatter_nd_update([[0], [2]], [7, 9]).numpy()
        array([7, 2, 9], dtype=int32)
        """
        return public["assign_where"](self, "update", indices, updates)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Add to the elements, or slices, that rows of ``indices`` name. Arguments as for :meth:`scatter_nd_update`."""
        return public["assign_where"](self, "add", indices, updates)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Subtract from elements or slices. Arguments as for :meth:`scatter_nd_update`."""
        return public["assign_where"](self, "sub", indices, updates)

    def scatter_nd_max(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Keep the larger of what is there and what comes. Arguments as for :meth:`scatter_nd_update`."""
        return public["assign_where"](self, "max", indices, updates)

    def scatter_nd_min(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Keep the smaller of what is there and what comes. Arguments as for :meth:`scatter_nd_update`."""
        return public["assign_where"](self, "min", indices, updates)

    def scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Replace rows.

        Args:
            sparse_delta: the rows, as :class:`tapeviz.IndexedSlices`; its values may be one scalar. Of several for one
                row the last is kept.
            use_locking: accepted as TensorFlow does.
            name: accepted as TensorFlow does.

        Raises:
            TypeError: ``sparse_delta`` is something else.
            InvalidArgumentError: an index is outside, or the shapes do not fit.

        >>> import tapeviz as tf
        >>> tf.Variable([[1, 2], [3, 4]]).scatter_update(tf.IndexedSlices([[7, 8]], [1])).numpy()
        array([[1, 2],
               [7, 8]], dtype=int32)
        """
        return public["assign_rows"](self, "update", sparse_delta)

    def scatter_add(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Add to rows. Arguments as for :meth:`scatter_update`."""
        return public["assign_rows"](self, "add", sparse_delta)

    def scatter_sub(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Subtract from rows. Arguments as for :meth:`scatter_update`."""
        return public["assign_rows"](self, "sub", sparse_delta)

    def scatter_mul(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Multiply rows. Arguments as for :meth:`scatter_update`."""
        return public["assign_rows"](self, "mul", sparse_delta)

    def scatter_div(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Divide rows; integers towards 0. Arguments as for :meth:`scatter_update`."""
        return public["assign_rows"](self, "div", sparse_delta)

    def scatter_max(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Keep the larger of what is in rows and what comes. Arguments as for :meth:`scatter_update`."""
        return public["assign_rows"](self, "max", sparse_delta)

    def scatter_min(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Keep the smaller of what is in rows and what comes. Arguments as for :meth:`scatter_update`."""
        return public["assign_rows"](self, "min", sparse_delta)

    def batch_scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Replace slices, in each example by its own numbers.

        Args:
            sparse_delta: the slices, as :class:`tapeviz.IndexedSlices`, whose indices have the variable's first axes
                and at last one for the slices that are replaced.
            use_locking: accepted as TensorFlow does.
            name: accepted as TensorFlow does.

        Raises:
            TypeError: ``sparse_delta`` is something else.
            InvalidArgumentError: an index is outside, or the shapes do not fit.

        >>> import tapeviz as tf
        >>> v = tf.Variable([[1, 2, 3], [4, 5, 6]])
        >>> v.batch_scatter_update(tf.IndexedSlices([[7], [9]], [[0], [2]])).numpy()
        array([[7, 2, 3],
               [4, 5, 9]], dtype=int32)
        """
        return public["assign_by_example"](self, sparse_delta)

    def gather_nd(self, indices: Any, name: str | None = None) -> Any:
        """The elements, or slices, that rows of ``indices`` name: :func:`tapeviz.gather_nd`."""
        return registry["gather_nd"].run(self, indices)

    def sparse_read(self, indices: Any, name: str | None = None) -> Any:
        """The rows at ``indices``: :func:`tapeviz.gather`."""
        return registry["gather"].run(self, indices)

    def _replace(self, value: EagerTensor, read_value: bool) -> Any:
        if (graph := local.state.graph) is not None:
            graph.assign(self, value)
            return _Assigned(self) if read_value else None
        if value._backend is not self._value._backend:
            value = transfer(value, self._value._backend)  # a variable stays where it was made
        self._bind(registry["assign"].run(value), "assigned")
        return _Assigned(self) if read_value else None

    def _delta(self, given: Any) -> EagerTensor:
        """What to add or subtract, as a tensor of this variable's shape and dtype."""
        delta = convert_to_tensor(given, dtype=self.dtype)
        if not self._now().shape.is_compatible_with(delta.shape):
            before, given = (f"[{','.join(map(str, t._a.shape))}]" for t in (self._value, delta))
            raise InvalidArgumentError(
                f"Cannot update variable with shape {before} using a Tensor with shape {given}, shapes must be equal."
            )
        return delta

    def _host(self) -> np.ndarray:
        return self._now()._host()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self._now().__array__(dtype, copy)

    def __dlpack__(self, **options: Any) -> Any:
        return self._value.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._value.__dlpack_device__()

    def __len__(self) -> int:
        return len(self._value)

    def __bool__(self) -> bool:
        return bool(self._now())

    def __int__(self) -> int:
        return int(self._now())

    def __float__(self) -> float:
        return float(self._now())

    def __index__(self) -> int:
        return self._now().__index__()

    def __deepcopy__(self, memo: Any) -> Variable:
        made = Variable(
            self._value, self.trainable, constraint=self.constraint, synchronization=self.synchronization,
            aggregation=self.aggregation, shape=self._declared,
        )  # fmt: skip
        made._label = self._label
        memo[id(self)] = made
        return made

    def __repr__(self) -> str:
        if local.state.graph is not None:
            return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"
        return tensor_text.variable_repr(self._host(), self.name, self.shape, self.dtype)

    def __format__(self, specification: str) -> str:
        return format(self._now(), specification) if specification else repr(self)

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, str]:
        title = f"Variable {self.name} {self.shape} {self.dtype.name}"
        return {"text/plain": repr(self), "text/html": tensor_text.tensor_html(self._host(), title, str(self._host()))}


def _initial(given: Any, dtype: Any) -> EagerTensor:
    """The first value, made now, also while tracing: a variable is there from then on."""
    graph, state = local.state.graph, local.state
    if graph is None or not callable(given):
        tensor = convert_to_tensor(given() if callable(given) else given, dtype=dtype)
        return tensor if graph is None else graph.initial(tensor)
    local.state = outermost(state)
    try:
        return convert_to_tensor(given(), dtype=dtype)
    finally:
        local.state = state


def _own_handle(tensor: EagerTensor) -> EagerTensor:
    """The same value as a tensor of its own; whoever observes sees where it came from."""
    state = local.state
    unseen = state.observer is None or state.graph is not None
    return wrap(tensor._a) if unseen else registry["assign"].run(tensor)


class _Assigned(Variable):
    """What an assignment returns: the same variable, printed as TensorFlow prints it."""

    __slots__ = ("_variable",)

    def __init__(self, variable: Variable) -> None:
        self._variable = variable

    def __getattr__(self, name: str) -> Any:
        return getattr(self._variable, name)

    def _now(self) -> EagerTensor:
        return self._variable._now()

    def _read(self) -> EagerTensor:
        return self._variable._read()

    def _replace(self, value: EagerTensor, read_value: bool) -> Any:
        return self._variable._replace(value, read_value)

    @property
    def name(self) -> str:
        """TensorFlow's name for the result of an assignment."""
        return "UnreadVariable"

    def _ref_weakly(self) -> weakref.ref[Variable]:
        """A reference to the variable itself."""
        return weakref.ref(self._variable)
