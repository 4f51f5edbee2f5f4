"""TensorFlow, as a recording sees it: what ``record(framework="tensorflow")`` and ``%%tape`` ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any, ClassVar, Final

import tensorflow as tf

from tapeviz.adapters.foreign_framework import ForeignFramework, ForeignQuestion
from tapeviz.adapters.foreign_recorder import ForeignRecorder
from tapeviz.adapters.tensorflow_patches import patched
from tapeviz.adapters.tensorflow_recorder import TensorFlowRecorder
from tapeviz.adapters.tensorflow_tensors import is_variable
from tapeviz.engine.userline import add_library

__all__ = ["FRAMEWORK", "TensorFlowQuestion"]

add_library("tensorflow")
add_library("keras")


class TensorFlow(ForeignFramework):
    """TensorFlow."""

    name = "tensorflow"
    tensor = (tf.Tensor, tf.Variable)
    recording: ClassVar[type[ForeignRecorder]] = TensorFlowRecorder
    can_be_live = True
    no_mode = "traced functions run as the Python they are while they are recorded, op by op"
    no_device = "TensorFlow's own block says where ops run: with tf.device(...)"

    @property
    def version(self) -> str:
        """TensorFlow's version."""
        return str(tf.__version__)

    def small_ops(self) -> tuple[Callable[[Any], Any], Any]:
        """A product of four elements."""
        return (lambda x: x * 1.0), tf.ones(4)

    def patched(self, recorder: Any) -> AbstractContextManager[Any]:
        """Have TensorFlow's callback and what none sees go by a recorder."""
        return patched(recorder)

    def question(self, names: Iterable[str]) -> TensorFlowQuestion:
        """What ``wrt`` asks."""
        return TensorFlowQuestion(names)

    def last_scalar(self, namespace: Mapping[str, Any]) -> Any:
        """The scalar of floats that was computed last."""
        look_up = self.running().look_up
        scalars = [(look_up(value) or -1, name) for name, value in namespace.items() if _is_scalar(value)]
        return namespace[max(scalars)[1]] if scalars else None


FRAMEWORK: Final = TensorFlow()


def _is_scalar(value: Any) -> bool:
    return isinstance(value, tf.Tensor) and value.shape.rank == 0 and value.dtype.is_floating


class TensorFlowQuestion(ForeignQuestion):
    """What ``wrt`` asks: a tape of its own follows the block."""

    differentiable_by = "a tensor or variable nor a layer with variables"

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(names)
        self._tape = tf.GradientTape(persistent=True)

    @contextmanager
    def watching(self, namespace: Mapping[str, Any]) -> Iterator[None]:
        """Have a tape record, which watches the tensors of floats that are asked for."""
        with self._tape:
            for part in self.known_parts(namespace):
                if isinstance(part, tf.Tensor) and part.dtype.is_floating:
                    self._tape.watch(part)
            yield

    def begin(self, block: ExitStack, namespace: Mapping[str, Any]) -> None:
        """Have the tape record as long as the block runs."""
        block.enter_context(self.watching(namespace))

    def answer(self, value: Any, namespace: Mapping[str, Any]) -> dict[str, Any]:
        """The gradients by name: one for a tensor or variable, a list for a layer."""
        if not _is_scalar(value):
            raise ValueError("wrt differentiates a scalar tensor of floats; there is none")
        sources = {name: self.value(name, namespace) for name in self.names}
        with self._tape.stop_recording() if self._tape._recording else nullcontext():
            flat = [part for source in sources.values() for part in self.parts(source)]
            found = iter(self._tape.gradient(value, flat))
        return {name: next(found) if isinstance(source, tf.Tensor) or is_variable(source) else
                [next(found) for _ in self.parts(source)] for name, source in sources.items()}  # fmt: skip

    def parts(self, value: Any) -> list[Any]:
        """The tensor or variable, or the variables of a layer that are trained."""
        if isinstance(value, (tf.Module, tf.keras.layers.Layer)) and not is_variable(value):
            return list(value.trainable_variables)
        if isinstance(value, (list, tuple)):
            return [part for item in value for part in self.parts(item)]
        return [value] if isinstance(value, tf.Tensor) or is_variable(value) else []
