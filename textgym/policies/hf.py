"""`hf:MODEL`: a causal language model run by transformers.

Requests that arrive while a batch runs form the next batch. Each request is sampled with its own
seed, independent of the other requests in its batch. The model runs in one thread of its own, which
serves any number of event loops; requests of different event loops are never in one batch.

Vision-language models of Qwen's kind read the pictures of a conversation. They never sample a
placeholder of a picture, because the model would look for one more picture.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from inspect import signature
from typing import Any, Self

from textgym.errors import PolicyFailure, UsageError
from textgym.messages import Message, ToolSchema
from textgym.policies.base import Action, Policy, Sampling, Tokens
from textgym.policies.chat.pictures import PictureReader
from textgym.policies.chat.token_codec import ChatCodec, EncodedPrompt
from textgym.policies.chat.vllm_parser import VLLMOutputParser, make_output_parser
from textgym.policies.models import (
    DEFAULT_MODEL,
    Placement,
    base_model,
    eos_token_ids,
    generation_mode,
    import_transformers,
    load_model,
    load_picture_reader,
    load_tokenizer,
)

__all__ = ["HFPolicy"]

_DEFAULT_CONTEXT_LENGTH = 4096


@dataclass(slots=True, eq=False)
class _Request:
    """A request; it is abandoned if its caller was cancelled."""

    prompt: EncodedPrompt
    seed: int | None
    done: asyncio.Future[Action]
    batch: _Batch | None = None

    @property
    def abandoned(self) -> bool:
        return self.done.cancelled()


@dataclass(slots=True, eq=False)
class _Batch:
    """Requests that the model's thread answers together."""

    requests: list[_Request]
    answers: asyncio.Future[list[Action]]

    async def end_if_abandoned(self) -> None:
        """Wait until the model is free if all requests are abandoned."""
        if all(request.abandoned for request in self.requests):
            await asyncio.wait([self.answers])


@dataclass(frozen=True, slots=True)
class _Queue:
    """The waiting requests of an event loop, and the task that answers them."""

    waiting: list[_Request]
    server: asyncio.Task[None]


class HFPolicy(Policy):
    """A language model run by transformers.

    The weights are floats, so that they can be trained; a .gguf file is dequantised.

    If the chat template ignores tools, textgym's own tool prompt describes them. Tool calls in
    Hermes form (see `textgym.policies.chat.hermes`) are parsed if this prompt asks for them or the
    template writes them. For any other form, `tool_parser` names vLLM's parser of the model family;
    without it such calls stay text.

    Args:
        model: As in `find_model`.
        sampling: How tokens are sampled.
        batch_size: The maximum number of requests in a batch.
        device: Where the model runs, such as `cpu` or `cuda:1`; by default a GPU if there is one.
        dtype: `float32`, `bfloat16`, `float16`, or `auto` for the model's own; by default bfloat16
            on a GPU and float32 elsewhere.
        attn_implementation: The implementation of attention, such as `sdpa` or `eager`.
        tool_parser: The parser of tool calls, such as `llama3_json`; see `VLLMOutputParser`.
        reasoning_parser: The parser of the reasoning; by default, reasoning is between think tags.

    Raises:
        ExtraMissingError: The extra `hf`, the package of the default model, or (for a parser) the
            extra `vllm` is not installed.
        UnknownNameError: The model cannot be loaded, or there is no such parser.
        UsageError: An argument is invalid, the device cannot be used, or a parser does not work
            with the model.

    Attributes:
        sampling: How tokens are sampled.
        tokenizer: The model's tokenizer.
        model: The transformers model. It may be trained in place between answers.
        codec: Encodes prompts and decodes actions.
        version: The version of the weights, which actions carry; None until you set it.
        logprob_temperature: The temperature of the recorded log probabilities. By default it is 1,
            for the model's own distribution. A trainer that divides logits by a temperature needs
            that temperature.
    """

    sampling: Sampling

    def __init__(
        self,
        model: str,
        sampling: Sampling,
        batch_size: int = 32,
        *,
        device: str | None = None,
        dtype: str | None = None,
        attn_implementation: str | None = None,
        tool_parser: str | None = None,
        reasoning_parser: str | None = None,
    ) -> None:
        _check_batch_size(batch_size)
        place = Placement(device, dtype, attn_implementation)
        tokenizer = load_tokenizer(model)
        parser = make_output_parser(lambda: tokenizer, tool_parser, reasoning_parser)
        pictures = load_picture_reader(model, tokenizer)
        loader = "AutoModelForImageTextToText" if pictures else "AutoModelForCausalLM"
        loaded = load_model(model, place, loader)
        name = f"hf:{model or DEFAULT_MODEL}"
        self._set_up(name, loaded, tokenizer, sampling, batch_size, parser, pictures)

    @classmethod
    def of(
        cls,
        model: Any,
        tokenizer: Any,
        sampling: Sampling | Mapping[str, Any] | None = None,
        batch_size: int = 32,
        *,
        name: str | None = None,
        tool_parser: str | None = None,
        reasoning_parser: str | None = None,
        image_processor: Any = None,
    ) -> Self:
        """Return a policy over a model of the caller, such as a model that is being trained.

        The model is not copied or moved. It generates in evaluation mode; afterwards its mode and
        its generation config are restored.

        Args:
            model: A causal language model of transformers, or a peft model around one.
            tokenizer: Its tokenizer, with a chat template. It is not changed.
            sampling: How tokens are sampled, or settings of `Sampling` by name.
            batch_size: The maximum number of requests in a batch.
            name: The policy's name in records; by default `hf:` and the model's own.
            tool_parser: As in `HFPolicy`.
            reasoning_parser: As in `HFPolicy`.
            image_processor: The image processor of a vision-language model; without it, a
                conversation with a picture is refused.

        Raises:
            UsageError: The tokenizer has no chat template, an argument is invalid, or the model
                does not read pictures as Qwen's models do.
        """
        if not tokenizer.chat_template:
            raise UsageError("HFPolicy.of: the tokenizer has no chat template")
        _check_batch_size(batch_size)
        parser = make_output_parser(lambda: tokenizer, tool_parser, reasoning_parser)
        policy = cls.__new__(cls)
        name = name or f"hf:{model.config.name_or_path or type(model).__name__}"
        pictures = (
            PictureReader(model.config, tokenizer, image_processor) if image_processor else None
        )
        settings = Sampling.read(sampling)
        policy._set_up(name, model, tokenizer, settings, batch_size, parser, pictures)
        return policy

    def _set_up(
        self,
        name: str,
        model: Any,
        tokenizer: Any,
        sampling: Sampling,
        batch_size: int,
        parser: VLLMOutputParser | None,
        pictures: PictureReader | None,
    ) -> None:
        self.name, self.model, self.tokenizer = name, model, tokenizer
        self.sampling, self.batch_size = sampling, batch_size
        self.version: str | None = None
        self.logprob_temperature = 1.0
        config = model.config.get_text_config()
        length = getattr(config, "max_position_embeddings", 0)
        ends = eos_token_ids(model.generation_config.eos_token_id, tokenizer)
        self._generation_config = _generation_config(ends, tokenizer)
        self.codec = ChatCodec(
            name, tokenizer, ends, int(length or _DEFAULT_CONTEXT_LENGTH), parser, pictures
        )
        self._queues: dict[asyncio.AbstractEventLoop, _Queue] = {}
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="textgym-hf")

    async def act(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema],
        *,
        prior: Tokens | None = None,
        seed: int | None = None,
    ) -> Action:
        """Answer a conversation; see `Policy.act`."""
        prompt = self.codec.encode_prompt(messages, tools, prior)
        loop = asyncio.get_running_loop()
        request = _Request(prompt, seed, loop.create_future())
        queue = self._queues.get(loop)
        if queue is None or queue.server.done():
            waiting: list[_Request] = []
            queue = _Queue(waiting, loop.create_task(self._serve(loop, waiting)))
            self._queues[loop] = queue
        queue.waiting.append(request)
        try:
            return await request.done
        except asyncio.CancelledError:
            if request.batch is not None:
                await request.batch.end_if_abandoned()
            raise

    @property
    def context_length(self) -> int:
        """The maximum number of tokens in the context."""
        return self.codec.context_length

    async def close(self) -> None:
        """Stop the thread that the model runs in."""
        self._thread.shutdown()

    async def _serve(self, loop: asyncio.AbstractEventLoop, waiting: list[_Request]) -> None:
        """Answer the requests of an event loop, batch after batch, until there are none."""
        try:
            await asyncio.sleep(0)  # requests made at the same time join the first batch
            while batch := self._next_batch(waiting):
                await self._answer(batch)
        finally:
            self._queues.pop(loop, None)

    def _next_batch(self, waiting: list[_Request]) -> list[_Request]:
        """Take waiting requests; a prompt near the context limit has a batch of its own."""
        waiting[:] = [request for request in waiting if not request.abandoned]
        room = self.context_length - self.sampling.max_tokens
        long = next((r for r in waiting if len(r.prompt.ids) > room), None)
        batch = [long] if long else waiting[: self.batch_size]
        waiting[:] = [request for request in waiting if request not in batch]
        return batch

    async def _answer(self, requests: list[_Request]) -> None:
        loop = asyncio.get_running_loop()
        try:
            answers = loop.run_in_executor(self._thread, self._generate, requests)
        except RuntimeError as error:  # the policy is closed
            answers = loop.create_future()
            answers.set_exception(error)
        batch = _Batch(requests, answers)
        for request in requests:
            request.batch = batch
        await asyncio.wait([answers])  # continues if this task is cancelled
        if cause := answers.exception():
            failure = PolicyFailure(f"{self.name}: {type(cause).__name__}: {cause}")
            failure.__cause__ = cause
        for index, request in enumerate(requests):
            if request.abandoned:
                continue
            if cause:
                request.done.set_exception(failure)
            else:
                request.done.set_result(answers.result()[index])

    def _generate(self, batch: Sequence[_Request]) -> list[Action]:
        import torch

        from textgym.policies.hf_sampling import Abandoned, Sampler

        prompts = [request.prompt.ids for request in batch]
        longest = max(map(len, prompts))
        pad = self._generation_config.pad_token_id
        rows = [[pad] * (longest - len(ids)) + ids for ids in prompts]
        mask = [[0] * (longest - len(ids)) + [1] * len(ids) for ids in prompts]
        generators = [random.Random(request.seed) for request in batch]
        reader = self.codec.pictures
        excluded = reader.placeholder_ids if reader else ()
        sampler = Sampler(self.sampling, generators, excluded, self.logprob_temperature)
        input_ids = torch.tensor(rows, device=self.model.device)
        stop = list(self.sampling.stop)
        with torch.inference_mode(), generation_mode(self.model, self._generation_config):
            output = self.model.generate(
                input_ids,
                attention_mask=torch.tensor(mask, device=self.model.device),
                max_new_tokens=min(self.sampling.max_tokens, self.context_length - longest),
                do_sample=False,
                logits_processor=[sampler],
                stopping_criteria=[Abandoned(lambda: [request.abandoned for request in batch])],
                **({"stop_strings": stop, "tokenizer": self.tokenizer} if stop else {}),
                **self._picture_inputs(batch, input_ids),
            )
        sampled = output[:, longest:].tolist()
        logprobs = sampler.logprobs()
        return [
            self._action(request, ids, row)
            for request, ids, row in zip(batch, sampled, logprobs, strict=True)
        ]

    def _picture_inputs(self, batch: Sequence[_Request], input_ids: Any) -> dict[str, Any]:
        """Return the model's inputs beside the ids: the pictures of all rows, row after row."""
        import torch

        reader = self.codec.pictures
        pictures = [picture for request in batch for picture in request.prompt.pictures]
        if not reader or not pictures:
            return {}
        inputs = {
            "pixel_values": torch.cat([picture.pixel_values for picture in pictures]),
            "image_grid_thw": torch.cat([picture.grid_thw for picture in pictures]),
        }
        # Newer versions of transformers find the pictures by the types of the tokens.
        if "mm_token_type_ids" in signature(base_model(self.model).forward).parameters:
            inputs["mm_token_type_ids"] = (input_ids == reader.token_id).int()
        return {name: tensor.to(self.model.device) for name, tensor in inputs.items()}

    def _action(self, request: _Request, ids: list[int], logprobs: list[float]) -> Action:
        length = next(
            (i + 1 for i, token in enumerate(ids) if token in self.codec.eos_token_ids), None
        )
        finished = length is not None
        ids = ids[:length]
        text = self._text(ids[:-1] if finished else ids)
        for stop in self.sampling.stop:
            if stop in text:
                finished, text = True, text[: text.index(stop)]
                ids = self._cut_at(ids, stop)
        return self.codec.decode_action(
            request.prompt,
            ids,
            text,
            logprobs[: len(ids)],
            finished=finished,
            policy_version=self.version,
        )

    def _cut_at(self, ids: list[int], stop: str) -> list[int]:
        """Drop the padding after the stop text of a row that finished early."""
        for length in range(1, len(ids) + 1):
            if stop in self._text(ids[:length]):
                return ids[:length]
        return ids

    def _text(self, ids: list[int]) -> str:
        text: str = self.tokenizer.decode(ids, skip_special_tokens=self.codec.skip_special_tokens)
        return text


def _check_batch_size(batch_size: Any) -> None:
    if not isinstance(batch_size, int) or batch_size < 1:
        raise UsageError(f"batch_size must be an integer of 1 or more, not {batch_size!r}")


def _generation_config(ends: Collection[int], tokenizer: Any) -> Any:
    """Return a config with the end of messages and without any other default."""
    pad = tokenizer.pad_token_id
    return import_transformers()[1].GenerationConfig(
        eos_token_id=sorted(ends) or None, pad_token_id=min(ends, default=0) if pad is None else pad
    )
