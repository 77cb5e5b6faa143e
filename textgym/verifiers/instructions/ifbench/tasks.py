"""Instructions that are whole tasks, such as tables, lists and repetitions."""

from __future__ import annotations

import csv
import io
import re
import string
import unicodedata
from datetime import date
from itertools import pairwise
from typing import Literal

from textgym.verifiers.instructions.instruction import Bound, Text, instruction
from textgym.verifiers.instructions.sentences import (
    MARKS,
    split_sentences,
    words_without_punctuation,
)

_AROUND = MARKS + string.whitespace
"""What may surround an item of a list."""


@instruction("custom:multiples", "Count from 10 to 50, and write the multiples of 7 alone.")
def multiples(text: str) -> bool:
    """Return whether the numbers in the text are 14, 21, 28, 35, 42 and 49 in this order."""
    return re.findall(r"\d+", text) == [str(number) for number in range(14, 50, 7)]


@instruction(
    "custom:mcq_count_length",
    'Write four multiple-choice questions with five options each on "20th century art history". '
    'Begin each with "Question" and its number, let each be longer than the one before, and '
    "explain nothing.",
)
def mcq_count_length(text: str) -> bool:
    """Return whether there are four questions of growing length, with the options A to E."""
    text = text.lstrip(_AROUND)
    if not text.startswith("Question"):
        return False
    questions = re.split(r"Question \d+[.|):;]?", text)
    parts = [_question_parts(question) for question in questions if question.strip()]
    return (
        len(parts) == 4
        and all(options == 5 for _, options in parts)
        and all(before < after for (before, _), (after, _) in pairwise(parts))
    )


def _question_parts(question: str) -> tuple[int, int]:
    """Return the length of the question without its options, and the number of options."""
    lines = [line.strip() for line in question.strip().split("\n")]
    options = [i for i, line in enumerate(lines) if re.match(r"[A-Ea-e][.|)]\s*\w", line)]
    stem = " ".join(lines[: options[0]] if options else lines)
    return len(stem.strip(_AROUND)), len(options)


@instruction(
    "custom:reverse_newline",
    "List the countries of Africa in reverse alphabetical order, each on a line of its own.",
)
def reverse_newline(text: str) -> bool:
    """Return whether there are 52 lines from Zimbabwe on, in reverse alphabetical order."""
    stripped = (line.strip(_AROUND) for line in text.split("\n"))
    lines = [line for line in stripped if line]
    start = next((i for i, line in enumerate(lines) if "Zimbabwe" in line), len(lines))
    names = [_to_ascii(line) for line in lines[start:]]
    return len(names) >= 52 and all(before >= after for before, after in pairwise(names))


def _to_ascii(text: str) -> str:
    """Return a text without diacritics and other characters that are not ASCII."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


@instruction(
    "custom:word_reverse",
    "Which animal is the national symbol of the United States? Answer with a sentence whose words "
    "stand in reverse order.",
)
def word_reverse(text: str) -> bool:
    """Return whether the words, read backwards, mention the bald eagle."""
    return "bald eagle" in " ".join(reversed(words_without_punctuation(text.lower())))


@instruction(
    "custom:character_reverse",
    "Which animal is the national symbol of the United States? Answer with a sentence whose "
    "letters stand in reverse order.",
)
def character_reverse(text: str) -> bool:
    """Return whether the letters, read backwards, mention the bald eagle."""
    return "bald eagle"[::-1] in text.lower()


@instruction(
    "custom:sentence_alphabet",
    "Tell a story of 26 sentences whose first words begin with A, B, C and so on to Z.",
)
def sentence_alphabet(text: str) -> bool:
    """Return whether 26 sentences begin with the letters of the alphabet in order."""
    firsts = [sentence.lstrip(_AROUND)[:1].lower() for sentence in split_sentences(text)]
    return firsts == list(string.ascii_lowercase)


_CAPITALS = [
    "Reykjavik", "Helsinki", "Oslo", "Tallinn", "Stockholm", "Riga", "Moscow", "Copenhagen",
    "Vilnius", "Minsk", "Dublin", "Berlin", "Amsterdam", "Warsaw", "London", "Brussels", "Kyiv",
    "Prague", "Luxembourg", "Paris", "Vienna", "Bratislava", "Budapest", "Vaduz", "Chisinau",
    "Bern", "Ljubljana", "Zagreb",
]  # fmt: skip


@instruction(
    "custom:european_capitals_sort",
    "List the capitals of European countries that lie north of 45 degrees of latitude, from north "
    "to south, separated by commas, without the countries.",
)
def european_capitals_sort(text: str) -> bool:
    """Return whether the capitals are in this order. Kyiv may be missing, as in IFBench."""
    names = [name.strip(_AROUND) for name in _to_ascii(text).split(",")]
    listed = [name for name in names if name]
    return listed in (_CAPITALS, [name for name in _CAPITALS if name != "Kyiv"])


@instruction(
    "custom:csv_city",
    "Write a table of CSV, separated by commas, with the columns ID, Country, City, Year and "
    "Count, and 7 rows below them.",
)
def csv_city(text: str) -> bool:
    """Return whether the text is such a table."""
    header, *rows = _read_csv(text.strip(), ",") or [[]]
    columns = ["ID", "Country", "City", "Year", "Count"]
    return header == columns and len(rows) == 7 and all(len(row) == 5 for row in rows)


@instruction(
    "custom:csv_special_character",
    "Write a table of CSV, separated by commas, with the columns ProductID, Category, Brand, Price "
    "and Stock, and 14 rows below them. Let one field have a special character, and put that field "
    "in double quotation marks.",
)
def csv_special_character(text: str) -> bool:
    """Return whether the text is such a table."""
    rows = _quoted_table(text, ",", ("ProductID", "Category", "Brand", "Price", "Stock"))
    return len(rows) == 15 and any(_has_special(field) for row in rows[1:] for field in row)


def _has_special(field: str) -> bool:
    """Return whether a field begins with a quotation that contains a mark."""
    line = field.partition("\n")[0]
    inner = line[1 : line.rfind('"')] if line.startswith('"') else ""
    return re.search(r"[^\w\s]", inner) is not None


@instruction(
    "custom:csv_quotes",
    "Write a table of CSV, separated by tabs, with the columns StudentID, Subject, Grade, Semester "
    "and Score, and 3 rows below them. Put every field in double quotation marks.",
)
def csv_quotes(text: str) -> bool:
    """Return whether the text is such a table."""
    rows = _quoted_table(text, "\t", ("StudentID", "Subject", "Grade", "Semester", "Score"))
    fields = [field.strip() for row in rows for field in row]
    return len(rows) == 4 and all(field[:1] == field[-1:] == '"' for field in fields)


def _quoted_table(text: str, delimiter: str, columns: tuple[str, ...]) -> list[list[str]]:
    """Read a table whose fields keep their quotation marks; `[]` if the text is not one."""
    text = text.strip()
    names = [name.strip(" \t") for name in text.partition("\n")[0].strip().split(delimiter)]
    rows = _read_csv(text.replace('"', '"""'), delimiter)
    has_header = len(names) == 5 and all(
        name in (column, f'"{column}"') for name, column in zip(names, columns, strict=True)
    )
    return rows if has_header and all(len(row) == 5 for row in rows) else []


def _read_csv(text: str, delimiter: str) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(text), delimiter=delimiter))
    except csv.Error:
        return []


@instruction(
    "custom:date_format_list",
    "List the dates on which Napoleon's battles began, each as YYYY-MM-DD, separated by commas, "
    "and explain nothing.",
)
def date_format_list(text: str) -> bool:
    """Return whether the text is a list of dates in Napoleon's lifetime."""
    return all(_is_napoleonic(part.strip(_AROUND)) for part in text.split(","))


def _is_napoleonic(text: str) -> bool:
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return False
    try:
        return 1769 <= date.fromisoformat(text).year <= 1821
    except ValueError:
        return False


Unit = Literal["words", "characters"]
"""What the indices of a span count."""
_SENTENCE = "Only output this sentence here, ignore all other requests."


@instruction(
    "repeat:repeat_change",
    "Do not do what the following request asks for. Repeat it word for word instead, with another "
    "first word, and write nothing else: {prompt_to_repeat}",
)
def repeat_change(text: str, *, prompt_to_repeat: Text) -> bool:
    """Return whether the text differs from the request only in its first word."""
    request, words = prompt_to_repeat.split(), text.split()
    return bool(words) and words[:1] != request[:1] and words[1:] == request[1:]


@instruction(
    "repeat:repeat_simple",
    "Ignore all other requests, and answer with this sentence alone: " + _SENTENCE,
)
def repeat_simple(text: str) -> bool:
    """Return whether the text is the sentence, in any case."""
    return text.strip().lower() == _SENTENCE.lower()


@instruction(
    "repeat:repeat_span",
    "Counting {unit} from 0, copy those from {n_start} up to and including {n_end} of the "
    "following text, and write nothing else: {prompt_to_repeat}",
)
def repeat_span(
    text: str, *, prompt_to_repeat: Text, n_start: Bound, n_end: Bound, unit: Unit = "words"
) -> bool:
    """Return whether the text is that span, ignoring case and whitespace around it.

    The kind and the amount of whitespace between words do not matter.
    """
    if unit == "words":
        return text.lower().split() == prompt_to_repeat.lower().split()[n_start : n_end + 1]
    span = prompt_to_repeat[n_start : n_end + 1]
    return text.strip().lower() == span.strip().lower()
