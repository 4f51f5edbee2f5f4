"""The interactive views in a notebook: an ipywidgets DOMWidget that shows a recording.

Nothing here knows the engine: a widget is given something with ``to_bytes()`` and, where there are values to page
through, a function that answers the front end's questions.
"""

from tapeviz.widgets.strip_widget import StripWidget
from tapeviz.widgets.tape_widget import Answerer, RecordingLike, TapeWidget

__all__ = ["Answerer", "RecordingLike", "StripWidget", "TapeWidget"]
