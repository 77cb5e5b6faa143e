"""Published evaluations: how they ask for an answer and read it, as data of the catalogue.

A data set NAME whose entry has an evaluation can be played as `NAME_published`. Its rows then have
the published prompt as their messages, and settings with which the environment reads the answer as
the published evaluation does.

Invariants: a template was read at the source that the evaluation names; a template is filled in one
pass, so braces in a question remain as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase
from typing import Any

from textgym.errors import DatasetError, RowError

__all__ = ["PublishedEvaluation", "published_row", "worked_example"]

Row = dict[str, Any]

_PLACEHOLDER = re.compile(r"\{(category|examples|letter|options|question|solution|text)\}")


@dataclass(frozen=True)
class PublishedEvaluation:
    """How a published evaluation asks for an answer and reads it.

    Attributes:
        by: The name of the evaluation.
        source: The address of the file that its prompt was read from.
        messages: The prompt: messages whose content may have the placeholders `{question}`,
            `{options}`, `{category}` and `{examples}`.
        option: An option, with the placeholders `{letter}` and `{text}`.
        example: A worked example, with `{question}`, `{options}` and `{solution}`.
        examples: Where worked examples come from: `split`, a split of the data set; `count`, how
            many of the row's category; `fields`, the fields of a record that hold `category`,
            `question`, `options` and `solution`; `prefix`, which is taken off the solution. Empty
            if the prompt has none.
        fields: The fields that rows get, such as expressions that find the answer.
        sampling: How models were sampled: `temperature`, `top_p`, `max_tokens` and `repeats`, the
            number of samples of a task, as far as it is known. Rows do not have it.
        note: How a figure can differ from a published one.
        published: Published figures, as in `NamedDataset`.
    """

    by: str
    source: str
    messages: Sequence[Mapping[str, str]]
    option: str = ""
    example: str = ""
    examples: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    sampling: Mapping[str, float] = field(default_factory=dict)
    note: str = ""
    published: Sequence[Mapping[str, Any]] = ()


def published_row(
    evaluation: PublishedEvaluation, row: Mapping[str, Any], examples: Mapping[str, Sequence[str]]
) -> Row:
    r"""Return a row with the published prompt and settings.

    Args:
        evaluation: The evaluation.
        row: The row of the data set.
        examples: The worked examples of each category; see `worked_example`.

    Raises:
        DatasetError: The row's category has too few worked examples.

    Example:
        >>> prompt = [{"role": "user", "content": "{question}\n{options}Answer:"}]
        >>> evaluation = PublishedEvaluation("demo", "", prompt, option="{letter}) {text}\n")
        >>> row = {"question": "A {metal}?", "options": {"A": "neon", "B": "zinc"}, "answer": "B"}
        >>> made = published_row(evaluation, row, {})
        >>> made["responses_create_params"]["input"][0]["content"]
        'A {metal}?\nA) neon\nB) zinc\nAnswer:'
    """
    count = evaluation.examples.get("count", 0)
    found = examples.get(row["category"], ())[:count] if count else ()
    if len(found) < count:
        raise DatasetError(
            f"the published prompt has {count} worked examples of category {row['category']!r}, "
            f"but there are {len(found)}"
        )
    values = {
        "category": row.get("category", ""),
        "examples": "".join(found),
        "options": _lines(evaluation, row.get("options", {})),
        "question": row["question"],
    }
    prompt = [
        {"role": message["role"], "content": _filled(message["content"], values)}
        for message in evaluation.messages
    ]
    return {**row, "responses_create_params": {"input": prompt}, **evaluation.fields}


def worked_example(evaluation: PublishedEvaluation, record: Mapping[str, Any]) -> tuple[str, str]:
    """Return the category of a worked example, and its text.

    Args:
        evaluation: The evaluation.
        record: The record of the example, as it was read.

    Raises:
        RowError: A field of the record is missing or not valid; the error names it.
    """
    fields = evaluation.examples["fields"]
    for place, name in fields.items():
        value = record.get(name)
        if place == "options":
            if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
                raise RowError(name, f"must be a list of strings, not {value!r:.40}")
        elif not isinstance(value, str) or not value:
            raise RowError(name, f"must be a non-empty string, not {value!r:.40}")
    options = dict(zip(ascii_uppercase, record[fields["options"]], strict=False))
    category = record[fields["category"]]
    values = {
        "options": _lines(evaluation, options),
        "question": record[fields["question"]],
        "solution": record[fields["solution"]].removeprefix(evaluation.examples["prefix"]),
    }
    return category, _filled(evaluation.example, values)


def _lines(evaluation: PublishedEvaluation, options: Mapping[str, str]) -> str:
    """Return the options as a text."""
    return "".join(
        _filled(evaluation.option, {"letter": letter, "text": text})
        for letter, text in options.items()
    )


def _filled(template: str, values: Mapping[str, str]) -> str:
    """Return a template with its placeholders replaced; one without a value remains."""
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), template)
