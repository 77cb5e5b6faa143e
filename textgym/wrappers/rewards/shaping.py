"""Reward wrappers that add a bonus, or reshape the reward: by weights, bounds or a potential."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping
from typing import Any

from textgym.errors import RewardError, UsageError
from textgym.messages import Message, text_of
from textgym.names import import_object
from textgym.verifiers.extract import after_reasoning
from textgym.verifiers.patterns import PatternSearch, compile_pattern
from textgym.wrappers.base import (
    MessageEnv,
    RewardWrapper,
    StepResult,
    check_count,
    component_names,
)

__all__ = ["ClipReturn", "EfficiencyBonus", "FormatBonus", "PotentialShaping", "WeightedComponents"]


_log = logging.getLogger(__name__)
Potential = Callable[[list[Message]], float]


class WeightedComponents(RewardWrapper):
    """Replaces the reward by a weighted sum of the reward components.

    A component without a weight is ignored. The difference to the reward is the component with the
    wrapper's name. An episode without any of the components has the reward 0; the first such
    episode is logged.

    Other wrappers with a reward component, such as `Retry` with its discount, belong around this
    one. Inside, each needs a weight, which may be 0, so that no component is dropped by mistake.

    Args:
        env: The environment.
        weights: The weight of each component by name; `task_reward` is the environment's reward.
        name: The name of the reward component.

    Raises:
        UsageError: The weights are not finite numbers, or a wrapper inside has no weight.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.wrappers import WeightedComponents
        >>> env = gymnasium.make("textgym/MCQA-v0")
        >>> env = WeightedComponents(env, weights={"correct": 2.0, "answered": 0.5})
        >>> observation, info = env.reset(seed=1)
        >>> _, reward, _, _, info = env.step(env.unwrapped.solve())
        >>> reward, info["task_reward"], info["reward_components"]["weighted_components"]
        (2.5, 1.0, 1.5)
    """

    def __init__(
        self, env: MessageEnv, *, weights: Mapping[str, float], name: str = "weighted_components"
    ) -> None:
        super().__init__(env, name=name, weights=dict(weights))
        if not weights or not all(math.isfinite(weight) for weight in weights.values()):
            raise UsageError(
                f"WeightedComponents: weights must be finite numbers by component, not {weights!r}"
            )
        if dropped := [part for part in component_names(env) if part not in weights]:
            raise UsageError(
                f"WeightedComponents would drop the components of wrappers inside: "
                f"{', '.join(dropped)}; put it inside these wrappers, or pass weights for them"
            )
        self._is_warned = False
        self._weights = {part: float(weight) for part, weight in weights.items()}

    def begin(self) -> dict[str, Any]:
        """Return the state before any component."""
        return {"seen": False}

    def payment(self, action: Message | str, result: StepResult) -> float:
        """Return the difference between the weighted sum and the reward."""
        reward, info = float(result[1]), result[4]
        parts: dict[str, float] = {**(info.get("reward_components") or {})}
        parts["task_reward"] = info.get("task_reward", reward)
        if (result[2] or result[3]) and not self.state["seen"] and not self._is_warned:
            self._warn_if_none(parts)
        self.state = {"seen": self.state["seen"] or not self._weights.keys().isdisjoint(parts)}
        return sum(weight * parts.get(name, 0.0) for name, weight in self._weights.items()) - reward

    def _warn_if_none(self, parts: Mapping[str, float]) -> None:
        """Log once that an episode had none of the components, which may be misspelt."""
        if self._weights.keys().isdisjoint(parts):
            self._is_warned = True
            _log.warning(
                "WeightedComponents: an episode had none of %s; its components were %s",
                ", ".join(self._weights),
                ", ".join(parts),
            )


class ClipReturn(RewardWrapper):
    """Clips the return, the sum of an episode's rewards, at every step.

    The return after each step is the clipped sum of the environment's rewards so far, so many small
    rewards cannot exceed `high`.

    Args:
        env: The environment.
        low: The minimum return.
        high: The maximum return.
        name: The name of the reward component.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.wrappers import ClipReturn, StepPenalty
        >>> env = StepPenalty(gymnasium.make("textgym/GuessNumber-v0"), amount=1.0)
        >>> env = ClipReturn(env, low=-1.5)
        >>> observation, info = env.reset(seed=1)
        >>> [env.step("0")[1] for _ in range(3)]
        [-1.0, -0.5, 0.0]
    """

    def __init__(
        self,
        env: MessageEnv,
        *,
        low: float = -math.inf,
        high: float = math.inf,
        name: str = "clipped",
    ) -> None:
        super().__init__(env, name=name, low=low, high=high)
        if not low <= 0 <= high:
            raise UsageError(
                f"ClipReturn: low must be 0 or less and high 0 or more, not {low!r} and {high!r}"
            )
        self._low, self._high = low, high

    def begin(self) -> dict[str, Any]:
        """Return a sum of 0."""
        return {"sum": 0.0}

    def payment(self, action: Message | str, result: StepResult) -> float:
        """Return the difference between the clipped and the environment's reward."""
        before: float = self.state["sum"]
        reward = float(result[1])
        self.state = {"sum": before + reward}
        return self._clipped(before + reward) - self._clipped(before) - reward

    def _clipped(self, total: float) -> float:
        return min(self._high, max(self._low, total))


class PotentialShaping(RewardWrapper):
    """Adds the discounted difference of a potential, which does not change the optimal policy.

    A step from the conversation `s` to `t` adds `gamma * potential(t) - potential(s)` (Ng, Harada
    and Russell, 1999). After the last step of a graded episode the potential is 0, so with
    `gamma=1` every such episode adds `-potential(prompt)` in total. This includes episodes that a
    limit of textgym truncates, which a policy may reach on purpose. After a cut without a grade the
    potential keeps its value, because the episode could have continued.

    Args:
        env: The environment.
        potential: A function from a conversation to a finite number, or `module:function`. A spec
            with a function cannot be saved as JSON.
        gamma: The discount factor of the agent.
        name: The name of the reward component.

    Raises:
        RewardError: By `reset` and `step`, if the potential is not a finite number.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.wrappers import PotentialShaping
        >>> env = gymnasium.make("textgym/GuessNumber-v0")
        >>> env = PotentialShaping(env, potential=lambda messages: len(messages) / 10)
        >>> observation, info = env.reset(seed=1)
        >>> round(env.step("0")[1], 6)
        0.2
    """

    def __init__(
        self,
        env: MessageEnv,
        *,
        potential: str | Potential,
        gamma: float = 1.0,
        name: str = "shaping",
    ) -> None:
        super().__init__(env, name=name, potential=potential, gamma=gamma)
        if not 0 < gamma <= 1:
            raise UsageError(
                f"PotentialShaping: gamma must be greater than 0 and at most 1, not {gamma!r}"
            )
        self._gamma = gamma
        function: Any = import_object(potential) if isinstance(potential, str) else potential
        if not callable(function):
            raise UsageError(
                "PotentialShaping: potential must be a function or module:function, not "
                f"{potential!r:.100}"
            )
        self._potential: Potential = function

    def begin(self) -> dict[str, Any]:
        """Return a state without a potential, which `reset` sets."""
        return {"potential": 0.0}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[list[Message], dict[str, Any]]:
        """Reset the environment, and compute the potential of the prompt."""
        observation, info = super().reset(seed=seed, options=options)
        self.state = {"potential": self._value(observation)}
        return observation, info

    def payment(self, action: Message | str, result: StepResult) -> float:
        """Return the discounted difference of the potential."""
        before: float = self.state["potential"]
        graded = result[2] or (result[3] and "is_success" in result[4])
        after = 0.0 if graded else self._value(result[0])
        self.state = {"potential": after}
        return self._gamma * after - before

    def _value(self, messages: list[Message]) -> float:
        value = float(self._potential(messages))
        if not math.isfinite(value):
            raise RewardError(f"PotentialShaping: the potential is {value}, not a finite number")
        return value


class EfficiencyBonus(RewardWrapper):
    """Adds a bonus for a success in few steps, and nothing without success.

    The last step of a successful episode of `n` steps adds `amount * (1 - (n - 1) / (limit - 1))`:
    the whole amount after one step, nothing after `limit` steps or more.

    Args:
        env: The environment.
        limit: The number of steps from which there is no bonus; 2 or more.
        amount: The bonus for a success in one step.
        name: The name of the reward component.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.wrappers import EfficiencyBonus
        >>> env = EfficiencyBonus(gymnasium.make("textgym/GuessNumber-v0"), limit=5, amount=1.0)
        >>> observation, info = env.reset(seed=1)
        >>> env.step("0")[1], env.step(str(env.unwrapped.task.answer))[1]
        (0.0, 1.75)
    """

    def __init__(
        self, env: MessageEnv, *, limit: int, amount: float = 0.1, name: str = "efficiency_bonus"
    ) -> None:
        super().__init__(env, name=name, limit=limit, amount=amount)
        check_count(self, "limit", limit, 2)
        self._limit, self._amount = limit, self.checked_amount(amount)

    def begin(self) -> dict[str, Any]:
        """Return a count of 0 steps."""
        return {"steps": 0}

    def payment(self, action: Message | str, result: StepResult) -> float:
        """Return the bonus at the end of a successful episode."""
        steps: int = self.state["steps"] + 1
        self.state = {"steps": steps}
        if not (result[2] or result[3]) or not result[4].get("is_success"):
            return 0.0
        return self._amount * max(0.0, 1 - (steps - 1) / (self._limit - 1))


class FormatBonus(RewardWrapper):
    r"""Adds a bonus at the end of an episode if the last message has the right form.

    The form is right if the environment found an answer, or if a pattern matches the message. Wrong
    answers get the bonus too, so it should be small compared with the reward for right answers.

    Args:
        env: The environment.
        pattern: A regular expression to search in the message without its reasoning, under a time
            limit; by default, whether the environment found an answer (`extracted_answer`).
        amount: The bonus.
        name: The name of the reward component.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.wrappers import FormatBonus
        >>> env = FormatBonus(gymnasium.make("textgym/MCQA-v0"), pattern=r"\\boxed\{", amount=0.1)
        >>> observation, info = env.reset(seed=1)
        >>> env.step(r"\boxed{none}")[1]
        0.1
    """

    def __init__(
        self,
        env: MessageEnv,
        *,
        pattern: str | None = None,
        amount: float = 0.1,
        name: str = "format_bonus",
    ) -> None:
        super().__init__(env, name=name, pattern=pattern, amount=amount)
        if pattern is not None and compile_pattern(pattern) is None:
            raise UsageError(
                "FormatBonus: pattern is not a regular expression, or is too large: "
                f"{pattern!r:.100}"
            )
        self._pattern, self._amount = pattern, self.checked_amount(amount)

    def payment(self, action: Message | str, result: StepResult) -> float:
        """Return the bonus at the end of an episode."""
        if not (result[2] or result[3]):
            return 0.0
        if self._pattern is None:
            return self._amount if result[4].get("extracted_answer") else 0.0
        text = action if isinstance(action, str) else text_of(action)
        match = PatternSearch().last_match(after_reasoning(text), self._pattern)
        return 0.0 if match is None else self._amount
