"""`textgym serve`: environments for clients on this or other machines."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from textgym.cli.arguments import (
    DatasetOption,
    EnvSettingsOption,
    LevelOption,
    SplitOption,
    env_arguments,
    read_env_settings,
)
from textgym.display.terminal import show
from textgym.errors import UnknownNameError, UsageError

__all__ = ["serve_command"]

_TOKEN = "TEXTGYM_TOKEN"
_PROTOCOLS = ("openenv", "nemo-gym")


def serve_command(
    ids: Annotated[
        list[str], typer.Argument(metavar="ID...", help="Environments; one for NeMo Gym.")
    ],
    protocol: Annotated[
        str,
        typer.Option("--as", metavar="PROTOCOL", help="openenv, or nemo-gym: a resources server."),
    ] = "openenv",
    host: Annotated[
        str, typer.Option(metavar="HOST", help="Address to listen on; others need a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="PORT", help="Port; 0 for a free one.")] = 8000,
    max_sessions: Annotated[
        int, typer.Option(metavar="N", help="Maximum number of sessions at once.")
    ] = 256,
    max_message: Annotated[
        int | None,
        typer.Option(
            metavar="KIB",
            help="Maximum length of a message from a client, in KiB: 1024, or 65536 for NeMo Gym, "
            "whose responses may have token ids.",
        ),
    ] = None,
    idle: Annotated[
        float,
        typer.Option(metavar="SECONDS", help="A session is closed if no message comes so long."),
    ] = 600.0,
    client_rows: Annotated[
        bool, typer.Option("--client-rows", help="Clients of OpenEnv may play rows of their own.")
    ] = False,
    split: SplitOption = None,
    level: LevelOption = None,
    dataset: DatasetOption = None,
    settings: EnvSettingsOption = None,
) -> None:
    from textgym.integrations.server import Limits, Sessions, run

    if protocol not in _PROTOCOLS:
        raise UnknownNameError(f"--as takes {' or '.join(_PROTOCOLS)}, not {protocol!r}")
    if max_message is None:
        max_message = 1024 if protocol == "openenv" else 65536
    if max_sessions < 1 or max_message < 1 or not idle > 0:
        raise UsageError("--max-sessions, --max-message and --idle must be above 0")
    if not 0 <= port <= 65535:
        raise UsageError(f"--port must be from 0 to 65535, not {port}")
    arguments = env_arguments(split, level, dataset, read_env_settings(settings or ()))
    limits = Limits(max_sessions, max_message << 10, idle, takes_rows=client_rows)
    sessions = Sessions(ids, arguments, limits)
    if protocol == "openenv":
        from textgym.integrations.openenv.server import make_app
    else:
        from textgym.integrations.nemo_gym.server import make_app
    make_app(sessions)  # refuses what cannot be served before the server starts

    def on_start(url: str, token: str) -> None:
        show(f"serving {', '.join(sessions.samples)} at {url}; Ctrl-C stops")
        if token and not os.environ.get(_TOKEN):
            show(f"token: {token}")

    run(make_app, sessions, host, port, os.environ.get(_TOKEN, ""), on_start)
