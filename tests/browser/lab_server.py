"""A real JupyterLab for a test: on 127.0.0.1, with its own folders, its own token, and nobody's settings."""

from __future__ import annotations

import contextlib
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools import jupyter_home

START_SECONDS = 120


@dataclass(frozen=True)
class LabServer:
    """A running JupyterLab: where it is and which folder it serves."""

    address: str
    token: str
    folder: Path

    def url(self, notebook: str) -> str:
        """Return the address of a notebook alone on the page, in a workspace of its own."""
        return f"{self.address}/doc/workspaces/{secrets.token_hex(4)}/tree/{notebook}?token={self.token}"


@contextlib.contextmanager
def running(folder: Path, theme: str) -> Iterator[LabServer]:
    """Run JupyterLab over `folder`/notebooks until the block ends. RuntimeError: it does not start; holds its log."""
    notebooks = folder / "notebooks"
    notebooks.mkdir(parents=True)
    # Cells out of sight stay in the page, so that a test can look at them.
    settings = {"windowingMode": "none", "autoStartDefaultKernel": True}
    environment = jupyter_home.prepare(folder, theme=theme, exposed=True, **settings)
    server = LabServer(f"http://127.0.0.1:{_free_port()}", secrets.token_hex(16), notebooks)
    options = [
        "--no-browser",
        f"--ServerApp.port={server.address.rpartition(':')[2]}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.root_dir={notebooks}",
        f"--IdentityProvider.token={server.token}",
    ]
    log = folder / "server.log"
    with log.open("wb") as output:
        command = [sys.executable, "-m", "jupyterlab", *options]
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output, stdin=subprocess.DEVNULL)
        try:
            _wait_until_it_answers(server, process, log)
            yield server
        finally:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_until_it_answers(server: LabServer, process: subprocess.Popen, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{server.address}/api/status?token={server.token}", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8')}")
