"""`vllm:MODEL`: a language model run by vLLM, in this process.

The engine is stepped on the event loop that asks. Whatever asked before a step is in its batch, and
a request that has ended is answered before the next step: so the batch stays full, and no episode
waits for another. Prompts go in as token ids, and what comes out is recorded id for id.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from threading import Lock
from typing import Any

from textgym.errors import ExtraMissingError, PolicyFailure, UnknownNameError, UsageError
from textgym.messages import Message, ToolSchema
from textgym.policies.base import Action, Policy, Sampling, Tokens
from textgym.policies.chat.codec import Prompt, Recorder
from textgym.policies.chat.templates import render
from textgym.policies.chat.vllm_parser import FamilyParser
from textgym.policies.hf import end_ids, find_model, load_tokenizer

__all__ = ["VLLMPolicy"]

_LARGEST_SEED = 2**63 - 1
_MOST_SHOWN = 300


class VLLMPolicy(Policy):
    """A language model run by vLLM, on whatever device vLLM was built for.

    Tools, calls and reasoning are as with `HFPolicy`. Prefix caching is on.

    Args:
        model: A local folder or a hub id.
        sampling: How tokens are drawn.
        lora: The folder of a LoRA adapter that answers instead of the bare model.
        tool_parser: As in `HFPolicy`.
        reasoning_parser: As in `HFPolicy`.
        engine: Arguments of vLLM's `EngineArgs` by name, such as `max_model_len`.

    Raises:
        ExtraMissingError: The extra `vllm` is not installed.
        UnknownNameError: The model cannot be loaded.
        UsageError: vLLM does not take these arguments.

    Attributes:
        engine: vLLM's `LLMEngine`.
        recorder: What makes prompts of conversations, and actions of tokens.
        version: Which weights answer; None until some are loaded.
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
        place, gguf = find_model(model) if model else ("", None)
        if gguf or not place:
            raise UsageError("vllm: needs a model, a local folder or a hub id: vllm:MODEL")
        self.name = f"vllm:{model}"
        self.sampling = sampling
        self.version: str | None = None
        # Made before the engine, which takes long: a wrong name is told at once.
        named = (tool_parser, reasoning_parser)
        parser = FamilyParser(load_tokenizer(model), *named) if any(named) else None
        self.engine = _make_engine(place, {"enable_lora": bool(lora), **(engine or {})})
        self._lora = _lora_request(lora)
        config = self.engine.model_config
        self.tokenizer = self.engine.get_tokenizer()
        if not self.tokenizer.chat_template:
            raise UnknownNameError(f"the model {model!r} has no chat template")
        ends = config.try_get_generation_config().get("eos_token_id")
        self.recorder = Recorder(
            self.name,
            self.tokenizer,
            end_ids(ends, self.tokenizer),
            config.max_model_len,
            parser,
        )
        self._waiting: dict[str, asyncio.Future[Any]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._claiming = Lock()
        self._stepper: asyncio.Task[None] | None = None
        self._numbers = count()

    def prompt_text(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> str:
        """Return the text that the model reads."""
        return render(self.tokenizer, messages, tools)

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
            PolicyFailure: The engine failed.
            ContextFullError: The conversation fills the model's context.
            UsageError: Another event loop waits for answers, or the template refuses.
        """
        prompt = self.recorder.prompt(messages, tools, prior)
        version = self.version
        output = await self._sample(prompt, seed)
        if output.finish_reason not in ("stop", "length"):
            raise PolicyFailure(f"{self.name}: the engine broke off: {output.finish_reason}")
        ids = list(output.token_ids)
        logprobs = [at[token].logprob for at, token in zip(output.logprobs, ids, strict=True)]
        finished = output.finish_reason == "stop"
        return self.recorder.action(
            prompt, ids, output.text, logprobs, finished=finished, version=version
        )

    async def load_weights(self, weights: Iterable[tuple[str, Any]], version: str) -> None:
        """Load weights into the engine, whose later answers carry the version.

        Args:
            weights: Names and tensors, as in the model's own files; a tied `lm_head.weight` too.
            version: What the weights are called.

        Raises:
            UsageError: Answers are under way, which would be of two models.
            PolicyFailure: The engine keeps what the weights before computed.
        """
        if self._waiting:
            raise UsageError("weights are loaded between answers, and some are under way")
        if not self.engine.reset_prefix_cache():
            raise PolicyFailure(f"{self.name}: the engine did not empty its prefix cache")
        self.version = f"{version}, loaded in part"  # what answers if loading fails
        self.engine.collective_rpc("reload_weights", kwargs={"weights_iterator": iter(weights)})
        self.version = version

    async def close(self) -> None:
        """Stop the engine, and free its memory."""
        self.engine.engine_core.shutdown()

    def sampling_params(self, room: int, seed: int | None) -> Any:
        """Return vLLM's sampling parameters of a request.

        Args:
            room: How many tokens fit the context after the prompt.
            seed: As `act` is given it; its lowest 63 bits are used.
        """
        from vllm import SamplingParams
        from vllm.sampling_params import RequestOutputKind

        return SamplingParams(
            temperature=self.sampling.temperature,
            top_p=self.sampling.top_p,
            top_k=self.sampling.top_k,
            max_tokens=min(self.sampling.max_tokens, room),
            stop=list(self.sampling.stop),
            seed=None if seed is None else seed & _LARGEST_SEED,
            logprobs=0,
            skip_special_tokens=self.recorder.drops_special_tokens,
            output_kind=RequestOutputKind.FINAL_ONLY,
        )

    async def _sample(self, prompt: Prompt, seed: int | None) -> Any:
        """Return the engine's completion of a prompt."""
        loop = asyncio.get_running_loop()
        room = self.recorder.context - len(prompt.ids)
        params = self.sampling_params(room, seed)
        id = str(next(self._numbers))
        done = self._wait_for(id, loop)
        try:
            asked = {"prompt_token_ids": prompt.ids}
            self.engine.add_request(id, asked, params, lora_request=self._lora)
        except Exception as error:
            del self._waiting[id]
            raise PolicyFailure(f"{self.name}: {type(error).__name__}: {error}") from error
        if self._stepper is None or self._stepper.done():
            self._stepper = loop.create_task(self._step(loop))
        try:
            return await done
        finally:
            if self._waiting.pop(id, None):  # nobody waits for it any more
                self.engine.abort_request([id])

    def _wait_for(self, id: str, loop: asyncio.AbstractEventLoop) -> asyncio.Future[Any]:
        """Return what will hold an answer; the engine serves one event loop while some wait."""
        with self._claiming:
            if self._loop is not loop:
                if self._waiting and self._loop and not self._loop.is_closed():
                    raise UsageError(
                        f"{self.name} is asked from two event loops at once: its engine runs in "
                        "one, and serves another when nothing waits"
                    )
                self._forget()
                self._loop, self._stepper = loop, None
            done = self._waiting[id] = loop.create_future()
        return done

    async def _step(self, loop: asyncio.AbstractEventLoop) -> None:
        """Step the engine until nothing waits; between steps, all others of the loop run."""
        while True:
            await asyncio.sleep(0)
            if not self._waiting or self._loop is not loop:
                return
            try:
                outputs = self.engine.step()
            except Exception as error:
                self._fail(error)
                return
            for output in outputs:
                done = self._waiting.pop(output.request_id, None)
                if done and not done.done():
                    done.set_result(output.outputs[0])

    def _fail(self, error: Exception) -> None:
        """Tell all that wait, and forget their requests."""
        for done in self._forget():
            if not done.done():
                done.set_exception(PolicyFailure(f"{self.name}: {type(error).__name__}: {error}"))

    def _forget(self) -> list[asyncio.Future[Any]]:
        """Give all requests up, and return what waited for them."""
        waiting, self._waiting = self._waiting, {}
        if waiting:
            with contextlib.suppress(Exception):  # the engine may be past hearing
                self.engine.abort_request(list(waiting))
        return list(waiting.values())


def _lora_request(lora: str | None) -> Any:
    if not lora:
        return None
    from vllm.lora.request import LoRARequest

    return LoRARequest("adapter", 1, lora)


def _make_engine(model: str, given: Mapping[str, Any]) -> Any:
    # The engine runs in this process, where weights can be loaded into it.
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
    try:
        from vllm import EngineArgs, LLMEngine
        from vllm.platforms import current_platform
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            f"vllm: policies need the extra 'vllm' ({error.name} is missing): "
            "pip install 'textgym[vllm]'"
        ) from error
    arguments: dict[str, Any] = {
        "enable_prefix_caching": True,
        "generation_config": "vllm",  # nothing is drawn otherwise than it was asked for
        "disable_log_stats": True,
    }
    if current_platform.is_cpu():
        # A prompt with a seed that is read in chunks ends the engine: prompts are read whole.
        arguments |= {"enable_chunked_prefill": False, "dtype": "float32", "enforce_eager": True}
    try:
        config = EngineArgs(model=model, **{**arguments, **given})
    except TypeError as error:
        raise UsageError(f"vLLM does not take these engine arguments: {error}") from error
    try:
        return LLMEngine.from_engine_args(config)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:_MOST_SHOWN]
        raise UnknownNameError(f"the model {model!r} cannot be loaded: {reason}") from error
