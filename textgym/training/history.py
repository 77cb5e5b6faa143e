"""`History`: the figures of a training, step by step, in a file of JSON lines.

Invariants: a line is written whole or not at all, so a training that is killed leaves a history
that can be read; each step has one line, also after a restart from an earlier step.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textgym.errors import ExtraMissingError, UsageError

__all__ = ["History", "read_history"]


class History:
    """Writes figures to a file, and passes them on to TensorBoard and Weights & Biases.

    A history that exists is continued. If the training went back to an earlier step, such as that
    of a checkpoint, the lines from that step on are replaced when it is logged.

    Args:
        path: The file, `history.jsonl` for example. Its folder is made.
        tensorboard: The folder of TensorBoard's event files; it needs the package `tensorboard`
            and torch.
        wandb: A run of Weights & Biases, as `wandb.init()` returns it.

    Raises:
        ExtraMissingError: TensorBoard is asked for and not installed.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with History(f"{folder}/history.jsonl") as history:
        ...         history.log(1, {"reward": 0.25})
        ...         history.log(2, {"reward": 0.5})
        ...     read_history(history.path)
        [{'step': 1, 'reward': 0.25}, {'step': 2, 'reward': 0.5}]
    """

    def __init__(
        self, path: str | Path, *, tensorboard: str | Path | None = None, wandb: Any = None
    ) -> None:
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._line: dict[str, Any] = {}  # the last one that this object wrote
        self._last = self._repair()
        self._tensorboard = None if tensorboard is None else _summary_writer(tensorboard)
        self._wandb = wandb

    def log(self, step: int, figures: Mapping[str, float]) -> None:
        """Write the figures of a step.

        Args:
            step: The number of the step. Figures of one step may come in several calls; they are
                in one line.
            figures: The figures by name: numbers, or arrays and tensors of one number. Values that
                are not finite are written as null.

        Raises:
            UsageError: A figure is not a number, or is called `step`.
        """
        figures = {name: _number(name, value) for name, value in figures.items()}
        line: dict[str, Any] = {"step": step}
        for name, value in figures.items():
            line[name] = value if math.isfinite(value) else None
        if self._line.get("step") == step:
            line = self._line | line
        if self._last is not None and step <= self._last:
            self._write([earlier for earlier in read_history(self.path) if earlier["step"] < step])
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        self._last, self._line = step, line
        if self._tensorboard is not None:
            for name, value in figures.items():
                self._tensorboard.add_scalar(name, value, step)
            self._tensorboard.flush()
        if self._wandb is not None:
            self._wandb.log(dict(figures), step=step)

    def close(self) -> None:
        """Close TensorBoard's files. The run of Weights & Biases is yours to finish."""
        if self._tensorboard is not None:
            self._tensorboard.close()

    def __enter__(self) -> History:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _repair(self) -> int | None:
        """Remove a last line that was cut; return the last step."""
        lines = read_history(self.path) if self.path.exists() else []
        if self.path.exists() and not self.path.read_bytes().endswith(b"\n"):
            self._write(lines)
        return lines[-1]["step"] if lines else None

    def _write(self, lines: list[dict[str, Any]]) -> None:
        """Replace the file, so that it is never there in part."""
        new = self.path.with_name(self.path.name + ".new")
        new.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        new.replace(self.path)


def read_history(path: str | Path) -> list[dict[str, Any]]:
    """Return the lines of a history, by step.

    Args:
        path: The file. A last line that a kill has cut is left out.

    Raises:
        UsageError: There is no such file, or another line is not a line of a history.
    """
    try:
        texts = Path(path).read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise UsageError(f"the history {str(path)!r} cannot be read: {error.strerror}") from None
    lines = []
    for number, text in enumerate(texts[:-1], 1):  # whole lines end in a newline
        try:
            line = json.loads(text)
        except ValueError:
            line = None
        if not isinstance(line, dict) or not isinstance(line.get("step"), int):
            raise UsageError(f"{path}, line {number}: not a line of a history: {text!r:.80}")
        lines.append(line)
    return lines


def _number(name: str, value: Any) -> float:
    """Return a figure as a number; numbers of NumPy and torch become Python's own.

    Raises:
        UsageError: It is not a number, or is called `step`.
    """
    try:
        number = value.item() if hasattr(value, "item") else value
    except (ValueError, RuntimeError):  # an array or a tensor of several numbers
        number = None
    if name == "step" or not isinstance(number, int | float):
        raise UsageError(f"a figure must be a number by another name than step: {name!r}")
    known: float = number
    return known


def _summary_writer(folder: str | Path) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise ExtraMissingError(
            "TensorBoard's event files need torch and the package tensorboard: pip install "
            "tensorboard"
        ) from None
    return SummaryWriter(str(folder))
