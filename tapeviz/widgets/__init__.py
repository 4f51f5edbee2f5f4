"""The interactive views in a notebook: an ipywidgets DOMWidget that shows a recording.

Nothing here knows the engine: a widget is given something with ``to_bytes()`` and, where there are values to page
through, a function that answers the front end's questions.
"""

from tapeviz.widgets.diff_widget import DiffWidget
from tapeviz.widgets.loaded_widget import Answerer
from tapeviz.widgets.strip_widget import StripWidget
from tapeviz.widgets.tape_widget import RecordingLike, TapeWidget

__all__ = ["Answerer", "DiffWidget", "RecordingLike", "StripWidget", "TapeWidget"]
