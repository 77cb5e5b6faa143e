"""lm-evaluation-harness: single-turn environments as its tasks.

A task of the harness is one request and one text. So an environment fits if an episode is one
message without tools, pictures or a user; others are refused. Invariant: the harness's `reward` is
the environment's, for the same text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import gymnasium as gym
import yaml

from textgym.core.text_env import TextEnv
from textgym.integrations.exported import exported
from textgym.messages import text_of
from textgym.registry import make
from textgym.tasks.task import Task

__all__ = ["process_results", "refusal", "write_task"]

_FUNCTIONS = '''\
"""Grades answers with textgym. Written by `textgym export`."""

from textgym.integrations.lm_eval import process_results

__all__ = ["process_results"]
'''


class _Function(str):
    """A name that the harness imports from the module beside the task's file."""


class _Dumper(yaml.SafeDumper):
    """Writes functions in the harness's form."""


_Dumper.add_representer(
    _Function, lambda dumper, name: dumper.represent_scalar("!function", str(name))
)


def refusal(env: TextEnv[Any]) -> str:
    """Return why an environment is not a task of the harness; "" if it is.

    Example:
        >>> refusal(make("textgym/SessionState-v0").unwrapped)
        'textgym/SessionState-v0 has tools, and a task of lm-evaluation-harness is one text'
        >>> refusal(make("textgym/MCQA-v0").unwrapped)
        ''
    """
    task = env.get_task(0)
    one_text = "and a task of lm-evaluation-harness is one text"
    if task.tools or (task.tools is None and env.toolbox().schemas()):
        return f"{env.card.id} has tools, {one_text}"
    if env.max_turns > 1:
        return f"{env.card.id} has several turns, {one_text}"
    if any(isinstance(message.get("content"), list) for message in task.messages):
        return f"{env.card.id} has pictures, {one_text}"
    return ""


def write_task(
    env_id: str, folder: str | Path, count: int | None = None, **kwargs: Any
) -> tuple[str, int]:
    """Write a task of the harness: its YAML, its documents, and a module that grades.

    Run it with `lm_eval --include_path FOLDER --tasks NAME --apply_chat_template`.

    Args:
        env_id: The environment.
        folder: Where to write; it is made.
        count: The number of documents; None for all of a finite split or data set.
        **kwargs: The keyword arguments of the environment.

    Returns:
        The task's name, and the number of documents.

    Raises:
        UsageError: The environment does not fit, or its tasks are unlimited and `count` is None.
    """
    if isinstance(dataset := kwargs.get("dataset"), str) and Path(dataset).exists():
        kwargs["dataset"] = str(Path(dataset).absolute())  # the harness runs in another folder
    with exported(env_id, count, refusal, **kwargs) as (env, total):
        name = re.sub(r"\W+", "_", env.card.id.replace("-v", "_v")).lower()
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        documents = folder / f"{name}.jsonl"
        with documents.open("w", encoding="utf-8") as file:
            for index in range(total):
                document = _document(env.get_task(index), env_id, kwargs)
                file.write(json.dumps(document, ensure_ascii=False) + "\n")
    mean = {"aggregation": "mean", "higher_is_better": True}
    settings = {
        "task": name,
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(documents.absolute())}},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{prompt}}",
        "doc_to_target": "{{answer}}",
        "process_results": _Function(f"{name}.process_results"),
        "generation_kwargs": {"until": [], "max_gen_toks": 2048, "do_sample": False},
        "metric_list": [{"metric": metric, **mean} for metric in ("reward", "success")],
        "metadata": {"version": 1.0},
    }
    text = yaml.dump(settings, Dumper=_Dumper, sort_keys=False, allow_unicode=True)
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    (folder / f"{name}.py").write_text(_FUNCTIONS, encoding="utf-8")
    return name, total


def _document(task: Task, env_id: str, kwargs: Mapping[str, Any]) -> dict[str, str]:
    """Return a task as a document. Its prompt is one text, which the harness shows as a user's."""
    return {
        "prompt": "\n\n".join(map(text_of, task.messages)),
        "answer": "" if task.answer is None else str(task.answer),
        "env": env_id,
        "env_kwargs": json.dumps(kwargs),
        "row": json.dumps(task.row, ensure_ascii=False),
    }


def process_results(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """Grade a model's text; the harness calls this for each document.

    Args:
        doc: A document that `write_task` wrote.
        results: The model's text, as the only item.

    Returns:
        `reward`, and `success`, which is 0 or 1.

    Raises:
        BoundaryFailure: The environment failed, so that there is not a reward.

    Example:
        >>> row = {"id": "1", "question": "2 + 2?", "expected_answer": "4"}
        >>> doc = {"env": "textgym/Math-v0", "env_kwargs": "{}", "row": json.dumps(row)}
        >>> process_results(doc, ["The answer is 4."])
        {'reward': 1.0, 'success': 1.0}
    """
    env = _environment(doc["env"], doc["env_kwargs"])
    env.reset(options={"task": json.loads(doc["row"])})
    _, reward, _, _, info = env.step(results[0] if results else "")
    return {"reward": float(reward), "success": float(info["is_success"])}


@lru_cache(maxsize=8)
def _environment(env_id: str, kwargs: str) -> gym.Env[Any, Any]:
    """Return the environment of documents. One is made for each set of arguments."""
    return make(env_id, **json.loads(kwargs))
