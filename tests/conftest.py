"""Fixtures of all tests. Tests that need the shared cases and data are skipped without them."""

from __future__ import annotations

import gc
import math
import os
import re
import signal
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

if "PYTEST_XDIST_WORKER" in os.environ:  # several workers that use all cores slow each other down
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.pop("COLUMNS", None)  # the width of the terminal, which its output does not go to

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # no test asks the hub

# Shells start background jobs with SIGINT ignored, and the tests' own processes inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples each time, and no deadline, since a busy machine is no failure. With
# --hypothesis-profile=explore, other examples each time; with few, a fifth of them.
settings.register_profile("explore", deadline=None)
settings.register_profile("tests", deadline=None, derandomize=True, database=None)
settings.register_profile("few", settings.get_profile("tests"), max_examples=20)
settings.load_profile("tests")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    if not SHARED.is_dir():
        pytest.skip("the folder of shared cases and data is missing")
    return SHARED


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--cases", type=int, metavar="N", help="run about N cases of each test, evenly spread"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files whose tests are all deselected by a marker: their imports take seconds."""
    deselected = re.findall(r"not (model|slow)\b", config.option.markexpr)
    if not deselected or collection_path.suffix != ".py":
        return None
    marks = re.search(r"^pytestmark = (\[.*?\]|.*?)$", collection_path.read_text(), re.M | re.S)
    if marks and any(f"pytest.mark.{mark}" in marks[1] for mark in deselected):
        return True
    return None


@pytest.hookimpl(trylast=True)  # after -m and -k
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    most = config.getoption("--cases")
    if most is None:
        return
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = {
        item for found in cases.values() for item in found[:: max(1, math.ceil(len(found) / most))]
    }
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep garbage collections off the millions of objects that collecting makes."""
    gc.disable()
    result = yield
    gc.freeze()
    gc.enable()
    return result


@pytest.fixture(scope="session")
def needs_sandbox() -> None:
    """Skip a test where no sandbox works."""
    from textgym.envs.program import Program
    from textgym.errors import ExtraMissingError

    try:
        Program()
    except ExtraMissingError as error:
        pytest.skip(str(error))
