"""What a scripted user says: the parts of each kind of reply, and how they are joined.

`phrases.json` has the parts.

Invariants: the same parts of a seed give the same words in every process; every kind of reply has
dozens of wordings; only answers and corrections have a value in them, and it is never changed.
"""

from __future__ import annotations

from collections.abc import Sequence

from textgym.tasks.task import hash_int
from textgym.whole_file import packaged_data

__all__ = ["answers", "correction", "say"]

_DATA = packaged_data("textgym.users", "phrases.json")

_PARTS: dict[str, tuple[tuple[str, ...], ...]] = _DATA["parts"]
"""The parts of each kind of reply, which are drawn one by one and joined."""

_ALONE: tuple[str, ...] = _DATA["alone"]
_AMONG: tuple[str, ...] = _DATA["among"]
_CORRECTIONS: tuple[tuple[str, ...], tuple[str, ...]] = _DATA["corrections"]


def say(kind: str, *seed: object, label: str = "") -> str:
    """Return a text of a kind that has no value in it.

    Example:
        >>> say("unclear", 7) == say("unclear", 7)
        True
    """
    parts = [_pick(options, kind, place, *seed) for place, options in enumerate(_PARTS[kind])]
    return _sentence(_joined(parts).format(label=label))


def answers(told: Sequence[tuple[str, str]], is_repeated: bool, *seed: object) -> str:
    """Return a text that states values.

    Args:
        told: The label of each slot and its value in words.
        is_repeated: Whether the user has stated them before.
        seed: What the words are drawn from.

    Example:
        >>> "Thursday" in answers([("the day", "Thursday")], False, 7)
        True
    """
    forms = _ALONE if len(told) == 1 else _AMONG
    opener = say("repeat" if is_repeated else "agree", *seed)
    sentences = []
    for place, (label, value) in enumerate(told):
        form = _pick(forms, "answer", place, *seed)
        text = form.replace("{label}", label).replace("{value}", value)
        follows_comma = opener.endswith((",", ":")) and not place
        sentences.append(_closed(text) if follows_comma else _sentence(_closed(text), value))
    return _joined([opener, " ".join(sentences)])


def correction(label: str, value: str, *seed: object) -> str:
    """Return a text that takes back a value and states another.

    Example:
        >>> "Thursday" in correction("the day", "Thursday", 7)
        True
    """
    opener, form = (
        _pick(options, "correction", place, *seed) for place, options in enumerate(_CORRECTIONS)
    )
    return f"{opener} {_closed(form.replace('{label}', label).replace('{value}', value))}"


def _pick(options: Sequence[str], *seed: object) -> str:
    return options[hash_int(*seed) % len(options)]


def _joined(parts: Sequence[str]) -> str:
    """Join parts with spaces, and punctuation without."""
    text = ""
    for part in parts:
        text += part if not text or not part or part[0] in ".,;?!" else f" {part}"
    return text


def _sentence(text: str, value: str = "\0") -> str:
    """Return a text that begins with a capital, unless it begins with a value."""
    return text if text.startswith(value) else text[:1].upper() + text[1:]


def _closed(text: str) -> str:
    """Return a text with a full stop, unless it ends a sentence already."""
    return text if text.rstrip("\"'\u201d\u2019)")[-1:] in {".", "!", "?"} else f"{text}."
