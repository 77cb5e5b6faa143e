"""Checks of Gymnasium's API: its checker, vectors, wrappers, specs, pickling and saved states."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import math
import os
import pickle
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from textgym.checks.checks import Skipped, check_of
from textgym.checks.episodes import (
    Episode,
    guess_message,
    guesses,
    next_message,
    oracle,
    play,
)
from textgym.checks.fresh_process import NOT_IMPORTABLE
from textgym.checks.subject import SEEDS, Subject
from textgym.core.snapshots import get_state, set_state
from textgym.messages import assistant
from textgym.policies import Policy
from textgym.vector import TextVectorEnv
from textgym.wrappers.specs import apply_wrappers


@check_of(
    "runtime.gymnasium_api",
    "Follow Gymnasium's API, as its checker says.",
    any_env=True,
)
def gymnasium_check_env(subject: Subject) -> None:
    """Gymnasium's own checker passes without a warning."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*is different from the unwrapped version")
        check_env(subject.make_bare())


def _drive(vector: gym.vector.VectorEnv[Any, Any, Any], mode: AutoresetMode) -> None:
    observations, infos = vector.reset(seed=3)
    for _ in range(4):
        assert len(observations) == vector.num_envs, "there must be one observation per environment"
        assert all(isinstance(item, list) for item in observations), "observations must be lists"
        actions = tuple(assistant("I do not know.") for _ in range(vector.num_envs))
        observations, rewards, terminated, truncated, infos = vector.step(actions)
        assert all(math.isfinite(reward) for reward in rewards), f"rewards are {rewards}"
        assert "task_id" in infos, "the infos have no task_id"
        ended = terminated | truncated
        if mode is AutoresetMode.DISABLED and ended.any():
            observations, infos = vector.reset(options={"reset_mask": ended})


def _vectors(subject: Subject, kind: str, **kwargs: Any) -> None:
    wrap: Any = functools.partial(apply_wrappers, specs=subject.wrappers)
    for mode in [AutoresetMode.SAME_STEP] if subject.quick else AutoresetMode:
        vector = gym.make_vec(
            subject.spec,
            num_envs=2,
            vectorization_mode=kind,
            vector_kwargs={"autoreset_mode": mode, **kwargs},
            wrappers=[wrap],
            **subject.kwargs,
        )
        try:
            _drive(vector, mode)
        finally:
            vector.close()


@check_of(
    "runtime.sync_vector",
    "Return infos whose keys keep their types.",
    any_env=True,
)
def sync_vector(subject: Subject) -> None:
    """A `SyncVectorEnv` works in every autoreset mode."""
    _vectors(subject, "sync")


@check_of(
    "runtime.async_vector_fork",
    "Return data that can be pickled.",
    any_env=True,
)
def async_vector_fork(subject: Subject) -> None:
    """An `AsyncVectorEnv` with forked workers works in every autoreset mode."""
    if not hasattr(os, "fork"):
        raise Skipped("this system cannot fork")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*fork.*", category=DeprecationWarning)
        _vectors(subject, "async", shared_memory=False, context="fork")


@check_of(
    "runtime.async_vector_spawn",
    "Make the class importable, and its data picklable.",
    any_env=True,
)
def async_vector_spawn(subject: Subject) -> None:
    """An `AsyncVectorEnv` with spawned workers works in every autoreset mode."""
    if not subject.is_importable:
        raise Skipped(NOT_IMPORTABLE)
    with _main_hidden():
        _vectors(subject, "async", shared_memory=False, context="spawn")


@check_of(
    "runtime.text_vector",
    "Return infos whose keys keep their types.",
    any_env=True,
)
def text_vector(subject: Subject) -> None:
    """A `TextVectorEnv` works in every autoreset mode, including `send` and `recv`."""
    for mode in AutoresetMode:
        vector = TextVectorEnv([subject.make] * 2, autoreset_mode=mode)
        try:
            _drive(vector, mode)
            vector.reset(seed=3)
            vector.send([assistant("I do not know.")], [1])
            places = vector.recv()[4]["env_id"].tolist()
            assert places == [1], f"an action was sent to sub-environment 1, but {places} answered"
        finally:
            vector.close()


@contextlib.contextmanager
def _main_hidden() -> Iterator[None]:
    """Keep spawned workers from importing the caller's main script, which they do not need."""
    main = sys.modules["__main__"]
    kept = {name: vars(main).pop(name) for name in ("__file__", "__spec__") if name in vars(main)}
    main.__spec__ = None
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(main, name, value)


@check_of(
    "runtime.gymnasium_wrappers",
    "Return the reward only from `step`, as a float.",
)
def gymnasium_wrappers(subject: Subject) -> None:
    """Gymnasium's wrappers work and report the rewards of the environment."""
    wrappers = gym.wrappers
    for seed in SEEDS:
        expected = _guessed(subject.make(), seed).total
        env: Any = wrappers.RecordEpisodeStatistics(subject.make(max_episode_steps=1000))
        episode = _guessed(env, seed)
        recorded = float(episode.info["episode"]["r"])
        same = episode.total == expected and math.isclose(recorded, expected, abs_tol=1e-9)
        assert same, "RecordEpisodeStatistics differs"  # sums of floats differ in the last place
        doubled = wrappers.TransformReward(
            wrappers.OrderEnforcing(subject.make()), lambda r: 2 * float(r)
        )
        assert _guessed(doubled, seed).total == 2 * expected, "TransformReward"
        clipped = wrappers.ClipReward(subject.make(), -0.25, 0.25)
        assert all(abs(reward) <= 0.25 for reward in _guessed(clipped, seed).rewards), "ClipReward"
        normal = wrappers.NormalizeReward(subject.make())
        assert math.isfinite(_guessed(normal, seed).total), "NormalizeReward"


def _guessed(env: gym.Env[Any, Any], seed: int) -> Episode:
    return play(env, guesses(env), seed=seed)


@check_of(
    "runtime.spec_round_trip",
    "Pass every argument on to `super().__init__`, as JSON.",
    any_env=True,
)
def spec_round_trip(subject: Subject) -> None:
    """A spec that is saved as JSON makes the same environment again."""
    if not subject.is_importable:
        raise Skipped(NOT_IMPORTABLE)
    env = subject.make()
    assert env.spec is not None
    again = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    subject.made.append(again)
    for seed in SEEDS:
        assert env.reset(seed=seed) == again.reset(seed=seed), "the prompt differs"


@check_of(
    "runtime.pickling",
    "Keep what cannot be pickled out of the state; open it in `begin`.",
)
def pickling(subject: Subject) -> None:
    """A pickled environment continues the episode, with the same next tasks."""
    if not subject.is_importable:
        raise Skipped(NOT_IMPORTABLE)
    for seed in SEEDS:
        env = subject.make()
        env.reset(seed=seed)
        again = pickle.loads(pickle.dumps(env))
        subject.made.append(again)
        action = guess_message(env, random.Random(seed))
        assert env.step(action) == again.step(action), "the step differs"
        assert env.reset() == again.reset(), "the next task differs"


@check_of(
    "runtime.state_contract",
    "Keep all that changes in an episode in `state`, as JSON or a dataclass of JSON.",
)
def fork_and_continue(subject: Subject) -> None:
    """An episode that is restored from a state saved at any step continues in the same way."""
    policy = oracle if subject.defines("solve") else guesses
    for seed in SEEDS:
        fork_at_every_step(subject, policy, seed)


def fork_at_every_step(
    subject: Subject, make_policy: Callable[[gym.Env[Any, Any]], Policy], seed: int
) -> None:
    """Check that an episode continues in the same way if it is restored at any of its steps.

    It is restored into another environment, which has begun a different episode if the seed is
    even.
    """
    env, fork = subject.make(max_episode_steps=1000), subject.make(max_episode_steps=1000)
    policy = make_policy(env)
    went: Any = env.reset(seed=seed)
    if seed % 2 == 0:
        fork.reset(seed=seed + 1)
    ended = False
    while not ended:
        action = next_message(policy, went[0], [], seed)
        set_state(fork, json.loads(json.dumps(get_state(env))))
        went = env.step(action)
        assert fork.step(action) == went, "the step differs"
        assert get_state(fork) == get_state(env), "the state differs"
        ended = went[2] or went[3]
    assert env.reset() == fork.reset(), "the next task differs"
