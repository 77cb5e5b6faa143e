"""`RewardAlarm`: fires on planted histories of hacking, and is silent on healthy and noisy ones."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import in_one_test

from textgym.errors import UsageError
from textgym.training import RewardAlarm
from textgym.training.alarm import Alarm, trend

Curve = Callable[[float], float]
SUCCESS, LENGTH = "episodes/success", "tokens/episode"


def history(
    seed: int, *, steps: int = 120, noise: float = 0.03, every: int = 5, **curves: Curve
) -> list[dict[str, float]]:
    """Return the figures of a training: curves over its course from 0 to 1, with noise."""
    rng = random.Random(seed)
    lines = []
    for step in range(steps):
        line = {"reward": curves["reward"], SUCCESS: curves["success"], LENGTH: curves["length"]}
        if step % every == 0:
            line["validation/episodes/success"] = curves["held_out"]
        at = step / (steps - 1)
        lines.append({name: curve(at) + rng.gauss(0, noise) for name, curve in line.items()})
    return lines


def alarms(lines: list[dict[str, float]], **settings: Any) -> list[Alarm]:
    alarm = RewardAlarm(**settings)
    return [found for step, line in enumerate(lines) for found in alarm.add(step, line)]


def rises(at: float) -> float:
    return 0.2 + 0.7 * at


def falls(at: float) -> float:
    return 0.8 - 0.7 * at


def stays(at: float) -> float:
    return 0.5


HEALTHY = {"reward": rises, "success": rises, "length": stays, "held_out": rises}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("planted", "kinds"),
    [
        ({"success": falls}, {"success"}),
        ({"success": stays, "length": falls}, {"length"}),
        ({"held_out": falls}, {"held_out"}),
        ({"success": falls, "length": falls, "held_out": falls}, {"success", "length", "held_out"}),
        # Success rises with the reward at first, and is then given up.
        ({"success": lambda at: 0.2 + 1.2 * at if at < 0.5 else 1.4 - 1.2 * at}, {"success"}),
    ],
    ids=["success", "length", "held out", "all", "late"],
)
def test_planted_hacking_is_noticed_once(planted: Any, kinds: set[str], seed: int) -> None:
    found = alarms(history(seed, **{**HEALTHY, **planted}), window=40)
    assert sorted(alarm.kind for alarm in found) == sorted(kinds)
    assert all("\n" not in alarm.text for alarm in found)


@pytest.mark.parametrize(
    "curves",
    [
        HEALTHY,
        {**HEALTHY, "length": falls},  # shorter and better
        {**HEALTHY, "length": rises},
        {"reward": stays, "success": stays, "length": stays, "held_out": stays},
        {"reward": falls, "success": falls, "length": falls, "held_out": falls},  # a collapse
        {**HEALTHY, "success": stays, "held_out": stays},
        {  # a plateau from the middle on
            name: lambda at: 0.2 + 1.2 * min(at, 0.5)
            for name in ("reward", "success", "length", "held_out")
        },
    ],
    ids=["healthy", "shorter", "longer", "flat", "collapse", "only reward", "plateau"],
)
@pytest.mark.parametrize("noise", [0.0, 0.05, 0.3])
@in_one_test("seed", range(10))
def test_healthy_and_noisy_trainings_are_silent(curves: Any, noise: float, seed: int) -> None:
    assert alarms(history(seed, noise=noise, **curves)) == []


def test_too_few_values_and_missing_figures_are_silent() -> None:
    hacked = [{"reward": n / 8, SUCCESS: 1 - n / 8} for n in range(8)]
    assert alarms(hacked[:7], window=8) == []
    assert [found.step for found in alarms(hacked, window=8)] == [7]
    assert alarms([{"reward": float(n)} for n in range(50)]) == []
    assert alarms([{"reward": math.nan, SUCCESS: -float(n)} for n in range(50)]) == []


def test_a_verifier_that_is_named_counts_as_held_out() -> None:
    lines = [{"reward": n / 20, "rewards/strict/mean": -n / 20} for n in range(20)]
    assert alarms(lines) == []
    (found,) = alarms(lines, held_out=["rewards/strict/mean"])
    assert (found.kind, found.step) == ("held_out", 7)
    assert "rewards/strict/mean fell from 0 to -0.35" in found.text


@given(st.lists(st.floats(-1e6, 1e6), max_size=30))
def test_a_trend_is_odd_and_of_steady_values_known(values: list[float]) -> None:
    assert trend(values) == pytest.approx(-trend([-value for value in values]))
    assert trend(values) == pytest.approx(-trend(values[::-1]))
    count = len(values)
    steady = count * (count - 1) / 2
    bound = (steady - 1) / math.sqrt(count * (count - 1) * (2 * count + 5) / 18) if steady else 0
    assert abs(trend(list(range(count)))) == pytest.approx(max(bound, 0))


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"window": 7}, "window must be 8 or more, not 7"),
        ({"held_out_window": 2.5}, "held_out_window must be 8 or more, not 2.5"),
        ({"threshold": 0}, "threshold must be above 0, not 0"),
    ],
)
def test_wrong_arguments_are_refused(arguments: Any, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        RewardAlarm(**arguments)


# In a trainer


def log(callback: Any, state: Any, line: dict[str, float]) -> dict[str, float]:
    """Log a line as transformers does, and return what the next callback gets."""
    state.global_step += 1
    state.log_history.append({**line, "step": state.global_step})
    logs = dict(line)
    callback.on_log(None, state, None, logs=logs)
    return logs


def test_the_callback_warns_once_and_adds_a_figure_to_the_log() -> None:
    pytest.importorskip("transformers")
    from textgym.training.trl.callbacks import AlarmCallback

    callback = AlarmCallback(RewardAlarm(window=8))
    state = SimpleNamespace(global_step=0, log_history=[], is_world_process_zero=True)
    hacked = [{"reward": n / 12, SUCCESS: 1 - n / 12} for n in range(12)]
    for line in hacked[:7]:
        assert log(callback, state, line) == line
    with pytest.warns(RuntimeWarning, match=r"step 8: the training reward rises, while episodes/"):
        assert log(callback, state, hacked[7]) == {**hacked[7], "alarm/success": 1.0}
    assert state.log_history[-1]["alarm/success"] == 1.0
    for line in hacked[8:]:
        assert log(callback, state, line) == line


def test_a_resumed_training_begins_with_the_figures_in_its_log() -> None:
    pytest.importorskip("transformers")
    from textgym.training.trl.callbacks import AlarmCallback

    hacked = [{"reward": n / 8, SUCCESS: 1 - n / 8, "step": n + 1} for n in range(8)]
    state = SimpleNamespace(global_step=7, log_history=hacked[:7], is_world_process_zero=True)
    callback = AlarmCallback(RewardAlarm(window=8))
    callback.on_train_begin(None, state, None)
    with pytest.warns(RuntimeWarning, match="step 8"):
        log(callback, state, {"reward": 1.0, SUCCESS: 0.0})
