"""`textgym/GuessNumber-v0`: guess a number from the answers "higher" and "lower"."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Annotated, Any

from annotated_types import Interval

from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.envs.generation import randint
from textgym.errors import RowError, UsageError
from textgym.messages import Message, assistant, user
from textgym.tasks.task import Task
from textgym.verifiers.exact import read_number
from textgym.verifiers.extract import final_number

__all__ = ["GuessNumber"]

_FIRST_GAME = (99_999, 1)  # of level 0: so many games that few come again
_GAMES = {1: (3, 2), 2: (7, 3), 3: (20, 5), 4: (100, 7), 5: (1000, 10)}
MAX_NUMBER = 10**9
MAX_ROUND = 10**9


@dataclass(slots=True)
class Game:
    """The state of an episode.

    Attributes:
        found: Whether the last guess was correct.
        guesses: The number of messages that named a number in range.
        last: The last guess; 0 before the first.
    """

    found: bool = False
    guesses: Annotated[int, Interval(ge=0, lt=2**31)] = 0
    last: Annotated[int, Interval(ge=0, le=MAX_NUMBER)] = 0


class GuessNumber(TextEnv[Game]):
    """Guess an integer from 1 to N in T turns.

    It measures whether a model uses what it observes. The same games can be played without
    feedback, and the difference between the two settings shows how much a model uses it.

    ## Description
    Each message is a guess. After a wrong guess the user says whether the number is higher or
    lower. On levels 1 to 5 N is less than 2 to the power of T, so binary search always finds the
    number and gets a reward of 1. A policy that ignores the feedback finds it with a probability of
    at most T/N. With `feedback=False` no policy can do better than that.

    ## Observation
    A user message that states N, T and the feedback to expect. After a wrong guess, a user message
    `higher` or `lower`, or `wrong` if there is no feedback. After a message that is not a valid
    guess, a user message that says so.

    ## Action
    One assistant message. The guess is the last number in its text, so a bare `2` is enough.
    Reasoning is ignored. If there is no number, or it is not an integer from 1 to N, the turn is
    lost without feedback.

    ## Reward
    1 if one of the first T messages guesses the number, else 0. Components: `correct`, and
    `guesses` (the number of valid guesses).

    ## Info
    | key | meaning |
    | --- | --- |
    | `task_id` | the id of the task; in every info |
    | `tools` | after reset, an empty list |
    | `stop_reason` | after the last step, as all below: `answer`, or `max_turns` if truncated |
    | `is_success` | whether the number was guessed |
    | `extracted_answer` | the last guess; `""` for none |
    | `reward_components` | the components above |
    | `verdict_reason` | why the reward is not full, such as `wrong`; `""` if it is |

    ## Episode end
    The episode terminates after a correct guess or after T messages. The prompt states this limit,
    so it is a rule of the game. `max_turns` truncates; a value below T makes the game harder. There
    are no tools: a message with tool calls gets an error reply and uses up a turn. If that was the
    last turn, the next message without tool calls ends the game and does not count as a guess.

    ## Levels
    | level | N | T |
    | --- | --- | --- |
    | 0 | 99999 | 1 |
    | 1 | 3 | 2 |
    | 2 | 7 | 3 |
    | 3 | 20 | 5 |
    | 4 | 100 | 7 |
    | 5 | 1000 | 10 |

    The prompt of level 0, which is only drawn with `level=0`, states the number.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `number` | the number |
    | `highest` | N |
    | `turns` | T |
    | `hint` | optional, a sentence that the prompt adds |
    | `round` | a random number in generated rows, which is not shown |

    There are only N games on a level, and within each split all numbers must be equally likely.
    Therefore all splits contain the same games, and differ only in `round`.

    Args:
        highest: N in generated games; None for the level's value.
        turns: T in generated games; None for the level's value.
        feedback: Whether the user says if the number is higher or lower.
        max_turns: The maximum number of assistant messages; 100 by default.
        **kwargs: `dataset`, `split`, `level` and `render_mode` of `TextEnv`.

    Raises:
        UsageError: `highest` or `turns` is not an integer of 1 or more, or `feedback` is not a
            bool.

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
        >>> observation, info = env.reset(options={"task": row})
        >>> for guess in ("1", "2", "3"):
        ...     observation, reward, terminated, truncated, info = env.step(guess)
        >>> reward, terminated
        (0.0, True)

    ## Version history
    - v0: first version.
    """

    card = Card(
        id="textgym/GuessNumber-v0",
        summary="Guess a number from the feedback on earlier guesses.",
        structure=("multi-turn",),
        capabilities=("reasoning", "information dependency"),
        domain=("games",),
        task_type="game",
        verification=("exact match",),
        levels=tuple(_GAMES),
        first_rung=True,
        chance=0.285,
        data="generated, .jsonl, .parquet, .csv, hub",
        accepts=("markdown", "quotes", "sentences", "full stop"),
        shared_splits=True,
        distinct_tasks=1,
        notes="There are few different games, so all splits contain the same ones. Any T different "
        "guesses include the number with a probability of T/N.",
    )

    max_turns = 100

    def __init__(
        self,
        *,
        highest: int | None = None,
        turns: int | None = None,
        feedback: bool = True,
        **kwargs: Any,
    ) -> None:
        for name, value in (("highest", highest), ("turns", turns)):
            if value is not None and not _is_count(value):
                raise UsageError(f"{name} must be an integer from 1 to {MAX_NUMBER}, not {value!r}")
        if not isinstance(feedback, bool):
            raise UsageError(f"feedback must be true or false, not {feedback!r}")
        self.highest, self.turns, self.feedback = highest, turns, feedback
        super().__init__(**kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a number, and a round that makes the row unique."""
        highest, turns = _GAMES[level] if level else _FIRST_GAME
        highest = self.highest or highest
        row = {
            "number": randint(rng, 1, highest),
            "highest": highest,
            "turns": self.turns or turns,
            "round": randint(rng, 1, MAX_ROUND),
        }
        return row if level else {**row, "hint": f"It is {row['number']}."}

    def read_row(self, row: dict[str, Any]) -> Task:
        """Read a row."""
        for field in ("number", "highest", "turns"):
            if not _is_count(row.get(field)):
                problem = f"must be an integer from 1 to {MAX_NUMBER}, not {row.get(field)!r}"
                raise RowError(field, problem)
        number, highest, turns = row["number"], row["highest"], row["turns"]
        if number > highest:
            raise RowError("number", f"is {number}, but highest is {highest}")
        hint = row.get("hint")
        if hint is not None and not (isinstance(hint, str) and hint.strip()):
            raise RowError("hint", f"must be a sentence such as 'It is odd.', not {hint!r:.100}")
        return Task(row["id"], (user(self._prompt(highest, turns, hint)),), number, row=row)

    def begin(self, task: Task) -> Game:
        """Return the state before the first guess."""
        return Game()

    def respond(self, message: Message) -> list[Message] | None:
        """Return the feedback on a guess, or None to end the game."""
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
        """Reward a game in which the number was found."""
        game = self.state
        components = {"correct": float(game.found), "guesses": float(game.guesses)}
        return Grade(float(game.found), game.found, components, str(game.last or ""))

    def solve(self) -> Message:
        """Guess the number."""
        return assistant(str(self.task.answer))

    def guess(self, rng: random.Random) -> Message:
        """Guess a random number in range."""
        return assistant(str(randint(rng, 1, self.task.row["highest"])))

    def _prompt(self, highest: int, turns: int, hint: str | None) -> str:
        feedback = "whether the number is higher or lower" if self.feedback else "that it is wrong"
        sentences = (
            f"I am thinking of a whole number from 1 to {highest}.",
            hint,
            f"Guess it: you have {turns} {'turns' if turns > 1 else 'turn'}.",
            f"Answer with one number. After a wrong guess I tell you {feedback}.",
        )
        return " ".join(filter(None, sentences))


def _is_count(value: Any) -> bool:
    return type(value) is int and 1 <= value <= MAX_NUMBER


def _read_guess(text: str, highest: int) -> int:
    """Return the guess in a text; 0 if there is none."""
    number = read_number(final_number(text))
    if number is None or not 1 <= number <= highest or number != int(number):
        return 0
    return int(number)
