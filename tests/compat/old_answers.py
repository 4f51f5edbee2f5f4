"""Losses, metrics and constraints of TensorFlow 1, written once for tapeviz and for TensorFlow."""

from __future__ import annotations

from pathlib import Path

import numpy as np

ANSWERS = Path(__file__).with_name("old_answers.npz")
DTYPES = ("float64", "float32")
ROWS, CLASSES, BATCHES = 6, 4, 3
RNG = np.random.default_rng(8)
# Batches of everything that a program may need; probabilities of which some are alike.
GIVEN = [
    {
        "x": RNG.normal(size=(ROWS, CLASSES)), "y": RNG.normal(size=(ROWS, CLASSES)),
        "p": RNG.integers(0, 21, (ROWS, CLASSES)) / 20.0, "t": RNG.integers(0, 2, (ROWS, CLASSES)).astype("f8"),
        "one": np.eye(CLASSES)[RNG.integers(0, CLASSES, ROWS)], "classes": RNG.integers(0, CLASSES, ROWS),
        "found": RNG.integers(0, CLASSES, ROWS), "w": RNG.integers(0, 3, (ROWS, CLASSES)) / 2.0,
        "rows": np.array([0.5, 0.0, 1.0, 2.0, 0.0, 1.5]), "column": RNG.integers(0, 3, (ROWS, 1)) / 2.0,
    }
    for _ in range(BATCHES)
]  # fmt: skip

# By title: the function, the names of what it is given, and further arguments; texts that name what is given are that.
LOSSES = {
    "absolute_difference": ("absolute_difference", "x y", {}),
    "absolute_difference by rows": ("absolute_difference", "x y", {"weights": "column"}),
    "mean_squared_error": ("mean_squared_error", "x y", {}),
    "mean_squared_error weights": ("mean_squared_error", "x y", {"weights": "w"}),
    "mean_squared_error number": ("mean_squared_error", "x y", {"weights": 2.5}),
    "mean_squared_error nothing": ("mean_squared_error", "x y", {"weights": 0.0}),
    **{
        f"mean_squared_error {kind}": ("mean_squared_error", "x y", {"weights": "w", "reduction": kind})
        for kind in ("none", "weighted_sum", "weighted_sum_over_batch_size", "weighted_mean")
    },
    "mean_squared_error mean by rows": (
        "mean_squared_error", "x y", {"weights": "column", "reduction": "weighted_mean"}
    ),
    "mean_pairwise_squared_error": ("mean_pairwise_squared_error", "x y", {}),
    "mean_pairwise_squared_error by rows": ("mean_pairwise_squared_error", "x y", {"weights": "column"}),
    "huber_loss": ("huber_loss", "x y", {}),
    "huber_loss delta": ("huber_loss", "x y", {"delta": 0.3, "weights": "w"}),
    "log_loss": ("log_loss", "t p", {}),
    "log_loss epsilon": ("log_loss", "t p", {"epsilon": 1e-3, "weights": "column"}),
    "hinge_loss": ("hinge_loss", "t y", {}),
    "hinge_loss weights": ("hinge_loss", "t y", {"weights": "w"}),
    "cosine_distance": ("cosine_distance", "x y", {"axis": 1}),
    "cosine_distance by rows": ("cosine_distance", "x y", {"axis": 1, "weights": "column"}),
    "sigmoid_cross_entropy": ("sigmoid_cross_entropy", "t y", {}),
    "sigmoid_cross_entropy smooth": ("sigmoid_cross_entropy", "t y", {"label_smoothing": 0.2, "weights": "w"}),
    "softmax_cross_entropy": ("softmax_cross_entropy", "one y", {}),
    "softmax_cross_entropy smooth": ("softmax_cross_entropy", "one y", {"label_smoothing": 0.2, "weights": "rows"}),
    "sparse_softmax_cross_entropy": ("sparse_softmax_cross_entropy", "classes y", {}),
    "sparse_softmax_cross_entropy rows": ("sparse_softmax_cross_entropy", "classes y", {"weights": "rows"}),
    "sparse_softmax_cross_entropy column": ("sparse_softmax_cross_entropy", "classes y", {"weights": "column"}),
    "compute_weighted_loss": ("compute_weighted_loss", "x", {"weights": "w"}),
}  # fmt: skip
_AT = {"thresholds": [0.2, 0.5, 0.9]}
METRICS = {
    "mean": ("mean", "x", {}),
    "mean weights": ("mean", "x", {"weights": "w"}),
    "mean by rows": ("mean", "x", {"weights": "column"}),
    "mean_tensor": ("mean_tensor", "x", {}),
    "mean_tensor weights": ("mean_tensor", "x", {"weights": "w"}),
    "accuracy": ("accuracy", "classes found", {}),
    "accuracy rows": ("accuracy", "classes found", {"weights": "rows"}),
    "percentage_below": ("percentage_below", "x", {"threshold": 0.3, "weights": "w"}),
    "mean_absolute_error": ("mean_absolute_error", "x y", {"weights": "w"}),
    "mean_squared_error": ("mean_squared_error", "x y", {}),
    "mean_squared_error by rows": ("mean_squared_error", "x y", {"weights": "column"}),
    "root_mean_squared_error": ("root_mean_squared_error", "x y", {"weights": "w"}),
    "mean_relative_error": ("mean_relative_error", "x y", {"normalizer": "w"}),
    "mean_cosine_distance": ("mean_cosine_distance", "x y", {"dim": 1}),
    "mean_cosine_distance by rows": ("mean_cosine_distance", "x y", {"dim": 1, "weights": "column"}),
    "mean_per_class_accuracy": ("mean_per_class_accuracy", "classes found", {"num_classes": CLASSES}),
    "mean_per_class_accuracy rows": (
        "mean_per_class_accuracy", "classes found", {"num_classes": CLASSES, "weights": "rows"}
    ),
    "mean_iou": ("mean_iou", "classes found", {"num_classes": CLASSES + 1}),
    "mean_iou rows": ("mean_iou", "classes found", {"num_classes": CLASSES, "weights": "rows"}),
    **{
        f"{kind} {extra or 'plain'}": (kind, "t p", {"weights": extra} if extra else {})
        for kind in (
            "true_positives", "true_negatives", "false_positives", "false_negatives", "precision", "recall", "auc"
        )
        for extra in ("", "w", "column") if kind == "auc" or extra != "column"
    },
    "auc few": ("auc", "t p", {"num_thresholds": 5, "weights": "w"}),
    "auc given": ("auc", "t p", {"thresholds": [0.6, 0.2]}),
    **{
        f"auc {curve} {method}": ("auc", "t p", {"curve": curve, "summation_method": method, "weights": "w"})
        for curve in ("ROC", "PR") for method in ("trapezoidal", "careful_interpolation", "minoring", "majoring")
    },
    **{
        f"{kind}_at_thresholds": (f"{kind}_at_thresholds", "t p", {**_AT, "weights": "w"})
        for kind in (
            "true_positives", "true_negatives", "false_positives", "false_negatives", "precision", "recall"
        )
    },
    **{
        f"sensitivity_at_specificity {share}": ("sensitivity_at_specificity", "t p", {"specificity": share})
        for share in (0.0, 0.3, 0.8)
    },
    **{
        f"specificity_at_sensitivity {share}": ("specificity_at_sensitivity", "t p", {"sensitivity": share})
        for share in (0.0, 0.3, 0.8)
    },
}  # fmt: skip
CONSTRAINED = {
    "GradientDescent": ("GradientDescentOptimizer", {"learning_rate": 0.4}),
    "Momentum": ("MomentumOptimizer", {"learning_rate": 0.2, "momentum": 0.9}),
    # Numbers that float32 has: TensorFlow keeps them in it.
    "Adam": ("AdamOptimizer", {"learning_rate": 0.25, "beta1": 0.875, "beta2": 0.9921875, "epsilon": 2.0**-20}),
}


def _whole(name):
    return name in ("classes", "found")


def _called(tf, space, case, feeds, dtype):
    """Return what a function gives, of placeholders."""
    function, names, options = case

    def fed(name):
        kind = "int64" if _whole(name) else dtype
        if name not in feeds:
            feeds[name] = tf.placeholder(kind, GIVEN[0][name].shape, name=f"given_{name}")
        return feeds[name]

    options = {key: fed(value) if value in GIVEN[0] else value for key, value in _hashable(options).items()}
    return getattr(getattr(tf, space), function)(*map(fed, names.split()), **options)


def _hashable(options):
    return {key: tuple(value) if isinstance(value, list) else value for key, value in options.items()}


def _values(feeds, batch, dtype):
    return {
        tensor: GIVEN[batch][name].astype("int64" if _whole(name) else dtype) for name, tensor in feeds.items()
    }  # fmt: skip


def loss(tf, title, dtype):
    """Return the loss of a batch, and its gradient by what was found, where there is one."""
    with tf.Graph().as_default(), tf.Session() as session:
        feeds = {}
        found = _called(tf, "losses", LOSSES[title], feeds, dtype)
        assert tf.losses.get_losses() == [found]
        slope = tf.gradients(found, feeds[LOSSES[title][1].split()[-1]])[0]
        return list(session.run([found, slope], _values(feeds, 0, dtype)))


def metric(tf, title, dtype):
    """Return what the update and then the value say of each batch."""
    with tf.Graph().as_default(), tf.Session() as session:
        feeds, said = {}, []
        value, update = _called(tf, "metrics", METRICS[title], feeds, dtype)
        session.run(tf.local_variables_initializer())
        for batch in range(BATCHES):
            said.append(session.run(update, _values(feeds, batch, dtype)))
            said.append(session.run(value))
        return said


def constrained(tf, title, dtype):
    """Return a variable of a scope, one with a constraint of its own and one without, after four steps of each."""
    kind, options = CONSTRAINED[title]
    with tf.Graph().as_default(), tf.Session() as session:
        begin = tf.constant_initializer(np.array([[0.5, -0.25], [1.5, 2.0]]))
        with tf.variable_scope("bounded", constraint=lambda w: tf.clip_by_value(w, 0.0, 1.0)):
            first = tf.get_variable("first", [2, 2], dtype, begin)
            own = tf.get_variable("own", [2, 2], dtype, begin, constraint=lambda w: w / tf.norm(w))
        free = tf.get_variable("free", [2, 2], dtype, begin)
        made = tf.Variable(np.array([1.0, -1.0], dtype), constraint=tf.abs)
        error = sum(tf.reduce_sum(tf.square(w - 0.7)) for w in (first, own, free)) + tf.reduce_sum(made * made)
        step = getattr(tf.train, kind)(**options).minimize(error)
        session.run(tf.global_variables_initializer())
        said = []
        for _ in range(4):
            session.run(step)
            said.extend(session.run([first, own, free, made]))
        return said


PROGRAMS = {"loss": (loss, LOSSES), "metric": (metric, METRICS), "constrained": (constrained, CONSTRAINED)}
RUNS = [(sort, title, dtype) for sort, (_, titles) in PROGRAMS.items() for title in titles for dtype in DTYPES]


def answers(tf, sort, title, dtype):
    """Return all numbers of a program, one after the other."""
    found = PROGRAMS[sort][0](tf, title, dtype)
    return np.concatenate([np.asarray(one, "f8").ravel() for one in found])
