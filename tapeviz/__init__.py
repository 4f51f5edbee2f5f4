"""A TensorFlow-shaped eager autodiff engine on NumPy whose every op can be recorded and seen in a notebook.

Everything is found on first use: importing the package costs little more than importing NumPy, and an op's function is
generated when somebody asks for it.
"""

from importlib import import_module
from typing import Any

from tapeviz.namespaces.lazy import attach

__version__ = "0.1.0"
newaxis = None


def load_ipython_extension(shell: Any) -> None:
    """Add the magics to a shell: what ``%load_ext tapeviz`` calls."""
    import_module("tapeviz.ops").declare_all()  # now, and not within a cell that is recorded
    import_module("tapeviz.magics").load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Take the magics away again: what ``%unload_ext tapeviz`` calls."""
    import_module("tapeviz.magics").unload(shell)


attach(__name__, "__version__", "newaxis")
