"""The token sequences of an episode, and their rows."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import textgym
from textgym.errors import UsageError
from textgym.messages import assistant, copy_messages
from textgym.policies import Action, Policy
from textgym.policies.base import Tokens
from textgym.trajectories.tokens import TokenRecord, token_rows, token_sequences


class Counting(Policy):
    """A policy whose tokens are numbers: one for each new message, and one that it samples.

    Attributes:
        given: What it was handed, by turn.
    """

    name = "counting"

    def __init__(self, forgets: bool = False, spoils: bool = False, tokens: bool = True) -> None:
        self.forgets, self.spoils, self.tokens = forgets, spoils, tokens
        self.given: list[Tokens | None] = []

    async def act(
        self, messages: Any, tools: Any, *, prior: Tokens | None = None, seed: int | None = None
    ) -> Action:
        self.given.append(prior)
        told = prior.message_count if prior else 0
        ids = [*(prior.ids if prior else []), *range(100 + told, 100 + len(messages))]
        if self.forgets:
            ids = [7] * len(messages)
        if prior and self.spoils:
            prior.ids.clear()
        turn = len(self.given)
        tokens = (ids, [turn], [-0.5 * turn]) if self.tokens else (None, None, None)
        return Action(assistant("\\boxed{0}"), "stop", {}, *tokens)


def play(policy: Policy) -> dict[str, Any]:
    (trajectory,) = textgym.rollout("textgym/GuessNumber-v0", policy, episodes=1).trajectories()
    assert len(trajectory["steps"]) > 1
    return trajectory


def test_each_turn_gets_the_tokens_of_earlier_turns() -> None:
    policy = Counting()
    trajectory = play(policy)
    assert policy.given[0] is None
    for place, prior in enumerate(policy.given[1:], 1):
        (expected,) = token_sequences(trajectory["steps"][:place])
        assert prior == expected
    assert trajectory["splits"] == 0


def test_a_policy_cannot_change_the_token_record() -> None:
    clean, spoilt = play(Counting()), play(Counting(spoils=True))
    for one, other in zip(clean["steps"], spoilt["steps"], strict=True):
        assert one["prompt_ids"] == other["prompt_ids"]
    assert spoilt["splits"] == 0


def test_a_prompt_with_another_prefix_starts_a_sequence() -> None:
    trajectory = play(Counting(forgets=True))
    steps = trajectory["steps"]
    assert trajectory["splits"] == len(steps) - 1
    sequences = token_sequences(steps)
    assert [tokens.ids for tokens in sequences] == [s["prompt_ids"] + s["token_ids"] for s in steps]
    run = textgym.rollout("textgym/GuessNumber-v0", Counting(forgets=True), episodes=3)
    splits = [item["splits"] for item in run.trajectories()]
    assert run.metrics["overall"]["splits"] == sum(splits) > 0


def test_a_policy_without_tokens_has_no_record() -> None:
    policy = Counting(tokens=False)
    trajectory = play(policy)
    assert set(policy.given) == {None}
    assert trajectory["splits"] is None
    assert token_sequences(trajectory["steps"]) == []


def test_missing_log_probabilities_are_nan() -> None:
    step = {"message_index": 1, "prompt_ids": [1], "token_ids": [2], "logprobs": None}
    (tokens,) = token_sequences([step])
    assert tokens.logprobs[0] == 0.0
    assert math.isnan(tokens.logprobs[1])


@pytest.mark.parametrize("change", ["longer", "calls", "text", "role", "earlier", "fewer"])
def test_prior_tokens_need_the_recorded_conversation(change: str) -> None:
    record = TokenRecord()
    asked: Any = [{"role": "user", "content": "A?"}]
    said = assistant("B")
    record.add(Action(said, prompt_ids=[1], token_ids=[2], logprobs=[-1.0]), asked, said)
    now = copy_messages([*asked, said])
    if change == "longer":
        now += asked
    elif change == "calls":
        now[1]["tool_calls"] = [{"id": "call_0_0", "function": {"name": "look"}}]
    elif change == "text":
        now[1]["content"] = "b"
    elif change == "role":
        now[1]["role"] = "user"
    elif change == "earlier":
        now[0]["content"] = "a?"
    else:
        now = now[:1]
    assert (record.prior(now) is not None) == (change in ("longer", "calls"))


@pytest.mark.parametrize(
    "fields",
    [{"prompt_ids": (1,)}, {"token_ids": "ab"}, {"token_ids": [1], "logprobs": []}],
    ids=["tuple", "text", "fewer"],
)
def test_tokens_that_cannot_be_recorded_are_a_failure_of_the_policy(fields: Any) -> None:
    class Odd(Policy):
        name = "odd"

        async def act(self, messages: Any, tools: Any, **given: Any) -> Action:
            return Action(assistant("x"), **fields)

    (trajectory,) = textgym.rollout("textgym/GuessNumber-v0", Odd(), episodes=1).trajectories()
    assert trajectory["failure"]["boundary"] == "policy"
    assert trajectory["failure"]["type"] == "UsageError"


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
