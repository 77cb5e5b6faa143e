"""A tiny chat model from scratch: a word tokenizer, random weights and supervised training."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import transformers.utils.logging
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

__all__ = ["imitate", "make_model", "make_tokenizer", "save", "score"]

WORDS = ["<|unknown|>", "<|pad|>", "<|end|>", "<|user|>", "<|assistant|>"]
TEMPLATE = (
    "{% for m in messages %}<|{{ m.role }}|>{% if m.role == 'assistant' %}"
    "{% generation %}{{ m.content }}<|end|>{% endgeneration %}"
    "{% else %}{{ m.content }}<|end|>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def make_tokenizer(conversations: Sequence[Any]) -> Any:
    """Make a tokenizer with the words of some conversations and a chat template."""
    words = Tokenizer(models.WordLevel(unk_token=WORDS[0]))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    texts = (message["content"] for messages in conversations for message in messages)
    words.train_from_iterator(texts, trainers.WordLevelTrainer(special_tokens=WORDS))
    return PreTrainedTokenizerFast(
        tokenizer_object=words,
        unk_token=WORDS[0],
        pad_token=WORDS[1],
        eos_token=WORDS[2],
        chat_template=TEMPLATE,
    )


def make_model(tokenizer: Any) -> Any:
    """Make a causal language model with 85,000 random weights."""
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=64,
            intermediate_size=128,
            num_hidden_layers=2,
            num_attention_heads=2,  # with 32 dimensions, the smallest that vLLM supports on a CPU
            max_position_embeddings=256,
            tie_word_embeddings=True,
            initializer_range=0.1,  # a narrow model learns nothing from the usual 0.02
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )


def score(model: Any, ids: Any, attention: Any) -> Any:
    """Return the log probabilities of all tokens at each position except the first."""
    return model(input_ids=ids, attention_mask=attention).logits[:, :-1].log_softmax(dim=-1)


def imitate(model: Any, tokenizer: Any, conversations: Sequence[Any], steps: int = 30) -> None:
    """Train a model on the assistant messages of some conversations."""
    batch = tokenizer.apply_chat_template(
        conversations,
        return_dict=True,
        return_assistant_tokens_mask=True,
        padding=True,
        return_tensors="pt",
    )
    ids, said = batch["input_ids"], torch.as_tensor(batch["assistant_masks"])[:, 1:]
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    for _ in range(steps):
        scores = score(model, ids, batch["attention_mask"])
        logprobs = scores.gather(2, ids[:, 1:, None]).squeeze(2)
        loss = -(logprobs * said).sum() / said.sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def save(model: Any, tokenizer: Any, folder: str | Path) -> None:
    """Save a model and its tokenizer in the form that transformers and vLLM read."""
    transformers.utils.logging.disable_progress_bar()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
