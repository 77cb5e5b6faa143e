"""Tables of the metrics of a run, and of several runs, for the terminal: see `metrics.tables`.

Invariants: neither numbers nor names are wrapped (in a narrow terminal, a long name is a line of
its own above its numbers); text from data sets is escaped before it is printed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from textgym.cli.output.terminal import as_text
from textgym.display.terminal import visible
from textgym.metrics.tables import (
    ERRORS_NOTE,
    Columns,
    Metrics,
    Rows,
    difference_cells,
    find,
    lengths_of,
    mean_cell,
    metrics_columns,
    rate_cell,
    repeats_columns,
    row_keys,
    row_name,
)

__all__ = ["comparison_table", "details", "metrics_table", "metrics_tables", "repeats_table"]

_UNLIMITED = 100_000  # characters of a line


class _NamedRows(Table):
    """A table whose first column names each row. Its rows have one line each."""

    def __init__(self) -> None:
        super().__init__(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        self.add_column("", no_wrap=True)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render the table. A name that does not fit beside its figures stands above them."""
        names = [as_text(str(name)) for name in self.columns[0].cells]
        unlimited = options.update(max_width=_UNLIMITED)
        excess = self.__rich_measure__(console, unlimited).maximum - options.max_width
        room = max((name.cell_len for name in names), default=0) - max(excess, 0)
        are_above = [name.cell_len > room for name in names]
        if not any(are_above):
            yield from super().__rich_console__(console, options)
            return
        table = _NamedRows()
        for column in self.columns[1:]:
            table.add_column(
                column.header, justify=column.justify, vertical=column.vertical, no_wrap=True
            )
        columns = [column.cells for column in self.columns]
        for is_above, *cells in zip(are_above, *columns, strict=True):
            table.add_row("" if is_above else cells[0], *cells[1:])
        lines = console.render_lines(table, options, pad=False, new_lines=True)
        heading = len(lines) - len(names)
        for line in lines[:heading]:
            yield from line
        for name, is_above, line in zip(names, are_above, lines[heading:], strict=True):
            if is_above:
                yield name
            yield from line


def metrics_tables(rows: Rows) -> list[RenderableType]:
    """Return the main table, the table of repeats if there are any, and what `±` means."""
    repeats = repeats_table(rows)
    tables = [metrics_table(rows), Text(""), repeats] if repeats else [metrics_table(rows)]
    is_graded = any(metrics["mean_reward"] is not None for _, metrics in rows)
    return [*tables, Text(ERRORS_NOTE)] if is_graded else [*tables]


def metrics_table(rows: Rows) -> Table:
    """Return the main table, with one row per name: see `metrics_columns`."""
    return _table([name for name, _ in rows], metrics_columns(rows))


def repeats_table(rows: Rows) -> Table | None:
    """Return a table of pass@k and similar metrics; None if no task has repeats."""
    columns = repeats_columns(rows)
    return _table([name for name, _ in rows], columns) if columns else None


def details(name: str, metrics: Metrics) -> list[RenderableType]:
    """Return the metrics of an environment that the tables leave out, such as lengths.

    Args:
        name: The id of the environment.
        metrics: Its metrics.
    """
    parts = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    parts.add_column(min_width=len("stop reasons"))
    for title, text in (
        ("rewards", _rewards(metrics)),
        ("components", ", ".join(f"{k} {v:.3f}" for k, v in metrics["components"].items())),
        ("stop reasons", _counted(metrics["stop_reasons"])),
        ("failures", _counted(metrics["failures_by_boundary"])),
    ):
        if text:
            parts.add_row(title, as_text(text))
    names, columns = lengths_of(metrics)
    shown: list[RenderableType] = [Text(visible(name), "bold"), parts]
    return [*shown, Text(""), _table(names, columns)] if names else shown


def _table(names: Sequence[str], columns: Columns) -> Table:
    """Return a table with the name of each row and its columns."""
    table = _NamedRows()
    for title, _ in columns:
        table.add_column(title, justify="right", no_wrap=True, vertical="bottom")
    for place, name in enumerate(names):
        table.add_row(as_text(name), *(cells[place] for _, cells in columns))
    return table


def _rewards(metrics: Metrics) -> str:
    if metrics["reward_variance"] is None:
        return ""
    text = f"variance {metrics['reward_variance']:.3f}"
    if metrics["reward_variance_within"] is None:
        return text
    return (
        f"{text}, {metrics['reward_variance_within']:.3f} within a task; "
        f"{metrics['equal_reward_rate']:.1%} of tasks have equal rewards"
    )


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{name or 'nothing'} {count:,}" for name, count in counts.items())


def comparison_table(
    letters: Sequence[str],
    metrics: Sequence[Metrics],
    differences: Sequence[Metrics],
    by: str,
    splits: Mapping[str, str],
) -> Table:
    """Return a table with one block per environment and group, and one row per run in each.

    Args:
        letters: The names of the runs.
        metrics: The metrics of the runs.
        differences: The result of `compare` for the first run and each other run.
        by: `env`, `level` or `category`.
        splits: The splits that were played of each environment, as far as they are known.
    """
    table = _NamedRows()
    table.add_column("", vertical="bottom")
    titles = ("reward", "success", f"minus {letters[0]}", "95 % interval", "shared\ntasks")
    for title in titles:
        table.add_column(title, justify="right", no_wrap=True, vertical="bottom")
    for key in row_keys(metrics, by):
        name = row_name(by, key, splits)
        for place, letter in enumerate(letters):
            node = find(metrics[place], by, key)
            if node is None:
                continue
            difference = find(differences[place - 1], by, key) if place else None
            cells = mean_cell(node), rate_cell(node), *(difference_cells(difference) or ())
            table.add_row(as_text(name), letter, *cells)
            name = ""
    return table
