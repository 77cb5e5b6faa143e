"""verifiers and prime-rl learn from textgym's environments (verifiers 0.4).

verifiers finds a taskset by the name of a module on the path, of your own with two lines:

    from textgym.training.verifiers import EpisodeEnv, Episodes
    __all__ = ["EpisodeEnv", "Episodes"]

The taskset has the tasks, and the environment plays the user of each. verifiers exchanges texts and
makes the tokens itself.

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
from textgym.training.task_rows import key_of, player_of, task_rows

__all__ = ["EpisodeEnv", "EpisodeEnvConfig", "EpisodeTask", "Episodes", "EpisodesConfig"]

RETURN = "return"


class EpisodeData(vf.TaskData):  # type: ignore[misc]  # verifiers is not typed here
    """A task, as a row of `task_rows`."""

    row: dict[str, Any]


class EpisodeTask(vf.Task[EpisodeData]):  # type: ignore[misc]
    """A task of an environment."""


class EpisodesConfig(vf.TasksetConfig):  # type: ignore[misc]
    """Which tasks there are.

    Attributes:
        env: An id, or `module:Class`.
        n: The number of tasks; None for all of a split that has an end.
        split: The split of the environment.
        start: The index of the first task.
        env_kwargs: As in `rollout`.
    """

    env: str = "textgym/MCQA-v0"
    n: int | None = None
    split: str = "train"
    start: int = 0
    env_kwargs: dict[str, Any] = Field(default_factory=dict)


class Episodes(vf.Taskset[EpisodeTask, EpisodesConfig]):  # type: ignore[misc]
    """The tasks of an environment."""

    def load(self) -> Iterator[EpisodeTask]:
        """Yield the tasks in order."""
        config = self.config
        rows = task_rows(
            config.env,
            config.n,
            split=config.split,
            start=config.start,
            env_kwargs=config.env_kwargs,
        )
        for row in rows:
            name = f"{row['env_id']}#{row['task_index']}"
            yield EpisodeTask(EpisodeData(name=name, prompt=None, row=dict(row)), config.task)


class EpisodeEnvConfig(vf.EnvConfig):  # type: ignore[misc]
    """Who plays.

    Attributes:
        player: The policy.
    """

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"})


class EpisodeEnv(vf.Env[EpisodeEnvConfig]):  # type: ignore[misc]
    """Plays the user of an episode: it shows the prompt, and answers each text.

    The return is the reward `return`; reward components and `success` are metrics. An episode that
    a limit of verifiers ends keeps what it was paid.
    """

    async def run(self, task: Any, agents: Any) -> None:
        """Play an episode of a task.

        Raises:
            EnvironmentFailure: The episode failed.
            TrainingError: verifiers cannot show what the environment says.
        """
        row = task.data.row
        episode = MessageEpisode(player_of(row), key_of(row), plain=True)
        try:
            conversation = await episode.aopen()
            if conversation is None:
                _ = episode.result
            shown = conversation or []
            systems = [text_of(message) for message in shown if message["role"] == "system"]
            if systems:
                task = task.with_system_prompt("\n\n".join(systems))
            says = [message for message in shown if message["role"] != "system"]
            async with agents.player.interaction(task) as interaction:
                while conversation is not None:
                    segment = await interaction.turn(_user_text(says))
                    if segment.terminated:
                        if interaction.trace.has_error:
                            return
                        await episode.aleave()
                        break
                    conversation = await episode.aanswer(segment.last_reply)
                    if conversation is not None:
                        says, shown = _new_messages(shown, conversation), conversation
                _record(interaction.trace, episode)
        finally:
            await episode.aclose()


def _new_messages(shown: Sequence[Message], conversation: list[Message]) -> list[Message]:
    """Return what the environment says after the policy's message."""
    if conversation[: len(shown)] != list(shown):
        raise TrainingError("the environment changed an earlier message; verifiers only adds some")
    return conversation[len(shown) + 1 :]


def _user_text(messages: Sequence[Message]) -> str:
    """Return the text of a user's turn."""
    others = sorted({message["role"] for message in messages} - {"user"})
    if others:
        raise TrainingError(f"verifiers shows messages of a user, not of {', '.join(others)}")
    contents = [message.get("content") for message in messages]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    if any(part["type"] != "text" for part in parts):
        raise TrainingError("the adapter of verifiers shows text alone, and there is an image")
    return "\n\n".join(text_of(message) for message in messages)


def _record(trace: Any, episode: MessageEpisode) -> None:
    """Record the reward and the figures of an episode; raise if it failed."""
    played = episode.result
    for name, value in episode.components.items():
        trace.record_metric(f"reward/{name}", float(value))
    trace.record_metric("success", float(bool(played["is_success"])))
    trace.record_reward(RETURN, float(played["reward"] or 0.0))
