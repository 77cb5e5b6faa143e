"""`textgym data check`: find what is wrong in files of rows."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from textgym.cli.arguments import (
    JsonOption,
    OwnSettingsOption,
    check_place,
    read_settings,
    write_page,
)
from textgym.cli.output.terminal import as_text, print_all, status_line
from textgym.display.terminal import show, visible

__all__ = ["check_command"]

_STYLES = {"fault": "bold red", "warning": "yellow", "note": "dim"}


def check_command(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE", help="Files of rows (.jsonl, .csv, .parquet, .arrow), one a split."
        ),
    ],
    env: Annotated[
        str, typer.Option("--env", metavar="ID", help="Environment that plays the rows.")
    ],
    settings: OwnSettingsOption = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DATASET",
            help="Data set that no row may be from: a file, a name such as gsm8k, or NAME:SPLIT; "
            "may be repeated.",
        ),
    ] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="RUN",
            help="Folder of a run that played the rows; may be repeated. Lists the rows where "
            "several runs agree on another answer.",
        ),
    ] = None,
    labels: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Number of rows, from the first, to verify the labels of; default all.",
        ),
    ] = None,
    examples: Annotated[
        int, typer.Option(metavar="N", help="Maximum number of listed findings of each kind.")
    ] = 10,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 on a warning, too.")
    ] = False,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the wrong answers.")] = 0,
    html: Annotated[
        Path | None, typer.Option(metavar="PAGE", help="Write the report as an HTML page.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    from textgym.data.checking import check_files
    from textgym.report.data_page import data_page

    if html is not None:
        check_place(html, "--html")
    with status_line("reading") as update:
        report = check_files(
            files,
            env,
            env_kwargs=read_settings(settings or ()),
            against=against or (),
            runs=runs or (),
            labels=labels,
            examples=examples,
            seed=seed,
            on_rows=lambda report: update(partial(_progress, report)),
        )
    if html is not None:
        write_page(html, data_page(report), "--html")
    if as_json:
        show(report.to_json())
    else:
        print_all(*_parts(report))
        if html is not None:
            show(visible(f"wrote {html}"))
    if report.failed(strict):
        raise typer.Exit(1)


def _progress(report: Any) -> str:
    rate = report.labels.rate
    verified = f", {rate:,.0f} labels a second" if rate else ""
    return f"{sum(report.rows.values()):,} rows, {report.severe('fault'):,} faults{verified}"


def _parts(report: Any) -> list[RenderableType]:
    faults, warnings = report.severe("fault"), report.severe("warning")
    labels = report.labels
    rows = sum(report.rows.values())
    style = "bold red" if faults else "yellow" if warnings else "bold green"
    parts: list[RenderableType] = [
        Text.assemble(
            f"{_count(rows, 'row')} of {_count(len(report.rows), 'file')}: ",
            (f"{_count(faults, 'fault')}, {_count(warnings, 'warning')}", style),
            f", in {report.seconds:.1f} s",
        )
    ]
    if labels.verified:
        parts.append(Text(f"{labels.verified:,} labels verified, {labels.rate or 0:,.0f} a second"))
    if labels.unverified:
        parts.append(as_text(f"labels not verified: {labels.unverified}"))
    parts += map(as_text, report.notes)
    for tally in report.ordered():
        kind = tally.kind
        title = Text.assemble(
            (f"{kind.severity} ", _STYLES[kind.severity]), (kind.id, "bold"),
            f"  {tally.count:,}  ", (kind.summary, "dim"),
        )  # fmt: skip
        parts += [Text(""), title, _findings(tally)]
        left = tally.count - len(tally.examples)
        if left:
            parts.append(Text(f"  and {left:,} more (--examples)", "dim"))
    return parts


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _findings(tally: Any) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(3):
        grid.add_column(overflow="fold")
    for finding in tally.examples:
        grid.add_row(*map(as_text, (f"  {finding.place}", finding.field, finding.reason)))
    return grid
