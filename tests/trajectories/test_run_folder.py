"""The folder of a run: complete lines, one writer, and clear errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import textgym
from textgym.errors import RunError
from textgym.trajectories.run_folder import RunFolder, read_trajectories

MCQA = "textgym/MCQA-v0"
ASKED = {"version": 2, "policy": "oracle"}
TRAJECTORY = {
    "version": 2, "env_id": "x", "task_index": 0, "repeat": 0, "failure": None, "reward": 1.0,
}  # fmt: skip
CLOCKS = {"started_at", "seconds", "steps"}


def play(folder: Path, **options: Any) -> textgym.Run:
    settings: dict[str, Any] = {"episodes": 4, "env_kwargs": {"split": "test"}, **options}
    return textgym.rollout(MCQA, "random", out=folder, **settings)


def episodes(folder: Path) -> list[dict[str, Any]]:
    """Return the stored trajectories by task and repeat, without times."""
    held = sorted(read_trajectories(folder), key=lambda t: (t["task_index"], t["repeat"]))
    return [{key: value for key, value in t.items() if key not in CLOCKS} for t in held]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[RunFolder]:
    opened = RunFolder(tmp_path / "run", ASKED)
    yield opened
    opened.close()


def test_a_kill_at_any_byte_loses_and_duplicates_nothing(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    play(whole)
    wanted = episodes(whole)
    content = (whole / "trajectories.jsonl").read_bytes()
    ends = [place + 1 for place, byte in enumerate(content) if byte == ord("\n")]
    cuts = {*range(0, len(content), 97), *ends, *(end - 1 for end in ends), *(e + 1 for e in ends)}
    torn = tmp_path / "torn"
    torn.mkdir()
    (torn / "run.json").write_bytes((whole / "run.json").read_bytes())
    for cut in sorted(cuts):
        (torn / "trajectories.jsonl").write_bytes(content[:cut])
        assert len(list(read_trajectories(torn))) == sum(end <= cut for end in ends)
        play(torn, resume=True)
        assert episodes(torn) == wanted, f"cut at byte {cut}"


def test_an_incomplete_line_longer_than_a_buffer_is_dropped(tmp_path: Path) -> None:
    play(tmp_path)
    whole = (tmp_path / "trajectories.jsonl").read_bytes()
    (tmp_path / "trajectories.jsonl").write_bytes(whole + b'{"messages": "' + b"x" * 5_000_000)
    play(tmp_path, resume=True)
    assert (tmp_path / "trajectories.jsonl").read_bytes() == whole


def test_the_metrics_file_is_never_incomplete(tmp_path: Path) -> None:
    play(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "metrics.json",
        "run.json",
        "trajectories.jsonl",
    ]


def test_files_left_by_a_kill_are_replaced(tmp_path: Path) -> None:
    play(tmp_path)
    for name in ("metrics.json.new", "trajectories.jsonl.new"):
        (tmp_path / name).write_text("half of a fi")
    play(tmp_path, resume=True)
    assert len(episodes(tmp_path)) == 4


def test_rewriting_keeps_the_other_lines_byte_for_byte(folder: RunFolder) -> None:
    for index in range(5):
        folder.add({**TRAJECTORY, "task_index": index, "info": {"n": 2**70, "text": "\ud800"}})
    before = (folder.path / "trajectories.jsonl").read_bytes().splitlines(keepends=True)
    folder.rewrite([True, True, False, True, True])
    folder.add({**TRAJECTORY, "task_index": 9})
    after = (folder.path / "trajectories.jsonl").read_bytes().splitlines(keepends=True)
    assert after[:4] == before[:2] + before[3:]
    assert json.loads(after[4])["task_index"] == 9


@pytest.mark.parametrize("number", [2**53 + 1, 2**63, 2**64, -(2**64), 2**200])
def test_large_numbers_are_read_exactly(folder: RunFolder, number: int) -> None:
    folder.add({**TRAJECTORY, "seed": number})
    assert next(read_trajectories(folder.path))["seed"] == number


# Two runs.


def test_a_second_run_in_the_same_folder_is_refused(folder: RunFolder) -> None:
    folder.add(TRAJECTORY)
    for resume in (False, True):
        with pytest.raises(RunError, match="another run is writing to"):
            RunFolder(folder.path, ASKED, resume)
    assert list(read_trajectories(folder.path)) == [TRAJECTORY]


def test_a_closed_folder_can_be_resumed(folder: RunFolder) -> None:
    folder.add(TRAJECTORY)
    second = RunFolder(folder.path.parent / "other", ASKED)
    second.add(TRAJECTORY)
    second.close()
    third = RunFolder(second.path, ASKED, resume=True)
    third.add({**TRAJECTORY, "repeat": 1})
    third.close()
    assert [item["repeat"] for item in read_trajectories(third.path)] == [0, 1]


def test_a_refused_run_does_not_keep_the_lock(tmp_path: Path) -> None:
    play(tmp_path)
    with pytest.raises(RunError, match="holds a run already"):
        play(tmp_path)
    with pytest.raises(RunError, match="its seed is 0, not 5"):
        play(tmp_path, resume=True, seed=5)
    play(tmp_path, resume=True)


def test_a_second_process_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    code = (
        "import sys, textgym\n"
        "from textgym.trajectories.run_folder import RunFolder\n"
        "folder = RunFolder(sys.argv[1], {'version': 2, 'policy': 'oracle'})\n"
        "print('open', flush=True)\n"
        "sys.stdin.read()\n"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with other:
        assert other.stdout
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(RunError, match="another run is writing to"):
            RunFolder(tmp_path, ASKED, resume=True)
        other.kill()
    RunFolder(tmp_path, ASKED, resume=True).close()  # a killed process holds no lock


# Other versions.


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("version", 1, "was written by version 1 of the schema, and this is 2"),
        ("textgym", "9.9", 'was written by version "9.9" of textgym, and this is'),
        ("version", None, "was written by version null of the schema"),
        ("invention", 5, "its invention is 5, not null"),
        ("tasks", {MCQA: 9}, 'its tasks is {"textgym/MCQA-v0": 9}, not'),
    ],
)
def test_a_run_of_another_version_is_not_changed(
    tmp_path: Path, key: str, value: Any, told: str
) -> None:
    play(tmp_path)
    asked = json.loads((tmp_path / "run.json").read_text())
    (tmp_path / "run.json").write_text(json.dumps({**asked, key: value}))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(RunError) as error:
        play(tmp_path, resume=True)
    assert told in str(error.value)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_trajectories_of_another_version_are_refused(tmp_path: Path) -> None:
    line = json.dumps({**TRAJECTORY, "version": 3})
    (tmp_path / "trajectories.jsonl").write_text(line + "\n")
    with pytest.raises(RunError, match=r"line 1 of .* has version 3 of the schema"):
        list(read_trajectories(tmp_path))


@pytest.mark.parametrize(
    ("failure", "now"),
    [
        (None, None),
        (
            {"boundary": "judge", "type": "JudgeFailure", "message": "down"},
            {"boundary": "judge", "type": "JudgeFailure", "message": "down", "traceback": ""},
        ),
    ],
)
def test_trajectories_of_version_1_are_read_as_version_2(
    tmp_path: Path, failure: Any, now: Any
) -> None:
    old = {**TRAJECTORY, "version": 1, "failure": failure}
    (tmp_path / "trajectories.jsonl").write_text(json.dumps(old) + "\n")
    assert list(read_trajectories(tmp_path)) == [{**TRAJECTORY, "version": 2, "failure": now}]


# Full disks and missing permissions.

LIMITED = """
import resource, sys, textgym
from textgym.errors import RunError
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    textgym.rollout("textgym/MCQA-v0", "random", out=sys.argv[1], episodes=4,
                    env_kwargs={"split": "test"})
except RunError as error:
    print(error)
"""


@pytest.mark.parametrize("room", [0, 700, 4000])
def test_a_failed_write_is_reported_and_loses_nothing(tmp_path: Path, room: int) -> None:
    run = tmp_path / "run"
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(run), str(room)], capture_output=True, text=True
    )
    assert done.stdout == f"cannot write to '{run}': File too large\n", done.stderr
    content = (run / "trajectories.jsonl").read_bytes() if room > 600 else b""
    assert content == b"" or content.endswith(b"\n")
    play(run, resume=True)
    play(tmp_path / "whole")
    assert episodes(run) == episodes(tmp_path / "whole")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_reported(tmp_path: Path) -> None:
    (tmp_path / "trajectories.jsonl").symlink_to("/dev/full")
    with pytest.raises(RunError, match="No space left on device"):
        play(tmp_path)


NOT_ROOT = """
import os, sys, textgym, textgym.rollouts, textgym.envs.mcqa.mcqa_env
from textgym.errors import RunError
if os.geteuid() == 0:
    os.setuid(65534)
for resume in (False, True):
    try:
        textgym.rollout("textgym/MCQA-v0", "random", out=sys.argv[1], episodes=4, resume=resume,
                        env_kwargs={"split": "test"})
    except RunError as error:
        print(error)
"""


@pytest.mark.parametrize("held", [True, False])
def test_a_read_only_folder_is_refused(held: bool) -> None:
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)  # for the user without rights, whom the process becomes
        run = Path(place) / "run"
        run.mkdir()
        if held:
            play(run)
        before = {path.name: path.read_bytes() for path in run.iterdir()}
        for path in run.iterdir():
            path.chmod(0o444)
        run.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", NOT_ROOT, str(run)], capture_output=True, text=True, cwd="/"
        )
        run.chmod(0o755)
        assert done.stdout == f"cannot write to '{run}': Permission denied\n" * 2, done.stderr
        assert {path.name: path.read_bytes() for path in run.iterdir()} == before
