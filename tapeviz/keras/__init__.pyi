# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.engine.variable import Variable
from tapeviz.keras import (
    activations,
    backend,
    callbacks,
    config,
    constraints,
    datasets,
    initializers,
    layers,
    losses,
    metrics,
    models,
    ops,
    optimizers,
    preprocessing,
    random,
    regularizers,
    saving,
    utils,
)
from tapeviz.keras.initializers.initializer import Initializer
from tapeviz.keras.layers.input_layer import Input
from tapeviz.keras.layers.input_spec import InputSpec
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.losses.loss import Loss
from tapeviz.keras.metrics.metric import Metric
from tapeviz.keras.models.model import Model
from tapeviz.keras.models.sequential import Sequential

__all__ = [
    "Initializer",
    "Input",
    "InputSpec",
    "Layer",
    "Loss",
    "Metric",
    "Model",
    "Sequential",
    "Variable",
    "__version__",
    "activations",
    "backend",
    "callbacks",
    "config",
    "constraints",
    "datasets",
    "initializers",
    "layers",
    "losses",
    "metrics",
    "models",
    "ops",
    "optimizers",
    "preprocessing",
    "random",
    "regularizers",
    "saving",
    "utils",
]
__version__: str
