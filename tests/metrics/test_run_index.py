"""The index of a run: it is made, kept and replaced, and never changes a result."""

from __future__ import annotations

import itertools
import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import textgym
from textgym.cli.main import app
from textgym.errors import RunError
from textgym.json_values import encode_line
from textgym.metrics import run_index
from textgym.metrics.episode_table import COLUMNS
from textgym.metrics.run_index import RunIndex, new_digest, read_index, store_index
from textgym.metrics.run_metrics import read_episode_table
from textgym.trajectories import run_folder
from textgym.trajectories.run_folder import read_trajectories
from textgym.trajectories.selection import ORDERS, EpisodeFilter, Search

MCQA = "textgym/MCQA-v0"
PLAY: dict[str, Any] = {"episodes": 10, "repeats": 2, "env_kwargs": {"split": "train"}}
INDEX, LINES = "trajectories.idx", "trajectories.jsonl"
FAILURE = {"boundary": "judge", "type": "JudgeFailure", "message": "down", "traceback": ""}

Count = Callable[[Callable[[], Any]], int]


@pytest.fixture(autouse=True)
def every_index_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_index, "MIN_SIZE", 1)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Count:
    """Returns how many lines of trajectories a function parses."""
    lines: list[bytes] = []
    decode = run_folder.decode_line
    monkeypatch.setattr(run_folder, "decode_line", lambda line: lines.append(line) or decode(line))

    def count(function: Callable[[], Any]) -> int:
        lines.clear()
        function()
        return sum(b'"task_index":' in line for line in lines)

    return count


def varied(run: Path) -> list[dict[str, Any]]:
    """Play a run, and change some episodes of it; return its episodes."""
    textgym.rollout(MCQA, "random", out=run, **PLAY)
    episodes: list[Any] = list(read_trajectories(run))
    for number, episode in enumerate(episodes):
        episode["info"]["level"] = str(number % 3)
        if number % 5 == 0:
            episode.update(failure=FAILURE, reward=None, is_success=None, stop_reason="")
        if number % 10 == 0:
            episode.update(task_id=None, messages=[], steps=[], info={})
        if number % 7 == 0:
            episode["env_id"] = "demo/Other-v0"
    write(run, episodes)
    return episodes


def write(run: Path, episodes: list[Any]) -> None:
    (run / LINES).write_bytes(b"".join(map(encode_line, episodes)))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    varied(tmp_path / "run")
    return tmp_path / "run"


def command(*arguments: object) -> str:
    """Return what a command prints."""
    came = CliRunner().invoke(app, [*map(str, arguments)], catch_exceptions=False)
    assert came.exit_code == 0, came.output
    return came.stdout


def results(run: Path) -> tuple[str, str]:
    """Return what `view` and `metrics` print of a run."""
    return command("view", run, "--json", "--limit", 0), command("metrics", run, "--json")


def results_without_index(run: Path) -> tuple[str, str]:
    (run / INDEX).unlink(missing_ok=True)
    return results(run)


# How many lines are parsed.


def test_one_episode_of_an_indexed_run_is_one_line(run: Path, parsed: Count) -> None:
    assert parsed(lambda: command("view", run, "--task", "index:3", "--limit", 1)) == 21
    assert (run / INDEX).exists()
    assert parsed(lambda: command("view", run, "--task", "index:3", "--limit", 1)) == 1
    assert parsed(lambda: command("view", run, "--order", "best", "--limit", 4)) == 4


def test_metrics_of_an_indexed_run_parse_no_line(run: Path, parsed: Count) -> None:
    assert parsed(lambda: command("metrics", run)) == 20
    assert parsed(lambda: command("metrics", run)) == 0
    assert parsed(lambda: read_episode_table(run)) == 0


def test_resuming_a_finished_run_parses_no_line(tmp_path: Path, parsed: Count) -> None:
    options: dict[str, Any] = {"out": tmp_path / "run", **PLAY}
    textgym.rollout(MCQA, "random", **options)
    before = (tmp_path / "run" / "metrics.json").read_bytes()

    def resume() -> None:
        textgym.rollout(MCQA, "random", resume=True, **options)

    assert parsed(resume) == 20
    assert parsed(resume) == 0
    assert (tmp_path / "run" / "metrics.json").read_bytes() == before


def test_resuming_reads_the_prompts_of_unfinished_tasks_only(tmp_path: Path, parsed: Count) -> None:
    run = tmp_path / "run"
    textgym.rollout(MCQA, "random", out=run, **PLAY)
    episodes: list[Any] = list(read_trajectories(run))
    missing = next(item for item in episodes if (item["task_index"], item["repeat"]) == (4, 1))
    write(run, [item for item in episodes if item is not missing])
    read_index(run)
    options: dict[str, Any] = {"out": run, "resume": True, **PLAY}
    assert parsed(lambda: textgym.rollout(MCQA, "random", **options)) == 1
    assert len(list(read_trajectories(run))) == 20


def test_only_appended_lines_are_parsed(run: Path, parsed: Count) -> None:
    episodes = list(read_trajectories(run))
    read_index(run)
    with (run / LINES).open("ab") as lines:
        lines.writelines(encode_line({**item, "repeat": 7}) for item in episodes[:3])
    assert parsed(lambda: read_index(run)) == 3
    assert parsed(lambda: read_index(run)) == 0
    assert results(run) == results_without_index(run)


def test_a_file_with_another_time_is_compared_and_not_parsed(run: Path, parsed: Count) -> None:
    read_index(run)
    os.utime(run / LINES, (1, 1))
    assert parsed(lambda: read_index(run)) == 0


# The same result with any index.


def edited_in_place(run: Path) -> None:
    """Change a line, but not the size of the file, nor its time."""
    status = (run / LINES).stat()
    content = (run / LINES).read_bytes()
    with (run / LINES).open("r+b") as file:
        file.write(content.replace(b'"repeat":1', b'"repeat":9', 1))
    os.utime(run / LINES, ns=(status.st_atime_ns, status.st_mtime_ns))


def shortened(run: Path) -> None:
    write(run, list(read_trajectories(run))[:7])


def written_anew(run: Path) -> None:
    write(run, list(read_trajectories(run))[::-1])


def of_another_run(run: Path) -> None:
    other = run.parent / "other"
    textgym.rollout(MCQA, "oracle", out=other, **PLAY)
    read_index(other)
    (other / INDEX).replace(run / INDEX)


def of_another_format(run: Path) -> None:
    content = (run / INDEX).read_bytes()[run_index._DIGEST_SIZE :]
    changed = content.replace(b'"format": 1', b'"format": 0')
    assert changed != content
    digest = run_index.blake2b(changed, digest_size=run_index._DIGEST_SIZE).digest()
    (run / INDEX).write_bytes(digest + changed)


def cut_last_line(run: Path) -> None:
    with (run / LINES).open("ab") as lines:
        lines.write(encode_line(next(read_trajectories(run)))[:-9])


def last_line_cut_off(run: Path) -> None:
    os.truncate(run / LINES, (run / LINES).stat().st_size - 9)


def half_written(run: Path) -> None:
    content = (run / INDEX).read_bytes()
    (run / INDEX).write_bytes(content[: len(content) // 2])


def empty(run: Path) -> None:
    (run / INDEX).write_bytes(b"")


@pytest.mark.parametrize(
    "change",
    [edited_in_place, shortened, written_anew, of_another_run, of_another_format, cut_last_line,
     last_line_cut_off, half_written, empty],
    ids=lambda change: change.__name__,
)  # fmt: skip
def test_an_index_that_does_not_fit_is_not_used(run: Path, change: Callable[[Path], None]) -> None:
    before = results(run)
    change(run)
    found = results(run)
    assert found == results_without_index(run)
    kept = change in (of_another_run, of_another_format, cut_last_line, half_written, empty)
    assert (found == before) == kept


def test_a_damaged_index_is_not_used(run: Path) -> None:
    expected = results(run)
    content = (run / INDEX).read_bytes()
    for place in range(0, len(content), len(content) // 12):
        damaged = bytearray(content)
        damaged[place] ^= 1
        (run / INDEX).write_bytes(damaged)
        assert results(run) == expected
        assert (run / INDEX).read_bytes() == content


def test_a_folder_that_cannot_take_an_index_is_read(run: Path) -> None:
    expected = results(run)
    (run / INDEX).unlink()
    (run / f"{INDEX}.new").mkdir()  # as in a folder that cannot be written, also for root
    assert results(run) == expected
    assert not (run / INDEX).exists()


def test_an_index_covers_complete_lines_only(run: Path) -> None:
    size = (run / LINES).stat().st_size
    cut_last_line(run)
    assert read_index(run).end == read_index(run).end == size


def test_a_file_that_was_replaced_is_not_read_by_an_older_index(run: Path) -> None:
    index = read_index(run)
    content = (run / LINES).read_bytes()
    (run / "new").write_bytes(content)
    (run / "new").replace(run / LINES)
    with pytest.raises(RunError, match=r"trajectories.jsonl' was replaced while it was read"):
        index.read(3)


@pytest.mark.parametrize(
    "wanted",
    [{}, {"env": "Other-v0"}, {"env": MCQA}, {"task": "3"}, {"task": "index:0"}, {"level": "1"},
     {"task": "train-1-5"}, {"category": "x"}, {"stop_reason": "answer"}, {"stop_reason": ""},
     {"failed": True}, {"success": True}, {"success": False, "level": "2"}],
    ids=str,
)  # fmt: skip
def test_a_search_of_an_index_finds_what_a_search_of_trajectories_finds(
    run: Path, wanted: dict[str, Any]
) -> None:
    for order, limit, _ in itertools.product(ORDERS, (0, 1, 3), range(2)):
        whole = Search(read_trajectories(run), EpisodeFilter(**wanted), order, limit)
        indexed = Search(read_index(run), EpisodeFilter(**wanted), order, limit)
        assert list(indexed) == list(whole)
        assert (indexed.matched, indexed.total) == (whole.matched, whole.total)


@pytest.mark.parametrize(
    "odd",
    [{"task_id": 5}, {"stop_reason": None}, {"task_index": 2**63}, {"seed": 0.5},
     {"reward": 2**53 + 1}, {"is_success": 1}, {"policy": None}, {"failure": {}}],
    ids=str,
)  # fmt: skip
def test_a_run_with_odd_values_has_no_index(run: Path, odd: dict[str, Any]) -> None:
    episodes: list[Any] = list(read_trajectories(run))
    write(run, [*episodes[:3], {**episodes[3], **odd}, *episodes[4:]])
    shown = command("view", run, "--json", "--limit", 0)
    assert sorted(shown.splitlines()) == sorted(map(json.dumps, read_trajectories(run)))
    assert not (run / INDEX).exists()


def test_resuming_with_failed_episodes_drops_them(run: Path) -> None:
    textgym.rollout(MCQA, "random", out=run.parent / "again", **PLAY)
    episodes: list[Any] = list(read_trajectories(run.parent / "again"))
    episodes[2] |= {"failure": FAILURE, "reward": None, "is_success": None, "stop_reason": ""}
    write(run.parent / "again", episodes)
    read_index(run.parent / "again")
    options: dict[str, Any] = {"out": run.parent / "again", "resume": True, **PLAY}
    again = textgym.rollout(MCQA, "random", **options)
    assert again.metrics["overall"]["episodes"] == 20
    assert again.metrics["overall"]["failures"] == 0
    assert read_index(run.parent / "again").table.num_episodes == 20


# Indexes that are joined.


def parts(run: Path, count: int) -> list[Path]:
    """Divide a run, with different texts and components in each part; return the folders."""
    episodes: list[Any] = list(read_trajectories(run))
    folders = [run / str(part) for part in range(count)]
    for part, folder in enumerate(folders):
        folder.mkdir()
        own = episodes[part::count]
        for number, episode in enumerate(own):
            episode["policy"], episode["seed"] = f"policy {part % 2}", -part
            names = ["right", "short", f"of {part}"][: number % 4]
            if not episode["failure"]:
                episode["steps"][0]["components"] = dict.fromkeys(names[::-1], 0.25)
        write(folder, own)
    return folders


def joined(folders: list[Path], chosen: list[int], out: Path) -> RunIndex:
    """Write some lines to a new folder, and return their index, which is stored, too."""
    lines = b"".join((folder / LINES).read_bytes() for folder in folders).splitlines(keepends=True)
    index = RunIndex.joined(out, [read_index(folder) for folder in folders], chosen)
    out.mkdir()
    (out / LINES).write_bytes(b"".join([lines[place] for place in chosen]))
    digest = new_digest()
    digest.update((out / LINES).read_bytes())
    store_index(index, digest)
    return index


@pytest.mark.parametrize("seed", range(8))
def test_a_joined_index_is_that_of_the_lines(run: Path, seed: int) -> None:
    rng = random.Random(seed)
    folders = parts(run, 1 + seed % 4)
    index = joined(folders, rng.sample(range(20), rng.randrange(1, 21)), run / "out")
    (run / "out" / INDEX).unlink()
    assert index.parts() == read_index(run / "out").parts()


def test_a_joined_index_of_failed_episodes_only(run: Path) -> None:
    folders = parts(run, 1)
    failed = [place for place, played in enumerate(read_index(folders[0]).played()) if not played]
    index = joined(folders, failed, run / "out")
    assert index.table.num_episodes == len(failed) == 4
    (run / "out" / INDEX).unlink()
    assert index.parts() == read_index(run / "out").parts()


def test_a_joined_index_without_episodes(run: Path) -> None:
    index = joined(parts(run, 2), [], run / "out")
    assert index.parts() == read_index(run / "out").parts()


def test_a_joined_index_is_used(run: Path, parsed: Count) -> None:
    joined(parts(run, 3), [5, 19, 0, 7], run / "out")
    assert parsed(lambda: read_index(run / "out")) == 0
    assert results(run / "out") == results_without_index(run / "out")


def test_a_joined_index_of_a_file_that_another_process_replaced_is_not_used(
    run: Path, parsed: Count
) -> None:
    folders = parts(run, 3)
    joined(folders, [5, 19, 0, 7], run / "out")
    write(run / "out", list(read_trajectories(folders[1])))
    assert parsed(lambda: read_index(run / "out")) == 7


def test_a_file_that_was_shortened_is_not_read_by_an_older_index(run: Path) -> None:
    index = read_index(run)
    os.truncate(run / LINES, index.end - 9)
    with pytest.raises(RunError, match=r"trajectories.jsonl' was shortened while it was read"):
        index.read(19)


# What is stored.


def test_a_small_file_of_many_has_an_index(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    read_index(run, always_store=True)
    assert (run / INDEX).exists()


def test_a_small_file_has_no_index(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    before = sorted(path.name for path in run.iterdir())
    results(run)
    assert sorted(path.name for path in run.iterdir()) == before


def test_the_row_of_an_episode_is_that_of_the_format(tmp_path: Path) -> None:
    """A row that changes needs another number of the format, or old indices would be read."""
    step = {"message_index": 1, "reward": 0.5, "components": {"right": 0.5}}
    messages = [{"role": "user", "content": "One?"}, {"role": "assistant", "content": "Yes."}]
    info = {"level": "2", "category": "sums", "extracted_answer": "Yes"}
    known = {"env_id": MCQA, "task_id": "a", "task_index": 3, "repeat": 1, "failure": None}
    outcome = {"reward": 0.5, "is_success": True, "stop_reason": "answer", "truncated": False}
    episode = {"version": 2, "steps": [step], "messages": messages, "info": info, **known,
               **outcome, "usage": {"prompt_tokens": 9}, "seconds": 0.25}  # fmt: skip
    write(tmp_path, [episode])
    table = read_episode_table(tmp_path)
    row = [float(table.numbers(name)[0]) for name in COLUMNS]
    assert run_index._FORMAT["format"] == 1
    assert [number if number == number else None for number in row] == [
        1, 3, 1, 5695690883050079, 2, 3, 0,
        0.5, 0.5, 1, 5, 0, 6121512675265065, 1, 0.25,
        9, None, 4, 8, None,
    ]  # fmt: skip
