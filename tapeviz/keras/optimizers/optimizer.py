"""``Optimizer``: what all optimizers do alike around the formula by which each changes a variable."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Final, Self

import numpy as np

from tapeviz.engine.annotations import TensorLike
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.scopes import Module, name_scope
from tapeviz.engine.shapes import as_dimensions
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.variable import Variable
from tapeviz.engine.variable_options import variable_constraint
from tapeviz.graphs.control.control_flow import cond
from tapeviz.keras.initializers import constants, initializer_lookup
from tapeviz.keras.names import snake_case, unique_name
from tapeviz.keras.optimizers.gradients import clipped, present, ready
from tapeviz.keras.optimizers.schedules.decay import InverseTimeDecay
from tapeviz.keras.optimizers.schedules.schedule import LearningRateSchedule
from tapeviz.keras.optimizers.schedules.schedule_lookup import deserialize, serialize
from tapeviz.keras.weights import made_outside_of_traces, new_variable
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.creation import zeros_like
from tapeviz.ops.collective.all_reduce import reduced_gradients

__all__ = ["Optimizer", "single"]

_FEWEST: Final = 2


def _older_rate(rate: Any, decay: float) -> Any:
    """The learning rate as ``lr=`` and ``decay=`` said it: with a decay it falls as one over the number of steps."""
    return InverseTimeDecay(rate, 1, decay) if decay else rate


class Optimizer(Module):
    """Changes variables by their gradients, so that a loss gets smaller.

    A class of your own says in :meth:`build` what it keeps for each variable, and in :meth:`update_step` how a gradient
    changes a variable. A step that is traced by ``tf.function`` updates variables of all shapes at once where their
    updates are the same formula.

    Args:
        learning_rate: a number, a schedule, or a function without arguments.
        weight_decay: before a step each variable loses this share of itself, times the learning rate.
        clipnorm: the greatest Euclidean norm of a gradient; a longer one is made shorter.
        clipvalue: the greatest size of an element of a gradient.
        global_clipnorm: the greatest norm of all gradients together.
        use_ema: keep an average of each variable's values, in which older ones count less and less.
        ema_momentum: how much the average so far counts, from 0 to 1.
        ema_overwrite_frequency: after how many steps variables are given their averages; None for never: then
            :meth:`finalize_variable_values` does it at the end.
        loss_scale_factor: what :meth:`scale_loss` multiplies the loss with, and gradients are divided by.
        gradient_accumulation_steps: of how many steps the gradients are averaged before anything changes.
        name: its name; the class's in snake case by default.
        unknown: ``lr`` and ``decay``, which were once said for ``learning_rate`` and ``InverseTimeDecay``.

    Raises:
        ValueError: an argument is out of its range, or more than one way of clipping is asked for.

    >>> import tapeviz as tf
    >>> class Sign(tf.keras.optimizers.Optimizer):
    ...     def update_step(self, gradient, variable, learning_rate):
    ...         variable.assign_sub(learning_rate * tf.sign(gradient))
    >>> w = tf.Variable([3.0, -2.0])
    >>> Sign(0.5).apply_gradients([(tf.constant([0.1, -7.0]), w)]).numpy()
    np.int64(1)
    >>> w.numpy()
    array([ 2.5, -1.5], dtype=float32)
    """

    # The arguments of the class's own, which get_config tells besides those that all have.
    _config: ClassVar[tuple[str, ...]] = ()
    # Whether update_step takes indexed slices; elsewhere it is given the tensor that they stand for.
    _takes_slices = False

    def __init__(
        self, learning_rate: Any = 0.01, weight_decay: float | None = None, clipnorm: float | None = None,
        clipvalue: float | None = None, global_clipnorm: float | None = None, use_ema: bool = False,
        ema_momentum: float = 0.99, ema_overwrite_frequency: int | None = None, loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None, name: str | None = None, **unknown: Any,
    ) -> None:  # fmt: skip
        if unknown.keys() & {"lr", "decay"}:
            learning_rate = _older_rate(unknown.pop("lr", learning_rate), unknown.pop("decay", 0.0))
        if unknown:
            raise ValueError(f"Argument(s) not recognized: {unknown}")
        super().__init__()
        self._name = unique_name(snake_case(type(self).__name__)) if name is None else name
        self.built: bool = False
        self._known = _Known()
        self._iterations: Variable = self.add_variable((), dtype="int64", name="iteration")
        self._shared: dict[Any, Any] | None = None
        self._learning_rate = self._rate(learning_rate)
        self.weight_decay = weight_decay
        self.clipnorm: float | None
        self.clipvalue: float | None
        self.global_clipnorm: float | None
        self.clipnorm, self.clipvalue, self.global_clipnorm = clipnorm, clipvalue, global_clipnorm
        self.use_ema: bool
        self.ema_momentum: float
        self.use_ema, self.ema_momentum = use_ema, ema_momentum
        self.ema_overwrite_frequency = ema_overwrite_frequency
        self.loss_scale_factor = loss_scale_factor
        self.gradient_accumulation_steps = gradient_accumulation_steps
        self._spared: tuple[set[int], str] = (set(), "")
        self._check()

    def _rate(self, learning_rate: Any) -> Any:
        """A schedule or function as it is, a number as a variable."""
        if callable(learning_rate):
            return learning_rate
        if not isinstance(learning_rate, float):
            raise ValueError(  # noqa: TRY004 - Keras'
                "Argument `learning_rate` should be float, or an instance of LearningRateSchedule, or a callable (that "
                "takes in the current iteration value and returns the corresponding learning rate value). Received "
                f"instead: learning_rate={learning_rate}"
            )
        return self.add_variable((), float(learning_rate), name="learning_rate")

    def _check(self) -> None:
        """Say which argument is out of its range."""
        norms = (self.clipnorm, self.clipvalue, self.global_clipnorm)
        if sum(norm is not None for norm in norms) > 1:
            raise ValueError(
                "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. Received: "
                f"clipnorm={self.clipnorm}, clipvalue={self.clipvalue}, global_clipnorm={self.global_clipnorm}"
            )
        steps, often = self.gradient_accumulation_steps, self.ema_overwrite_frequency
        if steps and steps < _FEWEST:
            raise ValueError(
                f"`gradient_accumulation_steps` must be an integer >= 2. Received: gradient_accumulation_steps={steps}"
            )
        if self.use_ema and not 0 <= self.ema_momentum <= 1:
            raise ValueError(f"`ema_momentum` must be in the range [0, 1]. Received: ema_momentum={self.ema_momentum}")
        if self.use_ema and often and (not isinstance(often, int) or often < 1):
            raise ValueError(
                f"`ema_overwrite_frequency` must be an integer >= 1 or None. Received: ema_overwrite_frequency={often}"
            )

    # What a class of optimizers says.

    def build(self, variables: Sequence[Variable]) -> None:
        """Make what is kept for each variable; called before the first step.

        Args:
            variables: the variables that steps will change.
        """
        if self.built:
            return
        self._known.take(variables)
        self.built = True
        if self.use_ema:
            self._averages = self.add_optimizer_variables(variables, "average")
        if self.gradient_accumulation_steps:
            self._accumulated = self.add_optimizer_variables(variables, "gradient_accumulator")

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Change a variable by its gradient.

        Args:
            gradient: a tensor of the variable's shape and dtype.
            variable: the variable.
            learning_rate: a tensor of the variable's dtype.

        Raises:
            NotImplementedError: the class does not say how.
        """
        raise NotImplementedError(
            f"{type(self).__name__} must implement `update_step(self, gradient, variable, learning_rate)`, "
            "which changes the variable."
        )

    # A step.

    def minimize(
        self,
        loss: Callable[[], Any] | Tensor,
        var_list: Iterable[Variable] | Callable[[], Iterable[Variable]] | None = None,
        tape: GradientTape | None = None,
    ) -> Variable:
        """Do one step: take the gradients of ``loss`` and apply them.

        Args:
            loss: a function without arguments that gives the loss; with ``tape``, a tensor that was computed under it.
            var_list: the variables to change, or a function that gives them; those that the loss reads by default.
            tape: the tape that has followed ``loss``.

        Raises:
            ValueError: ``loss`` is a tensor and there is no tape, or there are no gradients.

        >>> import tapeviz as tf
        >>> w = tf.Variable(4.0)
        >>> _ = tf.keras.optimizers.SGD(0.25).minimize(lambda: w * w, [w])
        >>> w.numpy()
        np.float32(2.0)
        """
        if not callable(loss) and tape is None:
            raise ValueError(f"`tape` is required when a `Tensor` loss is passed. Received: loss={loss}, tape={tape}.")
        value, used = loss, tape or GradientTape()
        if callable(loss):
            with used:
                value = self.scale_loss(loss())
        elif self.loss_scale_factor is not None:
            with used:
                value = self.scale_loss(loss)
        chosen = var_list() if callable(var_list) else var_list
        variables = list(used.watched_variables() if chosen is None else chosen)
        return self.apply_gradients(zip(used.gradient(value, variables), variables, strict=True))

    def apply_gradients(self, grads_and_vars: Iterable[tuple[TensorLike | None, Variable]]) -> Variable:
        """Do one step with these pairs of a gradient and its variable. Returns the count of steps.

        Raises:
            ValueError: there are no pairs, or no gradients.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("`grads_and_vars` is empty: there is nothing to apply.")
        self.apply([gradient for gradient, _ in pairs], [variable for _, variable in pairs])
        return self._iterations

    def apply(self, grads: Sequence[Any], trainable_variables: Sequence[Variable] | None = None) -> None:
        """Do one step.

        Args:
            grads: the gradients: tensors, indexed slices, or None for a variable that stays as it is.
            trainable_variables: their variables; those that the optimizer was built with by default.

        Raises:
            ValueError: as for :meth:`apply_gradients`, or gradients and variables are not equally many.
        """
        if len(grads) == 0:
            return
        variables = self._variables_for(grads, trainable_variables)
        gradients, changed = present(grads, variables)
        with name_scope(self.name):
            slices = self._takes_slices and not self._needs_tensors
            gradients = reduced_gradients([ready(g, v, slices=slices) for g, v in zip(gradients, changed, strict=True)])
            if (scale := self.loss_scale_factor) is not None:
                gradients = [ops.divide(g, scale) for g in gradients]
            if self.gradient_accumulation_steps:
                self._accumulate(gradients, changed)
            else:
                self._update(gradients, changed)
            if self.use_ema:
                self._average()
            self._constrain(changed)
            self._iterations.assign_add(1)

    @property
    def _needs_tensors(self) -> bool:
        """Whether something is done to gradients that is not done to indexed slices."""
        return bool(
            self.clipnorm or self.clipvalue or self.global_clipnorm or self.loss_scale_factor is not None
            or self.gradient_accumulation_steps
        )  # fmt: skip

    def _variables_for(self, grads: Sequence[Any], given: Sequence[Variable] | None) -> list[Variable]:
        """The variables of these gradients; the first step makes what is kept for each."""
        if given is None:
            if not self.built:
                raise ValueError(
                    "When passing `grads` without `variables`, the optimizer must already be built on a list of "
                    "variables. Call `optimizer.build(trainable_variables)` first."
                )
            given = self._known.variables
        variables = list(given)
        if len(grads) != len(variables):
            raise ValueError(
                "When passing `grads` as a list of gradient tensors, the gradients must match the variables "
                f"one-to-one. Received a list of {len(grads)} gradients, but there are {len(variables)} variables."
            )
        if not self.built:
            self.build(variables)
        if later := [variable for variable in variables if variable._number not in self._known.places]:
            self._extend(later)
        return variables

    def _extend(self, variables: list[Variable]) -> None:
        """Make what is kept for variables that come later.

        Keras 3 refuses them; the optimizers before took one model's variables after the other's, and so do we.
        """
        known, before = self._known.variables, dict(vars(self))
        own = len(self._known.own)
        self.built = False
        self.build(variables)
        for name, kept in before.items():
            made = vars(self)[name]
            if isinstance(kept, list) and made is not kept:
                setattr(self, name, [*kept, *made])
            elif isinstance(kept, Variable) and made is not kept:  # one for all variables goes on
                setattr(self, name, kept)
                self._known.own[own:] = [one for one in self._known.own[own:] if one is not made]
        self._known.take([*known, *variables])

    def _update(self, gradients: list[Any], variables: list[Variable]) -> None:
        """Clip gradients, let weights decay, and change each variable."""
        gradients = clipped(gradients, self.clipnorm, self.clipvalue, self.global_clipnorm)
        rate = convert_to_tensor(self.learning_rate)
        rates = {variable.dtype: cast(rate, variable.dtype) for variable in variables}
        if self.weight_decay is not None:
            for variable in variables:
                changed: Any = variable
                if self._decays(variable):
                    variable.assign_sub(changed * self.weight_decay * rates[variable.dtype])
        self._begin_step()
        for gradient, variable in zip(gradients, variables, strict=True):
            self.update_step(gradient, variable, rates[variable.dtype])
        self._end_step()

    def _constrain(self, variables: list[Variable]) -> None:
        for variable in variables:
            constraint = variable_constraint(variable)
            if constraint is not None:
                variable.assign(constraint(variable))

    # What is asked for besides.

    def scale_loss(self, loss: Any) -> Any:
        """The loss to take gradients of: times ``loss_scale_factor`` where there is one."""
        return loss if self.loss_scale_factor is None else loss * self.loss_scale_factor

    def _accumulate(self, gradients: list[Any], variables: list[Variable]) -> None:
        """Add gradients to those of the steps before; the last of a row changes variables by their mean."""
        steps: Any = self.gradient_accumulation_steps
        sums = [self._accumulated[self._get_variable_index(variable)] for variable in variables]

        def update() -> None:
            self._update([(g + total) / steps for g, total in zip(gradients, sums, strict=True)], variables)
            for total in self._accumulated:
                total.assign(zeros_like(total))

        def add() -> None:
            for g, total in zip(gradients, sums, strict=True):
                total.assign_add(g)

        cond(ops.equal((self._iterations + 1) % steps, 0), update, add)

    def _average(self) -> None:
        """Bring the averages of the variables up to date; give them to the variables when it is time."""
        later = ops.not_equal(self.iterations, 0)
        for variable, average in zip(self._known.variables, self._averages, strict=True):
            momentum = cast(later, variable.dtype) * self.ema_momentum
            average.assign(momentum * average + (1.0 - momentum) * variable)
        if self.ema_overwrite_frequency:
            due = ops.equal((self.iterations + 1) % self.ema_overwrite_frequency, 0)
            cond(due, lambda: self.finalize_variable_values(self._known.variables), lambda: None)

    def finalize_variable_values(self, var_list: Sequence[Variable]) -> None:
        """Give variables their averages, where these are kept: the end of a training with ``use_ema``."""
        if self.use_ema:
            for variable in var_list:
                variable.assign(self._averages[self._get_variable_index(variable)])

    def exclude_from_weight_decay(
        self, var_list: Iterable[Variable] | None = None, var_names: Iterable[str] | None = None
    ) -> None:
        """Leave variables out of the weight decay.

        Args:
            var_list: these variables.
            var_names: patterns, such as "bias": every variable in whose name one is found.

        Raises:
            ValueError: the first step has been made.
        """
        if self.built:
            raise ValueError("`exclude_from_weight_decay()` can only be configured before the optimizer is built.")
        self._spared = ({variable._number for variable in var_list or ()}, "|".join(var_names or ()))

    def _decays(self, variable: Variable) -> bool:
        numbers, pattern = self._spared
        return variable._number not in numbers and not (pattern and re.search(pattern, variable.name))

    # Saying what it is.

    def get_config(self) -> dict[str, Any]:
        """The arguments that make another optimizer like this one, without what it has kept of its steps."""
        names = (
            "weight_decay", "clipnorm", "global_clipnorm", "clipvalue", "use_ema", "ema_momentum",
            "ema_overwrite_frequency", "loss_scale_factor", "gradient_accumulation_steps", *self._config,
        )  # fmt: skip
        rate = self.rate_config()
        return {"name": self.name, "learning_rate": rate, **{name: getattr(self, name) for name in names}}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Self:
        """The optimizer of that :meth:`get_config`."""
        return cls(**cls.with_rate(config, custom_objects))

    # The learning rate, and the count of steps.

    @property
    def iterations(self) -> Any:
        """How many steps were made; with gradient accumulation, how many changed variables."""
        if self.gradient_accumulation_steps:
            return ops.floordiv(self._iterations, self.gradient_accumulation_steps)
        return self._iterations

    @property
    def lr(self) -> Any:
        """The same as :attr:`learning_rate`, by its older name."""
        return self.learning_rate

    @lr.setter
    def lr(self, learning_rate: Any) -> None:
        self.learning_rate = learning_rate

    @property
    def learning_rate(self) -> Any:
        """The learning rate of now: a variable, or what the schedule or function gives. It can be set.

        Raises:
            TypeError: a number is set where the optimizer was made with a schedule.
        """
        if isinstance(self._learning_rate, LearningRateSchedule):
            return self._learning_rate(self._iterations)
        return self._learning_rate if isinstance(self._learning_rate, Variable) else self._learning_rate()

    @learning_rate.setter
    def learning_rate(self, learning_rate: Any) -> None:
        before = self._learning_rate
        if callable(learning_rate):
            self._learning_rate = learning_rate
            if isinstance(before, Variable):
                self._forget(before)
        elif isinstance(before, Variable):
            before.assign(learning_rate)
        else:
            raise TypeError(
                "This optimizer was created with a `LearningRateSchedule` object as its `learning_rate` constructor "
                "argument, hence its learning rate is not settable. If you need the learning rate to be settable, you "
                "should instantiate the optimizer with a float `learning_rate` argument."
            )

    def rate_config(self) -> Any:
        """The learning rate as :meth:`get_config` tells it."""
        rate = self._learning_rate
        if isinstance(rate, LearningRateSchedule):
            return serialize(rate)
        return float(rate.numpy()) if isinstance(rate, Variable) else rate

    @staticmethod
    def with_rate(config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> dict[str, Any]:
        """A configuration in which the learning rate is what :meth:`__init__` takes."""
        rate = config.get("learning_rate")
        return {**config, "learning_rate": deserialize(rate, custom_objects)} if isinstance(rate, dict) else config

    # What depends on the step alone is computed once for all variables of a dtype.

    def step_numbers(self, step: Any, learning_rate: Any) -> Any:
        """Numbers that all variables share in a step; :meth:`shared` gives them to :meth:`update_step`.

        Args:
            step: the number of this step from 1 on, as a tensor of the variables' dtype.
            learning_rate: a tensor of that dtype.
        """
        return learning_rate

    def shared(self, dtype: Any, learning_rate: Any) -> Any:
        """What :meth:`step_numbers` gives for the variables of a dtype in this step."""
        known = {} if self._shared is None else self._shared
        if dtype not in known:
            step = ops.add(ops.cast(self.iterations, dtype=dtype.numpy), 1)
            known[dtype] = self.step_numbers(step, learning_rate)
        return known[dtype]

    def _begin_step(self) -> None:
        self._shared = {}

    def _end_step(self) -> None:
        self._shared = None

    # The variables that it keeps, beside those that it changes.

    @property
    def variables(self) -> list[Variable]:  # type: ignore[override]
        """All that it keeps: the count of steps, the learning rate where that is a number, and the slots."""
        return list(self._known.own)

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
        begin = constants.Constant(initializer) if number else initializer_lookup.get(initializer)
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


def single(number: float) -> float:
    """A number as float32 has it: Keras rounds its decay rates so, in float64 too, and ``1 - 0.999**t`` shows it."""
    return float(np.float32(number))


class _Known:
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
        # By number: variables are not keys, and what an assignment returns is the variable, too.
        self.places = {variable._number: place for place, variable in enumerate(variables)}
