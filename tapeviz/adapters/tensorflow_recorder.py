"""The recorder of TensorFlow: a callback that TensorFlow calls after each op that it runs eagerly.

Traced functions run as the Python they are while something is recorded, so that their ops are seen one by one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from threading import get_ident
from time import perf_counter
from typing import Any, ClassVar, Final
from weakref import ref

import tensorflow as tf
from tensorflow.python.eager import context
from tensorflow.python.eager.record import stop_recording

from tapeviz.adapters.foreign_recorder import ForeignRecorder, fresh
from tapeviz.adapters.tensorflow_backward import Made, Passes, Tapes
from tapeviz.adapters.tensorflow_ops import TensorFlowOp, attributes, function_op, op_of
from tapeviz.adapters.tensorflow_tensors import Tensors, Variable, copied, dtypes, is_resource, is_variable
from tapeviz.recorder.ledger import Policy
from tapeviz.recorder.op_hooks import PACK_EVERY, is_inspection
from tapeviz.recording.rows.packer import Packer
from tapeviz.recording.rows.tensor_rows import NewTensor

__all__ = ["TensorFlowRecorder"]

_HOST: Final = "CPU:0"
_PLAIN: Final = frozenset({bool, int, float, str, bytes, type(None)})


class TensorFlowRecorder(ForeignRecorder):
    """Fills a recording with what one thread does with TensorFlow.

    Args:
        packer: turns what was seen into rows.
        policy: what to keep of the tensors' contents.
        options: those of :class:`Ledger`.
    """

    ENDS: ClassVar[tuple[str, ...]] = ("on_span_end", "on_backward_end")

    def __init__(self, packer: Packer, policy: Policy, **options: Any) -> None:
        super().__init__(packer, policy, **options)
        self.tensors: Tensors = Tensors(packer, self.store)
        self.tapes: Tapes = Tapes(self)
        self.passes: Passes = Passes(self)
        self.begun: tuple[float, tuple[Any, ...]] | None = None
        """When the call under way began, and its arguments."""
        self.inside: list[tuple[Any, Sequence[Any]]] | None = None
        """The ops, by their attributes and inputs, of a call under way that is one op here."""
        self._thread = get_ident()

    def _make_hooks(self) -> None:
        """Nothing here knows numbers by heart."""

    def on_backward_end(self, begun: Any, raised: BaseException | None) -> None:
        """A backward pass is over."""
        self.packer.spans.end(begun, raised)

    @property
    def listens(self) -> bool:
        """Whether what happens is the user's, in the thread that is recorded."""
        return not self.quiet and get_ident() == self._thread

    @property
    def hears(self) -> bool:
        """The same where more than failures is kept."""
        return not self.is_full and self.listens

    # What a framework says.

    def number_of(self, tensor: Any) -> int:
        """The recording's number of a tensor, or of a variable's value."""
        variable = self._variable(tensor)
        return self.tensors.number(tensor) if variable is None else self.tensors.value(variable)

    def look_up(self, item: Any) -> int | None:
        """The number of a tensor, or of a variable's value, that the recording knows."""
        if isinstance(item, tf.Tensor):
            return self.tensors.look_up(item)
        variable = self._variable(item)
        return variable.value or None if variable is not None else None

    def variable_of(self, item: Any) -> int | None:
        """The number of a variable, -1 for a tensor; None for anything else."""
        variable = self._variable(item)
        return -1 if isinstance(item, tf.Tensor) else None if variable is None else variable.number

    def _variable(self, item: Any) -> Variable | None:
        if not is_variable(item) or getattr(item, "_value", item) is None:
            return None
        try:
            handle = item.handle
        except (RuntimeError, ValueError):  # one of several replicas, outside of them
            return None
        return self.tensors.variable(handle) if isinstance(handle, tf.Tensor) else None

    def elements_of(self, tensor: Any) -> Any:
        """The elements of a tensor; None where they are no numbers."""
        return copied(tensor)

    def device_of(self, tensor: Any) -> str:
        """The device of a tensor, as a recording calls it."""
        return str(tensor.device).rpartition("device:")[2] or _HOST

    # Ops.

    def on_op(
        self, op_type: str | bytes, inputs: Sequence[Any], attrs: Any, outputs: Sequence[Any], op_name: Any = None,  # noqa: ARG002
        graph: Any = None,
    ) -> None:  # fmt: skip
        """An op ran: TensorFlow's callback. Of graphs that are made nothing is looked at."""
        if graph is not None or not self.hears:
            return
        if self.passes.is_open:
            self.passes.op_ran_inside(attrs, inputs)
            return
        if self.inside is not None:
            self.inside.append((attrs, inputs))
            return
        t1 = perf_counter()
        t0, given = self.begun or (t1, ())
        op_type = op_type.decode() if isinstance(op_type, bytes) else op_type
        op = op_of(op_type)
        if op_type == "VarHandleOp":
            self.tensors.handle_made(outputs[0], self.site_above())
        elif op_type == "ReadVariableOp":
            self._read(inputs[0], outputs[0])
        elif op.writes:
            self._write(op, inputs, t0, t1)
        elif outputs and not (op.states and any(map(is_resource, outputs))):
            read = self._number_of_handle if op.states else self._number_read
            ids = [read(tensor, given) for tensor in inputs]
            for at, _ in op.numbers:
                ids[at] = 0
            made = self._add(op, [number for number in ids if number], outputs, t0, t1, attributes(op, inputs, attrs))
            self.passes.op_ran(attrs, made._replace(inputs=ids))

    def _number_of_handle(self, tensor: Any, given: Sequence[Any]) -> int:
        """The number of a tensor, of a handle that of the variable's value, which is read; 0 for other states."""
        if not is_resource(tensor):
            return self._number_read(tensor, given)
        variable = self.tensors.variable(tensor)
        if variable is None:
            return 0
        number = self.tensors.value(variable)
        self.tapes.accessed(variable)
        return number

    def _number_read(self, tensor: Any, given: Sequence[Any]) -> int:
        """The number of a tensor that an op is given."""
        known = self.tensors.known.get(id(tensor))
        if known is not None and known[1]() is tensor and known[0] >= self.packer.base:
            return known[0]
        if known is None or known[1]() is not tensor:
            for item in given:
                if item.__class__ in _PLAIN or isinstance(item, tf.Tensor):
                    continue
                if self._stands_for(item, tensor):
                    break
        return self.tensors.number(tensor)

    def _stands_for(self, item: Any, tensor: Any) -> bool:
        """Whether a tensor is what an op read of this variable by itself, or made of this array; that is noted."""
        if isinstance(item, (list, tuple)):
            return any(self._stands_for(one, tensor) for one in item if one.__class__ not in _PLAIN)
        has_array = hasattr(item, "__array_interface__")
        if not (has_array or is_variable(item)) or tuple(item.shape) != tensor._shape_tuple():
            return False
        if has_array:
            self.on_host_in(tensor, item)
        elif item.dtype == tensor.dtype:
            self._read(item.handle, tensor)
        return True

    def _read(self, handle: Any, output: Any) -> None:
        """A variable was read: what was read is its value."""
        variable = self.tensors.variable(handle)
        if variable is not None:
            self.tensors.known[id(output)] = self.tensors.value(variable, output), ref(output)
            self.tapes.accessed(variable)

    def _write(self, op: TensorFlowOp, inputs: Sequence[Any], t0: float, t1: float) -> None:
        """A variable was given a value, anew or from the one before."""
        variable = self.tensors.variable(inputs[0])
        if variable is None:
            return
        anew = op.name == "assign" and op.computes is None
        ids = [] if anew else [self.tensors.value(variable)]
        ids += [self.tensors.number(tensor) for tensor in inputs[1:] if not is_resource(tensor)]
        value = inputs[1] if anew else self._current(variable, inputs[0])
        if op.computes is not None:
            ids, t0 = [*self._add(op.computes, ids, [value], t0, t1, None).outputs], t1
        number, lives = self.tensors.assigned(variable, value._shape_tuple(), value.dtype)
        self._log(op, ids, number, value, None, lives, t0, t1, self.site_above())
        self.tensors.keep(number, value)
        self._pack_if_due(number)

    def _current(self, variable: Variable, handle: Any) -> Any:
        """The value of a variable now."""
        self.quiet += 1
        try:
            with stop_recording():
                return tf.raw_ops.ReadVariableOp(resource=handle, dtype=variable.dtype or tf.float32)
        finally:
            self.quiet -= 1

    def _log(
        self, op: TensorFlowOp, ids: Sequence[int], number: int, value: Any, attrs: Any, lives: Any, t0: float,
        t1: float, site: Any,
    ) -> Any:  # fmt: skip
        """Keep a row for an op that gave this value; a reference to what lives as long as the value does."""
        died = self.packer.lifetimes.died
        reference = ref(lives, died.append)
        shape, dtype = value._shape_tuple(), dtypes[value.dtype]
        self.packer.log.add((t0, t1, op, *site, tuple(ids), -1, number, shape, dtype, attrs, reference, len(died)))
        return reference

    def _add(self, op: TensorFlowOp, ids: list[int], outputs: Sequence[Any], t0: float, t1: float, attrs: Any) -> Made:
        """Keep a row for an op; the numbers of what it gave."""
        if op.swapped and len(ids) > 1:
            ids[0], ids[1] = ids[1], ids[0]
        frame = self._users.nearest(sys._getframe(2))
        site = frame.f_code, frame.f_lasti
        numbers = [fresh() for _ in outputs]
        if len(outputs) == 1:
            references = [self._log(op, ids, numbers[0], outputs[0], attrs, outputs[0], t0, t1, site)]
        else:
            met = [NewTensor(n, t._shape_tuple(), dtypes[t.dtype]) for n, t in zip(numbers, outputs, strict=True)]
            references = [ref(tensor, self.packer.lifetimes.died.append) for tensor in outputs]
            self.packer.many.append((t0, t1, op, *site, ids, met, attrs, references))
        for number, tensor, reference in zip(numbers, outputs, references, strict=True):
            self.tensors.known[id(tensor)] = number, reference
            self.tensors.keep(number, tensor)
            if not tensor.device.endswith(_HOST):
                self.packer.elsewhere[number] = self.device_of(tensor)
        if self.is_asked:
            self.ask(op.name, "forward", outputs, [None] * len(outputs), t1 - t0, getattr(frame, "f_lineno", 0))
        self._pack_if_due(numbers[-1])
        return Made(numbers, ids, ids)

    def _pack_if_due(self, number: int) -> None:
        """Pack where enough tensors have got their numbers since the last time."""
        if number > self.next_pack[0]:
            self.next_pack[0] = number + PACK_EVERY
            self.tensors.prune()
            self.pack_if_long()

    def run_composite(self, op: TensorFlowOp, call: Callable[[], Any], given: Sequence[Any], attrs: Any) -> Any:
        """Run what is one op here; its row, of which the backward steps of the ops inside are parts."""
        ids, t0 = [self._number_read(tensor, ()) for tensor in given], perf_counter()
        inside: list[tuple[Any, Sequence[Any]]] = []
        self.inside = inside
        try:
            result = call()
        finally:
            self.inside = None
        made = self._add(op, ids, [result], t0, perf_counter(), attrs)
        for of, inputs in inside:
            read = [number if (number := self.look_up(tensor)) in ids else 0 for tensor in inputs]
            self.passes.op_ran(of, Made(made.outputs, read, ids))
        return result

    def recorded_operation(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """What TensorFlow calls to put a function with a gradient of its own on the tapes."""

        def record(
            op_type: Any, output_tensors: Any, input_tensors: Any, backward_function: Any, forward_function: Any = None
        ) -> Any:
            outputs, inputs, backward, forward = output_tensors, input_tensors, backward_function, forward_function
            whole = [*outputs, *inputs]
            if op_type == "ReadVariableOp" or not self.hears or self.passes.is_open or not all(
                isinstance(tensor, tf.Tensor) and hasattr(tensor, "_numpy") for tensor in whole
            ):  # fmt: skip
                return original(op_type, outputs, inputs, backward, forward)
            name = op_type.decode() if isinstance(op_type, bytes) else str(op_type)
            ids = [self._number_of_handle(tensor, ()) for tensor in inputs]
            if name.startswith("__"):  # a traced function, which has been seen as an op
                made = Made([self.tensors.number(tensor) for tensor in outputs], ids, ids)
            else:
                now = perf_counter()
                made = self._add(function_op(name), ids, outputs, now, now, None)
            return original(op_type, outputs, inputs, self.passes.stepped(backward, made), forward)

        return record

    def raised(self, op_type: str, given: Sequence[Any], t0: float, error: Exception) -> None:
        """An op raised. The end of a pipeline is no failure."""
        if not self.listens or not context.executing_eagerly() or isinstance(error, tf.errors.OutOfRangeError):
            return
        tensors = [item for item in tf.nest.flatten(given) if isinstance(item, tf.Tensor) and not is_resource(item)]
        self.failed(op_of(op_type), [self.tensors.number(tensor) for tensor in tensors], None, t0, error)

    # What is no op.

    def left(self, tensor: Any, kind: str, result: Any) -> None:
        """A value left for Python or NumPy, on a line of the user's."""
        has_value = hasattr(tensor, "_numpy") or is_variable(tensor)
        if self.hears and not self.passes.is_open and has_value and not is_inspection():
            address = self.memory.left(result)
            number = self.number_of(tensor)
            self.packer.exits.append((perf_counter(), number, kind, *self.site_above(), address))

    # The end.

    def look_around(self, namespace: Mapping[str, Any]) -> None:
        """Nothing is learnt here: variables carry their names."""

    def pack(self, *, is_over: bool = False) -> None:
        """Turn what was seen into columns; variables have their names by now."""
        self.tensors.say()
        super().pack(is_over=is_over)
