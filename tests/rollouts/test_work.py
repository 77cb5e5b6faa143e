"""Runs that several workers play: each episode once, whenever workers are killed."""

from __future__ import annotations

import asyncio
import json
import math
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from in_process import output_of, run_command
from repository import ROOT
from run_contents import content
from shared_runs import PATIENCE, begin, killed_after, one_process, stored

import textgym
from textgym.cli import worker
from textgym.cli.worker import play_as_worker
from textgym.errors import RunError
from textgym.metrics.run_index import RunIndex, read_index
from textgym.rollouts import merging, work
from textgym.rollouts.leases import LeaseBoard, SharedFolder
from textgym.rollouts.merging import collect_segments, has_episodes, refresh_run
from textgym.rollouts.work import Work, WorkPlan
from textgym.trajectories.run_folder import RunFolder

MCQA, GUESS = "textgym/MCQA-v0", "textgym/GuessNumber-v0"


def test_one_worker_plays_the_run_of_one_process(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run")
    run = play_as_worker(folder)
    assert run.metrics["overall"]["episodes"] == 40
    assert content(folder) == one_process(tmp_path / "one")


def test_workers_at_the_same_time_play_each_episode_once(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run")
    threads = [threading.Thread(target=play_as_worker, args=(folder, 3)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert content(folder) == one_process(tmp_path / "one")


@given(st.lists(st.integers(1, 39), max_size=4), st.integers(1, 20))
@settings(max_examples=6)
def test_killed_workers_lose_and_double_nothing(kills: list[int], blocks: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = begin(Path(name) / "run", blocks=blocks)
        for episodes in kills:
            killed_after(folder, episodes, 1 + episodes % 3)
        play_as_worker(folder)
        assert content(folder) == one_process(Path(name) / "one")


def test_what_a_killed_worker_stored_is_not_played_again(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", blocks=2)
    killed_after(folder, 13)
    run = play_as_worker(folder)
    assert run.metrics["overall"]["episodes"] == 27
    assert stored(folder) == 40


def test_worker_that_is_stopped_gives_its_blocks_back(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", blocks=1)
    plan = WorkPlan.read(folder)
    (folder / "plan.json").write_text(json.dumps({**plan._asdict(), "patience": 1e9}))

    def stop(_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_as_worker(folder, 1, stop)
    play_as_worker(folder)
    assert content(folder) == one_process(tmp_path / "one")


@pytest.mark.parametrize(
    ("envs", "options"),
    [
        ({MCQA: 3.0, GUESS: 1.0}, {"start": 3}),
        (MCQA, {"tasks": [7, 1, 4], "episodes": None}),
        (MCQA, {"env_kwargs": {"level": 2}, "wrappers": ["StepPenalty:amount=0.01"], "seed": 3}),
    ],
    ids=["mixture", "indices", "settings"],
)
def test_other_runs(envs: Any, options: dict[str, Any], tmp_path: Path) -> None:
    run = {"envs": envs, **{name: value for name, value in options.items() if value is not None}}
    plan = {"policy": "random", "repeats": 2, "episodes": 20, **run}
    if "tasks" in plan:
        del plan["episodes"]
    WorkPlan(plan, 3, PATIENCE).write(tmp_path / "run", resume=False)
    play_as_worker(tmp_path / "run")
    assert content(tmp_path / "run") == one_process(tmp_path / "one", envs, **options)


def test_readers_see_the_episodes_so_far(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", blocks=4)
    killed_after(folder, 7)
    killed_after(folder, 5)
    found = json.loads(output_of(run_command(tmp_path, "metrics", "run", "--json")))
    assert found["runs"][0]["overall"]["episodes"] == 12
    assert found["runs"][0]["planned_episodes"] == 40
    assert "12 episodes" in output_of(run_command(tmp_path, "view", "run", "--limit", "1"))
    assert "12 the same" in output_of(run_command(tmp_path, "rescore", "run"))
    output_of(run_command(tmp_path, "report", "run"))
    with pytest.raises(RunError, match="has not finished"):
        textgym.Run.load(folder)
    assert run_command(tmp_path, "worker", "run").returncode == 0
    assert content(folder) == one_process(tmp_path / "one")


def test_functions_see_the_episodes_so_far(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", blocks=4)
    killed_after(folder, 7)
    assert textgym.rescore(folder).counts["same"] == 7
    killed_after(folder, 5)
    textgym.refresh_run(folder)
    assert textgym.compute_metrics(folder)["overall"]["episodes"] == 12


NOT_ROOT = """
import os, sys, textgym, textgym.rollouts, textgym.envs.mcqa.mcqa_env
if os.geteuid() == 0:
    os.setuid(65534)
textgym.refresh_run(sys.argv[1])
print(textgym.compute_metrics(sys.argv[1])["overall"]["episodes"])
"""


def test_a_folder_that_cannot_be_written_shows_what_was_merged() -> None:
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)  # for the user without rights, whom the process becomes
        folder = begin(Path(place) / "run", blocks=4)
        killed_after(folder, 7)
        textgym.refresh_run(folder)
        killed_after(folder, 5)
        folder.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", NOT_ROOT, str(folder)], capture_output=True, text=True, cwd="/"
        )
        folder.chmod(0o755)
    assert done.stdout == "7\n", done.stderr


def test_what_readers_saw_is_kept(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", blocks=4)
    killed_after(folder, 7)
    refresh_run(folder)
    before = (folder / "trajectories.jsonl").read_bytes().splitlines()
    play_as_worker(folder)
    assert set(before) <= set((folder / "trajectories.jsonl").read_bytes().splitlines())


def test_readers_do_not_wait_for_another_one(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", blocks=4)
    killed_after(folder, 7)
    refresh_run(folder)
    killed_after(folder, 3)
    config = json.loads((folder / "run.json").read_bytes())
    other = RunFolder(folder, config, resume=True)
    try:
        refresh_run(folder)
        assert len((folder / "trajectories.jsonl").read_bytes().splitlines()) == 7
    finally:
        other.close()


def test_run_of_workers_is_resumed_without_workers(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", blocks=4)
    killed_after(folder, 7)
    played: list[Any] = []
    options: dict[str, Any] = {"episodes": 20, "repeats": 2}
    textgym.rollout(MCQA, "random", out=folder, resume=True, on_episode=played.append, **options)
    assert len(played) == 33
    found, wanted = content(folder), one_process(tmp_path / "one")
    assert found["metrics.json"] == wanted["metrics.json"]


def test_failed_episodes_are_stored_and_not_played_for_ever(tmp_path: Path) -> None:
    (tmp_path / "down.py").write_text(
        "import textgym\n"
        "class Down(textgym.Policy):\n"
        "    name = 'down'\n"
        "    async def act(self, messages, tools, **_):\n"
        "        raise textgym.PolicyFailure('down')\n"
    )
    run = ("eval", MCQA, "--policy", "down:Down", "--episodes", "6", "--out", "run")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        WorkPlan(
            {"envs": [MCQA], "policy": "down:Down", "episodes": 6, "retries": 0}, 2, PATIENCE
        ).write(tmp_path / "run", resume=False)
        done = run_command(tmp_path, "worker", "run")
    assert (done.returncode, done.stdout) == (0, "6 episodes, 6 failed\n"), run
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_bytes())
    assert metrics["overall"]["failures"] == 6


def test_segment_that_a_crash_left_without_a_run_json_is_played_again(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", blocks=2)
    killed_after(folder, 9)
    (segment,) = folder.glob("segments/*")
    (segment / "run.json").write_bytes(b"")
    killed_after(folder, 2)
    refresh_run(folder)
    assert len((folder / "trajectories.jsonl").read_bytes().splitlines()) == 2
    play_as_worker(folder)
    assert content(folder) == one_process(tmp_path / "one")


class LateSegments:
    """Shows segments late, as the cache of a network file system does.

    At the first looks a segment has no episodes; then it has a part of its lines, and the last of
    them is cut.

    Args:
        cache: The folder with what is shown.
        looks: How many looks at a segment show nothing, and how many more show a part.
    """

    def __init__(self, cache: Path, looks: int) -> None:
        self.cache, self.late = cache, looks
        self.looks = Counter[Path]()

    def has_episodes(self, segment: Path) -> bool:
        self.looks[segment] += 1
        return has_episodes(segment) and self.looks[segment] > self.late

    def read_index(self, path: Path, **options: Any) -> RunIndex:
        seen = self.looks[path]
        if path.parent.name != "segments" or not self.late < seen <= 2 * self.late:
            return read_index(path, **options)
        shown = self.cache / path.name / str(seen)
        shown.mkdir(parents=True, exist_ok=True)
        whole = (path / "trajectories.jsonl").read_bytes()
        (shown / "trajectories.jsonl").write_bytes(whole[: len(whole) * seen // (3 * self.late)])
        return read_index(shown, **options)


@pytest.mark.parametrize("looks", [1, 2, 5])
def test_segments_that_are_seen_late_lose_and_double_nothing(looks: int, tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", blocks=3)
    killed_after(folder, 9)
    killed_after(folder, 17)
    late = LateSegments(tmp_path / "cache", looks)
    with pytest.MonkeyPatch.context() as patch:
        for module in (merging, work):
            patch.setattr(module, "has_episodes", late.has_episodes)
            patch.setattr(module, "read_index", late.read_index)
        play_as_worker(folder)
    assert content(folder) == one_process(tmp_path / "one")
    assert min(late.looks.values()) > looks
    assert stored(folder) > 40  # what was not seen was played again


def test_segments_are_indexed_for_the_merge(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", blocks=2)
    killed_after(folder, 9)
    play_as_worker(folder)
    assert len(list(folder.glob("segments/*/trajectories.idx"))) == 2


def test_worker_does_not_wait_when_the_run_is_complete(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", blocks=1)
    other = LeaseBoard(
        SharedFolder(folder / "leases"), SharedFolder(folder / "workers"), "other", 1, 1e9
    )
    assert other.claim()
    (folder / "metrics.json").touch()
    assert asyncio.run(Work(folder).wait()) is False


def test_duplicates_that_differ_are_taken_once(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", blocks=2)
    killed_after(folder, 9)
    play_as_worker(folder)
    first, second = sorted((folder / "segments").iterdir())
    line = json.loads((first / "trajectories.jsonl").read_bytes().splitlines()[0])
    with (second / "trajectories.jsonl").open("a") as file:
        file.write(json.dumps({**line, "stop_reason": "time"}) + "\n")
    before = content(folder)
    assert collect_segments(folder)
    assert content(folder) == before


EVAL = ("eval", MCQA, "--policy", "random", "--episodes", "6", "--out", "run", "--workers", "1")


@pytest.mark.slow
def test_command_plays_with_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setattr(worker, "_SECONDS_BETWEEN_LINES", math.inf)
    done = run_command(tmp_path, *EVAL, "--workers", "2", "--repeats", "3")
    assert "played by 2 workers" in output_of(done)
    wanted = one_process(tmp_path / "one", episodes=6, repeats=3)
    assert content(tmp_path / "run") == wanted
    done = run_command(tmp_path, *EVAL, "--repeats", "3", "--resume", "--concurrency", "2")
    assert output_of(done)
    assert content(tmp_path / "run") == wanted


class Running:
    """A process that runs while its progress is asked for three times."""

    def __init__(self) -> None:
        self.left = 3

    def wait(self, timeout: float) -> None:
        if self.left:
            self.left -= 1
            raise subprocess.TimeoutExpired("worker", timeout)


@pytest.mark.parametrize(("seconds", "lines"), [(-1.0, 3), (math.inf, 0)])
def test_progress_without_a_terminal_is_a_line_from_time_to_time(
    seconds: float,
    lines: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(worker, "_SECONDS_BETWEEN_LINES", seconds)
    processes: Any = [Running()]
    worker._wait_for(processes, lambda: "1 of 2 blocks are finished")
    assert capsys.readouterr() == ("", lines * "1 of 2 blocks are finished\n")
