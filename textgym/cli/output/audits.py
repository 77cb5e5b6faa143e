"""The report of an audit in the terminal: its verdict, its checks by level, and its attackers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from textgym.checks import Result
from textgym.checks.report import (
    Panel,
    PanelRow,
    figures,
    headline,
    panel_of,
    results_by_level,
)
from textgym.display.terminal import visible

__all__ = ["audit_parts"]

Json = Mapping[str, Any]

_MAX_SHOWN = 160  # characters of a text of an episode
_BAR_WIDTHS = 20, 40  # cells, in a narrow and in a wide terminal
_WIDE = 120
_STYLES = {"ok  ": "green", "skip": "dim", "warn": "yellow", "FAIL": "bold red"}


def audit_parts(report: Json, attackers: int | None = 10) -> list[RenderableType]:
    """Return what `textgym audit` prints of a report.

    Args:
        report: The report as JSON.
        attackers: How many attackers are shown, best first; None for all.
    """
    passed = report["verdict"] == "pass"
    title = Text.assemble(
        (visible(report["target"]), "bold"),
        "  ",
        (headline(report), "bold green" if passed else "bold red"),
    )
    parts: list[RenderableType] = [title, Text(_settings(report), "dim")]
    levels = results_by_level(report)
    width = max((len(_name(r)) for results in levels.values() for r in results), default=0)
    for level, results in levels.items():
        parts += [Text(""), Text(level, "bold"), _checks(results, width)]
    panel = panel_of(report)
    if panel:
        parts += [Text(""), *_attackers(panel, attackers)]
    return parts


def _settings(report: Json) -> str:
    settings = report["settings"]
    words = [f"textgym {report['textgym_version']}", f"{settings['tasks']:,} tasks per level"]
    words += ["quick"] if settings["quick"] else []
    words += [f"{name}={json.dumps(value)}" for name, value in report["kwargs"].items()]
    return visible(", ".join([*words, *settings["wrappers"]]))


def _checks(results: list[Result], width: int) -> Table:
    """Return the results of a level; what failed has its reason and the remedy under its name."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, min_width=4)
    grid.add_column(overflow="fold")
    for result in results:
        shown = _failure(result) if result.failed else _one_line(result, width)
        grid.add_row(Text(result.mark.strip(), _STYLES[result.mark]), shown)
    return grid


def _one_line(result: Result, width: int) -> Table:
    """Return the name of a check beside what it found; a longer text is folded in its column."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(width=width)
    grid.add_column(overflow="fold")
    text = Text(visible(result.detail or figures(result)), "dim")
    grid.add_row(_name(result), text)
    return grid


def _failure(result: Result) -> Text:
    """Return the name of a check over its reason, the remedy, and what shows it."""
    text = Text(_name(result), _STYLES[result.mark])
    text.append(f"\n{visible(result.detail)}", "default not bold")
    text.append(f"\n→ {result.remediation}", "cyan not bold")
    for line in _evidence(result):
        text.append(f"\n{line}", "dim not bold")
    return text


def _name(result: Result) -> str:
    return result.check_id.partition(".")[2]


def _evidence(result: Result) -> Iterator[str]:
    """Yield a line about the first piece of evidence, and one about the others."""
    if not result.evidence:
        return
    item = result.evidence[0]
    words = [
        f"{name.replace('_', ' ')} {value}"
        for name, value in item.items()
        if isinstance(value, (str, int, float)) and len(str(value)) <= _MAX_SHOWN
    ]
    if isinstance(item.get("rewards"), list):
        words.append(f"rewards {', '.join(map(str, item['rewards'][-5:]))}")
    reply = _telling_reply(item.get("messages"), item.get("oracle"))
    words += [f"said {_short(reply)}"] if reply is not None else []
    yield visible(f"for example: {', '.join(words)}" if words else f"shown by {_short(str(item))}")
    if len(result.evidence) > 1:
        yield f"and {len(result.evidence) - 1} more (--html and --json have them whole)"


def _telling_reply(messages: Any, oracle: Any) -> str | None:
    """Return the model's first message that the oracle did not send, or else its last one.

    Args:
        messages: The conversation.
        oracle: The messages of the oracle, if its episode was changed.
    """
    replies, known = _said(messages), _said(oracle)
    changed = [reply for reply in replies if reply not in known] if known else []
    return next(iter([*changed[:1], *replies[-1:]]), None)


def _said(messages: Any) -> list[str]:
    """Return the model's messages as texts: their contents, and their calls without ids."""
    said = []
    for message in messages if isinstance(messages, list) else []:
        if isinstance(message, Mapping) and message.get("role") == "assistant":
            content, calls = message.get("content"), message.get("tool_calls")
            shown = content if isinstance(content, str) else json.dumps(content)
            if isinstance(calls, list):
                calls = [call.get("function", call) for call in calls if isinstance(call, Mapping)]
            said.append(f"{shown} {json.dumps(calls)}" if calls else shown)
    return said


def _short(text: str) -> str:
    shown = repr(text[:_MAX_SHOWN])
    return f"{shown}… ({len(text):,} characters)" if len(text) > _MAX_SHOWN else shown


def _attackers(panel: Panel, count: int | None) -> list[RenderableType]:
    rows, others = panel.top(count)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("attackers", overflow="fold")
    table.add_column("family", overflow="fold")
    table.add_column("mean", justify="right", no_wrap=True)
    table.add_column(Text("▒ 95 %  │ chance", "not bold"), no_wrap=True)
    for row in rows:
        style = "bold" if row.is_reference else ""
        mean = f"{row.mean:.3f}" + ("" if row.half is None else f" ±{row.half:.3f}")
        family = "" if row.is_reference else row.family
        table.add_row(
            Text(visible(row.name), style), Text(visible(family), "dim"), mean, _Bar(row, panel)
        )
    return [table, *([Text(f"{others} (--all)", "dim")] if others else [])]


class _Bar:
    """A bar up to the mean, with its confidence interval and the place of chance."""

    def __init__(self, row: PanelRow, panel: Panel) -> None:
        self.row, self.panel = row, panel

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        width = _BAR_WIDTHS[options.max_width >= _WIDE]
        return Measurement(width, width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        width, row, place = options.max_width, self.row, self.panel.place
        half = row.half or 0.0
        low, high = (round(width * place(row.mean + half * sign)) for sign in (-1, 1))
        cells = "█" * low + "▒" * (high - low) + " " * (width - high)
        text = Text(cells, "cyan" if row.is_reference else "blue")
        chance = min(width - 1, round(width * place(self.panel.chance)))
        text = Text.assemble(text[:chance], ("│", "yellow"), text[chance + 1 :])
        text.rstrip()
        yield text
