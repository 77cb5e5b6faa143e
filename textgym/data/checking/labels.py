"""Labels: the right answers of rows earn the maximum, and wrong ones the minimum.

The environment grades both. Wrong answers are the other letters of a choice; else guesses, and the
answers of other rows. An answer of another row may be right as well. So a row that is not multiple
choice is reported only if two different wrong answers earn the maximum, or if a different whole
number does.

Invariants: rows are graded in their order, even in several threads; nothing that an environment
does with a row raises an exception.
"""

from __future__ import annotations

import math
import queue
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from textgym.checks.episodes import Episode, defines, guesses, oracle, play, say, send
from textgym.checks.soundness.mutations import answer_span
from textgym.concurrency.calls import step_may_block
from textgym.core.text_env import TextEnv
from textgym.data.checking.content import Item, options_of
from textgym.errors import BoundaryFailure, OracleError, in_one_line
from textgym.messages import Message, text_of
from textgym.tasks.task import hash_int
from textgym.verifiers.exact import normalize_answer

__all__ = ["Label", "Labels"]

_THREADS = 4
_OTHERS = 2  # answers of other rows that are tried
_KEPT = 16  # answers that they are drawn from
_WHOLE = re.compile(r"-?\d{1,30}")
_SHOWN = 60  # characters of an answer
_OFFLINE = ("", "rule", "chosen")  # judges that ask no model

Others = Sequence[tuple[str, Message]]
"""The answers of other rows, and the messages that give them."""


@dataclass(slots=True)
class Label:
    """What the environment said about the answers of a row.

    Attributes:
        solution: The oracle's only message; None if there are several, or none.
        said: The answer in it as the environment read it.
        findings: The kind and the reason of each finding.
        failure: Why the row could not be graded; "" if it was.
    """

    solution: Message | None = None
    said: str = ""
    findings: list[tuple[str, str]] = field(default_factory=list)
    failure: str = ""


class Labels:
    """Grades the answers of rows, in several threads if the environment waits for its verifier.

    Args:
        make: Makes the environment, without wrappers. Its caller closes it.
        seed: The seed of guesses.

    Attributes:
        unverified: Why no row can be graded; "" if rows can be.
    """

    def __init__(self, make: Callable[[], TextEnv[Any]], seed: int = 0) -> None:
        self._make, self._seed = make, seed
        env = make()
        self._idle: queue.SimpleQueue[TextEnv[Any]] = queue.SimpleQueue()
        self._idle.put(env)
        self._threads = _THREADS if step_may_block(env) else 1
        low, self._high = env.reward_range
        self._floor = max(low, 0.0)  # a minimum below 0 is for penalties
        self._has_several_answers = env.card.several_answers
        self.unverified = ""
        if not defines(env, "solve"):
            self.unverified = f"{env.card.id} has no oracle (solve)"
        elif env.judge_name not in _OFFLINE:
            self.unverified = f"its judge {env.judge_name} would be asked for each row"

    def verify(self, items: Sequence[Item]) -> list[Label]:
        """Return what the environment says about each of some rows."""
        with ExitStack() as stack:
            each: Callable[..., Iterator[Any]] = map
            if self._threads > 1:
                each = stack.enter_context(ThreadPoolExecutor(self._threads)).map
            labels = [*each(self._solve, items)]
            solved = [
                (str(item.task.answer), label.solution)
                for item, label in zip(items, labels, strict=True)
                if label.solution is not None
            ]
            others = solved[:: max(1, len(solved) // _KEPT)]
            return [*each(lambda item, label: self._try_wrong(item, label, others), items, labels)]

    def _solve(self, item: Item) -> Label:
        """Grade the oracle in a row."""
        with self._borrowed() as env:
            label = Label()
            try:
                episode = play(env, oracle(env), task=item.row)
            except BoundaryFailure as failure:
                label.failure = f"{failure.boundary}: {in_one_line(failure)}"
            except OracleError as error:
                label.findings.append(("label_unreadable", str(error)))
            except Exception as error:  # an environment may raise anything
                problem = f"cannot be graded: {in_one_line(error)}"
                label.findings.append(("label_unreadable", problem))
            else:
                self._judge(item, episode, label)
            return label

    def _judge(self, item: Item, episode: Episode, label: Label) -> None:
        if self._is_full(episode):
            if len(episode.actions) == 1:
                label.solution, label.said = episode.actions[0], _said(episode)
            return
        reason = episode.info.get("verdict_reason", "")
        kind = "label_unreadable" if reason == "unreadable" else "label_gold"
        shown = str(item.task.answer)[:_SHOWN]
        problem = f"the answer {shown!r} earns {episode.total:g}, not {self._high:g} ({reason})"
        label.findings.append((kind, problem))

    def _try_wrong(self, item: Item, label: Label, others: Others) -> Label:
        """Grade wrong answers in a row that the oracle solved with one message."""
        solution, options = label.solution, options_of(item.task)
        if solution is not None:
            with self._borrowed() as env:
                try:
                    problem = (
                        self._try_letters(env, item, solution, options)
                        if options
                        else self._try_others(env, item, label.said, others)
                    )
                except Exception as error:  # an environment may raise anything
                    problem = f"a wrong answer cannot be graded: {in_one_line(error)}"
            if problem:
                label.findings.append(("label_wrong_accepted", problem))
        return label

    @contextmanager
    def _borrowed(self) -> Iterator[TextEnv[Any]]:
        try:
            env = self._idle.get_nowait()
        except queue.Empty:
            env = self._make()
        try:
            yield env
        finally:
            self._idle.put(env)

    def _is_full(self, episode: Episode) -> bool:
        if self._high == math.inf:
            return bool(episode.info.get("is_success"))
        return episode.total >= self._high

    def _try_letters(
        self, env: TextEnv[Any], item: Item, solution: Message, options: Iterable[str]
    ) -> str:
        """Return which other letter earns more than the minimum; "" if none does."""
        text, answer = text_of(solution), item.task.answer
        start, end = answer_span(text, answer)
        for letter in options:
            if letter != answer and text[start:end] == answer:
                episode = play(env, say(text[:start] + letter + text[end:]), task=item.row)
                if episode.total > self._floor:
                    return f"the option {letter} earns {episode.total:g}, and {answer} is right"
        return ""

    def _try_others(self, env: TextEnv[Any], item: Item, right: str, others: Others) -> str:
        """Return which guesses and answers of other rows earn too much; "" if none does."""
        rng = random.Random(hash_int(self._seed, item.task.id))
        own = str(item.task.answer)
        different = [message for answer, message in others if answer != own]
        tried = rng.sample(different, min(_OTHERS, len(different)))
        policies = [guesses(env)] if defines(env, "guess") else []
        policies += [send([message]) for message in tried]
        accepted = dict[str, float]()
        for policy in policies:
            episode = play(env, policy, task=item.row)
            if episode.total <= self._floor:
                continue
            if self._is_full(episode):
                accepted[_said(episode)] = episode.total
            elif not any(value > 0 for value in episode.info["reward_components"].values()):
                return f"a wrong answer earns {episode.total:g}: {_said(episode)[:_SHOWN]!r}"
        accepted.pop(right, None)
        is_other_number = any(_WHOLE.fullmatch(text) for text in accepted) and _WHOLE.fullmatch(
            right
        )
        if self._has_several_answers or not (is_other_number or len(accepted) > 1):
            return ""
        shown = " and ".join(repr(text[:_SHOWN]) for text in accepted)
        verb = "earns" if len(accepted) == 1 else "earn"
        return f"{shown} {verb} {self._high:g}, and the answer is {own[:_SHOWN]!r}"


def _said(episode: Episode) -> str:
    """Return the answer of an episode as the environment read it, or else its last text."""
    answer = episode.info.get("extracted_answer") or text_of(episode.actions[-1])
    return normalize_answer(answer)
