"""The verdict of an environment on a finished episode: a `Grade`.

A reward is a finite number in the environment's declared range. A failure of the infrastructure is
an exception (see `errors.py`), never a grade.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from textgym.errors import RewardError
from textgym.messages import copy_json

__all__ = ["Grade"]


@dataclass(slots=True)
class Grade:
    """The verdict on one episode.

    Attributes:
        reward: The episode's reward, in the environment's declared range.
        is_success: Whether the task was solved.
        components: Named parts of the verdict, each a finite number.
        extracted_answer: The answer as found in the model's text; "" if there is none. None if the
            environment looks for no answer, for example because it grades a state: then info has ""
            and `"answer_sought": False`.
        info: Further entries for the info of the last step; each key always has the same type.

    Example:
        >>> Grade(1.0, True, {"correct": 1.0}, extracted_answer="B").reward
        1.0
    """

    reward: float
    is_success: bool
    components: Mapping[str, float] = field(default_factory=dict)
    extracted_answer: str | None = None
    info: Mapping[str, Any] = field(default_factory=dict)

    def entries(self, owner: str, reward_range: tuple[float, float]) -> dict[str, Any]:
        """Return the entries of the grade for the info of the last step.

        Args:
            owner: The environment's id, for errors.
            reward_range: The environment's declared range.

        Raises:
            RewardError: The reward is outside the range, or a component is not a finite number.

        Example:
            >>> Grade(1.0, True, extracted_answer="B").entries("demo/Echo-v0", (0.0, 1.0))
            {'reward_components': {}, 'is_success': True, 'extracted_answer': 'B'}
        """
        low, high = reward_range
        if not low <= float(self.reward) <= high:
            raise RewardError(
                f"{owner} graded {float(self.reward)}, outside its range {low} to {high}"
            )
        components = {name: float(value) for name, value in self.components.items()}
        for name, value in components.items():
            if not math.isfinite(value):
                raise RewardError(f"{owner}: component {name!r} is {value}")
        entries: dict[str, Any] = {
            "reward_components": components,
            "is_success": bool(self.is_success),
            "extracted_answer": self.extracted_answer or "",
        }
        if self.extracted_answer is None:
            entries["answer_sought"] = False
        return {**entries, **copy_json(self.info)}
