"""Pictures in prompts, for the vision-language models of Qwen's kind.

Their chat templates write one placeholder token for a picture. The model reads as many of them as
the picture has patches after merging, and reads the pixels of the patches separately. A prompt is
encoded with one placeholder for each picture, and expanded afterwards.

Invariants: a picture is part of its message (a `data:` URL), nothing is fetched; texts cannot hold
a placeholder; in an expanded prompt, the runs of placeholders are the conversation's pictures, in
order.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from textgym.errors import UsageError
from textgym.messages import Message
from textgym.policies.base import PictureSpan

__all__ = ["Picture", "PictureReader", "count_pictures"]

_DATA, _BASE64 = "data:image/", ";base64,"


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A picture as a model reads it.

    Attributes:
        image: The picture, a `PIL.Image.Image` in RGB.
        sha256: The SHA-256 of its file, in hexadecimal.
        pixel_values: The pixels of its patches; float tensor, (patches, values).
        grid_thw: The numbers of patches along time, height and width; integer tensor, (1, 3).
        num_tokens: How many tokens it has in a prompt.
    """

    image: Any
    sha256: str
    pixel_values: Any
    grid_thw: Any
    num_tokens: int


class PictureReader:
    """Reads the pictures of conversations, and expands their placeholders in prompts.

    Args:
        config: The model's config of transformers.
        tokenizer: The model's tokenizer.
        processor: The model's image processor of transformers.

    Raises:
        UsageError: The model does not read pictures as Qwen's models do.

    Attributes:
        token_id: The id of a picture's placeholder.
        placeholder_ids: The ids that only pictures and videos may have.
    """

    def __init__(self, config: Any, tokenizer: Any, processor: Any) -> None:
        if not self.supports(config):
            raise UsageError(
                f"pictures are read for models of Qwen's vision-language kind, not for "
                f"{getattr(config, 'model_type', type(config).__name__)}"
            )
        self.token_id: int = config.image_token_id
        video_id = getattr(config, "video_token_id", None)
        self.placeholder_ids = [id for id in (self.token_id, video_id) if id is not None]
        self._placeholders: list[str] = [tokenizer.decode([id]) for id in self.placeholder_ids]
        self._processor = processor
        self._merged: int = config.vision_config.spatial_merge_size**2

    @staticmethod
    def supports(config: Any) -> bool:
        """Return whether a model's pictures are patches on a grid, as Qwen's are."""
        vision = getattr(config, "vision_config", None)
        merges = isinstance(getattr(vision, "spatial_merge_size", None), int)
        return merges and isinstance(getattr(config, "image_token_id", None), int)

    def read(self, messages: Iterable[Message]) -> list[Picture]:
        """Return the pictures of a conversation, in order.

        Raises:
            UsageError: A picture is a web address, or cannot be read.
        """
        return [self._picture(url) for url in _urls(messages)]

    def _picture(self, url: str) -> Picture:
        content = _content(url)
        image = _open(content)
        read = self._processor(images=[image], return_tensors="pt")
        grid = read["image_grid_thw"]
        return Picture(
            image,
            hashlib.sha256(content).hexdigest(),
            read["pixel_values"],
            grid,
            int(grid.prod()) // self._merged,
        )

    def without_placeholders(self, value: Any) -> Any:
        """Return a JSON value in which no text has the form of a placeholder."""
        text = json.dumps(value)
        if not any(placeholder in text for placeholder in self._placeholders):
            return value
        for placeholder in self._placeholders:
            text = text.replace(placeholder, f"{placeholder[0]} {placeholder[1:]}")
        return json.loads(text)

    def expand(self, ids: Sequence[int], pictures: Sequence[Picture]) -> list[int]:
        """Return ids with as many placeholders for each picture as it has tokens.

        Args:
            ids: Token ids with one placeholder for each picture.
            pictures: The pictures.

        Raises:
            UsageError: The chat template does not show every picture once.
        """
        if ids.count(self.token_id) != len(pictures):
            raise UsageError("the chat template does not show every picture once")
        waiting = iter(pictures)
        expanded: list[int] = []
        for id in ids:
            expanded += [id] * (next(waiting).num_tokens if id == self.token_id else 1)
        return expanded

    def spans(self, ids: Sequence[int], pictures: Sequence[Picture]) -> list[PictureSpan]:
        """Return where the pictures of an expanded prompt are.

        Args:
            ids: The prompt's ids.
            pictures: Its pictures.
        """
        spans: list[PictureSpan] = []
        end = 0
        for picture in pictures:
            start = ids.index(self.token_id, end)
            end = start + picture.num_tokens
            spans.append(
                PictureSpan(
                    sha256=picture.sha256,
                    start=start,
                    length=picture.num_tokens,
                    grid_thw=picture.grid_thw[0].tolist(),
                )
            )
        return spans


def count_pictures(messages: Iterable[Message]) -> int:
    """Return how many pictures are in messages."""
    return len(_urls(messages))


def _urls(messages: Iterable[Message]) -> list[str]:
    contents = [message.get("content") for message in messages]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]


def _content(url: str) -> bytes:
    head, separator, data = url.partition(_BASE64)
    if not (head.startswith(_DATA) and separator):
        raise UsageError(f"a picture must be a data: URL in base64, not {url[:60]!r}")
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error as error:
        raise UsageError(f"a picture is not in base64: {error}") from None


def _open(content: bytes) -> Any:
    from PIL import Image  # image processors need it too

    try:
        return Image.open(io.BytesIO(content)).convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise UsageError(f"a picture cannot be read: {error}") from error
