"""An episode is the same wherever it is played, and its record has all of it: a defect each."""

from __future__ import annotations

import os
import threading
import time
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from audit_runs import result_of
from sound_envs import Ledger, Recall, Sum

from textgym import Grade, Message, user

PORTABILITY = "semantic.verifier_portability"
DETERMINISM = "runtime.episode_determinism"
REPLAYABILITY = "semantic.replayability"
RECORD = "runtime.trajectory_record"
ISOLATION = "runtime.state_isolation"


def with_component(grade: Grade, value: Any) -> Grade:
    grade.components = {**grade.components, "found": float(value)}
    return grade


class HashInGrade(Sum):
    def grade(self) -> Grade:
        return with_component(super().grade(), hash("textgym") % 1000)


class FolderInGrade(Sum):
    def grade(self) -> Grade:
        return with_component(super().grade(), zlib.crc32(os.getcwd().encode()) % 100_000)


class ZoneInGrade(Sum):
    def grade(self) -> Grade:
        return with_component(super().grade(), time.localtime(0).tm_hour)


@pytest.mark.parametrize(
    "cls",
    [
        HashInGrade,
        pytest.param(FolderInGrade, marks=pytest.mark.slow),
        pytest.param(ZoneInGrade, marks=pytest.mark.slow),
    ],
)
def test_a_grade_that_depends_on_the_process_is_found(cls: type[Any]) -> None:
    result = result_of(cls, PORTABILITY)
    assert result.detail == "an episode differs in a fresh process: seed 0, after 1 messages"
    here, there = result.evidence[0]["here_and_there"]
    assert here[-1]["reward_components"]["found"] != there[-1]["reward_components"]["found"]


class HashInReply(Recall):
    def respond(self, message: Message) -> list[Message] | None:
        reply = super().respond(message)
        return None if reply is None else [user(f"And the second? {hash('textgym') % 1000}")]


class OnlyInTheMainThread(Recall):
    def respond(self, message: Message) -> list[Message] | None:
        main = threading.current_thread() is threading.main_thread()
        reply = super().respond(message)
        return None if reply is None else [user(f"And the second? {main}")]


class OneAtATime(Recall):
    """Keeps in its class which of two replies comes next."""

    asked = 0

    def begin(self, task: Any) -> dict[str, Any]:
        OneAtATime.asked = 0
        return super().begin(task)

    def respond(self, message: Message) -> list[Message] | None:
        OneAtATime.asked += 1
        reply = super().respond(message)
        return None if reply is None else [user(f"And the second? {OneAtATime.asked}")]


@pytest.mark.parametrize(
    ("cls", "where"),
    [
        (HashInReply, "a fresh process"),
        (OnlyInTheMainThread, "threads"),
        (OneAtATime, "another place of a vector"),
    ],
)
def test_an_episode_that_depends_on_where_it_is_played_is_found(cls: type[Any], where: str) -> None:
    assert result_of(cls, PORTABILITY).status == "pass"
    assert f"an episode differs in {where}: seed 0, " in result_of(cls, DETERMINISM).detail


class Judged(Sum):
    def __init__(self, *, rule: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)


class OpensAndCloses(Sum):
    """Writes to a file what each of its processes does."""

    def __init__(self, *, notes: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.notes = notes

    def begin(self, task: Any) -> Any:
        self.note("open")
        return super().begin(task)

    def on_close(self) -> None:
        print("closed")  # is not the result of the process
        self.note("close")

    def note(self, what: str) -> None:
        with open(self.notes, "a") as file:
            file.write(f"{os.getpid()} {what}\n")


def test_the_environment_of_a_fresh_process_is_closed(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    assert result_of(OpensAndCloses(notes=str(notes)), PORTABILITY).status == "pass"
    counts = Counter(notes.read_text().splitlines())
    (other,) = {line.split()[0] for line in counts} - {str(os.getpid())}
    assert counts[f"{other} open"] == counts[f"{other} close"] > 0


def test_arguments_that_are_no_json_are_compared_in_this_process_alone() -> None:
    env = Judged(rule=len)
    assert "the arguments are not JSON" in result_of(env, PORTABILITY).detail
    assert "a fresh process" not in result_of(env, DETERMINISM).measured["places"]
    assert "a fresh process" in result_of(Judged, DETERMINISM).measured["places"]


# Records.


class PaysTheFirst(Sum):
    seen: set[str] = set()

    def grade(self) -> Grade:
        grade = super().grade()
        first = self.task.id not in self.seen
        PaysTheFirst.seen = {*self.seen, self.task.id}
        return Grade(grade.reward * first, grade.is_success and first, grade.components)


def test_a_reward_that_is_not_given_twice_is_found() -> None:
    result = result_of(PaysTheFirst, REPLAYABILITY)
    assert result.status == "fail"
    assert result.measured["different"] > 0
    assert result.evidence[0]["reward"] == 1.0
    PaysTheFirst.seen = set()


class TupleInInfo(Sum):
    def step(self, action: Any) -> Any:
        *went, info = super().step(action)
        return *went, {**info, "pair": (1, 2)}


def test_an_info_that_json_changes_is_found() -> None:
    assert "changes when it is saved as JSON" in result_of(TupleInInfo, REPLAYABILITY).detail


class CountsEpisodes(Sum):
    played = 0

    def grade(self) -> Grade:
        CountsEpisodes.played += 1
        return with_component(super().grade(), self.played)


def test_a_record_with_other_components_is_found() -> None:
    result = result_of(CountsEpisodes, RECORD)
    assert "has other components than the episode" in result.detail
    assert result.evidence[0]["part"] == "components"


class NoPolicy(Sum):
    guess = solve = None  # type: ignore[assignment]


def test_without_a_policy_nothing_is_recorded() -> None:
    assert result_of(NoPolicy, REPLAYABILITY).status == "skip"


# Isolation.


class SharesItsState(Ledger):
    def get_state(self) -> dict[str, Any]:
        return {**super().get_state(), "state": self.state}


class KeepsTheRow(Sum):
    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        given = super().reset(seed=seed, options=options)
        self.row = (options or {}).get("task", self.task.row)
        return given

    def answer(self) -> str:
        row = getattr(self, "row", self.task.row)
        return super().answer() if "a" in row else "modified"


class SharesItsTasks(Sum):
    tasks: dict[int, Any] = {}

    def get_task(self, index: int) -> Any:
        return self.tasks.setdefault(index, super().get_task(index))

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        observation, info = super().reset(seed=seed, options=options)
        known = self.tasks.get((options or {}).get("index", -1))
        return [dict(known.messages[0])] if known else observation, info


class ForgetsAfterTwo(Recall):
    """Restores the state of the second turn wrongly, but only after a wrong first word."""

    def set_state(self, state: dict[str, Any]) -> None:
        super().set_state(state)
        if self.state["said"] and self.state["said"][0] != str(self.task.answer[0]):
            self.state["said"] = ["?"]

    def respond(self, message: Message) -> list[Message] | None:
        reply = super().respond(message)
        return None if reply is None else [user(f"And after {self.state['said'][0]}?")]


@pytest.mark.parametrize(
    ("cls", "detail"),
    [
        (SharesItsState, "a saved state is shared with the caller"),
        (KeepsTheRow, "an episode changes if the row that was passed is modified"),
        (SharesItsTasks, "a modified copy of "),
        (ForgetsAfterTwo, "the step differs"),
    ],
)
def test_what_is_shared_or_forgotten_is_found(cls: type[Any], detail: str) -> None:
    assert detail in result_of(cls, ISOLATION).detail
