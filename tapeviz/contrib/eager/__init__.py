"""``tf.contrib.eager``: the names under which eager execution was announced, most often imported as ``tfe``.

>>> import tapeviz.contrib.eager as tfe
>>> gradient = tfe.gradients_function(lambda x: x * x)
>>> gradient(3.0)
[<tf.Tensor: shape=(), dtype=float32, numpy=6.0>]
"""

from __future__ import annotations

from typing import Any

from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.contrib.eager.defining": "defun",
        "tapeviz.contrib.eager.differentiating": (
            "gradients_function implicit_gradients implicit_value_and_gradients value_and_gradients_function"
        ),
        "tapeviz.contrib.eager.graph_calling": "graph_callable",
        "tapeviz.contrib.eager.iterating": "Iterator",
        "tapeviz.contrib.eager.keeping": "EagerVariableStore",
        "tapeviz.contrib.eager.listing": "list_devices num_gpus",
        "tapeviz.contrib.eager.network": "Network Sequential restore_network_checkpoint save_network_checkpoint",
        "tapeviz.contrib.eager.saving": "CheckpointableSaver Saver",
        "tapeviz.contrib.eager.starting": (
            "ASYNC DEVICE_PLACEMENT_EXPLICIT DEVICE_PLACEMENT_SILENT DEVICE_PLACEMENT_SILENT_FOR_INT32 "
            "DEVICE_PLACEMENT_WARN SYNC ShapeAndDtype enable_eager_execution executing_eagerly in_eager_mode"
        ),
        "tapeviz.engine.custom_gradient": "custom_gradient",
        "tapeviz.engine.scopes": "TensorSpec",
        "tapeviz.engine.tape": "GradientTape",
        "tapeviz.engine.variable": "Variable",
    },
)
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
