"""`textarena/NAME-v0`: the games of TextArena, for one player or against opponents.

Invariants: TextArena is imported only in worker processes; the state of an episode is the list of
all moves, so that it is restored by replaying them; nothing that a player writes raises.
"""

from __future__ import annotations

import json
import random
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Unpack

from typing_extensions import TypedDict

from textgym.core.authoring import TextEnvOptions
from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.errors import (
    ExtraMissingError,
    RowError,
    UnknownNameError,
    UsageError,
    did_you_mean,
    install_advice,
)
from textgym.integrations.textarena.game import YOUR_TURN
from textgym.integrations.textarena.tables import (
    RANDOM,
    TRIES,
    Opponent,
    OwnTable,
    SharedTable,
    Table,
)
from textgym.messages import Message, assistant, system, text_of, user
from textgym.tasks.task import Task
from textgym.users.policy_user import UserLike
from textgym.verifiers.extract import after_reasoning

__all__ = ["TextArenaEnv", "card_of", "class_of", "left_out", "table"]

GRADINGS = ("strict", "original")
HIGHEST = {"Set": 20.0}  # the package's reward for all that can be won, if it is not 1
ONLY_FULL = ("Countdown",)  # games whose partial rewards any legal moves earn
_FEW = 490  # different prompts of 500 tasks, below which splits have prompts in common


class Outcome(TypedDict):
    """How a game ended.

    Attributes:
        rewards: The package's reward of each player, by seat.
        faulty: The seats with an invalid move that was not forgiven.
        by_fault: Whether such a move was the last one.
        why: The package's reason.
    """

    rewards: dict[str, float]
    faulty: list[int]
    by_fault: bool
    why: str


class Progress(TypedDict):
    """The state of an episode.

    Attributes:
        moves: The moves so far, as pairs of a seat and a text.
        outcome: How the game ended; None while it is going on.
        unreadable: How many texts in a row the game could not read.
    """

    moves: list[list[Any]]
    unreadable: int
    outcome: Outcome | None


class TextArenaEnv(TextEnv[Progress]):
    """Play a game of TextArena.

    ## Description
    The rules, boards and messages are the package's. In games for several players, `opponent` plays
    the other seats: random legal moves, or a model. `textgym.play_match` plays all seats by
    policies.

    ## Observation
    A system message with the rules, and then what has happened since the player's last turn, such
    as the new board and the moves of others.

    ## Action
    A text with a move, usually in square brackets, as the rules say. Reasoning is not passed on. A
    text that the game cannot read, or that takes it more than 10 seconds, is answered with an
    error, and the game is as before. The third in a row forfeits the game.

    ## Reward
    The package's reward of the player at the end of the game; component `textarena`.
    `is_success` is a reward of 1 in games for one player, and a positive one in others.

    With `grading="strict"`, a reward above 0 becomes 0 if the player made an invalid move that the
    game did not forgive (component `invalid`), or if another player's ended the game (`forfeit`).
    A few games reward a player who says nothing, and all others win by the move of one. The reward
    of Set is divided by 20, the number of its turns, and Countdown rewards only the target. With
    `grading="original"`, the reward is the package's, which can exceed 1.

    ## Episode end
    The game ends, or `max_turns` cuts the episode, which then earns 0. Most games end with the
    second invalid move in a row.

    ## Rows
    | field | meaning |
    | --- | --- |
    | `seed` | of the game |
    | `seat` | of the player, from 0; not in games for one player |

    Args:
        opponent: Plays the other seats: `random`, the spec of a policy such as
            `openai:MODEL@BASE_URL`, a policy, or a function from messages to text, or its name, as
            `module:function`.
        players: The number of players, if the game allows several numbers.
        seat: The player's seat; None for the row's.
        variant: A variant of the game, such as `hard`; None for the package's default.
        grading: `strict` or `original`.
        **kwargs: `dataset`, `split`, `max_turns` and `render_mode` of `TextEnv`.
    """

    game: ClassVar[str]
    measured: ClassVar[dict[str, Any]]  # the game's row of `table`
    blocking = True  # games are in worker processes, and opponents may be models

    def __init__(
        self,
        *,
        opponent: UserLike = RANDOM,
        players: int | None = None,
        seat: int | None = None,
        variant: str | None = None,
        grading: str = "strict",
        **kwargs: Unpack[TextEnvOptions],
    ) -> None:
        if find_spec("textarena") is None:
            raise ExtraMissingError(
                f"{self.card.id} needs the extra 'textarena': {install_advice('textarena')}"
            )
        if grading not in GRADINGS:
            raise UnknownNameError(f"grading must be 'strict' or 'original', not {grading!r:.100}")
        fewest, most = self.measured["players"]
        self._players = fewest if players is None else players
        if not isinstance(self._players, int) or not fewest <= self._players <= most:
            allowed = f"{fewest}" if fewest == most else f"{fewest} to {most}"
            raise UsageError(f"{self.game} has {allowed} players, not {players!r}")
        if seat is not None and seat not in range(self._players):
            raise UsageError(f"seat must be from 0 to {self._players - 1}, not {seat!r:.100}")
        variants = self.measured["variants"]
        if variant is not None and variant not in variants:
            hint = did_you_mean(str(variant), variants) or f": it has {', '.join(variants)}"
            raise UnknownNameError(f"{self.game} has no variant {variant!r:.100}{hint}")
        self._id = self.measured["id"] if variant is None else variants[variant]
        self._is_strict, self._seat_for_all = grading == "strict", seat
        self._seat = 0
        self._table: Table = OwnTable(self._id, Opponent(opponent, type(self).__name__))
        self._opened: Any = None  # the row whose game `read_row` opened last
        super().__init__(**kwargs)

    @property
    def reward_range(self) -> tuple[float, float]:
        """From -1 to 1; unbounded with the package's own rewards."""
        return (-1.0, 1.0) if self._is_strict else (float("-inf"), float("inf"))

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        """Draw a seed, and a seat if there are several."""
        row = {"seed": rng.getrandbits(31)}
        return row if self._players == 1 else {**row, "seat": rng.randrange(self._players)}

    def read_row(self, row: dict[str, Any]) -> Task:
        """Begin the game, for what the player sees first."""
        seed, seat = row.get("seed"), row.get("seat", 0)
        if not isinstance(seed, int) or isinstance(seed, bool):
            raise RowError("seed", "must be an integer")
        seat = seat if self._seat_for_all is None else self._seat_for_all
        if seat not in range(self._players):
            raise RowError("seat", f"must be from 0 to {self._players - 1}")
        opening = self._table.open(seat, self._players, seed)
        rules, text = opening.rules, opening.text
        if opening.is_first:
            messages = [system(rules)] if rules else []
            messages.append(user(text or YOUR_TURN))
        else:
            messages = [system(f"{rules}\n{text}".strip())]
        self._opened = {**row, "seat": seat}
        return Task(row["id"], tuple(messages), None, (), self._opened)

    def begin(self, task: Task) -> Progress:
        """Let those who move before the player move."""
        self._seat = task.row["seat"]
        if self._opened is not task.row:  # another task has been read since
            self._table.open(self._seat, self._players, task.row["seed"])
        self._opened = None
        if task.messages[-1]["role"] == "system":
            text = self._table.wait(self._seat)
            self.open_with([user(text or YOUR_TURN)])
        return {"moves": [*self._table.moves], "outcome": None, "unreadable": 0}

    def close(self) -> None:
        """End the game's process."""
        super().close()
        self._table.close()

    def _seated(self) -> Table:
        """Return the table, with the moves of the state; they are replayed if need be."""
        if isinstance(self._table, OwnTable):
            seed, moves = self.task.row["seed"], self.state["moves"]
            self._table.return_to(self._seat, self._players, seed, moves)
        return self._table

    def respond(self, message: Message) -> list[Message]:
        """Make the player's move, let the others move, and show what happened."""
        table, state = self._seated(), self.state
        problem = ""
        if table.position["seat"] is not None:
            problem = table.move(self._seat, after_reasoning(text_of(message)).strip())
        state["unreadable"] = state["unreadable"] + 1 if problem else 0
        if problem and state["unreadable"] < TRIES:
            return [user(f"Error: the game could not read the move ({problem})"[:300])]
        if problem:
            table.forfeit(self._seat)
        text = table.wait(self._seat)
        state["moves"] = [*table.moves]
        position = table.position
        if position["seat"] is not None:
            return [user(text or YOUR_TURN)]
        state["outcome"] = Outcome(
            rewards=position["rewards"],
            faulty=position["faulty"],
            by_fault=position["by_fault"],
            why=position["why"],
        )
        self.finish()
        return [user("\n".join(part for part in (text, position["why"]) if part) or "The end.")]

    def grade(self) -> Grade:
        """Return the package's reward, unless it comes from an invalid move."""
        outcome = self.state["outcome"]
        if outcome is None:
            return Grade(0.0, False, self._components(0.0, False, False), extracted_answer=None)
        original = outcome["rewards"][str(self._seat)]
        invalid = self._seat in outcome["faulty"]
        forfeit = outcome["by_fault"] and not invalid
        reward = original
        if self._is_strict:
            reward = self._strict(original, invalid or forfeit)
        success = reward >= 1.0 if self._players == 1 else reward > 0.0
        return Grade(
            reward,
            success,
            self._components(original, forfeit, invalid),
            extracted_answer=None,
            info={"outcome": outcome["why"][:1000]},
        )

    def _strict(self, original: float, by_invalid_move: bool) -> float:
        """Return the reward of the strict grade."""
        if by_invalid_move:
            return min(0.0, original)
        if self.game in ONLY_FULL and original < 1.0:
            return 0.0
        return max(-1.0, min(1.0, original / HIGHEST.get(self.game, 1.0)))

    def _components(self, original: float, forfeit: bool, invalid: bool) -> dict[str, float]:
        return {"textarena": original, "forfeit": float(forfeit), "invalid": float(invalid)}

    def guess(self, rng: random.Random) -> Message:
        """Make a random move that the game accepts, if one is found."""
        table = self._seated()
        if table.position["seat"] is None:
            return assistant("")
        return assistant(table.legal_move(self._seat, rng.getrandbits(31)))

    def seats(self, index: int) -> tuple[list[TextArenaEnv], SharedTable]:
        """Return an environment for each seat of the game of a task, for `textgym.play_match`.

        Args:
            index: The index of the task, whose seed the game has.
        """
        shared = SharedTable(self._id, self._players, self.get_task(index).row["seed"])
        envs = []
        for seat in range(self._players):
            env = type(self)(**{**self.arguments, "seat": seat, "opponent": RANDOM})
            env._table.close()
            env._table = shared
            envs.append(env)
        return envs, shared


@cache
def _measured() -> dict[str, dict[str, Any]]:
    path = Path(__file__).with_name("games.json")
    measured: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return measured


def table() -> dict[str, dict[str, Any]]:
    """Return what was measured of the games, by their names."""
    return _measured()["games"]


def left_out() -> dict[str, str]:
    """Return why games of the package are not here, by their names."""
    return _measured()["left_out"]


@cache
def class_of(name: str) -> type[TextArenaEnv]:
    """Return the class of a game."""
    values: dict[str, Any] = {
        "game": name,
        "measured": table()[name],
        "max_turns": table()[name]["turns"],
        "card": card_of(name),
        "__module__": "textgym.integrations.textarena",
        "__qualname__": name if name.isidentifier() else f"Game{name}",
        "__doc__": TextArenaEnv.__doc__,
    }
    return type(values["__qualname__"], (TextArenaEnv,), values)


def card_of(name: str) -> Card:
    """Return the card of a game."""
    row = table()[name]
    fewest, most = row["players"]
    alone = most == 1
    count = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    notes = "One player." if alone else f"{count} players; the others move at random by default."
    if row["prompts"] < row["distinct"]:
        notes += (
            f" 500 seeds give {row['distinct']} games and {row['prompts']} prompts that differ."
        )
    return Card(
        id=f"textarena/{name}-v0",
        summary=f"{name}: a game of TextArena{'' if alone else f' for {count} players'}.",
        structure=("multi-turn",),
        capabilities=("reasoning", "planning"),
        domain=("games",),
        task_type="game",
        verification=("TextArena's rules",),
        reward_range=(-1.0, 1.0),
        distinct_tasks=row["prompts"],
        chance=row["chance"],
        data="generated by TextArena",
        shared_splits=row["prompts"] < _FEW,
        several_answers=True,
        free_wording=True,
        licence="MIT",
        extra="textarena",
        notes=notes,
    )
