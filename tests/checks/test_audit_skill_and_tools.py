"""Skill shows, and tools are as they are declared: one small environment per defect."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest
from audit_runs import result_of
from sound_envs import SOUND, Ledger, Recall, Sum

from textgym import Grade, Message, Task

SKILL = "statistical.difficulty_separation"
SIZE = "semantic.resource_envelope"
TOOLS = "runtime.tool_declaration_accuracy"


@pytest.mark.parametrize("cls", SOUND)
@pytest.mark.parametrize("check_id", [SKILL, SIZE, TOOLS])
def test_a_sound_environment_passes(cls: type[Any], check_id: str) -> None:
    assert result_of(cls, check_id).status == "pass"


def test_means_rise_by_episodes_and_by_turns() -> None:
    measured = result_of(Recall, SKILL).measured
    assert measured["means"] == sorted(measured["means"])
    assert measured["means"][0] < 0.1
    assert measured["means"][-1] == measured["means_by_turn"][-1] == 1.0
    assert "means_by_turn" not in result_of(Sum, SKILL).measured


class GuessesRight(Sum):
    def guess(self, rng: random.Random) -> Message:
        return self.solve()


class HatesMixtures(Recall):
    """Pays half for two wrong words, and nothing for one."""

    def grade(self) -> Grade:
        said, answer = self.state["said"], list(map(str, self.task.answer))
        right = sum(one == other for one, other in zip(said, answer, strict=False))
        return Grade({0: 0.5, 1: 0.0, 2: 1.0}[right], right == 2)


@pytest.mark.parametrize(
    ("cls", "detail"),
    [
        (GuessesRight, "the mean return is 1.000 with 25% of the oracle's episodes, and 1.000"),
        (HatesMixtures, "when the oracle takes 25% of the turns instead of fewer"),
    ],
)
def test_skill_that_does_not_show_is_found(cls: type[Any], detail: str) -> None:
    assert detail in result_of(cls, SKILL, quick=False).detail


class NoGuess(Sum):
    guess = None  # type: ignore[assignment]


def test_without_guesses_skill_is_not_measured() -> None:
    assert result_of(NoGuess, SKILL).detail == "the environment does not define guess"


def test_what_right_episodes_take_is_reported() -> None:
    measured = result_of(Ledger, SIZE).measured
    assert measured["turns"] == {"median": 3, "most": 3}
    assert measured["calls"] == {"median": 2, "most": 2}
    assert measured["prompt_characters"]["most"] < measured["characters"]["median"]


# Tools.


class Offering(Ledger):
    """Offers what `offered` makes of its tools."""

    def read_row(self, row: dict[str, Any]) -> Task:
        task = super().read_row(row)
        return dataclasses.replace(task, tools=tuple(self.offered(self.toolbox().schemas())))

    def offered(self, schemas: list[Any]) -> list[Any]:
        """Return the tools to offer."""
        return schemas


class NoSchema(Offering):
    def offered(self, schemas: list[Any]) -> list[Any]:
        schemas[1]["function"]["parameters"]["properties"]["amount"]["type"] = "nothing"
        return schemas


class Undeclared(Offering):
    def offered(self, schemas: list[Any]) -> list[Any]:
        schemas[1]["function"]["parameters"]["required"] = ["sum"]
        return schemas


class Unknown(Offering):
    def offered(self, schemas: list[Any]) -> list[Any]:
        schemas[0]["function"]["name"] = "transfer"
        return schemas


class Flat(Offering):
    def offered(self, schemas: list[Any]) -> list[Any]:
        return [{"type": "function", **schema["function"]} for schema in schemas]


class Twice(Offering):
    def offered(self, schemas: list[Any]) -> list[Any]:
        return [*schemas, schemas[0]]


class Undescribed(Offering):
    def offered(self, schemas: list[Any]) -> list[Any]:
        schemas[0]["function"]["description"] = " "
        return schemas


class OtherArguments(Offering):
    def offered(self, schemas: list[Any]) -> list[Any]:
        schemas[1]["function"]["parameters"]["properties"]["amount"]["type"] = "string"
        return schemas


class CallsAnything(Offering):
    """Runs tools that the task does not offer."""

    def offered(self, schemas: list[Any]) -> list[Any]:
        return schemas[:1]

    def _call_tools(self, message: Message, state: Any) -> None:
        task = self.task
        self.task = dataclasses.replace(task, tools=None)
        super()._call_tools(message, state)
        self.task = task


class CallsMethods(Offering):
    """Answers a call of `solve`."""

    def step(self, action: Any) -> Any:
        calls = action.get("tool_calls") or [] if isinstance(action, dict) else []
        observation, *went = super().step(action)
        if calls and calls[0]["function"]["name"] == "solve":
            observation[-1]["content"] = str(self.solve())
        return observation, *went


class FewerTools(Offering):
    def offered(self, schemas: list[Any]) -> list[Any]:
        return schemas[:2]


@pytest.mark.parametrize(
    ("cls", "detail"),
    [
        (NoSchema, "the parameters of 'deposit' are not a JSON Schema: "),
        (Undeclared, "the tool 'deposit' requires ['sum'], which it does not declare"),
        (Unknown, "the tool 'transfer' is offered but does not exist"),
        (Flat, "a tool is not in OpenAI's nested function form: "),
        (Twice, "two tools have the same name: "),
        (Undescribed, "the tool 'balance' has no description"),
        (OtherArguments, "'deposit' refuses arguments that fit its schema: "),
        (CallsAnything, "'deposit', which is not offered, can be called"),
        (CallsMethods, "'solve', which is not offered, can be called"),
    ],
)
def test_tools_that_are_not_as_declared_are_found(cls: type[Any], detail: str) -> None:
    assert result_of(cls, TOOLS).detail.startswith(detail)


def test_a_task_may_offer_fewer_tools_than_there_are() -> None:
    assert result_of(FewerTools, TOOLS).measured == {"tools": ["balance", "deposit"]}


def test_without_tools_nothing_can_be_called() -> None:
    result = result_of(Sum, TOOLS)
    assert (result.status, result.measured) == ("pass", {"tools": []})
