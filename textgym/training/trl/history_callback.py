"""`HistoryCallback`: what TRL's trainer logs, as a history.

Invariant: only a training that begins removes lines; an evaluation adds to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from textgym.training.history import History

__all__ = ["HistoryCallback"]


class HistoryCallback(TrainerCallback):  # type: ignore[misc]  # transformers is not typed here
    """Writes all figures that a trainer logs to a history; pass it in `callbacks`.

    When a training begins, the lines after the step at which it begins are removed: 0, or that of
    the checkpoint. An evaluation only adds to the file.

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
        """Write what is logged, once for all processes."""
        if not state.is_world_process_zero or not logs:
            return
        numbers = {name: value for name, value in logs.items() if isinstance(value, int | float)}
        self._history.log(state.global_step, _by_dataset(numbers), rewind=False)


def _by_dataset(figures: Mapping[str, float]) -> dict[str, float]:
    """Return figures whose names say of which data set they are.

    Of two data sets, transformers calls its own figures `eval_easy_runtime` and
    `eval_hard_runtime`, while TRL calls those of both `eval_reward`.
    """
    names = (name.removesuffix("_runtime") for name in figures if name.endswith("_runtime"))
    prefix = next(names, "eval")
    return {
        f"{prefix}_{name.removeprefix('eval_')}"
        if name.startswith("eval_") and not name.startswith(f"{prefix}_")
        else name: value
        for name, value in figures.items()
    }
