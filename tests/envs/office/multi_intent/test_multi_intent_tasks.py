"""MultiIntent: what is drawn can be done in one way alone, and is as the page says."""

from __future__ import annotations

import json

import pytest
from office_players import play_first_mail, play_multi_intent
from office_reader import amendments_in, requests_in

import textgym
from textgym.envs.office.multi_intent import MultiIntent
from textgym.envs.office.multi_intent.multi_intent_tasks import LEVELS, SHAPES
from textgym.messages import Message, assistant, assistant_calls

SOME = pytest.mark.parametrize("n", [20, pytest.param(500, marks=pytest.mark.soak)])
FEW = pytest.mark.parametrize("n", [10, pytest.param(100, marks=pytest.mark.soak)])
"""For tests that play a task once for each call of its solution, and more."""


def script(env: MultiIntent) -> list[Message]:
    """Return what the oracle says in the episode that has begun."""
    state, actions, ended = textgym.get_state(env), [], False
    while not ended:
        actions.append(env.solve())
        _, _, terminated, truncated, _ = env.step(actions[-1])
        ended = terminated or truncated
    textgym.set_state(env, state)
    return actions


def reward_of(env: MultiIntent, actions: list[Message]) -> float:
    state, reward = textgym.get_state(env), 0.0
    for action in actions:
        _, reward, terminated, truncated, _ = env.step(action)
        assert not truncated
        if terminated:
            break
    else:
        raise AssertionError("the episode has not ended")
    textgym.set_state(env, state)
    return reward


@SOME
@pytest.mark.parametrize("level", LEVELS)
def test_a_second_reader_solves_every_task(level: int, n: int) -> None:
    env = MultiIntent(level=level)
    lost = [index for index in range(n) if play_multi_intent(env, index) != 1]
    assert lost == []


@FEW
@pytest.mark.parametrize("level", LEVELS)
def test_a_call_left_out_or_changed_or_one_more_loses(level: int, n: int) -> None:
    env = MultiIntent(level=level)
    for index in range(n):
        env.reset(options={"index": index})
        actions = script(env)
        assert reward_of(env, actions) == 1
        mail = {"recipient": "kim@home.org", "subject": "Hi", "body": "Hi"}
        more = assistant_calls(("email_send_email", mail))
        assert reward_of(env, [*actions[:-1], more, actions[-1]]) == 0
        for place, action in enumerate(actions):
            changed = _changed(action)
            if changed is not None:
                assert reward_of(env, actions[:place] + actions[place + 1 :]) == 0
                assert reward_of(env, [*actions[:place], changed, *actions[place + 1 :]]) == 0


def _changed(action: Message) -> Message | None:
    """Return a call that changes something with another value; None for others."""
    for call in action.get("tool_calls") or ():
        name, given = call["function"]["name"], json.loads(str(call["function"]["arguments"]))
        for key in ("new_value", "recipient", "body", "participant_email", "assigned_to_email"):
            if key in given and not name.endswith("search_tasks"):
                is_day = given[key][:2] == "20"
                other = "2029-01-02 09:00:00" if is_day else f"7{given[key]}"
                return assistant_calls((name, {**given, key: other}))
    return None


def test_a_second_reader_solves_every_task_of_level_0() -> None:
    env = MultiIntent(level=0)
    assert [index for index in range(60) if play_first_mail(env, index) != 1] == []


def test_level_0_is_one_call_with_few_tools_and_nothing_else_wins() -> None:
    env = MultiIntent(level=0)
    for index in range(30):
        _, info = env.reset(options={"index": index})
        assert len(info["tools"]) == 3
        call, done = script(env)
        assert reward_of(env, [call, done]) == 1
        ((name, given),) = env.task.turns[0].calls
        assert name == "email_send_email"
        other = {**given, "body": given["subject"]}
        for actions in (
            [],
            [assistant_calls((name, other))],
            [call, assistant_calls((name, other))],
        ):
            assert reward_of(env, [*actions, done]) == 0


@SOME
@pytest.mark.parametrize("level", LEVELS)
def test_doing_everything_after_the_last_message_loses(level: int, n: int) -> None:
    env = MultiIntent(level=level)
    for index in range(n):
        env.reset(options={"index": index})
        turns = env.task.turns
        calls = [call for turn in turns for call in turn.calls]
        late = [assistant("Go on.")] * (len(turns) - 1)
        lost = reward_of(env, [*late, *map(assistant_calls, calls), assistant("Done.")]) == 0
        assert lost == any(turn.calls for turn in turns[:-1])


@SOME
@pytest.mark.parametrize("level", LEVELS)
def test_what_is_undone_is_no_change(level: int, n: int) -> None:
    """The calls of all turns lead to what the requests want in the end."""
    env = MultiIntent(level=level)
    for index in range(n):
        env.reset(options={"index": index})
        for action in script(env):
            *_, info = env.step(action)
        assert info["reward_components"] == {"intents": 1.0, "crosstalk": 0.0, "in_time": 1.0}


@pytest.mark.parametrize("n", [50, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("level", LEVELS)
def test_sizes_are_as_the_page_says(level: int, n: int) -> None:
    env, shape = MultiIntent(level=level), SHAPES[level]
    sizes = set()
    for row in (env.get_task(index).row for index in range(n)):
        amendments, references = 0, 0
        for turn in row["turns"]:
            rest, found = amendments_in(turn["text"])
            amendments += len(found)
            told = " ".join(value for r in requests_in(rest) for value in r.values.values())
            references += told.lower().count("the ")
        sizes.add((len(row["intents"]), len(row["turns"]), amendments))
        assert shape.references[0] <= references
    for place, (low, high) in enumerate(shape[:3]):
        assert {size[place] for size in sizes} == set(range(low, high + 1))
