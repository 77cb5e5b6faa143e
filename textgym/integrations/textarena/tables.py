"""The tables of games: a player with opponents, or players in threads of their own.

Invariant: a table's methods that take a seat are called by that seat's player only.
"""

from __future__ import annotations

import abc
import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from textgym.concurrency import event_loops
from textgym.errors import EnvironmentFailure
from textgym.integrations.textarena.game import Game
from textgym.tasks.task import hash_int
from textgym.users.policy_user import UserLike, reply_client
from textgym.verifiers.extract import after_reasoning

__all__ = ["RANDOM", "TRIES", "Opening", "Opponent", "OwnTable", "SharedTable", "Table"]

RANDOM = "random"
TRIES = 3  # texts in a row that the game cannot read, before a player forfeits
_MOST_MOVES = 20  # of an opponent while the player waits, before it forfeits


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


class Table(abc.ABC):
    """Where a player sits: a game, and players of its other seats."""

    def __init__(self, game: Game) -> None:
        self._game = game

    @property
    def position(self) -> dict[str, Any]:
        """Whose turn it is, as in `Game`."""
        return self._game.position

    @property
    def moves(self) -> list[list[Any]]:
        """The moves so far, as in `Game`."""
        return self._game.moves

    @abc.abstractmethod
    def open(self, seat: int, players: int, seed: int) -> Opening:
        """Begin a game, and return what the player of a seat sees."""

    @abc.abstractmethod
    def wait(self, seat: int) -> str:
        """Wait until it is a player's turn or the game has ended; return what is new."""

    def move(self, seat: int, text: str) -> str:
        """Make a move; return why it could not be made, or ""."""
        return self._game.move(text)

    def legal_move(self, seat: int, seed: int) -> str:
        """Return a random move."""
        return self._game.legal_move(seat, seed)

    def forfeit(self, seat: int) -> None:
        """End the game, which the player loses."""
        self._game.forfeit(seat)

    def close(self) -> None:  # noqa: B027 - a shared game continues without this player
        """Leave the table."""

    def _opening(self, seat: int) -> Opening:
        seen = self._game.look(seat)
        return Opening(seen["rules"], seen["text"], self.position["seat"] == seat)


class OwnTable(Table):
    """A table with one player, whose opponents move while it waits.

    Args:
        id: As in `Game`.
        opponent: Plays all other seats.
    """

    def __init__(self, id: str, opponent: Opponent) -> None:
        super().__init__(Game(id))
        self._opponent, self._seed = opponent, 0

    def open(self, seat: int, players: int, seed: int) -> Opening:
        """Begin a game."""
        self._seed = seed
        self._game.open(players, seed)
        return self._opening(seat)

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
        for _ in range(_MOST_MOVES * len(self._game.heard)):
            if (other := self.position["seat"]) in (None, seat):
                break
            self._game.look(other)
            for attempt in range(TRIES):
                seed = hash_int("opponent", self._seed, len(self.moves), attempt)
                if not self._game.move(self._opponent.move(self._game, other, seed)):
                    break
            else:
                self._game.forfeit(other)
        else:
            self._game.forfeit(self.position["seat"])
        return self._game.look(seat)["text"]

    def close(self) -> None:
        """End the game."""
        self._game.close()


class SharedTable(Table):
    """A table whose seats are taken by environments in threads of their own.

    Args:
        id: As in `Game`.
        players: The number of seats.
        seed: Of the game.
    """

    def __init__(self, id: str, players: int, seed: int) -> None:
        super().__init__(Game(id))
        self._turns, self._broken = threading.Condition(), ""
        self._game.open(players, seed)
        self._openings = [self._opening(seat) for seat in range(players)]

    def open(self, seat: int, players: int, seed: int) -> Opening:
        """Return what the player of a seat sees."""
        return self._openings[seat]

    def wait(self, seat: int) -> str:
        """Wait for the other players.

        Raises:
            EnvironmentFailure: One of them left before the end.
        """
        with self._turn_of(seat):
            return self._game.look(seat)["text"]

    def move(self, seat: int, text: str) -> str:
        """Make a move.

        Raises:
            EnvironmentFailure: Another player left before the end.
        """
        with self._turn_of(seat):
            return super().move(seat, text)

    def legal_move(self, seat: int, seed: int) -> str:
        """Return a random move."""
        with self._turn_of(seat):
            return super().legal_move(seat, seed)

    def forfeit(self, seat: int) -> None:
        """End the game, which a player loses."""
        with self._turn_of(seat):
            super().forfeit(seat)

    @contextlib.contextmanager
    def _turn_of(self, seat: int) -> Iterator[None]:
        with self._turns:
            self._turns.wait_for(lambda: self._broken or self.position["seat"] in (None, seat))
            if self._broken:
                raise EnvironmentFailure(self._broken)
            yield
            self._turns.notify_all()

    def leave(self, seat: int, why: str) -> None:
        """Break off a game that has not ended, so that the other players stop waiting."""
        with self._turns:
            if self.position["seat"] is not None and not self._broken:
                self._broken = f"player {seat} left the game: {why}"
            self._turns.notify_all()

    def end(self) -> None:
        """End the game's process."""
        self._game.close()
