"""Reward wrappers that pay more for good episodes: for efficiency and for format."""

from __future__ import annotations

from typing import Any

from textgym.errors import UsageError
from textgym.messages import Message, text_of
from textgym.verifiers.extract import after_reasoning
from textgym.verifiers.patterns import PatternSearch, compile_pattern
from textgym.wrappers.base import MessageEnv, RewardWrapper, StepResult, check_count

__all__ = ["EfficiencyBonus", "FormatBonus"]


class EfficiencyBonus(RewardWrapper):
    """Pays more for a success in fewer steps, and nothing without success.

    The last step of a successful episode of `n` steps pays `amount * (1 - (n - 1) / (limit - 1))`:
    the whole amount after one step, nothing after `limit` steps or more.

    Args:
        env: The environment.
        limit: The number of steps from which nothing is paid; 2 or more.
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
        self,
        env: MessageEnv,
        *,
        limit: int,
        amount: float = 0.1,
        name: str = "efficiency_bonus",
    ) -> None:
        super().__init__(env, name=name, limit=limit, amount=amount)
        check_count(self, "limit", limit, 2)
        self._limit, self._amount = limit, self.checked_amount(amount)

    def begin(self) -> dict[str, Any]:
        """Return a count of no steps."""
        return {"steps": 0}

    def payment(self, action: Message | str, result: StepResult) -> float:
        """Return the bonus at the end of a successful episode."""
        steps: int = self.state["steps"] + 1
        self.state = {"steps": steps}
        if not (result[2] or result[3]) or not result[4].get("is_success"):
            return 0.0
        return self._amount * max(0.0, 1 - (steps - 1) / (self._limit - 1))


class FormatBonus(RewardWrapper):
    r"""Pays at the end of an episode if the last message has the right form.

    The form is that the environment found an answer, or that a pattern matches the message. Any
    message of the right form is paid, right or wrong, so the amount should be small beside the
    reward for right answers.

    Args:
        env: The environment.
        pattern: A regular expression to search in the message without its reasoning, under a time
            limit; None to ask whether the environment found an answer (`extracted_answer`).
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
                f"FormatBonus: pattern is not a regular expression, or a huge one: {pattern!r:.100}"
            )
        self._pattern, self._amount = pattern, self.checked_amount(amount)

    def payment(self, action: Message | str, result: StepResult) -> float:
        """Return the bonus at the end of an episode."""
        if not (result[2] or result[3]):
            return 0.0
        if self._pattern is None:
            return self._amount if result[4].get("extracted_answer") else 0.0
        text = action if isinstance(action, str) else text_of(action)
        found = PatternSearch().last_match(after_reasoning(text), self._pattern)
        return 0.0 if found is None else self._amount
