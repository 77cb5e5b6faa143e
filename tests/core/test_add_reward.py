"""Rewards on the way: what `add_reward` pays, when, and what undoes it."""

from __future__ import annotations

import json
from typing import Any

import pytest

import textgym
from textgym import assistant_calls, user
from textgym.errors import EnvironmentFailure, RewardError, StateError, ToolError, UsageError


class Hunt(textgym.TextEnv[list[int]]):
    """Find three numbers; each is paid when it is found, and the rest at the end."""

    card = textgym.Card("tests/Hunt-v0", "Find numbers.")

    def generate(self, rng: Any, level: int) -> dict[str, Any]:
        return {"wanted": rng.sample(range(1000), 3)}

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        return textgym.Task(row["id"], (user(f"Find {row['wanted']}."),), row["wanted"], row=row)

    def begin(self, task: textgym.Task) -> list[int]:
        return []

    @textgym.tool
    def find(self, number: int) -> str:
        """Find a number."""
        if number in self.task.answer and number not in self.state:
            self.state.append(number)
            self.add_reward("found", 0.25)
        return "ok"

    @textgym.tool
    def stumble(self, how: str) -> str:
        """Be paid, and then raise."""
        self.add_reward("stumbled", 0.25)
        raise {"told": ToolError, "bug": ValueError, "down": EnvironmentFailure}[how]("no")

    @textgym.tool
    def pay(self, component: str, amount: float) -> str:
        """Pay any amount."""
        self.add_reward(component, amount)
        return "paid"

    def respond(self, message: Any) -> Any:
        self.add_reward("talk", 0.0625)
        return None if self.answer_text == "Done." else [user("Go on.")]

    def grade(self) -> textgym.Grade:
        found = len(self.state) == 3
        return textgym.Grade(0.125 * found, found, {"complete": float(found)})

    def solve(self) -> Any:
        calls = [("find", {"number": number}) for number in self.task.answer]
        return assistant_calls(*calls) if self.turn == 0 else textgym.assistant("Done.")


def begun() -> tuple[Any, list[int]]:
    env = Hunt()
    env.reset(seed=1)
    return env, env.task.answer


def find(*numbers: int) -> Any:
    return assistant_calls(*(("find", {"number": number}) for number in numbers))


def test_each_step_pays_what_was_found_in_it() -> None:
    env, (a, b, c) = begun()
    paid = [env.step(find(*numbers)) for numbers in ((a,), (a,), (b, c))]
    assert [step[1] for step in paid] == [0.25, 0.0, 0.5]
    assert [step[4].get("reward_components") for step in paid] == [
        {"found": 0.25}, None, {"found": 0.5},
    ]  # fmt: skip


def test_the_last_step_pays_its_payments_and_the_grade() -> None:
    env, wanted = begun()
    env.step(find(*wanted))
    _, reward, terminated, _, info = env.step("Done.")
    assert (reward, terminated) == (0.1875, True)
    assert info["reward_components"] == {"talk": 0.0625, "complete": 1.0}


def test_a_reply_of_the_user_can_pay() -> None:
    env, _ = begun()
    assert env.step("Hello.")[1] == 0.0625


@pytest.mark.parametrize(("how", "paid"), [("told", 0.25), ("bug", 0.0)])
def test_a_call_that_is_undone_has_paid_nothing(how: str, paid: float) -> None:
    env, (a, *_) = begun()
    calls = assistant_calls(("find", {"number": a}), ("stumble", {"how": how}))
    assert env.step(calls)[1] == 0.25 + paid


def test_a_step_that_raises_has_paid_nothing_and_can_be_taken_again() -> None:
    env, (a, *_) = begun()
    with pytest.raises(EnvironmentFailure):
        env.step(assistant_calls(("find", {"number": a}), ("stumble", {"how": "down"})))
    assert env.get_state()["paid"] == 0.0
    assert env.step(find(a))[1] == 0.25


def test_the_return_must_stay_in_the_reward_range() -> None:
    env, _ = begun()
    env.step(assistant_calls(("pay", {"component": "gift", "amount": 0.9})))
    env.step(assistant_calls(("pay", {"component": "gift", "amount": 0.1})))
    with pytest.raises(RewardError, match=r"graded 0.0 and paid 1.0625, outside its range"):
        env.step("Done.")


def test_rounding_of_payments_does_not_leave_the_range() -> None:
    env, _ = begun()
    for amount in (0.1, 0.2, 0.3, 0.3375):
        env.step(assistant_calls(("pay", {"component": "gift", "amount": amount})))
    env.step("Done.")


def test_a_component_cannot_be_paid_and_graded() -> None:
    env, _ = begun()

    def respond(message: Any) -> None:
        env.add_reward("complete", 0.0)

    env.respond = respond
    with pytest.raises(RewardError, match="component 'complete' comes from both add_reward"):
        env.step("Done.")


def test_add_reward_between_steps_is_refused() -> None:
    env, _ = begun()
    with pytest.raises(UsageError, match="add_reward works only during a step"):
        env.add_reward("late", 1.0)


@pytest.mark.parametrize("amount", ["NaN", "Infinity"])
def test_a_tool_that_pays_what_is_not_finite_is_undone(amount: str) -> None:
    env, _ = begun()
    call: Any = assistant_calls(("pay", {}))
    call["tool_calls"][0]["function"]["arguments"] = f'{{"component": "x", "amount": {amount}}}'
    observation, reward, _, _, info = env.step(call)
    assert "is not a finite amount" in observation[-1]["content"]
    assert reward == 0.0
    assert "reward_components" not in info


def test_an_amount_that_is_not_finite_is_an_error_elsewhere() -> None:
    env, _ = begun()
    env.respond = lambda message: env.add_reward("x", float("nan"))
    with pytest.raises(RewardError, match="is not a finite amount"):
        env.step("Done.")


def test_a_fork_knows_what_was_paid() -> None:
    env, wanted = begun()
    env.step(find(*wanted))
    fork = Hunt()
    fork.set_state(json.loads(json.dumps(env.get_state())))
    assert fork.get_state()["paid"] == 0.75
    assert fork.step("Done.")[1] == env.step("Done.")[1]


@pytest.mark.parametrize("paid", [float("nan"), "1", None])
def test_tampered_payments_are_refused(paid: Any) -> None:
    env, _ = begun()
    with pytest.raises(StateError, match="paid"):
        env.set_state({**env.get_state(), "paid": paid})


def test_a_reset_forgets_what_was_paid() -> None:
    env, wanted = begun()
    env.step(find(*wanted))
    env.reset(seed=1)
    assert env.get_state()["paid"] == 0.0


def test_a_rollout_records_each_payment_at_its_step() -> None:
    (trajectory,) = textgym.rollout(Hunt, "oracle", episodes=1).trajectories()
    assert [step["reward"] for step in trajectory["steps"]] == [0.75, 0.1875]
    assert trajectory["steps"][0]["components"] == {"found": 0.75}
    assert trajectory["reward"] == 0.9375


def test_a_rescored_run_has_the_same_payments() -> None:
    run = textgym.rollout(Hunt, "oracle", episodes=2)
    assert textgym.rescore(run).counts["same"] == 2


def test_a_vector_pays_at_each_step() -> None:
    vector = textgym.TextVectorEnv([Hunt, Hunt])
    vector.reset(seed=[1, 1])
    number = vector.envs[0].unwrapped.task.answer[0]
    assert vector.step([find(number), "Hello."])[1].tolist() == [0.25, 0.0625]
    vector.close()
