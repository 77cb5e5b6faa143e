"""`textgym eval`: play environments with a policy, store the episodes and print the metrics."""

from __future__ import annotations

import re
import shlex
import sys
import time
from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from textgym.cli.arguments import (
    DatasetOption,
    EnvSettingsOption,
    LevelOption,
    env_arguments,
    read_env_settings,
    read_limits,
    read_settings,
    read_shard,
    read_weights,
)
from textgym.cli.dry_run import DEFAULT_POLICY, advice_to_name_a_policy, print_first_prompts
from textgym.cli.output.tables import metrics_tables
from textgym.cli.output.terminal import print_all
from textgym.cli.worker import EXIT_CODE_INTERRUPTED, play_with_workers
from textgym.display.terminal import show, visible
from textgym.errors import RunError, UsageError
from textgym.metrics.run_metrics import splits_of
from textgym.metrics.tables import metrics_rows
from textgym.mixtures import check_env_ids, check_env_kwargs
from textgym.policies import Sampling, make_policy
from textgym.registry import with_registered_ids
from textgym.rollouts.progress import RunProgress
from textgym.rollouts.ray_backend import RayBackend
from textgym.rollouts.ray_run import RayRun
from textgym.trajectories import Run
from textgym.trajectories.run_folder import read_config

if TYPE_CHECKING:
    from textgym.rollouts.prepared import PreparedRollout

__all__ = ["eval_command"]

_SAME_NAMES = ("policy", "episodes", "repeats", "start", "concurrency", "seed", "group_reward")
_SAMPLING = ("max_tokens", "temperature", "top_p", "top_k", "min_p", "stop")


def eval_command(
    ctx: typer.Context,
    envs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID[=WEIGHT]",
            help="Environments: ids, MODULE:ID or MODULE:CLASS. All have a weight, or none has.",
        ),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY",
            help="oracle, random, hf (the small default model), hf:MODEL, vllm:MODEL, "
            "openai:MODEL@BASE_URL or MODULE:CLASS; hf by default.",
        ),
    ] = None,
    policy_settings: Annotated[
        list[str] | None,
        typer.Option(
            "--policy-set",
            metavar="NAME=VALUE",
            help="Option of the policy, such as retries=3; may be repeated.",
        ),
    ] = None,
    episodes: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Number of tasks: per environment, or in total if there are weights; all by "
            "default.",
        ),
    ] = None,
    repeats: Annotated[int, typer.Option(metavar="N", help="Episodes per task.")] = 1,
    start: Annotated[int, typer.Option(metavar="INDEX", help="Index of the first task.")] = 0,
    concurrency: Annotated[
        int, typer.Option(metavar="N", help="Maximum number of concurrent episodes.")
    ] = 64,
    env_concurrency: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID=NUMBER",
            help="Maximum number of concurrent episodes of one environment; may be repeated.",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="SEED", help="Seed of the environments and of sampling.")
    ] = 0,
    level: LevelOption = None,
    split: Annotated[
        str | None,
        typer.Option(metavar="SPLIT", help="train, validation or test; test by default."),
    ] = None,
    dataset: DatasetOption = None,
    settings: EnvSettingsOption = None,
    wrap: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WRAPPER",
            help="Wrapper around all environments, such as StepPenalty:amount=0.01; may be "
            "repeated, and the first is innermost.",
        ),
    ] = None,
    group_reward: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            help="Rewards for the episodes of a task together: tournament:JUDGE, hf-rm:MODEL, "
            "vllm-rm:MODEL@URL or MODULE:FUNCTION; needs --repeats.",
        ),
    ] = None,
    max_tokens: Annotated[
        int, typer.Option(metavar="N", help="Maximum number of tokens per message.")
    ] = 512,
    temperature: Annotated[
        float, typer.Option(metavar="NUMBER", help="Sampling temperature; 0 is greedy decoding.")
    ] = 1.0,
    top_p: Annotated[
        float, typer.Option(metavar="NUMBER", help="Nucleus sampling; 1 turns it off.")
    ] = 1.0,
    top_k: Annotated[int, typer.Option(metavar="N", help="Top-k sampling; 0 turns it off.")] = 0,
    min_p: Annotated[
        float, typer.Option(metavar="NUMBER", help="Min-p sampling; 0 turns it off.")
    ] = 0.0,
    stop: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="Text that ends a message; may be repeated."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Folder for the run; a new one in runs/ by default."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Resume the run in --out.")] = False,
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="K/N",
            help="Play the K-th of N equal parts of the run, into --out; textgym merge joins them.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Play with N processes; more may join them from anywhere with textgym worker.",
        ),
    ] = None,
    patience: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            help="Time without a sign of life after which a worker is taken for dead.",
        ),
    ] = 60.0,
    backend: Annotated[
        str | None,
        typer.Option(
            metavar="ray[:ADDRESS]",
            help="Play with actors of the Ray cluster at ADDRESS, or of one on this machine.",
        ),
    ] = None,
    backend_settings: Annotated[
        list[str] | None,
        typer.Option(
            "--backend-set",
            metavar="NAME=VALUE",
            help="Argument of RayBackend, such as actors=4 or num_gpus=1; may be repeated.",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Play nothing; print the first prompt as the model gets it."
        ),
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="TOML file with a run; options on the command line override it."
        ),
    ] = None,
    save_config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the run as a TOML file.")
    ] = None,
    max_failed: Annotated[
        float,
        typer.Option(
            metavar="SHARE", help="Exit with 1 if more than this share of the episodes failed."
        ),
    ] = 0.1,
) -> None:
    from textgym.rollouts.run_files import read_run_file, rollout_arguments, write_run_file

    if not 0 <= max_failed <= 1:
        raise UsageError(f"--max-failed must be a share from 0 to 1, not {max_failed}")
    given = {name: value for name, value in ctx.params.items() if _is_given(ctx, name)}
    run = _with_options(read_run_file(config) if config else {}, given)
    if "envs" not in run:
        raise UsageError("name an environment, such as textgym/MCQA-v0, or a file with --config")
    if resume and "out" not in run:
        raise UsageError("--resume needs --out, the folder of the run to resume")
    if shard is not None and "out" not in run:
        raise UsageError("--shard needs --out, a folder for this shard")
    arguments = rollout_arguments(run)
    if shard is not None:
        arguments["shard"] = read_shard(shard)
    ids = [arguments["envs"]] if isinstance(arguments["envs"], str) else list(arguments["envs"])
    limits = read_limits(env_concurrency or (), "--env-concurrency")
    check_env_ids("--env-concurrency", with_registered_ids(limits), ids)
    check_env_kwargs("--set", with_registered_ids(read_env_settings(settings or ())), ids)
    for name in ("env_kwargs", "env_concurrency"):
        arguments[name] = with_registered_ids(arguments.get(name, {}))
    policy, policy_options = arguments.pop("policy", None), arguments.pop("policy_options", {})
    if dry_run:
        print_first_prompts(ids, policy, policy_options, arguments)
        return
    from textgym.rollouts.prepared import PreparedRollout

    sampling = Sampling.read(arguments.pop("sampling", None)).as_dict()
    folder = Path(
        arguments.pop("out", None) or Path("runs") / _run_name(ids, policy or DEFAULT_POLICY)
    )
    actors = None
    if backend or backend_settings:
        of_actors = read_settings(backend_settings or (), "--backend-set")
        actors = RayBackend.read(backend or "ray", of_actors)
    if workers is not None:
        if shard is not None or actors:
            raise UsageError("--workers divides the run: leave out --shard and --backend")
        stored = {"policy": DEFAULT_POLICY, "seed": 0, "repeats": 1, **run, "sampling": sampling}
        stored |= {"policy_options": policy_options} if policy_options else {}
        if save_config:
            write_run_file(save_config, stored)
        play_with_workers(stored, arguments, folder, workers, patience, resume=resume)
        _finish(Run.load(folder), folder, max_failed)
        return
    # Wrong arguments are reported before a model is loaded.
    with PreparedRollout(**arguments, out=folder, resume=resume) as rollout:
        if save_config:
            write_run_file(save_config, {"policy": DEFAULT_POLICY, **run, "sampling": sampling})
        made_with = sampling, policy_options
        with actors or nullcontext():
            played = _play(Console(), rollout, folder, policy, made_with, arguments, actors)
    _finish(played, folder, max_failed)


def _finish(played: Run, folder: Path, max_failed: float) -> None:
    """Print what was played; exit with 1 if too much of it failed."""
    _report(played, folder)
    metrics = played.metrics["overall"]
    if metrics["failures"] > max_failed * metrics["episodes"]:
        show(f"exit code 1: more than {max_failed:.0%} of the episodes failed (--max-failed)")
        raise typer.Exit(1)


def _is_given(ctx: typer.Context, name: str) -> bool:
    """Return whether an option is on the command line."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _with_options(run: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a run in which options of the command line replace what its file says.

    Args:
        run: The run of a file.
        given: The values of the options by the names of their parameters.
    """
    merged = {**run, **{name: given[name] for name in _SAME_NAMES if name in given}}
    if "policy" in given:
        merged.pop("policy_options", None)  # they were for another one
    if "envs" in given:
        weights, weighted = read_weights(given["envs"])
        merged["envs"] = weights if weighted else list(weights)
    if "out" in given:
        merged["out"] = str(given["out"])
    if "wrap" in given:
        merged["wrappers"] = given["wrap"]
    tables = {
        "sampling": {name: given[name] for name in _SAMPLING if name in given},
        "policy_options": read_settings(given.get("policy_settings", ()), "--policy-set"),
        "env_concurrency": read_limits(given.get("env_concurrency", ()), "--env-concurrency"),
    }
    for name, table in tables.items():
        if table:
            merged[name] = {**merged.get(name, {}), **table}
    own = read_env_settings(given.get("settings", ()))
    kwargs = env_arguments(given.get("split"), given.get("level"), given.get("dataset"), own)
    if kwargs:
        merged["env_kwargs"] = _with_kwargs(run.get("env_kwargs", {}), kwargs)
    return merged


def _with_kwargs(stored: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keyword arguments of a file, overridden by the command line.

    Example:
        >>> _with_kwargs({"level": 1, "demo/A-v0": {"level": 2, "shots": 4}}, {"level": 3})
        {'level': 3, 'demo/A-v0': {'shots': 4}}
    """
    merged = {
        name: value
        if name.isidentifier() or not isinstance(value, dict)
        else {key: value[key] for key in value if key not in given}
        for name, value in stored.items()
    }
    for name, value in given.items():
        merged[name] = value if name.isidentifier() else {**merged.get(name, {}), **value}
    return merged


def _how_to_resume(progress: RunProgress, folder: Path) -> str:
    """Return the number of stored episodes, and the command that plays the others."""
    words = ["textgym", *sys.argv[1:]]
    if "--out" not in words and not any(word.startswith("--out=") for word in words):
        words += ["--out", str(folder)]
    if "--resume" not in words:
        words.append("--resume")
    stored = f"{progress.played:,} of {progress.total:,} episodes were played and are in {folder}"
    return f"{stored}. Resume with:\n  {shlex.join(words)}"


def _report(run: Run, folder: Path) -> None:
    """Print the metrics, the folder of the run, and the failures."""
    rows = metrics_rows(run.metrics, "env", splits_of(read_config(folder)))
    print_all(*metrics_tables(rows))
    show(visible(f"\nstored in {folder}"))
    metrics = run.metrics["overall"]
    if not metrics["episodes"]:
        show("no episodes: the run has fewer tasks than shards")
    if run.stopped_early:
        show("aborted: the first episodes all failed, so the others were not played")
    if metrics["failures"]:
        counts = metrics["failures_by_boundary"].items()
        where = ", ".join(f"{count} {boundary}" for boundary, count in counts)
        show(f"{metrics['failures']} of {metrics['episodes']} episodes failed ({where})")
        failures = (trajectory["failure"] for trajectory in run.trajectories())
        first = next(failure for failure in failures if failure)
        show(visible(f"first failure: {first['type']}: {first['message']}"))


def _play(
    console: Console,
    rollout: PreparedRollout,
    out: Path,
    policy: str | None,
    made_with: tuple[dict[str, Any], dict[str, Any]],
    arguments: Mapping[str, Any],
    actors: RayBackend | None,
) -> Run:
    """Play the rollout, here or with actors, under a progress bar with the mean reward so far."""
    import asyncio

    spec = policy or DEFAULT_POLICY
    status = console.status(f"loading {spec}") if console.is_terminal else nullcontext()
    player = None
    if actors is None:
        with status, advice_to_name_a_policy(policy):
            player = make_policy(spec, *made_with)
    progress = RunProgress(console)
    play = partial(rollout.play, on_episode=progress.count, on_start=progress.begin)

    async def run() -> Run:
        if actors:
            async with RayRun.on(actors, rollout, arguments, spec, *made_with) as remote:
                return await play(remote.policy, play_jobs=remote.play_jobs)
        assert player
        try:
            return await play(player)
        finally:
            await player.close()

    try:
        with progress:
            return asyncio.run(run())
    except RunError as error:
        if progress.total is None:
            raise
        raise RunError(f"{error}; {_how_to_resume(progress, out)}") from error
    except KeyboardInterrupt:
        if progress.total is None:
            raise
        print(f"textgym: stopped; {_how_to_resume(progress, out)}", file=sys.stderr)
        raise typer.Exit(EXIT_CODE_INTERRUPTED) from None


def _run_name(ids: list[str], policy: str) -> str:
    model = re.sub("@https?://.*", "", policy).split("/")[-1]
    names = [*(id.split("/")[-1] for id in ids), model]
    safe = re.sub(r"[^\w.-]+", "-", "-".join(names))[:100]
    name = f"{safe}-{time.strftime('%Y%m%d-%H%M%S')}"
    taken = sum(1 for _ in Path("runs").glob(f"{name}*"))
    return f"{name}-{taken + 1}" if taken else name
