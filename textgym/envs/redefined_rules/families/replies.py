"""Questions and statements that must be answered with other letters or words than usual.

The contents of rules are

- for options, `("shift", places, questions)` and `("code", letters)`;
- for verdicts, `("wrong", which)`, `("words", for yes, for no)` and `("instead", which, word)`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial

from textgym.envs.generation import choice, randint, sample
from textgym.envs.redefined_rules.families.puzzle import Content, Puzzle, Rule, replace_rule, worded

__all__ = ["letters_given", "options", "verdicts", "words_given"]


_LETTERS = "ABCDE"
_CODE_LETTERS = "FGHJKLMNPQRSTUVWXYZ"
_QUESTION_COUNTS = (0, 3, 5, 4, 5, 5)  # questions, by level
_SHIFT = (
    "{where}, do not give the letter of the right option but the {nth} one after it; after E it "
    "goes on with A.",
    "{where}, choose a wrong option on purpose: the one that stands {n} further on than the "
    "right one, where A follows after E.",
)
_CODE = (
    "Letters are written in code: {}.",
    "When you write down a letter, replace it: {}.",
)
_WHERE: dict[str, Callable[[int], bool]] = {
    "for every question": lambda number: True,
    "for the questions numbered 1, 3 and 5": lambda number: number % 2 == 1,
    "for the questions numbered 2 and 4": lambda number: number % 2 == 0,
    "for the first two questions": lambda number: number <= 2,
    "from the third question on": lambda number: number >= 3,
}
_ALWAYS, *_SOMETIMES = _WHERE
_ELSEWHERE = "For the others, choose the right option as usual."
_OPTION_TASK = (
    "Choose an option for each question, and write down its letter as the rules above say."
)
_OPTION_FORM = "the letters for the questions in their order, separated by commas"


def options(rng: random.Random, level: int) -> Puzzle:
    """Give letters of options other than the right ones, or letters in code."""
    if level <= 2:
        rules = [_code(rng) if rng.random() < 0.6 else _shift(rng, _ALWAYS)]
    elif level == 3:
        rules = [_shift(rng, _ALWAYS), _code(rng)]
    else:
        rules = [_shift(rng, choice(rng, _SOMETIMES)), _code(rng)]
    if level == 5:
        replace_rule(rng, rules, 1, "the code", _code(rng))
    questions = [_question(rng) for _ in range(_QUESTION_COUNTS[level])]
    right = "".join(letter for _, _, letter in questions)
    shown = "\n".join(
        f"{number}. {question} "
        + ", ".join(f"{letter}: {value}" for letter, value in zip(_LETTERS, values, strict=True))
        for number, (question, values, _) in enumerate(questions, 1)
    )
    asked = [[question, values] for question, values, _ in questions]
    return Puzzle(
        rules, f"{_OPTION_TASK}\n{shown}", asked, _OPTION_FORM, partial(letters_given, right)
    )


def letters_given(right: str, contents: Sequence[Content]) -> list[str]:
    """Return what to answer for right options under the given rules; a later rule wins.

    Example:
        >>> letters_given("ABE", ())
        ['A', 'B', 'E']
        >>> letters_given("ABE", [("shift", 2, "for the questions numbered 1, 3 and 5")])
        ['C', 'B', 'B']
        >>> letters_given("ABE", [("code", "VWXYZ")])
        ['V', 'W', 'Z']
    """
    rules = {content[0]: content[1:] for content in contents}
    places, where = rules.get("shift", (0, _ALWAYS))
    (code,) = rules.get("code", (_LETTERS,))
    given = []
    for number, letter in enumerate(right, 1):
        place = _LETTERS.index(letter) + (places if _WHERE[where](number) else 0)
        given.append(code[place % len(_LETTERS)])
    return given


def _shift(rng: random.Random, where: str) -> Rule:
    places = randint(rng, 1, 4)
    nth = ("", "first", "second", "third", "fourth")[places]
    n = f"{places} place{'s' * (places > 1)}"
    text = worded(rng, _SHIFT, where=where, nth=nth, n=n)
    return Rule(("shift", places, where), text if where == _ALWAYS else f"{text} {_ELSEWHERE}")


def _code(rng: random.Random) -> Rule:
    code = "".join(sample(rng, _CODE_LETTERS, len(_LETTERS)))
    pairs = [f"{new} for {old}" for old, new in zip(_LETTERS, code, strict=True)]
    return Rule(("code", code), worded(rng, _CODE, ", ".join(pairs)))


def _question(rng: random.Random) -> tuple[str, list[int], str]:
    """Return a question, its options, and the letter of the right one."""
    one, other = randint(rng, 3, 12), randint(rng, 3, 12)
    sign, right = choice(rng, (("+", one + other), ("×", one * other)))
    gap = choice(rng, (1, 2, 3, 10))
    place = randint(rng, 0, 4)
    values = [right + gap * (number - place) for number in range(len(_LETTERS))]
    values = sample(rng, values, len(values))
    return f"What is {one} {sign} {other}?", values, _LETTERS[values.index(right)]


Statement = tuple[str, bool]

_STATEMENT_COUNTS = (0, 6, 8, 7, 7, 8)  # statements, by level
_WORDS = (
    "apple", "bird", "cloud", "door", "east", "fish", "green", "hill", "ink", "jar", "king",
    "lamp", "moon", "nail", "oak", "pear", "queen", "rope", "salt", "tree", "violet", "west",
)  # fmt: skip
_WHICH: dict[str, Callable[[int, str], bool]] = {
    "numbered 1, 3, 5 and so on": lambda number, text: number % 2 == 1,
    "numbered 2, 4, 6 and so on": lambda number, text: number % 2 == 0,
    "after number 2": lambda number, text: number > 2,
    "after number 3": lambda number, text: number > 3,
    "before number 4": lambda number, text: number < 4,
    "before number 5": lambda number, text: number < 5,
    "with the word larger": lambda number, text: "larger" in text,
    "with the word smaller": lambda number, text: "smaller" in text,
    "with the word multiple": lambda number, text: "multiple" in text,
    "without the word larger": lambda number, text: "larger" not in text,
    "without the word smaller": lambda number, text: "smaller" not in text,
    "without the word multiple": lambda number, text: "multiple" not in text,
}
_WRONG = (
    "Answer the statements {} wrongly on purpose, and the others truthfully.",
    "For the statements {}, yes and no change places: what is true gets a no, and what is false a "
    "yes. The others are answered as usual.",
    "You are to lie about the statements {}, and about no others.",
)
_REPLACED = (
    "Where you would answer yes, write {}, and where you would answer no, write {}.",
    "Do not write yes or no: the word for yes is {} here, and the word for no is {}.",
)
_INSTEAD = (
    "But for the statements {}, write {} in any case.",
    "All statements {} are answered with {}, whether they are true or not.",
)
_STATEMENT_TASK = (
    "Are these statements true? Answer each with yes or no, or as the rules above say."
)
_STATEMENT_FORM = "the answers to the statements in their order, separated by commas"


def verdicts(rng: random.Random, level: int) -> Puzzle:
    """Judge statements, some of them wrongly or in other words."""
    wrong, words = _wrong(rng), _words(rng)
    rules = [wrong, words]
    if level <= 2:
        rules = [wrong if rng.random() < 0.6 else words]
    if level >= 4:
        rules.append(_instead(rng, words.content))
    if level == 5:
        subject = "which statements are answered wrongly"
        replace_rule(rng, rules, 0, subject, _wrong(rng))
    statements = [_statement(rng) for _ in range(_STATEMENT_COUNTS[level])]
    shown = "\n".join(f"{number}. {text}" for number, (text, _) in enumerate(statements, 1))
    asked = [text for text, _ in statements]
    return Puzzle(
        rules,
        f"{_STATEMENT_TASK}\n{shown}",
        asked,
        _STATEMENT_FORM,
        partial(words_given, statements),
    )


def words_given(statements: Sequence[Statement], contents: Sequence[Content]) -> list[str]:
    """Return what to answer under the given rules; a later rule wins.

    Args:
        statements: Statements, and whether they are true.
        contents: The contents of rules.

    Example:
        >>> statements = [("7 is larger than 5.", True), ("6 is a multiple of 4.", False)]
        >>> words_given(statements, ())
        ['yes', 'no']
        >>> words_given(statements, [("wrong", "with the word larger")])
        ['no', 'no']
        >>> words_given(statements, [("words", "oak", "ink")])
        ['oak', 'ink']
    """
    rules = {content[0]: content[1:] for content in contents}
    (wrong,) = rules.get("wrong", ("",))
    yes, no = rules.get("words", ("yes", "no"))
    instead, word = rules.get("instead", ("", ""))
    given = []
    for number, (text, is_true) in enumerate(statements, 1):
        if instead and _WHICH[instead](number, text):
            given.append(word)
        else:
            is_wrong = bool(wrong) and _WHICH[wrong](number, text)
            given.append(yes if is_true != is_wrong else no)
    return given


def _wrong(rng: random.Random) -> Rule:
    which = choice(rng, tuple(_WHICH))
    return Rule(("wrong", which), worded(rng, _WRONG, which))


def _words(rng: random.Random) -> Rule:
    yes, no = sample(rng, _WORDS, 2)
    return Rule(("words", yes, no), worded(rng, _REPLACED, yes, no))


def _instead(rng: random.Random, words: Content) -> Rule:
    which = choice(rng, tuple(_WHICH))
    word = choice(rng, [word for word in _WORDS if word not in words])
    return Rule(("instead", which, word), worded(rng, _INSTEAD, which, word))


def _statement(rng: random.Random) -> Statement:
    kind = choice(rng, ("larger", "smaller", "multiple", "sum"))
    if kind == "multiple":
        divisor, is_true = randint(rng, 3, 9), rng.random() < 0.5
        number = divisor * randint(rng, 3, 12) + (0 if is_true else randint(rng, 1, divisor - 1))
        return f"{number} is a multiple of {divisor}.", is_true
    one, other = sample(rng, range(11, 100), 2)
    if kind == "sum":
        shown = one + other + choice(rng, (0, 0, -10, 1, 10))
        return f"{one} + {other} is {shown}.", shown == one + other
    return f"{one} is {kind} than {other}.", (one > other) == (kind == "larger")
