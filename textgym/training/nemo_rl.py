"""NeMo RL learns from textgym's environments: an `EnvironmentInterface` (as NeMo RL publishes it).

NeMo RL gives an environment texts, and appends the tokens of what it says as they are, without the
chat template. The environment here therefore says its messages as the template writes them.

Invariants: what the environment says begins where the sampled message ended; an episode that failed
raises its failure, because the protocol cannot leave a sample out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import fmean
from threading import Lock
from typing import Any, NamedTuple
from uuid import uuid4

import torch
from nemo_rl.environments.interfaces import EnvironmentInterface, EnvironmentReturn

from textgym.errors import TrainingError, UsageError
from textgym.policies.models import eos_token_ids
from textgym.policies.token_policy import SampledTokens
from textgym.training.driven import TokenEpisode
from textgym.training.task_rows import key_of, player_of

__all__ = ["TASK_NAME", "NemoRLEnvironment", "make_datum"]

TASK_NAME = "textgym"
MAX_THREADS = 64


class _Open(NamedTuple):
    """An episode under way, and the ids of its last prompt."""

    episode: TokenEpisode
    prompt_ids: list[int]


class _Stepped(NamedTuple):
    """What one sample of a batch gets."""

    content: str
    metadata: dict[str, Any] | None
    reward: float
    is_over: bool


class NemoRLEnvironment(EnvironmentInterface):  # type: ignore[misc]  # nemo_rl is not typed here
    """Plays the tasks of a batch. Each step has its reward.

    Args:
        tokenizer: The model's tokenizer, with a chat template.
        max_open: How many episodes may be under way. The oldest is closed to make room, because
            NeMo RL does not say which episodes it has left.
        end_ids: The ids at which a message ends, as `stop_token_ids` of NeMo RL's generation config
            lists them; by default that of the tokenizer. NeMo RL does not tell which one ended a
            message, so the first is taken.
    """

    def __init__(
        self, tokenizer: Any, *, max_open: int = 8192, end_ids: Sequence[int] = ()
    ) -> None:
        self._tokenizer, self._max_open = tokenizer, max_open
        self._end_ids = tuple(end_ids) or (tokenizer.eos_token_id,)
        if None in self._end_ids:
            raise UsageError("the tokenizer has no end token: pass end_ids")
        self._open: dict[str, _Open] = {}
        self._figures: dict[str, list[float]] = {}
        self._lock = Lock()

    def step(
        self, message_log_batch: Sequence[Sequence[Mapping[str, Any]]], metadata: Sequence[Any]
    ) -> Any:
        """Give each episode the last message of its log; those without an episode begin one.

        Raises:
            EnvironmentFailure: An episode failed, so it has no reward.
            TrainingError: The chat template rewrote the conversation.
        """
        with ThreadPoolExecutor(min(MAX_THREADS, max(1, len(metadata)))) as threads:
            stepped = list(threads.map(self._step_one, message_log_batch, metadata))
        return EnvironmentReturn(
            observations=[{"role": "environment", "content": one.content} for one in stepped],
            metadata=[one.metadata for one in stepped],
            next_stop_strings=[None] * len(stepped),
            rewards=torch.tensor([one.reward for one in stepped], dtype=torch.float32),
            terminateds=torch.tensor([one.is_over for one in stepped], dtype=torch.bool),
            answers=[None] * len(stepped),
        )

    def global_post_process_and_metrics(self, batch: Any) -> tuple[Any, dict[str, float]]:
        """Return the batch, and the mean figures of the episodes that ended since the last call.

        They are `success`, and `reward/<name>` for each reward component.
        """
        with self._lock:
            figures, self._figures = self._figures, {}
        return batch, {name: fmean(values) for name, values in figures.items()}

    def close(self) -> None:
        """End the episodes that are under way."""
        with self._lock:
            left, self._open = self._open, {}
        for one in left.values():
            one.episode.close()

    def _step_one(self, log: Sequence[Mapping[str, Any]], metadata: dict[str, Any]) -> _Stepped:
        """Give an episode the last message of its log."""
        id = metadata.get("episode") or self._begin(metadata)
        with self._lock:
            opened = self._open.pop(id, None)
        if opened is None:
            raise UsageError(f"the episode {id} is not under way: raise max_open")
        sampled = self._sampled(log[-1])
        prompt_ids = opened.episode.answer(sampled)
        if prompt_ids is None:
            self._count(opened.episode)
            return _Stepped("", None, opened.episode.rewards[-1], True)
        earlier = opened.prompt_ids + sampled.token_ids
        if prompt_ids[: len(earlier)] != earlier:
            opened.episode.close()
            raise TrainingError("the chat template rewrote a message; NeMo RL only adds some")
        self._keep(id, _Open(opened.episode, prompt_ids))
        said = self._tokenizer.decode(prompt_ids[len(earlier) :], skip_special_tokens=False)
        return _Stepped(said, {**metadata, "episode": id}, opened.episode.rewards[-1], False)

    def _sampled(self, message: Mapping[str, Any]) -> SampledTokens:
        """Return the tokens of a message's text, up to the first one that ends a message.

        A message for which NeMo RL has no tokens was aborted, and has none here.
        """
        if len(message.get("token_ids", (0,))) == 0:
            return SampledTokens([], None)
        ids = [*_encode(self._tokenizer, message["content"]), self._end_ids[0]]
        ends = eos_token_ids(self._end_ids, self._tokenizer)
        length = next(place for place, id in enumerate(ids, 1) if id in ends)
        return SampledTokens(ids[:length], None, True)

    def _begin(self, row: Mapping[str, Any]) -> str:
        """Begin an episode of a row, and return its id."""
        episode, id = _episode_of(row, self._tokenizer, self._end_ids), uuid4().hex
        self._keep(id, _Open(episode, _open(episode)))
        return id

    def _keep(self, id: str, opened: _Open) -> None:
        """Keep an episode for its next step, in place of the oldest one if there are too many."""
        with self._lock:
            oldest = next(iter(self._open)) if len(self._open) >= self._max_open else None
            dropped = self._open.pop(oldest) if oldest is not None else None
            self._open[id] = opened
        if dropped is not None:
            dropped.episode.close()

    def _count(self, episode: TokenEpisode) -> None:
        """Count an episode that has ended.

        Raises:
            EnvironmentFailure: It failed.
        """
        played = episode.result
        components = episode.components.items()
        figures = {f"reward/{name}": float(value) for name, value in components}
        with self._lock:
            for name, value in {**figures, "success": float(bool(played["is_success"]))}.items():
                self._figures.setdefault(name, []).append(value)


def make_datum(row: Mapping[str, Any], tokenizer: Any, index: int = 0) -> dict[str, Any]:
    """Return a `DatumSpec` of NeMo RL: the prompt of a task, with its exact tokens.

    Args:
        row: A row of `textgym.training.task_rows.task_rows`.
        tokenizer: The model's tokenizer, with a chat template.
        index: The place of the row in the data set.

    Raises:
        EnvironmentFailure: The environment gave no prompt.
    """
    episode = _episode_of(row, tokenizer)
    ids = _open(episode)
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


def _episode_of(
    row: Mapping[str, Any], tokenizer: Any, end_ids: Sequence[int] = ()
) -> TokenEpisode:
    return TokenEpisode(player_of(row), key_of(row), tokenizer, end_ids=end_ids)


def _open(episode: TokenEpisode) -> list[int]:
    """Begin an episode, and return the ids of its prompt; raise if it failed."""
    ids = episode.open()
    if ids is None:
        _ = episode.result
        raise TrainingError("an episode ended before its first message")
    return ids


def _encode(tokenizer: Any, text: str) -> list[int]:
    ids: list[int] = tokenizer.encode(text, add_special_tokens=False)
    return ids
