"""The recording: columns in tables, from the builder that takes them to the bytes of a file and back.

Everything here needs NumPy and the standard library only. ``docs/format.md`` describes the tables and the bytes.
"""

from tapeviz.recording.builder import Builder
from tapeviz.recording.codec import MAGIC
from tapeviz.recording.columns import RecordingError
from tapeviz.recording.reader import Recording, read
from tapeviz.recording.schema import SCHEMA
from tapeviz.recording.tables import TableView
from tapeviz.recording.writer import FrameWriter

__all__ = ["MAGIC", "SCHEMA", "Builder", "FrameWriter", "Recording", "RecordingError", "TableView", "read"]
