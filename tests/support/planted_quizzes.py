"""Small sound environments, from which tests make broken ones by overriding one method."""

from __future__ import annotations

import random
import re
from typing import Any

import textgym
from textgym.core.episode import Grade
from textgym.messages import Message, assistant, assistant_calls, user


class Quiz(textgym.TextEnv[Any]):
    """Add two numbers; the answer is boxed."""

    card = textgym.Card(id="planted/Quiz-v0", summary="Add two numbers.", chance=0.02)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        a, b = rng.randrange(100, 999), rng.randrange(100, 999)
        return {"question": f"What is {a} plus {b}?", "answer": str(a + b)}

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        text = f"{row['question']} Put the answer in \\boxed{{}}."
        return textgym.Task(row["id"], (user(text),), row["answer"], row=row)

    def is_right(self, text: str) -> bool:
        found = re.findall(r"\\boxed\{(.*?)\}", text, re.DOTALL)
        return bool(found) and found[-1] == self.task.answer

    def grade(self) -> Grade:
        right = self.is_right(self.answer_text)
        return Grade(float(right), right, {"correct": float(right)})

    def solve(self) -> Message:
        return assistant(f"\\boxed{{{self.task.answer}}}")

    def guess(self, rng: random.Random) -> Message:
        return assistant(f"\\boxed{{{rng.randrange(200, 2000)}}}")


class Options(Quiz):
    """Choose one of four options, which differ in nothing but what they say."""

    card = textgym.Card(id="planted/Options-v0", summary="Choose an option.", chance=0.25)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        wanted, *others = rng.sample(range(10_000, 99_999), 4)
        return self.offer(rng, f"Which number is {wanted + 7} minus seven?", wanted, others)

    def offer(
        self, rng: random.Random, question: str, right: object, wrong: list[Any]
    ) -> dict[str, Any]:
        """Return a row with the options in a random order."""
        options = rng.sample([right, *wrong], 4)
        lines = [f"{letter}: {option}" for letter, option in zip("ABCD", options, strict=True)]
        text = "\n".join([question, "", *lines, "", "Answer with a letter."])
        return {"question": text, "answer": "ABCD"[options.index(right)]}

    def guess(self, rng: random.Random) -> Message:
        return assistant(f"\\boxed{{{rng.choice('ABCD')}}}")


class Chest(textgym.TextEnv[dict[str, Any]]):
    """Put a number of coins into a chest; taking them out again undoes it."""

    card = textgym.Card(id="planted/Chest-v0", summary="Fill a chest.", chance=0.02)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"max_turns": 30, **kwargs})

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"first": rng.randrange(10, 500), "more": rng.randrange(10, 500)}

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        text = f"Put {row['first']} coins and {row['more']} more into the chest, in one call."
        return textgym.Task(row["id"], (user(text),), row["first"] + row["more"], row=row)

    def begin(self, task: textgym.Task) -> dict[str, Any]:
        return {"coins": 0, "calls": 0}

    @textgym.tool
    def put(self, count: int) -> int:
        """Put coins into the chest, or take them out if the count is negative."""
        self.state["coins"] += count
        self.state["calls"] += 1
        self.pay(count)
        return int(self.state["coins"])

    def pay(self, count: int) -> None:
        """Pay on the way; a sound chest does not."""

    def is_right(self) -> bool:
        return bool(self.state["coins"] == self.task.answer)

    def grade(self) -> Grade:
        right = self.is_right()
        return Grade(float(right), right, {"full": float(right)})

    def solve(self) -> Message:
        return (
            assistant("Done.")
            if self.turn
            else assistant_calls(("put", {"count": self.task.answer}))
        )

    def guess(self, rng: random.Random) -> Message:
        return assistant("Done.")
