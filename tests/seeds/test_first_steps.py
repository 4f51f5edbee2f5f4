"""The first things that a guide to eager execution shows: products, loops over values, NumPy's arrays, variables."""

from __future__ import annotations

import numpy as np

import tapeviz as tf
import tapeviz.contrib.eager as tfe


def printed(capsys):
    return capsys.readouterr().out.splitlines()


def test_eager_execution_is_on(capsys):
    tfe.enable_eager_execution()
    print(tf.executing_eagerly())
    assert printed(capsys) == ["True"]


def test_a_product_of_matrices(capsys):
    two = [[2.0]]
    product = tf.matmul(two, two)
    print(product)
    print(f"hello, {product}")
    assert printed(capsys) == ["tf.Tensor([[4.]], shape=(1, 1), dtype=float32)", "hello, [[4.]]"]


def test_collatz(capsys):
    number, steps = tf.constant(12), 0
    while not tf.equal(number, 1):
        number = number / 2 if tf.equal(number % 2, 0) else 3 * number + 1
        steps += 1
        print(number)
    values = (6.0, 3.0, 10.0, 5.0, 16.0, 8.0, 4.0, 2.0, 1.0)
    assert printed(capsys) == [f"tf.Tensor({value}, shape=(), dtype=float64)" for value in values]
    assert steps == 9


def test_collatz_in_whole_numbers():
    number, met = tf.constant(27), []
    while number != 1:
        number = number // 2 if number % 2 == 0 else 3 * number + 1
        met.append(int(number))
    assert number.dtype == tf.int32
    assert (len(met), max(met)) == (111, 9232)


def count_to(last):
    seen = tf.constant(0)
    for n in range(1, tf.convert_to_tensor(last).numpy() + 1):
        n = tf.constant(n)  # noqa: PLW2901 - as the guides write it
        by_three, by_five = int(n % 3) == 0, int(n % 5) == 0
        if by_three and by_five:
            print("FizzBuzz")
        elif by_three:
            print("Fizz")
        elif by_five:
            print("Buzz")
        else:
            print(n.numpy())
        seen += 1
    return seen


def test_fizzbuzz(capsys):
    assert count_to(15).numpy() == 15
    assert " ".join(printed(capsys)) == "1 2 Fizz 4 Buzz Fizz 7 8 Fizz Buzz 11 Fizz 13 14 FizzBuzz"


def test_tensors_and_arrays_mix(capsys):
    a = tf.constant([[1, 2], [3, 4]])
    print(a)
    b = tf.add(a, 1)
    print(b)
    print(a * b)
    c = np.multiply(a, b)
    print(c)
    print(a.numpy())
    assert printed(capsys) == [
        "tf.Tensor(",
        "[[1 2]",
        " [3 4]], shape=(2, 2), dtype=int32)",
        "tf.Tensor(",
        "[[2 3]",
        " [4 5]], shape=(2, 2), dtype=int32)",
        "tf.Tensor(",
        "[[ 2  6]",
        " [12 20]], shape=(2, 2), dtype=int32)",
        "[[ 2  6]",
        " [12 20]]",
        "[[1 2]",
        " [3 4]]",
    ]
    assert type(c) is np.ndarray
    assert isinstance(a.numpy() * b, tf.Tensor)
    assert isinstance(tf.add(np.ones((2, 2), np.int32), a), tf.Tensor)


def test_torch_and_numpy_code_said_in_tensorflows_names():
    array = np.arange(6.0).reshape(2, 3)
    tensor = tf.constant(array)
    assert np.array_equal(tf.transpose(tensor), array.T)
    assert tf.reduce_sum(tensor).numpy() == array.sum()


def affine():
    slope = tf.constant([[10, 10], [11.0, 1.0]])
    point = tf.constant([[1.0, 0.0], [0.0, 1.0]])
    offset = tf.Variable(12.0)
    return tf.matmul(slope, point) + offset


def test_what_took_a_graph_and_a_session_is_a_function(capsys):
    print(affine().numpy())
    assert printed(capsys) == ["[[22. 22.]", " [23. 13.]]"]


def test_a_variable_given_to_a_function_keeps_its_state(capsys):
    counter = tf.Variable(0)

    def count(variable):
        variable.assign_add(1)
        return variable

    for _ in range(3):
        print(count(counter).numpy())
    assert printed(capsys) == ["1", "2", "3"]


def test_a_variable_is_assigned_and_printed(capsys):
    x = tf.Variable(10.0)
    x.assign(2.0)
    before = x.read_value()
    x.assign(11.0)
    x.assign(before)
    print(x)
    assert printed(capsys) == ["<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=2.0>"]


def test_a_variable_kept_on_an_object():
    class Shifted:
        def __init__(self):
            self.offset = None

        def __call__(self):
            if self.offset is None:
                self.offset = tf.Variable(12.0)
            return tf.matmul([[10.0, 10.0], [11.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]) + self.offset

    shifted = Shifted()
    first = shifted.offset
    assert first is None
    assert np.array_equal(shifted(), [[22.0, 22.0], [23.0, 13.0]])
    made = shifted.offset
    assert np.array_equal(shifted(), [[22.0, 22.0], [23.0, 13.0]])
    assert shifted.offset is made
