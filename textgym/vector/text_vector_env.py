"""`TextVectorEnv`, many text environments in one, stepped together or each as it is ready.

What always holds: no conversation is copied on its way; an action is taken once or not at all;
sub-environments that wait do so in threads, all at the same time, and the others run in the thread
of who calls `step` or `recv`; what one sub-environment does never changes what another one gives.
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

from textgym.env.live_spec import live_spec
from textgym.errors import BoundaryFailure, InvalidActionError, UnknownNameError, UsageError
from textgym.messages import Message
from textgym.spaces import ActionSpace, ConversationSpace
from textgym.vector.arguments import read_actions, read_mode, read_places, read_resets
from textgym.vector.calls import Calls, listed
from textgym.vector.infos import stack_infos
from textgym.vector.sub_env import Seat, Turn

__all__ = ["TextVectorEnv"]

Conversations = tuple[list[Message], ...]
Actions = Sequence[Message | str | None]
Stepped = tuple[Conversations, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]


class TextVectorEnv(VectorEnv[Conversations, Actions, np.ndarray]):
    """A vector of text environments.

    `gymnasium.make_vec("textgym/...", num_envs=N)` makes one. Observations are a tuple of
    conversations, actions a list of messages or texts, one for each sub-environment; None lets a
    sub-environment idle. All else is laid out as Gymnasium's own vectors do it.

    `send` and `recv` stand beside `step`: they take and give some of the sub-environments, so that
    whichever is ready moves on. `send` may be called from any thread, everything else from one.

    Args:
        env_fns: Functions that make the sub-environments. They may be different environments.
        autoreset_mode: When the episode after one that ended begins: `SameStep`, in the step that
            ends it; `NextStep`, in the next one, whose action is not used; `Disabled`, with
            `reset(options={"reset_mask": ...})`.
        failures: `raise`, or `nan`: what fails truncates its episode, with the reward NaN and
            `infos["failure"]`, and the others go on.
        retries: How often a failed reset or step is tried again before that.

    Raises:
        UsageError: An argument is none of those, or there is no sub-environment.

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
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        failures: str = "raise",
        retries: int = 2,
    ) -> None:
        mode = read_mode(autoreset_mode)
        if failures not in ("raise", "nan"):
            raise UnknownNameError(f"failures is 'raise' or 'nan', not {failures!r}")
        if not isinstance(retries, int) or retries < 0:
            raise UsageError(f"retries is a whole number of 0 or more, not {retries!r}")
        self._spec: EnvSpec | None = None
        self._seats: list[Seat] = []
        try:
            for env_fn in env_fns:
                self._seats.append(Seat(env_fn(), mode, retries, failures == "nan"))
            self._check_spaces()
        except BaseException:
            self._close_all()
            raise
        first = self.envs[0]
        self.num_envs = len(self._seats)
        self.metadata = {**first.metadata, "autoreset_mode": mode}
        self.render_mode = first.render_mode
        self.single_observation_space = first.observation_space
        self.single_action_space = first.action_space
        self.observation_space = batch_space(first.observation_space, self.num_envs)
        self.action_space = batch_space(first.action_space, self.num_envs)
        self._calls = Calls(self.num_envs)
        self._asked: list[Any] | None = None  # the actions of a step that is not finished
        self._resetting = False  # a reset is not finished

    def _check_spaces(self) -> None:
        if not self._seats:
            raise UsageError("a vector has one sub-environment or more: num_envs is 1 or more")
        for seat in self._seats:
            spaces = seat.env.observation_space, seat.env.action_space
            if not isinstance(spaces[0], ConversationSpace) or not isinstance(
                spaces[1], ActionSpace
            ):
                raise UsageError(
                    f"a TextVectorEnv holds environments that observe conversations and take "
                    f"messages, which {seat.id} does not: pass vectorization_mode='sync'"
                )

    @property
    def envs(self) -> list[gym.Env[Any, Any]]:
        """The sub-environments."""
        return [seat.env for seat in self._seats]

    @property
    def env_ids(self) -> tuple[str, ...]:
        """The ids of the sub-environments, in their order."""
        return tuple(seat.id for seat in self._seats)

    @property
    def spec(self) -> EnvSpec | None:
        """What Gymnasium makes the vector from; None where it was made otherwise."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        if spec and "autoreset_mode" in spec.kwargs:
            spec.kwargs["autoreset_mode"] = self._mode.value  # which a text can hold
        self._spec = spec and live_spec(spec)

    # Together.

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Conversations, dict[str, Any]]:
        """Begin an episode in every sub-environment, or in those of a mask.

        Args:
            seed: The first sub-environment's, the next one's is higher by one; or one for each,
                as a list, in which None goes on without.
            options: `reset_mask`, an array of bool, tells which are reset; the others keep the
                observation that they had, an empty one before their first episode. `index` is the
                index of a task for all, or an array of one for each; `task` likewise a row, or a
                list. What else there is goes to all.

        Returns:
            The conversations, and the infos of those that were reset.

        Raises:
            UsageError: What was asked for cannot be.
            BoundaryFailure: A reset failed, and failures are raised.
        """
        self._must_be_open()
        resets = read_resets(seed, options, self.num_envs)
        if len(resets) == self.num_envs:
            self._calls.drop_all()
            self._asked, self._resetting = None, False
        self._must_be_finished()
        self._calls.must_be_free(resets)
        seats = self._seats
        self._calls.begin(
            (place, functools.partial(seats[place].reset, *asked), seats[place].reset_waits)
            for place, asked in resets.items()
        )
        self._resetting = True
        self._calls.run(lambda: not self._calls.under_way(resets))
        self._resetting = False
        turns = self._calls.take(resets)
        self._raise_error(resets)
        infos = [turns[place][4] if place in turns else None for place in range(self.num_envs)]
        observations = (seat.observation for seat in self._seats)
        return tuple([] if seen is None else seen for seen in observations), stack_infos(infos)

    def step(self, actions: Actions) -> Stepped:
        """Take an action in every sub-environment.

        Where a step failed and was raised, the others have been stepped: the same actions can be
        stepped again, and are taken where they failed.

        Args:
            actions: One for each; a sub-environment whose action is None idles.

        Raises:
            InvalidActionError: One of them is neither a message nor a text nor None; none is taken.
            UsageError: There are more or fewer, or an episode has ended and must be reset.
            BoundaryFailure: A step failed, and failures are raised.
        """
        self._must_be_open()
        asked = read_actions(actions, self.num_envs, self.single_action_space)
        places = range(self.num_envs)
        if self._asked != asked:
            self._must_be_finished()
            self._calls.must_be_free(places)
            self._must_be_running(places, asked)
            self._asked = asked
        self._begin_steps(places, asked)
        self._calls.run(lambda: not self._calls.under_way())
        self._raise_error(places)
        self._asked = None
        return _batch(list(self._calls.take(places).values()))

    # Each as it is ready.

    def send(self, actions: Actions, env_id: Sequence[int] | np.ndarray | None = None) -> None:
        """Give actions to some sub-environments; `recv` gives what they lead to.

        Args:
            actions: One for each that is named.
            env_id: Which sub-environments, by number; None names all.

        Raises:
            InvalidActionError: One of the actions is neither a message nor a text.
            UsageError: One of the sub-environments is still under way, or has ended.
        """
        self._must_be_open()
        places = read_places(env_id, self.num_envs)
        asked = read_actions(actions, len(places), self.single_action_space)
        if any(action is None for action in asked):
            raise InvalidActionError("None is no action here: do not send to who shall idle")
        self._must_be_finished()
        with self._calls.lock:
            self._calls.must_be_free(places)
            self._must_be_running(places, asked)
            self._begin_steps(places, asked)

    def recv(self, batch_size: int = 1, timeout: float | None = None) -> Stepped:
        """Return what is ready, as soon as it is so many or nothing else is under way.

        Args:
            batch_size: How many sub-environments to wait for; more are given where they are ready.
            timeout: So many seconds it waits, for what other threads may yet send too, and then
                gives what there is; None waits for what has been sent.

        Returns:
            What `step` returns, but only of the sub-environments whose numbers are in
            `infos["env_id"]`.

        Raises:
            UsageError: Nothing was sent, and no timeout is given.
            BoundaryFailure: A step failed, and failures are raised. `env_id` tells where; the same
                action can be sent again, and what else is ready stays so.
        """
        self._must_be_open()
        self._must_be_finished()
        calls = self._calls
        if timeout is None and not (calls.under_way() or calls.ready() or calls.failed()):
            raise UsageError("nothing is under way: send actions first, or wait with a timeout")

        def enough() -> bool:
            waited = timeout is None and not calls.under_way()
            return waited or len(calls.ready()) + len(calls.failed()) >= batch_size

        calls.run(enough, timeout)
        self._raise_error(calls.failed()[:1])
        turns = calls.take(calls.ready())
        stepped = _batch(list(turns.values()))
        stepped[4]["env_id"] = np.array(list(turns), dtype=np.int64)
        return stepped

    # What is told of all, as Gymnasium's own vectors do it.

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
        """Return what a method of each sub-environment returns, or an attribute's value."""
        found = [env.get_wrapper_attr(name) for env in self.envs]
        return tuple(item(*args, **kwargs) if callable(item) else item for item in found)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of each sub-environment."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of the sub-environments: of a list or tuple one each, else the same.

        Raises:
            UsageError: The list is longer or shorter.
        """
        each = values if isinstance(values, (list, tuple)) else [values] * self.num_envs
        if len(each) != self.num_envs:
            raise UsageError(f"{self.num_envs} sub-environments take as many values: {len(each)}")
        for env, value in zip(self.envs, each, strict=True):
            env.set_wrapper_attr(name, value)

    def close_extras(self, **kwargs: Any) -> None:
        """Wait for what is under way, and close the sub-environments."""
        self.closed = True  # even where one of them cannot be closed
        try:
            self._calls.close()
        finally:
            self._close_all()

    # How it works.

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the threads, which no copy can have; nothing may be under way."""
        self._must_be_finished()
        self._calls.must_be_free(range(self.num_envs))
        return {name: value for name, value in vars(self).items() if name != "_calls"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._calls = Calls(self.num_envs)

    def _close_all(self) -> None:
        """Close each sub-environment, and then raise what the first of them raised."""
        with contextlib.ExitStack() as stack:
            for env in reversed(self.envs):
                stack.callback(env.close)

    def _begin_steps(self, places: Iterable[int], actions: Iterable[Any]) -> None:
        told = zip(map(self._seats.__getitem__, places), places, actions, strict=True)
        self._calls.begin(
            (place, functools.partial(seat.step, action), seat.step_waits)
            for seat, place, action in told
        )

    def _raise_error(self, places: Iterable[int]) -> None:
        """Raise the first error of some sub-environments; the others are tried again too."""
        for place, error in self._calls.take_errors(places).items():
            if isinstance(error, BoundaryFailure):
                error.env_id = place
            error.add_note(f"in sub-environment {place}, {self._seats[place].id}")
            raise error

    @property
    def _mode(self) -> AutoresetMode:
        mode: AutoresetMode = self.metadata["autoreset_mode"]
        return mode

    def _must_be_open(self) -> None:
        if self.closed:
            raise UsageError("the vector is closed: make another one")

    def _must_be_finished(self) -> None:
        if self._resetting:
            raise UsageError("a reset was interrupted: reset all")
        if self._asked is not None:
            raise UsageError("a step has failed: step the same actions again, or reset all")

    def _must_be_running(self, places: Sequence[int], actions: Sequence[Any]) -> None:
        seats = [self._seats[place] for place in places]
        if any(seat.observation is None for seat in seats):
            raise UsageError("there is no episode yet: call reset first")
        if self._mode is not AutoresetMode.DISABLED:
            return
        told = zip(places, seats, actions, strict=True)
        ended = [place for place, seat, action in told if seat.ended and action is not None]
        if ended:
            raise UsageError(
                f"the episodes of sub-environments {listed(ended)} have ended: reset them with "
                "options={'reset_mask': ...}, or let them idle with the action None"
            )


def _batch(turns: Sequence[Turn]) -> Stepped:
    return (
        tuple(turn[0] for turn in turns),
        np.array([turn[1] for turn in turns], dtype=np.float64),
        np.array([turn[2] for turn in turns], dtype=np.bool_),
        np.array([turn[3] for turn in turns], dtype=np.bool_),
        stack_infos([turn[4] for turn in turns]),
    )
