"""Curricula over a mixture: the success on an environment decides how often it is drawn.

A `TaskPool` is a curriculum over tasks: see `task_pool`.

Invariants: a draw depends only on the weights, the seed, the number of the draw, and the results so
far; no environment's share falls to 0, so the curriculum notices when it becomes learnable.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from textgym.errors import UnknownNameError, UsageError, did_you_mean
from textgym.task_pool import TaskPool

__all__ = ["Curriculum", "SuccessCurriculum", "read_curriculum"]

_ARGUMENTS = ("window", "floor", "results")


class SuccessCurriculum:
    """Draws an environment more often if it is solved sometimes, but not always.

    The weight of an environment is multiplied by `max(floor, 4 * p * (1 - p))`, where `p` is its
    success rate over the last `window` episodes. The factor is 1 at a rate of one half, and
    smallest if all episodes succeed or all fail. `p * (1 - p)`, the learnability, is the variance
    of a success. If it is 0, all returns of a group are the same and teach nothing (Foster et al.,
    2025, arXiv:2502.12272). The factor of an environment without results is 1.

    It keeps its results, so one object can serve the rollouts of a whole training run.

    Args:
        window: How many of the last episodes of each environment count.
        floor: The smallest factor, over 0 and at most 1.
        results: Successes to start with, as a list for each id, the oldest first.

    Raises:
        UsageError: An argument is invalid.

    Example:
        >>> curriculum = SuccessCurriculum(window=4)
        >>> for success in (True, False):
        ...     curriculum.add("demo/A-v0", success)
        ...     curriculum.add("demo/B-v0", True)
        >>> [curriculum.factor(f"demo/{name}-v0") for name in "ABC"]
        [1.0, 0.1, 1.0]
        >>> curriculum.draw({"demo/A-v0": 1.0, "demo/B-v0": 1.0}, seed=1, number=0)
        'demo/A-v0'
    """

    def __init__(
        self,
        *,
        window: int = 64,
        floor: float = 0.1,
        results: Mapping[str, Sequence[bool]] | None = None,
    ) -> None:
        if not isinstance(window, int) or window < 1:
            raise UsageError(f"a curriculum's window must be 1 or more, not {window!r}")
        if not isinstance(floor, (int, float)) or not 0 < floor <= 1:
            raise UsageError(f"a curriculum's floor must be over 0 and at most 1, not {floor!r}")
        self._window, self._floor = window, float(floor)
        self._results: dict[str, deque[bool]] = {}
        for id, successes in _checked_results(results or {}).items():
            self._results[id] = deque(successes, maxlen=window)

    def add(self, id: str, success: bool, index: int | None = None) -> None:
        """Add the result of an episode. Threads may add results at the same time.

        Args:
            id: The id of its environment.
            success: Whether it succeeded.
            index: The index of its task, which only a `TaskPool` uses.
        """
        self._results.setdefault(id, deque(maxlen=self._window)).append(bool(success))

    def factor(self, id: str) -> float:
        """Return the factor of an environment's weight, from `floor` to 1."""
        results = tuple(self._results.get(id, ()))
        if not results:
            return 1.0
        rate = sum(results) / len(results)
        return max(self._floor, 4 * rate * (1 - rate))

    def draw(self, weights: Mapping[str, float], seed: int, number: int) -> str:
        """Return the id of the next environment.

        Args:
            weights: The weights of the environments that can be drawn, by id.
            seed: The seed of the draws.
            number: How many draws there were before this one.
        """
        ids = list(weights)
        factors = [weights[id] * self.factor(id) for id in ids]
        return random.Random(f"curriculum {seed} {number}").choices(ids, factors)[0]

    def as_dict(self) -> dict[str, Any]:
        """Return the arguments of an equal curriculum as JSON values, with the results so far.

        Example:
            >>> SuccessCurriculum(window=8).as_dict()
            {'window': 8, 'floor': 0.1}
        """
        results = {id: list(successes) for id, successes in tuple(self._results.items())}
        arguments: dict[str, Any] = {"window": self._window, "floor": self._floor}
        return {**arguments, "results": results} if results else arguments


Curriculum = bool | Mapping[str, Any] | SuccessCurriculum | TaskPool
"""A curriculum as an argument: True, a dict of arguments, a `SuccessCurriculum` or a `TaskPool`."""


def read_curriculum(
    value: Curriculum | None, num_envs: int | None = None
) -> SuccessCurriculum | TaskPool | None:
    """Return the curriculum for an argument of `rollout` or `make_vec`; None if there is none.

    Args:
        value: The argument.
        num_envs: The number of environments that it draws from, if it is known. A pool also draws
            from one.

    Raises:
        UsageError: The value is something else, an argument in it is invalid, or there are fewer
            than two environments.

    Example:
        >>> read_curriculum({"window": 8}).as_dict()
        {'window': 8, 'floor': 0.1}
    """
    if value is None or value is False:
        return None
    if isinstance(value, TaskPool):
        return value
    if num_envs is not None and num_envs < 2:
        raise UsageError(
            "a curriculum draws from several environments: pass ids with weights, or a TaskPool"
        )
    if isinstance(value, SuccessCurriculum):
        return value
    arguments = {} if value is True else value
    if not isinstance(arguments, Mapping):
        raise UsageError(
            f"curriculum must be True, a dict such as {{'window': 64}}, a SuccessCurriculum or a "
            f"TaskPool, not {value!r:.100}"
        )
    for name in arguments:
        if name not in _ARGUMENTS:
            hint = did_you_mean(str(name), _ARGUMENTS)
            raise UnknownNameError(f"a curriculum has no argument {name!r:.100}{hint}")
    return SuccessCurriculum(**arguments)


def _checked_results(results: Any) -> Mapping[str, Sequence[bool]]:
    if isinstance(results, Mapping) and all(
        isinstance(successes, (list, tuple)) and all(type(success) is bool for success in successes)
        for successes in results.values()
    ):
        return results
    raise UsageError(
        f"a curriculum's results must be a dict of lists of bools, not {results!r:.100}"
    )
