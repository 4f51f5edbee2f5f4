"""What a model computes without training, as a traced function."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.scopes import TensorSpec
from tapeviz.functions.function import function

__all__ = ["inference"]


def inference(model: Any, input_signature: Any = None) -> Any:
    """The function, for the specs given, or for the inputs that the model was built for; None where it was not."""
    specs = _specs(model) if input_signature is None else list(input_signature)
    if specs is None:
        return None
    single = len(specs) == 1
    return function(lambda *inputs: model(inputs[0] if single else list(inputs), training=False), input_signature=specs)


def _specs(model: Any) -> list[TensorSpec] | None:
    if (inputs := getattr(model, "inputs", None)) is not None:
        return [TensorSpec(tensor.shape, tensor.dtype, tensor.name.partition(":")[0]) for tensor in inputs]
    shape = vars(model).get("_build_shape")
    if not isinstance(shape, tuple) or not shape or not all(size is None or isinstance(size, int) for size in shape):
        return None
    return [TensorSpec((None, *shape[1:]), model.compute_dtype, "inputs")]
