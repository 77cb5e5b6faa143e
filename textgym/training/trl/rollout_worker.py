"""`EpisodesWorker`: episodes for TRL's asynchronous GRPO, played while the trainer trains.

TRL calls such a worker `rollout_worker` (`trl.experimental.async_grpo`, TRL 1.16). The trainer
takes samples from its queue, sends new weights to the vLLM server that the worker samples on, and
drops samples whose weights are too old.

Invariants: the samples of a group are episodes of one task; an episode without a reward is in no
group and never in the queue; a group's samples have the version of the weights with which it began;
an error of the worker reaches the trainer.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from trl.experimental.async_grpo.async_rollout_worker import RolloutSample

from textgym.errors import TrainingError, UsageError
from textgym.policies import Policy
from textgym.rollouts.env_pool import check_minimum
from textgym.training.trl.episodes import Episodes
from textgym.training.trl.policies import sampling_of, server_policy
from textgym.training.trl.rewards import RewardFunc, check_has_rewards, log_episodes
from textgym.training.trl.samples import FailureStreak, Sample, task_of
from textgym.trajectories.advantages import grpo, rewards_differ
from textgym.trajectories.task_identity import EpisodeKey

if TYPE_CHECKING:
    from datasets import Dataset

__all__ = ["EpisodesWorker"]

_POLL = 0.1  # seconds between two looks at the queue and at the episodes in progress


class EpisodesWorker:
    """Plays episodes for `AsyncGRPOTrainer`; pass it as its `rollout_worker`.

    The rows of the data set are played again and again, each in a group of `num_generations`
    episodes. `episodes` gives the rewards, and the advantages of a group are
    (reward - mean) / (std + 1e-6). An episode that was split is one sample for each token sequence
    if `episodes` has `on_split="whole"`.

    Args:
        episodes: The environments, their rewards, and `on_split`. `redraw` is the maximum number of
            groups with equal returns in a row that are left out.
        dataset: Tasks from `episodes.dataset`.
        args: The `AsyncGRPOConfig` of the trainer.
        policy: The policy, which samples with the weights that the trainer sends; or the name of a
            model on the vLLM server at `args.vllm_server_base_url`.
        tokenizer: The tokenizer of a model that is passed by name; by default it is loaded by the
            same name.
        start: The row of the first group.

    Raises:
        UsageError: `args` changes the distribution that is sampled from, or a row is not from
            `episodes.dataset`, or `episodes` has a curriculum or `credit="turn"`.

    Attributes:
        rollout_buffer: The samples.
        metrics_queue: The figures of groups.

    Example:
        >>> dataset = episodes.dataset(1000)  # doctest: +SKIP
        >>> trainer = AsyncGRPOTrainer(  # doctest: +SKIP
        ...     model="Qwen/Qwen3-4B",
        ...     args=args,
        ...     train_dataset=dataset,
        ...     rollout_worker=EpisodesWorker(episodes, dataset, args, "Qwen/Qwen3-4B"),
        ... )
    """

    def __init__(
        self,
        episodes: Episodes,
        dataset: Dataset,
        args: Any,
        policy: str | Policy,
        *,
        tokenizer: Any = None,
        start: int = 0,
    ) -> None:
        check_minimum(0, start=start)
        if episodes.curriculum is not None:
            raise UsageError(
                "EpisodesWorker plays the rows of its data set in order: leave out the curriculum "
                "of Episodes"
            )
        if episodes.credit != "episode":
            raise UsageError(
                "EpisodesWorker gives episodes credit: leave credit='turn' out of Episodes"
            )
        sampling = sampling_of(args)
        if getattr(args, "chat_template_kwargs", None):
            raise UsageError(
                "EpisodesWorker does not use chat_template_kwargs: pass a tokenizer that has them, "
                "from textgym.policies.chat.templates.with_template_arguments"
            )
        if isinstance(policy, str):
            url = args.vllm_server_base_url
            policy = server_policy(url, policy, tokenizer or policy, sampling)
        self._policy, self._episodes, self._args = policy, episodes, args
        self._tasks = [task_of(prompt) for prompt in dataset["prompt"]]
        self._start, self._version = start, 0
        self._failures, self._equal_groups = FailureStreak("groups"), 0  # in a row
        self.rollout_buffer: queue.Queue[RolloutSample] = queue.Queue(args.queue_maxsize)
        self.metrics_queue: queue.Queue[dict[str, float]] = queue.Queue()
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._failure: BaseException | None = None
        self._alive_at = time.monotonic()

    def start(self) -> None:
        """Begin to play; the trainer calls it after it has sent the first weights."""
        if self._thread is None:
            self._stopping.clear()
            self._alive_at = time.monotonic()
            self._thread = threading.Thread(target=self._run, name="textgym-rollouts", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop playing; episodes in progress are abandoned."""
        if self._thread is not None:
            self._stopping.set()
            self._thread.join()
            self._thread = None

    def update_model_version(self, model_version: int) -> None:
        """Set the version of the weights that the server has now."""
        self._version = model_version
        if hasattr(self._policy, "version"):
            self._policy.version = f"version {model_version}"

    def check_health(self, stale_after_s: float) -> None:
        """Raise if the worker has failed or hangs.

        Raises:
            TrainingError: It has failed, or has not moved for this many seconds.
        """
        if self._failure is not None:
            raise TrainingError(
                f"the worker that plays episodes has failed: {self._failure}"
            ) from self._failure
        still = time.monotonic() - self._alive_at
        if self._thread is not None and still > stale_after_s:
            raise TrainingError(f"the worker that plays episodes has hung for {still:.0f} s")

    def _run(self) -> None:
        """Play in this thread, and keep the error for `check_health`."""
        try:
            asyncio.run(self._play_groups())
        except BaseException as error:
            self._failure = error

    async def _play_groups(self) -> None:
        """Play groups, as many at once as the trainer will take while they are fresh enough."""
        playing: set[asyncio.Task[None]] = set()
        groups = self._groups()
        ahead = self._samples_ahead()
        at_once = self._args.max_inflight_tasks
        at_once = ahead if at_once < 0 else at_once
        try:
            while not self._stopping.is_set():
                self._alive_at = time.monotonic()
                in_play = len(playing) * self._args.num_generations
                queued = self.rollout_buffer.qsize()
                if in_play < at_once and in_play + queued < ahead:
                    playing.add(asyncio.create_task(self._play_group(*next(groups))))
                    continue
                if not playing:
                    await asyncio.sleep(_POLL)
                    continue
                done, playing = await asyncio.wait(
                    playing, timeout=_POLL, return_when=asyncio.FIRST_COMPLETED
                )
                for task in done:
                    task.result()
        finally:
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)
            await self._policy.close()

    def _samples_ahead(self) -> int:
        """Return how many samples the trainer takes before a sample of now is too old."""
        args = self._args
        step = args.per_device_train_batch_size * args.gradient_accumulation_steps
        return int(max(args.max_staleness, 1) * step * args.world_size)

    def _groups(self) -> Iterator[tuple[int, str, list[EpisodeKey]]]:
        """Return the number, the split and the episodes of each group, without end."""
        size = self._args.num_generations
        for number in count():
            epoch, row = divmod(self._start + number, len(self._tasks))
            task = self._tasks[row]
            repeats = range(epoch * size, (epoch + 1) * size)
            keys = [EpisodeKey(task.env_id, task.task_index, repeat) for repeat in repeats]
            yield number, task.split, keys

    async def _play_group(self, number: int, split: str, keys: Sequence[EpisodeKey]) -> None:
        """Play a group, and give its samples and figures to the trainer."""
        version = self._version
        player = self._episodes.player(split)
        played = await player.aplay(self._policy, keys, seed=self._args.seed)
        samples = self._episodes.samples_of(played, filler_id=0)
        rewards = _SampleRewards.of(samples, self._episodes.reward_funcs)
        left_out = self._leaves_out(samples, rewards)
        self.metrics_queue.put(_figures(samples, left_out))
        if not left_out:
            for sample in _rollout_samples(samples, rewards, version, number):
                await self._put(sample)

    def _leaves_out(self, samples: Sequence[Sample], rewards: _SampleRewards) -> bool:
        """Return whether a group is not trained on: its rewards are equal, or it has none.

        Raises:
            TrainingError: Too many groups in a row have no episode with a reward.
        """
        if self._failures.add([sample.trajectory for sample in samples]):
            return True
        is_equal = not rewards_differ(rewards.sums) and self._equal_groups < self._episodes.redraw
        self._equal_groups = self._equal_groups + 1 if is_equal else 0
        return is_equal

    async def _put(self, sample: RolloutSample) -> None:
        """Queue a sample, and wait while the queue is full."""
        while True:
            sample.enqueued_at = time.time()
            try:
                return self.rollout_buffer.put_nowait(sample)
            except queue.Full:
                await asyncio.sleep(_POLL)


class _SampleRewards(NamedTuple):
    """The rewards of the samples of a group.

    Attributes:
        columns: The reward of each sample by the name of the reward function.
        sums: The sum of each sample's rewards; None if it has none.
    """

    columns: dict[str, list[float | None]]
    sums: list[float | None]

    @classmethod
    def of(cls, samples: Sequence[Sample], functions: Sequence[RewardFunc]) -> _SampleRewards:
        """Return the rewards of samples.

        Raises:
            TrainingError: No graded episode has a reward.
        """
        check_has_rewards(samples, functions)
        columns = {function.__name__: function(episode=samples) for function in functions}
        rows = zip(*columns.values(), strict=True)
        known = [[value for value in row if value is not None] for row in rows]
        return cls(columns, [sum(values) if values else None for values in known])


def _rollout_samples(
    samples: Sequence[Sample], rewards: _SampleRewards, version: int, group: int
) -> list[RolloutSample]:
    """Return a sample for each token sequence of an episode that has a reward."""
    graded = [index for index, reward in enumerate(rewards.sums) if reward is not None]
    sums = np.array([rewards.sums[index] for index in graded], float)
    if not graded:
        return []
    rollout_samples = []
    for index, reward, advantage in zip(graded, sums, grpo(sums), strict=True):
        metrics = {"reward": float(reward), "reward_std": float(sums.std())}
        for name, values in rewards.columns.items():
            value = values[index]
            if value is not None:
                metrics[f"rewards/{name}"] = float(value)
        rollout_samples += _samples_of(samples[index], float(advantage), version, group, metrics)
    return rollout_samples


def _samples_of(
    sample: Sample, advantage: float, version: int, group: int, metrics: dict[str, float]
) -> list[RolloutSample]:
    """Return the token sequences of an episode as samples.

    Raises:
        TrainingError: The policy reported no log probabilities.
    """
    messages = list(sample.trajectory["messages"])
    start = next(
        (index for index, message in enumerate(messages) if message["role"] == "assistant"),
        len(messages),
    )
    rollout_samples = []
    for row in sample.rows:
        logprobs = np.array([0.0] * len(row.prompt_ids) + row.logprobs, dtype=np.float32)
        if np.isnan(logprobs).any():
            raise TrainingError(
                "the policy reported no log probabilities, which the trainer needs: with a server, "
                "it must return them for each sampled token"
            )
        if any(row.completion_mask):
            rollout_samples.append(
                RolloutSample(
                    prompt=messages[:start],
                    completion=messages[start:],
                    input_ids=np.array(row.prompt_ids + row.completion_ids, dtype=np.int64),
                    completion_mask=np.array(
                        [0] * len(row.prompt_ids) + row.completion_mask, dtype=np.int64
                    ),
                    old_log_probs=logprobs,
                    advantage=advantage,
                    model_version=version,
                    group_id=group,
                    metrics=dict(metrics),
                )
            )
    return rollout_samples


def _figures(samples: Sequence[Sample], left_out: bool) -> dict[str, float]:
    """Return the figures of a group; the trainer adds up those whose names have the word total."""
    figures: dict[str, float] = {}
    log_episodes(samples, figures.__setitem__)
    counts = ("episodes/failed", "episodes/split")
    figures = {
        f"{name}_total" if name.startswith(counts) else name: value
        for name, value in figures.items()
    }
    return figures | {"groups/left_out_total": float(left_out)}
