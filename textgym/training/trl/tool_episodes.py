"""`ToolEpisodes`: environments whose tools TRL's trainer calls itself (`environment_factory`).

TRL makes the tokens: it samples, calls the tools, and appends their results to the conversation.

Invariants: the model sees the environment's own tool schemas; each call is a step; a message
without calls is the last step; an episode that failed has no reward.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from textgym.errors import TrainingError, UsageError
from textgym.messages import Message, ToolSchema, assistant_calls, text_of
from textgym.rollouts.env_pool import Envs
from textgym.training.driven import MessageEpisode
from textgym.training.tasks import TaskRef, prompt_messages
from textgym.training.trl.episodes import Episodes
from textgym.training.trl.rewards import RewardFunc, log_episodes
from textgym.training.trl.samples import Sample, gather_samples, task_of
from textgym.trajectories.task_identity import EpisodeKey
from textgym.trajectories.tokens import TokenRow

__all__ = ["ToolEpisodes"]

_OPTIONS = {"env_kwargs", "wrappers", "rewards", "concurrency", "retries"}


class ToolEpisodes:
    """Environments with tools for `GRPOTrainer`, which plays them through `environment_factory`.

    Pass `dataset(...)`, `environment_factory` and `reward_funcs` to the trainer; `samples` are the
    episodes of its last batch. `max_completion_length` limits the whole episode. TRL plays the
    calls of a message one by one, so each is a turn. If TRL ends an episode at a message with
    calls, these are not played, and the episode is graded as it is then.

    Args:
        envs: As in `Episodes`. Each environment has tools, and ends at a message without calls.
        seed: As in `rollout`.
        **options: `env_kwargs`, `wrappers`, `rewards` and `retries` of `Episodes`.

    Raises:
        UsageError: An argument is invalid, or an environment has no tools; `Episodes` plays it.
    """

    def __init__(self, envs: Envs, *, seed: int = 0, **options: Any) -> None:
        for name in options.keys() - _OPTIONS:
            raise UsageError(f"ToolEpisodes does not take {name}: TRL itself samples the tokens")
        self._episodes = Episodes(envs, **options)
        self._seed, self._repeats = seed, itertools.count()
        self.environment_factory = dict(map(self._factory, self._episodes.player().env_ids))
        self.reward_funcs = list(map(self._ending_episodes, self._episodes.reward_funcs))
        self.samples: list[Sample] = []

    def dataset(self, n: int | None = None, *, split: str = "train", start: int = 0) -> Any:
        """Return a data set whose rows are tasks with their prompts; see `Episodes.dataset`."""
        rows, player = self._episodes.dataset(n, split=split, start=start), self._episodes.player
        prompts = [prompt_messages(player(split), task_of(shown))[0] for shown in rows["prompt"]]
        return rows.remove_columns("prompt").add_column("prompt", prompts)

    def close(self) -> None:
        """Close all environments."""
        self._episodes.close()

    def begin(self, task: TaskRef) -> MessageEpisode:
        """Return the next episode of a task."""
        key = EpisodeKey(task.env_id, task.task_index, next(self._repeats))
        return MessageEpisode(self._episodes.player(task.split), key, seed=self._seed)

    def _factory(self, env_id: str) -> tuple[str, Callable[[], _ToolEnvironment]]:
        _, tools = prompt_messages(self._episodes.player(), TaskRef(env_id, "train", 0))
        names = [tool["function"]["name"] for tool in tools]
        taken = {"reset", "get_reward", "sample"}
        if not names or any(name in taken or name.startswith("_") for name in names):
            problem = f"tools that TRL cannot take: {', '.join(names)}" if names else "no tools"
            raise UsageError(f"{env_id} has {problem}: use Episodes.rollout_func")
        # TRL lists the functions of the class, and reads each from the object: see _Tool.
        functions = dict.fromkeys(names, lambda self, **arguments: None)
        made = type("Tools", (_ToolEnvironment,), functions)
        return env_id, lambda: made(self, env_id, tools)

    def _ending_episodes(self, function: RewardFunc) -> RewardFunc:
        def rewards(
            *, completions: Any, environments: Any = None, log_metric: Any = None, **columns: Any
        ) -> list[float | None]:
            if not environments or not isinstance(environments[0], _ToolEnvironment):
                raise UsageError(
                    f"the reward function {function.__name__} got no episodes, because the trainer "
                    "played none: pass environment_factory=episodes.environment_factory to "
                    "GRPOTrainer"
                )
            is_new = any(environment.sample is None for environment in environments)
            pairs = zip(environments, completions, strict=True)
            self.samples = [environment._finish(completion) for environment, completion in pairs]
            if is_new and log_metric is not None:
                log_episodes(gather_samples(self.samples), log_metric)
            return function(episode=self.samples)

        rewards.__name__ = function.__name__
        return rewards


class _Tool(dict[str, Any]):
    """A tool's schema that can be called; transformers shows a tool that is a dict as it is."""

    def __init__(self, tool: ToolSchema, call: Callable[[str, dict[str, Any]], str]) -> None:
        super().__init__(tool)
        self.__name__, self._call = tool["function"]["name"], call

    def __call__(self, /, **arguments: Any) -> str:
        return self._call(self.__name__, arguments)


class _ToolEnvironment:
    sample: Sample | None = None
    _episode: MessageEpisode | None = None

    def __init__(self, owner: ToolEpisodes, env_id: str, tools: list[ToolSchema]) -> None:
        self._owner, self._env_id, self._tools = owner, env_id, tools
        self.__dict__ |= {tool["function"]["name"]: _Tool(tool, self._call) for tool in tools}

    def reset(self, *, prompt: list[Message], task_index: int, split: str, **columns: Any) -> None:
        if self._episode is not None:
            self._episode.close()
        self.sample, self._problem = None, ""
        self._episode = self._owner.begin(TaskRef(self._env_id, split, task_index))
        shown = self._episode.open()  # None if the episode failed
        texts = [[(m["role"], text_of(m)) for m in part] for part in (prompt, shown or prompt)]
        if shown and (texts[0] != texts[1] or self._episode.tools != self._tools):
            what = f"task {task_index} of {self._env_id}"
            raise TrainingError(f"{what} has a prompt or tools that differ from its row")

    def _call(self, name: str, arguments: dict[str, Any]) -> str:
        if self._episode is not None and self._episode.trajectory is None:
            shown = self._episode.answer(assistant_calls((name, arguments)))
            last = (shown or self._episode.trajectory["messages"])[-1]  # type: ignore[index]
            if last["role"] == "tool":
                return text_of(last)
            if last["role"] != "assistant":  # an episode that failed ends with the call
                self._problem = "says more than the results of tools"
        return "The episode has ended."

    def _finish(self, completion: Sequence[Message]) -> Sample:
        if self.sample is not None or self._episode is None:
            return self.sample  # type: ignore[return-value]
        last = completion[-1]
        text = text_of(last) if last["role"] == "assistant" else ""
        for content in (text, ""):  # a text may have calls that TRL did not read
            if self._episode.trajectory is None:
                self._episode.answer(content, is_cut=bool(last.get("tool_calls")))
        played = self._episode.trajectory
        if self._problem or played is None:
            self._episode.close()
            problem = self._problem or "goes on after a message without calls"
            raise UsageError(f"{self._env_id} {problem}: use Episodes.rollout_func")
        self.sample = Sample(played, TokenRow([], [], [], []), played["reward"])
        return self.sample
