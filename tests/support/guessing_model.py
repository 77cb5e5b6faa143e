"""A small model that names numbers, saved as trainers load it. It needs torch."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
from repository import EXAMPLES

import textgym

sys.path.append(str(EXAMPLES))

import small_model

GUESS = "textgym/GuessNumber-v0"


def save_guessing_model(place: Path, game: dict[str, Any] | None = None) -> str:
    """Save a model that imitates random guesses, with its tokenizer, and return its folder.

    Args:
        place: The folder.
        game: The arguments of the environment; None for its own.
    """
    torch.manual_seed(0)
    run = textgym.rollout(GUESS, "random", tasks=range(6), repeats=8, env_kwargs=game)
    conversations = [trajectory["messages"] for trajectory in run.trajectories()]
    tokenizer = small_model.make_tokenizer(conversations)
    model = small_model.make_model(tokenizer)
    small_model.imitate(model, tokenizer, conversations, steps=20)
    small_model.save(model, tokenizer, place)
    return str(place)
