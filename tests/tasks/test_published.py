"""Variants with a published prompt: what they ask, how answers are read, what figures come out."""

from __future__ import annotations

import dataclasses
import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from conversion_samples import SAMPLES, Record, converted

import textgym
from textgym.errors import DatasetError, RowError, UnknownNameError
from textgym.registry import make
from textgym.tasks import named
from textgym.tasks.named import convert_records, named_dataset, named_rows_file, published_names
from textgym.tasks.published import PublishedEvaluation, published_row, worked_example

EXAMPLES = [
    {
        "question": f"{n} {{question}}?",
        "options": ["one", "{text}"],
        "category": "math",
        "cot_content": "A: Let's think step by step. The answer is (B).",
    }
    for n in range(6)
]
MMLU_PRO = {
    "question_id": 70, "question": "A metal?", "options": ["neon", "zinc"], "answer": "B",
    "category": "math",
}  # fmt: skip
GSM = """
## Question: 

A pen?


## Instruction 

Please answer this question by first reasoning and then providing your answer.
Present your reasoning and solution in the following json format. 
Please show your final answer in the `answer` field, e.g.,`"answer": "42"`.

```json
{
    "reasoning": "___",
    "answer": "___"
}
```
"""  # noqa: W291 - blanks at the ends of lines are part of the prompt
CHOICE = (
    "Answer the following multiple choice question. The last line of your response should be of "
    "the following format: 'Answer: $LETTER' (without quotes) where LETTER is one of ABCD. Think "
    "step by step before answering.\n\n{}\n\nA) {}\nB) {}\nC) {}\nD) {}"
)


def located(records: list[Record]) -> list[tuple[str, Record]]:
    return [(f"row {number}", record) for number, record in enumerate(records)]


def rows_of(name: str, records: list[Record], examples: list[Record] = EXAMPLES) -> list[Record]:
    """Return the rows of test records."""
    dataset = named_dataset(name)
    splits = {"test": {"source": "test", "rows": None}}
    dataset = dataclasses.replace(dataset, splits=splits)
    return [*convert_records(dataset, "test", located(records), located(examples))]


def prompt_of(row: Record) -> list[Record]:
    prompt: list[Record] = row["responses_create_params"]["input"]
    return prompt


def samples(name: str) -> list[Record]:
    plain = SAMPLES[name.removesuffix("_published")]
    if name == "mmlu_pro_published":
        return [{**record, "category": "math"} for record in plain]  # as the worked examples
    return plain


@pytest.mark.parametrize("name", published_names())
def test_only_the_prompt_and_the_settings_differ(name: str) -> None:
    evaluation = named_dataset(name).evaluation
    assert evaluation is not None
    for row, record in zip(rows_of(name, samples(name)), samples(name), strict=True):
        plain = converted(name.removesuffix("_published"), record)
        assert isinstance(plain, dict)
        own = {field: value for field, value in row.items() if field != "responses_create_params"}
        assert {**own, "id": ""} == {**plain, **evaluation.fields, "id": ""}
        text = "".join(message["content"] for message in prompt_of(row))
        assert plain["question"] in text
        assert not re.search(r"\{(options|examples|category|letter|solution)\}", text)


@pytest.mark.parametrize("name", published_names())
def test_the_environment_plays_the_published_prompt(name: str) -> None:
    rows = rows_of(name, samples(name))
    env: Any = gymnasium.make(named_dataset(name).env, dataset=rows).unwrapped
    for index, row in enumerate(rows):
        observation, _ = env.reset(options={"index": index})
        assert observation == prompt_of(row)
        assert env.step(env.solve())[1] == 1.0
        env.reset(options={"index": index})
        assert env.step("I do not know.")[1] == 0.0
    env.close()


def test_gsm8k_asks_as_zero_eval_does() -> None:
    (row,) = rows_of("gsm8k_published", [{"question": "A pen?", "answer": "#### 4"}])
    assert prompt_of(row) == [{"role": "user", "content": GSM}]


def test_mmlu_asks_as_simple_evals_does() -> None:
    choices = ["neon", "z {B}", "tin", "{options}"]
    record = {"question": "Which\n?", "subject": "chemistry", "choices": choices, "answer": 1}
    (row,) = rows_of("mmlu_published", [record])
    assert prompt_of(row)[0]["content"] == CHOICE.format("Which\n?", *choices)


def test_arc_asks_as_the_evaluation_of_llama_does() -> None:
    row = rows_of("arc_published", samples("arc"))[1]
    assert prompt_of(row)[0]["content"] == (
        "Given the following question and four candidate answers (A, B, C and D), choose the best "
        "answer.\nQuestion: A gas?\nA. Zn\nB. Fe\nC. Cu\nD. N\nYour response should end with "
        '"The best answer is [the_answer_letter]" where the [the_answer_letter] is one of A, B, C '
        "or D."
    )


@pytest.mark.parametrize(
    ("reply", "reward"),
    [
        ("The best answer is D", 1.0),
        ("Nitrogen is a gas.\n\nThe best answer is D.", 1.0),
        ("The best answer is [D]", 1.0),
        ("**The best answer is (D)**", 1.0),
        ("The best answer is: D. N", 1.0),
        ("The best answer is A. No, the best answer is D.", 1.0),
        ("The best answer is D. No, the best answer is A.", 0.0),
        ("The best answer is a gas, D", 0.0),
        ("D", 0.0),
        ("The best answer is D or A", 0.0),
    ],
)
def test_arc_reads_the_letter_after_the_words(reply: str, reward: float) -> None:
    with gymnasium.make("textgym/MCQA-v0", dataset=rows_of("arc_published", samples("arc"))) as env:
        env.reset(options={"index": 1})
        assert env.step(reply)[1] == reward


def test_mmlu_pro_asks_with_five_worked_examples_of_the_category() -> None:
    (row,) = rows_of("mmlu_pro_published", [MMLU_PRO])
    worked = "".join(
        f"Question: {n} {{question}}?\nOptions: A. one\nB. {{text}}\n"
        "Answer: Let's think step by step. The answer is (B).\n\n"
        for n in range(5)
    )
    assert prompt_of(row)[0]["content"] == (
        "The following are multiple choice questions (with answers) about math. Think step by step "
        'and then output the answer in the format of "The answer is (X)" at the end.\n\n'
        f"{worked}Question: A metal?\nOptions: A. neon\nB. zinc\n"
        "Answer: Let's think step by step.\n\n"
    )


def test_a_category_without_worked_examples() -> None:
    with pytest.raises(DatasetError, match="has 5 worked examples of category 'law', but there"):
        rows_of("mmlu_pro_published", [{**MMLU_PRO, "category": "law"}])


@pytest.mark.parametrize(
    ("field", "value"),
    [("cot_content", ""), ("cot_content", None), ("options", "neon"), ("category", 5)],
)
def test_a_broken_worked_example_has_its_place(field: str, value: Any) -> None:
    examples = located([EXAMPLES[0], {**EXAMPLES[1], field: value}])
    dataset = named_dataset("mmlu_pro_published")
    with pytest.raises(RowError, match=rf"^row 1: field '{field}' must be"):
        list(convert_records(dataset, "test", located([MMLU_PRO]), examples))


def test_braces_of_a_question_are_kept() -> None:
    prompt = [{"role": "user", "content": "{question} {unknown} {options}"}]
    evaluation = PublishedEvaluation("demo", "", prompt, option="{letter}{text};", example="")
    row = {"question": "{options}", "options": {"A": "{letter}"}}
    made = published_row(evaluation, row, {})
    assert prompt_of(made)[0]["content"] == "{options} {unknown} A{letter};"
    assert row == {"question": "{options}", "options": {"A": "{letter}"}}


def test_a_prefix_is_taken_off_a_solution_once() -> None:
    evaluation = named_dataset("mmlu_pro").evaluation
    assert evaluation is not None
    _, text = worked_example(evaluation, {**EXAMPLES[0], "cot_content": "A: A: So."})
    assert text.endswith("Answer: A: So.\n\n")


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Answer `load_dataset` with records of MMLU-Pro, and give the splits that were loaded."""
    datasets = pytest.importorskip("datasets")
    splits: list[str] = []

    def load_dataset(_: str, **arguments: Any) -> Any:
        splits.append(arguments["split"])
        found = EXAMPLES if arguments["split"] == "validation" else [MMLU_PRO]
        return datasets.Dataset.from_list(found)

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    return splits


def test_rows_are_cached_beside_those_of_the_plain_name(hub: list[str], own_cache: Path) -> None:
    path = named_rows_file("mmlu_pro_published", "test")
    assert hub == ["validation", "test"]
    assert named_rows_file("mmlu_pro_published", "test") == path
    plain = named_rows_file("mmlu_pro", "test")
    assert own_cache in path.parents
    assert path.parent.name == "mmlu_pro_published"
    assert plain.parent.name == "mmlu_pro"
    assert "responses_create_params" not in json.loads(plain.read_text())
    assert hub == ["validation", "test", "test"]


@pytest.mark.usefixtures("hub")
def test_a_variant_is_an_environment_and_a_data_set() -> None:
    run = textgym.rollout("mmlu_pro_published", "oracle")
    assert run.metrics["overall"]["success_rate"] == 1.0
    env = gymnasium.make("mmlu_pro_published/MCQA-v0", split="test")
    assert env.reset()[1]["task_id"] == "mmlu_pro-test-70"
    env = gymnasium.make("textgym/MCQA-v0", dataset="mmlu_pro_published", split="test")
    assert env.unwrapped.num_tasks == 1  # type: ignore[attr-defined]


@pytest.mark.usefixtures("hub")
def test_a_changed_template_has_a_file_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    path = named_rows_file("mmlu_pro_published", "test")
    plain = named_dataset("mmlu_pro")
    evaluation = plain.evaluation
    assert evaluation is not None
    changed = dataclasses.replace(evaluation, option="{letter}: {text}\n")
    entries = {"mmlu_pro": dataclasses.replace(plain, evaluation=changed)}
    monkeypatch.setattr(named, "_catalogue", lambda: entries)
    assert named_rows_file("mmlu_pro_published", "test") != path


@pytest.mark.parametrize(
    "use",
    [
        lambda: named_dataset("agieval_published"),
        lambda: make("agieval_published"),
        lambda: make("textgym/MCQA-v0", dataset="agieval_published"),
        lambda: textgym.rollout("agieval_published", "oracle"),
    ],
    ids=["entry", "environment", "data set", "rollout"],
)
def test_a_variant_that_does_not_exist_names_those_that_do(use: Callable[[], Any]) -> None:
    expected = r"^data set 'agieval' has no .*gsm8k_published, "
    with pytest.raises(UnknownNameError, match=expected) as error:
        use()
    assert "\n" not in str(error.value)


def test_the_split_of_the_worked_examples_is_not_played() -> None:
    with pytest.raises(UnknownNameError, match="has no split 'validation': pass split='test'"):
        named_rows_file("mmlu_pro_published", "validation")


def letter(name: str, text: str) -> str:
    """Return the letter that is read in an answer; each option is a word of its own."""
    evaluation = named_dataset(name).evaluation
    assert evaluation is not None
    options = {letter: f"word {letter}" for letter in "ABCDEFGHIJ"}
    row = {"question": "Which?", "options": options, "answer": "A", **evaluation.fields}
    env = gymnasium.make("textgym/MCQA-v0", dataset=[row])
    env.reset()
    read: str = env.step(text)[4]["extracted_answer"]
    return read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Answer: B", "B"),
        ("answer : $C$", "C"),
        ("Answer: A\nNo.\nAnswer: B", "A"),
        ("Answer: Because", "B"),
        ("Answer: because, so Answer: C", ""),
        ("Answer: E, or Answer: D", "D"),
        ("**Answer:** B", ""),
        ("Answer: **B**", ""),
        ("Answer: \\boxed{B}", ""),
        ("\\boxed{B}", ""),
    ],
)
def test_gpqa_reads_as_simple_evals_does(text: str, read: str) -> None:
    assert letter("gpqa", text) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Answer: B", "B"),
        ("**Answer:** B", "B"),
        ("**Answer**: **C**", "C"),
        ("Answer: $\\boxed{\\text{D}}$", "D"),
        ("Answer: \\(A\\)", "A"),
        ("Answer: b", ""),
        ("Answer: (B)", ""),
        ("Answer:\nB", ""),
        ("\\boxed{B}", ""),
    ],
)
def test_mmlu_reads_as_simple_evals_does(text: str, read: str) -> None:
    assert letter("mmlu", text) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("The answer is (C).", "C"),
        ("the answer is **(C)**, not that the answer is (D)", "C"),
        ("The answer is (c).", ""),
        ("Answer: D\nAnswer: E", "D"),
        ("**Answer:** D", "D"),
        ("So B or, in the end, F.", "F"),
        ("It is C₂H₂.", ""),
        ("The answer is \\boxed{K}", ""),
    ],
)
def test_mmlu_pro_reads_as_its_script_does(text: str, read: str) -> None:
    assert letter("mmlu_pro", text) == read


def lines_of(path: Path) -> list[Record]:
    if not path.exists():
        pytest.skip("no recorded answers")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def graded(answers: list[Record], env: str) -> dict[str, bool]:
    found: dict[str, bool] = {}
    textgym.grade(
        answers, env, on_answer=lambda answer: found.update({answer.id: bool(answer.is_success)})
    )
    return found


def mmlu_pro_letter(text: str) -> str | None:
    """Read an answer as MMLU-Pro documents it: three expressions, one after the other."""
    text = text.replace("**", "")
    for expression in (r"answer is \(?([A-J])\)?", r".*[aA]nswer:\s*([A-J])"):
        if match := re.search(expression, text):
            return match[1]
    last = re.findall(r"\b[A-J]\b", text)
    return last[-1] if last else None


@pytest.mark.slow
@pytest.mark.parametrize("model", ["Meta-Llama-3-70B", "Qwen1.5-72B-Chat"])
def test_recorded_answers_to_mmlu_pro(shared: Path, model: str) -> None:
    records = lines_of(shared / f"data/recorded/mmlu_pro/{model}.jsonl.gz")
    categories = sorted({record["category"] for record in records})
    examples = [{**example, "category": name} for name in categories for example in EXAMPLES]
    rows = {row["id"]: row for row in rows_of("mmlu_pro_published", records, examples)}
    answers, expected = [], {}
    for record in records:
        row = rows.get(f"mmlu_pro-test-{record['question_id']}")
        if row is not None:
            answers.append({**row, "output": record["output"]})
            expected[row["id"]] = mmlu_pro_letter(record["output"]) == record["answer"]
            assert expected[row["id"]] or not record["correct"]  # by the first expression only
    assert len(answers) > 1490
    assert graded(answers, "textgym/MCQA-v0") == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "published"), [("gpt-4o-mini-2024-07-18", 94.24), ("Meta-Llama-3-8B-Instruct", 78.47)]
)
def test_recorded_answers_to_gsm8k(shared: Path, model: str, published: float) -> None:
    records = lines_of(shared / f"data/recorded/zeroeval_gsm/{model}.jsonl.gz")
    test = (shared / "data/gsm8k/test.jsonl").read_text(encoding="utf-8").splitlines()
    rows = rows_of("gsm8k_published", [json.loads(line) for line in test])
    assert [row["question"] for row in rows] == [record["question"] for record in records]
    pairs = zip(rows, records, strict=True)
    answers = [{**row, "output": record["output"]} for row, record in pairs]
    right = sum(graded(answers, "textgym/Math-v0").values())
    # One published verdict takes '2:00 pm' for the number 2.
    assert right + 1 == round(published * len(rows) / 100)
