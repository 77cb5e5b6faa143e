"""An agent learns to use what it observes: REINFORCE on `textgym/GuessNumber-v0`, from scratch.

The agent has two guesses for a number from 1 to 3. After a wrong guess, the environment replies
whether the number is higher or lower. A policy that ignores the reply tries two of three numbers
and wins at most 0.667 of the games. So a model that wins more has learned from its observations,
which is only possible if it is trained on the exact tokens that it saw and sampled. For a control,
the reply is uninformative.

A model with 85,000 parameters first imitates the random policy, so that it says numbers at all, and
then learns from rewards alone. Run it with `make demo-learning` or `python examples/reinforce.py`.
With `--engine vllm`, vLLM samples, and gets the weights after every step.
"""

from __future__ import annotations

import argparse
import asyncio
import copy
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from small_model import imitate, make_model, make_tokenizer, save, score
from torch.nn.utils.rnn import pad_sequence

import textgym
from textgym.policies import Policy
from textgym.trajectories.tokens import TokenRecord

ID = "textgym/GuessNumber-v0"
GAME = {"highest": 3, "turns": 2}
CEILING = 2 / 3  # the maximum for a policy that ignores the replies
AIM = 0.95
EPISODES = 96  # per step, one for each sub-environment
LEARNING_RATE = 1.5e-3
KL_COEFFICIENT = 0.05  # without the penalty, the policy collapses to one lucky guess
LARGEST_GAP = 1e-3  # between the log probabilities of the rollout and of the training


async def play(
    envs: Any, policy: Policy, seeds: Sequence[int], tasks: Sequence[Any] | None = None
) -> tuple[list[Any], np.ndarray]:
    """Play one episode in each sub-environment; return their tokens and their rewards.

    Args:
        envs: A vector without autoreset.
        policy: The policy.
        seeds: The sampling seed of each episode.
        tasks: The task of each episode; None draws new tasks.
    """
    conversations, _ = envs.reset(options={"task": tasks} if tasks else None)
    records = [TokenRecord() for _ in conversations]
    rewards, running = np.zeros(envs.num_envs), np.ones(envs.num_envs, dtype=bool)
    while running.any():
        places = np.flatnonzero(running).tolist()
        asked = []
        for place in places:
            messages = conversations[place]
            prior = records[place].prior(messages)
            asked.append(policy.act(messages, [], prior=prior, seed=seeds[place] + len(messages)))
        said: list[Any] = [None] * envs.num_envs  # episodes that have ended get no action
        for place, action in zip(places, await asyncio.gather(*asked), strict=True):
            records[place].add(action, conversations[place], action.message)
            said[place] = action.message
        conversations, gained, terminated, truncated, _ = envs.step(said)
        rewards += gained
        running &= ~(terminated | truncated)
    recorded = zip(records, conversations, strict=True)
    return [record.prior(messages) for record, messages in recorded], rewards


def learn(
    model: Any, start: Any, optimizer: Any, episodes: Sequence[Any], rewards: np.ndarray
) -> float:
    """Update the model once; return the largest difference of log probabilities before that.

    Raises:
        RuntimeError: The log probabilities differ from those that the rollout recorded.
    """

    def padded(rows: Iterable[list[Any]]) -> Any:
        return pad_sequence([torch.tensor(row) for row in rows], batch_first=True)

    ids = padded(tokens.ids for tokens in episodes)
    attention = padded([1] * len(tokens.ids) for tokens in episodes)
    sampled = padded(tokens.loss_mask for tokens in episodes)[:, 1:]
    recorded = padded(tokens.logprobs for tokens in episodes)[:, 1:]
    scores = score(model, ids, attention)
    logprobs = scores.gather(2, ids[:, 1:, None]).squeeze(2)
    gap = ((logprobs.detach() - recorded) * sampled).abs().max().item()
    if not gap < LARGEST_GAP:
        raise RuntimeError(f"the log probabilities of rollout and training differ by {gap:.2g}")
    with torch.no_grad():
        before = score(start, ids, attention)
    divergence = (scores.exp() * (scores - before)).sum(dim=-1)
    advantages = torch.tensor(rewards - rewards.mean(), dtype=torch.float32)[:, None]
    loss = ((KL_COEFFICIENT * divergence - advantages * logprobs) * sampled).sum() / len(episodes)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return float(gap)


async def evaluate(envs: Any, policy: Policy, rng: random.Random) -> float:
    """Return the mean reward of five rounds in which every number is hidden equally often.

    Three games, one for each number, sample with the same seed. A policy that ignores the replies
    makes the same guesses in all three and wins at most two, so the ceiling is exact.
    """
    tasks = [{**GAME, "number": place % 3 + 1} for place in range(EPISODES)]
    means = []
    for _ in range(5):
        seeds = [rng.getrandbits(60) for _ in range(EPISODES // 3)]
        _, rewards = await play(envs, policy, np.repeat(seeds, 3).tolist(), tasks)
        means.append(rewards.mean())
    return float(np.mean(means))


async def train(engine: str, steps: int, feedback: bool, seed: int) -> dict[str, Any]:
    """Train a model from scratch and return its results."""
    torch.manual_seed(seed)
    rng, clock = random.Random(seed), time.perf_counter()
    kwargs: Any = {**GAME, "feedback": feedback}
    played = await textgym.arollout(ID, "random", episodes=EPISODES, seed=seed, env_kwargs=kwargs)
    conversations = [trajectory["messages"] for trajectory in played.trajectories()]
    tokenizer = make_tokenizer(conversations)
    model = make_model(tokenizer)
    imitate(model, tokenizer, conversations)
    with tempfile.TemporaryDirectory() as folder:
        save(model, tokenizer, folder)
        policy: Any = textgym.make_policy(f"{engine}:{folder}", {"max_tokens": 4})
    start = copy.deepcopy(model)
    if engine == "hf":
        model = policy.model  # sample with the model that is trained
    optimizer = torch.optim.Adam(model.parameters(), LEARNING_RATE)
    envs: Any = gymnasium.make_vec(ID, num_envs=EPISODES, autoreset_mode="Disabled", **kwargs)
    envs.reset(seed=seed)
    first, rewards, gaps = await evaluate(envs, policy, rng), [], []
    for step in range(1, steps + 1):
        seeds = [rng.getrandbits(60) for _ in range(EPISODES)]
        episodes, won = await play(envs, policy, seeds)
        gaps.append(learn(model, start, optimizer, episodes, won))
        rewards.append(float(won.mean()))
        if engine == "vllm":
            await policy.load_weights(model.state_dict().items(), f"step {step}")
        if step % 20 == 0:
            progress = f"{'with' if feedback else 'without'} feedback, step {step}"
            print(f"seed {seed} {progress}: mean reward {np.mean(rewards[-20:]):.3f}", flush=True)
    last = await evaluate(envs, policy, rng)
    await policy.close()
    figures = {"first": first, "last": last, "gap": max(gaps), "rewards": rewards}
    return {"seed": seed, "feedback": feedback, "seconds": time.perf_counter() - clock, **figures}


def run(*job: Any) -> dict[str, Any]:
    """Train in a process with one thread."""
    torch.set_num_threads(1)
    return asyncio.run(train(*job))


def main() -> int:
    """Train agents and controls, two at a time; return 1 if a result is not as expected."""
    parser = argparse.ArgumentParser(description="An agent learns to use what it observes.")
    parser.add_argument("--engine", choices=["hf", "vllm"], default="hf", help="what samples")
    parser.add_argument("--seeds", type=int, default=3, help="how many agents, and controls")
    parser.add_argument("--steps", type=int, default=80)
    parser.add_argument("--out", type=Path, default=Path("runs", "learning", "curves.json"))
    asked = parser.parse_args()
    jobs = [(asked.engine, asked.steps, *job) for job in product([True, False], range(asked.seeds))]
    with ProcessPoolExecutor(2, max_tasks_per_child=1) as pool:
        runs = list(pool.map(run, *zip(*jobs, strict=True)))
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    asked.out.write_text(json.dumps({"engine": asked.engine, "ceiling": CEILING, "runs": runs}))
    print("\nfeedback  seed  mean reward before  after  largest gap  seconds")
    for r in runs:
        figures = f"{r['first']:18.3f}  {r['last']:5.3f}  {r['gap']:11.1e}  {r['seconds']:7.0f}"
        print(f"{'yes' if r['feedback'] else 'no':8}  {r['seed']:4}  {figures}")
    met = all(r["last"] > AIM if r["feedback"] else r["last"] <= CEILING for r in runs)
    print(
        f"\nAbove {AIM} with feedback, at most {CEILING:.3f} without: {'met' if met else 'missed'}"
    )
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
