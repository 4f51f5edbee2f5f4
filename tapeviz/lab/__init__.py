"""The kernel's side of the JupyterLab extension: pages ask what is chosen here and for the latest tape, and choose.

Nothing here knows a shell, a tape or the engine: a :class:`Desk` answers.
"""

from tapeviz.lab.lines import PROTOCOL, TARGET, Desk, Lines

__all__ = ["PROTOCOL", "TARGET", "Desk", "Lines"]
