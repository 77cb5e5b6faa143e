"""The base classes of wrappers in general, and of wrappers that change the reward.

Invariants: making a wrapper around an environment without message spaces is an error; everything
that changes during an episode is in `state`, which `textgym.get_state` saves; a step that raises
leaves `state` unchanged.
"""

from __future__ import annotations

import math
from typing import Any, SupportsFloat

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from textgym.errors import RewardError, StateError, UsageError
from textgym.json_values import copy_json
from textgym.layers import wrappers_around
from textgym.messages import Message
from textgym.spaces import ActionSpace, ConversationSpace

__all__ = [
    "MessageEnv", "MessageWrapper", "RewardWrapper", "SavedState", "StepResult", "check_count",
    "check_free_name", "check_message_spaces", "component_names",
]  # fmt: skip

StepResult = tuple[list[Message], SupportsFloat, bool, bool, dict[str, Any]]
MessageEnv = gym.Env[list[Message], Message | str]


def check_message_spaces(wrapper: gym.Wrapper[Any, Any, Any, Any], env: gym.Env[Any, Any]) -> None:
    """Check that a wrapper is around an environment with messages.

    Raises:
        UsageError: The observations or actions of the environment are not messages.
    """
    spaces = env.observation_space, env.action_space
    if not (isinstance(spaces[0], ConversationSpace) and isinstance(spaces[1], ActionSpace)):
        raise UsageError(
            f"{type(wrapper).__name__} needs an environment whose observations and actions are "
            f"messages; {env.unwrapped} has {spaces[0]} and {spaces[1]}"
        )


def check_free_name(env: gym.Env[Any, Any], name: str) -> None:
    """Check that no wrapper of an environment uses the name of a reward component.

    Raises:
        UsageError: A wrapper uses it.
    """
    if name in component_names(env):
        raise UsageError(
            f"two wrappers use the reward component {name!r}: pass a different name= to one of them"
        )


def check_count(owner: object, argument: str, value: Any, least: int = 1) -> None:
    """Check that an argument of a wrapper is an integer of at least a value.

    Raises:
        UsageError: The value is something else.
    """
    if type(value) is not int or value < least:
        raise UsageError(
            f"{type(owner).__name__}: {argument} must be an integer of {least} or more, "
            f"not {value!r}"
        )


def component_names(env: gym.Env[Any, Any]) -> list[str]:
    """Return the names of the reward components of an environment's wrappers."""
    wrappers = [layer for layer in wrappers_around(env) if isinstance(layer, MessageWrapper)]
    return [wrapper.name for wrapper in wrappers if hasattr(wrapper, "name")]


class SavedState:
    """The state of a wrapper, which changes during an episode and can be saved."""

    _state: dict[str, Any] | None = None

    @property
    def state(self) -> dict[str, Any]:
        """The state, a dict of JSON values.

        Raises:
            UsageError: There has been no reset.
        """
        if self._state is None:
            raise UsageError(f"{type(self).__name__} has no episode: call reset before step")
        return self._state

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        self._state = state

    def begin(self) -> dict[str, Any]:
        """Return the state at the start of an episode."""
        return {}

    def state_problem(self, state: dict[str, Any]) -> str:
        """Return the problem of a state whose values have the right types, or ""."""
        return ""

    def get_state(self) -> dict[str, Any]:
        """Return the state of this wrapper only, as JSON data.

        Raises:
            StateError: There has been no reset.
        """
        if self._state is None:
            raise StateError("there is no episode to save: call reset first")
        return {name: copy_json(value) for name, value in self.state.items()}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore a state of this wrapper only.

        Raises:
            StateError: A value is missing, unknown or invalid. Nothing is changed.
        """
        new = self.begin()
        if state.keys() != new.keys():
            name = min(state.keys() ^ new.keys())
            problem = "missing" if name in new else "unknown"
            raise StateError(f"{type(self).__name__}.{name} is {problem}")
        for name, value in state.items():
            if not _is_like(value, new[name]):
                kind = type(new[name]).__name__
                raise StateError(
                    f"{type(self).__name__}.{name} must be a {kind}, not {value!r:.100}"
                )
        if problem := self.state_problem(state):
            raise StateError(f"{type(self).__name__}: {problem}")
        self.state = {name: copy_json(value) for name, value in state.items()}


class MessageWrapper(
    SavedState,
    gym.Wrapper[list[Message], Message | str, list[Message], Message | str],
    RecordConstructorArgs,
):
    """The base class of wrappers around environments whose observations are conversations.

    Args:
        env: The environment.
        **arguments: The arguments of the subclass, which become part of the spec.

    Raises:
        UsageError: The observations or actions of the environment are not messages.
    """

    _stepped: tuple[Any, StepResult] | None = None  # a step after which the wrapper failed

    def __init__(self, env: MessageEnv, **arguments: Any) -> None:
        RecordConstructorArgs.__init__(self, **arguments)
        gym.Wrapper.__init__(self, env)
        check_message_spaces(self, env)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[list[Message], dict[str, Any]]:
        """Reset the environment, and begin a new state."""
        observation, info = self.env.reset(seed=seed, options=options)
        self.state, self._stepped = self.begin(), None
        return observation, info

    def step_once(self, action: Message | str) -> StepResult:
        """Step the environment, for wrappers that can fail afterwards, such as a reward model.

        `finish_step` ends the step. Until then the same action returns the same result, so that a
        failed step can be taken again without stepping the environment twice.

        Raises:
            UsageError: The last step failed, and this is a different action.
        """
        if self._stepped is None:
            self._stepped = action, self.env.step(action)
        elif self._stepped[0] != action:
            raise UsageError("a step has failed: step the same action again, or reset")
        return self._stepped[1]

    def finish_step(self) -> None:
        """End a step. Nothing may fail afterwards."""
        self._stepped = None

    def get_state(self) -> dict[str, Any]:
        """Return the state of this wrapper only, as JSON data.

        Raises:
            StateError: There has been no reset, or a step has failed and was not taken again.
        """
        if self._stepped is not None:
            raise StateError(
                "a step has failed: step the same action again before saving the episode"
            )
        return super().get_state()

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore a state of this wrapper only.

        Raises:
            StateError: A value is missing, unknown or invalid. Nothing is changed.
        """
        super().set_state(state)
        self._stepped = None


def _is_like(value: Any, new: Any) -> bool:
    if isinstance(new, float):
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return is_number and math.isfinite(value)
    return type(value) is type(new)


class RewardWrapper(MessageWrapper):
    """The base class of wrappers that add a component to the reward.

    Subclasses define `payment`. `info["task_reward"]` keeps the environment's own reward,
    `info["reward_components"]` has the payment under the wrapper's name, and `is_success` does not
    change. The reward of a step is its task reward plus the payments of all reward wrappers.

    Args:
        env: The environment.
        name: The name of the component.
        **arguments: The other arguments of the subclass.
    """

    name: str

    def __init__(self, env: MessageEnv, *, name: str, **arguments: Any) -> None:
        super().__init__(env, name=name, **arguments)
        check_free_name(env, name)
        self.name = name

    def checked_amount(self, amount: float, argument: str = "amount") -> float:
        """Return an amount as a float.

        Raises:
            UsageError: It is not a finite number of 0 or more.
        """
        if not 0 <= amount < math.inf:
            raise UsageError(
                f"{type(self).__name__}: {argument} must be a finite number of 0 or more, "
                f"not {amount!r}"
            )
        return float(amount)

    def payment(self, action: Message | str, result: StepResult) -> float:
        """Return the amount to add to the reward of a step. It may replace `state` at its end.

        If it raises, the step can be taken again without stepping the environment twice.

        Args:
            action: The action.
            result: The result of the environment's `step`.
        """
        raise NotImplementedError(f"{type(self).__name__} must define payment")

    def step(self, action: Message | str) -> StepResult:
        """Step the environment, and add the payment."""
        result = self.step_once(action)
        observation, reward, terminated, truncated, info = result
        components = info.get("reward_components") or {}
        if self.name in components:
            raise RewardError(
                f"the environment already has a reward component {self.name!r}: pass a different "
                f"name= to {type(self).__name__}"
            )
        amount = self.payment(action, result) + 0.0  # never -0.0
        self.finish_step()
        info.setdefault("task_reward", float(reward))
        info["reward_components"] = {**components, self.name: amount}
        return observation, float(reward) + amount, terminated, truncated, info
