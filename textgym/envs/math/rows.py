"""Reading rows of mathematical problems in the formats of textgym, NeMo Gym and DAPO."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textgym.errors import RowError
from textgym.messages import Message, text_of, user
from textgym.tasks import nemo_rows
from textgym.verifiers.math import FORMS, Form

__all__ = ["answer_of", "form_of", "prompt_of", "question_of"]

_RULE = "Put the final answer in \\boxed{}."


def answer_of(row: Mapping[str, Any]) -> str:
    r"""Return a row's correct answer, from `expected_answer` or `reward_model.ground_truth`.

    Raises:
        RowError: It is missing, or not a string.

    Example:
        >>> answer_of({"expected_answer": "\\sqrt{2}"})
        '\\sqrt{2}'
        >>> answer_of({"reward_model": {"ground_truth": "34", "style": "rule"}})
        '34'
    """
    field, answer = "expected_answer", row.get("expected_answer")
    model = row.get("reward_model")
    if answer is None and isinstance(model, Mapping):
        field, answer = "reward_model.ground_truth", model.get("ground_truth")
    if answer is None:
        raise RowError("expected_answer", "is missing; it is the correct answer in LaTeX")
    if not isinstance(answer, str) or not answer.strip():
        raise RowError(field, f"must be a string such as '32', not {answer!r}")
    return answer


def form_of(row: Mapping[str, Any]) -> Form:
    """Return how far a row requires its answer to be evaluated.

    Raises:
        RowError: `answer_form` is not a known form.

    Example:
        >>> form_of({}), form_of({"answer_form": "simplified"})
        ('any', 'simplified')
    """
    form: Form = row.get("answer_form") or "any"
    if form not in FORMS:
        raise RowError("answer_form", f"must be one of {', '.join(FORMS)}, not {form!r:.40}")
    return form


def prompt_of(row: Mapping[str, Any]) -> list[Message]:
    r"""Return a row's prompt, or make one from its question if it has none.

    Raises:
        RowError: The row has neither a prompt nor a question, or it is not valid.

    Example:
        >>> prompt_of({"question": "What is $2 + 2$?"})[0]["content"]
        'What is $2 + 2$?\n\nPut the final answer in \\boxed{}.'
    """
    if nemo_rows.has_prompt(row):
        return nemo_rows.prompt_of(row)
    if row.get("prompt") is not None:
        return nemo_rows.messages_of(row["prompt"], "prompt")
    if row.get("question") is None:
        raise RowError("question", "is missing")
    return [user(f"{question_of(row, [])}\n\n{_RULE}")]


def question_of(row: Mapping[str, Any], prompt: list[Message]) -> str:
    """Return the question that a judge reads: the row's, or else the prompt's user messages.

    Raises:
        RowError: It is not a string.

    Example:
        >>> question_of({}, [user("What is 2 + 2?")])
        'What is 2 + 2?'
    """
    question = row.get("question")
    if question is None:
        return "\n\n".join(text_of(item) for item in prompt if item["role"] == "user")
    if not isinstance(question, str) or not question.strip():
        raise RowError("question", f"must be a non-blank string, not {question!r}")
    return question
