"""NeMo RL learns from textgym's environments: an `EnvironmentInterface` (as NeMo RL publishes it).

NeMo RL exchanges texts, and appends the tokens of an observation without the chat template. An
observation here is therefore the text that the template writes between two messages.

Invariants: an observation begins where the sampled message ended; an episode that failed raises its
failure, because the protocol cannot leave a sample out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import fmean
from threading import Lock
from typing import Any
from uuid import uuid4

import torch
from nemo_rl.environments.interfaces import EnvironmentInterface, EnvironmentReturn

from textgym.errors import TrainingError, UsageError
from textgym.policies.token_policy import SampledTokens
from textgym.training.driven import TokenEpisode
from textgym.training.tasks import key_of, player_of

__all__ = ["TASK_NAME", "NemoRLEnvironment", "make_datum"]

TASK_NAME = "textgym"
MAX_THREADS = 64


class NemoRLEnvironment(EnvironmentInterface):  # type: ignore[misc]  # nemo_rl is not typed here
    """Plays the tasks of a batch. Each step has its reward.

    Args:
        tokenizer: The model's tokenizer, with a chat template.
        max_open: The maximum number of episodes in progress. The oldest is closed to make room,
            because NeMo RL does not report which episodes it has left.
        end_ids: The ids at which a message ends, as `stop_token_ids` of NeMo RL's generation config
            lists them; by default the tokenizer's end token. NeMo RL does not report which of them
            ended a message, so the first is taken.
    """

    def __init__(
        self, tokenizer: Any, *, max_open: int = 8192, end_ids: Sequence[int] = ()
    ) -> None:
        self._tokenizer, self._max_open = tokenizer, max_open
        self._end_ids = tuple(end_ids) or (tokenizer.eos_token_id,)
        if None in self._end_ids:
            raise UsageError("the tokenizer has no end token: pass end_ids")
        self._open: dict[str, TokenEpisode] = {}
        self._figures: list[dict[str, float]] = []
        self._lock = Lock()

    def step(
        self, message_log_batch: Sequence[Sequence[Mapping[str, Any]]], metadata: Sequence[Any]
    ) -> Any:
        """Pass each episode the last message of its log; metadata without an episode begin one.

        Raises:
            EnvironmentFailure: An episode failed, so it has no reward.
            TrainingError: The chat template rewrote the conversation.
        """
        with ThreadPoolExecutor(min(MAX_THREADS, max(1, len(metadata)))) as threads:
            results = list(threads.map(self._step_episode, message_log_batch, metadata))
        contents, following, rewards, ended = zip(*results, strict=True) if results else [()] * 4
        return EnvironmentReturn(
            observations=[{"role": "environment", "content": content} for content in contents],
            metadata=list(following),
            next_stop_strings=[None] * len(results),
            rewards=torch.tensor(rewards, dtype=torch.float32),
            terminateds=torch.tensor(ended, dtype=torch.bool),
            answers=[None] * len(results),
        )

    def global_post_process_and_metrics(self, batch: Any) -> tuple[Any, dict[str, float]]:
        """Return the batch, and the mean figures of the episodes that ended since the last call.

        They are `success`, and `reward/<name>` for each reward component.
        """
        with self._lock:
            figures, self._figures = self._figures, []
        names = dict.fromkeys(name for values in figures for name in values)
        return batch, {
            name: fmean(values[name] for values in figures if name in values) for name in names
        }

    def close(self) -> None:
        """End the episodes in progress."""
        with self._lock:
            episodes, self._open = self._open, {}
        for episode in episodes.values():
            episode.close()

    def _step_episode(
        self, log: Sequence[Mapping[str, Any]], metadata: dict[str, Any]
    ) -> tuple[str, dict[str, Any] | None, float, bool]:
        """Return the observation, the next metadata, the reward, and whether the episode ended."""
        name = metadata.get("episode") or uuid4().hex
        with self._lock:
            episode = self._open.pop(name, None)
        if episode is None and "episode" in metadata:
            raise UsageError(f"the episode {name} is not in progress: raise max_open")
        episode = episode or _begin(metadata, self._tokenizer, self._end_ids)
        if episode.answer(self._sampled(log[-1])) is None:
            figures = episode.figures("reward/")
            with self._lock:
                self._figures.append(figures)
            return "", None, episode.rewards[-1], True
        try:
            content = self._tokenizer.decode(episode.added, skip_special_tokens=False)
        except TrainingError:
            episode.close()
            raise
        with self._lock:
            oldest = next(iter(self._open)) if len(self._open) >= self._max_open else ""
            dropped = self._open.pop(oldest, None)
            self._open[name] = episode
        if dropped is not None:
            dropped.close()
        return content, {**metadata, "episode": name}, episode.rewards[-1], False

    def _sampled(self, message: Mapping[str, Any]) -> SampledTokens:
        """Return the tokens of a message's text, with an end token.

        A message for which NeMo RL has no tokens was aborted, and has none here.
        """
        if len(message.get("token_ids", (0,))) == 0:
            return SampledTokens([], None)
        ids = self._tokenizer.encode(message["content"], add_special_tokens=False)
        return SampledTokens([*ids, self._end_ids[0]], None, True)


def make_datum(row: Mapping[str, Any], tokenizer: Any, index: int = 0) -> dict[str, Any]:
    """Return a `DatumSpec` of NeMo RL: the prompt of a task, with its exact tokens.

    Args:
        row: A row of `textgym.training.tasks.task_rows`.
        tokenizer: The model's tokenizer, with a chat template.
        index: The number of the row in the data set.

    Raises:
        EnvironmentFailure: The environment gave no prompt.
    """
    episode = _begin(row, tokenizer)
    ids = episode.added
    episode.close()
    prompt = {
        "role": "user",
        "content": tokenizer.decode(ids, skip_special_tokens=False),
        "token_ids": torch.tensor(ids, dtype=torch.int64),
    }
    return {
        "message_log": [prompt],
        "length": len(ids),
        "extra_env_info": dict(row),
        "loss_multiplier": 1.0,
        "idx": index,
        "task_name": TASK_NAME,
        "stop_strings": None,
    }


def _begin(row: Mapping[str, Any], tokenizer: Any, end_ids: Sequence[int] = ()) -> TokenEpisode:
    """Return an episode of a row that has begun.

    Raises:
        EnvironmentFailure: It failed.
    """
    episode = TokenEpisode(player_of(row), key_of(row), tokenizer, end_ids=end_ids)
    episode.open()
    _ = episode.added
    return episode
