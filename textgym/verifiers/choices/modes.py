r"""The grading modes of multiple choice: the part of a text that counts, and how it is read.

The modes have the names that NeMo Gym's `mcqa` server uses. Each reads one part of the text:

- `strict_single_letter_boxed`: the last closed `\boxed{}`, which holds one capital letter, with or
  without a text behind it.
- `lenient_boxed`: the same box, which may also hold an option's text, with or without other words.
- `lenient_answer_colon`: the first `Answer:`, followed by a letter, an option's text, or both.
- `lenient_answer_colon_md`: the last `Answer:` that names one letter.

A model that runs on into a next question states several answers. `stop` strings cut them off, and
`which` says which match of an expression counts, or which `Answer:` in `lenient_answer_colon`.

That part chooses an option by one of these rules. Each mode uses some of them, in this order:

1. The part is a letter, in any brackets, quotes, LaTeX, Markdown or punctuation.
2. It is a letter with that option's own text.
3. It is a sentence that names one letter (see `letters.named_letter`).
4. It is an option's text (see `_whole_option`).
5. It is a sentence that mentions one option's text (see `_mentioned_option`).

Invariants: a text chooses one option or none, so naming several earns nothing; a text that rejects
the option that it mentions does not choose it; every function takes any text and linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, get_args

from textgym.verifiers.boxed import chosen_boxes
from textgym.verifiers.choices.letters import (
    LetteredText,
    is_latin_letter,
    lone_letter,
    named_letter,
    split_letter,
    to_latin_letters,
)
from textgym.verifiers.denial import CONTRACTED, DOUBTED, EXCEPTED, FALSE, NEGATIONS, OTHER
from textgym.verifiers.exact import normalize_answer, normalize_text
from textgym.verifiers.extract import before_stop, last_boxed, latex_to_text, line_spans
from textgym.verifiers.patterns import PatternSearch

__all__ = [
    "GRADING_MODES", "WHICH_MATCH", "GradingMode", "WhichMatch", "choice", "format_choice",
]  # fmt: skip

GradingMode = Literal[
    "strict_single_letter_boxed",
    "lenient_boxed",
    "lenient_answer_colon",
    "lenient_answer_colon_md",
]
GRADING_MODES: tuple[GradingMode, ...] = get_args(GradingMode)
WhichMatch = Literal["first", "last"]
WHICH_MATCH: tuple[WhichMatch, ...] = get_args(WhichMatch)

_FALSE_LABEL = re.compile(rf"(?<!the )\b(?:{FALSE}) \Z", re.IGNORECASE)
_NEAR = 20  # characters before a label that can deny it
_BESIDE = 100  # characters before and behind a box, more than `chosen_boxes` reads
_MATTERS = re.compile(
    rf"\\boxed|\b(?:{NEGATIONS}|{FALSE}|{OTHER}|no|cannot|anyone|confused|ruled|or|vs|versus"
    rf"|otherwise)\b|{CONTRACTED}|{DOUBTED}|[≠≢¬~]|\\(?:n|l?not|x?cancel|sout)",
    re.IGNORECASE,
)
"""What `chosen_boxes` finds beside a box, and more; without any of these, the last box chooses."""
_MAX_MARKS = 3  # before an option's text that may be a part of it
_QUOTES = "\"'`“‘«"
_OPTION_WORD = re.compile(r"[*_]*(?:the\s+)?(?:option|choice|letter)\s+", re.IGNORECASE)
_MARKUP = " *_`\"'“”‘’"
# The characters that make what follows, or what precedes, a part of a longer word or number.
_PART_OF_NEXT = re.compile(
    r"(?<=[\w+^/\\$€£−-])(?=\w)"  # "iron" in "non-iron", "12" in "-12" and "$12"
    r"|(?<=\d[.,])"  # "5" in "2.5"
    r"|(?<=[\w\]}^][({])"  # "12" in "f(12)" and "2^{12}"
)
_PART_OF_PREVIOUS = re.compile(
    r"(?<=\w)(?:\w|[\^/%°‰]|[.,:]\d|['’−-]\w)"  # "12" in "12%" and "12:30", "iron" in "iron-clad"
    r"|(?<=\d)!"  # "12" in "12!"
)
_REJECTION = re.compile(rf"\b(?:{NEGATIONS}|no(?! doubt)|except|{FALSE})\b|{CONTRACTED}")
_EXCLUSION = re.compile(rf"\b(?:{EXCEPTED}|{OTHER}|{DOUBTED})\b")
_OR = re.compile(r"(?<=\W)(?:or|\\lor|\\vee) ", re.IGNORECASE)
_WORD = re.compile(r"\w")
_MAX_LETTER = 6  # characters of what `_LETTER_BEFORE` matches
_LETTER_BEFORE = re.compile(r"(?:\A|\W)(\w)\W{1,4}\Z")
_LETTER_BEHIND = re.compile(r"\W{0,3}(\w)\b")
_REJECTION_OF_OTHERS = re.compile(r"[,;(–—-]\s*(?:(?:and|but)\s+)?not\s+(?=\w)")  # "zinc, not tin"


def choice(
    text: str,
    options: Mapping[str, str],
    mode: GradingMode | None = "strict_single_letter_boxed",
    patterns: Iterable[str] = (),
    search: PatternSearch | None = None,
    which: WhichMatch | None = None,
    stop: Iterable[str] = (),
) -> str:
    r"""Return the letter of the option that a text chooses; "" if it chooses none.

    Args:
        text: The model's text, without its reasoning.
        options: The options' texts by capital letter. Without options only `patterns` can choose.
        mode: One of `GRADING_MODES`; None if only `patterns` find the answer.
        patterns: Regular expressions to try before the mode, in order. Case does not matter. The
            first group of a match, or else all of it, is a letter or an option's text. A broken
            expression is ignored. A letter that is captured need not be an option.
        search: Runs the expressions under its time limit, and records whether the time ran out.
        which: The match of an expression that counts, and the `Answer:` in `lenient_answer_colon`.
            None is the last match, and the first `Answer:`.
        stop: The text is cut at the first of these strings before anything is searched.

    Example:
        >>> options = {"A": "iron", "B": "zinc"}
        >>> choice(r"So it is \boxed{\text{B}}.", options)
        'B'
        >>> choice("Answer: zinc", options, "lenient_answer_colon")
        'B'
        >>> choice(r"\boxed{A or B}", options)
        ''
        >>> choice("I choose (b)", options, patterns=[r"choose \((.)\)"])
        'B'
        >>> choice(r"\boxed{B} Q: Which gas? \boxed{A}", options, stop=["Q:"])
        'B'
    """
    if stop:
        text = before_stop(text, stop)
    for pattern in patterns:
        search = search or PatternSearch()
        match = search.first_match if which == "first" else search.last_match
        letter = _captured_letter(match(text, pattern, re.IGNORECASE) or "", options)
        if letter:
            return letter
    if mode is None:
        return ""
    if mode == "lenient_answer_colon":
        answers = _answers(text) or [""]
        return _letter_of_answer(answers[-1 if which == "last" else 0], options)
    if mode == "lenient_answer_colon_md":
        lines = reversed(_answers(text))
        return next(filter(None, (_letter_of_sentence(line, options) for line in lines)), "")
    is_strict = mode == "strict_single_letter_boxed"
    chosen = ""
    for box in _boxes_in(text):
        letter = _letter_of_box(box, options)
        if not letter and not is_strict:
            letter = _option_in_box(box, options)
        if not letter or (chosen and letter != chosen):
            return ""
        chosen = letter
    return chosen


def _boxes_in(text: str) -> list[str]:
    """Return the boxes that may choose, by what stands beside them, if anything there matters."""
    box, place = last_boxed(text) or "", text.rfind("\\boxed")
    if place < 0:
        return []
    end = text.find(box, place) + len(box)
    is_plain = not _MATTERS.search(text, max(0, place - _BESIDE), place)
    is_plain = is_plain and not _MATTERS.search(text, end, end + _BESIDE)
    return [box] if box and is_plain else chosen_boxes(text)


def format_choice(letter: str, mode: GradingMode) -> str:
    r"""Return a text that chooses a letter in a mode.

    Example:
        >>> format_choice("B", "lenient_boxed"), format_choice("B", "lenient_answer_colon")
        ('\\boxed{B}', 'Answer: B')
    """
    return f"\\boxed{{{letter}}}" if mode in GRADING_MODES[:2] else f"Answer: {letter}"


def _captured_letter(captured: str, options: Mapping[str, str]) -> str:
    letter = to_latin_letters(captured)
    if is_latin_letter(letter):
        return letter.upper()
    return _whole_option(captured, options)


def _letter_of_box(box: str, options: Mapping[str, str]) -> str:
    """Read a box by the rules 1, 2 and 3; only capital letters count.

    By rule 3 a mark such as `:` must separate the letter from the text behind it. A box that begins
    with an option's whole text, such as "E. coli", does not begin with a letter.
    """
    text = latex_to_text(box)
    word = _OPTION_WORD.match(text)
    if word and not _whole_option(text, options):
        text = text[word.end() :]
    letter = lone_letter(text)
    if letter:
        return letter if letter in options else ""
    parts = split_letter(text)
    if parts is None or parts.letter not in options:
        return ""
    if _option_behind(parts, options) == parts.letter:
        return parts.letter
    if _begins_with_lettered_option(text, options):
        return ""
    return named_letter(text, options) if parts.is_marked else ""


def _option_in_box(box: str, options: Mapping[str, str]) -> str:
    """Read a box by the rules 4 and 5."""
    return _whole_option(box, options) or _mentioned_option(box, options)


def _begins_with_lettered_option(text: str, options: Mapping[str, str]) -> bool:
    answer, texts = normalize_answer(text), map(latex_to_text, options.values())
    return any(answer.startswith(normalize_answer(text)) for text in texts if split_letter(text))


def _letter_of_answer(line: str, options: Mapping[str, str]) -> str:
    """Read the text behind `Answer:` by the rules 1, 2 and 4; in 2, `:` separates nothing."""
    text = latex_to_text(line)
    word = _OPTION_WORD.match(text)
    text = text[word.end() :] if word else text
    letter = lone_letter(text).upper()
    if letter in options:
        return letter
    parts = split_letter(text)
    behind = _option_behind(parts, options) if parts else ""
    if parts and behind == parts.letter.upper():
        return behind if ":" not in parts.mark else ""
    if behind and normalize_text(text) != normalize_text(options[behind]):
        return ""
    return _whole_option(line, options)


def _letter_of_sentence(line: str, options: Mapping[str, str]) -> str:
    """Read the text behind `Answer:` by the rules 1, 2 and 3; an option's text chooses nothing."""
    line = latex_to_text(to_latin_letters(line))
    letter = lone_letter(line).upper()
    if letter:
        return letter if letter in options else ""
    parts = split_letter(line)
    if parts and _option_behind(parts, options) == parts.letter.upper():
        return parts.letter.upper()
    letter = "" if _whole_option(line, options) else named_letter(line, options)
    joined = {one for one, _ in _joined(line, options)}
    return "" if letter in joined else letter


def _option_behind(parts: LetteredText, options: Mapping[str, str]) -> str:
    """Return the letter of the option whose text stands behind a letter, in either case.

    The marks before the text may be a part of it, as in "D) $2.95" and "B) -3". If two options have
    the text, the letter's own one counts.
    """
    own = parts.letter.upper()
    if own not in options:
        return ""
    for length in range(min(len(parts.mark), _MAX_MARKS), -1, -1):
        text = _normalize_markup(parts.mark[len(parts.mark) - length :] + parts.text)
        same = [letter for letter, option in options.items() if _normalize_markup(option) == text]
        if same:
            return own if own in same else same[0]
    return ""


def _answers(text: str) -> list[str]:
    """Return the text behind each `Answer:`; behind a quoted one only if all are quoted.

    What is called a wrong answer does not count.
    """
    lines = [
        (text[label - 1 : label] if label else "", text[start:end])
        for label, start, end in line_spans(text)
        if not _FALSE_LABEL.search(text, max(0, label - _NEAR), label)
    ]
    own = [rest for before, rest in lines if not before or before not in _QUOTES]
    return own or [rest for _, rest in lines]


def _normalize_markup(text: str) -> str:
    return normalize_answer(latex_to_text(text).strip(_MARKUP))


_NORMALIZERS: tuple[Callable[[str], str], ...] = (
    lambda text: " ".join(text.split()),
    normalize_text,
    _normalize_markup,
)
"""How texts are compared, from the strictest way to the most lenient."""


def _whole_option(text: str, options: Mapping[str, str]) -> str:
    r"""Return the letter of the only option that a text equals; "" if it equals none, or several.

    Texts are compared exactly, except for white space. If no option is equal, they are compared
    without case, and then without LaTeX, Markdown, quotes and punctuation.

    Example:
        >>> _whole_option(r"\text{Zinc}.", {"A": "iron", "B": "zinc"})
        'B'
        >>> _whole_option("Co", {"A": "CO", "B": "Co"}), _whole_option("co", {"A": "CO", "B": "Co"})
        ('B', '')
    """
    for normalize in _NORMALIZERS:
        wanted = normalize(text)
        if not wanted:
            continue
        same = [letter for letter, option in options.items() if normalize(option) == wanted]
        if same:
            return same[0] if len(same) == 1 else ""
    return ""


def _mentioned_option(text: str, options: Mapping[str, str]) -> str:
    """Return the letter of the only option that a text mentions; "" if none, or several.

    An option's text must stand on its own, not as part of a longer word or number. A negation
    before it rejects it, and so does one behind it, unless it rejects something else: "zinc, not
    tin". A rejected option is not chosen.

    Example:
        >>> options = {"A": "iron", "B": "zinc"}
        >>> _mentioned_option("I would pick zinc, not tin", options)
        'B'
        >>> _mentioned_option("iron or zinc", options), _mentioned_option("not zinc", options)
        ('', '')
    """
    answer = normalize_text(latex_to_text(text))
    spans: dict[str, tuple[int, int]] = {}
    for letter, option in options.items():
        words = normalize_text(latex_to_text(option))
        start = _find_words(words, answer) if words else -1
        if start >= 0:
            spans[letter] = start, start + len(words)
    if len(spans) != 1:
        return ""
    [(letter, (start, end))] = spans.items()
    if any(other == letter for _, other in _joined(answer, options)):
        return ""
    behind = _REJECTION_OF_OTHERS.sub("", answer[end:])
    is_rejected = _REJECTION.search(answer, 0, start) or _EXCLUSION.search(answer, 0, start)
    return "" if is_rejected or _REJECTION.search(behind) else letter


def _joined(text: str, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the letters of two options if `or` joins one's letter and the other's text.

    Example:
        >>> options = {"A": "iron", "B": "zinc"}
        >>> list(_joined("A or zinc", options)), list(_joined("iron or zinc", options))
        ([('A', 'B')], [])
    """
    for joint in _OR.finditer(text):
        start, end = joint.span()
        before = _LETTER_BEFORE.search(text[max(0, start - _MAX_LETTER) : start])
        behind = _LETTER_BEHIND.match(text, end) if text[start - 1] == " " else None
        letters = [found[1].upper() if found else "" for found in (before, behind)]
        if options.keys().isdisjoint(letters):
            continue
        for other, option in options.items():
            words = normalize_text(latex_to_text(option)).lower()
            for letter, place in zip(letters, (end, start - len(words) - 1), strict=True):
                if letter in options and letter != other and _stands_at(place, words, text):
                    yield letter, other


def _stands_at(place: int, words: str, text: str) -> bool:
    """Return whether words stand at a place of a text, and not as part of longer words."""
    end = place + len(words)
    if not words or place < 0 or text[place:end].lower() != words:
        return False
    return not (_WORD.match(text[max(0, place - 1) : place]) or _WORD.match(text[end : end + 1]))


def _find_words(words: str, text: str) -> int:
    """Return the first index of words that are not part of longer words; -1 if there is none."""
    start = text.find(words)
    while start >= 0:
        end = start + len(words)
        if not _PART_OF_NEXT.match(text, start) and not _PART_OF_PREVIOUS.match(text, end):
            return start
        start = text.find(words, start + 1)
    return -1
