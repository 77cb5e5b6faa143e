"""Data sets in the formats of NeMo Gym and of trainers, and back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from textgym.core.card import Card
from textgym.core.text_env import TextEnv
from textgym.data.converting import FORMATS, convert, own_row
from textgym.data.generating import generate_rows
from textgym.data.row_files import write_rows
from textgym.errors import DatasetError, RowError, UnknownNameError, UsageError
from textgym.messages import system, user
from textgym.registry import make
from textgym.rollouts.player import EpisodePlayer
from textgym.tasks import named
from textgym.tasks.files import load_rows
from textgym.tasks.task import Task
from textgym.training.tasks import key_of, player_of
from textgym.training.trl.samples import task_of

pytest.importorskip("pyarrow")

MATH, MCQA = "textgym/Math-v0", "textgym/MCQA-v0"
TRAINERS = ["trl", "verl", "skyrl"]
GOLD = {"trl": "answer", "verl": "reward_model", "skyrl": "reward_spec"}
SUFFIXES = [".jsonl", ".parquet"]
NEMO = {"responses_create_params": {"input": "What is 2 + 2?"}, "expected_answer": "4"}


class AnyRow(TextEnv[None]):
    """An environment that reads any row."""

    card = Card("converting/Any-v0", "Say anything.")

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], (system("Be brief."), user("Hello.")), row.get("gold"), row=row)


ANY = f"{__name__}:AnyRow"


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give an empty cache folder, in which Parquet files are converted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("converted")


def file_of(folder: Path, *rows: dict[str, Any], name: str = "in.jsonl") -> str:
    """Write a file of rows and return its path."""
    write_rows(folder / name, rows)
    return str(folder / name)


def rows_in(path: str | Path) -> list[dict[str, Any]]:
    return [row for _, row in load_rows(str(path), "train")]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)  # fmt: skip
names = st.sampled_from(["id", "uuid", "gold", "prompt", "extra_info", "responses_create_params"])
some_rows = st.lists(st.dictionaries(names | st.text(max_size=3), values, min_size=1), min_size=1)


@settings(max_examples=20)
@given(rows=some_rows, suffix=st.sampled_from(SUFFIXES), back=st.sampled_from(SUFFIXES))
def test_any_rows_come_back_from_nemo_gym(
    folder: Path, rows: list[dict[str, Any]], suffix: str, back: str
) -> None:
    source, nemo, again = file_of(folder, *rows), folder / f"nemo{suffix}", folder / f"rows{back}"
    convert(source, nemo, "nemo-gym", env=ANY)
    convert(str(nemo), again, "rows")
    assert json.dumps([*map(sorted_fields, rows_in(again))]) == json.dumps(
        [*map(sorted_fields, rows)]
    )
    assert all(row["responses_create_params"] is not None for row in rows_in(nemo))


def sorted_fields(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its fields in order, as Parquet does not keep it."""
    return dict(sorted(row.items()))


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("format", FORMATS)
def test_rows_come_back_from_every_format(tmp_path: Path, format: str, suffix: str) -> None:
    rows = [*generate_rows(MCQA, 12)]
    source = file_of(tmp_path, *rows)
    out = tmp_path / f"out{suffix}"
    assert convert(source, out, format, env=MCQA) == 12
    assert convert(str(out), tmp_path / "back.jsonl", "rows") == 12
    assert rows_in(tmp_path / "back.jsonl") == rows


@pytest.mark.parametrize("format", TRAINERS)
def test_a_file_of_prompts_has_the_prompts_and_answers(tmp_path: Path, format: str) -> None:
    source = file_of(tmp_path, *generate_rows(MATH, 8))
    convert(source, tmp_path / "out.parquet", format, env=MATH)
    env: Any = make(MATH, dataset=source).unwrapped
    for index, record in enumerate(rows_in(tmp_path / "out.parquet")):
        task = env.get_task(index)
        prompt = [
            {key: message[key] for key in ("role", "content")} for message in record["prompt"]
        ]
        gold = record[GOLD[format]] if format == "trl" else record[GOLD[format]]["ground_truth"]
        assert (tuple(prompt), gold) == (task.messages, task.answer)


def test_verl_files_have_the_columns_of_its_own_data_sets(tmp_path: Path) -> None:
    source = file_of(tmp_path, {"id": "a", "gold": [1, 2]}, {"id": "b", "gold": "x"})
    convert(source, tmp_path / "out.parquet", "verl", env=ANY)
    first, second = rows_in(tmp_path / "out.parquet")
    assert {*first} == {
        "data_source", "agent_name", "prompt", "ability", "reward_model", "extra_info",
    }  # fmt: skip
    assert first["data_source"] == AnyRow.card.id
    assert [row["reward_model"] for row in (first, second)] == [
        {"style": "rule", "ground_truth": "[1, 2]"},
        {"style": "rule", "ground_truth": "x"},
    ]
    assert [row["extra_info"]["index"] for row in (first, second)] == [0, 1]


def test_skyrl_files_have_the_columns_of_its_own_data_sets(tmp_path: Path) -> None:
    source = file_of(tmp_path, {"id": "a", "gold": "x"})
    convert(source, tmp_path / "out.parquet", "skyrl", env=ANY)
    (record,) = rows_in(tmp_path / "out.parquet")
    assert record["env_class"] == "textgym"
    assert record["reward_spec"] == {"method": "rule", "ground_truth": "x"}
    assert record["textgym"]["prompt"] == "Hello."


@pytest.mark.parametrize("format", ["verl", "skyrl"])
def test_adapters_play_the_tasks_of_a_file(
    tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file_of(tmp_path, *generate_rows(MATH, 4))
    convert("in.jsonl", "out.parquet", format, env=MATH)
    records = rows_in(tmp_path / "out.parquet")
    monkeypatch.chdir("/")  # workers of a trainer run elsewhere
    for record in records:
        ref = record["extra_info"] if format == "verl" else record["textgym"]
        player = player_of(ref)
        (trajectory,) = player.play("oracle", [key_of(ref)])
        assert trajectory["messages"][0]["content"] == record["prompt"][0]["content"]
        assert trajectory["reward"] == 1.0


def test_trl_prompts_name_the_tasks_of_the_data_set(tmp_path: Path) -> None:
    source = file_of(tmp_path, *generate_rows(MATH, 4, split="test"))
    convert(source, tmp_path / "out.parquet", "trl", env=MATH, split="test")
    with EpisodePlayer(MATH, env_kwargs={"dataset": source, "split": "test"}) as player:
        for index, record in enumerate(rows_in(tmp_path / "out.parquet")):
            ref = task_of(record["prompt"])
            assert ref == (MATH, "test", index)
            assert (record["environment"], record["split"], record["task_index"]) == ref
            env: Any = player.samples[MATH].unwrapped
            assert env.get_task(index).messages[0]["content"] == record["prompt"][0]["content"]


def test_only_the_first_message_names_the_task(tmp_path: Path) -> None:
    source = file_of(tmp_path, {"id": "a"})
    convert(source, tmp_path / "out.jsonl", "trl", env=ANY)
    (record,) = rows_in(tmp_path / "out.jsonl")
    assert [[*message] for message in record["prompt"]] == [
        ["role", "content", "task"],
        ["role", "content"],
    ]


def test_nemo_gym_rows_stay_as_they_are(tmp_path: Path) -> None:
    source = file_of(tmp_path, NEMO)
    for format in ("nemo-gym", "rows"):
        convert(source, tmp_path / "out.jsonl", format)
        assert rows_in(tmp_path / "out.jsonl") == [NEMO]


def test_rows_of_verls_own_data_sets_stay_as_they_are(tmp_path: Path) -> None:
    row = {
        "data_source": "openai/gsm8k",
        "prompt": [{"role": "user", "content": "What is 2 + 2?"}],
        "reward_model": {"style": "rule", "ground_truth": "4"},
        "extra_info": {"split": "train", "index": 0},
    }
    convert(file_of(tmp_path, row), tmp_path / "out.jsonl", "rows")
    assert rows_in(tmp_path / "out.jsonl") == [row]


def test_a_row_without_an_id_gets_none(tmp_path: Path) -> None:
    source = file_of(tmp_path, {"gold": 1})
    convert(source, tmp_path / "nemo.jsonl", "nemo-gym", env=ANY)
    (record,) = rows_in(tmp_path / "nemo.jsonl")
    assert (record["id"], record["textgym_row"]) == ("row-0", {"gold": 1})


def test_csv_becomes_rows(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("question,level\n2 + 2?,1\n3 + 3?,2\n")
    convert(str(tmp_path / "in.csv"), tmp_path / "out.parquet", "rows")
    assert rows_in(tmp_path / "out.parquet") == [
        {"question": "2 + 2?", "level": 1},
        {"question": "3 + 3?", "level": 2},
    ]


@pytest.mark.parametrize("format", ["nemo-gym", "trl"])
def test_a_data_set_with_a_name_has_an_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    record = {"question": "What is 2 + 2?", "answer": "2 + 2 = 4\n#### 4"}
    monkeypatch.setattr(named, "hub_records", lambda *_: iter([("row 0 of the hub", record)]))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    convert("gsm8k", tmp_path / "out.jsonl", format, split="test")
    convert(str(tmp_path / "out.jsonl"), tmp_path / "rows.jsonl", "rows")
    (row,) = rows_in(tmp_path / "rows.jsonl")
    env: Any = make(MATH, dataset=[row]).unwrapped
    assert env.get_task(0).answer == "4"


@pytest.mark.parametrize("format", [*TRAINERS, "nemo-gym"])
def test_a_row_that_carries_a_row_is_made_a_row_first(tmp_path: Path, format: str) -> None:
    source = file_of(tmp_path, *generate_rows(MATH, 2))
    convert(source, tmp_path / "verl.parquet", "verl", env=MATH)
    with pytest.raises(UsageError, match=r"^row 0 of .* carries a row in 'textgym_row': convert"):
        convert(str(tmp_path / "verl.parquet"), tmp_path / "out.jsonl", format, env=ANY)


@pytest.mark.parametrize(
    ("carried", "problem"),
    [
        ("{", r"^line 1 of .*in\.jsonl: field 'textgym_row' is not valid JSON"),
        ("[" * 9999, r"^line 1 of .*in\.jsonl: field 'textgym_row' is not valid JSON"),
        ("\ud800", r"^line 1 of .*in\.jsonl: field 'textgym_row' is not valid JSON"),
        ("[1]", r"^line 1 of .*in\.jsonl: field 'textgym_row' must be a row \(an object\), not"),
        (7, r"^line 1 of .*in\.jsonl: field 'textgym_row' must be a row \(an object\), not a int"),
    ],
)
def test_a_broken_carried_row_is_named(tmp_path: Path, carried: Any, problem: str) -> None:
    source = file_of(tmp_path, {"prompt": [], "textgym_row": carried})
    with pytest.raises(RowError, match=problem):
        convert(source, tmp_path / "out.jsonl", "rows")


@settings(max_examples=60)
@given(row=st.dictionaries(st.sampled_from(["prompt", "textgym_row", "extra_info"]), values))
def test_no_row_raises_anything_else(row: dict[str, Any]) -> None:
    assume("textgym_row" in row or "extra_info" in row)
    with suppress(RowError):
        assert isinstance(own_row(row), dict)


def test_a_prompt_with_a_picture_is_refused(tmp_path: Path) -> None:
    picture = {"type": "input_image", "image_url": "data:image/png;base64,AA=="}
    prompt = {"input": [{"role": "user", "content": [picture]}]}
    source = file_of(tmp_path, {**NEMO, "responses_create_params": prompt})
    with pytest.raises(
        RowError, match=r"^line 1 of .*: field 'prompt\.0' has more than a role and a text"
    ):
        convert(source, tmp_path / "out.parquet", "verl", env=MATH)


def test_a_row_that_the_environment_cannot_read_is_named(tmp_path: Path) -> None:
    source = file_of(tmp_path, {"question": "2 + 2?", "expected_answer": "4"}, {"question": "?"})
    with pytest.raises(RowError, match=r"^line 2 of .*in\.jsonl: field 'expected_answer' is miss"):
        convert(source, tmp_path / "out.parquet", "verl", env=MATH)
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": 1}\n{"a": 1', r"^line 2 of .*in\.jsonl is not valid JSON: Expecting"),
        ('{"a": 1}\n[1]', r"^line 2 of .*in\.jsonl is a JSON list; a row must be an object$"),
        ("", r"^data set '.*in\.jsonl' is empty$"),
    ],
)
def test_a_broken_line_is_named_and_nothing_is_written(
    tmp_path: Path, text: str, problem: str
) -> None:
    (tmp_path / "in.jsonl").write_text(text)
    with pytest.raises(DatasetError, match=problem):
        convert(str(tmp_path / "in.jsonl"), tmp_path / "out.jsonl", "rows")
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize(
    ("source", "out", "format", "problem"),
    [
        ("in.jsonl", "out.jsonl", "vrel", r"^there is no format 'vrel'; did you mean 'verl'\?$"),
        ("in.jsonl", "out.txt", "rows", r"^rows are written to a \.jsonl or \.parquet file, not"),
        ("in.jsonl", "in.jsonl", "rows", r"^'in\.jsonl' is the data set itself: write to another"),
        ("in.jsonl", "no/out.jsonl", "rows", r"^'no/out\.jsonl' cannot be written: No such file"),
        ("no.jsonl", "out.jsonl", "rows", r"^data set 'no\.jsonl' is missing$"),
        ("in.jsonl", "out.jsonl", "verl", r"^verl needs prompts: name the environment of the rows"),
        ("in.jsonl", "out.jsonl", "nemo-gym", r"^line 1 of in\.jsonl has no prompt: name its env"),
    ],
)
def test_other_mistakes_are_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    source: str,
    out: str,
    format: str,
    problem: str,
) -> None:
    file_of(tmp_path, {"id": "a"})
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=problem):
        convert(source, out, format)
    assert rows_in("in.jsonl") == [{"id": "a"}]
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_an_unknown_format_is_an_unknown_name(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError):
        convert(file_of(tmp_path, {"id": "a"}), tmp_path / "out.jsonl", "csv")


def test_nemo_gym_refuses_an_environment_that_its_agent_cannot_play(tmp_path: Path) -> None:
    source = file_of(tmp_path, *generate_rows("textgym/AskFirst-v0", 1))
    with pytest.raises(UsageError, match=r"^textgym/AskFirst-v0 talks to a user, and simple_agent"):
        convert(source, tmp_path / "out.jsonl", "nemo-gym", env="textgym/AskFirst-v0")
