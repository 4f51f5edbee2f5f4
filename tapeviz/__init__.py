"""A TensorFlow-shaped eager autodiff engine on NumPy whose every op can be recorded and seen in a notebook."""

__version__ = "0.1.0"

__all__ = ["__version__"]
