r"""What holds for anything a model may say, in every registered environment."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import textgym
from textgym.errors import ExtraMissingError, InvalidActionError
from textgym.json_values import copy_json
from textgym.messages import message_problem, text_of
from textgym.registry import environment_class
from textgym.spaces import read_action
from textgym.verifiers.choices import GRADING_MODES, choice
from textgym.verifiers.extract import (
    after_reasoning,
    answer_lines,
    last_boxed,
    latex_to_text,
)

settings.register_profile(
    "textgym",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
SETTINGS = settings.get_profile("textgym")

PIECES = (
    "\\boxed{", "{", "}", "\\text{", "Answer:", "**Answer:**", "answer :", "\n", " ", "A", "B",
    "(C)", "d", "or", "not ", "/", "<think>", "</think>", "ب", "Ｂ", "\ud800", "\x00", "$", "\"",
    "I ", "A metal", "iron", "zinc", "1e999", "NaN",
)  # fmt: skip
any_text = st.text(st.characters(exclude_categories=()), max_size=40)
mixtures = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
texts = mixtures | any_text
braces = st.lists(
    st.sampled_from(["\\boxed{", "\\boxed", " ", "{", "}", "a", "\\", "boxed{"]), max_size=16
)
options = st.dictionaries(st.sampled_from("ABCDEFI"), texts, max_size=5)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=6,
)
json_texts = json_values.map(json.dumps) | texts
names = texts | st.sampled_from(["reset", "step", "grade", "solve", "__init__", "finish", ""])
functions = st.fixed_dictionaries(
    {"name": names},
    optional={
        "arguments": st.none() | json_texts | st.dictionaries(st.text(), json_values, max_size=3)
    },
)
tool_calls = st.fixed_dictionaries(
    {"function": functions},
    optional={
        "id": st.none() | st.sampled_from(["", "c", "call_0_0", "call_0_1"]) | st.text(max_size=5),
        "type": st.just("function"),
        "index": st.integers(),
    },
)
parts = st.fixed_dictionaries({"type": st.just("text"), "text": texts}) | st.fixed_dictionaries(
    {"type": st.just("image_url"), "image_url": st.fixed_dictionaries({"url": texts})}
)
messages = st.fixed_dictionaries(
    {"role": st.just("assistant")},
    optional={
        "content": st.none() | texts | st.lists(parts, max_size=3),
        "reasoning_content": st.none() | texts,
        "tool_calls": st.none() | st.lists(tool_calls, max_size=4),
        "refusal": st.none() | texts,
        "annotations": st.lists(json_values, max_size=2),
        "audio": json_values,
    },
)
actions = texts | messages
nearly = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["assistant", "user", "tool", "", "Assistant"]) | json_values,
        "content": json_values | st.lists(parts | json_values, max_size=2),
        "reasoning_content": json_values,
        "tool_calls": json_values | st.lists(tool_calls | json_values, max_size=2),
        "tool_call_id": json_values,
        "other": json_values,
    },
)
anything = actions | nearly | json_values


@cache
def made(id: str) -> Any:
    """Make an environment once; tests of one that needs a missing extra are skipped."""
    try:
        return environment_class(id)()
    except ExtraMissingError as error:
        return error


def environment(id: str) -> Any:
    """Return the environment of an id."""
    env = made(id)
    if isinstance(env, ExtraMissingError):
        pytest.skip(str(env))
    return env


def no_nan(value: Any) -> bool:
    """Tell whether JSON holds a value as it is."""
    json.dumps(value, allow_nan=False)
    return True


@pytest.mark.parametrize("id", textgym.ids(guests=False))
@settings(SETTINGS, max_examples=30)
@given(seed=st.integers(0, 200), said=st.lists(actions, min_size=1, max_size=4))
def test_nothing_that_is_said_raises(id: str, seed: int, said: list[Any]) -> None:
    env = environment(id)
    low, high = env.reward_range
    before, info = env.reset(seed=seed)
    assert no_nan(info)
    for action in said:
        given_action = copy_json(action)
        observation, reward, terminated, truncated, info = env.step(action)
        assert type(reward) is float
        assert low <= reward <= high
        assert not (terminated and truncated)
        assert observation in env.observation_space
        assert repr(observation[: len(before)]) == repr(before)
        assert no_nan(info)
        assert info["task_id"] == env.task.id
        assert repr(action) == repr(given_action)
        before = observation
        if terminated or truncated:
            assert info["stop_reason"] in ("answer", "max_turns")
            assert all(math.isfinite(value) for value in info["reward_components"].values())
            break


@pytest.mark.parametrize("id", ["textgym/MCQA-v0", "textgym/SessionState-v0"])
@settings(SETTINGS, max_examples=150)
@given(action=anything)
def test_step_accepts_all_actions_of_the_action_space(id: str, action: Any) -> None:
    env = environment(id)
    env.reset(seed=1)
    if action in env.action_space:
        env.step(action)
    else:
        with pytest.raises(InvalidActionError):
            env.step(action)


@settings(SETTINGS, max_examples=150)
@given(st.lists(st.none() | st.sampled_from(["", "c", "call_2_0", "call_2_1"]), max_size=4))
def test_ids_of_calls_are_there_and_differ(given_ids: list[str | None]) -> None:
    calls = [{"id": id, "function": {"name": "f"}} for id in given_ids]
    read: Any = read_action({"role": "assistant", "content": None, "tool_calls": calls}, turn=2)
    ids = [call["id"] for call in read["tool_calls"]]
    assert all(ids)
    assert len(set(ids)) == len(ids)


@settings(SETTINGS, max_examples=150)
@given(action=actions, turn=st.integers(0, 3))
def test_read_action_gives_a_message_with_the_same_text(action: Any, turn: int) -> None:
    message: Any = read_action(action, turn)
    assert message_problem(message, ["assistant"]) == ""
    assert text_of(message) == (action if isinstance(action, str) else text_of(action))


@settings(SETTINGS, max_examples=200)
@given(anything)
def test_every_value_is_a_message_or_has_a_problem(value: Any) -> None:
    problem = message_problem(value)
    assert isinstance(problem, str)
    if not problem:
        assert isinstance(text_of(value), str)


@settings(SETTINGS, max_examples=200)
@given(texts, options, st.sampled_from(GRADING_MODES), st.lists(texts, max_size=2))
def test_choice_is_an_option_or_empty(
    text: str, options: dict[str, str], mode: Any, patterns: list[str]
) -> None:
    assert choice(text, options, mode) in ("", *options)
    letter = choice(text, options, mode, patterns)
    assert letter == "" or (len(letter) == 1 and "A" <= letter <= "Z")


@settings(SETTINGS, max_examples=100)
@given(texts, options)
def test_text_without_answer_chooses_nothing(text: str, options: dict[str, str]) -> None:
    plain = text.replace("\\boxed{", "").lower().replace("answer", "")
    assert all(choice(plain, options, mode) == "" for mode in GRADING_MODES)


@settings(SETTINGS, max_examples=100)
@given(texts)
def test_lenient_box_agrees_with_the_strict_one(text: str) -> None:
    four = {"A": "iron", "B": "zinc", "C": "not zinc", "D": "A"}
    strict = choice(text, four, "strict_single_letter_boxed")
    assert strict in ("", choice(text, four, "lenient_boxed"))


@settings(SETTINGS, max_examples=150)
@given(texts)
def test_text_after_reasoning(text: str) -> None:
    rest = after_reasoning(text)
    assert text.endswith(rest)
    assert "</think>" not in rest
    assert after_reasoning("<think>" + text.replace("</think>", "")) == ""
    assert after_reasoning(f"{text}</think>B") == "B"


def slow_last_boxed(text: str) -> str | None:
    """Try every box from the last to the first, counting braces."""
    for start in range(len(text), -1, -1):
        box = re.compile(r"\\boxed\s{0,9}\{").match(text, start)
        if box is not None:
            depth = 1
            for end in range(box.end(), len(text)):
                depth += (text[end] == "{") - (text[end] == "}")
                if depth == 0:
                    return text[box.end() : end]
    return None


@settings(SETTINGS, max_examples=500)
@given(braces.map("".join) | mixtures)
def test_last_boxed_equals_the_slow_way(text: str) -> None:
    assert last_boxed(text) == slow_last_boxed(text)


@settings(SETTINGS, max_examples=150)
@given(texts)
def test_plain_latex_is_no_longer_and_can_be_marked_up_again(text: str) -> None:
    bare = latex_to_text(text)
    assert len(bare) <= len(text)
    assert bare == bare.strip()
    if not set(bare) & set("\\{}$~"):
        assert latex_to_text(f"$\\text{{\\textbf{{{bare}}}}}$") == bare


@settings(SETTINGS, max_examples=200)
@given(texts)
def test_answer_lines_are_pieces_of_the_text(text: str) -> None:
    for before, rest in answer_lines(text):
        assert len(before) <= 1
        assert rest
        assert "\n" not in rest
        assert rest in text
    assert bool(list(answer_lines(text + "\nAnswer: B"))) is True
