"""Write tapeviz/ops/index.py: which module declares each op, so that it is imported when the op is first used.

    python -m tools.op_index

With a file name, such as /dev/stdout, it is written there instead.
"""

from __future__ import annotations

import inspect
import sys
from collections import defaultdict
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from textwrap import wrap
from typing import Any

from tapeviz.engine.declaration import registry
from tapeviz.engine.operators import operators, public
from tapeviz.engine.registry import Registry
from tapeviz.ops import index

PACKAGE = Path(__file__).parents[1] / "tapeviz"
PATH = PACKAGE / "ops" / "index.py"
HEAD = '''"""Which module declares each op, operator, and function that the engine calls by name.

Made from the declarations by `python -m tools.op_index`.
"""

from __future__ import annotations

from typing import Final

__all__ = ["FUNCTIONS", "OPERATORS", "OPS"]


def _homes(names: dict[str, str]) -> dict[str, str]:
    return {name: home for home, listed in names.items() for name in listed.split()}


# fmt: off
'''


def homes() -> dict[str, dict[str, str]]:
    """Return the tables, from the modules themselves; in a process that has imported no op yet."""
    found: dict[int, dict[str, str]] = defaultdict(dict)

    def declare(where: Registry[Any], name: str, declared: object) -> None:
        found[id(where)][name] = _importing()
        dict.__setitem__(where, name, declared)

    Registry.__setitem__ = declare  # type: ignore[method-assign]
    for table in (index.OPS, index.OPERATORS, index.FUNCTIONS):
        table.clear()  # what it says may be what has changed
    for path in sorted(PACKAGE.glob("ops/*/*.py")):
        import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"))
    registries = {"OPS": registry, "OPERATORS": operators, "FUNCTIONS": public}
    return {title: found[id(one)] for title, one in registries.items()}


def _importing() -> str:
    """The module that is being imported."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return frame.f_globals["__name__"] if frame is not None else ""


def _table(title: str, modules: Mapping[str, str]) -> str:
    by_home = defaultdict(list)
    for name, home in modules.items():
        by_home[home].append(name)
    rows = [
        f'    "{home}":\n'
        + "\n".join(f'        "{line}"' for line in wrap(" ".join(sorted(names)), 108, drop_whitespace=False))
        + ",\n"
        for home, names in sorted(by_home.items())
    ]
    return f"{title}: Final = _homes({{\n{''.join(rows)}}})\n"


def main() -> None:
    """Write the file."""
    text = HEAD + "".join(_table(title, homes) for title, homes in homes().items())
    Path(*sys.argv[1:] or [PATH]).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
