"""Write down what TensorFlow (in float32) and PyTorch (in both) say of ``ctc_loss`` and its gradient.

Run by hand, where both are installed::

    python tests/ops/make_ctc_answers.py
"""

import os
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
import tensorflow as tf
import torch

from tests.ops.ctc_cases import FRAME_LENGTHS, LOGITS, STORED, TARGET_LENGTHS, TARGETS


def by_tensorflow(blank):
    logits = tf.constant(LOGITS.astype("f4"))
    targets = (TARGETS if blank == 0 else TARGETS - 1).astype("i4")
    with tf.GradientTape() as tape:
        tape.watch(logits)
        lengths = TARGET_LENGTHS.astype("i4"), FRAME_LENGTHS.astype("i4")
        losses = tf.nn.ctc_loss(targets, logits, *lengths, blank_index=blank)
    return losses.numpy(), tape.gradient(losses, logits).numpy()


def by_torch(dtype):
    logits = torch.tensor(LOGITS, dtype=dtype, requires_grad=True)
    lengths = torch.tensor(FRAME_LENGTHS), torch.tensor(TARGET_LENGTHS)
    losses = torch.nn.functional.ctc_loss(
        torch.log_softmax(logits, -1), torch.tensor(TARGETS), *lengths, reduction="none"
    )  # fmt: skip
    losses.sum().backward()
    return losses.detach().numpy(), logits.grad.numpy()


if __name__ == "__main__":
    found = {
        "tensorflow": by_tensorflow(0), "tensorflow last": by_tensorflow(-1), "float32": by_torch(torch.float32),
        "float64": by_torch(torch.float64),
    }  # fmt: skip
    kept = {
        f"{name}/{part}": value
        for name, pair in found.items()
        for part, value in zip(("loss", "slope"), pair, strict=True)
    }
    np.savez_compressed(STORED, version=np.array(f"TensorFlow {tf.__version__}, torch {torch.__version__}"), **kept)
    for name, (losses, _) in found.items():
        print(name, losses)
