"""Policies that actors of Ray play with, some of which stop, fail or end their process."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import textgym
from textgym import Action


class Answers(textgym.Policy):
    """Answers any question with a letter."""

    name = "answers"

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        await asyncio.sleep(0.001)
        return Action(textgym.assistant(rf"\boxed{{{'ABCD'[seed % 4]}}}"))


class Halting(Answers):
    """Stops after some messages, and makes a file that says so, until there is a file `go`."""

    name = "halting"
    messages = 0

    def __init__(self, folder: str, limit: int) -> None:
        self.folder, self.limit = Path(folder), limit

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        Halting.messages += 1
        while Halting.messages > self.limit and not (self.folder / "go").exists():
            (self.folder / f"{os.getpid()}.halted").touch()
            await asyncio.sleep(0.02)
        return await super().act(messages, tools, seed=seed)


def halting(folder: Path, limit: int) -> dict[str, Any]:
    """Return the arguments of a rollout with a policy that stops after some messages."""
    options = {"folder": str(folder), "limit": limit}
    return {"policy": "policies_on_ray:Halting", "policy_options": options}


class Failing(Answers):
    """Does not answer a share of the questions."""

    name = "failing"

    def __init__(self, share: int) -> None:
        self.share = share

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        if seed % self.share == 0:
            raise textgym.PolicyFailure(f"no answer to {seed}")
        return await super().act(messages, tools, seed=seed)


class Deadly(Answers):
    """Ends its process when it is asked one question."""

    name = "deadly"

    def __init__(self, question: str) -> None:
        self.question = question

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        if messages[-1]["content"] == self.question:
            os._exit(1)
        return await super().act(messages, tools, seed=seed)


class Weighty(Answers):
    """Its version is that of its weights, their sum, and its process."""

    name = "weighty"
    version: str | None = None
    total = 0.0

    async def load_weights(self, weights: Iterable[tuple[str, Any]], version: str) -> None:
        self.version, self.total = version, sum(float(tensor.sum()) for _, tensor in weights)

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        action = await super().act(messages, tools, seed=seed)
        action.policy_version = f"{self.version} {self.total} {os.getpid()}"
        return action


class Broken(textgym.Policy):
    """Cannot be made."""

    def __init__(self) -> None:
        raise OSError("the weights are gone")
