"""`textgym view`: read the stored episodes of a run, lowest reward first."""

from __future__ import annotations

import contextlib
import itertools
import json
import sys
import webbrowser
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textgym.cli.arguments import RunArgument, refresh
from textgym.cli.output.terminal import page
from textgym.display.terminal import Paint, show, visible, wants_colour
from textgym.display.transcript import format_answer, format_episode, format_turn_rewards
from textgym.errors import UsageError
from textgym.metrics.run_index import read_index
from textgym.registry import registered_id
from textgym.trajectories.episode_record import components_of, task_reward_of
from textgym.trajectories.run_folder import read_config, read_trajectories
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.selection import EpisodeFilter, Episodes, Search

if TYPE_CHECKING:
    from textgym.rescoring.answers import TaskAnswers

__all__ = ["view_command"]


def view_command(
    run: RunArgument,
    env: Annotated[
        str | None, typer.Option(metavar="ID", help="Only episodes of this environment.")
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(metavar="TASK", help="Only this task: its id, its index, or index:INDEX."),
    ] = None,
    level: Annotated[str | None, typer.Option(metavar="LEVEL", help="Only this level.")] = None,
    category: Annotated[
        str | None, typer.Option(metavar="CATEGORY", help="Only this category.")
    ] = None,
    stop_reason: Annotated[
        str | None,
        typer.Option(metavar="REASON", help="Only this stop reason, such as max_turns."),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="Only episodes with this text in a message, ignoring case."
        ),
    ] = None,
    success: Annotated[
        bool | None,
        typer.Option("--success/--no-success", help="Only solved, or only unsolved tasks."),
    ] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Only failed episodes.")] = False,
    order: Annotated[
        str,
        typer.Option(
            metavar="ORDER", help="worst or best (by reward), or stored (as in the file)."
        ),
    ] = "worst",
    limit: Annotated[
        int, typer.Option(metavar="N", help="Maximum number of episodes; 0 shows all.")
    ] = 10,
    tools: Annotated[
        bool, typer.Option("--tools", help="Show the tools with their arguments.")
    ] = False,
    answers: Annotated[
        bool,
        typer.Option("--answers", help="Show the right answers, which are read from the tasks."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each episode as one line of JSON.")
    ] = False,
    html: Annotated[
        bool,
        typer.Option("--html", help="Write the report of the run, a page, and open it."),
    ] = False,
) -> None:
    if answers and as_json:
        raise UsageError("trajectories hold no answers: --answers cannot be used with --json")
    refresh(run)
    env = registered_id(env) if env and ":" in env else env
    conditions = EpisodeFilter(
        env, task, level, category, stop_reason, text, failed or None, success
    )
    if html:
        if (conditions, order, limit, as_json) != (EpisodeFilter(), "worst", 10, False):
            raise UsageError("--html shows all episodes: choose them on the page")
        _open_report(run)
        return
    search = Search(_episodes(run, conditions, order, limit), conditions, order, limit)
    episodes = _matches(search, run)
    if as_json:
        for trajectory in episodes:
            print(json.dumps(trajectory))
        return
    with contextlib.ExitStack() as stack:
        task_answers = None
        if answers:
            from textgym.rescoring.answers import TaskAnswers  # which imports the rollouts

            task_answers = stack.enter_context(TaskAnswers(read_config(run)))
        page(_texts(search, episodes, tools, task_answers, limit))


def _open_report(run: Path) -> None:
    from textgym.cli.report import write_report  # which imports more than other views need

    path = write_report([run])
    webbrowser.open(path.absolute().as_uri())


def _episodes(
    run: Path, conditions: EpisodeFilter, order: str, limit: int
) -> Episodes | Iterable[Trajectory]:
    """Return the index of a run, or its trajectories if all of them are read anyway."""
    if conditions.text is None and (order, limit) != ("stored", 0):
        index = read_index(run)
        if index.is_complete:
            return index
    return read_trajectories(run)


def _matches(search: Search, run: Path) -> Iterator[Trajectory]:
    """Return the episodes that a search finds; exit with 1 if there are none."""
    episodes = iter(search)
    first = next(episodes, None)
    if first is None:
        which = f"none of the {search.total:,} episodes" if search.total else "no episode"
        show(visible(f"textgym: {which} in {str(run)!r} matches"), sys.stderr)
        raise typer.Exit(1)
    return itertools.chain([first], episodes)


def _texts(
    search: Search,
    episodes: Iterator[Trajectory],
    tools: bool,
    answers: TaskAnswers | None,
    limit: int,
) -> Iterator[str]:
    """Yield the text of each episode, and the number of matches as soon as it is known."""
    paint = Paint(wants_colour())
    if not search.streams:
        yield _count(search, limit)
    for number, trajectory in enumerate(episodes, 1):
        text = "\n" + _episode(paint, number, trajectory, tools)
        if answers:
            text += ("\n\n" if trajectory["failure"] else "\n") + _answer(
                paint, answers, trajectory
            )
        yield text
    if search.streams:
        yield "\n" + _count(search, limit)


def _count(search: Search, limit: int) -> str:
    shown = f", {limit} shown" if 0 < limit < search.matched else ""
    return f"{search.matched:,} of {search.total:,} episodes{shown}"


def _episode(paint: Paint, number: int, trajectory: Trajectory, tools: bool) -> str:
    outcome = None
    if not trajectory["failure"]:
        outcome = (
            trajectory["reward"],
            {
                "extracted_answer": trajectory["info"].get("extracted_answer"),
                "reward_components": components_of(trajectory),
                "is_success": trajectory["is_success"],
                "stop_reason": trajectory["stop_reason"],
            },
        )
    shown_tools = trajectory["tools"] if tools else ()
    rewards = format_turn_rewards(trajectory["steps"], len(trajectory["messages"]))
    text = format_episode(
        trajectory["messages"], shown_tools, outcome, rewards, colour=paint.colour
    )
    return "\n".join([*_header(paint, number, trajectory), "", text])


def _answer(paint: Paint, answers: TaskAnswers, trajectory: Trajectory) -> str:
    """Return the line with the right answer, or with the reason why it is not known."""
    answer, reason = answers.look_up(trajectory)
    if reason:
        return paint(f"right answer: not known ({reason})", "dim")
    return format_answer(answer, colour=paint.colour)


def _header(paint: Paint, number: int, trajectory: Trajectory) -> list[str]:
    """Return the header of an episode: its key, cost, outcome, failure and tools."""
    task = f"task {trajectory['task_index']}"
    if trajectory["task_id"] is not None:
        task += f" ({trajectory['task_id']})"
    lines = [
        paint(
            f"=== {number}. {trajectory['env_id']}, {task}, repeat {trajectory['repeat']}", "bold"
        ),
        paint(", ".join(_cost(trajectory))),
        paint(", ".join(_ending(trajectory))),
    ]
    if trajectory["failure"]:
        failure = trajectory["failure"]
        cause = f"{failure['type']}: {failure['message']}"
        lines.append(paint(f"failed at the {failure['boundary']}: {cause}", "red"))
    if trajectory["tools"]:
        names = ", ".join(str(tool["function"]["name"]) for tool in trajectory["tools"])
        lines.append(paint(f"tools: {names}", "dim"))
    return lines


def _cost(trajectory: Trajectory) -> list[str]:
    info, usage = trajectory["info"], trajectory["usage"]
    facts = [f"{name} {info[name]}" for name in ("level", "category") if name in info]
    facts.append(_plural(len(trajectory["steps"]), "turn"))
    if usage:
        tokens = (usage.get(name, 0) for name in ("prompt_tokens", "completion_tokens"))
        facts.append("{} + {} tokens".format(*tokens))
    return [*facts, _plural(trajectory["attempts"], "attempt"), f"{trajectory['seconds']:.1f} s"]


def _ending(trajectory: Trajectory) -> list[str]:
    reward, success = trajectory["reward"], trajectory["is_success"]
    facts = ["no reward" if reward is None else f"reward {reward:g}"]
    task_reward = task_reward_of(trajectory)
    if task_reward is not None and task_reward != reward:
        facts.append(f"task reward {task_reward:g}")
    if success is not None:
        facts.append("success" if success else "no success")
    if trajectory["stop_reason"]:
        facts.append(f"stop reason {trajectory['stop_reason']}")
    return facts


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
