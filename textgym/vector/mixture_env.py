"""`MixtureEnv`: one environment of a mixture in each episode, drawn by a curriculum.

Invariants: the n-th draw after a seed depends only on the seed, n, the weights and the results so
far; a reset or a step that raises changes nothing but that an environment may have been made.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from textgym.concurrency.blocking import reset_may_block, step_may_block
from textgym.curricula import SuccessCurriculum
from textgym.errors import UsageError
from textgym.layers import grade_at_time_limit
from textgym.mixtures import EnvFn

__all__ = ["MixtureEnv"]


class MixtureEnv(gym.Env[Any, Any]):
    """A sub-environment of `make_vec(..., curriculum=...)`.

    It holds an environment of each id. Each reset draws the one that plays, whose id is
    `info["environment"]`; the options of the reset are passed on to it.

    Args:
        env_fns: The functions that make the environments, by id.
        weights: The weight of each.
        curriculum: Draws the environments, and is told whether their episodes succeeded.
        like: Another one with the same environments. Without it, all of them are made at once and
            checked, otherwise when they are first drawn.

    Raises:
        UsageError: The environments have different spaces.

    Attributes:
        blocking: Whether the `step` of any of the environments may block.
        blocking_reset: Whether the `reset` of any of them may block.
    """

    blocking: bool
    blocking_reset: bool

    def __init__(
        self,
        env_fns: Mapping[str, EnvFn],
        weights: Mapping[str, float],
        curriculum: SuccessCurriculum,
        like: MixtureEnv | None = None,
    ) -> None:
        self._env_fns, self._weights, self._curriculum = env_fns, weights, curriculum
        self._envs: dict[str, gym.Env[Any, Any]] = {}
        self._id: str | None = None  # of the environment that plays
        self._seed, self._draws = secrets.randbits(63), 0
        self._unused_seeds: dict[str, int] = {}  # of environments not reset since the last seed
        if like is None:
            like = self
            try:
                self._make_all()
            except BaseException:
                self.close()
                raise
        self.blocking, self.blocking_reset = like.blocking, like.blocking_reset
        self.metadata, self.render_mode = like.metadata, like.render_mode
        self.observation_space, self.action_space = like.observation_space, like.action_space

    def _make_all(self) -> None:
        envs = [self._made(id) for id in self._env_fns]
        first = envs[0]
        self.blocking = any(map(step_may_block, envs))
        self.blocking_reset = any(map(reset_may_block, envs))
        self.metadata, self.render_mode = first.metadata, first.render_mode
        self.observation_space, self.action_space = first.observation_space, first.action_space
        for id, env in self._envs.items():
            if (env.observation_space, env.action_space) != (
                first.observation_space,
                first.action_space,
            ):
                raise UsageError(f"{id} has other spaces than {next(iter(self._env_fns))}")

    def _made(self, id: str) -> gym.Env[Any, Any]:
        """Return the environment of an id, which is made when it is first needed."""
        if id not in self._envs:
            self._envs[id] = grade_at_time_limit(self._env_fns[id]())
        return self._envs[id]

    @property
    def env(self) -> gym.Env[Any, Any]:
        """The environment that plays.

        Raises:
            UsageError: There was no reset yet.
        """
        if self._id is None:
            raise UsageError("there is no episode yet: call reset first")
        return self._envs[self._id]

    @property
    def task(self) -> Any:
        """The task of the environment that plays; None if it has none."""
        return getattr(self.env.unwrapped, "task", None)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Draw an environment and begin its next episode.

        Args:
            seed: Seeds the draws, and each environment at its first reset from now on.
            options: As the environment takes them.
        """
        start, draws, seeds = self._seed, self._draws, self._unused_seeds
        if seed is not None:
            start, draws, seeds = seed, 0, dict.fromkeys(self._env_fns, seed)
        id = self._curriculum.draw(self._weights, start, draws)
        observation, info = self._made(id).reset(seed=seeds.get(id), options=options)
        self._id, self._seed, self._draws = id, start, draws + 1
        self._unused_seeds = {other: value for other, value in seeds.items() if other != id}
        return observation, {**info, "environment": id}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Step the environment that plays, and tell the curriculum how its episode ended."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        id = str(self._id)
        if terminated or truncated:
            self._curriculum.add(id, bool(info.get("is_success")))
        return observation, reward, terminated, truncated, {**info, "environment": id}

    def render(self) -> Any:
        """Return what the environment that plays renders."""
        return self.env.render()

    def get_wrapper_attr(self, name: str) -> Any:
        """Return an attribute, or else that of the environment that plays."""
        return getattr(self, name) if hasattr(self, name) else self.env.get_wrapper_attr(name)

    def close(self) -> None:
        """Close all environments that were made."""
        with contextlib.ExitStack() as stack:
            for env in self._envs.values():
                stack.callback(env.close)
