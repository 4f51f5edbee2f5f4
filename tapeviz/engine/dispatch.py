"""The general path of an op: any inputs, any device, any number of outputs. And what to say when an op fails.

The functions that ``codegen`` writes handle the common case, plain host tensors, and come here for the rest.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any, Final

from tapeviz.backends import NUMPY, Backend, backend_of
from tapeviz.backends.silence import run_silently
from tapeviz.engine import errors
from tapeviz.engine.complex_bfloat16 import is_complex_bfloat16, tensor_vjp, widened
from tapeviz.engine.conversion import operand
from tapeviz.engine.declaration import Op, Spec, registry
from tapeviz.engine.deferred_numbers import deferred_in
from tapeviz.engine.dtypes import as_dtype, kernel_name
from tapeviz.engine.kernels import kernel_of
from tapeviz.engine.operators import public
from tapeviz.engine.state import active, local, next_id
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.engine.tensor import EagerTensor, Tensor, wrap
from tapeviz.engine.types import BFLOAT16, DIFFERENTIABLE
from tapeviz.engine.userline import user_line

__all__ = [
    "check_types", "computes", "convert_inputs", "execute", "general", "policy", "record_on_tapes", "refusal",
    "spec_of", "transfer",
]  # fmt: skip

policy: Final = ["silent"]
"""What to do with inputs on several devices: copy them over (``silent``) or refuse (``explicit``)."""

_PLAIN: Final = frozenset((int, float, complex, list, tuple))


def spec_of(tensor: EagerTensor) -> Spec:
    """Shape and dtype of a tensor."""
    return Spec(tensor._a.shape, tensor._a.dtype)


def convert_inputs(op: Op, inputs: tuple[Any, ...]) -> tuple[EagerTensor, ...]:
    """The inputs as tensors: variables read, Python numbers and arrays in the dtype of the input they must match."""
    made = [value._read() if hasattr(value, "_read") else value for value in inputs]
    for position, value in enumerate(made):
        if not isinstance(value, Tensor):
            made[position] = operand(value, _alike(op, made, position))
    if (graph := local.state.graph) is not None:
        for position, value in enumerate(inputs):
            if not isinstance(value, Tensor) and made[position].__class__ is not SymbolicTensor:
                made[position] = graph.argument(made[position])
    return tuple(made)


def _alike(op: Op, values: list[Any], position: int) -> EagerTensor | None:
    """The tensor whose dtype the value at ``position`` must have: the first one of the inputs that have to agree."""
    group = range(len(values)) if op.variadic else op.groups[position]
    for other in group:
        if isinstance(values[other], Tensor):
            return values[other]  # type: ignore[no-any-return]
    return None


def general(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """Run an op on whatever it was given: converted, then by its own function where that can take it."""
    __tracebackhide__ = True  # what goes wrong here is shown on the user's line
    try:
        tensors = convert_inputs(op, inputs)
    except ValueError:
        for value in inputs:
            if hasattr(value, "_apply_op"):  # no tensor, but made of tensors that it can apply the op to
                return value._apply_op(op, inputs, attrs)
        raise
    if "joins_strings" in op.hints and all(tensor._a.dtype.kind == "O" for tensor in tensors):
        return public["join_strings"](tensors)
    if (unfit := _unfit(op, inputs, tensors)) is not None:
        raise refusal(op, tensors, attrs, unfit, 0.0)
    if op.fast and any(given is not made for given, made in zip(inputs, tensors, strict=True)):
        return op.run(*tensors, **attrs)
    return execute(op, tensors, attrs)


class _UnfitError(TypeError):
    """A Python number cannot have the dtype that it must have."""


def _unfit(op: Op, inputs: tuple[Any, ...], tensors: tuple[EagerTensor, ...]) -> _UnfitError | None:
    """What is wrong with Python numbers that took another dtype than that of the tensors beside them."""
    for position, value in enumerate(inputs if "converts_apart" not in op.hints else ()):
        if value.__class__ not in _PLAIN:
            continue
        group = range(len(inputs)) if op.variadic else op.groups[position]
        for other in group:
            wanted = tensors[other]._a.dtype
            if inputs[other].__class__ not in _PLAIN and wanted is not tensors[position]._a.dtype:
                return _UnfitError(f"Cannot convert {value!r} to EagerTensor of dtype {as_dtype(wanted).name}")
    return None


def execute(op: Op, tensors: tuple[EagerTensor, ...], attrs: dict[str, Any]) -> Any:
    """Run an op on tensors, of any device and with any number of outputs.

    Raises:
        InvalidArgumentError: shapes, dtypes or values do not fit; the message names op, arguments and the user's line.
    """
    __tracebackhide__ = True
    state = local.state
    if (graph := state.graph or _graph_of(tensors, attrs)) is not None:
        return graph.add(op, tensors, attrs)
    t0 = perf_counter() if active else 0.0
    first = None
    try:
        check_types(op, tensors)
        backend, tensors = _placed(op, tensors, attrs.get("dtype"))
        kernel = kernel_of(op, backend)
        if computes(op) and any(tensor._a.dtype == BFLOAT16 for tensor in tensors):
            kernel = widened(kernel)
        if state.observer is not None:
            first = backend.mark()
        results = run_silently(kernel, *[tensor._a for tensor in tensors], **attrs)
        as_array = (backend if op.effects != "move" else backend_of(results)).as_array
    except Exception as error:  # noqa: BLE001 - whatever a kernel raises is explained
        raise refusal(op, tensors, attrs, error, t0) from None
    output = tuple(wrap(as_array(r)) for r in results) if op.many else wrap(as_array(results))
    if active:
        outputs: Any = output if op.many else (output,)
        for tensor in outputs:
            tensor._i = next_id()
        if state.tapes and op.vjp:
            record_on_tapes(op, tensors, output, attrs)
        if state.observer is not None:
            state.observer.on_op(op, tensors, output, attrs, t0, perf_counter())
            if first is not None:
                state.observer.on_device_time(outputs[0]._i, backend, first, backend.mark())
    return output


def _graph_of(tensors: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """The graph of the symbolic ones among the inputs, where ops can still be added to it; None when there are none.

    An op without inputs belongs to the graph whose sizes it is given: ``tf.zeros([tf.shape(x)[0], 2])``.
    """
    for tensor in tensors:
        if tensor.__class__ is SymbolicTensor:
            return tensor.graph.reopened(tensor)
    for number in () if tensors else deferred_in(attrs):
        for leaf in number.leaves():
            if leaf.source[0] != "call":
                return leaf.source[1].graph.reopened(leaf.source[1])
    return None


def transfer(tensor: EagerTensor, backend: Backend) -> EagerTensor:
    """``tensor`` in the memory of another device: a copy, by an op, so that gradients flow through it."""
    __tracebackhide__ = True
    here = tensor._backend
    if here is backend:
        return tensor
    move = registry["copy_to_device"].run
    return move(tensor, source=here.name, target=backend.name, nbytes=tensor._a.nbytes)  # type: ignore[no-any-return]


def computes(op: Op) -> bool:
    """Whether the op's kernel does more than move elements, for which any dtype would do."""
    return any(isinstance(rule, frozenset) for rule in op.types.values())


def record_on_tapes(op: Op, tensors: tuple[EagerTensor, ...], output: Any, attrs: dict[str, Any]) -> None:
    """Add the op to every tape that follows one of its inputs."""
    outputs = output if op.many else (output,)
    followed = [t._id for t in outputs if t._a.dtype in DIFFERENTIABLE]
    if not followed:
        return
    stands = tensor_vjp(op) if is_complex_bfloat16(tensors, outputs) else op
    for tape in local.state.tapes:
        tracked = tape._tracked
        ids = tuple([
            number if (number := t._id) in tracked and (op.variadic or name in op.vjp) else 0
            for t, name in _named(op, tensors)
        ])  # fmt: skip
        if not any(ids):
            continue
        kept = _kept(op, tensors, output, attrs)
        made = [t._id for t in outputs]
        tracked.update(followed)
        shapes: Any = tuple(map(spec_of, output)) if op.many else None
        if op.broadcasts:
            shapes = tuple(t._a.shape for t in tensors)
        tape._append((stands, tuple(made) if op.many else made[0], ids, kept, shapes))


def _named(op: Op, tensors: tuple[EagerTensor, ...]) -> Any:
    return zip(tensors, op.inputs if not op.variadic else [op.inputs[0]] * len(tensors), strict=True)


def _kept(op: Op, tensors: tuple[EagerTensor, ...], output: Any, attrs: dict[str, Any]) -> tuple[Any, ...]:
    values: dict[str, Any] = {**attrs, op.output: output}
    if op.variadic:
        values[op.inputs[0]] = tensors
    else:
        values.update(zip(op.inputs, tensors, strict=True))
    return tuple(values[name] if name in values else _specs(values[name.removesuffix("_spec")]) for name in op.saved)


def _specs(value: Any) -> Any:
    return tuple(map(spec_of, value)) if value.__class__ is tuple else spec_of(value)


def _placed(op: Op, tensors: tuple[EagerTensor, ...], dtype: Any) -> tuple[Backend, tuple[EagerTensor, ...]]:
    """The device to run on, and the inputs in its memory.

    That is the device of ``with tf.device``; else the inputs' own, and of several the one that is not the host. What is
    done to variables is done where they are. What a device does not take, be it an input or the result, is the host's.
    """
    state = local.state
    backend = tensors[0]._backend if tensors else state.backend
    for tensor in tensors:
        if tensor._backend is not backend:
            backend = _common_backend(op, tensors)
            break
    if state.placed and op.effects != "move" and op.family != "variable":
        backend = state.backend
    if backend is NUMPY and not state.placed:
        return backend, tensors  # all are here: a device other than the host would have been the one for several
    if backend is not NUMPY:
        dtypes = [tensor._a.dtype for tensor in tensors] + ([] if dtype is None else [dtype])
        backend = backend if all(map(backend.takes, dtypes)) else NUMPY
    return backend, tuple([t if t._backend is backend else transfer(t, backend) for t in tensors])


def _common_backend(op: Op, tensors: tuple[EagerTensor, ...]) -> Backend:
    """The device for inputs on several."""
    where = ", ".join(f"{n} on {t._backend.name}" for t, n in _named(op, tensors))
    if not all(tensor._backend.mixes for tensor in tensors):
        raise errors.InvalidArgumentError(f"inputs are on different devices: {where}; copy one over first", op.name)
    if policy[0] == "explicit":
        raise errors.InvalidArgumentError(
            f"Tensors on conflicting devices: cannot compute {op.tf_name} with {where}. Tensors can be copied "
            "explicitly using: `with tf.device(device_name): x = tf.identity(x)` or transparently copied by using "
            "tf.config.experimental.set_device_policy('silent').",
            op.name,
        )
    return next(tensor._backend for tensor in tensors if tensor._backend is not NUMPY)


def check_types(op: Op, tensors: tuple[EagerTensor, ...]) -> None:
    """Raise TensorFlow's error unless the inputs' dtypes are those that the op takes, and agree."""
    named = dict(zip(op.inputs, tensors, strict=False)) if not op.variadic else {}
    for position, (tensor, name) in enumerate(_named(op, tensors)):
        rule = tensors[0] if op.variadic and position else op.types[name]
        if isinstance(rule, (str, Tensor)):
            other = named[rule] if isinstance(rule, str) else rule
            if tensor._a.dtype is not other._a.dtype:
                wanted, given = (kernel_name(t._a.dtype) for t in (other, tensor))
                raise errors.InvalidArgumentError(
                    f"cannot compute {op.tf_name} as input #{position}(zero-based) was expected to be a {wanted} "
                    f"tensor but is a {given} tensor"
                )
        elif rule is not None and tensor._a.dtype not in rule:
            given = kernel_name(tensor._a.dtype)
            if len(rule) == 1:
                raise errors.InvalidArgumentError(
                    f"cannot compute {op.tf_name} as input #{position}(zero-based) was expected to be a "
                    f"{kernel_name(next(iter(rule)))} tensor but is a {given} tensor"
                )
            allowed = ", ".join(sorted(kernel_name(dtype) for dtype in rule))
            raise errors.InvalidArgumentError(
                f"Value for attr 'T' of {given} is not in the list of allowed values: {allowed}"
            )


def refusal(op: Op, tensors: tuple[EagerTensor, ...], attrs: dict[str, Any], error: Exception, t0: float) -> Exception:
    """The error to raise when an op failed: the shape rule's where it has something to say, with the user's line."""
    try:
        if not isinstance(error, (errors.OpError, _UnfitError)):
            check_types(op, tensors)
            op.infer(*map(spec_of, tensors), **attrs)
    except errors.OpError as better:
        # A traceback has this frame, which has the error: such a circle would keep the tensors until gc finds it.
        error = better.with_traceback(None)
    if not isinstance(error, (errors.OpError, ValueError, TypeError, IndexError)):
        return _reported(op, tensors, attrs, error, t0)
    cls: Any = type(error) if isinstance(error, errors.OpError) else errors.InvalidArgumentError
    if isinstance(error, _UnfitError):
        cls = _as_type_error
    lines = [f"{error} [Op:{op.tf_name}]"]
    lines += [f"  {name}: {spec_of(tensor)}" for tensor, name in _named(op, tensors)]
    if attrs:
        lines.append("  " + ", ".join(f"{name}={value!r}" for name, value in attrs.items()))
    if (place := user_line()) is not None:
        lines.append(f"  at {place}")
    return _reported(op, tensors, attrs, cls("\n".join(lines), op.name), t0)


def _as_type_error(message: str, _op: str) -> TypeError:
    return TypeError(message)


def _reported(op: Op, tensors: Any, attrs: dict[str, Any], error: Exception, t0: float) -> Exception:
    observer = local.state.observer
    if observer is not None:
        observer.on_op_error(op, tensors, attrs, t0 or perf_counter(), error)
    return error
