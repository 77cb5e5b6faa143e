"""`info["verdict_reason"]`: why an episode did not earn its full reward."""

from __future__ import annotations

import re
from typing import Any

import gymnasium
import pytest
from repository import DOCS

import textgym
from textgym.core.card import Card
from textgym.core.episode import VERDICT_REASONS, Grade
from textgym.core.text_env import TextEnv
from textgym.errors import RewardError
from textgym.messages import assistant, assistant_calls, user
from textgym.policies import Action, Policy
from textgym.tasks.task import Task
from textgym.tools import tool

MCQA = {"question": "Which?", "options": {"A": "neon", "B": "zinc", "C": "iron"}, "answer": "B"}
MATH = {"question": "What is 6 * 7?", "expected_answer": "42"}
JUDGED = {"question": "Who wrote it?", "expected_answer": "Melville"}


def reason(id: str, row: Any, action: Any, **kwargs: Any) -> str:
    env = gymnasium.make(id, **kwargs)
    env.reset(options={"task": row})
    found: str = env.step(action)[-1]["verdict_reason"]
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\\boxed{B}", ""),
        ("\\boxed{A}", "wrong"),
        ("", "empty"),
        (" \n\t", "empty"),
        ("<think>It is B.</think>", "empty"),
        ("<think>It is \\boxed{B}", "empty"),
        ("It is zinc.", "unreadable"),
        ("\\boxed{}", "unreadable"),
        ("\\boxed{E}", "unreadable"),
        ("\\boxed{A or B}", "several_answers"),
        ("\\boxed{A/B}", "several_answers"),
        ("\\boxed{B \\lor A}", "several_answers"),
        ("\\boxed{B \\vee A}", "several_answers"),
        ("\\boxed{B \\text{ or } A}", "several_answers"),
        ("\\boxed{B \\text{ and } C}", "several_answers"),
        ("\\boxed{A, B}", "several_answers"),
        ("\\boxed{B and C}", "several_answers"),
        ("\\boxed{A}\nAnswer: B or C", "wrong"),  # the mode reads the box
        ("It is either A or B.", "several_answers"),
        ("It is (A) or (B).", "several_answers"),
        ("It is **B** or **C**", "several_answers"),
        ("It is 12 or 14.5.", "several_answers"),
        ("A metal or a gas, who knows", "unreadable"),
        ("It runs at 5 km/h or so", "unreadable"),
        ("I'm sorry, but I can't help with that.", "refused"),
        ("I can’t assist with this request.", "refused"),
        ("I cannot answer this question.", "refused"),
        ("As an AI language model, I have no opinion.", "refused"),
        ("I am unable to provide an answer.", "refused"),
        ("We must decline.", "refused"),
        ("I'm sorry for the delay: \\boxed{A}", "wrong"),
        ("I can't see another one than \\boxed{B}", ""),
        ("I cannot be sure.", "unreadable"),
        ("The metal cannot help but rust.", "unreadable"),
    ],
)
def test_reasons_of_multiple_choice(text: str, expected: str) -> None:
    assert reason("textgym/MCQA-v0", MCQA, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\\boxed{42}", ""),
        ("\\boxed{41}", "wrong"),
        ("", "empty"),
        ("\\boxed{6 \\cdot 7}", "incomplete"),
        ("I cannot answer that.", "refused"),
        ("No idea at all", "unreadable"),
    ],
)
def test_reasons_of_mathematics(text: str, expected: str) -> None:
    assert reason("textgym/Math-v0", MATH, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Melville", ""), ("Conrad", "wrong"), ("Joseph Conrad wrote it.", "wrong"), ("", "empty"),
     ("Conrad or Kipling", "several_answers"), ("Oregon or-so", "wrong"),
     ("I'm sorry, I can't answer that.", "refused")],
)  # fmt: skip
def test_reasons_where_the_whole_text_is_the_answer(text: str, expected: str) -> None:
    assert reason("textgym/EquivalenceJudge-v0", JUDGED, text) == expected


def test_a_limit_cuts() -> None:
    assert reason("textgym/MCQA-v0", MCQA, assistant_calls(("f", {}))) == "cut"


class Shares(TextEnv[None]):
    """Pays the number in the message."""

    card = Card("tests/Shares-v0", "For tests.")
    given = ""
    sought = False

    def generate(self, rng: Any, level: int) -> dict[str, Any]:
        return {"word": str(rng.random())}

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], (user(row["word"]),), None, row=row)

    @tool
    def end(self) -> str:
        """End the episode."""
        self.finish()
        return "done"

    def grade(self) -> Grade:
        share = float(self.answer_text or 0)
        return Grade(share, share == 1, verdict_reason=self.given)


@pytest.mark.parametrize(
    ("action", "expected"),
    [("1", ""), ("0.5", "incomplete"), ("0", "wrong"), ("", "empty"),
     (assistant_calls(("end", {})), "wrong")],
)  # fmt: skip
def test_reasons_where_no_answer_is_sought(action: Any, expected: str) -> None:
    env = Shares()
    env.reset(seed=1)
    assert env.step(action)[-1]["verdict_reason"] == expected


@pytest.mark.parametrize(("given", "text", "expected"), [("refused", "0", "refused"),
                                                         ("refused", "1", "")])  # fmt: skip
def test_an_environment_may_know_better(given: str, text: str, expected: str) -> None:
    env = Shares()
    env.given = given
    env.reset(seed=1)
    assert env.step(text)[-1]["verdict_reason"] == expected


@pytest.mark.parametrize("given", ["lazy", "Wrong", "wrong ", "several answers", "error", None, 0])
def test_a_reason_outside_the_vocabulary(given: Any) -> None:
    env = Shares()
    env.given = given
    env.reset(seed=1)
    with pytest.raises(RewardError) as caught:
        env.step("0")
    assert str(caught.value).endswith(
        "verdict_reason must be one of empty, refused, unreadable, several_answers, wrong, "
        f"incomplete, cut, not {given!r}"
    )
    env.given = ""
    assert env.step("0")[1] == 0.0


def test_the_page_has_the_vocabulary() -> None:
    page = (DOCS / "writing-environments.md").read_text("utf-8")
    table = page.partition("## Reasons")[2].partition("\n## ")[0]
    assert sorted(re.findall(r"^\| `(\w+)` \|", table, re.M)) == sorted(VERDICT_REASONS[1:])


def test_the_vocabulary() -> None:
    assert VERDICT_REASONS == (
        "", "empty", "refused", "unreadable", "several_answers", "wrong", "incomplete", "cut",
    )  # fmt: skip


class CutByLength(Policy):
    """Writes until its limit."""

    name = "cut by length"

    def __init__(self, text: str) -> None:
        self.text = text

    async def act(self, messages: Any, tools: Any, **more: Any) -> Action:
        return Action(assistant(self.text), "length")


@pytest.mark.parametrize(("text", "expected"), [("It is", "cut"), ("\\boxed{B}", "")])
def test_trajectories_say_that_a_message_was_cut(text: str, expected: str) -> None:
    run = textgym.rollout("textgym/MCQA-v0", CutByLength(text), tasks=[MCQA])
    (trajectory,) = run.trajectories()
    assert trajectory["stop_reason"] == "max_tokens"
    assert trajectory["info"]["verdict_reason"] == expected
