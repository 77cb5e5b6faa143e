"""The oracle's episodes, and playing them again with changes.

Invariant: a changed episode is played on the same task, and ends with empty messages if it has not
ended before.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from textgym.checks.episodes import Episode, oracle, play, send
from textgym.checks.subject import Subject
from textgym.json_values import canonical_json, json_round_trip
from textgym.messages import Message, text_of
from textgym.verifiers.exact import normalize_answer

__all__ = ["Solved", "arguments_in", "calls_in", "solved_tasks"]

_EPISODES = {False: 120, True: 15}  # of all levels together, by `quick`
_MIN_PER_LEVEL = 3
_ROUNDING = 1e-9


def calls_in(action: Message) -> list[Any]:
    """Return the tool calls of a message."""
    return list(action.get("tool_calls") or ())


def arguments_in(call: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call as an object."""
    given = call["function"].get("arguments") or {}
    return dict(json.loads(given) if isinstance(given, str) else given)


@dataclass(frozen=True)
class Solved:
    """A task that the oracle solved.

    Attributes:
        env: The environment, which other tasks share.
        place: The arguments of `play` that select the task.
        level: The level.
        episode: The oracle's episode.
        answer: The answer of the task; None if the environment is not a `TextEnv`.
        state: The final state as JSON; "" if the environment is not a `TextEnv`.
    """

    env: Any
    place: Mapping[str, Any]
    level: int | None
    episode: Episode
    answer: Any
    state: str

    @property
    def actions(self) -> list[Message]:
        """The oracle's messages."""
        return self.episode.actions

    @cached_property
    def text_turns(self) -> list[int]:
        """The turns whose messages have a text and no calls."""
        numbered = enumerate(self.actions)
        return [turn for turn, action in numbered if text_of(action) and not calls_in(action)]

    def answers_otherwise(self, other: Solved) -> bool:
        """Return whether another task has another answer, so that its answer is wrong here."""
        said, others = (
            [normalize_answer(text_of(task.actions[turn])) for turn in task.text_turns]
            for task in (self, other)
        )
        golds = [canonical_json(json_round_trip(task.answer)) for task in (self, other)]
        same_gold = golds[0] == golds[1] and self.answer is not None
        return said != others and not same_gold

    def play(self, actions: Sequence[Message]) -> tuple[Episode, str]:
        """Play the task with other messages; return the episode and the final state as JSON."""
        episode = play(self.env, send(actions), **self.place)
        return episode, _final_state(self.env)

    def wins(self, episode: Episode) -> bool:
        """Return whether an episode got as much as the oracle's."""
        return episode.total >= self.episode.total - _ROUNDING

    def loses(self, actions: Sequence[Message]) -> bool:
        """Return whether other messages get less than the oracle's."""
        return not self.wins(self.play(actions)[0])


def _final_state(env: Any) -> str:
    get_state = getattr(env, "get_state", None)
    return "" if get_state is None else canonical_json(get_state().get("state"))


def solved_tasks(subject: Subject) -> Iterator[list[Solved]]:
    """Yield the tasks of each level that the oracle solves with the maximum return."""
    high = subject.reward_range[1]
    most = max(_MIN_PER_LEVEL, _EPISODES[subject.quick] // len(subject.levels))
    for level in subject.levels:
        env = subject.at_level(level)
        solved = []
        for index in subject.indices(env)[:most]:
            place = subject.reset_to(index)
            episode = play(env, oracle(env), **place)
            if episode.total >= high:
                answer = env.task.answer if subject.is_text_env else None
                solved.append(Solved(env, place, level, episode, answer, _final_state(env)))
        yield solved
