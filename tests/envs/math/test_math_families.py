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

EACH = pytest.mark.parametrize("family", sorted(FAMILIES))  # all levels of one in a test: few tests
CHECKED = pytest.mark.parametrize("checked", [1, pytest.param(3, marks=pytest.mark.slow)])
NUMBER = re.compile(r"(?:[a-z] = )?-?(?:\d+!?|\\frac\{\d+\}\{\d+\})")
SLIPS = re.compile(
    "|".join(
        rf"(?<!\d){re.escape(slip)}"
        for slip in ("+ -", "- -", "--", "{}", "1x", "None", "Fraction", "()", ".0")
    )
)


@cache
def problems(family: str, level: int) -> tuple[Problem, ...]:
    """Draw problems of one family and level from a fixed seed."""
    rng = random.Random(f"{family} {level}")
    return tuple(FAMILIES[family](rng, level) for _ in range(400))


def formulas(problem: Problem) -> list[str]:
    """List a question's formulas, but for numbers that are given."""
    every = math_solutions.formulas(problem.question)
    return [text for text in every if not NUMBER.fullmatch(text)]


@CHECKED
@EACH
def test_another_way_to_solve_gives_the_same_answer_which_no_formula_equals(
    family: str, checked: int
) -> None:
    solve = getattr(math_solutions, family)
    for level in LEVELS:
        rng = random.Random(f"{family} {level}")
        for _ in range(checked):
            problem = FAMILIES[family](rng, level)
            found = solve(problem.question)
            if callable(found):
                assert found(problem.answer), (level, problem)
            else:
                answer = math_solutions.read_answer(problem.answer)
                assert math_solutions.same(answer, found), (level, problem, found)
            itself = verify(problem.answer, f"\\boxed{{{problem.answer}}}")
            assert itself.equal, (level, problem)
            for formula in formulas(problem):
                echo = verify(problem.answer, f"\\boxed{{{formula}}}", timeout=2.0)
                assert not echo.equal, (level, problem, formula)


@EACH
def test_problems_are_many_and_tidy_and_their_surface_does_not_reveal_the_answer(
    family: str,
) -> None:
    places: Counter[str] = Counter()
    questions: list[set[str]] = []
    for level in LEVELS:
        drawn = problems(family, level)
        for problem in drawn:
            check_text(problem)
            given = re.findall(r"-?\d+", problem.question) or [""]
            if problem.answer in given:
                places.update(guesses_that_are(problem.answer, given))
        assert len({*drawn}) >= 150, level
        answers = Counter(problem.answer for problem in drawn)
        assert answers.most_common(1)[0][1] <= 0.2 * len(drawn), (level, answers.most_common(3))
        plain = (re.sub(r"\$[^$]*\$|\d+", "", item.question) for item in drawn)
        assert len({(text[:15], text[-15:]) for text in plain}) >= 2, level
        questions.append({problem.question for problem in drawn})
    most = 0.1 * sum(len(problems(family, level)) for level in LEVELS)
    assert all(count <= most for count in places.values()), places
    assert not any(mine & others for mine, others in itertools.combinations(questions, 2))


def guesses_that_are(answer: str, given: list[str]) -> list[str]:
    """Return which of the numbers of a question the answer is."""
    guesses = {
        "first": given[0],
        "last": given[-1],
        "largest": max(given, key=int),
        "smallest": min(given, key=int),
    }
    return [name for name, guess in guesses.items() if guess == answer]


def check_text(problem: Problem) -> None:
    """Check the spelling of a problem, and that no formula states the answer."""
    question, answer, _ = problem
    assert question == question.strip()
    assert question.count("$") % 2 == 0
    assert "  " not in question
    assert "$$" not in question
    assert answer
    assert "$" not in answer
    for text in (question, answer):
        assert text.count("{") == text.count("}"), text
        slip = SLIPS.search(text)
        assert not slip, (slip, text)
    stated = f"= {answer}"
    if f"{stated}$" in question:
        assert not any(text.endswith(stated) for text in formulas(problem)), problem


@pytest.mark.parametrize("level", LEVELS)
def test_thousands_of_problems_a_level(level: int) -> None:
    rng = random.Random(level)
    assert len({FAMILIES.draw(rng, level)[1].question for _ in range(10_000)}) > 8_000


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
