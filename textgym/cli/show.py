"""`textgym show`: the card, the tools and a sample task; `textgym wrappers`: the wrappers."""

from __future__ import annotations

import contextlib
import inspect
import json
from typing import Annotated

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
from textgym.core.text_env import TextEnv
from textgym.display.terminal import show, visible, wants_colour
from textgym.display.transcript import format_answer, format_episode
from textgym.registry import environment_class, make
from textgym.wrappers.specs import WRAPPERS, arguments_of

__all__ = ["show_command", "wrappers_command"]


def show_command(
    id: EnvArgument,
    index: Annotated[int, typer.Option(metavar="INDEX", help="Index of the sample task.")] = 0,
    level: LevelOption = None,
    split: SplitOption = None,
    dataset: DatasetOption = None,
    settings: OwnSettingsOption = None,
    docs: Annotated[bool, typer.Option("--docs", help="Print only the documentation.")] = False,
) -> None:
    from textgym.checks.summary import audit_line

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
            text = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
            if isinstance(value, bool):
                text = "yes" if value else "no"
            if text:
                table.add_row(name.replace("_", " "), as_text(text))
        audit = "" if dataset or arguments else audit_line(cls.card.id)
        if audit:
            table.add_row("audit", audit)
        print_all(table)
        if not info["tools"]:
            print("\nTools: none")
        show(visible(f"\nTask {info['task_id']}:\n"))
        inner = env.unwrapped
        assert isinstance(inner, TextEnv)
        show(format_episode(observation, info["tools"], colour=wants_colour()))
        if inner.task.answer is not None:
            show("\n" + format_answer(inner.task.answer, colour=wants_colour()))


def wrappers_command() -> None:
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
