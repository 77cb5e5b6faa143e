"""The log of a run: what goes wrong is logged with its traceback, once for each class.

Every failure is recorded in its trajectory as well; the log shows the first one while the run goes
on.
"""

from __future__ import annotations

import logging
from typing import Any

import gymnasium as gym

from textgym.errors import UsageError
from textgym.policies import Policy
from textgym.trajectories.failures import failure_of

__all__ = ["RunLog"]

_log = logging.getLogger(__name__)


class RunLog:
    """Logs the first failure of each environment and policy class of a run.

    Example:
        >>> import gymnasium, textgym
        >>> log = RunLog()
        >>> log.close(gymnasium.make("textgym/MCQA-v0"))  # logs an error instead of raising it
    """

    def __init__(self) -> None:
        self._logged: set[tuple[str, str]] = set()

    def add_failure(self, owner: object, error: BaseException) -> None:
        """Log a failed episode.

        Args:
            owner: The environment or policy that failed, or the id of an environment that could
                not be made.
            error: What it raised.
        """
        self._warn("%s failed (later failures of this class are only recorded)", owner, error)

    def close(self, env: gym.Env[Any, Any]) -> None:
        """Close an environment; an error is logged, because it must not end the run."""
        try:
            env.close()
        except Exception as error:
            self._warn("%s could not be closed", env.unwrapped, error)

    async def close_policy(self, policy: Policy) -> None:
        """Close a policy; an error is logged, because it must not end the run."""
        try:
            await policy.close()
        except Exception as error:
            self._warn("%s could not be closed", policy, error)

    def _warn(self, text: str, owner: object, error: BaseException) -> None:
        """Log an error once; a `UsageError` without its traceback, as its message says it all."""
        kind = type(owner)
        name = owner if isinstance(owner, str) else f"{kind.__module__}.{kind.__qualname__}"
        if (text, name) not in self._logged:
            self._logged.add((text, name))
            traceback = None if isinstance(error, UsageError) else error
            message = failure_of(error)["message"].strip().partition("\n")[0]
            _log.warning(f"{text}: %s: %s", name, type(error).__name__, message, exc_info=traceback)
