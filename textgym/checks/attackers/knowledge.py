"""What an attacker is, and what it may know: the oracle's episodes on training tasks.

Invariants: nothing comes from a test task; without an oracle, only the prompts are known.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from textgym.checks.attackers.prompts import prompt_of
from textgym.checks.episodes import NotApplicable, as_message, oracle, play
from textgym.checks.subject import Subject
from textgym.messages import Message, text_of
from textgym.policies import Policy
from textgym.tasks.task import hash_int

__all__ = ["Attacker", "Form", "Knowledge", "Lesson", "form_of", "learn", "unseen_tasks"]

_SINGLE, _MULTI, _QUICK = 1000, 300, 60  # how many training tasks are watched
_UNSEEN_SEED = 1_000_000  # the first seed of test episodes of an environment without splits


@dataclass(frozen=True)
class Attacker:
    """A policy that knows the form of an answer but not the answer.

    Attributes:
        name: Its name in reports, which does not change.
        summary: What it does, in one plain sentence.
        policy: The policy. It may raise `NotApplicable`.
        family: What kind of attack it is, such as `texts` or `calls`.
        most_tasks: The maximum number of tasks that it plays; None for as many as the others.
    """

    name: str
    summary: str
    policy: Policy
    family: str
    most_tasks: int | None = None


@dataclass(frozen=True)
class Lesson:
    """A training task with the oracle's replies, which are empty if there is no oracle."""

    prompt: str
    replies: tuple[Message, ...] = ()

    @property
    def answer(self) -> str:
        """The text of the last reply."""
        return text_of(self.replies[-1]) if self.replies else ""

    def reply(self, turn: int) -> Message:
        """Return the reply of a turn, or the last reply after the end."""
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
        """The training tasks with known replies of the oracle."""
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
        calling = {
            json.dumps(lesson.replies): lesson
            for lesson in self.solved
            if any(reply.get("tool_calls") for reply in lesson.replies)
        }
        sequences = _by_frequency(json.dumps(lesson.replies) for lesson in self.solved)
        return [calling[text] for text in sequences if text in calling]

    def another(self, messages: Sequence[Message]) -> Lesson:
        """Return a solved training task, the same at all turns of an episode.

        Args:
            messages: The conversation of the episode.

        Raises:
            NotApplicable: There is no other solved task.
        """
        prompt = prompt_of(messages)
        others = [lesson for lesson in self.solved if lesson.prompt != prompt]
        if not others:
            raise NotApplicable
        return others[hash_int("another", prompt) % len(others)]


def _by_frequency(texts: Iterable[str]) -> list[str]:
    counts = Counter(texts)
    return sorted(counts, key=lambda text: (-counts[text], text))


def form_of(answers: Sequence[str], prompts: Sequence[str]) -> Form:
    r"""Return what all final messages share; if they share nothing, guess from the prompts.

    A shared part that ends within a word is cut back to the previous word.

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
    """Return the shared start of all texts, cut back to the end of a word or number."""
    low, high = min(texts), max(texts)
    length = 0
    while length < len(low) and low[length] == high[length]:
        length += 1
    while length and (low[length - 1].isalnum() or low[length - 1] == "-"):
        length -= 1
    return low[:length]


def unseen_tasks(subject: Subject, env: Any) -> Iterator[int]:
    """Yield the tasks that attackers play: the test split, or the second half of a data set.

    Tasks of a `TextEnv` whose row has `no_op` are left out, because nothing has to be done there.
    """
    if not subject.is_text_env:
        yield from range(_UNSEEN_SEED, _UNSEEN_SEED + 500)
        return
    start = 0 if subject.has_splits else env.num_tasks // 2
    for index in range(start, env.num_tasks):
        if not env.get_task(index).row.get("no_op"):
            yield index


def learn(subject: Subject) -> Knowledge:
    """Watch the oracle on training tasks: the train split, or the first half of a data set."""
    env = subject.make_split("train")
    single = getattr(env, "max_turns", None) == 1
    count = _QUICK if subject.quick else _SINGLE if single else _MULTI
    if subject.is_text_env and not subject.has_splits:
        count = min(count, env.num_tasks // 2)
    return Knowledge([_lesson(subject, env, single, index) for index in range(count)])


def _lesson(subject: Subject, env: Any, single: bool, index: int) -> Lesson:
    selection = subject.reset_to(index)
    if subject.defines("solve") and not single:
        episode = play(env, oracle(env), **selection)
        return Lesson(prompt_of(episode.steps[0][0]), tuple(episode.actions))
    observation, _ = env.reset(seed=selection.pop("seed", None), options=selection or None)
    replies = (as_message(env.solve()),) if subject.defines("solve") else ()  # no grade is needed
    return Lesson(prompt_of(observation), replies)
