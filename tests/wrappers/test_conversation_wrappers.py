"""Wrappers that change the conversation: what the policy sees, what is graded, what is refused."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import dataclasses
from functools import partial
from typing import Any

import gymnasium as gym
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgym
from textgym import registry
from textgym.envs.mcqa.mcqa_env import MCQA
from textgym.errors import EnvironmentFailure, OracleError, StateError, UsageError
from textgym.messages import assistant, assistant_calls, text_of
from textgym.policies import Action, Policy
from textgym.tools import tool
from textgym.wrappers import (
    ContextWindow,
    ExtraTools,
    FewShot,
    Retry,
    SimulatedUser,
    StepPenalty,
    SystemPrompt,
    TokenBudget,
    TurnBudget,
)
from textgym.wrappers.conversations.calculator import calculator

CALCULATE = assistant_calls(("calculator", {"expression": "6 * 7"}))


def make(id: str = "textgym/MCQA-v0", **kwargs: Any) -> Any:
    return gym.make(id, disable_env_checker=True, **kwargs)


def boxed(env: Any, right: bool) -> str:
    answer = env.unwrapped.task.answer
    return rf"\boxed{{{answer if right else ('B' if answer == 'A' else 'A')}}}"


def play(env: Any, *actions: Any, seed: int = 1) -> list[Any]:
    env.reset(seed=seed)
    return [env.step(action) for action in actions]


# Retry


def retry(**kwargs: Any) -> Any:
    env = Retry(make(), **{"attempts": 3, **kwargs})
    env.reset(seed=1)
    return env


@pytest.mark.parametrize(("wrong", "paid"), [(0, 1.0), (1, 0.5), (2, 0.25), (3, 0.0)])
def test_later_attempts_pay_less(wrong: int, paid: float) -> None:
    env, total = retry(), 0.0
    for attempt in range(3):
        _, reward, terminated, truncated, info = env.step(boxed(env, attempt >= wrong))
        total += reward
        if terminated:
            break
    assert (total, truncated, info["is_success"]) == (paid, False, wrong < 3)
    assert info["task_reward"] == float(wrong < 3)


def test_feedback_quotes_the_answer_and_says_when_there_is_none() -> None:
    env = retry()
    said = boxed(env, False)
    assert env.step(said)[0][-1]["content"] == f"Your answer {said[-2]} is wrong. Try again."
    assert env.step("Hm.")[0][-1]["content"] == "There is no answer in your message. Try again."


def test_feedback_in_words_of_ones_own() -> None:
    env = retry(feedback="Not {answer}; {left} left.")
    said = boxed(env, False)
    assert env.step(said)[0][-1]["content"] == f"Not {said[-2]}; 2 left."


def hint(info: dict[str, Any], task: Any) -> str:
    return f"It is not {info['extracted_answer']}, and not the one after {task.answer}."


@pytest.mark.parametrize("feedback", [hint, f"{__name__}:hint"], ids=["function", "name"])
def test_feedback_by_a_function(feedback: Any) -> None:
    env = retry(feedback=feedback)
    assert env.step(boxed(env, False))[0][-1]["content"].startswith("It is not ")


def test_an_answer_cannot_fill_in_the_feedback() -> None:
    env = Retry(make("textgym/EquivalenceJudge-v0"), feedback="{answer}")
    env.reset(seed=1)
    assert "{left}" in env.step("{left}")[0][-1]["content"]


def test_an_attempt_that_follows_a_wrong_one_is_graded_alone() -> None:
    env = retry()
    env.step(boxed(env, False))
    observation, *_, info = env.step(boxed(env, True))
    assert [message["role"] for message in observation] == ["user", "assistant"] * 2
    assert info["is_success"]
    assert len(env.unwrapped._conversation) == 2


def test_a_wrong_attempt_does_not_end_the_episode_and_pays_nothing() -> None:
    env = retry()
    _, reward, terminated, truncated, info = env.step(boxed(env, False))
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert info["task_reward"] == 0.0
    assert "is_success" not in info


def test_penalties_within_an_attempt_are_paid_for_each() -> None:
    env = Retry(StepPenalty(make(), amount=0.25), attempts=2)
    env.reset(seed=1)
    rewards = [env.step(boxed(env, right))[1] for right in (False, True)]
    assert rewards == [-0.25, 0.5 * (1 - 0.25)]


def test_a_time_limit_ends_the_attempts_with_a_grade() -> None:
    env = textgym.layers.grade_at_time_limit(gym.wrappers.TimeLimit(retry(), 2))
    env.reset(seed=1)
    results = [env.step(boxed(env, False)) for _ in range(2)]
    assert results[-1][2:4] == (False, True)
    assert (results[-1][4]["stop_reason"], results[-1][4]["is_success"]) == ("max_turns", False)


@pytest.mark.parametrize(
    ("inside", "outside"),
    [
        ([], []),
        (["FormatBonus:amount=0.3"], []),
        (["EfficiencyBonus:limit=2,amount=1"], []),
        ([f"PotentialShaping:potential={__name__}:shorter"], []),
        (['WeightedComponents:weights={"task_reward":0.5}'], []),
        (["ClipReturn:high=0.5"], []),
        (["StepPenalty:amount=0.05"], []),
        ([], ['WeightedComponents:weights={"correct":1,"answered":0.5,"retry":1}']),
        ([], ["FormatBonus:amount=0.3", "StepPenalty:amount=0.05"]),
    ],
    ids=str,
)
def test_failing_on_purpose_never_pays(inside: list[str], outside: list[str]) -> None:
    returns = []
    for wrong in range(4):
        retry = "Retry:attempts=3,discount=0.9"
        env = registry.make("textgym/MCQA-v0", wrappers=[*inside, retry, *outside])
        env.reset(seed=1)
        total, ended, attempt = 0.0, False, 0
        while not ended:
            _, reward, terminated, truncated, info = env.step(boxed(env, attempt >= wrong))
            total, attempt, ended = total + float(reward), attempt + 1, terminated or truncated
        assert info["is_success"] is (wrong < 3)
        returns.append(total)
    assert returns == sorted(returns, reverse=True)
    assert returns[2] > returns[3]


def shorter(messages: Any) -> float:
    return -float(len(messages))


# Prompts


def test_system_prompt_stands_first_and_is_merged_with_the_tasks_own() -> None:
    env = make("textgym/MultiStep-v0")
    own = env.reset(seed=1)[0][0]["content"]
    texts = {}
    for place in ("before", "after", "instead"):
        wrapped = SystemPrompt(make("textgym/MultiStep-v0"), text="Be brief.", place=place)
        observation, _ = wrapped.reset(seed=1)
        assert [message["role"] for message in observation] == ["system", "user"]
        texts[place] = observation[0]["content"]
    assert texts == {
        "before": f"Be brief.\n\n{own}",
        "after": f"{own}\n\nBe brief.",
        "instead": "Be brief.",
    }


def test_examples_are_solved_by_the_oracle_and_never_the_task_that_is_played() -> None:
    env = FewShot(make(split="train"), shots=2)
    plain = make(split="train")
    for index in range(4):
        observation, _ = env.reset(options={"index": index})
        task = plain.reset(options={"index": index})[0][-1]
        assert observation[-1] == task
        assert task not in observation[:-1]
        assert [message["role"] for message in observation] == ["user", "assistant"] * 2 + ["user"]


def seen_prompts(observation: list[Any]) -> list[str]:
    return [str(message["content"]) for message in observation if message["role"] == "user"]


@pytest.mark.parametrize("shots", [1, 2, 3])
def test_no_example_has_the_prompt_of_the_task_that_is_played(shots: int) -> None:
    env = FewShot(make("textgym/GuessNumber-v0", split="train"), shots=shots)
    for index in range(24):  # few prompts, each of many tasks
        observation, _ = env.reset(options={"index": index})
        *examples, prompt = seen_prompts(observation)
        assert len(examples) == shots == len(set(examples))
        assert prompt not in examples


def test_examples_do_not_depend_on_what_the_prompt_does_not_show() -> None:
    env = FewShot(make("textgym/GuessNumber-v0", split="train"), shots=2)
    shown: dict[str, list[Any]] = {}
    for index in range(40):
        *examples, prompt = env.reset(options={"index": index})[0]
        assert shown.setdefault(str(prompt["content"]), examples) == examples


def test_another_wrapper_does_not_hide_an_equal_prompt() -> None:
    env = make("textgym/GuessNumber-v0", split="train")
    env = FewShot(SystemPrompt(env, text="Be brief."), shots=2)
    for index in range(9):
        *examples, prompt = seen_prompts(env.reset(options={"index": index})[0])
        assert prompt not in examples


@pytest.mark.parametrize("kwargs", [{"level": 1}, {"highest": 3, "turns": 2}], ids=str)
def test_tasks_with_one_prompt_have_no_examples(kwargs: Any) -> None:
    with pytest.raises(UsageError, match=r"2 solved tasks with different prompts .* have 1"):
        FewShot(make("textgym/GuessNumber-v0", **kwargs), shots=1)


class Unanswered(MCQA):
    """Multiple choice, of which no answer is known."""

    def solve(self) -> Any:
        raise OracleError("the answer is not known")


def test_an_oracle_that_knows_no_answer_is_one_error_before_any_episode() -> None:
    with pytest.raises(UsageError, match=r"FewShot: 2 solved tasks .*: the answer is not known"):
        textgym.rollout(Unanswered, "random", episodes=2, wrappers=["FewShot:shots=1"])


def test_given_examples_stand_before_the_task() -> None:
    examples = [{"role": "user", "content": "2 + 2?"}, assistant("4")]
    env = FewShot(make("textgym/MultiStep-v0"), examples=examples)
    observation, _ = env.reset(seed=1)
    assert [message["role"] for message in observation] == ["system", "user", "assistant", "user"]
    assert observation[1:3] == examples
    observation[1]["content"] = "changed"
    assert env.step("Hm.")[0][1:3] == examples
    textgym.set_state(env, textgym.get_state(env))


def test_examples_with_tools_have_calls_and_results_but_no_system_message() -> None:
    env = FewShot(make("textgym/MultiStep-v0"), shots=1)
    roles = [message["role"] for message in env.reset(seed=1)[0]]
    assert roles.count("system") == 1
    assert roles[:4] == ["system", "user", "assistant", "tool"]


# Tools


@tool(name="shout")
def say_loudly(text: str) -> str:
    """Say it loudly.

    Args:
        text: What to say.
    """
    return text.upper()


def test_a_tool_makes_a_single_turn_environment_multi_step() -> None:
    env = ExtraTools(make("textgym/Math-v0"), tools=["calculator"])
    env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(CALCULATE)
    assert (observation[-1]["content"], reward, terminated, truncated) == ("42", 0.0, False, False)
    assert info["task_id"]
    assert env.step(env.unwrapped.solve())[1:3] == (1.0, True)


def test_own_calls_and_the_environments_are_answered_in_order() -> None:
    env = ExtraTools(make("textgym/SessionState-v0"), tools=[say_loudly, "calculator"])
    _, info = env.reset(seed=1)
    assert [schema["function"]["name"] for schema in info["tools"]][-2:] == ["calculator", "shout"]
    message = assistant_calls(
        ("shout", {"text": "tea"}),
        ("get_counter_value", {}),
        ("calculator", {"expression": "1/0"}),
    )
    observation, *_ = env.step(message)
    results = [text_of(item) for item in observation[-3:]]
    assert results[0] == "TEA"
    assert "count" in results[1]
    assert results[2] == "Error: this has no value: division by zero"
    ids = [call["id"] for call in observation[-4]["tool_calls"]]
    assert [item["tool_call_id"] for item in observation[-3:]] == ids


def test_unknown_calls_get_the_names_of_all_tools() -> None:
    env = ExtraTools(make("textgym/SessionState-v0"), tools=["calculator"])
    observation = play(env, assistant_calls(("calculate", {})))[0][0]
    assert "there is no tool 'calculate'; the tools are: " in observation[-1]["content"]
    assert "get_counter_value" in observation[-1]["content"]
    assert observation[-1]["content"].endswith("calculator")


def test_at_the_last_turn_calls_are_not_run_and_the_text_is_graded() -> None:
    env = ExtraTools(make("textgym/Math-v0"), tools=["calculator"], max_turns=2)
    env.reset(seed=1)
    env.step(CALCULATE)
    solution = text_of(env.unwrapped.solve())
    observation, reward, terminated, truncated, info = env.step({**CALCULATE, "content": solution})
    assert (reward, terminated, truncated, info["stop_reason"]) == (1.0, False, True, "max_turns")
    assert observation[-1]["content"] == "Error: the call was not run because the episode has ended"


def test_more_calls_than_allowed_are_not_run() -> None:
    env = ExtraTools(make("textgym/Math-v0"), tools=["calculator"])
    many = assistant_calls(*[("calculator", {"expression": "1"})] * 1000)
    observation = play(env, many)[0][0]
    assert len(observation) == 1 + 1 + 65
    assert observation[-1]["content"].startswith("Error: the call was not run")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 + 3 * 4", "14"),
        ("-(2 ** 10) / 4", "-256.0"),
        ("sqrt(16) + floor(2.7)", "6.0"),
        ("gcd(12, 18)", "6"),
        ("factorial(5) % 7", "1"),
        ("pi", "3.141592653589793"),
    ],
)
def test_calculator_calculates(expression: str, value: str) -> None:
    assert calculator(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        "9**9**9**9", "2**100000", "factorial(10**9)", "(10**1000)**1000", "__import__('os')",
        "().__class__", "'a'*10**9", "[1]*9", "1 if 1 else 2", "x", "", "1/0", "sqrt(-1)",
        "(-8)**0.5", "1e308*10**400", "(" * 400, "round(5, -10**9)", "1\n2", "abs(x=1)", "max()",
        "round(1.5, ndigits=1)", "9" * 600, "lambda: 1", "10**-5000", "\0",
    ],
)  # fmt: skip
def test_calculator_refuses_everything_else_at_once(expression: str) -> None:
    with pytest.raises(textgym.ToolError) as raised:
        calculator(expression)
    assert "\n" not in str(raised.value)


@given(st.text(alphabet="0123456789+-*/%().,e piqrtlogfacbsundm", max_size=60))
@settings(max_examples=300)
def test_calculator_never_raises_anything_else(expression: str) -> None:
    with contextlib.suppress(textgym.ToolError):
        assert calculator(expression)


# Simulated users


def test_the_script_brings_the_task_and_the_last_message_is_graded() -> None:
    env = SimulatedUser(make(), script=["Hello.", "{task} Thanks!", "Sure?"])
    task = text_of(make().reset(seed=1)[0][-1])
    observation, _ = env.reset(seed=1)
    assert observation == [{"role": "user", "content": "Hello."}]
    observation, *_ = env.step("Hi, how can I help?")
    assert observation[-1]["content"] == f"{task} Thanks!"
    assert env.step(boxed(env, False))[2] is False
    assert env.step(boxed(env, True))[1:3] == (1.0, True)


def test_calls_go_to_the_environment_while_the_user_waits() -> None:
    env = SimulatedUser(make("textgym/SessionState-v0"), script=["{task}", "Anything else?"])
    env.reset(seed=1)
    ended = False
    turns = 0
    while not ended:
        _, reward, terminated, truncated, info = env.step(env.unwrapped.solve())
        ended, turns = terminated or truncated, turns + 1
    assert (reward, info["is_success"]) == (1.0, True)
    assert turns > 2


class Customer(Policy):
    """Asks back once, then ends."""

    name = "customer"

    def __init__(self) -> None:
        self.asked: list[Any] = []

    async def act(self, messages: Any, tools: Any, **kwargs: Any) -> Action:
        await asyncio.sleep(0)
        self.asked.append(messages)
        count = sum(message["role"] == "assistant" for message in messages)
        return Action(assistant(["Please do this.", "Are you sure?", "Bye. [END]"][count]))


def test_a_policy_speaks_as_the_user_with_the_roles_exchanged() -> None:
    customer = Customer()
    env = SimulatedUser(make(), user=customer)
    observation, _ = env.reset(seed=1)
    assert env.blocking
    assert observation == [{"role": "user", "content": "Please do this."}]
    assert env.step("<think>Hm.</think>B")[0][-1]["content"] == "Are you sure?"
    assert env.step(boxed(env, True))[1:3] == (1.0, True)
    seen = customer.asked[-1]
    assert [message["role"] for message in seen] == ["system", *["user", "assistant"] * 2, "user"]
    assert seen[3]["content"] == "B"
    assert text_of(env.unwrapped.task.messages[-1]) in seen[0]["content"]


def test_a_user_that_fails_leaves_everything_as_it_was() -> None:
    replies = iter([None, "Please.", None, "Sure?", "[END]"])  # None is no text, which fails
    env = SimulatedUser(make(), user=lambda messages: next(replies))
    with pytest.raises(EnvironmentFailure, match="returned NoneType instead of text"):
        env.reset(seed=1)
    task = env.unwrapped.task.id
    with pytest.raises(UsageError, match="call reset before step"):
        env.step("A")
    env.reset()  # goes on with the same task
    assert env.unwrapped.task.id == task
    state = textgym.get_state(env)
    with pytest.raises(EnvironmentFailure, match="returned NoneType instead of text"):
        env.step("A")
    assert textgym.get_state(env) == state
    assert env.step("A")[0][-1]["content"] == "Sure?"
    assert env.step("A")[2]


def test_a_user_that_says_nothing_ends_the_conversation_but_not_at_its_beginning() -> None:
    replies = iter(["", "Please.", ""])
    env = SimulatedUser(make(), user=lambda messages: next(replies))
    with pytest.raises(EnvironmentFailure, match="said nothing"):
        env.reset(seed=1)
    env.reset()
    assert env.step(boxed(env, True))[1:3] == (1.0, True)


class Talkative(Customer):
    """Is cut at its token limit in every reply."""

    async def act(self, messages: Any, tools: Any, **kwargs: Any) -> Action:
        return Action(assistant("Please, please"), finish_reason="length")


def test_a_reply_of_the_user_that_was_cut_is_a_reply() -> None:
    env = SimulatedUser(make(), user=Talkative(), max_turns=3)
    assert env.reset(seed=1)[0][-1]["content"] == "Please, please"
    assert env.step("A")[0][-1]["content"] == "Please, please"


def test_equal_specs_are_one_user_a_process() -> None:
    envs = [SimulatedUser(make(), user=f"{__name__}:answer_slowly") for _ in range(3)]
    assert len({id(env._user.client) for env in envs}) == 1


def test_images_of_the_task_stay() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    parts = [{"type": "text", "text": "Which?"}, image]
    env = SimulatedUser(make(), script=["Look: {task}"])
    prompt: Any = {"role": "user", "content": parts}
    task = dataclasses.replace(env.unwrapped.get_task(0), messages=(prompt,))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(env.unwrapped._tasks, "choose", lambda options: task)
        observation, _ = env.reset()
    assert observation[-1]["content"] == [image, {"type": "text", "text": "Look: Which?"}]


def test_the_user_is_not_asked_again_when_the_environment_fails() -> None:
    customer = Customer()
    env = SimulatedUser(make(), user=customer)
    env.reset(seed=1)
    env.step("A")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(env.unwrapped), "grade", _fail)
        with pytest.raises(EnvironmentFailure, match="no grade"):
            env.step("A")
    asked = len(customer.asked)
    assert env.step("A")[2]
    assert len(customer.asked) == asked


def _fail(env: Any) -> Any:
    raise EnvironmentFailure("no grade")


def test_at_max_turns_the_message_is_graded_without_asking() -> None:
    env = SimulatedUser(make(), script=["{task}", *["Go on."] * 5], max_turns=2)
    env.reset(seed=1)
    env.step("Hm.")
    _, reward, terminated, truncated, info = env.step(boxed(env, True))
    assert (reward, terminated, truncated, info["stop_reason"]) == (1.0, False, True, "max_turns")


# Windows and budgets


def test_window_keeps_the_prompt_and_the_last_turns() -> None:
    env = ContextWindow(make("textgym/GuessNumber-v0", level=5), max_messages=5)
    results = play(env, "0", "0", "0")
    assert [len(result[0]) for result in results] == [3, 5, 5]
    whole = results[-1][4]["conversation"]
    assert results[-1][0] == [whole[0], *whole[-4:]]
    assert "conversation" not in results[1][4]


def test_window_never_parts_a_call_from_its_results() -> None:
    env = ContextWindow(make("textgym/SessionState-v0"), max_messages=4)
    call = assistant_calls(("get_counter_value", {}), ("get_counter_value", {}))
    for observation, *_ in play(env, call, call):
        roles = [message["role"] for message in observation]
        assert roles[-3:] == ["assistant", "tool", "tool"]
        assert roles.count("assistant") == 1


def test_window_counts_tokens() -> None:
    env = ContextWindow(make("textgym/GuessNumber-v0", level=5), max_tokens=1, tokenizer=str.split)
    observation = play(env, "0", "0")[-1][0]
    assert [message["role"] for message in observation] == ["user", "assistant", "user"]


def test_what_a_caller_changes_in_a_window_reaches_no_record() -> None:
    env = ContextWindow(make("textgym/GuessNumber-v0", level=5), max_messages=3)
    observation, *_, info = play(env, "0", "0")[-1]
    observation[-1]["content"] = "changed"
    assert info["conversation"][-1]["content"] != "changed"


def test_turns_that_are_left_are_said_and_stay_said() -> None:
    env = TurnBudget(make("textgym/GuessNumber-v0", level=5), limit=3, note="left {left}")
    first = env.reset(seed=1)[0]
    second, third = env.step("0")[0], env.step("0")[0]
    assert third[: len(second)] == second
    assert second[: len(first)] == first
    assert [text_of(item)[-6:] for item in third if item["role"] == "user"] == [
        f"left {left}" for left in (3, 2, 1)
    ]
    _, _, terminated, truncated, info = env.step("0")
    assert (terminated, truncated, info["stop_reason"]) == (False, True, "max_turns")
    assert info["is_success"] is False


def test_turn_budget_takes_the_environments_own_limit() -> None:
    env = TurnBudget(make("textgym/MultiStep-v0"))
    assert "You have 32 messages left." in env.reset(seed=1)[0][-1]["content"]


def test_a_used_up_token_budget_is_graded() -> None:
    env = TokenBudget(make("textgym/GuessNumber-v0", level=5), limit=10)
    env.reset(seed=1)
    env.step("0")
    answer = str(env.unwrapped.task.answer)
    _, _, terminated, truncated, info = env.step("no" * 20)
    assert (terminated, truncated, info["stop_reason"]) == (False, True, "max_tokens")
    assert info["is_success"] is False
    env.reset(options={"index": 0})
    answer = str(env.unwrapped.task.answer)
    assert env.step(" " * 20 + answer)[1:3] == (1.0, True)


def test_a_note_is_added_to_a_content_of_parts() -> None:
    row = {"query": "", "responses_create_params": {"input": [{"role": "user", "content": [
        {"type": "input_text", "text": "Which?"}]}]}, "expected_answer": "A",
        "options": [{"A": "x"}, {"B": "y"}]}  # fmt: skip
    env = TurnBudget(make())
    observation, _ = env.reset(options={"task": row})
    assert text_of(observation[-1]).endswith("You have 1 messages left.")


# What does not fit


@pytest.mark.parametrize(
    ("wrap", "id", "problem"),
    [
        (Retry, "textgym/GuessNumber-v0", "needs an environment of one turn"),
        (partial(Retry, attempts=1), "textgym/MCQA-v0", "attempts must be an integer of 2"),
        (partial(Retry, discount=1.5), "textgym/MCQA-v0", "discount must be from 0 to 1"),
        (partial(Retry, feedback=3), "textgym/MCQA-v0", "feedback must be a text or a function"),
        (partial(SystemPrompt, text=" "), "textgym/MCQA-v0", "text must be a text"),
        (partial(SystemPrompt, text="x", place="end"), "textgym/MCQA-v0", "place must be before"),
        (partial(FewShot, shots=0), "textgym/MCQA-v0", "shots must be an integer of 1"),
        (partial(FewShot, examples=[]), "textgym/MCQA-v0", "examples must be a list of messages"),
        (partial(FewShot, examples=[{"role": "system", "content": ""}]), "textgym/MCQA-v0",
         "one of the examples is not a message"),
        (partial(ExtraTools, tools=[]), "textgym/MCQA-v0", "tools must be a list of functions"),
        (partial(ExtraTools, tools=["nomodule:f"]), "textgym/MCQA-v0", "no module 'nomodule'"),
        (partial(ExtraTools, tools=[calculator] * 2), "textgym/MCQA-v0", "the same name"),
        (partial(ExtraTools, tools=[lambda: 1]), "textgym/MCQA-v0", "a tool's name"),
        (partial(SimulatedUser, script=["{task}"]), "textgym/GuessNumber-v0", "user of its own"),
        (partial(SimulatedUser, script=["Hi"]), "textgym/MCQA-v0", "no text of the script"),
        (SimulatedUser, "textgym/MCQA-v0", "needs a script or a user"),
        (partial(SimulatedUser, user=5), "textgym/MCQA-v0", "neither a policy nor a function"),
        (ContextWindow, "textgym/MCQA-v0", "max_messages or max_tokens"),
        (partial(ContextWindow, max_tokens=5), "textgym/MCQA-v0", "needs a tokenizer"),
        (partial(TurnBudget, limit=0), "textgym/MCQA-v0", "limit must be an integer of 1 or more"),
        (partial(TurnBudget, note="Hurry!"), "textgym/MCQA-v0", "note must be a text with"),
        (partial(TokenBudget, limit=0), "textgym/MCQA-v0", "limit must be an integer of 1 or more"),
        (Retry, "CartPole-v1", "needs an environment whose observations"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_one_line(wrap: Any, id: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem) as raised:
        wrap(make(id))
    assert "\n" not in str(raised.value)


def test_a_window_goes_around_the_others() -> None:
    window = ContextWindow(make("textgym/GuessNumber-v0"), max_messages=5)
    with pytest.raises(UsageError, match="ContextWindow must be around TurnBudget, not inside"):
        TurnBudget(window)


def test_a_step_before_the_first_reset_is_refused() -> None:
    for wrap in (Retry, partial(ExtraTools, tools=["calculator"]), TurnBudget, FewShot):
        with pytest.raises(UsageError, match="call reset before step"):
            wrap(gym.make("textgym/MCQA-v0").unwrapped).step("A")  # type: ignore[operator]


@pytest.mark.parametrize(
    ("wrap", "changed", "problem"),
    [
        (partial(FewShot, shots=1), {"left_out": 2}, "left_out must be from 0 to 1"),
        (partial(FewShot, shots=1), {"left_out": "x"}, "left_out must be a int"),
        (Retry, {"messages": [{"role": "narrator"}]}, "Retry.messages: "),
        (Retry, {"messages": None}, "Retry.messages must be a list"),
        (Retry, {"turn": "x"}, "Retry.turn must be a int"),
        (TurnBudget, {"left": []}, "TurnBudget: places and left must be equally many numbers"),
        (TurnBudget, {"places": [-1]}, "TurnBudget: places and left must be equally many numbers"),
    ],
)
def test_tampered_state_is_refused_and_changes_nothing(
    wrap: Any, changed: Any, problem: str
) -> None:
    env = wrap(make())
    env.reset(seed=1)
    state = textgym.get_state(env)
    tampered = copy.deepcopy(state)
    tampered["wrappers"][0][1] |= changed
    with pytest.raises(StateError, match=problem):
        textgym.set_state(env, tampered)
    assert textgym.get_state(env) == state


def with_customer(env: Any) -> Any:
    return SimulatedUser(env, user=f"{__name__}:answer_slowly")


async def answer_slowly(messages: Any) -> str:
    await asyncio.sleep(0.01)
    said = sum(message["role"] == "assistant" for message in messages)
    request = messages[0]["content"].partition("<request>")[2].partition("</request>")[0]
    return "[END]" if said else request


def test_a_user_that_waits_plays_in_rollouts_and_vectors() -> None:
    run = textgym.rollout("textgym/MCQA-v0", "oracle", episodes=20, wrappers=[with_customer])
    assert (run.mean_reward, run.metrics["overall"]["failures"]) == (1.0, 0)
    assert textgym.rescore(run).counts["same"] == 20
    envs = textgym.make_vec("textgym/MCQA-v0", num_envs=4, env_wrappers=[with_customer])
    assert all(sub_env.step_may_block for sub_env in envs._sub_envs)
    envs.reset(seed=1)
    actions = [env.unwrapped.solve() for env in envs.envs]
    assert envs.step(actions)[1].tolist() == [1.0] * 4
    envs.close()
