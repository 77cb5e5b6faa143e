"""Rescoring: stored messages are replayed, differences reported, changed tasks not rescored."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import threading
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from in_process import run_command

import textgym
from textgym.errors import (
    ContextFullError,
    EnvironmentFailure,
    PolicyFailure,
    RunError,
    ToolError,
    UnknownNameError,
    UsageError,
)
from textgym.messages import Message, user
from textgym.rescoring.engine import arescore
from textgym.rescoring.verdicts import EpisodeVerdict, VerdictCollector
from textgym.trajectories.run_folder import read_trajectories

MCQA = "textgym/MCQA-v0"


class Desk(textgym.TextEnv[dict[str, Any]]):
    """Open a drawer or talk; observations and grades depend on the arguments."""

    card = textgym.Card(
        "tests/Desk-v0", "Find it.", ("multi-step",), (), (), "search", (), reward_range=(-9.0, 9.0)
    )
    made = closed = 0
    failures = 0  # how many more gradings fail
    barrier: threading.Barrier | None = None

    def __init__(
        self,
        *,
        max_turns: int = 4,
        right: float = 1.0,
        extra: str = "",
        prompt: str = "",
        reply: str = "",
        last: str = "",
        patience: int = 9,
        resets: bool = True,
        made_of: str = "wood",
        blocking: bool = False,
        **kwargs: Any,
    ) -> None:
        self.right, self.extra, self.prompt, self.reply = right, extra, prompt, reply
        self.last, self.patience, self.resets, self.blocking = last, patience, resets, blocking
        if made_of == "air":
            raise EnvironmentFailure("no desk today")
        type(self).made += 1
        super().__init__(max_turns=max_turns, **kwargs)

    def close(self) -> None:
        type(self).closed += 1

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"key": rng.randrange(4), "number": rng.randrange(10**6)}

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        return textgym.Task(
            row["id"], (user(f"{self.prompt}{row['number']}"),), row["key"], row=row
        )

    def begin(self, task: textgym.Task) -> dict[str, Any]:
        if not self.resets:
            raise EnvironmentFailure("it is locked")
        return {"opened": None, "luck": int(self.np_random.integers(10**6))}

    @textgym.tool
    def look(self, drawer: int) -> str:
        """Look into a drawer."""
        if drawer > 3:
            raise ToolError("no such drawer")
        return f"{self.reply}{'key' if drawer == self.task.answer else self.state['luck']}"

    @textgym.tool
    def open(self, drawer: int) -> str:
        """Open a drawer."""
        self.state["opened"] = drawer
        self.finish()
        return f"{self.last}opened"

    def respond(self, message: Message) -> list[Message] | None:
        return [user(f"{self.reply}{self.state['luck']}?")] if self.turn < self.patience else None

    def grade(self) -> textgym.Grade:
        if self.barrier:
            self.barrier.wait(300)
        if Desk.failures:
            Desk.failures -= 1
            raise EnvironmentFailure("the judge is down")
        found = self.state["opened"] == self.task.answer
        components = {"found": float(found)}
        if self.extra:
            components[self.extra] = 0.1 + 0.2
        return textgym.Grade(self.right if found else 0.0, found, components)

    def guess(self, rng: random.Random) -> Message:
        def call(name: str) -> Any:
            arguments = {"drawer": rng.randrange(5)}
            shown = arguments if rng.random() < 0.5 else json.dumps(arguments)
            return {"id": "same", "function": {"name": name, "arguments": shown}}

        names = [
            rng.choice(["look", "look", "open", "nothing"]) for _ in range(rng.randrange(1, 4))
        ]
        if rng.random() < 0.3:
            return {"role": "assistant", "content": "Hm\n\x1b[1m", "reasoning_content": "?"}
        return {"role": "assistant", "content": None, "tool_calls": [call(name) for name in names]}


gym.register("tests/Desk-v0", Desk)


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    yield
    Desk.failures, Desk.barrier = 0, None


class Says(textgym.Policy):
    """Always says the same messages, with tokens like an engine's."""

    name = "says"

    def __init__(self, *said: Any, finish_reason: str = "stop") -> None:
        self.said, self.finish_reason = said, finish_reason

    async def act(self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None) -> Any:
        turn = sum(message["role"] == "assistant" for message in messages)
        if turn >= len(self.said):
            raise ContextFullError("too long")
        said = self.said[turn]
        if isinstance(said, Exception):
            raise said
        message = {"role": "assistant", "content": said} if isinstance(said, str) else said
        return textgym.Action(
            message,
            self.finish_reason,
            {"prompt_tokens": 7, "completion_tokens": 2},
            [1, 2],
            [3, 4],
            [-0.5, -0.25],
            "v1",
        )


def opens(drawer: int) -> Any:
    call = {"id": "1", "function": {"name": "open", "arguments": {"drawer": drawer}}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def played(policy: Any = "random", episodes: int = 20, **options: Any) -> textgym.Run:
    return textgym.rollout("tests/Desk-v0", policy, episodes=episodes, **{"retries": 0, **options})


def kinds(found: Any) -> dict[str, int]:
    return {kind: count for kind, count in found.counts.items() if count}


# Same and different


def test_an_unchanged_environment_gives_the_same_rewards(tmp_path: Path) -> None:
    run = played(episodes=60, repeats=2, seed=5, out=tmp_path / "run")
    for source in (run, tmp_path / "run", str(tmp_path / "run")):
        found = textgym.rescore(source)
        assert kinds(found) == {"same": 120}
        assert found.mean_before == found.mean_after == pytest.approx(run.mean_reward)
        assert found.listed == {"different": (), "not_comparable": (), "failed": ()}


def test_a_changed_grade_is_reported_with_its_differences() -> None:
    run = played(Says(opens(0)), env_kwargs={"right": 0.5})
    found = textgym.rescore(run, env_kwargs={"right": 2.0, "extra": "bonus"})
    assert kinds(found) == {"different": 20}
    assert run.mean_reward is not None
    assert found.mean_before == pytest.approx(run.mean_reward)
    assert found.mean_after == pytest.approx(run.mean_reward * 4)
    stored = {item["task_index"]: item for item in run.trajectories()}
    for verdict in found.listed["different"]:
        assert verdict.old_reward == stored[verdict.task_index]["reward"]
        assert verdict.new_reward == 4 * verdict.old_reward
        assert verdict.changes == {"bonus": (None, 0.1 + 0.2)}
        assert verdict.env_id == "tests/Desk-v0"


def test_success_and_stop_reason_are_compared() -> None:
    run = played(Says("a", "b", "c"), env_kwargs={"patience": 2, "max_turns": 2})
    rows = [{**item, "is_success": True, "stop_reason": "x"} for item in run.trajectories()]
    found = textgym.rescore(replace(run, in_memory=tuple(rows)))
    assert found.listed["different"][0].changes == {
        "success": (True, False),
        "stop reason": ("x", "answer"),
    }


def test_rounding_is_not_a_difference() -> None:
    run = played(Says(opens(0)), env_kwargs={"extra": "sum"})
    rows = []
    for item in run.trajectories():
        step = item["steps"][-1]
        components = {**step["components"], "sum": 0.3}
        rows.append({**item, "steps": [{**step, "components": components}]})
    assert rows[0]["steps"][0]["components"]["sum"] != 0.1 + 0.2
    assert kinds(textgym.rescore(replace(run, in_memory=tuple(rows)))) == {"same": 20}


def test_the_finish_reason_of_a_message_is_kept() -> None:
    run = played(Says("a", "b", finish_reason="length"), env_kwargs={"patience": 2})
    assert {item["stop_reason"] for item in run.trajectories()} == {"max_tokens"}
    assert kinds(textgym.rescore(run)) == {"same": 20}


@pytest.mark.parametrize("said", [(), ("a",), ("a", "b")])
def test_an_episode_cut_by_the_context_is_cut_at_the_same_message(said: tuple[str, ...]) -> None:
    run = played(Says(*said))
    assert {item["stop_reason"] for item in run.trajectories()} == {"context"}
    assert kinds(textgym.rescore(run)) == {"same": 20}
    changed = textgym.rescore(run, env_kwargs={"prompt": "!"})
    assert kinds(changed) == {"not_comparable": 20}
    assert changed.listed["not_comparable"][0].reason == "the prompt differs"


def test_an_environment_without_an_id_is_made_by_a_function() -> None:
    class Local(Desk):
        """An environment without an id."""

    run = textgym.rollout(Local, "random", episodes=5)
    with pytest.raises(UnknownNameError, match="there is no environment 'Local'"):
        textgym.rescore(run)
    assert kinds(textgym.rescore(run, envs=Local)) == {"same": 5}
    with pytest.raises(UsageError, match="a function makes its environment itself"):
        textgym.rescore(run, envs=Local, env_kwargs={"right": 2})


def test_an_episode_cut_by_a_time_limit_is_rescored() -> None:
    run = textgym.rollout(
        lambda: gym.wrappers.TimeLimit(Desk(max_turns=9), 2), Says("a", "b", "c"), episodes=3
    )
    assert {item["stop_reason"] for item in run.trajectories()} == {"max_turns"}
    again = textgym.rescore(run, envs=lambda: gym.wrappers.TimeLimit(Desk(max_turns=9), 2))
    assert kinds(again) == {"same": 3}


# Not comparable


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"prompt": "!"}, "the prompt differs"),
        ({"split": "train"}, "the prompt differs"),
        ({"reply": "!"}, "message 2 differs"),
        ({"last": "!"}, "message 4 differs"),
        ({"max_turns": 1}, "the episode ends after 1 of 2 messages"),
    ],
)
def test_a_changed_prompt_or_observation_is_not_comparable(
    changed: dict[str, Any], reason: str
) -> None:
    run = played(Says("Hello", opens(0)))
    found = textgym.rescore(run, env_kwargs=changed)
    assert kinds(found) == {"not_comparable": 20}
    assert {verdict.reason for verdict in found.listed["not_comparable"]} == {reason}
    assert (found.mean_before, found.mean_after) == (None, None)


def test_an_episode_that_now_continues_is_not_comparable() -> None:
    run = played(Says("a", "b"), env_kwargs={"max_turns": 2})
    found = textgym.rescore(run, env_kwargs={"max_turns": 3})
    assert kinds(found) == {"not_comparable": 20}
    assert found.listed["not_comparable"][0].reason == (
        "the episode continues after the last stored message"
    )


@pytest.mark.parametrize("place", [0, 9])
def test_a_missing_stored_message_is_not_comparable(place: int) -> None:
    run = played(Says("Hello", opens(0)), episodes=1)
    item = next(run.trajectories())
    item["steps"][0]["message_index"] = place
    found = textgym.rescore(replace(run, in_memory=(item,)))
    assert kinds(found) == {"not_comparable": 1}


# Failures


def test_an_episode_that_failed_at_the_policy_is_left() -> None:
    run = played(Says("a", PolicyFailure("no server")), episodes=3)
    found = textgym.rescore(run)
    assert kinds(found) == {"left": 3}


def test_an_episode_that_failed_before_its_first_message_is_left() -> None:
    run = played(Says("a"), episodes=3, env_kwargs={"resets": False})
    assert kinds(textgym.rescore(run, env_kwargs={"resets": True})) == {"left": 3}


@pytest.mark.parametrize("said", [(opens(0),), ("Hello", opens(1))])
def test_a_message_that_could_not_be_graded_gets_a_grade(said: tuple[Any, ...]) -> None:
    Desk.failures = 3
    run = played(Says(*said), episodes=5)
    found = textgym.rescore(run)
    assert kinds(found) == {"same": 2, "different": 3}
    assert found.recovered == 3
    for verdict in found.listed["different"]:
        assert verdict.old_reward is None
        assert verdict.new_reward in (0.0, 1.0)
        assert verdict.reason == "it had failed: EnvironmentFailure"
    fresh = played(Says(*said), episodes=5)
    assert found.mean_after == pytest.approx(fresh.mean_reward)


def test_a_recovered_episode_that_continues_is_not_comparable() -> None:
    Desk.failures = 1
    run = played(Says("a", "b"), episodes=1, env_kwargs={"max_turns": 2})
    found = textgym.rescore(run, env_kwargs={"max_turns": 3})
    assert kinds(found) == {"not_comparable": 1}


def test_a_failure_while_rescoring_gives_no_reward() -> None:
    run = played(Says(opens(0)), episodes=5)
    Desk.failures = 2
    found = textgym.rescore(run, retries=0)
    assert kinds(found) == {"same": 3, "failed": 2}
    verdict = found.listed["failed"][0]
    assert verdict.reason == "environment: EnvironmentFailure: the judge is down"
    assert verdict.new_reward is None


def test_a_failed_step_is_retried() -> None:
    run = played(Says(opens(0)), episodes=5)
    Desk.failures = 1
    assert kinds(textgym.rescore(run)) == {"same": 5}


def test_an_environment_that_cannot_be_made_fails_the_episode() -> None:
    run = played(Says(opens(0)), episodes=2)
    first, second = run.trajectories()
    second["env_kwargs"] = {"made_of": "air"}
    found = textgym.rescore(replace(run, in_memory=(first, second)))
    assert kinds(found) == {"same": 1, "failed": 1}


# Environments and concurrency


def test_environments_are_made_once_and_closed() -> None:
    run = played(Says(opens(0)), episodes=50)
    Desk.made = Desk.closed = 0
    textgym.rescore(run)
    assert (Desk.made, Desk.closed) == (1, 1)


def test_blocking_steps_run_concurrently() -> None:
    run = played(Says(opens(0)), episodes=8)
    Desk.barrier = threading.Barrier(4)
    found = textgym.rescore(run, env_kwargs={"blocking": True}, concurrency=4)
    assert kinds(found) == {"same": 8}


def test_verdicts_are_listed_in_the_stored_order_up_to_a_limit() -> None:
    run = played(Says(opens(0)), episodes=30)
    changed = {"extra": "bonus", "blocking": True}
    found = textgym.rescore(run, env_kwargs=changed, keep=7)
    assert [verdict.task_index for verdict in found.listed["different"]] == list(range(7))
    everything = textgym.rescore(run, env_kwargs=changed, keep=0)
    assert [verdict.task_index for verdict in everything.listed["different"]] == list(range(30))


def test_no_more_verdicts_are_held_than_are_listed() -> None:
    findings = VerdictCollector(limit=10)
    tracemalloc.start()
    for number in range(20_000):
        findings.add(
            number, EpisodeVerdict("failed", "id" * 50, None, number, 0, reason="x" * number)
        )
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
    kept = findings.result(None)
    assert kept.counts["failed"] == 20_000
    assert [verdict.task_index for verdict in kept.listed["failed"]] == list(range(10))


def test_the_callback_gets_every_verdict() -> None:
    seen: list[EpisodeVerdict] = []
    textgym.rescore(played(episodes=9), on_episode=seen.append)
    assert sorted(verdict.task_index for verdict in seen) == list(range(9))


def test_inside_a_running_loop_the_error_names_the_async_function() -> None:
    async def inside() -> None:
        run = textgym.Run({}, None, ())
        with pytest.raises(UsageError, match=r"await textgym\.arescore"):
            textgym.rescore(run)
        with pytest.raises(RunError, match="the run holds no episode"):
            await arescore(run)

    asyncio.run(inside())


@pytest.mark.parametrize("name", ["concurrency", "retries", "keep"])
def test_a_number_out_of_range_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name} must be [01] or more, not -1"):
        textgym.rescore(played(episodes=1), **{name: -1})


# A new run


def test_a_new_run_keeps_what_was_sampled(tmp_path: Path) -> None:
    Desk.failures = 1
    played(Says("Hello", opens(0)), episodes=6, repeats=2, out=tmp_path / "old")
    found = textgym.rescore(
        tmp_path / "old", env_kwargs={"right": 3.0}, out=tmp_path / "new", concurrency=1
    )
    assert found.out == tmp_path / "new"
    old, new = (list(read_trajectories(tmp_path / name)) for name in ("old", "new"))
    assert len(old) == len(new) == 12
    graded = {"env_kwargs", "steps", "messages", "terminated", "truncated", "stop_reason"}
    graded |= {"is_success", "reward", "info", "failure"}
    for then, now in zip(old, new, strict=True):
        assert then.keys() == now.keys()
        assert {k: v for k, v in then.items() if k not in graded} == {
            k: v for k, v in now.items() if k not in graded
        }
        assert now["reward"] == 3.0 * now["is_success"]
        assert now["failure"] is None
        assert now["env_kwargs"] == {"split": "test", "right": 3.0}
        assert now["messages"][: len(then["messages"]) - 1] == then["messages"][:-1]
        for before, after in zip(then["steps"], now["steps"], strict=True):
            assert before | {"reward": 0, "components": 0} == after | {"reward": 0, "components": 0}
    asked = json.loads((tmp_path / "new" / "run.json").read_text())
    assert asked["policy"] == "says"
    assert asked["env_kwargs"] == {"split": "test", "right": 3.0}
    assert asked["rescored"] == {"run": str(tmp_path / "old"), "env_kwargs": {"right": 3.0}}
    metrics = json.loads((tmp_path / "new" / "metrics.json").read_text())
    assert metrics["overall"]["mean_reward"] == pytest.approx(found.mean_after)
    assert kinds(textgym.rescore(tmp_path / "new")) == {"same": 12}


def test_an_episode_without_a_new_reward_is_a_failure_in_the_new_run(tmp_path: Path) -> None:
    Desk.failures = 1
    run = played(Says("Hello", opens(0)), episodes=4)
    left, *others = run.trajectories()
    left["failure"]["boundary"] = "policy"
    others[0]["messages"][0] = user("Another prompt")
    Desk.failures = 1
    found = textgym.rescore(
        replace(run, in_memory=(left, *others)), out=tmp_path / "new", retries=0, concurrency=1
    )
    assert kinds(found) == {"same": 1, "not_comparable": 1, "failed": 1, "left": 1}
    new = list(read_trajectories(tmp_path / "new"))
    assert [item["failure"] and item["failure"]["type"] for item in new] == [
        "EnvironmentFailure",
        "NotComparable",
        "EnvironmentFailure",
        None,
    ]
    assert new[1]["failure"]["message"] == "the prompt differs"
    for item in new[:3]:
        assert (item["reward"], item["is_success"]) == (None, None)
    for item in new[1:3]:
        assert [step["reward"] for step in item["steps"]] == [None, None]
        assert item["steps"][0]["token_ids"] == [3, 4]
    metrics = json.loads((tmp_path / "new" / "metrics.json").read_text())
    assert (metrics["overall"]["episodes"], metrics["overall"]["failures"]) == (4, 3)


def test_a_run_is_neither_overwritten_nor_started_in_vain(tmp_path: Path) -> None:
    played(episodes=2, out=tmp_path / "old")
    before = (tmp_path / "old" / "trajectories.jsonl").read_bytes()
    with pytest.raises(RunError, match="holds a run already"):
        textgym.rescore(tmp_path / "old", out=tmp_path / "old")
    assert (tmp_path / "old" / "trajectories.jsonl").read_bytes() == before
    with pytest.raises(UnknownNameError, match="no argument 'rigth'; did you mean 'right'"):
        textgym.rescore(tmp_path / "old", env_kwargs={"rigth": 1}, out=tmp_path / "new")
    with pytest.raises(RunError, match="holds no run"):
        textgym.rescore(tmp_path / "nowhere", out=tmp_path / "new")
    assert not (tmp_path / "new").exists()


# The command


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_command(folder, "rescore", *arguments, NO_COLOR="1", COLUMNS="160")


ROWS = [
    {"id": "one", "question": "A metal?", "options": {"A": "neon", "B": "zinc"}, "answer": "B"},
    {"id": "two", "question": "A gas?", "options": {"A": "neon", "B": "zinc"}, "answer": "A"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run whose answers only the lenient mode accepts, and its data set."""
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    textgym.rollout(
        MCQA,
        Says("\\boxed{zinc}"),
        repeats=2,
        env_kwargs={"dataset": str(rows)},
        out=tmp_path / "run",
    )
    return tmp_path


def test_the_command_lists_what_differs(folder: Path) -> None:
    came = command(folder, "run", "--set", "grading_mode=lenient_boxed", "--limit", "1")
    assert (came.returncode, came.stderr) == (0, "")
    lines = [line.split() for line in came.stdout.splitlines() if line]
    assert " ".join(lines[0]) == "4 episodes: 0 the same, 4 different"
    assert " ".join(lines[1]) == "mean reward of the 4 compared: 0.0000 -> 0.5000"
    assert " ".join(lines[2]) == "different task repeat reward changed"
    assert " ".join(lines[3]) == (
        "textgym/MCQA-v0 0 (one) 0 0 -> 1 correct 0 -> 1, answered 0 -> 1, success no -> yes"
    )
    assert " ".join(lines[4]) == "and 3 more (--limit 0 lists all)"


def test_the_command_names_what_cannot_be_compared(folder: Path) -> None:
    rows = folder / "rows.jsonl"
    rows.write_text(rows.read_text().replace("A gas?", "A noble gas?"))
    came = command(folder, "run", "--out", "new")
    assert came.returncode == 0
    assert came.stdout.startswith("4 episodes: 2 the same, 0 different, 2 not comparable\n")
    assert "\nstored in new\n" in came.stdout
    assert came.stdout.count("the prompt differs") == 2
    assert (folder / "new" / "metrics.json").exists()


def test_the_command_gives_json(folder: Path) -> None:
    came = command(folder, "run", "--json", "--set", "grading_mode=lenient_boxed", "--limit", "2")
    found = json.loads(came.stdout)
    assert found | {"listed": None} == {
        "episodes": 4,
        "compared": 4,
        "same": 0,
        "different": 4,
        "not_comparable": 0,
        "failed": 0,
        "left": 0,
        "recovered": 0,
        "mean_before": 0.0,
        "mean_after": 0.5,
        "listed": None,
        "out": None,
        "changed_data": [],
    }
    assert [item["task_id"] for item in found["listed"]["different"]] == ["one", "one"]
    assert found["listed"]["different"][0]["changes"]["correct"] == [0.0, 1.0]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("nowhere", "'nowhere' holds no run: No such file or directory"),
        ("run --out run", "'run' holds a run already"),
        ("run --set mode=x", "has no argument 'mode'"),
        ("run --set grading_mode=lenint_boxed", "did you mean 'lenient_boxed'?"),
        ("run --limit -1", "keep must be 0 or more"),
        ("run --concurrency 0", "concurrency must be 1 or more"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(folder: Path, arguments: str, told: str) -> None:
    came = command(folder, *arguments.split())
    assert (came.returncode, came.stdout) == (2, "")
    assert came.stderr.startswith("textgym: ")
    assert told in came.stderr
    assert came.stderr.count("\n") == 1


def test_a_line_that_is_not_a_trajectory_is_refused(tmp_path: Path) -> None:
    line = '{"version": 1, "env_id": "x", "task_index": 0, "repeat": 0}\n'
    (tmp_path / "trajectories.jsonl").write_text(line)
    with pytest.raises(RunError, match="episode 1 is not a trajectory: it has no 'env_kwargs'"):
        textgym.rescore(tmp_path)


def test_an_argument_can_change_for_one_environment_of_a_mixture(tmp_path: Path) -> None:
    envs = dict.fromkeys(("textgym/MCQA-v0", "textgym/GuessNumber-v0"), 1.0)
    own = {"textgym/MCQA-v0": {"grading_mode": "strict_single_letter_boxed", "shots": 1}}
    textgym.rollout(envs, "random", episodes=8, env_kwargs={"level": 1, **own}, out=tmp_path / "a")
    changed = {"textgym/MCQA-v0": {"grading_mode": "lenient_boxed"}}
    found = textgym.rescore(tmp_path / "a", env_kwargs=changed, out=tmp_path / "b")
    assert sum(found.counts.values()) == 8
    assert found.counts["failed"] == 0
    asked = json.loads((tmp_path / "b" / "run.json").read_text())
    whole = {"grading_mode": "lenient_boxed", "shots": 1}
    assert asked["env_kwargs"] == {"split": "test", "level": 1, "textgym/MCQA-v0": whole}
    for trajectory in read_trajectories(tmp_path / "b"):
        mine = whole if trajectory["env_id"] == "textgym/MCQA-v0" else {}
        assert trajectory["env_kwargs"] == {"split": "test", "level": 1, **mine}


def test_arguments_of_an_environment_that_was_not_played_are_refused(tmp_path: Path) -> None:
    run = textgym.rollout("textgym/MCQA-v0", "random", episodes=2, out=tmp_path)
    for given in (run, tmp_path):
        with pytest.raises(UsageError, match="'textgym/Math-v0' is not played; did you mean"):
            textgym.rescore(given, env_kwargs={"textgym/Math-v0": {"level": 2}})
