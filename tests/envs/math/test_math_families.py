"""Math families: answers are recomputed independently, and no surface form reveals them."""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from functools import cache

import math_solutions
import pytest

from textgym.envs.math import Math
from textgym.envs.math.families import FAMILIES, LEVELS
from textgym.envs.math.families.problem import Problem
from textgym.verifiers.math import verify

NAMES = sorted(FAMILIES)
PAIRS = [(family, level) for family in NAMES for level in LEVELS]
# With the scope of a module, the tests of a pair run one after the other, and share what is drawn.
EACH_PAIR = pytest.mark.parametrize(("family", "level"), PAIRS, scope="module")
CHECKED = pytest.mark.parametrize("checked", [1, pytest.param(3, marks=pytest.mark.slow)])


@cache
def problems(family: str, level: int, count: int = 400) -> tuple[Problem, ...]:
    """Draw problems of one family and level from a fixed seed."""
    rng = random.Random(f"{family} {level}")
    return tuple(FAMILIES[family](rng, level) for _ in range(count))


@CHECKED
@EACH_PAIR
def test_another_way_to_solve_gives_the_same_answer(family: str, level: int, checked: int) -> None:
    solve = getattr(math_solutions, family)
    for problem in problems(family, level, checked):
        found = solve(problem.question)
        if callable(found):
            assert found(problem.answer), problem
        else:
            answer = math_solutions.read_answer(problem.answer)
            assert math_solutions.same(answer, found), (problem, found)


@CHECKED
@EACH_PAIR
def test_answer_verifies_against_itself(family: str, level: int, checked: int) -> None:
    for problem in problems(family, level, checked):
        assert verify(problem.answer, f"\\boxed{{{problem.answer}}}").equal, problem


def formulas(problem: Problem) -> list[str]:
    """List a question's formulas, but for numbers that are given."""
    number = r"-?(?:\d+!?|\\frac\{\d+\}\{\d+\})"
    every = math_solutions.formulas(problem.question)
    return [text for text in every if not re.fullmatch(rf"(?:[a-z] = )?{number}", text)]


@EACH_PAIR
def test_no_formula_of_the_question_ends_with_the_answer(family: str, level: int) -> None:
    for problem in problems(family, level):
        assert not any(text.endswith(f"= {problem.answer}") for text in formulas(problem)), problem


@CHECKED
@EACH_PAIR
def test_no_formula_of_the_question_equals_the_answer(
    family: str, level: int, checked: int
) -> None:
    for problem in problems(family, level, checked):
        for formula in formulas(problem):
            echo = verify(problem.answer, f"\\boxed{{{formula}}}", timeout=2.0)
            assert not echo.equal, (problem, formula)


@pytest.mark.parametrize("family", NAMES)
def test_no_number_of_the_question_is_often_the_answer(family: str) -> None:
    places: Counter[str] = Counter()
    drawn = [problem for level in LEVELS for problem in problems(family, level)]
    for problem in drawn:
        given = re.findall(r"-?\d+", problem.question) or [""]
        guesses = {
            "first": given[0],
            "last": given[-1],
            "largest": max(given, key=lambda text: int(text or 0)),
            "smallest": min(given, key=lambda text: int(text or 0)),
        }
        places.update(name for name, guess in guesses.items() if guess == problem.answer)
    assert all(count <= 0.1 * len(drawn) for count in places.values()), places


@EACH_PAIR
def test_no_answer_is_frequent(family: str, level: int) -> None:
    answers = Counter(problem.answer for problem in problems(family, level))
    assert answers.most_common(1)[0][1] <= 0.2 * answers.total(), answers.most_common(3)


@EACH_PAIR
def test_text_is_tidy(family: str, level: int) -> None:
    for question, answer, _ in problems(family, level):
        assert question == question.strip()
        assert question.count("$") % 2 == 0
        assert "  " not in question
        assert "$$" not in question
        assert answer
        assert "$" not in answer
        for text in (question, answer):
            assert text.count("{") == text.count("}")
            for slip in ("+ -", "- -", "--", "{}", "1x", "None", "Fraction", "()", ".0"):
                found = re.search(rf"(?<!\d){re.escape(slip)}", text)
                assert not found, (slip, text)


@EACH_PAIR
def test_several_phrasings(family: str, level: int) -> None:
    plain = (re.sub(r"\$[^$]*\$|\d+", "", item.question) for item in problems(family, level))
    assert len({(text[:15], text[-15:]) for text in plain}) >= 2


@EACH_PAIR
def test_many_problems(family: str, level: int) -> None:
    assert len({*problems(family, level)}) >= 150


@pytest.mark.parametrize("level", LEVELS)
def test_thousands_of_problems_a_level(level: int) -> None:
    rng = random.Random(level)
    assert len({FAMILIES.draw(rng, level)[1].question for _ in range(10_000)}) > 8_000


@pytest.mark.parametrize("family", NAMES)
def test_levels_share_no_question(family: str) -> None:
    for one, other in itertools.combinations(LEVELS, 2):
        mine, others = ({p.question for p in problems(family, level)} for level in (one, other))
        assert not mine & others


def test_level_0_states_the_number_that_it_asks_for() -> None:
    env = Math(level=0)
    rows = [env.get_task(index).row for index in range(300)]
    for row in rows:
        assert str(math_solutions.stated(row["question"])) == row["expected_answer"]
    assert max(Counter(row["expected_answer"] for row in rows).values()) < 4


@pytest.mark.parametrize(
    ("answer", "reward"),
    [("{}", 1.0), ("x = {}", 0.0), ("{} + 0", 0.0), ("{}0", 0.0), ("{} or 1", 0.0), ("x", 0.0)],
)
def test_level_0_is_graded_as_the_others(answer: str, reward: float) -> None:
    env = Math(level=0)
    env.reset(options={"index": 0})
    assert env.step(f"\\boxed{{{answer.format(env.task.answer)}}}")[1] == reward
