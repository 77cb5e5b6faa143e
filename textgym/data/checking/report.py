"""The report of a check: its findings with their locations, counts and figures, as JSON.

Invariant: every finding is counted, and the first ones of each kind are kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from textgym._version import __version__
from textgym.data.checking.kinds import KINDS, Kind
from textgym.json_values import readable_json

__all__ = ["REPORT_VERSION", "Finding", "LabelFigures", "Place", "Report", "Tally"]

REPORT_VERSION = 1
"""The version of the report's JSON. It changes with an incompatible change."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row is.

    Attributes:
        file: The path of the file, or the name of a benchmark.
        number: The line, from 1, or the row of a Parquet file, from 0; None for the whole file.
        unit: `line` or `row`.

    Example:
        >>> str(Place("train.jsonl", 17)), str(Place("train.parquet", 3, "row"))
        ('train.jsonl:17', 'train.parquet:row 3')
    """

    file: str
    number: int | None = None
    unit: str = "line"

    def __str__(self) -> str:
        if self.number is None:
            return self.file
        return f"{self.file}:{'' if self.unit == 'line' else 'row '}{self.number}"

    def seen_from(self, other: Place) -> str:
        """Return the place for a reader of another place, without the file if it is the same.

        Example:
            >>> Place("train.jsonl", 3).seen_from(Place("train.jsonl", 17))
            'line 3'
        """
        return f"{self.unit} {self.number}" if self.file == other.file else str(self)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that was found.

    Attributes:
        kind: The id of its kind.
        place: Where it is.
        reason: What is wrong there, in one line.
        field: The field of the row, as a path such as `options.C`; "" for the whole row.
    """

    kind: str
    place: Place
    reason: str
    field: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as JSON."""
        place = self.place
        shown = {"file": place.file, "line": None, "row": None, "field": self.field}
        return {**shown, place.unit: place.number, "reason": self.reason}


@dataclass(slots=True)
class Tally:
    """The findings of a kind.

    Attributes:
        kind: The kind.
        count: The number of findings.
        examples: The first of them.
    """

    kind: Kind
    count: int = 0
    examples: list[Finding] = field(default_factory=list)


@dataclass(slots=True)
class LabelFigures:
    """What is known about the verification of labels.

    Attributes:
        verified: The number of rows whose right answer was graded.
        seconds: How long that took.
        unverified: Why other rows were not graded; "" if all were.
    """

    verified: int = 0
    seconds: float = 0.0
    unverified: str = ""

    @property
    def rate(self) -> float | None:
        """Rows per second; None if no row was graded."""
        return self.verified / self.seconds if self.verified and self.seconds else None


@dataclass(slots=True)
class Report:
    """What was found in files of rows.

    Attributes:
        env: The id of the environment.
        env_kwargs: Its keyword arguments.
        max_examples: The number of findings of each kind that are kept; None for all.
        rows: The number of rows that were read, by file.
        tallies: The findings by kind, in the order in which they were found.
        labels: The figures of the verification of labels.
        notes: What was not checked, and why.
        seconds: How long the check took.

    Example:
        >>> report = Report("textgym/MCQA-v0")
        >>> report.add("empty", Place("test.jsonl"), "has no rows")
        >>> report.failed(), report.count("empty"), report.count("json")
        (True, 1, 0)
    """

    env: str
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)
    max_examples: int | None = 10
    rows: dict[str, int] = field(default_factory=dict)
    tallies: dict[str, Tally] = field(default_factory=dict)
    labels: LabelFigures = field(default_factory=LabelFigures)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, kind: str, place: Place, reason: str, field: str = "") -> None:
        """Count a finding, and keep it if it is one of the first of its kind."""
        tally = self.tallies.setdefault(kind, Tally(KINDS[kind]))
        tally.count += 1
        if self.max_examples is None or len(tally.examples) < self.max_examples:
            tally.examples.append(Finding(kind, place, " ".join(reason.split()), field))

    def count(self, kind: str) -> int:
        """Return how many findings of a kind there are."""
        tally = self.tallies.get(kind)
        return tally.count if tally else 0

    @property
    def total(self) -> int:
        """The number of findings."""
        return sum(tally.count for tally in self.tallies.values())

    def severe(self, severity: str) -> int:
        """Return how many findings of a severity there are."""
        return sum(t.count for t in self.tallies.values() if t.kind.severity == severity)

    def failed(self, strict: bool = False) -> bool:
        """Return whether there are faults, or, if `strict`, warnings."""
        return self.severe("fault") > 0 or (strict and self.severe("warning") > 0)

    def ordered(self) -> Iterator[Tally]:
        """Yield the tallies: faults, warnings, notes, each in the order of `KINDS`."""
        for severity in ("fault", "warning", "note"):
            for kind in KINDS.values():
                if kind.severity == severity and kind.id in self.tallies:
                    yield self.tallies[kind.id]

    def findings(self) -> Iterator[Finding]:
        """Yield the findings that were kept, in the order of `ordered`."""
        for tally in self.ordered():
            yield from tally.examples

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        kinds = [
            {
                **asdict(tally.kind),
                "count": tally.count,
                "examples": [finding.as_dict() for finding in tally.examples],
            }
            for tally in self.ordered()
        ]
        shown: dict[str, Any] = readable_json({
            "version": REPORT_VERSION,
            "textgym_version": __version__,
            "env": self.env,
            "env_kwargs": self.env_kwargs,
            "files": self.rows,
            "faults": self.severe("fault"),
            "warnings": self.severe("warning"),
            "kinds": kinds,
            "labels": {**asdict(self.labels), "rate": self.labels.rate},
            "notes": self.notes,
            "seconds": self.seconds,
        })  # fmt: skip
        return shown

    def to_json(self) -> str:
        """Return the report as JSON."""
        return json.dumps(self.as_dict(), ensure_ascii=False, indent=1)
