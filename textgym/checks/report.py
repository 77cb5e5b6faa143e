"""The report of an audit, with the field names of OpenEnv's RFC 008.

`report.schema.json` is the JSON Schema of what `Report.as_dict` returns. A change that a reader of
reports would notice gets a new `REPORT_SCHEMA_VERSION`. A report holds what environments and models
returned, which may be anything; `textgym.json_values.readable_json` makes it JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from textgym.checks.checks import Result
from textgym.json_values import readable_json

__all__ = ["REPORT_SCHEMA_VERSION", "Report"]


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
