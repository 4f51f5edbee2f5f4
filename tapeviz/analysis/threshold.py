"""Thresholds by which findings are told from what is fine; each can be set, for a recording or a question."""

from __future__ import annotations

from dataclasses import dataclass

from tapeviz.recording import Recording

__all__ = ["Threshold"]


@dataclass(frozen=True, slots=True)
class Threshold:
    """A number by which a rule tells what is wrong from what is not.

    Attributes:
        name: how it is set and shown in the evidence.
        value: what it is unless it is set.
        meaning: what happens beyond it, as a sentence, with its unit.
    """

    name: str
    value: float
    meaning: str

    def of(self, recording: Recording) -> float:
        """What it is for a recording, which keeps those that were set."""
        chosen = recording.meta_dict().get("thresholds")
        found = chosen.get(self.name) if isinstance(chosen, dict) else None
        return float(found) if isinstance(found, (int, float)) else self.value
