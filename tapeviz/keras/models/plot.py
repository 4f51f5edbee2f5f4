"""``plot_model``: the layers of a model as boxes, each below those that it takes."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tapeviz.files import atomic_path
from tapeviz.keras.layers.op_layer import call_of
from tapeviz.keras.models.summary import shape_text

__all__ = ["plot_model"]

_WIDTH = 2.6
_HEIGHT = 0.55


def plot_model(
    model: Any, to_file: Any = "model.png", show_shapes: bool = False, show_dtype: bool = False,
    show_layer_names: bool = False, rankdir: str = "TB", expand_nested: bool = False, dpi: int = 200,
    show_layer_activations: bool = False, show_trainable: bool = False, **_options: Any,
) -> Any:  # fmt: skip
    """A picture of a model: a box for each layer, below those that it takes.

    Args:
        model: a model that has been built.
        to_file: the file to write, of the kind that its name says; None for none.
        show_shapes: whether boxes say the shapes of what comes out.
        show_dtype: whether they say its dtype.
        show_layer_names: whether they say the layers' names.
        rankdir: accepted as Keras does, like ``expand_nested``.
        expand_nested: accepted.
        dpi: pixels an inch.
        show_layer_activations: whether they say the activations.
        show_trainable: whether they say what is trained.

    Returns:
        The figure, as matplotlib's.

    Raises:
        ValueError: the model has not been built.
    """
    if not model.built:
        raise ValueError("This model has not yet been built. Build it by calling `build()` or by calling it on data.")
    rows = _ranked(model)
    said = {"shape": show_shapes, "dtype": show_dtype, "name": show_layer_names, "trainable": show_trainable,
            "activation": show_layer_activations}  # fmt: skip
    figure = _drawn(rows, said)
    if to_file is not None:
        with atomic_path(to_file) as beside:
            figure.savefig(beside, format=str(to_file).rpartition(".")[2] or "png", dpi=dpi)
    return figure


def _ranked(model: Any) -> list[tuple[Any, int, list[int]]]:
    """Each layer with its rank, and the places of those that it takes."""
    network = model._network
    if network is None:
        return [(layer, rank, [rank - 1] if rank else []) for rank, layer in enumerate(model.layers)]
    places: dict[int, int] = {}
    rows: list[tuple[Any, int, list[int]]] = []
    for node in network.nodes:
        layer = call_of(node).layer
        taken = sorted({places[id(tensor._node)] for tensor in node.inputs if id(tensor._node) in places})
        places[id(node)] = len(rows)
        rows.append((layer, 1 + max((rows[place][1] for place in taken), default=-1), taken))
    return rows


def _text(layer: Any, said: dict[str, bool]) -> str:
    facts = {
        "name": layer.name, "shape": shape_text(layer), "dtype": getattr(layer, "compute_dtype", ""),
        "activation": getattr(getattr(layer, "activation", None), "__name__", ""), "trainable": layer.trainable,
    }  # fmt: skip
    lines = [f"{key}: {value}" for key, value in facts.items() if said[key] and value != ""]
    return "\n".join([type(layer).__name__, *lines])


def _drawn(rows: list[tuple[Any, int, list[int]]], said: dict[str, bool]) -> Any:
    columns: dict[int, int] = {}
    spots = []
    for _, rank, _ in rows:
        columns[rank] = columns.get(rank, -1) + 1
        spots.append((columns[rank] * _WIDTH, -rank))
    step = _HEIGHT + 0.2 * sum(said.values())
    width, height = max(x for x, _ in spots) + _WIDTH, (max(columns) + 1) * 1.6 * step
    figure: Any = import_module("matplotlib.figure").Figure((width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(-_WIDTH / 2, width - _WIDTH / 2)
    axes.set_ylim(-max(columns) - 0.5, 0.5)
    box = {"boxstyle": "round", "facecolor": "white", "edgecolor": "black"}
    for (layer, _, taken), (x, y) in zip(rows, spots, strict=True):
        for other in taken:
            axes.annotate("", (x, y), spots[other], arrowprops={"arrowstyle": "-|>", "shrinkA": 12, "shrinkB": 12})
        axes.text(x, y, _text(layer, said), ha="center", va="center", fontsize=8, bbox=box, zorder=2)
    return figure
