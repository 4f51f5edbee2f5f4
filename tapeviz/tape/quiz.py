"""What somebody answered when the step view asked for results before it showed them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from tapeviz.recording.terminal_text import visible

__all__ = ["Quiz", "QuizAnswer"]


@dataclass(frozen=True, slots=True)
class QuizAnswer:
    """An answer to the question about a step.

    Attributes:
        step: the number of the step, from 1.
        line: the line of the step; None where there is none.
        question: what was asked.
        answer: what was answered.
        right: whether that is so.
    """

    step: int
    line: int | None
    question: str
    answer: str
    right: bool


class Quiz(Sequence[QuizAnswer]):
    """The answers given so far, the last one to each step, in the order of the steps; prints as a table."""

    def __init__(self) -> None:
        self._answers: dict[int, QuizAnswer] = {}

    def take(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Add the answer that a page tells of; there is nothing to say to it.

        Raises:
            KeyError: the page left something out.
            ValueError: a step or a line is no number.
        """
        step, line = int(asked["step"]), int(asked["line"])
        question, answer = str(asked["question"]), str(asked["answer"])
        self._answers[step] = QuizAnswer(step, line if line > 0 else None, question, answer, asked["right"] is True)
        return {}

    @property
    def right(self) -> int:
        """How many of the answers are right."""
        return sum(answer.right for answer in self._answers.values())

    @overload
    def __getitem__(self, at: int) -> QuizAnswer: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[QuizAnswer]: ...
    def __getitem__(self, at: int | slice) -> QuizAnswer | Sequence[QuizAnswer]:
        """An answer by its place, from 0."""
        return [*self][at]

    def __iter__(self) -> Iterator[QuizAnswer]:
        return iter([self._answers[step] for step in sorted(self._answers)])

    def __len__(self) -> int:
        return len(self._answers)

    def __repr__(self) -> str:
        if not self._answers:
            return "nothing was answered yet: press q in the Step view"
        lines = [f"{self.right} of {len(self)} right"]
        for answer in self:
            where = "" if answer.line is None else f", line {answer.line}"
            sign = "right" if answer.right else "wrong"
            lines.append(f"  {sign}  step {answer.step}{where}: {answer.question} {answer.answer}")
        return visible("\n".join(lines))
