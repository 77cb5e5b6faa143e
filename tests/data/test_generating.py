"""Generated rows: whose tasks they are, that none comes twice, and universes that are too small."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textgym.core.card import Card
from textgym.core.text_env import TextEnv
from textgym.data.generating import generate_rows
from textgym.data.row_files import write_rows
from textgym.errors import UnknownNameError, UsageError
from textgym.messages import user
from textgym.registry import ids, make
from textgym.tasks.task import Task, split_of

MCQA = "textgym/MCQA-v0"
OWN = ids(guests=False)


class Cards(TextEnv[None]):
    """Name a card of a deck; a few cards come rarely."""

    card = Card("generating/Cards-v0", "Name a card.", levels=(1, 2))

    def __init__(self, *, deck: int = 60, rare: int = 0, **kwargs: Any) -> None:
        self.deck, self.rare = deck, rare
        super().__init__(**kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        if self.rare and rng.random() < 0.02:
            return {"card": self.deck + rng.randrange(self.rare)}
        return {"card": rng.randrange(self.deck)}

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], (user(f"Name card {row['card']}."),), row["card"], row=row)


class Failing(Cards):
    """A generator that cannot draw one of the cards."""

    card = Card("generating/Failing-v0", "Name a card.")

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        row = super().generate(rng, level)
        if row["card"] == 7:
            raise UsageError("card 7 is lost")
        return row


class NoGenerator(Cards):
    """An environment that needs a data set."""

    card = Card("generating/NoGenerator-v0", "Name a card.")
    generate = TextEnv.generate


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give an empty cache folder, in which Parquet files are converted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


def of(cls: type[Cards]) -> str:
    """Return the name by which workers import a class of this file."""
    return f"{__name__}:{cls.__name__}"


def prompts(env: Any, rows: list[dict[str, Any]]) -> list[str]:
    """Return the prompts of rows with the tools that they bring."""
    tasks = [env.read_row(row) for row in rows]
    return [repr((task.messages, task.tools)) for task in tasks]


def rows_there_are(text: str) -> int:
    """Return the number of rows that an error states."""
    found = re.search(r"has only (\d+) different .*: ask for at most (\d+)$", text)
    assert found is not None, text
    assert found[1] == found[2]
    return int(found[1])


@pytest.mark.parametrize("split", ["train", "validation", "test"])
@pytest.mark.parametrize("level", [None, 2])
def test_the_row_with_an_id_is_of_the_task_with_this_id(split: str, level: int | None) -> None:
    env: Any = make(MCQA, split=split, level=level).unwrapped
    for row in generate_rows(MCQA, 60, split=split, level=level):
        task = env.get_task(int(row["id"].rpartition("-")[2]))
        assert (task.id, task.row) == (row["id"], row)


def test_rows_of_an_evaluation_split_are_the_tasks_in_order() -> None:
    env: Any = make("textgym/SingleToolCall-v0", split="test", level=1).unwrapped
    rows = list(generate_rows("textgym/SingleToolCall-v0", 100, split="test", level=1))
    assert rows == [env.get_task(index).row for index in range(100)]


def test_a_level_is_drawn_for_each_row_unless_one_is_chosen() -> None:
    assert {row["level"] for row in generate_rows(MCQA, 100)} == {1, 2, 3, 4, 5}
    assert {row["level"] for row in generate_rows(MCQA, 100, level=3)} == {3}


def test_more_rows_begin_with_the_same_rows() -> None:
    assert list(generate_rows(MCQA, 50)) == list(generate_rows(MCQA, 80))[:50]


@pytest.mark.parametrize("split", ["train", "validation", "test"])
@pytest.mark.parametrize("id", OWN)
def test_no_row_comes_twice_and_the_content_decides_the_split(id: str, split: str) -> None:
    env: Any = make(id).unwrapped
    rows = list(generate_rows(id, 20, split=split))
    tasks = [
        (shown, repr(env.read_row(row).answer))
        for shown, row in zip(prompts(env, rows), rows, strict=True)
    ]
    assert len({*tasks}) == len({row["id"] for row in rows}) == len(rows)
    assert {split_of(env.canonical(row)) for row in rows} == {split}


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
@pytest.mark.parametrize("id", OWN)
def test_the_environment_reads_its_rows_from_a_file(id: str, suffix: str, tmp_path: Path) -> None:
    if suffix.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    rows = list(generate_rows(id, 10))
    write_rows(tmp_path / f"rows{suffix}", rows)
    env: Any = make(id).unwrapped
    again: Any = make(id, dataset=str(tmp_path / f"rows{suffix}")).unwrapped
    assert again.num_tasks == len(rows)
    for index, row in enumerate(rows):
        made, read = env.read_row(row), again.get_task(index)
        assert (read.id, read.messages, read.tools) == (made.id, made.messages, made.tools)
        assert (read.row, read.answer) == (row, made.answer)


@pytest.mark.parametrize(("workers", "split"), [(2, "train"), (3, "test")])
def test_workers_draw_the_same_rows(workers: int, split: str) -> None:
    kwargs: dict[str, Any] = {"split": split, "deck": 4000}
    assert list(generate_rows(of(Cards), 300, workers=workers, **kwargs)) == list(
        generate_rows(of(Cards), 300, **kwargs)
    )


def test_an_error_of_the_generator_is_the_same_with_workers() -> None:
    for workers in (1, 2):
        with pytest.raises(UsageError, match=r"^card 7 is lost$"):
            list(generate_rows(of(Failing), 60, workers=workers))


@settings(max_examples=12)
@given(deck=st.integers(20, 400), split=st.sampled_from(["train", "validation", "test"]))
def test_all_rows_of_a_small_universe_are_found(deck: int, split: str) -> None:
    there = [number for number in range(deck) if split_of({"card": number}) == split]
    if not there:
        return
    kwargs: dict[str, Any] = {"deck": deck, "split": split, "level": 1}
    with pytest.raises(UsageError) as caught:
        list(generate_rows(of(Cards), deck + 1, **kwargs))
    assert rows_there_are(str(caught.value)) == len(there)
    rows = list(generate_rows(of(Cards), len(there), **kwargs))
    assert sorted(row["card"] for row in rows) == there


def test_rare_rows_of_a_small_universe_are_found() -> None:
    with pytest.raises(UsageError) as caught:
        list(generate_rows(of(Cards), 100, deck=30, rare=3))
    there = [split_of({"card": number}) for number in range(33)].count("train")
    assert rows_there_are(str(caught.value)) == there


def test_the_search_for_a_missing_row_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    generate = Cards.generate

    def counted(*arguments: Any) -> dict[str, Any]:
        drawn.append(arguments)
        return generate(*arguments)

    monkeypatch.setattr(Cards, "generate", counted)
    with pytest.raises(UsageError, match=r"has only \d+ different train rows"):
        list(generate_rows(of(Cards), 10**9, deck=500))
    assert 500 < len(drawn) < 2 * (1000 + 14 * 500)


def test_the_error_names_environment_split_level_and_number() -> None:
    with pytest.raises(
        UsageError,
        match=r"^textgym/GuessNumber-v0 has only 3 different train rows at level 1 "
        r"\([\d,]+ were drawn\): ask for at most 3$",
    ):
        list(generate_rows("textgym/GuessNumber-v0", 4, level=1))


@pytest.mark.parametrize("workers", [1, 2])
def test_too_few_rows_are_noticed_with_any_number_of_workers(workers: int) -> None:
    with pytest.raises(UsageError, match=r"has only 3 different train rows .*\(1,042 were drawn\)"):
        list(generate_rows("textgym/GuessNumber-v0", 6, workers=workers, level=1))


@pytest.mark.parametrize(
    ("id", "rows", "kwargs", "problem"),
    [
        (MCQA, 0, {}, r"^rows must be 1 or more, not 0$"),
        (MCQA, 1, {"workers": 0}, r"^workers must be 1 or more, not 0$"),
        (MCQA, 1, {"level": 9}, r"^textgym/MCQA-v0 has no level 9; its levels are "),
        (MCQA, 1, {"split": "dev"}, r"^there is no split 'dev'"),
        (MCQA, 1, {"dataset": "rows.jsonl"}, r"^rows come from the generator"),
        (of(NoGenerator), 1, {}, r"^generating/NoGenerator-v0 has no generator: pass dataset=$"),
        ("CartPole-v1", 1, {}, r"^CartPole-v1 is not a text environment$"),
    ],
)
def test_mistakes_are_one_line(id: str, rows: int, kwargs: dict[str, Any], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        list(generate_rows(id, rows, **kwargs))


def test_an_unknown_environment_is_named() -> None:
    with pytest.raises(UnknownNameError, match=r"^there is no environment 'textgym/MCQB-v0'"):
        list(generate_rows("textgym/MCQB-v0", 1))


@pytest.mark.slow
@pytest.mark.parametrize("id", [MCQA, "textgym/Math-v0", "textgym/MultiStep-v0"])
def test_ten_thousand_rows_are_distinct(id: str) -> None:
    rows = list(generate_rows(id, 10_000, level=1, workers=2))
    env: Any = make(id).unwrapped
    assert len({*prompts(env, rows)}) == len({row["id"] for row in rows}) == 10_000
