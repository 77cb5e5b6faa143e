"""Each check finds its defect: one small environment per defect, and one without defects."""

from __future__ import annotations

import dataclasses
import json
import random
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from audit_runs import IN_PROCESS, STARTS_PROCESSES

import textgym
from textgym.checks import FAST_CHECKS, Result, check, make_subject, run_check
from textgym.core.episode import Grade
from textgym.errors import UsageError
from textgym.messages import Message, assistant, user

CARD = textgym.Card(
    id="demo/Sum-v0",
    summary="Add two numbers in one of two turns.",
    structure=("multi-turn",),
    capabilities=("reasoning",),
    domain=("mathematics",),
    task_type="question answering",
    verification=("exact match",),
    levels=(1, 2),
    chance=0.1,
)


class Good(textgym.TextEnv[dict[str, Any]]):
    """Give the last digit of a sum, after any number of messages `think`."""

    card = CARD

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"max_turns": 3, **kwargs})

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        most = 1000 * level
        return {"a": rng.randrange(most), "b": rng.randrange(most)}

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        question = f"What is the last digit of {row['a']} + {row['b']}?"
        return textgym.Task(row["id"], (user(question),), str((row["a"] + row["b"]) % 10), row=row)

    def begin(self, task: textgym.Task) -> dict[str, Any]:
        return {"thoughts": 0}

    def respond(self, message: Message) -> list[Message] | None:
        if message.get("content") != "think":
            return None
        self.state["thoughts"] += 1
        return [user(f"Thought {self.state['thoughts']}. And?")]

    @textgym.tool
    def last_digit(self, number: int) -> int:
        """Return the last digit of a number."""
        return abs(number) % 10

    def grade(self) -> Grade:
        right = self.answer_text == f"It is {self.task.answer}."
        components = {"correct": float(right)}
        return Grade(float(right), right, components, self.answer_text[6:7])

    def solve(self) -> Message:
        return assistant("think" if self.turn == 0 else f"It is {self.task.answer}.")

    def guess(self, rng: random.Random) -> Message:
        return assistant(f"It is {rng.randrange(10)}.")


def result(cls: type[Any], name: str, tasks: int = 50, **kwargs: Any) -> Result:
    with make_subject(cls(**kwargs) if kwargs else cls, tasks) as subject:
        return run_check(subject, FAST_CHECKS[name])


def found(cls: type[Any], name: str, tasks: int = 50) -> str:
    """The detail of a check that must fail."""
    came = result(cls, name, tasks)
    assert came.failed, came
    assert came.remediation
    return came.detail


@pytest.mark.parametrize("name", IN_PROCESS)
def test_a_correct_environment_passes(name: str) -> None:
    assert str(result(Good, name)) == f"ok   {name}"


@pytest.mark.slow
def test_a_correct_environment_passes_all_with_one_line_each() -> None:
    lines: list[str] = []
    passed = check(Good, tasks=20, show=lines.append)
    assert [line.split()[1].rstrip(":") for line in lines] == list(FAST_CHECKS)
    assert [line for line in lines if not line.startswith("ok ")] == []
    assert passed is True


def test_gymnasiums_checker_prints_no_transcripts(capsys: pytest.CaptureFixture[str]) -> None:
    assert result(Good, "runtime.gymnasium_api").status == "pass"
    assert capsys.readouterr().out == ""


# One defect each.


class SharesItsTranscript(Good):
    def reset(self, **kwargs: Any) -> Any:
        _, info = super().reset(**kwargs)
        return self._conversation.messages, info


class SharesItsMessages(Good):
    def reset(self, **kwargs: Any) -> Any:
        _, info = super().reset(**kwargs)
        return list(self._conversation.messages), info


class KeepsTheAction(Good):
    def step(self, action: Any) -> Any:
        came = super().step(action)
        if isinstance(action, dict):
            self._conversation.messages[self._conversation.messages.index(came[0][-1])] = action
        return came

    def respond(self, message: Message) -> list[Message] | None:
        return None if self.turn == 3 else []


@pytest.mark.parametrize("cls", [SharesItsMessages, KeepsTheAction])
def test_sharing_messages_with_the_caller_is_found(cls: type[Good]) -> None:
    assert "share mutable objects" in found(cls, "runtime.caller_isolation")


def test_sharing_the_transcript_itself_is_found() -> None:
    assert found(SharesItsTranscript, "runtime.caller_isolation")


class AnswerInInfo(Good):
    def grade(self) -> Grade:
        grade = super().grade()
        grade.info = {"expected": self.task.answer}
        return grade


class AnswerNestedInInfo(Good):
    def grade(self) -> Grade:
        grade = super().grade()
        grade.info = {"details": {"all": [{"gold": self.task.answer}]}}
        return grade


class AnswerInFirstInfo(Good):
    def reset(self, **kwargs: Any) -> Any:
        observation, info = super().reset(**kwargs)
        return observation, {**info, "gold": self.task.answer}


@pytest.mark.parametrize("cls", [AnswerInInfo, AnswerNestedInInfo, AnswerInFirstInfo])
def test_an_answer_in_info_is_found(cls: type[Good]) -> None:
    assert "info contains the answer of test-" in found(
        cls, "semantic.no_solution_leakage"
    ).replace("train-", "test-")


COLOURS = ("red", "green", "blue", "black", "white")


class Paints(Good):
    """Paint in a colour that a tool lists among its choices."""

    max_turns = 2

    def schema(self, colour: str) -> Any:
        """The schema of the argument in a task with a colour."""
        return {"type": "string", "enum": [*COLOURS]}

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        colour = COLOURS[row["a"] % len(COLOURS)]
        properties = {"colour": self.schema(colour)}
        function = {"name": "paint", "description": "Paint the wall in a colour.",
                    "parameters": {"type": "object", "properties": properties}}  # fmt: skip
        prompt = user(f"Paint in colour number {row['a'] % len(COLOURS)}, for job {row['b']}.")
        tools = ({"type": "function", "function": function},)
        return textgym.Task(row["id"], (prompt,), colour, tools=tools, row=row)

    @textgym.tool
    def paint(self, colour: str) -> str:
        """Paint the wall in a colour."""
        return "painted"


class PaintsByDefault(Paints):
    def schema(self, colour: str) -> Any:
        return {"type": "string", "enum": [*COLOURS], "default": "red"}


class PaintsFromFew(Paints):
    def schema(self, colour: str) -> Any:
        other = COLOURS[COLOURS.index(colour) - 1]
        return {"type": "string", "enum": sorted([colour, other])}


class PaintsOrNot(Paints):
    def schema(self, colour: str) -> Any:
        other = COLOURS[COLOURS.index(colour) - 1]
        return {"anyOf": [{"enum": [other, colour], "type": "string"}, {"type": "null"}]}


class PaintsAlways(Paints):
    def schema(self, colour: str) -> Any:
        return {"type": "string", "enum": [colour]}


class PaintsConstant(Paints):
    def schema(self, colour: str) -> Any:
        return {"const": colour}


class PaintsTwice(Paints):
    def schema(self, colour: str) -> Any:
        return {"type": "string", "enum": [colour, colour]}


class PaintsTheDefault(Paints):
    def schema(self, colour: str) -> Any:
        return {"type": "string", "enum": [*COLOURS], "default": colour}


class PaintsAsTold(Paints):
    def schema(self, colour: str) -> Any:
        return {"type": "string", "enum": [*COLOURS], "description": f"Here {colour} it is."}


@pytest.mark.parametrize("cls", [Paints, PaintsByDefault, PaintsFromFew, PaintsOrNot])
def test_choices_that_a_tool_lists_are_no_leak(cls: type[Good]) -> None:
    came = result(cls, "semantic.no_solution_leakage")
    assert came.status == "pass", came


@pytest.mark.parametrize(
    "cls", [PaintsAlways, PaintsConstant, PaintsTwice, PaintsTheDefault, PaintsAsTold]
)
def test_a_tool_that_shows_the_answer_alone_is_a_leak(cls: type[Good]) -> None:
    assert "answer" in found(cls, "semantic.no_solution_leakage")


class ShowsTheSolution(Good):
    def solve(self) -> Message:
        return assistant(f"It is {self.task.answer}.")

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        task = super().read_row(row)
        shown = assistant(f"It is {task.answer}.")
        return textgym.Task(task.id, (*task.messages, shown), task.answer, row=row)


def test_a_solution_in_the_prompt_is_found() -> None:
    assert "the oracle's message is shown" in found(
        ShowsTheSolution, "semantic.no_solution_leakage"
    )


class DrawsFromTheGlobalGenerator(Good):
    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"a": int(random.random() * 1e9), "b": rng.randrange(1000)}


def test_a_prompt_from_a_global_generator_is_found_in_the_same_process() -> None:
    assert "the prompt differs" in found(DrawsFromTheGlobalGenerator, "runtime.spec_round_trip")


class DrawsFromNumPy(Good):
    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"a": int(np.random.randint(10**9)), "b": rng.randrange(1000)}


@pytest.mark.parametrize("cls", [DrawsFromTheGlobalGenerator, DrawsFromNumPy])
def test_a_global_generator_is_found_and_the_remedy_told(cls: type[Good]) -> None:
    before = random.getstate()
    assert found(cls, "runtime.seed_control") == (
        f"{cls.__name__}.generate draws different rows for the same rng: draw only from rng"
    )
    assert random.getstate() == before


class DependsOnTheHashSeed(Good):
    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        task = super().read_row(row)
        names = " ".join({"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta"})
        return textgym.Task(task.id, (*task.messages, user(names)), task.answer, row=row)


def test_the_order_of_a_set_is_found_in_another_process() -> None:
    name = "runtime.seed_control"
    assert "the prompt differs in another process" in found(DependsOnTheHashSeed, name)
    assert result(DependsOnTheHashSeed, "runtime.spec_round_trip").status == "pass"


class OutOfRange(Good):
    def grade(self) -> Grade:
        grade = super().grade()
        grade.reward *= 2
        return grade


def test_a_reward_out_of_range_is_found() -> None:
    assert "graded 2.0, outside its range" in found(OutOfRange, "runtime.reward_well_formed")


class NegativeOnRubbish(Good):
    def grade(self) -> Grade:
        grade = super().grade()
        return Grade(-1.0, False) if "\\boxed" in self.answer_text else grade


def test_a_reward_out_of_range_for_hostile_text_is_found() -> None:
    assert "graded -1.0, outside its range" in found(
        NegativeOnRubbish, "runtime.reward_well_formed"
    )


class RaisesOnText(Good):
    def grade(self) -> Grade:
        int(self.answer_text.removeprefix("It is ").removesuffix(".") or 0)
        return super().grade()


def test_an_exception_on_a_message_is_found() -> None:
    assert found(RaisesOnText, "runtime.reward_well_formed").startswith(
        "message 2 raised ValueError: invalid literal"
    )


class EarnsTenths(Good):
    """Three rewards of 0.1, whose sum is a little more than 0.3, or three of -0.1."""

    card = dataclasses.replace(CARD, reward_range=(-0.3, 0.3))

    def grade(self) -> Grade:
        is_right = super().grade().is_success
        for _ in range(3):
            self.add_reward("tenths", 0.1 if is_right else -0.1)
        return Grade(0.0, is_right, extracted_answer=self.answer_text)


@pytest.mark.parametrize(
    "name", ["runtime.reward_well_formed", "semantic.oracle_max", "semantic.floor_gap"]
)
def test_a_sum_of_rewards_may_be_rounded(name: str) -> None:
    assert result(EarnsTenths, name).status == "pass"


class WrongOracle(Good):
    def solve(self) -> Message:
        return assistant("It is 7.")


class RarelyWrongOracle(Good):
    """Wrong on one task in ten, and only on the harder level."""

    def solve(self) -> Message:
        wrong = self.task.row["level"] == 2 and self.task.answer == "7"
        return assistant("It is 1.") if wrong else super().solve()


@pytest.mark.parametrize("cls", [WrongOracle, RarelyWrongOracle])
def test_a_wrong_oracle_is_found_and_its_task_named(cls: type[Good]) -> None:
    assert found(cls, "semantic.oracle_max").startswith("the oracle gets 0.0 for train-")


class RewardsSilence(Good):
    def grade(self) -> Grade:
        return Grade(0.1, False, {"correct": 0.0}) if not self.answer_text else super().grade()


def test_a_reward_for_silence_is_found() -> None:
    assert "empty messages get 0.1 for train-" in found(RewardsSilence, "semantic.floor_gap")


class PunishesMistakes(Good):
    card = dataclasses.replace(Good.card, reward_range=(-1.0, 1.0))

    def grade(self) -> Grade:
        grade = super().grade()
        if self.answer_text and not grade.is_success:
            return dataclasses.replace(grade, reward=-1.0)
        return grade


def test_silence_may_earn_nothing_where_mistakes_are_punished() -> None:
    assert result(PunishesMistakes, "semantic.floor_gap").status == "pass"


class RewardsSilenceIfNothingIsToBeDone(RewardsSilence):
    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {**super().generate(rng, level), "no_op": True}


def test_a_reward_for_silence_is_allowed_on_tasks_tagged_no_op() -> None:
    came = result(RewardsSilenceIfNothingIsToBeDone, "semantic.floor_gap")
    assert came.status == "pass"


class WrongChance(Good):
    def guess(self, rng: random.Random) -> Message:
        return assistant(f"It is {rng.randrange(2)}.")

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        return super().read_row({**row, "a": row["a"] // 10 * 10, "b": row["b"] % 2})


def test_a_card_whose_chance_is_too_low_is_found() -> None:
    came = result(WrongChance, "statistical.declared_chance", tasks=200)
    assert came.status == "fail"
    assert came.detail.endswith("the card says 0.100")


class BadGuesses(Good):
    def guess(self, rng: random.Random) -> Message:
        return assistant("I do not know.")


def test_guesses_below_chance_pass() -> None:
    came = result(BadGuesses, "statistical.declared_chance", tasks=200)
    assert came.status == "pass"


@pytest.mark.parametrize("tasks", [1, 2, 5, 20])
def test_the_chance_check_passes_with_few_tasks(tasks: int) -> None:
    assert result(Good, "statistical.declared_chance", tasks=tasks).status == "pass"


class ChangingType(Good):
    def grade(self) -> Grade:
        grade = super().grade()
        grade.info = {"note": 0 if self.answer_text else "empty"}
        return grade


def test_a_key_of_changing_type_is_found() -> None:
    detail = found(ChangingType, "runtime.observation_schema")
    assert "info['note']" in detail


class NanComponent(Good):
    def grade(self) -> Grade:
        grade = super().grade()
        grade.components = {"correct": 0.0, "ratio": float("nan")}
        return grade


def test_a_component_that_is_not_finite_is_found() -> None:
    assert "component 'ratio' is nan" in found(NanComponent, "runtime.observation_schema")


class IntegerComponent(Good):
    def grade(self) -> Grade:
        grade = super().grade()
        grade.components = {"correct": int(grade.reward)}
        return grade


def test_an_integer_component_becomes_a_float() -> None:
    assert result(IntegerComponent, "runtime.observation_schema").status == "pass"


class ForgetsItsState(Good):
    def set_state(self, state: dict[str, Any]) -> None:
        super().set_state({**state, "state": self.begin(self.task)})


class KeepsStateAside(Good):
    """Keeps a counter outside of `state`, so it is neither saved nor restored."""

    def begin(self, task: textgym.Task) -> dict[str, Any]:
        self.said = 0
        return {}

    def respond(self, message: Message) -> list[Message] | None:
        self.said += 1
        return None if message.get("content") != "think" else [user(f"Thought {self.said}.")]

    def solve(self) -> Message:
        return assistant("think" if self.turn < 2 else f"It is {self.task.answer}.")


@pytest.mark.parametrize("cls", [ForgetsItsState, KeepsStateAside])
def test_a_state_that_is_not_restored_is_found(cls: type[Good]) -> None:
    assert "differs" in found(cls, "runtime.state_contract")


class StateWithoutJson(Good):
    def begin(self, task: textgym.Task) -> Any:
        return {"thoughts": 0, "seen": set()}


def test_a_state_that_is_not_json_is_found() -> None:
    assert found(StateWithoutJson, "runtime.state_contract").startswith("StateError: ")


class OverlappingSplits(Good):
    def get_task(self, index: int) -> textgym.Task:
        return self.read_row({"id": f"x-{index}", "level": 1, "a": index, "b": 0})


def test_a_task_in_two_splits_is_found() -> None:
    assert "is in two splits" in found(OverlappingSplits, "statistical.split_overlap")


class SplitByWhatIsNotAsked(Good):
    """Few questions, made distinct by a field that is not part of the prompt."""

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"a": rng.randrange(20), "b": level, "besides": rng.randrange(1000)}


def test_a_test_task_in_the_train_split_is_found() -> None:
    detail = found(SplitByWhatIsNotAsked, "statistical.split_overlap")
    assert detail.endswith("have the same prompt and solution")


class HiddenAnswer(SplitByWhatIsNotAsked):
    """The same few prompts, each with many different answers."""

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        task = super().read_row(row)
        hidden = f"{row['besides']} {self.split}"
        return textgym.Task(task.id, task.messages, hidden, row=row)


def test_equal_prompts_with_different_solutions_pass() -> None:
    assert result(HiddenAnswer, "statistical.split_overlap").status == "pass"


class SharedSplits(SplitByWhatIsNotAsked):
    card = dataclasses.replace(CARD, shared_splits=True)


def test_a_card_can_declare_shared_splits() -> None:
    assert result(SharedSplits, "statistical.split_overlap").status == "pass"


@pytest.mark.parametrize(
    ("stated", "tasks", "outcome"),
    [
        pytest.param(500, 500, "fail", id="not stated"),
        pytest.param(500, 50, "pass", id="too few tasks to see it"),
        pytest.param(2, 500, "fail", id="fewer than there are"),
        pytest.param(499, 500, "fail", id="more than there are"),
    ],
)
def test_repeated_prompts_must_be_stated(stated: int, tasks: int, outcome: str) -> None:
    class Repeats(SplitByWhatIsNotAsked):
        card = dataclasses.replace(CARD, distinct_tasks=stated)

        def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
            return {**super().generate(rng, level), "a": rng.randrange(100)}

    assert result(Repeats, "statistical.evaluation_duplicates", tasks=tasks).status == outcome


def test_the_number_of_different_prompts_is_told_and_accepted() -> None:
    detail = found(SplitByWhatIsNotAsked, "statistical.evaluation_duplicates", tasks=30)
    assert detail == (
        "the 500 test tasks of level 1 have 20 different prompts, but the card has "
        "distinct_tasks=500, the default"
    )

    class Stated(SplitByWhatIsNotAsked):
        card = dataclasses.replace(CARD, distinct_tasks=20)

    assert result(Stated, "statistical.evaluation_duplicates", tasks=500).status == "pass"


def test_the_level_with_the_fewest_prompts_is_named() -> None:
    class FewerAtLevel2(SplitByWhatIsNotAsked):
        card = dataclasses.replace(CARD, levels=(1, 2), distinct_tasks=40)

        def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
            return {**super().generate(rng, level), "a": rng.randrange(30 if level == 1 else 10)}

    detail = found(FewerAtLevel2, "statistical.evaluation_duplicates", tasks=500)
    assert detail == (
        "the 500 test tasks of level 2 have 10 different prompts, "
        "but the card has distinct_tasks=40"
    )


class ChangesItsRow(Good):
    """Its state is a part of the row."""

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {**super().generate(rng, level), "thoughts": [0]}

    def begin(self, task: textgym.Task) -> dict[str, Any]:
        return {"thoughts": 0, "all": task.row["thoughts"]}

    def respond(self, message: Message) -> list[Message] | None:
        self.state["all"].append(self.turn)
        return super().respond(message)


@pytest.mark.parametrize("split", ["train", "test"])
def test_an_episode_that_changes_its_row_is_found(split: str) -> None:
    came = result(ChangesItsRow, "runtime.episode_isolation", split=split)
    assert came.status == "fail"
    assert came.detail.startswith("an episode changed the task")


class Opens(Good):
    """Opens something in each episode."""

    opened = closed = 0

    def begin(self, task: textgym.Task) -> dict[str, Any]:
        Opens.opened += 1
        return super().begin(task)

    def on_close(self) -> None:
        Opens.closed += 1


@pytest.mark.parametrize(
    "name", [name for name in FAST_CHECKS if "vector" not in name and name not in STARTS_PROCESSES]
)
def test_what_episodes_open_is_closed_after_a_check(name: str) -> None:
    Opens.opened = Opens.closed = 0
    result(Opens, name, tasks=5)
    assert Opens.opened == Opens.closed


class DoubledIds(Good):
    def get_task(self, index: int) -> textgym.Task:
        task = super().get_task(index)
        return self.read_row({**task.row, "id": f"task-{index // 2}"})


def test_doubled_ids_are_found() -> None:
    assert (
        found(DoubledIds, "runtime.task_declaration_accuracy") == "50 tasks have 25 different ids"
    )


class RowIsNotKept(Good):
    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        shown = dict(row)
        task = super().read_row(row)
        shown["a"] += 1
        return textgym.Task(task.id, task.messages, task.answer, row=shown)


def test_a_row_that_gives_a_different_task_is_found() -> None:
    assert "differs" in found(RowIsNotKept, "runtime.task_declaration_accuracy")


class NoEnd(Good):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"max_turns": 10**9, **kwargs})

    def respond(self, message: Message) -> list[Message] | None:
        return [user("And?")]


def test_an_episode_that_never_ends_is_found() -> None:
    assert "has not ended after" in found(NoEnd, "semantic.floor_gap")


class WrongCard(Good):
    card = textgym.Card(
        "demo/Sum-v0", "x", (), (), (), "x", ("x",), levels=(2, 1), reward_range=(0.0, 1.0)
    )


def test_levels_out_of_order_are_found() -> None:
    assert "levels are not in order" in found(WrongCard, "static.manifest")


class Bookish(Good):
    """Only an id and a summary."""

    card = textgym.Card("textgym/Bookish-v0", "Add.", levels=(1, 2))


def test_a_card_of_the_suite_must_be_complete() -> None:
    gymnasium.register(id="textgym/Bookish-v0", entry_point=f"{__name__}:Bookish")
    try:
        came = result_of_id("textgym/Bookish-v0", "static.manifest")
    finally:
        del gymnasium.registry["textgym/Bookish-v0"]
    assert came.detail == (
        "the card of an environment of the suite needs structure, capabilities, domain, "
        "task_type, verification"
    )
    assert result(Bookish, "static.manifest").status == "pass"


class ChanceOutOfRange(Good):
    card = textgym.Card("demo/Sum-v0", "x", (), (), (), "x", ("x",), chance=1.5)


def test_a_chance_out_of_range_is_found() -> None:
    assert "chance 1.5 is outside" in found(ChanceOutOfRange, "static.manifest")


def test_a_card_with_a_different_id_is_found() -> None:
    gymnasium.register(id="demo/Other-v0", entry_point=f"{__name__}:Good")
    try:
        came = result_of_id("demo/Other-v0", "static.manifest")
    finally:
        del gymnasium.registry["demo/Other-v0"]
    assert "the card says demo/Sum-v0, not demo/Other-v0" in came.detail


def result_of_id(id: str, name: str) -> Result:
    with make_subject(id, 5) as subject:
        return run_check(subject, FAST_CHECKS[name])


class WrongSpace(Good):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.observation_space = gymnasium.spaces.Discrete(2)


def test_an_observation_outside_its_space_is_found() -> None:
    assert found(WrongSpace, "runtime.gymnasium_api")


class PicklesWithoutItsStream(Good):
    def __reduce__(self) -> Any:
        rebuild, (cls, arguments, spec, _, saved) = super().__reduce__()
        return rebuild, (cls, arguments, spec, [1, 0], {**saved, "stream": [1, 0]})


def test_a_pickle_that_forgets_the_stream_of_tasks_is_found() -> None:
    assert "the next task differs" in found(PicklesWithoutItsStream, "runtime.pickling")


# Skipped checks, and objects that cannot be checked.


class Bare(Good):
    solve = textgym.TextEnv.solve
    guess = textgym.TextEnv.guess


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("semantic.oracle_max", "no oracle"),
        ("statistical.declared_chance", "no random policy"),
    ],
)
def test_a_check_of_an_undefined_method_is_skipped(name: str, reason: str) -> None:
    came = result(Bare, name)
    assert came.status == "skip"
    assert reason in came.detail


def test_chance_is_not_checked_with_other_arguments() -> None:
    assert result(Good, "statistical.declared_chance", level=2).status == "skip"


def test_an_environment_is_checked_with_its_own_arguments() -> None:
    with make_subject(RarelyWrongOracle(level=1), 50) as subject:
        assert run_check(subject, FAST_CHECKS["semantic.oracle_max"]).status == "pass"
    with make_subject(RarelyWrongOracle(level=2), 50) as subject:
        assert run_check(subject, FAST_CHECKS["semantic.oracle_max"]).status == "fail"


def test_checking_leaves_the_registry_as_it_was() -> None:
    before = set(gymnasium.registry)
    with make_subject(Good, 5):
        assert set(gymnasium.registry) != before
    assert set(gymnasium.registry) == before


@pytest.mark.parametrize("what", ["CartPole-v1", 5, dict])
def test_only_text_environments_can_be_checked(what: Any) -> None:
    with pytest.raises(UsageError, match=r"is not a text environment|only an environment"):
        check(what, show=lambda line: None)


@pytest.fixture
def few_checks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Keep three checks, so that a report is fast; return a list for its lines."""
    kept = ("static.manifest", "semantic.oracle_max", "semantic.floor_gap")
    checks = {name: FAST_CHECKS[name] for name in kept}
    monkeypatch.setattr("textgym.checks.runner.FAST_CHECKS", checks)
    return []


def test_one_failed_check_fails_the_report(few_checks: list[str]) -> None:
    assert check(WrongOracle, tasks=5, show=few_checks.append) is False
    marks = [line.split()[0] for line in few_checks]
    assert marks == ["ok", "FAIL", "→", "ok"]


def test_a_failed_check_says_what_to_do(few_checks: list[str]) -> None:
    check(WrongOracle, tasks=5, show=few_checks.append)
    assert few_checks[2] == f"     → {FAST_CHECKS['semantic.oracle_max'].remediation}"


def test_a_skipped_check_does_not_fail_the_report(few_checks: list[str]) -> None:
    assert check(Bare, tasks=5, show=few_checks.append) is True
    assert few_checks[1].startswith("skip semantic.oracle_max: the environment defines no oracle")


class RaisesOnReset(Good):
    def begin(self, task: textgym.Task) -> dict[str, Any]:
        raise RuntimeError("first line\nsecond line")


def test_an_exception_of_an_environment_is_one_line_of_the_report(few_checks: list[str]) -> None:
    assert check(RaisesOnReset, tasks=5, show=few_checks.append) is False
    assert few_checks[1] == "FAIL semantic.oracle_max: RuntimeError: first line"


def test_lines_are_printed_by_default(
    few_checks: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    check(Good, tasks=5)
    assert capsys.readouterr().out.splitlines()[0] == "ok   static.manifest"


def test_repeated_prompts_of_a_data_set_are_counted(tmp_path: Path) -> None:
    rows = [{"a": 1, "b": 2, "level": 1}, {"a": 3, "b": 4, "level": 1}]
    path = tmp_path / "rows.jsonl"
    path.write_text(
        "".join(json.dumps({**row, "id": str(i)}) + "\n" for i, row in enumerate(rows * 2))
    )
    came = result(Good, "statistical.evaluation_duplicates", dataset=str(path))
    assert came.measured == {"rows": 4, "repeated": 2}
    assert (came.status, came.detail) == ("pass", "2 rows repeat the prompt of an earlier one")
