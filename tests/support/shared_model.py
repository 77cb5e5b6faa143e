"""SmolLM2 is read from its file once in a process, and each test that loads it gets a copy.

Reading takes half a minute of CPU time. The fixture is used by all tests and need not be named.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from textgym.policies import models

_load = models._load_with
_loaded: dict[tuple[str, str], Any] = {}


@pytest.fixture(scope="session", autouse=True)
def shared_model() -> Iterator[None]:
    """Let policies of the default model share one reading of its file."""

    def load(loader: str, model: str, **options: Any) -> Any:
        if model not in ("", models.DEFAULT_MODEL):
            return _load(loader, model, **options)
        key = (loader, repr(options))
        if key not in _loaded:
            _loaded[key] = _load(loader, model, **options)
        return copy.deepcopy(_loaded[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models, "_load_with", load)
        yield
