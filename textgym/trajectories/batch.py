"""`Batch`: episodes as padded arrays for a trainer.

A row is one token sequence: an episode, or one of its parts if the chat template split it.

Invariants: every sampled token has a loss mask of 1 in exactly one row; an episode that failed has
no row and is not part of its group; the advantages of a group of episodes sum to 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from textgym.errors import UnknownNameError, UsageError, did_you_mean
from textgym.policies import PictureSpan, Tokens
from textgym.trajectories.advantages import (
    ADVANTAGES,
    gdpo,
    group_advantages,
    number_groups,
    turn_advantages,
)
from textgym.trajectories.episode_record import components_of
from textgym.trajectories.schema import Step, Trajectory
from textgym.trajectories.task_identity import GroupKey
from textgym.trajectories.tokens import check_has_tokens, token_sequences, turns_of_tokens

__all__ = ["Batch", "make_batch"]

Array = np.ndarray[Any, np.dtype[Any]]
_SIDES = ("left", "right")
_CREDITS = ("episode", "turn")
_GDPO = "gdpo"


@dataclass(frozen=True, eq=False)
class Batch:
    """Token sequences in padded arrays, sorted by environment, task, repeat and turn.

    Attributes:
        input_ids: The token ids; int64, (rows, length).
        attention_mask: 1 for tokens, 0 for padding; int64, (rows, length).
        loss_mask: 1 for tokens that the policy sampled; int64, (rows, length).
        logprobs: The log probability of each sampled token at the token's position; 0 for other
            tokens, NaN if the policy reported none. float32, (rows, length).
        token_rewards: The reward of each turn at the last token of the turn, 0 elsewhere; float32,
            (rows, length).
        rewards: The reward of the row's whole episode; float32.
        advantages: The advantage of the row's episode in its group; float32.
        token_advantages: The advantage of each sampled token, 0 elsewhere: the advantage of its
            episode, or with `credit="turn"` of its turn. float32, (rows, length).
        weights: 1 divided by the number of rows of the row's episode, for losses that are means
            over rows. A loss that sums over tokens does not need it. float32.
        episodes: The number of the row's episode within the batch; int64.
        groups: The number of the row's group within the batch; int64.
        env_ids: The id of the row's environment.
        tasks: The index of the row's task; int64.
        repeats: The number of the row's episode among the task's episodes; int64.
        policy_versions: The version of the weights that sampled the row's first turn, which is the
            oldest.
        pictures: Where the row's pictures are, counted from its first token.
        truncated: Whether a limit cut the row's episode.
        cut: Whether the token limit cut one of the row's messages.
        failures: How many episodes failed and are left out.
        empty: How many episodes ended before anything was sampled, because the prompt did not fit.
            They count in their groups and have no row.

    Example:
        >>> tokens = {"prompt_ids": [1, 2], "token_ids": [3], "logprobs": [-0.5]}
        >>> def episode(repeat, reward):
        ...     step = {**tokens, "message_index": 1, "reward": reward, "finish_reason": "stop"}
        ...     return {
        ...         "env_id": "demo/A-v0", "env_kwargs": {}, "seed": 0, "task_index": 0,
        ...         "repeat": repeat, "reward": reward, "failure": None, "truncated": False,
        ...         "steps": [{**step, "policy_version": None}],
        ...     }
        >>> batch = make_batch([episode(0, 1.0), episode(1, 0.0)], advantage="rloo")
        >>> batch.input_ids.tolist(), batch.loss_mask.tolist()
        ([[1, 2, 3], [1, 2, 3]], [[0, 0, 1], [0, 0, 1]])
        >>> batch.advantages.tolist()
        [1.0, -1.0]
    """

    input_ids: Array
    attention_mask: Array
    loss_mask: Array
    logprobs: Array
    token_rewards: Array
    rewards: Array
    advantages: Array
    token_advantages: Array
    weights: Array
    episodes: Array
    groups: Array
    env_ids: tuple[str, ...]
    tasks: Array
    repeats: Array
    policy_versions: tuple[str | None, ...]
    pictures: tuple[tuple[PictureSpan, ...], ...]
    truncated: Array
    cut: Array
    failures: int
    empty: int

    def __len__(self) -> int:
        return len(self.input_ids)


def make_batch(
    trajectories: Iterable[Trajectory],
    *,
    advantage: str = "grpo",
    credit: str = "episode",
    component_weights: Mapping[str, float] | None = None,
    pad_id: int = 0,
    padding_side: str = "right",
) -> Batch:
    """Return trajectories as a batch.

    Args:
        trajectories: Such as `Run.trajectories()`. Trajectories of the same environment, keyword
            arguments, seed and task form a group.
        advantage: How advantages are computed from the rewards of a group: a name in `ADVANTAGES`,
            or `gdpo`, which normalises reward components one by one; see
            `textgym.trajectories.advantages`.
        credit: Whether a token has the advantage of its `episode`, or of its `turn`, which gets
            credit for its own reward and later ones; see `turn_advantages`.
        component_weights: For `gdpo`, the weights of the reward components that count.
        pad_id: The token id that fills up rows.
        padding_side: `left` or `right`.

    Raises:
        UsageError: An argument is invalid, or a policy reported no tokens.
    """
    _check_advantage(advantage, credit, component_weights)
    if padding_side not in _SIDES:
        raise UsageError(f"padding_side must be left or right, not {padding_side!r}")
    played = list(trajectories)
    graded = sorted(
        (episode for episode in played if not episode["failure"]),
        key=lambda episode: (GroupKey.of(episode), episode["repeat"]),
    )
    groups = number_groups(map(GroupKey.of, graded))
    if component_weights:
        advantages = gdpo(groups, _components(graded, component_weights), component_weights)
    else:
        returns = np.array([episode["reward"] for episode in graded], float)
        advantages = group_advantages(groups, returns, ADVANTAGES[advantage])
    if credit == "turn":
        turns = [[step["reward"] or 0.0 for step in episode["steps"]] for episode in graded]
        of_turns = turn_advantages(groups, turns, ADVANTAGES[advantage])
    else:
        of_turns = [
            np.full(len(episode["steps"]), value)
            for episode, value in zip(graded, advantages, strict=True)
        ]
    rows = _rows_of(graded)
    episode_of_row = [graded[row.episode] for row in rows]
    length = max((len(row.tokens.ids) for row in rows), default=0)
    spans = [slice(length - len(row.tokens.ids), length) for row in rows]
    if padding_side == "right":
        spans = [slice(len(row.tokens.ids)) for row in rows]

    def padded(dtype: Any, fill: int, values: Callable[[_Row], Any]) -> Array:
        array = np.full((len(rows), length), fill, dtype)
        for number, (row, span) in enumerate(zip(rows, spans, strict=True)):
            array[number, span] = values(row)
        return array

    def column(dtype: Any, values: Iterable[Any]) -> Array:
        return np.array(list(values), dtype)

    episodes = column(np.int64, (row.episode for row in rows))
    return Batch(
        input_ids=padded(np.int64, pad_id, lambda row: row.tokens.ids),
        attention_mask=padded(np.int64, 0, lambda row: 1),
        loss_mask=padded(np.int64, 0, lambda row: row.tokens.loss_mask),
        logprobs=padded(np.float32, 0, lambda row: np.array(row.tokens.logprobs, np.float32)),
        token_rewards=padded(np.float32, 0, _token_rewards),
        rewards=column(np.float32, (played["reward"] for played in episode_of_row)),
        advantages=advantages[episodes].astype(np.float32),
        token_advantages=padded(np.float32, 0, lambda row: _of_tokens(row, of_turns[row.episode])),
        weights=column(np.float32, (1 / row.num_siblings for row in rows)),
        episodes=episodes,
        groups=groups[episodes],
        env_ids=tuple(item["env_id"] for item in episode_of_row),
        tasks=column(np.int64, (item["task_index"] for item in episode_of_row)),
        repeats=column(np.int64, (item["repeat"] for item in episode_of_row)),
        policy_versions=tuple(row.steps[0]["policy_version"] for row in rows),
        pictures=tuple(row.tokens.pictures for row in rows),
        truncated=column(bool, (item["truncated"] for item in episode_of_row)),
        cut=column(bool, (any(map(_is_cut, row.steps)) for row in rows)),
        failures=len(played) - len(graded),
        empty=len(graded) - len({row.episode for row in rows}),
    )


def _check_advantage(
    advantage: str, credit: str, component_weights: Mapping[str, float] | None
) -> None:
    known = (*ADVANTAGES, _GDPO)
    if advantage not in known:
        raise UnknownNameError(
            f"there is no advantage {advantage!r}{did_you_mean(advantage, known)}"
        )
    if credit not in _CREDITS:
        raise UsageError(f"credit must be episode or turn, not {credit!r}")
    if (advantage == _GDPO) != bool(component_weights):
        raise UsageError(
            "advantage='gdpo' needs component_weights, and other advantages do not take them"
        )
    if advantage == _GDPO and credit == "turn":
        raise UsageError("advantage='gdpo' applies to whole episodes: use credit='episode'")


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the batch.

    Attributes:
        tokens: The token sequence.
        steps: The turns in the sequence.
        episode: The number of the row's episode.
        num_siblings: The number of rows of that episode, this one included.
        turns: The number of each token's turn in the episode; -1 if it was not sampled.
    """

    tokens: Tokens
    steps: Sequence[Step]
    episode: int
    num_siblings: int
    turns: list[int]


def _rows_of(graded: Sequence[Trajectory]) -> list[_Row]:
    """Return the rows of episodes; an episode in which nothing was sampled has none."""
    rows: list[_Row] = []
    for episode, trajectory in enumerate(graded):
        sequences = _sequences_of(trajectory)
        numbers = turns_of_tokens(trajectory["steps"])
        rows += [
            _Row(*parts, episode, len(sequences), of_tokens)
            for parts, of_tokens in zip(sequences, numbers, strict=True)
        ]
    return rows


def _components(graded: Sequence[Trajectory], names: Iterable[str]) -> dict[str, Array]:
    """Return the components of episodes by name, NaN where there is none.

    Raises:
        UsageError: No episode has one of them.
    """
    found = [components_of(episode) for episode in graded]
    known = sorted(set().union(*found))
    for name in names:
        if graded and name not in known:
            raise UsageError(f"no episode has the component {name!r}: they have {known}")
    return {
        name: np.array([components.get(name, np.nan) for components in found], float)
        for name in names
    }


def _of_tokens(row: _Row, of_turns: Array) -> Array:
    """Return the advantages of a row's tokens, given the advantages of its episode's turns."""
    turns = np.array(row.turns)
    sampled = turns >= 0
    values = np.zeros(len(turns), np.float32)
    values[sampled] = of_turns[turns[sampled]]
    return values


def _sequences_of(trajectory: Trajectory) -> list[tuple[Tokens, list[Step]]]:
    """Return an episode's token sequences, each with its turns."""
    steps = trajectory["steps"]
    check_has_tokens(trajectory)
    sequences, start = [], 0
    for tokens in token_sequences(steps):
        turns = [step for step in steps if start <= step["message_index"] < tokens.message_count]
        sequences.append((tokens, turns))
        start = tokens.message_count
    return sequences


def _token_rewards(row: _Row) -> Array:
    """Return the rewards of a row's turns, each at the position of the turn's last token."""
    rewards = np.zeros(len(row.tokens.ids), np.float32)
    for step in row.steps:
        end = len(step["prompt_ids"] or ()) + len(step["token_ids"] or ())
        rewards[end - 1 : end] += step["reward"] or 0.0
    return rewards


def _is_cut(step: Step) -> bool:
    return step["finish_reason"] == "length"
