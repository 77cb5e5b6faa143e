"""`ScriptedUser`: a user who knows facts, and answers the questions about them.

Invariants: a reply depends only on the user's arguments, the message and the memory; a user states
a value only if its slot is asked for, or if a correction is due; a user ends the conversation after
at most `patience` messages more than it has questions to answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from textgym.errors import UsageError
from textgym.tasks.task import hash_int
from textgym.users.phrases import answers, correction, say
from textgym.users.slots import SLOTS, Slot, slot_of
from textgym.users.understanding import Heard, Kind, understand
from textgym.verifiers.extract import after_reasoning

__all__ = ["Correction", "Fact", "Memory", "Reply", "ScriptedUser", "memory_problem"]


@dataclass(frozen=True, slots=True)
class Fact:
    """What a user knows about a slot.

    Args:
        slot: The slot, or its name.
        value: The value.
        wordings: How the user may say the value, each as a noun phrase such as `Thursday`; empty
            for the value as it stands.
    """

    slot: Slot | str
    value: str
    wordings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Correction:
    """A value that replaces one that the user has stated.

    The user says it in the first reply after the slot has been stated and `after` replies have been
    given. It is said at the latest when the assistant says that the request is done.

    Args:
        slot: The name of the slot.
        value: The new value.
        wordings: How the user may say it.
        after: The number of replies before it.
    """

    slot: str
    value: str
    wordings: tuple[str, ...] = ()
    after: int = 1


@dataclass(slots=True)
class Memory:
    """What a user remembers of an episode. It is plain data, and belongs in the episode's state.

    Attributes:
        patience: How many messages without a needed question the user still tolerates.
        told: The names of the slots whose values the user has stated, including in the request.
            asked: How often each slot was asked for.
        needless: The number of needless questions.
        replies: The number of replies.
        corrected: The names of the slots whose correction the user has said.
        has_ended: Whether the user has ended the conversation.
    """

    patience: int = 3
    told: list[str] = field(default_factory=list)
    asked: dict[str, int] = field(default_factory=dict)
    needless: int = 0
    replies: int = 0
    corrected: list[str] = field(default_factory=list)
    has_ended: bool = False


def memory_problem(data: Mapping[str, Any]) -> str:
    """Return what is wrong with the data of a memory, as `asdict` returns it; "" if nothing is.

    Example:
        >>> memory_problem({**asdict(Memory()), "told": "day"})
        "memory.told must be a list, not 'day'"
    """
    new = asdict(Memory())
    if data.keys() != new.keys():
        return f"memory must have {', '.join(new)}, not {', '.join(map(str, data)) or 'nothing'}"
    for name, value in data.items():
        if type(value) is not type(new[name]):
            return f"memory.{name} must be a {type(new[name]).__name__}, not {value!r:.100}"
    for name in ("told", "asked", "corrected"):
        if not all(isinstance(item, str) for item in data[name]):
            return f"memory.{name} must have names of slots"
    if not all(type(count) is int for count in data["asked"].values()):
        return "memory.asked must have counts"
    return ""


@dataclass(frozen=True, slots=True)
class Reply:
    """A user's reply.

    Attributes:
        text: What the user says.
        is_last: Whether the user ends the conversation with it.
        heard: What the user understood.
        answered: The slots that are stated for the first time.
        repeated: The slots that are stated again.
        unknown: The slots asked for that the user has no fact about.
        corrected: The slots whose correction is in the text.
    """

    text: str
    is_last: bool
    heard: Heard
    answered: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    corrected: tuple[str, ...] = ()

    @property
    def needless(self) -> int:
        """The number of needless questions, to which the user said nothing new."""
        asks = self.heard.kind not in _FREE
        slots = len(self.repeated) + len(self.unknown)
        return max(slots, int(asks and not self.answered))


class ScriptedUser:
    """A user who answers questions about facts.

    If a message asks for slots, the user states their values, in the order of the facts. Values
    that were stated before are repeated, impatiently. The user has no preference about slots
    without a fact. The reply to an unclear question is a question. The reply to "anything else?" is
    no, and the question costs nothing. "Just a moment" does not end the conversation.
    The user ends the conversation when a message asks nothing, or when the patience is used up.

    Args:
        facts: What the user knows, one fact for each slot.
        told: The names of the slots whose values the request states.
        others: Further slots that questions may be about. `SLOTS` by default.
        at_once: The maximum number of new values in a reply, in the order of the facts; None for
            all that are asked for.
        patience: The number of messages without a needed question that the user tolerates, not
            counting the last.
        corrections: The corrections, at most one for each slot.
        seed: What the wordings are drawn from, such as the id of the task.

    Raises:
        UsageError: Two facts are about one slot, `told` or a correction names no fact, or
            `at_once` is less than 1.

    Example:
        >>> user = ScriptedUser([Fact("day", "Thursday"), Fact("time", "10:00")], told=["time"])
        >>> memory = user.begin()
        >>> reply = user.reply("For which day, please?", memory)
        >>> reply.answered, "Thursday" in reply.text, reply.is_last
        (('day',), True, False)
        >>> user.reply("At what time?", memory).needless
        1
        >>> user.reply("It is in the calendar.", memory).is_last
        True
    """

    def __init__(
        self,
        facts: Iterable[Fact],
        *,
        told: Iterable[str] = (),
        others: Iterable[Slot] = tuple(SLOTS.values()),
        at_once: int | None = None,
        patience: int = 3,
        corrections: Iterable[Correction] = (),
        seed: object = 0,
    ) -> None:
        self._slots: dict[str, Slot] = {}
        self._facts: dict[str, Fact] = {}
        for fact in facts:
            slot = slot_of(fact.slot) if isinstance(fact.slot, str) else fact.slot
            if slot.name in self._facts:
                raise UsageError(f"ScriptedUser: there are two facts about {slot.name!r}")
            self._slots[slot.name], self._facts[slot.name] = slot, fact
        self._others = {slot.name: slot for slot in others if slot.name not in self._facts}
        self._corrections = {item.slot: item for item in corrections}
        if at_once is not None and at_once < 1:
            raise UsageError(f"ScriptedUser: at_once must be at least 1, or None, not {at_once}")
        self._told, self._at_once = tuple(told), at_once
        self._patience, self._seed = patience, seed
        for name in (*self._told, *self._corrections):
            if name not in self._facts:
                raise UsageError(f"ScriptedUser: there is no fact about {name!r}")

    def begin(self) -> Memory:
        """Return the memory of an episode that begins with the request."""
        return Memory(patience=self._patience, told=list(self._told))

    def reply(self, text: str, memory: Memory, *, is_done: bool | None = None) -> Reply:
        """Return the user's reply, and remember it.

        Args:
            text: The assistant's message. Its reasoning is not read.
            memory: The memory of the episode, which is changed.
            is_done: Whether the request has been dealt with, if that is known. True ends the
                conversation unless the message asks for slots, False continues it even if the
                message asks nothing. None ends it if the message asks nothing.
        """
        slots, others = tuple(self._slots.values()), tuple(self._others.values())
        heard = understand(after_reasoning(text), slots, others)
        names = heard.slots
        if heard.is_vague and (new := tuple(name for name in names if name not in memory.told)):
            names = new  # "When?" asks for the day or for the time, whichever is open
        names += heard.others
        known = [name for name in names if name in self._facts]
        answered = tuple(name for name in known if name not in memory.told)[: self._at_once]
        repeated = tuple(name for name in known if name in memory.told)
        unknown = tuple(name for name in names if name not in self._facts)
        corrected = self._due(memory, is_at_end=_is_end(heard, is_done))
        reply = Reply("", False, heard, answered, repeated, unknown, corrected)
        for name in names:
            memory.asked[name] = memory.asked.get(name, 0) + 1
        memory.told.extend(answered)
        memory.needless += reply.needless
        said, is_last = self._said(reply, memory, is_done)
        memory.replies += 1
        memory.corrected.extend(corrected)
        memory.has_ended = is_last
        return Reply(said, is_last, heard, answered, repeated, unknown, corrected)

    def _due(self, memory: Memory, is_at_end: bool) -> tuple[str, ...]:
        """Return the slots whose correction the user says now."""
        return tuple(
            name
            for name, item in self._corrections.items()
            if name in memory.told
            and name not in memory.corrected
            and (is_at_end or memory.replies >= item.after)
        )

    def _said(self, reply: Reply, memory: Memory, is_done: bool | None) -> tuple[str, bool]:
        """Return what the user says, and whether it is the last thing."""
        seed = self._seed, memory.replies
        corrections = [
            correction(self._slots[name].label, self._spoken(name, memory, True), *seed, name)
            for name in reply.corrected
        ]
        if _is_end(reply.heard, is_done):
            if corrections:
                return " ".join(corrections), False
            return say("pity" if reply.heard.kind is Kind.CANNOT else "thanks", *seed), True
        if not reply.answered and reply.heard.kind not in _ENDING:
            memory.patience -= 1
            if memory.patience < 0:
                return say("leave", *seed), True
        parts = [] if corrections and not reply.answered else self._answers(reply, memory, seed)
        return " ".join([*parts, *corrections]), False

    def _answers(self, reply: Reply, memory: Memory, seed: tuple[object, ...]) -> list[str]:
        """Return what the user says to a message that does not end the conversation."""
        if reply.heard.kind is not Kind.QUESTION:
            return [say(_REPLIES[reply.heard.kind], *seed)]
        parts = []
        for names, is_repeated in ((reply.answered, False), (reply.repeated, True)):
            values = [(self._slots[name].label, self._spoken(name, memory)) for name in names]
            if values:
                parts.append(answers(values, is_repeated, *seed, is_repeated))
        for name in reply.unknown:
            parts.append(say("no_preference", *seed, name, label=self._others[name].label))
        return parts

    def _spoken(self, name: str, memory: Memory, is_corrected: bool = False) -> str:
        """Return a slot's present value in words."""
        fact: Fact | Correction = self._facts[name]
        if is_corrected or name in memory.corrected:
            fact = self._corrections[name]
        options: Sequence[str] = fact.wordings or (fact.value,)
        return options[hash_int(self._seed, memory.replies, "value", name) % len(options)]


_ENDING = frozenset({Kind.STATEMENT, Kind.CANNOT, Kind.EMPTY})
_FREE = _ENDING | {Kind.WAIT, Kind.ANYTHING_ELSE, Kind.CHECK}
"""The kinds of messages that are not questions, or cost nothing."""
_REPLIES = {
    Kind.UNCLEAR: "unclear",
    Kind.ANYTHING_ELSE: "anything_else",
    Kind.DETAILS: "anything_else",
    Kind.CHECK: "check",
    Kind.GO_AHEAD: "go_ahead",
    Kind.GREETING: "greeting",
    Kind.WAIT: "continue",
    Kind.STATEMENT: "continue",
    Kind.CANNOT: "continue",
    Kind.EMPTY: "continue",
}


def _is_end(heard: Heard, is_done: bool | None) -> bool:
    """Return whether a message ends the conversation, as far as the assistant is concerned."""
    if is_done is None:
        return heard.kind in _ENDING
    return is_done and heard.kind is not Kind.QUESTION
