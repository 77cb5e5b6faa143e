"""Drawing tasks: groups of synonyms, and questions that ask for some of them.

Invariant: no word is in two groups, so each word of a question identifies its group.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from textgym.envs.generation import Unfit, choice, randint, redrawn, sample

__all__ = ["GROUPS", "LEVELS", "draw_row", "value_of"]


class Group(NamedTuple):
    """A term, six synonyms of it, and nouns that all of these adjectives fit."""

    term: str
    synonyms: tuple[str, ...]
    nouns: tuple[str, ...]


class _Level(NamedTuple):
    """The parameters of a level.

    Attributes:
        terms: The number of terms in the list.
        synonyms: The maximum number of synonyms of a term.
        asked: The number of terms that the question asks for.
        named: Whether the question uses the terms themselves; else it uses synonyms.
    """

    terms: int
    synonyms: int
    asked: int
    named: bool


_LEVELS = {
    1: _Level(6, 2, 1, True),
    2: _Level(10, 3, 1, True),
    3: _Level(15, 4, 1, False),
    4: _Level(20, 5, 1, False),
    5: _Level(30, 6, 2, False),
}
LEVELS = tuple(_LEVELS)
_QUESTIONS = (
    "What should one know about {}?",
    "How would you explain {} to a child?",
    "Why do some people prefer {}?",
    "Which difficulties come with {}?",
    "Where in the world does one find {}?",
    "What can be learned from {}?",
    "How do artists show {}?",
    "What do visitors say of {}?",
)
_QUESTIONS_OF_TWO = (
    "What do {} and {} have in common?",
    "Which would you rather deal with, {} or {}?",
    "How are {} related to {}?",
    "Do {} matter more than {}?",
)

_FIRST_PROMPT = """\
Invented synonyms:
{}
Get the value of the synonym of {!r} with get_synonym_value. Then give a list with this value to \
extract_synonym_values."""
_CONSONANTS = "bdfgklmnprstvz"

_LINES = """
hot: scorching, blazing, sweltering, torrid, boiling, roasting | deserts, summers
cold: icy, frosty, chilly, frigid, wintry, polar | mornings, lakes
wet: soaked, drenched, damp, soggy, moist, dripping | coats, meadows
dry: arid, parched, waterless, rainless, dehydrated, desiccated | plains, valleys
big: huge, vast, giant, enormous, immense, colossal | statues, halls
small: tiny, little, miniature, minute, compact, wee | boxes, toys
fast: quick, rapid, swift, speedy, brisk, fleet | trains, messengers
slow: sluggish, unhurried, leisurely, plodding, lagging, crawling | processions, caravans
old: ancient, aged, antique, archaic, venerable, vintage | maps, clocks
new: fresh, modern, recent, novel, current, unused | designs, recipes
loud: noisy, deafening, thunderous, booming, blaring, roaring | markets, machines
quiet: silent, hushed, noiseless, still, muted, soundless | libraries, chapels
bright: radiant, brilliant, luminous, shining, gleaming, dazzling | lanterns, stars
dark: gloomy, murky, unlit, shadowy, dusky, inky | cellars, tunnels
happy: cheerful, joyful, merry, glad, delighted, jolly | songs, villagers
sad: sorrowful, mournful, unhappy, tearful, downcast, melancholy | letters, poems
brave: bold, courageous, fearless, valiant, heroic, daring | sailors, rescuers
afraid: scared, fearful, timid, frightened, anxious, alarmed | passengers, beginners
clean: spotless, washed, hygienic, immaculate, scrubbed, unsoiled | kitchens, plates
dirty: filthy, grimy, muddy, stained, dusty, sooty | boots, windows
rich: wealthy, affluent, prosperous, moneyed, opulent, well-off | merchants, cities
poor: needy, penniless, destitute, impoverished, indigent, hard-up | students, households
strong: powerful, sturdy, mighty, robust, muscular, stout | ropes, horses
weak: feeble, frail, fragile, delicate, flimsy, powerless | bridges, fences
easy: simple, effortless, uncomplicated, straightforward, painless, undemanding | puzzles, tasks
hard: difficult, tricky, tough, arduous, demanding, challenging | exams, climbs
rough: bumpy, uneven, jagged, coarse, craggy, scratchy | roads, surfaces
smooth: even, polished, sleek, silky, level, glossy | floors, pebbles
funny: amusing, comical, hilarious, witty, humorous, droll | stories, films
boring: dull, tedious, monotonous, dreary, tiresome, uneventful | speeches, lessons
"""


def _read(line: str) -> Group:
    words, nouns = line.split(" | ")
    term, synonyms = words.split(": ")
    return Group(term, tuple(synonyms.split(", ")), tuple(nouns.split(", ")))


GROUPS: tuple[Group, ...] = tuple(map(_read, _LINES.strip().splitlines()))


def value_of(text: str) -> int:
    """Return the value that the tool has for a text, the sum of its code points.

    Example:
        >>> value_of("Warm")
        407
    """
    return sum(map(ord, text))


@redrawn
def draw_row(rng: random.Random, level: int) -> dict[str, Any]:
    """Draw a list and a question. The expected values and the value of the term all differ."""
    if level == 0:
        return _first_row(rng)
    size = _LEVELS[level]
    groups = [
        _with_some_synonyms(rng, group, size.synonyms) for group in sample(rng, GROUPS, size.terms)
    ]
    asked = groups[: size.asked]
    pairs = [
        [group.term.capitalize(), synonym.capitalize()]
        for group in groups
        for synonym in group.synonyms
    ]
    pairs = sample(rng, pairs, len(pairs))
    labels = [group.term.capitalize() for group in asked]
    expected = [synonym for term, synonym in pairs if term in labels]
    if not _have_different_values([labels[0], *expected]):
        raise Unfit
    words = [group.term if size.named else choice(rng, group.synonyms) for group in asked]
    nouns = [choice(rng, group.nouns) for group in asked]
    things = [f"{word} {noun}" for word, noun in zip(words, nouns, strict=True)]
    return {
        "query": choice(rng, _QUESTIONS if size.asked == 1 else _QUESTIONS_OF_TWO).format(*things),
        "synonyms": pairs,
        "expected_synonyms": expected,
        "minefield_label": labels[0],
    }


def _first_row(rng: random.Random) -> dict[str, Any]:
    """Draw a row of level 0: two terms with a synonym each; one term is asked for."""
    terms = [group.term.capitalize() for group in sample(rng, GROUPS, 2)]
    pairs = [[term, _invented_word(rng)] for term in terms]
    asked, synonym = choice(rng, pairs)
    if not _have_different_values([asked, *(word for _, word in pairs)]):
        raise Unfit
    lines = "\n".join(f"- the synonym of {term!r} is {synonym!r}" for term, synonym in pairs)
    return {
        "responses_create_params": {"input": _FIRST_PROMPT.format(lines, asked)},
        "synonyms": pairs,
        "expected_synonyms": [synonym],
        "minefield_label": asked,
    }


def _invented_word(rng: random.Random) -> str:
    """Draw a word of two to four syllables; with real words, their values could be learned."""
    count = randint(rng, 2, 4)
    return "".join(choice(rng, _CONSONANTS) + choice(rng, "aeiou") for _ in range(count)).title()


@redrawn
def _with_some_synonyms(rng: random.Random, group: Group, most: int) -> Group:
    """Keep some synonyms with different values, so that no term of a list can be ruled out."""
    chosen = sample(rng, group.synonyms, randint(rng, most - 1, most))
    if not _have_different_values([word.capitalize() for word in (group.term, *chosen)]):
        raise Unfit
    return group._replace(synonyms=tuple(chosen))


def _have_different_values(words: list[str]) -> bool:
    return len(set(map(value_of, words))) == len(words)
