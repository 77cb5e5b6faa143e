"""Leases: no block is left out, whatever a worker sees late and whenever another one dies."""

from __future__ import annotations

import errno
import os
import random
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repository import ROOT

from textgym.errors import RunError
from textgym.rollouts.leases import Lease, LeaseBoard, SharedFolder

Clock = Callable[[], float]


class DelayedFolder(SharedFolder):
    """Shows files and names as they were up to so many calls before, as a network cache does.

    What it writes reaches the server at once.
    """

    def __init__(self, path: Path, delay: int, rng: random.Random) -> None:
        super().__init__(path)
        self._delay, self._rng = delay, rng
        self._seen: dict[str, list[Any]] = {}

    def _late(self, what: str, now: Any) -> Any:
        history = self._seen.setdefault(what, [])
        history.append(now)
        del history[: -self._delay - 1]
        return self._rng.choice(history)

    def names(self) -> list[str]:
        return self._late("", super().names())

    def read(self, name: str) -> str | None:
        return self._late(name, super().read(name))


def boards(
    folder: Path, names: str, blocks: int, clock: Clock = lambda: 0.0, patience: float = 10.0
) -> list[LeaseBoard]:
    shared = SharedFolder(folder / "leases"), SharedFolder(folder / "workers")
    return [LeaseBoard(*shared, name, blocks, patience, clock) for name in names]


def test_each_block_is_claimed_once(tmp_path: Path) -> None:
    first, second = boards(tmp_path, "ab", 5)
    claimed = [board.claim() for _ in range(3) for board in (first, second)]
    assert sorted(lease.block for lease in claimed if lease) == [0, 1, 2, 3, 4]
    assert claimed[-1] is None


def test_threads_that_claim_at_once_get_different_blocks(tmp_path: Path) -> None:
    claimed: list[int] = []

    def claim(board: LeaseBoard) -> None:
        while lease := board.claim():
            claimed.append(lease.block)

    threads = [
        threading.Thread(target=claim, args=(board,)) for board in boards(tmp_path, "abcdef", 40)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed) == list(range(40))


def test_run_is_finished_when_all_blocks_are(tmp_path: Path) -> None:
    first, second = boards(tmp_path, "ab", 2)
    for _ in range(2):
        lease = first.claim()
        assert lease is not None
        assert second.is_finished is False
        first.finish(lease.block)
    assert second.claim() is None
    assert second.is_finished


def test_worker_without_a_sign_of_life_loses_its_block(tmp_path: Path) -> None:
    now = 0.0
    first, second = boards(tmp_path, "ab", 1, lambda: now)
    first.beat()
    first.claim()
    assert second.claim() is None
    now = 10.0
    assert second.claim() is None
    now = 10.5
    assert second.claim() == Lease(0, ("a",))


def test_worker_that_beats_keeps_its_block(tmp_path: Path) -> None:
    now = 0.0
    first, second = boards(tmp_path, "ab", 1, lambda: now)
    first.claim()
    for _ in range(10):
        now += 9
        first.beat()
        assert second.claim() is None


def test_clocks_are_not_compared(tmp_path: Path) -> None:
    (first,) = boards(tmp_path, "a", 1, lambda: -1e9)
    (second,) = boards(tmp_path, "b", 1, lambda: 1e9)
    first.beat()
    first.claim()
    for path in tmp_path.rglob("*"):
        os.utime(path, (1, 1))
    assert second.claim() is None


def test_block_of_a_worker_that_ended_is_claimed_at_once(tmp_path: Path) -> None:
    first, second = boards(tmp_path, "ab", 1)
    first.claim()
    first.end()
    assert second.claim() == Lease(0, ("a",))


def test_only_one_worker_takes_over(tmp_path: Path) -> None:
    first, *others = boards(tmp_path, "abcd", 1)
    first.claim()
    first.end()
    assert [board.claim() for board in others] == [Lease(0, ("a",)), None, None]
    others[0].end()
    assert others[1].claim() == Lease(0, ("a", "b"))


def test_lease_without_a_readable_owner_is_claimed_in_time(tmp_path: Path) -> None:
    now = 0.0
    (board,) = boards(tmp_path, "a", 1, lambda: now)
    (tmp_path / "leases" / "0.0").touch()  # the machine crashed before the content was stored
    assert board.claim() is None
    now = 11.0
    assert board.claim() == Lease(0, ())


def test_own_blocks_are_not_claimed_again(tmp_path: Path) -> None:
    now = 0.0
    (board,) = boards(tmp_path, "a", 1, lambda: now)
    board.claim()
    now = 1000.0
    assert board.claim() is None


def test_block_that_another_worker_took_and_left_is_not_claimed_again(tmp_path: Path) -> None:
    now = 0.0
    slow, other, third = boards(tmp_path, "abc", 1, lambda: now)
    slow.claim()
    other.claim()
    now = 11.0
    assert other.claim() == Lease(0, ("a",))
    other.end()
    assert slow.claim() is None  # it still plays the block
    assert third.claim() == Lease(0, ("a", "b"))


def test_finished_block_is_not_claimed_though_its_worker_ended(tmp_path: Path) -> None:
    first, second = boards(tmp_path, "ab", 1)
    first.claim()
    first.finish(0)
    first.end()
    assert second.claim() is None


def test_more_workers_wait_longer(tmp_path: Path) -> None:
    now = 0.0
    (board,) = boards(tmp_path, "a", 1, lambda: now)
    for number in range(100):
        (tmp_path / "workers" / f"host.name-{number}.7").touch()
        (tmp_path / "workers" / f"ended-{number}.ended").touch()
    board.claim()
    pauses = board.pauses()
    assert next(pauses) == next(pauses) == pytest.approx(5)
    now = 11.0  # all are taken for dead
    assert next(pauses) < 1


def test_pauses_of_few_workers_become_longer(tmp_path: Path) -> None:
    (board,) = boards(tmp_path, "a", 1)
    pauses = [pause for pause, _ in zip(board.pauses(), range(20), strict=False)]
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (0.1, board.beat_period)


@pytest.mark.parametrize("generations", [1, 3])
def test_owners_of_many_leases_are_read_some_at_a_time(generations: int, tmp_path: Path) -> None:
    (board,) = boards(tmp_path, "a", 100)
    for block in range(100):
        for generation in range(generations):
            (tmp_path / "leases" / f"{block}.{generation}").write_text(f"w{block}")
        (tmp_path / "workers" / f"w{block}.ended").touch()
    claimed = []
    while lease := board.claim():
        claimed.append(lease.block)
    assert sorted(claimed) == list(range(100))
    assert board.is_finished is False


def test_many_workers_need_few_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    from many_workers import Fleet

    fleet = Fleet(200)
    fleet.run()
    assert set(fleet.finished) == set(range(fleet.blocks))
    assert fleet.lost > 20
    assert fleet.stalls
    assert fleet.lost <= fleet.begun.total() - fleet.blocks <= fleet.lost + fleet.stalls
    assert fleet.finished.total() - fleet.blocks <= fleet.stalls
    assert fleet.per_block("made") < 2.1
    assert fleet.per_block("refused") < 4
    assert fleet.per_block("read") < 16
    assert fleet.per_block("listed") < 6
    assert fleet.requests.total() < 150 * fleet.blocks


@given(st.integers(0, 2**32), st.integers(0, 12), st.integers(1, 9))
@settings(max_examples=40)
def test_no_block_is_left_out(seed: int, delay: int, blocks: int) -> None:
    """Workers claim, play, stall, die and begin in any order, and see the folder late."""
    rng, now = random.Random(seed), 0.0
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        begun = 0

        def begin() -> tuple[LeaseBoard, list[int]]:
            nonlocal begun
            begun += 1
            shared = [DelayedFolder(path / part, delay, rng) for part in ("leases", "workers")]
            return LeaseBoard(*shared, f"w{begun}", blocks, 10, lambda: now), []

        played: list[int] = []
        workers = [begin() for _ in range(3)]
        for step in range(2000):
            now += rng.random() * 4
            at = rng.randrange(len(workers))
            board, mine = workers[at]
            kind = rng.random()
            if kind < 0.05 and step < 300:
                workers[at] = begin()  # it was killed
            elif kind < 0.3:
                board.beat()
            elif mine:
                played.append(mine.pop())  # it is stored before the block is finished
                board.finish(played[-1])
            elif lease := board.claim():
                mine.append(lease.block)
            if step > 300 and all(board.is_finished for board, _ in workers):
                break
        assert all(board.is_finished for board, _ in workers)
        assert set(played) == set(range(blocks))


def test_file_of_equal_content_is_not_its_own(tmp_path: Path) -> None:
    folder = SharedFolder(tmp_path)
    assert folder.create("a", "1")
    assert not folder.create("a", "1")


def test_renamed_file_is_made_if_it_is_missing(tmp_path: Path) -> None:
    folder = SharedFolder(tmp_path)
    folder.rename("a.0", "a.1")
    folder.rename("a.1", "a.2")
    assert folder.names() == ["a.2"]


def test_lost_reply_to_a_rename_is_a_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.rename

    def reply_is_lost(path: Path, target: Any) -> None:
        rename(path, target)
        raise FileNotFoundError(errno.ENOENT, "No such file or directory")

    folder = SharedFolder(tmp_path)
    folder.rename("a.0", "a.1")
    monkeypatch.setattr(Path, "rename", reply_is_lost)
    folder.rename("a.1", "a.2")
    assert folder.names() == ["a.2"]


def test_lost_reply_is_a_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = os.link

    def reply_is_lost(source: Any, target: Any) -> None:
        link(source, target)
        raise FileExistsError(errno.EEXIST, "File exists")

    monkeypatch.setattr(os, "link", reply_is_lost)
    folder = SharedFolder(tmp_path)
    assert folder.create("a", "1")
    assert folder.create("b", "1")
    monkeypatch.undo()
    assert not folder.create("a", "2")
    assert folder.read("a") == "1"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (errno.ENOSPC, "cannot write to '@': No space left on device"),
        (errno.EROFS, "cannot write to '@': Read-only file system"),
        (errno.EACCES, "cannot write to '@': Permission denied"),
        (errno.EPERM, "leases need hard links, and the file system of '@' has none"),
        (errno.ENOTSUP, "leases need hard links, and the file system of '@' has none"),
    ],
)
def test_folder_that_cannot_be_used_is_one_line(
    code: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = SharedFolder(tmp_path)

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "link", fail)
    with pytest.raises(RunError) as found:
        folder.create("a", "1")
    assert str(found.value) == message.replace("@", str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_file_in_place_of_the_folder_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "run").touch()
    with pytest.raises(RunError, match="cannot write to"):
        SharedFolder(tmp_path / "run" / "leases")
