"""`Batch`: what a trainer needs of some episodes, in padded arrays.

A row is one token sequence: an episode, or a part of one whose template split it. What always
holds: every sampled token is in one row, and there alone its loss mask is 1; an episode that failed
has no row and no part in its group; the advantages of a group of episodes sum to 0.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from textgym.errors import UnknownNameError, UsageError, did_you_mean
from textgym.policies import Tokens
from textgym.trajectories.advantages import ADVANTAGES
from textgym.trajectories.schema import Step, Trajectory
from textgym.trajectories.tokens import token_sequences

__all__ = ["Batch", "make_batch"]

Array = np.ndarray[Any, np.dtype[Any]]
_SIDES = ("left", "right")


@dataclass(frozen=True, eq=False)
class Batch:
    """Token sequences in padded arrays, sorted by environment, task, repeat and turn.

    Attributes:
        input_ids: The tokens; int64, (rows, length).
        attention_mask: 1 for tokens, 0 for padding; int64.
        loss_mask: 1 for tokens that the policy sampled; int64.
        logprobs: Of each sampled token, as it was sampled, in its own place; 0 elsewhere, NaN where
            the policy gave none. float32.
        token_rewards: The reward of each turn at the last token of the turn, 0 elsewhere; float32.
        rewards: Of each row, the reward of its whole episode; float32.
        advantages: Of each row, that of its episode in its group; float32.
        weights: Of each row, 1 over the number of its episode's rows, for losses that are means
            over rows. A sum over tokens needs none. float32.
        episodes: The number of each row's episode, of those that are in the batch; int64.
        groups: The number of each row's group; int64.
        env_ids: Of each row, the environment's id.
        tasks: Of each row, the task's index; int64.
        repeats: Of each row, which of the task's episodes; int64.
        policy_versions: Of each row, which weights sampled it: of its first turn, the oldest.
        truncated: Whether a limit cut the row's episode.
        cut: Whether the token limit cut one of the row's messages.
        failures: How many episodes failed, and are left out.
        empty: How many episodes ended before anything was sampled (a prompt that does not fit):
            they count in their groups, and have no row.

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
    weights: Array
    episodes: Array
    groups: Array
    env_ids: tuple[str, ...]
    tasks: Array
    repeats: Array
    policy_versions: tuple[str | None, ...]
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
    pad_id: int = 0,
    padding_side: str = "right",
) -> Batch:
    """Return the batch of some trajectories.

    Args:
        trajectories: Such as `Run.trajectories()`. Those of the same environment, arguments, seed
            and task are a group.
        advantage: How an episode's advantage follows from the rewards of its group: a name of
            `ADVANTAGES`.
        pad_id: The token that fills rows up.
        padding_side: `left` or `right`.

    Raises:
        UsageError: An argument cannot be, or a policy gave no tokens.
    """
    if advantage not in ADVANTAGES:
        raise UnknownNameError(
            f"there is no advantage {advantage!r}{did_you_mean(advantage, ADVANTAGES)}"
        )
    if padding_side not in _SIDES:
        raise UsageError(f"padding_side is left or right, not {padding_side!r}")
    played = list(trajectories)
    graded = sorted((item for item in played if not item["failure"]), key=_place)
    numbers, advantages = _group(graded, ADVANTAGES[advantage])
    rows: list[_Row] = []
    empty = 0
    for episode, trajectory in enumerate(graded):
        mine = _rows_of(trajectory)
        empty += not mine
        rows += [_Row(*parts, episode, len(mine)) for parts in mine]
    of_rows = [graded[row.episode] for row in rows]
    length = max((len(row.tokens.ids) for row in rows), default=0)
    places = [slice(length - len(row.tokens.ids), length) for row in rows]
    if padding_side == "right":
        places = [slice(len(row.tokens.ids)) for row in rows]

    def padded(kind: Any, filling: int, values: Callable[[_Row], Any]) -> Array:
        array = np.full((len(rows), length), filling, kind)
        for number, (row, place) in enumerate(zip(rows, places, strict=True)):
            array[number, place] = values(row)
        return array

    def column(kind: Any, values: Iterable[Any]) -> Array:
        return np.array(list(values), kind)

    episodes = column(np.int64, (row.episode for row in rows))
    return Batch(
        input_ids=padded(np.int64, pad_id, lambda row: row.tokens.ids),
        attention_mask=padded(np.int64, 0, lambda row: 1),
        loss_mask=padded(np.int64, 0, lambda row: row.tokens.loss_mask),
        logprobs=padded(np.float32, 0, lambda row: np.array(row.tokens.logprobs, np.float32)),
        token_rewards=padded(np.float32, 0, _token_rewards),
        rewards=column(np.float32, (item["reward"] for item in of_rows)),
        advantages=advantages[episodes].astype(np.float32),
        weights=column(np.float32, (1 / row.of for row in rows)),
        episodes=episodes,
        groups=numbers[episodes],
        env_ids=tuple(item["env_id"] for item in of_rows),
        tasks=column(np.int64, (item["task_index"] for item in of_rows)),
        repeats=column(np.int64, (item["repeat"] for item in of_rows)),
        policy_versions=tuple(row.steps[0]["policy_version"] for row in rows),
        truncated=column(bool, (item["truncated"] for item in of_rows)),
        cut=column(bool, (any(map(_was_cut, row.steps)) for row in rows)),
        failures=len(played) - len(graded),
        empty=empty,
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """A token sequence.

    Attributes:
        tokens: The sequence.
        steps: The turns that it is made of.
        episode: The number of its episode.
        of: How many rows its episode has.
    """

    tokens: Tokens
    steps: Sequence[Step]
    episode: int
    of: int


def _rows_of(trajectory: Trajectory) -> list[tuple[Tokens, list[Step]]]:
    """Return an episode's sequences, each with its turns."""
    steps = trajectory["steps"]
    if any(step["prompt_ids"] is None or step["token_ids"] is None for step in steps):
        raise UsageError(
            f"a batch is made of tokens, and {trajectory['policy']} gives none: take a policy that "
            "does, such as hf:MODEL or vllm:MODEL"
        )
    rows, before = [], 0
    for tokens in token_sequences(steps):
        turns = [it for it in steps if before <= it["message_index"] < tokens.message_count]
        rows.append((tokens, turns))
        before = tokens.message_count
    return rows


def _token_rewards(row: _Row) -> Array:
    """Return the rewards of a row's turns, each in the place of the last token of the turn."""
    rewards = np.zeros(len(row.tokens.ids), np.float32)
    for step in row.steps:
        end = len(step["prompt_ids"] or ()) + len(step["token_ids"] or ())
        rewards[end - 1 : end] += step["reward"] or 0.0
    return rewards


def _was_cut(step: Step) -> bool:
    return step["finish_reason"] == "length"


def _place(trajectory: Trajectory) -> tuple[str, str, int, int, int]:
    """Return by what a batch is sorted; all but the last, the repeat, tells the group."""
    arguments = json.dumps(trajectory["env_kwargs"], sort_keys=True)
    numbers = trajectory["seed"], trajectory["task_index"], trajectory["repeat"]
    return (trajectory["env_id"], arguments, *numbers)


def _group(
    graded: Sequence[Trajectory], advantage: Callable[[Array], Array]
) -> tuple[Array, Array]:
    """Return the number of each episode's group, and its advantage in it."""
    members: dict[Any, list[int]] = defaultdict(list)
    for number, trajectory in enumerate(graded):
        members[_place(trajectory)[:-1]].append(number)
    groups, advantages = np.zeros(len(graded), np.int64), np.zeros(len(graded))
    rewards = np.array([item["reward"] for item in graded], float)
    for group, mine in enumerate(members.values()):
        groups[mine] = group
        advantages[mine] = advantage(rewards[mine])
    return groups, advantages
