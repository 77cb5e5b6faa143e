"""`Retry`: several attempts at the task of a single-turn environment."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from textgym.core.episode import Conversation
from textgym.errors import UsageError
from textgym.layers import counting_layers, graded_cut
from textgym.messages import Message, user
from textgym.names import import_object, is_place
from textgym.tasks.task import Task
from textgym.wrappers.base import (
    MessageEnv,
    MessageWrapper,
    StepResult,
    check_count,
    check_free_name,
    component_names,
)
from textgym.wrappers.conversations.base import OwnConversation, text_env

__all__ = ["Retry"]

Feedback = Callable[[dict[str, Any], Task], str]
MAX_QUOTED = 200  # characters of an answer


class Retry(OwnConversation):
    r"""Gives several attempts at the task of a single-turn environment.

    After a wrong answer the user says so, and the model tries again in the same conversation. The
    episode ends with the first success or with the last attempt. Its reward is multiplied by
    `discount` for each earlier attempt, unless it is negative. Of earlier attempts, only costs of
    wrappers inside count, so failing never earns a reward. The environment is reset to the same
    task for each attempt, so it does not see earlier attempts.

    With more attempts a policy that guesses succeeds more often, so the environment's chance does
    not apply. To rate first attempts only, leave out this wrapper.

    Args:
        env: A `TextEnv` whose `max_turns` is 1.
        attempts: The number of attempts; 2 or more.
        discount: The factor of the reward for each attempt before the last, from 0 to 1.
        feedback: What the user says after a wrong answer: a text, in which `{answer}` is replaced
            by the answer and `{left}` by the number of remaining attempts; or a function of the
            attempt's info and the task, or `module:function`. By default the user says whether the
            message has an answer. A spec with a function cannot be saved as JSON.
        name: The name of the reward component with the loss by the discount.

    Raises:
        UsageError: The environment has several turns, or an argument is invalid.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.wrappers import Retry
        >>> env = gymnasium.make("textgym/MCQA-v0")
        >>> env = Retry(env, attempts=2, feedback="No, not {answer}. Try again.")
        >>> observation, info = env.reset(seed=1)
        >>> right = env.unwrapped.task.answer
        >>> wrong = "B" if right == "A" else "A"
        >>> observation, reward, terminated, truncated, info = env.step(rf"\boxed{{{wrong}}}")
        >>> observation[-1]["content"] == f"No, not {wrong}. Try again.", reward, terminated
        (True, 0.0, False)
        >>> env.step(rf"\boxed{{{right}}}")[1:3]
        (0.5, True)
    """

    def __init__(
        self,
        env: MessageEnv,
        *,
        attempts: int = 2,
        discount: float = 0.5,
        feedback: str | Feedback | None = None,
        name: str = "retry",
    ) -> None:
        super().__init__(env, attempts=attempts, discount=discount, feedback=feedback, name=name)
        check_free_name(env, name)
        inner = text_env(self)
        if inner.max_turns != 1:
            raise UsageError(
                f"Retry needs an environment of one turn, and {inner.card.id} has {inner.max_turns}"
            )
        check_count(self, "attempts", attempts, 2)
        if not 0 <= discount <= 1:
            raise UsageError(f"Retry: discount must be from 0 to 1, not {discount!r}")
        self._attempts, self._discount, self.name = attempts, float(discount), name
        self._inside = component_names(env)
        self._feedback = _feedback_function(feedback)
        self.max_turns = attempts * counting_layers(env)[0].max_turns

    def begin(self) -> dict[str, Any]:
        """Return the state before the first attempt."""
        return {**super().begin(), "attempt": 0, "failed": False}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[list[Message], dict[str, Any]]:
        """Reset the environment, and begin the first attempt."""
        observation, info = MessageWrapper.reset(self, seed=seed, options=options)
        self.conversation = Conversation()
        return observation, info

    def step(self, action: Message | str) -> StepResult:
        """Step the environment; after a wrong answer, say so instead of ending the episode."""
        if self.state["failed"]:
            prompt, _ = self.env.reset(options={"task": text_env(self).task.row})
            self.state = {**self.state, "seen": len(prompt), "failed": False}
        state = self.state
        with graded_cut(self.env, when=self.is_last_turn):
            observation, reward, terminated, truncated, info = self.step_once(action)
        new, reward = observation[state["seen"] :], float(reward)
        state = {**state, "turn": state["turn"] + 1}
        is_last = state["attempt"] + 1 >= self._attempts
        if not (terminated or truncated):
            self.state = state
        elif info.get("is_success") or is_last or state["turn"] >= self.max_turns:
            if not (info.get("is_success") or is_last):
                terminated, truncated, info = False, True, {**info, "stop_reason": "max_turns"}
            reward, info = self._discounted(reward, info, state["attempt"])
            self.state = state
        else:
            self._add_feedback(state, new, info)
            reward, info = self._failure_reward(reward, info)
            self.finish_step()
            return self.conversation.copy(), reward, False, False, info
        self.finish_step()
        return [*self.conversation.copy(), *new], reward, terminated, truncated, info

    def _discounted(
        self, reward: float, info: dict[str, Any], attempt: int
    ) -> tuple[float, dict[str, Any]]:
        loss = reward * (self._discount**attempt - 1) if reward > 0 else 0.0
        components = {**(info.get("reward_components") or {}), self.name: loss}
        own = info.get("task_reward", reward)
        return reward + loss, {**info, "task_reward": own, "reward_components": components}

    def _failure_reward(self, reward: float, info: dict[str, Any]) -> tuple[float, dict[str, Any]]:
        """Return the reward and the info of an attempt that does not count: only its costs."""
        payments = reward - info.get("task_reward", reward)  # of wrappers inside
        cost = min(0.0, payments)
        known = info.get("reward_components") or {}
        components = {name: known[name] for name in self._inside if name in known}
        return cost, {
            "task_id": info["task_id"],
            "task_reward": 0.0,
            "reward_components": {**components, self.name: cost - payments},
        }

    def _add_feedback(
        self, state: dict[str, Any], new: list[Message], info: dict[str, Any]
    ) -> None:
        attempt = state["attempt"] + 1
        left = {"attempts_left": self._attempts - attempt}
        feedback = self._feedback({**info, **left}, text_env(self).task)
        if not isinstance(feedback, str):
            raise UsageError(f"Retry: feedback must return a text, not {feedback!r:.100}")
        for message in (*new, user(feedback)):
            self.conversation.add(message)
        self.state = {**state, "attempt": attempt, "failed": True}


def _feedback_function(feedback: Any) -> Feedback:
    if feedback is None:
        return _default_feedback
    if callable(feedback):
        function: Feedback = feedback
        return function
    if not isinstance(feedback, str):
        raise UsageError(f"Retry: feedback must be a text or a function, not {feedback!r:.100}")
    if is_place(feedback):
        return _feedback_function(import_object(feedback))
    return partial(_filled_in, feedback)


def _filled_in(text: str, info: dict[str, Any], task: Task) -> str:
    left = str(info["attempts_left"])
    return text.replace("{left}", left).replace("{answer}", _answer_of(info))


def _answer_of(info: dict[str, Any]) -> str:
    return str(info.get("extracted_answer") or "")[:MAX_QUOTED]


def _default_feedback(info: dict[str, Any], task: Task) -> str:
    answer = _answer_of(info)
    problem = f"Your answer {answer} is wrong." if answer else "There is no answer in your message."
    return f"{problem} Try again."
