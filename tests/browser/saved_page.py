"""A saved page opened from disk with the network off, its views gone through, and what its log complains of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page

__all__ = ["SavedPage"]

# What a view painted: the share of a canvas that is not its ground. What is written counts elsewhere.
INK = """(main) => [...main.querySelectorAll("canvas")].filter((canvas) => canvas.clientHeight > 60).map((canvas) => {
    const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const colors = new Map();
    for (const color of new Uint32Array(data.buffer)) colors.set(color, (colors.get(color) ?? 0) + 1);
    return 1 - Math.max(...colors.values()) / (canvas.width * canvas.height);
})"""
# A canvas paints in the frame after it was asked to; what it has no room for, in the one after that.
PAINTED = """() => new Promise((done) => {
    let frames = 4;
    const next = () => (frames-- > 0 ? requestAnimationFrame(next) : setTimeout(done));
    next();
})"""


class SavedPage:
    """The views of one page, by their titles."""

    def __init__(
        self,
        browser: Browser,
        path: Path,
        *,
        width: int = 1280,
        scheme: str = "light",
        forced: bool = False,
        script: str = "",
    ) -> None:
        context = browser.new_context(
            viewport={"width": width, "height": 800},
            color_scheme=scheme,
            forced_colors="active" if forced else "none",
            offline=True,
        )
        self.page: Page = context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", lambda m: self.complaints.append(m.text) if m.type in {"error", "warning"} else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        if script:
            self.page.add_init_script(script)
        self.page.goto(path.as_uri())
        self.shell = self.page.locator("section.tapeviz")
        self.shell.wait_for()
        self.main = self.shell.locator("#tv-main")
        self.painted()

    def painted(self) -> None:
        """Wait until what was asked for is on the screen."""
        self.page.evaluate(PAINTED)

    def views(self) -> Iterator[str]:
        """Go through the views; gives the title of the one that is shown."""
        tabs = self.page.get_by_role("tab")
        for title in tabs.all_inner_texts():
            tabs.get_by_text(title, exact=True).click()
            self.painted()
            yield title

    def is_blank(self) -> bool:
        """Whether the view paints next to nothing and says next to nothing."""
        ink = self.main.evaluate(INK)
        return max(ink) < 0.01 if ink else len(self.main.inner_text()) < 100

    def in_words(self) -> str:
        """The view's text twin; the view is back afterwards."""
        self.press("t")
        text = self.main.inner_text()
        self.press("t")
        return text

    def press(self, *keys: str) -> None:
        """Press keys one after the other in the view."""
        self.main.focus()
        for key in keys:
            self.page.keyboard.press(key)
        self.painted()

    def close(self) -> None:
        """Close it, and fail where its log complained."""
        self.page.context.close()
        assert self.complaints == []
