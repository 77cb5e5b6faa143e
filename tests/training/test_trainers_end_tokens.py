"""Token episodes of models with several end tokens, and of trainers that give unusable tokens."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from byte_tokenizer import make_byte_tokenizer
from test_doors import ENV, FEE, Scripted, expected, row_of

from textgym.errors import EnvironmentFailure
from textgym.policies.token_policy import SampledTokens
from textgym.training import EpisodePlayer, token_rows
from textgym.training.driven import TokenEpisode
from textgym.training.tasks import key_of

pytestmark = [pytest.mark.model, pytest.mark.filterwarnings("ignore")]  # of the trainers


@pytest.fixture
def engine() -> Scripted:
    """Ends messages as the chat template does."""
    return Scripted(make_byte_tokenizer())


@pytest.fixture
def tokenizer() -> Any:
    """Has another end token than the chat template."""
    tokenizer = make_byte_tokenizer()
    tokenizer.eos_token = tokenizer.pad_token
    return tokenizer


def play(episode: TokenEpisode, engine: Scripted) -> None:
    prompt_ids = episode.open()
    while prompt_ids is not None:
        ids = engine.sample(prompt_ids).token_ids
        prompt_ids = episode.answer(SampledTokens(ids, None))


def test_end_token_that_is_not_the_tokenizers_ends_a_message(
    engine: Scripted, tokenizer: Any
) -> None:
    ends = [engine.tokenizer.eos_token_id]
    with EpisodePlayer(ENV) as player:
        episode = TokenEpisode(player, key_of(row_of()), tokenizer, end_ids=ends)
        play(episode, engine)
    (row,) = token_rows(episode.result)
    assert row.completion_ids == expected(engine.tokenizer).completion_ids
    reasons = [step["finish_reason"] for step in episode.result["steps"]]
    assert reasons == ["tool_calls", "length", "stop"]


def test_trainer_limits_its_messages_itself(tokenizer: Any) -> None:
    long = tokenizer.encode("The colour is red" + "!" * 3000)
    with EpisodePlayer(ENV) as player:
        episode = TokenEpisode(player, key_of(row_of()), tokenizer, context_length=2000)
        episode.open()
        assert episode.answer(SampledTokens([*long, tokenizer.eos_token_id], None)) is None
    assert len(token_rows(episode.result)[0].completion_ids) == len(long) + 1


def test_unusable_tokens_of_a_trainer_fail_the_episode(engine: Scripted) -> None:
    with EpisodePlayer(ENV) as player:
        episode = TokenEpisode(player, key_of(row_of()), engine.tokenizer)
        assert episode.answer(engine.sample(episode.open() or [])) is not None
        assert episode.answer(SampledTokens([-1], None)) is None  # it is not asked again
    assert episode.rewards == [-FEE]
    with pytest.raises(EnvironmentFailure, match=r"\(policy\): .* gave the token id -1"):
        _ = episode.result


@pytest.mark.trainers
def test_tinker_stops_at_all_end_ids(engine: Scripted, tokenizer: Any) -> None:
    pytest.importorskip("tinker_cookbook", reason="not installed: make test-trainers")
    from textgym.training.tinker import TinkerGroup

    ends = {engine.tokenizer.eos_token_id, tokenizer.eos_token_id}

    async def play() -> list[int]:
        group = TinkerGroup(row_of(), tokenizer, 1, end_ids=[engine.tokenizer.eos_token_id])
        (env,) = await group.make_envs()
        prompt, stop = await env.initial_observation()
        assert set(stop) == ends
        while True:
            ids = engine.sample(prompt.to_ints()).token_ids
            result = await env.step(ids)
            if result.episode_done:
                return prompt.to_ints() + ids
            assert set(result.next_stop_condition) == ends
            prompt = result.next_observation

    row = expected(engine.tokenizer)
    assert asyncio.run(play()) == row.prompt_ids + row.completion_ids
