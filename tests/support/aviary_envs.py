"""Environments and task data sets of Aviary, for tests. Worker processes import this module."""

from __future__ import annotations

import asyncio
import os
from typing import Any

from aviary.core import Environment, Message, TaskDataset, Tool, ToolRequestMessage
from aviary.envs.hotpotqa.env import HotPotQAEnv

PAGES = {
    "Milhouse+Van+Houten": (
        "<p>Milhouse Mussolini Van Houten is a character of The Simpsons. Matt Groening named "
        "him after President Richard Nixon. His glasses are red.</p>"
    )
}


class Till(Environment[dict[str, float]]):
    """A till that pays for each coin; its tools can fail in many ways."""

    def __init__(self, goal: int = 3, draws: bool = False) -> None:
        self.goal, self.draws = goal, draws

    async def reset(self) -> tuple[list[Message], list[Tool]]:
        self.state: dict[str, Any] = {"coins": 0, "reward": 0.0, "cut": False}
        tools = [self.put, self.break_after, self.look, self.leave, self.odd, self.lose_network]
        self.tools = [Tool.from_function(tool) for tool in tools]
        return [Message(content=f"Put {self.goal} coins in.")], self.tools

    async def step(self, action: Message) -> tuple[list[Message], float, bool, bool]:
        if not isinstance(action, ToolRequestMessage):
            return self.default_no_tool_calls_response
        self.state["reward"] = 0.0
        replies: Any = await self.exec_tool_calls(action, concurrency=False)
        cut, coins = self.state["cut"], self.state["coins"]
        return replies, self.state["reward"], coins >= self.goal and not cut, cut

    async def put(self, coins: int, note: str = "") -> str:
        """Put coins in.

        Args:
            coins: How many.
            note: A note.
        """
        await asyncio.sleep(0)
        self.state["coins"] += coins
        self.state["reward"] += coins / self.goal
        return f"{self.state['coins']} coins{note}"

    def break_after(self, coins: int) -> str:
        """Put coins in, and fail.

        Args:
            coins: How many.
        """
        self.state["coins"] += coins
        raise ValueError("jammed")

    def look(self) -> dict[str, Any]:
        """Look at the coins."""
        drawn = os.urandom(4).hex() if self.draws else ""
        return {"coins": self.state["coins"], "drawn": drawn}

    def leave(self) -> None:
        """Leave, which cuts the episode."""
        self.state["cut"] = True

    def odd(self) -> str:
        """Earn what is not a number."""
        self.state["reward"] = float("nan")
        return ""

    def lose_network(self) -> str:
        """Ask a server that is gone."""
        raise ConnectionError("no route")


class Mute(Till):
    """A till that cannot be talked to, and cannot be closed."""

    async def step(self, action: Message) -> tuple[list[Message], float, bool, bool]:
        raise ValueError("no words")

    async def close(self) -> None:
        raise RuntimeError("stuck")


class Tills(TaskDataset[Till]):
    """Tills with other goals."""

    def __len__(self) -> int:
        return 4

    def get_new_env_by_idx(self, idx: int) -> Till:
        return Till(goal=idx + 1)


class EndlessTills(TaskDataset[Till]):
    """A till for whoever asks."""

    def get_new_env(self) -> Till:
        return Till()


def hotpotqa(**fields: Any) -> HotPotQAEnv:
    """Return an environment that searches in pages of its own, and not in the network."""
    HotPotQAEnv.wiki_cache.update(PAGES)
    return HotPotQAEnv(**fields)


A_TILL = Till(goal=2)
NOTHING = 7
