"""Checks of what a rollout records: it can be graded again, and nothing is missing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from textgym.checks.checks import BASICS, CheckFailed, Outcome, Skipped, check_of
from textgym.checks.episodes import play
from textgym.checks.subject import Subject
from textgym.rescoring import rescore
from textgym.rollouts import rollout
from textgym.tasks.hashing import hash_int
from textgym.trajectories.run_folder import Run
from textgym.trajectories.schema import Trajectory

__all__ = ["replayability", "trajectory_record"]

_EPISODES = {False: 20, True: 5}  # of each policy, by `quick`
_MAX_EVIDENCE = 3
T = TypeVar("T")


@check_of(
    "semantic.replayability",
    "Let the reward follow from the task and the messages alone, and let `info` be JSON.",
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
        changed = [item for items in result.listed.values() for item in items]
        measured = {"episodes": graded + result.compared, **result.counts}
        if changed or result.counts["left"]:
            first = changed[0] if changed else None
            reason = f"{first.task_id}: {first.reason or first.changes}" if first else "a failure"
            raise CheckFailed(
                f"recorded episodes are graded differently the second time: {reason:.300}",
                measured,
                [_as_evidence(run, item.task_id) for item in changed[:_MAX_EVIDENCE]],
            )
        graded += result.compared
    return Outcome({"episodes": graded})


@check_of(
    "runtime.trajectory_record",
    "Append to the conversation alone, and pay each component in the step in which it is earned.",
    needs=(*BASICS, "semantic.replayability"),
    fast=False,
)
def trajectory_record(subject: Subject) -> Outcome:
    """The record of an episode has all its messages, rewards, components and infos."""
    env, compared = subject.make_bare(), 0
    for run in _runs(subject):
        for trajectory in run.trajectories():
            for name, wanted, found in _parts(env, trajectory):
                if wanted != found:
                    raise CheckFailed(
                        f"the record of {trajectory['task_id']} has other {name} than the episode",
                        {"episodes": compared},
                        [{"part": name, "episode": wanted, "record": found, **trajectory}],
                    )
            compared += 1
    return Outcome({"episodes": compared})


def _parts(env: Any, trajectory: Trajectory) -> Iterator[tuple[str, Any, Any]]:
    """Play a recorded episode; yield what it gives and what is recorded, by name."""
    steps, messages = trajectory["steps"], trajectory["messages"]
    said: list[Any] = [messages[step["message_index"]] for step in steps]
    index = trajectory["task_index"]
    seed = hash_int("environment", trajectory["seed"], trajectory["env_id"], index)
    episode = play(env, lambda sight: said[sight.turn], seed=seed, index=index)
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
    """Return runs of the oracle and of guesses, as far as the environment defines them."""
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


def _as_evidence(run: Run, task_id: str | None) -> dict[str, Any]:
    found: Any = next(item for item in run.trajectories() if item["task_id"] == task_id)
    return dict(found)
