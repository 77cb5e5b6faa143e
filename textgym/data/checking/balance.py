"""The balance of answers and levels: what a model could learn without solving anything.

Invariants: a finding is about the whole data set, and has enough rows that chance explains it with
a probability below one in a million; figures of fewer than 100 rows are not judged.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from textgym.data.checking.content import Content, Item, options_of

__all__ = ["Balance"]

_MIN_ROWS = 100
_SURE = 5.0  # standard errors above chance
_MATERIAL = 1.3  # times chance
_FEW = 10  # different answers: then each of them is as probable as any other
_OFTEN = 0.2  # the share of an answer among many
_RARE = 0.2  # the share of a level, of an even share
_NUMBER = re.compile(r"\W{0,3}(-?\d+(?:,\d{3})*(?:\.\d+)?)\W{0,3}(?:[A-Za-z%°²³]{0,12})\W{0,2}")


class Balance:
    """Counts answers and levels of rows."""

    def __init__(self) -> None:
        self._letters: defaultdict[int, Counter[str]] = defaultdict(Counter)
        self._lengths: defaultdict[int, Counter[str]] = defaultdict(Counter)
        self._values: defaultdict[int, Counter[str]] = defaultdict(Counter)
        self._answers: Counter[str] = Counter()
        self._levels: Counter[object] = Counter()

    def add(self, item: Item, content: Content) -> None:
        """Count a row."""
        level = item.row.get("level")
        if isinstance(level, (int, str)):
            self._levels[level] += 1
        options = options_of(item.task)
        if not options:
            if content.answer:
                self._answers[content.answer] += 1
            return
        texts, right = [*options.values()], [*options].index(item.task.answer)
        self._letters[len(texts)][item.task.answer] += 1
        _count_extreme([len(text) for text in texts], right, self._lengths, _LENGTHS)
        numbers = [_NUMBER.fullmatch(text) for text in texts]
        if all(numbers):
            values = [float(number[1].replace(",", "")) for number in numbers if number]
            _count_extreme(values, right, self._values, _VALUES)

    def findings(self) -> Iterator[tuple[str, str]]:
        """Yield the kind and the reason of each finding."""
        for width, letters in sorted(self._letters.items()):
            for what, share in _frequent(letters, 1 / width):
                yield (
                    "balance_position",
                    f"{what} is right in {share:.0%} of {letters.total():,} rows with {width} "
                    f"options, at a chance of {1 / width:.0%}",
                )
        for kind, counts in (("balance_length", self._lengths), ("balance_value", self._values)):
            for width, counter in sorted(counts.items()):
                for what, share in _frequent(counter, 1 / width, leave_out=_OTHER):
                    yield (
                        kind,
                        f"the {what} of {width} options is right in {share:.0%} of "
                        f"{counter.total():,} rows, at a chance of {1 / width:.0%}",
                    )
        yield from self._frequent_answers()
        yield from self._rare_levels()

    def _frequent_answers(self) -> Iterator[tuple[str, str]]:
        count = len(self._answers)
        if count == 1 and self._answers.total() >= _MIN_ROWS:
            yield "balance_value", f"all {self._answers.total():,} answers are {self._first()!r}"
        elif count > 1:
            chance = 1 / count if count <= _FEW else _OFTEN / _MATERIAL
            for answer, share in _frequent(self._answers, chance):
                total = self._answers.total()
                yield "balance_value", f"{answer[:60]!r} is the answer of {share:.0%} of {total:,}"

    def _first(self) -> str:
        return next(iter(self._answers))[:60]

    def _rare_levels(self) -> Iterator[tuple[str, str]]:
        total, even = self._levels.total(), 1 / max(1, len(self._levels))
        for level, count in self._levels.items():
            if total >= _MIN_ROWS and count / total < _RARE * even:
                yield (
                    "balance_level",
                    f"level {level} has {count:,} of {total:,} rows, and there are "
                    f"{len(self._levels)} levels",
                )


_LENGTHS, _VALUES, _OTHER = ("shortest", "longest"), ("smallest", "largest"), "other"


def _count_extreme(
    numbers: Sequence[float],
    right: int,
    counts: defaultdict[int, Counter[str]],
    names: tuple[str, str],
) -> None:
    """Count whether the right option has the smallest or the largest of different numbers."""
    if len({*numbers}) == len(numbers) > 1:
        is_extreme = numbers[right] in (min(numbers), max(numbers))
        name = names[numbers[right] == max(numbers)] if is_extreme else _OTHER
        counts[len(numbers)][name] += 1


def _frequent(
    counts: Counter[str], chance: float, leave_out: str = ""
) -> Iterator[tuple[str, float]]:
    """Yield what is clearly more frequent than chance, with its share."""
    total = counts.total()
    if total < _MIN_ROWS:
        return
    error = math.sqrt(chance * (1 - chance) / total)
    for name, count in counts.items():
        share = count / total
        if name != leave_out and share > max(_MATERIAL * chance, chance + _SURE * error):
            yield name, share
