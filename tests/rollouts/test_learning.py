"""The training example: its tokens, its controls, its ceiling, and that the reward rises."""

from __future__ import annotations

import asyncio
import random
import sys
from typing import Any

import numpy as np
import pytest
from repository import EXAMPLES

from textgym.messages import assistant
from textgym.policies import Action, Policy, make_policy

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
sys.path.append(str(EXAMPLES))

import games  # noqa: E402
import reinforce  # noqa: E402
import reward_design  # noqa: E402
import small_model  # noqa: E402

pytestmark = [pytest.mark.model, pytest.mark.slow]

COUNT = 12


def played_by(policy: Policy, game: Any = None, count: int = COUNT) -> Any:
    game = game or games.guess(True)
    tasks = (game.tasks * count)[:count]
    return asyncio.run(
        reinforce.play(reinforce.make_envs(game, count), policy, range(count), tasks)
    )


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small model that was trained to name numbers."""
    torch.manual_seed(0)
    game = games.guess(True)
    prompt = reinforce.make_envs(game, 1).reset(seed=0)[0][0]
    conversations = [
        [*prompt, assistant(first), {"role": "user", "content": told}, assistant(second)]
        for first in "123"
        for second in "123"
        for told in ("higher", "lower", "That is no whole number from 1 to 3.")
    ]
    tokenizer = small_model.make_tokenizer(conversations)
    model = small_model.make_model(tokenizer)
    small_model.imitate(model, tokenizer, conversations)
    folder = tmp_path_factory.mktemp("model")
    small_model.save(model, tokenizer, folder)
    return make_policy(f"hf:{folder}", {"max_tokens": 4})


@pytest.fixture(scope="module")
def played(policy: Any) -> Any:
    return played_by(policy)


def test_recorded_log_probabilities_are_those_of_a_forward_pass(policy: Any, played: Any) -> None:
    for tokens in played.tokens:
        ids = torch.tensor([tokens.ids])
        with torch.no_grad():
            scores = small_model.score(policy.model, ids, torch.ones_like(ids))
        own = scores.gather(2, ids[:, 1:, None]).flatten() * torch.tensor(tokens.loss_mask[1:])
        assert tokens.logprobs[1:] == pytest.approx(own.tolist(), abs=1e-4)


def test_the_loss_mask_covers_what_was_sampled_and_nothing_else(policy: Any, played: Any) -> None:
    end = policy.tokenizer.eos_token_id
    turns = 0
    for tokens in played.tokens:
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
    played = played_by(policy)
    tokens = played.tokens[3]
    tokens.logprobs[tokens.loss_mask.index(1)] += 0.01
    before = {name: weight.clone() for name, weight in policy.model.state_dict().items()}
    optimizer = torch.optim.Adam(policy.model.parameters(), 0.1)
    with pytest.raises(RuntimeError, match=r"rollout and training differ by 0\.01"):
        reinforce.learn(policy.model, policy.model, optimizer, played)
    assert all(torch.equal(before[name], now) for name, now in policy.model.state_dict().items())


def test_an_action_is_credited_with_the_rewards_from_its_turn_on() -> None:
    rewards = np.array([[0.0, 1.0, 0.5], [1.0, 0.0, 0.0]])  # the second episode has one turn
    sampled = torch.tensor([[0, 1, 1, 0, 1], [0, 1, 0, 0, 0], [0, 1, 0, 1, 0]])
    credited = reinforce.advantages_of(rewards, sampled) * sampled
    first, second = np.array([1, 1, 0.5]) - 2.5 / 3, np.array([1, 0]) - 0.5
    assert credited[0].tolist() == pytest.approx([0, first[0], first[0], 0, second[0]])
    assert credited[1].tolist() == pytest.approx([0, first[1], 0, 0, 0])
    assert credited[2].tolist() == pytest.approx([0, first[2], 0, second[1], 0])


ANSWERS = {"guess": "123", "retry": "ABC"}
TOLD = {
    "guess": {"higher": 2, "lower": 0},
    "retry": {"It comes later.": 2, "It comes earlier.": 0},
}


class Fixed(Policy):
    """Answers at random but never the same twice, or by bisection if it reads the feedback."""

    def __init__(self, name: str, reads: bool) -> None:
        self.answers, self.told = ANSWERS[name], TOLD[name]
        self.reads = reads
        self.heard: set[str] = set()

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        told = messages[-1]["content"] if len(messages) > 1 else ""
        self.heard.add(told)
        if self.reads:
            return Action(assistant(self.answers[self.told.get(told, 1)]))
        order = random.Random(seed - len(messages)).sample(self.answers, 3)
        return Action(assistant(order[len(messages) // 2]))


@pytest.mark.parametrize(("name", "constant"), [("guess", "wrong"), ("retry", "That is wrong.")])
def test_the_control_gets_no_feedback(name: str, constant: str) -> None:
    for feedback, heard in ((True, {"", *TOLD[name]}), (False, {"", constant})):
        policy = Fixed(name, reads=False)
        played_by(policy, games.GAMES[name](feedback), 30)
        assert policy.heard == heard


@pytest.mark.parametrize("name", list(games.GAMES))
@pytest.mark.parametrize("feedback", [True, False])
def test_ignoring_the_feedback_never_exceeds_the_ceiling(name: str, feedback: bool) -> None:
    """A policy that remembers its own answer, and uses nothing else, is exactly at the ceiling."""
    game = games.GAMES[name](feedback)
    for seed in range(3):
        evaluated = reinforce.evaluate(game, Fixed(name, reads=False), random.Random(seed))
        assert asyncio.run(evaluated)["success"] == reinforce.CEILING
    evaluated = reinforce.evaluate(game, Fixed(name, reads=True), random.Random(0))
    assert asyncio.run(evaluated)["success"] == (1 if feedback else 1 / 3)


def test_a_message_without_a_letter_is_told_so() -> None:
    game = games.retry(True)
    envs = reinforce.make_envs(game, 1)
    envs.reset(options={"task": game.tasks[0]})
    conversations, *_ = envs.step(["none of them"])
    assert conversations[0][-1]["content"] == "That is none of the letters."


def train(game: Any, steps: int, seed: int) -> Any:
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        return asyncio.run(reinforce.train(game, "test", steps, seed))
    finally:
        torch.set_num_threads(threads)


@pytest.mark.parametrize("name", ["guess", "retry"])
def test_a_few_steps_raise_the_success_rate(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reinforce, "EPISODES", 48)
    trained = train(games.GAMES[name](True), 24, 1)
    assert trained["last"]["success"] > trained["first"]["success"] + 0.15
    assert trained["gap"] < 1e-4


def test_a_reward_that_can_be_farmed_rises_while_the_success_rate_falls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reinforce, "EPISODES", 32)
    trained = train(reward_design.make_game("farmed"), 18, 0)
    first, last = trained["first"], trained["last"]
    assert last["reward"] > first["reward"] + 0.1
    assert last["success"] < first["success"] - 0.1
