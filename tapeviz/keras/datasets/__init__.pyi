# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.datasets import california_housing, cifar10, diabetes, digits, fashion_mnist, mnist

__all__ = ["california_housing", "cifar10", "diabetes", "digits", "fashion_mnist", "mnist"]
