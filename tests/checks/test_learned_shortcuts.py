"""Models of the surface find planted shortcuts, and nothing where there are none."""

from __future__ import annotations

import builtins
import importlib
import random
from typing import Any

import pytest
from planted_quizzes import Chest, Options, Quiz

from textgym.checks import CHECKS, Result, make_subject, run_check
from textgym.checks.adversarial_checks import learned_shortcuts
from textgym.checks.attackers.knowledge import Knowledge, Lesson
from textgym.checks.shortcuts import learned
from textgym.checks.shortcuts import models as library
from textgym.checks.shortcuts.models import spans
from textgym.messages import assistant

WORDS = [
    "river", "copper", "window", "garden", "silver", "market", "candle", "button", "forest",
    "pillow",
]  # fmt: skip


def result(env: Any, quick: bool = False) -> Result:
    with make_subject(env, 20, quick=quick) as subject:
        return run_check(subject, learned_shortcuts)


def winners(env: Any, quick: bool = False) -> set[str]:
    came = result(env, quick)
    assert came.status == "fail", came
    assert came.evidence
    return set(came.measured["above_chance"])


@pytest.mark.parametrize("quick", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("sound", [Quiz, Options, Chest])
def test_a_sound_environment_has_no_shortcuts(sound: type[Any], quick: bool) -> None:
    came = result(sound, quick)
    assert came.status == "pass", came


class Longer(Options):
    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        wrong = [rng.randrange(10**4, 10**6) for _ in range(3)]
        return self.offer(rng, "Which is the one?", rng.randrange(10**6, 10**7), wrong)


@pytest.mark.slow
def test_the_length_of_options_is_found() -> None:
    assert {"options by a linear model", "options by boosted trees"} <= winners(Longer)


class AfterThe(Quiz):
    """The answer mostly follows `the`; one seldom has to understand the question."""

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        places = rng.sample(WORDS, 6)
        code = str(rng.randrange(10**6))
        text = " ".join(places)
        answer = places[3 if rng.random() < 0.8 else 0]
        return {"question": f"Case {code}: {text} the {places[3]} {text}?", "answer": answer}


def test_a_word_beside_the_answer_is_found() -> None:
    assert "span of the prompt" in winners(AfterThe, quick=True)


class Alphabet(Quiz):
    """To find the first word in the alphabet is a task, and no shortcut."""

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        words = ["".join(rng.choices("abcdefghij", k=6)) for _ in range(60)]
        return {"question": f"Which word is first: {' '.join(words)}?", "answer": min(words)}


@pytest.mark.slow
def test_what_needs_a_comparison_of_words_is_not_learned() -> None:
    came = result(Alphabet)
    assert came.status == "pass", came


class Hinting(Quiz):
    """The tone of the question tells the answer."""

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        number, good = rng.randrange(10**9), rng.random() < 0.5
        tone = "Surely" if good else "Hardly"
        return {"question": f"{tone}, is {number} fine?", "answer": "yes" if good else "no"}


class Halves(Hinting):
    card = Quiz.card.__class__(id="planted/Halves-v0", summary="Yes or no.", chance=0.5)


def test_words_that_tell_the_answer_are_found() -> None:
    assert "replies by words" in winners(Halves)


class Known(Quiz):
    """Few facts, asked in all splits in other words."""

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        fact, polite = rng.randrange(300), rng.randrange(10**6)
        name = f"{WORDS[fact % 10]} {WORDS[fact // 10 % 10]} number{fact}"
        return {"question": f"Request {polite}: the {name}?", "answer": str(fact * 7919 % 1000)}


def test_facts_of_training_are_found_in_other_words() -> None:
    assert "nearest training task" in winners(Known, quick=True)


class NoOracle(Quiz):
    solve = Quiz.__mro__[1].solve


def test_without_an_oracle_there_is_nothing_to_learn() -> None:
    came = result(NoOracle)
    assert (came.status, "no oracle" in came.detail) == ("skip", True)


def test_without_the_extra_the_check_is_skipped_with_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(name: str, package: Any = None) -> Any:
        if name.startswith("sklearn"):
            raise ModuleNotFoundError(name)
        return builtins.__import__(name)

    monkeypatch.setattr(library.importlib, "import_module", missing)
    came = result(Quiz, quick=True)
    assert came.status == "skip"
    assert "pip install 'textgym[audit]'" in came.detail
    monkeypatch.undo()
    assert importlib.import_module("sklearn") is not None


def test_it_is_skipped_where_a_fixed_attacker_is_paid_already() -> None:
    assert "statistical.adversarial_floor" in CHECKS["statistical.learned_shortcuts"].needs


def test_nothing_is_learned_from_few_tasks() -> None:
    few = Knowledge([Lesson(f"What is {n}?", (assistant(str(n % 2)),)) for n in range(10)])
    assert len(list(learned(few))) == 5  # each is not applicable


def test_spans_say_nothing_of_the_order_of_values() -> None:
    facts = [fact.split("=")[0] for span in spans("Of 3, 9 and 5?") for fact in span.features]
    assert not any("rank" in fact or "value" in fact for fact in facts)
