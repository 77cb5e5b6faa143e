"""Tasks: the `Task` class, how generated tasks are drawn, and how rows are read from data sets."""

from textgym.tasks.task import Task

__all__ = ["Task"]
