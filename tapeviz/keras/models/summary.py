"""``summary()``: the layers of a model as a table of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from tapeviz.engine import nest
from tapeviz.engine.declaration import registry
from tapeviz.keras.layers.op_layer import call_of

__all__ = ["print_summary"]

_WIDTHS: Final = (31, 22, 13)
_UNITS: Final = ("B", "KB", "MB", "GB", "TB")
_THOUSAND: Final = 1024


def print_summary(
    model: Any, print_fn: Callable[[str], Any], *, width: int | None = None, nested: bool = False,
    trained: bool = False, names: Sequence[str] | None = None,
) -> None:  # fmt: skip
    """Give ``print_fn`` the table, as one text."""
    connected = _is_branched(model)
    header = ["Layer (type)", "Output Shape", "Param #"]
    header += ["Connected to"] * connected + ["Trai..."] * trained
    rows = list(_rows(model, _between(model._summarized, names), nested=nested, connected=connected,
                      trained=trained))  # fmt: skip
    lines = [f'Model: "{model.name}"', *_table(header, rows, width), *_totals(model)]
    print_fn("\n".join(lines))


def _is_branched(model: Any) -> bool:
    """Whether some layer takes anything but what the one before it gave."""
    network = model._network
    if network is None or not model._shows_connections:
        return False
    taken = [len(node.inputs) for node in network.nodes]
    once = {id(call_of(node).layer) for node in network.nodes}
    return any(count > 1 for count in taken) or len(once) < len(network.nodes) or len(network.flat_inputs) > 1 or (
        len(network.flat_outputs) > 1
    )  # fmt: skip


def _between(layers: list[Any], names: Sequence[str] | None) -> list[Any]:
    if not names:
        return layers
    own = [layer.name for layer in layers]
    missing = [name for name in names if name not in own]
    if len(names) != 2 or missing:  # noqa: PLR2004 - the first and the last
        raise ValueError(f"layer_range must be the names of two layers of the model. Received: {list(names)}; the "
                         f"layers are {own}.")  # fmt: skip
    first, last = sorted(map(own.index, names))
    return layers[first : last + 1]


def _rows(
    model: Any, layers: list[Any], *, nested: bool, connected: bool, trained: bool, depth: int = 0
) -> Iterator[list[str]]:
    for layer in layers:
        lead = "   " * depth + ("└ " if depth else "")
        built = layer.built or layer.weights
        kind = type(layer).__name__
        row = [f"{lead}{layer.name} ({registry[layer.op].tf_name if kind == 'OpLayer' else kind})", shape_text(layer)]
        row.append(f"{layer.count_params():,}" if layer.built else f"{0 if not built else layer_size(layer)} (unbuilt)")
        if connected:
            row.append(_sources(model, layer) if depth == 0 else "-")
        if trained:
            row.append("Y" if layer.trainable else "N" if layer.weights else "-")
        yield row
        if nested and hasattr(layer, "_summarized"):
            yield from _rows(layer, layer._summarized, nested=True, connected=connected, trained=trained,
                             depth=depth + 1)  # fmt: skip


def layer_size(layer: Any) -> int:
    """How many numbers a layer's weights have."""
    return sum(variable.shape.num_elements() or 0 for variable in layer.weights)


def shape_text(layer: Any) -> str:
    """The shape of what a layer gives, as far as it is known."""
    if layer._inbound:
        shapes = [tensor.shape.dims for tensor in layer._inbound[0].outputs]
        return ", ".join(map(_shape, shapes))
    given = layer.__dict__.get("_call_shape") or layer.__dict__.get("_build_shape")
    if not layer.built or given is None:
        return "?"
    try:
        found = layer.compute_output_shape(given)
    except Exception:  # noqa: BLE001 - a layer that cannot say it has a row all the same
        return "?"
    return _shape(found) if _is_plain(found) else ", ".join(map(_shape, nest.flatten(found)))


def _is_plain(shape: Any) -> bool:
    return isinstance(shape, (list, tuple)) and all(size is None or isinstance(size, int) for size in shape)


def _shape(shape: Any) -> str:
    return "?" if shape is None else str(tuple(shape))


def _sources(model: Any, layer: Any) -> str:
    """Which calls of which layers a layer takes."""
    network = model._network
    counts: dict[int, int] = {}
    places: dict[int, int] = {}
    for node in network.nodes:
        key = id(call_of(node).layer)
        places[id(node)] = counts[key] = counts.get(key, -1) + 1
    nodes = [node for node in network.nodes if call_of(node).layer is layer]
    taken = [tensor for node in nodes for tensor in node.inputs]
    return ", ".join(
        f"{t._node.call.layer.name if t._node.call else t._node.name}[{places.get(id(t._node), 0)}][{t._slot}]"
        for t in taken
    ) or "-"  # fmt: skip


def _table(header: list[str], rows: list[list[str]], width: int | None) -> list[str]:
    least = [*_WIDTHS, 17, 5][: len(header)]
    widths = [max(low, *(len(row[k]) for row in [header, *rows])) for k, low in enumerate(least)]
    if width is not None and (spare := width - sum(widths) - 3 * len(widths) - 1) > 0:
        widths[0] += spare
    lines = [_rule("┏━┳┓", widths), _line("┃", header, widths), _rule("┡━╇┩", widths)]
    for place, row in enumerate(rows):
        if place:
            lines.append(_rule("├─┼┤", widths))
        lines.append(_line("│", row, widths))
    return [*lines, _rule("└─┴┘", widths)]


def _rule(signs: str, widths: list[int]) -> str:
    first, along, between, last = list(signs)
    return first + between.join(along * (width + 2) for width in widths) + last


def _line(sign: str, cells: list[str], widths: list[int]) -> str:
    number = 2  # the column of numbers is aligned to the right
    padded = [
        cell.rjust(width) if place == number else cell.ljust(width)
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return f"{sign} " + f" {sign} ".join(padded) + f" {sign}"


def _totals(model: Any) -> list[str]:
    trainable, others = model.trainable_weights, model.non_trainable_weights
    optimizer = getattr(model, "optimizer", None)
    slots = list(getattr(optimizer, "variables", ())) if getattr(optimizer, "built", False) else []
    named = [
        ("Total params", [*trainable, *others, *slots]), ("Trainable params", trainable),
        ("Non-trainable params", others),
    ]  # fmt: skip
    named += [("Optimizer params", slots)] if slots else []
    return [f" {name}: {_count(weights):,} ({_memory(weights)})" for name, weights in named]


def _count(weights: list[Any]) -> int:
    return sum(variable.shape.num_elements() or 0 for variable in weights)


def _memory(weights: list[Any]) -> str:
    size = float(sum((variable.shape.num_elements() or 0) * variable.dtype.size for variable in weights))
    unit = 0
    while size >= _THOUSAND and unit < len(_UNITS) - 1:
        size, unit = size / _THOUSAND, unit + 1
    return f"{size:.2f} {_UNITS[unit]}"
