"""Programs with calls, methods, attributes, items, closures and other structure around branches and loops."""

# ruff: noqa: PERF401

import functools

import tapeviz as tf
from tests.autograph.table import row

SIGNS = ((2.0,), (-3.0,))


def doubled_if_positive(x):
    if x > 0:
        return x * 2.0
    return x


def factorial(n):
    if n > 1:
        return n * factorial(n - 1)
    return n


def power(x, n):
    if n == 0:
        return x * 0.0 + 1.0
    return x * power(x, n - 1)


def default_arguments(x, *rest, factor=3.0, **others):
    for one in rest:
        if x > 0:
            x = x * one * factor
    return x + others.get("more", 0.0)


class Counter:
    """Has state that branches and loops change."""

    def __init__(self, start):
        self.total = start
        self.items = [start, start]

    def add(self, x):
        if x > 0:
            self.total = self.total + x
        else:
            self.total = self.total - 2.0 * x
        return self

    def scaled(self, x):
        return x * 0.5

    def __call__(self, x):
        return x * 3.0 if x > 0 else x


class Child(Counter):
    __factor = 2.0

    def add(self, x):
        steps = [1, 2]
        for _ in steps:
            super().add(x)
            x = x * self.scaled(x)
        return self

    def scaled(self, x):
        while x > 1.0:
            x = super().scaled(x) - self.__factor
        return x


@row(*SIGNS)
def call_of_a_function(x):
    return doubled_if_positive(x) + doubled_if_positive(-x)


@row((4.0, 3), (4.0, 0), python=(1,))
def recursion_by_a_python_number(x, n):
    return power(x, n)


@row((1.0,), python=())
def recursion_of_numbers(x):
    return x * factorial(5)


@row(*SIGNS)
def nested_function(x):
    def inner(y):
        if y > x:
            return y * 2.0
        return x

    return inner(x + 1.0) + inner(x - 1.0)


@row(*SIGNS)
def nested_function_sets_outer_variable(x):
    count = x

    def add(y):
        nonlocal count
        if y > 0:
            count = count + y

    add(x)
    add(-x)
    return count


@row(*SIGNS)
def lambda_with_a_choice(x):
    choose = lambda y: y * 2.0 if y > 0 else y * y  # noqa: E731
    return choose(x) + choose(-x)


@row(*SIGNS)
def partial_call(x):
    return functools.partial(default_arguments, factor=2.0)(x, 2.0, x)


@row(*SIGNS)
def stars_and_keywords(x):
    arguments = [x, x]
    return default_arguments(x, *arguments, more=x)


@row(*SIGNS)
def method_that_sets_an_attribute(x):
    return Counter(x).add(x).add(-x).total


@row((5.0,), (-5.0,))
def method_of_a_parent(x):
    return Child(x).add(x).total


@row(*SIGNS)
def object_that_is_called(x):
    return Counter(x)(x)


@row((2.0, 3), (-3.0, 2))
def attribute_in_a_loop(x, n):
    counter = Counter(x)
    for _ in tf.range(n):
        counter.total = counter.total * 2.0
    return counter.total


@row((2.0, 3), (-3.0, 2))
def item_in_a_loop(x, n):
    values = [x, x]
    while n > 0:
        values[0] = values[0] + values[1]
        n -= 1
    return values[0] * values[1]


@row((2.0, 3), (-3.0, 2))
def item_of_a_dict_in_a_branch(x, n):
    values = {"a": x, "b": 1.0}
    if x > 0:
        values["a"] = values["a"] * 2.0
        values["b"] = x
    return values["a"] + values["b"] * tf.cast(n, tf.float32)


@row((2.0, 3), (-3.0, 2))
def item_of_an_attribute(x, n):
    counter = Counter(x)
    while n > 0:
        counter.items[1] += x
        n -= 1
    return counter.items[1]


@row(*SIGNS)
def mapped_function(x):
    return tf.map_fn(lambda y: y * 2.0 if y > 0 else y, tf.stack([x, -x]))


@row(*SIGNS)
def list_comprehension_with_choices(x):
    return tf.stack([y * 2.0 if y > 0 else -y for y in (x, x + 1.0, -x)])


@row(*SIGNS)
def closures_made_in_a_loop(x):
    functions = []
    for k in range(3):
        functions.append(lambda y: y * k if y > 0 else y)  # noqa: B023
    return functions[0](x) + functions[2](x)


@row(*SIGNS)
def length_of_a_tensor(x):
    v = tf.stack([x, x, x])
    if len(v) > 2:
        x = x * len(v)
    return x


@row(*SIGNS, differentiable=False)
def all_and_any(x):
    v = tf.stack([x, 1.0])
    return 1.0 if all(v > 0) else (2.0 if any(v > 0) else 3.0)


@row((2.0, 2), (2.0, 0))
def starred_assignment(x, n):
    first, *rest = x, x * 2.0, x * 3.0
    for _ in tf.range(n):
        first = first + rest[0] * rest[1]
    return first


@row(*SIGNS)
def deleted_variable(x):
    y = x * 2.0
    if x > 0:
        z = y
        del z
        x = x + y
    return x


@row(*SIGNS)
def left_alone_inside(x):
    @tf.autograph.experimental.do_not_convert
    def plain(y):
        return y * 2.0

    return plain(x) if x > 0 else plain(x * x)


@row(*SIGNS)
def generator_is_left_alone(x):
    def factors():
        yield 1.0
        yield 2.0

    for factor in factors():
        if x > 0:
            x = x * factor
    return x
