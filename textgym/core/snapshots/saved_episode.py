"""The format in which `TextEnv.get_state` saves an episode, checked before it is used."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from annotated_types import Interval, Len, Predicate
from typing_extensions import TypedDict  # pydantic refuses typing's before Python 3.12

from textgym.core.snapshots.episode_state import validation_problem
from textgym.errors import StateError
from textgym.messages import message_problem

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["MAX_SEED", "SavedEpisode", "pack_generator", "read_saved", "unpack_generator"]

MAX_SEED = 2**128 - 1
"""The largest seed; if NumPy is given none, it draws one up to this."""


def _is_odd(number: int) -> bool:
    return number % 2 == 1


class GeneratorState(TypedDict):
    """The internal state of a PCG64 generator."""

    state: Annotated[int, Interval(ge=0, lt=2**128)]
    inc: Annotated[int, Interval(ge=0, lt=2**128), Predicate(_is_odd)]


class Generator(TypedDict):
    """A PCG64 generator, as NumPy's `bit_generator.state` has it."""

    bit_generator: Literal["PCG64"]
    state: GeneratorState
    has_uint32: Literal[0, 1]
    uinteger: Annotated[int, Interval(ge=0, lt=2**32)]


class SavedEpisode(TypedDict):
    """A saved episode, as JSON values.

    Attributes:
        id: The environment's id.
        row: The task's row.
        messages: The messages after the prompt.
        turn: How many of these messages were actions.
        running: Whether the episode has not ended.
        paid: What the steps so far have paid.
        state: The environment's own state.
        stream: The seed of the stream of tasks, and how many tasks were drawn from it.
        np_random: The random generator; None if the environment was never seeded.
    """

    id: str
    row: dict[str, Any]
    messages: list[Any]
    turn: Annotated[int, Interval(ge=0)]
    running: bool
    paid: Annotated[float, Predicate(math.isfinite)]
    state: Any
    stream: Annotated[list[Annotated[int, Interval(ge=0, le=MAX_SEED)]], Len(2, 2)]
    np_random: Generator | None


for _kind in (GeneratorState, Generator, SavedEpisode):
    setattr(_kind, "__pydantic_config__", {"extra": "forbid"})  # noqa: B010


@cache
def _adapter() -> TypeAdapter[SavedEpisode]:
    from pydantic import TypeAdapter

    return TypeAdapter(SavedEpisode)


def read_saved(given: Any) -> SavedEpisode:
    """Return a saved episode after checking its format, but not its row and its state.

    Raises:
        StateError: A field is missing, unknown or invalid; the error names it.
    """
    from pydantic import ValidationError

    try:
        saved = _adapter().validate_python(given, strict=True)
    except ValidationError as error:
        raise StateError(validation_problem(error)) from None
    for index, message in enumerate(saved["messages"]):
        if problem := message_problem(message):
            raise StateError(f"messages.{index}: {problem}")
    count = sum(message["role"] == "assistant" for message in saved["messages"])
    if saved["turn"] > count:
        raise StateError(f"turn: there are {saved['turn']} turns, but {count} assistant messages")
    return saved


def pack_generator(generator: np.random.Generator | None) -> Any:
    """Return a random generator as JSON values.

    Raises:
        StateError: It is not a PCG64 generator, as Gymnasium makes it.
    """
    if generator is None:
        return None
    bits = generator.bit_generator
    if type(bits) is not np.random.PCG64:
        kind = type(bits).__name__
        raise StateError(f"np_random is a {kind}, and only a PCG64 generator can be saved")
    return bits.state


def unpack_generator(saved: Any) -> np.random.Generator:
    """Return the random generator that `pack_generator` packed."""
    bits = np.random.PCG64(0)
    bits.state = saved
    return np.random.Generator(bits)
