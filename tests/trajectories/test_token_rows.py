"""Token rows: prompts, completions and masks of the sequences of an episode."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.errors import UsageError
from textgym.trajectories.tokens import token_rows, token_sequences


def step(
    index: int, prompt: list[int], sampled: list[int], logprobs: Any = "each"
) -> dict[str, Any]:
    values = [-float(token) for token in sampled] if logprobs == "each" else logprobs
    return {"message_index": index, "prompt_ids": prompt, "token_ids": sampled, "logprobs": values}


def rows_of(*steps: dict[str, Any]) -> Any:
    return token_rows({"policy": "mine", "steps": list(steps)})  # type: ignore[typeddict-item]


def test_turns_of_one_sequence_are_one_row() -> None:
    (row,) = rows_of(step(1, [1, 2], [3, 4]), step(3, [1, 2, 3, 4, 5], [6]))
    assert (row.prompt_ids, row.completion_ids) == ([1, 2], [3, 4, 5, 6])
    assert row.completion_mask == [1, 1, 0, 1]
    assert row.logprobs == [-3.0, -4.0, 0.0, -6.0]


def test_a_split_begins_another_row_with_its_own_prompt() -> None:
    first, second = rows_of(step(1, [1, 2], [3]), step(3, [1, 9], [4]))
    assert (first.prompt_ids, first.completion_ids) == ([1, 2], [3])
    assert (second.prompt_ids, second.completion_ids) == ([1, 9], [4])


def test_an_episode_without_steps_has_no_rows() -> None:
    assert rows_of() == []


def test_log_probabilities_that_were_not_reported_are_nan() -> None:
    (row,) = rows_of(step(1, [1], [2, 3], None))
    assert all(map(math.isnan, row.logprobs))


def test_a_policy_without_tokens_is_refused() -> None:
    with pytest.raises(UsageError, match="training needs tokens, and mine reports none"):
        rows_of(step(1, [1], [2]), {**step(3, [1], [2]), "token_ids": None})


turns = st.lists(
    st.tuples(
        st.booleans(),
        st.lists(st.integers(0, 5), min_size=1, max_size=4),
        st.lists(st.integers(0, 5), max_size=4),
    ),
    max_size=6,
)


@given(turns)
def test_rows_have_all_sampled_tokens_once_and_every_id_in_its_place(drawn: Any) -> None:
    steps: list[Any] = []
    for number, (continues, prompt, sampled) in enumerate(drawn):
        before = steps[-1]["prompt_ids"] + steps[-1]["token_ids"] if steps and continues else []
        steps.append(step(2 * number + 1, before + prompt, sampled))
    rows = rows_of(*steps)
    sequences = token_sequences(steps)
    assert [row.prompt_ids + row.completion_ids for row in rows] == [s.ids for s in sequences]
    sampled = [
        token
        for row in rows
        for token, mask in zip(row.completion_ids, row.completion_mask, strict=True)
        if mask
    ]
    assert sampled == [token for item in steps for token in item["token_ids"]]
    for row in rows:
        assert row.completion_mask[:1] in ([1], [])
        assert len(row.completion_ids) == len(row.completion_mask) == len(row.logprobs)
