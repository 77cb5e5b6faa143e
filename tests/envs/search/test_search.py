"""Search: tools, what counts as answered and cited, shaping, rows."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.envs.search import Search
from textgym.envs.search.world import archive
from textgym.errors import RowError, StateError, UsageError
from textgym.messages import assistant_calls, text_of

ARCHIVE = archive(3, 200)
TOWN = next(
    thing
    for thing in ARCHIVE.things.values()
    if thing.kind == "town" and {"founder", "mayor"} <= thing.values.keys()
)
FOUNDER = ARCHIVE.things[TOWN.values["founder"]]
OTHER = next(id for id in ARCHIVE.documents if id not in (TOWN.document, FOUNDER.document))
ROW: dict[str, Any] = {
    "question": f"What is the trade of the founder of {TOWN.name}?",
    "answer": "lute maker",
    "sources": [TOWN.document, FOUNDER.document],
    "world": 3,
    "size": 200,
}
BOTH = f"{TOWN.document}, {FOUNDER.document}"


def played(
    text: str, row: dict[str, Any] = ROW, opened: list[str] | None = None, **options: Any
) -> dict[str, Any]:
    """Open documents, say a text, and return the components of its grade with the reward."""
    env = Search(**options)
    env.reset(options={"task": row})
    for id in row["sources"] if opened is None else opened:
        env.step(assistant_calls(("open", {"id": id})))
    _, reward, terminated, _, info = env.step(text)
    assert terminated
    return {**info["reward_components"], "reward": reward, "success": info["is_success"]}


def said(tool: str, **arguments: Any) -> str:
    env = Search()
    env.reset(options={"task": ROW})
    observation, *_ = env.step(assistant_calls((tool, arguments)))
    return text_of(observation[-1])


@pytest.mark.parametrize(
    "text",
    [
        f"Answer: lute maker\nSources: {BOTH}",
        f"He made lutes.\n\n**Answer:** Lute maker.\n**Sources:** {BOTH}",
        f"answer: 'lute maker'\nsources: {FOUNDER.document} and {TOWN.document}.",
        f"Answer: tailor\nSources: {OTHER}\nNo.\nAnswer: lute maker\nSources: {BOTH}",
        f"<think>Answer: tailor</think>Answer: lute maker\nSource: {BOTH}",
        f"__Answer:__ lute maker\n__Sources:__ {BOTH}",
        f"Answer: lute maker\n_Sources: {BOTH}_",
    ],
)
def test_a_right_answer_with_the_right_sources_wins(text: str) -> None:
    assert played(text)["reward"] == 1


@pytest.mark.parametrize(
    ("text", "answer", "sources"),
    [
        ("Answer: lute maker", 1, 0),
        (f"Sources: {BOTH}", 0, 1),
        (f"Answer: lute maker\nSources: {TOWN.document}", 1, 0),
        (f"Answer: lute maker\nSources: {BOTH}, {OTHER}", 1, 0),
        (f"Answer: lute maker or tailor\nSources: {BOTH}", 0, 1),
        (f"Answer: unknown\nSources: {BOTH}", 0, 1),
        (f"Answer: lute maker\nSources: {BOTH}\nAnswer: tailor", 0, 1),
        (f"lute maker {BOTH}", 0, 0),
        ("", 0, 0),
    ],
)
def test_everything_else_loses(text: str, answer: float, sources: float) -> None:
    graded = played(text)
    assert (graded["answer"], graded["sources"], graded["reward"]) == (answer, sources, 0)
    assert graded["few_steps"] == 0


@pytest.mark.parametrize(
    "part",
    ["\n", "\r\n", "*", "_", " ", "* \n", "_\n", "Sources", "\nsource ", "Sources: D-0412 ", "D-"],
    ids=repr,
)
def test_a_megabyte_is_graded(part: str) -> None:
    assert played(part * (1_000_000 // len(part)))["reward"] == 0


def test_what_was_not_opened_cannot_be_cited() -> None:
    graded = played(f"Answer: lute maker\nSources: {BOTH}", opened=[TOWN.document])
    assert (graded["sources"], graded["reward"]) == (0, 0)


def test_opening_more_than_is_cited_is_no_mistake() -> None:
    opened = [*ROW["sources"], OTHER]
    assert played(f"Answer: lute maker\nSources: {BOTH}", opened=opened)["reward"] == 1


def test_unknown_is_the_answer_where_there_is_none() -> None:
    row = {**ROW, "answer": None}
    assert played(f"Answer: unknown\nSources: {BOTH}", row)["reward"] == 1
    assert played(f"Answer: lute maker\nSources: {BOTH}", row)["reward"] == 0


@pytest.mark.parametrize(
    ("text", "opened", "reward"),
    [
        (f"Answer: lute maker\nSources: {BOTH}", ROW["sources"], 1.0),
        (f"Answer: lute maker\nSources: {BOTH}", [*ROW["sources"] * 4], 0.9),
        ("Answer: lute maker", [], 0.5),
        (f"Answer: tailor\nSources: {BOTH}", ROW["sources"], 0.3),
        ("", [], 0.0),
    ],
)
def test_shaping_pays_the_answer_the_sources_and_few_steps(
    text: str, opened: list[str], reward: float
) -> None:
    graded = played(text, opened=opened, shaped=True)
    assert graded["reward"] == pytest.approx(reward)
    assert graded["success"] == (reward >= 0.9)


def test_search_shows_titles_and_beginnings_and_counts_pages() -> None:
    shown = said("search", query=TOWN.name).splitlines()
    assert shown[0].startswith("page 1 of ")
    assert shown[1].startswith(f"{TOWN.document}: {TOWN.name}, a town: ")
    assert len(shown) <= 6


def test_open_shows_the_whole_document() -> None:
    document = ARCHIVE.documents[TOWN.document]
    assert said("open", id=TOWN.document) == f"{document.id}: {document.title}\n{document.text}"


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("search", {"query": "xyzzy"}, "no document has a word of the query"),
        ("search", {"query": ""}, "no document has a word of the query"),
        ("search", {"query": "town", "page": 900}, "there are only"),
        ("search", {"query": "town", "page": 0}, "page"),
        ("open", {"id": "D-0000"}, "there is no document 'D-0000'; an id is like D-0412"),
        ("open", {"id": ""}, "there is no document ''"),
    ],
)
def test_errors_of_tools_say_what_is_wrong(
    tool: str, arguments: dict[str, Any], error: str
) -> None:
    assert error in said(tool, **arguments)


@given(st.text(max_size=200))
def test_any_query_and_any_answer_can_be_said(text: str) -> None:
    assert said("search", query=text)
    assert played(text)["reward"] == 0


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"question": ""}, "question"),
        ({"answer": 7}, "answer"),
        ({"sources": []}, "sources"),
        ({"sources": ["D-0000"]}, "sources"),
        ({"world": "3"}, "world"),
        ({"size": 100}, "size"),
        ({"size": None}, "size"),
    ],
)
def test_errors_of_rows_name_the_field(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(RowError) as caught:
        Search().reset(options={"task": {**ROW, **changes}})
    assert caught.value.field == field


@pytest.mark.parametrize("options", [{"documents": 10}, {"shaped": 1}, {"worlds": 0}])
def test_wrong_arguments_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(options))):
        Search(**options)


def test_a_state_with_an_unknown_document_is_refused() -> None:
    env = Search()
    env.reset(options={"task": ROW})
    state = env.get_state()
    state["state"]["opened"] = ["D-0000"]
    with pytest.raises(StateError, match="D-0000"):
        env.set_state(state)
