"""`textgym data list`: the data sets that have a name."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from textgym.cli.arguments import JsonOption
from textgym.display.terminal import show, wrapped
from textgym.tasks.named import NamedDataset, dataset_names, named_dataset, published_names

__all__ = ["list_command"]


def list_command(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Show all that is known of this data set."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    from textgym.cli.output.terminal import print_all

    datasets = [named_dataset(item) for item in ([name] if name else dataset_names())]
    if as_json:
        print(json.dumps([dataclasses.asdict(dataset) for dataset in datasets], indent=1))
    elif name:
        print_all(_details(datasets[0]))
    else:
        print_all(_table(datasets))
        show("textgym data list NAME shows all of one; textgym eval NAME plays it")
        show(wrapped(f"With a published prompt: {', '.join(published_names())}"))


def _table(datasets: list[NamedDataset]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("name", "environment", "records", "summary"):
        table.add_column(column, no_wrap=column != "summary")
    for dataset in datasets:
        records = [f"{split} {_number(entry['rows'])}" for split, entry in dataset.splits.items()]
        env = dataset.env.partition("/")[2]
        table.add_row(dataset.name, env, "\n".join(records), dataset.summary)
    return table


def _details(dataset: NamedDataset) -> Table:
    """Return what is known of a data set, a line for each fact."""
    source = dataset.source
    configs = source["config"] if isinstance(source["config"], list) else [source["config"]]
    facts = [
        ("name", f"{dataset.name}: {dataset.title}"),
        ("summary", dataset.summary),
        ("environment", dataset.env),
        ("source", source["hub"] or "\n".join(source.get("files", ()))),
        ("configuration", ", ".join(filter(None, configs))),
        ("revision", source["revision"]),
        ("page", source["url"]),
        ("licence", dataset.licence),
        *(
            (split, f"{_number(entry['rows'])} records, the source's split {entry['source']!r}")
            for split, entry in dataset.splits.items()
        ),
        *((f"field {field}", f"from {origin}") for field, origin in dataset.fields.items()),
        ("prompt", dataset.prompt),
        ("extraction", dataset.extraction),
        *(("published", _figure(item)) for item in dataset.published),
        *_evaluation(dataset),
        ("use", dataset.use),
        ("canary", dataset.canary),
        ("not verified", ", ".join(dataset.unverified)),
    ]
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for fact, value in facts:
        if value:
            table.add_row(fact, Text(value))
    return table


def _evaluation(dataset: NamedDataset) -> list[tuple[str, str]]:
    """Return what is known of the evaluation that the variant of a data set plays."""
    evaluation = dataset.evaluation
    if evaluation is None:
        return []
    name = dataset.name if dataset.is_published else f"{dataset.name}_published"
    options = "".join(
        f" --{option.replace('_', '-')} {value}" for option, value in evaluation.sampling.items()
    )
    facts = [("played by", f"textgym eval {name} --policy POLICY{options}")]
    facts += [("  as in", f"{evaluation.by}, {evaluation.source}")]
    facts += [(f"  {item['role']}", item["content"]) for item in evaluation.messages]
    if evaluation.examples:
        facts.append(("  example", evaluation.example))
    facts += [("  option", evaluation.option)]
    facts += [(f"  {field}", json.dumps(value)) for field, value in evaluation.fields.items()]
    facts += [("  note", evaluation.note)]
    figures = [item for item in evaluation.published if item not in dataset.published]
    return [*facts, *(("  figure", _figure(item)) for item in figures)]


def _figure(item: Mapping[str, Any]) -> str:
    return f"{item['model']}: {item['score']}, {item['metric']}; {item['url']}"


def _number(records: int | None) -> str:
    return "?" if records is None else f"{records:,}"
