"""``train.Optimizer``, what all optimizers do alike, gradient descent, and the count of training steps."""

from __future__ import annotations

from collections.abc import Sequence, ValuesView
from typing import Any, Final

from tapeviz.compat.v1.graph.default_graph import at_once, current_graph, get_default_graph
from tapeviz.compat.v1.graph.gradients import gradients
from tapeviz.compat.v1.graph.graph import entered
from tapeviz.compat.v1.graph.graph_blocks import group, name_scope, nodes_of
from tapeviz.compat.v1.graph.graph_keys import GraphKeys
from tapeviz.compat.v1.train.optimizer_slots import Slots
from tapeviz.compat.v1.variables.graph_initializers import Zeros
from tapeviz.compat.v1.variables.variable_creation import got
from tapeviz.compat.v1.variables.variable_scope import VariableScope
from tapeviz.compat.v1.variables.variables import trainable_variables
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.deferred_restoration import arrived
from tapeviz.engine.indexed_slices import IndexedSlices
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.variable_options import variable_constraint
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.gather import gather
from tapeviz.ops.array.tensor_scatter import tensor_scatter_nd_update
from tapeviz.ops.math.segments import unsorted_segment_sum

__all__ = [
    "GradientDescentOptimizer", "Optimizer", "create_global_step", "get_global_step", "get_or_create_global_step",
    "number",
]  # fmt: skip

_STEP: Final = "global_step"


class Optimizer(Slots):
    """Changes variables so that a loss gets smaller.

    A class of your own says in ``_changed`` what a variable and its slots become; ``_kept`` names the slots. Of an
    embedding's table, whose gradient is indexed slices, only the rows change that the gradient has.
    """

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        super().__init__()
        self._use_locking = use_locking
        self._name = name

    def get_name(self) -> str:
        """Its name."""
        return self._name

    def minimize(
        self, loss: Any, global_step: Any = None, var_list: Any = None, gate_gradients: int = GATE_OP,
        aggregation_method: Any = None, colocate_gradients_with_ops: bool = False, name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:  # fmt: skip
        """An operation that does one step: the gradients of ``loss``, and what they change. Eagerly it is done at once.

        Args:
            loss: a tensor; with eager execution, a function that gives one.
            global_step: a variable to which 1 is added.
            var_list: the variables to change; all trainable ones by default.
            gate_gradients: accepted as TensorFlow does, like the next two.
            aggregation_method: accepted.
            colocate_gradients_with_ops: accepted.
            name: the operation's name; the optimizer's by default.
            grad_loss: what to multiply the gradients with.

        Raises:
            ValueError: the loss depends on none of the variables.
        """
        pairs = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        if all(gradient is None for gradient, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not support gradients, "
                f"between variables {[str(variable) for _, variable in pairs]} and loss {loss}."
            )
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(
        self, loss: Any, var_list: Any = None, gate_gradients: int = GATE_OP, aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False, grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:  # fmt: skip
        """The gradients of ``loss``, each with its variable. Arguments as for :meth:`minimize`.

        Raises:
            RuntimeError: eager execution is on, and the loss is no function.
            ValueError: there are no variables.
        """
        if current_graph() is None:
            return self._eager_gradients(loss, var_list, grad_loss)
        target = loss() if callable(loss) else loss
        variables = list(trainable_variables() if var_list is None else _listed(var_list))
        if not variables:
            raise ValueError("No variables to optimize.")
        found = gradients(target, variables, None if grad_loss is None else [grad_loss])
        return list(zip(found, variables, strict=True))

    def _eager_gradients(self, loss: Any, var_list: Any, grad_loss: Any) -> list[tuple[Any, Any]]:
        if not callable(loss):
            raise RuntimeError(  # noqa: TRY004 - TensorFlow's
                "`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled."
            )
        with GradientTape() as tape:
            if var_list is not None:
                tape.watch(_listed(var_list))
            value = loss()
        variables = list(tape.watched_variables() if var_list is None else _listed(var_list))
        return list(zip(tape.gradient(value, variables, grad_loss), variables, strict=True))

    def apply_gradients(
        self, grads_and_vars: Sequence[tuple[Any, Any]], global_step: Any = None, name: str | None = None
    ) -> Any:
        """An operation that changes variables by gradients. Eagerly it is done at once.

        Raises:
            ValueError: there is no gradient.
        """
        pairs = [(gradient, variable) for gradient, variable in grads_and_vars if gradient is not None]
        if not pairs:
            raise ValueError(f"No gradients provided for any variable: {[str(v) for _, v in grads_and_vars]}.")
        graph = current_graph()
        if graph is not None and _are_eager(pairs):
            with at_once():
                return self.apply_gradients(pairs, global_step, name)
        self._prepare([variable for _, variable in pairs])
        arrived(self)
        if graph is None:
            for gradient, variable in pairs:
                self._apply_within(gradient, variable)
            self._finish(pairs[0][1])
            return None if global_step is None else global_step.assign_add(1)
        label = name or self._name
        whole = graph.journal.peek(graph._used, f"{graph.here.scope}{label}")
        with name_scope(f"{whole}/"), entered(graph):
            changes = [change for gradient, variable in pairs for change in self._apply_within(gradient, variable)]
            with graph.after(nodes_of(graph, changes)):
                changes += self._finish(pairs[0][1])
        done = group(*changes, name=label if global_step is None else f"{label}/update")
        if global_step is not None:
            with entered(graph), graph.after([done]):
                done = global_step.assign_add(1, name=label).op
        graph.add_to_collection(GraphKeys.TRAIN_OP, done)
        return done

    # What a class of optimizers says.

    def _kept(self) -> tuple[tuple[str, float], ...]:
        """The names of the slots, and the numbers that they begin with."""
        return ()

    def _changed(self, gradient: Any, variable: Any, slots: Sequence[Any]) -> tuple[Any, ...]:
        """What the variable and its slots become, all given as tensors."""
        raise NotImplementedError(
            f"{type(self).__name__} must implement `_changed(self, gradient, variable, slots)`, which "
            "returns the new values of the variable and its slots."
        )

    def _finish(self, variable: Any) -> list[Any]:
        """What is done after all variables have changed."""
        return []

    def _label(self, name: str) -> str:
        """What the name of such a slot as a variable ends with."""
        return self._name

    _whole_tables = False  # whether rows that a sparse gradient does not have change, too

    # How it is done.

    def _prepare(self, variables: Sequence[Any]) -> None:
        """Make what is kept."""
        for variable in variables:
            for name, begin in self._kept():
                self._make_slot(variable, name, begin, self._label(name))

    def _apply_within(self, gradient: Any, variable: Any) -> list[Any]:
        """Assign what the variable and its slots become, and then what the variable's constraint makes of it."""
        constraint, graph = variable_constraint(variable), current_graph()
        if constraint is None:
            return self._apply(gradient, variable)
        if isinstance(gradient, IndexedSlices):
            raise RuntimeError(f"Cannot use a constraint function on a sparse variable: {variable.name}")  # noqa: TRY004
        changes = self._apply(gradient, variable)
        if graph is None:
            return [*changes, variable.assign(constraint(variable))]
        with graph.after(nodes_of(graph, changes)):
            return [*changes, variable.assign(constraint(variable))]

    def _apply(self, gradient: Any, variable: Any) -> list[Any]:
        """Assign what the variable and its slots become."""
        kept = [self.get_slot(variable, name) for name, _ in self._kept()]
        if isinstance(gradient, IndexedSlices) and not self._whole_tables:
            return self._apply_rows(gradient, [variable, *kept])
        values = [convert_to_tensor(one) for one in (variable, *kept)]
        changed = self._changed(convert_to_tensor(gradient), values[0], values[1:])
        return [one.assign(value) for one, value in zip((variable, *kept), changed, strict=True)]

    def _apply_rows(self, gradient: IndexedSlices, whole: list[Any]) -> list[Any]:
        """Assign rows; the gradients of one row are added up first, and each of them then says the same."""
        places = convert_to_tensor(gradient.indices)
        tables = [convert_to_tensor(one) for one in whole]
        total = gather(unsorted_segment_sum(gradient.values, places, tables[0].shape[0]), places)
        rows = [gather(table, places) for table in tables]
        changed = self._changed(total, rows[0], rows[1:])
        column = ops.expand_dims(places, axis=-1)
        return [
            one.assign(tensor_scatter_nd_update(table, column, value))
            for one, table, value in zip(whole, tables, changed, strict=True)
        ]


def _are_eager(pairs: Sequence[tuple[Any, Any]]) -> bool:
    """Whether variables and gradients have values now, or in a function that is traced: no session has them."""
    if any(hasattr(variable, "read_in") for _, variable in pairs):
        return False
    if local.state.graph is not None:
        return not hasattr(local.state.graph, "new_variable")  # that of sessions makes its own
    return not any(isinstance(getattr(gradient, "values", gradient), SymbolicTensor) for gradient, _ in pairs)


def number(given: Any, like: Any) -> Any:
    """A rate that was given as a number, a tensor or a function, as a tensor of the dtype of ``like``."""
    now = given() if callable(given) else given
    if not hasattr(now, "dtype"):
        return convert_to_tensor(now, dtype=like.dtype)
    return cast(now, like.dtype)


class GradientDescentOptimizer(Optimizer):
    """Subtracts the gradient times ``learning_rate``, a number or a tensor.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     w = tf.Variable(4.0)
    ...     step = tf.train.GradientDescentOptimizer(0.25).minimize(w * w)
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(session.run(w))
    2.0
    """

    def __init__(self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent") -> None:
        super().__init__(use_locking, name)
        self._rate = learning_rate

    def _changed(self, gradient: Any, variable: Any, slots: Sequence[Any]) -> tuple[Any, ...]:
        return (variable - number(self._rate, variable) * gradient,)


def _listed(items: Any) -> list[Any]:
    return list(items) if isinstance(items, (list, tuple, ValuesView)) else [items]


def get_global_step(graph: Any = None) -> Any:
    """The variable that counts training steps; None where there is none."""
    found = (graph or get_default_graph()).get_collection(GraphKeys.GLOBAL_STEP)
    return found[0] if found else None


def create_global_step(graph: Any = None) -> Any:
    """Make the variable that counts training steps.

    Raises:
        ValueError: there is one.
    """
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    made = got(
        VariableScope(reuse=False), _STEP, shape=(), dtype="int64", initializer=Zeros(), trainable=False,
        collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
    )  # fmt: skip
    if current_graph() is None:
        get_default_graph().add_to_collection(GraphKeys.GLOBAL_STEP, made)
    return made


def get_or_create_global_step(graph: Any = None) -> Any:
    """The variable that counts training steps, made where there is none."""
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found
