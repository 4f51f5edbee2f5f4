"""Write down the losses of the sparse autoencoder under PyTorch's l-BFGS, in float64.

Run by hand, where PyTorch and scikit-learn are installed::

    python tests/optimizers/make_reference.py
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import torch

from tests.optimizers.autoencoder import ANSWERS, RUNS, loss, pictures, rate, weights

ITERATIONS = 100


def losses(options):
    """Return the loss before each iteration, and how many times it was computed until the iteration was over."""
    x = torch.from_numpy(pictures())
    parameters = [torch.from_numpy(value).requires_grad_() for value in weights()]
    optimizer = torch.optim.LBFGS(parameters, lr=rate(options), max_iter=1, max_eval=1000, **options)
    count, found, evaluations = [0], [], []

    def closure():
        optimizer.zero_grad()
        value = loss(torch, x, *parameters)
        value.backward()
        count[0] += 1
        return value

    for _ in range(ITERATIONS):
        found.append(optimizer.step(closure).item())
        evaluations.append(count[0])
    return {"losses": found, "evaluations": evaluations}


if __name__ == "__main__":
    said = {title: losses(options) for title, options in RUNS.items()}
    lines = [f"{json.dumps(title)}: {json.dumps(found)}" for title, found in said.items()]
    version = f'"version": {json.dumps(f"PyTorch {torch.__version__}")}'
    ANSWERS.write_text("{\n" + ",\n".join([version, *lines]) + "\n}\n")
    print(ANSWERS.read_text()[:2000])
