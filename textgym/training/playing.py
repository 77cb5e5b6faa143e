"""`play_row`: an episode of a task row, played with the engine of a trainer.

Trainers that take and give token ids call a function for each sample, and pass it a task and an
engine. `play_row` plays the task with that engine. The adapter of such a trainer has only its names
left: how its engine continues token ids, and what it calls tokens, mask and reward.

Invariants: sampled ids are recorded as the engine returned them; an episode that failed has no
reward, and reading it raises; an aborted request fails its episode.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from textgym.errors import ContextFullError, TrainingError
from textgym.policies.base import Sampling, Tokens
from textgym.policies.token_policy import SampledTokens, SampleTokens, TokenPolicy
from textgym.training.tasks import key_of, player_of
from textgym.trajectories.episode_record import check_graded, named_figures
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.tokens import check_has_tokens, token_sequences

__all__ = ["PlayedRow", "play_row"]


@dataclass(frozen=True, slots=True)
class PlayedRow:
    """An episode, as trainers take it.

    Attributes:
        trajectory: The episode as it is recorded. Its `failure` is None if it has a reward.
    """

    trajectory: Trajectory

    @property
    def reward(self) -> float:
        """The return of the episode.

        Raises:
            TrainingError: The episode failed.
        """
        check_graded(self.trajectory, TrainingError)
        return float(self.trajectory["reward"] or 0.0)

    @property
    def is_cut(self) -> bool:
        """Whether the limit of tokens cut one of the messages."""
        return any(step["finish_reason"] == "length" for step in self.trajectory["steps"])

    @property
    def sequences(self) -> list[Tokens]:
        """The token sequences: none if nothing was sampled, several if the episode was split.

        Their ids, masks and log probabilities are aligned. `TokenRow.of` divides one into prompt
        and completion.
        """
        check_has_tokens(self.trajectory)
        return token_sequences(self.trajectory["steps"])

    def sequence(self, trainer: str) -> Tokens:
        """Return the only token sequence, for a trainer that takes one.

        Args:
            trainer: The trainer's name, for the error.

        Raises:
            TrainingError: The episode failed, has several sequences, or has none.
        """
        check_graded(self.trajectory, TrainingError)
        sequences = self.sequences
        if len(sequences) != 1:
            raise TrainingError(
                f"an episode has {len(sequences)} token sequences: {trainer} trains on 1"
            )
        return sequences[0]

    def figures(self, prefix: str = "") -> dict[str, float]:
        """Return the reward components by `prefix` and name, and `success`.

        Raises:
            TrainingError: The episode failed.
        """
        check_graded(self.trajectory, TrainingError)
        return named_figures(self.trajectory, prefix)


async def play_row(
    row: Mapping[str, Any],
    sample: SampleTokens,
    tokenizer: Any,
    *,
    repeat: int = 0,
    seed: int = 0,
    max_prompt: int | None = None,
    max_response: int | None = None,
    sampling: Sampling | Mapping[str, Any] | None = None,
    **settings: Any,
) -> PlayedRow:
    """Play the task of a row with the engine of a trainer.

    This process keeps the environments between calls. Calls may run at the same time.

    Args:
        row: A row of `textgym.training.tasks.task_rows`.
        sample: Continues token ids with the engine; see `SampleTokens`. A `PolicyFailure` that it
            raises is retried twice, then the episode fails; a `UsageError` is not retried.
        tokenizer: The model's tokenizer, with a chat template.
        repeat: The number of the episode among the task's episodes, from 0.
        seed: As in `rollout`.
        max_prompt: An episode whose first prompt has more tokens is cut before anything is sampled;
            by default there is no limit.
        max_response: The maximum number of tokens after the first prompt, including the
            environment's messages; the episode is cut when they are used up. By default there is
            no limit.
        sampling: How tokens are sampled; `max_tokens` is `max_response` by default.
        **settings: Further arguments of `TokenPolicy`.

    Returns:
        The episode. One that failed is returned, too.

    Raises:
        UsageError: The row is invalid, or the policy cannot play it.

    Example:
        >>> import asyncio
        >>> from textgym.training.tasks import task_rows
        >>> class Letters:  # stands for a tokenizer: each letter is a token
        ...     chat_template, eos_token_id = "letters", 0
        ...     def apply_chat_template(self, messages, **options):
        ...         return "".join(f"{message['content']}|" for message in messages)
        ...     def __call__(self, text, **options):
        ...         return {"input_ids": [ord(letter) for letter in text]}
        ...     def decode(self, ids, **options):
        ...         return "".join(chr(id) for id in ids)
        >>> async def sample(prompt_ids, sampling, seed):
        ...     return SampledTokens([ord("2"), 0], [-0.5, -0.1], is_finished=True)
        >>> (row,) = task_rows("textgym/GuessNumber-v0", 1, env_kwargs={"highest": 3, "turns": 1})
        >>> played = asyncio.run(play_row(row, sample, Letters()))
        >>> tokens = played.sequence("my trainer")
        >>> tokens.ids[-2:], tokens.loss_mask[-3:], tokens.logprobs[-3:], played.is_cut
        ([50, 0], [0, 1, 1], [0.0, -0.5, -0.1], False)
        >>> played.reward in (0.0, 1.0)
        True
    """
    if sampling is None and max_response is not None:
        sampling = Sampling(max_tokens=max_response)
    limited = _within(sample, max_prompt, max_response)
    policy = TokenPolicy(limited, tokenizer, sampling, **settings)
    (trajectory,) = await player_of(row).aplay(policy, [key_of(row, repeat)], seed=seed)
    return PlayedRow(trajectory)


def _within(sample: SampleTokens, max_prompt: int | None, max_response: int | None) -> SampleTokens:
    """Return a function that samples within the limits of one episode."""
    first_length = 0

    async def limited(prompt_ids: list[int], sampling: Sampling, seed: int | None) -> SampledTokens:
        nonlocal first_length
        first_length = first_length or len(prompt_ids)
        if max_prompt is not None and first_length > max_prompt:
            raise ContextFullError(
                f"the prompt has {first_length} tokens, and the limit is {max_prompt}"
            )
        if max_response is not None:
            room = first_length + max_response - len(prompt_ids)
            if room < 1:
                raise ContextFullError("the response has no room for another message")
            sampling = replace(sampling, max_tokens=min(sampling.max_tokens, room))
        return await sample(prompt_ids, sampling, seed)

    return limited
