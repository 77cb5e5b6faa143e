"""Answers of a server on disk, so that a request that was answered is not sent again.

Invariants: an answer is stored as a whole or not at all; failures are not stored; the API key is in
no file and in no name of a file.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from textgym.errors import UsageError

__all__ = ["AnswerCache"]


class AnswerCache:
    """Bodies of HTTP replies in a folder, one file for each request.

    Processes may share a folder.

    Args:
        folder: The folder, which is made if it is missing.

    Raises:
        UsageError: The folder cannot be written.

    Example:
        >>> import tempfile
        >>> cache = AnswerCache(tempfile.mkdtemp())
        >>> key = cache.key("http://127.0.0.1:8000/v1/chat/completions", b"{}", seed=7)
        >>> cache.get(key) is None
        True
        >>> cache.put(key, b"an answer")
        >>> cache.get(key)
        b'an answer'
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"cache: cannot write to {str(folder)!r}: {error.strerror}") from error

    def key(self, url: str, body: bytes, seed: int | None) -> str:
        """Return the key of a request.

        Args:
            url: The address.
            body: The body of the request.
            seed: The seed of the message, so that each repeat of an episode has its own answer even
                if the server takes no seed.
        """
        text = f"{url}\n{seed}\n".encode() + body
        return hashlib.blake2b(text, digest_size=16).hexdigest()

    def get(self, key: str) -> bytes | None:
        """Return the stored answer; None if there is none."""
        try:
            return self._path(key).read_bytes()
        except FileNotFoundError:
            return None

    def put(self, key: str, answer: bytes) -> None:
        """Store an answer.

        Raises:
            UsageError: It cannot be written.
        """
        path = self._path(key)
        try:
            path.parent.mkdir(exist_ok=True)
            file, name = tempfile.mkstemp(dir=path.parent)
            with os.fdopen(file, "wb") as output:
                output.write(answer)
            os.replace(name, path)
        except OSError as error:
            raise UsageError(
                f"cache: cannot write to {str(self._folder)!r}: {error.strerror}"
            ) from error

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"
