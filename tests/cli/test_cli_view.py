"""`textgym view`: which episodes are shown, their order, and their text."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from in_process import output_of, run_command
from pseudo_terminal import Terminal
from stored_episodes import MCQA, episode, stored

import textgym
from textgym.errors import RunError, UnknownNameError, UsageError
from textgym.trajectories.selection import EpisodeFilter, Search

COMMAND = [sys.executable, "-c", "from textgym.cli import main; main()", "view"]
CALL = {"name": "find", "arguments": '{"code": "say(\\"Grüße\\")\\nend"}'}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    said = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": CALL}]}
    stored(
        tmp_path / "run",
        episode(0),
        episode(1, None),
        episode(2, 0.5, env_id="demo/Other-v0", info={}, stop_reason="max_turns"),
        episode(3, 0.0, messages=[{"role": "user", "content": "\u202eHello"}, said]),
        episode(4, 0.0, info={"level": "2", "category": "sums"}, task_id="test-2-4"),
    )
    return tmp_path


def view(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_command(folder, "view", *arguments)


def indices(folder: Path, *arguments: str) -> list[int]:
    lines = output_of(view(folder, "run", "--json", *arguments)).splitlines()
    return [json.loads(line)["task_index"] for line in lines]


def found(
    episodes: list[dict[str, Any]], order: str = "worst", limit: int = 0, **wanted: Any
) -> Any:
    search = Search(iter(episodes), EpisodeFilter(**wanted), order, limit)
    return [item["task_index"] for item in search]


# What is shown


def test_the_header_of_an_episode(folder: Path) -> None:
    came = view(folder, "run", "--limit", "1")
    assert (came.returncode, came.stderr) == (0, "")
    assert came.stdout.startswith(
        "5 of 5 episodes, 1 shown\n\n"
        "=== 1. textgym/MCQA-v0, task 3 (test-1-3), repeat 0\n"
        "level 1, category words, 1 turn, 20 + 3 tokens, 1 attempt, 1.2 s\n"
        "reward 0, no success, stop reason answer\n\n"
        "[user]\n\\u202eHello\n\n[assistant]\n-> find\n"
    )
    assert came.stdout.endswith(
        "[end]\nreward: 0\ncomponents: correct 0\nsuccess: no\nstop reason: answer\n"
        "extracted answer: B\n"
    )


def test_a_failed_episode_shows_the_failure(folder: Path) -> None:
    came = view(folder, "run", "--failed")
    assert came.stdout == (
        "1 of 5 episodes\n\n"
        "=== 1. textgym/MCQA-v0, task 1 (test-1-1), repeat 0\n"
        "level 1, category words, 1 turn, 20 + 3 tokens, 1 attempt, 1.2 s\n"
        "no reward\n"
        "failed at the policy: PolicyFailure: no server\\x1b[2J\n\n"
        "[user]\nQuestion 1\n"
    )


def test_tools_are_named_or_shown_in_full(tmp_path: Path) -> None:
    tool = {"type": "function", "function": {"name": "find", "description": "Find it."}}
    stored(tmp_path / "run", episode(0, tools=[tool, tool]))
    named = view(tmp_path, "run").stdout
    assert "\ntools: find, find\n" in named
    assert "Find it." not in named
    assert "[tools]\nfind: Find it.\n" in view(tmp_path, "run", "--tools").stdout


def test_json_gives_trajectories_in_order(folder: Path) -> None:
    assert indices(folder) == [3, 4, 2, 0, 1]
    assert indices(folder, "--order", "best", "--limit", "2") == [0, 2]
    first = view(folder, "run", "--json", "--limit", "1").stdout
    assert json.loads(first) == episode(3, 0.0, messages=json.loads(first)["messages"])
    assert "\u202e" not in first


def test_options_select_episodes(folder: Path) -> None:
    options = "--env Other-v0 --task 2 --stop-reason max_turns --text QUESTION --no-success"
    assert indices(folder, *options.split()) == [2]
    assert indices(folder, "--level", "2", "--category", "sums") == [4]
    assert indices(folder, "--success") == [0]
    assert indices(folder, "--order", "stored", "--limit", "0") == [0, 1, 2, 3, 4]


def test_in_stored_order_the_count_comes_last(folder: Path) -> None:
    lines = view(folder, "run", "--order", "stored", "--limit", "0").stdout.splitlines()
    assert lines[-1] == "5 of 5 episodes"
    assert [line[4] for line in lines if line.startswith("===")] == ["1", "2", "3", "4", "5"]


def test_episodes_of_a_rollout_can_be_viewed(tmp_path: Path) -> None:
    textgym.rollout(MCQA, "random", episodes=20, out=tmp_path / "run")
    shown = view(tmp_path, "run", "--no-success").stdout
    assert re.match(r"\d+ of 20 episodes, 10 shown\n", shown)
    assert shown.count("[end]\nreward: 0\n") == 10


def test_a_closed_pipe_gives_no_traceback(folder: Path) -> None:
    command = " ".join(f"'{word}'" for word in [*COMMAND, "run"])
    done = subprocess.run(
        f"{command} | true", shell=True, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""


def in_terminal(folder: Path, *arguments: str, **environment: str) -> str:
    """Return what the command writes in a pseudo-terminal."""
    terminal = Terminal(folder, "view", *arguments, **environment)
    assert terminal.exit_code() == 0
    return terminal.seen


def test_a_terminal_gets_colours_through_the_pager(folder: Path) -> None:
    pager = "sed s/^reward/REWARD/"
    seen = in_terminal(folder, "run", "--task", "0", PAGER=pager)
    assert "\x1b[1m=== 1. textgym/MCQA-v0" in seen
    assert "\nREWARD 1, success" in seen
    assert "\x1b[1;36m[user]\x1b[0m" in seen


@pytest.mark.slow
@pytest.mark.parametrize("pager", ["", "no-such-pager -x", "true"])
def test_a_missing_pager_or_one_that_quits_is_no_error(folder: Path, pager: str) -> None:
    seen = in_terminal(folder, "run", PAGER=pager)
    assert "Traceback" not in seen
    assert ("5 of 5 episodes" in seen) == (pager != "true")


# Errors


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        ("nowhere", 2, "'nowhere' holds no run: No such file or directory"),
        ("run --order newest", 2, "there is no order 'newest'; known are best, stored, worst"),
        ("run --order wrst", 2, "there is no order 'wrst'; did you mean 'worst'?"),
        ("run --limit -1", 2, "limit must be 0 (all) or more, not -1"),
        ("run --env Nope-v0", 1, "none of the 5 episodes in 'run' matches"),
        ("run --env Nope-v0 --json", 1, "none of the 5 episodes in 'run' matches"),
        ("empty", 1, "no episode in 'empty' matches"),
        ("broken", 2, "line 2 of 'broken/trajectories.jsonl' is broken"),
        ("other", 2, "has version 7 of the schema"),
        ("odd", 2, "episode 1 is not a trajectory: it has no 'messages'"),
    ],
)
def test_an_error_is_one_line(folder: Path, arguments: str, code: int, expected: str) -> None:
    stored(folder / "empty")
    stored(folder / "broken", episode(0))
    with (folder / "broken" / "trajectories.jsonl").open("a") as file:
        file.write('{"env_id": \n')
    stored(folder / "other", episode(0, version=7))
    stored(folder / "odd", {k: v for k, v in episode(0).items() if k != "messages"})
    came = view(folder, *arguments.split())
    assert (came.returncode, came.stdout) == (code, "")
    assert came.stderr.startswith("textgym: ")
    assert expected in came.stderr
    assert came.stderr.count("\n") == 1


# Searching


def test_episodes_of_equal_reward_keep_their_stored_order() -> None:
    episodes = [episode(0, 1), episode(1, None), episode(2, -1), episode(3, 1), episode(4, -1)]
    assert found(episodes) == [2, 4, 0, 3, 1]
    assert found(episodes, limit=3) == [2, 4, 0]
    assert found(episodes, "best") == [0, 3, 2, 4, 1]
    assert found(episodes, "stored", 2) == [0, 1]
    assert found(episodes, failed=True) == [1]
    assert found(episodes, failed=False, limit=10) == [2, 4, 0, 3]


@pytest.mark.parametrize(
    "text",
    ["GRÜSSE", 'say("', "grüße", "find", "CODE", "b\nc", "thought", "no, thanks", "in a part"],
)
def test_a_text_is_found_in_every_part_of_a_message(text: str) -> None:
    call = {"id": "x", "function": {"name": "find", "arguments": {"code": 'say("Grüße")'}}}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "in a part"}, {"type": "image"}]},
        {"role": "assistant", "content": "a b\nc", "reasoning_content": "Thought"},
        {"role": "assistant", "content": None, "tool_calls": [call], "refusal": "No, thanks"},
    ]
    assert found([episode(0, messages=messages)], text=text) == [0]


@pytest.mark.parametrize("text", ["assistant", "tool_calls", "function", "another"])
def test_roles_and_keys_are_not_searched(text: str) -> None:
    messages = [{"role": "assistant", "content": "x", "tool_calls": [{"function": CALL}]}]
    assert found([episode(0, messages=messages)], text=text) == []


def test_a_text_is_found_in_arguments_with_json_escapes() -> None:
    messages = [{"role": "assistant", "tool_calls": [{"function": CALL}]}]
    assert found([episode(0, messages=messages)], text='say("grüße")\nend') == [0]


@pytest.mark.parametrize(
    "odd", ["x", 5, None, {"content": 5}, {"tool_calls": [3]}, {"content": {}}]
)
def test_malformed_messages_are_searched_without_an_error(odd: Any) -> None:
    assert found([episode(0, messages=[odd])], text="no such text") == []


def test_no_more_episodes_than_the_limit_are_kept_in_memory() -> None:
    def many() -> Iterator[dict[str, Any]]:
        for index in range(5000):
            yield episode(
                index, -float(index), messages=[{"role": "user", "content": "x" * 10_000}]
            )

    tracemalloc.start()
    search = Search(many(), EpisodeFilter(text="X"), "worst", 3)
    assert [item["task_index"] for item in search] == [4999, 4998, 4997]
    assert (search.matched, search.total) == (5000, 5000)
    assert tracemalloc.get_traced_memory()[1] < 2_000_000
    tracemalloc.stop()


PROMPTS = [[{"role": "user", "content": text}] for text in ("One?", "Two?")]


@pytest.mark.parametrize(
    ("name", "ids"), [("row-0", ("row-0", "row-0")), ("1", ("1", "2"))], ids=["ids", "id and index"]
)
def test_different_tasks_of_one_name_are_not_mixed(name: str, ids: tuple[str, str]) -> None:
    episodes = [episode(n, task_id=ids[n], messages=PROMPTS[n]) for n in range(2)]
    with pytest.raises(
        UsageError, match="have the indices 0 and 1: name one as index:0 or index:1"
    ):
        found(episodes, task=name)
    assert found(episodes, task="index:1") == [1]


def test_repeats_and_equal_rows_and_other_environments_may_share_a_name() -> None:
    row = {"task_id": "row-0", "messages": PROMPTS[0]}
    other = {**row, "env_id": "demo/Other-v0", "messages": PROMPTS[1]}
    episodes = [episode(0, **row), episode(0, **row, repeat=1), episode(1, **row)]
    assert found([*episodes, episode(2, **other)], "stored", task="row-0") == [0, 0, 1, 2]


def test_an_episode_that_failed_before_it_had_an_id_is_found_by_index() -> None:
    failed = episode(0, None, task_id=None, messages=[], steps=[])
    assert found([episode(0), failed], "stored", task="0") == [0, 0]


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="no order 'x'"):
        Search([], EpisodeFilter(), "x")
    with pytest.raises(UsageError, match="limit must be 0"):
        Search([], EpisodeFilter(), limit=-1)
    with pytest.raises(RunError, match="episode 1 is not a trajectory"):
        list(Search([{}], EpisodeFilter()))


# The report


def test_the_report_is_written_and_opened(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert output_of(view(folder, "run", "--html")) == "wrote run/report.html\n"
    page = folder / "run" / "report.html"
    assert opened == [page.as_uri()]
    assert page.read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    "option", [["--failed"], ["--level", "1"], ["--json"], ["--limit", "3"], ["--order", "best"]]
)
def test_the_report_has_all_episodes(folder: Path, option: list[str]) -> None:
    came = view(folder, "run", "--html", *option)
    assert came.returncode == 2
    assert came.stderr == ("textgym: --html shows all episodes: choose them on the page\n")
    assert not (folder / "run" / "report.html").exists()
