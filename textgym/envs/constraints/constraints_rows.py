"""Reading rows of IFEval, IFBench and NeMo Gym: instructions, prompts, grading modes and facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from textgym.envs.constraints.facts import Facts
from textgym.envs.constraints.generator import Asked
from textgym.errors import RowError, UsageError, did_you_mean
from textgym.messages import Message, ToolSchema, user
from textgym.tasks import nemo_rows
from textgym.tasks.task import Task
from textgym.verifiers.instructions import INSTRUCTIONS, follows

__all__ = [
    "GRADING_MODES", "ConstraintsTask", "GradingMode", "check_libraries", "fact_list_of",
    "fields_of", "grading_mode_of", "instructions_of", "prompt_of", "witness_of",
]  # fmt: skip

GradingMode = Literal["binary", "fraction"]
GRADING_MODES: tuple[GradingMode, ...] = ("binary", "fraction")
"""The names of the grading modes, as NeMo Gym has them."""

_NESTED = "verifier_metadata"
_SAMPLE = "A short text. And another one."
_tried: set[str] = set()
"""The types of instruction whose libraries are there."""


@dataclass(frozen=True, slots=True)
class ConstraintsTask(Task):
    """A task with the data for grading. Its answer is a right one, or None if none is known.

    Attributes:
        instructions: The ids of the instructions, each with its arguments.
        facts: The facts that an answer must mention, may mention and must not mention.
        grading_mode: The grading mode, from the keyword argument or the row.
        pays_form: Whether a text that lacks facts earns a part for its form.
    """

    instructions: tuple[Asked, ...] = ()
    facts: Facts = field(default_factory=Facts)
    grading_mode: GradingMode = GRADING_MODES[0]
    pays_form: bool = False


def fields_of(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the verifier's fields of a row, which NeMo Gym may keep in `verifier_metadata`.

    Example:
        >>> fields_of({"id": 1, "verifier_metadata": {"prompt": "Hello!"}})["prompt"]
        'Hello!'
    """
    nested = row.get(_NESTED)
    if nested is None:
        return row
    if not isinstance(nested, Mapping):
        raise RowError(_NESTED, f"must be an object, not {type(nested).__name__}")
    return {**row, **nested}


def prompt_of(row: Mapping[str, Any]) -> tuple[list[Message], tuple[ToolSchema, ...] | None]:
    """Return the messages of a row and its tools: NeMo Gym's, or `prompt`'s.

    Raises:
        RowError: There is no prompt.
    """
    if nemo_rows.has_prompt(row):
        return nemo_rows.prompt_of(row), nemo_rows.tools_of(row)
    prompt = row.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        raise RowError("prompt", "is missing or empty")
    return [user(prompt)], None


def instructions_of(row: Mapping[str, Any], prompt: str = "") -> list[tuple[str, dict[str, Any]]]:
    """Return the ids of a row's instructions, each with its arguments.

    Args:
        row: The row.
        prompt: What the row asks. The indices of `repeat:repeat_span` count words, unless the
            prompt says that they are `character indices`.

    Raises:
        RowError: An id is unknown, an argument is missing or not valid, or the lists do not fit.

    Example:
        >>> instructions_of({"instruction_id_list": ["punctuation:no_comma"], "kwargs": [None]})
        [('punctuation:no_comma', {})]
    """
    ids, listed = row.get("instruction_id_list"), row.get("kwargs")
    if not isinstance(ids, list) or not ids:
        raise RowError("instruction_id_list", "must be a list with at least one id")
    if not isinstance(listed, list) or len(listed) != len(ids):
        actual = f"{len(listed)} of them" if isinstance(listed, list) else type(listed).__name__
        raise RowError("kwargs", f"must be a list of {len(ids)} objects, one an id, not {actual}")
    return [
        (_id_of(id, place), _arguments_of(id, values, place, prompt))
        for place, (id, values) in enumerate(zip(ids, listed, strict=True))
    ]


def _id_of(id: Any, place: int) -> str:
    if not isinstance(id, str) or id not in INSTRUCTIONS:
        hint = did_you_mean(str(id), INSTRUCTIONS)
        raise RowError(f"instruction_id_list.{place}", f"is {id!r:.100}, which is unknown{hint}")
    return id


def _arguments_of(id: str, values: Any, place: int, prompt: str) -> dict[str, Any]:
    field = f"kwargs.{place}"
    if values is not None and not isinstance(values, Mapping):
        raise RowError(field, f"must be an object or null, not {type(values).__name__}")
    # Rows lack this argument; prompts state it.
    stated = {"unit": "characters"} if "character indices" in prompt else {}
    try:
        return INSTRUCTIONS[id].read_arguments({**stated, **(values or {})})
    except UsageError as error:
        raise RowError(field, f"is not valid: {error}") from None


def check_libraries(instructions: list[tuple[str, dict[str, Any]]]) -> None:
    """Check that the libraries are there that instructions are checked with, once for each type.

    Raises:
        ExtraMissingError: The extra `constraints` is not installed.
    """
    for id, arguments in instructions:
        if id not in _tried:
            words = (f"{value} " * 4 for value in arguments.values())  # some checks look for them
            for text in (_SAMPLE, _SAMPLE.upper(), _SAMPLE.lower(), *words):
                follows(text, [(id, arguments)])
            _tried.add(id)


def grading_mode_of(row: Mapping[str, Any]) -> GradingMode:
    """Return a row's `grading_mode`, binary if it has none.

    Raises:
        RowError: The mode does not exist.
    """
    mode = row.get("grading_mode")
    if mode is None:
        return GRADING_MODES[0]
    if mode not in GRADING_MODES:
        known = ", ".join(GRADING_MODES)
        raise RowError("grading_mode", f"is {mode!r:.100}; the modes are {known}")
    return cast(GradingMode, mode)


def fact_list_of(row: Mapping[str, Any], field: str) -> tuple[str, ...]:
    """Return a list of facts; none if the row does not have the field.

    Raises:
        RowError: It is not a list of strings that are not blank.
    """
    texts = row.get(field)
    if texts is None:
        return ()
    if not isinstance(texts, list) or not all(isinstance(x, str) and x.strip() for x in texts):
        raise RowError(field, "must be a list of strings that are not blank")
    return tuple(texts)


def witness_of(row: Mapping[str, Any]) -> str | None:
    """Return a row's right answer; None if it has none.

    Raises:
        RowError: It is not a string, or it is blank.
    """
    witness = row.get("witness")
    if witness is not None and not (isinstance(witness, str) and witness.strip()):
        raise RowError("witness", "must be a string that is not blank")
    return witness
