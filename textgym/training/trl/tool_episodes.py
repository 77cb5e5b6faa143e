"""`ToolEpisodes`: environments whose tools TRL's trainer calls itself (`environment_factory`).

TRL samples, calls the tools as methods of an object, and puts their results into the conversation.
So tokens and chat template are TRL's matter; the steps, the grade and the failures are those of the
environment. `Episodes` plays whole episodes instead, and any environment.

Invariants: the tools that the model sees are those of the environment; each call is a step; a
message without calls is the last step; an episode that failed has no reward.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from textgym.errors import TrainingError, UsageError
from textgym.messages import Message, ToolSchema, assistant_calls, text_of
from textgym.rollouts.env_set import Envs
from textgym.rollouts.episode import EpisodeKey
from textgym.training.driven import MessageEpisode
from textgym.training.tasks import TaskRef, prompt_messages
from textgym.training.trl.episodes import Episodes
from textgym.training.trl.rewards import RewardFunc, log_episodes
from textgym.training.trl.samples import Sample, gather_samples
from textgym.training.trl.tool_methods import check_derived, tool_method
from textgym.trajectories.tokens import TokenRow
from textgym.wrappers.specs import WrapperSpec

if TYPE_CHECKING:
    from datasets import Dataset

__all__ = ["ToolEpisodes"]

_ENDED = "The episode has ended."
_RESERVED = ("reset", "get_reward", "sample")
_EMPTY = TokenRow([], [], [], [])  # the tokens are TRL's own


class ToolEpisodes:
    """Environments with tools for `GRPOTrainer`, which plays them through `environment_factory`.

    `max_completion_length` limits the whole episode, and `max_tool_calling_iterations` the messages
    with calls. TRL plays the calls of a message one by one, so each is a turn. If TRL ends an
    episode at a message with calls, these are not played, and the episode is graded as it is then.

    Args:
        envs: An id, a mixture, or a function that makes an environment, as in `rollout`. Each has
            tools, and ends at a message without calls.
        env_kwargs: As in `Episodes`.
        wrappers: As in `rollout`.
        rewards: As in `Episodes`.
        retries: How often a failed step is retried.
        seed: As in `rollout`.

    Raises:
        UsageError: An argument is invalid, or an environment has no tools, or a tool cannot be a
            method; `Episodes` plays such an environment.

    Attributes:
        environment_factory: A class for each environment, by its id.
        reward_funcs: The reward functions.
        samples: The episodes of the last batch.

    Example:
        >>> episodes = ToolEpisodes("textgym/SessionState-v0")  # doctest: +SKIP
        >>> trainer = GRPOTrainer(  # doctest: +SKIP
        ...     model,
        ...     train_dataset=episodes.dataset(100),
        ...     environment_factory=episodes.environment_factory,
        ...     reward_funcs=episodes.reward_funcs,
        ... )
    """

    def __init__(
        self,
        envs: Envs,
        *,
        env_kwargs: Mapping[str, Any] | None = None,
        wrappers: Sequence[WrapperSpec] = (),
        rewards: str | Sequence[str] = "total",
        retries: int = 2,
        seed: int = 0,
    ) -> None:
        self._episodes = Episodes(
            envs, env_kwargs=env_kwargs, wrappers=wrappers, rewards=rewards, retries=retries
        )
        self._seed, self._repeats = seed, itertools.count()
        self.environment_factory: dict[str, Callable[[], ToolEnvironment]] = {
            id: self._make_class(id) for id in self._episodes.player().env_ids
        }
        self.reward_funcs = [self._of_environments(item) for item in self._episodes.reward_funcs]
        self.samples: list[Sample] = []

    def dataset(self, n: int | None = None, *, split: str = "train", start: int = 0) -> Dataset:
        """Return a data set whose rows are tasks with their prompts; see `Episodes.dataset`.

        Raises:
            UsageError: There are fewer tasks, or no end of them and `n` is None.
        """
        import datasets

        player = self._episodes.player(split)
        rows = [
            {
                "prompt": prompt_messages(player, task)[0],
                "environment": task.env_id,
                "task_index": task.task_index,
                "split": split,
            }
            for task in self._episodes.tasks(n, split=split, start=start)
        ]
        return datasets.Dataset.from_list(rows)

    def close(self) -> None:
        """Close all environments."""
        self._episodes.close()

    def begin(self, env_id: str, task_index: int, split: str) -> MessageEpisode:
        """Return the next episode of a task."""
        key = EpisodeKey(env_id, task_index, next(self._repeats))
        return MessageEpisode(self._episodes.player(split), key, seed=self._seed)

    def _make_class(self, id: str) -> Callable[[], ToolEnvironment]:
        """Return the class whose objects play an environment, with its tools as methods.

        Raises:
            UsageError: The environment has no tools, or one cannot be a method.
        """
        task = TaskRef(id, "train", 0)
        _, tools = prompt_messages(self._episodes.player(), task)
        if not tools:
            raise UsageError(f"{id} has no tools: use Episodes.rollout_func")
        methods = {}
        for tool in tools:
            name = tool["function"]["name"]
            if name in _RESERVED or name.startswith("_") or not name.isidentifier():
                raise UsageError(
                    f"the tool {name!r} of {id} cannot be a method: use Episodes.rollout_func"
                )
            methods[name] = tool_method(tool, ToolEnvironment._call)
            check_derived(tool, methods[name])
        made = type(id.split("/")[-1].split("-")[0], (ToolEnvironment,), methods)
        return partial(made, self, id, tools)

    def _of_environments(self, function: RewardFunc) -> RewardFunc:
        """Return a reward function that first ends the episodes of a batch."""

        def rewards(
            *,
            environments: Sequence[ToolEnvironment],
            completions: Sequence[list[Message]],
            log_metric: Callable[[str, float], None] | None = None,
            **kwargs: Any,
        ) -> list[float | None]:
            is_new = any(environment.sample is None for environment in environments)
            self.samples = [
                environment._finish(completion)
                for environment, completion in zip(environments, completions, strict=True)
            ]
            if is_new and log_metric is not None:
                log_episodes(gather_samples(self.samples), log_metric)
            return function(episode=self.samples)

        rewards.__name__ = function.__name__
        return rewards


class ToolEnvironment:
    """An environment for TRL: `reset` begins an episode, and the other public methods are tools.

    Attributes:
        sample: The episode, once it has ended.
    """

    sample: Sample | None

    def __init__(self, owner: ToolEpisodes, id: str, tools: Sequence[ToolSchema]) -> None:
        self._owner, self._id, self._tools = owner, id, list(tools)
        self._episode: MessageEpisode | None = None
        self._problem = ""
        self.sample = None

    def reset(self, *, prompt: list[Message], task_index: int, split: str, **columns: Any) -> None:
        """Begin the episode of a row of `ToolEpisodes.dataset`.

        Raises:
            TrainingError: The environment gives another prompt or other tools than the row has.
        """
        if self._episode is not None:
            self._episode.close()
        self._problem, self.sample = "", None
        self._episode = self._owner.begin(self._id, task_index, split)
        begun = self._episode.open()
        if begun is None:  # it failed
            return
        given, row = (_shown(messages) for messages in (begun, prompt))
        if given != row or self._episode.tools != self._tools:
            raise TrainingError(
                f"task {task_index} of {self._id} has another prompt or other tools than the row "
                "of the data set: use ToolEpisodes.dataset of the same object"
            )

    def _call(self, name: str, arguments: dict[str, Any]) -> str:
        """Play a call, and return its result."""
        episode = self._episode
        if episode is None or episode.trajectory is not None:
            return _ENDED
        shown = episode.answer(assistant_calls((name, arguments)))
        if shown is None:
            assert episode.trajectory is not None
            shown = episode.trajectory["messages"]
        last = shown[-1]
        if last["role"] not in ("tool", "assistant"):  # of an episode that failed, the call is last
            self._problem = f"{self._id} says more than the results of tools"
        return text_of(last) if last["role"] == "tool" else _ENDED

    def _finish(self, completion: Sequence[Message]) -> Sample:
        """End the episode with the last message of TRL's conversation, and return it.

        Raises:
            UsageError: The environment has more to say than results of tools.
        """
        episode = self._episode
        if self.sample is not None or episode is None:
            assert self.sample is not None
            return self.sample
        last = completion[-1]
        text = text_of(last) if last["role"] == "assistant" else ""
        is_cut = bool(last.get("tool_calls"))
        for said in (text, ""):  # a text may have calls that TRL did not read
            if episode.trajectory is None:
                episode.answer(said, is_cut=is_cut)
        if episode.trajectory is None:
            episode.close()
            self._problem = f"{self._id} goes on after a message without calls"
        if self._problem or episode.trajectory is None:
            raise UsageError(f"{self._problem}, which TRL cannot show: use Episodes.rollout_func")
        self.sample = Sample(episode.trajectory, _EMPTY, episode.trajectory["reward"])
        return self.sample


def _shown(messages: Sequence[Message]) -> list[tuple[str, str]]:
    return [(message["role"], text_of(message)) for message in messages]
