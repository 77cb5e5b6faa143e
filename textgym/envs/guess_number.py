"""`textgym/GuessNumber-v0`: a hidden number, found by being told "higher" or "lower"."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Annotated, Any

from annotated_types import Interval

from textgym.cards import Card
from textgym.env import TextEnv
from textgym.envs.drawing import randint
from textgym.errors import RowError, UsageError
from textgym.messages import Message, assistant, user
from textgym.rewards import Grade
from textgym.tasks.task import Task
from textgym.verifiers.exact import read_number
from textgym.verifiers.extract import final_number

__all__ = ["GuessNumber"]

_GAMES = {1: (3, 2), 2: (7, 3), 3: (20, 5), 4: (100, 7), 5: (1000, 10)}
MAX_NUMBER = 10**9
MAX_ROUND = 10**9


@dataclass(slots=True)
class Game:
    """What an episode knows.

    Attributes:
        found: Whether the last guess was right.
        guesses: How many messages named a number in range.
        last: The last of them; 0 before the first.
    """

    found: bool = False
    guesses: Annotated[int, Interval(ge=0, lt=2**31)] = 0
    last: Annotated[int, Interval(ge=0, le=MAX_NUMBER)] = 0


class GuessNumber(TextEnv[Game]):
    """A whole number from 1 to N is to be guessed in T turns, from "higher" and "lower".

    ## Description
    Each message is a guess; each wrong one is answered with where the number lies. Halving what is
    left finds every number where N is less than 2 to the power of T, as on all levels, so the best
    policy that does not know the number gets 1. One that does not read the answers finds it with a
    chance of T/N at most. With `feedback=False` nobody can do better than that: what a policy gains
    with feedback and not without it, it has from its observations.

    ## Observation
    A user message: N, T, and what is told. After a wrong guess a user message: `higher`, `lower`,
    or, without feedback, `wrong`. After a message that is no guess, one that says so.

    ## Action
    One assistant message. The last number in its text counts, so a bare `2` will do; its reasoning
    does not count. Where that is no whole number from 1 to N, or there is none, the turn is spent
    and nothing is told of the number.

    ## Reward
    1 where one of the first T messages names the number, else 0. Components: `correct`, and
    `guesses` (how many messages were guesses).

    ## Episode end
    Terminated by the right guess, or after T messages: the prompt tells this limit, so it is a rule
    of the game. `max_turns` truncates; with fewer than T turns it makes the game harder. There are
    no tools: a message with tool calls is told so, and spends a turn. Where it was the last one,
    the next message without tool calls ends the game, and is no guess.

    ## Levels
    | level | N | T |
    | --- | --- | --- |
    | 1 | 3 | 2 |
    | 2 | 7 | 3 |
    | 3 | 20 | 5 |
    | 4 | 100 | 7 |
    | 5 | 1000 | 10 |

    ## Rows
    | field | meaning |
    | --- | --- |
    | `number` | the number |
    | `highest` | N |
    | `turns` | T |
    | `round` | in generated rows, a random number that is not shown |

    The games of a level are few, and the number must be equally likely everywhere in each split. So
    the splits differ in `round` alone: they hold the same games.

    Args:
        highest: N of generated games; by default the level's.
        turns: T of generated games; by default the level's.
        feedback: Whether a wrong guess is answered with where the number lies.
        max_turns: The most assistant messages.
        **kwargs: `dataset`, `split`, `level` and `render_mode` of `TextEnv`.

    Raises:
        UsageError: `highest` or `turns` is no whole number of 1 or more.

    Example:
        >>> import gymnasium, textgym
        >>> env = gymnasium.make("textgym/GuessNumber-v0")
        >>> row = {"number": 5, "highest": 7, "turns": 3}
        >>> observation, info = env.reset(options={"task": row})
        >>> env.step("4")[0][-1]["content"]
        'higher'
        >>> env.step("It may be 6.")[0][-1]["content"]
        'lower'
        >>> env.step("5")[1:4]
        (1.0, True, False)

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/GuessNumber-v0",
        summary="Guess a number from what earlier guesses were answered.",
        structure=("multi-turn",),
        capabilities=("reasoning", "use of feedback"),
        domain=("games",),
        task_type="game",
        verification=("exact match",),
        levels=tuple(_GAMES),
        chance=0.285,
        data="generated, .jsonl, .parquet, hub",
        shared_splits=True,
        notes="The universe is small: the splits hold the same games, drawn anew. Any T different "
        "numbers hold the right one with a chance of T/N.",
    )

    def __init__(
        self,
        *,
        highest: int | None = None,
        turns: int | None = None,
        feedback: bool = True,
        max_turns: int = 100,
        **kwargs: Any,
    ) -> None:
        for name, value in (("highest", highest), ("turns", turns)):
            if value is not None and not _is_count(value):
                raise UsageError(f"{name} is a whole number from 1 to {MAX_NUMBER}, not {value!r}")
        if not isinstance(feedback, bool):
            raise UsageError(f"feedback is true or false, not {feedback!r}")
        self.highest, self.turns, self.feedback = highest, turns, feedback
        super().__init__(max_turns=max_turns, **kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a number, and a round that tells this draw from others."""
        highest, turns = _GAMES[level]
        highest = self.highest or highest
        return {
            "number": randint(rng, 1, highest),
            "highest": highest,
            "turns": self.turns or turns,
            "round": randint(rng, 1, MAX_ROUND),
        }

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read a row."""
        for field in ("number", "highest", "turns"):
            if not _is_count(row.get(field)):
                told = f"must be a whole number from 1 to {MAX_NUMBER}, not {row.get(field)!r}"
                raise RowError(field, told)
        number, highest, turns = row["number"], row["highest"], row["turns"]
        if number > highest:
            raise RowError("number", f"is {number}, and the highest is {highest}")
        return Task(row["id"], (user(self._prompt(highest, turns)),), number, row=row)

    def begin(self, task: Task) -> Game:
        """Begin with no guess."""
        return Game()

    def respond(self, message: Message) -> list[Message] | None:
        """Answer a guess; None ends the game."""
        row, game = self.task.row, self.state
        guess = _read_guess(self.answer_text, row["highest"])
        if guess and self.turn <= row["turns"]:
            game.guesses, game.last = game.guesses + 1, guess
            game.found = guess == self.task.answer
        if game.found or self.turn >= row["turns"]:
            return None
        if not guess:
            return [user(f"That is no whole number from 1 to {row['highest']}.")]
        if not self.feedback:
            return [user("wrong")]
        return [user("higher" if self.task.answer > guess else "lower")]

    def grade(self) -> Grade:
        """Tell whether the number was found."""
        game = self.state
        components = {"correct": float(game.found), "guesses": float(game.guesses)}
        return Grade(float(game.found), game.found, components, str(game.last or ""))

    def solve(self) -> Message:
        """Name the number."""
        return assistant(str(self.task.answer))

    def guess(self, rng: random.Random) -> Message:
        """Name some number in range."""
        return assistant(str(randint(rng, 1, self.task.row["highest"])))

    def _prompt(self, highest: int, turns: int) -> str:
        told = "whether the number is higher or lower" if self.feedback else "that it is wrong"
        return (
            f"I am thinking of a whole number from 1 to {highest}. Guess it: you have {turns} "
            f"{'turns' if turns > 1 else 'turn'}. Answer with one number. After a wrong guess I "
            f"tell you {told}."
        )


def _is_count(value: Any) -> bool:
    return type(value) is int and 1 <= value <= MAX_NUMBER


def _read_guess(text: str, highest: int) -> int:
    """Return the guess that a text names; 0 where it names none."""
    number = read_number(final_number(text))
    if number is None or not 1 <= number <= highest or number != int(number):
        return 0
    return int(number)
