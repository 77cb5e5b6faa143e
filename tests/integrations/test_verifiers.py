"""`textgym/Verifiers-v0` has the tasks and the rewards of a real taskset of verifiers."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import gymnasium
import pytest

import textgym
from textgym.errors import UsageError

vf = pytest.importorskip("verifiers.v1", reason="verifiers is not installed (make test-guests)")

import sums_taskset  # noqa: E402
from verifiers.v1.graph import MessageNode  # noqa: E402
from verifiers.v1.trace import AgentInfo, Trace, TraceTask  # noqa: E402
from verifiers.v1.types import AssistantMessage, UserMessage  # noqa: E402

from textgym.integrations.verifiers import taskset_env  # noqa: E402

SUMS = "sums_taskset:Sums"


def make(taskset: str = SUMS, **kwargs: Any) -> Any:
    return gymnasium.make("textgym/Verifiers-v0", taskset=taskset, **kwargs).unwrapped


def test_tasks_are_those_of_the_taskset() -> None:
    env = make(config={"most": 4})
    assert env.num_tasks == 4
    messages, info = env.reset(options={"index": 2})
    assert [m["content"] for m in messages] == ["A number.", "What is 2 + 1?"]
    assert (info["task_id"], info["tools"]) == ("task-2", [])
    _, reward, done, _, info = env.step(env.solve())
    assert (reward, done, info["is_success"]) == (1.5, True, True)
    components = {"exact": 1.0, "positive": 0.5, "metric/length": 1.0}
    assert info["reward_components"] == {**components, "raised": 0.0, "over_limit": 0.0}


def test_200_rewards_are_those_of_the_package() -> None:
    env = make()
    tasks = [*sums_taskset.Sums(sums_taskset.SumConfig())]

    async def own(index: int, text: str) -> float:
        task = tasks[index]
        said = [UserMessage(content="?"), AssistantMessage(content=text)]
        nodes = [MessageNode(message=m, parent=k - 1 if k else None) for k, m in enumerate(said)]
        nodes[-1].sampled = True
        about = TraceTask(type="SumTask", data=task.data)
        trace = Trace(task=about, agent=AgentInfo(config=vf.AgentConfig()), nodes=nodes)
        await task.score(trace, runtime=None)
        return float(trace.reward)

    rng = random.Random(0)
    for number in range(200):
        index, text = number % 10, str(rng.choice([number % 10 + 1, -3, 0, 7]))
        env.reset(options={"index": index})
        assert env.step(text)[1] == asyncio.run(own(index, text))


@pytest.mark.parametrize("text", ["", "x", "\0", "9" * 5000, "<think>4</think>3", "🙂"])
def test_an_answer_on_which_a_hook_raises_earns_nothing(text: str) -> None:
    env = make()
    env.reset(options={"index": 2})
    _, reward, done, _, info = env.step(text)
    assert (reward, done) == (0.0, True)
    assert info["reward_components"]["raised"] == 1.0


def test_a_hook_that_never_ends_earns_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taskset_env, "_SECONDS", 0.5)
    env = make("sums_taskset:Sleepy")
    env.reset(options={"index": 0})
    _, reward, done, _, info = env.step("1")
    assert (reward, done) == (0.0, True)
    assert info["reward_components"]["over_limit"] == 1.0


@pytest.mark.parametrize(
    ("taskset", "text"),
    [
        ("sums_taskset:Runs", "RunTask has the hook ran, which needs a runtime"),
        ("sums_taskset:Silent", "SumTask has no prompt, so that a user must begin"),
        ("sums_taskset:Boxes", "SumTask needs a container"),
        ("sums_taskset:Endless", "has unlimited tasks: pass tasks="),
        ("sums_taskset:SumTask", "is not a Taskset of verifiers"),
        ("sums_taskset:Nothing", "has no 'Nothing'"),
        ("sums_taskset", "has 5 tasksets: name one"),
        ("no_such_module", "cannot import the taskset 'no_such_module'"),
        ("verifiers.v1.tasksets.textarena", "cannot be a guest|cannot import|tasksets"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(taskset: str, text: str) -> None:
    with pytest.raises(UsageError, match=text):
        make(taskset)


def test_an_endless_taskset_is_cut() -> None:
    assert make("sums_taskset:Endless", tasks=3).num_tasks == 3


def test_a_rollout_plays_a_taskset() -> None:
    run = textgym.rollout(
        "textgym/Verifiers-v0", "oracle", episodes=10, env_kwargs={"taskset": SUMS}
    )
    assert [item["reward"] for item in run.trajectories()] == [1.5] * 10
