r"""Mathematical data sets, as rows of `textgym/Math-v0`.

Rows have the problem without a prompt, so that the environment asks for the answer in `\boxed{}`.
Only DAPO's records have prompts, which their rows keep.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from textgym.data.conversions.fields import (
    Record,
    Row,
    nullable_text,
    optional_text,
    own_id,
    required,
    text_of,
    texts_of,
)
from textgym.errors import RowError
from textgym.tasks import nemo_rows
from textgym.verifiers.extract import last_boxed

__all__ = [
    "aime", "amc", "competition_math", "dapo", "gsm8k", "gsm_plus", "minerva_math",
    "olympiad_bench", "open_math_reasoning",
]  # fmt: skip

_FINAL = re.compile(r"####\s*(-?[\d,]*\.?\d+)\s*$")
_LEVEL = re.compile(r"(?:Level )?([1-5])")
_YEAR = re.compile(r"20(\d\d)(?:_AIME|\Z)")
_YEAR_OF_OTHERS = "25"  # the copies of AIME 2025 do not state it
_INTEGER = re.compile(r"0*(\d{1,3})(?:\.0|\^\\circ)?")


def gsm8k(record: Record, number: int, split: str) -> Row:
    r"""Convert a record of GSM8K: `question`, and `answer`, a solution that ends with `#### N`.

    Example:
        >>> row = gsm8k({"question": "Two plus two?", "answer": "2 + 2 = 4\n#### 4"}, 1, "test")
        >>> row["id"], row["expected_answer"]
        ('gsm8k-test-1', '4')
    """
    solution = text_of(record, "answer")
    final = _FINAL.search(solution)
    if final is None:
        raise RowError("answer", "must end with '#### ' and the final number")
    return {
        "id": f"gsm8k-{split}-{number}",
        "question": text_of(record, "question"),
        "expected_answer": final[1].replace(",", ""),
        "category": "gsm8k",
        "solution": solution,
    }


def gsm_plus(record: Record, number: int, split: str) -> Row | str:
    """Convert a record of GSM-Plus: `question`, `answer` and `perturbation_type`.

    Its authors took a needed statement out of some problems, whose answer is then `None`.
    """
    answer = text_of(record, "answer")
    return _row(
        f"gsm_plus-{split}-{number}",
        text_of(record, "question"),
        "" if answer == "None" else answer,
        text_of(record, "perturbation_type"),
    )


def competition_math(record: Record, number: int, split: str) -> Row | str:
    r"""Convert a problem of MATH, in one of three forms.

    The published form has `problem`, `solution` with the answer in its last box, `level` and
    `type`. MATH-500 has `answer`, `subject` and `unique_id` as well, and AGIEval `question`,
    `answer`, and the rest in `other`.

    Example:
        >>> record = {"problem": "Add 1 and 1.", "solution": "It is $\\boxed{2}$.",
        ...           "level": "Level 1", "type": "Prealgebra"}
        >>> row = competition_math(record, 7, "train")
        >>> row["id"], row["expected_answer"], row["level"], row["category"]
        ('math-train-7', '2', 1, 'Prealgebra')
    """
    other = record.get("other")
    fields = {**other, **record} if isinstance(other, Mapping) else record
    unique = optional_text(fields, "unique_id")
    level = _LEVEL.fullmatch(str(fields.get("level")))
    return _row(
        f"math-{split}-{number}" if unique is None else f"math_500-{split}-{unique}",
        _problem_of(fields),
        _answer_or_last_box(fields),
        optional_text(fields, "type") or optional_text(fields, "subject") or "math",
        level=int(level[1]) if level else None,
    )


def aime(record: Record, number: int, split: str) -> Row | str:
    """Convert a problem of AIME: `problem` or `question`, and `answer`, an integer from 0 to 999.

    The id contains the year, from `year` or `url`. Records without both are of the year 2025.

    Example:
        >>> record = {"id": 61, "problem": "Add 30 and 3.", "answer": "033", "year": "2024"}
        >>> row = aime(record, 2, "test")
        >>> row["id"], row["expected_answer"]
        ('aime_24-test-61', '33')
    """
    answer = _INTEGER.fullmatch(_number_text(record, "answer"))
    if answer is None:
        return "its answer is not an integer from 0 to 999"
    year = _YEAR.search(str(record.get("year") or record.get("url")))
    own = own_id(record, number, "id", "problem_idx")
    return _row(
        f"aime_{year[1] if year else _YEAR_OF_OTHERS}-{split}-{own}",
        _problem_of(record),
        answer[1],
        "aime",
    )


def amc(record: Record, number: int, split: str) -> Row | str:
    """Convert a problem of AMC 2023: `problem` or `question`, and `answer`, such as 27.0."""
    return _row(
        f"amc_23-{split}-{own_id(record, number, 'id')}",
        _problem_of(record),
        _number_text(record, "answer").removesuffix(".0"),
        "amc_23",
    )


def minerva_math(record: Record, number: int, split: str) -> Row | str:
    """Convert a problem of Minerva's set: `problem`, `solution` with a box, and `type`.

    Copies have `question` and `answer`.
    """
    return _row(
        f"minerva_math-{split}-{own_id(record, number, 'idx')}",
        _problem_of(record),
        _answer_or_last_box(record),
        optional_text(record, "type") or "minerva_math",
    )


def olympiad_bench(record: Record, number: int, split: str) -> Row | str:
    """Convert an open-ended text problem of OlympiadBench: `question`, and the list `final_answer`.

    Left out are problems with pictures, whose answer has to be judged by people, or whose answer is
    right within a tolerance (`error`), which the verifier does not know.

    Example:
        >>> record = {"id": 1606, "question": "Find all.", "final_answer": ["$1$,$2$"],
        ...           "answer_type": "Numerical", "subfield": "Algebra", "error": None}
        >>> row = olympiad_bench(record, 1, "test")
        >>> row["id"], row["expected_answer"]
        ('olympiad_bench-test-1606', '$1, 2$')
    """
    question = text_of(record, "question")
    if "<image" in question:
        return "it needs a picture"
    if "Need_human_evaluate" in text_of(record, "answer_type"):
        return "its answer has to be judged by people"
    if record.get("error"):
        return "its answer is right within a tolerance"
    return _row(
        f"olympiad_bench-{split}-{own_id(record, number, 'id')}",
        question,
        ", ".join(texts_of(record, "final_answer")).replace("$,$", ", "),
        text_of(record, "subfield"),
    )


def dapo(record: Record, number: int, split: str) -> Row:
    """Convert a record of DAPO-Math-17k, whose messages in `prompt` ask for `Answer: $Answer`.

    Example:
        >>> record = {"prompt": [{"role": "user", "content": "2 + 2? End with Answer: $Answer."}],
        ...           "reward_model": {"ground_truth": "4"}, "extra_info": {"index": "9b1d"}}
        >>> dapo(record, 5, "train")["id"]
        'dapo_17k-train-9b1d'
    """
    model, extra = required(record, "reward_model"), record.get("extra_info")
    if not isinstance(model, Mapping):
        raise RowError("reward_model", "must be an object with `ground_truth`")
    own = own_id(extra if isinstance(extra, Mapping) else {}, number, "index")
    return {
        "id": f"dapo_17k-{split}-{own}",
        "prompt": nemo_rows.messages_of(required(record, "prompt"), "prompt"),
        "expected_answer": text_of(model, "ground_truth"),
        "category": optional_text(record, "data_source") or "dapo_17k",
    }


def open_math_reasoning(record: Record, number: int, split: str) -> Row | str:
    """Convert a record of OpenMathReasoning: `problem`, `expected_answer`, `problem_type`.

    Problems whose answer was not extracted from the forum where they come from are left out.
    """
    kind = text_of(record, "problem_type")
    if kind != "has_answer_extracted":
        return f"its problem_type is {kind:.40}"
    return _row(
        f"open_math_reasoning-{split}-{number}",
        text_of(record, "problem"),
        nullable_text(record, "expected_answer") or "",
        optional_text(record, "problem_source") or "open_math_reasoning",
    )


def _row(id: str, question: str, answer: str, category: str, level: int | None = None) -> Row | str:
    """Return a row, or why it should be left out."""
    if not answer.strip():
        return "there is no answer"
    row = {"id": id, "question": question, "expected_answer": answer, "category": category}
    return row if level is None else {**row, "level": level}


def _problem_of(record: Record) -> str:
    return text_of(record, "question" if record.get("problem") is None else "problem")


def _answer_or_last_box(record: Record) -> str:
    """Return `answer`, or the last box of `solution`; "" if it has none."""
    if record.get("answer") is not None:
        return text_of(record, "answer")
    return last_boxed(text_of(record, "solution")) or ""


def _number_text(record: Record, field: str) -> str:
    """Return a number, or the text of one, as a text."""
    value = required(record, field)
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise RowError(field, f"must be a number, not {value!r:.40}")
    return str(value).strip()
