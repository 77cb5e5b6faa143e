"""Shards: every group is in exactly one of them, and they are of equal size."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.errors import RunError, UsageError
from textgym.trajectories.shards import EpisodeNumbers, Shard

counts_of_envs = st.dictionaries(st.sampled_from("abcd"), st.integers(1, 40), min_size=1)


@given(counts_of_envs, st.integers(1, 7))
def test_shards_are_disjoint_complete_and_balanced(counts: dict[str, int], n: int) -> None:
    shards = [Shard(k, n) for k in range(1, n + 1)]
    sizes = []
    found = []
    for shard in shards:
        parts = shard.tasks_of(counts)
        tasks = [(id, task) for id in counts for task in range(counts[id])[parts[id]]]
        assert len(tasks) == shard.share(sum(counts.values()))
        sizes.append(len(tasks))
        found += tasks
    assert sorted(found) == sorted(chain(*([(id, n) for n in range(counts[id])] for id in counts)))
    assert max(sizes) - min(sizes) <= 1


@given(counts_of_envs, st.integers(1, 7))
def test_order_of_environments_does_not_matter(counts: dict[str, int], n: int) -> None:
    backwards = dict(reversed(counts.items()))
    for k in range(1, n + 1):
        assert Shard(k, n).tasks_of(counts) == Shard(k, n).tasks_of(backwards)


@given(counts_of_envs, st.integers(1, 3), st.integers(0, 5), st.integers(1, 7))
def test_numbers_agree_with_shards(
    counts: dict[str, int], repeats: int, start: int, n: int
) -> None:
    config = {"tasks": counts, "repeats": repeats, "start": start}
    numbers = EpisodeNumbers(config)
    keys = [
        (id, start + task, repeat)
        for id in sorted(counts)
        for task in range(counts[id])
        for repeat in range(repeats)
    ]
    found = numbers.of(keys)
    assert found.tolist() == list(range(numbers.groups * repeats))
    for key, k in zip(keys, numbers.shards_of(found, n).tolist(), strict=True):
        part = Shard(k, n).tasks_of(counts)[key[0]]
        assert key[1] - start in range(counts[key[0]])[part]


def test_mixture_is_in_the_order_of_one_process() -> None:
    numbers = EpisodeNumbers({"tasks": {"b": 1, "a": 3}, "repeats": 2})
    keys = [("a", 0, 1), ("a", 0, 0), ("a", 1, 0), ("a", 1, 1), ("a", 2, 0), ("b", 0, 1),
            ("b", 0, 0)]  # fmt: skip
    order = [keys[place] for place in numbers.in_order(numbers.of(keys)).tolist()]
    assert order == [
        ("a", 0, 0), ("a", 0, 1), ("b", 0, 0), ("b", 0, 1), ("a", 1, 0), ("a", 1, 1), ("a", 2, 0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given_tasks", "keys", "expected"),
    [
        ({"a": [7, 3]}, [("a", 3, 0), ("a", 7, 0), ("a", 0, 0)], [1, 0, -1]),
        ({"a": [{"x": 1}, {"x": 2}]}, [("a", 1, 0), ("a", 2, 0)], [1, -1]),
        ({}, [("a", 0, 0), ("b", 0, 0), ("a", 0, 1), ("a", 0, -1)], [0, -1, -1, -1]),
    ],
)
def test_tasks_that_are_given(given_tasks: Any, keys: Any, expected: list[int]) -> None:
    numbers = EpisodeNumbers({"tasks": {"a": 2}, "repeats": 1, "given_tasks": given_tasks})
    assert numbers.of(keys).tolist() == expected


def test_no_episodes_have_no_numbers() -> None:
    numbers = EpisodeNumbers({"tasks": {"a": 2}, "repeats": 1})
    assert numbers.in_order(numbers.of([])).tolist() == np.array([]).tolist()


@pytest.mark.parametrize(
    "config",
    [{}, {"tasks": {"a": None}, "repeats": 1}, {"tasks": {"a": 1}}, {"tasks": 3, "repeats": 1}],
)
def test_config_without_tasks_is_refused(config: dict[str, Any]) -> None:
    with pytest.raises(RunError, match="does not say which tasks"):
        EpisodeNumbers(config)


@pytest.mark.parametrize(
    "value", [(0, 3), (4, 3), (1, 0), (1,), (1, 2, 3), "12", "1/2", 2, (1.0, 2), (True, 2), None]
)
def test_what_is_not_a_shard_is_refused(value: Any) -> None:
    with pytest.raises(UsageError, match="shard must be") as found:
        Shard.read(value)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("stored", [None, 3, {"k": 1}])
def test_whole_run_has_no_shard(stored: Any) -> None:
    assert Shard.of({"shard": stored}) is None
