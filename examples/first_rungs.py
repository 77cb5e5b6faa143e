"""SmolLM2 climbs the first rungs of environments: from examples to none, then level by level.

SmolLM2-135M-Instruct earns nothing in most environments at level 1, and a reward that is always 0
teaches nothing. So it starts with tasks of level 0 and three solved examples in the prompt. Once it
solves enough of them, there are fewer examples, and then harder levels:

    level 0 with 3 examples, with 1, with none; level 1 with 1, with none; level 2 with 1, ...

After a step in which it solves no task, it goes one rung back.

GRPO trains all weights, and vLLM samples, as in `grpo_smollm2.py`. The tasks of training are of the
split `train`. The model is tried on tasks of the split `test`, which it never plays in training: of
level 0 with examples and without, and of level 1 without. Several environments are trained in turns
within each step, each on its own rung. Environments of `--also` are tried, and never trained on.

The controls show what the rewards contribute. They should gain nothing.

- `shuffled`: the rewards of a group are assigned to its episodes at random.
- `format`: an episode earns 1 if its answer can be read, right or wrong.
- `no-feedback`: the environment's replies say nothing about the solution; GuessNumber only.

    make demo-first-rungs
    .venv-vllm/bin/python examples/first_rungs.py --env textgym/Math-v0 --seed 1
    .venv-vllm/bin/python examples/first_rungs.py --env textgym/Math-v0 --control shuffled
    .venv-vllm/bin/python examples/first_rungs.py --env textgym/Math-v0 textgym/GuessNumber-v0 \
        --also textgym/MCQA-v0
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import time
from collections.abc import Sequence
from functools import partial
from itertools import chain, product
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import torch
from grpo_smollm2 import LEARNING_RATE, as_text, model_folder, success_of, update

import textgym
from textgym.errors import UsageError
from textgym.training import History
from textgym.trajectories.schema import Trajectory
from textgym.wrappers.specs import apply_wrappers

__all__ = ["CONTROLS", "RUNS", "Ladder", "Rung", "rewards_of", "short_name", "train"]

CONTROLS = ("none", "shuffled", "format", "no-feedback")
RUNS = Path("runs", "first-rungs")
EXAMPLES = 3  # solved tasks in the prompt, on the first rung
TASKS = 6  # in a step, of all environments
REPEATS = 8  # episodes of each task; they are a group
RAISE_AT = 0.7  # the success rate of a step from which the next rung is played
TRAIN_TASKS = 100_000  # that are drawn from
READABLE = ("", "wrong", "incomplete")  # the verdicts on answers that could be read


class Rung(NamedTuple):
    """A level, and how many solved examples are in the prompt."""

    level: int
    shots: int

    @property
    def wrappers(self) -> list[str]:
        """The wrappers that add the examples."""
        return [f"FewShot:shots={self.shots}"] if self.shots else []

    def __str__(self) -> str:
        return f"level {self.level} with {self.shots or 'no'} examples"


TRIED = {"examples": Rung(0, EXAMPLES), "held_out": Rung(0, 0), "next": Rung(1, 0)}


class Ladder:
    """The rungs of an environment, and the one that is played now.

    A level that has too few tasks for a solved example besides the task has no rung with one.

    Args:
        id: The environment.
        highest: The highest level; None for all levels.

    Attributes:
        rungs: All rungs, the easiest first.
        at: The position of the rung that is played.
    """

    def __init__(self, id: str, highest: int | None = None) -> None:
        levels = [n for n in textgym.card(id).levels if highest is None or n <= highest]
        higher = (Rung(*pair) for pair in product(levels, (1, 0)))
        rungs = [Rung(0, EXAMPLES), Rung(0, 1), Rung(0, 0), *higher]
        self.rungs = [rung for rung in rungs if _can_be_made(id, rung)]
        self.at = 0

    @property
    def rung(self) -> Rung:
        """The rung that is played."""
        return self.rungs[self.at]

    def move(self, success: float) -> None:
        """Go to the next rung after a step with enough success, and one back after one without any.

        Args:
            success: The success rate of the step.
        """
        if success >= RAISE_AT:
            self.at = min(self.at + 1, len(self.rungs) - 1)
        elif success == 0:
            self.at = max(self.at - 1, 0)


def _can_be_made(id: str, rung: Rung) -> bool:
    try:
        apply_wrappers(gymnasium.make(id, level=rung.level), rung.wrappers).close()
    except UsageError:
        return False
    return True


def short_name(id: str) -> str:
    """Return the name in an id: `Math` for `textgym/Math-v0`."""
    return id.rpartition("/")[2].rpartition("-v")[0]


def rewards_of(
    control: str, episodes: Sequence[Trajectory], rng: random.Random
) -> list[Trajectory]:
    """Return the episodes of a step with the rewards of a control.

    Args:
        control: One of `CONTROLS`.
        episodes: The episodes.
        rng: What shuffled rewards are drawn with.
    """
    if control == "format":
        return [
            {**episode, "reward": float(episode["info"].get("verdict_reason") in READABLE)}
            for episode in episodes
        ]
    if control != "shuffled":
        return list(episodes)
    groups: dict[tuple[str, int], list[Trajectory]] = {}
    for episode in episodes:
        groups.setdefault((episode["env_id"], episode["task_index"]), []).append(episode)
    shuffled: list[Trajectory] = []
    for group in groups.values():
        rewards = rng.sample([episode["reward"] for episode in group], len(group))
        pairs = zip(group, rewards, strict=True)
        shuffled += [{**episode, "reward": reward} for episode, reward in pairs]
    return shuffled


async def play(
    policy: Any,
    feedback: bool,
    id: str,
    rung: Rung,
    split: str,
    tasks: Sequence[int],
    **kwargs: Any,
) -> list[Trajectory]:
    """Play tasks of a rung."""
    control = {} if feedback else {"feedback": False}
    run = await textgym.arollout(
        id,
        policy,
        tasks=tasks,
        env_kwargs={"level": rung.level, "split": split, **control},
        wrappers=rung.wrappers,
        concurrency=64,
        **kwargs,
    )
    return list(run.trajectories())


class HeldOut:
    """Tries the model on held-out tasks, and compares it with the untrained model.

    Args:
        playing: Plays tasks; `play` without its first arguments.
        ids: The environments.
        tasks: How many tasks of each.
        highest: The highest level that is tried; None for all.
    """

    def __init__(self, playing: Any, ids: Sequence[str], tasks: int, highest: int | None) -> None:
        self._playing, self._ids, self._tasks = playing, ids, tasks
        self._tried = {
            name: rung for name, rung in TRIED.items() if highest is None or rung.level <= highest
        }
        self._untrained: dict[str, list[Trajectory]] = {}

    async def evaluate(self, step: int, is_last: bool) -> dict[str, float]:
        """Return the success rates with their intervals, and at the end the gains too.

        Level 1 is tried at the beginning and at the end only.
        """
        figures: dict[str, float] = {}
        for id, (tried, rung) in product(self._ids, self._tried.items()):
            if tried == "next" and step > 0 and not is_last:
                continue
            name = f"{short_name(id)}/{tried}"
            episodes = await self._playing(id, rung, "test", range(self._tasks), seed=0)
            found = success_of(episodes)
            print(f"after {step} steps, {short_name(id)}, {rung}: {as_text(found)}", flush=True)
            figures |= {key.replace("held_out", name): value for key, value in found.items()}
            before = self._untrained.setdefault(name, episodes)
            if is_last:
                gain = textgym.compare(before, episodes)["overall"]["success_rate"]
                figures |= {
                    f"{name}/gain_{end}": gain[end] for end in ("difference", "low", "high")
                }
        return figures


async def train(asked: argparse.Namespace, folder: Path) -> None:
    """Train the model, try it on held-out tasks, and write figures of all steps.

    Args:
        asked: The arguments of the command.
        folder: The folder of the model.
    """
    from transformers import AutoModelForCausalLM

    rng = random.Random(asked.seed)
    ladders = {id: Ladder(id, asked.highest) for id in asked.env}
    engine = {"max_model_len": asked.context, "block_size": 32, "seed": asked.seed}
    sampling = {"max_tokens": asked.max_tokens}
    policy: Any = textgym.make_policy(f"vllm:{folder}", sampling, {"engine": engine})
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    optimizer = torch.optim.AdamW(model.parameters(), asked.learning_rate, weight_decay=0.0)
    playing = partial(play, policy, asked.control != "no-feedback")
    held_out = HeldOut(playing, [*asked.env, *asked.also], asked.held_out, asked.highest)
    rewards = partial(rewards_of, asked.control, rng=rng)

    async def play_step(step: int) -> list[Trajectory]:
        played = []
        for id, ladder in ladders.items():
            tasks = rng.sample(range(TRAIN_TASKS), TASKS // len(ladders))
            seed = asked.seed * 100_000 + step
            played.append(
                await playing(id, ladder.rung, "train", tasks, repeats=REPEATS, seed=seed)
            )
        for ladder, episodes in zip(ladders.values(), played, strict=True):
            ladder.move(success_of(episodes)["held_out/success"])
        return list(chain.from_iterable(played))

    asked.out.unlink(missing_ok=True)
    with History(asked.out) as history:
        history.log(0, await held_out.evaluate(0, asked.steps == 0))
        for step in range(1, asked.steps + 1):
            rungs = {short_name(id): ladder.rung for id, ladder in ladders.items()}
            text = ", ".join(f"{name} at {rung}" for name, rung in rungs.items())
            playing_step, name = play_step(step), f"step {step}, {text}"
            figures = await update(policy, model, optimizer, playing_step, name, rewards)
            for name, rung in rungs.items():
                figures |= {f"{name}/level": rung.level, f"{name}/shots": rung.shots}
            history.log(step, figures)
            if step % asked.every == 0 or step == asked.steps:
                history.log(step, await held_out.evaluate(step, step == asked.steps))
    await policy.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Train an agent, or a control."""
    began = time.monotonic()
    parser = argparse.ArgumentParser(description="SmolLM2 climbs the first rungs.")
    parser.add_argument("--env", nargs="+", required=True, help="such as textgym/Math-v0")
    parser.add_argument("--also", nargs="*", default=[], help="environments that are only tried")
    parser.add_argument("--control", choices=CONTROLS, default="none")
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--learning-rate", type=float, default=LEARNING_RATE)
    parser.add_argument("--every", type=int, default=8, help="steps between evaluations")
    parser.add_argument("--held-out", type=int, default=40, help="tasks of an evaluation")
    parser.add_argument("--highest", type=int, metavar="LEVEL", help="the highest level played")
    parser.add_argument("--max-tokens", type=int, default=48, help="of a message")
    parser.add_argument("--context", type=int, default=4096, help="tokens of a conversation")
    parser.add_argument("--model", type=Path, help="a folder; by default SmolLM2-135M-Instruct")
    parser.add_argument("--out", type=Path, help=f"by default {RUNS}/ENV-CONTROL-SEED.jsonl")
    asked = parser.parse_args(arguments)
    if len(asked.env) > TASKS:
        parser.error(f"--env: at most {TASKS} environments")
    name = "-".join([*map(short_name, asked.env), asked.control, str(asked.seed)])
    asked.out = asked.out or RUNS / f"{name}.jsonl"
    made = asked.out.with_suffix(".json")
    made.unlink(missing_ok=True)
    asyncio.run(train(asked, asked.model or model_folder()))
    import vllm  # after the variables that grpo_smollm2 sets

    minutes = (time.monotonic() - began) / 60
    packages = {package.__name__: package.__version__ for package in (textgym, torch, vllm)}
    device = "GPU" if torch.cuda.is_available() else "CPU"
    on = {"device": device, "cores": os.cpu_count(), "minutes": round(minutes, 1)}
    made.write_text(json.dumps({**vars(asked), **on, "packages": packages}, default=str, indent=1))
    print(f"{minutes:.1f} minutes; figures in {asked.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
