"""What an optimizer keeps: how many steps were made, the learning rate, and variables beside those that it changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.scopes import Module
from tapeviz.engine.shapes import as_dimensions
from tapeviz.engine.variable import Variable
from tapeviz.keras.initializers import constants, lookup
from tapeviz.keras.layers.naming import snake_case, unique_name
from tapeviz.keras.layers.weights import made_outside_of_traces, new_variable

__all__ = ["Slots"]


class Known:
    """The variables that an optimizer changes, and all that it keeps, in lists that no walk over attributes enters.

    The former belong to a model, the latter are attributes already.
    """

    def __init__(self) -> None:
        self.variables: list[Variable] = []
        self.places: dict[int, int] = {}
        self.own: list[Variable] = []

    def take(self, variables: Sequence[Variable]) -> None:
        """These are the variables from now on."""
        self.variables = list(variables)
        # By number: variables are no keys, and what an assignment returns is the variable, too.
        self.places = {variable._number: place for place, variable in enumerate(variables)}


class Slots(Module):
    """The state of an optimizer, made for the variables of the first step.

    Args:
        name: of the optimizer, which its variables' names begin with.
    """

    def __init__(self, name: str | None) -> None:
        super().__init__()
        self._name = unique_name(snake_case(type(self).__name__)) if name is None else name
        self.built: bool = False
        self._known = Known()
        self._iterations: Any = self.add_variable((), dtype="int64", name="iteration")

    @property
    def variables(self) -> list[Variable]:  # type: ignore[override]
        """All that it keeps: the count of steps, the learning rate where that is a number, and the slots."""
        return list(self._known.own)

    def build(self, variables: Sequence[Variable]) -> None:
        """Make the slots for these variables; the first step does it. Optimizers extend this."""
        self._known.take(variables)
        self.built = True

    def add_variable(
        self, shape: Any, initializer: Any = "zeros", dtype: Any = None, aggregation: Any = None, layout: Any = None,
        name: str | None = None,
    ) -> Variable:  # fmt: skip
        """A variable of the optimizer's own, made now, also while a function is traced.

        Args:
            shape: its shape.
            initializer: an initializer or its name, a number that fills it, or a function of shape and dtype.
            dtype: its dtype; float32 by default.
            aggregation: accepted as Keras does.
            layout: accepted as Keras does.
            name: its name, after the optimizer's.
        """
        kind, dimensions = as_dtype(dtype or "float32"), as_dimensions(shape)
        number = isinstance(initializer, (int, float))
        begin = constants.Constant(initializer) if number else lookup.get(initializer)
        with made_outside_of_traces(f"{self.name}/"):
            made: Variable = new_variable(
                lambda: begin(dimensions, dtype=kind), name or "variable", kind, trainable=False
            )
        self._known.own.append(made)
        return made

    def add_variable_from_reference(
        self, reference_variable: Variable, name: str | None = None, initializer: Any = "zeros"
    ) -> Variable:
        """A slot: a variable of the shape and dtype of ``reference_variable``, named after it and ``name``."""
        theirs = reference_variable.name.split(":")[0].replace("/", "_")
        return self.add_variable(
            reference_variable.shape, initializer, reference_variable.dtype, name=f"{theirs}_{name or 'var'}"
        )

    def add_optimizer_variables(
        self, trainable_variables: Sequence[Variable], name: Any, initializer: Any = "zeros"
    ) -> Any:
        """A slot for each variable.

        Args:
            trainable_variables: the variables.
            name: the slots' name; with a list of names, slots of each.
            initializer: as for :meth:`add_variable`, or a list of them, one a name.

        Returns:
            A list of slots; with a list of names, one such list for each.

        Raises:
            ValueError: names and initializers are not equally many.
        """
        names = [name] if isinstance(name, str) else list(name)
        begins = list(initializer) if isinstance(initializer, (list, tuple)) else [initializer] * len(names)
        if len(names) != len(begins):
            raise ValueError(
                "The number of provided names must match the number of provided initializers. Received "
                f"name='{name}', initializer='{initializer}'"
            )
        made: tuple[list[Variable], ...] = tuple([] for _ in names)
        for variable in trainable_variables:
            for slots, label, begin in zip(made, names, begins, strict=True):
                slots.append(self.add_variable_from_reference(variable, label, begin))
        return made[0] if isinstance(name, str) else made

    def _get_variable_index(self, variable: Variable) -> int:
        """The place of a variable among those that the slots were made for."""
        return self._known.places[variable._number]

    def _forget(self, variable: Variable) -> None:
        self._known.own = [mine for mine in self._known.own if mine is not variable]

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Give all that it keeps other values, in the order of :attr:`variables`.

        Raises:
            ValueError: there are no slots yet, or a shape differs.
        """
        if not self.built:
            raise ValueError(
                "You are calling `set_weights()` on an optimizer that has not yet been built. Please call "
                "`optimizer.build(trainable_variables)` to create the optimizer weights before calling "
                "`set_weights()`."
            )
        for variable, weight in zip(self._known.own, weights, strict=True):
            if tuple(variable.shape) != tuple(weight.shape):
                raise ValueError(
                    f"Optimizer variable {variable.name} has shape {variable.shape} not compatible with provided "
                    f"weight shape {weight.shape}."
                )
            variable.assign(weight)
