"""A worker process that confines itself keeps computing, and can do nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile_worker import ATTEMPTS

from textgym.concurrency.workers import Workers
from textgym.errors import SandboxFailure
from textgym.sandbox import confine
from textgym.sandbox.landlock import libc

if libc.syscall(444, None, 0, 1) < 1:  # the version of Landlock
    pytest.skip("needs a kernel with Landlock", allow_module_level=True)


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    workers = Workers("hostile_worker:load", name="hostile")
    yield workers
    workers.close()


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_a_confined_worker_is_refused(workers: Workers, attempt: str, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("secret")
    target = tmp_path if attempt == "list" else path
    reply = workers.call({"attempt": attempt, "path": str(target)}, seconds=10)
    assert reply is not None
    assert "refused" in reply, reply
    assert path.read_text() == "secret"


def test_what_cannot_be_confined_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confine, "known_architecture", lambda: False)
    with pytest.raises(SandboxFailure, match="cannot be confined, which needs Linux"):
        confine.confine_process([])
