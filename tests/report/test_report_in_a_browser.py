"""The report in a real browser, which CI installs: its lists, its episodes, and attacks on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser
from hostile_runs import ATTACK, hostile_run
from stored_episodes import episode, step, stored

from textgym.report import report_page

ROWS = "document.querySelectorAll('#view-episodes table.list tbody tr')"
SHOWN = f"[...{ROWS}].map((row) => row.children[1].textContent)"
EPISODE = "document.querySelector('.detail .episode')"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two runs of 120 tasks; task 8 is solved in the second only, task 9 failed in the first."""
    for name in "ab":
        episodes = []
        for index in range(120):
            reward = 1.0 if index % 2 or (name == "b" and index == 8) else 0.0
            messages = [
                {"role": "user", "content": f"Question {index}"},
                {"role": "assistant", "content": f"{name} says {index}"},
            ]
            steps = [step(1, reward, prompt_ids=[1, 2], token_ids=[3, 4], logprobs=[-0.01, -3.0])]
            known = None if (name, index) == ("a", 9) else reward
            info = {"level": str(index % 3), "verdict_reason": "" if reward else "wrong"}
            episodes.append(
                episode(index, known, messages=messages, steps=steps, info=info, repeat=0)
            )
        stored(tmp_path / name, *episodes)
    return tmp_path


def write(folder: Path, *names: str) -> Path:
    page = folder / "page.html"
    sources = [folder / name for name in names]
    page.write_text(report_page(sources, answers=False), encoding="utf-8")
    return page


def opened(browser: Browser, page: Path, fragment: str = "") -> None:
    browser.requests.clear()
    browser.problems.clear()
    browser.open(page, fragment)
    browser.wait("document.querySelector('nav.views a.current') !== null")


def test_the_list_is_paged_filtered_sorted_and_searched(browser: Browser, folder: Path) -> None:
    opened(browser, write(folder, "a"), "#view-episodes")
    assert browser.run(SHOWN) == [str(n) for n in range(0, 100, 2)]  # lowest reward first
    browser.run("[...document.querySelectorAll('.pager button')][1].click()")
    assert browser.run(f"{SHOWN}.slice(8, 14)") == ["116", "118", "1", "3", "5", "7"]

    def choose(label: str, value: str) -> None:
        browser.run(
            "(() => { const label = [...document.querySelectorAll('.controls label')].find((node) "
            f"=> node.textContent.startsWith('{label} ')); const node = "
            "label.querySelector('select'); const option = [...node.options].find((item) => "
            f"item.textContent === '{value}'); node.value = option.value; "
            "node.dispatchEvent(new Event('change')); })()"
        )

    choose("outcome", "failed")
    assert browser.run(SHOWN) == ["9"]
    choose("outcome", "solved")
    choose("level", "2")
    choose("order", "as stored")
    assert browser.run(f"{SHOWN}.slice(0, 3)") == ["5", "11", "17"]
    browser.run(
        "(() => { const box = document.querySelector('input'); box.value = 'A SAYS 3';"
        "box.dispatchEvent(new Event('change')); })()"
    )
    browser.wait("document.querySelector('.controls .note').textContent.includes('have this')")
    assert browser.run(SHOWN) == ["35"]
    assert browser.problems == []


def test_an_episode_is_shown_with_its_tokens(browser: Browser, folder: Path) -> None:
    opened(browser, write(folder, "a"), "#episode-0-4")
    browser.wait(f"{EPISODE} !== null")
    text = browser.run(f"{EPISODE}.textContent")
    assert "task 4 (test-1-4), repeat 0" in text
    assert "a says 4" in text
    assert "why not fullwrong" in text
    browser.run(f"{EPISODE}.querySelector('.tokens').open = true")
    browser.wait(f"{EPISODE}.querySelectorAll('.token-list .token').length === 2")
    marks = f"[...{EPISODE}.querySelectorAll('.token-list > span')].map((node) => node.className)"
    assert browser.run(marks) == ["given", "token p0", "token p3"]
    assert browser.run(f"{EPISODE}.querySelector('.token-list .p3').title").startswith("id 4, log")
    browser.run("[...document.querySelectorAll('.detail .pager button')][1].click()")
    browser.wait(f"{EPISODE}.textContent.includes('a says 6')")
    assert browser.run("location.hash") == "#episode-0-6"
    assert browser.problems == []


def test_a_failure_is_shown_apart(browser: Browser, folder: Path) -> None:
    opened(browser, write(folder, "a"), "#episode-0-9")
    browser.wait(f"{EPISODE} !== null")
    shown = browser.run(f"{EPISODE}.querySelector('.failure').textContent")
    assert shown == "failed at the policy: PolicyFailureno server\\x1b[2J"


def test_two_runs_are_shown_side_by_side(browser: Browser, folder: Path) -> None:
    opened(browser, write(folder, "a", "b"))
    rows = "document.querySelectorAll('#pairs tbody tr')"
    assert browser.run(f"[...{rows}].map((row) => row.textContent)") == [
        "textgym/MCQA-v0, task 8 (test-1-8)01+10%100%"
    ]
    browser.run(f"{rows}[0].click()")
    browser.wait("document.querySelectorAll('.both .episode').length === 2")
    texts = browser.run(
        "[...document.querySelectorAll('.both .episode')].map((node) => node.textContent)"
    )
    assert "a says 8" in texts[0]
    assert "b says 8" in texts[1]
    assert browser.problems == []


@pytest.mark.parametrize("fragment", ["#episode-9-0", "#episode-0-999", "#nothing", "#__proto__"])
def test_an_unknown_place_shows_the_page(browser: Browser, folder: Path, fragment: str) -> None:
    opened(browser, write(folder, "a"), fragment)
    assert browser.problems == []


def test_nothing_of_a_run_is_run_or_loaded(browser: Browser, tmp_path: Path) -> None:
    hostile_run(tmp_path / "<img src=x onerror=alert(1)>")
    hostile_run(tmp_path / "b", reward=1.0)
    page = write(tmp_path, "<img src=x onerror=alert(1)>", "b")
    opened(browser, page)
    browser.run("document.querySelector('#pairs tbody tr').click()")
    browser.wait("document.querySelectorAll('.both .episode').length === 2")
    visible = ATTACK.replace("\u202e", "\\u202e").replace("\x1b", "\\x1b")
    for run in (0, 1):
        for place in range(5):
            browser.run(f"location.hash = '#episode-{run}-{place}'")
            browser.wait(f"{EPISODE} !== null")
            browser.run("document.querySelectorAll('details').forEach((node) => node.open = true)")
            browser.wait(f"{EPISODE}.querySelector('.tool') !== null")
            assert visible in browser.run(f"{EPISODE}.textContent")
    browser.run(
        "(() => { const box = document.querySelector('input'); box.value = '<script>';"
        "box.dispatchEvent(new Event('change')); })()"
    )
    browser.wait("document.querySelector('.controls .note').textContent.includes('have this')")
    assert browser.run("typeof window.hacked") == "undefined"
    assert browser.run("document.querySelectorAll('iframe, object, link, form').length") == 0
    links = "[...document.querySelectorAll('a')].every((node) => node.href.startsWith('file:'))"
    assert browser.run(links)
    assert {url for url in browser.requests if not url.startswith("data:image/png")} <= {
        page.absolute().as_uri()
    }


def test_the_policy_of_the_page_stops_scripts_and_requests(browser: Browser, folder: Path) -> None:
    """A hole in the page's own code would still run nothing."""
    opened(browser, write(folder, "a"))
    browser.run(
        "document.body.insertAdjacentHTML('beforeend', "
        '\'<img src="https://example.org/x.png" onerror="window.hacked=1">'
        '<iframe srcdoc="x"></iframe>\')'
    )
    browser.run(
        "(() => { const node = document.createElement('script'); node.textContent = "
        "'window.hacked = 2'; document.body.append(node); })()"
    )
    browser.wait("true")
    assert browser.run("typeof window.hacked") == "undefined"
    blocked = browser.run(
        "fetch('https://example.org/').then(() => 'loaded', (error) => 'blocked')"
    )
    assert blocked == "blocked"
    assert any("Content Security Policy" in problem for problem in browser.problems)
