"""`textgym/Haystack-v0`: answers and what they earn, rows, arguments, and what an episode holds."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from haystack_reader import parts
from hypothesis import given
from hypothesis import strategies as st

from textgym.envs.haystack import Haystack
from textgym.envs.haystack.questions import answer_line, grade_items, items_of
from textgym.errors import RowError, UnknownNameError, UsageError
from textgym.messages import text_of

SET = {"prompt": "Which?", "expected_answer": ["KX-4471", "Ada B. Holm"]}
LIST = {"prompt": "How many?", "expected_answer": ["17", "4", "17"], "ordered": True}
ONE = {"prompt": "How many?", "expected_answer": ["7"]}
NODES = {"responses_create_params": {"input": "a -> b"}, "expected_answer": '["a", "b"]'}


def answered(row: dict[str, Any], action: Any, **kwargs: Any) -> tuple[float, dict[str, Any]]:
    env = Haystack(**kwargs)
    env.reset(options={"task": row})
    _, reward, terminated, _, info = env.step(action)
    assert terminated
    components = info["reward_components"]
    assert info["is_success"] == (components.get("f1", components.get("answer_score")) == 1.0)
    return float(reward), info


@pytest.mark.parametrize(
    ("text", "reward"),
    [
        ("Answer: KX-4471, Ada B. Holm", 1.0),
        ("Answer: Ada B. Holm, KX-4471", 1.0),  # a set
        ("KX-4471, Ada B. Holm", 1.0),
        ("answer: kx-4471, ADA  B. HOLM.", 1.0),
        ('Answer: ["KX-4471", "Ada B. Holm"]', 1.0),
        ("Answer: [KX-4471, Ada B. Holm]", 1.0),
        ("Answer: ['KX-4471', 'Ada B. Holm'].", 1.0),
        ("**Answer:** `KX-4471`, `Ada B. Holm`", 1.0),
        ("**Answer: KX-4471, Ada B. Holm**", 1.0),
        ("```\nAnswer: KX-4471, Ada B. Holm\n```", 1.0),
        ("Answer: KX-4471, KX-4471, Ada B. Holm,", 1.0),
        ("I saw KX-4417.\n\nAnswer: KX-4471, Ada B. Holm\n\n", 1.0),
        ("Answer: KX-4417, Ada B. Holm\nAnswer: KX-4471, Ada B. Holm", 1.0),
        ("<think>KX-4417?</think>Answer: KX-4471, Ada B. Holm", 1.0),
        ("Answer: KX-4471, Ada B. Holm\nThat is all.", 0.0),  # the last line counts
        ("Answer: KX-4471, Ada B. Holm\nAnswer: KX-4471", 0.0),
        ("Answer: KX-4471", 0.0),
        ("Answer: KX-4471, Ada B. Holm, KX-4417", 0.0),
        ("Answer: KX-4417, Ada B. Holm", 0.0),
        ("Answer: KX-4471 Ada B. Holm", 0.0),
        ("Answer: KX 4471, Ada B. Holm", 0.0),
        ("Answer: KX-4471 or KX-4417, Ada B. Holm", 0.0),
        ("Answer: not KX-4471, Ada B. Holm", 0.0),
        ("Answer: К\u0425-4471, Ada B. Holm", 0.0),  # Cyrillic letters
        ("Answer: KX-４４７１, Ada B. Holm", 0.0),  # full-width digits
        ("Answer: KX-44\u200b71, Ada B. Holm", 0.0),
        ("<think>Answer: KX-4471, Ada B. Holm</think>", 0.0),
        ("<think>Answer: KX-4471, Ada B. Holm", 0.0),
        ('{"answer": ["KX-4471", "Ada B. Holm"]}', 0.0),
        ('[["KX-4471", "Ada B. Holm"], []]', 1.0),  # brackets are not read
        ("Answer: []", 0.0),
        ("Answer:", 0.0),
        ("", 0.0),
    ],
)
def test_the_last_line_is_read_as_a_set(text: str, reward: float) -> None:
    assert answered(SET, text)[0] == reward


@pytest.mark.parametrize(
    ("text", "reward", "f1"),
    [
        ("Answer: 17, 4, 17", 1.0, 1.0),
        ("[17,4,17]", 1.0, 1.0),
        ('["17", "4", "17"]', 1.0, 1.0),
        ("Answer: 17, 17, 4", 0.0, 1 / 3),
        ("Answer: 17, 4", 0.0, 0.8),
        ("Answer: 17, 4, 17, 17", 0.0, 6 / 7),
        ("Answer: 4, 17", 0.0, 0.0),
        ("Answer: 17.0, 4, 17", 0.0, 2 / 3),
        ("Answer: 017, 4, 17", 0.0, 2 / 3),
        ("Answer: +17, 4, 17", 0.0, 2 / 3),
        ("Answer: -17, 4, 17", 0.0, 2 / 3),
        ("Answer: 1.7e1, 4, 17", 0.0, 2 / 3),
        ("Answer: NaN, inf, 1e400", 0.0, 0.0),
    ],
)
def test_the_order_of_a_list_and_the_digits_of_numbers_count(
    text: str, reward: float, f1: float
) -> None:
    found, info = answered(LIST, text)
    assert found == reward
    assert info["reward_components"] == {"correct": reward, "f1": pytest.approx(f1)}


def test_an_answer_may_have_four_times_the_letters_and_no_more() -> None:
    assert answered(ONE, "Answer: 7, 1, 2, 3")[1]["reward_components"]["f1"] == 0.4
    assert answered(ONE, "Answer: 7, 1, 2, 3, 4")[1]["reward_components"]["f1"] == 0.0
    assert answered(ONE, "Answer: ['7', '7', '7', '7']")[0] == 1.0
    assert answered(ONE, "Answer: ['7', '7', '7', '7', '7']")[0] == 0.0


def test_what_is_extracted_is_the_answer_of_the_last_line() -> None:
    assert answered(SET, "No.\n**Answer: KX-4417**")[1]["extracted_answer"] == "KX-4417"
    assert answered(SET, "x" * 1000)[1]["extracted_answer"] == "x" * 200


@pytest.mark.parametrize(
    "text",
    [
        "7, " * 333_333, "7\n" * 500_000, "Answer: " * 125_000, "[" * 1_000_000, '"' * 1_000_000,
        "\\u0037" * 166_666, "Answer: 7" + " " * 1_000_000 + "8", '{"a":' * 200_000,
        "7" * 1_000_000, "Final Answer: [" * 66_666, "Final Answer:" + " " * 1_000_000,
        "Final Answer: [" + "a," * 500_000,
    ],
    ids=lambda text: text[:16],
)  # fmt: skip
@pytest.mark.parametrize("row", [ONE, NODES], ids=["own", "nodes"])
def test_long_answers_are_data(row: dict[str, Any], text: str) -> None:
    assert answered(row, text)[0] == float(row is ONE and text.startswith("7\n"))
    assert answered(row, {"role": "assistant", "content": text, "reasoning_content": text})


@given(st.text(max_size=60), st.lists(st.text("ab1 -", max_size=4), min_size=1, max_size=4))
def test_f1_is_one_for_what_is_right_and_below_it_otherwise(text: str, wanted: list[str]) -> None:
    expected = [item for item in wanted if items_of(item)] or ["a"]
    for said in (text, ", ".join(expected), ", ".join(expected[::-1]), ", ".join(expected[:1])):
        for ordered in (False, True):
            verdict = grade_items(answer_line(said), expected, ordered=ordered)
            assert 0.0 <= verdict.f1 <= 1.0
            assert verdict.is_right == (verdict.f1 == 1.0)
    assert grade_items(", ".join(expected), expected, ordered=True).is_right


# Attacks on generated tasks.


@pytest.mark.parametrize("level", Haystack.card.levels)
def test_pasting_earns_nothing_not_even_in_part(level: int) -> None:
    env = Haystack(level=level)
    for index in range(20):
        env.reset(options={"index": index})
        document, question = parts(text_of(env.task.messages[0]))
        lines = document.split("\n")
        for pasted in (
            document,
            ", ".join(lines),
            ", ".join(document.split()),
            " ".join(lines[-8:]),
            ", ".join(map(str, range(10_000))),
            ", ".join(question.split()),
            json.dumps(lines),
        ):
            env.reset(options={"index": index})
            components = env.step(f"Answer: {pasted}")[4]["reward_components"]
            assert components == {"correct": 0.0, "f1": 0.0}


def test_the_last_right_line_wins_and_no_other() -> None:
    env = Haystack(level=3)
    for index in range(20):
        env.reset(options={"index": index})
        right = text_of(env.solve())
        for action in (f"{right}\nI am sure.", f"{right}\nAnswer: 1", f"<think>{right}"):
            env.reset(options={"index": index})
            assert env.step(action)[1] == 0.0
        env.reset(options={"index": index})
        assert env.step(f"Answer: 1\n{right}")[1] == 1.0


# Rows.


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({}, "'prompt' is missing"),
        ({**SET, "prompt": " "}, "'prompt' is missing or empty"),
        ({**SET, "prompt": ["Which?"]}, "'prompt' is missing or empty"),
        ({**SET, "ordered": "yes"}, "'ordered' must be true or false"),
        ({**SET, "expected_answer": None}, "'expected_answer' must be a list"),
        ({**SET, "expected_answer": 7}, "'expected_answer' must be a list"),
        ({**SET, "expected_answer": {"a": 1}}, "'expected_answer' must be a list"),
        ({**SET, "expected_answer": [["a"]]}, "must be a list of strings, but has"),
        ({**SET, "expected_answer": [True]}, "must be a list of strings, but has True"),
        ({**SET, "expected_answer": [1.5]}, "must be a list of strings, but has 1.5"),
        ({**SET, "expected_answer": []}, "must have one item or more"),
        ({**SET, "expected_answer": ""}, "must have one item or more"),
        ({**SET, "expected_answer": ["..."]}, "must have one item or more"),
        ({**SET, "expected_answer": ["Oslo, Norway"]}, "each with a letter or digit, no comma"),
        ({"responses_create_params": {"input": "a"}}, "'expected_answer' must be a list"),
        ({"responses_create_params": {}, "expected_answer": "[]"}, "input' is missing"),
    ],
    ids=str,
)
def test_a_wrong_row_is_an_error_that_names_the_field(row: dict[str, Any], message: str) -> None:
    with pytest.raises(RowError, match=message):
        Haystack().reset(options={"task": row})


@pytest.mark.parametrize("expected", [["7", "8"], [7, 8], '["7", "8"]', "[7, 8]", "7, 8"], ids=str)
def test_an_expected_answer_is_a_list_its_json_or_items(expected: Any) -> None:
    assert answered({**ONE, "expected_answer": expected}, "Answer: 8, 7")[0] == 1.0


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("Final Answer: [a, b]", 1.0),
        ("Final Answer: [b, 'a', a]", 1.0),
        ('So **Final Answer: ["a", "b"]**.', 1.0),
        ("Final Answer:[a,b] [c]", 0.5),  # to the last bracket
        ("Final Answer: [a]", 2 / 3),
        ("Final Answer: [A, B]", 0.0),
        ("Final Answer: a, b", 0.0),
        ("final answer: [a, b]", 0.0),
        ("Answer: [a, b]", 0.0),
        ("Final Answer: [a, b", 0.0),
        ("] Final Answer: [a, b", 0.0),
        ("Final Answer: []", 0.0),
        ("<think>Final Answer: [a, b]</think>", 0.0),
        ("Final Answer: [a, b]\n\nDone.", 0.0),
    ],
)
def test_nodes_stand_in_brackets_on_the_last_line(text: str, score: float) -> None:
    reward, info = answered(NODES, text, overlap_grading_rule="base")
    assert reward == info["reward_components"]["answer_score"] == pytest.approx(score)


@pytest.mark.parametrize(
    ("rule", "right", "wrong"), [("base", 1.0, 0.0), ("multiply", 0.5, 0.0), ("minus", 0.5, 0.0)]
)
def test_a_copied_reasoning_lowers_the_reward_to_0_at_most(
    rule: Any, right: float, wrong: float
) -> None:
    for text, reward in (("Final Answer: [a, b]", right), ("Final Answer: [c]", wrong)):
        action = {"role": "assistant", "content": text, "reasoning_content": "a -> ?!x?"}
        found, info = answered(NODES, action, overlap_grading_rule=rule)
        assert found == pytest.approx(reward, abs=0.06)
        assert info["reward_components"]["reasoning_overlap"] == 5 / 9


def test_the_text_of_a_prompt_is_that_of_all_messages_and_parts() -> None:
    reasoning = "one two three four"
    given = [
        {"role": "system", "content": "One"},
        {"type": "function_call_output", "call_id": "c", "output": "three four"},
        {"role": "user", "content": [{"type": "text", "text": text} for text in ("two", "3")]},
    ]
    row = {"responses_create_params": {"input": given}, "expected_answer": "[]"}
    said = {"role": "assistant", "content": "Final Answer: []", "reasoning_content": reasoning}
    assert answered(row, said)[1]["reward_components"]["overlap_lcs"] == 8 / 18


def test_an_empty_set_of_nodes_must_be_said() -> None:
    row = {**NODES, "expected_answer": "[]"}
    assert answered(row, "Final Answer: []")[0] == 1.0
    assert answered(row, "Final Answer: [a]")[0] == 0.0
    assert answered(row, "")[0] == 0.0


# Arguments.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"length": 1_999}, "from 2000 to 2000000 characters, not 1999"),
        ({"length": 2_000_001}, "from 2000 to 2000000 characters, not 2000001"),
        ({"length": 6_000.0}, "length must be an integer"),
        ({"length": True}, "length must be an integer"),
    ],
    ids=str,
)
def test_a_length_has_bounds(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Haystack(**arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"overlap_metric_rule": "ngram"}, "did you mean 'ngram16'"),
        ({"overlap_grading_rule": "plus"}, "there is no overlap_grading_rule 'plus'"),
    ],
    ids=str,
)
def test_a_rule_that_does_not_exist(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        Haystack(**arguments)


@pytest.fixture
def tokenizer(tmp_path: Path) -> str:
    """Return the folder of a tokenizer that splits words, numbers and punctuation."""
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    model = tokenizers.Tokenizer(tokenizers.models.WordLevel({"<unk>": 0}, unk_token="<unk>"))
    model.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    transformers.PreTrainedTokenizerFast(tokenizer_object=model, unk_token="<unk>").save_pretrained(
        tmp_path
    )
    return str(tmp_path)


@pytest.mark.parametrize("level", [1, 5])
def test_a_length_may_be_in_tokens(tokenizer: str, level: int) -> None:
    transformers = pytest.importorskip("transformers")
    count = transformers.AutoTokenizer.from_pretrained(tokenizer)
    env = Haystack(length=4_000, tokenizer=tokenizer, level=level)
    for index in range(12):
        document, _ = parts(env.get_task(index).row["prompt"])
        assert len(count(document)["input_ids"]) == pytest.approx(4_000, rel=0.05)
    with pytest.raises(UsageError, match="characters, but 100 tokens are about"):
        Haystack(length=100, tokenizer=tokenizer)


def test_a_tokenizer_that_cannot_be_loaded(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    with pytest.raises(UnknownNameError, match=r"the tokenizer '.*' cannot be loaded: "):
        Haystack(tokenizer=str(tmp_path))


# What an episode holds.


def test_an_episode_holds_its_text_once() -> None:
    env = Haystack(length=200_000)
    observation, _ = env.reset(options={"index": 0})
    prompt = env.task.row["prompt"]
    assert env.task.messages[0]["content"] is prompt
    assert observation[0]["content"] is prompt
    assert env.get_state()["row"]["prompt"] is prompt
    observation, *_ = env.step("Answer: 7")
    assert observation[0]["content"] is prompt


def test_many_episodes_take_little_more_than_their_texts() -> None:
    length, count = 100_000, 12
    Haystack(length=length).reset(options={"index": 99})
    tracemalloc.start()
    envs = [Haystack(length=length) for _ in range(count)]
    for index, env in enumerate(envs):
        env.reset(options={"index": index})
        env.step("Answer: 7")
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 1.5 * length * count


def test_an_episode_can_be_restored_from_its_state() -> None:
    env, other = Haystack(length=50_000), Haystack()
    env.reset(seed=3)
    other.set_state(json.loads(json.dumps(env.get_state())))
    assert other.task.messages == env.task.messages
    assert other.step(env.solve())[1] == 1.0


@pytest.mark.parametrize(
    "hyphen", ["\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2212", "\uff0d"]
)
def test_typographic_hyphens_in_codes_are_hyphens(hyphen: str) -> None:
    for said in (f"KX{hyphen}4471", f"**KX{hyphen}4471**", f"kx{hyphen}4471\u202f"):
        assert grade_items(said, ["KX-4471"], ordered=True).is_right
    for said in (f"KX{hyphen}4472", f"KX{hyphen}{hyphen}4471", f"{hyphen}KX4471", "KX4471"):
        assert not grade_items(said, ["KX-4471"], ordered=True).is_right
