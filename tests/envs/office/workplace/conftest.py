"""A small company's databases, and an environment with them."""

from __future__ import annotations

import pytest
from workplace_data import request, write_database

from textgym.envs.office.workplace import WorkplaceAssistant


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_database(tmp_path_factory.mktemp("company") / "databases")


@pytest.fixture
def env(folder: str) -> WorkplaceAssistant:
    made = WorkplaceAssistant(database=folder)
    made.reset(options={"task": request()})
    return made
