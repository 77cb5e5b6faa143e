"""`vllm:MODEL`: a language model run by vLLM, in this process.

The engine is stepped on the caller's event loop. Requests made before a step are part of its batch,
and a finished request is answered before the next step. So the batch stays full, and no episode
waits for another. Prompts are token ids, and sampled ids are recorded unchanged. Pictures are read
as by `HFPolicy`: the engine gets one placeholder for each and expands it, as the codec does.

Invariant: an engine has one stepper, however many policies use it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import count
from threading import Lock
from typing import Any, ClassVar, Self
from weakref import WeakValueDictionary

from textgym.errors import (
    ExtraMissingError,
    PolicyFailure,
    UnknownNameError,
    UsageError,
    in_one_line,
    install_advice,
)
from textgym.messages import Message, ToolSchema
from textgym.policies.base import Action, Policy, Sampling, Tokens, one_id_each
from textgym.policies.chat.token_codec import ChatCodec
from textgym.policies.chat.vllm_parser import VLLMOutputParser, make_output_parser, shorten_error
from textgym.policies.models import (
    eos_token_ids,
    find_model,
    load_picture_reader,
    load_tokenizer,
)

__all__ = ["VLLMPolicy"]

_MAX_SEED = 2**63 - 1
_NEVER = -100.0  # added to a logit, so that its token is not sampled


class VLLMPolicy(Policy):
    """A language model run by vLLM, on the device that vLLM was built for.

    Tools, tool calls and reasoning are handled as by `HFPolicy`. Prefix caching is on.

    Args:
        model: A local folder or a hub id.
        sampling: How tokens are sampled.
        lora: The folder of a LoRA adapter to answer with.
        tool_parser: As in `HFPolicy`.
        reasoning_parser: As in `HFPolicy`.
        engine: Arguments of vLLM's `EngineArgs` by name, such as `max_model_len`.

    Raises:
        ExtraMissingError: The extra `vllm` is not installed.
        UnknownNameError: The model cannot be loaded.
        UsageError: vLLM does not accept these arguments.

    Attributes:
        engine: vLLM's `LLMEngine`.
        codec: Encodes prompts and decodes actions.
        version: The version of the weights; None until `load_weights` is called or you set it.
    """

    sampling: Sampling

    def __init__(
        self,
        model: str,
        sampling: Sampling,
        *,
        lora: str | None = None,
        tool_parser: str | None = None,
        reasoning_parser: str | None = None,
        engine: Mapping[str, Any] | None = None,
    ) -> None:
        location, gguf = find_model(model) if model else ("", None)
        if gguf or not location:
            raise UsageError("vllm: needs a local folder or a hub id: vllm:MODEL")
        # Made before the engine, which starts slowly, so that a wrong name fails at once.
        parser = make_output_parser(partial(load_tokenizer, model), tool_parser, reasoning_parser)
        made = _make_engine(location, {"enable_lora": bool(lora), **(engine or {})})
        tokenizer = made.get_tokenizer()
        self._set_up(f"vllm:{model}", made, tokenizer, sampling, parser, _lora_request(lora))

    @classmethod
    def of(
        cls,
        engine: Any,
        sampling: Sampling | Mapping[str, Any] | None = None,
        *,
        name: str | None = None,
        tokenizer: Any = None,
        tool_parser: str | None = None,
        reasoning_parser: str | None = None,
    ) -> Self:
        """Return a policy over an engine of the caller, such as a trainer's.

        The caller loads weights, sets `version` if actions should carry one, and closes the engine.
        While episodes are played, only policies may step the engine. Several policies may use it at
        once, for example with different samplings.

        Args:
            engine: vLLM's `LLM` or `LLMEngine`, in this process or in a process of its own.
            sampling: How tokens are sampled, or settings of `Sampling` by name.
            name: The policy's name in records; by default `vllm:` and the model's own.
            tokenizer: The model's tokenizer with another chat template; by default the engine's.
            tool_parser: As in `HFPolicy`.
            reasoning_parser: As in `HFPolicy`.

        Raises:
            UsageError: It is not such an engine, other requests are running in it, its model has no
                chat template, or an argument is invalid.

        Example:
            >>> from vllm import LLM  # doctest: +SKIP
            >>> llm = LLM("model")  # doctest: +SKIP
            >>> policy = VLLMPolicy.of(llm, {"max_tokens": 64})  # doctest: +SKIP
        """
        engine = getattr(engine, "llm_engine", engine)
        if not all(hasattr(engine, name) for name in ("add_request", "step", "get_tokenizer")):
            raise UsageError(
                f"VLLMPolicy.of needs vLLM's LLM or LLMEngine, not {type(engine).__name__}"
            )
        if engine.get_num_unfinished_requests() > len(_Stepper.of(engine).waiting):
            raise UsageError("VLLMPolicy.of: the engine has requests that are not finished")
        tokenizer = tokenizer or engine.get_tokenizer()
        parser = make_output_parser(lambda: tokenizer, tool_parser, reasoning_parser)
        policy = cls.__new__(cls)
        name = name or f"vllm:{engine.model_config.model}"
        policy._set_up(name, engine, tokenizer, Sampling.read(sampling), parser)
        policy._is_shared = True
        return policy

    def _set_up(
        self,
        name: str,
        engine: Any,
        tokenizer: Any,
        sampling: Sampling,
        parser: VLLMOutputParser | None,
        lora: Any = None,
    ) -> None:
        self.name, self.sampling, self.engine, self.tokenizer = name, sampling, engine, tokenizer
        self.version: str | None = None
        self._lora = lora
        self._is_shared = False  # the caller owns the engine
        config = engine.model_config
        if not self.tokenizer.chat_template:
            raise UnknownNameError(f"the model {config.model!r} has no chat template")
        ends = config.try_get_generation_config().get("eos_token_id")
        self.codec = ChatCodec(
            self.name,
            self.tokenizer,
            eos_token_ids(ends, self.tokenizer),
            config.max_model_len,
            parser,
            load_picture_reader(config.model, self.tokenizer, config.hf_config),
        )
        self._stepper = _Stepper.of(engine)

    async def act(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema],
        *,
        prior: Tokens | None = None,
        seed: int | None = None,
    ) -> Action:
        """Answer a conversation; see `Policy.act`.

        Raises:
            PolicyFailure: The engine failed, or read a picture as a different number of tokens.
            ContextFullError: The conversation fills the model's context.
            UsageError: Another event loop waits for answers, or the template refuses the
                conversation.
        """
        prompt = self.codec.encode_prompt(messages, tools, prior)
        version = self.version
        params = self.sampling_params(self.codec.context_length - len(prompt.ids), seed)
        asked: dict[str, Any] = {"prompt_token_ids": one_id_each(prompt.ids, prompt.spans)}
        if prompt.pictures:
            asked["multi_modal_data"] = {"image": [picture.image for picture in prompt.pictures]}
        completed = await self._stepper.complete(asked, params, self._lora)
        if prompt.pictures and list(completed.prompt_token_ids) != prompt.ids:
            raise PolicyFailure(
                f"{self.name}: the engine read {len(completed.prompt_token_ids)} tokens where the "
                f"model's image processor gives {len(prompt.ids)}"
            )
        output = completed.outputs[0]
        if output.finish_reason not in ("stop", "length"):
            raise PolicyFailure(f"{self.name}: the engine stopped with {output.finish_reason!r}")
        ids = list(output.token_ids)
        logprobs = [at[token].logprob for at, token in zip(output.logprobs, ids, strict=True)]
        finished = output.finish_reason == "stop"
        return self.codec.decode_action(
            prompt, ids, output.text, logprobs, finished=finished, policy_version=version
        )

    async def load_weights(self, weights: Iterable[tuple[str, Any]], version: str) -> None:
        """Load weights into the engine; later actions carry the version.

        Args:
            weights: Names and tensors, as in the model's own files, including a tied
                `lm_head.weight`.
            version: The version of the weights.

        Raises:
            UsageError: Requests are running; their tokens would come from two models.
            PolicyFailure: The engine did not empty its prefix cache.
        """
        if self._stepper.waiting:
            raise UsageError("weights cannot be loaded while requests are running")
        if not self.engine.reset_prefix_cache():
            raise PolicyFailure(f"{self.name}: the engine did not empty its prefix cache")
        self.version = f"{version}, loaded in part"  # the version if loading fails
        self.engine.collective_rpc("reload_weights", kwargs={"weights_iterator": iter(weights)})
        self.version = version

    async def close(self) -> None:
        """Stop the engine and free its memory, unless the caller owns it."""
        if not self._is_shared:
            self.engine.engine_core.shutdown()

    def sampling_params(self, room: int, seed: int | None) -> Any:
        """Return vLLM's sampling parameters of a request.

        Args:
            room: How many tokens fit the context after the prompt.
            seed: The seed given to `act`; its lowest 63 bits are used.
        """
        from vllm import SamplingParams
        from vllm.sampling_params import RequestOutputKind

        reader = self.codec.pictures
        return SamplingParams(
            temperature=self.sampling.temperature,
            top_p=self.sampling.top_p,
            top_k=self.sampling.top_k,
            min_p=self.sampling.min_p,
            max_tokens=min(self.sampling.max_tokens, room),
            stop=list(self.sampling.stop),
            seed=None if seed is None else seed & _MAX_SEED,
            logprobs=0,
            logit_bias=dict.fromkeys(reader.placeholder_ids, _NEVER) if reader else None,
            skip_special_tokens=self.codec.skip_special_tokens,
            output_kind=RequestOutputKind.FINAL_ONLY,
        )


class _Stepper:
    """Steps an engine as long as requests of any policy wait.

    Args:
        engine: vLLM's `LLMEngine`.

    Attributes:
        waiting: The future of each request's completion, by the request's id.
    """

    _known: ClassVar[WeakValueDictionary[int, _Stepper]] = WeakValueDictionary()
    _known_lock: ClassVar[Lock] = Lock()

    def __init__(self, engine: Any) -> None:
        self.waiting: dict[str, asyncio.Future[Any]] = {}
        self._engine = engine
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = Lock()
        self._task: asyncio.Task[None] | None = None
        self._ids = count()

    @classmethod
    def of(cls, engine: Any) -> _Stepper:
        """Return the stepper of an engine, which exists as long as a policy uses it."""
        with cls._known_lock:
            stepper = cls._known.get(id(engine))
            if stepper is None:
                stepper = cls._known[id(engine)] = cls(engine)
            return stepper

    async def complete(self, prompt: Mapping[str, Any], params: Any, lora: Any) -> Any:
        """Return the engine's output for a prompt.

        Args:
            prompt: The prompt, as vLLM takes it.
            params: vLLM's sampling parameters.
            lora: vLLM's request of a LoRA adapter, or None.

        Raises:
            PolicyFailure: The engine failed.
            UsageError: Another event loop waits for answers.
        """
        loop = asyncio.get_running_loop()
        id = str(next(self._ids))
        done = self._add_future(id, loop)
        try:
            self._engine.add_request(id, prompt, params, lora_request=lora)
        except Exception as error:
            del self.waiting[id]
            raise PolicyFailure(f"vllm: {in_one_line(error)}") from error
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._run_steps(loop))
        try:
            return await done
        finally:
            if self.waiting.pop(id, None):  # the caller was cancelled
                self._engine.abort_request([id])

    def _add_future(self, id: str, loop: asyncio.AbstractEventLoop) -> asyncio.Future[Any]:
        """Return a request's future; the engine serves one event loop while requests wait."""
        with self._lock:
            if self._loop is not loop:
                if self.waiting and self._loop and not self._loop.is_closed():
                    raise UsageError(
                        "vllm: an engine was used from two event loops at once: it runs in one, "
                        "and serves another only when no request waits"
                    )
                self._abort_all()
                self._loop, self._task = loop, None
            done = self.waiting[id] = loop.create_future()
        return done

    async def _run_steps(self, loop: asyncio.AbstractEventLoop) -> None:
        """Step the engine until no request waits; other tasks run between the steps."""
        while True:
            await asyncio.sleep(0)
            if not self.waiting or self._loop is not loop:
                return
            try:
                outputs = self._engine.step()
            except Exception as error:
                self._fail(error)
                return
            for output in outputs:
                done = self.waiting.pop(output.request_id, None)
                if done and not done.done():
                    done.set_result(output)

    def _fail(self, error: Exception) -> None:
        failure = PolicyFailure(f"vllm: {in_one_line(error)}")
        failure.__cause__ = error
        for done in self._abort_all():
            if not done.done():
                done.set_exception(failure)

    def _abort_all(self) -> list[asyncio.Future[Any]]:
        waiting, self.waiting = self.waiting, {}
        if waiting:
            with contextlib.suppress(Exception):  # the engine may be broken
                self._engine.abort_request(list(waiting))
        return list(waiting.values())


def _lora_request(lora: str | None) -> Any:
    if not lora:
        return None
    from vllm.lora.request import LoRARequest

    return LoRARequest("adapter", 1, lora)


def _make_engine(model: str, overrides: Mapping[str, Any]) -> Any:
    # The engine runs in this process, where weights can be loaded into it.
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
    try:
        from vllm import EngineArgs, LLMEngine
        from vllm.platforms import current_platform
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            f"vllm: policies need the extra 'vllm' ({error.name} is missing): "
            f"{install_advice('vllm')}"
        ) from error
    arguments: dict[str, Any] = {
        "enable_prefix_caching": True,
        "generation_config": "vllm",  # do not apply the model's own sampling defaults
        "disable_log_stats": True,
    }
    if current_platform.is_cpu():
        # Chunked prefill of a request with a seed crashes the engine on a CPU.
        arguments |= {"enable_chunked_prefill": False, "dtype": "float32", "enforce_eager": True}
    try:
        config = EngineArgs(model=model, **{**arguments, **overrides})
    except TypeError as error:
        raise UsageError(f"vLLM does not accept these engine arguments: {error}") from error
    try:
        return LLMEngine.from_engine_args(config)
    except (OSError, ValueError) as error:
        raise UnknownNameError(
            f"the model {model!r} cannot be loaded: {shorten_error(error)}"
        ) from error
