"""The types of the arguments that several instructions of IFEval share."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

__all__ = ["Bound", "Count", "Phrase", "Phrases", "Relation", "compare"]

Bound = Annotated[int, Field(ge=0)]
"""A number that is compared with: 0 or more."""

Count = Annotated[int, Field(ge=1)]
"""A number of things that are asked for: 1 or more."""

Phrase = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1),
    AfterValidator(lambda text: text.replace("\r\n", "\n")),
]
"""A text that is not blank, without the whitespace around it; line breaks are `\\n`."""

Phrases = Annotated[list[Phrase], Field(min_length=1)]
"""One or more texts."""

Relation = Literal["less than", "at least"]
"""How a number is compared with a bound."""


def compare(number: int, relation: Relation, bound: int) -> bool:
    """Return whether a number is in a relation to a bound.

    Example:
        >>> compare(3, "at least", 3), compare(3, "less than", 3)
        (True, False)
    """
    return number >= bound if relation == "at least" else number < bound
