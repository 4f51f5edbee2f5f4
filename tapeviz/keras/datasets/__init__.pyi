# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.datasets import (
    boston_housing,
    california_housing,
    cifar10,
    cifar100,
    diabetes,
    digits,
    fashion_mnist,
    imdb,
    mnist,
    reuters,
)

__all__ = [
    "boston_housing",
    "california_housing",
    "cifar10",
    "cifar100",
    "diabetes",
    "digits",
    "fashion_mnist",
    "imdb",
    "mnist",
    "reuters",
]
