"""The rows of a data set for TRL, and episodes as samples of its batches.

TRL passes only prompts to `rollout_func`, so the first message of each prompt names its task under
the key `task`. A batch has one sample for each prompt; `EpisodesTrainer` adds the further rows of
an episode that was split.

Invariants: the tokens are those that the policy saw and sampled; an episode without a reward has a
sample without trained tokens, whose rewards are None, so that TRL leaves it out of its group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from textgym.errors import TrainingError, UsageError
from textgym.training.tasks import TaskRef
from textgym.trajectories.advantages import dr_grpo, grpo, turn_advantages
from textgym.trajectories.episode_record import describe_failure
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.tokens import TokenRow, token_rows, turns_of_tokens

__all__ = [
    "FailureStreak", "Sample", "filler_row", "gather_samples", "make_sample", "rollout_output",
    "task_of", "trl_record", "with_advantages",
]  # fmt: skip

MAX_FAILED = 8  # batches or groups in a row, before the training ends


def trl_record(task: TaskRef, text: str) -> dict[str, Any]:
    """Return a task with the columns of a data set of `Episodes`.

    Args:
        task: The task.
        text: The text that is displayed.

    Example:
        >>> trl_record(TaskRef("demo/A-v0", "test", 3), "Guess.")["prompt"]
        [{'role': 'user', 'content': 'Guess.', 'task': 'demo/A-v0 test 3'}]
    """
    return {
        "prompt": [{"role": "user", "content": text, "task": " ".join(map(str, task))}],
        "environment": task.env_id,
        "task_index": task.task_index,
        "split": task.split,
    }


def task_of(prompt: Any) -> TaskRef:
    """Return the task of a row's prompt.

    Raises:
        UsageError: The prompt is not of a data set of `Episodes`.

    Example:
        >>> task_of([{"role": "user", "content": "Guess.", "task": "demo/A-v0 test 3"}]).task_index
        3
    """
    first = prompt[0] if isinstance(prompt, list) and prompt else None
    name = first.get("task") if isinstance(first, Mapping) else None
    env_id, *others = name.rsplit(" ", 2) if isinstance(name, str) else [""]
    if len(others) != 2 or not others[1].isdigit():
        raise UsageError(
            f"a prompt names no task: {prompt!r:.100}; train on Episodes.dataset(...), because "
            "rollout_func plays the tasks of its rows"
        )
    return TaskRef(env_id, others[0], int(others[1]))


@dataclass(frozen=True, slots=True, repr=False)
class Sample:
    """An episode and its tokens.

    Attributes:
        trajectory: The episode.
        row: Its tokens, or the tokens of its first sequence.
        reward: The return; None if the episode failed or is not trained on.
        more_rows: The tokens of its other sequences.
        advantages: The advantage of each turn, with `credit="turn"`; None if TRL computes the
            advantage of the episode.
    """

    trajectory: Trajectory
    row: TokenRow
    reward: float | None
    more_rows: tuple[TokenRow, ...] = ()
    advantages: tuple[float, ...] | None = None

    @property
    def rows(self) -> list[TokenRow]:
        """All sequences of the episode."""
        return [self.row, *self.more_rows]

    @property
    def token_advantages(self) -> list[list[float]]:
        """The advantages of the completion of each sequence, 0 for tokens that are not trained on.

        They are empty without `advantages`, and for an episode without a reward.
        """
        if not self.advantages or self.reward is None:
            return [[] for _ in self.rows]
        turns = turns_of_tokens(self.trajectory["steps"])
        return [
            [
                0.0 if turn < 0 else self.advantages[turn]
                for turn in of_tokens[len(row.prompt_ids) :]
            ]
            for row, of_tokens in zip(self.rows, turns, strict=True)
        ]

    @property
    def is_dropped(self) -> bool:
        """Whether the episode was split, and so is not trained on."""
        return self.reward is None and not self.trajectory["failure"]

    def __repr__(self) -> str:
        episode, failure = self.trajectory, self.trajectory["failure"]
        outcome = f"{failure['type']}: {failure['message']:.100}" if failure else self.reward
        return f"<{episode['env_id']}, task {episode['task_index']}: {outcome}>"


def make_sample(trajectory: Trajectory, *, on_split: str, filler_id: int) -> Sample:
    """Return an episode as a sample.

    Args:
        trajectory: The episode.
        on_split: As in `Episodes`.
        filler_id: The token of a sample without tokens.

    Raises:
        UsageError: The episode was split, and `on_split` is `error`; or it has no tokens.
    """
    filler = filler_row(filler_id)
    if trajectory["failure"]:
        return Sample(trajectory, filler, None)
    rows = token_rows(trajectory)
    if len(rows) > 1 and on_split == "error":
        raise UsageError(
            f"an episode of {trajectory['env_id']} has {len(rows)} token sequences, because the "
            "chat template or a wrapper changed an earlier message, and TRL trains on one: use a "
            "template that keeps earlier turns as they were, on_split='drop', or on_split='whole' "
            "with EpisodesTrainer"
        )
    if len(rows) > 1 and on_split == "drop":
        return Sample(trajectory, filler, None)
    first, *others = rows or [filler]
    return Sample(trajectory, first, trajectory["reward"], tuple(others))


def with_advantages(
    samples: Sequence[Sample], batch: Sequence[Sample], trainer: Any
) -> list[Sample]:
    """Return samples with the advantage of each turn in its group.

    Args:
        samples: The samples of this process.
        batch: The samples of all processes.
        trainer: The trainer; it weights the reward, and `scale_rewards` says whether advantages are
            divided by the standard deviation.
    """
    weight = float(trainer.reward_weights[0])
    graded = [index for index, sample in enumerate(batch) if sample.reward is not None]
    rewards = [
        [weight * (step["reward"] or 0.0) for step in batch[index].trajectory["steps"]]
        for index in graded
    ]
    groups = np.array(graded, np.int64) // trainer.num_generations
    function = dr_grpo if trainer.scale_rewards == "none" else grpo
    values = dict(zip(graded, turn_advantages(groups, rewards, function), strict=True))
    first = trainer.accelerator.process_index * len(samples)
    return [
        replace(sample, advantages=tuple(map(float, values.get(index, ()))))
        for index, sample in enumerate(samples, first)
    ]


def filler_row(token_id: int) -> TokenRow:
    """Return a row of one token that is not trained on."""
    return TokenRow([token_id], [token_id], [0], [0.0])


class FailureStreak:
    """Ends a training run whose episodes all fail.

    Args:
        unit: The unit in which episodes are counted, such as `batches`.
    """

    def __init__(self, unit: str) -> None:
        self._unit, self._length = unit, 0

    def add(self, trajectories: Sequence[Trajectory]) -> bool:
        """Return whether all episodes of the next unit failed.

        Raises:
            TrainingError: They did in `MAX_FAILED` units in a row.
        """
        failures = [trajectory["failure"] for trajectory in trajectories if trajectory["failure"]]
        all_failed = len(failures) == len(trajectories)
        self._length = self._length + 1 if all_failed else 0
        if self._length >= MAX_FAILED:
            raise TrainingError(
                f"all episodes of {MAX_FAILED} {self._unit} in a row have failed, the last by "
                f"{describe_failure(failures[-1])}"
            )
        return all_failed


def gather_samples(samples: Sequence[Sample]) -> list[Sample]:
    """Return the samples of all processes of a training run, in the order of the batch.

    They have only what rewards and figures need, without conversations, prompts and rows. Every
    process of the training must call it.

    Args:
        samples: The samples of this process.
    """
    from accelerate.utils import gather_object

    gathered: list[Sample] = gather_object([_without_texts(sample) for sample in samples])
    return gathered


def _without_texts(sample: Sample) -> Sample:
    empty = TokenRow([], [], [], [])
    steps = [{**step, "prompt_ids": None} for step in sample.trajectory["steps"]]
    light: Any = {**sample.trajectory, "messages": [], "tools": [], "steps": steps}
    return replace(sample, trajectory=light, row=empty, more_rows=(empty,) * len(sample.more_rows))


def rollout_output(samples: Sequence[Sample]) -> dict[str, list[Any]]:
    """Return samples as TRL's `rollout_func` does; reward functions get them as `episode`."""
    return {
        "prompt_ids": [sample.row.prompt_ids for sample in samples],
        "completion_ids": [sample.row.completion_ids for sample in samples],
        "logprobs": [sample.row.logprobs for sample in samples],
        "env_mask": [sample.row.completion_mask for sample in samples],
        "episode": list(samples),
    }
