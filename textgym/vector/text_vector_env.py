"""`TextVectorEnv`: many text environments, stepped together or each as soon as it is ready.

Invariants: no conversation is copied; an action is taken once or not at all; calls that may block
run concurrently in threads, all others in the thread that calls `step` or `recv`; a sub-environment
never affects what another one returns.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from textgym.core.saving import live_spec
from textgym.errors import BoundaryFailure, InvalidActionError, UnknownNameError, UsageError
from textgym.messages import Message
from textgym.spaces import ActionSpace, ConversationSpace
from textgym.vector.batches import (
    parse_actions,
    parse_autoreset_mode,
    parse_env_id,
    parse_reset,
    stack_infos,
    stack_results,
)
from textgym.vector.sub_envs import PendingCalls, SubEnv, shorten

__all__ = ["TextVectorEnv"]

Conversations = tuple[list[Message], ...]
Actions = Sequence[Message | str | None]
Stepped = tuple[Conversations, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]


class TextVectorEnv(VectorEnv[Conversations, Actions, np.ndarray]):
    """A vector of text environments.

    `gymnasium.make_vec("textgym/...", num_envs=N)` makes one. Observations are a tuple of
    conversations, and actions a list of messages or strings, one for each sub-environment; None
    lets a sub-environment idle. Rewards, flags and infos are laid out as in Gymnasium's vectors.

    `send` and `recv` are an alternative to `step` for some of the sub-environments, so that each
    continues as soon as it is ready. `send` may be called from any thread, everything else from one
    thread.

    Args:
        env_fns: Functions that make the sub-environments, which may be different environments.
        env_ids: The name of each sub-environment; None stands for the id of its spec.
        autoreset_mode: When the next episode begins: `SameStep`, in the step that ends an episode;
            `NextStep`, in the following step, whose action is ignored; `Disabled`, with
            `reset(options={"reset_mask": ...})`.
        failures: `raise`, or `nan`: a failure truncates its episode with the reward NaN and
            `infos["failure"]`, and the other episodes continue.
        retries: How often a failed reset or step is retried first.

    Raises:
        UsageError: An argument is invalid, or there is no sub-environment.

    Example:
        >>> import gymnasium, textgym
        >>> envs = gymnasium.make_vec("textgym/GuessNumber-v0", num_envs=2, level=1)
        >>> observations, infos = envs.reset(seed=7)
        >>> observations, rewards, terminated, truncated, infos = envs.step(["2", "2"])
        >>> [conversation[-1]["content"] for conversation in observations], rewards.tolist()
        (['lower', 'lower'], [0.0, 0.0])
        >>> envs.close()
    """

    def __init__(
        self,
        env_fns: Iterable[Callable[[], gym.Env[Any, Any]]],
        *,
        env_ids: Iterable[str | None] | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        failures: str = "raise",
        retries: int = 2,
    ) -> None:
        mode = parse_autoreset_mode(autoreset_mode)
        if failures not in ("raise", "nan"):
            raise UnknownNameError(f"failures must be 'raise' or 'nan', not {failures!r}")
        if not isinstance(retries, int) or retries < 0:
            raise UsageError(f"retries must be an int of 0 or more, not {retries!r}")
        self._spec: EnvSpec | None = None
        self._sub_envs: list[SubEnv] = []
        names = iter(env_ids or ())
        try:
            for env_fn in env_fns:
                sub_env = SubEnv(env_fn(), mode, retries, failures == "nan")
                sub_env.id = next(names, None) or sub_env.id
                self._sub_envs.append(sub_env)
            self._check_spaces()
        except BaseException:
            self._close_all()
            raise
        first = self.envs[0]
        self.num_envs = len(self._sub_envs)
        self.metadata = {**first.metadata, "autoreset_mode": mode}
        self.render_mode = first.render_mode
        self.single_observation_space = first.observation_space
        self.single_action_space = first.action_space
        self.observation_space = batch_space(first.observation_space, self.num_envs)
        self.action_space = batch_space(first.action_space, self.num_envs)
        self._calls = PendingCalls(self.num_envs)
        self._unfinished_step: list[Any] | None = None  # its actions
        self._has_unfinished_reset = False

    def _check_spaces(self) -> None:
        if not self._sub_envs:
            raise UsageError("a vector needs a sub-environment: num_envs must be 1 or more")
        for sub_env in self._sub_envs:
            spaces = sub_env.env.observation_space, sub_env.env.action_space
            if not isinstance(spaces[0], ConversationSpace) or not isinstance(
                spaces[1], ActionSpace
            ):
                raise UsageError(
                    f"a TextVectorEnv needs environments with conversations as observations and "
                    f"messages as actions, and {sub_env.id} has others: pass "
                    "vectorization_mode='sync'"
                )

    @property
    def envs(self) -> list[gym.Env[Any, Any]]:
        """The sub-environments."""
        return [sub_env.env for sub_env in self._sub_envs]

    @property
    def env_ids(self) -> tuple[str, ...]:
        """The ids of the sub-environments, in order."""
        return tuple(sub_env.id for sub_env in self._sub_envs)

    @property
    def spec(self) -> EnvSpec | None:
        """The spec of a vector that Gymnasium made; otherwise None."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        if spec and "autoreset_mode" in spec.kwargs:
            spec.kwargs["autoreset_mode"] = self._mode.value  # a string can be saved
        self._spec = spec and live_spec(spec)

    # All sub-environments together.

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Conversations, dict[str, Any]]:
        """Begin an episode in every sub-environment, or in the sub-environments of a mask.

        Args:
            seed: The seed of the first sub-environment, which is increased by one for each next
                one; or a list with one seed each, in which None does not seed.
            options: `reset_mask`, a boolean array, selects the sub-environments to reset; the
                others keep their last observation, which is empty before their first episode.
                `index`, `level` and `task` select tasks as in `TextEnv.reset`: one value for all,
                or an array or list with one each. All other options are passed to all.

        Returns:
            The conversations, and the infos of the sub-environments that were reset.

        Raises:
            UsageError: An argument is invalid.
            BoundaryFailure: A reset failed, and failures are raised.
        """
        self._check_open()
        resets = parse_reset(seed, options, self.num_envs)
        if len(resets) == self.num_envs:
            self._calls.discard_all()
            self._unfinished_step, self._has_unfinished_reset = None, False
        self._check_finished()
        self._calls.check_idle(resets)
        calls = []
        for index, arguments in resets.items():
            sub_env = self._sub_envs[index]
            reset = functools.partial(sub_env.reset, *arguments)
            calls.append((index, reset, sub_env.reset_may_block))
        self._calls.submit(calls)
        self._has_unfinished_reset = True
        self._calls.run(lambda: not self._calls.is_running(resets))
        self._has_unfinished_reset = False
        results = self._calls.take(resets)
        self._raise_error(resets)
        infos = [results[index][4] if index in results else None for index in range(self.num_envs)]
        observations = (sub_env.observation for sub_env in self._sub_envs)
        return tuple([] if last is None else last for last in observations), stack_infos(infos)

    def step(self, actions: Actions) -> Stepped:
        """Take an action in every sub-environment.

        If a step fails and is raised, the other sub-environments have been stepped: call `step`
        again with the same actions, which repeats only the steps that failed.

        Args:
            actions: One for each sub-environment; None lets it idle.

        Raises:
            InvalidActionError: An action is not a message, a string or None; none is taken.
            UsageError: There are more or fewer actions, or an episode has ended and must be reset.
            BoundaryFailure: A step failed, and failures are raised.
        """
        self._check_open()
        parsed = parse_actions(actions, self.num_envs, self.single_action_space)
        indices = range(self.num_envs)
        if self._unfinished_step != parsed:
            self._check_finished()
            self._calls.check_idle(indices)
            self._check_episodes(indices, parsed)
            self._unfinished_step = parsed
        self._submit_steps(indices, parsed)
        self._calls.run(lambda: not self._calls.is_running())
        self._raise_error(indices)
        self._unfinished_step = None
        return stack_results(list(self._calls.take(indices).values()))

    # Each sub-environment as soon as it is ready.

    def send(self, actions: Actions, env_id: Sequence[int] | np.ndarray | None = None) -> None:
        """Send actions to some sub-environments; `recv` returns the results.

        Args:
            actions: One for each sub-environment in `env_id`.
            env_id: The indices of the sub-environments; None for all of them.

        Raises:
            InvalidActionError: An action is neither a message nor a string.
            UsageError: A sub-environment is still running, or its episode has ended.
        """
        self._check_open()
        indices = parse_env_id(env_id, self.num_envs)
        parsed = parse_actions(actions, len(indices), self.single_action_space)
        if any(action is None for action in parsed):
            raise InvalidActionError("None is not an action of send: leave out idle ones")
        self._check_finished()
        with self._calls.lock:
            self._calls.check_idle(indices)
            self._check_episodes(indices, parsed)
            self._submit_steps(indices, parsed)

    def recv(self, batch_size: int = 1, timeout: float | None = None) -> Stepped:
        """Return the results that are ready, once there are enough or nothing else is running.

        Args:
            batch_size: How many sub-environments to wait for; all that are ready are returned.
            timeout: How many seconds to wait, including for actions that other threads may send.
                Then the ready results are returned. None waits for the actions sent so far.

        Returns:
            What `step` returns, for the sub-environments whose indices are in `infos["env_id"]`.

        Raises:
            UsageError: Nothing was sent, and there is no timeout.
            BoundaryFailure: A step failed, and failures are raised. Its `env_id` is the index of
                the sub-environment. The same action can be sent again; other results stay ready.
        """
        self._check_open()
        self._check_finished()
        calls = self._calls
        if timeout is None and not (calls.is_running() or calls.ready() or calls.failed()):
            raise UsageError("nothing is running: send actions first, or wait with a timeout")

        def is_enough() -> bool:
            all_finished = timeout is None and not calls.is_running()
            return all_finished or len(calls.ready()) + len(calls.failed()) >= batch_size

        calls.run(is_enough, timeout)
        self._raise_error(calls.failed()[:1])
        results = calls.take(calls.ready())
        batch = stack_results(list(results.values()))
        batch[4]["env_id"] = np.array(list(results), dtype=np.int64)
        return batch

    # Attributes and methods of all sub-environments, as in Gymnasium's own vectors.

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The random generators of the sub-environments."""
        return self.get_attr("np_random")

    @property
    def np_random_seed(self) -> tuple[int | None, ...]:  # type: ignore[override]
        """The seeds of the sub-environments."""
        return self.get_attr("np_random_seed")

    def render(self) -> tuple[Any, ...]:
        """Return what each sub-environment renders."""
        return tuple(env.render() for env in self.envs)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of each sub-environment and return the results, or return an attribute."""
        values = [env.get_wrapper_attr(name) for env in self.envs]
        return tuple(value(*args, **kwargs) if callable(value) else value for value in values)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of each sub-environment."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of each sub-environment.

        Args:
            name: The name of the attribute.
            values: A list or tuple with one value each, or one value for all.

        Raises:
            UsageError: The lengths of the list and the vector differ.
        """
        each = values if isinstance(values, (list, tuple)) else [values] * self.num_envs
        if len(each) != self.num_envs:
            raise UsageError(
                f"{self.num_envs} sub-environments need {self.num_envs} values, not {len(each)}"
            )
        for env, value in zip(self.envs, each, strict=True):
            env.set_wrapper_attr(name, value)

    def close_extras(self, **kwargs: Any) -> None:
        """Wait for the calls that are running, and close the sub-environments."""
        self.closed = True  # even if a sub-environment cannot be closed
        try:
            self._calls.close()
        finally:
            self._close_all()

    # Implementation.

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the threads, which cannot be copied; nothing may be running."""
        self._check_finished()
        self._calls.check_idle(range(self.num_envs))
        return {name: value for name, value in vars(self).items() if name != "_calls"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._calls = PendingCalls(self.num_envs)

    def _close_all(self) -> None:
        """Close all sub-environments, and then raise the first error, if any."""
        with contextlib.ExitStack() as stack:
            for env in reversed(self.envs):
                stack.callback(env.close)

    def _submit_steps(self, indices: Iterable[int], actions: Iterable[Any]) -> None:
        sub_envs = map(self._sub_envs.__getitem__, indices)
        self._calls.submit(
            (index, functools.partial(sub_env.step, action), sub_env.step_may_block)
            for index, sub_env, action in zip(indices, sub_envs, actions, strict=True)
        )

    def _raise_error(self, indices: Iterable[int]) -> None:
        """Raise the first error of some sub-environments; the same step retries all of them."""
        for index, error in self._calls.take_errors(indices).items():
            if isinstance(error, BoundaryFailure):
                error.env_id = index
            error.add_note(f"in sub-environment {index}, {self._sub_envs[index].id}")
            raise error

    @property
    def _mode(self) -> AutoresetMode:
        mode: AutoresetMode = self.metadata["autoreset_mode"]
        return mode

    def _check_open(self) -> None:
        if self.closed:
            raise UsageError("the vector is closed: make a new one")

    def _check_finished(self) -> None:
        if self._has_unfinished_reset:
            raise UsageError("a reset was interrupted: reset all")
        if self._unfinished_step is not None:
            raise UsageError("a step has failed: step the same actions again, or reset all")

    def _check_episodes(self, indices: Sequence[int], actions: Sequence[Any]) -> None:
        """Check that every sub-environment with an action has an episode that has not ended."""
        sub_envs = [self._sub_envs[index] for index in indices]
        if any(sub_env.observation is None for sub_env in sub_envs):
            raise UsageError("there is no episode yet: call reset first")
        if self._mode is not AutoresetMode.DISABLED:
            return
        triples = zip(indices, sub_envs, actions, strict=True)
        ended = [i for i, env, action in triples if env.ended and action is not None]
        if ended:
            raise UsageError(
                f"the episodes of sub-environments {shorten(ended)} have ended: reset them with "
                "options={'reset_mask': ...}, or let them idle with the action None"
            )
