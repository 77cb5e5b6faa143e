"""The list of all checks, and helpers of the two modules that define them.

A check is a function of a subject. It fails with an `AssertionError` that says what is wrong, and
raises `Skipped` if it does not apply.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from textgym.env import TextEnv
from textgym.messages import Message, assistant
from textgym.tasks.hashing import hash_int
from textgym.testing.subject import Subject

__all__ = [
    "CHECKS",
    "CLASS_IN_MAIN",
    "SEEDS",
    "Skipped",
    "empty_message",
    "guess_message",
    "register_check",
]

CHECKS: dict[str, Callable[[Subject], None]] = {}
SEEDS = range(8)
CLASS_IN_MAIN = "the class is in __main__, which other processes cannot import"


class Skipped(Exception):
    """Raised by a check that does not apply; the message says why."""


def register_check(function: Callable[[Subject], None]) -> Callable[[Subject], None]:
    """Add a check to the end of the list."""
    CHECKS[function.__name__] = function
    return function


def empty_message(env: TextEnv[Any]) -> Message:
    """Return an empty message."""
    return assistant("")


def guess_message(env: TextEnv[Any]) -> Message:
    """Return the environment's guess; a fixed text if it defines none."""
    if type(env).guess is TextEnv.guess:
        return assistant("I do not know.")
    return env.guess(random.Random(hash_int(env.task.id, env.turn)))
