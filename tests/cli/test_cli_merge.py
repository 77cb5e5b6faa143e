"""`textgym eval --shard`, `textgym merge`, and the job script of the page on many machines."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from in_process import output_of, run_command
from repository import ROOT
from run_contents import content

MCQA = "textgym/MCQA-v0"
EVAL = ("eval", MCQA, "--policy", "random", "--episodes", "6", "--repeats", "2")
PAGE = ROOT / "docs" / "how-to" / "run-on-many-machines.md"


def play_shards(folder: Path, n: int) -> list[str]:
    names = [str(k) for k in range(1, n + 1)]
    for name in names:
        output_of(run_command(folder, *EVAL, "--shard", f"{name}/{n}", "--out", name))
    return names


def test_merged_run_is_an_ordinary_run(tmp_path: Path) -> None:
    names = play_shards(tmp_path, 3)
    done = run_command(tmp_path, "merge", "merged", *names)
    assert output_of(done) == "merged: random, 6 tasks, 12 episodes\n"
    output_of(run_command(tmp_path, *EVAL, "--out", "one", "--concurrency", "1"))
    assert content(tmp_path / "merged") == content(tmp_path / "one")
    compared = output_of(run_command(tmp_path, "metrics", "merged", "one", "--json"))
    difference = json.loads(compared)["differences"][0]["overall"]
    assert difference["shared_tasks"] == 6
    assert difference["reward"]["difference"] == 0
    assert "12 the same" in output_of(run_command(tmp_path, "rescore", "merged"))
    assert "12 episodes" in output_of(run_command(tmp_path, "view", "merged", "--limit", "1"))
    output_of(run_command(tmp_path, "report", "merged"))
    before = (tmp_path / "merged" / "trajectories.jsonl").read_bytes()
    output_of(run_command(tmp_path, *EVAL, "--out", "merged", "--resume"))
    assert (tmp_path / "merged" / "trajectories.jsonl").read_bytes() == before


def test_missing_shard_is_one_line_or_a_partial_run(tmp_path: Path) -> None:
    play_shards(tmp_path, 3)
    done = run_command(tmp_path, "merge", "merged", "1", "3")
    assert done.returncode == 2
    assert done.stderr == (
        "textgym: missing shards: 2 of 3; name their folders, too, or merge without them "
        "(--partial)\n"
    )
    done = run_command(tmp_path, "merge", "merged", "1", "3", "--partial")
    assert output_of(done).splitlines()[1] == "partial run: 8 of 12 episodes are stored"


def test_shard_without_tasks_is_no_error(tmp_path: Path) -> None:
    done = run_command(tmp_path, *EVAL, "--shard", "7/7", "--out", "run")
    assert "no episodes" in output_of(done)


@pytest.mark.parametrize("text", ["3", "0/3", "4/3", "1/", "/2", "1/2/3", "a/b", "-1/2", "1/0", ""])
def test_what_is_not_a_shard_is_one_line(text: str, tmp_path: Path) -> None:
    done = run_command(tmp_path, *EVAL, f"--shard={text}", "--out", "run")
    assert done.returncode == 2
    assert re.fullmatch(r"textgym: (--)?shard must be .*\n", done.stderr)


def test_shard_needs_a_folder(tmp_path: Path) -> None:
    done = run_command(tmp_path, *EVAL, "--shard", "1/2")
    assert done.stderr == "textgym: --shard needs --out, a folder for this shard\n"


@pytest.mark.slow
def test_job_script_of_the_page_plays_its_shards(tmp_path: Path) -> None:
    scripts = re.findall(r"```bash\n(.*?)```", PAGE.read_text(), re.S)
    (script,) = (text for text in scripts if text.startswith("#!"))
    # Smaller than on the page, but otherwise as it is.
    (tmp_path / "shards.sh").write_text(script.replace("--episodes 400", "--episodes 5"))
    (tmp_path / "textgym").write_text(f'#!/bin/sh\nexec {sys.executable} -m textgym "$@"\n')
    (tmp_path / "textgym").chmod(0o755)
    environ = {
        **os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT),
        "SHARDS": "3", "POLICY": "random", "RUN": "parts",
    }  # fmt: skip
    for tasks in (("1", "2", "3"), ("2",)):  # one again, as for a shard that was killed
        started = [
            subprocess.Popen(
                ["bash", "shards.sh"],
                cwd=tmp_path,
                env={**environ, "SLURM_ARRAY_TASK_ID": task},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            for task in tasks
        ]
        for process in started:
            output, _ = process.communicate()
            assert process.returncode == 0, output
    output_of(run_command(tmp_path, "merge", "merged", "parts/1", "parts/2", "parts/3"))
    one = ("eval", MCQA, "--policy", "random", "--episodes", "5", "--repeats", "4", "--out", "one")
    output_of(run_command(tmp_path, *one, "--concurrency", "1"))
    assert content(tmp_path / "merged") == content(tmp_path / "one")
