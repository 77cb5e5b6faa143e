"""Checks that a seed and messages give the same episode wherever they are played."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

from textgym.checks.checks import BASICS, CheckFailed, Outcome, Skipped, check_of
from textgym.checks.fresh_process import run_in_fresh_process
from textgym.checks.replays.scripts import (
    Script,
    play_in_turns,
    play_in_vector,
    play_scripts,
    recorded,
)
from textgym.checks.subject import Subject

__all__ = ["episode_determinism", "verifier_portability"]

PORTABILITY = "semantic.verifier_portability"
_TIME_ZONE = "XYZ-9:30"
_PLAY = """
from textgym.checks.replays.scripts import play_scripts
print(json.dumps(play_scripts(env, given)))
"""
_THREADS = 2


@check_of(
    PORTABILITY,
    "Let the grade depend only on the task and the conversation: on no hash, path or time zone.",
    any_env=True,
    fast=False,
)
def verifier_portability(subject: Subject) -> Outcome:
    """Rewards and infos are the same in a fresh process with another hash seed, folder and zone."""
    scripts, here = recorded(subject)
    there = _elsewhere(subject, scripts)
    _compare("a fresh process", scripts, _verdicts(here), _verdicts(there))
    return Outcome({"episodes": len(scripts)})


@check_of(
    "runtime.episode_determinism",
    "Keep all that changes in an episode in its state, and share nothing between environments.",
    needs=(*BASICS, PORTABILITY),
    any_env=True,
    fast=False,
)
def episode_determinism(subject: Subject) -> Outcome:
    """A seed and messages give the same episode in a process, thread or vector, and beside others.

    Everything that is returned is compared: observations, rewards, flags and, except in the vector,
    infos. In the vector the episodes have other places.
    """
    scripts, here = recorded(subject)
    places: dict[str, Callable[[], list[Any]]] = {
        "threads": lambda: _in_threads(subject, scripts),
        "episodes in turns": lambda: play_in_turns(subject.make_bare, scripts),
        "a fresh process": lambda: _elsewhere(subject, scripts),
    }
    compared = []
    without_infos = [[trace[0][:1], *(step[:4] for step in trace[1:])] for trace in here]
    vector = play_in_vector(subject.make_bare, scripts)
    _compare("another place of a vector", scripts, without_infos, vector)
    for name, run in places.items():
        try:
            there = run()
        except Skipped:
            continue
        _compare(name, scripts, here, there)
        compared.append(name)
    return Outcome({"episodes": len(scripts), "places": ["another place of a vector", *compared]})


def _verdicts(traces: Sequence[Any]) -> list[Any]:
    """Return traces without the conversations."""
    return [[step[1:] for step in trace] for trace in traces]


def _compare(
    where: str, scripts: Sequence[Script], here: Sequence[Any], there: Sequence[Any]
) -> None:
    for script, one, other in zip(scripts, here, there, strict=True):
        if one != other:
            pairs = enumerate(zip(one, other, strict=False))
            turn, pair = next((item for item in pairs if item[1][0] != item[1][1]), (None, None))
            raise CheckFailed(
                f"an episode differs in {where}: seed {script.seed}, after {turn} messages",
                {"episodes": len(scripts)},
                [{"where": where, "seed": script.seed, "actions": script.actions, "turn": turn,
                  "here_and_there": pair}],
            )  # fmt: skip


def _in_threads(subject: Subject, scripts: Sequence[Script]) -> list[Any]:
    """Play episodes in threads at the same time."""
    parts = [scripts[number::_THREADS] for number in range(_THREADS)]
    envs = [subject.make_bare() for _ in parts]
    with ThreadPoolExecutor(_THREADS) as pool:
        played = list(pool.map(play_scripts, envs, parts))
    return [played[number % _THREADS][number // _THREADS] for number in range(len(scripts))]


def _elsewhere(subject: Subject, scripts: Sequence[Script]) -> list[Any]:
    """Play episodes in a fresh process with another hash seed, working directory and time zone."""
    played: list[Any] = json.loads(_played_elsewhere(_Request(subject, json.dumps(scripts))))
    return played


class _Request:
    """Scripts to play elsewhere; equal to the same ones of an equal environment."""

    def __init__(self, subject: Subject, scripts: str) -> None:
        self.subject, self.scripts = subject, scripts
        self._key = (subject.cls, repr(subject.kwargs), tuple(subject.wrappers), scripts)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Request) and self._key == other._key


@lru_cache(1)
def _played_elsewhere(request: _Request) -> str:
    hash_seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    with tempfile.TemporaryDirectory() as directory:
        there = run_in_fresh_process(
            request.subject,
            _PLAY,
            json.loads(request.scripts),
            directory=directory,
            PYTHONHASHSEED=hash_seed,
            TZ=_TIME_ZONE,
        )
    return json.dumps(there)
