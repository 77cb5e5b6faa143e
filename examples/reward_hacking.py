"""A policy trains against a learned reward model, and exploits it; two guards prevent that.

The reward model is a small transformer. It learns from pairs of replies that were written by rule:
the right answer is preferred to the wrong one, and of two equally right replies the one with more
kind words. There are up to three of them. The policy chooses an answer and up to twelve kind words.
Trained without a guard, it learns to say kind words: the reward rises, and what a held-out verifier
says (how near the reply is to the right one) falls. With a KL penalty, or a price of length,
replies stay short and become right.

Run it with `make demo-reward-model` or `python examples/reward_hacking.py`. It needs the extra
`hf`, and matplotlib for the curves.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

import textgym
from textgym.messages import Message, assistant, text_of, user
from textgym.policies import Action, Policy

__all__ = ["GUARDS", "Chooser", "as_expected", "train", "train_reward_model"]

CAPITALS = {
    "Norway": "Oslo", "Portugal": "Lisbon", "Italy": "Rome", "Greece": "Athens", "Spain": "Madrid",
    "Austria": "Vienna", "Poland": "Warsaw", "Ireland": "Dublin", "Egypt": "Cairo", "Peru": "Lima",
    "Japan": "Tokyo", "Cuba": "Havana",
}  # fmt: skip
KIND = "gladly"
MOST_IN_PAIRS, MOST = 3, 12  # kind words in the pairs, and of the policy
REPEATS = 8  # of each question in a step
LEARNING_RATE = 0.08
START = 1.0  # what each kind word costs of the first policy's logits
GUARDS: dict[str, dict[str, Any]] = {
    "no guard": {},
    "with a KL penalty": {"kl": 0.25},
    "with a price of length": {"wrappers": ["LengthPenalty:amount=0.03,free=12"]},
}
"""The settings of each training."""

ROWS = [
    {
        "prompt": f"What is the capital of {land} ?",
        "chosen": f"It is {city}",
        "rejected": f"It is {other}",
    }
    for (land, city), other in zip(
        CAPITALS.items(), [*list(CAPITALS.values())[1:], "Oslo"], strict=True
    )
]


def written(answer: str, kind_words: int) -> str:
    """Return a reply: an answer and some kind words."""
    return " ".join([answer, *[KIND] * kind_words])


def train_reward_model(folder: Path, seed: int = 0, steps: int = 400) -> float:
    """Train a reward model on pairs, save it beside the rows, and return its accuracy."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    words = sorted({KIND, *(word for row in ROWS for it in row.values() for word in it.split())})
    vocabulary = {word: id for id, word in enumerate(["<pad>", "<end>", "<user>", "<bot>", *words])}
    inner = Tokenizer(models.WordLevel(vocabulary, unk_token="<pad>"))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    inner.add_special_tokens(["<pad>", "<end>", "<user>", "<bot>"])
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner,
        pad_token="<pad>",
        eos_token="<end>",
        chat_template="{% for m in messages %}{{ '<user>' if m.role == 'user' else '<bot>' }} "
        "{{ m.content }} <end> {% endfor %}",
    )
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=64, intermediate_size=128, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=4, max_position_embeddings=64, num_labels=1,
        pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    model = transformers.LlamaForSequenceClassification(config)
    optimizer = torch.optim.AdamW(model.parameters(), 3e-3)

    def margins() -> torch.Tensor:
        texts = []
        for _ in range(32):
            row, (more, less) = (
                rng.choice(ROWS),
                sorted(rng.sample(range(MOST_IN_PAIRS + 1), 2), reverse=True),
            )
            preferred = written(row["chosen"], rng.choice([more, less]))
            other = written(row["rejected"], rng.choice([more, less]))
            if rng.random() < 0.5:
                answer = rng.choice([row["chosen"], row["rejected"]])
                preferred, other = written(answer, more), written(answer, less)
            for reply in (preferred, other):
                said = [user(row["prompt"]), assistant(reply)]
                texts.append(tokenizer.apply_chat_template(said, tokenize=False))
        batch = tokenizer(texts, padding=True, return_tensors="pt", add_special_tokens=False)
        scores = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits
        found: torch.Tensor = scores[::2, 0] - scores[1::2, 0]
        return found

    for _ in range(steps):
        loss = -torch.nn.functional.logsigmoid(margins()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    with torch.no_grad():
        return float(torch.cat([margins() > 0 for _ in range(8)]).float().mean())


class Chooser(Policy):
    """A policy that chooses the answer and the number of kind words, from two distributions."""

    name = "chooser"

    def __init__(self, seed: int) -> None:
        self.answers = torch.zeros(2, requires_grad=True)  # right, wrong
        self.kind = torch.tensor([-START * n for n in range(MOST + 1)], requires_grad=True)
        self.start = self.kind.detach().clone()
        self._rng = random.Random(seed)
        self._rows = {row["prompt"]: row for row in ROWS}

    async def act(self, messages: Sequence[Message], tools: Any, **_: Any) -> Action:
        """Sample a reply."""
        row = self._rows[text_of(messages[0])]
        answer = self._draw(self.answers)
        reply = row[("chosen", "rejected")[answer]]
        return Action(assistant(written(reply, self._draw(self.kind))))

    def _draw(self, logits: torch.Tensor) -> int:
        weights = torch.softmax(logits.detach(), 0).tolist()
        return self._rng.choices(range(len(weights)), weights)[0]

    def logprob(self, reply: str, right: str) -> torch.Tensor:
        """Return the log probability of a reply."""
        answer = 0 if reply.startswith(right) else 1
        count = reply.split().count(KIND)
        return self.answers.log_softmax(0)[answer] + self.kind.log_softmax(0)[count]

    def kl(self) -> torch.Tensor:
        """Return the KL divergence of the kind words from the first policy, in nats."""
        now, then = self.kind.log_softmax(0), self.start.log_softmax(0)
        return (now.exp() * (now - then)).sum()


def train(
    name: str,
    model: Path,
    scale: str,
    steps: int,
    seed: int,
    *,
    kl: float = 0.0,
    wrappers: Sequence[str] = (),
) -> dict[str, Any]:
    """Train a policy with REINFORCE, and return what it reached in each step."""
    policy = Chooser(seed)
    optimizer = torch.optim.Adam([policy.answers, policy.kind], LEARNING_RATE)
    settings = {
        "dataset": str(model / "rows.jsonl"),
        "reward_model": f"hf-rm:{model}",
        "reward_scale": scale,
        "held_out_model": "chosen",
    }
    curves: dict[str, list[float]] = {"rewards": [], "held_out": [], "words": []}
    for step in range(steps):
        run = textgym.rollout(
            "textgym/RewardModel-v0", policy, repeats=REPEATS, seed=step, progress=False,
            env_kwargs=settings, wrappers=list(wrappers),
        )  # fmt: skip
        played = list(run.trajectories())
        rewards = torch.tensor([episode["reward"] for episode in played])
        chosen = {row["prompt"]: row["chosen"] for row in ROWS}
        logprobs = torch.stack([
            policy.logprob(text_of(it["messages"][-1]), chosen[text_of(it["messages"][0])])
            for it in played
        ])  # fmt: skip
        loss = -(logprobs * (rewards - rewards.mean())).mean() + kl * policy.kl()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        parts = [episode["info"]["reward_components"] for episode in played]
        curves["rewards"].append(float(rewards.mean()))
        for part in ("held_out", "words"):
            curves[part].append(fmean(it[part] for it in parts))
    print(f"{name}, seed {seed}: reward {curves['rewards'][-1]:.2f}", flush=True)
    ends = {
        when: {part.removesuffix("s"): fmean(values[where]) for part, values in curves.items()}
        for when, where in (("first", slice(5)), ("last", slice(-5, None)))
    }
    return {"name": name, "seed": seed, **curves, **ends}


def scale_for(model: Path) -> str:
    """Return a scale from the scores of the first policy's replies."""
    scorer = textgym.verifiers.make_reward_model(f"hf-rm:{model}", "sigmoid")
    rng, scores = random.Random(0), []
    for _ in range(200):
        row, kind_words = rng.choice(ROWS), min(int(rng.expovariate(START)), MOST)
        said = [user(row["prompt"]), assistant(written(row["chosen"], kind_words))]
        scores.append(scorer.score(said).score or 0.0)
    return f"standard:{fmean(scores):.3f},{3 * pstdev(scores):.3f}"


def as_expected(run: Mapping[str, Any]) -> bool:
    """Return whether the held-out score fell below the reward without a guard, and not with one."""
    first, last = run["first"], run["last"]
    gained = {part: last[part] - first[part] for part in ("reward", "held_out")}
    if run["name"] == next(iter(GUARDS)):
        return bool(gained["reward"] > 0.1 and gained["held_out"] < -0.1)
    return bool(gained["held_out"] > 0.1)


def main() -> int:
    """Train a reward model and the policies; return 1 if a result is not as expected."""
    parser = argparse.ArgumentParser(description="A policy exploits a learned reward model.")
    parser.add_argument("--seeds", type=int, default=2, help="how many policies for each guard")
    parser.add_argument("--steps", type=int, default=80)
    parser.add_argument("--out", type=Path, default=Path("runs", "reward-model", "curves.json"))
    asked = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder)
        print(f"The reward model ranks {train_reward_model(model):.0%} of new pairs rightly.")
        scale = scale_for(model)
        print(f"Its scale is {scale}.", flush=True)
        runs = [
            train(name, model, scale, asked.steps, seed, **guard)
            for seed in range(asked.seeds)
            for name, guard in GUARDS.items()
        ]
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    asked.out.write_text(json.dumps({"title": "a learned reward model", "runs": runs}))
    print(f"\n{'run':22}  seed  reward before, after  held out before, after  words before, after")
    for run in runs:
        first, last = run["first"], run["last"]
        print(
            f"{run['name']:22}  {run['seed']:4}  {first['reward']:13.2f}  {last['reward']:5.2f}"
            f"  {first['held_out']:15.2f}  {last['held_out']:5.2f}"
            f"  {first['word']:12.1f}  {last['word']:5.1f}"
        )
    missed = [f"{run['name']}, seed {run['seed']}" for run in runs if not as_expected(run)]
    print("\nHeld-out score down without a guard, up with one:", "; ".join(missed) or "met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
