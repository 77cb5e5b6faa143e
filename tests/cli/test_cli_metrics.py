"""`textgym metrics`: its output for one run and for several, and its errors."""

from __future__ import annotations

import csv
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from in_process import output_of, run_command

import textgym
from textgym.metrics.run_metrics import compute_metrics
from textgym.metrics.tables import ERRORS_NOTE
from textgym.trajectories.schema import SCHEMA_VERSION

MCQA = "textgym/MCQA-v0"


def episode(
    reward: float | None, task: int = 0, repeat: int = 0, env: str = "demo/A-v0", **info: Any
) -> dict[str, Any]:
    """A trajectory as it is stored, with the keys that metrics read."""
    failed = reward is None
    return {
        "version": SCHEMA_VERSION, "env_id": env, "task_id": f"test-{task}", "task_index": task,
        "repeat": repeat, "policy": "mine", "reward": reward,
        "is_success": None if failed else reward == 1.0,
        "messages": [{"role": "user", "content": "How?"}, {"role": "assistant", "content": "So."}],
        "steps": [{"message_index": 1, "components": {"right": reward}}], "seconds": 0.5,
        "truncated": False, "stop_reason": "answer", "usage": {}, "info": info,
        "failure": {"boundary": "judge"} if failed else None,
    }  # fmt: skip


def stored(folder: Path, *episodes: dict[str, Any]) -> Path:
    """The folder of a run with these episodes."""
    folder.mkdir(parents=True)
    lines = [json.dumps(one) + "\n" for one in episodes]
    (folder / "trajectories.jsonl").write_text("".join(lines))
    return folder


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the command in the working directory; returns its exit code, output and errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*arguments: str, columns: int | None = None) -> tuple[int, str, str]:
        if columns:
            monkeypatch.setenv("COLUMNS", str(columns))
        came = run_command(tmp_path, "metrics", *arguments)
        return came.returncode, came.stdout, came.stderr

    return run


def printed(came: tuple[int, str, str]) -> list[str]:
    """The lines of a command that must succeed."""
    code, out, err = came
    assert (code, err) == (0, "")
    return out.splitlines()


def row(lines: list[str], name: str) -> list[str]:
    """The cells of the first row with this name."""
    return next(line.split() for line in lines if line.strip().startswith(f"{name} "))


# One run.


def test_metrics_are_computed_from_the_episodes_and_not_read_from_metrics_json(run: Any) -> None:
    played = textgym.rollout(MCQA, "random", episodes=10, repeats=2, out="here")
    Path("here/metrics.json").write_text("{}")
    found = json.loads(run("here", "--json")[1])
    assert found == {
        "runs": [{"run": "here", "policies": ["random"], **played.metrics}],
        "differences": [],
    }


def test_one_run_is_shown_with_all_tables(run: Any) -> None:
    levels = [
        episode(1.0, 0, level="1", extracted_answer="a"),
        episode(0.0, 0, 1, level="1", extracted_answer=""),
        episode(1.0, 1, level="10", extracted_answer="b"),
        episode(1.0, 1, 1, level="10", extracted_answer="b"),
        episode(1.0, 2, level="2", extracted_answer="c"),
        episode(None, 2, 1),
    ]
    stored(Path("mine"), *levels)
    lines = printed(run("mine"))
    assert lines[0] == "mine: mine, 3 tasks, 6 episodes, 1 failed"
    assert row(lines, "demo/A-v0") == [
        "demo/A-v0",
        "6",
        "0.800",
        "±0.789",
        "80.0%",
        "±40.0",
        "20.0%",
        "1.00",
        "1",
    ]
    names = [line.split()[1] for line in lines if line.startswith("  level ")]
    assert names == ["1", "2", "10"] * 2  # in the main table and that of repeats
    repeats = [line for line in lines if line.startswith("demo/A-v0 ")][1]
    assert repeats.split() == [
        "demo/A-v0", "75.0%", "±44.9", "100.0%", "±65.8", "50.0%", "±40.5", "100.0%", "±65.8",
        "2", "of", "3",
    ]  # fmt: skip
    assert (
        "rewards       variance 0.200, 0.250 within a task; 50.0% of tasks have equal rewards"
        in (lines)
    )
    assert "components    right 0.800" in lines
    assert "stop reasons  answer 5" in lines
    assert "failures      judge 1" in lines
    assert row(lines, "completion characters")[-4:] == ["3", "3", "3", "3"]


def test_rows_can_be_categories_or_only_environments(run: Any) -> None:
    played = [
        episode(1.0, task, env=env, level=str(task), category="sums" if task else "dates")
        for task in range(2)
        for env in ("demo/A-v0", "demo/B-v0")
    ]
    stored(Path("mine"), *played)

    def names(*arguments: str) -> list[str]:
        lines = printed(run("mine", *arguments))[3:]
        return [re.split(" {2,}", line.strip())[0] for line in lines[: lines.index(ERRORS_NOTE)]]

    assert names("--by", "env") == ["demo/A-v0", "demo/B-v0", "overall"]
    both = ["dates", "sums"]
    assert names("--by", "category") == ["demo/A-v0", *both, "demo/B-v0", *both, "overall"]
    both = ["level 0", "level 1"]
    assert names() == names("--by", "level") == ["demo/A-v0", *both, "demo/B-v0", *both, "overall"]


def test_a_run_of_failures_is_shown_without_means(run: Any) -> None:
    stored(Path("mine"), episode(None), episode(None, 1))
    lines = printed(run("mine"))
    assert row(lines, "demo/A-v0") == ["demo/A-v0", "2", "2"]
    assert "failures      judge 2" in lines


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("repeats", [1, 4, 32])
def test_tables_fit_the_terminal(run: Any, columns: int, repeats: int) -> None:
    played = [
        episode(float(task % 2), task, repeat, env=env, level=str(task % 5), extracted_answer="A")
        for env in ("textgym/MCQA-v0", "textgym/WorkplaceAssistant-v0")
        for task in range(20)
        for repeat in range(repeats)
    ]
    for one in played:
        one["usage"] = {"prompt_tokens": 12345, "completion_tokens": 12345}
    stored(Path("one"), *played)
    stored(Path("two"), *played)
    for arguments in (["one"], ["one", "two"]):
        lines = printed(run(*arguments, columns=columns))
        assert max(map(len, lines)) <= columns
        assert not any("…" in line for line in lines)
        assert any("0.500" in line for line in lines)


def test_text_from_data_sets_is_escaped(run: Any) -> None:
    hostile = ["\x1b[2Jgone", "[red]x[/red]", "one\rtwo"]
    stored(Path("mine"), *[episode(1.0, n, category=name) for n, name in enumerate(hostile)])
    text = "\n".join(printed(run("mine", "--by", "category")))
    assert "\x1b" not in text
    assert "\r" not in text
    assert "\\x1b[2Jgone" in text
    assert "[red]x[/red]" in text


# Several runs.


def test_a_run_that_was_killed_is_shown_as_partial(run: Any) -> None:
    textgym.rollout("textgym/MCQA-v0", "oracle", episodes=3, repeats=2, out="whole")
    textgym.rollout("textgym/MCQA-v0", "oracle", episodes=3, repeats=2, out="killed")
    file = Path("killed", "trajectories.jsonl")
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:4]))
    lines = printed(run("whole", "killed"))
    assert lines[:3] == [
        "A  whole: oracle, 3 tasks, 6 episodes",
        lines[1],
        "B  partial run: 4 of 6 episodes are stored",
    ]
    assert printed(run("killed"))[1] == "partial run: 4 of 6 episodes are stored"
    found = json.loads(run("killed", "--json")[1])["runs"][0]
    assert (found["planned_episodes"], found["overall"]["episodes"]) == (6, 4)


def test_several_runs_are_shown_side_by_side(run: Any) -> None:
    stored(Path("a"), *[episode(reward, n) for n, reward in enumerate((0.0, 0.5, 1.0, 0.0))])
    stored(Path("b"), *[episode(reward, n) for n, reward in enumerate((1.0, 0.5, 1.0, 0.5))])
    stored(Path("c"), episode(1.0, 8), episode(0.5, 9))
    lines = printed(run("a", "b", "c"))
    assert lines[:3] == [
        "A  a: mine, 4 tasks, 4 episodes",
        "B  b: mine, 4 tasks, 4 episodes",
        "C  c: mine, 2 tasks, 2 episodes",
    ]
    place = next(n for n, line in enumerate(lines) if line.startswith("demo/A-v0"))
    assert lines[place].split() == ["demo/A-v0", "A", "0.375", "±0.762", "25.0%", "±44.9"]
    assert lines[place + 1].split() == [
        "B",
        "0.750",
        "±0.459",
        "50.0%",
        "±35.0",
        "+0.375",
        "-0.387",
        "to",
        "+1.137",
        "4",
    ]
    cells = ["C", "0.750", "±3.177", "50.0%", "±40.5", "+0.375"]
    assert lines[place + 2].split()[:6] == cells
    assert lines[place + 2].split()[-1] == "0"
    assert lines[-4].startswith("not paired: 4 tasks of A and 2 of C; no graded task")
    assert lines[-1] == (
        "Differences are in mean reward, each run minus A. They are paired by task, over the tasks "
        "that both runs share. Runs that share no task are compared by their means."
    )


def test_differences_as_json(run: Any) -> None:
    stored(Path("a"), *[episode(0.0, n, env=env) for n in range(2) for env in "xy"])
    stored(Path("b"), *[episode(1.0, n, env=env) for n in range(3) for env in "yz"])
    found = json.loads(run("a", "b", "--json")[1])
    assert [one["run"] for one in found["runs"]] == ["a", "b"]
    (difference,) = found["differences"]
    assert (difference["run"], difference["to"]) == ("b", "a")
    assert list(difference["envs"]) == ["y"]
    assert difference["envs"]["y"]["shared_tasks"] == 2
    assert difference["overall"]["reward"] == {
        "difference": 1.0, "error": 0.0, "low": 1.0, "high": 1.0,
    }  # fmt: skip


def test_an_environment_of_only_one_run_has_a_row_without_a_difference(run: Any) -> None:
    stored(Path("a"), *[episode(0.0, n, env="x") for n in range(2)])
    stored(Path("b"), *[episode(1.0, n, env=env) for n in range(2) for env in "xy"])
    lines = printed(run("a", "b"))
    assert row(lines, "y") == ["y", "B", "1.000", "±0.000", "100.0%", "±65.8"]
    assert row(lines, "overall") == ["overall", "A", "0.000", "±0.000", "0.0%", "±65.8"]


def test_a_run_compared_with_itself_has_difference_0(run: Any) -> None:
    stored(Path("a"), *[episode(float(n), n) for n in range(2)])
    lines = printed(run("a", "a"))
    assert any(line.split()[-5:] == ["+0.000", "+0.000", "to", "+0.000", "2"] for line in lines)


def test_rows_name_the_splits_that_were_played(run: Any) -> None:
    for name, split in (("a", "test"), ("b", "train"), ("c", "test")):
        stored(Path(name), episode(1.0), episode(0.0, 1))
        Path(name, "run.json").write_text(json.dumps({"splits": {"demo/A-v0": split}}))
    assert row(printed(run("a")), "demo/A-v0 (test)")
    assert row(printed(run("a", "c")), "demo/A-v0 (test)")
    assert row(printed(run("a", "b")), "demo/A-v0 (test, train)")


# Other formats.


def test_csv_has_plain_numbers_and_the_ends_of_intervals(run: Any) -> None:
    stored(Path("a"), *[episode(0.0, n, level=str(n % 2)) for n in range(20)])
    stored(Path("b"), *[episode(float(n % 2), n, level=str(n % 2)) for n in range(20)])
    records = list(csv.DictReader(printed(run("a", "b", "--format", "csv"))))
    keys = [(record["run"], record["environment"], record["group"]) for record in records]
    assert keys == [(name, "demo/A-v0", group) for group in ("", "0", "1") for name in "ab"]
    assert records[0]["success_rate"] == records[0]["success_low"] == "0.0"
    assert float(records[0]["success_high"]) == pytest.approx(0.16112515805281893)
    assert records[0]["difference"] == ""
    assert (records[1]["difference"], records[1]["shared_tasks"]) == ("0.5", "20")
    assert float(records[1]["difference_low"]) < 0.5 < float(records[1]["difference_high"])


def test_a_run_of_failures_is_empty_in_csv(run: Any) -> None:
    stored(Path("a"), episode(None))
    (record,) = csv.DictReader(printed(run("a", "--format", "csv")))
    assert (record["failures"], record["mean_reward"], record["success_high"]) == ("1", "", "")


def test_markdown_has_the_tables_of_the_terminal(run: Any) -> None:
    stored(Path("a"), *[episode(0.0, n, category=("a|b\nc", "d")[n % 2]) for n in range(20)])
    lines = printed(run("a", "--format", "md", "--by", "category"))
    header, rule, first, escaped = lines[lines.index("") + 1 :][:4]
    assert header.startswith("|  | episodes | reward | success |")
    assert rule.startswith("| --- | ---: | ---: | ---: |")
    assert first.startswith("| demo/A-v0 | 20 | 0.000 ±0.000 | 0.0% ±16.1 |")
    assert escaped.startswith("| a\\|b c | 10 |")
    assert first.count("|") == rule.count("|") == header.count("|")


def test_format_json_is_json(run: Any) -> None:
    stored(Path("a"), episode(1.0))
    assert run("a", "--format", "json") == run("a", "--json")


# Errors.


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("nowhere", "'nowhere' holds no run: No such file or directory"),
        ("good nowhere", "'nowhere' holds no run"),
        ("folder", "'folder' holds no run: it has no trajectories.jsonl"),
        ("runs", "'runs' holds no run; name one in it, such as 'runs/a'"),
        ("good/trajectories.jsonl", "holds no run: Not a directory"),
        ("empty", "'empty' contains no episodes"),
        ("torn", "'torn' contains no episodes"),
        ("broken", "line 2 of 'broken/trajectories.jsonl' is broken"),
        ("other", "line 1 of 'other/trajectories.jsonl' has version 99 of the schema"),
        ("lacking", "episode 1 of 'lacking' is not a valid trajectory: KeyError: 'info'"),
        ("odd", "episode 2 of 'odd' is not a valid trajectory"),
        ("good --format cvs", "no format 'cvs'; did you mean 'csv'?"),
        ("good --by lvel", "no group 'lvel'; did you mean 'level'?"),
    ],
)
def test_a_user_error_is_one_line_with_exit_code_2(run: Any, arguments: str, expected: str) -> None:
    good = episode(1.0)
    stored(Path("good"), good)
    Path("folder").mkdir()
    stored(Path("runs/b"), good)
    stored(Path("runs/a"), good)
    stored(Path("empty"))
    for name, text in {
        "torn": json.dumps(good),
        "broken": json.dumps(good) + "\n{\n",
        "other": json.dumps({**good, "version": 99}) + "\n",
        "lacking": json.dumps({k: v for k, v in good.items() if k != "info"}) + "\n",
        "odd": json.dumps(good) + "\n" + json.dumps({**good, "reward": "much"}) + "\n",
    }.items():
        Path(name).mkdir()
        Path(name, "trajectories.jsonl").write_text(text)
    code, out, err = run(*arguments.split())
    assert (code, out) == (2, "")
    assert err.startswith("textgym: ")
    assert expected in err
    assert err.count("\n") == 1


# As a process.


@pytest.mark.slow
def test_stdout_is_only_json_and_a_terminal_shows_the_status_line(tmp_path: Path) -> None:
    played = [episode(1.0, n) for n in range(2_000)]
    stored(tmp_path / "mine", *played)
    terminal, other_end = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-c", "from textgym.cli import main; main()", "metrics", "mine",
             "--json"],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=other_end, text=True, check=True,
            env={**os.environ, "TERM": "xterm"},
        )  # fmt: skip
        seen = os.read(terminal, 100_000).decode()
    finally:
        os.close(terminal)
        os.close(other_end)
    (found,) = json.loads(done.stdout)["runs"]
    assert found["overall"]["episodes"] == 2_000
    assert found["overall"] == compute_metrics(played)["overall"]
    assert "reading mine" in seen


def test_characters_that_the_encoding_lacks_are_escaped(tmp_path: Path) -> None:
    stored(tmp_path / "mine", episode(1.0), episode(0.0, 1))
    assert "\\xb1" in output_of(run_command(tmp_path, "metrics", "mine", encoding="ascii"))


def test_prices_give_the_cost_of_each_run(run: Any, tmp_path: Path) -> None:
    usage = {"prompt_tokens": 1_500_000, "completion_tokens": 250_000}
    stored(tmp_path / "a", {**episode(1.0), "usage": usage}, {**episode(0.0, 1), "usage": usage})
    stored(tmp_path / "b", {**episode(1.0), "usage": usage})
    prices = ("--prompt-price", "0.2", "--completion-price", "2")
    assert (
        "cost 1.6000, 0.800000 per episode, for 3,000,000 prompt and 500,000 completion tokens"
        in printed(run("a", *prices))
    )
    both = json.loads("\n".join(printed(run("a", "b", *prices, "--json"))))["runs"]
    assert [(each["overall"]["cost"], each["overall"]["cost_per_episode"]) for each in both] == [
        (pytest.approx(1.6), pytest.approx(0.8)),
        (pytest.approx(0.8), pytest.approx(0.8)),
    ]
    assert not any("cost" in line for line in printed(run("a")))
