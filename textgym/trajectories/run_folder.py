"""A run's folder: `run.json` (the run's configuration), `trajectories.jsonl`, `metrics.json`.

Invariants: only one run at a time writes to a folder, because it locks `run.json`; a line of
`trajectories.jsonl` is complete or absent, because readers and resumed runs drop a last line that
has no line end; the other files are replaced as a whole. Pictures, sound and video are files of
their own, see `media`. Readers of a large run add an index, `trajectories.idx`: see
`textgym.metrics.run_index`.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import itertools
import json
import mmap
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from textgym.errors import RunError
from textgym.json_values import decode_line, encode_line, json_round_trip
from textgym.trajectories.media import copy_media, restore_media, store_media
from textgym.trajectories.schema import SCHEMA_VERSION, Trajectory
from textgym.trajectories.task_identity import check_same_run

__all__ = [
    "FolderInUseError", "RunFolder", "open_trajectories", "read_config", "read_line", "read_lines",
    "read_trajectories", "refuse_used_folder",
]  # fmt: skip

_INDENTED = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
_VERSION_WITHOUT_TRACEBACKS = 1
_LOCKS_UNSUPPORTED = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)  # some network file systems


class FolderInUseError(RunError):
    """A folder that another run is writing to."""


class RunFolder:
    """The folder of one run, locked against other runs until it is closed.

    Args:
        path: A folder that does not exist, or holds no run, or (with `resume`) holds the same run.
        config: The run's configuration, as JSON values.
        resume: Resume the run in the folder.

    Raises:
        RunError: The folder already holds a run, or holds a run that is not the one to resume, or
            is being written to, or cannot be written. Its files are unchanged.

    Attributes:
        path: The folder.
    """

    def __init__(
        self, path: str | os.PathLike[str], config: Mapping[str, Any], resume: bool = False
    ) -> None:
        self.path = Path(path)
        self._config = json_round_trip(config)
        with contextlib.ExitStack() as undo:
            try:
                self.path.mkdir(parents=True, exist_ok=True)
                run = os.open(self.path / "run.json", os.O_RDWR | os.O_CREAT, 0o644)
                self._run_file = undo.enter_context(os.fdopen(run, "r+b", buffering=0))
                self._lock()
                self._write_or_compare_config(self._run_file.read(), resume)
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
            raise FolderInUseError(
                f"another run is writing to {str(self.path)!r}: wait for its end, or name another "
                "folder"
            ) from None
        except OSError as error:
            if error.errno not in _LOCKS_UNSUPPORTED:
                raise

    def _write_or_compare_config(self, stored: bytes, resume: bool) -> None:
        """Write `run.json` in a new folder; compare it if a run is resumed."""
        file = self.path / "trajectories.jsonl"
        if not _is_json(stored):  # a run that was killed at its start leaves it empty or incomplete
            if file.exists() and file.stat().st_size:
                raise RunError(
                    f"{str(self.path)!r} holds trajectories, but its run.json is missing"
                )
            self._run_file.seek(0)
            self._run_file.truncate()
            _append_or_undo(
                self._run_file.fileno(), json.dumps(self._config, indent=2).encode() + b"\n"
            )
        elif not resume:
            raise _used(self.path)
        else:
            check_same_run(self.path, json.loads(stored), self._config)
            _drop_incomplete_line(file)

    def add(self, trajectory: Trajectory) -> None:
        """Append one trajectory.

        Raises:
            RunError: It cannot be written; the file is unchanged.
        """
        self.add_line(encode_line(trajectory))

    def add_line(self, line: bytes) -> None:
        """Append one trajectory that `encode_line` has made a line.

        Raises:
            RunError: It cannot be written; the file is unchanged.
        """
        try:  # without `_reported`, which costs more
            _append_or_undo(self._file, store_media(line, self.path))
        except OSError as error:
            raise self._cannot_write(error) from error

    def flush(self) -> None:
        """Return when what was added is on the disk, or on the server of a network file system.

        Raises:
            RunError: It cannot be written.
        """
        with self._reported():
            os.fsync(self._run_file.fileno())
            os.fsync(self._file)

    def rewrite(self, keep: Iterable[bool]) -> None:
        """Replace the file by one with only some of the trajectories, atomically.

        Args:
            keep: For each trajectory, whether it is kept.

        Raises:
            RunError: The new file cannot be written; the old one is unchanged.
        """
        with self._reported(), (self.path / "trajectories.jsonl").open("rb") as lines:
            self._replace(itertools.compress(lines, keep), "trajectories.jsonl.new")

    def replace_stored(self, lines: Iterable[tuple[bytes, Path]]) -> None:
        """Replace the file by lines of several runs, with the files that they name, atomically.

        Args:
            lines: Each line, and the folder of its run.

        Raises:
            RunError: They cannot be written, or a file is missing; `trajectories.jsonl` is
                unchanged.
        """

        def copied() -> Iterator[bytes]:
            for line, folder in lines:
                copy_media(line, folder, self.path)
                yield line

        with self._reported():
            # A draft of its own: not all network file systems have locks.
            self._replace(copied(), f"trajectories.jsonl.{uuid.uuid4().hex}.new")

    def _replace(self, lines: Iterable[bytes], draft: str) -> None:
        held, new = self.path / "trajectories.jsonl", self.path / draft
        try:
            with new.open("wb") as output:
                output.writelines(lines)
            file = os.open(new, os.O_WRONLY | os.O_APPEND)
            new.replace(held)
        except BaseException:
            new.unlink(missing_ok=True)
            raise
        os.close(self._file)
        self._file = file

    @contextlib.contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise self._cannot_write(error) from error

    def write_metrics(self, metrics: dict[str, Any]) -> None:
        """Write `metrics.json`.

        Raises:
            RunError: It cannot be written; the trajectories are not affected.
        """
        new = self.path / "metrics.json.new"
        try:
            new.write_bytes(orjson.dumps(metrics, option=_INDENTED))
            new.replace(self.path / "metrics.json")
        except OSError as error:
            new.unlink(missing_ok=True)
            raise self._cannot_write(error) from error

    def close(self) -> None:
        """Close the folder's files, which releases the lock."""
        os.close(self._file)
        self._run_file.close()

    def _cannot_write(self, error: OSError) -> RunError:
        return RunError(f"cannot write to {str(self.path)!r}: {error.strerror}")


def refuse_used_folder(path: str | os.PathLike[str]) -> None:
    """Refuse a folder that holds a run, or is a file, before a model is loaded for a new run.

    Raises:
        RunError: The folder cannot hold a new run.
    """
    try:
        with (Path(path) / "run.json").open("r+b") as file:
            if _is_json(file.read()):
                raise _used(Path(path))
    except FileNotFoundError:
        return
    except OSError as error:
        raise RunError(f"cannot write to {str(path)!r}: {error.strerror}") from error


def _used(path: Path) -> RunError:
    return RunError(f"{str(path)!r} holds a run already: name another folder or resume")


def _append_or_undo(file: int, content: bytes) -> None:
    """Append all of the content to a file, or nothing."""
    rest, written = memoryview(content), 0
    try:
        while written < len(rest):
            written += os.write(file, rest[written:])
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(file, os.fstat(file).st_size - written)
        raise


def read_config(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return a run's `run.json`; an empty dict if it is missing or not a JSON object."""
    config: Any = None
    with contextlib.suppress(OSError, ValueError):
        config = json.loads((Path(path) / "run.json").read_bytes())
    return config if isinstance(config, dict) else {}


def read_trajectories(path: str | os.PathLike[str]) -> Iterator[Trajectory]:
    """Yield a run's trajectories in the order in which they finished.

    Args:
        path: The run's folder.

    Raises:
        RunError: The folder holds no run, a line is broken, or has another version of the schema.
    """
    with open_trajectories(path) as lines:
        for _, trajectory in read_lines(lines):
            yield trajectory


@contextlib.contextmanager
def open_trajectories(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a run's `trajectories.jsonl` while a block reads it.

    Raises:
        RunError: The folder holds no run.
    """
    try:
        with (Path(path) / "trajectories.jsonl").open("rb") as lines:
            yield lines
    except OSError as error:
        problem = f": {error.strerror}"
        if Path(path).is_dir():
            run = min(
                (str(file.parent) for file in Path(path).glob("*/trajectories.jsonl")), default=""
            )
            problem = (
                f"; name one in it, such as {run!r}" if run else ": it has no trajectories.jsonl"
            )
        raise RunError(f"{str(path)!r} holds no run{problem}") from error


def read_lines(lines: BinaryIO, number: int = 0) -> Iterator[tuple[bytes, Trajectory]]:
    """Yield each line of an open `trajectories.jsonl` and its trajectory, from where the file is.

    Args:
        lines: The file.
        number: How many lines are before.

    Raises:
        RunError: See `read_trajectories`.
    """
    folder = Path(lines.name).parent
    for count, line in enumerate(lines, number + 1):
        if line.endswith(b"\n"):  # a last line without it is incomplete
            yield line, read_line(line, f"line {count} of {lines.name!r}", folder)


def read_line(line: bytes, where: str, folder: Path) -> Trajectory:
    """Return the trajectory of a line.

    Args:
        line: The line.
        where: The place of the line, for errors.
        folder: The run's folder, with the files that the line names.

    Raises:
        RunError: The line is broken, has another version of the schema, or names a missing file.
    """
    try:
        trajectory: Trajectory = decode_line(restore_media(line, folder))
        trajectory["env_id"], trajectory["task_index"], trajectory["repeat"]
        version = trajectory["version"]
        if version == _VERSION_WITHOUT_TRACEBACKS:
            trajectory["version"] = SCHEMA_VERSION
            if failure := trajectory.get("failure"):
                failure["traceback"] = ""
    except (ValueError, TypeError, KeyError) as error:
        raise RunError(f"{where} is broken: {type(error).__name__}: {error}") from None
    if trajectory["version"] != SCHEMA_VERSION:
        raise RunError(
            f"{where} has version {version!r} of the schema, and this textgym reads version "
            f"{SCHEMA_VERSION}: read it with the version that wrote it"
        )
    return trajectory


def _is_json(content: bytes) -> bool:
    try:
        json.loads(content)
    except ValueError:
        return False
    return True


def _drop_incomplete_line(file: Path) -> None:
    """Cut off a last line that has no line end."""
    if not file.exists() or not file.stat().st_size:
        return
    with file.open("rb+") as data:
        with mmap.mmap(data.fileno(), 0, access=mmap.ACCESS_READ) as content:
            size, end = len(content), content.rfind(b"\n") + 1
        if end < size:  # or the file would get a new time, which a stored index compares
            data.truncate(end)
