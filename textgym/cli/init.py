"""`textgym init`: write a package with an environment that works, to be changed."""

from __future__ import annotations

from typing import Annotated

import typer

from textgym.display.terminal import show
from textgym.scaffold import KINDS, create_package

__all__ = ["init_command"]

_NEXT = """\
created {name}/, a package with the environment {id}. Next:

  cd {name}
  textgym play {name}
  textgym eval {name} --policy oracle --episodes 20
  textgym audit {name} --quick
  python -m pytest

Its tasks and its reward are in {name}/env.py. `pip install -e .` makes it known in every folder."""


def init_command(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Name of the package, such as word_sums.")
    ],
    kind: Annotated[
        str,
        typer.Option(
            metavar="KIND", help="; ".join(f"{kind}: {text}" for kind, text in KINDS.items()) + "."
        ),
    ] = "single-step",
) -> None:
    id = create_package(name, kind)
    show(_NEXT.format(name=name, id=id))
