"""The HTML page of audits: it holds everything, loads nothing, and nothing in it is markup."""

from __future__ import annotations

import re
from typing import Any

import pytest
from html_reader import Reader
from hypothesis import given
from hypothesis import strategies as st

from textgym.checks import Report, Result
from textgym.report import html_page
from textgym.report.elements import MAX_SHOWN, element, escaped

SETTINGS = {"quick": False, "tasks": 200, "chance": 0.25, "wrappers": [], "attackers": []}
ATTACK = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>"


def report(*results: Result, target: str = "demo/A-v0", **more: Any) -> dict[str, Any]:
    """Return a report as JSON."""
    fields = {"kwargs": {}, "card": {"summary": "Say it."}, "settings": SETTINGS} | more
    return Report(target, results=results, textgym_version="0.1.0", **fields).as_dict()


def failure(**evidence: Any) -> Result:
    return Result("semantic.floor_gap", "fail", detail="paid", evidence=[evidence], remediation="x")


def floor(count: int) -> Result:
    attackers = {
        f"a{i}": {"family": "texts", "mean": i / 100, "standard_error": 0.01, "episodes": 100}
        for i in range(count)
    }
    measured = {"attackers": attackers, "oracle": 1.0, "guess": 0.2, "chance": 0.25}
    return Result("statistical.adversarial_floor", "pass", measured=measured)


def test_the_page_loads_nothing_and_has_no_script() -> None:
    page = html_page([report(failure(messages=[{"role": "user", "content": "Hi"}]), floor(3))])
    read = Reader(page)
    assert {name for name, _ in read.elements} & {"script", "link", "img", "iframe"} == set()
    assert not re.search(r"url\(|@import|https?://", page)
    for _, attributes in read.elements:
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")


@pytest.mark.parametrize(
    "made",
    [
        lambda: report(failure(messages=[{"role": "assistant", "content": ATTACK}])),
        lambda: report(failure(messages=[{"role": ATTACK, "content": None, ATTACK: ATTACK}])),
        lambda: report(failure(messages=[{"role": "user", "content": [{"text": ATTACK}]}])),
        lambda: report(failure(messages=ATTACK, **{ATTACK: ATTACK})),
        lambda: report(Result("semantic.floor_gap", "fail", detail=ATTACK, remediation=ATTACK)),
        lambda: report(Result("semantic.floor_gap", "pass", measured={ATTACK: 1, "b": ATTACK})),
        lambda: report(target=ATTACK, card={"summary": ATTACK}, kwargs={ATTACK: ATTACK}),
        lambda: report(settings=SETTINGS | {"wrappers": [ATTACK]}),
        lambda: report(Result("statistical.adversarial_floor", "pass", measured={"chance": 0.5,
            "attackers": {ATTACK: {"family": ATTACK, "mean": 0.5, "standard_error": 0.1,
                           "episodes": 9}}})),
        lambda: report(Result(f'semantic."{ATTACK}', "fail")),
    ],
)  # fmt: skip
def test_html_in_a_report_is_text(made: Any) -> None:
    read = Reader(html_page([made(), made()]))
    assert "script" not in {name for name, _ in read.elements}
    assert not any("onerror" in attributes for _, attributes in read.elements)
    assert ATTACK in read.text


@given(st.text(st.characters()))
def test_any_text_is_text(text: str) -> None:
    read = Reader(element("pre", escaped(text)))
    assert [name for name, _ in read.elements] == ["pre"]


def test_characters_that_cannot_be_seen_are_shown() -> None:
    page = html_page([report(failure(messages=[{"role": "user", "content": "\x00\u202e\x1b[2J"}]))])
    assert "\\x00\\u202e\\x1b[2J" in Reader(page).text


def test_a_surrogate_can_be_written() -> None:
    page = html_page([report(failure(messages=[{"role": "user", "content": "\ud800"}]))])
    assert b"\\ud800" in page.encode("utf-8")


def test_a_long_text_is_cut_and_says_so() -> None:
    page = html_page([report(failure(messages=[{"role": "user", "content": "x" * 50_000}]))])
    read = Reader(page).text
    assert "x" * MAX_SHOWN + f"… ({50_000 - MAX_SHOWN:,} more characters" in read
    assert "x" * (MAX_SHOWN + 1) not in read


def test_several_environments_have_a_table_of_contents() -> None:
    page = html_page([report(target="demo/A-v0"), report(failure(), target="demo/B-v0")])
    read = Reader(page)
    links = [attributes["href"] for name, attributes in read.elements if name == "a"]
    ids = {attributes["id"] for _, attributes in read.elements if "id" in attributes}
    assert links[:2] == ["#env-1", "#env-2"]
    assert {str(link)[1:] for link in links} <= ids
    assert "Audit of 2 environments" in read.text


def test_one_environment_has_no_table_of_contents() -> None:
    read = Reader(html_page([report()]))
    assert "nav" not in {name for name, _ in read.elements}
    assert "Audit of demo/A-v0" in read.text


def test_ids_of_elements_are_unique() -> None:
    both = [report(failure(), floor(1)), report(failure(), floor(1))]
    ids = [
        attributes["id"] for _, attributes in Reader(html_page(both)).elements if "id" in attributes
    ]
    assert len(ids) == len(set(ids)) == 6


def test_failed_checks_are_linked_and_unfolded_and_others_are_folded() -> None:
    page = html_page([report(failure(), Result("static.manifest", "pass"))])
    checks = [a for name, a in Reader(page).elements if name == "details" and a["class"] == "check"]
    assert [("open" in a, a["id"]) for a in checks] == [
        (False, "env-1-static.manifest"),
        (True, "env-1-semantic.floor_gap"),
    ]
    assert 'href="#env-1-semantic.floor_gap"' in page


def test_all_attackers_are_on_the_page_as_bars_within_the_scale() -> None:
    page = html_page([report(floor(60))])
    read = Reader(page)
    assert all(f">a{i}<" in page for i in range(60))
    styles = [str(a["style"]) for name, a in read.elements if name == "i" and "style" in a]
    numbers = [float(number) for style in styles for number in re.findall(r"([-\d.]+)%", style)]
    assert len(styles) >= 120
    assert all(0 <= number <= 100 for number in numbers)


def test_a_skipped_check_says_why_and_a_passed_one_what_it_measured() -> None:
    results = [
        Result("runtime.tool_arguments", "skip", detail="the environment has no tools"),
        Result("semantic.oracle_max", "pass", measured={"episodes": 1200, "below_maximum": 0}),
    ]
    text = Reader(html_page([report(*results)])).text
    assert "the environment has no tools" in text
    assert "episodes 1,200, below maximum 0" in text
