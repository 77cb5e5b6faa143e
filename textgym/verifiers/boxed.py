r"""The answer in the boxes of a text.

Invariants: an answer is taken whole, with the minus sign before its box, all boxes that `and`,
`or`, a comma or blanks join, and the values that `or` joins to them ("43 or `\boxed{42}`"); a box
states nothing if the text denies it ("not `\boxed{42}`"), or if it is a part of a larger expression
("`\boxed{42}` million", `x > \boxed{42}`) and does not fill a gap of an equation; any text is read
in linear time.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from textgym.verifiers.denial import (
    CONTRACTED,
    DOUBTED,
    EXCEPTED,
    FALSE,
    HEDGES,
    NEGATIONS,
    OTHER,
)
from textgym.verifiers.extract import Box, boxes_in

__all__ = ["FORMULA", "Passage", "chosen_boxes", "stated_box"]

FORMULA = re.compile(
    r"\$\$[^$]{1,2000}\$\$|\$(?=\S)[^$\n]{0,2000}?[^$\s\\]\$(?!\d)"
    r"|\\\((?:(?!\\[()])[^\\]|\\(?![()]).){1,2000}?\\\)"
    r"|\\\[(?:[^\\]|\\(?![\[\]]).){1,2000}?\\\]"
    r"|\\begin\{(?P<kind>[a-zA-Z]{4,12}\*?)\}(?:[^\\]|\\(?!begin|end)){1,2000}?\\end\{(?P=kind)\}",
    re.DOTALL,
)
"""A formula between its delimiters."""

_NEAR = 60  # characters before and behind a box that can deny it
_PARAGRAPH = 1000  # characters before a box in which its formula begins
_MAX_BETWEEN = 80  # characters between joined boxes
_MOST_JOINED = 100  # boxes in one answer; a text that only repeats boxes has thousands
_OPENING = r"(?:[\s$*_(){}\[]|\\[(\[]){0,9}"
_CLOSING = r"(?:[\s$*_)}\]]|\\[)\]]){0,9}"
_NAME = r"(?:(?<![a-zA-Z\\])[a-zA-Z](?:_\{?\w\}?)?\s?=\s?)?"
_ARE_SMALL_WORDS = (
    r"(?: (?:be|equal(?: to)?|think|believe|that|it(?:['’]s)?|is|as|given by|the|an?|my|our|final"
    rf"|correct|right|answer|number|value|option|choice)\b){{0,6}}:?{_OPENING}\Z"
)
# "The only one that is not: B" answers the question which one is not.
_ASKED_FOR = "|".join(
    rf"(?<={noun} {relative} {verb})"
    for noun in ("one", "option", "choice", "item", "statement")
    for relative in ("that", "which")
    for verb in ("is not", "does not", "isn['’]t", "doesn['’]t")
)
_DENIED = re.compile(
    rf"(?:(?:\b(?:{NEGATIONS}|cannot)|{CONTRACTED})(?! (?:correct |right )?(?:is|are)\b)"
    rf"(?!(?:{_ASKED_FOR}):)"
    rf"|\b(?:(?<!none )(?:{OTHER})|anyone but|confused with|{DOUBTED})"
    rf"|(?<!is )\b(?:{FALSE})(?=:)"
    rf"|\b(?:wrong|(?<!the )(?:incorrect|false))(?= answer\b)(?: answer would)?"
    rf"|[≠≢¬]|~~|\\(?:ne[qg]?|l?not)(?![a-zA-Z])|\\(?:x?cancel|sout)\s?\{{){_ARE_SMALL_WORDS}",
    re.IGNORECASE,
)
_EXCEPTED = re.compile(rf"\b(?:{EXCEPTED}){_ARE_SMALL_WORDS}", re.IGNORECASE)
_REJECTED = re.compile(
    rf"{_CLOSING}(?:\?\s?no\b|(?:[–—-]\s?|[(\[]|(?:is|was|are|seems|would be|must be) "
    rf"(?:\w{{1,20}}ly )?)(?:{FALSE}|ruled out)\b|(?:is|was|are)(?:n['’]t| not)"
    r" (?:(?:the|my|our) (?:(?:final|correct|right) )?answer|correct|right)\b)",
    re.IGNORECASE,
)
_OR = (
    r"[,;]? \(?(?:\\text\{ ?)?(?:and/)?(?:or|vs|versus|otherwise)(?! rather)\b\.?"
    rf"(?: (?:{HEDGES}|even|else|just|it is|it['’]s))*"
    r"(?P<about> (?:about|approximately|roughly|around|nearly))?(?: ?\}|) "
)
_VALUE = r"(?P<value>\$[^$\n]{1,60}\$|\\\([^\\\n]{1,60}\\\)|[^\s*]{0,40}[\d}](?:\\?%)?)"
_OR_BEFORE = re.compile(rf"{_VALUE}[*]{{0,3}}{_OR}{_OPENING}{_NAME}{_OPENING}\Z", re.IGNORECASE)
_OR_BEHIND = re.compile(rf"{_CLOSING}{_OR}[*(]{{0,4}}{_VALUE}", re.IGNORECASE)
_NAME_BEFORE = re.compile(rf"\b(?-i:[A-Z])[\w'’-]*[*]{{0,3}}{_OR}{_OPENING}\Z", re.IGNORECASE)
_NAME_BEHIND = re.compile(rf"{_CLOSING}{_OR}[*(]{{0,4}}(?-i:[A-Z])", re.IGNORECASE)
_LETTER_BEFORE = re.compile(rf"\b(?-i:[A-Z])[)*]{{0,4}}{_OR}{_OPENING}\Z", re.IGNORECASE)
_LETTER_BEHIND = re.compile(rf"{_NAME_BEHIND.pattern}\b(?!(?<=I) \w)", re.IGNORECASE)
_ONE_OF = re.compile(
    rf"(?:\b(?:between|one of|either)\b[^.\n]{{1,40}} (?:and|or)|\d[$)}}]{{0,3}} and"
    r"|(?:\A|[.:;,(*]|\b(?:is|are|ranges?|lies?|any(?:thing|where|one)?))\s*"
    rf"(?:at (?:least|most)|up to|from [^.\n]{{1,20}} to)[*_]{{0,3}}) {_OPENING}\Z",
    re.IGNORECASE,
)
_LIST_BEFORE = re.compile(r"(?:[(\[]|\\\{)[-\d\s,;.$\\]*\d[$\s]{0,3}[,;]\s{0,3}\$?\s?\Z")
_LIST_BEHIND = re.compile(r"[\s$}]{0,5}[,;][-\d\s,;.$\\]*\d[\d\s,;.$\\}]{0,60}?[)\]}]")
# Within a formula, any operator or factor beside a box makes it a part.
_GAP = r"(?:[ \t]|\\[,;:! ]|\\left(?![a-z])|[{(])*"
_COMMAND_OPERATORS = (
    r"\\(?:cdot|times|div|pm|mp|leq?(?:slant)?|geq?(?:slant)?|lt|gt|sqrt(?:\[\d\])?|[dt]?frac"
    r"(?:\{[^{}]{0,60}\})?|log|ln|sin|cos|tan|lfloor|lceil)(?![a-zA-Z])"
)
_OPERATOR_BEFORE = re.compile(
    rf"(?:(?<!\*)\*(?!\*)|[+/^_<>≤≥×·÷|±]|{_COMMAND_OPERATORS}){_GAP}\Z"
    r"|(?:[\d)]|(?<![a-zA-Z\\])[a-zA-Z])[ \t]*[-−][ \t]*\Z|[-−]\(\Z"
    r"|(?:\d|(?<![a-zA-Z\\])[a-zA-Z])(?:[ \t]|\\[,;:! ]|\()*\Z"
)
_OPERATOR_BEHIND = re.compile(
    rf"(?:\s|\\[,;:! ]|[}})]|\\right(?![a-z]))*(?:(?<!\*)\*(?!\*)|[-+_<>≤≥×·÷|±!−\d]"
    rf"|\^(?!\s?\{{?\s?\\circ)|/(?!\s?(?:\\text|\\mathrm|[a-zA-Z]{{2}}))|\.\d|:\d"
    rf"|(?<=\}})\((?=[\w-])|[ixyznk](?![a-zA-Z])|\\pi(?![a-zA-Z])|{_COMMAND_OPERATORS})"
)
# Outside of formulas, only words and signs that nothing else uses do: "-" may begin a list.
_PART_BEFORE = re.compile(
    r"(?:\b(?:half|twice|double|triple|thrice|times|plus|(?:more|less|greater|smaller|larger|bigger"
    r"|fewer) than"
    r"|(?:root|logarithm|multiple|divisor|factor|reciprocal|inverse|square|cube|negative|opposite"
    r"|half|third|quarter) of)"
    rf"(?: the)? {_OPENING}|(?<![<\w/])[a-zA-Z]\s?>=?\s?|[\d)}}]\s?[+/]\s?|\d \* |\d"
    rf"|[<≤≥×·÷^]\s?\{{?|{_COMMAND_OPERATORS}\s?\{{?)\Z",
    re.IGNORECASE,
)
_PART_BEHIND = re.compile(
    rf"{_CLOSING}(?:\\text\{{)? ?(?:(?:hundred|thousand|million|billion|trillion|dozen|squared"
    r"|cubed|factorial|or (?:more|fewer|less|greater|higher|lower|above|below|up)"
    r"|divided by|multiplied by|raised to)\b"
    r"|(?:plus|minus|times|choose) [$\\(]{0,3}\d)"
    r"|\d|\.\d|:\d|-\d|\+(?=[\s.,!)]|\Z)|\s?[/*+^×·÷]\s?(?:\d|\$?\\boxed)"
    rf"|\s?{_COMMAND_OPERATORS}|\\pi(?![a-zA-Z])",
    re.IGNORECASE,
)
_EQUATION = re.compile(r"[^.\n]{0,40}=")
_SIGN = re.compile(
    r"(?:\b(?i:minus|negative)\s|(?:\A|[\s(\[{$,>≈*]|\\[(\[])[-−]|(?:=|\$|\\[(\[])\s{0,9}[-−]\s?)"
    r"(?:\$\s?|\\[(\[,;! ])?\Z"
)
_PERCENT = re.compile(r"[$\s]{0,9}\\?%")
_DELIMITER = re.compile(r"\\?\$|\\[()]")
_DECORATION = re.compile(r"\\(?:text|mbox|mathrm|q?quad|[()\[\],;:! ])|[$*_{}\s]")
_NAMED = re.compile(r"(?<![a-zA-Z\\])[a-zA-Z]\s?=\s?\Z")
_CONNECTIVES = {
    "": ",", "&": ",", "and": "and", "or": "or", "and/or": "or", "otherwise": "or", "orelse": "or",
    "else": "or", "vs": "or", "vs.": "or", "versus": "or", "to": "or",
}  # fmt: skip
_TERMS = re.compile(r"[-+−±,;=<>]|\b(?:and|or)\b")


class Passage(NamedTuple):
    """An answer in a text.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        text: The answer, with what belongs to it outside of this passage, such as a sign.
    """

    start: int
    end: int
    text: str


def stated_box(text: str) -> Passage | None:
    r"""Return the answer in the last box, or the last boxes if they are joined; None if none.

    Example:
        >>> stated_box(r"It is $-\boxed{42}$.").text, stated_box(r"\boxed{2} and \boxed{3}").text
        ('-42', '2 , 3')
        >>> stated_box(r"43 or \boxed{42}").text, stated_box(r"$\boxed{42}/2$")
        ('43 or 42', None)
    """
    boxes = boxes_in(text)
    while boxes:
        last = boxes[-1]
        first, answer = _joined(text, boxes)
        if _is_answer(text, first, last):
            answer = _with_others(text, first, last, answer)
            percent = "\\%" if _PERCENT.match(text, last.end + 1) else ""
            return Passage(first.inside, last.end, answer + percent)
    return None


def chosen_boxes(text: str) -> list[str]:
    r"""Return the contents of the last boxes that may choose an option, several if joined.

    The question may ask for an exception, so "all except `\boxed{B}`" is an answer.

    Example:
        >>> chosen_boxes(r"Not \boxed{A} but \boxed{B}"), chosen_boxes(r"\boxed{A} or \boxed{B}")
        (['B'], ['A', 'B'])
        >>> chosen_boxes(r"\boxed{B} (or A)"), chosen_boxes(r"\boxed{B}. Wrong: \boxed{A}")
        ([], ['B'])
    """
    boxes = boxes_in(text)
    found = tuple(boxes)
    while boxes:
        end = len(boxes)
        first, _ = _joined(text, boxes)
        last = found[end - 1]
        if not _is_denied(text, first, last) and not _has_other_letter(text, first, last):
            return [text[box.inside : box.end] for box in found[len(boxes) : end]]
    return []


def _joined(text: str, boxes: list[Box]) -> tuple[Box, str]:
    """Remove the last box and those joined to it; return the first of them, and their answer."""
    least = max(0, len(boxes) - _MOST_JOINED)
    first = boxes.pop()
    start, answer = _signed(text, first)
    answers, connective = [answer], ","
    while len(boxes) > least and start - boxes[-1].end < _MAX_BETWEEN:
        name, between = _name_before(text, start), text[boxes[-1].end + 1 : start]
        between = _DECORATION.sub("", between.rstrip().removesuffix(name))
        word = _CONNECTIVES.get(between.lower().lstrip(",;"))
        if word is None or _is_denied(text, boxes[-1], boxes[-1]):
            break
        start, answer = _signed(text, boxes[-1])
        if name and word != "or" and name != _name_before(text, start):
            break  # "x = 2, y = 3"
        first = boxes.pop()
        if word or answer != answers[-1]:
            answers.append(answer)
        connective = "or" if "or" in (word, connective) else connective
    return first, f" {connective} ".join(reversed(answers))


def _with_others(text: str, first: Box, last: Box, answer: str) -> str:
    """Return an answer with the values that `or` joins to its boxes."""
    before = _OR_BEFORE.search(text, max(0, first.start - _NEAR), first.start)
    behind = _OR_BEHIND.match(text, last.end + 1)
    if before is not None:
        answer = _joint(before).join([_DELIMITER.sub("", before["value"]), answer])
    if behind is not None:
        answer = _joint(behind).join([answer, _DELIMITER.sub("", behind["value"])])
    return answer


def _joint(match: re.Match[str]) -> str:
    """Return what joins a value to a box: `42 or about 43` is one value and its rounding."""
    return " \\approx " if match["about"] else " or "


def _name_before(text: str, place: int) -> str:
    """Return the name that an equation gives to what follows it; "" if there is none."""
    name = _NAMED.search(text, max(0, place - _NEAR), place)
    return name[0].rstrip() if name else ""


def _signed(text: str, box: Box) -> tuple[int, str]:
    """Return where a box begins, and its content, both with the minus sign before it."""
    content = text[box.inside : box.end]
    sign = _SIGN.search(text, max(0, box.start - _NEAR), box.start)
    if sign is None:
        return box.start, content
    return sign.start(), f"-({content})" if _TERMS.search(content) else f"-{content}"


def _is_answer(text: str, first: Box, last: Box) -> bool:
    """Return whether joined boxes are an answer: not denied, and no part of an expression."""
    before, behind = text[max(0, first.start - _NEAR) : first.start], text[last.end + 1 :][:_NEAR]
    is_name = re.search(r"\d", text[last.inside : last.end]) is None
    return not (
        _is_denied(text, first, last)
        or _EXCEPTED.search(before)
        or (is_name and (_NAME_BEFORE.search(before) or _NAME_BEHIND.match(behind)))
        or _ONE_OF.search(before)
        or _LIST_BEFORE.search(before)
        or _LIST_BEHIND.match(behind)
        or _is_part(text, first, last)
    )


def _is_denied(text: str, first: Box, last: Box) -> bool:
    before, behind = max(0, first.start - _NEAR), last.end + 1
    return bool(_DENIED.search(text, before, first.start) or _REJECTED.match(text, behind))


def _has_other_letter(text: str, first: Box, last: Box) -> bool:
    before = _LETTER_BEFORE.search(text, max(0, first.start - _NEAR), first.start)
    return bool(before or _LETTER_BEHIND.match(text, last.end + 1))


def _is_part(text: str, first: Box, last: Box) -> bool:
    """Return whether boxes are a part of a larger expression, and do not fill a gap of one."""
    behind = last.end + 1
    is_part = _PART_BEFORE.search(text, max(0, first.start - _NEAR), first.start)
    if is_part or _PART_BEHIND.match(text, behind):
        return _EQUATION.match(text, behind) is None
    formula = _formula_around(text, first)
    if formula is None or text[first.inside : first.end].lstrip().startswith("="):
        return False
    is_joined = _OPERATOR_BEFORE.search(
        text, formula.start(), first.start
    ) or _OPERATOR_BEHIND.match(text, behind, formula.end())
    return bool(is_joined) and text.find("=", behind, formula.end()) < 0


def _formula_around(text: str, box: Box) -> re.Match[str] | None:
    paragraph = max(text.rfind("\n\n", 0, box.start), box.start - _PARAGRAPH, 0)
    for formula in FORMULA.finditer(text, paragraph):
        if formula.end() > box.start:
            return formula if formula.start() < box.start else None
    return None
