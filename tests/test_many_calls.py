"""Messages with too many tool calls: which calls are run, recorded and answered."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import textgym
from textgym.core.episode import Grade
from textgym.messages import Message, user
from textgym.rescoring.engine import rescore
from textgym.spaces import MAX_CALLS

MANY = 100_000


class Counter(textgym.TextEnv[dict[str, int]]):
    """Count the calls of a tool."""

    card = textgym.Card("tests/Counter-v0", "Count.", ("multi-step",), (), (), "count", (),
                        reward_range=(0.0, 1e9))  # fmt: skip
    fail = False

    def __init__(self, *, max_turns: int = 3, **kwargs: Any) -> None:
        super().__init__(max_turns=max_turns, **kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"n": rng.randrange(10**6)}

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        return textgym.Task(row["id"], (user("Count."),), None, row=row)

    def begin(self, task: textgym.Task) -> dict[str, int]:
        return {"count": 0}

    @textgym.tool
    def count(self) -> str:
        """Count one."""
        if self.fail:
            raise textgym.errors.EnvironmentFailure("gone")
        self.state["count"] += 1
        return f"{self.state['count']}"

    @textgym.tool
    def stop(self) -> str:
        """End."""
        self.finish()
        return "stopped"

    def grade(self) -> Grade:
        return Grade(float(self.state["count"]), True)


gymnasium.register("tests/Counter-v0", Counter)


def call(name: str = "count", **more: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": "{}"}, **more}


def message(calls: list[dict[str, Any]], content: str | None = None) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": calls}


def said(*calls: dict[str, Any], **options: Any) -> tuple[Any, list[Any], dict[str, Any]]:
    """Return an environment after a message, the answers, and the message as it is kept."""
    env = Counter(**options)
    env.reset(seed=1)
    observation = env.step(message(list(calls)))[0]
    return env, observation[2:], observation[1]


FORMS: dict[str, Callable[[int], dict[str, Any]]] = {
    "ids": lambda n: call(id=f"c{n}"),
    "no ids": lambda n: call(),
    "one id": lambda n: call(id="c"),
    "ids that are taken": lambda n: call(id=f"call_0_{n}") if n % 2 else call(),
    "unknown tools": lambda n: call(f"tool {n}"),
    "broken arguments": lambda n: {"function": {"name": "count", "arguments": '{"a'}},
    "no arguments": lambda n: {"function": {"name": "count"}},
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_calls_of_any_form_are_answered_up_to_the_limit(
    form: Callable[[int], dict[str, Any]],
) -> None:
    _, answers, kept = said(*map(form, range(5_000)))
    assert len(answers) == len(kept["tool_calls"]) == MAX_CALLS + 1
    assert [item["tool_call_id"] for item in answers] == [it["id"] for it in kept["tool_calls"]]
    assert len({item["tool_call_id"] for item in answers}) == MAX_CALLS + 1
    assert answers[-1]["content"] == (
        "Error: the call was not run because a message may have at most 64 calls; "
        "all later calls were dropped too"
    )
    assert not any("dropped" in item["content"] for item in answers[:-1])


def test_calls_up_to_the_limit_are_run_and_no_more() -> None:
    env, answers, kept = said(*[call()] * MANY)
    assert env.state == {"count": MAX_CALLS}
    assert len(answers) == len(kept["tool_calls"]) == MAX_CALLS + 1
    assert [item["content"] for item in answers[:3]] == ["1", "2", "3"]


@pytest.mark.parametrize("count", [1, MAX_CALLS - 1, MAX_CALLS])
def test_all_of_few_calls_are_run(count: int) -> None:
    env, answers, _ = said(*[call()] * count)
    assert env.state == {"count": count}
    assert [item["content"] for item in answers] == [str(n) for n in range(1, count + 1)]


def test_one_call_too_many() -> None:
    env, answers, kept = said(*[call()] * (MAX_CALLS + 1))
    assert env.state == {"count": MAX_CALLS}
    assert len(answers) == len(kept["tool_calls"]) == MAX_CALLS + 1


def test_calls_after_the_end_of_the_episode_are_not_run() -> None:
    _, answers, _ = said(call("stop"), *[call()] * MANY)
    assert [item["content"] for item in answers] == [
        "stopped",
        *["Error: the call was not run because the episode has ended"] * MAX_CALLS,
    ]


def test_class_may_have_another_limit() -> None:
    class Patient(Counter):
        max_calls = 2

    env = Patient()
    env.reset(seed=1)
    observation = env.step(message([call()] * 5))[0]
    assert env.state == {"count": 2}
    assert len(observation) == 5
    assert "a message may have at most 2 calls" in observation[-1]["content"]


def test_message_is_an_action_and_stays_as_it_was() -> None:
    given = message([call() for _ in range(1000)], "Look!")
    before = copy.deepcopy(given)
    env = Counter()
    env.reset(seed=1)
    assert given in env.action_space
    observation = env.step(given)[0]
    assert given == before
    assert observation[1]["content"] == "Look!"


def test_kept_message_said_again_gives_the_same_conversation() -> None:
    env, again = Counter(), Counter()
    env.reset(seed=1)
    again.reset(seed=1)
    observation = env.step(message([call(id=f"c{n}") for n in range(1000)]))[0]
    assert again.step(observation[1])[0] == observation


def test_failed_step_is_taken_back() -> None:
    env = Counter()
    env.reset(seed=1)
    before, env.fail = env.get_state(), True
    with pytest.raises(textgym.errors.EnvironmentFailure):
        env.step(message([call()] * MANY))
    assert env.get_state() == before


def test_environment_without_tools_answers_them_too() -> None:
    env = gymnasium.make("textgym/MCQA-v0").unwrapped
    env.reset(seed=1)
    observation: Any = env.step(message([call()] * MANY))[0]  # type: ignore[arg-type]
    assert len(observation) == 1 + 1 + MAX_CALLS + 1


def test_vector_keeps_the_same_conversation() -> None:
    vector = gymnasium.make_vec("tests/Counter-v0", num_envs=2)
    vector.reset(seed=[1, 2])
    given = message([call()] * MANY)
    observations = vector.step([given, "Done."])[0]  # type: ignore[arg-type]
    env, _, _ = said(*given["tool_calls"])
    assert observations[0] == [*env.task.messages, *env.get_state()["messages"]]
    vector.close()


class Eager(textgym.Policy):
    """Calls very often, then ends; it gives tokens, and goes on from those so far."""

    name = "eager"

    def __init__(self, sampling: Any = None) -> None:
        self.priors: list[Any] = []

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: int | None = None
    ) -> textgym.Action:
        self.priors.append(prior)
        began = messages[-1]["role"] == "user"
        reply: Message = message([call()] * MANY) if began else {"role": "assistant"}  # type: ignore[assignment]
        return textgym.Action(
            reply, prompt_ids=[*prior.ids, 9] if prior else [1, 2], token_ids=[3], logprobs=[-0.5]
        )


def test_rollout_stores_what_was_kept_and_rescores_the_same(tmp_path: Path) -> None:
    run = textgym.rollout("tests/Counter-v0", Eager(), episodes=2, out=tmp_path / "run")
    (trajectory, _) = run.trajectories()
    assert trajectory["failure"] is None
    assert len(trajectory["messages"][1]["tool_calls"]) == MAX_CALLS + 1
    assert len(json.dumps(trajectory)) < 50_000
    assert rescore(run).counts["same"] == 2


def test_exact_tokens_go_on_after_calls_were_dropped() -> None:
    policy = Eager()
    (trajectory,) = textgym.rollout("tests/Counter-v0", policy, episodes=1).trajectories()
    assert [prior and prior.ids for prior in policy.priors] == [None, [1, 2, 3]]
    assert trajectory["splits"] == 0
    assert [step["prompt_ids"] for step in trajectory["steps"]] == [[1, 2], [1, 2, 3, 9]]
