"""Whether tool calls are the expected ones, by the rules of BFCL.

BFCL is the Berkeley Function-Calling Leaderboard. An expected call names a tool and, for each
argument, the values that are accepted. The calls of a message are right if each expected call is
matched by a call of its own, in any order, and none is left over.

Invariants: the comparison follows the expected values, so its time and depth are bounded by them
and linear in the texts of a call; nothing that a call contains raises.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["OMITTED", "Call", "ExpectedCall", "exact_options", "matched_calls"]

OMITTED = ""
"""Among the accepted values of an argument: the argument may be omitted."""

Call = tuple[str, Mapping[str, Any]]
"""The name of a tool, and the arguments."""

_IGNORED = str.maketrans({**dict.fromkeys(" ,./-_*^"), "'": '"'})  # in texts, besides case
_NUMBERS = frozenset(("number", None))  # types of a schema for which 2.0 may be written for 2
_TEXTS = frozenset(("string", None))


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """A call that is expected.

    Attributes:
        name: The name of the tool.
        arguments: The accepted values of each argument that may be given. An argument whose values
            have `OMITTED` among them may be left out. In an accepted object, each key has a list
            of accepted values, too.
        parameters: The JSON Schema of each argument of the tool.
        required: The arguments that the tool requires.

    Example:
        >>> schema = {"city": {"type": "string"}, "days": {"type": "integer"}}
        >>> forecast = ExpectedCall("forecast", {"city": ["Oslo"], "days": [3, ""]}, schema)
        >>> forecast.accepts(("forecast", {"city": "oslo"}))
        True
        >>> forecast.accepts(("forecast", {"city": "Oslo", "days": "3"}))
        False
    """

    name: str
    arguments: Mapping[str, Sequence[Any]]
    parameters: Mapping[str, Any]
    required: frozenset[str] = field(default_factory=frozenset)

    def accepts(self, call: Call) -> bool:
        """Return whether a call is this one. A null counts as omitted, unless it is accepted."""
        name, given = call
        if name != self.name:
            return False
        accepted = self.arguments
        seen = set()
        for key, value in given.items():
            options = accepted.get(key)
            if value is None and (options is None or None not in options):
                if key not in self.parameters:
                    return False
                continue
            if options is None or key not in self.parameters:
                return False
            if not _is_accepted(self.parameters[key], options, value):
                return False
            seen.add(key)
        return self.required <= seen and all(
            key in seen or OMITTED in options for key, options in accepted.items()
        )


def matched_calls(expected: Sequence[ExpectedCall], calls: Sequence[Call]) -> int:
    """Return how many expected calls can be matched, each with a call of its own.

    Example:
        >>> near = ExpectedCall("near", {"town": ["Bern", "Basel"]}, {"town": {}})
        >>> basel = ExpectedCall("near", {"town": ["Basel"]}, {"town": {}})
        >>> matched_calls([near, basel], [("near", {"town": "Basel"}), ("near", {"town": "Bern"})])
        2
        >>> matched_calls([near, basel], [("near", {"town": "Basel"})] * 2)
        2
        >>> matched_calls([near, basel], [("near", {"town": "Bern"})] * 2)
        1
    """
    matching = _Matching(expected, calls)
    return sum(map(matching.find_call, range(len(expected))))


def exact_options(value: Any) -> list[Any]:
    """Return the accepted values of an argument that has only one.

    Example:
        >>> exact_options({"size": 2, "tags": ["new"]})
        [{'size': [2], 'tags': [['new']]}]
    """
    return [_option(value)]


def _option(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: [_option(item)] for key, item in value.items()}
    return [_option(item) for item in value] if isinstance(value, list) else value


class _Matching:
    """Which expected call each call is matched with. Calls are compared when they are needed."""

    def __init__(self, expected: Sequence[ExpectedCall], calls: Sequence[Call]) -> None:
        self._expected, self._calls = expected, calls
        self._fits: dict[tuple[int, int], bool] = {}
        self._owner: dict[int, int] = {}  # of each matched call: the expected one

    def find_call(self, index: int, tried: set[int] | None = None) -> bool:
        """Give an expected call a call, moving others to other calls if needed."""
        tried = set() if tried is None else tried
        count, owner = len(self._calls), self._owner
        for place in range(index, index + count):  # in the same order they mostly fit at once
            place %= count
            if place in tried or not self._fit(index, place):
                continue
            tried.add(place)
            if place not in owner or self.find_call(owner[place], tried):
                owner[place] = index
                return True
        return False

    def _fit(self, index: int, place: int) -> bool:
        fits = self._fits.get((index, place))
        if fits is None:
            fits = self._expected[index].accepts(self._calls[place])
            self._fits[index, place] = fits
        return fits


def _is_accepted(schema: Any, options: Sequence[Any], value: Any) -> bool:
    return any(_equals(schema, option, value) for option in options)


def _equals(schema: Any, option: Any, value: Any) -> bool:
    """Return whether a value is an accepted one.

    Args:
        schema: The JSON Schema of the argument; its type decides how values are compared.
        option: The accepted value. If it is not of the schema's type, such as the name of a
            variable in place of a number, the value must be equal to it.
        value: The value of a call.
    """
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    if isinstance(option, str):
        if not isinstance(value, str):
            return False
        if kind in _TEXTS:
            return option.translate(_IGNORED).lower() == value.translate(_IGNORED).lower()
        return option != OMITTED and option == value
    if isinstance(option, bool) or option is None:
        return value is option
    if isinstance(option, (int, float)):
        if isinstance(value, float):
            return (kind in _NUMBERS or isinstance(option, float)) and value == option
        return isinstance(value, int) and not isinstance(value, bool) and value == option
    if isinstance(option, Mapping):
        properties = schema.get("properties") if isinstance(schema, Mapping) else None
        return isinstance(value, Mapping) and _equal_objects(properties or {}, option, value)
    if not isinstance(value, list) or len(value) != len(option):
        return False
    items = schema.get("items") if isinstance(schema, Mapping) else None
    return all(_equals(items, *pair) for pair in zip(option, value, strict=True))


def _equal_objects(
    properties: Mapping[str, Any], accepted: Mapping[str, Any], value: Mapping[str, Any]
) -> bool:
    """Return whether an object has the accepted keys and values."""
    if not value.keys() <= accepted.keys():
        return False
    for key, options in accepted.items():
        if not isinstance(options, list):
            options = [options]  # a nested object
        if key not in value:
            if OMITTED not in options:
                return False
        elif not _is_accepted(properties.get(key), options, value[key]):
            return False
    return True
