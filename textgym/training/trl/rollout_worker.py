"""`EpisodesWorker`: episodes for TRL's asynchronous GRPO, played while the trainer trains.

TRL calls such a worker `rollout_worker` (`trl.experimental.async_grpo`, TRL 1.16). The trainer
takes samples from its queue, sends new weights to the vLLM server that the worker samples on, and
drops samples whose weights are too old.

Invariants: the samples of a group are episodes of one task; an episode without a reward is in no
group and never in the queue; a group's samples bear the version of the weights with which it began;
an error of the worker reaches the trainer.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
from transformers import TrainerCallback
from trl.experimental.async_grpo.async_rollout_worker import RolloutSample

from textgym.errors import TrainingError, UsageError
from textgym.policies import Policy
from textgym.rollouts.env_set import check_minimum
from textgym.rollouts.episode import EpisodeKey
from textgym.training.groups import has_variance
from textgym.training.trl.episodes import Episodes
from textgym.training.trl.policies import sampling_of, server_policy
from textgym.training.trl.rewards import check_has_rewards, log_episodes
from textgym.training.trl.samples import Sample
from textgym.training.trl.tasks import task_of
from textgym.trajectories.advantages import grpo
from textgym.trajectories.schema import Trajectory

if TYPE_CHECKING:
    from datasets import Dataset

__all__ = ["EpisodesWorker", "FreshRatioCheck"]

MAX_FAILED_GROUPS = 8  # in a row, before the worker gives up
_POLL = 0.1  # seconds between two looks at a full queue, and at what is played


class EpisodesWorker:
    """Plays episodes for `AsyncGRPOTrainer`; pass it as its `rollout_worker`.

    The rows of the data set are played again and again, each in a group of `num_generations`
    episodes. Rewards are those of `episodes`, and the advantages of a group are
    (reward - mean) / (std + 1e-6). An episode that was split is one sample for each token sequence
    if `episodes` has `on_split="whole"`.

    Args:
        episodes: The environments, their rewards, and `on_split`. `redraw` is how many groups in a
            row without variance are left out at most.
        dataset: Tasks from `episodes.dataset`.
        args: The `AsyncGRPOConfig` of the trainer.
        policy: The policy, which samples with the weights that the trainer sends; or the name of a
            model on the vLLM server at `args.vllm_server_base_url`.
        tokenizer: With the name of a model, its tokenizer; by default that of the name.
        start: The row with which the first group begins.

    Raises:
        UsageError: `args` changes the distribution that is sampled from, or a row is not of
            `episodes.dataset`.

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
        self._failed_groups, self._equal_groups = 0, 0  # in a row
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
        """Stop playing; episodes that have not ended are left."""
        if self._thread is not None:
            self._stopping.set()
            self._thread.join()
            self._thread = None

    def update_model_version(self, model_version: int) -> None:
        """Say which weights the server has now."""
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
        """Play in this thread, and keep what goes wrong for `check_health`."""
        try:
            asyncio.run(self._play_groups())
        except BaseException as error:
            self._failure = error

    async def _play_groups(self) -> None:
        """Play groups, as many at once as the trainer will take while they are fresh enough."""
        playing: set[asyncio.Task[None]] = set()
        coming = self._groups()
        ahead = self._samples_ahead()
        at_once = self._args.max_inflight_tasks
        at_once = ahead if at_once < 0 else at_once
        try:
            while not self._stopping.is_set():
                self._alive_at = time.monotonic()
                in_play = len(playing) * self._args.num_generations
                queued = self.rollout_buffer.qsize()
                if in_play < at_once and in_play + queued < ahead:
                    playing.add(asyncio.create_task(self._play_group(*next(coming))))
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
        """Return how many samples the trainer takes before one that is played now is too old."""
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
        left_out = self._leaves_out(played)
        self.metrics_queue.put(_figures(samples, left_out))
        if left_out:
            return
        for sample in self._rollout_samples(samples, version, number):
            await self._put(sample)

    def _leaves_out(self, played: Sequence[Trajectory]) -> bool:
        """Return whether a group is not trained on; its returns are equal, or it has none.

        Raises:
            TrainingError: Too many groups in a row have no episode with a reward.
        """
        failures = [episode["failure"] for episode in played if episode["failure"]]
        if len(failures) == len(played):
            self._failed_groups += 1
            if self._failed_groups >= MAX_FAILED_GROUPS:
                last = failures[-1]
                raise TrainingError(
                    f"all episodes of {MAX_FAILED_GROUPS} groups in a row have failed, the last "
                    f"by {last['type']} ({last['boundary']}): {last['message']}"
                )
            return True
        self._failed_groups = 0
        is_equal = not has_variance(played) and self._equal_groups < self._episodes.redraw
        self._equal_groups = self._equal_groups + 1 if is_equal else 0
        return is_equal

    def _rollout_samples(
        self, samples: Sequence[Sample], version: int, group: int
    ) -> list[RolloutSample]:
        """Return what the trainer takes: a sample for each token sequence of a graded episode."""
        columns = {
            function.__name__: function(episode=samples) for function in self._episodes.reward_funcs
        }
        paid = [
            [value for value in values if value is not None]
            for values in zip(*columns.values(), strict=True)
        ]
        check_has_rewards(samples, self._episodes.reward_funcs)
        graded = [place for place, values in enumerate(paid) if values]
        if not graded:
            return []
        rewards = np.array([sum(paid[place]) for place in graded])
        spread = float(rewards.std())
        made = []
        for place, reward, advantage in zip(graded, rewards, grpo(rewards), strict=True):
            named = {f"rewards/{name}": values[place] for name, values in columns.items()}
            metrics = {
                "reward": float(reward),
                "reward_std": spread,
                **{name: float(value) for name, value in named.items() if value is not None},
            }
            made += _samples_of(samples[place], float(advantage), version, group, metrics)
        return made

    async def _put(self, sample: RolloutSample) -> None:
        """Queue a sample, and wait while the queue is full."""
        while True:
            sample.enqueued_at = time.time()
            try:
                return self.rollout_buffer.put_nowait(sample)
            except queue.Full:
                await asyncio.sleep(_POLL)


def _samples_of(
    sample: Sample, advantage: float, version: int, group: int, metrics: dict[str, float]
) -> list[RolloutSample]:
    """Return the token sequences of an episode as samples.

    Raises:
        TrainingError: The policy reported no log probabilities.
    """
    messages = list(sample.trajectory["messages"])
    start = next(
        (at for at, message in enumerate(messages) if message["role"] == "assistant"), len(messages)
    )
    made = []
    for row in sample.rows:
        logprobs = np.array([0.0] * len(row.prompt_ids) + row.logprobs, dtype=np.float32)
        if np.isnan(logprobs).any():
            raise TrainingError(
                "the policy reported no log probabilities, which the trainer needs: with a server, "
                "it must return them for each sampled token"
            )
        if any(row.completion_mask):
            made.append(
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
    return made


def _figures(samples: Sequence[Sample], left_out: bool) -> dict[str, float]:
    """Return the figures of a group; the trainer adds up those whose names have the word total."""
    figures: dict[str, float] = {}
    log_episodes(samples, figures.__setitem__)
    counted = ("episodes/failed", "episodes/split")
    named = {
        f"{name}_total" if name.startswith(counted) else name: value
        for name, value in figures.items()
    }
    return named | {"groups/left_out_total": float(left_out)}


class FreshRatioCheck(TrainerCallback):  # type: ignore[misc]  # transformers is not typed here
    """Ends a training if fresh tokens do not have the probabilities that were recorded.

    Tokens that the present weights have sampled have an importance ratio of 1. Another one shows
    that the server and the trainer differ, in their weights, chat template or precision. From the
    `kl` that the trainer logs, the root mean square of the difference of log probabilities is
    √(2 kl), as far as it is small. Steps with older tokens are not checked.

    Args:
        bound: The largest root mean square that is allowed.

    Example:
        >>> trainer = AsyncGRPOTrainer(..., callbacks=[FreshRatioCheck()])  # doctest: +SKIP
    """

    def __init__(self, bound: float = 0.01) -> None:
        self._bound = bound

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        """Compare what the trainer logged with the bound.

        Raises:
            TrainingError: The difference is larger.
        """
        if not logs or "kl" not in logs or logs.get("sample/staleness_max") != 0:
            return
        gap = float(2 * max(logs["kl"], 0.0)) ** 0.5
        if not gap <= self._bound:
            raise TrainingError(
                f"log probabilities of rollout and training differ by {gap:.2g} in fresh tokens "
                f"(root mean square), more than {self._bound:g}: the server must have the weights, "
                "the chat template and the precision of the trainer"
            )
