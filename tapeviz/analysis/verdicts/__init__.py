"""What looks wrong in a recording, each with a line and what to do: a module for each rule, and :mod:`.rules`."""

from tapeviz.analysis.verdicts.rules import RULES, verdicts, with_thresholds, with_verdicts
from tapeviz.analysis.verdicts.verdict import Verdict, Verdicts

__all__ = ["RULES", "Verdict", "Verdicts", "verdicts", "with_thresholds", "with_verdicts"]
