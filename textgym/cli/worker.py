"""`textgym worker`: play a part of a run that several workers share; and starting workers."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textgym.cli.arguments import RunArgument
from textgym.cli.output.terminal import status_line
from textgym.display.terminal import show, visible
from textgym.errors import RunError, UsageError
from textgym.policies import Sampling, make_policy
from textgym.registry import with_registered_ids

if TYPE_CHECKING:
    from textgym.trajectories import Run
    from textgym.trajectories.schema import Trajectory

__all__ = ["EXIT_CODE_INTERRUPTED", "play_as_worker", "play_with_workers", "worker_command"]

EXIT_CODE_INTERRUPTED = 130
"""The usual exit code after Ctrl-C."""

_SECONDS_BETWEEN_LINES = 10  # of progress, without a terminal


def worker_command(
    run: RunArgument,
    concurrency: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Maximum number of concurrent episodes; by default as planned."
        ),
    ] = None,
) -> None:
    played = play_as_worker(run, concurrency)
    overall = played.metrics["overall"]
    show(f"{overall['episodes']:,} episodes, {overall['failures']:,} failed")


def play_as_worker(
    folder: Path,
    concurrency: int | None = None,
    on_episode: Callable[[Trajectory], None] | None = None,
) -> Run:
    """Play blocks of a run until all of them are finished, and return what was played here.

    Args:
        folder: The folder of the run.
        concurrency: The maximum number of concurrent episodes; None for the planned one.
        on_episode: Called with each trajectory as it finishes.

    Raises:
        UsageError: The policy cannot play an environment.
        RunError: The folder has another run, or cannot be used, or the first episodes all failed.
    """
    from textgym.rollouts.prepared import PreparedRollout
    from textgym.rollouts.run_files import rollout_arguments
    from textgym.rollouts.work import Work

    work = Work(folder)
    arguments = rollout_arguments(work.plan.run)
    policy, options = arguments.pop("policy"), arguments.pop("policy_options", {})
    sampling = Sampling.read(arguments.pop("sampling", None)).as_dict()
    arguments["env_kwargs"] = with_registered_ids(arguments.get("env_kwargs", {}))
    arguments["out"] = work.segment
    if concurrency is not None:
        arguments["concurrency"] = concurrency
    with PreparedRollout(**arguments, work=work) as rollout:
        player = make_policy(policy, sampling, options)

        async def play() -> Run:
            try:
                return await rollout.play(player, on_episode=on_episode)
            finally:
                await player.close()

        played = asyncio.run(play())
    if played.stopped_early:
        raise RunError("the first episodes all failed, so this worker stopped")
    work.collect()
    return played


def play_with_workers(
    run: Mapping[str, Any],
    arguments: Mapping[str, Any],
    folder: Path,
    workers: int,
    patience: float,
    *,
    resume: bool,
) -> None:
    """Start workers on this machine, and wait for them.

    Args:
        run: The run, as in a file of `textgym eval --config`.
        arguments: The arguments of `rollout` for it.
        folder: The folder of the run.
        workers: How many.
        patience: After how many seconds without a sign of life a worker is taken for dead.
        resume: Whether the run may have begun.

    Raises:
        UsageError: An argument is invalid.
        RunError: The folder cannot be used, or episodes are left.
    """
    from textgym.rollouts.prepared import PreparedRollout
    from textgym.rollouts.work import WorkPlan, finished_blocks

    if workers < 1 or patience <= 0:
        raise UsageError("--workers must be 1 or more, and --patience more than 0")
    if arguments.get("curriculum") or arguments.get("env_concurrency"):
        raise UsageError("--workers cannot be used with a curriculum or --env-concurrency")
    with PreparedRollout(**arguments) as rollout:
        groups = rollout.num_tasks
    repeats = arguments.get("repeats", 1)
    plan = WorkPlan.of(run, groups, repeats, workers, patience)
    plan.write(folder, resume=resume)
    command = [sys.executable, "-m", "textgym", "worker", str(folder)]
    processes = [  # each in a group of its own: Ctrl-C reaches it once, from here
        subprocess.Popen(command, stdout=subprocess.DEVNULL, process_group=0)
        for _ in range(workers)
    ]
    try:
        _wait_for(
            processes, lambda: f"{finished_blocks(folder)} of {plan.blocks} blocks are finished"
        )
    except KeyboardInterrupt:
        for process in processes:
            process.send_signal(signal.SIGINT)
        for process in processes:
            process.wait()
        print(f"textgym: stopped; resume with textgym worker {folder}", file=sys.stderr)
        raise typer.Exit(EXIT_CODE_INTERRUPTED) from None
    if not (folder / "metrics.json").exists():
        raise RunError(f"episodes are left: start workers again with textgym worker {folder}")
    show(visible(f"played by {workers} workers"))


def _wait_for(processes: Sequence[subprocess.Popen[bytes]], progress: Callable[[], str]) -> None:
    """Wait for workers, and show their progress: on a terminal, or as lines from time to time."""
    last_line = time.monotonic()
    with status_line("starting workers") as update:
        for process in processes:
            while _is_running(process):
                text = progress()
                update(partial(str, text))
                if (
                    not sys.stderr.isatty()
                    and time.monotonic() - last_line > _SECONDS_BETWEEN_LINES
                ):
                    print(text, file=sys.stderr)
                    last_line = time.monotonic()


def _is_running(process: subprocess.Popen[bytes]) -> bool:
    """Return whether a process runs, after a second or when it has ended."""
    try:
        process.wait(timeout=1)
    except subprocess.TimeoutExpired:
        return True
    return False
