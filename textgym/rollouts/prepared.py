"""A rollout in two steps: arguments are checked and environments made; then a policy plays.

Loading the policy in between can take minutes, so wrong arguments are reported before it.

Invariants: every planned episode is recorded exactly once, in this run or in a run that resumes it;
a trajectory is stored before anything else happens to it; one failed episode never ends a run, and
a run in which every episode fails is stopped early.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textgym._version import __version__
from textgym.curricula import Curriculum, read_curriculum
from textgym.errors import RunError, UsageError
from textgym.metrics.run_index import Key
from textgym.policies import Policy
from textgym.provenance import provenance
from textgym.rollouts.comparisons import GroupReward
from textgym.rollouts.env_pool import EnvPool, Envs, EnvSet, check_minimum, with_test_split
from textgym.rollouts.episode import Job, SamePromptCheck
from textgym.rollouts.group_rewards import GroupRewards
from textgym.rollouts.merging import refresh_run
from textgym.rollouts.plan import (
    GivenTasks,
    PlannedTasks,
    list_jobs,
    plan_tasks,
    read_completed,
    remaining,
    unfinished,
)
from textgym.rollouts.recorder import RunLog, RunRecorder
from textgym.rollouts.schedule import (
    CurriculumSchedule,
    LeasedSchedule,
    PoolSchedule,
    Schedule,
)
from textgym.rollouts.work import Work
from textgym.rollouts.workers import play_all
from textgym.task_pool import TaskPool
from textgym.trajectories.run import Run
from textgym.trajectories.run_folder import RunFolder, refuse_used_folder
from textgym.trajectories.schema import SCHEMA_VERSION, Trajectory
from textgym.trajectories.shards import Shard
from textgym.trajectories.task_identity import digests_of, with_unchanged_data
from textgym.wrappers.specs import WrapperSpec

if TYPE_CHECKING:
    from textgym.rollouts.progress import RunProgress

__all__ = ["PreparedRollout"]

PlayJobs = Callable[
    [Schedule, int, Callable[[Trajectory], bool], SamePromptCheck | None], Awaitable[None]
]


class PreparedRollout:
    """A rollout with checked arguments, ready to be played by a policy.

    Use it as a context manager, which closes the environments. The arguments are as in `rollout`,
    with registered ids; with `work`, several workers play the run, and `out` is its segment.

    Raises:
        UsageError: An argument is invalid.
        RunError: `out` cannot be used.

    Attributes:
        log: Logs failures.
    """

    def __init__(
        self,
        envs: Envs,
        *,
        episodes: int | None = None,
        tasks: GivenTasks | None = None,
        repeats: int = 1,
        start: int = 0,
        concurrency: int = 64,
        env_concurrency: Mapping[str, int] | None = None,
        seed: int = 0,
        out: str | Path | None = None,
        resume: bool = False,
        retries: int = 2,
        env_kwargs: Mapping[str, Any] | None = None,
        wrappers: Sequence[WrapperSpec] = (),
        curriculum: Curriculum | None = None,
        group_reward: str | GroupReward | None = None,
        shard: tuple[int, int] | None = None,
        work: Work | None = None,
    ) -> None:
        check_minimum(1, repeats=repeats, concurrency=concurrency)
        check_minimum(0, retries=retries, start=start)
        self._new_groups: Callable[[], GroupRewards] | None = None
        if group_reward is not None:
            self._new_groups = partial(GroupRewards, group_reward, repeats, retries)
            self._new_groups()  # checks the arguments
        if resume and out is None:
            raise RunError("resume needs the folder of the run: pass out")
        if out is not None and not resume:
            refuse_used_folder(out)
        self._curriculum = read_curriculum(
            curriculum, num_envs=len(envs) if isinstance(envs, Mapping) else 1
        )
        self._shard = None if shard is None else Shard.read(shard)
        if (self._shard or work) and self._curriculum:
            raise UsageError(
                "a curriculum draws tasks by the results of the whole run, which has no shards: "
                "leave out shard or curriculum"
            )
        self._work = work
        self._episodes, self._start, self._has_given_tasks = episodes, start, tasks is not None
        self._repeats, self._seed, self._out, self._resume = repeats, seed, out, resume
        self._concurrency, self._retries = concurrency, retries
        self.log = RunLog()
        kwargs = with_test_split(envs, env_kwargs or {})
        self._envs = EnvSet(envs, kwargs, wrappers, env_concurrency or {}, self.log)
        self._pool = EnvPool(self.log)
        try:
            # The samples play too. They keep the shared data sets loaded until the end of the run.
            for env_id, env in self._envs.samples.items():
                self._pool.add(env_id, env)
            self._whole_plan = plan_tasks(
                self._envs.samples,
                self._envs.weights,
                episodes,
                tasks,
                start,
                self._curriculum,
            )
            self._plan = _part_of(self._whole_plan, self._shard)
            self._digests = digests_of(self._envs.samples)
        except BaseException:
            self.close()
            raise

    async def play(
        self,
        policy: Policy,
        *,
        progress: bool = False,
        on_start: Callable[[int], None] | None = None,
        on_episode: Callable[[Trajectory], None] | None = None,
        play_jobs: PlayJobs | None = None,
    ) -> Run:
        """Play the rollout once and return the run; the arguments are as in `rollout`.

        With `play_jobs`, other processes play, and `policy` stands for theirs.

        Raises:
            UsageError: The policy cannot play an environment.
            RunError: The folder cannot be used.
        """
        config = self.config(policy)
        if self._out is not None and self._resume:
            refresh_run(self._out)
        with contextlib.ExitStack() as stack:
            folder = RunFolder(self._out, config, self._resume) if self._out is not None else None
            if folder:
                stack.callback(folder.close)
            if folder and self._work:
                stack.callback(self._work.end)
                self._work.begin(config, folder.flush)
            starts = [on_start] if on_start else []
            takers = [on_episode] if on_episode else []
            if self._curriculum:
                takers = [self._add_result, *takers]
            if self._work:
                takers = [self._work.count, *takers]
            if progress:
                bar = stack.enter_context(_progress_bar())
                starts, takers = [bar.begin, *starts], [bar.count, *takers]
            rows = {env_id: tasks.rows for env_id, tasks in self._plan.items() if tasks.rows}
            recorder = RunRecorder(folder, self.num_episodes, self._digests, rows, takers)
            check_prompt = SamePromptCheck(self._repeats) if self._repeats > 1 else None
            completed: set[Key] = set()
            if folder and self._resume:
                completed = self._restore(folder, recorder, check_prompt)
            schedule: Schedule | None = None
            if not self._work:
                schedule = self._schedule(completed, has_jobs=recorder.remaining != 0)
            for begin in starts:
                begin(recorder.remaining)
            play_jobs = play_jobs or partial(self.play_jobs, policy)
            try:
                if self._work:
                    schedule = await self._leased(self._work)
                while schedule:
                    workers = min(self._concurrency, recorder.remaining)
                    await play_jobs(schedule, workers, recorder.add, check_prompt)
                    schedule = None
                    if self._work and not recorder.stopped_early:
                        schedule = await self._leased(self._work)
            except BaseException:
                with contextlib.suppress(RunError):
                    recorder.finish()
                raise
            return recorder.finish()

    async def play_jobs(
        self,
        policy: Policy,
        schedule: Schedule,
        workers: int,
        on_episode: Callable[[Trajectory], bool],
        check_prompt: SamePromptCheck | None,
    ) -> None:
        """Play the jobs of a schedule in this process; the arguments are as in `play_all`."""
        await play_all(
            schedule,
            self._pool,
            with_unchanged_data(self._envs.env_fns, self._digests),
            policy,
            workers,
            self._retries,
            on_episode,
            self.log,
            check_prompt,
            self._new_groups() if self._new_groups else None,
        )

    @property
    def num_tasks(self) -> int:
        """How many tasks are played."""
        if self._curriculum and self._episodes:
            return self._episodes
        return sum(map(len, self._plan.values()))

    @property
    def num_episodes(self) -> int:
        """How many episodes the run has."""
        return self.num_tasks * self._repeats

    @property
    def env_ids(self) -> tuple[str, ...]:
        """The ids of the environments."""
        return tuple(self._plan)

    def config(self, policy: Policy) -> dict[str, Any]:
        """Return what `run.json` holds of a run with a policy.

        Raises:
            UsageError: The policy cannot play an environment.
        """
        for env in self._envs.samples.values():
            policy.for_env(env)
        tasks = self._whole_plan if self._has_given_tasks else {}
        given_tasks = {env_id: planned.as_given() for env_id, planned in tasks.items()}
        return {
            "version": SCHEMA_VERSION,
            "textgym": __version__,
            "envs": self._envs.recorded_envs(),
            "env_kwargs": self._envs.recorded_kwargs(),
            **provenance(self._envs.samples, self._envs.functions),
            **({"data": self._digests} if self._digests else {}),
            "policy": policy.name,
            "sampling": policy.sampling.as_dict() if policy.sampling else None,
            "episodes": self._episodes,
            "start": self._start,
            "tasks": {
                env_id: None if self._curriculum else len(tasks)
                for env_id, tasks in self._whole_plan.items()
            },
            **({"curriculum": self._curriculum.as_dict()} if self._curriculum else {}),
            **({"given_tasks": given_tasks} if self._has_given_tasks else {}),
            "repeats": self._repeats,
            **({"group_reward": self._new_groups().name} if self._new_groups else {}),
            "seed": self._seed,
            **({"shard": list(self._shard)} if self._shard else {}),
        }

    def _restore(
        self, folder: RunFolder, recorder: RunRecorder, check_prompt: SamePromptCheck | None
    ) -> set[Key]:
        """Count the episodes in the folder, and return their keys."""
        index, completed = read_completed(
            folder, self._plan, self._repeats, self._seed, whole_groups=self._new_groups is not None
        )
        if self._curriculum:
            for entry, _ in index.entries():
                self._curriculum.add(entry.env_id, bool(entry.success), entry.task_index)
        recorder.add_completed(index.table)
        if check_prompt and recorder.remaining:
            for trajectory in unfinished(index, folder, self._repeats):
                check_prompt.add_completed(trajectory)
        return completed

    def _schedule(self, completed: set[Key], *, has_jobs: bool) -> Schedule:
        """Return the remaining episodes in order."""
        if isinstance(self._curriculum, TaskPool):
            return PoolSchedule(
                lambda id, index: remaining(
                    list_jobs(
                        id, PlannedTasks([index]), self._repeats, self._seed, self._envs.kwargs[id]
                    ),
                    completed,
                ),
                self._plan,
                self._envs.limits,
                self._curriculum,
                self._envs.weights,
                self._seed,
                self.num_tasks,
                completed,
            )
        jobs = {}
        for env_id, tasks in self._plan.items():
            kwargs = self._envs.kwargs[env_id]
            planned = (
                list_jobs(env_id, tasks, self._repeats, self._seed, kwargs) if has_jobs else ()
            )
            jobs[env_id] = remaining(planned, completed)
        if not self._curriculum:
            return Schedule(jobs, self._plan, self._envs.limits)
        return CurriculumSchedule(
            jobs,
            self._plan,
            self._envs.limits,
            self._curriculum,
            self._envs.weights,
            self._seed,
            self.num_tasks,
            completed,
        )

    async def _leased(self, work: Work) -> Schedule | None:
        """Wait for a block, and return a schedule; None if all blocks are finished."""
        if not await work.wait():
            return None
        return LeasedSchedule(partial(self._next_block, work), self._plan)

    def _next_block(self, work: Work) -> dict[str, Iterator[Job]] | None:
        """Lease a block, and return its remaining episodes; None if there is none now."""
        lease = work.lease()
        if lease is None:
            return None
        tasks = _part_of(self._plan, Shard(lease.block + 1, work.plan.blocks))
        completed = work.completed(lease)
        jobs = {}
        for env_id, planned in tasks.items():
            kwargs = self._envs.kwargs[env_id]
            of_env = list_jobs(env_id, planned, self._repeats, self._seed, kwargs)
            jobs[env_id] = list(remaining(of_env, completed))
        keys = [(job.env_id, job.task_index, job.repeat) for job in chain(*jobs.values())]
        work.expect(lease.block, keys)
        return {env_id: iter(of_env) for env_id, of_env in jobs.items()}

    def _add_result(self, trajectory: Trajectory) -> None:
        """Add the result of an episode to the curriculum, unless the episode failed."""
        if self._curriculum and trajectory["is_success"] is not None:
            self._curriculum.add(
                trajectory["env_id"], trajectory["is_success"], trajectory["task_index"]
            )

    def close(self) -> None:
        """Close the environments."""
        self._pool.close()

    def __enter__(self) -> PreparedRollout:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _part_of(plan: dict[str, PlannedTasks], shard: Shard | None) -> dict[str, PlannedTasks]:
    """Return the tasks of a shard; all tasks without one."""
    if shard is None:
        return plan
    positions = shard.tasks_of({env_id: len(tasks) for env_id, tasks in plan.items()})
    return {env_id: tasks.select(positions[env_id]) for env_id, tasks in plan.items()}


def _progress_bar() -> RunProgress:
    from rich.console import Console  # rich is only imported for a bar

    from textgym.rollouts.progress import RunProgress

    return RunProgress(Console(stderr=True))
