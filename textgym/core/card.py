"""Cards: metadata about an environment, available without running it.

`cards.json`, which `docs/make_pages.py` writes, holds the cards of this package's environments, so
that listing them imports none of them.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import Any

import gymnasium as gym

from textgym.errors import UsageError
from textgym.names import load_creator, name_of

__all__ = ["CAPABILITIES", "Card", "check_id", "owns_id", "stored_card"]

CAPABILITIES = (
    "schema adherence",
    "meta-data instruction following",
    "counterintuitive instruction following",
    "information relevance",
    "information dependency",
    "proactive asking",
    "multiple intent synthesis",
    "reasoning",
    "knowledge",
    "calculation",
    "planning",
    "tool use",
)
"""The names of capabilities on the cards of this package. Other environments may use others."""

_ID = re.compile(r"[\w:.-]+/[\w:.-]+-v\d+")  # a name of Gymnasium, with a namespace and a version


def check_id(id: Any) -> None:
    """Check that an id has a namespace and a version.

    Raises:
        UsageError: It does not.
    """
    if not isinstance(id, str) or not _ID.fullmatch(id):
        raise UsageError(
            f"an id must have a namespace and a version, such as 'my/Shop-v0', not {id!r:.100}"
        )


@dataclass(frozen=True, slots=True)
class Card:
    """The metadata of an environment; `textgym list` can filter by every field.

    Only the id and the summary are required.

    Attributes:
        id: The registered id, such as `textgym/MCQA-v0`; it is part of the seed of generated tasks.
        summary: One sentence.
        structure: The structure of a rollout: one or more of single-step, multi-step, multi-turn,
            multi-modal and long context.
        capabilities: The capabilities that it tests, by the names of `CAPABILITIES` if one fits,
            such as schema adherence or tool use.
        domain: Knowledge domains, such as mathematics.
        task_type: The kind of task, such as question answering.
        verification: How answers are verified, such as exact match.
        reward_range: The lowest and highest return with the default arguments.
        levels: The difficulty levels of generated tasks, easiest first.
        first_rung: Whether there is a level 0, which is only drawn with `level=0`: one fact, one
            step, and the environment's own form of answers and tools.
        first_rung_chance: As `chance`, at level 0.
        first_rung_tasks: As `distinct_tasks`, at level 0.
        distinct_tasks: The number of different prompts among the 500 generated test tasks of the
            level with the fewest.
        chance: The mean reward of the best policy that ignores the question, on generated tasks of
            all levels. If it is high, `notes` explains why.
        data: Where the tasks come from.
        shared_splits: Whether the splits share their generated tasks, because there are too few to
            divide.
        licence: The licence of that data.
        several_answers: Whether a task can have other right answers than the oracle's, such as
            another schedule. An audit then only lists slightly changed answers that win; it fails
            if the answers of other tasks win more often than `chance`.
        free_wording: Whether the model talks to a user in its own words, so that other wordings are
            right, too. An audit then replaces the whole last text, not single words.
        unchecked_calls: Tools whose calls need not be right although they change the state, such
            as look-ups that are only recorded. An audit then leaves these calls as they are.
        accepts: Forms of a final text in which a right answer is always accepted, by the names of
            `textgym.checks.soundness.variants.FORMS`, such as `markdown`. An audit tries them.
        extra: The pip extra that it requires; "" for none.
        judge: The default judge; "" if it uses none.
        notes: Anything else a user should know.

    Raises:
        UsageError: The id does not have the form `namespace/Name-v0`, a field that must be a tuple
            has another type, or there are no levels.

    Example:
        >>> card = Card("demo/Sums-v0", "Add numbers.", domain=("mathematics",), levels=(1, 2, 3))
        >>> card.matches("domain", "mathematics"), card.reward_range
        (True, (0.0, 1.0))
    """

    id: str
    summary: str
    structure: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    domain: tuple[str, ...] = ()
    task_type: str = ""
    verification: tuple[str, ...] = ()
    reward_range: tuple[float, float] = (0.0, 1.0)
    levels: tuple[int, ...] = (1,)
    first_rung: bool = False
    first_rung_chance: float = 0.0
    first_rung_tasks: int = 500
    chance: float = 0.0
    data: str = "generated"
    shared_splits: bool = False
    distinct_tasks: int = 500
    licence: str = "MIT"
    several_answers: bool = False
    free_wording: bool = False
    unchecked_calls: tuple[str, ...] = ()
    accepts: tuple[str, ...] = ()
    extra: str = ""
    judge: str = ""
    notes: str = ""

    def __post_init__(self) -> None:
        check_id(self.id)
        for field in fields(self):
            value = getattr(self, field.name)
            if str(field.type).startswith("tuple") and not isinstance(value, tuple):
                example = field.default or ("single-step",)
                raise UsageError(
                    f"the card of {self.id}: {field.name} must be a tuple such as {example!r}, "
                    f"not {value!r:.100}"
                )

        if not self.levels:
            raise UsageError(f"the card of {self.id}: levels must name a level, such as (1,)")

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)

    def matches(self, field: str, value: str) -> bool:
        """Return whether a field equals or contains the value, ignoring case.

        Example:
            >>> card = Card("x/Y-v0", "Sums.", domain=("mathematics",))
            >>> card.matches("domain", "Math"), card.matches("levels", "2")
            (True, False)
        """
        content = self.as_dict()[field]
        values = content if isinstance(content, (list, tuple)) else (content,)
        if any(isinstance(item, str) for item in values):
            return any(value.casefold() in item.casefold() for item in values)
        return any(value == f"{item:g}" or value == str(item) for item in values)


def owns_id(cls: Any) -> bool:
    """Return whether an object is a class whose card has an id that no other class has."""
    card = getattr(cls, "card", None)
    if not isinstance(cls, type) or not isinstance(card, Card):
        return False
    known = gym.registry.get(card.id)
    return known is None or name_of(load_creator(known.entry_point)) == name_of(cls)


def stored_card(entry_point: Any) -> Card | None:
    """Return the card of an environment of this package without importing the environment.

    Args:
        entry_point: The environment's entry point in Gymnasium's registry.

    Returns:
        The card; None for any other environment.

    Example:
        >>> stored_card("textgym.envs.mcqa:MCQA").task_type
        'multiple choice'
    """
    fields_by_name = _stored_cards().get(entry_point) if isinstance(entry_point, str) else None
    if fields_by_name is None:
        return None
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in fields_by_name.items()
    }
    return Card(**values)


@cache
def _stored_cards() -> dict[str, dict[str, Any]]:
    # pathlib would take as long to import as the rest of `import textgym`.
    with open(os.path.join(os.path.dirname(__file__), "cards.json"), encoding="utf-8") as file:
        stored: dict[str, dict[str, Any]] = json.load(file)
    return stored
