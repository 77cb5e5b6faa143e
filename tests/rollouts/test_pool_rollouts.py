"""Rollouts with a `TaskPool`: what is drawn, and how runs are resumed."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgym
from textgym.core.episode import Grade
from textgym.errors import JudgeFailure, RunError, UsageError
from textgym.messages import assistant, user
from textgym.policies import Action, Policy
from textgym.rollouts.episode import Job
from textgym.rollouts.plan import PlannedTasks, list_jobs, remaining
from textgym.rollouts.schedule import PoolSchedule
from textgym.task_pool import TaskPool
from textgym.trajectories.run_folder import read_config

ID = "test_pool_rollouts:Numbered"


class Numbered(textgym.TextEnv[None]):
    """Shows the number of its task; "yes" solves it."""

    card = textgym.Card("demo/Pooled-v0", "x", ("single-step",), ("x",), ("x",), "x", ("exact",))

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"salt": rng.randrange(10**9)}

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        number = int(row["id"].rsplit("-", 1)[1])
        return textgym.Task(row["id"], (user(str(number)),), None, row=row)

    def grade(self) -> Grade:
        if self.answer_text == "break":
            raise JudgeFailure("the judge is down")
        return Grade(float(self.answer_text == "yes"), self.answer_text == "yes")


class Skilled(Policy):
    """Solves each task with a probability that depends on its number and on its skill.

    Of ten tasks, three are always solved, four sometimes and three never. More skill solves more.
    """

    name = "skilled"

    def __init__(self, skill: int = 0, break_at: range = range(0)) -> None:
        self.skill, self.count, self.break_at = skill, 0, break_at

    def rate(self, number: int) -> float:
        return {0: 1.0, 1: 0.5, 2: 0.0}[min(max((number % 10 - self.skill + 1) // 4, 0), 2)]

    async def act(self, messages: Any, tools: Any, *, seed: Any = None, **kwargs: Any) -> Action:
        await asyncio.sleep(0)
        self.count += 1
        if self.count in self.break_at:
            return Action(assistant("break"))
        solves = random.Random(seed).random() < self.rate(int(messages[0]["content"]))
        return Action(assistant("yes" if solves else "no"))


class Stopped(Exception):
    """Ends a run from outside."""


def play(pool: TaskPool, policy: Policy | None = None, **kwargs: Any) -> textgym.Run:
    given = {"episodes": 30, "repeats": 2, "concurrency": 1, "retries": 0}
    return textgym.rollout(ID, policy or Skilled(), **{**given, **kwargs}, curriculum=pool)


def played(run: textgym.Run) -> list[tuple[int, int]]:
    return [(t["task_index"], t["repeat"]) for t in run.trajectories()]


def steps(pool: TaskPool, policy: Policy, numbers: range, **kwargs: Any) -> Counter[int]:
    """Play a rollout for each number, as a training does; count how often tasks are played."""
    counts: Counter[int] = Counter()
    for step in numbers:
        run = play(
            pool, policy, episodes=8, repeats=8, seed=step, env_kwargs={"split": "test"}, **kwargs
        )
        counts += Counter({index for index, _ in played(run)})
    return counts


def bands(pool: TaskPool) -> Counter[str]:
    return Counter(pool.band("demo/Pooled-v0", index) for index in range(500))


# A training


def test_draws_concentrate_on_what_is_sometimes_solved() -> None:
    pool, policy = TaskPool(shares={"unseen": 0.05}), Skilled()
    steps(pool, policy, range(20))
    counts: Counter[float] = Counter()
    for index, count in steps(pool, policy, range(20, 40)).items():
        counts[policy.rate(index)] += count
    assert counts[0.5] > 0.6 * counts.total()
    assert 0 < counts[1.0] < 0.2 * counts.total()


def test_forgotten_tasks_are_noticed_and_return() -> None:
    pool, policy = TaskPool(shares={"unseen": 0.5, "solved": 0.2}), Skilled(skill=10)
    steps(pool, policy, range(10))
    assert set(bands(pool)) == {"unseen", "solved"}
    policy.skill = 0
    steps(pool, policy, range(10, 30))
    now = bands(pool)
    assert now["hard"] + now["informative"] > 20


def test_a_training_that_is_restarted_continues_as_one_that_was_not(tmp_path: Path) -> None:
    whole, first = TaskPool(), TaskPool()
    expected = [steps(whole, Skilled(step), range(step, step + 1)) for step in range(8)]
    for step in range(4):
        steps(first, Skilled(step), range(step, step + 1))
    first.save(tmp_path / "pool.json")
    second = TaskPool.load(tmp_path / "pool.json")
    assert [steps(second, Skilled(n), range(n, n + 1)) for n in range(4, 8)] == expected[4:]
    assert second.as_dict() == whole.as_dict()


# One run


@pytest.mark.parametrize("concurrency", [1, 7, 64])
def test_a_task_is_played_once_and_its_repeats_together(concurrency: int) -> None:
    started: list[str] = []

    class Noting(Skilled):
        async def act(self, messages: Any, tools: Any, **kwargs: Any) -> Action:
            started.append(messages[0]["content"])
            return await super().act(messages, tools, **kwargs)

    pool = TaskPool()
    for seed in range(3):
        started.clear()
        run = play(pool, Noting(), concurrency=concurrency, repeats=3, seed=seed)
        assert [len(list(group)) for _, group in groupby(started)] == [3] * 30
        assert len(set(played(run))) == len(played(run)) == 90
        assert run.metrics["planned_episodes"] == 90


def test_the_draws_follow_the_results_so_far() -> None:
    """Follow the run by hand, from what is documented alone."""
    pool, taken = TaskPool(min_results=1), set[tuple[str, int]]()
    tasks = {"demo/Pooled-v0": range(5, 2**62)}
    run = play(TaskPool(min_results=1), repeats=1, seed=3, start=5, env_kwargs={"split": "train"})
    for number, trajectory in enumerate(run.trajectories()):
        drawn = pool.draw(tasks, taken=taken, seed=3, number=number)
        assert drawn == ("demo/Pooled-v0", trajectory["task_index"])
        taken.add(drawn)
        pool.add_episode(trajectory)


def test_all_tasks_of_a_split_can_be_played() -> None:
    run = play(TaskPool(), episodes=500, repeats=1, concurrency=8)
    assert sorted(index for index, _ in played(run)) == list(range(500))


def test_failed_episodes_are_not_results() -> None:
    pool = TaskPool()
    play(pool, Skilled(break_at=range(1, 50)))
    results = pool.as_dict()["results"]["demo/Pooled-v0"].values()
    assert sum(map(len, results)) == 60 - 49


def test_a_mixture_draws_environments_by_weight() -> None:
    mixture = {"textgym/MCQA-v0": 3.0, "textgym/GuessNumber-v0": 1.0}
    run = textgym.rollout(mixture, "oracle", episodes=200, curriculum=TaskPool(), concurrency=1)
    counts = Counter(trajectory["env_id"] for trajectory in run.trajectories())
    assert counts["textgym/MCQA-v0"] / 200 == pytest.approx(0.75, abs=0.1)


# Runs on disk


@settings(max_examples=20)
@given(stop_at=st.integers(1, 59), repeats=st.integers(1, 3), seed=st.integers(0, 5))
def test_an_interrupted_run_continues_as_one_that_was_not(
    tmp_path_factory: pytest.TempPathFactory, stop_at: int, repeats: int, seed: int
) -> None:
    out = tmp_path_factory.mktemp("runs") / "run"
    arguments: dict[str, Any] = {"repeats": repeats, "seed": seed, "episodes": 60 // repeats}
    left = iter(range(stop_at - 1, -1, -1))

    def stop(trajectory: Any) -> None:
        if not next(left):
            raise Stopped

    earlier = {"demo/Pooled-v0": {"0": "1111", "1": "0101", "2": "0000", "7": "0111"}}
    with pytest.raises(Stopped):
        play(TaskPool(results=earlier), out=out, on_episode=stop, **arguments)
    pools = TaskPool(results=earlier), TaskPool(results=earlier)
    resumed = play(pools[0], out=out, resume=True, **arguments)
    assert played(resumed) == played(play(pools[1], **arguments))
    assert pools[0].as_dict() == pools[1].as_dict()


def test_run_records_the_pool(tmp_path: Path) -> None:
    pool = TaskPool(window=8)
    play(pool, out=tmp_path / "run")
    config = read_config(tmp_path / "run")
    source = {"demo/Pooled-v0": {"level": None, "split": "test"}}
    assert config["curriculum"] == {**TaskPool(window=8).as_dict(), "sources": source}
    assert config["tasks"] == {"demo/Pooled-v0": None}


def test_a_folder_with_more_tasks_than_the_run_is_refused(tmp_path: Path) -> None:
    play(TaskPool(), out=tmp_path / "run", repeats=1)
    file = tmp_path / "run" / "trajectories.jsonl"
    extra = json.loads(file.read_text().splitlines()[0])
    with file.open("a") as output:
        output.write(json.dumps({**extra, "task_index": 400}) + "\n")
    with pytest.raises(RunError, match="has episodes of 31 tasks, and the run has 30"):
        play(TaskPool(), out=tmp_path / "run", repeats=1, resume=True)


# The schedule


@settings(max_examples=80)
@given(
    counts=st.lists(st.integers(1, 8), min_size=1, max_size=4),
    repeats=st.integers(1, 3),
    limits=st.dictionaries(st.sampled_from("abcd"), st.integers(1, 2)),
    chance=st.randoms(use_true_random=False),
)
def test_every_job_is_handed_out_once_in_any_order_of_endings(
    counts: list[int], repeats: int, limits: dict[str, int], chance: random.Random
) -> None:
    plan = {id: PlannedTasks(range(n)) for id, n in zip("abcd", counts, strict=False)}
    every = [(id, index, r) for id in plan for index in plan[id] for r in range(repeats)]
    completed = {key for key in every if chance.random() < 0.2}
    total = chance.randint(len({key[:2] for key in completed}), sum(counts))
    schedule = PoolSchedule(
        lambda id, index: remaining(
            list_jobs(id, PlannedTasks([index]), repeats, 0, {}), completed
        ),
        plan, limits, TaskPool(), dict.fromkeys(plan, 1.0), 0, total, completed,
    )  # fmt: skip
    running: list[Job] = [job for job in (schedule.next_job() for _ in range(5)) if job]
    done = []
    while running:
        for id, limit in limits.items():
            assert sum(job.env_id == id for job in running) <= limit
        job = running.pop(chance.randrange(len(running)))
        done.append((job.env_id, job.task_index, job.repeat))
        new = schedule.next_job(finished=job)
        running += [new] if new else []
    keys = {*done, *completed}
    assert len(done) == len(set(done)) == len(keys) - len(completed)
    assert len(keys) == total * repeats
    assert len({key[:2] for key in keys}) == total


# What is refused


def test_an_environment_without_tasks_to_select_is_refused() -> None:
    with pytest.raises(UsageError, match=r"has no num_tasks to select from"):
        textgym.rollout(without_tasks, "random", episodes=2, curriculum=TaskPool())


def without_tasks() -> gymnasium.Env[Any, Any]:
    class Bare(gymnasium.Env[Any, Any]):
        observation_space = textgym.ConversationSpace()
        action_space = textgym.ActionSpace()

    return Bare()


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"episodes": None}, "a curriculum needs episodes"),
        ({"episodes": 501}, "episodes must be at most that, not 501"),
        ({"tasks": [1]}, "a curriculum draws the tasks: leave out tasks"),
    ],
    ids=repr,
)
def test_arguments_that_do_not_fit_are_refused(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        play(TaskPool(), **changes)


def test_a_vector_has_no_pool() -> None:
    with pytest.raises(UsageError, match="make_vec draws environments, not tasks"):
        textgym.make_vec("textgym/MCQA-v0", num_envs=2, curriculum=TaskPool())
