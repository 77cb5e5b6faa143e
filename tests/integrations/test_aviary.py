"""`textgym/Aviary-v0` plays real environments of Aviary."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import textgym
from textgym.checks import FAST_CHECKS, make_subject, run_check
from textgym.errors import EnvironmentFailure, RowError, UnknownNameError, UsageError
from textgym.messages import assistant_calls
from textgym.tasks.nemo_rows import messages_of

pytest.importorskip("aviary.env", reason="Aviary is not installed")

from aviary.core import DummyTaskDataset, Message
from aviary.envs.gsm8k.env import CalculatorEnv
from aviary_envs import A_TILL, Till, Tills

from textgym.integrations.aviary import doors
from textgym.integrations.aviary.guest import request_of

pytestmark = pytest.mark.slow  # each guest is in a process of its own
ID = "textgym/Aviary-v0"
SUM = {"id": "sum", "problem": "What is 2 + 3?", "answer": 5}


def make(**kwargs: Any) -> Any:
    return gymnasium.make(ID, **kwargs)


@pytest.fixture
def till() -> Any:
    env = make(env="aviary_envs:Till")
    env.reset(seed=1)
    yield env
    env.close()


def said(result: Any) -> str:
    return str(result[0][-1]["content"])


@pytest.mark.parametrize("name", FAST_CHECKS)
def test_the_calculator_passes_the_checks(name: str) -> None:
    with make_subject(ID, 5, quick=True) as subject:
        result = run_check(subject, FAST_CHECKS[name])
    assert result.status in ("pass", "skip"), str(result)


def test_recorded_rollouts_have_the_same_rewards(shared: Path) -> None:
    golds = {}
    for name in ("train-2000", "test"):
        for line in (shared / f"data/gsm8k/{name}.jsonl").read_text().splitlines():
            row = json.loads(line)
            golds[row["question"]] = row["answer"].rpartition("#### ")[2].replace(",", "")
    lines = (shared / "data/nemo_gym/aviary/example_rollouts.jsonl").read_text().splitlines()
    for number, line in enumerate(lines):
        recorded = json.loads(line)
        *_, items = recorded["response"]["output"]
        question, *conversation = messages_of(items, "output")
        row = {"id": f"row-{number}", "problem": question["content"]}
        env = make(dataset=[{**row, "answer": golds[question["content"]]}])
        observation, _ = env.reset(seed=0)
        total = 0.0
        for message in conversation:
            if message["role"] == "assistant":
                observation, reward, *_ = env.step(message)
                total += reward
        results = [m["content"] for m in conversation if m["role"] == "tool"]
        assert [m["content"] for m in observation if m["role"] == "tool"] == results
        assert total == recorded["reward"]
        env.close()


def test_recorded_follow_ups_have_the_same_rewards(shared: Path) -> None:
    folder = shared / "data/nemo_gym/example_multi_turn_gymnasium"
    env = make(
        env="textgym.integrations.aviary.follow_ups:FollowUps",
        dataset=str(folder / "example.jsonl"),
    )
    lines = (folder / "example_rollouts.jsonl").read_text().splitlines()
    for recorded in map(json.loads, lines):
        env.reset(options={"index": recorded["_ng_task_index"]})
        conversation = messages_of(recorded["response"]["output"], "output")
        total, ended = 0.0, False
        for message, following in zip(conversation, [*conversation[1:], None], strict=True):
            if message["role"] == "assistant":
                observation, reward, ended, *_ = env.step(message)
                total += reward
                if following is not None:
                    assert observation[-1]["content"] == following["content"]
        assert (total, ended) == (recorded["reward"], True)
        env.reset(options={"index": recorded["_ng_task_index"]})
        for message in conversation:
            if message["role"] == "assistant":
                reward = env.step("I do not know.")[1]
        assert reward == 0.0
    env.close()


async def play_in_aviary(row: dict[str, Any], actions: list[Any]) -> tuple[list[str], list[float]]:
    """Play actions in Aviary's own environment."""
    env = CalculatorEnv(row["id"], row["problem"], row["answer"])
    await env.reset()
    contents, rewards = [], []
    for turn, action in enumerate(actions):
        for k, call in enumerate(action.get("tool_calls") or ()):
            call["id"] = f"call_{turn}_{k}"
        messages, reward, done, _ = await env.step(request_of(action))
        contents += [str(message.content) for message in messages]
        rewards.append(reward)
        if done:
            break
    return contents, rewards


def test_rewards_and_replies_are_those_of_aviary() -> None:
    env, rng = make(split="test", grading="original"), random.Random(0)
    for index in range(30):
        observation, _ = env.reset(options={"index": index})
        row = dict(env.unwrapped.task.row)
        right = {"answer": str(row["answer"] + rng.choice([0, 0, 1]))}
        expr = f"{rng.randint(0, 9)}{rng.choice(['+', '*', '/', '**', '+)'])}{rng.randint(0, 9)}"
        actions: list[Any] = [{"role": "assistant", "content": "Let me think."}]
        actions += [assistant_calls(("calculator", {"expr": expr}), ("calculator", {"expr": "2"}))]
        actions += [assistant_calls(rng.choice([("submit_answer", right), ("nothing", {})]))]
        rewards, ended = [], False
        for action in actions:
            if not ended:
                observation, reward, terminated, truncated, _ = env.step(action)
                rewards.append(reward)
                ended = terminated or truncated
        contents, expected = asyncio.run(play_in_aviary(row, actions))
        assert rewards == expected
        replies = [m["content"] for m in observation[1:] if m["role"] != "assistant"]
        assert sorted(map(str, replies)) == sorted(contents)
    env.close()


def test_many_answers_in_a_message_are_paid_only_by_the_original_grading() -> None:
    answers = [("submit_answer", {"answer": str(number)}) for number in (4, 5, 5, 6)]
    strict, original = make(dataset=[SUM]), make(dataset=[SUM], grading="original")
    for env, reward, success in ((strict, 0.0, False), (original, 2.0, True)):
        env.reset(seed=1)
        _, earned, terminated, _, info = env.step(assistant_calls(*answers))
        assert (earned, terminated, info["is_success"]) == (reward, True, success)
        env.close()


def test_calls_after_the_end_are_answered() -> None:
    env = make(dataset=[SUM])
    env.reset(seed=1)
    calls = ("submit_answer", {"answer": "5"}), ("calculator", {"expr": "1"})
    result = env.step(assistant_calls(*calls))
    assert result[1] == 1.0
    assert said(result) == "Error: the call was not run because the episode has ended"
    env.close()


@pytest.mark.parametrize(
    ("call", "reply"),
    [
        (("nope", {}), "Error: there is no tool 'nope'; the tools are: put, break_after, look"),
        (("put", {}), "Error: wrong arguments for 'put': 'coins' is a required property"),
        (("put", {"coins": "x"}), "Error: wrong arguments for 'put': coins: 'x' is not of type"),
        (("put", {"coins": 1, "by": 2}), "Error: wrong arguments for 'put': there is no argument"),
        (("break_after", {"coins": 1}), "Error: break_after failed: ValueError: jammed"),
    ],
)
def test_a_call_that_cannot_be_handled_is_answered_and_changes_nothing(
    till: Any, call: Any, reply: str
) -> None:
    till.step(assistant_calls(("put", {"coins": 1})))
    result = till.step(assistant_calls(call))
    assert said(result).startswith(reply)
    assert result[1:4] == (0.0, False, False)
    assert json.loads(said(till.step(assistant_calls(("look", {})))))["coins"] == 1


@pytest.mark.parametrize("arguments", ['{"coins": 1', "[1]", "[" * 100_000, '"coins"', "NaN"])
def test_arguments_that_are_not_an_object_are_answered(till: Any, arguments: str) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "put", "arguments": arguments}}
    result = till.step({"role": "assistant", "content": None, "tool_calls": [call]})
    assert said(result).startswith("Error: ")
    assert result[1:4] == (0.0, False, False)


@pytest.mark.parametrize("expr", ["9**9**9**9", "2**(10**11)"])
def test_a_call_that_would_never_end_is_answered(
    expr: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doors, "CALL_SECONDS", 0.3)
    env = make(dataset=[SUM])
    env.reset(seed=1)
    env.step(assistant_calls(("calculator", {"expr": "1 + 1"})))
    result = env.step(assistant_calls(("calculator", {"expr": expr})))
    assert said(result).startswith("Error: calculator failed: it took more than 0.3 seconds")
    assert env.step(assistant_calls(("submit_answer", {"answer": "5"})))[1] == 1.0
    env.close()


def test_calls_of_one_message_are_one_step_of_other_guests(till: Any) -> None:
    calls = ("put", {"coins": 1}), ("nope", {}), ("put", {"coins": 2, "note": "!"})
    observation, reward, terminated, _, info = till.step(assistant_calls(*calls))
    assert [m["content"] for m in observation[-3:]] == [
        "1 coins",
        "Error: there is no tool 'nope'; the tools are: put, break_after, look, leave, odd, "
        "lose_network",
        "3 coins!",
    ]
    assert (reward, terminated) == (1.0, True)
    assert info["is_success"]
    assert info["verdict_reason"] == ""


def test_too_many_calls_are_answered(till: Any) -> None:
    calls = [("look", {})] * 100
    observation, *_ = till.step(assistant_calls(*calls))
    results = [m for m in observation if m["role"] == "tool"]
    assert len(results) == 65
    assert "at most 64 calls" in results[-1]["content"]


def test_a_text_does_not_end_the_episode_and_max_turns_cuts_it() -> None:
    env = make(env="aviary_envs:Till", max_turns=2)
    env.reset(seed=1)
    result = env.step("hello")
    assert said(result).startswith("No tool calls received.")
    *_, terminated, truncated, info = env.step("hello")
    assert (terminated, truncated, info["stop_reason"]) == (False, True, "max_turns")
    env.close()


def test_the_guest_cuts_an_episode(till: Any) -> None:
    _, _, terminated, truncated, info = till.step(assistant_calls(("leave", {})))
    assert (terminated, truncated) == (False, True)
    assert (info["stop_reason"], info["verdict_reason"]) == ("max_turns", "cut")


@pytest.mark.parametrize("tool", ["odd", "lose_network"])
def test_a_guest_that_fails_is_a_failure_and_no_reward(till: Any, tool: str) -> None:
    till.step(assistant_calls(("put", {"coins": 1})))
    with pytest.raises(EnvironmentFailure, match="Aviary's aviary_envs:Till failed"):
        till.step(assistant_calls((tool, {})))
    result = till.step(assistant_calls(("put", {"coins": 1})))
    assert said(result) == "2 coins"


def test_an_episode_is_saved_and_continued(till: Any) -> None:
    till.step(assistant_calls(("put", {"coins": 1})))
    till.step(assistant_calls(("break_after", {"coins": 1})))
    other = make(env="aviary_envs:Till")
    textgym.set_state(other, json.loads(json.dumps(textgym.get_state(till))))
    action = assistant_calls(("put", {"coins": 2}))
    assert other.step(action) == till.step(action)
    other.close()


def test_a_guest_that_replies_otherwise_cannot_be_restored() -> None:
    env = make(env="aviary_envs:Till", config={"draws": True})
    env.reset(seed=1)
    env.step(assistant_calls(("look", {})))
    textgym.set_state(env, textgym.get_state(env))
    for _ in range(2):
        with pytest.raises(EnvironmentFailure, match="not deterministic"):
            env.step(assistant_calls(("put", {"coins": 1})))
    env.reset(seed=1)
    assert said(env.step(assistant_calls(("put", {"coins": 1})))) == "1 coins"
    env.close()


def test_a_worker_that_was_killed_is_replaced_and_the_episode_goes_on(till: Any) -> None:
    till.step(assistant_calls(("put", {"coins": 1})))
    os.kill(till.unwrapped._door._worker._worker.pid, signal.SIGKILL)
    with pytest.raises(EnvironmentFailure, match="a worker of Aviary died"):
        till.step(assistant_calls(("put", {"coins": 1})))
    assert said(till.step(assistant_calls(("put", {"coins": 1})))) == "2 coins"


def test_a_text_on_which_the_guest_raises_is_answered() -> None:
    env = make(env="aviary_envs:Mute")
    env.reset(seed=1)
    result = env.step("hello")
    assert said(result) == "Error: the message could not be read: ValueError: no words"
    assert result[1:4] == (0.0, False, False)
    env.close()


def test_tasks_of_another_index_do_not_disturb_the_episode() -> None:
    env = make(env="aviary_envs:Tills")
    env.reset(options={"index": 0})
    assert env.unwrapped.num_tasks == 4
    assert env.unwrapped.get_task(3).messages[0]["content"] == "Put 4 coins in."
    _, reward, terminated, *_ = env.step(assistant_calls(("put", {"coins": 1})))
    assert (reward, terminated) == (1.0, True)
    env.close()


def test_nemo_gyms_rows_select_tasks_by_index() -> None:
    rows = [{"task_idx": 2, "responses_create_params": {"input": []}, "agent_ref": {"name": "x"}}]
    env = make(env="aviary_envs:Tills", dataset=rows)
    assert env.reset(seed=1)[0][0]["content"] == "Put 3 coins in."
    env.close()


@pytest.mark.parametrize(
    ("source", "count"),
    [
        (Till, 1),
        (A_TILL, 1),
        (Tills(), 4),
        (DummyTaskDataset(), None),
        ("aviary_envs:A_TILL", 1),
        ("aviary_envs:EndlessTills", None),
        ("dummy", 1),
    ],
)
def test_classes_objects_and_names_are_played(source: Any, count: int | None) -> None:
    env = make(env=source)
    for _ in range(2):
        observation, info = env.reset(seed=1)
        assert observation[0]["role"] == "user"
        assert info["tools"]
        env.step("hello")
    assert env.unwrapped.num_tasks == count
    env.close()


def test_an_object_is_copied_for_each_episode() -> None:
    envs = [make(env=A_TILL) for _ in range(2)]
    for env in envs:
        env.reset(seed=1)
    for env in envs:
        assert said(env.step(assistant_calls(("put", {"coins": 1})))) == "1 coins"
        env.close()


@pytest.mark.parametrize(
    ("kwargs", "error", "text"),
    [
        ({"env": "gsm9k"}, UsageError, "did you mean 'gsm8k'"),
        ({"env": "no_such_module:Env"}, UsageError, "there is no module 'no_such_module'"),
        ({"env": "aviary_envs:NOTHING"}, UsageError, "neither an Environment nor a TaskDataset"),
        ({"env": "calculator", "dataset": [{"problem": "?"}]}, RowError, "does not fit Calc"),
        ({"dataset": [{**SUM, "answer": "five"}]}, RowError, "could not convert string to float"),
        ({"grading": "lenient"}, UnknownNameError, "grading must be"),
        ({"success_reward": "1"}, UsageError, "success_reward must be a number"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(
    kwargs: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text) as caught:
        make(**kwargs)
    assert "\n" not in str(caught.value)


def test_hotpotqa_searches_recorded_pages() -> None:
    row = {
        "question_id": None,
        "question": "Who is Milhouse named after?",
        "correct_answer": "President Richard Nixon",
    }
    env = make(env="aviary_envs:hotpotqa", dataset=[row])
    observation, info = env.reset(seed=1)
    assert observation[0]["content"] == "Question: Who is Milhouse named after?"
    result = env.step(assistant_calls(("search", {"entity": "Milhouse Van Houten"})))
    assert "Matt Groening named him after President Richard Nixon." in said(result)
    _, reward, terminated, _, info = env.step(env.unwrapped.solve())
    assert (reward, terminated, info["is_success"]) == (1.0, True, True)
    env.close()


@pytest.mark.parametrize(("grading", "reward"), [("strict", 0.0), ("original", 1.0)])
def test_an_answer_that_only_contains_the_right_one(grading: str, reward: float) -> None:
    row = {"id": "q", "question": "Is it?", "correct_answer": "yes"}
    env = make(env="hotpotqa", dataset=[row], grading=grading)
    env.reset(seed=1)
    assert env.step(assistant_calls(("submit_answer", {"answer": "yes or no"})))[1] == reward
    env.close()


def test_an_env_that_was_never_reset_is_closed() -> None:
    make().close()


def test_rollouts_play_many_episodes_at_once() -> None:
    run = textgym.rollout(ID, "oracle", episodes=40, concurrency=8, seed=0)
    assert [trajectory["reward"] for trajectory in run.trajectories()] == [1.0] * 40


def test_messages_of_aviary_with_a_picture_keep_their_parts() -> None:
    from textgym.integrations.aviary.guest import _plain

    picture = "data:image/png;base64,iVBORw0KGgo="
    content = [
        {"type": "text", "text": "Look."},
        {"type": "image_url", "image_url": {"url": picture}},
    ]
    assert _plain(Message(content=content)) == {"role": "user", "content": content}
