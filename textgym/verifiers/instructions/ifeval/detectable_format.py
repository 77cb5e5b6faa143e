"""Instructions about the format of the response: Markdown, JSON and fixed answers."""

from __future__ import annotations

import json
import re
from typing import NoReturn

from textgym.verifiers.instructions.ifeval.arguments import Bound, Count, Phrase
from textgym.verifiers.instructions.ifeval.bullets import bullet_of
from textgym.verifiers.instructions.instruction import instruction

__all__ = [
    "constrained_response",
    "json_format",
    "multiple_sections",
    "number_bullet_lists",
    "number_highlighted_sections",
    "title",
]

_OPTIONS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
_FENCED = re.compile(r"(`{3,})(?:json|Json|JSON)?([^`].*)\1", re.DOTALL)
_SINGLE = re.compile(r"\*([^\n*]*)\*")
_DOUBLE = re.compile(r"\*\*([^\n*]*)\*\*")


@instruction(
    "detectable_format:number_bullet_lists",
    "Use exactly {num_bullets} bullet points in Markdown, such as:\n* One point.\n* Another point.",
)
def number_bullet_lists(text: str, *, num_bullets: Bound) -> bool:
    """A bullet is a line that starts with `*` or `-` and is no rule, signature or emphasis."""
    return sum(map(bool, map(bullet_of, text.split("\n")))) == num_bullets


@instruction(
    "detectable_format:constrained_response",
    "Answer with exactly one of these sentences: " + " ".join(f'"{option}"' for option in _OPTIONS),
)
def constrained_response(text: str) -> bool:
    """Words may stand around the sentence, but not another one of the sentences."""
    return sum(option in text for option in _OPTIONS) == 1


@instruction(
    "detectable_format:number_highlighted_sections",
    "Highlight at least {num_highlights} parts of your response in Markdown, "
    "such as *a highlighted part*.",
)
def number_highlighted_sections(text: str, *, num_highlights: Bound) -> bool:
    """Emphasis by one or two asterisks counts, as in the reference, which reads them one by one."""
    found = _SINGLE.findall(text) + _DOUBLE.findall(text)
    return sum(bool(inside.strip()) for inside in found) >= num_highlights


@instruction(
    "detectable_format:multiple_sections",
    "Divide your response into at least {num_sections} sections, each of which begins with "
    '"{section_spliter}" and its number, such as {section_spliter} 1.',
)
def multiple_sections(text: str, *, section_spliter: Phrase, num_sections: Count) -> bool:
    """The marker is case-sensitive; at most one space stands before the number."""
    return len(re.findall(rf"{re.escape(section_spliter)}\s?\d+", text)) >= num_sections


@instruction(
    "detectable_format:json_format",
    "Your whole response should be JSON; a Markdown code fence around it is allowed.",
)
def json_format(text: str) -> bool:
    """A fence is closed, and names json or nothing; NaN and infinities are not JSON."""
    fenced = _FENCED.fullmatch(text.strip())
    try:
        json.loads(
            (fenced[2] if fenced else text).strip(),
            parse_constant=_refuse,
            parse_int=len,
            parse_float=len,
        )
    except (ValueError, RecursionError):  # RecursionError: about a thousand levels or more
        return False
    return True


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


@instruction(
    "detectable_format:title",
    "Give your response a title in double angular brackets, such as <<Song of the sea>>.",
)
def title(text: str) -> bool:
    """A title is on one line and is not blank."""
    return any(_has_title(line) for line in text.split("\n"))


def _has_title(line: str) -> bool:
    start, end = line.find("<<"), line.rfind(">>")
    return 0 <= start < end and bool(line[start:end].lstrip("<").rstrip(">").strip())
