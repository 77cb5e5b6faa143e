r"""Finding an answer in a model's text; environments use these and none parses on its own.

Every function takes any text, works in linear time, and returns "" or nothing where there is no
answer.
"""

from __future__ import annotations

import json
import math
import re
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from textgym.messages import split_reasoning

__all__ = [
    "after_reasoning",
    "answer_lines",
    "final_number",
    "json_values",
    "last_boxed",
    "last_json",
    "last_line",
    "last_tagged",
    "latex_to_text",
]

_BOX = re.compile(r"\\boxed\s{0,9}\{")
_BRACES = re.compile(rf"(?P<box>{_BOX.pattern})|[{{}}]")
_MATH = re.compile(r"\$\$([^$]*)\$\$|\$(?=\S)([^$]*[^$\s\\])\$(?!\d)|\\[()\[\]]")
_LATEX = re.compile(
    r"(?P<wrapper>\\{1,2}(?:boxed|fbox|mbox|hbox|emph|underline|ensuremath|operatorname|boldsymbol|bm|pmb"
    r"|text(?:bf|rm|it|sf|tt|sc|up|md|normal)?|math(?:rm|bf|it|sf|tt|normal))\s{0,9}\{)"
    r"|(?P<blank>\\(?:[ ,;:>\n]|q?quad(?![A-Za-z])\s?)|(?<=[^\W_])~(?=[^\W_]))"
    r"|(?P<switch>\\(?:!|(?:rm|bf|it|sf|tt|em|bfseries|rmfamily|sffamily|itshape|upshape|left|right"
    r"|displaystyle|textstyle|large|Large|LARGE|huge|Huge)(?![A-Za-z])\s?))"
    r"|\\(?P<escaped>[%$&#_])|(?P<comma>\{,\})|(?P<brace>[{}])|\\."
)
_ANSWER = re.compile(r"answer[*_]{0,2}\s{0,20}[:：][*_]{0,2}\s*", re.IGNORECASE)
_SEPARATOR = r"(?:,|\{,\}|\\,|[\u00a0\u2009\u202f])"
_NUMBER = re.compile(
    r"(?:(?<![\w)\]}])(?P<sign>[-+\u2212]))?(?:\\?[$£€]\s?(?P<inner>[-\u2212])?)?(?<![\w.])(?P<number>"
    rf"(?:[0-9]{{1,3}}(?:{_SEPARATOR}[0-9]{{3}})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+)"
    r"(?P<power>[eE][-+]?[0-9]{1,4}(?!\w))?"
)
_SEPARATORS = re.compile(_SEPARATOR)
_NEAR = 1_000  # characters before the last digit in which the final number nearly always begins
_OPENING = re.compile(r"[\[{]")
_TOKEN = re.compile(
    r"[ \t\r\n]*+(?:(?P<mark>[\[\]{}:,])|(?P<word>true|false|null)"
    r"|(?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)"
    r"|(?P<text>\"[^\"\\\x00-\x1f]*+(?:\\(?:[\"\\/bfnrt]|u[0-9a-fA-F]{4})[^\"\\\x00-\x1f]*+)*+\"))"
)
_MOST_DEEP = 100
_READ = 1_000_000


def after_reasoning(text: str) -> str:
    """Return a text without its reasoning; a `<think>` that is never closed leaves nothing.

    `textgym.messages.split_reasoning` says what opens and closes reasoning.

    Example:
        >>> after_reasoning("<think>A or B?</think>B")
        'B'
        >>> after_reasoning("B <think>or is it A")
        ''
    """
    return split_reasoning(text)[1]


def last_boxed(text: str) -> str | None:
    r"""Return the content of the last `\boxed{…}` whose braces are balanced; None without one.

    Example:
        >>> last_boxed(r"First \boxed{A}, no: \boxed{\text{B}}.")
        '\\text{B}'
        >>> last_boxed(r"It is \boxed {C} or \boxed{D")
        'C'
    """
    start = text.rfind("\\boxed")
    if start < 0:
        return None
    box = _BOX.match(text, start)
    if box is None:
        return _last_closed_box(text)
    inside = box.end()
    end = text.find("}", inside)
    if end >= 0 and text.find("{", inside, end) < 0:
        return text[inside:end]  # nearly always: nothing is nested
    depth = 0
    for brace in _BRACES.finditer(text, start):
        depth += -1 if brace.group() == "}" else 1
        if depth == 0:
            return text[inside : brace.start()]
    return _last_closed_box(text)


def _last_closed_box(text: str) -> str | None:
    open_braces: list[int] = []  # where a box's content begins; -1 for a plain brace
    best: tuple[int, int] | None = None
    for brace in _BRACES.finditer(text):
        if brace.group() != "}":
            open_braces.append(brace.end() if brace["box"] else -1)
        elif open_braces:
            start = open_braces.pop()
            if start >= 0 and (best is None or start > best[0]):
                best = (start, brace.start())
    return text[best[0] : best[1]] if best else None


def latex_to_text(text: str) -> str:
    r"""Return a text without the LaTeX that only marks it up.

    What goes: `\text{…}`, `\mathbf{…}`, `\mbox{…}`, `\boxed{…}` and their like around a part,
    switches such as `\rm`, signs of mathematics in pairs (`$…$`, `\(…\)`), and the blanks around
    the text. Spacing commands become blanks and `\%` a `%`. All other commands stay, and so does a
    text in which one of those braces is never closed.

    Example:
        >>> latex_to_text(r"\text{ \textbf{B} }"), latex_to_text(r"$\mathrm{B}.$")
        ('B', 'B.')
        >>> latex_to_text(r"\text{carbon}\ \text{dioxide}, $\frac{1}{2}$")
        'carbon dioxide, \\frac{1}{2}'
    """
    if not any(mark in text for mark in ("\\", "$", "~", "{,}")):
        return text.strip()
    plain = _MATH.sub(r"\1\2", text)
    parts: list[str] = []
    kept: list[bool] = []  # of the open braces
    place = 0
    for found in _LATEX.finditer(plain):
        parts += plain[place : found.start()], _shown(found, kept)
        place = found.end()
    return ("".join(parts) + plain[place:] if all(kept) else text).strip()


def _shown(found: re.Match[str], kept: list[bool]) -> str:
    """Return what is left of a piece of LaTeX; `kept` tells which open braces stay."""
    kind, piece = found.lastgroup, found.group()
    if kind == "wrapper":
        kept.append(False)
    elif kind == "brace" and piece == "{":
        kept.append(True)
        return piece
    elif kind == "brace":
        return piece if not kept or kept.pop() else ""
    elif kind is None:
        return piece
    return {"escaped": piece[1:], "comma": ",", "blank": " "}.get(kind, "")


def answer_lines(text: str) -> Iterator[tuple[str, str]]:
    r"""Give what stands after each `Answer:` on its line, with the character before that word.

    A second `Answer:` on the line ends what stands after the first. Where nothing follows on the
    line, the next line that has text is given. What holds no letter and no digit is left out, and
    so is markup that began before the word.

    Example:
        >>> list(answer_lines("**Answer:** C")), list(answer_lines("**Answer: C**"))
        ([('*', 'C')], [('*', 'C')])
        >>> list(answer_lines("Answer: A\nNo. Final answer:\nB"))
        [('', 'A'), (' ', 'B')]
    """
    label = _ANSWER.search(text)
    while label is not None:
        start, following = label.end(), _ANSWER.search(text, label.end())
        end = following.start() if following else len(text)
        line_end = text.find("\n", start, end)
        rest = text[start : line_end if line_end >= 0 else end]
        before = text[label.start() - 1 : label.start()] if label.start() else ""
        if before in ("*", "_") and before not in label.group():
            rest = rest.rstrip(" \t\r" + before)
        if any(map(str.isalnum, rest)):
            yield before, rest
        label = following


def last_line(text: str) -> str:
    r"""Return the last line that is not blank, without blanks around it.

    Example:
        >>> last_line("So it is:\n  Paris \n\n")
        'Paris'
    """
    return text.rstrip().rpartition("\n")[2].strip()


def last_tagged(text: str, tag: str) -> str | None:
    """Return what stands in the last `<tag>…</tag>`; None without one.

    Example:
        >>> last_tagged("<answer>4</answer> no, <answer> 5 </answer> or <answer>6", "answer")
        ' 5 '
    """
    opening, closing = f"<{tag}>", f"</{tag}>"
    start = text.rfind(opening, 0, max(text.rfind(closing), 0))
    if start < 0:
        return None
    start += len(opening)
    return text[start : text.index(closing, start)]


def final_number(text: str) -> str:
    r"""Return the last number of a text, as a plain one: `-1234.5`; "" without one.

    Thousands separators go, LaTeX's too; a unit, currency or per cent sign beside it is left out,
    and so is a number that is part of a word. A hyphen behind a word or number is no sign.

    Example:
        >>> final_number("It grew by 12%, to \\$1{,}250.50 in all."), final_number("from 5 to -3 m")
        ('1250.50', '-3')
        >>> final_number("H2O, in 10-15 minutes"), final_number("nothing")
        ('15', '')
    """
    last_digit = max(map(text.rfind, "0123456789"))
    if last_digit < 0:
        return ""
    near = deque(_NUMBER.finditer(text, max(0, last_digit - _NEAR)), maxlen=1)
    found = near or deque(_NUMBER.finditer(text), maxlen=1)
    if not found:
        return ""
    sign, inner, number, power = found[0].group("sign", "inner", "number", "power")
    minus = "-" if (sign or inner or "+") in "-\u2212" else ""
    zero = "0" if number.startswith(".") else ""
    return minus + zero + _SEPARATORS.sub("", number) + (power or "")


def last_json(text: str, accept: Callable[[Any], bool] = lambda value: True) -> Any:
    r"""Return the JSON list or object that ends last; None without one.

    Args:
        text: The text; the JSON may stand in a code fence, between words, or in other JSON.
        accept: Tells which ones count.

    Example:
        >>> last_json('Here: {"a": [1, 2]}. Not [this] one.')
        {'a': [1, 2]}
        >>> last_json('{"a": [1, 2], oops', lambda value: isinstance(value, list))
        [1, 2]
    """
    return next(iter(deque(filter(accept, json_values(text)), maxlen=1)), None)


def json_values(text: str) -> Iterator[Any]:
    """Give each JSON list and object in a text as it ends, those inside others first.

    It is read strictly and never mended: no trailing commas, no NaN, no other quotes. What is
    nested more than 100 deep is not read as one, and only the last million characters are read.

    Example:
        >>> list(json_values('[1] and {"a": [true, {}]} and [2,]'))
        [[1], {}, [True, {}], {'a': [True, {}]}]
    """
    open_ones: list[_Open] = []
    place = max(0, len(text) - _READ)
    while True:
        if not open_ones:
            opening = _OPENING.search(text, place)
            if opening is None:
                return
            place = opening.start()
        token = _TOKEN.match(text, place)
        if token is not None and _take(open_ones, token):
            place = token.end()
            if open_ones and open_ones[-1].ended:
                value = open_ones.pop().value
                if open_ones:
                    open_ones[-1].add(value)
                yield value
        else:  # what is open is no JSON; what was taken for a text may hold some
            place = token.start(token.lastgroup or 0) if token else place
            may_open = bool(open_ones) and text[place : place + 1] in ("[", "{")
            place += not may_open
            open_ones.clear()


class _Open:
    """A list or object whose end has not come yet.

    Attributes:
        value: What it holds so far.
        wants: What may come next: some of `]`, `}`, `:`, `,`, `v` (a value) and `k` (a key).
        ended: Whether its end has come.
    """

    __slots__ = ("ended", "key", "value", "wants")

    def __init__(self, mark: str) -> None:
        self.value: Any = [] if mark == "[" else {}
        self.wants = "v]" if mark == "[" else "k}"
        self.key = ""
        self.ended = False

    def add(self, value: Any) -> None:
        if isinstance(self.value, list):
            self.value.append(value)
            self.wants = ",]"
        else:
            self.value[self.key] = value
            self.wants = ",}"


def _take(open_ones: list[_Open], token: re.Match[str]) -> bool:
    """Take the next token; return whether it may stand there."""
    mark, innermost = token["mark"], open_ones[-1] if open_ones else None
    if mark in ("[", "{"):
        if (innermost and "v" not in innermost.wants) or len(open_ones) >= _MOST_DEEP:
            return False
        open_ones.append(_Open(mark))
        return True
    if innermost is None:
        return False
    if mark:
        if mark not in innermost.wants:
            return False
        innermost.ended = mark in "]}"
        innermost.wants = "v" if mark == ":" or isinstance(innermost.value, list) else "k"
        return True
    wanted = "k" if token["text"] and "k" in innermost.wants else "v"
    if wanted not in innermost.wants:
        return False
    try:
        value = json.loads(token[token.lastgroup or 0])
    except ValueError:  # a number of thousands of digits
        return False
    if wanted == "k":
        innermost.key, innermost.wants = value, ":"
        return True
    if isinstance(value, float) and not math.isfinite(value):
        return False
    innermost.add(value)
    return True
