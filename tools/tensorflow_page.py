"""Write docs/tensorflow.md: TensorFlow's public names, which are here, which with limits, what to use for the others.

python -m tools.tensorflow_page
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from tapeviz.namespaces.absent_names import LIMITS, advice_for

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "tensorflow.md"
NAMES = ROOT / "tests" / "api" / "tensorflow_public_names.txt"
LEVELS: Final = {"2.21": "tapeviz", "1.15": "tapeviz.compat.v1"}
HEAD = """# TensorFlow's names

Written by `python -m tools.tensorflow_page`; a test says when it is out of date. Of each public name of TensorFlow 2.21
and 1.15 it says whether it is here: `import tapeviz as tf`, and `import tapeviz.compat.v1 as tf` for 1.15. What is not
raises an `AttributeError` that says the same as this page. `tapeviz.install_as_tensorflow()` makes `import tensorflow`
mean tapeviz, submodules too.

*Parameters that differ* from TensorFlow's are listed, with reasons, in `tests/api/missing.txt`.
"""


def names() -> Iterator[tuple[str, str, list[str]]]:
    """Give for each namespace of each level the level, the namespace and the names in it."""
    for line in NAMES.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            place, _, listed = line.partition(": ")
            level, _, space = place.partition(" ")
            yield level, space, listed.split()


def is_here(level: str, space: str, name: str) -> bool:
    """Tell whether there is such a name."""
    found: Any = import_module(LEVELS[level])
    for part in [*space.split(".")[1:], name]:
        found = getattr(found, part, None)
        if found is None:
            return f"{space}.{name}".endswith("newaxis")
    return True


def page() -> str:
    """Return the text of the page."""
    parts = [HEAD, "## With limits\n", "| name | limit |", "|---|---|"]
    parts += [f"| `tf.{name}` | {limit} |" for name, limit in LIMITS.items()]
    for level in LEVELS:
        counts: list[tuple[str, int, int]] = []
        out: dict[str, list[str]] = defaultdict(list)
        for of, space, listed in names():
            if of != level:
                continue
            missing = [name for name in listed if not is_here(level, space, name)]
            counts.append((space, len(listed) - len(missing), len(listed)))
            for name in missing:
                out[advice_for(f"{space}.{name}".partition(".")[2])].append(f"{space}.{name}")
        here, all_names = sum(row[1] for row in counts), sum(row[2] for row in counts)
        parts += [
            f"\n## TensorFlow {level}: {here} of {all_names} names\n",
            "| namespace | here | of |",
            "|---|---|---|",
        ]
        parts += [f"| `{space}` | {count} | {total} |" for space, count, total in counts if count]
        parts += [f"\n### Not here, of {level}, and what to use\n"]
        parts += [f"- {advice}: {_listed(missing)}\n" for advice, missing in sorted(out.items(), key=_length)]
    return "\n".join(parts)


def _length(item: tuple[str, list[str]]) -> int:
    return len(item[1])


def _listed(missing: list[str]) -> str:
    """Name them, those of a namespace together."""
    spaces: dict[str, list[str]] = defaultdict(list)
    for name in missing:
        space, _, last = name.rpartition(".")
        spaces[space].append(last)
    return "; ".join(f"`{space}.` {' '.join(f'`{name}`' for name in listed)}" for space, listed in spaces.items())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
