"""Data sets of office requests that are carried out by tools.

Rows are played by `textgym/WorkplaceAssistant-v0`, with the folder of WorkBench's databases as
`database`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from textgym.data.conversions.fields import Record, Row, own_id, text_of
from textgym.envs.office.workplace.workplace_env import WORKBENCH_CLOCK, read_task
from textgym.errors import RowError

__all__ = ["read_call", "workbench", "workplace_assistant"]

_NEMO_FIELDS = ("responses_create_params", "ground_truth", "category")


def workbench(record: Record, number: int, split: str) -> Row:
    r"""Convert a query of WorkBench: `query`, `answer`, `base_template` and `domains`.

    `answer` is a list of calls, and `domains` a list of names, both as Python text.

    Example:
        >>> record = {"query": "Cancel my first meeting", "base_template": "Cancel my {} meeting",
        ...           "domains": "['calendar']",
        ...           "answer": "['calendar.delete_event.func(event_id=\"00000256\")']"}
        >>> row = workbench(record, 3, "test")
        >>> row["id"]
        'workbench-test-3'
        >>> row["ground_truth"]
        [{'name': 'calendar_delete_event', 'arguments': {'event_id': '00000256'}}]
    """
    domains = _list_of(record, "domains")
    row = {
        "id": f"workbench-{split}-{number}",
        "query": text_of(record, "query"),
        "now": WORKBENCH_CLOCK,
        "ground_truth": [read_call(text) for text in _list_of(record, "answer")],
        "category": domains[0] if len(domains) == 1 else "multi_domain",
        "domains": domains,
        "template": text_of(record, "base_template"),
    }
    read_task(row)
    return row


def _list_of(record: Record, field: str) -> list[str]:
    text = text_of(record, field)
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        found = None
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise RowError(field, f"must be a list of strings, not {text[:100]!r}")
    return found


def read_call(text: str) -> dict[str, Any]:
    """Return the name and arguments of a call.

    Args:
        text: The call, such as `email.delete_email.func(email_id="00000001")`.

    Raises:
        RowError: It is not a call with named arguments, each a Python literal.

    Example:
        >>> read_call('email.delete_email.func(email_id="00000001")')
        {'name': 'email_delete_email', 'arguments': {'email_id': '00000001'}}
    """
    try:
        call = ast.parse(text, mode="eval").body
        if not isinstance(call, ast.Call) or call.args or not all(w.arg for w in call.keywords):
            raise ValueError("not a call with named arguments")
        name = ast.unparse(call.func).removesuffix(".func").replace(".", "_")
        arguments = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
    except (ValueError, SyntaxError):
        raise RowError("answer", f"contains {text[:100]!r}, which is not a call") from None
    return {"name": name, "arguments": arguments}


def workplace_assistant(record: Record, number: int, split: str) -> Row:
    """Convert a row of NeMo Gym's `workplace_assistant`, which keeps its prompt and its tools.

    Newer rows have the reference calls and the category in `verifier_metadata`.
    """
    nested = record.get("verifier_metadata")
    fields = {**record, **nested} if isinstance(nested, Mapping) else record
    row = {
        "id": f"workplace_assistant-{split}-{own_id(record, number, 'id')}",
        **{field: fields[field] for field in _NEMO_FIELDS if fields.get(field) is not None},
    }
    if "responses_create_params" not in row:
        raise RowError("responses_create_params", "is missing")
    read_task(row)
    return row
