"""The oracle's episodes, and changes of them that must not lose.

Some changes apply to every environment. They change what no verifier may depend on, such as white
space around a text, reasoning, the ids of calls, and the layout of their arguments as JSON. `FORMS`
are others, which a card can claim.

Invariant: a changed episode is played on the same task, and ends with empty messages if it has not
ended before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from textgym.checks.episodes import ROUNDING, Episode, oracle, play, send
from textgym.checks.subject import Subject
from textgym.json_values import canonical_json, json_round_trip
from textgym.messages import Message, text_of
from textgym.verifiers.exact import normalize_answer

__all__ = ["FORMS", "Solved", "Variant", "arguments_in", "calls_in", "solved_tasks", "variants"]

_EPISODES = {False: 120, True: 15}  # of all levels together, by `quick`
_MIN_PER_LEVEL = 3


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
        return episode.total >= self.episode.total - ROUNDING

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
            if episode.total >= high - ROUNDING:
                answer = env.task.answer if subject.is_text_env else None
                solved.append(Solved(env, place, level, episode, answer, _final_state(env)))
        yield solved


FORMS: Mapping[str, tuple[Callable[[str], str], ...]] = {
    "markdown": ("**{}**".format, "`{}`".format, "```\n{}\n```".format),
    "quotes": ('"{}"'.format, "'{}'".format),
    "sentences": (
        "I have thought about it, and this is what I found.\n\n{}".format,
        "{}\n\nThat is all.".format,
    ),
    "full stop": ("{}.".format,),
    "any case": (str.lower, str.upper),
}
"""Forms of a final text, by name. A card claims the forms that its verifier always accepts."""

_THOUGHT = "Let me think.\n\nThat may be wrong: {}. I try something else."


class Variant(NamedTuple):
    """A changed episode.

    Attributes:
        name: The name of the change.
        actions: The messages.
        claimed: Whether the environment must accept it.
    """

    name: str
    actions: list[Message]
    claimed: bool


def variants(
    task: Solved, wrong: str, claims: tuple[str, ...], all_hold: bool
) -> Iterator[Variant]:
    """Yield episodes of a task that differ from the oracle's.

    Args:
        task: The task.
        wrong: A wrong answer, which the reasoning mentions.
        claims: The names of the forms that the environment claims to accept.
        all_hold: Whether the environment keeps textgym's contracts for reasoning and messages.
    """
    thought = _THOUGHT.format(wrong)
    for name, change, required in (
        ("white space around the text", _text_change(lambda text: f"\n  {text} \n\n"), True),
        ("reasoning_content", lambda action: {**action, "reasoning_content": thought}, all_hold),
        (
            "a closed <think>",
            _text_change(lambda text: f"<think>\n{thought}\n</think>\n\n{text}"),
            all_hold,
        ),
        ("text parts", _in_parts, all_hold),
        ("spaces in arguments", _argument_change(lambda given: json.dumps(given, indent=2)), True),
        (
            "order of arguments",
            _argument_change(
                lambda given: json.dumps(dict(reversed(given.items())), ensure_ascii=False)
            ),
            True,
        ),
        ("arguments as an object", _argument_change(lambda given: given), all_hold),
        ("escapes in arguments", _argument_change(_escaped), True),
        ("other call ids", _with_ids, True),
    ):
        changed: list[Any] = [change(action) for action in task.actions]
        if changed != task.actions:
            yield Variant(name, changed, required)
    if not task.text_turns:
        return
    turn = task.text_turns[-1]
    text = text_of(task.actions[turn])
    for name, forms in FORMS.items():
        for content in {form(text): None for form in forms if form(text) != text}:
            action: Any = {**task.actions[turn], "content": content}
            actions = [*task.actions[:turn], action, *task.actions[turn + 1 :]]
            yield Variant(name, actions, name in claims)


def _text_change(change: Callable[[str], str]) -> Callable[[Message], Any]:
    def changed(action: Message) -> Any:
        text = text_of(action)
        return {**action, "content": change(text)} if text else action

    return changed


def _in_parts(action: Message) -> Any:
    text = text_of(action)
    middle = len(text) // 2
    parts = [{"type": "text", "text": part} for part in (text[:middle], text[middle:])]
    return {**action, "content": parts} if text else action


def _argument_change(change: Callable[[dict[str, Any]], Any]) -> Callable[[Message], Any]:
    def changed(action: Message) -> Any:
        if not calls_in(action):
            return action
        calls = [
            {**call, "function": {**call["function"], "arguments": change(arguments_in(call))}}
            for call in calls_in(action)
        ]
        return {**action, "tool_calls": calls}

    return changed


def _escaped(given: dict[str, Any]) -> str:
    return json.dumps(given, separators=(",", ":"), ensure_ascii=True)


def _with_ids(action: Message) -> Any:
    if not calls_in(action):
        return action
    calls = [{**call, "id": f"chatcmpl-tool-{n}f"} for n, call in enumerate(calls_in(action))]
    return {**action, "tool_calls": calls}
