"""Surface features of multiple-choice questions: what can be seen without solving them.

`surface` describes each option by itself (length, kinds of characters, numbers and their last
digits), relative to the other options (rank, ties, distance from the median, similarity,
differences and ratios of values), and by which of its words and numbers occur in the prompt. It
does not calculate with the numbers of the prompt and does not know the meaning of words.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from textgym.checks.shortcuts.models import Model
from textgym.errors import UsageError

__all__ = ["Choice", "OptionScorer", "surface"]

Array = np.ndarray[Any, np.dtype[np.float64]]

_TOKEN = re.compile(r"\w+|[^\w\s]")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SIGNED = re.compile(r"-?\d+(?:\.\d+)?")
_NO_NUMBER, _MAX_VALUE = -1e6, 1e15
_DIFFERENCES = (1, 2, 3, 5, 10, 20, 30, 60, 100, 120)
_RATIOS = (2, 3, 10, 100, 1000)


class Choice(NamedTuple):
    """A multiple-choice question: its prompt, its options, and the index of the right one."""

    prompt: str
    options: Sequence[str]
    right: int


def surface(choices: Sequence[Choice]) -> Array:
    """Return the surface features of each option.

    Args:
        choices: Questions, all with the same number of options.

    Returns:
        Finite numbers of shape (questions, options, features).

    Raises:
        UsageError: There are no questions, or their numbers of options differ.

    Example:
        >>> surface([Choice("What is 2 + 2?", ("3", "4", "5"), 1)]).shape[:2]
        (1, 3)
    """
    widths = {len(choice.options) for choice in choices}
    if len(widths) != 1:
        raise UsageError(f"all questions need the same number of options, not {sorted(widths)}")
    (width,) = widths
    own, labels = [], []
    for prompt, options, _ in choices:
        seen = Counter(_TOKEN.findall(prompt))
        for option in options:
            tokens = _TOKEN.findall(option)
            own.append(
                [*_text_features(option, tokens), *_prompt_overlap(option, tokens, prompt, seen)]
            )
            labels.append([_code(label) for label in _labels(option, tokens)])
    numbers = np.array(own, dtype=float).reshape(len(choices), width, -1)
    similarity = np.array([_similarity(options) for _, options, _ in choices])
    parts = [
        numbers,
        _ties(np.array(labels, dtype=float).reshape(len(choices), width, -1)),
        _rank(numbers),
        _ties(numbers),
        abs(numbers - np.median(numbers, axis=1, keepdims=True)),
        similarity.sum(2),
        _rank(similarity.sum(2)),
        _rank(similarity.max(2)),
        _relations(numbers[:, :, 0]),
        np.broadcast_to(np.arange(width, dtype=float)[None, :, None], (len(choices), width, 1)),
    ]
    return np.concatenate(parts, axis=2)


def _code(label: str) -> int:
    return crc32(label.encode("utf-8", "surrogatepass"))


def _number(text: str) -> float:
    return max(-_MAX_VALUE, min(float(text), _MAX_VALUE))


def _value(text: str, numbers: list[str]) -> float:
    """Return the value of the number, fraction, clock time or duration in a text."""
    if not numbers:
        return _NO_NUMBER
    if len(numbers) == 2 and "/" in text:
        return _number(numbers[0]) / (_number(numbers[1]) or 1)
    if len(numbers) == 2 and (":" in text or "min" in text):
        return 60 * _number(numbers[0]) + _number(numbers[1])
    signed = _SIGNED.search(text)
    return _number(signed[0]) if signed else _NO_NUMBER


def _text_features(text: str, tokens: list[str]) -> list[float]:
    """Return the numeric value of an option, which comes first, and features of its text."""
    numbers = _NUMBER.findall(text)
    value = _value(text, numbers)
    last = numbers[-1].replace(".", "") if numbers else ""
    digits, letters = sum(map(str.isdigit, text)), sum(map(str.isalpha, text))
    return [
        value,
        math.log(abs(value) + 1e-9),
        _number(numbers[0]) if numbers else _NO_NUMBER,
        _number(numbers[-1]) if numbers else _NO_NUMBER,
        *(int(last[-2:] or 0) % divisor for divisor in (2, 4, 5, 10, 100)),
        len(last) - len(last.rstrip("0")),
        len(last) - len({*last}),
        len(text.partition(".")[2]),
        text.startswith("-"),
        len(text),
        len(tokens),
        digits,
        letters,
        sum(map(str.isupper, text)),
        len(text) - digits - letters,
        len({*text}),
        ord(text[0]) if text else 0,
        ord(text[1]) if len(text) > 1 else 0,
        ord(text[-1]) if text else 0,
    ]


def _prompt_overlap(text: str, tokens: list[str], prompt: str, seen: Counter[str]) -> list[float]:
    """Return features of the parts of an option that occur in the prompt."""
    numbers = [token for token in tokens if token[0].isdigit()] or [""]
    place = prompt.find(text)
    return [
        place >= 0 and all(token in seen for token in tokens),
        place if not text[:1].isdigit() or text in seen else -1,
        sum(token in seen for token in tokens) / max(len(tokens), 1),
        sum(seen[token] for token in tokens),
        numbers[0] in seen,
        numbers[-1] in seen,
    ]


def _labels(text: str, tokens: list[str]) -> list[str]:
    """Return parts and patterns of an option in which two options may agree."""
    return [
        text[:1],
        text[:2],
        text[:3],
        text[-1:],
        text[-2:],
        text[-3:],
        *[*tokens[:3], "", "", ""][:3],
        *["", "", *tokens[-2:]][-2:],
        "".join(sorted(text)),
        "".join(sorted({*text})),
        " ".join(sorted(tokens)),
        re.sub(r"\d", "", text),
        re.sub(r"\w+", "w", text),
    ]


def _rank(numbers: Array) -> Array:
    """Return how many options are smaller, minus how many are larger."""
    differences = np.sign(numbers[:, :, None] - numbers[:, None, :])
    return np.asarray(differences.sum(2))


def _ties(numbers: Array) -> Array:
    """Return the number of equal options, including the option itself."""
    return np.asarray((numbers[:, :, None] == numbers[:, None, :]).sum(2), dtype=float)


def _similarity(options: Sequence[str]) -> list[list[list[float]]]:
    """Return several measures of similarity for each pair of options."""
    tokens = [_TOKEN.findall(option) for option in options]
    nothing = [0.0] * 8
    pairs = [[nothing] * len(options) for _ in options]
    for i, one in enumerate(options):
        for j, other in enumerate(options[:i]):
            shared = _common_subsequence(one, other)
            alike = [
                shared,
                shared / max(len(one), len(other), 1),
                _same_places(one, other),
                _same_places(one[::-1], other[::-1]),
                _same_start(one, other),
                _same_start(one[::-1], other[::-1]),
                _same_places(tokens[i], tokens[j]),
                len({*tokens[i]} & {*tokens[j]}),
            ]
            pairs[i][j] = pairs[j][i] = alike
    return pairs


def _same_places(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(map(str.__eq__, one, other))


def _same_start(one: str, other: str) -> int:
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    return length


def _common_subsequence(one: str, other: str) -> int:
    """Return the length of the longest common subsequence, computed with bit operations."""
    places: dict[str, int] = {}
    for place, character in enumerate(one):
        places[character] = places.get(character, 0) | 1 << place
    everything = (1 << len(one)) - 1
    rest = everything
    for character in other:
        matched = rest & places.get(character, 0)
        rest = (rest + matched | rest - matched) & everything
    return len(one) - rest.bit_count()


def _relations(values: Array) -> Array:
    """Return the number of ways in which the value of each option follows from the others."""
    known = values != _NO_NUMBER
    one, other = values[:, :, None], values[:, None, :]
    both = known[:, :, None] & known[:, None, :] & ~np.eye(values.shape[1], dtype=bool)

    def count(difference: Any) -> Any:
        return (both & (abs(difference) < 1e-6)).sum(2)

    columns = [count(one - other - step) for step in _DIFFERENCES]
    columns += [count(other - one - step) for step in _DIFFERENCES]
    columns += [count(one - times * other) for times in _RATIOS]
    columns += [count(other - times * one) for times in _RATIOS]
    distances = np.sort(np.where(both, abs(one - other), 1e9), axis=2)
    columns += [distances[:, :, place] for place in range(min(3, values.shape[1] - 1))]
    sums = values[:, :, None] + values[:, None, :]
    pairs = both & np.triu(np.ones(both.shape[1:], dtype=bool))
    for times in (1, 2):  # the sum of two others; the mean of two others
        equal = abs(times * values[:, :, None, None] - sums[:, None]) < 1e-6
        columns.append((equal & pairs[:, None] & known[:, :, None, None]).sum((2, 3)))
    return np.stack(columns, axis=2).astype(float)


class OptionScorer:
    """A model that scores the options of questions by their surface.

    Args:
        kind: `logit` or `trees`.
        features: The `surface` of questions to fit; a thousand or more.
        right: The index of the right option of each.

    Raises:
        ExtraMissingError: The extra `audit` is not installed.
    """

    def __init__(self, kind: str, features: Array, right: Sequence[int]) -> None:
        rows = features.reshape(-1, features.shape[2])
        targets = np.eye(features.shape[1])[[*right]].ravel()
        self._mean, self._spread = rows.mean(0), rows.std(0) + 1e-9
        self._model = Model(kind, self._scaled(rows), targets)

    def best(self, features: Array) -> Any:
        """Return the index of the best option of each question, given the `surface` of them."""
        scores = self._model.scores(self._scaled(features.reshape(-1, features.shape[2])))
        return scores.reshape(features.shape[:2]).argmax(1)

    def _scaled(self, rows: Array) -> Array:
        return np.asarray(np.clip((rows - self._mean) / self._spread, -4, 4))
