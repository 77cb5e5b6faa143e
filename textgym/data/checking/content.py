"""What a row asks, as texts and hashes that show which rows are alike.

In a single-step environment it is the prompt, without the lines that many prompts share. In others
the prompt does not hold the whole task, so it is the content of the row.

Invariants: rows that ask the same have the same key; the order of options does not matter; the
numbers and signs of nearly equal rows are equal, because another number makes another task.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textgym.core.card import Card
from textgym.data.checking.report import Place
from textgym.json_values import canonical_json, json_round_trip
from textgym.messages import Message, text_of
from textgym.tasks.task import Task, hash_int

__all__ = [
    "Content", "ContentReader", "Item", "is_shown", "options_of", "shared_lines", "similarity",
    "triples",
]  # fmt: skip

_SHARED, _MIN_SHARING = 0.3, 4  # of the prompts; prompts
_MIN_LEFT = 3  # words of a prompt without shared lines
_NOT_CONTENT = ("id", "uuid", "level", "category")
_TOKEN = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff]+|[\u3040-\u30ff\u3400-\u9fff]|[^\w\s]")
_MARKS = frozenset(".,;:!?'\"“”‘’()[]{}-–—$\\")
_ARTICLES = frozenset("ai")
_NUMBERING = re.compile(r"\A\s*+(?:question|problem|q)?\s*+#?\d{1,5}\s?[.):]\s+", re.IGNORECASE)
_LABEL = re.compile(r"\A\s*\(?[A-Za-z][).:]\s*")
_NAME = re.compile(r"(?<=[a-z,;:]\s)[A-Z]\w+")  # a capitalised word within a sentence


@dataclass(slots=True)
class Item:
    """A row that the environment can read.

    Attributes:
        place: Where it is.
        row: The row.
        task: Its task.
    """

    place: Place
    row: Mapping[str, Any]
    task: Task


@dataclass(slots=True)
class Content:
    """What a row asks.

    Attributes:
        key: A hash of all of it.
        answer: The answer in a form that can be compared; "" if the task has no answer.
        block: A hash of the answer, the numbers and the signs.
        size: The number of words.
        lines: The lines of the prompt, without options and lines that many prompts share.
        options: The options.
    """

    key: int
    answer: str
    block: int
    size: int
    lines: tuple[str, ...]
    options: tuple[str, ...]


def triples(texts: Iterable[str]) -> set[tuple[str, ...]]:
    """Return the triples of successive words of texts, without case, or the words if they are few.

    A triple that is repeated has the number of the repetition at its end.

    Example:
        >>> sorted(triples(["Left, left,", "left, LEFT."]))
        [('left', 'left', 'left'), ('left', 'left', 'left', '2')]
    """
    words = [token for token in _tokens(" ".join(texts)) if token[0].isalnum()]
    found: Counter[tuple[str, ...]] = Counter()
    parts: set[tuple[str, ...]] = set()
    for triple in zip(words, words[1:], words[2:], strict=False):
        found[triple] += 1
        parts.add(triple if found[triple] == 1 else (*triple, str(found[triple])))
    return parts or {(word,) for word in words}


def similarity(first: Content, second: Content) -> float:
    """Return the Jaccard similarity of the triples of two rows; 0 if they name different things.

    Lines that both have, such as a passage that several questions are about, are left out if
    others are left.
    """
    one, other = _own_lines(first, second), _own_lines(second, first)
    if not one or not other:
        one, other = first.lines, second.lines
    one, other = one + first.options, other + second.options
    if not (_names(one) <= _words(other) and _names(other) <= _words(one)):
        return 0.0
    here, there = triples(one), triples(other)
    return len(here & there) / max(1, len(here | there))


def _own_lines(content: Content, other: Content) -> tuple[str, ...]:
    return tuple(line for line in content.lines if line not in other.lines)


def _names(texts: Iterable[str]) -> set[str]:
    return {name.casefold() for text in texts for name in _NAME.findall(text)}


def _words(texts: Iterable[str]) -> set[str]:
    return {*_tokens(" ".join(texts))}


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.casefold())


def is_shown(card: Card) -> bool:
    """Return whether prompts hold the whole task: nothing depends on a state or on a user."""
    return "single-step" in card.structure


def options_of(task: Task) -> Mapping[str, str]:
    """Return the options of a task whose answer is one of their letters; {} if it has none."""
    options = getattr(task, "options", None)
    is_choice = isinstance(options, Mapping) and isinstance(task.answer, str)
    return options if is_choice and options and task.answer in options else {}


def shared_lines(prompts: Sequence[Sequence[Message]]) -> frozenset[str]:
    r"""Return the lines that many prompts share, such as an instruction on how to answer.

    Example:
        >>> texts = [f"Is {number} prime?\n\nAnswer yes or no." for number in range(9)]
        >>> shared_lines([[{"role": "user", "content": text}] for text in texts])
        frozenset({'Answer yes or no.'})
    """
    counts = Counter(line for prompt in prompts for line in {*_lines(prompt)})
    least = max(_MIN_SHARING, _SHARED * len(prompts))
    return frozenset(line for line, count in counts.items() if count >= least)


def _lines(prompt: Iterable[Message]) -> list[str]:
    lines = (line.strip() for message in prompt for line in text_of(message).split("\n"))
    return [line for line in lines if line]


class ContentReader:
    """Reads what rows ask.

    Args:
        shared: The lines that many prompts share.
    """

    def __init__(self, shared: frozenset[str]) -> None:
        self._shared = shared

    def question(self, task: Task) -> str:
        """Return the last message of a prompt without its options and shared lines."""
        rest, _ = _apart(_lines(task.messages[-1:]), options_of(task))
        return "\n".join(self._own(rest))

    def _own(self, lines: list[str]) -> list[str]:
        """Return lines without those that many prompts share, unless little is left."""
        own = [line for line in lines if line not in self._shared]
        return own if sum(len(line.split()) for line in own) >= _MIN_LEFT else lines

    def read(self, item: Item, card: Card) -> Content:
        """Return what a row asks.

        Args:
            item: The row.
            card: The card of its environment.
        """
        task = item.task
        answer, listed = _as_text(task.answer), list[str]()
        if is_shown(card):
            options = options_of(task)
            lines, listed = _apart(_lines(task.messages), options)
            answer = options[answer] if options else answer
        else:
            kept = {name: value for name, value in item.row.items() if name not in _NOT_CONTENT}
            lines = [canonical_json(kept)]
        answer = " ".join(answer.split())
        other = _pictures(task.messages)
        if task.tools is not None:
            other += canonical_json(task.tools)
        whole = " ".join([*lines, *sorted(listed)])
        whole = _NUMBERING.sub("", " ".join(unicodedata.normalize("NFC", whole).split()))
        own = self._own(lines)
        own[:1] = [_NUMBERING.sub("", line) for line in own[:1]]
        tokens = _tokens(" ".join([*own, *listed]))
        signs = sorted(token for token in tokens if _is_sign(token))
        size = sum(token[0].isalnum() for token in tokens)
        block = hash_int(answer, other, *signs)
        return Content(hash_int(whole, other), answer, block, size, tuple(own), tuple(listed))


def _is_sign(token: str) -> bool:
    """Return whether a token is a number, an operator or a variable."""
    if len(token) > 1:
        return not token.isalpha()
    return token not in _MARKS and token not in _ARTICLES


def _apart(lines: list[str], options: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return the lines of a prompt that are not options, and the options without their letters."""
    if not options:
        return lines, []
    texts = {" ".join(text.split()) for text in options.values()}
    rest, listed = [], []
    for line in lines:
        bare = " ".join(_LABEL.sub("", line, 1).split())
        if bare in texts:
            listed.append(bare)
        else:
            rest.append(line)
    return rest, listed


def _as_text(answer: Any) -> str:
    if answer is None or isinstance(answer, str):
        return answer or ""
    return canonical_json(json_round_trip(answer))


def _pictures(messages: Iterable[Message]) -> str:
    contents = [message["content"] for message in messages]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    return canonical_json([part for part in parts if part.get("type") != "text"])
