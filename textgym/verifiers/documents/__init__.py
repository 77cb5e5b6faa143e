"""Reading a text that must be exactly one document: JSON, YAML, TOML, CSV or XML.

Invariants:

- Any text is accepted or refused with `DocumentError`, in linear time.
- One code fence around the document is accepted. Other text, a second document and duplicate keys
  are refused.
- A document has one meaning: NaN, infinity and references (anchors, aliases, entities) are refused.
- The leaves of CSV and XML are texts. They are converted to the types of a JSON Schema.

Lenient reading is NeMo Gym's. It refuses code fences, but the last of duplicate keys counts, NaN is
a number, and YAML is read as version 1.1 with its dates, booleans and aliases.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

from textgym.verifiers.documents import csv_and_xml, yaml_document
from textgym.verifiers.documents.document import (
    DocumentError,
    document_body,
    read_json,
    read_toml,
)

__all__ = ["FORMATS", "DocumentError", "DocumentFormat", "read_document", "read_json"]

DocumentFormat = Literal["json", "yaml", "toml", "csv", "xml"]
FORMATS: tuple[DocumentFormat, ...] = get_args(DocumentFormat)


def read_document(
    text: str, format: str, schema: Any = True, root: str = "record", *, lenient: bool = False
) -> Any:
    r"""Return the value of a text that is exactly one document.

    Args:
        text: The text.
        format: One of `FORMATS`.
        schema: A JSON Schema, which gives types to the leaves of CSV and XML.
        root: The name of the root element of XML. Lenient reading makes the element the only
            property of an object instead.
        lenient: Whether the text is read as NeMo Gym does.

    Raises:
        DocumentError: The text is not one document of the format.

    Example:
        >>> read_document("```yaml\nname: No\nage: 5\n```", "yaml")
        {'name': 'No', 'age': 5}
        >>> read_document("name: No\nage: 5", "yaml", lenient=True)
        {'name': False, 'age': 5}
        >>> read_document('{"name": "Ann", "name": "Bo"}', "json")
        Traceback (most recent call last):
        textgym.verifiers.documents.document.DocumentError: the key 'name' is there twice
    """
    body = document_body(text, lenient=lenient)
    if format == "json":
        return read_json(body, lenient=lenient)
    if format == "toml":
        return read_toml(body, lenient=lenient)
    if format == "yaml":
        return (yaml_document.read_leniently if lenient else yaml_document.read)(body)
    if format == "csv":
        return (csv_and_xml.read_csv_leniently if lenient else csv_and_xml.read_csv)(body, schema)
    if lenient:
        return csv_and_xml.read_xml_leniently(body, schema)
    return csv_and_xml.read_xml(body, schema, root)
