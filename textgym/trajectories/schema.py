"""The schema of a trajectory: one episode as a JSON object, one line of `trajectories.jsonl`.

These types are the only definition of the schema; what reads or checks trajectories derives the
keys from them. Token fields are None unless the policy reports tokens.
"""

from typing import Any, NotRequired, TypedDict

from textgym.messages import Message, ToolSchema
from textgym.policies.base import PictureSpan

__all__ = ["SCHEMA_VERSION", "Failure", "Step", "Trajectory"]

SCHEMA_VERSION = 2
"""Version 2 added `failure.traceback`. Files of version 1 can be read: see `run_folder`."""


class Failure(TypedDict):
    """What failed in an episode that has no reward.

    Attributes:
        boundary: `policy`, `judge`, `environment`, `user` or `unknown`.
        type: The name of the exception's class.
        message: The exception's message.
        traceback: The end of the exception's traceback; "" if it is not known.
    """

    boundary: str
    type: str
    message: str
    traceback: str


class Step(TypedDict):
    """One assistant message and its outcome.

    Attributes:
        message_index: The position of the assistant message in the conversation.
        reward: The step's reward; None if the step failed.
        task_reward: The environment's own part of the reward, if a wrapper changed the reward.
        components: The step's reward components by name.
        finish_reason: `stop`, `length` or `tool_calls`.
        prompt_ids: The token ids of the prompt.
        token_ids: The sampled token ids.
        logprobs: The log probability of each sampled token.
        loss_mask: 1 for each sampled token.
        policy_version: The version of the weights that sampled the message.
        pictures: Where pictures are in the prompt, if it has any.
        seconds: How long policy and environment took, in seconds.
    """

    message_index: int
    reward: float | None
    task_reward: NotRequired[float]
    components: dict[str, float]
    finish_reason: str
    prompt_ids: list[int] | None
    token_ids: list[int] | None
    logprobs: list[float] | None
    loss_mask: list[int] | None
    policy_version: str | None
    pictures: NotRequired[list[PictureSpan]]
    seconds: float


class Trajectory(TypedDict):
    """One episode.

    Attributes:
        version: The version of this schema.
        env_id: The environment's id.
        env_kwargs: The keyword arguments that the environment was made with.
        task_id: The task's id; None if the episode failed before it had one.
        task_index: The task's index.
        repeat: The number of the episode among the task's episodes, from 0.
        row: The task's row, if it has no index and the run does not list it.
        seed: The run's seed.
        policy: The policy's name.
        tools: The schemas of the tools that were offered.
        messages: The whole conversation at the end.
        steps: One entry for each assistant message of the policy.
        terminated: Whether the task reached its end.
        truncated: Whether a limit cut the episode.
        stop_reason: Why the episode ended; "" if it failed.
        is_success: Whether the task was solved; None if the episode failed.
        reward: The return, the sum of the steps' rewards; None if the episode failed.
        info: The info of the last step, with the row's level and category.
        splits: How many turns began a new token sequence; None without tokens.
        usage: Token counts by name, summed over the steps.
        started_at: When the episode began, in seconds since the epoch.
        seconds: How long the episode took, in seconds.
        attempts: 1 plus the number of retries.
        failure: What failed; None if the episode has a reward.
    """

    version: int
    env_id: str
    env_kwargs: dict[str, Any]
    task_id: str | None
    task_index: int
    repeat: int
    row: NotRequired[dict[str, Any]]
    seed: int
    policy: str
    tools: list[ToolSchema]
    messages: list[Message]
    steps: list[Step]
    terminated: bool
    truncated: bool
    stop_reason: str
    is_success: bool | None
    reward: float | None
    info: dict[str, Any]
    splits: NotRequired[int | None]
    usage: dict[str, int]
    started_at: float
    seconds: float
    attempts: int
    failure: Failure | None
