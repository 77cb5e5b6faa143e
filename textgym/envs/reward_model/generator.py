"""Orders in a notebook, and one sentence about one of them: the generated tasks.

Invariants: the chosen sentence follows from the notes; the rejected one is a plausible mistake (the
order of somebody else, or the order before a correction); both have the same form, which the prompt
shows with an example about somebody who is not in the notes.
"""

from __future__ import annotations

import random
from typing import Any

from textgym.envs.generation import WEEKDAYS, choice, randint, sample

__all__ = ["FORMS", "LEVELS", "PARTS", "draw_row"]

LEVELS = (1, 2, 3, 4, 5)
PARTS = ("name", "count", "thing", "city", "day")
_ORDERS = {1: 4, 2: 6, 3: 8, 4: 10, 5: 12}
_NAMES = (
    "Anna", "Boris", "Clara", "David", "Elena", "Felix", "Greta", "Hugo", "Irene", "Jonas", "Karin",
    "Lukas", "Maria", "Nils", "Olga", "Peter", "Rosa", "Simon", "Tilda", "Viktor",
)  # fmt: skip
_THINGS = (
    "chairs", "lamps", "desks", "shelves", "mirrors", "carpets", "clocks", "vases", "curtains",
    "baskets", "stools", "benches", "cushions", "ladders", "tents", "buckets",
)  # fmt: skip
_CITIES = (
    "Oslo", "Bergen", "Turku", "Lund", "Aarhus", "Bremen", "Ghent", "Basel", "Parma", "Porto",
    "Malaga", "Lyon", "Cork", "Leeds", "Gdansk", "Brno",
)  # fmt: skip
FORMS = (
    "{name} ordered {count} {thing}, which arrive in {city} on {day}.",
    "On {day}, {count} {thing} will reach {name} in {city}.",
    "{name} gets {count} {thing} on {day}, delivered to {city}.",
    "{count} {thing} leave for {city} on {day}; {name} is waiting for them.",
    "The {count} {thing} for {name} are due in {city} on {day}.",
    "{city} is where {name} expects {count} {thing} on {day}.",
)
_OPENINGS = (
    "These are the orders in our notebook:",
    "The notebook of the shop says:",
    "Orders of this week:",
)
_REQUESTS = (
    "Write one sentence about the order of {name}, in the form of this example: {example}",
    "Report the order of {name} in one sentence. It must have the form of this one: {example}",
    "Tell me about the order of {name}. Use one sentence of this form: {example}",
)
_CHANGES = {
    "count": "Correction: {name} wants {count} pieces.",
    "thing": "Correction: {name} wants {thing}.",
    "city": "Correction: the order of {name} goes to {city}.",
    "day": "Correction: the order of {name} comes on {day}.",
}
_VALUES = {"thing": _THINGS, "city": _CITIES, "day": WEEKDAYS}
_SAME = {
    "thing": "the same things as {other}",
    "city": "the same city as {other}",
    "day": "the same day as {other}",
}


_FIRST_ORDERS = 3
_FIRST_FORM = "{name} ordered {count} {thing}."


def draw_row(rng: random.Random, level: int) -> dict[str, Any]:
    """Draw the notes, the question, and the two sentences."""
    if level == 0:
        return _draw_first_row(rng)
    number = _ORDERS[level]
    *names, stranger = sample(rng, _NAMES, number + 1)
    orders = [_draw_order(rng, name) for name in names]
    asked, other = sample(rng, range(number), 2)
    written = [dict(order) for order in orders]
    if level >= 4:  # parts that refer to another order
        for index in {asked, *sample(rng, range(number), level - 3)}:
            if index == other:
                continue
            part = choice(rng, tuple(_SAME))
            orders[index][part] = orders[other][part]
            written[index][part] = _SAME[part].format(other=names[other])
    lines = [_line(order, rng) for order in written]
    rejected = {**orders[other], "name": names[asked]}
    if level >= 3:
        # Nothing refers to the orders that are corrected.
        bystander = choice(rng, [index for index in range(number) if index not in (asked, other)])
        rejected = dict(orders[asked])
        corrected = [(asked, part) for part in sample(rng, _CHANGES, 2)]
        if level == 5:
            corrected.insert(0, corrected[0])  # the first correction is corrected
        for index, part in [*corrected, (bystander, choice(rng, tuple(_CHANGES)))]:
            orders[index][part] = _another(rng, part, orders[index][part])
            lines.append(_CHANGES[part].format(**orders[index]))
    form = choice(rng, FORMS)
    example = form.format(**_draw_order(rng, stranger))
    request = choice(rng, _REQUESTS).format(name=names[asked], example=example)
    notes = "\n".join(f"- {line}" for line in lines)
    return {
        "prompt": f"{choice(rng, _OPENINGS)}\n{notes}\n\n{request}",
        "chosen": form.format(**orders[asked]),
        "rejected": form.format(**rejected),
        "form": form,
        "orders": orders,
        "asked": names[asked],
    }


def _draw_first_row(rng: random.Random) -> dict[str, Any]:
    """Draw notes in sentences, and which one to repeat: one reply does, the other takes another."""
    names = sample(rng, _NAMES, _FIRST_ORDERS)
    counts, things = sample(rng, range(2, 61), len(names)), sample(rng, _THINGS, len(names))
    orders = [
        {"name": name, "count": str(count), "thing": thing}
        for name, count, thing in zip(names, counts, things, strict=True)
    ]
    asked, other = sample(rng, orders, 2)
    notes = "\n".join(f"- {_FIRST_FORM.format(**order)}" for order in orders)
    return {
        "prompt": f"{choice(rng, _OPENINGS)}\n{notes}\n\n"
        f"Repeat the sentence about the order of {asked['name']}.",
        "chosen": _FIRST_FORM.format(**asked),
        "rejected": _FIRST_FORM.format(**{**other, "name": asked["name"]}),
        "form": _FIRST_FORM,
        "orders": orders,
        "asked": asked["name"],
    }


def _draw_order(rng: random.Random, name: str) -> dict[str, Any]:
    drawn = {part: choice(rng, values) for part, values in _VALUES.items()}
    return {"name": name, "count": str(randint(rng, 2, 60)), **drawn}


def _another(rng: random.Random, part: str, value: str) -> str:
    """Return another value of a part than the one that it has."""
    values = _VALUES.get(part) or tuple(map(str, range(2, 61)))
    return choice(rng, [it for it in values if it != value])


def _line(order: dict[str, Any], rng: random.Random) -> str:
    count, thing, city, day = (order[part] for part in PARTS[1:])
    parts = sample(rng, [f"{count} pieces", thing, f"to {city}", f"on {day}"], 4)
    return f"{order['name']}: {', '.join(parts)}"
