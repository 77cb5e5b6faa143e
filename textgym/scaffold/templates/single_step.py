"""`my_package/MyEnv-v0`: add up a shopping list."""

from __future__ import annotations

import random
from typing import Any

import textgym

__all__ = ["MyEnv"]

_GOODS = ("apples", "candles", "eggs", "lemons", "pencils", "rolls", "stamps", "tea bags")
_NUMBERS = ("count", "price")


class MyEnv(textgym.TextEnv[None]):
    """Add up a shopping list. The answer is the number behind the last `Answer:`."""

    card = textgym.Card(
        id="my_package/MyEnv-v0",
        summary="Add up a shopping list.",
        structure=("single-step",),
        capabilities=("calculation",),
        domain=("mathematics",),
        task_type="question answering",
        verification=("exact match",),
        levels=(1, 2, 3),
        chance=0.01,
        accepts=("sentences", "full stop"),
    )

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a list with one item more than the level."""
        items = [
            {"name": name, "count": rng.randint(3, 40), "price": rng.randint(11, 300)}
            for name in rng.sample(_GOODS, level + 1)
        ]
        return {"items": items}

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        """Ask for the sum of a list, which is the answer."""
        items = row["items"]
        if not items or any(type(item[key]) is not int for item in items for key in _NUMBERS):
            raise textgym.RowError("items", "must be a list, each with a whole count and price")
        lines = [f"- {item['count']} {item['name']}, {item['price']} cents each" for item in items]
        question = "What does this shopping list cost, in cents? End with a line `Answer: NUMBER`."
        prompt = textgym.user("\n".join([question, *lines]))
        total = sum(item["count"] * item["price"] for item in items)
        return textgym.Task(row["id"], (prompt,), total, row=row)

    def grade(self) -> textgym.Grade:
        """Compare the last stated answer with the sum."""
        answer = textgym.last_answer(self.answer_text) or ""
        right = textgym.match(str(self.task.answer), answer)
        return textgym.Grade(float(right), right, {"correct": float(right)}, answer)

    def solve(self) -> textgym.Message:
        """Give the answer: this is the oracle."""
        return textgym.assistant(f"Answer: {self.task.answer}")

    def guess(self, rng: random.Random) -> textgym.Message:
        """Give an answer in the right form that knows nothing: this is the random policy."""
        return textgym.assistant(f"Answer: {rng.randint(100, 40_000)}")
