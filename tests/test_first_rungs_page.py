"""The runs of the first rungs: what is kept of them, and their table and picture."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from repository import DOCS

from textgym.training import History

sys.path.append(str(DOCS))

import first_rungs_runs as runs_of
import make_first_rungs as page
from first_rungs_runs import Job


def finish(
    folder: Path,
    job: Job,
    after: float = 0.75,
    done: bool = True,
    tried: tuple[str, ...] = ("examples", "held_out", "next"),
) -> None:
    """Write the files of a run of two steps, as `examples/first_rungs.py` does."""
    with History(folder / f"{job.name}.jsonl") as history:
        for step, rate in ((0, 0.25), (1, None), (2, after)):
            rung = {"level": 0.0, "shots": float(3 - step)} if step else {}
            rungs = {f"{name}/{key}": at for name in job.envs for key, at in rung.items()}
            figures = {
                f"{name}/{kind}/{key}": value
                for name in (*job.envs, *job.also)
                for kind in tried
                for key, value in (
                    ("success", rate),
                    ("success_low", (rate or 0) - 0.125),
                    ("success_high", (rate or 0) + 0.125),
                )
                if rate is not None
            }
            ends = {"difference": after - 0.25, "low": 0.125, "high": 0.875}
            gains = {
                f"{name}/{kind}/gain_{end}": value
                for name in (*job.envs, *job.also)
                for kind in tried
                for end, value in ends.items()
                if step == 2
            }
            history.log(step, {**figures, **gains, **rungs})
    settings = {
        "env": [f"textgym/{name}-v0" for name in job.envs],
        "also": [f"textgym/{name}-v0" for name in job.also],
        "control": job.control,
        "seed": job.seed,
        "steps": 2,
        "learning_rate": 2e-5,
        "device": "CPU",
        "cores": 2,
        "minutes": 7.5,
        "packages": {"vllm": "1"},
    }
    if done:
        (folder / f"{job.name}.json").write_text(json.dumps(settings))


def test_finished_runs_are_read_and_a_killed_one_is_not(tmp_path: Path) -> None:
    finish(tmp_path, Job(("Math",)))
    finish(tmp_path, Job(("MCQA",)), done=False)
    (run,) = runs_of.finished(tmp_path)
    assert runs_of.job_of(run) == Job(("Math",))
    assert run["rungs"] == {"Math": [[0.0, 2.0], [0.0, 1.0]]}
    held_out = run["tried"]["Math"]["held_out"]
    assert (held_out["steps"], held_out["success"]) == ([0, 2], [0.25, 0.75])
    assert held_out["gain"] == [0.5, 0.125, 0.875]


def test_merging_replaces_a_run_and_keeps_the_others_in_the_order_of_the_jobs(
    tmp_path: Path,
) -> None:
    place = tmp_path / "kept" / "runs.json"
    place.parent.mkdir()
    for job in (Job(("MCQA",)), Job(("Math",), control="shuffled"), Job(("Math",))):
        finish(tmp_path, job)
    runs_of.merge(runs_of.finished(tmp_path), place)
    finish(tmp_path, Job(("Math",)), after=0.5)
    merged = runs_of.merge(runs_of.finished(tmp_path), place)
    assert merged == runs_of.read(place)
    assert [runs_of.job_of(run).name for run in merged] == [
        "Math-none-0",
        "Math-shuffled-0",
        "MCQA-none-0",
    ]
    assert merged[0]["tried"]["Math"]["held_out"]["success"] == [0.25, 0.5]


def test_each_job_has_files_of_its_own_and_arguments_of_the_example() -> None:
    jobs = list(runs_of.jobs())
    assert len({job.name for job in jobs}) == len(jobs)
    assert (
        sum(job.control == "none" and job.seed == 0 for job in jobs) == len(runs_of.MAX_TOKENS) + 1
    )
    mixture = next(job for job in jobs if job.also)
    assert set(mixture.envs).isdisjoint(mixture.also)
    arguments = Job(("Math",), ("MCQA",), "shuffled", 2).arguments()
    assert arguments[:4] == ["--env", "textgym/Math-v0", "--also", "textgym/MCQA-v0"]
    assert arguments[4:8] == ["--control", "shuffled", "--seed", "2"]


def test_a_level_that_is_not_played_is_not_tried(tmp_path: Path) -> None:
    job = Job(("Haystack",))
    assert job.arguments()[-6:-4] == ["--highest", "0"]
    finish(tmp_path, job, tried=("examples", "held_out"))
    (line,) = page.table(list(runs_of.finished(tmp_path))).splitlines()[2:]
    assert "| not tried | level 0, 1 shot |" in line


def test_table_shows_an_environment_that_was_only_tried_in_a_line_of_its_own(
    tmp_path: Path,
) -> None:
    finish(tmp_path, Job(("Math",), ("MCQA",), "shuffled"))
    lines = page.table(list(runs_of.finished(tmp_path))).splitlines()[2:]
    assert lines == [
        "| Math | shuffled | 0 | 0.25 → 0.75 (0.62 to 0.88) | 0.25 → 0.75 (0.62 to 0.88) "
        "| +0.50 (+0.12 to +0.88) | 0.75 (0.62 to 0.88) | level 0, 1 shot | 8 |",
        "| MCQA, trained on Math | shuffled | 0 | 0.25 → 0.75 (0.62 to 0.88) "
        "| 0.25 → 0.75 (0.62 to 0.88) | +0.50 (+0.12 to +0.88) | 0.75 (0.62 to 0.88) "
        "| never played | 8 |",
    ]


def test_picture_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for job in (Job(("Math",)), Job(("Math",), control="shuffled"), Job(("MCQA",))):
        finish(tmp_path, job)
    page.draw(list(runs_of.finished(tmp_path)), tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_runs_that_fail_are_reported_and_the_others_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def play(command: list[str], **settings: Any) -> Any:
        job = Job(("MCQA",), control=command[command.index("--control") + 1])
        failed = job.control == "shuffled"
        finish(tmp_path, job, done=not failed)
        return type("Done", (), {"returncode": int(failed)})

    place = tmp_path / "kept" / "runs.json"
    place.parent.mkdir()
    monkeypatch.setattr(page, "FOLDER", tmp_path)
    monkeypatch.setattr(page.subprocess, "run", play)
    monkeypatch.setattr(page, "finished", lambda: runs_of.finished(tmp_path))
    monkeypatch.setattr(page, "merge", lambda fresh: runs_of.merge(fresh, place))
    monkeypatch.setattr(page, "read", lambda: runs_of.read(place))
    assert not page.play_missing(["MCQA"], 1)
    assert "it ended with status 1" in capsys.readouterr().out
    assert [runs_of.job_of(run) for run in runs_of.read(place)] == [Job(("MCQA",))]


def test_page_shows_the_runs_of_the_file() -> None:
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.page_with(text, runs_of.read()) == text, "run docs/make_first_rungs.py"
