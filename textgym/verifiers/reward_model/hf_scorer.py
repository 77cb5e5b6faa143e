"""`hf-rm:MODEL`: a sequence classification model with one label, run by transformers.

Conversations that wait while the model runs are its next batch, sorted by length.

Invariants: a conversation's score does not depend on its batch (except for rounding); if a
conversation breaks a batch, only it fails; the chat template is applied once, and the text ends
with the end of the reply, never with the start of another message.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from textgym.errors import ContextFullError, UsageError
from textgym.messages import Message
from textgym.policies.chat.templates import encode, render
from textgym.policies.models import (
    Placement,
    evaluation_mode,
    import_transformers,
    load_model,
    load_tokenizer,
)

__all__ = ["HFScorer"]

_MAX_BATCH = 64


class HFScorer:
    """Scores conversations with a model of transformers.

    Args:
        model: A folder or hub id.
        cuts: Whether a conversation that exceeds the model's context loses its beginning.

    Raises:
        ExtraMissingError: The extra `hf` is not installed.
        UnknownNameError: The model cannot be loaded, or has no chat template.
        UsageError: The model does not have exactly one label.
    """

    def __init__(self, model: str, *, cuts: bool = False) -> None:
        self._torch = import_transformers()[0]
        self._tokenizer = load_tokenizer(model)
        place = Placement(None, None, None)
        self._device = place.device
        self._model = load_model(model, place, "AutoModelForSequenceClassification")
        config = self._model.config
        if config.num_labels != 1:
            raise UsageError(
                f"the model {model!r} has {config.num_labels} labels; a reward model has one"
            )
        if config.pad_token_id is None:
            config.pad_token_id = self._tokenizer.pad_token_id
        self._longest = min(
            self._tokenizer.model_max_length,
            getattr(config, "max_position_embeddings", None) or math.inf,
        )
        self._cuts = cuts
        added = self._tokenizer.added_tokens_decoder.values()
        self._control = {str(token) for token in added if token.special}
        self._thread = ThreadPoolExecutor(1, "textgym-reward-model")
        self._waiting: list[tuple[list[int], asyncio.Future[float]]] = []
        self._server: asyncio.Task[None] | None = None

    def has_control_token(self, text: str) -> bool:
        """Return whether a text contains a special token, such as one that ends a message."""
        return any(token in text for token in self._control)

    async def score(self, messages: Sequence[Message]) -> float:
        """Return the score of a conversation that ends with a reply; call it on one event loop.

        Raises:
            ContextFullError: The conversation exceeds the model's context, and is not to be cut.
        """
        text = render(self._tokenizer, messages, (), add_generation_prompt=False)
        end = self._tokenizer.eos_token
        if end and not text.rstrip().endswith(end):
            text = text.rstrip() + end
        ids = encode(self._tokenizer, text)
        if len(ids) > self._longest:
            if not self._cuts:
                raise ContextFullError(
                    f"the conversation has {len(ids)} tokens; the model reads {self._longest}"
                )
            ids = ids[-int(self._longest) :]
        score: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._waiting.append((ids, score))
        if self._server is None:
            self._server = asyncio.create_task(self._serve())
        return await score

    async def _serve(self) -> None:
        """Score what waits, until nothing does."""
        while self._waiting:
            self._waiting = [item for item in self._waiting if not item[1].done()]
            self._waiting.sort(key=lambda item: len(item[0]))
            batch, self._waiting = self._waiting[:_MAX_BATCH], self._waiting[_MAX_BATCH:]
            if batch:
                await self._answer(batch)
        self._server = None

    async def _answer(self, batch: list[tuple[list[int], asyncio.Future[float]]]) -> None:
        loop = asyncio.get_running_loop()
        try:
            scores = await loop.run_in_executor(
                self._thread, self._compute, [ids for ids, _ in batch]
            )
        except Exception as error:
            if len(batch) > 1:
                for item in batch:
                    await self._answer([item])
            elif not batch[0][1].done():
                batch[0][1].set_exception(error)
            return
        for (_, score), value in zip(batch, scores, strict=True):
            if not score.done():
                score.set_result(value)

    def _compute(self, batch: list[list[int]]) -> list[float]:
        """Run the model in its thread."""
        torch, pad = self._torch, self._tokenizer.pad_token_id
        width = max(map(len, batch))
        ids = torch.tensor([row + [pad] * (width - len(row)) for row in batch])
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in batch])
        with torch.inference_mode(), evaluation_mode(self._model):
            logits = self._model(
                input_ids=ids.to(self._device), attention_mask=mask.to(self._device)
            ).logits
        scores: list[float] = logits[:, 0].float().tolist()
        return scores
