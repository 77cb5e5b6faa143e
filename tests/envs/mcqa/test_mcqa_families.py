"""The question families: one right option, no giveaway by form, answers recomputed otherwise."""

import itertools
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache

import pytest
from mcqa_solutions import SOLVERS, solve_named

from textgym.envs.mcqa import MCQA
from textgym.envs.mcqa.families import FAMILIES, LEVELS
from textgym.envs.mcqa.families.facts import CONTINENTS, NAMES, SYMBOLS
from textgym.envs.mcqa.families.question import Item, content_of
from textgym.envs.mcqa.families.words import LONG_WORDS, WORDS
from textgym.tasks.task import split_of

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
def test_items_of_a_family_are_as_they_should_be(family: str) -> None:
    options_are_different_and_tidy(family)
    if family != "comparing":
        numeric_options_differ_in_value(family)
    many_surface_forms(family)
    every_split_has_questions_of_every_level(family)
    levels_differ(family)


def options_are_different_and_tidy(family: str) -> None:
    for item in every_item(family):
        options = [item.right, *item.wrong]
        assert len(item.wrong) == 3
        assert len({plain(option) for option in options}) == len(options), item
        assert all(0 < len(option) <= 60 for option in options), item
        assert all(option == option.strip() and "\n" not in option for option in options), item
        assert item.question == item.question.strip()
        assert "  " not in item.question.rsplit("\n", 1)[-1], item


def numeric_options_differ_in_value(family: str) -> None:
    for item in every_item(family):
        values = [value(option) for option in (item.right, *item.wrong)]
        if None not in values:
            assert len({*values}) == len(values), item


def many_surface_forms(family: str) -> None:
    everything = set()
    for level in LEVELS:
        forms = {(item.question, item.right) for item in items(family, level)}
        assert len(forms) >= 60
        everything |= forms
    assert len(everything) >= 200


def every_split_has_questions_of_every_level(family: str) -> None:
    for level in LEVELS:
        splits = Counter(split_of([family, content_of(item)]) for item in items(family, level))
        assert len(splits) == 3, (level, splits)


@pytest.mark.parametrize(
    ("family", "level"),
    [
        pytest.param("arithmetic", 1, id="another wording"),
        pytest.param("change", 1, id="another person and thing"),
        pytest.param("anagrams", 1, id="another shuffle"),
        pytest.param("weekdays", 5, id="another wording of a date"),
    ],
)
def test_another_wording_is_of_the_same_split(family: str, level: int) -> None:
    questions: dict[str, set[str]] = {}
    for item in items(family, level, 20_000):
        questions.setdefault(content_of(item), set()).add(item.question)
    assert max(map(len, questions.values())) > 1


def levels_differ(family: str) -> None:
    openings = [
        tuple((item.question, item.right) for item in items(family, level)) for level in LEVELS
    ]
    for one, other in itertools.combinations(openings, 2):
        shared = {*one} & {*other}
        assert len(shared) < 0.9 * len({*one} | {*other})


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


@pytest.mark.parametrize("n", [800, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("family", NAMES_OF_FAMILIES)
def test_no_blind_strategy_pays(family: str, n: int) -> None:
    rng = random.Random(family)
    hits: Counter[str] = Counter()
    tries: Counter[str] = Counter()
    for i in range(n):
        item = FAMILIES[family](rng, LEVELS[i % 5])
        options = [item.right, *item.wrong]
        for name, chosen in guesses(options):
            tries[name] += 1
            hits[name] += chosen[0] * 60 // sum(chosen)
    for name in tries:
        if tries[name] >= 400:
            assert hits[name] / 60 / tries[name] <= 0.40, (name, hits[name] / 60 / tries[name])


@pytest.mark.parametrize("n", [20, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("family", SOLVERS)
def test_right_answer_recomputed(family: str, n: int) -> None:
    solved = 0
    for level in LEVELS:
        for item in items(family, level)[:n]:
            answer = SOLVERS[family](item.question)
            if answer is not None:
                assert answer == item.right, item
                solved += 1
    assert solved >= 1.5 * n


def test_level_0_offers_the_word_and_another() -> None:
    env, letters = MCQA(level=0), []
    for index in range(300):
        row = env.get_task(index).row
        assert list(row["options"]) == ["A", "B"]
        assert len({*row["options"].values()}) == 2
        assert row["options"][row["answer"]] == solve_named(row["question"])
        letters.append(row["answer"])
    assert 110 < letters.count("A") < 190


def test_the_splits_of_level_0_share_no_word() -> None:
    words = [
        {text for i in range(500) for text in env.get_task(i).row["options"].values()}
        for env in (MCQA(level=0, split=split) for split in ("train", "validation", "test"))
    ]
    assert all(len(offered) >= 20 for offered in words)
    assert sum(map(len, words)) == len(set.union(*words))


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


def test_each_pair_has_primes_at_other_places() -> None:
    """So no option is the odd one out."""
    for item in every_item("primes"):
        kinds = [
            tuple(
                all(int(n) % d for d in range(2, math.isqrt(int(n)) + 1))
                for n in pair.split(" and ")
            )
            for pair in (item.right, *item.wrong)
        ]
        assert len({*kinds}) == 4
        asked = [
            ("both" in item.question or "two primes" in item.question, (True, True)),
            ("the first number prime" in item.question, (True, False)),
            ("the second number prime" in item.question, (False, True)),
            ("neither" in item.question or "without" in item.question, (False, False)),
        ]
        assert [kind for is_asked, kind in asked if is_asked] == [kinds[0]], item


def test_only_one_option_is_an_anagram() -> None:
    for item in every_item("anagrams"):
        word = re.search(r"'(\w+)'", item.question)
        assert word
        right = [sorted(option) == sorted(word[1]) for option in (item.right, *item.wrong)]
        assert right[0]
        assert not any(right[1:]), item


def test_the_letters_of_each_option_spell_a_word() -> None:
    known = {"".join(sorted(word)) for word in (*WORDS, *LONG_WORDS)}
    for item in every_item("anagrams"):
        options = ["".join(sorted(option)) for option in (item.right, *item.wrong)]
        assert {*options} <= known, item
        assert len({*map(len, options)}) == 1, item


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


@pytest.mark.parametrize("n", [40, pytest.param(200, marks=pytest.mark.slow)])
def test_only_one_conclusion_follows(n: int) -> None:
    for item in (item for level in LEVELS for item in items("syllogisms", level)[:n]):
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


def test_continent_is_correct_for_one_option_only() -> None:
    where = {
        name: continent
        for continent, rows in CONTINENTS.items()
        for _, country, capital in rows
        for name in (country, capital)
    }
    for item in every_item("continents"):
        asked = re.findall("|".join(CONTINENTS), item.question.split(" (")[0])
        options = [re.split("; |(?<=[ae]), ", option) for option in (item.right, *item.wrong)]
        if not asked:
            said = item.question.partition(" are ")[2].partition(", in this order")[0]
            parts = said.replace("the country whose capital is ", "").split(" and ")
            halves = [
                (" and ".join(parts[:i]), " and ".join(parts[i:])) for i in range(1, len(parts))
            ]
            ((one, two),) = [
                (where[a], where[b])
                for a, b in (map(plain_name, half) for half in halves)
                if a in where and b in where
            ]
            assert [option == [one, two] for option in options] == [True, False, False, False]
        else:
            places = [[where[name] for name in option] for option in options]
            assert [place == asked for place in places] == [True, False, False, False], item
            assert len({*map(tuple, places)}) == 4, item


def plain_name(name: str) -> str:
    """Take away an article that is no part of the country's name."""
    return "The Gambia" if name == "the Gambia" else name.removeprefix("the ")


def test_lists_of_elements_agree() -> None:
    assert len(NAMES) == len(SYMBOLS) == len({*NAMES}) == len({*SYMBOLS}) == 118
    known = {"H": 1, "O": 8, "Fe": 26, "Ag": 47, "Xe": 54, "W": 74, "Au": 79, "U": 92, "Og": 118}
    assert all(SYMBOLS.index(symbol) + 1 == n for symbol, n in known.items())
