"""Callbacks for TRL's trainers.

`HistoryCallback` writes their logs, `AlarmCallback` and `FreshRatioCheck` check them, and
`PoolCheckpoints` saves a `TaskPool` with their checkpoints.

Invariants: only the start of a training run removes lines of a history; an evaluation adds lines; a
training run that is resumed has the pool of its checkpoint.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from textgym.errors import TrainingError
from textgym.task_pool import TaskPool
from textgym.training.alarm import RewardAlarm
from textgym.training.history import History

__all__ = ["AlarmCallback", "FreshRatioCheck", "HistoryCallback", "PoolCheckpoints"]

_POOL_FILE = "task_pool.json"


class HistoryCallback(TrainerCallback):  # type: ignore[misc]  # transformers is not typed here
    """Writes all figures that a trainer logs to a history; pass it in `callbacks`.

    The start of a training run removes the lines after its first step: 0, or the checkpoint's step.
    An evaluation only adds to the file.

    The figures of an evaluation are called `eval_NAME`. With several data sets, as in
    `eval_dataset={"easy": ..., "hard": ...}`, they are called `eval_easy_NAME` and
    `eval_hard_NAME`.

    TRL passes figures on to TensorBoard and Weights & Biases itself, with `report_to`.

    Args:
        path: The file; see `History`.
    """

    def __init__(self, path: str | Path) -> None:
        self._history = History(path)

    def on_train_begin(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        """Remove the lines after the step at which the training begins."""
        if state.is_world_process_zero:
            self._history.rewind(state.global_step)

    def on_log(
        self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **others: Any
    ) -> None:
        """Write the logged figures, once for all processes."""
        if not state.is_world_process_zero or not logs:
            return
        numbers = {name: value for name, value in logs.items() if isinstance(value, int | float)}
        self._history.log(state.global_step, _by_dataset(numbers), rewind=False)


class AlarmCallback(TrainerCallback):  # type: ignore[misc]  # transformers is not typed here
    """Warns when the reward rises while what it stands for falls; pass it in `callbacks`.

    A warning of a kind comes once, as a `RuntimeWarning` and as the figure `alarm/KIND` in the
    trainer's log. Pass it before `HistoryCallback`, so that the history has the figure. A training
    run that is resumed begins with the figures in its log.

    Args:
        alarm: The rule; None for `RewardAlarm()`. It is for one training.

    Example:
        >>> alarm = RewardAlarm(held_out=["rewards/strict/mean"])  # doctest: +SKIP
        >>> callbacks = [AlarmCallback(alarm), HistoryCallback("history.jsonl")]  # doctest: +SKIP
        >>> trainer = GRPOTrainer(..., callbacks=callbacks)  # doctest: +SKIP
    """

    def __init__(self, alarm: RewardAlarm | None = None) -> None:
        self._alarm = alarm or RewardAlarm()

    def on_train_begin(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        """Take the figures that were logged before the checkpoint."""
        for line in state.log_history if state.global_step else ():
            self._alarm.add(line["step"], line)

    def on_log(
        self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **others: Any
    ) -> None:
        """Add the logged figures, and warn."""
        for alarm in self._alarm.add(state.global_step, logs or {}):
            figure = {f"alarm/{alarm.kind}": 1.0}
            if logs is not None:
                logs |= figure  # of the callbacks after this one
            state.log_history[-1] |= figure
            if state.is_world_process_zero:
                warnings.warn(f"step {alarm.step}: {alarm.text}", RuntimeWarning, stacklevel=2)


class FreshRatioCheck(TrainerCallback):  # type: ignore[misc]  # transformers is not typed here
    """Ends a training run if fresh tokens do not have their recorded probabilities.

    Tokens that the present weights sampled have an importance ratio of 1. Otherwise server and
    trainer differ in their weights, chat template or precision. The root mean square of the
    difference of log probabilities is about √(2 kl), from the `kl` that the trainer logs. Steps
    with older tokens are not checked.

    Args:
        bound: The largest root mean square that is allowed.

    Example:
        >>> trainer = AsyncGRPOTrainer(..., callbacks=[FreshRatioCheck()])  # doctest: +SKIP
    """

    def __init__(self, bound: float = 0.01) -> None:
        self._bound = bound

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        """Compare what the trainer logged with the bound.

        Raises:
            TrainingError: The difference is larger.
        """
        if not logs or "kl" not in logs or logs.get("sample/staleness_max") != 0:
            return
        gap = float(2 * max(logs["kl"], 0.0)) ** 0.5
        if not gap <= self._bound:
            raise TrainingError(
                f"log probabilities of rollout and training differ by {gap:.2g} in fresh tokens "
                f"(root mean square), more than {self._bound:g}: the server must have the weights, "
                "the chat template and the precision of the trainer"
            )


class PoolCheckpoints(TrainerCallback):  # type: ignore[misc]  # transformers is not typed here
    """Saves a pool in each checkpoint of a trainer, as `task_pool.json`; pass it in `callbacks`.

    A training run that is resumed begins with the pool of the checkpoint. The checkpoint must be in
    the trainer's `output_dir`.

    Args:
        pool: The pool, which is also the `curriculum` of `Episodes`.

    Example:
        >>> pool = TaskPool()  # doctest: +SKIP
        >>> episodes = Episodes("textgym/GuessNumber-v0", curriculum=pool)  # doctest: +SKIP
        >>> trainer = GRPOTrainer(..., callbacks=[PoolCheckpoints(pool)])  # doctest: +SKIP
    """

    def __init__(self, pool: TaskPool) -> None:
        self._pool = pool

    def on_train_begin(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        """Restore the pool of the checkpoint from which training is resumed.

        Raises:
            UsageError: The checkpoint has no pool.
        """
        if state.global_step:
            self._pool.restore(_checkpoint(args, state) / _POOL_FILE)

    def on_save(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        """Save the pool, once for all processes."""
        if state.is_world_process_zero:
            self._pool.save(_checkpoint(args, state) / _POOL_FILE)


def _checkpoint(args: Any, state: Any) -> Path:
    return Path(args.output_dir) / f"checkpoint-{state.global_step}"


def _by_dataset(figures: Mapping[str, float]) -> dict[str, float]:
    """Return figures with the name of their data set.

    With several data sets, transformers logs `eval_easy_runtime` and `eval_hard_runtime`, while TRL
    logs `eval_reward` for each of them.
    """
    names = (name.removesuffix("_runtime") for name in figures if name.endswith("_runtime"))
    prefix = next(names, "eval")
    return {
        f"{prefix}_{name.removeprefix('eval_')}"
        if name.startswith("eval_") and not name.startswith(f"{prefix}_")
        else name: value
        for name, value in figures.items()
    }
