"""Files of other formats, leaks between files, benchmarks, balance, and any bytes at all."""

from __future__ import annotations

import datetime
import decimal
import json
import random
import string
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from textgym.data.checking import check_files
from textgym.data.checking.content import Content, similarity
from textgym.data.checking.texts import text_faults
from textgym.errors import UsageError

MATH, MCQA = "textgym/Math-v0", "textgym/MCQA-v0"
Row = dict[str, Any]
Found = list[tuple[str, str, int | None, str]]

FARM = (
    "A farmer has {} hens in the large barn and {} goats on the meadow behind the house. In the "
    "evening she counts the legs of all her animals. How many legs does she count?"
)


def farm(hens: int, goats: int, text: str = FARM, **fields: Any) -> Row:
    row = {"question": text.format(hens, goats), "expected_answer": str(2 * hens + 4 * goats)}
    return {**row, **fields}


def write(path: Path, rows: Sequence[Row]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def check(*paths: Path, env: str = MATH, **options: Any) -> Found:
    """Return the kind, the file, the line and the reason of all findings."""
    report = check_files(paths, env, examples=None, **options)
    return [
        (finding.kind, Path(finding.place.file).name, finding.place.number, finding.reason)
        for finding in report.findings()
    ]


TRAIN = [farm(hens, goats) for hens, goats in ((2, 3), (4, 5), (6, 7), (8, 9))]
EDITED = FARM.replace("In the evening", "In the morning")
TEST = [farm(10, 11), farm(4, 5), farm(6, 7, EDITED), farm(6, 8)]


def test_leaks_between_files(tmp_path: Path) -> None:
    train, test = write(tmp_path / "train.jsonl", TRAIN), write(tmp_path / "test.jsonl", TEST)
    found = check(train, test)
    assert [found[:3] for found in found] == [
        ("leak", "test.jsonl", 2), ("near_leak", "test.jsonl", 3),
    ]  # fmt: skip
    assert found[0][3] == f"has the prompt of {train}:2"
    assert found[1][3].endswith(f"of its word triples with {train}:3")


def test_leaks_from_a_benchmark(tmp_path: Path) -> None:
    train, test = write(tmp_path / "train.jsonl", TRAIN), write(tmp_path / "test.jsonl", TEST)
    found = check(train, against=[test])
    assert [found[:3] for found in found] == [
        ("leak", "train.jsonl", 2), ("near_leak", "train.jsonl", 3),
    ]  # fmt: skip


def test_rows_of_a_benchmark_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    train = write(tmp_path / "train.jsonl", TRAIN)
    other = write(tmp_path / "other.jsonl", [{"text": "?"}, farm(1, 1)])
    report = check_files([train], MATH, against=[other])
    assert report.notes == [f"1 rows of {other} cannot be read, and were not compared"]


def test_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    path = write(tmp_path / "train.jsonl", TRAIN)
    assert check(path, path) == []


def test_equal_answers_in_other_forms_are_no_conflict(tmp_path: Path) -> None:
    rows = [farm(2, 3, expected_answer=answer) for answer in ("1/2", "0.5", "3")]
    found = check(write(tmp_path / "train.jsonl", rows))
    assert [item[:3] for item in found] == [
        ("duplicate", "train.jsonl", 2), ("conflict", "train.jsonl", 3),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("gold", "kind"),
    [
        ("\\frac{1}{", "label_gold"),
        ("$", "label_unreadable"),
        ("nan", "label_placeholder"),
        ("5 + 7 = 12\n#### 12", "label_unreadable"),
        ("\\sqrt{2}", ""),
    ],
)
def test_right_answers_are_graded(tmp_path: Path, gold: str, kind: str) -> None:
    rows = [*TRAIN, farm(3, 3, expected_answer=gold)]
    found = check(write(tmp_path / "train.jsonl", rows))
    assert [item[:3] for item in found] == ([(kind, "train.jsonl", 5)] if kind else [])


def test_only_some_labels_are_verified(tmp_path: Path) -> None:
    path = write(tmp_path / "train.jsonl", [*TRAIN, farm(3, 3, expected_answer="$")])
    report = check_files([path], MATH, labels=2)
    assert (report.labels.verified, report.severe("fault")) == (2, 0)
    assert report.labels.unverified == "only the first 2 rows were verified"


def test_a_judge_that_is_a_model_is_not_asked(tmp_path: Path) -> None:
    pytest.importorskip("aiohttp")
    path = write(tmp_path / "train.jsonl", TRAIN)
    report = check_files([path], MATH, env_kwargs={"judge": "openai:judge@http://localhost:9"})
    assert report.labels.verified == 0
    assert report.labels.unverified.startswith("its judge ")
    assert not report.failed(strict=True)


def test_rows_of_csv(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(
        b"\xef\xbb\xbfquestion,expected_answer,level,level\r\n"
        b'"What is 2 + 2,\r\n in digits?",4,1,1\r\n'
        b"What is 2 + 3?,5,1\r\n"
        b"What is 2 + 4?,6,2,2,7\r\n"
        b"\r\n"
        b"What is caf\xe9 in 2 letters?,7,1,1\r\n"
        b'"What is "2" + 6?,8,1,1\r\n'
        b"What is 2 + 7?,,1,1\r\n"
    )
    assert [item[:3] for item in check(path)] == [
        ("key_doubled", "rows.csv", 1),
        ("cells", "rows.csv", 4),
        ("cells", "rows.csv", 5),
        ("cells", "rows.csv", 8),
        ("encoding_utf8", "rows.csv", 7),
        ("schema", "rows.csv", 9),
        ("bom", "rows.csv", None),
    ]


@pytest.mark.parametrize("indent", [None, 1], ids=["a list", "a long list"])
def test_json_that_is_not_one_object_a_line(tmp_path: Path, indent: int | None) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(TRAIN, indent=indent))
    kind, line = ("json", None) if indent else ("not_object", 1)
    assert [item[:3] for item in check(path)] == [(kind, "rows.json", line)]


def test_objects_of_several_lines_are_one_finding(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row, indent=1) + "\n" for row in TRAIN))
    assert [item[:3] for item in check(path)] == [("json", "rows.jsonl", None)]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv"])
def test_columns_with_other_names(tmp_path: Path, name: str) -> None:
    rows = [{"asked": row["question"], "gold": row["expected_answer"]} for row in TRAIN[:3]]
    path = tmp_path / name
    if name == "rows.csv":
        rows[1]["gold"] = ""
        path.write_text(
            "".join(f"{','.join(cells)}\n" for cells in (rows[0], *map(dict.values, rows)))
        )
    else:
        del rows[1]["gold"]
        write(path, rows)
    columns = {"question": "asked", "expected_answer": "gold"}
    found = check(path, env_kwargs={"columns": columns})
    assert [item[:3] for item in found] == [("schema", name, 2 + (name == "rows.csv"))]
    assert (
        check(write(path.with_name("right.jsonl"), rows[::2]), env_kwargs={"columns": columns})
        == []
    )


def test_columns_must_be_names(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="columns must be a dict such as"):
        check(write(tmp_path / "rows.jsonl", TRAIN), env_kwargs={"columns": ["question"]})


def test_a_file_that_is_only_a_byte_order_mark_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\xef\xbb\xbf")
    assert [item[0] for item in check(path)] == ["empty", "bom"]


def test_cells_that_are_not_separated_by_commas_are_one_finding(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("question;expected_answer\n2 + 2?;4\nHow much, 1 + 1?;2\n")
    assert [item[:3] for item in check(path)] == [("cells", "rows.csv", 1)]


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_rows_of_columns(tmp_path: Path, kind: str) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    options = {"A": "tea", "B": "milk", "C": None, "D": None}
    rows = [
        {
            "question": f"Which drink is on shelf {number} of the kitchen, as the list says?",
            "options": options,
            "answer": "A",
            "day": datetime.date(2024, 5, number + 1),
            "price": decimal.Decimal("1.50"),
            "weight": float("nan") if number in (1, 2) else 0.5,
            "tags": None,
        }
        for number in range(4)
    ]
    rows[3]["price"] = decimal.Decimal("0.1234567890123456789")
    price = arrow.decimal128(30, 19)
    table = arrow.Table.from_pylist(rows).set_column(
        4, "price", arrow.array([row["price"] for row in rows], price)
    )
    path = tmp_path / f"rows.{kind}"
    if kind == "parquet":
        parquet.write_table(table, path)
    else:
        with arrow.ipc.new_file(str(path), table.schema) as file:
            file.write_table(table)
    report = check_files([path], MCQA)
    found = [(f.kind, f.place.number, f.place.unit, f.field) for f in report.findings()]
    assert found == [("schema", 3, "row", "price"), ("nan", 1, "row", "weight")]


@pytest.mark.parametrize("name", ["rows.parquet", "rows.arrow"])
def test_a_file_of_columns_that_is_broken(tmp_path: Path, name: str) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / name
    path.write_bytes(b"PAR1 and nothing else")
    assert [item[:3] for item in check(path)] == [("file", name, None)]


def choices(count: int, right: Any) -> list[Row]:
    """Return questions whose right option has the letter or the rank that a function chooses."""
    rng = random.Random(0)
    rows = []
    for number in range(count):
        values = rng.sample(range(10, 100), 4)
        rank = right(rng)
        gold = sorted(values)[rank] if isinstance(rank, int) else values["ABCD".index(rank)]
        letters = dict(zip("ABCD", map(str, values), strict=True))
        answer = next(letter for letter, text in letters.items() if text == str(gold))
        words = " ".join(rng.sample(string.ascii_lowercase, 20))
        rows.append({"question": f"{words}: {number}?", "options": letters, "answer": answer})
    return rows


@pytest.mark.parametrize(
    ("right", "kinds"),
    [
        (lambda rng: rng.choice("ABCD"), []),
        (lambda rng: rng.choice("AAABCD"), ["balance_position"]),
        (lambda rng: rng.choice([0, 1, 2, 3, 3, 3]), ["balance_value"]),
    ],
    ids=["even", "letter A", "the largest"],
)
def test_balance_of_choices(tmp_path: Path, right: Any, kinds: list[str]) -> None:
    path = write(tmp_path / "rows.jsonl", choices(300, right))
    assert [kind for kind, *_ in check(path, env=MCQA)] == kinds


def test_balance_of_lengths(tmp_path: Path) -> None:
    rows = choices(200, lambda rng: rng.choice("ABCD"))
    for row in rows:
        texts = {letter: "word" * (2 + n) for n, letter in enumerate(row["options"])}
        row["options"] = {**texts, row["answer"]: "a right option is long"}
    path = write(tmp_path / "rows.jsonl", rows)
    assert [kind for kind, *_ in check(path, env=MCQA)] == ["balance_length"]


@pytest.mark.parametrize(
    ("answers", "levels", "kinds"),
    [
        (range(200), [1, 2], []),
        ([*range(150), *[7] * 100], [1, 2], ["balance_value"]),
        ([4, 5] * 100, [1, 2], []),
        ([5] * 200, [1], ["balance_value"]),
        (range(200), [1] * 99 + [2], ["balance_level"]),
    ],
    ids=["even", "a frequent answer", "two answers", "one answer", "a rare level"],
)
def test_balance_of_answers_and_levels(
    tmp_path: Path, answers: Sequence[int], levels: list[int], kinds: list[str]
) -> None:
    rows = [
        {"question": f"Number {n}?", "expected_answer": str(a), "level": levels[n % len(levels)]}
        for n, a in enumerate(answers)
    ]
    path = write(tmp_path / "rows.jsonl", rows)
    assert [kind for kind, *_ in check(path)] == kinds


@pytest.mark.parametrize(
    "text",
    [
        "CAFÉ—BAR, IRMÃ”, ÂGE, à la «carte», naïve… São Tomé e Príncipe, façade",
        "São três irmãs… «Não», disse ela à «IRMû; «MÃ…» — É… Ä“ 12 Å² Å³",
        "Ελληνικά, русский язык, עברית \u200fabc, हिन्दी\u200d, فارسی\u200cها, 日本語",
        "$x^2 and $5, \\frac{1}{2}, \\theta, tab\there, line\r\nend, 20 °C ± 1 µm, ½, 100 £",
        "👩\u200d👩\u200d👧 ✓ → ≤ ∑ “quoted” ‘text’ – —",
    ],
)
def test_texts_of_all_scripts_are_not_faults(text: str) -> None:
    assert list(text_faults(text)) == []


MISREAD = [
    "café", "naïve", "Zoë", "Dvořák", "Łódź", "“quoted”", "it’s", "a – b", "5 °C", "½", "привет",
    "Ελλάδα", "東京都", "👍", "x ≤ 3", "a → b", "ﬁnd", "São", "£5", "no\u00a0break",
]  # fmt: skip


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
@pytest.mark.parametrize("text", MISREAD, ids=ascii)
def test_misread_texts_are_found(text: str, encoding: str) -> None:
    misread = "".join(
        bytes([byte]).decode(encoding, "ignore") or chr(byte) for byte in text.encode()
    )
    kinds = {kind for kind, _ in text_faults(misread)}
    assert "encoding_mojibake" in kinds
    assert list(text_faults(text)) == []


def content(*lines: str) -> Content:
    return Content(0, "", 0, 0, lines, ())


PASSAGE = "Ann, Ben and Cid sit in a row, and none of them sits next to a person who is older."


@pytest.mark.parametrize(
    ("first", "second", "is_near"),
    [
        ((FARM,), (EDITED,), True),
        ((FARM,), (FARM.replace("barn", "barn, which is red,"),), True),
        ((PASSAGE, "Which of them sits in the middle?"), (PASSAGE, "Who is the oldest?"), False),
        ((PASSAGE,), (PASSAGE.replace("Cid", "Dan"),), False),
        (("turn left, then " * 9,), ("turn left, then " * 5,), False),
        ((FARM.lower(),), (FARM,), True),
    ],
    ids=["a word", "a clause", "a passage", "a name", "a repetition", "case"],
)
def test_similarity(first: tuple[str, ...], second: tuple[str, ...], is_near: bool) -> None:
    assert (similarity(content(*first), content(*second)) >= 0.8) is is_near


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv", "rows.parquet", "rows.txt"])
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    content=st.binary(max_size=300)
    | st.lists(
        st.sampled_from(
            [b'{"question":', b'"a,"', b"}", b"\n", b"\r", b"\x00", b"[", b"\xff", b"1"]
        )
    ).map(b"".join)
    | st.dictionaries(
        st.sampled_from(["question", "options", "answer", "id", "level", "messages"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
            lambda values: st.lists(values) | st.dictionaries(st.text(), values),
            max_leaves=8,
        ),
    ).map(lambda row: json.dumps(row).encode())
)
@example(content=b"")
@example(content=b'"')
@example(content=b'{"question": "?", "options": {"A": "1", "B": "2"}, "answer": "A", "level": []}')
def test_any_bytes_give_a_report(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    try:
        report = check_files([path], MCQA)
    except UsageError:
        return
    json.loads(report.to_json())
    assert report.rows[str(path)] or report.severe("fault")
