"""Everyday calculations: weekdays, dates, clock times, change, and constant rates.

Invariants:

- Dates follow the Gregorian calendar. Times are written as HH:MM on the 24-hour clock.
- Amounts are in whole cents. Problems about rates have integer answers by construction.
- All options have the same unit. The locale has no influence.
"""

from __future__ import annotations

import random
from datetime import date
from operator import add, mul

from textgym.envs.generation import (
    MONTHS,
    WEEKDAYS,
    Unfit,
    choice,
    randbelow,
    randint,
    redrawn,
    sample,
)
from textgym.envs.mcqa.families.question import (
    Item,
    ValuesInUnit,
    corners,
    four,
    offer,
    pair,
    plural,
)
from textgym.envs.mcqa.families.words import GOODS, PEOPLE

_FIRST = date(1950, 1, 1).toordinal()
_LAST = date(2049, 12, 31).toordinal()
_TRIPS = ("flight", "night bus ride", "train ride", "party", "festival", "ferry trip", "hike")


def _written(ordinal: int) -> str:
    """Write the date of a day number such as 737913: 3 May 2021."""
    day = date.fromordinal(ordinal)
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def weekdays(rng: random.Random, level: int) -> Item:
    """Find a day of the week.

    Level 1 moves up to 6 days forwards or back, level 2 up to 60 days, level 3 stays within a
    month, level 4 crosses one month of a given year, level 5 gives only the date.
    """
    start, content = randbelow(rng, 7), ""
    if level <= 2:
        n = randint(rng, 2, 6) if level == 1 else randint(rng, 8, 60)
        if randbelow(rng, 2):
            end, asks = start + n, ("What day will it be in {} days?", "What day is {} days later?")
        else:
            end, asks = start - n, ("What day was it {} days ago?", "What day is {} days earlier?")
        right = end % 7
        question = f"Today is {WEEKDAYS[start]}. {choice(rng, asks).format(n)}"
    else:
        day = date.fromordinal(randint(rng, _FIRST, _LAST - 70))
        right = day.weekday()
        if level == 3:
            other = day.replace(day=(day.day + randint(rng, 4, 20)) % 28 + 1)
            month = MONTHS[day.month - 1]
            given = f"In some year, {other.day} {month} is a {WEEKDAYS[other.weekday()]}."
            content = question = f"{given} What day of the week is {day.day} {month} of that year?"
        elif level == 4:
            later = day.toordinal() + randint(rng, 29, 60)
            given = f"{_written(later)} is a {WEEKDAYS[(later - 1) % 7]}."
            content = question = f"{given} What day of the week is {_written(day.toordinal())}?"
        else:
            ask = choice(rng, ("On what day of the week does {} fall?", "What weekday is {}?"))
            content = _written(day.toordinal())
            question = ask.format(content) + " Use the Gregorian calendar."
    others = [name for i, name in enumerate(WEEKDAYS) if i != right]
    return Item(question, WEEKDAYS[right], sample(rng, others, 3), content)


_AFTER = ("Which date is {} days after {}?", "It is {1}. What is the date in {0} days?")
_BEFORE = ("Which date is {} days before {}?", "It is {1}. What was the date {0} days ago?")
_BETWEEN = (
    "How many days after {} is {}?",
    "How many days is it from {} to {}, not counting the first day?",
)


def dates(rng: random.Random, level: int) -> Item:
    """Move through the calendar.

    Level 1 moves within a month, level 2 over the end of a month, level 3 counts the days between
    two dates, level 4 crosses the end of February, level 5 moves by 100 to 800 days.
    """
    counts = level == 3 or (level == 4 and randbelow(rng, 2) == 1)
    sign = 1 if counts else choice(rng, (1, -1))
    first, last, low, high = (
        (13, 16, 2, 12), (18, 28, 14, 40), (1, 28, 12, 150), (20, 28, 42, 90), (1, 28, 100, 800)
    )[level - 1]  # fmt: skip
    month = randint(rng, 1, 2) if level == 4 else randint(rng, 1, 12)
    if sign < 0 and level in (2, 4):
        month, first, last = month if level == 2 else month + 2, 1, 9
    start = date(randint(rng, 1950, 2045), month, randint(rng, first, last)).toordinal()
    steps = four(rng, low, high, (1, 2, 3) if level == 1 else (1, 2, 7, 10))
    if counts:
        question = choice(rng, _BETWEEN).format(_written(start), _written(start + steps[0]))
        return offer(question, steps)
    question = choice(rng, _AFTER if sign > 0 else _BEFORE).format(steps[0], _written(start))
    return offer(question, [start + sign * step for step in steps], _written)


def _clock(minutes: int) -> str:
    """Write minutes after midnight as HH:MM, modulo one day."""
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


def _hours(minutes: int) -> str:
    """Write a duration in hours and minutes."""
    return f"{minutes // 60} h {minutes % 60} min"


def clock(rng: random.Random, level: int) -> Item:
    """Calculate with clock times.

    Level 1 adds or takes whole hours, level 2 up to 55 minutes, level 3 hours and minutes, level 4
    times past midnight and durations, level 5 a journey between two time zones.
    """
    trip, sign = choice(rng, _TRIPS), choice(rng, (1, -1))
    if level == 1:
        now, hours = randint(rng, 480, 959), four(rng, 2, 8, (1, 2, 3))
        word = "later" if sign > 0 else "earlier"
        text = f"It is {_clock(now)}. What time is it {hours[0]} hours {word}?"
        return offer(text, [now + sign * 60 * n for n in hours], _clock)
    if level == 2:
        start, fives = pair(rng, 60, 1379, (10, 30, 60)), pair(rng, 1, 11, (1, 2, 4))
        times = corners(lambda start, fives: start + sign * 5 * fives, start, fives)
        n = 5 * fives[0]
        told = f"{n} minutes ago it was" if sign > 0 else f"In {n} minutes it will be"
        text = f"{told} {_clock(start[0])}. What time is it now?"
    elif level == 3:
        start, long = pair(rng, 120, 1000, (10, 30, 60)), pair(rng, 65, 290, (10, 20, 60))
        times = corners(add, start, long)
        text = f"A {trip} starts at {_clock(start[0])} and lasts {_hours(long[0])}. "
        text += "When does it end?"
    elif level == 4:
        return _overnight(rng, trip)
    else:
        *there, here = sample(rng, range(-8, 11), 3)
        leaves, long = randint(rng, 0, 1439), pair(rng, 100, 800, (10, 30, 60))
        zones = there[0], there[1]
        times = corners(lambda zone, long: leaves + long + 60 * (zone - here), zones, long)
        text = (
            f"A plane leaves a city at UTC{here:+d} at {_clock(leaves)} local time and flies "
            f"{_hours(long[0])} to a city at UTC{zones[0]:+d}. "
            "What is the local time there when it lands?"
        )
    return offer(text, times, _clock)


@redrawn
def _overnight(rng: random.Random, trip: str) -> Item:
    """Ask for the end or the duration of an event that lasts past midnight."""
    start = pair(rng, 1240, 1439, (10, 30, 60))
    if randbelow(rng, 2):
        end = pair(rng, 1500, 1960, (10, 20, 60))
        lengths = corners(lambda start, end: end - start, start, end)
        text = f"A {trip} starts at {_clock(start[0])} and ends at {_clock(end[0])} the next day. "
        text += "How long is it?"
        return offer(text, lengths, _hours)
    long = pair(rng, 200, 700, (10, 20, 60))
    times = corners(add, start, long)
    text = f"A {trip} starts at {_clock(start[0])} and lasts {_hours(long[0])}. "
    text += "At what time does it end?"
    return offer(text, times, _clock)


# pairs of hours that two people need separately, by the hours that they need together
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

    Level 1 buys one item for whole dollars, level 2 one with cents, level 3 two different items,
    level 4 several of one item, level 5 several of two items.
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
        values = [*corners(lambda n, price: paid - n * price - rest, n, prices)]
        what = f"{plural(n[0], good)} at {_dollars(prices[0])} each"
        if level == 5:
            what += f" and {plural(m, other)} at {_dollars(second)} each"
    text = f"{who} buys {what} and pays with {_dollars(paid)}. {ask}"
    return offer(text, values, _dollars)


def rates(rng: random.Random, level: int) -> Item:
    """Solve a problem about a constant rate.

    Level 1 multiplies a rate by a time, level 2 divides, level 3 scales a rate given for several
    units, level 4 lets two travellers meet or one catch up, level 5 combines the work or the speeds
    of two.
    """
    text, values, unit = (_multiply, _divide, _scale, _meet, _combine)[level - 1](rng)
    return offer(text, values, f"{{}} {unit}".format)


def _multiply(rng: random.Random) -> ValuesInUnit:
    """Ask for a distance or a number of pages."""
    if randbelow(rng, 2):
        pages, days = pair(rng, 3, 40), pair(rng, 3, 15)
        text = f"{choice(rng, PEOPLE)} reads {pages[0]} pages a day. "
        text += f"How many pages are that in {days[0]} days?"
        return text, corners(mul, pages, days), "pages"
    fives, hours = pair(rng, 4, 24, (1, 2, 4)), pair(rng, 2, 9)
    text = f"A train travels at {5 * fives[0]} km per hour. How far does it go in {hours[0]} hours?"
    return text, corners(lambda fives, hours: 5 * fives * hours, fives, hours), "km"


def _divide(rng: random.Random) -> ValuesInUnit:
    """Ask for a time or a number of boxes."""
    if randbelow(rng, 2):
        boxes, size = four(rng, 3, 40, (1, 2, 3, 10)), randint(rng, 3, 12)
        text = f"A shop has {size * boxes[0]} mugs in boxes of {size}. How many boxes are there?"
        return text, boxes, "boxes"
    hours, speed = four(rng, 2, 14, (1, 2, 3)), 5 * randint(rng, 4, 24)
    text = f"A bus covers {speed * hours[0]} km at {speed} km per hour. How long does it take?"
    return text, hours, "hours"


def _scale(rng: random.Random) -> ValuesInUnit:
    """Ask for a distance in minutes, or for the price of another quantity."""
    if randbelow(rng, 2):
        price, wanted, n = pair(rng, 3, 12), pair(rng, 5, 24), randint(rng, 2, 9)
        if n in wanted:
            raise Unfit
        text = f"{n} tickets cost ${price[0] * n}. How many dollars do {wanted[0]} tickets cost?"
        return text, corners(mul, price, wanted), "dollars"
    minutes, by = choice(rng, ((20, 3), (30, 2), (40, 3), (45, 4), (10, 6), (15, 4)))
    speeds = [5 * by * n for n in four(rng, 2, 36 // by, (1, 2))]
    text = f"A car drives at {speeds[0]} km per hour. How far does it go in {minutes} minutes?"
    return text, [minutes * speed // 60 for speed in speeds], "km"


def _meet(rng: random.Random) -> ValuesInUnit:
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


def _combine(rng: random.Random) -> ValuesInUnit:
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
