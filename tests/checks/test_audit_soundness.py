"""Wrong episodes must lose and right ones win: one small environment per defect, and sound ones."""

from __future__ import annotations

import dataclasses
import itertools
import json
import random
import re
from typing import Any

import pytest
from audit_runs import changes, result_of
from hypothesis import given
from hypothesis import strategies as st
from sound_envs import SOUND, Judged, Ledger, Pick, Recall, Sum

from textgym import Grade, Message, Task, TextEnv, assistant, assistant_calls, tool, user
from textgym.checks.soundness.mutations import TEXT_CHANGES, answer_span
from textgym.messages import text_of

CANARY = "semantic.canary_floor"
VARIANTS = "semantic.oracle_variants"


def graded(right: Any) -> Grade:
    return Grade(float(bool(right)), bool(right))


class Reverse(TextEnv[None]):
    """Submit two numbers in reverse order; the calls are graded, and there is no state."""

    card = dataclasses.replace(Sum.card, id="tests/Reverse-v0")
    max_turns = 3

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"numbers": rng.sample(range(1000), 2)}

    def read_row(self, row: dict[str, Any]) -> Task:
        prompt = f"Submit {row['numbers']} in reverse order."
        return Task(row["id"], (user(prompt),), row["numbers"][::-1], row=row)

    @tool
    def submit(self, numbers: list[int]) -> str:
        """Submit numbers.

        Args:
            numbers: The numbers.
        """
        return "thanks"

    def submitted(self) -> list[Any]:
        """The numbers that were submitted."""
        for message in self.replies:
            for call in message.get("tool_calls") or ():
                arguments: Any = call["function"]["arguments"]
                given = json.loads(arguments) if isinstance(arguments, str) else arguments
                return list(given["numbers"])
        return []

    def grade(self) -> Grade:
        return graded(self.submitted() == self.task.answer)

    def solve(self) -> Message:
        if self.turn == 0:
            return assistant_calls(("submit", {"numbers": self.task.answer}))
        return assistant("Done.")

    def guess(self, rng: random.Random) -> Message:
        return assistant("Done.")


class Larger(TextEnv[None]):
    """Say any number above another one."""

    card = dataclasses.replace(Sum.card, id="tests/Larger-v0", several_answers=True, chance=0.6)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"least": rng.randrange(1000, 9000)}

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], (user(f"More than {row['least']}?"),), row["least"], row=row)

    def grade(self) -> Grade:
        text = self.answer_text.strip()
        return graded(text.isdigit() and int(text) > self.task.answer)

    def solve(self) -> Message:
        return assistant(str(self.task.answer + 1))

    def guess(self, rng: random.Random) -> Message:
        return assistant(str(rng.randrange(1000, 9000)))


class Parity(TextEnv[None]):
    """Say in any words whether a number is even."""

    card = dataclasses.replace(Sum.card, id="tests/Parity-v0", free_wording=True, chance=0.5)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"number": rng.randrange(1000, 9000)}

    def read_row(self, row: dict[str, Any]) -> Task:
        right = "no" if row["number"] % 2 else "yes"
        return Task(row["id"], (user(f"Is {row['number']} even?"),), right, row=row)

    def grade(self) -> Grade:
        said = {word[0] for word in self.answer_text.lower().split()} & {"y", "n"}
        return graded(said == {self.task.answer[0]})

    def solve(self) -> Message:
        return assistant(f"As far as I can see, {self.task.answer} it is")

    def guess(self, rng: random.Random) -> Message:
        return assistant(rng.choice(["yes", "no"]))


SOUND_HERE = (*SOUND, Reverse, Larger, Parity)


@pytest.mark.parametrize("cls", SOUND_HERE)
@pytest.mark.parametrize("check_id", [CANARY, VARIANTS])
def test_a_sound_verifier_passes(cls: type[Any], check_id: str) -> None:
    result = result_of(cls, check_id)
    assert result.status == "pass", result
    assert cls is Larger or result.measured["episodes"] == []
    assert all(item["tried"] for item in result.measured["changes"].values())


# Wrong episodes that win.


class FirstLine(Sum):
    def answer(self) -> str:
        return self.answer_text.split("\n")[0].removeprefix("\\boxed{").removesuffix("}")


class SameLength(Sum):
    def grade(self) -> Grade:
        return graded(self.answer().isdigit() and len(self.answer()) == len(self.task.answer))


class Prefix(Sum):
    def grade(self) -> Grade:
        return graded(self.answer().startswith(self.task.answer))


class FirstLetter(Judged):
    def grade(self) -> Grade:
        return graded(self.answer_text[:1] == self.task.answer[0] and " " not in self.answer_text)


class ReadsReasoning(Pick):
    def grade(self) -> Grade:
        last: Any = next(self.replies)
        return graded((last.get("reasoning_content") or text_of(last)).strip() == self.task.answer)


class ReadsThinking(Pick):
    def grade(self) -> Grade:
        text = text_of(next(self.replies))
        return graded(text.removeprefix("<think>").removesuffix("</think>") == self.task.answer)


class OnlyTheSecond(Recall):
    def grade(self) -> Grade:
        said = self.state["said"]
        return graded(len(said) == 2 and said[0] and said[1] == str(self.task.answer[1]))


@pytest.mark.parametrize(
    ("cls", "expected"),
    [
        (FirstLine, {"the answer, then another task's"}),
        (SameLength, {"another task's answer", "a digit changed"}),
        (Prefix, {"a digit appended"}),
        (FirstLetter, {"a letter changed"}),
        (ReadsReasoning, {"the answer in the reasoning alone"}),
        (ReadsThinking, {"the answer in <think> alone", "the answer in an open <think>"}),
    ],
)
def test_a_wrong_text_that_wins_is_found(cls: type[Any], expected: set[str]) -> None:
    assert expected <= changes(cls, CANARY)


def test_a_first_line_that_is_read_alone_wins_with_nothing_else() -> None:
    assert changes(FirstLine, CANARY) == {"the answer, then another task's"}


def test_a_wrong_text_of_an_earlier_turn_that_wins_is_found() -> None:
    assert "another task's answer" in changes(OnlyTheSecond, CANARY)


class NeedsNoDeposit(Ledger):
    def grade(self) -> Grade:
        return graded(True)


class NeedsAnyDeposit(Ledger):
    def grade(self) -> Grade:
        return graded(self.state["balance"] != self.task.row["start"])


class AnyOrder(Reverse):
    def grade(self) -> Grade:
        return graded(sorted(self.submitted()) == sorted(self.task.answer))


class AnyNumbers(Reverse):
    def grade(self) -> Grade:
        return graded(self.submitted())


@pytest.mark.parametrize(
    ("cls", "expected"),
    [
        (NeedsNoDeposit, {"a turn dropped", "another task's argument"}),
        (NeedsAnyDeposit, {"another task's argument"}),
        (AnyOrder, {"arguments swapped"}),
        (AnyNumbers, {"arguments swapped", "another task's argument"}),
    ],
)
def test_a_wrong_call_that_wins_is_found(cls: type[Any], expected: set[str]) -> None:
    assert expected <= changes(cls, CANARY)


class CountsLooks(Ledger):
    """Records how often the balance was looked at, which the grade ignores."""

    @tool
    def balance(self) -> str:
        """Return the balance."""
        self.state["looks"] = self.state.get("looks", 0) + 1
        return super().balance()


class SaysSo(CountsLooks):
    card = dataclasses.replace(Ledger.card, unchecked_calls=("balance",))


def test_calls_that_only_record_themselves_pass_where_the_card_says_so() -> None:
    assert changes(CountsLooks, CANARY) == {"a turn dropped"}
    assert result_of(SaysSo, CANARY).status == "pass"


class LargerUnsaid(Larger):
    card = dataclasses.replace(Larger.card, several_answers=False)


class LargerUnderstated(Larger):
    card = dataclasses.replace(Larger.card, chance=0.01)


class LargerInThoughts(Larger):
    def grade(self) -> Grade:
        text = re.sub(r"</?think>", "", text_of(next(self.replies))).strip()
        return graded(text.isdigit() and int(text) > self.task.answer)


def test_several_right_answers_pass_where_the_card_says_so_up_to_chance() -> None:
    assert "a digit changed" in changes(LargerUnsaid, CANARY)
    assert result_of(Larger, CANARY).measured["changes"]["a digit changed"]["won"] > 0
    assert "another task's answer" in changes(LargerUnderstated, CANARY)
    assert "the answer in an open <think>" in changes(LargerInThoughts, CANARY)


def test_all_wrong_episodes_are_listed_and_three_are_shown_whole() -> None:
    result = result_of(SameLength, CANARY)
    figures = result.measured["changes"]
    assert len(result.measured["episodes"]) == sum(item["won"] for item in figures.values()) > 3
    assert len(result.evidence) == 3
    shown = result.evidence[0]
    assert shown["change"] == result.measured["episodes"][0]["change"]
    assert shown["messages"][-1]["content"] != shown["oracle"][-1]["content"]
    assert result.remediation


class Silent(Ledger):
    """Has no text that matters, and no call."""

    def grade(self) -> Grade:
        return graded(True)

    def solve(self) -> Message:
        return assistant("Done.")


def test_where_nothing_matters_the_check_is_skipped() -> None:
    assert result_of(Silent, CANARY).status == "skip"


# Right episodes that lose.


class MindsSpace(Pick):
    def grade(self) -> Grade:
        return graded(text_of(next(self.replies)) == self.task.answer)


class MindsReasoning(Pick):
    def grade(self) -> Grade:
        silent = not next(self.replies).get("reasoning_content")
        return graded(silent and self.answer_text.strip() == self.task.answer)


class MindsThinking(Pick):
    def grade(self) -> Grade:
        return graded(text_of(next(self.replies)).strip() == self.task.answer)


class MindsParts(Pick):
    def grade(self) -> Grade:
        content = next(self.replies).get("content")
        text = content.rpartition("</think>")[2] if isinstance(content, str) else ""
        return graded(text.strip() == self.task.answer)


class MindsSpelling(Reverse):
    def submitted(self) -> list[Any]:
        for message in self.replies:
            for call in message.get("tool_calls") or ():
                text: Any = call["function"]["arguments"]
                wanted = json.dumps({"numbers": self.task.answer})
                right = text == wanted if isinstance(text, str) else True
                return list(self.task.answer) if right else []
        return []


class MindsIds(Reverse):
    def grade(self) -> Grade:
        ids = [call["id"] for m in self.replies for call in m.get("tool_calls") or ()]
        return graded(ids == ["call_0_0"] and self.submitted() == self.task.answer)


class ClaimsTooMuch(Pick):
    card = dataclasses.replace(Pick.card, accepts=("full stop", "markdown"))

    def grade(self) -> Grade:
        return graded(self.answer_text.strip().removesuffix(".") == self.task.answer)


@pytest.mark.parametrize(
    ("cls", "expected"),
    [
        (MindsSpace, {"white space around the text", "a closed <think>"}),
        (MindsReasoning, {"reasoning_content"}),
        (MindsThinking, {"a closed <think>"}),
        (MindsParts, {"text parts"}),
        (MindsSpelling, {"spaces in arguments", "escapes in arguments"}),
        (MindsIds, {"other call ids"}),
        (ClaimsTooMuch, {"markdown"}),
    ],
)
def test_a_right_episode_that_loses_is_found(cls: type[Any], expected: set[str]) -> None:
    assert changes(cls, VARIANTS) == expected


def test_a_form_that_is_not_claimed_is_measured_alone() -> None:
    result = result_of(Pick, VARIANTS)
    assert result.status == "pass"
    assert result.measured["changes"]["markdown"]["lost"] > 0


class ClaimsTheUnknown(Pick):
    card = dataclasses.replace(Pick.card, accepts=("bald",))


def test_an_unknown_claim_is_named() -> None:
    detail = result_of(ClaimsTheUnknown, VARIANTS).detail
    assert detail.startswith("the card claims ['bald']; known forms are markdown, ")


# Changes of texts.


@given(st.text(), st.integers(0, 99), st.sampled_from(sorted(TEXT_CHANGES)))
def test_a_change_of_a_text_is_one_character(text: str, seed: int, name: str) -> None:
    changed = TEXT_CHANGES[name](text, random.Random(seed))
    if changed == text:
        return
    pairs = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(changed, text, strict=False))
    same = len([*pairs])
    new, old = changed[same:], text[same:]
    inserted, removed, replaced = new[1:] == old, new == old[1:], new[1:] == old[1:]
    if name == "the sign changed":
        assert inserted or removed
    else:
        assert inserted if name == "a digit appended" else replaced


@given(st.text(), st.lists(st.one_of(st.text(), st.integers(), st.none(), st.lists(st.text()))))
def test_the_span_of_an_answer_is_within_the_text(text: str, answers: list[Any]) -> None:
    start, end = answer_span(text, *answers)
    assert 0 <= start <= end <= len(text)
    assert text[start:end] in {text, *map(str, answers)}


def test_other_words_are_wrong_unless_the_wording_is_free() -> None:
    card = dataclasses.replace(Parity.card, free_wording=False)
    strict = type("StrictParity", (Parity,), {"card": card})
    assert result_of(strict, CANARY).status == "fail"
