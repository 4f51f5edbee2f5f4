"""Writing files: whole ones that are put in place in one step, streams that grow by whole frames, scratch folders.

This is the only place of the package that opens a file for writing.
"""

from tapeviz.files.atomic import atomic_path, atomic_writer, sync_folder, write_atomic
from tapeviz.files.scratch import scratch_folder
from tapeviz.files.stream import AppendFile

__all__ = ["AppendFile", "atomic_path", "atomic_writer", "scratch_folder", "sync_folder", "write_atomic"]
