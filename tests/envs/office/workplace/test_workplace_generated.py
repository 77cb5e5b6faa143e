"""Generated tasks as they are played: what the oracle gets, and what others do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from office_players import play_first_mail

from textgym.checks.episodes import Scripted, oracle, play, say
from textgym.core.text_env import TextEnv
from textgym.envs.office.company.world import world
from textgym.envs.office.workplace import WorkplaceAssistant
from textgym.envs.office.workplace.templates import LEVELS
from textgym.errors import UsageError
from textgym.messages import Message, assistant, assistant_calls
from textgym.tasks.task import split_of

TASKS = 60
SPLITS = ("train", "validation", "test")


def untouched(row: dict[str, Any], table: str, column: str) -> str:
    """The id of a row that the reference has nothing to do with."""
    named = str(row["ground_truth"])
    return next(item[column] for item in world(row["world"])[table] if item[column] not in named)


def someone(row: dict[str, Any], table: str = "project_tasks") -> str:
    return world(row["world"])[table][0]["assigned_to_email"]


Extra = Callable[[dict[str, Any]], tuple[str, dict[str, str]]]
EXTRAS: dict[str, Extra] = {
    "a mail": lambda row: (
        "email_send_email",
        {"recipient": someone(row), "subject": "By the way", "body": "All done."},
    ),
    "a deleted mail": lambda row: (
        "email_delete_email",
        {"email_id": untouched(row, "emails", "email_id")},
    ),
    "a meeting": lambda row: (
        "calendar_create_event",
        {
            "event_name": "Extra",
            "participant_email": someone(row),
            "event_start": "2028-01-03 10:00:00",
            "duration": "30",
        },
    ),
    "a renamed meeting": lambda row: (
        "calendar_update_event",
        {
            "event_id": untouched(row, "calendar_events", "event_id"),
            "field": "event_name",
            "new_value": "Extra",
        },
    ),
    "a plot": lambda row: (
        "analytics_create_plot",
        {
            "time_min": "2020-01-01",
            "time_max": "2020-01-02",
            "value_to_plot": "total_visits",
            "plot_type": "bar",
        },
    ),
    "a deleted task": lambda row: (
        "project_management_delete_task",
        {"task_id": untouched(row, "project_tasks", "task_id")},
    ),
    "a customer": lambda row: (
        "customer_relationship_manager_add_customer",
        {
            "customer_name": "Extra",
            "assigned_to_email": someone(row, "customers"),
            "status": "Lead",
        },
    ),
    "a deleted customer": lambda row: (
        "customer_relationship_manager_delete_customer",
        {"customer_id": untouched(row, "customers", "customer_id")},
    ),
}


def reference_of(env: TextEnv[Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(call["name"], call["arguments"]) for call in env.task.row["ground_truth"]]


@pytest.mark.parametrize("level", [0, *LEVELS])
def test_the_oracle_is_right_and_silence_only_where_nothing_is_asked_for(level: int) -> None:
    env = WorkplaceAssistant(level=level)
    for index in range(TASKS):
        assert play(env, oracle(env), index=index).total == 1
        assert play(env, say(""), index=index).total == bool(env.task.row.get("no_op"))


def test_a_second_reader_solves_every_task_of_level_0() -> None:
    env = WorkplaceAssistant(level=0)
    assert [index for index in range(TASKS) if play_first_mail(env, index) != 1] == []


def test_level_0_is_one_call_with_few_tools_and_nothing_else_wins() -> None:
    env = WorkplaceAssistant(level=0)
    for index in range(30):
        env.reset(options={"index": index})
        ((name, given),) = reference_of(env)
        other = {**given, "body": given["subject"]}
        assert name == "email_send_email"
        assert name in [schema["function"]["name"] for schema in env.task.tools or ()]
        assert len(env.task.tools or ()) == 3
        for calls in ([(name, other)], [(name, given), (name, other)]):
            env.reset(options={"index": index})
            env.step(assistant_calls(*calls))
            assert env.step("It is done.")[1] == 0


def test_level_0_keeps_to_the_toolkits() -> None:
    env = WorkplaceAssistant(level=0, toolkits=["email"])
    offered = [schema["function"]["name"] for schema in env.get_task(0).tools or ()]
    assert offered == ["email_delete_email", "email_send_email"]
    with pytest.raises(UsageError, match="no generated task of level 0"):
        WorkplaceAssistant(level=0, toolkits=["analytics"]).get_task(0)


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_reference_and_one_more_change_is_wrong(extra: str) -> None:
    env = WorkplaceAssistant()

    def overdo(view: Scripted) -> Message:
        if view.turn:
            return assistant("Done.")
        return assistant_calls(*reference_of(env), EXTRAS[extra](env.task.row))

    for index in range(TASKS):
        episode = play(env, Scripted(overdo), index=index)
        assert episode.total == 0, env.task.row
        assert episode.info["reward_components"]["side_effects"] == 1


def test_the_reference_without_one_call_is_wrong() -> None:
    env = WorkplaceAssistant()

    def stop_short(view: Scripted) -> Message:
        calls = reference_of(env)[:-1]
        return assistant_calls(*calls) if calls and not view.turn else assistant("Done.")

    for index in range(TASKS):
        if env.get_task(index).row["ground_truth"]:
            assert play(env, Scripted(stop_short), index=index).total == 0, env.task.row


def test_the_reference_alone_is_right() -> None:
    """What the oracle looks up changes nothing."""
    env = WorkplaceAssistant()

    def write_only(view: Scripted) -> Message:
        calls = reference_of(env)
        return assistant_calls(*calls) if calls and not view.turn else assistant("Done.")

    for index in range(TASKS):
        assert play(env, Scripted(write_only), index=index).total == 1, env.task.row


@pytest.mark.parametrize("worlds", [1, 16, None])
def test_no_company_is_in_two_splits(worlds: int | None) -> None:
    for split in SPLITS:
        env = WorkplaceAssistant(split=split, worlds=worlds)
        seeds = {env.get_task(index).row["world"] for index in range(30)}
        assert {split_of({"world": seed}) for seed in seeds} == {split}
        assert len(seeds) == 30 if worlds is None else 1 <= len(seeds) <= worlds


@pytest.mark.parametrize("worlds", [0, -1, 1.5, "all", True])
def test_worlds_is_a_number(worlds: Any) -> None:
    with pytest.raises(UsageError, match="worlds must be an integer"):
        WorkplaceAssistant(worlds=worlds)


def test_the_longest_tasks_take_a_dozen_changes() -> None:
    env = WorkplaceAssistant(level=5)
    writes = [len(env.get_task(index).row["ground_truth"]) for index in range(300)]
    assert max(writes) == 12
    assert sum(writes) / len(writes) > 4


def test_tasks_without_effect_are_rare() -> None:
    env = WorkplaceAssistant()
    tagged = [bool(env.get_task(index).row.get("no_op")) for index in range(600)]
    assert 0.005 < sum(tagged) / len(tagged) < 0.05
