"""Instructions and questions whose words have other meanings.

The contents of rules are

- for ways on a grid, `("means", directions, numbers, first)`, in which the four directions are what
  up, right, down and left mean, and `("steps", times, more)`;
- for changes to a list, `("place", word, meaning, count)` and `("ends", "swapped")`;
- for questions about a table, `("colours", meanings, people)`, `("compare", "swapped")` and
  `("count", more)`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial

from textgym.envs.generation import choice, listing, randint, sample
from textgym.envs.redefined_rules.families.puzzle import (
    Content,
    Puzzle,
    Rule,
    replace_rule,
    worded,
)

__all__ = ["changed_list", "directions", "end_of_way", "lists", "names_found", "tables"]


_WORDS = ("up", "right", "down", "left")
_VECTORS = dict(zip(_WORDS, ((0, 1), (1, 0), (0, -1), (-1, 0)), strict=True))
_WAY_COUNTS = (0, 3, 6, 5, 7, 8)  # instructions, by level
_NUMBERS: dict[str, Callable[[int], bool]] = {
    "": lambda number: True,
    "an odd number": lambda number: number % 2 == 1,
    "an even number": lambda number: number % 2 == 0,
    "a number above 4": lambda number: number > 4,
    "a number below 5": lambda number: number < 5,
}
_ANY_NUMBER, *_SOMETIMES = _NUMBERS
_DIRECTION_MEANS = (
    "in the instructions, {}.",
    "whoever gave these instructions mixes up words: {}.",
    "the words of the instructions are not to be taken at face value: {}.",
)
_WITH_NUMBERS = (
    "in instructions that name {numbers}, {words}; in all others, the words mean what they say.",
    "the words are mixed up wherever the instruction names {numbers}: there {words}. Elsewhere "
    "they mean what they say.",
)
_LATER = (
    "from the {nth} instruction on, the words have other meanings, whichever number an instruction "
    "names: {words}.",
    "these meanings of the words hold up to the {before} instruction only. In the {nth} and all "
    "later ones, whichever number they name, {words}.",
)
_TIMES = (
    "each step is {} squares long.",
    "one step leads {} squares on.",
)
_MORE = (
    "the number of steps is always {} more than the instruction says.",
    "each instruction means {} steps more than it says.",
)
_WAY_TASK = (
    "On a grid, the first coordinate grows to the right and the second one grows upwards. You "
    "start at ({}, {}) and follow these instructions: {}. At which coordinates do you end?",
    "You stand at ({}, {}) on a grid whose first coordinate grows to the right and whose second "
    "one grows upwards. The instructions are: {}. Where do you arrive?",
)
_WAY_FORM = "the two coordinates, separated by a comma"


def directions(rng: random.Random, level: int) -> Puzzle:
    """Follow instructions whose directions have other meanings."""
    rules = [_direction_rule(rng, choice(rng, _SOMETIMES) if level >= 4 else _ANY_NUMBER)]
    if level >= 3:
        rules.append(_steps(rng))
    if level == 5:
        rules.insert(1, _direction_rule(rng, _ANY_NUMBER, randint(rng, 4, 6)))
    way = [(choice(rng, _WORDS), randint(rng, 1, 8)) for _ in range(_WAY_COUNTS[level])]
    start = randint(rng, 20, 60), randint(rng, 20, 60)
    shown = ", ".join(f"{word} {count}" for word, count in way)
    question = worded(rng, _WAY_TASK, *start, shown)
    return Puzzle(rules, question, [start, way], _WAY_FORM, partial(end_of_way, start, way))


def end_of_way(
    start: tuple[int, int], way: Sequence[tuple[str, int]], contents: Sequence[Content]
) -> list[int]:
    """Return where a way ends under the given rules; a later rule wins.

    Example:
        >>> end_of_way((5, 5), [("up", 2), ("left", 1)], ())
        [4, 7]
        >>> swapped = ("means", ("left", "right", "down", "up"), "", 1)
        >>> end_of_way((5, 5), [("up", 2), ("left", 1)], [swapped, ("steps", 3, 0)])
        [-1, 8]
    """
    x, y = start
    times, more = 1, 0
    for content in contents:
        if content[0] == "steps":
            _, times, more = content
    for number, (word, count) in enumerate(way, 1):
        meant = word
        for kind, *values in contents:
            if kind == "means" and number >= values[2]:
                meant = values[0][_WORDS.index(word)] if _NUMBERS[values[1]](count) else word
        dx, dy = _VECTORS[meant]
        length = (count + more) * times
        x, y = x + dx * length, y + dy * length
    return [x, y]


def _direction_rule(rng: random.Random, numbers: str, first: int = 1) -> Rule:
    meant = list(_WORDS)
    while meant == list(_WORDS):
        meant = sample(rng, _WORDS, len(_WORDS))
    pairs = [
        f"{word} means {other}" for word, other in zip(_WORDS, meant, strict=True) if word != other
    ]
    words = listing(sample(rng, pairs, len(pairs)))
    if first > 1:
        rest = [word for word, other in zip(_WORDS, meant, strict=True) if word == other]
        if rest:
            words += f", while {listing(rest)} can be taken literally"
        nth, before = (f"{number}th" for number in (first, first - 1))
        text = worded(rng, _LATER, nth=nth, before=before.replace("3th", "3rd"), words=words)
    elif numbers:
        text = worded(rng, _WITH_NUMBERS, numbers=numbers, words=words)
    else:
        text = worded(rng, _DIRECTION_MEANS, words)
    return Rule(("means", tuple(meant), numbers, first), text)


def _steps(rng: random.Random) -> Rule:
    if rng.random() < 0.5:
        times = randint(rng, 2, 5)
        return Rule(("steps", times, 0), worded(rng, _TIMES, times))
    more = randint(rng, 2, 5)
    return Rule(("steps", 1, more), worded(rng, _MORE, more))


Step = tuple[str, ...]

_PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": -1}
_LIST_COUNTS = (0, 3, 5, 4, 5, 6)  # instructions, by level
_STEPS = {
    "remove": "take away the {} word",
    "swap": "swap the {} and the {} word",
    "front": "move the {} word to the front",
    "end": "move the {} word to the end",
}
_ITEMS = (
    "apple", "bean", "bread", "butter", "carrot", "cheese", "cherry", "cocoa", "corn", "cream",
    "date", "egg", "fig", "flour", "garlic", "ginger", "grape", "honey", "jam", "kale", "leek",
    "lemon", "lime", "mango", "melon", "milk", "mint", "nut", "oat", "olive", "onion", "peach",
    "pear", "pepper", "plum", "rice", "salt", "soup", "sugar", "tea", "thyme", "tomato", "yeast",
)  # fmt: skip
_ANY_COUNT, _EVEN, _ODD = "", "an even number of words", "an odd number of words"
_COUNTED: dict[str, Callable[[int], bool]] = {
    _ANY_COUNT: lambda count: True,
    _EVEN: lambda count: count % 2 == 0,
    _ODD: lambda count: count % 2 == 1,
}
_PLACE_MEANS = (
    "in the instructions below, the word {} means {}.",
    "whoever wrote the instructions says {} but always means {}.",
    "read {} as {} in all instructions.",
)
_COUNTED_MEANS = (
    "as long as the list has {count} at that moment, {} means {} in an instruction; otherwise it "
    "means what it says.",
    "{} means {} in an instruction that is carried out while the list has {count}, and only then.",
)
_ENDS = (
    "front and end have changed their meanings: what is moved to the front goes to the end of the "
    "list, and what is moved to the end goes to the front.",
    "when a word is to be moved to the front, move it to the end, and the other way round.",
)
_LIST_TASK = (
    "The list is: {}. Follow the instructions one after another: {}. What is the list then?",
    "Here is a list: {}. Do this with it, step by step: {}. What does the list look like "
    "after that?",
)
_LIST_FORM = "the words of the list in their order, separated by commas"


def lists(rng: random.Random, level: int) -> Puzzle:
    """Change a list by instructions whose words for places have other meanings."""
    one, other, *meanings = sample(rng, _PLACES, len(_PLACES))
    rules = [_place_rule(rng, one, meanings)]
    if level >= 4:
        rules.append(_place_rule(rng, other, meanings, choice(rng, (_EVEN, _ODD))))
    if level >= 3:
        rules.append(Rule(("ends", "swapped"), worded(rng, _ENDS)))
    if level == 5:
        replace_rule(rng, rules, 0, f"the word {one}", _place_rule(rng, one, meanings))
    items = sample(rng, _ITEMS, 6 + (level >= 4))
    places = [*_PLACES, one, *([other] if level >= 4 else [])]
    steps = _draw_steps(rng, _LIST_COUNTS[level], places, removes=level >= 4)
    shown = "; ".join(_STEPS[kind].format(*places) for kind, *places in steps)
    question = worded(rng, _LIST_TASK, ", ".join(items), shown)
    return Puzzle(rules, question, [items, steps], _LIST_FORM, partial(changed_list, items, steps))


def changed_list(
    items: Sequence[str], steps: Sequence[Step], contents: Sequence[Content]
) -> list[str]:
    """Return a list after some steps under the given rules; a later rule wins.

    The result is empty where a step swaps a word with itself.

    Example:
        >>> changed_list(["a", "b", "c"], [("remove", "first"), ("end", "second")], ())
        ['b', 'c']
        >>> third = ("place", "first", "third", "")
        >>> changed_list(["a", "b", "c"], [("remove", "first")], [third])
        ['a', 'b']
    """
    left = list(items)
    is_swapped = any(kind == "ends" for kind, *_ in contents)
    meanings = {values[0]: values[1:] for kind, *values in contents if kind == "place"}
    for kind, *words in steps:
        count = len(left)
        places = []
        for word in words:
            meaning, counted = meanings.get(word, (word, _ANY_COUNT))
            places.append(_PLACES[meaning if _COUNTED[counted](count) else word])
        if kind == "swap":
            one, other = places
            if one == other:
                return []
            left[one], left[other] = left[other], left[one]
            continue
        item = left.pop(places[0])
        if kind != "remove":
            left.insert(0 if (kind == "front") != is_swapped else len(left), item)
    return left


def _place_rule(
    rng: random.Random, word: str, meanings: Sequence[str], count: str = _ANY_COUNT
) -> Rule:
    meaning = choice(rng, meanings)
    frames = _COUNTED_MEANS if count else _PLACE_MEANS
    return Rule(("place", word, meaning, count), worded(rng, frames, word, meaning, count=count))


def _draw_steps(
    rng: random.Random, count: int, places: Sequence[str], *, removes: bool
) -> list[Step]:
    """Return steps. At most one removes a word: an early one, or perhaps the last one."""
    kinds = [choice(rng, ("swap", "front", "end")) for _ in range(count)]
    if removes:
        kinds[choice(rng, (0, 1))] = "remove"
    elif rng.random() < 0.5:
        kinds[-1] = "remove"
    steps: list[Step] = []
    for kind in kinds:
        one = choice(rng, places)
        other = choice(rng, [place for place in _PLACES if place != one])
        steps.append((kind, one, other) if kind == "swap" else (kind, one))
    return steps


Condition = tuple[str, str, int]

_NAMES = (
    "Ana", "Ben", "Cleo", "Dan", "Emil", "Eva", "Finn", "Gina", "Hugo", "Ian", "Iris", "Jon",
    "Kim", "Lena", "Max", "Nora", "Olaf", "Pia", "Rita", "Sam", "Tim", "Uma", "Vera", "Zoe",
)  # fmt: skip
_COLOURS = ("black", "blue", "brown", "green", "grey", "orange", "pink", "red", "white", "yellow")
_PEOPLE = (0, 6, 7, 7, 7, 8)  # by level
_COLUMNS = 5
_LIMITS = {"more than": (12, 30), "fewer than": (31, 49)}  # between which the limits are
_OF_ALL = ""
_WHOSE: dict[str, Callable[[str], bool]] = {
    _OF_ALL: lambda name: True,
    "names have three letters": lambda name: len(name) == 3,
    "names have four letters": lambda name: len(name) == 4,
    "names begin with a vowel": lambda name: name[0] in "AEIOU",
    "names end in the letter a": lambda name: name[-1] == "a",
}
_SOME = tuple(_WHOSE)[1:]
_COLOUR_MEANS = (
    "in the question, {}.",
    "the one who asks mixes up colours: {}.",
    "colours are called by other names in the question: {}.",
)
_MEANS_OF = (
    "for people whose {whose}, {words} in the question; for all others, each colour is called by "
    "its own name.",
    "the colours of the question are mixed up for people whose {whose}: {words}. For the others, "
    "they mean what they say.",
)
_COMPARE = (
    'in the question, "more than" means "fewer than" and "fewer than" means "more than".',
    'the question says "more than" where it means "fewer than", and the other way round.',
)
_COUNT = (
    "each number in the question stands for a number that is {} larger.",
    "add {} to every number in the question before you use it.",
)
_HEADING = "These people have marbles:"
_TABLE_FORM = "their names in the order of the list, separated by commas"


def tables(rng: random.Random, level: int) -> Puzzle:
    """Find the people of a table whom a question with other words describes."""
    colours = sample(rng, _COLOURS, _COLUMNS)
    if level <= 2:
        rules = [_colour_rule(rng, colours) if rng.random() < 0.85 else _count(rng)]
    else:
        rules = [_colour_rule(rng, colours), choice(rng, (_compare, _count))(rng)]
    if level >= 4:
        rules[0] = _colour_rule(rng, colours, choice(rng, _SOME))
    if level == 5:
        replace_rule(
            rng, rules, 0, "the names of colours", _colour_rule(rng, colours, choice(rng, _SOME))
        )
    names = sample(rng, _NAMES, _PEOPLE[level])
    table = [(name, [randint(rng, 1, 60) for _ in colours]) for name in names]
    conditions = [
        (colour, compare, randint(rng, *_LIMITS[compare]))
        for colour in sample(rng, colours, 2)
        for compare in (choice(rng, tuple(_LIMITS)),)
    ]
    rows = "\n".join(
        f"{name}: " + ", ".join(f"{n} {c}" for n, c in zip(counts, colours, strict=True))
        for name, counts in table
    )
    words = listing(
        [f"{compare} {count} {colour} marbles" for colour, compare, count in conditions]
    )
    question = f"{_HEADING}\n{rows}\n\nWho has {words}?"
    solve = partial(names_found, colours, table, conditions)
    return Puzzle(rules, question, [colours, table, conditions], _TABLE_FORM, solve)


def names_found(
    colours: Sequence[str],
    table: Sequence[tuple[str, Sequence[int]]],
    conditions: Sequence[Condition],
    contents: Sequence[Content],
) -> list[str]:
    """Return who meets all conditions under the given rules; a later rule wins.

    Example:
        >>> table = [("Ana", [7, 30]), ("Ben", [40, 8])]
        >>> names_found(["red", "blue"], table, [("red", "more than", 20)], ())
        ['Ben']
        >>> mixed = ("colours", ("blue", "red"), "")
        >>> names_found(["red", "blue"], table, [("red", "more than", 20)], [mixed])
        ['Ana']
    """
    rules = {content[0]: content[1:] for content in contents}
    meanings, whose = rules.get("colours", (colours, _OF_ALL))
    (more,) = rules.get("count", (0,))
    found = []
    for name, counts in table:
        names = meanings if _WHOSE[whose](name) else colours
        for colour, compare, count in conditions:
            held = counts[colours.index(names[colours.index(colour)])]
            is_more = (compare == "more than") != ("compare" in rules)
            if not (held > count + more if is_more else held < count + more):
                break
        else:
            found.append(name)
    return found


def _colour_rule(rng: random.Random, colours: Sequence[str], whose: str = _OF_ALL) -> Rule:
    meanings = list(colours)
    while meanings == colours:
        meanings = sample(rng, colours, len(colours))
    changes = [pair for pair in zip(colours, meanings, strict=True) if pair[0] != pair[1]]
    pairs = [f"{one} means {other}" for one, other in changes]
    words = listing(sample(rng, pairs, len(pairs)))
    if whose:
        return Rule(("colours", meanings, whose), worded(rng, _MEANS_OF, whose=whose, words=words))
    return Rule(("colours", meanings, whose), worded(rng, _COLOUR_MEANS, words))


def _compare(rng: random.Random) -> Rule:
    return Rule(("compare", "swapped"), worded(rng, _COMPARE))


def _count(rng: random.Random) -> Rule:
    more = randint(rng, 3, 15)
    return Rule(("count", more), worded(rng, _COUNT, more))
