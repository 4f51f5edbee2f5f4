"""The Python function of each op, written from its declaration on first use.

A flat function for exactly this op costs half of a general ``*args, **attrs`` path. For ``multiply`` it is::

    def multiply(x, y, name=None):
        if x.__class__ is EagerTensor and y.__class__ is EagerTensor:
            a0 = x._a
            a1 = y._a
            d0 = a0.dtype
            if d0 in types0 and a1.dtype is d0:
                if active:
                    ...  # the same, and the tapes and the observer are told
                try:
                    r = silently(kernel, a0, a1)
                except Exception:
                    return execute(op, (x, y), {})
                t = EagerTensor()
                t._a = r if r.__class__ is ndarray else asarray(r)
                return t
        return general(op, (x, y), {})

Everything else (variables, Python numbers, other devices) goes through :func:`tapeviz.engine.dispatch.general`, and
what fails is run once more by
:func:`tapeviz.engine.dispatch.execute`, which says what is wrong.
"""

from __future__ import annotations

import inspect
from functools import partial
from time import perf_counter
from typing import Any, Final

import numpy as np

from tapeviz.backends import NUMPY, backend_of
from tapeviz.backends.blocks import LARGE
from tapeviz.backends.numpy_gradients import GRADIENTS
from tapeviz.backends.silence import run_in_silence
from tapeviz.engine.broadcasting import unbroadcast
from tapeviz.engine.conversion import scalar
from tapeviz.engine.declaration import Op, Spec
from tapeviz.engine.dispatch import execute, general
from tapeviz.engine.kernels import kernel_of, large_gradient_of, large_kernel_of, raw_ops
from tapeviz.engine.state import active, local, next_id
from tapeviz.engine.tensor import EagerTensor
from tapeviz.engine.types import COMPLEX_BFLOAT16, DIFFERENTIABLE
from tapeviz.engine.variable import Variable

__all__ = ["generate"]

_SCOPE: Final[dict[str, Any]] = {
    "__name__": "tapeviz.engine.generated", "EagerTensor": EagerTensor, "Variable": Variable, "Spec": Spec,
    "ndarray": np.ndarray, "asarray": np.asarray,
    "active": active, "local": local, "next_id": next_id, "clock": perf_counter,
    "execute": execute, "general": general, "scalar": scalar, "silently": run_in_silence,
    "unbroadcast": unbroadcast, "differentiable": DIFFERENTIABLE, "backend_of": backend_of, "raw_ops": raw_ops,
}  # fmt: skip


_SINGLE: Final = np.dtype(np.float32)
_TRUTH: Final = np.dtype(bool)

# Never reached. It makes the name one of the function's, by which IPython leaves the frame out of tracebacks; setting a
# variable of that name would cost each call a few nanoseconds.
_HIDDEN: Final = "    __tracebackhide__"


def generate(op: Op) -> None:
    """Write and attach ``op.run``, ``op.step_tensors`` and ``op.apply_vjp``."""
    source = [f"def factory({', '.join(_constants(op))}):"]
    source += _indent(_run(op))
    several = op.variadic or op.many
    source += _indent((_step(op, raw=True) if several else []) + _step(op, raw=False) + _apply_vjp(op))
    source.append(f"    return {op.name}, step_tensors, apply_vjp")
    scope = dict(_SCOPE)
    code = compile("\n".join(source), f"<tapeviz op {op.name}>", "exec")
    exec(code, scope)  # noqa: S102 - the text is made from our own declarations
    run, op.step_tensors, apply_vjp = scope["factory"](*_constants(op).values())
    op.apply_vjp = partial(run_in_silence, apply_vjp)
    run.__doc__ = _documentation(op)
    run.__qualname__ = op.name
    run.__module__ = "tapeviz"
    op.run = run


def _constants(op: Op) -> dict[str, Any]:
    """The op's own constants, which become closure variables: the fastest names there are after locals."""
    constants: dict[str, Any] = {"op": op, "kernel": kernel_of(op, NUMPY), "__tracebackhide__": True}
    constants |= {f"types{position}": _usual(op.types[name]) for position, name in enumerate(op.inputs)}
    constants |= {f"vjp_{name}": function for name, function in op.vjp.items()}
    constants |= {f"usual{position}": _first_choice(op.types[name]) for position, name in enumerate(op.inputs)}
    if (large := _large_kernel(op)) is not None:
        constants["large_kernel"] = large
    constants |= {f"large_{name}": gradient for name in op.vjp if (gradient := _large_gradient(op, name)) is not None}
    constants |= {f"default_{name}": default for name, default in op.attrs.items()}
    return constants


def _usual(types: Any) -> Any:
    """The dtypes of an input that are dealt with here: the others go through :func:`general`."""
    return types - COMPLEX_BFLOAT16 if isinstance(types, frozenset) else types


def _first_choice(types: Any) -> Any:
    """The dtype that is looked for first: a comparison costs half of asking a set."""
    return next((dtype for dtype in (_SINGLE, _TRUTH) if isinstance(types, frozenset) and dtype in types), None)


def _large_kernel(op: Op) -> Any:
    """What computes the op where there are many elements; None where that is the same."""
    return large_kernel_of(op) if op.fast else None


def _large_gradient(op: Op, name: str) -> Any:
    """The same of a gradient on arrays."""
    faster = GRADIENTS.get((op.name, name))
    return faster(op.vjp[name]) if faster is not None else large_gradient_of(op, name) if op.fast else None


def _indent(lines: list[str], by: int = 1) -> list[str]:
    return ["    " * by + line for line in lines]


def _parameters(op: Op) -> str:
    """Inputs, attributes with their defaults, and TensorFlow's ``name``."""
    inputs = [f"*{name}" if op.variadic else name for name in op.inputs]
    attrs = [
        name if default is inspect.Parameter.empty else f"{name}=default_{name}" for name, default in op.attrs.items()
    ]
    return ", ".join([*inputs, *attrs, "name=None"])


def _attrs_dict(op: Op) -> str:
    return "{" + ", ".join(f"{name!r}: {name}" for name in op.attrs) + "}"


def _compute(op: Op) -> list[str]:
    """The kernel call, NumPy's warnings off, and a tensor ``t`` on its result ``r``."""
    arguments = [f"a{position}" for position in range(len(op.inputs))] + [f"{name}={name}" for name in op.attrs]
    kernel = (
        "kernel" if _large_kernel(op) is None else f"(kernel if a{len(op.inputs) - 1}.size < {LARGE} else large_kernel)"
    )
    call = f"{kernel}({', '.join(arguments)})" if op.silent else f"silently({', '.join([kernel, *arguments])})"
    return [
        "try:",
        f"    r = {call}",
        "except Exception:",
        f"    return execute(op, ({''.join(f'{name}, ' for name in op.inputs)}), {_attrs_dict(op)})",
        "if r.__class__ is not ndarray:",
        "    r = asarray(r)",
        "t = EagerTensor()",
        "t._a = r",
    ]


def _run(op: Op) -> list[str]:
    inputs = op.inputs[0] if op.variadic else f"({''.join(f'{name}, ' for name in op.inputs)})"
    fallback = f"return general(op, {inputs}, {_attrs_dict(op)})"
    lines = [f"def {op.name}({_parameters(op)}):"]
    if not op.fast:
        return [*lines, f"    {fallback}", _HIDDEN]
    exact = " and ".join(f"{name}.__class__ is EagerTensor" for name in op.inputs)
    arrays = [f"a{position} = {name}._a" for position, name in enumerate(op.inputs)]
    arrays += [f"d{position} = a{position}.dtype" for position in _leaders(op)]
    body = ["if active:", *_indent(_watched(op)), *_compute(op), "return t"]
    guard = _guard(op)
    body = [f"if {guard}:", *_indent(body)] if guard else body
    body = [f"if {exact}:", *_indent([*arrays, *body]), *_once_more(op), fallback]
    return [*lines, "    while True:", *_indent(body, 2), _HIDDEN]


def _once_more(op: Op) -> list[str]:
    """What is common and no tensor yet: a variable is read, a number beside a tensor becomes one; then once more."""
    lines = []
    for name in op.inputs:
        lines += [f"if {name}.__class__ is Variable:", f"    {name} = {name}._read()", "    continue"]
    if len(op.inputs) == 2 and op.groups[0]:  # noqa: PLR2004 - the two inputs of a binary op
        for tensor, number in (op.inputs, op.inputs[::-1]):
            lines += [
                f"if {tensor}.__class__ is EagerTensor and ({number}.__class__ is float or {number}.__class__ is int):",
                f"    made = scalar({number}, {tensor}._a.dtype)",
                "    if made is not None:",
                f"        {number} = made",
                "        continue",
            ]
    return lines


def _leaders(op: Op) -> list[int]:
    """The inputs whose dtype is looked up: in a set, or because others must have it."""
    return [
        position for position, name in enumerate(op.inputs)
        if not isinstance(op.types[name], str) and (op.types[name] is not None or name in op.types.values())
    ]  # fmt: skip


def _guard(op: Op) -> str:
    """The check of dtypes, by identity and membership alone."""
    checks = []
    for position, name in enumerate(op.inputs):
        rule = op.types[name]
        if isinstance(rule, str):
            checks.append(f"a{position}.dtype is d{op.inputs.index(rule)}")
        elif rule is not None:
            first = f"d{position} is usual{position} or " if _first_choice(rule) is not None else ""
            checks.append(f"({first}d{position} in types{position})")
    return " and ".join(checks)


def _watched(op: Op) -> list[str]:
    """The path for when a tape or an observer is on: inline, since a call would cost as much as a tape."""
    attrs = _attrs_dict(op) if op.attrs else "None"
    inputs = "".join(f"{name}, " for name in op.inputs)
    # One or two inputs go by name: packing and unpacking a tuple would cost more than the call.
    callback = {1: f"on_unary_op(op, {inputs}i0, made, r, ", 2: f"on_binary_op(op, {inputs}i0, i1, made, r, "}.get(
        len(op.inputs), f"on_op(op, ({inputs}), "
    )
    seen = ["t0 = clock()", *_compute(op), "t1 = clock()", "t._i = made = next_id()"]
    seen += [f"observer.{callback}t, {attrs}, t0, t1)"]
    lines = _numbers(op)
    elsewhere = f"return execute(op, ({inputs}), {_attrs_dict(op)})"
    lines += ["state = local.state", "if state.away:", *_indent([elsewhere])]
    lines += ["observer = state.observer", "if observer is None:"]
    lines += _indent([*_compute(op), "t._i = made = next_id()"])
    lines += ["else:", *_indent(seen)]
    if op.vjp:
        lines += ["if r.dtype in differentiable:", *_indent(_tapes(op))] if op.converts else _tapes(op)
    return [*lines, "return t"]


def _numbers(op: Op) -> list[str]:
    """The inputs' numbers, by their slots; a tensor that has none yet is asked for one."""
    by = ["_i", "_id"]
    read, ask = ([f"    i{position} = {name}.{slot}" for position, name in enumerate(op.inputs)] for slot in by)
    return ["try:", *read, "except AttributeError:", *ask]


def _tapes(op: Op) -> list[str]:
    """Append an entry to each tape that follows one of the differentiable inputs."""
    sources = [name for name in op.inputs if name in op.vjp]
    lines = ["tracked = tape._tracked"]
    positions = [op.inputs.index(name) for name in sources]
    ids = ", ".join(f"i{p} if w{p} else 0" if p in positions else "0" for p in range(len(op.inputs)))
    if len(positions) == 1:
        ids = ", ".join(f"i{p}" if p in positions else "0" for p in range(len(op.inputs)))
        condition = f"if i{positions[0]} in tracked:"
    else:
        lines += [f"w{p} = i{p} in tracked" for p in positions]
        condition = f"if {' or '.join(f'w{p}' for p in positions)}:"
    record = ["tracked.add(made)"]
    if op.broadcasts and len(op.inputs) > 1:
        record += [f"s{p} = a{p}.shape" for p in range(len(op.inputs))]
        same = " and ".join(f"s0 == s{p}" for p in range(1, len(op.inputs)))
        shapes = f"None if {same} else ({', '.join(f's{p}' for p in range(len(op.inputs)))})"
    else:
        shapes = "None"
    record.append(f"tape._append((op, made, ({ids},), ({_saved(op, positions)}), {shapes}))")
    return ["for tape in state.tapes:", *_indent([*lines, condition, *_indent(record)])]


def _saved(op: Op, positions: list[int]) -> str:
    """What an entry keeps: each value only when the gradient that asks for it will be computed."""
    values = []
    for name in op.saved:
        askers = [op.inputs.index(t) for t, f in op.vjp.items() if name in inspect.signature(f).parameters]
        value = _saved_value(op, name)
        partial = len(positions) > 1 and len(askers) < len(positions)
        values.append(f"{value} if {' or '.join(f'w{p}' for p in askers)} else None" if partial else value)
    return "".join(f"{value}, " for value in values)


def _saved_value(op: Op, name: str) -> str:
    if name == op.output:
        return "t"
    if name == f"{op.output}_spec":
        return "Spec(r.shape, r.dtype)"
    if name.endswith("_spec") and (source := name.removesuffix("_spec")) in op.inputs:
        position = op.inputs.index(source)
        return f"Spec(a{position}.shape, a{position}.dtype)"
    return name


def _step(op: Op, *, raw: bool) -> list[str]:
    """The backward step: from the output's gradient ``g`` to one contribution an input, None where none is wanted.

    The raw form is given and gives arrays, through the same kernels as forward; the other form tensors and recorded
    ops, for gradients of gradients.
    """
    results = []
    for position, name in enumerate(op.inputs):
        call = _vjp_call(op, name, raw=raw) if name in op.vjp else "None"
        results.append(call if op.variadic or call == "None" else f"{call} if ins[{position}] else None")
    unpack = [f"{''.join(f'{n}, ' for n in op.saved)}= saved"] if op.saved else []
    result = results[0] if op.variadic and results else f"({''.join(f'{r}, ' for r in results)})"
    return [f"def step_{'raw' if raw else 'tensors'}(F, g, ins, saved):", *_indent([*unpack, f"return {result}"])]


def _apply_vjp(op: Op) -> list[str]:
    """The raw step and the accumulation of what it gives, in one function."""
    lines = ["def apply_vjp(F, g, entry, gradients, on_adjoint, on_addend):"]
    if not op.contributes_to_all:
        return [*lines, *_indent([
            "_, _, ins, saved, _ = entry",
            "for p, (i, c) in enumerate(zip(ins, step_raw(F, g, ins, saved))):",
            "    if i and c is not None:",
            *_indent([*_accumulation("i"), "if on_adjoint is not None:", "    on_adjoint((i, p, 0, 0))"], 2),
        ])]  # fmt: skip
    names = [f"i{position}" for position in range(len(op.inputs))]
    body = ["_, _, ins, saved, shapes = entry", f"{''.join(f'{name}, ' for name in names)}= ins"] if op.inputs else []
    body += [f"{''.join(f'{n}, ' for n in op.saved)}= saved"] if op.saved else []
    for position, name in enumerate(op.inputs):
        if name in op.vjp:
            undo = [
                f"if shapes is not None and c.shape != shapes[{position}]:",
                f"    c = unbroadcast(F, c, shapes[{position}])",
            ]
            steps = [
                f"c = {_vjp_call(op, name, raw=True)}",
                *(undo if op.broadcasts else []),
                # What a move gives back is of another device than what it was given: so is the sum that it goes into.
                *(["F = raw_ops(backend_of(c))"] if op.effects == "move" else []),
                *_accumulation(f"i{position}"),
            ]
            body += [f"if i{position}:", *_indent(steps)]
    return [*lines, *_indent(body or ["pass"])]


def _accumulation(number: str) -> list[str]:
    """Add the contribution ``c`` to what has arrived at a tensor, and give both to the observer that wants them."""
    return [
        f"before = gradients.get({number})",
        f"gradients[{number}] = total = c if before is None else F.add(before, c)",
        "if on_addend is not None:",
        "    on_addend((c, total))",
    ]


def _vjp_call(op: Op, name: str, *, raw: bool) -> str:
    """The call of one input's gradient with what was saved, as arrays where they are raw."""
    tensors = {op.output, *op.inputs} if raw else set()
    wanted = list(inspect.signature(op.vjp[name]).parameters)[2:]
    large = ""
    if raw and _large_gradient(op, name) is not None:
        # What depends on single elements has as many as its gradient; the others ask for themselves.
        by_size = op.family == "elementwise"
        large = f"(vjp_{name} if g.size < {LARGE} else large_{name})" if by_size else f"large_{name}"
    given = (_unwrapped(op, n) if n in tensors else f"{n}={n}" if large and n in op.attrs else n for n in wanted)
    return f"{large or f'vjp_{name}'}({', '.join(['F', 'g', *given])})"


def _unwrapped(op: Op, name: str) -> str:
    several = (name == op.output and op.many) or (op.variadic and name in op.inputs)
    return f"[v._a for v in {name}]" if several else f"{name}._a"


def _documentation(op: Op) -> str:
    parts = [op.doc]
    parts.append(
        "Args:\n    " + "\n    ".join(f"{name}: {_type_text(op, name)}" for name in op.inputs) if op.inputs else ""
    )
    parts.append(f"Formula: ${op.formula}$" if op.formula else "")
    parts.append(op.example.strip())
    return "\n\n".join(part for part in parts if part)


def _type_text(op: Op, name: str) -> str:
    rule = op.types[name]
    if isinstance(rule, str):
        return f"a tensor of the dtype of ``{rule}``, or what converts to one"
    return "a tensor, or what converts to one"
