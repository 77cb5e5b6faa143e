"""Tables of `textgym eval` and `metrics` in a narrow terminal: names, and what `±` is."""

from __future__ import annotations

from pathlib import Path

import pytest
from in_process import output_of, run_command

import textgym
from textgym.metrics.tables import ERRORS_NOTE

WORKPLACE = "textgym/WorkplaceAssistant-v0"
NAMES = ("textgym/GuessNumber-v0", WORKPLACE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two runs of two environments, with repeats."""
    for name, policy in (("a", "random"), ("b", "oracle")):
        mixture = dict.fromkeys(NAMES, 1.0)
        textgym.rollout(mixture, policy, episodes=8, repeats=2, out=tmp_path / name)
    return tmp_path


def shown(folder: Path, *arguments: str, width: int = 80) -> list[str]:
    came = run_command(folder, *arguments, NO_COLOR="1", COLUMNS=str(width))
    return output_of(came).splitlines()


@pytest.mark.parametrize("runs", [("a",), ("a", "b")])
@pytest.mark.parametrize("width", [70, 80, 100, 160])
def test_ids_are_never_broken(folder: Path, runs: tuple[str, ...], width: int) -> None:
    lines = shown(folder, "metrics", *runs, width=width)
    assert max(map(len, lines)) <= width
    words = {word for line in lines for word in line.split() if "textgym" in word}
    assert words == set(NAMES)


def test_a_name_that_does_not_fit_beside_its_figures_stands_above_them(folder: Path) -> None:
    narrow = shown(folder, "metrics", "a")
    above = narrow.index(f"{WORKPLACE} (test)")
    assert narrow[above + 1].split()[:3] == ["8", "0.000", "±0.000"]
    assert narrow[above + 2].startswith("  level 1 ")
    wide = shown(folder, "metrics", "a", width=160)
    row = next(line for line in wide if line.startswith(f"{WORKPLACE} (test) "))
    assert row.split()[2:5] == ["8", "0.000", "±0.000"]


def test_the_names_of_runs_stay_beside_their_figures(folder: Path) -> None:
    lines = shown(folder, "metrics", "a", "b", "--by", "env")
    above = lines.index(f"{WORKPLACE} (test)")
    assert [line.split()[0] for line in lines[above + 1 : above + 3]] == ["A", "B"]


def test_a_line_says_what_the_interval_is(folder: Path) -> None:
    played = shown(folder, "eval", WORKPLACE, "--policy", "random", "--episodes", "2", "--out", "c")
    for lines in (shown(folder, "metrics", "a"), shown(folder, "metrics", "a", "b"), played):
        assert lines.count(ERRORS_NOTE) == 1


def test_no_line_says_it_if_all_episodes_failed(folder: Path) -> None:
    pytest.importorskip("aiohttp")
    server = "openai:none@http://127.0.0.1:9/v1"
    arguments = ("eval", WORKPLACE, "--policy", server, "--episodes", "2", "--out", "c")
    came = run_command(folder, *arguments, "--policy-set", "retries=0", COLUMNS="80")
    assert came.returncode == 1
    assert "stored in c" in came.stdout
    assert ERRORS_NOTE not in came.stdout
