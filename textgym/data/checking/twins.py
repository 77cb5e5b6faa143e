"""Rows that are alike: duplicates, conflicting labels, and leaks between files and benchmarks.

Nearly equal rows have the same answer, numbers and signs, and share at least 80 % of their word
triples, see `similarity`. MinHash only proposes pairs; their exact similarity decides. Short texts
are left out, because one word makes them another task.

Invariants: a row is compared with the rows before it, and reported at its own place; it is reported
at most once as a repetition within its file, and once as a leak.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple
from zlib import crc32

from textgym.data.checking.content import Content, Item, similarity, triples
from textgym.data.checking.report import Place, Report
from textgym.errors import install_advice

__all__ = ["SIMILARITY", "Known", "Twins", "minhash_index"]

SIMILARITY = 0.8
_MIN_WORDS = 12
_SLOTS, _BANDS = 120, 20  # of a sketch: a pair of 80 % is proposed with a probability of 0.998
_SHOWN = 60  # characters of an answer


class Known(NamedTuple):
    """A row that was seen.

    Attributes:
        place: Where it is.
        content: What it asks.
        solution: The oracle's message in it; None if it is not known.
        is_checked: Whether it is a row of a checked file, and not of a benchmark.
    """

    place: Place
    content: Content
    solution: Any
    is_checked: bool


def minhash_index() -> tuple[Any, Callable[[list[int]], Any]] | None:
    """Return an index of sketches, and the function that makes a sketch of a set of 32-bit hashes.

    The index has `insert(key, sketch)` and `query(sketch)`, the keys of similar sketches. It is
    from `rensa` if that is installed, else from `datasketch`; None if neither is.
    """
    try:
        rensa = importlib.import_module("rensa")
    except ImportError:
        return _datasketch_index()

    def sketch(hashes: list[int]) -> Any:
        made = rensa.RMinHash(num_perm=_SLOTS, seed=1)
        made.update([f"{number:x}" for number in hashes])
        return made

    return rensa.RMinHashLSH(SIMILARITY, _SLOTS, _BANDS), sketch


def _datasketch_index() -> tuple[Any, Callable[[list[int]], Any]] | None:
    try:
        import datasketch
    except ImportError:
        return None
    empty = datasketch.MinHash(num_perm=_SLOTS, seed=1, hashfunc=int)

    def sketch(hashes: list[int]) -> Any:
        made = empty.copy()
        made.update_batch(hashes)
        return made

    return datasketch.MinHashLSH(num_perm=_SLOTS, params=(_BANDS, _SLOTS // _BANDS)), sketch


class Twins:
    """Finds rows that are alike.

    Args:
        report: The report.
        conflicts: Returns whether two rows with one prompt have answers that exclude each other.
            Its arguments are the later row, what it asks, and the earlier row.
    """

    def __init__(self, report: Report, conflicts: Callable[[Item, Content, Known], bool]) -> None:
        self._report, self._conflicts = report, conflicts
        self._known: list[Known] = []
        self._firsts: dict[int, list[int]] = {}  # the first row of each file with a key
        self._different: list[int] = []  # rows that repeat no earlier row

    def add_benchmark(self, item: Item, content: Content) -> None:
        """Add a row of a benchmark, which later rows are compared with."""
        self._add(Known(item.place, content, None, False))

    def add(self, item: Item, content: Content, solution: Any) -> None:
        """Add a row of a checked file, and report which earlier rows it repeats.

        Args:
            item: The row.
            content: What it asks.
            solution: The oracle's message; None if it is not known.
        """
        place, report = item.place, self._report
        is_leak = is_conflict = False
        for index in self._add(Known(place, content, solution, True)):
            first = self._known[index]
            differs = first.is_checked and self._conflicts(item, content, first)
            if first.place.file != place.file and not is_leak:
                is_leak = True
                report.add("leak", place, f"has the prompt of {first.place}")
            elif first.place.file == place.file and not differs:
                report.add("duplicate", place, f"repeats {first.place.seen_from(place)}")
            if differs and not is_conflict:
                is_conflict = True
                own, other = content.answer[:_SHOWN], first.content.answer[:_SHOWN]
                where = first.place.seen_from(place)
                problem = f"has the answer {own!r}, and {where} with the same prompt has {other!r}"
                report.add("conflict", place, problem)

    def _add(self, row: Known) -> list[int]:
        """Add a row, and return the first row of each file that it repeats."""
        number = len(self._known)
        self._known.append(row)
        firsts = self._firsts.setdefault(row.content.key, [])
        repeated = [*firsts]
        if not repeated and row.content.size >= _MIN_WORDS:
            self._different.append(number)
        if all(self._known[index].place.file != row.place.file for index in firsts):
            firsts.append(number)
        return repeated

    def finish(self) -> None:
        """Report the rows that are nearly equal to earlier ones."""
        sizes = Counter(self._known[number].content.block for number in self._different)
        numbers = [n for n in self._different if sizes[self._known[n].content.block] > 1]
        if not numbers:
            return
        index = minhash_index()
        if index is None:
            advice = install_advice("audit")
            self._report.notes.append(f"near duplicates were not searched for: {advice}")
            return
        similar, sketch = index
        for number in numbers:
            content = self._known[number].content
            salt = content.block & 0xFFFFFFFF
            # Rows of different blocks share no hash, so that they are not proposed.
            words = triples(content.lines + content.options)
            drawn = sketch([crc32(" ".join(triple).encode(), salt) for triple in words])
            if not self._report_near(number, sorted(similar.query(drawn))):
                similar.insert(number, drawn)

    def _report_near(self, number: int, proposed: list[int]) -> bool:
        """Report a row that is nearly one of the proposed, and return whether it is in its file."""
        row = self._known[number]
        seen: set[bool] = set()
        for index in proposed:
            earlier = self._known[index]
            is_leak = earlier.place.file != row.place.file
            if not row.is_checked or is_leak in seen or earlier.content.block != row.content.block:
                continue
            share = similarity(earlier.content, row.content)
            if share >= SIMILARITY:
                seen.add(is_leak)
                kind = "near_leak" if is_leak else "near_duplicate"
                where = earlier.place.seen_from(row.place)
                problem = f"shares {share:.0%} of its word triples with {where}"
                self._report.add(kind, row.place, problem)
        return False in seen
