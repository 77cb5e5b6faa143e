"""Episodes that a trainer drives: it asks for a prompt, answers it, and gets the next prompt.

Many trainers have a loop of their own, which calls `reset` and `step` of an environment. The
episodes here are played by an `EpisodePlayer` as all others are, with its retries, records and
failures; only the policy's answers come from outside.

Invariants: an episode that failed raises its failure, and has no reward; one that the trainer
leaves keeps what it was paid, and is not graded; what is recorded are the tokens or messages that
were given, and nothing is sampled here.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Generic, TypeVar

from textgym.concurrency import event_loops as background_loop
from textgym.errors import ContextFullError, EnvironmentFailure, PolicyFailure, UsageError
from textgym.messages import Message, ToolSchema, assistant
from textgym.policies.base import Action, Policy, Sampling, Tokens
from textgym.policies.chat.hermes import with_parsed_calls, with_tool_prompt
from textgym.policies.token_policy import SampledTokens, TokenPolicy
from textgym.rollouts.episode import EpisodeKey
from textgym.rollouts.player import EpisodePlayer
from textgym.trajectories.episode_record import components_of
from textgym.trajectories.schema import Trajectory

__all__ = ["MessageEpisode", "TokenEpisode"]

Question = TypeVar("Question")
Answer = TypeVar("Answer")
Result = TypeVar("Result")


async def _on_background(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Wait for a coroutine of the background loop, without a thread."""
    return await asyncio.wrap_future(background_loop.start(coroutine))


class _DrivenEpisode(Generic[Question, Answer]):
    """An episode whose policy waits for answers from another thread.

    Attributes:
        rewards: The reward of each step so far.
        trajectory: The episode; None until it has ended.
    """

    def __init__(
        self,
        player: EpisodePlayer,
        key: EpisodeKey,
        make_policy: Callable[[Callable[[Question], Awaitable[Answer]]], Policy],
        seed: int,
    ) -> None:
        self.rewards: list[float] = []
        self.trajectory: Trajectory | None = None
        self._player, self._key, self._seed = player, key, seed
        self._policy = make_policy(self._ask)
        self._task: asyncio.Task[list[Trajectory]] | None = None
        self._question: asyncio.Future[Question] | None = None
        self._answer: asyncio.Future[Answer] | None = None

    def _begin(self) -> Coroutine[Any, Any, Question | None]:
        """Begin the episode; the result is its first question, or None if it ended at once."""
        if self._task is not None:
            raise UsageError("the episode has begun: make another one")
        return self._start()

    def _reply(self, answer: Answer) -> Coroutine[Any, Any, Question | None]:
        """Answer the last question; the result is the next one, or None at the end."""
        return self._give(answer, self._awaited())

    def leave(self) -> None:
        """End an episode where it is, as a full context does: it is cut, and keeps its rewards.

        Raises:
            UsageError: The episode has ended, or has not begun.
        """
        background_loop.run(self._leave(self._awaited()))

    async def aleave(self) -> None:
        """End an episode where it is, inside a running event loop; see `leave`."""
        await _on_background(self._leave(self._awaited()))

    def close(self) -> None:
        """End an episode that is not played to its end, and has no trajectory."""
        background_loop.run(self._cancel())

    async def aclose(self) -> None:
        """End an episode inside a running event loop; see `close`."""
        await _on_background(self._cancel())

    async def _ask(self, question: Question) -> Answer:
        """Wait for the answer to a question of the policy."""
        loop = asyncio.get_running_loop()
        self._answer = loop.create_future()
        assert self._question is not None
        self._question.set_result(question)
        return await self._answer

    def _awaited(self) -> asyncio.Future[Answer]:
        """The answer that the episode waits for."""
        if self._answer is None or self._answer.done():
            raise UsageError("the episode waits for no answer: it has not begun, or has ended")
        return self._answer

    async def _start(self) -> Question | None:
        """Begin to play, and return the next question, or None at the end."""
        played = self._player.aplay(
            self._policy,
            [self._key],
            seed=self._seed,
            on_step=lambda key, reward: self.rewards.append(reward),
        )
        self._question = asyncio.get_running_loop().create_future()
        self._task = asyncio.get_running_loop().create_task(played)
        return await self._next()

    async def _give(self, answer: Answer, awaited: asyncio.Future[Answer]) -> Question | None:
        """Give an answer, and return the next question, or None at the end."""
        self._question = asyncio.get_running_loop().create_future()
        awaited.set_result(answer)
        return await self._next()

    async def _leave(self, awaited: asyncio.Future[Answer]) -> None:
        """Give no answer any more, and wait for the end."""
        assert self._task is not None
        awaited.set_exception(ContextFullError("the trainer has left the episode"))
        (self.trajectory,) = await self._task

    async def _next(self) -> Question | None:
        """Wait for a question, or for the end."""
        assert self._task is not None
        assert self._question is not None
        waited: set[asyncio.Future[Any]] = {self._task, self._question}
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        if self._question.done():
            return self._question.result()
        (self.trajectory,) = self._task.result()
        return None

    async def _cancel(self) -> None:
        if self._task is not None and not self._task.done():
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    @property
    def result(self) -> Trajectory:
        """The episode, which has a reward.

        Raises:
            UsageError: It has not ended.
            EnvironmentFailure: It failed.
        """
        if self.trajectory is None:
            raise UsageError("the episode has not ended")
        failure = self.trajectory["failure"]
        if failure:
            raise EnvironmentFailure(
                f"an episode of {self.trajectory['env_id']} has no reward: {failure['type']} "
                f"({failure['boundary']}): {failure['message']}"
            )
        return self.trajectory

    @property
    def components(self) -> dict[str, float]:
        """What each reward component paid over the episode; see `result` for what it raises."""
        return components_of(self.result)


class _AskingPolicy(Policy):
    """Asks for each message.

    Args:
        ask: Called with the conversation and the tools.
    """

    name = "driven"

    def __init__(
        self, ask: Callable[[tuple[list[Message], list[ToolSchema]]], Awaitable[Action]]
    ) -> None:
        self._ask = ask

    async def act(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema],
        *,
        prior: Tokens | None = None,
        seed: int | None = None,
    ) -> Action:
        """Wait for the answer to a conversation."""
        return await self._ask((list(messages), list(tools)))


class MessageEpisode(_DrivenEpisode[tuple[list[Message], list[ToolSchema]], Action]):
    """An episode for a trainer that exchanges messages or texts, and has its own tokens.

    Args:
        player: The player of the environment.
        key: The environment, the task, and which of its episodes this is.
        plain: Whether tools, calls and results are shown as plain text, for trainers without
            tools: the first message describes the tools, and calls are read from texts in Hermes
            form.
        seed: As in `rollout`.

    Attributes:
        tools: The tools, which are empty if `plain`.
        rewards: The reward of each step so far.
        trajectory: The episode; None until it has ended.

    Example:
        >>> with EpisodePlayer("textgym/GuessNumber-v0") as player:
        ...     episode = MessageEpisode(player, EpisodeKey("textgym/GuessNumber-v0", 0))
        ...     prompt = episode.open()
        ...     following = episode.answer("5")
        ...     episode.close()
        >>> prompt[0]["role"], following[-2]["content"], following[-1]["content"]
        ('user', '5', 'That is no whole number from 1 to 3.')
    """

    def __init__(
        self, player: EpisodePlayer, key: EpisodeKey, *, plain: bool = False, seed: int = 0
    ) -> None:
        super().__init__(player, key, _AskingPolicy, seed)
        self.tools: list[ToolSchema] = []
        self._plain = plain

    def open(self) -> list[Message] | None:
        """Begin the episode; return its prompt, or None if it failed."""
        return self._shown(background_loop.run(self._begin()))

    async def aopen(self) -> list[Message] | None:
        """Begin the episode inside a running event loop; see `open`."""
        return self._shown(await _on_background(self._begin()))

    def answer(self, message: str | Message, *, is_cut: bool = False) -> list[Message] | None:
        """Give the policy's message; return the whole conversation, or None at the end.

        Args:
            message: The text of the message, or the message.
            is_cut: Whether a limit of tokens cut it.

        Raises:
            UsageError: The episode has ended, or has not begun.
        """
        return self._shown(background_loop.run(self._reply(_action_of(message, is_cut))))

    async def aanswer(
        self, message: str | Message, *, is_cut: bool = False
    ) -> list[Message] | None:
        """Give the policy's message inside a running event loop; see `answer`."""
        return self._shown(await _on_background(self._reply(_action_of(message, is_cut))))

    def _shown(
        self, question: tuple[list[Message], list[ToolSchema]] | None
    ) -> list[Message] | None:
        if question is None:
            return None
        messages, tools = question
        if self._plain:
            return with_tool_prompt(messages, tools)
        self.tools = tools
        return messages


def _action_of(message: str | Message, is_cut: bool) -> Action:
    """Return a message as an action; calls in its text are read."""
    said = assistant(message) if isinstance(message, str) else message
    return with_parsed_calls(Action(said, finish_reason="length" if is_cut else "stop"))


class _DrivenTokenPolicy(TokenPolicy):
    """Asks for each message once: the trainer would take the same prompt for the next one."""

    async def act(self, *conversation: Any, **others: Any) -> Action:
        """Answer a conversation; tokens that cannot be used end the episode as a failure."""
        try:
            return await super().act(*conversation, **others)
        except PolicyFailure as error:
            raise UsageError(str(error)) from error  # is not retried


class TokenEpisode(_DrivenEpisode[list[int], SampledTokens]):
    """An episode for a trainer that samples token ids.

    Args:
        player: The player of the environment.
        key: The environment, the task, and which of its episodes this is.
        tokenizer: The model's tokenizer, with a chat template.
        seed: As in `rollout`.
        context_length: An episode whose prompt has this many tokens is cut; by default there is no
            limit. The trainer limits the messages.
        **settings: Further arguments of `TokenPolicy`.

    Attributes:
        rewards: The reward of each step so far.
        trajectory: The episode with its tokens; None until it has ended.

    Example:
        >>> episode = TokenEpisode(player, key, tokenizer)  # doctest: +SKIP
        >>> prompt_ids = episode.open()  # doctest: +SKIP
        >>> while prompt_ids is not None:  # doctest: +SKIP
        ...     prompt_ids = episode.answer(SampledTokens(*engine.generate(prompt_ids)))
    """

    def __init__(
        self,
        player: EpisodePlayer,
        key: EpisodeKey,
        tokenizer: Any,
        *,
        seed: int = 0,
        context_length: int | None = None,
        **settings: Any,
    ) -> None:
        def make_policy(ask: Callable[[list[int]], Awaitable[SampledTokens]]) -> Policy:
            async def sample(
                prompt_ids: list[int], sampling: Sampling, seed: int | None
            ) -> SampledTokens:
                if context_length is not None and len(prompt_ids) >= context_length:
                    raise ContextFullError(
                        f"the prompt has {len(prompt_ids)} tokens, and the context {context_length}"
                    )
                return await ask(prompt_ids)

            defaults = {"name": "driven", "sampling": Sampling(max_tokens=sys.maxsize)}
            return _DrivenTokenPolicy(sample, tokenizer, **{**defaults, **settings})

        super().__init__(player, key, make_policy, seed)

    def open(self) -> list[int] | None:
        """Begin the episode; return the ids of its prompt, or None if it failed."""
        return background_loop.run(self._begin())

    async def aopen(self) -> list[int] | None:
        """Begin the episode inside a running event loop; see `open`."""
        return await _on_background(self._begin())

    def answer(self, sampled: SampledTokens) -> list[int] | None:
        """Give sampled tokens; return the ids of the next prompt, or None at the end.

        Raises:
            UsageError: The episode has ended, or has not begun.
        """
        return background_loop.run(self._reply(sampled))

    async def aanswer(self, sampled: SampledTokens) -> list[int] | None:
        """Give sampled tokens inside a running event loop; see `answer`."""
        return await _on_background(self._reply(sampled))
