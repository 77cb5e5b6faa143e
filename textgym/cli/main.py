"""The entry point of the command: its sub-commands, and one-line messages for user errors."""

from __future__ import annotations

import os
import re
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from textgym._version import __version__
from textgym.errors import UsageError
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
    "list": ("list:list_command", "List the registered environments."),
    "show": (
        "show:show_command", "Show the card, the tools and a sample task of an environment.",
    ),
    "play": ("play:play_command", "Play one episode by hand; exits with 1 if it was not finished."),
    "eval": (
        "eval:eval_command",
        "Play environments with a policy, store the episodes and print the metrics.",
    ),
    "view": (
        "view:view_command",
        "Show the episodes of a run, lowest reward first; exits with 1 if none matches.",
    ),
    "metrics": (
        "metrics:metrics_command",
        "Compute the metrics of stored runs, and compare each run with the first.",
    ),
    "rescore": (
        "rescore:rescore_command",
        "Grade the episodes of a run again, without the model, and list the differences.",
    ),
    "grade": (
        "grade:grade_command",
        "Grade the answers of a file without a model, and compare with its own verdicts.",
    ),
    "check": (
        "audit:check_command",
        "Run the fast checks on an environment, one line each; exits with 1 if one fails.",
    ),
    "audit": (
        "audit:audit_command",
        "Audit the rewards of environments with all checks; exits with 1 if one fails.",
    ),
    "wrappers": ("show:wrappers_command", "List the wrappers, with their arguments."),
}  # fmt: skip
"""The place of each command in `textgym.cli`, and its help."""


class _Command(TyperCommand):
    """A command whose help names values by a word (`ID`), without their Python type."""

    def get_help(self, ctx: Any) -> str:
        """Return the help; the types that newer versions of typer add are left out."""
        return re.sub(r" <[\w\[\]]+>", lambda found: " " * len(found[0]), super().get_help(ctx))


class _Commands(TyperGroup):
    """All commands; the module of a command is imported when the command is run."""

    def __init__(self, **attributes: Any) -> None:
        listed: Any = {name: TyperCommand(name, help=help) for name, (_, help) in _COMMANDS.items()}
        super().__init__(**{**attributes, "commands": listed})

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the name of the command that arguments begin with, the command, and the rest."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and _load(command.name), rest


def _load(name: Any) -> Any:
    place, help = _COMMANDS[name]
    alone = typer.Typer(**_PLAIN)
    alone.command(name, cls=_Command, help=help)(import_object(f"textgym.cli.{place}"))
    return typer.main.get_command(alone)


app = typer.Typer(
    help="Text environments for training and evaluating language models.",
    no_args_is_help=True,
    cls=_Commands,
    **_PLAIN,
)


def _print_version(wanted: bool) -> None:
    if wanted:
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
    """Run the command; a user error is printed as one line, with exit code 2."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    sys.path.insert(0, os.getcwd())  # environments in the current folder can be imported
    try:
        app(prog_name="textgym")
    except UsageError as error:
        print(f"textgym: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("textgym: stopped", file=sys.stderr)
        sys.exit(130)
