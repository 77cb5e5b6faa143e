"""`RecordTrajectories`: a plain Gymnasium loop writes the same files as a rollout."""

from __future__ import annotations

import os
import time
from collections import Counter
from typing import Any

from textgym._version import __version__
from textgym.json_values import canonical_json, copy_json
from textgym.messages import Message
from textgym.metrics.episode_table import EpisodeTable
from textgym.metrics.run_metrics import run_metrics
from textgym.policies import Action
from textgym.provenance import env_name, kwargs_from_spec, provenance, recorded_kwargs
from textgym.tasks.task import hash_int
from textgym.trajectories.episode_record import EpisodeRecord, as_message
from textgym.trajectories.run_folder import RunFolder, refuse_used_folder
from textgym.trajectories.schema import SCHEMA_VERSION
from textgym.trajectories.task_identity import digests_of
from textgym.wrappers.base import MessageEnv, MessageWrapper, StepResult

__all__ = ["RecordTrajectories"]


class RecordTrajectories(MessageWrapper):
    """Writes each episode that ends to a folder, as `textgym.rollout` does.

    `textgym metrics`, `view` and `rescore` read the folder. Put this wrapper around the wrappers
    whose effect should be recorded. An episode that is abandoned, or that continues a saved state,
    is not recorded. `close` writes the metrics.

    In a vector, each sub-environment needs its own folder.

    Args:
        env: The environment.
        folder: A folder that does not exist, or has no run. It is made at the first reset.
        policy: The recorded name of the policy.

    Raises:
        RunError: The folder already has a run, or cannot be written.

    Example:
        >>> import gymnasium, tempfile, textgym
        >>> from textgym.trajectories.run_folder import read_trajectories
        >>> from textgym.wrappers import RecordTrajectories
        >>> folder = tempfile.mkdtemp()
        >>> env = RecordTrajectories(gymnasium.make("textgym/MCQA-v0"), folder=folder)
        >>> for seed in range(3):
        ...     observation, info = env.reset(seed=seed)
        ...     result = env.step(env.unwrapped.solve())
        >>> env.close()
        >>> [trajectory["reward"] for trajectory in read_trajectories(folder)]
        [1.0, 1.0, 1.0]
    """

    def __init__(
        self, env: MessageEnv, *, folder: str | os.PathLike[str], policy: str = "unknown"
    ) -> None:
        super().__init__(env, folder=os.fspath(folder), policy=policy)
        refuse_used_folder(folder)
        self._path, self._policy = os.fspath(folder), policy
        self._env_id, self._env_kwargs = env_name(env), recorded_kwargs(kwargs_from_spec(env))
        self._folder: RunFolder | None = None
        self._episode_table = EpisodeTable()
        self._repeats: Counter[int] = Counter()
        self._record: EpisodeRecord | None = None
        self._index = 0
        self._row: dict[str, Any] | None = None
        self._started_at = self._clock = self._turn_clock = 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[list[Message], dict[str, Any]]:
        """Reset the environment, and begin a record."""
        self._started_at, self._clock = time.time(), time.perf_counter()
        observation, info = super().reset(seed=seed, options=options)
        if self._folder is None:
            self._folder = RunFolder(self._path, self._config())
        self._record = EpisodeRecord()
        tools = copy_json(info.get("tools", []))
        self._record.begin(self.env, list(observation), {**info, "tools": tools})
        self._index, self._row = self._task()
        self._turn_clock = time.perf_counter()
        return observation, info

    def step(self, action: Message | str) -> StepResult:
        """Step the environment, and write the episode if it has ended."""
        result = self.env.step(action)
        if self._record is not None:
            message = as_message(action)
            reason = "tool_calls" if message.get("tool_calls") else "stop"
            now = time.perf_counter()
            observation, reward, terminated, truncated, info = result
            copied = list(observation), reward, terminated, truncated, dict(info)
            self._record.add_step(Action(message, reason), copied, now - self._turn_clock)
            self._turn_clock = now
            if self._record.ended:
                self._write(self._record)
                self._record = None
        return result

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue a saved state; the episode is not recorded."""
        super().set_state(state)
        self._record = None

    def close(self) -> None:
        """Write the metrics, and close the folder and the environment."""
        folder, self._folder, self._record = self._folder, None, None
        try:
            if folder is not None:
                folder.write_metrics(run_metrics(self._episode_table))
                folder.close()
        finally:
            super().close()

    def _write(self, record: EpisodeRecord) -> None:
        index, row = self._index, self._row
        trajectory = record.trajectory(
            env_id=self._env_id,
            env_kwargs=self._env_kwargs,
            task_index=index,
            repeat=self._repeats[index],
            seed=0,
            policy=self._policy,
            failure=None,
            started_at=self._started_at,
            seconds=time.perf_counter() - self._clock,
        )
        if row is not None:
            trajectory["row"] = row
        assert self._folder is not None
        self._folder.add(trajectory)
        self._episode_table.add(trajectory)
        self._repeats[index] += 1

    def _task(self) -> tuple[int, dict[str, Any] | None]:
        """Return the index of the task, and the row of a task without an index."""
        inner: Any = self.unwrapped
        index, task = getattr(inner, "task_index", None), getattr(inner, "task", None)
        if index is not None:
            return index, None
        if task is None:
            return self._episode_table.num_episodes, None
        row = dict(task.row)
        return hash_int(canonical_json(row)) >> 15, row

    def _config(self) -> dict[str, Any]:
        samples = {self._env_id: self.env}
        digests = digests_of(samples)
        return {
            "version": SCHEMA_VERSION,
            "textgym": __version__,
            "envs": [self._env_id],
            "env_kwargs": self._env_kwargs,
            **provenance(samples),
            **({"data": digests} if digests else {}),
            "policy": self._policy,
            "sampling": None,
            "episodes": None,
            "start": 0,
            "tasks": {self._env_id: None},
            "repeats": 1,
            "seed": 0,
        }
