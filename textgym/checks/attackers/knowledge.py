"""What an attacker may know: the oracle's episodes on training tasks, and what follows from them.

Invariants: nothing comes from a test task; where there is no oracle, only the prompts are known.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from textgym.checks.attackers.base import NotApplicable, as_message
from textgym.checks.attackers.prompts import prompt_of
from textgym.checks.episodes import Sight, oracle, play
from textgym.checks.subject import Subject
from textgym.messages import Message, text_of
from textgym.tasks.hashing import hash_int

__all__ = ["Form", "Knowledge", "Lesson", "form_of", "learn", "training_tasks", "unseen_tasks"]

_SINGLE, _MULTI, _QUICK = 1000, 300, 60  # how many training tasks are watched
_UNSEEN_SEED = 1_000_000  # the first seed of the episodes to be tried on, without splits


@dataclass(frozen=True)
class Lesson:
    """A training task with the oracle's replies; empty if there is no oracle."""

    prompt: str
    replies: tuple[Message, ...] = ()

    @property
    def answer(self) -> str:
        """The text of the last reply."""
        return text_of(self.replies[-1]) if self.replies else ""

    def reply(self, turn: int) -> Message:
        """Return the reply of a turn; the last one ever after."""
        return self.replies[min(turn, len(self.replies) - 1)]


@dataclass(frozen=True)
class Form:
    r"""The form of a final answer: what stands around it.

    Example:
        >>> Form("\\boxed{", "}").fill("7")
        '\\boxed{7}'
    """

    before: str = ""
    after: str = ""

    def fill(self, answer: str) -> str:
        """Return a message with an answer in this form."""
        return f"{self.before}{answer}{self.after}"

    def core(self, text: str) -> str:
        """Return the answer in a message of this form."""
        return text.removeprefix(self.before).removesuffix(self.after)


@dataclass(frozen=True)
class Knowledge:
    """What an attacker may know."""

    lessons: Sequence[Lesson] = field(default=(), repr=False)

    @cached_property
    def solved(self) -> list[Lesson]:
        """The training tasks whose oracle's replies are known."""
        return [lesson for lesson in self.lessons if lesson.replies]

    @cached_property
    def form(self) -> Form:
        """The form of a final answer."""
        return form_of(
            [lesson.answer for lesson in self.solved], [lesson.prompt for lesson in self.lessons]
        )

    @cached_property
    def answers(self) -> list[str]:
        """The answers without their form, the most frequent first."""
        return _by_frequency(self.form.core(lesson.answer) for lesson in self.solved)

    @cached_property
    def plans(self) -> list[Lesson]:
        """Training tasks whose replies call tools, one for each sequence of replies.

        The most frequent sequence comes first.
        """
        called = {json.dumps(x.replies): x for x in self.solved if _calls(x)}
        found = _by_frequency(json.dumps(lesson.replies) for lesson in self.solved)
        return [called[text] for text in found if text in called]

    def another(self, sight: Sight) -> Lesson:
        """Return a solved training task, the same at all turns of an episode.

        Raises:
            NotApplicable: There is none.
        """
        prompt = prompt_of(sight.messages)
        others = [lesson for lesson in self.solved if lesson.prompt != prompt]
        if not others:
            raise NotApplicable
        return others[hash_int("another", prompt) % len(others)]


def _calls(lesson: Lesson) -> bool:
    return any(reply.get("tool_calls") for reply in lesson.replies)


def _by_frequency(items: Iterable[str]) -> list[str]:
    counts = Counter(items)
    return sorted(counts, key=lambda item: (-counts[item], item))


def form_of(answers: Sequence[str], prompts: Sequence[str]) -> Form:
    r"""Return what is common to all final messages; where that is nothing, guess from a prompt.

    A part that ends within a word is shortened to the end of the word before.

    Example:
        >>> form_of(["Answer: 12", "Answer: 15"], [])
        Form(before='Answer: ', after='')
        >>> form_of([], ["Put the answer in \\boxed{}."])
        Form(before='\\boxed{', after='}')
    """
    different = {*answers}
    if len(different) > 1:
        before = _shared_start(different)
        after = _shared_start({text[len(before) :][::-1] for text in different})[::-1]
        if before or after:
            return Form(before, after)
    for mark, form in (("\\boxed", Form("\\boxed{", "}")), ("Answer:", Form("Answer: "))):
        if prompts and all(mark in prompt for prompt in prompts):
            return form
    return Form()


def _shared_start(texts: Collection[str]) -> str:
    """Return what all texts start with, cut back to where a word or a number ends."""
    low, high = min(texts), max(texts)
    length = 0
    while length < len(low) and low[length] == high[length]:
        length += 1
    while length and (low[length - 1].isalnum() or low[length - 1] == "-"):
        length -= 1
    return low[:length]


def training_tasks(subject: Subject, env: Any, count: int) -> Iterator[int]:
    """Yield the tasks that may be learned from: of a data set, the first half."""
    own = subject.is_text_env and not subject.has_splits
    yield from range(min(count, env.num_tasks // 2) if own else count)


def unseen_tasks(subject: Subject, env: Any) -> Iterator[int]:
    """Yield the tasks to be tried on: those of the test split, or of the second half.

    Tasks of a `TextEnv` whose row has `no_op` are left out: in those, nothing has to be done.
    """
    if not subject.is_text_env:
        yield from range(_UNSEEN_SEED, _UNSEEN_SEED + 500)
        return
    start = 0 if subject.has_splits else env.num_tasks // 2
    for index in range(start, env.num_tasks):
        if not env.get_task(index).row.get("no_op"):
            yield index


def learn(subject: Subject) -> Knowledge:
    """Watch the oracle on training tasks."""
    env = subject.make_split("train")
    single = getattr(env, "max_turns", None) == 1
    count = _QUICK if subject.quick else _SINGLE if single else _MULTI
    return Knowledge(
        [_lesson(subject, env, single, index) for index in training_tasks(subject, env, count)]
    )


def _lesson(subject: Subject, env: Any, single: bool, index: int) -> Lesson:
    place = subject.reset_to(index)
    if subject.defines("solve") and not single:
        episode = play(env, oracle(env), **place)
        return Lesson(prompt_of(episode.steps[0][0]), tuple(map(as_message, episode.actions)))
    observation, _ = env.reset(seed=place.pop("seed", None), options=place or None)
    replies = (env.solve(),) if subject.defines("solve") else ()  # its grade is not needed
    return Lesson(prompt_of(observation), replies)
