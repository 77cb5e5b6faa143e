"""Run a server of the package openenv-core: `openenv_servers.py echo|adder|form PORT`."""

import sys
from typing import Any

import uvicorn
from fastmcp import FastMCP
from openenv.core.env_server import (
    Action,
    Environment,
    Observation,
    State,
    create_fastapi_app,
)
from openenv.core.env_server.mcp_environment import MCPEnvironment
from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation


class Said(Action):
    message: str


class Heard(Observation):
    text: str = ""


class Digit(Environment):
    """A digit is to be guessed, which is the seed's last."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Heard:
        self.digit = str((seed or 0) % 10)
        return Heard(text="Guess a digit.")

    def step(self, action: Said, timeout_s: float | None = None, **_: Any) -> Heard:
        if action.message == "crash":
            raise RuntimeError("it crashed")
        right = action.message == self.digit
        return Heard(text="right" if right else "wrong", done=right, reward=float(right))

    @property
    def state(self) -> State:
        return State()


class Placed(Action):
    row: int
    column: int
    mark: str = "X"


class Board(Digit):
    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Heard:
        return Heard(text="Place a mark.")

    def step(self, action: Placed, timeout_s: float | None = None, **_: Any) -> Heard:
        text = f"{action.mark} at {action.row}, {action.column}"
        return Heard(text=text, done=action.row == action.column, reward=1.0)


class Adder(MCPEnvironment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        server = FastMCP("adder")

        @server.tool
        def add(a: int, b: int) -> int:
            """Add two numbers."""
            return a + b

        @server.tool
        def fail() -> int:
            """Fail."""
            raise ValueError("it failed")

        super().__init__(server)

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Any:
        return Observation()

    def _step_impl(self, action: Any, timeout_s: float | None = None, **_: Any) -> Any:
        return Observation(done=True)

    @property
    def state(self) -> State:
        return State()


APPS = {
    "digit": (Digit, Said, Heard),
    "board": (Board, Placed, Heard),
    "adder": (Adder, CallToolAction, CallToolObservation),
}

if __name__ == "__main__":
    app = create_fastapi_app(*APPS[sys.argv[1]], max_concurrent_envs=8)
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="critical")
