"""Cards: what the registry knows of an environment without running it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Card"]


@dataclass(frozen=True, slots=True)
class Card:
    """What an environment is, does and needs; every field can be filtered by.

    Attributes:
        id: The registered id, such as `textgym/MCQA-v0`; generated tasks are seeded with it.
        summary: One sentence.
        structure: The rollout's structure, one or more of single-step, multi-step, multi-turn,
            multi-modal, long context.
        capabilities: Core capabilities that it asks for, such as reasoning or tool use.
        domain: Knowledge domains, such as mathematics.
        task_type: Such as question answering.
        verification: How answers are verified, such as exact match.
        reward_range: Lowest and highest reward with the default arguments.
        levels: The generator's levels of difficulty, easiest first.
        chance: Mean reward of the best policy that ignores the question, on generated tasks of all
            levels; `notes` says why where it is high.
        data: Where the tasks come from.
        shared_splits: Whether the generated splits hold the same tasks, because there are too few
            to share out.
        licence: The licence of that data.
        extra: The pip extra without which it cannot be made; "" for none.
        judge: The default judge; "" where none is used.
        notes: What a user must know besides, such as a universe that is small.
    """

    id: str
    summary: str
    structure: tuple[str, ...]
    capabilities: tuple[str, ...]
    domain: tuple[str, ...]
    task_type: str
    verification: tuple[str, ...]
    reward_range: tuple[float, float] = (0.0, 1.0)
    levels: tuple[int, ...] = (1,)
    chance: float = 0.0
    data: str = "generated"
    shared_splits: bool = False
    licence: str = "MIT"
    extra: str = ""
    judge: str = ""
    notes: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)

    def matches(self, field: str, value: str) -> bool:
        """Tell whether a field is, holds, or (for texts) contains the value, whatever the case.

        Example:
            >>> card = Card("x/Y-v0", "Sums.", ("single-step",), ("reasoning",), ("mathematics",),
            ...             "question answering", ("exact match",))
            >>> card.matches("domain", "Math"), card.matches("levels", "2")
            (True, False)
        """
        held = self.as_dict()[field]
        values = held if isinstance(held, (list, tuple)) else (held,)
        if any(isinstance(item, str) for item in values):
            return any(value.casefold() in item.casefold() for item in values)
        return any(value == f"{item:g}" or value == str(item) for item in values)
