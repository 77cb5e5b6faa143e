"""MultiIntent: when each change is made, and what the messages do not give away."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import pytest

import textgym
from textgym.envs.office.multi_intent import MultiIntent
from textgym.envs.office.multi_intent.multi_intent_tasks import LEVELS
from textgym.messages import Message, assistant, assistant_calls

SOME = pytest.mark.parametrize("n", [10, pytest.param(500, marks=pytest.mark.soak)])


def reward_of(env: MultiIntent, actions: list[Message]) -> float:
    state, reward = textgym.get_state(env), 0.0
    for action in actions:
        _, reward, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            break
    textgym.set_state(env, state)
    return reward


@SOME
@pytest.mark.parametrize("level", [level for level in LEVELS if level > 2])
def test_a_change_made_a_message_too_late_or_too_early_loses(level: int, n: int) -> None:
    env = MultiIntent(level=level)
    for index in range(n):
        env.reset(options={"index": index})
        turns = [[*map(assistant_calls, turn.calls)] for turn in env.task.turns]
        done = assistant("Done.")
        assert reward_of(env, [action for turn in turns for action in [*turn, done]]) == 1
        for place, (turn, following) in enumerate(pairwise(turns)):
            moved = []
            if turn:
                moved.append((turn[:-1], [turn[-1], *following]))
            if following:
                moved.append(([*turn, following[0]], following[1:]))
            for pair in moved:
                others = [*turns[:place], *pair, *turns[place + 2 :]]
                assert reward_of(env, [a for some in others for a in [*some, done]]) == 0


@SOME
@pytest.mark.parametrize("level", LEVELS)
def test_the_calls_of_a_message_can_be_made_in_any_order(level: int, n: int) -> None:
    """Each request has changes of its own, unless an amendment needs the id of a new row."""
    env = MultiIntent(level=level)
    for index in range(n):
        env.reset(options={"index": index})
        actions: list[Message] = []
        for turn in env.task.turns:
            actions += [assistant_calls(*reversed(turn.calls))] if turn.calls else []
            actions.append(assistant("Done."))
        assert reward_of(env, actions) == 1


@pytest.mark.parametrize("level", LEVELS)
def test_all_calls_made_twice_lose(level: int) -> None:
    """Except where only rows are updated, which is the same when it is done again."""
    env = MultiIntent(level=level)
    results: dict[bool, set[float]] = defaultdict(set)
    for index in range(40):
        env.reset(options={"index": index})
        calls = [turn.calls for turn in env.task.turns]
        only_updates = all("_update_" in call[0] for turn in calls for call in turn)
        actions = [
            action
            for turn in calls
            for action in [*map(assistant_calls, [*turn, *turn]), assistant("Done.")]
        ]
        results[only_updates].add(reward_of(env, actions))
    assert results[False] == {0.0}
    assert results[True] <= {1.0}


@pytest.mark.slow
@pytest.mark.parametrize("level", [level for level in LEVELS if level > 2])
def test_the_number_of_words_does_not_tell_what_is_amended(level: int) -> None:
    """First messages of which nothing is amended later are as long as the others."""
    env = MultiIntent(level=level)
    lengths: dict[bool, list[int]] = defaultdict(list)
    for index in range(600):
        turns = env.get_task(index).row["turns"]
        amended = any("_delete_" in call["name"] for turn in turns[1:] for call in turn["calls"])
        lengths[amended].append(len(turns[0]["text"]))
    means = {amended: sum(some) / len(some) for amended, some in lengths.items()}
    everything = sorted(length for some in lengths.values() for length in some)
    spread = everything[int(0.9 * len(everything))] - everything[int(0.1 * len(everything))]
    assert abs(means[True] - means[False]) < 0.35 * spread


def test_a_model_that_ends_every_message_with_an_offer_is_not_asking() -> None:
    env = MultiIntent(level=5)
    env.reset(options={"index": 0})
    for turn in env.task.turns:
        for call in turn.calls:
            env.step(assistant_calls(call))
        *_, terminated, _, info = env.step("Done! Is there anything else that I can do for you?")
    assert terminated
    assert info["is_success"]
