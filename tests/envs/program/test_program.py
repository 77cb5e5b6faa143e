"""`textgym/Program-v0`: what is judged right and wrong, its components, and failures."""

from __future__ import annotations

import random
from typing import Any

import pytest
from forged_programs import FORGED
from hostile_programs import HOSTILE
from program_cases import COUNTER, HONEST, RIGHT, SQUARES, SUMS, fenced

from textgym.core.snapshots import get_state, set_state
from textgym.envs.program import Program
from textgym.errors import OracleError, SandboxFailure, UsageError
from textgym.sandbox import Sandbox

pytestmark = pytest.mark.usefixtures("needs_sandbox")

QUICK = (
    "endless recursion",
    "one large block of memory",
    "a set that collides",
    "a deep list",
    "an error with an odd name",
    "deep brackets",
    "null characters",
    "a function",
    "abort",
    "output that is not text",
)


def played(row: dict[str, Any], text: str, **kwargs: Any) -> tuple[float, dict[str, Any]]:
    """Return the reward and the info of an answer."""
    env = Program(**kwargs)
    env.reset(options={"task": row})
    _, reward, terminated, truncated, info = env.step(text)
    assert (terminated, truncated) == (True, False)
    env.close()
    return reward, info


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_program_is_right(name: str) -> None:
    reward, info = played(*HONEST[name])
    assert (reward, info["problem"], info["verdict_reason"]) == (1.0, "", "")
    assert info["reward_components"]["tests"] == 1.0


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_pass_is_worth_nothing(name: str) -> None:
    reward, info = played(*FORGED[name], partial_credit=True)
    assert (reward, info["is_success"]) == (0.0, False)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in HOSTILE],
)
def test_a_hostile_program_is_wrong(name: str) -> None:
    reward, info = played(*HOSTILE[name], unit_test_timeout_secs=1)
    assert (reward, info["is_success"]) == (0.0, False)
    assert info["problem"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "component"),
    [
        ("endless loop", "time_limit"),
        ("endless loop while it is loaded", "time_limit"),
        ("sleep", "time_limit"),
        ("signals ignored", "time_limit"),
        ("a large power", "time_limit"),
        ("memory", "memory_limit"),
        ("one large block of memory", "memory_limit"),
        ("a large text", "output_limit"),
        ("output without end", "output_limit"),
    ],
)
def test_the_limit_that_was_reached_is_a_component(name: str, component: str) -> None:
    # Memory fills slowly on a busy machine; the time limit must not come first.
    seconds = 1 if component == "time_limit" else 60
    reward, info = played(*HOSTILE[name], unit_test_timeout_secs=seconds)
    reached = {key for key, value in info["reward_components"].items() if value and "_limit" in key}
    assert (reward, reached) == (0.0, {component})


@pytest.mark.parametrize(("share", "components"), [(0.0, set()), (0.6, {"time_limit"})])
def test_a_program_killed_from_half_the_cpu_limit_on_reached_it(
    share: float, components: set[str]
) -> None:
    text = (
        "import os, time\ndef square(n):\n"
        f"    while time.process_time() < {share}:\n        pass\n    os.kill(os.getpid(), 9)"
    )
    reward, info = played(SQUARES, text, unit_test_timeout_secs=1)
    reached = {key for key, value in info["reward_components"].items() if value and "_limit" in key}
    assert (reward, reached) == (0.0, components)


@pytest.mark.parametrize(
    ("text", "reason", "extracted"),
    [
        ("", "empty", ""),
        ("I cannot help with that.", "unreadable", ""),
        ("def square(n):\n    return n * n *", "unreadable", ""),
        (fenced("x = 1"), "unreadable", ""),
        ("def square(n):\n    return 1", "wrong", "def square(n):\n    return 1"),
        (f"It is:\n{fenced(RIGHT)}", "", f"{RIGHT}\n"),
    ],
)
def test_verdict_reason_and_extracted_answer(text: str, reason: str, extracted: str) -> None:
    info = played(SQUARES, text)[1]
    assert (info["verdict_reason"], info["extracted_answer"]) == (reason, extracted)


def test_a_test_does_not_change_the_next_one() -> None:
    text = (
        "calls = []\ndef square(n):\n    calls.append(n)\n    assert len(calls) == 1\n"
        "    return n * n"
    )
    assert played(SQUARES, text)[0] == 1.0


def test_a_file_is_remembered_within_a_box_and_not_in_a_fresh_one() -> None:
    text = (
        "import os\ndef square(n):\n    seen = os.path.exists('seen')\n"
        "    open('seen', 'w').close()\n    return 0 if seen else n * n"
    )
    assert played(SQUARES, text)[0] == 0.0
    fresh = [{**test, "fresh": True} for test in SQUARES["tests"]]
    assert played({**SQUARES, "examples": [], "tests": fresh}, text)[0] == 1.0


@pytest.mark.parametrize(
    ("text", "earned"),
    [
        (RIGHT, 1.0),
        ("def square(n):\n    return 9", 0.0),
        ("def square(n):\n    return n", 0.0),
        ("def square(n):\n    return n * n if n > 5 else None", 0.5 * 2 / 5),
        ("def square(n):\n    return abs(n) * n", 0.5 * 4 / 5),
    ],
)
def test_partial_credit(text: str, earned: float) -> None:
    reward, info = played(SQUARES, text, partial_credit=True)
    assert reward == pytest.approx(earned, abs=1 / 1024)
    assert info["reward_components"].get("progress", 0.0) <= 0.5


def test_a_large_test_has_a_component() -> None:
    tests = [*SQUARES["tests"], {"args": [10**7], "expected": 10**14, "large": True}]
    slow = "def square(n):\n    return sum(abs(n) for _ in range(abs(n)) for _ in range(99))"
    row = {**SQUARES, "tests": tests[:5] + tests[-1:]}
    assert played(row, RIGHT)[1]["reward_components"]["efficient"] == 1.0
    reward, info = played(row, slow.replace(" for _ in range(99)", " "), unit_test_timeout_secs=0.2)
    assert reward in (0.0, 1.0)  # it depends on the machine
    reward, info = played(row, slow, unit_test_timeout_secs=0.2)
    assert (reward, info["reward_components"]["efficient"]) == (0.0, 0.0)


def test_an_input_may_be_longer_than_what_a_test_may_print() -> None:
    given = " ".join(map(str, range(40_000)))
    row = {"question": "Print the sum.", "tests": [{"stdin": given, "expected": "799980000"}]}
    env = Program()
    env.reset(options={"task": row})
    _, reward, _, _, info = env.step("print(sum(map(int, input().split())))")
    assert (reward, info["problem"]) == (1.0, "")


def test_types_matter_in_generated_rows() -> None:
    row = {
        "question": "Write `pair(n)`.",
        "entry_point": "pair",
        "tests": [{"args": [1], "expected": {"$tuple": [1, 2.5]}}],
    }
    assert played(row, "def pair(n): return (n, 2.5)")[0] == 1.0
    for wrong in ("[n, 2.5]", "(True, 2.5)", "(1.0, 2.5)", "(n, 2.6)", "(n, 2.5, 0)"):
        assert played(row, f"def pair(n): return {wrong}")[0] == 0.0, wrong


def test_a_sandbox_that_does_not_start_leaves_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    env = Program()
    env.reset(options={"task": SQUARES})
    before = get_state(env)

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise SandboxFailure("no room")

    with monkeypatch.context() as patch:
        patch.setattr(Sandbox, "start_python", refuse)
        with pytest.raises(SandboxFailure):
            env.step(RIGHT)
    assert get_state(env) == before
    assert env.step(RIGHT)[1] == 1.0


def test_a_saved_episode_goes_on() -> None:
    env, other = Program(), Program()
    env.reset(options={"task": SQUARES})
    set_state(other, get_state(env))
    assert other.step(RIGHT)[1:] == env.step(RIGHT)[1:]


@pytest.mark.parametrize("row", [SQUARES, SUMS, COUNTER], ids=["call", "stdin", "class"])
def test_a_guess_knows_nothing(row: dict[str, Any]) -> None:
    env = Program(partial_credit=True)
    for seed in range(3):
        shown = {**row, "examples": row["tests"][:1], "tests": row["tests"][1:]}
        env.reset(options={"task": shown})
        assert env.step(env.guess(random.Random(seed)))[1] == 0.0


def test_no_solution_is_an_oracle_error() -> None:
    env = Program()
    env.reset(options={"task": SQUARES})
    with pytest.raises(OracleError, match="has no solution"):
        env.solve()


@pytest.mark.parametrize(
    "kwargs",
    [
        {"unit_test_timeout_secs": 0},
        {"unit_test_timeout_secs": "5"},
        {"memory_mb": 1.5},
        {"memory_mb": True},
        {"sandbox": "nowhere"},
        {"partial_credit": 1},
    ],
)
def test_arguments_that_are_not_valid(kwargs: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Program(**kwargs)
