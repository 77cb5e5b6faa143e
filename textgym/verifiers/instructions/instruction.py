"""Instructions: rules about the form of a text that code can check, and verdicts on them.

Invariants:

- A check is a pure function of the text and its arguments. It never raises.
- Arguments are validated once, when a row is read.
- A blank text follows no instruction.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    create_model,
)

from textgym.errors import UsageError

__all__ = [
    "INSTRUCTIONS", "MODES", "Bound", "Count", "Instruction", "Mode", "Phrase", "Phrases",
    "Relation", "Text", "compare", "follows", "instruction",
]  # fmt: skip

CheckT = TypeVar("CheckT", bound=Callable[..., bool])

INSTRUCTIONS: dict[str, Instruction] = {}
"""The instructions by id, such as `punctuation:no_comma`."""

Mode = Literal["strict", "loose"]
MODES: tuple[Mode, ...] = ("strict", "loose")

Bound = Annotated[int, Field(ge=0)]
"""A number to compare with: 0 or more."""

Count = Annotated[int, Field(ge=1)]
"""A number of requested things: 1 or more."""

Text = Annotated[str, Field(min_length=1)]
"""A text that is not empty, unchanged."""

Phrase = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1),
    AfterValidator(lambda text: text.replace("\r\n", "\n")),
]
"""A text that is not blank, without whitespace around it; line breaks are `\\n`."""

Phrases = Annotated[list[Phrase], Field(min_length=1)]
"""One or more phrases."""

Relation = Literal["less than", "at least"]
"""How a number is compared with a bound."""


@dataclass(frozen=True)
class Instruction:
    """A rule about the form of a text.

    Attributes:
        id: The id, `group:name`, as in the data sets.
        wording: The request in words: a template of `str.format` with the arguments, or a function
            of the arguments.
        check: Returns whether a text follows the rule. Its keyword-only parameters are the
            arguments.
    """

    id: str
    wording: str | Callable[..., str]
    check: Callable[..., bool]

    @cached_property
    def _model(self) -> type[BaseModel]:
        parameters = inspect.signature(self.check, eval_str=True).parameters.values()
        fields: dict[str, Any] = {
            parameter.name: (
                parameter.annotation,
                ... if parameter.default is inspect.Parameter.empty else parameter.default,
            )
            for parameter in parameters
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
        }
        return create_model(self.check.__name__, __config__=ConfigDict(extra="ignore"), **fields)

    def read_arguments(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Validate the arguments of a row. Nulls and unknown names are ignored.

        Raises:
            UsageError: An argument is missing or not valid; the message names it.

        Example:
            >>> at_least = INSTRUCTIONS["detectable_format:number_bullet_lists"]
            >>> at_least.read_arguments({"num_bullets": 3.0, "keyword": None})
            {'num_bullets': 3}
        """
        present = {name: value for name, value in values.items() if value is not None}
        try:
            return dict(self._model.model_validate(present))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            name = ".".join(map(str, first["loc"]))
            raise UsageError(f"{self.id}: {name}: {first['msg']}") from None

    def describe(self, arguments: Mapping[str, Any]) -> str:
        """Return the request in words. Lists become quoted words.

        Args:
            arguments: What `read_arguments` returned.

        Example:
            >>> INSTRUCTIONS["keywords:existence"].describe({"keywords": ["sea", "salt"]})
            'Use each of these words or phrases: "sea", "salt".'
        """
        if callable(self.wording):
            return self.wording(**arguments)
        words = {
            name: ", ".join(f'"{item}"' for item in value) if isinstance(value, list) else value
            for name, value in arguments.items()
        }
        return self.wording.format(**words)


def instruction(id: str, wording: str | Callable[..., str]) -> Callable[[CheckT], CheckT]:
    """Return a decorator that adds a check to `INSTRUCTIONS`.

    Args:
        id: The id, `group:name`.
        wording: The request in words: a template with the check's keyword-only parameters, or a
            function with the same parameters.

    Example:
        >>> check = INSTRUCTIONS["punctuation:no_comma"].check
        >>> check("Red, green."), check("Red.")
        (False, True)
    """

    def add(check: CheckT) -> CheckT:
        INSTRUCTIONS[id] = Instruction(id, wording, check)
        return check

    return add


def compare(number: int, relation: Relation, bound: int) -> bool:
    """Return whether a number is in a relation to a bound.

    Example:
        >>> compare(3, "at least", 3), compare(3, "less than", 3)
        (True, False)
    """
    return number >= bound if relation == "at least" else number < bound


def follows(
    text: str, instructions: Iterable[tuple[str, Mapping[str, Any]]], mode: Mode = "strict"
) -> list[bool]:
    r"""Return whether a text follows each of some instructions.

    The line breaks of Windows, `\r\n`, are read as `\n`.

    Args:
        text: The text.
        instructions: The ids, each with the arguments that `Instruction.read_arguments` returned.
        mode: `strict` reads the text as it is. `loose` also reads it without its first line, its
            last line or both, which often address the user, and each of these four texts without
            asterisks. One of the eight readings must follow the instruction.

    Example:
        >>> requests = [("startend:quotation", {}), ("punctuation:no_comma", {})]
        >>> follows('Sure, here it is:\n"Red."', requests)
        [False, False]
        >>> follows('Sure, here it is:\n"Red."', requests, mode="loose")
        [True, True]
    """
    text = text.replace("\r\n", "\n")
    readings = _loose_readings(text) if mode == "loose" else [text] if text.strip() else []
    return [
        any(INSTRUCTIONS[id].check(reading, **arguments) for reading in readings)
        for id, arguments in instructions
    ]


def _loose_readings(text: str) -> list[str]:
    lines = text.split("\n")
    shorter = ["\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1])]
    plain = [reading.replace("*", "") for reading in (text, *shorter)]
    return [reading for reading in dict.fromkeys((text, *shorter, *plain)) if reading.strip()]
