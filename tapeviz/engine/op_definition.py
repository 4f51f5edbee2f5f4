"""The form in which an op is declared: :func:`op`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Any

from tapeviz.engine.codegen import generate
from tapeviz.engine.declaration import FAMILIES, Op, registry
from tapeviz.engine.operators import define_operator
from tapeviz.engine.state import local

__all__ = ["function_of", "op", "public_form"]


def op(
    name: str,
    *,
    doc: str,
    family: str,
    forward: Callable[..., Any],
    infer: Callable[..., Any],
    formula: str,
    samples: Callable[..., Any],
    vjp: Mapping[str, Callable[..., Any]] | None = None,
    vjp_formula: Sequence[str] = (),
    types: Any = None,
    example: str = "",
    tf_name: str = "",
    effects: str = "",
    many: bool = False,
    silent: bool = False,
    converts: bool = False,
    holomorphic: bool = True,
    aliases: str = "",
    traits: str = "",
    hints: str = "",
    domain: str = "",
    surrogate: str = "",
    operator: str = "",
    label: str = "",
    static: Callable[..., Any] | None = None,
) -> Op:
    r"""Declare an op and register it.

    Args:
        name: its name in the registry, and of the public function unless a wrapper stands beside it.
        doc: one sentence.
        family: one of :data:`FAMILIES`; decides colour and shape in the views.
        forward: ``forward(xp, *arrays, **attrs)`` computes it. Positional parameters are inputs, keyword-only ones are
            attributes; ``*xs`` takes any number of inputs. Or ``ufunc("exp")``.
        infer: ``infer(*specs, **attrs)`` gives the output's :class:`Spec` or raises what is wrong with the inputs.
        formula: LaTeX of what it computes.
        samples: ``samples(rng)`` yields ``(inputs, attrs)`` pairs for the tests.
        vjp: for each differentiable input its gradient ``lambda F, g, ...``. The further parameter names say what the
            tape keeps: an input, the output (``y``; ``z`` when an input is called so), an attribute, or
            ``<input>_spec`` for shape and dtype alone. ``F`` offers every op by name. For a variadic input the
            gradient is a sequence. With several outputs ``g`` is a tuple.
        vjp_formula: LaTeX of each gradient, in the order of ``vjp``.
        example: a runnable example for the public function's documentation.
        tf_name: TensorFlow's name of the kernel, for error messages; the name in camel case unless given.
        types: the dtypes taken: a set (all inputs must agree), None for any, or a dict with an entry an input.
        effects: "random", "read" or "write"; empty for a pure function.
        many: whether it has several outputs (a tuple).
        silent: whether no warning can arise in NumPy, so that warnings need not be turned off around it.
        converts: whether the output's dtype may be one without gradients though the inputs' has them.
        holomorphic: whether it has a complex derivative where it takes complex numbers, so that its gradients are
            written as for real ones; the engine conjugates around them. Those of other ops (``abs``, ``real``) are used
            as they are.
        aliases: the input whose memory the outputs are views of, as far as its layout allows; empty for memory of their
            own. A variadic input is returned as it is where it is the only one.
        traits: what else is true of it, some of :data:`tapeviz.engine.traits.TRAITS`, separated by spaces.
        hints: what dispatch and the compiler ask of it, some of :data:`tapeviz.engine.traits.HINTS`.
        domain: the ends of the open interval in which the last input has to be for a real, finite result and slope,
            such as "-1 1" or "0 inf"; outside it the result is NaN. Empty where there is no such limit.
        surrogate: of an op without a gradient, what to use in its place where one is wanted, as a clause.
        operator: Python's operator that is this op, as its method is called, without the underscores: "add" for ``+``.
        label: what TensorFlow calls its nodes in graphs, where that is not the name of the kernel.
        static: ``static(*shapes, **attrs)`` gives the outputs' static shapes for static shapes of the inputs, or raises
            what is wrong with them, whatever the sizes that are not known while a graph is built: see
            :mod:`tapeviz.engine.static_shapes`. With several outputs a sequence of shapes.

    Raises:
        ValueError: the name is taken, or the family is unknown.
        TypeError: a gradient asks for what there is not, ``aliases`` names no input, a trait or hint is unknown.
    """
    fields = dict(locals())
    if registry.is_taken(name):
        raise ValueError(f"op {name!r} is declared twice")
    if family not in FAMILIES:
        raise ValueError(f"op {name!r}: family {family!r} is not one of {FAMILIES}")
    if len(vjp_formula) != len(vjp or ()):
        raise ValueError(f"op {name!r} has {len(vjp or ())} gradients and {len(vjp_formula)} formulas for them")
    declared = Op(fields.pop("name"), fields)
    declared.run = partial(_first_use, declared)
    registry[name] = declared
    if operator:
        define_operator(operator, _until_first_use(declared))
    return declared


def _first_use(declared: Op, *args: Any, **kwargs: Any) -> Any:
    """Stands in for ``run`` until somebody calls it: 350 functions cost 56 ms to generate, a program uses few."""
    __tracebackhide__ = True
    return function_of(declared)(*args, **kwargs)


def _until_first_use(declared: Op) -> Callable[..., Any]:
    def method(*operands: Any) -> Any:
        __tracebackhide__ = True
        return function_of(declared)(*operands)

    return method


def function_of(declared: Op) -> Callable[..., Any]:
    """The public function of an op, generated now if it was not yet."""
    if isinstance(declared.run, partial):
        t0 = perf_counter()
        generate(declared)
        if declared.operator:
            define_operator(declared.operator, declared.run)
        if (observer := local.state.observer) is not None:
            observer.on_setup("first_use", declared.name, t0, perf_counter())
    return declared.run


def public_form(found: Any) -> Any:
    """What users see of a module's name: the function of an op, anything else as it is."""
    return function_of(found) if isinstance(found, Op) else found
