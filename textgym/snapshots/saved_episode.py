"""What `TextEnv.get_state` saves of an episode, checked before anything of it is used."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from annotated_types import Interval, Len, Predicate
from typing_extensions import TypedDict  # pydantic refuses typing's before Python 3.12

from textgym.errors import StateError
from textgym.messages import message_problem
from textgym.snapshots.episode_state import validation_problem

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["SEEDS", "SavedEpisode", "pack_generator", "read_saved", "unpack_generator"]

SEEDS = 2**128
"""A seed is less than this; NumPy draws one of so many where it is given none."""


def _is_odd(number: int) -> bool:
    return number % 2 == 1


class Counter(TypedDict):
    """The numbers that a PCG64 generator counts with."""

    state: Annotated[int, Interval(ge=0, lt=2**128)]
    inc: Annotated[int, Interval(ge=0, lt=2**128), Predicate(_is_odd)]


class Generator(TypedDict):
    """A PCG64 generator, as NumPy gives its state."""

    bit_generator: Literal["PCG64"]
    state: Counter
    has_uint32: Literal[0, 1]
    uinteger: Annotated[int, Interval(ge=0, lt=2**32)]


class SavedEpisode(TypedDict):
    """An episode, as JSON holds it.

    Attributes:
        id: The environment's id.
        row: The task's row.
        messages: What was said after the prompt.
        turn: How many of these messages answered a step.
        running: Whether the episode has not ended.
        state: The environment's own state.
        stream: The seed of the choice of tasks, and how many were drawn.
        np_random: The random generator; None where the environment was never seeded.
    """

    id: str
    row: dict[str, Any]
    messages: list[Any]
    turn: Annotated[int, Interval(ge=0)]
    running: bool
    state: Any
    stream: Annotated[list[Annotated[int, Interval(ge=0, lt=SEEDS)]], Len(2, 2)]
    np_random: Generator | None


for _kind in (Counter, Generator, SavedEpisode):
    setattr(_kind, "__pydantic_config__", {"extra": "forbid"})  # noqa: B010


@cache
def _adapter() -> TypeAdapter[SavedEpisode]:
    from pydantic import TypeAdapter

    return TypeAdapter(SavedEpisode)


def read_saved(given: Any) -> SavedEpisode:
    """Return a saved episode if it is one; its row and its state are still to be read.

    Raises:
        StateError: A part is missing, unknown or wrong; the error names it.
    """
    from pydantic import ValidationError

    try:
        saved = _adapter().validate_python(given, strict=True)
    except ValidationError as error:
        raise StateError(validation_problem(error)) from None
    for place, message in enumerate(saved["messages"]):
        if problem := message_problem(message):
            raise StateError(f"messages.{place}: {problem}")
    said = sum(message["role"] == "assistant" for message in saved["messages"])
    if saved["turn"] > said:
        raise StateError(f"turn: {saved['turn']} turns need as many assistant messages, not {said}")
    return saved


def pack_generator(generator: np.random.Generator | None) -> Any:
    """Return a random generator as JSON holds it.

    Raises:
        StateError: It is not of the kind that Gymnasium makes.
    """
    if generator is None:
        return None
    bits = generator.bit_generator
    if type(bits) is not np.random.PCG64:
        kind = type(bits).__name__
        raise StateError(f"np_random is a {kind}, and only a PCG64 can be saved, as Gymnasium's is")
    return bits.state


def unpack_generator(saved: Any) -> np.random.Generator:
    """Return the random generator that `pack_generator` gave."""
    bits = np.random.PCG64(0)
    bits.state = saved
    return np.random.Generator(bits)
