"""The parts of docs/audit.md that are made from the figures of audits.

Each part stands between `<!-- NAME -->` and `<!-- end -->`; `make_audit.py` writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from textgym.checks import CHECKS
from textgym.checks.attackers import Attacker, Knowledge, attackers
from textgym.checks.attackers.knowledge import Lesson
from textgym.checks.report import LEVELS, PanelRow
from textgym.checks.shortcuts import learned

__all__ = ["NOT_APPLICABLE", "RFC_008", "all_attackers", "rendered"]

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

_BEST = 3  # attackers that are named for an environment


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
        assert count == 1, f"docs/audit.md must have one part {name!r}, not {count}"
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
