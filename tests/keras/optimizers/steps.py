"""Ten steps of every optimizer, written once for tapeviz and for Keras: what is compared with the reference values."""

from __future__ import annotations

from pathlib import Path

import numpy as np

ANSWERS = Path(__file__).with_name("reference.npz")
STEPS, KEPT = 10, (1, 2, 10)
SHAPES = ((3, 2), (4,))
ROWS = 5
DTYPES = ("float64", "float32")

# By title: the class, and what it is made with. A function is given the module of optimizers.
CASES = {
    "SGD": ("SGD", {"learning_rate": 0.1}),
    "SGD momentum": ("SGD", {"learning_rate": 0.1, "momentum": 0.9}),
    "SGD nesterov": ("SGD", {"learning_rate": 0.1, "momentum": 0.9, "nesterov": True}),
    "SGD weight_decay": ("SGD", {"learning_rate": 0.1, "weight_decay": 0.05}),
    "SGD clipnorm": ("SGD", {"learning_rate": 0.1, "clipnorm": 0.5}),
    "SGD clipvalue": ("SGD", {"learning_rate": 0.1, "clipvalue": 0.2}),
    "SGD global_clipnorm": ("SGD", {"learning_rate": 0.1, "momentum": 0.5, "global_clipnorm": 0.7}),
    "SGD loss_scale_factor": ("SGD", {"learning_rate": 0.1, "loss_scale_factor": 8.0}),
    "SGD ema": ("SGD", {"learning_rate": 0.1, "use_ema": True, "ema_momentum": 0.8, "ema_overwrite_frequency": 3}),
    "SGD accumulation": ("SGD", {"learning_rate": 0.1, "momentum": 0.9, "gradient_accumulation_steps": 3}),
    "Adam": ("Adam", {}),
    "Adam rate": ("Adam", {"learning_rate": 0.05, "beta_1": 0.8, "beta_2": 0.95, "epsilon": 1e-4}),
    "Adam amsgrad": ("Adam", {"learning_rate": 0.05, "amsgrad": True}),
    "Adam everything": (
        "Adam",
        {"learning_rate": 0.05, "weight_decay": 0.01, "clipnorm": 1.0, "use_ema": True, "ema_overwrite_frequency": 4},
    ),
    "Adam accumulation": ("Adam", {"learning_rate": 0.05, "gradient_accumulation_steps": 2, "clipvalue": 0.5}),
    "AdamW": ("AdamW", {}),
    "AdamW rate": ("AdamW", {"learning_rate": 0.05, "weight_decay": 0.1, "amsgrad": True}),
    "RMSprop": ("RMSprop", {}),
    "RMSprop momentum": ("RMSprop", {"learning_rate": 0.02, "rho": 0.8, "momentum": 0.7}),
    "RMSprop centered": ("RMSprop", {"learning_rate": 0.02, "centered": True, "epsilon": 1e-3}),
    "RMSprop all": ("RMSprop", {"learning_rate": 0.02, "centered": True, "momentum": 0.5, "weight_decay": 0.01}),
    "Adagrad": ("Adagrad", {}),
    "Adagrad rate": ("Adagrad", {"learning_rate": 0.3, "initial_accumulator_value": 0.0, "epsilon": 1e-5}),
    "Adadelta": ("Adadelta", {}),
    "Adadelta rate": ("Adadelta", {"learning_rate": 1.0, "rho": 0.8, "epsilon": 1e-3}),
    "Adamax": ("Adamax", {}),
    "Adamax rate": ("Adamax", {"learning_rate": 0.05, "beta_1": 0.7, "beta_2": 0.9}),
    "Nadam": ("Nadam", {}),
    "Nadam rate": ("Nadam", {"learning_rate": 0.05, "beta_1": 0.7, "beta_2": 0.9}),
    "Ftrl": ("Ftrl", {}),
    "Ftrl l1 l2": (
        "Ftrl", {"learning_rate": 0.5, "l1_regularization_strength": 0.3, "l2_regularization_strength": 0.1},
    ),
    "Ftrl all": (
        "Ftrl",
        {
            "learning_rate": 0.5, "learning_rate_power": -0.7, "initial_accumulator_value": 0.5, "beta": 0.2,
            "l2_shrinkage_regularization_strength": 0.1, "l1_regularization_strength": 0.05,
        },
    ),
    "Lion": ("Lion", {}),
    "Lion rate": ("Lion", {"learning_rate": 0.02, "beta_1": 0.7, "beta_2": 0.8, "weight_decay": 0.1}),
    "Adam scheduled": ("Adam", lambda K: {"learning_rate": K.schedules.ExponentialDecay(0.1, 3, 0.5)}),
    "SGD scheduled": (
        "SGD",
        lambda K: {"learning_rate": K.schedules.CosineDecay(0.1, 8, alpha=0.1), "momentum": 0.5, "weight_decay": 0.1},
    ),
}  # fmt: skip

# Where Keras takes no indexed slices.
DENSE = ("SGD loss_scale_factor", "SGD accumulation", "Adam accumulation")

SCHEDULES = {
    "ExponentialDecay": ("ExponentialDecay", (0.1, 7, 0.6)),
    "ExponentialDecay staircase": ("ExponentialDecay", (0.1, 7, 0.6, True)),
    "InverseTimeDecay": ("InverseTimeDecay", (0.1, 7, 0.6)),
    "InverseTimeDecay staircase": ("InverseTimeDecay", (0.1, 7, 0.6, True)),
    "PiecewiseConstantDecay": ("PiecewiseConstantDecay", ([5, 12, 20], [0.5, 0.3, 0.2, 0.05])),
    "PolynomialDecay": ("PolynomialDecay", (0.1, 15, 0.01, 2.0)),
    "PolynomialDecay cycle": ("PolynomialDecay", (0.1, 7, 0.01, 0.5, True)),
    "CosineDecay": ("CosineDecay", (0.1, 15, 0.2)),
    "CosineDecay warmup": ("CosineDecay", (0.1, 15, 0.2, "warm", 0.7, 6)),
    "CosineDecayRestarts": ("CosineDecayRestarts", (0.1, 4)),
    "CosineDecayRestarts alike": ("CosineDecayRestarts", (0.1, 4, 1.0, 0.8, 0.1)),
    "CosineDecayRestarts longer": ("CosineDecayRestarts", (0.1, 4, 1.5, 0.8, 0.1)),
}
SCHEDULED = 30


def initial(dtype):
    """Return what the variables begin with, the last of them a table of which rows are looked up."""
    rng = np.random.default_rng(1)
    return [rng.uniform(0.5, 2.0, shape).astype(dtype) for shape in (*SHAPES, (ROWS, 2))]


def gradients(dtype):
    """Return for each step the gradients, the last of them as rows and their places."""
    rng = np.random.default_rng(2)
    for _ in range(STEPS):
        dense = [rng.normal(size=shape).astype(dtype) for shape in SHAPES]
        yield dense, rng.normal(size=(3, 2)).astype(dtype), rng.permutation(ROWS)[:3]


def made(library, title):
    """Return a new optimizer."""
    module = library.keras.optimizers
    kind, options = CASES[title]
    return getattr(module, kind)(**(options(module) if callable(options) else options))


def stepper(library, optimizer, variables, *, sparse):
    """Return the function that does a step."""

    def step(dense, rows, places):
        table = library.IndexedSlices(rows, places, library.constant([ROWS, 2]))
        gradients = [*dense, table if sparse else library.convert_to_tensor(table)]
        optimizer.apply_gradients(zip(gradients, variables, strict=True))

    return step


def run(library, title, dtype, wrap=lambda function: function):
    """Return the variables after some of ten steps, all elements in a row."""
    variables = [library.Variable(value, name=f"v{place}") for place, value in enumerate(initial(dtype))]
    step = wrap(stepper(library, made(library, title), variables, sparse=title not in DENSE))
    found = []
    for number, (dense, rows, places) in enumerate(gradients(dtype), 1):
        step([library.constant(g) for g in dense], library.constant(rows), library.constant(places))
        if number in KEPT:
            found.append(np.concatenate([variable.numpy().ravel() for variable in variables]))
    return np.stack(found)


def rates(library, title):
    """Return the rates of a schedule's first steps."""
    kind, given = SCHEDULES[title]
    schedule = getattr(library.keras.optimizers.schedules, kind)(*given)
    return np.array([np.asarray(schedule(step)) for step in range(SCHEDULED)], np.float64)
