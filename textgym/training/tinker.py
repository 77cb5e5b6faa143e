"""tinker-cookbook learns from textgym's environments (tinker-cookbook 0.6).

Invariants: a prompt continues the tokens that were sampled before, so the transitions of an episode
are one sequence unless the chat template splits it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import tinker
from tinker_cookbook.rl.types import (
    ActionExtra,
    Env,
    EnvGroupBuilder,
    InitialObservationOverflow,
    StepResult,
)

from textgym.policies.models import eos_token_ids
from textgym.policies.token_policy import SampledTokens
from textgym.training.driven import TokenEpisode
from textgym.training.tasks import key_of, player_of

__all__ = ["TinkerEnv", "TinkerGroup"]


class TinkerEnv(Env):  # type: ignore[misc]  # tinker_cookbook is not typed here
    """An episode of a task; each step has its reward.

    Args:
        row: A row of `textgym.training.tasks.task_rows`.
        tokenizer: The model's tokenizer, with a chat template.
        repeat: The number of the episode among the task's episodes, from 0.
        context_length: The number of tokens that the model can hold.
        end_ids: The ids at which a message ends, such as `eos_token_id` of the model's generation
            config. The tokenizer's end token is added. Sampling stops at them.
    """

    def __init__(
        self,
        row: Mapping[str, Any],
        tokenizer: Any,
        *,
        repeat: int = 0,
        context_length: int | None = None,
        end_ids: int | Collection[int] | None = None,
    ) -> None:
        self._episode = TokenEpisode(
            player_of(row),
            key_of(row, repeat),
            tokenizer,
            context_length=context_length,
            end_ids=end_ids,
        )
        self._stop = sorted(eos_token_ids(end_ids, tokenizer))

    async def initial_observation(self) -> tuple[Any, list[int]] | InitialObservationOverflow:
        """Begin the episode, unless its prompt is longer than the context.

        Raises:
            EnvironmentFailure: The episode failed.
        """
        prompt_ids = await self._episode.aopen()
        if prompt_ids is None:
            reward = float(self._episode.result["reward"] or 0.0)
            return InitialObservationOverflow(reward, metrics={"stop/max_tokens": 1.0})
        return tinker.ModelInput.from_ints(prompt_ids), self._stop

    async def step(self, action: list[int], *, extra: ActionExtra | None = None) -> StepResult:
        """Pass sampled tokens, and return the next prompt.

        Raises:
            EnvironmentFailure: The episode failed, so it has no reward. The rollout strategy of
                tinker-cookbook drops the episode or repeats its group.
        """
        reason = (extra or {}).get("stop_reason")
        sampled = SampledTokens(action, None, None if reason is None else reason == "stop")
        prompt_ids = await self._episode.aanswer(sampled)
        prompt = tinker.ModelInput
        return StepResult(
            metrics=self._episode.figures() if prompt_ids is None else {},
            reward=self._episode.rewards[-1],
            episode_done=prompt_ids is None,
            next_observation=prompt.from_ints(prompt_ids) if prompt_ids else prompt.empty(),
            next_stop_condition=self._stop,
        )

    async def close(self) -> None:
        """End the episode, if a limit of tinker-cookbook has stopped it."""
        await self._episode.aclose()


@dataclass(frozen=True)
class TinkerGroup(EnvGroupBuilder):  # type: ignore[misc]
    """The `size` episodes of a task; the other attributes are as in `TinkerEnv`."""

    row: Mapping[str, Any]
    tokenizer: Any
    size: int
    context_length: int | None = None
    end_ids: int | Collection[int] | None = None
    _envs: list[TinkerEnv] = field(default_factory=list, init=False, repr=False, compare=False)

    async def make_envs(self) -> Sequence[Env]:
        """Return the episodes."""
        options: dict[str, Any] = {"context_length": self.context_length, "end_ids": self.end_ids}
        self._envs[:] = [
            TinkerEnv(self.row, self.tokenizer, repeat=repeat, **options)
            for repeat in range(self.size)
        ]
        return list(self._envs)

    async def cleanup(self) -> None:
        """End the episodes that a limit of tinker-cookbook has stopped."""
        while self._envs:
            await self._envs.pop().close()

    def logging_tags(self) -> list[str]:
        """Return the environment's id, by which figures are grouped."""
        return [str(self.row["env_id"])]
