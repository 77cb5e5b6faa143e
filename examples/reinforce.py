"""Agents learn to use what they observe: REINFORCE from scratch, beside controls.

Two games. In `guess`, `textgym/GuessNumber-v0`, the agent has two guesses for a number from 1 to 3;
after a wrong one, the environment replies whether the number is higher or lower. In `retry`, the
wrapper `Retry` gives two attempts at a question of `textgym/MCQA-v0` whose answer cannot be known,
one of three letters; after a wrong one, the user says whether the letter comes earlier or later in
the alphabet. A policy that ignores the reply tries two of three answers and wins at most 0.667 of
the games. So a model that wins more has learned from its observations, which is only possible if it
is trained on the exact tokens that it saw and sampled. For a control, the reply is always the same.

A model with 85,000 parameters first imitates random answers, so that it gives answers at all, and
then learns only from rewards. Run it with `make demo-learning`, or with
`python examples/reinforce.py --game retry`. With `--engine vllm`, vLLM samples, and gets the
weights after every step.
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
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from games import GAMES, Game
from small_model import imitate, make_model, make_tokenizer, save, score
from torch.nn.utils.rnn import pad_sequence

import textgym
from textgym.policies import Policy
from textgym.trajectories.tokens import TokenRecord
from textgym.wrappers.specs import apply_wrappers

__all__ = [
    "Played",
    "advantages_of",
    "evaluate",
    "learn",
    "make_envs",
    "play",
    "train",
    "train_all",
]

CEILING = 2 / 3  # the maximum for a policy that ignores the replies
AIM = 0.95
EPISODES = 96  # per step, one for each sub-environment
LEARNING_RATE = 1.5e-3
KL_COEFFICIENT = 0.05  # the penalty keeps all answers possible until the good ones are known
LARGEST_GAP = 1e-3  # between the log probabilities of the rollout and of the training


class Played(NamedTuple):
    """Episodes: their tokens, their rewards by turn and episode, and their successes (0 or 1)."""

    tokens: list[Any]
    rewards: np.ndarray
    successes: np.ndarray


def make_envs(game: Game, count: int) -> Any:
    """Make a vector without autoreset."""
    wrap = partial(apply_wrappers, specs=game.wrappers)
    return textgym.make_vec(
        game.id, count, autoreset_mode="Disabled", env_wrappers=[wrap], **game.kwargs
    )


async def play(
    envs: Any, policy: Policy, seeds: Sequence[int], tasks: Sequence[dict[str, Any]]
) -> Played:
    """Play one episode in each sub-environment.

    Args:
        envs: A vector without autoreset.
        policy: The policy.
        seeds: The sampling seed of each episode.
        tasks: The task of each episode.
    """
    conversations, _ = envs.reset(options={"task": tasks})
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


async def evaluate(game: Game, policy: Policy, rng: random.Random) -> dict[str, float]:
    """Return the mean reward and success rate of two rounds with each task equally often.

    Episodes, one for each task, sample with the same seed. A policy that ignores the replies says
    the same in all of them, so the ceiling is exact.
    """
    groups = EPISODES // len(game.tasks)
    tasks, rounds = game.tasks * groups, []
    envs = make_envs(game, len(tasks))
    for _ in range(2):
        seeds = np.repeat([rng.getrandbits(60) for _ in range(groups)], len(game.tasks))
        played = await play(envs, policy, seeds.tolist(), tasks)
        rounds.append([played.rewards.sum(0).mean(), played.successes.mean()])
    reward, success = np.mean(rounds, axis=0)
    return {"reward": float(reward), "success": float(success)}


async def train(game: Game, name: str, steps: int, seed: int, engine: str = "hf") -> dict[str, Any]:
    """Train a model from scratch and return its results under a name."""
    torch.manual_seed(seed)
    rng, clock = random.Random(seed), time.perf_counter()
    imitated = await textgym.arollout(
        game.id,
        game.imitated,
        tasks=game.tasks,
        repeats=EPISODES // len(game.tasks),
        seed=seed,
        env_kwargs=game.kwargs,
        wrappers=game.wrappers,
    )
    conversations = [trajectory["messages"] for trajectory in imitated.trajectories()]
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
    envs = make_envs(game, EPISODES)
    envs.reset(seed=seed)
    first = await evaluate(game, policy, rng)
    rewards, successes, gaps = [], [], []
    for step in range(1, steps + 1):
        seeds = [rng.getrandbits(60) for _ in range(EPISODES)]
        played = await play(envs, policy, seeds, rng.choices(game.tasks, k=EPISODES))
        gaps.append(learn(model, start, optimizer, played))
        rewards.append(float(played.rewards.sum(0).mean()))
        successes.append(float(played.successes.mean()))
        if engine == "vllm":
            await policy.load_weights(model.state_dict().items(), f"step {step}")
        if step % 20 == 0:
            reward, success = np.mean(rewards[-20:]), np.mean(successes[-20:])
            means = f"mean reward {reward:.3f}, success {success:.3f}"
            print(f"{name}, seed {seed}, step {step}: {means}", flush=True)
    last = await evaluate(game, policy, rng)
    await policy.close()
    return {
        "name": name,
        "seed": seed,
        "first": first,
        "last": last,
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


def save_and_print(runs: Sequence[dict[str, Any]], place: Path, **facts: Any) -> None:
    """Write runs and facts about them to a file, and print a table of the runs."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps({**facts, "runs": runs}))
    print(f"\n{'run':16}  seed  reward before, after  success before, after  largest gap  seconds")
    for run in runs:
        first, last = run["first"], run["last"]
        figures = f"{first['reward']:13.3f}  {last['reward']:5.3f}"
        figures += f"  {first['success']:15.3f}  {last['success']:5.3f}"
        figures += f"  {run['gap']:11.1e}  {run['seconds']:7.0f}"
        print(f"{run['name']:16}  {run['seed']:4}  {figures}")


def main() -> int:
    """Train agents and controls, two at a time; return 1 if a result is not as expected."""
    parser = argparse.ArgumentParser(description="Agents learn to use what they observe.")
    parser.add_argument("--game", choices=list(GAMES), default="guess")
    parser.add_argument("--engine", choices=["hf", "vllm"], default="hf", help="what samples")
    parser.add_argument("--seeds", type=int, default=3, help="how many agents, and controls")
    parser.add_argument("--steps", type=int, default=180)
    parser.add_argument("--out", type=Path, help="by default runs/learning/GAME.json")
    asked = parser.parse_args()
    names = ["with feedback", "without feedback"]
    jobs = [
        (GAMES[asked.game](name == names[0]), name, asked.steps, seed, asked.engine)
        for name, seed in product(names, range(asked.seeds))
    ]
    runs = train_all(jobs)
    place = asked.out or Path("runs", "learning", f"{asked.game}.json")
    save_and_print(runs, place, title=jobs[0][0].title, ceiling=CEILING)
    successes = {name: [r["last"]["success"] for r in runs if r["name"] == name] for name in names}
    met = min(successes[names[0]]) > AIM and max(successes[names[1]]) <= CEILING
    print(
        f"\nAbove {AIM} with feedback, at most {CEILING:.3f} without: {'met' if met else 'missed'}"
    )
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
