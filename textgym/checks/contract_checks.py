"""Checks of textgym's contracts: cards, the form of rewards, seeds, infos, and isolation."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np

from textgym.checks.checks import DETERMINISM, SEED_CONTROL, WELL_FORMED, check_of
from textgym.checks.episodes import ROUNDING, guesses, next_message, oracle, play, say, send
from textgym.checks.fresh_process import run_in_fresh_process
from textgym.checks.hostile import hostile_messages
from textgym.checks.subject import SEEDS, Subject
from textgym.checks.task_checks import generator_draws_only_from_its_rng
from textgym.core.episode import VERDICT_REASONS
from textgym.errors import in_one_line
from textgym.json_values import canonical_json
from textgym.policies import Policy
from textgym.tasks.task import Task

_HOSTILE_TURNS = 20
_REPEATED = range(20)
_SUITE_FIELDS = ("structure", "capabilities", "domain", "task_type", "verification")


@check_of("static.manifest", "Complete the card; `textgym.Card` describes its fields.", needs=())
def manifest(subject: Subject) -> None:
    """The card has the registered id and consistent values."""
    card = subject.cls.card
    low, high = card.reward_range
    assert low < high, f"the reward range is {low} to {high}"
    for chance in (card.chance, card.first_rung_chance):
        assert low <= chance < high, f"chance {chance} is outside {low} to {high}"
    assert card.summary.strip(), "the card has no summary"
    assert card.levels == tuple(sorted(card.levels)), "the levels are not in order"
    if subject.spec.namespace != "textgym-check" and "dataset" not in subject.spec.kwargs:
        assert card.id == subject.spec.id, f"the card says {card.id}, not {subject.spec.id}"
    if subject.spec.namespace == "textgym":
        missing = [name for name in _SUITE_FIELDS if not getattr(card, name)]
        assert not missing, f"the card of an environment of the suite needs {', '.join(missing)}"


@check_of(
    WELL_FORMED,
    "Return a finite reward within the declared range for any message, and never raise.",
    needs=(),
    any_env=True,
)
def reward_well_formed(subject: Subject) -> None:
    """Every reward is finite and in the declared range, and no message raises an exception."""
    low, high = (-math.inf, math.inf) if subject.wrappers else subject.reward_range
    env = subject.make_bare()
    for number, message in enumerate(hostile_messages()):
        env.reset(seed=number)
        for _ in range(_HOSTILE_TURNS):
            _, reward, terminated, truncated, info = _step(env, message, f"message {number}")
            _check_reward(float(reward), low, high, info, f"message {number}")
            assert not (terminated and truncated), "terminated and truncated at once"
            if terminated or truncated:
                break
    policies = [guesses, oracle] if subject.defines("solve") else [guesses]
    for policy in policies:
        for seed in SEEDS:
            try:
                episode = play(env, policy(env), seed=seed)
            except Exception as error:
                raise AssertionError(f"an episode raised {in_one_line(error)}") from error
            for reward in episode.rewards:
                _check_reward(reward, -math.inf, math.inf, episode.info, episode.task_id)
            _check_reward(episode.total, low, high, episode.info, episode.task_id)


def _step(env: gym.Env[Any, Any], message: Any, what: str) -> tuple[Any, ...]:
    try:
        return env.step(message)
    except Exception as error:
        raise AssertionError(f"{what} raised {in_one_line(error)}") from error


def _check_reward(
    reward: float, low: float, high: float, info: dict[str, Any], source: str
) -> None:
    assert math.isfinite(reward), f"the reward for {source} is {reward}"
    is_inside = low - ROUNDING <= reward <= high + ROUNDING
    assert is_inside, f"reward {reward} for {source} is outside {low} to {high}"
    try:
        json.dumps(info, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise AssertionError(f"info for {source} is not JSON: {error}") from error


_PROMPTS = "print(json.dumps([[env.reset(seed=seed), env.reset()] for seed in given]))"


@check_of(
    SEED_CONTROL,
    "Draw everything from the generator's `rng`, and let no order depend on hashes.",
    needs=(WELL_FORMED,),
    any_env=True,
)
def seed_control(subject: Subject) -> None:
    """The same seed gives a byte-identical prompt in another process with any hash seed."""
    if subject.is_generated:
        generator_draws_only_from_its_rng(subject)
    env = subject.make_unwrapped()
    here, again = (json.dumps([[env.reset(seed=s), env.reset()] for s in SEEDS]) for _ in range(2))
    assert here == again, "the prompt differs when the same seed is given again"
    for hash_seed in ("1", "2"):
        there = run_in_fresh_process(subject, _PROMPTS, list(SEEDS), PYTHONHASHSEED=hash_seed)
        assert json.dumps(there) == here, "the prompt differs in another process"


@check_of(
    DETERMINISM,
    "Let the grade depend only on the task and the conversation, not on a clock, a random "
    "generator other than `self.np_random`, or an earlier episode.",
    needs=(WELL_FORMED, SEED_CONTROL),
    any_env=True,
)
def verifier_determinism(subject: Subject) -> None:
    """The same messages get the same rewards and infos again after any other episode."""
    policies = [guesses, oracle] if subject.defines("solve") else [guesses]
    used, fresh = subject.make_bare(), subject.make_bare()
    played = [
        (seed, play(used, policy(used), seed=seed)) for policy in policies for seed in _REPEATED
    ]
    before, arrays_before = random.getstate(), np.random.get_state()
    try:
        for number, (seed, episode) in enumerate(reversed(played)):
            for env in (used, fresh):
                random.seed(number)
                np.random.seed(number)
                again = play(env, send(episode.actions), seed=seed)
                assert again == episode, f"an episode of {episode.task_id} differs when repeated"
    finally:
        random.setstate(before)
        np.random.set_state(arrays_before)


def corrupt(value: Any) -> None:
    """Modify every mutable object in a structure."""
    if isinstance(value, dict):
        for item in value.values():
            corrupt(item)
        value.clear()
    elif isinstance(value, list):
        for item in value:
            corrupt(item)
        value.append("corrupted")


@check_of(
    "runtime.caller_isolation",
    "Return copies of the conversation, infos and tools, and keep copies of actions.",
    any_env=True,
)
def caller_isolation(subject: Subject) -> None:
    """Modifying observations, infos or actions never changes the environment."""
    for seed in SEEDS:
        modify_shared_objects(subject, guesses, seed)


def modify_shared_objects(
    subject: Subject, make_policy: Callable[[gym.Env[Any, Any]], Policy], seed: int
) -> None:
    """Check that an episode does not change if observations, infos and actions are modified."""
    clean, corrupted = subject.make_bare(), subject.make_bare()
    went: Any = clean.reset(seed=seed)
    given: Any = corrupted.reset(seed=seed)
    policy, ended = make_policy(clean), False
    while not ended:
        corrupt(list(given))
        action: Any = next_message(policy, went[0], [], seed)
        corrupted_action = copy.deepcopy(action)
        went, given = clean.step(action), corrupted.step(corrupted_action)
        assert went == given, "caller and environment share mutable objects"
        corrupt(corrupted_action)
        ended = went[2] or went[3]
    assert clean.reset() == corrupted.reset(), "caller and environment share mutable objects"


@check_of(
    "runtime.episode_isolation",
    "Keep all that changes in an episode in the state that `begin` returns.",
)
def episode_isolation(subject: Subject) -> None:
    """An episode changes neither the row nor the prompt of its task, which other episodes share."""
    env = subject.make_unwrapped()
    policies = [guesses, oracle] if subject.defines("solve") else [guesses]
    for index in subject.indices(env)[:20]:
        for policy in policies:
            before = _content(env.get_task(index))
            play(env, policy(env), index=index)
            assert _content(env.task) == before, f"an episode changed the task {env.task.id}"


def _content(task: Task) -> str:
    return canonical_json([task.messages, task.tools, task.row])


_INFO_TYPES = {
    "task_id": str,
    "tools": list,
    "judge": str,
    "reward_components": dict,
    "is_success": bool,
    "stop_reason": str,
    "extracted_answer": str,
    "answer_sought": bool,
    "verdict_reason": str,
}
_FINAL_KEYS = {"task_id", "reward_components", "is_success", "stop_reason", "extracted_answer"}


@check_of(
    "runtime.observation_schema",
    "Return observations of the space, and infos with the documented keys and types.",
)
def observation_schema(subject: Subject) -> None:
    """Observations are in the space, and infos have the documented keys with one type each."""
    types: dict[str, type] = dict(_INFO_TYPES)
    sought: set[bool] = set()
    for seed in SEEDS:
        for policy in (lambda env: say(""), guesses):
            env = subject.make_bare()
            episode = play(env, policy(env), seed=seed)
            first, last = episode.steps[0][-1], episode.info
            assert {"task_id", "tools"} <= first.keys(), f"after reset: {sorted(first)}"
            assert last.keys() >= _FINAL_KEYS, f"at the end: {sorted(last)}"
            sought.add(last.get("answer_sought", True))
            assert len(sought) == 1, "extracted_answer is None in some episodes: return '' there"
            for step in episode.steps:
                assert step[0] in env.observation_space, "an observation is not in the space"
                for key, value in step[-1].items():
                    kind = types.setdefault(key, type(value))
                    assert type(value) is kind, f"info[{key!r}] is {value!r}, not a {kind.__name__}"
            reason = last.get("verdict_reason", "")
            known = ", ".join(filter(None, VERDICT_REASONS))
            assert reason in VERDICT_REASONS, (
                f"verdict_reason must be one of {known}, not {reason!r}"
            )
            for name, value in last["reward_components"].items():
                assert type(value) is float, f"component {name!r} is {value!r}, not a float"
                assert math.isfinite(value), f"component {name!r} is {value!r}"
