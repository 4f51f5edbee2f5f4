"""What a person with or without good eyes would stumble over: axe's findings, text that is cut off or overlaps."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator

AXE = Path(__file__).parents[2] / "labextension" / "node_modules" / "axe-core" / "axe.min.js"

# Style sheets are not fetched once more, which a page opened from disk may not do.
RUN_AXE = """async (element) => {
    const result = await axe.run(element, {resultTypes: ["violations"], preload: false});
    return result.violations.map(({id, impact, help, nodes}) =>
        [impact, `${id}: ${help}: ${nodes.map((node) => node.html).slice(0, 3).join(" | ")}`]);
}"""

# Each line of each visible text with its box, cut to what the boxes around it let through.
TEXT_FAULTS = """(root) => {
    const faults = new Set();
    const seen = [];

    function shownPart(box, holder) {
        let {left, right, top, bottom} = box;
        let scrolls = false;
        for (let up = holder; up && root.contains(up); up = up.parentElement) {
            const style = getComputedStyle(up);
            const isScrolled = /auto|scroll/.test(style.overflowX + style.overflowY);
            if (style.overflowX === "visible" && style.overflowY === "visible") continue;
            const frame = up.getBoundingClientRect();
            [left, right] = [Math.max(left, frame.left), Math.min(right, frame.right)];
            [top, bottom] = [Math.max(top, frame.top), Math.min(bottom, frame.bottom)];
            // What is scrolled goes on below a heading that stays, and is covered there.
            const heading = isScrolled && !scrolls && up.querySelector("thead th");
            const look = heading && getComputedStyle(heading);
            const covers = look && look.position === "sticky" && /^rgb\\(/.test(look.backgroundColor);  // without alpha
            if (covers && !heading.parentElement.contains(holder))
                top = Math.max(top, heading.getBoundingClientRect().bottom);
            scrolls ||= isScrolled;
        }
        const cut = box.right - right > 1.5 || left - box.left > 1.5 || box.bottom - bottom > 3 || top - box.top > 3;
        return {left, right, top, bottom, cut: cut && !scrolls};
    }

    function compare(text, shown) {
        for (const [otherText, other] of seen) {
            const wide = Math.min(shown.right, other.right) - Math.max(shown.left, other.left);
            const high = Math.min(shown.bottom, other.bottom) - Math.max(shown.top, other.top);
            // Line boxes may touch: it is an overlap when a third of the lower one is covered.
            const least = Math.min(shown.bottom - shown.top, other.bottom - other.top) / 3;
            if (wide > 1.5 && high > least) faults.add(`overlap: ${text} / ${otherText}`);
        }
    }

    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const text = node.data.trim();
        const holder = node.parentElement;
        if (!text || !holder.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
        if (holder.closest("style, script, title, desc, option, [data-text-may-be-cut], .visually-hidden")) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const box of range.getClientRects()) {
            if (box.width < 1 || box.height < 1) continue;
            const shown = shownPart(box, holder);
            if (shown.cut) faults.add(`cut off: ${text}`);
            if (shown.right - shown.left < 1 || shown.bottom - shown.top < 1) continue;
            compare(text, shown);
            seen.push([text, shown]);
        }
    }
    return [...faults];
}"""


def serious_violations(element: Locator) -> list[str]:
    """Return what axe finds serious or critical in an element: contrast, names, roles, focus order."""
    return [text for impact, text in _violations(element) if impact in {"serious", "critical"}]


def violations(element: Locator) -> list[str]:
    """Return all that axe finds, of whatever impact."""
    return [text for _, text in _violations(element)]


def _violations(element: Locator) -> list[tuple[str, str]]:
    # Evaluated, not added as a script tag, which JupyterLab's content policy would block.
    element.page.evaluate(AXE.read_text(encoding="utf-8"))
    return element.evaluate(RUN_AXE)


def text_faults(element: Locator) -> list[str]:
    """Return each text in an element that is cut off (where nothing scrolls) or lies over another text."""
    return element.evaluate(TEXT_FAULTS)
