r"""Multiple choice: which option a text chooses, in four modes and by a task's own patterns.

The modes are those of NeMo Gym's `mcqa` server, told from its behaviour:

- `strict_single_letter_boxed`: the last balanced `\boxed{}` holds one capital letter, or a letter,
  one of `:` `)` `.` `-`, and text;
- `lenient_boxed`: the same, or else an option's text, or the text of exactly one option among other
  words;
- `lenient_answer_colon`: the first `Answer:` is followed by a letter, by an option's text, or by a
  letter and its option's text;
- `lenient_answer_colon_md`: the last `Answer:` from which one letter can be read.

Where that behaviour is plainly a slip, this does what was meant: a box that holds an option's text
(`E. coli`) is no letter, "not …" does not choose, the article "A" and the pronoun "I" are no
letters, and a quoted "Answer: X" is no answer. LaTeX and Markdown around an answer do not matter.

Invariant: a text chooses one option or none, so that naming several never pays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, get_args

from textgym.verifiers.choice_letters import Label, letter_alone, letter_in_line, read_label
from textgym.verifiers.exact import plain_text
from textgym.verifiers.extract import answer_lines, last_boxed, latex_to_text
from textgym.verifiers.patterns import PatternSearch

__all__ = ["GRADING_MODES", "GradingMode", "find_choice", "letter_as_answer", "normalize_text"]

GradingMode = Literal[
    "strict_single_letter_boxed",
    "lenient_boxed",
    "lenient_answer_colon",
    "lenient_answer_colon_md",
]
GRADING_MODES: tuple[GradingMode, ...] = get_args(GradingMode)

_MARKUP = " *_`\"'“”‘’"
_QUOTES = "\"'`“‘«"
_OPTION_WORD = re.compile(r"\A[*_]*(?:the\s+)?(?:option|choice|letter)\s+", re.IGNORECASE)
_NEGATION = re.compile(r"\b(?:not|never|no|neither|nor|except|wrong|false|incorrect)\b|n['’]t\b")
_PART_BEFORE = re.compile(r"(?<=[\w+^/\\$€£−-])(?=\w)|(?<=\d[.,])|(?<=[\w\]}^][({])")
_PART_BEHIND = re.compile(r"(?<=\w)(?:\w|[\^/%°‰]|[.,:]\d|['’−-]\w)|(?<=\d)!")
_NOT_ANOTHER = re.compile(r"[,;(–—-]\s*(?:and\s+|but\s+)?not\s+(?=\w)")
_FOREIGN = dict(zip("أبجدঅবডঢＡＢＣＤ", "ABCD" * 3, strict=True))
_FOREIGN_LETTER = re.compile(rf"(?<!\w)[{''.join(_FOREIGN)}](?!\w)")


def normalize_text(text: str) -> str:
    r"""Return a text in lower case with single spaces, for comparing.

    Example:
        >>> normalize_text("  Carbon\n Dioxide ")
        'carbon dioxide'
    """
    return " ".join(text.lower().split())


_WRITINGS: tuple[Callable[[str], str], ...] = (
    lambda text: " ".join(text.split()),
    normalize_text,
    lambda text: plain_text(latex_to_text(text).strip(_MARKUP)),
)


def find_choice(
    text: str,
    options: Mapping[str, str],
    mode: GradingMode = "strict_single_letter_boxed",
    patterns: Iterable[str] = (),
    search: PatternSearch | None = None,
) -> str:
    r"""Return the letter that a text chooses, or "" where it chooses none.

    Args:
        text: The model's text, without its reasoning.
        options: Capital letter to text. Without options only patterns choose.
        mode: One of `GRADING_MODES`.
        patterns: Regular expressions that are tried first, in order: case-blind, the last match
            counts, its first group (or all of it) is a letter or an option's text. A broken one is
            ignored. Their letters are trusted even where no option bears them.
        search: What searches for them within its limit of time, and tells whether it ran out.

    Example:
        >>> find_choice(r"So it is \boxed{\text{B}}.", {"A": "iron", "B": "zinc"})
        'B'
        >>> find_choice("Answer: zinc", {"A": "iron", "B": "zinc"}, "lenient_answer_colon")
        'B'
        >>> find_choice("I choose (b)", {"A": "iron", "B": "zinc"}, patterns=[r"choose \((.)\)"])
        'B'
    """
    for pattern in patterns:
        search = search or PatternSearch()
        letter = _by_pattern(text, pattern, options, search)
        if letter:
            return letter
    if mode == "lenient_answer_colon":
        return _by_first_answer(text, options)
    if mode == "lenient_answer_colon_md":
        return _by_last_answer(text, options)
    box = last_boxed(text)
    if box is None:
        return ""
    letter = _boxed_letter(box, options)
    return letter or (_boxed_text(box, options) if mode == "lenient_boxed" else "")


def _by_pattern(text: str, pattern: str, options: Mapping[str, str], search: PatternSearch) -> str:
    captured = search.last_match(text, pattern, re.IGNORECASE)
    if not captured:
        return ""
    letter = _in_latin_letters(captured)
    if len(letter) == 1 and letter.isascii() and letter.isalpha():
        return letter.upper()
    return _same_option(captured, options)


def _boxed_letter(box: str, options: Mapping[str, str]) -> str:
    text = latex_to_text(box)
    letter = letter_alone(text)
    if letter:
        return letter if letter in options else ""
    label = read_label(text)
    if label is None or label.letter not in options or _begins_with_an_option(text, options):
        return ""
    if _is_text_of(label, options[label.letter]):
        return label.letter
    return letter_in_line(text, options) if label.is_marked else ""


def _begins_with_an_option(text: str, options: Mapping[str, str]) -> bool:
    """Tell whether what looks like a letter and a text is the beginning of an option's text."""
    plain = plain_text(text)
    texts = map(latex_to_text, options.values())
    return any(plain.startswith(plain_text(option)) for option in texts if read_label(option))


def _is_text_of(label: Label, option: str) -> bool:
    *_, plain = _WRITINGS
    return plain(label.text) == plain(option)


def _same_option(text: str, options: Mapping[str, str]) -> str:
    """Return the only option that a text is: to the letter, or else but for case, or for markup."""
    for write in _WRITINGS:
        wanted = write(text)
        same = [letter for letter, option in options.items() if wanted and write(option) == wanted]
        if same:
            return same[0] if len(same) == 1 else ""
    return ""


def _boxed_text(box: str, options: Mapping[str, str]) -> str:
    """Return the option that a box is, or else the only one whose words stand in it undenied."""
    same = _same_option(box, options)
    if same:
        return same
    said = normalize_text(latex_to_text(box))
    texts = {letter: normalize_text(latex_to_text(text)) for letter, text in options.items()}
    places = {letter: _place_of(text, said) for letter, text in texts.items() if text}
    inside = [letter for letter, place in places.items() if place >= 0]
    if len(inside) != 1:
        return ""
    [letter] = inside
    end = places[letter] + len(texts[letter])
    denied = _NEGATION.search(said, 0, places[letter]) or _NEGATION.search(
        _NOT_ANOTHER.sub("", said[end:])
    )
    return "" if denied else letter


def _place_of(words: str, text: str) -> int:
    """Return where words first stand as whole words; -1 where they do not."""
    place = text.find(words)
    while place >= 0:
        if not _PART_BEFORE.match(text, place) and not _PART_BEHIND.match(text, place + len(words)):
            return place
        place = text.find(words, place + 1)
    return -1


def _by_first_answer(text: str, options: Mapping[str, str]) -> str:
    rest = next(iter(_own_answers(text)), "")
    said = _OPTION_WORD.sub("", latex_to_text(rest), count=1)
    letter = letter_alone(said).upper()
    if letter in options:
        return letter
    label = read_label(said)
    letter = label.letter.upper() if label and ":" not in label.mark else ""
    if label and letter in options and _is_text_of(label, options[letter]):
        return letter
    return _same_option(rest, options)


def _by_last_answer(text: str, options: Mapping[str, str]) -> str:
    letters = (_letter_of_line(rest, options) for rest in reversed(_own_answers(text)))
    return next(filter(None, letters), "")


def _own_answers(text: str) -> list[str]:
    """Return what stands after each `Answer:`; a quoted one counts where there is no other."""
    lines = list(answer_lines(text))
    own = [rest for before, rest in lines if not before or before not in _QUOTES]
    return own or [rest for _, rest in lines]


def _letter_of_line(line: str, options: Mapping[str, str]) -> str:
    line = latex_to_text(_in_latin_letters(line))
    letter = letter_alone(line).upper()
    if letter or _same_option(line, options):
        return letter if letter in options else ""
    label = read_label(line)
    letter = label.letter.upper() if label else ""
    if label and letter in options and _is_text_of(label, options[letter]):
        return letter
    return letter_in_line(line, options)


def _in_latin_letters(text: str) -> str:
    """Write Arabic, Bengali and full-width letters that stand alone as A to D."""
    return _FOREIGN_LETTER.sub(lambda found: _FOREIGN[found.group()], text)


def letter_as_answer(letter: str, mode: GradingMode) -> str:
    r"""Return a text that chooses a letter in a mode.

    Example:
        >>> letter_as_answer("B", "lenient_boxed"), letter_as_answer("B", "lenient_answer_colon")
        ('\\boxed{B}', 'Answer: B')
    """
    return f"\\boxed{{{letter}}}" if mode in GRADING_MODES[:2] else f"Answer: {letter}"
