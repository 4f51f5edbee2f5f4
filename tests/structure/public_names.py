"""The public names of tapeviz, one a line. A change of the API is a change of the stored list, seen in review.

python tests/structure/public_names.py > tests/structure/public_names.txt
"""

import importlib
import inspect
import types

STORED = "tests/structure/public_names.txt"


def public_names() -> list[str]:
    """Return each public name of the package, its public namespaces and the methods of its own classes."""
    return sorted(_names(importlib.import_module("tapeviz")))


def _names(module: types.ModuleType) -> set[str]:
    found = set()
    for name in module.__all__:
        path = f"{module.__name__}.{name}"
        value = getattr(module, name)
        found.add(path)
        if inspect.ismodule(value) and value.__name__.startswith(f"{module.__name__}.") and hasattr(value, "__all__"):
            found |= _names(value)
        elif inspect.isclass(value) and value.__module__.startswith("tapeviz"):
            found |= {f"{path}.{member}" for member in _members(value)}
    return found


def _members(cls: type) -> set[str]:
    """Return the public members that the class or a base of ours defines."""
    ours = [base for base in cls.__mro__ if base.__module__.startswith("tapeviz")]
    return {name for base in ours for name in vars(base) if not name.startswith("_")}


if __name__ == "__main__":
    print("\n".join(public_names()))
