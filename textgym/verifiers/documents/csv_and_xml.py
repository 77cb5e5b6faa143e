"""CSV and XML, whose leaves are texts that are converted to the types of a JSON Schema.

CSV has a header line. An element of XML stands for an object, with a child for each property, or
for an array, with a child `item` for each item. Attributes, document types and entities are
refused.

The lenient readers accept attributes and document types without entities, do not count the cells of
a line, and convert texts with Python's `int` and `float`.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn
from xml.parsers import expat

from textgym.verifiers.documents.document import MAX_DEPTH, DocumentError

__all__ = [
    "ITEM", "Element", "SchemaView", "parse_xml", "read_csv", "read_csv_leniently", "read_xml",
    "read_xml_leniently",
]  # fmt: skip

ITEM = "item"
"""The name of the elements of an array's items."""

_MAX_CELLS = 1_000_000
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,999})")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_TYPE_NAMES = {str: "string", bool: "boolean", int: "integer", float: "number",
               type(None): "null", list: "array", dict: "object"}  # fmt: skip


class SchemaView:
    """The schemas that apply to one value of a document.

    References within the whole schema are followed. The alternatives of `oneOf`, `anyOf` and
    `allOf` all count.

    Args:
        schemas: The schemas of the value.
        root: The whole schema.

    Attributes:
        types: The names of the types that the value may have.

    Example:
        >>> view = SchemaView.of({"properties": {"n": {"type": ["integer", "null"]}}})
        >>> view.property("n").read("5"), view.property("n").read(""), view.property("n").read("x")
        (5, None, 'x')
    """

    def __init__(self, schemas: Iterable[Any], root: Any) -> None:
        self._root = root
        self._schemas: list[Mapping[str, Any]] = []
        seen: set[int] = set()
        waiting = list(schemas)
        while waiting:
            schema = waiting.pop()
            if not isinstance(schema, Mapping) or id(schema) in seen:
                continue
            seen.add(id(schema))
            self._schemas.append(schema)
            if isinstance(schema.get("$ref"), str):
                waiting.append(_target(root, schema["$ref"]))
            for keyword in ("oneOf", "anyOf", "allOf"):
                branches = schema.get(keyword)
                waiting += branches if isinstance(branches, list) else ()
        self.types = frozenset(name for schema in self._schemas for name in _types(schema))

    @classmethod
    def of(cls, schema: Any) -> SchemaView:
        """Return the view of a whole schema."""
        return cls([schema], schema)

    def property(self, name: str) -> SchemaView:
        """Return the view of a property of an object."""
        tables = (schema.get("properties") for schema in self._schemas)
        return SchemaView(
            (table[name] for table in tables if isinstance(table, Mapping) and name in table),
            self._root,
        )

    def items(self) -> SchemaView:
        """Return the view of the items of an array."""
        return SchemaView((schema.get("items") for schema in self._schemas), self._root)

    def read(self, text: str) -> Any:
        """Convert a text to the first type that fits: null, integer, number, boolean, string.

        An empty text is null if null is allowed. Numbers are written as in JSON.
        """
        if not text and "null" in self.types:
            return None
        if {"integer", "number"} & self.types and _INTEGER.fullmatch(text):
            return int(text)
        if "number" in self.types and _NUMBER.fullmatch(text):
            number = float(text)
            return number if math.isfinite(number) else text
        if "boolean" in self.types and text in ("true", "false"):
            return text == "true"
        return text


def _types(schema: Mapping[str, Any]) -> list[str]:
    types = schema.get("type")
    if isinstance(types, str):
        return [types]
    if isinstance(types, list):
        return [name for name in types if isinstance(name, str)]
    values = schema["enum"] if isinstance(schema.get("enum"), list) else []
    if "const" in schema:
        values = [*values, schema["const"]]
    return [_TYPE_NAMES.get(type(value), "string") for value in values]


def _target(root: Any, reference: str) -> Any:
    """Return the schema at a reference such as `#/$defs/party`, or None."""
    if not reference.startswith("#"):
        return None
    schema = root
    for part in reference[1:].split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(schema, Mapping) or name not in schema:
            return None
        schema = schema[name]
    return schema


def read_csv(text: str, schema: Any) -> Any:
    r"""Return the value of a CSV document.

    Args:
        text: The text. Cells are separated by commas, and may be in double quotes.
        schema: A schema of an array of flat objects, one for each line below the header; or of one
            flat object, for the only line.

    Raises:
        DocumentError: The text is not CSV, a name in the header is there twice, or a line does not
            have one cell for each name.

    Example:
        >>> schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
        >>> read_csv('name,n\n"Ann, B",5', schema)
        {'name': 'Ann, B', 'n': 5}
    """
    try:
        header, *lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    except (csv.Error, ValueError) as error:
        raise DocumentError(f"it is not CSV: {error}") from None
    if len(set(header)) < len(header):
        raise DocumentError("a name in the header is there twice")
    view = SchemaView.of(schema)
    is_table = "array" in view.types
    cells = [(view.items() if is_table else view).property(name) for name in header]
    rows = []
    for number, line in enumerate(lines, 2):
        if len(line) != len(header):
            raise DocumentError(
                f"line {number} has {len(line)} cells, and the header has {len(header)}"
            )
        values = (cell.read(text) for cell, text in zip(cells, line, strict=True))
        rows.append(dict(zip(header, values, strict=True)))
    if is_table:
        return rows
    if len(rows) != 1:
        raise DocumentError(f"there must be one line below the header, not {len(rows)}")
    return rows[0]


def read_csv_leniently(text: str, schema: Any) -> list[dict[Any, Any]]:
    r"""Return the lines of CSV below the header, even if the schema is of a single object.

    Without such lines, any header would pass, so the header must then name the properties.

    Args:
        text: The text. Missing cells are null, and superfluous ones a list with the key None.
        schema: A schema of a flat object, or of an array of them.

    Raises:
        DocumentError: The text is not CSV, or the schema does not give types to the cells.

    Example:
        >>> schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
        >>> read_csv_leniently("name,n\nAnn, 05", schema)
        [{'name': 'Ann', 'n': 5}]
    """
    try:
        reader = csv.DictReader(io.StringIO(text))
        names = reader.fieldnames or []
        if len(names) * (text.count("\n") + 1) > _MAX_CELLS:
            raise DocumentError("the lines have too few cells")
        rows = list(reader)
    except csv.Error as error:
        raise DocumentError(f"it is not CSV: {error}") from None
    items = schema.get("items", schema) if isinstance(schema, Mapping) else schema
    properties = items.get("properties", {}) if isinstance(items, Mapping) else None
    if properties is None or True in properties.values():
        raise DocumentError("the schema does not give types to the cells")
    if not rows and properties and set(names) != set(properties):
        raise DocumentError("there is no line but the header, which has other names")
    types = {name: part.get("type", "string") for name, part in properties.items() if part}
    return [
        {name: _cell(cell, types.get(name, "string")) for name, cell in row.items()} for row in rows
    ]


def _cell(text: Any, types: Any) -> Any:
    """Convert a cell to its type, or to the first of several types that fits."""
    if not isinstance(types, list):
        return _converted(text, types) if text and isinstance(text, str) else text
    if not text and "null" in types:
        return None
    for kind in types:
        value = _cell(text, kind)
        if kind != "null" and (not isinstance(value, str) or kind == "string"):
            return value
    return text


def _converted(text: str, kind: Any) -> Any:
    """Convert a text to an integer, number or boolean; return the text if that is not possible."""
    try:
        if kind == "integer":
            return int(text)
        if kind == "number":
            return float(text)
    except ValueError:
        return text
    if kind == "boolean":
        return {"true": True, "1": True, "false": False, "0": False}.get(text.lower(), text)
    return text


@dataclass(slots=True)
class Element:
    """An element of XML.

    Attributes:
        name: Its name, with its prefix.
        attributes: Its attributes, by name.
        children: Its child elements.
        texts: The texts directly in it.
    """

    name: str
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its text without white space around it."""
        return "".join(self.texts).strip()


def read_xml(text: str, schema: Any, root: str) -> Any:
    """Return the value of an XML document.

    Args:
        text: The text.
        schema: The schema of the value.
        root: The name of the root element.

    Raises:
        DocumentError: The text is not XML, or its elements do not stand for a value.

    Example:
        >>> schema = {"properties": {"n": {"type": "integer"}, "tags": {"type": "array"}}}
        >>> read_xml("<r><n>5</n><tags><item>a</item></tags></r>", schema, "r")
        {'n': 5, 'tags': ['a']}
    """
    element = parse_xml(text)
    if element.name != root:
        raise DocumentError(f"the root element is {element.name[:50]!r}, not {root!r}")
    return _value(element, SchemaView.of(schema))


def parse_xml(text: str, *, doctype: bool = False) -> Element:
    """Return the root element of an XML document.

    Args:
        text: The text.
        doctype: Whether a document type that declares no entity is accepted.

    Raises:
        DocumentError: The text is not well-formed, or has something that is refused.

    Example:
        >>> parse_xml("<a><b x='1'>two</b></a>").children[0].text
        'two'
    """
    top = Element("", {})
    path = [top]

    def begin(name: str, attributes: dict[str, str]) -> None:
        if len(path) > MAX_DEPTH:
            raise DocumentError(f"it is nested over {MAX_DEPTH} levels deep")
        element = Element(name, attributes)
        path[-1].children.append(element)
        path.append(element)

    def refuse(*declaration: Any) -> NoReturn:
        raise DocumentError("document types and entities are not accepted")

    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda name: path.pop()
    parser.CharacterDataHandler = lambda data: path[-1].texts.append(data)
    parser.EntityDeclHandler = refuse
    if not doctype:
        parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text.encode(), True)
    except DocumentError:
        raise
    except (expat.ExpatError, ValueError) as error:
        raise DocumentError(f"it is not XML: {error}") from None
    return top.children[0]


def _value(element: Element, view: SchemaView) -> Any:
    if element.attributes:
        raise DocumentError(f"the element {element.name[:50]!r} has attributes")
    is_array = "array" in view.types
    if not element.children and not is_array:
        return view.read(element.text)
    if element.text:
        raise DocumentError(f"the element {element.name[:50]!r} has elements and text")
    if is_array:
        names = {child.name for child in element.children} - {ITEM}
        if names:
            raise DocumentError(f"an array has elements named {ITEM!r}, not {min(names)[:50]!r}")
        items = view.items()
        return [_value(child, items) for child in element.children]
    value: dict[str, Any] = {}
    for child in element.children:
        if child.name in value:
            raise DocumentError(f"the element {child.name[:50]!r} is there twice")
        value[child.name] = _value(child, view.property(child.name))
    return value


def read_xml_leniently(text: str, schema: Any) -> Any:
    """Return an object whose only property is the root element of an XML document.

    Elements with the same name become a list, and attributes have names with `@`.

    Args:
        text: The text.
        schema: The schema of the object.

    Raises:
        DocumentError: The text is not XML.

    Example:
        >>> read_xml_leniently("<r><a x='1'>two</a><b/></r>", True)
        {'r': {'a': {'@x': '1', '#text': 'two'}, 'b': None}}
    """
    return _coerced(_object([parse_xml(text, doctype=True)]), schema)


def _object(elements: list[Element]) -> dict[str, Any]:
    values: dict[str, list[Any]] = {}
    for element in elements:
        value: Any = {f"@{name}": text for name, text in element.attributes.items()}
        value.update(_object(element.children))
        if element.text and value:
            value["#text"] = element.text
        values.setdefault(element.name, []).append(value or element.text or None)
    return {name: items if len(items) > 1 else items[0] for name, items in values.items()}


def _coerced(value: Any, schema: Any) -> Any:
    """Convert the texts of a value to the types of a schema, as far as that is possible."""
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    if kind == "object" and isinstance(value, dict):
        properties = schema.get("properties", {})
        return {
            name: _coerced(item, properties[name]) if name in properties else item
            for name, item in value.items()
        }
    if kind == "array":
        if isinstance(value, dict) and len(value) == 1:
            value = next(iter(value.values()))
        if not isinstance(value, list):
            value = [] if value is None else [value]
        return [_coerced(item, schema.get("items", {})) for item in value]
    if value is None and kind == "string":
        return ""
    return _converted(value, kind) if isinstance(value, str) else value
