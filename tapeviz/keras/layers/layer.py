"""Layers: what they have in common."""

from __future__ import annotations

import functools
import inspect
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Protocol, Self, TypeVar

import numpy as np

from tapeviz.autograph.conversion import converted_callee
from tapeviz.engine import nest
from tapeviz.engine.deferred_restoration import arrived
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.scopes import Module, span
from tapeviz.engine.shapes import TensorShape, gives_dimensions
from tapeviz.engine.state import active, local
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.engine.tensor import EagerTensor, Tensor
from tapeviz.engine.userline import CallSite, call_site
from tapeviz.engine.variable import Variable
from tapeviz.engine.variable_options import constrain
from tapeviz.keras import constraints, initializers, regularizers
from tapeviz.keras.floats import floatx
from tapeviz.keras.layers.arguments import dtype_name, given_shape
from tapeviz.keras.layers.call import (
    CallSignature,
    call_context,
    is_integer,
    pass_masks,
    pending_losses,
    signature_of,
    tensors_of,
    training_mode,
)  # fmt: skip
from tapeviz.keras.layers.init_arguments import given_to, is_silent, keep_given
from tapeviz.keras.layers.input_spec import assert_input_compatibility
from tapeviz.keras.layers.keras_tensors import forms_for, is_keras_tensor, packed_inputs, symbolic_call
from tapeviz.keras.layers.shapes import map_shapes, shapes_of
from tapeviz.keras.masks import mask_of, masked, set_mask
from tapeviz.keras.metrics.reduction import Mean
from tapeviz.keras.names import snake_case, unique_name
from tapeviz.keras.weights import made_outside_of_traces, new_variable, program_scope, shapes_table
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.creation import shape
from tapeviz.ops.math.division import divide_no_nan

__all__ = ["Layer"]

_ACCEPTED: Final = frozenset((
    "aggregation", "collections", "experimental_autocast", "getter", "layout", "overwrite_with_gradient", "partitioner",
    "synchronization", "use_resource",
))  # fmt: skip
_REST: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


_Given = TypeVar("_Given")
_Given_co = TypeVar("_Given_co", covariant=True)
_NESTS: Final = (list, tuple, dict)
# Attributes that hold variables without being a part of the layer's weights.
_APART: Final = frozenset({"_optimizer", "optimizer", "_loss_tracker", "_compile_metrics", "_compile_loss"})


class _Callable(Protocol[_Given_co]):
    """A layer as a type checker sees it when it is called: the result is that of its ``call``."""

    _seen: Any
    _asks: bool

    @property
    def call(self) -> Callable[..., _Given_co]: ...


class Layer(Module, spans=False):
    """A step of a model, with weights: ``build`` makes them when it is first known what comes in, ``call`` computes.

    Args:
        trainable: whether training changes the weights.
        name: its name; the class's in snake case by default, with a number where it is taken.
        dtype: of weights and of what is computed; that of :func:`floatx` by default.
        activity_regularizer: a penalty on what the layer gives.
        autocast: whether floating-point inputs of another dtype are cast.
        kwargs: ``input_shape`` (without the batch), ``batch_input_shape`` or ``input_dim``, for the first layer of a
            :class:`Sequential`.

    Raises:
        ValueError: an argument is none of these, or inputs do not fit the layer's ``input_spec``.

    >>> import tapeviz as tf
    >>> class Scaled(tf.keras.layers.Layer):
    ...     def build(self, input_shape):
    ...         self.factor = self.add_weight(shape=(input_shape[-1],), initializer="ones", name="factor")
    ...     def call(self, x):
    ...         return x * self.factor
    >>> layer = Scaled(name="scaled")
    >>> layer(tf.constant([[1.0, 2.0]])).numpy(), [w.name for w in layer.weights]
    (array([[1., 2.]], dtype=float32), ['scaled/factor:0'])
    """

    built: bool
    input_spec: Any
    supports_masking: bool = False
    autocast: bool
    activity_regularizer: Any
    _batch_shape: tuple[int | None, ...] | None
    _own: list[Variable]
    _own_names: list[str]
    _tracked: dict[str, Any]
    _trainable: bool
    _building: bool
    _inbound: list[Any]
    _made_in_trace: bool
    _made_at: CallSite
    _losses: list[Any]
    _loss_functions: list[Callable[[], Any]]
    _regularized: list[tuple[Any, Callable[[Any], Any]]]
    _scoped: bool = True  # whether its name is put before the names of variables of layers in it
    _wants_floats: bool = False  # whether integers are cast to its dtype
    _passes_on: bool = False  # whether its call only calls other layers
    _by_training: str = ""  # what its class does in training mode alone, for recordings
    _asks: bool = False  # whether its call takes ``training``
    _infers_dtype: bool = False
    _silent: bool = False  # whether its class leaves it to this one to say its arguments
    _seen: Any = None  # shape and dtype for which a call needs nothing but ``call``

    def __init__(
        self, *, trainable: bool = True, name: str | None = None, dtype: Any = None, activity_regularizer: Any = None,
        autocast: bool = True, **kwargs: Any,
    ) -> None:  # fmt: skip
        fields = self.__dict__
        fields.setdefault("_tracked", {})  # attributes may come first
        fields["_own"], fields["_own_names"] = [], []
        fields["_name"] = unique_name(_snake_case(type(self))) if name is None else str(name)
        fields["_trainable"] = bool(trainable)
        fields["built"], fields["_building"] = False, False
        fields["_made_in_trace"] = local.state.graph is not None
        fields["_made_at"] = call_site()
        fields["_losses"], fields["_loss_functions"], fields["_regularized"] = [], [], []
        fields["input_spec"], fields["_inbound"] = None, []
        if type(self).compute_mask is not Layer.compute_mask:
            fields["supports_masking"] = True
        fields["autocast"] = autocast
        fields["_dtype"] = floatx() if dtype is None else dtype_name(dtype)
        fields["_infers_dtype"] = dtype is None and gives_dimensions()  # of TensorFlow 1: from its first inputs
        fields["activity_regularizer"] = regularizers.get(activity_regularizer)
        fields["_batch_shape"] = given_shape(type(self).__name__, kwargs)
        if not trainable:
            self._say_frozen()

    def __init_subclass__(cls, *, builds: bool = True, **kwargs: Any) -> None:
        """``builds``: whether ``build`` makes weights; that of a model has its layers make theirs."""
        super().__init_subclass__(**kwargs)
        if builds and "build" in cls.__dict__:
            cls.build = _once(cls.__dict__["build"])  # type: ignore[method-assign]
        cls._silent = is_silent(cls, Layer)
        if cls._silent:
            keep_given(cls)

    @property
    def dtype(self) -> str:
        """The dtype of the weights."""
        return str(self.__dict__["_dtype"])

    variable_dtype = dtype

    @property
    def compute_dtype(self) -> str:
        """The dtype in which it computes."""
        return str(self.__dict__["_dtype"])

    # Building.

    def build(self, input_shape: Any) -> None:
        """Make the weights, now that the shape of the inputs is known. A layer of one's own says how."""
        self.__dict__.setdefault("_build_shape", shapes_of(input_shape))
        self.built = True

    def _build_for(self, first: Any, arguments: dict[str, Any]) -> None:
        """Build for a call with these arguments, of which ``first`` are the inputs.

        A ``build`` of several parameters gets the shapes of arguments by name: ``query_shape`` that of ``query``.
        """
        parameters = inspect.signature(self.build).parameters
        named = {f"{name}_shape": value for name, value in arguments.items()}
        needed = [name for name, one in parameters.items() if one.default is one.empty and one.kind not in _REST]
        if len(parameters) > 1 and all(name in named for name in needed):
            self.build(**{name: shapes_of(named[name]) for name in parameters if name in named})
        else:
            shapes = shapes_of(first)
            if gives_dimensions() and not type(self).__module__.startswith("tapeviz."):
                shapes = map_shapes(TensorShape, shapes)  # as a program of TensorFlow 1 expects
            self.build(shapes)
        self.built = True

    def get_build_config(self) -> dict[str, Any] | None:
        """What is needed to build the layer again: the shape for which it was built."""
        shape = self.__dict__.get("_build_shape")
        return None if shape is None else {"input_shape": shape}

    def build_from_config(self, config: dict[str, Any]) -> None:
        """Build the layer as one was that gave this."""
        if config and config.get("input_shape") is not None:
            self.build(shapes_of(config["input_shape"]))
            self.built = True

    def add_weight(
        self, name: Any = None, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None,
        trainable: bool = True, constraint: Any = None, autocast: bool = True, **accepted: Any,
    ) -> Variable:  # fmt: skip
        """A variable of the layer's. The shape may come first, as Keras 3 has it.

        Args:
            name: its name, to which the layer's is added.
            shape: its shape; a number without axes by default.
            dtype: the layer's by default.
            initializer: what it begins with: ``glorot_uniform`` for floating-point dtypes by default, else zeros.
            regularizer: a penalty on it.
            trainable: whether training changes it.
            constraint: what optimizers apply after an update.
            autocast: accepted as Keras does.
            accepted: what Keras and TensorFlow say of variables on several devices: accepted.

        Raises:
            TypeError: there is no such argument.
            ValueError: a size is not known.
        """
        if unknown := accepted.keys() - _ACCEPTED:
            raise TypeError(f"add_weight() of layer '{self.name}' got unexpected arguments {sorted(unknown)}")
        if name is not None and not isinstance(name, str):
            name, shape, initializer = None, name, shape if initializer is None else initializer
        dims = () if shape is None else TensorShape(shape).dims
        if dims is None or None in dims:
            raise ValueError(
                f"Layer '{self.name}' cannot add the weight {name or 'variable'!r}: all sizes of its shape must be "
                f"known. Received: shape={dims}"
            )
        kind = as_dtype(self.dtype if dtype is None else dtype_name(dtype))
        begin = initializers.get(initializer or ("glorot_uniform" if kind.is_floating else "zeros"))
        with made_outside_of_traces(None if self._building else self._scope()):
            made: Variable = new_variable(
                lambda: begin(dims, dtype=kind), name or "variable", kind, trainable=trainable, told=self._made_in_trace
            )
        self._keep(made, name or "variable", regularizers.get(regularizer), constraints.get(constraint))
        return made

    add_variable = add_weight

    def _keep(self, variable: Any, name: str, regularizer: Any, constraint: Any) -> None:
        self._own.append(variable)
        taken = set(self._own_names)
        self._own_names.append(next(n for n in (name, *(f"{name}_{k + 1}" for k in range(len(taken) + 1)))
                                    if n not in taken))  # fmt: skip
        if regularizer is not None:
            self._regularized.append((variable, regularizer))
        if constraint is not None:
            constrain(variable, constraint)

    def _mode(self, training: Any) -> dict[str, Any]:
        """What a recording keeps of a call: that it was in training mode, and what that is for in this layer."""
        mode: dict[str, Any] = {"training": True} if training is True else {}
        return mode | {"by_training": self._by_training} if self._by_training else mode

    def _enter_scope(self) -> str:
        """What the names of variables made in this layer begin with, from now on."""
        base = program_scope() if call_context.scope is None else call_context.scope
        scope = self.__dict__["_variable_scope"] = f"{base}{self.name}/" if self._scoped else base
        return scope

    def _scope(self) -> str:
        return self.__dict__.get("_variable_scope") or self._enter_scope()

    # Calling.

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """The formula. A layer of one's own says it, with the inputs as its first argument.

        Raises:
            NotImplementedError: it does not.
        """
        raise NotImplementedError(
            f"Layer {type(self).__name__} does not have a `call()` method implemented: give the class a method "
            "`call(self, inputs)` that says what the layer computes."
        )

    def __call__(self: _Callable[_Given], *args: Any, **kwargs: Any) -> _Given:
        """The layer's value for these inputs; it is built first where it was not."""
        __tracebackhide__ = True
        if (
            not kwargs
            and self._seen is not None
            and len(args) == 1
            and args[0].__class__ is EagerTensor
            and self._seen == ((array := args[0]._a).shape, array.dtype)
            and not (masked or pending_losses or (self._asks and call_context.training is not None))
            and (not active or ((state := local.state).graph is None and state.observer is None))
        ):
            return self.call(args[0])
        return _call_layer(self, args, kwargs)  # type: ignore[no-any-return]

    def _is_quick(self, form: CallSignature) -> bool:
        """Whether a call with one tensor of a known form needs nothing but ``call``."""
        masks = self.supports_masking and type(self).compute_mask is not Layer.compute_mask
        return form.alone and not masks and self.activity_regularizer is None

    def compute_mask(self, inputs: Any, previous_mask: Any) -> Any:
        """The mask of what the layer gives: that of the inputs unless a layer says otherwise."""
        return previous_mask

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of what the layer gives for inputs of a shape, a tuple with None for what is not known."""
        specs = forms_for(self, shapes_of(input_shape), self.compute_dtype)
        return nest.map_structure(lambda spec: spec.shape, specs)

    # What it was called with to make a model.

    @property
    def input(self) -> Any:
        """The tensors that stand for the layer's inputs in a model.

        Raises:
            AttributeError: it was called for no model, or several times.
        """
        node = self._only_node("input")
        return packed_inputs(node)

    @property
    def output(self) -> Any:
        """The tensors that stand for what the layer gives in a model. Raises as :attr:`input` does."""
        outputs = self._only_node("output").outputs
        return outputs[0] if len(outputs) == 1 else list(outputs)

    def _only_node(self, what: str) -> Any:
        nodes = self._inbound
        if len(nodes) == 1:
            return nodes[0]
        if not nodes:
            raise AttributeError(f"The layer {self.name} has never been called with an Input and thus has no defined "
                                 f"{what}.")  # fmt: skip
        raise AttributeError(f"The layer {self.name} has been called {len(nodes)} times to make models, hence the "
                             f"notion of 'layer {what}' is ill-defined.")  # fmt: skip

    # Losses.

    def add_loss(self, loss: Any) -> None:
        """Add to the loss of the model: a number made in ``call``, which counts until the next one, or a function.

        >>> import tapeviz as tf
        >>> class Sparse(tf.keras.layers.Layer):
        ...     def call(self, x):
        ...         self.add_loss(0.1 * tf.reduce_sum(tf.abs(x)))
        ...         return x
        >>> layer = Sparse()
        >>> _ = layer(tf.constant([2.0, -3.0]))
        >>> [loss.numpy() for loss in layer.losses]
        [np.float32(0.5)]
        """
        for one in loss if isinstance(loss, (list, tuple)) else [loss]:
            (self._loss_functions if callable(one) else self._losses).append(one)
        if self._losses:
            key = id(self)
            pending_losses[key] = weakref.ref(self, lambda _: pending_losses.pop(key, None))

    def _penalize(self, result: Any) -> None:
        for output in nest.flatten(result):
            if isinstance(output, Tensor):
                cost = self.activity_regularizer(output)
                if output.ndim:  # of one example: what it costs does not depend on how many there are
                    cost = divide_no_nan(cost, cast(shape(output)[0], cost.dtype))
                self.add_loss([cost])

    def _clear_losses(self) -> None:
        for layer in self._flatten_layers():
            if layer._losses:
                layer.__dict__["_losses"] = []
                pending_losses.pop(id(layer), None)

    @property
    def losses(self) -> list[Any]:
        """What the layer and those in it add to the loss: of the last call, and the penalties on weights."""
        found: list[Any] = []
        layers = self._flatten_layers()
        for layer in layers:
            found += [*layer._losses, *(function() for function in layer._loss_functions)]
        for layer in layers:
            if layer.trainable:
                found += [regularizer(variable) for variable, regularizer in layer._regularized if variable.trainable]
        return found

    @property
    def metrics(self) -> list[Any]:
        """The metrics in the layer and in those in it."""
        found = [metric for layer in self._flatten_layers() for metric in layer._own_metrics()]
        return list({id(metric): metric for metric in found}.values())

    def _own_metrics(self) -> list[Any]:
        """The metrics in its attributes, and in lists and dicts there."""
        return [part for part in self._parts() if hasattr(part, "update_state")]

    def add_metric(self, value: Any, name: str | None = None, aggregation: str | None = "mean") -> None:
        """Take a tensor, or what a metric has found, into account in a mean of the layer's, as Keras 2 does.

        Args:
            value: the tensor; or the result of a metric in an attribute of the layer, which is a metric already.
            name: the name of the mean.
            aggregation: accepted as Keras does.

        >>> import tapeviz as tf
        >>> class Sized(tf.keras.layers.Layer):
        ...     def call(self, x):
        ...         self.add_metric(tf.reduce_max(x), name="largest")
        ...         return x
        >>> layer = Sized()
        >>> _ = layer(tf.constant([2.0, 5.0]))
        >>> [(metric.name, metric.result().numpy()) for metric in layer.metrics]
        [('largest', np.float32(5.0))]
        """
        means = self.__dict__.setdefault("_means", {})
        if name not in means:
            means[name] = Mean(name=name)
            self._tracked["_means"] = means
        means[name].update_state(value)

    @property
    def input_shape(self) -> Any:
        """The shape of :attr:`input`, with None for the batch. Raises as that does."""
        return shapes_of(self.input)

    @property
    def output_shape(self) -> Any:
        """The shape of :attr:`output`. Raises as that does."""
        return shapes_of(self.output)

    # Configs.

    def get_config(self) -> dict[str, Any]:
        """The arguments with which the layer was made, as plain data.

        A class of one's own may leave it out where its arguments are plain numbers, words or structures of these.

        Raises:
            NotImplementedError: it leaves it out, and they are not.
        """
        base = {"name": self.name, "trainable": self.trainable, "dtype": self.dtype}
        return given_to(self, base) if self._silent else base

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A layer with these arguments."""
        return cls(**config)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"

    # Variables and layers in its attributes, and in lists and dicts there.

    def __setattr__(self, name: str, value: Any) -> None:
        tracked = self.__dict__.get("_tracked")
        if isinstance(value, (Variable, Module, *_NESTS)) and _may_hold(value):
            if tracked is None:
                tracked = self.__dict__["_tracked"] = {}
            tracked[name] = value
        elif tracked is not None:
            tracked.pop(name, None)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self.__dict__.get("_tracked", {}).pop(name, None)
        object.__delattr__(self, name)

    def _parts(self) -> Iterator[Any]:
        """Variables and modules directly in the layer, in order of creation."""
        for name, value in list(self._tracked.items()):
            if name not in _APART:
                yield from _leaves(value)

    def _layers(self) -> list[Layer]:
        """The layers directly in this one: in attributes, lists and dicts, in order of creation, each once."""
        found = {id(part): part for part in self._parts() if isinstance(part, Layer)}
        return list(found.values())

    def _own_variables(self) -> list[Variable]:
        """The layer's own variables: those it added, those in attributes, those of plain modules in attributes."""
        found = {id(variable): variable for variable in self._own}
        for part in self._parts():
            if isinstance(part, Variable):
                found.setdefault(id(part), part)
            elif not isinstance(part, Layer) and not _apart(part):
                found.update((id(variable), variable) for variable in part.variables)
        return list(found.values())

    def _flatten_layers(self, recursive: bool = True, include_self: bool = True) -> list[Layer]:
        """This layer and the layers in it, and with ``recursive`` those in them, each once."""
        found: dict[int, Any] = {id(self): self}
        waiting = list(reversed(self._layers()))
        while waiting:
            layer = waiting.pop()
            if id(layer) not in found:
                found[id(layer)] = layer
                if recursive:
                    waiting.extend(reversed(layer._layers()))
        if not include_self:
            del found[id(self)]
        return list(found.values())

    # Weights.

    @property
    def weights(self) -> list[Variable]:
        """All variables: the layer's own, then those of the layers in it."""
        found: dict[int, Variable] = {}
        for layer in self._flatten_layers():
            for variable in layer._own_variables():
                found.setdefault(id(variable), variable)
        return list(found.values())

    @property
    def variables(self) -> list[Variable]:  # type: ignore[override]
        """All variables: the layer's own, then those of the layers in it."""
        return self.weights

    @property
    def trainable_weights(self) -> list[Variable]:
        """The variables that training changes: none of a layer whose ``trainable`` is False, or of those in it.

        Freezing a layer changes these lists and no variable: one that was in a list taken before is trained still.
        """
        found: dict[int, Variable] = {}
        for layer in self._thawed_layers():
            found.update((id(variable), variable) for variable in layer._own_variables() if variable.trainable)
        return [variable for variable in self.weights if id(variable) in found]

    @property
    def trainable_variables(self) -> list[Variable]:  # type: ignore[override]
        """The variables that training changes; none where ``trainable`` is False."""
        return self.trainable_weights

    @property
    def non_trainable_weights(self) -> list[Variable]:
        """The variables that training does not change."""
        trained = {id(variable) for variable in self.trainable_weights}
        return [variable for variable in self.weights if id(variable) not in trained]

    @property
    def non_trainable_variables(self) -> list[Variable]:
        """The variables that training does not change."""
        return self.non_trainable_weights

    @property
    def trainable(self) -> bool:
        """Whether training changes the layer. Setting it sets it for the layers inside too."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        value = bool(value)
        self.__dict__["_trainable"] = value
        if not value:
            self._say_frozen()
        for layer in self._layers():
            layer.trainable = value

    def _say_frozen(self) -> None:
        """Tell the observer, if there is one, that training is to leave the layer as it is."""
        with span("frozen", self._name):
            pass

    def _thawed_layers(self) -> list[Layer]:
        """This layer and those in it that are not frozen, nor in one that is, each once."""
        found: dict[int, Any] = {}
        waiting: list[Any] = [self]
        while waiting:
            layer = waiting.pop()
            if layer.trainable and id(layer) not in found:
                found[id(layer)] = layer
                waiting.extend(layer._layers())
        return list(found.values())

    def count_params(self) -> int:
        """How many numbers the weights have.

        Raises:
            ValueError: the layer is not built.
        """
        if not getattr(self, "built", True):
            raise ValueError(
                f"You tried to call `count_params` on layer '{self.name}', but the layer isn't built. You can build it "
                "manually via: `layer.build(input_shape)`."
            )
        return sum(variable.shape.num_elements() or 0 for variable in self.weights)

    def get_weights(self) -> list[np.ndarray]:
        """The values of all weights, as NumPy arrays; in a graph of sessions those in the default session."""
        return [(one.eval if hasattr(one, "eval") else one.numpy)() for one in self.weights]

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Replace the values of all weights, in the order of :attr:`weights`.

        Raises:
            ValueError: their number or a shape is another; the message has a table of names and shapes.
        """
        given, own = list(weights), self.weights
        rows = []
        for place in range(max(len(given), len(own))):
            name = own[place].name if place < len(own) else "-"
            expected = str(tuple(own[place].shape.dims or ())) if place < len(own) else "-"
            rows.append((name, expected, str(np.shape(given[place])) if place < len(given) else "-"))
        if len(given) != len(own):
            raise ValueError(shapes_table(
                f"You called `set_weights(weights)` on layer '{self.name}' with a weight list of length {len(given)}, "
                f"but the layer was expecting {len(own)} weights.", rows,
            ))  # fmt: skip
        if any(expected != found for _, expected, found in rows):
            raise ValueError(shapes_table(
                f"Layer {self.name} weight shapes are not compatible with the provided weight shapes.", rows,
            ))  # fmt: skip
        for variable, value in zip(own, given, strict=True):
            (variable.load if hasattr(variable, "load") else variable.assign)(value)

    def _checkpoint_children(self) -> list[tuple[str, Any]]:
        """Names and values of what a checkpoint keeps of the layer: attributes, and weights that are in none."""
        children = list(self._tracked.items())
        known = {id(leaf) for leaf in self._parts()}
        named = zip(self._own_names, self._own, strict=True)
        return children + [(name, variable) for name, variable in named if id(variable) not in known]


# Calls.


def _call_layer(layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The layer's value for these arguments."""
    __tracebackhide__ = True
    arrived(layer)  # layers that were put to a list since a checkpoint was read
    symbol = next((leaf for leaf in nest.flatten((args, kwargs)) if leaf.__class__ is SymbolicTensor), None)
    if symbol is not None:
        if any(map(is_keras_tensor, nest.flatten((args, kwargs)))):
            return symbolic_call(layer, args, kwargs)
        if local.state.graph is None and hasattr(symbol.graph, "entered"):
            with symbol.graph.entered():
                return _called(layer, args, kwargs)
    return _called(layer, args, kwargs)


def _called(layer: Layer, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The layer's value, in the graph of the arguments if they are of one."""
    __tracebackhide__ = True
    if "_own" not in layer.__dict__:
        raise RuntimeError(
            f"In layer `{type(layer).__name__}`, you forgot to call `super().__init__()` as the first statement in the "
            "`__init__()` method. Go add it!"
        )
    _check_place(layer)
    form = signature_of(type(layer).call)
    if form.required and not args and form.required not in kwargs:
        raise TypeError(f"Layer '{layer.name}' was called without its inputs: missing argument '{form.required}'")
    args, kwargs = _converted(layer, args, kwargs)
    training = training_mode(form, args, kwargs)
    named = dict(zip(form.names, args, strict=False)) | kwargs
    first = args[0] if args else kwargs.get(form.names[0] if form.names else "inputs")
    assert_input_compatibility(layer.input_spec, first, layer.name)
    before, outer = call_context.training, call_context.scope
    if call_context.depth == 0 and pending_losses:
        layer._clear_losses()
    call_context.depth += 1
    call_context.training = training
    try:
        if "_call_shape" not in layer.__dict__:
            layer.__dict__["_call_shape"] = shapes_of(first)
        if not layer.built:
            layer._build_for(first, named)
        previous = pass_masks(form, named, kwargs) if masked else None
        if form.training and "training" not in named:
            kwargs["training"] = form.training_default if training is None else training
        call_context.scope = layer._enter_scope()
        result = _run_layer(layer, args, kwargs)
        if layer.activity_regularizer is not None:
            layer._penalize(result)
        _give_masks(layer, first, previous, result)
    finally:
        call_context.depth -= 1
        call_context.training, call_context.scope = before, outer
    if len(args) == 1 and args[0].__class__ is EagerTensor and layer._is_quick(form):
        layer.__dict__["_asks"] = form.training and not layer._passes_on
        layer.__dict__["_seen"] = (args[0]._a.shape, args[0]._a.dtype)
    return result


def _check_place(layer: Layer) -> None:
    """Raise ValueError where a graph of sessions would take the values of variables for constants."""
    if hasattr(local.state.graph, "new_variable") and any(not hasattr(one, "read_in") for one in layer._own):
        raise ValueError(
            f"Layer '{layer.name}' was built outside of the graph, where its variables have values at once, and cannot "
            "be used in it. Call it first with a tensor of the graph, or make another layer for the graph."
        )


def _run_layer(layer: Layer, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the layer's ``call`` gives: a span of the recording, and a scope for the names of what it makes."""
    __tracebackhide__ = True
    state = local.state
    call: Any = layer.call
    if state.graph is not None and not type(layer).__module__.startswith("tapeviz."):
        call = converted_callee(call)
    places = [place for place in (state, getattr(state.graph, "here", None)) if place is not None]
    before = [place.scope for place in places]
    for place in places:
        place.scope = f"{before[0]}{layer.name}/"
    try:
        if state.observer is None:
            return call(*args, **kwargs)
        with span("layer", layer.name, made=layer._made_at, **layer._mode(call_context.training)):
            return call(*args, **kwargs)
    finally:
        for place, scope in zip(places, before, strict=True):
            place.scope = scope


def _snake_case(cls: type) -> str:
    """What layers of a class are called. In TensorFlow 1 no name begins with an underscore."""
    found = snake_case(cls.__name__)
    return f"private{found}" if found.startswith("_") and gives_dimensions() else found


def _converted(layer: Layer, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with tensors in the place of arrays, of the layer's dtype where they are floating-point."""
    if layer._infers_dtype and not layer._own:
        dtypes = (value.dtype for value in nest.flatten(args) if isinstance(value, Tensor))
        layer.__dict__["_dtype"] = next((dtype.name for dtype in dtypes if dtype.is_floating), layer.dtype)
    wanted = as_dtype(layer.compute_dtype) if layer.autocast else None
    made = tuple([tensors_of(value, wanted) for value in args])
    if layer._wants_floats:
        made = tuple([cast(value, wanted) if is_integer(value) else value for value in made])
    return made, {name: tensors_of(value, wanted) for name, value in kwargs.items()}


def _give_masks(layer: Layer, first: Any, previous: Any, result: Any) -> None:
    """Give the outputs of a call their masks."""
    if layer.supports_masking:
        computed = layer.compute_mask(first, previous)
        if computed is None:
            return
        outputs = nest.flatten(result)
        for output, mask in zip(outputs, nest.flatten(computed), strict=False):
            if mask is not None and isinstance(output, Tensor) and mask_of(output) is None:
                set_mask(output, mask)
    elif previous is not None and any(mask is not None for mask in nest.flatten(previous)):
        warnings.warn(
            f"Layer '{layer.name}' (of type {type(layer).__name__}) was passed an input with a mask attached to it. "
            "However, this layer does not support masking and will therefore destroy the mask information. Downstream "
            "layers will not see the mask.",
            stacklevel=2,
        )


# Parts.


def _apart(part: Any) -> bool:
    """Whether a module is none of the model's parts: an optimizer or a metric."""
    return hasattr(part, "apply_gradients") or hasattr(part, "update_state")


def _may_hold(value: Any) -> bool:
    """Whether variables or modules are in it, or can come to be in it."""
    if isinstance(value, tuple):
        return any(isinstance(leaf, (Variable, Module)) for leaf in _leaves(value))
    return True


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (Variable, Module)):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)


def _once(build: Callable[..., Any]) -> Callable[..., Any]:
    """A ``build`` that runs in the layer's scope, outside of traces, and says that the layer is built."""

    @functools.wraps(build)
    def built(self: Layer, *args: Any, **kwargs: Any) -> None:
        if self._building:  # a subclass's build calling that of its base
            build(self, *args, **kwargs)
            return
        self.__dict__["_building"] = True
        outer = call_context.scope
        try:
            call_context.scope = self._enter_scope()
            with made_outside_of_traces(call_context.scope), span("build", self.name, made=self._made_at):
                build(self, *args, **kwargs)
        finally:
            call_context.scope = outer
            self.__dict__["_building"] = False
        self.built = True
        arrived(self)
        shape = args[0] if args else kwargs.get("input_shape")
        self.__dict__["_build_shape"] = shape if shape is None else shapes_of(shape)

    return built
