"""The entry point of the command: its sub-commands, and one-line messages for user errors."""

from __future__ import annotations

import os
import re
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from textgym._version import __version__
from textgym.errors import UsageError, WorkerFailure
from textgym.names import import_object

__all__ = ["app", "main"]

# Libraries that load models read these when they are imported. Only a command, whose process is its
# own, turns their bars and warnings off.
_QUIET = {
    "TRANSFORMERS_VERBOSITY": "error",
    "HF_HUB_VERBOSITY": "error",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TQDM_DISABLE": "1",
}

_PLAIN: dict[str, Any] = {
    "add_completion": False, "pretty_exceptions_enable": False, "rich_markup_mode": None,
}  # fmt: skip
_COMMANDS = {
    "list": ("show:list_command", "List the registered environments."),
    "show": (
        "show:show_command", "Show the card, the tools and a sample task of an environment.",
    ),
    "play": (
        "play:play_command", "Play one episode by hand. Exits with 1 if it was not finished.",
    ),
    "eval": (
        "eval:eval_command",
        "Play episodes with a policy and print the metrics. The episodes are stored.",
    ),
    "view": (
        "view:view_command",
        "Show the episodes of a run, lowest reward first. Exits with 1 if none matches.",
    ),
    "metrics": (
        "metrics:metrics_command",
        "Print the metrics of stored runs. Several runs are compared with the first.",
    ),
    "merge": (
        "merge:merge_command",
        "Make one run of the shards of a run. Refuses shards that are missing or differ.",
    ),
    "worker": (
        "worker:worker_command",
        "Play a part of a run that textgym eval --workers began. Any number may play at once.",
    ),
    "report": (
        "report:report_command",
        "Write an HTML page about runs. It also takes histories of trainings.",
    ),
    "rescore": (
        "rescore:rescore_command",
        "Grade the episodes of a run again, without the model. Lists what differs.",
    ),
    "grade": (
        "grade:grade_command",
        "Grade recorded answers from a file, without a model. Verdicts in the file are compared.",
    ),
    "check": (
        "audit:check_command", "Run the fast checks of an environment. Exits with 1 if one fails.",
    ),
    "audit": (
        "audit:audit_command",
        "Run all checks of environments and their rewards. Exits with 1 if one fails.",
    ),
    "init": (
        "init:init_command", "Write a package with a new environment. It works as it is.",
    ),
    "export": (
        "export:export_command", "Write the tasks of an environment for NeMo Gym or lm-eval.",
    ),
    "serve": (
        "serve:serve_command",
        "Serve environments to clients of OpenEnv, or of NeMo Gym. Clients may be elsewhere.",
    ),
    "wrappers": ("show:wrappers_command", "List the wrappers and their arguments."),
}  # fmt: skip
"""The function of each command and its help, whose first sentence is shown in the list."""

_DATA_COMMANDS = {
    "list": ("data.listing:list_command", "List the data sets that have a name."),
    "generate": (
        "data.generate:generate_command",
        "Write generated rows to a file. Each row is drawn once, and no split shares one.",
    ),
    "convert": (
        "data.convert:convert_command", "Convert rows between textgym, NeMo Gym and trainers.",
    ),
    "check": (
        "data.check:check_command",
        "Check the rows of files: labels, doubles, leaks, balance. Exits with 1 on a fault.",
    ),
    "profile": (
        "data.profile:profile_command",
        "Print how often the tasks of runs were solved. Rows can be kept by this rate.",
    ),
}  # fmt: skip


class _Command(TyperCommand):
    """A command whose help names values by a word (`ID`), without their Python type."""

    def get_help(self, ctx: Any) -> str:
        """Return the help without the types that newer versions of typer add."""
        return re.sub(r" <[\w\[\]]+>", lambda match: " " * len(match[0]), super().get_help(ctx))


class _Commands(TyperGroup):
    """A group of commands. The module of a command is imported when the command runs."""

    table = _COMMANDS

    def __init__(self, **attributes: Any) -> None:
        listed: Any = {
            name: TyperCommand(name, help=text) for name, (_, text) in self.table.items()
        }
        groups = attributes.get("commands") or {}
        super().__init__(**{**attributes, "commands": {**listed, **groups}})

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the name of the command, the command, and its arguments."""
        name, command, rest = super().resolve_command(ctx, args)
        if command is None or command.name not in self.table:
            return name, command, rest
        return name, _load(command.name, *self.table[command.name]), rest


class _DataCommands(_Commands):
    """The commands of `textgym data`."""

    table = _DATA_COMMANDS


def _load(name: str, function: str, text: str) -> Any:
    single = typer.Typer(**_PLAIN)
    single.command(name, cls=_Command, help=text)(import_object(f"textgym.cli.{function}"))
    return typer.main.get_command(single)


app = typer.Typer(
    help="Text environments for training and evaluating language models.",
    no_args_is_help=True,
    cls=_Commands,
    **_PLAIN,
)
app.add_typer(
    typer.Typer(
        help="List, generate, convert, check and profile data sets.",
        no_args_is_help=True,
        cls=_DataCommands,
        **_PLAIN,
    ),
    name="data",
)


def _print_version(is_set: bool) -> None:
    if is_set:
        print(f"textgym {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None: ...


def main() -> None:
    """Run the command. An error of the user, or a killed worker, is one line with exit code 2."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    sys.path.insert(0, os.getcwd())  # environments in the current folder can be imported
    try:
        app(prog_name="textgym")
    except (UsageError, WorkerFailure) as error:
        print(f"textgym: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("textgym: stopped", file=sys.stderr)
        sys.exit(130)
