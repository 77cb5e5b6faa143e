"""Questions about scattered shapes: counting them, comparing them, and clicking on one.

At level 0 there is one shape, and the question is what it is or where.

Invariants: no shape touches another one; what is counted has every number in its range equally
often; the shape to click on is the only one of its colour and form, and is anywhere equally often.
"""

from __future__ import annotations

import random
from typing import Any

from textgym.envs.generation import choice, listing, randint, sample
from textgym.envs.pictures.drawing import SIZE

__all__ = ["FORMS", "TINTS", "click", "colour", "compare", "count", "form", "only"]

FORMS = ("circle", "square", "triangle")
TINTS = ("red", "blue", "green", "orange", "purple")
_CELLS = 7  # in a row
_CELL = SIZE // _CELLS
_RADIUS = (9, 16)
_COUNTED = {1: (1, 8), 2: (1, 12), 3: (2, 15), 4: (3, 20), 5: (4, 26)}
_OTHERS = {1: 0, 2: 4, 3: 8, 4: 14, 5: 20}
_APART = {1: 6, 2: 7, 3: 8, 4: 8, 5: 9}

Kind = tuple[str, str]


def _placed(rng: random.Random, kinds: list[Kind]) -> list[list[Any]]:
    """Return shapes of these colours and forms, each in a cell of its own."""
    scene = []
    for (tint, form), cell in zip(kinds, sample(rng, range(_CELLS**2), len(kinds)), strict=True):
        radius = randint(rng, *_RADIUS)
        spare = _CELL // 2 - radius - 1
        x = cell % _CELLS * _CELL + _CELL // 2 + randint(rng, -spare, spare)
        y = cell // _CELLS * _CELL + _CELL // 2 + randint(rng, -spare, spare)
        scene.append([form, x, y, radius, tint])
    return scene


def count(rng: random.Random, level: int) -> dict[str, Any]:
    """Count the shapes of a colour, or of a colour and a form."""
    number = randint(rng, *_COUNTED[level])
    tint, form = choice(rng, TINTS), choice(rng, FORMS)
    every = [(one, other) for one in TINTS for other in FORMS]
    if level < 3:  # all shapes of a colour
        counted = [(tint, choice(rng, FORMS)) for _ in range(number)]
        others = [kind for kind in every if kind[0] != tint]
        asked = f"{tint} shapes"
    else:
        counted = [(tint, form)] * number
        others = [kind for kind in every if kind != (tint, form)]
        asked = f"{tint} {form}s"
    more = [choice(rng, others) for _ in range(_OTHERS[level])]
    return {
        "question": f"How many {asked} are in the picture?",
        "answer": str(number),
        "scene": _placed(rng, [*counted, *more]),
    }


def compare(rng: random.Random, level: int) -> dict[str, Any]:
    """Say how many more shapes of one kind there are than of another."""
    apart, few = randint(rng, 1, _APART[level]), randint(rng, 0, 2 * level)
    first, second = sample(rng, TINTS, 2)
    if level < 3:
        kinds = [(first, choice(rng, FORMS)) for _ in range(apart + few)]
        kinds += [(second, choice(rng, FORMS)) for _ in range(few)]
        rest = [(tint, form) for tint in TINTS if tint not in (first, second) for form in FORMS]
        asked = f"{first} shapes than {second} shapes"
    else:
        form, other = choice(rng, FORMS), choice(rng, FORMS)
        kinds = [(first, form)] * (apart + few) + [(second, other)] * few
        named = {(first, form), (second, other)}
        rest = [kind for kind in [(t, f) for t in TINTS for f in FORMS] if kind not in named]
        asked = f"{first} {form}s than {second} {other}s"
    kinds += [choice(rng, rest) for _ in range(_OTHERS[level])]
    return {
        "question": f"How many more {asked} are in the picture?",
        "answer": str(apart),
        "scene": _placed(rng, kinds),
    }


def click(rng: random.Random, level: int) -> dict[str, Any]:
    """Click on a shape, among shapes of other colours or other forms."""
    tint, form = choice(rng, TINTS), choice(rng, FORMS)
    others = [(t, f) for t in TINTS for f in FORMS if (t, f) != (tint, form)]
    if level >= 3:  # those that share one of both
        others = [kind for kind in others if kind[0] == tint or kind[1] == form]
    kinds = [(tint, form), *(choice(rng, others) for _ in range(2 + _OTHERS[level]))]
    target, *rest = _placed(rng, kinds)
    return {
        "question": f"Click on the {tint} {form}.",
        "target": target,
        "scene": sample(rng, [target, *rest], len(kinds)),
    }


_ONLY_RADIUS = (24, 48)  # of the only shape


def _draw_only(rng: random.Random) -> list[Any]:
    """Return a shape that may be anywhere."""
    radius = randint(rng, *_ONLY_RADIUS)
    x, y = (randint(rng, radius, SIZE - 1 - radius) for _ in range(2))
    return [choice(rng, FORMS), x, y, radius, choice(rng, TINTS)]


def _asked(rng: random.Random, what: str, options: tuple[str, ...], answer: str) -> dict[str, Any]:
    offered = listing(sample(rng, options, len(options)), "or")
    return {"question": f"What {what} in the picture? It is {offered}.", "answer": answer}


def colour(rng: random.Random, level: int) -> dict[str, Any]:
    """Name the colour of the only shape."""
    shape = _draw_only(rng)
    return {**_asked(rng, "colour is the shape", TINTS, shape[-1]), "scene": [shape]}


def form(rng: random.Random, level: int) -> dict[str, Any]:
    """Name the form of the only shape."""
    shape = _draw_only(rng)
    forms = tuple(f"a {name}" for name in FORMS)
    return {**_asked(rng, "shape is", forms, shape[0]), "scene": [shape]}


def only(rng: random.Random, level: int) -> dict[str, Any]:
    """Click on the only shape."""
    shape = _draw_only(rng)
    return {"question": f"Click on the {shape[0]}.", "target": shape, "scene": [shape]}
