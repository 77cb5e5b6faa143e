"""A file with faults of all kinds: each is found at its own line, and nothing else is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import textgym
from textgym.data.checking import KINDS, check_files
from textgym.registry import make

MCQA = "textgym/MCQA-v0"
Row = dict[str, Any]
Found = set[tuple[str, int | None, str]]

SHOP = (
    "A shop in the old town sells tea, coffee and cocoa. Before it opens, the owner counts all "
    "boxes on the left shelf and writes {} into the book. What does the owner drink first?"
)


def clean_rows(count: int, split: str = "test") -> list[Row]:
    """Return generated rows with ids of their own."""
    env: Any = make(MCQA, split=split).unwrapped
    return [dict(env.get_task(index).row) for index in range(count)]


def shop(number: int, **fields: Any) -> Row:
    """Return a row that differs from others of this kind in a number."""
    row = {
        "id": f"shop-{number}",
        "question": SHOP.format(number),
        "options": {"A": "water", "B": "tea", "C": "milk", "D": "coffee"},
        "answer": "B",
        "level": 3,
    }
    return {**row, **fields}


def line(row: Row) -> bytes:
    return json.dumps(row).encode() + b"\n"


def said(number: int, text: str) -> bytes:
    return line(shop(number, question=f"{SHOP.format(number)} {text}"))


def options(**changed: Any) -> Row:
    return {**shop(0)["options"], **changed}


FIRST = 61  # the line of the first fault, after clean rows
SHUFFLED = {"A": "tea", "B": "milk", "C": "coffee", "D": "water"}
REWORDED = SHOP.replace("on the left shelf", "on the right shelf")
FAULTS: list[tuple[str, bytes, list[tuple[str, str]]]] = [
    ("not JSON", b"{'question': 1}\n", [("json", "")]),
    ("JSON after the row", line(shop(1))[:-1] + b" {}\n", [("json", "")]),
    ("nested too deeply to parse", b'{"a":' * 100_000 + b"\n", [("json", "")]),
    ("a number of 5000 digits", b'{"a": ' + b"1" * 5000 + b"}\n", [("json", "")]),
    ("a list", b'["question"]\n', [("not_object", "")]),
    ("a text", b'"question"\n', [("not_object", "")]),
    ("a field twice", line(shop(2))[:-2] + b', "answer": "B"}\n', [("key_doubled", "answer")]),
    ("NaN", line(shop(3, weight=float("nan"))), [("json_nan", "weight")]),
    ("infinity", line(shop(4))[:-2] + b', "weight": 1e999}\n', [("schema", "weight")]),
    ("Latin-1", said(5, "caf?").replace(b"caf?", b"caf\xe9"), [("encoding_utf8", "")]),
    ("a surrogate in UTF-8", said(6, "@").replace(b"@", b"\xed\xa0\x80"), [("encoding_utf8", "")]),
    ("a byte-order mark before a row", b"\xef\xbb\xbf" + line(shop(7)), [("encoding_bom", "")]),
    ("a byte-order mark in a text", said(8, "\ufeffNow"), [("encoding_bom", "question")]),
    ("replacement", said(9, "caf\ufffd"), [("encoding_replacement", "question")]),
    ("mojibake of an accent", said(10, "cafÃ©"), [("encoding_mojibake", "question")]),
    ("mojibake of a quote", said(11, "the ownerâ€™s"), [("encoding_mojibake", "question")]),
    ("mojibake of Cyrillic", said(12, "Ð¿Ñ€Ð¸"), [("encoding_mojibake", "question")]),
    ("an escape in LaTeX", said(13, "$2 \times 3$"), [("encoding_escape", "question")]),
    ("NUL", said(14, "tea\x00"), [("encoding_nul", "question")]),
    ("a control character", said(15, "tea\x1b[31m"), [("encoding_control", "question")]),
    ("half a character", said(16, "tea \ud83d"), [("encoding_surrogate", "question")]),
    ("zero width", said(17, "te\u200ba"), [("encoding_invisible", "question")]),
    ("entities", said(38, "Tea &amp; milk &#39;now&#39;"), [("encoding_entity", "question")]),
    ("no entities", said(39, "AT&T; R&D; a &= b; &x; &c."), []),
    (
        "an expression that is not valid",
        line(shop(40, template_metadata={"output_regex": ["is (.)", "is (["]})),
        [("pattern_invalid", "template_metadata")],
    ),
    ("its letter in the prompt", said(41, "The correct option is B."), [("answer_in_prompt", "")]),
    ("no question", line({**shop(18), "question": None}), [("schema", "question")]),
    ("options as texts", line(shop(19, options=["tea", "milk"])), [("schema", "options")]),
    ("one option", line(shop(20, options={"B": "tea"})), [("schema", "options")]),
    ("an option that is a number", line(shop(21, options=options(C=3))), [("schema", "options.C")]),
    ("no such option", line(shop(22, answer="E")), [("schema", "answer")]),
    ("no answer", line(shop(23, answer=None)), [("schema", "answer")]),
    (
        "two wrong fields",
        line(shop(24, question=7, answer=True)),
        [("schema", "answer"), ("schema", "question")],
    ),
    ("deep nesting", line(shop(25))[:-2] + b', "x": ' + b"[" * 150 + b"]" * 150 + b"}\n", [
        ("schema", "x"),
    ]),
    ("a level in quotes", line(shop(26, level="3")), [("type_mixed", "level")]),
    ("an id twice", line(shop(27, id="shop-26")), [("id_doubled", "")]),
    ("a blank option", line(shop(28, options=options(C="  "))), [("option_blank", "options.C")]),
    (
        "an option twice",
        line(shop(29, options=options(D="tea"))),
        [("option_doubled", "options.D")],
    ),
    ("the answer in the prompt", said(30, "Answer: B"), [("answer_in_prompt", "")]),
    ("its text in the prompt", said(31, "The correct answer is tea."), [("answer_in_prompt", "")]),
    (
        "a marked option",
        line(shop(32, options=options(B="tea (correct)"))),
        [("answer_in_prompt", "options.B")],
    ),
    ("a model row", line(shop(33)), []),
    ("the same row", line(shop(33)), [("duplicate", "")]),
    (
        "with shuffled options",
        line(shop(33, id="x", answer="A", options=SHUFFLED)),
        [("duplicate", "")],
    ),
    ("with another answer", line(shop(33, id="y", answer="D")), [("conflict", "")]),
    (
        "nearly the same",
        line(shop(0, id="z", question=REWORDED.format(33))),
        [("near_duplicate", "")],
    ),
    (
        "a stop string that cuts every answer",
        line(shop(34, stop="\\boxed")),
        [("label_unreadable", "")],
    ),
    ("a row of 10 MB", line(shop(35, source="x" * 10_000_000)), [("row_large", "")]),
    ("harmless texts", said(36, "Ångström, «É», 東京, 👩\u200d🔬, $5 or $\\frac{1}{2}"), []),
    ("a cut line", line(shop(37))[:-40], [("cut_line", "")]),
]  # fmt: skip


def found(report: Any) -> Found:
    return {(finding.kind, finding.place.number, finding.field) for finding in report.findings()}


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("clean") / "clean.jsonl"
    path.write_bytes(b"".join(map(line, clean_rows(FIRST - 1))))
    return path


@pytest.fixture(scope="module")
def reported(clean: Path) -> Found:
    path = clean.with_name("faults.jsonl")
    path.write_bytes(clean.read_bytes() + b"".join(content for _, content, _ in FAULTS))
    return found(check_files([path], MCQA, examples=None))


@pytest.mark.parametrize(
    ("place", "expected"),
    [pytest.param(place, e, id=name) for place, (name, _, e) in enumerate(FAULTS, FIRST)],
)
def test_each_fault_is_found_at_its_line(
    reported: Found, place: int, expected: list[tuple[str, str]]
) -> None:
    here = sorted((kind, field) for kind, number, field in reported if number == place)
    assert here == sorted(expected)


def test_nothing_else_is_found(reported: Found) -> None:
    assert {number for _, number, _ in reported} <= set(range(FIRST, FIRST + len(FAULTS)))


def test_there_are_25_kinds_of_faults() -> None:
    assert len([name for name, _, expected in FAULTS if expected]) >= 25
    kinds = {kind for _, _, expected in FAULTS for kind, _ in expected}
    assert len(kinds) >= 25
    assert kinds <= KINDS.keys()


def test_a_clean_file_has_no_findings(clean: Path) -> None:
    report = check_files([clean], MCQA)
    assert found(report) == set()
    assert (report.rows, report.labels.verified) == ({str(clean): FIRST - 1}, FIRST - 1)
    assert not report.failed(strict=True)


@pytest.mark.parametrize("id", [
    "textgym/Constraints-v0", "textgym/EquivalenceJudge-v0", "textgym/FunctionCall-v0",
    "textgym/GuessNumber-v0", "textgym/Haystack-v0", "textgym/MultiStep-v0",
    "textgym/RedefinedRules-v0", "textgym/StructuredOutput-v0", "textgym/WorkplaceAssistant-v0",
])  # fmt: skip
def test_generated_rows_are_clean(id: str, tmp_path: Path) -> None:
    env: Any = make(id, split="test").unwrapped
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"".join(line(dict(env.get_task(index).row)) for index in range(20)))
    report = check_files([path], id)
    assert found(report) == set()
    assert report.labels.verified == 20


def check(write: Callable[[Path], object], path: Path, **options: Any) -> list[tuple[str, str]]:
    """Write a file, and return the kinds and reasons that are found in it."""
    write(path)
    report = check_files([path], MCQA, **options)
    return [(finding.kind, finding.reason) for finding in report.findings()]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "empty"),
        (b"\n \n", "empty"),
        (b"\x1f\x8b\x08\x00", "file"),
        (b"PK\x03\x04", "file"),
        (b"PAR1", "file"),
        ("{}\n".encode("utf-16"), "file"),
        (b'\n[\n{"question": "?"},\n{"question": "?"}\n]\n', "json"),
        (b'[{"question": "?"}]', "not_object"),
    ],
    ids=["empty", "blank", "gzip", "zip", "parquet", "utf-16", "list", "list in a line"],
)
def test_files_that_are_not_lines_of_json(tmp_path: Path, content: bytes, kind: str) -> None:
    found = check(lambda path: path.write_bytes(content), tmp_path / "rows.jsonl")
    assert [name for name, _ in found] == [kind]


def test_line_ends_and_a_byte_order_mark_are_notes(tmp_path: Path) -> None:
    rows = b"".join(map(line, clean_rows(3))).replace(b"\n", b"\r\n")
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + rows)
    report = check_files([path], MCQA)
    assert [tally.kind.id for tally in report.ordered()] == ["bom", "crlf"]
    assert not report.failed(strict=True)
    assert report.rows[str(path)] == 3


@pytest.mark.parametrize("path", ["missing.jsonl", "."])
def test_a_file_must_exist(tmp_path: Path, path: str) -> None:
    with pytest.raises(textgym.errors.UsageError, match=r"is missing|is a folder"):
        check_files([tmp_path / path], MCQA)
