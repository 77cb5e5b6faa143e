"""What `partial_credit=True` pays: never more than is done, whatever is called, done and undone."""

from __future__ import annotations

import json
import math
import random
from functools import cache
from typing import Any

import gymnasium
import pytest
from audit_runs import IN_PROCESS, STARTS_PROCESSES
from blind_policies import play
from credit_attacks import ATTACKS, any_calls
from hypothesis import given, settings
from hypothesis import strategies as st
from more_credit_attacks import MORE_ATTACKS

import textgym
from textgym.checks import FAST_CHECKS, make_subject, run_checks
from textgym.core.partial_credit import PartialCreditEnv
from textgym.envs.function_call.guesses import guessed_call
from textgym.envs.office.requests import OFFICE_SLOTS
from textgym.messages import assistant_calls, text_of
from textgym.registry import environment_class

ALL_ATTACKS = {**ATTACKS, **MORE_ATTACKS}
IDS_OF_ENVS = tuple(ALL_ATTACKS)
COSTLY_ENVS = {"textgym/AskFirst-v0", "textgym/MultiIntent-v0"}  # many policies, and large offices
IN_TEST_REST = COSTLY_ENVS | {"textgym/Search-v0", "textgym/WorkplaceAssistant-v0"}
# The episodes of a policy, of a costly one, and the allowed standard errors.
SIZES = [
    pytest.param(id, *sizes, marks=[pytest.mark.slow] * is_slow)
    for sizes, is_slow in (((20, 6, 4), False), ((100, 40, 1), True))
    for id in IDS_OF_ENVS
    if is_slow or id not in IN_TEST_REST
]
COSTLY_POLICIES = {"opens numbers in order", "opens everything"}  # up to 1,280 documents
MOST = {  # the highest mean return of a blind policy, as on the environment's page
    "textgym/AskFirst-v0": 0.1,
    "textgym/Contingency-v0": 0.02,
    "textgym/FunctionCall-v0": 0.13,  # 0.096 on average; more of these tasks have no fitting tool
    "textgym/MultiIntent-v0": 0.001,
    "textgym/MultiStep-v0": 0.10,
    "textgym/Search-v0": 0.06,
    "textgym/SessionState-v0": 0.05,
    "textgym/SingleToolCall-v0": 0.21,
    "textgym/StructuredOutput-v0": 0.005,
    "textgym/WorkplaceAssistant-v0": 0.03,
}
ADDED = {  # at most, to the mean return of a blind policy without partial credit
    "textgym/AskFirst-v0": 0.035,
    "textgym/Contingency-v0": 0.02,
    "textgym/FunctionCall-v0": 0.001,
    "textgym/MultiIntent-v0": 0.001,
    "textgym/MultiStep-v0": 0.08,
    "textgym/Search-v0": 0.06,
    "textgym/SessionState-v0": 0.05,
    "textgym/SingleToolCall-v0": 0.125,
    "textgym/StructuredOutput-v0": 0.005,
    "textgym/WorkplaceAssistant-v0": 0.002,
}
NOTHING = {  # the policies that do everything, or what does nothing, and get nothing
    "textgym/AskFirst-v0": (
        "asks for everything",
        "asks for everything, one by one",
        "asks forever",
        "fifty calls",
        "deletes all likely rows",
        "every update",
    ),
    "textgym/Contingency-v0": ("straight calls without reading",),
    "textgym/MultiIntent-v0": (
        "silence",
        "asks forever",
        "fifty calls",
        "deletes all likely rows",
        "every plot",
        "every update",
    ),
    "textgym/MultiStep-v0": (
        "look up the list",
        "look up all words of the prompt",
        "look up and submit the list",
    ),
    "textgym/SingleToolCall-v0": (
        "another city",
        "every capitalised word",
        "every word",
    ),
    "textgym/StructuredOutput-v0": (
        "the schema's own values",
        "no items",
        "random values of the schema",
        "random words of the text",
        "the words of the text in order",
    ),
    "textgym/WorkplaceAssistant-v0": (
        "fifty calls",
        "delete all likely rows",
        "every plot",
    ),
}
KNOWING = ("the oracle's first step", "the oracle's first step forever")  # these are not blind


@cache
def made(id: str, partial_credit: bool, level: int | None = None) -> Any:
    cls = environment_class(id)
    return cls(partial_credit=partial_credit, level=level, split="validation")


@cache
def other_made(id: str, level: int) -> Any:
    """Make another environment, of the split of the default, for states of the first."""
    return environment_class(id)(partial_credit=True, level=level)


def test_every_environment_with_partial_credit_is_attacked() -> None:
    classes = {id: environment_class(id) for id in textgym.ids(guests=False)}
    assert {*IDS_OF_ENVS, "textgym/Program-v0"} == {  # programs: test_program_generated.py
        id for id, cls in classes.items() if issubclass(cls, PartialCreditEnv)
    }


# Attacks.


def mean(id: str, partial_credit: bool, policy: Any, episodes: int) -> float:
    """Return the mean return of a policy; each level has as many episodes."""
    levels = environment_class(id).card.levels
    envs = [made(id, partial_credit, level) for level in levels]
    indices = range(episodes // len(levels))
    return sum(play(env, policy, index) for env in envs for index in indices) / episodes


def error_of(mean: float, episodes: int) -> float:
    """Return the largest standard error that a mean of returns from 0 to 1 can have."""
    return math.sqrt(mean * (1 - mean) / episodes)


@pytest.mark.parametrize(("id", "episodes", "costly", "errors"), SIZES)
def test_blind_policies_are_paid_what_the_page_states_and_hardly_more_than_without(
    id: str, episodes: int, costly: int, errors: int
) -> None:
    after, shortfall = {}, {}
    levels = len(environment_class(id).card.levels)
    for name, policy in ALL_ATTACKS[id].items():
        if name in KNOWING:
            continue
        played = costly if id in COSTLY_ENVS or name in COSTLY_POLICIES else episodes
        played -= played % levels
        without, paid = (
            mean(id, partial_credit, policy, played) for partial_credit in (False, True)
        )
        assert 0 <= paid - without <= ADDED[id] + errors * error_of(ADDED[id], played), name
        slack = errors * error_of(MOST[id], played)
        assert paid <= MOST[id] + slack, f"{name!r} gets {paid:.4f}"
        if name in NOTHING.get(id, ()):
            assert paid == 0, name
        after[name], shortfall[name] = paid, MOST[id] / 2 - slack - paid
    assert after.keys() >= {*NOTHING.get(id, ())}
    best = max(after, key=lambda name: after[name])
    assert shortfall[best] <= 0, f"{best!r} gets only {after[best]:.4f}"


def rounded(reward: float) -> float:
    return round(1024 * reward) / 1024


def all_of_it(env: Any) -> float:
    return float(not env.task.row.get("no_op"))


def documents_to_find(env: Any) -> float:
    """Return the share of the steps before the answer: all but the first document are found."""
    later = len(env.task.sources) - 1
    return later / (later + 1)


ON_THE_WAY: dict[str, Any] = {  # the progress before the last step
    "textgym/AskFirst-v0": lambda env: float(env.task.possible),
    "textgym/FunctionCall-v0": lambda env: 0.0,
    "textgym/Search-v0": documents_to_find,
    "textgym/StructuredOutput-v0": lambda env: 0.0,
}


@pytest.mark.parametrize("id", IDS_OF_ENVS)
def test_the_oracle_gets_exactly_1_and_is_paid_on_the_way(id: str) -> None:
    for level in environment_class(id).card.levels:
        env = made(id, True, level)
        for index in range(10):
            env.reset(options={"index": index})
            rewards, ended = [], False
            while not ended:
                _, reward, terminated, truncated, _ = env.step(env.solve())
                rewards.append(reward)
                ended = terminated or truncated
            assert sum(rewards) == 1.0
            assert sum(rewards[:-1]) == rounded(env.credit * ON_THE_WAY.get(id, all_of_it)(env))


# Any calls: right ones, wrong ones, and the same again.


@cache
def pool_of(id: str, index: int, level: int) -> list[tuple[str, dict[str, Any]]]:
    """Return calls that a task may need, calls that undo some of them, and others."""
    calls, env = [], made(id, False, level)
    env.reset(options={"index": index})
    ended = False
    while not ended:
        message = env.solve()
        calls += [
            (call["function"]["name"], json.loads(call["function"]["arguments"]))
            for call in message.get("tool_calls") or ()
        ]
        _, _, terminated, truncated, _ = env.step(message)
        ended = terminated or truncated
    env.reset(options={"index": index})
    return [*calls, *OTHERS[id](env, random.Random(index))]


def other_words(env: Any, rng: random.Random) -> list[tuple[str, dict[str, Any]]]:
    expected = env.task.answer
    lists: list[Any] = [[], expected[:1], expected[::-1], [*expected, 7], ["x", None], "no", [True]]
    words = [word for pair in env.task.row["synonyms"] for word in pair]
    return [
        *(("get_synonym_value", {"synonym": word}) for word in rng.sample(words, 3)),
        *(("extract_synonym_values", {"synonym_values": values}) for values in lists),
        ("get_synonym_value", {"word": "x"}),
    ]


def other_changes(env: Any, rng: random.Random) -> list[tuple[str, dict[str, Any]]]:
    values = [env.task.row["initial_count"], *env.task.row["values"]]
    steps = [b - a for a in values for b in values]
    return [("increment_counter", {"count": n}) for n in (*steps, 1, 10**18, "x")]


def other_cities(env: Any, rng: random.Random) -> list[tuple[str, dict[str, Any]]]:
    city = env.task.row["city"]
    return [("get_weather", {"city": name}) for name in (city.upper(), f"{city}, X", "Oslo", "")]


def other_work(env: Any, rng: random.Random) -> list[tuple[str, dict[str, Any]]]:
    prompt = text_of(env.task.messages[-1])
    calls = any_calls(6)(env, rng, prompt)
    tasks = [dict(row) for row in env.table("project_tasks")][:2]
    back = [(row["task_id"], value) for row in tasks for value in (row["list_name"], "Completed")]
    return calls + [
        ("project_management_update_task", {"task_id": id, "field": "list_name", "new_value": to})
        for id, to in back
    ]


def other_calls(env: Any, rng: random.Random) -> list[tuple[str, dict[str, Any]]]:
    names = [tool["function"]["name"] for tool in env.task.tools]
    return [*((name, {}) for name in names), ("unknown", {}), guessed_call(rng, env.task)]


def other_documents(env: Any, rng: random.Random) -> list[tuple[str, dict[str, Any]]]:
    ids = [*env.task.sources, *rng.sample(list(env.archive.documents), 2), "D-10000"]
    return [*(("open", {"id": id}) for id in ids), ("search", {"query": "town"})]


def no_tool(env: Any, rng: random.Random) -> list[tuple[str, dict[str, Any]]]:
    return [("unknown", {}), (f"{env.task.name}_", {**env.task.row}), (env.task.name, {})]


def other_desk_work(env: Any, rng: random.Random) -> list[tuple[str, dict[str, Any]]]:
    customer, *_, other = env.desk.rows("customers")
    item = env.desk.rows("items")[0]["item_id"]
    order = {"customer_id": customer["customer_id"], "item_id": item, "quantity": 1}
    return [
        ("place_order", order),
        ("list_bookings", {"customer_id": other["customer_id"]}),
        ("list_orders", {"customer_id": customer["customer_id"], "page": 2}),
        ("get_booking", {"booking": "1"}),
    ]


OTHERS = {
    "textgym/AskFirst-v0": other_work,
    "textgym/Contingency-v0": other_desk_work,
    "textgym/FunctionCall-v0": other_calls,
    "textgym/MultiIntent-v0": other_work,
    "textgym/MultiStep-v0": other_words,
    "textgym/Search-v0": other_documents,
    "textgym/SessionState-v0": other_changes,
    "textgym/SingleToolCall-v0": other_cities,
    "textgym/StructuredOutput-v0": no_tool,
    "textgym/WorkplaceAssistant-v0": other_work,
}


def cited(env: Any) -> list[Any]:
    """Return answers with right and wrong sources."""
    ids = list(env.task.sources)
    return [
        f"Answer: {answer}\nSources: {', '.join(sources)}"
        for answer in (env.task.wanted, "unknown")
        for sources in (ids, ids[1:], ids[::-1])
    ]


def documents(env: Any) -> list[Any]:
    """Return the record, and the record with a value or an item fewer or more."""
    record = env.task.answer
    if isinstance(record, list):
        changed = [record, record[:1], [*record, record[0]], record[::-1]]
    else:
        key, *_ = record
        fewer = {name: value for name, value in record.items() if name != key}
        changed = [record, fewer, {**record, key: "x"}, {**record, "x": None}, {}]
    return [env._message(value) for value in changed] + ["no document"]


def questions(env: Any) -> list[Any]:
    """Return questions, the right one among them, and texts that end the episode."""
    labels = [OFFICE_SLOTS[slot].label for slot in env.task.missing] or ["the day"]
    return [
        f"Could you please tell me {' and '.join(labels)}?",
        *(f"What is {label}?" for label in labels),
        "When is it?",
        "It is done.",
        "I am sorry, this cannot be done. Nothing was changed.",
    ]


TEXTS = {
    "textgym/AskFirst-v0": questions,
    "textgym/MultiIntent-v0": lambda env: ["It is done.", "Which of these comes first?"],
    "textgym/Search-v0": cited,
    "textgym/StructuredOutput-v0": documents,
}


Results = list[tuple[float, dict[str, Any]]]


def drawn_episode(id: str, index: int, level: int, data: Any) -> tuple[list[Any], Results]:
    """Draw the messages of an episode; return its results without partial credit, too."""
    pool, env = pool_of(id, index, level), made(id, False, level)
    env.reset(options={"index": index})
    places = st.lists(st.integers(0, len(pool) - 1), min_size=1, max_size=4)
    texts = TEXTS[id](env) if id in TEXTS else ["Done.", f"Answer: {env.task.answer}"]
    steps: Any = places | st.sampled_from(texts) if id in TEXTS else places
    drawn = [*data.draw(st.lists(steps, max_size=6)), data.draw(st.sampled_from(texts))]
    drawn += ["It is done."] * 10
    messages = [
        assistant_calls(*(pool[place] for place in step)) if isinstance(step, list) else step
        for step in drawn
    ]
    results = results_of(env, messages)
    return messages[: len(results)], results


def results_of(env: Any, messages: list[Any]) -> Results:
    results = []
    for message in messages:
        _, reward, terminated, truncated, info = env.step(message)
        results.append((reward, info))
        if terminated or truncated:
            return results
    raise AssertionError("the episode has not ended")


EPISODES_OF = given(index=st.integers(0, 20), level=st.integers(1, 3), data=st.data())
SETTINGS = settings(deadline=None, derandomize=True, database=None, max_examples=40)


@pytest.mark.parametrize("id", IDS_OF_ENVS)
@SETTINGS
@EPISODES_OF
def test_the_return_is_1_or_what_the_final_state_is_worth_and_the_verdict_is_as_without(
    id: str, index: int, level: int, data: Any
) -> None:
    messages, default = drawn_episode(id, index, level, data)
    env = made(id, True, level)
    env.reset(options={"index": index})
    results = results_of(env, messages)
    check_payments(env, results)
    check_verdict(default, results)


def check_payments(env: Any, results: Results) -> None:
    """Check the rewards of an episode that has ended."""
    total, success = sum(reward for reward, _ in results), results[-1][1]["is_success"]
    assert 0 <= env.progress() <= 1
    if success:
        assert total == 1.0
    elif results[-1][1]["reward_components"].get("state"):  # after needless questions
        needless = results[-1][1]["reward_components"]["asked_needless"]
        assert total == pytest.approx(max(0, 1 - needless / 10))
        return
    else:
        assert total == rounded(env.credit * env.progress()) <= env.credit
    paid = [info.get("reward_components", {}).get("progress", 0.0) for _, info in results]
    assert [reward for reward, _ in results[:-1]] == paid[:-1]
    assert results[-1][0] == paid[-1] + (1 - sum(paid) if success else 0)


def check_verdict(default: Results, paying: Results) -> None:
    """Check that an episode ends as without partial credit."""
    assert len(paying) == len(default)
    assert [reward for reward, _ in default[:-1]] == [0.0] * (len(default) - 1)
    needless = default[-1][1]["reward_components"].get("asked_needless", 0)
    assert default[-1][0] == float(default[-1][1]["is_success"]) or needless
    paying[-1][1]["reward_components"].pop("progress", None)
    reasons = [result[-1][1].pop("verdict_reason") for result in (default, paying)]
    assert reasons[1] in (reasons[0], "incomplete")  # what is paid for in part is not wrong
    assert paying[-1][1] == default[-1][1]


@pytest.mark.parametrize("id", IDS_OF_ENVS)
@settings(SETTINGS, max_examples=15)
@EPISODES_OF
def test_a_fork_at_any_step_is_paid_the_same(id: str, index: int, level: int, data: Any) -> None:
    messages, _ = drawn_episode(id, index, level, data)
    env, fork = made(id, True, level), other_made(id, level)
    env.reset(options={"index": index})
    saved = []
    results = []
    for message in messages:
        saved.append(json.loads(json.dumps(env.get_state())))
        results.append(_step(env, message))
    for step, state in enumerate(saved):
        fork.set_state(state)
        assert results_of(fork, messages[step:]) == results[step:]


def _step(env: Any, message: Any) -> tuple[float, dict[str, Any]]:
    _, reward, _, _, info = env.step(message)
    return reward, info


# Around the environment.


@pytest.mark.parametrize("id", IDS_OF_ENVS)
def test_rollouts_record_payments_and_rescoring_repeats_them(id: str) -> None:
    run = textgym.rollout(id, "oracle", episodes=4, env_kwargs={"partial_credit": True})
    for trajectory in run.trajectories():
        assert trajectory["reward"] == 1.0
        if id not in ON_THE_WAY:
            assert trajectory["steps"][-1]["reward"] < 1.0
    assert textgym.rescore(run).counts["same"] == 4


OF_TASKS = {
    "static.manifest",
    "runtime.seed_control",
    "runtime.task_declaration_accuracy",
    "semantic.no_solution_leakage",
    "statistical.split_overlap",
    "statistical.evaluation_duplicates",
}
"""The checks of cards, tasks and prompts, which rewards do not change: the default passes them."""

ALONE = {id: c for id, c in IN_PROCESS.items() if id not in OF_TASKS}
WITH_PROCESSES = {id: FAST_CHECKS[id] for id in STARTS_PROCESSES & FAST_CHECKS.keys() - OF_TASKS}


@pytest.mark.parametrize(
    ("id", "checks", "tasks"),
    [
        *(
            pytest.param(id, ALONE, 1, marks=[pytest.mark.slow] * (id in IN_TEST_REST))
            for id in IDS_OF_ENVS
        ),
        *(pytest.param(id, WITH_PROCESSES, 5, marks=pytest.mark.slow) for id in IDS_OF_ENVS),
    ],
)
def test_every_check_of_episodes_passes(id: str, checks: Any, tasks: int) -> None:
    with make_subject(gymnasium.make(id, partial_credit=True), tasks) as subject:
        results = list(run_checks(subject, checks))
    assert [str(result) for result in results if result.failed] == []
