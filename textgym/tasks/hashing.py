"""Hashes and canonical JSON. Invariant: equal values give equal results in every process."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

__all__ = ["canonical_json", "hash_bytes", "hash_int"]


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


_encode_canonical = json.JSONEncoder(
    sort_keys=True, ensure_ascii=True, separators=(",", ":"), check_circular=False
).encode


def canonical_json(value: Any) -> str:
    """Return the canonical JSON string of a value, with sorted keys and no spaces.

    Example:
        >>> canonical_json({"b": 1, "a": [2]})
        '{"a":[2],"b":1}'
    """
    return _encode_canonical(value)
