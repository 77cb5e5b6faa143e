"""YAML, read strictly as version 1.2 or leniently as version 1.1.

The strict reader has the core schema, so that `No` and dates are strings. It refuses what makes a
text ambiguous: duplicate keys, several documents, anchors, aliases, tags and merge keys. It also
refuses infinity and NaN.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Any

from textgym.verifiers.documents.document import MAX_DEPTH, DocumentError, finite

__all__ = ["read", "read_leniently"]

_MAX_NODES = 100_000  # of a lenient document with all aliases expanded
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False,
             "FALSE": False}  # fmt: skip
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


def read(text: str) -> Any:
    r"""Return the value of a YAML document.

    Raises:
        DocumentError: The text is not one YAML document, or has something that is refused.

    Example:
        >>> read("name: No\nborn: 2031-05-03\ntags: [a, 1]")
        {'name': 'No', 'born': '2031-05-03', 'tags': ['a', 1]}
        >>> read("a: &x 1\nb: *x")
        Traceback (most recent call last):
        textgym.verifiers.documents.document.DocumentError: anchors are not accepted
    """
    import yaml

    builder = _Builder()
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for event in yaml.parse(textwrap.dedent(text), Loader=loader):
            builder.add(event)
    except DocumentError:
        raise
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise DocumentError(f"it is not YAML: {' '.join(str(error).split())[:100]}") from None
    if not builder.documents:
        raise DocumentError("there is no document")
    return builder.value


class _Builder:
    """Builds the value of a document from a parser's events.

    Attributes:
        value: The value, when all events have been added.
        documents: The number of documents that have begun.
    """

    def __init__(self) -> None:
        self.value: Any = None
        self.documents = 0
        self._open: list[Any] = []  # the containers that have not ended, outermost first
        self._keys: list[str | None] = []  # for each of them, the key whose value comes next

    def add(self, event: Any) -> None:
        kind = type(event).__name__
        if kind == "DocumentStartEvent":
            self.documents += 1
            if self.documents > 1:
                raise DocumentError("there is more than one document")
        elif kind == "AliasEvent":
            raise DocumentError("aliases are not accepted")
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            _check_plain(event)
            self._begin({} if kind == "MappingStartEvent" else [])
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            self._keys.pop()
            self._add_value(self._open.pop())
        elif kind == "ScalarEvent":
            _check_plain(event)
            value = _scalar(event.value) if event.implicit[0] else event.value
            if self._open and isinstance(self._open[-1], dict) and self._keys[-1] is None:
                self._add_key(value)
            else:
                self._add_value(value)

    def _begin(self, container: Any) -> None:
        if len(self._open) == MAX_DEPTH:
            raise DocumentError(f"it is nested over {MAX_DEPTH} levels deep")
        if self._open and isinstance(self._open[-1], dict) and self._keys[-1] is None:
            raise DocumentError("a key is not a string")
        self._open.append(container)
        self._keys.append(None)

    def _add_key(self, key: Any) -> None:
        if not isinstance(key, str) or key == "<<":
            raise DocumentError(f"{str(key)[:50]!r} is not accepted as a key")
        if key in self._open[-1]:
            raise DocumentError(f"the key {key[:50]!r} is there twice")
        self._keys[-1] = key

    def _add_value(self, value: Any) -> None:
        if not self._open:
            self.value = value
        elif isinstance(self._open[-1], list):
            self._open[-1].append(value)
        else:
            self._open[-1][self._keys[-1]] = value
            self._keys[-1] = None


def _check_plain(event: Any) -> None:
    if event.anchor is not None:
        raise DocumentError("anchors are not accepted")
    if event.tag is not None:
        raise DocumentError("tags are not accepted")


def _scalar(text: str) -> Any:
    """Return the value of an unquoted scalar."""
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INTEGER.fullmatch(text):
        return int(text, 0) if text[1:2] in ("o", "x") else int(text)
    if _FLOAT.fullmatch(text):
        return finite(text)
    if _NOT_FINITE.fullmatch(text):
        raise DocumentError(f"the number {text} is not finite")
    return text


def read_leniently(text: str) -> Any:
    r"""Return the value of a YAML 1.1 document, in which the last of duplicate keys counts.

    Raises:
        DocumentError: The text is not one YAML document, contains itself or is too large.

    Example:
        >>> read_leniently("a: &x No\nb: *x")
        {'a': False, 'b': False}
    """
    import yaml

    try:
        _check_size(yaml.parse(text, Loader=yaml.SafeLoader))
        return yaml.safe_load(text)
    except DocumentError:
        raise
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise DocumentError(f"it is not YAML: {' '.join(str(error).split())[:100]}") from None
    except (TypeError, AttributeError, KeyError, OverflowError) as error:
        raise DocumentError(f"a value cannot be read: {str(error)[:100]}") from None


def _check_size(events: Iterator[Any]) -> None:
    """Refuse documents that are deep, or large with all aliases expanded."""
    sizes: dict[str, int] = {}  # nodes, by anchor
    open_nodes: list[tuple[str | None, int]] = []  # anchors, with the number of nodes before them
    total = 0
    for event in events:
        kind = type(event).__name__
        if kind == "AliasEvent":
            if event.anchor in (anchor for anchor, _ in open_nodes):
                raise DocumentError("a value contains itself")
            total += sizes.get(event.anchor, 0)
        elif kind == "ScalarEvent":
            total += 1
            if event.anchor:
                sizes[event.anchor] = 1
        elif kind.endswith("StartEvent") and hasattr(event, "anchor"):
            open_nodes.append((event.anchor, total))
            total += 1
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            anchor, before = open_nodes.pop()
            if anchor:
                sizes[anchor] = total - before
        if total > _MAX_NODES:
            raise DocumentError(f"there are more than {_MAX_NODES} values")
        if len(open_nodes) > MAX_DEPTH:
            raise DocumentError(f"it is nested over {MAX_DEPTH} levels deep")
