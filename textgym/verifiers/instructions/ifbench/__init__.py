"""The 58 types of instruction of IFBench (Pyatkin et al., 2025)."""

from textgym.verifiers.instructions.ifbench import layout, tasks, words

__all__ = ["layout", "tasks", "words"]
