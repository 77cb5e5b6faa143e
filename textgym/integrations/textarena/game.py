"""Games of TextArena in worker processes, and the tables that players sit at.

Invariants: a game is its seed and its moves, so that it can be begun again and replayed; a move
that the game cannot read, or that takes too long, leaves the game as it was.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from textgym.concurrency import event_loops
from textgym.concurrency.workers import workers_for
from textgym.errors import EnvironmentFailure
from textgym.messages import Message, assistant, system, user
from textgym.tasks.task import hash_int
from textgym.users.policy_user import UserLike, reply_client
from textgym.verifiers.extract import after_reasoning

__all__ = [
    "RANDOM", "TRIES", "YOUR_TURN", "Game", "Opening", "Opponent", "OwnTable", "SharedTable",
    "Table",
]  # fmt: skip

RANDOM = "random"
YOUR_TURN = "It is your turn."
LOAD = "textgym.integrations.textarena.worker:load"
_SECONDS = 10.0  # CPU time of a move
_MEMORY = 1 << 30  # bytes
_SAID = 6000  # characters that the game shows, in which a random player looks for moves
_MAX_MOVE = 100_000  # characters that a game reads; some search a move with slow expressions
_MOST_MOVES = 20  # of an opponent while the player waits, before it forfeits
TRIES = 3  # texts in a row that the game cannot read, before a player forfeits


class Opening(NamedTuple):
    """What a player sees at the beginning.

    Attributes:
        rules: The rules.
        text: Everything else.
        is_first: Whether it is this player's turn.
    """

    rules: str
    text: str
    is_first: bool


class Game:
    """A game in a worker process.

    Args:
        id: TextArena's id, without the ending of its wrappers.

    Attributes:
        position: `seat`, whose turn it is; None at the end, with what `worker.Game.position` says.
        moves: The moves so far, as pairs of a seat and a text.
        heard: What each player has seen and said, as a conversation.
    """

    def __init__(self, id: str) -> None:
        self._id, self._seed = id, 0
        self._worker = workers_for(LOAD, name="TextArena", memory=_MEMORY).own()
        self.position: dict[str, Any] = {"seat": None}
        self.moves: list[list[Any]] = []
        self.heard: dict[int, list[Message]] = {}
        self._shown: dict[int, str] = {}

    @property
    def is_open(self) -> bool:
        """Whether the process has the game."""
        return self._worker.is_running

    def open(self, players: int, seed: int, moves: Sequence[Sequence[Any]] = ()) -> None:
        """Begin a game, and make moves.

        Raises:
            EnvironmentFailure: The game failed, or does not take a move that it took before.
        """
        self._seed = seed
        self.position = self._ask("open", self._id, players, seed)
        self.moves, self.heard = [], {seat: [] for seat in range(players)}
        self._shown = dict.fromkeys(range(players), "")
        for seat, text in moves:
            self.look(seat)
            if self.position["seat"] != seat or self.move(text):
                raise EnvironmentFailure(f"TextArena's {self._id} does not replay its moves")

    def look(self, seat: int) -> dict[str, str]:
        """Let a player see what is new: `rules` and `text`, which may be empty."""
        seen: dict[str, str] = self._ask("seen", seat)
        heard = self.heard[seat]
        self._shown[seat] = f"{self._shown[seat]}\n{seen['shows']}"[-_SAID:]
        if seen["rules"]:
            heard.append(system(seen["rules"]))
        if seen["text"] or self.position["seat"] == seat:
            heard.append(user(seen["text"] or YOUR_TURN))
        return seen

    def move(self, text: str) -> str:
        """Make a move for the player whose turn it is; return why it could not be made, or ""."""
        if len(text) > _MAX_MOVE:
            return f"it has more than {_MAX_MOVE} characters"
        seat = self.position["seat"]
        taken = self._call("move", text)
        if taken is None:
            self.open(len(self.heard), self._seed, list(self.moves))
            self.look(seat)
            return f"it takes more than {_SECONDS:g} seconds"
        if "raised" in taken:
            return str(taken["raised"])
        self.position = taken
        self.moves.append([seat, text])
        self.heard[seat].append(assistant(text))
        return ""

    def legal_move(self, seat: int, seed: int) -> str:
        """Return a random move of the player whose turn it is. The game accepts most of them.

        It is found in what the game shows, and not in what players say, so that nobody can put a
        move into the mouth of another player.
        """
        return str(self._ask("legal_move", self._shown[seat], seed)["text"])

    def close(self) -> None:
        """End the process."""
        self._worker.close()

    def _ask(self, do: str, *arguments: Any) -> dict[str, Any]:
        reply = self._call(do, *arguments)
        if reply is None:
            raise EnvironmentFailure(f"TextArena's {self._id} takes more than {_SECONDS:g} seconds")
        return reply

    def _call(self, do: str, *arguments: Any) -> dict[str, Any] | None:
        """Call a method of the worker's game; None if it exceeded a limit."""
        reply = self._worker.call({"do": do, "arguments": arguments}, _SECONDS)
        if reply is not None and "failed" in reply:
            raise EnvironmentFailure(f"TextArena's {self._id} failed: {reply['failed']}")
        return reply


class Opponent:
    """A player of another seat: a policy, or random legal moves.

    Args:
        player: `random`, or what `PolicyUser` accepts.
        owner: Whose argument it is, for error messages.

    Raises:
        UsageError: It is neither a policy nor a function.
    """

    def __init__(self, player: UserLike, owner: str) -> None:
        self._client = None if player == RANDOM else reply_client(player, owner, "opponent")

    def move(self, game: Game, seat: int, seed: int) -> str:
        """Return the text of a move. It may wait for a model.

        Raises:
            UserFailure: The model gave no reply.
        """
        if self._client is None:
            return game.legal_move(seat, seed)
        text, _ = event_loops.run(self._client.reply(list(game.heard[seat]), seed))
        return after_reasoning(text).strip()


class Table(Protocol):
    """Where a player sits: a game, and players of its other seats."""

    def open(self, seat: int, players: int, seed: int) -> Opening:
        """Begin a game, and return what the player of a seat sees."""

    def wait(self, seat: int) -> str:
        """Wait until it is a player's turn or the game has ended; return what is new."""

    def move(self, seat: int, text: str) -> str:
        """Make a move; return why it could not be made, or ""."""

    def legal_move(self, seat: int, seed: int) -> str:
        """Return a random move."""

    def forfeit(self, seat: int) -> None:
        """End the game, which a player loses."""

    @property
    def position(self) -> dict[str, Any]:
        """Whose turn it is, as in `Game`."""

    @property
    def moves(self) -> list[list[Any]]:
        """The moves so far, as in `Game`."""

    def close(self) -> None:
        """Leave the table."""


class OwnTable:
    """A table with one player, whose opponents move while it waits.

    Args:
        id: As in `Game`.
        opponent: Plays all other seats.
    """

    def __init__(self, id: str, opponent: Opponent) -> None:
        self._game, self._opponent, self._seed = Game(id), opponent, 0

    @property
    def position(self) -> dict[str, Any]:
        """Whose turn it is."""
        return self._game.position

    @property
    def moves(self) -> list[list[Any]]:
        """The moves so far."""
        return self._game.moves

    def open(self, seat: int, players: int, seed: int) -> Opening:
        """Begin a game."""
        self._seed = seed
        self._game.open(players, seed)
        seen = self._game.look(seat)
        return Opening(seen["rules"], seen["text"], self.position["seat"] == seat)

    def return_to(self, seat: int, players: int, seed: int, moves: Sequence[Sequence[Any]]) -> None:
        """Be at a player's turn after the given moves of a game. Replay them if need be.

        Raises:
            EnvironmentFailure: The game cannot be replayed.
        """
        if not (self._game.is_open and self._seed == seed and self.moves == moves):
            self._seed = seed
            self._game.open(players, seed, moves)
            self._game.look(seat)

    def wait(self, seat: int) -> str:
        """Let the opponents move.

        One forfeits the game if the game cannot read its moves, or it does not end its turn.
        """
        players = len(self._game.heard)
        for _ in range(_MOST_MOVES * players):
            if (other := self.position["seat"]) in (None, seat):
                break
            self._game.look(other)
            for attempt in range(TRIES):
                seed = hash_int("opponent", self._seed, len(self.moves), attempt)
                if not self._game.move(self._opponent.move(self._game, other, seed)):
                    break
            else:
                self._game.position = forfeited(other, players)
        else:
            self._game.position = forfeited(self.position["seat"], players)
        return self._game.look(seat)["text"]

    def move(self, seat: int, text: str) -> str:
        """Make a move."""
        return self._game.move(text)

    def legal_move(self, seat: int, seed: int) -> str:
        """Return a random move."""
        return self._game.legal_move(seat, seed)

    def forfeit(self, seat: int) -> None:
        """End the game, which a player loses."""
        self._game.position = forfeited(seat, len(self._game.heard))

    def close(self) -> None:
        """End the game."""
        self._game.close()


def forfeited(seat: int, players: int) -> dict[str, Any]:
    """Return the end of a game in which a player made no move that the game can read."""
    rewards = {str(other): -1.0 if other == seat else 1.0 for other in range(players)}
    why = f"Player {seat} made no move that the game can read."
    ended = {"rewards": rewards, "why": why, "faulty": [seat], "by_fault": True}
    return {"seat": None, **ended}


class SharedTable:
    """A table whose seats are taken by environments in threads of their own.

    Args:
        id: As in `Game`.
        players: The number of seats.
        seed: Of the game.
    """

    def __init__(self, id: str, players: int, seed: int) -> None:
        self._game, self._turns = Game(id), threading.Condition()
        self._broken = ""
        self._game.open(players, seed)
        first = self._game.position["seat"]
        seen = [self._game.look(seat) for seat in range(players)]
        self._openings = [
            Opening(each["rules"], each["text"], seat == first) for seat, each in enumerate(seen)
        ]

    @property
    def position(self) -> dict[str, Any]:
        """Whose turn it is."""
        return self._game.position

    @property
    def moves(self) -> list[list[Any]]:
        """The moves so far."""
        return self._game.moves

    def open(self, seat: int, players: int, seed: int) -> Opening:
        """Return what the player of a seat sees."""
        return self._openings[seat]

    def wait(self, seat: int) -> str:
        """Wait for the other players.

        Raises:
            EnvironmentFailure: One of them left before the end.
        """
        with self._turns:
            self._turns.wait_for(lambda: self._broken or self.position["seat"] in (None, seat))
            self._check()
            return self._game.look(seat)["text"]

    def move(self, seat: int, text: str) -> str:
        """Make a move.

        Raises:
            EnvironmentFailure: Another player left before the end.
        """
        with self._turn_of(seat):
            return self._game.move(text)

    def legal_move(self, seat: int, seed: int) -> str:
        """Return a random move."""
        with self._turn_of(seat):
            return self._game.legal_move(seat, seed)

    def forfeit(self, seat: int) -> None:
        """End the game, which a player loses."""
        with self._turn_of(seat):
            self._game.position = forfeited(seat, len(self._game.heard))

    @contextlib.contextmanager
    def _turn_of(self, seat: int) -> Iterator[None]:
        with self._turns:
            self._turns.wait_for(lambda: self._broken or self.position["seat"] in (None, seat))
            self._check()
            yield
            self._turns.notify_all()

    def _check(self) -> None:
        if self._broken:
            raise EnvironmentFailure(self._broken)

    def leave(self, seat: int, why: str) -> None:
        """Break off the game, unless it has ended: the other players wait for this one no more."""
        with self._turns:
            if self.position["seat"] is not None and not self._broken:
                self._broken = f"player {seat} left the game: {why}"
            self._turns.notify_all()

    def close(self) -> None:
        """Do nothing: the game continues without this player's environment."""

    def end(self) -> None:
        """End the game's process."""
        self._game.close()
