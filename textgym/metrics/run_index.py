"""The index of a run: where each episode is in `trajectories.jsonl`, and its numbers.

With an index, showing an episode, computing metrics and resuming do not parse every line. Readers
of a large file store it beside the file, as `trajectories.idx`. The index of lines that are copied
from several runs is joined from the indexes of these runs.

Invariants:

- An index depends only on the bytes of the file, and never decides a result: an index that is
  missing, damaged, of another file or of another version is made again, and appended lines are
  read. A stored index belongs to the file if size, time stamps and inode are unchanged, or if the
  digest of the lines that it covers is.
- An index covers complete lines only. It is replaced as a whole, and a folder that cannot be
  written has none.
- Only an index whose lines are all trajectories as textgym writes them is stored.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from textgym._version import __version__
from textgym.errors import RunError
from textgym.metrics.episode_table import COLUMNS, EpisodeTable, TextCodes
from textgym.trajectories.run_folder import open_trajectories, read_line, read_lines
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.selection import REQUIRED_KEYS, Entry, Episodes

__all__ = ["MIN_SIZE", "Key", "RunIndex", "new_digest", "read_index", "store_index"]

Key = tuple[str, int, int]  # the environment, the task's index and the repeat

MIN_SIZE = 1 << 20  # bytes of the file; the index of a smaller one is not stored
_COLUMNS = ("end", "index", "repeat", "task_id", "stop", "policy", "seed")
_FORMAT = {
    "format": 1,  # raise it with every change of what the index or a row of the table holds
    "textgym": __version__,
    "columns": [*COLUMNS, *_COLUMNS],
    "byteorder": sys.byteorder,
}
_TEXTS = slice(_COLUMNS.index("task_id"), len(_COLUMNS))
_REQUIRED = frozenset(REQUIRED_KEYS)
_TYPES = {
    "task_index": int, "repeat": int, "seed": int, "env_id": str, "policy": str, "stop_reason": str,
}  # fmt: skip
_DIGEST_SIZE = 32
_CHUNK = 1 << 20


class RunIndex(Episodes):
    """The index of a run's folder; an episode's item is its position in the file.

    Args:
        path: The run's folder.
        inode: The inode of the file.

    Attributes:
        table: The episodes' numbers, in the order of the file.
        end: How many bytes of the file the index covers.
        problem: Why the first episode without numbers has none, where reading ended; "" if all
            episodes have numbers.
        is_complete: Whether every line is a trajectory as textgym writes it. If not, only `table`
            and `policies` can be relied on.
    """

    def __init__(self, path: str | os.PathLike[str], inode: int) -> None:
        self.table = EpisodeTable()
        self.end = 0
        self.problem = ""
        self.is_complete = True
        self._path = path
        self._inode = inode
        self._texts = TextCodes()
        self._rows = array("q")

    @classmethod
    def joined(
        cls, path: str | os.PathLike[str], indexes: Sequence[RunIndex], chosen: Any
    ) -> RunIndex:
        """Return the index of a file that has some lines of other files, without reading them.

        Args:
            path: The folder of the file.
            indexes: The indexes of the other files, which are complete.
            chosen: The positions of the lines, counted through all files, each at most once.
        """
        known, all_rows = TextCodes(), []
        for index in indexes:
            codes = np.array([known[text] for text in index._texts])
            rows = np.frombuffer(index._rows, np.int64).reshape(-1, len(_COLUMNS)).copy()
            rows[:, 0] = index.sizes()
            rows[:, _TEXTS] = codes[rows[:, _TEXTS]]
            all_rows.append(rows)
        rows = np.concatenate(all_rows)[chosen]
        rows[:, 0] = np.cumsum(rows[:, 0])
        joined = cls(path, inode=0)
        joined.table = EpisodeTable.joined([index.table for index in indexes], chosen)
        joined._texts, codes = known.renumbered(rows[:, _TEXTS].ravel())
        rows[:, _TEXTS] = codes[rows[:, _TEXTS]]
        joined._rows.frombytes(rows.tobytes())
        joined.end = int(rows[-1, 0]) if len(rows) else 0
        return joined

    def add(self, trajectory: Trajectory, size: int) -> bool:
        """Add the next trajectory of the file.

        Args:
            trajectory: The trajectory.
            size: The size of its line in bytes.

        Returns:
            Whether it has all numbers; if not, no other can be added.
        """
        number = self.table.num_episodes + 1
        try:
            self.table.add(trajectory)
        except Exception as error:  # the line is JSON, but may be anything
            self.is_complete = False
            self.problem = (
                f"episode {number} of {os.fspath(self._path)!r} is not a valid trajectory: "
                f"{type(error).__name__}: {error}"
            )
            return False
        self.end += size
        self.is_complete = self.is_complete and _is_complete(trajectory)
        numbers = (self.end, trajectory["task_index"], trajectory["repeat"])
        texts: Any = map(trajectory.get, ("task_id", "stop_reason", "policy", "seed"))
        if not self.is_complete:
            numbers, texts = (self.end, 0, 0), (None, None, str(trajectory.get("policy")), None)
        self._rows.extend((*numbers, *map(self._texts.__getitem__, texts)))
        return True

    @property
    def policies(self) -> tuple[str, ...]:
        """The names of the policies that played, sorted."""
        known = list(self._texts)
        return tuple(sorted(str(known[code]) for code in set(self._column("policy").tolist())))

    def entries(self) -> Iterator[tuple[Entry, int]]:
        """Yield the entry and the position of each episode."""
        table, known = self.table, list(self._texts)
        columns = (
            table.texts("env"),
            [known[code] for code in self._column("task_id").tolist()],
            self._column("index").tolist(),
            table.texts("level"),
            table.texts("category"),
            [known[code] for code in self._column("stop").tolist()],
            (table.numbers("failure") != 0).tolist(),
            [None if value != value else value == 1 for value in table.numbers("success").tolist()],
            [None if value != value else value for value in table.numbers("reward").tolist()],
        )
        return zip(map(Entry._make, zip(*columns, strict=True)), itertools.count(), strict=False)

    def episode_keys(self) -> Iterator[Key]:
        """Yield the key of each episode."""
        envs: list[Any] = self.table.texts("env")
        index, repeat = self._column("index").tolist(), self._column("repeat").tolist()
        return zip(envs, index, repeat, strict=True)

    def seeds(self) -> Iterator[int]:
        """Yield the run's seed of each episode."""
        known: list[Any] = list(self._texts)
        return (known[code] for code in self._column("seed").tolist())

    def played(self) -> list[bool]:
        """Return for each episode whether it did not fail."""
        played: list[bool] = (self.table.numbers("failure") == 0).tolist()
        return played

    def identity(self, item: int) -> float:
        """Return the `task_identity` of an episode."""
        return float(self.table.numbers("identity")[item])

    def read(self, item: int) -> Trajectory:
        """Return the trajectory at a position of the file."""
        (line,) = self.lines([item])
        folder = Path(self._path)
        return read_line(line, f"line {item + 1} of {str(folder / 'trajectories.jsonl')!r}", folder)

    def lines(self, items: Iterable[int]) -> Iterator[bytes]:
        """Yield the lines at some positions of the file."""
        ends = self._column("end")
        with open_trajectories(self._path) as lines:
            if os.fstat(lines.fileno()).st_ino != self._inode:
                raise RunError(f"{lines.name!r} was replaced while it was read: try again")
            for item in items:
                start = int(ends[item - 1]) if item else 0
                lines.seek(start)
                line = lines.read(int(ends[item]) - start)
                if not line.endswith(b"\n"):
                    raise RunError(f"{lines.name!r} was shortened while it was read: try again")
                yield line

    def sizes(self) -> Any:
        """Return the size of each line in bytes."""
        return np.diff(self._column("end"), prepend=0)

    def _column(self, name: str) -> Any:
        place = _COLUMNS.index(name)
        return np.frombuffer(self._rows, np.int64).reshape(-1, len(_COLUMNS))[:, place]

    def parts(self) -> tuple[dict[str, Any], list[bytes]]:
        """Return what `restore` needs, as JSON and as bytes."""
        table_texts, *table_rows = self.table.parts()
        blocks = [*table_rows, self._rows.tobytes()]
        header = {
            "end": self.end,
            "table_texts": table_texts,
            "texts": list(self._texts)[1:],
            "sizes": [len(block) for block in blocks],
        }
        return header, blocks

    def restore(self, header: dict[str, Any], content: memoryview) -> None:
        """Add the episodes of an index that `parts` returned.

        Args:
            header: The JSON.
            content: The bytes, one after the other.
        """
        blocks, start = [], 0
        for size in header["sizes"]:
            blocks.append(content[start : start + size])
            start += size
        self.table = EpisodeTable.restored(header["table_texts"], *blocks[:2])
        self._texts.extend(header["texts"])
        self._rows.frombytes(blocks[2])
        self.end = header["end"]


def read_index(
    path: str | os.PathLike[str],
    on_episode: Callable[[], None] | None = None,
    *,
    always_store: bool = False,
) -> RunIndex:
    """Return the index of a run, from the stored index and the lines that it does not cover.

    Args:
        path: The folder of the run.
        on_episode: Called for each line that is parsed.
        always_store: Store the index of a small file, too, as one of many that are read together.

    Raises:
        RunError: The folder contains no run, or a line that cannot be read.
    """
    with open_trajectories(path) as lines:
        status = os.fstat(lines.fileno())
        stamp = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
        index = RunIndex(path, status.st_ino)
        header, content = _load(path)
        if header.get("stamp") == stamp:
            index.restore(header, content)
            return index
        digest = _digest_of(lines, header.get("end", 0))
        if header.get("digest") == digest.hexdigest():
            index.restore(header, content)
        else:
            digest = _digest_of(lines, 0)
        for line, trajectory in read_lines(lines, index.table.num_episodes):
            digest.update(line)
            if not index.add(trajectory, len(line)):
                break
            if on_episode:
                on_episode()
    if index.is_complete and (always_store or index.end >= MIN_SIZE):
        _store(path, index, {"stamp": stamp, "digest": digest.hexdigest()})
    return index


def new_digest() -> blake2b:
    """Return the digest of a file without lines."""
    return blake2b(digest_size=_DIGEST_SIZE)


def store_index(index: RunIndex, digest: blake2b) -> None:
    """Store the index of a file that was written; `read_index` uses it if the digest is the file's.

    Args:
        index: The index.
        digest: The `new_digest` of the lines that the index covers.
    """
    if index.end >= MIN_SIZE:
        _store(index._path, index, {"digest": digest.hexdigest()})


def _is_complete(trajectory: Trajectory) -> bool:
    """Return whether an index stores all that a search compares, exactly as it is."""
    if not trajectory.keys() >= _REQUIRED:
        return False
    if tuple(map(type, map(trajectory.get, _TYPES))) != tuple(_TYPES.values()):
        return False
    failure: Any = trajectory["failure"]
    success, reward = trajectory["is_success"], trajectory["reward"]
    return (
        max(abs(trajectory["task_index"]), abs(trajectory["repeat"])) < 1 << 63
        and (trajectory["task_id"] is None or type(trajectory["task_id"]) is str)
        and (
            type(success) is bool and reward == float(reward or 0)
            if failure is None
            else success is None and reward is None and type(failure["boundary"]) is str
        )
    )


def _digest_of(file: BinaryIO, size: int) -> blake2b:
    """Return the digest of the beginning of a file, which is left there."""
    digest = new_digest()
    file.seek(0)
    while size and (chunk := file.read(min(size, _CHUNK))):
        digest.update(chunk)
        size -= len(chunk)
    return digest


def _load(path: str | os.PathLike[str]) -> tuple[dict[str, Any], memoryview]:
    """Return the header and the content of a stored index; both are empty if it cannot be used."""
    with contextlib.suppress(OSError, ValueError):
        stored = (Path(path) / "trajectories.idx").read_bytes()
        content = memoryview(stored)[_DIGEST_SIZE:]
        if stored.startswith(blake2b(content, digest_size=_DIGEST_SIZE).digest()):
            start = stored.index(b"\n", _DIGEST_SIZE) + 1
            header: dict[str, Any] = json.loads(stored[_DIGEST_SIZE:start])
            if all(header.get(name) == value for name, value in _FORMAT.items()):
                return header, memoryview(stored)[start:]
    return {}, memoryview(b"")


def _store(path: str | os.PathLike[str], index: RunIndex, of_file: dict[str, Any]) -> None:
    """Store an index, if the folder can be written."""
    header, blocks = index.parts()
    blocks.insert(0, json.dumps({**_FORMAT, **of_file, **header}).encode() + b"\n")
    checksum = new_digest()
    for block in blocks:
        checksum.update(block)
    new = Path(path) / "trajectories.idx.new"
    try:
        with new.open("wb") as output:
            output.writelines([checksum.digest(), *blocks])
        new.replace(Path(path) / "trajectories.idx")
    except OSError:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)
