"""The kinds of findings: a stable id, how severe it is, what it means, and what to do about it.

Invariants: an id keeps its meaning from version to version; a fault is wrong in itself, a warning
may be intended, and a note is harmless.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["KINDS", "Kind", "Severity"]

Severity = Literal["fault", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of finding.

    Attributes:
        id: The id.
        severity: `fault`, `warning` or `note`.
        summary: What it means, in one sentence.
        remedy: What to do about it.
    """

    id: str
    severity: Severity
    summary: str
    remedy: str


_ALL = (
    # Files and lines
    Kind("file", "fault", "A file cannot be read.", "Save it as .jsonl, .csv or .parquet."),
    Kind("empty", "fault", "A file has no rows.", "Write its rows, or leave the file out."),
    Kind("json", "fault", "A line is not valid JSON.", "Write one JSON object a line."),
    Kind(
        "cut_line", "fault", "The last line ends in the middle of a row.",
        "Write the file again: the program that wrote it was interrupted.",
    ),
    Kind("not_object", "fault", "A line is not a JSON object.", "Write one object a line."),
    Kind("key_doubled", "fault", "A row has a field twice.", "Keep one of them."),
    Kind("json_nan", "fault", "A number is NaN, which JSON lacks.", "Write null."),
    Kind("cells", "fault", "A row of a CSV file does not fit its header.", "Quote its cells."),
    # Texts
    Kind("encoding_utf8", "fault", "Bytes are not UTF-8.", "Save the file as UTF-8."),
    Kind(
        "encoding_replacement", "fault", "A text has the replacement character.",
        "Read the source again, in its own encoding.",
    ),
    Kind(
        "encoding_mojibake", "fault", "UTF-8 was read in another encoding, such as Ã© for é.",
        "Read the source again as UTF-8.",
    ),
    Kind(
        "encoding_escape", "fault", "A backslash of LaTeX was read as an escape.",
        "Write the backslash as two in JSON.",
    ),
    Kind("encoding_nul", "fault", "A text has NUL characters.", "Remove them."),
    Kind("encoding_control", "fault", "A text has control characters.", "Remove them."),
    Kind("encoding_surrogate", "fault", "A text has half a character.", "Cut texts elsewhere."),
    Kind("encoding_bom", "fault", "A byte-order mark is inside the data.", "Remove it."),
    Kind("encoding_invisible", "fault", "A text has invisible characters.", "Remove them."),
    Kind(
        "encoding_entity", "warning", "A text has entities of HTML, such as &amp; for &.",
        "Decode them, as `html.unescape` does.",
    ),
    # Rows
    Kind("schema", "fault", "The environment cannot read a row.", "Correct the field."),
    Kind(
        "type_mixed", "warning", "A field has another type than in most rows.",
        "Write all its values in one type; Arrow and `datasets` cannot load both.",
    ),
    Kind("row_large", "warning", "A row is larger than 10 MB.", "Check whether it is one row."),
    Kind("id_doubled", "fault", "Different rows have the same id.", "Give each row its own id."),
    Kind(
        "pattern_invalid", "fault", "A regular expression that reads answers is not valid.",
        "Correct it: it is ignored.",
    ),
    Kind("option_blank", "fault", "An option is blank.", "Leave it out, or fill it in."),
    Kind("option_doubled", "fault", "Two options have the same text.", "Replace one of them."),
    Kind(
        "answer_in_prompt", "fault", "The prompt reveals its answer.",
        "Remove the answer from the prompt.",
    ),
    # Labels
    Kind("label_gold", "fault", "The right answer does not earn the maximum.", "Correct it."),
    Kind("label_unreadable", "fault", "The right answer cannot be read.", "Correct it."),
    Kind(
        "label_placeholder", "warning", "The right answer is a word for a missing value.",
        "Leave the row out, or find its answer.",
    ),
    Kind(
        "label_wrong_accepted", "warning", "A wrong answer earns more than the minimum.",
        "Write the right answer so that no other one matches it.",
    ),
    Kind(
        "label_disputed", "warning", "Several runs agree on another answer.",
        "Solve the task by hand: the right answer of the row may be wrong.",
    ),
    # Rows that are alike
    Kind("duplicate", "fault", "A row repeats an earlier one of its file.", "Remove it."),
    Kind("near_duplicate", "warning", "A row is nearly an earlier one.", "Keep one of them."),
    Kind(
        "conflict", "fault", "Two rows have one prompt and different answers.",
        "Keep the row whose answer is right.",
    ),
    Kind("leak", "fault", "A row is in another file or in a benchmark, too.", "Remove it."),
    Kind(
        "near_leak", "fault", "A row is nearly a row of another file or of a benchmark.",
        "Remove it from one of them.",
    ),
    # Balance
    Kind("balance_position", "warning", "One letter is right too often.", "Shuffle the options."),
    Kind(
        "balance_length", "warning", "The length of an option reveals that it is right.",
        "Write wrong options as long as right ones.",
    ),
    Kind(
        "balance_value", "warning", "The value of an answer reveals that it is right.",
        "Draw answers, and wrong options on both sides of them, more evenly.",
    ),
    Kind("balance_level", "warning", "A level has few rows.", "Add rows of this level."),
    # Harmless
    Kind("bom", "note", "A file begins with a byte-order mark, which is skipped.", ""),
    Kind("crlf", "note", "Lines end with CR LF, which is read as one line end.", ""),
    Kind("nan", "note", "NaN in a Parquet file is read as null.", ""),
)  # fmt: skip

KINDS = {kind.id: kind for kind in _ALL}
"""All kinds by id, in the order of reports."""
