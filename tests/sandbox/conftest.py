"""Boxes of each kind that runs on this machine."""

from collections.abc import Iterator

import pytest

from textgym.errors import SandboxFailure
from textgym.sandbox import Limits, Sandbox


@pytest.fixture(params=["bwrap", "landlock"])
def kind(request: pytest.FixtureRequest) -> str:
    """A kind of box that keeps programs in; the test is skipped where it does not run."""
    try:
        Sandbox(request.param).close()
    except SandboxFailure as failure:
        pytest.skip(str(failure))
    return str(request.param)


@pytest.fixture
def box(kind: str) -> Iterator[Sandbox]:
    """A box whose limits are reached soon."""
    limits = Limits(cpu_seconds=1, memory_mb=256, disk_mb=4, processes=8, output_bytes=20_000)
    with Sandbox(kind, limits=limits) as box:
        yield box
