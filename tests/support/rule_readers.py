"""Readers of prompts about calculating, sorting and measuring by redefined rules.

Each reader gets the text of a prompt of `textgym/RedefinedRules-v0` and returns its answer. It
shares no code with the environment and works in another way where that is possible: expressions
are split at the sign that comes last, items are compared in pairs, units are counted one by one,
and calendars pass day by day.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cmp_to_key
from typing import Any

__all__ = ["ORDINALS", "READERS", "sentences", "the"]

MONTHS = {
    "January": 31, "February": 28, "March": 31, "April": 30, "May": 31, "June": 30, "July": 31,
    "August": 31, "September": 30, "October": 31, "November": 30, "December": 31,
}  # fmt: skip
NAMES = list(MONTHS)
WEEK = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"]


def the(pattern: str, text: str) -> re.Match[str]:
    """Return the first match of a pattern that must occur in a text."""
    found = re.search(pattern, text)
    assert found, f"{pattern!r} is not in {text!r}"
    return found


def sentences(text: str) -> list[str]:
    """Split a text into sentences."""
    return re.split(r"(?<=[.?])\s+", text.strip())


# Calculating.

Sign = Callable[[int, int], int]

LEFT, RIGHT, BOTH = "the number on its left", "the number on its right", "the two numbers beside it"
PHRASES: list[tuple[str, Callable[[int, int, int], int]]] = [
    (rf"adds (\d) times {LEFT} to {RIGHT}", lambda a, b, k: k * a + b),
    (rf"adds (\d) times {RIGHT} to {LEFT}", lambda a, b, k: k * b + a),
    (rf"adds {BOTH}, and then (\d) more", lambda a, b, k: a + b + k),
    (rf"adds {BOTH} and multiplies their sum by (\d)", lambda a, b, k: k * (a + b)),
    (rf"multiplies {BOTH} and adds (\d)", lambda a, b, k: a * b + k),
    (rf"multiplies {BOTH} and takes (\d) away", lambda a, b, k: a * b - k),
    (r"takes the smaller of .* the difference by (\d)", lambda a, b, k: k * max(a - b, b - a)),
    (rf"multiplies the larger of {BOTH} by (\d)", lambda a, b, k: k * sorted((a, b))[1]),
    (rf"multiplies the smaller of {BOTH} by (\d)", lambda a, b, k: k * sorted((a, b))[0]),
    (rf"takes {RIGHT} away from {LEFT}()", lambda a, b, k: a - b),
    (rf"takes {LEFT} away from {RIGHT}()", lambda a, b, k: b - a),
    (rf"adds {BOTH}()", lambda a, b, k: a + b),
    (rf"multiplies {BOTH}()", lambda a, b, k: a * b),
]
USUAL: dict[str, Sign] = {
    "+": lambda a, b: a + b,
    "−": lambda a, b: a - b,
    "×": lambda a, b: a * b,
}


def holds(condition: str, a: int, b: int) -> bool:
    """Tell whether a condition on the numbers beside a sign holds."""
    number = a if "on its left is" in condition else b
    if "odd" in condition or "even" in condition:
        return bool(number & 1) == ("odd" in condition)
    return a > b if "larger" in condition else b > a


def meaning_of(sentence: str, sign: str) -> Sign:
    """Return what a sentence says that a sign does."""
    pattern, function = next(phrase for phrase in PHRASES if re.search(phrase[0], sentence))
    found = the(pattern, sentence)
    k = int(found[1] or 0)
    condition = re.search(
        r"(?:where|if) (the number on its (?:left|right) is [^,:]*)[,:]", sentence, re.I
    )

    def apply(a: int, b: int) -> int:
        if condition and not holds(condition[1], a, b):
            return USUAL[sign](a, b)
        return function(a, b, k)

    return apply


def calculation(prompt: str) -> int:
    """Read an expression and the rules for it."""
    signs = dict(USUAL)
    strength = {"×": 2, "+": 1, "−": 1}
    from_right = False
    for sentence in sentences(prompt):
        named = re.search(r"the sign ([+−×])", sentence, re.I)
        order = re.search(r"from (left to right|right to left)", sentence)
        if order and "stays as it is" not in sentence:
            from_right = order[1] == "right to left"
            clause = sentence[: order.start()]
            if "the same rank, and they" in clause:
                strength = dict.fromkeys(signs, 1)
            elif " before " in clause:
                early, late = clause.split(" before ", 1)
                late = late.split(", and")[0]
                strength = {s: 2 if s in early else 1 for s in signs if s in early or s in late}
            else:
                found = re.findall("[+−×]", clause)
                strength = {s: 3 - place for place, s in enumerate(found)}
            assert len(strength) == 3, sentence
        elif named and re.search(r"adds|multiplies|takes", sentence):
            signs[named[1]] = meaning_of(sentence, named[1])
    (expression,) = re.findall(r"\d+(?: [+−×] \d+)+", prompt)
    return value_of(expression.split(), signs, strength, from_right)


def value_of(
    parts: list[str], signs: dict[str, Sign], strength: dict[str, int], from_right: bool
) -> int:
    """Split an expression at the sign that is worked out last."""
    if len(parts) == 1:
        return int(parts[0])
    places = range(1, len(parts), 2)
    weakest = min(strength[parts[place]] for place in places)
    weak = [place for place in places if strength[parts[place]] == weakest]
    last = weak[0] if from_right else weak[-1]
    one = value_of(parts[:last], signs, strength, from_right)
    other = value_of(parts[last + 1 :], signs, strength, from_right)
    return signs[parts[last]](one, other)


# Sorting.


def items_of(prompt: str, item: str) -> list[str]:
    """Return the items that a question lists."""
    return max(re.findall(rf"{item}(?:, {item})+", prompt.split("\n\n")[-2]), key=len).split(", ")


def words(prompt: str) -> list[str]:
    """Read a list of words and the rules of its order."""
    rules = prompt.split("\n\n")[0]
    alphabet, from_end, length, group, place, turned = (
        "abcdefghijklmnopqrstuvwxyz",
        False,
        0,
        "",
        0,
        False,
    )
    for sentence in sentences(rules):
        low = sentence.lower()
        full = re.search(r"\b((?:[a-z] ){25}[a-z])\b", low)
        some = re.search(
            r"(?:letters|begins with|ends with) ([a-z](?:, [a-z])*(?: and [a-z])?)\b(?=,| here)",
            low,
        )
        if full:
            alphabet = full[1].replace(" ", "")
        elif some:
            letters = re.findall(r"\b[a-z]\b", some[1].replace(" and ", " "))
            others = [letter for letter in "abcdefghijklmnopqrstuvwxyz" if letter not in letters]
            first = "before all others" in low or "begins with" in low
            alphabet = "".join(letters + others if first else others + letters)
        elif "from their end" in low or "by their last letter" in low:
            from_end = True
        elif "shorter words come before" in low or "shortest words in front" in low:
            length = 1
        elif "longer words come before" in low or "longest words in front" in low:
            length = -1
        elif "the letter" in low:
            group = the(r"the letter ([a-z])\b", low)[1]
            place = -1 if "come before" in low or "in front" in low else 1
        elif "backwards" in low or "turned around" in low:
            turned = True

    def compare(one: str, other: str) -> int:
        if group and (group in one) != (group in other):
            return place if group in one else -place
        if length and len(one) != len(other):
            return length if len(one) > len(other) else -length
        step = -1 if from_end else 1
        for a, b in zip(one[::step], other[::step], strict=False):
            if a != b:
                return alphabet.index(a) - alphabet.index(b)
        raise AssertionError(f"{one} and {other} cannot be compared")

    ordered = sorted(items_of(prompt, "[a-z]+"), key=cmp_to_key(compare))
    return list(reversed(ordered)) if turned else ordered


def numbers(prompt: str) -> list[int]:
    """Read a list of numbers and the rules of its order."""
    rules = prompt.split("\n\n")[0]
    kind, k, front, shifted, more, turned = "", 0, "", "", 0, False
    for sentence in sentences(rules):
        low = sentence.lower()
        found = [int(digits) for digits in re.findall(r"\d+", low)]
        if low.startswith("of two numbers"):
            continue
        for word, name in (
            ("score", "score"), ("how far they are", "distance"), ("the distance", "distance"),
            ("remainder", "rest"), ("what remains", "rest"), ("sum of the", "digits"),
            ("sum of their", "digits"), ("last digit", "last"),
        ):  # fmt: skip
            if word in low:
                kind, k = name, found[0] if found else 0
                break
        else:
            if "turned around" in low or "backwards" in low:
                turned = True
            elif "for sorting" in low or "were" in low:
                shifted, more = ("odd" if "odd" in low else "even"), found[0]
            elif "odd numbers" in low or "even numbers" in low:
                before = re.search(r"(odd|even) numbers (?:come before|are put in front)", low)
                front = before[1]

    def parity(n: int) -> str:
        return "odd" if str(n)[-1] in "13579" else "even"

    def rank(n: int) -> int:
        tens, ones = divmod(n, 10)
        return {
            "score": k * tens + (10 - k) * ones,
            "distance": max(n - k, k - n),
            "rest": n - k * (n // k) if k else 0,
            "digits": sum(map(int, str(n))),
            "last": ones,
        }[kind]

    def compare(one: int, other: int) -> int:
        if front and parity(one) != parity(other):
            return -1 if parity(one) == front else 1
        one, other = (n + more if parity(n) == shifted else n for n in (one, other))
        return rank(one) - rank(other) or one - other

    ordered = sorted(map(int, items_of(prompt, r"\d+")), key=cmp_to_key(compare))
    return list(reversed(ordered)) if turned else ordered


# Measuring.

PARTS = {
    "week": ("day", 7), "day": ("hour", 24), "hour": ("minute", 60), "minute": ("second", 60),
    "century": ("decade", 10), "decade": ("year", 10), "year": ("month", 12), "yard": ("foot", 3),
    "foot": ("inch", 12), "gross": ("dozen", 12), "dozen": ("egg", 12), "stone": ("pound", 14),
    "pound": ("ounce", 16), "gallon": ("quart", 4), "quart": ("pint", 2),
    "metre": ("centimetre", 100), "centimetre": ("millimetre", 10), "euro": ("cent", 100),
}  # fmt: skip
SINGULAR = {"feet": "foot", "inches": "inch", "centuries": "century", "gross": "gross"}


def singular(word: str) -> str:
    """Return the singular of a unit."""
    return SINGULAR.get(word, word.removesuffix("s"))


def measure(prompt: str) -> int | list[int]:
    """Read amounts and how their units are divided."""
    rules, question, ending = prompt.split("\n\n")
    sizes: dict[str, Callable[[int], int]] = {
        unit: lambda number, usual=usual: usual for unit, (_, usual) in PARTS.items()
    }
    for sentence in sentences(rules):
        low = sentence.lower()
        tiers = re.search(
            r"the first (\d+) (\w+) have (\d+) \w+ each, and every \w+ after them has (\d+)", low
        )
        tiers = tiers or re.search(
            r"up to the (\d+)th (\w+), an? \w+ has (\d+) \w+; from .* it has (\d+)", low
        )
        plain = re.search(r"there are (?P<k>\d+) \w+ in an? (?P<unit>\w+) here", low) or re.search(
            r"an? (?P<unit>\w+) (?:has|is divided into|consists of) (?P<k>\d+)", low
        )
        if tiers:
            first, unit, k, other = tiers.groups()

            def tiered(
                number: int, first: int = int(first), k: int = int(k), other: int = int(other)
            ) -> int:
                return k if number <= first else other

            sizes[singular(unit)] = tiered
        elif plain:
            sizes[plain["unit"]] = lambda number, k=int(plain["k"]): k
    amounts = [
        (int(count), singular(unit))
        for count, unit in re.findall(r"(\d+) (?:more )?([a-z]+)", question)
    ]

    def in_parts(count: int, unit: str) -> int:
        return sum(sizes[unit](number) for number in range(1, count + 1))

    if "left over" in ending:
        big = next(
            unit
            for unit in PARTS
            if any(unit == other for _, other in amounts)
            and any(PARTS[unit][0] == other for _, other in amounts)
        )
        small = sum(count for count, unit in amounts if unit != big)
        bigs = sum(count for count, unit in amounts if unit == big)
        while small >= sizes[big](1):
            small, bigs = small - sizes[big](1), bigs + 1
        return [bigs, small]
    asked_of_one = re.search(r"does an? (\w+) have", question)
    if asked_of_one:
        return in_parts(1, asked_of_one[1])
    asked = re.search(r"how many (\w+) (?:are|is)|in (\w+)\.$", question, re.I)
    goal = singular(asked[1] or asked[2])
    total, unit = amounts[0]
    for count, below in [*amounts[1:], (0, "")]:
        while unit != goal and unit != below:
            total, unit = in_parts(total, unit), PARTS[unit][0]
        total += count
    return total


def calendar(prompt: str) -> Any:
    """Read a date or a day, and let the days pass one by one."""
    rules, question, _ = prompt.split("\n\n")
    everywhere, exception, exceptional, week = 0, "", 0, WEEK
    for sentence in sentences(rules):
        days = re.search(r"(\d+) days", sentence)
        listed = re.findall(rf"\b(?:{'|'.join(WEEK)})\b", sentence)
        if "whose names" in sentence:
            exception, exceptional = sentence.split("whose names ")[1], int(days[1])
        elif days and "month" in sentence.lower():
            everywhere = int(days[1])
        elif len(listed) >= 5:
            week = list(dict.fromkeys(listed))

    def length(name: str) -> int:
        tests = {
            "begin with J": name.startswith("J"), "begin with M or A": name.startswith(("M", "A")),
            "end in -ber": name[-3:] == "ber", "end in y": name[-1] == "y",
            "contain an r": name.count("r") > 0, "have fewer than six letters": len(name) <= 5,
        }  # fmt: skip
        if exception and any(exception.startswith(text) and is_so for text, is_so in tests.items()):
            return exceptional
        return everywhere or MONTHS[name]

    def after(name: str, day: int) -> tuple[str, int]:
        if day < length(name):
            return name, day + 1
        return NAMES[(NAMES.index(name) + 1) % 12], 1

    found = [
        (name, int(day)) for name, day in re.findall(rf"\b({'|'.join(NAMES)}) (\d+)", question)
    ]
    if "get bread" in question or "waters" in question:
        day = the(r"on a (\w+day)", question)[1]
        step, times = map(int, re.findall(r"\d+", question))
        given = [day]
        while len(given) < times:
            for _ in range(step):
                day = week[week.index(day) + 1] if day != week[-1] else week[0]
            given.append(day)
        return given
    if len(found) == 2:
        (now, goal), count = found, 0
        while now != goal:
            now, count = after(*now), count + 1
        return count
    (date,) = found
    days = int(re.search(r"(\d+) days", question)[1])
    name = re.search(rf"\b(?:{'|'.join(WEEK)})\b", question)
    today = name[0] if name else week[0]
    for _ in range(days):
        date = after(*date)
        today = week[week.index(today) + 1] if today != week[-1] else week[0]
    written = f"{date[0]} {date[1]}"
    return [today, written] if name else written


READERS: dict[str, Callable[[str], Any]] = {
    "operators": calculation,
    "precedence": calculation,
    "alphabets": words,
    "numbers": numbers,
    "units": measure,
    "calendars": calendar,
}
