"""Ten steps of TensorFlow 1's optimizers, written once for tapeviz and for TensorFlow."""

from __future__ import annotations

from pathlib import Path

import numpy as np

ANSWERS = Path(__file__).with_name("optimizer_steps.npz")
STEPS, KEPT = 10, (1, 2, 10)
ROWS = 5
DTYPES = ("float64", "float32")

# By title: the class and its arguments.
CASES = {
    "GradientDescent": ("GradientDescentOptimizer", {"learning_rate": 0.1}),
    "Momentum": ("MomentumOptimizer", {"learning_rate": 0.1, "momentum": 0.9}),
    "Momentum nesterov": ("MomentumOptimizer", {"learning_rate": 0.1, "momentum": 0.8, "use_nesterov": True}),
    "Adam": ("AdamOptimizer", {}),
    "Adam rate": ("AdamOptimizer", {"learning_rate": 0.05, "beta1": 0.8, "beta2": 0.95, "epsilon": 1e-4}),
    "Adagrad": ("AdagradOptimizer", {"learning_rate": 0.1}),
    "Adagrad begin": ("AdagradOptimizer", {"learning_rate": 0.3, "initial_accumulator_value": 0.5}),
    "Adadelta": ("AdadeltaOptimizer", {}),
    "Adadelta rate": ("AdadeltaOptimizer", {"learning_rate": 1.0, "rho": 0.8, "epsilon": 1e-3}),
    "RMSProp": ("RMSPropOptimizer", {"learning_rate": 0.02}),
    "RMSProp momentum": ("RMSPropOptimizer", {"learning_rate": 0.02, "decay": 0.8, "momentum": 0.7}),
    "RMSProp centered": (
        "RMSPropOptimizer", {"learning_rate": 0.02, "momentum": 0.5, "epsilon": 1e-3, "centered": True},
    ),
    "Ftrl": ("FtrlOptimizer", {"learning_rate": 0.1}),
    "Ftrl prices": (
        "FtrlOptimizer",
        {"learning_rate": 0.5, "l1_regularization_strength": 0.3, "l2_regularization_strength": 0.1},
    ),
    "Ftrl shrinkage": (
        "FtrlOptimizer",
        {
            "learning_rate": 0.5, "learning_rate_power": -0.7, "initial_accumulator_value": 0.5,
            "l2_shrinkage_regularization_strength": 0.1, "l1_regularization_strength": 0.05,
        },
    ),
    "ProximalGradientDescent": (
        "ProximalGradientDescentOptimizer",
        {"learning_rate": 0.1, "l1_regularization_strength": 0.5, "l2_regularization_strength": 0.2},
    ),
    "ProximalAdagrad": (
        "ProximalAdagradOptimizer",
        {"learning_rate": 0.2, "l1_regularization_strength": 0.5, "l2_regularization_strength": 0.2},
    ),
}  # fmt: skip

# TensorFlow takes no float64 in two of them.
RUNS = [(title, dtype) for title in CASES for dtype in DTYPES if dtype == "float32" or "Proximal" not in title]


def initial(dtype):
    """Return what a matrix and a table of rows begin with."""
    rng = np.random.default_rng(1)
    return [rng.uniform(0.5, 2.0, shape).astype(dtype) for shape in ((3, 2), (ROWS, 2))]


def gradients(dtype):
    """Return for each step the gradient of the matrix, and rows of the table with their places, one of them twice."""
    rng = np.random.default_rng(2)
    for _ in range(STEPS):
        places = rng.permutation(ROWS)[[0, 1, 0]].astype("i4")
        yield rng.normal(size=(3, 2)).astype(dtype), rng.normal(size=(3, 2)).astype(dtype), places


def in_a_session(tf, title, dtype):
    """Return the variables after some of ten steps in a graph."""
    kind, options = CASES[title]
    found = []
    with tf.Graph().as_default(), tf.Session() as session:
        variables = [tf.Variable(value, name=f"v{place}") for place, value in enumerate(initial(dtype))]
        given = [tf.placeholder(dtype, (3, 2)), tf.placeholder(dtype, (3, 2)), tf.placeholder("int32", (3,))]
        sparse = tf.IndexedSlices(given[1], given[2], tf.constant([ROWS, 2]))
        optimizer = getattr(tf.train, kind)(**options)
        step = optimizer.apply_gradients(zip([given[0], sparse], variables, strict=True))
        session.run(tf.global_variables_initializer())
        for number, values in enumerate(gradients(dtype), 1):
            session.run(step, dict(zip(given, values, strict=True)))
            if number in KEPT:
                found.append(np.concatenate([value.ravel() for value in session.run(variables)]))
    return np.stack(found)


def eagerly(tf, title, dtype):
    """Return the same of eager variables."""
    kind, options = CASES[title]
    found = []
    variables = [tf.Variable(value, name=f"v{place}") for place, value in enumerate(initial(dtype))]
    optimizer = getattr(tf.train, kind)(**options)
    for number, (dense, rows, places) in enumerate(gradients(dtype), 1):
        sparse = tf.IndexedSlices(tf.constant(rows), tf.constant(places), tf.constant([ROWS, 2]))
        optimizer.apply_gradients(zip([tf.constant(dense), sparse], variables, strict=True))
        if number in KEPT:
            found.append(np.concatenate([variable.numpy().ravel() for variable in variables]))
    return np.stack(found)
