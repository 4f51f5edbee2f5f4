"""What is wrong with the pages of a built site: links that lead nowhere, and what a page would fetch from outside."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["broken_links", "missing_files", "outside_requests"]

# Attributes by which a page fetches something by itself; an <a> is followed by a person.
FETCHED = {
    "audio": ("src",), "embed": ("src",), "form": ("action",), "iframe": ("src",), "img": ("src", "srcset"),
    "input": ("src",), "link": ("href",), "object": ("data",), "script": ("src",), "source": ("src", "srcset"),
    "video": ("src", "poster"),
}  # fmt: skip
NO_REQUEST = ("canonical", "search", "next", "prev", "author", "index")
CSS_URL = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")
OUTSIDE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)


class _Page(HTMLParser):
    """The links, the places and the fetched things of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.fetched: list[str] = []
        self._style = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element refers to."""
        found = {name: value or "" for name, value in attrs}
        self.ids |= {found[name] for name in ("id", "name") if name in found}
        self._style = tag == "style"
        self.fetched += _urls(found.get("style", ""))
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag == "link" and found.get("rel", "") in NO_REQUEST:
            return
        self.fetched += [found[name] for name in FETCHED.get(tag, ()) if name in found]

    def handle_data(self, data: str) -> None:
        """Note what a style sheet in the page refers to."""
        if self._style:
            self.fetched += _urls(data)
            self._style = False


def outside_requests(site: Path) -> list[str]:
    """Return each thing that a page or a style sheet would fetch from another place than the site's folder."""
    faults = []
    for path in _pages(site):
        page = _page(path)
        faults += [f"{path.relative_to(site)} fetches {url}" for url in page.fetched if OUTSIDE.match(url)]
    for path in sorted(site.rglob("*.css")):
        urls = _urls(path.read_text(encoding="utf-8"))
        faults += [f"{path.relative_to(site)} fetches {url}" for url in urls if OUTSIDE.match(url)]
    return faults


def missing_files(site: Path) -> list[str]:
    """Return each script, style or picture that a page fetches and the site does not have."""
    return _leading_nowhere(site, lambda page: page.fetched)


def broken_links(site: Path) -> list[str]:
    """Return each link that leads to no page, no file or no place in a page."""
    return _leading_nowhere(site, lambda page: page.links)


def _leading_nowhere(site: Path, of: Callable[[_Page], list[str]]) -> list[str]:
    faults = []
    for path in _pages(site):
        for link in dict.fromkeys(of(_page(path))):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                faults.append(f"{path.relative_to(site)}: {link} leads nowhere")
            elif parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in _page(target).ids:
                faults.append(f"{path.relative_to(site)}: {link} names no place in that page")
    return faults


def _pages(site: Path) -> list[Path]:
    """The pages; what a theme keeps as a template among its scripts is none."""
    return [path for path in sorted(site.rglob("*.html")) if "_static" not in path.relative_to(site).parts]


@cache
def _page(path: Path) -> _Page:
    return _Page(path.read_text(encoding="utf-8"))


def _urls(css: str) -> list[str]:
    return [first or second for first, second in CSS_URL.findall(css)]
