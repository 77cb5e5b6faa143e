"""Writing JSON data as a document of each format, as the oracle and random policies do."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any
from xml.sax.saxutils import escape

from textgym.verifiers.documents.csv_and_xml import ITEM

__all__ = ["write_document"]

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def write_document(value: Any, format: str, root: str = "record") -> str:
    r"""Write a value as one document.

    Args:
        value: JSON data: an object, or for CSV a flat object or a list of flat objects. For TOML it
            has no null.
        format: json, yaml, toml, csv or xml.
        root: The name of the root element of XML.

    Example:
        >>> write_document({"a": 1, "b": ["x"]}, "yaml")
        'a: 1\nb:\n  - "x"'
        >>> write_document([{"a": 1, "b": None}], "csv")
        'a,b\n1,'
        >>> write_document({"a": 1, "b": ["x"]}, "xml", "r")
        '<r><a>1</a><b><item>x</item></b></r>'
    """
    if format == "json":
        return json.dumps(value, ensure_ascii=False, indent=2)
    if format == "yaml":
        return "\n".join(_yaml(value))
    if format == "toml":
        return "\n".join(_toml(value, ()))
    if format == "csv":
        return _csv(value if isinstance(value, list) else [value])
    return _xml(value, root)


def _scalar(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _leaf(value: Any) -> str:
    """Return a value as the text of a cell or an element."""
    return "" if value is None else value if isinstance(value, str) else _scalar(value)


def _key(key: str) -> str:
    """Return a key as YAML and TOML write it: without quotes if that can only be this key."""
    is_plain = _PLAIN_KEY.fullmatch(key) and key.lower() not in ("null", "true", "false")
    return key if is_plain else _scalar(key)


def _yaml(value: Any) -> list[str]:
    if not isinstance(value, (dict, list)) or not value:
        return [_scalar(value)]
    lines: list[str] = []
    if isinstance(value, list):
        for item in value:
            first, *rest = _yaml(item)
            lines += f"- {first}", *(f"  {line}" for line in rest)
        return lines
    for key, item in value.items():
        inner = _yaml(item)
        if isinstance(item, (dict, list)) and item:
            lines += f"{_key(key)}:", *(f"  {line}" for line in inner)
        else:
            lines.append(f"{_key(key)}: {inner[0]}")
    return lines


def _toml(table: dict[str, Any], path: tuple[str, ...]) -> list[str]:
    """Return the lines of a table: its plain values first, then the tables within it."""
    lines: list[str] = []
    tables: list[str] = []
    for key, value in table.items():
        place = (*path, _key(key))
        if isinstance(value, dict):
            tables += "", f"[{'.'.join(place)}]", *_toml(value, place)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for item in value:
                tables += "", f"[[{'.'.join(place)}]]", *_toml(item, place)
        else:
            lines.append(f"{_key(key)} = {_scalar(value)}")
    return lines + tables


def _csv(rows: list[dict[str, Any]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(rows[0] if rows else ())
    writer.writerows(map(_leaf, row.values()) for row in rows)
    return file.getvalue().rstrip("\n")


def _xml(value: Any, name: str) -> str:
    if isinstance(value, dict):
        inner = "".join(_xml(item, key) for key, item in value.items())
    elif isinstance(value, list):
        inner = "".join(_xml(item, ITEM) for item in value)
    else:
        inner = escape(_leaf(value))
    return f"<{name}>{inner}</{name}>"
