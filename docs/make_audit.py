"""Audits all environments of the suite, and writes what docs/audit.md shows of it.

`python docs/make_audit.py` plays the audits, two at once, and writes

- docs/audit.json: the figures;
- the parts of docs/audit.md between `<!-- NAME -->` and `<!-- end -->`, made from these figures;
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
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path
from typing import Any

from audit_sources import sources_digest

import textgym
from textgym.checks import CHECKS
from textgym.checks.attackers import Attacker, Knowledge, attackers
from textgym.checks.attackers.knowledge import Lesson
from textgym.checks.report import LEVELS, PANEL_CHECKS, PanelRow, best_attacker, counts, panel_of
from textgym.checks.shortcuts import learned

DOCS = Path(__file__).resolve().parent
FIGURES, PAGE = DOCS / "audit.json", DOCS / "audit.md"
PUBLISHED = DOCS.parent / "textgym" / "checks" / "published.json"

_NO_IMAGE = "A library in one process has no image, build or container."
_SAME_PROCESS = "Environments run in the caller's process, with the caller's rights."
_MODELS = "Needs reference models and their inference; play them with `textgym eval`."
NOT_APPLICABLE = {
    "static.reproducible_build": _NO_IMAGE,
    "static.image_hygiene": _NO_IMAGE,
    "static.layout": _NO_IMAGE,
    "static.sbom": _NO_IMAGE,
    "static.oci_labels": _NO_IMAGE,
    "static.resource_declaration": _NO_IMAGE,
    "static.timeout_ceiling": "Episodes end by their number of turns; `max_turns` is the ceiling.",
    "static.dependency_pinning": "The package pins its dependencies, not the environment.",
    "static.task_distribution_pinning": "The id and its version seed all generated tasks.",
    "runtime.egress_denied": _SAME_PROCESS,
    "runtime.host_containment": _SAME_PROCESS,
    "runtime.resource_bounds": _SAME_PROCESS,
    "runtime.oracle_containment": "Actions are messages, which cannot reach the environment.",
    "runtime.rubric_introspectable": "`runtime.observation_schema` checks `reward_components`.",
    "runtime.reward_attribution": "`runtime.observation_schema` checks `reward_components`.",
    "hub.layer_isolation": _NO_IMAGE,
    "hub.time_to_first_work": _NO_IMAGE,
    "hub.cosign_signature": _NO_IMAGE,
    "hub.cross_host_determinism": "For operators; `--check` of the page's figures does it in CI.",
    "hub.immutable_versioning": "For operators; ids have a version.",
    "statistical.reward_reachability": _MODELS,
    "statistical.headroom": _MODELS,
    "statistical.variance_bound": _MODELS,
    "statistical.training_signal": _MODELS,
    "statistical.gameability_gap": _MODELS,
}
"""Ids of RFC 008 that no check has, and the reason."""

RFC_008 = {
    "static.manifest", "runtime.episode_isolation", "runtime.reward_well_formed",
    "runtime.observation_schema", "runtime.state_contract", "runtime.tool_declaration_accuracy",
    "runtime.task_declaration_accuracy", "runtime.seed_control", "runtime.episode_determinism",
    "semantic.oracle_max", "semantic.floor_gap", "semantic.canary_floor",
    "semantic.no_solution_leakage", "semantic.verifier_determinism",
    "semantic.verifier_portability", "semantic.replayability", "statistical.adversarial_floor",
    "runtime.trajectory_record", "semantic.resource_envelope", "statistical.difficulty_separation",
}  # fmt: skip
"""The other ids of RFC 008, which are ids of checks."""

_SCRIPTED, _LEARNED = PANEL_CHECKS
_AT_ONCE = 2
_TOLERANCE = 3.0  # standard errors
_EXACT = ["tasks", "chance", "references", "checks", "first_rung", "attackers", "learnability"]
_BEST = 3  # attackers that are named for an environment


def audits(ids: list[str], quick: bool) -> dict[str, Any]:
    """Play the audits of environments, and return their figures."""
    started = time.monotonic()

    def play(id: str) -> dict[str, Any]:
        figures = figures_of(_report(id, ["--quick"] * quick, started))
        if textgym.card(id).first_rung:
            rung = _report(id, ["--quick", "--level", "0"], started)
            figures["first_rung"] = {r["check_id"]: r["status"] for r in rung["results"]}
        return {**figures, "sources": sources_digest(id)}

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


# The page


def rendered(page: str, figures: Mapping[str, Any]) -> str:
    """Return the page with its generated parts made from figures."""
    parts = {
        "checks": checks_table(),
        "not applicable": left_out_table(),
        "environments": environments_table(figures),
        "panel": panel_table(figures),
        "attackers": attackers_tables(figures),
    }
    for name, text in parts.items():
        start, end = re.escape(f"<!-- {name} -->"), re.escape("<!-- end -->")
        new = f"<!-- {name} -->\n\n{text}\n\n<!-- end -->"
        page, count = re.subn(f"{start}.*?{end}", lambda found, new=new: new, page, flags=re.S)
        assert count == 1, f"{PAGE} must have one part {name!r}, not {count}"
    return page


def checks_table() -> str:
    """Return the checks by id."""
    rows = [
        (
            f"`{check.id}`" + (" (warning)" if check.severity == "warn" else ""),
            check.summary,
            "RFC 008" if check.id in RFC_008 else "textgym",
            "check" if check.fast else "audit",
        )
        for check in sorted(CHECKS.values(), key=lambda check: _level(check.id))
    ]
    return _table(("id", "what must hold", "named by", "run by"), rows)


def left_out_table() -> str:
    """Return the ids of RFC 008 that no check has, with the reasons."""
    missing = dict.fromkeys(sorted(RFC_008 - CHECKS.keys(), key=_level), "Not yet.")
    rows = [(f"`{id}`", why) for id, why in (missing | NOT_APPLICABLE).items()]
    return _table(("id", "why not"), rows)


def environments_table(figures: Mapping[str, Any]) -> str:
    """Return the number of checks of each level, and of level 0, that each environment passes."""
    rows = []
    for id, mine in figures["environments"].items():
        cells = []
        for level in LEVELS:
            statuses = [s for check, s in mine["checks"].items() if check.startswith(f"{level}.")]
            cells.append(_passed(statuses))
        cells.append(_passed(mine.get("first_rung", {}).values()))
        rows.append((_link(id), *cells, str(mine["skipped"])))
    return _table(("environment", *LEVELS, "first rung", "skipped"), rows)


def _passed(statuses: Iterable[str]) -> str:
    run = [status for status in statuses if status != "skip"]
    return f"{run.count('pass')} of {len(run)}" if run else "-"


def panel_table(figures: Mapping[str, Any]) -> str:
    """Return the best attackers of each environment beside chance, random policy and oracle."""
    rows = []
    for id, mine in figures["environments"].items():
        scripted, fitted = (_sorted(mine[key]) for key in ("attackers", "learned"))
        references = mine["references"]
        rows.append(
            (
                _link(id),
                f"{mine['chance']:.3f}",
                _mean(references.get("random")),
                _best(scripted, _BEST),
                _best(fitted, 1),
                _mean(references.get("oracle")),
            )
        )
    return _table(
        ("environment", "chance", "random", "best attackers", "best learned", "oracle"), rows
    )


def attackers_tables(figures: Mapping[str, Any]) -> str:
    """Return all attackers by family, with what each does and its mean in each environment."""
    environments = figures["environments"]
    header = ("attacker", "what it does", *(id.split("/")[-1] for id in environments))
    parts = []
    for family, mine in groupby(all_attackers(), key=lambda attacker: attacker.family):
        rows = []
        for attacker in mine:
            found = [env["attackers"] | env["learned"] for env in environments.values()]
            means = (_mean(env.get(attacker.name, [None])[0], 2) for env in found)
            rows.append((f"`{attacker.name}`", attacker.summary, *means))
        parts.append(f"### {family.capitalize()}\n\n{_table(header, rows)}")
    return "\n\n".join(parts)


def all_attackers() -> list[Attacker]:
    """Return all attackers, the learned ones last."""
    known = Knowledge([Lesson("Put the answer in \\boxed{}.")])  # some are for answers in a form
    return [*attackers(known), *learned(known)]


def _level(id: str) -> int:
    level = id.partition(".")[0]
    return LEVELS.index(level) if level in LEVELS else len(LEVELS)


def _sorted(means: Mapping[str, list[float]]) -> list[tuple[str, list[float]]]:
    return sorted(means.items(), key=lambda item: (-item[1][0], item[0]))


def _best(means: list[tuple[str, list[float]]], count: int) -> str:
    """Return the attackers with the highest means, without those that get the least."""
    least = means[-1][1][0] if means else 0.0
    named = []
    for name, (mean, error, episodes) in means[:count]:
        if mean > least:
            half = PanelRow.of(name, "", mean, error, int(episodes)).half
            named.append(f"`{name}` {mean:.3f}" + ("" if half is None else f" ±{half:.3f}"))
    return "; ".join(named) or (f"all {least:.3f}" if means else "-")


def _mean(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _link(id: str) -> str:
    name = id.split("/")[-1]
    return f"[`{name}`](environments/{name}.md)"


def _table(header: tuple[str, ...], rows: list[Any]) -> str:
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines
    )


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
