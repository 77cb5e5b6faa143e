"""Records that are not fair tasks are left out with a reason; broken ones name the field."""

from __future__ import annotations

from typing import Any

import gymnasium
import pytest
from conversion_samples import SAMPLES, Record, converted
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import in_one_test

from textgym.errors import RowError
from textgym.tasks.named import named_dataset

LEFT_OUT: list[tuple[str, Record, str]] = [
    ("agieval", {"options": None}, "it is not a multiple-choice question"),
    ("agieval", {"label": ["A", "B"]}, "several options are right, or none"),
    ("agieval", {"label": "A B"}, "several options are right, or none"),
    ("agieval", {"options": ["(B)O", "(A)N"]}, "the options are not in the order of their letters"),
    ("agieval", {"options": ["(A)Zn ", "(B)zn"]}, "the right option occurs twice"),
    ("agieval", {"options": ["(A)", "(B)zn"]}, "an option is empty"),
    ("aime_24", {"answer": "12 or 13"}, "its answer is not an integer from 0 to 999"),
    ("amc_23", {"answer": " "}, "there is no answer"),
    ("bbh", {"input": "Options:\n(A) Monsters\n(B) Inc", "target": "Monsters, Inc"},
     "its target is not one of the options"),
    ("bbh", {"target": "."}, "its answer consists of marks that the comparison ignores"),
    ("gpqa", {"Incorrect Answer 2": " Zinc"}, "the right option occurs twice"),
    ("gsm_plus", {"answer": "None"}, "there is no answer"),
    ("hotpotqa", {"answer": None}, "its answer was not published"),
    ("ifbench", {"instruction_id_list": ["count:nothing"]},
     "an instruction is unknown, or its arguments are not valid"),
    ("ifbench", {"kwargs": [{"keyword1": "sun"}]},
     "an instruction is unknown, or its arguments are not valid"),
    ("math", {"solution": "It is 2."}, "there is no answer"),
    ("math", {"solution": "It is \\boxed{ }."}, "there is no answer"),
    ("mmlu", {"choices": ["4", "3", "2", "4"]}, "the right option occurs twice"),
    ("mmlu", {"choices": ["4"], "answer": 0}, "it has fewer than two options"),
    ("mmlu_pro", {"options": ["N/A", "N/A", "Zn"]}, "it has fewer than two options"),
    ("nemotron_mcqa", {"expected_answer": "A", "template_metadata": {"output_regex": "(b)ox"}},
     "the right letter cannot be read in the form that the row asks for"),
    ("nemotron_mcqa", {"options": [{"A": "Zn"}, {"B": "zn"}]}, "the right option occurs twice"),
    ("olympiad_bench", {"question": "<image_1> What?"}, "it needs a picture"),
    ("olympiad_bench", {"answer_type": "Need_human_evaluate"},
     "its answer has to be judged by people"),
    ("olympiad_bench", {"error": "1e-1"}, "its answer is right within a tolerance"),
    ("olympiad_bench", {"final_answer": [""]}, "there is no answer"),
    ("open_math_reasoning", {"problem_type": "converted_proof"},
     "its problem_type is converted_proof"),
    ("open_math_reasoning", {"expected_answer": None}, "there is no answer"),
]  # fmt: skip

BROKEN: list[tuple[str, Record, str]] = [
    *[("agieval", {field: None}, field) for field in ("question", "label")],
    ("agieval", {"options": "(A)yes"}, "options"),
    ("agieval", {"options": ["x"] * 27}, "options"),
    ("agieval", {"label": "D"}, "label"),
    ("agieval", {"label": ["D"]}, "label"),
    ("agieval", {"label": [2]}, "label"),
    ("agieval", {"passage": 3}, "passage"),
    ("agieval", {"query": "?", "choices": ["x", "y"], "gold": [2]}, "gold"),
    ("agieval", {"query": "?", "choices": ["x", "y"], "gold": "A"}, "gold"),
    ("agieval", {"query": 3, "choices": ["x", "y"], "gold": [0]}, "query"),
    *[("aime_24", {field: None}, field) for field in ("answer",)],
    ("aime_24", {"problem": None}, "question"),
    ("aime_24", {"answer": True}, "answer"),
    ("aime_24", {"answer": [3]}, "answer"),
    ("aime_25", {"answer": None}, "answer"),
    ("amc_23", {"answer": None}, "answer"),
    ("amc_23", {"problem": 4}, "problem"),
    *[("arc", {field: None}, field) for field in ("question", "choices", "answerKey")],
    ("arc", {"choices": ["O", "Zn"]}, "choices"),
    ("arc", {"choices": {"text": ["O", "Zn"]}}, "label"),
    ("arc", {"choices": {"text": ["O", 3], "label": ["A", "B"]}}, "text"),
    ("arc", {"answerKey": "E"}, "answerKey"),
    *[("bbh", {field: None}, field) for field in ("input", "target")],
    ("bbh", {"target": True}, "target"),
    *[("dapo_17k", {field: None}, field) for field in ("prompt", "reward_model")],
    ("dapo_17k", {"prompt": [{"content": "Who?"}]}, "prompt.0"),
    ("dapo_17k", {"reward_model": "34"}, "reward_model"),
    ("dapo_17k", {"reward_model": {"ground_truth": 34}}, "ground_truth"),
    *[("gpqa", {field: None}, field)
      for field in ("Question", "Correct Answer", "Incorrect Answer 3", "High-level domain")],
    *[("gsm8k", {field: None}, field) for field in ("question", "answer")],
    *[("gsm8k", {"answer": answer}, "answer")
      for answer in ("42", "#### ", "#### forty", "#### 4 apples", 5)],
    *[("gsm_plus", {field: None}, field) for field in ("question", "answer", "perturbation_type")],
    *[("hotpotqa", {field: None}, field) for field in ("question", "context", "type")],
    ("hotpotqa", {"context": {"title": ["Oslo"]}}, "sentences"),
    ("hotpotqa", {"context": {"title": "Oslo", "sentences": [["It"]]}}, "context"),
    ("hotpotqa", {"context": [["Oslo", [1]]]}, "context"),
    ("hotpotqa", {"context": [["Oslo"]]}, "context"),
    ("hotpotqa", {"context": []}, "context"),
    *[("ifbench", {field: None}, field) for field in ("prompt", "instruction_id_list", "kwargs")],
    ("ifbench", {"kwargs": []}, "kwargs"),
    ("ifeval", {"kwargs": "[]"}, "kwargs"),
    ("ifeval", {"instruction_id_list": []}, "instruction_id_list"),
    ("math", {"problem": None}, "question"),
    ("math", {"solution": None}, "solution"),
    ("math_500", {"answer": 4}, "answer"),
    ("minerva_math", {"solution": None}, "solution"),
    *[("mmlu", {field: None}, field) for field in ("question", "subject", "choices", "answer")],
    ("mmlu", {"answer": 4}, "answer"),
    ("mmlu", {"answer": True}, "answer"),
    *[("mmlu_pro", {field: None}, field)
      for field in ("question", "category", "options", "answer")],
    ("mmlu_pro", {"answer": "K"}, "answer"),
    ("nemotron_mcqa", {"responses_create_params": None}, "responses_create_params"),
    ("nemotron_mcqa", {"responses_create_params": {}}, "responses_create_params.input"),
    ("nemotron_mcqa", {"expected_answer": "C"}, "expected_answer"),
    ("nemotron_mcqa", {"options": [{"A": "O"}, {"1": "Zn"}]}, "options.1"),
    ("nemotron_mcqa", {"grading_mode": "kind"}, "grading_mode"),
    *[("olympiad_bench", {field: None}, field)
      for field in ("question", "answer_type", "final_answer", "subfield")],
    ("olympiad_bench", {"final_answer": "4"}, "final_answer"),
    *[("open_math_reasoning", {field: None}, field) for field in ("problem", "problem_type")],
    ("open_math_reasoning", {"expected_answer": 2}, "expected_answer"),
    *[("workbench", {field: None}, field)
      for field in ("query", "answer", "base_template", "domains")],
    ("workbench", {"answer": "['calendar.delete_event.func(']"}, "answer"),
    ("workbench", {"answer": "['delete(7)']"}, "answer"),
    ("workbench", {"domains": "calendar"}, "domains"),
    ("workplace_assistant", {"responses_create_params": None}, "responses_create_params"),
    ("workplace_assistant", {"ground_truth": None}, "ground_truth"),
    ("workplace_assistant", {"ground_truth": [{"name": "restart"}]}, "ground_truth.0.name"),
]  # fmt: skip


ENVS = {
    env: gymnasium.make(env).unwrapped
    for env in sorted({named_dataset(name).env for name in SAMPLES})
}


@in_one_test(("name", "change", "reason"), LEFT_OUT)
def test_records_that_are_left_out(name: str, change: Record, reason: str) -> None:
    assert converted(name, {**SAMPLES[name][0], **change}) == reason


@in_one_test(("name", "change", "field"), BROKEN)
def test_broken_records_name_the_field(name: str, change: Record, field: str) -> None:
    with pytest.raises(RowError) as caught:
        converted(name, {**SAMPLES[name][0], **change})
    assert caught.value.field == field


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=5,
)


@pytest.mark.parametrize("name", sorted(SAMPLES))
@given(st.data())
@settings(max_examples=25)
def test_any_value_gives_a_row_a_reason_or_an_error(name: str, data: st.DataObject) -> None:
    """A row that is returned can be read by the environment."""
    record = data.draw(st.sampled_from(SAMPLES[name]))
    field = data.draw(st.sampled_from(sorted(record)))
    try:
        row = converted(name, {**record, field: data.draw(VALUES)})
    except RowError:
        return
    assert row
    if isinstance(row, dict):
        env: Any = ENVS[named_dataset(name).env]
        assert env.read_row({"world": 1, **row}).messages  # with a generated database


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_a_record_of_another_schema_names_a_field(name: str) -> None:
    with pytest.raises(RowError, match="is missing"):
        converted(name, {"text": "Once."})
