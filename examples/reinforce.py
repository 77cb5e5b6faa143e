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
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from small_model import imitate, make_model, make_tokenizer, save, score
from torch.nn.utils.rnn import pad_sequence

import textgym
from textgym.policies import Policy
from textgym.trajectories.tokens import TokenRecord
from textgym.wrappers.specs import apply_wrappers

__all__ = ["Setting", "evaluate", "guessing", "learn", "make_envs", "play", "train", "train_all"]

CEILING = 2 / 3  # the maximum for a policy that ignores the replies
AIM = 0.95
EPISODES = 96  # per step, one for each sub-environment
LEARNING_RATE = 1.5e-3
KL_COEFFICIENT = 0.05  # without the penalty, the policy collapses to one lucky guess
LARGEST_GAP = 1e-3  # between the log probabilities of the rollout and of the training


@dataclass(frozen=True)
class Setting:
    """What an agent plays.

    Attributes:
        id: The environment.
        kwargs: Its keyword arguments.
        tasks: The tasks of the evaluation, which look the same and have different answers.
        wrappers: The wrappers, as text.
    """

    id: str
    kwargs: dict[str, Any]
    tasks: list[dict[str, Any]]
    wrappers: tuple[str, ...] = ()
    imitated: str = "random"


class Played(NamedTuple):
    """Episodes: their tokens, their rewards by turn and episode, and their successes (0 or 1)."""

    tokens: list[Any]
    rewards: np.ndarray
    successes: np.ndarray


def guessing(highest: int, turns: int, feedback: bool = True, wrappers: Sequence[str] = (), imitated: str = "random") -> Setting:
    """Return games of `textgym/GuessNumber-v0`."""
    game: dict[str, Any] = {"highest": highest, "turns": turns}
    tasks = [{**game, "number": number} for number in range(1, highest + 1)]
    kwargs = {**game, "feedback": feedback}
    return Setting("textgym/GuessNumber-v0", kwargs, tasks, tuple(wrappers), imitated)


def make_envs(setting: Setting, count: int = EPISODES) -> Any:
    """Make a vector without autoreset."""
    wrap = partial(apply_wrappers, specs=setting.wrappers)
    return textgym.make_vec(
        setting.id, count, autoreset_mode="Disabled", env_wrappers=[wrap], **setting.kwargs
    )


async def play(
    envs: Any, policy: Policy, seeds: Sequence[int], tasks: Sequence[Any] | None = None
) -> Played:
    """Play one episode in each sub-environment.

    Args:
        envs: A vector without autoreset.
        policy: The policy.
        seeds: The sampling seed of each episode.
        tasks: The task of each episode; None draws new tasks.
    """
    conversations, _ = envs.reset(options={"task": tasks} if tasks else None)
    records = [TokenRecord() for _ in conversations]
    rewards, successes = [], np.zeros(envs.num_envs)
    running = np.ones(envs.num_envs, dtype=bool)
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
        conversations, gained, terminated, truncated, infos = envs.step(said)
        rewards.append(gained)
        ended = running & (terminated | truncated)
        successes += ended & infos.get("is_success", False)
        running &= ~ended
    recorded = zip(records, conversations, strict=True)
    tokens = [record.prior(messages) for record, messages in recorded]
    return Played(tokens, np.array(rewards), successes)


def advantages_of(rewards: np.ndarray, sampled: Any) -> Any:
    """Return the advantage of each token: the reward from its turn on, minus the turn's mean.

    Args:
        rewards: The rewards by turn and episode.
        sampled: The loss masks by episode and token.
    """
    begins = torch.diff(sampled, dim=1, prepend=torch.zeros_like(sampled[:, :1])) == 1
    turns = begins.cumsum(1)
    to_go = torch.tensor(rewards[::-1].cumsum(0)[::-1].copy(), dtype=torch.float32)
    played = torch.arange(len(rewards))[:, None] < turns[:, -1]
    means = (to_go * played).sum(1, keepdim=True) / played.sum(1, keepdim=True)
    return (to_go - means).T.gather(1, (turns - 1).clamp(min=0))


def learn(model: Any, start: Any, optimizer: Any, episodes: Played) -> float:
    """Update the model once; return the largest difference of log probabilities before that.

    Raises:
        RuntimeError: The log probabilities differ from those that the rollout recorded.
    """

    def padded(rows: Iterable[list[Any]]) -> Any:
        return pad_sequence([torch.tensor(row) for row in rows], batch_first=True)

    ids = padded(tokens.ids for tokens in episodes.tokens)
    attention = padded([1] * len(tokens.ids) for tokens in episodes.tokens)
    sampled = padded(tokens.loss_mask for tokens in episodes.tokens)[:, 1:]
    recorded = padded(tokens.logprobs for tokens in episodes.tokens)[:, 1:]
    scores = score(model, ids, attention)
    logprobs = scores.gather(2, ids[:, 1:, None]).squeeze(2)
    gap = ((logprobs.detach() - recorded) * sampled).abs().max().item()
    if not gap < LARGEST_GAP:
        raise RuntimeError(f"the log probabilities of rollout and training differ by {gap:.2g}")
    with torch.no_grad():
        before = score(start, ids, attention)
    divergence = (scores.exp() * (scores - before)).sum(dim=-1)
    advantages = advantages_of(episodes.rewards, sampled)
    loss = ((KL_COEFFICIENT * divergence - advantages * logprobs) * sampled).sum() / len(ids)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return float(gap)


async def evaluate(setting: Setting, policy: Policy, rng: random.Random) -> tuple[float, float]:
    """Return the mean reward and success rate of five rounds with each task equally often.

    Episodes, one for each task, sample with the same seed. A policy that ignores the replies says
    the same in all of them, so the ceiling is exact.
    """
    count = len(setting.tasks)
    groups = EPISODES // count
    envs, rounds = make_envs(setting, groups * count), []
    for _ in range(2):
        seeds = np.repeat([rng.getrandbits(60) for _ in range(groups)], count)
        rounds.append(await play(envs, policy, seeds.tolist(), setting.tasks * groups))
    rewards, successes = zip(*((r.rewards.sum(0).mean(), r.successes.mean()) for r in rounds), strict=True)
    return float(np.mean(rewards)), float(np.mean(successes))


async def train(
    setting: Setting, name: str, steps: int, seed: int, engine: str = "hf"
) -> dict[str, Any]:
    """Train a model from scratch and return its results under a name."""
    torch.manual_seed(seed)
    rng, clock = random.Random(seed), time.perf_counter()
    played = await textgym.arollout(
        setting.id, setting.imitated, episodes=EPISODES, seed=seed, env_kwargs=setting.kwargs,
        wrappers=setting.wrappers,
    )
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
    envs = make_envs(setting)
    envs.reset(seed=seed)
    first = await evaluate(setting, policy, rng)
    rewards, successes, gaps = [], [], []
    for step in range(1, steps + 1):
        seeds = [rng.getrandbits(60) for _ in range(EPISODES)]
        episodes = await play(envs, policy, seeds)
        gaps.append(learn(model, start, optimizer, episodes))
        rewards.append(float(episodes.rewards.sum(0).mean()))
        successes.append(float(episodes.successes.mean()))
        if engine == "vllm":
            await policy.load_weights(model.state_dict().items(), f"step {step}")
        if step % 20 == 0:
            means = f"mean reward {np.mean(rewards[-20:]):.3f}, success {np.mean(successes[-20:]):.3f}"
            print(f"{name}, seed {seed}, step {step}: {means}", flush=True)
    last = await evaluate(setting, policy, rng)
    await policy.close()
    return {
        "name": name,
        "seed": seed,
        "first": dict(zip(("reward", "success"), first, strict=True)),
        "last": dict(zip(("reward", "success"), last, strict=True)),
        "rewards": rewards,
        "successes": successes,
        "gap": max(gaps),
        "seconds": time.perf_counter() - clock,
    }


def _run(job: tuple[Any, ...]) -> dict[str, Any]:
    torch.set_num_threads(1)
    return asyncio.run(train(*job))


def train_all(jobs: Iterable[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Train with each of some arguments of `train`, two at a time, in processes with one thread."""
    with ProcessPoolExecutor(2, max_tasks_per_child=1) as pool:
        return list(pool.map(_run, jobs))


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
