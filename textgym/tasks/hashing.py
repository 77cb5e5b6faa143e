"""Hashes, and the random numbers that they draw.

Invariant: equal values give equal results in every process.
"""

from __future__ import annotations

import secrets
from hashlib import blake2b

__all__ = ["TaskStream", "hash_bytes", "hash_int"]


def hash_int(*parts: object) -> int:
    """Return a 63-bit hash of the parts, the same in every process.

    Example:
        >>> hash_int("textgym/MCQA-v0", 7) == hash_int("textgym/MCQA-v0", 7)
        True
    """
    text = "\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> 1


def hash_bytes(content: bytes) -> int:
    """Return a 53-bit hash, which a float represents exactly, the same in every process.

    Example:
        >>> float(hash_bytes(b"one")) == hash_bytes(b"one") != hash_bytes(b"two")
        True
    """
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "big") >> 11


class TaskStream:
    """An endless stream of numbers that select tasks. The n-th depends only on the seed and n.

    Attributes:
        state: The seed, and the number of draws since it was set.

    Example:
        >>> stream = TaskStream()
        >>> stream.seed(5)
        >>> first = stream.draw()
        >>> stream.seed(5)
        >>> stream.draw() == first
        True
    """

    def __init__(self) -> None:
        self.state = [secrets.randbits(63), 0]

    def seed(self, seed: int) -> None:
        """Restart the stream with a seed."""
        self.state = [int(seed), 0]

    def draw(self) -> int:
        """Return the next number, which has 48 bits."""
        seed, count = self.state
        self.state = [seed, count + 1]
        return hash_int("task", seed, count) >> 15
