"""What `partial_credit=True` pays for documents and for searches, case by case."""

from __future__ import annotations

import json
from typing import Any

import gymnasium
import pytest
from blind_policies import play
from hypothesis import given, settings
from hypothesis import strategies as st
from more_credit_attacks import MORE_ATTACKS

import textgym  # noqa: F401  registers the environments
from textgym.envs.search.world import archive
from textgym.envs.structured_output.leaves import leaf_share, share_read
from textgym.errors import UsageError
from textgym.messages import assistant_calls
from textgym.registry import environment_class

# Documents.

SCHEMA = {
    "type": "object",
    "properties": {
        "guest": {"type": "string"},
        "nights": {"type": "integer", "minimum": 1, "maximum": 30},
        "room": {"enum": ["single", "double"]},
        "paid": {"type": "boolean"},
        "note": {"type": ["string", "null"]},
        "extras": {"type": "array", "items": {"type": "string"}},
        "city": {"type": "string"},
    },
}
RECORD = {
    "guest": "Ann Lee",
    "nights": 12,
    "room": "double",
    "paid": True,
    "note": None,
    "extras": ["cot", "lamp"],
    "city": "Oslo",
}  # the guest, the nights, two extras and the city cannot be guessed
ROW = {"text": "…", "schema": SCHEMA, "record": RECORD, "format": "json"}


def reward_of(document: Any, row: dict[str, Any] = ROW) -> float:
    env = gymnasium.make("textgym/StructuredOutput-v0", partial_credit=True)
    env.reset(options={"task": row})
    text = document if isinstance(document, str) else json.dumps(document)
    _, reward, _, _, info = env.step(text)
    assert info["is_success"] == (reward == 1)
    return float(reward)


def changed(**values: Any) -> dict[str, Any]:
    return {**RECORD, **values}


def without(*names: str) -> dict[str, Any]:
    return {name: value for name, value in RECORD.items() if name not in names}


@pytest.mark.parametrize(
    ("document", "fifths"),
    [
        pytest.param(changed(city="Rome"), 3, id="a wrong value cancels a right one"),
        pytest.param(without("city"), 4, id="a missing value cancels none"),
        pytest.param(without("room", "paid", "note"), 5, id="what can be guessed is not counted"),
        pytest.param(changed(room="single"), 4, id="a wrong choice cancels a right value"),
        pytest.param(changed(note="none"), 4, id="a text in place of null"),
        pytest.param(changed(extras=["cot", "lamp", "fan"]), 4, id="an item too many"),
        pytest.param(changed(extras=["fan", "cot", "lamp"]), 0, id="items in other places"),
        pytest.param(changed(extras=[]), 2, id="no items, where there are some"),
        pytest.param(changed(more={"a": 1, "b": 2}), 3, id="superfluous values"),
        pytest.param(changed(nights="12"), 3, id="a string for a number"),
        pytest.param(changed(nights=12.0), None, id="12.0 is 12"),
        pytest.param({"guest": "Ann Lee"}, 1, id="one value"),
        pytest.param({"room": "double", "paid": True, "note": None}, 0, id="guesses"),
        pytest.param({"record": RECORD}, 0, id="the right values at other paths"),
        pytest.param([RECORD], 0, id="a list of the record"),
        pytest.param(f"Here it is: {json.dumps(RECORD)}", 0, id="no document"),
        pytest.param(json.dumps(RECORD)[:-1], 0, id="an unfinished document"),
        pytest.param(json.dumps(RECORD) * 2, 0, id="two documents"),
        pytest.param("", 0, id="nothing"),
    ],
)
def test_documents_earn_their_share(document: Any, fifths: int | None) -> None:
    expected = 1.0 if fifths is None else round(1024 * 0.5 * fifths / 5) / 1024
    assert reward_of(document) == expected


def test_a_record_that_can_only_be_guessed_is_paid_at_the_end() -> None:
    row = {**ROW, "record": {"room": "double", "paid": False}}
    assert reward_of({"room": "double"}, row) == 0
    assert reward_of({"room": "double", "paid": False}, row) == 1


def test_a_row_without_a_record_earns_nothing_in_part() -> None:
    row = {"schema_str": json.dumps({"type": "object", "properties": {"a": {"type": "string"}}})}
    env = gymnasium.make("textgym/StructuredOutput-v0", partial_credit=True)
    for text, reward in (('{"a": "x"}', 1.0), ('{"a": 1}', 0.0), ("{", 0.0)):
        env.reset(options={"task": row})
        assert env.step(text)[1] == reward


def test_a_call_is_paid_like_a_document() -> None:
    env = gymnasium.make("textgym/StructuredOutput-v0", partial_credit=True)
    row = {**ROW, "format": "tool", "name": "save"}
    for name, rewards in (("save", [0.2998046875]), ("keep", [0, 0])):
        env.reset(options={"task": row})
        steps = [assistant_calls((name, changed(city="Rome"))), "Saved."]
        assert [env.step(step)[1] for step in steps[: len(rewards)]] == rewards


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | st.sampled_from(["", "a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=8,
)


@settings(deadline=None, derandomize=True, database=None)
@given(JSON_VALUES, JSON_VALUES, JSON_VALUES)
def test_shares_are_from_0_to_1_and_only_the_record_has_all(
    record: Any, value: Any, schema: Any
) -> None:
    assert 0 <= share_read(record, value, schema) <= leaf_share(record, value) * 8
    assert leaf_share(record, record) == 1.0
    assert share_read(record, record, schema) in (0.0, 1.0)
    assert share_read(record, value, schema) <= share_read(record, record, schema)


@pytest.mark.parametrize("name", MORE_ATTACKS["textgym/StructuredOutput-v0"])
def test_level_0_pays_no_part_of_a_document(name: str) -> None:
    cls = environment_class("textgym/StructuredOutput-v0")
    for index in range(5):
        rewards = [
            play(
                cls(level=0, split="validation", partial_credit=pays),
                MORE_ATTACKS["textgym/StructuredOutput-v0"][name],
                index,
            )
            for pays in (False, True)
        ]
        assert rewards[0] == rewards[1]


# Searches.

ARCHIVE = archive(3, 200)
TOWN = next(
    thing
    for thing in ARCHIVE.things.values()
    if thing.kind == "town" and {"founder", "mayor"} <= thing.values.keys()
)
FIRST, SECOND = TOWN.document, ARCHIVE.things[TOWN.values["founder"]].document
OTHERS = [id for id in ARCHIVE.documents if id not in (FIRST, SECOND)][:4]
QUESTION = {
    "question": f"What is the trade of the founder of {TOWN.name}?",
    "answer": "lute maker",
    "sources": [FIRST, SECOND],
    "world": 3,
    "size": 200,
}
BOTH = f"{FIRST}, {SECOND}"


def search_rewards(*steps: str | list[str], **changes: Any) -> list[float]:
    """Open documents, or say texts, and return the rewards."""
    env = gymnasium.make("textgym/Search-v0", partial_credit=True)
    env.reset(options={"task": {**QUESTION, **changes}})
    made_of = [
        step if isinstance(step, str) else assistant_calls(*(("open", {"id": id}) for id in step))
        for step in steps
    ]
    return [float(env.step(message)[1]) for message in made_of]


@pytest.mark.parametrize(
    ("steps", "paid"),
    [
        pytest.param([[FIRST], "Hm"], [0, 0], id="what the question names"),
        pytest.param([[FIRST], [SECOND], "Hm"], [0, 0.25, 0], id="what is found"),
        pytest.param([[FIRST], [SECOND], [SECOND], "Hm"], [0, 0.25, 0, 0], id="opened again"),
        pytest.param([[FIRST, OTHERS[0]], [SECOND], "Hm"], [0, 171 / 1024, 0], id="one in vain"),
        pytest.param([[FIRST, SECOND], OTHERS, "Hm"], [0.25, -171 / 1024, 0], id="four in vain"),
        pytest.param(
            [[FIRST], [SECOND], f"Answer: lute maker\nSources: {SECOND}"],
            [0, 0.25, 0.25],
            id="the answer without a source",
        ),
        pytest.param(
            [[FIRST], [SECOND], f"Answer: lute maker\nSources: {BOTH}"], [0, 0.25, 0.75], id="all"
        ),
        pytest.param(
            [[FIRST], [SECOND], f"Answer: tailor\nSources: {BOTH}"], [0, 0.25, 0], id="the sources"
        ),
        pytest.param([[FIRST], f"Answer: lute maker\nSources: {BOTH}"], [0, 0], id="not read"),
        pytest.param([f"Answer: lute maker\nSources: {BOTH}"], [0], id="nothing opened"),
        pytest.param([["D-00000"], "Hm"], [0, 0], id="no document"),
    ],
)
def test_documents_that_are_opened(steps: list[Any], paid: list[float]) -> None:
    assert search_rewards(*steps) == paid


def test_unknown_is_an_answer_only_when_all_sources_were_opened() -> None:
    said = "Answer: unknown\nSources: D-0001"
    assert search_rewards([FIRST], said, answer=None) == [0, 0]
    assert search_rewards([FIRST, SECOND], said, answer=None) == [0.25, 0.25]


def test_one_relation_pays_only_for_the_answer() -> None:
    changes = {"question": f"Who founded {TOWN.name}?", "answer": "Ann", "sources": [FIRST]}
    assert search_rewards([FIRST], "Answer: Ann\nSources: none", **changes) == [0, 0.5]
    assert search_rewards([FIRST], "Answer: Ben\nSources: none", **changes) == [0, 0]


@settings(deadline=None, derandomize=True, database=None, max_examples=40)
@given(st.lists(st.sampled_from([FIRST, SECOND, *OTHERS]), max_size=6))
def test_opening_the_same_again_changes_nothing(ids: list[str]) -> None:
    once = search_rewards(*([id] for id in ids), "Hm")
    twice = search_rewards(*([id] for id in ids), *([id] for id in ids), "Hm")
    assert twice == [*once[:-1], *[0] * len(ids), 0]


def test_shaped_rewards_and_partial_credit_exclude_each_other() -> None:
    with pytest.raises(UsageError, match="shaped and partial_credit exclude each other"):
        gymnasium.make("textgym/Search-v0", shaped=True, partial_credit=True)


@pytest.mark.parametrize("name", MORE_ATTACKS["textgym/Search-v0"])
def test_level_0_pays_no_blind_search(name: str) -> None:
    env = environment_class("textgym/Search-v0")(level=0, split="validation", partial_credit=True)
    attack = MORE_ATTACKS["textgym/Search-v0"][name]
    assert max(play(env, attack, index) for index in range(5)) == 0
