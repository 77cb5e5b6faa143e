"""What an episode holds besides its state: its conversation, its payments, and its verdict.

`Grade` is the verdict. A reward is a finite number in the environment's declared range. A failure
of the infrastructure is an exception (see `errors.py`), never a grade.

Invariants: messages are appended, and removed again only if a step fails; `Conversation.copy`
returns fresh copies.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from textgym.errors import RewardError, UsageError
from textgym.json_values import ATOMS, copy_json
from textgym.messages import Message, copy_plain_calls, split_reasoning, text_of, without_end_tokens
from textgym.verifiers.extract import last_line, latex_to_text
from textgym.verifiers.stated import read_stated

__all__ = ["VERDICT_REASONS", "Conversation", "Grade", "Payments", "verdict_reason"]

VERDICT_REASONS = (
    "", "empty", "refused", "unreadable", "several_answers", "wrong", "incomplete", "cut",
)  # fmt: skip
"""Why an episode did not earn the full reward; "" if it did:

- `empty`: the model wrote nothing.
- `refused`: it declined to answer.
- `unreadable`: no answer was found in its text.
- `several_answers`: it offered alternatives.
- `wrong`: the answer, or what was done, is wrong.
- `incomplete`: it is partly right.
- `cut`: a limit ended the episode.
"""


_ROUNDING = 1e-9  # of a sum of rewards


class Conversation:
    """The prompt of a task and the messages after it.

    Args:
        prompt: The messages of the task. They are never modified.

    Attributes:
        messages: All messages. Hand out only copies of them, see `copy`.
        prompt_length: The number of messages in the prompt.

    Example:
        >>> conversation = Conversation([{"role": "user", "content": "Tea or milk?"}])
        >>> conversation.add({"role": "assistant", "content": "Tea."})
        >>> [message["content"] for message in conversation.copy()]
        ['Tea or milk?', 'Tea.']
    """

    __slots__ = ("_nested", "messages", "prompt_length")

    def __init__(self, prompt: Iterable[Message] = ()) -> None:
        self.messages: list[Message] = []
        # What messages hold besides texts: place, key, value, and whether it is plain calls.
        self._nested: list[tuple[int, str, Any, bool]] = []
        for message in prompt:
            self.add(message)
        self.prompt_length = len(self.messages)

    def __len__(self) -> int:
        return len(self.messages)

    def add(self, message: Message) -> None:
        """Append a message. The caller must not keep a reference to it."""
        for name, value in message.items():
            if value.__class__ not in ATOMS:
                plain = name == "tool_calls" and copy_plain_calls(value) is not None
                self._nested.append((len(self.messages), name, value, plain))
        self.messages.append(message)

    def cut(self, length: int) -> None:
        """Remove all messages after the first `length`."""
        del self.messages[length:]
        while self._nested and self._nested[-1][0] >= length:
            self._nested.pop()

    def copy(self, start: int = 0) -> list[Message]:
        """Return copies of the messages from index `start` on."""
        copies: list[Any] = list(map(dict.copy, self.messages[start:]))  # type: ignore[arg-type]
        for place, name, value, plain in self._nested:
            if place < start:
                continue
            if plain:
                calls = []
                for call in value:
                    call = call.copy()
                    call["function"] = call["function"].copy()
                    calls.append(call)
            else:
                calls = copy_json(value)
            copies[place - start][name] = calls
        return copies

    def answer_text(self) -> str:
        """Return the last reply without reasoning and surrounding white space; "" if none."""
        for message in reversed(self.messages[self.prompt_length :]):
            if message["role"] == "assistant":
                text = split_reasoning(text_of(message))[1].strip()
                return without_end_tokens(text).rstrip() if text.endswith(">") else text
        return ""

    def replies(self) -> Iterator[Message]:
        """Yield the assistant messages after the prompt, the last one first."""
        for index in range(len(self.messages) - 1, self.prompt_length - 1, -1):
            if self.messages[index]["role"] == "assistant":
                yield self.messages[index]


@dataclass(slots=True)
class Grade:
    """The verdict on one episode.

    Attributes:
        reward: The episode's reward, in the environment's declared range.
        is_success: Whether the task was solved.
        components: Named parts of the verdict, each a finite number.
        extracted_answer: The answer as found in the model's text; "" if none was found. None if the
            environment does not look for an answer, for example because it grades a state: info
            then has "" and `"answer_sought": False`.
        info: Further entries for the info of the last step; each key always has the same type.
        verdict_reason: Why the reward is not full, one of `VERDICT_REASONS`. "" uses the default,
            which depends on the text and the answer.

    Example:
        >>> Grade(1.0, True, {"correct": 1.0}, extracted_answer="B").reward
        1.0
    """

    reward: float
    is_success: bool
    components: Mapping[str, float] = field(default_factory=dict)
    extracted_answer: str | None = None
    info: Mapping[str, Any] = field(default_factory=dict)
    verdict_reason: str = ""

    def entries(
        self,
        owner: str,
        reward_range: tuple[float, float],
        payments: Payments | None = None,
    ) -> dict[str, Any]:
        """Return the entries of the grade for the info of the last step.

        Args:
            owner: The environment's id, for errors.
            reward_range: The environment's declared range of returns.
            payments: The rewards of the steps, including the last one; None if there are none.

        Raises:
            RewardError: The return is outside the range, a component is not a finite number, a
                component comes from both `add_reward` and the grade, or the `verdict_reason` is not
                one of `VERDICT_REASONS`.

        Example:
            >>> Grade(1.0, True, extracted_answer="B").entries("demo/Echo-v0", (0.0, 1.0))
            {'reward_components': {}, 'is_success': True, 'extracted_answer': 'B'}
        """
        so_far = 0.0
        components: dict[str, float] = {}
        if payments and (payments.of_step or payments.total):
            so_far, components = payments.so_far, dict(payments.of_step or ())
        low, high = reward_range
        if so_far or not low <= float(self.reward) <= high:
            _check_return(owner, float(self.reward), so_far, reward_range)
        for name, component in self.components.items():
            value = float(component)
            if name in components:
                raise RewardError(
                    f"{owner}: component {name!r} comes from both add_reward and the grade: "
                    "give one of them another name"
                )
            if not math.isfinite(value):
                raise RewardError(f"{owner}: component {name!r} is {value}, not a finite number")
            components[name] = value
        if self.verdict_reason not in VERDICT_REASONS:
            known = ", ".join(filter(None, VERDICT_REASONS))
            raise RewardError(
                f"{owner}: verdict_reason must be one of {known}, not {self.verdict_reason!r:.100}"
            )
        answer = self.extracted_answer
        entries: dict[str, Any] = {
            "reward_components": components,
            "is_success": bool(self.is_success),
            "extracted_answer": answer or "",
        }
        if answer is None:
            entries["answer_sought"] = False
        return entries if self.info == {} else {**entries, **copy_json(self.info)}


class Payments:
    """The rewards that steps give before the grade, by `TextEnv.add_reward`.

    Args:
        total: The sum of the rewards of earlier steps.

    Attributes:
        total: The sum of the rewards of earlier steps.
        of_step: The rewards of the current step so far, by component; None between steps. A step
            begins with an empty dict. If it raises, it gives nothing, and this is None again.

    Example:
        >>> payments = Payments()
        >>> payments.of_step = {}
        >>> payments.add("demo/Desk-v0", "found", 0.25)
        >>> payments.add("demo/Desk-v0", "found", 0.25)
        >>> payments.of_step, payments.end_step(), payments.total
        ({'found': 0.5}, 0.5, 0.5)
    """

    __slots__ = ("of_step", "total")

    def __init__(self, total: float = 0.0) -> None:
        self.total = total
        self.of_step: dict[str, float] | None = None

    @property
    def so_far(self) -> float:
        """The sum of all rewards so far, including the current step."""
        return sum((self.of_step or {}).values(), self.total)

    def add(self, owner: str, component: str, amount: float) -> None:
        """Add an amount to a component of the current step.

        Args:
            owner: The environment's id, for errors.
            component: The name of the component.
            amount: The amount, which may be negative.

        Raises:
            UsageError: There is no current step, or the component is not a name.
            RewardError: The amount is not a finite number.
        """
        if self.of_step is None:
            raise UsageError(
                f"{owner}: add_reward works only during a step: call it in a tool, in respond or "
                "in grade"
            )
        if not isinstance(component, str) or not component:
            raise UsageError(
                f"{owner}: add_reward needs the name of a component, not {component!r}"
            )
        if not math.isfinite(amount):
            raise RewardError(
                f"{owner}: add_reward({component!r}, {amount}) is not a finite amount"
            )
        self.of_step[component] = self.of_step.get(component, 0.0) + float(amount)

    def end_step(self, graded: float = 0.0) -> float:
        """End a step, and return its reward.

        Args:
            graded: The reward of the grade, at the end of the episode.
        """
        reward = sum(self.of_step.values(), graded) if self.of_step else graded
        self.total += reward
        self.of_step = None
        return reward


def _check_return(
    owner: str, graded: float, paid: float, reward_range: tuple[float, float]
) -> None:
    """Raise a `RewardError` if the sum of the grade and the other rewards is out of range."""
    low, high = reward_range
    slack = _ROUNDING if paid else 0.0
    if not low - slack <= graded + paid <= high + slack:
        and_paid = f" and paid {paid}" if paid else ""
        raise RewardError(f"{owner} graded {graded}{and_paid}, outside its range {low} to {high}")


_REFUSAL = re.compile(
    r"\b(?:(?:I|we)(?:['’]m| am| are|['’]re)? (?:sorry|afraid)\b|(?:I|we) (?:must|have to) decline"
    r"|(?:I|we)(?:(?: can ?not|(?: can|(?: wo)n)['’]?t| will not)|(?:['’]m| am| are|['’]re)"
    r" (?:unable|not (?:able|allowed|comfortable))(?: to| with)?) (?:\w+ )?"
    r"(?:help|assist|answer|compl|provid|fulfil|discuss|do (?:that|this)|giv|respond|support)"
    r"|as an AI(?: language)?(?: model| assistant)?\b)",
    re.IGNORECASE,
)
_ALTERNATIVES = re.compile(
    r"[\w)}$*'\"”] *(?:\b(?:or|and/or)\b|[/|]|\\(?:lor|vee|land|wedge)\b) *[\w({$*\\'\"“]",
    re.IGNORECASE,
)
_VALUE = r"[*$(]{0,4}(?:[A-Z]|-?\d[\d.,/]{0,20})[*$)]{0,4}"
_EITHER = re.compile(rf"(?<!\w){_VALUE} (?:or|and/or) {_VALUE}(?!\w)")  # in a sentence
_LISTED = re.compile(r"(?<!\w)(\w)\W+(?:and\b\W*)?(\w)(?!\w)")
_OR = re.compile(r"\S or \S", re.IGNORECASE)
_MAX_READ = 2_000  # characters, from either end of a text
_MAX_SHORT = 60  # characters of an answer that is not a sentence


def verdict_reason(
    grade: Grade, earned: float, reward_range: tuple[float, float], conversation: Conversation
) -> str:
    r"""Return why an episode that was not cut does not earn the full reward; "" if it does.

    Args:
        grade: The grade, whose own `verdict_reason` is empty.
        earned: The return of the episode.
        reward_range: The lowest and the highest possible return.
        conversation: The conversation.

    Example:
        >>> said = Conversation()
        >>> said.add({"role": "assistant", "content": r"It is \boxed{A or B}."})
        >>> verdict_reason(Grade(0.0, False, extracted_answer=""), 0.0, (0.0, 1.0), said)
        'several_answers'
        >>> verdict_reason(Grade(0.0, False, extracted_answer="C"), 0.0, (0.0, 1.0), said)
        'wrong'
    """
    low, high = reward_range
    if earned > low + _ROUNDING:
        return "incomplete" if earned < high - _ROUNDING else ""
    answer = grade.extracted_answer
    if answer and " " not in answer:
        return "wrong"
    reply: Any = next(conversation.replies(), {})
    text = conversation.answer_text()
    if not text and not answer and not reply.get("tool_calls"):
        return "empty"
    if _REFUSAL.search((answer or text)[:_MAX_READ]):
        return "refused"
    if answer:
        return "several_answers" if len(answer) <= _MAX_SHORT and _OR.search(answer) else "wrong"
    if answer is None:
        return "wrong"
    return "several_answers" if _offers_several(text[-_MAX_READ:]) else "unreadable"


def _offers_several(text: str) -> bool:
    """Return whether the stated answer or the last line offers alternatives."""
    stated, form = read_stated(text)
    if form is None:
        return bool(_EITHER.search(last_line(text)))
    stated = latex_to_text(stated)
    return bool(_ALTERNATIVES.search(stated) or _LISTED.search(stated))
