"""Saving an episode in the middle and restoring it, wrappers included."""

from textgym.snapshots.walk import get_state, set_state

__all__ = ["get_state", "set_state"]
