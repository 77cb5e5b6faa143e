"""`textgym/SingleToolCall-v0`: what is a right answer, whose weather the tool tells, and rows."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.envs.single_tool_call import SingleToolCall
from textgym.errors import RowError
from textgym.messages import assistant_calls

ROW = {"city": "Oslo", "expected_answer": "snowy"}
NUMBER = {
    "city": "Oslo",
    "question": "How cold is it in Oslo?",
    "weather": {"condition": "snowy", "temperature": -12},
    "expected_answer": "-12",
}
OWN_PROMPT = {"responses_create_params": {"input": "what's it like in oslo?"}}


def begun(row: dict[str, Any] | None = None, **kwargs: Any) -> SingleToolCall:
    env = SingleToolCall(**kwargs)
    env.reset(options={"task": ROW if row is None else row})
    return env


def asking(*cities: Any) -> Any:
    return assistant_calls(*(("get_weather", {"city": city}) for city in cities))


def weather(env: SingleToolCall, city: str) -> Any:
    return json.loads(str(env.step(asking(city))[0][-1]["content"]))


def answered(text: Any, row: dict[str, Any] | None = None) -> tuple[float, dict[str, Any]]:
    """Ask the tool for the row's city, then answer."""
    env = begun(row)
    env.step(asking("Oslo"))
    _, reward, terminated, _, info = env.step(text)
    assert terminated
    return reward, info


def test_the_prompt_asks_for_the_answer_on_a_line_of_its_own() -> None:
    observation, info = SingleToolCall().reset(options={"task": NUMBER})
    rule = 'End with a line that says "Answer: " and the answer alone.'
    assert observation == [{"role": "user", "content": f"How cold is it in Oslo? {rule}"}]
    assert [tool["function"]["name"] for tool in info["tools"]] == ["get_weather"]
    assert "snowy" not in json.dumps([observation, info])


@pytest.mark.parametrize(
    ("text", "reward"),
    [
        ("Answer: snowy", 1.0),
        ("answer: **Snowy**.", 1.0),
        ("snowy", 1.0),
        ("The weather in Oslo is snowy today.", 1.0),
        ("I thought of rainy days.\nAnswer: snowy", 1.0),
        ("Answer: sunny\nAnswer: snowy", 1.0),
        ("Answer: snowy\nAnswer: sunny", 0.0),
        ("Answer: sunny", 0.0),
        ("It is snowy or sunny.", 0.0),
        ("clear cloudy foggy rainy snowy stormy sunny windy", 0.0),
        ("It is not snowy.", 0.0),
        ("It isn't snowy.", 0.0),
        ("unsnowy", 0.0),
        ("Answer:", 0.0),
        ("", 0.0),
        ("<think>snowy</think>", 0.0),
        ("<think>Answer: snowy", 0.0),
    ],
)
def test_a_text_is_right_where_it_is_said_and_no_other_is(text: str, reward: float) -> None:
    found, info = answered(text)
    assert found == reward
    assert info["reward_components"] == {"correct": reward, "told": 1.0}


@pytest.mark.parametrize(
    ("text", "reward"),
    [
        ("Answer: drizzle", 1.0),
        ("Answer: light drizzle", 1.0),
        ("Answer: drizzle, 8 °C", 1.0),
        ("The weather in Oslo is drizzle, with a little wind.", 1.0),
        ("Answer: drizzle or sleet", 0.0),
        ("Answer: sleet and drizzle", 0.0),
        ("Answer: drizzle or sleet or hail or mist", 0.0),
        ("Answer: sleet, drizzle, hail", 0.0),
        ("Answer: drizzle sleet hail mist", 0.0),
        ("Answer: sleet / drizzle / 8 °C", 0.0),
        ("Answer: drizzle, sleet, hail, 8", 0.0),
    ],
)
def test_several_guesses_of_another_word_are_wrong(text: str, reward: float) -> None:
    earned, _ = answered(text, {"city": "Oslo", "expected_answer": "drizzle"})
    assert earned == reward


@pytest.mark.parametrize(
    ("text", "reward"),
    [
        ("Answer: -12", 1.0),
        ("Answer: -12 °C", 1.0),
        ("Answer: \u221212.0 degrees", 1.0),
        ("Answer: \\boxed{\u201112}", 1.0),
        ("Answer: 10\u201112", 0.0),
        ("It is -12 degrees.", 1.0),
        ("Answer: 12", 0.0),
        ("Answer: -120", 0.0),
        ("Answer: -12 or -11", 0.0),
        ("Answer: twelve below zero", 0.0),
        ("It is -12.\nAnswer: snowy", 0.0),
    ],
)
def test_a_number_is_right_where_the_answers_last_one_is_equal(text: str, reward: float) -> None:
    assert answered(text, NUMBER)[0] == reward


@pytest.mark.parametrize(
    "text",
    [
        "~~snowy~~", "without snowy", "≠ snowy", "$\\neq$ snowy", "snowy is ruled out",
        "I doubt snowy", "hardly snowy",
        "anything but snowy", "everything except snowy", "unlike snowy", "other than snowy",
        "far from snowy", "all but snowy",
    ],
)  # fmt: skip
def test_a_word_that_is_excluded_is_wrong(text: str) -> None:
    assert answered(f"Answer: {text}")[0] == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "drizzle the sleet the hail", "drizzle is sleet is hail", "a drizzle a sleet a hail",
        "it is drizzle it is sleet it is hail", "drizzle with sleet with hail",
        "drizzle of sleet in hail at mist",
    ],
)  # fmt: skip
def test_small_words_between_guesses_do_not_make_a_sentence(text: str) -> None:
    golds = ["drizzle", "sleet", "hail", "mist"]
    rewards = [answered(text, {"city": "Oslo", "expected_answer": gold})[0] for gold in golds]
    assert sum(rewards) <= 1, rewards


@pytest.mark.parametrize(
    ("gold", "text", "reward"),
    [
        ("-5", "minus 5", 1.0), ("-5", "negative 5 degrees", 1.0), ("5", "minus 5", 0.0),
        ("5", "20 minus 5", 0.0), ("-5", "20 minus 5", 0.0), ("-5", "minus -5", 0.0),
        ("12", "not 12", 0.0), ("12", "it is not 12", 0.0), ("12", "anything but 12", 0.0),
        ("12", "It isn't 12", 0.0), ("12", "12 is wrong", 0.0), ("12", "other than 12", 0.0),
        ("12", "11, 12", 0.0), ("12", "11 and 12", 0.0), ("12", "[11, 12]", 0.0),
        ("12", "1" + ",111" * 45 + "x", 0.0), ("1012", "1,012", 1.0), ("12", "(12)", 1.0),
        ("12", "11/12", 0.0), ("12", "10-12", 0.0), ("12", "11 12", 0.0), ("12", "≠ 12", 0.0),
        ("12", "$\\neq 12$", 0.0), ("12", "hardly 12", 0.0), ("12", "12 is excluded", 0.0),
        ("12", "3 and 9 more make 12", 1.0), ("1250", "1,250", 1.0),
        ("1250", "5 × 250 = 1,250", 1.0),
        ("12", "11 or 12", 0.0), ("12", "12 or so", 1.0), ("12", "17 - 5 = 12", 1.0),
        ("12", "9 + 3 = 12 per cent", 1.0), ("12", "never 12", 0.0),
        ("12", "sunny or 12", 0.0), ("12", "10 + 12", 0.0), ("12", "(3 + 7) × 12", 0.0),
        ("12", "at least 12", 0.0), ("12", "at most 12 degrees", 0.0), ("12", "over 12", 0.0),
        ("12", "more than 12", 0.0), ("12", "12 or more", 0.0), ("12", "12+", 0.0),
        ("12", "12 at least", 0.0), ("12", "from 10 to 12", 0.0), ("12", "> 12", 0.0),
        ("12", "between 10 and 12 degrees", 0.0), ("12", "10 degrees to 12 degrees", 0.0),
        ("12", "about 12", 1.0), ("12", "a steady 12 °C", 1.0), ("12", "rose to 12", 1.0),
        ("12", "11 is wrong, it is 12", 0.0), ("12", "In Lima it is 12", 1.0),
        ("12", "12 and windy", 1.0), ("12", "windy and 12", 1.0), ("-12", "3 above -12", 0.0),
    ],
)  # fmt: skip
def test_words_around_a_number_count(gold: str, text: str, reward: float) -> None:
    assert answered(f"Answer: {text}", {**NUMBER, "expected_answer": gold})[0] == reward


@pytest.mark.parametrize(
    ("text", "reward"),
    [
        ("snowy or 12", 0.0), ("snowy or not", 0.0), ("12 or snowy", 0.0), ("snowy vs sunny", 0.0),
        ("either snowy or wet", 0.0), ("snowy, 12 degrees", 1.0), ("snowy for now", 1.0),
        ("snowy and cold", 1.0), ("snowy in Oslo, Norway", 1.0),
    ],
)  # fmt: skip
def test_a_word_with_an_alternative_is_wrong(text: str, reward: float) -> None:
    assert answered(f"Answer: {text}")[0] == reward


@pytest.mark.parametrize("gold", ["hot", "mild", "Yes", "No"])
def test_a_list_of_guesses_earns_nothing(gold: str) -> None:
    row = {"city": "Oslo", "expected_answer": gold}
    assert answered("Answer: hot, mild, cold, yes, no", row)[0] == 0.0
    assert answered(f"Answer: {gold}", row)[0] == 1.0


@pytest.mark.parametrize("text", ["snowy is wrong", "snowy. It is not snowy.", "snowy isn't it"])
def test_an_answer_that_is_denied_earns_nothing(text: str) -> None:
    assert answered(f"Answer: {text}")[0] == 0.0


def test_a_lucky_guess_earns_nothing() -> None:
    _, reward, terminated, _, info = begun().step("Answer: snowy")
    assert (reward, terminated) == (0.0, True)
    assert info["reward_components"] == {"correct": 1.0, "told": 0.0}


@pytest.mark.parametrize("city", ["Oslo", "oslo", " OSLO ", "Oslo, Norway", "Oslo."])
def test_the_city_may_be_written_in_other_ways(city: str) -> None:
    env = begun()
    assert weather(env, city) == {"city": city, "weather": "snowy"}
    assert env.step("Answer: snowy")[1] == 1.0


@pytest.mark.parametrize("city", ["Bergen", "Osl", "Oslo Norway", "Norway, Oslo"])
def test_another_city_has_another_weather_and_counts_for_nothing(city: str) -> None:
    env = begun()
    first = weather(env, city)
    assert first["weather"] != "snowy"
    assert weather(env, city) == weather(begun(), city) == first
    assert env.step("Answer: snowy")[1] == 0.0


def test_the_weather_elsewhere_agrees_in_nothing() -> None:
    """Also where the answer is to be worked out from it."""
    env = begun({**NUMBER, "weather": {"condition": "snowy", "humidity": 50, "pressure": 7}})
    for number in range(100):
        elsewhere = weather(begun(dict(env.task.row)), f"Town {number}")
        assert elsewhere.keys() == {"city", "condition", "humidity", "pressure"}
        assert elsewhere["condition"] != "snowy"
        assert elsewhere["humidity"] != 50
        assert elsewhere["pressure"] != 7


def test_of_several_calls_one_must_be_for_the_city() -> None:
    env = begun()
    env.step(asking("Bergen", "Oslo", "Lima"))
    assert env.step("Answer: snowy")[1] == 1.0


@pytest.mark.parametrize(
    "arguments",
    [
        '{"city": ""}', '{"city": " . "}', '{"city": null}', '{"city": 5}', '{"city": ["Oslo"]}',
        '{"town": "Oslo"}', '{"city": "Oslo", "days": 1}', '{"city": "Oslo"', "Oslo", "", None,
        "[" * 10_000, json.dumps({"city": "Oslo" * 2_500_000}),
    ],
    ids=lambda arguments: str(arguments)[:24],
)  # fmt: skip
def test_arguments_without_a_city_are_errors(arguments: str | None) -> None:
    env = begun()
    call: Any = {"function": {"name": "get_weather", "arguments": arguments}}
    observation = env.step({"role": "assistant", "tool_calls": [call]})[0]
    assert str(observation[-1]["content"]).startswith("Error: ")
    assert env.step("Answer: snowy")[1] == 0.0


@pytest.mark.parametrize("name", ["reset", "grade", "weather", ""])
def test_methods_that_are_not_tools_cannot_be_called(name: str) -> None:
    observation = begun().step(assistant_calls((name, {"city": "Oslo"})))[0]
    assert str(observation[-1]["content"]).startswith("Error: there is no tool")


@pytest.mark.parametrize(
    "text",
    [
        "snowy " * 170_000,
        pytest.param("snowy " * 1_700_000, marks=pytest.mark.slow),
        "[" * 10_000,
        "Answer: " * 100_000,
    ],
)
def test_long_answers_are_data(text: str) -> None:
    reward, info = answered(text)
    assert reward == float(text.startswith("snowy"))
    assert len(info["extracted_answer"]) <= 200


def test_a_row_with_a_prompt_of_its_own() -> None:
    env = begun({**ROW, **OWN_PROMPT, "expected_answer": "cold"})
    assert env.task.messages[0]["content"] == "what's it like in oslo?"
    env.step(asking("oslo"))
    assert env.step("It's cold in Oslo today, wrap up warm!")[1] == 1.0


def test_the_turn_limit_grades_the_last_message() -> None:
    env = begun(max_turns=1)
    call = {**asking("Oslo"), "content": "Answer: snowy"}
    assert env.step(call)[1:4] == (1.0, False, True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"city": None}, "'city' is missing"),
        ({"city": " "}, "'city' is missing"),
        ({"expected_answer": None}, "'expected_answer' must be a string or a number"),
        ({"expected_answer": ""}, "'expected_answer' must be"),
        ({"expected_answer": True}, "'expected_answer' must be"),
        ({"question": ""}, "'question' must be a string"),
        ({"weather": "snowy"}, "'weather' must be an object"),
        ({"weather": {}}, "'weather' must be an object"),
    ],
    ids=str,
)
def test_a_wrong_row_is_an_error_that_names_the_field(change: dict[str, Any], message: str) -> None:
    with pytest.raises(RowError, match=message):
        begun({**ROW, **change})


def test_an_expected_answer_may_be_a_number() -> None:
    assert answered("Answer: 7", {**ROW, "expected_answer": 7})[0] == 1.0


# The generator.


PHRASES = {
    "in the morning": "morning", "at noon": "noon", "in the afternoon": "afternoon",
    "in the evening": "evening", "at night": "night", "at dawn": "dawn",
    "the temperature of the soil": "soil", "the temperature in": "temperature",
    "the humidity": "humidity", "the cover of clouds": "clouds", "the speed of the wind": "wind",
    "the pollen": "pollen", "the air pressure": "pressure", "the visibility": "visibility",
    "the rain": "rain", "the ozone": "ozone",
}  # fmt: skip


def reckon(question: str, told: dict[str, Any]) -> str:
    """Answer a generated question, read apart from how it was made."""
    (name,) = [name for phrase, name in PHRASES.items() if phrase in question]
    value = told[name]
    by = re.search(r"multiplied by (\d+)|and (\d+) more|make it (\d+)", question)
    if by is None:
        return str(value)
    times, more, goal = by.groups()
    if times:
        return str(value * int(times))
    return str(value + int(more)) if more else str(int(goal) - value)


@pytest.mark.parametrize("level", [0, *SingleToolCall.card.levels])
def test_generated_answers_follow_from_the_tools_result(level: int) -> None:
    env = SingleToolCall(level=level)
    asked = set()
    for index in range(400):
        env.reset(options={"index": index})
        row = env.task.row
        assert row["city"] in row["question"]
        told = weather(env, row["city"])
        asked.add(re.sub(r"\d+", "n", row["question"].replace(row["city"], "C")))
        assert env.step(f"Answer: {reckon(row['question'], told)}")[1] == 1.0, row
    assert len(asked) == {0: 30, 1: 12, 2: 10, 3: 30}[level]


def test_at_level_0_the_answer_is_the_tools_whole_result() -> None:
    env = SingleToolCall(level=0)
    for index in range(50):
        env.reset(options={"index": index})
        city, told = env.task.row["city"], weather(env, env.task.row["city"])
        assert len(told) == 2
        assert str(env.task.messages[0]["content"]).count(city) == 1
        (value,) = (value for name, value in told.items() if name != "city")
        assert env.step(f"Answer: {value}")[1] == 1.0


@pytest.mark.parametrize("text", ["Answer: {}", "{}", "Answer: {} or {more}", "Answer: {more}"])
def test_at_level_0_a_guess_and_a_wrong_number_earn_nothing(text: str) -> None:
    env = SingleToolCall(level=0)
    for index in range(20):
        env.reset(options={"index": index})
        value = int(env.task.answer)
        if "more" in text:
            weather(env, env.task.row["city"])
        assert env.step(text.format(value, more=value + 1))[1] == 0.0


def test_values_of_the_tools_result_are_all_different() -> None:
    """So that one that was not asked for is never right by luck."""
    env = SingleToolCall()
    for index in range(200):
        told = env.get_task(index).row["weather"]
        assert len({*told.values()}) == len(told) == 16


@pytest.mark.parametrize("level", [1, 2])
def test_what_was_never_asked_of_a_city_in_training_is_not_the_answer(level: int) -> None:
    """While that decided the split, it was so in 0.64 at level 1, where one of six is right."""
    train, test = (
        [env.get_task(index).row for index in range(n)]
        for env, n in (
            (SingleToolCall(level=level), 4000),
            (SingleToolCall(level=level, split="test"), 400),
        )
    )
    asked = Counter((row["city"], row["asked"]) for row in train)
    names = sorted({row["asked"] for row in train})
    rng = random.Random(level)
    hits = sum(
        min(names, key=lambda name: (asked[row["city"], name], rng.random())) == row["asked"]
        for row in test
    )
    assert hits / len(test) <= 1 / len(names) + 0.06
    assert not {row["city"] for row in train} & {row["city"] for row in test}


@given(st.text(), st.text())
def test_any_city_and_answer_are_data(city: str, text: str) -> None:
    env = begun()
    env.step(asking(city))
    _, reward, terminated, _, info = env.step(text)
    assert terminated
    assert reward == min(info["reward_components"].values())


def test_guesses_ask_before_they_answer() -> None:
    env = begun()
    rng = random.Random(1)
    env.step(env.guess(rng))
    assert env.state == {"told": True, "strayed": False}
    assert str(env.guess(rng)["content"]).startswith("Answer: ")
