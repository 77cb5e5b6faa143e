"""A real model gets better on tasks that it never saw: SmolLM2, GRPO and vLLM.

SmolLM2-135M-Instruct plays `textgym/GuessNumber-v0` with numbers from 1 to 3, 4, 6 and 7, and is
tried on 1 to 5, which it never plays in training. After a wrong guess, the environment replies
whether the number is higher or lower. A policy that ignores the reply tries at most three of five
numbers and wins at most 0.6 of the held-out games, so a model that wins more has learned to use
what it observes. For the control, the reply is always `wrong`.

A step has four parts. vLLM plays groups of episodes and records the sampled tokens. The rewards of
the episodes of a group become advantages. torch computes the gradient of GRPO's loss on exactly
these tokens. vLLM loads the new weights. All of it runs in one process on a CPU, in float32, so
that the log probabilities of vLLM and torch can be compared: they agree to 1e-3, or the run ends.

    make demo-training
    .venv-vllm/bin/python examples/grpo_smollm2.py --steps 60
    .venv-vllm/bin/python examples/grpo_smollm2.py --steps 60 --without-feedback
    .venv-vllm/bin/python examples/grpo_smollm2.py --steps 60 --imitate 20
"""

from __future__ import annotations

import argparse
import asyncio
import math
import os
import random
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")  # GiB
os.environ.setdefault("VLLM_CPU_NUM_OF_RESERVED_CPU", "0")
# Threads that are bound to cores, and that wait actively, are slow beside other programs.
os.environ.setdefault("VLLM_CPU_OMP_THREADS_BIND", "nobind")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")

import torch

import textgym
from textgym.metrics.statistics import Estimate, rate_interval
from textgym.policies import Policy
from textgym.policies.chat.hermes import with_tool_prompt
from textgym.training import History, episode_figures
from textgym.training.logprob_gap import logprob_gap
from textgym.trajectories.batch import Batch, make_batch
from textgym.trajectories.schema import Trajectory

__all__ = [
    "IMITATED",
    "Tree",
    "as_text",
    "evaluate",
    "imitate",
    "imitate_guesses",
    "learn",
    "model_folder",
    "rows_of",
    "success_of",
    "train",
    "update",
]

ID = "textgym/GuessNumber-v0"
PLAYED = [(3, 2), (4, 3), (6, 3), (7, 3)]  # the highest number, and the turns
HELD_OUT = (5, 3)
CEILING = 3 / 5  # the most for a policy that ignores the replies
GAMES = 2  # of each size in a step, with different numbers
REPEATS = 8  # episodes of each game; they are a group
LEARNING_RATE = 2e-5
CLIP = 0.2
IMITATED = 4  # episodes in a step of imitation
IMITATION_RATE = 5e-5
LARGEST_GAP = 1e-3  # of log probabilities; rounding reached 1.2e-4 with long prompts


def game(size: tuple[int, int], number: int) -> dict[str, int]:
    """Return a task: the highest number, the turns, and the number to guess."""
    highest, turns = size
    return {"highest": highest, "turns": turns, "number": number}


async def play(
    policy: Policy, games: list[dict[str, int]], repeats: int, seed: int, feedback: bool
) -> list[Trajectory]:
    """Play each game several times."""
    run = await textgym.arollout(
        ID,
        policy,
        tasks=games,
        repeats=repeats,
        seed=seed,
        env_kwargs={"feedback": feedback},
        concurrency=64,
    )
    return list(run.trajectories())


class Tree:
    """The token sequences of a group as one sequence, in which a shared beginning is there once.

    The episodes of a group have the same prompt, and often the same first guesses. A token sees
    itself and the tokens before it in its episode, at the same positions as in that episode, so
    the log probabilities equal those in separate episodes, for less work.

    Args:
        rows: The token ids of each episode.

    Attributes:
        ids: The token ids.
        positions: The position of each token in its episode.
        visible: Which tokens each token sees.
        paths: For each episode the places of its tokens.
    """

    def __init__(self, rows: Sequence[list[int]]) -> None:
        places: dict[tuple[int, int], int] = {}  # (place of the token before, id) -> place
        self.paths: list[list[int]] = []
        for row in rows:
            path: list[int] = []
            for token in row:
                path.append(places.setdefault((path[-1] if path else -1, token), len(places)))
            self.paths.append(path)
        self.ids = torch.tensor([token for _, token in places])
        self.positions = torch.zeros(len(places), dtype=torch.long)
        self.visible = torch.eye(len(places), dtype=torch.bool)
        for (before, _), place in places.items():
            if before >= 0:
                self.visible[place] |= self.visible[before]
                self.positions[place] = self.positions[before] + 1

    def logprobs(self, model: Any, sampled: Sequence[tuple[int, int]]) -> Any:
        """Return the log probabilities of tokens, each given as (place before it, place)."""
        hidden = model.model(
            input_ids=self.ids[None],
            position_ids=self.positions[None],
            attention_mask=self.visible[None, None],
            use_cache=False,
        ).last_hidden_state[0]
        before, place = torch.tensor(sampled).T
        logits = model.lm_head(hidden[before])
        return logits.log_softmax(dim=-1).gather(1, self.ids[place][:, None]).squeeze(1)


def groups_of(batch: Batch) -> Iterator[tuple[Tree, list[tuple[int, int]], Any, Any]]:
    """Return the groups of a batch that have advantages.

    Returns:
        For each group its tree, and for each sampled token the places (before it, its own), the
        recorded log probability and the advantage.
    """
    for group in sorted(set(batch.groups[batch.advantages != 0].tolist())):
        rows = (batch.groups == group).nonzero()[0]
        tree = Tree([batch.input_ids[row][batch.attention_mask[row] == 1].tolist() for row in rows])
        sampled, recorded, advantages = [], [], []
        for row, path in zip(rows, tree.paths, strict=True):
            for at in batch.loss_mask[row].nonzero()[0]:
                sampled.append((path[at - 1], path[at]))
                recorded.append(float(batch.logprobs[row, at]))
                advantages.append(float(batch.advantages[row]))
        yield tree, sampled, torch.tensor(recorded), torch.tensor(advantages)


def learn(model: Any, optimizer: Any, batch: Batch) -> float:
    """Update the model once; return the largest difference of log probabilities before that.

    Raises:
        TrainingError: torch computes other log probabilities than vLLM recorded.
    """
    tokens, compared = int(batch.loss_mask.sum()), []
    optimizer.zero_grad()
    for tree, sampled, recorded, advantages in groups_of(batch):
        logprobs = tree.logprobs(model, sampled)
        compared.append((recorded.tolist(), logprobs.tolist(), [1] * len(sampled)))
        # With one update for each batch the ratio is 1, and clipping changes nothing.
        ratio = (logprobs - recorded).exp()
        clipped = ratio.clamp(1 - CLIP, 1 + CLIP)
        loss = -torch.minimum(ratio * advantages, clipped * advantages).sum() / tokens
        loss.backward()  # gradients add up over the groups
    gap = logprob_gap(compared)
    gap.check(LARGEST_GAP)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return gap.largest


def rows_of(policy: Any, trajectory: Any) -> Iterator[tuple[list[int], int]]:
    """Return the token ids of each turn, and how many of them are its prompt."""
    messages = trajectory["messages"]
    for at, message in enumerate(messages):
        if message["role"] == "assistant":
            prompt = policy.codec.encode_prompt(messages[:at], trajectory["tools"], None).ids
            (said,) = with_tool_prompt([message], [])
            ids = policy.tokenizer(said["content"], add_special_tokens=False)["input_ids"]
            yield [*prompt, *ids, policy.tokenizer.eos_token_id], len(prompt)


def imitate(policy: Any, model: Any, optimizer: Any, episodes: Sequence[Any]) -> float:
    """Train the model once on what was said in some episodes; return the loss before that."""
    rows = [row for episode in episodes for row in rows_of(policy, episode)]
    optimizer.zero_grad()
    losses = []
    for ids, start in rows:
        tree = Tree([ids])
        logprobs = tree.logprobs(model, list(pairwise(range(start - 1, len(ids)))))
        loss = -logprobs.mean() / len(rows)
        loss.backward()
        losses.append(float(loss.detach()))
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return sum(losses)


def imitate_guesses(policy: Any, model: Any, episodes: Sequence[Any], steps: int) -> None:
    """Train the model to say what was said in some episodes, in so many steps."""
    optimizer = torch.optim.AdamW(model.parameters(), IMITATION_RATE, weight_decay=0.0)
    for step in range(steps):
        loss = imitate(policy, model, optimizer, episodes[step::steps])
        print(f"imitation {step + 1}: loss {loss:.3f}", flush=True)


def success_of(episodes: Sequence[Trajectory]) -> dict[str, float]:
    """Return the success rate in held-out tasks, and its 95 % interval over episodes."""
    figures = episode_figures(episodes)
    rate, count = figures["episodes/success"], len(episodes)
    low, high = rate_interval(Estimate(rate, math.sqrt(rate * (1 - rate) / count), count))
    return {"held_out/success": rate, "held_out/success_low": low, "held_out/success_high": high}


async def evaluate(policy: Policy, repeats: int, feedback: bool) -> dict[str, float]:
    """Return the success rate in the held-out games."""
    games = [game(HELD_OUT, number) for number in range(1, HELD_OUT[0] + 1)]
    return success_of(await play(policy, games, repeats, 0, feedback))


def as_text(evaluation: dict[str, float]) -> str:
    """Return an evaluation as `0.450 (0.385 to 0.517)`."""
    rate, low, high = evaluation.values()
    return f"{rate:.3f} ({low:.3f} to {high:.3f})"


async def update(
    policy: Any,
    model: Any,
    optimizer: Any,
    playing: Awaitable[list[Trajectory]],
    version: str,
    rewards: Callable[[list[Trajectory]], list[Trajectory]] = list,
) -> dict[str, float]:
    """Play, update the model once and give its weights to vLLM; return the figures.

    Args:
        policy: The policy on vLLM.
        model: The model that is trained.
        optimizer: The optimizer of its weights.
        playing: The episodes of the step.
        version: The version of the weights after the step.
        rewards: What returns the episodes with the rewards to learn from.
    """
    clock = [time.monotonic()]
    episodes = await playing
    figures = episode_figures(episodes)
    clock.append(time.monotonic())
    batch = make_batch(rewards(episodes), advantage="grpo")
    figures["logprob_gap/largest"] = learn(model, optimizer, batch)
    clock.append(time.monotonic())
    await policy.load_weights(model.state_dict().items(), version)
    clock.append(time.monotonic())
    for name, (start, end) in zip(("sampling", "learning", "sync"), pairwise(clock), strict=True):
        figures[f"seconds/{name}"] = end - start
    print(
        f"{version}: success {figures['episodes/success']:.3f}, largest gap "
        f"{figures['logprob_gap/largest']:.1e}, {clock[-1] - clock[0]:.0f} s",
        flush=True,
    )
    return figures


async def train(asked: argparse.Namespace, folder: Path) -> None:
    """Train the model, try it on the held-out games, and write figures of all steps.

    Args:
        asked: The arguments of the command.
        folder: The folder of the model.
    """
    from transformers import AutoModelForCausalLM

    rng, feedback = random.Random(asked.seed), not asked.without_feedback
    # Small blocks, so that vLLM's prefix cache holds the prompts, which are short.
    engine = {"max_model_len": 256, "block_size": 32, "seed": asked.seed}
    policy: Any = textgym.make_policy(f"vllm:{folder}", {"max_tokens": 8}, {"engine": engine})
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    optimizer = torch.optim.AdamW(model.parameters(), asked.learning_rate, weight_decay=0.0)
    asked.out.unlink(missing_ok=True)
    if asked.imitate:
        sizes = [PLAYED[number % len(PLAYED)] for number in range(IMITATED * asked.imitate)]
        games = [game(size, rng.randint(1, size[0])) for size in sizes]
        kwargs = {"feedback": feedback}
        guesses = await textgym.arollout(ID, "random", tasks=games, env_kwargs=kwargs)
        imitate_guesses(policy, model, list(guesses.trajectories()), asked.imitate)
        await policy.load_weights(model.state_dict().items(), "imitation")
    with History(asked.out) as history:
        for step in range(asked.steps + 1):
            if step > 0:
                numbers = [(size, rng.sample(range(1, size[0] + 1), GAMES)) for size in PLAYED]
                games = [game(size, number) for size, drawn in numbers for number in drawn]
                playing = play(policy, games, REPEATS, asked.seed * 100_000 + step, feedback)
                figures = await update(policy, model, optimizer, playing, f"step {step}")
                history.log(step, figures)
            if step % asked.every == 0 or step == asked.steps:
                found = await evaluate(policy, asked.repeats, feedback)
                history.log(step, found)
                print(f"held out, after {step} steps: {as_text(found)}", flush=True)
    await policy.close()


def model_folder() -> Path:
    """Return the folder of SmolLM2, in this virtual environment; it is made the first time."""
    folder = Path(sys.prefix) / "smollm2"
    script = Path(__file__).parents[1] / "scripts" / "save_smollm2.py"
    subprocess.run([sys.executable, str(script), str(folder)], check=True)
    return folder


def main(arguments: Sequence[str] | None = None) -> int:
    """Train an agent, or the control."""
    began = time.monotonic()
    parser = argparse.ArgumentParser(description="SmolLM2 learns a game and is tried on another.")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--without-feedback", action="store_true", help="the control")
    parser.add_argument("--imitate", type=int, default=0, help="steps of imitating random guesses")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--learning-rate", type=float, default=LEARNING_RATE)
    parser.add_argument("--repeats", type=int, default=40, help="episodes of each held-out game")
    parser.add_argument("--every", type=int, default=20, help="steps between evaluations")
    parser.add_argument("--model", type=Path, help="a folder; by default SmolLM2-135M-Instruct")
    parser.add_argument("--out", type=Path, help="by default runs/smollm2/NAME.jsonl")
    asked = parser.parse_args(arguments)
    name = "without-feedback" if asked.without_feedback else "with-feedback"
    asked.out = asked.out or Path("runs", "smollm2", f"{name}.jsonl")
    asyncio.run(train(asked, asked.model or model_folder()))
    print(f"The most for a policy that ignores the replies: {CEILING}")
    print(f"{(time.monotonic() - began) / 60:.1f} minutes; figures in {asked.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
