"""Takes a picture of a fixture page in headless Chromium, and says what the page's console said.

    python scripts/shoot.py timeline out.png --width 600 --query "theme=dark&recording=failed&select=4"

Build the pages first: ``npm run fixtures``. Keys are pressed before the picture with ``--keys "ArrowRight p"``,
the pointer is put somewhere with ``--hover 300,120``, pressed with ``--click 300,120``.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
VIEWS = Path(__file__).resolve().parent.parent / "packages" / "views" / "src"


def main() -> int:
    """Open the page, do what was asked, take the picture; 1 when the console had an error."""
    asked = arguments()
    said: list[str] = []
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        size = {"width": asked.width, "height": asked.height}
        page = browser.new_page(viewport=size, device_scale_factor=asked.scale)
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.goto(f"file://{VIEWS / asked.view / 'fixture.html'}?{asked.query}")
        page.wait_for_timeout(400)
        act(page, asked)
        page.screenshot(path=asked.picture)
        browser.close()
    sys.stdout.write("".join(f"{line}\n" for line in said))
    return int(any(line.startswith("error") for line in said))


def act(page: Page, asked: argparse.Namespace) -> None:
    """Click, hover and press what the command line says."""
    if asked.click:
        page.mouse.click(*map(float, asked.click.split(",")))
    for key in asked.keys.split():
        page.keyboard.press(key)
    if asked.hover:
        page.mouse.move(*map(float, asked.hover.split(",")))
    page.wait_for_timeout(200)


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("view", help="a folder of packages/views/src")
    parser.add_argument("picture", help="where to write the PNG")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=640)
    parser.add_argument("--scale", type=float, default=1.0, help="device pixel ratio")
    parser.add_argument("--query", default="", help="the page's query, such as theme=dark&recording=lost&select=4")
    parser.add_argument("--click", default="", help="x,y")
    parser.add_argument("--hover", default="", help="x,y")
    parser.add_argument("--keys", default="", help="keys in order, such as 'ArrowRight p'")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
