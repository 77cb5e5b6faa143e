"""Grades recorded function calls of BFCL, and writes docs/function-calls.md.

    python docs/call_verdicts.py GORILLA RESULTS           # grade, and write the page
    python docs/call_verdicts.py GORILLA RESULTS --check   # exit with 1 if the page is not current

GORILLA is the folder `berkeley-function-call-leaderboard` of ShishirPatil/gorilla at commit
de8307b4, and RESULTS the folder `2024-08-11` of HuanzhiMao/BFCL-Result at commit b4adfc9. `result`
there has the answers of the models, `score` the verdicts of BFCL's checker. Answers of models with
function calling are calls. Answers of some others are texts such as `[area(base=2)]`, which this
script parses as BFCL does.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium

import textgym  # noqa: F401
from textgym.errors import RowError
from textgym.messages import assistant_calls

PAGE = Path(__file__).resolve().parent / "function-calls.md"
ID = "textgym/FunctionCall-v0"
CATEGORIES = {
    "simple": "simple",
    "multiple_function": "multiple",
    "parallel_function": "parallel",
    "parallel_multiple_function": "parallel-multiple",
    "relevance": "irrelevance",
}
TEXT_MODELS = ("gpt-", "claude-3")  # without function calling, whose calls are Python
LEFT_OUT = ("firefunction", "command-r-plus")  # they rename tools and arguments in other ways
SHOWN = 3  # differences of each kind

Row = dict[str, Any]

HEAD = """# Function calls that were recorded

BFCL publishes the answers of models and the verdicts of its checker. This page compares them
with the verdicts of `textgym/FunctionCall-v0`, on the answers of 11 August 2024 to the categories
that are graded by accepted values. `docs/call_verdicts.py` writes it.

Of {count:,} verdicts on answers of {models} models, {agreed:,} agree ({share:.2%}).

| category | verdicts | agree | share | right here | right in BFCL |
| --- | ---: | ---: | ---: | ---: | ---: |
{table}

The oracle was tried on all {golds:,} rows. These rows have faults, and those that cannot be read
are left out above:

{faults}

Five of the 3,491 rows of BFCL v2 (19 August 2024, commit 30124c43), live ones included, cannot be
read either: `parallel_multiple_179` as above, `live_simple_106-63-0` and `live_simple_112-68-0`,
where an argument has no accepted value, and `live_multiple_862-181-3` and
`live_multiple_964-207-0`, where the tool lacks an expected argument. The
oracle is right on all others that have one.

## Why verdicts differ

| verdict here | reason | verdicts |
| --- | --- | ---: |
{reasons}

## Examples

{examples}
"""


def read_lines(path: Path) -> list[Row]:
    """Return the lines of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def rows_of(gorilla: Path, category: str) -> list[Row]:
    """Return the rows of a category with their accepted values."""
    name = f"gorilla_openfunctions_v1_test_{category}.json"
    rows, answers = read_lines(gorilla / "data" / name), gorilla / "data/possible_answer" / name
    if answers.exists():
        golds = {row["id"]: row["ground_truth"] for row in read_lines(answers)}
        rows = [{**row, "ground_truth": golds[row["id"]]} for row in rows]
    return rows


def value_of(node: ast.expr) -> Any:
    """Return a value of a call that is written as Python, as BFCL's parser does."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Dict):
        return {value_of(k): value_of(v) for k, v in zip(node.keys, node.values, strict=True) if k}
    if isinstance(node, (ast.List, ast.Tuple)):
        return [value_of(item) for item in node.elts]
    if isinstance(node, ast.BinOp):
        try:
            return eval(compile(ast.Expression(node), "", "eval"), {"__builtins__": {}})
        except Exception:
            return ast.unparse(node)
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ast.unparse(node)


def parsed_calls(text: str, model: str) -> list[tuple[str, Any]] | None:
    """Return the calls that a text states; None if it states none with named arguments."""
    if model.startswith("claude"):
        text = text.removeprefix(" ")
        text = text if text.startswith("[") else f"[{text}"
        text = text if text.endswith("]") else f"{text}]"
    try:
        body = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    items = getattr(body, "elts", None)
    if not items or not all(isinstance(item, ast.Call) and item.keywords for item in items):
        return None
    return [
        (ast.unparse(item.func), {k.arg: value_of(k.value) for k in item.keywords if k.arg})
        for item in items
    ]


def message_of(result: Any, model: str) -> Any:
    """Return a recorded answer as an assistant message."""
    if isinstance(result, str):
        calls = None if "FC" in model else parsed_calls(result, model)
        if calls is None:
            return result
    elif not all(isinstance(item, dict) and item for item in result):
        return str(result)
    else:
        calls = [next(iter(item.items())) for item in result]
    if not calls:
        return ""
    pairs = [(re.sub(r"[^A-Za-z0-9_-]", "_", name), values) for name, values in calls]
    message = assistant_calls(*((name, {}) for name, _ in pairs))
    for call, (_, values) in zip(message["tool_calls"], pairs, strict=True):
        text = values if isinstance(values, str) else json.dumps(values, default=str)
        call["function"]["arguments"] = text
    return message


def models_of(results: Path) -> Iterator[str]:
    """Yield the models whose answers this script can read."""
    for folder in sorted((results / "result").iterdir()):
        name = folder.name
        is_known = "-FC" in name or name.startswith(("gemini", *TEXT_MODELS))
        if is_known and not name.startswith(LEFT_OUT):
            yield name


def wrong_in_bfcl(results: Path, model: str, category: str) -> dict[int, Row]:
    """Return what BFCL's checker says of each answer that it finds wrong, by place."""
    lines = read_lines(results / "score" / model / f"{category}_score.json")
    return {line["id"] - 1: line for line in lines[1:]}


def has_whole_float(value: Any) -> bool:
    """Return whether an integer stands in a list or an object."""
    if isinstance(value, dict):
        return any(map(has_whole_float, value.values()))
    if isinstance(value, list):
        return any(type(item) is int or has_whole_float(item) for item in value)
    return False


def readable(text: str) -> Any:
    """Return what a JSON text holds; an empty object if it is not JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return {}


def reason_of(message: Any, row: Row, theirs: Row | None, info: Row) -> str:
    """Return why a verdict differs."""
    kind = theirs["error_type"] if theirs else ""
    said = " ".join(map(str, theirs["error"])) if theirs else ""
    calls = [] if isinstance(message, str) else message["tool_calls"]
    values = [readable(call["function"]["arguments"]) for call in calls]
    if "Nested type" in said and any(map(has_whole_float, values)):
        return "an integer in a list of floats, which the checker refuses"
    if "cannot_find_match" in kind and any(map(has_whole_float, values)):
        return "an integer in a list of floats, which the checker refuses"
    if "dict_items" in kind:
        return "an optional key of an object is left out, which the checker refuses"
    if any(None in value.values() for value in values if isinstance(value, dict)):
        return "a null for an optional argument"
    if isinstance(message, str) and not message.strip():
        return "an empty message where no tool fits"
    if not calls and theirs:
        return "a text that the checker reads as calls"
    if kind.startswith("parallel_function_checker"):
        return "a tool's name with an underscore for its dot, in a text"
    if calls and not theirs:
        return "a call that the checker cannot parse, where no tool fits"
    return f"other: {kind}"


@dataclass
class Tally:
    """What was counted, over all categories.

    Attributes:
        golds: The number of rows with a right answer.
        counts: The numbers of verdicts, as in `graded`.
        reasons: How often each verdict differs, and why.
        examples: Answers with a different verdict, by verdict and reason.
        faults: What is wrong with rows.
    """

    golds: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[Any] = field(default_factory=Counter)
    examples: dict[Any, list[str]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def unreadable(env: Any, rows: list[Row], tally: Tally) -> set[int]:
    """Try the oracle on all rows; return the places of the rows that cannot be read."""
    refused = set()
    for place, row in enumerate(rows):
        try:
            env.reset(options={"task": row})
        except RowError as error:
            refused.add(place)
            tally.faults.append(f"- {row['id']}: {error}")
            continue
        tally.golds += 1
        if env.step(env.solve())[1] < 1:
            tally.faults.append(f"- {row['id']}: the oracle's calls are wrong")
    return refused


def graded(
    env: Any, results: Path, category: str, model: str, rows: dict[int, Row], tally: Tally
) -> Counter[str]:
    """Grade the answers of a model to rows, which are given by their places.

    Returns:
        `count`, the number of answers; how many are right `here`, and how many are right by
        `theirs`, BFCL's checker; and on how many both `agreed`.
    """
    file = f"gorilla_openfunctions_v1_test_{category}_result.json"
    answers = read_lines(results / "result" / model / file)
    wrong = wrong_in_bfcl(results, model, category)
    counts = Counter[str]()
    for place, row in rows.items():
        answer = answers[place]
        assert row["id"] == answer["id"], (row["id"], answer["id"])
        message = message_of(answer["result"], model)
        env.reset(options={"task": row})
        _, reward, _, _, info = env.step(message)
        right, published = reward == 1, place not in wrong
        counts.update(count=1, agreed=right == published, here=right, theirs=published)
        if right != published:
            why = ("wrong", "right")[right], reason_of(message, row, wrong.get(place), info)
            tally.reasons[why] += 1
            text = json.dumps(answer["result"])[:200].replace("`", "'")
            tally.examples.setdefault(why, []).append(f"- {row['id']}, {model}: `{text}`")
    return counts


def page_of(tally: Tally, models: int, table: list[str]) -> str:
    """Return the page."""
    return HEAD.format(
        count=tally.counts["count"],
        models=models,
        agreed=tally.counts["agreed"],
        share=tally.counts["agreed"] / tally.counts["count"],
        table="\n".join(table),
        golds=tally.golds,
        faults="\n".join(tally.faults),
        reasons="\n".join(
            f"| {r} | {why} | {n:,} |" for (r, why), n in tally.reasons.most_common()
        ),
        examples="\n\n".join(
            "\n".join([f"{here.capitalize()} here, {why}:\n", *lines[:SHOWN]])
            for (here, why), lines in sorted(tally.examples.items())
        ),
    )


def main() -> int:
    """Grade the answers and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gorilla", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--check", action="store_true", help="only check the page")
    args = parser.parse_args()
    env: Any = gymnasium.make(ID).unwrapped
    models, table, tally = list(models_of(args.results)), [], Tally()
    for category, shown in CATEGORIES.items():
        rows = rows_of(args.gorilla, category)
        refused = unreadable(env, rows, tally)
        kept = {place: row for place, row in enumerate(rows) if place not in refused}
        counts = Counter[str]()
        for model in models:
            counts += graded(env, args.results, category, model, kept, tally)
        tally.counts += counts
        table.append(
            f"| {shown} | {counts['count']:,} | {counts['agreed']:,} "
            f"| {counts['agreed'] / counts['count']:.2%} "
            f"| {counts['here']:,} | {counts['theirs']:,} |"
        )
    page = page_of(tally, len(models), table)
    if args.check:
        return int(PAGE.read_text(encoding="utf-8") != page)
    PAGE.write_text(page, encoding="utf-8")
    print(page)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
