r"""Reading JSON in a model's text.

A list or object may be surrounded by words, in a code fence, or inside broken JSON. Invariants:

- JSON is read strictly and never repaired: no trailing commas, no NaN, no single quotes. The only
  exception, on request, is line breaks and tabs within strings.
- Only the last million characters and values of up to 100 levels are read.
- Every function accepts any text and takes linear time.
"""

from __future__ import annotations

import json
import math
import re
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["json_values", "last_json"]

_MAX_DEPTH = 100
_MAX_LENGTH = 1_000_000
_OPENING = re.compile(r"[\[{]")
_TOKEN, _TOKEN_WITH_BREAKS = (
    re.compile(
        r"[ \t\r\n]*+(?:(?P<mark>[\[\]{}:,])|(?P<word>true|false|null)"
        r"|(?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)"
        rf"|(?P<string>\"{plain}*+(?:\\(?:[\"\\/bfnrt]|u[0-9a-fA-F]{{4}}){plain}*+)*+\"))"
    )
    for plain in (r"[^\"\\\x00-\x1f]", r"[^\"\\\x00-\x08\x0b\x0c\x0e-\x1f]")
)


def last_json(
    text: str, accept: Callable[[Any], bool] = lambda value: True, *, raw_breaks: bool = False
) -> Any:
    r"""Return the JSON list or object that ends last; None if there is none.

    Args:
        text: The text.
        accept: Returns whether a value counts.
        raw_breaks: Whether strings may contain line breaks and tabs. JSON does not allow them, but
            many models write them.

    Example:
        >>> last_json('Here: {"a": [1, 2]}. Not [this] one.')
        {'a': [1, 2]}
        >>> last_json('{"a": [1, 2], oops', lambda value: isinstance(value, list))
        [1, 2]
        >>> last_json('{"a": "one\ntwo"}', raw_breaks=True)
        {'a': 'one\ntwo'}
    """
    values = json_values(text, raw_breaks=raw_breaks)
    return next(iter(deque(filter(accept, values), maxlen=1)), None)


def json_values(text: str, *, raw_breaks: bool = False) -> Iterator[Any]:
    """Yield each JSON list and object of a text, in the order of their ends.

    Inner values are yielded, too, before the value that contains them.

    Args:
        text: The text.
        raw_breaks: Whether strings may contain line breaks and tabs.

    Example:
        >>> list(json_values('[1] and {"a": [true, {}]} and [2,]'))
        [[1], {}, [True, {}], {'a': [True, {}]}]
    """
    stack: list[_Container] = []
    start = max(0, len(text) - _MAX_LENGTH)
    while True:
        if not stack:
            opening = _OPENING.search(text, start)
            if opening is None:
                return
            start = opening.start()
        token = _TOKEN_WITH_BREAKS.match(text, start) if raw_breaks else _TOKEN.match(text, start)
        if token is not None and _accept_token(stack, token):
            start = token.end()
            if stack and stack[-1].is_closed:
                value = stack.pop().value
                if stack:
                    stack[-1].add(value)
                yield value
        else:  # the open containers are not JSON, but a string in them may contain JSON
            start = token.start(token.lastgroup or 0) if token else start
            may_open = bool(stack) and text[start : start + 1] in ("[", "{")
            start += not may_open
            stack.clear()


class _Container:
    """A list or object that is being read.

    Attributes:
        value: Its content so far.
        expects: What may come next: any of `]`, `}`, `:`, `,`, `v` (a value) and `k` (a key).
        is_closed: Whether its closing bracket has been read.
    """

    __slots__ = ("expects", "is_closed", "key", "value")

    def __init__(self, mark: str) -> None:
        self.value: Any = [] if mark == "[" else {}
        self.expects = "v]" if mark == "[" else "k}"
        self.key = ""
        self.is_closed = False

    def add(self, value: Any) -> None:
        if isinstance(self.value, list):
            self.value.append(value)
            self.expects = ",]"
        else:
            self.value[self.key] = value
            self.expects = ",}"


def _accept_token(stack: list[_Container], token: re.Match[str]) -> bool:
    """Add the next token to the innermost container. Return whether it is allowed there."""
    mark, innermost = token["mark"], stack[-1] if stack else None
    if mark in ("[", "{"):
        if (innermost and "v" not in innermost.expects) or len(stack) >= _MAX_DEPTH:
            return False
        stack.append(_Container(mark))
        return True
    if innermost is None:
        return False
    if mark:
        if mark not in innermost.expects:
            return False
        innermost.is_closed = mark in "]}"
        innermost.expects = "v" if mark == ":" or isinstance(innermost.value, list) else "k"
        return True
    expected = "k" if token["string"] and "k" in innermost.expects else "v"
    if expected not in innermost.expects:
        return False
    literal = token[token.lastgroup or 0]
    plain = literal[0] == '"' and "\\" not in literal
    try:
        value = literal[1:-1] if plain else json.loads(literal, strict=False)
    except ValueError:  # a number of thousands of digits
        return False
    if expected == "k":
        innermost.key, innermost.expects = value, ":"
        return True
    if isinstance(value, float) and not math.isfinite(value):
        return False
    innermost.add(value)
    return True
