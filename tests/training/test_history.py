"""`History`: what a killed, continued or repeated training leaves, and where figures go."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.errors import UsageError
from textgym.training import History, read_history


def steps_of(path: Path) -> list[int]:
    return [line["step"] for line in read_history(path)]


def test_line_that_a_kill_has_cut_is_left_out_and_removed(tmp_path: Path) -> None:
    path = tmp_path / "runs" / "history.jsonl"
    with History(path) as history:
        history.log(1, {"reward": 0.5})
    with path.open("a") as file:
        file.write('{"step": 2, "rew')
    assert steps_of(path) == [1]
    with History(path) as history:
        history.log(2, {"reward": 1})
    assert read_history(path) == [{"step": 1, "reward": 0.5}, {"step": 2, "reward": 1}]


def test_training_that_goes_back_replaces_later_steps(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    with History(path) as history:
        for step in range(1, 6):
            history.log(step, {"reward": step, "validation/reward": step})
    with History(path) as history:
        history.log(3, {"reward": 30})
        history.log(4, {"reward": 40})
    assert [line["reward"] for line in read_history(path)] == [1, 2, 30, 40]
    assert ["validation/reward" in line for line in read_history(path)] == [
        True,
        True,
        False,
        False,
    ]


def test_figures_of_one_step_are_in_one_line(tmp_path: Path) -> None:
    with History(tmp_path / "history.jsonl") as history:
        history.log(1, {"reward": 0.5, "loss": 2})
        history.log(1, {"validation/reward": 0.25, "loss": 1})
    (line,) = read_history(history.path)
    assert line == {"step": 1, "reward": 0.5, "loss": 1, "validation/reward": 0.25}


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_values_that_json_does_not_have_are_null(tmp_path: Path, value: float) -> None:
    with History(tmp_path / "history.jsonl") as history:
        history.log(1, {"loss": value})
    assert read_history(history.path) == [{"step": 1, "loss": None}]


@pytest.mark.parametrize("value", [np.float32(0.5), np.array([0.5])])
def test_numbers_of_numpy_are_numbers(tmp_path: Path, value: Any) -> None:
    with History(tmp_path / "history.jsonl") as history:
        history.log(1, {"loss": value, "count": np.int64(3)})
    assert read_history(history.path) == [{"step": 1, "loss": 0.5, "count": 3}]


def test_tensors_of_one_number_are_numbers(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    with History(tmp_path / "history.jsonl") as history:
        history.log(1, {"loss": torch.tensor(0.5)})
        with pytest.raises(UsageError, match="must be a number"):
            history.log(2, {"loss": torch.tensor([0.5, 1.0])})
    assert read_history(history.path) == [{"step": 1, "loss": 0.5}]


@pytest.mark.parametrize(
    "figures",
    [{"step": 1}, {"reward": "high"}, {"reward": None}, {"reward": np.array([1.0, 2.0])}],
)
def test_figures_that_are_no_numbers_are_refused(tmp_path: Path, figures: Any) -> None:
    with (
        History(tmp_path / "history.jsonl") as history,
        pytest.raises(UsageError, match="must be a number"),
    ):
        history.log(1, figures)
    assert not history.path.exists()


@pytest.mark.parametrize("text", ["[1]\n", "{}\n", "nonsense\n", '{"step": "1"}\n'])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError, match="line 1: not a line of a history"):
        read_history(path)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_history(tmp_path / "none.jsonl")


@given(cut=st.integers(0, 200), steps=st.integers(1, 6))
def test_every_cut_leaves_the_lines_before(
    tmp_path_factory: pytest.TempPathFactory, cut: int, steps: int
) -> None:
    path = tmp_path_factory.mktemp("history") / "history.jsonl"
    with History(path) as history:
        for step in range(steps):
            history.log(step, {"reward": step / 3})
    whole = path.read_bytes()
    path.write_bytes(whole[: min(cut, len(whole))])
    kept = path.read_bytes().count(b"\n")
    assert steps_of(path) == list(range(kept))
    with History(path) as history:
        history.log(kept, {"reward": 1})
    assert steps_of(path) == list(range(kept + 1))


class Recorder:
    """Has the one function of a run of Weights & Biases that is called."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def log(self, figures: dict[str, float], *, step: int) -> None:
        self.calls.append((figures, step))


def test_run_of_weights_and_biases_gets_the_figures(tmp_path: Path) -> None:
    run = Recorder()
    with History(tmp_path / "history.jsonl", wandb=run) as history:
        history.log(7, {"reward": 0.5})
    assert run.calls == [({"reward": 0.5}, 7)]


@pytest.mark.trainers
def test_tensorboard_reads_the_figures(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="not installed: make test-trainers")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    with History(tmp_path / "history.jsonl", tensorboard=tmp_path / "events") as history:
        history.log(1, {"reward": 0.5})
        history.log(2, {"reward": 0.75})
    events = EventAccumulator(str(tmp_path / "events")).Reload()
    assert [(event.step, event.value) for event in events.Scalars("reward")] == [
        (1, 0.5),
        (2, 0.75),
    ]


@pytest.mark.trainers
@pytest.mark.filterwarnings("ignore")  # of the package
def test_weights_and_biases_takes_the_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wandb = pytest.importorskip("wandb", reason="not installed: make test-trainers")
    monkeypatch.setenv("WANDB_SILENT", "true")
    run = wandb.init(mode="offline", dir=str(tmp_path), project="test")
    with History(tmp_path / "history.jsonl", wandb=run) as history:
        history.log(3, {"reward": 0.5})
        history.log(4, {"reward": 0.25})  # ends step 3
    assert (run.step, run.summary["reward"]) == (4, 0.5)
    run.finish()


def test_lines_are_json(tmp_path: Path) -> None:
    with History(tmp_path / "history.jsonl") as history:
        history.log(1, {"reward": 0.5})
    assert json.loads(history.path.read_text()) == {"step": 1, "reward": 0.5}
