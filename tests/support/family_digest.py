"""A check that a generator's families draw the same in every process."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

SCRIPT = """
import sys
from importlib import import_module
from family_digest import digest
module = import_module(sys.argv[1])
assert "sympy" not in sys.modules
print(digest(module.FAMILIES, module.LEVELS))
"""


def digest(
    families: Mapping[str, Callable[[random.Random, int], Any]], levels: Iterable[int]
) -> str:
    """Return a hash of twenty draws from every family and level."""
    drawn = [
        families[name](random.Random(i), level)
        for name in families
        for level in levels
        for i in range(20)
    ]
    return hashlib.sha256(repr(drawn).encode()).hexdigest()


def digest_elsewhere(module: str, hash_seed: str) -> str:
    """Return the digest of a module's families from a process with another hash seed."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, module],
        env={
            **os.environ,
            "PYTHONHASHSEED": hash_seed,
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()
