"""Judges: whether a generated answer means the same as the expected one.

A judge is `rule`, which compares texts, or any policy, or any callable from messages to text.

Invariants: what is no verdict by the rules of `judge_labels.py` is a `JudgeFailure`; where the
judge is honest, no generated answer can cause one; what was judged once is not asked again; equal
specs are one object a process, so that they share their verdicts and their limit.
"""

from __future__ import annotations

import asyncio
import importlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Unpack
from weakref import WeakValueDictionary

from textgym.concurrency import background_loop as background
from textgym.errors import (
    ContextFullError,
    JudgeFailure,
    UnknownNameError,
    UsageError,
    did_you_mean,
)
from textgym.policies.base import Policy
from textgym.policies.specs import POLICY_KINDS, make_policy
from textgym.tasks.task import canonical_json, hash_int
from textgym.verifiers.exact import same_answer
from textgym.verifiers.judge_asking import Asker, Replies
from textgym.verifiers.judge_options import JudgeOptions
from textgym.verifiers.judge_prompt import JudgePrompt

__all__ = [
    "Judge",
    "JudgeLike",
    "JudgeVerdict",
    "ModelJudge",
    "RuleJudge",
    "compare_both_ways",
    "make_judge",
]

JudgeLike = str | Policy | Replies
"""What a judge can be made of: a spec, a policy, or a callable from messages to text."""

_KINDS = tuple(kind for kind in POLICY_KINDS if kind not in ("oracle", "random"))
_ASKED = 2  # times, where a reply gives no verdict
_LONGEST_ANSWER = 50_000
_MOST_KEPT = 20_000
_SAMPLING = {"temperature": 0.0, "max_tokens": 2048}


@dataclass(frozen=True, slots=True)
class JudgeVerdict:
    """What a judge found.

    Attributes:
        equal: Whether the two answers mean the same.
        reply: What the judge said; "" where nobody was asked.
        too_long: Whether the generated answer was too long to be read, and so is not equal.
        forged_label: Whether the generated answer wrote one of the judge's labels itself, and so is
            not equal; nobody was asked.
    """

    equal: bool
    reply: str = ""
    too_long: bool = False
    forged_label: bool = False


class Judge:
    """What compares two answers to a question. Subclasses define `compare`.

    Attributes:
        name: The spec, or what `info["judge"]` calls it.
        blocking: Whether `compare` may wait.
    """

    name: str = "judge"
    blocking: bool = True

    def compare(
        self, question: str, expected: str, generated: str, *, swap: bool = False, draw: int = 0
    ) -> JudgeVerdict:
        """Compare a generated answer with the expected one.

        Args:
            question: What was asked.
            expected: The right answer.
            generated: The answer to be judged.
            swap: Whether the two stand in each other's place, which shows a judge's bias.
            draw: Tells apart comparisons of the same texts that are to be judged anew.

        Raises:
            JudgeFailure: There is no verdict; it can be asked again.
        """
        raise NotImplementedError(f"{type(self).__name__} must define compare")


class RuleJudge(Judge):
    """`rule`: two answers are the same as texts or as numbers, see `exact.same_answer`.

    Example:
        >>> RuleJudge().compare("Where is it?", "Eiffel Tower", "The Eiffel tower.").equal
        True
    """

    name = "rule"
    blocking = False

    def compare(
        self, question: str, expected: str, generated: str, *, swap: bool = False, draw: int = 0
    ) -> JudgeVerdict:
        """Compare the two texts; see `Judge.compare`."""
        return JudgeVerdict(same_answer(expected, generated))


class ModelJudge(Judge):
    """A policy or a callable that is asked, and whose verdicts are kept.

    Args:
        asker: Who is asked.
        prompt: What it is asked, and how its replies are read.
    """

    def __init__(self, asker: Asker, prompt: JudgePrompt) -> None:
        self.name = asker.name
        self._asker = asker
        self._prompt = prompt
        self._verdicts: dict[bytes, JudgeVerdict] = {}
        self._under_way: dict[tuple[object, bytes], asyncio.Task[JudgeVerdict]] = {}

    def compare(
        self, question: str, expected: str, generated: str, *, swap: bool = False, draw: int = 0
    ) -> JudgeVerdict:
        """Ask for a verdict, or take the one that was given before; see `Judge.compare`.

        An answer that is too long to be read is not equal: one of over 50,000 characters and four
        times the expected one's, or one that does not fit the judge's context where the expected
        answer in its place does. Nor is an answer that writes one of the judge's labels, in any
        spelling, which neither the question nor the expected answer holds. What stands before a
        `</think>` is reasoning, and is not shown.
        """
        _, _, generated = generated.rpartition("</think>")  # which a judge may quote
        if len(generated) > max(_LONGEST_ANSWER, 4 * len(expected)):
            return JudgeVerdict(False, too_long=True)
        if self._prompt.is_forged(question, expected, generated):
            return JudgeVerdict(False, forged_label=True)
        texts = (question, generated, expected) if swap else (question, expected, generated)
        key = _digest(texts, swap, draw)
        known = self._verdicts.get(key)
        if known is not None:
            return known
        try:
            return background.run(self._shared(key, texts))
        except ContextFullError:
            self._check_room(question, expected)
            return JudgeVerdict(False, too_long=True)

    def _check_room(self, question: str, expected: str) -> None:
        """Raise a `JudgeFailure` where not even the expected answer, in both places, fits."""
        messages = self._prompt.messages(question, expected, expected)
        try:
            background.run(self._asker.ask(messages, 0))
        except ContextFullError as error:
            raise JudgeFailure(f"the judge {self.name} cannot hold the task: {error}") from None

    async def _shared(self, key: bytes, texts: tuple[str, str, str]) -> JudgeVerdict:
        """Ask, or wait with those who ask the same at this moment."""
        place = asyncio.get_running_loop(), key
        task = self._under_way.get(place)
        if task is None:
            task = asyncio.create_task(self._ask(key, texts))
            self._under_way[place] = task
            task.add_done_callback(lambda done: self._end(place, done))
        return await asyncio.shield(task)

    def _end(self, place: tuple[object, bytes], task: asyncio.Task[JudgeVerdict]) -> None:
        del self._under_way[place]
        if not task.cancelled() and task.exception() is None:
            while len(self._verdicts) >= _MOST_KEPT:
                del self._verdicts[next(iter(self._verdicts))]
            self._verdicts[place[1]] = task.result()

    async def _ask(self, key: bytes, texts: tuple[str, str, str]) -> JudgeVerdict:
        reply = ""
        for attempt in range(_ASKED):
            messages = self._prompt.messages(*texts, again=attempt > 0)
            reply = await self._asker.ask(messages, hash_int(key.hex(), attempt))
            equal = self._prompt.read(reply, *texts)
            if equal is not None:
                return JudgeVerdict(equal, reply)
        raise JudgeFailure(
            f"the judge {self.name} gave no one verdict, asked {_ASKED} times: "
            f"{reply.strip()[-80:]!r}"
        )


def _digest(texts: tuple[str, str, str], swap: bool, draw: int) -> bytes:
    told = canonical_json([*texts, swap, draw])
    return blake2b(told.encode(), digest_size=16).digest()


def compare_both_ways(
    judge: Judge, question: str, expected: str, generated: str
) -> list[JudgeVerdict]:
    """Compare, and after a yes once more with the answers in each other's place.

    Returns:
        One verdict, which is a no; or two, of which the first is a yes.

    Example:
        >>> [verdict.equal for verdict in compare_both_ways(RuleJudge(), "1 + 1?", "2", "2.0")]
        [True, True]
    """
    verdicts = [judge.compare(question, expected, generated)]
    if verdicts[0].equal:
        verdicts.append(judge.compare(question, expected, generated, swap=True))
    return verdicts


_of_specs: dict[Any, Judge] = {}
_of_objects: WeakValueDictionary[Any, Judge] = WeakValueDictionary()


def make_judge(judge: JudgeLike = "rule", **options: Unpack[JudgeOptions]) -> Judge:
    """Make a judge, or return the one that was made with the same arguments.

    Args:
        judge: `rule`; `openai:MODEL@BASE_URL` or `hf:MODEL`, as policies are named;
            `module:attribute`; or a policy, or a callable (a coroutine function too) from messages
            to text.
        **options: How the judge is asked, see `JudgeOptions`.

    Raises:
        UnknownNameError: There is no such judge.
        UsageError: An argument is wrong.
        ExtraMissingError: The judge needs an optional package.

    Example:
        >>> make_judge("rule").compare("2 + 2?", "4", "4.").equal
        True
        >>> judge = make_judge(lambda messages: "[[A!=B]]")
        >>> judge.compare("2 + 2?", "4", "5").equal
        False
    """
    if unknown := options.keys() - JudgeOptions.__annotations__.keys():
        raise TypeError(f"make_judge() got an unexpected keyword argument {min(unknown)!r}")
    limits = options.get("judge_endpoint_max_concurrency", 64), options.get("judge_timeout", 600.0)
    _check_limits(*limits)
    prompt = JudgePrompt(
        options.get("judge_prompt_template"),
        options.get("judge_system_message"),
        options.get("judge_equal_label", "[[A=B]]"),
        options.get("judge_not_equal_label", "[[A!=B]]"),
    )
    sampling = _sampling(judge, options.get("judge_sampling"))
    known: Any = _of_specs if isinstance(judge, str) else _of_objects
    key = _name_of(judge), _key_of(judge), prompt, limits, canonical_json(sampling)
    found: Judge | None = known.get(key)
    if found is None:
        made = RuleJudge() if judge == "rule" else _model_judge(judge, prompt, sampling, *limits)
        found = known.setdefault(key, made)
    return found


def _check_limits(concurrency: int | None, timeout: float) -> None:
    if concurrency is not None and (type(concurrency) is not int or concurrency < 1):
        raise UsageError(
            f"judge_endpoint_max_concurrency is a number of 1 or more, or None, not {concurrency!r}"
        )
    number = isinstance(timeout, (int, float)) and not isinstance(timeout, bool)
    if not number or not math.isfinite(timeout) or timeout <= 0:
        raise UsageError(f"judge_timeout is a number of seconds over 0, not {timeout!r}")


def _sampling(judge: JudgeLike, given: Mapping[str, Any] | None) -> dict[str, Any]:
    if given is None:
        return _SAMPLING
    if not isinstance(judge, str) or judge.partition(":")[0] not in _KINDS:
        raise UsageError("judge_sampling is for a judge that is named as a policy is: openai:MODEL")
    if not isinstance(given, Mapping):
        raise UsageError(f"judge_sampling holds settings by name, not {given!r}")
    return {**_SAMPLING, **given}


def _name_of(judge: Any) -> str:
    if isinstance(judge, str):
        return judge
    if isinstance(judge, Policy):
        return judge.name
    if not callable(judge):
        raise UsageError(
            "a judge is a spec, a policy or a callable from messages to text, "
            f"not a {type(judge).__name__}"
        )
    named = judge if hasattr(judge, "__qualname__") else type(judge)
    return f"{named.__module__}:{named.__qualname__}"


def _key_of(judge: Any) -> Any:
    try:
        hash(judge)
    except TypeError:
        return id(judge)
    return judge


def _model_judge(
    judge: JudgeLike,
    prompt: JudgePrompt,
    sampling: Mapping[str, Any],
    concurrency: int | None,
    timeout: float,
) -> ModelJudge:
    def make() -> Policy | Replies:
        if not isinstance(judge, str):
            return judge
        kind, colon, rest = judge.partition(":")
        if kind in _KINDS:
            return make_policy(judge, sampling)
        if not colon or not rest:
            hint = did_you_mean(kind, ("rule", *_KINDS))
            raise UnknownNameError(f"there is no judge {judge!r}{hint}, or name module:attribute")
        return _attribute(judge)

    return ModelJudge(Asker(_name_of(judge), make, concurrency, timeout), prompt)


def _attribute(spec: str) -> Policy | Replies:
    module, _, name = spec.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise UnknownNameError(f"there is no judge {spec!r}: {error}") from None
    if isinstance(found, type) or not (callable(found) or isinstance(found, Policy)):
        raise UsageError(f"the judge {spec!r} is neither a policy nor a callable: {found!r}")
    judge: Policy | Replies = found
    return judge
