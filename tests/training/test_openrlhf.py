"""What OpenRLHF trains on, with a small model that really samples: `make test-trainers`.

The samples are made by OpenRLHF. The small model stands for its engine and its actor, which need a
GPU.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from repository import EXAMPLES

import textgym

torch = pytest.importorskip("torch")
pytest.importorskip("openrlhf", reason="not installed: make test-trainers")
sys.path.append(str(EXAMPLES))

import small_model  # noqa: E402

from textgym.training.logprob_gap import logprob_gap  # noqa: E402
from textgym.training.openrlhf import AgentExecutor, write_dataset  # noqa: E402

pytestmark = [pytest.mark.trainers, pytest.mark.filterwarnings("ignore")]  # OpenRLHF's own

GUESS = "textgym/GuessNumber-v0"
SMALL = {"highest": 3, "turns": 2}
EPISODES = 8
MAX_LENGTH = 512
LARGEST_GAP = 1e-4  # between the log probabilities of rollout and training


class Engine:
    """Samples token ids with a model, and answers as vLLM does; a message has at most 4 tokens."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self._random = torch.Generator().manual_seed(0)

    async def generate(self, prompt_ids: list[int], params: Any) -> Any:
        ids, logprobs = list(prompt_ids), []
        with torch.inference_mode():
            for _ in range(min(4, params.max_tokens)):
                scores = self.model(torch.tensor([ids])).logits[0, -1].log_softmax(dim=-1)
                ids.append(int(torch.multinomial(scores.exp(), 1, generator=self._random)))
                logprobs.append({ids[-1]: SimpleNamespace(logprob=float(scores[ids[-1]]))})
                if ids[-1] == self.model.config.eos_token_id:
                    break
        ended = ids[-1] == self.model.config.eos_token_id
        output = SimpleNamespace(
            token_ids=ids[len(prompt_ids) :],
            logprobs=logprobs,
            finish_reason="stop" if ended else "length",
        )
        return SimpleNamespace(outputs=[output])


def make_model_that_guesses() -> tuple[Any, Any]:
    """Return a small model that names numbers, and its tokenizer."""
    torch.manual_seed(0)
    run = textgym.rollout(GUESS, "random", tasks=range(6), repeats=8, env_kwargs=SMALL)
    conversations = [trajectory["messages"] for trajectory in run.trajectories()]
    tokenizer = small_model.make_tokenizer(conversations)
    model = small_model.make_model(tokenizer)
    small_model.imitate(model, tokenizer, conversations, steps=20)
    return model.eval(), tokenizer


def test_logprobs_of_rollout_and_training_agree(tmp_path: Path) -> None:
    from openrlhf.trainer.ppo_utils.samples_generator import SamplesGenerator

    model, tokenizer = make_model_that_guesses()
    path = write_dataset(tmp_path / "tasks.jsonl", GUESS, EPISODES, env_kwargs=SMALL)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    params, engine = SimpleNamespace(max_tokens=None, logprobs=1), Engine(model)
    compared, rewards = [], []
    for row in rows:
        played = AgentExecutor().execute(
            row["prompt"], row["label"], params, MAX_LENGTH, tokenizer, engine
        )
        make_sample = SamplesGenerator._process_response_into_experience
        sample = make_sample(None, asyncio.run(played), max_len=MAX_LENGTH)
        with torch.inference_mode():
            scores = model(sample.sequences).logits[:, :-1].log_softmax(dim=-1)
        trained = scores.gather(2, sample.sequences[:, 1:].unsqueeze(2)).squeeze(2)
        columns = (sample.rollout_log_probs, trained, sample.action_mask)
        compared += zip(*(values.tolist() for values in columns), strict=True)
        rewards.append(float(sample.rewards))
    gap = logprob_gap(compared)
    assert gap.tokens > 2 * EPISODES
    gap.check(LARGEST_GAP)
    assert set(rewards) == {0.0, 1.0}
