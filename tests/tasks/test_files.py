"""Data sets: what a broken file says of itself, levels, and sharing of what was read."""

from __future__ import annotations

import gc
import gzip
import json
import lzma
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.errors import DatasetError, RowError, UsageError
from textgym.messages import user
from textgym.tasks.files import file_stamp, load_rows, read_tasks, shared_tasks
from textgym.tasks.task import Task

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Give a function that writes a data set and returns its path."""

    def write_rows(*rows: Any, name: str = "rows.jsonl") -> str:
        path = tmp_path / name
        lines = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        return str(path)

    return write_rows


def question(n: int = 0, **more: Any) -> dict[str, Any]:
    """Make a row of a multiple-choice question."""
    return {"question": f"Q{n}?", "options": {"A": "x", "B": "y"}, "answer": "A", **more}


def mcqa(dataset: str, **kwargs: Any) -> Any:
    """Make an environment for a data set."""
    return gymnasium.make("textgym/MCQA-v0", dataset=dataset, **kwargs).unwrapped


def read_all(env: Any) -> list[Task]:
    """Read all tasks of an environment."""
    return [env.get_task(index) for index in range(env.num_tasks)]


def task_of(row: dict[str, Any]) -> Task:
    """Read a row of the tests; `text` must be there."""
    if "text" not in row:
        raise RowError("text", "is missing")
    return Task(row["id"], (user(row["text"]),), row.get("answer"), row=row)


class Say(TextEnv[None]):
    """Reads rows with a `text`, and counts what it reads."""

    card = Card("tests/Say-v0", "Say.", ("single-step",), (), (), "say", ("none",))
    read = 0

    def read_row(self, row: dict[str, Any]) -> Task:
        Say.read += 1
        return task_of(row)

    def grade(self) -> Grade:
        return Grade(0.0, False)


@pytest.fixture
def counted() -> type[Say]:
    """Give the class with its count at 0 and nothing shared."""
    gc.collect()
    Say.read = 0
    return Say


def test_rows_come_with_their_places(write: Write) -> None:
    path = write({"a": 1}, {"a": 2})
    assert list(load_rows(path, "train")) == [
        (f"line 1 of {path}", {"a": 1}),
        (f"line 2 of {path}", {"a": 2}),
    ]


def test_blank_lines_are_skipped_and_counted(write: Write) -> None:
    path = write(b"", {"a": 1}, b" \t", {"a": 2}, b"\r")
    assert [place for place, _ in load_rows(path, "train")] == [
        f"line 2 of {path}",
        f"line 4 of {path}",
    ]


@pytest.mark.parametrize("separator", ["\u2028", "\x85", "\x0c", "\x1e"], ids=ascii)
def test_only_newlines_end_a_line(write: Write, separator: str) -> None:
    raw = json.dumps({"a": f"x{separator}y"}, ensure_ascii=separator < " ").encode()
    assert load_rows(write(raw), "train")[0][1] == {"a": f"x{separator}y"}


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b'\xef\xbb\xbf{"a": 1}', id="byte-order mark"),
        pytest.param(b'  {"a": 1}\r', id="Windows line end"),
    ],
)
def test_harmless_bytes(write: Write, raw: bytes) -> None:
    assert load_rows(write(raw), "train")[0][1] == {"a": 1}


def test_last_line_needs_no_newline(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"a": 1}\n{"a": 2}')
    assert len(load_rows(str(path), "train")) == 2


def test_any_file_that_exists_is_read_as_jsonl(write: Write) -> None:
    assert len(load_rows(write({"a": 1}, name="rows.txt"), "train")) == 1


@pytest.mark.parametrize("name", ["missing.jsonl", "missing.parquet"])
def test_missing_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(DatasetError, match=f"{name}' is missing"):
        load_rows(str(tmp_path / name), "train")


@pytest.mark.parametrize("name", ["a" * 5000 + ".jsonl", "a\0.jsonl"], ids=["long", "NUL"])
def test_a_name_that_no_file_can_have(name: str) -> None:
    with pytest.raises(DatasetError, match="is missing"):
        mcqa(name)


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv"])
@pytest.mark.parametrize(
    ("raw", "told"),
    [
        pytest.param('{"a": 1}'.encode("utf-16"), "is UTF-16; save it as UTF-8", id="UTF-16"),
        pytest.param('{"a": 1}'.encode("utf-32"), "is UTF-32; save it as UTF-8", id="UTF-32"),
        pytest.param(gzip.compress(b"{}"), "is compressed with gzip; unpack it", id="gzip"),
        pytest.param(lzma.compress(b"{}"), "is compressed with xz; unpack it", id="xz"),
        pytest.param(b"PAR1", "is a Parquet file; name it .parquet", id="Parquet"),
        pytest.param(b"ARROW1", "is an Arrow file; name it .arrow", id="Arrow"),
    ],
)
def test_a_file_of_another_format(write: Write, raw: bytes, told: str, name: str) -> None:
    with pytest.raises(DatasetError, match=f"{name}' {told}$"):
        load_rows(write(raw, name=name), "train")


def test_a_pipe_is_no_file_of_rows(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "rows.jsonl")
    with pytest.raises(DatasetError, match="is not a regular file"):
        load_rows(str(tmp_path / "rows.jsonl"), "train")


@pytest.mark.parametrize("name", ["folder", "folder.jsonl", "folder.parquet"])
def test_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(
        DatasetError, match=r"is a folder; pass a file \(\.jsonl, \.parquet, \.arrow, \.csv\)"
    ):
        load_rows(str(tmp_path / name), "train")


@pytest.mark.parametrize("rows", [(), (b"", b"  ")], ids=["no bytes", "blank lines"])
def test_empty_file(write: Write, rows: tuple[bytes, ...]) -> None:
    with pytest.raises(DatasetError, match="is empty"):
        load_rows(write(*rows), "train")


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        pytest.param(b'{"a": 1', "is not valid JSON", id="broken JSON"),
        pytest.param(b"[" * 100_000, "is not valid JSON", id="very deep JSON"),
        pytest.param(b'{"a": "\xff\xfe"}', "is not UTF-8: byte 8 of the line", id="Latin-1"),
        pytest.param('{"a": 1}'.encode("utf-16-le"), "is not valid JSON", id="UTF-16"),
        pytest.param(b"{", "is not valid JSON: it continues in the next line", id="many lines"),
        pytest.param(b'[{"a": 1},', "is not valid JSON: it continues in the next", id="long list"),
        pytest.param(b"{'a': 1}", "is not valid JSON", id="Python's quotes"),
        pytest.param(b'{"a": 1} {"a": 2}', "is not valid JSON", id="two objects"),
        pytest.param(b"[1]", "is a JSON list; a row must be an object", id="list"),
        pytest.param(b'"a"', "is a JSON str; a row must be an object", id="text"),
        pytest.param(b"5", "is a JSON int; a row must be an object", id="number"),
        pytest.param(b"null", "is a JSON NoneType; a row must be an object", id="null"),
    ],
)
def test_broken_line_is_named(write: Write, raw: bytes, told: str) -> None:
    path = write(*[question(n) for n in range(16)], raw, question(17))
    rows, env = load_rows(path, "train"), mcqa(path)
    with pytest.raises(DatasetError, match=f"^line 17 of {path} {told}"):
        rows[16]
    with pytest.raises(DatasetError, match="line 17 of"):
        env.reset(options={"index": 16})
    assert env.reset(options={"index": 17})[1]["task_id"] == "row-17"


def test_broken_first_line_is_named_when_the_environment_is_made(write: Write) -> None:
    path = write(b"", b"[1]", question())
    with pytest.raises(DatasetError, match=f"^line 2 of {path} is a JSON list"):
        mcqa(path)


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid") or os.geteuid() == 0,
                    reason="this user may read every file")  # fmt: skip
def test_unreadable_file(write: Write) -> None:
    path = write(question())
    os.chmod(path, 0)
    with pytest.raises(DatasetError, match="cannot be read: Permission denied"):
        load_rows(path, "train")


@pytest.mark.parametrize(
    ("change", "field", "told"),
    [
        pytest.param({"answer": None}, "answer", "is missing", id="no answer"),
        pytest.param({"answer": "E"}, "answer", "the options are A, B", id="no option"),
        pytest.param({"answer": "x"}, "answer", "the options are A, B", id="an option's text"),
        pytest.param({"question": ""}, "question", "is missing or empty", id="empty question"),
        pytest.param({"options": {"A": "x", "B": 5}}, "options.B", "must be a string", id="option"),
    ],
)
def test_row_that_cannot_be_read_is_named(
    write: Write, change: dict[str, Any], field: str, told: str
) -> None:
    path = write(*[question(n) for n in range(16)], {**question(16), **change})
    env = mcqa(path)
    with pytest.raises(RowError, match=told) as caught:
        env.reset(options={"index": 16})
    assert (caught.value.field, caught.value.where) == (field, f"line 17 of {path}")
    assert str(caught.value).startswith(f"line 17 of {path}: field '{field}' ")


def test_rows_without_id_are_named_by_their_place(write: Write) -> None:
    env = mcqa(write(question(0), question(1, id="mine"), question(2, uuid="u-1")))
    assert [env.get_task(i).id for i in range(3)] == ["row-0", "mine", "u-1"]


def test_level_keeps_only_its_rows(write: Write) -> None:
    path = write(question(0, level=1), question(1, level=2), question(2), question(3, level=2))
    env = mcqa(path, level=2)
    assert [env.get_task(i).row["question"] for i in range(env.num_tasks)] == ["Q1?", "Q3?"]
    assert mcqa(path).num_tasks == 4


def test_rows_of_other_levels_are_not_read(write: Write) -> None:
    broken = question(0, level=1, answer="Z")
    assert mcqa(write(broken, question(1, level=2)), level=2).num_tasks == 1


def test_data_set_may_have_levels_of_its_own(write: Write) -> None:
    assert mcqa(write(question(0, level=77)), level=77).num_tasks == 1


def test_level_without_rows(write: Write) -> None:
    with pytest.raises(DatasetError, match="has no row of level 3"):
        mcqa(write(question(0, level=1)), level=3)


def test_index_beyond_the_rows(write: Write) -> None:
    env = mcqa(write(question(0), question(1)))
    with pytest.raises(UsageError, match="no task 2; indices are 0 to 1"):
        env.reset(options={"index": 2})


def test_resets_visit_every_row(write: Write) -> None:
    env = mcqa(write(*[question(n) for n in range(5)]))
    env.reset(seed=1)
    assert {env.reset()[1]["task_id"] for _ in range(100)} == {f"row-{n}" for n in range(5)}


def test_environments_share_tasks(write: Write, counted: type[Say]) -> None:
    path = write({"text": "a"}, {"text": "b"})
    one, other = counted(dataset=path), counted(dataset=path)
    assert counted.read == 1
    one.reset(options={"index": 1})
    other.reset(options={"index": 1})
    assert one.task is other.task
    assert counted.read == 2


def test_changing_a_task_that_was_handed_out_changes_no_episode(
    write: Write, counted: type[Say]
) -> None:
    path = write({"text": "a", "parts": ["b"]})
    env, other = counted(dataset=path), counted(dataset=path)
    task = env.get_task(0)
    task.messages[0]["content"] = "spoilt"
    task.row["parts"].append("spoilt")
    for one in (env, other, counted(dataset=path)):
        assert one.reset(options={"index": 0})[0] == [user("a")]
        assert one.task.row["parts"] == ["b"]


def test_sharing_ends_with_the_environments(write: Write, counted: type[Say]) -> None:
    path = write({"text": "a"})
    env = counted(dataset=path)
    del env
    gc.collect()
    counted(dataset=path)
    assert counted.read == 2


def test_other_arguments_are_not_shared(write: Write, counted: type[Say]) -> None:
    path = write({"text": "a", "level": 1}, {"text": "b", "level": 2})
    low, high = counted(dataset=path, level=1), counted(dataset=path, level=2)
    assert low.get_task(0).row["text"] == "a"
    assert high.get_task(0).row["text"] == "b"


def test_classes_of_one_name_share_nothing(write: Write) -> None:
    def define(mark: str) -> type[TextEnv[None]]:
        class Again(Say):
            def read_row(self, row: dict[str, Any]) -> Task:
                return Task(row["id"], (user(mark),), None, row=row)

        return Again

    path = write({"text": "a"})
    old = define("old")(dataset=path)
    new = define("new")(dataset=path)  # as when a notebook's cell is run again
    assert old.reset()[0] == [user("old")]
    assert new.reset()[0] == [user("new")]


def test_changed_file_is_read_again(write: Write, counted: type[Say]) -> None:
    old = counted(dataset=write({"text": "a"}))
    path = write({"text": "changed"})
    new = counted(dataset=path)
    assert old.get_task(0).row["text"] == "a"
    assert new.get_task(0).row["text"] == "changed"


def test_changed_file_of_the_same_size_is_read_again(write: Write, counted: type[Say]) -> None:
    path = write({"text": "a"})
    os.utime(path, ns=(1, 1))
    old = counted(dataset=path)
    write({"text": "b"})
    os.utime(path, ns=(2, 2))
    assert counted(dataset=path).get_task(0).row["text"] == "b"
    assert old.get_task(0).row["text"] == "a"


def test_path_object_is_read_too(write: Write, counted: type[Say]) -> None:
    assert counted(dataset=Path(write({"text": "a"}))).num_tasks == 1


def test_shared_tasks_reads_once_while_held() -> None:
    made = [{"a"}, set[str]()]
    held = shared_tasks("tests: a key", lambda: made[0])
    assert shared_tasks("tests: a key", lambda: made[1]) is held


def test_stamp_of_nothing() -> None:
    assert file_stamp("no/such/file.jsonl") is None


def test_read_tasks_names_the_line_of_a_bad_row(write: Write) -> None:
    path = write({"text": "a"}, {})
    tasks = read_tasks(path, "train", None, None, task_of)
    with pytest.raises(RowError, match=f"^line 2 of {path}: field 'text' is missing$"):
        tasks.read(1, task_of)


@pytest.fixture
def parquet(tmp_path: Path) -> Write:
    """Give a function that writes rows as a parquet file."""
    pytest.importorskip("datasets")
    arrow = pytest.importorskip("pyarrow")
    tables = pytest.importorskip("pyarrow.parquet")

    def write_rows(*rows: Any) -> str:
        path = str(tmp_path / "rows.parquet")
        tables.write_table(arrow.Table.from_pylist(list(rows)), path)
        return path

    return write_rows


def test_parquet_rows(parquet: Write) -> None:
    env = mcqa(parquet(question(0), question(1, answer="B")))
    assert env.num_tasks == 2
    env.reset(options={"index": 1})
    assert env.step("\\boxed{B}")[1] == 1.0


def test_parquet_fills_missing_options_with_nulls(parquet: Write) -> None:
    three = question(0, options={"A": "x", "B": "y", "C": "z"})
    env = mcqa(parquet(three, question(1)))
    assert list(env.get_task(1).options) == ["A", "B"]


def test_parquet_row_that_cannot_be_read_is_named(parquet: Write) -> None:
    path = parquet(question(0), question(1, answer="E"))
    env = mcqa(path)
    with pytest.raises(RowError, match=f"^row 1 of {path}: field 'answer'"):
        env.reset(options={"index": 1})


def test_broken_parquet_file(tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    path = tmp_path / "rows.parquet"
    path.write_bytes(b"no parquet")
    with pytest.raises(DatasetError, match=r"rows\.parquet' cannot be read"):
        load_rows(str(path), "train")


# Ids.


def test_different_rows_with_one_id_are_named_with_their_lines(
    write: Write, caplog: pytest.LogCaptureFixture
) -> None:
    rows = [question(0, id="a"), question(1, id="b"), question(2, id="a"), question(3)]
    path = write(*rows)
    read_all(mcqa(path))
    (message,) = caplog.messages
    assert message.startswith("different tasks have the same id")
    assert message.endswith(f": 'a' (line 1 of {path}, line 3 of {path})")


def test_many_shared_ids_are_logged_once(write: Write, caplog: pytest.LogCaptureFixture) -> None:
    env = mcqa(write(*[question(n, id=str(n % 10)) for n in range(20)]))
    read_all(env)
    read_all(mcqa(env.dataset))
    assert len(caplog.messages) == 1


def test_shared_id_is_seen_after_the_first_task_was_dropped(
    write: Write, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("textgym.tasks.files.MAX_KEPT", 2)
    path = write(*[question(n, id=str(n % 5)) for n in range(6)])
    read_all(mcqa(path))
    assert caplog.messages[0].endswith(f": '0' (line 1 of {path}, line 6 of {path})")


def test_a_row_that_is_there_twice_is_no_reason_to_warn(
    write: Write, caplog: pytest.LogCaptureFixture
) -> None:
    read_all(mcqa(write(question(0, id="a"), question(0, id="a"))))
    assert caplog.messages == []
