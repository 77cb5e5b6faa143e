"""Rows of IFEval, IFBench and NeMo Gym, the modes, and what is wrong with a row."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import blind_policies as blind
import gymnasium
import pytest
from hypothesis import given
from hypothesis import strategies as st
from repository import SUPPORT

from textgym.envs.constraints import Constraints
from textgym.envs.constraints import constraints_rows as rows
from textgym.errors import (
    ExtraMissingError,
    OracleError,
    RowError,
    TextgymError,
    UnknownNameError,
)

IFEVAL = {
    "key": 1000,
    "prompt": "Name a fruit without commas, in less than three words, with a title.",
    "instruction_id_list": ["punctuation:no_comma", "length_constraints:number_words"],
    "kwargs": [{"num_words": None}, {"relation": "less than", "num_words": 3, "keyword": None}],
}


def play(row: dict[str, Any], text: Any, **kwargs: Any) -> tuple[float, dict[str, Any]]:
    env = Constraints(**kwargs)
    env.reset(options={"task": row})
    _, reward, _, _, info = env.step(text)
    return reward, info


def test_a_row_of_ifeval_is_read_as_it_is() -> None:
    reward, info = play(IFEVAL, "Plum.")
    assert (reward, info["is_success"]) == (1.0, True)
    assert info["reward_components"] == {"follow_all": 1.0, "share": 1.0, "facts": 1.0}
    reward, info = play(IFEVAL, "Plum, or not a plum.")
    assert (reward, info["is_success"]) == (0.0, False)
    assert info["instructions"] == {
        "0 punctuation:no_comma": 0.0,
        "1 length_constraints:number_words": 0.0,
    }


def test_a_row_of_nemo_gym_is_read_in_both_forms() -> None:
    flat = {
        "id": 7,
        "responses_create_params": {"input": [{"role": "user", "content": "Name a fruit."}]},
        **IFEVAL,
        "kwargs": [None, {"relation": "less than", "num_words": 3}],
        "grading_mode": "fraction",
    }
    fields = ("prompt", "instruction_id_list", "kwargs", "grading_mode")
    nested = {name: value for name, value in flat.items() if name not in fields}
    nested["verifier_metadata"] = {name: flat[name] for name in fields}
    for row in (flat, nested):
        env = Constraints()
        observation, _ = env.reset(options={"task": row})
        assert observation == [{"role": "user", "content": "Name a fruit."}]
        assert env.step("A plum it is.")[1] == 0.5


def test_a_row_of_nemo_gym_has_types_of_open_instruct() -> None:
    row = {
        **IFEVAL,
        "instruction_id_list": ["keywords:word_once", "last_word:last_word_sent", "copy:copy"],
        "kwargs": [
            {"keyword": "plum", "N": None},
            {"last_word": ["tree"], "keyword": None},
            {"prompt_to_repeat": "Name a fruit."},
        ],
        "grading_mode": "fraction",
    }
    reward, info = play(row, "The plum hangs in the tree.")
    assert reward == pytest.approx(2 / 3)
    assert list(info["instructions"].values()) == [1.0, 1.0, 0.0]
    with pytest.raises(RowError, match="keywords:word_once: keyword: ") as raised:
        play({**row, "kwargs": [{"keyword": 3}, *row["kwargs"][1:]]}, "Plum.")
    assert raised.value.field == "kwargs.0"


def test_the_argument_takes_precedence_over_the_grading_mode_of_a_row() -> None:
    row = {**IFEVAL, "grading_mode": "fraction"}
    assert play(row, "A plum it is.")[0] == 0.5
    assert play(row, "A plum it is.", grading_mode="binary")[0] == 0.0
    assert play(IFEVAL, "A plum it is.", grading_mode="fraction")[0] == 0.5


def test_a_loose_verdict_forgives_a_first_line() -> None:
    row = {**IFEVAL, "instruction_id_list": ["startend:quotation"], "kwargs": [{}]}
    text = 'Sure, here it is:\n"A plum."'
    assert play(row, text)[0] == 0.0
    assert play(row, text, mode="loose")[0] == 1.0


def test_wrong_facts_cost_all_in_the_fraction_mode() -> None:
    row = {**IFEVAL, "required": ["plum"], "forbidden": ["pear"], "grading_mode": "fraction"}
    assert play(row, "Plum.")[0] == 1.0
    assert play(row, "A plum it is.")[0] == 0.5
    assert play(row, "Apple.")[0] == 0.0
    assert play(row, "Plum pear.")[0] == 0.0


FACTS = {"required": ["plum", "pear"], "known": ["plum", "pear", "5 kg"], "forbidden": ["fig"]}


@pytest.mark.parametrize(
    ("text", "reward"),
    [
        pytest.param("Plum pear.", 1.0, id="all"),
        pytest.param("Apple.", 0.25, id="no fact"),
        pytest.param("Plum.", 0.375, id="one of two facts"),
        pytest.param("An apple it is.", 0.125, id="no fact, one of two instructions"),
        pytest.param("A plum, or a pear.", 0.0, id="all facts, no instruction"),
        pytest.param("Plum and pear.", 0.5, id="all facts, one of two instructions"),
        pytest.param("Plum fig.", 0.0, id="a forbidden fact"),
        pytest.param("Plum f i g.", 0.0, id="a forbidden fact in another spelling"),
        pytest.param("Plum, 7 kg.", 0.0, id="a figure that is made up"),
        pytest.param("", 0.0, id="nothing"),
    ],
)
@pytest.mark.parametrize("level", [0, 1])
def test_a_text_that_lacks_facts_earns_a_part_on_the_first_levels(
    level: int, text: str, reward: float
) -> None:
    row = {**IFEVAL, **FACTS, "grading_mode": "fraction", "level": level}
    earned, info = play(row, text)
    assert earned == reward
    assert info["is_success"] == (reward == 1)
    assert play({**row, "grading_mode": "binary"}, text)[0] == float(reward == 1)


@pytest.mark.parametrize("level", [{}, {"level": None}, {"level": 2}, {"level": "1"}])
def test_facts_are_needed_on_other_levels_and_without_one(level: dict[str, Any]) -> None:
    row = {**IFEVAL, **FACTS, "grading_mode": "fraction", **level}
    assert play(row, "Plum pear.")[0] == 1.0
    assert play(row, "Plum and pear.")[0] == 0.5
    assert play(row, "Plum.")[0] == play(row, "Apple.")[0] == 0.0


@pytest.mark.parametrize("level", [0, 1, 2])
def test_no_blind_text_earns_much_for_its_form(level: int) -> None:
    env = Constraints(level=level, split="validation", grading_mode="fraction")
    means = {
        name: sum(blind.play(env, policy, index) for index in range(20)) / 20
        for name, policy in blind.BLIND["textgym/Constraints-v0"].items()
    }
    assert max(means.values()) <= (0.05 if level == 1 else 0), means


@pytest.mark.parametrize("text", ["", " \n", None, "<think>Plum.</think>", "<think>Plum."])
def test_an_empty_text_follows_nothing(text: Any) -> None:
    for grading_mode in ("binary", "fraction"):
        message = {"role": "assistant", "content": text}
        assert play(IFEVAL, message, grading_mode=grading_mode)[0] == 0.0


def test_reasoning_is_not_graded() -> None:
    assert play(IFEVAL, "<think>A, b, c, d, e, f.</think>\n\nPlum.")[0] == 1.0


@pytest.mark.parametrize(
    ("change", "field", "problem"),
    [
        ({"prompt": " "}, "prompt", "missing or empty"),
        ({"instruction_id_list": []}, "instruction_id_list", "at least one id"),
        ({"instruction_id_list": None}, "instruction_id_list", "at least one id"),
        ({"kwargs": [{}]}, "kwargs", "a list of 2 objects, one an id, not 1 of them"),
        ({"kwargs": None}, "kwargs", "not NoneType"),
        ({"kwargs": [{}, 3]}, "kwargs.1", "an object or null, not int"),
        ({"kwargs": [{}, {"relation": "at least"}]}, "kwargs.1", "num_words"),
        ({"kwargs": [{}, {"relation": "around", "num_words": 3}]}, "kwargs.1", "relation"),
        ({"grading_mode": "half"}, "grading_mode", "the modes are binary, fraction"),
        ({"required": "plum"}, "required", "a list of strings"),
        ({"known": [1]}, "known", "a list of strings"),
        ({"forbidden": [" "]}, "forbidden", "not blank"),
        ({"witness": ""}, "witness", "not blank"),
        ({"verifier_metadata": []}, "verifier_metadata", "an object, not list"),
        ({"responses_create_params": {}}, "responses_create_params.input", "is missing"),
    ],
)
def test_a_broken_row_names_its_field(change: dict[str, Any], field: str, problem: str) -> None:
    with pytest.raises(RowError, match=problem) as raised:
        Constraints().reset(options={"task": {**IFEVAL, **change}})
    assert raised.value.field == field


def test_an_unknown_instruction_gets_a_suggestion() -> None:
    row = {**IFEVAL, "instruction_id_list": ["punctuation:no_coma", "x"]}
    with pytest.raises(RowError, match="did you mean 'punctuation:no_comma'") as raised:
        Constraints().reset(options={"task": row})
    assert raised.value.field == "instruction_id_list.0"


@pytest.mark.parametrize("kwargs", [{"mode": "lose"}, {"grading_mode": "fractions"}])
def test_an_unknown_mode_gets_a_suggestion(kwargs: dict[str, Any]) -> None:
    with pytest.raises(UnknownNameError, match="did you mean"):
        gymnasium.make("textgym/Constraints-v0", **kwargs)


def test_a_row_that_needs_the_extra_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from textgym.verifiers.instructions import sentences as languages

    row = {**IFEVAL, "instruction_id_list": ["change_case:english_capital"], "kwargs": [{}]}
    for value in (*vars(languages).values(), languages.detect_language):
        if hasattr(value, "cache_clear"):
            value.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "langdetect"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "langdetect", None)
    monkeypatch.setattr(rows, "_tried", set())
    with pytest.raises(ExtraMissingError, match="constraints"):
        Constraints().reset(options={"task": row})


def test_without_the_extra_a_row_is_refused_or_graded_whatever_the_text_is() -> None:
    code = f"""
import sys
sys.path.insert(0, {str(SUPPORT)!r})
libraries = ("nltk", "langdetect", "emoji", "syllapy", "textblob")
sys.modules.update(dict.fromkeys(libraries))
from instruction_checks import ARGUMENTS
from textgym.envs.constraints import Constraints
from textgym.errors import ExtraMissingError
from textgym.verifiers.instructions import INSTRUCTIONS
texts = ("Run. Go home now? Yes!", "A SEA OF SEA.", "sea", "the sea the sea the", "Hi 😀", "* a")
refused = 0
for id in INSTRUCTIONS:
    row = {{"prompt": "Go!", "instruction_id_list": [id], "kwargs": [ARGUMENTS.get(id)]}}
    env = Constraints(mode="loose")
    for text in texts:
        try:
            env.reset(options={{"task": row}})
        except ExtraMissingError:
            refused += 1
            continue
        env.step(text)
assert 0 < refused < len(INSTRUCTIONS) * len(texts) / 3
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_the_oracle_needs_a_witness() -> None:
    env = Constraints()
    env.reset(options={"task": {**IFEVAL, "id": "fruit"}})
    with pytest.raises(OracleError, match="no right answer is known for fruit"):
        env.solve()
    env.reset(options={"task": {**IFEVAL, "witness": "Plum."}})
    assert env.step(env.solve())[1] == 1.0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)


@given(
    st.dictionaries(
        st.sampled_from(
            ["prompt", "instruction_id_list", "kwargs", "grading_mode", "required", "known",
             "forbidden", "witness", "verifier_metadata", "responses_create_params"]
        ),
        JSON | st.lists(st.sampled_from(["punctuation:no_comma", "count:numbers"]), max_size=2),
    )
)  # fmt: skip
def test_any_row_is_read_or_refused(changes: dict[str, Any]) -> None:
    env = Constraints()
    try:
        env.reset(options={"task": {**IFEVAL, **changes}})
    except TextgymError:
        return
    assert env.step("Plum.")[1] in (0.0, 0.5, 1.0)


@given(st.text(max_size=200))
def test_no_text_raises(text: str) -> None:
    env = Constraints(level=6)
    env.reset(options={"index": 3})
    assert env.step(text)[1] == 0.0


@pytest.mark.parametrize(
    ("indices", "text", "reward"),
    [
        ("the indices are word indices, split by whitespace!", "poem on", 1.0),
        ("the indices are word indices, split by whitespace!", "it", 0.0),
        ("", "poem on", 1.0),
        ("the indices are character indices!", "it", 1.0),
        ("the indices are character indices!", "poem on", 0.0),
    ],
)
@pytest.mark.parametrize("nested", [False, True])
def test_the_prompt_tells_what_indices_count(
    indices: str, text: str, reward: float, nested: bool
) -> None:
    prompt = f"Copy the span of words that lies between (and including) index 2 and 3, {indices}"
    row: dict[str, Any] = {
        "instruction_id_list": ["repeat:repeat_span"],
        "kwargs": [{"prompt_to_repeat": "Write a poem on rain.", "n_start": 2, "n_end": 3}],
    }
    if nested:
        row["responses_create_params"] = {"input": [{"role": "user", "content": prompt}]}
    else:
        row["prompt"] = prompt
    assert play(row, text)[0] == reward
