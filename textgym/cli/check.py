"""`textgym check`: run the environment checks on a class or a registered environment."""

from __future__ import annotations

import importlib
from typing import Annotated, Any

import typer

from textgym.env import TextEnv
from textgym.errors import UnknownNameError, UsageError, did_you_mean
from textgym.registry import ids

__all__ = ["check_command"]


def check_command(
    target: Annotated[
        str, typer.Argument(metavar="MODULE:CLASS", help="A TextEnv class or a registered id.")
    ],
    tasks: Annotated[int, typer.Option(help="Tasks per level to play.")] = 200,
) -> None:
    """Run all checks on an environment, one line each; exits with 1 if one fails."""
    from textgym.testing import check

    subject = target if target in ids() else _find_class(target)
    if not check(subject, tasks=tasks):
        raise typer.Exit(1)


def _find_class(target: str) -> type[TextEnv[Any]]:
    module, separator, name = target.partition(":")
    if not separator:
        raise UnknownNameError(f"{target!r} is neither a registered id nor MODULE:CLASS")
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise UnknownNameError(f"there is no module {module!r}: {error}") from error
    except Exception as error:  # importing a module can raise anything
        problem = f"{type(error).__name__}: {error}"
        raise UsageError(f"cannot import module {module!r}: {problem}") from error
    cls = getattr(found, name, None)
    if not isinstance(cls, type) or not issubclass(cls, TextEnv):
        known = [
            key
            for key, value in vars(found).items()
            if isinstance(value, type) and issubclass(value, TextEnv) and value is not TextEnv
        ]
        hint = did_you_mean(name, known) if known else "; it defines no TextEnv class"
        raise UnknownNameError(f"{module!r} has no TextEnv class {name!r}{hint}")
    return cls
