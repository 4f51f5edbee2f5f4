"""The ops: a folder a family, a file a topic. Importing this declares them all."""

from __future__ import annotations

from importlib import import_module
from os import scandir

# Neither pathlib nor pkgutil: either would take longer than all the rest here.
for _family in sorted(entry.name for entry in scandir(__path__[0]) if entry.is_dir()):
    # Functions of control flow call ops, and declare none: they are imported when somebody asks for one.
    for _topic in sorted(entry.name for entry in scandir(f"{__path__[0]}/{_family}") if _family != "control"):
        if _topic.endswith(".py") and _topic != "__init__.py":
            import_module(f"tapeviz.ops.{_family}.{_topic.removesuffix('.py')}")
