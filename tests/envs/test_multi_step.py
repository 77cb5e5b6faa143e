"""`textgym/MultiStep-v0`: what counts as handed in, the tools, rows and the generator."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.envs.multi_step import MultiStep
from textgym.envs.multi_step.multi_step_tasks import GROUPS
from textgym.errors import RowError

ROW = {
    "query": "Who likes hot days?",
    "synonyms": [["Hot", "Blazing"], ["Wet", "Damp"], ["Hot", "Warm"]],
    "expected_synonyms": ["Blazing", "Warm"],
    "minefield_label": "Hot",
}


def begun(row: dict[str, Any] | None = None, **kwargs: Any) -> MultiStep:
    env = MultiStep(**kwargs)
    env.reset(options={"task": {**ROW, **(row or {})}})
    return env


def raw(arguments: Any, name: str = "extract_synonym_values") -> Any:
    call = {"function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "tool_calls": [call]}


def handing_in(values: Any) -> Any:
    return raw(json.dumps({"synonym_values": values}))


def end(env: MultiStep, text: str = "Done.") -> tuple[float, dict[str, Any]]:
    _, reward, terminated, _, info = env.step(text)
    assert terminated
    return reward, info


def graded(*messages: Any, row: dict[str, Any] | None = None) -> tuple[float, dict[str, Any]]:
    env = begun(row)
    for message in messages:
        env.step(message)
    return end(env)


def told(env: MultiStep, message: Any) -> str:
    return str(env.step(message)[0][-1]["content"])


def test_prompt_contains_the_list_in_order_and_the_question() -> None:
    observation, _ = MultiStep().reset(options={"task": ROW})
    assert [message["role"] for message in observation] == ["system", "user"]
    assert re.findall(r"the synonym '(\w+)'", str(observation[0]["content"])) == [
        "Blazing", "Damp", "Warm",
    ]  # fmt: skip
    assert observation[1]["content"] == "Who likes hot days?"


@pytest.mark.parametrize(
    ("text", "value"), [("Blazing", 711), ("Straße", 734), ("", 0), ("🙂", 128578)]
)
def test_a_value_is_the_sum_of_the_code_points(text: str, value: int) -> None:
    message = raw(json.dumps({"synonym": text}), "get_synonym_value")
    assert told(begun(), message) == json.dumps({"synonym_value": value})


@pytest.mark.parametrize(
    ("values", "reward", "overlap", "minefield", "order"),
    [
        ([711, 407], 1, 1, 0, 0),
        ([711.0, 407], 1, 1, 0, 0),
        ([407, 711], 0, 1, 0, 1),
        ([711, 407, 299], 0, 1, 1, 1),
        ([711], 0, 0.5, 0, 0),
        ([299], 0, 0, 1, 0),
        (["711", "407"], 0, 0, 0, 0),
        (["299"], 0, 0, 0, 0),
        ([711, [407]], 0, 0.5, 0, 0),
        ([711, {"value": 407}, None, False], 0, 0.5, 0, 0),
        ([], 0, 0, 0, 0),
        ("[711, 407]", 0, 0, 0, 0),
        ({"0": 711, "1": 407}, 0, 0, 0, 0),
        (None, 0, 0, 0, 0),
    ],
    ids=str,
)
def test_the_list_is_read_as_the_model_wrote_it(
    values: Any, reward: float, overlap: float, minefield: float, order: float
) -> None:
    found, info = graded(handing_in(values))
    assert found == reward
    assert info["reward_components"] == {
        "accuracy": reward,
        "set_overlap": overlap,
        "original_term_minefield_hit": minefield,
        "order_instruction_following_failure": order,
    }


@pytest.mark.parametrize(("value", "reward"), [("1", 1.0), ("true", 0.0), ('"1"', 0.0)])
def test_true_is_not_the_number_one(value: str, reward: float) -> None:
    row = {"expected_synonyms": None, "expected_synonym_values": [1]}
    assert graded(raw(f'{{"synonym_values": [{value}]}}'), row=row)[0] == reward


@pytest.mark.parametrize(
    ("arguments", "reward"),
    [
        pytest.param('{"synonym_values": [711, 407], "note": 1}', 1.0, id="refused by the tool"),
        pytest.param('{"synonym_values": [1], "synonym_values": [711, 407]}', 1.0, id="key twice"),
        pytest.param({"synonym_values": [711, 407]}, 1.0, id="read already"),
        pytest.param('{"synonym_values": [711, 407]', 0.0, id="broken JSON"),
        pytest.param("[711, 407]", 0.0, id="no object"),
        pytest.param(None, 0.0, id="none"),
        pytest.param('{"values": [711, 407]}', 0.0, id="another name"),
        pytest.param("[" * 10_000, 0.0, id="nested deeply"),
        pytest.param('{"synonym_values": [' + "[" * 900 + "]" * 900 + "]}", 0.0, id="nested"),
        pytest.param('{"synonym_values": [1' + "0" * 5000 + "]}", 0.0, id="5,000 digits"),
        pytest.param({"synonym_values": [10**5000]}, 0.0, id="a huge number"),
        pytest.param('{"synonym_values": [NaN, Infinity]}', 0.0, id="no numbers"),
        pytest.param('{"synonym_values": [' + "7," * 1_000_000 + "7]}", 0.0, id="2 MB"),
    ],
)
def test_odd_arguments_are_data(arguments: Any, reward: float) -> None:
    assert graded(raw(arguments))[0] == reward


@pytest.mark.parametrize(
    ("messages", "reward"),
    [
        pytest.param([handing_in([1]), handing_in([711, 407])], 1.0, id="right at last"),
        pytest.param([handing_in([711, 407]), handing_in([1])], 0.0, id="wrong at last"),
        pytest.param([handing_in([711, 407]), raw("not JSON")], 0.0, id="broken at last"),
        pytest.param([handing_in([711, 407]), raw("{}", "get_synonym_value")], 1.0, id="between"),
        pytest.param([raw('{"synonym_values": [711, 407]}', "extract")], 0.0, id="another tool"),
        pytest.param([], 0.0, id="no call"),
    ],
)
def test_the_last_call_counts(messages: list[Any], reward: float) -> None:
    assert graded(*messages)[0] == reward


@pytest.mark.parametrize(("first", "last"), [([711, 407], [1]), ([1], [711, 407])], ids=str)
def test_of_parallel_calls_the_last_counts(first: list[int], last: list[int]) -> None:
    both = handing_in(first)
    both["tool_calls"] += handing_in(last)["tool_calls"]
    assert graded(both)[0] == float(last == [711, 407])


def test_a_call_over_the_limit_of_a_message_was_not_run_and_does_not_count() -> None:
    message = handing_in([1])
    message["tool_calls"] = message["tool_calls"] * begun().max_calls
    message["tool_calls"] += handing_in([711, 407])["tool_calls"]
    assert graded(message)[0] == 0.0


def test_calls_in_the_prompt_are_not_the_models() -> None:
    arguments = json.dumps({"synonym_values": [711, 407]})
    call = {"type": "function_call", "name": "extract_synonym_values", "arguments": arguments}
    items = [{"role": "user", "content": "x"}, {**call, "call_id": "1"}]
    assert graded(row={"responses_create_params": {"input": items}})[0] == 0.0


def test_text_beside_a_call_does_not_end_the_episode() -> None:
    env = begun()
    message = {**handing_in([711, 407]), "content": "Here they are."}
    assert env.step(message)[1:4] == (0.0, False, False)
    assert end(env)[0] == 1.0


def test_the_turn_limit_grades_the_last_list() -> None:
    env = begun(max_turns=1)
    assert env.step(handing_in([711, 407]))[1:4] == (1.0, False, True)


@pytest.mark.parametrize("name", ["reset", "grade", "solve"])
def test_methods_that_are_not_tools_cannot_be_called(name: str) -> None:
    assert told(begun(), raw("{}", name)).startswith("Error: there is no tool")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"query": None}, "'query' is missing"),
        ({"synonyms": []}, "'synonyms' must be a list of pairs"),
        ({"synonyms": [["Hot"]]}, "'synonyms.0' must be a term and a synonym"),
        ({"synonyms": [["Hot", 5]]}, "'synonyms.0'"),
        ({"expected_synonyms": "Warm"}, "'expected_synonyms' must be a list of strings"),
        ({"expected_synonyms": []}, "'expected_synonym_values' must be a list of one or more"),
        ({"expected_synonym_values": ["711"]}, "'expected_synonym_values'"),
        ({"expected_synonym_values": [True]}, "'expected_synonym_values'"),
        ({"minefield_label": 5}, "'minefield_label' must be a string"),
        ({"minefield_label_value": "5"}, "'minefield_label_value' must be an integer"),
    ],
    ids=str,
)
def test_a_wrong_row_is_an_error_that_names_the_field(change: dict[str, Any], message: str) -> None:
    with pytest.raises(RowError, match=message):
        begun(change)


def test_values_of_the_row_come_before_the_tools() -> None:
    assert graded(handing_in([5]), row={"expected_synonym_values": [5]})[0] == 1.0


def test_row_without_a_minefield_cannot_hit_one() -> None:
    _, info = graded(handing_in([299]), row={"minefield_label": None})
    assert info["reward_components"]["original_term_minefield_hit"] == 0.0


# The generator.


def test_words_of_the_thesaurus_are_unique() -> None:
    words = [word for group in GROUPS for word in (group.term, *group.synonyms, *group.nouns)]
    assert [word for word, count in Counter(words).items() if count > 1] == []
    assert {len(group.synonyms) for group in GROUPS} == {6}


@pytest.mark.parametrize("level", MultiStep.card.levels)
def test_generated_rows_ask_for_the_terms_of_the_questions_words(level: int) -> None:
    env = MultiStep()
    rng = random.Random(level)
    for _ in range(200):
        row = env.generate(rng, level)
        used = set(re.findall(r"[\w-]+", row["query"].lower()))
        asked = [
            term
            for term in dict.fromkeys(term for term, _ in row["synonyms"])
            if term.lower() in used
            or any(other.lower() in used for name, other in row["synonyms"] if name == term)
        ]
        assert len(asked) == (2 if level == 5 else 1), row
        assert row["minefield_label"] in asked
        expected = [synonym for term, synonym in row["synonyms"] if term in asked]
        assert row["expected_synonyms"] == expected
        values = [sum(map(ord, text)) for text in (row["minefield_label"], *expected)]
        assert len(set(values)) == len(values), row


def test_level_0_asks_for_one_of_two_synonyms() -> None:
    env, rng, places = MultiStep(level=0), random.Random(0), Counter[int]()
    for index in range(100):
        observation, info = env.reset(options={"index": index})
        assert [message["role"] for message in observation] == ["user"]
        assert len(info["tools"]) == 2
        prompt = str(observation[0]["content"])
        pairs = re.findall(r"the synonym of '([\w-]+)' is '([\w-]+)'", prompt)
        (asked,) = re.findall(r"value of the synonym of '([\w-]+)'", prompt)
        (place,) = (place for place, (term, _) in enumerate(pairs) if term == asked)
        places[place] += 1
        right, other, term = (
            sum(map(ord, word)) for word in (pairs[place][1], pairs[1 - place][1], asked)
        )
        wrong = rng.choice([[other], [term], [right, other], [other, right], [right + 1], []])
        for values, reward in ((wrong, 0.0), ([right], 1.0)):
            env.reset(options={"index": index})
            env.step(handing_in(values))
            assert end(env)[0] == reward, (values, env.task.row)
    assert 30 < places[0] < 70


@pytest.mark.parametrize(
    ("level", "n", "more"),
    [
        (1, 100, 0.15),  # four standard errors
        *(pytest.param(level, 300, 0.06, marks=pytest.mark.slow) for level in (1, 2, 3)),
    ],
)
def test_what_was_never_asked_for_in_training_is_not_the_answer(
    level: int, n: int, more: float
) -> None:
    """While the terms that are asked for decided the split, it was so in 0.64 at level 1."""
    train, test = MultiStep(level=level), MultiStep(level=level, split="test")
    offered: Counter[tuple[str, ...]] = Counter()
    asked: Counter[tuple[str, ...]] = Counter()
    for index in range(5000 * n // 300):
        row = train.get_task(index).row
        offered.update(map(tuple, synonyms_by_term(row).values()))
        asked[tuple(row["expected_synonyms"])] += 1
    hits = 0
    for index in range(n):
        row = test.get_task(index).row
        found = map(tuple, synonyms_by_term(row).values())
        least = min(found, key=lambda words: (asked[words] + 0.2) / (offered[words] + 1))
        hits += list(least) == row["expected_synonyms"]
    assert hits / n <= {1: 1 / 6, 2: 1 / 10, 3: 1 / 15}[level] + more


def synonyms_by_term(row: Any) -> dict[str, list[str]]:
    """Group the synonyms of a row's list."""
    found: dict[str, list[str]] = {}
    for term, synonym in row["synonyms"]:
        found.setdefault(term, []).append(synonym)
    return found


def test_no_synonyms_of_a_term_have_the_same_value() -> None:
    """Such a term could not be asked for, so the list would rule it out."""
    for row in (MultiStep(level=5).get_task(index).row for index in range(50)):
        for term, words in synonyms_by_term(row).items():
            assert len({sum(map(ord, word)) for word in (term, *words)}) == 1 + len(words)


def test_higher_levels_have_longer_lists() -> None:
    env = MultiStep()
    lengths = []
    for level in env.card.levels:
        rows = [env.generate(random.Random(seed), level) for seed in range(50)]
        lengths.append([len(row["synonyms"]) for row in rows])
    for shorter, longer in itertools.pairwise(lengths):
        assert max(shorter) < min(longer)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(json_values, st.text())
def test_any_values_are_data(values: Any, text: str) -> None:
    reward, info = graded(handing_in(values), raw(text, "get_synonym_value"))
    assert reward == float(values == [711, 407])
    json.dumps(info, allow_nan=False)
