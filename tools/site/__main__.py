"""Build the documentation site.

    python -m tools.site build/site                       # everything
    python -m tools.site build/site --only '*tour*'       # of the notebooks and how-to pages those alone

Runs the notebooks, lets Sphinx write the pages, and goes through what it wrote: a link that leads nowhere, or anything
that a page would fetch from outside, is an error.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from sphinx.cmd.build import build_main

from tools.site import built_pages, sources

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = ROOT / "build" / "site-work"


def main(target: Path, only: Sequence[str]) -> int:
    """Build the site and return the exit status."""
    started = time.monotonic()
    source = WORK / ("source-of-some" if only else "source")
    sources.stage(source, WORK / "runs", only)
    staged = time.monotonic()
    shutil.rmtree(target, ignore_errors=True)
    # Pages that are left out are linked all the same: then a link that leads nowhere is no error.
    strict = [] if only else ["-W", "--keep-going"]
    settings = {"html_static_path": source / "_static", "html_extra_path": source / "_beside"}
    options = [part for name, folder in settings.items() for part in ("-D", f"{name}={folder}")]
    options += ["-q", "-b", "html", "-j", "auto", "-c", str(HERE), "-d", str(source.with_suffix(".doctrees")), *strict]
    status = build_main([*options, str(source), str(target)])
    built = time.monotonic()
    faults = built_pages.outside_requests(target) + built_pages.missing_files(target)
    faults += [] if only else built_pages.broken_links(target)
    for fault in faults:
        print(fault, file=sys.stderr)
    pages = len(list(target.rglob("*.html")))
    print(f"{pages} pages: notebooks and sources {staged - started:.0f} s, Sphinx {built - staged:.0f} s, in {target}")
    return status or bool(faults)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("target", type=Path)
    parser.add_argument("--only", nargs="+", default=(), help="patterns of notebooks and how-to pages")
    given = parser.parse_args()
    sys.exit(main(given.target.resolve(), given.only))
