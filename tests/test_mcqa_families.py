"""The question families: one right option, no giveaway by form, answers recomputed otherwise."""

import datetime
import itertools
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache

import pytest
from family_digest import digest, digest_elsewhere

from textgym.envs.mcqa.families import FAMILIES, LEVELS, Item, draw
from textgym.envs.mcqa.families.chemistry import MASSES, NAMES, SYMBOLS
from textgym.envs.mcqa.families.geography import CONTINENTS

NAMES_OF_FAMILIES = sorted(FAMILIES)


def plain(text: str) -> str:
    """Take case and white space out of an option."""
    return "".join(text.lower().split())


def value(text: str) -> Fraction | None:
    """Read the number of an option; None where it is no number."""
    found = re.fullmatch(r"\$?(-?\d+(?:\.\d+)?(?:/\d+)?)(%| [A-Za-z][A-Za-z ]*)?", text)
    if found:
        return Fraction(found[1])
    found = re.fullmatch(r"(\d+):(\d\d)", text)
    return Fraction(int(found[1]) * 60 + int(found[2])) if found else None


@cache
def items(family: str, level: int, n: int = 450) -> tuple[Item, ...]:
    """Draw items of one family and level from a fixed seed."""
    rng = random.Random(f"{family} {level}")
    return tuple(FAMILIES[family](rng, level) for _ in range(n))


def every_item(family: str) -> Iterator[Item]:
    """Go through the drawn items of a family at all levels."""
    return itertools.chain.from_iterable(items(family, level) for level in LEVELS)


@pytest.mark.parametrize("family", NAMES_OF_FAMILIES)
def test_options_are_different_and_tidy(family: str) -> None:
    for item in every_item(family):
        options = [item.right, *item.wrong]
        assert len(item.wrong) >= 3
        assert len({plain(option) for option in options}) == len(options), item
        assert all(0 < len(option) <= 60 for option in options), item
        assert all(option == option.strip() and "\n" not in option for option in options), item
        assert item.question == item.question.strip()
        assert "  " not in item.question.rsplit("\n", 1)[-1], item


@pytest.mark.parametrize("family", sorted({*FAMILIES} - {"comparing"}))
def test_numeric_options_differ_in_value(family: str) -> None:
    for item in every_item(family):
        values = [value(option) for option in (item.right, *item.wrong)]
        if None not in values:
            assert len({*values}) == len(values), item


@pytest.mark.parametrize("family", NAMES_OF_FAMILIES)
def test_many_surface_forms(family: str) -> None:
    everything = set()
    for level in LEVELS:
        forms = {(item.question, item.right) for item in items(family, level)}
        assert len(forms) >= 60
        everything |= forms
    assert len(everything) >= 200


@pytest.mark.parametrize("family", NAMES_OF_FAMILIES)
def test_levels_differ(family: str) -> None:
    openings = [
        tuple((item.question, item.right) for item in items(family, level)) for level in LEVELS
    ]
    for one, other in itertools.combinations(openings, 2):
        shared = {*one} & {*other}
        assert len(shared) < 0.9 * len({*one} | {*other})


@pytest.mark.parametrize("family", NAMES_OF_FAMILIES)
def test_same_seed_same_item(family: str) -> None:
    for level in LEVELS:
        one, other = random.Random(5), random.Random(5)
        for _ in range(50):
            assert FAMILIES[family](one, level) == FAMILIES[family](other, level)
        assert one.getstate() == other.getstate()


def test_draw_names_the_family() -> None:
    rng = random.Random(1)
    drawn = Counter(draw(rng, 1 + i % 5)[0] for i in range(100 * len(FAMILIES)))
    assert set(drawn) == set(FAMILIES)
    assert max(drawn.values()) < 2 * min(drawn.values())


@pytest.mark.parametrize("seed", ["0", "4711"])
def test_hash_seed_changes_nothing(seed: str) -> None:
    assert digest_elsewhere("textgym.envs.mcqa.families", seed) == digest(FAMILIES, LEVELS)


Guess = Callable[[Sequence[str]], Sequence[float]]


def likeness(options: Sequence[str]) -> list[float]:
    """Count, for each option, the characters that it shares in place with the others."""
    return [
        sum(a == b for other in options for a, b in zip(option, other, strict=False))
        for option in options
    ]


def ranks(options: Sequence[str]) -> list[int] | None:
    """Give each option its place in the order of values, or None where they are no numbers."""
    values = [value(option) for option in options]
    if any(one is None for one in values):
        return None
    return [sum(other < one for other in values) for one in values]  # type: ignore[operator]


def guesses(options: Sequence[str]) -> Iterator[tuple[str, list[bool]]]:
    """Mark, for each blind strategy, the options that it would choose among."""
    lengths = [len(option) for option in options]
    yield "shortest", [length == min(lengths) for length in lengths]
    yield "longest", [length == max(lengths) for length in lengths]
    yield "first in the alphabet", [option == min(options) for option in options]
    yield "last in the alphabet", [option == max(options) for option in options]
    alike = likeness(options)
    yield "most like the others", [one == max(alike) for one in alike]
    yield "least like the others", [one == min(alike) for one in alike]
    places = ranks(options)
    if places is not None:
        for rank, name in enumerate(("smallest", "second", "third", "largest")):
            yield name, [place == rank for place in places]
        yield "in the middle", [place in (1, 2) for place in places]


@pytest.mark.parametrize("family", NAMES_OF_FAMILIES)
def test_no_blind_strategy_pays(family: str) -> None:
    rng = random.Random(family)
    hits: Counter[str] = Counter()
    tries: Counter[str] = Counter()
    for i in range(4000):
        item = FAMILIES[family](rng, LEVELS[i % 5])
        options = [item.right, *rng.sample(list(item.wrong), 3)]
        for name, chosen in guesses(options):
            tries[name] += 1
            hits[name] += chosen[0] * 60 // sum(chosen)
    for name in tries:
        if tries[name] >= 400:
            assert hits[name] / 60 / tries[name] <= 0.40, (name, hits[name] / 60 / tries[name])


def numbers_of(text: str) -> list[int]:
    """List the whole numbers of a text."""
    return [int(digits) for digits in re.findall(r"\d+", text)]


def solve_arithmetic(question: str) -> str:
    expression = re.search(r"[(\d][\d +*/()-]*\d", question)
    assert expression
    return str(int(eval(expression[0])))


def solve_missing(question: str) -> str:
    left, right = re.search(r"[:] ([\d_ +*/-]+) = ([\d_ +*/-]+)", question).groups()  # type: ignore[union-attr]
    sides = [compile(side.replace("__", "x"), "side", "eval") for side in (left, right)]
    fits = [x for x in range(1, 150) if len({eval(side, {"x": x}) for side in sides}) == 1]
    assert len(fits) == 1
    return str(fits[0])


def solve_fractions(question: str) -> str:
    text = question.replace("divided by", "/")
    expression = re.search(r"[(\d][\d +*/()-]*[\d)]", text)
    assert expression
    exact = re.sub(r"(\d+)/(\d+)", r"Fraction(\1, \2)", expression[0])
    return str(eval(exact))


def solve_percentages(question: str) -> str | None:
    if question.startswith("What percentage"):
        whole, part = numbers_of(question)
    elif "percentage of" in question:
        part, whole = numbers_of(question)
    elif "% of" in question:
        percent, whole = numbers_of(question)
        return str(Fraction(percent * whole, 100))
    else:
        return None
    return f"{Fraction(100 * part, whole)}%"


def solve_change(question: str) -> str:
    prices = [Fraction(text) for text in re.findall(r"\$(\d+(?:\.\d\d)?)", question)]
    counts = [int(text) for text in re.findall(r"(?<![$.\d])(\d+) [a-z]", question)]
    cost = sum(n * price for n, price in itertools.zip_longest(counts, prices[:-1], fillvalue=1))
    left = prices[-1] - cost
    return f"${left}" if "." not in question.split("How")[0].rstrip(". ") else f"${float(left):.2f}"


def solve_dates(question: str) -> str:
    found = [
        datetime.datetime.strptime(text, "%d %B %Y").date()
        for text in re.findall(r"\d+ [A-Z][a-z]+ \d{4}", question)
    ]
    if len(found) == 2:
        return str((found[1] - found[0]).days)
    days = re.search(r"(\d+) days", question)
    assert days
    past = "before" in question or "ago" in question
    end = found[0] + datetime.timedelta(days=int(days[1]) * (-1 if past else 1))
    return f"{end.day} {end:%B} {end.year}"


def solve_weekdays(question: str) -> str:
    dates = re.findall(r"\d+ [A-Z][a-z]+ \d{4}", question)
    if dates:
        return datetime.datetime.strptime(dates[-1], "%d %B %Y").strftime("%A")
    names = [datetime.date(2024, 1, 1 + i).strftime("%A") for i in range(7)]
    start = next(i for i, name in enumerate(names) if name in question)
    steps = numbers_of(question)
    if "In some year" in question:
        return names[(start + steps[1] - steps[0]) % 7]
    past = "ago" in question or "earlier" in question
    return names[(start + steps[0] * (-1 if past else 1)) % 7]


def solve_roman(question: str) -> str:
    worth = dict(zip("IVXLCDM", (1, 5, 10, 50, 100, 500, 1000), strict=True))

    def read(text: str) -> int:
        values = [worth[letter] for letter in text]
        return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))

    def write(n: int) -> str:
        text = ""
        for sign in ("M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"):
            while n >= read(sign):
                text, n = text + sign, n - read(sign)
        return text

    sums = re.search(r"\b([IVXLCDM]+) ([+-]) ([IVXLCDM]+)\b", question)
    if sums:
        sign = 1 if sums[2] == "+" else -1
        return write(read(sums[1]) + sign * read(sums[3]))
    if numbers_of(question):
        return write(numbers_of(question)[0])
    return str(read(re.findall(r"\b[IVXLCDM]+\b", question)[-1]))


def solve_bases(question: str) -> str:
    text = re.sub(r" \(base.*?\)", "", question)
    if found := re.search(r"In base (\d), what is (\d+) \+ (\d+)", text):
        base = int(found[1])
        total, digits = int(found[2], base) + int(found[3], base), ""
        while total:
            total, digit = divmod(total, base)
            digits = f"{digit}{digits}"
        return digits
    if found := re.search(r"(binary|octal|hexadecimal|decimal) ([\dA-F]+)", text):
        n = int(found[2], {"binary": 2, "octal": 8, "hexadecimal": 16, "decimal": 10}[found[1]])
    elif found := re.search(r"Which decimal number is (\d+) in base 2", text):
        return str(int(found[1], 2))
    else:
        n = numbers_of(text)[0]
    if "written in hexadecimal" in text:
        return f"{n:X}"
    return f"{n:b}" if "written in binary" in text or "in base 2" in text else str(n)


def solve_divisors(question: str) -> str:
    n, *others = numbers_of(question)
    if "remainder" in question or "modulo" in question:
        return str((n ** others[0] if "^" in question else n) % others[-1])
    if "common divisor" in question or "divides both" in question:
        return str(max(d for d in range(1, n + 1) if not any(m % d for m in (n, *others))))
    if "multiple" in question or "divisible by both" in question:
        return str(next(m for m in itertools.count(n, n) if m % others[0] == 0))
    divisors = [d for d in range(1, n + 1) if n % d == 0]
    if "prime" in question:
        return str(max(p for p in divisors if p > 1 and all(p % d for d in range(2, p))))
    return str(len(divisors))


def solve_clock(question: str) -> str | None:
    times = [60 * int(h) + int(m) for h, m in re.findall(r"(\d\d):(\d\d)", question)]
    if len(times) == 2:
        long = (times[1] - times[0]) % 1440
        return f"{long // 60} h {long % 60} min"
    if found := re.search(r"(\d+) h (\d+) min", question):
        long = 60 * int(found[1]) + int(found[2])
    elif found := re.search(r"(\d+) hours (later|earlier)", question):
        long = 60 * int(found[1]) * (1 if found[2] == "later" else -1)
    else:
        found = re.search(r"(\d+) minutes", question)
        assert found
        long = int(found[1]) * (1 if "ago" in question else -1)
    zones = [int(zone) for zone in re.findall(r"UTC([+-]\d+)", question)]
    shift = 60 * (zones[1] - zones[0]) if zones else 0
    end = (times[0] + long + shift) % 1440
    return f"{end // 60:02d}:{end % 60:02d}"


def solve_orderings(question: str) -> str:
    up = {"taller": 1, "older": 1, "faster": 1, "richer": 1, "stronger": 1}
    clues = re.findall(r"(\w+) is (\w+) than (\w+)\.", question)
    people = sorted({name for first, _, second in clues for name in (first, second)})
    fits = [
        order
        for order in itertools.permutations(people)
        if all((order.index(a) < order.index(b)) == (word in up) for a, word, b in clues)
    ]
    assert len(fits) == 1
    asked = re.search(r"the (second |third )?(\w+)\?$", question)
    assert asked
    place = {None: 0, "second ": 1, "third ": 2}[asked[1]]
    low = asked[2] in ("shortest", "youngest", "slowest", "poorest", "weakest")
    return fits[0][-1 - place if low else place]


def solve_molar_mass(question: str) -> str:
    formula = re.search(r"moles? of ([A-Z(][\w()]*)", question)
    assert formula
    used = dict(re.findall(r"([A-Z][a-z]?) = (\d+)", question))
    assert all(MASSES[symbol] == int(mass) for symbol, mass in used.items())
    only = re.search(r"of the (\w+) atoms", question)
    masses = {symbol: used[symbol] if not only or only[1] == symbol else "0" for symbol in used}
    text = re.sub(r"(\d+)", r"*\1", formula[1]).replace("(", "+(")
    text = re.sub(r"[A-Z][a-z]?", lambda found: "+" + masses[found[0]], text)
    moles = re.search(r"in (\d+) moles|of (\d+) moles", question)
    return f"{eval(text) * (int(moles[1] or moles[2]) if moles else 1)} g"


def solve_sequences(question: str) -> str:
    shown = re.search(r"(-?\d+(?:, -?\d+)+)", question)
    assert shown
    terms = [int(term) for term in shown[0].split(", ")]
    steps = [b - a for a, b in itertools.pairwise(terms)]
    if "Two sequences" in question:
        return str(2 * terms[-2] - terms[-4])
    if "Two operations" in question:
        fits = []
        for times, plus in itertools.product(range(2, 5), range(1, 20)):
            made = [terms[0]]
            while len(made) <= len(terms):
                made.append(made[-1] + plus if len(made) % 2 == 0 else made[-1] * times)
            fits += [made[-1]] * (made[:-1] == terms)
        assert len(fits) == 1
        return str(fits[0])
    if "times the same" in question:
        return str(terms[-1] * terms[-1] // terms[-2])
    return str(terms[-1] + 2 * steps[-1] - steps[-2])


def solve_snippets(question: str) -> str:
    text = question.removeprefix("What does the Python expression ").removesuffix(" give?")
    text = text.removeprefix("What is the value of ").removesuffix(" in Python?")
    return repr(eval(text.removeprefix("Evaluate this Python expression: ")))


def solve_alphabetical(question: str) -> str:
    words = re.search(r": ([a-z, ]+)[.]", question)
    place = re.search(r"(\w+)\?$", question)
    assert words
    assert place
    order = sorted(words[1].split(", "))
    names = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
    return order[-1 if place[1] == "last" else names.index(place[1])]


def solve_tables(question: str) -> str | None:
    head, *rows = [line.split() for line in question.split("\n")[:-1]]
    ask = question.rsplit("\n", 1)[-1]
    table = {row[0]: dict(zip(head[1:], map(int, row[1:]), strict=True)) for row in rows}
    if "most" in ask or "fewest" in ask:
        columns = [column for column in head[1:] if column in ask]
        sums = {label: sum(row[column] for column in columns) for label, row in table.items()}
        return (max if "most" in ask else min)(sums, key=lambda label: sums[label])
    if found := re.search(r"more than (\d+) (\w+)\. How many (\w+)", ask):
        return str(sum(r[found[3]] for r in table.values() if r[found[2]] > int(found[1])))
    if found := re.search(r"many (\w+) are there", ask):
        return str(sum(row[found[1]] for row in table.values()))
    if found := re.search(r"more (\w+) has the \w+ (\w+) than the \w+ (\w+)\?", ask):
        return str(table[found[2]][found[1]] - table[found[3]][found[1]])
    found = re.search(r"many (\w+) has the \w+ (\w+)\?", ask)
    assert found
    return str(table[found[2]][found[1]])


def solve_rankings(question: str) -> str | None:
    if "points" in question and "\n" in question:
        rows = [line.split() for line in question.split("\n")[1:-1]]
        order = sorted(rows, key=lambda row: -3 * int(row[1]) - int(row[2]))
        return order["second" in question][0]
    found = numbers_of(question)
    if "points" in question:
        return str(3 * found[0] + found[1])
    if "knockout" in question:
        return str(found[0] - 1 + ("third place" in question))
    if "league" in question:
        return str(math.comb(found[0], 2) * (2 if "twice" in question else 1))
    place = found[0] - found[1] + (found[2] - found[3] if len(found) > 2 else 0)
    ending = "th" if place in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"


def solve_probability(question: str) -> str | None:
    if "dice" in question:
        found = re.search(r"(exactly|at least|at most) (\d+)", question)
        assert found
        sums = [a + b for a in range(1, 7) for b in range(1, 7)]
        fits = {"exactly": int.__eq__, "at least": int.__ge__, "at most": int.__le__}[found[1]]
        return str(Fraction(sum(fits(total, int(found[2])) for total in sums), 36))
    if "coin" in question:
        coins, k = numbers_of(question)
        more = "more than" in question
        throws = [sum(throw) for throw in itertools.product((0, 1), repeat=coins)]
        return str(Fraction(sum(n > k if more else n == k for n in throws), len(throws)))
    if "divisible" in question:
        _, total, by = numbers_of(question)
        return str(Fraction(sum(n % by == 0 for n in range(1, total + 1)), total))
    bag = [colour for n, colour in re.findall(r"(\d+) ([a-z]+)", question) for _ in range(int(n))]
    asked = [
        colour for colour in {*bag} if f" is {colour}" in question or f"t {colour}" in question
    ]
    if "Two are drawn" not in question:
        hits = sum(colour in asked for colour in bag)
        return str(Fraction(len(bag) - hits if "not" in question else hits, len(bag)))
    pairs = list(itertools.permutations(bag, 2))
    if "different" in question:
        return str(Fraction(sum(a != b for a, b in pairs), len(pairs)))
    if "the same" in question:
        return str(Fraction(sum(a == b for a, b in pairs), len(pairs)))
    colour = re.search(r"(?:are|one is) (\w+)[?.]", question)
    assert colour
    fits_pair = all if "both" in question else any
    return str(Fraction(sum(fits_pair(c == colour[1] for c in p) for p in pairs), len(pairs)))


SOLVERS: dict[str, Callable[[str], str | None]] = {
    "arithmetic": solve_arithmetic,
    "missing": solve_missing,
    "fractions": solve_fractions,
    "percentages": solve_percentages,
    "change": solve_change,
    "dates": solve_dates,
    "weekdays": solve_weekdays,
    "clock": solve_clock,
    "roman": solve_roman,
    "bases": solve_bases,
    "divisors": solve_divisors,
    "orderings": solve_orderings,
    "molar_mass": solve_molar_mass,
    "sequences": solve_sequences,
    "lists": solve_snippets,
    "strings": solve_snippets,
    "alphabetical": solve_alphabetical,
    "tables": solve_tables,
    "rankings": solve_rankings,
    "probability": solve_probability,
}


@pytest.mark.parametrize("family", SOLVERS)
def test_right_answer_recomputed(family: str) -> None:
    solved = 0
    for level in LEVELS:
        for item in items(family, level)[:200]:
            answer = SOLVERS[family](item.question)
            if answer is not None:
                assert answer == item.right, item
                solved += 1
    assert solved >= 300


def quantity(text: str) -> Fraction:
    """Read a compared quantity: a number, fraction, percentage, power or length."""
    if text.endswith("%"):
        return Fraction(text[:-1]) / 100
    if "^" in text:
        base, power = text.split("^")
        return Fraction(int(base) ** int(power))
    size, _, unit = text.partition(" ")
    return Fraction(size) * {"": 1, "mm": 1, "cm": 10, "m": 1000, "km": 10**6}[unit]


def test_compared_quantities() -> None:
    for item in every_item("comparing"):
        order = sorted([item.right, *item.wrong], key=quantity)
        assert len({quantity(option) for option in order}) == 4
        rank = re.search(r"(second )?(smallest|largest)", item.question)
        assert rank
        place = 1 if rank[1] else 0
        assert order[place if rank[2] == "smallest" else -1 - place] == item.right, item


def test_only_one_option_is_prime_or_not() -> None:
    for item in every_item("primes"):
        prime = [
            all(int(option) % d for d in range(2, math.isqrt(int(option)) + 1))
            for option in (item.right, *item.wrong)
        ]
        assert sum(prime) in (1, len(prime) - 1)
        wanted = "not" not in item.question and "has a divisor" not in item.question
        assert prime[0] == wanted, item
        assert prime.count(wanted) == 1, item


def test_only_one_option_is_an_anagram() -> None:
    for item in every_item("anagrams"):
        word = re.search(r"'(\w+)'", item.question)
        assert word
        right = [sorted(option) == sorted(word[1]) for option in (item.right, *item.wrong)]
        assert right[0]
        assert not any(right[1:]), item


def test_only_one_formula_has_the_wanted_truth() -> None:
    for item in every_item("truth"):
        facts = {
            name: word == "true"
            for name, word in re.findall(r"(\w) is (true|false)", item.question)
        }
        wanted = "these is true" in item.question
        truths = [evaluate(option, facts) for option in (item.right, *item.wrong)]
        assert truths[0] == wanted, item
        assert truths.count(wanted) == 1, item


def evaluate(formula: str, facts: dict[str, bool]) -> bool:
    """Work out a formula by turning it into Python."""
    text = formula
    if found := re.fullmatch(r"exactly one of (.+), (.+) and (.+)", text):
        return sum(evaluate(part, facts) for part in found.groups()) == 1
    while found := re.search(r"\(if ([^()]+) then ([^()]+)\)", text):
        text = text.replace(
            found[0], f"((not ({found[1]})) or ({found[2]}))".replace("(", "<").replace(")", ">")
        )
    text = text.replace("<", "(").replace(">", ")")
    if found := re.fullmatch(r"(not \()?if (.+) then (.+?)(\))?", text):
        text = (
            f"{found[1] or ''}not ({found[2]}) or ({found[3]}{'' if found[1] else found[4] or ''})"
        )
        text += found[4] or "" if found[1] else ""
    return bool(eval(text, {}, facts))


def test_only_one_conclusion_follows() -> None:
    for item in every_item("syllogisms"):
        premises = item.question.split(" There is")[0]
        follows = [entailed(premises, option) for option in (item.right, *item.wrong)]
        assert follows[0], item
        assert not any(follows[1:]), item


@cache
def entailed(premises: str, conclusion: str) -> bool:
    """Decide whether a conclusion holds in all models in which no kind is empty.

    A thing is described by the set of kinds it belongs to. The universal premises leave some
    descriptions possible, and each existential one demands a thing among those it describes.
    A universal conclusion fails if a possible thing breaks it; an existential one holds only
    if all things that could meet one of the demands meet it.
    """
    claims = [parse(text) for text in re.findall(r"[A-Z][^.]*\.", premises)]
    kinds = sorted({kind for _, a, b in claims for kind in (a, b)})
    things = [
        {kind for kind, held in zip(kinds, row, strict=True) if held}
        for row in itertools.product((False, True), repeat=len(kinds))
    ]
    for form, a, b in claims:
        if form in ("Every", "No"):
            things = [
                thing for thing in things if a not in thing or (b in thing) == (form == "Every")
            ]
    demands = [[thing for thing in things if kind in thing] for kind in kinds]
    demands += [[t for t in things if a in t and b in t] for form, a, b in claims if form == "Some"]
    assert all(demands)
    form, a, b = parse(conclusion)
    if form in ("Every", "No"):
        return all(a not in thing or (b in thing) == (form == "Every") for thing in things)
    wanted = form == "Some"
    return any(all(a in t and (b in t) == wanted for t in demand) for demand in demands)


def parse(claim: str) -> tuple[str, str, str]:
    """Split a claim into its form and two kinds."""
    if found := re.fullmatch(r"(Every|No) (\w+) is a (\w+)\.", claim):
        return found[1], found[2], found[3]
    found = re.fullmatch(r"Some (\w+)s are (not )?(\w+)s\.", claim)
    assert found
    return ("Not" if found[2] else "Some"), found[1], found[3]


def test_countries_and_capitals_are_unique() -> None:
    rows = [row for rows in CONTINENTS.values() for row in rows]
    assert len({country for _, country, _ in rows}) == len(rows)
    assert len({capital for _, _, capital in rows}) == len(rows)
    assert all(country not in capital for _, country, capital in rows)


def test_continent_holds_for_one_option_only() -> None:
    where = {
        name: continent
        for continent, rows in CONTINENTS.items()
        for _, country, capital in rows
        for name in (country, capital)
    }
    for item in every_item("continents"):
        if item.right in CONTINENTS:
            continue
        asked = re.search(
            r"in (Europe|Asia|Africa|North America|South America|Oceania)", item.question
        )
        assert asked
        inside = [where[option] == asked[1] for option in (item.right, *item.wrong)]
        assert inside.count(inside[0]) == 1, item


def test_lists_of_elements_agree() -> None:
    assert len(NAMES) == len(SYMBOLS) == len({*NAMES}) == len({*SYMBOLS}) == 118
    known = {"H": 1, "O": 8, "Fe": 26, "Ag": 47, "Xe": 54, "W": 74, "Au": 79, "U": 92, "Og": 118}
    assert all(SYMBOLS.index(symbol) + 1 == n for symbol, n in known.items())
