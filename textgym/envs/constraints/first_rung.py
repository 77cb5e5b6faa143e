"""Drawing a task of level 0: one sentence with a given last word, and no facts.

Invariants: the prompt does not end with the word, which is the last of two quotations. So neither
the prompt nor a reversed list of its quotations follows the instruction; the word itself does. The
word decides the split, so the answers of training tasks end with other words.
"""

from __future__ import annotations

import random

from textgym.envs.generation import choice
from textgym.verifiers.instructions import INSTRUCTIONS

__all__ = ["draw_first_task"]

_WORKS = ("book", "film", "painting", "photo", "play", "poem", "song", "story")
_LOOKS = (
    "Big", "Blue", "Broken", "Clean", "Cold", "Dark", "Dirty", "Dusty", "Golden", "Green", "Heavy",
    "Little", "Long", "New", "Old", "Red", "Round", "Shiny", "Small", "Strange", "Tall", "White",
    "Wooden", "Yellow",
)  # fmt: skip
_THINGS = (
    "badge", "bakery", "balloon", "barrel", "basket", "beard", "bell", "berry", "bicycle",
    "blanket", "blossom", "board", "boat", "bone", "boot", "bottle", "bowl", "brick", "bridge",
    "broom", "brush", "bucket", "button", "cabin", "cage", "cake", "camera", "candle", "candy",
    "cape", "carpet", "carrot", "castle", "cave", "cello", "chair", "cheese", "cherry",
    "circus", "clock", "cloud", "coat", "coin", "comet", "cousin", "cradle", "crane", "cricket",
    "crown", "cup", "curtain", "dancer", "deer", "desk", "diamond", "doctor", "dolphin", "door",
    "dragon", "dress", "drum", "duck", "falcon", "farm", "feather", "fence", "ferry", "fiddle",
    "finger", "fisherman", "flag", "flame", "flute", "fork", "fountain", "fox", "frog",
    "garden", "gate", "ghost", "giant", "giraffe", "glove", "goat", "goose", "grape", "guitar",
    "hammer", "harp", "hat", "hedge", "helmet", "hill", "honey", "horse", "jacket", "jar",
    "jewel", "judge", "kettle", "key", "king", "kitten", "knife", "knight", "ladder", "lake",
    "lamp", "lantern", "leaf", "lemon", "letter", "lion", "lizard", "magnet", "map", "market",
    "mask", "medal", "melon", "mill", "mirror", "monkey", "moon", "moth", "mountain", "museum",
    "needle", "neighbour", "nest", "nurse", "paddle", "paint", "palace", "panda", "parrot",
    "pearl", "pencil", "penguin", "pepper", "piano", "pillow", "pirate", "planet", "plum",
    "pocket", "pond", "poppy", "puppet", "puzzle", "pyramid", "queen", "quilt", "rabbit",
    "raft", "rainbow", "ribbon", "robot", "rocket", "rose", "saddle", "sailor", "sandwich",
    "saucer", "school", "seal", "shadow", "shell", "ship", "shoe", "shovel", "singer", "snail",
    "snake", "sofa", "sparrow", "spider", "spoon", "spring", "squirrel", "star", "statue",
    "stone", "stove", "swan", "sword", "table", "tailor", "teapot", "tent", "thief", "thunder",
    "ticket", "tiger", "torch", "tower", "town", "toy", "train", "tree", "truck", "trumpet",
    "tulip", "turtle", "vase", "village", "violin", "volcano", "wagon", "waiter", "wall",
    "walnut", "wave", "well", "whale", "wheel", "whistle", "window", "wizard", "wolf", "wood",
    "zebra",
)  # fmt: skip
_PLACES = (
    "at School", "at the Market", "at the Station", "behind the House", "by the Lake",
    "by the River", "in a Box", "in the Attic", "in the Cellar", "in the Desert", "in the Forest",
    "in the Hall", "in the Kitchen", "in the Office", "in the Park", "in the Rain", "in the Snow",
    "in the Street", "in the Sun", "near the Harbour", "on a Hill", "on the Beach", "on the Roof",
    "on the Stairs",
)  # fmt: skip


def draw_first_task(rng: random.Random) -> tuple[str, tuple[str, dict[str, str]], str]:
    """Draw a task of level 0.

    Returns:
        The prompt, the instruction with its arguments, and a right answer.

    Example:
        >>> prompt, instruction, answer = draw_first_task(random.Random(1))
        >>> prompt.partition(". ")[0]
        'Write one sentence about the painting "Clean Teapot in the Sun"'
        >>> instruction
        ('last_word:last_word_answer', {'last_word': 'leaf'})
        >>> answer
        'The painting "Clean Teapot in the Sun" is about a leaf.'
    """
    title = f"{choice(rng, _LOOKS)} {choice(rng, _THINGS).capitalize()} {choice(rng, _PLACES)}"
    work = f'{choice(rng, _WORKS)} "{title}"'
    word = choice(rng, _THINGS)
    instruction = "last_word:last_word_answer", {"last_word": word}
    form = INSTRUCTIONS[instruction[0]].describe(instruction[1])
    prompt = f"Write one sentence about the {work}. {form} Write nothing else."
    return prompt, instruction, f"The {work} is about a {word}."
