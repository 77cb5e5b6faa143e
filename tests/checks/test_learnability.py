"""A ladder of noisy oracles shows whether there is something to learn from at each level."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest
from audit_runs import result_of
from sound_envs import SOUND, Recall, Sum

from textgym import Grade, Message, OracleError, Task, assistant, user
from textgym.checks import CHECKS
from textgym.checks.skill_checks import LADDER
from textgym.core.partial_credit import PartialCreditEnv

CHECK = "statistical.learnability"


def ladders_of(env: Any, quick: bool = True) -> dict[str, list[float]]:
    ladders: dict[str, list[float]] = result_of(env, CHECK, quick).measured["informative"]
    return ladders


class Steps(Sum):
    """Count to the level's number, one number a turn; a single mistake costs all."""

    card = dataclasses.replace(Sum.card, id="tests/Steps-v0", levels=(20,))
    max_turns = 25

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"start": rng.randrange(10**6), "steps": level + (level == 0)}

    def read_row(self, row: dict[str, Any]) -> Task:
        prompt = f"Count from {row['start']}, {row['steps']} numbers in all, one a turn."
        return Task(row["id"], (user(prompt),), row["start"], row=row)

    def begin(self, task: Task) -> Any:
        return {"right": 0, "said": 0}

    def respond(self, message: Message) -> list[Message] | None:
        self.state["right"] += self.answer_text == str(self.task.answer + self.state["said"])
        self.state["said"] += 1
        return None if self.state["said"] == self.task.row["steps"] else [user("Next.")]

    def grade(self) -> Grade:
        right = self.state["right"] == self.task.row["steps"]
        return Grade(float(right), right)

    def solve(self) -> Message:
        return assistant(str(self.task.answer + self.state["said"]))

    def guess(self, rng: random.Random) -> Message:
        return assistant(str(rng.randrange(10**6)))


class SharedSteps(Steps):
    """The same, with credit for each right number."""

    def grade(self) -> Grade:
        share = self.state["right"] / self.task.row["steps"]
        return Grade(share, share == 1.0)


class CreditedSteps(PartialCreditEnv[Any], Steps):  # type: ignore[misc]
    """The same, with credit for each right number only if it is asked for."""

    def progress(self) -> float:
        return float(self.state["right"] / self.task.row["steps"])

    def grade(self) -> Grade:
        return self.less_paid(super().grade())


class ManyLevels(Steps):
    card = dataclasses.replace(Steps.card, levels=(1, 9, 12), first_rung=True)


class Lost(Steps):
    """The oracle does not know how to continue after a mistake."""

    def solve(self) -> Message:
        if self.state["right"] < self.state["said"]:
            raise OracleError("a number was wrong")
        return super().solve()


@pytest.mark.parametrize("cls", [*SOUND, SharedSteps])
def test_an_environment_with_something_to_learn_passes(cls: type[Any]) -> None:
    result = result_of(cls, CHECK)
    assert result.status == "pass", result
    assert result.detail.startswith("at least ")


@pytest.mark.parametrize("cls", [Steps, Lost])
def test_twenty_steps_that_win_only_together_are_warned_about(cls: type[Any]) -> None:
    result = result_of(cls, CHECK)
    assert (result.status, result.decides, result.mark) == ("fail", False, "warn")
    assert result.detail == (
        "too few groups are informative where the oracle takes at most half of the turns: "
        "0% at level 20"
    )
    ladder = result.measured["informative"]["20"]
    assert ladder[:3] == [0.0, 0.0, 0.0]
    assert ladder[-1] > 0.25  # 0.9 ** 20 is 0.12, and a group has eight episodes


def test_partial_credit_is_played_where_the_whole_reward_is_too_rare() -> None:
    result = result_of(CreditedSteps, CHECK)
    assert result.status == "pass", result
    assert result.detail.endswith(" are informative, at level 20 with partial credit")
    assert result.measured["informative"]["20"][:3] == [0.0, 0.0, 0.0]
    assert result.measured["informative_with_partial_credit"]["20"][2] == 1.0


def test_an_environment_that_was_made_with_or_without_partial_credit_is_played_as_it_is() -> None:
    for chosen in (True, False):
        measured = result_of(CreditedSteps(partial_credit=chosen), CHECK).measured
        assert measured["informative_with_partial_credit"] == {}
        assert (measured["informative"]["20"][2] == 1.0) is chosen


def test_groups_of_one_step_differ_as_often_as_the_shares_say() -> None:
    (ladder,) = ladders_of(Sum, quick=False).values()
    for share, found in zip(LADDER, ladder, strict=True):
        assert found == pytest.approx(1 - share**8 - (1 - share) ** 8, abs=0.2)
    assert ladder[0] == 0.0


def test_each_level_has_a_ladder_and_the_first_rung_too() -> None:
    result = result_of(ManyLevels, CHECK)
    assert list(result.measured["informative"]) == ["0", "1", "9", "12"]
    assert result.detail.endswith("turns: 0% at level 9, 0% at level 12")
    assert result.measured["shares"] == LADDER
    assert result.measured["episodes_a_group"] == 8
    groups = result.measured["groups"]
    assert (groups["0"], groups["12"]) == (5, 2)  # long episodes take the place of many


@pytest.mark.parametrize(
    ("kwargs", "name"),
    [
        ({"level": 0}, "0"),
        ({"level": 9}, "9"),
        ({"dataset": [{"start": n, "steps": 1} for n in range(3)]}, "all"),
    ],
)
def test_a_fixed_level_and_a_data_set_have_one_ladder(kwargs: dict[str, Any], name: str) -> None:
    assert list(ladders_of(ManyLevels(**kwargs))) == [name]


def test_the_ladder_is_the_same_each_time() -> None:
    assert ladders_of(Recall) == ladders_of(Recall)


def test_tasks_and_levels_draw_their_own_noise() -> None:
    class Twins(Sum):
        card = dataclasses.replace(Sum.card, id="tests/Twins-v0", levels=(1, 2, 3))

    ladders = ladders_of(Twins, quick=False)
    assert len({tuple(ladder) for ladder in ladders.values()}) > 1


def test_an_episode_is_only_played_again_if_a_turn_changes() -> None:
    resets = 0

    class Counted(Sum):
        def reset(self, **kwargs: Any) -> Any:
            nonlocal resets
            resets += 1
            return super().reset(**kwargs)

    ladders_of(Counted)
    episodes = 5 * 8
    assert episodes < resets <= 2 * episodes


def test_steps_that_may_wait_are_few() -> None:
    class Waits(Sum):
        blocking = True

    assert result_of(Waits, CHECK).measured["groups"] == {"1": 2}


class NoGuess(Sum):
    guess = None  # type: ignore[assignment]


class NoOracle(Sum):
    solve = None  # type: ignore[assignment]


@pytest.mark.parametrize(("cls", "method"), [(NoGuess, "guess"), (NoOracle, "solve")])
def test_without_an_oracle_or_guesses_there_is_no_ladder(cls: type[Any], method: str) -> None:
    result = result_of(cls, CHECK)
    assert (result.status, result.detail) == (
        "skip",
        f"the environment does not define {method}",
    )


def test_the_check_is_part_of_an_audit_and_a_warning() -> None:
    assert (CHECKS[CHECK].severity, CHECKS[CHECK].fast) == ("warn", False)
