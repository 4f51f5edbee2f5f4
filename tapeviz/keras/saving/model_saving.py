"""``Model.save``, ``save_weights`` and ``load_weights``."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.keras.layers.input_layer import InputLayer
from tapeviz.keras.saving.inference import inference
from tapeviz.keras.saving.model_files import save_model
from tapeviz.keras.saving.weight_files import read_weights, write_weights
from tapeviz.onnx.exporting import export as write_onnx
from tapeviz.saved_model.saving import save as write_saved_model

__all__ = ["Saved"]

# The attributes in which models have their layers in order.
_STEPS: Final = ("_chain", "_steps")


class Saved:
    """What a model does with files. A part of :class:`~tapeviz.keras.models.model.Model`."""

    def _checkpoint_children(self) -> list[tuple[str, Any]]:
        """What a checkpoint keeps of the model: layers by number where it is made of a list of them, and attributes."""
        own: list[tuple[str, Any]] = super()._checkpoint_children()  # type: ignore[misc]
        steps = [layer for name, part in own if name in _STEPS for layer in part if not isinstance(layer, InputLayer)]
        layers = [(f"layer-{number}", layer) for number, layer in enumerate(steps)]
        return [*layers, *((name, part) for name, part in own if name not in _STEPS)]

    def _inference(self) -> Any:
        """Calling the model without training, as a traced function; None where it has not been built."""
        return inference(self)

    def save(self, filepath: Any, overwrite: bool = True, zipped: Any = None, **kwargs: Any) -> None:
        """Write the model to one file, from which :func:`load_model` makes it again without the code that made it.

        Args:
            filepath: the file; its name ends in ``.keras``.
            overwrite: whether a file of this name is replaced.
            zipped: accepted as Keras does.
            **kwargs: ``include_optimizer=False`` leaves out the optimizer's state.

        Raises:
            ValueError: the name does not end in ``.keras``.
            FileExistsError: the file is there and must not be replaced.
            NotImplementedError: a class of one's own does not say its config.
            PermissionDeniedError, NotFoundError, FailedPreconditionError, ResourceExhaustedError: the file cannot be
                written. One of this name that was there before is there as it was.
        """
        save_model(self, filepath, overwrite, zipped, **kwargs)

    def export(self, filepath: Any, format: str = "tf_saved_model", input_signature: Any = None) -> None:
        """Write the model's computation of outputs, without training.

        Args:
            filepath: a folder for :func:`tapeviz.saved_model.load`, or with ``format="onnx"`` a file.
            format: ``"tf_saved_model"`` or ``"onnx"``.
            input_signature: a :class:`TensorSpec` an input; by default the shape that the model was built for, with any
                number of rows.

        Raises:
            ValueError: the model has not been built, or the format is none of these.
            UnimplementedError: an op cannot be written: which one, and where it comes from.
        """
        if format not in ("tf_saved_model", "onnx"):
            raise ValueError(f"Unrecognized format={format}. Supported formats are: tf_saved_model, onnx.")
        computed = inference(self, input_signature)
        if computed is None:
            raise ValueError(
                "This model has not yet been built. Call it on some data first, or give an input_signature."
            )
        if format == "onnx":
            write_onnx(computed, filepath)
        else:
            write_saved_model(self, filepath, signatures=computed)

    def save_weights(self, filepath: Any, overwrite: bool = True, save_format: Any = None) -> None:
        """Write the weights under a prefix, such as ``"weights"`` or ``"./folder/my.weights.h5"``.

        Args:
            filepath: the prefix. It is one of a checkpoint, whatever it ends in.
            overwrite: whether weights that are there are replaced.
            save_format: accepted as TensorFlow does.

        Raises:
            ValueError: the model has not been built.
            FileExistsError: there are weights, which must not be replaced.
            PermissionDeniedError, NotFoundError, FailedPreconditionError, ResourceExhaustedError: the files cannot be
                written. Weights that were there before are there as they were.

        >>> import tapeviz as tf, tempfile
        >>> first, second = (tf.keras.Sequential([tf.keras.layers.Dense(2)]) for _ in range(2))
        >>> x = tf.ones([1, 3])
        >>> before = first(x).numpy()
        >>> prefix = tempfile.mkdtemp() + "/weights"
        >>> first.save_weights(prefix)
        >>> status = second.load_weights(prefix)
        >>> (second(x).numpy() == before).all(), status.assert_consumed() is not None
        (np.True_, True)
        """
        write_weights(self, filepath, overwrite)

    def load_weights(
        self, filepath: Any, skip_mismatch: bool = False, by_name: bool = False, options: Any = None
    ) -> Any:
        """Give the model the weights under a prefix. Layers that are not built yet get theirs as they make them.

        Args:
            filepath: the prefix.
            skip_mismatch: leave weights as they are for which none of the shape was saved, and say which.
            by_name: match weights by their names, and not by where the model has them.
            options: accepted as TensorFlow does.

        Returns:
            A status with ``assert_consumed``, ``assert_existing_objects_matched`` and ``expect_partial``.

        Raises:
            FileNotFoundError: there are no weights under the prefix; it is a NotFoundError, too.
            ValueError: the model has other weights than those saved; a table says which. Nothing was changed.
            DataLossError: a file is damaged: which, and which weight. Nothing was changed.
        """
        return read_weights(self, filepath, skip_mismatch=skip_mismatch, by_name=by_name)
