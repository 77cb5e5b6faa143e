"""Snapshots: saving a running episode and restoring it, wrappers included.

`wrapper_stack` saves an environment with its wrappers, `saved_episode` checks what a `TextEnv`
saves, and `episode_state` converts the environment's own state to JSON and back.
"""

from textgym.core.snapshots.wrapper_stack import get_state, set_state

__all__ = ["get_state", "set_state"]
