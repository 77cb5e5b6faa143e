"""`History`: what a killed, continued or repeated training leaves, and where figures go."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def files_no_larger_than(size: int) -> Iterator[None]:
    """Make larger files fail midway, as a full disk does."""
    resource = pytest.importorskip("resource", reason="limits of files are POSIX's")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


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


def test_rewinding_removes_later_lines(tmp_path: Path) -> None:
    with History(tmp_path / "history.jsonl") as history:
        for step in range(1, 6):
            history.log(step, {"reward": step})
        history.rewind(3)
        assert steps_of(history.path) == [1, 2, 3]
        history.log(5, {"loss": 0})
    assert read_history(history.path)[3:] == [{"step": 5, "loss": 0}]


def test_rewinding_to_the_last_step_keeps_its_line_open(tmp_path: Path) -> None:
    with History(tmp_path / "history.jsonl") as history:
        history.log(1, {"reward": 0.5})
        history.rewind(1)
        history.log(1, {"loss": 2})
    assert read_history(history.path) == [{"step": 1, "reward": 0.5, "loss": 2}]


def test_line_of_an_earlier_process_that_is_equal_stays(tmp_path: Path) -> None:
    for _ in range(2):
        with History(tmp_path / "history.jsonl") as history:
            history.log(0, {"reward": 1}, rewind=False)
    history.log(0, {"length": 2}, rewind=False)
    assert read_history(history.path) == [
        {"step": 0, "reward": 1},
        {"step": 0, "reward": 1, "length": 2},
    ]


def test_earlier_step_can_be_added_without_rewinding(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    with History(path) as history:
        history.log(0, {"reward": 0.25})
        history.log(7, {"reward": 0.5})
    with History(path) as history:
        history.log(0, {"reward": 1}, rewind=False)
        history.log(0, {"loss": 2}, rewind=False)
    assert read_history(path)[:2] == [{"step": 0, "reward": 0.25}, {"step": 7, "reward": 0.5}]
    assert read_history(path)[2:] == [{"step": 0, "reward": 1, "loss": 2}]


def test_going_back_counts_from_the_largest_step(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    with History(path) as history:
        history.log(7, {"reward": 0.5})
        history.log(0, {"reward": 1}, rewind=False)
    with History(path) as history:
        history.log(6, {"reward": 0.75})
    assert steps_of(path) == [0, 6]


@pytest.mark.parametrize("step", [1.5, 2.0, "3", None, True, np.float64(2)])
def test_steps_that_are_no_integers_are_refused_before_writing(tmp_path: Path, step: Any) -> None:
    with History(tmp_path / "history.jsonl") as history:
        with pytest.raises(UsageError, match=r"^the step must be an integer, not .*$"):
            history.log(step, {"reward": 0.5})
        with pytest.raises(UsageError, match="must be an integer"):
            history.rewind(step)
    assert not history.path.exists()


@pytest.mark.parametrize("step", [np.int64(3), np.array(3)])
def test_integers_of_numpy_are_steps(tmp_path: Path, step: Any) -> None:
    with History(tmp_path / "history.jsonl") as history:
        history.log(step, {"reward": 0.5})
    assert steps_of(history.path) == [3]


def test_line_that_a_full_disk_cuts_is_removed(tmp_path: Path) -> None:
    with History(tmp_path / "history.jsonl") as history:
        history.log(1, {"reward": 0.5})
        before = history.path.read_bytes()
        with files_no_larger_than(len(before) + 10), pytest.raises(OSError, match="File too large"):
            history.log(2, {"reward": 0.75})
        assert history.path.read_bytes() == before
        history.log(2, {"reward": 1})
    assert read_history(history.path) == [{"step": 1, "reward": 0.5}, {"step": 2, "reward": 1}]


def test_line_that_a_full_disk_does_not_let_go_on_stays(tmp_path: Path) -> None:
    with History(tmp_path / "history.jsonl") as history:
        history.log(1, {"reward": 0.5})
        before = history.path.read_bytes()
        with files_no_larger_than(len(before)), pytest.raises(OSError, match="File too large"):
            history.log(1, {"loss": 2})
        assert history.path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [history.path]


def test_line_of_another_writer_stays_when_a_line_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    with History(path) as history, History(path) as other:
        history.log(1, {"reward": 0.5})
        other.log(0, {"reward": 0.25}, rewind=False)
        history.log(1, {"loss": 2})
    assert steps_of(path) == [0, 1]


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


@pytest.mark.parametrize(
    "text", ["[1]\n", "{}\n", "nonsense\n", '{"step": "1"}\n', '{"step": true}\n']
)
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError, match="line 1: not a line of a history"):
        read_history(path)


@pytest.mark.parametrize(
    "content", [b"some text", b"\x80\x05\x95 weights", b'{"step": 1}\n{"epoch"']
)
def test_file_that_is_no_history_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="is not a history"):
        History(path)
    assert path.read_bytes() == content


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
    """Has the functions of a run of Weights & Biases that are called."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def define_metric(self, name: str, *, step_metric: str) -> None:
        self.calls.append((name, step_metric))

    def log(self, figures: dict[str, float]) -> None:
        self.calls.append(figures)


def test_run_of_weights_and_biases_gets_the_figures(tmp_path: Path) -> None:
    run = Recorder()
    with History(tmp_path / "history.jsonl", wandb=run) as history:
        history.log(7, {"reward": 0.5})
    assert run.calls == [("*", "step"), {"step": 7, "reward": 0.5}]


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
def test_tensorboard_hides_the_steps_that_are_played_again(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="not installed: make test-trainers")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    places: Any = {"path": tmp_path / "history.jsonl", "tensorboard": tmp_path / "events"}
    with History(**places) as history:
        for step in range(1, 5):
            history.log(step, {"reward": step})
    with History(**places) as history:
        history.log(3, {"reward": 30})
    events = EventAccumulator(str(tmp_path / "events")).Reload()
    shown = [(event.step, event.value) for event in events.Scalars("reward")]
    assert shown == [(1, 1), (2, 2), (3, 30)]


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
        history.log(4, {"reward": 0.25})
        history.log(2, {"reward": 0.75})  # back to a checkpoint
    assert (run.summary["step"], run.summary["reward"]) == (2, 0.75)
    run.finish()


def test_lines_are_json(tmp_path: Path) -> None:
    with History(tmp_path / "history.jsonl") as history:
        history.log(1, {"reward": 0.5})
    assert json.loads(history.path.read_text()) == {"step": 1, "reward": 0.5}
