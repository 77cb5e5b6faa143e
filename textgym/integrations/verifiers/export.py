"""verifiers and prime-rl learn from textgym's environments (verifiers 0.4).

verifiers finds a taskset by the name of a module on the path. Write one with two lines:

    from textgym.integrations.verifiers.export import EpisodeEnv, Episodes
    __all__ = ["EpisodeEnv", "Episodes"]

The taskset has the tasks, and the environment plays the user. verifiers exchanges texts and makes
the tokens itself.

Invariants: an episode that failed raises, so that verifiers records an error and no reward.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import verifiers.v1 as vf
from pydantic import Field

from textgym.errors import TrainingError
from textgym.messages import Message, text_of
from textgym.training.driven import MessageEpisode
from textgym.training.tasks import key_of, player_of, task_rows

__all__ = ["EpisodeEnv", "EpisodeEnvConfig", "EpisodeTask", "Episodes", "EpisodesConfig"]


class EpisodeData(vf.TaskData):  # type: ignore[misc]  # verifiers is not typed here
    """A task, as a row of `task_rows`."""

    row: dict[str, Any]


class EpisodeTask(vf.Task[EpisodeData]):  # type: ignore[misc]
    """A task of an environment."""


class EpisodesConfig(vf.TasksetConfig):  # type: ignore[misc]
    """The tasks: `env` is an id or `module:Class`, and the other settings are as in `task_rows`."""

    env: str = "textgym/MCQA-v0"
    n: int | None = None
    split: str = "train"
    start: int = 0
    env_kwargs: dict[str, Any] = Field(default_factory=dict)


class Episodes(vf.Taskset[EpisodeTask, EpisodesConfig]):  # type: ignore[misc]
    """The tasks of an environment."""

    def load(self) -> Iterator[EpisodeTask]:
        """Yield the tasks in order."""
        options = self.config.model_dump(include={"n", "split", "start", "env_kwargs"})
        for row in task_rows(self.config.env, **options):
            name = f"{row['env_id']}#{row['task_index']}"
            data = EpisodeData(name=name, prompt=None, row=dict(row))
            yield EpisodeTask(data, self.config.task)


class EpisodeEnvConfig(vf.EnvConfig):  # type: ignore[misc]
    """The agent `player` is the policy."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"})


class EpisodeEnv(vf.Env[EpisodeEnvConfig]):  # type: ignore[misc]
    """Plays the user of an episode: it shows the prompt, and answers each text.

    The return is the reward `return`; reward components and `success` are metrics. An episode that
    a limit of verifiers ends keeps its rewards so far.
    """

    async def run(self, task: Any, agents: Any) -> None:
        """Play an episode of a task.

        Raises:
            EnvironmentFailure: The episode failed.
            TrainingError: verifiers cannot show the messages of the environment.
        """
        row = task.data.row
        episode = MessageEpisode(player_of(row), key_of(row), plain=True)
        try:
            await episode.aopen()
            systems = [text_of(message) for message in episode.added if _is_system(message)]
            if systems:
                task = task.with_system_prompt("\n\n".join(systems))
            messages = [message for message in episode.added if not _is_system(message)]
            async with agents.player.interaction(task) as interaction:
                while episode.trajectory is None:
                    segment = await interaction.turn(_user_text(messages))
                    if not segment.terminated:
                        await episode.aanswer(segment.last_reply)
                        messages = episode.added
                    elif interaction.trace.has_error:
                        return
                    else:
                        await episode.aleave()
                for name, value in episode.figures("reward/").items():
                    interaction.trace.record_metric(name, value)
                interaction.trace.record_reward("return", float(episode.result["reward"] or 0.0))
        finally:
            await episode.aclose()


def _is_system(message: Message) -> bool:
    return message["role"] == "system"


def _user_text(messages: Sequence[Message]) -> str:
    """Return messages as the text of a user's turn.

    Raises:
        TrainingError: They have another role, or an image.
    """
    other_roles = sorted({message["role"] for message in messages} - {"user"})
    if other_roles:
        raise TrainingError(f"verifiers shows messages of a user, not of {', '.join(other_roles)}")
    contents = [message.get("content") for message in messages]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    if any(part["type"] != "text" for part in parts):
        raise TrainingError("the adapter of verifiers shows only text, but there is an image")
    return "\n\n".join(text_of(message) for message in messages)
