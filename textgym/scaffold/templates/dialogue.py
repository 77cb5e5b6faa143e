"""`my_package/MyEnv-v0`: ask a customer for the details of an order, then write it down."""

from __future__ import annotations

import random
from typing import Any

import textgym

__all__ = ["MyEnv"]

_STREETS = (
    "Bridge Street",
    "Mill Lane",
    "North Road",
    "Park Avenue",
    "School Hill",
    "Station Road",
)
_WISHES = {
    "time": tuple(f"{hour}:{minute:02}" for hour in range(17, 22) for minute in range(0, 60, 5)),
    "topping": ("artichokes", "ham", "mushrooms", "olives", "peppers", "salami", "spinach", "tuna"),
    "size": ("small", "medium", "large"),
    "drink": ("beer", "cola", "juice", "lemonade", "water"),
}


class MyEnv(textgym.TextEnv[None]):
    """Take an order. The customer answers questions; the order is what the last `Answer:` states.

    The customer understands which details a message asks for by their names.
    """

    card = textgym.Card(
        id="my_package/MyEnv-v0",
        summary="Ask a customer for details, then write down the order.",
        structure=("multi-turn",),
        capabilities=("proactive asking", "information dependency"),
        domain=("general",),
        task_type="dialogue",
        verification=("exact match",),
        levels=(1, 2, 3),
        chance=0.01,
        accepts=("sentences", "full stop", "any case"),
    )
    max_turns = 10

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw an address, and one more wish than the level."""
        names = list(_WISHES)[: level + 1]
        return {
            "address": f"{rng.randint(1, 99)} {rng.choice(_STREETS)}",
            "wishes": {name: rng.choice(_WISHES[name]) for name in names},
        }

    def canonical(self, row: dict[str, Any]) -> Any:
        """Return what the prompt states. The wishes do not belong to it: they are asked for."""
        return [row["address"], list(row["wishes"])]

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        """Begin with the customer's first message. The answer is the whole order."""
        address, wishes = row["address"], row["wishes"]
        if not wishes or not all(isinstance(wish, str) for wish in wishes.values()):
            raise textgym.RowError("wishes", "must map details to what the customer wants")
        prompt = textgym.user(
            f"I want a pizza at {address}. Ask me for these details: {', '.join(wishes)}. Then end "
            f"with the order: `Answer: {', '.join(['ADDRESS', *map(str.upper, wishes)])}`."
        )
        answer = ", ".join([address, *wishes.values()])
        return textgym.Task(row["id"], (prompt,), answer, row=row)

    def respond(self, message: textgym.Message) -> list[textgym.Message] | None:
        """Answer questions. An order ends the episode."""
        if textgym.last_answer(self.answer_text) is not None:
            return None
        text, wishes = self.answer_text.lower(), self.task.row["wishes"]
        told = [f"The {name}: {wish}." for name, wish in wishes.items() if name in text]
        return [textgym.user(" ".join(told) or "Which of the details do you need?")]

    def grade(self) -> textgym.Grade:
        """Compare the order with what the customer wants."""
        order = textgym.last_answer(self.answer_text) or ""
        right = textgym.equal_text(self.task.answer, order)
        return textgym.Grade(float(right), right, {"correct": float(right)}, order)

    def solve(self) -> textgym.Message:
        """Ask for everything, then write down the order: this is the oracle."""
        if self.turn == 0:
            wishes = self.task.row["wishes"]
            return textgym.assistant(f"Please name the {' and the '.join(wishes)}.")
        return textgym.assistant(f"Answer: {self.task.answer}")

    def guess(self, rng: random.Random) -> textgym.Message:
        """Write down an order without a question: this is the random policy."""
        wishes = [rng.choice(_WISHES.get(name, ("any",))) for name in self.task.row["wishes"]]
        return textgym.assistant(f"Answer: {', '.join([self.task.row['address'], *wishes])}")
