r"""Finding an answer in a model's text: after its reasoning, in a box, behind a label or in a tag.

Environments use these functions instead of parsing texts themselves; `json_reader` reads JSON.
Invariant: every function takes any text, works in linear time, and returns "", None or nothing if
the text has no answer.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from textgym.messages import split_reasoning, without_end_tokens

__all__ = [
    "ANSWER_LABEL", "AnswerLine", "Box", "after_reasoning", "answer_lines", "before_stop",
    "boxes_in", "final_number", "last_answer", "last_boxed", "last_line", "last_tagged",
    "latex_to_text", "line_spans", "tag_span",
]  # fmt: skip

_BOX = re.compile(r"\\boxed\s{0,9}\{")
_BRACES = re.compile(rf"(?P<box>{_BOX.pattern})|[{{}}]")
_MATH = re.compile(r"\$\$([^$]*)\$\$|\$(?=\S)([^$]*[^$\s\\])\$(?!\d)|\\[()\[\]]")
_LATEX = re.compile(
    r"(?P<wrapper>\\{1,2}(?:boxed|fbox|mbox|hbox|emph|underline|ensuremath|operatorname|boldsymbol|bm|pmb"
    r"|text(?:bf|rm|it|sf|tt|sc|up|md|normal)?|math(?:rm|bf|it|sf|tt|normal))\s{0,9}\{)"
    r"|(?P<space>\\(?:[ ,;:>\n]|q?quad(?![A-Za-z])\s?)|(?<=[^\W_])~(?=[^\W_]))"
    r"|(?P<switch>\\(?:!|(?:rm|bf|it|sf|tt|em|bfseries|rmfamily|sffamily|itshape|upshape|left|right"
    r"|displaystyle|textstyle|large|Large|LARGE|huge|Huge)(?![A-Za-z])\s?))"
    r"|\\(?P<escaped>[%$&#_])|(?P<comma>\{,\})|(?P<brace>[{}])|\\."
)
ANSWER_LABEL = re.compile(r"answer[*_]{0,2}\s{0,20}[:：][*_]{0,2}\s*", re.IGNORECASE)
_SEPARATOR = r"(?:,|\{,\}|\\,|[\u00a0\u2009\u202f])"
_MINUS = r"\-\u2010\u2011\u2212"
_NUMBER = re.compile(
    rf"(?:(?<![\w)\]}}])(?P<sign>[+{_MINUS}]))?(?:\\?[$£€]\s?(?P<inner>[{_MINUS}])?)?"
    r"(?<![\w.^])(?<!\^[-{(])(?<!\^[{(]-)(?<![0-9)]\*\*)(?P<number>"
    rf"(?:[0-9]{{1,3}}(?:{_SEPARATOR}[0-9]{{3}})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+)"
    r"(?P<power>[eE][-+]?[0-9]{1,4}(?!\w))?"
)
_RAISED = re.compile(
    rf"[)}}]?(?:[²³]|(?:\^|\*\*)[{{(]?[{_MINUS}]?(?:[0-9]|[a-np-zA-Z](?![a-zA-Z])))"
)
_SEPARATORS = re.compile(_SEPARATOR)
_NUMBER_WINDOW = 1_000  # characters before the last digit, searched before the whole text


def after_reasoning(text: str) -> str:
    """Return a text without its reasoning; nothing is left if a `<think>` is never closed.

    `textgym.messages.split_reasoning` defines what opens and closes reasoning. Tokens at the end
    that end a model's turn, such as `<|im_end|>`, are removed.

    Example:
        >>> after_reasoning("<think>A or B?</think>B<|im_end|>")
        'B'
        >>> after_reasoning("B <think>or is it A")
        ''
    """
    return without_end_tokens(split_reasoning(text)[1])


def before_stop(text: str, stop: Iterable[str]) -> str:
    r"""Return a text up to the first of some stop strings, as an engine would have cut it.

    Example:
        >>> before_stop("The answer is (B).\n\nQ: And next?\nA: (C)", ["\n\nQ:", "</s>"])
        'The answer is (B).'
    """
    places = [place for mark in stop if mark and (place := text.find(mark)) >= 0]
    return text[: min(places)] if places else text


def last_boxed(text: str) -> str | None:
    r"""Return the content of the last `\boxed{…}` with balanced braces; None if there is none.

    Example:
        >>> last_boxed(r"First \boxed{A}, no: \boxed{\text{B}}.")
        '\\text{B}'
        >>> last_boxed(r"It is \boxed {C} or \boxed{D")
        'C'
    """
    span = _box_span(text)
    return text[slice(*span)] if span else None


def _box_span(text: str) -> tuple[int, int] | None:
    """Return where the content of the last box begins and ends."""
    start = text.rfind("\\boxed")
    if start < 0:
        return None
    box = _BOX.match(text, start)
    if box is None:
        return _last_closed_box_span(text)
    inside = box.end()
    end = text.find("}", inside)
    if end >= 0 and text.find("{", inside, end) < 0:
        return inside, end  # the usual case: no nested braces
    depth = 0
    for brace in _BRACES.finditer(text, start):
        depth += -1 if brace.group() == "}" else 1
        if depth == 0:
            return inside, brace.start()
    return _last_closed_box_span(text)


def _last_closed_box_span(text: str) -> tuple[int, int] | None:
    boxes = boxes_in(text)
    return boxes[-1][1:] if boxes else None


class Box(NamedTuple):
    r"""A `\boxed{…}` of a text.

    Attributes:
        start: Where the command begins.
        inside: Where its content begins.
        end: Where its content ends.
    """

    start: int
    inside: int
    end: int


def boxes_in(text: str) -> list[Box]:
    r"""Return the boxes with balanced braces that hold no other such box, in order.

    Example:
        >>> boxes_in(r"\boxed{3}, \boxed{x")
        [Box(start=0, inside=7, end=8)]
    """
    open_braces: list[tuple[int, int] | None] = []  # where a box and its content begin
    boxes: list[Box] = []
    for brace in _BRACES.finditer(text):
        if brace.group() != "}":
            open_braces.append(brace.span() if brace["box"] else None)
            continue
        opening = open_braces.pop() if open_braces else None
        if opening and (not boxes or opening[0] > boxes[-1].start):
            boxes.append(Box(*opening, brace.start()))
    return boxes


def latex_to_text(text: str) -> str:
    r"""Return a text without the LaTeX that only formats it.

    Removed are `\text{…}`, `\mathbf{…}`, `\mbox{…}`, `\boxed{…}` and similar commands around a
    part, switches such as `\rm`, math delimiters in pairs (`$…$`, `\(…\)`), and the white space
    around the text. Spacing commands become spaces, and `\%` becomes `%`. All other commands stay.
    If one of those braces is never closed, the whole text stays as it is.

    Example:
        >>> latex_to_text(r"\text{ \textbf{B} }"), latex_to_text(r"$\mathrm{B}.$")
        ('B', 'B.')
        >>> latex_to_text(r"\text{carbon}\ \text{dioxide}, $\frac{1}{2}$")
        'carbon dioxide, \\frac{1}{2}'
    """
    if not ("\\" in text or "$" in text or "~" in text or "{,}" in text):
        return text.strip()
    plain = _MATH.sub(r"\1\2", text)
    parts: list[str] = []
    kept: list[bool] = []  # for each open brace, whether it stays in the text
    place = 0
    for match in _LATEX.finditer(plain):
        parts += plain[place : match.start()], _replace_latex(match, kept)
        place = match.end()
    return ("".join(parts) + plain[place:] if all(kept) else text).strip()


def _replace_latex(match: re.Match[str], kept: list[bool]) -> str:
    """Return the text for a piece of LaTeX, and update the stack of open braces."""
    kind, piece = match.lastgroup, match.group()
    if kind == "wrapper":
        kept.append(False)
    elif kind == "brace" and piece == "{":
        kept.append(True)
        return piece
    elif kind == "brace":
        return piece if not kept or kept.pop() else ""
    elif kind is None:
        return piece
    return {"escaped": piece[1:], "comma": ",", "space": " "}.get(kind, "")


class AnswerLine(NamedTuple):
    """The text behind an `Answer:` label.

    Attributes:
        before: The character before the label; "" at the start of the text.
        text: The text.
    """

    before: str
    text: str


def answer_lines(text: str) -> Iterator[AnswerLine]:
    r"""Yield the text behind each `Answer:`, up to the end of the line or the next `Answer:`.

    If nothing follows the label on its line, the next line that is not blank is taken. Texts
    without a letter or digit are left out. Markdown that opens before the label (`**Answer: B**`)
    is removed from the end of the text.

    Example:
        >>> for line in answer_lines("**Answer: C**"):
        ...     print(line)
        AnswerLine(before='*', text='C')
        >>> [line.text for line in answer_lines("Answer: A\nNo. Final answer:\nB")]
        ['A', 'B']
    """
    for label, start, end in line_spans(text):
        yield AnswerLine(text[label - 1 : label] if label else "", text[start:end])


def line_spans(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield where each `Answer:` begins, and where the text behind it begins and ends.

    See `answer_lines`.

    Example:
        >>> list(line_spans("My answer: 4"))
        [(3, 11, 12)]
    """
    label = ANSWER_LABEL.search(text)
    while label is not None:
        start, following = label.end(), ANSWER_LABEL.search(text, label.end())
        end = following.start() if following else len(text)
        line_end = text.find("\n", start, end)
        rest = text[start : line_end if line_end >= 0 else end]
        before = text[label.start() - 1 : label.start()] if label.start() else ""
        if before in ("*", "_") and before not in label.group():
            rest = rest.rstrip(" \t\r" + before)
        if any(map(str.isalnum, rest)):
            yield label.start(), start, start + len(rest)
        label = following


def last_answer(text: str) -> str | None:
    r"""Return the text behind the last `Answer:`; None if there is none. See `answer_lines`.

    Example:
        >>> last_answer("Answer: A\nNo. Final answer: **B**."), last_answer("B")
        ('**B**.', None)
    """
    last = deque(answer_lines(text), maxlen=1)
    return last[0].text if last else None


def last_line(text: str) -> str:
    r"""Return the last line that is not blank, without the white space around it.

    Example:
        >>> last_line("So it is:\n  Paris \n\n")
        'Paris'
    """
    return text.rstrip().rpartition("\n")[2].strip()


def last_tagged(text: str, tag: str) -> str | None:
    """Return the content of the last `<tag>…</tag>`; None if there is none.

    Example:
        >>> last_tagged("<answer>4</answer> no, <answer> 5 </answer> or <answer>6", "answer")
        ' 5 '
    """
    span = tag_span(text, tag)
    return text[slice(*span)] if span else None


def tag_span(text: str, tag: str) -> tuple[int, int] | None:
    """Return where the content of the last `<tag>…</tag>` begins and ends; None if there is none.

    Example:
        >>> tag_span("<b>4</b>", "b")
        (3, 4)
    """
    opening, closing = f"<{tag}>", f"</{tag}>"
    start = text.rfind(opening, 0, max(text.rfind(closing), 0))
    if start < 0:
        return None
    start += len(opening)
    return start, text.index(closing, start)


def final_number(text: str) -> str:
    r"""Return the last number of a text, written plainly like `-1234.5`; "" if there is none.

    Thousands separators are removed, LaTeX's included, and so are units, currency and per cent
    signs. A number inside a word ("H2O") or in an exponent ("42 m^2") does not count, and a text
    that ends with a power ("2^10") has none. A hyphen after a word or number is not a minus sign.

    Example:
        >>> final_number("It grew by 12%, to \\$1{,}250.50 in all."), final_number("from 5 to -3 m")
        ('1250.50', '-3')
        >>> final_number("H2O, in 10-15 minutes"), final_number("42 m^2"), final_number("2^10")
        ('15', '42', '')
    """
    last_digit = max(map(text.rfind, "0123456789"))
    if last_digit < 0:
        return ""
    near = deque(_NUMBER.finditer(text, max(0, last_digit - _NUMBER_WINDOW)), maxlen=1)
    numbers = near or deque(_NUMBER.finditer(text), maxlen=1)
    if not numbers or _RAISED.match(text, numbers[0].end()):
        return ""
    sign, inner, number, power = numbers[0].group("sign", "inner", "number", "power")
    minus = "" if (sign or inner or "+") == "+" else "-"
    zero = "0" if number.startswith(".") else ""
    return minus + zero + _SEPARATORS.sub("", number) + (power or "")
