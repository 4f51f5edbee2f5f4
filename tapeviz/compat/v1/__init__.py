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

import sys
from importlib import import_module
from typing import Any, Final

from tapeviz.compat.v1.importer import Importer
from tapeviz.namespaces.lazy import Namespace

# Names of tapeviz that are not TensorFlow's.
_NOT_OURS: Final = frozenset((
    "Tape", "analysis", "diff", "disable", "enable", "experimental", "exports", "install_as_tensorflow", "load",
    "losses", "magics", "metrics", "onnx", "optimizers", "record", "recording", "retraces", "widgets",
))  # fmt: skip

# Graphs, tensors and checkpoints ask for what is declared there.
_DECLARING: Final = ("train.checkpoint", "session.session", "variables.graph_variables", "variables.variables")

_names: Final = Namespace(__name__)
sys.meta_path.insert(0, Importer(__name__, Namespace("tapeviz").modules - _names.modules - _NOT_OURS))


def _offered() -> list[str]:
    ours = {name for name in import_module("tapeviz").__all__ if name not in _NOT_OURS and not name.startswith("__")}
    return sorted({*ours, *_names.listed})


def _found(name: str) -> Any:
    """What is offered under a name: this namespace's own, or tapeviz's as something that builds graphs."""
    if name in _names.modules:
        return _names.find(name)
    for declaring in _DECLARING:
        import_module(f"tapeviz.compat.v1.{declaring}")
    home, theirs = _names.homes.get(name, ("tapeviz", name))
    if home.startswith(__name__):
        return _names.find(name)
    if home == "tapeviz" and (theirs in _NOT_OURS or theirs not in import_module("tapeviz").__all__):
        raise import_module("tapeviz.compat.v1.graph.absent_names").absent(__name__, name)
    return import_module("tapeviz.compat.v1.namespace_wrappers").offered(name, getattr(import_module(home), theirs))


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
