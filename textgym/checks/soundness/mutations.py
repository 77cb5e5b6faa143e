"""Changes of the oracle's episodes that must lose.

The verifier itself determines what must lose:

- A text matters if the episode loses without it. Then a wrong text must lose, too.
- A call matters if the final state differs without it, or if the episode loses without it. Then
  its loss and wrong arguments must lose, unless the final state is the oracle's. The card can
  name tools whose calls need not be right (`unchecked_calls`).
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from textgym.checks.attackers.prompts import prompt_of
from textgym.checks.soundness.variants import Solved, arguments_in, calls_in
from textgym.json_values import canonical_json
from textgym.messages import Message, text_of
from textgym.tasks.task import hash_int

__all__ = [
    "HIDDEN", "REPLACEMENTS", "TEXT_CHANGES", "Mutant", "answer_span", "asks_for_order",
    "call_mutants", "reorder", "text_mutants",
]  # fmt: skip

_DIGITS = "123456789"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SIGNED = re.compile(r"-?\d+(\.\d+)?")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_PART = r"[^\s,;\[\](){}]"
_LIST = re.compile(
    rf"(?<!{_PART})(?:{_PART}[^,;\n\[\](){{}}]*(?:[,;] ?[^,;\n\[\](){{}}]+)+"
    rf"|{_PART}+(?: {_PART}+)+)"
)
_SEPARATOR = re.compile(r"[,;] ?| ")
_NAMED = re.compile(r"\s*+[\"']?[\w -]{1,80}+[\"']?\s{0,5}[:=]")
_ORDER = re.compile(
    r"\b(?:sort|sorted|ascending|descending|increasing|decreasing|alphabetical(?:ly)?"
    r"|chronological(?:ly)?|ranked|reversed?|(?:in|by|into) (?:\w+ )?order(?! to)|in that order)\b",
    re.I,
)
_ANY_ORDER = re.compile(r"\bany order\b|\border (?:does not|doesn't|is not)\b", re.I)
_MAX_EXACT = 2  # digits; of a longer number, a tolerance may ignore all but the first


def answer_span(text: str, *answers: Any) -> tuple[int, int]:
    r"""Return the span of the first answer that a text contains, or of the whole text.

    Example:
        >>> answer_span(r"It is \boxed{7}.", "5", 7)
        (13, 14)
        >>> answer_span("seven", ["7"], "")
        (0, 5)
    """
    for answer in answers:
        words = str(answer) if isinstance(answer, (str, int, float)) else ""
        start = text.rfind(words) if words else -1
        if start >= 0:
            return start, start + len(words)
    return 0, len(text)


def change_digit(answer: str, rng: random.Random) -> str:
    """Return an answer with another digit in one of its numbers.

    The first digit of a long number is changed, because a tolerance may ignore later ones.

    Example:
        >>> change_digit("1234 m", random.Random(0))
        '8234 m'
    """
    numbers = list(re.finditer(r"\d+", answer))
    if not numbers:
        return answer
    number = rng.choice(numbers)
    exact = len(number.group()) <= _MAX_EXACT
    place = rng.randrange(number.start(), number.end()) if exact else number.start()
    digit = rng.choice([digit for digit in _DIGITS if digit != answer[place]])
    return answer[:place] + digit + answer[place + 1 :]


def append_digit(answer: str, rng: random.Random) -> str:
    """Return an answer with one more digit at the end of one of its whole numbers.

    Example:
        >>> append_digit("0.5 of 12", random.Random(0))
        '0.5 of 127'
    """
    whole = list(re.finditer(r"(?<![\d.])\d+(?!\.?\d)", answer))
    if not whole:
        return answer
    end = rng.choice(whole).end()
    return answer[:end] + rng.choice(_DIGITS) + answer[end:]


def change_letter(answer: str, rng: random.Random) -> str:
    r"""Return an answer with one letter changed, but not in a command of LaTeX.

    Example:
        >>> change_letter(r"\sqrt{x}", random.Random(0))
        '\\sqrt{y}'
    """
    kept = {place for command in _COMMAND.finditer(answer) for place in range(*command.span())}
    places = [
        place
        for place, letter in enumerate(answer)
        if letter.lower() in _LETTERS and place not in kept
    ]
    if not places:
        return answer
    place = rng.choice(places)
    old = answer[place]
    new = _LETTERS[(_LETTERS.index(old.lower()) + 1) % len(_LETTERS)]
    return answer[:place] + (new.upper() if old.isupper() else new) + answer[place + 1 :]


def change_sign(answer: str, rng: random.Random) -> str:
    """Return an answer with the other sign if it is a number.

    Example:
        >>> change_sign("-12.5", random.Random(0)), change_sign("3", random.Random(0))
        ('12.5', '-3')
    """
    if not _SIGNED.fullmatch(answer) or not answer.strip("-0."):
        return answer
    return answer[1:] if answer.startswith("-") else f"-{answer}"


def asks_for_order(prompt: str) -> bool:
    """Return whether a prompt asks for parts of an answer in a certain order.

    Example:
        >>> asks_for_order("Sort 3, 1 and 2."), asks_for_order("Name them in any order.")
        (True, False)
    """
    return _ORDER.search(prompt) is not None and _ANY_ORDER.search(prompt) is None


def reorder(answer: str) -> str:
    """Return an answer with the parts of its longest list in reverse order.

    Named parts, as in a JSON object, are not reordered.

    Example:
        >>> reorder("['a', 'b']"), reorder("seven")
        ("['b', 'a']", 'seven')
    """
    listed = max(_LIST.finditer(answer), key=lambda match: len(match[0]), default=None)
    if listed is None:
        return answer
    marks: list[str] = _SEPARATOR.findall(listed[0])
    separator = max(marks, key=lambda mark: (mark != " ", marks.count(mark)))
    parts = listed[0].split(separator)
    if all(_NAMED.match(part) for part in parts):
        return answer
    return answer[: listed.start()] + separator.join(parts[::-1]) + answer[listed.end() :]


TEXT_CHANGES: Mapping[str, Callable[[str, random.Random], str]] = {
    "a digit changed": change_digit,
    "a digit appended": append_digit,
    "a letter changed": change_letter,
    "the sign changed": change_sign,
}
"""Changes of an answer, by name. They return an answer with nothing to change unchanged."""


REPLACEMENTS = ("another task's answer", "the answer, then another task's")
"""The mutations that give the answer of another task."""

HIDDEN = (
    "the answer in the reasoning alone",
    "the answer in <think> alone",
    "the answer in an open <think>",
)
"""The mutations whose answer is hidden, and must lose even if several answers are right."""

_MOST = 3  # mutants of a kind in one episode


class Mutant(NamedTuple):
    """A changed episode.

    Attributes:
        name: The name of the change.
        actions: The messages.
        is_text: Whether a text was changed, not a call.
        without: The messages without the call whose arguments were changed, or None.
    """

    name: str
    actions: list[Message]
    is_text: bool = False
    without: list[Message] | None = None


def text_mutants(
    task: Solved, others: Sequence[Solved], reasoning: bool, free_wording: bool = False
) -> Iterator[Mutant]:
    """Yield episodes with a wrong text in place of one that matters.

    Args:
        task: The task.
        others: Other tasks of the same level.
        reasoning: Whether an answer that is given only in the reasoning must lose.
        free_wording: Whether only the last text is changed, and only by the text of another task.
    """
    rng = _rng("texts", task)
    earlier = task.text_turns[:-1]
    turns = [*([rng.choice(earlier)] if earlier else []), *task.text_turns[-1:]]
    for turn in turns[-1 if free_wording else 0 :]:
        action = task.actions[turn]
        text = text_of(action)
        if not task.loses(_with(task.actions, turn, {**action, "content": ""})):
            continue

        def mutant(name: str, content: str, turn: int = turn, **more: Any) -> Mutant:
            changed: Any = {**task.actions[turn], "content": content, **more}
            return Mutant(name, _with(task.actions, turn, changed), is_text=True)

        wrong = _text_of_another(task, others, turn)
        if wrong is not None:
            for name, content in zip(REPLACEMENTS, (wrong, f"{text}\n\n{wrong}"), strict=True):
                yield mutant(name, content)
        last = turn == task.text_turns[-1]
        known = (task.answer, task.episode.info.get("extracted_answer")) if last else ()
        start, end = answer_span(text, *known)
        for name, change in () if free_wording else TEXT_CHANGES.items():
            changed = change(text[start:end], rng)
            if changed != text[start:end]:
                yield mutant(name, text[:start] + changed + text[end:])
        if not free_wording and asks_for_order(prompt_of(task.episode.steps[0][0])):
            changed = reorder(text[start:end])
            yield mutant("the parts in another order", text[:start] + changed + text[end:])
        if reasoning:
            yield mutant(HIDDEN[0], "", reasoning_content=text)
            yield mutant(HIDDEN[1], f"<think>{text}</think>")
            yield mutant(HIDDEN[2], f"<think>{text}")


def _text_of_another(task: Solved, others: Sequence[Solved], turn: int) -> str | None:
    """Return the oracle's text at a turn of another task, if it is wrong in this one."""
    for other in others:
        turns = other.text_turns
        if turns and other is not task and task.answers_otherwise(other):
            same = turn if turn in turns and turn != task.text_turns[-1] else turns[-1]
            wrong = text_of(other.actions[same])
            if wrong.strip() != text_of(task.actions[turn]).strip():
                return wrong
    return None


def call_mutants(
    task: Solved, others: Sequence[Solved], unchecked: Sequence[str]
) -> Iterator[Mutant]:
    """Yield episodes in which calls are missing or have wrong arguments.

    Args:
        task: The task.
        others: Other tasks of the same level.
        unchecked: The names of the tools whose calls need not be right.
    """
    rng = _rng("calls", task)
    places = [
        (turn, number)
        for turn, action in enumerate(task.actions)
        for number, call in enumerate(calls_in(action))
        if call["function"]["name"] not in unchecked
    ]
    turns = sorted({turn for turn, _ in places})
    for turn in _some(rng, turns):
        numbers = range(len(calls_in(task.actions[turn])))
        if all((turn, number) in places for number in numbers):
            yield Mutant("a turn dropped", task.actions[:turn] + task.actions[turn + 1 :])
    for turn, number in _some(rng, places):
        yield Mutant("a call left out", _without(task.actions, turn, number))
    if places:
        turn, number = places[-1]
        rest = [action for action in task.actions[turn:] if not calls_in(action)]
        stopped = [*task.actions[:turn], *_stripped(task.actions[turn], number), *rest]
        yield Mutant("stopped before the last call", stopped)
        texts = [action for action in task.actions if not calls_in(action)]
        yield Mutant("all calls left out", texts)
    known = _known_arguments(others)
    for turn, number in _some(rng, places):
        call = calls_in(task.actions[turn])[number]
        arguments = arguments_in(call)
        without = _without(task.actions, turn, number)
        for name, changed in (
            ("arguments swapped", _swapped(arguments, rng)),
            ("another task's argument", _replaced(call["function"]["name"], arguments, known, rng)),
        ):
            if canonical_json(changed) != canonical_json(arguments):
                function = {**call["function"], "arguments": json.dumps(changed)}
                calls = _with(calls_in(task.actions[turn]), number, {**call, "function": function})
                message: Any = {**task.actions[turn], "tool_calls": calls}
                yield Mutant(name, _with(task.actions, turn, message), without=without)


def _known_arguments(others: Sequence[Solved]) -> dict[tuple[str, str], list[Any]]:
    """Return the values of arguments in the oracle's calls, by tool and argument."""
    known: dict[tuple[str, str], list[Any]] = {}
    for other in others:
        for action in other.actions:
            for call in calls_in(action):
                for name, value in arguments_in(call).items():
                    known.setdefault((call["function"]["name"], name), []).append(value)
    return known


def _swapped(arguments: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Swap two arguments of the same type, or two values of a list."""
    swaps: list[dict[str, Any]] = []
    pairs = list(arguments.items())
    for place, (name, value) in enumerate(pairs):
        for later, later_value in pairs[place + 1 :]:
            if type(value) is type(later_value) and value != later_value:
                swaps.append({**arguments, name: later_value, later: value})
        if isinstance(value, list) and len(value) > 1 and value[0] != value[-1]:
            swaps.append({**arguments, name: [value[-1], *value[1:-1], value[0]]})
    return rng.choice(swaps) if swaps else arguments


def _replaced(
    tool: str,
    arguments: dict[str, Any],
    known: dict[tuple[str, str], list[Any]],
    rng: random.Random,
) -> dict[str, Any]:
    """Replace an argument by its value in another task."""
    choices = [
        {**arguments, name: value}
        for name in arguments
        for value in known.get((tool, name), ())
        if canonical_json(value) != canonical_json(arguments[name])
    ]
    return rng.choice(choices) if choices else arguments


def _without(actions: list[Message], turn: int, number: int) -> list[Message]:
    return [*actions[:turn], *_stripped(actions[turn], number), *actions[turn + 1 :]]


def _stripped(action: Message, number: int) -> list[Message]:
    """Return a message without one of its calls, or nothing if it has no other call."""
    calls = calls_in(action)
    left: Any = {**action, "tool_calls": calls[:number] + calls[number + 1 :]}
    return [left] if left["tool_calls"] else []


def _with(values: list[Any], place: int, value: Any) -> list[Any]:
    return [*values[:place], value, *values[place + 1 :]]


def _some(rng: random.Random, values: list[Any]) -> list[Any]:
    return rng.sample(values, min(_MOST, len(values)))


def _rng(purpose: str, task: Solved) -> random.Random:
    return random.Random(hash_int(purpose, task.level, task.episode.task_id))
