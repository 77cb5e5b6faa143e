"""Checks that no caller and no episode changes another episode."""

from __future__ import annotations

import json
import random
from typing import Any

from textgym.checks.checks import BASICS, Outcome, check_of
from textgym.checks.contract_checks import corrupt, modify_shared_objects
from textgym.checks.episodes import guess_message, guesses, oracle, play
from textgym.checks.gymnasium_checks import fork_at_every_step
from textgym.checks.subject import Subject
from textgym.core.snapshots import get_state, set_state

__all__ = ["state_isolation"]

_SEEDS = {False: range(100, 140), True: range(100, 105)}  # by `quick`; fast checks use others


@check_of(
    "runtime.state_isolation",
    "Keep everything that changes in an episode in `state`, and return copies.",
    needs=(
        *BASICS,
        "runtime.caller_isolation",
        "runtime.episode_isolation",
        "runtime.state_contract",
    ),
    fast=False,
)
def state_isolation(subject: Subject) -> Outcome:
    """An episode is only its state: forks continue alike, and no caller can change it.

    Many episodes of the oracle and of guesses are restored at each step. Observations, infos,
    actions, saved states, copies of tasks, and rows that were passed are modified.
    """
    policies = [guesses, oracle] if subject.defines("solve") else [guesses]
    seeds = _SEEDS[subject.quick]
    for policy in policies:
        for seed in seeds:
            fork_at_every_step(subject, policy, seed)
            modify_shared_objects(subject, policy, seed)
    for seed in seeds:
        _modify_saved_states(subject, seed)
        _modify_rows(subject, seed)
        _modify_tasks(subject, seed)
    return Outcome({"episodes": len(seeds) * len(policies), "forked_at": "every step"})


def _modify_saved_states(subject: Subject, seed: int) -> None:
    """Check that no saved or restored state is shared with the caller."""
    env, fork = subject.make_bare(), subject.make_bare()
    env.reset(seed=seed)
    fork.reset(seed=seed + 1)
    rng, ended = random.Random(seed), False
    while not ended:
        saved: Any = get_state(env)
        before = json.dumps(saved)
        set_state(fork, saved)
        corrupt(saved)
        for name, owner in (("saved", env), ("restored", fork)):
            same = json.dumps(get_state(owner)) == before
            assert same, f"a {name} state is shared with the caller"
        action: Any = guess_message(env, rng)
        went = env.step(action)
        assert fork.step(action) == went, "the step differs after a saved state was modified"
        ended = bool(went[2] or went[3])


def _modify_rows(subject: Subject, seed: int) -> None:
    """Check that an episode does not change if the row that was passed to it is modified."""
    env = subject.make_unwrapped()
    env.reset(seed=seed)
    text = json.dumps(env.task.row)
    expected = play(env, guesses(env), task=json.loads(text))
    row = json.loads(text)
    went = env.reset(options={"task": row})
    corrupt(row)
    steps = [went, *(env.step(action) for action in expected.actions)]
    assert steps == expected.steps, "an episode changes if the row that was passed is modified"


def _modify_tasks(subject: Subject, seed: int) -> None:
    """Check that modifying the copy of a task changes no episode of it."""
    env = subject.make_unwrapped()
    index = seed % len(subject.indices(env))
    expected = play(env, guesses(env), index=index)
    task = env.get_task(index)
    for part in (*task.messages, *(task.tools or ()), task.row):
        corrupt(part)
    again = play(env, guesses(env), index=index)
    assert again == expected, f"a modified copy of {expected.task_id} changes its episodes"
