"""A match: one game, whose seats are played by policies, with a trajectory for each seat.

An environment with seats has a method `seats(index)`, which returns an environment for each seat of
a task's game, and a table with `leave(seat, why)` and `end()`. In these environments, `reset` and
`step` wait for the other seats.

Invariants: each seat is played like any other episode; a seat that fails or is cut ends the match
for the others, which is a failure for them and no reward.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import gymnasium as gym

from textgym.concurrency.calls import CallThreads
from textgym.errors import UsageError
from textgym.layers import wrappers_around
from textgym.policies import Policy, make_policy
from textgym.provenance import env_name, kwargs_from_spec, recorded_kwargs
from textgym.rollouts.engine import RETRIES
from textgym.rollouts.env_pool import PooledEnv, check_minimum
from textgym.rollouts.episode import Job, play
from textgym.rollouts.recorder import RunLog
from textgym.trajectories.schema import Trajectory

__all__ = ["play_match"]

_PLAIN = (gym.wrappers.OrderEnforcing, gym.wrappers.PassiveEnvChecker, gym.wrappers.TimeLimit)


async def play_match(
    env: gym.Env[Any, Any],
    policies: Sequence[str | Policy],
    *,
    index: int = 0,
    repeat: int = 0,
    seed: int = 0,
) -> list[Trajectory]:
    """Play a game in which each seat has a policy, and return a trajectory for each seat.

    Args:
        env: An environment with seats, such as `textarena/TicTacToe-v0`. It says which game is
            played with which arguments; its own episode is not changed.
        policies: A policy for each seat, or the spec of one. Equal specs are one policy, as in
            self-play. A policy made from a spec is closed at the end.
        index: The index of the task, which has the game's seed.
        repeat: As in `play_episode`.
        seed: As in `play_episode`.

    Raises:
        UsageError: The environment has no seats, or wrappers, or another number of seats; or a
            policy cannot play it.

    Example:
        With TextArena installed, two random players play a game:

            env = gymnasium.make("textarena/TicTacToe-v0")
            won, lost = asyncio.run(textgym.play_match(env, ["random", "random"]))

        >>> import asyncio, gymnasium, textgym
        >>> asyncio.run(play_match(gymnasium.make("textgym/MCQA-v0"), ["oracle"]))
        Traceback (most recent call last):
        textgym.errors.UsageError: textgym/MCQA-v0 has no seats: play_match needs a game for \
several players, such as textarena/TicTacToe-v0
    """
    check_minimum(0, index=index, repeat=repeat)
    if any(not isinstance(wrapper, _PLAIN) for wrapper in wrappers_around(env)):
        raise UsageError("play_match plays an environment without wrappers: pass env.unwrapped")
    if not hasattr(env.unwrapped, "seats"):
        raise UsageError(
            f"{env_name(env)} has no seats: play_match needs a game for several players, such as "
            "textarena/TicTacToe-v0"
        )
    kwargs = kwargs_from_spec(env)
    made = {spec: make_policy(spec) for spec in policies if isinstance(spec, str)}
    players = [made[player] if isinstance(player, str) else player for player in policies]
    try:
        async with CallThreads(max(1, len(players))) as threads:
            envs, table = await threads.run(lambda: env.unwrapped.seats(index))  # type: ignore[attr-defined]
            try:
                if len(envs) != len(players):
                    raise UsageError(f"the game has {len(envs)} seats, not {len(players)}")
                # Bound before a seat plays, because a policy that does not fit raises here.
                bound = [player.for_env(env) for player, env in zip(players, envs, strict=True)]

                async def play_seat(seat: int) -> Trajectory:
                    its_kwargs = recorded_kwargs({**kwargs, "seat": seat})
                    job = Job(env_name(env), its_kwargs, index, repeat, seed)
                    pooled, why = PooledEnv(None, envs[seat]), "it was cancelled"
                    try:
                        trajectory = await play(pooled, bound[seat], job, RETRIES, threads)
                        failure = trajectory["failure"]
                        why = failure["message"] if failure else "it was cut"
                        return trajectory
                    finally:
                        table.leave(seat, why)

                return [*await asyncio.gather(*map(play_seat, range(len(players))))]
            finally:
                table.end()
    finally:
        for policy in made.values():
            await RunLog().close_policy(policy)
