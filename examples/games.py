"""The games that the small model learns, with the policies that it first imitates.

In each game, tasks that look the same have different answers, so the first answer is a guess.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from textgym.messages import assistant
from textgym.policies import Action, Policy
from textgym.tasks.task import Task

__all__ = ["GAMES", "AnyLetter", "AnyNumber", "Game", "earlier_or_later", "guess", "retry"]

LETTERS = "ABC"


@dataclass(frozen=True)
class Game:
    """What an agent plays.

    Attributes:
        title: The title of its curves.
        id: The environment.
        kwargs: The arguments of the environment.
        tasks: The tasks, which look the same and have different answers.
        imitated: The policy that the model imitates before it learns, as a spec.
        wrappers: The wrappers, as text.
    """

    title: str
    id: str
    kwargs: dict[str, Any]
    tasks: list[dict[str, Any]]
    imitated: str = "random"
    wrappers: tuple[str, ...] = ()


class AnyNumber(Policy):
    """Says a number from 1 to 20, in range or not."""

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: int | None = None
    ) -> Action:
        """Return the number."""
        return Action(assistant(str(random.Random(seed).randint(1, 20))))


class AnyLetter(Policy):
    """Says a letter.

    Args:
        letters: The letters.
    """

    def __init__(self, letters: str = LETTERS) -> None:
        self.letters = letters

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: int | None = None
    ) -> Action:
        """Return the letter."""
        return Action(assistant(random.Random(seed).choice(self.letters)))


def guess(feedback: bool, highest: int = 3, turns: int = 2, **others: Any) -> Game:
    """Return games of `textgym/GuessNumber-v0`.

    Args:
        feedback: Whether the reply says in which direction the number is.
        highest: The highest number.
        turns: The number of guesses.
        **others: Further attributes of the game.
    """
    limits = {"highest": highest, "turns": turns}
    tasks = [{**limits, "number": number} for number in range(1, highest + 1)]
    title = f"textgym/GuessNumber-v0, {highest} numbers, {turns} turns"
    kwargs = {**limits, "feedback": feedback}
    return Game(title, "textgym/GuessNumber-v0", kwargs, tasks, **others)


def earlier_or_later(info: dict[str, Any], task: Task) -> str:
    """Return where in the alphabet the right letter is, as feedback of `Retry`."""
    said = info["extracted_answer"]
    if not said:
        return "That is none of the letters."
    return "It comes later." if said < task.answer else "It comes earlier."


def retry(feedback: bool) -> Game:
    """Return questions of `textgym/MCQA-v0` with two attempts.

    Args:
        feedback: Whether the reply says in which direction the letter is.
    """
    prompt = f"I drew one of the letters {', '.join(LETTERS)}. Which one?"
    row = {
        "responses_create_params": {"input": prompt},
        "template_metadata": {"output_regex": f"([{LETTERS}])"},
    }
    said = "games:earlier_or_later" if feedback else "That is wrong."
    return Game(
        "Retry around textgym/MCQA-v0, 3 options, 2 attempts",
        "textgym/MCQA-v0",
        {},
        [{**row, "expected_answer": letter} for letter in LETTERS],
        imitated="games:AnyLetter",
        wrappers=(f"Retry:attempts=2,feedback={said}",),
    )


GAMES: dict[str, Callable[[bool], Game]] = {"guess": guess, "retry": retry}
"""The games of the learning demonstration by name."""
