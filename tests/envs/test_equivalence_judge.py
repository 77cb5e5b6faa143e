"""`textgym/EquivalenceJudge-v0`: verdicts, rows, settings, judges that fail, and the families."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from chat_server import ChatServer, answer
from hypothesis import given, settings
from hypothesis import strategies as st

import textgym
from textgym.envs.equivalence_judge import EquivalenceJudge
from textgym.envs.equivalence_judge.families import FAMILIES, LEVELS
from textgym.errors import JudgeFailure, OracleError, RowError, UnknownNameError, UsageError
from textgym.messages import text_of
from textgym.verifiers.exact import normalize_answer

ID = "textgym/EquivalenceJudge-v0"
ROW = {"question": "Where does the Nile begin?", "expected_answer": "Uganda"}
REGEX_ROW = {**ROW, "template_metadata": {"output_regex": r"Answer:\s*(.+)"}}
YES, NO = "[[A=B]]", "[[A!=B]]"


class Script:
    """A judge that says its lines in order and remembers what it was shown."""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.seen: list[list[Any]] = []

    def __call__(self, messages: list[Any]) -> str:
        self.seen.append(messages)
        return self.replies.pop(0)


def step(row: dict[str, Any], action: Any, **kwargs: Any) -> tuple[float, dict[str, Any]]:
    env = EquivalenceJudge(**kwargs)
    env.reset(options={"task": row})
    _, reward, _, _, info = env.step(action)
    return reward, info


# NeMo Gym's verdicts.

ASKED_IN_VAIN = {"diff:006:both_ne_first"}  # no clear verdict: a failure, after asking again
NO_GOLD = {"diff:024:no_gold"}
NOT_ASKED = {"diff:008:empty_reply"}  # an empty answer gets 0 without a call


def test_every_case_gets_its_verdict(shared: Path) -> None:
    path = shared / "conformance" / "equivalence_llm_judge.jsonl"
    cases = [json.loads(line) for line in path.read_text().split("\n") if line]
    for case in cases:
        judge = Script(*case["judge_replies"])
        env = gymnasium.make(ID, judge=judge, **case["config"])
        if case["case"] in NO_GOLD:
            with pytest.raises(RowError, match="'expected_answer' is missing"):
                env.reset(options={"task": case["task"]})
            continue
        env.reset(options={"task": case["task"]})
        if case["case"] in ASKED_IN_VAIN:
            judge.replies *= 2
            with pytest.raises(JudgeFailure, match="no clear verdict"):
                env.step(case["actions"][0])
            continue
        reward = env.step(case["actions"][0])[1]
        assert reward == case["reward"], case["case"]
        unused = judge.replies if case["case"] not in NOT_ASKED else judge.seen
        assert unused == [], case["case"]
    assert len(cases) > 15


# Settings and what they pay.


@pytest.mark.parametrize(
    ("replies", "row", "answer", "kwargs", "reward", "success", "component"),
    [
        pytest.param([YES], ROW, "x", {}, 1.0, True, "equal", id="yes"),
        pytest.param([NO], ROW, "x", {}, 0.0, False, "answered", id="no"),
        pytest.param([NO], ROW, "Answer: x", {"response_extract_regex": "Answer: (.)"}, 0.0, False,
                     "answered", id="a keyword's expression is not rescued"),
        pytest.param([YES, YES], ROW, "x", {"check_twice_swap": True}, 1.0, True, "equal",
                     id="yes both ways"),
        pytest.param([NO], ROW, "x", {"check_twice_swap": True}, 0.0, False, "answered",
                     id="no swap after a no"),
        pytest.param([YES, NO], ROW, "x", {"check_twice_swap": True, "reward_if_swap_fails": -1},
                     -1.0, False, "swap_failed", id="swap fails"),
        pytest.param([YES], ROW, "x", {"reward_if_swap_fails": -1}, 1.0, True, "equal",
                     id="swap is off"),
        pytest.param([NO, YES], REGEX_ROW, "Answer: x", {}, 0.5, False, "full_generation_equal",
                     id="rescued"),
        pytest.param([NO, YES], REGEX_ROW, "x", {}, 0.5, False, "full_generation_equal",
                     id="rescued though nothing was extracted"),
        pytest.param([NO, YES], REGEX_ROW, "Answer: x", {"check_twice_swap": True}, 0.5, False,
                     "full_generation_equal", id="a rescue is not swapped"),
        pytest.param([NO, YES], REGEX_ROW, "x", {"reward_if_full_generation_succeeds": 0.2}, 0.2,
                     False, "full_generation_equal", id="what a rescue pays"),
        pytest.param([NO], REGEX_ROW, "x", {"check_full_generation_on_fail": False}, 0.0, False,
                     "answered", id="no rescue"),
        pytest.param([NO], REGEX_ROW, "x", {"use_per_record_regex": False}, 0.0, False, "answered",
                     id="rows' expressions are off"),
        pytest.param([NO], {**ROW, "template_metadata": {"output_regex": ""}}, "x", {}, 0.0, False,
                     "answered", id="an empty expression is none"),
        pytest.param([YES, NO], ROW, "Uganda", {"check_twice_swap": True}, 0.0, False,
                     "swap_failed", id="the same text is asked in both orders"),
        pytest.param([NO], REGEX_ROW, "x", {"extraction_length_threshold": 5}, 0.0, False,
                     "answered", id="long gold, no rescue"),
        pytest.param([YES], REGEX_ROW, "x",
                     {"extraction_length_threshold": 5, "check_twice_swap": True}, 1.0, True,
                     "equal", id="long gold, no swap"),
        pytest.param([YES, NO], ROW, "x",
                     {"extraction_length_threshold": 5, "check_twice_swap": True}, 0.0, False,
                     "swap_failed", id="long gold without an expression of its own"),
        pytest.param([NO, YES], REGEX_ROW, "x", {"extraction_length_threshold": None}, 0.5, False,
                     "full_generation_equal", id="no threshold"),
    ],
)  # fmt: skip
def test_flow(
    replies: list[str],
    row: dict[str, Any],
    answer: str,
    kwargs: dict[str, Any],
    reward: float,
    success: bool,
    component: str,
) -> None:
    judge = Script(*replies)
    paid, info = step(row, answer, judge=judge, **kwargs)
    assert (paid, info["is_success"], judge.replies) == (reward, success, [])
    expected = {"answered": 1.0, component: 1.0}
    if component == "swap_failed":
        expected["equal"] = 1.0
    assert {k: v for k, v in info["reward_components"].items() if v} == expected
    assert set(info["reward_components"]) - {"pattern_timeout"} == {
        "answered", "equal", "swap_failed", "full_generation_equal", "too_long", "forged_label",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"Answer: (\w+)", "Answer: Kenya. Answer: Uganda", "Uganda"),
        (r"Answer: \w+", "Answer: Kenya", "Answer: Kenya"),
        (r"^It is (.*)$", "No.\nIt is Kenya", "Kenya"),
        (r"It is (.+)", "It is Kenya\nor so", "Kenya\nor so"),
        (r"(\d)|is (\w+)", "is Kenya", "Kenya"),
        (r"answer: (.+)", "Answer: Kenya", "Answer: Kenya"),
        (r"(", "Kenya", "Kenya"),
        (r"x*", "Kenya", "Kenya"),
        ([r"nothing (.)", r"is (\w+)"], "is Kenya", "Kenya"),
    ],
    ids=["last", "no group", "lines", "dot is all", "second group", "case counts", "broken",
         "matches nothing", "list"],
)  # fmt: skip
def test_extraction(pattern: Any, text: str, found: str) -> None:
    row = {**ROW, "template_metadata": {"output_regex": pattern}}
    assert step(row, text, judge=lambda messages: YES)[1]["extracted_answer"] == found


def test_row_expression_wins_over_the_keyword() -> None:
    kwargs = {"judge": lambda messages: YES, "response_extract_regex": r"(\w+)$"}
    assert step(REGEX_ROW, "Answer: a b", **kwargs)[1]["extracted_answer"] == "a b"
    assert step(ROW, "Answer: a b", **kwargs)[1]["extracted_answer"] == "b"


@pytest.mark.parametrize(
    ("kwargs", "range_"),
    [
        ({}, (0.0, 1.0)),
        ({"reward_if_swap_fails": -1}, (0.0, 1.0)),
        ({"reward_if_swap_fails": -1, "check_twice_swap": True}, (-1.0, 1.0)),
        ({"reward_if_full_generation_succeeds": 2}, (0.0, 2.0)),
        ({"reward_if_full_generation_succeeds": 2, "use_per_record_regex": False}, (0.0, 1.0)),
    ],
)
def test_range_follows_the_arguments(kwargs: dict[str, Any], range_: tuple[float, float]) -> None:
    assert EquivalenceJudge(**kwargs).reward_range == range_


@pytest.mark.parametrize(
    ("kwargs", "error"),
    [
        pytest.param({"judge": "ruel"}, UnknownNameError, id="judge"),
        pytest.param({"judge": "no_such_module:judge"}, UnknownNameError, id="module"),
        pytest.param({"judge": 5}, UsageError, id="judge a number"),
        pytest.param({"judge_equal_label": ""}, UsageError, id="empty label"),
        pytest.param({"judge_equal_label": "[[A!=B]]"}, UsageError, id="same labels"),
        pytest.param({"judge_prompt_template": "{question}"}, UsageError, id="no answers"),
        pytest.param({"judge_prompt_template": "{expected_answer}{generated_answer}{equal_label}"},
                     UsageError, id="one label"),
        pytest.param({"judge_prompt_template": "{expected_answer} {generated}"}, UnknownNameError,
                     id="placeholder"),
        pytest.param({"judge_prompt_template": "{"}, UsageError, id="brace"),
        pytest.param({"judge_timeout": 0}, UsageError, id="timeout"),
        pytest.param({"judge_endpoint_max_concurrency": 0}, UsageError, id="concurrency"),
        pytest.param({"response_extract_regex": "("}, UsageError, id="answer regex"),
        pytest.param({"question_extract_regex": 5}, UsageError, id="question regex"),
        pytest.param({"reward_if_swap_fails": float("nan")}, UsageError, id="reward"),
        pytest.param({"reward_if_full_generation_succeeds": "1"}, UsageError, id="rescue"),
        pytest.param({"extraction_length_threshold": -1}, UsageError, id="threshold"),
        pytest.param({"check_twice_swap": "no"}, UsageError, id="swap a text"),
        pytest.param({"use_per_record_regex": 0}, UsageError, id="a number for a flag"),
        pytest.param({"check_full_generation_on_fail": None}, UsageError, id="no flag"),
    ],
)  # fmt: skip
def test_wrong_argument(kwargs: dict[str, Any], error: type[Exception]) -> None:
    name = next(iter(kwargs)).split("_")[0]
    with pytest.raises(error, match=name):
        EquivalenceJudge(**kwargs)


# What the judge is shown.


def nemo(text: Any, **more: Any) -> dict[str, Any]:
    return {"responses_create_params": {"input": text}, "expected_answer": "4", **more}


@pytest.mark.parametrize(
    ("row", "kwargs", "question"),
    [
        (ROW, {}, "Where does the Nile begin?"),
        (nemo("2 + 2?"), {}, "2 + 2?"),
        (nemo([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"},
               {"role": "user", "content": "2 + 2?"}]), {}, "2 + 2?"),
        (nemo([{"role": "user", "content": [{"type": "input_text", "text": "2 + 2?"}]}]), {},
         "2 + 2?"),
        (nemo([{"role": "system", "content": "Say 4."}]), {}, ""),
        (nemo("Q: 1 + 1? Q: 2 + 2? End."), {"question_extract_regex": r"Q: (.*?\?)"}, "2 + 2?"),
        (nemo("2 + 2?"), {"question_extract_regex": "Q: (.*)"}, "2 + 2?"),
    ],
    ids=["flat", "text", "turns", "parts", "no user", "extracted", "not found"],
)  # fmt: skip
def test_question_that_the_judge_reads(
    row: dict[str, Any], kwargs: dict[str, Any], question: str
) -> None:
    judge = Script(YES)
    template = "Q={question};{expected_answer}{generated_answer}"
    step(row, "x", judge=judge, judge_prompt_template=template, **kwargs)
    said = judge.seen[0][0]["content"]
    assert said.partition("\n")[2].startswith(f"{question}\n</text ")


@pytest.mark.parametrize(
    "action",
    [
        {"role": "assistant", "content": "x", "reasoning_content": "SECRET"},
        "<think>SECRET</think>x",
        {"role": "assistant", "content": [{"type": "text", "text": "<think>SECRET</think>"},
                                          {"type": "text", "text": "x"}]},
    ],
    ids=["reasoning_content", "tags", "parts"],
)  # fmt: skip
def test_reasoning_is_not_shown(action: Any) -> None:
    judge = Script(YES)
    assert step(ROW, action, judge=judge)[0] == 1.0
    assert "SECRET" not in str(judge.seen)


@pytest.mark.parametrize("action", ["", "  \n", "<think>Uganda", {"role": "assistant"}])
def test_empty_answer_is_not_judged(action: Any) -> None:
    judge = Script()
    reward, info = step(ROW, action, judge=judge)
    assert (reward, judge.seen, info["extracted_answer"]) == (0.0, [], "")
    assert not any(info["reward_components"].values())


def test_identical_answer_is_judged() -> None:
    assert step(ROW, "Uganda", judge=Script(NO))[0] == 0.0


def test_neither_answer_nor_reply_is_in_info() -> None:
    _, info = step(ROW, "x", judge=lambda messages: f"<think>The right one is Uganda.</think>{NO}")
    assert "Uganda" not in json.dumps(info)


# Judges and what goes wrong with them.


def test_rule_is_the_default_and_never_waits() -> None:
    env = EquivalenceJudge()
    _, info = env.reset(options={"task": ROW})
    assert (info["judge"], env.card.judge, env.blocking) == ("rule", "rule", False)
    assert env.step("uganda.")[1] == 1.0


def test_judge_of_a_module_is_named_and_blocks() -> None:
    env = gymnasium.make(ID, judge=f"{__name__}:always_yes")
    _, info = env.reset(options={"task": ROW})
    assert (info["judge"], env.unwrapped.blocking) == (f"{__name__}:always_yes", True)
    assert env.step("x")[1] == 1.0
    assert '"judge"' in env.spec.to_json()


def always_yes(messages: list[Any]) -> str:
    return YES


class Locked(textgym.Policy):
    """A policy that cannot be copied."""

    name = "locked"

    def __init__(self) -> None:
        self.lock = threading.Lock()

    async def act(self, messages, tools, *, prior=None, seed=None):  # type: ignore[no-untyped-def]
        return textgym.Action({"role": "assistant", "content": YES})


@pytest.mark.parametrize("judge", [always_yes, Locked()], ids=["callable", "policy"])
def test_spec_with_an_object_cannot_be_saved(judge: Any) -> None:
    env = gymnasium.make(ID, judge=judge)
    with pytest.raises(UsageError, match="argument 'judge' is an object"):
        env.spec.to_json()
    again = gymnasium.make(env.spec)
    again.reset(options={"task": ROW})
    assert again.step("x")[1] == 1.0


def test_state_is_saved_with_any_judge() -> None:
    env, other = (gymnasium.make(ID, judge=always_yes) for _ in range(2))
    env.reset(seed=3)
    textgym.set_state(other, json.loads(json.dumps(textgym.get_state(env))))
    assert other.step("x") == env.step("x")


def test_failed_step_can_be_stepped_again() -> None:
    judge = Script("", "", NO)
    env = EquivalenceJudge(judge=judge)
    observation, _ = env.reset(options={"task": ROW})
    with pytest.raises(JudgeFailure):
        env.step("x")
    assert env.get_state()["messages"] == []
    assert env.step("x")[1:3] == (0.0, True)
    assert len(observation) == 1


@pytest.mark.parametrize(
    "judge",
    [
        pytest.param(lambda messages: 1 / 0, id="raises"),
        pytest.param(lambda messages: "I cannot tell.", id="no verdict"),
        pytest.param(lambda messages: f"{YES} {NO}", id="both"),
        pytest.param(lambda messages: "", id="silent"),
        pytest.param(lambda messages: None, id="no text"),
    ],
)
def test_rollout_records_a_failing_judge_without_a_reward(judge: Callable[..., Any]) -> None:
    run = textgym.rollout(ID, "oracle", episodes=2, env_kwargs={"judge": judge})
    for trajectory in run.trajectories():
        assert trajectory["reward"] is None
        assert trajectory["failure"]["boundary"] == "judge"


def test_rollout_keeps_samples_while_the_judge_is_down() -> None:
    asked: list[str] = []

    def flaky(messages: list[Any]) -> str:
        asked.append(messages[-1]["content"])
        if len(asked) == 1:
            raise ConnectionError("refused")
        return YES

    run = textgym.rollout(ID, "random", episodes=1, env_kwargs={"judge": flaky})
    assert next(run.trajectories())["reward"] == 1.0
    assert asked[0] == asked[1]


def test_judge_behind_a_server_and_a_process_that_ends_without_a_word() -> None:
    pytest.importorskip("aiohttp")
    code = (
        "import sys, textgym\n"
        "kwargs = {'judge': sys.argv[1], 'level': 1}\n"
        f"run = textgym.rollout({ID!r}, 'oracle', episodes=6, env_kwargs=kwargs)\n"
        "print(run.mean_reward)"
    )
    with ChatServer([answer(YES)]) as server:
        done = subprocess.run(
            [sys.executable, "-W", "always", "-c", code, f"openai:m@{server.url}"],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert (done.stdout, done.stderr) == ("1.0\n", "")
        assert len(server.requests) == 6
        assert server.requests[0].body["temperature"] == 0.0


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("x" * 1_000_000, id="1 MB"),
        pytest.param("x" * 4_000_000, id="4 MB", marks=pytest.mark.slow),
        pytest.param("[" * 10_000, id="brackets"),
        pytest.param("\ud800 half", id="half a pair"),
        pytest.param("{question} {0} {{", id="braces"),
        pytest.param("Answer: " * 10_000, id="labels"),
        pytest.param("\x00\x1b[31m", id="control characters"),
    ],
)
@pytest.mark.parametrize("row", [ROW, REGEX_ROW], ids=["plain", "regex"])
def test_hostile_answers_get_nothing(answer: str, row: dict[str, Any]) -> None:
    for judge in ("rule", lambda messages: NO):
        reward, info = step(row, answer, judge=judge)
        assert reward == 0.0
        assert not info["is_success"]


def test_too_long_an_answer_is_not_shown() -> None:
    judge = Script()
    reward, info = step(ROW, "x" * 60_000, judge=judge)
    assert (reward, judge.seen, info["reward_components"]["too_long"]) == (0.0, [], 1.0)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=60))
def test_any_text_can_be_graded(text: str) -> None:
    for row in (ROW, REGEX_ROW):
        assert step(row, text)[0] in (0.0, 0.5, 1.0)
        assert step(row, text, judge=lambda messages: NO)[0] == 0.0


# Rows.


@pytest.mark.parametrize(
    ("row", "answer"),
    [
        ({**ROW, "expected_answer": 4}, "4"),
        ({**ROW, "expected_answer": 2.5}, "2.5"),
        ({"question": "?", "metadata": {"expected_answer": "Uganda"}}, "Uganda"),
        (
            {"question": "?", "expected_answer": "", "metadata": {"expected_answer": "Uganda"}},
            "Uganda",
        ),
        ({**ROW, "template_metadata": None}, "Uganda"),
    ],
    ids=[
        "number",
        "decimal",
        "metadata",
        "metadata beside an empty field",
        "null template_metadata",
    ],
)
def test_row_forms(row: dict[str, Any], answer: str) -> None:
    assert step(row, answer)[0] == 1.0


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"expected_answer": None}, "expected_answer"),
        ({"expected_answer": " "}, "expected_answer"),
        ({"expected_answer": True}, "expected_answer"),
        ({"expected_answer": ["Uganda"]}, "expected_answer"),
        ({"expected_answer": float("inf")}, "expected_answer"),
        ({"question": None}, "question"),
        ({"question": " "}, "question"),
        ({"question": 5}, "question"),
        ({"template_metadata": {"output_regex": 5}}, "template_metadata.output_regex"),
        ({"responses_create_params": {}}, "responses_create_params.input"),
    ],
)
def test_row_error_names_its_field(change: dict[str, Any], field: str) -> None:
    with pytest.raises(RowError) as caught:
        EquivalenceJudge().read_row({"id": "1", **ROW, **change})
    assert caught.value.field == field


def test_oracle_that_no_expression_lets_speak() -> None:
    row = {**ROW, "template_metadata": {"output_regex": "(U)"}}
    env = EquivalenceJudge()
    env.reset(options={"task": row})
    with pytest.raises(OracleError, match="output_regex"):
        env.solve()


# Families.


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("level", LEVELS)
def test_families_draw_questions_with_short_answers(family: str, level: int) -> None:
    rng = random.Random(level)
    items = [FAMILIES[family](rng, level) for _ in range(150)]
    assert all(item.question.strip() and "{" not in item.question for item in items)
    assert all(0 < len(item.answer) <= 40 and normalize_answer(item.answer) for item in items)
    assert all(item.fact for item in items)
    assert len({item.answer for item in items}) > 2
    forms = {" ".join(item.question.split()[:2]) for item in items}
    assert len(forms) >= 3, forms


@pytest.mark.parametrize("family", FAMILIES)
def test_one_question_has_one_answer(family: str) -> None:
    answers: dict[str, str] = {}
    for level in LEVELS:
        rng = random.Random(level)
        for _ in range(300):
            item = FAMILIES[family](rng, level)
            assert answers.setdefault(item.question, item.answer) == item.answer


def test_level_0_asks_to_repeat_two_words() -> None:
    env, rng = EquivalenceJudge(level=0), random.Random(1)
    for index in range(200):
        observation, _ = env.reset(options={"index": index})
        asked, form = text_of(observation[0]).split("\n\n")
        words = re.fullmatch(r"Repeat these two words: (\w+) (\w+)", asked)
        assert words
        assert form == "Reply with the answer alone, in as few words as it takes."
        one, other = words.groups()
        for text, reward in (
            (f"{one} {other}", 1.0), (f"{other} {one}", 0.0), (one, 0.0), (asked, 0.0),
            (f"{one} {other} {one}", 0.0), (str(env.guess(rng)["content"]), 0.0),
        ):  # fmt: skip
            env.reset(options={"index": index})
            assert env.step(text)[1] == reward, text


def test_facts_that_are_known() -> None:
    solved = {
        "weekdays": ("What day of the week comes 25 days after a Tuesday?", "Saturday"),
        "months": ("It is March. Which month will it be in 15 months?", "June"),
        "clocks": ("What time is 55 minutes after 07:35?", "08:30"),
        "elements": ("Which chemical element has the symbol Fe?", "iron"),
        "capitals": ("Country: Kenya. What is its capital?", "Nairobi"),
    }
    for family, (start, right) in solved.items():
        rng = random.Random(0)
        drawn = (FAMILIES[family](rng, level) for _ in range(40_000) for level in LEVELS)
        found = next((item for item in drawn if item.question.startswith(start)), None)
        assert found is not None, family
        assert found.answer == right


def test_prompt_is_the_question_and_how_to_answer() -> None:
    env = EquivalenceJudge()
    observation, _ = env.reset(options={"task": ROW})
    assert text_of(observation[0]) == (
        "Where does the Nile begin?\n\nReply with the answer alone, in as few words as it takes."
    )


@pytest.mark.parametrize("gold", ["Paris", "Rome"])
def test_two_answers_in_one_text_are_at_most_one(gold: str) -> None:
    metadata = {"output_regex": r"Answer: (\w+)"}
    row = {**ROW, "expected_answer": gold, "template_metadata": metadata}
    text = "Answer: Paris\n<answer>Rome</answer>"
    reward, _ = step(row, text, use_per_record_regex=True, check_full_generation_on_fail=True)
    assert reward == float(gold == "Paris")
