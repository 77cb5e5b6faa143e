"""The training example: its tokens, its control, its ceiling, and that the reward rises."""

from __future__ import annotations

import asyncio
import random
import sys
from typing import Any

import gymnasium
import pytest
from repository import EXAMPLES

from textgym.messages import assistant
from textgym.policies import Action, Policy, make_policy

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
sys.path.append(str(EXAMPLES))

import reinforce  # noqa: E402
import small_model  # noqa: E402

pytestmark = pytest.mark.model

COUNT = 12


def make_envs(count: int = COUNT, **kwargs: Any) -> Any:
    envs = gymnasium.make_vec(
        reinforce.ID, num_envs=count, autoreset_mode="Disabled", **reinforce.GAME, **kwargs
    )
    envs.reset(seed=0)
    return envs


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small model that was trained to name numbers."""
    torch.manual_seed(0)
    envs = make_envs()
    prompt = envs.reset()[0][0]
    game = [
        [*prompt, assistant(first), {"role": "user", "content": told}, assistant(second)]
        for first in "123"
        for second in "123"
        for told in ("higher", "lower", "That is no whole number from 1 to 3.")
    ]
    tokenizer = small_model.make_tokenizer(game)
    model = small_model.make_model(tokenizer)
    small_model.imitate(model, tokenizer, game)
    folder = tmp_path_factory.mktemp("model")
    small_model.save(model, tokenizer, folder)
    return make_policy(f"hf:{folder}", {"max_tokens": 4})


@pytest.fixture(scope="module")
def played(policy: Any) -> Any:
    return asyncio.run(reinforce.play(make_envs(), policy, range(COUNT)))


def test_recorded_log_probabilities_are_those_of_a_forward_pass(policy: Any, played: Any) -> None:
    for tokens in played[0]:
        ids = torch.tensor([tokens.ids])
        with torch.no_grad():
            scores = small_model.score(policy.model, ids, torch.ones_like(ids))
        own = scores.gather(2, ids[:, 1:, None]).flatten() * torch.tensor(tokens.loss_mask[1:])
        assert tokens.logprobs[1:] == pytest.approx(own.tolist(), abs=1e-4)


def test_the_loss_mask_covers_what_was_sampled_and_nothing_else(policy: Any, played: Any) -> None:
    end = policy.tokenizer.eos_token_id
    turns = 0
    for tokens in played[0]:
        asked, _, *rest = policy.tokenizer.decode(tokens.ids).partition("<|assistant|>")
        start = tokens.loss_mask.index(1)
        assert "guess" in asked.lower()
        assert rest
        assert policy.tokenizer.decode(tokens.ids[:start]).endswith("<|assistant|>")
        masked = [id for id, sampled in zip(tokens.ids, tokens.loss_mask, strict=True) if sampled]
        assert set(policy.tokenizer.convert_tokens_to_ids(["higher", "lower"])).isdisjoint(masked)
        turns += masked.count(end)
    assert turns > COUNT  # some took two


def test_tokens_that_are_not_the_models_own_are_refused(policy: Any) -> None:
    episodes, rewards = asyncio.run(reinforce.play(make_envs(), policy, range(COUNT)))
    place = episodes[3].loss_mask.index(1)
    episodes[3].logprobs[place] += 0.01
    before = {name: weight.clone() for name, weight in policy.model.state_dict().items()}
    optimizer = torch.optim.Adam(policy.model.parameters(), 0.1)
    with pytest.raises(RuntimeError, match=r"rollout and training differ by 0\.01"):
        reinforce.learn(policy.model, policy.model, optimizer, episodes, rewards)
    assert all(torch.equal(before[name], now) for name, now in policy.model.state_dict().items())


class Fixed(Policy):
    """Guesses at random, or by bisection if it reads the feedback."""

    def __init__(self, reads: bool) -> None:
        self.reads = reads
        self.heard: set[str] = set()

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        told = messages[-1]["content"] if len(messages) > 1 else ""
        self.heard.add(told)
        known = {"": "2", "higher": "3", "lower": "1"}
        guess = known[told] if self.reads else str(random.Random(seed).randint(1, 3))
        return Action(assistant(guess))


def test_the_control_gets_no_feedback() -> None:
    for feedback, heard in ((True, {"", "higher", "lower"}), (False, {"", "wrong"})):
        policy = Fixed(reads=False)
        asyncio.run(reinforce.play(make_envs(30, feedback=feedback), policy, range(30)))
        assert policy.heard == heard


def test_ignoring_the_feedback_never_exceeds_the_ceiling() -> None:
    envs = make_envs(reinforce.EPISODES)
    for seed in range(5):
        evaluated = reinforce.evaluate(envs, Fixed(reads=False), random.Random(seed))
        assert 0.4 < asyncio.run(evaluated) <= reinforce.CEILING
    evaluated = reinforce.evaluate(envs, Fixed(reads=True), random.Random(0))
    assert asyncio.run(evaluated) == 1


def test_a_few_steps_raise_the_reward() -> None:
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        trained = asyncio.run(reinforce.train("hf", 40, True, 2))
    finally:
        torch.set_num_threads(threads)
    assert trained["last"] > trained["first"] + 0.15
    assert trained["gap"] < 1e-4
