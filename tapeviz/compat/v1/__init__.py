"""``tf.compat.v1``: programs written for TensorFlow 1.

``import tapeviz.compat.v1 as tf``: ops build graphs, which sessions run, until :func:`enable_eager_execution`. The mode
is one of this namespace: what comes from ``tapeviz`` itself runs at once.

>>> import tapeviz.compat.v1 as tf
>>> graph = tf.Graph()
>>> with graph.as_default():
...     x = tf.placeholder(tf.float32, name="x")
...     y = x * x + 1.0
>>> y
<tf.Tensor 'add:0' shape=<unknown> dtype=float32>
>>> with tf.Session(graph=graph) as session:
...     session.run(y, feed_dict={x: 3.0})
np.float32(10.0)
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from tapeviz.namespace import Namespace

_OWN: Final = {
    "tapeviz.compat.v1.graph.graph_blocks": (
        "colocate_with container control_dependencies device group name_scope no_op tuple"
    ),
    "tapeviz.compat.v1.session.config": "ConfigProto GPUOptions GraphOptions OptimizerOptions RunMetadata RunOptions",
    "tapeviz.compat.v1.graph.default_graph": "executing_eagerly get_default_graph reset_default_graph",
    "tapeviz.compat.v1.graph.gradients": "gradients hessians",
    "tapeviz.compat.v1.graph.graph_keys": "GraphKeys",
    "tapeviz.compat.v1.graph.graph": "Graph Operation",
    "tapeviz.compat.v1.variables.graph_initializers": (
        "constant_initializer=Constant glorot_normal_initializer=GlorotNormal "
        "glorot_uniform_initializer=GlorotUniform ones_initializer=Ones random_normal_initializer=RandomNormal "
        "random_uniform_initializer=RandomUniform truncated_normal_initializer=TruncatedNormal "
        "variance_scaling_initializer=VarianceScaling zeros_initializer=Zeros"
    ),
    "tapeviz.compat.v1.graph.v2_behavior": (
        "disable_eager_execution disable_v2_behavior enable_eager_execution enable_v2_behavior"
    ),
    "tapeviz.compat.v1.graph.placeholders": "placeholder placeholder_with_default",
    "tapeviz.compat.v1.renamed": (
        "Print arg_max arg_min batch_gather disable_resource_variables div enable_resource_variables "
        "resource_variables_enabled set_random_seed to_bfloat16 to_complex64 to_complex128 to_double to_float to_int32 "
        "to_int64 verify_tensor_all_finite"
    ),
    "tapeviz.compat.v1.variables.scatter": (
        "batch_scatter_update scatter_add scatter_div scatter_max scatter_min scatter_mul scatter_nd_add "
        "scatter_nd_sub scatter_nd_update scatter_sub scatter_update"
    ),
    "tapeviz.compat.v1.session.session": "InteractiveSession Session get_default_session",
    "tapeviz.compat.v1.graph.gradient_tape": "GradientTape",
    "tapeviz.compat.v1.graph.tensor_array": "TensorArray",
    "tapeviz.compat.v1.variables.variable_scope": (
        "AUTO_REUSE VariableScope get_variable get_variable_scope variable_scope"
    ),
    "tapeviz.compat.v1.variables.variables": (
        "Variable VariableV1 add_to_collection add_to_collections all_variables assign assign_add assign_sub "
        "get_collection get_collection_ref global_variables global_variables_initializer initialize_all_variables "
        "initialize_variables is_variable_initialized local_variables local_variables_initializer model_variables "
        "report_uninitialized_variables trainable_variables variables_initializer"
    ),
}
_MODULES: Final = ("data", "initializers", "layers", "losses", "metrics", "python_io", "summary", "train")
# Names of tapeviz that are not TensorFlow's.
_NOT_OURS: Final = frozenset((
    "Tape", "analysis", "compat", "diff", "disable", "enable", "experimental", "exports", "load", "losses",
    "magics", "metrics", "onnx", "optimizers", "record", "recording", "retraces", "widgets",
))  # fmt: skip

# Graphs, tensors and checkpoints ask for what is declared there.
_DECLARING: Final = ("train.checkpoint", "session.session", "variables.graph_variables", "variables.variables")

_names: Final = Namespace(__name__, _OWN)


def _offered() -> list[str]:
    tapeviz = import_module("tapeviz")
    renamed = Namespace(__name__, import_module("tapeviz.compat.v1.renamed").HOMES)
    ours = {name for name in tapeviz.__all__ if name not in _NOT_OURS and not name.startswith("__")}
    return sorted({*ours, *_names.listed, *(name for name in renamed.listed if _is_there(renamed, name)), *_MODULES})


def _is_there(renamed: Namespace, name: str) -> bool:
    home, theirs = renamed.homes[name]
    return hasattr(import_module(home), theirs)


def _found(name: str) -> Any:
    """What is offered under a name: this namespace's own, or tapeviz's as something that builds graphs."""
    if name in _MODULES:
        return import_module(f"tapeviz.compat.v1.{name}")
    for declaring in _DECLARING:
        import_module(f"tapeviz.compat.v1.{declaring}")
    if name in _names.homes:
        return _names.find(name)
    tapeviz = import_module("tapeviz")
    homes = Namespace(__name__, import_module("tapeviz.compat.v1.renamed").HOMES).homes
    home, theirs = homes.get(name, ("tapeviz", name))
    if name in _NOT_OURS or not (name in homes or name in tapeviz.__all__):
        raise import_module("tapeviz.compat.v1.graph.absent_names").absent(__name__, name)
    return import_module("tapeviz.compat.v1.spaces").offered(name, getattr(import_module(home), theirs))


def __getattr__(name: str) -> Any:
    if name == "__all__":
        found: Any = _offered()
    elif name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    else:
        found = _found(name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return list(__getattr__("__all__"))
