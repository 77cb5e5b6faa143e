"""Families of free-form questions with short answers, each drawn at one of five levels.

`repeated` is the only family of level 0.

A family is a function of a random generator and a level. Invariants: the same generator state gives
the same item; an item has one correct answer, which differs from wrong ones in more than case,
articles and punctuation; `fact` identifies what is asked, regardless of the wording.
"""

from __future__ import annotations

import random
from typing import NamedTuple

from textgym.envs.generation import (
    MONTHS,
    WEEKDAYS,
    Families,
    choice,
    clock,
    in_words,
    randbelow,
    randint,
    sample,
)
from textgym.envs.mcqa.families.facts import CONTINENTS, NAMES, SYMBOLS
from textgym.envs.mcqa.families.words import LONG_WORDS, PEOPLE, WORDS

__all__ = ["FAMILIES", "FIRST_RUNG", "LEVELS", "ShortQuestion"]

LEVELS = (1, 2, 3, 4, 5)

_POINTS = ("north", "east", "south", "west")
_COLOURS = ("red", "blue", "green", "yellow", "white", "black", "brown", "orange", "purple", "pink")
_ITEMS = ("key", "coin", "letter", "ring", "ticket", "map", "stamp", "button")
_SPELT_TWO_WAYS = ("aluminium", "sulfur", "caesium")
_KNOWN = tuple(
    tuple(row for rows in CONTINENTS.values() for row in rows if low <= row[0] <= high)
    for low, high in ((1, 1), (1, 2), (2, 3), (3, 4), (4, 5))
)


class ShortQuestion(NamedTuple):
    """A question, its answer, and the fact that it asks for."""

    question: str
    answer: str
    fact: str


def capitals(rng: random.Random, level: int) -> ShortQuestion:
    """Name a country's capital, or the country of a capital; rarer ones at higher levels."""
    _, country, capital = choice(rng, _KNOWN[level - 1])
    if randbelow(rng, 2):
        forms = (
            "What is the capital of this country: {}?",
            "Name the capital city of the following country: {}.",
            "Country: {}. What is its capital?",
        )
        return ShortQuestion(choice(rng, forms).format(country), capital, country)
    forms = (
        "{} is the capital of which country?",
        "Of which country is {} the capital?",
        "Which country has its capital in {}?",
    )
    return ShortQuestion(choice(rng, forms).format(capital), country, country)


def elements(rng: random.Random, level: int) -> ShortQuestion:
    """Name a chemical element, given its symbol or number."""
    most = (12, 20, 36, 60, 86)[level - 1]
    number = choice(rng, [n for n in range(1, most + 1) if NAMES[n - 1] not in _SPELT_TWO_WAYS])
    symbol, name = SYMBOLS[number - 1], NAMES[number - 1]
    if level > 2 and randbelow(rng, 2):
        forms = (
            "Which chemical element has the atomic number {}?",
            "Name the element number {} of the periodic table.",
            "An atom has {} protons. Of which element is it?",
        )
        return ShortQuestion(choice(rng, forms).format(number), name, name)
    forms = (
        "Which chemical element has the symbol {}?",
        "What is the English name of the element that is written {}?",
        "In the periodic table, what element does {} stand for?",
    )
    return ShortQuestion(choice(rng, forms).format(symbol), name, name)


def weekdays(rng: random.Random, level: int) -> ShortQuestion:
    """Count days of the week forwards, and at higher levels also back."""
    start = randbelow(rng, 7)
    days = randint(rng, *((2, 6), (2, 13), (8, 40), (30, 99), (100, 999))[level - 1])
    back = level > 2 and randbelow(rng, 2) == 1
    forms = (
        ("It is {day}. Which day of the week was it {n} days ago?",
         "What day of the week comes {n} days before a {day}?",
         "Count back {n} days from a {day}. On which weekday do you end?")
        if back else
        ("It is {day}. Which day of the week will it be in {n} days?",
         "What day of the week comes {n} days after a {day}?",
         "Count on {n} days from a {day}. On which weekday do you end?")
    )  # fmt: skip
    answer = WEEKDAYS[(start + (-days if back else days)) % 7]
    question = choice(rng, forms).format(day=WEEKDAYS[start], n=days)
    return ShortQuestion(question, answer, f"{start} {-days if back else days}")


def months(rng: random.Random, level: int) -> ShortQuestion:
    """Count months forwards."""
    start = randbelow(rng, 12)
    on = randint(rng, *((2, 4), (2, 11), (5, 23), (13, 50), (50, 400))[level - 1])
    forms = (
        "Which month is {n} months after {month}?",
        "It is {month}. Which month will it be in {n} months?",
        "A contract begins in {month} and ends {n} months later. In which month does it end?",
    )
    question = choice(rng, forms).format(n=on, month=MONTHS[start])
    return ShortQuestion(question, MONTHS[(start + on) % 12], f"{start} {on}")


def numerals(rng: random.Random, level: int) -> ShortQuestion:
    """Write in digits a number that is given in words."""
    number = randint(
        rng,
        *((11, 99), (100, 999), (1000, 9999), (10**4, 10**6 - 1), (10**6, 10**9 - 1))[level - 1],
    )
    forms = (
        "Write this number in digits: {}.",
        "Which number is {}? Give it in digits.",
        'How is "{}" written with digits?',
    )
    return ShortQuestion(choice(rng, forms).format(in_words(number)), str(number), str(number))


def backwards(rng: random.Random, level: int) -> ShortQuestion:
    """Write a word backwards."""
    low, high = ((4, 4), (5, 5), (6, 7), (8, 10), (11, 14))[level - 1]
    word = choice(rng, [word for word in (*WORDS, *LONG_WORDS) if low <= len(word) <= high])
    forms = (
        'Write the word "{}" backwards.',
        'What do you get when you reverse the letters of "{}"?',
        'Spell "{}" from its last letter to its first, without blanks.',
    )
    return ShortQuestion(choice(rng, forms).format(word), word[::-1], word)


def initials(rng: random.Random, level: int) -> ShortQuestion:
    """Read a word from the first letters of others; at higher levels from their last ones."""
    size = (3, 4, 4, 5, 6)[level - 1]
    last = level > 2 and randbelow(rng, 2) == 1
    end = -1 if last else 0
    words = sample(rng, WORDS, size)
    forms = (
        "Take the {end} letter of each word and write them together: {words}.",
        "Which letters do you get from the {end} letters of these words, in order? {words}",
        "Put together the {end} letters of: {words}.",
    )
    question = choice(rng, forms).format(end="last" if last else "first", words=", ".join(words))
    return ShortQuestion(question, "".join(word[end] for word in words), f"{end} {' '.join(words)}")


def alphabetical(rng: random.Random, level: int) -> ShortQuestion:
    """Find the word that comes first or last in the alphabet."""
    words = sample(
        rng, WORDS if level < 4 else (*WORDS, *LONG_WORDS), (8, 9, 10, 12, 15)[level - 1]
    )
    last = randbelow(rng, 2) == 1
    forms = (
        "Which of these words comes {end} in the alphabet: {words}?",
        "Sort these words from A to Z and name the {end} one: {words}.",
        "In a dictionary, which of these would stand {end}: {words}?",
    )
    question = choice(rng, forms).format(end="last" if last else "first", words=", ".join(words))
    return ShortQuestion(
        question, max(words) if last else min(words), f"{last} {' '.join(sorted(words))}"
    )


def turns(rng: random.Random, level: int) -> ShortQuestion:
    """Follow left and right turns, and name the final direction."""
    start = randbelow(rng, 4)
    moves = [choice(rng, (1, -1, 2)) for _ in range((1, 2, 4, 6, 9)[level - 1])]
    names = {1: "right", -1: "left", 2: "around"}
    turn_texts = ", then ".join(f"turn {names[move]}" for move in moves)
    forms = (
        "You face {point}. You {moves}. Which way do you face now?",
        "Someone looks {point}. Told to {moves}, in which direction do they look at the end?",
        "Begin facing {point} and {moves}. Name the direction that you end up facing.",
    )
    question = choice(rng, forms).format(point=_POINTS[start], moves=turn_texts)
    return ShortQuestion(question, _POINTS[(start + sum(moves)) % 4], f"{start} {moves}")


def holders(rng: random.Random, level: int) -> ShortQuestion:
    """Follow six things from hand to hand, and name the person who has one of them.

    There are so many things that the last one given is seldom the one asked for, and so many people
    that one who is often named is seldom the answer.
    """
    people = sample(rng, PEOPLE, 12)
    things = sample(rng, _ITEMS, 6)
    holder = dict(zip(things, sample(rng, people, 6), strict=True))
    story = " ".join(f"{holder[thing]} has a {thing}." for thing in things)
    for _ in range((3, 5, 7, 10, 14)[level - 1]):
        thing = choice(rng, things)
        receiver = choice(rng, [name for name in people if name != holder[thing]])
        story += f" {holder[thing]} gives the {thing} to {receiver}."
        holder[thing] = receiver
    forms = (
        "{told} Who has the {thing} now?",
        "{told} Who holds the {thing} at the end?",
        "{told} With whom is the {thing} in the end?",
    )
    asked = choice(rng, things)
    question = choice(rng, forms).format(told=story, thing=asked)
    return ShortQuestion(question, holder[asked], story)


def colours(rng: random.Random, level: int) -> ShortQuestion:
    """Name the colour of an item at a position in a row."""
    row = sample(rng, _COLOURS, (6, 7, 8, 9, 10)[level - 1])
    place = randint(rng, 1, len(row))
    from_right = level > 1 and randbelow(rng, 2) == 1
    side = "right" if from_right else "left"
    forms = (
        "Boxes from left to right: {row}. What colour is box number {n} from the {side}?",
        "Flags from left to right: {row}. Which colour has flag {n}, counted from the {side}?",
        "Balls from left to right: {row}. Counted from the {side}, which colour has ball {n}?",
    )
    question = choice(rng, forms).format(row=", ".join(row), n=place, side=side)
    answer = row[-place if from_right else place - 1]
    return ShortQuestion(question, answer, f"{' '.join(row)} {side} {place}")


def clocks(rng: random.Random, level: int) -> ShortQuestion:
    """Add minutes to a time of day, and at higher levels also subtract them."""
    start = 5 * randint(rng, 72, 216) if level < 3 else randint(rng, 0, 1439)
    longest = (12, 12, 119, 359, 1399)[level - 1]
    spent = 5 * randint(rng, 1, longest) if level < 3 else randint(rng, 31, longest)
    before = level > 3 and randbelow(rng, 2) == 1
    end = (start + (-spent if before else spent)) % 1440
    forms = (
        ("It is {now}. What was the time {n} minutes ago?",
         "A film of {n} minutes ended at {now}. When did it begin?",
         "What time is {n} minutes before {now}?")
        if before else
        ("It is {now}. What will the time be in {n} minutes?",
         "A film of {n} minutes begins at {now}. When does it end?",
         "What time is {n} minutes after {now}?")
    )  # fmt: skip
    question = choice(rng, forms).format(now=clock(start), n=spent)
    return ShortQuestion(
        f"{question} Use the 24-hour clock, as in 09:30.", clock(end), f"{start} {end} {spent}"
    )


def sums(rng: random.Random, level: int) -> ShortQuestion:
    """Solve a word problem."""
    size = (9, 30, 90, 400, 2000)[level - 1]
    count, each, less = randint(rng, 2, 4 * level), randint(rng, 2, size), randint(rng, 1, size)
    total = count * each
    name, less = choice(rng, PEOPLE), min(less, total - 1)
    forms = (
        "{name} fills {count} boxes with {each} pencils each and then takes out {less}. "
        "How many pencils are left in the boxes?",
        "There are {count} rows of {each} seats. {less} of the seats are taken. How many are free?",
        "A shop gets {count} crates of {each} apples and throws {less} apples away. "
        "How many apples does it keep?",
    )
    question = choice(rng, forms).format(name=name, count=count, each=each, less=less)
    return ShortQuestion(question, str(total - less), f"{count} {each} {less}")


def repeated(rng: random.Random, level: int) -> ShortQuestion:
    """Repeat two words. There are so many pairs of words that hardly any is drawn twice."""
    words = sample(rng, WORDS, 2)
    answer = " ".join(words)
    return ShortQuestion(f"Repeat these two words: {answer}", answer, " ".join(sorted(words)))


FAMILIES = Families(
    capitals, elements, weekdays, months, numerals, backwards, initials, alphabetical, turns,
    holders, colours, clocks, sums,
)  # fmt: skip

FIRST_RUNG = Families(repeated)
