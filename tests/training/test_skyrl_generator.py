"""The episode of test_doors through SkyRL's own generator: `make test-trainers`."""

from __future__ import annotations

import asyncio
import typing
from typing import Any

import pytest
import typing_extensions

pytest.importorskip("torch")
pytest.importorskip("transformers")
skyrl_gym = pytest.importorskip("skyrl_gym", reason="not installed: make test-trainers")

from byte_tokenizer import make_byte_tokenizer  # noqa: E402
from test_doors import COMPONENTS, CUT, FEE, PAID, SAID, expected, row_of  # noqa: E402

from textgym.errors import EnvironmentFailure  # noqa: E402

pytestmark = [pytest.mark.trainers, pytest.mark.filterwarnings("ignore")]  # SkyRL's own

SIZE = 2


class Engine:
    """Answers as SkyRL's client of inference servers does.

    Args:
        tokenizer: The tokenizer.
        said: The texts of an episode.
    """

    def __init__(self, tokenizer: Any, said: list[str]) -> None:
        self.tokenizer, self.said, self.turns = tokenizer, said, dict[str, int]()

    async def generate(self, asked: Any, model: str | None = None) -> dict[str, Any]:
        (session,) = asked["session_ids"]
        turn = self.turns.setdefault(session, 0)
        self.turns[session] += 1
        text = self.said[turn]
        ids = self.tokenizer.encode(text) + [self.tokenizer.eos_token_id] * (turn != CUT)
        return {
            "responses": [text],
            "response_ids": [ids],
            "stop_reasons": ["length" if turn == CUT else "stop"],
            "response_logprobs": [[-1.0] * len(ids)],
        }

    async def finish_session(self, session: str) -> None:
        """SkyRL calls this at the end of each episode."""


@pytest.fixture
def generator(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that plays a group of episodes with SkyRL's generator."""
    # SkyRL is written for Python 3.12, whose TypedDict pydantic takes; 3.11 has it elsewhere.
    monkeypatch.setattr(typing, "TypedDict", typing_extensions.TypedDict)
    from skyrl.train.config import GeneratorConfig, SkyRLGymConfig
    from skyrl.train.generators.base import TrajectoryID
    from skyrl.train.generators.skyrl_gym_generator import SkyRLGymGenerator

    if "textgym" not in skyrl_gym.envs.registration.registry:
        skyrl_gym.register("textgym", entry_point="textgym.training.skyrl:SkyRLEnv")
    tokenizer = make_byte_tokenizer()

    def play(said: list[str], *, broken: bool = False, longest_input: int = 10_000) -> Any:
        config = GeneratorConfig(batched=False, max_input_length=longest_input)
        asked = {
            "prompts": [[{"role": "user", "content": "shown"}]] * SIZE,
            "env_classes": ["textgym"] * SIZE,
            "env_extras": [{"textgym": row_of(broken=broken)} for _ in range(SIZE)],
            "trajectory_ids": [TrajectoryID("task", repeat) for repeat in range(SIZE)],
            "sampling_params": None,
        }
        made = SkyRLGymGenerator(config, SkyRLGymConfig(), Engine(tokenizer, said), tokenizer)
        return asyncio.run(made.generate(asked, disable_tqdm=True))

    return play


def test_skyrl_trains_on_what_was_sampled(generator: Any) -> None:
    tokenizer = make_byte_tokenizer()
    row, played = expected(tokenizer), generator(SAID)
    for place in range(SIZE):
        ids, mask = played["response_ids"][place], played["loss_masks"][place]
        sampled = [id for id, trained in zip(ids, mask, strict=True) if trained]
        of_row = zip(row.completion_ids, row.completion_mask, strict=True)
        assert sampled == [id for id, trained in of_row if trained]
        observed = [id for id, trained in zip(ids, mask, strict=True) if not trained]
        assert "There is a red ball in the box." in tokenizer.decode(observed)
        assert [reward for reward in played["rewards"][place] if reward] == [PAID[0], PAID[-1]]
    figures = played["rollout_metrics"]
    assert figures["environment/success"] == 1.0
    assert {name: figures[f"environment/{name}"] for name in COMPONENTS} == COMPONENTS


def test_episode_that_skyrl_cuts_keeps_what_it_was_paid(generator: Any) -> None:
    tokenizer = make_byte_tokenizer()
    # After the first answer, the input is longer than this.
    longest = len(generator(SAID)["prompt_token_ids"][0]) + len(tokenizer.encode(SAID[0]))
    played = generator(SAID, longest_input=longest)
    assert played["stop_reasons"] == ["length"] * SIZE
    assert [sum(rewards) for rewards in played["rewards"]] == [-FEE] * SIZE
    assert played["rollout_metrics"]["environment/success"] == 0.0


def test_failure_ends_skyrls_batch(generator: Any) -> None:
    with pytest.raises(EnvironmentFailure, match="the judge is down"):
        generator(SAID[2:], broken=True)
