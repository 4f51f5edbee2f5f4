"""The ops: a folder a family, a file a topic. Importing this declares them all."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

for _family in iter_modules(__path__):
    # Functions of control flow call ops, and declare none: they are imported when somebody asks for one.
    _package = None if _family.name == "control" else import_module(f"tapeviz.ops.{_family.name}")
    for _topic in iter_modules(getattr(_package, "__path__", ())):
        import_module(f"tapeviz.ops.{_family.name}.{_topic.name}")
