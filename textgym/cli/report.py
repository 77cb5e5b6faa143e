"""`textgym report`: a page about runs and histories of training runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from textgym.cli.arguments import check_place, refresh, write_page
from textgym.cli.output.terminal import status_line
from textgym.display.terminal import show, visible

__all__ = ["report_command", "write_report"]


def report_command(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN",
            help="Folders of runs, and files of histories; the first run is the baseline.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The page; by default report.html in the folder of the first RUN."
        ),
    ] = None,
    tokenizer: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL", help="Show the texts of tokens: the model of hf:MODEL, or its folder."
        ),
    ] = None,
    answers: Annotated[
        bool,
        typer.Option(
            "--answers/--no-answers", help="Draw the tasks again, to have their right answers."
        ),
    ] = True,
) -> None:
    write_report(sources, out, answers=answers, tokenizer=tokenizer)


def write_report(
    sources: Sequence[Path],
    out: Path | None = None,
    *,
    answers: bool = True,
    tokenizer: str | None = None,
) -> Path:
    """Write the page, say where it is, and return its path.

    Args:
        sources: Folders of runs, and files of histories.
        out: The page; None for `report.html` beside the first source.
        answers: Whether right answers are drawn again.
        tokenizer: The model whose tokenizer shows the texts of tokens.

    Raises:
        UsageError: See `textgym.report.report_page`; or the page cannot be written.
    """
    from textgym.report import report_page

    for source in sources:
        refresh(source)
    first = sources[0]
    path = out or (first if first.is_dir() else first.parent) / "report.html"
    check_place(path, "--out")
    episodes = 0
    with status_line("reading") as update:

        def count() -> None:
            nonlocal episodes
            episodes += 1
            update(lambda: f"reading: {episodes:,} episodes")

        page = report_page(sources, answers=answers, tokenizer=tokenizer, on_episode=count)
    write_page(path, page, "--out")
    show(visible(f"wrote {path}"))
    return path
