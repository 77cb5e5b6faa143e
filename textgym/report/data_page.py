"""Reports of checks of data sets as one HTML page that loads nothing else and needs no scripts."""

from __future__ import annotations

from pathlib import Path

from textgym.data.checking.report import Report, Tally
from textgym.report import elements
from textgym.report.elements import element, escaped, page, table

__all__ = ["data_page"]

_STYLE = Path(elements.__file__).with_name("audit_page.css")
_MARKS = {"fault": "FAIL", "warning": "warn", "note": "note"}  # the marks of audits


def data_page(report: Report) -> str:
    """Return a report as a page.

    Args:
        report: The report.
    """
    failed = report.failed()
    counts = {noun: report.severe(noun) for noun in ("fault", "warning")}
    verdict = ", ".join(f"{n:,} {noun}" + "s" * (n != 1) for noun, n in counts.items())
    rate = report.labels.rate
    labels = [
        f"{report.labels.verified:,} labels verified" + (f", {rate:,.0f} a second" if rate else ""),
        *([report.labels.unverified] if report.labels.unverified else []),
        *report.notes,
    ]
    parts = [
        element("h1", f"Data for {escaped(report.env)}"),
        element("p", escaped(verdict), class_=f"verdict {'fail' if failed else 'pass'}"),
        *(element("p", escaped(line), class_="note") for line in labels),
        table("", [*report.rows], [("rows", [f"{count:,}" for count in report.rows.values()])]),
        element("h3", "Findings") if report.tallies else element("p", "Nothing was found."),
        *map(_tally, report.ordered()),
    ]
    title = f"Data for {report.env}"
    return page(title, "\n".join(parts), _STYLE.read_text(encoding="utf-8"))


def _tally(tally: Tally) -> str:
    kind = tally.kind
    mark = _MARKS[kind.severity]
    head = element("span", escaped(mark), class_=f"mark {mark}")
    head += element("code", escaped(f"{kind.id} {tally.count:,}"))
    head += element("span", escaped(kind.summary), class_="detail")
    rows = "".join(
        element("dt", escaped(finding.place))
        + element("dd", escaped(f"{finding.field} {finding.reason}".strip()))
        for finding in tally.examples
    )
    left = tally.count - len(tally.examples)
    body = (element("p", escaped(kind.remedy), class_="remedy") if kind.remedy else "") + (
        element("dl", rows) + (element("p", f"and {left:,} more", class_="note") if left else "")
    )
    more = {"open": ""} if kind.severity != "note" else {}
    inner = element("summary", head) + element("div", body, class_="body")
    return element("details", inner, class_="check", id=kind.id, **more)
