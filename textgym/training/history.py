"""`History`: the figures of a training, step by step, in a file of JSON lines.

Invariants: a line is written whole or not at all, so a kill or a full disk leaves a history that
can be read; lines are removed only when a training goes back to an earlier step.
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

    A history that exists is continued. If the training goes back to an earlier step, such as that
    of a checkpoint, its lines from that step on are replaced. TensorBoard hides what it has of
    these steps. Weights & Biases keeps both; it has the steps as a figure `step`, by which it draws
    the others.

    A file has one writer at a time: of two, one may remove the lines of the other.

    Args:
        path: The file, `history.jsonl` for example. Its folder is made.
        tensorboard: The folder of TensorBoard's event files; it needs the package `tensorboard`
            and torch.
        wandb: A run of Weights & Biases, as `wandb.init()` returns it.

    Raises:
        UsageError: The file is not a history.
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
        self._last = _last_step(self._repair())
        self._events = tensorboard
        self._tensorboard = None if tensorboard is None else _summary_writer(tensorboard)
        self._wandb = wandb
        if wandb is not None:  # its own steps cannot go back
            wandb.define_metric("*", step_metric="step")

    def log(self, step: int, figures: Mapping[str, float], *, rewind: bool = True) -> None:
        """Write the figures of a step.

        Args:
            step: The number of the step. Figures of one step may come in several calls; they are
                in one line.
            figures: The figures by name: numbers, or arrays and tensors of one number. Values that
                are not finite are written as null.
            rewind: Whether a step at or before the last one replaces the lines from it on. Without
                it, the line is added after the others.

        Raises:
            UsageError: The step is not an integer, or a figure is not a number or is called `step`.
            OSError: The file cannot be written. It has no line of this call, and can be read.
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
        """Remove the lines after a step, at which a training begins again.

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
        """Close TensorBoard's files. The run of Weights & Biases is yours to finish."""
        if self._tensorboard is not None:
            self._tensorboard.close()

    def __enter__(self) -> History:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _repair(self) -> list[dict[str, Any]]:
        """Remove a last line that was cut; return the whole lines."""
        if not self.path.exists():
            return []
        lines = read_history(self.path)
        written = self.path.read_bytes()
        whole = written.rfind(b"\n") + 1
        if not _START.startswith(written[whole:][: len(_START)]):
            raise UsageError(f"{self.path} is not a history: its end is no line of one")
        os.truncate(self.path, whole)
        return lines

    def _append(self, line: dict[str, Any]) -> None:
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError:
            self._repair()
            raise

    def _write(self, lines: Sequence[dict[str, Any]]) -> None:
        """Replace the file, so that it is never there in part."""
        new = self.path.with_name(self.path.name + ".new")
        try:
            new.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            new.replace(self.path)
        finally:
            new.unlink(missing_ok=True)


def read_history(path: str | Path) -> list[dict[str, Any]]:
    """Return the lines of a history, in the order of the file.

    Args:
        path: The file. A last line that a kill has cut is left out.

    Raises:
        UsageError: There is no such file, or another line is not a line of a history.
    """
    try:
        texts = Path(path).read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise UsageError(f"the history {str(path)!r} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not a history: it is not text") from None
    lines = list[dict[str, Any]]()
    for number, text in enumerate(texts[:-1], 1):  # whole lines end in a newline
        try:
            line = json.loads(text)
        except ValueError:
            line = None
        if not isinstance(line, dict) or type(line.get("step")) is not int:
            raise UsageError(f"{path}, line {number}: not a line of a history: {text!r:.80}")
        lines.append(line)
    return lines


def _last_step(lines: Sequence[dict[str, Any]]) -> float:
    """Return the largest step, or minus infinity if there is none."""
    return max((line["step"] for line in lines), default=-math.inf)


def _integer(step: Any) -> int:
    """Return a step as Python's own integer.

    Raises:
        UsageError: It is not an integer.
    """
    try:
        number = operator.index(step)
    except TypeError:
        number = None
    if number is None or isinstance(step, bool):
        raise UsageError(f"a step of a history must be an integer, not {step!r:.80}")
    return number


def _number(name: str, value: Any) -> float:
    """Return a figure as a number; numbers of NumPy and torch become Python's own.

    Raises:
        UsageError: It is not a number, or is called `step`.
    """
    try:
        number = value.item() if hasattr(value, "item") else value
    except (ValueError, RuntimeError):  # an array or a tensor of several numbers
        number = None
    if name == "step" or not isinstance(number, int | float) or _is_too_large(number):
        raise UsageError(f"a figure must be a number by another name than step: {name!r}")
    known: float = number
    return known


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
