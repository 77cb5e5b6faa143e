"""OpenEnv: its servers as environments, and textgym's environments as a server of it.

- `server_env`: `textgym/OpenEnv-v0`.
- `client`: a session with a server.
- `server`: `textgym serve`.
"""

from typing import Any

__all__ = ["OpenEnv"]


def __getattr__(name: str) -> Any:
    if name != "OpenEnv":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from textgym.integrations.openenv.server_env import OpenEnv

    return OpenEnv
