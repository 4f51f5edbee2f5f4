"""The sparse autoencoder of Andrew Ng's UFLDL exercises, on small pictures of digits, for tapeviz and for PyTorch.

Its mean activations are to be near a small number: what differs costs as much as the Kullback-Leibler divergence says.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

# Beside the notebook that draws them.
ANSWERS = Path(__file__).parents[2] / "notebooks" / "programs" / "data" / "lbfgs_pytorch.json"
PICTURES, PIXELS, HIDDEN = 500, 64, 25
DECAY, SPARSITY, PRICE = 1e-4, 0.05, 3.0
ITERATIONS = 15
# By title: the arguments of the optimizer, called alike in both.
RUNS = {
    "no search, history 5": {"history_size": 5, "line_search_fn": None},
    "no search, history 100": {"history_size": 100, "line_search_fn": None},
    "strong Wolfe, history 5": {"history_size": 5, "line_search_fn": "strong_wolfe"},
    "strong Wolfe, history 100": {"history_size": 100, "line_search_fn": "strong_wolfe"},
}


def pictures():
    """Return the pictures as rows of numbers from 0.1 to 0.9."""
    return load_digits().data[:PICTURES] / 16 * 0.8 + 0.1


def weights():
    """Return what training begins with: both matrices, and their biases."""
    rng = np.random.default_rng(7)
    most = np.sqrt(6 / (PIXELS + HIDDEN + 1))
    shapes = ((PIXELS, HIDDEN), (HIDDEN, PIXELS))
    return [rng.uniform(-most, most, shape) for shape in shapes] + [np.zeros(HIDDEN), np.zeros(PIXELS)]


def loss(library, x, w1, w2, b1, b2):
    """Return the loss; what is called alike in tapeviz and PyTorch is called by both."""
    hidden = library.sigmoid(x @ w1 + b1)
    error = library.sigmoid(hidden @ w2 + b2) - x
    active = hidden.mean(0) if hasattr(hidden, "mean") else library.reduce_mean(hidden, axis=0)
    log = getattr(library, "log", None) or library.math.log
    total = getattr(library, "reduce_sum", None) or library.sum
    differs = SPARSITY * log(SPARSITY / active) + (1 - SPARSITY) * log((1 - SPARSITY) / (1 - active))
    decay = total(w1 * w1) + total(w2 * w2)
    return 0.5 * total(error * error) / len(x) + 0.5 * DECAY * decay + PRICE * total(differs)


def rate(options):
    """Return the learning rate: without a search, one with which the loss falls."""
    return 1.0 if options["line_search_fn"] else 0.5


def answers():
    """Return PyTorch's losses by title, and how many times each was computed up to there."""
    return json.loads(ANSWERS.read_text())
