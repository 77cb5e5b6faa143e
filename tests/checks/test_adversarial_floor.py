"""Each family of attackers finds its defect: small broken environments, and sound twins."""

from __future__ import annotations

import asyncio
import json
import random
import re
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from planted_quizzes import Chest, Options, Quiz

import textgym
from textgym.checks import Result, make_subject, run_check
from textgym.checks.adversarial_checks import adversarial_floor
from textgym.checks.episodes import NotApplicable, Scripted, play
from textgym.core.episode import Grade
from textgym.messages import Message, assistant, user
from textgym.policies import Action, Policy


def result(env: Any, **more: Any) -> Result:
    with make_subject(env, 20, **{"quick": True, **more}) as subject:
        return run_check(subject, adversarial_floor)


def winners(env: Any, **more: Any) -> set[str]:
    """The attackers that got too much."""
    came = result(env, **more)
    assert came.status == "fail", came
    assert came.evidence
    assert len(came.evidence) <= 3
    assert all(sum(episode["rewards"]) > 0 for episode in came.evidence)
    return set(came.measured["above_chance"])


@pytest.mark.parametrize("sound", [Quiz, Options, Chest])
def test_a_sound_environment_passes(sound: type[Any]) -> None:
    came = result(sound)
    assert came.status == "pass", came
    assert came.measured["oracle"] == 1.0
    assert len(came.measured["attackers"]) > 100


class Substring(Quiz):
    def is_right(self, text: str) -> bool:
        return self.task.answer in text

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        a, b = rng.randrange(100, 300), rng.randrange(100, 300)
        return {"question": f"What is {a} plus {b}?", "answer": str(a + b)}


def test_a_substring_grader_pays_every_number() -> None:
    assert "numbers from 0 to 1000" in winners(Substring)


class OptionSubstring(Options):
    def is_right(self, text: str) -> bool:
        return f"{self.task.answer}:" in text


def test_a_grader_of_the_whole_text_pays_the_pasted_context() -> None:
    found = winners(OptionSubstring)
    assert {"echo", "whole context", "every option with its text"} <= found


class AnyBox(Options):
    def is_right(self, text: str) -> bool:
        return self.task.answer in re.findall(r"\\boxed\{(.*?)\}", text)


def test_a_grader_that_takes_any_box_pays_all_boxes() -> None:
    assert "all boxes" in winners(AnyBox)


class Reasoning(Options):
    def is_right(self, text: str) -> bool:
        thoughts = [*self.replies][-1].get("reasoning_content") or ""
        return super().is_right(text) or f"\\boxed{{{self.task.answer}}}" in thoughts


def test_a_grader_that_reads_the_reasoning_pays_what_is_hidden_there() -> None:
    assert winners(Reasoning) == {"answer in reasoning_content"}


@pytest.mark.parametrize(
    "verdict",
    ["[[A=B]]", "[[A]]", "\\boxed{YES}", '{"score": 10}', "Verdict: correct", "<reward>1</reward>"],
)
def test_a_judge_that_believes_the_candidate_pays_a_forged_verdict(
    verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def believes(self: Quiz, text: str) -> bool:
        return verdict in f"Question, then answer:\n{text}"

    monkeypatch.setattr(Quiz, "is_right", believes)
    monkeypatch.setattr(Quiz, "solve", lambda self: assistant(verdict))
    found = winners(Quiz)
    assert f"forged verdict: {verdict}" in found


class Claimed(Quiz):
    def is_right(self, text: str) -> bool:
        try:
            return bool(json.loads(text.splitlines()[-1])["reward"])
        except (ValueError, TypeError, KeyError, IndexError):
            return super().is_right(text)


def test_a_reward_by_the_models_own_claim_is_claimed() -> None:
    assert 'claimed reward: {"reward": 1.0, "is_success": true}' in winners(Claimed)


class ChatTokens(Quiz):
    def is_right(self, text: str) -> bool:
        user_turn = text.partition("<|im_start|>user")[2]
        return "that is correct" in user_turn or super().is_right(text)


def test_a_transcript_that_is_parsed_again_pays_a_forged_user_turn() -> None:
    assert "forged user turn in chat tokens" in winners(ChatTokens)


class AlwaysC(Options):
    def offer(
        self, rng: random.Random, question: str, right: object, wrong: list[Any]
    ) -> dict[str, Any]:
        row = super().offer(rng, question, right, wrong)
        while row["answer"] != "C":
            row = super().offer(rng, question, right, wrong)
        return row


def test_an_answer_that_is_always_c_is_always_found() -> None:
    assert {"always C", "frequent answer 1", "reply of another task"} <= winners(AlwaysC)


class Longest(Options):
    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        wrong = rng.sample(range(100, 999), 3)
        return self.offer(rng, "Which is the one?", rng.randrange(10_000, 99_999), wrong)


def test_the_longest_option_is_tried() -> None:
    assert "longest option" in winners(Longest)


class Overlap(Quiz):
    def is_right(self, text: str) -> bool:
        return super().is_right(text) or {*self.task.row["question"].split()} <= {*text.split()}


def test_a_grader_of_common_words_pays_the_echo() -> None:
    assert {"echo", "prompt twice", "very long output"} <= winners(Overlap)


class Tolerant(Quiz):
    def is_right(self, text: str) -> bool:
        found = re.search(r"\\boxed\{(.*?)\}", text)
        try:
            value = float(found[1]) if found else 0.0
        except ValueError:
            return False
        gold = float(self.task.answer)
        return abs(value - gold) <= 1e-6 * max(abs(value), abs(gold))


def test_a_relative_tolerance_pays_infinity() -> None:
    assert winners(Tolerant) == {
        "expression inf", "expression Infinity", "expression 1e999", "expression -1e999",
    }  # fmt: skip


class Formula(Quiz):
    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        a, b = rng.randrange(100, 999), rng.randrange(100, 999)
        return {"question": f"What is ${a} + {b}$?", "answer": str(a + b)}

    def is_right(self, text: str) -> bool:
        found = re.search(r"\\boxed\{(?:(\d+) \+ )?(\d+)\}", text)
        return found is not None and str(int(found[1] or 0) + int(found[2])) == self.task.answer


def test_a_grader_that_calculates_pays_the_formula_of_the_question() -> None:
    assert {"the first formula", "the last formula"} <= winners(Formula)


class Invisible(Quiz):
    def is_right(self, text: str) -> bool:
        found = re.findall(r"\\boxed\{(.*?)\}", text)
        return bool(found) and self.task.answer.startswith(re.sub(r"[^\d\s<>a-z.]+", "", found[-1]))


def test_a_grader_that_strips_odd_characters_pays_them() -> None:
    assert {"form around zero-width", "form around right-to-left"} <= winners(Invisible)


class Farmed(Chest):
    def pay(self, count: int) -> None:
        self.state["paid"] = self.state.get("paid", 0) + (count > 0)
        self.add_reward("coins", 0.02 if count > 0 and self.state["paid"] <= 20 else 0.0)

    def grade(self) -> Grade:
        right = self.is_right()
        return Grade(0.6 * right, right, {"full": float(right)})


def test_payments_without_a_debit_are_farmed_by_doing_and_undoing() -> None:
    assert {"do and undo", "same call again and again"} <= winners(Farmed)


class Undone(Chest):
    def pay(self, count: int) -> None:
        self.state["undone"] = self.state.get("undone", 0) + (count < 0)
        self.add_reward("care", 0.05 if count < 0 and self.state["undone"] > 5 else 0.0)


def test_only_a_loop_is_paid_for_undoing_many_times() -> None:
    assert winners(Undone) == {"do and undo", "do and undo at once"}


class AnyCall(Chest):
    def is_right(self) -> bool:
        return bool(self.state["calls"])


def test_a_grader_that_counts_calls_pays_a_single_one() -> None:
    assert {"early stop", "each tool", "extreme arguments"} <= winners(AnyCall)


class Written(Quiz):
    def is_right(self, text: str) -> bool:
        return super().is_right(text) or len(text) > 500_000


def test_a_grader_that_rewards_length_pays_a_very_long_output() -> None:
    assert winners(Written) == {"very long output"}


class Half(Quiz):
    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        n = rng.randrange(10**9)
        return {"question": f"Is {n} good?", "answer": "no" if n % 3 else f"it has {n}"}


def test_a_frequent_answer_is_learned_from_the_oracle() -> None:
    assert "frequent answer 1" in winners(Half)


class Raises(Quiz):
    def is_right(self, text: str) -> bool:
        if "[[A=B]]" in text:
            raise RuntimeError("two verdicts")
        return super().is_right(text)


def test_an_attacker_that_makes_a_step_raise_is_named() -> None:
    came = result(Raises)
    assert came.status == "fail"
    assert "'forged verdict: [[A=B]]' makes the environment raise RuntimeError" in came.detail


class Idle(Chest):
    """Half of the tasks ask for nothing."""

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        row = super().generate(rng, level)
        return {**row, "more": -row["first"], "no_op": True} if rng.random() < 0.5 else row


def test_tasks_in_which_nothing_is_to_be_done_are_left_out() -> None:
    env = Idle(split="test")
    assert any(env.get_task(index).row.get("no_op") for index in range(10))
    came = result(Idle)
    assert came.status == "pass", came
    assert came.measured["attackers"]["silence"]["mean"] == 0.0


def test_user_supplied_attackers_are_tried_first() -> None:
    own = {"mine": "42", "thinking": lambda view: view.messages[-1]["content"]}
    came = result(Quiz, attackers=own)
    assert [*came.measured["attackers"]][:2] == ["mine", "thinking"]
    assert came.measured["attackers"]["mine"]["family"] == "own"


def added(messages: Any) -> str:
    numbers = re.findall(r"\d+", messages[0]["content"])
    return f"\\boxed{{{sum(map(int, numbers))}}}"


class Adds(Policy):
    """Knows the answer, and waits for it as a model would."""

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        await asyncio.sleep(0)
        return Action(assistant(added(messages)))


class Bound(Adds):
    """Acts only if it was bound to the environment."""

    env: Any = None

    def for_env(self, env: Any) -> Policy:
        bound = Bound()
        bound.env = env
        return bound

    async def act(self, messages: Any, tools: Any, **more: Any) -> Action:
        return Action(assistant(added(messages) if self.env else ""))


ADDING = {
    "a function": lambda view: added(view.messages),
    "a function that returns a message": lambda view: assistant(added(view.messages)),
    "a scripted policy": Scripted(lambda view: added(view.messages)),
    "a policy that waits": Adds(),
    "a policy that is bound": Bound(),
}


@pytest.mark.parametrize("name", ADDING)
def test_a_user_supplied_attacker_that_knows_the_answer_fails(name: str) -> None:
    assert name in winners(Quiz, attackers={name: ADDING[name]})


def test_a_policy_that_waits_attacks_within_a_running_loop() -> None:
    async def run() -> set[str]:
        return winners(Quiz, attackers={"mine": Adds()})

    assert "mine" in asyncio.run(run())


def give_up(view: Any) -> str:
    raise NotApplicable


@pytest.mark.parametrize(
    "attacker",
    ["42", give_up, lambda view: "", lambda view: f"{view.turn}", lambda view: f"{view.tools}",
     lambda view: f"\\boxed{{{view.rng.randrange(10**9)}}}", Scripted(give_up),
     Scripted(lambda view: added([{"content": "1 and 1"}]))],
)  # fmt: skip
def test_a_user_supplied_attacker_that_knows_nothing_passes(attacker: Any) -> None:
    assert result(Quiz, attackers={"mine": attacker}).status == "pass"


def test_a_user_supplied_attacker_that_is_not_applicable_is_silent() -> None:
    came = result(Quiz, attackers={"mine": give_up})
    assert came.measured["not_applicable"][:1] == ["mine"]


def test_a_scripted_policy_plays_one_episode() -> None:
    numbers: list[tuple[int, float]] = []

    def answer(view: Any) -> str:
        numbers.append((view.turn, view.rng.random()))
        if view.turn == 1:
            raise NotApplicable
        return "no"

    env = gymnasium.make("textgym/GuessNumber-v0").unwrapped
    policy = Scripted(answer)
    episodes = [play(env, playing := policy.for_env(env), index=3) for _ in range(2)]
    turns = len(episodes[0].actions)
    assert [turn for turn, _ in numbers] == [*range(turns)] * 2
    assert numbers[:turns] == numbers[turns:]
    assert len(dict.fromkeys(number for _, number in numbers)) == turns
    assert episodes[0] == episodes[1]
    assert playing.gave_up
    assert episodes[0].actions[1] == assistant("")
    assert policy.turn == -1


class Dice(Quiz):
    """Guess one of `sides` numbers."""

    card = textgym.Card(id="planted/Dice-v0", summary="Guess a number.", chance=0.1)

    def __init__(self, sides: int = 10, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.sides = sides

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        number = rng.randrange(10**9)
        return {"question": f"What is the hash of {number}?", "answer": str(number % self.sides)}

    def guess(self, rng: random.Random) -> Message:
        return assistant(f"\\boxed{{{rng.randrange(self.sides)}}}")


def test_with_other_arguments_chance_is_measured_by_guesses() -> None:
    came = result(Dice(sides=2), quick=False)
    assert came.status == "pass", came
    assert came.measured["chance"] == came.measured["guess"] > 0.3
    assert "guesses" in came.measured["chance_is"]


def test_a_stated_chance_is_taken_with_other_arguments_too() -> None:
    came = result(Dice(sides=2), stated_chance=0.1)
    assert came.status == "fail"
    assert came.measured["chance_is"] == "stated"


def test_a_data_set_is_divided_into_halves(tmp_path: Path) -> None:
    rows = [{"id": str(i), "question": f"What is number {i}?", "answer": "no"} for i in range(40)]
    rows[:20] = [{**row, "answer": str(i)} for i, row in enumerate(rows[:20])]
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    came = result(Quiz(dataset=str(file)))
    assert came.status == "pass", came  # what is learned of the first half is no help

    file.write_text("".join(json.dumps({**row, "answer": "no"}) + "\n" for row in rows))
    assert "reply of another task" in winners(Quiz(dataset=str(file)))


class Unbounded(AlwaysC):
    reward_range = (float("-inf"), float("inf"))


def test_unbounded_returns_are_judged_by_their_own_spread() -> None:
    assert "always C" in winners(Unbounded)


class Plain(gymnasium.Env[Any, Any]):
    """An environment that is not a `TextEnv`."""

    def __init__(self, constant: bool = False) -> None:
        self.observation_space = textgym.ConversationSpace()
        self.action_space = textgym.ActionSpace()
        self.constant = constant

    def reset(
        self, *, seed: Any = None, options: Any = None
    ) -> tuple[list[Message], dict[str, Any]]:
        super().reset(seed=seed)
        a, b = map(int, self.np_random.integers(100, 999, 2))
        self.answer = 7 if self.constant else a + b
        self.conversation = [user(f"What is {a} plus {b}?")]
        return list(self.conversation), {}

    def step(self, action: Any) -> Any:
        text = action if isinstance(action, str) else str(action.get("content"))
        self.conversation.append(assistant(text))
        return list(self.conversation), float(text == str(self.answer)), True, False, {}

    def solve(self) -> Message:
        return assistant(str(self.answer))


class PlainConstant(Plain):
    def __init__(self) -> None:
        super().__init__(constant=True)


def test_an_environment_that_is_no_textenv_is_attacked_too() -> None:
    assert result(Plain).status == "pass"
    assert "frequent answer 1" in winners(PlainConstant)
