"""Workers call any function under limits, and a worker of one's own keeps what it holds."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from textgym.concurrency.workers import Workers, workers_for
from textgym.errors import WorkerFailure


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    workers = Workers("counting_worker:load", {"first": 10}, name="counting")
    yield workers
    workers.close()


def test_a_function_gets_its_arguments(workers: Workers) -> None:
    reply = workers.call({}, seconds=5)
    assert reply is not None
    assert reply["count"] >= 11


@pytest.mark.parametrize("data", [b"\x00\xff", b"x" * (1 << 20)])
def test_bytes_are_sent_as_they_are(workers: Workers, data: bytes) -> None:
    reply = workers.call({"do": "count", "data": data}, seconds=5)
    assert reply is not None
    assert reply["data"] == data


@pytest.mark.parametrize("do", ["hang", "fill", "crash", "exit"])
def test_a_call_over_its_limits_returns_none(workers: Workers, do: str) -> None:
    assert workers.call({"do": do}, seconds=0.2) is None
    assert workers.call({}, seconds=5) is not None


def test_a_worker_that_dies_by_itself_is_a_failure(workers: Workers) -> None:
    with pytest.raises(WorkerFailure, match=r"two counting workers died .* SIGKILL"):
        workers.call({"do": "die"}, seconds=5)


def test_a_worker_of_ones_own_keeps_what_it_holds(workers: Workers) -> None:
    own = workers.own()
    assert not own.is_running
    counts = [(own.call({}, seconds=5) or {})["count"] for _ in range(3)]
    assert counts == [11, 12, 13]
    assert own.is_running
    own.close()
    assert not own.is_running
    assert (own.call({}, seconds=5) or {})["count"] == 11
    own.close()


@pytest.mark.parametrize("do", ["hang", "crash", "exit"])
def test_after_a_limit_a_worker_of_ones_own_begins_again(workers: Workers, do: str) -> None:
    own = workers.own()
    own.call({}, seconds=5)
    assert own.call({"do": do}, seconds=0.2) is None
    assert (own.call({}, seconds=5) or {})["count"] == 11
    own.close()


def test_a_worker_of_ones_own_that_dies_is_a_failure(workers: Workers) -> None:
    own = workers.own()
    with pytest.raises(WorkerFailure, match="a worker of counting died"):
        own.call({"do": "die"}, seconds=5)
    assert (own.call({}, seconds=5) or {})["count"] == 11
    own.close()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_worker_of_ones_own_ends_when_it_is_collected(workers: Workers) -> None:
    own = workers.own()
    pid = (own.call({}, seconds=5) or {})["pid"]
    del own
    gc.collect()
    workers.own().call({}, seconds=5)  # buries the other
    end = time.monotonic() + 20
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_function_that_cannot_be_loaded_is_a_failure() -> None:
    with pytest.raises(WorkerFailure, match="did not start: ValueError: no such thing"):
        Workers("counting_worker:broken", name="broken").call({}, seconds=5)
    with pytest.raises(WorkerFailure, match=r"did not start: .*no_such_module"):
        Workers("no_such_module:load", name="missing").call({}, seconds=5)


def test_equal_functions_share_their_workers() -> None:
    first = workers_for("counting_worker:load", {"first": 1}, name="shared")
    assert workers_for("counting_worker:load", {"first": 1}, name="shared") is first
    assert workers_for("counting_worker:load", {"first": 2}, name="shared") is not first
