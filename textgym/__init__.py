"""Text environments for training and evaluating language models, each a `gymnasium.Env`.

    >>> import gymnasium, textgym
    >>> env = gymnasium.make("textgym/MCQA-v0")
    >>> observation, info = env.reset(seed=1)
    >>> observation[0]["role"]
    'user'

Importing this package registers the environments and imports nothing heavy; the names in `__all__`
are imported on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import textgym.envs  # noqa: F401  registers the environments

if TYPE_CHECKING:
    from textgym.cards import Card
    from textgym.env import TextEnv
    from textgym.policies import Action, Policy, make_policy
    from textgym.registry import card, ids, register
    from textgym.rescoring import arescore, rescore
    from textgym.rewards import Grade
    from textgym.rollouts import arollout, play_episode, rollout
    from textgym.snapshots import get_state, set_state
    from textgym.tasks import Task
    from textgym.tools import tool
    from textgym.trajectories import Run
    from textgym.vector import TextVectorEnv, make_vec

__version__ = "0.1.0"

_HOMES = {
    "Action": "policies",
    "Card": "cards",
    "Grade": "rewards",
    "Policy": "policies",
    "Run": "trajectories",
    "Task": "tasks",
    "TextEnv": "env",
    "TextVectorEnv": "vector",
    "arescore": "rescoring",
    "arollout": "rollouts",
    "card": "registry",
    "get_state": "snapshots",
    "ids": "registry",
    "make_policy": "policies",
    "make_vec": "vector",
    "play_episode": "rollouts",
    "register": "registry",
    "rescore": "rescoring",
    "rollout": "rollouts",
    "set_state": "snapshots",
    "tool": "tools",
}

__all__ = [
    "Action",
    "Card",
    "Grade",
    "Policy",
    "Run",
    "Task",
    "TextEnv",
    "TextVectorEnv",
    "arescore",
    "arollout",
    "card",
    "get_state",
    "ids",
    "make_policy",
    "make_vec",
    "play_episode",
    "register",
    "rescore",
    "rollout",
    "set_state",
    "tool",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'textgym' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"textgym.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
