"""A training run that is killed and begun again: prints what each epoch and the weights came to.

python -m tests.keras.callbacks.resumption FOLDER EPOCHS [EPOCH STEP]   end without a word at a step of an epoch
"""

import json
import os
import signal
import sys

import numpy as np

import tapeviz as tf


def model():
    """A network with weights, running means and moments that all have to come back."""
    layers = tf.keras.layers
    made = tf.keras.Sequential([
        layers.Dense(8, activation="tanh", kernel_initializer=tf.keras.initializers.GlorotUniform(seed=3)),
        layers.BatchNormalization(),
        layers.Dense(1, kernel_initializer=tf.keras.initializers.GlorotUniform(seed=4)),
    ])  # fmt: skip
    made.compile(tf.keras.optimizers.Adam(0.05), "mse")
    return made


class Killed(tf.keras.callbacks.Callback):
    """Ends the process at a step of an epoch."""

    def __init__(self, epoch, step):
        super().__init__()
        self.at, self.now = (epoch, step), 0

    def on_epoch_begin(self, epoch, *_):
        self.now = epoch

    def on_train_batch_end(self, batch, *_):
        if (self.now, batch) == self.at:
            os.kill(os.getpid(), signal.SIGKILL)


def run(folder, epochs, killed=None, **options):
    """Train; return the epochs, their losses and the weights."""
    x = np.linspace(-1.0, 1.0, 64, dtype=np.float32)[:, None]
    one = model()
    others = [] if killed is None else [Killed(*killed)]
    backup = [tf.keras.callbacks.BackupAndRestore(folder, **options)] if folder else []
    history = one.fit(x, x**2, batch_size=16, epochs=epochs, shuffle=False, verbose=0, callbacks=[*backup, *others])
    return {
        "epochs": history.epoch, "losses": history.history.get("loss", []), "steps": int(one.optimizer.iterations),
        "weights": [weight.tolist() for weight in one.get_weights()],
    }  # fmt: skip


if __name__ == "__main__":
    where, last, *killing = sys.argv[1:]
    print(json.dumps(run(where, int(last), tuple(map(int, killing)) or None)))
