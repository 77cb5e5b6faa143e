"""`textgym/GuessNumber-v0`: guesses, feedback, turns, and what policies can reach."""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.envs.guess_number import GuessNumber
from textgym.errors import RowError, UsageError
from textgym.messages import assistant_calls

ROW = {"number": 5, "highest": 7, "turns": 3}


def begun(row: dict[str, Any] | None = None, **kwargs: Any) -> GuessNumber:
    env = GuessNumber(**kwargs)
    env.reset(options={"task": {**ROW, **(row or {})}})
    return env


def told(env: GuessNumber, message: Any) -> str:
    """Step a message that does not end the game, and return what is said to it."""
    observation, _, terminated, truncated, _ = env.step(message)
    assert not terminated
    assert not truncated
    assert observation[-1]["role"] == "user"
    return str(observation[-1]["content"])


def test_prompt_states_the_range_the_turns_and_the_feedback() -> None:
    observation, _ = GuessNumber().reset(options={"task": ROW})
    assert observation == [
        {
            "role": "user",
            "content": "I am thinking of a whole number from 1 to 7. Guess it: you have 3 turns. "
            "Answer with one number. After a wrong guess I tell you whether the number is higher "
            "or lower.",
        }
    ]


def test_prompt_states_that_there_is_no_feedback() -> None:
    observation, _ = GuessNumber(feedback=False).reset(options={"task": {**ROW, "turns": 1}})
    text = str(observation[0]["content"])
    assert "you have 1 turn." in text
    assert text.endswith("I tell you that it is wrong.")


def test_level_0_states_the_number_and_leaves_one_turn() -> None:
    env = GuessNumber(level=0)
    for index in range(100):
        observation, _ = env.reset(options={"index": index})
        stated = re.fullmatch(
            r"I am thinking of a whole number from 1 to 99999\. It is (\d+)\. Guess it: you have "
            r"1 turn\. Answer with one number\. .*",
            str(observation[0]["content"]),
        )
        assert stated
        for guess, reward in ((stated[1], 1.0), (f"{stated[1]}, not 1", 0.0), ("99999", 0.0)):
            env.reset(options={"index": index})
            assert env.step(guess)[1:3] == (reward, True)


@pytest.mark.parametrize(("guess", "answer"), [("4", "higher"), ("6", "lower"), ("1", "higher")])
def test_feedback(guess: str, answer: str) -> None:
    assert told(begun(), guess) == answer


@pytest.mark.parametrize("guess", ["4", "6"])
def test_without_feedback_a_wrong_guess_is_wrong(guess: str) -> None:
    assert told(begun(feedback=False), guess) == "wrong"


@pytest.mark.parametrize("wrong", range(3))
def test_the_right_guess_ends_the_game(wrong: int) -> None:
    env = begun()
    for _ in range(wrong):
        told(env, "1")
    _, reward, terminated, truncated, info = env.step("5")
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert info["reward_components"] == {"correct": 1.0, "guesses": wrong + 1.0}
    assert (info["stop_reason"], info["extracted_answer"]) == ("answer", "5")


def test_the_last_turn_ends_the_game_by_its_rules() -> None:
    env = begun()
    told(env, "1")
    told(env, "2")
    observation, reward, terminated, truncated, info = env.step("3")
    assert (reward, terminated, truncated) == (0.0, True, False)
    assert (info["stop_reason"], info["extracted_answer"]) == ("answer", "3")
    assert observation[-1]["role"] == "assistant"


@pytest.mark.parametrize(
    "text",
    [
        "5",
        " 5\n",
        "5.",
        "**5**",
        "I guess 5.",
        "Not 4, so it is 5",
        "\\boxed{5}",
        "5.0",
        "<think>4 or 6?</think>5",
        "between 1 and 7: 5",
    ],
)
def test_the_last_number_is_the_guess(text: str) -> None:
    assert begun().step(text)[1] == 1.0


@pytest.mark.parametrize(
    "text",
    ["", "five", "0", "8", "-5", "5.5", "1e9", "5" * 5000, "<think>5", "n5", "NaN", "9 5 9"],
    ids=lambda text: text[:10],
)
def test_invalid_guess_uses_a_turn_without_feedback(text: str) -> None:
    env = begun()
    assert told(env, text) == "That is no whole number from 1 to 7."
    told(env, "4")
    _, reward, terminated, _, info = env.step(text)
    assert (reward, terminated) == (0.0, True)
    assert info["reward_components"]["guesses"] == 1.0


def test_reasoning_is_not_a_guess() -> None:
    message: Any = {"role": "assistant", "content": "4", "reasoning_content": "5"}
    assert told(begun(), message) == "higher"


def test_message_with_tool_calls_uses_a_turn_and_is_not_a_guess() -> None:
    env = begun()
    call: Any = {**assistant_calls(("higher", {}), ("grade", {})), "content": "5"}
    for _ in range(3):
        observation, _, terminated, truncated, _ = env.step(call)
        assert str(observation[-1]["content"]).startswith("Error: there is no tool")
        assert not terminated
        assert not truncated
    assert env.step("5")[1:4] == (0.0, True, False)  # the fourth turn of three


def test_the_operators_limit_truncates() -> None:
    env = begun(max_turns=1)
    assert env.step("4")[1:4] == (0.0, False, True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"number": 0}, "'number' must be an integer from 1"),
        ({"number": "5"}, "'number' must be an integer"),
        ({"number": 8}, "'number' is 8, but highest is 7"),
        ({"highest": None}, "'highest' must be"),
        ({"turns": 2.0}, "'turns' must be"),
        ({"turns": True}, "'turns' must be"),
        ({"highest": 10**10}, "'highest' must be"),
        ({"hint": 5}, "'hint' must be a sentence"),
        ({"hint": " "}, "'hint' must be a sentence"),
    ],
    ids=str,
)
def test_a_wrong_row_is_an_error_that_names_the_field(change: dict[str, Any], message: str) -> None:
    with pytest.raises(RowError, match=message):
        begun(change)


@pytest.mark.parametrize(
    "kwargs", [{"highest": 0}, {"turns": 1.5}, {"highest": True}, {"feedback": "no"}], ids=str
)
def test_a_wrong_argument_is_an_error_that_names_it(kwargs: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(kwargs))):
        GuessNumber(**kwargs)


# What policies can reach.


def halve(env: GuessNumber) -> float:
    """Play by halving what is left, from the messages alone."""
    observation, _ = env.reset()
    low, high = 1, env.task.row["highest"]
    while True:
        guess = (low + high) // 2
        observation, reward, terminated, _, _ = env.step(str(guess))
        if terminated:
            return float(reward)
        if observation[-1]["content"] == "higher":
            low = guess + 1
        elif observation[-1]["content"] == "lower":
            high = guess - 1


@pytest.mark.parametrize("level", GuessNumber.card.levels)
def test_halving_wins_every_game_of_every_level(level: int) -> None:
    env = GuessNumber(level=level)
    env.reset(seed=level)
    assert {halve(env) for _ in range(200)} == {1.0}


@pytest.mark.parametrize(("highest", "turns"), [(3, 2), (7, 2), (5, 5)])
def test_ignoring_the_feedback_wins_one_game_in_n_for_each_turn(highest: int, turns: int) -> None:
    """Different guesses in any order: the best that can be done without reading."""
    won = [
        begun({"number": number, "highest": highest, "turns": turns}) for number in
        range(1, highest + 1)
    ]  # fmt: skip
    rewards = 0.0
    for env, guess in itertools.product(won, range(1, turns + 1)):
        if env.state.found:
            continue
        rewards += env.step(str(guess))[1]
    assert rewards == turns


@pytest.mark.parametrize("split", ["train", "validation", "test"])
def test_every_number_is_as_likely_in_every_split(split: str) -> None:
    env = GuessNumber(highest=3, turns=2, split=split)
    tasks = [env.get_task(index) for index in range(500)]
    counts = Counter(task.answer for task in tasks)
    assert set(counts) == {1, 2, 3}
    assert min(counts.values()) > 120
    assert {(task.row["highest"], task.row["turns"]) for task in tasks} == {(3, 2)}


def test_arguments_leave_the_rest_to_the_level() -> None:
    rows = [GuessNumber(level=4, turns=2).get_task(0).row, GuessNumber(highest=50).get_task(1).row]
    assert (rows[0]["highest"], rows[0]["turns"]) == (100, 2)
    assert rows[1]["highest"] == 50


@given(st.lists(st.text() | st.integers().map(str) | st.floats().map(str), max_size=5))
def test_any_text_is_a_guess_or_spends_a_turn(texts: list[str]) -> None:
    env = begun()
    for turn, text in enumerate(texts, start=1):
        observation, reward, terminated, truncated, _ = env.step(text)
        assert terminated == (reward == 1.0 or turn == 3)
        assert not truncated
        if terminated:
            break
        assert observation[-1]["content"] in (
            "higher", "lower", "That is no whole number from 1 to 7.",
        )  # fmt: skip


def test_guesses_are_in_range() -> None:
    env = begun()
    rng = random.Random(1)
    assert {env.guess(rng)["content"] for _ in range(200)} == set("1234567")
