"""SkyRL learns from textgym's environments: a `BaseTextEnv` (skyrl-gym 0.4).

    import skyrl_gym
    skyrl_gym.register("textgym", entry_point="textgym.training.skyrl:SkyRLEnv")

SkyRL exchanges texts: it renders the messages and makes the tokens itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from textgym.messages import Message
from textgym.training.driven import MessageEpisode
from textgym.training.tasks import TaskRow, key_of, player_of, skyrl_record, write_tasks

__all__ = ["SkyRLEnv", "write_dataset"]


class SkyRLEnv(BaseTextEnv):  # type: ignore[misc]  # skyrl_gym is not typed here
    """An episode of the task in a row of `write_dataset`.

    The first message describes the tools, and calls are read from texts in Hermes form. Each step
    has its reward, so an episode that SkyRL leaves (`generator.max_input_length`) keeps its rewards
    so far. A failure raises, which ends the training: SkyRL cannot leave a sample out.

    Args:
        env_config: SkyRL's configuration, which is not used.
        extras: The columns of the row.
    """

    def __init__(self, env_config: Any = None, extras: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        row = (extras or {})["textgym"]
        self._episode = MessageEpisode(player_of(row), key_of(row), plain=True)

    def init(self, prompt: list[Message]) -> tuple[list[Message], dict[str, Any]]:
        """Begin the episode and return its prompt; the prompt of the data set is not used.

        Raises:
            EnvironmentFailure: The episode failed.
        """
        self._episode.open()
        return self._episode.added, {}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Pass the policy's text, and return the messages of the environment.

        Raises:
            EnvironmentFailure: The episode failed, so it has no reward.
            TrainingError: The environment changed an earlier message, which SkyRL cannot show.
        """
        done = self._episode.answer(action) is None
        return BaseTextEnvStepOutput(
            observations=self._episode.added,
            reward=self._episode.rewards[-1],
            done=done,
            metadata={"success": bool(self._episode.result["is_success"])} if done else {},
        )

    def get_metrics(self) -> dict[str, Any]:
        """Return the figures of the episode, which SkyRL averages; it ends here at the latest.

        Raises:
            EnvironmentFailure: The episode failed.
        """
        if self._episode.trajectory is None:
            self._episode.leave()
        return self._episode.figures()

    def close(self) -> None:
        """End the episode."""
        self._episode.close()


def write_dataset(
    path: str | Path, envs: str | Mapping[str, float], n: int | None = None, **options: Any
) -> Path:
    """Write a Parquet file for `data.train_data` or `data.val_data`; see `write_tasks`."""

    def make_record(row: TaskRow) -> dict[str, Any]:
        return skyrl_record(row, [{"role": "user", "content": row["prompt"]}])

    return write_tasks(path, envs, n, make_record, **options)
