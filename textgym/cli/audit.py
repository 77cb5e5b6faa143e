"""`textgym check` and `textgym audit`: the fast checks of an environment, and all of them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import gymnasium as gym
import typer

from textgym.cli.arguments import (
    DatasetOption,
    EnvArgument,
    EnvSettingsOption,
    LevelOption,
    SplitOption,
    WorkersOption,
    check_place,
    env_arguments,
    read_env_settings,
    write_page,
)
from textgym.cli.output.terminal import print_all, status_line
from textgym.display.terminal import show, visible
from textgym.errors import UsageError
from textgym.mixtures import check_env_kwargs, kwargs_for_env
from textgym.names import import_object
from textgym.policies import Policy
from textgym.registry import make, with_registered_ids

if TYPE_CHECKING:
    from textgym.checks import Check, Report, Result

__all__ = ["audit_command", "check_command"]

_SHOWN_ATTACKERS = 10
_SHOWN_RESULTS = 8  # above the line that says what runs


def check_command(
    target: EnvArgument,
    dataset: DatasetOption = None,
    split: SplitOption = None,
    level: LevelOption = None,
    settings: EnvSettingsOption = None,
    tasks: Annotated[int, typer.Option(metavar="N", help="Tasks per level to play.")] = 200,
    workers: WorkersOption = 1,
) -> None:
    from textgym.checks import check

    (env,) = _made([target], dataset, split, level, settings)
    with closing(env):
        if not check(env, tasks=tasks, workers=workers):
            raise typer.Exit(1)


def audit_command(
    envs: Annotated[
        list[str],
        typer.Argument(metavar="ID", help="Environments: ids, MODULE:ID or MODULE:CLASS."),
    ],
    dataset: DatasetOption = None,
    split: SplitOption = None,
    level: LevelOption = None,
    settings: EnvSettingsOption = None,
    tasks: Annotated[
        int | None,
        typer.Option(metavar="N", help="Tasks per level to play; 200 by default, 15 with --quick."),
    ] = None,
    chance: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Mean reward that ignoring the task may earn; by default the chance on the card.",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Play few tasks, to find gross defects in seconds.")
    ] = False,
    attackers: Annotated[
        list[str] | None,
        typer.Option(
            "--attacker",
            metavar="MODULE:NAME",
            help="A policy or function of your own, tried beside the audit's; may be repeated.",
        ),
    ] = None,
    workers: WorkersOption = 1,
    everything: Annotated[
        bool, typer.Option("--all", help=f"List all attackers, not only {_SHOWN_ATTACKERS}.")
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the report of each environment as one line of JSON."),
    ] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the reports as one HTML page.")
    ] = None,
) -> None:
    from textgym.report import html_page

    if html is not None:
        check_place(html, "--html")
    policies = {spec: _attacker(spec) for spec in attackers or ()}
    made = _made(envs, dataset, split, level, settings)  # user errors come first
    reports: list[dict[str, Any]] = []
    passed = True
    for number, env in enumerate(made, 1):
        where = f"{number} of {len(made)}: " if len(made) > 1 else ""
        report = _audit(
            env,
            where,
            tasks=tasks,
            chance=chance,
            quick=quick,
            attackers=policies,
            workers=workers,
        )
        passed = passed and report.passed
        reports.append(report.as_dict())
        if html is not None:  # before what is printed, which a closed pipe ends
            write_page(html, html_page(reports), "--html")
        _print(report, reports[-1], as_json, everything, first=number == 1)
    if html is not None:
        show(visible(f"wrote {html}"), sys.stderr if as_json else None)
    if not passed:
        raise typer.Exit(1)


def _made(
    targets: Sequence[str],
    dataset: str | None,
    split: str | None,
    level: int | None,
    settings: Sequence[str] | None,
) -> list[gym.Env[Any, Any]]:
    """Make the environments to check, with the values of the options."""
    from textgym.checks.subject import plain_class

    plain = {target: cls for target in targets if (cls := plain_class(target))}
    named = dict.fromkeys(target for target in targets if target not in plain)
    ids = list(with_registered_ids(named, only_envs=True))
    env_settings = with_registered_ids(read_env_settings(settings or ()))
    check_env_kwargs("--set", env_settings, ids)
    kwargs = env_arguments(split, level, dataset, env_settings)
    if plain and kwargs:
        raise UsageError(
            f"{next(iter(plain))} is not a TextEnv: register it to check it with arguments"
        )
    made = [make(id, **kwargs_for_env(id, kwargs)) for id in ids]
    return made + [_make_plain(target, cls) for target, cls in plain.items()]


def _make_plain(target: str, cls: type[gym.Env[Any, Any]]) -> gym.Env[Any, Any]:
    try:
        return cls()
    except TypeError as error:
        raise UsageError(f"{target} cannot be made without arguments: {error}") from error


def _attacker(spec: str) -> Any:
    attacker = import_object(spec)
    if isinstance(attacker, type) and issubclass(attacker, Policy):
        return attacker()
    if not isinstance(attacker, Policy) and not callable(attacker):
        raise UsageError(
            f"--attacker takes a Policy or a function, and {spec!r} is {attacker!r:.100}"
        )
    return attacker


def _audit(env: gym.Env[Any, Any], where: str, **options: Any) -> Report:
    """Audit, with a status line under the last results."""
    from textgym.checks import CHECKS, audit

    ended: list[str] = []
    started, running = time.monotonic(), "starting"
    name = f"{where}{env.spec.id if env.spec else type(env.unwrapped).__name__}"

    def text() -> str:
        seconds = time.monotonic() - started
        line = f"{name}: {running} ({len(ended) + 1} of {len(CHECKS)}), {seconds:.0f} s"
        return "\n".join([*ended[-_SHOWN_RESULTS:], line])

    def on_start(check: Check) -> None:
        nonlocal running
        running = check.id

    def on_result(result: Result) -> None:
        ended.append(visible(str(result)))

    with closing(env), status_line(name) as update, _prints_on_stderr():
        update(text)
        return audit(env, on_start=on_start, on_result=on_result, **options)


@contextmanager
def _prints_on_stderr() -> Iterator[None]:
    """Send what environments and their processes print to standard error."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def _print(
    report: Report, shown: Mapping[str, Any], as_json: bool, everything: bool, first: bool
) -> None:
    if as_json:
        show(report.to_json())
        sys.stdout.flush()
        return
    from textgym.cli.output.audits import audit_parts

    if not first:
        show("\n")
    print_all(*audit_parts(shown, None if everything else _SHOWN_ATTACKERS))
