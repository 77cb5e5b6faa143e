"""`textgym rescore`: grade stored episodes again with the current verifier."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from textgym.cli.arguments import (
    EnvSettingsOption,
    JsonOption,
    RetriesOption,
    RunArgument,
    WaitingOption,
    WorkersOption,
    read_env_settings,
)
from textgym.cli.output.terminal import as_text, print_all, status_line
from textgym.display.terminal import show
from textgym.metrics.tables import number

__all__ = ["rescore_command"]


def rescore_command(
    run: RunArgument,
    settings: EnvSettingsOption = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="New folder for a run with the new rewards."),
    ] = None,
    limit: Annotated[
        int, typer.Option(metavar="N", help="Maximum number of episodes per list; 0 lists all.")
    ] = 20,
    workers: WorkersOption = 1,
    concurrency: WaitingOption = 64,
    retries: RetriesOption = 2,
    as_json: JsonOption = False,
) -> None:
    from textgym.rescoring.engine import rescore

    episodes = different = 0
    with status_line("rescoring") as update:

        def count(verdict: Any) -> None:
            nonlocal episodes, different
            episodes += 1
            different += verdict.kind == "different"
            update(lambda: f"{episodes:,} episodes, {different:,} different")

        result = rescore(
            run,
            env_kwargs=read_env_settings(settings or ()),
            out=out,
            concurrency=concurrency,
            retries=retries,
            keep=limit,
            workers=workers,
            on_episode=count,
        )
    if as_json:
        show(json.dumps(result.as_dict(), indent=2))
    else:
        print_all(*_report(result))


def _report(result: Any) -> list[RenderableType]:
    """Return the counts, the mean rewards, and a table for each kind of verdict."""
    counts = result.counts
    named = [
        f"{counts['same']:,} the same",
        f"{counts['different']:,} different",
        *(f"{counts[kind]:,} {name}" for kind, name in _OTHERS.items() if counts[kind]),
    ]
    parts: list[RenderableType] = [Text(f"{sum(counts.values()):,} episodes: {', '.join(named)}")]
    if result.compared:
        before, after = (number(mean, "{:.4f}") for mean in (result.mean_before, result.mean_after))
        parts.append(Text(f"mean reward of the {result.compared:,} compared: {before} -> {after}"))
    if result.recovered:
        parts.append(Text(f"{result.recovered:,} failed episodes now have a reward"))
    if result.out:
        parts.append(as_text(f"stored in {result.out}"))
    for name in result.changed_data:
        parts.append(as_text(f"warning: {name} has changed since the run was played"))
    for kind, title in (("different", "different"), *_OTHERS.items()):
        listed = result.listed.get(kind)
        if listed:
            parts += [Text(""), _table(title, listed, with_rewards=kind == "different")]
            if len(listed) < counts[kind]:
                more = counts[kind] - len(listed)
                parts.append(Text(f"and {more:,} more (--limit 0 lists all)"))
    return parts


_OTHERS = {
    "not_comparable": "not comparable",
    "failed": "failed",
    "left": "skipped, no sampled messages are stored",
}


def _table(title: str, verdicts: Sequence[Any], with_rewards: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(title.partition(",")[0], no_wrap=True)  # ids are copied from the table
    table.add_column("task", overflow="fold")
    table.add_column("repeat", justify="right")
    if with_rewards:
        table.add_column("reward", no_wrap=True)
    table.add_column("changed" if with_rewards else "why", overflow="fold")
    for verdict in verdicts:
        task = str(verdict.task_index)
        if verdict.task_id is not None:
            task += f" ({verdict.task_id})"
        cells = [as_text(verdict.env_id), as_text(task), Text(str(verdict.repeat))]
        changes = [
            f"{name} {_value(was)} -> {_value(now)}" for name, (was, now) in verdict.changes.items()
        ]
        if with_rewards:
            cells.append(Text(f"{_value(verdict.old_reward)} -> {_value(verdict.new_reward)}"))
        table.add_row(*cells, as_text(", ".join(changes) or verdict.reason))
    return table


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value == "":
        return "none"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
