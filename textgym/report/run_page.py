"""The report of runs and histories: one HTML page that loads nothing else.

Figures and tables are HTML that is made here. Episodes are data that the page's script shows: see
`episode_data`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from textgym.errors import UsageError
from textgym.metrics.comparison import SharedTask, shared_tasks
from textgym.metrics.run_metrics import StoredRun
from textgym.metrics.tables import run_letters
from textgym.report.comparison_sections import comparison, differs
from textgym.report.curve_sections import history_curves, series_curves
from textgym.report.elements import element, escaped, page
from textgym.report.episode_data import (
    Decode,
    EpisodeData,
    compressed,
    data_element,
    episode_data,
)
from textgym.report.run_sections import overview
from textgym.rescoring.answers import TaskAnswers
from textgym.training.history import read_history
from textgym.trajectories.run_folder import read_trajectories

__all__ = ["report_page"]

_FOLDER = Path(__file__).parent
_HISTORY = "history.jsonl"


def report_page(
    sources: Sequence[str | Path],
    *,
    answers: bool = True,
    tokenizer: str | None = None,
    on_episode: Callable[[], None] = lambda: None,
) -> str:
    """Return the report of runs and histories as one page.

    One run is shown with its figures, tables and episodes. Several are also compared with the
    first; from three on, they are a series with curves. Histories are shown as curves.

    Args:
        sources: Folders of runs, and files of histories. A `history.jsonl` in a folder is shown
            too.
        answers: Whether right answers are drawn again from the environments.
        tokenizer: The model whose tokenizer shows the texts of tokens, as in `hf:MODEL`.
        on_episode: Called after each episode that was read.

    Raises:
        RunError: A folder holds neither a run nor a history, or an episode cannot be read.
        UsageError: A file is not a history, or there is no source.
        UnknownNameError: The tokenizer cannot be loaded.
        ExtraMissingError: A tokenizer needs the extra `hf`.

    Example:
        >>> import tempfile, textgym
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run = textgym.rollout("textgym/MCQA-v0", "oracle", episodes=3, out=folder)
        ...     page = report_page([folder])
        >>> page.startswith("<!doctype html>")
        True
    """
    folders, histories = _split(sources)
    decode = _decoder(tokenizer) if tokenizer else None
    runs = [StoredRun.read(path) for path in folders]
    data = [_episodes(run, answers, decode, on_episode) for run in runs]
    tasks = shared_tasks(runs[0].table, runs[-1].table) if len(runs) > 1 else []
    views = _views(runs, data, tasks, {path: read_history(path) for path in histories})
    links = (element("a", title, href=f"#view-{name}") for name, (title, _) in views.items())
    subject = ", ".join(map(str, [*folders, *histories]))
    body = [
        element("h1", escaped(f"Report of {subject}")),
        element("nav", "\n".join(links), class_="views"),
        *(
            element("section", content, id=f"view-{name}", **({"hidden": ""} if place else {}))
            for place, (name, (_, content)) in enumerate(views.items())
        ),
        *_elements(runs, data, tasks),
    ]
    parts = (_read(name) for name in ("episode.js", "run_page.js"))
    script = '"use strict";\n(() => {\n' + "\n".join(parts) + "})();\n"
    return page(f"Report of {subject}", "\n".join(body), _read("run_page.css"), script)


def _split(sources: Sequence[str | Path]) -> tuple[list[Path], list[Path]]:
    """Return the folders of runs and the files of histories."""
    if not sources:
        raise UsageError("a report needs at least one run or history")
    folders, histories = list[Path](), list[Path]()
    for source in map(Path, sources):
        if not source.is_dir() and source.exists():
            histories.append(source)
            continue
        inside = source / _HISTORY
        if inside.is_file():
            histories.append(inside)
        if (source / "trajectories.jsonl").exists() or not inside.is_file():
            folders.append(source)
    return folders, histories


def _decoder(model: str) -> Decode:
    """Return the function that decodes tokens of a model."""
    from textgym.policies.models import load_tokenizer  # which imports transformers

    tokenizer = load_tokenizer(model)
    return lambda ids: str(tokenizer.decode(ids))


def _episodes(
    run: StoredRun, answers: bool, decode: Decode | None, on_episode: Callable[[], None]
) -> EpisodeData:
    with contextlib.ExitStack() as stack:
        finder = stack.enter_context(TaskAnswers(run.config)) if answers else None
        return episode_data(read_trajectories(run.path), finder, decode, on_episode)


def _views(
    runs: Sequence[StoredRun],
    data: Sequence[EpisodeData],
    tasks: Sequence[SharedTask],
    histories: dict[Path, Any],
) -> dict[str, tuple[str, str]]:
    """Return the title and the content of each part of the page, by its name."""
    views: dict[str, tuple[str, str]] = {}
    if len(runs) > 1:
        views["comparison"] = "Comparison", comparison(runs, tasks)
    series = series_curves(runs) if len(runs) > 2 else ""
    if series or histories:
        views["curves"] = "Curves", series + history_curves(histories)
    for place, (letter, run, episodes) in enumerate(
        zip(run_letters(len(runs)), runs, data, strict=True)
    ):
        title = f"Run {letter}" if len(runs) > 1 else "Overview"
        views[f"run-{place}"] = title, overview(run, episodes, place)
    if runs:
        views["episodes"] = "Episodes", ""
    return views


def _elements(
    runs: Sequence[StoredRun], data: Sequence[EpisodeData], tasks: Sequence[SharedTask]
) -> list[str]:
    """Return the data of the page: the blocks of each run, and an index."""
    letters = run_letters(len(runs))
    index = {
        "runs": [
            {"letter": letter, "name": str(run.path), **episodes.index()}
            for letter, run, episodes in zip(letters, runs, data, strict=True)
        ],
        "pairs": {
            "runs": [0, len(runs) - 1],
            "tasks": [
                {"episodes": task.episodes, "rewards": task.rewards, "successes": task.successes}
                for task in filter(differs, tasks)
            ],
        },
    }
    return [
        *(
            data_element(f"block-{run}-{number}", block)
            for run, episodes in enumerate(data)
            for number, block in enumerate(episodes.blocks)
        ),
        data_element("index", compressed(index)),
    ]


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
