"""An environment that plays a file of its own, without a generator, is checked as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import textgym
from textgym.checks import FAST_CHECKS, make_subject, run_check
from textgym.errors import UsageError

ROWS = "id,number\n" + "".join(f"n{number},{number}\n" for number in range(30))


@pytest.fixture
def cls(tmp_path: Path) -> type[textgym.TextEnv[None]]:
    file = tmp_path / "numbers.csv"
    file.write_text(ROWS)

    class Doubles(textgym.TextEnv[None]):
        card = textgym.Card("demo/Doubles-v0", "Double a number.", levels=(1, 2), chance=0.2)

        def __init__(self, *, dataset: Any = file, **kwargs: Any) -> None:
            super().__init__(dataset=dataset, **kwargs)

        def read_row(self, row: dict[str, Any]) -> textgym.Task:
            prompt = textgym.user(f"Double {row['number']}.")
            return textgym.Task(row["id"], (prompt,), str(2 * int(row["number"])), row=row)

        def grade(self) -> textgym.Grade:
            right = self.answer_text == self.task.answer
            return textgym.Grade(float(right), right, extracted_answer=self.answer_text)

        def solve(self) -> str:
            return str(self.task.answer)

        def guess(self, rng: Any) -> str:
            return str(rng.randrange(60))

    return Doubles


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("semantic.no_solution_leakage", "pass"),
        ("semantic.oracle_max", "pass"),
        ("semantic.floor_gap", "pass"),
        ("statistical.evaluation_duplicates", "pass"),
        ("statistical.declared_chance", "pass"),
        ("statistical.split_overlap", "skip"),
    ],
)
def test_no_level_and_no_split_is_looked_for(
    cls: type[textgym.TextEnv[None]], name: str, status: str
) -> None:
    with make_subject(cls, 20) as subject:
        assert run_check(subject, FAST_CHECKS[name]).status == status


@pytest.mark.parametrize("run", [textgym.check, textgym.audit])
def test_a_class_with_neither_generator_nor_rows_is_an_error_of_the_caller(
    cls: type[textgym.TextEnv[None]], run: Any
) -> None:
    with pytest.raises(UsageError, match=r"^demo/Doubles-v0 has no generator: pass dataset=$"):
        run(cls(dataset=None))


def test_a_class_without_generator_has_no_levels_to_play(cls: type[textgym.TextEnv[None]]) -> None:
    with make_subject(cls, 20) as subject:
        assert subject.levels == (None,)
