"""Reports of audits as one HTML page that loads nothing else and needs no scripts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from textgym.checks.checks import Result
from textgym.checks.report import (
    PANEL_CHECKS,
    Panel,
    PanelRow,
    best_attacker,
    figures,
    headline,
    panel_of,
    results_by_level,
    scalars,
)
from textgym.checks.runner import CHECKS
from textgym.report.elements import as_json, element, escaped, page, prose

__all__ = ["bars", "check_item", "html_page"]

Json = Mapping[str, Any]
_STYLE = Path(__file__).with_name("audit_page.css")


def html_page(reports: Sequence[Json]) -> str:
    """Return reports as one page.

    Args:
        reports: Reports as JSON, from `Report.as_dict`.
    """
    single = len(reports) == 1
    subject = reports[0]["target"] if single else f"{len(reports)} environments"
    title = f"Audit of {subject}"
    sections = [_section(report, f"env-{n}") for n, report in enumerate(reports, 1)]
    contents = "" if single else _contents(reports)
    body = "\n".join([element("h1", escaped(title)), contents, *sections])
    return page(title, body, _STYLE.read_text(encoding="utf-8"))


def _contents(reports: Sequence[Json]) -> str:
    rows = []
    for number, report in enumerate(reports, 1):
        link = element("a", escaped(report["target"]), href=f"#env-{number}")
        note = f"chance {report['settings']['chance']:g}"
        best = best_attacker(report)
        if best:
            note = f"best attacker {best.mean:.2f}, {note}"
        rows.append(element("li", link + _verdict(report) + element("span", escaped(note))))
    return element("nav", element("ul", "".join(rows)))


def _section(report: Json, anchor: str) -> str:
    parts = [element("h2", f"{escaped(report['target'])} {_verdict(report)}")]
    summary = report["card"].get("summary")
    if summary:
        parts.append(element("p", escaped(summary)))
    parts.append(element("p", escaped(_settings(report)), class_="note"))
    levels = results_by_level(report)
    failed = [result for results in levels.values() for result in results if result.failed]
    if failed:
        links = (
            element("a", escaped(result.check_id), href=f"#{anchor}-{result.check_id}")
            for result in failed
        )
        parts.append(element("p", f"Failed: {', '.join(links)}"))
    panel = panel_of(report)
    if panel:
        parts += [element("h3", "Attackers"), bars(panel)]
    for level, results in levels.items():
        parts.append(element("h3", escaped(f"{level.capitalize()} checks")))
        parts += [check_item(result, f"{anchor}-{result.check_id}") for result in results]
    return element("section", "\n".join(parts), id=anchor)


def _verdict(report: Json) -> str:
    return element("span", escaped(headline(report)), class_=f"verdict {report['verdict']}")


def _settings(report: Json) -> str:
    settings = report["settings"]
    words = [
        f"textgym {report['textgym_version']}",
        f"{settings['tasks']:,} tasks per level",
        f"chance {settings['chance']:g}",
        *(["quick"] if settings["quick"] else []),
        *(f"{name}={json.dumps(value)}" for name, value in report["kwargs"].items()),
        *settings["wrappers"],
    ]
    return ", ".join(words)


def check_item(result: Result, anchor: str) -> str:
    """Return a result, which is unfolded if it failed.

    Args:
        result: The result.
        anchor: The id of the element.
    """
    mark = result.mark.strip()
    head = element("span", escaped(mark), class_=f"mark {mark}")
    head += element("code", escaped(result.check_id.partition(".")[2]))
    head += element("span", escaped(result.detail or figures(result)), class_="detail")
    more = {"open": ""} if result.failed else {}
    body = element("summary", head) + _body(result)
    return element("details", body, class_="check", id=anchor, **more)


def _body(result: Result) -> str:
    check = CHECKS.get(result.check_id)
    parts = [element("p", prose(check.summary))] if check else []
    if result.remediation:
        parts.append(element("p", prose(result.remediation), class_="remedy"))
    shown = scalars(result.measured)
    if shown:
        rows = (element("dt", escaped(name)) + element("dd", text) for name, text in shown.items())
        parts.append(element("dl", "".join(rows)))
    other = {
        name: value
        for name, value in result.measured.items()
        if name.replace("_", " ") not in shown
        and not (result.check_id in PANEL_CHECKS and name == "attackers")  # shown as bars
    }
    if other:
        parts.append(_folded("More figures", element("pre", as_json(other))))
    parts += map(_evidence, result.evidence)
    return element("div", "".join(parts), class_="body")


def _evidence(item: Mapping[str, Any]) -> str:
    """Return a piece of evidence: an episode with its messages, or anything else as JSON."""
    messages = item.get("messages")
    is_episode = isinstance(messages, list) and all(isinstance(m, dict) for m in messages)
    rest = {name: value for name, value in item.items() if name != "messages" or not is_episode}
    title = ", ".join(
        f"{name.replace('_', ' ')} {value}"
        for name, value in item.items()
        if isinstance(value, (str, int, float)) and len(str(value)) <= 100
    )
    shown = "".join(map(_message, messages)) if isinstance(messages, list) and is_episode else ""
    return _folded(f"Evidence: {title}", shown + element("pre", as_json(rest)))


def _message(message: Mapping[str, Any]) -> str:
    rest = {name: value for name, value in message.items() if name not in ("role", "content")}
    content = message.get("content")
    text = escaped(content or "(empty)") if isinstance(content, str) else as_json(content)
    return element(
        "div",
        element("b", escaped(message.get("role", "")))
        + (element("pre", text) if content is not None else "")
        + (element("pre", as_json(rest)) if rest else ""),
        class_="message",
    )


def _folded(title: str, content: str) -> str:
    return element("details", element("summary", escaped(title)) + content, class_="more")


_SHOWN = 12


def bars(panel: Panel) -> str:
    """Return the attackers, best first; all but the best are folded away."""
    best, others = panel.top(_SHOWN)
    rest = [row for row in panel.rows if row not in best]
    note = (
        f"Mean return of each attacker on a scale from {panel.low:g} to {panel.high:g}. The thin "
        "line is the 95 % confidence interval; the vertical one is chance."
    )
    folded = element("summary", escaped(others)) + _bar_list(rest, panel)
    return (
        element("p", escaped(note), class_="note")
        + _bar_list(best, panel)
        + (element("details", folded, class_="more") if rest else "")
    )


def _bar_list(rows: list[PanelRow], panel: Panel) -> str:
    return element("ol", "".join(_bar_line(row, panel) for row in rows), class_="bars")


def _bar_line(row: PanelRow, panel: Panel) -> str:
    mean = f"{row.mean:.3f}" + ("" if row.half is None else f" ±{row.half:.3f}")
    name = element("span", escaped(row.name), class_="name")
    family = "" if row.is_reference else element("span", escaped(row.family), class_="family")
    kind = "reference" if row.is_reference else "attacker"
    return element(
        "li",
        element("span", name + family) + element("span", mean, class_="mean") + _bar(row, panel),
        class_=kind,
    )


def _bar(row: PanelRow, panel: Panel) -> str:
    def percent(value: float) -> str:
        return f"{100 * panel.place(value):.2f}%"

    half = row.half or 0.0
    low, high = panel.place(row.mean - half), panel.place(row.mean + half)
    parts = element("i", "", class_="fill", style=f"width:{percent(row.mean)}")
    if half:
        place = f"left:{100 * low:.2f}%;width:{100 * (high - low):.2f}%"
        parts += element("i", "", class_="error", style=place)
    parts += element("i", "", class_="chance", style=f"left:{percent(panel.chance)}")
    return element("span", parts, class_="bar")
