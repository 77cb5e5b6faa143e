"""Checks of a Gymnasium environment that has textgym's spaces but is not a `TextEnv`."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest
from audit_runs import IN_PROCESS, STARTS_PROCESSES

import textgym
from textgym.checks import FAST_CHECKS, make_subject, run_checks
from textgym.errors import UsageError


class Plain(gym.Env[Any, Any]):
    """Say the number of the prompt."""

    def __init__(self) -> None:
        self.observation_space = textgym.ConversationSpace()
        self.action_space = textgym.ActionSpace()

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.number = int(self.np_random.integers(10**6))
        self.said = [{"role": "user", "content": f"Say {self.number}."}]
        return list(map(dict, self.said)), {"task_id": f"say-{seed}", "tools": []}

    def reward(self, text: str) -> float:
        """Return the reward of a text."""
        return float(text == str(self.number))

    def step(self, action: Any) -> Any:
        message = {"role": "assistant", "content": action} if isinstance(action, str) else action
        content = message.get("content")
        self.said.append({"role": "assistant", "content": str(content or "")})
        return list(map(dict, self.said)), self.reward(str(content)), True, False, {"task_id": "x"}


class PaysSilence(Plain):
    def reward(self, text: str) -> float:
        return 1.0 if text == "" else super().reward(text)


class WithOracle(Plain):
    def solve(self) -> Any:
        return textgym.assistant(str(self.number))


class WithWrongOracle(Plain):
    def solve(self) -> Any:
        return textgym.assistant("0")


class OtherSpaces(Plain):
    def __init__(self) -> None:
        super().__init__()
        self.action_space = gym.spaces.Discrete(2)


WITH_PROCESSES = {id: FAST_CHECKS[id] for id in FAST_CHECKS if id in STARTS_PROCESSES}


def results_of(cls: type[Any], checks: Any = IN_PROCESS) -> dict[str, Any]:
    with make_subject(cls, tasks=5, quick=True) as subject:
        return {result.check_id: result for result in run_checks(subject, checks)}


def failed(cls: type[Any], checks: Any = IN_PROCESS) -> dict[str, str]:
    return {id: result.detail for id, result in results_of(cls, checks).items() if result.failed}


@pytest.mark.parametrize(
    ("cls", "checks"),
    [
        (Plain, IN_PROCESS),
        (WithOracle, IN_PROCESS),
        pytest.param(WithOracle, WITH_PROCESSES, marks=pytest.mark.slow),
    ],
)
def test_a_plain_environment_passes(cls: type[Any], checks: Any) -> None:
    assert failed(cls, checks) == {}


def test_what_needs_a_text_env_is_skipped() -> None:
    results = results_of(Plain)
    assert results["semantic.floor_gap"].status == "pass"
    assert results["semantic.oracle_max"].detail == "the environment defines no oracle (solve)"
    assert results["statistical.split_overlap"].detail == "the environment is not a TextEnv"


def test_pay_for_silence_is_found() -> None:
    assert failed(PaysSilence) == {
        "semantic.floor_gap": "empty messages get 1.0 for say-0 (level None), not 0.0"
    }


def test_a_wrong_oracle_is_found() -> None:
    assert list(failed(WithWrongOracle)) == ["semantic.oracle_max"]


def test_other_spaces_are_refused() -> None:
    with pytest.raises(UsageError, match="OtherSpaces is not a text environment: its spaces must"):
        failed(OtherSpaces)


def test_a_class_is_named_by_its_module() -> None:
    with make_subject(f"{__name__}:WithOracle", tasks=5) as subject:
        assert (subject.cls, subject.is_text_env) == (WithOracle, False)
