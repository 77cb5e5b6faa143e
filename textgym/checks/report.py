"""The report of an audit, with the field names of OpenEnv's RFC 008, and anything as plain JSON.

`report.schema.json` is the JSON Schema of the result of `Report.as_dict`. A change that a reader of
reports would notice gets a new `REPORT_SCHEMA_VERSION`. A report holds values that environments and
models returned, which may be anything.

Invariants:

- Every value has a plain form; finding it never raises.
- A plain value can be written as strict JSON in UTF-8: it has no NaN and no lone surrogates.
- Values that JSON has come out unchanged, except texts above `MAX_CHARACTERS`, which are cut and
  say so.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

from textgym.checks.checks import Result

__all__ = ["MAX_CHARACTERS", "REPORT_SCHEMA_VERSION", "Report", "plain"]


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
        report: dict[str, Any] = plain(
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


MAX_CHARACTERS = 100_000
"""The longest text that a report holds whole, in characters."""

_MAX_DEPTH = 60  # json.dumps fails at about a thousand; no message is nested this deep
_MAX_SHOWN = 1_000  # characters of a value that JSON lacks


def plain(value: Any, depth: int = 0) -> Any:
    r"""Return a value as plain JSON.

    A value that JSON lacks becomes a text: its `repr`, or an escape for a lone surrogate.

    Args:
        value: Any value.
        depth: The number of lists and objects around it.

    Example:
        >>> plain({"reward": float("nan"), "said": "\ud800", 1: (b"\xff", True, 0.5)})
        {'reward': 'nan', 'said': '\\ud800', '1': ["b'\\xff'", True, 0.5]}
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Real):
        return _number(value)
    if depth < _MAX_DEPTH:
        if isinstance(value, Mapping):
            return {_key(key): plain(item, depth + 1) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [plain(item, depth + 1) for item in value]
    return _text(_described(value)[:_MAX_SHOWN])


def _text(text: str) -> str:
    if len(text) > MAX_CHARACTERS:
        text = f"{text[:MAX_CHARACTERS]}… ({len(text) - MAX_CHARACTERS:,} more characters)"
    return text.encode("utf-8", "backslashreplace").decode()


def _number(number: Real) -> Any:
    try:
        if isinstance(number, Integral):
            whole = int(number)
            repr(whole)  # Python refuses to write integers of thousands of digits
            return whole
        real = float(number)
    except (OverflowError, TypeError, ValueError):
        return _text(_described(number)[:_MAX_SHOWN])
    return real if math.isfinite(real) else repr(real)


def _key(key: Any) -> str:
    name = plain(key, _MAX_DEPTH)
    return name if isinstance(name, str) else _described(name)


def _described(value: Any) -> str:
    try:
        return repr(value)
    except Exception:  # the object's own __repr__ failed, or it is nested too deeply
        return f"<{type(value).__name__}>"
