"""`HistoryCallback`: what TRL's trainer logs, as a history."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from textgym.training.history import History

__all__ = ["HistoryCallback"]


class HistoryCallback(TrainerCallback):  # type: ignore[misc]  # transformers is not typed here
    """Writes all figures that a trainer logs to a history; pass it in `callbacks`.

    TRL passes them on to TensorBoard and Weights & Biases itself, with `report_to`.

    Args:
        path: The file; see `History`.
    """

    def __init__(self, path: str | Path) -> None:
        self._history = History(path)

    def on_log(
        self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **others: Any
    ) -> None:
        """Write what is logged, once for all processes."""
        if not state.is_world_process_zero or not logs:
            return
        figures = {name: value for name, value in logs.items() if isinstance(value, int | float)}
        self._history.log(state.global_step, figures)
