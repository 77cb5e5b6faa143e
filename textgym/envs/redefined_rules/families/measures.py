"""Units that are divided differently, and calendars with other months and weeks.

The contents of rules are

- for units, such as an hour of 40 minutes, `("unit", unit, parts)` and
  `("tiers", unit, first, parts, other)`;
- for calendars, `("months", days)`, `("some", names, days)` and `("week", days)`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial

from textgym.envs.generation import (
    MONTHS,
    WEEKDAYS,
    Unfit,
    choice,
    listing,
    randbelow,
    randint,
    sample,
)
from textgym.envs.redefined_rules.families.puzzle import (
    Answer,
    Content,
    Puzzle,
    Rule,
    replace_rule,
    worded,
)

__all__ = ["calendars", "in_parts", "units"]


_USUAL = {
    "week": ("day", 7),
    "day": ("hour", 24),
    "hour": ("minute", 60),
    "minute": ("second", 60),
    "century": ("decade", 10),
    "decade": ("year", 10),
    "year": ("month", 12),
    "yard": ("foot", 3),
    "foot": ("inch", 12),
    "gross": ("dozen", 12),
    "dozen": ("egg", 12),
    "stone": ("pound", 14),
    "pound": ("ounce", 16),
    "gallon": ("quart", 4),
    "quart": ("pint", 2),
    "metre": ("centimetre", 100),
    "centimetre": ("millimetre", 10),
    "euro": ("cent", 100),
}
_PLURALS = {
    "century": "centuries", "foot": "feet", "gross": "gross", "inch": "inches",
}  # fmt: skip
_UNITS = tuple(_USUAL)
_UPPER_UNITS = tuple(unit for unit, (part, _) in _USUAL.items() if part in _USUAL)
_RULES = (
    "there are {k} {parts} in {unit} here.",
    "in this country, {unit} has {k} {parts}.",
    "suppose that {unit} is divided into {k} {parts}.",
    "on this island, {unit} consists of {k} {parts}.",
)
_TIERS = (
    "the first {first} {units} have {k} {parts} each, and every {unit} after them has {other}.",
    "up to the {first}th {unit}, {a_unit} has {k} {parts}; from the next one on, it has {other}.",
)
_QUESTIONS = (
    "How many {small} are {amount}?",
    "Express {amount} in {small}.",
    "You have {amount}. How many {small} is that?",
)
_SUMS = (
    "How much are {amounts} together?",
    "Add up {amounts}.",
    "Someone counts {amounts}. What is the total?",
)
_FORM = "the number"
_MIN_STATED, _MAX_STATED = 11, 999  # on level 0, so many that hardly any answer comes again
_SUM_FORM = "two numbers separated by a comma: the full {bigs}, and the {smalls} that are left over"


def units(rng: random.Random, level: int) -> Puzzle:
    """Convert or add amounts whose units are divided differently; on level 0, repeat the rule."""
    if level == 0:
        return _stated(rng)
    if level == 2:
        return _sum(rng)
    big = choice(rng, _UNITS if level == 1 else _UPPER_UNITS)
    chain = [big, _USUAL[big][0]]
    rules = [_tiers(rng, big) if level >= 4 else _division(rng, big)]
    if level >= 3:
        middle = chain[1]
        chain.append(_USUAL[middle][0])
        rules.append(_division(rng, middle))
        if level == 5:
            replace_rule(rng, rules, 1, _a(middle), _division(rng, middle))
    counts = [randint(rng, 2, 9), *(randint(rng, 1, 7) for _ in chain[1:])]
    if level >= 4:
        counts[0] = rules[0].content[2] + randint(rng, 1, 6)
    parts = [amount(count, unit) for count, unit in zip(counts, chain, strict=True)]
    if level >= 4:
        parts[0] = f"the first {parts[0]}"
        parts[1:] = [f"{part.replace(' ', ' more ', 1)}" for part in parts[1:]]
    frames = _QUESTIONS if level < 4 else _QUESTIONS[:-1]
    question = worded(rng, frames, small=_plural(chain[-1]), amount=listing(parts))
    return Puzzle(rules, question, [chain, counts], _FORM, partial(in_parts, chain, counts))


def _stated(rng: random.Random) -> Puzzle:
    big = choice(rng, _UNITS)
    small, usual = _USUAL[big]
    parts = randint(rng, _MIN_STATED, _MAX_STATED)
    if parts == usual:
        raise Unfit
    chain, counts = [big, small], [1, 0]
    rule = Rule(("unit", big, parts), f"Here {_a(big)} has {parts} {_plural(small)}.")
    question = f"How many {_plural(small)} does {_a(big)} have?"
    return Puzzle([rule], question, [chain, counts], _FORM, partial(in_parts, chain, counts))


def _sum(rng: random.Random) -> Puzzle:
    big = choice(rng, _UNITS)
    small = _USUAL[big][0]
    rule = _division(rng, big)
    total = [0, 0]
    while total[1] < rule.content[2]:  # the number of parts must matter
        pairs = [
            [randint(rng, 1, 9), randint(rng, 1, rule.content[2] - 1)]
            for _ in range(3 + randbelow(rng, 3))
        ]
        total = [sum(column) for column in zip(*pairs, strict=True)]
    amounts = [f"{amount(one, big)} {amount(other, small)}" for one, other in pairs]

    def solve(contents: Sequence[Content]) -> Answer:
        one = in_parts([big, small], [1, 0], contents)
        return [*divmod(in_parts([big, small], total, contents), one)]

    question = worded(rng, _SUMS, amounts=listing(amounts))
    form = _SUM_FORM.format(bigs=_plural(big), smalls=_plural(small))
    return Puzzle([rule], question, [big, sorted(pairs)], form, solve)


def in_parts(chain: Sequence[str], counts: Sequence[int], contents: Sequence[Content]) -> int:
    """Return an amount in the smallest of its units under the given rules.

    Args:
        chain: Units, each divided into the next.
        counts: How many there are of each.
        contents: The contents of rules; a later one wins.

    Example:
        >>> in_parts(["hour", "minute"], [2, 5], ())
        125
        >>> in_parts(["hour", "minute"], [2, 5], [("unit", "hour", 40)])
        85
        >>> in_parts(["hour", "minute"], [5, 0], [("tiers", "hour", 3, 40, 50)])
        220
    """
    rules = {content[1]: content for content in contents}
    total = counts[0]
    for unit, more in zip(chain[:-1], counts[1:], strict=True):
        rule = rules.get(unit)
        if rule is None:
            total *= _USUAL[unit][1]
        elif rule[0] == "unit":
            total *= rule[2]
        else:
            _, _, first, k, other = rule
            total = min(total, first) * k + max(total - first, 0) * other
        total += more
    return total


def amount(count: int, unit: str) -> str:
    """Write a count with its unit: `1 foot`, `2 feet`."""
    return f"{count} {unit if count == 1 else _plural(unit)}"


def _plural(unit: str) -> str:
    return _PLURALS.get(unit, f"{unit}s")


def _a(unit: str) -> str:
    return f"an {unit}" if unit == "hour" else f"a {unit}"


def _draw_parts(rng: random.Random, unit: str, unlike: int = 0) -> int:
    """Return how many parts a unit has: neither the usual number nor a given one."""
    usual = _USUAL[unit][1]
    while True:
        parts = randint(rng, max(3, usual // 3), max(20, 2 * usual))
        if parts not in (usual, unlike):
            return parts


def _division(rng: random.Random, unit: str) -> Rule:
    parts = _draw_parts(rng, unit)
    text = worded(rng, _RULES, unit=_a(unit), k=parts, parts=_plural(_USUAL[unit][0]))
    return Rule(("unit", unit, parts), text)


def _tiers(rng: random.Random, unit: str) -> Rule:
    first, k = randint(rng, 4, 9), _draw_parts(rng, unit)
    other = _draw_parts(rng, unit, unlike=k)
    named = {"unit": unit, "units": _plural(unit), "a_unit": _a(unit)}
    parts = _plural(_USUAL[unit][0])
    text = worded(rng, _TIERS, first=first, k=k, parts=parts, other=other, **named)
    return Rule(("tiers", unit, first, k, other), text)


_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_OTHER_LENGTHS: tuple[int, ...] = (*range(18, 28), *range(33, 43))
_ALL = (
    "every month has {} days in this calendar.",
    "on this planet, each of the twelve months has {} days.",
    "suppose that all months are {} days long.",
)
_ORDINARY = (
    "ordinary months have {} days.",
    "months that are no exception are {} days long.",
)
_SOME = (
    "months whose names {} have {} days, unlike the others.",
    "there is an exception: months whose names {} are {} days long.",
)
_NAMES: dict[str, Callable[[str], bool]] = {
    "begin with J": lambda name: name[0] == "J",
    "begin with M or A": lambda name: name[0] in "MA",
    "end in -ber": lambda name: name.endswith("ber"),
    "end in y": lambda name: name.endswith("y"),
    "contain an r": lambda name: "r" in name,
    "have fewer than six letters": lambda name: len(name) < 6,
}
_WEEKS = (
    "a week has {n} days, which follow each other in this order: {days}. Then {first} comes again.",
    "the days of the week are {days}, in this order; after {last} it is {first} again.",
    "in this place the week goes {days}, and then it begins again with {first}.",
)
_DATES = (
    "Which date is {n} days after {date}?",
    "It is {date}. Which date will it be in {n} days?",
    "A parcel is sent on {date} and arrives {n} days later. On which date does it arrive?",
)
_SPANS = (
    "How many days is it from {date} to the next {other}?",
    "It is {date}. In how many days will it be {other}?",
)
_WEEKLY = (
    "A shop gets bread on a {day}, and from then on every {n} days. On which days of the week does "
    "it get bread the first {times} times, that {day} included?",
    "Someone waters the flowers on a {day} and then again every {n} days. Name the days of the "
    "week of the first {times} waterings, that {day} included.",
)
_BOTH = (
    "{date} is a {day}. Which day of the week and which date is it {n} days later?",
    "Today is {day}, {date}. What will the day of the week and the date be in {n} days?",
)
_DATE_FORM = "the date, in the form March 5"
_SPAN_FORM = "the number of days"
_WEEKLY_FORM = "the days of the week in their order, separated by commas"
_BOTH_FORM = "the day of the week and the date, in the form Monday, March 5"


def calendars(rng: random.Random, level: int) -> Puzzle:
    """Reckon with dates and days of the week in another calendar."""
    if level <= 2:
        draw = choice(rng, (_date, _span, _weekly))
        return draw(rng, level)
    date, days = _draw_date(rng), randint(rng, 25, 60 + 20 * level)
    rules = [_months(rng), _week(rng)]
    if level >= 4:
        passed = [MONTHS[(date[0] + place) % 12] for place in range(days // 30 + 1)]
        rules.insert(1, _some_months(rng, passed))
    if level == 5:
        new = _week(rng) if rng.random() < 0.5 else _months(rng, _ORDINARY)
        place = 2 if new.content[0] == "week" else 0
        subject = "the week" if place else "the length of ordinary months"
        replace_rule(rng, rules, place, subject, new)
    day = choice(rng, _common_days(rules))

    def solve(contents: Sequence[Content]) -> Answer:
        return [_later_day(day, days, contents), _later_date(date, days, contents)]

    question = worded(rng, _BOTH, date=_written(date), day=day, n=days)
    return Puzzle(rules, question, [date, day, days], _BOTH_FORM, solve)


def _date(rng: random.Random, level: int) -> Puzzle:
    date, days = _draw_date(rng), randint(rng, 20, 60 * level)
    question = worded(rng, _DATES, date=_written(date), n=days)
    solve = partial(_later_date, date, days)
    return Puzzle([_months(rng)], question, [date, days], _DATE_FORM, solve)


def _span(rng: random.Random, level: int) -> Puzzle:
    date, other = _draw_date(rng), _draw_date(rng)
    other = (date[0] + randint(rng, 1, 2 * level)) % 12, other[1]

    def solve(contents: Sequence[Content]) -> Answer:
        months = range(date[0], date[0] + (other[0] - date[0]) % 12)
        return sum(_length(month % 12, contents) for month in months) + other[1] - date[1]

    question = worded(rng, _SPANS, date=_written(date), other=_written(other))
    return Puzzle([_months(rng)], question, [date, other], _SPAN_FORM, solve)


def _weekly(rng: random.Random, level: int) -> Puzzle:
    rule = _week(rng)
    day, step, times = choice(rng, _common_days([rule])), randint(rng, 2, 12), 3 + level

    def solve(contents: Sequence[Content]) -> Answer:
        return [_later_day(day, step * time, contents) for time in range(times)]

    question = worded(rng, _WEEKLY, day=day, n=step, times=times)
    return Puzzle([rule], question, [day, step, times], _WEEKLY_FORM, solve)


def _later_day(day: str, days: int, contents: Sequence[Content]) -> str:
    rules = {content[0]: content[1] for content in contents}
    week: Sequence[str] = rules.get("week", WEEKDAYS)
    return week[(week.index(day) + days) % len(week)]


def _later_date(date: tuple[int, int], days: int, contents: Sequence[Content]) -> str:
    month, day = date
    day += days
    while day > _length(month, contents):
        day -= _length(month, contents)
        month = (month + 1) % 12
    return _written((month, day))


def _length(month: int, contents: Sequence[Content]) -> int:
    """Return how many days a month has, numbered from 0."""
    days = _LENGTHS[month]
    rules = {content[0]: content for content in contents}
    if "months" in rules:
        days = rules["months"][1]
    if "some" in rules and _NAMES[rules["some"][1]](MONTHS[month]):
        days = rules["some"][2]
    return int(days)


def _written(date: tuple[int, int]) -> str:
    return f"{MONTHS[date[0]]} {date[1]}"


def _draw_date(rng: random.Random) -> tuple[int, int]:
    return randint(rng, 0, 11), randint(rng, 1, 18)  # a day that every month has


def _draw_length(rng: random.Random) -> int:
    return choice(rng, _OTHER_LENGTHS)


def _months(rng: random.Random, frames: Sequence[str] = _ALL) -> Rule:
    days = _draw_length(rng)
    return Rule(("months", days), worded(rng, frames, days))


def _some_months(rng: random.Random, passed: Sequence[str]) -> Rule:
    """Draw an exception for some months, one of those that pass among them."""
    kinds = [names for names, are_meant in _NAMES.items() if any(map(are_meant, passed))]
    names, days = choice(rng, kinds or tuple(_NAMES)), _draw_length(rng)
    return Rule(("some", names, days), worded(rng, _SOME, names, days))


def _week(rng: random.Random) -> Rule:
    days = sample(rng, WEEKDAYS, randint(rng, 5, 7))
    text = worded(rng, _WEEKS, n=len(days), days=", ".join(days), first=days[0], last=days[-1])
    return Rule(("week", days), text)


def _common_days(rules: Sequence[Rule]) -> list[str]:
    """Return the days that all weeks of the rules have."""
    weeks = [rule.content[1] for rule in rules if rule.content[0] == "week"]
    return [day for day in WEEKDAYS if all(day in week for week in weeks)]
