"""Random examples: a few in each run, many nightly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings


def exploring(few: int, many: int) -> Callable[[Any], Any]:
    """Make of a test with ``given`` one that runs with so many examples, and nightly with so many."""

    def decorate(test: Any) -> Any:
        def run(count: int) -> None:
            chosen = settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck))
            chosen(test)()

        run.__doc__ = test.__doc__
        counts = [few, pytest.param(many, marks=pytest.mark.nightly)]
        return pytest.mark.parametrize("count", counts)(run)

    return decorate
