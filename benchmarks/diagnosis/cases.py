"""The twenty bugs, why these, and how each is looked for by printing.

The choice is a rule, so that nobody picks: of each of the twelve kinds the program with the fewest lines of code, and
of the eight kinds with the most programs the second shortest too (of kinds of equal size, the alphabet's first). Short
programs are where printing is at its best. A program of graph mode's sessions would be passed over, as it has nothing
to print between its lines; none was among these.

Printing follows one order: the line where the symptom is seen comes first, then the lines that its values were computed
from, upstream. Each round prints what shows the most (shape, dtype, range, gradients). A round ends the search when
what it printed shows a *tell*: a value no line should make, which is seen without knowing the cause.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["CASES", "KINDS", "Case", "Insert", "Sight"]

_CHANGES: Final = 2

Tell = Callable[[Sequence[str]], bool]


@dataclass(frozen=True)
class Insert:
    """Lines put after (or before) the first line with a text, as far to the right as it; each line is an action."""

    at: str
    lines: tuple[str, ...]
    before: bool = False


@dataclass(frozen=True)
class Sight:
    """What gives the fault away in a list of ops: an output of that many elements, or of that dtype, on its line."""

    size: int = 0
    dtype: str = ""


@dataclass(frozen=True)
class Case:
    """A bug: the rounds of printing, what the last one shows, and what a list of ops would show."""

    name: str
    rounds: tuple[tuple[Insert, ...], ...]
    tell: Tell
    shows: str
    sight: Sight | None = None

    @property
    def kind(self) -> str:
        """What the program's name begins with."""
        return next(kind for kind in KINDS if self.name.startswith(kind))


KINDS: Final = (
    "broadcast", "data", "diverging", "frozen", "nan", "none", "not_learning", "precision", "retrace", "softmax",
    "training_flag", "variables",
)  # fmt: skip


def _has(pattern: str) -> Tell:
    """Tell by a text on one of the printed lines."""
    return lambda seen: any(re.search(pattern, line) for line in seen)


def _never(_seen: Sequence[str]) -> bool:
    """Tell nothing: the values look as values look."""
    return False


def _numbers(seen: Sequence[str]) -> list[float]:
    return [float(found) for line in seen for found in re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?", line)]


def _unsteady(seen: Sequence[str]) -> bool:
    """Tell by a weight whose sign changes between steps: no learning rate of 0.1 does that to a weight."""
    values = _numbers(seen)
    return sum(one * other < 0 for one, other in itertools.pairwise(values)) > _CHANGES


def _once(seen: Sequence[str]) -> bool:
    """Tell by a line that printed once, though its function was called twice."""
    return len(seen) == 1


def _uneven(seen: Sequence[str]) -> bool:
    """Tell by norms of which the smallest is under a twentieth of the largest."""
    values = _numbers(seen)
    return min(values) < max(values) / 20


def _same_twice(seen: Sequence[str]) -> bool:
    """Tell by a value that a line should have changed, and which is the same before and after it."""
    return len(seen) > 1 and seen[0] == seen[1]


def _after(at: str, *lines: str) -> Insert:
    return Insert(at, lines)


def _before(at: str, *lines: str) -> Insert:
    return Insert(at, lines, before=True)


_PREDICTED: Final = 'print("@ predictions", net(vecX).numpy()[:5].ravel())'

CASES: Final = (
    Case(
        "broadcast_linear_regression",
        ((_before("loss = tf", 'print("@", yhat.shape, target.shape)'),),),
        _has(r"\(120, 1\) \(120,\)"),
        "shapes (120, 1) and (120,) in one subtraction",
        Sight(size=14400),
    ),
    Case(
        "broadcast_entropy_bonus",
        (
            (
                _after("policy_loss = -logpdf", 'print("@ first", policy_loss.shape)'),
                _after("policy_loss = policy_loss", 'print("@ second", policy_loss.shape)'),
            ),
        ),
        _has(r"second \(20, 20\)"),
        "the shape goes from (20,) to (20, 20) on this line",
        Sight(size=400),
    ),
    Case(
        "data_sorted_labels",
        (
            (_before("gradients = tape", 'print("@ loss", float(loss))'),),
            (_before("with tf.GradientTape", 'print("@ labels", y.numpy())'),),
        ),
        _has(r"labels \[(\d)( \1)+\]"),
        "each batch has one label",
    ),
    Case(
        "data_two_permutations",
        (
            (_after("loss = tf", 'print("@ loss", float(loss), x.shape, y.shape)'),),
            (_after("loss = tf", 'print("@", tape.gradient(loss, [weights, bias]))'),),
            (_before("weights = tf", 'print("@", features[:3], targets[:3])'),),
        ),
        _never,
        "shapes, gradients and rows look as they should",
    ),
    Case(
        "diverging_counting_numbers",
        (
            (_before("model.fit", 'print("@", model.predict(x[:3], verbose=0).ravel())'),),
            (
                _before(
                    "model.fit",
                    'see = lambda batch, logs: print("@", float(model.get_weights()[0][0, 0]))',
                    "seen = tf.keras.callbacks.LambdaCallback(on_train_batch_end=see)",
                ),
                Insert("model.fit", ("=verbose=0", "=verbose=0, callbacks=[seen]")),
            ),
        ),
        _unsteady,
        "the weight changes its sign and grows in each step: the rate",
    ),
    Case(
        "frozen_numpy_random_augmentation",
        ((_after("noise = np", 'print("@", noise[0])'),),),
        _once,
        "two calls, and the print inside ran once",
    ),
    Case(
        "frozen_noise_as_constant",
        (
            (_after("first, second", 'print("@", first[0].numpy(), second[0].numpy())'),),
            (_after("noise = tf", 'print("@ noise", noise)'),),
        ),
        _has(r"noise tf\.Tensor"),
        "the noise has values before the model has inputs",
    ),
    Case(
        "nan_where_log_of_negative",
        (
            (_after("out = transfer", 'print("@ range", float(tf.reduce_min(out)), float(tf.reduce_max(out)))'),),
            (_before("return tf.where", 'print("@", tf.math.log(x + 1.0).numpy().ravel()[:5])'),),
        ),
        _has(r"nan"),
        "the branch that is not taken is NaN",
    ),
    Case(
        "nan_softmax_by_hand",
        ((_after("powers = tf", 'tf.print("@", tf.reduce_max(scores), tf.reduce_max(powers))'),),),
        _has(r"inf"),
        "exp gives inf",
    ),
    Case(
        "none_integer_variable",
        ((_before("grad = tape", 'print("@", x, loss)'),),),
        _has(r"int32"),
        "x is an int32",
        Sight(dtype="int32"),
    ),
    Case(
        "none_assign_to_state",
        (
            (_after("cost = tf", 'print("@", start, level, cost)'),),
            (_after("cost = tf", 'print("@", [v.name for v in tape.watched_variables()])'),),
        ),
        _never,
        "all values are right, and start is watched",
    ),
    Case(
        "not_learning_deep_sigmoids",
        (
            (_after("history = model.fit", 'print("@ predictions", model(bits[:5]).numpy().ravel())'),),
            (
                _after(
                    "history = model.fit",
                    "with tf.GradientTape() as tape:",
                    "    loss = tf.reduce_mean((model(bits) - values) ** 2)",
                    "norms = [float(tf.norm(g)) for g in tape.gradient(loss, model.trainable_variables)]",
                    'print("@", *norms[::2])',
                ),
            ),
        ),
        _uneven,
        "the first layers' gradients are under a twentieth of the last's",
    ),
    Case(
        "precision_half_sum",
        ((_after("total = tf", 'print("@", total)'),),),
        _has(r"inf.*float16"),
        "the sum is inf, a float16",
    ),
    Case(
        "precision_uint8_channel_shift",
        ((_after("shifted = tf", 'print("@", images[0, 0, 0], shifted[0, 0, 0])'),),),
        _has(r"uint8"),
        "pixels became smaller by adding to a uint8",
        Sight(dtype="uint8"),
    ),
    Case(
        "retrace_growing_batches",
        ((_after("traces += 1", 'print("@", x)'),),),
        _has(r"shape=\(2, 3\)"),
        "the print inside runs at each call, with another shape",
    ),
    Case(
        "retrace_variable_length",
        ((_after("count += 1", 'print("@", tokens)'),),),
        _has(r"shape=\(4,\)"),
        "the print inside runs at each call, with another shape",
    ),
    Case(
        "softmax_single_unit",
        ((_after("log = net.fit", _PREDICTED),),),
        _has(r"predictions \[1\. 1\. 1\. 1\. 1\.\]"),
        "the output layer gives 1 for every row",
    ),
    Case(
        "training_flag_moving_mean_stays",
        (
            (
                _before("h = tf.nn.relu", 'print("@", norm.moving_mean.numpy() if norm.built else 0)'),
                _after("h = tf.nn.relu", 'print("@", norm.moving_mean.numpy())'),
            ),
        ),
        lambda seen: _same_twice(seen[2:]),
        "the moving mean is the same before and after the call",
    ),
    Case(
        "variables_layer_made_in_loss",
        (
            (_before("optimizer.apply", 'print("@", [float(tf.norm(g)) for g in tape.gradient(loss, variables)])'),),
            (_after("fc.build", 'print("@", float(fc.kernel[0, 0]))'),),
        ),
        _unsteady,
        "the kernel has other values at each step",
    ),
    Case(
        "variables_fresh_layer_each_call",
        (
            (_after("gradients = tape", 'print("@", [float(tf.norm(g)) for g in gradients])'),),
            (_after("prediction = output", 'print("@", float(hidden.kernel[0, 0]))'),),
        ),
        _unsteady,
        "the kernel has other values at each step",
    ),
)
