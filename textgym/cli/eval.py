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
from typing import TYPE_CHECKING, Any

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
from textgym.cli.eval_options import (
    BackendOption,
    BackendSettingsOption,
    ConcurrencyOption,
    ConfigOption,
    DryRunOption,
    EnvConcurrencyOption,
    EnvsArgument,
    EpisodesOption,
    EvalWorkersOption,
    GroupRewardOption,
    MaxFailedOption,
    MaxTokensOption,
    MinPOption,
    OutOption,
    PatienceOption,
    PolicyOption,
    PolicySettingsOption,
    RepeatsOption,
    ResumeOption,
    SaveConfigOption,
    SeedOption,
    ShardOption,
    StartOption,
    StopOption,
    TemperatureOption,
    TestSplitOption,
    TopKOption,
    TopPOption,
    WrapOption,
)
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
    envs: EnvsArgument = None,
    policy: PolicyOption = None,
    policy_settings: PolicySettingsOption = None,
    episodes: EpisodesOption = None,
    repeats: RepeatsOption = 1,
    start: StartOption = 0,
    concurrency: ConcurrencyOption = 64,
    env_concurrency: EnvConcurrencyOption = None,
    seed: SeedOption = 0,
    level: LevelOption = None,
    split: TestSplitOption = None,
    dataset: DatasetOption = None,
    settings: EnvSettingsOption = None,
    wrap: WrapOption = None,
    group_reward: GroupRewardOption = None,
    max_tokens: MaxTokensOption = 512,
    temperature: TemperatureOption = 1.0,
    top_p: TopPOption = 1.0,
    top_k: TopKOption = 0,
    min_p: MinPOption = 0.0,
    stop: StopOption = None,
    out: OutOption = None,
    resume: ResumeOption = False,
    shard: ShardOption = None,
    workers: EvalWorkersOption = None,
    patience: PatienceOption = 60.0,
    backend: BackendOption = None,
    backend_settings: BackendSettingsOption = None,
    dry_run: DryRunOption = False,
    config: ConfigOption = None,
    save_config: SaveConfigOption = None,
    max_failed: MaxFailedOption = 0.1,
) -> None:
    from textgym.rollouts.run_files import read_run_file, write_run_file

    if not 0 <= max_failed <= 1:
        raise UsageError(f"--max-failed must be a share from 0 to 1, not {max_failed}")
    given = {name: value for name, value in ctx.params.items() if _is_given(ctx, name)}
    run = _with_options(read_run_file(config) if config else {}, given)
    arguments = _rollout_arguments(run, given)
    ids = _ids(arguments)
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


def _rollout_arguments(run: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a rollout, after checking the options.

    Args:
        run: The run, as in a file of `--config`.
        given: The values of the options by the names of their parameters.

    Raises:
        UsageError: An option is missing or invalid.
    """
    from textgym.rollouts.run_files import rollout_arguments

    if "envs" not in run:
        raise UsageError("name an environment, such as textgym/MCQA-v0, or a file with --config")
    if "resume" in given and "out" not in run:
        raise UsageError("--resume needs --out, the folder of the run to resume")
    if "shard" in given and "out" not in run:
        raise UsageError("--shard needs --out, a folder for this shard")
    arguments = rollout_arguments(run)
    if "shard" in given:
        arguments["shard"] = read_shard(given["shard"])
    ids = _ids(arguments)
    limits = read_limits(given.get("env_concurrency", ()), "--env-concurrency")
    check_env_ids("--env-concurrency", with_registered_ids(limits), ids)
    own = read_env_settings(given.get("settings", ()))
    check_env_kwargs("--set", with_registered_ids(own), ids)
    for name in ("env_kwargs", "env_concurrency"):
        arguments[name] = with_registered_ids(arguments.get(name, {}))
    return arguments


def _ids(arguments: Mapping[str, Any]) -> list[str]:
    """Return the ids of a rollout's environments."""
    envs = arguments["envs"]
    return [envs] if isinstance(envs, str) else list(envs)


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
