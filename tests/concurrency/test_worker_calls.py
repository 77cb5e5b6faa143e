"""Calls by workers: results in order, errors as without workers, and what kills leave behind."""

from __future__ import annotations

import operator
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from processes import eventually, is_alive

from textgym.concurrency.worker_calls import WorkerCalls
from textgym.errors import UsageError, WorkerFailure

HERE = os.getpid()


def calls_of(function: Callable[[Any], Any], workers: int = 2) -> WorkerCalls[Any, Any]:
    return WorkerCalls(partial(nullcontext, function), workers, name="test")


def results(calls: WorkerCalls[Any, Any], arguments: Any) -> list[Any]:
    return [call.result() for call in calls.in_order(arguments)]


def slow_if_even(number: int) -> tuple[int, int]:
    time.sleep(0.05 * (number % 2 == 0))
    return number, os.getpid()


def odd_only(number: int) -> int:
    if number % 2 == 0:
        raise UsageError(f"{number} is even, in {os.getpid()}")
    return number


def worker_id(_: Any) -> int:
    return os.getpid()


def killed_once(marker: str) -> int:
    """Kill the first worker that is called."""
    if not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def killed(_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def sleeping(folder: str) -> None:
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(600)


def unpicklable(_: Any) -> Callable[[], int]:
    return lambda: os.getpid()


@contextmanager
def opened(folder: str) -> Iterator[Callable[[Any], int]]:
    """Write when it is entered and left, and in which process."""
    (Path(folder) / f"entered {os.getpid()}").touch()
    yield worker_id
    (Path(folder) / f"left {os.getpid()}").touch()


def test_results_are_in_order_and_of_several_processes() -> None:
    with calls_of(slow_if_even) as calls:
        done = results(calls, range(9))
    assert [number for number, _ in done] == list(range(9))
    workers = {process for _, process in done}
    assert len(workers) == 2
    assert HERE not in workers
    assert not any(map(is_alive, workers))


def test_few_calls_are_ahead_of_what_was_taken() -> None:
    taken = []
    with calls_of(abs) as calls:
        next(calls.in_order(taken.append(number) or number for number in range(10**6))).result()
    assert len(taken) < 20


def test_an_error_is_raised_in_its_place_as_without_workers() -> None:
    with calls_of(odd_only) as calls:
        begun = [calls.begin(number) for number in (1, 2, 3)]
        assert begun[0].result() == 1
        with pytest.raises(UsageError, match=f"^2 is even, in {HERE}$"):
            begun[1].result()
        assert begun[2].result() == 3


def test_what_cannot_be_sent_back_is_computed_here() -> None:
    with calls_of(unpicklable) as calls:
        assert calls.begin(None).result()() == HERE


def test_a_call_of_a_killed_worker_is_made_again(tmp_path: Path) -> None:
    with calls_of(killed_once) as calls:
        done = results(calls, [str(tmp_path / "marker")] * 3)
    assert len(done) == 3
    assert HERE not in done


def test_a_second_kill_is_a_failure_and_no_result() -> None:
    with calls_of(killed) as calls, pytest.raises(WorkerFailure, match=r"died, .*SIGKILL$"):
        calls.begin(None).result()


def interrupted(folder: Path, begun: int) -> None:
    """Begin some calls, and interrupt when so many of them are being made."""
    with calls_of(sleeping) as calls:
        for _ in range(3):
            calls.begin(str(folder))
        eventually(lambda: len(list(folder.iterdir())) >= begun)
        raise KeyboardInterrupt


@pytest.mark.parametrize("begun", [0, 2])
def test_an_interrupt_ends_workers_that_start_or_are_busy(tmp_path: Path, begun: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path, begun)
    assert not any(is_alive(path.name) for path in tmp_path.iterdir())
    assert not [t for t in threading.enumerate() if t.name.startswith("textgym-test")]


def test_calls_whose_results_nobody_takes_are_ended_with_the_block(tmp_path: Path) -> None:
    with calls_of(sleeping) as calls:
        for _ in range(9):
            calls.begin(str(tmp_path))
        eventually(lambda: list(tmp_path.iterdir()))
    assert not any(is_alive(path.name) for path in tmp_path.iterdir())


def test_a_worker_that_is_killed_after_its_last_call_does_no_harm() -> None:
    with calls_of(worker_id) as calls:
        worker = calls.begin(None).result()
        os.kill(worker, signal.SIGKILL)
    assert not is_alive(worker)


def test_each_worker_enters_and_leaves_the_context_once(tmp_path: Path) -> None:
    with WorkerCalls(partial(opened, str(tmp_path)), 2, name="test") as calls:
        workers = set(results(calls, range(20)))
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {f"{what} {worker}" for worker in workers for what in ("entered", "left")}


def test_what_is_not_importable_is_refused_in_one_line() -> None:
    with pytest.raises(UsageError, match=r"^workers need what other processes can import: .*<lam"):
        calls_of(lambda number: number)


def test_the_function_may_hold_more_than_an_argument_of_a_process_can() -> None:
    with calls_of(partial(operator.getitem, list(range(10**5)))) as calls:
        assert calls.begin(-1).result() == 10**5 - 1


def test_no_file_is_written_that_a_killed_parent_would_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with calls_of(abs) as calls:
        assert calls.begin(-1).result() == 1
        assert not list(tmp_path.iterdir())


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    program = (
        f"import sys; sys.path[:] = {[str(Path(__file__).parent), *sys.path]!r}\n"
        "from test_worker_calls import calls_of, sleeping\n"
        f"with calls_of(sleeping) as calls: calls.begin({str(tmp_path)!r}).result()"
    )
    parent = subprocess.Popen([sys.executable, "-c", program])
    try:
        eventually(lambda: list(tmp_path.iterdir()))
    finally:
        parent.kill()
        parent.wait()
    eventually(lambda: not any(is_alive(path.name) for path in tmp_path.iterdir()))
