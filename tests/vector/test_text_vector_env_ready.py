"""`send` and `recv`, blocking steps, failures, and infos of vectors."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections import Counter, OrderedDict
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import given, settings
from hypothesis import strategies as st
from vector_envs import Count, Failing, Gated, begin, plain, task

from textgym.errors import InvalidActionError, JudgeFailure, RewardError, UsageError
from textgym.vector import TextVectorEnv
from textgym.vector.batches import stack_infos

MODES = pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.value)
BLOCKING = pytest.mark.parametrize("blocking", [False, True], ids=["inline", "threads"])


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textgym.concurrency.calls.pause_seconds", lambda attempt: 0.0)


def steps(vector: TextVectorEnv) -> list[int]:
    return [env.unwrapped.steps for env in vector.envs]


# send and recv.


def test_recv_returns_the_sub_environments_that_were_sent_actions(make: Any) -> None:
    vector = make(4)
    begin(vector, 3, 1, 3, 3)
    vector.send(["a", "b"], [2, 1])
    observations, rewards, terminated, truncated, infos = vector.recv()
    assert infos["env_id"].tolist() == [2, 1]
    assert observations[0][-1]["content"] == "Again."
    assert (rewards.tolist(), terminated.tolist()) == ([0, 0.01], [False, True])
    assert truncated.tolist() == [False, False]
    assert infos["_final_info"].tolist() == [False, True]
    assert steps(vector) == [0, 1, 1, 0]


@pytest.mark.parametrize("env_id", [np.array([1, 0]), (1, 0), [np.int64(1), 0], None], ids=repr)
def test_sub_environments_are_named_by_index(make: Any, env_id: Any) -> None:
    vector = make(2)
    begin(vector, 3, 3)
    vector.send(["a", "b"], env_id)
    assert sorted(vector.recv(2)[4]["env_id"].tolist()) == [0, 1]


@pytest.mark.parametrize("env_id", [[0, 0], [2], [-1], [0.5], ["0"], 1, [[0], [1, 2]]], ids=repr)
def test_invalid_indices_are_refused(make: Any, env_id: Any) -> None:
    vector = make(2)
    vector.reset(seed=1)
    with pytest.raises(UsageError, match="env_id"):
        vector.send(["a"], env_id)


def test_a_ready_sub_environment_continues_while_another_waits(make: Any) -> None:
    gates = [threading.Event(), threading.Event()]
    vector = TextVectorEnv([functools.partial(Gated, gate=gate) for gate in gates])
    try:
        begin(vector, 9, 9)
        vector.send(["a", "b"])
        gates[1].set()
        for _ in range(3):
            infos = vector.recv()[4]
            assert infos["env_id"].tolist() == [1]
            vector.send(["more"], [1])
        gates[0].set()
        assert sorted(vector.recv(2)[4]["env_id"].tolist()) == [0, 1]
        assert steps(vector) == [1, 4]
    finally:
        for gate in gates:
            gate.set()
        vector.close()


def test_blocking_steps_run_concurrently(make: Any) -> None:
    class Together(Count):
        blocking = True

        def respond(self, message: Any) -> Any:
            meeting.wait(300)  # all of them are here, or it breaks
            return super().respond(message)

    meeting = threading.Barrier(256)
    vector = make(256, cls=Together)
    begin(vector, *[9] * 256)
    for _ in range(2):
        vector.step(["a"] * 256)
    assert steps(vector) == [2] * 256


@MODES
def test_a_step_with_a_blocking_reset_runs_in_a_thread(make: Any, mode: AutoresetMode) -> None:
    seen: list[int] = []

    class Begins(Count):
        blocking_reset = True

        def begin(self, task: Any) -> Any:
            seen.append(threading.get_ident())
            return super().begin(task)

    vector = make(2, cls=Begins, autoreset_mode=mode)
    begin(vector, 1, 1)
    for _ in range(2):
        actions = [None if sub_env.ended and mode is AutoresetMode.DISABLED else "a"
                   for sub_env in vector._sub_envs]  # fmt: skip
        vector.step(actions)
    assert (len(seen) > 2) == (mode is not AutoresetMode.DISABLED)
    assert threading.get_ident() not in seen


@BLOCKING
def test_it_can_be_stepped_inside_a_running_event_loop(make: Any, blocking: bool) -> None:
    vector = make(2, cls=Failing, blocking=blocking)

    async def main() -> list[int]:
        begin(vector, 9, 9)
        vector.step(["a", "b"])
        vector.send(["c"], [1])
        return vector.recv()[4]["env_id"].tolist()

    assert asyncio.run(main()) == [1]
    assert steps(vector) == [1, 2]


def test_other_steps_run_in_the_callers_thread(make: Any) -> None:
    seen: list[int] = []

    class Where(Count):
        def respond(self, message: Any) -> Any:
            seen.append(threading.get_ident())
            return super().respond(message)

    vector = make(3, cls=Where)
    begin(vector, 9, 9, 9)
    sender = threading.Thread(target=vector.send, args=(["a"] * 3,))
    sender.start()
    sender.join()
    assert seen == []
    vector.recv()
    assert seen == [threading.get_ident()] * 3


def test_recv_of_nothing_is_refused_unless_it_has_a_timeout(make: Any) -> None:
    vector = make(2)
    vector.reset(seed=1)
    with pytest.raises(UsageError, match="nothing is running: send actions first"):
        vector.recv()
    observations, rewards, terminated, truncated, infos = vector.recv(timeout=0)
    assert (observations, infos["env_id"].tolist()) == ((), [])
    assert [len(array) for array in (rewards, terminated, truncated)] == [0, 0, 0]


def test_after_a_timeout_recv_returns_what_is_ready(make: Any) -> None:
    gates = [threading.Event(), threading.Event()]
    vector = TextVectorEnv([functools.partial(Gated, gate=gate) for gate in gates])
    try:
        begin(vector, 9, 9)
        gates[0].set()
        vector.send(["a", "b"])
        first = vector.recv()[4]["env_id"].tolist()
        assert first + vector.recv(timeout=0.01)[4]["env_id"].tolist() == [0]
    finally:
        gates[1].set()
        vector.close()


@BLOCKING
def test_any_thread_may_send_while_one_receives(make: Any, blocking: bool) -> None:
    vector = make(6, cls=Failing, blocking=blocking)
    vector.reset(seed=1)
    seen: Counter[int] = Counter()
    with ThreadPoolExecutor(6) as pool:

        def answer(place: int) -> None:
            vector.send([f"{place}"], [place])

        asked = [pool.submit(answer, place) for place in range(6)]
        while sum(seen.values()) < 300:
            observations, *_, infos = vector.recv(timeout=120)
            assert len(observations), "nobody answered"
            for place in infos["env_id"].tolist():
                seen[place] += 1
                asked.append(pool.submit(answer, place))
        for one in asked:
            one.result()
    assert len(seen) == 6
    vector.reset(seed=1)
    assert seen.total() <= sum(steps(vector)) <= seen.total() + 6


@pytest.mark.parametrize(
    ("call", "told"),
    [(lambda vector: vector.send(["b"], [0]), "sub-environments 0 were sent actions"),
     (lambda vector: vector.step(["a", "b"]), "sub-environments 0 were sent actions"),
     (lambda vector: vector.reset(options={"reset_mask": [True, False]}), "call recv first")],
    ids=["send", "step", "reset"],
)  # fmt: skip
def test_a_running_sub_environment_takes_no_second_call(make: Any, call: Any, told: str) -> None:
    vector = make(2)
    begin(vector, 9, 9)
    vector.send(["a"], [0])
    with pytest.raises(UsageError, match=told):
        call(vector)
    assert vector.recv()[4]["env_id"].tolist() == [0]
    assert steps(vector) == [1, 0]


def test_a_reset_of_all_drops_running_calls(make: Any) -> None:
    vector = make(2)
    begin(vector, 9, 9)
    vector.send(["a"], [0])
    vector.reset(seed=1)
    assert steps(vector) == [0, 0]
    with pytest.raises(UsageError, match="nothing is running"):
        vector.recv()


def test_a_masked_reset_does_not_affect_running_calls(make: Any) -> None:
    gate = threading.Event()
    vector = make(2, cls=Gated, gate=gate, autoreset_mode="Disabled")
    try:
        begin(vector, 9, 9)
        vector.send(["a"], [0])
        infos = vector.reset(options={"reset_mask": [False, True], "task": task(7)})[1]
        assert infos["_task_id"].tolist() == [False, True]
    finally:
        gate.set()
    assert vector.recv()[4]["env_id"].tolist() == [0]


@pytest.mark.parametrize("action", [None, 5, {"role": "user", "content": "x"}], ids=repr)
def test_an_invalid_action_is_not_sent(make: Any, action: Any) -> None:
    vector = make(2)
    begin(vector, 9, 9)
    with pytest.raises(InvalidActionError):
        vector.send(["a", action])
    assert vector.recv(timeout=0)[4]["env_id"].tolist() == []


@MODES
@BLOCKING
@given(order=st.lists(st.integers(0, 2), min_size=1, max_size=30))
@settings(max_examples=25, deadline=None)
def test_send_and_recv_give_the_same_as_step(
    mode: AutoresetMode, blocking: bool, order: list[int]
) -> None:
    """The order of `send` and `recv` does not change the results of a sub-environment."""
    kwargs: Any = {"autoreset_mode": mode}
    ready, locked = (
        TextVectorEnv([functools.partial(Failing, blocking=blocking)] * 3, **kwargs)
        for _ in range(2)
    )
    try:
        assert ready.reset(seed=4)[0] == locked.reset(seed=4)[0]
        for number, place in enumerate(order):
            actions: list[Any] = [None] * 3
            actions[place] = f"{number}"
            ended = ready._sub_envs[place].ended
            if ended and mode is AutoresetMode.DISABLED:
                mask = np.arange(3) == place
                options = {"reset_mask": mask}
                assert ready.reset(options=options)[0] == locked.reset(options=options)[0]
            if mode is AutoresetMode.NEXT_STEP and any(
                sub_env.ended for sub_env in ready._sub_envs
            ):
                continue  # whose next episode begins even where it idles
            ready.send([f"{number}"], [place])
            got, expected = ready.recv(), locked.step(actions)
            assert got[0][0] == expected[0][place]
            assert [plain(part)[0] for part in got[1:4]] == [part[place] for part in expected[1:4]]
            assert got[4]["task_id"][0] == expected[4]["task_id"][place]
    finally:
        ready.close()
        locked.close()


# Failures.


@BLOCKING
def test_a_failed_call_is_retried(make: Any, blocking: bool) -> None:
    vector = make(2, cls=Failing, blocking=blocking)
    vector.envs[1].reset_failures = 2
    begin(vector, 1, 1)
    vector.envs[0].step_failures = 2
    rewards = vector.step(["a", "b"])[1]
    assert rewards.tolist() == [0.01, 0.01]


@BLOCKING
@MODES
def test_after_a_raised_failure_the_step_can_be_repeated(
    make: Any, mode: AutoresetMode, blocking: bool
) -> None:
    vector = make(3, cls=Failing, blocking=blocking, autoreset_mode=mode)
    begin(vector, 2, 2, 2)
    vector.envs[1].step_failures = 3
    with pytest.raises(JudgeFailure, match="the judge is down") as raised:
        vector.step(["a", "b", "c"])
    assert raised.value.env_id == 1
    assert raised.value.__notes__ == ["in sub-environment 1, Failing"]
    for call in (
        lambda: vector.step(["a", "other", "c"]),
        lambda: vector.send(["b"], [1]),
        vector.recv,
        lambda: vector.reset(options={"reset_mask": [False, True, False]}),
    ):
        with pytest.raises(UsageError, match="step the same actions again, or reset all"):
            call()
    observations = vector.step(["a", "b", "c"])[0]
    assert [observation[1]["content"] for observation in observations] == ["a", "b", "c"]
    assert steps(vector) == [1, 1, 1]
    vector.step(["d", "e", "f"])


def test_several_failures_are_raised_one_after_another(make: Any) -> None:
    vector = make(3, cls=Failing, retries=0)
    begin(vector, 2, 2, 2)
    vector.envs[0].step_failures, vector.envs[2].step_failures = 1, 2
    for place in (0, 2):
        with pytest.raises(JudgeFailure) as raised:
            vector.step(["a", "b", "c"])
        assert raised.value.env_id == place
    vector.step(["a", "b", "c"])
    assert steps(vector) == [1, 1, 1]


def test_after_a_failed_step_all_can_be_reset(make: Any) -> None:
    vector = make(2, cls=Failing, retries=0)
    begin(vector, 2, 2)
    vector.envs[1].step_failures = 1
    with pytest.raises(JudgeFailure):
        vector.step(["a", "b"])
    begin(vector, 2, 2)
    assert [len(observation) for observation in vector.step(["x", "y"])[0]] == [3, 3]


def test_a_step_is_not_repeated_if_the_reset_after_it_failed(make: Any) -> None:
    vector = make(2, cls=Failing, retries=0)
    begin(vector, 1, 1)
    vector.envs[0].reset_failures = 1
    with pytest.raises(JudgeFailure, match="guest"):
        vector.step(["a", "b"])
    _, rewards, terminated, _, infos = vector.step(["a", "b"])
    assert (rewards.tolist(), terminated.tolist()) == ([0.01, 0.01], [True, True])
    assert [final[-1]["content"] for final in infos["final_obs"]] == ["a", "b"]
    assert steps(vector) == [1, 1]


def test_a_failed_reset_can_be_repeated(make: Any) -> None:
    vector = make(2, cls=Failing, retries=0)
    vector.envs[0].reset_failures = vector.envs[1].reset_failures = 1
    for _ in range(2):
        with pytest.raises(JudgeFailure):
            vector.reset(seed=1, options={"reset_mask": [True, True]})
        vector.envs[1].reset_failures = 1
    vector.envs[1].reset_failures = 0
    vector.reset(seed=1)


@BLOCKING
def test_recv_raises_a_failure_and_keeps_other_results(make: Any, blocking: bool) -> None:
    vector = make(3, cls=Failing, retries=0, blocking=blocking)
    begin(vector, 9, 9, 9)
    vector.envs[0].step_failures = vector.envs[2].step_failures = 1
    vector.send(["a", "b", "c"])
    failed = []
    for _ in range(2):
        with pytest.raises(JudgeFailure) as raised:
            vector.recv(batch_size=3)
        failed.append(raised.value.env_id)
    assert sorted(failed) == [0, 2]
    assert vector.recv()[4]["env_id"].tolist() == [1]
    vector.send(["a", "c"], [0, 2])
    assert sorted(vector.recv(2)[4]["env_id"].tolist()) == [0, 2]
    assert steps(vector) == [1, 1, 1]


@BLOCKING
@MODES
def test_nan_truncates_the_failed_episode_and_the_others_continue(
    make: Any, mode: AutoresetMode, blocking: bool
) -> None:
    vector = make(3, cls=Failing, blocking=blocking, autoreset_mode=mode, failures="nan", retries=1)
    begin(vector, 2, 1, 2)
    vector.envs[0].step_failures = 2
    observations, rewards, terminated, truncated, infos = vector.step(["a", "b", "c"])
    assert np.isnan(rewards).tolist() == [True, False, False]
    assert rewards.tolist()[1:] == [0.01, 0.0]
    assert (terminated.tolist(), truncated.tolist()) == ([False, True, False], [True, False, False])
    failure = {"boundary": "judge", "type": "JudgeFailure", "message": "the judge is down"}
    assert infos["_failure"].tolist() == [True, False, False]
    assert {name: infos["failure"][name][0] for name in failure} == failure
    if mode is AutoresetMode.SAME_STEP:
        assert infos["final_obs"][0][0]["content"] == "Say it 2 times."
        assert infos["final_info"]["failure"]["type"].tolist() == ["JudgeFailure", None, None]
        assert infos["final_info"]["_is_success"].tolist() == [False, True, False]
    else:
        assert observations[0][0]["content"] == "Say it 2 times."
    assert vector.envs[0].turn == 0
    assert "the judge is down" in infos["failure"]["traceback"][0]


def test_nan_is_the_reward_of_the_step_after_a_failed_reset(make: Any) -> None:
    vector = make(2, cls=Failing, failures="nan", retries=0)
    vector.envs[0].reset_failures = 1
    observations, infos = vector.reset(seed=1, options={"task": task(1)})
    assert observations[0] == []
    assert infos["failure"]["message"].tolist() == ["the guest did not start", None]
    _, rewards, terminated, truncated, infos = vector.step(["a", "b"])
    assert (np.isnan(rewards[0]), rewards[1]) == (True, 0.01)
    assert (terminated.tolist(), truncated.tolist()) == ([False, True], [True, False])
    assert steps(vector) == [0, 1]
    observations, _, _, _, infos = vector.step(["a", "b"])
    assert "failure" not in infos
    assert steps(vector) == [1, 2]


def test_a_reward_is_kept_if_only_the_next_reset_fails(make: Any) -> None:
    vector = make(1, cls=Failing, failures="nan", retries=0)
    begin(vector, 1)
    vector.envs[0].reset_failures = 1
    observations, rewards, _, _, infos = vector.step(["a"])
    assert (observations, rewards.tolist()) == (([],), [0.01])
    assert infos["failure"]["message"].tolist() == ["the guest did not start"]
    assert "failure" not in infos["final_info"]
    assert np.isnan(vector.step(["a"])[1]).all()


@pytest.mark.parametrize("error", [RewardError, KeyError, ZeroDivisionError])
def test_a_bug_is_not_retried_and_gives_no_reward(make: Any, error: type[Exception]) -> None:
    vector = make(2, cls=Failing, failures="nan", retries=5)
    begin(vector, 2, 2)
    vector.envs[0].error, vector.envs[0].step_failures = error, 1
    _, rewards, _, _, infos = vector.step(["a", "b"])
    assert np.isnan(rewards).tolist() == [True, False]
    assert infos["failure"]["boundary"][0] == "environment"


@pytest.mark.parametrize("failures", ["raise", "nan"])
def test_an_error_of_the_caller_is_always_raised(make: Any, failures: str) -> None:
    vector = make(2, cls=Failing, failures=failures, split="test")
    with pytest.raises(UsageError, match="has no task 500"):
        vector.reset(options={"index": [0, 500]})
    vector.reset(options={"index": [0, 499]})


def test_an_interrupted_step_can_be_finished(make: Any) -> None:
    vector = make(3, cls=Failing)
    begin(vector, 9, 9, 9)
    vector.envs[1].error, vector.envs[1].step_failures = KeyboardInterrupt, 1
    with pytest.raises(KeyboardInterrupt):
        vector.step(["a", "b", "c"])
    vector.step(["a", "b", "c"])
    assert steps(vector) == [1, 1, 1]


# Infos.


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1, 0.5], [1.0, 0.5]), (["a", {"b": 1}], ["a", {"b": 1}]), ([True, 2], [True, 2]),
     ([1, 2**70], [1, 2**70]), ([0.5, 2**53 + 1], [0.5, 2**53 + 1]),
     ([OrderedDict(a=1), {"a": 2}], {"a": [1, 2], "_a": [True, True]}),
     ([[1], [2, 3]], [[1], [2, 3]]), ([None, 1], [None, 1]),
     ([np.float32(0.5), 1], [0.5, 1.0]), ([True, False], [True, False]), ([[], []], [[], []]),
     ([{"a": 1}, {}], {"a": [1, 0], "_a": [True, False]}), (["a", "b"], ["a", "b"]),
     ([{}, {}], {})],
    ids=repr,
)  # fmt: skip
def test_infos_do_not_change_one_another(values: list[Any], expected: Any) -> None:
    infos = stack_infos([{"key": value} for value in values])
    assert plain(infos) == {"key": expected, "_key": [True, True]}


@pytest.mark.parametrize("shapes", [((2,), (2,)), ((2,), (3,))], ids=["even", "ragged"])
def test_arrays_in_infos_are_stacked(shapes: Any) -> None:
    values = [np.ones(shape) for shape in shapes]
    stacked = stack_infos([{"key": value} for value in values])["key"]
    assert [item.tolist() for item in stacked] == [value.tolist() for value in values]


def test_a_missing_info_is_masked_out() -> None:
    infos = stack_infos([None, {"a": 1}, {}])
    assert plain(infos) == {"a": [0, 1, 0], "_a": [False, True, False]}
