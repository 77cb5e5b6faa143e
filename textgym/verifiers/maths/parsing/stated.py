r"""The final answer of a text without a box: what is stated last, whole.

Invariants: marks around the answer (Markdown, quotes, tags) do not count; several alternatives stay
together, so that none of them is taken alone; what is denied, or is a part of a larger expression
in words ("half of 42"), is no answer; any text is read in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from textgym.verifiers.extract import last_tagged

__all__ = ["stated_text", "stated_value"]

_MAX_READ = 20_000  # characters at the end of the text
_BLANKS = re.compile(r"[ \t\u00a0]++")
_TAGS = re.compile(r"</?(?:b|strong|i|em|u|code|mark|span|p|answer)>|<br ?/?>", re.IGNORECASE)
_MARKDOWN = re.compile(
    r"(?<![\w*_`])(?P<mark>\*{1,3}|_{1,3}|`{1,3}|~~)(?=[^\s*_`])(?P<inside>[^\n*`]{1,300}?)"
    r"(?<=\S)(?P=mark)(?![\w*_`])"
)
_QUOTES = re.compile(r"[\"“”«»„‟]")
_MATH = re.compile(
    r"\$\$[^$]{1,2000}\$\$|\$(?=\S)[^$\n]{0,2000}?[^$\s\\]\$(?!\d)"
    r"|\\\((?:(?!\\[()])[^\\]|\\(?![()]).){1,2000}?\\\)"
    r"|\\\[(?:[^\\]|\\(?![\[\]]).){1,2000}?\\\]",
    re.DOTALL,
)
_HIDDEN = "\ufffc"  # stands for each character of a formula
_LABEL = re.compile(
    r"\banswers?\b(?: (?:to|of|for)\b[^.:\n]{1,80}?)??"
    r"\s{0,3}(?:[:：=]|\b(?:is|are|was|(?:would|should|must|will) be|equals)\b(?!n't))"
    r"\s{0,3}[:：=]?"
    r"|^\s{0,3}####?(?= ?[-$\\\d])",
    re.IGNORECASE | re.MULTILINE,
)
_LABEL_BEHIND = re.compile(
    r"\b(?:is|are) (?:the|my|our) (?:(?:final|correct|right) )?answers?\b", re.I
)
_SENTENCE_END = re.compile(r"(?<![.!?。\\])[.!?。]++(?=[\s)\]'’*_]|\Z)|\n")
_RETRACTED = re.compile(
    r"\b(?:wait|actually|correction|sorry|oops|hmm|instead|scratch that|mistake|no,"
    r"|or (?:maybe|perhaps))",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:not|never|neither|nor|cannot|isn['’]t|aren['’]t|can['’]t|wasn['’]t)\b", re.I
)
_WRONG = re.compile(
    r"\b(?:is|are|was|seems|would be|must be) (?:\w+ly )?(?:wrong|incorrect|false|impossible"
    r"|ruled out|not\b|no\b|unlikely)|\bisn['’]t\b|\bcan(?:not|['’]t)\b",
    re.I,
)
_UNSURE = re.compile(
    r"\b(?:or|maybe|perhaps|possibly|either|alternatively|and/or)\b", re.IGNORECASE
)
_REASON = re.compile(
    r"[,;]? (?:because|since|as|given|due|so|after|rather|instead|for|when|where|which|if|but|by"
    r"|and not|not)\b.*|[,;]? \([a-z]{2,} [^()]*\)\s*\Z",
    re.IGNORECASE | re.DOTALL,
)
_FILLER = re.compile(
    r"(?:(?:indeed|simply|just|exactly|approximately|about|around|roughly|equal to|given by|both"
    r"|then|therefore|thus|hence|clearly|now|that|only|a|an"
    r"|the (?:number|value|pair|point|fraction|set|interval|expression|function|integer|total))"
    r"\b|[:=≈≡\s])\s*",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(r"\b(?:minus|negative) (?=[\d$\\])", re.IGNORECASE)
_ATOM = (
    rf"(?:{_HIDDEN}+|\\[a-zA-Z]+|\\[,;!:%$# {{}}]|\d+(?:[.,]\d+)*|\.\d+"
    r"|(?<![A-Za-z])(?:sin|cos|tan|ln|log|sqrt|exp|pi|infinity|inf)(?![A-Za-z])"
    r"|(?<![A-Za-z'’.])(?![aAI]\s+\w)[A-Za-zθπφα](?![A-Za-z'’])"
    r"|[-+*/^=<>()\[\]{}|!%√∞±≤≥≠≈²³½¼¾×·÷−–_°′∪∩∈∅:$€£¥])"
)
_RUN = re.compile(rf"{_ATOM}(?:(?: ?[,;]? ?(?:and|or|&) |[ ,;\n]*){_ATOM})*")
_HAS_VALUE = re.compile(rf"[\dA-Za-z√∞½¼¾π∅{_HIDDEN}]|\\[a-zA-Z]")
_NUMBER = re.compile(rf"[\d½¼¾∞{_HIDDEN}]|\\[a-zA-Z]")
_LEADING, _TRAILING = " ,;=≈:*/^)]}<>_", " ,;=≈:*/^([{<>+-–−_"
_PART_BEFORE = re.compile(
    r"\b(?:half|third|quarter|twice|double|triple|thrice|times|plus|minus|negative|root|log|logarithm"
    r"|sine|cosine|tangent|factorial|than|least|most|over|under|above|below|between|by|sum|product"
    r"|difference|quotient|inverse|reciprocal|power|square|cube)(?: (?:of|the|from|to))* ?\Z",
    re.IGNORECASE,
)
_PART_BEHIND = re.compile(
    r" ?(?:times|plus|minus|squared|cubed|divided|multiplied|over|factorial|less|more|modulo|mod"
    r"|percent of|per cent of|% of|to the|raised|choose)\b",
    re.IGNORECASE,
)
_UNIT = re.compile(r" ?(?:\\?%|°)?(?: ?/? ?[A-Za-z²³.]{1,20}+){0,5}(?:\^\d)?")
_DELIMITER = re.compile(r"\\[()\[\]]")
_AND, _OR = re.compile(r" ?[,;]? ?(?:\band\b|&) "), re.compile(r" ?[,;]? ?\bor\b ")
_VERB = re.compile(r"\b(?:is|are|be|equals|becomes|gives|get|have)\b[:\s]*", re.IGNORECASE)


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
    for statement, is_labelled in _statements(_plain(text)):
        value = _value_in(statement, is_labelled)
        if value is not None:
            return value
    return ""


def stated_text(text: str) -> str:
    """Return the words that a text states last; "" if there are none.

    Example:
        >>> stated_text("**The answer is Paris.**"), stated_text("So the function is linear.")
        ('Paris', 'linear')
    """
    for statement, is_labelled in _statements(_plain(text)):
        words = _REASON.sub("", statement)
        verbs = [] if is_labelled else [*_VERB.finditer(words)]
        start = verbs[-1].end() if verbs else _start_of_value(words) if is_labelled else 0
        return words[start:].strip(" .,;:!")
    return ""


def _plain(text: str) -> str:
    """Return the end of a text without the marks around its parts."""
    text = _BLANKS.sub(" ", text[-_MAX_READ:])
    tagged = last_tagged(text, "answer")
    if tagged is not None and tagged.strip():
        text = f"answer: {tagged.strip()}"
    text = _QUOTES.sub("", _TAGS.sub("", text))
    for _ in range(2):
        text = _MARKDOWN.sub(r"\g<inside>", text)
    return text


def _statements(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the statements that may be the answer, and whether a label names them as it."""
    hidden = _hide(text)
    sentences = list(_sentences(hidden))
    labels = list(_LABEL.finditer(hidden))
    if labels:
        end = labels[-1].end()
        rest = [(max(start, end), stop) for start, stop in sentences if stop > end]
        behind = hidden[rest[0][1] :] if rest else ""
        if rest and not _RETRACTED.search(behind):
            yield text[rest[0][0] : rest[0][1]].strip(), True
            sentences = rest[1:]
    for start, stop in reversed(sentences):
        label = _LABEL_BEHIND.search(hidden, start, stop)
        yield text[start : label.start() if label else stop].strip(), label is not None


def _hide(text: str) -> str:
    """Return a text of the same length in which formulas hold no letters and full stops."""
    return _MATH.sub(lambda found: _HIDDEN * len(found.group()), text)


def _sentences(hidden: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in _SENTENCE_END.finditer(hidden):
        if hidden[start : end.start()].strip(" \t\r*_#>-"):
            yield start, end.start()
            start = end.end()
    if hidden[start:].strip(" \t\r*_#>-"):
        yield start, len(hidden)


def _value_in(statement: str, is_labelled: bool) -> str | None:
    """Return the value in a statement, "" if it denies or hides one, None if it has none."""
    statement = _NEGATIVE.sub("-", statement)
    hidden = _hide(statement)
    start = _start_of_value(hidden)
    runs = [run for run in _RUN.finditer(hidden, start) if _HAS_VALUE.search(run.group())]
    numbers = [run for run in runs if _NUMBER.search(run.group())]
    runs = numbers or (runs if is_labelled else [])
    if not runs:
        return None
    if _WRONG.search(hidden, start):
        return ""
    reason = _REASON.search(hidden, runs[0].end())
    if reason is not None:
        kept = [run for run in runs if run.start() < reason.start()]
        runs, hidden = kept, hidden[: reason.start()]
    run = runs[-1]
    if len(runs) > 1 and _UNSURE.search(hidden, runs[0].end(), run.start()):
        return ""
    before = hidden[max(0, run.start() - 40) : run.start()]
    if _DENIED.search(before) and "but" not in before:
        return ""
    if _PART_BEFORE.search(before) or _PART_BEHIND.match(hidden, run.end()):
        return ""
    return _as_formula(statement[run.start() : run.end()], hidden[run.end() :])


def _start_of_value(statement: str) -> int:
    """Return where a statement begins behind words such as `approximately`."""
    start = 0
    while (filler := _FILLER.match(statement, start)) is not None:
        start = filler.end()
    return start


def _as_formula(value: str, behind: str) -> str:
    r"""Return a run of values as LaTeX, with its unit."""
    formula = _DELIMITER.sub(" ", _MATH.sub(lambda found: f" {found.group().strip('$')} ", value))
    formula = _OR.sub(r" \\text{ or } ", _AND.sub(" , ", formula))
    unit = behind.strip(" .!*_")
    formula = formula.strip().lstrip(_LEADING).rstrip(_TRAILING if unit else f"{_TRAILING}!.")
    return f"{formula} {unit}" if unit and _UNIT.fullmatch(unit) else formula
