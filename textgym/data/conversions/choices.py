"""Multiple-choice data sets, as rows of `textgym/MCQA-v0`.

Invariants: options keep the order of the source, except for GPQA, whose records have the right one
first. A question is left out if it has fewer than two options, an empty one, or the text of the
right one twice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import ascii_uppercase

from textgym.data.conversions.fields import (
    Record,
    Row,
    optional_text,
    own_id,
    required,
    text_of,
    texts_of,
)
from textgym.envs.mcqa.mcqa_rows import answer_of, mode_of, options_of
from textgym.errors import RowError
from textgym.tasks import nemo_rows
from textgym.tasks.task import hash_int
from textgym.verifiers.choices import choice, format_choice
from textgym.verifiers.exact import normalize_text

__all__ = ["agieval", "arc", "gpqa", "mmlu", "mmlu_pro", "nemotron_mcqa"]

_PREFIX = re.compile(r"\s*[(（]\s*([A-Z])\s*[)）]")
_NEMO_FIELDS = (
    "responses_create_params", "expected_answer", "grading_mode", "template_metadata",
)  # fmt: skip


def mmlu(record: Record, number: int, split: str) -> Row | str:
    """Convert a record of MMLU: `question`, `subject`, `choices`, and `answer`, an index from 0.

    Example:
        >>> record = {"question": "Which is a metal?", "subject": "chemistry",
        ...           "choices": ["neon", "zinc", "sulphur", "argon"], "answer": 1}
        >>> row = mmlu(record, 7, "test")
        >>> row["id"], row["options"]["B"], row["answer"], row["category"]
        ('mmlu-test-7', 'zinc', 'B', 'chemistry')
    """
    options, index = _lettered(record, "choices"), required(record, "answer")
    if type(index) is not int or not 0 <= index < len(options):
        raise RowError("answer", f"must be a number from 0 to {len(options) - 1}, not {index!r}")
    return _row(
        f"mmlu-{split}-{number}",
        text_of(record, "question"),
        options,
        [*options][index],
        text_of(record, "subject"),
    )


def mmlu_pro(record: Record, number: int, split: str) -> Row | str:
    """Convert a record of MMLU-Pro: `question`, up to ten `options`, and `answer`, a letter.

    Options `N/A`, which fill up the list in an older revision, are left out.
    """
    options = _lettered(record, "options")
    right = text_of(record, "answer")
    if right not in options:
        raise RowError("answer", f"is {right!r:.40}, but the options are {', '.join(options)}")
    return _row(
        f"mmlu_pro-{split}-{own_id(record, number, 'question_id')}",
        text_of(record, "question"),
        {letter: text for letter, text in options.items() if text != "N/A" or letter == right},
        right,
        text_of(record, "category"),
    )


def gpqa(record: Record, number: int, split: str) -> Row | str:
    """Convert a record of GPQA: `Question`, `Correct Answer` and three `Incorrect Answer N`.

    The options are in the order of a hash, so that the place of the right one says nothing.
    """
    question = text_of(record, "Question").strip()
    right = text_of(record, "Correct Answer").strip()
    wrong = [text_of(record, f"Incorrect Answer {place}").strip() for place in (1, 2, 3)]
    texts = sorted([right, *wrong], key=lambda text: hash_int("gpqa", question, text))
    row = _row(
        f"gpqa-{split}-{own_id(record, number, 'Record ID')}",
        question,
        dict(zip(ascii_uppercase, texts, strict=False)),
        ascii_uppercase[texts.index(right)],
        text_of(record, "High-level domain"),
    )
    difficulty = optional_text(record, "Writer's Difficulty Estimate")
    if isinstance(row, str) or difficulty is None:
        return row
    return {**row, "level": difficulty.partition(" (")[0].strip()}


def arc(record: Record, number: int, split: str) -> Row | str:
    """Convert a record of ARC: `question`, `choices` with `text` and `label`, and `answerKey`.

    Labels that are digits become letters.
    """
    choices = required(record, "choices")
    if not isinstance(choices, Mapping):
        raise RowError("choices", "must be an object with `text` and `label`")
    labels = texts_of(choices, "label")
    options = _lettered(choices, "text")
    key = text_of(record, "answerKey")
    if len(labels) != len(options) or key not in labels:
        raise RowError("answerKey", f"is {key!r}, but the labels are {', '.join(labels)}")
    return _row(
        f"arc-{split}-{own_id(record, number, 'id')}",
        text_of(record, "question"),
        options,
        [*options][labels.index(key)],
        "arc",
    )


def agieval(record: Record, number: int, split: str) -> Row | str:
    r"""Convert a record of AGIEval, in its own form or in the one of copies on hubs.

    Its own form has `passage`, `question`, `options` such as `(A)neon`, and `label`, a letter. In
    copies, `query` holds the whole prompt, `choices` the options, and `gold` a list of one index.
    The category is `task`, the name of the file without its suffix.

    Example:
        >>> record = {"passage": "Ann is older than Bob.", "question": "Who is younger?",
        ...           "options": ["(A)Ann", "(B)Bob"], "label": "B", "task": "demo"}
        >>> row = agieval(record, 1, "test")
        >>> row["question"], row["options"], row["answer"]
        ('Ann is older than Bob.\n\nWho is younger?', {'A': 'Ann', 'B': 'Bob'}, 'B')
    """
    task = optional_text(record, "task") or "agieval"
    is_copy = record.get("query") is not None
    field = "choices" if is_copy else "options"
    if record.get(field, ()) is None:
        return "it is not a multiple-choice question"
    options = _lettered(record, field)
    right = (_letters_of_gold if is_copy else _letters_of_label)(record, options)
    if len(right) != 1:
        return "several options are right, or none"
    texts = _without_prefixes([*options.values()])
    if texts is None:
        return "the options are not in the order of their letters"
    if is_copy:
        whole = text_of(record, "query")
        question = whole.rpartition("Answer Choices:")[0].strip().removeprefix("Q: ") or whole
    else:
        parts = optional_text(record, "passage"), text_of(record, "question")
        question = "\n\n".join(part for part in parts if part)
    return _row(
        f"agieval-{split}-{task}-{number}",
        question,
        dict(zip(options, texts, strict=True)),
        right[0],
        task,
    )


def _letters_of_label(record: Record, options: Mapping[str, str]) -> list[str]:
    """Return the items of `label`, a list, or its letters, if it is a text such as `A D`."""
    label = required(record, "label")
    if isinstance(label, list) and len(label) != 1:
        return label
    text = label[0] if isinstance(label, list) else "".join(text_of(record, "label").split())
    if not isinstance(text, str) or not options.keys() >= {*text}:
        raise RowError("label", f"is {label!r:.40}, but the options are {', '.join(options)}")
    return [*text]


def _letters_of_gold(record: Record, options: Mapping[str, str]) -> list[str]:
    """Return the letters of the indices in `gold`."""
    indices, known = required(record, "gold"), range(len(options))
    if not isinstance(indices, list) or not all(type(x) is int and x in known for x in indices):
        raise RowError("gold", f"must be a list of numbers from 0 to {len(options) - 1}")
    return [[*options][index] for index in indices]


def _without_prefixes(texts: list[str]) -> list[str] | None:
    """Return options without their "(A)". Returns None if these are not in order.

    Example:
        >>> _without_prefixes(["(A)neon", "(B ) zinc"]), _without_prefixes(["both", "(I) only"])
        (['neon', 'zinc'], ['both', '(I) only'])
    """
    found = [_PREFIX.match(text) for text in texts]
    prefixes = "".join(match.group(1) for match in found if match)
    if all(found) and prefixes != ascii_uppercase[: len(texts)]:
        return None
    return [
        text[match.end() :].strip() if match and match.group(1) == letter else text
        for text, match, letter in zip(texts, found, ascii_uppercase, strict=False)
    ]


def nemotron_mcqa(record: Record, number: int, split: str) -> Row | str:
    """Convert a row of NeMo Gym's `mcqa`. It keeps its prompt and its settings."""
    required(record, "responses_create_params")
    nemo_rows.prompt_of(record)
    options = options_of(record)
    right = answer_of(record, options)
    if reason := _unfair(options, right):
        return reason
    mode = mode_of(record)
    if choice(format_choice(right, mode), options, mode, nemo_rows.patterns_of(record)) != right:
        return "the right letter cannot be read in the form that the row asks for"
    return {
        "id": f"nemotron_mcqa-{split}-{own_id(record, number, 'uuid')}",
        **{field: record[field] for field in _NEMO_FIELDS if record.get(field) is not None},
        "options": options,
        "expected_answer": right,
    }


def _lettered(record: Record, field: str) -> dict[str, str]:
    """Return the options in a list, by their letters."""
    texts = texts_of(record, field)
    if len(texts) > len(ascii_uppercase):
        raise RowError(field, f"must have at most {len(ascii_uppercase)} options, not {len(texts)}")
    return dict(zip(ascii_uppercase, texts, strict=False))


def _row(id: str, question: str, options: dict[str, str], right: str, category: str) -> Row | str:
    return _unfair(options, right) or {
        "id": id,
        "question": question,
        "options": options,
        "answer": right,
        "category": category,
    }


def _unfair(options: Mapping[str, str], right: str) -> str:
    """Return why a question should be left out, or "".

    Example:
        >>> _unfair({"A": "6  km", "B": "6 KM", "C": "7"}, "B")
        'the right option occurs twice'
        >>> _unfair({"A": "6", "B": "6", "C": "7"}, "C")
        ''
    """
    texts = {letter: normalize_text(text) for letter, text in options.items()}
    if len(texts) < 2:
        return "it has fewer than two options"
    if not all(texts.values()):
        return "an option is empty"
    return "the right option occurs twice" if [*texts.values()].count(texts[right]) > 1 else ""
