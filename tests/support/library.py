"""A library desk with a tool, from which the tests of an author's methods and mistakes derive."""

from __future__ import annotations

import random
from typing import Any

import textgym
from textgym.core.episode import Grade
from textgym.messages import Message, assistant_calls, user
from textgym.tasks.task import Task


class Library(textgym.TextEnv[dict[str, Any]]):
    """Borrow the book with the number that is asked for."""

    card = textgym.Card("tests/Library-v0", "Borrow a book.")

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"book": rng.randrange(10**6)}

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], (user(f"Borrow {row['book']}."),), row["book"], row=row)

    def begin(self, task: Task) -> Any:
        return {"borrowed": []}

    @textgym.tool
    def borrow(self, book: int) -> str:
        """Borrow a book."""
        self.state["borrowed"].append(book)
        if book > 10**9:
            raise OverflowError(f"no shelf has {book}")
        return f"borrowed {len(self.state['borrowed'])}"

    def grade(self) -> Any:
        right = self.state["borrowed"] == [self.task.answer]
        return Grade(float(right), right)


def borrow(*books: int) -> Message:
    """Return a message that borrows books."""
    return assistant_calls(*[("borrow", {"book": book}) for book in books])


def told(env: Any, message: Message) -> list[str]:
    """Take a step, and return the texts of the tools."""
    observation = env.step(message)[0]
    return [item["content"] for item in observation if item["role"] == "tool"]
