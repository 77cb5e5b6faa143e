"""Grades answers of models that others recorded, and writes docs/verdicts.md.

    python docs/make_verdicts.py ../recorded           # grade, and write the page
    python docs/make_verdicts.py ../recorded --check   # exit with 1 if the page is not current

The evaluations are in `verdict_sets.py`. `verdict_figures.json` holds the figures of all of them;
those whose files are not in the folder keep theirs. `verdict_differences.json` holds two readings
of each verdict that differs from the published one. A published verdict is wrong only if a check
of `verdict_checks.py` says so, or both readings do; any other difference is a fault of textgym's.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from string import Template
from typing import Any

from verdict_checks import CHECKS
from verdict_sets import EVALUATIONS, Evaluation

DOCS = Path(__file__).resolve().parent
PAGE, FIGURES = DOCS / "verdicts.md", DOCS / "verdict_figures.json"
READINGS = DOCS / "verdict_differences.json"

Record = dict[str, Any]
NEAR = 0.1  # per cent points between a published accuracy and the one here

_HEAD = Template(r"""# Verdicts on recorded answers

The verdicts of textgym are those of published evaluations, and where they differ, the published
one is wrong. This page shows it on $answers answers of real models that others recorded:

- Of $judged published verdicts, $raw agree ($raw_share) with the right answers as recorded. $agreed
  agree ($share) after $repaired right answers of TabMWP, which were recorded without some of their
  letters, were restored from the options in their questions.
- Of $tables published accuracies, $near come out within 0.1 per cent points. The others differ by
  the verdicts that their sections name.
- Of the $differences verdicts that differ, $theirs published ones are wrong, $contract follow
  another rule, and $ours of textgym's are wrong. A script without textgym's verifiers recomputes
  $recomputed of these answers (`docs/verdict_checks.py`), and two independent readings confirm the
  other $read.

## Add a set

Any recorded answers can be compared in ten lines, here with `recorded` as the published verdict:

```python
import json
import textgym

ask = {"question": "What is 6 times 7?", "answer": "42"}
answers = [
    {**ask, "output": r"So it is \boxed{42}.", "recorded": True},
    {**ask, "output": "The answer is 48.", "recorded": True},
]
found = textgym.grade(answers, "textgym/Math-v0")
print(found.agreement.rate, json.dumps([one.output for one in found.differences]))
```

```text
0.5 ["The answer is 48."]
```

For a place on this page, write them as lines of JSON with `question`, `gold`, `output` and
`correct` to `DIR/my_set/NAME.jsonl.gz`, and add a line to `EVALUATIONS` in `docs/verdict_sets.py`:

    Evaluation("My set", "my_set/*.jsonl.gz", "where it was published", "textgym/Math-v0"),

`make verdicts RECORDED=DIR` writes this page. Evaluations whose files are not in `DIR` keep their
figures. Read each difference twice, and write both readings to `docs/verdict_differences.json`.

The answers are not part of the repository. `datasets_scripts/recorded.py` makes them from the
public sources.""")


@dataclass
class Part:
    """The figures of one part of an evaluation.

    Attributes:
        answers: The number of answers.
        right: How many are right.
        judged: How many have a published verdict.
        agreed: How many of these agree.
        agreed_as_recorded: The same without repaired golds.
        accuracy: The published accuracy in per cent, or None.
        differences: The keys of the answers whose verdict differs, and the verdict here.
    """

    answers: int = 0
    right: int = 0
    judged: int = 0
    agreed: int = 0
    agreed_as_recorded: int = 0
    accuracy: float | None = None
    differences: dict[str, bool] = field(default_factory=dict)


def records(folder: Path, pattern: str) -> Iterator[tuple[str, int, Record]]:
    """Yield the file's name, the line's index and each record."""
    for path in sorted(folder.glob(pattern)):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for index, line in enumerate(lines):
                yield path.name.partition(".jsonl")[0], index, json.loads(line)


def graded(folder: Path, evaluation: Evaluation) -> dict[str, Part]:
    """Grade all answers of an evaluation."""
    answers: dict[str, dict[str, Record]] = defaultdict(dict)
    for name, index, record in records(folder, evaluation.files):
        answers[record[evaluation.part] if evaluation.part else name][f"{name}:{index}"] = record
    parts = {}
    for name, recorded in answers.items():
        repaired = {key: evaluation.repair(record) for key, record in recorded.items()}
        changed = {key: new for key, new in repaired.items() if new is not recorded[key]}
        raw = evaluation.grade(evaluation, recorded, folder)
        final = raw | (evaluation.grade(evaluation, changed, folder) if changed else {})
        published = {key: record.get("correct") for key, record in recorded.items()}
        judged = [key for key, verdict in published.items() if verdict is not None]
        table = evaluation.accuracy
        first = next(iter(recorded.values()))
        differences = {key: final[key] for key in judged if final[key] != published[key]}
        for key in differences:
            if key in CHECKS and CHECKS[key].quotation not in recorded[key]["output"]:
                raise SystemExit(f"the check of {key} quotes what the answer does not say")
        parts[name] = Part(
            len(final),
            sum(final.values()),
            len(judged),
            len(judged) - len(differences),
            sum(raw[key] == published[key] for key in judged),
            first[table] if isinstance(table, str) else table.get(name),
            differences,
        )
    return dict(sorted(parts.items()))


def figures(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the figures by evaluation and part: graded ones, and stored ones without files."""
    stored = json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else {}
    found = {}
    for evaluation in EVALUATIONS:
        parts = {name: asdict(part) for name, part in graded(folder, evaluation).items()}
        found[evaluation.title] = parts or stored[evaluation.title]
    return found


def verdict_on(key: str, right: bool, readings: dict[str, Any]) -> tuple[str, str]:
    """Return whose verdict is wrong, and what confirms it.

    Args:
        key: The key of the answer.
        right: The verdict here.
        readings: The readings by key: `wrong` and `reading` of the `first` and the `second`.
    """
    read = [reading["wrong"] for reading in readings.get(key, {}).values()]
    if key in CHECKS:
        is_ours = CHECKS[key].is_right() != right or "ours" in read
        return ("ours" if is_ours else "theirs"), "recomputation"
    agree = len(read) == 2 and read[0] == read[1]
    return (read[0], "two readings") if agree else ("ours", "nothing")


def page(found: dict[str, dict[str, Any]]) -> str:
    """Return the page with the figures of all evaluations."""
    readings = json.loads(READINGS.read_text("utf-8"))
    parts = [Part(**part) for evaluation in found.values() for part in evaluation.values()]
    wrong = {
        key: verdict_on(key, right, readings)
        for part in parts
        for key, right in part.differences.items()
    }
    kinds = Counter(kind for kind, _ in wrong.values())
    by = Counter(how for _, how in wrong.values())
    judged = sum(part.judged for part in parts)
    raw, agreed = (
        sum(getattr(part, name) for part in parts) for name in ("agreed_as_recorded", "agreed")
    )
    tables = [part for part in parts if part.accuracy is not None]
    head = _HEAD.substitute(
        answers=f"{sum(part.answers for part in parts):,}",
        judged=f"{judged:,}",
        raw=f"{raw:,}",
        raw_share=f"{raw / judged:.2%}",
        agreed=f"{agreed:,}",
        share=f"{agreed / judged:.2%}",
        repaired=agreed - raw,
        tables=len(tables),
        near=sum(round(abs(_accuracy(part) - (part.accuracy or 0)), 6) <= NEAR for part in tables),
        differences=len(wrong),
        theirs=kinds["theirs"],
        contract=kinds["contract"],
        ours=kinds["ours"],
        recomputed=by["recomputation"],
        read=by["two readings"],
    )
    lines = [head]
    for evaluation in EVALUATIONS:
        lines += _section(evaluation, found[evaluation.title], readings, wrong)
    return "\n".join(lines) + "\n"


def _section(
    evaluation: Evaluation,
    found: dict[str, Any],
    readings: dict[str, Any],
    wrong: dict[str, tuple[str, str]],
) -> Iterator[str]:
    yield f"\n## {evaluation.title}\n"
    note = f" {evaluation.note}" if evaluation.note else ""
    yield f"Source: {evaluation.source}.{note} Graded by `{evaluation.env}`.\n"
    yield "| part | answers | agree | accuracy here | published |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    parts = {name: Part(**part) for name, part in found.items()}
    for name, part in parts.items():
        agree = f"{part.agreed} of {part.judged}" if part.judged else ""
        published = "" if part.accuracy is None else f"{part.accuracy:g} %"
        yield f"| {name} | {part.answers} | {agree} | {_accuracy(part):.2f} % | {published} |"
    differences = {key: right for part in parts.values() for key, right in part.differences.items()}
    if differences:
        yield "\n| answer | here | wrong is | by | first reading | second reading |"
        yield "| --- | --- | --- | --- | --- | --- |"
    for key, right in differences.items():
        kind, how = wrong[key]
        read = readings.get(key, {})
        texts = [read.get(which, {}).get("reading", "not read") for which in ("first", "second")]
        here = "right" if right else "wrong"
        yield f"| {key} | {here} | {kind} | {how} | {texts[0]} | {texts[1]} |"


def _accuracy(part: Part) -> float:
    return 100 * part.right / part.answers


def main() -> None:
    """Write or check the page and the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("recorded", type=Path, help="the folder of the recorded answers")
    parser.add_argument(
        "--check", action="store_true", help="exit with 1 if the page is not current"
    )
    given = parser.parse_args()
    found = figures(given.recorded)
    if given.check:
        stored = json.loads(FIGURES.read_text("utf-8"))
        if found != stored or page(found) != PAGE.read_text("utf-8"):
            command = f"make verdicts RECORDED={given.recorded}"
            raise SystemExit(f"{PAGE.name} is not current: run {command}")
        return
    FIGURES.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(found), encoding="utf-8")
    print(PAGE)


if __name__ == "__main__":
    main()
