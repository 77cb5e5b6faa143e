"""A game of TextArena in a worker process.

Invariants: a game is its seed and its moves, so that it can be begun again and replayed; a move
that the game cannot read, or that takes too long, leaves the game as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textgym.concurrency.workers import workers_for
from textgym.errors import EnvironmentFailure
from textgym.messages import Message, assistant, system, user

__all__ = ["YOUR_TURN", "Game"]

YOUR_TURN = "It is your turn."
LOAD = "textgym.integrations.textarena.worker:load"
_SECONDS = 10.0  # CPU time of a move
_MEMORY = 1 << 30  # bytes
_SAID = 6000  # characters that the game shows, in which a random player looks for moves
_MAX_MOVE = 100_000  # characters that a game reads; some search a move with slow expressions


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
                raise EnvironmentFailure(f"TextArena's {self._id} is not deterministic")

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

    def forfeit(self, seat: int) -> None:
        """End the game, which a player loses who made no move that the game can read."""
        rewards = {str(other): -1.0 if other == seat else 1.0 for other in self.heard}
        why = f"Player {seat} made no move that the game can read."
        ended = {"rewards": rewards, "why": why, "faulty": [seat], "by_fault": True}
        self.position = {"seat": None, **ended}

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
