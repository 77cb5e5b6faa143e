"""Tasks as NeMo Gym's rows, and back.

A row that has NeMo Gym's fields stays as it is. Any other becomes a row with
`responses_create_params`, for NeMo Gym's agents, and with the whole row in `textgym_row`, for the
verifier.

Invariant: `task_row` of a row gives the row that it was made from.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from textgym.core.text_env import TextEnv
from textgym.integrations.exported import exported
from textgym.integrations.nemo_gym.responses import flat_tools, input_items
from textgym.json_values import copy_json
from textgym.tasks import nemo_rows

__all__ = ["nemo_row", "refusal", "rows_of", "task_row", "write_rows"]

_ROW = "textgym_row"


def refusal(env: TextEnv[Any]) -> str:
    """Return why NeMo Gym's `simple_agent` cannot play an environment; "" if it can.

    Example:
        >>> from textgym.registry import make
        >>> refusal(make("textgym/AskFirst-v0").unwrapped)
        'textgym/AskFirst-v0 talks to a user, and simple_agent ends with the first text'
    """
    replies = type(env).respond is not TextEnv.respond and not env.answers_calls
    if replies and env.max_turns > 1 and not nemo_rows.has_prompt(env.get_task(0).row):
        return f"{env.card.id} talks to a user, and simple_agent ends with the first text"
    return ""


def nemo_row(env: TextEnv[Any], index: int) -> dict[str, Any]:
    """Return a task of an environment as one of NeMo Gym's rows.

    Example:
        >>> from textgym.registry import make
        >>> env = make("textgym/MCQA-v0").unwrapped
        >>> row = nemo_row(env, 3)
        >>> [item["role"] for item in row["responses_create_params"]["input"]]
        ['user']
        >>> task_row(row) == env.get_task(3).row
        True
    """
    task = env.get_task(index)
    row: dict[str, Any] = copy_json(task.row)
    if nemo_rows.has_prompt(row):
        return row
    tools = env.toolbox().schemas() if task.tools is None else [*task.tools]
    params: dict[str, Any] = {"input": input_items(task.messages)}
    if tools:
        params |= {"tools": flat_tools(tools), "parallel_tool_calls": True}
    return {"id": row.get("id"), "responses_create_params": params, _ROW: row}


def task_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a task that `nemo_row` was made from."""
    own = row.get(_ROW)
    return dict(own) if isinstance(own, Mapping) else dict(row)


def rows_of(env_id: str, count: int | None = None, **kwargs: Any) -> Iterator[dict[str, Any]]:
    """Yield the tasks of an environment as NeMo Gym's rows.

    Args:
        env_id: The environment.
        count: The number of tasks; None for all of a finite split or data set.
        **kwargs: The keyword arguments of the environment.

    Raises:
        UsageError: `simple_agent` cannot play the environment, or its tasks are unlimited and
            `count` is None.
    """
    with exported(env_id, count, refusal, **kwargs) as (env, total):
        for index in range(total):
            yield nemo_row(env, index)


def write_rows(env_id: str, path: str | Path, count: int | None = None, **kwargs: Any) -> int:
    """Write the tasks of an environment as a JSONL file of NeMo Gym; return how many there are.

    Args:
        env_id: The environment.
        path: The file.
        count: As in `rows_of`.
        **kwargs: As in `rows_of`.

    Raises:
        UsageError: As in `rows_of`.
    """
    with (
        exported(env_id, count, refusal, **kwargs) as (env, total),
        open(path, "w", encoding="utf-8") as file,
    ):
        for index in range(total):
            file.write(json.dumps(nemo_row(env, index), ensure_ascii=False) + "\n")
    return total
