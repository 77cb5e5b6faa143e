"""`textgym grade`: grade the answers in a file, and compare with the verdicts in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from textgym.cli.arguments import (
    JsonOption,
    OwnSettingsOption,
    RetriesOption,
    WaitingOption,
    read_settings,
)
from textgym.cli.output.terminal import as_text, print_all, status_line
from textgym.display.terminal import show
from textgym.errors import UsageError
from textgym.metrics.tables import number

__all__ = ["grade_command"]

_MAX_SHOWN = 40  # characters of an answer


def grade_command(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A .jsonl, .json or .parquet file, an Inspect .eval log, or a run's folder.",
        ),
    ],
    env: Annotated[
        str, typer.Option("--env", metavar="ID", help="Single-step environment that grades.")
    ],
    settings: OwnSettingsOption = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="NAME=PATH,…",
            help="Where records hold question, answer, options, output, recorded or id, such as "
            "question=doc.question,recorded=is_right; not needed for known layouts.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="New folder for graded.jsonl, summary.json and differences.txt.",
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(metavar="N", help="Maximum number of listed differences.")
    ] = 20,
    concurrency: WaitingOption = 16,
    retries: RetriesOption = 2,
    as_json: JsonOption = False,
) -> None:
    from textgym.rescoring.grading import grade

    graded = 0
    with status_line("grading") as update:

        def count(answer: Any) -> None:
            nonlocal graded
            graded += 1
            update(lambda: f"{graded:,} answers")

        result = grade(
            file,
            env,
            env_kwargs=read_settings(settings or ()),
            columns=_read_columns(columns),
            out=out,
            concurrency=concurrency,
            retries=retries,
            keep=limit,
            on_answer=count,
        )
    if as_json:
        show(json.dumps(result.as_dict(), indent=2))
    else:
        print_all(*_report(result))


def _read_columns(text: str | None) -> dict[str, str]:
    """Parse `NAME=PATH,NAME=PATH`."""
    columns = {}
    for part in text.split(",") if text else ():
        name, separator, path = part.strip().partition("=")
        if not separator or not name.isidentifier() or not path:
            raise UsageError(f"--columns takes NAME=PATH,NAME=PATH, not {text!r}")
        columns[name] = path
    return columns


def _report(result: Any) -> list[RenderableType]:
    figures = result.as_dict()
    parts: list[RenderableType] = [
        Text(
            f"{result.graded:,} answers: {result.right:,} right, "
            f"{_share(figures['right_rate'], figures['right_interval'])}; "
            f"mean reward {number(result.mean_reward, '{:.4f}')}"
        )
    ]
    if result.reasons:
        named = (f"{count:,} {reason}" for reason, count in result.reasons.most_common())
        parts.append(Text(f"not right or not in full: {', '.join(named)}"))
    for problem, count in result.problems.most_common(5):
        parts.append(as_text(f"not graded: {count:,}, because {problem}"))
    if len(result.problems) > 5:
        parts.append(Text(f"and {len(result.problems) - 5:,} more reasons"))
    if result.agreement.total:
        parts += [Text(""), *_agreement(result.agreement, figures["agreement"])]
    if result.differences:
        parts += [Text(""), _differences(result.differences)]
        more = result.agreement.total - result.agreement.agreed - len(result.differences)
        if more:
            parts.append(Text(f"and {more:,} more (--limit)"))
    if result.out:
        parts.append(as_text(f"stored in {result.out}"))
    return parts


def _agreement(matrix: Any, figures: dict[str, Any]) -> list[RenderableType]:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for title in ("recorded right", "recorded wrong"):
        table.add_column(title, justify="right")
    table.add_row("right", f"{matrix.both_right:,}", f"{matrix.only_new:,}")
    table.add_row("wrong", f"{matrix.only_recorded:,}", f"{matrix.both_wrong:,}")
    kappa = number(matrix.kappa, "{:.3f}")
    share = _share(figures["rate"], figures["rate_interval"])
    line = f"{matrix.agreed:,} of {matrix.total:,} verdicts agree, {share}; Cohen's kappa {kappa}"
    return [Text(line), table]


def _differences(answers: list[Any]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("different", "recorded", "now", "right answer", "extracted"):
        table.add_column(title, overflow="fold")
    for answer in answers:
        now = "right" if answer.is_success else answer.verdict_reason
        recorded = "right" if answer.recorded else "wrong"
        shown = (str(answer.answer)[:_MAX_SHOWN], answer.extracted_answer[:_MAX_SHOWN])
        table.add_row(as_text(answer.place), recorded, now, *map(as_text, shown))
    return table


def _share(rate: float, interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{rate:.2%} ({low:.2%} to {high:.2%})"
