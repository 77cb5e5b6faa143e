"""The progress of a rollout: a bar on a terminal and in notebooks, lines elsewhere."""

from __future__ import annotations

import importlib.util
import io
from typing import Any

import pytest
from rich.console import Console

import textgym
from textgym.rollouts import progress
from textgym.rollouts.progress import RunProgress

MCQA = "textgym/MCQA-v0"


def test_a_terminal_shows_a_bar_with_the_mean_reward(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_UPDATES", -1.0)
    text = io.StringIO()
    console = Console(file=text, force_terminal=True, width=100)
    with RunProgress(console) as bar:
        textgym.rollout(MCQA, "oracle", episodes=3, on_start=bar.begin, on_episode=bar.count)
    assert "3/3" in text.getvalue()
    assert "mean reward 1.000" in text.getvalue()


def test_progress_is_shown_on_stderr(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", -1.0)
    textgym.rollout(MCQA, "oracle", episodes=2, progress=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.splitlines()[-1] == "2 of 2 episodes, mean reward 1.000"


def test_without_progress_nothing_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", -1.0)
    textgym.rollout(MCQA, "oracle", episodes=2)
    assert capsys.readouterr() == ("", "")


def test_the_callers_own_functions_are_called_too() -> None:
    begun: list[int] = []
    seen: list[Any] = []
    textgym.rollout(
        MCQA, "oracle", episodes=2, progress=True, on_start=begun.append, on_episode=seen.append
    )
    assert (begun, len(seen)) == ([2], 2)


@pytest.mark.parametrize("installed", [True, False])
def test_a_notebook_shows_a_bar_if_it_can(monkeypatch: pytest.MonkeyPatch, installed: bool) -> None:
    found = {"ipywidgets": object()} if installed else {}
    monkeypatch.setattr(importlib.util, "find_spec", found.get)
    bar = RunProgress(Console(file=io.StringIO(), force_jupyter=True))
    assert bar._bar.disable is not installed
