"""`textgym check`: run the environment checks on an environment."""

from __future__ import annotations

from typing import Annotated

import typer

from textgym.cli.options import EnvArgument
from textgym.registry import environment_class

__all__ = ["check_command"]


def check_command(
    target: EnvArgument,
    tasks: Annotated[int, typer.Option(metavar="N", help="Tasks per level to play.")] = 200,
) -> None:
    """Run all checks on an environment, one line each; exits with 1 if one fails."""
    from textgym.testing import check

    if not check(environment_class(target), tasks=tasks):
        raise typer.Exit(1)
