"""SmolLM2 learns to use a tool, or to answer questions, with GRPO and vLLM.

SmolLM2-135M-Instruct solves none of these tasks, because it does not know the form of a call or of
an answer, and a reward that is always 0 teaches nothing. So it first imitates the policy `random`,
which knows the form and guesses the rest. What the model solves beyond the rate of guesses, it has
learned only from rewards.

The tasks of training are of the split `train`, and it is tried on 100 of the split `test`. Each
part of a step is as in `grpo_smollm2.py`.

    .venv-vllm/bin/python examples/grpo_smollm2_tasks.py --env tools
    .venv-vllm/bin/python examples/grpo_smollm2_tasks.py --env questions
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from grpo_smollm2 import IMITATED, as_text, imitate_guesses, model_folder, success_of, update

import textgym
from textgym.training import History
from textgym.trajectories.schema import Trajectory

__all__ = ["train"]

ENVS = {"tools": "textgym/SingleToolCall-v0", "questions": "textgym/MCQA-v0"}
CHANCE = {"tools": 0.09, "questions": 0.25}  # the rates of guesses, from the environments' pages
LEVEL = 1
TASKS = 8  # in a step
REPEATS = 8  # episodes of each task; they are a group
HELD_OUT = 100
CONTEXT = 1024  # tokens


async def play(
    policy: Any, id: str, split: str, tasks: Sequence[int], repeats: int, seed: int
) -> list[Trajectory]:
    """Play each task several times."""
    run = await textgym.arollout(
        id,
        policy,
        tasks=tasks,
        repeats=repeats,
        seed=seed,
        env_kwargs={"level": LEVEL, "split": split},
        concurrency=64,
    )
    return list(run.trajectories())


async def train(asked: argparse.Namespace, folder: Path) -> None:
    """Train the model, try it on held-out tasks, and write figures of all steps.

    Args:
        asked: The arguments of the command.
        folder: The folder of the model.
    """
    from transformers import AutoModelForCausalLM

    rng, id = random.Random(asked.seed), ENVS[asked.env]
    engine = {"max_model_len": CONTEXT, "block_size": 32, "seed": asked.seed}
    policy: Any = textgym.make_policy(f"vllm:{folder}", {"max_tokens": 40}, {"engine": engine})
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    optimizer = torch.optim.AdamW(model.parameters(), asked.learning_rate, weight_decay=0.0)
    asked.out.unlink(missing_ok=True)

    async def evaluate(after: str) -> dict[str, float]:
        found = success_of(await play(policy, id, "test", range(HELD_OUT), 1, 0))
        print(f"held out, after {after}: {as_text(found)}", flush=True)
        return found

    with History(asked.out) as history:
        untrained = await evaluate("nothing")
        history.log(0, {"untrained/success": untrained["held_out/success"]})
        guesses = await textgym.arollout(
            id,
            "random",
            tasks=range(IMITATED * asked.imitate),
            env_kwargs={"level": LEVEL, "split": "train"},
        )
        imitate_guesses(policy, model, list(guesses.trajectories()), asked.imitate)
        await policy.load_weights(model.state_dict().items(), "imitation")
        history.log(0, await evaluate(f"{asked.imitate} steps of imitation"))
        for step in range(1, asked.steps + 1):
            tasks = rng.sample(range(100_000), TASKS)
            playing = play(policy, id, "train", tasks, REPEATS, asked.seed * 100_000 + step)
            history.log(step, await update(policy, model, optimizer, playing, f"step {step}"))
            if step % asked.every == 0 or step == asked.steps:
                history.log(step, await evaluate(f"{step} steps"))
    await policy.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Train an agent."""
    began = time.monotonic()
    parser = argparse.ArgumentParser(description="SmolLM2 learns to use a tool, or to answer.")
    parser.add_argument("--env", choices=list(ENVS), default="tools")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--imitate", type=int, default=20, help="steps of imitation")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--learning-rate", type=float, default=2e-5)
    parser.add_argument("--every", type=int, default=10, help="steps between evaluations")
    parser.add_argument("--model", type=Path, help="a folder; by default SmolLM2-135M-Instruct")
    parser.add_argument("--out", type=Path, help="by default runs/smollm2/ENV.jsonl")
    asked = parser.parse_args(arguments)
    asked.out = asked.out or Path("runs", "smollm2", f"{asked.env}.jsonl")
    asyncio.run(train(asked, asked.model or model_folder()))
    print(f"The rate of guesses: {CHANCE[asked.env]}")
    print(f"{(time.monotonic() - began) / 60:.1f} minutes; figures in {asked.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
