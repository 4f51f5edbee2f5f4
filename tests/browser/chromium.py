"""Finds the distribution's Chromium; run as a program it installs it where there is none, or names the package."""

from __future__ import annotations

import runpy
import shutil
import sys
from pathlib import Path

PACKAGES = ("chromium", "fonts-dejavu-core")

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # The same glyph edges on each machine, and no scroll bars that come and go in a screenshot.
    "--font-render-hinting=none",
    "--hide-scrollbars",
)


def find() -> str | None:
    """Return the path of Chromium, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)


def main() -> None:
    """Install Chromium unless it is there."""
    if find():
        return
    tools = Path(__file__).parents[2] / "tools"
    install = runpy.run_path(str(tools / "environment.py"))["install_from_distribution"]
    if not install(*PACKAGES) or not find():
        sys.exit(f"The browser tests need Chromium. Install it: apt-get install {' '.join(PACKAGES)}")


if __name__ == "__main__":
    main()
