"""Vision-language models of Qwen's classes with about 100,000 random weights, and their parts."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

from textgym.messages import Message

SPECIAL = [
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>",
    "<|image_pad|>", "<|video_pad|>",
]  # fmt: skip
PLACEHOLDER = "<|image_pad|>"
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n"
    "{% if m.content is string %}{{ m.content }}{% else %}{% for part in m.content %}"
    "{% if part.type == 'image' %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% else %}{{ part.text }}{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


FAMILIES = ("Qwen2VL", "Qwen2_5_VL", "Qwen3VL")
_VISION = {
    "Qwen2VL": {"depth": 2, "embed_dim": 32, "hidden_size": 32, "num_heads": 2, "mlp_ratio": 2},
    "Qwen2_5_VL": {
        "depth": 2, "hidden_size": 32, "out_hidden_size": 32, "num_heads": 2,
        "intermediate_size": 64, "fullatt_block_indexes": [1],
    },
    "Qwen3VL": {
        "depth": 2, "hidden_size": 32, "out_hidden_size": 32, "num_heads": 2,
        "intermediate_size": 64, "deepstack_visual_indexes": [0], "num_position_embeddings": 64,
    },
}  # fmt: skip


def make_vision_model(family: str = "Qwen2VL") -> tuple[Any, Any, Any]:
    """Return a model, its tokenizer (of bytes) and its image processor."""
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    bytes_ = Tokenizer(models.BPE({byte: id for id, byte in enumerate(alphabet)}, []))
    bytes_.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_.decoder = decoders.ByteLevel()
    bytes_.add_special_tokens(SPECIAL)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=bytes_,
        pad_token=SPECIAL[0],
        eos_token=SPECIAL[2],
        chat_template=TEMPLATE,
        clean_up_tokenization_spaces=False,
    )
    ids = dict(zip(SPECIAL, tokenizer.convert_tokens_to_ids(SPECIAL), strict=True))
    rope = {"rope_type": "default", "mrope_section": [4, 6, 6], "rope_theta": 10000.0}
    config = getattr(transformers, f"{family}Config")(
        text_config={
            "vocab_size": len(tokenizer), "hidden_size": 32, "intermediate_size": 64,
            "num_hidden_layers": 2, "num_attention_heads": 1, "num_key_value_heads": 1,
            "max_position_embeddings": 2048, "rope_parameters": rope, "bos_token_id": None,
            "eos_token_id": ids["<|im_end|>"], "head_dim": 32,
        },
        vision_config=_VISION[family],
        image_token_id=ids[PLACEHOLDER],
        video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
    )  # fmt: skip
    torch.manual_seed(0)
    model = getattr(transformers, f"{family}ForConditionalGeneration")(config).eval()
    patch_size = config.vision_config.patch_size
    return model, tokenizer, transformers.Qwen2VLImageProcessorPil(patch_size=patch_size)


def save_vision_model(folder: Path) -> str:
    """Save the model and its parts in a folder, and return the folder."""
    for part in make_vision_model():
        part.save_pretrained(folder)
    return str(folder)


def picture(color: str = "red", size: tuple[int, int] = (112, 84)) -> dict[str, Any]:
    """Return a part with a picture of one colour."""
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", size, color).save(file, "PNG")
    url = f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


def asks(*parts: dict[str, Any] | str) -> Message:
    """Return a user message with texts and pictures."""
    content: list[Any] = [
        {"type": "text", "text": part} if isinstance(part, str) else part for part in parts
    ]
    return {"role": "user", "content": content}
