"""The short programs of announcements and guides of eager execution: each as a function of tensors.

Each takes the way in which its functions are to run (as they are, or ``tf.function``) and returns what it found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tapeviz as tf
import tapeviz.contrib.eager as tfe

__all__ = ["SHORT"]


def product(way: Callable[..., Any]) -> Any:
    return way(lambda x: tf.matmul(x, x))([[2.0]])


def product_and_offset(way: Callable[..., Any]) -> Any:
    """The first graph of the article on functions: what took a session."""
    offset = tf.Variable(12.0)

    @way
    def shifted(a, x):
        return tf.matmul(a, x) + offset

    return shifted(tf.constant([[10, 10], [11.0, 1.0]]), tf.constant([[1.0, 0.0], [0.0, 1.0]]))


def a_variable_that_is_given(way: Callable[..., Any]) -> Any:
    counter = tf.Variable(0)

    @way
    def count(variable):
        variable.assign_add(1)
        return variable.read_value()

    return [count(counter) for _ in range(3)], counter.read_value()


def a_variable_that_is_kept(way: Callable[..., Any]) -> Any:
    class Keeper:
        def __init__(self):
            self.offset = None

        def shifted(self, x):
            if self.offset is None:
                self.offset = tf.Variable(12.0)
            return x + self.offset

    keeper = Keeper()
    shifted = way(keeper.shifted)
    first = shifted(tf.constant(1.0))
    keeper.offset.assign(20.0)
    return first, shifted(tf.constant(1.0))


def tensors_and_arrays(way: Callable[..., Any]) -> Any:
    @way
    def mixed(a, array):
        b = tf.add(a, 1)
        return b, a * b, tf.add(array, a), tf.multiply(a, array)

    a = tf.constant([[1, 2], [3, 4]])
    return *mixed(a, np.array([[5, 6], [7, 8]], np.int32)), np.multiply(a, tf.add(a, 1))


def names_of_other_libraries(way: Callable[..., Any]) -> Any:
    return way(lambda x: (tf.reduce_sum(x), tf.transpose(x)))(tf.constant(np.arange(6.0).reshape(2, 3)))


def collatz(way: Callable[..., Any]) -> Any:
    @way
    def length(n):
        steps, highest = tf.constant(0), n
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            highest = tf.maximum(highest, n)
            steps += 1
        return steps, highest

    return [length(tf.constant(start)) for start in (12, 27, 1)]


def fizzbuzz(way: Callable[..., Any]) -> Any:
    """What is said of each number: 3 for Fizz, 5 for Buzz, 15 for both, 0 for the number itself."""

    @way
    def said(last):
        words, counter = tf.TensorArray(tf.int32, size=last), tf.constant(0)
        for n in tf.range(1, last + 1):
            if n % 3 == 0 and n % 5 == 0:
                word = 15
            elif n % 3 == 0:
                word = 3
            elif n % 5 == 0:
                word = 5
            else:
                word = 0
            words = words.write(n - 1, word)
            counter += 1
        return words.stack(), counter

    return said(tf.constant(15))


def square_and_its_slopes(way: Callable[..., Any]) -> Any:
    square = way(lambda x: tf.multiply(x, x))
    slope = tfe.gradients_function(square)
    return square(3.0), slope(3.0), tfe.gradients_function(lambda x: slope(x)[0])(3.0)


def slopes_to_third_order(way: Callable[..., Any]) -> Any:
    function, found = (lambda x: x * x * x), []
    for _ in range(3):
        one = tfe.gradients_function(function)
        function = lambda x, one=one: one(x)[0]  # noqa: E731 - as the article writes it
        found.append(way(function)(tf.constant(2.0)))
    return found


def the_branch_that_was_taken(way: Callable[..., Any]) -> Any:
    slope = tfe.gradients_function(way(lambda x: x if x > 0.0 else -x))
    return slope(2.0), slope(-2.0)


def a_tape_and_a_variable(way: Callable[..., Any]) -> Any:
    w = tf.Variable([[1.0]])

    @way
    def slope():
        with tf.GradientTape() as tape:
            loss = w * w
        return tape.gradient(loss, w)

    return slope()


@tf.custom_gradient
def stable_log1pexp(x):
    e = tf.exp(x)
    return tf.math.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))


def log_of_one_and_exp(way: Callable[..., Any]) -> Any:
    plain = tfe.gradients_function(way(lambda x: tf.math.log(1 + tf.exp(x))))
    stable = tfe.gradients_function(way(stable_log1pexp))
    return [(plain(at), stable(at)) for at in (0.0, 100.0)]


@tf.custom_gradient
def clip_gradient_by_norm(x, norm):
    return tf.identity(x), lambda dy: [tf.clip_by_norm(dy, norm), None]


def clipped_gradient(way: Callable[..., Any]) -> Any:
    @way
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            clipped = clip_gradient_by_norm(x, 1.0)
            value = tf.reduce_sum(clipped * clipped)
        return value, tape.gradient(value, x)

    return slope(tf.constant([3.0, 4.0]))


def implicit_gradients(way: Callable[..., Any]) -> Any:
    w = tf.Variable(2.0)
    value, pairs = tfe.implicit_value_and_gradients(way(lambda x: (w * x - 1.0) ** 2))(3.0)
    return value, [gradient for gradient, _ in pairs]


def copies_to_devices(way: Callable[..., Any]) -> Any:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    multiply = way(tf.matmul)
    with tf.device("/cpu:0"):
        return multiply(x.cpu(), x.cpu())


SHORT: dict[str, Callable[..., Any]] = {
    program.__name__: program
    for program in (
        product, product_and_offset, a_variable_that_is_given, a_variable_that_is_kept, tensors_and_arrays,
        names_of_other_libraries, collatz, fizzbuzz, square_and_its_slopes, slopes_to_third_order,
        the_branch_that_was_taken, a_tape_and_a_variable, log_of_one_and_exp, clipped_gradient, implicit_gradients,
        copies_to_devices,
    )
}  # fmt: skip
