"""Saving and restoring an environment: its arguments, its spec, and the state of its episode.

Invariants: an episode changes only the conversation, the turn count, the random generator and
`state`; `set_state` with an invalid state leaves the environment unchanged; each `begin` that
returned is followed by one `on_close`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils import seeding

from textgym.concurrency.event_loops import result_of
from textgym.core.authoring import AuthorMethods, StateT, copy_of_state
from textgym.core.episode import Conversation, Payments
from textgym.core.saved_episode import (
    MAX_SEED,
    pack_generator,
    pack_state,
    read_saved,
    unpack_generator,
    unpack_state,
)
from textgym.errors import BoundaryFailure, StateError, UsageError, in_one_line
from textgym.json_values import copy_json, json_row
from textgym.messages import copy_message
from textgym.tasks.source import TaskSource
from textgym.tasks.task import Task

__all__ = ["LiveSpec", "SavableEnv", "live_spec"]


class SavableEnv(AuthorMethods[StateT]):
    """The part of `TextEnv` that copies, saves and restores environments."""

    turn: int
    _arguments: dict[str, Any]
    _conversation: Conversation
    _finished: str  # the stop reason, if the author ended the episode
    _generator: np.random.Generator | None = None
    _is_open: bool = False  # the author's `on_close` has to be called
    _pay_on_the_way: Callable[[], None] | None = None  # called in each step, before its result
    _outcome: tuple[float, dict[str, Any]] | None
    _payments: Payments
    _running: bool
    _shown: int
    _spec: EnvSpec | None = None
    _tasks: TaskSource

    def __new__(cls, **kwargs: Any) -> Any:
        """Keep the arguments. They are needed for copies and identify the tasks to share."""
        if "autoreset_mode" in kwargs:  # Gymnasium's vectors pass their arguments to environments
            raise UsageError(
                f"autoreset_mode is an argument of vectors, and {cls.__name__} is an environment: "
                "use textgym.make_vec, or pass vector_kwargs={'autoreset_mode': ...} to "
                "gymnasium.make_vec"
            )
        env = super().__new__(cls)
        env._arguments = {
            name: os.fspath(value) if isinstance(value, os.PathLike) else value
            for name, value in kwargs.items()
        }
        return env

    @classmethod
    def _declared_state(cls) -> Any:
        """Return the type of the class's states. Defined by `TextEnv`."""
        raise NotImplementedError

    @property
    def spec(self) -> EnvSpec | None:
        """The spec that Gymnasium made the environment from."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        self._spec = spec and live_spec(spec)

    @property
    def num_tasks(self) -> int | None:
        """The number of rows; 500 for a generated evaluation split; None for generated training."""
        return self._tasks.count

    @property
    def data_digests(self) -> dict[str, str]:
        """The data sets that tasks were read from: their names, with hashes of their content."""
        return self._tasks.digests

    @property
    def task_index(self) -> int | None:
        """The index of the episode's task; None if the task was given as a row or by its level."""
        return self._tasks.index

    @property
    def arguments(self) -> dict[str, Any]:
        """The keyword arguments that the environment was made with."""
        return dict(self._arguments)

    @property
    def levels(self) -> tuple[Any, ...]:
        """The levels that `reset` can select, from the card or from the rows of a data set.

        If the environment was made with `level=`, this is the only one. `reset` can also select
        level 0, the first rung, where the card has one.
        """
        return self._tasks.levels

    def _tasks_at_level(self, level: Any) -> TaskSource:
        """Return the tasks of an environment like this one that is made with a level."""
        try:
            env: SavableEnv[Any] = type(self)(**{**self._arguments, "level": level})
        except TypeError as error:
            raise UsageError(f"{self.card.id} cannot be made with level=: {error}") from error
        return env._tasks

    def get_state(self) -> dict[str, Any]:
        """Return the episode as JSON data, for `set_state`.

        Raises:
            StateError: There is no episode, or its state is not JSON data.
        """
        if not self._conversation:
            raise StateError("there is no episode to save: call reset first")
        return {
            "id": self.card.id,
            "row": copy_json(self.task.row),
            "messages": self._conversation.copy(self._conversation.prompt_length),
            "turn": self.turn,
            "running": self._running,
            "paid": self._payments.total,
            "state": pack_state(self.state, type(self)),
            "stream": list(self._tasks.stream.state),
            "np_random": pack_generator(self._np_random),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue an episode that an environment with the same arguments saved.

        Raises:
            StateError: The state is not valid; the error names the field. The environment is
                unchanged.
            BoundaryFailure: Something that `begin` calls failed. The environment is unchanged.
        """
        drawn = self._tasks.stream.state
        before = dict(vars(self))
        if self._conversation:
            before["state"] = copy_of_state(type(self), self.state)
        try:
            self._is_open = False
            self._restore(state)
        except BaseException as error:
            try:
                self._close_episode()
            finally:
                self._become(before)
                self._tasks.stream.state = drawn
            if isinstance(error, BoundaryFailure) or not isinstance(error, Exception):
                raise
            problem = str(error) if isinstance(error, UsageError) else in_one_line(error)
            raise StateError(f"this is not a state of {self.card.id}: {problem}") from error
        restored = self._become(before)  # to close what it has open
        try:
            self._close_episode()
        finally:
            self._become(restored)

    def _become(self, attributes: dict[str, Any]) -> dict[str, Any]:
        """Replace all attributes, and return the previous ones."""
        present = dict(vars(self))
        vars(self).clear()
        vars(self).update(attributes)
        return present

    def _begin(self, task: Task) -> StateT:
        """Return the state of a new episode. Live resources of the last one have been closed."""
        self.task = task
        state: StateT = self.begin(task)
        if state is not None:
            state = result_of(state)
        self._is_open = type(self).on_close is not AuthorMethods.on_close
        return state

    def _close_episode(self) -> None:
        """Let the author close what the last `begin` opened."""
        if self._is_open:
            self._is_open = False
            result_of(self.on_close())

    def _restore(self, state: Any) -> None:
        saved = read_saved(state)
        if saved["id"] != self.card.id:
            raise StateError(f"it was saved from {saved['id']!r:.100}")
        task = self._tasks.read(json_row(saved["row"]))
        self._generator = None  # draws by `begin` must not advance the current one
        self.state = unpack_state(self._begin(task), saved["state"], self._declared_state())
        self.check_state()
        self.turn, self._running, self._finished = saved["turn"], saved["running"], ""
        self._conversation = Conversation(self.task.messages)
        for message in saved["messages"]:
            self._conversation.add(copy_message(message))
        self._payments = Payments(saved["paid"])
        self._generator, self._shown, self._outcome = None, 0, None
        if saved["np_random"] is not None:
            self._generator = unpack_generator(saved["np_random"])
        self._tasks.stream.state, self._tasks.index = [*saved["stream"]], None
        result_of(self.on_restore())

    def _seed(self, seed: int) -> None:
        """Seed the choice of tasks, and `np_random`, whose generator is created on first use."""
        if not isinstance(seed, (int, np.integer)) or seed < 0:
            raise UsageError(f"seed must be an integer of 0 or more, not {seed!r}")
        if seed > MAX_SEED:
            raise UsageError("seed must be less than 2**128")
        self._tasks.stream.seed(int(seed))
        self._generator, self._np_random_seed = None, int(seed)

    @property
    def _np_random(self) -> np.random.Generator | None:
        """Gymnasium's generator, created lazily because that takes longer than an episode."""
        if self._generator is None and self._np_random_seed is not None:
            self._generator, _ = seeding.np_random(self._np_random_seed)
        return self._generator

    @_np_random.setter
    def _np_random(self, generator: np.random.Generator | None) -> None:
        self._generator = generator

    def __reduce__(self) -> tuple[Any, ...]:
        saved = self.get_state() if self._conversation else None
        return _rebuild, (type(self), self._arguments, self.spec, self._tasks.stream.state, saved)


def _rebuild(
    cls: type[SavableEnv[Any]],
    kwargs: dict[str, Any],
    spec: Any,
    stream: list[int],
    saved: dict[str, Any] | None,
) -> SavableEnv[Any]:
    env: SavableEnv[Any] = cls(**kwargs)
    env.spec = spec
    env._tasks.stream.state = stream
    if saved is not None:
        env.set_state(saved)
    return env


class _Shared(dict[str, Any]):
    """Arguments that `copy.deepcopy` copies shallowly."""

    def __deepcopy__(self, memo: dict[int, Any]) -> _Shared:
        return _Shared(self)


class LiveSpec(EnvSpec):
    """A spec with arguments that cannot be serialised."""

    def to_json(self) -> str:
        """Raise an error, because the spec cannot be saved.

        Raises:
            UsageError: Always. It names the argument.
        """
        name = next(name for name, value in self.kwargs.items() if _is_live(value))
        kind = type(self.kwargs[name]).__name__
        right = "the name of an importable object, as 'module:attribute'"
        if name == "dataset":
            right = "the path of a file with its rows"
        raise UsageError(
            f"the spec of {self.id} cannot be saved: its argument {name!r} is an object "
            f"({kind}); pass {right}"
        )


def live_spec(spec: EnvSpec) -> EnvSpec:
    """Return the spec; as a `LiveSpec` if an argument is a callable or another object.

    Example:
        >>> spec = live_spec(EnvSpec("demo/Echo-v0", kwargs={"judge": len}))
        >>> spec.to_json()
        Traceback (most recent call last):
        textgym.errors.UsageError: the spec of demo/Echo-v0 cannot be saved: its argument 'judge' \
is an object (builtin_function_or_method); pass the name of an importable object, as \
'module:attribute'
    """
    if not any(map(_is_live, spec.kwargs.values())):
        return spec
    values = {item.name: getattr(spec, item.name) for item in fields(spec) if item.init}
    return LiveSpec(**{**values, "kwargs": _Shared(spec.kwargs)})


def _is_live(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_is_live, value))
    return not isinstance(value, (str, int, float, dict, os.PathLike, type(None)))
