"""Programs with ``break``, ``continue`` and ``return`` in loops, and with loops in loops."""

# ruff: noqa: B007, PLW0120, SIM108

import tapeviz as tf
from tests.autograph.table import row


@row((1.5, 4), (1.5, 9), (1.5, 0))
def break_in_while(x, n):
    i = 0
    while i < n:
        if x > 10.0:
            break
        x = x * 2.0
        i += 1
    return x


@row((1.5, 4), (1.5, 9), (1.5, 0))
def break_in_for(x, n):
    for i in tf.range(n):
        if i == 5:
            break
        x = x * 1.5
    return x


@row((1.5, 4), (1.5, 9), (1.5, 0))
def continue_in_for(x, n):
    for i in tf.range(n):
        if i % 2 == 0:
            continue
        x = x * 1.5
    return x


@row((1.5, 4), (1.5, 9), (1.5, 0))
def continue_and_break(x, n):
    i = 0
    while i < n:
        i += 1
        if i == 2:
            continue
        if x > 20.0:
            break
        x = x * 3.0
    return x


@row((1.5, 8), (1.5, 3))
def continue_two_deep(x, n):
    for i in tf.range(n):
        if i > 1:
            if i % 2 == 0:
                continue
            x = x + 1.0
        x = x * 1.5
    return x


@row((1.5, 8), (1.5, 3))
def break_two_deep(x, n):
    for i in tf.range(n):
        if i > 1:
            if x > 5.0:
                break
            x = x + 1.0
        x = x * 1.5
    return x


@row((1.5, 8), (1.5, 3), (40.0, 3))
def return_in_while(x, n):
    i = 0
    while i < n:
        if x > 30.0:
            return x * 100.0
        x = x * 2.0
        i += 1
    return x


@row((1.5, 8), (1.5, 3))
def return_in_for(x, n):
    for i in tf.range(n):
        x = x * 1.5
        if i > 4:
            return x + 1.0
    return -x


@row((1.5, 4), (9.0, 4))
def return_two_loops_deep(x, n):
    for i in tf.range(n):
        for j in tf.range(n):
            if x > 20.0:
                return x * x
            x = x + tf.cast(i * j, tf.float32)
    return x


@row((1.5, 4), (9.0, 4))
def while_in_while(x, n):
    i = 0
    while i < n:
        j = 0
        while j < i:
            x = x * 1.1
            j += 1
        i += 1
    return x


@row((1.5, 4), (9.0, 4))
def for_in_for(x, n):
    for i in tf.range(n):
        for j in tf.range(i):
            x = x + tf.cast(j, tf.float32) * x
    return x


@row((1.5, 4), (-9.0, 4))
def if_in_for_in_if(x, n):
    if x > 0:
        for i in tf.range(n):
            if i > 1:
                x = x * 2.0
            else:
                x = x + 1.0
    return x


@row((1.5, 5), (9.0, 5))
def break_in_inner_loop(x, n):
    for i in tf.range(n):
        for j in tf.range(n):
            if j > i:
                break
            x = x + 1.0
        x = x * 1.1
    return x


@row((1.5, 5), (9.0, 5))
def break_in_both_loops(x, n):
    i = 0
    while True:
        i += 1
        j = 0
        while True:
            j += 1
            if j >= i:
                break
            x = x * 1.1
        if i > n:
            break
    return x


@row((1.5,), (200.0,))
def while_true(x):
    while True:
        x = x * 2.0
        if x > 100.0:
            break
    return x


@row((1.5,), (200.0,))
def while_true_with_return(x):
    while True:
        if x > 100.0:
            return x
        x = x * 2.0


@row((1.5, 3), (1.5, 9))
def for_else(x, n):
    for i in tf.range(n):
        if i == 6:
            x = x * 2.0
            break
    else:
        x = -x
    return x


@row((1.5, 3), (60.0, 3))
def while_else(x, n):
    i = 0
    while i < n:
        if x > 50.0:
            break
        x = x * 2.0
        i += 1
    else:
        x = x + 0.5
    return x


@row((1.5, 3), (1.5, 9))
def else_without_break(x, n):
    for i in tf.range(n):
        x = x * 1.1
    else:
        x = x + 1.0
    return x


@row((1.5,), (3.0,), (9.0,))
def tensor_break_in_python_loop(x):
    for factor in [1.0, 2.0, 3.0, 4.0]:
        if x > 8.0:
            break
        x = x * factor
    return x


@row((1.5,), (3.0,), (9.0,))
def tensor_return_in_python_loop(x):
    for factor in (1.0, 2.0, 3.0):
        if x * factor > 8.0:
            return x * factor
    return -x


@row((1.5,), (3.0,), (9.0,))
def tensor_continue_in_python_range(x):
    for k in range(4):
        if x > 8.0:
            continue
        x = x * 1.5 + k
    return x
