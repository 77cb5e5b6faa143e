r"""Faults of encoding in the texts of a row.

Invariants: letters, signs and joiners of every script pass, as do tabs and line ends; an unbalanced
`$` is not a fault; each kind of fault is reported once for a text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["text_faults", "values_in"]

_HIGH = "".join(bytes([byte]).decode("cp1252", "ignore") for byte in range(0x80, 0xA0))
_BYTE = f"[\x80-\xbf{_HIGH}]"  # a byte after the first of a character
_RARE = f"(?![“”‘’–—…»]){_BYTE}"  # the mark does not follow letters in ordinary texts

# Characters of UTF-8 that were read as Latin-1 or Windows-1252. Only sequences that nobody writes:
# Ã before a quotation mark ends a Portuguese word, É before a dash a French one.
_MOJIBAKE = re.compile(
    rf"[ÂÃ]{_RARE}|(?<![A-ZÀ-Þ])Ã{_BYTE}|[ÄÅ](?![\xa0²³°±·]){_RARE}|(?:[ÎÏÐÑ]{_RARE}){{2,}}"
    rf"|â{_RARE}{_BYTE}|(?:[ã-é]{_RARE}{_BYTE}){{2,}}|ï»¿|ï[¬¼]{_BYTE}|ð[Ÿ\x9f]{_BYTE}{_BYTE}"
)
_ESCAPED = re.compile(  # LaTeX whose backslash and first letter were read as an escape
    r"\x0c(?:rac|orall|lat|box)|\x08[a-z]{2}|\t(?:heta|imes|ext\{|frac|riangle)"
    r"|\r(?:ho\b|ight|angle)"
)
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{2,5}|#x[0-9a-f]{2,5});", re.IGNORECASE)
_SUSPECT = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u2060\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffd"
    "Â-ÅÎ-Ñâã-éïð]"
)
_REST = (
    ("encoding_nul", "NUL", re.compile("\x00")),
    (
        "encoding_control",
        "a control character",
        re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"),
    ),
    ("encoding_surrogate", "half of a surrogate pair", re.compile("[\ud800-\udfff]")),
    ("encoding_bom", "a byte-order mark", re.compile("\ufeff")),
    (
        "encoding_invisible",
        "an invisible character",
        re.compile("[\u200b\u2060\u202a-\u202e\u2066-\u2069]"),
    ),
    ("encoding_replacement", "the replacement character", re.compile("\ufffd")),
)
_AROUND = 12  # characters that are shown on both sides


def text_faults(text: str) -> Iterator[tuple[str, str]]:
    r"""Yield the kind of each fault of a text, and what and where it is.

    Args:
        text: The text.

    Example:
        >>> list(text_faults("A cafÃ© in Ã…lesund"))
        [('encoding_mojibake', "has 'Ã©' in 'A cafÃ© in Ã…lesund', for 'é'")]
        >>> list(text_faults("$\theta$ costs £5")) # doctest: +ELLIPSIS
        [('encoding_escape', "has '\\theta' in '$\\theta$ costs £5', ...
        >>> list(text_faults("«É» — ÂGE, 東京, 👩‍🔬, \\frac{1}{2} and $ unbalanced"))
        []
    """
    entity = _ENTITY.search(text) if "&" in text else None
    if entity:
        yield "encoding_entity", f"has {_shown(text, entity)}, for {html.unescape(entity[0])!r}"
    if not _SUSPECT.search(text):
        return
    for match in _MOJIBAKE.finditer(text):
        meant = _decoded(match[0])
        if meant:
            yield "encoding_mojibake", f"has {_shown(text, match)}, for {meant!r}"
            break
    for match in _ESCAPED.finditer(text):
        yield "encoding_escape", f"has {_shown(text, match)}, for {_unescaped(match[0])!r}"
        break
    rest = _ESCAPED.sub("", _MOJIBAKE.sub("", text))
    for kind, what, pattern in _REST:
        found = pattern.search(rest)
        if found:
            yield kind, f"has {what}: {_shown(rest, found)}"


def _decoded(text: str) -> str:
    """Return what the bytes of mojibake mean in UTF-8; "" if they mean nothing."""
    data = b"".join(
        bytes([ord(char)]) if ord(char) < 0x100 else char.encode("cp1252") for char in text
    )
    return data.decode("utf-8", "ignore") if _is_utf8(data) else ""


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _unescaped(text: str) -> str:
    return {"\x0c": "\\f", "\x08": "\\b", "\t": "\\t", "\r": "\\r"}[text[0]] + text[1:]


def _shown(text: str, match: re.Match[str]) -> str:
    start, end = match.span()
    return f"{match[0]!r} in {text[max(0, start - _AROUND) : end + _AROUND]!r}"


def values_in(row: Mapping[str, Any]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the values of a row that are not lists or objects, with their paths, keys included.

    Args:
        row: The row, which may be nested to any depth.

    Example:
        >>> list(values_in({"question": "?", "options": [{"A": "tea"}]}))
        [(('question',), '?'), (('options', 0, 'A'), 'tea')]
    """
    left: list[tuple[tuple[Any, ...], Any]] = [((name,), row[name]) for name in reversed([*row])]
    while left:
        path, value = left.pop()
        if isinstance(value, dict):
            left += [((*path, name), value[name]) for name in reversed(value)]
        elif isinstance(value, (list, tuple)):
            left += [((*path, place), value[place]) for place in reversed(range(len(value)))]
        else:
            yield path, value
