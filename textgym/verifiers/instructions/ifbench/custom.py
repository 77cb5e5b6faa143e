"""Instructions that are whole tasks: lists of places, tables, dates, stories of 26 sentences."""

from __future__ import annotations

import csv
import io
import re
import string
from datetime import date
from itertools import pairwise

from textgym.verifiers.instructions.ifbench.reading import (
    MARKS,
    ascii_letters,
    words_without_punctuation,
)
from textgym.verifiers.instructions.instruction import instruction
from textgym.verifiers.instructions.sentences import sentences_of

_AROUND = MARKS + string.whitespace
"""What may stand around an item of a list."""


@instruction("custom:multiples", "Count from 10 to 50, and write the multiples of 7 alone.")
def multiples(text: str) -> bool:
    """Tell whether the numbers in the text are 14, 21, 28, 35, 42 and 49 in this order."""
    return re.findall(r"\d+", text) == [str(number) for number in range(14, 50, 7)]


@instruction(
    "custom:mcq_count_length",
    'Write four multiple-choice questions with five options each on "20th century art history". '
    'Begin each with "Question" and its number, let each be longer than the one before, and '
    "explain nothing.",
)
def mcq_count_length(text: str) -> bool:
    """Tell whether there are four ever longer questions, each with the options A to E."""
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
    """Return the length of what stands before the first option, and the number of options."""
    lines = [line.strip() for line in question.strip().split("\n")]
    options = [i for i, line in enumerate(lines) if re.match(r"[A-Ea-e][.|)]\s*\w", line)]
    asked = " ".join(lines[: options[0]] if options else lines)
    return len(asked.strip(_AROUND)), len(options)


@instruction(
    "custom:reverse_newline",
    "List the countries of Africa in reverse alphabetical order, each on a line of its own.",
)
def reverse_newline(text: str) -> bool:
    """Tell whether at least 52 lines from Zimbabwe on are in reverse alphabetical order."""
    stripped = (line.strip(_AROUND) for line in text.split("\n"))
    lines = [line for line in stripped if line]
    start = next((i for i, line in enumerate(lines) if "Zimbabwe" in line), len(lines))
    names = [ascii_letters(line) for line in lines[start:]]
    return len(names) >= 52 and all(before >= after for before, after in pairwise(names))


@instruction(
    "custom:word_reverse",
    "Which animal is the national symbol of the United States? Answer with a sentence whose words "
    "stand in reverse order.",
)
def word_reverse(text: str) -> bool:
    """Tell whether the words, read backwards, tell of the bald eagle."""
    return "bald eagle" in " ".join(reversed(words_without_punctuation(text.lower())))


@instruction(
    "custom:character_reverse",
    "Which animal is the national symbol of the United States? Answer with a sentence whose "
    "letters stand in reverse order.",
)
def character_reverse(text: str) -> bool:
    """Tell whether the letters, read backwards, tell of the bald eagle."""
    return "bald eagle"[::-1] in text.lower()


@instruction(
    "custom:sentence_alphabet",
    "Tell a story of 26 sentences whose first words begin with A, B, C and so on to Z.",
)
def sentence_alphabet(text: str) -> bool:
    """Tell whether 26 sentences begin with the letters of the alphabet in order."""
    firsts = [sentence.lstrip(_AROUND)[:1].lower() for sentence in sentences_of(text)]
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
    """Tell whether the capitals stand in this order; Kyiv may be left out, as IFBench does."""
    names = [name.strip(_AROUND) for name in ascii_letters(text).split(",")]
    listed = [name for name in names if name]
    return listed in (_CAPITALS, [name for name in _CAPITALS if name != "Kyiv"])


@instruction(
    "custom:csv_city",
    "Write a table of CSV, separated by commas, with the columns ID, Country, City, Year and "
    "Count, and 7 rows below them.",
)
def csv_city(text: str) -> bool:
    """Tell whether the text is such a table."""
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
    """Tell whether the text is such a table."""
    rows = _quoted_table(text, ",", ("ProductID", "Category", "Brand", "Price", "Stock"))
    return len(rows) == 15 and any(_has_special(field) for row in rows[1:] for field in row)


def _has_special(field: str) -> bool:
    """Tell whether a mark stands between quotation marks that begin a field."""
    line = field.partition("\n")[0]
    inner = line[1 : line.rfind('"')] if line.startswith('"') else ""
    return re.search(r"[^\w\s]", inner) is not None


@instruction(
    "custom:csv_quotes",
    "Write a table of CSV, separated by tabs, with the columns StudentID, Subject, Grade, Semester "
    "and Score, and 3 rows below them. Put every field in double quotation marks.",
)
def csv_quotes(text: str) -> bool:
    """Tell whether the text is such a table."""
    rows = _quoted_table(text, "\t", ("StudentID", "Subject", "Grade", "Semester", "Score"))
    fields = [field.strip() for row in rows for field in row]
    return len(rows) == 4 and all(field[:1] == field[-1:] == '"' for field in fields)


def _quoted_table(text: str, delimiter: str, columns: tuple[str, ...]) -> list[list[str]]:
    """Read a table whose fields keep their quotation marks; `[]` where it is not one."""
    text = text.strip()
    names = [name.strip(" \t") for name in text.partition("\n")[0].strip().split(delimiter)]
    rows = _read_csv(text.replace('"', '"""'), delimiter)
    named = len(names) == 5 and all(
        name in (column, f'"{column}"') for name, column in zip(names, columns, strict=True)
    )
    return rows if named and all(len(row) == 5 for row in rows) else []


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
    """Tell whether the text is a list of dates in Napoleon's lifetime."""
    return all(_is_napoleonic(item.strip(_AROUND)) for item in text.split(","))


def _is_napoleonic(text: str) -> bool:
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return False
    try:
        return 1769 <= date.fromisoformat(text).year <= 1821
    except ValueError:
        return False
