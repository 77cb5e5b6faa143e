"""The token record of an episode: which turns form a sequence, and what a policy is given."""

from __future__ import annotations

import math
from typing import Any

import pytest

import textgym
from textgym.messages import assistant, copy_messages
from textgym.policies import Action, Policy
from textgym.policies.base import Tokens
from textgym.trajectories.tokens import TokenRecord, token_sequences


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
