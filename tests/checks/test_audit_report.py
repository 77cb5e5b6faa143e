"""Reports of audits: their form, and that nothing an environment does can break the writing."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from audit_runs import IN_PROCESS, STARTS_PROCESSES
from hypothesis import given
from hypothesis import strategies as st

import textgym
from textgym.checks import (
    CHECKS,
    REPORT_SCHEMA_VERSION,
    Report,
    Result,
    audit,
    make_subject,
    run_check,
)
from textgym.checks.checks import Check, CheckFailed, Outcome, Skipped
from textgym.checks.report import (
    LEVELS,
    best_attacker,
    counts,
    headline,
    panel_of,
    results_by_level,
)
from textgym.json_values import MAX_CHARACTERS, readable_json
from textgym.wrappers import StepPenalty

CHECKS_OF = {
    "sound": {id: CHECKS[id] for id in CHECKS if id not in STARTS_PROCESSES},
    "broken": IN_PROCESS,
}
SCHEMA = json.loads((Path(textgym.checks.__file__).parent / "report.schema.json").read_text())


class Number(textgym.TextEnv[None]):
    """Say a number."""

    card = textgym.Card("tests/AuditedNumber-v0", "Say a number.")

    def generate(self, rng: Any, level: int) -> dict[str, Any]:
        return {"number": rng.randrange(10**6)}

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        prompt = textgym.user(f"Say {row['number']}.")
        return textgym.Task(row["id"], (prompt,), str(row["number"]), row=row)

    def grade(self) -> textgym.Grade:
        right = self.answer_text.strip() == self.task.answer
        return textgym.Grade(float(right), right, {"right": float(right)}, self.answer_text)

    def solve(self) -> textgym.Message:
        return textgym.assistant(self.task.answer)


class PaysSilence(Number):
    """It pays the empty answer."""

    def grade(self) -> textgym.Grade:
        right = self.answer_text.strip() in ("", self.task.answer)
        return textgym.Grade(float(right), right, {"right": float(right)}, self.answer_text)


def validated(report: Report) -> dict[str, Any]:
    """Return a report as it is read back, after it was compared with the schema."""
    read: dict[str, Any] = json.loads(report.to_json().encode("utf-8"))
    jsonschema.validate(read, SCHEMA, cls=jsonschema.Draft202012Validator)
    return read


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that makes audits run one check alone, of the given function."""

    def use(run: Any) -> None:
        check = Check("semantic.tried", run, "Mend it.", (), True, "fail", False)
        monkeypatch.setattr(sys.modules["textgym.checks.runner"], "CHECKS", {check.id: check})

    return use


@pytest.fixture(scope="module", params=["sound", "broken"])
def report(request: pytest.FixtureRequest) -> Iterator[Report]:
    """The report of a sound environment, and that of the fast checks alone of a broken one."""
    cls = {"sound": Number, "broken": PaysSilence}[request.param]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules["textgym.checks.runner"], "CHECKS", CHECKS_OF[request.param])
        yield audit(cls, quick=True, tasks=5)


def test_the_schema_is_a_schema_of_this_version() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["report_schema_version"] == {"const": REPORT_SCHEMA_VERSION}


def test_the_schema_is_in_the_package_data() -> None:
    written = (Path(textgym.__file__).parents[1] / "setup.cfg").read_text()
    assert "\n    *.json\n" in written


def test_the_report_of_a_real_audit_fits_the_schema(report: Report) -> None:
    read = validated(report)
    failed = {item["check_id"] for item in read["results"] if item["status"] == "fail"}
    assert ("semantic.floor_gap" in failed) == (read["verdict"] == "fail") == (not report.passed)
    checks = CHECKS_OF["sound" if report.passed else "broken"]
    assert [item["check_id"] for item in read["results"]] == list(checks)
    assert read["target"] == "tests/AuditedNumber-v0"


def test_a_failed_check_has_a_whole_episode_and_a_remedy() -> None:
    with make_subject(PaysSilence, 5) as subject:
        result = run_check(subject, CHECKS["semantic.floor_gap"])
    settings = {"quick": True, "tasks": 5, "chance": 0.0, "wrappers": [], "attackers": []}
    (read,) = validated(Report("demo/A-v0", {}, {}, settings, [result], "0.1.0"))["results"]
    first = read["evidence"][0]
    assert [message["role"] for message in first["messages"]] == ["user", "assistant"]
    assert (first["rewards"], first["policy"]) == ([1.0], "silence")
    assert read["remediation"] == CHECKS["semantic.floor_gap"].remediation


def test_the_arguments_and_settings_are_in_the_report(only: Any) -> None:
    only(lambda subject: Outcome())
    env = StepPenalty(Number(split="test"), amount=0.5)
    mine = {"mine": lambda sight: "7"}
    read = validated(audit(env, quick=True, tasks=3, chance=0.5, attackers=mine))
    assert read["kwargs"]["split"] == "test"
    assert read["settings"] == {
        "quick": True,
        "tasks": 3,
        "chance": 0.5,
        "wrappers": ['StepPenalty:name="step_penalty",amount=0.5'],
        "attackers": ["mine"],
    }


def test_by_default_200_tasks_are_played_and_15_if_quick(only: Any) -> None:
    only(lambda subject: Outcome({"tasks": subject.tasks}))
    assert audit(Number)["semantic.tried"].measured == {"tasks": 200}
    assert audit(Number, quick=True)["semantic.tried"].measured == {"tasks": 15}


def test_a_check_that_cannot_be_run_is_an_error_of_the_report(only: Any) -> None:
    only(lambda subject: 1 / 0)
    (result,) = validated(audit(Number))["results"]
    assert (result["status"], result["detail"]) == ("error", "ZeroDivisionError: division by zero")


def test_a_skipped_check_does_not_fail_the_report(only: Any) -> None:
    def run(subject: Any) -> None:
        raise Skipped("not here")

    only(run)
    report = audit(Number)
    assert validated(report)["results"][0]["detail"] == "not here"
    assert headline(report.as_dict()) == "passed 0 of 0 checks, 1 skipped"


ODD = [
    pytest.param(math.nan, "nan", id="NaN"),
    pytest.param(-math.inf, "-inf", id="infinity"),
    pytest.param(np.float32(0.5), 0.5, id="a number of numpy"),
    pytest.param(np.int64(7), 7, id="an integer of numpy"),
    pytest.param(10**400, 10**400, id="a large integer"),
    pytest.param(10**9999, "(int)", id="an integer that Python does not write"),
    pytest.param(b"\xff", "b'\\xff'", id="bytes"),
    pytest.param("\ud800", "\\ud800", id="a lone surrogate"),
    pytest.param("é\u202e🙂", "é\u202e🙂", id="other scripts"),
    pytest.param((1, [True, None]), [1, [True, None]], id="a tuple"),
    pytest.param({1: {None: 2}, "\udfff": 3}, {"1": {"None": 2}, "\\udfff": 3}, id="keys"),
    pytest.param({"x"}, "{'x'}", id="a set"),
]


@pytest.mark.parametrize(("odd", "written"), ODD)
def test_odd_evidence_is_written(only: Any, odd: Any, written: Any) -> None:
    def run(subject: Any) -> None:
        raise CheckFailed("odd", {"odd": odd}, [{"odd": odd, "rewards": [math.nan]}])

    only(run)
    (result,) = validated(audit(Number))["results"]
    assert result["measured"] == {"odd": written}
    assert result["evidence"] == [{"odd": written, "rewards": ["nan"]}]


class Unspeakable:
    """An object without a text."""

    def __repr__(self) -> str:
        raise ValueError("no text")


def test_an_object_without_a_text_is_named_by_its_class() -> None:
    assert readable_json({"odd": Unspeakable(), Unspeakable(): 1}) == {
        "odd": "(Unspeakable)",
        "(Unspeakable)": 1,
    }


def test_a_structure_that_holds_itself_ends() -> None:
    endless: list[Any] = [1]
    endless.append(endless)
    assert "[...]" in json.dumps(readable_json(endless))


def test_a_structure_too_deep_for_python_ends() -> None:
    deep: list[Any] = []
    for _ in range(10_000):
        deep = [deep]
    assert len(json.dumps(readable_json(deep))) < 2_000


def test_a_text_of_a_megabyte_is_cut_and_says_so(only: Any) -> None:
    text = "é" * 1_000_000

    def run(subject: Any) -> None:
        raise CheckFailed("long", evidence=[{"messages": [{"role": "assistant", "content": text}]}])

    only(run)
    (message,) = validated(audit(Number))["results"][0]["evidence"][0]["messages"]
    assert message["content"] == "é" * MAX_CHARACTERS + "… (900,000 more characters)"


def test_a_text_of_the_greatest_length_is_whole() -> None:
    assert readable_json("x" * MAX_CHARACTERS) == "x" * MAX_CHARACTERS


VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.binary(max_size=5),
        st.text(st.characters(), max_size=5),
        st.complex_numbers(),
        st.decimals(),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.text(max_size=3), st.integers()), inner, max_size=3),
        st.tuples(inner),
    ),
    max_leaves=10,
)


@given(VALUES)
def test_any_value_becomes_strict_json(value: Any) -> None:
    found = readable_json(value)
    text = json.dumps(found, ensure_ascii=False, allow_nan=False)
    assert json.loads(text.encode("utf-8")) == found
    assert readable_json(found) == found


# What tables and pages take from a report


def report_with(attackers: list[tuple[str, float]], **measured: Any) -> dict[str, Any]:
    """Return a report with a panel of attackers."""
    listed = {
        name: {"family": "texts", "mean": mean, "standard_error": 0.01, "episodes": 100}
        for name, mean in attackers
    }
    measured = {"attackers": listed, "oracle": 1.0, "guess": 0.2, "chance": 0.25} | measured
    result = Result("statistical.adversarial_floor", "pass", measured=measured)
    settings = {"quick": False, "tasks": 200, "chance": 0.25, "wrappers": [], "attackers": []}
    report = Report("demo/A-v0", {}, {}, settings, [result], "0.1.0")
    return validated(report)


def test_the_panel_is_sorted_and_has_the_references() -> None:
    panel = panel_of(report_with([("echo", 0.1), ("boxes", 0.3), ("silence", 0.0)]))
    assert panel is not None
    names = [row.name for row in panel.rows]
    assert names == ["oracle", "boxes", "chance", "random", "echo", "silence"]
    assert panel.rows[1].half == pytest.approx(0.0198, abs=1e-4)
    assert (panel.low, panel.high) == (0.0, 1.0)


def test_the_best_attacker_is_no_reference() -> None:
    best = best_attacker(report_with([("echo", 0.1), ("boxes", 0.3)]))
    assert best is not None
    assert best.name == "boxes"


def test_a_panel_without_oracle_and_random_policy_has_none() -> None:
    panel = panel_of(report_with([("echo", 0.1)], oracle=None, guess=None))
    assert panel is not None
    assert [row.name for row in panel.rows] == ["chance", "echo"]


@pytest.mark.parametrize(
    ("means", "line"),
    [
        ([0.3, 0.0, 0.0], "… and 2 more at 0.00"),
        ([0.3, 0.2, 0.0], "… and 2 more, at most 0.20"),
        ([0.3], ""),
    ],
)
def test_attackers_that_are_left_out_are_counted(means: list[float], line: str) -> None:
    panel = panel_of(report_with([(f"attacker {i}", mean) for i, mean in enumerate(means)]))
    assert panel is not None
    rows, others = panel.top(1)
    assert ([row.name for row in rows if not row.is_reference], others) == (["attacker 0"], line)
    assert panel.top(None) == (panel.rows, "")


def test_an_attacker_below_the_range_stretches_the_scale() -> None:
    panel = panel_of(report_with([("loser", -0.5)]))
    assert panel is not None
    assert (panel.low, panel.place(-0.5), panel.place(1.0)) == (-0.5, 0.0, 1.0)


def test_a_mean_that_is_no_number_is_left_out() -> None:
    report = report_with([("echo", 0.1)])
    report["results"][0]["measured"]["attackers"]["echo"]["mean"] = "nan"
    panel = panel_of(report)
    assert panel is not None
    assert {row.name for row in panel.rows} == {"oracle", "chance", "random"}


def test_without_attackers_there_is_no_panel() -> None:
    assert panel_of(report_with([])) is None
    assert best_attacker(report_with([])) is None


def test_results_are_grouped_by_level_and_counted(report: Report) -> None:
    read = report.as_dict()
    levels = results_by_level(read)
    assert list(levels) == list(LEVELS)
    assert sum(map(len, levels.values())) == len(read["results"])
    passed, run, skipped = counts(read)
    assert run + skipped == len(read["results"])
    assert passed == run - sum(result.failed for mine in levels.values() for result in mine)


def test_the_headline_of_a_failed_audit_counts_what_passed() -> None:
    results = [{"status": status} for status in ("pass", "fail", "skip", "error", "pass")]
    shown = headline({"verdict": "fail", "results": results})
    assert shown == "failed: 2 of 4 checks passed, 1 skipped"


@pytest.mark.parametrize("tasks", [0, -1])
def test_no_tasks_are_a_user_error(tasks: int) -> None:
    with pytest.raises(textgym.UsageError, match="must be at least 1"):
        audit(Number, tasks=tasks)


@pytest.mark.parametrize("chance", [math.nan, -0.1, 1.0, math.inf])
def test_a_chance_that_is_no_return_below_the_maximum_is_a_user_error(chance: float) -> None:
    with pytest.raises(textgym.UsageError, match="at least 0 and less than 1"):
        audit(Number, chance=chance)


def test_every_start_is_followed_by_its_result(only: Any) -> None:
    only(lambda subject: Outcome())
    told: list[str] = []
    audit(
        Number,
        quick=True,
        tasks=2,
        on_start=lambda check: told.append(check.id),
        on_result=lambda result: told.append(result.check_id),
    )
    assert told == ["semantic.tried", "semantic.tried"]


def test_an_unknown_check_of_a_report_is_a_key_error(only: Any) -> None:
    only(lambda subject: Outcome())
    with pytest.raises(KeyError, match=r"semantic\.nothing"):
        audit(Number)["semantic.nothing"]
