r"""The answer in the sentences of a text: what is stated last, whole.

`textgym.verifiers.stated` finds boxes and tags, which need no sentences to be read.

Invariants: marks around the answer (Markdown, quotes, tags) do not count; several alternatives stay
together, so that none of them is taken alone; what is denied or taken back, and a part of a larger
expression ("half of 42"), is no answer; any text is read in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from textgym.verifiers.math.parsing.spoken import HIDDEN, REASON, UNSURE, WRONG, start_of, value_in
from textgym.verifiers.math.parsing.words import TIME_OF_DAY
from textgym.verifiers.stated import DENIED_LABEL

__all__ = ["stated_text", "stated_value"]

_MAX_READ = 20_000  # characters at the end of the text
_BLANKS = re.compile(r"[ \t\r\u00a0]++")
_STRUCK = re.compile(r"~~[^~\n]{1,300}~~|<(del|s|strike)>[^<\n]{1,300}</\1>", re.IGNORECASE)
_TAGS = re.compile(r"</?(?:b|strong|i|em|u|code|mark|span|p|answer)>|<br ?/?>", re.IGNORECASE)
_MARKDOWN = re.compile(
    r"(?<!\w)(?P<mark>\*{1,3}|_{1,3}|`{1,3}|==)(?=\S)(?P<inside>(?:(?!(?P=mark))[^\n]){1,300}?)"
    r"(?<=\S)(?P=mark)(?!\w)"
)
_BOLD = re.compile(r"\*\*([^*\n]{1,100})\*\*")
_BULLET = re.compile(
    r"^[ \t]*> (?=\*\*)|(?<=\n)[ \t]*(?:[-*•+>]|#{1,6}(?! ?[-$\\\d])|\d[.)]) +", re.MULTILINE
)
_CELL = re.compile(r"^\|.*\|(?=[^|\n]+\|$)|\|$", re.MULTILINE)
_SPLIT_OR = re.compile(r"\s{0,5}\n\s{0,5}or\b|\bor\s{0,5}\n\s{0,5}", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\((or [^()\n]{1,100})\)", re.IGNORECASE)
_ESCAPED_DOLLAR = re.compile(r"\\\$(?= ?[\d.])")
_APPROXIMATION = re.compile(r" \((?:≈|\\approx|about|approximately)[^()\n]{1,60}\)", re.IGNORECASE)
_ARROW = re.compile(r"=>|[⇒⟹∴]")
_DECORATION = re.compile(
    r"[\"“”«»„‟∎■□✓✅🎉]|\\(?:blacksquare|square|qed|checkmark|therefore|implies|Rightarrow)(?![a-zA-Z])"
)
_SQUARED_UNIT = re.compile(r"\$(\^\{?\d\}?)\$")
_MATH = re.compile(
    r"\$\$[^$]{1,2000}\$\$|\$(?=\S)[^$\n]{0,2000}?[^$\s\\]\$(?!\d)"
    r"|\\\((?:(?!\\[()])[^\\]|\\(?![()]).){1,2000}?\\\)"
    r"|\\\[(?:[^\\]|\\(?![\[\]]).){1,2000}?\\\]"
    r"|\\begin\{(?P<kind>[a-zA-Z]{4,12}\*?)\}(?:[^\\]|\\(?!begin|end)){1,2000}?\\end\{(?P=kind)\}",
    re.DOTALL,
)
_LABEL = re.compile(
    r"\banswers?\b(?: (?:to|of|for)\b[^.:\n]{1,80}?)??"
    r"\s{0,3}(?:[:：=]|\b(?:is|are|was|(?:would|should|must|will) be|equals)\b(?!n't))"
    r"\s{0,3}[:：=]?|^\s{0,3}####?(?= ?[-$\\\d])",
    re.IGNORECASE | re.MULTILINE,
)
_LABEL_BEHIND = re.compile(
    r"\b(?:is|are) (?:the|my|our) (?:(?:final|correct|right) )?answers?\b", re.I
)
_SENTENCE_END = re.compile(r"(?<![.!?。\\])[.!?。]++(?=[\s)\]'’*_]|\Z)|\n")
_TAKEN_BACK = re.compile(
    r"\b(?:wait|actually|correction|sorry|oops|hmm|scratch that|mistake|just kidding)\b"
    r"|\balternatively\b|\bthat(?:['’]s| is) (?:not|wrong|incorrect)"
    r"|\bthis is (?:not right|not correct|wrong|incorrect)"
    r"|(?:\A|[.!?\n])\s{0,5}(?:no\b|or\b)|\b(?:may|might|could) also be\b",
    re.IGNORECASE,
)
_VERB = re.compile(r"\b(?:is|are|be|equals|becomes|gives|get|has|have)\b[: ]*", re.IGNORECASE)
_DOUBT = re.compile(
    r"(?:\b(?:not|never|doubt|deny|denies|nobody|no one|unlikely|false|wrong|hardly|if|unless)"
    r"|n['’]t)\b[^.,;:]{0,80}\Z",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(r"(yes|no|true|false)(?: ?[,;:.!—–]| - |\Z)", re.IGNORECASE)
_BARE_YES_OR_NO = re.compile(
    r"(?:(?<=[.!\n] )|(?<=\n)|\A)(yes|no)(?=[ \t]?(?:[.!\n]|\Z))", re.IGNORECASE
)
_EITHER = re.compile(r"\b(?:yes|no|true|false)\b")
_SUBJECT = re.compile(
    r"(?:(?:so|thus|therefore|hence),? )?"
    r"(?P<name>(?-i:[A-Z])[\w'’.-]{0,30}(?: (?-i:[A-Z])[\w'’.-]{0,30}){0,3}) "
    r"(?P<predicate>(?-i:[a-z])[^\n]{1,100})",
    re.IGNORECASE,
)
_SMALL_WORDS = re.compile(
    r"(?:(?:on|at|in|an?|the|exactly|just|only) )+(?=\w{2})(?!or\b|and\b)", re.IGNORECASE
)


class _Statement(NamedTuple):
    """A part of the text that may be the answer.

    Attributes:
        text: The text, without the label.
        is_labelled: Whether a label names it as the answer.
        is_open: Whether it is a question, denied by its label, or taken back later.
    """

    text: str
    is_labelled: bool
    is_open: bool


def stated_value(text: str) -> str:
    r"""Return the formula or number that a text states last, as LaTeX; "" if there is none.

    The text behind the last `answer is` or `Answer:` counts, and without such a label the last
    sentence that holds a value.

    Example:
        >>> stated_value("First I got 12. Final answer: `36`"), stated_value("It is **$x = 3$**.")
        ('36', 'x = 3')
        >>> stated_value("The answer is 42 or 41."), stated_value("The answers are 9 and 10.")
        ('42 \\text{ or } 41', '9 , 10')
        >>> stated_value("The answer is not 42."), stated_value("It is half of 42.")
        ('', '')
    """
    text = _without_marks(_prepared(text))
    for statement in _statements(text):
        value = value_in(statement.text, _hide(statement.text), statement.is_labelled)
        if value is not None:
            return "" if statement.is_open else value
    return ""


def stated_text(text: str, question: str = "") -> list[str]:
    """Return the ways to read the words that a text states last; none if it states none.

    A name is stated, too, if the sentence is the question with the name for `who` or `which`.

    Example:
        >>> stated_text("Amy is the tallest.", "Who is the tallest?")
        ['tallest', 'Amy']
        >>> stated_text("The answer is Paris."), stated_text("So it is **linear** here.")
        (['Paris'], ['linear here', 'linear'])
    """
    prepared = _prepared(text)
    text = _without_marks(prepared)
    statement = next(_statements(text), None)
    if statement is None or statement.is_open:
        return []
    if not statement.is_labelled and len({*map(str.lower, _BARE_YES_OR_NO.findall(text))}) > 1:
        return []
    is_denied = WRONG.search(statement.text) is not None
    answer = _YES_OR_NO.match(statement.text)
    if answer is not None and len(set(_EITHER.findall(statement.text.lower()))) == 1:
        return [answer[1]]
    words = statement.text if is_denied else REASON.sub("", statement.text)
    verbs = [] if statement.is_labelled else [*_VERB.finditer(words)]
    start = verbs[-1].end() if verbs else start_of(words) if statement.is_labelled else 0
    if verbs and _DOUBT.search(words, 0, verbs[-1].start()):
        return []
    small = _SMALL_WORDS.match(words, start)
    found = [words[small.end() if small else start :].strip(" .,;:!")]
    subject = None if statement.is_labelled else _SUBJECT.fullmatch(words.strip(" ,;:!"))
    if subject is not None:
        asked = rf"\b(?:who|(?:which|what)(?: \w+){{1,3}}) {re.escape(subject['predicate'])}\b"
        if re.search(asked, question, re.IGNORECASE):
            found.append(subject["name"])
    bold = _BOLD.findall(prepared.rstrip().rpartition("\n")[2])
    if len(bold) == 1 and not is_denied and not UNSURE.search(words):
        found.append(bold[0].strip(" .,;:!"))
    times = TIME_OF_DAY.findall(statement.text)
    if len(times) == 1 and not is_denied and not UNSURE.search(statement.text):
        found.append(times[0])
    return list(dict.fromkeys(filter(None, found)))


def _prepared(text: str) -> str:
    """Return the end of a text without tags, quotes, bullets and what is struck out."""
    text = _BLANKS.sub(" ", text[-_MAX_READ:])
    text = _ARROW.sub(" ", _ESCAPED_DOLLAR.sub("", _APPROXIMATION.sub("", text)))
    text = _DECORATION.sub("", _TAGS.sub("", _STRUCK.sub("", text)))
    text = _SQUARED_UNIT.sub(r"\1", _IN_BRACKETS.sub(r"\1", text))
    return _SPLIT_OR.sub(" or ", _CELL.sub("", _BULLET.sub("", text)))


def _without_marks(text: str) -> str:
    for _ in range(2):
        text = _MARKDOWN.sub(r"\g<inside>", text)
    return text


def _statements(text: str) -> Iterator[_Statement]:
    """Yield the statements that may be the answer, the first choice first."""
    hidden = _hide(text)
    sentences = list(_sentences(hidden))
    labels = list(_LABEL.finditer(hidden))
    taken_back = max((found.start() for found in _TAKEN_BACK.finditer(hidden)), default=-1)
    if labels:
        end = labels[-1].end()
        rest = [(max(start, end), stop) for start, stop in sentences if stop > end]
        if rest and taken_back < rest[0][1]:
            start, stop = rest[0]
            line = hidden.rfind("\n", 0, labels[-1].start()) + 1
            is_denied = DENIED_LABEL.search(hidden[max(line, end - 90) : labels[-1].start()])
            is_open = bool(is_denied) or hidden[stop : stop + 1] == "?"
            yield _Statement(text[start:stop].strip(), True, is_open)
            sentences = rest[1:]
    for start, stop in reversed(sentences):
        label = _LABEL_BEHIND.search(hidden, start, stop)
        is_open = hidden[stop : stop + 1] == "?" or taken_back >= stop
        end = label.start() if label else stop
        yield _Statement(text[start:end].strip(), label is not None, is_open)


def _hide(text: str) -> str:
    """Return a text of the same length in which formulas hold no letters and full stops."""
    return _MATH.sub(lambda found: HIDDEN * len(found.group()), text)


def _sentences(hidden: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in _SENTENCE_END.finditer(hidden):
        if hidden[start : end.start()].strip(" \t\r*_#>-"):
            yield start, end.start()
        start = end.end()
    if hidden[start:].strip(" \t\r*_#>-"):
        yield start, len(hidden)
