"""Audits find planted defects, and pass sound environments.

Broken environments fail the checks that their defects concern, and no others. Defects that the
environments once had, which `docs/audit.md` lists, are found if they are put back. Some defects are
found by a single attacker. Tasks of copying have no shortcut.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest
from audit_runs import STARTS_PROCESSES, result_of, results_in_process
from blind_spots import EXCERPTS, SortedAsASet, WordsAsASet
from broken_envs import BROKEN, HiddenCounter, SubstringGrader
from look_alikes import LOOK_ALIKES
from math_verify import parse, verify
from sound_envs import SOUND, Judged, Ledger, Sum
from telling_envs import TELLING

from textgym import Card, Message, Task, TextEnv, assistant, user
from textgym.checks import CHECKS, Result, audit, make_subject, run_check
from textgym.checks.attackers import attackers, learn
from textgym.checks.episodes import play
from textgym.core.episode import Grade
from textgym.envs.math import Math
from textgym.envs.single_tool_call import SingleToolCall

TASKS = 100
COSTLY = {*STARTS_PROCESSES, "statistical.learned_shortcuts"}


def failures(results: Iterable[Result]) -> set[str]:
    """The ids of the checks that fail, each with a remedy."""
    failed = [result for result in results if result.decides]
    assert all(result.remediation for result in failed)
    return {result.check_id for result in failed}


def failures_of(cls: type[TextEnv[Any]], listed: set[str]) -> set[str]:
    """The failures of an audit without the costly checks, but with those that are listed."""
    tasks = TASKS if "statistical.declared_chance" in listed else 30
    return failures(results_in_process(cls, tasks, left_out=COSTLY - listed).values())


@pytest.mark.parametrize("cls", SOUND)
def test_a_sound_environment_passes(cls: type[TextEnv[Any]]) -> None:
    assert failures_of(cls, set()) == set()


@pytest.mark.parametrize("cls", BROKEN)
def test_a_defect_is_found_by_its_checks_alone(cls: type[TextEnv[Any]]) -> None:
    assert failures_of(cls, BROKEN[cls]) == BROKEN[cls]


@pytest.mark.slow
@pytest.mark.parametrize("cls", [Ledger, SubstringGrader, HiddenCounter])
def test_a_whole_audit_finds_the_same(cls: type[TextEnv[Any]]) -> None:
    found = failures(audit(cls, quick=True, tasks=TASKS).results)
    assert found == BROKEN.get(cls, set())


def test_every_broken_environment_has_a_sound_twin() -> None:
    assert all(issubclass(cls, SOUND) for cls in BROKEN)


def test_a_class_within_a_function_can_be_audited() -> None:
    class Inner(Sum):
        """Add two numbers, too."""

    results = {result.check_id: result for result in audit(Inner, quick=True).results}
    assert [str(result) for result in results.values() if result.failed] == []
    assert results["runtime.pickling"].detail.startswith("other processes cannot import the class")


class LibraryMath(Math):
    """Takes the verdict of the library as it is."""

    def grade(self) -> Grade:
        right = bool(verify(parse(f"${self.task.answer}$"), parse(self.answer_text)))
        return Grade(float(right), right, {"correct": float(right)})


class AnyReading(SingleToolCall):
    """Accepts any value of the weather report."""

    def grade(self) -> Grade:
        told = {str(value) for value in self.task.row["weather"].values()}
        right = self.state["told"] and self.answer_text.removeprefix("Answer: ") in told
        return Grade(float(right), right, {"correct": float(right)})


class SplitByTheWeather(SingleToolCall):
    """Divides its splits by the weather that was drawn, which the prompt does not show."""

    def canonical(self, row: dict[str, Any]) -> Any:
        return {name: value for name, value in row.items() if name not in ("id", "level")}


def mean(cls: type[TextEnv[Any]], name: str, tasks: int = 60) -> float:
    """What an attacker gets on test tasks."""
    with make_subject(cls, tasks) as subject:
        attacker = next(a for a in attackers(learn(subject)) if a.name == name)
        env = subject.make_split("test")
        episodes = (play(env, attacker.policy.for_env(env), index=i) for i in range(tasks))
        return sum(episode.total for episode in episodes) / tasks


@pytest.mark.parametrize(
    ("cls", "name", "least"),
    [
        pytest.param(LibraryMath, r"expression \pi\sqrt{\infty}", 0.5, marks=pytest.mark.slow),
        (LibraryMath, r"expression \pi|\log 0|", 0.5),
        (AnyReading, "words, then a random result", 0.2),
    ],
)
def test_an_attacker_is_paid_where_the_defect_is_back(
    cls: type[TextEnv[Any]], name: str, least: float
) -> None:
    sound = cls.__bases__[0]
    assert mean(cls, name) >= least
    assert mean(sound, name) <= sound.card.chance


def overlap(env: TextEnv[Any]) -> str:
    with make_subject(env, 500) as subject:
        return run_check(subject, CHECKS["statistical.split_overlap"]).status


def test_test_tasks_among_training_tasks_are_found() -> None:
    assert overlap(SplitByTheWeather(level=1)) == "fail"
    assert overlap(SingleToolCall(level=1)) == "pass"


FLOOR, CANARY = "statistical.adversarial_floor", "semantic.canary_floor"
LEAKAGE = "semantic.no_solution_leakage"
BLIND_SPOTS = {**EXCERPTS, **TELLING}
SOUND_TWINS = dict.fromkeys(
    c.__bases__[0] for c in BLIND_SPOTS if c.__bases__[0] not in BLIND_SPOTS
)
AS_SETS = (SortedAsASet, WordsAsASet)


@pytest.mark.parametrize("check_id", [FLOOR, CANARY, LEAKAGE])
@pytest.mark.parametrize("cls", [*SOUND_TWINS, *LOOK_ALIKES])
def test_what_is_sound_passes(cls: type[TextEnv[Any]], check_id: str) -> None:
    result = result_of(cls, check_id)
    assert result.status == "pass", result


@pytest.mark.parametrize("cls", BLIND_SPOTS)
def test_a_blind_spot_is_found_by_its_attacker(cls: type[TextEnv[Any]]) -> None:
    assert BLIND_SPOTS[cls] in result_of(cls, FLOOR).measured["above_chance"]


@pytest.mark.parametrize("cls", AS_SETS)
def test_parts_in_another_order_must_lose(cls: type[TextEnv[Any]]) -> None:
    result = result_of(cls, CANARY)
    assert {item["change"] for item in result.measured["episodes"]} == {
        "the parts in another order"
    }


class Echo(Judged):
    """Say a word again, which is the task."""

    card = Card("tests/Echo-v0", "Say it again.", chance=0.01)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"word": "".join(rng.choices("abcdefgh", k=8))}

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], (user(f"Say {row['word']}."),), row["word"], row=row)

    def guess(self, rng: random.Random) -> Message:
        return assistant("tea")


def test_a_task_of_copying_passes_and_is_named_so() -> None:
    pytest.importorskip("sklearn")
    results = results_in_process(Echo, tasks=15)
    assert [str(result) for result in results.values() if result.decides] == []
    result = results["statistical.learned_shortcuts"]
    assert result.measured["copying_solves"] == ["span of the prompt"]
    assert "copying from a fixed place solves the tasks" in result.detail


class OftenFirst(Echo):
    """Asks for the first of two words nine times in ten."""

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        words = ["".join(rng.choices("abcdefgh", k=8)) for _ in range(2)]
        return {"words": words, "place": int(rng.random() < 0.1)}

    def read_row(self, row: dict[str, Any]) -> Task:
        one, other = row["words"]
        place = ("first", "second")[row["place"]]
        prompt = f"Say the {place} of these: {one}, {other}."
        return Task(row["id"], (user(prompt),), row["words"][row["place"]], row=row)


@pytest.mark.slow
def test_a_place_that_tells_most_answers_fails() -> None:
    pytest.importorskip("sklearn")
    results = results_in_process(OftenFirst, quick=False)
    failed = [result.check_id for result in results.values() if result.decides]
    assert failed == ["statistical.learned_shortcuts"]
