"""The protocol between the engine and who observes it: which callback is called when, and with what.

A thread has one observer or none (:func:`tapeviz.engine.state.observing`). Callbacks run in that thread, inside the
call that they are about, and never change a value. ``op`` is a declaration (:class:`tapeviz.engine.declaration.Op`),
``t0`` and ``t1`` are seconds of ``time.perf_counter``, numbers are those of tensors
(:data:`tapeviz.engine.state.next_id`). A ``site`` is a code object and an instruction in it; None means the line of the
user's code that is running.

In a training step they come in this order::

    on_tape(number, "enter", ...)
        on_unary_op / on_binary_op / on_op, on_variable(w, "read"), on_watch, on_host_in, on_host_out
    on_tape(number, "exit", ...)
    on_backward_begin(request)
        on_seed(number, gradient)
        on_addend, on_adjoint        for each contribution of an op's vector-Jacobian product
        on_vjp((outs, ins, t0, t1))  when that op's is done
    on_backward_end(token, request, gradients, error)
    on_tape(number, "used", ...)

A graph that is run node by node gives the same calls as the eager program that it stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

__all__ = ["Observer"]


class Observer(Protocol):
    """What the engine calls. An observer may replace each callback at any time; none is kept over a call."""

    runs_nodes: bool
    """Whether graphs are to be run node by node, with :attr:`on_op` called for each."""

    # Ops. The forms for one and two inputs are there for speed: packing and unpacking a tuple costs more than the call.

    on_op: Callable[..., None]
    """``on_op(op, inputs, output, attrs, t0, t1, node=None)``: an op ran; ``output`` is a tensor, or a tuple of them.
    ``node`` is the node of the graph that it was run for."""

    on_unary_op: Callable[[Any, Any, int, int, Any, Any, Any, float, float], None]
    """``on_unary_op(op, x, i, number, array, output, attrs, t0, t1)``: an op of one input ran eagerly; with the numbers
    of input and output and the output's array, which the op has at hand."""

    on_binary_op: Callable[[Any, Any, Any, int, int, int, Any, Any, Any, float, float], None]
    """``on_binary_op(op, x, y, i, j, number, array, output, attrs, t0, t1)``: the same for two inputs."""

    def on_op_error(
        self, op: Any, inputs: Sequence[Any], attrs: Any, t0: float, error: BaseException, node: Any = None
    ) -> None:
        """An op raised, before the user sees the error."""

    def on_refused(self, op: Any, inputs: Sequence[Any], attrs: Any, error: BaseException) -> None:
        """A function is being traced, and an op raised for what is known of its symbolic ``inputs``."""

    def on_device_time(self, number: int, backend: Any, first: Any, second: Any) -> None:
        """After an op on a device: the work that made tensor ``number`` lies between two marks of that device."""

    def on_graph_run(self, token: Any, graph: Any, columns: Mapping[str, Any], plan: Any) -> None:
        """A graph is about to run in the span of ``token``, by this plan.

        ``columns`` say what is fed, fetched and pruned.
        """

    def on_trace(self, graph: Any) -> None:
        """A function was traced to a graph whose runs are not told of, such as that of a data pipeline."""

    def on_setup(self, kind: str, name: str, t0: float, t1: float) -> None:
        """Something was done that is done once, such as the ``first_use`` of the op ``name``."""

    # Spans.

    def on_span_begin(self, kind: str, name: str, facts: Mapping[str, Any]) -> Any:
        """A scope, a layer's call, a graph's run, ... begins. What is returned is the token of its end.

        ``facts`` of a ``"device"`` that is not there: on which one ops run instead (``placed``), and why (``lacking``).
        """

    def on_span_end(self, token: Any, error: BaseException | None) -> None:
        """The span of that token ended."""

    # Backward passes.

    def on_backward_begin(self, request: Any, site: Any = None) -> Any:
        """A backward pass begins (:class:`tapeviz.engine.backward.Request`); the token of its end is returned."""

    def on_seed(self, number: int, gradient: Any) -> None:
        """The pass begins at forward tensor ``number`` with this gradient, an array or a tensor."""

    on_addend: Callable[[tuple[Any, Any]], None] | None
    """``on_addend((addend, total))``: the arrays of a contribution to a gradient, and of the gradient with it. None
    where nobody wants them, so that the walk need not call."""

    on_adjoint: Callable[[tuple[int, int, int, int]], None]
    """``on_adjoint((number, position, addend, total))``: an op's vector-Jacobian product for its input ``position`` was
    added to the gradient of forward tensor ``number``. ``addend`` and ``total`` number the contribution and the
    gradient with it; 0 for arrays, which have no numbers, and for a total that is the addend. Not called for ops that
    contribute to each input that is followed: ``ins`` of :attr:`on_vjp` says it."""

    on_vjp: Callable[[tuple[Any, Any, float, float]], None]
    """``on_vjp((outs, ins, t0, t1))``: the vector-Jacobian product was computed of the op which made tensor (or tuple
    of tensors) ``outs``. It contributed to the gradient of each forward tensor in ``ins`` that is not 0, in their
    order; ``ins`` is -1 when :attr:`on_adjoint` was called for each."""

    def on_backward_end(self, token: Any, request: Any, gradients: Sequence[Any], error: BaseException | None) -> None:
        """The pass of that token ended with a gradient, or None, for each of the request's sources."""

    # Tapes, variables, tensors.

    def on_tape(self, number: int, change: str, persistent: bool, accessed: int, site: Any = None) -> None:
        """A tape changed: "enter", "exit", "stop", "resume", "reset" or "used".

        ``accessed`` says what it watches by itself: nothing (0), trainable variables that are read (1), everything (2).
        """

    def on_watch(self, tape: int, tensor: Any, variable: Any, automatic: bool) -> None:
        """A tape follows a tensor from here on; ``automatic``: the value of a variable, because that was read."""

    def on_variable(self, variable: Any, change: str) -> None:
        """A variable was "made" or "assigned", or is "read"."""

    def on_new_tensor(self, tensor: Any) -> None:
        """A tensor that no observed op made was given its number."""

    def on_host_in(self, tensor: Any, array: Any) -> None:
        """A tensor was made from host data."""

    def on_host_out(self, tensor: Any, kind: str, array: Any) -> None:
        """A tensor's value left the engine, by ``kind``: ``.numpy()``, ``int()``, printed, ..."""

    # Calls that can be made again.

    def on_call_begin(self, function: Any, arguments: Any) -> Any:
        """A function is called that can be called again as a whole; the token of its end is returned.

        What happens until then is part of that call.
        """

    def on_call_end(self, token: Any, result: Any) -> None:
        """The function of that token gave this; None where it raised."""

    # A question, not a callback.

    def explain(self, question: str, tape: Any, *subjects: Any) -> Any:
        """Answer the user's question about a tape: ``"why"`` (target, source), or ``"used"``: where it was, as text."""
