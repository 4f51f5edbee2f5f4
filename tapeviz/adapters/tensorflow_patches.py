"""What of TensorFlow and Keras no callback sees: tapes, variables that are made, layers, values that leave or come in.

Each is a function of theirs that is another one while something is recorded, and itself again afterwards.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from time import perf_counter
from typing import Any, Final

import numpy as np
import tensorflow as tf
from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import backprop, context, core, execute, record
from tensorflow.python.eager.polymorphic_function import polymorphic_function
from tensorflow.python.framework import constant_op, op_callbacks, ops
from tensorflow.python.ops import resource_variable_ops, script_ops
from tensorflow.python.util import tf_decorator

from tapeviz.adapters.replacement import replaced
from tapeviz.adapters.tensorflow_ops import composite_op, function_op
from tapeviz.adapters.tensorflow_tensors import is_variable
from tapeviz.engine.userline import CallSite, is_ours

__all__ = ["patched"]

_GIVEN: Final = ("output_gradients", "unconnected_gradients")  # what gradient() takes beside targets and sources
_EXITS: Final = {
    "numpy": "numpy", "__array__": "array", "__float__": "python", "__int__": "python", "__bool__": "python",
    "__index__": "python", "__complex__": "python",
}  # fmt: skip
# What takes a tensor as the memory that it is, and asks for nothing that a tensor has.
_MOST: Final = 64  # items of a list that are looked at
_NUMPY: Final = ("array", "asarray", *(name for name in np.__all__ if isinstance(getattr(np, name), np.ufunc)))


@contextmanager
def patched(recorder: Any) -> Iterator[None]:
    """Let a recorder see TensorFlow as long as the block runs."""
    with ExitStack() as exits:
        op_callbacks.add_op_callback(recorder.on_op)
        exits.callback(op_callbacks.remove_op_callback, recorder.on_op)
        gradient = backprop._gradient_function
        exits.callback(pywrap_tfe.TFE_Py_RegisterGradientFunction, gradient)
        pywrap_tfe.TFE_Py_RegisterGradientFunction(recorder.passes.gradient_function(gradient))
        for owner, name, made in _patches():
            exits.enter_context(replaced(owner, name, made(recorder, getattr(owner, name, None))))
        yield


def _patches() -> tuple[tuple[Any, str, Callable[[Any, Any], Any]], ...]:
    """What becomes another one: its owner, its name, and what makes the other one."""
    tape, keras = tf.GradientTape, tf.keras
    return (
        (pywrap_tfe, "TFE_Py_FastPathExecute", _fast),
        (execute, "execute", _slow),
        (record, "record_operation", lambda recorder, original: recorder.recorded_operation(original)),
        (polymorphic_function.Function, "__call__", _traced),
        (constant_op, "convert_to_eager_tensor", _from_host),
        (script_ops, "py_func_common", _numpy_function),
        (resource_variable_ops.BaseResourceVariable, "__init__", _variable),
        (ops.name_scope_v2, "__enter__", _scope_entered),
        (ops.name_scope_v2, "__exit__", _scope_left),
        (tf, "clip_by_value", _composite("clip_by_value", ("t", "clip_value_min", "clip_value_max"))),
        (tf.nn, "softmax", _composite("softmax", ("logits",))),
        (tf.nn, "log_softmax", _composite("log_softmax", ("logits",))),
        (
            tf.nn,
            "sigmoid_cross_entropy_with_logits",
            _composite("sigmoid_cross_entropy_with_logits", ("labels", "logits")),
        ),
        (tape, "__enter__", _changed("enter")),
        (tape, "__exit__", _changed("exit")),
        (tape, "stop_recording", _stopped),
        (tape, "reset", _changed("reset")),
        (tape, "watch", _watch),
        (tape, "gradient", _gradient(whole=False)),
        (tape, "jacobian", _gradient(whole=True)),
        (tape, "batch_jacobian", _gradient(whole=True)),
        (keras.Variable, "_initialize", _keras_variable),
        (keras.layers.Layer, "__init__", _layer_made),
        (keras.layers.Layer, "__call__", _layer_called),
        (keras.layers.Layer, "_lock_state", _layer_built),
        (resource_variable_ops.BaseResourceVariable, "numpy", _exit("numpy")),
        (ops._EagerTensorBase, "__array_function__", _array_function),
        *((np, name, _NumPyFunction) for name in _NUMPY),
        *((ops._EagerTensorBase, name, _exit(kind)) for name, kind in _EXITS.items()),
    )


# Ops: when a call began, what it was given, and that it raised.


def _fast(recorder: Any, execute: Callable[..., Any]) -> Callable[..., Any]:
    def fast(ctx: Any, op_type: Any, name: Any, *args: Any) -> Any:
        if not recorder.listens:
            return execute(ctx, op_type, name, *args)
        before, recorder.begun = recorder.begun, (perf_counter(), args)
        try:
            return execute(ctx, op_type, name, *args)
        except core._NotOkStatusException as error:
            recorder.raised(op_type, args, recorder.begun[0], core._status_to_exception(error))
            raise
        finally:
            recorder.begun = before

    return fast


def _slow(recorder: Any, execute: Callable[..., Any]) -> Callable[..., Any]:
    def slow(op_type: Any, num_outputs: int, inputs: Any, attrs: Any, ctx: Any, name: Any = None) -> Any:
        t0 = perf_counter()
        before, recorder.begun = recorder.begun, (t0, ()) if recorder.listens else recorder.begun
        try:
            return execute(op_type, num_outputs, inputs, attrs, ctx, name)
        except tf.errors.OpError as error:
            recorder.raised(op_type.decode() if isinstance(op_type, bytes) else op_type, inputs, t0, error)
            raise
        finally:
            recorder.begun = before

    return slow


def _composite(ours: str, inputs: Sequence[str]) -> Callable[..., Any]:
    """A function of several ops that is one op here, as the verdicts know it; of eager tensors alone."""

    def made(recorder: Any, function: Callable[..., Any]) -> Callable[..., Any]:
        signature, op = inspect.signature(function), composite_op(ours)

        def call(*args: Any, **kwargs: Any) -> Any:
            if not recorder.hears or recorder.passes.is_open or recorder.inside is not None:
                return function(*args, **kwargs)
            bound = signature.bind_partial(*args, **kwargs).arguments
            for name in inputs:  # as the function itself would do
                value, first = bound.get(name), bound.get(inputs[0])
                if isinstance(value, np.ndarray):
                    bound[name] = tf.convert_to_tensor(value)
                elif isinstance(value, (int, float)) and isinstance(first, tf.Tensor):
                    bound[name] = tf.constant(value, first.dtype)
            given = [bound.get(name) for name in inputs]
            if not all(isinstance(item, tf.Tensor) and hasattr(item, "_numpy") for item in given):
                return function(*args, **kwargs)
            axis = bound.get("axis")
            return recorder.run_composite(
                op, lambda: function(**bound), given, None if axis is None else {"axis": axis}
            )

        return call

    return made


def _traced(recorder: Any, call: Callable[..., Any]) -> Callable[..., Any]:
    """A traced function runs as the Python that it is; one of TensorFlow's own, which may need its graph, does not."""

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807 - it takes the place of that method
        plain = self._python_function
        package = str(getattr(tf_decorator.unwrap(plain)[1], "__module__", "")).partition(".")[0]
        if not recorder.hears or not context.executing_eagerly() or package == "tensorflow":
            return call(self, *args, **kwargs)
        return plain(*args, **kwargs)

    return __call__


def _numpy_function(recorder: Any, call: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy's arrays is one op, which no gradient goes through."""

    def numpy_function(func: Any, inp: Any, *args: Any, **kwargs: Any) -> Any:
        if not recorder.hears or not context.executing_eagerly():
            return call(func, inp, *args, **kwargs)
        given = [tf.convert_to_tensor(item) for item in inp]
        t0 = perf_counter()
        result = call(func, given, *args, **kwargs)
        outputs = [item for item in tf.nest.flatten(result) if isinstance(item, tf.Tensor)]
        if outputs and not recorder.passes.is_open:
            ids = [recorder.number_of(tensor) for tensor in given]
            recorder._add(function_op("numpy_function", through=False), ids, outputs, t0, perf_counter(), None)
        return result

    return numpy_function


# Tapes.


def _changed(change: str) -> Callable[..., Any]:
    def made(recorder: Any, original: Callable[..., Any]) -> Callable[..., Any]:
        def changed(self: Any, *details: Any) -> Any:
            if recorder.hears and change in ("exit", "reset"):
                recorder.tapes.changed(self, change)
            result = original(self, *details)
            if recorder.hears and change == "enter":
                recorder.tapes.changed(self, change)
            return result

        return changed

    return made


def _stopped(recorder: Any, original: Callable[..., Any]) -> Callable[..., Any]:
    @contextmanager
    def stop_recording(self: Any) -> Iterator[None]:
        hears = recorder.hears
        with original(self):
            if hears:
                recorder.tapes.changed(self, "stop")
            try:
                yield
            finally:
                if hears:
                    recorder.tapes.changed(self, "resume")

    return stop_recording


def _watch(recorder: Any, original: Callable[..., Any]) -> Callable[..., Any]:
    def watch(self: Any, tensor: Any) -> None:
        original(self, tensor)
        for item in tf.nest.flatten(tensor):
            if recorder.hears and (is_variable(item) or hasattr(item, "_numpy")):
                recorder.tapes.watch(self, recorder.number_of(item), automatic=False)

    return watch


def _gradient(*, whole: bool) -> Callable[..., Any]:
    def made(recorder: Any, original: Callable[..., Any]) -> Callable[..., Any]:
        def gradient(self: Any, target: Any, sources: Any, *args: Any, **kwargs: Any) -> Any:
            if not recorder.hears or not context.executing_eagerly():
                return original(self, target, sources, *args, **kwargs)
            more = {**dict(zip(("unconnected_gradients",) if whole else _GIVEN, args, strict=False)), **kwargs}
            return recorder.passes.run(
                self, lambda: original(self, target, sources, *args, **kwargs), target, sources,
                more.get("output_gradients"), whole=whole,
                fills=more.get("unconnected_gradients") in (tf.UnconnectedGradients.ZERO, "zero"),
            )  # fmt: skip

        return gradient

    return made


# Variables and layers.


def _variable(recorder: Any, init: Callable[..., Any]) -> Callable[..., Any]:
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it takes the place of that method
        init(self, *args, **kwargs)
        if recorder.hears and isinstance(getattr(self, "_handle", None), tf.Tensor):
            recorder.tensors.made(self, stored=_package_above() not in ("keras", "keras.src"))

    return __init__


def _package_above() -> str:
    """The package of the nearest frame that is neither TensorFlow's nor ours."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package not in ("tensorflow", "tapeviz"):
            return package
        frame = frame.f_back
    return ""


def _keras_variable(recorder: Any, initialize: Callable[..., Any]) -> Callable[..., Any]:
    def _initialize(self: Any, value: Any) -> None:
        initialize(self, value)
        if recorder.hears:
            recorder.tensors.called(self)

    return _initialize


def _layer_made(recorder: Any, init: Callable[..., Any]) -> Callable[..., Any]:
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it takes the place of that method
        init(self, *args, **kwargs)
        if recorder.hears:
            code, instruction = recorder.site_above()
            object.__getattribute__(self, "__dict__")["_tapeviz_made_at"] = CallSite(code, instruction)

    return __init__


def _layer_built(recorder: Any, lock: Callable[..., Any]) -> Callable[..., Any]:
    """A layer has its weights: the recording knows by now which layer they are of, and where that was made."""

    def _lock_state(self: Any) -> None:
        lock(self)
        if recorder.hears and (made := self.__dict__.get("_tapeviz_made_at")) is not None:
            recorder.on_span_end(recorder.on_span_begin("build", self.name, {"made": made}), None)

    return _lock_state


def _layer_called(recorder: Any, call: Callable[..., Any]) -> Callable[..., Any]:
    """A layer's call is a span, by the layer's name."""
    around: list[bool] = []
    frozen: set[str] = set()

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807 - it takes the place of that method
        if not recorder.hears or not all(map(_is_eager, tf.nest.flatten(args[:1]))):
            return call(self, *args, **kwargs)
        training = kwargs.get("training")
        training = around[-1] if training is None and around else bool(training)
        if not self.trainable and self.name not in frozen:  # whose variables tapes watch all the same
            frozen.add(self.name)
            recorder.on_span_end(recorder.on_span_begin("frozen", self.name, {}), None)
        token, raised = recorder.on_span_begin("layer", self.name, _facts_of(self, training)), None
        around.append(training)
        try:
            return call(self, *args, **kwargs)
        except BaseException as error:
            raised = error
            raise
        finally:
            around.pop()
            recorder.on_span_end(token, raised)

    return __call__


def _is_eager(item: Any) -> bool:
    """Whether a layer is called with something that has elements: else a model is being made."""
    return not isinstance(item, tf.keras.KerasTensor) and (not isinstance(item, tf.Tensor) or hasattr(item, "_numpy"))


def _facts_of(layer: Any, training: bool) -> dict[str, Any]:
    """What a recording keeps of a layer's call."""
    layers = tf.keras.layers
    facts: dict[str, Any] = {"training": True} if training else {}
    if (made := layer.__dict__.get("_tapeviz_made_at")) is not None:
        facts["made"] = made
    if isinstance(layer, layers.BatchNormalization) and layer.trainable:
        facts["by_training"] = "statistics of the batch"
    elif getattr(layer, "rate", 0) and "Dropout" in type(layer).__name__:
        facts["by_training"] = "noise"
    return facts


# Name scopes that the user enters.


def _scope_entered(recorder: Any, enter: Callable[..., Any]) -> Callable[..., Any]:
    def __enter__(self: Any) -> Any:  # noqa: N807 - it takes the place of that method
        if recorder.hears and not is_ours(sys._getframe(1)):
            self._tapeviz_span = recorder.on_span_begin("scope", self._name, {})
        return enter(self)

    return __enter__


def _scope_left(recorder: Any, leave: Callable[..., Any]) -> Callable[..., Any]:
    def __exit__(self: Any, kind: Any, error: Any, trace: Any) -> Any:  # noqa: N807 - it takes the place of that method
        if (token := self.__dict__.pop("_tapeviz_span", None)) is not None:
            recorder.on_span_end(token, error)
        return leave(self, kind, error, trace)

    return __exit__


# Values that leave and come in.


def _exit(kind: str) -> Callable[..., Any]:
    def made(recorder: Any, original: Callable[..., Any]) -> Callable[..., Any]:
        def leave(self: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(self, *args, **kwargs)
            if recorder.hears and not is_ours(sys._getframe(1)):
                recorder.left(self, kind, result)
            return result

        return leave

    return made


class _NumPyFunction:
    """A function of NumPy's that is itself in all but that the tensors are noted which it is given."""

    def __init__(self, recorder: Any, function: Any) -> None:
        self._recorder = recorder
        self._function = function

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        result = self._function(*args, **kwargs)
        if self._recorder.hears and not is_ours(sys._getframe(1)):
            for arg in args:
                for item in arg if isinstance(arg, (list, tuple)) and len(arg) <= _MOST else (arg,):
                    if isinstance(item, tf.Tensor):
                        self._recorder.left(item, "array", result)
        return result


def _array_function(recorder: Any, _before: Any) -> Callable[..., Any]:
    """What NumPy asks when one of its functions is given a tensor: the same function of the array that it is."""

    def __array_function__(_self: Any, func: Any, _types: Any, args: Any, kwargs: Any) -> Any:  # noqa: N807
        def plain(item: Any) -> Any:
            if isinstance(item, tf.Tensor):
                array = item._numpy()
                recorder.left(item, "array", array)
                return array
            if isinstance(item, (list, tuple)) and type(item) in (list, tuple):
                return type(item)(map(plain, item))
            return item

        return func(*map(plain, args), **{key: plain(value) for key, value in kwargs.items()})

    return __array_function__


def _from_host(recorder: Any, convert: Callable[..., Any]) -> Callable[..., Any]:
    """A tensor is made from what Python or NumPy has."""

    def convert_to_eager_tensor(value: Any, *args: Any, **kwargs: Any) -> Any:
        tensor = convert(value, *args, **kwargs)
        if recorder.hears and not recorder.passes.is_open and tensor is not value and _package_above() != "keras":
            recorder.on_host_in(tensor, value)
        return tensor

    return convert_to_eager_tensor
