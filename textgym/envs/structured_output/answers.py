"""Answers of the oracle and of the random policy: invented values, and data as documents."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from typing import Any
from xml.sax.saxutils import escape

from textgym.envs.generation import choice, randint
from textgym.verifiers.documents.csv_and_xml import ITEM

__all__ = ["invent", "write_document"]

_PATTERN_PART = re.compile(r"\[([A-Za-z0-9])-([A-Za-z0-9])\](?:\{(\d{1,2})\})?|([^\^$\[\]])")
_MAX_DEPTH = 10  # of schemas, which may contain themselves
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def write_document(value: Any, format: str, root: str = "record") -> str:
    r"""Write a value as a document.

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


def _text(value: Any) -> str:
    """Return a value as the text of a cell or an element."""
    return "" if value is None else value if isinstance(value, str) else _scalar(value)


def _key(key: str) -> str:
    """Return a key of YAML or TOML, without quotes if it can only be a key."""
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
    """Return the lines of a table, with the tables within it at the end."""
    lines: list[str] = []
    tables: list[str] = []
    for key, value in table.items():
        inner = (*path, _key(key))
        if isinstance(value, dict):
            tables += "", f"[{'.'.join(inner)}]", *_toml(value, inner)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for item in value:
                tables += "", f"[[{'.'.join(inner)}]]", *_toml(item, inner)
        else:
            lines.append(f"{_key(key)} = {_scalar(value)}")
    return lines + tables


def _csv(rows: list[dict[str, Any]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(rows[0] if rows else ())
    writer.writerows(map(_text, row.values()) for row in rows)
    return file.getvalue().rstrip("\n")


def _xml(value: Any, name: str) -> str:
    if isinstance(value, dict):
        inner = "".join(_xml(item, key) for key, item in value.items())
    elif isinstance(value, list):
        inner = "".join(_xml(item, ITEM) for item in value)
    else:
        inner = escape(_text(value))
    return f"<{name}>{inner}</{name}>"


def invent(rng: random.Random, schema: Any, root: Any = None, depth: int = 0) -> Any:
    """Return a random value that fits a schema of this environment's generator.

    A value for another schema may not fit it.

    Args:
        rng: The generator of random numbers.
        schema: The schema.
        root: The whole schema, if the schema is a part of it.
        depth: The number of schemas around it.

    Example:
        >>> invent(random.Random(0), {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{3}$"})
        'VT-425'
    """
    root = schema if root is None else root
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return None
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return invent(rng, root.get("$defs", {}).get(name), root, depth + 1)
    if "const" in schema:
        return schema["const"]
    for keyword in ("enum", "oneOf", "anyOf"):
        if schema.get(keyword):
            drawn = choice(rng, schema[keyword])
            return drawn if keyword == "enum" else invent(rng, drawn, root, depth + 1)
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: invent(rng, item, root, depth + 1) for name, item in properties.items()}
    if kind == "array":
        count = randint(rng, 1, 3) if depth < _MAX_DEPTH / 2 else 0
        return [invent(rng, schema.get("items", {}), root, depth + 1) for _ in range(count)]
    if kind == "string":
        size = min(7, schema.get("maxLength", 7))
        return _string(rng, schema.get("pattern", f"[a-z]{{{size}}}"))
    if kind in ("integer", "number"):
        low, step = schema.get("minimum", 1), schema.get("multipleOf", 1)
        most = (schema.get("maximum", low + 9 * step) - low) // step
        return low + step * randint(rng, 0, int(min(most, 9)))
    return rng.random() < 0.5 if kind == "boolean" else None


def _string(rng: random.Random, pattern: str) -> str:
    parts = []
    for low, high, count, literal in _PATTERN_PART.findall(pattern):
        codes = [randint(rng, ord(low), ord(high)) for _ in range(int(count or 1)) if low]
        parts.append(literal or "".join(map(chr, codes)))
    return "".join(parts)
