"""The pytest plugin: tests whose programs must have no findings.

It is asked for, by ``pytest_plugins = ["tapeviz.tape.pytest_plugin"]`` in a ``conftest.py`` or by
``-p tapeviz.tape.pytest_plugin``; pytest imports nothing of tapeviz unless it is. A test marked
``@pytest.mark.tapeviz("none", "nan", "retrace")`` is recorded, and fails where :meth:`Tape.check` of these raises;
``--tapeviz=none,nan`` does so for each test. The fixture ``tape`` is the recording, to ask more.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack
from typing import Any

import pytest

from tapeviz.tape.record import record
from tapeviz.tape.tape import Tape

__all__: list[str] = []

_BLOCK: pytest.StashKey[tuple[ExitStack, Tape]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option ``--tapeviz``."""
    group = parser.getgroup("tapeviz")
    group.addoption("--tapeviz", metavar="KINDS", help="record each test, and fail it on findings of these kinds, "
                    "such as none,nan,retrace,broadcast, or all")  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers",
        "tapeviz(*kinds, severity=2, thresholds=None): record the test, and fail it on findings, as Tape.check does",
    )


@pytest.fixture
def tape(request: pytest.FixtureRequest) -> Tape:
    """The recording of this test, which is over when the test is."""
    return _begun(request.node)


def _begun(item: Any) -> Tape:
    if _BLOCK not in item.stash:
        block = ExitStack()
        item.stash[_BLOCK] = block, block.enter_context(record(name=item.name))
    found: Tape = item.stash[_BLOCK][1]
    return found


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Record a test that asks for it, and check the recording when the test has passed."""
    marker = pyfuncitem.get_closest_marker("tapeviz")
    option = pyfuncitem.config.getoption("--tapeviz")
    if marker is None and not option and _BLOCK not in pyfuncitem.stash:
        return (yield)
    found = _begun(pyfuncitem)
    with pyfuncitem.stash[_BLOCK][0]:
        result = yield
    if marker is not None:
        found.check(*marker.args, **marker.kwargs)
    elif option:
        found.check(*(() if option == "all" else option.replace(",", " ").split()))
    return result


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """End the recording of a test that did not come to run, such as one whose other fixtures failed."""
    if _BLOCK in item.stash:
        item.stash[_BLOCK][0].close()
