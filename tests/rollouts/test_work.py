"""Runs that several workers play: each episode once, whenever workers are killed."""

from __future__ import annotations

import json
import math
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from in_process import output_of, run_command
from repository import ROOT
from run_contents import content

import textgym
from textgym.cli import worker
from textgym.cli.worker import play_as_worker
from textgym.errors import RunError, UsageError
from textgym.rollouts.leases import LeaseBoard, SharedFolder
from textgym.rollouts.merging import collect_segments, refresh_run
from textgym.rollouts.work import WorkPlan
from textgym.trajectories.run_folder import RunFolder

MCQA, GUESS = "textgym/MCQA-v0", "textgym/GuessNumber-v0"
PATIENCE = 0.2


class Killed(BaseException):
    """Ends a worker as a signal would."""


@contextmanager
def no_farewell() -> Iterator[None]:
    """Let workers end without a word, as if they were killed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LeaseBoard, "end", lambda board: None)
        yield


def begin(folder: Path, groups: int = 20, blocks: int = 6, **run: Any) -> Path:
    run = {"envs": [MCQA], "policy": "random", "episodes": groups, "repeats": 2, **run}
    WorkPlan(run, blocks, PATIENCE).write(folder, resume=False)
    return folder


def stored(folder: Path) -> int:
    """Return how many lines all segments have."""
    files = folder.glob("segments/*/trajectories.jsonl")
    return sum(file.read_bytes().count(b"\n") for file in files)


def killed_after(folder: Path, episodes: int, concurrency: int = 1) -> None:
    """Play as a worker that is killed after so many episodes, in the middle of a line."""
    played = 0

    def count(_: Any) -> None:
        nonlocal played
        played += 1
        if played == episodes:
            raise Killed

    before = set(folder.glob("segments/*"))
    with no_farewell():
        try:
            play_as_worker(folder, concurrency, count)
        except Killed:
            (segment,) = set(folder.glob("segments/*")) - before
            with (segment / "trajectories.jsonl").open("ab") as file:
                file.write(b'{"version": 2, "env_id": "text')


def one_process(folder: Path, envs: Any = MCQA, **options: Any) -> dict[str, Any]:
    options = {"episodes": 20, "repeats": 2, "concurrency": 1, **options}
    textgym.rollout(envs, "random", out=folder, **options)
    return content(folder)


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


def refuse(folder: Path, message: str) -> None:
    """Check that a worker refuses the folder in one line."""
    with pytest.raises((RunError, UsageError)) as found:
        play_as_worker(folder)
    assert message in str(found.value)
    assert "\n" not in str(found.value)


def changed(path: Path, **values: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_bytes()), **values}))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"textgym": "0.0.1"}, 'was written by version "0.0.1" of textgym'),
        ({"seed": 7}, "holds another run: its seed is 7, not 0"),
        ({"data": {MCQA: {"rows.jsonl": "0"}}}, "no digests"),
        ({"policy": "oracle"}, 'its policy is "oracle", not "random"'),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_worker_of_another_run_is_refused(
    values: dict[str, Any], message: str, tmp_path: Path
) -> None:
    folder = begin(tmp_path / "run")
    killed_after(folder, 3)
    changed(folder / "run.json", **values)
    if "data" not in values:
        refuse(folder, message)
    else:
        with pytest.raises(RunError):
            play_as_worker(folder)


def test_changed_data_are_refused(tmp_path: Path) -> None:
    data = tmp_path / "rows.jsonl"
    rows = [{"question": f"{n}?", "expected_answer": "2"} for n in range(20)]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = {"envs": ["textgym/Math-v0"], "env_kwargs": {"dataset": str(data)}}
    folder = begin(tmp_path / "run", **options)
    killed_after(folder, 3)
    data.write_text(data.read_text().replace("2", "3"))
    refuse(folder, f"was played with another content of '{data}'")


@pytest.mark.parametrize("name", ["nothing", "ordinary"])
def test_folder_without_a_plan_is_refused(name: str, tmp_path: Path) -> None:
    textgym.rollout(MCQA, "random", episodes=1, out=tmp_path / "ordinary")
    refuse(tmp_path / name, "holds no run for workers")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"run": {}}'])
def test_broken_plan_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(text)
    refuse(tmp_path, "plan.json' is broken")


def test_full_disk_is_one_line_and_the_run_can_be_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = begin(tmp_path / "run")
    flush, flushed = RunFolder.flush, 0

    def fail(run: RunFolder) -> None:
        nonlocal flushed
        flushed += 1
        if flushed == 3:
            raise run._cannot_write(OSError(28, "No space left on device"))
        flush(run)

    monkeypatch.setattr(RunFolder, "flush", fail)
    refuse(folder, "No space left on device")
    play_as_worker(folder)
    assert content(folder) == one_process(tmp_path / "one")


def test_read_only_folder_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = begin(tmp_path / "run")

    def fail(shared: SharedFolder, *_: Any, **__: Any) -> bool:
        with shared._errors():
            raise OSError(30, "Read-only file system")

    monkeypatch.setattr(SharedFolder, "create", fail)
    refuse(folder, "Read-only file system")


EVAL = ("eval", MCQA, "--policy", "random", "--episodes", "6", "--out", "run", "--workers", "1")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--workers", "0"), "--workers must be 1 or more"),
        (("--patience", "0"), "--patience more than 0"),
        (("--shard", "1/2"), "--workers divides the run"),
        (("--env-concurrency", f"{MCQA}=2"), "cannot be used with a curriculum or --env"),
        (("--level", "77"), "level"),
    ],
)
def test_arguments_that_do_not_fit_are_one_line(
    options: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    done = run_command(tmp_path, *EVAL, *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "holds a run already: name another folder or resume"),
        (("--resume", "--seed", "1"), "holds another run: its seed is 0, not 1"),
        (("--resume", "--episodes", "7"), "holds another run: its episodes is 6, not 7"),
    ],
)
def test_plan_is_written_once(options: tuple[str, ...], message: str, tmp_path: Path) -> None:
    run = {"policy": "random", "envs": [MCQA], "episodes": 6, "seed": 0, "repeats": 1, "out": "run"}
    sampling = textgym.Sampling().as_dict()
    WorkPlan(json.loads(json.dumps({**run, "sampling": sampling})), 2, PATIENCE).write(
        tmp_path / "run", resume=False
    )
    done = run_command(tmp_path, *EVAL, *options)
    assert done.returncode == 2
    assert message in done.stderr


def test_folder_of_an_ordinary_run_is_refused(tmp_path: Path) -> None:
    textgym.rollout(MCQA, "random", episodes=6, out=tmp_path / "run")
    done = run_command(tmp_path, *EVAL)
    assert done.stderr == "textgym: 'run' holds a run already: name another folder or resume\n"


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
