# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.summary.writers import get_step, set_step, summary_scope

__all__ = ["get_step", "set_step", "summary_scope"]
