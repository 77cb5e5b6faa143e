"""`Episodes`: data sets, `rollout_func` and reward functions for TRL's `GRPOTrainer`.

Invariants: the samples of a group are episodes of one task with one prompt; an episode that failed
is in no group, and the log counts it; rollout and trainer compute the same log probabilities;
figures, redrawing and errors are of the whole batch, and the same in all processes of a training
run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textgym.errors import UsageError
from textgym.mixtures import weights_of
from textgym.registry import registered_envs
from textgym.rollouts.env_pool import Envs, check_minimum
from textgym.rollouts.player import EpisodePlayer
from textgym.task_pool import TaskPool
from textgym.tasks.task import hash_int
from textgym.training.groups import drawn_tasks
from textgym.training.logprob_gap import LogprobGap
from textgym.training.tasks import TaskRef, check_no_split, list_tasks, shown_prompt
from textgym.training.trl.batch_tasks import drawn_instead, other_task, repeats_of
from textgym.training.trl.policies import (
    bound_of,
    check_plays_itself,
    compare_logprobs,
    policy_of,
    tokenizer_of,
)
from textgym.training.trl.resuming import check_checkpoints
from textgym.training.trl.rewards import (
    RewardFunc,
    check_has_rewards,
    has_signal,
    log_episodes,
    reward_functions,
    watch_payments,
)
from textgym.training.trl.samples import (
    FailureStreak,
    Sample,
    gather_samples,
    make_sample,
    rollout_output,
    task_of,
    trl_record,
    with_advantages,
)
from textgym.training.trl.trainer_log import Totals, log_lengths
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.task_identity import EpisodeKey
from textgym.wrappers.specs import WrapperSpec

if TYPE_CHECKING:
    from datasets import Dataset

__all__ = ["Episodes"]

_ON_SPLIT = ("error", "drop", "whole")
_CREDITS = ("episode", "turn")


class Episodes:
    """Episodes of environments for `GRPOTrainer`.

    `max_completion_length` limits each message, not the whole episode. The trainer's temperature
    may be any; penalties are refused, and `top_p`, `top_k` and `min_p` need `truncated_sampling`.

    Args:
        envs: An id, a mixture, or a function that makes an environment, as in `rollout`.
        env_kwargs: As in `rollout`, without `split`, which `dataset` takes.
        wrappers: As in `rollout`.
        rewards: The reward functions: `total` for the return of the episode; `environments` for a
            function for each environment, named by its id; or names of reward components, for a
            function for each. TRL adds them up with its `reward_weights`.
        on_split: What happens to an episode whose tokens are in several sequences, because the chat
            template or a wrapper changed earlier messages: `error`; `drop`, which leaves it out of
            its group and counts it; or `whole`, which trains on all its sequences and needs
            `EpisodesTrainer` instead of `GRPOTrainer`.
        credit: Whether a token has the advantage of its `episode`, or of its `turn`, which gets no
            credit for rewards before it; see `turn_advantages` in
            `textgym.trajectories.advantages`. `turn` needs `EpisodesTrainer` and
            `rewards="total"`.
        redraw: The maximum number of times that groups with equal rewards, from which nothing is
            learned, are replaced by groups of other tasks in the trainer's data set, of the same
            environment. The last replacements are kept. Logs still show the text of the replaced
            task. User-defined reward functions do not count.
        curriculum: A pool that draws the task of each group in training, and gets the results of
            all processes. The data set then only determines the number of groups, and logs show the
            text of its rows. `redraw` draws from the pool, too. Pass `PoolCheckpoints` in the
            trainer's `callbacks`, so that checkpoints have the pool.
        max_logprob_gap: The largest allowed difference between the log probabilities of rollout and
            training; None for 0.001 in float32, and 1 in other dtypes and in mixed precision.
        truncated_sampling: Whether `top_p`, `top_k` and `min_p` of the trainer may leave tokens
            out. The trainer computes the log probabilities of all tokens, so that importance ratios
            are not of the distribution that was sampled from. With vLLM, recorded log probabilities
            are larger then, and only smaller ones count in `max_logprob_gap`.
        max_episode_tokens: As in `EpisodePlayer`.
        concurrency: The maximum number of episodes that run at once.
        retries: How often a failed step or policy call is retried.

    Raises:
        UsageError: An argument is invalid.

    Attributes:
        reward_funcs: The reward functions.
        credit: Whether a token has the advantage of its episode, or of its turn.
        redraw: The maximum number of times that groups with equal rewards are replaced.
        curriculum: The pool that draws tasks; None for the tasks of the data set.
        trajectories: The episodes of the last batch.
        gap: The difference of log probabilities in the last batch of training.

    Example:
        >>> episodes = Episodes(
        ...     {"textgym/GuessNumber-v0": 0.5, "textgym/MCQA-v0": 0.5}, rewards="environments"
        ... )
        >>> [function.__name__ for function in episodes.reward_funcs]
        ['textgym/GuessNumber-v0', 'textgym/MCQA-v0']
        >>> episodes.close()
    """

    def __init__(
        self,
        envs: Envs,
        *,
        env_kwargs: Mapping[str, Any] | None = None,
        wrappers: Sequence[WrapperSpec] = (),
        rewards: str | Sequence[str] = "total",
        on_split: str = "error",
        credit: str = "episode",
        redraw: int = 0,
        curriculum: TaskPool | None = None,
        max_logprob_gap: float | None = None,
        truncated_sampling: bool = False,
        max_episode_tokens: int | None = None,
        concurrency: int = 64,
        retries: int = 2,
    ) -> None:
        if on_split not in _ON_SPLIT:
            raise UsageError(f"on_split must be error, drop or whole, not {on_split!r}")
        if credit not in _CREDITS:
            raise UsageError(f"credit must be episode or turn, not {credit!r}")
        if credit == "turn" and rewards != "total":
            raise UsageError(f"credit='turn' needs rewards='total', not {rewards!r:.100}")
        check_no_split(env_kwargs)
        check_minimum(0, redraw=redraw)
        if curriculum is not None and not isinstance(curriculum, TaskPool):
            raise UsageError(f"curriculum must be a TaskPool, not {curriculum!r:.100}")
        self.curriculum = curriculum
        envs = registered_envs(envs)
        self._envs, self._env_kwargs = envs, dict(env_kwargs or {})
        self._options: dict[str, Any] = {
            "wrappers": wrappers,
            "concurrency": concurrency,
            "retries": retries,
            "max_episode_tokens": max_episode_tokens,
        }
        self._players: dict[str, EpisodePlayer] = {}
        self._on_split, self._max_logprob_gap = on_split, max_logprob_gap
        self.credit, self._truncated = credit, truncated_sampling
        self._totals = Totals()
        self.redraw, self._batches = redraw, Counter[int]()  # by step
        self._failures = FailureStreak("batches")
        ids = self.player("train").env_ids
        self._weights = weights_of(envs) if isinstance(envs, Mapping) else dict.fromkeys(ids, 1.0)
        self.reward_funcs: list[RewardFunc] = reward_functions(rewards, ids)
        self.trajectories: list[Trajectory] = []
        self.gap: LogprobGap | None = None

    def dataset(self, n: int | None = None, *, split: str = "train", start: int = 0) -> Dataset:
        """Return a data set whose rows are tasks.

        Args:
            n: The number of tasks, which the environments share by weight; None for all tasks of a
                finite split.
            split: The split of the environments.
            start: The index of each environment's first task.

        Returns:
            A data set with the columns `prompt`, `environment`, `task_index` and `split`. The text
            of a prompt is only displayed; the environment gives the prompt when an episode begins.

        Raises:
            UsageError: There are fewer tasks, or an environment gets none; or `n` is None and the
                split is not finite.
        """
        import datasets

        player = self.player(split)
        rows = [
            trl_record(task, shown_prompt(player, task))
            for task in self.tasks(n, split=split, start=start)
        ]
        return datasets.Dataset.from_list(rows)

    def player(self, split: str = "train") -> EpisodePlayer:
        """Return the player of a split."""
        if split not in self._players:
            kwargs = self._env_kwargs
            if split != "train":  # a function makes environments of one split
                kwargs = {**kwargs, "split": split}
            self._players[split] = EpisodePlayer(self._envs, env_kwargs=kwargs, **self._options)
        return self._players[split]

    def tasks(self, n: int | None = None, *, split: str = "train", start: int = 0) -> list[TaskRef]:
        """Return the tasks of a data set; see `dataset`."""
        return list_tasks(self.player(split), self._weights, n, split=split, start=start)

    def samples_of(self, trajectories: Sequence[Trajectory], filler_id: int) -> list[Sample]:
        """Return episodes as samples.

        Args:
            trajectories: The episodes.
            filler_id: The token of a sample without tokens.

        Raises:
            UsageError: An episode was split, and `on_split` is `error`.
        """
        return [
            make_sample(trajectory, on_split=self._on_split, filler_id=filler_id)
            for trajectory in trajectories
        ]

    def rollout_func(self, prompts: list[Any], trainer: Any) -> dict[str, list[Any]]:
        """Play the episodes of a batch; pass it to `GRPOTrainer`.

        Args:
            prompts: The prompts of the rows, as TRL repeats them.
            trainer: The trainer.

        Raises:
            UsageError: A prompt is not from `dataset`, or settings of the trainer do not fit.
            TrainingError: The samples of a group are of different tasks, all episodes of several
                batches have failed, no graded episode has a reward, or log probabilities differ.
        """
        check_plays_itself(trainer)
        if self._on_split == "whole":
            from textgym.training.trl.episodes_trainer import check_trains_whole  # imports TRL

            check_trains_whole(trainer)
        if self.credit == "turn":
            from textgym.training.trl.episodes_trainer import check_credits_turns  # imports TRL

            check_credits_turns(trainer, self.reward_funcs)
        watch_payments(trainer.reward_funcs, self.reward_funcs)
        tasks = [task_of(prompt) for prompt in prompts]
        mode = "train" if trainer.model.training else "eval"
        if mode == "train":
            check_checkpoints(trainer)
        repeats = repeats_of(tasks, trainer, mode)
        seed = hash_int("trl", trainer.args.seed, mode, *self._batch(trainer, mode))
        draws: Iterator[TaskRef] = iter(())
        if self.curriculum is not None and mode == "train":
            draws = drawn_tasks(self.curriculum, self.player(tasks[0].split), seed)
            tasks = drawn_instead(draws, len(tasks), trainer)
            repeats = repeats_of(tasks, trainer, mode)
        truncated = self._truncated
        with policy_of(trainer, batch_size=len(prompts), truncated=truncated) as policy:
            self.trajectories = self._play(policy, tasks, repeats, seed)
            replaced = (
                self._redraw_groups(policy, tasks, trainer, seed, draws) if mode == "train" else []
            )
        samples = self._samples(self.trajectories, trainer)
        batch = gather_samples(samples)
        if self.curriculum is not None and mode == "train":
            for trajectory in (*replaced, *(sample.trajectory for sample in batch)):
                self.curriculum.add_episode(trajectory)
        log_episodes(batch, trainer._log_metric, replaced)
        log_lengths(samples, trainer, mode)
        if mode == "train":
            self._failures.add([sample.trajectory for sample in batch])
            check_has_rewards(batch, self.reward_funcs)
            trainer._log_metric("groups/redrawn", len(replaced) / trainer.num_generations)
            self._totals.log((*replaced, *(sample.trajectory for sample in batch)), trainer)
            if self.credit == "turn":
                samples = with_advantages(samples, batch, trainer)
            rows = [row for sample in samples for row in sample.rows]
            # The vLLM of TRL reports the log probabilities of the tokens that are left.
            self.gap = compare_logprobs(rows, trainer, truncated=truncated and trainer.use_vllm)
            bound = self._max_logprob_gap
            self.gap.check(bound_of(trainer) if bound is None else bound)
        return rollout_output(samples)

    def _batch(self, trainer: Any, mode: str) -> tuple[int, ...]:
        """Return what identifies a batch, even in a training run that is resumed."""
        if mode == "eval":
            return ()
        step = trainer.state.global_step
        self._batches = Counter({step: self._batches[step] + 1})
        return step, self._batches[step]

    def _samples(self, trajectories: Sequence[Trajectory], trainer: Any) -> list[Sample]:
        return self.samples_of(trajectories, tokenizer_of(trainer).eos_token_id)

    def close(self) -> None:
        """Close all environments."""
        for player in self._players.values():
            player.close()

    def _play(
        self, policy: Any, tasks: Sequence[TaskRef], repeats: Sequence[int], seed: int
    ) -> list[Trajectory]:
        """Play each task once, in the order of the batch."""
        keys = [
            EpisodeKey(task.env_id, task.task_index, repeat)
            for task, repeat in zip(tasks, repeats, strict=True)
        ]
        played: list[Any] = [None] * len(tasks)
        for split in dict.fromkeys(task.split for task in tasks):
            indices = [index for index, task in enumerate(tasks) if task.split == split]
            player = self.player(split)
            trajectories = player.play(policy, [keys[index] for index in indices], seed=seed)
            for index, trajectory in zip(indices, trajectories, strict=True):
                played[index] = trajectory
        return played

    def _redraw_groups(
        self,
        policy: Any,
        tasks: Sequence[TaskRef],
        trainer: Any,
        seed: int,
        draws: Iterator[TaskRef],
    ) -> list[Trajectory]:
        """Replace groups with equal rewards by groups of other tasks, which are drawn if possible.

        All processes choose the same groups, and each plays its own part of them.

        Returns:
            The episodes that were replaced, of all processes.
        """
        size, replaced = trainer.num_generations, list[Trajectory]()
        first = trainer.accelerator.process_index * len(tasks)
        own = range(first, first + len(tasks))  # the positions of this process in the batch
        for attempt in range(1, self.redraw + 1):
            batch = gather_samples(self._samples(self.trajectories, trainer))
            groups = [range(start, start + size) for start in range(0, len(batch), size)]
            equal = [
                group
                for group in groups
                if not has_signal([batch[index] for index in group], self.reward_funcs, trainer)
            ]
            replaced += [batch[index].trajectory for group in equal for index in group]
            new_tasks: dict[int, TaskRef] = {}
            for group in equal:
                indices = [index for index in group if index in own]
                drawn = next(draws, None)
                if indices:
                    task = tasks[indices[0] - first]
                    new_task = drawn or other_task(trainer, task, seed, attempt, group.start)
                    new_tasks |= dict.fromkeys(indices, new_task)
            repeats = [attempt * len(batch) + index for index in new_tasks]  # a task may come twice
            played = self._play(policy, list(new_tasks.values()), repeats, seed)
            for index, trajectory in zip(new_tasks, played, strict=True):
                self.trajectories[index - first] = trajectory
        return replaced
