"""Defects that the environments once had, put back: the audit finds them, and says which way.

`docs/audit.md` lists them. Others are among `broken_envs`: a judge that believes forged verdicts,
a grader that reads the first box, and options whose surface tells the right one.
"""

from __future__ import annotations

from typing import Any

import pytest
from math_verify import parse, verify

from textgym.checks import CHECKS, make_subject, run_check
from textgym.checks.attackers import attackers, learn
from textgym.checks.episodes import play
from textgym.core.grade import Grade
from textgym.core.text_env import TextEnv
from textgym.envs.math import Math
from textgym.envs.single_tool_call import SingleToolCall


class LibraryMath(Math):
    """Takes the verdict of the library as it is."""

    def grade(self) -> Grade:
        right = bool(verify(parse(f"${self.task.answer}$"), parse(self.answer_text)))
        return Grade(float(right), right, {"correct": float(right)})


class AnyReading(SingleToolCall):
    """Accepts any value of the weather report."""

    def grade(self) -> Grade:
        told = {str(value) for value in self.task.row["weather"].values()}
        right = self.state["told"] and self.answer_text.removeprefix("Answer: ") in told
        return Grade(float(right), right, {"correct": float(right)})


class SplitByTheWeather(SingleToolCall):
    """Divides its splits by the weather that was drawn, which the prompt does not show."""

    def canonical(self, row: dict[str, Any]) -> Any:
        return {name: value for name, value in row.items() if name not in ("id", "level")}


def mean(cls: type[TextEnv[Any]], name: str, tasks: int = 60) -> float:
    """What an attacker gets on test tasks."""
    with make_subject(cls, tasks) as subject:
        attacker = next(a for a in attackers(learn(subject)) if a.name == name)
        env = subject.make_split("test")
        episodes = (play(env, attacker.policy.for_env(env), index=i) for i in range(tasks))
        return sum(episode.total for episode in episodes) / tasks


@pytest.mark.parametrize(
    ("cls", "name", "least"),
    [
        (LibraryMath, r"expression \pi\sqrt{\infty}", 0.5),
        (LibraryMath, r"expression \pi|\log 0|", 0.5),
        (AnyReading, "words, then a random result", 0.2),
    ],
)
def test_an_attacker_is_paid_where_the_defect_is_back(
    cls: type[TextEnv[Any]], name: str, least: float
) -> None:
    sound = cls.__bases__[0]
    assert mean(cls, name) >= least
    assert mean(sound, name) <= sound.card.chance


def overlap(env: TextEnv[Any]) -> str:
    with make_subject(env, 500) as subject:
        return run_check(subject, CHECKS["statistical.split_overlap"]).status


def test_test_tasks_among_training_tasks_are_found() -> None:
    assert overlap(SplitByTheWeather(level=1)) == "fail"
    assert overlap(SingleToolCall(level=1)) == "pass"
