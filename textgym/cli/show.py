"""`textgym list`, `show` and `wrappers`: the environments, one of them, and the wrappers.

Invariant: `textgym list` imports no environment of this package, because their cards are stored.
What only `show` and `wrappers` need is imported in their functions.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import json
import sys
from collections import Counter
from typing import Annotated

import gymnasium
import typer
from rich.table import Table

from textgym.cli.arguments import (
    DatasetOption,
    EnvArgument,
    LevelOption,
    OwnSettingsOption,
    SplitOption,
    env_arguments,
    read_settings,
)
from textgym.cli.output.terminal import as_text, print_all
from textgym.core.card import Card
from textgym.errors import ExtraMissingError, UnknownNameError, UsageError, did_you_mean
from textgym.registry import card, environment_class, ids, make

__all__ = ["list_command", "show_command", "wrappers_command"]


_MANY = 20  # environments of a suite, from which `list` shows them only if it is filtered
_MEANINGS = {
    "first_rung": "level=0 draws tasks of one fact and one step",
    "shared_splits": "training and test have the same tasks, because there are few",
    "several_answers": "a task can have other right answers than the one that is shown",
    "free_wording": "the model talks to a user in its own words",
}
"""What a card says with a field that is true."""


def list_command(
    filters: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FIELD=VALUE",
            help="Only environments whose card matches, such as domain=logic.",
        ),
    ] = None,
) -> None:
    conditions = [_parse_filter(text) for text in filters or []]
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("environment", no_wrap=True)  # ids are copied from the table
    table.add_column("summary")
    table.add_column("levels", no_wrap=True)
    is_found, broken = False, []
    known = [id for id in ids() if "dataset" not in gymnasium.registry[id].kwargs]
    many = _large_namespaces(known) if not conditions else {}
    for id in known:
        if id.partition("/")[0] in many:
            continue
        try:
            env_card = card(id)
        except ExtraMissingError as error:
            table.add_row(id, str(error))
            continue
        except UsageError as error:
            broken.append(f"{id} cannot be used: {error}")
            continue
        if all(env_card.matches(field, value) for field, value in conditions):
            is_found = True
            levels = f"{env_card.levels[0]} to {env_card.levels[-1]}" if env_card.levels else ""
            table.add_row(id, env_card.summary, levels)
    if is_found:
        print_all(table)
    else:
        print("no environment matches")
    for namespace, count in many.items():
        print(f"{namespace}/NAME  {count} environments: textgym list id={namespace}")
    if not conditions:
        print("data sets with a name, such as gsm8k: textgym data list")
    if broken:
        from textgym.display.terminal import show, visible

        show(visible("\n".join(broken)), sys.stderr)


def _large_namespaces(known: list[str]) -> dict[str, int]:
    """Return the namespaces of other suites with many environments, and how many they have."""
    counts = Counter(id.partition("/")[0] for id in known)
    return {name: n for name, n in counts.items() if n > _MANY and name != "textgym"}


def _parse_filter(text: str) -> tuple[str, str]:
    field, separator, value = text.partition("=")
    if not separator:
        raise UsageError(f"a filter must be FIELD=VALUE, not {text!r}")
    names = [card_field.name for card_field in dataclasses.fields(Card)]
    if field not in names:
        raise UnknownNameError(f"cards have no field {field!r}{did_you_mean(field, names)}")
    return field, value


def show_command(
    id: EnvArgument,
    index: Annotated[int, typer.Option(metavar="INDEX", help="Index of the sample task.")] = 0,
    level: LevelOption = None,
    split: SplitOption = None,
    dataset: DatasetOption = None,
    settings: OwnSettingsOption = None,
    docs: Annotated[bool, typer.Option("--docs", help="Print only the documentation.")] = False,
) -> None:
    from textgym.checks.report import audit_line
    from textgym.core.text_env import TextEnv
    from textgym.display.terminal import show, visible, wants_colour, wrapped
    from textgym.display.transcript import format_answer, format_episode
    from textgym.tasks.source import NUM_GENERATED_TASKS

    cls = environment_class(id)
    if docs:
        print(inspect.cleandoc(cls.__doc__ or ""))
        return
    arguments = read_settings(settings or ())
    env = make(id, **env_arguments(split, level, dataset, arguments))
    with contextlib.closing(env):
        observation, info = env.reset(options={"index": index})
        table = Table(box=None, show_header=False, pad_edge=False)
        for name, value in cls.card.as_dict().items():
            if name.startswith("first_rung_") and not cls.card.first_rung:
                continue
            text = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
            if isinstance(value, bool):
                text = f"yes: {_MEANINGS[name]}" if value else ""
            if name in ("distinct_tasks", "first_rung_tasks"):
                all_tasks = NUM_GENERATED_TASKS
                text = f"{value} of {all_tasks} test tasks of a level" if value < all_tasks else ""
            if text:
                table.add_row(name.replace("_", " "), as_text(text))
        audit = "" if dataset or arguments else audit_line(cls.card.id)
        if audit:
            table.add_row("audit", audit)
        if sandbox := getattr(env.unwrapped, "sandbox", None):
            table.add_row("sandbox here", sandbox)
        print_all(table)
        if not info["tools"]:
            print("\nTools: none")
        show(visible(f"\nTask {info['task_id']}:\n"))
        inner = env.unwrapped
        assert isinstance(inner, TextEnv)
        show(wrapped(format_episode(observation, info["tools"], colour=wants_colour())))
        if inner.task.answer is not None:
            show(wrapped("\n" + format_answer(inner.task.answer, colour=wants_colour())))


def wrappers_command() -> None:
    from textgym.wrappers.specs import WRAPPERS, arguments_of

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("wrapper", "arguments", "what it does"):
        table.add_column(column, overflow="fold", no_wrap=column == "wrapper")
    for title, cls in WRAPPERS.items():
        arguments = ", ".join(
            name if argument.default is argument.empty else f"{name}={json.dumps(argument.default)}"
            for name, argument in arguments_of(cls).items()
            if name != "name"
        )
        table.add_row(title, arguments, (inspect.getdoc(cls) or "").splitlines()[0])
    print_all(table)
