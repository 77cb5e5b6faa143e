"""docs/audit.md is made from docs/audit.json, and names everything that there is."""

from __future__ import annotations

import copy
import json
import sys
from typing import Any

import pytest
from repository import DOCS

import textgym
from textgym.checks import CHECKS
from textgym.checks.report import audit_line

sys.path.append(str(DOCS))

import audit_sources
import audit_tables
import make_audit

FIGURES = json.loads(make_audit.FIGURES.read_text(encoding="utf-8"))
PAGE = make_audit.PAGE.read_text(encoding="utf-8")
MCQA = "textgym/MCQA-v0"
RUN = "run `make audit`, or docs/make_audit.py --render"


def test_the_page_is_made_from_the_figures() -> None:
    assert audit_tables.rendered(PAGE, FIGURES) == PAGE, RUN


def test_the_published_lines_are_made_from_the_figures() -> None:
    written = make_audit.PUBLISHED.read_text(encoding="utf-8")
    assert written == make_audit.as_text(make_audit.published(FIGURES)), RUN


def test_the_figures_are_of_all_environments_and_checks() -> None:
    assert sorted(FIGURES["environments"]) == make_audit.suite(), RUN
    for mine in FIGURES["environments"].values():
        assert list(mine["checks"]) == list(CHECKS), RUN
        assert mine["textgym_version"] == textgym._version.__version__, RUN


@pytest.mark.parametrize("id", make_audit.suite())
def test_the_ladders_agree_with_their_check(id: str) -> None:
    mine = FIGURES["environments"][id]
    figures = mine["learnability"]
    ladders = {**figures["informative"], **figures.get("informative_with_partial_credit", {})}
    early = [share for share in figures["shares"] if share <= 0.5]
    reached = [max(ladder[: len(early)]) for ladder in ladders.values()]
    status = mine["checks"]["statistical.learnability"]
    assert status == ("pass" if min(reached) >= 0.5 else "fail"), RUN


@pytest.mark.parametrize("id", make_audit.suite())
def test_the_first_rung_is_audited(id: str) -> None:
    assert textgym.card(id).first_rung
    assert FIGURES["environments"][id]["first_rung"].keys() <= CHECKS.keys()


def test_a_failed_check_of_the_first_rung_differs() -> None:
    (line,) = changed(first_rung={**FIGURES["environments"][MCQA]["first_rung"], "x": "fail"})
    assert line == f"{MCQA}: first_rung: x: None was stored, now fail"


def test_the_figures_are_of_known_attackers() -> None:
    known = {attacker.name for attacker in audit_tables.all_attackers()}
    for mine in FIGURES["environments"].values():
        assert mine["attackers"].keys() | mine["learned"].keys() <= known, RUN


def test_every_registered_environment_passes() -> None:
    failed = {
        id: [
            check
            for check, status in [*mine["checks"].items(), *mine["first_rung"].items()]
            if status == "error" or (status == "fail" and CHECKS[check].severity != "warn")
        ]
        for id, mine in FIGURES["environments"].items()
    }
    assert not any(failed.values()), failed


@pytest.mark.parametrize("id", CHECKS)
def test_the_page_names_the_check(id: str) -> None:
    assert f"| `{id}`" in PAGE


def test_the_page_names_all_attackers_and_what_they_do() -> None:
    for attacker in audit_tables.all_attackers():
        cells = (f"`{attacker.name}`", attacker.summary)
        shown = " | ".join(cell.replace("|", "\\|") for cell in cells)
        assert f"| {shown} |" in PAGE, RUN


def test_every_id_of_the_proposal_is_accounted_for_once() -> None:
    left_out, named = set(audit_tables.NOT_APPLICABLE), audit_tables.RFC_008
    assert named <= CHECKS.keys()
    assert left_out & (named | CHECKS.keys()) == set()
    assert len(left_out | named) == 45
    assert all(f"| `{id}`" in PAGE for id in left_out | named)


def test_textgym_show_has_the_line_of_an_environment_of_the_suite() -> None:
    mine = FIGURES["environments"][MCQA]
    line = audit_line(MCQA)
    assert line.startswith(f"passed {mine['passed']} of {mine['run']} checks (textgym ")
    assert line.endswith("at chance 0.25)")
    assert audit_line("demo/Shop-v0") == ""


# Comparing


def changed(**figures: Any) -> list[str]:
    """Return the differences after figures of an environment were changed."""
    fresh = copy.deepcopy(FIGURES)
    fresh["environments"][MCQA].update(figures)
    return list(make_audit.differences(FIGURES, fresh))


def test_equal_figures_do_not_differ() -> None:
    assert changed() == []


def test_a_scripted_attacker_must_be_equal() -> None:
    found = FIGURES["environments"][MCQA]["attackers"]
    name, (mean, error, episodes) = next(iter(found.items()))
    (line,) = changed(attackers={**found, name: [mean + 1e-6, error, episodes]})
    assert line.startswith(f"{MCQA}: attackers: {name}: [")
    assert len(changed(attackers={**found, "new": [0.0, 0.0, 1]})) == 1
    assert len(changed(attackers={})) == len(found)


@pytest.mark.parametrize(("errors", "differs"), [(2.9, False), (3.1, True)])
def test_a_learned_attacker_may_differ_by_its_error(errors: float, differs: bool) -> None:
    stored, fresh = copy.deepcopy(FIGURES), copy.deepcopy(FIGURES)
    stored["environments"][MCQA]["learned"] = {"words": [0.2, 0.01, 100]}
    fresh["environments"][MCQA]["learned"] = {"words": [0.2 + errors * 0.01, 0.01, 100]}
    assert bool(list(make_audit.differences(stored, fresh))) == differs


def test_a_check_that_failed_differs() -> None:
    checks = {**FIGURES["environments"][MCQA]["checks"], "semantic.oracle_max": "fail"}
    assert changed(checks=checks) == [
        f"{MCQA}: checks: semantic.oracle_max: pass was stored, now fail"
    ]


def test_figures_of_other_environments_differ() -> None:
    fresh = copy.deepcopy(FIGURES)
    del fresh["environments"][MCQA]
    assert len(list(make_audit.differences(FIGURES, fresh))) == 1
    assert len(list(make_audit.differences(FIGURES, {**FIGURES, "quick": "yes"}))) == 1


def test_a_page_without_a_part_is_refused() -> None:
    with pytest.raises(AssertionError, match="one part 'checks', not 0"):
        audit_tables.rendered(PAGE.replace("<!-- checks -->", ""), FIGURES)


# Choosing what is played


def test_an_audit_depends_on_the_environment_and_on_all_that_it_imports() -> None:
    reached = audit_sources.reached({"textgym.envs.mcqa.mcqa_env", audit_sources.AUDITS})
    assert {
        "textgym.envs.mcqa.families.question", "textgym.verifiers.choices.letters",
        "textgym.core.text_env", "textgym.checks.attackers", "textgym.rollouts.engine",
    } <= reached  # fmt: skip
    assert not {name for name in reached if name.startswith(("textgym.cli", "textgym.training"))}
    assert "textgym.envs.haystack.haystack_env" not in reached


@pytest.mark.parametrize(
    ("source", "counts"),
    [
        ('"""Other."""\nX = 1\n@tool\ndef f():\n    """Read."""\n', False),
        ('"""Words."""\nX = (1)  # one\n@tool\ndef f():\n    """Read."""\n', False),
        ('"""Words."""\nX = 2\n@tool\ndef f():\n    """Read."""\n', True),
        ('"""Words."""\nX = 1\n@tool\ndef f():\n    """Write."""\n', True),
    ],
)
def test_only_code_and_the_docstrings_of_tools_count(source: str, counts: bool) -> None:
    code = audit_sources.code_of('"""Words."""\nX = 1\n@tool\ndef f():\n    """Read."""\n')
    assert (audit_sources.code_of(source) != code) is counts


def test_the_data_files_that_code_reads_count() -> None:
    for path in audit_sources.modules().values():
        source = path.read_text(encoding="utf-8")
        if "import packaged_data" in source:
            tables = audit_sources.tables_in(audit_sources.code_of(source))
            assert tables, path
            assert all(path.with_name(table).is_file() for table in tables), path


def test_environments_whose_code_changed_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    two = [MCQA, "textgym/GuessNumber-v0"]  # a digest of all that is imported takes long
    monkeypatch.setattr(make_audit, "suite", lambda: two)
    stored = copy.deepcopy(FIGURES)
    for id in two:
        stored["environments"][id]["sources"] = audit_sources.sources_digest(id)
    assert make_audit.changed(stored) == []
    stored["environments"][MCQA]["sources"] = "another"
    assert make_audit.changed(stored) == [MCQA]
