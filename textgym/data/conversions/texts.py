"""Data sets with short answers, and with instructions about the form of a text.

Rows of BIG-Bench Hard and HotpotQA are played by `textgym/EquivalenceJudge-v0`, whose judge `rule`
reads an answer such as "So the answer is (B)." at the end of a chain of thought. Rows of IFEval and
IFBench are played by `textgym/Constraints-v0`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

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
from textgym.envs.constraints.constraints_rows import instructions_of
from textgym.errors import RowError
from textgym.verifiers.exact import match

__all__ = ["bbh", "hotpotqa", "ifbench", "ifeval"]

_OPTION = re.compile(r"^\([A-Z]\)(?= )", re.MULTILINE)
_LETTER_RULE = "Answer with the letter of an option in brackets, such as (A)."
_UNREADABLE = "its answer consists of marks that the comparison ignores"


def bbh(record: Record, number: int, split: str) -> Row | str:
    """Convert a record of BIG-Bench Hard: `input` and `target`. The category is its `task`.

    Where options have letters, a sentence says that the letter is the answer. Left out are records
    whose target is not an option, because a title with a comma became several of them.

    Example:
        >>> record = {"input": "not ( True ) is", "target": "False", "task": "boolean_expressions"}
        >>> row = bbh(record, 3, "test")
        >>> row["id"], row["question"], row["expected_answer"]
        ('bbh-test-boolean_expressions-3', 'not ( True ) is', 'False')
    """
    question, target = text_of(record, "input").strip(), text_of(record, "target").strip()
    task = optional_text(record, "task") or "bbh"
    options = _OPTION.findall(question)
    if options and target not in options:
        return "its target is not one of the options"
    if options:
        question = f"{question}\n\n{_LETTER_RULE}"
    return _answered(f"bbh-{split}-{task}-{number}", question, target, task)


def hotpotqa(record: Record, number: int, split: str) -> Row | str:
    """Convert a record of HotpotQA with its paragraphs: `question`, `answer` and `context`.

    The paragraphs come first, each with its title. `context` has lists `title` and `sentences`, or
    is a list of pairs of these.
    """
    answer = nullable_text(record, "answer")
    if answer is None:
        return "its answer was not published"
    paragraphs = "\n\n".join(f"{title}: {text}" for title, text in _paragraphs(record))
    row = _answered(
        f"hotpotqa-{split}-{own_id(record, number, 'id', '_id')}",
        f"{paragraphs}\n\nQuestion: {text_of(record, 'question')}",
        answer,
        text_of(record, "type"),
    )
    level = optional_text(record, "level")
    return row if isinstance(row, str) or level is None else {**row, "level": level}


def _paragraphs(record: Record) -> list[tuple[str, str]]:
    """Return the titles and texts of the paragraphs in `context`."""
    context = required(record, "context")
    if isinstance(context, Mapping):
        titles, lists = required(context, "title"), required(context, "sentences")
        pairs = [*zip(titles, lists, strict=False)] if isinstance(titles, list) else []
    else:
        pairs = context if isinstance(context, list) else []
    try:
        found = [(title, "".join(sentences).strip()) for title, sentences in pairs]
    except (TypeError, ValueError):
        found = []
    if not found:
        raise RowError("context", "must hold the titles and the sentences of paragraphs")
    return found


def _answered(id: str, question: str, answer: str, category: str) -> Row | str:
    """Return a row, or why it should be left out."""
    if not match(answer, answer):
        return _UNREADABLE
    return {"id": id, "question": question, "expected_answer": answer, "category": category}


def ifeval(record: Record, number: int, split: str) -> Row | str:
    """Convert a record of IFEval: `prompt`, `instruction_id_list` and `kwargs`.

    Example:
        >>> record = {"key": 1000, "prompt": "Write a line without commas.",
        ...           "instruction_id_list": ["punctuation:no_comma"],
        ...           "kwargs": [{"num_words": None}]}
        >>> row = ifeval(record, 1, "test")
        >>> row["id"], row["kwargs"]
        ('ifeval-test-1000', [{}])
    """
    return _instructed("ifeval", record, number, split)


def ifbench(record: Record, number: int, split: str) -> Row | str:
    """Convert a record of IFBench, which has the fields of IFEval."""
    return _instructed("ifbench", record, number, split)


def _instructed(name: str, record: Record, number: int, split: str) -> Row | str:
    prompt, ids = text_of(record, "prompt"), texts_of(record, "instruction_id_list")
    arguments = required(record, "kwargs")
    if isinstance(arguments, list):
        arguments = [_without_nulls(item) for item in arguments]
    row = {
        "id": f"{name}-{split}-{own_id(record, number, 'key')}",
        "prompt": prompt,
        "instruction_id_list": ids,
        "kwargs": arguments,
    }
    try:
        instructions_of(row, prompt)
    except RowError as error:
        if "." not in error.field:  # the lists do not fit
            raise
        return "an instruction is unknown, or its arguments are not valid"
    return row


def _without_nulls(item: Any) -> Any:
    """Return arguments without nulls, which a table has for the arguments of other instructions."""
    if not isinstance(item, Mapping):
        return item
    return {name: value for name, value in item.items() if value is not None}
