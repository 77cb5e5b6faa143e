"""A run's folder: `run.json` (what was asked), `trajectories.jsonl`, `metrics.json`.

What always holds: one run at a time writes to a folder, for it locks `run.json`; a line of
`trajectories.jsonl` is whole or absent, for a last line without its end is dropped, by who reads
and by who goes on; the other files change whole.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import math
import mmap
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from textgym.errors import RunError
from textgym.trajectories.data_digests import changed_data
from textgym.trajectories.schema import SCHEMA_VERSION, Trajectory

__all__ = ["RunFolder", "as_stored", "line_of", "read_asked", "read_trajectories"]

_READABLE = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
_DEEPEST = 200  # lists and objects within one another, which every reader can read
_LONG_NUMBER = re.compile(rb"[0-9]{19}")
_NO_LOCKS_HERE = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)  # some network file systems


class RunFolder:
    """The folder of one run, which it alone writes to until it is closed.

    Args:
        path: A folder that does not exist, or holds no run, or (with `resume`) holds the same run.
        asked: What was asked, as JSON can hold it.
        resume: Go on with the run that the folder holds.

    Raises:
        RunError: The folder holds a run already, another one than asked, is being written to, or
            cannot be written. What it holds is as it was.

    Attributes:
        path: The folder.
    """

    def __init__(
        self, path: str | os.PathLike[str], asked: Mapping[str, Any], resume: bool = False
    ) -> None:
        self.path = Path(path)
        self._asked = as_stored(asked)
        with contextlib.ExitStack() as undo:
            try:
                self.path.mkdir(parents=True, exist_ok=True)
                run = os.open(self.path / "run.json", os.O_RDWR | os.O_CREAT, 0o644)
                self._run_file = undo.enter_context(os.fdopen(run, "r+b", buffering=0))
                self._lock()
                self._begin(self._run_file.read(), resume)
                flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
                self._file = os.open(self.path / "trajectories.jsonl", flags, 0o644)
            except OSError as error:
                raise self._cannot_write(error) from error
            undo.pop_all()

    def _lock(self) -> None:
        """Lock the folder against other runs; the lock ends with this process at the latest."""
        try:
            fcntl.flock(self._run_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunError(
                f"another run is writing to {str(self.path)!r}: wait for its end, or name another "
                "folder"
            ) from None
        except OSError as error:
            if error.errno not in _NO_LOCKS_HERE:
                raise

    def _begin(self, held: bytes, resume: bool) -> None:
        """Write what is asked into a fresh folder, or compare it with what the folder holds."""
        file = self.path / "trajectories.jsonl"
        if not _is_whole(held):  # a run that never began leaves run.json empty or torn
            if file.exists() and file.stat().st_size:
                raise RunError(
                    f"{str(self.path)!r} holds trajectories, but no run.json to tell whose"
                )
            self._run_file.seek(0)
            self._run_file.truncate()
            _write_whole(
                self._run_file.fileno(), json.dumps(self._asked, indent=2).encode() + b"\n"
            )
        elif not resume:
            raise RunError(f"{str(self.path)!r} holds a run already: name another folder or resume")
        else:
            self._compare(json.loads(held))
            _drop_torn_line(file)

    def _compare(self, held: Any) -> None:
        if not isinstance(held, dict):
            raise RunError(f"{str(self.path / 'run.json')!r} is no object")
        for key in dict.fromkeys([*self._asked, *held]):
            was, now = held.get(key), self._asked.get(key)
            if was == now:
                continue
            if key == "data":
                raise self._other_data(was, now)
            if key in ("version", "textgym"):
                what = "the schema" if key == "version" else "textgym"
                raise RunError(
                    f"{str(self.path)!r} was written by version {json.dumps(was)} of {what}, and "
                    f"this is {json.dumps(now)}: go on with that version, or name another folder"
                )
            raise RunError(
                f"{str(self.path)!r} holds another run: its {key} is {json.dumps(was)}, "
                f"not {json.dumps(now)}"
            )

    def _other_data(self, was: Any, now: Any) -> RunError:
        """Return the error for a run whose data sets do not hold what they held."""
        changed = changed_data(was, now)
        if not changed:
            return RunError(
                f"{str(self.path / 'run.json')!r} does not tell what the run's data sets held, so "
                "nobody can say whether they still do: name another folder"
            )
        return RunError(
            f"{str(self.path)!r} was played with another content of {changed[0]!r} than it has "
            "now: put it back as it was, or name another folder"
        )

    def add(self, trajectory: Trajectory) -> None:
        """Write one trajectory.

        Raises:
            RunError: It cannot be written; the file is as it was.
        """
        try:
            _write_whole(self._file, line_of(trajectory))
        except OSError as error:
            raise self._cannot_write(error) from error

    def forget(self, keep: Callable[[Trajectory], bool]) -> None:
        """Write the file anew with the trajectories to keep; a kill leaves the one or the other.

        Raises:
            RunError: It cannot be written; the file is as it was.
        """
        new = self.path / "trajectories.jsonl.new"
        try:
            with new.open("wb") as kept:
                for line, trajectory in _lines(self.path):
                    if keep(trajectory):
                        kept.write(line)
            file = os.open(new, os.O_WRONLY | os.O_APPEND)
            new.replace(self.path / "trajectories.jsonl")
        except OSError as error:
            new.unlink(missing_ok=True)
            raise self._cannot_write(error) from error
        os.close(self._file)
        self._file = file

    def finish(self, metrics: dict[str, Any]) -> None:
        """Write the metrics.

        Raises:
            RunError: They cannot be written; the trajectories are there.
        """
        new = self.path / "metrics.json.new"
        try:
            new.write_bytes(orjson.dumps(metrics, option=_READABLE))
            new.replace(self.path / "metrics.json")
        except OSError as error:
            new.unlink(missing_ok=True)
            raise self._cannot_write(error) from error

    def close(self) -> None:
        """Close the folder's files, and with them the lock."""
        os.close(self._file)
        self._run_file.close()

    def _cannot_write(self, error: OSError) -> RunError:
        return RunError(f"cannot write to {str(self.path)!r}: {error.strerror}")


def _write_whole(file: int, content: bytes) -> None:
    """Add content to the end of a file, or nothing."""
    rest, written = memoryview(content), 0
    try:
        while written < len(rest):
            written += os.write(file, rest[written:])
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(file, os.fstat(file).st_size - written)
        raise


def read_asked(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what a run's `run.json` holds; nothing where there is none, or no object."""
    held: Any = None
    with contextlib.suppress(OSError, ValueError):
        held = json.loads((Path(path) / "run.json").read_bytes())
    return held if isinstance(held, dict) else {}


def read_trajectories(path: str | os.PathLike[str]) -> Iterator[Trajectory]:
    """Give a run's trajectories in the order in which they finished.

    Raises:
        RunError: The folder holds no run, or one of another version of the schema.
    """
    return (trajectory for _, trajectory in _lines(path))


def _lines(path: str | os.PathLike[str]) -> Iterator[tuple[bytes, Trajectory]]:
    file = Path(path) / "trajectories.jsonl"
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if line.endswith(b"\n"):  # else a last line that was torn
                    yield line, _read_line(line, f"line {number} of {str(file)!r}")
    except OSError as error:
        raise RunError(f"{str(path)!r} holds no run: {error.strerror}") from error


def _read_line(line: bytes, where: str) -> Trajectory:
    try:
        trajectory: Trajectory = _decode(line)
        trajectory["env_id"], trajectory["task_index"], trajectory["repeat"]
        version = trajectory["version"]
    except (ValueError, TypeError, KeyError) as error:
        raise RunError(f"{where} is broken: {type(error).__name__}: {error}") from None
    if version != SCHEMA_VERSION:
        raise RunError(
            f"{where} is of version {version!r} of the schema, and this textgym reads "
            f"{SCHEMA_VERSION}: read it with the version that wrote it"
        )
    return trajectory


def _decode(line: bytes) -> Any:
    if not _LONG_NUMBER.search(line):  # orjson would round it
        with contextlib.suppress(ValueError):
            return orjson.loads(line)
    return json.loads(line)  # which also reads half a surrogate pair


def line_of(value: Any) -> bytes:
    """Return the line as which a trajectory, or another value, is stored."""
    try:
        return orjson.dumps(value, default=_plain, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # half a surrogate pair, a number of more than 64 bits, an odd key, a circle
        return (json.dumps(_storable(value)) + "\n").encode()


def as_stored(value: Any) -> Any:
    """Return a value as it is read again once it was stored.

    Example:
        >>> as_stored([{"price": np.float64(0.5), 3: (1, 2)}])
        [{'price': 0.5, '3': [1, 2]}]
    """
    return _decode(line_of(value))


def _plain(value: Any) -> Any:
    """Give NumPy's numbers as numbers, and what JSON does not know as a text."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    try:
        return repr(value)
    except Exception:
        return f"({type(value).__name__})"


def _storable(value: Any, around: tuple[int, ...] = ()) -> Any:
    """Return a value as JSON can hold it: keys become texts, and what has no end is cut."""
    if isinstance(value, float) and not math.isfinite(value):
        return None  # which is what orjson writes
    if value is None or isinstance(value, (str, int, float)):
        return value
    if not isinstance(value, (dict, list, tuple)):
        return _storable(_plain(value), around)
    if id(value) in around or len(around) == _DEEPEST:
        return "..."
    around = (*around, id(value))
    if isinstance(value, dict):
        return {_key(name): _storable(item, around) for name, item in value.items()}
    return [_storable(item, around) for item in value]


def _key(name: Any) -> str:
    return name if isinstance(name, str) else str(_plain(name))


def _is_whole(held: bytes) -> bool:
    """Tell whether a run.json was written to its end."""
    try:
        json.loads(held)
    except ValueError:
        return False
    return True


def _drop_torn_line(file: Path) -> None:
    """Cut off a last line that has no end."""
    if not file.exists() or not file.stat().st_size:
        return
    with file.open("rb+") as data:
        with mmap.mmap(data.fileno(), 0, access=mmap.ACCESS_READ) as content:
            end = content.rfind(b"\n") + 1
        data.truncate(end)
