"""Checks of Gymnasium's side: its checker, vectors, wrappers, specs, pickles, saved states."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import pickle
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from textgym.env import TextEnv
from textgym.messages import assistant
from textgym.snapshots.walk import get_state, set_state
from textgym.testing.checks import NO_NAME, SEEDS, Skipped, guess_or_say, register_check
from textgym.testing.subject import Subject, play
from textgym.vector import TextVectorEnv


@register_check
def gymnasium_check_env(subject: Subject) -> None:
    """Gymnasium's own checker finds nothing, not even a warning."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("error")
        check_env(subject.make().unwrapped)


def _drive(vector: gym.vector.VectorEnv[Any, Any, Any], mode: AutoresetMode) -> None:
    observations, infos = vector.reset(seed=3)
    for _ in range(4):
        assert len(observations) == vector.num_envs, "one observation for each environment"
        assert all(isinstance(item, list) for item in observations), "observations are lists"
        actions = tuple(assistant("I do not know.") for _ in range(vector.num_envs))
        observations, rewards, terminated, truncated, infos = vector.step(actions)
        assert all(math.isfinite(reward) for reward in rewards), f"rewards are {rewards}"
        assert "task_id" in infos, "the infos have no task_id"
        ended = terminated | truncated
        if mode is AutoresetMode.DISABLED and ended.any():
            observations, infos = vector.reset(options={"reset_mask": ended})


def _vectors(subject: Subject, kind: str, **kwargs: Any) -> None:
    for mode in AutoresetMode:
        vector = gym.make_vec(
            subject.spec,
            num_envs=2,
            vectorization_mode=kind,
            vector_kwargs={"autoreset_mode": mode, **kwargs},
            **subject.kwargs,
        )
        try:
            _drive(vector, mode)
        finally:
            vector.close()


@register_check
def sync_vector(subject: Subject) -> None:
    """A `SyncVectorEnv` runs in every autoreset mode."""
    _vectors(subject, "sync")


@register_check
def async_vector_fork(subject: Subject) -> None:
    """An `AsyncVectorEnv` of forked workers runs in every autoreset mode."""
    if not hasattr(os, "fork"):
        raise Skipped("this system cannot fork")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*fork.*", category=DeprecationWarning)
        _vectors(subject, "async", shared_memory=False, context="fork")


@register_check
def async_vector_spawn(subject: Subject) -> None:
    """An `AsyncVectorEnv` of spawned workers runs in every autoreset mode."""
    if subject.in_main:
        raise Skipped(NO_NAME)
    with _main_hidden():
        _vectors(subject, "async", shared_memory=False, context="spawn")


@register_check
def text_vector(subject: Subject) -> None:
    """A `TextVectorEnv` runs in every autoreset mode, with `send` and `recv` too."""
    for mode in AutoresetMode:
        vector = TextVectorEnv([subject.make] * 2, autoreset_mode=mode)
        try:
            _drive(vector, mode)
            vector.reset(seed=3)
            vector.send([assistant("I do not know.")], [1])
            places = vector.recv()[4]["env_id"].tolist()
            assert places == [1], f"sub-environment 1 was sent an action, and {places} answered"
        finally:
            vector.close()


@contextlib.contextmanager
def _main_hidden() -> Iterator[None]:
    """Keep spawned workers from running the caller's script again, which they do not need."""
    main = sys.modules["__main__"]
    kept = {name: vars(main).pop(name) for name in ("__file__", "__spec__") if name in vars(main)}
    main.__spec__ = None
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(main, name, value)


@register_check
def gymnasium_wrappers(subject: Subject) -> None:
    """Gymnasium's wrappers work, and report the environment's own rewards."""
    wrappers = gym.wrappers
    for seed in SEEDS:
        expected, _, _ = play(subject.make(), guess_or_say, seed=seed)
        env: Any = wrappers.RecordEpisodeStatistics(subject.make(max_episode_steps=1000))
        total, _, info = play(_Plain(env), guess_or_say, seed=seed)
        assert total == expected == info["episode"]["r"], "RecordEpisodeStatistics differs"
        doubled = wrappers.TransformReward(
            wrappers.OrderEnforcing(subject.make()), lambda r: 2 * float(r)
        )
        assert play(doubled, guess_or_say, seed=seed)[0] == 2 * expected, "TransformReward"
        clipped = wrappers.ClipReward(subject.make(), -0.25, 0.25)
        assert abs(play(clipped, guess_or_say, seed=seed)[0]) <= 0.25, "ClipReward"
        normal = wrappers.NormalizeReward(subject.make())
        assert math.isfinite(play(normal, guess_or_say, seed=seed)[0]), "NormalizeReward"


class _Plain(gym.Wrapper[Any, Any, Any, Any]):
    """Turns the statistics' arrays and clocks into what JSON can hold."""

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        if "episode" in info:
            info = {**info, "episode": {"r": float(info["episode"]["r"])}}
        return observation, reward, terminated, truncated, info


@register_check
def spec_round_trip(subject: Subject) -> None:
    """The spec goes through JSON and makes the same environment again."""
    if subject.in_main:
        raise Skipped(NO_NAME)
    env = subject.make()
    assert env.spec is not None
    again = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    for seed in SEEDS:
        assert env.reset(seed=seed) == again.reset(seed=seed), "another prompt"


@register_check
def pickling(subject: Subject) -> None:
    """A pickled environment goes on from where it was, its stream of tasks included."""
    for seed in SEEDS:
        env = subject.make()
        env.reset(seed=seed)
        again = pickle.loads(pickle.dumps(env))
        action = guess_or_say(env.unwrapped)  # type: ignore[arg-type]
        assert env.step(action) == again.step(action), "another step"
        assert env.reset() == again.reset(), "another next task"


@register_check
def fork_and_continue(subject: Subject) -> None:
    """From a state saved at any step, an episode goes on as it went."""
    choose = TextEnv.solve if subject.defines("solve") else guess_or_say
    for seed in SEEDS:
        env, fork = subject.make(max_episode_steps=1000), subject.make(max_episode_steps=1000)
        env.reset(seed=seed)
        if seed % 2 == 0:  # with an odd one it goes into an environment that was never reset
            fork.reset(seed=seed + 1)
        ended = False
        while not ended:
            inner: Any = env.unwrapped
            action = inner.solve() if choose is TextEnv.solve else guess_or_say(inner)
            set_state(fork, json.loads(json.dumps(get_state(env))))
            went = env.step(action)
            assert fork.step(action) == went, "another step"
            assert get_state(fork) == get_state(env), "another state"
            ended = went[2] or went[3]
        assert env.reset() == fork.reset(), "another next task"
