"""Rows of files are read when they are asked for: what opening costs, and files that change."""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Callable
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from gymnasium.vector import AsyncVectorEnv

from textgym.errors import DatasetError
from textgym.tasks import columnar_rows, file_rows, files
from textgym.tasks.files import load_rows
from textgym.whole_file import cache_folder

CHANGED = "has changed since the environment was made"


def question(n: int, **more: Any) -> dict[str, Any]:
    """Make a row of a multiple-choice question."""
    return {"question": f"Q{n}?", "options": {"A": "x", "B": "y"}, "answer": "A", **more}


def lines_of(*rows: Any) -> bytes:
    """Return rows as the content of a .jsonl file."""
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give the path of a .jsonl file with 50 questions."""
    path = tmp_path / "rows.jsonl"
    path.write_bytes(lines_of(*map(question, range(50))))
    return path


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Give the list of the rows that are parsed from lines, which grows."""
    indices: list[int] = []
    parse = file_rows.JsonlRows._parse

    def counted(self: Any, line: bytes, index: int) -> dict[str, Any]:
        indices.append(index)
        return parse(self, line, index)

    monkeypatch.setattr(file_rows.JsonlRows, "_parse", counted)
    return indices


def mcqa(path: Path, **kwargs: Any) -> Any:
    """Make an environment for a data set."""
    return gymnasium.make("textgym/MCQA-v0", dataset=str(path), **kwargs).unwrapped


# What is read.


def test_opening_parses_no_row(path: Path, parsed: list[int]) -> None:
    assert len(load_rows(str(path), "train")) == 50
    assert parsed == []


def test_environment_parses_the_first_row_and_those_that_are_asked_for(
    path: Path, parsed: list[int]
) -> None:
    env = mcqa(path)
    assert parsed == [0]
    env.reset(options={"index": 30})
    env.reset(options={"index": 30})
    env.get_task(30)
    assert parsed == [0, 30]


def test_second_environment_parses_nothing_again(path: Path, parsed: list[int]) -> None:
    first, second = mcqa(path), mcqa(path)
    for env in (first, second):
        env.reset(options={"index": 7})
    assert parsed == [0, 7]


def test_other_arguments_share_the_open_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Path] = []

    class Counted(file_rows.JsonlRows):
        def __init__(self, path: Path) -> None:
            opened.append(path)
            super().__init__(path)

    monkeypatch.setitem(files.READERS, ".jsonl", Counted)
    envs = [mcqa(path), mcqa(path, max_turns=2), mcqa(path, split="test")]
    assert opened == [path]
    assert {env.data_digests[str(path)] for env in envs} == {digest_of(path)}


def test_tasks_that_were_read_lately_are_kept(
    path: Path, parsed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_KEPT", 3)
    env = mcqa(path)
    for index in (1, 2, 2, 1, 0):
        env.reset(options={"index": index})
    assert parsed == [0, 1, 2]
    env.reset(options={"index": 3})
    assert len(env._tasks._rows.kept) == 1
    assert env.reset(options={"index": 0})[1]["task_id"] == "row-0"
    assert parsed == [0, 1, 2, 3, 0]


def test_levels_parse_only_the_rows_that_may_have_one(tmp_path: Path, parsed: list[int]) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [question(0), question(1, level=2), question(2, level="hard"), question(3),
            question(4, metadata={"level": 5}), question(5, level=2.0)]  # fmt: skip
    escaped = (
        rb'{"question": "Q?", "options": {"A": "x", "B": "y"}, "answer": "A", "\u006cevel": 1}'
    )
    path.write_bytes(lines_of(*rows) + escaped)
    env = mcqa(path)
    parsed.clear()
    assert env.levels == (1, 2, "hard")
    assert env.levels == (1, 2, "hard")
    assert parsed == [1, 2, 4, 5, 6]
    chosen = mcqa(path, level=2)
    assert [chosen.get_task(i).id for i in range(chosen.num_tasks)] == ["row-1", "row-5"]
    assert parsed == [1, 2, 4, 5, 6, 1, 5]


def test_broken_row_is_named_by_the_search_for_levels(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b'{"level": 2\n')
    with pytest.raises(DatasetError, match=r"^line 51 of .* is not valid JSON"):
        mcqa(path, level=2)


# Where lines are.


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b'{"a": 1}\n{"a": 2}\n', id="plain"),
        pytest.param(b'{"a": 1}\n{"a": 2}', id="no newline at the end"),
        pytest.param(b'\n\n{"a": 1}\n\n\n{"a": 2}\n\n', id="blank lines"),
        pytest.param(b'  \n{"a": 1}\n \t\r\n  {"a": 2}\n   ', id="lines of white space"),
        pytest.param(b'{"a": 1}\r\n\r\n{"a": 2}\r\n', id="Windows line ends"),
        pytest.param(b'\xef\xbb\xbf{"a": 1}\n{"a": 2}', id="byte-order mark"),
        pytest.param(b'{"a": 1}\n\x0c\n\x0b{"a": 2}', id="other white space"),
    ],
)
def test_lines_are_those_that_python_finds(
    tmp_path: Path, content: bytes, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_rows, "CHUNK_SIZE", size)
    monkeypatch.setattr(file_rows, "LINES_AT_ONCE", size)
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    with path.open("rb") as lines:
        wanted = [
            (f"line {number} of {path}", json.loads(line.strip()))
            for number, line in enumerate(lines, 1)
            if line.strip()
        ]
    rows = load_rows(str(path), "train")
    assert list(rows) == wanted
    assert rows[-1] == wanted[-1]
    assert rows[:1] == wanted[:1]
    assert len(rows.levels) == 2
    assert rows.digest == digest_of(path)


def digest_of(path: Path) -> str:
    """Return the hash of a file's bytes."""
    return blake2b(path.read_bytes(), digest_size=16).hexdigest()


def test_only_numbered_rows_exist(path: Path) -> None:
    with pytest.raises(IndexError):
        load_rows(str(path), "train")[50]


# Files that change while they are open.


def test_file_that_was_replaced_is_read_as_it_was(path: Path) -> None:
    env, digest = mcqa(path), digest_of(path)
    new = path.with_name("new.jsonl")
    new.write_bytes(lines_of(*(question(n + 100) for n in range(50))))
    os.replace(new, path)
    assert env.get_task(9).row["question"] == "Q9?"
    assert env.data_digests == {str(path): digest}
    assert mcqa(path).get_task(9).row["question"] == "Q109?"


def test_file_that_was_deleted_is_read_as_it_was(path: Path) -> None:
    env = mcqa(path)
    path.unlink()
    assert env.get_task(49).row["question"] == "Q49?"


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda path: os.truncate(path, 100), id="truncated"),
        pytest.param(lambda path: path.write_bytes(path.read_bytes() * 2), id="longer"),
        pytest.param(lambda path: os.utime(path, ns=(5, 5)), id="written at another time"),
    ],
)
def test_file_that_was_changed_in_place_is_refused(
    path: Path, change: Callable[[Path], None]
) -> None:
    env = mcqa(path)
    change(path)
    with pytest.raises(DatasetError, match=CHANGED):
        env.reset(options={"index": 30})
    with pytest.raises(DatasetError, match=CHANGED):
        env.data_digests  # noqa: B018
    assert env.reset(options={"index": 0})[1]["task_id"] == "row-0"  # read before


def test_file_is_closed_with_its_environments(path: Path) -> None:
    gc.collect()
    before = sorted(os.listdir("/dev/fd"))
    env = mcqa(path)
    env.reset(options={"index": 3})
    twin = mcqa(path)
    assert len(os.listdir("/dev/fd")) == len(before) + 1
    del env, twin
    gc.collect()
    assert sorted(os.listdir("/dev/fd")) == before


@pytest.mark.parametrize(
    "context",
    ["fork", *(pytest.param(name, marks=pytest.mark.slow) for name in ("spawn", "forkserver"))],
)
def test_workers_read_rows(path: Path, context: str) -> None:
    here = mcqa(path)
    here.reset(options={"index": 3})
    make = lambda: gymnasium.make("textgym:textgym/MCQA-v0", dataset=str(path))  # noqa: E731
    env = AsyncVectorEnv([make, make], shared_memory=False, context=context)
    try:
        _, infos = env.reset(options={"index": 41})
        assert list(infos["task_id"]) == ["row-41", "row-41"]
    finally:
        env.close()
    assert here.get_task(41).id == "row-41"


def test_spec_of_an_environment_with_a_file_is_saved(path: Path) -> None:
    spec = gymnasium.make("textgym/MCQA-v0", dataset=str(path)).spec
    assert spec is not None
    again = gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(spec.to_json()))
    assert again.reset(options={"index": 5})[1]["task_id"] == "row-5"


# Parquet.


@pytest.fixture
def parquet(tmp_path: Path) -> Callable[..., Path]:
    """Give a function that writes a .parquet file with so many questions and returns its path."""
    arrow = pytest.importorskip("pyarrow")
    tables = pytest.importorskip("pyarrow.parquet")

    def write(count: int, **more: Any) -> Path:
        path = tmp_path / "rows.parquet"
        rows = [question(n, level=n % 3, **more) for n in range(count)]
        tables.write_table(arrow.Table.from_pylist(rows), path, row_group_size=1000)
        return path

    return write


@pytest.fixture
def converted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Give the list of the files that are converted, which grows."""
    names: list[str] = []
    convert = columnar_rows.ColumnarRows._convert

    def counted(self: Any, file: Any) -> None:
        names.append(self.name)
        convert(self, file)

    monkeypatch.setattr(columnar_rows.ColumnarRows, "_convert", counted)
    return names


def arrow_file(path: Path, kind: str) -> Path:
    """Write the rows of a Parquet file in one of Arrow's formats."""
    ipc = pytest.importorskip("pyarrow.ipc")
    table = pytest.importorskip("pyarrow.parquet").read_table(path)
    new = path.with_suffix(".arrow")
    writer = ipc.new_file if kind == "file" else ipc.new_stream
    with writer(new, table.schema) as sink:
        sink.write_table(table, max_chunksize=700)
    return new


def test_parquet_is_converted_once_for_all_who_read_it(
    parquet: Callable[..., Path], converted: list[str]
) -> None:
    path = parquet(2500)
    rows = load_rows(str(path), "train")
    assert (len(rows), converted) == (2500, [])
    assert rows[700] == (f"row 700 of {path}", question(700, level=1))
    assert [row["question"] for _, row in rows] == [f"Q{n}?" for n in range(2500)]
    copy = path.with_name("copy.parquet")
    copy.write_bytes(path.read_bytes())
    assert load_rows(str(copy), "train")[2499][1]["question"] == "Q2499?"
    assert converted == [str(path)]
    assert rows.digest == digest_of(path)


@pytest.mark.parametrize("kind", ["file", "stream"])
def test_arrow_files_of_either_format_are_read(kind: str, parquet: Callable[..., Path]) -> None:
    path = arrow_file(parquet(2500), kind)
    rows = load_rows(str(path), "train")
    assert [row["question"] for _, row in rows] == [f"Q{n}?" for n in range(2500)]
    assert mcqa(path, level=2).num_tasks == 833


def test_without_a_cache_folder_the_converted_file_is_temporary(
    parquet: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    rows = load_rows(str(parquet(2500)), "train")
    assert rows[2499][1]["question"] == "Q2499?"


def test_interrupted_conversion_leaves_no_file(
    parquet: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: Any) -> Any:
        raise KeyboardInterrupt

    path = parquet(2500)
    with monkeypatch.context() as patch:
        patch.setattr(columnar_rows.ParquetRows, "_read_batches", stop)
        with pytest.raises(KeyboardInterrupt):
            load_rows(str(path), "train")[0]
    assert list(cache_folder("arrow").iterdir()) == []
    assert load_rows(str(path), "train")[2499][1]["question"] == "Q2499?"


def test_large_rows_of_parquet_are_stored_in_small_batches(
    parquet: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columnar_rows, "MAX_BATCH", 5000)
    rows = load_rows(str(parquet(100, text="long " * 200)), "train")
    assert [row["question"] for _, row in rows] == [f"Q{n}?" for n in range(100)]
    ends = rows._batches._bytes.tolist()  # type: ignore[attr-defined]
    assert max(end - start for start, end in pairwise(ends)) < 10_000


def test_levels_of_parquet_are_read_from_their_column(parquet: Callable[..., Path]) -> None:
    path = parquet(2500)
    env = mcqa(path, level=2)
    assert env.num_tasks == 833
    assert mcqa(path).levels == (0, 1, 2)
    assert env.get_task(832).id == "row-2498"


def test_parquet_that_was_changed_in_place_is_refused(parquet: Callable[..., Path]) -> None:
    env = mcqa(parquet(2500))
    parquet(1500)
    with pytest.raises(DatasetError, match=CHANGED):
        env.reset(options={"index": 2000})


def test_parquet_that_was_replaced_is_read_as_it_was(parquet: Callable[..., Path]) -> None:
    path = parquet(2500)
    env = mcqa(path)
    os.rename(path, path.with_name("old.parquet"))
    parquet(1500)
    assert env.get_task(2499).id == "row-2499"


def test_broken_pages_are_refused_each_time(parquet: Callable[..., Path]) -> None:
    path = parquet(2500)
    content = bytearray(path.read_bytes())
    content[4:-3000] = bytes(len(content) - 3004)
    path.write_bytes(content)
    rows = load_rows(str(path), "train")
    for _ in range(2):
        with pytest.raises(DatasetError, match=r"rows\.parquet' cannot be read: "):
            rows[2000]


def test_parquet_leaves_nothing_open(parquet: Callable[..., Path]) -> None:
    path = parquet(2500)
    len(load_rows(str(path), "train")[1500])
    gc.collect()
    before = sorted(os.listdir("/dev/fd"))
    env = mcqa(path)
    env.reset(options={"index": 2499})
    del env
    gc.collect()
    assert sorted(os.listdir("/dev/fd")) == before


def test_forked_workers_read_the_converted_file(
    parquet: Callable[..., Path],
) -> None:
    path = parquet(2500)
    here = mcqa(path)
    here.reset(options={"index": 600})
    make = lambda: gymnasium.make("textgym/MCQA-v0", dataset=str(path))  # noqa: E731
    env = AsyncVectorEnv([make, make], shared_memory=False, context="fork")
    try:
        _, infos = env.reset(options={"index": 2499})
        assert list(infos["task_id"]) == ["row-2499", "row-2499"]
    finally:
        env.close()
    assert here.get_task(1700).row["question"] == "Q1700?"
