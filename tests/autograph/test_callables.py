"""Methods, lambdas, decorated functions and other things that can be called, converted."""

import functools

from tapeviz import autograph


class Base:
    def value(self, x):
        return x if x > 0 else -x


class Derived(Base):
    def __init__(self):
        self.__secret = 3

    def value(self, x):
        if x != 0:
            return super().value(x) + self.__secret
        return __class__.__name__

    @staticmethod
    def fixed(x):
        return 1 if x else 2

    @classmethod
    def named(cls, x):
        if x:
            return cls.__name__
        return ""


def test_methods():
    for method in (Derived().value, Derived.named, Derived.fixed):
        converted, conversion = autograph.convert(method)
        assert not conversion.reason
        for x in (-2, 0, 5):
            assert converted(x) == method(x)


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args):
        return "wrapped", function(*args)

    return wrapper


@decorated
def absolute(x):
    return x if x > 0 else -x


def test_decorated_functions_are_called_through_their_decorators():
    converted, _ = autograph.convert(absolute)
    assert converted(-2) == ("wrapped", 2)


def test_lambdas_on_one_line():
    one, other = (lambda x: max(0, x)), (lambda x: -x if x > 0 else 0)
    assert autograph.convert(one)[0](3) == 3
    assert autograph.convert(other)[0](3) == -3
    assert autograph.to_code(other) == "lambda x: ag.if_exp(x > 0, lambda: -x, lambda: 0)"


def test_partial_calls_and_objects_that_are_called():
    class Scaled:
        def __call__(self, x):
            return x * 2 if x > 0 else x

    assert autograph.convert(Scaled())[0](3) == 6
    assert autograph.convert(functools.partial(absolute, -4))[0]() == ("wrapped", 4)
