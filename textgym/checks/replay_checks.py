"""Checks that an episode is the same when it is played again, and in its record.

Episodes are played again in another process, thread and vector, and beside others. Rollouts record
them, and their records are graded again.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from hashlib import blake2b
from typing import Any, NamedTuple, TypeVar

from textgym.checks.checks import BASICS, CheckFailed, Outcome, Skipped, check_of
from textgym.checks.episodes import guesses, oracle, play, send
from textgym.checks.fresh_process import run_in_fresh_process
from textgym.checks.subject import Subject
from textgym.json_values import canonical_json
from textgym.rescoring import rescore
from textgym.rollouts import rollout
from textgym.tasks.task import hash_int
from textgym.trajectories.run import Run
from textgym.trajectories.schema import Trajectory
from textgym.vector import TextVectorEnv

__all__ = ["episode_determinism", "replayability", "trajectory_record", "verifier_portability"]

_SEEDS = {False: 12, True: 4}  # of the episodes that are played again, by `quick`


class Script(NamedTuple):
    """An episode to play again: the seed of its reset, and the messages that are sent."""

    seed: int
    actions: list[Any]


Trace = list[Any]


def record(step: Sequence[Any]) -> Any:
    """Return the result of `reset` or `step` as JSON, with a digest of the conversation."""
    digest = blake2b(canonical_json(step[0]).encode(), digest_size=16).hexdigest()
    rest = [value if isinstance(value, (bool, dict)) else float(value) for value in step[1:]]
    return json.loads(json.dumps([digest, *rest]))


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
    """Yield the results of an episode, which ends with its script at the latest."""
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


PORTABILITY = "semantic.verifier_portability"
_TIME_ZONE = "XYZ-9:30"
_PLAY = """
from textgym.checks.replay_checks import play_scripts
print(json.dumps(play_scripts(env, given)))
"""
_THREADS = 2


@check_of(
    PORTABILITY,
    "Let the grade depend only on the task and the conversation, not on a hash, path or time zone.",
    any_env=True,
    fast=False,
)
def verifier_portability(subject: Subject) -> Outcome:
    """Rewards and infos are the same in a fresh process with another hash seed, folder and zone."""
    scripts, here = recorded(subject)
    there = _elsewhere(subject, scripts)
    verdicts = ([[step[1:] for step in trace] for trace in traces] for traces in (here, there))
    _compare("a fresh process", scripts, *verdicts)
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

    Observations, rewards, flags and, except in the vector, infos are compared. In the vector, the
    order of the episodes is different.
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
    """Scripts to play elsewhere. Requests with equal scripts and environments are equal."""

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


_EPISODES = {False: 20, True: 5}  # of each policy, by `quick`
_MAX_EVIDENCE = 3
T = TypeVar("T")


@check_of(
    "semantic.replayability",
    "Let the reward follow only from the task and the messages, and let `info` be JSON.",
    fast=False,
)
def replayability(subject: Subject) -> Outcome:
    """Recorded episodes survive JSON, and get the same rewards when they are graded again."""
    graded = 0
    for run in _runs(subject):
        for trajectory in run.trajectories():
            same = json.loads(json.dumps(trajectory, allow_nan=False)) == trajectory
            assert same, f"the record of {trajectory['task_id']} changes when it is saved as JSON"
        result = _outside_of_loops(partial(rescore, run, envs=subject.make))
        changed = [episode for listed in result.listed.values() for episode in listed]
        measured = {"episodes": graded + result.compared, **result.counts}
        if changed or result.counts["left"]:
            first = changed[0] if changed else None
            reason = f"{first.task_id}: {first.reason or first.changes}" if first else "a failure"
            raise CheckFailed(
                f"recorded episodes are graded differently the second time: {reason:.300}",
                measured,
                [
                    next(dict(x) for x in run.trajectories() if x["task_id"] == episode.task_id)
                    for episode in changed[:_MAX_EVIDENCE]
                ],
            )
        graded += result.compared
    return Outcome({"episodes": graded})


@check_of(
    "runtime.trajectory_record",
    "Only append to the conversation, and report each component in the step that earns it.",
    needs=(*BASICS, "semantic.replayability"),
    fast=False,
)
def trajectory_record(subject: Subject) -> Outcome:
    """The record of an episode has all its messages, rewards, components and infos."""
    env, compared = subject.make_bare(), 0
    for run in _runs(subject):
        for trajectory in run.trajectories():
            for name, played, kept in _parts(env, trajectory):
                if played != kept:
                    raise CheckFailed(
                        f"the record of {trajectory['task_id']} has other {name} than the episode",
                        {"episodes": compared},
                        [{"part": name, "episode": played, "record": kept, **trajectory}],
                    )
            compared += 1
    return Outcome({"episodes": compared})


def _parts(env: Any, trajectory: Trajectory) -> Iterator[tuple[str, Any, Any]]:
    """Play a recorded episode; yield each part by name, as it is played and as it is recorded."""
    steps, messages = trajectory["steps"], trajectory["messages"]
    sent: list[Any] = [messages[step["message_index"]] for step in steps]
    index = trajectory["task_index"]
    seed = hash_int("environment", trajectory["seed"], trajectory["env_id"], index)
    episode = play(env, send(sent), seed=seed, index=index)
    infos = [step[-1] for step in episode.steps]
    yield "messages", episode.steps[-1][0], messages
    yield "tools", infos[0]["tools"], trajectory["tools"]
    yield "rewards", episode.rewards, [step["reward"] for step in steps]
    yield "return", episode.total, trajectory["reward"]
    yield (
        "components",
        [info.get("reward_components", {}) for info in infos[1:]],
        [step["components"] for step in steps],
    )
    recorded: dict[str, Any] = {**trajectory}
    ends = dict(zip(("terminated", "truncated"), episode.steps[-1][2:4], strict=True))
    for name, value in {**ends, **episode.info}.items():
        if name in recorded:
            yield name, value, recorded[name]
    yield "info", {**recorded["info"], **episode.info}, recorded["info"]


def _runs(subject: Subject) -> list[Run]:
    """Return runs of the oracle and of guesses, if the environment defines them."""
    policies = [("solve", "oracle"), ("guess", "random")]
    episodes = min(_EPISODES[subject.quick], len(subject.indices(subject.make_unwrapped())))
    defined = [policy for method, policy in policies if subject.defines(method)]
    if not defined:
        raise Skipped("the environment defines neither solve nor guess")
    return [
        _outside_of_loops(partial(rollout, subject.make, policy, episodes=episodes, concurrency=1))
        for policy in defined
    ]


def _outside_of_loops(call: Callable[[], T]) -> T:
    """Call a function that starts an event loop, which a notebook's thread already runs."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result()
