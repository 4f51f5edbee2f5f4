"""Programs with ``while`` and ``for``, and what leaves them."""

# ruff: noqa: SIM108, B007, PERF401

import tapeviz as tf
from tests.autograph.table import row

COUNTS = ((1.5, 0), (1.5, 1), (1.5, 4))


@row(*COUNTS)
def while_loop(x, n):
    i = 0
    while i < n:
        i += 1
        x = x * 2.0
    return x


@row((1.5,), (0.2,), (200.0,))
def while_on_a_float(x):
    while x < 100.0:
        x = x * x + 1.0
    return x


@row(*COUNTS)
def for_over_range(x, n):
    for _ in range(n):
        x = x * 2.0
    return x


@row(*COUNTS)
def for_over_tensor_range(x, n):
    for i in tf.range(n):
        x = x + tf.cast(i, tf.float32) * x
    return x


@row((1.5,), (-1.5,))
def for_over_constant_range(x):
    for i in range(3):
        if x > 0:
            x = x + i
    return x


@row((1.5,), (-1.5,))
def for_over_tensor(x):
    total = x
    for row_ in tf.stack([x, x * 2.0, x * 3.0]):
        total = total + row_ * row_
    return total


@row((1.5,), (-1.5,))
def for_over_matrix(x):
    total = tf.zeros([2])
    for row_ in tf.reshape(tf.stack([x, x * 2.0, x * 3.0, 1.0]), [2, 2]):
        total = total + row_ * x
    return total


@row((1.5,), (-1.5,))
def for_over_list(x):
    total = x
    for factor in [1.0, 2.0, 3.0]:
        if total > 4.0:
            total = total - factor
        else:
            total = total * factor
    return total


@row((1.5,), (-1.5,))
def for_over_dict(x):
    total = x
    for name, factor in {"a": 2.0, "b": 3.0}.items():
        if x > 0 and name == "a":
            total = total * factor
    return total


@row((1.5, 3), (1.5, 1))
def last_value_of_the_loop_variable(x, n):
    for i in tf.range(n):
        x = x + 1.0
    return x * tf.cast(i, tf.float32)


@row((1.5, 3), (1.5, 1))
def first_set_in_the_loop(x, n):
    while n > 0:
        last = x * 2.0
        x = last + 1.0
        n -= 1
    return last * x


@row((1.5, 3), (2.5, 0))
def two_variables_exchanged(x, n):
    a, b = x, x + 1.0
    for _ in tf.range(n):
        a, b = b, a + b
    return a * b


@row((1.5, 3), (2.5, 0))
def tuple_as_state(x, n):
    pair = (x, x * 2.0)
    for _ in tf.range(n):
        pair = (pair[1], pair[0] + pair[1])
    return pair[0] * pair[1]


@row((1.5,), (-1.5,))
def enumerated(x):
    total = x
    for k, value in enumerate(tf.stack([x, x * 2.0, x * 3.0])):
        if value > 2.0:
            total = total + value * tf.cast(k, tf.float32)
    return total


@row((1.5,), (-1.5,))
def zipped(x):
    total = x
    for one, other in zip(tf.stack([x, 2.0, 3.0]), tf.stack([x, x]), strict=False):
        total = total + one * other
    return total


@row((1.5, 3), (-1.5, 1))
def list_in_a_loop(x, n):
    found = []
    for i in tf.range(n):
        found.append(x * tf.cast(i, tf.float32))
    return tf.stack(found)


@row((1.5, 3), (-1.5, 4))
def list_in_a_branch_in_a_loop(x, n):
    found = [x]
    for i in tf.range(n):
        if i % 2 == 0:
            found.append(x * 2.0)
    return tf.reduce_sum(tf.stack(found)) + float(len(found))


@row((1.5, 3), (-1.5, 4))
def list_popped(x, n):
    stack = [x, x * 2.0, x * 3.0]
    while n > 2:
        x = x + stack.pop()
        n -= 1
    return x


@row((1.5,), (-1.5,))
def list_in_a_python_loop(x):
    found = []
    for k in range(3):
        x = x * 2.0 if x > 0 else x
        found.append(x + k)
    return tf.stack(found)


@row((1.5, 3), (4.5, 3))
def walrus_in_while(x, n):
    while (y := x * 2.0) < 20.0 and n > 0:
        x = y + 1.0
        n -= 1
    return x * y


@row((1.5, 4), (4.5, 4))
def while_with_and(x, n):
    i = 0
    while i < n and x < 10.0:
        x = x * 1.5
        i += 1
    return x


@row((1.5, 6), (1.5, 2))
def options_of_a_loop(x, n):
    v = tf.stack([x])
    for _ in tf.range(n):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(v, tf.TensorShape([None]))])
        v = tf.concat([v, v[:1] * 2.0], 0)
    return tf.reduce_sum(v)
