"""``tf.gradients``: nodes that compute gradients, added to the graph."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from tapeviz.compat.v1.graph.default_graph import graph_of
from tapeviz.compat.v1.graph.graph import Graph, entered
from tapeviz.compat.v1.graph.graph_blocks import name_scope
from tapeviz.engine.backward import walk_on_tensors
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.engine.tape import UnconnectedGradients, check_word
from tapeviz.graphs.ir.gradient_paths import around, entries_from

__all__ = ["gradients", "hessians"]


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: str = UnconnectedGradients.NONE,
) -> list[Any]:
    """The gradient of the sum of ``ys`` by each of ``xs``, as tensors of the graph.

    Args:
        ys: a tensor, or a list of tensors.
        xs: a tensor or variable, or a list of such.
        grad_ys: what to multiply with at each of ``ys``; ones by default.
        name: the name scope of the nodes that are added.
        colocate_gradients_with_ops: accepted as TensorFlow does, like the next two.
        gate_gradients: accepted.
        aggregation_method: accepted.
        stop_gradients: tensors to hold constant: nothing flows through them.
        unconnected_gradients: ``"none"`` or ``"zero"``: what to give where there is no path.

    Returns:
        One tensor for each of ``xs``, or None.

    Raises:
        RuntimeError: eager execution is on.
        TypeError: one of ``ys`` is complex, and ``grad_ys`` is not given.
        ValueError: ``grad_ys`` is of another length, or does not have the shapes of ``ys``; ``unconnected_gradients``
            is neither word.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.placeholder(tf.float32, [])
    ...     print(session.run(tf.gradients(x * x * x, [x]), feed_dict={x: 2.0}))
    [np.float32(12.0)]
    """
    check_word(unconnected_gradients)
    targets, sources = _listed(ys), _listed(xs)
    graph = _graph_of([*targets, *sources])
    if graph is None:
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead."
        )
    given = [None] * len(targets) if grad_ys is None else _listed(grad_ys)
    if len(given) != len(targets):
        raise ValueError(f"Length mismatch. Passed {len(given)} grad_ys for {len(targets)} ys")
    with name_scope(name), entered(graph) if isinstance(graph, Graph) else nullcontext():
        values = [graph.own(convert_to_tensor(target)) for target in targets]
        made = [_made_of(graph, source) for source in sources]
        stopped = {tensor._id for item in _listed(stop_gradients or []) for tensor in _made_of(graph, item)}
        seeds = _seeds(graph, values, given)
        flat = [tensor for some in made for tensor in some]
        wanted = {tensor._id for tensor in flat}
        found = walk_on_tensors(_paths(entries_from(graph, flat), wanted, stopped), seeds, wanted)
        totals = [_total(found, [tensor._id for tensor in some]) for some in made]
        if unconnected_gradients == UnconnectedGradients.ZERO:
            zeros = registry["zeros_like"].run
            totals = [
                zeros(graph.own(convert_to_tensor(source)), dtype=None) if total is None else total
                for total, source in zip(totals, sources, strict=True)
            ]
    return totals


def _graph_of(values: list[Any]) -> Any:
    """The graph to differentiate in: the one that is built, in a traced function too, or that of these tensors."""
    if (inside := local.state.graph) is not None:
        return inside
    symbolic = any(isinstance(value, SymbolicTensor) or hasattr(value, "read_in") for value in values)
    return graph_of(values) if symbolic else None


def _listed(items: Any) -> list[Any]:
    return list(items) if isinstance(items, (list, tuple)) else [items]


def _made_of(graph: Any, source: Any) -> list[Any]:
    """The tensors whose gradients make up that of a source: all reads of a variable, what stands for an eager tensor.

    Raises:
        InaccessibleTensorError: it is a tensor of a graph that this one is not inside of.
    """
    graphs = around(graph)
    if hasattr(source, "read_in"):
        inside = [one.first_reads.get(source._number) for one in graphs] + [one._value_now(source) for one in graphs]
        found = [*source.reads, *inside]
    elif hasattr(source, "_read"):  # an eager variable, in a traced function
        found = [graph.read(source), *(one.first_reads.get(source._number) for one in graphs)]
        found += [one._value_now(source) for one in graphs]
    else:
        tensor: Any = convert_to_tensor(source)
        found = [tensor] if isinstance(tensor, SymbolicTensor) and tensor._node.graph in graphs else []
        found = found or [graph.own(tensor), *(one.constants.get(id(tensor), (None, None))[1] for one in graphs)]
    return list({id(tensor): tensor for tensor in found if tensor is not None}.values())


def _seeds(graph: Any, values: Sequence[Any], given: Sequence[Any]) -> dict[int, Any]:
    seeds: dict[int, Any] = {}
    for value, upstream in zip(values, given, strict=True):
        if not value.dtype.is_differentiable:
            continue
        if upstream is None and value.dtype.is_complex:
            raise TypeError(f"Gradients of complex tensors ({value!r}) must set grad_ys (y.dtype = {value.dtype!r})")
        if upstream is None:
            seed = registry["ones_like"].run(value, dtype=None)
        else:
            seed = graph.own(convert_to_tensor(upstream, dtype=value.dtype))
            if not seed.shape.is_compatible_with(value.shape):
                raise ValueError(
                    f"grad_ys must have the shapes of ys: {seed!r} has shape {seed.shape}, and {value!r} {value.shape}"
                )
        before = seeds.get(value._id)
        seeds[value._id] = seed if before is None else registry["add"].run(before, seed)
    return seeds


def _paths(entries: list[Any], wanted: set[int], stopped: set[int]) -> list[Any]:
    """The entries that lead from the sources on, asked for what comes from there alone."""
    reached, kept = set(wanted), []
    for op, outs, ins, saved, shapes in entries:
        made = outs if outs.__class__ is tuple else (outs,)
        followed = tuple(number if number in reached else 0 for number in ins)
        if not any(followed) or any(number in stopped for number in made):
            continue
        reached.update(made)
        kept.append((op, outs, followed, saved, shapes))
    return kept


def _total(found: dict[int, Any], numbers: Sequence[int]) -> Any:
    total = None
    for number in numbers:
        part = found.get(number)
        if part is not None:
            total = part if total is None else registry["add"].run(total, part)
    return total


def hessians(ys: Any, xs: Any, name: str = "hessians", **_options: Any) -> list[Any]:
    """The second derivatives of ``ys`` by each of ``xs``, vectors: square matrices."""
    made = []
    for source in _listed(xs):
        (first,) = gradients(ys, source, name=name)
        size = source.shape[0]
        if size is None or source.shape.rank != 1:
            raise ValueError(f"hessians takes vectors of a known length, and {source!r} has shape {source.shape}")
        rows = [gradients(first[place], source, name=name, unconnected_gradients="zero")[0] for place in range(size)]
        made.append(convert_to_tensor(rows))
    return made
