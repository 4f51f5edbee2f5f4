"""A cluster of processes, which ends with the tests."""

from collections.abc import Iterator
from typing import Any

import ipyparallel
import pytest


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    cluster = ipyparallel.Cluster(n=4, controller_ip="127.0.0.1", log_level=40)
    try:
        yield cluster.start_and_connect_sync()
    finally:
        cluster.stop_cluster_sync()
