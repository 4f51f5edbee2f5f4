"""What TensorBoard shows of a training: results, weights and the graph of a step."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any

from tapeviz.keras.callbacks.callback import Callback
from tapeviz.summary import graphs, summaries, writers

__all__ = ["TensorBoard"]


class TensorBoard(Callback):
    """Write the results of each epoch as event files: of training in ``train``, of validation in ``validation``.

    Args:
        log_dir: the folder.
        histogram_freq: write histograms of the weights after each so many epochs; 0 for never.
        write_graph: whether to write the graph of a step.
        write_images: accepted as Keras does; no pictures of weights are written.
        write_steps_per_second: whether to write how many steps there are in a second.
        update_freq: ``"epoch"``, ``"batch"`` or a number: also write the results after each so many batches.
        profile_batch: accepted as Keras does; for profiles record a step.
        embeddings_freq: accepted as Keras does, like the next one.
        embeddings_metadata: accepted.

    Raises:
        OSError: the folder cannot be written; when training begins.

    >>> import pathlib, tempfile, tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = model.fit([[0.0]], [[0.0]], verbose=0, callbacks=[tf.keras.callbacks.TensorBoard(folder)])
    ...     sorted(path.parent.name for path in pathlib.Path(folder).rglob("events*"))
    ['train']
    """

    def __init__(
        self, log_dir: Any = "logs", histogram_freq: int = 0, write_graph: bool = True, write_images: bool = False,
        write_steps_per_second: bool = False, update_freq: Any = "epoch", profile_batch: Any = 0,
        embeddings_freq: int = 0, embeddings_metadata: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.log_dir: Path
        self.histogram_freq: int
        self.write_graph: bool
        self.log_dir, self.histogram_freq, self.write_graph = Path(log_dir), histogram_freq, write_graph
        self.write_steps_per_second = write_steps_per_second
        self.update_freq: Any = 1 if update_freq == "batch" else update_freq
        self._writers: dict[str, Any] = {}
        self._steps = 0
        self._epoch_began: tuple[int, float] = (0, 0.0)

    def _writer(self, name: str) -> Any:
        if name not in self._writers:
            self._writers[name] = writers.create_file_writer(str(self.log_dir / name))
        return self._writers[name]

    def on_train_begin(self, logs: Any = None) -> None:
        """Begin with the first step."""
        self._steps = 0
        self._writer("train")

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Know when the epoch began."""
        self._epoch_began = (self._steps, perf_counter())

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Write the results of a batch, if that was asked for."""
        self._steps += 1
        if self.update_freq != "epoch" and self._steps % self.update_freq == 0:
            with self._writer("train").as_default():
                for name, value in (logs or {}).items():
                    summaries.scalar(f"batch_{name}", value, step=self._steps - 1)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Write the results of an epoch."""
        results = {name: value for name, value in (logs or {}).items() if isinstance(value, (int, float))}
        rate = getattr(self.model.optimizer, "learning_rate", None)
        if rate is not None and "learning_rate" not in results:
            results["learning_rate"] = float(rate)
        with self._writer("train").as_default():
            for name, value in results.items():
                if not name.startswith("val_"):
                    summaries.scalar(f"epoch_{name}", value, step=epoch)
            if self.write_steps_per_second:
                steps, began = self._epoch_began
                rate_of_steps = (self._steps - steps) / max(perf_counter() - began, 1e-9)
                summaries.scalar("epoch_steps_per_second", rate_of_steps, step=epoch)
            if self.histogram_freq and epoch % self.histogram_freq == 0:
                for variable in self.model.weights:
                    summaries.histogram(f"{variable.name.partition(':')[0]}/histogram", variable, step=epoch)
        validation = {name: value for name, value in results.items() if name.startswith("val_")}
        if validation:
            with self._writer("validation").as_default():
                for name, value in validation.items():
                    summaries.scalar(f"epoch_{name.removeprefix('val_')}", value, step=epoch)
        for writer in self._writers.values():
            writer.flush()

    def on_train_end(self, logs: Any = None) -> None:
        """Write the graph of a step, which is known now."""
        built = self.model._step_graph()
        if self.write_graph and built is not None:
            with self._writer("train").as_default():
                graphs.graph(built)

    def close(self, error: BaseException | None) -> None:
        """Close the files, however training ends."""
        for writer in self._writers.values():
            writer.close()
        self._writers.clear()
