"""What a model computes without training, as a traced function."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.scopes import TensorSpec
from tapeviz.functions.function import function

__all__ = ["inference"]


def inference(model: Any, input_signature: Any = None) -> Any:
    """The function, for the specs given, or for the inputs that the model was built for; None where it was not."""
    form: Any = "inputs"
    if getattr(model, "inputs", None) is not None:
        form = model.input
        specs = [
            TensorSpec((None, *(tensor.shape.dims or ())[1:]), tensor.dtype, tensor.name.partition(":")[0])
            for tensor in model.inputs
        ]
    else:
        shape = vars(model).get("_build_shape")
        if input_signature is None and not _is_shape(shape):
            return None
        specs = [TensorSpec((None, *shape[1:]), model.compute_dtype, "inputs")] if _is_shape(shape) else []
    if input_signature is not None:
        specs = list(input_signature)
        form = form if len(nest.flatten(form)) == len(specs) else ["inputs"] * len(specs)

    def serve(*inputs: Any) -> Any:
        return model(nest.pack(form, list(inputs)), training=False)

    return function(serve, input_signature=specs)


def _is_shape(shape: Any) -> bool:
    return isinstance(shape, tuple) and bool(shape) and all(size is None or isinstance(size, int) for size in shape)
