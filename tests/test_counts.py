"""No change makes an episode dearer unseen: calls and instructions are counted, not timed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import textgym

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


def test_an_episode_needs_no_more_than_the_committed_calls_and_instructions() -> None:
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / "counts.py")],
        capture_output=True,
        text=True,
        timeout=300,
    )
    if "other versions" in done.stdout:
        pytest.skip(done.stdout.splitlines()[-1])
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import counts

    return counts


@pytest.mark.parametrize(
    ("now", "grown", "note"),
    [(100.0, [], ""), (103.0, [], ""), (103.1, ["MCQA, calls"], "too high"), (90.0, [], ""),
     (89.0, [], "lower: commit it with --update")],
)  # fmt: skip
def test_a_figure_may_be_three_per_cent_higher(
    counts: Any, capsys: pytest.CaptureFixture[str], now: float, grown: list[str], note: str
) -> None:
    assert counts.report({"calls": {"MCQA": now}}, {"calls": {"MCQA": 100.0}}) == grown
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("MCQA"))
    assert line.endswith(note or f"{now / 100:.3f}")


def test_a_figure_that_is_not_committed_is_too_high(counts: Any) -> None:
    assert counts.report({"calls": {"MCQA": 5.0}}, {"calls": {}}) == ["MCQA, calls"]


def test_calls_and_instructions_are_counted_without_what_sets_up(counts: Any) -> None:
    def set_up() -> list[int]:
        return [number * 2 for number in range(100)]

    def episode() -> int:
        return 1

    def play(episodes: int) -> None:
        set_up()
        for _ in range(episodes):
            episode()

    assert counts.per_episode(play, counts.calls, 3) == 1.0
    per_episode = counts.per_episode(play, counts.instructions, 3)
    assert 5 <= per_episode == counts.per_episode(play, counts.instructions, 10) <= 20


@pytest.mark.parametrize(
    "action",
    [r"So \boxed{A}", "", "I think it is A or B, not C.", "<think>?</think>\\boxed{(B) because}",
     {"role": "assistant", "content": "Answer: B"}],
)  # fmt: skip
def test_a_reader_follows_a_step_of_multiple_choice_in_ten_files(action: Any) -> None:
    env = gymnasium.make("textgym/MCQA-v0")
    env.reset(seed=1)
    package, files = str(Path(textgym.__file__).parent), set()

    def note(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(package):
            files.add(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        env.step(action)
    finally:
        sys.setprofile(None)
    assert 5 <= len(files) <= 10, sorted(files)
