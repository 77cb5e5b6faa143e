"""Words as strings: letters, alphabetical order, anagrams; and the lists of words and names.

Invariants:

- The lists are tuples in a fixed order without duplicates. `WORDS` has lower-case English words of
  four to twelve letters, and `BY_LENGTH` groups them by length.
- Case is ignored. The vowels are a, e, i, o and u. The question contains every word that its answer
  depends on.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache

from textgym.envs.generation import Unfit, choice, randint, redrawn, sample
from textgym.envs.mcqa.families.question import Item, corners, offer, pair

_PLAIN = """
acid album amber anchor animal ankle answer apple apron arrow autumn badge balance balloon
bamboo banana basket beach beacon bench berry bicycle biscuit blanket blossom bottle bracket
branch bread bridge bronze bubble bucket butter button cabin cabinet cable camel camera candle
canyon captain caravan carbon carpet carrot castle cedar ceiling chain chair champion chapter
cheese cherry chimney circle citizen climate clock cloud clover coconut coffee colony comet
compass concert copper coral corner cotton couple cradle crane crayon cricket crystal culture
curtain cushion damage dance dawn debate decade deer dentist desert diamond dinner doctor
dolphin donkey dragon drawer dream drum eagle earth echo elbow elephant engine envelope estate
evening fabric factory falcon farmer feather fence festival finger flame flower flute forest
fossil fountain friend frost fruit furniture galaxy garden garlic gazelle giant ginger giraffe
glacier glove goat gold grape grass gravel guitar hammer harbour harvest hazel helmet hero
hill history honey horizon horse hospital hotel iceberg island ivory jacket jaguar jewel
journey jungle kettle kitchen kitten ladder lagoon language lantern laundry lawyer leather
lemon leopard letter library lizard lobster lunch machine magnet mango manual maple marble
market meadow medicine melody member metal meteor midnight mineral minute mirror mitten
monkey monsoon morning motor mountain museum mushroom music napkin needle notebook novel
number nurse ocean olive onion orange orchard orchestra organ otter oyster packet paddle
painter palace panther paper parade parrot passport pasture peanut pebble pencil penguin
pepper piano picture pillow pilot planet plastic platform plaza pocket poem potato pottery
powder prairie puddle pumpkin puzzle pyramid quarter queen question rabbit radio railway
rainbow ranger raven reason recipe refugee region ribbon river robin rocket saddle salmon
sandal satellite saucer school science season shadow shelter shepherd signal silver singer
sister slipper snow soldier spider spinach spoon squirrel stadium station statue stomach
storm strawberry stream student sugar summer sunset surface swan sweater table teacher
telescope temple tennis theatre thunder ticket tiger timber toast tomato tornado tortoise
tower tractor traffic treasure tree triangle tropical trumpet tulip tunnel turtle umbrella
uncle uniform valley vanilla vehicle velvet village violin volcano voyage wagon wallet walnut
water weather whisper willow window winter wizard wolf wonder yellow zebra
"""
WORDS = tuple(_PLAIN.split())

_LONG = """
achievement adventurous agriculture alphabetical ambassador anniversary application archaeology
architecture arrangement atmosphere australian background basketball beginning benevolent
binoculars biography blackboard calculation calculator cathedral celebration centimetre
certificate championship commercial committee commonplace competition composition
concentrate conductor connection considerable conversation corporation cultivation definition
democracy department description destination development dictionary difference disappear
discovery dishonest earthquake electrician electricity elementary encyclopedia engineering
enthusiasm environment equipment examination excellence exhibition expedition experiment
explanation expression federation fertilizer flourishing foundation friendship geographical
government grandfather grandmother grasshopper gymnastics hemisphere hippopotamus
historical holiday horizontal illustration imagination immediately impossible improvement
independent information ingredient innovation inspection instruction instrument intelligent
interesting invitation kilometre kindergarten laboratory landscape lieutenant literature
locomotive magnificent mathematics measurement mechanical microscope millimetre miraculous
motorcycle multiplying neighbourhood newspaper nightingale occasionally occupation operation
opportunity orchestral parliament particular peppermint percentage performance philosophy
photograph politician population possession possibility preparation president procession
production professor protection questionable recognition recommend reflection registration
remarkable republican restaurant revolution satisfaction scholarship scientific settlement
signature skyscraper submarine subtraction supermarket temperature tournament tradition
transparent ultraviolet unbelievable understanding university vegetarian vocabulary
volunteer watermelon wilderness woodpecker
"""
LONG_WORDS = tuple(_LONG.split())

BY_LENGTH: dict[int, tuple[str, ...]] = {
    size: tuple(word for word in WORDS if len(word) == size) for size in range(5, 9)
}

_WORD_GROUPS = tuple(WORDS[first::24] for first in range(24))

PEOPLE = (
    "Anna", "Ben", "Clara", "David", "Emma", "Felix", "Grace", "Hugo", "Iris", "Jack",
    "Kate", "Liam", "Mona", "Noah", "Olga", "Paul", "Rosa", "Simon", "Tara", "Victor",
)  # fmt: skip

GOODS = (
    "notebook", "pen", "mug", "lamp", "spoon", "book", "toy car", "poster", "cake", "hat",
    "plant", "ruler", "towel", "candle", "puzzle", "ball",
)  # fmt: skip


_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_BY_INITIAL = tuple(
    group
    for letter in "abcdefghijklmnopqrstuvwxyz"
    if len(group := tuple(word for word in WORDS if word[0] == letter)) >= 6
)


def _vowels(word: str) -> int:
    return sum(map(word.count, "aeiou"))


def _consonants(word: str) -> int:
    return len(word) - _vowels(word)


def _by_count(words: Iterable[str], count: Callable[[str], int]) -> dict[int, list[str]]:
    """Group words by a count, and drop counts with few words."""
    groups: dict[int, list[str]] = {}
    for word in words:
        groups.setdefault(count(word), []).append(word)
    return {n: groups[n] for n in sorted(groups) if len(groups[n]) > 7}


_LONGER = tuple(word for word in WORDS if len(word) > 6) + LONG_WORDS
_COUNTED = (
    ("How many letters has the word '{}'?", 1, _by_count(WORDS, len)),
    ("How long is '{}', in letters?", 1, _by_count(WORDS, len)),
    ("How many vowels (a, e, i, o, u) has '{}'?", 3, _by_count(_LONGER, _vowels)),
    ("Count the a, e, i, o, u in '{}'.", 3, _by_count(_LONGER, _vowels)),
    (
        "How many letters of '{}' are not vowels (a, e, i, o, u)?",
        3,
        _by_count(_LONGER, _consonants),
    ),
)
_BY_LETTER = {
    letter: [[word for word in LONG_WORDS if word.count(letter) == n] for n in range(3)]
    for letter in "aeinorst"
}
_ANAGRAM = (
    "Which of these is an anagram of '{}' (the same letters in another order)?",
    "Which letters can be rearranged to spell '{}'?",
    "Someone shuffled the letters of '{}'. Which of these is the result?",
)
# the long words that share their length with at least nine others
_LONGEST_WORDS = tuple(
    word for word in LONG_WORDS if sum(len(other) == len(word) for other in LONG_WORDS) > 9
)


def letters(rng: random.Random, level: int) -> Item:
    """Count or find letters of a word or phrase.

    Level 1 counts the letters of a short word, level 2 finds a letter from the front, level 3
    counts vowels or consonants of a long word, level 4 finds a letter from the back of a long word,
    level 5 counts within three long words.
    """
    if level == 2 or level == 4:
        return _letter_at(rng, level == 4)
    if level == 5:
        return _occurrences(rng)
    ask, _, groups = choice(rng, [entry for entry in _COUNTED if entry[1] == level])
    counts = sample(rng, groups, 4)
    word = choice(rng, groups[counts[0]])
    return offer(ask.format(word), counts, content=word)


@redrawn
def _letter_at(rng: random.Random, from_the_end: bool) -> Item:
    """Ask for the letter at a position of a word, if four letters differ."""
    word = choice(rng, LONG_WORDS if from_the_end else WORDS)
    line = word[::-1] if from_the_end else word
    places = sample(rng, range(1, max(5, min(len(word), 8))), 4)
    if len(word) < 5 or len({line[place] for place in places}) < 4:
        raise Unfit
    ask = choice(rng, ("Which is the {} of the word '{}'?", "What is the {} of '{}'?"))
    where = f"{_PLACES[places[0]]} letter{' from the end' if from_the_end else ''}"
    return offer(ask.format(where, word), [line[i] for i in places])


def _occurrences(rng: random.Random) -> Item:
    """Ask how often a letter occurs in three words."""
    letter = choice(rng, tuple(_BY_LETTER))
    words = _BY_LETTER[letter]
    one, two, three = pair(rng, 0, 2, (1,)), pair(rng, 0, 2, (2,)), randint(rng, 1, 2)
    counts = corners(lambda one, two: one + two + three, one, two)
    phrase = sample(rng, [choice(rng, words[n]) for n in (one[0], two[0], three)], 3)
    question = f"How many times does the letter '{letter}' occur in '{' '.join(phrase)}'?"
    return offer(question, counts, content=f"{letter} in {' '.join(sorted(phrase))}")


def alphabetical(rng: random.Random, level: int) -> Item:
    """Find a word's place in alphabetical order.

    Level 1 has four words with different first letters, level 2 four with the same first letter,
    level 3 five of them, level 4 six invented words with the same first two letters, level 5 seven
    with the same first three.
    """
    if level == 1:
        words = [choice(rng, group) for group in sample(rng, _BY_INITIAL, 4)]
    elif level < 4:
        words = sample(rng, choice(rng, _BY_INITIAL), level + 2)
    else:
        start = choice(rng, "bcdfglmnprst") + choice(rng, "aeiou")
        start += choice(rng, "lmnrst") if level == 5 else ""
        ends = [choice(rng, "bdhjlmnrtvwz") + choice(rng, "aeiou") for _ in range(level + 2)]
        words = [start + end + choice(rng, "dklmnrst") for end in ends]
        if len({*words}) < len(words):
            raise Unfit
    offered = sample(rng, words, 4)
    place = sorted(words).index(offered[0])
    where = "last" if place == len(words) - 1 else _PLACES[place]
    ask = choice(
        rng,
        (
            "These words are put in alphabetical order: {}. Which is the {}?",
            "Sort these words as in a dictionary: {}. Which one comes {}?",
        ),
    )
    return offer(ask.format(", ".join(words), where), offered)


def anagrams(rng: random.Random, level: int) -> Item:
    """Find an anagram of a word.

    Levels 1 to 5 take words of 5, 6, 7, 8 and at least 9 letters. The wrong options are the
    letters of other words, which have most letters in common.
    """
    words = sample(
        rng, _alike(choice(rng, BY_LENGTH[level + 4] if level < 5 else _LONGEST_WORDS)), 4
    )
    texts = ["".join(sample(rng, word, len(word))) for word in words]
    if {*words} & {*texts}:
        raise Unfit
    return offer(choice(rng, _ANAGRAM).format(words[0]), texts, content=" ".join(sorted(words)))


@cache
def _alike(word: str) -> list[str]:
    """List a word and five of the same length that have most letters in common with it.

    No two of them have all letters in common.
    """
    letters, pool = Counter(word), {"".join(sorted(word)): word}
    for other in (*BY_LENGTH.get(len(word), ()), *_LONGEST_WORDS):
        if len(other) == len(word):
            pool.setdefault("".join(sorted(other)), other)
    return sorted(pool.values(), key=lambda other: (letters - Counter(other)).total())[:6]


def named(rng: random.Random, level: int) -> Item:
    """Find one of two words, which the question writes in small letters.

    The splits share no words, so that no pair of words with its answer is known from training.
    """
    group = choice(rng, _WORD_GROUPS)
    right, wrong = sample(rng, group, 2)
    question = f"Which option is the word {right}?"
    return Item(question, right.capitalize(), (wrong.capitalize(),), content=group[0])
