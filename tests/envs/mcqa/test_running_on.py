"""`textgym/MCQA-v0`: models that answer and run on into a next question."""

from __future__ import annotations

import gzip
import json
import string
from pathlib import Path
from typing import Any

import pytest

from textgym.envs.mcqa import MCQA
from textgym.errors import OracleError, RowError, UsageError

REGEX = r"answer is \(?([A-D])\)?"
ROW: dict[str, Any] = {
    "question": "Which is a metal?",
    "options": {"A": "neon", "B": "zinc", "C": "argon", "D": "xenon"},
    "answer": "B",
}
RUN_ON = "The answer is (B).\n\nQuestion:\nWhich is a gas?\nAnswer: The answer is (A)."
WRONG_FIRST = "The answer is (A).\n\nQuestion:\nWhich is zinc?\nAnswer: The answer is (B)."
COLONS = "Answer: B\n\nQ: Which is a gas?\nAnswer: A"


def reward(text: str, metadata: Any = None, row: Any = None, **kwargs: Any) -> float:
    env = MCQA(**kwargs)
    env.reset(options={"task": {**ROW, "template_metadata": metadata or {}, **(row or {})}})
    return env.step(text)[1]


@pytest.mark.parametrize(
    ("text", "settings", "right"),
    [
        (RUN_ON, {}, False),
        (RUN_ON, {"output_regex_match": None, "stop": None}, False),
        (RUN_ON, {"output_regex_match": "last"}, False),
        (RUN_ON, {"output_regex_match": "first"}, True),
        (RUN_ON, {"stop": "\n\nQuestion:"}, True),
        (RUN_ON, {"stop": ["</s>", "\n\nQuestion:"]}, True),
        (RUN_ON, {"stop": ["</s>"]}, False),
        (RUN_ON, {"stop": []}, False),
        (WRONG_FIRST, {}, True),
        (WRONG_FIRST, {"output_regex_match": "first"}, False),
        (WRONG_FIRST, {"stop": "\n\nQuestion:"}, False),
        ("The answer is (A). No, the answer is (B).", {"output_regex_match": "first"}, False),
        ("The answer is (A). No, the answer is (B).", {"stop": ["Q:"]}, True),
        ("The answer is unclear. The answer is (B).", {"output_regex_match": "first"}, True),
        ("<think>The answer is (A).</think>The answer is (B).", {"output_regex_match": "first"},
         True),
        ("<think>The answer is (B).</think>The answer is (A).", {"output_regex_match": "first"},
         False),
        ("The answer is (A), the answer is (B), the answer is (C), the answer is (D).",
         {"output_regex_match": "first"}, False),
        ("So\n\nQuestion: the answer is (B).", {"stop": "\n\nQuestion:"}, False),
        ("\n\nQuestion: the answer is (B).", {"stop": "\n\nQuestion:"}, False),
        ("  The answer is (B).", {"stop": "\n"}, True),
        ("The answer is (B)." + " x" * 15_000, {"output_regex_match": "first"}, True),
        ("x " * 15_000 + "The answer is (B).", {"output_regex_match": "first"}, True),
        ("", {"output_regex_match": "first", "stop": "Q:"}, False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("place", ["metadata", "row", "arguments"])
def test_which_match_of_an_expression_counts(
    text: str, settings: dict[str, Any], right: bool, place: str
) -> None:
    metadata = {"output_regex": REGEX}
    if place == "metadata":
        found = reward(text, {**metadata, **settings})
    elif place == "row":
        found = reward(text, metadata, settings)
    else:
        found = reward(text, metadata, **settings)
    assert found == right


@pytest.mark.parametrize(
    ("text", "settings", "right"),
    [
        (COLONS, {}, True),
        (COLONS, {"output_regex_match": "first"}, True),
        (COLONS, {"output_regex_match": "last"}, False),
        (COLONS, {"output_regex_match": "last", "stop": "\n\nQ:"}, True),
        ("Answer: A\nAnswer: B", {}, False),
        ("Answer: A\nAnswer: B", {"output_regex_match": "last"}, True),
        ("Answer: B\nAnswer: A", {"output_regex_match": "last"}, False),
        ("Answer: A or B", {"output_regex_match": "last"}, False),
        ("It is B.", {"output_regex_match": "last"}, False),
        ("Q: Answer: B", {"stop": "Q:"}, False),
    ],
)  # fmt: skip
def test_which_answer_counts_in_lenient_answer_colon(
    text: str, settings: dict[str, Any], right: bool
) -> None:
    assert reward(text, settings, grading_mode="lenient_answer_colon") == right


def test_stop_strings_cut_in_all_modes() -> None:
    boxes = "\\boxed{B}\n\nQ: Which is a gas? \\boxed{A}"
    assert (reward(boxes), reward(boxes, {"stop": "\n\nQ:"})) == (0.0, 1.0)
    assert reward(boxes, {"output_regex_match": "first"}) == 0.0  # the mode says which box counts


@pytest.mark.parametrize(
    ("text", "settings", "right"),
    [
        ("\\boxed{B}", {}, True),
        ("\\boxed{B}", {"output_regex_only": False}, True),
        ("\\boxed{B}", {"output_regex_only": True}, False),
        ("The answer is (B).", {"output_regex_only": True}, True),
        ("The answer is (A), or \\boxed{B}", {"output_regex_only": True}, False),
    ],
)
def test_only_the_expressions_find_the_answer(
    text: str, settings: dict[str, Any], right: bool
) -> None:
    metadata = {"output_regex": REGEX}
    assert reward(text, {**metadata, **settings}) == right
    assert reward(text, metadata, settings) == right
    assert reward(text, metadata, **settings) == right


def test_an_argument_says_whether_only_the_expressions_count() -> None:
    metadata = {"output_regex": REGEX, "output_regex_only": True}
    assert reward("\\boxed{B}", metadata, output_regex_only=False) == 1.0
    metadata["output_regex_only"] = False
    assert reward("\\boxed{B}", metadata, output_regex_only=True) == 0.0


def test_without_an_expression_the_mode_reads_the_answer() -> None:
    assert reward("\\boxed{B}", output_regex_only=True) == 1.0


def test_arguments_come_before_the_row_and_metadata_before_its_row() -> None:
    metadata = {"output_regex": REGEX, "output_regex_match": "last"}
    assert reward(RUN_ON, metadata, output_regex_match="first") == 1.0
    assert reward(RUN_ON, metadata, {"output_regex_match": "first"}) == 0.0
    stop = {"output_regex": REGEX, "stop": "</s>"}
    assert reward(RUN_ON, stop, stop=["\n\nQuestion:"]) == 1.0


@pytest.mark.parametrize(
    ("name", "value"),
    [("output_regex_match", "second"), ("output_regex_match", 1), ("output_regex_match", ""),
     ("output_regex_only", "yes"), ("output_regex_only", 1),
     ("stop", 5), ("stop", ""), ("stop", ["Q:", ""]), ("stop", ["Q:", None]), ("stop", {"Q:": 1})],
)  # fmt: skip
def test_invalid_settings(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=name):
        MCQA(**{name: value})
    with pytest.raises(RowError) as caught:
        reward("x", {"output_regex": REGEX, name: value})
    assert caught.value.field == f"template_metadata.{name}"
    with pytest.raises(RowError) as caught:
        reward("x", {"output_regex": REGEX}, {name: value})
    assert caught.value.field == name


def test_an_expression_for_all_rows() -> None:
    own = {"output_regex": r"pick (.)"}
    assert reward(RUN_ON, output_regex=REGEX, output_regex_match="first") == 1.0
    assert reward("pick A. The answer is (B).", own, output_regex=[REGEX]) == 1.0
    assert reward("pick B. The answer is (A).", own, output_regex=REGEX) == 0.0
    assert reward("pick B.", own, output_regex=[]) == 1.0
    with pytest.raises(UsageError, match="output_regex"):
        MCQA(output_regex=5)  # type: ignore[arg-type]


def test_an_oracle_whose_answer_the_stop_string_cuts() -> None:
    env = MCQA(stop="\\boxed")
    env.reset(options={"task": ROW})
    with pytest.raises(OracleError, match="stop"):
        env.solve()


@pytest.mark.parametrize("model", ["Meta-Llama-3-70B", "Qwen1.5-72B-Chat"])
def test_recorded_verdicts_of_mmlu_pro(shared: Path, model: str) -> None:
    path = shared / f"data/recorded/mmlu_pro/{model}.jsonl.gz"
    if not path.exists():
        pytest.skip("no recorded answers")
    env = MCQA(output_regex_match="first")
    with gzip.open(path, "rt") as lines:
        for line in lines:
            given = json.loads(line)
            row = {
                "question": given["question"],
                "answer": given["answer"],
                "template_metadata": {"output_regex": r"(?-i:answer is \(?([A-J])\)?)"},
            }
            if len(given["options"]) > 1:
                row["options"] = dict(zip(string.ascii_uppercase, given["options"], strict=False))
            env.reset(options={"task": row})
            _, earned, _, _, info = env.step(given["output"])
            assert earned == given["correct"]
            assert info["extracted_answer"] == (given["pred"] or "")
