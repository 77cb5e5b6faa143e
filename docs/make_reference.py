"""Plays the suite with a model, and adds its rows to the reference models of the pages.

    python docs/make_reference.py hf                             # `make reference MODEL=hf`
    python docs/make_reference.py openai:MODEL@BASE_URL textgym/MCQA-v0 --episodes 100
    python docs/make_reference.py vllm:FOLDER --name MyModel-1B --out rows.json
    python docs/make_reference.py --merge rows.json              # rows of another machine

The model is any policy of `textgym eval --policy`. It plays levels 0 and 1 without examples and
with three solved ones, and the higher levels without. Each row is written to
docs/reference_models.json when it is complete, so a command that was killed loses the row in
progress; the same command again plays what is missing or failed. The episodes are kept in
runs/reference, where `textgym view` and `textgym report` read them. A row that cannot be played is
written with the reason. `docs/make_pages.py` writes the rows into the environments' pages.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from reference_rows import FILE, Cell, Row, cell_of, merge, read, suite

import textgym
from textgym.cli.arguments import read_settings
from textgym.errors import RunError, TextgymError, UsageError, in_one_line
from textgym.metrics.statistics import Estimate, mean_interval, rate_interval
from textgym.policies import Policy, make_policy
from textgym.trajectories import Run

RUNS = Path("runs/reference")
SHOTS = {0: (0, 3), 1: (0, 3)}
"""The numbers of solved examples at a level; other levels are played without."""

EPISODES = 24
SPLIT = "test"
_MAX_FAILED = 0.1  # of the episodes of a row
_DIGITS = 4
_ENGINES = {"hf": "transformers", "vllm": "vllm", "inspect": "inspect_ai"}


def cells(
    ids: Sequence[str], levels: Sequence[int] | None = None, shots: Sequence[int] | None = None
) -> list[Cell]:
    """Return what is played of environments, the lowest levels of all of them first.

    Args:
        ids: The environments.
        levels: Only these levels.
        shots: Only these numbers of solved examples.
    """
    found = []
    for id in ids:
        card = textgym.card(id)
        for level in (0, *card.levels) if card.first_rung else card.levels:
            found += [Cell(id, level, count) for count in SHOTS.get(level, (0,))]
    chosen = [
        cell
        for cell in found
        if (levels is None or cell.level in levels) and (shots is None or cell.shots in shots)
    ]
    return sorted(chosen, key=lambda cell: (cell.level, cell.shots, ids.index(cell.id)))


def model_name(policy: Policy) -> str:
    """Return the name of a policy's model, without where it is.

    Example:
        >>> model_name(make_policy("openai:org/Model-7B@http://127.0.0.1:8000/v1"))
        'Model-7B'
    """
    spec = re.sub("@https?://.*", "", policy.name).rstrip("/")
    return spec.partition(":")[2].split("/")[-1] or policy.name


def settings_of(policy: Policy, spec: str, episodes: int, seed: int) -> dict[str, Any]:
    """Return what decides the figures of a row, besides the model and what is played."""
    kind = spec.partition(":")[0]
    library = sys.modules.get(_ENGINES.get(kind, ""))
    return {
        "episodes": episodes,
        "seed": seed,
        "split": SPLIT,
        "sampling": policy.sampling and _plain(policy.sampling.as_dict()),
        "engine": f"{library.__name__} {library.__version__}" if library else kind,
        "textgym": textgym.__version__,
    }


def _plain(sampling: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in sampling.items()
    }


def is_current(row: Mapping[str, Any] | None, settings: Mapping[str, Any]) -> bool:
    """Return whether a row has results that were played with the same settings."""
    return row is not None and "failed" not in row and settings.items() <= row.items()


async def play_row(policy: Policy, cell: Cell, settings: Mapping[str, Any], **options: Any) -> Row:
    """Play a row, and return its figures, or why it has none.

    Args:
        policy: The model.
        cell: What is played.
        settings: See `settings_of`.
        **options: Further arguments of `textgym.arollout`.

    Raises:
        RunError: The folder of the run cannot be written.
    """
    try:
        run = await textgym.arollout(
            cell.id,
            policy,
            episodes=settings["episodes"],
            seed=settings["seed"],
            env_kwargs={"level": cell.level, "split": settings["split"]},
            wrappers=[f"FewShot:shots={cell.shots}"] if cell.shots else [],
            **options,
        )
    except RunError:
        raise
    except Exception as error:  # one environment never ends the table
        return {"failed": in_one_line(error)}
    return figures_of(run)


def figures_of(run: Run) -> Row:
    """Return the figures of a run of one environment, or why it has none."""
    metrics = run.metrics["overall"]
    if run.stopped_early or metrics["failures"] > _MAX_FAILED * metrics["episodes"]:
        failures = (trajectory["failure"] for trajectory in run.trajectories())
        first = next(failure for failure in failures if failure)
        count = f"{metrics['failures']} of {metrics['episodes']} episodes failed"
        return {"failed": f"{count}: {first['type']}: {first['message']}".splitlines()[0]}
    if not metrics["mean_steps"]:
        reasons = ", ".join(metrics["stop_reasons"])
        return {"failed": f"the model answered no prompt; the episodes ended by {reasons}"}
    success = Estimate(metrics["success_rate"], metrics["success_error"], metrics["tasks"])
    reward = Estimate(metrics["mean_reward"], metrics["reward_error"], metrics["tasks"])
    unanswered = metrics["no_answer_rate"]
    return {
        "reward": round(reward.mean, _DIGITS),
        "reward_interval": _rounded(mean_interval(reward)),
        "success": round(success.mean, _DIGITS),
        "success_interval": _rounded(rate_interval(success)),
        "answered": None if unanswered is None else round(1 - unanswered, _DIGITS),
        "components": {name: round(mean, _DIGITS) for name, mean in metrics["components"].items()},
        "stop_reasons": metrics["stop_reasons"],
        "failed_episodes": metrics["failures"],
    }


def _rounded(interval: tuple[float, float] | None) -> list[float] | None:
    return interval and [round(end, _DIGITS) for end in interval]


async def play_rows(
    policy: Policy,
    name: str,
    chosen: Sequence[Cell],
    settings: Mapping[str, Any],
    *,
    out: Path = FILE,
    runs: Path = RUNS,
    again: bool = False,
    concurrency: int = 64,
    progress: bool = True,
) -> None:
    """Play the rows that a file lacks, and merge each into it as soon as it is complete.

    Args:
        policy: The model; it is not closed.
        name: The name of the model in the file.
        chosen: What is played.
        settings: See `settings_of`.
        out: The file.
        runs: The folder for the episodes. A run in it of the same row is replaced.
        again: Also play the rows that are current.
        concurrency: The number of episodes at once.
        progress: Show a bar of the episodes of a row.
    """
    known = {cell_of(row): row for row in read(out) if row["model"] == name}
    missing = [cell for cell in chosen if again or not is_current(known.get(cell), settings)]
    print(f"{name}: {len(missing)} of {len(chosen)} rows to play", flush=True)
    for number, cell in enumerate(missing, 1):
        folder = (
            runs
            / re.sub(r"[^\w.-]+", "-", name)
            / f"{cell.id.split('/')[-1]}-level{cell.level}-shots{cell.shots}"
        )
        shutil.rmtree(folder, ignore_errors=True)
        played = await play_row(
            policy, cell, settings, out=folder, concurrency=concurrency, progress=progress
        )
        if "failed" in played:  # which may name the address of a server, or a folder
            played["failed"] = played["failed"].replace(policy.name, name)
        merge([{"model": name, **cell._asdict(), **played, **settings}], out)
        place = f"{cell.id}, level {cell.level}, {cell.shots} shots"
        print(f"{number} of {len(missing)}: {place}: {summary(played)}", flush=True)


def summary(row: Mapping[str, Any]) -> str:
    """Return the figures of a row as a text."""
    if "failed" in row:
        return f"failed: {row['failed']}"
    low, high = row["success_interval"]
    return f"success {row['success']:.2f} ({low:.2f} to {high:.2f}), reward {row['reward']:.2f}"


def registered(ids: Sequence[str]) -> list[str]:
    """Return the ids to play; all of the suite if none is named.

    Raises:
        UsageError: An id is not of the suite.
    """
    known = suite()
    full = [id if "/" in id else f"textgym/{id}" for id in ids]
    for id in full:
        if id not in known:
            raise UsageError(f"{id!r} is not an environment of the suite: see `textgym list`")
    return full or known


async def play_model(given: argparse.Namespace) -> None:
    """Play what the command line names."""
    ids = registered(given.ids)
    chosen = cells(ids, given.levels, given.shots)
    if not chosen:
        raise UsageError("no row has these levels and shots")
    if given.episodes < 1:
        raise UsageError(f"--episodes must be at least 1, not {given.episodes}")
    sampling = {"temperature": given.temperature, "max_tokens": given.max_tokens}
    options = read_settings(given.policy_set, "--policy-set")
    policy = make_policy(given.policy, sampling, options)
    try:
        await play_rows(
            policy,
            given.name or model_name(policy),
            chosen,
            settings_of(policy, given.policy, given.episodes, given.seed),
            out=given.out,
            runs=given.runs,
            again=given.again,
            concurrency=given.concurrency,
        )
    finally:
        await policy.close()


def merged_files(paths: Sequence[Path]) -> Iterator[Row]:
    """Yield the rows of files that must exist.

    Raises:
        UsageError: A file is missing, or does not hold rows.
    """
    for path in paths:
        if not path.exists():
            raise UsageError(f"there is no file {str(path)!r}")
        yield from read(path)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    found = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add = found.add_argument
    add("policy", nargs="?", metavar="POLICY", help="as in textgym eval --policy")
    add("ids", nargs="*", metavar="ID", help="only these environments")
    add("--name", help="the model's name on the pages; by default the last part of POLICY")
    add("--levels", nargs="+", type=int, metavar="N", help="only these levels")
    add("--shots", nargs="+", type=int, metavar="N", help="only these numbers of solved examples")
    add("--episodes", type=int, default=EPISODES, help="tasks of a row (default: %(default)s)")
    add("--seed", type=int, default=0)
    add("--temperature", type=float, default=1.0, help="(default: %(default)s)")
    add("--max-tokens", type=int, default=512, help="of a message (default: %(default)s)")
    add("--concurrency", type=int, default=64, help="episodes at once (default: %(default)s)")
    add("--policy-set", action="append", default=[], metavar="NAME=VALUE", help="policy's option")
    add("--again", action="store_true", help="also play the rows that are there")
    add("--out", type=Path, default=FILE, metavar="FILE", help="the file to merge the rows into")
    add("--runs", type=Path, default=RUNS, metavar="FOLDER", help="where the episodes are kept")
    add("--merge", nargs="+", type=Path, metavar="FILE", help="merge these files, play nothing")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Play or merge."""
    given = parser().parse_intermixed_args(arguments)
    try:
        if given.merge:
            fresh = list(merged_files(given.merge))
            print(f"{len(fresh)} rows merged; {len(merge(fresh, given.out))} rows in {given.out}")
        elif given.policy:
            asyncio.run(play_model(given))
        else:
            raise UsageError("name a policy, such as hf, or files with --merge")
    except TextgymError as error:
        print(f"make_reference: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("make_reference: stopped; the same command plays the other rows", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
