"""What conversions make of single fields: levels, numbers, years, options and their order."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from conversion_samples import SAMPLES, converted

GPQA = SAMPLES["gpqa"][0]


def made(name: str, **change: Any) -> dict[str, Any]:
    """Convert the first record of a data set, with some other values."""
    row = converted(name, {**SAMPLES[name][0], **change})
    assert isinstance(row, dict)
    return row


@pytest.mark.parametrize(
    ("answer", "number"),
    [("So.\n#### 18", "18"), ("#### -1,234,567 ", "-1234567"), ("####0.5", "0.5"),
     ("#### 3\nNo.\n#### 4", "4")],
)  # fmt: skip
def test_last_number_of_gsm8k(answer: str, number: str) -> None:
    assert made("gsm8k", answer=answer)["expected_answer"] == number


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        pytest.param(
            {"problem": "?", "solution": "\\boxed{1} or \\boxed{\\frac{1}{2}}", "level": "Level 3",
             "type": "Algebra"},
            ("math-test-7", "\\frac{1}{2}", 3, "Algebra"), id="as published"),
        pytest.param(
            {"problem": "?", "solution": "\\boxed{9}", "answer": "2", "level": 4,
             "subject": "Geometry", "unique_id": "test/geometry/9.json"},
            ("math_500-test-test/geometry/9.json", "2", 4, "Geometry"), id="MATH-500"),
        pytest.param(
            {"question": "?", "answer": "2", "other": {"level": 5, "type": "Algebra"}},
            ("math-test-7", "2", 5, "Algebra"), id="AGIEval"),
        pytest.param({"problem": "?", "answer": "2", "level": "Level ?"},
                     ("math-test-7", "2", None, "math"), id="no level"),
        pytest.param({"problem": "?", "answer": "2", "level": True},
                     ("math-test-7", "2", None, "math"), id="no number"),
    ],
)  # fmt: skip
def test_forms_of_math(record: dict[str, Any], expected: tuple[Any, ...]) -> None:
    row = converted("math", record)
    assert isinstance(row, dict)
    assert (row["id"], row["expected_answer"], row.get("level"), row["category"]) == expected


@pytest.mark.parametrize(
    ("answer", "number"),
    [("025", "25"), ("000", "0"), (70, "70"), (70.0, "70"), ("336^\\circ", "336"), (" 12 ", "12")],
)
def test_numbers_of_aime(answer: Any, number: str) -> None:
    assert made("aime_24", answer=answer)["expected_answer"] == number


@pytest.mark.parametrize("answer", ["1000", "-3", "12.5", "x", "", 1000])
def test_numbers_that_aime_does_not_have(answer: Any) -> None:
    reason = converted("aime_24", {**SAMPLES["aime_24"][0], "answer": answer})
    assert reason == "its answer is not an integer from 0 to 999"


def test_year_of_aime() -> None:
    address = "https://example.org/2024_AIME_II_Problems/Problem_5"
    assert made("aime_24", year=2024)["id"] == "aime_24-test-60"
    assert made("aime_24", year=None, url=address)["id"] == "aime_24-test-60"
    assert made("aime_24", year=None)["id"] == "aime_25-test-60"


@pytest.mark.parametrize(("answer", "text"), [(27.0, "27"), (-1, "-1"), ("0.5", "0.5")])
def test_numbers_of_amc(answer: Any, text: str) -> None:
    assert made("amc_23", answer=answer)["expected_answer"] == text


def test_several_answers_of_olympiad_bench() -> None:
    assert made("olympiad_bench", final_answer=["$1$,$2$"])["expected_answer"] == "$1, 2$"
    assert made("olympiad_bench", final_answer=["1", "2"])["expected_answer"] == "1, 2"


def test_dapo_keeps_its_prompt() -> None:
    row = made("dapo_17k")
    assert row["prompt"] == SAMPLES["dapo_17k"][0]["prompt"]
    assert "question" not in row


def test_order_of_gpqa_is_fixed_and_says_nothing() -> None:
    """The options depend on the content, not on which of them the record calls the right one."""
    places: Counter[str] = Counter()
    for number in range(400):
        record = {**GPQA, "Question": f"Question {number}?"}
        row = converted("gpqa", record)
        assert isinstance(row, dict)
        assert row["options"][row["answer"]] == "zinc"
        swapped = {"Correct Answer": "neon", "Incorrect Answer 1": "zinc"}
        other = converted("gpqa", {**record, **swapped})
        assert isinstance(other, dict)
        assert other["options"] == row["options"]
        places[row["answer"]] += 1
    assert sorted(places) == ["A", "B", "C", "D"]
    assert min(places.values()) > 70  # 100 each on average


def test_level_of_gpqa() -> None:
    field = "Writer's Difficulty Estimate"
    assert made("gpqa", **{field: "Hard graduate level (for experts)"})["level"] == (
        "Hard graduate level"
    )
    assert "level" not in made("gpqa", **{field: None})


def test_letters_of_mmlu_pro_stay() -> None:
    row = made("mmlu_pro", options=["N", "N/A", "Zn"])
    assert (row["options"], row["answer"]) == ({"A": "N", "C": "Zn"}, "C")


def test_digits_of_arc_become_letters() -> None:
    row = converted("arc", SAMPLES["arc"][1])
    assert isinstance(row, dict)
    assert (row["answer"], row["options"]["D"]) == ("D", "N")


def test_question_of_a_copy_of_agieval() -> None:
    row = converted("agieval", SAMPLES["agieval"][2])
    assert isinstance(row, dict)
    assert (row["question"], row["options"]) == ("A gas?", {"A": "Zn", "B": "neon"})


def test_bbh_asks_for_a_letter_only_where_options_have_letters() -> None:
    words = made("bbh", input="Yes?\nOptions:\n- Yes\n- No", target="Yes")
    assert words["question"] == "Yes?\nOptions:\n- Yes\n- No"
    letters = made("bbh", input="Which?\nOptions:\n(A) x\n(B) y", target="(B)")
    assert letters["question"].endswith(
        "\n(B) y\n\nAnswer with the letter of an option in brackets, such as (A)."
    )


@pytest.mark.parametrize("place", [0, 1])
def test_paragraphs_of_hotpotqa(place: int) -> None:
    record = SAMPLES["hotpotqa"][place]
    row = converted("hotpotqa", record)
    assert isinstance(row, dict)
    paragraphs, asked = row["question"].rsplit("\n\n", 1)
    assert asked == f"Question: {record['question']}"
    assert paragraphs.split("\n\n") == (
        ["Rome: It is hot."] if place else ["Oslo: It is cold. It snows.", "Rome: It is hot."]
    )
    assert row.get("level") == record.get("level")


def test_nulls_among_the_arguments_of_instructions_are_left_out() -> None:
    row = converted("ifeval", SAMPLES["ifeval"][0])
    assert isinstance(row, dict)
    assert row["kwargs"] == [{}, {"num_words": 6, "relation": "at least"}]


def test_nemotron_row_drops_nulls_among_its_options() -> None:
    row = made("nemotron_mcqa")
    assert row["options"] == {"A": "O", "B": "Zn"}
    assert row["id"] == "nemotron_mcqa-test-3c26"


def test_category_of_workbench() -> None:
    rows = [converted("workbench", record) for record in SAMPLES["workbench"]]
    assert [row["category"] for row in rows if isinstance(row, dict)] == [
        "calendar", "multi_domain",
    ]  # fmt: skip
