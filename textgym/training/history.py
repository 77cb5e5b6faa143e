"""`History`: the figures of a training run, step by step, in a file of JSON lines.

Invariants: a line is written whole or not at all, so a history can be read after a kill or on a
full disk; lines are removed only when a training run goes back to an earlier step.
"""

from __future__ import annotations

import json
import math
import operator
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from textgym.errors import ExtraMissingError, UsageError

__all__ = ["History", "read_history"]

_START = b'{"step": '  # of each line


class History:
    """Writes figures to a file, and passes them on to TensorBoard and Weights & Biases.

    An existing history is continued. If the training goes back to an earlier step, such as the step
    of a checkpoint, the lines from that step on are replaced. TensorBoard hides its figures of
    these steps. Weights & Biases keeps both, and draws figures by the figure `step`.

    A file has one writer at a time: two writers may remove each other's lines.

    Args:
        path: The file, such as `history.jsonl`. Its folder is made.
        tensorboard: The folder of TensorBoard's event files, which need the package `tensorboard`
            and torch.
        wandb: A run of Weights & Biases, as `wandb.init()` returns it.

    Raises:
        UsageError: The file is not a history.
        ExtraMissingError: `tensorboard` is passed, and TensorBoard is not installed.

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
        self._line: dict[str, Any] = {}  # the last line that this object wrote
        self._last = _last_step(self._repair())
        self._events = tensorboard
        self._tensorboard = None if tensorboard is None else _summary_writer(tensorboard)
        self._wandb = wandb
        if wandb is not None:  # its own steps cannot go back
            wandb.define_metric("*", step_metric="step")

    def log(self, step: int, figures: Mapping[str, float], *, rewind: bool = True) -> None:
        """Write the figures of a step.

        Args:
            step: The number of the step. Several calls for the same step write one line.
            figures: The figures by name: numbers, or arrays and tensors of one number. Values that
                are not finite are written as null.
            rewind: Whether a step that is not after the last one replaces the lines from it on. If
                not, its line is added at the end.

        Raises:
            UsageError: The step is not an integer, a figure is not a number, or its name is `step`.
            OSError: The file cannot be written. It can be read, and has no line of this call.
        """
        step = _integer(step)
        figures = {name: _number(name, value) for name, value in figures.items()}
        line: dict[str, Any] = {"step": step}
        for name, value in figures.items():
            line[name] = value if math.isfinite(value) else None
        if self._line.get("step") == step:
            line = self._line | line
            lines = read_history(self.path)
            if self._line in lines:
                del lines[len(lines) - 1 - lines[::-1].index(self._line)]
            self._write([*lines, line])
        else:
            if rewind:
                self.rewind(step - 1)
            self._append(line)
        self._last, self._line = max(self._last, step), line
        if self._tensorboard is not None:
            for name, value in figures.items():
                self._tensorboard.add_scalar(name, value, step)
            self._tensorboard.flush()
        if self._wandb is not None:
            self._wandb.log({"step": step, **figures})

    def rewind(self, step: int) -> None:
        """Remove the lines after the step from which a training run continues.

        Args:
            step: The last step that is kept.

        Raises:
            UsageError: The step is not an integer.

        Example:
            >>> import tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     history = History(f"{folder}/history.jsonl")
            ...     for step in range(1, 5):
            ...         history.log(step, {"reward": step / 4})
            ...     history.rewind(1)
            ...     read_history(history.path)
            [{'step': 1, 'reward': 0.25}]
        """
        step = _integer(step)
        if step >= self._last:
            return
        lines = [line for line in read_history(self.path) if line["step"] <= step]
        self._write(lines)
        self._line, self._last = {}, _last_step(lines)
        if self._events is not None:
            self.close()
            self._tensorboard = _summary_writer(self._events, purge_step=step + 1)

    def close(self) -> None:
        """Close TensorBoard's files, but do not finish the run of Weights & Biases."""
        if self._tensorboard is not None:
            self._tensorboard.close()

    def __enter__(self) -> History:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _repair(self) -> list[dict[str, Any]]:
        """Remove an incomplete last line; return the complete lines."""
        if not self.path.exists():
            return []
        lines = read_history(self.path)
        written = self.path.read_bytes()
        end = written.rfind(b"\n") + 1  # of the complete lines
        if not _START.startswith(written[end:][: len(_START)]):
            raise UsageError(f"{self.path} is not a history file: its last line is malformed")
        os.truncate(self.path, end)
        return lines

    def _append(self, line: dict[str, Any]) -> None:
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError:
            self._repair()
            raise

    def _write(self, lines: Sequence[dict[str, Any]]) -> None:
        """Replace the file at once, so that it is complete at any time."""
        new = self.path.with_name(self.path.name + ".new")
        try:
            new.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            new.replace(self.path)
        finally:
            new.unlink(missing_ok=True)


def read_history(path: str | Path) -> list[dict[str, Any]]:
    """Return the lines of a history, in the order of the file.

    Args:
        path: The file. An incomplete last line, which a kill may leave, is ignored.

    Raises:
        UsageError: The file cannot be read, or another line is malformed.
    """
    try:
        texts = Path(path).read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise UsageError(f"the history {str(path)!r} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not a history file: it is not text") from None
    lines = list[dict[str, Any]]()
    for number, text in enumerate(texts[:-1], 1):  # whole lines end in a newline
        try:
            line = json.loads(text)
        except ValueError:
            line = None
        if not isinstance(line, dict) or type(line.get("step")) is not int:
            raise UsageError(f"{path}, line {number}: not a line of a history file: {text!r:.80}")
        lines.append(line)
    return lines


def _last_step(lines: Sequence[dict[str, Any]]) -> float:
    """Return the largest step, or minus infinity if there is none."""
    return max((line["step"] for line in lines), default=-math.inf)


def _integer(step: Any) -> int:
    """Return a step as a Python integer.

    Raises:
        UsageError: It is not an integer.
    """
    try:
        number = operator.index(step)
    except TypeError:
        number = None
    if number is None or isinstance(step, bool):
        raise UsageError(f"the step must be an integer, not {step!r:.80}")
    return number


def _number(name: str, value: Any) -> float:
    """Return a figure as a Python number, including from NumPy and torch.

    Raises:
        UsageError: It is not a number, or its name is `step`.
    """
    try:
        number = value.item() if hasattr(value, "item") else value
    except (ValueError, RuntimeError):  # an array or a tensor of several numbers
        number = None
    if name == "step" or not isinstance(number, int | float) or _is_too_large(number):
        raise UsageError(f"the figure {name!r} must be a number, and not be called step")
    figure: float = number
    return figure


def _is_too_large(number: float) -> bool:
    """Return whether a number is an integer beyond the range of a float."""
    return isinstance(number, int) and abs(number) > sys.float_info.max


def _summary_writer(folder: str | Path, purge_step: int | None = None) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise ExtraMissingError(
            "TensorBoard's event files need torch and the package tensorboard: pip install "
            "tensorboard"
        ) from None
    return SummaryWriter(str(folder), purge_step=purge_step)
