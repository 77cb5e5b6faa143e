"""Reading multiple-choice rows in the formats of textgym and NeMo Gym."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from textgym.errors import RowError
from textgym.tasks.nemo_rows import field_of
from textgym.verifiers.choices import GRADING_MODES, WHICH_MATCH, GradingMode, WhichMatch

__all__ = [
    "NO_SEARCH_SETTINGS", "SearchSettings", "answer_of", "mode_of", "options_of", "search_settings",
]  # fmt: skip

MAX_OPTIONS = 26


class SearchSettings(NamedTuple):
    """Which part of a text is searched for the answer.

    Attributes:
        which: The match of a regular expression that counts; None if it is not specified.
        stop: The text is cut at the first of these strings.
        only: Whether only the regular expressions find the answer; None if it is not specified.
    """

    which: WhichMatch | None = None
    stop: tuple[str, ...] = ()
    only: bool | None = None


NO_SEARCH_SETTINGS = SearchSettings()
_SEARCH_FIELDS = frozenset(("output_regex_match", "output_regex_only", "stop", "template_metadata"))


def options_of(row: Mapping[str, Any]) -> dict[str, str]:
    """Return a row's options, from capital letter to text.

    They are in `options` or `metadata.options`, as a dict or as a list of one-key dicts. Nulls are
    left out.

    Raises:
        RowError: There are fewer than 2 or more than 26 options, or a letter or text is not valid.

    Example:
        >>> options_of({"options": [{"A": "iron"}, {"B": "zinc"}, {"C": None}]})
        {'A': 'iron', 'B': 'zinc'}
    """
    given = field_of(row, "options")
    if given is None:
        return {}
    if isinstance(given, Mapping):
        pairs = list(given.items())
    elif isinstance(given, list) and all(isinstance(item, Mapping) for item in given):
        pairs = [pair for item in given for pair in item.items()]
    else:
        raise RowError("options", "must be an object, letter to text, or a list of one-key objects")
    options: dict[str, str] = {}
    for letter, text in pairs:
        if text is None:
            continue
        name = letter.upper() if isinstance(letter, str) else ""
        if len(name) != 1 or not ("A" <= name <= "Z"):
            raise RowError(f"options.{letter}", "must be a letter from A to Z")
        if not isinstance(text, str):
            raise RowError(f"options.{letter}", f"must be a string, not {type(text).__name__}")
        if name in options:
            raise RowError(f"options.{letter}", "is given twice")
        options[name] = text
    if given and not 2 <= len(options) <= MAX_OPTIONS:
        raise RowError("options", f"must have 2 to 26 options, not {len(options)}")
    return options


def answer_of(row: Mapping[str, Any], options: Mapping[str, str]) -> str:
    """Return the letter of the correct option, from `answer` or `expected_answer`.

    Raises:
        RowError: It is missing, or not one of the options.

    Example:
        >>> answer_of({"metadata": {"expected_answer": "(b)"}}, {"A": "iron", "B": "zinc"})
        'B'
    """
    field, value = "answer", row.get("answer")
    if value is None:
        field, value = "expected_answer", field_of(row, "expected_answer")
    if value is None or value == "":
        raise RowError("answer", "is missing; it is the letter of the correct option")
    letter = value.strip("() \n").upper() if isinstance(value, str) else ""
    if len(letter) != 1 or not letter.isalpha():
        raise RowError(field, f"must be the letter of an option, not {value!r}")
    if options and letter not in options:
        raise RowError(field, f"is {letter!r}, but the options are {', '.join(options)}")
    return letter


def mode_of(row: Mapping[str, Any]) -> GradingMode:
    """Return a row's `grading_mode`, strict if it has none.

    Raises:
        RowError: The mode does not exist.
    """
    mode = row.get("grading_mode") or GRADING_MODES[0]
    if mode not in GRADING_MODES:
        raise RowError("grading_mode", f"is {mode!r}; the modes are {', '.join(GRADING_MODES)}")
    return cast(GradingMode, mode)


def search_settings(
    row: Mapping[str, Any], given: SearchSettings = NO_SEARCH_SETTINGS
) -> SearchSettings:
    """Return which part of a text a row searches, from its `template_metadata` or the row itself.

    Args:
        row: The row.
        given: Settings that take precedence over the row's.

    Raises:
        RowError: A setting is not valid; the error names its field.

    Example:
        >>> search_settings({"output_regex_match": "first", "stop": "Question:"})
        SearchSettings(which='first', stop=('Question:',), only=None)
    """
    if _SEARCH_FIELDS.isdisjoint(row):
        return given
    field, which = _search_setting(row, "output_regex_match")
    if which is not None and which not in WHICH_MATCH:
        raise RowError(field, f"is {which!r}; it must be {' or '.join(WHICH_MATCH)}")
    field, stop = _search_setting(row, "stop")
    strings = [stop] if isinstance(stop, str) else [] if stop is None else stop
    is_list = isinstance(strings, (list, tuple))
    if not is_list or not all(isinstance(item, str) and item for item in strings):
        raise RowError(field, "must be a string or a list of strings that are not empty")
    field, only = _search_setting(row, "output_regex_only")
    if not (only is None or isinstance(only, bool)):
        raise RowError(field, f"must be true or false, not {only!r:.40}")
    only = only if given.only is None else given.only
    return SearchSettings(given.which or which, given.stop or tuple(strings), only)


def _search_setting(row: Mapping[str, Any], name: str) -> tuple[str, Any]:
    """Return the field that holds a setting, and its value."""
    metadata = row.get("template_metadata")
    if isinstance(metadata, Mapping) and metadata.get(name) is not None:
        return f"template_metadata.{name}", metadata[name]
    return name, row.get(name)
