"""Option letters: by themselves, before a text, and in a sentence such as "it is B, not A".

A sentence is read as a list of words and punctuation marks, without its Markdown. Invariants:

- A letter counts only as a word by itself, so not in "B2", "B-cell" or "Bee".
- The article "A", the pronoun "I", and a letter that the sentence rejects ("not B", "B is wrong")
  do not count.
- A sentence that offers several letters names none.
- Every function takes any text and linear time.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from textgym.verifiers.denial import DOUBTED, EXCEPTED, FALSE, HEDGES, NEGATIONS

__all__ = [
    "LetteredText", "is_latin_letter", "lone_letter", "named_letter", "split_letter",
    "to_latin_letters",
]  # fmt: skip

_OPENING = " *_`\"'“‘«<([{$~"
_CLOSING = " *_`\"'”’»>)]}$~.,;:!?…"
_DASHES = "-–—"
_SINGLE = re.compile(r"\b\w\b")
_LATIN = dict(zip("أبجدঅবডঢＡＢＣＤ", "ABCD" * 3, strict=True))
_TOKEN = re.compile(r"([^\W_]+(?:['’-][^\W_]+)*|[^\w\s*`])([\s*`_]*)")
_OPENING_MARKS = frozenset("\"'“‘«<([{$~")
_OPENING_QUOTES = frozenset("([\"'“‘")
_CLOSING_QUOTES = frozenset(")]\"'”’")
_LIST_MARKS = frozenset(").:]")
_LINKS = frozenset([
    *"/|&,;+", "or", "and", "nor", "vs", "versus", "to", "through", "otherwise",
    "else", "unless", "oder", "und", "ou", "et",
])  # fmt: skip
_OPERATORS = frozenset("\\=^<>→⇒∨∧∪∩⊕")  # "\\" begins a command such as "\\lor"
_DOUBTS = frozenset(HEDGES.split("|"))
_BETWEEN_ALTERNATIVES = _LINKS | _DOUBTS | _OPENING_QUOTES | {"option", "."}
# "A metal" is an article and a noun; "A is right" is an option and a verb.
_WORDS_AFTER_OPTION_A = frozenset([
    "and", "as", "because", "but", "due", "fits", "for", "given", "instead", "is", "it", "must",
    "nor", "not", "or", "otherwise", "over", "rather", "seems", "should", "since", "to", "unless",
    "versus", "vs", "was", "will", "with", "would",
])  # fmt: skip
_WORDS_AFTER_OPTION_I = frozenset(["and", "as", "because", "due", "is", "nor", "or", "since", "vs"])
# These match tokens that are joined by single spaces.
_NEARBY = 8  # tokens before and behind a letter that can reject it
_NEGATION_BEFORE = re.compile(
    rf"(?:(?i:\b(?:{NEGATIONS}|{DOUBTED}|{EXCEPTED}|than|cannot|anything but|instead of)(?: :)?"
    rf"|\b(?:{FALSE})(?: (?:answer|guess|choice))?(?: :| is\b| would be\b)|n't)"
    r"(?: (?!(?:but|so|rather|because|since|therefore)\b)[a-z]+){0,4}"  # "not the option"
    r"|\b(?i:unlike|far from|besides|opposite of|next to"
    r"|(?:letter|one|option|choice)(?: right| just)?"
    r" (?:after|before|above|below|following|preceding|behind|beside))"
    r"(?: (?:the|option|choice|answer|letter))*"
    r"|\b(?i:rul(?:e|es|ed|ing) out|eliminat(?:e|es|ed|ing)|(?:reject|discard)(?:s|ed|ing)?)"
    r"(?: (?:the|option|choice|answer|letter))*)"
    r"(?: [(\[\"'“‘])*\Z"
)
_REJECTION_BEHIND = re.compile(
    r"(?:[)\]\"'”] )*"
    r"(?:(?:(?:is|was|can|could|would|does|must|should)(?:n't| not| never)|can't|cannot)\b"
    r"|(?:[:,–—(\[-] )?(?:(?:is|was|seems|can be|must be) )?(?:(?:\w+ly|also) )?"  # "clearly wrong"
    rf"(?:{FALSE}|impossible|excluded|eliminated|ruled out)\b(?! \w))"
)


class LetteredText(NamedTuple):
    """A letter and the text behind it, such as `B) zinc`.

    Attributes:
        letter: The letter, in its original case.
        mark: The characters between the letter and the text.
        text: The text.
    """

    letter: str
    mark: str
    text: str

    @property
    def is_marked(self) -> bool:
        """Whether `:`, `)`, `.` or a dash next to a space separates the letter from the text."""
        dash = any(mark in self.mark for mark in _DASHES) and " " in self.mark
        return dash or any(mark in self.mark for mark in ":).]")


def is_latin_letter(text: str) -> bool:
    """Return whether a text is one of the letters A to Z, in either case.

    Example:
        >>> is_latin_letter("b"), is_latin_letter("é"), is_latin_letter("AB")
        (True, False, False)
    """
    return len(text) == 1 and text.isascii() and text.isalpha()


def to_latin_letters(text: str) -> str:
    """Replace Arabic, Bengali and full-width letters of options, as whole words, by A to D.

    Example:
        >>> to_latin_letters("(ب) or Ｃ, not جيد")
        '(B) or C, not جيد'
    """
    return _SINGLE.sub(lambda match: _LATIN.get(match[0], match[0]), text)


def lone_letter(text: str) -> str:
    """Return the letter if a text is one letter with any brackets or punctuation; otherwise "".

    Example:
        >>> lone_letter("**(B).**"), lone_letter("not B"), lone_letter("≠B")
        ('B', '', '')
    """
    bare = " ".join(text.split()).lstrip(_OPENING).rstrip(_CLOSING)
    return bare if is_latin_letter(bare) else ""


def split_letter(text: str) -> LetteredText | None:
    """Split a text into the letter that it begins with, the marks behind it, and the rest.

    Returns:
        The parts; None if the text does not begin with a single letter, or nothing follows it.

    Example:
        >>> split_letter("**B**) zinc"), split_letter("zinc")
        (LetteredText(letter='B', mark='**) ', text='zinc'), None)
    """
    text = " ".join(text.split()).lstrip(_OPENING)
    letter, behind = text[:1], text[1:]
    rest = behind.lstrip(_CLOSING + _DASHES)
    mark = behind[: len(behind) - len(rest)]
    if not (is_latin_letter(letter) and mark and rest):
        return None
    return LetteredText(letter, mark, rest)


def named_letter(text: str, letters: Collection[str]) -> str:
    r"""Return the one letter that a sentence names; "" if it names none, or several.

    1. If the sentence begins with a letter, in either case, it names that letter.
    2. Otherwise it names the only capital letter of `letters` in it.
    3. It names none if another of `letters` stands next to that one as an alternative ("A or B",
       "A/B", "A B") or in a formula ("A \lor B"), or begins an item of a list ("A: iron,
       B: zinc").

    Args:
        text: The sentence.
        letters: The options' capital letters.

    Example:
        >>> named_letter("(B), since A is too light", "ABC"), named_letter("option B", "ABC")
        ('B', 'B')
        >>> named_letter("A or B", "ABC"), named_letter("not A but B", "ABC")
        ('', 'B')
    """
    parts: list[tuple[str, str]] = _TOKEN.findall(text)
    tokens = [token for token, _ in parts]
    gaps = [gap for _, gap in parts]  # the white space and Markdown behind each token
    places = [place for place, token in enumerate(tokens) if is_latin_letter(token)]
    named = [
        place
        for place in places
        if not _is_rejected(tokens, place) and not _is_article_or_pronoun(tokens, gaps, place)
    ]
    if not named:
        return ""
    if _OPENING_MARKS.issuperset(tokens[: named[0]]):
        letter = tokens[named[0]].upper()
    else:
        capitals = {tokens[place] for place in named}.intersection(letters)
        letter = capitals.pop() if len(capitals) == 1 else ""
    others = [place for place in places if tokens[place] in letters and tokens[place] != letter]
    if letter not in letters or any(_begins_item(tokens, gaps, place) for place in others):
        return ""
    options = [place for place in named if tokens[place].upper() in letters]
    return "" if _offers_another(tokens, letter, options) else letter


def _is_rejected(tokens: Sequence[str], place: int) -> bool:
    """Return whether the words around a capital letter reject it."""
    if not tokens[place].isupper():
        return False
    before = " ".join(tokens[max(0, place - _NEARBY) : place]).replace("’", "'")
    behind = " ".join(tokens[place + 1 : place + 1 + _NEARBY]).replace("’", "'")
    return bool(_NEGATION_BEFORE.search(before) or _REJECTION_BEHIND.match(behind))


def _is_article_or_pronoun(tokens: Sequence[str], gaps: Sequence[str], place: int) -> bool:
    """Return whether a letter is the word "a" or "I", by the word behind it."""
    verbs = {"A": _WORDS_AFTER_OPTION_A, "I": _WORDS_AFTER_OPTION_I}.get(tokens[place].upper())
    if verbs is None or not gaps[place][:1].isspace() or place + 1 == len(tokens):
        return False
    following = tokens[place + 1]
    return "a" <= following[0] <= "z" and following not in verbs


def _begins_item(tokens: Sequence[str], gaps: Sequence[str], place: int) -> bool:
    """Return whether a letter begins an item of a list, as in "…, A) iron" or "… or (B) zinc"."""
    mark = tokens[place + 1] if place + 1 < len(tokens) else ""
    if mark not in (":", ")", "]") and not (mark == "." and gaps[place + 1][:1].isspace()):
        return False
    first = place
    while first and tokens[first - 1] in ("(", "["):
        first -= 1
    return first > 0 and (
        "\n" in gaps[first - 1] or tokens[first - 1] in (",", ";", "|", "or", "and")
    )


def _offers_another(tokens: Sequence[str], letter: str, options: Sequence[int]) -> bool:
    """Return whether the letter and one next to it, at these places, are alternatives."""
    for left, right in pairwise(options):
        pair = {tokens[left].upper(), tokens[right].upper()}
        if letter in pair and len(pair) == 2:
            behind = tokens[right + 1] if right + 1 < len(tokens) else ")"
            if _are_alternatives(tokens[left + 1 : right], behind):
                return True
    return False


def _are_alternatives(between: Sequence[str], behind: str) -> bool:
    """Return whether two letters are alternatives, by the tokens between and behind them."""
    words = [token.lower() for token in between]
    if not words or (len(words) == 2 and words[0] in (")", "]") and words[1] in ("(", "[")):
        return True  # "A B", "(A)(B)"
    if _LIST_MARKS.issuperset([*words, behind]):
        return True  # "A. B."
    start = next((i for i, word in enumerate(words) if word not in _CLOSING_QUOTES), 0)
    if words[start] in _OPERATORS:
        return True  # "A \lor B", "A = B"
    if words[start] in _LINKS and _BETWEEN_ALTERNATIVES.issuperset(words[start:]):
        return True  # "A, B", "A vs. B", "A) and maybe (B"
    if words[-1] in _DOUBTS and not any(map(str.isalpha, words[:-1])):
        return True  # "B: maybe A"
    while words and words[-1] in _OPENING_QUOTES:
        words.pop()
    return words[-1:] == ["or"] or words[-2:] == ["or", "option"]  # "A if hot, or B"
