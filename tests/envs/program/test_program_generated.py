"""Generated programming tasks: two solutions agree, and wrong programs fail hidden tests."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from typing import Any

import pytest
from blind_policies import BLIND, program

from textgym.envs.generation import Unfit
from textgym.envs.program import Program
from textgym.envs.program.drafts import Draft, row_of
from textgym.envs.program.families import FAMILIES, FIRST_FAMILIES, LEVELS
from textgym.json_values import canonical_json
from textgym.verifiers.programs.plain_data import encode

ALL = [(name, level) for name in FAMILIES.names for level in LEVELS]
ALL += [(name, 0) for name in FIRST_FAMILIES.names]


def drawn(name: str, level: int, seed: int, as_stdin: bool = False) -> tuple[Draft, dict[str, Any]]:
    """Draw a task of a family."""
    rng = random.Random(f"{name} {level} {seed}")
    while True:
        draft = (FAMILIES if level else FIRST_FAMILIES)[name](rng, level)
        try:
            return draft, row_of(draft, rng, as_stdin)
        except Unfit:
            continue


SIMPLE = {  # what a list, text or number is turned into, and what is printed
    "nothing": program("return None", "pass"),
    "an empty list": program("return []", "print()"),
    "an empty text": program("return ''", "print('')"),
    "the last argument": program("return args[-1]", "print(sys.stdin.read().split()[-1])"),
    "the first element": program(
        "a = args[0]\n    return a if isinstance(a, int) else a[0] if a else 0",
        "print(sys.stdin.read().split()[1])",
    ),
    "backwards": program(
        "a = args[0]\n    return a if isinstance(a, int) else a[::-1]",
        "print(*sys.stdin.read().split()[:0:-1])",
    ),
    "sorted": program(
        "a = args[0]\n    return sorted(a) if isinstance(a, list) else a",
        "print(*sorted(map(int, sys.stdin.read().split()[1:])))",
    ),
    "length": program(
        "a = args[0]\n    return a if isinstance(a, int) else len(a)",
        "print(sys.stdin.readline())",
    ),
    "sum": program(
        "a = args[0]\n    return sum(a) if isinstance(a, list) and a == [*map(int, a)] else a",
        "print(sum(map(int, sys.stdin.read().split()[1:])))",
    ),
}


@pytest.mark.parametrize("episodes", [1, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", {**BLIND["textgym/Program-v0"], **SIMPLE})
def test_simple_programs_get_next_to_no_partial_credit(name: str, episodes: int) -> None:
    write = {**BLIND["textgym/Program-v0"], **SIMPLE}[name]
    rewards = []
    for level in LEVELS:
        env = Program(level=level, split="validation", partial_credit=True)
        for index in range(episodes):
            observation, _ = env.reset(options={"index": index})
            rewards.append(env.step(write(env, random.Random(index), [*observation]))[1])
    assert sum(rewards) / len(rewards) <= 0.05
    assert max(rewards) < 0.25


@pytest.mark.parametrize(("name", "level"), ALL)
def test_tests_have_several_values_and_tell_rivals(name: str, level: int) -> None:
    draft, row = drawn(name, level, 0)
    values = [canonical_json(test["expected"]) for test in row["tests"]]
    assert len(values) >= 8
    assert len({*values}) >= 4
    assert 2 * max(map(values.count, values)) <= len(values)
    assert len(draft.rivals) >= 2


@pytest.mark.usefixtures("needs_sandbox")
@pytest.mark.parametrize(
    ("name", "level"),
    [pytest.param(*case, marks=() if case[1] in (0, 5) else pytest.mark.slow) for case in ALL],
)
def test_the_program_agrees_with_the_other_solution(name: str, level: int) -> None:
    env = Program()
    draft, row = drawn(name, level, 1)
    rng, tests = random.Random(2), list(row["tests"])
    for _ in range(20 if draft.is_class else 100):
        args = draft.draw(rng)
        given = (
            {"init": [], "calls": [[call, encode(list(value))] for call, value in args[0]]}
            if draft.is_class
            else {"args": encode(list(args))}
        )
        tests.append({**given, "expected": encode(draft.solve(*args))})
    env.reset(options={"task": {**row, "tests": tests}})
    _, reward, _, _, info = env.step(env.solve())
    assert reward == 1.0, (info["problem"], row)


@pytest.mark.usefixtures("needs_sandbox")
@pytest.mark.parametrize(
    "name", ["lists", "roads", "recurrences", "stairs", "choices", "intervals"]
)
def test_a_program_that_reads_standard_input(name: str) -> None:
    env = Program()
    _, row = drawn(name, 3, 0, as_stdin=True)
    env.reset(options={"task": row})
    assert "standard input" in str(env.task.messages[0]["content"])
    assert env.step(env.solve())[1] == 1.0


def changed(program: str) -> list[str]:
    """Return programs with one number that is one higher, one line less, or a sign changed."""
    programs = []
    for match in re.finditer(r"(?<![\w.'])\d+(?![\w'])", program):
        number = str(int(match[0]) + 1)
        programs.append(program[: match.start()] + number + program[match.end() :])
    for old, new in pairwise(("<", "<=", "<")):
        programs += [program.replace(f" {old} ", f" {new} ", 1)]
    return [other for other in programs if other != program]


@pytest.mark.usefixtures("needs_sandbox")
def test_level_0_needs_the_operation_and_the_number_of_the_question() -> None:
    env, operations = Program(level=0), {"plus": "+", "minus": "-", "times": "*"}
    for index in range(4):
        observation, _ = env.reset(options={"index": index})
        question = re.search(r"Return n (\w+) (\d+)\.", str(observation[0]["content"]))
        assert question
        name, number = question[1], int(question[2])
        for operation, sign in operations.items():
            for constant in (number, number + 1):
                env.reset(options={"index": index})
                right = (operation, constant) == (name, number)
                program = f"def f(n):\n    return n {sign} {constant}"
                assert env.step(program)[1] == float(right), (question[0], program)


@pytest.mark.slow
@pytest.mark.usefixtures("needs_sandbox")
@pytest.mark.parametrize("name", FAMILIES.names)
def test_mutants_of_the_program_fail(name: str) -> None:
    """Almost all fail; a few are as right as the program, such as a wider range of a loop."""
    env, tried, won = Program(unit_test_timeout_secs=2), 0, []
    for level in (2, 4):
        _, row = drawn(name, level, 3)
        for other in changed(row["solution"]):
            env.reset(options={"task": row})
            tried += 1
            if env.step(other)[1]:
                won.append(other)
    assert tried >= 6
    assert len(won) <= 0.35 * tried, won


def test_rows_are_json_and_do_not_depend_on_the_global_generator() -> None:
    env = Program(split="test")
    rows = [canonical_json(dict(env.get_task(index).row)) for index in range(5)]
    random.seed(1)
    assert [canonical_json(dict(Program(split="test").get_task(i).row)) for i in range(5)] == rows
