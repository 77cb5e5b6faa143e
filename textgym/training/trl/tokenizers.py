"""The tokenizer with which a TRL trainer's model plays."""

from __future__ import annotations

from typing import Any

from textgym.policies.chat.templates import with_template_arguments

__all__ = ["tokenizer_of"]


def tokenizer_of(trainer: Any) -> Any:
    """Return a trainer's tokenizer, whose chat template has `chat_template_kwargs`.

    The models of a trainer that has a processor, which also reads images, play with its tokenizer.

    Args:
        trainer: A `GRPOTrainer`.
    """
    return with_template_arguments(
        trainer.processing_class, trainer.args.chat_template_kwargs or {}
    )
