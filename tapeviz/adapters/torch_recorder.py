"""The recorder of PyTorch: a mode above autograd, which sees each function that is called with tensors.

A ``TorchFunctionMode`` is asked once a call, whatever the function does inside; nothing below autograd is looked at
while the program runs. What a call appended to autograd's graph is known by the numbers that PyTorch gives to nodes as
they are made, so that no node, and no activation that it keeps, is held.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any, Final
from weakref import ref

import torch
from torch.nn.parameter import UninitializedTensorMixin
from torch.overrides import TorchFunctionMode

from tapeviz.adapters.foreign_recorder import ForeignRecorder, fresh
from tapeviz.adapters.torch_backward import BackwardPasses
from tapeviz.adapters.torch_names import LeafNames, argument_name
from tapeviz.adapters.torch_nodes import Nodes, sequence_number
from tapeviz.adapters.torch_ops import TorchOp, is_short, named_attributes, op_of
from tapeviz.adapters.torch_tensors import Tensors, copied, device_name, dtypes, is_leaf, tensors_in, version_of
from tapeviz.adapters.torch_transforms import are_active, layers, whole_shape
from tapeviz.recorder.ledger import Policy
from tapeviz.recorder.op_hooks import PACK_EVERY, is_inspection
from tapeviz.recording.rows.packer import Packer
from tapeviz.recording.rows.tensor_rows import NewTensor

__all__ = ["TorchRecorder"]

_EXITS: Final = {
    "numpy": "numpy", "__array__": "array", "item": "python", "tolist": "python", "__float__": "python",
    "__int__": "python", "__bool__": "python", "__index__": "python", "__complex__": "python",
}  # fmt: skip
# Of these the result may be a tensor, and nothing is computed.
_PASSED: Final = frozenset({
    "as_subclass", "retain_grad", "register_hook", "_make_subclass", "is_floating_point", "is_complex", "__repr__",
    "__format__", "__str__", "__hash__", "__len__", "size", "dim", "stride", "numel", "element_size", "data_ptr",
    "untyped_storage", "storage", "is_contiguous", "get_device", "share_memory_", "__deepcopy__", "__reduce_ex__",
    "_is_view", "is_shared", "is_pinned", "__dlpack__", "__dlpack_device__", "has_names", "is_tensor", "is_storage",
    "manual_seed", "is_same_size", "result_type", "promote_types", "can_cast", "is_nonzero", "__contains__",
})  # fmt: skip
_VALUED_GETTERS: Final = frozenset({"T", "mT", "H", "mH", "data", "real", "imag"})

_PASS: Final = object()


def _has_no_size(types: Any) -> bool:
    """Whether a tensor of a lazy module, which has no size as yet, is among those of these classes."""
    return any(issubclass(kind, UninitializedTensorMixin) for kind in types)


class TorchRecorder(ForeignRecorder):
    """Fills a recording with what one thread does with PyTorch.

    Args:
        packer: turns what was seen into rows.
        policy: what to keep of the tensors' contents.
        options: those of :class:`Ledger`.
    """

    def __init__(self, packer: Packer, policy: Policy, **options: Any) -> None:
        super().__init__(packer, policy, **options)
        self.tape_number: int = fresh()
        self.tensors: Tensors = Tensors(packer, self.store, self.tape_number, self.site_above, self._derive)
        self.nodes: Nodes = Nodes()
        self.names: LeafNames = LeafNames(self.tensors)
        self.passes: BackwardPasses = BackwardPasses(self)
        self._kinds: dict[Any, Any] = {}
        self._grad_enabled = True
        self.on_call: Any
        self.on_call_within: Any
        self.mode: Any
        self._make_hooks()

    def number_of(self, tensor: Any) -> int:
        """The recording's number of a tensor as it is now."""
        return self.tensors.number(tensor)

    def look_up(self, item: Any) -> int | None:
        """The number of a tensor that the recording knows; None for anything else."""
        return self.tensors.look_up(item) if isinstance(item, torch.Tensor) else None

    def variable_of(self, item: Any) -> int | None:
        """The number of the variable that a leaf is, -1 for another tensor; None for anything else."""
        return self.tensors.variable_of(item) if isinstance(item, torch.Tensor) else None

    def elements_of(self, tensor: Any) -> Any:
        """The elements of a tensor as an array of their own; None where it has none to give."""
        return copied(tensor)

    def device_of(self, tensor: Any) -> str:
        """The device of a tensor, as a recording calls it."""
        return device_name(tensor.device)

    # Which functions are what.

    def _kind(self, func: Any) -> Any:
        """What is to be done about a function: noted as an op, looked at otherwise, or passed."""
        kind = self._kinds[func] = self._classified(func)
        return kind

    def _classified(self, func: Any) -> Any:
        name = getattr(func, "__name__", "")
        if self.is_full:
            return _PASS if name in (*_EXITS, *_PASSED, "__get__", "__set__", "") else op_of(name)
        if name in ("__get__", "__set__"):
            return self._of_attribute(name, getattr(getattr(func, "__self__", None), "__name__", ""))
        if func is torch.autograd.grad or func in (torch.autograd.backward, torch.Tensor.backward):
            return self.passes.run
        handlers = {
            "requires_grad_": self._set_requires_grad, "_set_grad_enabled": self._set_grad_enabled,
            "_make_dual": self._make_dual,
            "tensor": self._from_host, "as_tensor": self._from_host, "from_numpy": self._from_host,
            **dict.fromkeys(_EXITS, self._exit), **dict.fromkeys(_PASSED, _PASS), "": _PASS,
        }  # fmt: skip
        return _PASS if "record_function" in str(func) else handlers.get(name) or op_of(name)

    def _of_attribute(self, access: str, name: str) -> Any:
        """What is to be done when an attribute of a tensor is read or set."""
        if access == "__set__":
            return {"requires_grad": self._set_requires_grad, "data": self._set_data}.get(name, _PASS)
        if name == "grad":
            return self._get_grad
        return op_of(name) if name in _VALUED_GETTERS else _PASS

    # What runs once a call.

    def _make_hooks(self) -> None:
        """Make the mode, whose function is a closure: it runs once a call."""
        kinds, kind_of, recorder = self._kinds.get, self._kind, self
        self.on_call = self._noting(self._single())
        self.on_call_within = self._noting(self._single_within)

        class Mode(TorchFunctionMode):  # type: ignore[misc]
            def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                how = kinds(func) or kind_of(func)
                if how is _PASS or recorder.quiet or (types and _has_no_size(types)):
                    return func(*args, **kwargs) if kwargs else func(*args)
                if how.__class__ is TorchOp:
                    return (recorder.on_call_within if are_active() else recorder.on_call)(how, func, args, kwargs)
                return how(func, args, kwargs or {})

        if not hasattr(self, "mode"):
            self.mode = Mode()

    def _noting(self, single: Any) -> Any:
        """What runs a function of PyTorch's and notes it."""
        is_tensor, clock, seq, getframe = torch.Tensor, perf_counter, sequence_number, sys._getframe
        read, several = self._reading(), self._several

        def on_call(op: TorchOp, func: Any, args: Any, kwargs: Any) -> Any:
            given: list[Any] = []
            ids = read(op, args, kwargs, given)
            before = seq()
            t0 = clock()
            try:
                result = func(*args, **kwargs) if kwargs else func(*args)
            except Exception as error:
                self._raised(op, given, kwargs, ids, t0, error)
                raise
            t1 = clock()
            output = args[0] if result is None and op.in_place and args else result
            if isinstance(output, is_tensor):
                if op.in_place or not any(output is item for item in args):  # else nothing was to be done
                    attrs = named_attributes(op, given, kwargs) if given or kwargs else None
                    single(op, args, ids, output, t0, t1, before, getframe(2), attrs)
            elif isinstance(output, (tuple, list)):
                several(op, given, kwargs, ids, tensors_in(output), t0, t1, before)
            return result

        return on_call

    def _failing(self, op: TorchOp, func: Any, args: Any, kwargs: Any) -> Any:
        """Runs a function of PyTorch's of which nothing is noted any more, but that it raises."""
        t0 = perf_counter()
        try:
            return func(*args, **kwargs or {})
        except Exception as error:
            self._raised(op, [], kwargs, [self.tensors.number(tensor) for tensor in tensors_in(args)], t0, error)
            raise

    def _quieten(self) -> None:
        super()._quieten()
        self.on_call = self.on_call_within = self._failing
        self._kinds.clear()  # in their place, for the mode holds them

    def _reading(self) -> Any:
        """What gives the numbers of the tensors that a call is given, and adds what else it is given to a list."""
        number_of, is_tensor = self.tensors.number, torch.Tensor

        def read(op: TorchOp, args: Any, kwargs: Any, given: list[Any]) -> list[int]:
            ids: list[int] = []
            for item in args[1:] if op.overwrites else args:
                if isinstance(item, is_tensor):
                    ids.append(number_of(item))
                elif item.__class__ is float or item.__class__ is int:
                    given.append(item)
                elif (item.__class__ is list or item.__class__ is tuple) and (found := tensors_in(item)):
                    ids += [number_of(tensor) for tensor in found]
                elif is_short(item):
                    given.append(item)
            if kwargs and not (op.overwrites and not args):  # functions of torch.nn.init get their tensor by name
                ids += [number_of(tensor) for tensor in tensors_in(kwargs.values())]
            if op.swapped and len(ids) > 1:
                ids[0], ids[1] = ids[1], ids[0]
            return ids

        return read

    def _single(self) -> Any:
        """What notes an op with one output."""
        tensors, packer, users, nodes = self.tensors, self.packer, self._users, self.nodes
        known, version, nearest, keeps, limit = (
            tensors.known, version_of, users.nearest, self.store is not None, self.next_pack
        )  # fmt: skip
        add, died, bury, seq = packer.log.add, packer.lifetimes.died, packer.lifetimes.died.append, sequence_number
        new, own, is_enabled = fresh, packer.own_memory.append, torch.is_grad_enabled

        def single(
            op: TorchOp, args: Any, ids: list[int], output: Any, t0: float, t1: float, before: int, caller: Any,
            attrs: Any,
        ) -> None:  # fmt: skip
            frame = caller if caller.f_code is users.code else nearest(caller)
            number, reference, needs = new(), ref(output, bury), output.requires_grad
            known[id(output)] = number, version(output), reference
            if frame is not caller and (op.overwrites or op.empty):
                packer.nameless.append(number)  # a layer that is made makes its weights
            if op.view and not output._is_view():
                own(number)
            site = frame.f_code, frame.f_lasti
            add((t0, t1, op if needs or not is_enabled() else self._effective(op, args), *site, tuple(ids), -1, number,
                 output.shape, dtypes[output.dtype], attrs, reference, len(died)))  # fmt: skip
            after = seq()
            if after != before:
                nodes.add(before, after, (number,), ids)
            # What has no node and requires gradients is a leaf.
            if (needs and after == before) or not output.is_cpu or is_enabled() is not self._grad_enabled:
                self._mark(output, number, site, t0)
            array = tensors.keep(number, output) if keeps and not op.empty else None
            if self._ask is not None:
                self.ask(op.name, "forward", (output,), (array,), t1 - t0, frame.f_lineno)
            if number > limit[0]:
                limit[0] = number + PACK_EVERY
                tensors.prune()
                nodes.prune()
                self.pack_if_long()

        return single

    def _single_within(
        self, op: TorchOp, args: Any, ids: list[int], output: Any, t0: float, t1: float, before: int, caller: Any,
        attrs: Any,
    ) -> None:  # fmt: skip
        """Notes an op with one output inside a transform, where a tensor is wrapped around others."""
        frame = self._users.nearest(caller)
        op = op if output.requires_grad or not torch.is_grad_enabled() else self._effective(op, args)
        number = self.note(op, ids, output, t0, t1, attrs, (frame.f_code, frame.f_lasti))
        self.tensors.made_within(output, number)
        if self._ask is not None:
            self.ask(op.name, "forward", (output,), (None,), t1 - t0, frame.f_lineno)
        heads = {each.grad_fn._sequence_nr(): number for each in layers(output) if each.grad_fn is not None}
        if (after := sequence_number()) != before and heads:  # one for each level of gradients
            self.nodes.add_headed(before, after, heads, ids)

    def _effective(self, op: TorchOp, args: Any) -> TorchOp:
        """The declaration that says whether a gradient went through: none does where one could and did not."""
        if any(tensor.requires_grad for tensor in tensors_in(args)):
            return op_of(op.name, differentiable=False)
        return op

    def _mark(self, output: Any, number: int, site: Any, t0: float) -> None:
        """What is true of a new tensor beside its op: a leaf, on another device, made while gradients were off."""
        if is_leaf(output):
            self.tensors.is_value(output, number, site)
        if output.device.type != "cpu":
            self.packer.elsewhere[number] = device_name(output.device)
        if torch.is_grad_enabled() is not self._grad_enabled:
            self._note_grad_mode(torch.is_grad_enabled(), t0, site)

    def _note_grad_mode(self, enabled: bool, t: float, site: Any) -> None:
        self._grad_enabled = enabled
        facts = self.packer.facts
        facts.kept.append((facts.tape, t, (self.tape_number, "resume" if enabled else "stop", True, 1, site)))

    def _several(
        self,
        op: TorchOp,
        given: list[Any],
        kwargs: Any,
        ids: list[int],
        outputs: list[Any],
        t0: float,
        t1: float,
        before: int,
    ) -> None:
        """An op gave several tensors."""
        if not outputs:
            return
        site = self.site_above()
        numbers = [fresh() for _ in outputs]
        references = [ref(tensor, self.packer.lifetimes.died.append) for tensor in outputs]
        met = [NewTensor(n, whole_shape(t), dtypes[t.dtype]) for n, t in zip(numbers, outputs, strict=True)]
        attrs = named_attributes(op, given, kwargs)
        self.packer.many.append((t0, t1, op, *site, ids, met, attrs, references))
        for tensor, number, reference in zip(outputs, numbers, references, strict=True):
            self.tensors.made(tensor, number, reference)
            self.tensors.made_within(tensor, number)
            self._mark(tensor, number, site, t0)
            self.tensors.keep(number, tensor)
        if (after := sequence_number()) != before:
            self.nodes.add(before, after, tuple(numbers), ids)

    def note(
        self, op: TorchOp, ids: Sequence[int], output: Any, t0: float, t1: float, attrs: Any = None, site: Any = None
    ) -> int:
        """Note an op that the mode did not see as one, such as an update; the number of what it gave."""
        number, site = fresh(), site or self.site_above()
        self.quiet += 1  # what is asked of the tensor here is no op of the user's
        *_, plain = layers(output)
        reference = ref(plain, self.packer.lifetimes.died.append)
        self.tensors.made(output, number, ref(output))
        died = len(self.packer.lifetimes.died)
        shape = whole_shape(output)
        self.packer.log.add((t0, t1, op, *site, tuple(ids), -1, number, shape, dtypes[output.dtype], attrs, reference,
                             died))  # fmt: skip
        self._mark(output, number, site, t0)
        self.tensors.keep(number, output)
        self.quiet -= 1
        return number

    def _derive(self, tensor: Any, number: int) -> bool:
        """A tensor came from an op that was not seen: autograd's graph says what from, where that is known."""
        found = self.nodes.origin(tensor.grad_fn, self.tensors)
        if found is None:
            return False
        name, inputs, first, last = found
        now = perf_counter()
        reference = ref(tensor, self.packer.lifetimes.died.append)
        self.tensors.made(tensor, number, reference)
        self.packer.log.add((now, now, op_of(name), *self.site_above(), tuple(inputs), -1, number, tensor.shape,
                             dtypes[tensor.dtype], None, reference, len(self.packer.lifetimes.died)))  # fmt: skip
        self.nodes.add_unseen(first, last, (number,), inputs)
        return True

    def _raised(self, op: TorchOp, given: list[Any], kwargs: Any, ids: list[int], t0: float, error: Exception) -> None:
        self.failed(op, ids, named_attributes(op, given, kwargs), t0, error)

    # What is no op.

    def _exit(self, func: Any, args: Any, kwargs: Any) -> Any:
        """A value leaves for Python or NumPy. One that raises, as that of a tensor with gradients, is a failure."""
        tensor = args[0]
        number, t0 = self.tensors.number(tensor), perf_counter()
        try:
            result = func(*args, **kwargs)
        except Exception as error:
            self._raised(op_of(func.__name__), [], None, [number], t0, error)
            raise
        if not is_inspection():
            kind = _EXITS[func.__name__]
            address = self.memory.left(result) if kind in ("numpy", "array") else 0
            self.packer.exits.append((t0, number, kind, *self.site_above(), address))
        return result

    def _from_host(self, func: Any, args: Any, kwargs: Any) -> Any:
        """``torch.tensor`` and its like copy what Python has."""
        result = func(*args, **kwargs)
        given = args[0] if args else None
        if isinstance(result, torch.Tensor) and not isinstance(given, torch.Tensor):
            self.on_host_in(result, given)
        return result

    def _get_grad(self, func: Any, args: Any, kwargs: Any) -> Any:
        """``.grad`` is read: None is an answer that the recording keeps."""
        found = func(*args, **kwargs)
        self.passes.was_read(args[0], found, self.site_above())
        return found

    def _set_requires_grad(self, func: Any, args: Any, kwargs: Any) -> Any:
        result = func(*args, **kwargs)
        tensor = args[0]
        if is_leaf(tensor) and self.tensors.variable_of(tensor) < 0:
            self._is_leaf(tensor)
        return result

    def _is_leaf(self, tensor: Any) -> None:
        """A tensor became a leaf: the user's own, or what a transform wrapped of the user's."""
        *_, plain = layers(tensor)
        if plain is tensor:
            self.tensors.is_value(tensor, self.tensors.number(tensor), self.site_above())
            return
        is_new = self.tensors.look_up(plain) is not None
        frame = self._users.nearest(sys._getframe(3))
        wrapped = list(layers(tensor))[1:]
        name = argument_name(wrapped, frame.f_locals) or argument_name(wrapped, frame.f_globals)
        # A name that the line stores is that of its result.
        self.tensors.is_value(tensor, self.tensors.number(tensor), self.site_above() if is_new and name else None)
        if name:
            self.tensors.call(tensor, name)

    def _make_dual(self, func: Any, args: Any, kwargs: Any) -> Any:
        """A tensor gets a tangent, for derivatives forward: it is the same tensor with another wrapping."""
        number = self.tensors.number(args[0])
        result = func(*args, **kwargs)
        self.tensors.made(result, number, ref(result))
        self.tensors.made_within(result, number)
        return result

    def _set_data(self, func: Any, args: Any, kwargs: Any) -> Any:
        """``w.data = ...``: a new value that autograd is not told of."""
        value = self.tensors.number(args[1]) if isinstance(args[1], torch.Tensor) else None
        t0 = perf_counter()
        result = func(*args, **kwargs)
        if value is not None:
            self.note(op_of("data", differentiable=False), [value], args[0], t0, perf_counter())
        return result

    def _set_grad_enabled(self, func: Any, args: Any, kwargs: Any) -> Any:
        result = func(*args, **kwargs)
        if torch.is_grad_enabled() is not self._grad_enabled:
            self._note_grad_mode(torch.is_grad_enabled(), perf_counter(), self.site_above())
        return result

    # Naming, the end.

    def module_called(self, module: Any) -> None:
        """A module was called from no other one: what it is called, and what its parameters are."""
        if self.names.is_new(module):
            frame = self._users.nearest(sys._getframe(1))
            self.names.called(module)
            self.names.look_around({**frame.f_globals, **getattr(frame, "f_locals", {})})

    def look_around(self, namespace: Mapping[str, Any]) -> None:
        """Learn what the user calls modules and leaves."""
        self.names.look_around(namespace)

    def start(self) -> None:
        """Begin: autograd is one tape, which stands from the beginning."""
        super().start()
        facts = self.packer.facts
        facts.later(facts.tape, self.tape_number, "enter", True, 1, (None, 0))

    def stop(self) -> None:
        """End: what is never answered is asked now."""
        self.passes.finish()
        super().stop()

    def pack(self, *, is_over: bool = False) -> None:
        """Turn what was seen into columns; variables have their names by now."""
        self.names.settle()
        self.tensors.say()
        super().pack(is_over=is_over)
