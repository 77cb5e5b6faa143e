"""Measure every game of TextArena, and write `games.json`.

For each game: its id, variants and numbers of players; how many turns a player has; how many
different games and prompts 500 seeds give; and what a player earns who moves at random or says
nothing. Games that do not start here are listed with the reason.

    python scripts/survey_textarena.py            # all games: about five minutes
    python scripts/survey_textarena.py TicTacToe  # some; the others stay as they are
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import statistics
import sys
import time
from collections import defaultdict
from enum import Enum
from pathlib import Path
from typing import Any

import textarena
from textarena.envs.registration import ENV_REGISTRY

from textgym.core.card import Card
from textgym.errors import EnvironmentFailure, TextgymError
from textgym.integrations import textarena as guest
from textgym.integrations.textarena.game import Game
from textgym.integrations.textarena.game_env import TextArenaEnv

TABLE = Path(guest.__file__).with_name("games.json")
SEEDS, PLAYED = 500, 40
SECONDS = 20.0  # of each measurement
MOST_PLAYERS, FEWEST_TURNS, MOST_TURNS = 15, 100, 500
LEFT_OUT = {
    "Bandit": "rewards the worst answer most",
    "CharacterConclave": "fails in the first move",
}
PLAYERS = { # where the package accepts numbers that its rules do not "MarketEntryGame": (3, 15),
    "PublicGoodsGame": (2, 15), "QuantumTicTacToe": (2, 2), "SpiteAndMalice": (2, 2),
}  # fmt: skip
REASONS = {
    "SyntaxError": "needs Python 3.12",
    "LookupError": "needs a corpus of nltk",
    "OpenRouter": "needs a model of OpenRouter",
    "not found": "a file is missing in the package",
    "No such file": "a file is missing in the package",
    "No module": "a file is missing in the package",
}


def games() -> dict[str, dict[str, str]]:
    """Return the variants of each game by its name; the default one is called ""."""
    by_class = defaultdict(list)
    for id, spec in ENV_REGISTRY.items():
        if id.endswith("-raw"):
            by_class[spec.entry_point].append(id.removesuffix("-raw"))
    found = {}
    for ids in by_class.values():
        name = ids[0].partition("-v0")[0]
        variants = {id.removeprefix(f"{name}-v0").removeprefix("-"): id for id in ids}
        found[name] = {"": variants.get("", ids[0]), **variants}
    return found


def players(name: str, id: str) -> tuple[tuple[int, int] | None, str]:
    """Return the fewest and most players with whom a game starts, or why it does not."""
    accepted, problem = [], ""
    game = Game(id)
    for count in range(1, MOST_PLAYERS + 1):
        try:
            game.open(count, 1)
            accepted.append(count)
        except EnvironmentFailure as error:
            problem = problem or str(error)
            if accepted:
                break
    game.close()
    if not accepted:
        reason = next((why for sign, why in REASONS.items() if sign in problem), problem)
        return None, reason
    return PLAYERS.get(name, (accepted[0], accepted[-1])), ""


def distinct(id: str, count: int) -> tuple[int, int]:
    """Return how many different games the seeds give, and how many different prompts."""
    seen, prompts, began = set(), set(), time.monotonic()
    for seed in range(SEEDS):
        random.seed(seed)
        with contextlib.redirect_stdout(io.StringIO()):
            env = textarena.make(f"{id}-raw")
            env.reset(num_players=count, seed=seed)
        seat = random.Random(seed).randrange(count)
        prompts.add(str([text for _, text, _ in env.state.observations[seat]]))
        state = {k: v for k, v in vars(env.state).items() if k not in ("observations", "logs")}
        seen.add(_written({**vars(env), "state": state}))
        if time.monotonic() - began > SECONDS:
            share = SEEDS / (seed + 1)
            return round(len(seen) * share), round(len(prompts) * share)
    return len(seen), len(prompts)


def _written(value: Any, depth: int = 0) -> str:
    """Return a value as a text that is equal for equal values."""
    if depth > 12:
        return "…"
    if isinstance(value, dict):
        return str(sorted((repr(key), _written(item, depth + 1)) for key, item in value.items()))
    if isinstance(value, (list, tuple)):
        return str([_written(item, depth + 1) for item in value])
    if isinstance(value, (set, frozenset)):
        return str(sorted(_written(item, depth + 1) for item in value))
    if isinstance(value, Enum) or not hasattr(value, "__dict__"):
        return repr(value)
    return f"{type(value).__name__} {_written(vars(value), depth + 1)}"


def played(row: dict[str, Any], is_silent: bool) -> tuple[float, int, str]:
    """Play against random players.

    Returns:
        The mean reward, the most turns, and why no move at all was accepted, or "".
    """
    values = {"game": "it", "measured": row, "max_turns": MOST_TURNS}
    values["card"] = Card(id="survey/It-v0", summary="A game.", reward_range=(-100.0, 100.0))
    env = type("It", (TextArenaEnv,), values)(split="validation")
    rewards, turns, began, problem, accepted = [], [0], time.monotonic(), "", 0
    for index in range(PLAYED):
        try:
            messages, _ = env.reset(options={"index": index})
            ended = False
            while not ended:
                action = "" if is_silent else env.guess(random.Random(env.turn))
                messages, reward, done, cut, _ = env.step(action)
                ended = done or cut
                if "could not read the move" in messages[-1]["content"]:
                    problem = messages[-1]["content"]
                else:
                    accepted += 1
        except TextgymError as error:
            problem = str(error)
            break
        rewards.append(reward)
        turns.append(env.turn)
        if time.monotonic() - began > SECONDS:
            break
    env.close()
    return statistics.fmean(rewards or [0.0]), max(turns), "" if accepted else problem


def survey(name: str, variants: dict[str, str]) -> dict[str, Any] | str:
    """Return the row of a game, or why it is left out."""
    if name in LEFT_OUT:
        return LEFT_OUT[name]
    id = variants[""]
    count, reason = players(name, id)
    if count is None:
        return reason
    row: dict[str, Any] = {"id": id, "players": list(count)}
    row["variants"] = {k: v for k, v in variants.items() if k}
    by_chance, most, problem = played(row, is_silent=False)
    if problem:
        return "fails in the first move"
    silent, _, _ = played(row, is_silent=True)
    row["turns"] = min(MOST_TURNS, max(FEWEST_TURNS, 2 * most))
    row["distinct"], row["prompts"] = distinct(id, count[0])
    row["random"], row["silent"] = round(by_chance, 3), round(silent, 3)
    row["chance"] = max(0.0, row["random"], row["silent"])
    return row


def main() -> None:
    """Measure the games and write the table."""
    named = sys.argv[1:]
    table = json.loads(TABLE.read_text("utf-8")) if TABLE.exists() else {}
    table = {"games": table.get("games", {}), "left_out": table.get("left_out", {})}
    for name, variants in games().items():
        if named and name not in named:
            continue
        measured = survey(name, variants)
        print(f"{name:28} {measured}", flush=True)
        for part in table:
            table[part].pop(name, None)
        table["left_out" if isinstance(measured, str) else "games"][name] = measured
        table = {part: dict(sorted(rows.items())) for part, rows in table.items()}
        TABLE.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
