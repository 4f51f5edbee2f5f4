"""What all tests share: `gpu` tests run where CuPy sees a device; `nightly` ones when asked for."""

import gc
import importlib.util
import os
import random
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("TAPEVIZ_DEVICE", "cpu")  # where there is a GPU, a test says itself that it wants it
os.environ["TAPEVIZ_CODE_CACHE"] = "0"  # what a test compiles is compiled, and the user's folder left alone

from tapeviz.ops.random.seeds import set_seed

# How fast a machine makes examples, which with others at work on it is slow, says nothing of what is tested.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


def _gpu_is_there() -> bool:
    if importlib.util.find_spec("cupy") is None:
        return False
    import cupy

    try:
        return cupy.cuda.runtime.getDeviceCount() > 0
    except cupy.cuda.runtime.CUDARuntimeError:
        return False


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "nightly" not in config.getoption("markexpr"):
        left_out = [item for item in items if item.get_closest_marker("nightly")]
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]
        config.hook.pytest_deselected(items=left_out)
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if marked and not _gpu_is_there():
        items[:] = [item for item in items if not item.get_closest_marker("gpu")]
        config.hook.pytest_deselected(items=marked)
    # While Playwright is on, asyncio in this thread is taken, which the tests of cells need: browser tests last.
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


def pytest_collection_finish() -> None:
    """Keep what collecting made out of the garbage collector's sight: with it a full collection takes half a second."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _same_numbers() -> None:
    """Every test draws the same numbers in every run: a layer of four units is otherwise dead in one run of sixteen."""
    set_seed(0)
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 - what programs that are tested draw from


@pytest.fixture(autouse=True)
def _no_fallbacks() -> Iterator[None]:
    """No test makes the planner or the compiler fail, whatever the results are, unless it forgets that it did."""
    yield
    module = sys.modules.get("tapeviz.graphs.run.fallbacks")
    if module is None or not module.fallbacks:
        return
    found = list(module.fallbacks)
    module.clear_fallbacks()
    pytest.fail(f"graphs ran in a plainer way: {found}")
