"""Tasks: stable hashes, splits, the drawing of generated rows, and the stream of choices."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from textgym.errors import UsageError
from textgym.json_values import canonical_json
from textgym.messages import user
from textgym.tasks.task import SPLITS, Task, TaskStream, draw_rows, hash_int, split_of, with_id


def number(rng: random.Random, level: int) -> dict[str, Any]:
    """Generate a row from a large universe."""
    return {"n": rng.randrange(10**9), "of": level}


def drawn(
    generate: Any = number, canonical: Any = canonical_json, **changes: Any
) -> dict[str, Any]:
    """Draw a row, with defaults for what does not matter."""
    given = {"id": "demo/X-v0", "split": "train", "level": 2, "levels": (1, 2, 3), "index": 0}
    return next(draw_rows(generate, canonical, **{**given, **changes}))


@pytest.mark.parametrize(
    ("parts", "number"),
    [
        pytest.param(("textgym/MCQA-v0", "train", None, 0), 1436457218758757717, id="a task"),
        pytest.param(("é\ud800", 7), 5110574468523188547, id="surrogate"),
    ],
)
def test_hash_is_the_same_for_ever(parts: tuple[object, ...], number: int) -> None:
    assert hash_int(*parts) == number


def test_hash_has_63_bits_and_distinguishes_parts() -> None:
    numbers = {hash_int("a", i) for i in range(1000)} | {hash_int("a", "1", i) for i in range(9)}
    assert len(numbers) == 1009
    assert all(0 <= item < 2**63 for item in numbers)


def test_hash_depends_on_where_parts_are_cut() -> None:
    assert hash_int("ab", "c") != hash_int("a", "bc") != hash_int("abc")


def test_canonical_json_sorts_keys_at_every_depth() -> None:
    assert canonical_json({"b": {"d": 1, "c": "é"}, "a": (1,)}) == (
        '{"a":[1],"b":{"c":"\\u00e9","d":1}}'
    )


def test_splits_are_about_80_10_10() -> None:
    counts = Counter(split_of(["question", i]) for i in range(20_000))
    assert set(counts) == set(SPLITS)
    assert abs(counts["train"] / 20_000 - 0.8) < 0.015
    assert abs(counts["validation"] / 20_000 - 0.1) < 0.01
    assert abs(counts["test"] / 20_000 - 0.1) < 0.01


def test_split_ignores_the_order_of_keys() -> None:
    assert all(split_of({"a": i, "b": 1}) == split_of({"b": 1, "a": i}) for i in range(100))


@pytest.mark.parametrize("split", SPLITS)
def test_drawn_rows_belong_to_the_split(split: str) -> None:
    for index in range(50):
        row = drawn(canonical=lambda row: row["n"], split=split, index=index)
        assert split_of(row["n"]) == split


def test_the_same_names_draw_the_same_row() -> None:
    assert [drawn(index=i) for i in range(20)] == [drawn(index=i) for i in range(20)]


@pytest.mark.parametrize(
    "changes",
    [{"id": "demo/X-v1"}, {"split": "test"}, {"level": 3}, {"level": None}, {"index": 1}],
    ids=lambda changes: next(iter(changes)) + "=" + str(next(iter(changes.values()))),
)
def test_another_name_draws_another_row(changes: dict[str, Any]) -> None:
    assert drawn(**changes)["n"] != drawn()["n"]


def test_row_gets_level_and_id() -> None:
    row = drawn(index=7)
    assert (row["level"], row["id"]) == (2, "train-2-7")


def test_rows_own_level_and_id_stay() -> None:
    row = drawn(lambda rng, level: {"n": rng.random(), "level": 9, "id": "mine"})
    assert (row["level"], row["id"]) == (9, "mine")


def test_mixed_levels_all_occur_in_rows() -> None:
    rows = [drawn(level=None, index=i) for i in range(100)]
    assert {row["of"] for row in rows} == {1, 2, 3}
    assert all(row["level"] == row["of"] for row in rows)
    assert rows[4]["id"] == "train-mixed-4"


@pytest.mark.parametrize("split", SPLITS)
def test_universe_too_small_is_an_error(split: str) -> None:
    only = {"n": next(i for i in range(100) if split_of({"n": i}) != split)}
    with pytest.raises(UsageError, match=f"demo/X-v0 has no {split} tasks at level 2"):
        drawn(lambda rng, level: dict(only), lambda row: {"n": row["n"]}, split=split)


def test_universe_too_small_names_no_level_where_none_is_chosen() -> None:
    only = {"n": next(i for i in range(100) if split_of({"n": i}) == "train")}
    with pytest.raises(UsageError, match=r"^demo/X-v0 has no test tasks: there are too few"):
        drawn(lambda rng, level: dict(only), lambda row: only, split="test", level=None)


@pytest.mark.parametrize(
    ("row", "name"),
    [
        pytest.param({"id": "a", "uuid": "b"}, "a", id="id"),
        pytest.param({"uuid": "b"}, "b", id="uuid"),
        pytest.param({"id": "", "uuid": "b"}, "b", id="empty id"),
        pytest.param({"id": None}, "row-3", id="null id"),
        pytest.param({}, "row-3", id="none"),
        pytest.param({"id": 0}, "0", id="id 0"),
    ],
)
def test_with_id(row: dict[str, Any], name: str) -> None:
    assert with_id(row, "row-3")["id"] == name


def test_with_id_leaves_the_row_alone() -> None:
    row = {"question": "?"}
    with_id(row, "row-3")
    assert row == {"question": "?"}


def test_tasks_are_frozen() -> None:
    task = Task("t", (user("?"),), "B")
    with pytest.raises(FrozenInstanceError):
        task.answer = "C"  # type: ignore[misc]


def test_tasks_without_row_do_not_share_a_dict() -> None:
    one, other = Task("t", (), 1), Task("t", (), 1)
    assert one.row is not other.row
    assert one.tools is None


def draws(stream: TaskStream, count: int) -> list[int]:
    """Draw some numbers."""
    return [stream.draw() for _ in range(count)]


def test_stream_repeats_after_a_seed() -> None:
    stream = TaskStream()
    stream.seed(5)
    first = draws(stream, 10)
    stream.seed(5)
    assert draws(stream, 10) == first
    assert len(set(first)) == 10


def test_stream_draws_numbers_of_48_bits() -> None:
    stream = TaskStream()
    stream.seed(1)
    numbers = draws(stream, 200)
    assert max(numbers) < 2**48
    assert max(numbers) > 2**46


def test_seeds_give_other_streams() -> None:
    stream = TaskStream()
    firsts = set()
    for seed in range(100):
        stream.seed(seed)
        firsts.add(stream.draw())
    assert len(firsts) == 100


def test_stream_goes_on_from_its_state() -> None:
    stream, other = TaskStream(), TaskStream()
    stream.seed(5)
    draws(stream, 3)
    other.state = list(stream.state)
    assert draws(other, 5) == draws(stream, 5)


def test_drawing_does_not_change_a_state_that_was_taken() -> None:
    stream = TaskStream()
    stream.seed(5)
    state = stream.state
    draws(stream, 3)
    assert state == [5, 0]


def test_unseeded_streams_differ() -> None:
    assert TaskStream().draw() != TaskStream().draw()
