"""Trainings that go wrong, each in its own way, and the figures that show it.

A small model learns `textgym/GuessNumber-v0` with GRPO, in a loop of a page. Each run has one
mistake. Its history has the figures of `textgym.training`, which docs/watching.md explains.

    python examples/what_goes_wrong.py              # all runs, then the picture
    python examples/what_goes_wrong.py --only hacked
"""

from __future__ import annotations

import argparse
import copy
import itertools
import sys
import tempfile
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import torch
from games import AnyNumber
from small_model import imitate, make_model, make_tokenizer, save, score

import textgym
from textgym.messages import text_of
from textgym.policies.hf import HFPolicy
from textgym.training import (
    EpisodePlayer,
    History,
    TaskRef,
    episode_figures,
    lag_figures,
    play_groups,
    ratio_figures,
    read_history,
)
from textgym.training.logprob_gap import logprob_gap
from textgym.trajectories import make_batch
from textgym.wrappers import RewardWrapper

__all__ = ["MISTAKES", "Mistake", "draw", "train"]

GROUPS, SIZE = 12, 8
ID = "textgym/GuessNumber-v0"


class WordBonus(RewardWrapper):
    """Pays for every word, which is a mistake: a model learns to write more.

    Args:
        env: The environment.
        amount: The pay for a word.
        name: The name of the reward component.
    """

    def __init__(self, env: Any, *, amount: float = 0.2, name: str = "word_bonus") -> None:
        super().__init__(env, name=name, amount=amount)
        self._amount = amount

    def payment(self, action: Any, result: Any) -> float:
        """Return the pay for the words of a message."""
        text = action if isinstance(action, str) else text_of(action)
        return self._amount * len(text.split())


@dataclass(frozen=True)
class Mistake:
    """A training run and what is wrong with it.

    Attributes:
        what: What is wrong.
        shown: The figures that show it.
        learning_rate: The learning rate.
        highest: The highest number of the game.
        turns: The number of guesses.
        wrappers: The wrappers of the game.
        max_tokens: The most tokens of a message.
        lag: How many updates old the weights are that play.
        shift: How many tokens the training drops from the end of each prompt.
        out_of_range: Whether the model begins with numbers up to 20.
    """

    what: str
    shown: tuple[str, ...]
    learning_rate: float = 1.5e-3
    highest: int = 3
    turns: int = 2
    wrappers: tuple[str, ...] = ()
    max_tokens: int = 4
    lag: int = 0
    shift: int = 0
    out_of_range: bool = False


MISTAKES = {
    "healthy": Mistake("no mistake", ("episodes/success", "groups/equal")),
    "flat": Mistake(
        "the tasks are too hard: one guess of 200", ("episodes/success", "groups/equal"),
        highest=200, turns=1,
    ),
    "oscillating": Mistake(
        "the learning rate is three times too large", ("episodes/success", "ratio/kl"),
        learning_rate=5e-3,
    ),
    "collapse": Mistake(
        "the learning rate is ten times too large", ("episodes/success", "entropy"),
        learning_rate=1.5e-2,
    ),
    "hacked": Mistake(
        "half a point is paid for every number", ("reward", "episodes/success"),
        highest=5, turns=8, wrappers=("guess_rewards:GuessBonus:amount=0.5",), out_of_range=True,
    ),
    "length drift": Mistake(
        "every word is paid", ("tokens/message", "episodes/cut"),
        wrappers=("what_goes_wrong:WordBonus:amount=0.2",), max_tokens=16,
    ),
    "stale weights": Mistake(
        "the weights of 20 updates ago play",
        ("episodes/success", "ratio/effective"), lag=20,
    ),
    "wrong template": Mistake(
        "the training leaves out a token of each prompt",
        ("episodes/success", "logprob_gap/largest"), shift=1,
    ),
}  # fmt: skip


@dataclass
class Training:
    """A model that is trained, and the weights that play.

    Attributes:
        model: The model that is trained.
        optimizer: Its optimizer.
        player: The model that plays; the same unless old weights play.
        old: The weights that are to play, oldest first.
        versions: The versions of all weights so far.
    """

    model: Any
    optimizer: Any
    player: Any
    old: deque[Any] = field(default_factory=deque)
    versions: list[str] = field(default_factory=lambda: ["step 0"])


def tensors_of(batch: Any, shift: int) -> list[Any]:
    """Return ids, attention, loss mask, log probabilities and advantages of a batch.

    Args:
        batch: The batch.
        shift: How many tokens before the first sampled one are left out.
    """
    arrays = [batch.input_ids, batch.attention_mask, batch.loss_mask, batch.logprobs]
    columns = [torch.from_numpy(array) for array in arrays]
    if shift:
        first = columns[2].argmax(dim=1, keepdim=True)
        kept = torch.arange(columns[0].shape[1]) != first - shift
        columns = [column[kept].view(len(column), -1) for column in columns]
    return [*columns, torch.from_numpy(batch.advantages)]


def logprobs_of(model: Any, ids: Any, attention: Any) -> Any:
    """Return the log probability of each token, 0 for the first."""
    found = score(model, ids, attention).gather(2, ids[:, 1:, None]).squeeze(2)
    return torch.nn.functional.pad(found, (1, 0))


def learn(training: Training, trajectories: Any, mistake: Mistake) -> dict[str, float]:
    """Update the model once; return figures of the update."""
    batch = make_batch(trajectories, advantage="dr_grpo")
    ids, attention, mask, recorded, advantages = tensors_of(batch, mistake.shift)
    logprobs = logprobs_of(training.model, ids, attention)
    compared = [recorded.tolist(), logprobs.tolist(), mask.tolist()]
    gap = logprob_gap(zip(*compared, strict=True))  # a trainer would stop here if it is large
    ratio = (logprobs - recorded).clamp(-5, 5).exp()
    loss = -(ratio * advantages[:, None] * mask).sum() / len(ids)
    training.optimizer.zero_grad()
    loss.backward()
    training.optimizer.step()
    with torch.no_grad():
        compared[1] = logprobs_of(training.model, ids, attention).tolist()
    return {"logprob_gap/largest": gap.largest, **ratio_figures(zip(*compared, strict=True))}


def start(mistake: Mistake, seed: int) -> tuple[Training, HFPolicy]:
    """Return a model that imitates random guesses, and the policy that plays with it."""
    torch.manual_seed(seed)
    kwargs = {"split": "train", "highest": mistake.highest, "turns": mistake.turns}
    said = AnyNumber() if mistake.out_of_range else "random"
    run = textgym.rollout(ID, said, episodes=96, seed=seed, env_kwargs=kwargs)
    conversations = [trajectory["messages"] for trajectory in run.trajectories()]
    tokenizer = make_tokenizer(conversations)
    model = make_model(tokenizer)
    imitate(model, tokenizer, conversations)
    with tempfile.TemporaryDirectory() as folder:
        save(model, tokenizer, folder)
    player = copy.deepcopy(model) if mistake.lag else model
    policy = HFPolicy.of(player, tokenizer, {"max_tokens": mistake.max_tokens})
    policy.version = "step 0"
    optimizer = torch.optim.Adam(model.parameters(), mistake.learning_rate)
    return Training(model, optimizer, player), policy


def train(name: str, steps: int, seed: int, path: Path) -> Path:
    """Train with a mistake, and write the history.

    Args:
        name: The key of `MISTAKES`.
        steps: The number of updates.
        seed: The seed.
        path: The file of the history.
    """
    torch.set_num_threads(1)
    mistake = MISTAKES[name]
    training, policy = start(mistake, seed)
    kwargs = {"highest": mistake.highest, "turns": mistake.turns}
    tasks: Iterator[TaskRef] = (TaskRef(ID, "train", index) for index in itertools.count())
    path.unlink(missing_ok=True)
    with (
        EpisodePlayer(ID, env_kwargs=kwargs, wrappers=mistake.wrappers) as player,
        History(path) as history,
    ):
        for step in range(1, steps + 1):
            played = play_groups(player, policy, tasks, count=GROUPS, size=SIZE, seed=seed + step)
            figures = episode_figures(played.trajectories)
            figures |= lag_figures(played.trajectories, training.versions)
            history.log(step, figures | learn(training, played.trajectories, mistake))
            publish(training, policy, step, mistake.lag)
    return path


def publish(training: Training, policy: HFPolicy, step: int, lag: int) -> None:
    """Let the new weights play, or older ones from some updates ago."""
    training.versions.append(f"step {step}")
    if not lag:
        policy.version = f"step {step}"
        return
    training.old.append((f"step {step}", copy.deepcopy(training.model.state_dict())))
    if len(training.old) > lag:
        policy.version, weights = training.old.popleft()
        training.player.load_state_dict(weights)


def draw(folder: Path, place: Path) -> None:
    """Draw two figures of each run."""
    figure, panels = plt.subplots(2, 4, figsize=(15, 6.4), dpi=110, layout="constrained")
    colours = "#2171b5", "#d94801"
    for axes, (name, mistake) in zip(panels.flat, MISTAKES.items(), strict=True):
        lines = read_history(folder / f"{name.replace(' ', '-')}.jsonl")
        for place_of, (what, colour) in enumerate(zip(mistake.shown, colours, strict=True)):
            side = axes.twinx() if place_of else axes
            values = [line[what] for line in lines]
            side.plot([line["step"] for line in lines], values, color=colour, linewidth=1.3)
            side.set_ylabel(what, color=colour, fontsize=9)
            side.tick_params(labelsize=8)
            side.spines["top"].set_visible(False)
            if what in ("episodes/success", "groups/equal", "episodes/cut", "ratio/effective"):
                side.set_ylim(-0.03, 1.03)
            else:
                side.set_ylim(bottom=0)
        axes.set_title(f"{name}\n{mistake.what}", fontsize=9)
        axes.set_xlabel("step", fontsize=8)
    figure.savefig(place)


def main() -> int:
    """Train with each mistake, two at a time, and draw the figures."""
    parser = argparse.ArgumentParser(description="Trainings that go wrong.")
    parser.add_argument("--only", nargs="+", choices=list(MISTAKES), default=list(MISTAKES))
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=Path("runs/what_goes_wrong"))
    parser.add_argument("--out", type=Path, help="the picture; by default in the folder")
    asked = parser.parse_args()
    with ProcessPoolExecutor(2, max_tasks_per_child=1) as pool:
        paths = [asked.folder / f"{name.replace(' ', '-')}.jsonl" for name in asked.only]
        counts = [asked.steps] * len(paths)
        for path in pool.map(train, asked.only, counts, [asked.seed] * len(paths), paths):
            last = read_history(path)[-1]
            shown = MISTAKES[path.stem.replace("-", " ")].shown
            print(f"{path.stem}:", "  ".join(f"{what} {last[what]:.3g}" for what in shown))
    if set(asked.only) == set(MISTAKES):
        place = asked.out or asked.folder / "curves.png"
        draw(asked.folder, place)
        print(f"The figures are drawn in {place}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
