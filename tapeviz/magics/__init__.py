"""The magics: ``%%tape`` and its kin, in IPython and notebooks.

``%load_ext tapeviz`` or ``tapeviz.enable()`` adds them, ``%unload_ext tapeviz`` takes them away.
"""

from tapeviz.magics.extension import TapeMagics, disable, enable, load, unload

__all__ = ["TapeMagics", "disable", "enable", "load", "unload"]
