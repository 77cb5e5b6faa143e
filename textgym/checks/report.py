"""The report of an audit, and summaries of its JSON form for tables and pages.

The report has the field names of OpenEnv's RFC 008. `report.schema.json` is the JSON Schema of what
`Report.as_dict` returns. A change that a reader of reports would notice gets a new
`REPORT_SCHEMA_VERSION`. A report holds what environments and models returned, which may be
anything; `textgym.json_values.readable_json` makes it JSON.

A panel lists attackers with their mean returns, beside the oracle, the random policy and chance.
The checks `PANEL_CHECKS` measure it. `published.json`, which `docs/make_audit.py` writes, has the
results of the environments of the suite.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from textgym.checks.checks import Result
from textgym.json_values import readable_json
from textgym.metrics.statistics import Estimate, mean_interval

__all__ = [
    "LEVELS", "PANEL_CHECKS", "REPORT_SCHEMA_VERSION", "Panel", "PanelRow", "Report", "audit_line",
    "best_attacker", "counts", "figures", "headline", "panel_of", "results_by_level", "scalars",
]  # fmt: skip

REPORT_SCHEMA_VERSION = "1"


@dataclass(frozen=True)
class Report:
    """The report of an audit.

    Attributes:
        target: The id of the environment.
        kwargs: The keyword arguments that it was made with.
        card: The fields of its card; empty if it has none.
        settings: The settings of the audit: `quick`, `tasks`, `chance`, the `wrappers` around the
            environment, and the names of user-supplied `attackers`.
        results: The result of each check, in order.
        textgym_version: The version of textgym.
    """

    target: str
    kwargs: Mapping[str, Any]
    card: Mapping[str, Any]
    settings: Mapping[str, Any]
    results: Sequence[Result]
    textgym_version: str

    @property
    def passed(self) -> bool:
        """Whether no check failed that decides the verdict."""
        return not any(result.decides for result in self.results)

    @property
    def verdict(self) -> Literal["pass", "fail"]:
        """`pass` or `fail`."""
        return "pass" if self.passed else "fail"

    def __getitem__(self, check_id: str) -> Result:
        """Return the result of a check.

        Raises:
            KeyError: The audit has no such check.
        """
        for result in self.results:
            if result.check_id == check_id:
                return result
        raise KeyError(check_id)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON, as `report.schema.json` describes it.

        Values that JSON lacks, such as NaN in a reward or bytes in an info, are written as texts.
        Texts of more than 100,000 characters are cut, and say so.
        """
        report: dict[str, Any] = readable_json(
            {
                "report_schema_version": REPORT_SCHEMA_VERSION,
                "textgym_version": self.textgym_version,
                "target": self.target,
                "kwargs": self.kwargs,
                "card": self.card,
                "settings": self.settings,
                "verdict": self.verdict,
                "results": [result.as_dict() for result in self.results],
            }
        )
        return report

    def to_json(self) -> str:
        """Return the report as one line of JSON."""
        return json.dumps(self.as_dict(), ensure_ascii=False, allow_nan=False)


Json = Mapping[str, Any]

PANEL_CHECKS = ("statistical.adversarial_floor", "statistical.learned_shortcuts")
"""The checks that play scripted attackers, and attackers that learn."""

LEVELS = ("static", "runtime", "semantic", "statistical")
"""The levels of checks, which are the first parts of their ids."""

REFERENCE = "reference"


class PanelRow(NamedTuple):
    """A line of a panel.

    Attributes:
        name: The name of the attacker; `oracle`, `random` or `chance`.
        family: The family of the attacker, or `reference`.
        mean: The mean return.
        half: Half the width of its 95 % confidence interval, or None.
    """

    name: str
    family: str
    mean: float
    half: float | None = None

    @classmethod
    def of(
        cls, name: str, family: str, mean: float, error: float | None, episodes: int
    ) -> PanelRow:
        """Return the row of an attacker from the standard error of its mean."""
        interval = mean_interval(Estimate(mean, error, episodes)) if episodes > 1 else None
        return cls(name, family, mean, None if interval is None else interval[1] - mean)

    @property
    def is_reference(self) -> bool:
        """Whether the row is the oracle, the random policy or chance."""
        return self.family == REFERENCE


class Panel(NamedTuple):
    """Attackers and references, highest mean first, on a scale from `low` to `high`."""

    rows: list[PanelRow]
    chance: float
    low: float
    high: float

    def place(self, value: float) -> float:
        """Return the position of a value on the scale, from 0 for `low` to 1 for `high`."""
        return min(1.0, max(0.0, (value - self.low) / ((self.high - self.low) or 1.0)))

    def top(self, count: int | None) -> tuple[list[PanelRow], str]:
        """Return the rows with the best attackers, and a line about the others, or "".

        Args:
            count: The number of attackers to return; None for all.

        Example:
            >>> rows = [PanelRow("echo", "form", 0.3), PanelRow("silence", "form", 0.0)]
            >>> Panel(rows, 0.3, 0.0, 1.0).top(1)[1]
            '… and 1 more at 0.00'
        """
        attackers = [row for row in self.rows if not row.is_reference]
        left = [] if count is None else attackers[count:]
        if not left:
            return self.rows, ""
        at = " at" if left[0].mean == left[-1].mean else ", at most"
        others = f"… and {len(left):,} more{at} {left[0].mean:.2f}"
        return [row for row in self.rows if row not in left], others


def results_by_level(report: Json) -> dict[str, list[Result]]:
    """Return the results of a report by level, without empty levels."""
    results = [Result(**fields) for fields in report["results"]]
    by_level = {
        level: [result for result in results if result.check_id.startswith(f"{level}.")]
        for level in LEVELS
    }
    return {level: members for level, members in by_level.items() if members}


def counts(report: Json) -> tuple[int, int, int]:
    """Return the numbers of checks that passed, that were run, and that were skipped."""
    statuses = [result["status"] for result in report["results"]]
    skipped = statuses.count("skip")
    return statuses.count("pass"), len(statuses) - skipped, skipped


def headline(report: Json) -> str:
    """Return the verdict and how many checks passed, as in `passed 38 of 38 checks, 2 skipped`."""
    passed, run, skipped = counts(report)
    verdict = {"pass": "passed", "fail": "failed:"}[report["verdict"]]
    line = f"{verdict} {passed} of {run} checks" + (" passed" if verdict == "failed:" else "")
    return line + (f", {skipped} skipped" if skipped else "")


def panel_of(report: Json) -> Panel | None:
    """Return the panel of a report, or None if no attackers were played."""
    results = [
        result["measured"]
        for result in report["results"]
        if result["check_id"] in PANEL_CHECKS and result["measured"].get("attackers")
    ]
    if not results:
        return None
    rows = [
        PanelRow.of(
            name, score["family"], score["mean"], score["standard_error"], score["episodes"]
        )
        for measured in results
        for name, score in measured["attackers"].items()
        if isinstance(score["mean"], (int, float))
    ]
    measured = results[0]
    references = {"oracle": "oracle", "guess": "random", "chance": "chance"}
    rows += [
        PanelRow(name, REFERENCE, measured[key])
        for key, name in references.items()
        if isinstance(measured.get(key), (int, float))
    ]
    rows.sort(key=lambda row: (-row.mean, not row.is_reference, row.name))
    low, high = report["card"].get("reward_range", (0.0, 1.0))
    chance = measured["chance"]
    return Panel(rows, chance, min(low, rows[-1].mean), max(high, rows[0].mean))


def best_attacker(report: Json) -> PanelRow | None:
    """Return the attacker with the highest mean, or None if no attackers were played."""
    panel = panel_of(report)
    return next((row for row in panel.rows if not row.is_reference), None) if panel else None


def scalars(measured: Mapping[str, Any]) -> dict[str, str]:
    """Return the figures of a result that fit in a line, as texts.

    Example:
        >>> scalars({"episodes": 1200, "mean_return": 0.25, "attackers": []})
        {'episodes': '1,200', 'mean return': '0.25'}
    """
    return {
        name.replace("_", " "): f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
        for name, value in measured.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }


def figures(result: Result) -> str:
    """Return the figures of a result in one line."""
    return ", ".join(f"{name} {value}" for name, value in scalars(result.measured).items())


@cache
def _published() -> dict[str, Any]:
    path = Path(__file__).with_name("published.json")
    published: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return published


def audit_line(id: str) -> str:
    """Return a line about the audit of an environment of the suite; "" for other environments.

    Example:
        >>> audit_line("textgym/MCQA-v0").startswith("passed ")
        True
        >>> audit_line("CartPole-v1")
        ''
    """
    audit = _published().get(id)
    if audit is None:
        return ""
    line = f"passed {audit['passed']} of {audit['run']} checks (textgym {audit['textgym_version']}"
    if audit["best"] is None:
        return f"{line})"
    return f"{line}, best attacker {audit['best']:.2f} at chance {audit['chance']:.2f})"
