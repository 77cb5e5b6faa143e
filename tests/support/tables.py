"""Tables of many small cases that one test checks, since a test of its own costs more than a case.

Invariants: every case is checked; the failure names each case that does not hold; a case that is
skipped does not hold, because it would hide the cases behind it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

__all__ = ["in_one_test"]

Test = Callable[..., None]
PARAM = type(pytest.param())


def in_one_test(names: str | Sequence[str], cases: Iterable[Any]) -> Callable[[Test], Test]:
    """Check all cases in one test; use it like `pytest.mark.parametrize`.

    It is for tables whose cases take less than a few milliseconds and need no fresh fixtures.

    Args:
        names: The arguments of the test that a case gives. A single one is a text.
        cases: The values of each case, or the value of a single argument. Cases may be
            `pytest.param` without marks.

    Example:
        >>> @in_one_test(("number", "square"), [(1, 1), (2, 5), (3, 9)])
        ... def test_squares(number: int, square: int) -> None:
        ...     assert number**2 == square, "wrong"
        >>> test_squares()
        Traceback (most recent call last):
        AssertionError: 1 of 3 cases:
        {'number': 2, 'square': 5}: AssertionError: wrong
    """
    listed = [names] if isinstance(names, str) else list(names)
    rows = []
    for case in cases:
        if isinstance(case, PARAM):
            assert not case.marks, "a case of one test has no marks"
            values = case.values
        else:
            values = [case] if len(listed) == 1 else case
        rows.append(dict(zip(listed, values, strict=True)))
    assert rows, "there are no cases"

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def check_all(**others: Any) -> None:
            failed = []
            for row in rows:
                try:
                    test(**row, **others)
                except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
                    failed.append(f"{row}: {type(error).__name__}: {error}")
            if failed:
                raise AssertionError("\n".join([f"{len(failed)} of {len(rows)} cases:", *failed]))

        signature = inspect.signature(test)
        rest = [value for name, value in signature.parameters.items() if name not in rows[0]]
        check_all.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
        return check_all

    return decorate
