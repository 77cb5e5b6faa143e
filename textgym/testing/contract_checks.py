"""Checks of textgym's contracts: tasks, answers, rewards, infos and hostile messages."""

from __future__ import annotations

import copy
import json
import math
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from textgym.env import TextEnv
from textgym.messages import Message
from textgym.tasks.hashing import canonical_json
from textgym.tasks.source import NUM_GENERATED_TASKS
from textgym.tasks.task import Task
from textgym.testing.checks import (
    CLASS_IN_MAIN,
    SEEDS,
    Skipped,
    empty_message,
    guess_message,
    register_check,
)
from textgym.testing.hostile import hostile_messages
from textgym.testing.subject import Subject, play

_SUITE_FIELDS = ("structure", "capabilities", "domain", "task_type", "verification")


@register_check
def card_is_complete(subject: Subject) -> None:
    """The card has the registered id and consistent values."""
    card = subject.cls.card
    low, high = card.reward_range
    assert low < high, f"the reward range is {low} to {high}"
    assert low <= card.chance < high, f"chance {card.chance} is outside {low} to {high}"
    assert card.summary.strip(), "the card has no summary"
    assert card.levels == tuple(sorted(card.levels)), "the levels are not in order"
    if subject.spec.namespace != "textgym-check":
        assert card.id == subject.spec.id, f"the card says {card.id}, not {subject.spec.id}"
    if subject.spec.namespace == "textgym":
        missing = [name for name in _SUITE_FIELDS if not getattr(card, name)]
        assert not missing, f"the card of an environment of the suite needs {', '.join(missing)}"


def _corrupt(value: Any) -> None:
    """Modify every mutable object in a structure."""
    if isinstance(value, dict):
        for item in value.values():
            _corrupt(item)
        value.clear()
    elif isinstance(value, list):
        for item in value:
            _corrupt(item)
        value.append("corrupted")


@register_check
def mutation(subject: Subject) -> None:
    """Modifying observations, infos or actions never changes the environment."""
    for seed in SEEDS:
        clean, corrupted = subject.make_bare(), subject.make_bare()
        given = [clean.reset(seed=seed)], [corrupted.reset(seed=seed)]
        ended = False
        while not ended:
            _corrupt(list(given[1][-1]))
            action = guess_message(clean.unwrapped)  # type: ignore[arg-type]
            corrupted_action = copy.deepcopy(action)
            given[0].append(clean.step(action))  # type: ignore[arg-type]
            given[1].append(corrupted.step(corrupted_action))  # type: ignore[arg-type]
            assert given[0][-1] == given[1][-1], "caller and environment share mutable objects"
            _corrupt(corrupted_action)
            ended = bool(given[0][-1][2] or given[0][-1][3])  # type: ignore[misc]
        assert clean.reset() == corrupted.reset(), "caller and environment share mutable objects"


_PROMPTS = """
import importlib, json, sys
module, name, kwargs, seeds = json.loads(sys.argv[1])
owner = importlib.import_module(module)
for part in name.split("."):
    owner = getattr(owner, part)
env = owner(**kwargs)
print(json.dumps([[env.reset(seed=s), env.reset()] for s in range(seeds)]))
"""


@register_check
def same_prompt_in_another_process(subject: Subject) -> None:
    """The same seed gives a byte-identical prompt in another process, whatever the hash seed."""
    if subject.in_main:
        raise Skipped(CLASS_IN_MAIN)
    env = subject.make_unwrapped()
    here = json.dumps([[env.reset(seed=s), env.reset()] for s in SEEDS])
    arguments = [subject.cls.__module__, subject.cls.__qualname__, subject.kwargs, len(SEEDS)]
    path = os.pathsep.join(entry for entry in sys.path if entry)
    for hash_seed in ("1", "2"):
        there = subprocess.run(
            [sys.executable, "-c", _PROMPTS, json.dumps(arguments)],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert there.returncode == 0, there.stderr.strip().splitlines()[-1:]
        assert there.stdout.strip() == here, "the prompt differs in another process"


def _episodes(
    subject: Subject, choose: Callable[[TextEnv[Any]], Message]
) -> Iterator[tuple[TextEnv[Any], int | None, float]]:
    for level in subject.levels:
        env = subject.at_level(level)
        for index in subject.indices(env):
            reward, _, _ = play(env, choose, options={"index": index})
            yield env, level, reward


@register_check
def oracle_gets_the_maximum(subject: Subject) -> None:
    """The oracle gets the maximum return on every task of every level."""
    if not subject.defines("solve"):
        raise Skipped("the environment defines no oracle (solve)")
    for env, level, reward in _episodes(subject, lambda env: env.solve()):
        assert reward == env.reward_range[1], f"{reward} for {env.task.id} (level {level})"


@register_check
def guesses_get_no_more_than_chance(subject: Subject) -> None:
    """The mean return of guesses is at most the card's chance, within five standard errors.

    The standard error is the largest that a return with this mean can have.
    """
    if not subject.defines("guess"):
        raise Skipped("the environment defines no random policy (guess)")
    if subject.kwargs:
        raise Skipped("the card states the chance for the default arguments")
    rewards = [reward for _, _, reward in _episodes(subject, guess_message)]
    mean = sum(rewards) / len(rewards)
    chance, (low, high) = subject.cls.card.chance, subject.cls.card.reward_range
    max_error = math.sqrt((chance - low) * (high - chance) / len(rewards))
    assert mean - chance <= 5 * max_error + 1e-9, f"{mean:.3f}, but the card says {chance:.3f}"


@register_check
def silence_gets_the_minimum(subject: Subject) -> None:
    """Empty messages get the minimum return on every task whose row has no `no_op`."""
    for env, level, reward in _episodes(subject, empty_message):
        if env.task.row.get("no_op"):
            continue
        assert reward == env.reward_range[0], f"{reward} for {env.task.id} (level {level})"


@register_check
def no_answer_is_shown(subject: Subject) -> None:
    """No info contains the answer, and no observation or info contains the oracle's message.

    The text of the prompt may contain the answer, because a task may be to find or repeat
    something.
    """
    for level in subject.levels:
        env = subject.at_level(level)
        for index in subject.indices(env)[:100]:
            observation, info = env.reset(options={"index": index})
            shown = json.dumps([observation, info])
            if subject.defines("solve"):
                solution = json.dumps(env.solve())
                assert solution not in shown, f"the oracle's message is shown in {env.task.id}"
            secret = env.task.answer
            _, seen, _ = play(env, empty_message, options={"index": index})
            infos = [json.loads(text)[-1] for text in seen]
            assert not any(_contains(item, secret) for item in infos), (
                f"info contains the answer of {env.task.id}"
            )


def _contains(value: Any, secret: Any) -> bool:
    if isinstance(value, dict):
        return any(_contains(item, secret) for item in value.values())
    if isinstance(value, list) and not isinstance(secret, list):
        return any(_contains(item, secret) for item in value)
    return type(value) is type(secret) and value == secret and not isinstance(value, (bool, float))


@register_check
def splits_do_not_overlap(subject: Subject) -> None:
    """No task is in two splits, and task ids are unique."""
    if subject.kwargs.get("dataset"):
        raise Skipped("the tasks come from a data set")
    contents: dict[str, str] = {}
    for split in ("train", "validation", "test"):
        env = subject.make_unwrapped(split=split)
        ids = set()
        for index in subject.indices(env):
            task = env.get_task(index)
            ids.add(task.id)
            content = canonical_json(env.canonical(dict(task.row)))
            assert contents.setdefault(content, split) == split, f"{task.id} is in two splits"
        assert len(ids) == len(subject.indices(env)), f"the ids of {split} are not unique"


@register_check
def evaluation_tasks_are_distinct(subject: Subject) -> None:
    """The prompts of the generated test tasks of a level differ, or the card says how many do."""
    if subject.kwargs.get("dataset"):
        raise Skipped("the tasks come from a data set")
    stated, fewest = subject.cls.card.distinct_tasks, NUM_GENERATED_TASKS
    for level in subject.levels:
        chosen = {} if level is None else {"level": level}
        test = subject.make_unwrapped(**chosen, split="test")
        count = _count_prompts(test, subject.indices(test))
        if count < min(len(subject.indices(test)), stated):
            count = _count_prompts(test, range(NUM_GENERATED_TASKS))
            raise AssertionError(
                f"the test tasks of level {level} have {count} different prompts, but the card "
                f"says distinct_tasks={stated}"
            )
        fewest = min(fewest, count)
    if subject.tasks >= NUM_GENERATED_TASKS and not subject.kwargs:
        assert stated == fewest, f"distinct_tasks is {fewest}, but the card says {stated}"


def _count_prompts(env: TextEnv[Any], indices: range) -> int:
    """Return how many tasks have different prompts."""
    tasks = map(env.get_task, indices)
    return len({canonical_json([task.messages, task.tools]) for task in tasks})


@register_check
def generator_draws_only_from_its_rng(subject: Subject) -> None:
    """The generator gives the same rows, whatever state the global random generators have."""
    if subject.kwargs.get("dataset"):
        raise Skipped("the tasks come from a data set")
    before, arrays_before = random.getstate(), np.random.get_state()
    rows = []
    try:
        for seed in (1, 2):
            random.seed(seed)
            np.random.seed(seed)
            env = subject.make_unwrapped(split="train")
            rows.append([canonical_json(env.get_task(i).row) for i in subject.indices(env)[:50]])
    finally:
        random.setstate(before)
        np.random.set_state(arrays_before)
    name = subject.cls.generate.__qualname__
    assert rows[0] == rows[1], f"{name} draws different rows for the same rng: draw only from rng"


@register_check
def playing_leaves_tasks_unchanged(subject: Subject) -> None:
    """An episode changes neither the row nor the prompt of its task, which other episodes share."""
    env = subject.make_unwrapped()
    choices = [guess_message, *([type(env).solve] if subject.defines("solve") else [])]
    for index in subject.indices(env)[:20]:
        for choose in choices:
            before = _content(env.get_task(index))
            play(env, choose, options={"index": index})
            assert _content(env.task) == before, f"an episode changed the task {env.task.id}"


def _content(task: Task) -> str:
    return canonical_json([task.messages, task.tools, task.row])


@register_check
def training_holds_no_test_task(subject: Subject) -> None:
    """No prompt of a generated test task also occurs in training with the same solution.

    All test tasks are compared with ten times as many training tasks as the other checks play per
    level, divided among the levels.
    """
    if subject.kwargs.get("dataset"):
        raise Skipped("the tasks come from a data set")
    if subject.cls.card.shared_splits:
        raise Skipped("the card says that the splits share their tasks")
    for level in subject.levels:
        chosen = {} if level is None else {"level": level}
        test, train = (subject.make_unwrapped(**chosen, split=split) for split in ("test", "train"))
        by_prompt = {canonical_json(test.get_task(i).messages): i for i in subject.indices(test)}
        for index in range(10 * subject.tasks // len(subject.levels)):
            twin = by_prompt.get(canonical_json(train.get_task(index).messages))
            if twin is not None and _solution(train, index) == _solution(test, twin):
                ids = train.get_task(index).id, test.get_task(twin).id
                raise AssertionError(f"{ids[0]} and {ids[1]} have the same prompt and solution")


def _solution(env: TextEnv[Any], index: int) -> Any:
    """Return the oracle's messages in a task; without an oracle, the answer."""
    if type(env).solve is TextEnv.solve:
        return env.get_task(index).answer
    play(env, lambda env: env.solve(), options={"index": index})
    return [dict(message) for message in env.replies]


@register_check
def rows_can_be_given_back(subject: Subject) -> None:
    """The row of a task, passed to `reset` as an option, gives the same task."""
    env = subject.make_unwrapped()
    for index in subject.indices(env)[:20]:
        observation, info = env.reset(options={"index": index})
        row = json.loads(json.dumps(env.task.row))
        assert env.reset(options={"task": row}) == (observation, info), f"row {index} differs"


@register_check
def hostile_messages_are_data(subject: Subject) -> None:
    """No message raises an exception or gets a reward outside of the declared range."""
    env = subject.make_bare()
    low, high = (-math.inf, math.inf) if subject.wrappers else subject.make_unwrapped().reward_range
    for number, message in enumerate(hostile_messages()):
        env.reset(seed=number)
        for _ in range(20):
            observation, reward, terminated, truncated, info = env.step(message)
            assert low <= float(reward) <= high, f"reward {reward} for message {number}"
            assert observation in env.observation_space, f"message {number} corrupts the transcript"
            assert not (terminated and truncated), "terminated and truncated at once"
            json.dumps(info, allow_nan=False)
            if terminated or truncated:
                break


_INFO_TYPES = {
    "task_id": str,
    "tools": list,
    "judge": str,
    "reward_components": dict,
    "is_success": bool,
    "stop_reason": str,
    "extracted_answer": str,
    "answer_sought": bool,
}


@register_check
def infos_have_one_type_a_key(subject: Subject) -> None:
    """The infos have the documented keys, and each key always has the same type."""
    types: dict[str, type] = dict(_INFO_TYPES)
    sought: set[bool] = set()
    for seed in SEEDS:
        for choose in (empty_message, guess_message):
            env = subject.make_bare()
            _, info = env.reset(seed=seed)
            assert {"task_id", "tools"} <= info.keys(), f"after reset: {sorted(info)}"
            _, seen, last = play(env, choose, seed=seed)
            wanted = {
                "task_id", "reward_components", "is_success", "stop_reason", "extracted_answer",
            }  # fmt: skip
            assert wanted <= last.keys(), f"at the end: {sorted(last)}"
            sought.add(last.get("answer_sought", True))
            assert len(sought) == 1, "extracted_answer is None in some episodes: give '' there"
            for item in (info, *(json.loads(text)[-1] for text in seen)):
                for key, value in item.items():
                    kind = types.setdefault(key, type(value))
                    assert type(value) is kind, f"info[{key!r}] is {value!r}, not a {kind.__name__}"
            for name, value in last["reward_components"].items():
                assert type(value) is float, f"component {name!r} is {value!r}, not a float"
                assert math.isfinite(value), f"component {name!r} is {value!r}"
