"""Audits all environments of the suite, and writes what docs/audit.md shows of it.

`python docs/make_audit.py` plays the audits, two at once, and writes

- docs/audit.json: the figures;
- the parts of docs/audit.md that are made from these figures (audit_tables.py);
- textgym/checks/published.json: the line of `textgym show`.

With `--check` it writes nothing, and exits with 1 if the figures differ from docs/audit.json. It
plays only the audits of environments whose code changed since their figures were written
(audit_sources.py). The audits are deterministic, so all figures are equal, except for attackers
that learn: their fits may differ between machines, and are compared within three standard errors.
With `--render` it plays nothing, and writes the page from docs/audit.json. `python
docs/make_audit.py ID...` plays the audits of these environments only, and keeps the figures of the
others.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from audit_sources import sources_digest
from audit_tables import rendered

import textgym
from textgym.checks.report import PANEL_CHECKS, best_attacker, counts, panel_of

DOCS = Path(__file__).resolve().parent
FIGURES, PAGE = DOCS / "audit.json", DOCS / "audit.md"
PUBLISHED = DOCS.parent / "textgym" / "checks" / "published.json"

_SCRIPTED, _LEARNED = PANEL_CHECKS
_AT_ONCE = 2
_LONGEST = "textgym/Program-v0"  # played first, so that it does not end after the others
_TOLERANCE = 3.0  # standard errors
_EXACT = ["tasks", "chance", "references", "checks", "first_rung", "attackers", "learnability"]


def audits(ids: list[str], quick: bool) -> dict[str, Any]:
    """Play the audits of environments, and return their figures."""
    started = time.monotonic()

    def play(id: str) -> dict[str, Any]:
        figures = figures_of(_report(id, ["--quick"] * quick, started))
        if textgym.card(id).first_rung:
            rung = _report(id, ["--quick", "--level", "0"], started)
            figures["first_rung"] = {r["check_id"]: r["status"] for r in rung["results"]}
        return {**figures, "sources": sources_digest(id)}

    ids = sorted(ids, key=lambda id: id != _LONGEST)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        figures = dict(zip(ids, pool.map(play, ids), strict=True))
    return {"quick": quick, "environments": figures}


def _report(id: str, options: list[str], started: float) -> dict[str, Any]:
    """Play an audit in a process of its own, and print how it ended."""
    command = [sys.executable, "-m", "textgym", "audit", id, "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    name = " ".join([id, *options])
    if done.returncode > 1:
        raise SystemExit(f"{name}: {done.stderr.strip()}")
    report: dict[str, Any] = json.loads(done.stdout)
    passed, run, _ = counts(report)
    seconds = time.monotonic() - started
    print(f"{seconds:5.0f} s  {name}: {passed} of {run} checks passed", file=sys.stderr)
    for result in report["results"]:
        if result["status"] in ("fail", "error"):
            print(f"         {result['check_id']}: {result['detail']}", file=sys.stderr)
    return report


def changed(stored: Mapping[str, Any]) -> list[str]:
    """Return the environments whose figures were written before their code changed."""
    known = stored["environments"]
    return [id for id in suite() if known.get(id, {}).get("sources") != sources_digest(id)]


def suite() -> list[str]:
    """Return the ids of the environments of the suite."""
    return [id for id in textgym.ids(guests=False) if id.startswith("textgym/")]


def figures_of(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of a report that are published."""
    results = {result["check_id"]: result for result in report["results"]}
    passed, run, skipped = counts(report)
    best = best_attacker(report)
    panel = panel_of(report)
    return {
        "textgym_version": report["textgym_version"],
        "tasks": report["settings"]["tasks"],
        "passed": passed,
        "run": run,
        "skipped": skipped,
        "chance": report["settings"]["chance"],
        "references": {row.name: row.mean for row in panel.rows if row.is_reference}
        if panel
        else {},
        "best": best.name if best else None,
        "checks": {id: result["status"] for id, result in results.items()},
        "attackers": _means(results.get(_SCRIPTED)),
        "learned": _means(results.get(_LEARNED)),
        "learnability": _ladders(results.get("statistical.learnability")),
    }


def _means(result: Mapping[str, Any] | None) -> dict[str, list[float]]:
    """Return the mean, its standard error and the number of episodes of each attacker."""
    scores = result["measured"].get("attackers", {}) if result else {}
    return {
        name: [score["mean"], score["standard_error"], score["episodes"]]
        for name, score in scores.items()
    }


def _ladders(result: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the shares of informative groups by level and share of the oracle; {} for none."""
    measured = result["measured"] if result else {}
    keys = ("shares", "groups", "informative", "informative_with_partial_credit")
    return {key: measured[key] for key in keys if measured.get(key)}


def differences(stored: Mapping[str, Any], fresh: Mapping[str, Any]) -> Iterator[str]:
    """Yield the differences between fresh figures and stored ones."""
    if stored["quick"] != fresh["quick"]:
        yield f"quick: {stored['quick']} was stored, now {fresh['quick']}"
    old, new = stored["environments"], fresh["environments"]
    for id in sorted(old.keys() | new.keys()):
        if id not in old or id not in new:
            yield f"{id}: stored and fresh figures are not of the same environments"
            continue
        for key in _EXACT:
            yield from _unequal(f"{id}: {key}", old[id].get(key), new[id].get(key))
        yield from _apart(f"{id}: learned", old[id]["learned"], new[id]["learned"])


def _unequal(place: str, old: Any, new: Any) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from _unequal(f"{place}: {key}", old.get(key), new.get(key))
    elif old != new:
        yield f"{place}: {old} was stored, now {new}"


def _apart(
    place: str, old: Mapping[str, list[float]], new: Mapping[str, list[float]]
) -> Iterator[str]:
    for name in sorted(old.keys() | new.keys()):
        if name not in old or name not in new:
            yield f"{place}: {name}: {old.get(name)} was stored, now {new.get(name)}"
            continue
        error = max(old[name][1], new[name][1])
        if abs(old[name][0] - new[name][0]) > _TOLERANCE * error:
            yield f"{place}: {name}: {old[name]} was stored, now {new[name]}"


# Files


def published(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of each environment for `textgym show`."""
    keys = ("textgym_version", "passed", "run", "chance")
    shown = {}
    for id, mine in figures["environments"].items():
        best = (mine["attackers"] | mine["learned"]).get(mine["best"], [None])[0]
        shown[id] = {key: mine[key] for key in keys} | {"best": best}
    return shown


def as_text(value: Any) -> str:
    """Return JSON with a line for each attacker."""
    text = json.dumps(value, indent=1, ensure_ascii=False)
    return re.sub(r"\[\s+([-+.\de,\s]+?)\s+\]", _on_one_line, text) + "\n"


def _on_one_line(numbers: re.Match[str]) -> str:
    return f"[{', '.join(part.strip() for part in numbers[1].split(','))}]"


def write(figures: Mapping[str, Any]) -> None:
    """Write the figures, the page and the lines of `textgym show`."""
    FIGURES.write_text(as_text(figures), encoding="utf-8")
    PAGE.write_text(rendered(PAGE.read_text(encoding="utf-8"), figures), encoding="utf-8")
    PUBLISHED.write_text(as_text(published(figures)), encoding="utf-8")


def main() -> int:
    """Play and write, or compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("ids", nargs="*", metavar="ID", help="only these environments")
    parser.add_argument("--check", action="store_true", help="only compare with docs/audit.json")
    parser.add_argument("--render", action="store_true", help="only write the page")
    parser.add_argument("--quick", action="store_true", help="play few tasks, to try this command")
    given = parser.parse_args()
    if given.render:
        write(json.loads(FIGURES.read_text(encoding="utf-8")))
        return 0
    stored = json.loads(FIGURES.read_text(encoding="utf-8"))
    ids = given.ids or (changed(stored) if given.check else suite())
    print(f"audits to play: {len(ids)} of {len(suite())}", file=sys.stderr)
    fresh = audits(ids, given.quick)
    if given.check:
        stored["environments"] = {
            id: mine for id, mine in stored["environments"].items() if id in ids
        }
        found = list(differences(stored, fresh))
        print("\n".join(found) or "the figures are those of docs/audit.json")
        return 1 if found else 0
    fresh["environments"] = {
        id: (stored["environments"] | fresh["environments"])[id] for id in suite()
    }
    write(fresh)
    return 0


if __name__ == "__main__":
    sys.exit(main())
