"""``tf.summary``: what TensorBoard shows.

Each summary is with the operating system when the call that wrote it returns: a kernel that dies loses none, and
TensorBoard sees them without a flush.
"""

from __future__ import annotations

from typing import Any, Final

from tapeviz.namespace import Namespace
from tapeviz.summary import experimental as _experimental

_names: Final = Namespace(
    __name__,
    {
        "tapeviz.summary.graphs": "graph trace_export trace_off trace_on",
        "tapeviz.summary.writers": (
            "SummaryWriter create_file_writer create_noop_writer flush record_if should_record_summaries"
        ),
        "tapeviz.summary.writing": "histogram image scalar text write",
    },
)
experimental = _experimental
_offered: Final = [*_names.listed, "experimental"]
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
