"""SkyRL learns from textgym's environments: a `BaseTextEnv` (skyrl-gym 0.4).

    import skyrl_gym
    skyrl_gym.register("textgym", entry_point="textgym.training.skyrl:SkyRLEnv")

SkyRL exchanges texts: it renders messages and reads tokens itself, so exact tokens are its matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from textgym.errors import TrainingError
from textgym.messages import Message
from textgym.training.driven import MessageEpisode
from textgym.training.task_rows import key_of, player_of, task_rows, write_parquet

__all__ = ["SkyRLEnv", "write_dataset"]


class SkyRLEnv(BaseTextEnv):  # type: ignore[misc]  # skyrl_gym is not typed here
    """An episode of the task that a row of `write_dataset` stands for.

    Tools are described in the first message, and calls are read from texts in Hermes form. Each
    step has its reward, so an episode that SkyRL leaves (`generator.max_input_length`) keeps what
    it was paid. A failure raises, which ends the training: SkyRL cannot leave a sample out.

    Args:
        env_config: SkyRL's configuration, which is not used.
        extras: The columns of the row.
    """

    def __init__(self, env_config: Any = None, extras: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        row = (extras or {})["textgym"]
        self._episode = MessageEpisode(player_of(row), key_of(row), plain=True)
        self._shown: list[Message] = []

    def init(self, prompt: list[Message]) -> tuple[list[Message], dict[str, Any]]:
        """Begin the episode and return its prompt; that of the data set is not used.

        Raises:
            EnvironmentFailure: The episode failed.
        """
        opened = self._episode.open()
        if opened is None:
            _ = self._episode.result
        self._shown = opened or []
        return list(self._shown), {}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Give the policy's text, and return what the environment says.

        Raises:
            EnvironmentFailure: The episode failed, so it has no reward.
            TrainingError: The environment changed an earlier message, which SkyRL cannot show.
        """
        conversation = self._episode.answer(action)
        if conversation is None:
            episode = self._episode.result
            return BaseTextEnvStepOutput(
                observations=[],
                reward=self._episode.rewards[-1],
                done=True,
                metadata={"success": bool(episode["is_success"])},
            )
        earlier = len(self._shown)
        if conversation[:earlier] != self._shown:
            raise TrainingError("the environment changed an earlier message; SkyRL only adds some")
        self._shown = conversation
        return BaseTextEnvStepOutput(
            observations=conversation[earlier + 1 :],
            reward=self._episode.rewards[-1],
            done=False,
            metadata={},
        )

    def get_metrics(self) -> dict[str, Any]:
        """Return the figures of the episode, which SkyRL averages; one under way is left there.

        Raises:
            EnvironmentFailure: The episode failed.
        """
        if self._episode.trajectory is None:
            self._episode.leave()
        success = float(bool(self._episode.result["is_success"]))
        return {**self._episode.components, "success": success}

    def close(self) -> None:
        """End the episode."""
        self._episode.close()


def write_dataset(
    path: str | Path, envs: str | Mapping[str, float], n: int | None = None, **options: Any
) -> Path:
    """Write a Parquet file for `data.train_data` or `data.val_data`.

    Args:
        path: The file.
        envs: As in `task_rows`.
        n: As in `task_rows`.
        **options: As in `task_rows`.

    Returns:
        The path.
    """
    rows = [
        {
            "prompt": [{"role": "user", "content": row["prompt"]}],
            "env_class": "textgym",
            "data_source": row["env_id"],
            "textgym": dict(row),
        }
        for row in task_rows(envs, n, **options)
    ]
    return write_parquet(path, rows)
