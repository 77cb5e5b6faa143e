"""Reading rows of structured outputs, in the formats of textgym and NeMo Gym.

Invariants: the record of a task fits its schema, and its format can hold it. A row of NeMo Gym has
no record. As in the original, its schema is not checked, and a broken one accepts no answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from textgym.envs.structured_output.generator import ANSWER_FORMATS
from textgym.errors import RowError
from textgym.json_values import copy_json
from textgym.messages import Message, ToolSchema, user
from textgym.tasks import nemo_rows
from textgym.tasks.task import Task
from textgym.verifiers.documents import FORMATS
from textgym.verifiers.json_schema import fits

__all__ = ["StructuredTask", "format_problem", "read_structured_row"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_RULES = {
    "json": "Answer with one JSON document and nothing else.",
    "yaml": "Answer with one YAML document and nothing else.",
    "toml": "Answer with one TOML document and nothing else.",
    "csv": "Answer with CSV and nothing else: a header line with the names of the properties, and "
    "one line for each object. Booleans are true and false. An empty cell is null.",
    "xml": "Answer with one XML document and nothing else. The root element is <{name}>. Each "
    "property is an element with its name, and each item of an array an element <item>. Booleans "
    "are true and false. An empty element is null. There are no attributes.",
    "tool": "Answer with one call of {name}, whose arguments follow its JSON Schema.",
}
_NO_PROMPT = "Answer with {format} that follows this JSON Schema, and nothing else:\n\n{schema}"


@dataclass(frozen=True, slots=True)
class StructuredTask(Task):
    """A task whose answer is a record, or None for a row of NeMo Gym.

    Attributes:
        schema: The schema. In a row of NeMo Gym, all properties are required and no others allowed.
        format: One of `ANSWER_FORMATS`.
        name: The name of the tool, or of the root element of XML; "" for any tool.
        payload_key: The argument of the tool that holds the answer; "" for all arguments.
    """

    schema: Any = None
    format: str = "json"
    name: str = ""
    payload_key: str = ""

    @property
    def has_record(self) -> bool:
        """Whether the answer is compared with a record."""
        return "record" in self.row


def read_structured_row(row: dict[str, Any]) -> StructuredTask:
    """Read one of textgym's flat rows, or one of NeMo Gym's.

    Raises:
        RowError: A field is missing or wrong.
    """
    return _read_own(row) if "record" in row else _read_nemo(row)


def _read_own(row: dict[str, Any]) -> StructuredTask:
    text, wanted = _read_text(row, "text"), _read_text({"wanted": "the record", **row}, "wanted")
    schema, format, record = row.get("schema"), row.get("format"), row["record"]
    name = row.get("name", "record")
    if format not in ANSWER_FORMATS:
        raise RowError("format", f"is {format!r:.50}; the formats are {', '.join(ANSWER_FORMATS)}")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise RowError("name", f"must be the name of a tool or of an element, not {name!r:.100}")
    if not isinstance(schema, dict):
        raise RowError("schema", "must be an object")
    if not fits(record, schema):
        raise RowError("record", "does not fit the schema")
    problem = format_problem(record, format)
    if problem:
        raise RowError("record", problem)
    rule = _RULES[format].format(name=name)
    if format == "tool":
        prompt = f"{text}\n\nRead the text and give {wanted}. {rule}"
        about = f"Takes {wanted}."
        tools: tuple[ToolSchema, ...] | None = (_tool(name, about, schema),)
    else:
        shown = json.dumps(schema, ensure_ascii=False, indent=1)
        request = f"Read the text and give {wanted} by this JSON Schema:"
        prompt = "\n\n".join((text, request, shown, rule))
        tools = None
    return StructuredTask(row["id"], (user(prompt),), record, tools, row, schema, format, name)


def _read_text(row: Mapping[str, Any], field: str) -> str:
    value = row.get(field)
    if not isinstance(value, str) or not value.strip():
        raise RowError(field, "must be a string that is not empty")
    return value


def format_problem(record: Any, format: str) -> str:
    """Return why a format cannot represent a record, or "".

    Example:
        >>> format_problem({"a": None}, "json"), format_problem({"a": None}, "toml")
        ('', 'has a null, which TOML cannot have')
    """
    if format in ("tool", "toml", "xml") and not isinstance(record, dict):
        return f"must be an object for the format {format}"
    if format == "toml" and _has_null(record):
        return "has a null, which TOML cannot have"
    if format == "xml" and not all(map(_NAME.fullmatch, _keys(record))):
        return "has a key that cannot be the name of an element"
    if format == "csv":
        rows = record if isinstance(record, list) else [record]
        cells = [cell for row in rows if isinstance(row, dict) for cell in row.values()]
        if not all(isinstance(row, dict) for row in rows) or any(
            isinstance(cell, (dict, list)) for cell in cells
        ):
            return "must be a flat object or a list of them for the format csv"
    return ""


def _keys(value: Any) -> Iterator[str]:
    """Yield the keys of all objects in a value."""
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    for item in value if isinstance(value, list) else ():
        yield from _keys(item)


def _has_null(value: Any) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    return any(map(_has_null, value)) if isinstance(value, list) else value is None


def _read_nemo(row: dict[str, Any]) -> StructuredTask:
    text = row.get("schema_str")
    if not isinstance(text, str):
        raise RowError("schema_str", "must be a string with a JSON Schema (or give a record)")
    schema = copy_json(strict_schema(text))
    format = row.get("schema_type") or "json"
    if format not in FORMATS:
        raise RowError("schema_type", f"is {format!r:.50}; the types are {', '.join(FORMATS)}")
    name, key = row.get("tool_name") or "", row.get("tool_payload_key") or ""
    for field, value in (("tool_name", name), ("tool_payload_key", key)):
        if not isinstance(value, str):
            raise RowError(field, f"must be a string, not {value!r:.100}")
    by_tool = row.get("response_mode") == "tool_call"
    tools = nemo_rows.tools_of(row)
    if by_tool and tools is None:
        tools = (_nemo_tool(name or "respond", key, text),)
    prompt = _nemo_prompt(row, text, format)
    if not by_tool:
        name, key = "", ""
    return StructuredTask(
        row["id"], tuple(prompt), None, tools, row, schema, "tool" if by_tool else format, name, key
    )


@lru_cache(256)
def strict_schema(text: str) -> Any:
    """Return the schema in a row of NeMo Gym, with all properties required and no others allowed.

    Schemas within lists, such as the branches of `oneOf`, are not changed. A text that is not a
    JSON Schema becomes `False`, the schema that nothing fits.

    Example:
        >>> strict_schema('{"properties": {"a": {}}, "required": []}')
        {'properties': {'a': {}}, 'required': ['a'], 'additionalProperties': False}
        >>> strict_schema('{"type": "text"}')
        False
    """
    from jsonschema import Draft202012Validator, SchemaError

    try:
        schema = json.loads(text)
        waiting = [schema]
        while waiting:
            part = waiting.pop()
            if isinstance(part, dict):
                if isinstance(part.get("properties"), dict):
                    part["required"] = list(part["properties"])
                    part["additionalProperties"] = False
                waiting += part.values()
        Draft202012Validator.check_schema(schema)
    except (ValueError, SchemaError, RecursionError):
        return False
    return schema


def _nemo_prompt(row: Mapping[str, Any], schema: str, format: str) -> list[Message]:
    params = row.get("responses_create_params")
    if isinstance(params, Mapping) and params.get("input"):
        return nemo_rows.prompt_of(row)
    return [user(_NO_PROMPT.format(format=format.upper(), schema=schema))]


def _nemo_tool(name: str, key: str, text: str) -> ToolSchema:
    """Return a tool for a row without tools, as the row's verifier expects it to be called."""
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError):
        schema = None
    if key and isinstance(schema, dict):
        schema = {"type": "object", "properties": {key: schema}, "required": [key]}
    if not isinstance(schema, dict) or schema.get("type") != "object":
        schema = {"type": "object"}
    return _tool(name, "Takes the answer.", schema)


def _tool(name: str, about: str, schema: dict[str, Any]) -> ToolSchema:
    function = {"name": name, "description": about, "parameters": schema}
    return {"type": "function", "function": function}
