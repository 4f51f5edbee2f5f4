"""Makes the virtual environment that a make target runs in, or leaves it as it is when nothing has changed.

    python3 tools/environment.py FOLDER REQUIREMENT...      # such as: .venv .[lab,test]

A requirement that begins with a dot is this repository, installed so that edits take effect at once; another one is
what pip takes. Runs with the system's bare Python 3.11 or newer, so it uses the standard library alone.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(folder: Path, requirements: list[str]) -> None:
    """Make the environment, install the requirements, and bring the bundled front end up to date."""
    front_end = ROOT / "labextension" / "front_end.py"
    requirements = [*requirements, *runpy.run_path(str(front_end))["node_requirements"]()]
    stamp = folder / "tapeviz-installed"
    wanted = _fingerprint(requirements)
    done = stamp.read_text(encoding="utf-8").splitlines() if stamp.exists() else []
    if wanted not in done:
        python = _python(folder)
        # The tables of several extras may be wanted in turn (make lab, then make test): each adds, none removes.
        subprocess.run([python, "-m", "pip", "install", "--quiet", *_pip_arguments(requirements)], cwd=ROOT, check=True)
        stamp.write_text("\n".join([wanted, *(line for line in done if line[:16] == wanted[:16])]), encoding="utf-8")
    subprocess.run([folder / "bin" / "python", front_end, "build"], check=True)


def _python(folder: Path) -> Path:
    """Return the environment's python; makes the environment when it is missing or half made."""
    python = folder / "bin" / "python"
    asked = [python, "-m", "pip", "--version"]
    if not python.exists() or subprocess.run(asked, capture_output=True, check=False).returncode:
        if importlib.util.find_spec("ensurepip") is None:
            _install_ensurepip()
        print(f"Making {folder} with Python {sys.version.split()[0]}: a few minutes, once.", flush=True)
        # In a process of its own, which sees what has just been installed.
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    return python


def _install_ensurepip() -> None:
    """Install what Debian leaves out of Python, as root or with sudo, or name it."""
    package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    if not install_from_distribution(package):
        sys.exit(f"Python's ensurepip, which virtual environments need, is missing: apt-get install {package}")


def install_from_distribution(*packages: str) -> bool:
    """Install Debian packages as root or with a password-less sudo; tell whether that worked."""
    apt = shutil.which("apt-get")
    sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if apt is None or (sudo and shutil.which("sudo") is None):
        return False
    print(f"Installing {', '.join(packages)} from the distribution.", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    commands = [[apt, "update", "-qq"], [apt, "install", "-qq", "-y", "--no-install-recommends", *packages]]
    return all(
        subprocess.run([*sudo, *command], env=environment, stdout=subprocess.DEVNULL, check=False).returncode == 0
        for command in commands
    )


def _pip_arguments(requirements: list[str]) -> list[str]:
    return [part for text in requirements for part in (["--editable", text] if text.startswith(".") else [text])]


def _fingerprint(requirements: list[str]) -> str:
    """Return one line: what the installation depends on, then what is asked for."""
    digest = hashlib.sha256(f"{ROOT} {sys.version_info[:2]}".encode())
    for file in [ROOT / "pyproject.toml", ROOT / "hatch_build.py", *sorted(ROOT.glob("*/requirements*.txt"))]:
        digest.update(file.read_bytes())
    return f"{digest.hexdigest()[:16]} {' '.join(requirements)}"


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), sys.argv[2:])
    except subprocess.CalledProcessError as error:
        sys.exit(f"Failed: {' '.join(map(str, error.cmd))}")
