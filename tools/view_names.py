"""Write tapeviz/exports/view_names.py: the views, in the order of labextension/packages/views/src/registry.ts.

python -m tools.view_names
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
VIEWS = ROOT / "labextension" / "packages" / "views" / "src"
MODULE = ROOT / "tapeviz" / "exports" / "view_names.py"


def module() -> str:
    """Return the text of the module."""
    registry = (VIEWS / "registry.ts").read_text(encoding="utf-8")
    folders = dict(re.findall(r'import \{ (\w+) \} from "\./(\w+)/view";', registry))
    (listed,) = re.findall(r"export const VIEWS: readonly View\[\] = \[(.*?)\]", registry, re.DOTALL)
    names = [_id(folders[name]) for name in re.findall(r"\w+", listed)]
    quoted = ", ".join(f'"{name}"' for name in names)
    return (
        '"""The names of the interactive views. Written by `python -m tools.view_names`; a test compares."""\n\n'
        "from __future__ import annotations\n\nfrom typing import Final\n\n"
        f'__all__ = ["VIEWS"]\n\nVIEWS: Final = ({quoted})\n'
    )


def _id(folder: str) -> str:
    view = (VIEWS / folder / "view.ts").read_text(encoding="utf-8")
    (name,) = re.findall(r': View = \{\s*id: "(\w+)"', view)
    return str(name)


if __name__ == "__main__":
    MODULE.write_text(module(), encoding="utf-8")
