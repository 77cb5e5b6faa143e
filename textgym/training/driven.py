"""Episodes that a trainer drives: it asks for a prompt, answers it, and gets the next prompt.

Many trainers have their own loop, which calls `reset` and `step` of an environment. An
`EpisodePlayer` plays these episodes like all others, with its retries, records and failures; only
the policy's answers come from outside. Trainers that only append to a conversation read `added`.

Invariants: an episode that failed raises its failure, and has no reward; an episode that the
trainer leaves keeps its rewards so far, and is not graded; an episode that the trainer drops is
cancelled; the tokens or messages are recorded as they were passed, and nothing is sampled here.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import weakref
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Generic, TypeVar

from textgym.concurrency import event_loops
from textgym.errors import ContextFullError, PolicyFailure, TrainingError, UsageError
from textgym.messages import Message, ToolSchema, assistant
from textgym.policies.base import Action, Policy, Sampling, Tokens
from textgym.policies.chat.hermes import with_parsed_calls, with_tool_prompt
from textgym.policies.token_policy import SampledTokens, TokenPolicy
from textgym.rollouts.player import EpisodePlayer
from textgym.trajectories.episode_record import check_graded, components_of, named_figures
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.task_identity import EpisodeKey

__all__ = ["MessageEpisode", "TokenEpisode"]

Question = TypeVar("Question")
Answer = TypeVar("Answer")
Part = TypeVar("Part", Message, int)  # of a prompt: a message or a token
Result = TypeVar("Result")


async def _on_background(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine in the background loop, and wait without a thread."""
    return await asyncio.wrap_future(event_loops.start(coroutine))


class _Exchange(Generic[Question, Answer]):
    """Passes questions and answers. The policy holds it, not the episode, which can be freed."""

    def __init__(self) -> None:
        self.question: asyncio.Future[Question] | None = None
        self.answer: asyncio.Future[Answer] | None = None

    async def ask(self, question: Question) -> Answer:
        self.answer = asyncio.get_running_loop().create_future()
        assert self.question is not None
        self.question.set_result(question)
        return await self.answer


class _DrivenEpisode(ABC, Generic[Question, Answer, Part]):
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
        self._prompt: list[Part] = []  # the last one
        self._player, self._key, self._seed = player, key, seed
        self._exchange = _Exchange[Question, Answer]()
        self._policy = make_policy(self._exchange.ask)
        self._task: asyncio.Task[list[Trajectory]] | None = None

    def open(self) -> list[Part] | None:
        """Begin the episode; return its prompt, or None if it failed or the prompt is too long."""
        return self._shown(event_loops.run(self._begin()))

    async def aopen(self) -> list[Part] | None:
        """Begin the episode inside a running event loop; see `open`."""
        return self._shown(await _on_background(self._begin()))

    @abstractmethod
    def _shown(self, question: Question | None) -> list[Part] | None:
        """Return the prompt of a question, and keep it; None at the end."""

    def _appended(self, earlier: list[Part], skipped: int, problem: str) -> list[Part]:
        """Return the last prompt without what it must begin with, and what is skipped after it."""
        if self.trajectory is not None:
            check_graded(self.trajectory)
            return []
        if self._prompt[: len(earlier)] != earlier:
            raise TrainingError(f"{problem}, and the trainer only appends to the conversation")
        return self._prompt[len(earlier) + skipped :]

    def leave(self) -> None:
        """Cut the episode as a full context does; it keeps its rewards so far.

        Raises:
            UsageError: The episode has ended, or has not begun.
        """
        event_loops.run(self._leave())

    async def aleave(self) -> None:
        """Cut the episode inside a running event loop; see `leave`."""
        await _on_background(self._leave())

    def close(self) -> None:
        """Stop an episode that has not ended; it gets no trajectory."""
        event_loops.run(self._cancel())

    async def aclose(self) -> None:
        """Stop the episode inside a running event loop; see `close`."""
        await _on_background(self._cancel())

    def _awaited(self) -> asyncio.Future[Answer]:
        """The answer that the episode waits for."""
        answer = self._exchange.answer
        if answer is None or answer.done():
            raise UsageError(
                "the episode is not waiting for an answer: it has not begun, or has ended"
            )
        return answer

    async def _begin(self) -> Question | None:
        """Begin the episode; return its first question, or None if it ended at once."""
        if self._task is not None:
            raise UsageError("the episode has already begun: make another one")
        loop, rewards = asyncio.get_running_loop(), self.rewards  # without the episode itself

        def add_reward(_: EpisodeKey, reward: float) -> None:
            rewards.append(reward)

        playing = self._player.aplay(self._policy, [self._key], seed=self._seed, on_step=add_reward)
        self._task = task = loop.create_task(playing)
        weakref.finalize(self, lambda: loop.call_soon_threadsafe(task.cancel)).atexit = False
        return await self._next(loop.create_future())

    async def _reply(self, answer: Answer) -> Question | None:
        """Answer the last question; return the next one, or None at the end."""
        awaited, question = self._awaited(), asyncio.get_running_loop().create_future()
        awaited.set_result(answer)
        return await self._next(question)

    async def _leave(self) -> None:
        awaited = self._awaited()
        assert self._task is not None
        awaited.set_exception(ContextFullError("the trainer has left the episode"))
        (self.trajectory,) = await self._task

    async def _next(self, question: asyncio.Future[Question]) -> Question | None:
        """Return the policy's next question, once it is in the future; None at the end."""
        assert self._task is not None
        self._exchange.question = question
        futures: set[asyncio.Future[Any]] = {self._task, question}
        await asyncio.wait(futures, return_when=asyncio.FIRST_COMPLETED)
        if question.done():
            return question.result()
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
        check_graded(self.trajectory)
        return self.trajectory

    @property
    def components(self) -> dict[str, float]:
        """The reward components, summed over the steps; raises as `result` does."""
        return components_of(self.result)

    def figures(self, prefix: str = "") -> dict[str, float]:
        """Return the reward components by `prefix` and name, and `success`.

        Raises:
            UsageError: The episode has not ended.
            EnvironmentFailure: It failed.
        """
        return named_figures(self.result, prefix)


class _AskingPolicy(Policy):
    """Asks for each message, with the conversation and the tools."""

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
        return await self._ask((list(messages), list(tools)))


class MessageEpisode(_DrivenEpisode[tuple[list[Message], list[ToolSchema]], Action, Message]):
    """An episode for a trainer that exchanges messages or texts, and makes the tokens itself.

    Args:
        player: The player of the environment.
        key: The environment, the task, and which of its episodes this is.
        plain: Whether tools, calls and results are plain text, for trainers without tools: the
            first message describes the tools, and calls are read from texts in Hermes form.
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
        self._earlier: list[Message] = []  # the prompt before the last one

    def answer(self, message: str | Message, *, is_cut: bool = False) -> list[Message] | None:
        """Pass the policy's message; return the whole conversation, or None at the end.

        Args:
            message: The text of the message, or the message.
            is_cut: Whether a limit of tokens cut it.

        Raises:
            UsageError: The episode has ended, or has not begun.
        """
        return self._shown(event_loops.run(self._reply(_action_of(message, is_cut))))

    async def aanswer(
        self, message: str | Message, *, is_cut: bool = False
    ) -> list[Message] | None:
        """Pass the policy's message inside a running event loop; see `answer`."""
        return self._shown(await _on_background(self._reply(_action_of(message, is_cut))))

    def _shown(
        self, question: tuple[list[Message], list[ToolSchema]] | None
    ) -> list[Message] | None:
        if question is None:
            return None
        messages, tools = question
        self.tools = [] if self._plain else tools
        self._earlier = self._prompt
        self._prompt = with_tool_prompt(messages, tools) if self._plain else messages
        return list(self._prompt)

    @property
    def added(self) -> list[Message]:
        """The messages of the environment after the policy's last one: at first the whole prompt.

        It is empty at the end.

        Raises:
            EnvironmentFailure: The episode failed.
            TrainingError: The environment changed an earlier message.
        """
        skipped = 1 if self._earlier else 0  # the policy's own message
        return self._appended(self._earlier, skipped, "the environment changed an earlier message")


def _action_of(message: str | Message, is_cut: bool) -> Action:
    """Return a message as an action; calls in its text are read."""
    message = assistant(message) if isinstance(message, str) else message
    return with_parsed_calls(Action(message, finish_reason="length" if is_cut else "stop"))


class _DrivenTokenPolicy(TokenPolicy):
    """Asks for each message once: the trainer would take the same prompt for the next one."""

    sequence: Sequence[int] = ()  # the last prompt and message

    async def act(self, *conversation: Any, **options: Any) -> Action:
        """Answer a conversation; tokens that cannot be used end the episode as a failure."""
        try:
            action = await super().act(*conversation, **options)
        except PolicyFailure as error:
            raise UsageError(str(error)) from error  # is not retried
        self.sequence = [*(action.prompt_ids or ()), *(action.token_ids or ())]
        return action


class TokenEpisode(_DrivenEpisode[list[int], SampledTokens, int]):
    """An episode for a trainer that samples token ids.

    Args:
        player: The player of the environment.
        key: The environment, the task, and which of its episodes this is.
        tokenizer: The model's tokenizer, with a chat template.
        seed: As in `rollout`.
        context_length: A prompt with this many tokens cuts the episode; by default there is no
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

    _policy: _DrivenTokenPolicy

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
        def make_policy(
            ask: Callable[[list[int]], Awaitable[SampledTokens]],
        ) -> _DrivenTokenPolicy:
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

    def answer(self, sampled: SampledTokens) -> list[int] | None:
        """Pass sampled tokens; return the ids of the next prompt, or None at the end.

        Raises:
            UsageError: The episode has ended, or has not begun.
        """
        return self._shown(event_loops.run(self._reply(sampled)))

    async def aanswer(self, sampled: SampledTokens) -> list[int] | None:
        """Pass sampled tokens inside a running event loop; see `answer`."""
        return self._shown(await _on_background(self._reply(sampled)))

    def _shown(self, question: list[int] | None) -> list[int] | None:
        self._prompt = question or []
        return None if question is None else list(question)

    @property
    def added(self) -> list[int]:
        """The ids of the prompt after the sampled ones: at first the whole prompt.

        It is empty at the end.

        Raises:
            EnvironmentFailure: The episode failed.
            TrainingError: The chat template rewrote an earlier message.
        """
        sequence = list(self._policy.sequence)
        return self._appended(sequence, 0, "the chat template rewrote a message")
