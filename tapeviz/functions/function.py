"""``tf.function``: a Python function that is traced into graphs, one for each signature it is called with."""

from __future__ import annotations

import copy
import functools
import inspect
import itertools
import sys
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from time import perf_counter
from typing import Any, Concatenate, Final, Generic, ParamSpec, Self, TypeVar, overload

from tapeviz.autograph.conversion import convert
from tapeviz.engine.scopes import span
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import open_graph
from tapeviz.engine.tensor import EagerTensor
from tapeviz.engine.userline import outside
from tapeviz.functions.arguments import Parameters, as_specs, cast, fits, merged, with_tensors
from tapeviz.functions.concrete import ConcreteFunction, traced
from tapeviz.functions.signature import Signature, signature_of, tensors_of
from tapeviz.functions.traces import Trace, changes_for, live_functions, watch_of

__all__ = ["Function", "function", "functions_run_eagerly", "run_functions_eagerly"]

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")
_Instance = TypeVar("_Instance")
_Rest = ParamSpec("_Rest")

_eagerly: Final = [False]
_next_function: Final = itertools.count().__next__
_MOST: Final = 256
_REFUSED: Final = (
    "tf.function-decorated function tried to create variables on non-first call. A function may run its Python "
    "several times, to trace it for other arguments; a variable made in it would be another one in each of the graphs. "
    "Make the variable once: outside of the function, or as an attribute behind `if self.v is None:`"
)


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Run functions as the Python they are, for debugging, or stop doing so.

    >>> import tapeviz as tf
    >>> tf.config.run_functions_eagerly(True)
    >>> tf.config.functions_run_eagerly()
    True
    >>> tf.config.run_functions_eagerly(False)
    """
    _eagerly[0] = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Whether functions run as the Python they are."""
    return _eagerly[0]


class Function(Generic[_Parameters, _Result]):
    """A function traced into graphs. Made by :func:`function`."""

    def __init__(
        self,
        python_function: Callable[_Parameters, _Result],
        options: dict[str, Any],
        instance: weakref.ref[Any] | None = None,
    ) -> None:
        self._number = _next_function()
        self._python_function = python_function
        self._instance = instance  # weakly: the function of a method must not keep its object alive
        self._options = options
        signature = inspect.signature(python_function)
        if instance is not None:
            signature = signature.replace(parameters=list(signature.parameters.values())[1:])
        self._parameters = Parameters(signature)
        self.input_signature: tuple[Any, ...] | None = as_specs(options["input_signature"])
        self._known: OrderedDict[Hashable, tuple[ConcreteFunction, Trace]] = OrderedDict()
        self._quick: dict[Hashable, tuple[ConcreteFunction, Trace]] = {}
        self._relaxed: list[tuple[ConcreteFunction, Trace]] = []
        self.traces: list[Trace] = []
        self._count = 0
        self._made: list[Any] = []
        self._watch = watch_of(python_function)
        self._lock = threading.RLock()
        self._of: weakref.WeakKeyDictionary[Any, Function[..., Any]] = weakref.WeakKeyDictionary()
        # What an object that can be called has is its own: attributes of the same name would take the place of these.
        functools.update_wrapper(self, python_function, updated=("__dict__",) * inspect.isroutine(python_function))
        self.__name__: str = _name_of(python_function, options["name"])
        live_functions.add(self)

    @property
    def number(self) -> int:
        """Its number, which all its traces share."""
        return self._number

    @property
    def python_function(self) -> Callable[..., Any]:
        """The Python function, or method."""
        return self._method(self._python_function)

    def _method(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """``function`` bound to the object whose method this is, if it is one."""
        return function if self._instance is None else functools.partial(function, self._instance())

    @property
    def name(self) -> str:
        """Its name."""
        return self.__name__

    @overload
    def __get__(self, instance: None, _owner: type | None = None) -> Self: ...
    @overload
    def __get__(
        self: Function[Concatenate[_Instance, _Rest], _Result], instance: _Instance, _owner: type | None = None
    ) -> Function[_Rest, _Result]: ...
    def __get__(self, instance: Any, _owner: type | None = None) -> Any:
        if instance is None:
            return self
        try:
            bound = self._of.get(instance)
        except TypeError:  # instances that cannot be keys
            return functools.partial(self, instance)
        if bound is None:
            bound = self._of[instance] = Function(self._python_function, self._options, weakref.ref(instance))
        return bound

    def __deepcopy__(self, memo: dict[int, Any]) -> Function[_Parameters, _Result]:
        """A function of the copied Python function, not traced yet: traces hold variables, and machine code."""
        instance = None if self._instance is None else self._instance()
        owner = None if instance is None else weakref.ref(memo.get(id(instance), instance))
        memo[id(self)] = made = Function(copy.deepcopy(self._python_function, memo), self._options, owner)
        return made

    @property
    def made_alike(self) -> int:
        """How many functions of the same definition were traced, which each has traces of its own."""
        return self._watch.made if self._instance is None else 1

    def experimental_get_tracing_count(self) -> int:
        """How often the function has been traced."""
        return self._count

    def __call__(self, *args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        """Run the graph for these arguments; trace it first when there is none."""
        __tracebackhide__ = True
        if _eagerly[0]:
            return self.python_function(*args, **kwargs)  # type: ignore[no-any-return]
        quick: Hashable = None
        if not kwargs and self._parameters.takes(len(args)):
            try:
                quick = tuple([(arg.__class__, arg._a.shape, arg._a.dtype) for arg in args])  # type: ignore[attr-defined]
            except (AttributeError, ValueError):  # an argument that is no eager tensor
                quick = None
            else:
                known = self._quick.get(quick)
                if known is not None:
                    self._watch.found()
                    known[1].calls += 1
                    return known[0].run(args)  # type: ignore[no-any-return]
        arguments = self._arguments(args, kwargs)
        tensors = tensors_of(arguments)
        if local.state.graph is None and (graph := open_graph(tensors)) is not None:
            with graph.entered():  # a call with tensors of a graph of sessions is an operation of that graph
                return self(*args, **kwargs)
        concrete, trace = self._found(signature_of(arguments), arguments)
        trace.calls += 1
        if quick is not None and not concrete.graph.captures and all(arg.__class__ is EagerTensor for arg in args):
            if len(self._quick) >= _MOST:
                self._quick.clear()
            self._quick[quick] = (concrete, trace)
        return concrete.run(tensors)  # type: ignore[no-any-return]

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for arguments of this form: tensors, :class:`TensorSpec` and Python values."""
        if self.input_signature is not None and not args and not kwargs:
            args = self.input_signature
        arguments = self._arguments(args, kwargs)
        return self._found(signature_of(arguments), arguments)[0]

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """What each of the traces takes and gives, for people."""
        between = "\n\n" if verbose else "\n"
        return between.join(found.pretty_printed_signature(verbose) for found, _ in self._known.values())

    @property
    def function_type(self) -> inspect.Signature:
        """What it can be called with."""
        return self._parameters.signature

    # Arguments.

    def _arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[str, Any]]:
        """Names and values of all arguments, defaults too, with arrays as tensors."""
        named = self._named(args, kwargs)
        if self.input_signature is not None:
            return self._as_signed(named)
        return [(name, value if value.__class__ is EagerTensor else with_tensors(value)) for name, value in named]

    def _named(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[str, Any]]:
        simple = self._parameters.simple
        if simple is not None and not kwargs and len(args) == len(simple):
            return list(zip(simple, args, strict=True))
        return self._parameters.named(args, kwargs)

    def _as_signed(self, named: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
        specs = self.input_signature or ()
        if len(specs) > len(named):
            raise TypeError(
                f"{self.__name__} has an input_signature of {len(specs)} arguments and was called with {len(named)}"
            )
        return [
            (name, cast(value, specs[place], name) if place < len(specs) else value)
            for place, (name, value) in enumerate(named)
        ]

    # Traces.

    def _found(self, signature: Signature, arguments: list[tuple[str, Any]]) -> tuple[ConcreteFunction, Trace]:
        """The trace for a signature: known, or made now."""
        __tracebackhide__ = True
        if self.input_signature is not None:
            arguments = self._specified(arguments)
            signature = signature_of(arguments)
        found = self._known.get(signature.key)
        if found is None or not _usable(found[0]):
            found = self._fitting(arguments)
        if found is not None:
            self._watch.called(self._python_function, None)
            return found
        with self._lock:
            found = self._known.get(signature.key)
            if found is None or not _usable(found[0]):
                found = self._traced(signature, arguments)
                self._watch.called(self._python_function, found[1], method=self._instance is not None)
        return found

    def _specified(self, arguments: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
        specs = self.input_signature or ()
        return [(name, specs[place] if place < len(specs) else value) for place, (name, value) in enumerate(arguments)]

    def _fitting(self, arguments: list[tuple[str, Any]]) -> tuple[ConcreteFunction, Trace] | None:
        """A trace with sizes left open that these arguments fit."""
        for concrete, trace in self._relaxed:
            if _usable(concrete) and fits(arguments, concrete.arguments):
                return concrete, trace
        return None

    def _traced(self, signature: Signature, arguments: list[tuple[str, Any]]) -> tuple[ConcreteFunction, Trace]:
        __tracebackhide__ = True
        wanted = arguments
        if self._options["reduce_retracing"] and self.traces:
            wanted = self._generalised(arguments)
        first = not self.traces
        created: list[Any] = []
        with span("trace", f"tracing {self.__name__}"):
            found = self._trace(signature, wanted, created.append if first else _refuse)
        if created:
            # Were the variables made because this was the first run of the Python, or are they made in each?
            self._made = created
            with span("trace", f"tracing {self.__name__} again"):
                found = self._trace(signature, wanted, _refuse, again=True)
        self._known[signature.key] = found
        self._quick.clear()
        while len(self._known) > _MOST:
            _, trace = self._known.popitem(last=False)[1]
            trace.graph = None  # what is not kept by the cache is kept by nobody
        if wanted is not arguments:
            self._relaxed.append(found)
        return found

    def _trace(
        self, signature: Signature, arguments: list[tuple[str, Any]], creating: Callable[[Any], None],
        *, again: bool = False,
    ) -> tuple[ConcreteFunction, Trace]:  # fmt: skip
        __tracebackhide__ = True
        changes = [] if again else changes_for(signature, self.traces, self._options)
        trace = Trace(self._count + 1, signature, tuple(changes), compiles=self._options["jit_compile"])
        if again:
            trace.why = "the first trace made variables; this one must not"
        frame = outside(sys._getframe(1))
        if frame is not None:
            trace.code, trace.instruction = frame.f_code, frame.f_lasti
        python, trace.conversion = self._converted()
        trace.converting = trace.conversion.seconds if trace.conversion is not None and not self.traces else 0.0
        t0 = trace.began = perf_counter()
        trace.function, trace.python = self._number, self._python_function
        trace.definition = getattr(self._python_function, "__code__", None)
        self.traces.append(trace)
        try:
            concrete = traced(
                python, self.__name__, arguments, signature, self._parameters.bound, creating=creating,
                python=self._python_function, owner=None if self._instance is None else self._instance(),
            )  # fmt: skip
        except BaseException:
            self.traces.remove(trace)
            raise
        trace.seconds = perf_counter() - t0
        trace.graph = concrete.graph
        concrete.graph.trace = trace
        self._count += 1
        del self.traces[:-_MOST]
        return concrete, trace

    def traced_again(self, trace: Trace) -> Any:
        """The graph that the Python gives now for what it was traced with; the trace stays what runs.

        Raises:
            KeyError: the trace is kept no more.
            Exception: what the Python raises.
        """
        kept, _ = self._known[trace.signature.key]
        return traced(
            self._converted()[0], self.__name__, kept.arguments, trace.signature, self._parameters.bound,
            creating=_refuse, python=self._python_function, owner=None if self._instance is None else self._instance(),
        ).graph  # fmt: skip

    def _converted(self) -> tuple[Callable[..., Any], Any]:
        """The function as AutoGraph makes it, and what it made; None where it does not run."""
        if not self._options["autograph"]:
            return self.python_function, None
        made, conversion = convert(self._python_function)
        return self._method(made), None if conversion.reason else conversion

    def _generalised(self, arguments: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
        """The arguments with sizes left open that have changed since an earlier trace."""
        for trace in reversed(self.traces):
            found = self._known.get(trace.signature.key)
            if found is not None and (again := merged(arguments, found[0].arguments)) is not None:
                return again
        return arguments

    def __repr__(self) -> str:
        return f"<tapeviz.functions.function.Function {self.__name__}>"


def _name_of(function: Callable[..., Any], name: str | None) -> str:
    found = str(name or getattr(function, "__name__", type(function).__name__))
    return "lambda" if found == "<lambda>" else found


def _refuse(_variable: Any) -> None:
    raise ValueError(_REFUSED)


def _usable(concrete: ConcreteFunction) -> bool:
    """Whether a trace can be called here: one that took tensors of the graph around it, only in that graph."""
    graph = concrete.graph
    return not graph.captures or graph.outer is local.state.graph


@overload
def function(
    func: Callable[_Parameters, _Result],
    input_signature: Any = ...,
    autograph: bool = ...,
    jit_compile: bool | None = ...,
    reduce_retracing: bool = ...,
    experimental_implements: str | None = ...,
    experimental_autograph_options: Any = ...,
    experimental_attributes: Any = ...,
    experimental_relax_shapes: bool | None = ...,
    experimental_compile: bool | None = ...,
    experimental_follow_type_hints: bool | None = ...,
) -> Function[_Parameters, _Result]: ...
@overload
def function(
    func: None = None,
    input_signature: Any = ...,
    autograph: bool = ...,
    jit_compile: bool | None = ...,
    reduce_retracing: bool = ...,
    experimental_implements: str | None = ...,
    experimental_autograph_options: Any = ...,
    experimental_attributes: Any = ...,
    experimental_relax_shapes: bool | None = ...,
    experimental_compile: bool | None = ...,
    experimental_follow_type_hints: bool | None = ...,
) -> Callable[[Callable[_Parameters, _Result]], Function[_Parameters, _Result]]: ...
def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Trace a function into a graph at its first call, and run the graph from then on.

    The Python of the function runs once for each signature: the shapes and dtypes of tensors, the values of everything
    else. What it does besides tensor ops (``print``, appending to lists) happens then, and not when the graph runs.

    Args:
        func: the function; left out, the decorator is given.
        input_signature: a :class:`TensorSpec` (or a structure of them) an argument; then it is traced once, for those.
        autograph: whether ``if``, ``while`` and ``for`` on tensors become parts of the graph.
        jit_compile: True: the graph is compiled to machine code in its second run. False: never. None: when it has run
            a few times, in the background (see :func:`tapeviz.config.optimizer.set_jit`). The numbers are the same.
        reduce_retracing: whether sizes that change from call to call are left open.
        experimental_implements: accepted as TensorFlow does, like the next two.
        experimental_autograph_options: accepted.
        experimental_attributes: accepted.
        experimental_relax_shapes: the old name of ``reduce_retracing``.
        experimental_compile: the old name of ``jit_compile``.
        experimental_follow_type_hints: accepted as TensorFlow does.

    Raises:
        TypeError: ``input_signature`` is no sequence of specs; when called, arguments do not agree with it.
        ValueError: when called: the function makes variables each time.

    >>> import tapeviz as tf
    >>> @tf.function
    ... def f(x):
    ...     print("tracing")
    ...     return x * x
    >>> f(tf.constant(3.0)), f(tf.constant(4.0))
    tracing
    (<tf.Tensor: shape=(), dtype=float32, numpy=9.0>, <tf.Tensor: shape=(), dtype=float32, numpy=16.0>)
    """
    options = {
        "input_signature": input_signature, "autograph": autograph,
        "jit_compile": jit_compile if experimental_compile is None else experimental_compile,
        "reduce_retracing": reduce_retracing or bool(experimental_relax_shapes), "name": None,
    }  # fmt: skip
    if func is None:
        return lambda decorated: Function(_plain(decorated), options)
    return Function(_plain(func), options)


def _plain(func: Any) -> Callable[..., Any]:
    if isinstance(func, Function):
        return func.python_function
    if not callable(func):
        raise TypeError(f"func must be a callable, got {func!r}")
    return func  # type: ignore[no-any-return]
