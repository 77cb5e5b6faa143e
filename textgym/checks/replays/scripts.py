"""Episodes to play again, and what an environment returned in them.

Invariants: a trace is JSON, and equal traces mean that everything that was returned is equal;
observations are held as digests.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from textgym.checks.episodes import guesses, oracle, play
from textgym.checks.subject import Subject
from textgym.json_values import canonical_json
from textgym.vector import TextVectorEnv

__all__ = ["Script", "play_in_turns", "play_in_vector", "play_scripts", "record", "recorded"]

_SEEDS = {False: 12, True: 4}  # of the episodes that are played again, by `quick`


class Script(NamedTuple):
    """An episode to play again: the seed of its reset, and what is sent."""

    seed: int
    actions: list[Any]


Trace = list[Any]


def record(step: Sequence[Any]) -> Any:
    """Return what `reset` or `step` returned as JSON, with a digest of the conversation."""
    digest = blake2b(canonical_json(step[0]).encode(), digest_size=16).hexdigest()
    return json.loads(json.dumps([digest, *map(_plain, step[1:])]))


def _plain(value: Any) -> Any:
    return value if isinstance(value, (bool, dict)) else float(value)


def recorded(subject: Subject) -> tuple[list[Script], list[Trace]]:
    """Play episodes of the oracle and of guesses; return them and their traces."""
    policies = [guesses, oracle] if subject.defines("solve") else [guesses]
    env = subject.make_bare()
    scripts, traces = [], []
    for seed in range(_SEEDS[subject.quick]):
        for policy in policies:
            episode = play(env, policy(env), seed=seed)
            scripts.append(Script(seed, episode.actions))
            traces.append([record(step) for step in episode.steps])
    return scripts, traces


def play_scripts(env: Any, scripts: Sequence[Script]) -> list[Trace]:
    """Play episodes one after the other; return their traces."""
    return [list(_steps(env, Script(*script))) for script in scripts]


def _steps(env: Any, script: Script) -> Iterator[Any]:
    """Yield what an episode returns, step by step. It ends with the script at the latest."""
    yield record(env.reset(seed=script.seed))
    for action in script.actions:
        step = env.step(action)
        yield record(step)
        if step[2] or step[3]:
            return


def play_in_turns(make: Callable[[], Any], scripts: Sequence[Script]) -> list[Trace]:
    """Play episodes at the same time, each in its own environment, a step of each in turn."""
    running = [_steps(make(), script) for script in scripts]
    traces: list[Trace] = [[] for _ in scripts]
    going = True
    while going:
        going = False
        for steps, trace in zip(running, traces, strict=True):
            step = next(steps, None)
            if step is not None:
                trace.append(step)
                going = True
    return traces


def play_in_vector(make: Callable[[], Any], scripts: Sequence[Script]) -> list[Trace]:
    """Play episodes in a vector in which the last one comes first; return traces without infos."""
    vector = TextVectorEnv([make] * len(scripts), autoreset_mode="Disabled")
    backwards = scripts[::-1]
    try:
        observations, _ = vector.reset(seed=[script.seed for script in backwards])
        traces: list[Trace] = [[record((item,))] for item in observations]
        ended = [False] * len(scripts)
        for turn in range(max(len(script.actions) for script in scripts)):
            actions = [
                None if over or turn >= len(script.actions) else script.actions[turn]
                for script, over in zip(backwards, ended, strict=True)
            ]
            items, *flags, _ = vector.step(actions)
            for place, action in enumerate(actions):
                if action is not None:
                    reward, terminated, truncated = (values[place] for values in flags)
                    ended[place] = bool(terminated or truncated)
                    step = items[place], reward, bool(terminated), bool(truncated)
                    traces[place].append(record(step))
    finally:
        vector.close()
    return traces[::-1]
