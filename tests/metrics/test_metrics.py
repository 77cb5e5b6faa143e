"""The metrics of a run, against examples computed by hand and by brute force."""

from __future__ import annotations

import itertools
import json
import math
import random
import statistics
import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgym
from textgym.metrics.episode_table import EpisodeTable
from textgym.metrics.run_metrics import compute_metrics, run_metrics

ENV = "demo/A-v0"


def episode(reward: float | None = 1.0, task: int = 0, **more: Any) -> dict[str, Any]:
    """A trajectory with the keys that metrics read; without a reward, a failure of `boundary`."""
    answer, level = more.pop("answer", "B"), more.pop("level", None)
    category = more.pop("category", None)
    boundary = more.pop("boundary", "policy")
    failed = reward is None
    turns = more.pop("turns", 1)
    messages = [{"role": "user", "content": "How?"}]
    messages += [{"role": "assistant", "content": "So."}] * turns
    info = {"extracted_answer": answer, "level": level, "category": category}
    components = more.pop("components", {})
    return {
        "env_id": ENV,
        "task_id": f"test-{task}",
        "task_index": task,
        "repeat": 0,
        "reward": reward,
        "is_success": None if failed else reward == 1.0,
        "messages": messages,
        "steps": [
            {"message_index": 1 + n, "components": components if n + 1 == turns else {}}
            for n in range(turns)
        ],
        "seconds": 2.0,
        "truncated": False,
        "stop_reason": "answer",
        "usage": {"prompt_tokens": 10, "completion_tokens": 4},
        "splits": turns - 1,
        "info": {name: value for name, value in info.items() if value is not None},
        "failure": {"boundary": boundary} if failed else None,
    } | more


def repeated(*tasks: str, **more: Any) -> list[dict[str, Any]]:
    """Episodes of tasks, each a text: reward and answer of each repeat, or F for a failed one.

    `"1a0b0-F"` is a task with four repeats: reward 1 and answer a, reward 0 and answer b, reward 0
    and no answer, and a failure.
    """
    made = []
    for task, text in enumerate(tasks):
        parts = text.replace("F", "F?")
        for repeat, (reward, answer) in enumerate(zip(parts[::2], parts[1::2], strict=True)):
            given = None if reward == "F" else float(reward)
            said = "" if answer == "-" else answer
            made.append(episode(given, task, repeat=repeat, answer=said, **more))
    return made


def overall(*episodes: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = compute_metrics(episodes)["overall"]
    return found


def at_k(*tasks: str, **more: Any) -> dict[str, tuple[float, int]]:
    """The mean and the number of tasks of each metric."""
    found = overall(*repeated(*tasks, **more))["at_k"]
    return {name: (value["mean"], value["tasks"]) for name, value in found.items()}


# All metrics.


def test_all_metrics_of_no_episodes() -> None:
    figures = overall()
    counted = {name for name, value in figures.items() if value == 0}
    assert counted == {
        "episodes", "failures", "tasks", "repeats", "prompt_tokens", "completion_tokens",
        "splits",
    }  # fmt: skip
    assert {name for name, value in figures.items() if value == {}} == {
        "failures_by_boundary", "at_k", "components", "stop_reasons",
    }  # fmt: skip
    assert set(figures["lengths"].values()) == {None}
    rest = figures.keys() - counted - {"failures_by_boundary", "at_k", "components"}
    assert all(figures[name] is None for name in rest - {"stop_reasons", "lengths"})


def test_all_metrics_of_four_episodes() -> None:
    figures = overall(
        episode(1.0, 0, turns=1, seconds=1.0, components={"right": 1.0}),
        episode(0.0, 0, turns=3, seconds=2.0, answer="", stop_reason="max_turns", repeat=1,
                truncated=True, components={"right": 0.0, "short": 1.0}),
        episode(0.5, 1, turns=2, seconds=6.0, answer="C", usage={}),
        episode(None, 2, seconds=100.0, boundary="judge"),
    )  # fmt: skip
    assert figures == {
        "episodes": 4,
        "failures": 1,
        "failure_rate": 0.25,
        "failures_by_boundary": {"judge": 1},
        "tasks": 2,
        "repeats": 2,
        "mean_reward": 0.5,
        # residuals by task: 0.5 - 0.5, and 0
        "reward_error": 0.0,
        "mean_task_reward": 0.5,
        "task_reward_error": 0.0,
        "reward_variance": 0.25,
        "reward_variance_within": 0.5,
        "equal_reward_rate": 0.0,
        "success_rate": pytest.approx(1 / 3),
        # residuals by task: 2/3 - 1/3, and -1/3; sqrt(2/1 * 2/9) / 3
        "success_error": pytest.approx(2 / 9),
        "at_k": {
            # of the tasks: 1/2 and 0, whose deviation is sqrt(1/8)
            "pass@1": {"mean": 0.25, "error": pytest.approx(0.25), "tasks": 2},
            "pass@2": {"mean": 1.0, "error": None, "tasks": 1},
            "pass^2": {"mean": 0.0, "error": None, "tasks": 1},
            "pass@1[avg-of-2]": {"mean": 0.5, "error": None, "tasks": 1},
            "majority@2": {"mean": 1.0, "error": None, "tasks": 1},
        },
        "components": {"right": 0.5, "short": 1.0},
        "no_answer_rate": pytest.approx(1 / 3),
        "truncated_rate": pytest.approx(1 / 3),
        "mean_steps": 2.0,
        "mean_seconds": 3.0,
        "prompt_tokens": 20,
        "completion_tokens": 8,
        "mean_prompt_tokens": pytest.approx(20 / 3),
        "mean_completion_tokens": pytest.approx(8 / 3),
        "splits": 3,
        "lengths": {
            "steps": pytest.approx({"mean": 2, "median": 2, "p95": 2.9, "max": 3}),
            "completion_chars": pytest.approx({"mean": 6, "median": 6, "p95": 8.7, "max": 9}),
            "completion_tokens": {"mean": 4, "median": 4, "p95": 4, "max": 4},
            "conversation_chars": pytest.approx({"mean": 10, "median": 10, "p95": 12.7, "max": 13}),
            "seconds": pytest.approx({"mean": 3, "median": 2, "p95": 5.6, "max": 6}),
        },
        "stop_reasons": {"answer": 2, "max_turns": 1},
    }


def test_metrics_of_a_rollout_are_those_of_its_trajectories() -> None:
    run = textgym.rollout("textgym/MCQA-v0", "random", episodes=20, repeats=3)
    assert run.metrics == {**compute_metrics(run.trajectories()), "planned_episodes": 60}
    assert json.loads(json.dumps(run.metrics, allow_nan=False)) == run.metrics
    mine = run.metrics["envs"]["textgym/MCQA-v0"]
    assert set(mine["levels"]) <= set("12345")
    assert sum(figures["episodes"] for figures in mine["levels"].values()) == 60
    assert sum(figures["tasks"] for figures in mine["categories"].values()) == 20
    assert set(mine["components"]) == {"answered", "correct"}


def test_episodes_can_be_added_after_metrics_were_computed() -> None:
    table = EpisodeTable()
    table.add(episode(1.0))
    assert run_metrics(table)["overall"]["mean_reward"] == 1.0
    table.add(episode(0.0, 1))
    table.add(episode(None, 2, boundary="judge"))
    assert run_metrics(table)["overall"]["mean_reward"] == 0.5
    assert run_metrics(table)["overall"]["failures_by_boundary"] == {"judge": 1}
    assert table.num_episodes == 3


def test_an_episode_that_cannot_be_added_leaves_the_table_as_it_was() -> None:
    table = EpisodeTable()
    table.add(episode(1.0))
    before = run_metrics(table)
    with pytest.raises(TypeError):
        table.add(episode(1.0, 1, seconds="long"))
    assert run_metrics(table) == before


def test_an_episode_takes_less_than_300_bytes_in_the_table() -> None:
    table = EpisodeTable()
    one = episode(1.0, components={"right": 1.0})
    table.add(one)
    tracemalloc.start()
    try:
        for task in range(5000):
            table.add({**one, "task_index": task, "task_id": str(task)})
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held / 5000 < 300  # bytes


# Groups.


def test_metrics_are_given_for_each_environment_and_overall() -> None:
    metrics = compute_metrics(
        [episode(1.0, env_id="b"), episode(0.0, env_id="a"), episode(None, env_id="b", repeat=1)]
    )
    assert list(metrics["envs"]) == ["a", "b"]
    means = {name: figures["mean_reward"] for name, figures in metrics["envs"].items()}
    assert means == {"a": 0.0, "b": 1.0}
    assert {name: f["failures"] for name, f in metrics["envs"].items()} == {"a": 0, "b": 1}
    assert (metrics["overall"]["episodes"], metrics["overall"]["mean_reward"]) == (3, 0.5)


def test_a_run_without_episodes_has_no_environments() -> None:
    expected = {"planned_episodes": None, "overall": overall(), "envs": {}}
    assert run_metrics(EpisodeTable()) == expected


def test_the_same_index_of_two_environments_is_two_tasks() -> None:
    figures = overall(episode(1.0, env_id="demo/A-v0"), episode(0.0, env_id="demo/B-v0"))
    # sums of residuals 0.5 and -0.5: sqrt(2/1 * 0.5) / 2
    assert (figures["tasks"], figures["reward_error"]) == (2, 0.5)


def test_levels_and_categories_have_all_metrics_of_their_own_episodes() -> None:
    tasks = [
        episode(1.0, 0, level="2", category="sums"),
        episode(0.0, 1, level="10", category="sums"),
        episode(0.0, 2, level="2", category="dates", stop_reason="time"),
        episode(0.5, 3),
    ]
    mine = compute_metrics(tasks)["envs"][ENV]
    assert list(mine["levels"]) == ["2", "10"]  # by size, not by letters
    assert list(mine["categories"]) == ["dates", "sums"]
    assert mine["levels"]["2"] == overall(tasks[0], tasks[2])
    assert mine["categories"]["sums"] == overall(tasks[0], tasks[1])
    assert mine["episodes"] == 4


def test_tasks_without_level_and_category_have_no_groups() -> None:
    mine = compute_metrics([episode()])["envs"][ENV]
    assert (mine["levels"], mine["categories"]) == ({}, {})


def test_a_level_that_is_a_number_becomes_a_text() -> None:
    assert list(compute_metrics([episode(level=3)])["envs"][ENV]["levels"]) == ["3"]


def test_a_failed_episode_has_the_level_of_its_task() -> None:
    played = [episode(1.0, 0, level="1"), episode(None, 0, repeat=1), episode(None, 1, repeat=1)]
    for order in itertools.permutations(played):
        level = compute_metrics(order)["envs"][ENV]["levels"]["1"]
        assert (level["episodes"], level["failures"]) == (2, 1)


# Rewards.


def test_one_task_has_a_mean_and_no_error() -> None:
    figures = overall(episode(1.0), episode(0.0, repeat=1))
    assert (figures["mean_reward"], figures["reward_error"]) == (0.5, None)


def test_repeats_of_a_task_are_one_cluster() -> None:
    figures = overall(*repeated("1a1a", "0b0b"))
    # sums of residuals 1 and -1: sqrt(2/1 * 2) / 4
    assert (figures["reward_error"], figures["success_error"], figures["tasks"]) == (0.5, 0.5, 2)


def test_variance_within_a_task_ignores_tasks_without_repeats() -> None:
    figures = overall(*repeated("1a0b", "1a1a", "0a"))
    # variances 1/2 and 0; the last task says nothing
    assert figures["reward_variance_within"] == 0.25
    assert figures["equal_reward_rate"] == 0.5
    alone = overall(*repeated("1a", "0a"))
    assert (alone["reward_variance_within"], alone["equal_reward_rate"]) == (None, None)


def test_equal_rewards_are_equal_even_if_their_mean_is_rounded() -> None:
    figures = overall(*[episode(0.1, 0, repeat=n) for n in range(3)])
    assert figures["equal_reward_rate"] == 1.0


def test_success_is_not_taken_from_the_reward() -> None:
    assert overall(episode(0.2, is_success=True))["success_rate"] == 1.0


def test_components_are_summed_over_the_steps_of_an_episode() -> None:
    one = episode(turns=2)
    one["steps"][0] = {"message_index": 1, "components": {"right": 5.0}}
    one["steps"][1] = {"message_index": 2, "components": {"right": 1.0, "brief": 0.5}}
    assert overall(one, episode(task=1))["components"] == {"brief": 0.5, "right": 6.0}


@pytest.mark.parametrize("odd", [None, [], {"a": None}, {"a": "1"}, {"a": math.nan}])
def test_components_that_are_not_numbers_are_ignored(odd: Any) -> None:
    assert overall(episode(components=odd))["components"] == {}


def test_an_episode_without_a_step_is_counted() -> None:
    figures = overall(episode(0.0, turns=0, stop_reason="context", truncated=True))
    assert (figures["mean_steps"], figures["truncated_rate"]) == (0.0, 1.0)
    assert figures["stop_reasons"] == {"context": 1}


# pass@k, averages and majority votes.


def test_a_single_repeat_has_only_pass_at_1() -> None:
    assert at_k("1a", "0b") == {"pass@1": (0.5, 2)}


def test_k_are_the_powers_of_two_and_the_number_of_repeats() -> None:
    found = at_k("1a" * 6)
    assert [name for name in found if name.startswith("pass@") and "[" not in name] == [
        "pass@1", "pass@2", "pass@4", "pass@6",
    ]  # fmt: skip


def test_all_values_of_two_tasks_with_three_repeats() -> None:
    assert at_k("1a0b0b", "0c1a1a") == {
        "pass@1": (pytest.approx((1 / 3 + 2 / 3) / 2), 2),
        "pass@2": (pytest.approx((2 / 3 + 1) / 2), 2),
        "pass^2": (pytest.approx((0 + 1 / 3) / 2), 2),
        "pass@1[avg-of-2]": (0.5, 2),
        "majority@2": (0.5, 2),  # a tie of right and wrong in both
        "pass@3": (1.0, 2),
        "pass^3": (0.0, 2),
        "pass@1[avg-of-3]": (0.5, 2),
        "majority@3": (0.5, 2),  # b, wrong, wins the first; a, right, the second
    }


def test_a_task_with_fewer_graded_episodes_is_left_out_of_a_larger_k() -> None:
    found = at_k("1aF0b", "0b0b0b")
    assert found["pass@1"] == (0.25, 2)
    assert found["pass@2"] == (0.5, 2)
    assert found["pass@3"] == (0.0, 1)
    assert found["pass@1[avg-of-3]"] == (0.0, 1)


def test_failed_episodes_do_not_count_as_unsolved() -> None:
    assert at_k("1aFF") == at_k("1a")


def test_the_first_k_are_those_of_the_lowest_repeats() -> None:
    first, second, third = repeated("1a0b0b")
    for order in itertools.permutations([first, second, third]):
        found = overall(*order)["at_k"]
        assert found["pass@1[avg-of-2]"]["mean"] == 0.5
    late = [{**first, "repeat": 9}, second, third]
    assert overall(*late)["at_k"]["pass@1[avg-of-2]"]["mean"] == 0.0


def test_episodes_without_an_answer_do_not_vote() -> None:
    assert at_k("1a0-0-")["majority@3"] == (1.0, 1)


def test_a_task_without_votes_has_success_0() -> None:
    assert at_k("1a1a", "0-0-")["majority@2"] == (0.5, 2)


def test_environments_without_extracted_answers_have_no_majority() -> None:
    found = overall(*[episode(1.0, repeat=n, answer=None) for n in range(2)])["at_k"]
    assert set(found) == {"pass@1", "pass@2", "pass^2", "pass@1[avg-of-2]"}


def test_an_episode_without_answer_of_an_environment_with_answers_does_not_vote() -> None:
    cut = [episode(0.0, 1, repeat=n, answer=None) for n in range(2)]
    found = overall(*repeated("1a1a"), *cut)["at_k"]["majority@2"]
    assert (found["mean"], found["tasks"]) == (0.5, 2)


def test_overall_majority_ignores_environments_without_answers() -> None:
    other = [episode(0.0, env_id="demo/B-v0", repeat=n, answer=None) for n in range(2)]
    found = overall(*repeated("1a1a"), *other)["at_k"]
    assert (found["majority@2"]["mean"], found["majority@2"]["tasks"]) == (1.0, 1)
    assert (found["pass@2"]["mean"], found["pass@2"]["tasks"]) == (0.5, 2)


def test_the_error_of_pass_at_k_is_the_standard_error_over_tasks() -> None:
    found = overall(*repeated("1a1a", "0b0b", "1a0b"))["at_k"]
    assert found["pass@1"]["error"] == pytest.approx(statistics.stdev([1, 0, 0.5]) / 3**0.5)
    assert found["pass@2"]["error"] == pytest.approx(statistics.stdev([1, 0, 1]) / 3**0.5)


# Lengths, answers, stop reasons, failures.


def test_completion_chars_count_all_that_the_policy_wrote_and_nothing_else() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "add", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "12345"},
                                     {"type": "image_url", "image_url": {"url": "data:..."}}]},
        {"role": "assistant", "content": "an example"},
        {"role": "user", "content": "1"},
        {"role": "assistant", "content": None, "reasoning_content": "Hm", "tool_calls": [call]},
        {"role": "tool", "content": "3", "tool_call_id": "call_1"},
        {"role": "assistant", "content": [{"type": "text", "text": "3!"}]},
    ]  # fmt: skip
    steps = [{"message_index": 3, "components": {}}, {"message_index": 5, "components": {}}]
    lengths = overall(episode(messages=messages, steps=steps))["lengths"]
    assert lengths["completion_chars"]["max"] == len("Hm" + "add" + "{}" + "3!")
    assert lengths["conversation_chars"]["max"] == 5 + 10 + 1 + 7 + 1 + 2


def test_a_policy_that_reports_no_tokens_has_used_0() -> None:
    figures = overall(episode(usage={}))
    assert (figures["prompt_tokens"], figures["completion_tokens"]) == (0, 0)
    assert figures["mean_completion_tokens"] == 0.0
    assert figures["lengths"]["completion_tokens"] is None


@pytest.mark.parametrize(
    ("id", "is_known"), [("textgym/MCQA-v0", True), ("textgym/SessionState-v0", False)]
)
def test_an_environment_graded_by_state_has_no_no_answer_rate(id: str, is_known: bool) -> None:
    figures = textgym.rollout(id, "random", episodes=4).metrics["overall"]
    assert (figures["no_answer_rate"] is not None) is is_known


def test_an_environment_without_extracted_answers_has_no_no_answer_rate() -> None:
    assert overall(episode(answer=None))["no_answer_rate"] is None


def test_the_no_answer_rate_ignores_episodes_that_report_no_answer() -> None:
    figures = overall(episode(answer=None), episode(answer=""), episode(answer="B"))
    assert figures["no_answer_rate"] == 0.5


def test_stop_reasons_are_sorted_by_name() -> None:
    figures = overall(
        *[episode(stop_reason=name) for name in ("time", "answer", "context", "time")]
    )
    assert list(figures["stop_reasons"].items()) == [("answer", 1), ("context", 1), ("time", 2)]


def test_failures_change_no_other_metric() -> None:
    good = [episode(1.0, 0), episode(0.0, 1, answer="")]
    bad = [
        episode(None, task, turns=9, seconds=1e6, stop_reason="x", usage={"prompt_tokens": 99},
                components={"right": 7.0})
        for task in range(5)
    ]  # fmt: skip
    counted = ("episodes", "failures", "failure_rate", "failures_by_boundary")
    without, within = overall(*good), overall(*good, *bad)
    assert {k: v for k, v in without.items() if k not in counted} == {
        k: v for k, v in within.items() if k not in counted
    }
    assert [within[name] for name in counted] == [7, 5, pytest.approx(5 / 7), {"policy": 5}]


def test_a_run_of_failures_has_no_means() -> None:
    figures = overall(episode(None), episode(None, boundary="environment"))
    assert (figures["failure_rate"], figures["mean_reward"], figures["tasks"]) == (1.0, None, 0)
    assert figures["failures_by_boundary"] == {"environment": 1, "policy": 1}


# Properties of any run.


@st.composite
def runs(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Episodes of a few tasks of two environments; some failed."""
    keys = st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 3), st.integers(0, 4))
    return [
        episode(
            draw(st.none() | st.sampled_from([0.0, 1.0, 0.3, -0.7])),
            task,
            env_id=env,
            repeat=repeat,
            turns=draw(st.integers(0, 3)),
            stop_reason=draw(st.sampled_from(["answer", "max_turns", "context"])),
            answer=draw(st.sampled_from([None, "", "B", "C"])),
            level=str(task % 2) if draw(st.booleans()) else None,
            category=draw(st.sampled_from([None, "sums"])) if env == "a" else None,
            components=draw(st.sampled_from([{}, {"x": 0.1}, {"x": 0.7, "y": 1.0}])),
        )
        for env, task, repeat in draw(st.lists(keys, max_size=20, unique=True))
    ]


def rounded(metrics: Any) -> Any:
    """Metrics to compare up to rounding: the order of a sum of floats changes its last digits."""
    if isinstance(metrics, dict):
        return {key: rounded(value) for key, value in metrics.items()}
    return pytest.approx(metrics, abs=1e-9) if isinstance(metrics, float) else metrics


@settings(deadline=None, max_examples=50)  # each of several episodes
@given(runs(), st.randoms(use_true_random=False))
def test_the_order_of_episodes_does_not_change_metrics(
    played: list[dict[str, Any]], rng: random.Random
) -> None:
    shuffled = rng.sample(played, len(played))
    assert compute_metrics(shuffled) == rounded(compute_metrics(played))


@settings(deadline=None, max_examples=50)
@given(runs())
def test_metrics_stay_in_their_ranges(played: list[dict[str, Any]]) -> None:
    metrics = compute_metrics(played)
    json.dumps(metrics, allow_nan=False)
    figures = metrics["overall"]
    parts = [figures, *metrics["envs"].values()]
    for mine in metrics["envs"].values():
        parts += [*mine["levels"].values(), *mine["categories"].values()]
    for part in parts:
        rates = [value for name, value in part.items() if name.endswith("_rate")]
        rates += [value["mean"] for value in part["at_k"].values()]
        assert all(rate is None or 0 <= rate <= 1 + 1e-12 for rate in rates)
        errors = [value["error"] for value in part["at_k"].values()]
        errors += [part["reward_error"], part["success_error"], part["reward_variance"]]
        assert all(error is None or error >= 0 for error in errors)
        assert all(0 < value["tasks"] <= part["tasks"] for value in part["at_k"].values())
        assert sum(part["stop_reasons"].values()) == part["episodes"] - part["failures"]
        for length in filter(None, part["lengths"].values()):
            assert 0 <= length["median"] <= length["p95"] <= length["max"]
    for name in ("episodes", "failures", "tasks", "completion_tokens"):
        assert sum(mine[name] for mine in metrics["envs"].values()) == figures[name]


@settings(deadline=None)
@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=6))
def test_pass_at_k_grows_and_pass_hat_k_falls_with_k(
    rewards: list[list[bool]],
) -> None:
    played = [
        episode(float(reward), task, repeat=repeat)
        for task, mine in enumerate(rewards)
        for repeat, reward in enumerate(mine)
    ]
    figures = overall(*played)
    found = figures["at_k"]
    passes = [found[f"pass@{k}"]["mean"] for k in (1, 2, 4)]
    assert passes == sorted(passes)
    assert passes[0] == pytest.approx(figures["success_rate"])
    assert found["pass@1[avg-of-4]"]["mean"] == pytest.approx(passes[0])
    assert found["pass@1"]["error"] == pytest.approx(figures["success_error"], abs=1e-12)
    assert passes[-1] == pytest.approx(statistics.fmean(map(any, rewards)))
    all_of = [passes[0], *(found[f"pass^{k}"]["mean"] for k in (2, 4))]
    assert all_of == sorted(all_of, reverse=True)
    assert all_of[-1] == pytest.approx(statistics.fmean(map(all, rewards)))


@settings(deadline=None)
@given(st.lists(st.text("abc-", min_size=3, max_size=3), min_size=1, max_size=5))
def test_majority_is_that_of_counting_votes_by_hand(tasks: list[str]) -> None:
    """The right answer of every task is a."""
    played = repeated(*["".join(f"{letter == 'a':d}{letter}" for letter in task) for task in tasks])
    expected = []
    for task in tasks:
        votes = {letter: task.count(letter) for letter in set(task) - {"-"}}
        winners = [letter for letter in votes if votes[letter] == max(votes.values())]
        expected.append(winners.count("a") / len(winners) if winners else 0.0)
    found = overall(*played)["at_k"].get("majority@3")
    assert found["mean"] == pytest.approx(statistics.fmean(expected))


def test_a_table_of_parts_has_the_metrics_of_one_table() -> None:
    envs = {"textgym/MCQA-v0": 1.0, "textgym/GuessNumber-v0": 1.0}
    run = textgym.rollout(envs, "random", episodes=24, repeats=2)
    trajectories = list(run.trajectories())
    failure: Any = {"boundary": "judge", "type": "JudgeFailure", "message": "", "traceback": ""}
    trajectories[5] |= {"failure": failure, "reward": None, "is_success": None}
    one, whole = EpisodeTable(), EpisodeTable()
    by_level: dict[Any, EpisodeTable] = {}
    for trajectory in trajectories:
        one.add(trajectory)
        by_level.setdefault(trajectory["info"].get("level"), EpisodeTable()).add(trajectory)
    for part in reversed(by_level.values()):
        whole.extend(*part.parts())
    assert len(by_level) > 2
    assert whole.num_episodes == one.num_episodes == 48
    assert run_metrics(whole, 48) == run_metrics(one, 48)
