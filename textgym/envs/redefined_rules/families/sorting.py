"""Words and numbers that are sorted by another order.

The contents of rules are

- for words, `(kind, letters)` for an alphabet, `("end",)`, `("short",)`, `("long",)` and
  `("group", letter, place)`;
- for numbers, `(kind, k)`, `("parity", front)` and `("shift", parity, more)`;
- for both, `("reversed",)`.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Sequence
from functools import partial

from textgym.envs.generation import choice, listing, randint, sample
from textgym.envs.redefined_rules.families.puzzle import Content, Puzzle, Rule, replace_rule, worded

__all__ = ["alphabets", "numbers", "sorted_numbers", "sorted_words"]


_LETTERS = string.ascii_lowercase
_WORDS = (
    "acorn", "amber", "anchor", "apple", "apron", "arrow", "badge", "baker", "barley", "basket",
    "beacon", "berry", "blanket", "bridge", "bucket", "button", "cabin", "candle", "carpet",
    "castle", "cedar", "cherry", "clover", "copper", "cotton", "cradle", "daisy", "desert",
    "dolphin", "donkey", "dragon", "drum", "eagle", "easel", "ember", "engine", "fable", "falcon",
    "feather", "ferry", "fiddle", "flute", "forest", "fossil", "galaxy", "garden", "ginger",
    "glacier", "goose", "guitar", "hammer", "harbor", "hazel", "helmet", "honey", "husk", "icicle",
    "igloo", "inkwell", "island", "ivory", "jacket", "jasmine", "jelly", "jigsaw", "juniper",
    "kayak", "kernel", "kettle", "kitten", "knight", "ladder", "lantern", "lemon", "lilac",
    "lobster", "lumber", "magnet", "maple", "marble", "meadow", "mirror", "mitten", "needle",
    "nephew", "nickel", "nutmeg", "oasis", "olive", "onion", "orchid", "otter", "oyster", "paddle",
    "parrot", "pebble", "pepper", "pillow", "pocket", "quarry", "quartz", "quilt", "rabbit",
    "ribbon", "river", "rocket", "saddle", "salmon", "sandal", "scarf", "silver", "sparrow",
    "table", "teapot", "thimble", "ticket", "timber", "tulip", "turnip", "umbrella", "uncle",
    "unicorn", "urchin", "valley", "velvet", "violin", "walnut", "window", "winter", "yarn",
    "yogurt", "zebra", "zipper",
)  # fmt: skip
_WORD_COUNTS = (0, 5, 7, 6, 7, 8)  # words, by level
_ALPHABETS = {
    "letters": (
        "the alphabet runs in this order here: {}.",
        "in this library, the alphabet goes like this: {}.",
        "imagine an alphabet with the letters in the order {}.",
    ),
    "front": (
        "in this alphabet the letters {}, in this order, come before all others, which keep their "
        "usual order.",
        "the alphabet begins with {} here, in this order, and goes on with the other letters as "
        "usual.",
    ),
    "back": (
        "in this alphabet the letters {}, in this order, come after all others, which keep their "
        "usual order.",
        "the alphabet ends with {} here, in this order, after the other letters in their usual "
        "order.",
    ),
}
_END = (
    "words are compared from their end: their last letters decide, where these are equal the "
    "letters before them, and so on.",
    "words are sorted by their last letter; where it is the same, by the last but one, and so on "
    "towards the front.",
)
_SHORT = (
    "shorter words come before longer ones, and only words of the same length are compared letter "
    "by letter.",
    "the length counts first, the shortest words in front; words that are equally long are put in "
    "order by their letters.",
)
_LONG = (
    "longer words come before shorter ones, and only words of the same length are compared letter "
    "by letter.",
    "the length counts first, the longest words in front; words that are equally long are put in "
    "order by their letters.",
)
_GROUPS = {
    "first": (
        "words with the letter {0} come before all words without it, and within each of the two "
        "groups the other rules decide.",
        "all words in which the letter {0} occurs are put in front of the others; inside both "
        "groups, the other rules hold.",
    ),
    "last": (
        "words with the letter {0} come after all words without it, and within each of the two "
        "groups the other rules decide.",
        "all words in which the letter {0} occurs are put behind the others; inside both "
        "groups, the other rules hold.",
    ),
}
_REVERSED = (
    "the list that this gives is then written backwards, from its end to its beginning.",
    "after sorting, the whole list is turned around, so that what came last stands first.",
)
_WORD_QUESTIONS = (
    "Sort these words: {}.",
    "Put these words in order: {}.",
    "In which order do these words come? {}",
    "How are these words sorted? {}",
)
_WORD_FORM = "the sorted words, separated by commas"


def alphabets(rng: random.Random, level: int) -> Puzzle:
    """Sort words by an alphabet or a comparison that is redefined."""
    words = _draw_words(rng, _WORD_COUNTS[level])
    rules = [_alphabet(rng, words)]
    if level == 1 and rng.random() < 0.2:
        rules = [_comparison(rng)]
    if level == 3:
        rules.append(choice(rng, (_comparison, _reversal))(rng))
    if level >= 4:
        if level == 5:
            rules.append(_comparison(rng))
        rules.append(_grouping(rng, words))
    if level == 5:
        replace_rule(rng, rules, 0, "the alphabet", _alphabet(rng, words))

    question = worded(rng, _WORD_QUESTIONS, ", ".join(words))
    return Puzzle(rules, question, sorted(words), _WORD_FORM, partial(sorted_words, words))


def sorted_words(words: Sequence[str], contents: Sequence[Content]) -> list[str]:
    """Return words in their order under the given rules; a later rule wins.

    Example:
        >>> sorted_words(["fig", "pear", "kiwi"], [("front", "kp")])
        ['kiwi', 'pear', 'fig']
        >>> sorted_words(["fig", "pear", "kiwi"], [("long",), ("group", "g", "first")])
        ['fig', 'kiwi', 'pear']
    """
    alphabet, rules = _LETTERS, {content[0]: content for content in contents}
    for content in contents:
        if content[0] in _ALPHABETS:
            alphabet = _order(*content)
    ranks = str.maketrans(alphabet, _LETTERS)
    sign = 1 if "short" in rules else -1 if "long" in rules else 0
    _, letter, place = rules.get("group", ("group", "", ""))

    def key(word: str) -> tuple[bool, int, str]:
        in_front = bool(letter) and (letter in word) == (place == "first")
        spelled = word[::-1] if "end" in rules else word
        return not in_front, sign * len(word), spelled.translate(ranks)

    return sorted(words, key=key, reverse="reversed" in rules)


def _order(kind: str, letters: str) -> str:
    others = "".join(letter for letter in _LETTERS if letter not in letters)
    return others + letters if kind == "back" else letters + others


def _draw_words(rng: random.Random, count: int) -> list[str]:
    """Return different words, none of which begins or ends with another."""
    while True:
        words = sample(rng, _WORDS, count)
        ends = tuple(words)
        if not any(
            sum(word.startswith(end) + word.endswith(end) for end in ends) > 2 for word in words
        ):
            return words


def _alphabet(rng: random.Random, words: Sequence[str]) -> Rule:
    kind = choice(rng, ("letters", "letters", "front", "back"))
    if kind == "letters":
        letters = "".join(sample(rng, _LETTERS, len(_LETTERS)))
        return Rule((kind, letters), worded(rng, _ALPHABETS[kind], " ".join(letters)))
    initials = sorted({word[0] for word in words})
    letters = "".join(sample(rng, initials, min(4, len(initials))))
    return Rule((kind, letters), worded(rng, _ALPHABETS[kind], listing(letters)))


def _comparison(rng: random.Random) -> Rule:
    kind, frames = choice(rng, (("end", _END), ("short", _SHORT), ("long", _LONG)))
    return Rule((kind,), worded(rng, frames))


def _reversal(rng: random.Random) -> Rule:
    return Rule(("reversed",), worded(rng, _REVERSED))


def _grouping(rng: random.Random, words: Sequence[str]) -> Rule:
    letters = sorted({letter for word in words for letter in word})
    letter, place = choice(rng, letters), choice(rng, ("first", "last"))
    return Rule(("group", letter, place), worded(rng, _GROUPS[place], letter))


_NUMBER_COUNTS = (0, 6, 8, 6, 7, 8)  # numbers, by level
_KEYS: dict[str, tuple[Callable[[int, int], int], Sequence[str]]] = {
    "distance": (
        lambda n, k: abs(n - k),
        (
            "numbers are sorted by how far they are from {}, the nearest first.",
            "what counts is the distance from {}: the smaller it is, the earlier a number comes.",
        ),
    ),
    "remainder": (
        lambda n, k: n % k,
        (
            "numbers are sorted by the remainder that is left when they are divided by {}, the "
            "smallest remainder first.",
            "what counts is what remains after a division by {}: the less remains, the earlier a "
            "number comes.",
        ),
    ),
    "digit sum": (
        lambda n, k: n // 10 + n % 10,
        (
            "numbers are sorted by the sum of their digits, the smallest sum first.",
            "the sum of the digits decides which number comes earlier: the smaller it is, the "
            "earlier.",
        ),
    ),
    "last digit": (
        lambda n, k: n % 10,
        (
            "numbers are sorted by their last digit alone, the smallest first.",
            "only the last digit decides: the smaller it is, the earlier a number comes.",
        ),
    ),
    "weighted": (
        lambda n, k: k * (n // 10) + (10 - k) * (n % 10),
        (
            "numbers are sorted by a score, the lowest first: {} times the first digit plus {other}"
            " times the second.",
            "each number has a score, {} times its first digit plus {other} times its second, and "
            "the lowest score comes first.",
        ),
    ),
}
_PARAMETERS = {"distance": (25, 80), "remainder": (6, 19), "weighted": (2, 4)}
_KINDS = (*5 * ("distance", "remainder"), "digit sum", "last digit", "weighted")
_TIES = "Of two numbers that are equal in this, the smaller one comes first."
_PARITY = {
    "odd": (
        "all odd numbers come before all even ones, and within these two groups the other "
        "rules decide.",
        "the odd numbers are put in front of the even ones; inside both groups, the other rules "
        "hold.",
    ),
    "even": (
        "all even numbers come before all odd ones, and within these two groups the other "
        "rules decide.",
        "the even numbers are put in front of the odd ones; inside both groups, the other rules "
        "hold.",
    ),
}
_SHIFTS = (
    "for sorting, {parity} numbers count as {more} more than they are, and all others as what they "
    "are; write each number as it is given.",
    "every {parity} number is treated as if it were {more} larger, in sorting alone: it is still "
    "written as it is given, and the other numbers are left as they are.",
)
_NUMBER_QUESTIONS = (
    "Sort these numbers: {}.",
    "Put these numbers in order: {}.",
    "In which order do these numbers come? {}",
    "How are these numbers sorted? {}",
)
_NUMBER_FORM = "the sorted numbers, separated by commas"


def numbers(rng: random.Random, level: int) -> Puzzle:
    """Sort numbers of two digits by a redefined order."""
    drawn = sample(rng, range(11, 60 if level >= 4 else 100), _NUMBER_COUNTS[level])
    rules = [_key(rng)]
    if level == 3:
        rules.append(_parity(rng) if rng.random() < 0.7 else _reversal(rng))
    if level >= 4:
        if level == 5:
            rules.append(_parity(rng))
        rules.append(_shift(rng))
    if level == 5:
        replace_rule(rng, rules, 0, "what decides the order", _key(rng))
    question = worded(rng, _NUMBER_QUESTIONS, ", ".join(map(str, drawn)))
    return Puzzle(rules, question, sorted(drawn), _NUMBER_FORM, partial(sorted_numbers, drawn))


def sorted_numbers(given: Sequence[int], contents: Sequence[Content]) -> list[int]:
    """Return numbers in their order under the given rules; a later rule wins.

    The list is empty where the order depends on whether the smaller of two equal numbers is the one
    that is written or the one that counts.

    Example:
        >>> sorted_numbers([31, 22, 40, 13], [("last digit", 0)])
        [40, 31, 22, 13]
        >>> sorted_numbers([31, 22, 40, 13], [("distance", 30), ("parity", "even")])
        [22, 40, 31, 13]
    """
    rules = {content[0]: content for content in contents}
    value, k = None, 0
    for content in contents:
        if content[0] in _KEYS:
            value, k = _KEYS[content[0]][0], content[1]
    _, front = rules.get("parity", ("parity", ""))
    _, shifted, more = rules.get("shift", ("shift", "", 0))

    def key(number: int) -> tuple[bool, int, int]:
        parity = "odd" if number % 2 else "even"
        counted = number + more if parity == shifted else number
        return parity != front, value(counted, k) if value else counted, counted

    in_order = sorted(given, key=key)
    if more and in_order != sorted(sorted(given), key=lambda number: key(number)[:2]):
        return []
    return in_order[::-1] if "reversed" in rules else in_order


def _key(rng: random.Random) -> Rule:
    kind = choice(rng, _KINDS)
    k = randint(rng, *_PARAMETERS[kind]) if kind in _PARAMETERS else 0
    text = worded(rng, _KEYS[kind][1], k, other=10 - k)
    return Rule((kind, k), f"{text} {_TIES}")


def _parity(rng: random.Random) -> Rule:
    front = choice(rng, tuple(_PARITY))
    return Rule(("parity", front), worded(rng, _PARITY[front]))


def _shift(rng: random.Random) -> Rule:
    parity = choice(rng, ("odd", "even"))
    more = 2 * randint(rng, 2, 20)  # numbers up to 59 stay below 100
    return Rule(("shift", parity, more), worded(rng, _SHIFTS, parity=parity, more=more))
