"""The generated requests: one meaning, which the tools show, and thousands of them."""

from __future__ import annotations

import random
from collections import Counter
from datetime import timedelta
from functools import cache
from typing import Any

import pytest
import workplace_more_meanings  # noqa: F401  gives each template its meaning
from hypothesis import given, settings
from hypothesis import strategies as st
from workplace_facts import MEANINGS, asked_for, written

from textgym.envs.generation import Unfit
from textgym.envs.office.company.company_draft import CompanyDraft
from textgym.envs.office.company.reference import CompanyRun
from textgym.envs.office.company.world import company
from textgym.envs.office.workplace import WorkplaceAssistant
from textgym.envs.office.workplace.templates import LEVELS, TEMPLATES, attempt

WORLDS = 6
NAMES = sorted(TEMPLATES)


@cache
def reading(seed: int) -> CompanyRun:
    """Return the tools of a company, for looking things up."""
    return CompanyRun.at(seed)


def drawn(name: str, rng: random.Random, seed: int) -> dict[str, Any]:
    """Draw a request of one template about one company."""
    for _ in range(2000):
        row = attempt(TEMPLATES[name], rng, company(seed), reading(seed).call)
        if row is not None:
            return {**row, "world": seed}
    raise AssertionError(f"{name} fits nothing of company {seed}")


@cache
def rows(name: str, n: int = 25) -> tuple[dict[str, Any], ...]:
    """Draw requests of one template, from a few companies."""
    rng = random.Random(name)
    return tuple(drawn(name, rng, int(rng.random() * WORLDS)) for _ in range(n))


def test_there_are_templates_of_all_levels_in_all_domains() -> None:
    assert len(TEMPLATES) >= 60
    levels = {(template.level, template.domains[0]) for template in TEMPLATES.values()}
    assert len(levels) == 5 * len(LEVELS)
    assert any(len(template.domains) > 1 for template in TEMPLATES.values())
    assert all(len(template.phrasings) >= 3 for template in TEMPLATES.values())


def test_every_template_has_a_meaning() -> None:
    assert set(MEANINGS) == set(TEMPLATES)


def reference_matches_the_request(name: str) -> None:
    for row in rows(name):
        calls = [(call["name"], call["arguments"]) for call in row["ground_truth"]]
        assert written(calls) == asked_for(row), row["query"]


def only_tagged_requests_have_no_effect(name: str) -> None:
    for row in rows(name):
        assert bool(row.get("no_op")) == (not row["ground_truth"])
        assert row["ground_truth"] or TEMPLATES[name].may_do_nothing


def requests_are_tidy(name: str) -> None:
    for row in rows(name):
        query = row["query"]
        assert query == query.strip()
        assert not {"{", "}", "\n"} & set(query)
        assert "  " not in query
        assert len(row["look_ups"]) + len(row["ground_truth"]) < 30  # the turns that there are
        assert len(row["ground_truth"]) <= 12


def the_same_generator_draws_the_same_request(name: str) -> None:
    one, other = random.Random(3), random.Random(3)
    assert drawn(name, one, 2) == drawn(name, other, 2)
    assert one.getstate() == other.getstate()


def every_id_and_address_of_a_reference_is_shown(name: str) -> None:
    """By a look-up, if not by the request itself."""
    for row in rows(name):
        calls = row["look_ups"]
        answers = [reading(row["world"]).call(call["name"], **call["arguments"]) for call in calls]
        shown = row["query"] + str(answers)
        for call in row["ground_truth"]:
            arguments = call["arguments"].items()
            wanted = [value for key, value in arguments if key.endswith("_id") or "@" in value]
            assert all(value in shown for value in wanted), call


def every_phrasing_comes_up(name: str) -> None:
    starts = Counter(row["query"][:12] for row in rows(name))
    assert max(starts.values()) < len(rows(name))


def templates_that_may_change_nothing_sometimes_do(name: str) -> None:
    if TEMPLATES[name].may_do_nothing:
        assert len({bool(row.get("no_op")) for row in rows(name)}) == 2


def who_looks_nothing_up_cannot_know(name: str) -> None:
    """From the second level on, something of a reference is not in the words of the request."""
    if TEMPLATES[name].level == 1 or name == "two_plots":  # its two calls are named in the request
        return
    assert all(row["look_ups"] for row in rows(name))
    told, decided = 0, Counter[str]()
    for row in rows(name):
        values = [value for call in row["ground_truth"] for value in call["arguments"].values()]
        told += all(value in row["query"] for value in values)
        decided[str(sorted(call["name"] for call in row["ground_truth"]))] += 1
    assert told < len(rows(name)) / 2 or len(decided) > 1


@pytest.mark.parametrize("name", NAMES)
def test_requests_of_a_template_are_as_they_should_be(name: str) -> None:
    for check in (
        reference_matches_the_request,
        only_tagged_requests_have_no_effect,
        requests_are_tidy,
        the_same_generator_draws_the_same_request,
        every_id_and_address_of_a_reference_is_shown,
        every_phrasing_comes_up,
        templates_that_may_change_nothing_sometimes_do,
        who_looks_nothing_up_cannot_know,
    ):
        check(name)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(NAMES), st.integers(0, 2**32), st.integers(0, WORLDS - 1))
def test_reference_matches_the_request_for_random_draws(name: str, seed: int, number: int) -> None:
    row = drawn(name, random.Random(seed), number)
    calls = [(call["name"], call["arguments"]) for call in row["ground_truth"]]
    assert written(calls) == asked_for(row), row["query"]


def test_altered_reference_does_not_match_the_request() -> None:
    row = rows("extend_overdue")[0]
    call = row["ground_truth"][0]
    calls = [(call["name"], {**call["arguments"], "new_value": "2020-01-01"})]
    calls += [(call["name"], call["arguments"]) for call in row["ground_truth"][1:]]
    assert written(calls) != asked_for(row)


def test_thousands_of_requests_differ() -> None:
    queries = set()
    for level in LEVELS:
        env = WorkplaceAssistant(level=level, worlds=4)
        queries |= {env.get_task(index).row["query"] for index in range(500)}
    assert len(queries) > 2300


def test_a_tie_is_unfit() -> None:
    draft = CompanyDraft(random.Random(1), company(1), reading(1).call)
    assert draft.top({"Ann": 2, "Bo": 1}) == "Ann"
    with pytest.raises(Unfit):
        draft.top({"Ann": 2, "Bo": 2})


def test_event_on_the_boundary_day_is_unfit() -> None:
    draft = CompanyDraft(random.Random(1), company(1), reading(1).call)
    days = [{"due": str(draft.today - timedelta(days=days))} for days in (2, 3, 4)]
    assert draft.before([days[0], days[2]], "due", 3) == [days[2]]
    assert draft.since([days[0], days[2]], "due", 3) == [days[0]]
    with pytest.raises(Unfit):
        draft.before(days, "due", 3)


def test_too_many_writes_are_unfit() -> None:
    draft = CompanyDraft(random.Random(1), company(1), reading(1).call)
    tasks = draft.company.world["project_tasks"]
    for task in tasks[:12]:
        draft.delete_task(task)
    with pytest.raises(Unfit):
        draft.delete_task(tasks[12])
