"""`play_row`: the episode of test_doors with any function that continues token ids."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("transformers")

from byte_tokenizer import make_byte_tokenizer
from test_doors import COMPONENTS, FEE, PAID, SAID, Scripted, expected, row_of

from textgym.errors import PolicyFailure, TrainingError, UsageError
from textgym.policies import Sampling
from textgym.policies.token_policy import SampledTokens
from textgym.training import PlayedRow, TokenRow, play_row

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return make_byte_tokenizer()


class Engine:
    """Continues token ids; the first answers may be errors.

    Attributes:
        limits: The largest number of tokens of each message.
    """

    def __init__(self, tokenizer: Any, *errors: Exception | SampledTokens) -> None:
        self.scripted, self.errors, self.limits = Scripted(tokenizer), list(errors), list[int]()

    async def sample(
        self, prompt_ids: list[int], sampling: Sampling, seed: int | None
    ) -> SampledTokens:
        self.limits.append(sampling.max_tokens)
        if self.errors:
            error = self.errors.pop(0)
            if isinstance(error, Exception):
                raise error
            return error
        return self.scripted.sample(prompt_ids)


def play(engine: Engine, *, broken: bool = False, **options: Any) -> PlayedRow:
    row, tokenizer = row_of(broken=broken), engine.scripted.tokenizer
    return asyncio.run(play_row(row, engine.sample, tokenizer, **options))


def test_played_row_has_the_recorded_tokens(tokenizer: Any) -> None:
    played = play(Engine(tokenizer), sampling={"max_tokens": 200})
    tokens = played.sequence("my trainer")
    assert played.sequences == [tokens]
    assert TokenRow.of(tokens) == expected(tokenizer)
    assert len(tokens.ids) == len(tokens.loss_mask) == len(tokens.logprobs)
    assert played.reward == sum(PAID)
    assert played.is_cut
    figures = {f"reward/{name}": value for name, value in COMPONENTS.items()}
    assert played.figures("reward/") == {**figures, "success": 1.0}


@pytest.mark.parametrize(
    "broken_answer", [PolicyFailure("busy"), SampledTokens([], None), SampledTokens([-1], [0.0])]
)
def test_answer_that_cannot_be_used_is_sampled_again(
    tokenizer: Any, broken_answer: Exception | SampledTokens
) -> None:
    played = play(Engine(tokenizer, broken_answer))
    assert TokenRow.of(played.sequence("my trainer")) == expected(tokenizer)


def test_usage_error_is_not_retried(tokenizer: Any) -> None:
    engine = Engine(tokenizer, UsageError("the request was aborted"))
    played = play(engine)
    assert len(engine.limits) == 1
    assert played.trajectory["failure"]
    with pytest.raises(TrainingError, match="the request was aborted"):
        _ = played.reward


def test_failed_episode_has_no_reward(tokenizer: Any) -> None:
    played = play(Engine(tokenizer), broken=True)
    assert played.trajectory["failure"]
    for read in (lambda: played.reward, lambda: played.sequence("my trainer"), played.figures):
        with pytest.raises(TrainingError, match="the judge is down"):
            read()


def test_limits_are_of_the_prompt_and_of_what_follows(tokenizer: Any) -> None:
    row, engine = expected(tokenizer), Engine(tokenizer)
    prompt, response = len(row.prompt_ids), len(row.completion_ids)
    played = play(engine, max_prompt=prompt, max_response=response)
    assert played.reward == sum(PAID)
    places = [len(prompt_ids) for prompt_ids in engine.scripted.prompts]
    assert engine.limits == [prompt + response - place for place in places]


@pytest.mark.parametrize(
    ("limit", "paid"),
    [({"max_prompt": 10}, 0.0), ({"max_response": len(SAID[0]) + 5}, -FEE)],
    ids=["prompt", "response"],
)
def test_episode_over_a_limit_is_cut(tokenizer: Any, limit: dict[str, Any], paid: float) -> None:
    engine = Engine(tokenizer)
    played = play(engine, **limit)
    assert (played.trajectory["truncated"], played.trajectory["stop_reason"]) == (True, "context")
    assert played.reward == paid
    assert len(played.sequences) == len(engine.limits) == (paid != 0)


def test_trainer_of_one_sequence_refuses_a_split_episode() -> None:
    rewriting = make_byte_tokenizer()
    rewriting.chat_template = rewriting.chat_template.replace(
        "{% if m.reasoning_content %}", "{% if m.reasoning_content and loop.last %}"
    )
    played = play(Engine(rewriting))
    assert len(played.sequences) == 2
    assert played.reward == sum(PAID)
    with pytest.raises(TrainingError, match="2 token sequences: my trainer trains on 1"):
        played.sequence("my trainer")
