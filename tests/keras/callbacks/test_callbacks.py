"""Callbacks: when they are called, and what each of them does."""

import csv

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import tapeviz as tf
from tests.keras.training.models import line, linear

callbacks = tf.keras.callbacks


class Written(callbacks.Callback):
    """Writes down when it is called."""

    def __init__(self):
        super().__init__()
        self.calls = []


def _writing(name):
    return lambda self, *arguments: self.calls.append((name, *[a for a in arguments if isinstance(a, int)]))


for moment in ("train", "test", "predict"):
    for end in ("begin", "end"):
        setattr(Written, f"on_{moment}_{end}", _writing(f"{moment} {end}"))
        setattr(Written, f"on_{moment}_batch_{end}", _writing(f"{moment} batch {end}"))
for end in ("begin", "end"):
    setattr(Written, f"on_epoch_{end}", _writing(f"epoch {end}"))


def test_when_they_are_called():
    x, y = line(4)
    written = Written()
    linear().fit(x, y, batch_size=2, verbose=0, validation_data=(x, y), callbacks=[written])
    assert written.calls == [
        ("train begin",),
        ("epoch begin", 0),
        ("train batch begin", 0),
        ("train batch end", 0),
        ("train batch begin", 1),
        ("train batch end", 1),
        ("test begin",),
        ("test batch begin", 0),
        ("test batch end", 0),
        ("test batch begin", 1),
        ("test batch end", 1),
        ("test end",),
        ("epoch end", 0),
        ("train end",),
    ]
    assert written.params == {"verbose": 0, "epochs": 1, "steps": 2}
    written.calls.clear()
    linear().predict(x, callbacks=[written], verbose=0)
    assert [name for name, *_ in written.calls] == ["predict begin", "predict batch begin", "predict batch end",
                                                    "predict end"]  # fmt: skip


def test_logs_are_numbers_and_those_of_validation_too():
    seen = {}
    told = callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: seen.update(logs))
    linear(metrics=["mae"]).fit(*line(), verbose=0, validation_split=0.5, callbacks=told)
    assert set(seen) == {"loss", "mae", "val_loss", "val_mae"}
    assert {type(value) for value in seen.values()} == {float}


def test_what_is_no_callback():
    with pytest.raises(TypeError, match="callbacks must be instances of"):
        linear().fit(*line(), verbose=0, callbacks=["early"])


class Told(callbacks.Callback):
    """Puts given results into the logs before others see them."""

    def __init__(self, **results):
        super().__init__()
        self.results = results

    def on_epoch_end(self, epoch, logs=None):
        logs.update({name: values[epoch] for name, values in self.results.items()})


def fitted(*others, epochs=8, **results):
    """A model, and how many epochs it was trained."""
    model = linear(optimizer=tf.keras.optimizers.SGD(0.1))
    return model, len(model.fit(*line(), epochs=epochs, verbose=0, callbacks=[Told(**results), *others]).epoch)


@pytest.mark.parametrize(
    ("options", "values", "epochs"),
    [
        ({"monitor": "r"}, [5, 4, 4, 3, 2, 1, 1, 1], 3),
        ({"monitor": "r", "patience": 2}, [5, 4, 4, 3, 3, 3, 1, 1], 6),
        ({"monitor": "r", "min_delta": 1.5}, [5, 3, 2, 1, 0, 0, 0, 0], 3),
        ({"monitor": "r", "mode": "max"}, [1, 2, 3, 3, 9, 9, 9, 9], 4),
        ({"monitor": "r_accuracy"}, [1, 2, 3, 3, 9, 9, 9, 9], 4),
        ({"monitor": "r", "start_from_epoch": 4, "patience": 1}, [1, 2, 3, 4, 5, 6, 7, 8], 6),
        ({"monitor": "r", "baseline": 0.5, "patience": 2}, [3, 2, 1, 0.9, 0.8, 0.7, 0.6, 0.4], 8),
        ({"monitor": "r", "baseline": 0.5, "patience": 2}, [3, 4, 1, 0.9, 0.8, 0.7, 0.6, 0.4], 2),
    ],
)
def test_early_stopping(options, values, epochs):
    _, found = fitted(callbacks.EarlyStopping(**options), **{options["monitor"]: values})
    assert found == epochs


def test_early_stopping_gives_the_best_weights_back():
    weights = []
    kept = callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: weights.append(kept.model.get_weights()[0]))
    stopping = callbacks.EarlyStopping("r", patience=2, restore_best_weights=True)
    model, epochs = fitted(kept, stopping, r=[5, 1, 2, 3, 4, 5, 6, 7])
    assert (epochs, stopping.best_epoch, stopping.stopped_epoch) == (4, 1, 3)
    np.testing.assert_array_equal(model.get_weights()[0], weights[1])


def test_a_result_that_there_is_not():
    with pytest.warns(UserWarning, match="`val_loss` which is not available. Available metrics are: loss"):
        linear().fit(*line(), verbose=0, callbacks=[callbacks.EarlyStopping()])


def test_the_best_model_is_kept(tmp_path):
    saved = callbacks.ModelCheckpoint(
        tmp_path / "sub" / "best.weights.h5", "r", save_best_only=True, save_weights_only=True
    )
    weights = []
    kept = callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: weights.append(kept.model.get_weights()[0]))
    model, _ = fitted(kept, saved, epochs=4, r=[5, 1, 2, 3])
    model.load_weights(tmp_path / "sub" / "best.weights.h5")
    np.testing.assert_array_equal(model.get_weights()[0], weights[1])
    assert saved.best == 1


def test_a_model_of_each_epoch_by_a_name_with_results(tmp_path):
    fitted(callbacks.ModelCheckpoint(tmp_path / "{epoch:02d}-{r:.1f}.keras"), epochs=2, r=[5, 1])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["01-5.0.keras", "02-1.0.keras"]
    with pytest.raises(KeyError, match=r"Failed to format this callback filepath.*the results are.*epoch.*loss"):
        fitted(callbacks.ModelCheckpoint(tmp_path / "{nothing}.keras"), epochs=1, r=[5])


def test_a_checkpoint_that_cannot_be_written_loses_nothing(tmp_path):
    (tmp_path / "file").write_text("in the way")
    model = linear()
    with pytest.raises(OSError, match="file"):
        model.fit(*line(), epochs=3, verbose=0, callbacks=[callbacks.ModelCheckpoint(tmp_path / "file" / "m.keras")])
    assert (tmp_path / "file").read_text() == "in the way"
    assert np.ravel(model.get_weights()[0])[0] != 0


def test_learning_rates():
    model, _ = fitted(callbacks.LearningRateScheduler(lambda epoch: 0.5**epoch), epochs=3)
    assert float(model.optimizer.learning_rate) == pytest.approx(0.25)
    assert model.history.history["learning_rate"] == pytest.approx([1.0, 0.5, 0.25])
    with pytest.raises(ValueError, match=r"should be a float\. Got: 3"):
        fitted(callbacks.LearningRateScheduler(lambda epoch, rate: 3), epochs=1)
    plateau = callbacks.ReduceLROnPlateau("r", factor=0.5, patience=1, min_lr=0.03, cooldown=1)
    model, _ = fitted(plateau, epochs=8, r=[5] * 8)
    assert model.history.history["learning_rate"][:5] == pytest.approx([0.1, 0.1, 0.05, 0.05, 0.03], abs=0.021)
    assert float(model.optimizer.learning_rate) == pytest.approx(0.03)


def test_a_rate_that_changes_is_what_the_traced_step_uses():
    x, y = line()
    model = linear(optimizer=tf.keras.optimizers.SGD(0.1))
    model.fit(x, y, verbose=0)
    before = model.get_weights()[0]
    model.fit(x, y, verbose=0, callbacks=[callbacks.LearningRateScheduler(lambda epoch: 0.0)])
    np.testing.assert_array_equal(model.get_weights()[0], before)


def test_results_in_a_table(tmp_path):
    file = tmp_path / "log.csv"
    linear(metrics=["mae"]).fit(*line(), epochs=2, verbose=0, callbacks=[callbacks.CSVLogger(file)])
    linear(metrics=["mae"]).fit(*line(), epochs=1, verbose=0, callbacks=[callbacks.CSVLogger(file, append=True)])
    with file.open() as table:
        rows = list(csv.DictReader(table))
    assert list(rows[0]) == ["epoch", "loss", "mae"]
    assert [row["epoch"] for row in rows] == ["0", "1", "0"]


def test_files_are_closed_when_training_is_interrupted(tmp_path):
    logger = callbacks.CSVLogger(tmp_path / "log.csv")

    def interrupt(epoch, _logs):
        if epoch == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        linear().fit(*line(), epochs=5, verbose=0, callbacks=[logger, callbacks.LambdaCallback(on_epoch_end=interrupt)])
    assert len((tmp_path / "log.csv").read_text().splitlines()) == 3
    assert logger._file is None


def test_tensorboard_reads_what_is_written(tmp_path):
    board = callbacks.TensorBoard(tmp_path, histogram_freq=1, update_freq=2, write_steps_per_second=True)
    linear().fit(*line(8), batch_size=2, epochs=3, verbose=0, validation_split=0.5, callbacks=[board])
    train = EventAccumulator(str(tmp_path / "train"), size_guidance={"tensors": 0})
    train.Reload()
    tags = train.Tags()["tensors"]
    assert {"epoch_loss", "epoch_learning_rate", "epoch_steps_per_second", "batch_loss"} <= set(tags)
    assert any(tag.endswith("kernel/histogram") for tag in tags)
    assert [event.step for event in train.Tensors("epoch_loss")] == [0, 1, 2]
    assert train.Tags()["graph"]
    validation = EventAccumulator(str(tmp_path / "validation"))
    validation.Reload()
    assert validation.Tags()["tensors"] == ["epoch_loss"]


def test_terminate_on_nan(capsys):
    x, y = line()
    y[3] = np.nan
    assert len(linear().fit(x, y, epochs=5, verbose=0, callbacks=[callbacks.TerminateOnNaN()]).epoch) == 1
    assert "Invalid loss, terminating training" in capsys.readouterr().out
