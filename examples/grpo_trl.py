"""TRL's GRPOTrainer teaches a small model to use what it observes, beside a control.

In `guess`, `textgym/GuessNumber-v0`, the agent has two guesses for a number from 1 to 3; after a
wrong one, the environment replies whether the number is higher or lower. A policy that ignores the
reply tries two of three numbers and wins at most 0.667 of the games. For the control, the reply is
always the same. In `mixture`, half of the episodes are that game and half are questions of
`textgym/MCQA-v0` with six possible answers; one model learns both.

A model with 85,000 parameters first imitates random answers, so that it gives answers at all. What
makes a GRPO script one with environments are the lines marked with (textgym).

    python examples/grpo_trl.py
    python examples/grpo_trl.py --game mixture

It needs the extra `trl`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import torch
from games import AnyLetter, guess
from reinforce import CEILING, save_and_print
from small_model import imitate, make_model, make_tokenizer, save

import textgym
from textgym.training.trl import Episodes

os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"

__all__ = ["MIXTURE", "make_kwargs", "train"]

GUESS, MCQA = "textgym/GuessNumber-v0", "textgym/MCQA-v0"
MIXTURE = {GUESS: 0.5, MCQA: 0.5}
LETTERS = "ABCDEF"
AIM = 0.9
EPISODES = 96  # a step
TASKS = 4096  # more than are played, so that each step has new ones
LEARNING_RATE = 1.5e-3
KL_COEFFICIENT = 0.02  # the penalty keeps all answers possible until the good ones are known
EVALUATED = 192  # tasks that are not trained on


def make_kwargs(feedback: bool, folder: str | Path) -> dict[str, Any]:
    """Return the arguments of the environments, and write the questions to a folder.

    Args:
        feedback: Whether the reply says in which direction the number is.
        folder: Where to write the questions.
    """
    rows = [
        {
            "responses_create_params": {"input": f"Say the letter that stands at place {place}."},
            "template_metadata": {"output_regex": f"([{LETTERS}])"},
            "expected_answer": letter,
        }
        for place, letter in enumerate(LETTERS, 1)
    ]
    questions = Path(folder, "letters.jsonl")
    rounds = (TASKS + EVALUATED) // len(rows) + 1
    questions.write_text("\n".join(map(json.dumps, rows * rounds)))
    return {GUESS: guess(feedback).kwargs, MCQA: {"dataset": str(questions)}}


def save_start(envs: Mapping[str, float], kwargs: dict[str, Any], seed: int, folder: str) -> None:
    """Save a model that imitates random answers, and its tokenizer."""
    torch.manual_seed(seed)
    conversations = []
    for id in envs:
        policy = AnyLetter(LETTERS) if id == MCQA else "random"
        kwargs_of = {"split": "train", id: kwargs[id]}
        run = textgym.rollout({id: 1.0}, policy, episodes=EPISODES, seed=seed, env_kwargs=kwargs_of)
        conversations += [trajectory["messages"] for trajectory in run.trajectories()]
    random.Random(seed).shuffle(conversations)
    tokenizer = make_tokenizer(conversations)
    tokenizer.padding_side = "left"
    model = make_model(tokenizer)
    imitate(model, tokenizer, conversations)
    save(model, tokenizer, folder)


def make_config(folder: str, steps: int, seed: int) -> Any:
    """Return the settings of the trainer."""
    from trl import GRPOConfig

    return GRPOConfig(
        output_dir=folder,
        max_steps=steps,
        per_device_train_batch_size=EPISODES,
        per_device_eval_batch_size=EPISODES,
        num_generations=8,
        num_generations_eval=2,
        max_completion_length=4,
        learning_rate=LEARNING_RATE,
        beta=KL_COEFFICIENT,
        loss_type="dr_grpo",
        scale_rewards="none",
        max_grad_norm=1e9,  # gradients are not clipped
        lr_scheduler_type="constant",
        logging_steps=1,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
        bf16=False,
        seed=seed,
    )


def train(game: str, name: str, steps: int, seed: int) -> dict[str, Any]:
    """Train a model, and return its results under a name.

    Args:
        game: `guess` or `mixture`.
        name: `with feedback` or `without feedback`.
        steps: The number of training steps.
        seed: The seed of the model and of the trainer.
    """
    from transformers import PrinterCallback
    from trl import GRPOTrainer

    from textgym.training.trl.callbacks import HistoryCallback

    clock = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        envs = MIXTURE if game == "mixture" else {GUESS: 1.0}
        every = make_kwargs(name == "with feedback", folder)
        kwargs = {id: every[id] for id in envs}
        save_start(envs, kwargs, seed, folder)
        episodes = Episodes(envs, env_kwargs=kwargs)  # (textgym)
        trainer = GRPOTrainer(
            model=folder,
            args=make_config(folder, steps, seed),
            train_dataset=episodes.dataset(TASKS),  # (textgym)
            eval_dataset=episodes.dataset(EVALUATED, start=TASKS),  # (textgym)
            rollout_func=episodes.rollout_func,  # (textgym)
            reward_funcs=episodes.reward_funcs,  # (textgym)
        )
        trainer.remove_callback(PrinterCallback)  # all figures are in the history
        history = Path("runs/grpo", f"{game}-{name.replace(' ', '-')}-{seed}.jsonl")
        history.unlink(missing_ok=True)
        trainer.add_callback(HistoryCallback(history))
        first = _evaluated(trainer)
        trainer.train()
        last = _evaluated(trainer)
        episodes.close()
    steps_logged = [entry for entry in trainer.state.log_history if "reward" in entry]
    return {
        "name": name,
        "seed": seed,
        "first": first,
        "last": last,
        "rewards": [entry["reward"] for entry in steps_logged],
        "successes": [entry["episodes/success"] for entry in steps_logged],
        "gap": max(entry["logprob_gap/largest"] for entry in steps_logged),
        "seconds": time.perf_counter() - clock,
    }


def _evaluated(trainer: Any) -> dict[str, float]:
    """Return the reward and success of other tasks, and the successes by environment."""
    figures = trainer.evaluate()
    ends = {"reward": "eval_reward", "success": "eval_episodes/success"}
    ends |= {id: f"eval_{id}/success" for id in MIXTURE}
    return {name: figures[key] for name, key in ends.items() if key in figures}


def _run(job: tuple[Any, ...]) -> dict[str, Any]:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    return train(*job)


def as_expected(game: str, run: Mapping[str, Any]) -> bool:
    """Return whether an agent learned the game, or all of a mixture rose, or a control did not."""
    first, last = run["first"], run["last"]
    if game == "mixture":
        return all(last[id] > first[id] for id in MIXTURE)
    if run["name"] == "without feedback":
        return bool(last["success"] <= CEILING + 0.1)  # by chance, it may be a little more
    return bool(last["success"] > AIM)


def print_by_env(runs: Sequence[Mapping[str, Any]]) -> None:
    """Print the successes of each run by environment, before and after the training."""
    print(f"\n{'run':16}  seed  {'  '.join(f'{id}: before, after' for id in MIXTURE)}")
    for run in runs:
        figures = [f"{run['first'][id]:{len(id) + 8}.3f}  {run['last'][id]:5.3f}" for id in MIXTURE]
        print(f"{run['name']:16}  {run['seed']:4}  {'  '.join(figures)}")


def main() -> int:
    """Train agents and controls, two at a time; return 1 if a result is not as expected."""
    parser = argparse.ArgumentParser(description="TRL's GRPO on environments of textgym.")
    parser.add_argument("--game", choices=["guess", "mixture"], default="guess")
    parser.add_argument("--seeds", type=int, default=2, help="how many agents, and controls")
    parser.add_argument("--steps", type=int, help="by default 150, and 300 for the mixture")
    parser.add_argument("--out", type=Path, help="by default runs/grpo/GAME.json")
    asked = parser.parse_args()
    steps = asked.steps or (300 if asked.game == "mixture" else 150)
    names = ["with feedback", "without feedback"]
    seeds = range(asked.seeds)
    jobs = [(asked.game, name, steps, seed) for name, seed in product(names, seeds)]
    with ProcessPoolExecutor(2, max_tasks_per_child=1) as pool:
        runs = list(pool.map(_run, jobs))
    title = "textgym/GuessNumber-v0" + (" and textgym/MCQA-v0" if asked.game == "mixture" else "")
    place = asked.out or Path("runs", "grpo", f"{asked.game}.json")
    limits = {"ceiling": CEILING} if asked.game == "guess" else {}
    save_and_print(runs, place, title=title, algorithm="TRL's GRPO", **limits)
    if asked.game == "mixture":
        print_by_env(runs)
    missed = [f"{r['name']}, seed {r['seed']}" for r in runs if not as_expected(asked.game, r)]
    print(f"\n{'Not as expected: ' + '; '.join(missed) if missed else 'All as expected'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
