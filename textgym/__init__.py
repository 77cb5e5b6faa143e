"""Text environments for training and evaluating language models, each a `gymnasium.Env`.

    >>> import gymnasium, textgym
    >>> env = gymnasium.make("textgym/MCQA-v0")
    >>> observation, info = env.reset(seed=1)
    >>> observation[0]["role"]
    'user'

Importing this package registers the environments and imports nothing heavy. All that users and
authors of environments need can be imported from here; a name is imported on first use.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

if os.name != "posix":
    raise ImportError("textgym needs a POSIX system, such as Linux, macOS or WSL on Windows")

import textgym.envs  # noqa: F401  registers the environments
from textgym._version import __version__ as __version__

if TYPE_CHECKING:
    from textgym import checks as checks
    from textgym import errors as errors
    from textgym import metrics as metrics
    from textgym import verifiers as verifiers
    from textgym.checks import audit as audit
    from textgym.checks import check as check
    from textgym.core.card import Card as Card
    from textgym.core.grade import Grade as Grade
    from textgym.core.snapshots import get_state as get_state
    from textgym.core.snapshots import set_state as set_state
    from textgym.core.text_env import TextEnv as TextEnv
    from textgym.errors import BoundaryFailure as BoundaryFailure
    from textgym.errors import ContextFullError as ContextFullError
    from textgym.errors import DatasetError as DatasetError
    from textgym.errors import EnvironmentFailure as EnvironmentFailure
    from textgym.errors import ExtraMissingError as ExtraMissingError
    from textgym.errors import InvalidActionError as InvalidActionError
    from textgym.errors import JudgeFailure as JudgeFailure
    from textgym.errors import OracleError as OracleError
    from textgym.errors import PolicyFailure as PolicyFailure
    from textgym.errors import RewardError as RewardError
    from textgym.errors import RowError as RowError
    from textgym.errors import RunError as RunError
    from textgym.errors import StateError as StateError
    from textgym.errors import TextgymError as TextgymError
    from textgym.errors import ToolError as ToolError
    from textgym.errors import TrainingError as TrainingError
    from textgym.errors import UnknownNameError as UnknownNameError
    from textgym.errors import UsageError as UsageError
    from textgym.errors import WorkerFailure as WorkerFailure
    from textgym.messages import Message as Message
    from textgym.messages import ToolSchema as ToolSchema
    from textgym.messages import assistant as assistant
    from textgym.messages import assistant_calls as assistant_calls
    from textgym.messages import system as system
    from textgym.messages import tool_result as tool_result
    from textgym.messages import user as user
    from textgym.metrics import compute_metrics as compute_metrics
    from textgym.metrics.comparison import compare as compare
    from textgym.metrics.run_metrics import read_episode_table as read_episode_table
    from textgym.policies import Action as Action
    from textgym.policies import Policy as Policy
    from textgym.policies import Sampling as Sampling
    from textgym.policies import Tokens as Tokens
    from textgym.policies import make_policy as make_policy
    from textgym.registry import card as card
    from textgym.registry import ids as ids
    from textgym.registry import register as register
    from textgym.rescoring import Grading as Grading
    from textgym.rescoring import Rescore as Rescore
    from textgym.rescoring import arescore as arescore
    from textgym.rescoring import grade as grade
    from textgym.rescoring import rescore as rescore
    from textgym.rollouts import arollout as arollout
    from textgym.rollouts import play_episode as play_episode
    from textgym.rollouts import rollout as rollout
    from textgym.spaces import ActionSpace as ActionSpace
    from textgym.spaces import ConversationSpace as ConversationSpace
    from textgym.tasks import Task as Task
    from textgym.tools import tool as tool
    from textgym.trajectories import Batch as Batch
    from textgym.trajectories import Run as Run
    from textgym.trajectories import make_batch as make_batch
    from textgym.trajectories.schema import Trajectory as Trajectory
    from textgym.vector import TextVectorEnv as TextVectorEnv
    from textgym.vector import make_vec as make_vec
    from textgym.verifiers import after_reasoning as after_reasoning
    from textgym.verifiers import check_calendar as check_calendar
    from textgym.verifiers import choice as choice
    from textgym.verifiers import equal_json as equal_json
    from textgym.verifiers import equal_math as equal_math
    from textgym.verifiers import equal_number as equal_number
    from textgym.verifiers import equal_state as equal_state
    from textgym.verifiers import equal_text as equal_text
    from textgym.verifiers import final_number as final_number
    from textgym.verifiers import last_answer as last_answer
    from textgym.verifiers import last_boxed as last_boxed
    from textgym.verifiers import last_json as last_json
    from textgym.verifiers import last_line as last_line
    from textgym.verifiers import last_tagged as last_tagged
    from textgym.verifiers import make_judge as make_judge
    from textgym.verifiers import match as match


_NAMES = {
    "": ("checks", "errors", "metrics", "verifiers"),
    "checks": ("audit", "check"),
    "core.card": ("Card",),
    "core.grade": ("Grade",),
    "core.snapshots": ("get_state", "set_state"),
    "core.text_env": ("TextEnv",),
    "errors": (
        "BoundaryFailure", "ContextFullError", "DatasetError", "EnvironmentFailure",
        "ExtraMissingError", "InvalidActionError", "JudgeFailure", "OracleError", "PolicyFailure",
        "RewardError", "RowError", "RunError", "StateError", "TextgymError", "ToolError",
        "TrainingError", "UnknownNameError", "UsageError", "UserFailure", "WorkerFailure",
    ),
    "messages": (
        "Message", "ToolSchema", "assistant", "assistant_calls", "system", "tool_result", "user",
    ),
    "metrics": ("compute_metrics",),
    "metrics.comparison": ("compare",),
    "metrics.run_metrics": ("read_episode_table",),
    "policies": ("Action", "Policy", "Sampling", "Tokens", "make_policy"),
    "registry": ("card", "ids", "register"),
    "rescoring": ("Grading", "Rescore", "arescore", "grade", "rescore"),
    "rollouts": ("arollout", "play_episode", "rollout"),
    "spaces": ("ActionSpace", "ConversationSpace"),
    "tasks": ("Task",),
    "tools": ("tool",),
    "trajectories": ("Batch", "Run", "make_batch"),
    "trajectories.schema": ("Trajectory",),
    "vector": ("TextVectorEnv", "make_vec"),
    "verifiers": (
        "after_reasoning", "check_calendar", "choice", "equal_json", "equal_math", "equal_number",
        "equal_state", "equal_text", "final_number", "last_answer", "last_boxed", "last_json",
        "last_line", "last_tagged", "make_judge", "match",
    ),
}  # fmt: skip
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'textgym' has no attribute {name!r}")
    home = _HOMES[name]
    if not home:
        return importlib.import_module(f"textgym.{name}")
    value = globals()[name] = getattr(importlib.import_module(f"textgym.{home}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
