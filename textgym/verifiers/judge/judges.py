"""Judges compare a generated answer with the expected one.

A judge is `rule`, which compares texts, or a policy, or a callable from messages to text.

Invariants:

- A reply without a verdict, by the rules of `labels`, is a `JudgeFailure`. If the judge is honest,
  no generated answer can cause one.
- A comparison that has a verdict is not asked again.
- Equal specs are one object per process, so they share their verdicts and their concurrency limit.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Unpack
from weakref import WeakValueDictionary

from textgym.concurrency import event_loops as background
from textgym.errors import (
    ContextFullError,
    JudgeFailure,
    UnknownNameError,
    UsageError,
    did_you_mean,
)
from textgym.json_values import canonical_json
from textgym.names import import_object
from textgym.policies.base import Policy
from textgym.policies.specs import POLICY_KINDS, make_policy
from textgym.tasks.task import hash_int
from textgym.verifiers.exact import match
from textgym.verifiers.judge.client import ReplyClient, ReplyFunction
from textgym.verifiers.judge.prompt import JudgeOptions, JudgePrompt
from textgym.verifiers.stated import named_form

__all__ = [
    "Judge", "JudgeLike", "JudgeVerdict", "ModelJudge", "RuleJudge", "compare_both_ways",
    "make_judge",
]  # fmt: skip

JudgeLike = str | Policy | ReplyFunction
"""What `make_judge` accepts: a spec, a policy, or a callable from messages to text."""

_KINDS = tuple(kind for kind in POLICY_KINDS if kind not in ("oracle", "random"))
_MAX_ATTEMPTS = 2  # requests for one verdict
_MAX_ANSWER = 50_000  # characters
_MAX_KEPT = 20_000  # verdicts
_SAMPLING = {"temperature": 0.0, "max_tokens": 2048}


@dataclass(frozen=True, slots=True)
class JudgeVerdict:
    """The result of one comparison.

    Attributes:
        equal: Whether the two answers mean the same.
        reply: The judge's reply; "" if no model was asked.
        too_long: Whether the generated answer was too long to be judged, and so is not equal.
        forged_label: Whether the generated answer itself contains one of the judge's labels, and so
            is not equal. No model was asked.
    """

    equal: bool
    reply: str = ""
    too_long: bool = False
    forged_label: bool = False


class Judge:
    """Compares two answers to a question. Subclasses define `compare`.

    Attributes:
        name: The judge's spec or name, as shown in `info["judge"]`.
        blocking: Whether `compare` may wait.
    """

    name: str = "judge"
    blocking: bool = True

    def compare(
        self, question: str, expected: str, generated: str, *, swap: bool = False, draw: int = 0
    ) -> JudgeVerdict:
        """Compare a generated answer with the expected one.

        Args:
            question: The question.
            expected: The right answer.
            generated: The answer to judge.
            swap: Whether to exchange the places of the two answers, which reveals a biased judge.
            draw: Comparisons of the same texts with different numbers are judged separately.

        Raises:
            JudgeFailure: The judge gave no verdict. It may be asked again.
        """
        raise NotImplementedError(f"{type(self).__name__} must define compare")


class RuleJudge(Judge):
    """`rule`: two answers are equal as texts or as numbers, see `textgym.verifiers.match`.

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
        return JudgeVerdict(match(expected, generated, named_form(question)))


class ModelJudge(Judge):
    """A judge that asks a policy or a callable, and keeps its verdicts.

    Args:
        client: Sends the requests.
        prompt: Writes the requests and reads the replies.
    """

    def __init__(self, client: ReplyClient, prompt: JudgePrompt) -> None:
        self.name = client.name
        self._client = client
        self._prompt = prompt
        self._verdicts: dict[bytes, JudgeVerdict] = {}
        self._pending: dict[tuple[object, bytes], asyncio.Task[JudgeVerdict]] = {}

    def compare(
        self, question: str, expected: str, generated: str, *, swap: bool = False, draw: int = 0
    ) -> JudgeVerdict:
        """Ask for a verdict, or return the one that is kept; see `Judge.compare`.

        No model is asked, and the answers are not equal, if the generated answer is empty, has over
        50,000 characters and is over four times as long as the expected one, or contains one of the
        judge's labels, in any spelling, that neither the question nor the expected answer contains.
        An answer is also too long if it does not fit the judge's context although the expected
        answer in its place does. Text up to a `</think>` is reasoning, and is not shown to the
        judge.
        """
        _, _, generated = generated.rpartition("</think>")  # a judge may quote the tag
        if not generated.strip():
            return JudgeVerdict(False)
        if len(generated) > max(_MAX_ANSWER, 4 * len(expected)):
            return JudgeVerdict(False, too_long=True)
        if self._prompt.is_forged(question, expected, generated):
            return JudgeVerdict(False, forged_label=True)
        texts = (question, generated, expected) if swap else (question, expected, generated)
        comparison = canonical_json([*texts, swap, draw])
        key = blake2b(comparison.encode(), digest_size=16).digest()
        known = self._verdicts.get(key)
        if known is not None:
            return known
        try:
            return background.run(self._shared(key, texts))
        except ContextFullError:
            self._check_room(question, expected)
            return JudgeVerdict(False, too_long=True)

    def _check_room(self, question: str, expected: str) -> None:
        """Raise a `JudgeFailure` if not even the expected answer, in both places, fits."""
        messages = self._prompt.messages(question, expected, expected)
        try:
            background.run(self._client.ask(messages, 0))
        except ContextFullError as error:
            raise JudgeFailure(f"the judge {self.name} cannot hold the task: {error}") from None

    async def _shared(self, key: bytes, texts: tuple[str, str, str]) -> JudgeVerdict:
        """Ask, or wait for the same comparison if it has been asked and not answered yet."""
        pending = asyncio.get_running_loop(), key
        task = self._pending.get(pending)
        if task is None:
            task = asyncio.create_task(self._ask(key, texts))
            self._pending[pending] = task
            task.add_done_callback(lambda done: self._keep(pending, done))
        return await asyncio.shield(task)

    def _keep(self, pending: tuple[object, bytes], task: asyncio.Task[JudgeVerdict]) -> None:
        """Keep the verdict of a comparison that has ended, unless it failed."""
        del self._pending[pending]
        if not task.cancelled() and task.exception() is None:
            while len(self._verdicts) >= _MAX_KEPT:
                del self._verdicts[next(iter(self._verdicts))]
            self._verdicts[pending[1]] = task.result()

    async def _ask(self, key: bytes, texts: tuple[str, str, str]) -> JudgeVerdict:
        reply = ""
        for attempt in range(_MAX_ATTEMPTS):
            messages = self._prompt.messages(*texts, again=attempt > 0)
            reply = await self._client.ask(messages, hash_int(key.hex(), attempt))
            equal = self._prompt.read(reply, *texts)
            if equal is not None:
                return JudgeVerdict(equal, reply)
        raise JudgeFailure(
            f"the judge {self.name} gave no clear verdict in {_MAX_ATTEMPTS} attempts: "
            f"{reply.strip()[-80:]!r}"
        )


def compare_both_ways(
    judge: Judge, question: str, expected: str, generated: str
) -> list[JudgeVerdict]:
    """Compare two answers and, if they are equal, compare them again in the other order.

    Returns:
        One verdict if it is a no; otherwise the verdicts of both orders.

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
    instance: Judge | None = known.get(key)
    if instance is None:
        made = RuleJudge() if judge == "rule" else _model_judge(judge, prompt, sampling, *limits)
        instance = known.setdefault(key, made)
    return instance


def _check_limits(concurrency: int | None, timeout: float) -> None:
    if concurrency is not None and (type(concurrency) is not int or concurrency < 1):
        raise UsageError(
            "judge_endpoint_max_concurrency must be a positive integer or None, "
            f"not {concurrency!r}"
        )
    number = isinstance(timeout, (int, float)) and not isinstance(timeout, bool)
    if not number or not math.isfinite(timeout) or timeout <= 0:
        raise UsageError(f"judge_timeout must be a positive number of seconds, not {timeout!r}")


def _sampling(judge: JudgeLike, settings: Mapping[str, Any] | None) -> dict[str, Any]:
    if settings is None:
        return _SAMPLING
    if not isinstance(judge, str) or judge.partition(":")[0] not in _KINDS:
        raise UsageError("judge_sampling needs a judge that is named like a policy: openai:MODEL")
    if not isinstance(settings, Mapping):
        raise UsageError(f"judge_sampling must map settings by name, not be {settings!r}")
    return {**_SAMPLING, **settings}


def _name_of(judge: Any) -> str:
    if isinstance(judge, str):
        return judge
    if isinstance(judge, Policy):
        return judge.name
    if not callable(judge):
        raise UsageError(
            "a judge must be a spec, a policy or a callable from messages to text, "
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
    def make() -> Policy | ReplyFunction:
        if not isinstance(judge, str):
            return judge
        kind, colon, rest = judge.partition(":")
        if kind in _KINDS:
            return make_policy(judge, sampling)
        if not colon or not rest:
            hint = did_you_mean(kind, ("rule", *_KINDS))
            raise UnknownNameError(f"there is no judge {judge!r}{hint}; or use module:attribute")
        return _attribute(judge)

    return ModelJudge(ReplyClient(_name_of(judge), make, concurrency, timeout), prompt)


def _attribute(spec: str) -> Policy | ReplyFunction:
    try:
        value = import_object(spec)
    except UnknownNameError as error:
        raise UnknownNameError(f"there is no judge {spec!r}: {error}") from None
    if isinstance(value, type) or not (callable(value) or isinstance(value, Policy)):
        raise UsageError(f"the judge {spec!r} is neither a policy nor a callable: {value!r}")
    judge: Policy | ReplyFunction = value
    return judge
