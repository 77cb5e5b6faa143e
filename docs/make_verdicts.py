"""Grades answers of models that others recorded, and writes docs/verdicts.md.

    python docs/make_verdicts.py ../recorded           # write the page
    python docs/make_verdicts.py ../recorded --check   # exit with 1 if the page is not current

Each published evaluation is an `Evaluation`: which files, how a record is graded, and what was
published. `verdict_differences.json` holds the reading of each verdict that differs from the
published one: "theirs" if it is wrong there, or "contract" if a documented rule differs. A
difference without a reading counts as a fault of textgym's.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple

import gymnasium

import textgym  # noqa: F401  registers the environments
from textgym.verifiers.exact import match
from textgym.verifiers.extract import before_stop
from textgym.verifiers.math import verify

DOCS = Path(__file__).resolve().parent
PAGE, READINGS = DOCS / "verdicts.md", DOCS / "verdict_differences.json"

Record = dict[str, Any]
NEAR = 0.1  # per cent points between a published accuracy and the one here
_MMLU_PRO = r"(?-i:answer is \(?([A-J])\)?)"
_HEAD = """# Verdicts on recorded answers

This page shows how textgym's verifiers grade {answers} answers of real models that others recorded.
Of {judged} published verdicts, {agreed} agree ({share}). Of {tables} published accuracies, {near}
come out within 0.1 per cent points. Each verdict that differs was read: {theirs} published ones
are wrong, {contract} follow another rule, and {ours} of textgym's are wrong.

`make verdicts RECORDED=DIR` writes this page. `DIR` has a folder for each evaluation, with gzipped
JSON lines: `question`, `gold`, `output` and `correct` for mathematics; `question`, `prediction`,
`target`, `task` and `table_accuracy` for BIG-Bench Hard; `question`, `options`, `answer`, `output`
and `correct` for MMLU-Pro. The answers are not part of the repository.

To add a set, add an `Evaluation` to `docs/make_verdicts.py`: the files, a function that grades a
record, and the field of the published verdict."""


@cache
def _mcqa() -> Any:
    return gymnasium.make("textgym/MCQA-v0").unwrapped


class Evaluation(NamedTuple):
    """A published evaluation.

    Attributes:
        title: Its name on the page.
        files: The pattern of its files; each file is a part of it.
        source: Where it was published.
        verifier: What grades it here.
        is_right: Returns whether a record's answer is right.
        recorded: Returns a record's published verdict; None if only accuracies were published.
        part: The field of a record that names its part; "" if the file does.
        accuracy: The published accuracy in per cent, of each part, or the name of the field that
            holds it; empty if none was published.
    """

    title: str
    files: str
    source: str
    verifier: str
    is_right: Callable[[Record], bool]
    recorded: Callable[[Record], bool | None] = lambda record: bool(record["correct"])
    part: str = ""
    accuracy: str | dict[str, float] = ""


def is_right_mathematics(record: Record) -> bool:
    """Grade a whole solution."""
    return verify(record["gold"].lstrip("# "), record["output"], question=record["question"]).equal


def is_right_chain_of_thought(record: Record) -> bool:
    """Grade what follows "the answer is", before the model goes on with a next question."""
    reply = before_stop(record["prediction"], ["\n\nQ:"])
    return match(record["target"], reply.rpartition("the answer is")[2])


def is_right_choice(record: Record) -> bool:
    """Grade the first letter that "answer is" precedes, as MMLU-Pro does."""
    options = [*record["options"], "none of these"][: max(2, len(record["options"]))]
    env = _mcqa()
    row = {
        "question": record["question"],
        "options": [{ascii_uppercase[n]: text} for n, text in enumerate(options)],
        "expected_answer": record["answer"],
        "template_metadata": {"output_regex": _MMLU_PRO, "output_regex_match": "first"},
    }
    env.reset(options={"task": row})
    return bool(env.step(record["output"])[1])


EVALUATIONS = (
    Evaluation(
        "Qwen2.5-3B-Instruct on mathematics and word problems", "math_evals/*.jsonl.gz",
        "open-thought/reasoning-gym-eval, verdicts of Qwen's evaluation", "mathematics",
        is_right_mathematics,
    ),
    Evaluation(
        "GSM8K in ZeroEval", "zeroeval_gsm/*.jsonl.gz", "WildEval/ZeroEval", "mathematics",
        is_right_mathematics, lambda record: None,
        accuracy={"gpt-4o-mini-2024-07-18": 94.24, "Meta-Llama-3-8B-Instruct": 78.47},
    ),
    Evaluation(
        "BIG-Bench Hard, code-davinci-002 with chains of thought", "bbh/*.jsonl.gz",
        "suzgunmirac/BIG-Bench-Hard", "match", is_right_chain_of_thought, lambda record: None,
        part="task", accuracy="table_accuracy",
    ),
    Evaluation(
        "MMLU-Pro", "mmlu_pro/*.jsonl.gz", "TIGER-AI-Lab/MMLU-Pro", "MCQA with the row's regex",
        is_right_choice,
    ),
)  # fmt: skip


class Part:
    """The counts of one part of an evaluation."""

    def __init__(self) -> None:
        self.right = self.answers = self.agreed = self.judged = 0
        self.accuracy: float | None = None
        self.differences: list[tuple[str, bool]] = []  # the key of a record, our verdict


def records(folder: Path, pattern: str) -> Iterator[tuple[str, int, Record]]:
    """Yield the file's name, the line's index and each record."""
    for path in sorted(folder.glob(pattern)):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for index, line in enumerate(lines):
                yield path.name.partition(".jsonl")[0], index, json.loads(line)


def grade(folder: Path, evaluation: Evaluation) -> dict[str, Part]:
    """Grade all answers of an evaluation."""
    parts: dict[str, Part] = defaultdict(Part)
    for name, index, record in records(folder, evaluation.files):
        part = parts[str(record[evaluation.part]) if evaluation.part else name]
        right, recorded = evaluation.is_right(record), evaluation.recorded(record)
        part.answers += 1
        part.right += right
        if isinstance(evaluation.accuracy, str):
            part.accuracy = record.get(evaluation.accuracy)
        else:
            part.accuracy = evaluation.accuracy.get(name)
        if recorded is not None:
            part.judged += 1
            part.agreed += right == recorded
            if right != recorded:
                part.differences.append((f"{name}:{index}", right))
    return parts


def page(folder: Path) -> str:
    """Return the page."""
    readings = json.loads(READINGS.read_text("utf-8"))
    graded = [(evaluation, grade(folder, evaluation)) for evaluation in EVALUATIONS]
    parts = [part for _, found in graded for part in found.values()]
    judged, agreed = sum(part.judged for part in parts), sum(part.agreed for part in parts)
    tables = [part for part in parts if part.accuracy is not None]
    near = sum(abs(_accuracy(part) - (part.accuracy or 0)) <= NEAR for part in tables)
    kinds = Counter(readings.get(key, ["ours"])[0] for part in parts for key, _ in part.differences)
    lines = [
        _HEAD.format(
            answers=sum(part.answers for part in parts), judged=judged, agreed=agreed,
            share=f"{agreed / judged:.2%}", tables=len(tables), near=near,
            theirs=kinds["theirs"], contract=kinds["contract"], ours=kinds["ours"],
        )
    ]  # fmt: skip
    for evaluation, found in graded:
        lines += [
            f"\n## {evaluation.title}\n",
            f"Source: {evaluation.source}. Graded by: {evaluation.verifier}.\n",
        ]
        lines += [
            "| part | answers | agree | accuracy here | published |",
            "| --- | ---: | ---: | ---: | ---: |",
        ]
        for name, part in sorted(found.items()):
            agree = f"{part.agreed} of {part.judged}" if part.judged else ""
            published = "" if part.accuracy is None else f"{part.accuracy:g} %"
            lines.append(
                f"| {name} | {part.answers} | {agree} | {_accuracy(part):.2f} % | {published} |"
            )
        differences = [one for part in found.values() for one in part.differences]
        if differences:
            lines += ["", "| answer | here | wrong is | reading |", "| --- | --- | --- | --- |"]
        for key, right in differences:
            kind, reason = readings.get(key, ("ours", "not read"))
            lines.append(f"| {key} | {'right' if right else 'wrong'} | {kind} | {reason} |")
    return "\n".join(lines) + "\n"


def _accuracy(part: Part) -> float:
    return 100 * part.right / part.answers


def main() -> None:
    """Write or check the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("recorded", type=Path, help="the folder of the recorded answers")
    parser.add_argument(
        "--check", action="store_true", help="exit with 1 if the page is not current"
    )
    given = parser.parse_args()
    written = page(given.recorded)
    if not given.check:
        PAGE.write_text(written, encoding="utf-8")
        print(PAGE)
    elif written != PAGE.read_text("utf-8"):
        raise SystemExit(f"{PAGE.name} is not current: run make verdicts RECORDED={given.recorded}")


if __name__ == "__main__":
    main()
