"""Mixtures and groups: shares, limits, arguments of single environments, one prompt per task."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgym
from textgym.core.episode import Grade
from textgym.errors import PolicyFailure, UnknownNameError, UsageError
from textgym.messages import assistant, user
from textgym.policies import Action, Policy
from textgym.rollouts.episode import Job
from textgym.rollouts.plan import PlannedTasks
from textgym.rollouts.schedule import Schedule

QUICK, SLOW = "demo/Quick-v0", "demo/Slow-v0"
BOTH = {QUICK: 1.0, SLOW: 1.0}
CARD = textgym.Card(QUICK, "x", ("single-step",), ("x",), ("x",), "x", ("exact match",))


class Word(textgym.TextEnv[None]):
    """Asks for a word, after naming its environment."""

    card = CARD
    made = 0

    def __init__(self, *, name: str = "quick", polite: bool = False, **kwargs: Any) -> None:
        type(self).made += 1
        self.name, self.polite = name, polite
        super().__init__(**kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"word": "".join(rng.choices("abcdefgh", k=6))}

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        prompt = user(f"{self.name}: say {row['word']}.")
        return textgym.Task(row["id"], (prompt,), row["word"], row=row)

    def grade(self) -> Grade:
        right = self.answer_text == self.task.answer
        return Grade(float(right), right, {}, self.answer_text)

    def solve(self) -> Any:
        return assistant(self.task.answer)


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    """Register two environments that differ in their names."""
    gymnasium.register(QUICK, Word)
    gymnasium.register(SLOW, Word, kwargs={"name": "slow"})
    Word.made = 0
    yield
    del gymnasium.registry[QUICK], gymnasium.registry[SLOW]


class Watching(Policy):
    """Answers when it may, and counts how many episodes of each environment run."""

    name = "watching"

    def __init__(self) -> None:
        self.under_way: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()

    async def may_answer(self, name: str) -> None:
        await asyncio.sleep(0)

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        name = messages[0]["content"].partition(":")[0]
        self.under_way[name] += 1
        self.most[name] = max(self.most[name], self.under_way[name])
        self.most["all"] = max(self.most["all"], self.under_way.total())
        try:
            await self.may_answer(name)
        finally:
            self.under_way[name] -= 1
        self.answered[name] += 1
        return Action(assistant(messages[0]["content"].split()[-1][:-1]))


class QuickFirst(Watching):
    """Answers slow episodes only after all quick ones."""

    def __init__(self, quick: int) -> None:
        super().__init__()
        self.quick = quick
        self.all_quick = asyncio.Event()

    async def may_answer(self, name: str) -> None:
        if name == "slow":
            await asyncio.wait_for(self.all_quick.wait(), 60)
        await asyncio.sleep(0)
        if self.answered["quick"] + 1 == self.quick and name == "quick":
            self.all_quick.set()


# Limits


def test_a_slow_environment_with_a_limit_does_not_delay_others() -> None:
    """Without the limit, slow episodes would occupy all places and wait for quick ones forever."""
    policy = QuickFirst(40)
    run = textgym.rollout(
        BOTH, policy, episodes=80, concurrency=8, env_concurrency={SLOW: 3}, repeats=1
    )
    assert run.metrics["overall"]["failures"] == 0
    assert policy.answered == {"quick": 40, "slow": 40}
    assert policy.most["quick"] == 5
    assert policy.most["slow"] == 3
    assert policy.most["all"] == 8


def test_limits_that_sum_to_less_than_the_concurrency_are_all_used() -> None:
    policy = Watching()
    run = textgym.rollout(
        BOTH, policy, episodes=40, concurrency=64, env_concurrency={SLOW: 3, QUICK: 2}
    )
    assert run.metrics["overall"]["episodes"] == 40
    assert policy.most == {"slow": 3, "quick": 2, "all": 5}


def test_a_limit_above_the_concurrency_changes_nothing() -> None:
    policy = Watching()
    textgym.rollout(BOTH, policy, episodes=40, concurrency=4, env_concurrency={SLOW: 99})
    assert policy.most["all"] == 4


def test_the_limit_of_a_single_environment_is_respected() -> None:
    policy = Watching()
    textgym.rollout(SLOW, policy, episodes=9, env_concurrency={SLOW: 2})
    assert policy.most == {"slow": 2, "all": 2}


def test_environments_are_reused() -> None:
    textgym.rollout(SLOW, Watching(), episodes=40, concurrency=16, env_concurrency={SLOW: 2})
    assert Word.made == 2


def test_failures_under_a_limit_do_not_block_the_rest() -> None:
    class Failing(Watching):
        async def may_answer(self, name: str) -> None:
            await asyncio.sleep(0)
            if name == "slow" and self.answered["slow"] % 2:
                self.answered["slow"] += 1
                raise PolicyFailure("down")

    run = textgym.rollout(
        BOTH, Failing(), episodes=40, concurrency=8, env_concurrency={SLOW: 1}, retries=0
    )
    assert run.metrics["envs"][SLOW]["episodes"] == 20
    assert run.metrics["envs"][SLOW]["failures"] == 10
    assert run.metrics["envs"][QUICK]["failures"] == 0


def test_a_run_whose_first_episodes_all_fail_is_stopped_under_limits() -> None:
    class Down(Watching):
        async def may_answer(self, name: str) -> None:
            raise PolicyFailure("down")

    run = textgym.rollout(
        BOTH, Down(), episodes=600, concurrency=8, env_concurrency={SLOW: 2}, retries=0
    )
    assert run.stopped_early
    assert run.metrics["overall"]["episodes"] < 110


def test_a_run_can_be_resumed_with_other_limits(tmp_path: Path) -> None:
    options: dict[str, Any] = {"episodes": 20, "repeats": 2, "out": tmp_path}
    textgym.rollout(BOTH, "oracle", env_concurrency={SLOW: 1}, **options)
    file = tmp_path / "trajectories.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[::3]))
    run = textgym.rollout(BOTH, "oracle", env_concurrency={QUICK: 2}, resume=True, **options)
    keys = [(t["env_id"], t["task_index"], t["repeat"]) for t in run.trajectories()]
    assert len(keys) == len(set(keys)) == 40
    assert run.mean_reward == 1.0


@pytest.mark.parametrize(
    ("limits", "error", "told"),
    [
        ({"demo/Slwo-v0": 1}, UnknownNameError, "is not played; did you mean 'demo/Slow-v0'"),
        ({SLOW: 0}, UsageError, f"env_concurrency of {SLOW} must be 1 or more, not 0"),
        ({SLOW: 2.5}, UsageError, "must be 1 or more, not 2.5"),
    ],
    ids=str,
)
def test_an_invalid_limit_is_refused(limits: Any, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        textgym.rollout(BOTH, "oracle", episodes=4, env_concurrency=limits)


# The schedule


def lines(counts: dict[str, int], repeats: int = 1, start: int = 0) -> tuple[Any, Any]:
    tasks = {id: PlannedTasks(range(start, start + count)) for id, count in counts.items()}
    jobs = {
        id: iter([Job(id, {}, index, repeat, 0) for index in mine for repeat in range(repeats)])
        for id, mine in tasks.items()
    }
    return jobs, tasks


@pytest.mark.parametrize("start", [0, 7])
def test_environments_are_played_in_proportion_and_repeats_together(start: int) -> None:
    schedule = Schedule(*lines({"a": 4, "b": 2}, repeats=2, start=start), {})
    order = [(job.env_id, job.task_index - start) for job in iter(schedule.next_job, None)]
    assert order == [
        (id, index)
        for id, index in (("a", 0), ("b", 0), ("a", 1), ("a", 2), ("b", 1), ("a", 3))
        for _ in range(2)
    ]


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from("abc"), st.integers(1, 12), min_size=1),
    st.dictionaries(st.sampled_from("abc"), st.integers(1, 3)),
    st.integers(1, 8),
    st.integers(1, 3),
    st.randoms(use_true_random=False),
)
def test_workers_that_leave_early_never_leave_too_few(
    counts: dict[str, int], limits: dict[str, int], workers: int, repeats: int, rng: Any
) -> None:
    """Whatever the order of ends, as many episodes run as limits and workers allow."""
    schedule = Schedule(*lines(counts, repeats), limits)
    taken = [job for job in (schedule.next_job() for _ in range(workers)) if job]
    played = Counter(job.env_id for job in taken)
    while taken:
        under_way = Counter(job.env_id for job in taken)
        assert all(under_way[id] <= limit for id, limit in limits.items())
        possible = sum(
            min(under_way[id] + count * repeats - played[id], limits.get(id, workers))
            for id, count in counts.items()
        )
        assert len(taken) == min(workers, possible)
        job = schedule.next_job(finished=taken.pop(rng.randrange(len(taken))))
        if job:
            taken.append(job)
            played[job.env_id] += 1
    assert played == {id: count * repeats for id, count in counts.items()}


# Shares, tasks and arguments


def test_each_environment_has_metrics_of_its_own() -> None:
    class OnlyQuick(Watching):
        async def act(self, messages: Any, tools: Any, **more: Any) -> Action:
            action = await super().act(messages, tools, **more)
            return action if messages[0]["content"].startswith("quick") else Action(assistant("x"))

    run = textgym.rollout({QUICK: 3.0, SLOW: 1.0}, OnlyQuick(), episodes=8, repeats=2)
    figures = run.metrics["envs"]
    assert (figures[QUICK]["episodes"], figures[SLOW]["episodes"]) == (12, 4)
    assert (figures[QUICK]["mean_reward"], figures[SLOW]["mean_reward"]) == (1.0, 0.0)
    assert run.mean_reward == run.metrics["overall"]["mean_reward"] == 0.75


def test_weights_without_a_number_of_episodes_are_refused() -> None:
    with pytest.raises(UsageError, match="weights divide the tasks among environments"):
        textgym.rollout({QUICK: 3.0, SLOW: 1.0}, "oracle")


def test_tasks_begin_at_start() -> None:
    run = textgym.rollout(BOTH, "oracle", episodes=4, start=7)
    played = sorted((t["env_id"], t["task_index"]) for t in run.trajectories())
    assert played == [(QUICK, 7), (QUICK, 8), (SLOW, 7), (SLOW, 8)]
    first = {t["env_id"]: t for t in textgym.rollout(BOTH, "oracle", episodes=18).trajectories()}
    assert first[QUICK]["task_index"] == 8
    last = next(t for t in run.trajectories() if (t["env_id"], t["task_index"]) == (QUICK, 8))
    assert last["messages"] == first[QUICK]["messages"]


@pytest.mark.parametrize(
    ("start", "episodes", "told"),
    [
        (-1, 2, "start must be 0 or more, not -1"),
        (500, None, "has 500 tasks: start must be less, not 500"),
        (499, 2, "cannot play 2 tasks from task 499 on: from 1 to 1"),
    ],
)
def test_an_invalid_start_is_refused(start: int, episodes: int | None, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        textgym.rollout(QUICK, "oracle", episodes=episodes, start=start)


def test_arguments_under_an_id_override_those_for_all(tmp_path: Path) -> None:
    kwargs = {"polite": False, SLOW: {"polite": True, "name": "snail"}}
    run = textgym.rollout(BOTH, "oracle", episodes=2, env_kwargs=kwargs, out=tmp_path)
    quick, slow = sorted(run.trajectories(), key=lambda t: str(t["env_id"]))
    assert quick["env_kwargs"] == {"split": "test", "polite": False}
    assert slow["env_kwargs"] == {"split": "test", "polite": True, "name": "snail"}
    assert slow["messages"][0]["content"].startswith("snail: ")
    asked = json.loads((tmp_path / "run.json").read_text())
    assert asked["env_kwargs"] == {"split": "test", **kwargs}


def test_a_function_among_the_arguments_of_one_environment_is_recorded_by_name(
    tmp_path: Path,
) -> None:
    textgym.rollout(QUICK, "oracle", episodes=1, env_kwargs={QUICK: {"polite": len}}, out=tmp_path)
    held = json.loads((tmp_path / "run.json").read_text())
    assert held["env_kwargs"] == {"split": "test", QUICK: {"polite": "builtins:len"}}


@pytest.mark.parametrize(
    ("kwargs", "error", "told"),
    [
        ({"demo/Slwo-v0": {}}, UnknownNameError, "env_kwargs: 'demo/Slwo-v0' is not played"),
        ({SLOW: 5}, UsageError, "must be a dict of keyword arguments, not 5"),
        ({SLOW: {"nmae": "x"}}, UnknownNameError, "'demo/Slow-v0' has no argument 'nmae'"),
    ],
    ids=str,
)
def test_invalid_env_kwargs_are_refused(kwargs: Any, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told) as raised:
        textgym.rollout(BOTH, "oracle", episodes=2, env_kwargs=kwargs)
    assert "\n" not in str(raised.value)


# One prompt per task


class Moody(Word):
    """An environment whose prompt or tools do not only depend on the task."""

    resets = 0
    what = "prompt"

    def reset(self, *args: Any, **kwargs: Any) -> Any:
        observation, info = super().reset(*args, **kwargs)
        type(self).resets += 1
        if self.what == "prompt" and self.resets == 3:
            observation[0]["content"] += " "
        if self.what == "tools" and self.resets == 3:
            info["tools"] = [{"type": "function", "function": {"name": "look"}}]
        if self.what == "order" and self.resets == 3:
            observation[0] = dict(reversed(observation[0].items()))
        return observation, info


@pytest.mark.parametrize("what", ["prompt", "tools", "order"])
def test_a_repeat_with_another_prompt_is_a_failure_of_the_environment(what: str) -> None:
    class Mine(Moody):
        resets = 0

    Mine.what = what
    policy = Watching()
    run = textgym.rollout(Mine, policy, episodes=2, repeats=4, concurrency=1)
    failed = [t for t in run.trajectories() if t["failure"]]
    assert [(t["task_index"], t["repeat"]) for t in failed] == [(0, 2)]
    assert failed[0]["failure"]["boundary"] == "environment"
    assert "starts with a different prompt" in failed[0]["failure"]["message"]
    assert failed[0]["reward"] is None
    assert policy.answered.total() == 7  # it was not asked with the other prompt


def test_a_repeat_is_compared_with_repeats_from_before_the_resume(tmp_path: Path) -> None:
    class Mine(Moody):
        resets = 10

    options: dict[str, Any] = {"episodes": 1, "repeats": 3, "concurrency": 1, "out": tmp_path}
    textgym.rollout(Mine, "oracle", **options)
    file = tmp_path / "trajectories.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:1]))
    Mine.resets = 2
    run = textgym.rollout(Mine, "oracle", resume=True, **options)
    assert [bool(t["failure"]) for t in run.trajectories()] == [False, True, False]


def test_without_repeats_prompts_are_not_compared() -> None:
    class Mine(Moody):
        resets = 0

    run = textgym.rollout(Mine, "oracle", episodes=5, concurrency=1)
    assert run.metrics["overall"]["failures"] == 0


@pytest.mark.parametrize("id", textgym.ids(guests=False))
def test_repeats_of_every_environment_have_one_prompt(id: str) -> None:
    run = textgym.rollout(id, "random", episodes=3, repeats=3, env_kwargs={"split": "test"}, seed=5)
    assert run.metrics["overall"]["failures_by_boundary"] == {}
    prompts: dict[int, set[str]] = {}
    for trajectory in run.trajectories():
        first = trajectory["steps"][0]["message_index"]
        prompt = json.dumps([trajectory["messages"][:first], trajectory["tools"]])
        prompts.setdefault(trajectory["task_index"], set()).add(prompt)
    assert [len(found) for found in prompts.values()] == [1, 1, 1]
