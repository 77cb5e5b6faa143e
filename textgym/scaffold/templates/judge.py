"""`my_package/MyEnv-v0`: say when a trip ends, in words that a judge compares."""

from __future__ import annotations

import random
from typing import Any

import textgym
from textgym.verifiers.judge import JudgeLike

__all__ = ["MyEnv"]

_TRIPS = ("bus ride", "ferry crossing", "flight", "hike", "train ride", "walk")


class MyEnv(textgym.TextEnv[None]):
    """Say when a trip ends. A judge decides whether the answer means the right time.

    Args:
        judge: What compares the answers: `rule`, which compares texts and needs no model,
            `openai:MODEL@BASE_URL`, `hf:MODEL` or `module:function`.
        **kwargs: `dataset`, `split`, `level`, `max_turns` and `render_mode` of `TextEnv`.
    """

    card = textgym.Card(
        id="my_package/MyEnv-v0",
        summary="Say when a trip ends.",
        structure=("single-step",),
        capabilities=("calculation",),
        domain=("general",),
        task_type="question answering",
        verification=("judge",),
        levels=(1, 2, 3),
        chance=0.01,
        accepts=("markdown", "quotes", "full stop"),
        judge="rule",
    )

    def __init__(self, *, judge: JudgeLike = "rule", **kwargs: Any) -> None:
        self._judge = textgym.make_judge(judge)
        self.judge_name, self.blocking = self._judge.name, self._judge.blocking
        super().__init__(**kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a trip with as many parts as the level."""
        start = rng.randrange(24 * 60)
        parts = [(name, rng.randint(11, 170)) for name in rng.sample(_TRIPS, level)]
        trip = ", then ".join(f"a {name} of {minutes} minutes" for name, minutes in parts)
        return {
            "question": f"I leave at {_clock(start)} for {trip}. When do I arrive?",
            "expected_answer": _clock(start + sum(minutes for _, minutes in parts)),
        }

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        """Ask the question of the row."""
        for field in ("question", "expected_answer"):
            if not isinstance(row[field], str) or not row[field].strip():
                raise textgym.RowError(field, "must be a text that is not empty")
        prompt = textgym.user(f"{row['question']} Reply with the answer only.")
        return textgym.Task(row["id"], (prompt,), row["expected_answer"], row=row)

    def grade(self) -> textgym.Grade:
        """Ask the judge, except about an empty answer, which is wrong."""
        answer, question = self.answer_text, self.task.row["question"]
        right = answer != "" and self._judge.compare(question, self.task.answer, answer).equal
        return textgym.Grade(float(right), right, {"correct": float(right)}, answer)

    def solve(self) -> textgym.Message:
        """Give the answer: this is the oracle."""
        return textgym.assistant(self.task.answer)

    def guess(self, rng: random.Random) -> textgym.Message:
        """Give some time: this is the random policy."""
        return textgym.assistant(_clock(rng.randrange(24 * 60)))


def _clock(minutes: int) -> str:
    """Return a time of day, such as 09:05."""
    hours, minutes = divmod(minutes % (24 * 60), 60)
    return f"{hours:02}:{minutes:02}"
