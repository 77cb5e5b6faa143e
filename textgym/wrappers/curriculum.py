"""`LevelCurriculum`, a wrapper that makes tasks harder or easier with the success rate.

Invariants: the level and the window of successes are kept across episodes, and `textgym.get_state`
saves them; only episodes that were drawn at the current level and have ended are counted; a reset
or a step that raises changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textgym.errors import UsageError
from textgym.messages import Message
from textgym.wrappers.base import MessageEnv, MessageWrapper, StepResult, check_count

__all__ = ["LevelCurriculum"]

_SELECTS_TASK = frozenset(("index", "task", "level"))


class LevelCurriculum(MessageWrapper):
    """Draws tasks of one level, which rises with success and falls with failure.

    Once there are `window` episodes at the level, a success rate of `raise_at` or more among the
    last `window` raises the level, a rate of `lower_at` or less lowers it, and a new window begins.
    `info["level"]` of a reset is the level of its task.

    If a reset selects a task with the option `index`, `task` or `level`, the curriculum does not
    count the episode. Rollouts select all tasks by index, so the wrapper has no effect there. In a
    vector, each sub-environment has its own level.

    Args:
        env: The environment, made without `level`.
        levels: Two or more of the environment's levels, easiest first; None for all of them.
        window: How many episodes decide.
        raise_at: The success rate at or above which the level rises.
        lower_at: The success rate at or below which the level falls.
        start: The first level; None for the easiest.

    Raises:
        UsageError: The environment has fewer than two levels, or an argument is invalid.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.wrappers import LevelCurriculum
        >>> env = LevelCurriculum(gymnasium.make("textgym/MCQA-v0"), window=2)
        >>> levels = [env.reset(seed=1)[1]["level"]]
        >>> for _ in range(4):
        ...     result = env.step(env.unwrapped.solve())
        ...     levels.append(env.reset()[1]["level"])
        >>> levels
        [1, 1, 2, 2, 3]
    """

    def __init__(
        self,
        env: MessageEnv,
        *,
        levels: Sequence[Any] | None = None,
        window: int = 20,
        raise_at: float = 0.8,
        lower_at: float = 0.2,
        start: Any = None,
    ) -> None:
        super().__init__(
            env, levels=levels, window=window, raise_at=raise_at, lower_at=lower_at, start=start
        )
        check_count(self, "window", window)
        if not 0 <= lower_at < raise_at <= 1:
            raise UsageError(
                "LevelCurriculum: lower_at must be less than raise_at, both from 0 to 1, not "
                f"{lower_at!r} and {raise_at!r}"
            )
        self._levels = _levels(env, levels)
        if start is not None and start not in self._levels:
            raise UsageError(f"LevelCurriculum: start must be one of its levels, not {start!r}")
        self._window, self._raise_at, self._lower_at = window, raise_at, lower_at
        first = self._levels[0] if start is None else start
        self.state = {"level": first, "successes": [], "counts": False}

    def begin(self) -> dict[str, Any]:
        """Return the current state, which is kept across episodes."""
        return dict(self.state)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[list[Message], dict[str, Any]]:
        """Begin an episode at the current level, unless an option selects a task."""
        level = self.state["level"]
        draws = not options or (
            isinstance(options, Mapping) and _SELECTS_TASK.isdisjoint(options.keys())
        )
        if draws:
            options = {**(options or {}), "level": level}
        observation, info = self.env.reset(seed=seed, options=options)
        self.state = {**self.state, "counts": draws}
        return observation, ({**info, "level": level} if draws else info)

    def step(self, action: Message | str) -> StepResult:
        """Step the environment, and count the episode if it has ended."""
        result = self.env.step(action)
        if (result[2] or result[3]) and self.state["counts"]:
            self.state = self._counted(bool(result[4].get("is_success")))
        return result

    def _counted(self, success: bool) -> dict[str, Any]:
        level, successes = self.state["level"], [*self.state["successes"], success]
        successes = successes[-self._window :]
        position, rate = self._levels.index(level), sum(successes) / self._window
        if len(successes) == self._window:
            change = (rate >= self._raise_at) - (rate <= self._lower_at)
            new = self._levels[min(max(position + change, 0), len(self._levels) - 1)]
            if new != level:
                level, successes = new, []
        return {"level": level, "successes": successes, "counts": False}

    def state_problem(self, state: dict[str, Any]) -> str:
        """Return the problem of a state, or ""."""
        successes = state["successes"]
        are_valid = all(type(success) is bool for success in successes)
        if state["level"] in self._levels and are_valid and len(successes) <= self._window:
            return ""
        return f"level must be one of {self._levels}, and successes at most {self._window} bools"


def _levels(env: MessageEnv, selected: Sequence[Any] | None) -> list[Any]:
    """Return the levels of a curriculum, easiest first.

    Raises:
        UsageError: The environment has fewer than two levels, or the selection is invalid.
    """
    inner: Any = env.unwrapped
    known = getattr(inner, "levels", ())
    if len(known) < 2:
        fixed = getattr(inner, "level", None)
        why = f"made with level={fixed!r}" if fixed is not None else f"and has {list(known)}"
        raise UsageError(f"LevelCurriculum needs two or more levels: {env.unwrapped} is {why}")
    if selected is None:
        if any(isinstance(level, str) for level in known):
            raise UsageError(
                f"LevelCurriculum: pass levels= in order, easiest first; they are {list(known)}"
            )
        return list(known)
    levels = list(selected) if isinstance(selected, (list, tuple)) else []
    if len(levels) < 2 or len({type(level) for level in levels}) > 1:
        raise UsageError(f"LevelCurriculum: levels must be a list of two or more, not {selected!r}")
    if any(level not in known for level in levels) or len(set(levels)) < len(levels):
        raise UsageError(
            f"LevelCurriculum: levels must be different ones of {list(known)}, not {selected!r}"
        )
    return levels
