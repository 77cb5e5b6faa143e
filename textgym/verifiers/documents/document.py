"""What all readers of documents share: the error, the limits, and the code fence around a text."""

from __future__ import annotations

import re
from typing import Any

from textgym.messages import is_deeper

__all__ = ["MAX_DEPTH", "MAX_LENGTH", "DocumentError", "body_of", "check_depth"]

MAX_LENGTH = 100_000  # characters of a document
MAX_DEPTH = 100
_OPENING = re.compile(r"(?P<fence>(?P<mark>[`~])(?P=mark){2,}+)(?P<language>[^\r\n]*)\r?\n")
_LANGUAGE = re.compile(r"[\w+-]{0,20}[ \t]{0,20}")


class DocumentError(ValueError):
    """A text is not exactly one document of its format; the message says why."""


def body_of(text: str) -> str:
    r"""Return a text without white space around it and without the code fence around it, if any.

    A fence has three or more backticks or tildes. Its end has at least as many as its beginning.

    Raises:
        DocumentError: The text is empty or too long, or has more than one code fence.

    Example:
        >>> body_of('\n```json\n{"a": 1}\n```\n')
        '{"a": 1}'
        >>> body_of('~~~~\r\n"~~~"\r\n~~~~')
        '"~~~"'
        >>> body_of("```\n1\n```\n```\n2\n```")
        Traceback (most recent call last):
        textgym.verifiers.documents.document.DocumentError: there is more than one code fence
    """
    text = text.strip()
    if len(text) > MAX_LENGTH:
        raise DocumentError(f"there are more than {MAX_LENGTH} characters")
    opening = _OPENING.match(text)
    if opening and text.endswith(opening["fence"]):
        if not _LANGUAGE.fullmatch(opening["language"]):
            raise DocumentError("there is text in the line that opens the code fence")
        text = text[opening.end() :].rstrip(opening["mark"])
        if re.search(rf"^ {{0,3}}{opening['fence']}", text, re.MULTILINE):
            raise DocumentError("there is more than one code fence")
        text = text.strip("\r\n")
    if not text.strip():
        raise DocumentError("there is no document")
    return text


def check_depth(value: Any) -> Any:
    """Return a value that is not nested too deep.

    Raises:
        DocumentError: It is.
    """
    if is_deeper(value, MAX_DEPTH):
        raise DocumentError(f"it is nested over {MAX_DEPTH} levels deep")
    return value
