"""Everyday arithmetic: change from a purchase, and speeds, prices and work at a constant rate.

Invariants: amounts are in whole cents; rate problems have integer answers by construction; all
options have the same unit.
"""

import random
from collections.abc import Sequence
from operator import mul

from ..item import Item, choice, corners, four, offer, pair, plural, randbelow, randint, sample
from ..reasoning.vocabulary import GOODS, PEOPLE

# pairs of hours that two people need alone, by the hours that they need together
_HOURS_ALONE = {
    both: [
        (a, a * both // (a - both)) for a in range(both + 1, 2 * both) if a * both % (a - both) == 0
    ]
    for both in range(2, 25)
}
_WORKS = (
    "paint a fence", "fill a pool", "sort the mail", "clean a hall", "pack the boxes",
)  # fmt: skip


def _dollars(cents: int) -> str:
    """Write an amount in dollars and cents."""
    return f"${cents // 100}.{cents % 100:02d}"


def change(rng: random.Random, level: int) -> Item:
    """Compute the change from a purchase.

    Level 1 buys one item for whole dollars, 2 one with cents, 3 two different items, 4 several of
    one item, 5 several of two items.
    """
    who, (good, other) = choice(rng, PEOPLE), sample(rng, GOODS, 2)
    ask = choice(rng, ("How much change is due?", "How much change does {} get back?")).format(who)
    if level == 1:
        paid = choice(rng, (10, 20, 50))
        values = four(rng, 1, paid - 1, (1, 2, 3) if paid == 10 else (1, 2, 10 if paid > 20 else 5))
        text = f"{who} buys a {good} for ${paid - values[0]} and pays with ${paid}. {ask}"
        return offer(text, values, "${}".format)
    if level <= 3:
        paid = 1000 * randint(rng, level - 1, level)
        values = [5 * fives for fives in four(rng, 10, 170, (2, 10, 18, 20, 40))]
        cost = paid - values[0]
        what = f"a {good} for {_dollars(cost)}"
        if level == 3:
            price = 5 * randint(rng, 10, cost // 5 - 10)
            what = f"a {good} for {_dollars(price)} and a {other} for {_dollars(cost - price)}"
    else:
        n, m, second = pair(rng, 2, 6), randint(rng, 2, 5), 5 * randint(rng, 25, 190)
        prices = pair(rng, 126, 951, (10, 50, 100))
        rest = m * second if level == 5 else 0
        paid = 1000 * (1 + (max(n) * max(prices) + rest + 20) // 1000)
        corner = corners(lambda n, price: paid - n * price - rest, n, prices)
        if corner is None:
            return change(rng, level)
        values = [*corner]
        what = f"{plural(n[0], good)} at {_dollars(prices[0])} each"
        if level == 5:
            what += f" and {plural(m, other)} at {_dollars(second)} each"
    text = f"{who} buys {what} and pays with {_dollars(paid)}. {ask}"
    return offer(text, values, _dollars)


Draft = tuple[str, Sequence[int] | None, str]


def rates(rng: random.Random, level: int) -> Item:
    """Solve a problem about a constant rate.

    Level 1 multiplies a rate by a time, 2 divides, 3 scales a rate given for several units,
    4 lets two travellers meet or one catch up, 5 combines the work or the speeds of two.
    """
    text, values, unit = (_multiply, _divide, _scale, _meet, _combine)[level - 1](rng)
    return offer(text, values, f"{{}} {unit}".format) if values else rates(rng, level)


def _multiply(rng: random.Random) -> Draft:
    """Ask for a distance or a number of pages."""
    if randbelow(rng, 2):
        pages, days = pair(rng, 3, 40), pair(rng, 3, 15)
        text = f"{choice(rng, PEOPLE)} reads {pages[0]} pages a day. "
        text += f"How many pages are that in {days[0]} days?"
        return text, corners(mul, pages, days), "pages"
    fives, hours = pair(rng, 4, 24, (1, 2, 4)), pair(rng, 2, 9)
    text = f"A train travels at {5 * fives[0]} km per hour. How far does it go in {hours[0]} hours?"
    return text, corners(lambda fives, hours: 5 * fives * hours, fives, hours), "km"


def _divide(rng: random.Random) -> Draft:
    """Ask for a time or a number of boxes."""
    if randbelow(rng, 2):
        boxes, size = four(rng, 3, 40, (1, 2, 3, 10)), randint(rng, 3, 12)
        text = f"A shop has {size * boxes[0]} mugs in boxes of {size}. How many boxes are there?"
        return text, boxes, "boxes"
    hours, speed = four(rng, 2, 14, (1, 2, 3)), 5 * randint(rng, 4, 24)
    text = f"A bus covers {speed * hours[0]} km at {speed} km per hour. How long does it take?"
    return text, hours, "hours"


def _scale(rng: random.Random) -> Draft:
    """Ask for a distance in minutes, or for a price given that of another quantity."""
    if randbelow(rng, 2):
        price, wanted, n = pair(rng, 3, 12), pair(rng, 5, 24), randint(rng, 2, 9)
        text = f"{n} tickets cost ${price[0] * n}. How many dollars do {wanted[0]} tickets cost?"
        return text, None if n in wanted else corners(mul, price, wanted), "dollars"
    minutes, by = choice(rng, ((20, 3), (30, 2), (40, 3), (45, 4), (10, 6), (15, 4)))
    speeds = [5 * by * n for n in four(rng, 2, 36 // by, (1, 2))]
    text = f"A car drives at {speeds[0]} km per hour. How far does it go in {minutes} minutes?"
    return text, [minutes * speed // 60 for speed in speeds], "km"


def _meet(rng: random.Random) -> Draft:
    """Ask when two trains meet, or where a car catches up with a truck."""
    speed = 5 * randint(rng, 4, 24)
    if randbelow(rng, 2):
        more, time = pair(rng, 3, 12), pair(rng, 2, 9)
        text = (
            f"A truck leaves at {speed} km per hour. When it is {5 * more[0] * time[0]} km ahead, "
            f"a car follows it at {speed + 5 * more[0]} km per hour. How far has the car gone when "
            "it catches up?"
        )
        return text, corners(lambda more, time: (speed + 5 * more) * time, more, time), "km"
    hours, fast = four(rng, 2, 14, (1, 2, 3)), speed + 5 * randint(rng, 3, 12)
    text = (
        f"Two trains start at the same time, {(fast + speed) * hours[0]} km apart, and run towards "
        f"each other at {fast} and {speed} km per hour. After how many hours do they meet?"
    )
    return text, hours, "hours"


def _combine(rng: random.Random) -> Draft:
    """Ask how long two people need together, or for the average speed of two trips."""
    one, two = sample(rng, PEOPLE, 2)
    hours = four(rng, 2, 24, (1, 2, 3, 4))
    first, second = choice(rng, _HOURS_ALONE[hours[0]])
    if randbelow(rng, 2):
        text = (
            f"{one} travels to town at {first} km per hour and back the same way at "
            f"{second} km per hour. What is the average speed over the whole trip?"
        )
        return text, [2 * n for n in hours], "km per hour"
    text = (
        f"{one} needs {first} hours to {choice(rng, _WORKS)}, {two} needs {second} hours. "
        "Each works at a steady rate. How long do they need together?"
    )
    return text, hours, "hours"
