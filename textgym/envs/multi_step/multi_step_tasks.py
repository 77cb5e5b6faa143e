"""The generator's vocabulary: adjectives with synonyms, and nouns that they fit.

Invariants: no word is in two groups, so each word of a question identifies its group.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["GROUPS", "QUESTIONS", "QUESTIONS_OF_TWO", "Group"]


class Group(NamedTuple):
    """A term, six synonyms of it, and nouns that all of these adjectives fit."""

    term: str
    synonyms: tuple[str, ...]
    nouns: tuple[str, ...]


QUESTIONS = (
    "What should one know about {}?",
    "How would you explain {} to a child?",
    "Why do some people prefer {}?",
    "Which difficulties come with {}?",
    "Where in the world does one find {}?",
    "What can be learned from {}?",
    "How do artists show {}?",
    "What do visitors say of {}?",
)
QUESTIONS_OF_TWO = (
    "What do {} and {} have in common?",
    "Which would you rather deal with, {} or {}?",
    "How are {} related to {}?",
    "Do {} matter more than {}?",
)

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
