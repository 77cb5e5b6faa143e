"""Measure guests, the environments of other suites, and write their figures into their pages.

    python docs/make_guests.py            # the pages, from the stored figures
    python docs/make_guests.py --measure  # play every guest first (`make guests`)
    python docs/make_guests.py --measure reasoning-gym/chain_sum-v0

Measuring plays 200 episodes of each guest whose package is installed beside the package's own loop,
compares the rewards, and runs the quick audit. `docs/guests/measured.json` holds the figures, and
`scripts/recorded_reasoning_gym.py` writes `recorded.json`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from guest_episodes import AVIARY, OPENENV, PLAYS, VERIFIERS

import textgym
from textgym.checks import audit
from textgym.checks.report import best_attacker
from textgym.errors import TextgymError
from textgym.integrations.reasoning_gym import GENERATORS
from textgym.integrations.reasoning_gym.generator_env import table
from textgym.integrations.textarena import GAMES
from textgym.integrations.textarena.game_env import left_out
from textgym.integrations.textarena.game_env import table as games
from textgym.registry import make

PAGES = Path(__file__).parent / "guests"
MEASURED, RECORDED = PAGES / "measured.json", PAGES / "recorded.json"
SLOW = 0.05  # seconds of a task
MOST_TURNS = 150  # of an audited game
MOST_SECONDS, MOST_OF_A_GAME = 30.0, 10.0  # of the episodes of one guest


def parity(id: str) -> dict[str, Any]:
    """Play a guest beside the package's own loop; return how many rewards are equal, and costs."""
    suite, _, name = id.removesuffix("-v0").partition("/")
    plays = PLAYS[suite if suite in PLAYS else id](name)
    equal, count, ours, own = 0, 0, 0.0, 0.0
    began = time.monotonic()
    for play, play_own in plays:
        before = time.perf_counter()
        reward = play()
        between = time.perf_counter()
        expected = play_own()
        own += time.perf_counter() - between
        ours += between - before
        equal += abs(reward - expected) < 1e-9
        count += 1
        if time.monotonic() - began > (MOST_SECONDS if suite != "textarena" else MOST_OF_A_GAME):
            break
    return {
        "episodes": count,
        "equal": equal,
        "milliseconds": round(1000 * ours / count, 2),
        "own_milliseconds": round(1000 * own / count, 2),
    }


def audited(id: str) -> dict[str, Any]:
    """Return what the quick audit of a guest found."""
    env: Any = id
    if id.startswith("textarena/"):  # a check plays at most 200 messages
        env = make(id, max_turns=min(MOST_TURNS, games()[id[10:-3]]["turns"]))
    report = audit(env, quick=True, tasks=_tasks_of(id)).as_dict()
    failed = [r["check_id"] for r in report["results"] if r["status"] in ("fail", "error")]
    best = best_attacker(report)
    return {
        "verdict": report["verdict"],
        "failed": failed,
        "best_attacker": [best.name, round(best.mean, 3)] if best else None,
    }


def _tasks_of(id: str) -> int | None:
    """Return how many tasks a level an audit plays: fewer where making them takes long."""
    row = table().get(id.partition("/")[2].removesuffix("-v0"))
    is_slow = row and max(row["milliseconds"]) > 1000 * SLOW
    return 3 if is_slow or id.startswith("textarena/") else None


def measure_all(ids: list[str]) -> None:
    """Measure guests, and store their figures: costs one after the other, audits two at once."""
    figures = _stored(MEASURED)

    def add(id: str, measure: Callable[[str], dict[str, Any]]) -> None:
        try:
            found = measure(id)
        except TextgymError as error:
            found = {"error": str(error)}
        figures[id] = {**figures.get(id, {}), **found}
        print(id, found, flush=True)
        MEASURED.write_text(json.dumps(dict(sorted(figures.items())), indent=1) + "\n")

    for id in ids:
        figures.pop(id, None)
        add(id, parity)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda id: add(id, audited), {*ids} - {OPENENV, VERIFIERS}))


def _stored(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def with_figures(text: str) -> str:
    """Return a page with its figures: the parts between two marks."""
    measured, recorded = _stored(MEASURED), _stored(RECORDED)
    lines = "".join(_line(name, measured, recorded) for name in GENERATORS)
    parts = {
        "agreement": _agreement(recorded) + "\n",
        "inflated": _inflated(recorded),
        "refused": _refused(recorded) + "\n",
        "generators": COLUMNS + lines,
        "games": _games(measured),
        "left out": _left_out(),
        "costs": _costs(measured),
    }
    for name, part in parts.items():
        before, mark, rest = text.partition(f"<!-- {name} -->\n")
        if not mark:
            continue
        _, _, after = rest.partition("<!-- end -->")
        text = f"{before}<!-- {name} -->\n{part}<!-- end -->{after}"
    return text


COLUMNS = (
    "| generator | category | levels | without the question | strict | recorded | strict | audit |"
    " cost | own | equal |\n" + "| --- " * 11 + "|\n"
)


def _agreement(recorded: Mapping[str, Any]) -> str:
    sums = {
        key: sum(of.get(key, 0) for of in recorded.values())
        for key in ("answers", "equal", "other tasks")
    }
    if not sums["answers"]:
        return ""
    share = sums["equal"] / sums["answers"]
    other = sorted(
        {
            name.partition("/")[2]
            for name, of in recorded.items()
            if of.get("answers") and of["equal"] < 0.98 * of["answers"]
        }
    )
    return (
        f"Of {sums['answers']:,.0f} answers, {sums['equal']:,.0f} have the recorded score "
        f"({100 * share:.1f} %). The others are mostly of generators whose scorers changed between "
        f"the versions: {', '.join(f'`{name}`' for name in other)}. "
        f"{sums['other tasks']:,.0f} recorded prompts are not made by this version any more."
    )


def _refused(recorded: Mapping[str, Any]) -> str:
    """Return how many recorded answers the filter against code refuses."""
    filtered = [of for of in recorded.values() if of.get("refused")]
    answers, refused, with_credit = (
        sum(of[key] for of in filtered) for key in ("answers", "refused", "refused with credit")
    )
    return (
        f"The filter against code refuses {refused:,.0f} of {answers:,.0f} recorded answers to the "
        f"generators where it refuses any. {with_credit:,.0f} of them have a recorded score "
        "above 0.01."
    )


def _costs(measured: Mapping[str, Any]) -> str:
    rows = (
        (f"`{AVIARY}`, the calculator, two calls", AVIARY, ", with an event loop for each episode"),
        ("`reasoning-gym/chain_sum-v0`", "reasoning-gym/chain_sum-v0", ""),
        ("`textarena/TicTacToe-v0`, with its opponent", "textarena/TicTacToe-v0", ""),
        (f"`{OPENENV}`, two steps", OPENENV, ", with OpenEnv's client"),
        (f"`{VERIFIERS}`", VERIFIERS, ", the score only"),
    )
    lines = "".join(
        f"| {shown} | {measured[id]['milliseconds']} | {measured[id]['own_milliseconds']}{more} |\n"
        for shown, id, more in rows
    )
    return f"| guest | here | the package's own loop |\n| --- | --- | --- |\n{lines}"


def _inflated(recorded: Mapping[str, Any]) -> str:
    """Return the table of the recorded scores that most exceed the strict ones."""
    rows = []
    for name, of in recorded.items():
        if of.get("answers"):
            mean, strict = of["recorded"] / of["answers"], of["strict"] / of["answers"]
            full = of["full"] / of["answers"]
            rows.append((full - strict, name, mean, full, strict, of["expected"] / of["answers"]))
    rows = [row for row in sorted(rows, reverse=True) if row[0] > 0.02]
    if not rows:
        return ""
    lines = "".join(
        f"| {name.replace('/', ', ')} | {mean:.3f} | {full:.3f} | {strict:.3f} | {expected:.3f} |\n"
        for _, name, mean, full, strict, expected in rows
    )
    head = "| tasks | recorded mean | full | strict | expected |\n"
    return f"{head}| --- | --- | --- | --- | --- |\n{lines}"


def _games(measured: Mapping[str, Any]) -> str:
    """Return the table of the games of TextArena."""
    head = "| game | players | turns | random | silent | prompts | audit | cost | own | equal |\n"
    lines = []
    for name in GAMES:
        row, figures = games()[name], measured.get(f"textarena/{name}-v0", {})
        fewest, most = row["players"]
        equal = f"{figures['equal']} of {figures['episodes']}" if "equal" in figures else ""
        lines.append(
            f"| `{name}` | {fewest if fewest == most else f'{fewest} to {most}'} | {row['turns']} "
            f"| {row['random']:.2f} | {row['silent']:.2f} | {row['prompts']} | {_found(figures)} "
            f"| {figures.get('milliseconds', '')} | {figures.get('own_milliseconds', '')} "
            f"| {equal} |\n"
        )
    return head + "| --- " * 10 + "|\n" + "".join(lines)


def _left_out() -> str:
    """Return the table of the games that are left out, by reason."""
    reasons: dict[str, list[str]] = {}
    for name, reason in left_out().items():
        reasons.setdefault(reason, []).append(f"`{name}`")
    lines = (f"| {reason} | {', '.join(names)} |\n" for reason, names in sorted(reasons.items()))
    return "| reason | games |\n| --- | --- |\n" + "".join(lines)


def _found(figures: Mapping[str, Any]) -> str:
    """Return the verdict of an audit, with the checks that failed."""
    found = ", ".join(check.partition(".")[2] for check in figures.get("failed", ()))
    verdict = figures.get("verdict", "")
    return f"{verdict}{': ' if verdict and found else ''}{found}"


def _line(name: str, measured: Mapping[str, Any], recorded: Mapping[str, Any]) -> str:
    row, figures = table()[name], measured.get(f"reasoning-gym/{name}-v0", {})
    of = recorded.get(f"hard/{name}", {})
    mean = strict = ""
    if of.get("answers"):
        mean = f"{of['recorded'] / of['answers']:.2f}"
        strict = f"{of['strict'] / of['answers']:.2f}"
    equal = f"{figures['equal']} of {figures['episodes']}" if "equal" in figures else ""
    return (
        f"| `{name}` | {row['category']} | {len(row['levels']) or 1} "
        f"| {row['chance_original']:.2f} | {row['chance']:.2f} | {mean} | {strict} "
        f"| {_found(figures)} "
        f"| {figures.get('milliseconds', '')} "
        f"| {figures.get('own_milliseconds', '')} | {equal} |\n"
    )


def main() -> None:
    """Measure guests if asked to, and write the pages."""
    PAGES.mkdir(exist_ok=True)
    if "--measure" in sys.argv:
        named = [argument for argument in sys.argv[1:] if argument != "--measure"]
        guests = set(textgym.ids()) - set(textgym.ids(guests=False))
        local = [id for id in guests if id.startswith(("reasoning-gym/", "textarena/"))]
        packages = {AVIARY: "aviary", OPENENV: "openenv", VERIFIERS: "verifiers"}
        local += [id for id, package in packages.items() if find_spec(package)]
        measure_all(named or sorted(local))
    for page in PAGES.glob("*.md"):
        page.write_text(with_figures(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
