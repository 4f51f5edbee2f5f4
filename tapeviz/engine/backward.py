"""The backward pass: a walk over a tape's entries from last to first.

An entry is ``(op, outs, ins, saved, shapes)``: the numbers of the outputs, the numbers of the inputs (0 where the tape
does not follow one), what the gradients need, and the inputs' shapes where broadcasting may have changed them (for an
op with several outputs: their specs).

The walk runs on arrays when nobody records, and on tensors when an outer tape does: then every part of the gradient is
an op like any other, and gradients of gradients need no further code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

from tapeviz.backends import NUMPY, backend_of
from tapeviz.backends.silence import is_taken, run_silently
from tapeviz.engine.broadcasting import unbroadcast
from tapeviz.engine.dispatch import transfer
from tapeviz.engine.kernels import RawOps, raw_ops, recorded_ops
from tapeviz.engine.operators import public
from tapeviz.engine.state import local, placed_on
from tapeviz.engine.tensor import EagerTensor, wrap

__all__ = ["Request", "run_backward", "walk_on_tensors"]


class Request:
    """One call of ``gradient``: what is asked of which tape.

    ``numbers`` are those that each source's gradient sums. ``fills_zeros`` says that the user gets zeros where there is
    no path. ``scope_of`` tells of a tensor under which names the part of the pass stands that goes back through its op;
    None where nothing is traced.
    """

    __slots__ = ("fills_zeros", "numbers", "scope_of", "seeds", "sources", "tape", "targets")

    def __init__(
        self, tape: int, targets: list[Any], sources: list[Any], numbers: list[list[int]], seeds: list[Any] | None,
        fills_zeros: bool = False,
    ) -> None:  # fmt: skip
        self.tape = tape
        self.targets = targets
        self.sources = sources
        self.numbers = numbers
        self.seeds = seeds
        self.fills_zeros = fills_zeros
        self.scope_of: Callable[[int], str] | None = None


def run_backward(entries: list[Any], request: Request) -> list[Any]:
    """The gradients of the request's targets with respect to its sources: a tensor or None each."""
    state = local.state
    observer = state.observer
    token = observer.on_backward_begin(request) if observer is not None else None
    found: list[Any] = []
    failure: BaseException | None = None
    try:
        found = _tensors_walk(entries, request) if state.tapes else _raw_walk(entries, request)
    except BaseException as error:
        failure = error
        raise
    finally:
        if observer is not None:
            observer.on_backward_end(token, request, found, failure)
    return found


def _raw_walk(entries: list[Any], request: Request) -> list[Any]:
    seeds: dict[int, Any] = {}
    for position, target in enumerate(request.targets):
        ops = raw_ops(target._backend)
        ones, array = target._backend.xp.ones, target._a
        seed = ones(array.shape, array.dtype) if request.seeds is None else _seed(request, position, target)._a
        _accumulate(seeds, target._id, seed, ops)
    _report_seeds(seeds)
    kept = _arrays_walk(entries, seeds, _wanted(request))
    totals = [_total(kept, numbers, raw=True) for numbers in request.numbers]
    return [None if total is None else wrap(total) for total in totals]


def _tensors_walk(entries: list[Any], request: Request) -> list[Any]:
    seeds: dict[int, Any] = {}
    for position, target in enumerate(request.targets):
        again = target._id in seeds and target._a.dtype == bool  # a sum of truth values says no more
        if target._a.dtype != object and not again:  # strings are followed by nobody
            _accumulate(seeds, target._id, _seed(request, position, target), recorded_ops)
    _report_seeds(seeds)
    kept = walk_on_tensors(list(entries), seeds, _wanted(request), local.state.observer, request.scope_of)
    return [_total(kept, numbers, raw=False) for numbers in request.numbers]


def _report_seeds(seeds: dict[int, Any]) -> None:
    if (observer := local.state.observer) is not None:
        for number, gradient in seeds.items():
            observer.on_seed(number, gradient)


def _wanted(request: Request) -> set[int]:
    return {number for numbers in request.numbers for number in numbers}


def _seed(request: Request, position: int, target: EagerTensor) -> EagerTensor:
    given = None if request.seeds is None else request.seeds[position]
    if given is None:
        return public["ones_like"](target)  # type: ignore[no-any-return]
    seed = public["convert_to_tensor"](given, dtype=target.dtype)
    if seed.__class__ is not EagerTensor and seed.shape != target.shape and target.shape.rank is not None:
        return public["ensure_shape"](seed, target.shape)  # type: ignore[no-any-return]
    return transfer(seed, target._backend)


def _accumulate(gradients: dict[int, Any], number: int, addend: Any, ops: Any) -> Any:
    before = gradients.get(number)
    gradients[number] = total = addend if before is None else _sum(before, addend, ops)
    return total


def _sum(first: Any, second: Any, ops: Any) -> Any:
    if ops is recorded_ops and first._a.dtype.names is not None:
        return public["add_lists"](first, second)  # no op takes lists
    return run_silently(ops.add, first, second)


def _total(kept: dict[int, Any], numbers: list[int], *, raw: bool) -> Any:
    total = None
    for number in numbers:
        part = kept.get(number)
        if part is not None:
            ops = _ops_for(part) if raw else recorded_ops
            total = part if total is None else ops.add(total, part)
    return total


def _ops_for(gradient: Any) -> RawOps:
    if gradient.__class__ is tuple:  # of several outputs, of which the first may not have one
        gradient = next(part for part in gradient if part is not None)
    return raw_ops(backend_of(gradient))


def _arrays_walk(entries: list[Any], gradients: dict[int, Any], wanted: set[int]) -> dict[int, Any]:
    """Take ``gradients`` back through ``entries``, on arrays; what is left is returned."""
    observer = local.state.observer
    on_adjoint, on_addend, on_vjp = (
        (None, None, None) if observer is None else (observer.on_adjoint, observer.on_addend, observer.on_vjp)
    )
    kept: dict[int, Any] = {}
    ops = raw_ops(NUMPY)
    take = gradients.pop
    known: type = NUMPY.array_type
    t0 = 0.0
    for entry in reversed(entries):
        outs = entry[1]
        upstream = (
            take(outs, None) if outs.__class__ is not tuple else _upstream(gradients, kept, wanted, entry, raw=True)
        )
        if upstream is None:
            continue
        if outs in wanted:
            kept[outs] = upstream
        if upstream.__class__ is not known or known is tuple:
            known, ops = upstream.__class__, _ops_for(upstream)
        if on_vjp is not None:
            t0 = perf_counter()
        try:
            entry[0].apply_vjp(ops, upstream, entry, gradients, on_adjoint, on_addend)
        except RuntimeError as error:
            if not is_taken(error):
                raise
            run_silently(entry[0].apply_vjp.args[0], ops, upstream, entry, gradients, on_adjoint, on_addend)
        if on_vjp is not None:
            on_vjp((outs, entry[2] if entry[0].contributes_to_all else -1, t0, perf_counter()))
    gradients.update(kept)
    return gradients


def walk_on_tensors(
    entries: list[Any],
    gradients: dict[int, Any],
    wanted: set[int],
    observer: Any = None,
    scope_of: Callable[[int], str] | None = None,
) -> dict[int, Any]:
    """Take ``gradients`` back through ``entries``, on tensors and recorded ops, for when another tape follows.

    ``observer`` is told of the steps; ``scope_of`` is that of a request.
    """
    with placed_on(local.state.backend):
        return _tensors_back(entries, gradients, wanted, observer, scope_of)


def _tensors_back(
    entries: list[Any], gradients: dict[int, Any], wanted: set[int], observer: Any, scope_of: Any
) -> dict[int, Any]:
    kept: dict[int, Any] = {}
    for entry in _from_last(entries, scope_of):
        op, outs, ins, saved, shapes = entry
        many = outs.__class__ is tuple
        upstream = _upstream(gradients, kept, wanted, entry, raw=False) if many else gradients.pop(outs, None)
        if upstream is None:
            continue
        if outs in wanted:
            kept[outs] = upstream
        _place_like(next(part for part in upstream if part is not None) if many else upstream)
        t0 = perf_counter()
        addends = op.step_tensors(recorded_ops, upstream, ins, saved)
        for position, number in enumerate(ins):
            if number and (addend := addends[position]) is not None:
                if shapes is not None and not many and addend._a.shape != shapes[position]:
                    addend = unbroadcast(recorded_ops, addend, shapes[position])
                total = _accumulate(gradients, number, addend, recorded_ops)
                if observer is not None:
                    observer.on_adjoint((number, position, addend._id, 0 if total is addend else total._id))
                    if observer.on_addend is not None:
                        observer.on_addend((addend._a, total._a))
        if observer is not None:
            observer.on_vjp((outs, -1, t0, perf_counter()))
    gradients.update(kept)
    return gradients


def _from_last(entries: list[Any], scope_of: Callable[[int], str] | None) -> Iterator[Any]:
    """The entries from the last to the first, each in its scope."""
    if scope_of is None:
        yield from reversed(entries)
        return
    before = local.state.scope
    for entry in reversed(entries):
        outs = entry[1]
        local.state.scope = scope_of(outs[0] if outs.__class__ is tuple else outs)
        yield entry
    local.state.scope = before


def _place_like(gradient: Any) -> None:
    """Have what a gradient makes out of nothing (zeros, a unit matrix) made where that is which arrives."""
    if gradient.__class__ is EagerTensor:
        local.state.backend = gradient._backend


def _upstream(gradients: dict[int, Any], kept: dict[int, Any], wanted: set[int], entry: Any, *, raw: bool) -> Any:
    """The gradients of an op with several outputs: zeros where nothing arrived, None when nothing did at all."""
    _op, outs, _ins, _saved, specs = entry
    parts = [gradients.pop(number, None) for number in outs]
    kept.update({n: part for n, part in zip(outs, parts, strict=True) if n in wanted and part is not None})
    some = next((part for part in parts if part is not None), None)
    if some is None:
        return None
    ops = _ops_for(some) if raw else recorded_ops
    if specs is None:  # the op knows what to do with what is missing
        return tuple(parts)
    return tuple(
        ops.zeros(shape=spec.shape, dtype=spec.dtype) if part is None else part
        for part, spec in zip(parts, specs, strict=True)
    )
