"""The part that imports TextArena: a game that is driven by plain data, in a worker process.

Invariants: what goes in and out is JSON data; a game's random numbers depend only on its seed and
its moves; a move that a game cannot handle leaves it as it was.
"""

from __future__ import annotations

import contextlib
import math
import os
import pickle
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

from textgym.errors import in_one_line

__all__ = ["Game", "load", "reward_of"]

_GAME = -1  # the sender of the game's own messages
_TRIES = 40  # moves that are tried to find a legal one
_BRACKETED = re.compile(r"\[[^\[\]\n]{1,40}\]")
_PLACEHOLDER = re.compile(r"\d+|\b(?:[a-h](?=\d)|row|col(?:umn)?|[irckxXN])\b")


def load() -> Callable[..., dict[str, Any]]:
    """Import TextArena, and return the function that a worker calls: a method of its game."""
    import numpy  # noqa: F401 - imported once, and not in each worker
    import textarena  # noqa: F401

    games: list[Game] = []  # the worker's only one

    def answer(do: str, arguments: list[Any]) -> dict[str, Any]:
        with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):  # games print
            try:
                if do == "open":
                    games[:] = [Game(*arguments)]
                    return games[0].position()
                reply: dict[str, Any] = getattr(games[0], do)(*arguments)
                return reply
            except Exception as error:
                return {"failed": in_one_line(error)}

    return answer


class Game:
    """A game of TextArena without its wrappers.

    Args:
        id: TextArena's id, without the ending of its wrappers.
        players: The number of players.
        seed: Of the game.
    """

    def __init__(self, id: str, players: int, seed: int) -> None:
        import textarena

        self._random: Any = None  # the state of the generators, after the last call
        self._mover = -1  # who made the last move
        with self._own_random(seed):
            self._env: Any = textarena.make(f"{id}-raw")
            self._env.reset(num_players=players, seed=seed)

    @contextlib.contextmanager
    def _own_random(self, seed: int | None = None) -> Iterator[None]:
        """Give the game the generators of the process, in the state in which it left them."""
        import numpy

        if seed is None:
            random.setstate(self._random[0])
            numpy.random.set_state(self._random[1])
        else:
            random.seed(seed)
            numpy.random.seed(seed % 2**32)
        try:
            yield
        finally:
            self._random = random.getstate(), numpy.random.get_state()

    def position(self) -> dict[str, Any]:
        """Return whose turn it is, or how the game ended.

        Returns:
            `seat`; and at the end `rewards` by player, `why`, `faulty`, the players with an invalid
            move that was not forgiven, and `by_fault`, whether such a move was the last one.
        """
        state = self._env.state
        if not state.done:
            return {"seat": int(state.current_player_id)}
        rewards, infos = self._env.close()
        infos = {seat: info for seat, info in infos.items() if isinstance(info, dict)}
        faulty = [seat for seat, info in infos.items() if info.get("invalid_move")]
        return {
            "seat": None,
            "rewards": {
                str(seat): reward_of(rewards, infos, seat) for seat in range(state.num_players)
            },
            "why": next((str(info["reason"]) for info in infos.values() if info.get("reason")), ""),
            "faulty": faulty,
            "by_fault": self._mover in faulty,
        }

    def seen(self, seat: int) -> dict[str, Any]:
        """Return what a player has not seen yet, without its own moves.

        Returns:
            The `rules`, everything else as `text`, and what the game itself `shows`.
        """
        state = self._env.state
        with self._own_random():
            if seat == state.current_player_id and not state.done:
                _, observations = self._env.get_observation()
            else:
                observations, state.observations[seat] = state.observations[seat], []
        parts: dict[str, list[str]] = {"rules": [], "text": [], "shows": []}
        for sender, text, kind in observations:
            kind = getattr(kind, "name", kind)  # a few games write the name
            line = str(text).strip("\n")
            if kind == "PLAYER_ACTION" and sender == seat:
                continue
            if kind == "PLAYER_ACTION":
                line = f"[{state.role_mapping.get(sender, f'Player {sender}')}] {line}"
            parts["rules" if kind == "PROMPT" else "text"].append(line)
            if kind != "PLAYER_ACTION" and sender == _GAME:
                parts["shows"].append(line)
        return {part: "\n".join(lines) for part, lines in parts.items()}

    def move(self, text: str) -> dict[str, Any]:
        """Make a move for the player whose turn it is.

        Returns:
            The new position; or `raised`, why the game could not read the move.
        """
        before = pickle.dumps(self._env), self._random
        mover = int(self._env.state.current_player_id)
        try:
            with self._own_random():
                self._env.step(text)
            self._mover = mover
            return self.position()
        except Exception as error:
            self._env, self._random = pickle.loads(before[0]), before[1]
            return {"raised": in_one_line(error)}

    def legal_move(self, said: str, seed: int) -> dict[str, Any]:
        """Return a random move, as `text`, that the game accepts if one is found.

        Args:
            said: What the game showed to the player. Moves in square brackets are taken from it.
            seed: Of the choice.
        """
        rng = random.Random(seed)
        shown = [*dict.fromkeys(_BRACKETED.findall(said))] or ["[0]"]
        seat, saved = self._env.state.current_player_id, pickle.dumps(self._env)
        kept = self._random
        try:
            for _ in range(_TRIES):
                move = _varied(rng.choice(shown), rng)
                trial = pickle.loads(saved)
                with contextlib.suppress(Exception), self._own_random():
                    trial.step(move)
                    if not _is_refused(trial.state, seat):
                        return {"text": move}
        finally:
            self._random = kept
        return {"text": rng.choice(shown)}


def _varied(move: str, rng: random.Random) -> str:
    """Return a move that was shown, half of the time with other numbers, rows and columns."""
    if rng.random() < 0.5:
        return move

    def other(match: re.Match[str]) -> str:
        if match[0].isalpha() and len(match[0]) == 1 and match[0] in "abcdefgh":
            return rng.choice("abcdefgh")
        return str(rng.randrange(max(10, 2 * int(match[0])) if match[0].isdigit() else 10))

    return _PLACEHOLDER.sub(other, move)


def _is_refused(state: Any, seat: int) -> bool:
    """Return whether the last move of a player was not valid. A valid one resets the count."""
    info = getattr(state, "game_info", {}).get(seat, {})
    return bool(getattr(state, "error_count", 0) or info.get("invalid_move"))


def reward_of(rewards: Any, infos: dict[int, Any], seat: int) -> float:
    """Return a player's reward, from what `close` of a game returned.

    A few games exchange the two arguments of `set_invalid_move`: the reward is then a text, and the
    reason of the end is the reward.
    """
    reward = (rewards or {}).get(seat, 0.0)
    if isinstance(reward, str):
        said = str(infos.get(seat, {}).get("reason", "")).removeprefix("Invalid Move: ")
        try:
            reward = float(said)
        except ValueError:
            reward = -1.0  # the package's reward for an invalid move
    reward = float(reward)
    return reward if math.isfinite(reward) else 0.0
