"""The policy documents of a desk: rules that are drawn for each desk, and their texts.

Invariants: a document says all that decides a refund or a limit; its numbers differ between desks.
"""

from __future__ import annotations

import random
from typing import NamedTuple

from textgym.envs.generation import choice, randint

__all__ = ["TIERS", "Policies", "draw_policies"]

TIERS = ("standard", "silver", "gold")

_CANCELLATIONS = (
    "A booking that is cancelled {full} or more days before departure is refunded in full. From "
    "{part} to {almost} days before departure, the desk keeps {some} % of the price. Later than "
    "that, it keeps {most} %. Refunds are rounded down to whole euros.",
    "The desk keeps nothing of the price if a booking is cancelled at least {full} days before "
    "departure, {some} % if it is at least {part} days, and {most} % after that. The refund is the "
    "rest of the price, rounded down to whole euros.",
)
_ORDERS = (
    "One order holds at most {standard} pieces of an item for standard customers, {silver} for "
    "silver customers and {gold} for gold customers.",
    "Gold customers may order up to {gold} pieces of an item at once, silver customers {silver}, "
    "and all others {standard}.",
)
_LUGGAGE = (
    "Each passenger may take {n} pieces of luggage. The driver collects {fee} euros for another.",
    "{n} pieces of luggage travel free of charge. Another piece costs {fee} euros, to be paid on "
    "board.",
)
_CHILDREN = (
    "Children under {n} travel free of charge on the lap of an adult. They need no booking.",
    "No booking is needed for children under {n} who sit on the lap of an adult.",
)


class Policies(NamedTuple):
    """The policies of a desk.

    Attributes:
        full: From this many days before departure on, all is refunded.
        part: From this many days before departure on, `some` per cent are kept.
        some: The lower percentage that is kept.
        most: The percentage that is kept later than that.
        limits: How many pieces of an item an order may have, by tier.
        documents: The texts, by topic.
    """

    full: int
    part: int
    some: int
    most: int
    limits: dict[str, int]
    documents: dict[str, str]

    def kept(self, days: int) -> int:
        """Return the percentage that is kept of a booking cancelled some days before departure."""
        return 0 if days >= self.full else self.some if days >= self.part else self.most


def draw_policies(rng: random.Random) -> Policies:
    """Draw the policies of a desk.

    Example:
        >>> sorted(draw_policies(random.Random(1)).documents)
        ['cancellations', 'children', 'luggage', 'orders']
    """
    full, part = randint(rng, 7, 10), randint(rng, 3, 5)
    some, most = 10 * randint(rng, 1, 3), 10 * randint(rng, 5, 8)
    standard = randint(rng, 4, 5)
    silver = standard + randint(rng, 1, 3)
    limits = dict(zip(TIERS, (standard, silver, silver + randint(rng, 1, 3)), strict=True))
    rules = {"full": full, "part": part, "almost": full - 1, "some": some, "most": most}
    documents = {
        "cancellations": choice(rng, _CANCELLATIONS).format(**rules),
        "orders": choice(rng, _ORDERS).format(**limits),
        "luggage": choice(rng, _LUGGAGE).format(n=randint(rng, 2, 3), fee=randint(rng, 4, 12)),
        "children": choice(rng, _CHILDREN).format(n=randint(rng, 2, 5)),
    }
    return Policies(full, part, some, most, limits, documents)
