"""Merging runs: the shards of a run, played by several processes, become the run of one process.

Invariants: each planned episode is taken once: the first record that did not fail, or else the
first record; records of one episode that differ, in more than times and attempts, are refused, and
so are runs with other settings or data; the folder of the merged run is complete or absent, and is
as one process would have written it, except for times; memory holds the numbers of the episodes and
some of their lines; lines are copied, and not parsed, if the runs have their indexes.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from textgym.errors import RunError, UsageError
from textgym.metrics.run_index import RunIndex, new_digest, read_index, store_index
from textgym.metrics.run_metrics import planned_episodes, run_metrics
from textgym.trajectories.run import Run
from textgym.trajectories.run_folder import FolderInUseError, RunFolder, read_config
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.shards import NOT_PLANNED, EpisodeNumbers, Numbers, Shard
from textgym.trajectories.task_identity import changed_data

__all__ = ["SEGMENTS", "collect_segments", "has_episodes", "merge_runs", "refresh_run"]

SEGMENTS = "segments"
"""The folder of the segments that the workers of a run write, in the folder of the run."""

_BLOCK = 64 << 20  # bytes of lines in memory
_ADDRESS = re.compile("@https?://.*")  # of a model server, which may differ between machines


class _Part(NamedTuple):
    """A run to merge."""

    path: Path
    config: dict[str, Any]  # without the shard
    shard: Shard | None
    run_index: RunIndex

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, of_many: bool = False) -> _Part:
        index, config = read_index(path, always_store=of_many), read_config(path)
        if not config:
            raise RunError(f"{str(path)!r} has no run.json")
        if index.problem or not index.is_complete:
            raise RunError(index.problem or f"{str(path)!r} has lines of another program")
        shard = Shard.of(config)
        config.pop("shard", None)
        if rescored := config.get("rescored"):  # the folder of a shard
            config["rescored"] = {**rescored, "run": None}
        return cls(Path(path), config, shard, index)


def merge_runs(
    runs: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str], *, partial: bool = False
) -> Run:
    """Make one run of the shards of a run, which several processes have played.

    The new folder is as if one process had played the run, except for times. Failed episodes stay
    failed episodes, unless another record of the episode has a reward. An episode that is stored
    several times is taken once, and its records must be equal.

    Args:
        runs: The folders of the shards, or of other runs with the same settings.
        out: The folder of the new run.
        partial: Accept missing episodes. The new run can be resumed, or merged with others.

    Raises:
        RunError: A folder holds no run, or the runs have different settings, data or records, or
            episodes are missing, or `out` cannot be used. Nothing is written.

    Example:
        >>> import tempfile, textgym
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     shards = [f"{folder}/{k}" for k in (1, 2)]
        ...     for k, shard in enumerate(shards, 1):
        ...         _ = textgym.rollout(
        ...             "textgym/MCQA-v0", "oracle", episodes=5, shard=(k, 2), out=shard)
        ...     textgym.merge_runs(shards, f"{folder}/merged").metrics["overall"]["episodes"]
        5
    """
    target = Path(out)
    _refuse_used(target)
    if not runs:
        raise UsageError("name the runs to merge")
    parts = [_Part.read(path) for path in runs]
    for part in parts[1:]:
        _compare_settings(parts[0], part)
    shards = sorted({part.shard for part in parts if part.shard}, key=lambda shard: shard.total)
    if shards and shards[0].total != shards[-1].total:
        raise RunError(f"{shards[0]} and {shards[-1]} cannot be merged: divide the run alike")
    config = parts[0].config
    try:
        numbers = EpisodeNumbers(config)
    except RunError as error:
        raise RunError(f"{str(parts[0].path)!r} cannot be merged: {error}") from None
    records = _Records(parts, [_numbers_of(part, numbers, config.get("seed")) for part in parts])
    chosen = records.choose(must_agree=True)
    if not partial:
        _refuse_missing(parts, numbers, records.numbers[chosen])
    ordered = chosen[numbers.in_order(records.numbers[chosen])]
    return _write(records, ordered, config, target)


def collect_segments(path: str | os.PathLike[str]) -> bool:
    """Merge the segments of a run into its folder, and return whether all episodes are there.

    Episodes that are in the folder are kept. Of several records of an episode, the first with a
    reward is taken.

    Args:
        path: The folder of the run.

    Raises:
        FolderInUseError: Another process is writing to the folder.
        RunError: The folder holds no run, or a segment of another run, or cannot be written.
    """
    folder, config = Path(path), read_config(path)
    if not config:
        raise RunError(f"{str(path)!r} holds no run")
    numbers = EpisodeNumbers(config)
    with contextlib.closing(RunFolder(folder, config, resume=True)) as run:
        paths = [folder, *sorted((folder / SEGMENTS).iterdir())]
        parts = [_Part.read(part, of_many=part != folder) for part in paths if has_episodes(part)]
        if not parts:
            return False
        for part in parts[1:]:
            _compare_settings(parts[0], part)
        records = _Records(parts, [_numbers_of(part, numbers, config["seed"]) for part in parts])
        chosen = records.choose(must_agree=False)
        ordered = chosen[numbers.in_order(records.numbers[chosen])]
        is_new = parts[0].path != folder or len(ordered) != parts[0].run_index.table.num_episodes
        if is_new or not np.array_equal(ordered, np.arange(len(ordered))):
            records.copy(ordered, run)
        is_complete = len(chosen) == numbers.groups * numbers.repeats
        if is_complete:
            run.write_metrics(run_metrics(read_index(folder).table, planned_episodes(config)))
        return is_complete


def refresh_run(path: str | os.PathLike[str]) -> None:
    """Bring the folder of a run that workers are playing up to date, before it is read.

    What the workers have played so far is merged. Other folders, and runs that are complete, are
    left as they are. While another process merges, and if the folder cannot be written, it has what
    was merged before.

    Args:
        path: The folder of the run.

    Raises:
        RunError: The folder holds a segment of another run, or the disk is full.

    Example:
        >>> import tempfile, textgym
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = textgym.rollout("textgym/MCQA-v0", "oracle", episodes=5, out=folder)
        ...     textgym.refresh_run(folder)
        ...     textgym.compute_metrics(folder)["overall"]["episodes"]
        5
    """
    folder = Path(path)
    is_unfinished = (folder / SEGMENTS).is_dir() and not (folder / "metrics.json").exists()
    if is_unfinished and os.access(folder, os.W_OK):
        with contextlib.suppress(FolderInUseError):
            collect_segments(folder)


def has_episodes(folder: Path) -> bool:
    """Return whether a segment has episodes that count.

    It has none if its worker was killed at its start, or its `run.json` was lost in a crash.

    Args:
        folder: The segment.
    """
    file = folder / "trajectories.jsonl"
    return file.exists() and file.stat().st_size > 0 and bool(read_config(folder))


def _refuse_used(target: Path) -> None:
    try:
        is_new = not target.exists() or (target.is_dir() and not any(target.iterdir()))
    except OSError as error:
        raise RunError(f"cannot write to {str(target)!r}: {error.strerror}") from error
    if not is_new:
        raise RunError(f"{str(target)!r} exists: name a new folder for the merged run")


def _compare_settings(first: _Part, other: _Part) -> None:
    """Refuse a run with other settings than the first."""
    for key in dict.fromkeys([*first.config, *other.config]):
        wanted, found = first.config.get(key), other.config.get(key)
        if key == "policy":
            wanted, found = (_ADDRESS.sub("", str(name)) for name in (wanted, found))
        if wanted == found:
            continue
        names = changed_data(wanted, found) if key == "data" else []
        if names:
            raise RunError(
                f"{str(other.path)!r} was played with another content of {names[0]!r} than "
                f"{str(first.path)!r}: play it again with the same data"
            )
        name = {"version": "version of the schema", "textgym": "version of textgym"}.get(key, key)
        raise RunError(
            f"{str(other.path)!r} holds another run than {str(first.path)!r}: its {name} is "
            f"{found!r:.200}, not {wanted!r:.200}"
        )


def _numbers_of(part: _Part, numbers: EpisodeNumbers, seed: Any) -> Numbers:
    """Return the number of each episode in a run.

    Raises:
        RunError: The run has an episode that is not part of it.
    """
    found = numbers.of(part.run_index.episode_keys())
    planned = found != NOT_PLANNED
    if part.shard:
        planned &= numbers.shards_of(found, part.shard.total) == part.shard.number
    planned &= np.fromiter((stored == seed for stored in part.run_index.seeds()), bool)
    if not planned.all():
        key = next(itertools.compress(part.run_index.episode_keys(), ~planned))
        raise RunError(
            f"{str(part.path)!r} holds {_name(key)}, which is not part of "
            f"{part.shard or 'this run'}: restore its trajectories.jsonl"
        )
    return found


class _Records:
    """The stored episodes of several runs, in the order of the runs and their files.

    Args:
        parts: The runs.
        numbers: The numbers of the episodes in each run.
    """

    def __init__(self, parts: Sequence[_Part], numbers: Sequence[Numbers]) -> None:
        self.parts = parts
        self.numbers = np.concatenate(numbers)
        sizes = [len(of_part) for of_part in numbers]
        self._part = np.repeat(np.arange(len(parts)), sizes)
        self._item = np.concatenate([np.arange(size) for size in sizes])

    def choose(self, *, must_agree: bool) -> Numbers:
        """Return the positions of the records that are taken, one for each episode.

        Args:
            must_agree: Whether records of an episode with rewards must be equal.

        Raises:
            RunError: They are not.
        """
        failed = ~np.concatenate([np.array(part.run_index.played(), bool) for part in self.parts])
        order = np.lexsort((failed, self.numbers))  # which keeps equal ones in their order
        sorted_numbers = self.numbers[order]
        is_first = np.ones(len(order), bool)
        is_first[1:] = sorted_numbers[1:] != sorted_numbers[:-1]
        firsts = order[is_first][np.cumsum(is_first) - 1]
        doubles = (firsts != order) & ~failed[order] & must_agree
        for first, other in zip(firsts[doubles], order[doubles], strict=True):
            if self._read(first) != self._read(other):
                where = " and ".join(str(self._path(record)) for record in (first, other))
                key = _key(self._read(first))
                raise RunError(f"{where} have different records of {_name(key)}: leave one out")
        return order[is_first]

    def copy(self, records: Numbers, folder: RunFolder) -> None:
        """Replace the lines of a folder by these records, and its index, without parsing a line.

        Raises:
            RunError: They cannot be written; the lines are unchanged.
        """
        digest = new_digest()

        def digested() -> Iterator[tuple[bytes, Path]]:
            for line, source in self._lines(records):
                digest.update(line)
                yield line, source

        folder.replace_stored(digested())
        indexes = [part.run_index for part in self.parts]
        store_index(RunIndex.joined(folder.path, indexes, records), digest)

    def _lines(self, records: Numbers) -> Iterator[tuple[bytes, Path]]:
        """Yield the line of each record, and the folder of its run."""
        all_sizes = np.concatenate([part.run_index.sizes() for part in self.parts])
        blocks = np.cumsum(all_sizes[records]) // _BLOCK
        for block in np.split(records, np.flatnonzero(np.diff(blocks)) + 1):
            lines: list[tuple[bytes, Path]] = [(b"", Path())] * len(block)
            owners = self._part[block]
            for owner in np.unique(owners).tolist():
                places = np.flatnonzero(owners == owner).tolist()
                part = self.parts[owner]
                items = self._item[block[places]].tolist()
                for place, line in zip(places, part.run_index.lines(items), strict=True):
                    lines[place] = line, part.path
            yield from lines

    def _path(self, record: int) -> Path:
        return self.parts[int(self._part[record])].path

    def _read(self, record: int) -> dict[str, Any]:
        """Return a trajectory without what differs between equal episodes."""
        episode = self.parts[int(self._part[record])].run_index.read(int(self._item[record]))
        steps = [{**step, "seconds": 0.0} for step in episode["steps"]]
        policy = _ADDRESS.sub("", episode["policy"])
        unlike = {"started_at": 0.0, "seconds": 0.0, "attempts": 0}
        return {**episode, **unlike, "steps": steps, "policy": policy}


def _key(episode: Mapping[str, Any] | Trajectory) -> tuple[str, int, int]:
    return episode["env_id"], episode["task_index"], episode["repeat"]


def _name(key: tuple[str, int, int]) -> str:
    id, task, repeat = key
    return f"task {task}, repeat {repeat} of {id}"


def _refuse_missing(parts: Sequence[_Part], numbers: EpisodeNumbers, found: Numbers) -> None:
    """Refuse runs that do not hold all episodes.

    Raises:
        RunError: Episodes are missing; the error names their shards.
    """
    total = numbers.groups * numbers.repeats
    if len(found) == total:
        return
    shards = {part.shard: part.path for part in parts if part.shard}
    count = next(iter(shards)).total if shards else 1
    stored = np.bincount(numbers.shards_of(found, count), minlength=count + 1).tolist()
    missing, incomplete = [], []
    for shard in (Shard(index, count) for index in range(1, count + 1)):
        planned = shard.share(numbers.groups) * numbers.repeats
        if stored[shard.number] < planned and shard in shards:
            of = f"{stored[shard.number]:,} of {planned:,} episodes of {shard}"
            incomplete.append(f"{str(shards[shard])!r} holds {of}")
        elif stored[shard.number] < planned:
            missing.append(shard.number)
    if not shards:
        incomplete = [f"the runs hold {len(found):,} of {total:,} episodes"]
    elif missing:
        raise RunError(
            f"missing shards: {_ranges(missing)} of {count}; name their folders, too, or merge "
            "without them (--partial)"
        )
    raise RunError(f"{incomplete[0]}: resume it, or merge without the others (--partial)")


def _ranges(numbers: Sequence[int]) -> str:
    """Return rising numbers as a text.

    Example:
        >>> _ranges([2, 4, 5, 6, 9])
        '2, 4-6, 9'
    """
    groups = itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])
    runs = [[number for _, number in group] for _, group in groups]
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _write(records: _Records, ordered: Numbers, config: dict[str, Any], target: Path) -> Run:
    """Write the merged run to a folder beside the target, and move it there."""
    draft = target.with_name(f".{target.name}-{uuid.uuid4().hex}")
    try:
        folder = RunFolder(draft, config)
        try:
            records.copy(ordered, folder)
            metrics = run_metrics(read_index(draft).table, planned_episodes(config))
            folder.write_metrics(metrics)
        finally:
            folder.close()
        try:
            draft.rename(target)
        except OSError as error:
            raise RunError(f"cannot write to {str(target)!r}: {error.strerror}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return Run.load(target)
