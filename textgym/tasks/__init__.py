"""Tasks: what they are, how they are drawn, and the files and hubs that rows are read from."""

from textgym.tasks.task import Task

__all__ = ["Task"]
