"""The kernel's side of the JupyterLab extension: pages ask what is chosen here and for the latest tape, and choose.

Nothing here knows a shell, a tape or the engine: a :class:`Bridge` answers.
"""

from tapeviz.lab.comm_channels import PROTOCOL, TARGET, Bridge, CommChannels

__all__ = ["PROTOCOL", "TARGET", "Bridge", "CommChannels"]
