"""The entry point of the command: its sub-commands, and one-line messages for user errors."""

from __future__ import annotations

import os
import sys

import typer

from textgym.cli.catalog import list_command, show_command
from textgym.cli.check import check_command
from textgym.cli.eval import eval_command
from textgym.cli.metrics import metrics_command
from textgym.cli.play import play_command
from textgym.cli.rescore import rescore_command
from textgym.cli.view import view_command
from textgym.errors import UsageError

__all__ = ["app", "main"]

# Libraries that load models read these when they are imported. Only a command, whose process is its
# own, turns their bars and warnings off.
_QUIET = {
    "TRANSFORMERS_VERBOSITY": "error",
    "HF_HUB_VERBOSITY": "error",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TQDM_DISABLE": "1",
}

app = typer.Typer(
    help="Text environments for training and evaluating language models.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("list")(list_command)
app.command("show")(show_command)
app.command("play")(play_command)
app.command("eval")(eval_command)
app.command("view")(view_command)
app.command("metrics")(metrics_command)
app.command("rescore")(rescore_command)
app.command("check")(check_command)


def main() -> None:
    """Run the command; a user error is printed as one line, with exit code 2."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    sys.path.insert(0, os.getcwd())  # environments in the current folder can be imported
    try:
        app()
    except UsageError as error:
        print(f"textgym: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("textgym: stopped", file=sys.stderr)
        sys.exit(130)
