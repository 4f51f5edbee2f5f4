# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.summary import experimental
from tapeviz.summary.graphs import graph, trace_export, trace_off, trace_on
from tapeviz.summary.summaries import histogram, image, scalar, text, write
from tapeviz.summary.writers import (
    SummaryWriter,
    create_file_writer,
    create_noop_writer,
    flush,
    record_if,
    should_record_summaries,
)

__all__ = [
    "SummaryWriter",
    "create_file_writer",
    "create_noop_writer",
    "experimental",
    "flush",
    "graph",
    "histogram",
    "image",
    "record_if",
    "scalar",
    "should_record_summaries",
    "text",
    "trace_export",
    "trace_off",
    "trace_on",
    "write",
]
