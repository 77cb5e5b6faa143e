"""Arguments and options that several commands share, and parsing of their values."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from textgym.errors import UsageError

__all__ = [
    "DatasetOption", "EnvArgument", "EnvSettingsOption", "JsonOption", "LevelOption",
    "OwnSettingsOption", "RetriesOption", "RunArgument", "SplitOption", "WaitingOption",
    "WorkersOption", "check_place", "env_arguments", "read_env_settings", "read_limits",
    "read_settings", "read_shard", "read_weights", "refresh", "write_page",
]  # fmt: skip


def env_arguments(
    split: str | None, level: int | None, dataset: str | None, settings: dict[str, Any]
) -> dict[str, Any]:
    """Return the keyword arguments of an environment, without options that were not set.

    Args:
        split: The value of `--split`.
        level: The value of `--level`.
        dataset: The value of `--dataset`.
        settings: The parsed values of `--set`, which override the others.

    Example:
        >>> env_arguments("test", None, None, read_settings(["shots=4"]))
        {'split': 'test', 'shots': 4}
    """
    options = {"split": split, "level": level, "dataset": dataset}
    return {name: value for name, value in options.items() if value is not None} | settings


def read_weights(texts: Sequence[str]) -> tuple[dict[str, float], bool]:
    """Parse environment ids, which are either all `ID` or all `ID=WEIGHT`.

    Returns:
        The weight of each id, and whether weights were given.

    Raises:
        UsageError: A weight is invalid, only some ids have a weight, or an id has two.

    Example:
        >>> read_weights(["demo/A-v0=0.6", "demo/B-v0=0.4"])
        ({'demo/A-v0': 0.6, 'demo/B-v0': 0.4}, True)
        >>> read_weights(["demo/A-v0", "demo/B-v0"])
        ({'demo/A-v0': 1.0, 'demo/B-v0': 1.0}, False)
    """
    if not any("=" in text for text in texts):
        return dict.fromkeys(texts, 1.0), False
    weights: dict[str, float] = {}
    for text in texts:
        id, separator, number = text.partition("=")
        if not separator:
            raise UsageError(f"{id!r} has no weight but other ids do: write {id}=1")
        if id in weights:
            raise UsageError(f"{id!r} has two weights: list it only once")
        try:
            weights[id] = float(number)
        except ValueError:
            weights[id] = math.nan
        if not 0 < weights[id] < math.inf:
            raise UsageError(f"a weight must be a number above 0, as in {id}=0.5, not {text!r}")
    return weights, True


def read_limits(texts: Sequence[str], option: str) -> dict[str, int]:
    """Parse `ID=NUMBER` texts.

    Args:
        texts: The values of the option.
        option: The name of the option, for errors.

    Raises:
        UsageError: A text does not have this form.
    """
    limits: dict[str, int] = {}
    for text in texts:
        id, separator, number = text.rpartition("=")
        if not separator or not number.isdecimal() or int(number) < 1:
            raise UsageError(f"{option} takes ID=NUMBER with a number of at least 1, not {text!r}")
        limits[id] = int(number)
    return limits


def read_env_settings(texts: Sequence[str]) -> dict[str, Any]:
    """Parse `NAME=VALUE`, for all environments, and `ID:NAME=VALUE`, for one of them.

    Example:
        >>> read_env_settings(["shots=4", "demo/A-v0:judge=rule"])
        {'shots': 4, 'demo/A-v0': {'judge': 'rule'}}
    """
    read: dict[str, Any] = {}
    for text in texts:
        id = text.partition("=")[0].rpartition(":")[0]
        setting = read_settings([text[len(id) + 1 :] if id else text])
        (read.setdefault(id, {}) if id else read).update(setting)
    return read


def read_settings(texts: Sequence[str], option: str = "--set") -> dict[str, Any]:
    """Parse `NAME=VALUE` texts. A value that is valid JSON is parsed as JSON.

    Args:
        texts: The values of the option.
        option: The name of the option, for errors.

    Raises:
        UsageError: A text does not have this form.
    """
    read: dict[str, Any] = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator or not name.isidentifier():
            raise UsageError(f"{option} takes NAME=VALUE, not {text!r}")
        try:
            read[name] = json.loads(value)
        except (ValueError, RecursionError):
            read[name] = value
    return read


def read_shard(text: str) -> tuple[int, int]:
    """Parse `K/N`, which shard of how many.

    Raises:
        UsageError: A text does not have this form.

    Example:
        >>> read_shard("2/4")
        (2, 4)
    """
    numbers = text.split("/")
    if len(numbers) != 2 or not all(re.fullmatch("[0-9]{1,9}", number) for number in numbers):
        raise UsageError(f"--shard must be K/N, such as 1/8, not {text!r:.100}")
    return int(numbers[0]), int(numbers[1])


def check_place(path: Path, option: str) -> None:
    """Check that a file can be written at a path, before work that takes long.

    Args:
        path: The path.
        option: The name of the option, for errors.

    Raises:
        UsageError: The path is a folder, or its folder does not exist.
    """
    if path.is_dir():
        raise UsageError(f"{option}: {str(path)!r} is a folder")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{option}: there is no folder {str(path.absolute().parent)!r}")


def write_page(path: Path, page: str, option: str) -> None:
    """Write a page to a file.

    Args:
        path: The path.
        page: The text of the page.
        option: The name of the option, for errors.

    Raises:
        UsageError: The file cannot be written.
    """
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{option}: cannot write {str(path)!r}: {error.strerror}") from error


def refresh(run: Path) -> None:
    """Bring the folder of a run that workers are playing up to date."""
    if (run / "segments").is_dir():
        from textgym.rollouts.merging import refresh_run  # which imports more than views need

        refresh_run(run)


EnvArgument = Annotated[
    str, typer.Argument(metavar="ID", help="Environment: its id, MODULE:ID or MODULE:CLASS.")
]
RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of the run.")]
LevelOption = Annotated[
    int | None, typer.Option(metavar="LEVEL", help="Only tasks of this level; all by default.")
]
SplitOption = Annotated[
    str | None, typer.Option(metavar="SPLIT", help="train, validation or test.")
]
DatasetOption = Annotated[
    str | None,
    typer.Option(
        metavar="DATASET",
        help="Tasks from a .jsonl, .parquet or .csv file or a data set of the hub, instead of "
        "generated ones.",
    ),
]
OwnSettingsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Argument of the environment, such as shots=4; may be repeated.",
    ),
]
EnvSettingsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="[ID:]NAME=VALUE",
        help="Argument of all environments or of one, such as shots=4; may be repeated.",
    ),
]
WaitingOption = Annotated[
    int,
    typer.Option(metavar="N", help="Maximum number of concurrent steps, if they wait for a judge."),
]
WorkersOption = Annotated[
    int, typer.Option(metavar="N", help="Number of processes that share the work.")
]
RetriesOption = Annotated[int, typer.Option(metavar="N", help="Retries of a failed step.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print everything as one JSON object.")]
