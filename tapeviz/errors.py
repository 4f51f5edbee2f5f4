"""``tf.errors``: the errors that ops raise."""

from tapeviz.engine.errors import *  # noqa: F403
from tapeviz.engine.errors import __all__ as __all__  # noqa: PLC0414
