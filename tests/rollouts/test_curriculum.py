"""Rollouts with a curriculum: what is drawn, how runs are recorded, resumed and counted."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgym
from textgym.core.episode import Grade
from textgym.curricula import SuccessCurriculum
from textgym.errors import JudgeFailure, RunError, UsageError
from textgym.messages import assistant, user
from textgym.metrics.run_metrics import planned_episodes
from textgym.policies import Action, Policy
from textgym.rollouts.episode import Job
from textgym.rollouts.plan import PlannedTasks, list_jobs, remaining
from textgym.rollouts.schedule import CurriculumSchedule
from textgym.trajectories.run_folder import read_config

EASY, EVEN, NEVER = "demo/Easy-v0", "demo/Even-v0", "demo/Never-v0"
ALL = {EASY: 1.0, EVEN: 1.0, NEVER: 1.0}
CARD = textgym.Card(EASY, "x", ("single-step",), ("x",), ("x",), "x", ("exact match",))


class Luck(textgym.TextEnv[None]):
    """Succeeds always, never, or for every other task, whatever is said."""

    card = CARD

    def __init__(self, *, kind: str = "easy", **kwargs: Any) -> None:
        self.kind = kind
        super().__init__(**kwargs)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"number": rng.randrange(10**9)}

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        return textgym.Task(row["id"], (user(f"{self.kind}: {row['number']}"),), None, row=row)

    def grade(self) -> Grade:
        even = int(self.task.id.rsplit("-", 1)[1]) % 2 == 0
        success = {"easy": True, "even": even, "never": False}[self.kind]
        if self.answer_text == "break":
            raise JudgeFailure("the judge is down")
        return Grade(float(success), success)


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    """Register three environments that differ in their success."""
    gymnasium.register(EASY, Luck)
    gymnasium.register(EVEN, Luck, kwargs={"kind": "even"})
    gymnasium.register(NEVER, Luck, kwargs={"kind": "never"})
    yield
    for id in ALL:
        del gymnasium.registry[id]


class Saying(Policy):
    """Says one thing, but breaks the judge in given episodes."""

    name = "saying"

    def __init__(self, break_at: range = range(0)) -> None:
        self.count, self.break_at = 0, break_at

    async def act(self, messages: Any, tools: Any, **kwargs: Any) -> Action:
        await asyncio.sleep(0)
        self.count += 1
        return Action(assistant("break" if self.count in self.break_at else "x"))


class Stopped(Exception):
    """Ends a run from outside."""


def stop_after(count: int) -> Any:
    """Return an `on_episode` that ends the run once so many episodes are recorded."""
    left = iter(range(count - 1, -1, -1))

    def on_episode(trajectory: Any) -> None:
        if not next(left):
            raise Stopped

    return on_episode


def play(envs: Any = ALL, policy: Any = None, **kwargs: Any) -> Any:
    given = {"episodes": 60, "curriculum": {"window": 16}, "concurrency": 1, "retries": 0}
    return textgym.rollout(envs, policy or Saying(), **{**given, **kwargs})


def played(run: Any) -> list[tuple[str, int, int]]:
    return [(t["env_id"], t["task_index"], t["repeat"]) for t in run.trajectories()]


def test_what_is_sometimes_solved_is_drawn_most() -> None:
    counts = Counter(id for id, _, _ in played(play(episodes=200)))
    assert counts[EVEN] > 2.5 * max(counts[EASY], counts[NEVER])
    assert min(counts.values()) > 5


def test_the_draws_follow_the_results_so_far() -> None:
    """Follow the run by hand, from what is documented alone."""
    curriculum, begun = SuccessCurriculum(window=16), dict.fromkeys(ALL, 0)
    for number, trajectory in enumerate(play(seed=3, start=5).trajectories()):
        id = curriculum.draw(ALL, 3, number)
        assert (trajectory["env_id"], trajectory["task_index"]) == (id, 5 + begun[id])
        begun[id] += 1
        curriculum.add(id, trajectory["is_success"])


def test_the_same_seed_repeats_the_run_and_another_does_not() -> None:
    assert played(play(seed=1)) == played(play(seed=1)) != played(play(seed=2))


@pytest.mark.parametrize("concurrency", [1, 7, 64])
@pytest.mark.parametrize("repeats", [1, 3])
def test_tasks_are_in_order_and_their_repeats_together(concurrency: int, repeats: int) -> None:
    started: list[tuple[str, int]] = []

    class Noting(Saying):
        async def act(self, messages: Any, tools: Any, **kwargs: Any) -> Action:
            started.append(messages[0]["content"])
            return await super().act(messages, tools, **kwargs)

    run = play(policy=Noting(), concurrency=concurrency, repeats=repeats, episodes=40)
    assert [len(list(group)) for _, group in groupby(started)] == [repeats] * 40
    keys = played(run)
    assert len(set(keys)) == len(keys) == 40 * repeats
    for id in ALL:
        indices = sorted({index for name, index, _ in keys if name == id})
        assert indices == list(range(len(indices)))


def test_weights_still_count() -> None:
    flat = {"window": 4, "floor": 1.0}
    run = play({EASY: 1.0, NEVER: 4.0}, curriculum=flat, episodes=300)
    counts = Counter(id for id, _, _ in played(run))
    assert counts[NEVER] / 300 == pytest.approx(0.8, abs=0.08)


def test_an_environment_without_tasks_left_is_no_longer_drawn() -> None:
    own = {EVEN: {"split": "test"}}
    run = play({EVEN: 100.0, NEVER: 0.1}, episodes=520, env_kwargs=own, concurrency=8)
    counts = Counter(id for id, _, _ in played(run))
    assert counts == {EVEN: 500, NEVER: 20}


def test_an_environment_at_its_limit_waits_for_no_other() -> None:
    most: Counter[str] = Counter()
    running: Counter[str] = Counter()

    class Counting(Policy):
        name = "counting"

        async def act(self, messages: Any, tools: Any, **kwargs: Any) -> Action:
            kind = messages[0]["content"].partition(":")[0]
            running[kind] += 1
            most[kind] = max(most[kind], running[kind])
            await asyncio.sleep(0.001)
            running[kind] -= 1
            return Action(assistant("x"))

    run = play(policy=Counting(), concurrency=12, env_concurrency={EVEN: 1, EASY: 2}, repeats=2)
    assert len(played(run)) == 120
    assert (most["even"], most["easy"]) == (1, 2)
    assert most["never"] > 3


def test_a_curriculum_of_ones_own_continues_in_the_next_rollout() -> None:
    curriculum = SuccessCurriculum(window=8)
    play(curriculum=curriculum)
    seen = curriculum.as_dict()["results"]
    assert seen[EASY] == [True] * len(seen[EASY])
    assert seen[NEVER] == [False] * len(seen[NEVER])
    assert played(play(curriculum=curriculum)) == played(
        play(curriculum={"window": 8, "results": seen})
    )


def test_failed_episodes_are_no_results() -> None:
    curriculum = SuccessCurriculum()
    run = play(policy=Saying(break_at=range(1, 50)), curriculum=curriculum, episodes=60)
    assert run.metrics["overall"]["failures"] == 49
    assert sum(map(len, curriculum.as_dict()["results"].values())) == 11


# Runs on disk


def test_run_records_the_curriculum_and_the_number_of_episodes(tmp_path: Path) -> None:
    run = play(out=tmp_path / "run", repeats=2)
    config = read_config(tmp_path / "run")
    assert config["curriculum"] == {"window": 16, "floor": 0.1}
    assert config["tasks"] == dict.fromkeys(ALL)
    assert planned_episodes(config) == run.metrics["planned_episodes"] == 120
    assert run.metrics["overall"]["episodes"] == 120


@settings(max_examples=25)
@given(
    stop_at=st.integers(1, 59),
    repeats=st.integers(1, 3),
    seed=st.integers(0, 5),
)
def test_an_interrupted_run_goes_on_as_one_that_was_not(
    tmp_path_factory: pytest.TempPathFactory, stop_at: int, repeats: int, seed: int
) -> None:
    out = tmp_path_factory.mktemp("runs") / "run"
    arguments = {"repeats": repeats, "seed": seed, "episodes": 60 // repeats}
    with pytest.raises(Stopped):
        play(out=out, on_episode=stop_after(stop_at), **arguments)
    assert len((out / "trajectories.jsonl").read_text().splitlines()) == stop_at
    left: list[int] = []
    resumed = play(out=out, resume=True, on_start=left.append, **arguments)
    assert played(resumed) == played(play(**arguments))
    assert left == [60 // repeats * repeats - stop_at]


@settings(max_examples=15)
@given(
    stop_at=st.integers(20, 110), failed=st.integers(1, 12), concurrency=st.sampled_from([3, 16])
)
def test_a_run_with_failures_is_resumed_to_exactly_the_missing_number(
    tmp_path_factory: pytest.TempPathFactory, stop_at: int, failed: int, concurrency: int
) -> None:
    out = tmp_path_factory.mktemp("runs") / "run"
    arguments = {"repeats": 2, "concurrency": concurrency, "out": out}
    policy = Saying(break_at=range(5, 5 + failed))
    with pytest.raises(Stopped):
        play(policy=policy, on_episode=stop_after(stop_at), **arguments)
    resumed = play(resume=True, **arguments)
    keys = played(resumed)
    assert len(keys) == len(set(keys)) == resumed.metrics["overall"]["episodes"] == 120
    tasks = {(id, index) for id, index, _ in keys}
    assert len(tasks) == 60
    for id in ALL:
        assert {index for name, index in tasks if name == id} == set(
            range(sum(name == id for name, _ in tasks))
        )


def test_a_finished_run_is_resumed_without_an_episode(tmp_path: Path) -> None:
    play(out=tmp_path / "run")
    policy = Saying()
    play(policy=policy, out=tmp_path / "run", resume=True)
    assert policy.count == 0


@pytest.mark.parametrize("curriculum", [None, {"window": 17}], ids=["none", "another"])
def test_a_run_is_not_resumed_with_another_curriculum(tmp_path: Path, curriculum: Any) -> None:
    play(out=tmp_path / "run")
    with pytest.raises(RunError, match=r"holds another run: its (tasks|curriculum) is"):
        play(out=tmp_path / "run", resume=True, curriculum=curriculum)


def test_a_folder_with_more_tasks_than_the_run_is_refused(tmp_path: Path) -> None:
    play(out=tmp_path / "run", episodes=30)
    file = tmp_path / "run" / "trajectories.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    last = max(line["task_index"] for line in lines if line["env_id"] == EASY)
    extra = next(line for line in lines if line["env_id"] == EASY)
    with file.open("a") as output:
        output.write(json.dumps({**extra, "task_index": last + 1}) + "\n")
    begun: list[int] = []
    with pytest.raises(RunError, match="has episodes of 31 tasks, and the run has 30"):
        play(out=tmp_path / "run", episodes=30, resume=True, on_start=begun.append)
    assert begun == []


# The schedule alone


@settings(max_examples=80)
@given(
    counts=st.lists(st.integers(1, 8), min_size=2, max_size=4),
    repeats=st.integers(1, 3),
    limits=st.dictionaries(st.sampled_from("abcd"), st.integers(1, 2)),
    chance=st.randoms(use_true_random=False),
)
def test_every_job_is_handed_out_once_whatever_finishes_when(
    counts: list[int], repeats: int, limits: dict[str, int], chance: random.Random
) -> None:
    plan = {id: PlannedTasks(range(n)) for id, n in zip("abcd", counts, strict=False)}
    total = chance.randint(1, sum(counts))
    every = [(id, index, r) for id in plan for index in plan[id] for r in range(repeats)]
    begun = {id: chance.randint(0, len(plan[id])) for id in plan}
    completed = {key for key in every if key[1] < begun[key[0]] and chance.random() < 0.6}
    at_least = {id: max([i + 1 for n, i, _ in completed if n == id], default=0) for id in plan}
    if sum(at_least.values()) > total:
        return
    jobs = {
        id: remaining(list_jobs(id, mine, repeats, 0, {}), completed) for id, mine in plan.items()
    }
    schedule = CurriculumSchedule(
        jobs, plan, limits, SuccessCurriculum(), dict.fromkeys(plan, 1.0), 0, total, completed
    )
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


@pytest.mark.parametrize(
    ("envs", "changes", "told"),
    [
        (EASY, {}, "draws from several environments"),
        ({EASY: 1.0}, {}, "draws from several environments"),
        (Luck, {}, "draws from several environments"),
        (ALL, {"episodes": None}, "needs episodes, the number of tasks, not None"),
        (ALL, {"episodes": 0}, "needs episodes, the number of tasks, not 0"),
        (ALL, {"tasks": {EASY: [1]}, "episodes": None}, "draws the tasks: leave out tasks"),
        (ALL, {"curriculum": {"size": 3}}, "a curriculum has no argument 'size'"),
        (ALL, {"curriculum": 3}, "curriculum must be True"),
        (ALL, {"env_kwargs": {"split": "test"}, "episodes": 1501}, "have 1500 tasks"),
        (ALL, {"env_kwargs": {"split": "test"}, "start": 500}, "has 500 tasks: start must be"),
    ],
    ids=["id", "one", "class", "no end", "none", "tasks", "argument", "number", "few", "start"],
)
def test_what_does_not_fit_a_curriculum_is_one_line(envs: Any, changes: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told) as raised:
        play(envs, **changes)
    assert "\n" not in str(raised.value)
