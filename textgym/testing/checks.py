"""The list of checks, and what the two files of checks share.

A check is a function of a subject: it passes, or an `AssertionError` says what is wrong; `Skipped`
says why it does not apply.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from textgym.env import TextEnv
from textgym.messages import Message, assistant
from textgym.tasks.task import hash_int
from textgym.testing.subject import Subject

__all__ = ["CHECKS", "NO_NAME", "SEEDS", "Skipped", "guess_or_say", "register_check", "silence"]

CHECKS: dict[str, Callable[[Subject], None]] = {}
SEEDS = range(8)
NO_NAME = "the class is in __main__, which other processes cannot import"


class Skipped(Exception):
    """A check that does not apply; the message says why."""


def register_check(function: Callable[[Subject], None]) -> Callable[[Subject], None]:
    """Put a check at the end of the list."""
    CHECKS[function.__name__] = function
    return function


def silence(env: TextEnv[Any]) -> Message:
    """Say nothing."""
    return assistant("")


def guess_or_say(env: TextEnv[Any]) -> Message:
    """Say something plausible, whether the environment can guess or not."""
    if type(env).guess is TextEnv.guess:
        return assistant("I do not know.")
    return env.guess(random.Random(hash_int(env.task.id, env.turn)))
